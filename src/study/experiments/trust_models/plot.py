"""People that a mean direction needs against the level, a panel for each trust model."""

import numpy as np
import pandas as pd

from study import figures

TITLES = {
    "local": "local: noise on each report",
    "shuffled": "shuffled: trusted shuffler",
    "central": "central: noise on the sum",
    "within": "within a radius: the noise of a release",
}
WITHIN = {"local_within": ("local", "solid"), "shuffled_within": ("shuffled", "dashed")}
ROWS = {
    "cap": "cap",
    "cardioid": "cardioid",
    "von Mises-Fisher": "von_mises_fisher",
    "Purkayastha": "purkayastha",
    "wrapped Laplace": "wrapped_laplace",
    "Gaussian on the sum": "gaussian_sum",
    "Laplace on the sum": "vector_laplace",
}


def draw(table):
    """Numbers of people by the planner; tight calibrations are dashed, published ones full."""
    trusts = [trust for trust in dict.fromkeys(table["trust"]) if trust not in WITHIN]
    figure, axes = figures.panels(len(trusts) + 1, 40.0, sharex=True, sharey=True)
    for trust, (label, line) in WITHIN.items():
        look, curve = figures.look("purkayastha"), table[table["trust"] == trust]
        filled = "white" if line == "dashed" else look.colour
        axes[-1].plot(
            curve["epsilon"], curve["people"], color=look.colour, marker=look.marker, label=label,
            linestyle=line, markerfacecolor=filled,
        )  # fmt: skip
    for ax, trust in zip(axes, [*trusts, "within"], strict=True):
        rows = table[(table["trust"] == trust) & np.isfinite(table["people"])]
        for (mechanism, calibration), curve in rows.groupby(["mechanism", "calibration"], sort=False):
            if mechanism not in ROWS:
                continue
            look, alone = figures.look(ROWS[mechanism]), calibration == "tight"
            label = look.label if alone else f"{look.label}, published"
            filled = "white" if alone else look.colour
            ax.plot(
                curve["epsilon"], curve["people"], color=look.colour, marker=look.marker, label=label,
                linestyle=figures.LINES[calibration], markerfacecolor=filled,
            )  # fmt: skip
        ax.set(yscale="log", ylabel="people")
        ax.set_title(TITLES[trust])
        figures.plain_log_ticks(ax, "x")
    axes[-1].set_xlabel("level ε of each person")
    axes[0].set_ylim(3.0, 1e6)
    epsilon = figures.nearest(table["epsilon"], 1.0)
    least = figures.rows_with(table, epsilon=epsilon).groupby("trust")["people"].min()[trusts]
    counts = ", ".join(f"{trust} {people:,.0f}" for trust, people in least.items())
    figures.with_headline(figure, f"People needed at ε = {epsilon:g}: {counts}")
    return figures.label_panels(axes)


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        figures.save(draw(pd.read_csv(snakemake.input[0])), snakemake.output)
