"""Figure of the benchmark on rotations: time per draw relative to a standard normal, against ε."""

import numpy as np
import pandas as pd

from study import figures

WHOLE = ("rotation_laplace", "rotation_bingham")
"""Of our samplers of whole rotations these are drawn; the product of SciPy's rotations makes all alike."""
REJECTIONS = ("as printed, rejection", "Haar rejection")
PANELS = {
    "the angle": ["angle"],
    "the angle, by rejection": ["angle"],
    "the whole rotation": ["versor", "rotation"],
}
"""Titles of the panels, and the stages in them."""
PAPER = {  # marker, line
    "as printed": ("X", "-"),
    "as printed, rejection": ("v", (0, (4, 1.5))),
    "Haar rejection": ("P", (0, (1.5, 1.5))),
    "Kent et al.": ("s", "-"),
}


def draw(table):
    """Angles, angles by rejection, and whole rotations with the versors of the paper's samplers.

    The values of ε are evenly spaced, as most are near the thresholds of the samplers.
    """
    epsilons = np.unique(table["epsilon"])
    table = table[table["status"] == "timed"].assign(value=table["ratio_to_floor"])
    table = table.assign(low=table["ratio_low"], high=table["ratio_high"])
    table = table.assign(place=np.searchsorted(epsilons, table["epsilon"]))
    figure, axes = figures.panels(len(PANELS), 54.0)
    for ax, (title, stages) in zip(axes, PANELS.items(), strict=True):
        rejections = table["method"].isin(REJECTIONS) == title.endswith("rejection")
        some = table[table["stage"].isin(stages) & rejections & (table["method"] != "floor")]
        for (method, stage), curve in some.groupby(["method", "stage"], sort=False):
            curve = curve.sort_values("epsilon")
            ours = method not in PAPER
            if ours and stage == "rotation" and method not in WHOLE:
                continue
            colour = figures.look(method if ours else "printed").colour
            marker, line = (figures.look(method).marker, "-") if ours else PAPER[method]
            filled = "white" if stage == "versor" else colour
            name = figures.look(method).label if ours else method
            name = f"{name}, versor" if stage == "versor" else name
            style = {"marker": marker, "linestyle": line, "color": colour, "markerfacecolor": filled}
            figures.draw_intervals(ax, curve, "place", **style, label=name, capsize=1.2, elinewidth=0.6)
        ax.set(yscale="log", title=title, ylabel="time in standard normals")
        ax.set_xticks(range(len(epsilons)), [f"{epsilon:g}" for epsilon in epsilons], rotation=90)
        figures.reference_line(ax, 1.0)
        figures.plain_log_ticks(ax, between=() if title.endswith("rejection") else (2, 5))
    axes[-1].set_xlabel("ε per radian of the rotation angle")
    figures.with_headline(
        figure,
        "Time of one draw relative to a standard normal, measured in turn with it: the ratio of the least "
        "times over the rounds; bars: least and greatest ratio of a round",
    )
    end = (len(epsilons) - 1, 1.0), "one standard normal", figures.REFERENCE
    return figures.label_panels(axes, [(ax, *end) for ax in axes])


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        figures.save(draw(pd.read_csv(snakemake.input[0])), snakemake.output)
