"""The arguments of a release of a file as its columns, with lengths as the texts that the guarantee shows."""

import datetime
import numbers
import os
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from dirpriv._inputs import units, validate
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._inputs.places import refuse_swapped_names
from dirpriv._inputs.units import duration
from dirpriv.exact import ground
from dirpriv.exact.cells import is_duration
from dirpriv.release.document import Column, PlaceColumns, TimeColumn


def columns_of(
    *,
    time: Any,
    latitude: Any,
    longitude: Any,
    level: Any,
    within: Any,
    cells: Any,
    period: Any,
    origin: Any,
    reach: Any,
    step: Any,
) -> tuple[Column, ...]:
    """The columns to release, checked; see :func:`dirpriv.release.file`."""
    names = _names("time", time)
    places = latitude is not None or longitude is not None
    if not names and not places:
        raise InvalidArgument(
            "no column is named",
            remedy=(
                f"give {named('time')}, or {named('latitude')} and {named('longitude')}, by the "
                "names of columns"
            ),
        )
    level = validate.positive("level", level)
    radius, length = _radii(within, bool(names), places)
    columns: list[Column] = []
    if names:
        period = _period(period)
        cells = validate.integer("cells", cells, 2)
        columns += [TimeColumn(name, level, radius, cells, period) for name in names]
    given = {"origin": origin, "reach": reach, "step": step}
    if places:
        pair = {"latitude": latitude, "longitude": longitude}
        refuse_swapped_names(latitude, longitude)
        lacking = [name for name, value in (pair | given).items() if value is None]
        if lacking:
            raise InvalidArgument(
                f"places need {', '.join(map(named, [*pair, *given]))}, and none of them is taken "
                f"from the data; {', '.join(map(named, lacking))} "
                f"{'is' if len(lacking) == 1 else 'are'} missing",
            )
        texts = {name: _metres(name, given[name]) for name in ("reach", "step")}
        try:
            middle = tuple(float(degrees) for degrees in origin)
        except (TypeError, ValueError):
            middle = ()
        if len(middle) != 2:
            raise InvalidArgument("origin", "must be one latitude and one longitude in degrees", got=origin)
        columns.append(
            PlaceColumns(
                (_name("latitude", latitude), _name("longitude", longitude)), level, length, middle, **texts
            )
        )
    elif extra := [name for name, value in given.items() if value is not None]:
        raise InvalidArgument(
            f"{', '.join(map(named, extra))} {'goes' if len(extra) == 1 else 'go'} with "
            f"{named('latitude')} and {named('longitude')}, which are not given",
        )
    used = [name for column in columns for name in column.names]
    if twice := sorted({name for name in used if used.count(name) > 1}):
        raise InvalidArgument(f"the column {twice[0]!r} is named twice", remedy="name each column once")
    return tuple(columns)


def check_arguments(arguments: dict[str, Any]) -> None:
    """Refuse columns and tables in the place of single values, before a message could show them."""
    single: Any = str | numbers.Number | datetime.timedelta | np.generic | os.PathLike | None
    for name, value in arguments.items():
        for one in value if isinstance(value, list | tuple) else [value]:
            if not isinstance(one, single) and not callable(one):
                raise InvalidArgument(
                    name,
                    f"must be one value or a few, and no data; got the type {type(one).__name__}",
                    remedy=f"data are in the file {named('input')}, and columns go by their names",
                )
    for name in ("input", "output"):
        if not isinstance(arguments[name], str | os.PathLike):
            raise InvalidArgument(name, "must be the path of a file", got=arguments[name])
        if "\0" in os.fsdecode(arguments[name]):
            raise InvalidArgument(name, "must be the path of a file; got one with a NUL")
    released = [arguments["latitude"], arguments["longitude"], *_names("time", arguments["time"])]
    if arguments["user"] is not None and arguments["user"] in released:
        raise InvalidArgument(
            "user",
            "must name another column than those that are released",
            got=arguments["user"],
            remedy="give the column that says whose a row is",
        )


def _names(argument: str, value: Any) -> list[str]:
    if value is None:
        return []
    values = value if isinstance(value, list | tuple) else [value]
    return [_name(argument, name) for name in values]


def _name(argument: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidArgument(argument, "must be the name of a column", got=value)
    return value


def _period(period: Any) -> str:
    hours = duration("period", period)
    if hours is None:
        hours = Fraction(validate.positive("period", period))
    if hours not in (24, 168):
        raise InvalidArgument("period", "must be '24h' or '7d' for a file", got=period)
    return "24h" if hours == 24 else "7d"


def _radii(within: Any, times: bool, places: bool) -> tuple[str, str]:
    """The radius of times and that of places, as texts; empty where there are no such columns."""
    values = list(within) if isinstance(within, list | tuple) else [within]
    found = {"times": "", "places": ""}
    for value in values:
        kinds = [
            kind for kind, is_one in (("times", is_duration), ("places", ground.is_length)) if is_one(value)
        ]
        if isinstance(value, datetime.timedelta | np.timedelta64):
            kinds = ["times"]
        if isinstance(value, numbers.Real) and not isinstance(value, bool) and times != places:
            kinds = ["times" if times else "places"]
        if len(kinds) != 1 or found[kinds[0]]:
            raise _about_within(within, times, places)
        found[kinds[0]] = _hours(value) if kinds[0] == "times" else _metres("within", value)
    if [bool(found["times"]), bool(found["places"])] != [times, places]:
        raise _about_within(within, times, places)
    return found["times"], found["places"]


def _about_within(within: Any, times: bool, places: bool) -> InvalidArgument:
    if times and places:
        remedy = f"give {named('within', ['3h', '200m'])}"
        wanted = "must be two radii with their units, of times and of places"
        return InvalidArgument("within", wanted, got=within, remedy=remedy)
    wanted = (
        "a duration for times, such as '3h' or '75min'" if times else "a length for places, such as '200m'"
    )
    return InvalidArgument("within", f"must be {wanted}", got=within)


def _hours(value: Any) -> str:
    """A duration as a text, exactly."""
    if isinstance(value, str):
        return value.strip()
    hours = duration("within", value)
    if hours is None:
        return f"{_decimal(validate.positive('within', value))}h"
    for unit, per_hour in (("h", 1), ("min", 60)):
        if (hours * per_hour).denominator == 1:
            return f"{hours * per_hour}{unit}"
    seconds = hours * 3600
    nanoseconds = seconds * 10**9
    if nanoseconds.denominator != 1:
        raise InvalidArgument("within", "must be a whole number of nanoseconds", got=value)
    return f"{Decimal(int(nanoseconds)).scaleb(-9).normalize():f}s"


def _metres(name: str, value: Any) -> str:
    """A length as a text, exactly."""
    units.metres(name, value)
    return value.strip() if isinstance(value, str) else f"{_decimal(validate.positive(name, value))}m"


def _decimal(number: float) -> str:
    """The shortest decimal number that is this double: what its user wrote."""
    return f"{Decimal(repr(float(number))).normalize():f}"
