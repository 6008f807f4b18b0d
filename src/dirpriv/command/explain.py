"""Explain a privacy level: how large the noise is, and what a report reveals.

Explain what a privacy level means. The numbers describe the noise that
'dirpriv release' adds with the same options. This command reads no file but a public
list of items.

examples:
  dirpriv explain --level 1 --within 3h
  dirpriv explain --level 1 --within 3h --at 17:30 --plot level.png
  dirpriv explain --level 1 --within 12h --period 7d --at "Sat 11:00"
  dirpriv explain --level 1 --within 45deg --at 270deg
  dirpriv explain --level 1 --within 200m
  dirpriv explain --level 1 --within 3h --within 200m --together either
  dirpriv explain --level 1 --within 200m --items venues.csv
  dirpriv explain --level 1.386 --within 200m --cell-size 10m --region-reach 30km

units: --within is in h, min, s or d for times, in deg or rad for headings, and in m
or km for places. A level has no unit.
"""

import argparse
import functools
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from dirpriv._lib import formatting
from dirpriv._lib.rounding import upwards
from dirpriv.command import new_files, options, released_files, terminal

PEOPLE = 100, 1000, 10_000
_SPLIT = "Two noises that share this level, with the same mean cosine of times, move places 1.26, 1.45 and 1.61 times "
_SPLIT += "as far at the levels 1, 2 and 4 within 3 h. They promise more to visits that are near in one of the two."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    options.add_level(parser, action="append")
    options.add_settings(parser, "together")
    at = 'true time of an example person (08:15); "Tue 08:15" in a week, 90deg for headings'
    parser.add_argument("--at", metavar="TIME", help=at)
    options.add_settings(parser, "cells", "period")
    region = {"region_reach": "radius of the region for places (30km)"}
    region |= {"cell_size": "side of a cell for places (a twentieth of ``radius``)"}
    options.add_settings(parser, *options.REGION, texts=region)
    options.add_settings(parser, "items")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="also draw it: a new .png or .pdf")


def run(arguments: argparse.Namespace) -> None:
    from dirpriv import pictures  # which imports matplotlib when it draws
    from dirpriv._inputs import units
    from dirpriv.release import PlaneRelease
    from dirpriv.release.release_arguments import TURN, circle_cells, time_radius, time_release

    level, (radius, *others) = arguments.level, arguments.radius
    released_files.check_outputs(arguments)
    guarantee = formatting.level_within(level, radius)
    if units.kind_of(radius) is None:
        raise units.refused("radius", radius, units.CIRCLE + units.LENGTH)
    if arguments.items is not None:
        if arguments.plot is not None:
            raise options.Misuse("--plot is for times and places: of a list, the noise of each item is another")
        return terminal.show(_about_items(arguments.items, level, radius) + options.cautions(level))
    if arguments.together is not None or others:
        return terminal.show(_about_visits(arguments) + options.cautions(level))
    if options.is_length(radius):
        if arguments.at is not None:
            rule = f"--at is a time, but --within {radius} is a length"
            raise options.Misuse(f"{rule}: leave --at out, or give --within as 3h")
        places = PlaneRelease.within(level, radius, **_region(arguments, radius))
        lines = _about_places(places, level, radius)
        drawn = pictures.draw_place_noise(places.noise, guarantee=guarantee) if arguments.plot else None
    else:
        if arguments.region_reach or arguments.cell_size or arguments.region_centre:
            rule = f"a region and --cell-size are for places, but --within {radius} is for times"
            raise options.Misuse(f"{rule}: leave them out, or give --within as 200m")
        headings = units.kind_of(radius) in units.ANGLE and arguments.period == "24h"
        period = TURN if headings else arguments.period
        circle = circle_cells(arguments.cells, period)
        times = time_release(level, time_radius(radius, circle, headings), circle)
        at = options.time_of(arguments.at or ("90" if headings else "08:15"), times.period)
        lines = _about_times(times, level, radius, at)
        drawn = pictures.draw_time_noise(times, at, guarantee=guarantee) if arguments.plot else None
    lines += options.cautions(level)
    if drawn is not None:
        lines += ["", new_files.save(drawn, arguments.plot)]
    terminal.show(lines)


def _about_times(release: Any, level: float, radius: str, at: float) -> list[str]:
    from dirpriv.estimators import normal_mean_error
    from dirpriv.release import meaning

    period, half = release.period, release.period / 2.0
    what = "heading" if period == formatting.TURN else "time"
    span = functools.partial(formatting.span, period=period)
    width = period / release.cells
    seconds = not formatting.in_minutes([width])
    near = ""
    if width <= 1.0 <= half and what == "time":
        share = release.noise._cumulative[1:][int(1.0 / width + 1e-9)]
        near = f"{formatting.percent(share)} of the reports are within an hour. "
    errors = [normal_mean_error(release.noise, people) * half / math.pi for people in PEOPLE]
    return [
        f"Level {upwards(level)} within {span(meaning.radius_hours(release, radius))}. {what.title()}s are "
        f"rounded to {release.cells} cells of {span(width)}.",
        *_losses(what, meaning.odds(release, radius)),
        f"Noisy reports of a person whose true {what} is {formatting.clock(at, period, seconds)}:",
        *formatting.table(meaning.landings(release, at)),
        f"  {near}The mean distance is {span(release.noise.mean_angle() / math.pi * half)}.",
        "",
        f"Average error of the mean {what}, estimated from these reports, if all people have the",
        f"same {what} (a random guess is off by {span(half / 2.0)} on average):",
        *_off(map(span, errors), span(width / 2.0)),
    ]


def _about_places(release: Any, level: float, radius: str) -> list[str]:
    import numpy as np

    from dirpriv._inputs.units import metres
    from dirpriv.release import meaning

    length, noise = float(metres("radius", radius)), release.noise
    # the square of the distance has the mean ∫ r(u)² du, r the quantile function
    u = (np.arange(100_000) + 0.5) / 100_000
    deviation = math.sqrt(float(np.mean(np.asarray(noise.radius_ppf(u)) ** 2)) / 2.0)  # along each axis
    errors = [deviation * math.sqrt(math.pi / 2.0 / people) for people in PEOPLE]
    near = formatting.percent(1.0 - float(noise.radius_sf(length)))
    return [
        f"Level {upwards(level)} within {formatting.length(length)}. Places are rounded to cells of "
        f"{formatting.length(release.cell_size)}, in a region of {formatting.length(release.region_reach)} "
        "around its centre.",
        *_losses("place", meaning.places_odds(release, radius)),
        "Distance of a noisy report from the true place:",
        *formatting.table(meaning.places_landings(release)),
        f"  {near} of the reports are within {formatting.length(length)}. The mean distance is "
        f"{formatting.length(noise.mean_radius())}.",
        "",
        "Average error of the mean place, estimated from these reports, if all people are at",
        "the same place:",
        *_off(map(formatting.length, errors), formatting.length(release.cell_size / math.sqrt(2.0))),
    ]


def _region(arguments: argparse.Namespace, radius: str) -> dict[str, Any]:
    """The region of places: what was not given has usual values."""
    from dirpriv._inputs.units import metres

    size = arguments.cell_size or f"{float(metres('radius', radius) / 20):f}m"
    centre, reach = arguments.region_centre or (0.0, 0.0), arguments.region_reach or "30km"
    return {"region_centre": centre, "region_reach": reach, "cell_size": size}


def _about_visits(arguments: argparse.Namespace) -> list[str]:
    from dirpriv.release import FileGuarantee, PlaceColumns, TimeColumn, meaning
    from dirpriv.release.guarantee.columns import combined

    radii, level = sorted(arguments.radius, key=options.is_length), arguments.level
    if arguments.together is None or [*map(options.is_length, radii)] != [False, True]:
        raise options.Misuse("--together goes with --within twice, as --within 3h --within 200m")
    if any(value is not None for value in (arguments.at, arguments.items, arguments.plot)):
        raise options.Misuse("--at, --items and --plot do not go with --together")
    times = TimeColumn("time", level, radii[0], arguments.cells, arguments.period)
    places = PlaceColumns(("latitude", "longitude"), level, radii[1], **_region(arguments, radii[1]))
    columns = combined([times, places], arguments.together)
    noises: list[Any] = [column.release().noise for column in columns]
    mean_time = formatting.span(noises[0].mean_angle() / math.tau * (period := times.release().period), period)
    about = FileGuarantee(columns, together=arguments.together).text().splitlines()[0]
    about += f" The mean distance of a noisy report is {mean_time} in time and "
    about += f"{formatting.length(noises[-1].mean_radius())} in place."
    odds = meaning.visits_odds(times.release(), places.release(), radii, arguments.together == "sum")
    lines = [*terminal.wrapped(about), *_losses("visit", odds)]
    return lines + (terminal.wrapped(_SPLIT) if arguments.together == "either" else [])


def _about_items(path: str, level: float, radius: str) -> list[str]:
    from dirpriv.release import ItemColumn, meaning
    from dirpriv.release.files.settings_to_columns import public_list

    column = ItemColumn("item", level, radius, *public_list(path))
    mean = formatting.length(column.release().noise.mean_distance())
    lines = [*terminal.wrapped(column.text()), *_losses("item", meaning.places_odds(column.release(), radius))]
    return [*lines, f"The mean distance of a noisy report from the true item is {mean}."]


def _losses(what: str, rows: list[list[str]]) -> list[str]:
    return [
        "",
        f"One report changes an observer's odds between two true {what}s by at most the factor in",
        "the second column. Odds of 50:50 become at most the odds in the last column.",
        *formatting.table(rows),
        "Levels add up. Two reports of one person together have twice the level.",
        "",
    ]


def _off(errors: Iterable[str], rounding: str) -> list[str]:
    rows = [[f"{people} people", error] for people, error in zip(PEOPLE, errors, strict=True)]
    return [*formatting.table(rows), f"  Rounding to cells adds an error of at most {rounding}."]
