"""Figure of the benchmark on rotations: time of an angle, and the paper's samplers against each other."""

import numpy as np

from study import figures

SHOWN = (0.03, 300.0)  # values of ε; beyond them times stay as they are at the ends
THRESHOLD = 3.5  # [B] Section 3.3: the ε at which its sampler of Laplace noise changes to the gamma distribution
PRINTED = ((0.0, THRESHOLD, 2.0, 3.0), (THRESHOLD, np.inf, 1.0, 100.0))
"""Ranges of ε in Section 3.4 of paper B, and of the factor there: 2 to 3, and up to two orders of magnitude."""
PAPER = {  # marker, line
    "as printed": ("X", "-"),
    "as printed, rejection": ("v", (0, (4, 1.5))),
    "Haar rejection": ("P", (0, (1.5, 1.5))),
}
PROGRAMS = {
    "one draw": ("one draw a call", "D", "black"),
    "one draw, constants once": ("constants once", "D", "white"),
    "versor": ("arrays", "s", "white"),
    "rotation": ("SciPy rotations", "s", "black"),
}


def draw(table):
    """Angles: ours as a band over the distributions, the paper's as curves; below, its Bingham over its Laplace."""
    table = table[(table["status"] == "timed") & (table["method"] != "floor")]
    table = table.assign(value=table["ratio_to_floor"], low=table["ratio_low"], high=table["ratio_high"])
    shown = table["epsilon"].between(*SHOWN)
    some = table[shown] if shown.any() else table
    figure, axes = figures.panels(2, 56.0)
    upper, lower = axes
    draw_angles(upper, figures.rows_with(some, stage="angle"))
    draw_ratios(lower, some)
    for ax in axes:
        ax.axvline(THRESHOLD, color=figures.REFERENCE, linewidth=0.7, linestyle=(0, (4, 2)), zorder=1)
        figures.reference_line(ax, 1.0)
        figures.plain_log_ticks(ax, "x", between=())
    lower.set_xlabel("ε per radian of the rotation angle")
    legend = [figures.region_handle("printed in paper B: 2 to 3, then up to 100")]
    end = (some["epsilon"].max(), 1.0), "one standard normal", figures.REFERENCE
    return figures.with_headline(figure, message(table), axes, [(upper, *end)], legend)


def draw_angles(ax, table):
    """Times of the angle alone."""
    colour, band = figures.look("rotation_laplace").colour, ours(table)
    ax.fill_between(band.index, band["min"], band["max"], color=colour, alpha=0.3, linewidth=0)
    ax.plot(band.index, band["median"], color=colour, label="ours, all distributions")
    for method, (marker, line) in PAPER.items():
        style = {"marker": marker, "linestyle": line, "color": figures.look("printed").colour}
        curve = figures.rows_with(table, method=method)
        figures.draw_intervals(ax, curve, "epsilon", **style, label=method, capsize=1.2, elinewidth=0.6)
    ax.set(title="angle of the noise", ylabel="time in standard normals")
    figures.plain_log_ticks(ax, between=())


def draw_ratios(ax, table):
    """The sampler of Kent et al. over that of Laplace as printed, by program, and what the paper says of them."""
    look, ends = figures.look("printed"), (table["epsilon"].min(), table["epsilon"].max())
    for stage, (label, marker, filled) in PROGRAMS.items():
        rows = figures.rows_with(table, stage=stage).pivot(index="epsilon", columns="method", values="value")
        ratio = rows["Kent et al."] / rows["as printed"]
        ax.plot(ratio.index, ratio, marker=marker, color=look.colour, markerfacecolor=filled, label=label)
    for first, last, low, high in PRINTED:
        ax.fill_between(np.clip((first, last), *ends), low, high, color=figures.REGION, linewidth=0, zorder=0)
    ax.set(title="paper B: Bingham over Laplace", ylabel="times as long")
    figures.plain_log_ticks(ax)


def ours(table):
    """By ε the least, middle and greatest time of an angle by our samplers."""
    return table[~table["method"].isin(PAPER)].groupby("epsilon")["value"].agg(["min", "median", "max"])


def message(table):
    """The dearest angle by our samplers and by the paper's rejection."""
    angles = figures.rows_with(table, stage="angle")
    printed = angles[angles["method"].str.contains("rejection")]["value"].max()
    most = ours(angles)["max"].max()
    return f"Our angles take up to {most:,.0f} normals, rejection up to {printed:,.0f}"


if __name__ == "__main__":
    figures.one_figure(snakemake, draw)
