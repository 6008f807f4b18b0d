"""Figure 2 of paper A: angular densities on circle and sphere, and mean angles."""

import numpy as np
import pandas as pd
import seaborn

from study.core import figures

TITLES = {2: "(a) circle, n = 2", 3: "(b) sphere, n = 3"}
DASHED = (0, (4, 1.5))
MEANS = {
    ("purkayastha", 2): (0.2, 0.94),
    ("purkayastha", 3): (3.2, 1.18),
    ("wrapped_laplace", 2): (0.03, 1.4),
    ("polar_laplace", 3): (0.12, 1.85),
}
"""Positions of the names of the curves of mean angles."""


def draw(densities, means, crossing):
    """The three panels; below the concentration ``crossing`` polar Laplace is worse than uniform noise."""
    figure, axes = figures.panels(3, width=3.6, height=3.2)
    for ax, (dim, title) in zip(axes[:2], TITLES.items(), strict=True):
        draw_densities(ax, densities[densities["dim"] == dim])
        ax.set_title(title)
    draw_means(axes[2], means, crossing)
    axes[2].set_title("(c) mean angle: larger for the baselines")
    return figure


def draw_densities(ax, table):
    """Solid: Purkayastha; dashed: the baseline; a stronger colour means a higher concentration."""
    kappas = sorted(table["kappa"].unique())
    handles = []
    for law, of_law in table.groupby("law", sort=False):
        line = "-" if law == "purkayastha" else DASHED
        tints = seaborn.light_palette(figures.look(law).colour, n_colors=len(kappas) + 2)[2:]
        for tint, kappa in zip(tints, kappas, strict=True):
            curve = of_law[of_law["kappa"] == kappa]
            ax.plot(curve["angle"], curve["value"], color=tint, linestyle=line)
            label = f"{figures.look(law).label}, κ = {kappa:g}"
            handles.append(figures.handle(label, color=tint, linestyle=line))
    ax.legend(handles=handles, frameon=False, ncols=1, loc="upper right", fontsize=7, handlelength=2.4)
    ax.set(xlabel="angle θ from the mode in rad", ylabel="density per rad", xlim=(0.0, np.pi))
    figures.angle_ticks(ax)
    ax.set_ylim(bottom=0.0)


def draw_means(ax, means, crossing):
    """Mean angles against concentration, and where polar Laplace is worse than uniform noise."""
    low, high = means["kappa"].min(), means["kappa"].max()
    ax.axvspan(low, crossing, color=figures.REGION, zorder=0, linewidth=0)
    figures.reference_line(ax, np.pi / 2.0, "uniform noise")
    for (law, dim), curve in means.groupby(["law", "dim"], sort=False):
        colour = figures.look(law).colour
        line = "-" if law == "purkayastha" else DASHED
        ax.plot(curve["kappa"], curve["value"], color=colour, linestyle=line)
        name = f"{figures.look(law).label}, n = {dim}"
        ax.annotate(name, MEANS[law, dim], color=colour, fontsize=8, ha="center")
    text, polar = f"polar Laplace is worse\nthan uniform: κ < {crossing:.4f}", figures.look("polar_laplace")
    figures.write_within(ax, text, (0.03, 0.05), color=polar.colour, fontsize=8)
    ax.set(xscale="log", xlim=(low, high), ylim=(0.0, 2.1), xlabel="concentration κ per rad")
    ax.set_ylabel("mean angle in radians")


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        densities, means = (pd.read_csv(snakemake.input[name]) for name in ("densities", "means"))
        crossing = float(pd.read_csv(snakemake.input.crossing)["value"].iloc[0])
        figures.save(draw(densities, means, crossing), snakemake.output)
