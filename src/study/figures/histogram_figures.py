"""Shared parts of the figures of histogram errors: curves between references, ratios, and legend."""

from study import figures
from study.simulation.baselines import REFERENCES
from study.simulation.histogram_errors import ratios_beside

BESIDE = "purkayastha"  # the mechanism that the others are divided by
RATIO_LABEL = "EMD, ratio to Purkayastha"


def draw_errors(ax, table, factor, **curves):
    """Curves of the mechanisms that ``curves`` select, times ``factor``, between the references."""
    table = figures.scaled(table, factor)
    figures.draw_references(ax, table)
    figures.draw_mechanisms(ax, figures.rows_with(_mechanisms(table), **curves), "epsilon")
    figures.plain_log_ticks(ax)


def draw_ratios(ax, table):
    """Ratios of earth mover's distances to those of Purkayastha, with intervals."""
    figures.draw_mechanisms(ax, ratios(table), "epsilon", beside=1.08)
    ax.axhline(1.0, color=figures.look(BESIDE).colour, linewidth=1.0)


def ratios(table):
    """Rows of the other mechanisms, with ratios of earth mover's distances to those of Purkayastha."""
    return ratios_beside(figures.rows_with(_mechanisms(table), metric="emd"), BESIDE)


def add_legend(figure, table, *more):
    """Add a legend of the mechanisms of a table, of the references and of what else is there."""
    handles = [*figures.handles_of(_mechanisms(table)), *figures.reference_handles(), *more]
    figures.add_legend(figure, handles, ncols=4 if figure.get_figwidth() > 5.0 else 2)


def _mechanisms(table):
    return table[~table["mechanism"].isin(REFERENCES)]
