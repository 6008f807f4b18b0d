"""What the figures of the histograms' errors share: curves between references, ratios, and legend."""

from study.core import figures
from study.core.baselines import REFERENCES
from study.core.histogram_errors import ratios_beside

BESIDE = "purkayastha"  # the mechanism that the others are divided by
RATIO_LABEL = "EMD, ratio to Purkayastha's"


def draw_errors(ax, table, factor, named=True, **curves):
    """Curves of the mechanisms between the references, which are the same for all panels of a metric.

    ``factor`` brings the errors to the unit of the axis; ``curves`` are values of columns that tell the
    panel's mechanisms from others. ``named`` writes what the references are.
    """
    table = figures.scaled(table, factor)
    figures.draw_references(ax, table, named)
    figures.draw_mechanisms(ax, figures.rows_with(_mechanisms(table), **curves), "epsilon")
    figures.plain_log_ticks(ax)


def draw_ratios(ax, table):
    """Earth mover's distances over those of Purkayastha, with the interval of the ratio."""
    others = ratios_beside(figures.rows_with(_mechanisms(table), metric="emd"), BESIDE)
    figures.draw_mechanisms(ax, others, "epsilon")
    ax.axhline(1.0, color=figures.look(BESIDE).colour, linewidth=1.0)


def add_legend(figure, table):
    """The mechanisms of a table; the references are named in the panels."""
    figures.add_legend(figure, figures.handles_of(_mechanisms(table)))


def people_in(table):
    """Numbers of check-ins of a table, written out."""
    return ", ".join(f"{n:,}" for n in sorted(table["n"].unique()))


def _mechanisms(table):
    return table[~table["mechanism"].isin(REFERENCES)]
