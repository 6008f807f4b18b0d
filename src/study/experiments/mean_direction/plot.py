"""Figures of the private mean direction's error: against ε for some dimensions, and against dimension."""

import numpy as np
import pandas as pd

from study import figures

PARTS = {
    ("central", "one_direction"): "central model",
    ("local", "one_direction"): "local, one direction",
    ("local", "spread"): "local, directions spread",
}
"""Model and population of a row of panels."""


def rows_of(table, model, population):
    """The rows of one part; the baseline on the mean vector appears as a calibration of its own."""
    part = table[table["view"].str.startswith(model) & (table["population"] == population)].copy()
    part.loc[part["view"] == "central_vector", "calibration"] = "mean vector"
    return part


def draw_against_epsilon(table, settings):
    """A row of panels for each part, a column for each dimension of ``panel_dimensions``."""
    dimensions = settings["panel_dimensions"]
    figure, axes = figures.grid(len(PARTS), len(dimensions), 32.0, sharex=True, sharey="row")
    for ax, part, dim in figures.cells(axes, PARTS, dimensions):
        figures.draw_mechanisms(ax, figures.rows_with(rows_of(table, *part), dim=dim), "epsilon")
        figures.reference_line(ax, np.pi / 2.0)
        ax.set(xscale="log", yscale="log")
    titles = [f"n = {dim}" for dim in dimensions]
    y_labels = [title.replace(", ", ",\n") + "\nMAE in rad" for title in PARTS.values()]
    figures.label_grid(axes, titles, "privacy level ε", y_labels)
    return _with_legend(figure, table, f"{settings['responses']} unit vectors of length n", ncols=3)


def draw_against_dimension(table, settings):
    """A panel for each part at the fixed ε of the configuration."""
    figure, axes = figures.panels(len(PARTS), 42.0)
    table = table[np.isclose(table["epsilon"], settings["epsilon"])]
    for ax, (part, title) in zip(axes, PARTS.items(), strict=True):
        figures.draw_mechanisms(ax, rows_of(table, *part), "dim")
        figures.reference_line(ax, np.pi / 2.0)
        ax.set(xscale="log", ylim=(0.0, 1.7), yticks=[0.0, 0.5, 1.0, 1.5], title=title, ylabel="MAE in rad")
        ax.set_xticks(settings["dimensions"], [str(dim) for dim in settings["dimensions"]])
        ax.minorticks_off()
    axes[-1].set_xlabel("length n of the vectors")
    text = f"{settings['responses']} unit vectors of length n at ε = {settings['epsilon']:g}"
    return _with_legend(figure, table, text, ncols=2)


def _with_legend(figure, table, text, ncols):
    handles = figures.handles_of(pd.concat([rows_of(table, *part) for part in PARTS]))
    uniform = figures.handle("uniform noise", color=figures.REFERENCE, linewidth=0.7)
    figures.add_legend(figure, [*handles, uniform], ncols=ncols)
    return figures.with_headline(
        figure,
        f"Mean absolute error (MAE) of the private mean direction of {text}; bars: 95 % interval, "
        "dotted: theory (local: normal law of the sum)",
    )


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        table, settings = pd.read_csv(snakemake.input[0]), snakemake.params.settings
        figures.save(draw_against_epsilon(table, settings), snakemake.output.epsilon)
        figures.save(draw_against_dimension(table, settings), snakemake.output.dimension)
