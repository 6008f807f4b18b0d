"""A release on the circle as a document for devices: integers, a promise, and a hash (docs/device_format.md).

The promise is checked in integers, as the sampler in JavaScript does: with this it need not be believed.
"""

import hashlib
import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from dirpriv._inputs.errors import InvalidArgument
from dirpriv.exact import arithmetic
from dirpriv.exact.cells import MOST_CELLS
from dirpriv.exact.draws import TOTAL_BITS

FORMAT = "dirpriv.circle/1"
LONGEST = 31_622_400  # seconds of a period: a leap year
HIGHEST = 100.0  # level
_HEX = re.compile("[1-9a-f][0-9a-f]{0,32}")
_FIELDS = "format", "cells", "period_seconds", "level", "within_cells", "weights", "sha256"


class Exported(NamedTuple):
    """What a document says: weights by distance, and a level between cells at most so far apart."""

    cells: int
    seconds: int
    level: float
    apart: int
    weights: tuple[int, ...]

    def document(self) -> dict[str, Any]:
        """The document, in types of JSON; refused where the weights break the promise."""
        self._check()
        values = (FORMAT, self.cells, self.seconds, self.level, self.apart, [f"{w:x}" for w in self.weights])
        return dict(zip(_FIELDS, (*values, self._hash()), strict=True))

    @classmethod
    def of(cls, document: Any) -> "Exported":
        """What a document says, with every field checked."""
        if not isinstance(document, dict) or set(document) != set(_FIELDS):
            raise _refused(f"must have the fields {', '.join(_FIELDS)}, and no others")
        if document["format"] != FORMAT:
            raise _refused(f"must be of the format {FORMAT}")
        _, cells, seconds, level, apart, texts, digest = (document[name] for name in _FIELDS)
        if not all(type(number) is int for number in (cells, seconds, apart)):
            raise _refused("must have integers as cells, period_seconds and within_cells")
        if not isinstance(texts, list) or not all(isinstance(t, str) and _HEX.fullmatch(t) for t in texts):
            raise _refused("must have hexadecimal integers above 0 as weights, without zeros in front")
        if isinstance(level, bool) or not isinstance(level, int | float) or not 0 < level <= HIGHEST:
            raise _refused(f"must have a level above 0 and at most {HIGHEST:g}")
        made = cls(cells, seconds, float(level), apart, tuple(int(text, 16) for text in texts))
        made._check()
        if made._hash() != digest:
            raise _refused("must have the hash of its own fields; it was changed")
        return made

    def _check(self) -> None:
        if not (2 <= self.cells <= MOST_CELLS and 1 <= self.seconds <= LONGEST):
            raise _refused(f"must have 2 to {MOST_CELLS} cells, and a period of 1 to {LONGEST} s")
        if not 1 <= self.apart <= self.cells // 2:
            raise _refused("must promise a level within one cell or more, up to half of all cells")
        if not 0 < self.level <= HIGHEST:
            raise _refused(f"must have a level above 0 and at most {HIGHEST:g}")
        last = self.cells // 2
        if len(self.weights) != last + 1:
            raise _refused("must have a weight for each distance")
        most = arithmetic.exp(Fraction(self.level)).below
        for i, weight in enumerate(self.weights):
            if i < last and weight < self.weights[i + 1]:
                raise _refused("must have weights that do not rise with the distance")
            far = self.weights[min(i + self.apart, last)]
            if weight * most.denominator > far * most.numerator:
                raise _refused(f"must hold its promise; its weights break it {i} cells from the input")
        if sum(around(self.weights, self.cells)) > 1 << TOTAL_BITS:
            raise _refused("must have weights with a total of at most 2^128")

    def _hash(self) -> str:
        level = Fraction(self.level)
        fields = FORMAT, self.cells, self.seconds, f"{level.numerator}/{level.denominator}", self.apart
        text = "\n".join([*map(str, fields), *(f"{weight:x}" for weight in self.weights)])
        return hashlib.sha256(text.encode()).hexdigest()


def around(weights: Sequence[int], cells: int) -> tuple[int, ...]:
    """Weights of all cells, from those by distance."""
    return tuple(weights[min(j, cells - j)] for j in range(cells))


def _refused(rule: str) -> InvalidArgument:
    return InvalidArgument("document", rule)
