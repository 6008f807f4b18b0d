"""Figure 11 of paper A: angular CDFs, by formula and by numerical integration."""

import itertools

import matplotlib
import numpy as np

from study import figures
from study.simulation.method_differences import largest, panel_dimensions

DOT = {"linestyle": "", "marker": ".", "markersize": 3.0, "markevery": (0, 4)}
CROSS = {"linestyle": "", "marker": "x", "markersize": 3.0, "markeredgewidth": 0.5, "markevery": (2, 4)}
DASHES = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (5, 1.5, 1, 1.5)))
"""Of the concentrations in turn: neighbours differ in more than their colours."""


def draw(table, differences):
    """Rows for distributions, columns for dimensions."""
    distributions, kappas, dimensions = table["distribution"].unique(), table["kappa"].unique(), panel_dimensions(table)
    figure, axes = figures.grid(len(distributions), len(dimensions), 38.0, sharex=True, sharey=True)
    steps = np.linspace(0.0, 1.0, len(kappas) + 3)[1:-2]  # without the palest, which cannot be seen on white
    colours = matplotlib.colormaps["viridis"](steps)
    lines = {
        kappa: {"color": colour, "linestyle": line, "linewidth": 0.8}
        for kappa, colour, line in zip(kappas, colours, itertools.cycle(DASHES))
    }
    for ax, distribution, dim in figures.cells(axes, distributions, dimensions):
        for kappa, curve in figures.rows_with(table, distribution=distribution, dim=dim).groupby("kappa", sort=False):
            curve = curve.sort_values("angle")
            line = lines[kappa]
            for column, style in {"cdf": line, "numerical": line | DOT, "published": line | CROSS}.items():
                ax.plot(curve["angle"], curve[column], **style)
        figures.angle_ticks(ax)
    y_labels = [f"{figures.look(distribution).label}\nP[angle ≤ ϑ]" for distribution in distributions]
    figures.label_grid(axes, [f"n = {dim}" for dim in dimensions], "angle ϑ in rad", y_labels)
    handles = [figures.handle(f"distribution, κ = {kappa:g}", **line) for kappa, line in lines.items()]
    styles = {"integral": DOT, "Eq. 14, Eq. 7": CROSS}
    handles += [figures.handle(name, **({"color": "0.2"} | style)) for name, style in styles.items()]
    text = message(differences[differences["dim"].isin(dimensions)])
    return figures.with_headline(figure, text, legend=handles, ncols=5)


def message(differences):
    """How far formulas are from integrals."""
    apart = largest(differences, "value", "numerical", "published")
    return f"The paper's formulas in doubles and numerical integrals differ by at most {apart:.0e}"


if __name__ == "__main__":
    figures.one_figure(snakemake, draw)
