"""Figures of the circular mean's error: central, local against ε, local against the number of responses."""

import numpy as np
import pandas as pd

from study import figures

VIEWS = {
    "central": ("epsilon", "privacy level ε", "one noisy mean of all (central model)"),
    "local_epsilon": ("epsilon", "privacy level ε", "{responses} noisy responses (local model)"),
    "local_responses": ("n", "number of responses", "local model at ε = {epsilon}"),
}


def draw(table, view, settings):
    """One view of the errors, a key of :data:`VIEWS`; a panel for each population."""
    x, x_label, title = VIEWS[view]
    table = table[(table["view"] == view) & (table["unit"] == "rad")].copy()
    if view != "central":  # the law of large N says nothing where it promises more than uniform noise has
        table.loc[(table["expected"] > 1.0) & (table["mechanism"] != "clipped_laplace"), "expected"] = np.nan
    populations = table.groupby("population", sort=False)
    figure, axes = figures.panels(len(populations), sharey=True)
    uniform = []
    for ax, (population, rows) in zip(axes, populations, strict=True):
        figures.draw_mechanisms(ax, rows, x)
        ax.set(xscale="log", yscale="linear" if view == "central" else "log", xlabel=x_label)
        if x == "epsilon":
            figures.plain_log_ticks(ax, "x")
        ax.set_title(figures.population_title(population))
        figures.reference_line(ax, np.pi / 2.0)
        uniform.append((ax, (rows[x].max(), np.pi / 2.0), "uniform noise", figures.REFERENCE))
    top = max(1.75, 1.04 * table["high"].max())
    axes[0].set_ylim((0.0, top) if view == "central" else (table["low"].min() / 1.4, 2.0 * top))
    for ax in axes:
        ax.set_ylabel("MAE in rad (π rad = 12 h)")
        if view != "central":
            figures.plain_log_ticks(ax)
    dotted = "closed form" if view == "central" else "law of large N"
    text = f"{title.format(**settings)}, mean absolute error (MAE); bars: 95 % interval, dotted: {dotted}"
    figures.with_headline(figure, text)
    return figures.label_panels(axes, uniform)


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        table = pd.read_csv(snakemake.input[0])
        for view in VIEWS:
            figures.save(draw(table, view, snakemake.params.settings), snakemake.output[view])
