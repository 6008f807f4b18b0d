"""Figure of the errors where every person has several responses: against their level and their number."""

import numpy as np

from study import figures
from study.simulation.populations import MODELS

STRATEGIES = {
    "budget_split": ("budget split", "^", (0, (1, 1))),
    "one_response": ("one response", "s", (0, (4, 1.5))),
    "own_mean": ("own mean", "o", "-"),
}
"""Label, marker and line of each way to spend the level of a person."""
VIEWS = {
    "epsilon": ("epsilon", "ε of a person", "{responses} responses each"),
    "responses": ("responses", "responses of a person", "ε = {epsilon:g}"),
}


def draw(table, settings):
    """A row of panels for each population, a column for each view."""
    populations = [name for name in MODELS if name in set(table["population"])]
    populations += sorted(set(table["population"]) - set(MODELS))
    figure, axes = figures.grid(len(populations), len(VIEWS), 36.0, figures.COLUMN, sharex="col", sharey=True)
    bottom = table.loc[table["metric"] == "mae", "low"].min() / 1.3
    for ax, population, view in figures.cells(axes, populations, VIEWS):
        _panel(ax, figures.rows_with(table, population=population, view=view), VIEWS[view][0], bottom)
    for column, (x, label, title) in zip(axes.T, VIEWS.values(), strict=True):
        ticks = sorted(set(table.loc[table["view"] == x, x]))
        figures.log_ticks(column[0], ticks, [f"{tick:g}" for tick in ticks])
        column[0].set_title(title.format(**settings))
        column[-1].set_xlabel(label)
    for ax, population in zip(axes[:, 0], populations, strict=True):
        title = f"{population} model" if population in MODELS else figures.population_title(population)
        ax.set_ylabel(f"{title}\nMAE in rad")
    figures.plain_log_ticks(axes[0, 0])
    axes[0, 0].set_ylim(bottom, 2.2)
    last = max(settings["responses_grid"])
    uniform = [(ax, (last, np.pi / 2), "uniform noise", figures.REFERENCE) for ax in axes[:, -1]]
    epsilon = figures.nearest(table["epsilon"], 1.0)
    rows = figures.rows_with(table, population=populations[0], view="epsilon", metric="mae", epsilon=epsilon)
    (best, first), (other, second) = rows.set_index("strategy")["value"].nsmallest(2).items()
    best, other = STRATEGIES[best][0].capitalize(), STRATEGIES[other][0]
    text = f"{best} errs {second / first:.2g} times less than {other} (ε = {epsilon:g})"
    return figures.with_headline(figure, text, axes[:, -1], uniform)


def _panel(ax, rows, x, bottom):
    last = ax.get_subplotspec().is_last_col()
    for strategy, (label, marker, line) in STRATEGIES.items():
        curve = figures.rows_with(rows, strategy=strategy, metric="mae").sort_values(x)
        look = {"color": figures.look("cap").colour, "marker": marker, "linestyle": line}
        look |= {"markerfacecolor": "white"}
        figures.draw_intervals(ax, curve, x, **look, label=label if last else "", capsize=1.2, elinewidth=0.6)
    bias = figures.rows_with(rows, strategy="own_mean", metric="bias").sort_values(x)
    clear = bias[((bias["low"] > 0.0) | (bias["high"] < 0.0)) & (bias["value"].abs() > bottom)]
    label = "bias of mean" if last else ""
    ax.plot(clear[x], clear["value"].abs(), color=figures.REFERENCE, linewidth=1.2, linestyle=(0, (2, 1)), label=label)
    figures.reference_line(ax, np.pi / 2.0)


if __name__ == "__main__":
    figures.one_figure(snakemake, draw, snakemake.params.settings)
