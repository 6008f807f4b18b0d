"""Draws in proportion to integer weights, from the random bits of the operating system alone.

There is no generator, no seed and no state: forked processes, threads and pickled copies share no draw. All
arithmetic is of integers of 128 bits in two words. The time of a draw can depend on its result (a search of a
table in a cache), so timing of single draws is outside any guarantee.
"""

import itertools
import os
import secrets
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.immutable import Frozen
from dirpriv._lib.types import Integers, Mask

Words = npt.NDArray[np.uint64]

BLOCK = 16_384  # draws made at a time: their bits stay in the cache
TOTAL_BITS = 128
_LOW = (1 << 64) - 1


class IntegerWeights(Frozen):
    """Draws of the indices 0 to n - 1, with probabilities exactly w_i / Σ w, for a total of at most 2^128.

    A uniform integer u of 128 bits is drawn again while u is not below the total; this does not depend on
    what is randomised. The draw is the number of partial sums that are at most u. Smaller totals are
    multiplied by a power of two, so that the high words alone decide nearly every draw.
    """

    def __init__(self, weights: Sequence[int]) -> None:
        total = sum(weights)
        if min(weights, default=-1) < 0 or not 0 < total <= 1 << TOTAL_BITS:
            raise InvalidArgument("weights must be nonnegative integers with a total from 1 to 2^128")
        shift = TOTAL_BITS - (total - 1).bit_length()
        # the last partial sum is above every u, and so are those before it if weights of 0 follow
        borders = [border << shift for border in itertools.accumulate(weights) if border < total]
        high = np.array([border >> 64 for border in borders], dtype=np.uint64)
        low = np.array([border & _LOW for border in borders], dtype=np.uint64)
        self._set(count=len(weights), total=total << shift, _high=high, _low=low)

    @classmethod
    def from_words(cls, high: Words, low: Words) -> Self:
        """As the class, from words of positive weights with a total above 2^126 and at most 2^128."""
        half, mask = np.uint64(32), np.uint64(0xFFFF_FFFF)
        sums, carry = [], np.zeros(len(high), dtype=np.uint64)
        for limb in (low & mask, low >> half, high & mask, high >> half):  # less than 2^32 rows: no overflow
            carry = np.cumsum(limb, dtype=np.uint64) + (carry >> half)
            sums.append(carry & mask)
        highs, lows = sums[2] | sums[3] << half, sums[0] | sums[1] << half
        total = (int(carry[-1] >> half) << 128 | int(highs[-1]) << 64 | int(lows[-1])) if len(high) else 0
        if not ((high | low) > 0).all() or not 1 << TOTAL_BITS - 2 < total <= 1 << TOTAL_BITS:
            raise InvalidArgument("weights must be positive, with a total above 2^126 and at most 2^128")
        table = cls.__new__(cls)
        table._set(count=len(high), total=total, _high=highs[:-1].copy(), _low=lows[:-1].copy())
        return table

    count: int
    total: int
    _high: Words
    _low: Words

    def draws(self, count: int) -> Iterator[tuple[slice, Integers]]:
        """Draws in blocks, each with its place among the ``count``."""
        for start in range(0, count, BLOCK):
            place = slice(start, min(start + BLOCK, count))
            yield place, self.find(*self._uniform(place.stop - start))

    def find(self, high: Words, low: Words) -> Integers:
        """The draws that uniform integers below the total give, from their words."""
        indices = np.searchsorted(self._high, high, side="right")
        # equal high words: the low words decide (a share of n 2^-63 of the draws)
        some = np.flatnonzero(indices)
        for i in some[self._high[indices[some] - 1] == high[some]]:
            first = np.searchsorted(self._high, high[i], side="left")
            indices[i] = first + np.searchsorted(self._low[first : indices[i]], low[i], side="right")
        return indices

    def _uniform(self, count: int) -> tuple[Words, Words]:
        """Words of uniform integers below the total."""
        high, low = random_words(count), random_words(count)
        beyond = np.flatnonzero(self._not_below_total(high, low))
        while beyond.size:
            high[beyond], low[beyond] = random_words(beyond.size), random_words(beyond.size)
            beyond = beyond[self._not_below_total(high[beyond], low[beyond])]
        return high, low

    def _not_below_total(self, high: Words, low: Words) -> Mask:
        top, rest = np.uint64(self.total - 1 >> 64), np.uint64(self.total - 1 & _LOW)
        return (high > top) | ((high == top) & (low > rest))


def random_words(count: int) -> Words:
    """Uniform words of 64 bits, from the operating system (``os.urandom``), new ones at every call."""
    return np.frombuffer(bytearray(os.urandom(8 * count)), dtype=np.uint64)


def uniform_below(bound: Any, count: int) -> Any:
    """Uniform integers from 0 to ``bound`` - 1, exactly: one bound of at most 2^63, or one for each."""
    if isinstance(bound, np.ndarray) and bound.dtype.hasobject:  # of Python's integers, which have no largest
        return np.array([secrets.randbelow(each) for each in bound], dtype=object)
    bound = np.asarray(bound, dtype=np.uint64)
    last = ~((~np.uint64(0) % bound + np.uint64(1)) % bound)  # beyond it are remainders that come once more
    words = random_words(count)
    beyond = np.flatnonzero(words > last)
    while beyond.size:
        words[beyond] = random_words(beyond.size)
        beyond = beyond[words[beyond] > (last[beyond] if last.ndim else last)]
    return (words % bound).astype(np.int64)
