"""Times, lengths, shares and levels as people read them."""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from dirpriv._lib.rounding import upwards

if TYPE_CHECKING:
    from dirpriv._lib.types import Array

DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
WEEK = 168.0
TURN = 360.0  # of headings, whose hours are degrees


def clock(hours: float, period: float, seconds: bool = False) -> str:
    """A time of day as 08:15, of the week as Mon 08:15, rounded to minutes or seconds; a heading as 8.3°."""
    if period == TURN:
        return f"{round(hours, 1) % TURN:g}°"
    unit = 1 if seconds else 60
    whole = round(hours * 3600.0 / unit) * unit % round(period * 3600.0)
    return exactly(whole * 10**6, unit * 10**6, period)


def exactly(millionths: int, step: int, period: float) -> str:
    """A multiple of a step, both in millionths of a second or a degree: 13:30, Mon 08:15:30, 08:15:00.5, or 8.375.

    All multiples have one form: with seconds unless a step is whole minutes, and as few decimals as are exact.
    """
    whole, rest = divmod(millionths, 10**6)
    digits = next(digits for digits in range(7) if step * 10**digits % 10**6 == 0)
    decimals = f".{rest:06}"[: digits + 1] if digits else ""
    if period == TURN:
        return f"{whole}{decimals}"
    day, second = divmod(whole, 86_400)
    text = f"{second // 3600:02}:{second // 60 % 60:02}" + (f":{second % 60:02}{decimals}" if step % 60_000_000 else "")
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


def span(hours: float, period: float) -> str:
    """A distance on a clock, or in degrees between headings."""
    return f"{hours:.3g}°" if period == TURN else duration(hours)


def length(metres: float) -> str:
    """A length: ``361 m``, ``1.02 km``."""
    if metres < 999.5:
        return f"{metres:.3g} m"
    return f"{metres / 1000.0:.3g} km" if metres < 999_500.0 else f"{metres / 1000.0:.0f} km"


def grid(edges: "Array", what: str = "cells") -> str:
    """How many cells a square has, and how large they are, from the borders along a side in metres."""
    cells = len(edges) - 1
    return f"{cells} x {cells} {what} of {length(float(edges[1] - edges[0]))}"


def on_border(share: float, released: float | None) -> str:
    """What lies on the border of the region of a release: shares of the people and of the released cells."""
    also = "" if released is None else f", {percent(released)} of the released cells"
    return f"border of the region, where all places beyond it count: {percent(share, 2)} of the people{also}."


def level_within(level: float, radius: str) -> str:
    """What a release promises: ``level 1 within 3h``."""
    return f"level {upwards(level)} within {radius}"


def warning(text: str) -> list[str]:
    """The warning of an estimate as a line, if it has one."""
    return [f"Warning: {text}."] if text else []


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
        return "nearly certain"
    digits = 0 if rest >= 10.0 else min(1 - math.floor(math.log10(rest)), 4)
    rest = math.floor(rest * 10**digits * (1.0 + 1e-12)) / 10**digits
    return f"{100.0 - rest:.{digits}f}:{rest:.{digits}f}"


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = ()) -> list[str]:
    """Rows of texts in columns two spaces apart; those of these numbers are flush right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    fields = (f"{{:{'>' if number in right else '<'}{width}}}" for number, width in enumerate(widths))
    line = "  " + "  ".join(fields)
    return [line.format(*row).rstrip() for row in rows]
