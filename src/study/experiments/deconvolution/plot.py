"""Figure of the errors of the hours of the day: raw, at fixed widths, and at the chosen width."""

from study import figures
from study.simulation.populations import DAYS

LINES = [(0, (1, 1)), (0, (4, 1.5)), (0, (4, 1, 1, 1)), (0, (2, 2))]


def curves_of(table):
    """Rows, label and look of each curve of a table."""
    look = figures.look("purkayastha")
    yield table[table["estimate"] == "raw"], "raw", {"color": figures.REFERENCE, "linestyle": "-"}
    fixed = table[table["estimate"] == "fixed"]
    for line, (hours, rows) in zip(LINES, fixed.groupby("fixed_width"), strict=False):
        yield rows, f"{hours:g} h", {"color": look.colour, "linestyle": line, "linewidth": 0.8}
    chosen = table[table["estimate"] == "chosen"]
    yield chosen, "chosen", {"color": look.colour, "marker": look.marker, "linewidth": 1.4}


def draw(table):
    """A row of panels for each population, a column for each level."""
    table = figures.rows_with(table, metric="emd")
    levels = sorted(table["epsilon"].unique())
    populations = sorted(table["population"].unique(), key=lambda name: (name in DAYS, name))
    figure, axes = figures.grid(len(populations), len(levels), 36.0, figures.COLUMN, sharex=True, sharey=True)
    for ax, population, level in figures.cells(axes, populations, levels):
        for rows, label, look in curves_of(figures.rows_with(table, population=population, epsilon=level)):
            label = label if ax in axes[:, -1] else ""
            figures.draw_intervals(ax, rows.sort_values("n"), "n", **look, label=label, elinewidth=0.6)
    titles = {name: figures.population_title(name) for name in populations}
    titles |= {name: f"{figures.dataset_title(name)} model" for name in DAYS}
    y_labels = [f"{titles[name]}\nEMD in hours" for name in populations]
    figures.label_grid(axes, [f"ℓ = {level:g}" for level in levels], "number of reports", y_labels)
    counts = sorted(table["n"].unique())
    labels = [f"{count}" if count in (counts[0], counts[-1]) else "" for count in counts]
    figures.log_ticks(axes[0, 0], counts, labels)
    figures.plain_log_ticks(axes[0, 0], between=(3,))
    level, count = figures.nearest(levels, 1.0), table["n"].max()
    rows = figures.rows_with(table, population=populations[0], epsilon=level, n=count)
    raw, chosen = (figures.rows_with(rows, estimate=name)["value"].iloc[0] for name in ("raw", "chosen"))
    text = f"Raw hours are {raw:.2g} h off, with the chosen width {chosen:.2g} h"
    return figures.with_headline(figure, text, axes[:, -1])


if __name__ == "__main__":
    figures.one_figure(snakemake, draw)
