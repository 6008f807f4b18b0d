"""Figure 10 of paper A: mean distances from the mode against concentration, drawn and computed."""

import pandas as pd

from study.core import figures

ROWS = {"mean_chord": "mean chord d₂ in radii", "mean_angle": "mean angle d∡ in radians"}


def draw(table, settings):
    """A row of panels for each metric, a column for each dimension."""
    dimensions = table["dim"].unique()
    figure, axes = figures.grid(len(ROWS), len(dimensions), sharex=True, sharey="row")
    for ax, metric, dim in figures.cells(axes, ROWS, dimensions):
        of_panel = figures.rows_with(table, metric=metric, dim=dim)
        for law, curve in of_panel.groupby("law", sort=False):
            curve, look = curve.sort_values("kappa"), figures.look(law)
            drawn = {"linestyle": ":", "color": look.colour, "label": f"{look.label}, drawn"}
            figures.draw_intervals(ax, curve, "kappa", **drawn)
            computed = {"color": look.colour, "markersize": 4.5, "label": f"{look.label}, computed"}
            ax.plot(curve["kappa"], curve["expected"], "x", **computed)
        ax.set(xscale="log", xticks=[1e-3, 1.0, 1e3])
    for ax in axes[:, 0]:
        ax.set_ylim(bottom=0.0)
    figures.label_grid(axes, [f"n = {dim}" for dim in dimensions], "concentration κ", ROWS.values())
    figures.add_legend(figure, axes[0, 0].get_legend_handles_labels()[0])
    worst = table["z"].abs().max()
    return figures.with_headline(
        figure,
        f"Mean distance from the mode; {settings['draws']:,} draws each (bars: 95 % interval); "
        f"largest of {len(table)} |z|: {worst:.1f}",
    )


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        figures.save(draw(pd.read_csv(snakemake.input[0]), snakemake.params.settings), snakemake.output)
