"""Lengths and durations with their units, as ``"3h"`` or ``"200m"``: exact rational numbers."""

import datetime
import re
from fractions import Fraction
from typing import Any

import numpy as np

from dirpriv._inputs import rows, times, validate
from dirpriv._inputs.errors import InvalidArgument

_HOURS = {"d": Fraction(24), "h": Fraction(1), "min": Fraction(1, 60), "s": Fraction(1, 3600)}


_PART = re.compile(r" *([0-9]+(?:\.[0-9]+)?) *(d|h|min|s)(?![a-z])", re.ASCII)


def duration(name: str, value: Any) -> Fraction | None:
    """Exact hours of a text or a timedelta; None of what is neither.

    Raises
    ------
    ValueError
        If it is a text that is no duration, or not positive.
    """
    if isinstance(value, str):
        hours = _of_text(value)
        if hours is None:
            raise InvalidArgument(
                name, "must be a duration such as '75min', '3h', '1h 30min' or '7d'", got=value
            )
    elif isinstance(value, datetime.timedelta | np.timedelta64):
        try:
            ticks, per_hour, _ = times.exact(name, rows.array(name, value), 24.0)
        except ValueError:
            raise InvalidArgument(name, "must be a duration of some hours", got=value) from None
        hours = int(ticks) / per_hour
    else:
        return None
    if not hours > 0:
        raise InvalidArgument(name, "must be positive", got=value)
    return hours


def exact_hours(name: str, value: Any) -> Fraction:
    """Exact hours of a text, a timedelta or a number of hours."""
    hours = duration(name, value)
    if hours is None:
        number = validate.positive(name, value)
        hours = value if isinstance(value, Fraction) else Fraction(number)
    return hours


def _of_text(text: str) -> Fraction | None:
    hours, at = Fraction(0), 0
    text = text.rstrip()
    while at < len(text):
        part = _PART.match(text, at)
        if part is None:
            return None
        hours, at = hours + Fraction(part[1]) * _HOURS[part[2]], part.end()
    return hours


_LENGTH = re.compile(r" *([0-9]+(?:\.[0-9]+)?) *(m|km) *", re.ASCII)


def metres(name: str, value: Any) -> Fraction:
    """A positive length in metres, exactly: a number, or a text such as ``"200m"`` or ``"1.5km"``."""
    if not isinstance(value, str):
        number = validate.positive(name, value)
        return value if isinstance(value, Fraction) else Fraction(number)
    found = _LENGTH.fullmatch(value)
    length = Fraction(found[1]) * (1000 if found[2] == "km" else 1) if found else 0
    if not 0 < length < 10**300:
        raise InvalidArgument(name, "must be a length such as '200m' or '1.5km'", got=value)
    return Fraction(length)


def radius(name: str, value: Any) -> Fraction:
    """A length of at least 1 m, exactly."""
    length = metres(name, value)
    if length < 1:
        raise InvalidArgument(name, "must be at least 1 m, in metres and not in degrees", got=value)
    return length
