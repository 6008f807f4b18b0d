"""Figures of busyness: its error from both sides, one venue's day, and the snapping to venues."""

import numpy as np
import pandas as pd

from study.core import figures

SIDES = {
    "fig12": ("place_level", "time_level", "place level ℓs within {place_radius_metres:g} m", "ℓt = {:g}"),
    "fig08": ("time_level", "place_level", "time level ℓt within {time_radius_hours:g} h", "ℓs = {:g}"),
}
"""Abscissa, columns, label of the abscissa and title of a column."""

SNAPPING = {"own_share": "share snapped to the own venue", "moved": "mean distance moved in metres"}
HOURS = 24


def draw_errors(table, side, columns, settings):
    """Mean earth mover's distances, a row of panels for each dataset and a column for each level of one kind.

    Parameters
    ----------
    table : pandas.DataFrame
        Collected table of :class:`study.experiments.busyness.simulate.Simulation`.
    side : str
        A key of :data:`SIDES`.
    columns : list of float
        Levels that get a column.
    settings : dict
        ``busyness`` of the configuration.

    Returns
    -------
    matplotlib.figure.Figure
    """
    x, column, x_label, title = SIDES[side]
    table = table[table["metric"] == "emd"].assign(expected=np.nan)
    populations = table["population"].unique()
    figure, axes = figures.grid(
        len(populations), len(columns), height=2.1, width=1.75, sharex=True, sharey=True
    )
    for row, population in zip(axes, populations, strict=True):
        of_population = table[table["population"] == population]
        for ax, level in zip(row, columns, strict=True):
            figures.draw_mechanisms(ax, of_population[np.isclose(of_population[column], level)], x)
            ax.axhline(of_population["uniform_histogram"].iloc[0], color=figures.REFERENCE, linewidth=0.8)
            ax.axhline(of_population["uniform_noise"].iloc[0], color=figures.REFERENCE, linewidth=0.8, ls=":")
            # the limits of the data are unknown where there are none
            ax.set(xscale="log", xlim=(table[x].min() / 1.5, table[x].max() * 1.5))
        venues = of_population["venues"].max()
        row[0].set_ylabel(f"{population.replace('_', ' ')}, {venues:.0f} venues\nEMD in hours")
        if not venues:
            row[0].annotate(
                "no venue has\nenough check-ins", (0.5, 0.5), xycoords="axes fraction", ha="center"
            )
    axes[0, 0].set_ylim(bottom=0.0)
    for ax, level in zip(axes[0], columns, strict=True):
        ax.set_title(title.format(level))
    figure.supxlabel(x_label.format(**settings), fontsize=9)
    figure.legend(
        handles=[*pair_handles(table), *reference_handles()], loc="outside right center", frameon=False
    )
    figures.headline(
        figure,
        "Private against true hours of the day: earth mover's distance, mean over venues with at least "
        f"{settings['fewest_checkins']} check-ins; 0: no privacy; bars: 95 % interval over venues",
    )
    return figure


def pair_handles(table):
    """Legend handles that name the mechanisms of times and places."""
    handles = figures.handles_of(table)
    pairs = {figures.look(name).label: pair_label(name) for name in table["mechanism"].unique()}
    for handle in handles:
        name, _, calibration = handle.get_label().partition(", ")
        handle.set_label(pairs[name] + (f",\n{calibration}" if calibration else ""))
    return handles


def pair_label(name):
    """Short names of a mechanism of times and of its fellow of places."""
    times, places = figures.look(name), figures.look(figures.look(name).places)
    second = places.label if places == times else places.label[0].lower() + places.label[1:]
    return f"{times.label} × {second}"


def reference_handles():
    """Legend handles of the two references; without privacy the distance is 0."""
    looks = {"uniform histogram": "-", "uniform noise": ":"}
    return [
        figures.plt.Line2D([], [], color=figures.REFERENCE, linewidth=0.8, linestyle=line, label=name)
        for name, line in looks.items()
    ]


def draw_snapping(table, metres):
    """Share of check-ins snapped to their own venue, and how far they were moved, against the level.

    Parameters
    ----------
    table : pandas.DataFrame
        Collected table of :class:`study.experiments.busyness.simulate.Simulation`.
    metres : float
        Venues with no other one within it have a dotted line of their own.

    Returns
    -------
    matplotlib.figure.Figure
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
    figure, axes = figures.grid(2, len(populations), height=2.4, width=2.8, sharex=True, sharey="row")
    for row, (metric, label) in zip(axes, SNAPPING.items(), strict=True):
        for ax, population in zip(row, populations, strict=True):
            rows = table[(table["metric"] == metric) & (table["population"] == population)]
            figures.draw_mechanisms(ax, rows, "place_level")
            widen_purkayastha(ax.get_lines())
            ax.set_xscale("log")
        row[0].set_ylabel(label)
    axes[0, 0].set_ylim(0.0, 1.03)
    axes[1, 0].set(yscale="log", ylim=(1e-3, None))
    for ax, population in zip(axes[0], populations, strict=True):
        ax.set_title(population.replace("_", " "))
    for ax in axes[1]:
        ax.set_xlabel("place level ℓs")
    label = f"venues with no\nother within {metres:g} m"
    dotted = figures.plt.Line2D([], [], color=figures.REFERENCE, linewidth=0.9, linestyle=":", label=label)
    handles = [*figures.handles_of(table), dotted]
    widen_purkayastha(handles)
    figure.legend(handles=handles, loc="outside right center", frameon=False)
    figures.headline(figure, "Check-ins at noisy places, snapped to the nearest venue; bars: 95 % interval")
    return figure


def widen_purkayastha(lines):
    """Make Purkayastha's curve so wide that it can be seen under planar Laplace's, which may lie on it."""
    for line in lines:
        if line.get_color() == figures.look("purkayastha").colour and line.get_linestyle() == "-":
            line.set(linewidth=3.2, markersize=7.0, zorder=1.2)


def draw_example(examples, levels, mechanism):
    """The most visited venue's day, true and private at some pairs of levels; a row for each dataset.

    Parameters
    ----------
    examples : pandas.DataFrame
        Collected hours from :class:`study.experiments.busyness.simulate.Simulation`.
    levels : list of (float, float)
        Levels of time and place.
    mechanism : str
        The mechanism that is shown, as published.

    Returns
    -------
    matplotlib.figure.Figure
    """
    table = examples[(examples["mechanism"] == mechanism) & (examples["calibration"] == "published")]
    populations = table["population"].unique()
    figure, axes = figures.grid(
        len(populations), len(levels), height=1.7, width=1.75, sharex=True, sharey="row"
    )
    edges = np.arange(HOURS + 1)
    for row, population in zip(axes, populations, strict=True):
        for ax, (time_level, place_level) in zip(row, levels, strict=True):
            hours = table[
                (table["population"] == population)
                & np.isclose(table["time_level"], time_level)
                & np.isclose(table["place_level"], place_level)
            ]
            true, noisy = hours["true"].to_numpy(), hours["noisy"].to_numpy()
            ax.stairs(100 * true / true.sum(), edges, fill=True, color="0.8")
            if noisy.sum():
                ax.stairs(
                    100 * noisy / noisy.sum(), edges, color=figures.look(mechanism).colour, baseline=None
                )
            text = f"{noisy.sum():,} snapped"
            ax.annotate(text, (0.03, 0.97), xycoords="axes fraction", va="top", fontsize=7.5)
            ax.set(xlim=(0, HOURS), xticks=range(0, HOURS + 1, 6))
        row[0].set_ylabel(f"{population.replace('_', ' ')}, {true.sum():,} check-ins\nshare of the day (%)")
        row[0].set_ylim(top=1.18 * row[0].get_ylim()[1])
    for ax, (time_level, place_level) in zip(axes[0], levels, strict=True):
        ax.set_title(f"ℓt = {time_level:g}, ℓs = {place_level:g}")
    figure.supxlabel("local time (hours)", fontsize=9)
    name = pair_label(mechanism)
    figures.headline(
        figure, f"One venue's day, the venue with the most check-ins; grey: true, line: private ({name})"
    )
    return figure


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        settings = snakemake.params.settings
        table = pd.read_csv(snakemake.input.table)
        examples = pd.concat(map(pd.read_csv, snakemake.input.examples))
        drawn = {
            "times": draw_errors(table, "fig12", settings["time_levels"], settings),
            "places": draw_errors(table, "fig08", settings["panel_place_levels"], settings),
            "venue": draw_example(examples, settings["example_levels"], settings["mechanisms"][0]),
            "snapping": draw_snapping(table, settings["place_radius_metres"]),
        }
        for name, figure in drawn.items():
            figures.save(figure, snakemake.output[name])
