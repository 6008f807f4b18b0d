"""Composed levels of releases: never below what all outputs of a few responses lose, and hardly above."""

import functools
import itertools

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom
from sweeps import swept, thinned
from test_privacy_loss import lower_level

from dirpriv import guarantees
from dirpriv.guarantees import privacy_loss_distribution
from dirpriv.mechanisms import PurkayasthaMechanism, VonMisesFisherMechanism
from dirpriv.release import CircleRelease, PlaneRelease, PlaneTableDistribution, SphereRelease

CITY = {"region_centre": (40.75, -73.98), "region_reach": 1000, "cell_size": 50}
TWO_CELLS = np.pi / 4  # of eight


def least_level(p, q, delta):
    """The least level of a pair of distributions, from the worst events: the outputs of the largest losses."""
    order = np.argsort(q / p)
    factors = (np.cumsum(p[order]) - delta) / np.cumsum(q[order])
    return float(np.log(max(factors.max(), 1.0)))


def product(rows):
    """Probabilities of all outputs of several responses."""
    found = np.ones(1)
    for row in rows:
        found = np.multiply.outer(found, row).ravel()
    return found


RELEASES = [
    CircleRelease.within(1.0, TWO_CELLS, cells=8),
    CircleRelease.within(6.0, TWO_CELLS, cells=8),
    CircleRelease.within(0.5, 2.0 * np.pi / 7, cells=7),
    CircleRelease.pure(2.0, cells=8),
    CircleRelease.from_mechanism(VonMisesFisherMechanism.pure(3.0), cells=8),
]


@pytest.mark.parametrize(("release", "delta"), thinned(RELEASES, [0.2, 1e-2, 1e-5]), ids=str)
def test_every_way_in_which_the_rows_of_a_person_may_move(release, delta):
    """All inputs of three responses, and all that they become: none may lose more than the level."""
    distribution, cells = release.noise, release.cells
    moves = range(-2, 3)
    worst, levels = {}, {}
    for count in (1, 2, 3):
        levels[count] = guarantees.composed_level(distribution, count, distance=4.0 * np.pi / cells, delta=delta)
        least = [
            least_level(
                product([distribution.probabilities] * count),
                product([np.roll(distribution.probabilities, move) for move in shifts]),
                delta,
            )
            for shifts in itertools.product(moves, repeat=count)
            if list(shifts) == sorted(shifts, key=abs)  # the order of the rows is of no account
        ]
        worst[count] = max(least)
        assert worst[count] * (1.0 - 1e-12) <= levels[count] <= worst[count] * 1.001 + 1e-4 * delta
    # a wrong variant: three responses that count as two
    assert levels[2] < worst[3]


@pytest.mark.parametrize(("level", "expected"), [(0.1, 4.316), (0.316, 16.55), (1.0, 70.69)])
def test_a_hundred_times_of_day(level, expected):
    distribution = CircleRelease.within(level, "3h").noise
    found = guarantees.composed_level(distribution, 100, distance="3h", delta=1e-6)
    if level == 1.0:
        assert found == guarantees.composed_level(distribution, 100, distance=np.pi / 4, delta=1e-6)
    assert found == pytest.approx(expected, rel=5e-4)
    low = lower_level(distribution.probabilities, np.roll(distribution.probabilities, 180), 100, 1e-6, level / 4000)
    assert low <= found <= low * 1.001
    nearer = guarantees.composed_level(distribution, 100, distance="2h 59min", delta=1e-6)
    assert nearer < found  # the wrong variant: one cell less


def profile(kernel, shift, factors):
    """How much more probable the best event is than a factor times its probability after a shift."""
    moved = np.roll(kernel, shift)
    return np.maximum(kernel - factors[:, None] * moved, 0.0).sum(axis=1)


@pytest.mark.parametrize("cells", [2, 3, 8, 9, 40, 41])
def test_the_largest_shift_is_the_worst(cells):
    """For every table that does not rise with the distance; the proof is in ``privacy_loss_distribution``."""
    rng, factors = np.random.default_rng(cells), np.exp(np.linspace(-3.0, 3.0, 61))
    for power in (0.3, 1.0, 4.0, 20.0):
        for _ in range(20):
            falls = rng.random(cells // 2 + 1) ** power
            by_distance = np.cumsum(falls[::-1])[::-1]
            kernel = by_distance[[min(j, cells - j) for j in range(cells)]]
            kernel /= kernel.sum()
            profiles = [profile(kernel, shift, factors) for shift in range(cells // 2 + 1)]
            assert (np.diff(profiles, axis=0) >= -1e-14).all()
    if cells >= 8:  # what the test must find: a ring is not so
        ring = np.full(cells, 0.01)
        ring[[1, -1]] = 1.0
        rings = [profile(ring, shift, factors) for shift in range(cells // 2 + 1)]
        assert (np.diff(rings, axis=0) < -0.1).any()


@pytest.mark.parametrize(("fall", "cells"), [(0.05, 4), (0.24, 5), *swept((0.1, 8), (0.1, 3), (0.24, 2))])
def test_losses_of_the_lattice_are_bounded_at_every_shift(fall, cells):
    """P - γ Q of the best event, from all weights, for every shift up to the distance and every γ."""
    distance = cells * 50.0
    release = PlaneRelease(fall / 50.0, **CITY)
    masses, losses = release.noise.privacy_loss_distribution(distance)
    factors = np.exp(np.linspace(-losses.max(), losses.max(), 9))
    bound = np.maximum(1.0 - factors[:, None] * np.exp(-losses), 0.0) @ masses
    masses, losses = release.noise.privacy_loss_distribution(distance - 71.0)  # without the rounding of the inputs
    wrong = np.maximum(1.0 - factors[:, None] * np.exp(-losses), 0.0) @ masses
    far = min(int(30.0 / fall), 480)
    weights = np.array(release.weights(far + cells + 2), dtype=float)
    weights /= weights.sum()
    edge, size = cells + 2, len(weights)
    inside = weights[edge:-edge, edge:-edge]
    found = np.zeros(len(factors))
    reach = (release.certificate.loss(distance) / fall) * (1.0 - 1e-8)  # in cells
    for a in range(cells + 3):
        for b in range(a + 1):
            if np.hypot(a, b) <= reach:
                moved = weights[edge - a : size - edge - a, edge - b : size - edge - b]
                lost = np.zeros(len(factors))
                for rows in range(0, len(inside), 32):  # few enough for the memory next to the processor
                    here, there = inside[rows : rows + 32], moved[rows : rows + 32]
                    lost += [np.maximum(here - factor * there, 0.0).sum() for factor in factors]
                found = np.maximum(found, lost)
    assert (found <= bound + 1e-12).all()
    assert bound[4] < 1.5 * found[4] + 0.02  # at γ = 1, not far from it
    assert (found > wrong + 1e-3).any()


losses_of_places = functools.cache(PlaneTableDistribution.privacy_loss_distribution)


@functools.cache
def district():
    """A release, and the weights of the lattice under it. The losses at each distance are computed once."""
    release = PlaneRelease.within(1.0, 200, region_centre=(40.75, -73.98), region_reach=1000, cell_size=20)
    weights = np.array(release.weights(450), dtype=float)
    return release, weights / weights.sum()


@pytest.mark.parametrize(
    ("count", "delta"),
    [*((1, 0.2), (1, 1e-5), (3, 1e-2), (50, 0.2), (50, 1e-5)), *swept((1, 1e-2), (3, 0.2), (3, 1e-5), (50, 1e-2))],
)
def test_places(count, delta, monkeypatch):
    """Never below the lattice's own level at a shift, hardly above it, never above randomised response."""
    release, weights = district()
    monkeypatch.setattr(type(release.noise), "privacy_loss_distribution", losses_of_places)
    loss = release.certificate.loss(200)
    found = guarantees.composed_level(release.noise, count, distance="200m", delta=delta)
    p, q = weights[:, 11:].ravel(), weights[:, :-11].ravel()  # 220 of the 230 m
    low = lower_level(p, q, count, delta, loss / 2000)
    assert low <= found <= 1.2 * low + 0.05
    assert found <= random_response(loss, count, delta) * 1.001 + 1e-4 * delta


def random_response(loss, count, delta):
    """The level at which a binomial number of worst outputs keeps δ."""
    chances = binom.pmf(np.arange(count + 1), count, 1.0 / (1.0 + np.exp(-loss)))
    losses = loss * (2.0 * np.arange(count + 1) - count)
    least = brentq(
        lambda level: chances @ np.maximum(-np.expm1(np.minimum(level - losses, 0.0)), 0.0) - delta,
        -count * loss - 1.0,
        count * loss + 1.0,
    )
    return max(least, 0.0)


def test_the_globe_as_well():
    release = SphereRelease.within(4.0, "1000km", cells=100)
    assert guarantees.composed_level(release.noise, 3, distance="1000km") == 3 * release.certificate.loss(1e6)
    loss = release.certificate.loss("1000km")
    some = guarantees.composed_level(release.noise, 3, distance="1000km", delta=1e-3)
    assert 3.0 < some < 3 * loss
    assert some == pytest.approx(random_response(loss, 3, 1e-3), rel=1e-6)
    assert guarantees.composed_level(PlaneRelease(0.1, **CITY).noise, 3, distance="200m", delta=1e-3) > 50.0
    assert guarantees.pure_level(release.noise) == release.certificate.pure
    assert guarantees.from_distribution(release.noise).metric_level == np.inf
    assert "on both sides of a border" in guarantees.from_distribution(release.noise).reason


@pytest.mark.parametrize("longest", [2**19, *swept((2**23,))])
def test_few_and_many_responses(longest, monkeypatch):
    """The second is the longest FFT that is used; the first has the same levels to the eighth digit."""
    monkeypatch.setattr(privacy_loss_distribution, "_LONGEST", longest)
    distribution = CircleRelease.within(0.5, "1h", cells=24).noise
    assert guarantees.composed_level(distribution, 7, distance="1h") == 7 * distribution.privacy_loss("1h")
    assert guarantees.composed_level(distribution, 7, distance=0.0, delta=0.1) == 0.0
    levels = [guarantees.composed_level(distribution, n, distance="1h", delta=1e-9) for n in (1, 10, 100, 100_000)]
    assert levels == sorted(levels) and levels[-1] < 100_000 * distribution.privacy_loss("1h")
    assert levels[-1] == pytest.approx(13162.9135, rel=1e-8)
    assert guarantees.composed_level(distribution, 1, distance="1h", delta=0.9) == 0.0
    with pytest.raises(ValueError, match="at most half a turn"):
        guarantees.composed_level(distribution, 7, distance="13h", delta=0.1)
    with pytest.raises(ValueError, match="'distance' must be"):
        guarantees.composed_level(PlaneRelease(0.01, **CITY).noise, 7, distance="3h", delta=0.1)


def test_the_table_of_a_mechanism_composes_as_its_distribution():
    mechanism = PurkayasthaMechanism(2.0)
    distribution = CircleRelease.from_mechanism(mechanism).noise
    found = guarantees.composed_level(distribution, 30, distance="2h", delta=1e-5)
    assert found == pytest.approx(
        guarantees.composed_level(mechanism.noise, 30, distance=np.pi / 6, delta=1e-5), rel=1e-3
    )
