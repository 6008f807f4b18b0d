"""What a released file guarantees: a file beside it, its check, its words, and the release made again.

The guarantee is computed from the arguments of the release alone, never from rows of the input. So it can be
published with the released file. An analyst needs these two files and nothing else.
"""

import copy
import dataclasses
import functools
import json
import math
import os
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, Self

from dirpriv import guarantees
from dirpriv._inputs import units, validate
from dirpriv._inputs.errors import InvalidArgument, MissingFile, describe, named
from dirpriv._inputs.strict_json import parsed
from dirpriv._lib.rounding import upwards
from dirpriv._lib.version import VERSION
from dirpriv._lib.words import clock, level_within
from dirpriv.exact.circle import CircleRelease
from dirpriv.exact.plane import PlaneRelease
from dirpriv.release.ledger.account import added as _sum
from dirpriv.release.requests import TURN, Missing, OutsideOfFile, PlaceRequest, TimeRequest

SUFFIX = ".guarantee.json"
FORMAT = 1
PERIODS = {"24h": 86_400, "7d": 604_800, TURN: 360_000}  # ticks: seconds, or thousandths of a degree
_PERIODS = {Fraction(24): "24h", Fraction(168): "7d"}
_LONGEST = 1_000_000  # bytes of the file
_OF_CURATOR = "it belongs to a curator's result, which is an estimate without reports"
_MOST_ROWS = 1_000_000_000  # of a person
_LEAST_DELTA = 1e-30  # of the level of shuffled rows

DEVICES = "honest devices"
# of unprotected, by an argument and its value
SHOWN = {
    ("missing", "pass"): "which rows are missing",
    ("outside", "pass"): "which rows are outside of the region",
    ("outside", "ask"): "whether all places are outside of the region",
}
_PERSONS = "who is in the file, and who had fewer rows"
_BEYOND = {
    "border": "places beyond {reach} are moved to the border",
    "ask": "places beyond {reach} are moved to the border; the release reveals that not all are beyond it",
    "stop": "the release reveals that none is beyond {reach}",
    "pass": "places beyond {reach} are left out",
}


@dataclasses.dataclass(frozen=True)
class TimeColumn:
    """A released column of times of day, or of the week.

    Attributes
    ----------
    name : str
        Of the column.
    level, within : float, str
        Level ℓ of indistinguishability within the radius, as ``"3h"``.
    cells : int
        Cells of a turn, each a whole number of seconds wide.
    period : {"24h", "7d"}
        What a turn is.

    Raises
    ------
    ValueError
        If a field is not as above, or as of :meth:`dirpriv.release.CircleRelease.within`.

    Examples
    --------
    >>> from dirpriv.release import TimeColumn
    >>> column = TimeColumn("arrival", level=1.0, within="3h", cells=96)
    >>> column.label(33), column.release().certificate.loss("3h") <= 1.0
    ('08:15', True)
    """

    kind: ClassVar[str] = "time"
    _asked_for: ClassVar[tuple[str, ...]] = ("name", "level", "within", "period", "cells")

    name: str
    level: float
    within: str
    cells: int = 1440
    period: str = "24h"
    _request: TimeRequest = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        request = TimeRequest.of(self.level, self.within, self.cells, self.period)
        _check_names((self.name,), 1)
        cells, headings = request.circle.count, self.kind == "heading"
        period = TURN if self.period == TURN else _PERIODS.get(request.circle.period)
        if period is None or (period == TURN) != headings:
            rule = f"must be {TURN!r} for headings" if headings else "must be '24h' or '7d' for a file"
            raise InvalidArgument("period", rule, got=self.period)
        if PERIODS[period] % cells:
            usual = (36, 72, 360, 720, 1440, 3600) if headings else (24, 48, 96, 288, 1440, 8640)
            counts = ", ".join(str((7 if period == "7d" else 1) * count) for count in usual)
            ticks = "thousandths of a degree" if headings else "seconds"
            rule = f"must be whole {ticks} wide in a file; got {cells} of {period}"
            remedy = f"give one of {counts}, or another divisor of {PERIODS[period]}"
            raise InvalidArgument("cells", rule, remedy=remedy)
        request.release()
        values = {"level": request.level, "within": request.within.text, "cells": cells, "period": period}
        vars(self).update(values, _request=request)

    @property
    def names(self) -> tuple[str, ...]:
        """The name of the column, alone."""
        return (self.name,)

    @property
    def seconds(self) -> int:
        """Width of a cell, in seconds; of headings in thousandths of a degree."""
        return PERIODS[self.period] // self.cells

    def release(self) -> CircleRelease:
        """The release that this column went through, made again, with the law that estimates need."""
        return self._request.release()

    def label(self, cell: int) -> str:
        """How a cell is written in a file: by where it begins, as ``"08:15"``, or ``"8.25"`` degrees.

        Parameters
        ----------
        cell : int
            Number of the cell, from 0 on. Seconds are written where a cell is no whole minutes wide, and the
            day of the week where the period is one.
        """
        return clock(cell * self.seconds / 3600.0, PERIODS[self.period] / 3600.0, self.seconds % 60 > 0)

    def to_json(self) -> dict[str, Any]:
        """What the guarantee's file says about this column, in types of JSON."""
        release, mechanism = self.release(), "Purkayastha on a table of integers"
        loss = release.certificate.between(self._request.apart)
        return _as_json(self, mechanism, {"level_per_radian_between_cells": release.metric_level}, loss)

    def text(self) -> str:
        """The guarantee of this column in words."""
        what, width, clocks = "headings", f"{self.seconds / 1000.0:g}°", ""
        if self.period != TURN:
            what = "times of day" if self.period == "24h" else "times of the week"
            width = f"{self.seconds // 60} min" if self.seconds % 60 == 0 else f"{self.seconds} s"
            clocks = " The radius is a difference of local clock times. When clocks change, two close "
            clocks += "moments can be an hour apart."
        text = f"Column '{self.name}': {what} in {self.cells} cells of {width}, with the Purkayastha "
        return f"{text}mechanism on a table of integers. {_promise(what.partition(' ')[0], self)}{clocks}"


@dataclasses.dataclass(frozen=True)
class HeadingColumn(TimeColumn):
    """A released column of headings: the fields of :class:`TimeColumn`, with degrees.

    ``within`` is an angle, as ``"45deg"``. A cell is whole thousandths of a degree wide, and a turn is
    ``"360deg"``.

    Examples
    --------
    >>> from dirpriv.release import HeadingColumn
    >>> column = HeadingColumn("wind", level=1.0, within="45deg")
    >>> column.label(33), column.release().certificate.loss("45deg") <= 1.0
    ('8.25', True)
    """

    kind: ClassVar[str] = "heading"

    period: str = TURN

    def label(self, cell: int) -> str:
        digits = next(digits for digits in range(4) if self.seconds % 10 ** (3 - digits) == 0)
        return f"{cell * self.seconds / 1000.0:.{digits}f}"


@dataclasses.dataclass(frozen=True)
class PlaceColumns:
    """Two released columns, of latitudes and longitudes.

    Attributes
    ----------
    names : (str, str)
        Of the columns of latitudes and of longitudes.
    level, within : float, str
        Level ℓ of indistinguishability within the radius, as ``"200m"``.
    origin : (float, float)
        Latitude and longitude of the middle of the region, in degrees.
    reach, step : str
        Radius of the region, as ``"30km"``, and side of a cell, as ``"10m"``.
    outside : {"border", "ask", "stop", "pass"}
        What was done with places beyond the reach; ``"ask"`` is ``"border"`` after a check that not all are.

    Raises
    ------
    ValueError
        As of :meth:`dirpriv.release.PlaneRelease.within`.

    Examples
    --------
    >>> from dirpriv.release import PlaceColumns
    >>> city = {"origin": (40.75, -73.98), "reach": "30km", "step": "10m"}
    >>> columns = PlaceColumns(("lat", "lon"), level=1.0, within="200m", **city)
    >>> columns.release().certificate.loss("200m") <= 1.0
    True
    """

    kind: ClassVar[str] = "place"
    period: ClassVar[None] = None  # places have none
    _asked_for: ClassVar[tuple[str, ...]] = ("names", "level", "within", "origin", "reach", "step")

    names: tuple[str, str]
    level: float
    within: str
    origin: tuple[float, float]
    reach: str
    step: str
    outside: OutsideOfFile = "border"
    _request: PlaceRequest = dataclasses.field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        _check_names(self.names, 2)
        validate.check_word("outside", self.outside, "border", "ask", "stop", "pass")
        if not isinstance(self.origin, tuple) or len(self.origin) != 2:
            rule = "must be one latitude and one longitude in degrees"
            raise InvalidArgument("origin", rule, got=self.origin)
        names = "within", "reach", "step"
        lengths = {name: units.quantity(name, getattr(self, name), units.LENGTH) for name in names}
        request = PlaceRequest.of(self.level, origin=self.origin, **lengths)
        request.release()
        texts = {name: length.text for name, length in lengths.items()}
        vars(self).update(texts, level=request.level, origin=request.origin, _request=request)

    def release(self) -> PlaneRelease:
        """The release that these columns went through, made again: its law is what estimates need."""
        return self._request.release()

    @property
    def digits(self) -> int:
        """Digits of a degree, after its point, that say where a cell is to a hundredth of its side."""
        return max(2, math.ceil(math.log10(111_320.0 * 100.0 / self.release().step)))

    def to_json(self) -> dict[str, Any]:
        """What the guarantee's file says about these columns, in types of JSON."""
        certificate, mechanism = self.release().certificate, "planar Laplace on a lattice of integers"
        loss = certificate._loss(self._request.within)
        found = _as_json(self, mechanism, {"level_per_metre_between_cells": certificate.cells}, loss)
        return found if self.outside == "border" else found | {"outside": self.outside}

    def text(self) -> str:
        """The guarantee of these columns in words."""
        beyond = _BEYOND[self.outside].format(reach=self.reach)
        text = f"Columns '{self.names[0]}' and '{self.names[1]}': places in cells of {self.step} around "
        text += f"{self.origin[0]:g}, {self.origin[1]:g} ({beyond}), with planar Laplace noise on a "
        return f"{text}lattice of integers. {_promise('places', self)}"


Column = TimeColumn | PlaceColumns


@dataclasses.dataclass(frozen=True)
class EarlierRelease:
    """An earlier release of the same file, as the holder's ledger has it.

    Attributes
    ----------
    columns : tuple of str or None
        Names of the columns, if they are released again; None for other columns of the file.
    level, within : float, str
        Level of each row within the radius.
    rows_per_person, person_level, delta : int or None, float or None, float
        Rows of each person, level of all of them (both None if the release was per response, or with another
        column for whose a row is than the release that states it), and its δ.
    """

    columns: tuple[str, ...] | None
    level: float
    within: str
    rows_per_person: int | None = None
    person_level: float | None = None
    delta: float = 0.0

    def __post_init__(self) -> None:
        if self.columns is not None:
            _check_names(self.columns)
        level = validate.positive("level", self.level)
        if units.kind_of(self.within) is None:
            raise InvalidArgument("within", "must be a text such as '3h' or '200m'", got=self.within)
        rows, delta = _check_rows(self.rows_per_person, self.delta)
        if (rows is None) != (self.person_level is None):
            raise InvalidArgument(f"{named('rows_per_person')} and 'person_level' go together")
        if rows is not None:
            person_level, most = validate.nonnegative("person_level", self.person_level), _sum([level], rows)
            if person_level > most or (person_level < most and (delta == 0.0 or rows == 1)):
                limit = f"{most!r}{' or less' if delta else ''}"
                rule = f"must be that of {rows} rows at level {level!r}, {limit}"
                raise InvalidArgument("person_level", rule, got=person_level)

    def to_json(self) -> dict[str, Any]:
        """What the guarantee's file says about this release, in types of JSON."""
        return dataclasses.asdict(self) | {"columns": None if self.columns is None else list(self.columns)}


@dataclasses.dataclass(frozen=True)
class FileGuarantee:
    """What a released file guarantees.

    Attributes
    ----------
    columns : tuple of TimeColumn or PlaceColumns
        The protected columns.
    missing : {"stop", "pass"}
        What was done with missing values.
    unprotected : tuple of str
        What of the input can be seen in the output, as ``"order of the rows"``.
    rows_per_person : int or None
        How many rows of each person were drawn; None if the guarantee is per response.
    delta : float
        δ of the level of a person; 0 where levels are simply added.
    earlier : tuple of EarlierRelease
        Earlier releases of the same file.
    version : str
        Version of this package that released.
    devices : bool
        Whether people's own devices drew: then it is what honest devices promised, and not verified.
    account : str or None
        What all declared releases of the dataset add up to, in words, if one was named.
    shuffled : (int, float) or None
        For reports in a random order: a lower bound of the number of reports of honest people, and the δ of
        a second level. This level holds against people who see only the file. For one column of times, and
        nothing unprotected.

    Examples
    --------
    >>> from dirpriv.release import FileGuarantee, TimeColumn
    >>> guarantee = FileGuarantee((TimeColumn("arrival", level=1.0, within="3h"),), rows_per_person=5)
    >>> guarantee.level, guarantee.person_level
    (1.0, 5.0)
    >>> release = guarantee.columns[0].release()
    >>> FileGuarantee.from_json(guarantee.to_json()) == guarantee
    True
    """

    columns: tuple[Column, ...]
    missing: Missing = "stop"
    unprotected: tuple[str, ...] = ()
    rows_per_person: int | None = None
    delta: float = 0.0
    earlier: tuple[EarlierRelease, ...] = ()
    version: str = VERSION
    devices: bool = False
    account: str | None = None
    shuffled: tuple[int, float] | None = None

    def __post_init__(self) -> None:
        kinds: dict[str, Any] = {"columns": Column, "unprotected": str, "earlier": EarlierRelease}
        for name, kind in kinds.items():
            values = getattr(self, name)
            if not isinstance(values, tuple) or not all(isinstance(value, kind) for value in values):
                what = getattr(kind, "__name__", "TimeColumn and PlaceColumns")
                raise InvalidArgument(name, f"must be a tuple of {what}")
        names = tuple(name for column in self.columns for name in column.names)
        _check_names(names)
        if not all(set(release.columns or ()) <= set(names) for release in self.earlier):
            raise InvalidArgument("earlier", "must name columns of this release only")
        validate.check_word("missing", self.missing, "stop", "pass")
        if not isinstance(self.devices, bool):
            raise InvalidArgument("devices", "must be True or False", got=self.devices)
        for name, value in (("version", self.version), ("account", self.account or "")):
            if not isinstance(value, str):
                raise InvalidArgument(name, "must be a text", got=value)
        rows, delta = _check_rows(self.rows_per_person, self.delta)
        vars(self).update(rows_per_person=rows, delta=delta)
        if self.shuffled is not None:
            self._check_shuffled(self.shuffled)

    def _check_shuffled(self, given: Any) -> None:
        """Refuse what a shuffler does not hide, or what no level of shuffled reports is known of."""
        if not isinstance(given, list | tuple) or len(given) != 2:
            raise InvalidArgument("shuffled", "must be a number of reports and a δ, as 400,1e-6", got=given)
        reports, delta = validate.integer("shuffled", given[0], 2), validate.share("shuffled", given[1])
        if reports > _MOST_ROWS:
            raise InvalidArgument("shuffled", f"must be of at most {_MOST_ROWS} reports", got=reports)
        of_places = any(isinstance(column, PlaceColumns) for column in self.columns)
        seen = f"excludes what may show the person of a report: {'; '.join(self.unprotected)}"
        rules = {
            "goes with times only, because other reports do not hide a report of a place": of_places,
            "goes with one column only: release each other column to its own file": len(self.columns) > 1,
            seen: self.unprotected and not self.devices,
        }
        if broken := [rule for rule, is_broken in rules.items() if is_broken]:
            raise InvalidArgument("shuffled", broken[0])
        vars(self).update(shuffled=(reports, delta))
        _ = self.shuffled_level  # whose errors are to come before anything is drawn

    def _after(self, earlier: Any, account: str | None) -> Self:
        """The same guarantee, whose fields are checked, beside what the ledger says."""
        made = copy.copy(self)
        vars(made).update(earlier=earlier, account=account)
        return made

    @property
    def level(self) -> float:
        """Level of a response, one row, in nats: the levels of its columns add up."""
        return _sum(column.level for column in self.columns)

    @property
    def person_level(self) -> float | None:
        """Level of all rows of a person together, in nats; None if the guarantee is per response."""
        if self.rows_per_person is None:
            return None
        return _sum(self.person_level_of(column) for column in self.columns)

    @property
    def shuffled_level(self) -> float | None:
        """Level at the δ of ``shuffled`` against those who see the file alone, with four digits, rounded up.

        Of all rows of a person, or of one row if the guarantee is per response; None if nothing is shuffled.
        """
        if self.shuffled is None:
            return None
        return _of_shuffled(self.columns[0], self.rows_per_person or 1, *self.shuffled)

    def person_level_of(self, column: Column) -> float:
        """Level of one column of all rows of a person, at δ over the number of columns.

        The number of rows times the level of one; or that of :func:`dirpriv.guarantees.composed_level` if
        there is a δ and that level is smaller.

        Parameters
        ----------
        column : TimeColumn or PlaceColumns
            One of ``columns``.
        """
        return _of_rows(column, self.rows_per_person or 1, self.delta / len(self.columns))

    @property
    def composed(self) -> dict[str, Any] | None:
        """Levels of this release and the earlier ones of the same file together; None if there are none.

        ``"per_response"`` has the sum of the levels, for rows whose values lie within the smallest radius of
        each column; ``"per_person"`` the same for all rows of a person, with its δ. It is None unless all
        releases were per person, with the same column for whose a row is.
        """
        if not self.earlier:
            return None
        releases: list[Any] = [*self.earlier, self]
        levels, person = [release.person_level for release in releases], None
        if None not in levels:
            person = {"level": _sum(levels), "delta": _sum(release.delta for release in releases)}
        return {"per_response": {"level": _sum(release.level for release in releases)}, "per_person": person}

    def to_json(self) -> dict[str, Any]:
        """The contents of the guarantee's file, in types of JSON."""
        person = None
        if self.rows_per_person is not None:
            person = {"rows": self.rows_per_person, "level": self.person_level, "delta": self.delta}
        shuffled = dict(zip(("reports", "delta"), self.shuffled or (), strict=False))
        return {
            "format": FORMAT,
            "dirpriv": self.version,
            "columns": [column.to_json() for column in self.columns],
            "per_response": {"level": self.level},
            "per_person": person,
            "earlier_releases": [release.to_json() for release in self.earlier],
            "composed": self.composed,
            "missing": self.missing,
            "unprotected": list(self.unprotected),
            **({"drawn_by": DEVICES} if self.devices else {}),
            **({"account": self.account} if self.account else {}),
            **({} if self.shuffled is None else {"shuffled": shuffled | {"level": self.shuffled_level}}),
        }

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """The guarantee that :meth:`to_json` has put into types of JSON, with every field checked.

        Levels and certificates are computed again from the settings and compared: exactly, except for levels
        of a person at a δ, whose last digits depend on the machine. A file has no signature: what does not
        follow from the settings is not checked (earlier releases, kept columns, whose the rows are), except
        that the level of a person of an earlier release at a δ is at most the sum over the rows.

        Parameters
        ----------
        document : dict
            As of :meth:`to_json`.

        Raises
        ------
        ValueError
            If a field is missing, unknown, or not what the settings give.
        """
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            required = f'"format": {FORMAT}, as this version of dirpriv requires'
            raise InvalidArgument(f"it does not have {required}. A later version may read it")
        if document.get("trust") == "curator":
            raise InvalidArgument(_OF_CURATOR)
        try:
            _fields(document, *"columns missing unprotected per_person earlier_releases dirpriv".split())
            person = document["per_person"] or {}
            shuffled = document.get("shuffled")
            if not isinstance(document["dirpriv"], str):
                raise InvalidArgument("the field 'dirpriv' must be a text, the version that wrote it")
            made = cls(
                columns=tuple(column_of(column) for column in document["columns"]),
                missing=document["missing"],
                unprotected=tuple(document["unprotected"]),
                rows_per_person=person.get("rows"),
                delta=person.get("delta", 0.0),
                earlier=tuple(_earlier(release) for release in document["earlier_releases"]),
                version=document["dirpriv"],
                devices="drawn_by" in document,
                account=document.get("account"),
                shuffled=None if shuffled is None else tuple(map(shuffled.get, ("reports", "delta"))),
            )
            _compare(document, made.to_json(), close=made.delta > 0.0)
        except (TypeError, AttributeError, ArithmeticError):
            raise InvalidArgument("a field has a wrong type, or is too large for a double") from None
        shown = seen(made.missing, made.columns)
        for (name, _), what in SHOWN.items():
            if (what in shown) != (what in made.unprotected):
                raise InvalidArgument(f"the field 'unprotected' does not fit the field {named(name)}")
        return made

    def dumps(self) -> str:
        """The contents of the guarantee's file, as JSON."""
        return json.dumps(self.to_json(), indent=1, ensure_ascii=False)

    def summary(self) -> str:
        """The guarantee in two lines, those of earlier releases, and one for each thing that is unprotected.

        The level of a person, with its rows and its δ, and what all releases of the file add up to are always
        there; :meth:`text` has the rest.

        Examples
        --------
        >>> from dirpriv.release import FileGuarantee, TimeColumn
        >>> lines = FileGuarantee((TimeColumn("arrival", level=1.0, within="3h"),)).summary().splitlines()
        >>> len(lines), lines[2]
        (3, 'Not protected: number of rows.')
        """
        columns: dict[str, list[str]] = {}
        for column in self.columns:
            names = " and ".join(f"'{name}'" for name in column.names)
            columns.setdefault(level_within(column.level, column.within), []).append(names)
        levels = "; ".join(f"{level} for each row of {', '.join(of)}" for level, of in columns.items())
        ratio = _ratio(max(column.level for column in self.columns))
        first = f"L{levels[1:]}. For two true values within the radius, the probabilities of a released "
        first += f"value differ by at most a factor of {ratio}."
        if len(self.columns) > 1:
            first += f" The levels of a row's columns add up to {upwards(self.level)}."
        seen = ["number of rows", *([_PERSONS] if self.rows_per_person else []), *self.unprotected]
        seen = [f"Not protected: {thing}." for thing in seen]
        if self.devices:
            seen.append("Not verified: the behaviour of the devices. A report can be forged.")
        return "\n".join([first, self._person_text(), *self._shuffled_text(), *self._accounts(), *seen])

    def text(self) -> str:
        """The whole guarantee in words, a sentence or a few on each line."""
        lines = [column.text() for column in self.columns]
        if len(self.columns) > 1:
            lines.append(f"One row: the levels of its columns add up to {upwards(self.level)}.")
        person = self._person_text()
        if self.rows_per_person is None:
            lines.append(f"The guarantee is for each row. {person}")
        else:
            lines.append(f"{person} Not protected: {_PERSONS}.")
        lines += [*self._shuffled_text(), *self._accounts()]
        if self.unprotected:
            lines.append(f"Not protected: {'; '.join(self.unprotected)}.")
        drawn = "The random numbers came from the operating system."
        if self.devices:
            drawn = "Each device drew its own noise, once for each question and period. The guarantee "
            drawn += "assumes honest devices, which is not verified. Reports can be forged. People can "
            drawn += "answer again if they clear the storage of their browser."
        return "\n".join([*lines, f"{drawn} The number of rows is not protected."])

    def _person_text(self) -> str:
        """What is guaranteed to a person."""
        if self.rows_per_person is None:
            return "The level of a person is the sum of the levels of that person's rows."
        at, level = "", self.person_level or 0.0
        if self.delta:
            without = dataclasses.replace(self, delta=0.0, earlier=()).person_level or 0.0
            none = "; δ does not help with these few rows" if upwards(level) == upwards(without) else ""
            at = f" at δ = {upwards(self.delta)} ({upwards(without)} without δ{none})"
        chosen, have = "rows of each person were", "Together they have"
        if self.rows_per_person == 1:
            chosen, have = "row of each person was", "It has"
        text = f"Per person: {self.rows_per_person} {chosen} chosen at random. {have} level {upwards(level)}"
        return f"{text}{at}, if each value changes by at most the radius."

    def _shuffled_text(self) -> list[str]:
        """The level of each report beside that of the shuffled file, in lines."""
        if self.shuffled is None:
            return []
        (reports, delta), (column,) = self.shuffled, self.columns
        whose, own = "a row", self.level
        if self.rows_per_person is not None:
            whose, own = "a person", self.person_level or 0.0
        return [
            f"Shuffled: level {upwards(self.shuffled_level or 0.0)} at δ = {delta:g} for {whose}, within "
            f"{column.within}. This level holds against people who see only this file. Level {upwards(own)} "
            f"holds against people who know the order of its rows. The noise of at least {reports} reports "
            "hides each report, even from people who know all other true values. For times up to twice as "
            "far apart, the level of the file doubles, and δ becomes e^level + 1 times as large. Other files "
            "of these people are not counted here."
        ]

    def _accounts(self) -> list[str]:
        """Earlier releases, what all of them add up to, and the account of the dataset, in lines."""
        lines = []
        for release in self.earlier:
            what = " and ".join(f"'{name}'" for name in release.columns or ()) or "other columns"
            level = f"level {upwards(release.level)} within {release.within}"
            lines.append(f"Earlier release of {what} of this file: {level}.")
        if (composed := self.composed) is not None:
            text = f"All releases of this file together: level {upwards(composed['per_response']['level'])}"
            text += " for each row, within the smallest radius of the releases."
            if (person := composed["per_person"]) is not None:
                at = f" at δ = {upwards(person['delta'])}" if person["delta"] else ""
                text += f" For all rows of a person: level {upwards(person['level'])}{at}."
            elif self.rows_per_person is not None:
                text += " No level for all rows of a person is known, because not all releases limited these "
                text += "rows by the same column."
            lines.append(text)
        return lines if self.account is None else [*lines, self.account]


class CuratorsResult(InvalidArgument):
    """The guarantee of a curator's result, where that of reports was asked for."""

    document: dict[str, Any]


def seen(missing: str, columns: tuple[Any, ...]) -> list[str]:
    """What can be seen of missing values and of places outside of the region, by what was done with them."""
    done = {("missing", missing), *(("outside", getattr(column, "outside", "")) for column in columns)}
    return [what for how, what in SHOWN.items() if how in done]


def read_guarantee(path: str | os.PathLike[str]) -> FileGuarantee:
    """The guarantee of a released file, with every field checked as of :meth:`FileGuarantee.from_json`.

    Parameters
    ----------
    path : str or path
        The guarantee's file, as ``private.csv.guarantee.json``, or the released file beside it.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no guarantee, or its fields do not fit each other.
    """
    given = place = Path(path)
    if not place.name.endswith(".json"):
        place = Path(f"{place}{SUFFIX}")
    if not place.is_file():
        remedy = "each released file has one beside it; keep both files together, or release this file first"
        if not given.exists():
            raise MissingFile(f"there is no file {str(given)!r}")
        raise MissingFile(f"no guarantee at {str(place)!r}", remedy=remedy)
    with place.open("rb") as file:
        text = file.read(_LONGEST + 1)
    try:
        if len(text) > _LONGEST:
            raise InvalidArgument(f"it has more than {_LONGEST} bytes")
        document = parsed(text)
        if not isinstance(document, dict) or document.get("trust") != "curator":
            return FileGuarantee.from_json(document)
    except InvalidArgument as error:
        rule = f"{str(place)!r} is no guarantee of dirpriv, or was changed"
        raise InvalidArgument(rule, remedy=str(error)) from None
    remedy = "read the estimate in it; 'map' with --geojson alone writes a map, --plot of 'release' draws one"
    error = CuratorsResult(f"{str(place)!r}: {_OF_CURATOR}", remedy=remedy)
    error.document = document
    raise error


def _check_names(names: Any, count: int | None = None) -> None:
    """Refuse what are not as many different names of columns as ``count``, or at least one."""
    texts = isinstance(names, tuple) and all(isinstance(name, str) for name in names)
    if not texts or not names or len(set(names)) < len(names) or count not in (None, len(names)):
        raise InvalidArgument(f"names of columns must be texts, {count or 'one or more'} and all different")


def _check_rows(rows: Any, delta: Any) -> tuple[int | None, float]:
    """Rows of each person, if a guarantee is per person, and the δ of its level."""
    share = validate.share("delta", delta, zero=True)
    if rows is None and share:
        raise InvalidArgument("delta", f"goes with {named('rows_per_person')}")
    if rows is not None:
        rows = validate.integer("rows_per_person", rows, 1)
        if rows > _MOST_ROWS:
            raise InvalidArgument("rows_per_person", f"must be at most {_MOST_ROWS}", got=rows)
    return rows, share


def _as_json(column: Column, mechanism: str, scale: dict[str, float], loss: float) -> dict[str, Any]:
    """What the guarantee's file says about a column; ``loss`` is that within the radius."""
    certificate = column.release().certificate
    bounds = {"loss_within": loss, "cells": certificate.cells, "pure": certificate.pure}
    return settings_of(column) | {"mechanism": mechanism} | scale | {"certificate": bounds}


@functools.lru_cache(maxsize=64, typed=True)
def _of_rows(column: Column, rows: int, delta: float) -> float:
    """Level of this many rows, each of which may move by up to the radius."""
    added = _sum([column.level], rows)
    if delta == 0.0 or rows == 1:
        return added
    law: Any = column.release().law
    return min(added, guarantees.composed_level(law, rows, distance=column.within, delta=delta))


@functools.lru_cache(maxsize=64, typed=True)
def _of_shuffled(column: Column, rows: int, reports: int, delta: float) -> float:
    """Level of this many rows of a person among shuffled reports.

    Replace these rows one by one. Levels then add up, and δ is multiplied by e^level in each step. The loop
    repeats the bound with the level that it found before. Each repetition is valid and lowers the level.
    """
    law: Any = column.release().law
    level = column.level
    for _ in range(3 if rows > 1 else 1):
        of_each = delta / rows * math.exp(-(rows - 1) * level)
        if of_each < _LEAST_DELTA:
            break
        found = guarantees.shuffled_level(law, reports, of_each, distance=column.within)
        level = min(float(upwards(found, 4)), level)
    return _sum([level], rows)


def _ratio(level: float) -> str:
    """How many times as probable a report can be at a level."""
    return upwards(math.exp(level), 3) if level < 50.0 else f"e^{upwards(level)}"


def _promise(what: str, column: Column) -> str:
    level, within, ratio = upwards(column.level), column.within, _ratio(column.level)
    text = f"Level {level} within {within}: for two true {what} at most {within} apart, the probabilities of "
    text += f"a released value differ by at most a factor of {ratio}. For any two {what}, the level is "
    return f"{text}{upwards(column.release().certificate.pure, 3)}."


def _fields(document: Any, *names: str) -> dict[str, Any]:
    """These fields, all of which must be there."""
    for name in names:
        if name not in document:
            raise InvalidArgument(f"the field {name!r} is missing")
    return {name: document[name] for name in names}


def settings_of(column: Column) -> dict[str, Any]:
    """What makes a column, in types of JSON."""
    values = {name: getattr(column, name) for name in ("kind", *column._asked_for)}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def column_of(document: Any) -> Column:
    """The column of these settings, and of what else is done with its places."""
    kind = _fields(document, "kind")["kind"]
    for made in (TimeColumn, HeadingColumn, PlaceColumns):
        if kind == made.kind:
            fields = _fields(document, *made._asked_for)
            if made is PlaceColumns:
                fields |= {name: tuple(fields[name]) for name in ("names", "origin")}
                fields |= {"outside": document.get("outside", "border")}
            return made(**fields)
    raise InvalidArgument("the field 'kind' of a column is none of 'time', 'heading' and 'place'")


def _earlier(document: Any) -> EarlierRelease:
    columns = _fields(document, "columns")["columns"]
    return EarlierRelease(**(document | {"columns": None if columns is None else tuple(columns)}))


def _compare(document: Any, computed: Any, name: str = "", *, close: bool) -> None:
    """Raise an error that names the first field in which the two differ."""
    if isinstance(computed, dict) and isinstance(document, dict):
        for key in [*computed, *document]:
            if key not in document or key not in computed:
                found = "unknown" if key in document else "missing"
                raise InvalidArgument(f"the field {describe(f'{name}{key}')} is {found}")
            _compare(document[key], computed[key], f"{name}{key}.", close=close)
    elif isinstance(computed, list) and isinstance(document, list) and len(document) == len(computed):
        for i, (one, other) in enumerate(zip(document, computed, strict=True)):
            _compare(one, other, f"{name}{i}.", close=close)
    elif isinstance(computed, float) and isinstance(document, float | int) and not isinstance(document, bool):
        # with a δ the level of a person or of a shuffle comes from an FFT: last digits depend on the machine
        by_fft = (close and "per_person" in name) or name == "shuffled.level."
        if not math.isclose(document, computed, rel_tol=1e-9 if by_fft else 0.0):
            raise InvalidArgument(f"the field '{name[:-1]}' is not what the settings give")
    elif type(document) is not type(computed) or document != computed:
        raise InvalidArgument(f"the field '{name[:-1]}' is not what the settings give")
