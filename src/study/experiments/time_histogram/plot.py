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
KINDS = {"noisy": ("-", "responses"), "deconvolved": ((0, (1, 1)), "deconvolved (ours)")}
ROWS = {"ratio": histogram_figures.RATIO_LABEL, "emd": "EMD in hours"}
"""Rows of panels for each table of check-ins, and their ordinates."""


def draw(table, settings):
    """Ratios of all mechanisms to Purkayastha, and below them the error of Purkayastha itself."""
    in_sample = figures.rows_with(table[table["repetitions"] > 1], metric="emd")
    rows = [(name, kind) for name in table["population"].unique() for kind in ROWS]
    heights = [1.5, 1.0] * (len(rows) // 2)
    figure, axes = figures.grid(len(rows), len(COLUMNS), 38.0, sharex=True, sharey="row", height_ratios=heights)
    for ax, (population, kind), (view, estimate) in figures.cells(axes, rows, COLUMNS):
        part = figures.rows_with(in_sample, population=population)
        if kind == "ratio":
            histogram_figures.draw_ratios(ax, figures.rows_with(part, view=view, estimate=estimate))
            ax.set_ylim(0.8, 8.0)
            figures.plain_log_ticks(ax, between=(2, 3, 5))
        else:
            part = part[part["mechanism"].isin([histogram_figures.BESIDE, *histogram_figures.REFERENCES])]
            histogram_figures.draw_errors(ax, part, 1.0, view=view, estimate=estimate)
        if ax in axes[:, 0]:
            ax.set_ylabel(f"{figures.population_title(population)}\n{ROWS[kind]}")
    figures.label_grid(axes, [title for _, title in COLUMNS.values()])
    for ax, (label, _) in zip(axes[-1], COLUMNS.values(), strict=True):
        ax.set(xscale="log", xlabel=label.format(**settings))
    limit = figures.handle("limit of many check-ins", color=figures.REFERENCE, linestyle=":", linewidth=0.8)
    handles = histogram_figures.legend_handles(table, limit)
    return figures.with_headline(figure, message(in_sample, settings), legend=handles)


def message(table, settings):
    """The least ratio to Purkayastha in each view of the first table of check-ins, and whose it is."""
    table, parts = figures.rows_with(table, population=table["population"].iloc[0], estimate="counts"), []
    views = {
        "within": f"Within {settings['radius_hours']:g} h no error is below {{}} of Purkayastha's",
        "pure": "at pure ε the least is {} ({})",
    }
    for view, text in views.items():
        others = histogram_figures.ratios(figures.rows_with(table, view=view)).dropna(subset=["value"])
        for best in others.nsmallest(1, "value").itertuples():
            parts.append(text.format(f"{best.value:.2f}", figures.label_of(best.mechanism, best.calibration)))
    return "; ".join(parts) or "Error of the hours of the day"


def draw_example(histograms, settings):
    """The day of one table as it is and as it is seen, a row for each mechanism, a column for each level."""
    shown = figures.rows_with(histograms, view="within")
    shown = figures.rows_with(shown, population=shown["population"].min())
    first = shown.groupby("mechanism")["calibration"].transform("min")  # published before tight
    shown = shown[shown["calibration"] == first]
    names, levels = shown["mechanism"].unique(), sorted(shown["epsilon"].unique())
    figure, axes = figures.grid(len(names), len(levels), 29.0, sharex=True, sharey=True)
    for ax, name, level in figures.cells(axes, names, levels):
        draw_day(ax, figures.rows_with(shown, mechanism=name, epsilon=level), name)
    y_labels = [f"{figures.look(name).label}\n% of check-ins" for name in names]
    titles = [f"ℓ = {level:g}" for level in levels]
    figures.label_grid(axes, titles, "local time (hours)", y_labels)
    figures.day_ticks(axes[0, 0])
    axes[0, 0].set_ylim(0, 130 * shown.loc[shown["kind"] == "true", "share"].max())
    handles = [figures.region_handle("true")]
    handles += [figures.handle(label, color="0.2", linestyle=line) for line, label in KINDS.values()]
    level = figures.nearest(levels, 1.0)
    share = figures.rows_with(shown, mechanism=names[0], epsilon=level)
    share = share.pivot(index="hour", columns="kind", values="share")
    noisy, estimate = (50.0 * (share[kind] - share["true"]).abs().sum() for kind in KINDS)
    text = f"At ℓ = {level:g} {figures.look(names[0]).label}'s noise moves {noisy:.0f} % of the histogram"
    text = f"{text} to a wrong hour, and deconvolution leaves {estimate:.0f} % there"
    return figures.with_headline(figure, text, legend=handles)


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
    with figures.figure_job(snakemake) as (errors, *histograms):
        settings = snakemake.params.settings
        figures.save(draw(errors, settings), snakemake.output.errors)
        # a table without rows would turn every column of the others into text
        days = pd.concat(table for table in histograms if len(table))
        figures.save(draw_example(days, settings), snakemake.output.example)
