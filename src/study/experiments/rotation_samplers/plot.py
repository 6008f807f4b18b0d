"""Figure 2 of the SO(3) paper: histograms of the angles that its samplers and the exact one draw at one ε."""

import numpy as np
import pandas as pd

from study import figures

DRAWN = {
    "exact": "exact",
    "gamma": "gamma law (the paper's efficient one)",
    "printed": "rejection as printed",
    "printed_capped": "as printed, ≤ {cap} iterations",
    "haar": "Haar proposal, slow and exact",
    "haar_capped": "Haar proposal, ≤ {cap} iterations",
}
"""The samplers that are drawn, and what stands above their panels."""


def draw(summary, histograms, settings):
    """A row of panels for each ε, one for each sampler, with the exact density over its histogram."""
    epsilons = settings["epsilons"]
    figure, axes = figures.blocks(len(epsilons), len(DRAWN), 35.0, across=3, sharex=True)
    exact_colour = figures.look("rotation_laplace").colour
    for ax, epsilon, sampler in figures.cells(axes, epsilons, DRAWN):
        colour = exact_colour if sampler == "exact" else figures.look("printed").colour
        bins = figures.rows_with(histograms, sampler=sampler, epsilon=epsilon)
        step = {"step": "mid", "color": colour, "linewidth": 0}
        ax.fill_between(bins["angle"], bins["value"], alpha=0.15, **step)
        ax.fill_between(bins["angle"], bins["low"], bins["high"], alpha=0.35, **step)
        ax.plot(bins["angle"], bins["exact"], color=exact_colour)
        found = figures.rows_with(summary, sampler=sampler, epsilon=epsilon).iloc[0]
        mean, half = np.rad2deg([found["value"], found["high"] - found["value"]])
        p_value = f"p = {found['p_value']:.2g}" if found["p_value"] >= 1e-6 else "p < 1e-6"
        distance = f"KS {found['ks_distance']:.3f}, {p_value}"
        figures.write_within(ax, f"mean {mean:.1f}° ± {half:.1f}°\n{distance}", (1.0, 1.0), color=colour)
    for row, epsilon in zip(axes, epsilons, strict=True):
        top = figures.rows_with(histograms, epsilon=epsilon)["value"].max()
        mean = np.rad2deg(figures.rows_with(summary, sampler="exact", epsilon=epsilon)["exact"].iloc[0])
        for ax, title in zip(row, DRAWN.values(), strict=True):
            ax.set(xlim=(0.0, 180.0), ylim=(0.0, 1.4 * top), xticks=range(0, 181, 60))
            ax.set_title(title.format(cap=settings["cap"]))
            if ax.get_subplotspec().is_first_col():
                ax.set_ylabel(f"ε = {epsilon:g}\nexact mean {mean:.1f}°\ndensity per degree")
    figures.label_below(axes, "angle in degrees")
    return figures.with_headline(
        figure,
        f"Angles of rotation Laplace noise by six samplers, {settings['draws']:,} draws each; line: the "
        "exact density, dark bands: 95 % interval of each bin; KS: distance to the exact law and p-value",
    )


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        summary, histograms = pd.read_csv(snakemake.input.summary), pd.read_csv(snakemake.input.histograms)
        figures.save(draw(summary, histograms, snakemake.params.settings), snakemake.output)
