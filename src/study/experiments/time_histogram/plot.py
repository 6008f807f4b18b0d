"""Figures of the time histograms' errors, and of one day as it is and as it is seen."""

import numpy as np
import pandas as pd

from study import figures
from study.figures import histogram_figures

COLUMNS = {
    ("within", "counts"): ("level ℓ within {radius_hours:g} h", "responses as they are"),
    ("pure", "counts"): ("pure ε", "responses as they are"),
    ("within", "deconvolved"): ("level ℓ within {radius_hours:g} h", "deconvolved (ours)"),
}
"""View and estimate of a column of panels; the label of its abscissa, and its title."""
METRICS = {"emd": ("EMD in hours", 1.0), "mae": ("MAE per bin in % of all", 100.0)}
"""Label of an error, and the factor for its unit."""
KINDS = {"noisy": ("-", "responses"), "deconvolved": ((0, (1, 1)), "deconvolved (ours)")}
RATIOS = (0.82, 1.28)  # the rest is told by the errors themselves


def draw(table, settings):
    """Errors of the repeatedly randomised sample: three rows of panels for each table of check-ins."""
    in_sample = table[table["repetitions"] > 1]
    rows = [(name, kind) for name in table["population"].unique() for kind in (*METRICS, "ratio")]
    figure, axes = figures.grid(len(rows), len(COLUMNS), 43.0, sharex=True, sharey="row")
    for ax, (population, kind), (view, estimate) in figures.cells(axes, rows, COLUMNS):
        part, first = figures.rows_with(in_sample, population=population), ax in axes[:, 0]
        curves = {"view": view, "estimate": estimate}
        if kind == "ratio":
            label = histogram_figures.RATIO_LABEL
            histogram_figures.draw_ratios(ax, figures.rows_with(part, **curves))
            ax.set_ylim(RATIOS)
        else:
            label, factor = METRICS[kind]
            part = figures.rows_with(part, metric=kind)
            histogram_figures.draw_errors(ax, part, factor, **curves)
        if first:
            ax.set_ylabel(f"{figures.population_title(population)}\n{label}")
    figures.label_grid(axes, [title for _, title in COLUMNS.values()])
    for ax, (label, _) in zip(axes[-1], COLUMNS.values(), strict=True):
        ax.set(xscale="log", xlabel=label.format(**settings))
    histogram_figures.add_legend(figure, table)
    return figures.with_headline(
        figure,
        f"Hours of {histogram_figures.people_in(in_sample)} check-ins, each randomised on its own, against "
        "the true hours of the same (EMD: earth mover's distance); bars: 95 % interval, dotted: limit of "
        "many check-ins",
    )


def draw_example(histograms, settings):
    """The day of one table as it is and as it is seen, a row for each mechanism, a column for each level."""
    shown = figures.rows_with(histograms, view="within")
    shown = figures.rows_with(shown, population=shown["population"].min())
    first = shown.groupby("mechanism")["calibration"].transform("min")  # published before tight
    shown = shown[shown["calibration"] == first]
    names, levels = shown["mechanism"].unique(), sorted(shown["epsilon"].unique())
    figure, axes = figures.grid(len(names), len(levels), 26.0, sharex=True, sharey=True)
    for ax, name, level in figures.cells(axes, names, levels):
        draw_day(ax, figures.rows_with(shown, mechanism=name, epsilon=level), name)
    y_labels = [f"{figures.look(name).label}\n% of check-ins" for name in names]
    titles = [f"ℓ = {level:g}" for level in levels]
    figures.label_grid(axes, titles, "local time (hours)", y_labels)
    figures.day_ticks(axes[0, 0])
    axes[0, 0].set_ylim(0, 130 * shown.loc[shown["kind"] == "true", "share"].max())
    handles = [figures.plt.Rectangle((0, 0), 1, 1, color=figures.REGION, label="true")]
    handles += [figures.handle(label, color="0.2", linestyle=line) for line, label in KINDS.values()]
    figures.add_legend(figure, handles)
    return figures.with_headline(
        figure,
        f"One day of {shown['population'].iloc[0].replace('_', ' ')}, each check-in randomised at level ℓ "
        f"within {settings['radius_hours']:g} h ({' or '.join(shown['calibration'].unique())}); an arrow: a "
        "bin beyond the panel",
    )


def draw_day(ax, shown, name):
    """The true day in grey, and what is seen of it in the mechanism's colour."""
    days = {kind: part.sort_values("hour") for kind, part in shown.groupby("kind")}
    edges, colour = np.append(days["true"]["hour"], 24.0), figures.look(name).colour
    ax.stairs(100 * days["true"]["share"], edges, fill=True, color=figures.REGION)
    for kind, (line, _) in KINDS.items():
        ax.stairs(100 * days[kind]["share"], edges, color=colour, linestyle=line, linewidth=0.9)
    limit = 130 * days["true"]["share"].max()
    beyond = days["noisy"][100 * days["noisy"]["share"] > limit]
    for hour, share in zip(beyond["hour"], beyond["share"], strict=True):
        figures.write_beside(ax, f"↑ {100 * share:.0f} %", (hour + edges[1], limit), (0, 0), colour, va="top")


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        settings = snakemake.params.settings
        figures.save(draw(pd.read_csv(snakemake.input.errors), settings), snakemake.output.errors)
        # a table without rows would turn every column of the others into text
        days = pd.concat(table for table in map(pd.read_csv, snakemake.input.histograms) if len(table))
        figures.save(draw_example(days, settings), snakemake.output.example)
