"""Figure 2 of the SO(3) paper: histograms of the angles that its samplers and the exact one draw at one ε."""

import numpy as np
import pandas as pd

from study.core import figures

DRAWN = {
    "exact": "exact",
    "gamma": "gamma law\n(the paper's efficient one)",
    "printed": "rejection as printed",
    "printed_capped": "as printed, given up\nafter {cap} iterations",
    "haar": "Haar proposal,\nslow and exact",
    "haar_capped": "Haar proposal, given up\nafter {cap} iterations",
}
"""The samplers that are drawn, and what stands above their panels."""


def draw(summary, histograms, settings):
    """A row of panels for each ε, one for each sampler, with the exact density over its histogram.

    Parameters
    ----------
    summary, histograms : pandas.DataFrame
        Of :func:`study.experiments.rotation_samplers.simulate.simulate`.
    settings : dict
        ``rotation_samplers`` of the configuration.

    Returns
    -------
    matplotlib.figure.Figure
    """
    epsilons = settings["epsilons"]
    figure, axes = figures.grid(len(epsilons), len(DRAWN), height=2.1, width=1.8, sharex=True, sharey="row")
    exact_colour = figures.look("rotation_laplace").colour
    for row, epsilon in zip(axes, epsilons, strict=True):
        for ax, sampler in zip(row, DRAWN, strict=True):
            colour = exact_colour if sampler == "exact" else figures.look("printed").colour
            bins = _of(histograms, sampler, epsilon)
            ax.fill_between(bins["angle"], bins["value"], step="mid", color=colour, alpha=0.3, linewidth=0)
            ax.fill_between(
                bins["angle"], bins["low"], bins["high"], step="mid", color=colour, alpha=0.5, linewidth=0
            )
            ax.plot(bins["angle"], bins["exact"], color=exact_colour)
            found = _of(summary, sampler, epsilon).iloc[0]
            mean, half = np.rad2deg([found["value"], found["high"] - found["value"]])
            ax.annotate(
                f"mean {mean:.1f}° ± {half:.1f}°\n"
                f"KS {found['ks_distance']:.3f}, {in_words(found['p_value'])}",
                (1.0, 1.0), xycoords="axes fraction", ha="right", va="top", fontsize=7.5, color=colour,
            )  # fmt: skip
        limit = 1.3 * histograms.loc[np.isclose(histograms["epsilon"], epsilon), "value"].max()
        row[0].set(xlim=(0.0, 180.0), ylim=(0.0, limit), xticks=range(0, 181, 60))
        mean = np.rad2deg(_of(summary, "exact", epsilon)["exact"].iloc[0])
        row[0].set_ylabel(f"ε = {epsilon:g}, exact mean {mean:.1f}°\ndensity per degree")
    for ax, title in zip(axes[0], DRAWN.values(), strict=True):
        ax.set_title(title.format(cap=settings["cap"]))
    for ax in axes[-1]:
        ax.set_xlabel("angle in degrees")
    figures.headline(
        figure,
        f"Angles of rotation Laplace noise by six samplers, {settings['draws']} draws each; line: the exact "
        "density, dark bands: 95 % interval of each bin, KS: distance to the exact law and p-value",
    )
    return figure


def in_words(p_value):
    """A p-value, or that it is below what one would write out."""
    return f"p = {p_value:.2g}" if p_value >= 1e-6 else "p < 1e-6"


def _of(table, sampler, epsilon):
    return table[(table["sampler"] == sampler) & np.isclose(table["epsilon"], epsilon)]


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        summary, histograms = pd.read_csv(snakemake.input.summary), pd.read_csv(snakemake.input.histograms)
        figures.save(draw(summary, histograms, snakemake.params.settings), snakemake.output)
