"""One day of three districts, from check-ins to hours: ``python tools/draw_hours.py docs/hours_of_places.png``.

Invented check-ins of offices, bars and a park are released, each row with a private time and a private place. The
picture has for each of three districts the true hours of its people, the reports that lie in it, and the estimate from
all reports. Draws of releases have no seed, so each run has other ones. With ``--table FILE`` the check-ins are written
as a table, too: those of docs/hours_of_places.md.
"""

import argparse
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from dirpriv import estimators, geometry, pictures
from dirpriv.geometry import earth
from dirpriv.release import CircleRelease, PlaneRelease

PEOPLE, LEVEL, SIDE = 60_000, 1.0, 1500.0
REGION = {"region_centre": (40.75, -73.98), "region_reach": "10km", "cell_size": "10m"}
# share of the people, metres east and north, their deviation, mean hour and its deviation
KINDS = {
    "offices": (0.35, 0.0, 0.0, 350.0, 10.0, 2.5),
    "bars": (0.25, 1500.0, 0.0, 400.0, 21.5, 2.0),
    "park": (0.15, -1500.0, -1500.0, 500.0, 15.0, 3.0),
    "elsewhere": (0.25, 0.0, 0.0, 3000.0, 8.0, 5.0),
}
BLUE, ORANGE, GREY = "#0072b2", "#d55e00", "0.6"  # distinct for the colour-blind (Okabe and Ito)


def invented_checkins():
    """Hours, and metres east and north of the middle."""
    rng = np.random.default_rng(70)
    share, east, north, spread, hour, around = np.array(list(KINDS.values())).T
    kind = rng.choice(len(KINDS), PEOPLE, p=share)
    metres = rng.normal(np.stack([east, north], axis=-1)[kind], spread[kind, None])
    return rng.normal(hour[kind], around[kind]) % 24.0, metres


def reported(hours, places):
    """What is released of each check-in: an angle, and the metres of a place."""
    day, city = CircleRelease.within(LEVEL, "3h"), PlaneRelease.within(LEVEL, "200m", **REGION)
    times = day.randomise_angles(geometry.hours_to_angles(hours))
    cells = city.cells_of(*city.randomise_places(*places.T))
    return times, 10.0 * np.stack(cells, axis=-1), (day.noise, city.noise)


def within(metres, middle):
    """Which points lie in the district around a middle."""
    return (np.abs(metres - middle) <= SIDE / 2.0).all(axis=1)


def drawn(hours, metres, times, reports, busyness):
    """A row for each district: the true hours, those of the reports that lie in it, and the estimate."""
    edges = np.arange(busyness.bins + 1) * 24.0 / busyness.bins
    figure = Figure(figsize=(6.7, 4.6), layout="constrained")
    axes = figure.subplots(3, 3, sharex=True, sharey=True)
    for row, (name, (_, *middle, _, _, _)) in zip(axes, KINDS.items(), strict=False):
        place = int(np.abs(busyness.places - middle).sum(axis=1).argmin())
        reported_hours = times * 24.0 / geometry.TURN
        for ax, of, where, colour in ((row[0], hours, metres, GREY), (row[1], reported_hours, reports, ORANGE)):
            counts, _ = np.histogram(of[within(where, middle)], edges)
            ax.stairs(100.0 * counts / counts.sum(), edges, fill=True, color=colour, alpha=0.6)
        row[2].stairs(100.0 * busyness.hours[place], edges, fill=True, color=BLUE, alpha=0.4)
        for ax in row:
            ax.spines[["top", "right"]].set_visible(False)
        row[0].set_ylabel(f"{name}\n% of the people")
        row[1].annotate(f"{within(reports, middle).sum():,} reports", (0.03, 0.9), xycoords="axes fraction", fontsize=8)
    for ax, title in zip(axes[0], ("true, never seen", "reports in the district", "estimate"), strict=True):
        ax.set_title(title, loc="left", fontsize=9)
    axes[0, 0].set(xlim=(0.0, 24.0), xticks=[0, 6, 12, 18, 24])
    figure.supxlabel("hour of the day", fontsize=9)
    return figure


def main():
    """Draw, and print how far the reports and the estimate are from the true hours."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("picture", type=Path, help="file .png or .pdf")
    parser.add_argument("--table", type=Path, help="also write the check-ins as CSV")
    arguments = parser.parse_args()
    hours, metres = invented_checkins()
    places = earth.destination(REGION["region_centre"], np.arctan2(*metres.T), np.hypot(*metres.T))
    if arguments.table:
        clocks = [f"{int(hour):02}:{int(hour % 1.0 * 60.0):02}" for hour in hours]
        rows = [f"{clock},{at[0]:.6f},{at[1]:.6f}" for clock, at in zip(clocks, places, strict=True)]
        arguments.table.write_text("\n".join(["time,lat,lon", *rows, ""]), encoding="utf-8")
    times, reports, noises = reported(hours, places)
    busyness = estimators.estimate_busyness(times, reports, *noises, reach=1.5 * SIDE, districts=3, confidence=None)
    figure = drawn(hours, metres, times, reports, busyness)
    arguments.picture.write_bytes(pictures.figure_bytes(figure, arguments.picture.suffix.removeprefix(".")))


if __name__ == "__main__":
    main()
