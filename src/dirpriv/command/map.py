"""Estimate the density of places from a released file.

Estimate the density of people's true places, seen through a blur, and the shares of
square districts. The input is a released file of places and its guarantee. The share of
each district has a 95 % confidence interval, without assumptions about the true places.
A warning appears if uniform places could explain the reports.

examples:
  dirpriv map places.csv --plot map.png
  dirpriv map places.csv --reach 10km --blur 2km --plot centre.pdf
  dirpriv map places.csv --geojson cells.geojson    (also a central map)
  dirpriv map places.csv --plot map.png --outlines coast.geojson
  dirpriv map places.csv --csv density.csv
  dirpriv map east.csv west.csv --json map.json

units: kilometres east and north of the centre of the release, and people per square
kilometre. The upper and right axes of the map are in degrees. A --reach below that of
the release assumes that nobody was outside of it. Use it only if you know this.

blur: noise of 200 m hides on which side of a street a person was. So the intervals of
districts with hard edges are wide. Through a blur of width H, those of the same reports
are narrow. The density is that after a moving average over H along both axes, three
times: a person becomes a bump that reaches 1.5 H. The districts have the side H. A row
counts in the districts around it, with weights that add up to 1, which --json shows.

choice of the blur: without --blur, it follows from the number of reports and the noise.
An interval holds for a blur that was chosen before the reports were seen. If you try
several blurs or numbers of districts with the same reports, give their number with
--blurs. Few reports at a low level support no map. Then the command says what is
necessary.

picture: the density is drawn only where all intervals together show that people are
there. --edges hard shows the shares of districts with hard edges, with wide intervals.

intervals: each interval contains the true share of the rows in its district with a
probability of at least 95 %. This holds for every distribution of the true places, for
one district at a time. The estimate itself assumes a smooth density. Where it is
outside of its interval, rely on the interval.

--intervals smooth computes intervals for cells. They assume a smooth density and one
row per person. They fail for cells where many people share an address, mostly without
a warning. Simulations with 3000 people, within 200m, show how many intervals of these
cells contained the true share:
  half of the people at each of two addresses
    level 0.3  2 of 8
    level 1    0 of 8
    level 3    8 of 8
  a tenth at one address, all others uniform
    level 0.3  0 of 4
    level 1    3 of 4
    level 3    4 of 4
"""

import argparse
import codecs
import dataclasses
import functools
import itertools
import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib import formatting
from dirpriv.command import new_files, options, released_files, terminal

if TYPE_CHECKING:
    from dirpriv._lib.types import Array
    from dirpriv.estimators import PlaceDensityEstimate
    from dirpriv.release import PlaceColumns


_DEPTHS = {"LineString": 0, "MultiLineString": 1, "Polygon": 1, "MultiPolygon": 2}  # of lines in the coordinates
FEWEST = 3  # districts along a side, of soft ones
SHOWN = 10  # densest districts in the printed table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    released_files.add_files(parser, "several of one guarantee give one map", groups=False)
    add = parser.add_argument
    cells = "number of cells along each side of the map (48, at most 192)"
    add("--cells", type=options.whole_number, default=48, help=cells)
    blur = "width of the blur, such as 400m, chosen without the reports: the side of a district"
    add("--blur", metavar="LENGTH", help=blur)
    released_files.add_edges(parser, "district")
    districts = "districts along each side, at most 32 (as many as the blur allows; with hard edges 8, at most 16)"
    add("--districts", type=options.whole_number, help=districts)
    reach = "half the side of the map, such as 10km (--region-reach of the release)"
    add("--reach", metavar="LENGTH", help=reach)
    released_files.add_intervals(parser, "map")
    released_files.add_outputs(parser)
    add("--geojson", type=Path, metavar="FILE", help="also write the districts as a new .geojson")
    outlines = "lines for the picture, such as a coast or borders: GeoJSON in degrees"
    add("--outlines", type=Path, metavar="FILE", help=outlines)


def run(arguments: argparse.Namespace) -> None:
    released_files.check_outputs(arguments)
    if arguments.outlines is not None and arguments.plot is None:
        raise options.Misuse("--outlines needs --plot")
    outlines = [] if arguments.outlines is None else _outlines(arguments.outlines)
    from dirpriv import pictures
    from dirpriv._inputs.units import metres
    from dirpriv.command.histogram import weights
    from dirpriv.estimators import estimate_place_density
    from dirpriv.release.files.central import read_map
    from dirpriv.release.guarantee.file import CentralResult

    try:
        parts = released_files.read(arguments, "places")[0][None]
    except CentralResult as error:
        others = "column reach cells districts intervals outlines plot title csv json".split()
        usual = all(getattr(arguments, name) == arguments.parser.get_default(name) for name in others)
        if arguments.geojson is None or not usual or len(arguments.files) > 1:
            raise
        terminal.show([_written(arguments.geojson, *read_map(arguments.files[0], error.document))])
        return
    column, reports = parts[0].column, _together(parts)
    release = column.release()
    reach = release.region_reach if arguments.reach is None else float(metres("reach", arguments.reach))
    if reach > release.region_reach:
        rule = f"--reach must be at most that of the release, {column.region_reach}; got {arguments.reach!r}"
        raise options.Misuse(f"{rule}: the release moved places outside of its region to the border")
    noise: Any = release.noise  # it cannot draw, as the type of distributions asks
    inputs: dict[str, Any] = {name: getattr(arguments, name) for name in ("cells", "districts", "intervals", "blurs")}
    edges = "soft" if released_files.is_soft(arguments) else "hard"
    inputs |= {"reach": reach, "weights": reports.counts, "edges": edges}
    if arguments.blur is not None:
        inputs["blur"] = float(metres("blur", arguments.blur))
    about = list[str]()
    with terminal.progress() as say:
        say("map: estimating the density")
        try:
            density = estimate_place_density(reports.positions, noise, **inputs)
        except InvalidArgument as error:
            if error.argument is not None:
                raise
            about = [f"No map: {error.text(lambda name, _: name)}."]
            density = estimate_place_density(reports.positions, noise, **inputs | {"districts": FEWEST})
    if about and arguments.plot is not None:
        raise options.Misuse(f"--plot has nothing to draw. {about[0]}")
    heading, what = released_files.heading(parts), "cells" if density.intervals == "smooth" else "districts"
    if density.blur:
        blur, far = formatting.length(density.blur), formatting.length(1.5 * density.blur)
        text = f"Seen through a blur of {blur}: each row counts in the districts whose middles are within {far} along"
        about = [f"{text} both axes, with weights that add up to 1.", *about]
    rows = sorted(_districts(density, column), key=lambda of: -of["share"])
    border = _released_on_border(density, reports, release.region_reach)
    on_it = float(density.shares[density.on_border(release.region_reach)].sum())
    warnings = [*_warnings(reports, noise, reach, release.region_reach), *released_files.twice(parts)]
    notes = [*warnings, *formatting.warning(density.warning)]
    densest = f"The densest of {formatting.grid(density.districts, what)}, with "
    lines = [*heading, f"{densest}{formatting.percent(density.confidence, 0)} confidence intervals"]
    lines += [*textwrap.wrap(" ".join(about), 83), "", *_table(rows[:SHOWN]), ""]
    if any(of["border"] for of in rows[:SHOWN]):
        lines += textwrap.wrap(f"* on the {formatting.on_border(on_it, border)}", 83)
    lines += [*released_files.notes(density, parts, "district", "map", "a few addresses"), *notes]
    districts = [{name: float(f"{value:.8g}") for name, value in of.items()} for of in rows]
    look: dict[str, Any] = {"region": release.region_reach, "border": border, "warnings": warnings}
    look |= {"title": arguments.title or heading[-1], "outlines": outlines}
    draw = functools.partial(pictures.draw_map, density, release.region_centre, **look)
    if arguments.geojson is not None:
        sides = [(axis, sign / 2.0) for axis in ("east_m", "north_m") for sign in (-1.0, 1.0)]
        squares = [(of["longitude"], *(of[a] + half * of["side_m"] for a, half in sides)) for of in districts]
        lines.append(_written(arguments.geojson, release.region_centre, districts, squares))
    estimate = {"intervals": density.intervals, "region_centre": release.region_centre}
    estimate |= weights(density.blur) if density.blur else {}
    described = released_files.described(None, parts, density, notes, **estimate, districts=districts)
    table = released_files.rows(districts, digits=8)
    released_files.finish(arguments, lines, {"results": [described]}, table, draw)


def _outlines(path: Path) -> "list[Array]":
    """Lines, and borders of areas, in a file of GeoJSON (RFC 7946): latitudes and longitudes of each."""
    import numpy as np

    from dirpriv._inputs import strict_json

    try:
        content = path.read_bytes().removeprefix(codecs.BOM_UTF8)
        objects, lines = [strict_json.parsed(content)], list[Any]()
        for of in filter(None, objects):  # the loop adds those inside of each
            objects += of.get("features", []) + of.get("geometries", []) + [of.get("geometry")]
            parts = [of["coordinates"]] if of["type"] in _DEPTHS else []
            for _ in range(_DEPTHS.get(of["type"], 0)):
                parts = list(itertools.chain.from_iterable(parts))
            lines += parts
        places = [np.array([place[:2] for place in line], dtype=float).reshape(-1, 2)[:, ::-1] for line in lines]
    except (AttributeError, KeyError, OverflowError, TypeError, ValueError):
        places = []
    if not places:
        raise InvalidArgument("outlines", "must be GeoJSON with lines or areas", got=str(path))
    if not all((np.abs(line) <= [90.0, 360.0]).all() for line in places):
        rule, hint = "must be in degrees, longitudes first", "save it in WGS 84 (EPSG:4326)"
        raise InvalidArgument("outlines", rule, got=str(path), hint=hint)
    return places


def _together(parts: "Sequence[released_files.FilePart]") -> Any:
    """The reports of all files, whose noise must be the same."""
    import numpy as np

    first, names = parts[0], ("east", "north", "counts")
    for other in parts[1:]:
        if dataclasses.replace(other.column, names=first.column.names) != first.column:
            rule = f"{other.path!r} and {first.path!r} have different guarantees"
            raise options.Misuse(f"{rule}, and one map needs equal guarantees: draw a map of each file")
    fields = {name: np.concatenate([getattr(part.reports, name) for part in parts]) for name in names}
    return dataclasses.replace(first.reports, **fields)


def _released_on_border(density: "PlaceDensityEstimate", reports: Any, region: float) -> float:
    """Share of the released cells that lie in the cells of the map on the border of the region."""
    import numpy as np

    at = np.searchsorted(density.edges, reports.positions, side="right") - 1
    inside = np.all((at >= 0) & (at < len(density.edges) - 1), axis=1)
    on_it = density.on_border(region)[tuple(at[inside].T)]
    return float(reports.counts[inside][on_it].sum() / reports.counts.sum())


def _warnings(reports: Any, noise: Any, reach: float, region: float) -> list[str]:
    """What looks wrong: many reports far outside of the map, or almost all near the border of the region."""
    import numpy as np

    warnings, total = [], reports.counts.sum()
    spread = float(noise.radius_ppf(0.99))
    outside = np.abs(reports.positions).max(axis=1) > reach + spread
    share = float(reports.counts[outside].sum() / total)
    if share > 0.01:  # more than the spread explains
        text = f"Warning: {formatting.percent(share)} of the reports are more than {formatting.length(spread)} outside "
        warnings.append(f"{text}of the map. The map shows these people at its border. Use a larger --reach.")
    spread = float(noise.radius_ppf(0.95))
    near = np.hypot(*reports.positions.T) > region - spread
    if spread <= region / 4.0 and reports.counts[near].sum() >= 0.8 * total:
        text = "Warning: almost all reports are at the border of the released region. Check --region-centre of the "
        warnings.append(f"{text}release, and the order of latitudes and longitudes.")
    return warnings


def _districts(density: "PlaceDensityEstimate", column: "PlaceColumns") -> list[dict[str, float]]:
    """A row for each: centre in degrees and metres, side, people in a km², share, interval, border."""
    import numpy as np

    middles = (density.districts[1:] + density.districts[:-1]) / 2.0
    side = float(density.districts[1] - density.districts[0])
    east, north = (axis.ravel() for axis in np.meshgrid(middles, middles, indexing="ij"))
    columns = dict(zip(("latitude", "longitude"), column.release()._cells.unprojected(east, north), strict=True))
    columns |= {"east_m": east, "north_m": north, "side_m": np.full(east.size, side)}
    columns["people_per_km2"] = density.in_districts.ravel() * density.count / (side / 1000.0) ** 2
    columns |= {"share": density.in_districts.ravel(), "low": density.low.ravel(), "high": density.high.ravel()}
    columns["border"] = density.on_border(column.release().region_reach, districts=True).ravel()
    return released_files.records(**columns)


def _written(path: Path, origin: tuple[float, float], districts: Any, squares: Any) -> str:
    """Write the districts as polygons (RFC 7946); beyond ±180° the degrees of their corners go on."""
    import numpy as np

    from dirpriv.geometry import earth

    features = []
    for values, (longitude, west, east, south, north) in zip(districts, squares, strict=True):
        x, y = np.array([[west, east, east, west, west], [south, south, north, north, south]])
        corners = earth.destination(origin, np.arctan2(x, y), np.hypot(x, y))
        away = (corners[:, 1] - longitude + 180.0) % 360.0 - 180.0
        ring = np.stack([longitude + away, corners[:, 0]], axis=1).round(7).tolist()
        shape = {"type": "Polygon", "coordinates": [ring]}
        features.append({"type": "Feature", "geometry": shape, "properties": values})
    content = {"type": "FeatureCollection", "features": features}
    new_files.write_new(path, json.dumps(content, allow_nan=False).encode())
    return f"Written: {path}"


def _table(rows: list[dict[str, float]]) -> list[str]:
    lines = [["latitude", "longitude", "km east", "km north", "people per km²", "share", "interval", "", ""]]
    for of in rows:
        where = [f"{of[name]:.4f}" for name in ("latitude", "longitude")]
        where += [f"{of[name] / 1000.0:.2f}" for name in ("east_m", "north_m")]
        shares = released_files.percents(of["share"], of["low"], of["high"])
        lines.append([*where, f"{of['people_per_km2']:.3g}", *shares, "*" if of["border"] else ""])
    return formatting.table(lines, right=range(8))
