"""Shared parts of the figures of histogram errors: curves between references, ratios, and legend."""

from study import figures
from study.simulation import histogram_errors
from study.simulation.baselines import NO_PRIVACY, UNIFORM

BESIDE = "purkayastha"  # the mechanism that the others are divided by
RATIO_LABEL = "EMD, ratio to Purkayastha"
REFERENCES = {UNIFORM: ("-", "uniform noise"), NO_PRIVACY: ((0, (4, 2)), "sampling error")}
"""Lines of the references and their meaning, by the names of the references in tables."""


def draw_errors(ax, table, factor, **curves):
    """Curves of the mechanisms that ``curves`` select, times ``factor``, between the references with intervals."""
    table, grey = figures.scaled(table, factor), figures.REFERENCE
    for name, (line, _) in REFERENCES.items():
        for row in figures.rows_with(table, mechanism=name).itertuples():
            ax.axhspan(row.low, row.high, color=grey, alpha=0.25, linewidth=0)
            ax.axhline(row.value, color=grey, linewidth=0.7, linestyle=line, zorder=1)
    figures.draw_mechanisms(ax, figures.rows_with(_mechanisms(table), **curves), "epsilon")
    figures.plain_log_ticks(ax)


def draw_ratios(ax, table):
    """Ratios of earth mover's distances to those of Purkayastha, with intervals."""
    figures.draw_mechanisms(ax, ratios(table), "epsilon", beside=1.08)
    ax.axhline(1.0, color=figures.look(BESIDE).colour, linewidth=1.0)


def ratios(table):
    """Rows of the other mechanisms, with ratios of earth mover's distances to those of Purkayastha at the same ε."""
    table = figures.rows_with(_mechanisms(table), metric="emd")
    is_beside = table["mechanism"] == BESIDE
    beside, others = table.loc[is_beside, ["epsilon", "value", "standard_error"]], table[~is_beside]
    beside = others[["epsilon"]].merge(beside, on="epsilon", how="left")
    ratio, low, high = histogram_errors.ratios(others, beside).values()
    return others.assign(value=ratio, low=low, high=high, expected=float("nan"))


def legend_handles(table, *more):
    """Handles of a legend: of the mechanisms of a table, of the references and of what else is there."""
    grey = {"color": figures.REFERENCE, "linewidth": 0.7}
    references = [figures.handle(text, linestyle=line, **grey) for line, text in REFERENCES.values()]
    return [*figures.handles_of(_mechanisms(table)), *references, *more]


def _mechanisms(table):
    return table[~table["mechanism"].isin(REFERENCES)]
