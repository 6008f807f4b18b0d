"""Figure 3 of the SO(3) paper: angles of noise on rotations at given radii of indistinguishability."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from study.core import figures

LABELS = {  # by mechanism and calibration
    ("rotation_laplace", "tight"): "Laplace, ε",
    ("rotation_bingham", "published"): "Bingham, (π/4)ε as published",
    ("rotation_bingham", "tight"): "Bingham, 2ε: the same level",
}


def draw(summary, histograms, settings):
    """A panel for each radius: drawn histograms, densities of the laws, and the means written out.

    Parameters
    ----------
    summary, histograms : pandas.DataFrame
        Of :func:`study.experiments.rotation_angles.simulate.simulate`.
    settings : dict
        ``rotation_angles`` of the configuration.

    Returns
    -------
    matplotlib.figure.Figure
    """
    radii = settings["radii_degrees"]
    figure, axes = figures.grid(-(-len(radii) // 2), min(2, len(radii)), height=2.4, width=3.6)
    for ax, radius in zip(axes.flat, radii, strict=False):
        top = 0.0
        for row, (mechanism, calibration) in enumerate(LABELS):
            curve = _of(histograms, radius, mechanism, calibration)
            colour, line = figures.look(mechanism).colour, figures.LINES[_line(mechanism, calibration)]
            ax.fill_between(curve["angle"], curve["low"], curve["high"], step="mid", color=colour, alpha=0.35)
            ax.plot(curve["angle"], curve["expected"], color=colour, linestyle=line)
            mean = _of(summary, radius, mechanism, calibration).set_index("metric").loc["mean_angle"]
            ax.annotate(
                f"{LABELS[mechanism, calibration].split(' as')[0].split(':')[0]}: mean {mean['value']:.2f}°"
                f" ± {mean['high'] - mean['value']:.2g}°",
                (1.0, 0.98 - 0.09 * row), xycoords="axes fraction", ha="right", va="top", fontsize=7.5,
                color=colour,
            )  # fmt: skip
            top = max(top, curve["high"].max())
        epsilon = summary.loc[np.isclose(summary["radius"], radius), "epsilon"].iloc[0]
        ax.axvline(radius, color=figures.REFERENCE, linewidth=0.8, zorder=1)
        ax.set(xlim=(0.0, 180.0), ylim=(0.0, 1.4 * top), xticks=range(0, 181, 30))
        ax.set_title(f"ρ = {radius:g}°, ε = {epsilon:.3g} per rad")
    for ax in axes.flat[len(radii) :]:
        ax.set_axis_off()
    for ax in axes[-1]:
        ax.set_xlabel("angle to the true rotation in degrees")
    for row in axes:
        row[0].set_ylabel("density per degree")
    handles = [
        plt.Line2D(
            [], [], color=figures.look(m).colour, linestyle=figures.LINES[_line(m, c)], label=LABELS[m, c]
        )
        for m, c in LABELS
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    figures.headline(
        figure,
        f"Angles of {settings['draws']} private rotations at the ε at which Laplace stays within ρ (grey "
        f"line) with probability {settings['level']:g}; bands: 95 % interval of each bin, lines: the laws",
    )
    return figure


def _of(table, radius, mechanism, calibration):
    chosen = np.isclose(table["radius"], radius) & (table["mechanism"] == mechanism)
    return table[chosen & (table["calibration"] == calibration)]


def _line(mechanism, calibration):
    """Laplace has but one calibration, and a full line."""
    return "published" if mechanism == "rotation_laplace" else calibration


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        summary, histograms = pd.read_csv(snakemake.input.summary), pd.read_csv(snakemake.input.histograms)
        figures.save(draw(summary, histograms, snakemake.params.settings), snakemake.output)
