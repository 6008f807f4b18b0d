"""Figure 11 of paper A: angular CDFs, in closed form and by numerical integration."""

import numpy as np
import pandas as pd
import seaborn

from study.core import figures


def draw(table, tolerance):
    """A row of panels for each law, a column for each dimension, a colour for each concentration.

    Parameters
    ----------
    table : pandas.DataFrame
        Collected table of :func:`study.experiments.angular_cdfs.compute.compute`.
    tolerance : float
        Where the paper's form differs by more than this, or is not finite, it is marked.

    Returns
    -------
    matplotlib.figure.Figure
    """
    laws, dimensions, kappas = (table[column].unique() for column in ("law", "dim", "kappa"))
    figure, axes = figures.grid(len(laws), len(dimensions), sharex=True, sharey=True)
    colours = dict(zip(kappas, seaborn.color_palette("viridis", len(kappas)), strict=True))
    for row, law in zip(axes, laws, strict=True):
        for ax, dim in zip(row, dimensions, strict=True):
            of_panel = table[(table["law"] == law) & (table["dim"] == dim)]
            for kappa, curve in of_panel.groupby("kappa", sort=False):
                curve = curve.sort_values("angle")
                ax.plot(curve["angle"], curve["numerical"], ":", color=colours[kappa])
                ax.plot(
                    curve["angle"],
                    curve["cdf"],
                    "x",
                    color=colours[kappa],
                    markersize=3.0,
                    markeredgewidth=0.7,
                )
                off = ~((curve["published"] - curve["cdf"]).abs() <= tolerance)
                ax.plot(
                    curve["angle"][off],
                    curve["cdf"][off],
                    "o",
                    markersize=5.5,
                    markerfacecolor="none",
                    markeredgecolor=figures.FAILURE,
                    markeredgewidth=0.7,
                )
            ax.set_title(f"{figures.look(law).label}, n = {dim}")
        row[0].set_ylabel("P[angle ≤ ϑ]")
    for ax in axes[-1]:
        ax.set(xlabel="ϑ in rad", xticks=[0.0, np.pi / 2.0, np.pi], xticklabels=["0", "π/2", "π"])
    handles = [axes[0, 0].plot([], [], ":", color=colours[kappa])[0] for kappa in kappas]
    handles += [
        axes[0, 0].plot([], [], "x", color="0.2", markersize=4)[0],
        axes[0, 0].plot([], [], "o", markerfacecolor="none", markeredgecolor=figures.FAILURE, markersize=5.5)[
            0
        ],
    ]
    names = [f"κ = {kappa:g}" for kappa in kappas]
    figure.legend(
        handles,
        [*names, "ours", "paper's form fails"],
        loc="outside right center",
        frameon=False,
        title="dotted: numerical\nintegration",
        title_fontsize=8,
    )
    figures.headline(
        figure,
        "Angular CDFs; circles: the paper's closed form (Eq. 14, Eq. 7) in double precision is not finite, "
        f"or off by more than {tolerance:g}",
    )
    return figure


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        figures.save(draw(pd.read_csv(snakemake.input[0]), snakemake.params.tolerance), snakemake.output)
