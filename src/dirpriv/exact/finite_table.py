"""Tables of integer weights between finitely many places, whose level is computed from the integers."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.immutable import Frozen
from dirpriv._lib.types import Array, Integers
from dirpriv.exact import arithmetic, exponential_weights
from dirpriv.exact.sampling import TOTAL_BITS, IntegerWeights

MOST_PLACES = 5000  # a table of 200 MB
_ENTRY = 200 * 2.0**-53  # 3 u x + 8 u for x ≤ 54 nats (see ``exponential_weights``), and u of the product with w
_LOGARITHM = 1e-14  # of a total, as its exponential shows
_TRIES, _SWEEPS = 8, 10  # of rates, and of coordinate descent
_REFINEMENTS, _SOLVED = 4, 1e-9
_BEYOND = 1.02  # by how much more than was missed the rate is lowered


class FiniteTable(Frozen):
    r"""Integers in proportion to the probabilities :math:`P_{ij} = w_j e^{-\varepsilon' d_{ij}}/r_i`.

    By the triangle inequality the loss between the inputs i and k is at most :math:`\varepsilon' d_{ik}` and what
    their totals r differ by, :math:`|\log r_i - \log r_k|`. The rate ε' is the largest that was found for which this
    is at most :math:`\varepsilon d_{ik}` for all pairs, with all that is rounded.

    The weights solve K w = 1, :math:`K_{ij} = e^{-\varepsilon' d_{ij}}`, where its solution is positive. Then no total
    differs. Elsewhere they are those of the largest diversity [1]_: K w is 1 where w is positive, and at least 1 where
    it is 0. They exist for every K without negative entries, as coordinate descent on w'Kw/2 - Σw finds a minimum.
    A weight of 0 becomes a thousandth of the mean. At ε/2 any weights would do, as log r changes by ε'd at most: where
    the exponential mechanism, with equal weights at ε/2, has a smaller mean error, the weights are equal.

    Parameters
    ----------
    distances : ndarray, shape (places, places)
        Distances between different places, 0 on the diagonal.
    off : float
        What an entry errs by at most, against a metric.
    level : Fraction
        ε, per unit of the distances.

    Attributes
    ----------
    rate : float
        ε'.
    pure : Fraction
        A bound of the loss between any two inputs.
    means : ndarray, shape (places,)
        Mean distance of what is released from the input at each place.

    References
    ----------
    .. [1] Leinster, T., Meckes, M. W., "Maximizing diversity in biology and beyond", Entropy 18 (2016) 88.
    """

    rate: float
    pure: Fraction
    means: Array
    _kernel: Array
    _weights: Array
    _bits: Integers  # of the integers of a row, so that their total is from 2^127 to 2^128
    _norms: Array  # of the rows, by which their products are probabilities

    def __init__(self, distances: Array, off: float, level: Fraction) -> None:
        self._certify(distances, off, level, _largest_diversity)
        half = (np.average(row, weights=np.exp(-float(level / 2) * row)) for row in distances)
        if self.means.sum() > sum(half):
            self._certify(distances, off, level, lambda _: lambda kernel: np.ones(len(kernel)))

    def _certify(self, distances: Array, off: float, level: Fraction, solver: Callable[[Array], Any]) -> None:
        """Fill the attributes, at the largest rate found: by the function of K that ``solver`` makes of the first K."""
        kernel = np.empty_like(distances)
        nearest = float(np.min(distances, where=distances > 0.0, initial=np.inf))  # inf of a single place
        if not off < nearest / 4:
            rule = f"two of them are {nearest:.2g} apart, where distances are known to {off:.1g}"
            raise InvalidArgument(f"places must be apart: {rule}", hint="give both one place")
        deepest = exponential_weights.DEEPEST / Fraction(nearest) if nearest < np.inf else level
        rounding = Fraction(_BEYOND * _rounding(off, float(level)) / (nearest - off))
        # below half of the level, all weights keep it
        slack, sure, solve = max(level * exponential_weights.SLACK, rounding), 0.4999 * float(level), None
        rate = float(min(level - slack, deepest)) if slack < level / 2 else sure
        for left in range(_TRIES, 0, -1):
            for i, apart in enumerate(distances):  # in place: one table, whatever their number
                row = np.maximum(exponential_weights.exponential(rate * apart[i:]), exponential_weights.FLOOR)
                kernel[i, i:] = kernel[i:, i] = row
            solve = solver(kernel) if solve is None else solve
            w = solve(kernel)
            # every place can be released, and totals stay below 2^128
            weights = np.maximum(w, 2.0**-10 * w.mean()) * (1.0 - 2.0**-20)
            sums = kernel @ weights
            bits = TOTAL_BITS - np.frexp(sums * (1.0 + 2.0**-30))[1]
            if rate > sure and float(level) - _BEYOND * _missed(distances, off, np.log(sums), 0.0) < sure:
                rate = sure  # without the integers, which would show it
                continue
            shares, logs, least, steepest = _totals(kernel, weights, bits)
            missed = _missed(distances, off, logs, _rounding(off, rate, least))
            if Fraction(rate) + Fraction(missed) * (1 + Fraction(1, 2**40)) <= level:
                norms = np.ldexp(1.0, bits - TOTAL_BITS) / shares
                means = np.einsum("ij,ij,j->i", kernel, distances, weights) * norms
                self._set(rate=rate, pure=arithmetic.log(steepest).above, means=means)
                return self._set(_kernel=kernel, _weights=weights, _bits=bits, _norms=norms)
            rate = max(sure, float(level) - _BEYOND * missed) if left > 3 else sure
        rule = f"the weights of {len(kernel)} places err by too much for the level {float(level):.3g}"
        raise InvalidArgument(f"{rule} per unit between places {nearest:.2g} apart", hint="give a smaller radius")

    def row(self, place: Any) -> Array:
        """The integers of a row, as doubles."""
        return _integers(self._kernel[place], self._weights, self._bits[place])

    def transitions(self) -> Array:
        """Probabilities that an input at one place (row) is released as another (column)."""
        return self._kernel * self._weights * self._norms[:, None]

    def unchanged(self) -> Array:
        """Probability of each place that it is released as itself."""
        return self._weights * self._norms

    def draws(self, places: Integers) -> Integers:
        """A released place for each of the places, with noise from the operating system."""
        released = np.empty_like(places)
        order = np.argsort(places, kind="stable")
        starts = np.flatnonzero(np.diff(places[order], prepend=-1))
        for rows in np.split(order, starts[1:]) if len(order) else []:
            table = IntegerWeights.from_words(*exponential_weights.words(self.row(places[rows[0]])))
            for part, drawn in table.draws(len(rows)):
                released[rows[part]] = drawn
        return released


def _totals(kernel: Array, weights: Array, bits: Integers) -> tuple[Array, Array, float, Fraction]:
    """What all integers show.

    The totals over 2^128, logarithms of 1/r, the least integer, and the largest ratio of two probabilities of one
    released place.
    """
    lowest, highest, least = np.full(len(kernel), np.inf), np.zeros(len(kernel)), np.inf
    shares = np.empty(len(kernel))
    for place, row in enumerate(kernel):
        integers = _integers(row, weights, bits[place])
        total = _total(integers)
        shares[place], least = total / (1 << TOTAL_BITS), min(least, float(integers.min()))
        integers /= float(total)
        np.minimum(lowest, integers, out=lowest)
        np.maximum(highest, integers, out=highest)
    logs = -np.log(shares)
    if not np.abs(exponential_weights.exponential(logs) / shares - 1.0).max() < _LOGARITHM / 4:
        raise ArithmeticError("the logarithm of a total is not known")
    steepest = Fraction(float((highest / lowest).max())) * (1 + Fraction(1, 2**50) if len(kernel) > 1 else 1)
    return shares, logs + (bits - TOTAL_BITS) * np.log(2.0), least, steepest


def _missed(distances: Array, off: float, logs: Array, rounding: float) -> float:
    """The level per unit of distance by which two rows can differ beyond the rate: the largest of all pairs."""
    rows = enumerate(distances[:-1], 1)
    levels = ((np.abs(logs[i:] - logs[i - 1]) + rounding) / (row[i:] - off) for i, row in rows)
    return max((float(each.max()) for each in levels), default=0.0)


def _rounding(off: float, rate: float, least: float = np.inf) -> float:
    """What rounding adds to the loss between two inputs."""
    return 2.0 * (rate * off + _ENTRY + _LOGARITHM + 1.0 / least)


def _integers(kernel: Array, weights: Array, bits: Any) -> Array:
    """The integers ⌊2^bits w_j K_ij⌋ of a row, as doubles."""
    return np.floor(kernel * weights * np.ldexp(1.0, bits))


def _total(integers: Array) -> int:
    """Their sum, exactly: of 32 bits of each at a time, so that doubles hold the sums."""
    parts = np.floor(integers * np.ldexp(1.0, -32 * np.arange(4))[:, None])
    parts[:-1] -= parts[1:] * 2.0**32
    return sum(int(part) << 32 * k for k, part in enumerate(parts.sum(axis=1)))


def _largest_diversity(first: Array) -> Callable[[Array], Array]:
    """Solves K w = 1, or where no positive w does finds that of the largest diversity, for K that are like the first.

    Its factors show how the solution moves.
    """
    from scipy.linalg import LinAlgError, cho_factor, cho_solve  # here, as few need it

    try:
        factors = cho_factor(first, lower=True, check_finite=False)
    except LinAlgError:  # K of a metric need not be positive definite
        return lambda kernel: _descended(kernel, 1.0 / kernel.sum(axis=1))

    def solve(kernel: Array) -> Array:
        v = np.zeros(len(first))
        for _ in range(_REFINEMENTS):
            lacking = 1.0 - kernel @ v
            if np.abs(lacking).max() < _SOLVED:
                break
            v = v + cho_solve(factors, lacking, check_finite=False)
        return v if v.min() > 0.0 else _descended(kernel, np.maximum(v, 0.0))

    return solve


def _descended(kernel: Array, w: Array) -> Array:
    """Weights nearer to those of the largest diversity, by coordinate descent; K has ones on the diagonal."""
    w = w.copy()
    for _ in range(_SWEEPS):
        for j, row in enumerate(kernel):
            w[j] = max(0.0, w[j] + 1.0 - row @ w)
    return w
