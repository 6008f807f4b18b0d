"""Figures of privacy: loss against distance, where baselines break, what the published calibration costs."""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from study.core import figures
from study.core.populations import ONE_DIRECTION

SPACES = {"circle": "circle", "sphere": "sphere", "rotation": "rotations"}
PROMISES = ("per_radian", "pure")
TICKS = ([0.0, np.pi / 2.0, np.pi], ["0", "π/2", "π"])


def draw_losses(table, polar):
    """Loss against distance, a row for each promise and a column for each space; beside it, polar Laplace.

    Parameters
    ----------
    table, polar : pandas.DataFrame
        Of :func:`study.experiments.privacy.compute.losses` and ``polar_breaks`` there.

    Returns
    -------
    matplotlib.figure.Figure
    """
    names = [[f"{promise} {space}" for space in SPACES] + ["polar"] for promise in PROMISES]
    figure, axes = plt.subplot_mosaic(
        names, figsize=(12.5, 6.2), layout="constrained", width_ratios=[1, 1, 1, 0.95]
    )
    ends = {}
    for promise in PROMISES:
        for space, title in SPACES.items():
            ax = axes[f"{promise} {space}"]
            rows = table[(table["promise"] == promise) & (table["space"] == space)]
            ends[ax] = _profiles(ax, rows)
            ax.set_title(title if promise == PROMISES[0] else "")
            ax.set(
                xlabel="distance of the inputs in radians" if promise == PROMISES[1] else "", xlim=(0.0, 5.2)
            )
            ax.set_xticks(*TICKS)
            if space == "circle":
                epsilon = rows["epsilon"].iloc[0]
                what = f"ε·d, ε = {epsilon:g} per rad" if promise == "per_radian" else f"pure ε = {epsilon:g}"
                ax.set_ylabel(f"privacy loss; promised: {what}")
    draw_polar(axes["polar"], polar)
    figures.label_panels(list(ends), list(ends.values()))
    figures.headline(
        figure,
        "Largest privacy loss of two inputs against their distance; solid: as published, dashed: tight; "
        "grey: more than is promised",
    )
    return figure


def _profiles(ax, rows):
    """The curves of one panel; returns their labels."""
    finite = rows[np.isfinite(rows["loss"])]
    top = 1.12 * max(finite["loss"].max(), rows["promised"].max())
    first = rows.drop_duplicates("distance")
    ax.fill_between(first["distance"], first["promised"], top, color=figures.REGION, linewidth=0, zorder=0)
    ends = []
    for (mechanism, calibration), curve in finite.groupby(["mechanism", "calibration"], sort=False):
        alone = rows.loc[rows["mechanism"] == mechanism, "calibration"].nunique() == 1
        colour = figures.look(mechanism).colour
        line = "-" if alone else figures.LINES[calibration]
        ax.plot(curve["distance"], curve["loss"], color=colour, linestyle=line)
        last = curve.iloc[-1]
        label = figures.label_of(mechanism, calibration, alone)
        ends.append((last["distance"], last["loss"], label, colour))
    for mechanism in rows.loc[np.isinf(rows["loss"]), "mechanism"].unique():
        ax.annotate(
            f"{figures.look(mechanism).label}: infinite\nat every distance",
            (0.03, 0.97),
            xycoords="axes fraction",
            va="top",
            fontsize=8,
            color=figures.look(mechanism).colour,
        )
    ax.set_ylim(0.0, top)
    return ends


def draw_polar(ax, polar):
    """Share of polar Laplace's outputs at which it breaks its promise, against what it promises."""
    colour = figures.look("polar_laplace").colour
    shown = polar[polar["log10_share"] > -100.0].sort_values("epsilon")
    ax.plot(shown["epsilon"], shown["log10_share"], "o-", color=colour)
    for row in shown.itertuples():
        share = f"{100.0 * row.share:.2g} %" if row.share > 1e-3 else f"{row.share:.0e}"
        ax.annotate(
            share, (row.epsilon, row.log10_share), xytext=(5, 3), textcoords="offset points", fontsize=7.5,
            color=colour,
        )  # fmt: skip
    ax.set(xscale="log", xlabel="promised ε per rad, κ = ε", ylabel="log₁₀ of the share of outputs")
    ax.set_xlim(shown["epsilon"].min() / 1.6, 4.0 * shown["epsilon"].max())
    ax.set_title("Polar Laplace: share of outputs\nwhere its log-density is steeper than ε")
    beyond = polar[polar["log10_share"] <= -100.0]
    lines = [
        f"ε = {row.epsilon:.0f} per rad:\nabout $10^{{{row.log10_share:.0f}}}$" for row in beyond.itertuples()
    ]
    ax.annotate(
        "\n".join(["at the scale of a city,", *lines]) if lines else "",
        (0.05, 0.05),
        xycoords="axes fraction",
        fontsize=8,
        color=colour,
    )


def draw_costs(table, simulated):
    """Responses needed, on circle and sphere, and how many times more the published calibration needs.

    Parameters
    ----------
    table : pandas.DataFrame
        Of :func:`study.experiments.privacy.compute.costs`.
    simulated : pandas.DataFrame
        Collected table of experiment ``survey_size``, for points on the curves.

    Returns
    -------
    matplotlib.figure.Figure
    """
    figure, axes = plt.subplots(1, 3, figsize=(12.0, 3.7), layout="constrained")
    ends = []
    for ax, space in zip(axes, ("circle", "sphere"), strict=False):
        rows = table[(table["space"] == space) & np.isfinite(table["n"])]
        ends.append(_sizes(ax, rows))
        ax.set(xscale="log", yscale="log", xlabel="pure ε of a response")
        ax.set_title(f"mean direction on the {space}")
        _say_never(ax, table[table["space"] == space])
    _simulated(axes[0], simulated)
    axes[0].set_ylabel("responses needed")
    ends.append(_ratios(axes[2], table))
    for ax in axes:
        figures.room_for_labels(ax)
    figures.label_panels(axes, ends)
    figures.headline(
        figure,
        f"Responses for a mean absolute error of {table['error'].iloc[0]:g} rad; lines: law of large N, "
        "solid: as published, dashed: tight; points: found by simulation, bars: 95 % interval",
    )
    return figure


def _say_never(ax, rows):
    """At which levels no number of responses is enough."""
    never = rows[np.isinf(rows["n"])]
    for mechanism, of_one in never.groupby("mechanism", sort=False):
        levels = [
            f"{name} at ε ≤ {some['epsilon'].max():.2g}" for name, some in of_one.groupby("calibration")
        ]
        ax.annotate(
            f"{figures.look(mechanism).label} (diamonds): no number is enough\n"
            + ", ".join(levels),
            (0.98, 0.98), xycoords="axes fraction", fontsize=7.5, ha="right", va="top",
            color=figures.look(mechanism).colour,
        )  # fmt: skip


def _sizes(ax, rows):
    """Curves of the law of large N; returns their labels."""
    ends = []
    for (mechanism, calibration), curve in rows.groupby(["mechanism", "calibration"], sort=False):
        alone = bool((rows.loc[rows["mechanism"] == mechanism, "published_over_tight"] == 1.0).all())
        if alone and calibration == "published":
            continue
        colour = figures.look(mechanism).colour
        ax.plot(
            curve["epsilon"], curve["n"], color=colour, linestyle="-" if alone else figures.LINES[calibration]
        )
        last = curve.iloc[-1]
        ends.append((last["epsilon"], last["n"], figures.label_of(mechanism, calibration, alone), colour))
    return ends


def _simulated(ax, sizes):
    """Points of the experiment ``survey_size``, of everyone at one time."""
    found = sizes[(sizes["population"] == ONE_DIRECTION) & (sizes["status"] == "found")]
    for (mechanism, calibration), rows in found.groupby(["mechanism", "calibration"], sort=False):
        colour = figures.look(mechanism).colour
        ax.errorbar(
            rows["epsilon"],
            rows["value"],
            yerr=[rows["value"] - rows["low"], rows["high"] - rows["value"]],
            linestyle="none",
            marker=figures.look(mechanism).marker,
            markerfacecolor=colour if calibration == "published" else "white",
            color=colour,
            elinewidth=0.8,
            zorder=3,
        )


def _ratios(ax, table):
    """How many times more responses the published calibration needs; returns the curves' labels."""
    ends = []
    tight = table[(table["calibration"] == "tight") & np.isfinite(table["published_over_tight"])]
    for (space, mechanism), curve in tight.groupby(["space", "mechanism"], sort=False):
        if (curve["published_over_tight"] == 1.0).all():
            continue
        colour = figures.look(mechanism).colour
        ax.plot(
            curve["epsilon"], curve["published_over_tight"], color=colour,
            linestyle="-" if space == "circle" else (0, (1, 1)),
        )  # fmt: skip
        last = curve.iloc[-1]
        label = f"{figures.look(mechanism).label}, {space}"
        ends.append((last["epsilon"], last["published_over_tight"], label, colour))
    ax.axhline(1.0, color=figures.REFERENCE, linewidth=0.8)
    ax.annotate(
        "Pur: the same", (0.02, 1.0), xycoords=("axes fraction", "data"), xytext=(0, 2),
        textcoords="offset points", fontsize=7.5, color=figures.REFERENCE,
    )  # fmt: skip
    ax.set(xscale="log", xlabel="pure ε of a response", ylabel="responses, as published over tight")
    figures.plain_log_ticks(ax)
    ax.set_title("what the published calibration costs")
    return ends


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        loss, polar, cost, sizes = (pd.read_csv(path) for path in snakemake.input)
        figures.save(draw_losses(loss, polar), snakemake.output.losses)
        figures.save(draw_costs(cost, sizes), snakemake.output.costs)
