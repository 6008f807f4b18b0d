"""Figure of the private mean direction's error against ε: noise on the mean, and on each vector."""

import numpy as np

from study import figures

ROWS = {"central": "central: one noisy mean\nMAE in rad", "local": "local: {responses} noisy vectors\nMAE in rad"}
"""Models, and the labels of their rows of panels."""
WAYS = {
    "central_vector": "on the mean vector",
    "local": "on each of {responses} vectors",
    "central": "on the mean direction",
}
"""Views, and where they put noise, for the title."""


def draw(table, settings):
    """A row of panels for each model, a column for each dimension of ``panel_dimensions``."""
    table, dimensions = figures.rows_with(table, population="one_direction"), settings["panel_dimensions"]
    figure, axes = figures.grid(len(ROWS), len(dimensions), 46.0, sharex=True, sharey=True)
    for ax, model, dim in figures.cells(axes, ROWS, dimensions):
        curves = figures.rows_with(table[table["view"].str.startswith(model)], dim=dim)
        of_vector = curves["view"] == "central_vector"
        curves = curves.assign(calibration=curves["calibration"].mask(of_vector, "mean vector"))
        figures.draw_mechanisms(ax, curves, "epsilon")
        figures.reference_line(ax, np.pi / 2.0)
        ax.set(xscale="log", yscale="log")
        ax.xaxis.set_major_formatter("{x:g}")
    y_labels = [label.format(**settings) for label in ROWS.values()]
    titles = [f"vectors of length n = {dim}" for dim in dimensions]
    figures.label_grid(axes, titles, "privacy level ε", y_labels)
    end = (table["epsilon"].max(), np.pi / 2.0), "uniform noise", figures.REFERENCE
    return figures.with_headline(figure, message(table, settings), axes[:, -1], [(ax, *end) for ax in axes[:, -1]])


def message(table, settings):
    """Where noise errs least, and how much more elsewhere, at the ε of the settings in a middle dimension."""
    epsilon, dimensions = settings["epsilon"], settings["panel_dimensions"]
    dim = dimensions[len(dimensions) // 2]
    least = figures.rows_with(table, epsilon=epsilon, dim=dim).groupby("view")["value"].min()
    (best, first), (other, second) = least.nsmallest(2).items()
    ways = [WAYS[view].format(**settings) for view in (best, other)]
    text = f"Noise {ways[0]} errs {second / first:.2g} times less than {ways[1]}"
    return f"{text} (ε = {epsilon:g}, n = {dim})"


if __name__ == "__main__":
    figures.one_figure(snakemake, draw, snakemake.params.settings)
