"""Figure of the benchmark: time per vector relative to the floor, and time of the angle alone.

Crosses at the top stand above the dimensions in which a method was too slow to be timed, at one κ or more.
"""

import numpy as np

from study import figures

METHODS = {  # marker, line
    "dirpriv": ("o", "-"),
    "dirpriv, compiled": ("o", (0, (4, 1.5))),
    "Algorithm 1": ("v", "-"),
    "SciPy, Ulrich-Wood": ("P", "-"),
    "Ulrich-Wood": ("D", "-"),
    "Kurz-Hanebeck": ("s", "-"),
    "Eq. 7 inverted": ("<", "-"),
    "SciPy's CDF inverted": (">", "-"),
    "explicit inverse": ("^", "-"),
}
HARD = 150  # [A] Section 3.4.2 quotes that Purkayastha is "numerically hard" beyond this dimension
DISTRIBUTIONS = {"purkayastha": "Purkayastha", "von_mises_fisher": "von Mises-Fisher"}


def draw_methods(ax, table, value):
    """Curves over the dimension, with a band over the concentrations."""
    for method, rows in table[table["method"].isin(METHODS)].groupby("method", sort=False):
        marker, line = METHODS[method]
        ours = method.startswith("dirpriv")
        colour = figures.look("purkayastha").colour if ours else figures.REFERENCE
        curve = rows.groupby("dim")[value].agg(middle="median", low="min", high="max").reset_index()
        ax.fill_between(curve["dim"], curve["low"], curve["high"], color=colour, alpha=0.2, linewidth=0)
        filled = colour if line == "-" else "white"
        style = {"marker": marker, "linestyle": line, "color": colour, "markerfacecolor": filled}
        ax.plot(curve["dim"], curve["middle"], label=method, **style)
        slow = rows.loc[rows["status"] != "timed", "dim"].unique()
        ax.plot(slow, np.full(len(slow), 0.98), "x", color=colour, transform=ax.get_xaxis_transform())
    ax.set(xscale="log", yscale="log", xlabel="dimension n")


def draw(table):
    """Four panels: vectors of either distribution relative to the floor, and their angles alone."""
    # one curve, although SciPy has samplers of their own for circle and sphere
    table = table.replace({"method": {"SciPy": "SciPy, Ulrich-Wood"}}).replace([np.inf], np.nan)
    figure, axes = figures.panels(4, 44.0)
    axes[1].sharey(axes[0])
    axes[3].sharey(axes[2])
    for ax, other, distribution in zip(axes[:2], axes[2:], DISTRIBUTIONS, strict=True):
        draw_methods(ax, figures.rows_with(table, distribution=distribution, stage="vector"), "ratio_to_floor")
        figures.reference_line(ax, 1.0)
        ax.set(title=f"{DISTRIBUTIONS[distribution]}, whole vector", ylabel="time over that of normals")
        draw_methods(other, figures.rows_with(table, distribution=distribution, stage="radial"), "value")
        other.set(title=f"{DISTRIBUTIONS[distribution]}, angle only", ylabel="nanoseconds per draw")
    for ax in (axes[0], axes[2]):
        ax.axvspan(min(HARD, table["dim"].max()), table["dim"].max(), color=figures.REGION, linewidth=0, zorder=0)
    legend = [figures.region_handle(f"quoted in paper A: hard beyond n = {HARD}")]
    ours = figures.rows_with(table, method="dirpriv", stage="vector")["ratio_to_floor"]
    text = f"Our samplers take {ours.min():.1f} to {ours.max():.1f} times as long as normals"
    return figures.with_headline(figure, text, axes, legend=legend)


if __name__ == "__main__":
    figures.one_figure(snakemake, draw)
