"""Exact central releases: a trusted data owner adds up integers of a table and adds integer noise.

The noise is a point v of Z^d. Its probability is in proportion to exp(-f ⌈‖v‖⌉), with a rational number f.
The proofs are in docs/mathematics.md, "Central integers".
"""

import functools
import math
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np
import scipy  # which imports its submodules where they are first used

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.immutable import Built, Frozen
from dirpriv._lib.types import Integers, Mask, WithUnit
from dirpriv.exact import arithmetic
from dirpriv.exact.certificates import Certificate
from dirpriv.exact.circle_cells import CircleCells
from dirpriv.exact.sampling import BLOCK, random_words, uniform_below

Adjacency = Literal["replace", "add-remove"]

SCALE = 1 << 14  # length of a row of the table
_BITS = 50  # of the denominator of f
_MOST_TOTAL = 1 << 62
_LARGEST = 1 << 12  # units of 1/f: beyond, or where squares may not fit into int64, Python's integers


class LatticeNoise(Frozen):
    """Points v of Z^d with probabilities exactly in proportion to exp(-f ⌈‖v‖⌉), by the draws that the proofs have."""

    fall: Fraction
    dim: int
    _steps: int

    def __init__(self, fall: Fraction, dim: int) -> None:
        steps = math.floor(fall * (1 << _BITS))
        self._set(fall=Fraction(steps, 1 << _BITS), dim=dim, _steps=steps)

    def draws(self, count: int) -> Any:
        """Independent points, one in each row."""
        starts = range(0, count, BLOCK)
        return np.concatenate([self._block(0), *(self._block(min(BLOCK, count - i)) for i in starts)])

    def _block(self, count: int) -> Any:
        block: Any = np.zeros((count, self.dim), dtype=np.int64)
        todo = np.arange(count)
        while todo.size:
            layers = functools.reduce(np.add, (self._geometric(todo.size) for _ in range(self.dim + 1)))
            taken = np.ones(todo.size, dtype=bool)
            for j in range(1, self.dim + 1):
                taken &= (uniform_below(2 * (layers + j), todo.size) < 2 * layers + 1).astype(bool)
            sides = [uniform_below(2 * layers + 1, todo.size) - layers for _ in range(self.dim)]
            points = np.stack(sides, axis=1)
            taken &= ((points * points).sum(axis=1) <= layers * layers).astype(bool)
            block = block.astype(np.result_type(block, points), copy=False)
            block[todo[taken]] = points[taken]
            todo = todo[~taken]
        return block

    def _geometric(self, count: int) -> Any:
        """Numbers j with probabilities in proportion to exp(-f j): ⌊x/steps⌋ of x with exp(-x/2^50)."""
        low: Any = np.zeros(count, dtype=np.int64)
        todo = np.arange(count)
        while todo.size:  # below 2^50
            low[todo] = _random_bits(todo.size)
            todo = todo[~_happens_exp(low[todo])]
        high, todo = np.zeros(count, dtype=np.int64), np.arange(count)
        while todo.size:  # of 2^50 each
            todo = todo[_happens_exp(np.full(todo.size, 1 << _BITS))]
            high[todo] += 1
        if high.max(initial=0) >= min(_LARGEST, self._steps >> 22):
            low, high = low.astype(object), high.astype(object)
        return (low + (high << _BITS)) // self._steps

    def radius(self, error: float) -> int:
        """A length that the noise exceeds with a probability of at most ``error``; on the line, the least."""
        fall = float(self.fall)
        if self.dim == 1:
            log_share = math.log(2.0 / error) - math.log1p(math.exp(-fall))
            return max(math.ceil(log_share / fall * (1.0 + 1e-12) - 1.0), 0)
        # in the plane the density exp(-f ‖z‖) bounds it: a cell around v lies within √½ of v
        share = math.log(error) - fall * (1.0 + math.sqrt(2.0))
        length = scipy.optimize.brentq(lambda x: math.log1p(x) - x - share, 0.0, 2.0 * (2.0 - share))
        return math.ceil(length / fall * (1.0 + 1e-9) + math.sqrt(0.5))


def _random_bits(count: int) -> Integers:
    return (random_words(count) >> np.uint64(64 - _BITS)).astype(np.int64)


def _happens_exp(parts: Integers) -> Mask:
    """Events of probability exp(-g), g = parts/2^50 at most 1: the first of g, g/2, g/3, … to fail is odd."""
    odd, todo, k = np.zeros(len(parts), dtype=bool), np.arange(len(parts)), 1
    while todo.size:
        goes_on = (_random_bits(todo.size) < parts[todo]) & (uniform_below(k, todo.size) == 0)
        odd[todo[~goes_on]] = k % 2 == 1
        todo, k = todo[goes_on], k + 1
    return odd


class SumCertificate(Certificate):
    """Of noise with the rate ``fall`` on totals that one person moves by ``sensitivity`` at most."""

    fall: Fraction
    sensitivity: int
    steps: int  # 2 if a person is added or left out: other values are one person less and another one more

    def __init__(self, fall: Fraction, sensitivity: int, steps: int) -> None:
        pure, cells = (arithmetic.double_not_below(level) for level in (fall * sensitivity, fall))
        self._set(fall=fall, sensitivity=sensitivity, steps=steps, pure=pure, cells=cells)

    def loss(self, distance: Any) -> float:
        """The level of other values of a person, which holds at every distance."""
        return arithmetic.double_not_below(self.fall * self.sensitivity * self.steps)


class CentralRelease(Built):
    """Central noise for counts or for a sum of directions, with an exact guarantee.

    Counts of bins get discrete Laplace noise v, in proportion to exp(-f |v|). For a mean on the circle, each
    cell has a row of a public table: its unit vector times 2^14, rounded to integers. The data owner adds up the
    rows of all people and adds noise in proportion to exp(-f ⌈‖v‖⌉). The rate is f = ε/D, D the most by which
    one person moves the total: K in two counts, or 2K times the longest row; half as much if a person is
    added or removed. There is no generator, seed or state. The duration of a draw depends only on the noise.

    Parameters
    ----------
    epsilon : float
        Pure level ε of a person.
    cells, period : int, optional, and float, str or timedelta, keyword-only
        Of a circle, as for :class:`CircleRelease`; without ``cells`` the release is of counts.
    max_rows_per_person : int, keyword-only
        K, the most rows of one person that are added up. It is 1 where each person adds the mean of several rows.
    adjacency : {"replace", "add-remove"}, keyword-only
        ``"replace"`` hides the values of a person; the number of people is public. ``"add-remove"`` also
        hides whether the person is in the data.

    Attributes
    ----------
    certificate : Certificate
        The guarantee of the integers. ``pure`` is the level of a person for any change of their values.
        ``fall`` is f, a fraction, and ``sensitivity`` is D.
    rows : ndarray of int, shape (cells, 2), or None
        The table; None of counts.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.release import CentralRelease
    >>> release = CentralRelease(epsilon=1.0)
    >>> release.certificate.pure <= 1.0, release.certificate.sensitivity, release.most_noise(0.05)
    (True, 2, 6)
    >>> release.randomise([31, 240, 610]).shape
    (3,)
    >>> release = CentralRelease(epsilon=1.0, cells=1440)
    >>> x, y = release.randomise(100_000 * release.rows[495])  # all at 08:15
    >>> bool(abs(np.arctan2(y, x) * 12 / np.pi - 8.2583) < 0.02)
    True
    """

    certificate: SumCertificate
    rows: Any
    _noise: LatticeNoise

    def __init__(
        self,
        epsilon: float,
        *,
        cells: int | None = None,
        period: WithUnit = "24h",
        max_rows_per_person: int = 1,
        adjacency: Adjacency = "replace",
    ) -> None:
        most = validate.integer("max_rows_per_person", max_rows_per_person, 1)
        validate.check_at_most("max_rows_per_person", most, 10**6, "a million", most)
        validate.check_one_of("adjacency", adjacency, get_args(Adjacency))
        circle = None if cells is None else CircleCells(cells, period)
        self._build(validate.positive("epsilon", epsilon), adjacency, most, circle)

    def _build(self, level: float, adjacency: str, most: int, circle: CircleCells | None) -> None:
        rows, square = None, 1
        if circle is not None:
            angles = circle.angles(np.arange(circle.count))
            rows = np.rint(SCALE * np.stack([np.cos(angles), np.sin(angles)], axis=1)).astype(np.int64)
            square = int((rows * rows).sum(axis=1).max())
        steps = 1 if adjacency == "replace" else 2
        sensitivity = math.isqrt(4 * square * most**2 // steps**2 - 1) + 1
        fall = Fraction(level) / sensitivity
        if not Fraction(1, 1 << 30) <= fall <= 1000:
            rule = f"must be from {sensitivity / 2**30:.1g} to {1000 * sensitivity} here"
            raise InvalidArgument("epsilon", rule, got=level)
        noise = LatticeNoise(fall, 1 if circle is None else 2)
        self._set(certificate=SumCertificate(noise.fall, sensitivity, steps), rows=rows, _noise=noise)
        self._set(_parameters=(level, adjacency, most, circle))

    def __repr__(self) -> str:
        return f"CentralRelease(epsilon={self._parameters[0]!r}, adjacency={self._parameters[1]!r})"

    def randomise(self, total: Any) -> Any:
        """The total with noise: integers, which can be negative.

        Parameters
        ----------
        total : array_like of int
            Counts; or the sum of rows of the table, two integers; of at most 2^62. Instead of one row, a person may add
            the mean of several rows, rounded towards 0. It is not checked that nobody adds more than K rows.
        """
        values = validate.array("total", total)
        if values.dtype.kind not in "iu" or (self.rows is not None and values.shape != (2,)):
            of_rows = "two integers, the sum of rows of the table: a sphere has no table"
            wanted = "integers" if self.rows is None else of_rows
            raise InvalidArgument("total", f"must be {wanted}; got {values.dtype} of shape {values.shape}")
        rule, hint = "is beyond 2^62, which leaves no room for noise", "check how it was added up"
        validate.refuse("total", (values > _MOST_TOTAL) | (values < -_MOST_TOTAL), rule, hint)
        noise = self._noise.draws(values.size // self._noise.dim).reshape(values.shape)
        return values.astype(np.int64) + noise

    def most_noise(self, error: float, counts: int = 1) -> int:
        """A bound of the noise (or its length), exceeded with a probability of at most ``error``.

        Parameters
        ----------
        error, counts : float and int
            In (0, 1); how many counts are added up. For more than one count, the bound is Chebyshev's inequality.
        """
        error, counts = validate.share("error", error), validate.integer("counts", counts, 1)
        if counts == 1:
            return self._noise.radius(error)
        p = math.exp(-self.certificate.cells)
        return math.ceil(math.sqrt(2.0 * p * counts / error) / (1.0 - p) * (1.0 + 1e-9))
