"""The integer table of visits: noise of integers on cells of time and place together, by the operating system."""

import functools
import math
from fractions import Fraction
from typing import Any

import numpy as np

from dirpriv._lib.types import Array, Integers
from dirpriv.exact.exponential_weights import DEEPEST, SLACK, exponential, words
from dirpriv.exact.lattice_noise import LEAST_FALL, Lattice, rate_of, refuse_flat
from dirpriv.exact.sampling import IntegerWeights, random_words


class VisitLattice(Lattice):
    """Noise on cells of time and of place, exactly in proportion to integers.

    ``step`` and ``fall`` are the levels from one cell to the next, in time and in place. The target is the kernel
    e^(-max(α, β)), with α = step · j and β = fall · √n at a move by j cells of time, and one of place whose length has
    the square n. Of a share s from 0 to 1/3, the noise is proposed as that of two columns, of which one place with
    its floor is a :class:`Lattice`:

    * j in proportion to integers w of e^(-s α), and a cell of place by the level (1 - s) · fall;
    * it is taken with the probability C/2^128, C = ⌊2^128 excess/U⌋ two words, where the excess above the floor is that
      of e^(s α - max(α, β)), which is at most e^(-(1 - s) β). The floor is always taken.

    The probability of a move is then in proportion to the integer w (2^128 F + U C).
    """

    rate: float
    times: Array
    _drawn: Array
    _time_weights: tuple[int, ...]
    _steps: IntegerWeights

    def __init__(self, step: Fraction, fall: Fraction, cells: int, region: int) -> None:
        refuse_flat("cells", step, f"give at most {math.floor(cells * step / LEAST_FALL)} cells, or a higher level")
        fall, nats = min(fall, Fraction(DEEPEST)), step * (cells // 2)
        share = Fraction(max(0, math.floor(1024 * (1 - 16 / nats**2) / 3)), 1024)  # nearly the best acceptance
        super().__init__((1 - share) * fall, region)
        steps = np.arange(cells)
        # beyond 78 nats of time alone the kernel is flat, below the floor of places
        times = np.minimum(float(step * (1 - SLACK)) * np.minimum(steps, cells - steps), 78.0)
        drawn = float(share) * times
        weights = exponential(drawn)
        # the total is just below 2^120, a power of two, so few draws are lost
        weights *= (1.0 - 2.0**-40) / math.fsum(weights)
        weights = tuple(map(int, np.ldexp(weights, 120).tolist()))
        self._set(rate=rate_of(fall), times=times, _drawn=drawn, _time_weights=weights, _steps=IntegerWeights(weights))

    def _propose(self, count: int) -> tuple[Any, ...]:
        _, steps = next(self._steps.draws(count))
        a, b, index, flat, once = self._offsets(count)
        (high, low), word = self._words(steps, a * a + b * b, index), random_words(count)
        taken = word < high
        equal = np.flatnonzero(word == high)  # a share of 2^-64 of the proposals
        taken[equal] = random_words(equal.size) < low[equal]
        return a, b, steps, flat, taken & once | flat

    def _words(self, steps: Any, squares: Integers, index: Integers) -> Any:
        """The two words of C: of max(α, β) less s α."""
        exponents = np.maximum(self.times[steps], self.rate * np.sqrt(squares)) - self._drawn[steps]
        return words(np.floor(np.ldexp(self._shares(exponents, index), 128)))

    def visit_weights(self, steps: int, cells: int) -> list[list[int]]:
        """Weights w (2^128 F + U C) of moves by ``steps`` cells of time, and offsets of places up to ``cells``."""

        weight, words = self._time_weights[steps], functools.partial(self._words, steps)
        return [[weight * each for each in row] for row in self._square(cells, words, self.flat << 64)]

    @property
    def largest_ratio(self) -> Fraction:
        """The largest ratio of two weights."""
        return Fraction(self.visit_weights(0, 0)[0][0], min(self._time_weights) * (self.flat << 64))
