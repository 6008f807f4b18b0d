"""Releases as documents for devices: what they are made of, a promise, and a hash (docs/device_format.md).

The promise is checked in integers, as the sampler in JavaScript does: with this it need not be believed. What
a release of places promises is compared in ``plane.py``, which knows the map.
"""

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Self

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._inputs.strict_json import renamed
from dirpriv._lib.immutable import Built
from dirpriv.exact import arithmetic
from dirpriv.exact.circle_cells import MOST_CELLS
from dirpriv.exact.exponential_weights import DEEPEST
from dirpriv.exact.plane_cells import PlaneCells
from dirpriv.exact.sampling import TOTAL_BITS

FORMAT = "dirpriv.circle/2"
LONGEST = 31_622_400  # seconds of a period: a leap year
HIGHEST = 100.0  # level
_HEX = re.compile("[1-9a-f][0-9a-f]{0,32}")
_FIELDS = "format", "cells", "period_seconds", "level", "radius_cells", "weights", "sha256"

PLANE = "dirpriv.plane/2"
LEAST_RATE = 1e-4  # as of lattice_noise.py
_METRES = re.compile("[1-9][0-9]{0,99}(/[1-9][0-9]{0,99})?")
REGION = "region_centre", "region_reach", "cell_size"
_PLANE_FIELDS = "format", *REGION, "rate", "level", "radius_metres", "sha256"
# names of the first formats, also of the settings of columns
FIRST = {"within": "radius", "within_cells": "radius_cells", "within_metres": "radius_metres"}
FIRST |= dict(zip(("origin", "reach", "step"), REGION, strict=True))
TO_FIRST = {new: old for old, new in FIRST.items()}


class Exportable(Built, ABC):
    """A release that devices can make again."""

    @abstractmethod
    def export(self, radius: Any) -> dict[str, Any]:
        """This release as a document for devices: its integers or what makes them, their promise, a hash.

        The document has types of JSON alone; ``docs/device_format.md`` says what each field is. The level is
        ``certificate.loss(radius)``. Integers and promise are compared once more.

        Parameters
        ----------
        radius : float, str or timedelta
            As of :meth:`within`: at least one cell of a circle, as it is rounded up to cells, or 1 m.

        Raises
        ------
        ValueError
            If the radius is not as above, the level is beyond 100, the period is no whole seconds, or the log
            weight of places falls by less than 1e-4 from a cell to the next.

        Examples
        --------
        >>> from dirpriv.release import CircleRelease, PlaneRelease
        >>> document = CircleRelease.within(level=1.0, radius="3h", cells=96).export("3h")
        >>> document["level"], document["radius_cells"], len(document["weights"])
        (1.0, 12, 49)
        >>> CircleRelease.from_export(document).export("3h") == document
        True
        >>> city = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "10m"}
        >>> document = PlaneRelease.within(1.0, "200m", **city).export("200m")  # of 250 bytes
        >>> document["level"], document["radius_metres"], round(document["rate"], 5)
        (1.0, '200', 0.04645)
        """

    @classmethod
    @abstractmethod
    def from_export(cls, document: Any) -> Self:
        """The release of a document of :meth:`export`, with every field and the promise checked.

        Parameters
        ----------
        document : dict
            As :meth:`export` has written it. It is a ValueError if a field is missing, unknown, of another type or
            out of its range, the hash is of another document, or the integers break the promise.
        """


def circle_document(cells: int, seconds: int, level: Any, distance: int, weights: Sequence[int]) -> dict[str, Any]:
    """The document of weights by distance, and of a level between cells at most so far apart.

    It is refused where the weights break the promise.
    """
    last = cells // 2
    if not (2 <= cells <= MOST_CELLS and 1 <= seconds <= LONGEST):
        raise refused(f"must have 2 to {MOST_CELLS} cells, and a period of 1 to {LONGEST} s")
    if not 1 <= distance <= last:
        raise refused("must promise a level within one cell or more, up to half of all cells")
    _check_level(level)
    if len(weights) != last + 1:
        raise refused("must have a weight for each distance")
    most = arithmetic.exp(Fraction(level)).below
    for i, weight in enumerate(weights):
        if i < last and weight < weights[i + 1]:
            raise refused("must have weights that do not rise with the distance")
        far = weights[min(i + distance, last)]
        if weight * most.denominator > far * most.numerator:
            raise refused(f"must hold its promise; its weights break it {i} cells from the input")
    if sum(around(weights, cells)) > 1 << TOTAL_BITS:
        raise refused("must have weights with a total of at most 2^128")
    texts = [f"{weight:x}" for weight in weights]
    return _document(FORMAT, _FIELDS, cells, seconds, float(level), distance, texts)


def read_circle(document: Any) -> tuple[int, int, float, int, tuple[int, ...]]:
    """What :func:`circle_document` takes, from a document, with every field checked."""
    cells, seconds, level, distance, texts = _fields(document, FORMAT, _FIELDS)
    if not all(type(number) is int for number in (cells, seconds, distance)):
        raise refused("must have integers as cells, period_seconds and radius_cells")
    if not isinstance(texts, list) or not all(isinstance(t, str) and _HEX.fullmatch(t) for t in texts):
        raise refused("must have hexadecimal integers above 0 as weights, without zeros in front")
    weights = tuple(int(text, 16) for text in texts)
    _check_hash(circle_document(cells, seconds, level, distance, weights), document)
    return cells, seconds, float(level), distance, weights


def plane_document(cells: PlaneCells, rate: Any, level: Any, radius: Fraction) -> dict[str, Any]:
    """The document of a region, of the fall of the log weight per cell, and of a level in a radius."""
    _check_level(level)
    if not _number(rate) or not LEAST_RATE <= rate <= DEEPEST:
        raise refused(f"must have a rate from {LEAST_RATE:g} to {DEEPEST}, that of larger steps")
    region = [*cells.centre], str(cells.reach), str(cells.size)
    return _document(PLANE, _PLANE_FIELDS, *region, float(rate), float(level), str(radius))


def read_plane(document: Any) -> tuple[PlaneCells, float, float, Fraction]:
    """What :func:`plane_document` takes, from a document, with every field checked but its promise."""
    centre, reach, size, rate, level, radius = _fields(document, PLANE, _PLANE_FIELDS)
    if not isinstance(centre, list) or [_number(x) and abs(x) <= 360 for x in centre] != [True, True]:
        raise refused("must have a region_centre in degrees")
    for text in (reach, size, radius):
        if not isinstance(text, str) or not _METRES.fullmatch(text) or str(Fraction(text)) != text:
            raise refused("must have lengths in metres, as 30000 or 1/10, in lowest terms")
    reach, size, radius = map(Fraction, (reach, size, radius))
    cells = PlaneCells((float(centre[0]), float(centre[1])), reach, size)
    _check_hash(plane_document(cells, rate, level, radius), document)
    return PlaneCells.from_arguments(cells.centre, reach, size), rate, level, radius


def _fields(document: Any, form: str, names: tuple[str, ...]) -> list[Any]:
    """The fields of a document of this format, or of the first, without format and hash, in order."""
    if isinstance(document, dict) and document.get("format") == f"{form[:-1]}1":
        document = renamed(document, FIRST) | {"format": form}
    if not isinstance(document, dict) or set(document) != set(names):
        raise refused(f"must have the fields {', '.join(names)}, and no others")
    if document["format"] != form:
        raise refused(f"must be of the format {form}")
    return [document[name] for name in names[1:-1]]


def _check_hash(same: dict[str, Any], document: dict[str, Any]) -> None:
    """An error where the hash of a document is not that of its own fields."""
    if (same if document["format"] == same["format"] else in_first_format(same))["sha256"] != document["sha256"]:
        raise refused("must have the hash of its own fields; it was changed")


def in_first_format(document: dict[str, Any]) -> dict[str, Any]:
    """A document as it was in the first format: with its names and its hash."""
    form, *values, _ = document.values()
    return _document(f"{form[:-1]}1", tuple(renamed(document, TO_FIRST)), *values)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_level(level: Any) -> None:
    if not _number(level) or not 0 < level <= HIGHEST:
        raise refused(f"must have a level above 0 and at most {HIGHEST:g}")


def _document(form: str, fields: tuple[str, ...], *values: Any) -> dict[str, Any]:
    """A document with its hash, which takes a double as a fraction whose denominator is always written."""
    flat = [each for value in (form, *values) for each in (value if isinstance(value, list) else [value])]
    lines = ["/".join(map(str, x.as_integer_ratio())) if isinstance(x, float) else str(x) for x in flat]
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    return dict(zip(fields, (form, *values, digest), strict=True))


def around(weights: Sequence[int], cells: int) -> tuple[int, ...]:
    """Weights of all cells, from those by distance."""
    return tuple(weights[min(j, cells - j)] for j in range(cells))


def refused(rule: str) -> InvalidArgument:
    return InvalidArgument("document", rule)
