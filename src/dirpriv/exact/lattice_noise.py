"""The integer table of a city: noise of integers on a square lattice, drawn by the operating system."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.immutable import Frozen
from dirpriv._lib.types import Array, Integers
from dirpriv.exact import exponential_weights
from dirpriv.exact.sampling import BLOCK, TOTAL_BITS, IntegerWeights, random_words, uniform_below

MOST_BLOCKS = 1024  # along the noise's radius: 420 000 blocks in the table
LEAST_FALL = Fraction(1, 10**4)  # of the log weight from a cell to the next: see exponential_weights.SLACK


class Lattice(Frozen):
    """Noise on cells, exactly in proportion to integers.

    ``fall`` is ε h, the level between neighbouring cells, ``region`` the largest coordinate of an input's
    cell. Of the weights, 2^-76 of the largest is a floor. The rest, the excess, is drawn by rejection from
    blocks of cells, a power of two wide, in the quadrant a, b ≥ 0:

    * the floor, or a block with its bound U, by integers in proportion to U times the number of its cells;
    * a cell of the block, two signs and an exchange of a and b, each by random bits;
    * it is taken with the probability A/2^64, A = ⌊2^64 excess/U⌋ a word, else all is drawn again, as it is
      for the sign of -0, so that 0 counts once.

    The probability of an offset is then in proportion to the integer 2^64 F + U A, F the floor's. Nothing
    here depends on the input but the last sum.
    """

    fall: float
    region: int
    half: int
    block: int
    _table: IntegerWeights
    _bits: int
    _shift: int
    _i: npt.NDArray[np.int32]
    _j: npt.NDArray[np.int32]
    _bounds: Array

    def __init__(self, fall: Fraction, region: int) -> None:
        times = float(min(LEAST_FALL / fall, Fraction(10**300)))
        refuse_flat("cell_size", fall, f"give cells at least {times:.3g} times as large, or a higher level")
        # neighbours lie on the floor from 54 on
        rate = rate_of(fall)
        radius = math.ceil(exponential_weights.DEEPEST / rate) + 1
        bits = max(0, math.ceil(math.log2(radius / MOST_BLOCKS)))
        half = region + radius
        lattice = np.arange(math.ceil(exponential_weights.DEEPEST / rate / 2**bits) + 1)
        sizes = np.searchsorted(lattice**2, (exponential_weights.DEEPEST / rate / 2**bits) ** 2 - lattice**2)
        sizes = np.minimum(sizes, lattice + 1)  # blocks (i, j) with j ≤ i: the others by exchange
        i = np.repeat(lattice, sizes)
        j = np.arange(len(i)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        excess = excess_weights(rate * np.sqrt((i * i + j * j) << 2 * bits))
        kept = excess > 0.0
        i, j, excess = i[kept].astype(np.int32), j[kept].astype(np.int32), excess[kept] * (1.0 + 2.0**-40)
        ways = np.where(i == j, 1.0, 2.0) * 4.0 ** (bits + 1)
        square = (2 * half + 1) ** 2
        share, exponent = math.frexp(float(excess @ ways) + square * exponential_weights.FLOOR)
        shift = TOTAL_BITS - exponent - (share > 1.0 - 2.0**-20)
        bounds = np.floor(np.ldexp(excess, shift)) + 1.0
        high, low = exponential_weights.words(np.concatenate([[0.0], bounds * ways]))
        flat = square << shift - exponential_weights.FLOOR_BITS
        high[0], low[0] = flat >> 64, flat & (1 << 64) - 1
        self._set(fall=rate, region=region, half=half, block=1 << bits, _bits=bits, _shift=shift)
        self._set(_i=i, _j=j, _bounds=bounds, _table=IntegerWeights.from_words(high, low))

    @property
    def flat(self) -> int:
        """The floor 2^64 F."""
        return 1 << 64 + self._shift - exponential_weights.FLOOR_BITS

    def randomise(self, *cells: Integers) -> list[Integers]:
        """Released cells for the inputs' cells, one column each: east, north, and any others that are proposed."""
        released = [column.copy() for column in cells]
        todo, done = np.arange(0), 0
        while todo.size or done < len(released[0]):
            fresh = np.arange(done, min(done + BLOCK - todo.size, len(released[0])))
            todo, done = np.concatenate([todo, fresh]), done + fresh.size
            *offsets, flat, taken = self._propose(todo.size)
            at, anywhere = np.flatnonzero(taken), todo[np.flatnonzero(flat)]
            moved = todo[at]
            for column, offset in zip(released, offsets, strict=True):
                column[moved] += offset[at]
            for column in released[:2]:
                column[anywhere] = uniform_below(2 * self.half + 1, anywhere.size) - self.half
            todo = todo[~taken]
        return released

    def _propose(self, count: int) -> tuple[Any, ...]:
        """Offsets, whether each is of the floor instead, and whether it is taken."""
        a, b, index, flat, once = self._offsets(count)
        taken = random_words(count) < self._accepted(a * a + b * b, index)
        return a, b, flat, taken & once | flat

    def _offsets(self, count: int) -> tuple[Any, ...]:
        """Cells of blocks, the blocks, whether each is of the floor instead, and whether its signs count."""
        (_, drawn), bits = next(self._table.draws(count)), random_words(count)
        flat, index = drawn == 0, np.maximum(drawn - 1, 0)
        inside = np.uint64(self.block - 1)
        a = self._i[index] * np.intp(self.block) + (bits & inside).astype(np.intp)
        b = self._j[index] * np.intp(self.block) + (bits >> np.uint64(self._bits) & inside).astype(np.intp)
        ways = (bits >> np.uint64(2 * self._bits + k) & np.uint64(1) for k in range(3))
        west, south, swapped = (way.astype(bool) for way in ways)
        once = ~((a == 0) & west | (b == 0) & south)
        a, b = np.where(west, -a, a), np.where(south, -b, b)
        return np.where(swapped, b, a), np.where(swapped, a, b), index, flat, once

    def _accepted(self, squares: Integers, index: Integers) -> npt.NDArray[np.uint64]:
        """The words A: how often out of 2^64 a cell of a block is taken."""
        return np.ldexp(self._shares(self.fall * np.sqrt(squares), index), 64).astype(np.uint64)

    def _shares(self, exponents: Any, index: Integers) -> Array:
        """The weights e^(-exponent) above the floor, as shares of the bounds of blocks."""
        return np.ldexp(excess_weights(exponents), self._shift) / self._bounds[index]

    def weights(self, cells: int) -> list[list[int]]:
        """Weights 2^64 F + U A of offsets up to ``cells``."""
        return self._square(cells, lambda *where: [self._accepted(*where)], self.flat)

    def _square(self, cells: int, words: Any, flat: int) -> list[list[int]]:
        """The floor and bounds times words, high ones first: a function of squares of distances and of blocks."""
        a, b = np.indices((cells + 1, cells + 1))
        size = max(cells >> self._bits, int(self._i[-1])) + 1
        numbers = np.full((size, size), -1)
        numbers[self._i, self._j] = np.arange(len(self._i))
        index = numbers[np.maximum(a, b) >> self._bits, np.minimum(a, b) >> self._bits]
        bounds = [int(bound) for bound in np.where(index < 0, 0.0, self._bounds[index]).flat]
        taken: Any = 0
        for word in words(a * a + b * b, index):
            taken = (taken << 64) + word.astype(object)
        products = taken * np.array(bounds, dtype=object).reshape(index.shape)
        return np.pad(flat + products, [(cells, 0)] * 2, "reflect").tolist()


def refuse_flat(name: str, fall: Fraction, hint: str) -> None:
    """Refuse cells that are too small for a level from one to the next."""
    if fall < LEAST_FALL:
        rule = f"makes cells too small for the level: the log weight would fall by {float(fall):.2g} from a cell "
        rule += f"to the next; the weights are exact enough from {float(LEAST_FALL):g} on"
        raise InvalidArgument(name, rule, hint=hint)


def rate_of(fall: Fraction) -> float:
    """The rate of the weights that keep this fall: the double nearest to a little less, at most 54."""
    return float(min(fall * (1 - exponential_weights.SLACK), Fraction(exponential_weights.DEEPEST)))


def excess_weights(exponents: Any) -> Array:
    """Weights e^(-exponent) above the floor; 0 below it.

    In an exponent rate · √n the rate, the square root and their product err by u each, relatively: by 3 · 53 u in
    all. The exponential function errs by 8 u, the difference by u. With the quotient and the word by which a cell is
    taken it is less than 175 u = 2e-14, 2e-10 of the least fall of 1e-4: two fit in the slack of 1e-9.
    """
    return np.asarray(np.maximum(exponential_weights.exponential(exponents) - exponential_weights.FLOOR, 0.0))
