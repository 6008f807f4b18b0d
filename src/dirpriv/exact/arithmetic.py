"""Rational numbers between which π, exp and log lie, so that no rounding can break a promise of privacy."""

import functools
import math
from fractions import Fraction
from typing import Any, NamedTuple

from dirpriv._inputs import units, validate
from dirpriv._inputs.errors import InvalidArgument

BITS = 320  # of the brackets; tables have 128


class Bracket(NamedTuple):
    """Two rational numbers, and a real number between them."""

    below: Fraction
    above: Fraction


@functools.cache
def pi() -> Bracket:
    """π by Machin's formula 16 atan(1/5) - 4 atan(1/239), between two numbers 2^-320 apart or less."""
    unit = BITS + 32
    fives, few = _arctangent_of_inverse(5, unit)
    others, more = _arctangent_of_inverse(239, unit)
    middle, off = 16 * fives - 4 * others, 16 * few + 4 * more
    return Bracket(Fraction(middle - off, 1 << unit), Fraction(middle + off, 1 << unit))


def exp(x: Fraction) -> Bracket:
    """e^x between two numbers whose ratio is 1 + 2^-320 or less; 1 itself at 0."""
    if x == 0:
        return Bracket(Fraction(1), Fraction(1))
    if x < 0:
        least, most = exp(-x)
        return Bracket(1 / most, 1 / least)
    halvings = math.floor(x).bit_length() + 8  # y = x / 2^halvings is below 2^-8
    unit = BITS + 2 * halvings + 32
    y_low = (x.numerator << unit) // (x.denominator << halvings)
    y_high = y_low + 1
    term_low = term_high = low = high = 1 << unit
    n = 0
    while term_high > 1:
        n += 1
        term_low = (term_low * y_low >> unit) // n
        term_high = -(-(term_high * y_high) // (n << unit))
        low, high = low + term_low, high + term_high
    high += 1  # the rest is a geometric series from the last term, which is one unit, times 2^-8
    for _ in range(halvings):
        low, high = low * low >> unit, -(-(high * high) >> unit)
    return Bracket(Fraction(low, 1 << unit), Fraction(high, 1 << unit))


def log(x: Fraction) -> Bracket:
    """log x for x > 0, between two numbers 2^-320 (1 + |log x|) apart or less; 0 itself at 1."""
    if x == 1:
        return Bracket(Fraction(0), Fraction(0))
    if x < 1:
        low, high = log(1 / x)
        return Bracket(-high, -low)
    twos = math.floor(x).bit_length() - 1
    part, whole = _log_up_to_two(x / (1 << twos)), _log_up_to_two(Fraction(2))
    return Bracket(part.below + twos * whole.below, part.above + twos * whole.above)


def double_not_below(x: Fraction) -> float:
    """The smallest double that is at least ``x``; inf where none is."""
    try:
        near = x.numerator / x.denominator  # of integers, rounded correctly to the nearest
    except OverflowError:
        return math.inf if x > 0 else -math.nextafter(math.inf, 0.0)
    return near if Fraction(near) >= x else math.nextafter(near, math.inf)


def double_not_below_real(bracket: Bracket) -> float:
    """The smallest double that is at least the real number in the bracket."""
    double = double_not_below(bracket.above)
    if double != double_not_below(bracket.below):  # a double within 2^-300 of the number: practically never
        raise ArithmeticError("a double lies between the two numbers of a bracket: it is too wide")
    return double


def added(levels: Any, rows: int = 1) -> float:
    """The sum of levels, each of this many rows, never below the exact one."""
    total = double_not_below(sum(map(Fraction, levels), Fraction(0)) * rows)
    if total == math.inf:
        raise InvalidArgument("the levels add up to more than a double holds")
    return total


def exact_distance(name: str, value: Any, unit: str) -> Fraction:
    """A distance, exactly or a little more: a number in the unit, or a text with its own."""
    if not isinstance(value, units.WITH_UNIT):
        number = validate.nonnegative(name, value)
        return value if isinstance(value, Fraction) else Fraction(number)
    quantity = units.quantity(name, value, {"m": units.LENGTH, "rad": units.ANGLE}.get(unit, ()))
    return quantity.size * (2 * pi().above if quantity.kind == "turns" else 1)


@functools.lru_cache(maxsize=8)
def _log_up_to_two(x: Fraction) -> Bracket:
    """log x = 2 artanh z with z = (x - 1)/(x + 1) ≤ 1/3: Σ z^(2n+1)/(2n+1), all terms positive."""
    unit = BITS + 32
    z = (x - 1) / (x + 1)
    z_low = (z.numerator << unit) // z.denominator
    z_high = z_low + 1
    square_low, square_high = z_low * z_low >> unit, -(-(z_high * z_high) >> unit)
    power_low, power_high, low, high, n = z_low, z_high, 0, 0, 1
    while power_high > 1:
        low, high = low + power_low // n, high - (-power_high // n)
        power_low, power_high = power_low * square_low >> unit, -(-(power_high * square_high) >> unit)
        n += 2
    high += 2  # the rest is a geometric series from one unit, times 1/9 or a little more
    return Bracket(Fraction(2 * low, 1 << unit), Fraction(2 * high, 1 << unit))


def _arctangent_of_inverse(n: int, unit: int) -> tuple[int, int]:
    """atan(1/n) in units of 2^-unit, and how many units it may be off."""
    power, total, k = (1 << unit) // n, 0, 1
    while power:
        total += power // k if k % 4 == 1 else -(power // k)
        power //= n * n
        k += 2
    return total, k  # each of the (k - 1)/2 terms is off by less than two units
