"""Times, lengths, shares and levels as people read them, and checked options of the commands."""

import argparse
import math
import re
from collections.abc import Iterable, Sequence

from dirpriv._errors import InvalidArgument
from dirpriv._rounding import upwards

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
WEEK = 168.0
HIGH = 5.0  # by a report at this level, 50:50 becomes 99.3:0.7
_CLOCK = re.compile(r"(?:([A-Z][a-z]{2}) )?([0-9]{1,3}):([0-5][0-9])(?::([0-5][0-9]))?", re.ASCII)


# what a terminal would act on: control characters, and changes of the direction of writing
_UNPRINTABLE = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")


class Misuse(InvalidArgument):
    """A wrong use of the command, in the command's own words."""


# ---------------------------------------------------------------------- what people read


def printable(text: str) -> str:
    """The text with control characters, as names of files can have them, written as ``\\x1b``."""
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def show(lines: Iterable[str]) -> None:
    """Print lines at once, so that a failure to do so is noticed here."""
    print(printable("\n".join(lines)), flush=True)


def clock(hours: float, period: float, seconds: bool = False) -> str:
    """A time of day as 08:15, of the week as Mon 08:15; rounded to minutes, or to seconds."""
    unit = 1 if seconds else 60
    whole = round(hours * 3600.0 / unit) * unit % round(period * 3600.0)
    day, whole = divmod(whole, 86_400) if period == WEEK else (0, whole)
    text = f"{whole // 3600:02}:{whole // 60 % 60:02}" + (f":{whole % 60:02}" if seconds else "")
    return f"{DAYS[day]} {text}" if period == WEEK else text


def in_minutes(hours: Iterable[float]) -> bool:
    """Whether these are whole minutes."""
    return all(abs(hour * 60.0 - round(hour * 60.0)) < 1e-6 for hour in hours)


def duration(hours: float) -> str:
    """A duration: ``3 h``, ``2 h 46 min``, ``5 min``, ``40 s``."""
    seconds = hours * 3600.0
    if seconds < 59.5:
        return f"{seconds:.3g} s"
    minutes = round(seconds / 60.0)
    parts = [f"{minutes // 60} h"] if minutes >= 60 else []
    return " ".join(parts + ([f"{minutes % 60} min"] if minutes % 60 or not parts else []))


def length(metres: float) -> str:
    """A length: ``361 m``, ``1.02 km``."""
    if metres < 999.5:
        return f"{metres:.3g} m"
    return f"{metres / 1000.0:.3g} km" if metres < 999_500.0 else f"{metres / 1000.0:.0f} km"


def percent(share: float, digits: int = 1) -> str:
    """A share of one as a percentage."""
    return f"{100.0 * share:.{digits}f} %"


def p_value(value: float) -> str:
    """A p-value with its sign, ``= 0.034`` or ``< 1.5e-07``: up to 0.001 it is an upper bound."""
    if value < 1e-300:
        return "< 1e-300"
    return f"= {value:.2g}" if value > 1e-3 else f"< {upwards(value, 2)}"


def likelier(loss: float) -> str:
    """How many times as likely a loss in nats is at most: ``2.72 times``."""
    if loss > 16.0:
        return f"e^{upwards(loss, 3)} times"
    ratio = math.exp(loss)
    if ratio > 999.0:
        return f"{math.ceil(ratio * (1.0 - 1e-12)):,} times"
    return f"{upwards(ratio, 3)} times" if ratio > 9.99 else f"{float(upwards(ratio, 3)):.2f} times"


def belief(loss: float) -> str:
    """What a belief of 50:50 can become at most by a report with this loss: ``74:26``."""
    rest = 100.0 / (1.0 + math.exp(min(loss, 700.0)))
    if rest < 1e-4:
        return "as good as certain"
    digits = 0 if rest >= 10.0 else min(1 - math.floor(math.log10(rest)), 4)
    rest = math.floor(rest * 10**digits * (1.0 + 1e-12)) / 10**digits
    return f"{100.0 - rest:.{digits}f}:{rest:.{digits}f}"


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Rows of texts in columns two spaces apart; those of these numbers are flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = (
            text.rjust(width) if number in right else text.ljust(width)
            for number, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        lines.append(("  " + "  ".join(cells)).rstrip())
    return lines


def cautions(level: float) -> list[str]:
    """What is to be said of a level that is too high."""
    return [f"Caution: a level of {HIGH:g} or more promises almost nothing."] if level >= HIGH else []


# ---------------------------------------------------------------------- options


def number(text: str) -> float:
    """An option that is a number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number; got {text!r}") from None


def whole_number(text: str) -> int:
    """An option that is a whole number."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a whole number; got {text!r}") from None


def within(text: str) -> str:
    """The radius of a level: a text whose unit says whether it is of times or of places."""
    if re.fullmatch(r"\s*[-+0-9.eE]+\s*", text):
        raise argparse.ArgumentTypeError(
            f"must have a unit, as 3h, 75min or 200m (h, min, s are of times; m, km of places); got {text!r}"
        )
    return text


def metres(text: str) -> str:
    """An option that is a length: a text, whose unit is there."""
    if not is_length(text):
        raise argparse.ArgumentTypeError(f"must be a length with its unit, as 30km or 10m; got {text!r}")
    return text


def is_length(text: str) -> bool:
    """Whether a text has a unit of lengths."""
    return re.fullmatch(r".*[0-9.]\s*k?m\s*", text) is not None


def origin(text: str) -> tuple[float, float]:
    """An option that is a latitude and a longitude."""
    try:
        latitude, longitude = (float(part) for part in text.split(","))
        if not (abs(latitude) <= 90.0 and -180.0 <= longitude <= 360.0):
            raise ValueError
    except ValueError:
        raise argparse.ArgumentTypeError(
            "must be LATITUDE,LONGITUDE in degrees, as 40.75,-73.98, the latitude from -90 to 90 and the "
            f"longitude from -180 to 360; got {text!r}"
        ) from None
    return latitude, longitude


def separator(text: str) -> str:
    """An option that is one character, or the word for a tab."""
    text = "\t" if text in ("tab", "\\t") else text
    if len(text) != 1 or text in '"\r\n\0':
        raise argparse.ArgumentTypeError(
            f"must be one character, as ',' or ';', or the word tab; got {text!r}"
        )
    return text


def time_of(text: str, period: float) -> float:
    """Hours since midnight, or since Monday, of a time that somebody asks about."""
    found = _CLOCK.fullmatch(text.strip())
    days: dict[str | None, int] = {None: 0, **{day: number for number, day in enumerate(DAYS)}}
    if found is not None and found[1] in days and (found[1] is None or period == WEEK):
        hours = int(found[2]) + int(found[3]) / 60.0 + int(found[4] or 0) / 3600.0
        if hours < min(period, 24.0):
            return hours + 24.0 * days[found[1]]
    if found is not None and found[1] in DAYS:
        raise Misuse(f"--at {text!r} is a time of a week: say so with --period 7d, or leave the day out")
    example = "Tue 08:15" if period == WEEK else "08:15"
    raise Misuse(f"--at must be a time such as {example}; got {text!r}")
