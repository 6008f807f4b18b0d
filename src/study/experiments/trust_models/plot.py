"""People that a mean direction needs, and the error of a histogram, against the level under trust models."""

import numpy as np

from study import figures

TITLES = {
    "local": "local: noise on each report",
    "shuffled": "shuffled: trusted shuffler",
    "central": "central: noise on the sum",
    "within": "within a radius: a release",
    "histogram": "histogram of {people:,} people",
}
# where both end alike, the label of the second stands above
WITHIN = {"shuffled_within": ("shuffled", "dashed"), "local_within": ("local", "solid")}
COUNTS = {
    "local": ("purkayastha", "solid"),
    "shuffled": ("purkayastha", "dashed"),
    "central": ("vector_laplace", "dashed"),
}
ROWS = {
    "cap": "cap",
    "cardioid": "cardioid",
    "von Mises-Fisher": "von_mises_fisher",
    "Purkayastha": "purkayastha",
    "wrapped Laplace": "wrapped_laplace",
    "Gaussian on the sum": "gaussian_sum",
    "Laplace on the sum": "vector_laplace",
}


def draw(table, histograms):
    """Numbers of people by the planner; tight calibrations are dashed, published ones full."""
    trusts = [trust for trust in dict.fromkeys(table["trust"]) if trust not in WITHIN]
    figure, axes = figures.panels(len(trusts) + 2, 40.0, sharex=True)
    *of_trusts, within, counts = axes
    for trust, (label, line) in WITHIN.items():
        curve = table[table["trust"] == trust]
        draw_curve(within, curve["epsilon"], curve["people"], "purkayastha", line, label)
    for ax, trust in zip(of_trusts, trusts, strict=True):
        rows = table[(table["trust"] == trust) & np.isfinite(table["people"])]
        for (mechanism, calibration), curve in rows.groupby(["mechanism", "calibration"], sort=False):
            if mechanism not in ROWS:
                continue
            line, label = figures.LINES[calibration], figures.look(ROWS[mechanism]).label
            label = label if calibration == "tight" else f"{label}, published"
            draw_curve(ax, curve["epsilon"], curve["people"], ROWS[mechanism], line, label)
    for trust, (mechanism, line) in COUNTS.items():
        curve = histograms[histograms["trust"] == trust]
        draw_curve(counts, curve["epsilon"], curve["value"], mechanism, line, trust)
        colour = figures.look(mechanism).colour
        counts.vlines(curve["epsilon"], curve["low"], curve["high"], color=colour, linewidth=1.0)
    for ax, title in zip(axes, [*trusts, "within", "histogram"], strict=True):
        ax.set(yscale="log", ylabel="people", ylim=(3.0, 1e6))
        ax.set_title(TITLES[title].format(people=histograms["people"].iloc[0]))
        figures.plain_log_ticks(ax, "x")
    counts.set(ylabel="total variation", ylim=(1e-4, 1.0))
    axes[-1].set_xlabel("level ε of each person")
    epsilon = figures.nearest(table["epsilon"], 1.0)
    least = figures.rows_with(table, epsilon=epsilon).groupby("trust")["people"].min()[trusts]
    numbers = ", ".join(f"{trust} {people:,.0f}" for trust, people in least.items())
    return figures.with_headline(figure, f"People needed at ε = {epsilon:g}: {numbers}", axes)


def draw_curve(ax, x, y, mechanism, line, label):
    """A curve with the colour and the marker of a mechanism; the markers of dashed lines are white."""
    look = figures.look(mechanism)
    filled = look.colour if line in ("solid", "-") else "white"
    ax.plot(x, y, color=look.colour, marker=look.marker, label=label, linestyle=line, markerfacecolor=filled)


if __name__ == "__main__":
    figures.one_figure(snakemake, draw)
