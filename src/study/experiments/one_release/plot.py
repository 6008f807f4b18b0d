"""One file of times, in four panels: true, its reports, the estimate from them, and counts of all true times."""

import numpy as np

from study import figures

TRUE, LOCAL, CENTRAL = "0.8", "#0072b2", "#12a87a"
PANELS = {
    "true": "true times: not published",
    "reports": "local: noise on each time",
    "estimate": "local: estimate, blurred",
    "central": "central: noise on the counts",
}
COLOURS = {"reports": LOCAL, "central": CENTRAL}


def draw(table):
    """Shares of people; the true ones are grey in each panel, in that of the estimate through its blur."""
    figure, axes = figures.grid(1, len(PANELS), 43.0, sharex=True, sharey=True)
    middle, edges = table["hour"], np.linspace(0.0, 24.0, len(table) + 1)
    for ax, name in zip(axes[0], PANELS, strict=True):
        if name == "estimate":
            ax.fill_between(middle, 100.0 * table["blurred"], color=TRUE, linewidth=0)
            ax.fill_between(middle, 100.0 * table["low"], 100.0 * table["high"], color=LOCAL, alpha=0.3, linewidth=0)
            ax.plot(middle, 100.0 * table["estimate"], color=LOCAL)
        else:
            ax.stairs(100.0 * table["true"], edges, fill=True, color=TRUE)
        if name in COLOURS:
            ax.stairs(100.0 * table[name], edges, color=COLOURS[name], linewidth=1.3)
    figures.label_grid(axes, PANELS.values(), "hour of the day", ["% of the people"])
    figures.day_ticks(axes[0, 0])
    axes[0, 0].set_ylim(bottom=0.0)
    local, central = (50.0 * (table[name] - table["true"]).abs().sum() for name in ("reports", "central"))
    people = f"Of {table['people'].iloc[0]:,} people"
    text = f"local noise moves {local:.0f} % to a wrong hour; central counts are wrong by {central:.1f} %"
    return figures.with_headline(figure, f"{people}, {text}")


if __name__ == "__main__":
    figures.one_figure(snakemake, draw)
