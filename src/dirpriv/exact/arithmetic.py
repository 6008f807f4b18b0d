"""Rational numbers between which π, exp and log lie, so that no rounding can break a promise of privacy."""

import decimal
import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any, NamedTuple

from dirpriv._inputs import units, validate
from dirpriv._inputs.errors import InvalidArgument

_PI = Fraction("3.14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534211706")
_OFF = Fraction(1, 10**100)  # more than two roundings to 110 digits add up to


class Bracket(NamedTuple):
    """Two rational numbers, and a real number between them."""

    below: Fraction
    above: Fraction


def pi() -> Bracket:
    """π between two numbers 10^-98 apart."""
    return Bracket(_PI, _PI + Fraction(1, 10**98))


def exp(x: Fraction) -> Bracket:
    """e^x between two numbers whose ratio is 1 + 2^-320 or less, for |x| up to 10^6; 1 itself at 0."""
    near = _rounded(decimal.Context.exp, x)
    off = near * _OFF if x else 0
    return Bracket(near - off, near + off)


def log(x: Fraction) -> Bracket:
    """log x for x > 0, between two numbers 2^-320 apart or less; 0 itself at 1."""
    near = _rounded(decimal.Context.ln, x)
    off = _OFF if x != 1 else 0
    return Bracket(near - off, near + off)


def _rounded(function: Callable[[decimal.Context, decimal.Decimal], decimal.Decimal], x: Fraction) -> Fraction:
    """A function of x as ``decimal`` computes it: first x, then its value is rounded to the nearest of 110 digits."""
    context = decimal.Context(prec=110)
    return Fraction(function(context, context.divide(x.numerator, x.denominator)))


def double_not_below(x: Fraction) -> float:
    """The smallest double that is at least ``x``; inf where none is."""
    return _quotient_not_below(x.numerator, x.denominator)


def _quotient_not_below(numerator: int, denominator: int) -> float:
    try:
        near = numerator / denominator  # of integers, rounded correctly to the nearest
    except OverflowError:
        return math.inf if numerator > 0 else -math.nextafter(math.inf, 0.0)
    above, below = near.as_integer_ratio()
    return near if above * denominator >= numerator * below else math.nextafter(near, math.inf)


def multiples_not_below(bracket: Bracket, factors: Iterable[int], less: Fraction) -> list[float]:
    """The smallest doubles that are at least the multiples of the real number in the bracket, ``less`` this number."""
    # over one denominator, as fractions would look for the greatest divisor of each
    whole = math.lcm(*(x.denominator for x in (*bracket, less)))
    below, above, shift = (x.numerator * (whole // x.denominator) for x in (*bracket, less))
    doubles = []
    for factor in factors:
        one, other = (_quotient_not_below(factor * end - shift, whole) for end in (below, above))
        if one != other:  # a double within 2^-300 of the number: practically never
            raise ArithmeticError("a double lies between the two numbers of a bracket: it is too wide")
        doubles.append(one)
    return doubles


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
