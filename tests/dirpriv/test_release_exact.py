"""Exact arithmetic and draws of integer weights, on which what ``dirpriv.release`` promises rests."""

import math
import os
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats
from statistics_of_draws import ALPHA

from dirpriv.exact import arithmetic, sampling
from dirpriv.exact.sampling import IntegerWeights

NUMBERS = [
    *(Fraction(1), Fraction(3), Fraction(1, 3), Fraction(10**40 + 1, 10**40), Fraction(1023, 1024)),
    *(Fraction(2**128), Fraction(2**128 - 1, 2**60), Fraction(0.1), Fraction(45), Fraction(1, 10**30)),
]


@pytest.fixture
def digits():
    with mpmath.workprec(1000):
        yield


def real(x):
    return mpmath.mpf(x.numerator) / x.denominator


def assert_between(bracket, value, width):
    assert real(bracket.below) <= value <= real(bracket.above)
    assert bracket.above - bracket.below <= width * Fraction(1, 2**320)


@pytest.mark.parametrize("x", NUMBERS, ids=float)
def test_brackets_hold_the_number_and_are_narrow(x, digits):
    assert_between(arithmetic.log(x), mpmath.log(real(x)), 1 + abs(math.log(x)))
    for signed in (x, -x):
        if x < 1000:
            assert_between(arithmetic.exp(signed), mpmath.exp(real(signed)), Fraction(math.exp(signed)) * 2)


def test_the_bracket_of_pi(digits):
    assert_between(arithmetic.pi(), +mpmath.pi, 1)
    assert arithmetic.pi().below < arithmetic.pi().above


def test_exp_of_0_and_log_of_1_are_exact():
    assert arithmetic.exp(Fraction(0)) == (1, 1) and arithmetic.log(Fraction(1)) == (0, 0)


def test_the_smallest_double_not_below():
    for x in (Fraction(0.1), Fraction(-0.1), Fraction(0), Fraction(5e-324), Fraction(2**60)):
        assert arithmetic.double_not_below(x) == x
    for x in (Fraction(1, 10), Fraction(-1, 10), Fraction(1, 3), Fraction(2**60 + 1), Fraction(1, 10**330)):
        found = arithmetic.double_not_below(x)
        assert Fraction(found) > x > Fraction(math.nextafter(found, -math.inf))
    assert arithmetic.double_not_below(Fraction(10**400)) == math.inf
    assert arithmetic.double_not_below(Fraction(-(10**400))) == -np.finfo(float).max
    above = math.nextafter(math.pi, 4.0)
    assert arithmetic.multiples_not_below(arithmetic.pi(), (-1, 1, 2), Fraction(0)) == [-math.pi, above, 2.0 * above]
    assert arithmetic.multiples_not_below(arithmetic.pi(), [1], Fraction(1, 2**52)) == [math.pi]
    with pytest.raises(ArithmeticError, match="too wide"):
        arithmetic.multiples_not_below(arithmetic.Bracket(Fraction(1), Fraction(11, 10)), [1], Fraction(0))


# ---------------------------------------------------------------- draws

TABLES = [
    [1],
    [1, 1],
    [5, 0, 3, 2, 0],
    [0, 0, 7],
    [2**64, 2**64 - 1, 1, 2**127],
    [2**126] * 4,
    [1] * 1000 + [2**128 - 1000],
    [2**128 - 1000] + [1] * 1000,
    [3**50, 2**70 + 1, 7**30, 1, 2**64, 2**64],
]


def words(integers):
    return (
        np.array([n >> 64 for n in integers], dtype=np.uint64),
        np.array([n % 2**64 for n in integers], dtype=np.uint64),
    )


@pytest.mark.parametrize("weights", TABLES, ids=lambda w: f"{len(w)} of {sum(w):.3g}")
def test_every_integer_finds_its_index(weights):
    """The first and the last integer of each index find it: each has exactly its share of the integers."""
    table = IntegerWeights(weights)
    scale = table.total // sum(weights)
    assert table.total == scale * sum(weights) and 2**127 < table.total <= 2**128
    ends = np.cumsum([0, *(w * scale for w in weights)], dtype=object)
    inside = [i for i, w in enumerate(weights) if w]
    assert table.find(*words([ends[i] for i in inside])).tolist() == inside
    assert table.find(*words([ends[i + 1] - 1 for i in inside])).tolist() == inside


def test_integers_that_are_not_below_the_total_are_drawn_again(monkeypatch):
    table = IntegerWeights([2**127, 1])  # nearly half of the integers
    assert table.total == 2**127 + 1
    given = [words([2**127 + 1, 5, 2**128 - 1, 2**127]), words([2**127 + 2, 7]), words([2**127])]
    queue = [word for pair in given for word in pair]
    monkeypatch.setattr(sampling, "random_words", lambda count: queue.pop(0).copy())
    high, low = table._uniform(4)
    assert [int(h) << 64 | int(x) for h, x in zip(high, low, strict=True)] == [2**127, 5, 7, 2**127]
    assert queue == []


@pytest.mark.parametrize("weights", [[], [0], [1, -1, 5], [2**128, 1]])
def test_weights_without_a_distribution_are_refused(weights):
    with pytest.raises(ValueError, match="total from 1 to 2\\^128"):
        IntegerWeights(weights)


@pytest.mark.parametrize("weights", [[2**127], [2**126, 1], [2**64, 1, 2**64 - 1, 3, 2**127], [2**126] * 4])
def test_weights_in_words_draw_like_integers(weights):
    """Partial sums of words carry from limb to limb: borders and total are those of the integers."""
    rng = np.random.default_rng(1)
    many = [int(a) << 64 | int(b) for a, b in rng.integers(1, 2**52, (1000, 2))]
    for given in (weights, [2**126, *many], [2**96 - 1, 2**96 + 1, 2**32 - 1, 1, 2**127 - 1]):
        table, total = IntegerWeights.from_words(*words(given)), sum(given)
        assert table.total == total and table.count == len(given)
        ends = np.cumsum([0, *given], dtype=object)
        assert table.find(*words(ends[:-1])).tolist() == list(range(len(given)))
        assert table.find(*words([end - 1 for end in ends[1:]])).tolist() == list(range(len(given)))


@pytest.mark.parametrize("weights", [[], [2**126], [2**127, 0], [2**127, 2**127, 1], [2**127] * 3])
def test_words_without_a_distribution_are_refused(weights):
    with pytest.raises(ValueError, match="above 2\\^126 and at most 2\\^128"):
        IntegerWeights.from_words(*words(weights))


@pytest.mark.parametrize("bound", [1, 2, 10, 1000, 3 * 2**61, 2**63])
def test_uniform_integers(bound):
    """χ² of 100 000 draws in up to 1000 classes; a right sampler fails with probability 1e-6."""
    drawn = sampling.uniform_below(bound, 100_000)
    assert drawn.min() >= 0 and drawn.max() < bound
    classes = min(bound, 1000)
    where = [int(n) * classes // bound for n in drawn]
    if classes > 1:
        assert stats.chisquare(np.bincount(where, minlength=classes)).pvalue > ALPHA
        wrong = [n * 9 // 10 for n in where]
        assert stats.chisquare(np.bincount(wrong, minlength=classes)).pvalue < ALPHA


def test_words_favour_no_remainder(monkeypatch):
    """Words from the largest multiple of the bound on are drawn again."""
    bound = 3 * 2**61
    queue = [np.array([2**64 - 1, 5, 2 * bound, 2 * bound - 1], dtype=np.uint64)]
    queue.append(np.array([6, 2**64 - 2], dtype=np.uint64))
    queue.append(np.array([bound + 7], dtype=np.uint64))
    monkeypatch.setattr(sampling, "random_words", lambda count: queue.pop(0))
    assert sampling.uniform_below(bound, 4).tolist() == [6, 5, 7, bound - 1]


def test_words_are_those_of_the_operating_system(monkeypatch):
    monkeypatch.setattr(os, "urandom", lambda count: bytes(range(count)))
    assert sampling.random_words(2).tolist() == np.frombuffer(bytes(range(16)), dtype=np.uint64).tolist()
    monkeypatch.undo()
    assert not np.array_equal(sampling.random_words(4), sampling.random_words(4))
