"""``dirpriv map``: where people were, from a released file of places and its guarantee."""

import argparse
import functools
from typing import TYPE_CHECKING, Any

from dirpriv._lib import words
from dirpriv.command import options, private_file, terminal

if TYPE_CHECKING:
    from dirpriv.estimators import PrivatePlaceDensity
    from dirpriv.release import PlaceColumns

NAME = "map"
HELP = "density of places on a map, from a released file"
DESCRIPTION = """\
Estimate where people were, from a released file of places and its guarantee
alone: the density of the true places, without the noise. Each cell of the map has
a 95 % interval, which assumes a smooth density. There is a warning if the reports
cannot tell the places from evenly spread ones."""
EPILOG = """\
examples:
  dirpriv map places.csv --plot map.png
  dirpriv map places.csv --reach 10km --cells 32 --plot centre.pdf
  dirpriv map places.csv --csv density.csv

units: kilometres east and north of the origin of the release, degrees on the upper
and right frame, people in a square kilometre. All people are taken to be within
--reach of the origin to each side, so give it only if you know that.

intervals: they do not hold for cells with an address of many people, mostly without
a warning. With half of 3000 people at each of two addresses, none of 8 intervals
of 95 % of their cells held the true share at level 1 within 200m, 2 of 8 at level
0.3, and 8 of 8 at level 3. With a tenth at one spot of even ground, 3, 0 and 4 of
4 did."""

SHOWN = 10  # densest cells in the printed table
COLUMNS = "latitude longitude east_m north_m side_m people_per_km2 share low high".split()


def add_arguments(parser: argparse.ArgumentParser) -> None:
    private_file.add_file(parser)
    add = parser.add_argument
    add("--cells", type=options.whole_number, default=48, help="cells along each side (48, at most 192)")
    reach = "half the side of the map, as 10km; by default the reach of the release"
    add("--reach", type=options.metres, metavar="LENGTH", help=reach)
    private_file.add_outputs(parser)


def run(arguments: argparse.Namespace) -> None:
    private_file.check_outputs(arguments)
    from dirpriv import pictures
    from dirpriv._inputs.units import metres
    from dirpriv.estimators import private_place_density
    from dirpriv.release import PlaceColumns

    guarantee, column, reports = private_file.read(arguments, PlaceColumns)
    release = column.release()
    reach = release.reach if arguments.reach is None else float(metres("reach", arguments.reach))
    if reach > release.reach:
        raise options.Misuse(
            f"--reach must be at most that of the release, {column.reach}; got {arguments.reach!r}: places "
            "beyond counted as on its border"
        )
    law: Any = release.law  # it cannot draw, as the type of laws asks
    with terminal.progress() as say:
        say("map: estimating the density")
        found = private_place_density(
            reports.positions, law, reach=reach, cells=arguments.cells, weights=reports.counts
        )
    confidence = words.percent(found.confidence, 0)
    title = private_file.heading(arguments, column, found.count)
    rows = sorted(_cells(found, column), key=lambda row: -row[6])
    warnings = _warnings(reports, law, reach, release.reach)
    lines = [
        title,
        f"Densest of {words.grid(found.edges)}, with the {confidence} intervals of their shares",
        "",
        *_table(rows[:SHOWN]),
        "",
        *private_file.smooth("a few addresses"),
        *warnings,
        *words.warning(found.warning),
        *private_file.cautions(guarantee),
    ]
    texts = [[f"{value:.8g}" for value in row] for row in rows]
    draw = functools.partial(
        pictures.draw_map, found, release.origin, region=release.reach, title=title, warnings=warnings
    )
    terminal.show([*lines, *private_file.write(arguments, COLUMNS, texts, draw)])


def _warnings(reports: Any, law: Any, reach: float, region: float) -> list[str]:
    """What looks wrong: many reports far outside of the map, or almost all near the border of the region."""
    import numpy as np

    found, total = [], reports.counts.sum()
    noise = float(law.radius_ppf(0.99))
    outside = np.abs(reports.positions).max(axis=1) > reach + noise
    share = float(reports.counts[outside].sum() / total)
    if share > 0.01:  # more than the noise explains
        found.append(
            f"Warning: {words.percent(share)} of the reports are more than {words.length(noise)} outside of "
            "the map. Their people are drawn at its border: give a larger --reach."
        )
    noise = float(law.radius_ppf(0.95))
    near = np.hypot(*reports.positions.T) > region - noise
    if noise <= region / 4.0 and reports.counts[near].sum() >= 0.8 * total:
        found.append(
            "Warning: almost all reports lie on the border of the region of the release: was --origin right, "
            "and were latitudes and longitudes in their places?"
        )
    return found


def _cells(found: "PrivatePlaceDensity", column: "PlaceColumns") -> list[tuple[float, ...]]:
    """A row for each cell: centre in degrees and in metres, side, people in a km², share and its interval."""
    import numpy as np

    middles = (found.edges[1:] + found.edges[:-1]) / 2.0
    side = float(found.edges[1] - found.edges[0])
    east, north = (axis.ravel() for axis in np.meshgrid(middles, middles, indexing="ij"))
    shares, low, high = (values.ravel() for values in (found.shares, found.low, found.high))
    people = shares * found.count / (side / 1000.0) ** 2
    places = column.release()._degrees(east, north)
    columns = (*places, east, north, np.full(east.size, side), people, shares, low, high)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _table(rows: list[tuple[float, ...]]) -> list[str]:
    lines = [["latitude", "longitude", "km east", "km north", "people per km²", "share", "interval", ""]]
    for latitude, longitude, east, north, _, people, share, low, high in rows:
        where = [f"{latitude:.4f}", f"{longitude:.4f}", f"{east / 1000.0:.2f}", f"{north / 1000.0:.2f}"]
        lines.append([*where, f"{people:.3g}", *private_file.percents(share, low, high)])
    return words.table(lines, right=range(8))
