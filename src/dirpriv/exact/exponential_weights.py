"""Weights e^(-x) whose relative error is proved, from the basic operations of doubles alone.

Sums, products, quotients and square roots are rounded correctly (IEEE 754), by at most u = 2^-53 relatively.
A library's exponential function promises nothing: exact tables and a polynomial of counted error replace it.
"""

import functools
from fractions import Fraction
from typing import Any

import numpy as np

from dirpriv._lib.types import Array
from dirpriv.exact import arithmetic
from dirpriv.exact.sampling import Words

FLOOR_BITS = 76
FLOOR = 2.0**-FLOOR_BITS  # weights are flat from here on, relative to the largest
DEEPEST = 54  # nats: below the floor, which e^(-x) meets at 52.7, whatever is rounded
SLACK = Fraction(1, 10**9)  # weights are made for ε(1 - SLACK), so that their errors fit below ε
_PARTS = 64


def exponential(x: Any) -> Array:
    """e^(-x) for x from 0 on, taken as 54 beyond: within 8 u, relatively, of that of the double x.

    x = k + i/64 + r, all exactly, with r < 1/64. The doubles nearest to e^(-k) and e^(-i/64) err by u each,
    the polynomial of degree 7 by 1.2 u (its next term is 2^-63), and the products by u each: 5.2 u in all.
    """
    x = np.minimum(x, float(DEEPEST))
    index = (x * _PARTS).astype(np.intp)  # 64 k + i
    rest = x - index / _PARTS
    value = rest * (-1.0 / 5040.0)
    for factorial in (720.0, -120.0, 24.0, -6.0, 2.0, -1.0):
        value += 1.0 / factorial
        value *= rest
    value += 1.0
    wholes, parts = _tables()
    value *= parts[index & _PARTS - 1]
    value *= wholes[index // _PARTS]
    return np.asarray(value)


@functools.cache
def _tables() -> tuple[Array, Array]:
    """The doubles nearest to e^(-k) and to e^(-i/64)."""
    wholes = np.array([float(arithmetic.exp(Fraction(-k)).below) for k in range(DEEPEST + 1)])
    parts = np.array([float(arithmetic.exp(Fraction(-i, _PARTS)).below) for i in range(_PARTS)])
    return wholes, parts


def words(integers: Array) -> tuple[Words, Words]:
    """High and low words of 64 bits of doubles that are integers from 0 to below 2^128, exactly."""
    high = np.floor(np.ldexp(integers, -64))
    low = integers - np.ldexp(high, 64)
    return high.astype(np.uint64), low.astype(np.uint64)
