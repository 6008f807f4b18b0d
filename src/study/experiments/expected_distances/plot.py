"""Figure 10 of paper A: mean distances from the mode against concentration, drawn and by formula."""

import pandas as pd

from study import figures
from study.simulation.differences import largest

ROWS = {"mean_chord": "chord d₂ in radii", "mean_angle": "angle d∡ in rad"}
DOT = {"linestyle": "", "markersize": 4.5, "markerfacecolor": "white"}
CROSS = {"linestyle": "", "marker": "x", "markersize": 4.0, "color": "0.1", "zorder": 4}


def draw(table, found, settings):
    """A block of panels for each metric, a panel for each dimension, and rings where doubles lose digits."""
    dimensions, tolerance = table["dim"].unique(), settings["tolerance"]
    figure, axes = figures.blocks(len(ROWS), len(dimensions), 31.0, sharex=True, sharey="row")
    for ax, metric, dim in figures.cells(axes, ROWS, dimensions):
        for law, curve in figures.rows_with(table, metric=metric, dim=dim).groupby("law", sort=False):
            curve, look = curve.sort_values("kappa"), figures.look(law)
            ax.plot(curve["kappa"], curve["expected"], color=look.colour, linewidth=0.7)
            figures.draw_intervals(ax, curve, "kappa", color=look.colour, marker=look.marker, **DOT)
            ax.plot(curve["kappa"], curve["published"], **CROSS)
            off = curve[(curve["published"] / curve["high_precision"] - 1.0).abs() > tolerance]
            ax.plot(off["kappa"], off["expected"], **figures.RING)
        ax.set(xscale="log", xticks=[1e-3, 1.0, 1e3], title=f"n = {dim}")
        ax.set_ylabel(ROWS[metric] if ax.get_subplotspec().is_first_col() else "")
    for ax in axes.flat:
        ax.set_ylim(bottom=-0.1)  # of all panels of a row, so only when all are drawn
    figures.label_below(axes, "concentration κ")
    handles = []
    for look in map(figures.look, table["law"].unique()):
        handles.append(figures.handle(f"{look.label}, drawn", color=look.colour, marker=look.marker, **DOT))
        handles.append(figures.handle(f"{look.label}, our law", color=look.colour, linewidth=0.7))
    handles.append(figures.handle("Eq. 6 (d₂ of VMF), Eq. 13 (d∡ of Pur)", **CROSS))
    figures.add_legend(figure, handles, ncols=5)
    return figures.with_headline(
        figure,
        f"Mean chord and mean angle to the mode; {settings['draws']:,} draws each (bars: 95 % interval). "
        f"Largest relative difference: {largest(found, 'relative')}",
    )


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        table, found = map(pd.read_csv, (snakemake.input.table, snakemake.input.differences))
        figures.save(draw(table, found, snakemake.params.settings), snakemake.output)
