"""Figures of the time histograms' errors, and of one day as it is and as it is seen."""

import numpy as np
import pandas as pd

from study.core import figures
from study.core.baselines import REFERENCES
from study.core.histogram_errors import ratios_beside
from study.core.job import InputError

COLUMNS = {
    ("within", "counts"): ("level ℓ within {radius_hours:g} h", "responses as they are"),
    ("pure", "counts"): ("pure ε", "responses as they are"),
    ("within", "deconvolved"): ("level ℓ within {radius_hours:g} h", "deconvolved (ours)"),
}
"""View and estimate of a column of panels; the label of its abscissa, and its title."""
METRICS = {"emd": ("EMD in hours", 1.0), "mae": ("MAE per bin in % of all", 100.0)}
KINDS = {"noisy": ("-", "responses"), "deconvolved": ((0, (1, 1)), "deconvolved (ours)")}


BESIDE = "purkayastha"  # the mechanism that the others are divided by
RATIOS = (0.82, 1.28)  # the rest is told by the errors themselves


def draw(table, settings):
    """Errors of the repeatedly randomised sample: three rows of panels for each table of check-ins.

    Parameters
    ----------
    table : pandas.DataFrame
        Collected table of :func:`study.experiments.time_histogram.simulate.simulate`.
    settings : dict
        ``time_histogram`` of the configuration.

    Returns
    -------
    matplotlib.figure.Figure
    """
    in_sample = table["repetitions"] > 1
    rows = [(name, kind) for name in table["population"].unique() for kind in (*METRICS, "ratio")]
    figure, axes = figures.grid(len(rows), len(COLUMNS), height=2.3, width=2.7, sharex=True, sharey="row")
    for line, (population, kind) in zip(axes, rows, strict=True):
        part = table[in_sample & (table["population"] == population)]
        for ax, (view, estimate) in zip(line, COLUMNS, strict=True):
            named = ax is line[0]
            if kind == "ratio":
                draw_ratios(ax, part[(part["view"] == view) & (part["estimate"] == estimate)], named)
            else:
                draw_errors(ax, part, (view, estimate), kind, named)
        label = METRICS[kind][0] if kind in METRICS else "EMD, ratio to Purkayastha's"
        line[0].set_ylabel(f"{figures.population_title(population)}\n{label}")
    for ax, (_, title) in zip(axes[0], COLUMNS.values(), strict=True):
        ax.set_title(title)
    for ax, (label, _) in zip(axes[-1], COLUMNS.values(), strict=True):
        ax.set(xscale="log", xlabel=label.format(**settings))
    figure.legend(
        handles=figures.handles_of(table[~table["mechanism"].isin(REFERENCES)]),
        loc="outside right center",
        frameon=False,
    )
    people = ", ".join(f"{n:,}" for n in sorted(table.loc[in_sample, "n"].unique()))
    figures.headline(
        figure,
        f"Hours of {people} check-ins, each randomised on its own, against the true hours of the same (EMD: "
        "earth mover's distance); bars: 95 % interval, dotted: limit of many check-ins",
    )
    return figure


def draw_errors(ax, part, column, metric, named):
    """Curves of the mechanisms between the references."""
    part = part[part["metric"] == metric]
    columns = ["value", "low", "high", "expected"]
    part = part.assign(**{name: part[name] * METRICS[metric][1] for name in columns})
    figures.draw_references(ax, part, named)
    figures.draw_mechanisms(
        ax, part[(part["view"] == column[0]) & (part["estimate"] == column[1])], "epsilon"
    )
    figures.plain_log_ticks(ax)


def draw_ratios(ax, part, named):
    """Earth mover's distances over those of Purkayastha, with the interval of the ratio."""
    part = part[part["metric"] == "emd"]
    others = ratios_beside(part, BESIDE)
    if len(others):
        figures.draw_mechanisms(ax, others, "epsilon")
    ax.axhline(1.0, color=figures.look(BESIDE).colour, linewidth=1.0)
    ax.set_ylim(RATIOS)
    if named:
        ax.annotate(
            "beyond: see above", (0.01, 0.97), xycoords="axes fraction", va="top", fontsize=7.5,
            color=figures.REFERENCE,
        )  # fmt: skip


def draw_example(histograms, settings):
    """One randomisation of a sample of the first table's check-ins, at some levels within the radius.

    Parameters
    ----------
    histograms : pandas.DataFrame
        Second tables of :func:`study.experiments.time_histogram.simulate.simulate`, one under the other.
    settings : dict
        ``time_histogram`` of the configuration.

    Returns
    -------
    matplotlib.figure.Figure
    """
    shown = histograms[histograms["view"] == "within"]
    shown = shown[shown["population"] == shown["population"].min()]
    first = shown.groupby("mechanism")["calibration"].transform("min")  # published before tight
    shown = shown[shown["calibration"] == first]
    names, levels = shown["mechanism"].unique(), sorted(shown["epsilon"].unique())
    size = {"height": 1.5, "width": 2.1, "sharex": True, "sharey": True}
    figure, axes = figures.grid(len(names), len(levels), **size)
    for line, name in zip(axes, names, strict=True):
        for ax, level in zip(line, levels, strict=True):
            draw_day(ax, shown[(shown["mechanism"] == name) & (shown["epsilon"] == level)], name)
        line[0].set_ylabel(f"{figures.look(name).label}\n% of check-ins", fontsize=8)
    for ax, level in zip(axes[0], levels, strict=True):
        ax.set_title(f"ℓ = {level:g}")
    for ax in axes[-1]:
        ax.set_xlabel("local time (hours)")
    top = 130 * shown.loc[shown["kind"] == "true", "share"].max()
    axes[0, 0].set(xlim=(0, 24), ylim=(0, top), xticks=range(0, 25, 6))
    handles = [figures.plt.Rectangle((0, 0), 1, 1, color="0.85", label="true")]
    handles += [
        figures.plt.Line2D([], [], color="0.2", linestyle=line, label=label) for line, label in KINDS.values()
    ]
    figure.legend(handles=handles, loc="outside right center", frameon=False)
    figures.headline(
        figure,
        f"One day of {shown['population'].iloc[0].replace('_', ' ')}, each check-in randomised at level ℓ "
        f"within {settings['radius_hours']:g} h ({' or '.join(shown['calibration'].unique())}); an arrow: a "
        "bin beyond the panel",
    )
    return figure


def draw_day(ax, shown, name):
    """The true day in grey, and what is seen of it in the mechanism's colour."""
    days = {kind: part.sort_values("hour") for kind, part in shown.groupby("kind")}
    edges = np.append(days["true"]["hour"], 24.0)
    ax.stairs(100 * days["true"]["share"], edges, fill=True, color="0.85")
    for kind, (line, _) in KINDS.items():
        ax.stairs(
            100 * days[kind]["share"], edges, color=figures.look(name).colour, linestyle=line, linewidth=1.1
        )
    limit = 130 * days["true"]["share"].max()
    beyond = days["noisy"][100 * days["noisy"]["share"] > limit]
    for hour, share in zip(beyond["hour"], beyond["share"], strict=True):
        ax.annotate(
            f"↑ {100 * share:.0f} %",
            (hour + edges[1], limit),
            va="top",
            fontsize=7,
            color=figures.look(name).colour,
        )


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        settings = snakemake.params.settings
        figures.save(draw(pd.read_csv(snakemake.input.errors), settings), snakemake.output.errors)
        days = [table for table in map(pd.read_csv, snakemake.input.histograms) if len(table)]
        if not days:
            raise InputError("time_histogram.example_levels: none of them is among time_histogram.levels")
        figures.save(draw_example(pd.concat(days), settings), snakemake.output.example)
