"""Figure of the place histograms' errors over ε, with the paper's band."""

import numpy as np
import pandas as pd

from study.core import figures
from study.core.baselines import REFERENCES
from study.core.histogram_errors import ratios_beside

METRICS = {
    "emd": ("earth mover's distance in km", 1.0),
    "mae": ("MAE per cell in % of check-ins", 100.0),
}
BESIDE = "purkayastha"  # the mechanism that the others are divided by


def draw(table, settings):
    """A row of panels for each table of check-ins: the two errors, and the first over Purkayastha's.

    Parameters
    ----------
    table : pandas.DataFrame
        Collected table of :func:`study.experiments.place_histogram.simulate.simulate`.
    settings : dict
        ``place_histogram`` of the configuration.

    Returns
    -------
    matplotlib.figure.Figure
    """
    populations = table["population"].unique()
    figure, axes = figures.grid(len(populations), 3, height=3.0, width=2.9, sharex=True)
    for line, population in zip(axes, populations, strict=True):
        part = table[table["population"] == population].assign(expected=np.nan)
        for ax, metric in zip(line, METRICS, strict=False):
            draw_errors(ax, part[part["metric"] == metric], metric)
        draw_ratios(line[2], part[part["metric"] == "emd"])
        for ax in line:
            ax.set_xscale("log")
            ax.axvspan(*settings["claimed_band"], color=figures.REGION, linewidth=0, zorder=0)
        line[0].set_title(figures.population_title(population))
    for ax in axes[-1]:
        ax.set_xlabel("privacy level ε per radian")
    axes[0, 0].annotate(
        "band of the paper's claim", (np.sqrt(np.prod(settings["claimed_band"])), 0.02),
        xycoords=("data", "axes fraction"), ha="center", fontsize=7, color=figures.REFERENCE,
    )  # fmt: skip
    mechanisms = table[~table["mechanism"].isin(REFERENCES)]
    figure.legend(handles=figures.handles_of(mechanisms), loc="outside right center", frameon=False)
    people = ", ".join(f"{n:,}" for n in sorted(table["n"].unique()))
    figures.headline(
        figure,
        f"{settings['cells']} cells of equal area, {people} check-ins, each randomised on its own, against "
        "the true places of the same; bars: 95 % interval",
    )
    return figure


def draw_errors(ax, part, metric):
    """Curves of the mechanisms between the references."""
    label, factor = METRICS[metric]
    columns = ["value", "low", "high"]
    part = part.assign(**{column: part[column] * factor for column in columns})
    figures.draw_mechanisms(ax, part[~part["mechanism"].isin(REFERENCES)], "epsilon")
    figures.draw_references(ax, part, named=True)
    ax.set_ylabel(label)
    figures.plain_log_ticks(ax)


def draw_ratios(ax, part):
    """Errors over those of Purkayastha, with the interval of the ratio."""
    others = ratios_beside(part[~part["mechanism"].isin(REFERENCES)], BESIDE)
    if len(others):
        figures.draw_mechanisms(ax, others, "epsilon")
    ax.axhline(1.0, color=figures.look(BESIDE).colour, linewidth=1.0)
    ax.set_ylabel("EMD, ratio to Purkayastha's")
    figures.plain_log_ticks(ax)


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        table = pd.read_csv(snakemake.input[0])
        figures.save(draw(table, snakemake.params.settings), snakemake.output)
