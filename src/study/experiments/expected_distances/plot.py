"""Figure 10 of paper A: mean distances from the mode against concentration, drawn and by formula."""

import pandas as pd

from study import figures
from study.simulation.method_differences import largest, panel_dimensions

ROWS = {"mean_chord": "mean d₂ in radii", "mean_angle": "mean d∡ in rad"}
DOT = {"linestyle": "", "markersize": 4.5, "markerfacecolor": "white"}
CROSS = {"linestyle": "", "marker": "x", "markersize": 4.0, "color": "0.1", "zorder": 4}


def draw(table, differences, curves, settings):
    """A row of panels for each metric, a column for each dimension, and rings where doubles lose digits."""
    dimensions, tolerance = panel_dimensions(table), settings["tolerance"]
    figure, axes = figures.grid(len(ROWS), len(dimensions), 38.0, sharex=True, sharey="row")
    for ax, metric, dim in figures.cells(axes, ROWS, dimensions):
        for distribution, curve in figures.rows_with(table, metric=metric, dim=dim).groupby("distribution", sort=False):
            curve, look = curve.sort_values("kappa"), figures.look(distribution)
            line = figures.rows_with(curves, metric=metric, dim=dim, distribution=distribution)
            ax.plot(line["kappa"], line["expected"], color=look.colour, linewidth=0.7)
            figures.draw_intervals(ax, curve, "kappa", color=look.colour, marker=look.marker, **DOT)
            ax.plot(curve["kappa"], curve["published"], **CROSS)
            off = curve[(curve["published"] / curve["high_precision"] - 1.0).abs() > tolerance]
            ax.plot(off["kappa"], off["expected"], **figures.RING)
        ax.set(xscale="log", xticks=[1e-2, 1.0, 1e2])
    for ax in axes.flat:
        ax.set_ylim(bottom=-0.1)  # of all panels of a row, so only when all are drawn
        ax.minorticks_off()
    figures.label_grid(axes, [f"n = {dim}" for dim in dimensions], "concentration κ", ROWS.values())
    handles = []
    for look in map(figures.look, table["distribution"].unique()):
        handles.append(figures.handle(f"{look.label}, drawn by dirpriv", color=look.colour, marker=look.marker, **DOT))
        handles.append(figures.handle(f"{look.label}, our distribution", color=look.colour, linewidth=0.7))
    handles.append(figures.handle("Eq. 6 (d₂ of von Mises–Fisher),\nEq. 13 (d∡ of Purkayastha)", **CROSS))
    drawn = (rows[rows["dim"].isin(dimensions)] for rows in (table, differences))
    return figures.with_headline(figure, message(*drawn), legend=handles, ncols=3)


def message(table, differences):
    """Whether Purkayastha is nearer to the mode everywhere, and how far draws are from the formulas."""
    mean = table.pivot_table(index=["metric", "dim", "kappa"], columns="distribution", values="expected")
    both = {"purkayastha", "von_mises_fisher"} <= set(mean)
    nearer = both and (mean["purkayastha"] < mean["von_mises_fisher"]).all()
    text = "At every κ Purkayastha is nearer to the mode than von Mises–Fisher" if nearer else "Mean distances"
    percent = 100.0 * largest(differences, "relative", "drawn", "published")
    return f"{text}; formulas and draws differ by at most {percent:.1g} %"


if __name__ == "__main__":
    with figures.figure_job(snakemake) as (table, differences, *curves):
        figures.save(draw(table, differences, pd.concat(curves), snakemake.params.settings), snakemake.output)
