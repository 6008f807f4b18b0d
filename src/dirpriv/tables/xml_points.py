"""Points of GPX and of KML, read as they come. A document type is refused, so there are no entities to expand."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from xml.parsers import expat

POINT_NAMES = "kind", "time", "lat", "lon"
_BLOCK = 1 << 16
_GPX = "wpt", "rtept", "trkpt"
_LONGEST = 1 << 20  # characters of one text, which an attack may make long


class _WrongPoint(Exception):
    """What is wrong with a point, without its values."""


class _Points:
    """The points of the elements so far: of ways, routes and tracks of GPX, of placemarks and tracks of KML."""

    def __init__(self) -> None:
        self.rows: list[tuple[Any, ...]] = []
        self._open = ["", ""]  # names of the elements around
        self._text = self._time = ""
        self._times: list[str] = []
        self._track: list[str] = []
        self._places: list[str] = []

    def start(self, name: str, attributes: dict[str, str]) -> None:
        self._open.append(name := name.rpartition(":")[2])
        self._text = ""
        if name in _GPX:
            self._time, self._place = "", [attributes.get("lat"), attributes.get("lon")]
            if None in self._place:
                raise _WrongPoint("has no lat or no lon")
        elif name == "Placemark":
            self._time, self._places = "", []
        elif name == "Track":
            self._times, self._track = [], []
        elif name in ("LineString", "LinearRing", "Model"):
            raise _WrongPoint("is at a line or an area, and only points and tracks are read")

    def text(self, text: str) -> None:
        self._text += text
        if len(self._text) > _LONGEST:
            raise _WrongPoint("has a text that is too long")

    def stop(self, name: str) -> None:
        name, text, self._text = self._open.pop(), self._text.strip(), ""
        around = self._open[-1]
        if name in _GPX:
            self.rows.append((name, self._time, *self._place))
        elif name == "Track":
            if len(self._times) != len(self._track):
                raise _WrongPoint("begins a track with other numbers of times and places")
            for time, place in zip(self._times, self._track, strict=True):
                self.rows.append(("track", time, *_degrees(place, r"\s+")))
        elif name == "Placemark":
            for place in self._places:
                self.rows.append(("point", self._time, *_degrees(place, r"\s*,\s*")))
        elif around == "Track" and name in ("when", "coord"):
            (self._times if name == "when" else self._track).append(text)
        elif (name == "time" and around in _GPX) or (name in ("when", "begin") and self._open[-2] == "Placemark"):
            self._time = text
        elif name == "coordinates" and around == "Point":
            self._places.append(text)


def _degrees(text: str, mark: str) -> tuple[str, str]:
    """Latitude and longitude of a text with the longitude first; empty where a track has no fix."""
    parts = re.split(mark, text) if text else ["", ""]
    if len(parts) not in (2, 3):
        raise _WrongPoint("has no place of two or three numbers")
    return parts[1], parts[0]


def points(file: Any, refused: Callable[..., Exception]) -> Iterator[tuple[str, ...]]:
    """Kind, time, latitude and longitude of each point of a file."""
    parser, elements, wrong, hint, count = expat.ParserCreate(), _Points(), "", "", 0
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = elements.start, elements.stop
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = elements.text, _refuse_type
    block = None
    try:
        while block != b"":
            block = file.read(_BLOCK)
            parser.Parse(block, not block)
            yield from elements.rows
            count += len(elements.rows)
            elements.rows.clear()
    except (expat.ExpatError, LookupError, ValueError):
        wrong, hint = f"from line {parser.CurrentLineNumber} on", "it is damaged, cut off, or no XML"
    except _WrongPoint as error:
        wrong = f"at point {count + len(elements.rows) + 1}, which {error}"
    if wrong:
        raise refused(f"cannot be read as GPX or KML {wrong}", hint)
    if not count:
        raise refused("contains no points of GPX or KML")


def _refuse_type(*_: Any) -> None:
    raise _WrongPoint("is behind a document type, which is not read")
