"""Figures of unit vectors of many coordinates: Algorithm 1 with quadrature, and errors at the same promise."""

import numpy as np
import pandas as pd

from study import figures

TITLES = {"pure": "pure ε = {:g}", "per_radian": "ε = {:g} per radian", "within": "level {:g} within {radius:g} rad"}
VALUES = {"mean_angle": "mean angle of one\nresponse, rad", "responses": "responses for a\nmean, error {:g} rad"}
CLOSED = figures.RING | {"color": figures.REFERENCE}
NEVER = {"color": "black", "linestyle": ":", "linewidth": 1.0}


def draw_algorithm_1(table):
    """Mean cosine and share never drawn against ε, a column for each length of the vectors."""
    dims = sorted(set(table["dim"]))
    figure, axes = figures.grid(2, len(dims), 36.0, sharex=True, sharey="row")
    for (cosines, shares), dim in zip(axes.T, dims, strict=True):
        rows = figures.rows_with(table, dim=dim).sort_values("epsilon")
        drawn = figures.rows_with(rows, method="quadrature")
        closed = figures.rows_with(rows, method="closed form")
        cosines.plot(drawn["epsilon"], drawn["expected"], color=figures.REFERENCE)
        cosines.plot(closed["epsilon"], closed["mean_cosine"], **CLOSED)
        cosines.plot(drawn["epsilon"], drawn["mean_cosine"], **figures.FAILURE)
        shares.plot(drawn["epsilon"], 100.0 * drawn["total_variation"], color="black", linestyle="-", marker="X")
        shares.plot(drawn["epsilon"], 100.0 * drawn["never_drawn_14"], **NEVER, marker="v", markersize=3.0)
        zero = drawn.loc[drawn["status"] != "drawn", "epsilon"]
        for ax in (cosines, shares):
            if len(zero):
                ax.axvspan(zero.min() - 25.0, zero.max() + 25.0, color=figures.REGION, linewidth=0)
    labels = ("mean cosine", "% of the draws or\nof the distribution")
    figures.label_grid(axes, [f"n = {dim}" for dim in dims], "privacy level ε per radian", labels)
    handles = [
        figures.handle("exact distribution", color=figures.REFERENCE),
        figures.handle("closed form of the paper", **CLOSED),
        figures.handle("general-purpose quadrature", **figures.FAILURE),
        figures.handle("distance from the exact one, at least", color="black", marker="X"),
        figures.handle("never drawn", **NEVER, marker="v", markersize=3.0),
        figures.handle("the integral is 0", color=figures.REGION, linewidth=6.0),
    ]
    figures.add_legend(figure, handles, ncols=3)
    off = figures.rows_with(table, method="quadrature").dropna(subset="mean_cosine")
    worst = off.loc[(off["mean_cosine"] - off["expected"]).abs().idxmax()]
    text = f"Algorithm 1 with general quadrature: mean cosine {worst['mean_cosine']:.2f} in place of"
    text = f"{text} {worst['expected']:.2f} at n = {worst['dim']:.0f}, ε = {worst['epsilon']:g}"
    return figures.with_headline(figure, text.replace("-", "−"))


def draw_errors(table, settings, error):
    """Errors of one response and of a mean against the length of the vectors, a column for each promise."""
    promises, dims = list(dict.fromkeys(table["promise"])), sorted(set(table["dim"]))
    levels = [settings[promise][-1] for promise in promises]
    figure, axes = figures.grid(2, len(promises), 40.0, sharex=True, sharey="row")
    names = list(dict.fromkeys(table["mechanism"]))
    for row, value in zip(axes, VALUES, strict=True):
        for ax, promise, level in zip(row, promises, levels, strict=True):
            rows = figures.rows_with(table, promise=promise, level=level)
            for place, name in enumerate(names):
                of_name, look = figures.rows_with(rows, mechanism=name), figures.look(name)
                x = np.searchsorted(dims, of_name["dim"]) + 0.15 * (place - (len(names) - 1) / 2.0)
                ax.plot(x, of_name[value], linestyle="", color=look.colour, marker=look.marker, markersize=4.0)
            without = rows.loc[rows["status"] == "none", "mechanism"].unique()
            if len(without) and value == "responses":
                text = "\n".join(f"{figures.look(name).label}: none" for name in without)
                figures.write_within(ax, text, (0.97, 0.06))
            ax.set_xticks(range(len(dims)), dims)
    axes[1, 0].set_yscale("log")
    titles = [TITLES[p].format(level, **settings) for p, level in zip(promises, levels, strict=True)]
    labels = [label.format(error) for label in VALUES.values()]
    figures.label_grid(axes, titles, "length n of the vectors", labels)
    looks = [figures.look(name) for name in names]
    handles = [figures.handle(look.label, color=look.colour, marker=look.marker, linestyle="") for look in looks]
    figures.add_legend(figure, handles, ncols=5)
    dim = dims[-2:][0]
    at = figures.rows_with(table, promise="pure", level=settings["pure"][-1], dim=dim).set_index("mechanism")
    ratio = at.loc["von_mises_fisher", "responses"] / at.loc["cap", "responses"]
    text = f"At pure ε = {settings['pure'][-1]:g} and n = {dim}, von Mises–Fisher needs {ratio:.0f} times"
    return figures.with_headline(figure, f"{text} the responses of a cap")


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        algorithm, errors = (pd.read_csv(path) for path in (snakemake.input.algorithm, snakemake.input.errors))
        figures.save(draw_algorithm_1(algorithm), snakemake.output.algorithm)
        figures.save(draw_errors(errors, snakemake.params.settings, snakemake.params.error), snakemake.output.errors)
