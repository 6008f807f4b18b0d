"""Figure 2 of the SO(3) paper: the angles that its samplers draw beside the exact density, at each ε."""

import numpy as np
import pandas as pd

from study import figures

DRAWN = {  # name, line, width
    "exact": ("exact", "-", 5.0),
    "gamma": ("gamma law (efficient)", (0, (1, 1)), 1.6),
    "printed": ("rejection as printed", "-", 1.4),
    "printed_capped": ("the same, ≤ {cap} tries", (0, (4, 1.5)), 0.8),
    "haar_capped": ("from Haar, ≤ {cap} tries", (0, (6, 1.5, 1, 1.5)), 0.8),
}
"""The samplers that are drawn; rejection from Haar without a limit draws as the exact one does."""


def draw(summary, histograms, settings):
    """A panel for each ε: the exact density, and a histogram for each sampler with its mean."""
    epsilons = settings["epsilons"]
    figure, axes = figures.panels(len(epsilons), 56.0, sharex=True)
    for ax, epsilon in zip(axes, epsilons, strict=True):
        for row, (sampler, (name, *_)) in enumerate(DRAWN.items()):
            bins = figures.rows_with(histograms, sampler=sampler, epsilon=epsilon)
            line = line_of(sampler)
            if sampler == "exact":
                ax.fill_between(bins["angle"], bins["exact"], color=line["color"], alpha=0.25, linewidth=0)
            else:
                ax.plot(bins["angle"], bins["value"], **line)
                band = {"color": figures.REFERENCE, "alpha": 0.25, "linewidth": 0}
                ax.fill_between(bins["angle"], bins["low"], bins["high"], **band)
            found = figures.rows_with(summary, sampler=sampler, epsilon=epsilon).iloc[0]
            mean, half = np.rad2deg([found["value"], found["high"] - found["value"]])
            text = f"{name.format(**settings)}: mean {mean:.1f}° ± {half:.1f}°"
            where = {"xycoords": "axes fraction", "ha": "right", "va": "top"}
            figures.write_beside(ax, text, (1.0, 1.0), (0, -8 * row), line["color"], **where)
        top = figures.rows_with(histograms, epsilon=epsilon)["value"].max()
        ax.set(xlim=(0.0, 180.0), ylim=(0.0, 1.8 * top), xticks=range(0, 181, 60))
        ax.set(title=f"ε = {epsilon:g}", ylabel="density per degree")
        ax.tick_params(labelbottom=True)
    axes[-1].set_xlabel("angle in degrees")
    handles = [
        figures.handle(name.format(**settings), **line_of(sampler)) for sampler, (name, *_) in DRAWN.items()
    ]
    figures.add_legend(figure, handles, ncols=2)
    return figures.with_headline(figure, message(summary))


def line_of(sampler):
    """Look of a sampler: green is the exact law, black what the paper prints."""
    _, line, width = DRAWN[sampler]
    colour = figures.look("rotation_laplace" if sampler == "exact" else "printed").colour
    alpha = 0.25 if sampler == "exact" else 1.0
    return {"color": colour, "linestyle": line, "linewidth": width, "alpha": alpha}


def message(summary):
    """The exact mean at the largest ε, and those of the rejection samplers."""
    rows = figures.rows_with(summary, epsilon=float(summary["epsilon"].max()))
    means = np.rad2deg(rows.set_index("sampler")["value"])[["printed", "printed_capped", "haar_capped"]]
    exact, epsilon = np.rad2deg(rows["exact"].iloc[0]), rows["epsilon"].iloc[0]
    drawn = f"{means.min():.0f} to {means.max():.0f}° by rejection"
    return f"Mean at ε = {epsilon:g}: {exact:.0f}° by the law, {drawn}"


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        summary, histograms = pd.read_csv(snakemake.input.summary), pd.read_csv(snakemake.input.histograms)
        figures.save(draw(summary, histograms, snakemake.params.settings), snakemake.output)
