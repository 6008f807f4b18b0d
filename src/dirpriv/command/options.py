"""Options of the commands, checked as they are read."""

import argparse
import contextlib
import re
from typing import Any

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.formatting import DAYS, TURN, WEEK
from dirpriv.release.settings import CentralFileSettings, LocalFileSettings, settings_by_name

RADIUS = "radius of the level, such as 3h, 75min, 200m or 1.5km"  # of times and places
SETTINGS = settings_by_name(LocalFileSettings) | settings_by_name(CentralFileSettings)
HIGH = 5.0  # by a report at this level, 50:50 becomes 99.3:0.7
REGION = "region_centre", "region_reach", "cell_size"
_CLOCK = re.compile(r"(?:([A-Z][a-z]{2}) )?([0-9]{1,3}):([0-5][0-9])(?::([0-5][0-9]))?", re.ASCII)


class Misuse(InvalidArgument):
    """A wrong use of the command, in the command's own words."""


def cautions(level: float) -> list[str]:
    """A warning about a level that is too high."""
    return [f"Caution: a level of {HIGH:g} or more gives almost no protection."] if level >= HIGH else []


def add_level(parser: argparse.ArgumentParser, action: str = "store") -> None:
    """The options of one level and its radius, which are needed."""
    parser.add_argument("--level", type=number, required=True, help=SETTINGS["level"].help)
    parser.add_argument("--within", dest="radius", required=True, action=action, help=RADIUS)


def add_settings(parser: Any, *names: str, suppress: bool = False, texts: dict[str, str] | None = None) -> None:
    """Options that are settings of a release of a file, some with a help of their own.

    ``suppress`` leaves out of the namespace what is not given.
    """
    for name in names:
        about = SETTINGS[name]
        usual = about.default
        help = re.sub("``([a-z_]+)``", lambda match: option(match[1]), (texts or {}).get(name, about.help))
        how: dict[str, Any] = {"dest": name, "help": help.replace("%", "%%")}
        if isinstance(usual, bool):
            how["action"] = "store_true"
        else:
            how |= {"metavar": about.metavar, **_READ[about.unit]}
            how |= {"action": "append"} if about.several else {}
            how |= {"choices": about.words} if about.words else {}
            how |= {} if about.const is None else {"nargs": "?", "const": about.const}
            if isinstance(usual, str | int):
                how |= {"help": f"{how['help']} ({usual})", "default": usual}
        if suppress:
            how["default"] = argparse.SUPPRESS
        parser.add_argument(option(name), **how)


def option(name: str) -> str:
    """How a setting is called as an option."""
    return "--" + (SETTINGS[name].option or name).replace("_", "-")


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


# how the text of an option is read, by the unit of its setting
_READ: dict[str, dict[str, Any]] = {
    "text": {},
    "number": {"type": number},
    "numbers": {"type": numbers},
    "whole number": {"type": whole_number},
    "place": {"type": place},
    "period": {"choices": ("24h", "7d")},
}
