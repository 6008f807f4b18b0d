"""Figure 10 of paper A: mean distances from the mode against concentration, drawn and by formula."""

import pandas as pd

from study.core import figures
from study.core.differences import largest

ROWS = {"mean_chord": "mean chord d₂ in radii", "mean_angle": "mean angle d∡ in rad"}
DOT = {"linestyle": "", "marker": "o", "markersize": 5.0, "markerfacecolor": "white"}
CROSS = {"linestyle": "", "marker": "x", "markersize": 5.0, "color": "0.1", "zorder": 4}


def draw(table, found, settings):
    """A row of panels for each metric, a column for each dimension, and rings where doubles lose digits."""
    dimensions, tolerance = table["dim"].unique(), settings["tolerance"]
    figure, axes = figures.grid(len(ROWS), len(dimensions), sharex=True, sharey="row")
    for ax, metric, dim in figures.cells(axes, ROWS, dimensions):
        for law, curve in figures.rows_with(table, metric=metric, dim=dim).groupby("law", sort=False):
            curve, colour = curve.sort_values("kappa"), figures.look(law).colour
            ax.plot(curve["kappa"], curve["expected"], color=colour, linewidth=0.7)
            figures.draw_intervals(ax, curve, "kappa", color=colour, **DOT)
            ax.plot(curve["kappa"], curve["published"], **CROSS)
            off = curve[(curve["published"] / curve["high_precision"] - 1.0).abs() > tolerance]
            ax.plot(off["kappa"], off["expected"], **figures.RING)
        ax.set(xscale="log", xticks=[1e-3, 1.0, 1e3])
    for ax in axes[:, 0]:
        ax.set_ylim(bottom=0.0)
    figures.label_grid(axes, [f"n = {dim}" for dim in dimensions], "concentration κ", ROWS.values())
    handles = []
    for look in map(figures.look, table["law"].unique()):
        handles.append(figures.handle(f"{look.label}, drawn", color=look.colour, **DOT))
        handles.append(figures.handle(f"{look.label}, our law", color=look.colour, linewidth=0.7))
    figures.add_legend(figure, [*handles, figures.handle("Eq. 6 (d₂ of VMF),\nEq. 13 (d∡ of Pur)", **CROSS)])
    return figures.with_headline(
        figure,
        f"Mean distance from the mode; {settings['draws']:,} draws each (bars: 95 % interval). "
        f"Largest relative difference: {largest(found, 'relative')}",
    )


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        table, found = map(pd.read_csv, (snakemake.input.table, snakemake.input.differences))
        figures.save(draw(table, found, snakemake.params.settings), snakemake.output)
