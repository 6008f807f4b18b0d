"""Options of the commands, checked as they are read."""

import argparse
import contextlib
import re
from typing import Any

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.formatting import DAYS, TURN, WEEK

RADIUS = "radius of the level, such as 3h, 75min, 200m or 1.5km"  # of times and places
HIGH = 5.0  # by a report at this level, 50:50 becomes 99.3:0.7
REGION = "region_centre", "region_reach", "cell_size"
_CLOCK = re.compile(r"(?:([A-Z][a-z]{2}) )?([0-9]{1,3}):([0-5][0-9])(?::([0-5][0-9]))?", re.ASCII)


class Misuse(InvalidArgument):
    """A wrong use of the command, in the command's own words."""


def cautions(level: float) -> list[str]:
    """A warning about a level that is too high."""
    return [f"Caution: a level of {HIGH:g} or more gives almost no protection."] if level >= HIGH else []


def add_rows_per_person(parser: Any, text: str) -> None:
    parser.add_argument("--max-rows-per-person", type=whole_number, default=1, metavar="K", help=text)


def add_level(parser: Any, required: bool = True) -> None:
    parser.add_argument("--level", type=number, required=required, help="privacy level, a number above 0")


def add_times(parser: Any) -> None:
    cells = "number of cells to which times are rounded (1440)"
    parser.add_argument("--cells", type=whole_number, default=1440, help=cells)
    period = "times of the day (24h) or of the week (7d); default 24h"
    parser.add_argument("--period", choices=("24h", "7d"), default="24h", help=period)


def add_places(parser: Any, region_reach: str = "", cell_size: str = "") -> None:
    region_reach = region_reach or "radius of the region; places beyond it are moved to its border"
    cell_size = cell_size or "side of a cell; a twentieth of --within adds 7 %% to the noise"
    parser.add_argument("--region-centre", type=place, metavar="LAT,LON", help="region's centre in degrees")
    parser.add_argument("--region-reach", type=metres, metavar="LENGTH", help=region_reach)
    parser.add_argument("--cell-size", type=metres, metavar="LENGTH", help=cell_size)


def number(text: str, kind: type = float, what: str = "a number") -> Any:
    try:
        return kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be {what}; got {text!r}") from None


def whole_number(text: str) -> Any:
    return number(text, int, "a whole number")


def numbers(text: str) -> Any:
    """A number, or two with a comma between them."""
    values = tuple(number(part, int if part.strip().isdecimal() else float) for part in text.split(",", 1))
    return values if len(values) > 1 else values[0]


def radius(text: str) -> str:
    """The radius of a level: a text whose unit says whether it is of times or of places."""
    if not any(letter.isalpha() for letter in text.replace("e", "").replace("E", "")):  # a number alone
        from dirpriv._inputs import units

        names = ", ".join(units.NAMES)
        raise argparse.ArgumentTypeError(f"must have a unit ({names}), as 3h or 200m; got {text!r}")
    return text


def metres(text: str) -> str:
    if not is_length(text):
        raise argparse.ArgumentTypeError(f"must be a length with its unit, as 30km or 10m; got {text!r}")
    return text


def is_length(text: str) -> bool:
    from dirpriv._inputs import units

    return units.kind_of(text) == "length"


def place(text: str) -> tuple[float, float]:
    try:
        latitude, longitude = (float(part) for part in text.split(","))
        if not (abs(latitude) <= 90.0 and -180.0 <= longitude <= 360.0):
            raise ValueError
    except ValueError:
        rule = "must be LATITUDE,LONGITUDE in degrees, as 40.75,-73.98, with a latitude from -90 to 90 and a "
        raise argparse.ArgumentTypeError(f"{rule}longitude from -180 to 360; got {text!r}") from None
    return latitude, longitude


def time_of(text: str, period: float) -> float:
    """Hours since midnight, or since Monday, of a time that was asked for; degrees of a heading."""
    if period == TURN:
        with contextlib.suppress(ValueError):
            if 0.0 <= (degrees := float(text.removesuffix("deg"))) < TURN:
                return degrees
        raise Misuse(f"--at must be a heading in degrees, such as 90deg, below 360; got {text!r}")
    match = _CLOCK.fullmatch(text.strip())
    days: dict[str | None, int] = {None: 0, **{day: number for number, day in enumerate(DAYS)}}
    if match is not None and match[1] in days and (match[1] is None or period == WEEK):
        hours = int(match[2]) + int(match[3]) / 60.0 + int(match[4] or 0) / 3600.0
        if hours < min(period, 24.0):
            return hours + 24.0 * days[match[1]]
    if match is not None and match[1] in DAYS:
        raise Misuse(f"--at {text!r} is a time of the week: give --period 7d too, or leave the day out")
    example = "Tue 08:15" if period == WEEK else "08:15"
    raise Misuse(f"--at must be a time such as {example}; got {text!r}")
