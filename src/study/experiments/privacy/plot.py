"""Figures of privacy: loss against distance, where baselines fail, the cost of the published calibration."""

import matplotlib.pyplot as plt
import numpy as np

from study import figures

SPACES = {"circle": "circle", "sphere": "sphere", "rotation": "rotations"}
PROMISES = {"per_radian": "ε·d, ε = {:g} per rad", "pure": "pure ε = {:g}"}


def draw_losses(table, polar):
    """Loss against distance, a row for each space and a column for each promise; below, polar Laplace."""
    names = [[f"{promise} {space}" for promise in PROMISES] for space in SPACES]
    figure, axes = plt.subplot_mosaic(
        [*names, ["polar", "polar"]], figsize=(figures.PAGE * figures.MILLIMETRE, 7.1), layout="constrained"
    )
    for space, row in zip(SPACES, names, strict=True):
        for name, (promise, text) in zip(row, PROMISES.items(), strict=True):
            ax, rows = axes[name], figures.rows_with(table, promise=promise, space=space)
            _profiles(ax, rows)
            ax.set(xlim=(0.0, np.pi), xlabel="distance of the inputs in radians", ylabel="privacy loss (nat)")
            figures.angle_ticks(ax)
            ax.set_title(f"{SPACES[space]}; level: {text.format(rows['epsilon'].iloc[0])}")
    draw_polar(axes["polar"], polar)
    broken = table.loc[table["loss"] > (1.0 + 1e-9) * table["promised"], "mechanism"].unique()
    which = ", ".join(figures.look(name).label for name in broken) or "none"
    text = f"With the κ of the others, these exceed the level: {which}"
    return figures.with_headline(figure, text, [axes[name] for row in names for name in row])


def _profiles(ax, rows):
    """The curves of one panel."""
    finite = rows[np.isfinite(rows["loss"])]
    top = 1.12 * max(finite["loss"].max(), rows["promised"].max())
    first = rows.drop_duplicates("distance")
    ax.fill_between(first["distance"], first["promised"], top, color=figures.REGION, linewidth=0, zorder=0)
    for (mechanism, calibration), curve in finite.groupby(["mechanism", "calibration"], sort=False):
        alone = figures.rows_with(rows, mechanism=mechanism)["calibration"].nunique() == 1
        # markers apart from those of other curves, which may lie on this one
        marks = {"marker": figures.look(mechanism).marker, "markevery": (0.1 + 0.06 * len(ax.lines), 0.4)}
        if calibration == "tight" and not alone:
            marks["markerfacecolor"] = "white"
        _curve(ax, curve, "distance", "loss", mechanism, calibration, alone, **marks)
    for mechanism in rows.loc[np.isinf(rows["loss"]), "mechanism"].unique():
        look = figures.look(mechanism)
        text = f"{look.label}:\ninfinite at\nevery distance"
        figures.write_within(ax, text, (0.03, 0.97), color=look.colour)
    ax.set_ylim(0.0, top)


def _curve(ax, curve, x, y, mechanism, calibration, alone, **marks):
    """A curve of a mechanism, ``alone`` if it has one calibration only."""
    line = "-" if alone else figures.LINES[calibration]
    label, colour = figures.label_of(mechanism, calibration, alone), figures.look(mechanism).colour
    ax.plot(curve[x], curve[y], color=colour, linestyle=line, label=label, **marks)


def draw_polar(ax, polar):
    """Share of polar Laplace's outputs at which it breaks its promise, against what it promises."""
    colour = figures.look("polar_laplace").colour
    shown = polar[polar["log10_share"] > -100.0].sort_values("epsilon")
    ax.plot(shown["epsilon"], shown["log10_share"], "o-", color=colour)
    for row in shown.itertuples():
        share = f"{100.0 * row.share:.2g} %" if row.share > 1e-3 else f"{row.share:.0e}"
        figures.write_beside(ax, share, (row.epsilon, row.log10_share), (4, 2), color=colour)
    ax.set(xscale="log", xlabel="promised ε per rad, κ = ε", ylabel="log₁₀ of the share of outputs")
    ax.set_xlim(shown["epsilon"].min() / 1.6, 4.0 * shown["epsilon"].max())
    ax.margins(y=0.2)
    ax.set_title("Polar Laplace: outputs where its log-density is steeper than ε")
    beyond = polar[polar["log10_share"] <= -100.0]
    lines = ["at the scale of a city,"] * bool(len(beyond))
    lines += [f"ε = {row.epsilon:.0f} per rad:\nabout $10^{{{row.log10_share:.0f}}}$" for row in beyond.itertuples()]
    figures.write_within(ax, "\n".join(lines), (0.05, 0.05), color=colour)


def draw_costs(table):
    """Responses needed on the sphere, and how many times more the published calibration needs."""
    figure, axes = figures.panels(2, 48.0)
    sizes, ratios = axes
    rows = figures.rows_with(table[np.isfinite(table["n"])], space="sphere")
    for (mechanism, calibration), curve in rows.groupby(["mechanism", "calibration"], sort=False):
        alone = (figures.rows_with(rows, mechanism=mechanism)["published_over_tight"] == 1.0).all()
        if not alone or calibration != "published":
            _curve(sizes, curve, "epsilon", "n", mechanism, calibration, alone)
    sizes.set(yscale="log", title="mean direction on the sphere", ylabel="responses needed")
    tight = table[(table["calibration"] == "tight") & np.isfinite(table["published_over_tight"])]
    for (space, mechanism), curve in tight.groupby(["space", "mechanism"], sort=False):
        if (curve["published_over_tight"] != 1.0).any():
            look = figures.look(mechanism)
            style = {"color": look.colour, "linestyle": "-" if space == "circle" else (0, (1, 1))}
            label = f"{look.label}, {space}"
            ratios.plot(curve["epsilon"], curve["published_over_tight"], label=label, **style)
    figures.reference_line(ratios, 1.0)
    ratios.set(title="ratio of the responses needed", ylabel="published over tight")
    figures.plain_log_ticks(ratios)
    for ax in axes:
        ax.set_xlabel("pure ε of a response")
        figures.plain_log_ticks(ax, "x")
    epsilon = figures.nearest(table["epsilon"], 1.0)
    lowest = tight["epsilon"].min()
    most = tight.groupby("epsilon")["published_over_tight"].max()
    ends = f"{most[epsilon]:.1f} (ε = {epsilon:.2g}) to {most[lowest]:.0f} (ε = {lowest:.2g})"
    end = (table["epsilon"].max(), 1.0), "Purkayastha: the same", figures.REFERENCE
    return figures.with_headline(figure, f"Published needs {ends} times as many", axes, [(ratios, *end)])


if __name__ == "__main__":
    with figures.figure_job(snakemake) as (loss, polar, cost):
        figures.save(draw_losses(loss, polar), snakemake.output.losses)
        figures.save(draw_costs(cost), snakemake.output.costs)
