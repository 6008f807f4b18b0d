"""Estimate the hours of places from a released file of times and places.

Estimate when the people of a place are there, and the share of each place. The input is
a released file with a time and a place in each row, and its guarantee. The noise of both
is taken out together. The 95 % intervals need no assumptions about the true values.

examples:
  dirpriv busyness visits.csv --at 40.7505,-73.9934 --around 500m --bins 8
  dirpriv busyness visits.csv --at 40.75,-73.98 --around 1500m --districts 3 --plot city.png
  dirpriv busyness visits.csv --venues venues.csv --json hours.json
  dirpriv busyness items.csv --csv hours.csv             (released items of a list)

places: --at is the middle of a square, and --around half of its side. With --districts
the square has that many districts along each side, and each has its own hours. With
--venues each venue of a public list has its hours, as if all people were at one of them.
The list has the columns item, latitude and longitude. Released items have their list in
the guarantee.

units: shares of a bin are of the people of that place, in percent. --csv and --json
contain fractions of 1.

blur: noise of 3 h and 200 m hides who came when, and where. The hours are seen through a
blur as wide as a bin, and as a district. A person counts in the bins and districts
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

from dirpriv._inputs import units
from dirpriv._lib import formatting
from dirpriv.command import histogram, options, released_files, terminal

if TYPE_CHECKING:
    from dirpriv.estimators import BusynessEstimate


SHOWN = 4  # places whose hours are printed: those with the most people
_SQUARE = ("at", "reach", "districts")
_PRINTED = ("from", "to", "share", "low", "high")
_OTHERS = "--csv and --json have all of them, and --plot draws them."
_HOLDS = "Each interval holds for one bin of one place, for all people: one person, one report."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("files", nargs=1, metavar="FILE", help="a released file of times and places: .csv, .csv.gz or .parquet")
    add("--guarantee", action="append", metavar="FILE", help="guarantee of the file (FILE.guarantee.json)")
    add("--column", help="name of the column of times, if there are several")
    add("--places", metavar="COLUMN", help="name of the column of latitudes or of items, if there are several")
    add("--at", type=options.place, metavar="LAT,LON", help="middle of the square of places")
    add("--around", dest="reach", type=options.metres, metavar="LENGTH", help="half of its side, such as 500m")
    add("--districts", type=options.whole_number, help="districts along its side (1)")
    add("--venues", metavar="FILE", help="a public list: hours of its venues, and not of districts")
    add("--bins", type=options.whole_number, help="number of equal bins of the day (as many as the reports support)")
    released_files.add_outputs(parser)


def run(arguments: argparse.Namespace) -> None:
    released_files.check_outputs(arguments)
    from dirpriv.estimators import estimate_busyness
    from dirpriv.pictures import draw_busyness
    from dirpriv.release.guarantee.columns import ItemColumn, PlaceColumns, TimeColumn

    kinds = {"column": (TimeColumn,), "places": (PlaceColumns, ItemColumn)}
    times, places = parts = released_files.read_together(arguments, kinds)
    period, angles = times.column.release().period, (times.reports.cells + 0.5) * (math.tau / times.column.cells)
    positions, named, how = _places(arguments, places)
    noises = times.column.release().noise, places.column.release().noise
    with terminal.progress() as say:
        say("busyness: estimating the hours")
        how |= {"bins": arguments.bins, "weights": times.reports.counts}
        busyness = estimate_busyness(angles, positions, *noises, **how)
    names = [name for name, asked in zip(named(busyness), busyness.asked, strict=True) if asked]
    described = sorted(_described(busyness, names, period), key=lambda place: -place["share"])
    lines, warnings = [line for part in parts for line in released_files.heading([part])], []
    warnings += formatting.warning(getattr(busyness, "warning", ""))
    lines += [*textwrap.wrap(_about(busyness, parts, period), 83), ""]
    for place in described[:SHOWN]:
        lines += [f"{place['place']}: {formatting.percent(place['share'])} of the people", *_table(place["bins"]), ""]
    if len(described) > SHOWN:
        lines += textwrap.wrap(f"These have the most people of {len(described)} places. {_OTHERS}", 83)
    if "low" in described[0]["bins"][0]:
        lines += ["Bars: o is the estimate, - the interval, # the range below the interval."]
    lines += [*textwrap.wrap(_HOLDS, 83), *released_files.cautions(parts[:1]), *warnings]
    look = {"names": names, "period": period, "guarantee": _promise(parts)}
    look["title"] = arguments.title or f"Hours of places, from '{times.column.name}'"
    document = released_files.described(None, parts, busyness, warnings, **_blurs(busyness, period), places=described)
    rows = [{"place": of["place"], "of_all": of["share"], **bin} for of in described for bin in of["bins"]]
    draw = functools.partial(draw_busyness, busyness, **look)
    released_files.finish(arguments, lines, {"results": [document]}, released_files.rows(rows), draw)


def _places(arguments: argparse.Namespace, part: released_files.FilePart) -> tuple[Any, Any, dict[str, Any]]:
    """The reports of places as an estimator takes them, names of what it estimates, and what is asked for."""
    import numpy as np

    from dirpriv.release import PlaceColumns
    from dirpriv.release.files.settings_to_columns import public_list

    column, square = part.column, {name: getattr(arguments, name) for name in _SQUARE}
    given = [f"--{name.replace('reach', 'around')}" for name, value in square.items() if value is not None]
    if not isinstance(column, PlaceColumns):
        if given or arguments.venues:
            rule = f"{part.path!r} has items, whose list is in its guarantee: leave out"
            raise options.Misuse(f"{rule} {' and '.join([*given, *['--venues'] * bool(arguments.venues)])}")
        items = list(map(column.label, range(column.cells)))
        return part.reports.cells, lambda _: items, {}
    release, size = column.release(), column.release().cell_size
    metres = np.stack(part.reports.cells, axis=-1) * size
    if arguments.venues:
        if given:
            raise options.Misuse(f"--venues gives the places: leave out {' and '.join(given)}")
        items, *degrees = map(np.array, public_list(arguments.venues))
        return metres, lambda _: items.tolist(), {"venues": np.stack(release.cells_of(*degrees), axis=-1) * size}
    if arguments.at is None or arguments.reach is None:
        raise options.Misuse("say which places: --at and --around of a square, or --venues of a public list")
    if column.read.map.outside(*arguments.at):
        rule = f"must be in the region of the release, within {column.region_reach} of {column.region_centre}"
        raise options.Misuse(f"--at {rule}; got {arguments.at}")
    origin = np.stack(release.cells_of(*arguments.at)) * size

    def names(busyness: "BusynessEstimate") -> list[str]:
        pairs = zip(*column.read.map.unprojected(*(busyness.places + origin).T), strict=True)
        return [f"{latitude:.4f}, {longitude:.4f}" for latitude, longitude in pairs]

    region = (*(-origin).tolist(), release.region_reach)
    reach = float(units.metres("reach", arguments.reach))
    return metres - origin, names, {"reach": reach, "districts": arguments.districts or 1, "region": region}


def _described(busyness: "BusynessEstimate", names: list[str], period: float) -> list[dict[str, Any]]:
    """What ``--json`` says of each place that was asked for: its name, its share of the people, and its bins."""
    import numpy as np

    ends, asked = released_files.bin_names(busyness.edges, period), busyness.asked
    values = {"share": busyness.hours}
    if np.isfinite(busyness.low[asked]).all():
        values = {"share": busyness.blurred, "low": busyness.low, "high": busyness.high, "unblurred": busyness.hours}
    of_places = np.stack([of[asked] for of in values.values()], axis=-1).tolist()
    return [
        {"place": name, "share": share, "bins": [
            {"from": first, "to": last} | dict(zip(values, of, strict=True))
            for (first, last), of in zip(ends, bins, strict=True)
        ]}
        for name, share, bins in zip(names, busyness.shares[asked].tolist(), of_places, strict=True)
    ]  # fmt: skip


def _blurs(busyness: "BusynessEstimate", period: float) -> dict[str, Any]:
    """What ``--json`` says of the blur: hours or degrees, metres, and the error of a district without smoothing."""
    error = busyness.error if math.isfinite(busyness.error) else None
    return {"blur": period / busyness.bins, "blur_metres": busyness.side, "unsmoothed_error": error}


def _about(busyness: "BusynessEstimate", parts: Any, period: float) -> str:
    """What the tables of bins are."""
    confidence, blur = formatting.percent(busyness.confidence, 0), formatting.span(period / busyness.bins, period)
    text = f"Both values of a row together: {_promise(parts)}. Estimated hours of the people of each place"
    if not busyness.side:
        return f"{text}, in bins of {blur}."
    text += f", with {confidence} confidence intervals, seen through a blur of {blur} and "
    text += f"{formatting.length(busyness.side)}: what the reports support. Without smoothing, a share is off by "
    return f"{text}{100.0 * busyness.error:.1f} points."


def _promise(parts: Any) -> str:
    return " and ".join(released_files.promise([part]) for part in parts)


def _table(bins: list[dict[str, Any]]) -> list[str]:
    if "low" in bins[0]:
        return histogram.table([{name: bin[name] for name in _PRINTED} for bin in bins])
    scale = histogram.BAR / max(bin["share"] for bin in bins)
    rows = [[f"{bin['from']}-{bin['to']}", formatting.percent(bin["share"])] for bin in bins]
    bars = ["#" * round(scale * bin["share"]) for bin in bins]
    return formatting.table([[*row, bar] for row, bar in zip(rows, bars, strict=True)], right=(1,))
