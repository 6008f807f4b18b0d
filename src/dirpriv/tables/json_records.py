"""Records of JSON: of an array, of lines, of GeoJSON and of Google's histories of places, told apart by their names."""

import contextlib
import datetime
import functools
import io
import itertools
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from dirpriv._inputs.strict_json import refuse_constant, unique

_BLOCK = 1 << 16
_LONGEST = 1 << 24  # characters of a record
_SPACES = re.compile("[ \t\r\n]*")
Record = dict[str, str]


def records(file: Any, refused: Callable[..., Exception]) -> Iterator[Record]:
    """Each record of a file as texts by their names: ``location.lat`` of an object in it, ``x.0`` of a list."""
    values = _Values(file)
    number, wrong = 1, ""
    try:
        for shape, value in _shaped(values):
            if not isinstance(value, dict):
                raise _WrongRecord("is no object, with names")
            flat = _flat(value)
            yield from [flat] if shape is None else shape(flat)
            number += 1
    except (UnicodeError, RecursionError):
        wrong = "is no text, or is too deep"
    except _WrongRecord as error:
        wrong = error.args[0]
    if wrong:  # after the block of the other error, which may hold the text
        raise refused(f"cannot be read as JSON: record {number} {wrong}")


class _WrongRecord(Exception):
    """What is wrong with a record, without its values."""


class _Values:
    """The values of a text, decoded one after another; numbers are texts."""

    def __init__(self, file: Any) -> None:
        self._file, self._text, self._at = io.TextIOWrapper(file, "utf-8-sig", newline=""), "", 0
        keep: Any = {"parse_float": str, "parse_int": str, "parse_constant": refuse_constant}
        fields = functools.partial(unique, _WrongRecord, "has a name twice")
        self._decoder = json.JSONDecoder(object_pairs_hook=fields, **keep)

    def _more(self) -> bool:
        rest = self._text[self._at :]
        if new := self._file.read(max(_BLOCK, len(rest))) if len(rest) <= _LONGEST else "":
            self._text, self._at = rest + new, 0
        return bool(new)

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            self._at = _SPACES.match(self._text, self._at).end()  # type: ignore[union-attr]  # which may be none
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def skip(self, mark: str) -> bool:
        """Whether the next character is this one, which is passed then."""
        is_next = self.peek() == mark
        self._at += is_next
        return is_next

    def expect(self, mark: str) -> None:
        if not self.skip(mark):
            raise _WrongRecord("is no JSON, or is behind the end of it")

    def value(self) -> Any:
        """The next value, of at most ``_LONGEST`` characters."""
        self.peek()
        while True:
            value, end = None, -1
            with contextlib.suppress(ValueError):
                value, end = self._decoder.raw_decode(self._text, self._at)
            if 0 <= end < len(self._text) or not self._more():  # a number at the end may go on
                break
        if end < 0:
            raise _WrongRecord(f"is no JSON, or has more than {_LONGEST} characters")
        self._at = end
        return value

    def array(self) -> Iterator[Any]:
        self.expect("[")
        if not self.skip("]"):
            yield self.value()
            while self.skip(","):
                yield self.value()
            self.expect("]")


def _shaped(values: _Values) -> Iterator[tuple[Callable[[Record], Iterator[Record]] | None, Any]]:
    """Each record, with what makes rows of it, if it is not one itself."""
    if values.peek() == "[":
        yield from ((None, value) for value in values.array())
    elif values.peek():
        alone, is_history = {}, False
        values.expect("{")
        while values.peek() not in ("}", ""):
            name = values.value()
            values.expect(":")
            if isinstance(name, str) and name in _SHAPES and values.peek() == "[":
                is_history = True
                yield from ((_SHAPES[name], value) for value in values.array())
            else:
                alone[name] = values.value()
            if not values.skip(","):
                break
        values.expect("}")
        if not is_history:  # the first of the lines
            if not values.peek() and any(isinstance(value, dict | list) for value in alone.values()):
                raise _WrongRecord("is one object with others in it, which are no rows")
            yield None, alone
            while values.peek():
                yield None, values.value()
    if values.peek():
        raise _WrongRecord("is behind the end of the records")


def _flat(value: Any, name: str = "") -> Record:
    """The texts of a value, by the names that lead to them."""
    if not isinstance(value, dict | list):
        return {name: "" if value is None else str(value).lower() if isinstance(value, bool) else value}
    flat: Record = {}
    for key, part in value.items() if isinstance(value, dict) else enumerate(value):
        own = _flat(part, f"{name}.{key}" if name else str(key))
        if not flat.keys().isdisjoint(own):
            raise _WrongRecord("has a name twice")
        flat |= own
    return flat


def _feature(flat: Record) -> Iterator[Record]:
    """A point of GeoJSON and its properties."""
    latitude, longitude = "geometry.coordinates.1", "geometry.coordinates.0"
    is_point = flat.get("geometry.type") == "Point" and latitude in flat
    if not is_point and flat.get("geometry") != "":  # which may be null
        raise _WrongRecord("is a feature that is no point")
    names = [(name, name.removeprefix("properties.")) for name in flat if name.startswith("properties.")]
    properties = {name if own in ("lat", "lon") else own: flat[name] for name, own in names}
    yield {"lat": flat.get(latitude, ""), "lon": flat.get(longitude, ""), **properties}


def _places(kinds: Sequence[tuple[str, str, str]], flat: Record) -> Iterator[Record]:
    """Rows of one of Google's histories: its ``kinds`` of places, each with the names of its time and of its place."""
    if kinds is _RECORDS and flat.keys().isdisjoint(("latitudeE7", "longitudeE7", "timestampMs")):
        yield flat
        return
    path = itertools.takewhile(flat.__contains__, (f"timelinePath.{i}.point" for i in itertools.count()))
    for kind, time, place in [*kinds, *(("path", f"{point[:-5]}time", point) for point in path)]:
        if place == "" or any(name.startswith(place.partition(".")[0]) for name in flat):
            yield {"kind": kind, "time": _time(flat, time), **_degrees(flat, place)}


_RECORDS = [("", "timestamp", "")]
_HISTORIES = tomllib.loads(Path(__file__).with_name("histories.toml").read_text("utf-8"))
_SHAPES: dict[str, Callable[[Record], Iterator[Record]]] = {
    "features": _feature,
    "locations": functools.partial(_places, _RECORDS),
    **{name: functools.partial(_places, history["kinds"]) for name, history in _HISTORIES.items()},
}


def _degrees(flat: Record, place: str) -> Record:
    """Degrees of two numbers that are 10^7 of each, or of a text such as ``40.75°, -73.98°``; or none."""
    e7 = [flat.get(f"{place}{axis}E7", "") for axis in ("latitude", "longitude")]
    if any(e7):
        degrees = [f"{Decimal(text).scaleb(-7):f}" for text in e7 if re.fullmatch(r"-?\d{1,10}", text)]
    else:
        degrees = re.split(r"°?\s*,\s*", flat.get(place, ",").removesuffix("°"))
    if len(degrees) != 2:
        raise _WrongRecord("has a place of another form")
    return {"lat": degrees[0], "lon": degrees[1]}


def _time(flat: Record, name: str) -> str:
    """A time as it is, or of milliseconds since 1970."""
    milliseconds = flat.get(f"{name}Ms", "")
    if name in flat or not re.fullmatch(r"\d{1,14}", milliseconds):
        return flat.get(name, milliseconds)
    since = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=int(milliseconds))
    return f"{since.isoformat(timespec='milliseconds')}Z"
