"""Figure of the benchmark on rotations: time per draw relative to a standard normal, against ε."""

import numpy as np
import pandas as pd

from study.core import figures

WHOLE = ("rotation_laplace", "rotation_bingham")
"""Of our samplers of whole rotations these are drawn; the product of SciPy's rotations makes all alike."""
PAPER = {  # marker, line
    "as printed": ("X", "-"),
    "as printed, rejection": ("v", (0, (4, 1.5))),
    "Haar rejection": ("P", (0, (1.5, 1.5))),
    "Kent et al.": ("s", "-"),
}


def draw(table):
    """Angles on the left, whole rotations and the versors of the paper's samplers on the right."""
    table = table[table["status"] == "timed"]
    figure, axes = figures.panels(2, 66.0, sharey=True)
    for ax, stages in zip(axes, (["angle"], ["versor", "rotation"]), strict=True):
        some = table[table["stage"].isin(stages) & (table["method"] != "floor")]
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
            ax.plot(curve["epsilon"], curve["ratio_to_floor"], label=name, **style)
        ax.set(xscale="log", yscale="log", xlabel="ε per radian of the rotation angle")
        ax.xaxis.set_minor_formatter("")
        figures.reference_line(ax, 1.0)
    axes[0].set(ylabel="time in standard normals", title="the angle")
    axes[1].set_title("the whole rotation")
    axes[0].set_ylim(0.7, 10.0 ** np.ceil(np.log10(table["ratio_to_floor"].max())))
    figures.with_headline(
        figure,
        "Time of one draw relative to a standard normal, measured in turn with it: the ratio of the least "
        "times over the rounds",
    )
    end = (table["epsilon"].max(), 1.0), "one standard normal", figures.REFERENCE
    return figures.label_panels(axes, [(ax, *end) for ax in axes])


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        figures.save(draw(pd.read_csv(snakemake.input[0])), snakemake.output)
