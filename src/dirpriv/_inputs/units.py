"""Quantities with their units, as ``"3h"``, ``"45deg"`` or ``"200m"``: exact rational numbers, read once."""

import dataclasses
import datetime
import functools
import re
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from dirpriv._inputs import times, validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.immutable import Frozen

# each unit with its kind and its size: in hours, turns, radians or metres. A new unit is one line here.
_UNITS = {
    "d": ("duration", Fraction(24)),
    "h": ("duration", Fraction(1)),
    "min": ("duration", Fraction(1, 60)),
    "s": ("duration", Fraction(1, 3600)),
    "deg": ("turns", Fraction(1, 360)),
    "rad": ("radians", Fraction(1)),  # no rational part of a turn
    "m": ("length", Fraction(1)),
    "km": ("length", Fraction(1000)),
}
NAMES = tuple(_UNITS)
_FORMS = {
    "duration": "a duration such as '75min', '3h', '1h 30min' or '7d'",
    "turns": "an angle such as '45deg' or '0.5rad'",
    "length": "a length such as '200m' or '1.5km'",
}
DURATION, LENGTH, ANGLE = ("duration",), ("length",), ("turns", "radians")
CIRCLE = DURATION + ANGLE
_NAMES = "|".join(sorted(_UNITS, key=len, reverse=True))
_PART = re.compile(rf" *([0-9]+(?:\.[0-9]+)?(?:e-?[0-9]{{1,3}})?) *({_NAMES})(?![a-z])", re.ASCII)
_BEYOND = 10**300


@dataclasses.dataclass(frozen=True, repr=False)
class Quantity(Frozen):
    """A positive quantity as it was asked for: its kind, its exact size, and its text."""

    kind: str
    size: Fraction
    text: str

    def __repr__(self) -> str:
        return repr(self.text)

    def hours(self, period: Fraction) -> Fraction:
        """A duration, or an angle on a circle of this period; of radians the nearest double's."""
        if self.kind == "radians":
            return Fraction(float(self.size) / (2.0 * np.pi)) * period
        return self.size if self.kind == "duration" else self.size * period


WITH_UNIT = str, datetime.timedelta, np.timedelta64, Quantity  # types of what has a unit, and is no number


def kind_of(value: Any) -> str | None:
    """The kind of a text that is a quantity with its unit; None of anything else."""
    parts = _parse_text(value) if isinstance(value, str) else None
    return None if parts is None else parts[0]


def quantity(name: str, value: Any, kinds: tuple[str, ...]) -> Quantity:
    """A quantity of one of these kinds: a text with its unit, a timedelta, or what was read before."""
    if isinstance(value, Quantity):
        return value
    parts = None
    if isinstance(value, str):
        parts = _parse_text(value)
    elif isinstance(value, datetime.timedelta | np.timedelta64):
        try:
            ticks, per_hour, _ = times.exact(name, validate.array(name, value), 24.0)
        except ValueError:
            raise InvalidArgument(name, "must be a duration of some hours", got=value) from None
        parts = "duration", int(ticks) / per_hour
    if parts is None or parts[0] not in kinds or parts[1] >= _BEYOND:
        raise refused(name, value, kinds)
    kind, size = parts
    if not size > 0:
        raise InvalidArgument(name, "must be positive", got=value)
    return Quantity(kind, size, value.strip() if isinstance(value, str) else _written(size))


def refused(name: str, value: Any, kinds: tuple[str, ...]) -> InvalidArgument:
    """The error for what is no quantity of these kinds, with the forms that are."""
    forms = ", or ".join(form for kind, form in _FORMS.items() if kind in kinds) or "a number"
    return InvalidArgument(name, f"must be {forms}", got=value)


def both(name: str, value: Any) -> tuple[Any, Any]:
    """The radius or distance of a time and that of a place: two, or one text such as ``"3h and 200m"``."""
    parts = value.split(" and ") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or len(parts) != 2:
        raise InvalidArgument(name, "must be one of times and one of places, as '3h and 200m'", got=value)
    return parts[0], parts[1]


def _size(name: str, value: Any, kinds: tuple[str, ...]) -> Fraction:
    """The exact size of a quantity, or of a number that has its unit."""
    if isinstance(value, WITH_UNIT):
        return quantity(name, value, kinds).size
    number = validate.positive(name, value)
    return value if isinstance(value, Fraction) else Fraction(number)


hours = functools.partial(_size, kinds=DURATION)
"""``hours(name, value)``: exact hours of a duration or a number of hours."""

metres = functools.partial(_size, kinds=LENGTH)
"""``metres(name, value)``: exact metres of a length or a number of metres, such as ``"1.5km"``."""


def radius(name: str, value: Any) -> Fraction:
    """A length of at least 1 m, exactly."""
    length = metres(name, value)
    if length < 1:
        raise InvalidArgument(name, "must be at least 1 m, in metres and not in degrees", got=value)
    return length


def in_distribution_unit(name: str, value: Any, kinds: tuple[str, ...] = CIRCLE) -> float:
    """A distance as distributions have it: a number, or radians or metres of a text. A duration is a part of a day."""
    if not isinstance(value, WITH_UNIT):
        return validate.positive(name, value)
    read = quantity(name, value, kinds)
    if read.kind in ("radians", "length"):
        return float(read.size)
    return float(read.size * (15 if read.kind == "duration" else 360)) * np.pi / 180.0


def _parse_text(text: str) -> tuple[str, Fraction] | None:
    size, at, kinds = Fraction(0), 0, set()
    text = text.rstrip()
    while at < len(text):
        part = _PART.match(text, at)
        if part is None:
            return None
        kind, unit = _UNITS[part[2]]
        kinds.add(kind)
        size, at = size + Fraction(part[1]) * unit, part.end()
    return (kinds.pop(), size) if len(kinds) == 1 else None


def _written(hours: Fraction) -> str:
    """A duration as a text, exactly: the finest unit of a timedelta is 10^-18 s."""
    for unit, per_hour in (("h", 1), ("min", 60)):
        if (hours * per_hour).denominator == 1:
            return f"{hours * per_hour}{unit}"
    return f"{Decimal(int(hours * 3600 * 10**18)).scaleb(-18).normalize():f}s"
