"""Figure 11 of paper A: angular CDFs, in closed form and by numerical integration."""

import pandas as pd
import seaborn

from study.core import figures

CIRCLE = {
    "linestyle": "", "marker": "o", "markersize": 5.5,
    "markerfacecolor": "none", "markeredgecolor": figures.FAILURE,
}  # fmt: skip


def draw(table, tolerance):
    """A row of panels for each law, a column for each dimension, a colour for each concentration.

    Where the paper's form differs by more than ``tolerance``, or is not finite, it is marked.
    """
    laws, dimensions, kappas = (table[column].unique() for column in ("law", "dim", "kappa"))
    figure, axes = figures.grid(len(laws), len(dimensions), sharex=True, sharey=True)
    colours = dict(zip(kappas, seaborn.color_palette("viridis", len(kappas)), strict=True))
    for ax, law, dim in figures.cells(axes, laws, dimensions):
        for kappa, curve in figures.rows_with(table, law=law, dim=dim).groupby("kappa", sort=False):
            curve, colour = curve.sort_values("angle"), colours[kappa]
            ax.plot(curve["angle"], curve["numerical"], ":", color=colour)
            ax.plot(curve["angle"], curve["cdf"], "x", color=colour, markersize=3.0, markeredgewidth=0.7)
            off = curve[~((curve["published"] - curve["cdf"]).abs() <= tolerance)]
            ax.plot(off["angle"], off["cdf"], **CIRCLE, markeredgewidth=0.7)
        ax.set_title(f"{figures.look(law).label}, n = {dim}")
        figures.angle_ticks(ax)
    figures.label_grid(axes, x_label="ϑ in rad", y_labels=["P[angle ≤ ϑ]"] * len(laws))
    handles = [figures.handle(f"κ = {kappa:g}", color=colours[kappa], linestyle=":") for kappa in kappas]
    handles.append(figures.handle("ours", linestyle="", marker="x", color="0.2", markersize=4))
    handles.append(figures.handle("paper's form fails", **CIRCLE))
    figures.add_legend(figure, handles, title="dotted: numerical\nintegration", title_fontsize=8)
    return figures.with_headline(
        figure,
        "Angular CDFs; circles: the paper's closed form (Eq. 14, Eq. 7) in double precision is not finite, "
        f"or off by more than {tolerance:g}",
    )


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        figures.save(draw(pd.read_csv(snakemake.input[0]), snakemake.params.tolerance), snakemake.output)
