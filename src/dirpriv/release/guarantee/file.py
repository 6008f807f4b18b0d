"""What a released file guarantees: a file beside it, and its check.

The guarantee is computed from the arguments of the release alone, never from rows of the input. So it can be
published with the released file. An analyst needs these two files and nothing else.
"""

import copy
import dataclasses
import functools
import json
import math
import os
from pathlib import Path
from typing import Any, ClassVar, Self

from dirpriv import guarantees
from dirpriv._inputs import units, validate
from dirpriv._inputs.errors import InvalidArgument, MissingFile, describe, named
from dirpriv._inputs.strict_json import parsed, renamed
from dirpriv._lib.rounding import upwards
from dirpriv._lib.types import Missing, Together
from dirpriv._lib.version import VERSION
from dirpriv.exact.arithmetic import added
from dirpriv.exact.export import FIRST
from dirpriv.release.guarantee import wording
from dirpriv.release.guarantee.column_cells import check_names
from dirpriv.release.guarantee.columns import FileColumn, TimeColumn, read_column, read_fields

SUFFIX = ".guarantee.json"
FORMAT = 2  # the first had other names and words
_LONGEST = 1_000_000  # bytes of the file
_OF_CENTRAL = "it belongs to a central result, which is an estimate without reports"
_MOST_ROWS = 1_000_000_000  # of a person

_NAMES: dict[Any, str] = {**FIRST, "rows_per_person": "max_rows_per_person", "loss_within": "privacy_loss_within"}
_WORDS: dict[Any, str] = {("missing", "pass"): "keep", ("outside", "pass"): "keep", ("outside", "border"): "clamp"}
_RENAMED = {**_NAMES, **_WORDS, ("trust", "curator"): "central"}  # of the first format

# of unprotected, by an argument and its value
SHOWN = {
    ("missing", "keep"): "which rows are missing",
    ("outside", "keep"): "which rows are outside of the region",
    ("outside", "ask"): "whether all places are outside of the region",
}


@dataclasses.dataclass(frozen=True)
class EarlierRelease:
    """An earlier release of the same file, as the holder's ledger has it.

    Attributes
    ----------
    columns : tuple of str or None
        Names of the columns, if they are released again; None for other columns of the file.
    level, radius : float, str
        Level of each row within the radius.
    max_rows_per_person, person_level, delta : int or None, float or None, float
        Rows of each person, level of all of them (both None if the release was per response, or with another
        column for whose a row is than the release that states it), and its δ.
    """

    columns: tuple[str, ...] | None
    level: float
    radius: str
    max_rows_per_person: int | None = None
    person_level: float | None = None
    delta: float = 0.0

    def __post_init__(self) -> None:
        if self.columns is not None:
            check_names(self.columns)
        level = validate.positive("level", self.level)
        if not isinstance(self.radius, str) or None in map(units.kind_of, self.radius.split(" and ")):
            raise InvalidArgument("radius", "must be a text such as '3h' or '200m'", got=self.radius)
        rows, delta = _check_rows(self.max_rows_per_person, self.delta)
        if (rows is None) != (self.person_level is None):
            raise InvalidArgument(f"{named('max_rows_per_person')} and 'person_level' go together")
        if rows is not None:
            person_level, most = validate.nonnegative("person_level", self.person_level), added([level], rows)
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
    columns : tuple of TimeColumn, PlaceColumns, ItemColumn or VisitColumns
        The protected columns.
    missing : {"stop", "keep"}
        What was done with missing values.
    unprotected : tuple of str
        What of the input can be seen in the output, as ``"order of the rows"``.
    max_rows_per_person : int or None
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
    together : {"sum", "either"} or None
        Whether the time and the place of a row have one promise: the sum of two levels, or one noise.
    shuffled : (int, float) or None
        For reports in a random order: a lower bound of the number of reports of honest people, and the δ of a second
        level. This level holds against people who see only the file. For one column of times, and nothing unprotected.

    Examples
    --------
    >>> from dirpriv.release import FileGuarantee, TimeColumn
    >>> guarantee = FileGuarantee((TimeColumn("arrival", level=1.0, radius="3h"),), max_rows_per_person=5)
    >>> guarantee.level, guarantee.person_level
    (1.0, 5.0)
    >>> release = guarantee.columns[0].release()
    >>> FileGuarantee.from_json(guarantee.to_json()) == guarantee
    True
    """

    _column: ClassVar[Any] = FileColumn  # the types of ``columns``

    columns: tuple[FileColumn, ...]
    missing: Missing = "stop"
    unprotected: tuple[str, ...] = ()
    max_rows_per_person: int | None = None
    delta: float = 0.0
    earlier: tuple[EarlierRelease, ...] = ()
    version: str = VERSION
    devices: bool = False
    account: str | None = None
    shuffled: tuple[int, float] | None = None
    together: Together | None = None

    def __post_init__(self) -> None:
        kinds: dict[str, Any] = {"columns": self._column, "unprotected": str, "earlier": EarlierRelease}
        for name, kind in kinds.items():
            values = getattr(self, name)
            if not isinstance(values, tuple) or not all(isinstance(value, kind) for value in values):
                what = getattr(kind, "__name__", "TimeColumn, PlaceColumns, ItemColumn and VisitColumns")
                raise InvalidArgument(name, f"must be a tuple of {what}")
        names = tuple(name for column in self.columns for name in column.names)
        check_names(names)
        if not all(set(release.columns or ()) <= set(names) for release in self.earlier):
            raise InvalidArgument("earlier", "must name columns of this release only")
        validate.check_word("missing", self.missing, "stop", "keep")
        if not isinstance(self.devices, bool):
            raise InvalidArgument("devices", "must be True or False", got=self.devices)
        for name, value in (("version", self.version), ("account", self.account or "")):
            if not isinstance(value, str):
                raise InvalidArgument(name, "must be a text", got=value)
        asked = [column.kind for column in self.columns]
        fitting = {"sum": [["time", "place"]], "either": [["visit"]]}.get(self.together or "", [asked])
        if asked not in fitting or (self.together is None and "visit" in asked):
            raise InvalidArgument("together", "goes with one column of times, and places", got=self.together)
        rows, delta = _check_rows(self.max_rows_per_person, self.delta)
        vars(self).update(max_rows_per_person=rows, delta=delta)
        if self.shuffled is not None:
            self._check_shuffled(self.shuffled)

    def _check_shuffled(self, pair: Any) -> None:
        """Refuse what a shuffler does not hide, or what no level of shuffled reports is known of."""
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise InvalidArgument("shuffled", "must be a number of reports and a δ, as 400,1e-6", got=pair)
        reports, delta = validate.integer("shuffled", pair[0], 2), validate.share("shuffled", pair[1])
        validate.check_at_most("shuffled", reports, _MOST_ROWS, f"{_MOST_ROWS} reports", reports)
        of_places = not all(isinstance(column, TimeColumn) for column in self.columns)
        excluded = f"excludes what may show the person of a report: {'; '.join(self.unprotected)}"
        rules = {
            "goes with times only, because other reports do not hide a report of a place": of_places,
            "goes with one column only: release each other column to its own file": len(self.columns) > 1,
            excluded: self.unprotected and not self.devices,
        }
        if broken := [rule for rule, is_broken in rules.items() if is_broken]:
            raise InvalidArgument("shuffled", broken[0])
        vars(self).update(shuffled=(reports, delta))
        _ = self.shuffled_level  # whose errors are to come before anything is drawn

    def _after(self, earlier: Any, account: str | None) -> Self:
        """The same guarantee, whose fields are checked, beside what the ledger says."""
        guarantee = copy.copy(self)
        vars(guarantee).update(earlier=earlier, account=account)
        return guarantee

    @property
    def level(self) -> float:
        """Level of a response, one row, in nats: the levels of its columns add up."""
        return added(column.level for column in self.columns)

    @property
    def person_level(self) -> float | None:
        """Level of all rows of a person together, in nats; None if the guarantee is per response."""
        if self.max_rows_per_person is None:
            return None
        return added(self.person_level_of(column) for column in self.columns)

    @property
    def shuffled_level(self) -> float | None:
        """Level at the δ of ``shuffled`` against those who see the file alone, with four digits, rounded up.

        Of all rows of a person, or of one row if the guarantee is per response; None if nothing is shuffled.
        """
        if self.shuffled is None:
            return None
        return _shuffled_level(self.columns[0], self.max_rows_per_person or 1, *self.shuffled)

    def person_level_of(self, column: FileColumn) -> float:
        """Level of one column of all rows of a person, at δ over the number of columns.

        The number of rows times the level of one; or that of :func:`dirpriv.guarantees.composed_level` if
        there is a δ and that level is smaller.

        Parameters
        ----------
        column : TimeColumn or PlaceColumns
            One of ``columns``.
        """
        return _level_of_rows(column, self.max_rows_per_person or 1, self.delta / len(self.columns))

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
            person = {"level": added(levels), "delta": added(release.delta for release in releases)}
        return {"per_response": {"level": added(release.level for release in releases)}, "per_person": person}

    def to_json(self) -> dict[str, Any]:
        """The contents of the guarantee's file, in types of JSON."""
        person = None
        if self.max_rows_per_person is not None:
            person = {"rows": self.max_rows_per_person, "level": self.person_level, "delta": self.delta}
        radius = " and ".join(column.radius for column in self.columns)
        both = {"together": self.together, "radius": radius, "level": self.level}
        shuffled = dict(zip(("reports", "delta"), self.shuffled or (), strict=False))
        return {
            "format": FORMAT,
            "dirpriv": self.version,
            **({} if self.together is None else {"within_both": both}),
            "columns": [column.to_json() for column in self.columns],
            "per_response": {"level": self.level},
            "per_person": person,
            "earlier_releases": [release.to_json() for release in self.earlier],
            "composed": self.composed,
            "missing": self.missing,
            "unprotected": list(self.unprotected),
            **({"drawn_by": "honest devices"} if self.devices else {}),
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
        """
        document = _in_current_format(document)
        if not isinstance(document, dict) or document.get("format") != FORMAT:
            required = f'"format": {FORMAT}, as this version of dirpriv requires'
            raise InvalidArgument(f"it does not have {required}. A later version may read it")
        if document.get("trust") == "central":
            raise InvalidArgument(_OF_CENTRAL)
        try:
            read_fields(document, *"columns missing unprotected per_person earlier_releases dirpriv".split())
            person = document["per_person"] or {}
            shuffled = document.get("shuffled")
            if not isinstance(document["dirpriv"], str):
                raise InvalidArgument("the field 'dirpriv' must be a text, the version that wrote it")
            guarantee = cls(
                columns=tuple(read_column(column) for column in document["columns"]),
                missing=document["missing"],
                unprotected=tuple(document["unprotected"]),
                max_rows_per_person=person.get("rows"),
                delta=person.get("delta", 0.0),
                earlier=tuple(_earlier(release) for release in document["earlier_releases"]),
                version=document["dirpriv"],
                devices="drawn_by" in document,
                account=document.get("account"),
                together=document.get("within_both", {}).get("together"),
                shuffled=None if shuffled is None else tuple(map(shuffled.get, ("reports", "delta"))),
            )
            _compare(document, guarantee.to_json(), close=guarantee.delta > 0.0)
        except (TypeError, AttributeError, ArithmeticError):
            raise InvalidArgument("a field has a wrong type, or is too large for a double") from None
        shown = disclosures(guarantee.missing, guarantee.columns)
        for (name, _), what in SHOWN.items():
            if (what in shown) != (what in guarantee.unprotected):
                raise InvalidArgument(f"the field 'unprotected' does not fit the field {named(name)}")
        return guarantee

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
        >>> lines = FileGuarantee((TimeColumn("arrival", level=1.0, radius="3h"),)).summary().splitlines()
        >>> len(lines), lines[2]
        (3, 'Not protected: number of rows.')
        """
        return wording.summary(self.to_json())

    def text(self) -> str:
        """The whole guarantee in words, a sentence or a few on each line."""
        return wording.text([column.text() for column in self.columns], self.to_json())


class CentralResult(InvalidArgument):
    """The guarantee of a central result, where that of reports was asked for."""

    document: dict[str, Any]


def disclosures(missing: str, columns: tuple[Any, ...]) -> list[str]:
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
    asked = place = Path(path)
    if not place.name.endswith(".json"):
        place = Path(f"{place}{SUFFIX}")
    if not place.is_file():
        hint = "each released file has one beside it; keep both files together, or release this file first"
        if not asked.exists():
            raise MissingFile(f"there is no file {str(asked)!r}")
        raise MissingFile(f"no guarantee at {str(place)!r}", hint=hint)
    with place.open("rb") as file:
        text = file.read(_LONGEST + 1)
    try:
        if len(text) > _LONGEST:
            raise InvalidArgument(f"it has more than {_LONGEST} bytes")
        document = _in_current_format(parsed(text))
        if not isinstance(document, dict) or document.get("trust") != "central":
            return FileGuarantee.from_json(document)
    except InvalidArgument as error:
        raise InvalidArgument(f"{str(place)!r} is no guarantee of dirpriv, or was changed", hint=str(error)) from None
    hint = "read the estimate in it; 'map' with --geojson alone writes a map, --plot of 'release' draws one"
    error = CentralResult(f"{str(place)!r}: {_OF_CENTRAL}", hint=hint)
    error.document = document
    raise error


def _in_current_format(document: Any) -> Any:
    """A guarantee of the first format in the names and words of this one; any other document as it is."""
    is_first = isinstance(document, dict) and type(document.get("format")) is int and document["format"] == 1
    return renamed(document, _RENAMED) | {"format": FORMAT} if is_first else document


def _check_rows(rows: Any, delta: Any) -> tuple[int | None, float]:
    """Rows of each person, if a guarantee is per person, and the δ of its level."""
    share = validate.share("delta", delta, zero=True)
    if rows is None and share:
        raise InvalidArgument("delta", f"goes with {named('max_rows_per_person')}")
    if rows is not None:
        rows = validate.integer("max_rows_per_person", rows, 1)
        validate.check_at_most("max_rows_per_person", rows, _MOST_ROWS, f"{_MOST_ROWS}", rows)
    return rows, share


@functools.lru_cache(maxsize=64, typed=True)
def _level_of_rows(column: FileColumn, rows: int, delta: float) -> float:
    """Level of this many rows, each of which may move by up to the radius."""
    total = added([column.level], rows)
    if delta == 0.0 or rows == 1:
        return total
    noise: Any = column.release().noise
    return min(total, guarantees.composed_level(noise, rows, distance=column.radius, delta=delta))


@functools.lru_cache(maxsize=64, typed=True)
def _shuffled_level(column: FileColumn, rows: int, reports: int, delta: float) -> float:
    """Level of this many rows of a person among shuffled reports.

    Replace these rows one by one. Levels then add up, and δ is multiplied by e^level in each step. The loop
    repeats the bound with the level that it found before. Each repetition is valid and lowers the level.
    """
    noise: Any = column.release().noise
    level = column.level
    for _ in range(3 if rows > 1 else 1):
        share = delta / rows * math.exp(-(rows - 1) * level)
        if share < 1e-30:
            break
        shuffled = guarantees.shuffled_level(noise, reports, share, distance=column.radius)
        level = min(float(upwards(shuffled, 4)), level)
    return added([level], rows)


def _earlier(document: Any) -> EarlierRelease:
    columns = read_fields(document, "columns")["columns"]
    return EarlierRelease(**(document | {"columns": None if columns is None else tuple(columns)}))


def _compare(document: Any, computed: Any, name: str = "", *, close: bool) -> None:
    """Raise an error that names the first field in which the two differ."""
    if isinstance(computed, dict) and isinstance(document, dict):
        for key in [*computed, *document]:
            if key not in document or key not in computed:
                state = "unknown" if key in document else "missing"
                raise InvalidArgument(f"the field {describe(f'{name}{key}')} is {state}")
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
