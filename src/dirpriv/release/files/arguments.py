"""The arguments of a release of a file, checked, and the columns and the guarantee that they ask for."""

import contextlib
import dataclasses
import datetime
import glob
import numbers
import os
import re
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from dirpriv._inputs import clock_units, units, validate
from dirpriv._inputs.angles import refuse_swapped
from dirpriv._inputs.errors import InvalidArgument, MissingFile, named
from dirpriv._inputs.units import Quantity
from dirpriv.release.guarantee.columns import FileColumn, HeadingColumn, PlaceColumns, TimeColumn
from dirpriv.release.guarantee.file import FileGuarantee, disclosures
from dirpriv.release.requests import Missing

_SINGLE: Any = str | numbers.Number | datetime.timedelta | np.generic | os.PathLike | None


@dataclasses.dataclass(frozen=True, kw_only=True)
class FileRequest:
    """What is asked of a release of a file; see :func:`dirpriv.release.file`."""

    input: Any
    output: Any
    time: Any
    heading: Any
    latitude: Any
    longitude: Any
    level: Any
    radius: Any
    cells: Any
    period: Any
    zone: Any
    region_centre: Any
    region_reach: Any
    cell_size: Any
    separator: Any
    time_format: Any
    unit: Any
    missing: Missing
    outside: Any
    keep: Any
    keep_order: Any
    user: Any
    max_rows_per_person: Any
    delta: Any
    rerelease: Any
    guarantee: Any
    shuffled: Any

    def __post_init__(self) -> None:
        """Refuse columns and tables instead of single values, before a message could show them."""
        for name, value in vars(self).items():
            for one in value if isinstance(value, list | tuple) else [value]:
                if not isinstance(one, _SINGLE):
                    rule = f"must be one value or a few values, not data; got the type {type(one).__name__}"
                    hint = f"data are in the file {named('input')}, and columns go by their names"
                    raise InvalidArgument(name, rule, hint=hint)
        several = [*self.input] if isinstance(self.input, list | tuple) and self.input else [self.input]
        paths = [("output", self.output), *(("input", path) for path in several)]
        paths += [] if self.guarantee is None else [("guarantee", self.guarantee)]
        for name, path in paths:
            if not isinstance(path, str | os.PathLike):
                raise InvalidArgument(name, "must be the path of a file", got=path)
            if "\0" in os.fsdecode(path):
                raise InvalidArgument(name, "must be the path of a file; got one with a NUL")
        clock_units.check(self.unit)
        validate.check_word("outside", self.outside, "ask", "clamp", "stop", "keep")
        circular = [*self._names("time"), *self._names("heading")]
        if self.user is not None and self.user in [self.latitude, self.longitude, *circular]:
            hint = "give the column that identifies the person of a row"
            raise InvalidArgument("user", "must not be a released column", got=self.user, hint=hint)

    @property
    def kept(self) -> list[str]:
        """Names of the columns that are copied."""
        return [self.keep] if isinstance(self.keep, str) else list(self.keep)

    def columns(self) -> tuple[FileColumn, ...]:
        """The columns to release, with all that was asked of them read."""
        names, headings = self._names("time"), self._names("heading")
        places = self.latitude is not None or self.longitude is not None
        if not names and not headings and not places:
            pair = f"{named('latitude')} and {named('longitude')}"
            hint = f"give {named('time')}, {named('heading')}, or {pair}, by the names of columns"
            raise InvalidArgument("no column is named", hint=hint)
        radius, length = self._radii(bool(names or headings), places)
        circle = self.level, radius, self.cells
        columns: list[FileColumn] = [TimeColumn(name, *circle, self.period) for name in names]
        columns += [HeadingColumn(name, *circle) for name in headings]
        region = {name: getattr(self, name) for name in ("region_centre", "region_reach", "cell_size")}
        with_places = f"with {named('latitude')} and {named('longitude')}, which are not given"
        if self.outside not in ("ask", "clamp") and not places:
            raise InvalidArgument("outside", f"goes {with_places}", got=self.outside)
        if places:
            columns.append(self._places(length, region))
        elif extra := [name for name, value in region.items() if value is not None]:
            what = f"{', '.join(map(named, extra))} {'goes' if len(extra) == 1 else 'go'}"
            raise InvalidArgument(f"{what} {with_places}")
        used = [name for column in columns for name in column.names]
        if twice := sorted({name for name in used if used.count(name) > 1}):
            raise InvalidArgument(f"the column {twice[0]!r} is named twice", hint="name each column once")
        return tuple(columns)

    def guaranteed(self, columns: tuple[FileColumn, ...]) -> FileGuarantee:
        """What is guaranteed, before the ledger is asked."""
        rows, alone = self.max_rows_per_person, self.user is None
        if alone and (validate.integer("max_rows_per_person", rows, 1) != 1 or self.delta is not None):
            rule = f"{named('max_rows_per_person')} and {named('delta')} go with {named('user')}"
            raise InvalidArgument(f"{rule}, the column that says whose a row is")
        protected, kept = {name for column in columns for name in column.names} | {self.user}, self.kept
        for name in kept:
            if not isinstance(name, str) or name in protected or kept.count(name) > 1:
                rule = f"must name other columns than the released ones and {named('user')}, each once"
                raise InvalidArgument("keep", rule, got=name)
        unprotected = ["order of the rows"] if self.keep_order else []
        unprotected += [f"column {name!r}" for name in kept]
        unprotected += disclosures(self.missing, columns)
        rows, delta = None if alone else rows, 0.0 if self.delta is None else self.delta
        return FileGuarantee(columns, self.missing, tuple(unprotected), rows, delta, shuffled=self.shuffled)

    def _names(self, argument: str) -> list[str]:
        names = getattr(self, argument)
        values = names if isinstance(names, list | tuple) else [names]
        return [] if names is None else [_name(argument, name) for name in values]

    def _places(self, radius: Any, region: dict[str, Any]) -> PlaceColumns:
        refuse_swapped(self.latitude, self.longitude)
        pair = {"latitude": self.latitude, "longitude": self.longitude}
        if lacking := [name for name, value in (pair | region).items() if value is None]:
            needed, missing = (", ".join(map(named, names)) for names in (pair | region, lacking))
            rule = f"places need {needed}, and none of them is taken from the data"
            raise InvalidArgument(f"{rule}; {missing} {'is' if len(lacking) == 1 else 'are'} missing")
        centre = tuple(self.region_centre) if isinstance(self.region_centre, list) else self.region_centre
        lengths: Any = {name: _as_written(name, region[name]) for name in ("region_reach", "cell_size")}
        names = _name("latitude", self.latitude), _name("longitude", self.longitude)
        return PlaceColumns(names, self.level, radius, centre, **lengths, outside=self.outside)

    def _radii(self, times: bool, places: bool) -> tuple[Any, Any]:
        """The radius of times and that of places; None where there are no such columns."""
        values = self.radius if isinstance(self.radius, list | tuple) else [self.radius]
        radii: dict[str, Quantity] = {}
        with contextlib.suppress(InvalidArgument):  # refused below
            for value in values:
                radius = units.quantity("radius", value, units.CIRCLE + units.LENGTH)
                radii["places" if radius.kind in units.LENGTH else "times"] = radius
        if len(radii) == len(values) and ["times" in radii, "places" in radii] == [times, places]:
            return radii.get("times"), radii.get("places")
        if times and places:
            rule = "must be two radii with their units, of times and of places"
            raise InvalidArgument("radius", rule, got=self.radius, hint=f"give {named('radius', ['3h', '200m'])}")
        raise units.refused("radius", self.radius, units.CIRCLE if times else units.LENGTH)


def inputs(paths: Any) -> list[Any]:
    """The input files. A text with ``*``, ``?`` or ``[`` that is no file is a pattern for files."""
    files: list[Any] = []
    for path in paths if isinstance(paths, list | tuple) else [paths]:
        pattern = isinstance(path, str) and re.search("[*?[]", path) and not os.path.lexists(path)
        fitting = [*map(Path, sorted(glob.glob(path, recursive=True)))] if pattern else [path]
        if not fitting:
            hint = "give another pattern, such as 'days/*.csv', or the names of the files"
            raise MissingFile("input", "matches no file", got=path, hint=hint)
        files += fitting
    return files


def _name(argument: str, value: Any) -> str:
    if not isinstance(value, str):
        raise InvalidArgument(argument, "must be the name of a column", got=value)
    return value


def _as_written(name: str, value: Any) -> Quantity:
    """A length; a number of metres is the shortest decimal number that is this double."""
    if not isinstance(value, units.WITH_UNIT):
        value = f"{Decimal(repr(validate.positive(name, value))).normalize():f}m"
    return units.quantity(name, value, units.LENGTH)
