"""Figure 2 of paper A: angular densities on circle and sphere, and mean angles."""

import numpy as np
import seaborn

from study import figures

TITLES = {2: "(a) circle, n = 2", 3: "(b) sphere, n = 3"}
LINES = {"purkayastha": "-", "wrapped_laplace": (0, (4, 1.5)), "polar_laplace": (0, (4, 1.5, 1, 1.5))}
TOP = 1.05
"""End of the ordinate of densities in paper A; on the circle, that of κ = 2.5 goes beyond."""
MEANS = {
    ("purkayastha", 2): ((0.12, 0.62), (0.8, 0.98)),
    ("purkayastha", 3): ((0.05, 0.87), (0.45, 1.32)),
    ("wrapped_laplace", 2): ((0.012, 1.2), (0.2, 1.53)),
    ("polar_laplace", 3): ((0.06, 1.86), (0.4, 1.73)),
}
"""Positions of the names of the curves of mean angles, and of points of these curves."""


def draw(densities, means, crossing):
    """The three panels; below the concentration ``crossing`` polar Laplace is worse than uniform noise."""
    figure, axes = figures.panels(3, 46.0)
    for ax, (dim, title) in zip(axes[:2], TITLES.items(), strict=True):
        draw_densities(ax, densities[densities["dim"] == dim])
        ax.set_title(title)
    draw_means(axes[2], means, crossing)
    axes[2].set_title("(c) mean angle")
    distributions, kappas = densities["distribution"].unique(), sorted(densities["kappa"].unique())
    handles = [figures.handle(figures.look(name).label, **line_of(name)) for name in distributions]
    greys = styles("0.1", kappas).items()
    handles += [figures.handle(f"κ = {kappa:g}", **style, solid_capstyle="butt") for kappa, style in greys]
    text = f"Polar Laplace is worse than uniform noise below κ = {crossing:.3g}"
    return figures.with_headline(figure, text, legend=handles, ncols=3)


def line_of(distribution):
    """Colour and dashes of the curves of a distribution."""
    return {"color": figures.look(distribution).colour, "linestyle": LINES[distribution]}


def styles(colour, kappas):
    """Colour and width by concentration: the higher it is, the stronger and wider is the curve."""
    tints = seaborn.light_palette(colour, n_colors=len(kappas) + 2)[2:]
    widths = np.linspace(0.6, 2.1, len(kappas))
    return {k: {"color": tint, "linewidth": w} for k, tint, w in zip(kappas, tints, widths, strict=True)}


def draw_densities(ax, table):
    """Densities of Purkayastha and of the baseline at each concentration."""
    for distribution, of_distribution in table.groupby("distribution", sort=False):
        for kappa, style in styles(figures.look(distribution).colour, sorted(table["kappa"].unique())).items():
            curve = of_distribution[of_distribution["kappa"] == kappa]
            ax.plot(curve["angle"], curve["value"], **(line_of(distribution) | style))
    ax.set(xlabel="angle θ from the mode in rad", ylabel="density per rad", xlim=(0.0, np.pi))
    figures.angle_ticks(ax)
    ax.set_ylim(0.0, TOP)


def draw_means(ax, means, crossing):
    """Mean angles against concentration, and where polar Laplace is worse than uniform noise."""
    low, high = means["kappa"].min(), means["kappa"].max()
    ax.axvspan(low, crossing, color=figures.REGION, zorder=0, linewidth=0)
    figures.reference_line(ax, np.pi / 2.0)
    figures.write_beside(ax, "uniform\nnoise", (high, np.pi / 2.0), (0, 2), ha="right")
    for (distribution, dim), curve in means.groupby(["distribution", "dim"], sort=False):
        colour, name = figures.look(distribution).colour, f"{figures.look(distribution).label}, n = {dim}"
        ax.plot(curve["kappa"], curve["value"], **line_of(distribution))
        at, point = MEANS[distribution, dim]
        leader = {"arrowstyle": "-", "color": colour, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 0}
        ax.annotate(name, point, at, color=figures.ink(colour), fontsize=figures.NOTE, arrowprops=leader)
    text = f"κ < {crossing:.4f}: polar Laplace\nis worse than uniform noise"
    figures.write_within(ax, text, (0.03, 0.03), color=figures.look("polar_laplace").colour)
    ax.set(xscale="log", xlim=(low, high), ylim=(0.0, 2.1), xlabel="concentration κ per rad")
    ax.set_ylabel("mean angle in radians")


if __name__ == "__main__":
    with figures.figure_job(snakemake) as (densities, means, crossing):
        figures.save(draw(densities, means, float(crossing["value"].iloc[0])), snakemake.output)
