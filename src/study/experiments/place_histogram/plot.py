"""Figure of the place histograms' errors over ε, with the paper's band."""

import numpy as np

from study import figures
from study.figures import histogram_figures

METRICS = {"emd": ("EMD in km", 1.0), "mae": ("MAE per cell in % of all", 100.0)}
"""Label of each error, and the factor that converts it to its unit."""


def draw(table, settings):
    """A column of panels for each table of check-ins: the two errors, and the first over Purkayastha's."""
    populations = table.assign(expected=np.nan).groupby("population", sort=False)
    width = figures.COLUMN if len(populations) == 1 else figures.PAGE
    figure, axes = figures.grid(3, len(populations), 40.0, width, sharex=True)
    for line, (population, part) in zip(axes.T, populations, strict=True):
        for ax, (metric, (label, factor)) in zip(line, METRICS.items(), strict=False):
            histogram_figures.draw_errors(ax, figures.rows_with(part, metric=metric), factor)
            ax.set_ylabel(label)
        histogram_figures.draw_ratios(line[2], part)
        line[2].set_ylabel(histogram_figures.RATIO_LABEL)
        figures.plain_log_ticks(line[2])
        for ax in line:
            ax.set_xscale("log")
            ax.axvspan(*settings["claimed_band"], color=figures.REGION, linewidth=0, zorder=0)
        line[2].plot(settings["claimed_band"], [1.0, 1.0], **figures.PRINTED)
        line[0].set_title(figures.population_title(population))
    figures.label_grid(axes, x_label="privacy level ε per radian")
    band = figures.handle("printed: ends of the band", **figures.PRINTED)
    handles = histogram_figures.legend_handles(table, band)
    return figures.with_headline(figure, message(table, settings["claimed_band"]), legend=handles)


def message(table, band):
    """At how many levels of the band which noise has the largest error, for the first table of check-ins."""
    table = figures.rows_with(table, population=table["population"].iloc[0])
    ratios = histogram_figures.ratios(table).dropna(subset=["value"])
    ratios = ratios[ratios["epsilon"].between(*band)]
    counts = ratios.loc[ratios.groupby("epsilon")["value"].idxmax(), "mechanism"].value_counts()
    if counts.empty:
        return "Error of the histogram of places"
    first, *others = [(figures.look(name).label, count) for name, count in counts.items()]
    text = f"{first[0]} errs most at {first[1]} ε" + "".join(f", {name} at {count}" for name, count in others)
    return text[0].upper() + text[1:]


if __name__ == "__main__":
    figures.one_figure(snakemake, draw, snakemake.params.settings)
