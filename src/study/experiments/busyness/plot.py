"""Figures of busyness: its error from both sides, one venue's day, and the snapping to venues."""

import numpy as np
import pandas as pd

from study import figures
from study.checkins.compare import BUSYNESS, CORNERS, REAL

TIME, PLACE = "$\\ell_t$", "$\\ell_s$"  # levels
SIDES = {
    "fig12": ("place_level", "time_level", f"place level {PLACE} within {{place_radius_metres:g}} m", TIME),
    "fig08": ("time_level", "place_level", f"time level {TIME} within {{time_radius_hours:g}} h", PLACE),
}
"""Abscissa, columns, label of the abscissa and name of the columns."""

REFERENCES = {"uniform_histogram": "-", "uniform_noise": ":"}
"""Columns, and lines at their values; without privacy the distance is 0."""

ESTIMATES = {
    "city": {"label": "hours of all", "color": figures.REFERENCE, "linestyle": (0, (1.5, 1.5))},
    "table": {"label": "list of places", "marker": "D", "color": "#8f2d7d"},
    "deconvolved": {"label": "noise taken out", "marker": "o", "linestyle": (0, (4, 1.5))},
}
"""Looks of the curves of estimates; the last one has the colour of the mechanism."""

SNAPPING = {"own_share": "share snapped\nto their own venue", "moved": "mean distance\nmoved in metres"}
"""Metrics, and labels of their axes."""


def draw_errors(table, estimates, side, columns, settings, real):
    """Mean EMDs by dataset (rows) and level of one kind (``columns``); ``side`` is a key of :data:`SIDES`.

    The curves of other ``estimates`` from the reports of a mechanism have their names beside the last panels. Rings in
    the first row are those of the ``real`` sample, of which only the corners of the grid are known.
    """
    x, column, x_label, name = SIDES[side]
    table, estimates = (of[of["metric"] == "emd"].assign(expected=np.nan) for of in (table, estimates))
    populations = table["population"].unique()
    figure, axes = figures.grid(len(populations), len(columns), 38.0, sharex=True, sharey=True)
    for row, population in zip(axes, populations, strict=True):
        of_population = figures.rows_with(table, population=population)
        for ax, level in zip(row, columns, strict=True):
            figures.draw_mechanisms(ax, figures.rows_with(of_population, **{column: level}), x, beside=1.1)
            for drawn in ax.containers:
                drawn.set_label("")
            draw_estimates(ax, figures.rows_with(estimates, population=population, **{column: level}), x)
            for reference, line in REFERENCES.items():
                figures.reference_line(ax, of_population[reference].iloc[0], linestyle=line)
            # the limits of the data are unknown where there are none
            ax.set(xscale="log", xlim=(table[x].min() / 1.7, table[x].max() * 1.7))
        venues = of_population["venues"].max()
        row[0].set_ylabel(f"{figures.dataset_title(population)}\n{venues:,.0f} venues\nEMD in h")
        if not venues:
            text = "no venue has\nenough check-ins"
            row[0].annotate(text, (0.5, 0.5), xycoords="axes fraction", ha="center")
    for at, emd in corners(real):
        for ax in axes[0, np.isclose(columns, at[column])]:
            ax.plot(at[x], emd, **figures.RING, zorder=5)
    axes[0, 0].set_ylim(bottom=0.0)
    titles = [f"{name} = {level:g}" for level in columns]
    figures.label_grid(axes, titles, x_label.format(**settings))
    handles = pair_handles(table)
    handles += [
        figures.handle(name.replace("_", " "), color=figures.REFERENCE, linewidth=0.7, linestyle=line)
        for name, line in REFERENCES.items()
    ]
    handles.append(figures.handle("real sample, Purkayastha", **figures.RING))
    text = message(table, estimates, column, columns)
    return figures.with_headline(figure, text, axes[:, -1], legend=handles, ncols=3)


def draw_estimates(ax, estimates, x):
    """Curves of the estimates that have a look, against one of the levels."""
    for name, look in ESTIMATES.items():
        rows = estimates[estimates["estimate"] == name].sort_values(x)
        if len(rows):
            own = {
                "color": figures.look(rows["mechanism"].iloc[0]).colour,
                "markerfacecolor": "white",
                "linewidth": 1.2,
            }
            figures.draw_intervals(ax, rows, x, **own | look, capsize=1.2, elinewidth=0.6, zorder=2.3)


def corners(statistics):
    """Levels and EMD of the real sample at the corners of the grid, from the statistics of all check-ins."""
    values = statistics[statistics["dataset"] == REAL].set_index("statistic")["value"]
    return [(dict(time_level=t, place_level=p), values[BUSYNESS.format(t, p)]) for t, p in CORNERS]


def message(table, estimates, column, columns):
    """At how many of the levels shown the first mechanism has a smaller error than wrapped Laplace, or than none."""
    shown, estimates = (
        of[of["population"].eq(table["population"].iloc[0]) & of[column].isin(columns)] for of in (table, estimates)
    )
    shown = shown[shown["calibration"] == shown["calibration"].min()]  # published before tight
    levels = ["time_level", "place_level"]
    value, first = shown.pivot(index=levels, columns="mechanism", values="value"), shown["mechanism"].iloc[0]
    if "wrapped_laplace" not in value or value.isna().any(axis=None):
        return "Error of the hours of venues"
    better = (value[first] < value["wrapped_laplace"]).sum()
    worse = (value[first] > shown["uniform_histogram"].iloc[0]).sum()
    of = estimates.pivot(index=levels, columns="estimate", values="value")
    text = f"{figures.look(first).label} is better than wrapped Laplace at {better} of {len(value)} levels, worse than"
    return f"{text} no report at {worse}, with its noise taken out at {(of['deconvolved'] > of['uniform']).sum()}"


def pair_handles(table):
    """Legend handles with the names of the mechanisms of times and places."""
    handles = figures.handles_of(table)
    pairs = {figures.look(name).label: pair_label(name) for name in table["mechanism"].unique()}
    for handle in handles:
        name, _, calibration = handle.get_label().partition(", ")
        handle.set_label(pairs[name] + (f", {calibration}" if calibration else ""))
    return handles


def pair_label(name):
    """Short names of a mechanism of times and of the mechanism of places paired with it."""
    times, places = figures.look(name), figures.look(figures.look(name).places)
    return f"{times.label} × {places.label}"


def draw_snapping(table, metres):
    """Share of check-ins snapped to their own venue, and how far they were moved, against the level.

    Venues with no other venue within ``metres`` have a dotted line of their own.
    """
    keys = ["population", "place_mechanism", "place_level"]
    apart = table.loc[table["metric"] == "own_share_apart", [*keys, "value"]]
    table = table[table["metric"].isin(SNAPPING)]
    table = table.merge(apart.rename(columns={"value": "expected"}), on=keys, how="left")
    table = table.assign(
        mechanism=table["place_mechanism"], calibration="published",
        expected=table["expected"].where(table["metric"] == "own_share"),
        # a distance of 0 has no place on a logarithmic axis
        value=table["value"].where(table["value"] > 0), low=table["low"].clip(lower=1e-9),
    )  # fmt: skip
    populations = table["population"].unique()
    figure, axes = figures.grid(2, len(populations), 36.0, figures.COLUMN, sharex=True, sharey="row")
    for ax, metric, population in figures.cells(axes, SNAPPING, populations):
        rows = figures.rows_with(table, metric=metric, population=population)
        figures.draw_mechanisms(ax, rows, "place_level")
        widen_purkayastha(ax.get_lines())
        ax.set_xscale("log")
    axes[0, 0].set_ylim(-0.06, 1.08)
    axes[1, 0].set(yscale="log", ylim=(1e-3, None))
    titles = [figures.dataset_title(population) for population in populations]
    figures.label_grid(axes, titles, f"place level {PLACE}", SNAPPING.values())
    apart = f"no other venue within {metres:g} m"
    dotted = figures.handle(apart, color=figures.REFERENCE, linewidth=0.8, linestyle=":")
    handles = [*figures.handles_of(table), dotted]
    widen_purkayastha(handles)
    shares = figures.rows_with(table, metric="own_share")
    shares = shares.pivot(index=["population", "place_level"], columns="place_mechanism", values="value")
    text = "Check-ins at noisy places, snapped to the nearest venue"
    if {"purkayastha", "planar_laplace"} <= set(shares):
        apart = (shares["purkayastha"] - shares["planar_laplace"]).abs().max()
        text = f"Purkayastha, planar Laplace: shares ≤ {apart:.2g} apart"
    return figures.with_headline(figure, text, legend=handles)


def widen_purkayastha(lines):
    """Widen Purkayastha's curve so that it is visible under planar Laplace's, which may cover it."""
    for line in lines:
        if line.get_color() == figures.look("purkayastha").colour and line.get_linestyle() == "-":
            line.set(linewidth=3.0, markersize=6.0, zorder=1.2)


def draw_example(examples, levels, mechanism):
    """The day of the most visited venue, true and private: a row for each dataset, a column for each pair."""
    table = figures.rows_with(examples, mechanism=mechanism)
    table = figures.rows_with(table, calibration=table["calibration"].min())  # published before tight
    populations = table["population"].unique()
    figure, axes = figures.grid(len(populations), len(levels), 27.0, sharex=True, sharey="row")
    for row, population in zip(axes, populations, strict=True):
        for ax, (time_level, place_level) in zip(row, levels, strict=True):
            chosen = {"population": population, "time_level": time_level, "place_level": place_level}
            hours = figures.rows_with(table, **chosen)
            true, noisy = hours["true"].to_numpy(), hours["noisy"].to_numpy()
            ax.stairs(100 * true / true.sum(), fill=True, color="0.85")
            limit = 250 * true.max() / true.sum()
            if noisy.sum():
                shares, colour = 100 * noisy / noisy.sum(), figures.look(mechanism).colour
                ax.stairs(np.minimum(shares, limit), color=colour, baseline=None)
                for hour in np.flatnonzero(shares > limit):
                    at, side = (hour - 0.5, "right") if hour > 14 else (hour + 1.5, "left")
                    text, style = f"↑ {shares[hour]:.0f} %", {"va": "top", "ha": side}
                    figures.write_beside(ax, text, (at, limit), (0, 0), colour, **style)
            figures.write_within(ax, f"{noisy.sum():,} snapped", (0.03, 0.97), color=None)
            figures.day_ticks(ax)
        row[0].set_ylabel(f"{figures.dataset_title(population)}\n{true.sum():,} check-ins\n% of the day")
        row[0].set_ylim(top=1.18 * row[0].get_ylim()[1])
    titles = [f"{TIME} = {time:g}, {PLACE} = {place:g}" for time, place in levels]
    figures.label_grid(axes, titles, "local time (hours)")
    ends = []
    for time, place in (levels[0], levels[-1]):
        day = {"population": populations[0], "time_level": time, "place_level": place}
        hours = figures.rows_with(table, **day)[["true", "noisy"]].sum()
        ends.append(f"{100.0 * hours['noisy'] / hours['true']:.0f} % at {PLACE} = {place:g}")
    text = f"The busiest venue is left with {' and '.join(ends)} of its number of check-ins"
    return figures.with_headline(figure, text)


if __name__ == "__main__":
    with figures.figure_job(snakemake) as (estimates, table, *examples, real):
        settings = snakemake.params.settings
        drawn = {
            "times": draw_errors(table, estimates, "fig12", settings["time_levels"], settings, real),
            "places": draw_errors(table, estimates, "fig08", settings["panel_place_levels"], settings, real),
            "venue": draw_example(pd.concat(examples), settings["example_levels"], settings["mechanisms"][0]),
            "snapping": draw_snapping(table, settings["place_radius_metres"]),
        }
        for name, figure in drawn.items():
            figures.save(figure, snakemake.output[name])
