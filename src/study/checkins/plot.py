"""Figures of the check-ins: for each data set a map and the hours of the day; statistics of all data sets."""

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import seaborn
from matplotlib.colors import ListedColormap, LogNorm
from matplotlib.ticker import LogLocator, NullFormatter

from study import figures
from study.checkins import prepared
from study.workflow.parquet import query

PLACE = ("latitude", "longitude")
CELLS_ACROSS = 150  # number of cells across the map of a region
WORLD = 120.0  # a map with a larger range of longitudes, in degrees, shows the whole Earth
WORLD_CELL = 2.0  # degrees
COLOURS = ListedColormap(seaborn.color_palette("mako_r", 256)[40:])  # the palest cannot be seen on white
KILOMETRES_PER_DEGREE = 111.195
HOURS = 24


class CheckinCounts(NamedTuple):
    """Numbers of check-ins of a data set in each cell of a map and in each hour of the day."""

    name: str
    south_north: np.ndarray  # edges of the cells in degrees
    west_east: np.ndarray
    cells: np.ndarray  # south_north × west_east
    hours: np.ndarray
    is_world: bool


def count(name, path):
    """Count the check-ins of a prepared Parquet file, block by block."""
    south_north, west_east, is_world = grid(*extent(path))
    cells, hours = np.zeros((len(south_north) - 1, len(west_east) - 1)), np.zeros(HOURS)
    for table in prepared.blocks(path, [*PLACE, "local_time"]):
        latitude, longitude = (table[column] for column in PLACE)
        cells += np.histogram2d(latitude, longitude, (south_north, west_east))[0]
        hours += np.bincount(prepared.seconds_of_day(table) // 3600, minlength=HOURS)
    return CheckinCounts(name, south_north, west_east, cells, hours, is_world)


def extent(path):
    """Smallest and largest latitude, smallest and largest longitude."""
    ends = ", ".join(f"min({name}) AS {name}_min, max({name}) AS {name}_max" for name in PLACE)
    ends = query(f"SELECT {ends} FROM read_parquet(?)", str(path))
    return [float(end[0]) for end in ends.values()]


def grid(south, north, west, east):
    """Edges of the cells, and whether the cells cover the whole Earth."""
    if east - west > WORLD:
        edges = np.arange(-180.0, 180.0 + WORLD_CELL, WORLD_CELL)
        return edges[np.abs(edges) <= 90.0], edges, True
    width = max(east - west, (north - south) / narrowing(south, north), 1e-3) * 1.04
    step = width / CELLS_ACROSS
    rows = max(int(np.ceil(1.04 * (north - south) / (step * narrowing(south, north)))), 1)
    middle, centre = (south + north) / 2, (west + east) / 2
    south_north = middle + step * narrowing(south, north) * (np.arange(rows + 1) - rows / 2)
    return south_north, centre + step * (np.arange(CELLS_ACROSS + 1) - CELLS_ACROSS / 2), False


def narrowing(south, north):
    """Length of a degree of longitude over that of a degree of latitude, in the middle of a map."""
    return max(np.cos(np.radians((south + north) / 2)), 0.05)


def draw(counted):
    """A row for each data set: its map on the left, its hours of the day on the right."""
    figure, axes = figures.grid(len(counted), 2, 50.0, width_ratios=[1.75, 1])
    most = max(100 * (one.hours / one.hours.sum()).max() for one in counted)
    for one, (place, day) in zip(counted, axes, strict=True):
        draw_map(place, one)
        draw_hours(day, one.hours)
        day.set_ylim(0, 1.15 * most)
    axes[-1, 1].set_xlabel("local time (hours)")
    figure.get_layout_engine().set(wspace=0.08)  # the ordinates of days stand beside the bars of maps
    shares = [100.0 * densest_half(one.cells) for one in counted]
    text = f"Half of the check-ins are in {min(shares):.0f} to {max(shares):.0f} % of the cells that have any"
    return figures.with_headline(figure, text)


def densest_half(cells):
    """Share of the occupied cells that the densest ones need for half of the check-ins."""
    cells = np.sort(cells[cells > 0])[::-1]
    return (np.searchsorted(np.cumsum(cells), 0.5 * cells.sum()) + 1) / len(cells)


def draw_map(ax, counts):
    """Check-ins in each cell of the map; empty cells stay white."""
    edges, shown = (counts.west_east, counts.south_north), np.ma.masked_equal(counts.cells, 0)
    norm = LogNorm(1, max(counts.cells.max(), 10))
    mesh = ax.pcolormesh(*edges, shown, norm=norm, cmap=COLOURS, rasterized=True)
    if counts.is_world:
        ax.set(xticks=range(-180, 181, 60), yticks=range(-60, 91, 30), ylim=(-60, 85), aspect=1)
        cell = f"{WORLD_CELL:g}° × {WORLD_CELL:g}°"
    else:
        ends = counts.south_north[[0, -1]]
        ax.set_aspect(1 / narrowing(*ends))
        ax.locator_params(nbins=4)
        cell = f"{(counts.south_north[1] - counts.south_north[0]) * KILOMETRES_PER_DEGREE:.2g} km"
    title = f"{figures.dataset_title(counts.name)}: {int(counts.hours.sum()):,} check-ins"
    ax.set(xlabel="longitude (°)", ylabel="latitude (°)", title=title)
    bar = ax.figure.colorbar(mesh, ax=ax, shrink=0.85, pad=0.02)
    bar.set_label(f"check-ins per cell of {cell}")


def draw_hours(ax, hours):
    """Share of the check-ins in each hour of the day."""
    ax.stairs(100 * hours / hours.sum(), fill=True, color="0.85")
    ax.stairs(100 * hours / hours.sum(), color=figures.look("purkayastha").colour)
    figures.reference_line(ax, 100 / HOURS)
    figures.write_beside(ax, "even", (0.3, 100 / HOURS), (0, 0), va="bottom")
    figures.day_ticks(ax)
    ax.set_ylabel("check-ins per hour (%)")


def draw_statistics(table):
    """Hours of the day, check-ins of venues and of people, for the real sample and each data set."""
    datasets = table["dataset"].unique()
    figure, axes = figures.panels(3, 45.0)
    for number, dataset in enumerate(datasets):
        line = style_of(dataset, number)
        day, venues, people = (
            figures.rows_with(table, dataset=dataset, statistic=statistic).astype({"at": float})
            for statistic in ("hours of the day", "check-ins at a venue", "check-ins of a person")
        )
        axes[0].plot(day["at"] + 0.5, 100 * day["value"], **line)
        venues = venues[venues["value"] > 0]
        axes[1].plot(venues["at"], 100 * venues["value"], **line)
        axes[2].plot(people["value"], 100 * people["at"], **line)
    figures.day_ticks(axes[0])
    axes[0].set(xlabel="local time (hours)", ylabel="check-ins per hour (%)")
    axes[0].set_ylim(0, 1.05 * axes[0].get_ylim()[1])
    axes[1].set(xlabel="check-ins n", ylabel="venues with n or more (%)", xscale="log", yscale="log")
    axes[2].set(xlabel="check-ins n", ylabel="people with n or fewer (%)", xscale="log", ylim=(0, 100))
    for axis in (axes[1].xaxis, axes[1].yaxis, axes[2].xaxis):
        axis.set_major_locator(LogLocator(subs=(1, 2, 5) if axis is axes[2].xaxis else (1,)))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_formatter(NullFormatter())
    hours = figures.rows_with(table, statistic="hours of the day")
    hours = 100.0 * hours.pivot(index="at", columns="dataset", values="value")
    apart = hours.sub(hours[datasets[0]], axis=0).abs().to_numpy().max()
    text = f"Hours differ by at most {apart:.1f} points from the {figures.dataset_title(datasets[0])}"
    return figures.with_headline(figure, text, axes)


def style_of(dataset, number):
    """Line of a data set, on top of the thick grey line of the real sample, which comes first."""
    label = figures.dataset_title(dataset)
    if number == 0:
        return {"label": label, "color": "0.65", "linewidth": 3.5, "solid_capstyle": "round"}
    colour = seaborn.color_palette("colorblind")[number - 1]
    dashes, filled = [("-", colour), ((0, (4, 1.5)), "white")][(number - 1) % 2]
    marker = "os^Dv"[(number - 1) % 5]
    return {"label": label, "color": colour, "linestyle": dashes, "marker": marker, "markerfacecolor": filled}


if __name__ == "__main__":
    with figures.figure_job(snakemake):
        counted = [count(Path(path).stem, path) for path in snakemake.input.checkins]
        figures.save(draw(counted), snakemake.output.places)
        table = pd.read_csv(snakemake.input.statistics)
        figures.save(draw_statistics(table), snakemake.output.statistics)
