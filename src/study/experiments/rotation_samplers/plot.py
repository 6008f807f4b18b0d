"""Figure 2 of the SO(3) paper: the angles that its samplers draw beside the exact density, at each ε."""

import numpy as np

from study import figures

THRESHOLD, FIGURE = 3.5, 8.0
"""[B] Section 3.3: the ε below which the gamma distribution is not used, and the ε of Figure 2."""
IN_FIGURE = ("gamma", "printed_capped")
"""The two samplers that Figure 2 shows, as we read it: the paper names no cap."""
DRAWN = {  # name, line, width
    "exact": ("exact", "-", 5.0),
    "gamma": ("gamma (efficient)", (0, (1, 1)), 1.6),
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
        for sampler, (name, line, width) in DRAWN.items():
            if sampler == "gamma" and epsilon < THRESHOLD:
                continue
            bins = figures.rows_with(histograms, sampler=sampler, epsilon=epsilon)
            row = figures.rows_with(summary, sampler=sampler, epsilon=epsilon).iloc[0]
            mean, half = np.rad2deg([row["value"], row["high"] - row["value"]])
            exact = sampler == "exact"
            look = figures.look("rotation_laplace" if exact else "printed")
            style = {"color": look.colour, "linestyle": line, "linewidth": width, "alpha": 0.3 if exact else 1.0}
            mark = "★ " * (sampler in IN_FIGURE and epsilon == FIGURE)
            label = f"{mark}{name.format(**settings)}: mean {mean:.1f}° ± {half:.1f}°"
            ax.plot(bins["angle"], bins["exact" if exact else "value"], label=label, **style)
            band = {"color": look.colour, "alpha": 0.2, "linewidth": 0}
            ax.fill_between(bins["angle"], bins["low"], bins["high"], **band)
        top = figures.rows_with(histograms, epsilon=epsilon)["value"].max()
        ax.set(xlim=(0.0, 180.0), ylim=(0.0, 1.9 * top), xticks=range(0, 181, 60))
        ax.set(title=f"ε = {epsilon:g}", ylabel="density per degree")
        ax.legend(frameon=False, loc="upper right", fontsize=figures.NOTE, borderaxespad=0.0)
    axes[-1].set_xlabel("angle in degrees")
    return figures.with_headline(figure, message(summary))


def message(summary):
    """The exact mean at the largest ε, and those of the rejection samplers."""
    rows = figures.rows_with(summary, epsilon=float(summary["epsilon"].max()))
    means = np.rad2deg(rows.set_index("sampler")["value"])[["printed", "printed_capped", "haar_capped"]]
    exact, epsilon = np.rad2deg(rows["exact"].iloc[0]), rows["epsilon"].iloc[0]
    drawn = f"{means.min():.0f} to {means.max():.0f}° by rejection"
    return f"Mean at ε = {epsilon:g}: {exact:.0f}° exact, {drawn}"


if __name__ == "__main__":
    figures.one_figure(snakemake, draw, snakemake.params.settings)
