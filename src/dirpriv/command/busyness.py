"""Estimate the hours of places from a released file of times and places.

Estimate when the people of a place are there, and the share of each place. The input is
a released file with a time and a place in each row, and its guarantee. The noise of
both is taken out together. The 95 % intervals need no assumptions about the true
values.

examples:
  dirpriv busyness visits.csv --at 40.7505,-73.9934 --around 500m --bins 8
  dirpriv busyness visits.csv --at 40.75,-74 --around 2km --districts 2 --plot 4.png
  dirpriv busyness visits.csv --venues venues.csv --json hours.json
  dirpriv busyness items.csv --csv hours.csv             (released items of a list)

places: --at is the middle of a square, and --around half of its side. With --districts
the square has that many districts along each side, and each has its own hours. With
--venues each venue of a public list has its hours, as if all people were at one of
them. Then --around gives intervals, of the people in a square around each venue. The
list has the columns item, latitude and longitude. Released items have their list in
the guarantee.

units: shares of a bin are of the people of that place, in percent. --csv and --json
contain fractions of 1.

blur: noise of 3 h and 200 m hides who came when, and where. The hours are seen through
a blur as wide as a bin, and as a district. A person counts in the bins and districts
around, with weights that add up to 1. The command takes the most bins whose shares are
known to about 10 points, and never more. It refuses finer --bins or --districts, with
the number of people that they need.

estimate: the hours of a place with few reports are drawn towards those of all people,
and these towards even hours. How far follows from the reports. So a place that is like
all others may be a place with few reports: look at the interval.

intervals: each interval contains the true share of its bin at its place with a
probability of at least 95 %. This holds for all people, one bin of one place at a time,
if a person has one row: one person, one report.
"""

import argparse
import functools
import math
import textwrap
from typing import TYPE_CHECKING, Any

from dirpriv._lib import formatting
from dirpriv.command import histogram, options, released_files, terminal

if TYPE_CHECKING:
    from dirpriv.estimators import BusynessEstimate


SHOWN = 4  # places whose hours are printed: those with the most people
_HOLDS = f"{histogram.BARS} Each interval holds for one bin of one place, for all people: one person, one report. It "
_HOLDS += "is seen through a blur as wide as a bin and a square."
_NONE = "There are no intervals of venues without --around, nor where times and places have one noise."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    released_files.add_files(parser, None, groups=False)
    add = parser.add_argument
    add("--places", metavar="COLUMN", help="name of the column of latitudes or items, if there are several")
    add("--at", type=options.place, metavar="LAT,LON", help="middle of the square of places")
    add("--around", dest="reach", metavar="LENGTH", help="half of its side, such as 500m")
    add("--districts", type=options.whole_number, default=1, help="districts along its side (1)")
    add("--venues", dest="items", metavar="FILE", help="a public list: hours of its venues, and not of districts")
    add("--bins", type=options.whole_number, help="number of equal bins (as many as the reports support)")
    released_files.add_outputs(parser)


def run(arguments: argparse.Namespace) -> None:
    released_files.check_outputs(arguments)
    from dirpriv.estimators import estimate_busyness
    from dirpriv.pictures import draw_busyness

    kinds = {"column": "times of day", "places": "places or items"}
    times, places = parts = released_files.read_together(arguments, kinds)
    period, angles = times.column.release().period, (times.reports.cells + 0.5) * (math.tau / times.column.cells)
    positions, named, how = _places(arguments, places)
    if times.guarantee.together == "either":  # one noise
        parts = [times._replace(column=times.guarantee.columns[0])]
    noises, how["bins"] = [part.column.release().noise for part in parts], arguments.bins
    with terminal.progress() as say:
        say("busyness: estimating the hours")
        busyness = estimate_busyness(angles, positions, *noises, weights=times.reports.counts, **how)
    described = _described(busyness, names := named(busyness), period)
    if not described:
        raise options.Misuse("no district of the square lies within the region of the release: take a smaller --around")
    lines = [line for part in parts for line in released_files.heading([part])]
    lines += [*textwrap.wrap(_about(busyness, period), 83), ""]
    for of in described[:SHOWN]:
        title = f"{of['place']}: {formatting.percent(of['share'])} of the people"
        lines += [title, *histogram.table(of["bins"]), ""]
    if more := len(described) - len(described[:SHOWN]):
        lines += [f"{more} places with fewer people are in --csv and --json, and --plot draws them."]
    has_ends = "low" in described[0]["bins"][0]
    lines += textwrap.wrap(_HOLDS if has_ends else _NONE, 83) + released_files.cautions(parts[:1]) * has_ends
    if has_ends and max(bin["high"] - bin["low"] for bin in described[0]["bins"]) > 0.4:
        lines += ["These intervals say little. Use fewer --bins, more people or a higher level."]
    around = "" if arguments.at is None else f" around {arguments.at[0]:g}, {arguments.at[1]:g}"
    title = arguments.title or f"Hours of places{around}, from '{times.column.name}'"
    look = {"names": names, "period": period, "title": title, "guarantee": released_files.promise(parts)}
    error = busyness.error if math.isfinite(busyness.error) else None
    blurs = {"blur": period / busyness.bins, "blur_metres": busyness.side, "unsmoothed_error": error}
    document = released_files.described(None, parts, busyness, [], **blurs, places=described)
    rows = [{"place": of["place"], "of_all": of["share"], **bin} for of in described for bin in of["bins"]]
    draw = functools.partial(draw_busyness, busyness, **look)
    released_files.finish(arguments, lines, {"results": [document]}, released_files.rows(rows), draw)


def _places(arguments: argparse.Namespace, part: released_files.FilePart) -> tuple[Any, Any, dict[str, Any]]:
    """The reports of places as an estimator takes them, names of what it estimates, and what is asked for."""
    import numpy as np

    from dirpriv._inputs.units import metres as metres_of
    from dirpriv.release.files.settings_to_columns import public_list

    column, is_list = part.column, part.column.kind == "item"
    is_square = (arguments.at, arguments.districts) != (None, 1)
    if (is_square and (arguments.items or is_list)) or (is_list and arguments.reach is not None):
        raise options.Misuse("--at and --districts are of a square, and not of a list, and --around not of its items")
    square: dict[str, Any] = {} if arguments.reach is None else {"reach": float(metres_of("reach", arguments.reach))}
    if is_list:
        if arguments.items:
            raise options.Misuse(f"{part.path!r} has the list of its items in its guarantee: leave out --venues")
        return part.reports.cells, lambda _: list(map(column.label, range(column.cells))), {}
    release, map_of = column.release(), column.read.map
    metres = np.stack(part.reports.cells, axis=-1) * release.cell_size
    if arguments.items:
        names, *degrees = map(np.array, public_list(arguments.items))
        venues = np.stack(release.cells_of(*degrees), axis=-1) * release.cell_size
        return metres, lambda _: names.tolist(), square | {"venues": venues}
    if arguments.at is None or arguments.reach is None:
        raise options.Misuse("say which places: --at and --around of a square, or --venues of a public list")
    if map_of.outside(*arguments.at):
        region = f"{column.region_reach} of {column.region_centre}"
        raise options.Misuse(f"--at must be in the region of the release, within {region}; got {arguments.at}")
    origin = np.stack(release.cells_of(*arguments.at)) * release.cell_size

    def named(busyness: "BusynessEstimate") -> list[str]:
        pairs = zip(*map_of.unprojected(*(busyness.places + origin).T), strict=True)
        return [f"{latitude:.4f}, {longitude:.4f}" for latitude, longitude in pairs]

    square |= {"districts": arguments.districts, "region": (*(-origin), release.region_reach)}
    return metres - origin, named, square


def _described(busyness: "BusynessEstimate", names: list[str], period: float) -> list[dict[str, Any]]:
    """What ``--json`` says of each place that was asked for: its name, its share of the people, and its bins."""
    places = []
    for place in busyness.asked.nonzero()[0].tolist():
        names_of = {"share": "blurred", "low": "low", "high": "high", "unblurred": "hours"}
        if not math.isfinite(busyness.low[place].sum()):
            names_of = {"share": "hours"}
        columns = {name: getattr(busyness, of)[place] for name, of in names_of.items()}
        bins = histogram.bins_of(busyness.edges, period, **columns)
        places.append({"place": names[place], "share": float(busyness.shares[place]), "bins": bins})
    return sorted(places, key=lambda place: -place["share"])


def _about(busyness: "BusynessEstimate", period: float) -> str:
    """What the tables of bins are."""
    text = f"Estimated hours of the people of each place, in bins of {formatting.span(period / busyness.bins, period)}"
    if math.isfinite(busyness.error):
        text += f" and districts of {formatting.length(busyness.side)}. The reports support them: without smoothing, a "
        return f"{text}share is off by {100.0 * busyness.error:.1f} points."
    around = f". Intervals are of the people in a square of {formatting.length(busyness.side)} around each"
    return f"{text}{around * (busyness.side > 0.0 and math.isfinite(busyness.low.sum()))}."
