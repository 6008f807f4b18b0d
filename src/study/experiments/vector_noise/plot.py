"""Figures of the note: radius and privacy loss of vector-valued noise, and the error of private means."""

import numpy as np
import pandas as pd

from study.core import figures

NAMES = {"vector_laplace": "gamma radius: right", "exponential_radius": "exponential radius: wrong"}


def draw(summary, losses, radii, settings):
    """A column for each dimension: density of the radius above, privacy loss below.

    Parameters
    ----------
    summary, losses, radii : pandas.DataFrame
        Of :func:`study.experiments.vector_noise.simulate.simulate`.
    settings : dict
        ``vector_noise`` of the configuration.

    Returns
    -------
    matplotlib.figure.Figure
    """
    dimensions, epsilon = settings["dimensions"], settings["epsilon"]
    figure, axes = figures.grid(2, len(dimensions), height=2.3, width=2.4)
    for ax, below, dim in zip(*axes, dimensions, strict=True):
        for mechanism in NAMES:
            colour = figures.look(mechanism).colour
            rows = radii[(radii["dim"] == dim) & (radii["mechanism"] == mechanism)]
            ax.fill_between(rows["radius"], rows["value"], step="mid", color=colour, alpha=0.2, linewidth=0)
            ax.plot(rows["radius"], rows["expected"], color=colour, label=NAMES[mechanism])
            rows = losses[(losses["dim"] == dim) & (losses["mechanism"] == mechanism)]
            below.plot(rows["level"], 100.0 * rows["expected"], color=colour)
            some = rows.iloc[2::5]
            ends = 100.0 * np.array([some["value"] - some["low"], some["high"] - some["value"]])
            below.errorbar(
                some["level"], 100.0 * some["value"], yerr=ends, fmt=figures.look(mechanism).marker,
                color=colour, markersize=3, elinewidth=0.8,
            )  # fmt: skip
        ax.set(xscale="log", xlabel="radius of the noise, in units of 1/λ")
        ax.set_title(f"d = {dim}")
        below.set_yticks(range(0, 101, 25))
        below.axvline(epsilon, color=figures.REFERENCE, linewidth=0.8, zorder=1)
        below.set(xscale="log", ylim=(0.0, 130.0), xlabel="privacy loss (nat)")
        found = summary[(summary["dim"] == dim) & (summary["metric"] == "delta")].set_index("mechanism")
        wrong = found.loc["exponential_radius"]
        below.annotate(
            f"wrong: δ = {wrong['expected']:.3f}\ndrawn: {wrong['low']:.4f} to {wrong['high']:.4f}",
            (1.0, 1.0), xycoords="axes fraction", ha="right", va="top", fontsize=7.5,
            color=figures.look("exponential_radius").colour,
        )  # fmt: skip
    axes[0, 0].set_ylabel("density of the radius' logarithm")
    axes[1, 0].set_ylabel("outputs that lose more (%)")
    axes[1, -1].annotate(
        f"claimed ε = {epsilon:g}", (epsilon, 40.0), xytext=(3, 0), textcoords="offset points", fontsize=7.5,
        color=figures.REFERENCE, rotation=90, va="center",
    )  # fmt: skip
    figure.legend(*axes[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=2, frameon=False)
    figures.headline(
        figure,
        f"Noise of density ∝ exp(−λ‖z‖) in R^d, and inputs {epsilon:g}/λ apart; areas and points: "
        f"{settings['draws']} draws (bars: 95 % interval), lines: the laws",
    )
    return figure


def draw_means(table, settings):
    """Error of the private mean against the number of vectors, a panel for each ε."""
    epsilons, dimensions = settings["epsilons"], settings["dimensions"]
    figure, axes = figures.panels(len(epsilons), sharey=True, sharex=True, width=3.5, height=3.3)
    ends = []
    for ax, epsilon in zip(axes, epsilons, strict=True):
        rows = table[np.isclose(table["epsilon"], epsilon)]
        labels = []
        right = rows[rows["mechanism"] == "vector_laplace"]
        colour = figures.look("vector_laplace").colour
        for dim in dimensions:
            curve = right[right["dim"] == dim].sort_values("n")
            ax.plot(curve["n"], curve["expected"], ":", color=colour, linewidth=0.9)
            bars = [curve["value"] - curve["low"], curve["high"] - curve["value"]]
            ax.errorbar(
                curve["n"], curve["value"], yerr=bars,
                color=colour, marker=figures.look("vector_laplace").marker, capsize=1.5, elinewidth=0.8,
            )  # fmt: skip
            last = curve.iloc[-1]
            labels.append((last["n"], last["value"], f"d = {dim}", colour))
        ends.append(labels)
        ax.set(xscale="log", yscale="log", xlabel="number n of vectors")
        ax.set_title(f"ε = {epsilon:g}")
    axes[0].set_ylabel("mean error, in sides of the cube")
    figures.room_for_labels(axes[0], 0.3)
    figures.label_panels(axes, ends)
    figures.headline(
        figure,
        "Error of the private mean of n vectors in [0, 1]^d, gamma radius with λ = nε/√d; "
        "bars: 95 % interval, dotted: d/λ",
    )
    return figure


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        tables, settings = snakemake.input, snakemake.params.settings
        losses, radii = (pd.read_csv(path) for path in (tables.losses, tables.radii))
        figures.save(draw(pd.read_csv(tables.summary), losses, radii, settings), snakemake.output.losses)
        figures.save(draw_means(pd.read_csv(tables.means), settings), snakemake.output.means)
