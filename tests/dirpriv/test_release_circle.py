"""Releases on the circle: what the integers promise, recomputed here; draws; inputs at borders of cells."""

import ast
import copy
import datetime as dt
import inspect
import itertools
import math
import multiprocessing
import pickle
import pkgutil
import threading
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from places_of_releases import largest_quotient
from scipy import stats
from statistics_of_draws import ALPHA
from sweeps import swept, thinned

import dirpriv.exact
import dirpriv.release
from dirpriv import distributions, estimators, geometry, guarantees, mechanisms
from dirpriv.exact import circle_cells as _cells
from dirpriv.exact import sampling
from dirpriv.exact.circle_cells import CircleCells
from dirpriv.release import CircleRelease, CircleTableDistribution

LEVELS = [4.0 / np.pi, 10.0, 21.2, 50.0, 100.0]  # per radian; 21.2 is ln 4 within 15 minutes
NUMBERS_OF_CELLS = [96, 1440]
with mpmath.workprec(600):
    PI_BELOW = Fraction(int(mpmath.floor(mpmath.pi * 2**500)), 2**500)
SHIFT = Fraction(1, 2**47)  # radians, by which all borders of cells of doubles lie earlier: 4 ulp of 4π


# ---------------------------------------------------------------- what is promised, in exact arithmetic


def below_exp(x):
    """A rational number below e^x, x > 0: part of its series, rounded down, without the library."""
    unit = 2**400
    total = term = unit
    for n in itertools.count(1):
        term = math.floor(term * x / n)
        total += term
        if n > x and term < 2**60:
            return Fraction(total, unit)


def largest_ratio(weights, distance):
    """Largest ratio of the weights of one released cell, for inputs this many cells apart, by all outputs."""
    return largest_quotient(weights, weights[distance:] + weights[:distance])


def assert_rounded_up(stated, ratio, unit):
    """The stated level is at least log(ratio)/unit, and less than 2e-15 of it above."""
    with mpmath.workprec(600):
        true = mpmath.log(mpmath.mpf(ratio.numerator) / ratio.denominator) / unit
        assert mpmath.mpf(stated) >= true and mpmath.mpf(stated) - true <= 2e-15 * true


@pytest.mark.parametrize("cells", NUMBERS_OF_CELLS)
@pytest.mark.parametrize("epsilon", LEVELS)
def test_no_ratio_is_above_the_level(epsilon, cells):
    release = CircleRelease(epsilon, cells=cells)
    weights = release.weights
    assert len(weights) == cells and all(type(weight) is int for weight in weights)
    assert min(weights) >= 2**60 and 2**128 * 0.999 < sum(weights) <= 2**128
    assert weights[1:] == weights[:0:-1]  # symmetric
    # the width of a cell is 2π/cells: e^(εh), from below
    step = Fraction(epsilon) * 2 * PI_BELOW / cells
    bound = below_exp(step)
    assert max(largest_ratio(weights, 1), largest_ratio(weights, cells - 1)) <= bound
    for distance in {2, 7, cells // 4, cells // 2}:
        assert largest_ratio(weights, distance) <= below_exp(distance * step)
    # the certificate says what holds, and not more than was promised
    with mpmath.workprec(600):
        width = 2 * mpmath.pi / cells
    assert_rounded_up(release.certificate.cells, largest_ratio(weights, 1), width)
    assert_rounded_up(release.certificate.pure, Fraction(max(weights), min(weights)), 1)
    assert release.certificate.cells <= epsilon == release.metric_level
    assert release.certificate.cells > epsilon * (1.0 - 1e-15)


@pytest.mark.parametrize("cells", NUMBERS_OF_CELLS)
@pytest.mark.parametrize("epsilon", LEVELS)
def test_weights_that_are_rounded_break_the_promise(epsilon, cells):
    """What the test above must catch: e^(-κθ) rounded to integers of the same total."""
    by_distance = [math.exp(-epsilon * 2 * np.pi * j / cells) for j in range(cells // 2 + 1)]
    rounded = [max(1, round(2**60 * share)) for share in by_distance]
    weights = [rounded[min(j, cells - j)] for j in range(cells)]
    bound = below_exp(Fraction(epsilon) * 2 * PI_BELOW / cells)
    assert max(largest_ratio(weights, 1), largest_ratio(weights, cells - 1)) > bound


@pytest.mark.parametrize(
    ("epsilon", "cells"), thinned([1e-300, 1e-9, 1.0, 1e4, 1e300], [2, 3, 4, 5, 96, 97, 1440, 1441])
)
def test_every_level_and_number_of_cells_makes_a_table(epsilon, cells):
    release = CircleRelease(epsilon, cells=cells)
    weights = release.weights
    assert min(weights) > 0 and sum(weights) <= 2**128 and weights[0] == max(weights)
    assert all(a >= b for a, b in itertools.pairwise(weights[: cells // 2 + 1]))
    assert release.certificate.cells <= epsilon
    if 1e-9 < epsilon < 1e4:  # levels that a table of 128 bits can spend
        assert release.certificate.cells > 0.999 * epsilon


@pytest.mark.parametrize("cells", [96, 100, 1440, 1441])
@pytest.mark.parametrize(("level", "radius"), [(1.0, "3h"), (math.log(4.0), "15min"), (0.1, "20min")])
def test_within_keeps_its_level_at_the_radius(level, radius, cells):
    release = CircleRelease.within(level, radius, cells=cells)
    minutes = {"3h": 180, "15min": 15, "20min": 20}[radius]
    distance = math.ceil(Fraction(minutes * cells, 1440))
    assert largest_ratio(release.weights, distance) <= below_exp(Fraction(level))
    assert level * (1.0 - 1e-9) < release.certificate.loss(radius) <= level
    assert release.certificate.cells <= release.metric_level
    assert release.metric_level == pytest.approx(level * cells / (2 * np.pi * distance), rel=1e-15, abs=0.0)


def test_the_loss_between_inputs_at_a_radius_that_is_no_multiple_of_the_cell():
    """100 cells of 864 s, 20 minutes: every second of the day, and every second up to the radius from it."""
    level, radius = 1.0, 1200
    release = CircleRelease.within(level, "20min", cells=100)
    seconds = np.arange(86_400)
    cell = release._circle.index_times(seconds.astype("timedelta64[s]"))
    assert np.array_equal(cell, seconds // 864)
    two_days, ends = np.concatenate([cell, cell + 100]).astype(np.uint8), set()
    for distance in range(radius + 1):
        moved = two_days[distance : distance + 86_400] - two_days[:86_400]
        ends |= {int(moved.min()), int(moved.max())}
    steps = range(min(ends), max(ends) + 1)
    assert [*steps] == [0, 1, 2]  # 1200 s can be two cells apart
    assert all(largest_ratio(release.weights, k) <= below_exp(Fraction(level)) for k in steps)
    assert release.certificate.loss("20min") == release.certificate.between(2) <= level
    # what forgets that the input is rounded breaks it
    unrounded = CircleRelease(level / (2 * np.pi * radius / 86_400), cells=100)
    assert largest_ratio(unrounded.weights, 2) > below_exp(Fraction(level) * 11 / 10)
    assert unrounded.certificate.loss("20min") > 1.1 * level


def test_inputs_in_doubles_are_never_one_cell_too_far_apart():
    """At every border, true or shifted, with the radius 0.1, 1.59 cells: at most two cells apart, exactly."""
    release = CircleRelease.within(1.0, 0.1, cells=100)
    circle, radius = release._circle, Fraction(0.1)
    for i in range(-100, 200):
        near = [float(2 * PI_BELOW * i / 100 - shift) for shift in (0, SHIFT)]
        for x in [of for one in near for of in (math.nextafter(one, -9.0), one, math.nextafter(one, 9.0))]:
            if not -2 * PI_BELOW <= Fraction(x) < 4 * PI_BELOW:
                continue
            assert circle.index_angles(x) == math.floor((Fraction(x) + SHIFT) * 100 / (2 * PI_BELOW)) % 100
            y = x + 0.1
            while Fraction(y) - Fraction(x) > radius:
                y = math.nextafter(y, -9.0)
            if y < 12.5:
                assert (circle.index_angles(y) - circle.index_angles(x)) % 100 <= 2
    assert release.certificate.loss(0.1) <= 1.0


def test_the_whole_range_of_angles_is_taken():
    turn = geometry.TURN  # a little less than 2π
    for cells in (2, 96, 1441):
        circle = CircleCells(cells, "24h")
        ends = [-turn, math.nextafter(-turn, 0.0), -0.0, 0.0, turn, math.nextafter(turn, 9.0), 2.0 * turn]
        assert circle.index_angles(ends).tolist() == [0, 0, 0, 0, 0, 0, 0]
        assert circle.index_angles([-1e-14, turn - 1e-14]).tolist() == [cells - 1, cells - 1]


def angles_of_hours(hours):
    """The same angles as doubles, by conversions that round differently, and in turns before and after."""
    angles = geometry.hours_to_angles(hours)
    yield from (angles, np.deg2rad(15.0 * hours), hours * np.pi / 12.0, hours / 12.0 * np.pi)
    yield from (2.0 * np.pi * hours / 24.0, angles - geometry.TURN, angles + geometry.TURN)
    yield np.deg2rad(15.0 * hours + 360.0)


@pytest.mark.parametrize("cells", [24, 96, 360, 1440])
def test_an_angle_on_a_border_is_in_the_cell_that_begins_there(cells):
    """As its time is; in exact cells 1365 of 1440 minutes lay in the cell before."""
    circle, hours = CircleCells(cells, "24h"), np.arange(cells) * 24.0 / cells
    for angles in angles_of_hours(hours):
        assert circle.index_angles(angles).tolist() == list(range(cells))
    for single in (geometry.hours_to_angles(hours).astype("f4"), np.deg2rad((15.0 * hours).astype("f4"))):
        assert circle.index_angles(single).tolist() == list(range(cells))
    wide = np.arange(cells) * (2.0 * np.pi / np.longdouble(cells))  # with the error of the double π
    assert circle.index_angles(wide).tolist() == list(range(cells))
    # a shift that grows with the angle, as a radius has it, would bring some a cell too far apart
    assert circle.index_angles(geometry.hours_to_angles(hours) - 1e-14).tolist() == [cells - 1, *range(cells - 1)]


def test_both_doors_of_a_release_agree_on_whole_hours():
    release, hours = CircleRelease.within(60.0, "1h", cells=24), np.arange(24.0)
    found = geometry.angles_to_hours(release.randomise_angles(geometry.hours_to_angles(hours)))
    assert np.floor(found).tolist() == np.floor(release.randomise_times(hours)).tolist() == hours.tolist()


def test_two_doubles_at_borders_lie_as_far_apart_as_they_are():
    first, second, cells = 0.004363323129985823, 0.789761486527434, 1440
    assert 0 < Fraction(second) - Fraction(first) <= PI_BELOW / 4  # 180 cells
    naive = [math.floor(x * cells / (2.0 * math.pi)) for x in (first, second)]
    assert naive[1] - naive[0] == 181
    release = CircleRelease(1e5)
    found = release._circle.index_angles([first, second])
    assert found.tolist() == [1, 181]
    assert release.randomise_angles([first, second]) == pytest.approx(
        [1.5 * np.pi / 720, 181.5 * np.pi / 720], abs=1e-15
    )


@pytest.mark.parametrize("cells", [2, 7, 96, 100, 1440])
def test_borders_are_the_smallest_doubles_not_below_their_true_values(cells):
    circle = CircleRelease(1.0, cells=cells)._circle
    angles = np.random.default_rng(1).uniform(-2 * np.pi, 4 * np.pi, 2000)
    near = np.array([float(Fraction(24 * i, cells)) for i in range(1, cells)])
    hours = np.concatenate([near, np.nextafter(near, 0.0), np.nextafter(near, 24.0), [0.0]])
    for x, cell in zip(angles, circle.index_angles(angles), strict=True):
        assert cell == math.floor((Fraction(x) + SHIFT) * cells / (2 * PI_BELOW)) % cells
    for t, cell in zip(hours, circle.index_times(hours), strict=True):
        assert cell == math.floor(Fraction(t) * cells / 24)


def test_a_double_near_a_whole_number_of_cells_means_that_number():
    """75 minutes are 5 cells of 96, and the double nearest to them is a little more."""
    radius = np.pi * 75 / 720
    assert Fraction(radius) * 96 > 5 * 2 * PI_BELOW
    loss = CircleRelease.within(1.0, "75min", cells=96).certificate.loss
    for same in (radius, "75min", "1h 15min", "1.25h", "4500s", dt.timedelta(minutes=75)):
        assert CircleRelease.within(1.0, same, cells=96).certificate.between(5) == loss(same) == loss(radius)
    assert loss(np.timedelta64(75, "m")) == loss(radius)
    beyond = radius + 10 * math.ulp(radius)
    assert loss(beyond) == CircleRelease.within(1.0, "75min", cells=96).certificate.between(6) > loss(radius)
    assert loss(5e-324) == loss("1s") > 0.0 == loss(0.0)
    half = CircleRelease.within(1.0, np.pi, cells=97)  # 48.5 cells, and no two are farther apart than 48
    assert 0.999 < half.certificate.between(48) == half.certificate.loss("12h") == half.certificate.pure <= 1.0
    week = CircleRelease.within(1.0, "1d", cells=168, period="7d")
    assert week.certificate.between(24) == week.certificate.loss("24h") <= 1.0


@pytest.mark.parametrize(
    ("claim", "true"), [({"metric": 3.8}, 4.0), ({"pure": 11.9}, 12.1), ({"within": (1.9, 8)}, (2.1, 8))], ids=str
)
def test_a_table_is_held_against_each_claim_alone(claim, true, monkeypatch):
    """Falls of 1/4 from cell to cell of 96: 3.82 per radian, 12 in all, 2 between cells 8 apart."""
    monkeypatch.setattr("dirpriv.exact.weight_tables.limited", lambda steps, *levels: list(steps))
    circle, steps = CircleCells(96, "24h"), [Fraction(1, 4)] * 48
    with pytest.raises(ArithmeticError, match="were promised"):
        CircleRelease.__new__(CircleRelease)._build(circle, steps, **claim)
    CircleRelease.__new__(CircleRelease)._build(circle, steps, **dict.fromkeys(claim, true))


# ---------------------------------------------------------------- kernels of other mechanisms


@pytest.mark.parametrize(
    ("epsilon", "cells", "purpose"),
    thinned([0.1, 1.0, 4.0, 30.0], [2, 5, 96, 1440], ["mean", "one direction", "angle", "histogram"]),
)
def test_pure_releases(epsilon, cells, purpose):
    release = CircleRelease.pure(epsilon, cells=cells, purpose=purpose)
    weights = release.weights
    assert len(set(weights)) <= 2
    assert Fraction(max(weights), min(weights)) <= below_exp(Fraction(epsilon))
    assert epsilon * (1.0 - 1e-15) < release.certificate.pure <= epsilon == release.pure_level
    assert release.metric_level == np.inf
    assert release.certificate.loss([0.0, 1e-3, 3.0]).tolist() == [0.0, *[release.certificate.pure] * 2]


def test_the_width_of_the_cap_is_best_for_its_purpose():
    """Against every other width, and against the continuous distribution: ρ, and the half-angles of the caps."""
    cells = 96
    expected = {0.1: 0.0318, 1.0: 0.3083, 4.0: 0.8589}  # mean cosine of the best cap
    for epsilon, rho in expected.items():
        found = CircleRelease.pure(epsilon, cells=1440).noise.mean_cosine()
        assert found == pytest.approx(rho, abs=5e-5)
        angles = 2 * np.pi * np.arange(cells) / cells
        distance = np.minimum(angles, 2 * np.pi - angles)
        means, mean_angles = [], []
        for inside in range(cells // 2):
            shares = np.where(distance <= angles[inside] + 1e-9, np.exp(epsilon), 1.0)
            shares /= shares.sum()
            means.append(shares @ np.cos(distance))
            mean_angles.append(shares @ distance)
        mean = CircleRelease.pure(epsilon, cells=cells)
        angle = CircleRelease.pure(epsilon, cells=cells, purpose="angle")
        assert mean.noise.probabilities @ np.cos(distance) == pytest.approx(max(means), rel=1e-12, abs=0.0)
        assert angle.noise.probabilities @ distance == pytest.approx(min(mean_angles), rel=1e-12, abs=0.0)
    for purpose, half_angle in (("mean", 1.257), ("angle", 1.186), ("histogram", np.pi / (1 + np.e))):
        weights = CircleRelease.pure(1.0, purpose=purpose).weights
        inside = sum(weight > min(weights) for weight in weights)
        assert inside * np.pi / 1440 == pytest.approx(half_angle, abs=np.pi / 1440)


MECHANISMS = [
    mechanisms.PurkayasthaMechanism(10.0),
    mechanisms.PurkayasthaMechanism.pure(1.0),
    mechanisms.WrappedLaplaceMechanism(1.0),
    mechanisms.WrappedLaplaceMechanism.pure(1e-5),
    mechanisms.VonMisesFisherMechanism(20.0),
    mechanisms.VonMisesFisherMechanism.pure(0.5),
    mechanisms.Mechanism.from_distribution(distributions.VonMisesFisher(2, 1e-6)),
]


@pytest.mark.parametrize(("mechanism", "cells"), thinned(MECHANISMS, [3, 96, 1440]), ids=str)
def test_tables_of_mechanisms_keep_both_of_their_levels(mechanism, cells):
    release, promised = CircleRelease.from_mechanism(mechanism, cells=cells), mechanism.guarantee
    step = Fraction(promised.metric_level) * 2 * PI_BELOW / cells
    assert max(largest_ratio(release.weights, k) for k in (1, cells - 1)) <= below_exp(step)
    everything = Fraction(max(release.weights), min(release.weights))
    assert everything <= below_exp(Fraction(promised.pure_level))
    assert release.certificate.cells <= promised.metric_level == release.metric_level
    assert release.certificate.pure <= promised.pure_level == release.pure_level
    if cells == 1440:
        assert release.noise.mean_angle() == pytest.approx(mechanism.noise.mean_angle(), rel=1e-4)
        assert release.certificate.pure > 0.999 * promised.pure_level
    theta = 2 * np.pi * np.arange(cells // 2 + 1) / cells
    kernel = np.exp(mechanism.noise.angle_logpdf(theta) - mechanism.noise.angle_logpdf(0.0))
    shares = release.noise.probabilities[: cells // 2 + 1]
    assert shares / shares[0] == pytest.approx(kernel, rel=1e-8, abs=0.0)


def test_the_table_of_a_purkayastha_mechanism_is_that_of_its_level():
    for cells in (96, 1440):
        found = CircleRelease.from_mechanism(mechanisms.PurkayasthaMechanism(21.2), cells=cells)
        expected = CircleRelease(21.2, cells=cells)
        assert found.noise.probabilities == pytest.approx(expected.noise.probabilities, rel=1e-11, abs=0.0)
        assert found.certificate.cells == pytest.approx(21.2, rel=1e-11)


class Ring:
    """A distribution of a user's own, whose density increases away from the mode."""

    space = geometry.spaces.CIRCLE

    def metric_level(self):
        return 1.0

    def pure_level(self):
        return 2.0

    def privacy_loss(self, distance):
        return distance

    def rvs(self, x, size=None, *, rng=None):
        raise AssertionError("a table is made from the density alone; nothing may draw from this distribution")

    def logpdf(self, y, x):
        return self.by_angle(geometry.angle_between_vectors(y, x))

    def by_angle(self, theta):
        return -np.cos(theta)


class Cap(Ring):
    """A distribution of two levels, with a pure level alone."""

    why_infinite = "it jumps"

    def metric_level(self):
        return np.inf

    def pure_level(self):
        return 1.0

    def by_angle(self, theta):
        return np.where(theta <= 1.2575, 1.0, 0.0)


def test_a_distribution_with_a_pure_level_alone_has_a_table():
    release = CircleRelease.from_mechanism(mechanisms.Mechanism.from_distribution(Cap()))
    assert release.metric_level == np.inf and release.certificate.pure <= 1.0 == release.pure_level
    assert release.weights == CircleRelease.pure(1.0).weights  # whose best half-angle is 1.257


class Bare(Ring):
    """A distribution without a density."""

    logpdf = None


class Wind(Ring):
    """A distribution whose density depends on where the input is."""

    def logpdf(self, y, x):
        return np.cos(geometry.angle_between_vectors(y, x)) + 0.1 * x[0]


@pytest.mark.parametrize(
    ("mechanism", "why"),
    [
        (mechanisms.PurkayasthaMechanism(1.0, dim=3), "not one on the circle"),
        (mechanisms.PlanarLaplaceMechanism(1.0), "not one on the circle"),
        (mechanisms.ClippedLaplaceMechanism.pure(1.0), "not symmetric about its mode"),
        (mechanisms.Mechanism.from_distribution(Ring()), "its density increases with the angle"),
        (mechanisms.Mechanism.from_distribution(Bare()), "its distribution is not known, as it has no method logpdf"),
        (mechanisms.Mechanism.from_distribution(Wind()), "its distribution depends on more than the distance"),
        (distributions.Purkayastha(2, 1.0), "must be a mechanism"),
        (1.0, "must be a mechanism"),
    ],
    ids=lambda x: type(x).__name__,
)
def test_mechanisms_without_a_table_are_refused(mechanism, why):
    with pytest.raises(ValueError, match=f"'mechanism' .*{why}"):
        CircleRelease.from_mechanism(mechanism)


# ---------------------------------------------------------------- draws


def words(integers):
    return (
        np.array([n >> 64 for n in integers], dtype=np.uint64),
        np.array([n % 2**64 for n in integers], dtype=np.uint64),
    )


@pytest.mark.parametrize("epsilon", LEVELS)
def test_every_cell_can_be_released_and_has_its_share_of_the_integers(epsilon):
    """The first and the last 128-bit integer of every cell, tails included, release it from any input."""
    release = CircleRelease(epsilon)
    ends = list(itertools.accumulate(release.weights, initial=0))
    scale = release._table.total // ends[-1]
    assert release._table.total == scale * ends[-1]
    first = release._table.find(*words([end * scale for end in ends[:-1]]))
    last = release._table.find(*words([end * scale - 1 for end in ends[1:]]))
    assert np.array_equal(first, np.arange(1440)) and np.array_equal(last, np.arange(1440))


def p_value(drawn, probabilities):
    """χ² of draws against probabilities; cells of less than 10 expected draws are put together."""
    expected = drawn.size * probabilities
    seen = np.bincount(drawn, minlength=len(probabilities)).astype(float)
    few = expected < 10.0
    if few.any():
        expected = np.append(expected[~few], expected[few].sum())
        seen = np.append(seen[~few], seen[few].sum())
        if expected[-1] < 10.0:
            expected = np.append(expected[:-2], expected[-2:].sum())
            seen = np.append(seen[:-2], seen[-2:].sum())
    return stats.chisquare(seen, expected * (seen.sum() / expected.sum())).pvalue


def assert_frequencies(count):
    """A right release fails one of the tests with probability 1e-6; one of another level is caught."""
    for cells, epsilon in itertools.product(NUMBERS_OF_CELLS, LEVELS):
        release = CircleRelease(epsilon, cells=cells)
        drawn = release.randomise_cells(np.full(count, 7))
        steps = (drawn - 7) % cells
        p = p_value(steps, release.noise.probabilities)
        assert p > ALPHA, f"{release!r}: p = {p:.2e}; a right release fails with probability {ALPHA}"
        wrong = CircleRelease(1.2 * epsilon, cells=cells).noise.probabilities
        assert p_value(steps, wrong) < ALPHA


def test_frequencies_are_those_of_the_table():
    assert_frequencies(200_000)


@pytest.mark.sweep
def test_frequencies_are_those_of_the_table_in_ten_million_draws():
    assert_frequencies(10_000_000)


# Naive draws: x ± E in doubles, with E by the inverse of the CDF from a uniform multiple of 2^-53.


def naive(x, u, sign, kappa):
    return x - sign * np.log1p(u * np.expm1(-kappa * np.pi)) / kappa


def possible_for_naive(y, x, kappa):
    """Whether any u and sign give the double y from the input x."""
    found = np.zeros(y.shape, dtype=bool)
    for sign in (1, -1):
        moved = sign * (y - x)
        nearest = np.floor(np.expm1(-kappa * moved) / np.expm1(-kappa * np.pi) * 2.0**53)
        reach = int(min(max(np.spacing(y) * 2.0**53 * kappa * np.exp(-kappa * moved)) + 4.0, 2000.0))
        for k in range(-reach, reach + 1):
            fits = (nearest + k >= 0.0) & (nearest + k < 2.0**53)
            u = np.where(fits, nearest + k, 0.0) * 2.0**-53
            found |= fits & (naive(x, u, sign, kappa) == y)
    return found


def possible_after_release(release, y, x):
    """Whether any integer of 128 bits makes the release of x the double y: the first integer of its cell."""
    ends = list(itertools.accumulate(release.weights, initial=0))
    cells = release._circle.index_angles(y)
    steps = (cells - release._circle.index_angles(x)) % release.cells
    scale = release._table.total // ends[-1]
    given = words([ends[step] * scale for step in steps])
    released = (release._circle.index_angles(x) + release._table.find(*given)) % release.cells
    return release._circle.angles(released) == y


@pytest.mark.parametrize("kappa", [1.0, 3.0, 10.0, 300.0])
def test_no_double_excludes_a_wrong_input(kappa):
    """Inputs one degree apart. Of the doubles of a naive draw here 9 to 89 % exclude the wrong one."""
    rng = np.random.default_rng(1)
    right, wrong, count = 0.3, 0.3 + np.pi / 180.0, 500
    u = rng.integers(0, 2**53, count) * 2.0**-53
    drawn = naive(right, u, rng.choice([-1, 1], count), kappa)
    assert possible_for_naive(drawn, right, kappa).all()
    assert 0.09 <= 1.0 - possible_for_naive(drawn, wrong, kappa).mean() <= 0.89
    release = CircleRelease(kappa)
    released = release.randomise_angles(np.full(count, right))
    assert possible_after_release(release, released, right).all()
    assert possible_after_release(release, released, wrong).all()


# ---------------------------------------------------------------- nothing is shared between draws

SHARED = CircleRelease(1e-3)  # nearly uniform on 1440 cells
COUNT = 5000


def release_into(release, queue):
    queue.put(release.randomise_cells(np.zeros(COUNT, dtype=int)))


def of_two_forks():
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=release_into, args=(SHARED, queue)) for _ in range(2)]
    for child in children:
        child.start()
    drawn = [queue.get(timeout=60) for _ in children]
    for child in children:
        child.join(60)
    release_into(SHARED, queue)
    return [*drawn, queue.get(timeout=60)]


def of_two_threads():
    drawn = []
    threads = [
        threading.Thread(target=lambda: drawn.append(SHARED.randomise_cells(np.zeros(COUNT, dtype=int))))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return drawn


def of_copies():
    copies = [SHARED, pickle.loads(pickle.dumps(SHARED)), copy.copy(SHARED), copy.deepcopy(SHARED)]
    return [release.randomise_cells(np.zeros(COUNT, dtype=int)) for release in copies]


def shared_draws(drawn):
    """Largest share of equal draws of two, in the same rows or one row apart."""
    pairs = list(itertools.combinations(drawn, 2))
    return max(np.mean(a[: COUNT - 1] == b[shift : COUNT - 1 + shift]) for a, b in pairs for shift in (0, 1))


@pytest.mark.parametrize("draw", [of_two_forks, of_two_threads, of_copies])
def test_processes_threads_and_copies_share_no_draw(draw, monkeypatch):
    """Independent draws agree in 1/1440 of the rows: more than 1 % has a probability below 1e-30."""
    assert shared_draws(draw()) < 0.01

    def seeded(count):
        return np.random.default_rng(1).integers(0, 2**64, count, dtype=np.uint64)

    monkeypatch.setattr(sampling, "random_words", seeded)  # the wrong variant
    assert shared_draws(draw()) > 0.9


def modules_of_release():
    found = [
        info
        for room in (dirpriv.exact, dirpriv.release)
        for info in pkgutil.walk_packages(room.__path__, f"{room.__name__}.")
    ]
    return [dirpriv.release, *(__import__(info.name, fromlist=["_"]) for info in found)]


def functions_of(module):
    """Functions of a module, and methods of its classes, with class and static methods."""
    for _, item in inspect.getmembers(module):
        if getattr(item, "__module__", None) != module.__name__:
            continue
        if inspect.isclass(item):
            members = [getattr(item, name) for name in vars(item) if callable(getattr(item, name))]
            yield from (member for member in [item, *members] if member is not type)
        elif callable(item):
            yield item


FORBIDDEN = ("rng", "seed", "random_state", "generator", "bit_generator", "entropy")


def asks_for_randomness(function):
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    return any(
        parameter.name.lower() in FORBIDDEN
        or any(word in str(parameter.annotation) for word in ("Generator", "RNG", "RandomState", "SeedSeq"))
        for parameter in parameters
    )


def test_no_signature_has_a_seed_or_a_generator():
    functions = [function for module in modules_of_release() for function in functions_of(module)]
    names = {getattr(function, "__qualname__", "") for function in functions}
    assert {"CircleRelease.randomise_times", "CircleRelease.within", "CircleTableDistribution"} <= names
    assert {"times", "places"} <= names  # of columns
    assert [function for function in functions if asks_for_randomness(function)] == []
    assert asks_for_randomness(distributions.Purkayastha(2, 1.0).rvs)  # what it must find
    for method in ("rvs", "angle_rvs", "random", "sample"):
        assert not hasattr(CircleTableDistribution, method)


def test_no_module_of_releases_names_a_generator():
    for module in modules_of_release():
        tree = ast.parse(Path(module.__file__).read_text())
        names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        imported = [
            alias.name
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        ]
        assert not {"random", "default_rng", "Generator", "RandomState"} & (names | set(imported))


# ---------------------------------------------------------------- columns

SURE = CircleRelease(1e6)  # a cell of 1440 is released as itself, but for a probability of 1e-17
ONE_MINUTE = 1.0 / 60.0


def released_minutes(times, release=SURE):
    return np.floor(release.randomise_times(times) * 60.0).astype(int).tolist()


def test_times_of_every_kind_become_their_cells():
    texts, minutes = ["08:15", "23:59:59.999999999999", "00:00", "8:16"], [495, 1439, 0, 496]
    stamps = np.array(
        ["2024-02-29T08:15:59.999", "1955-01-01T23:59:59", "1969-12-31T00:00", "2300-07-04T08:16"],
        dtype="datetime64[ms]",
    )
    times = [dt.time(8, 15, 59, 999_999), dt.time(23, 59), dt.time(0, 0), dt.time(8, 16)]
    same = [texts, np.array(texts), np.array(texts, dtype=object), stamps, stamps.tolist(), times]
    same += [stamps.astype("datetime64[us]"), stamps - stamps.astype("datetime64[D]"), list(stamps)]
    same += [[dt.timedelta(hours=32.25), dt.timedelta(minutes=-1), dt.timedelta(days=-3), dt.timedelta(0, 29760)]]
    same += [[8.25, 23.999, 24.0, 8.27], np.array([8.25, 23.999, 0.0, 8.27], dtype=object)]
    for column in same:
        assert released_minutes(column) == minutes
    pd = pytest.importorskip("pandas")
    column = pd.Series(stamps)
    for times in (column, pd.DatetimeIndex(column), column.dt.time, pd.Series(texts, dtype="string")):
        assert released_minutes(times) == minutes
    summer = pd.Series(pd.to_datetime(["2024-07-01 08:15", "2024-01-01 23:59"])).dt.tz_localize("Europe/Oslo")
    assert released_minutes(summer) == minutes[:2]


@pytest.mark.parametrize("unit", ["h", "m", "s", "ms", "us", "ns", "ps", "fs", "as", "7s", "25us", "11h"])
@pytest.mark.parametrize("cells", [7, 1440, 86_400])
def test_timestamps_become_cells_in_integers(unit, cells):
    """Against Fractions, to the ends of the range of the unit; 7 cells of a day are no whole seconds."""
    rng = np.random.default_rng(1)
    ticks = np.concatenate([rng.integers(-(2**62), 2**62, 500), np.arange(-20, 20)])
    step = int("".join(filter(str.isdigit, unit)) or 1)
    per_hour = {"h": 1, "m": 60, "s": 3600, "ms": 3600 * 10**3, "us": 3600 * 10**6, "ns": 3600 * 10**9}
    per_hour |= {"ps": 3600 * 10**12, "fs": 3600 * 10**15, "as": 3600 * 10**18}
    hours = [Fraction(int(t) * step, per_hour[unit.lstrip("0123456789")]) for t in ticks]
    circle, week = CircleCells(cells, "24h"), CircleCells(cells, "7d")
    expected = [math.floor(hour * cells / 24) % cells for hour in hours]
    assert circle.index_times(ticks.astype(f"datetime64[{unit}]")).tolist() == expected
    assert circle.index_times(ticks.astype(f"timedelta64[{unit}]")).tolist() == expected
    from_monday = [math.floor((hour - 96) * cells / 168) % cells for hour in hours]
    assert week.index_times(ticks.astype(f"datetime64[{unit}]")).tolist() == from_monday


def test_ticks_of_a_turn_that_64_bits_do_not_hold():
    """Three hours are 1.08e19 fs, between 2^63 and 2^64; against Fractions."""
    ticks = np.concatenate([np.random.default_rng(2).integers(-(2**63) + 1, 2**63, 100), [0, -1, 2**63 - 1]])
    expected = [math.floor(Fraction(int(t), 3600 * 10**15) * 7 / 3) % 7 for t in ticks]
    assert CircleCells(7, "3h").index_times(ticks.astype("timedelta64[fs]")).tolist() == expected


def test_times_of_the_week():
    week = CircleRelease(1e6, cells=7 * 1440, period="7d")
    assert week.period == 168.0
    monday = np.array(["2024-01-01T08:15", "2024-01-07T23:59"], dtype="datetime64[m]")
    expected = [495, 7 * 1440 - 1]
    for column in (monday, monday.tolist(), [8.25, 168.0 - ONE_MINUTE / 2.0]):
        assert released_minutes(column, week) == expected
    with pytest.raises(ValueError, match=r"row 0 of 'times' is a text without a date, .*168\.0 hours"):
        week.randomise_times(["08:15"])


def test_outputs_have_the_shape_and_order_of_the_inputs():
    assert type(SURE.randomise_times("08:15")) is float and type(SURE.randomise_angles(1.0)) is float
    assert type(SURE.randomise_cells(7)) is int
    grid = np.arange(1440)[::-1].reshape(12, 120)
    assert np.array_equal(SURE.randomise_cells(grid), grid)
    angles = (grid + 0.5) * np.pi / 720
    assert np.allclose(SURE.randomise_angles(angles), angles, rtol=1e-15, atol=0.0)
    assert np.allclose(SURE.randomise_angles(angles - 2 * np.pi), angles, rtol=1e-15, atol=0.0)
    assert np.allclose(SURE.randomise_times((grid + 0.5) / 60.0), (grid + 0.5) / 60.0, rtol=1e-15, atol=0.0)
    many = np.arange(3 * sampling.BLOCK + 5) % 1440
    assert np.array_equal(SURE.randomise_cells(many), many)
    for empty in ([], np.empty((0, 3))):
        assert SURE.randomise_angles(empty).shape == np.shape(empty) == SURE.randomise_times(empty).shape
    wide = CircleRelease(1e-9).randomise_angles(np.zeros(100_000))
    assert 0.0 <= wide.min() and wide.max() < 2 * np.pi


SECRET = "7654"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: SURE.randomise_angles([1.0, 7654.0]), "row 1 of 'angles' is not in radians from -2π to 4π"),
        (lambda: SURE.randomise_angles([[1.0], [np.nan]]), "row \\(1, 0\\) of 'angles' is nan"),
        (lambda: SURE.randomise_angles(["08:15"]), "row 0 of 'angles' is no real number.*randomise_times"),
        (lambda: SURE.randomise_angles([None, 1.0]), "row 0 of 'angles' has no value"),
        (lambda: SURE.randomise_angles([1j]), "'angles' must hold real numbers"),
        (lambda: SURE.randomise_cells([0, 7654]), "row 1 of 'indices' is no cell from 0 to 1439"),
        (lambda: SURE.randomise_cells([-1]), "row 0 of 'indices' is no cell"),
        (lambda: SURE.randomise_cells([7.5]), "'indices' must hold integers.*float64: angles go into"),
        (lambda: SURE.randomise_cells([True]), "'indices' must hold integers.*bool"),
        (lambda: SURE.randomise_cells(np.ma.array([1, 2], mask=[0, 1])), "row 1 of 'indices' is masked"),
        (lambda: SURE.randomise_times([7654.0]), "row 0 of 'times' is not a number of hours from 0 to 24"),
        (lambda: SURE.randomise_times([1.0, -0.1]), "row 1 of 'times' is not a number of hours"),
        (lambda: SURE.randomise_times([np.inf]), "row 0 of 'times' is nan or infinite"),
        (lambda: SURE.randomise_times(["08:15", "76:54"]), "row 1 of 'times' is a text that is not 'HH:MM'"),
        (lambda: SURE.randomise_times(["08:15", None]), "row 1 of 'times' has no value"),
        (lambda: SURE.randomise_times(np.array(["NaT"], "M8[s]")), "row 0 of 'times' has no value"),
        (lambda: SURE.randomise_times(np.array(["7654-01-01"], "M8[D]")), "dates without a time of day"),
        (lambda: SURE.randomise_times([dt.time(8), "08:15"]), "row 1 of 'times' is a text and row 0 is"),
        (lambda: SURE.randomise_times([True]), "'times' must hold times"),
        (lambda: SURE.randomise_times(np.array([7654.0, 1.0], object)), "is not a number of hours from 0"),
    ],
)
def test_errors_of_data_name_row_and_rule_and_no_value(call, words):
    with pytest.raises(ValueError, match=words) as caught:
        call()
    assert SECRET not in str(caught.value) and "76:54" not in str(caught.value)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: CircleRelease(0.0), "'epsilon' must be positive and finite; got 0.0"),
        (lambda: CircleRelease(math.inf), "'epsilon' must be positive and finite; got inf"),
        (lambda: CircleRelease("1"), "'epsilon' must be a positive finite number; got '1'"),
        (lambda: CircleRelease(1.0, cells=1), "'cells' must be an integer of at least 2; got 1"),
        (lambda: CircleRelease(1.0, cells=1440.0), "'cells' must be an integer of at least 2; got 1440.0"),
        (lambda: CircleRelease(1.0, cells=100_001), "'cells' must be at most 100000; got 100001"),
        (lambda: CircleRelease(1.0, period="a day"), "'period' must be a duration.*got 'a day'"),
        (lambda: CircleRelease(1.0, period=-24), "'period' must be positive.*got -24"),
        (lambda: CircleRelease.within(1.0, "3"), "'radius' must be a duration such as '75min'.*got '3'"),
        (lambda: CircleRelease.within(1.0, "3months"), "'radius' must be a duration"),
        (lambda: CircleRelease.within(1.0, ""), "'radius' must be a duration.*; got ''"),
        (lambda: CircleRelease.within(1.0, "0h"), "'radius' must be positive; got '0h'"),
        (lambda: CircleRelease.within(1.0, dt.timedelta(0)), "'radius' must be positive"),
        (lambda: CircleRelease.within(1.0, np.timedelta64(3, "M")), "'radius' must be a duration"),
        (lambda: CircleRelease.within(1.0, 0.0), "'radius' must be positive"),
        (lambda: CircleRelease.within(1.0, 180.0), "'radius' must be at most half a turn, 12 hours"),
        (lambda: CircleRelease.within(1.0, "13h"), "'radius' must be at most half a turn.*got '13h'"),
        (lambda: CircleRelease.within(-1.0, "3h"), "'level' must be positive.*got -1.0"),
        (lambda: CircleRelease.pure(1.0, purpose="maps"), "'purpose' must be one of mean, one direction, angle"),
        (lambda: CircleRelease.pure(math.nan), "'epsilon' must be positive"),
        (lambda: SURE.certificate.loss(-1.0), "'distance' must be nonnegative"),
        (lambda: SURE.certificate.loss([0.1, 4.0]), "'distance' must be at most half a turn"),
    ],
)
def test_errors_of_arguments_name_their_value(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_a_release_cannot_be_changed():
    release = CircleRelease(10.0)
    for name in ("weights", "certificate", "distribution", "metric_level", "more"):
        with pytest.raises(AttributeError, match=f"'{name}' of a CircleRelease cannot be set"):
            setattr(release, name, 1)
    with pytest.raises(ValueError, match="read-only"):
        release.noise.probabilities[0] = 1.0
    again = pickle.loads(pickle.dumps(release))
    assert again.weights == release.weights and repr(again) == repr(release)
    assert repr(release) == "CircleRelease(metric_level=10.0, cells=1440, period=24 h)"


# ---------------------------------------------------------------- the distribution of the table


def test_the_distribution_is_that_of_the_released_angles():
    release = CircleRelease(2.0, cells=12)
    distribution, h = release.noise, np.pi / 6
    for method in (
        distribution.mean_angle,
        distribution.mean_cosine,
        distribution.mean_squared_sine,
        distribution.pure_level,
        distribution.metric_level,
    ):
        assert type(method()) is float
    theta = np.linspace(0.0, np.pi, 240_001)  # borders of cells are among them
    middle = (theta[1:] + theta[:-1]) / 2.0
    density = distribution.angle_pdf(middle)
    cells = np.minimum(np.round(middle / h).astype(int), 6)
    assert np.allclose(density, 2.0 * distribution.probabilities[cells] / h, rtol=1e-12, atol=0.0)
    mass = density * np.diff(theta)
    assert mass.sum() == pytest.approx(1.0, rel=1e-12)
    assert mass @ middle == pytest.approx(distribution.mean_angle(), rel=1e-8)
    assert mass @ np.cos(middle) == pytest.approx(distribution.mean_cosine(), rel=1e-8)
    assert mass @ np.sin(middle) ** 2 == pytest.approx(distribution.mean_squared_sine(), rel=1e-8)
    assert np.allclose(distribution.angle_cdf(theta[1:]), np.cumsum(mass), rtol=1e-9, atol=0.0)
    assert np.allclose(distribution.angle_sf(theta), 1.0 - distribution.angle_cdf(theta), rtol=0.0, atol=1e-14)
    assert distribution.angle_ppf(distribution.angle_cdf([0.1, 1.0, 3.0])) == pytest.approx(
        [0.1, 1.0, 3.0], rel=1e-12, abs=0.0
    )
    assert distribution.angle_logpdf(1.0) == pytest.approx(np.log(distribution.angle_pdf(1.0)))
    assert (distribution.angle_pdf([-0.1, 3.2]) == 0.0).all() and np.isnan(distribution.angle_pdf(np.nan))
    # of inputs anywhere in their cells: 6 standard errors, so a right distribution fails with probability 1e-8
    count = 200_000
    inputs = np.random.default_rng(1).uniform(0.0, 2 * np.pi, count)
    away = geometry.circular_distance(release.randomise_angles(inputs), inputs)
    for seen, expected in ((np.cos(away), distribution.mean_cosine()), (away, distribution.mean_angle())):
        assert abs(seen.mean() - expected) < 6.0 * seen.std() / np.sqrt(count)
        assert abs(seen.mean() - 1.05 * expected) > 6.0 * seen.std() / np.sqrt(count)  # a wrong one


def test_no_angle_lies_beyond_half_a_turn():
    distribution, theta = CircleRelease(2.0, cells=12).noise, [-1.0, -1e-300, 0.0, np.pi, 3.2, np.inf]
    assert distribution.angle_cdf(theta).tolist() == [0.0, 0.0, 0.0, 1.0, 1.0, 1.0]
    assert distribution.angle_sf(theta).tolist() == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]


def test_the_distribution_tends_to_that_of_the_mechanism():
    for epsilon in (1.0, 10.0, 50.0):
        table, exact = CircleRelease(epsilon, cells=12_000).noise, distributions.Purkayastha(2, epsilon)
        for name in ("mean_angle", "mean_cosine", "mean_squared_sine"):
            assert getattr(table, name)() == pytest.approx(getattr(exact, name)(), rel=1e-4)
        theta = np.linspace(0.01, 0.9, 50)
        assert table.angle_cdf(theta) == pytest.approx(exact.angle_cdf(theta), rel=1e-3)
        assert table.angle_sf(theta) == pytest.approx(exact.angle_sf(theta), rel=2e-2, abs=1e-15)
        expected = estimators.bin_transitions(exact, 24)
        assert estimators.bin_transitions(table, 24) == pytest.approx(expected, abs=2e-5)


@pytest.mark.parametrize(("cells", "bins"), [(96, 24), (96, 96), (96, 7), (100, 24), (5, 24), (24, 1), (9, 18)])
def test_transitions_between_bins(cells, bins):
    """Against a sum over fine parts of the bins, and rows that add up to 1."""
    release = CircleRelease(3.0, cells=cells)
    found = estimators.bin_transitions(release.noise, bins)
    assert found.sum(axis=1) == pytest.approx(np.ones(bins), rel=1e-12) and found.min() >= 0.0
    expected, steps = np.zeros((bins, bins)), np.arange(cells)
    for part in range(cells * bins):  # each lies in one cell and one bin
        middles = 2 * ((part // bins + steps) % cells) + 1  # of 2·cells
        np.add.at(expected[part // cells], middles * bins // (2 * cells), release.noise.probabilities / cells)
    assert found == pytest.approx(expected, abs=1e-13)


def test_estimators_take_the_distribution_of_a_table():
    release = CircleRelease.within(1.0, "3h", cells=96)
    distribution, count = release.noise, 200_000
    day = np.array([1, 0, 0, 0, 0, 0, 1, 5, 9, 6, 3, 3, 4, 4, 3, 3, 4, 7, 12, 16, 13, 9, 5, 2]) / 110.0
    rng = np.random.default_rng(1)
    hours = rng.choice(24, count, p=day) + rng.uniform(0.0, 1.0, count)
    noisy = geometry.hours_to_angles(release.randomise_times(hours))
    seen = estimators.circular_histogram(noisy, 24)
    # 6 standard errors of each bin: a right distribution fails with probability 1e-7
    expected = count * day @ estimators.bin_transitions(distribution, 24)
    assert (np.abs(seen - expected) < 6.0 * np.sqrt(expected)).all()
    naive = count * day @ estimators.bin_transitions(distributions.Purkayastha(2, 2.0), 24)  # of another level
    assert not (np.abs(seen - naive) < 6.0 * np.sqrt(naive)).all()
    estimate = estimators.deconvolve(seen, distribution) / count
    assert np.abs(estimate - day).sum() < 0.5 * np.abs(seen / count - day).sum()
    x = geometry.angles_to_vectors(noisy)
    true = geometry.angles_to_vectors(geometry.hours_to_angles(hours)).mean(axis=0)
    bound = 6.0 / np.sqrt(count) / distribution.mean_cosine()
    assert x.mean(axis=0) / distribution.mean_cosine() == pytest.approx(true, abs=bound)
    assert estimators.expected_mean_error(distribution, count) < 0.01
    assert estimators.normal_mean_error(distribution, 100.0) > 0.0
    assert estimators.asymptotic_bias(distribution, [[0.0, 1.0]]) == pytest.approx(0.0, abs=1e-15)
    promise = guarantees.from_distribution(distribution)
    assert promise.metric_level == np.inf and "border" in promise.reason
    assert promise.pure_level == release.certificate.pure
    assert guarantees.privacy_loss_at(distribution, np.pi / 4) == release.certificate.loss("3h")
    assert (
        guarantees.privacy_loss_within(distribution, [0.0, 0.5]).tolist()
        == release.certificate.loss([0.0, 0.5]).tolist()
    )


def test_one_time_in_many_ways_is_one_cell():
    """So the loss at a distance of 0 is 0, as it is not for places."""
    release = CircleRelease(1.0)
    ways = [
        ["08:15", "00:00"],
        [8.25, 24.0],
        [Fraction(33, 4), Fraction(0)],
        [dt.time(8, 15), dt.time(0)],
        np.array(["2024-02-29T08:15", "1969-12-31T00:00"], dtype="datetime64[ns]"),
        np.array([8 * 60 + 15, 24 * 60], dtype="timedelta64[m]"),
    ]
    for way in ways:
        assert release._circle.index_times(way).tolist() == [495, 0]
    assert release.certificate.loss(0.0) == release.certificate.between(0) == 0.0
    assert release.certificate.loss(5e-324) == release.certificate.between(1) > 0.0


@pytest.mark.parametrize("count", [2, 7, 1440, *swept((99_991,))])
def test_a_cell_is_that_of_a_search_of_the_borders(count):
    """At each border, its neighbouring doubles, and between; borders that are half a cell off are seen."""
    for borders in (_cells._angle_borders(count, 2.0**-52), _cells._borders_of(count, Fraction(24), Fraction(1, 2))):
        near = [np.nextafter(borders, side) for side in (-np.inf, np.inf)]
        middles = (borders[1:] + borders[:-1]) / 2.0
        values = np.concatenate([borders, *near, middles, borders[[0, -1]] + [-1e-3, 1e-3]])
        wanted = np.searchsorted(borders, values, side="right") - 1
        assert (_cells._place(borders, values) == wanted).all()
        assert (_cells._place(borders + 0.5 * (borders[1] - borders[0]), values) != wanted).any()
