"""Central results: the integers' promise, recomputed here; the noise's distribution; intervals; the command."""

import concurrent.futures
import itertools
import json
import math
import os
import pickle
import time
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from statistics_of_draws import ALPHA
from sweeps import swept

from dirpriv import InvalidArgument
from dirpriv.exact import central
from dirpriv.exact.central import SCALE, CentralRelease, LatticeNoise
from dirpriv.guarantees import renyi
from dirpriv.mechanisms import VectorLaplaceSum
from dirpriv.release import CircleRelease, central_mean

LEVELS = [1e-3, 0.05, 0.1, 1.0, 2.0, 50.0]

# ---------------------------------------------------------------- what is promised, in exact arithmetic


def above_root(square):
    """The smallest integer that is at least the square root."""
    root = math.isqrt(square)
    return root + (root * root < square)


def norm_up(x, y):
    return above_root(x * x + y * y)


@pytest.mark.parametrize("cells", [2, 7, 24, 1440])
@pytest.mark.parametrize("epsilon", LEVELS)
def test_no_two_totals_lose_more_than_promised(epsilon, cells):
    """The certificate once more, from the table's rows alone: all pairs, and each of them alone."""
    for adjacency in ("replace", "add-remove"):
        release = CentralRelease(epsilon, cells=cells, adjacency=adjacency)
        rows = np.vstack([release.rows, [[0, 0]]]).astype(object)  # a person without a value adds nothing
        other = np.zeros_like(rows) if adjacency == "add-remove" else rows
        squares = [((rows - row) ** 2).sum(axis=1).max() for row in other[:: max(1, cells // 90)]]
        moved = above_root(int(max(squares)))
        assert moved <= release.certificate.sensitivity <= moved + 20 * (cells % 2 * SCALE // 20 + 1)
        loss = release.certificate.fall * release.certificate.sensitivity
        assert loss <= Fraction(epsilon) and loss >= Fraction(epsilon) * (1 - Fraction(1, 10**6))
        assert Fraction(release.certificate.pure) >= loss
    # without the rounding of rows the sensitivity would be too small: what this test must catch
    longest = int((CentralRelease(1.0, cells=1440).rows ** 2).sum(axis=1).max())
    assert above_root(4 * longest) > 2 * SCALE


@pytest.mark.parametrize("rows", [1, 3, 1000])
def test_counts_of_a_person_lose_no_more_than_promised(rows):
    for adjacency, moves in (("replace", 2 * rows), ("add-remove", rows)):
        found = CentralRelease(0.7, max_rows_per_person=rows, adjacency=adjacency).certificate
        assert found.sensitivity == moves and found.fall * moves <= Fraction(0.7)


@pytest.mark.parametrize("rows", [2, 5, 1000])
@pytest.mark.parametrize("cells", [2, 7, 1440])
def test_rows_of_a_person_in_a_sum_of_directions_lose_no_more_than_promised(cells, rows):
    """K rows that all point one way, and K the other way: the farthest that a person moves the total."""
    for adjacency in ("replace", "add-remove"):
        release = CentralRelease(9.0, cells=cells, max_rows_per_person=rows, adjacency=adjacency)
        table = release.rows.astype(object)
        others = table if adjacency == "replace" else 0 * table
        moved = rows * (table - others[np.argmin(table @ table[0])])
        lost = max(release.certificate.fall * above_root(int(square)) for square in (moved**2).sum(axis=1))
        assert lost <= Fraction(9.0) and lost <= Fraction(release.certificate.pure)
        one = CentralRelease(9.0, cells=cells, adjacency=adjacency).certificate
        assert rows * (one.sensitivity - 1) < release.certificate.sensitivity <= rows * one.sensitivity


@pytest.mark.parametrize(("rounded", "holds"), [(above_root, True), (math.isqrt, False)])
def test_norms_that_are_rounded_up_keep_the_triangle_inequality(rounded, holds):
    """All points of a square, and moves; a move that is rounded down is too short for some."""
    reach, moves = range(-20, 21), [(12, 0), (7, 5), (3, 4), (1, 1)]
    worst = max(
        norm_up(x + a, y + b) - norm_up(x, y) - rounded(a * a + b * b)
        for x, y in itertools.product(reach, repeat=2)
        for a, b in moves
    )
    assert (worst <= 0) == holds


def test_the_mean_of_a_persons_rows_moves_the_total_no_farther_than_a_row():
    release, rng = CentralRelease(1.0, cells=96), np.random.default_rng(5)
    longest = above_root(int((release.rows**2).sum(axis=1).max()))
    for size in (1, 2, 3, 7):
        totals = release.rows[rng.integers(96, size=(2000, size))].sum(axis=1)
        means = np.sign(totals) * (np.abs(totals) // size)
        assert max(norm_up(*map(int, mean)) for mean in means) <= longest
        assert 2 * longest <= release.certificate.sensitivity + 1


def test_wrong_arguments_and_totals_are_refused():
    for wrong in (
        {"epsilon": 0.0}, {"epsilon": math.nan}, {"epsilon": 1e-12}, {"epsilon": 1e9}, {"epsilon": True},
        {"epsilon": 1.0, "adjacency": "both"}, {"epsilon": 1.0, "cells": 1},
        {"epsilon": 1.0, "max_rows_per_person": 0},
    ):  # fmt: skip
        with pytest.raises(ValueError):
            CentralRelease(**wrong)
    release = CentralRelease(1.0, cells=24)
    for total in ([1.0, 2.0], [1, 2, 3], [[1, 2]], ["1", "2"]):
        with pytest.raises(ValueError, match="two integers"):
            release.randomise(total)
    with pytest.raises(ValueError, match="sphere"):
        release.randomise([1, 2, 3])
    for wrong in ((0.0, 1), (0.0, 2), (1.0, 2), (2.0, 2), (0.05, 0)):
        with pytest.raises(ValueError, match=r"'error' must be|'counts' must be"):
            release.most_noise(*wrong)


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_totals_that_leave_no_room_for_noise_are_refused(kind):
    """Up to 2^62 the noise is added; beyond, a sum of 64 bits would end on the other side."""
    release, of_times = CentralRelease(1.0), CentralRelease(1.0, cells=24)
    most = int(np.iinfo(kind).max)
    for total in (2**62 + 1, most - 5, most):
        with pytest.raises(InvalidArgument, match="row 1 of 'total' is beyond 2\\^62") as refused:
            release.randomise(np.array([3, total], dtype=kind))
        assert str(total) not in str(refused.value)
        with pytest.raises(InvalidArgument, match="row 0 of 'total' is beyond 2\\^62"):
            of_times.randomise(np.array([total, 3], dtype=kind))
    with pytest.raises(InvalidArgument, match="beyond 2\\^62"):
        release.randomise(-(2**62) - 1)
    for total in (2**62, 2**62 - 5) if kind == np.uint64 else (2**62, -(2**62)):
        assert abs(int(release.randomise(np.array(total, dtype=kind))) - total) < 200


# ------------------------------------------------------------------------------------ the distribution of the noise


def classes(fall, dim):
    """Squares of the lengths of points up to 14/fall, and the probability of each."""
    reach = int(14 / fall) + 3
    axes = np.meshgrid(*[np.arange(-reach, reach + 1)] * dim, indexing="ij")
    squares = sum(axis * axis for axis in axes).ravel()
    norms = np.array([above_root(square) for square in range(squares.max() + 1)])
    masses = np.bincount(squares, weights=np.exp(-fall * norms[squares]))
    return masses / masses.sum()


def p_value(points, masses):
    squares = (points * points).sum(axis=1).astype(np.int64)
    expected = len(points) * masses
    often = expected > 20.0
    counts = np.bincount(squares, minlength=len(masses))[: len(masses)]
    rest = len(points) - counts[often].sum(), len(points) - expected[often].sum()
    chi = ((counts - expected)[often] ** 2 / expected[often]).sum() + (rest[0] - rest[1]) ** 2 / rest[1]
    return stats.chi2.sf(chi, often.sum())


@pytest.mark.parametrize(("fall", "dim"), [(2.0, 1), (0.1, 1), (0.5, 2), (0.1, 2), *swept((1.0, 3))])
def test_the_noise_has_its_distribution(fall, dim):
    points = LatticeNoise(Fraction(fall), dim).draws(60_000)
    assert points.dtype == np.int64 and p_value(points, classes(fall, dim)) > ALPHA
    assert p_value(points, classes(1.05 * fall, dim)) < ALPHA  # a level 5 % higher is seen
    signs = np.sign(points)
    assert (np.abs(signs.sum(axis=0)) < 5.0 * math.sqrt(len(points))).all()
    assert dim == 1 or abs((signs[:, 0] * signs[:, 1]).sum()) < 5.0 * math.sqrt(len(points))


def test_large_noise_is_of_pythons_integers_and_has_the_same_distribution(monkeypatch):
    monkeypatch.setattr(central, "_LARGEST", 0)
    points = LatticeNoise(Fraction(1, 2), 2).draws(3000)
    assert points.dtype == object and p_value(points, classes(0.5, 2)) > ALPHA
    assert p_value(points, classes(0.6, 2)) < ALPHA
    release = CentralRelease(5e-5, cells=24)  # without the patch this needs them too
    assert release.randomise(10**9 * release.rows[3]).shape == (2,)


@pytest.mark.parametrize("dim", [1, 2])
@pytest.mark.parametrize("fall", [0.1, 0.5, 3.0])
def test_the_noise_reaches_as_far_as_is_said(fall, dim):
    masses, noise = classes(fall, dim), LatticeNoise(Fraction(fall), dim)
    for error in (0.3, 0.05, 1e-3):
        reach = noise.radius(error)
        beyond = [masses[(reach - less) ** 2 + 1 :].sum() if reach >= less else 1.0 for less in (0, 1)]
        assert beyond[0] <= error * (1.0 + 1e-6)
        assert dim == 2 or beyond[1] > error  # and in one dimension no less would do
    if dim == 1:
        release = CentralRelease(2.0 * fall)
        sums = release._noise.draws(20_000).reshape(-1, 10).sum(axis=1)
        assert (np.abs(sums) > release.most_noise(0.05, 10)).mean() < 0.05
        assert (np.abs(sums) > release.most_noise(0.05)).mean() > 0.05  # that of one is not enough


def limits(noise, distance, draws):
    """Lower limits of log ratios of sets of outputs, of two totals; all hold with probability 1 - 1e-6."""
    shares = np.array([0.5, 0.8, 0.9, 0.95, 0.97, 0.99])
    counts = np.zeros((2, len(shares)))
    for part in range(0, draws, 500_000):
        size = min(500_000, draws - part)
        for which in (0, 1):
            points = noise.draws(size) + np.array([which * distance, 0])
            norms = [np.ceil(np.hypot(points[:, 0] - x, points[:, 1])) for x in (distance, 0)]
            counts[which] += ((norms[0] - norms[1])[:, None] >= shares * distance).sum(axis=0)
    risk = 1e-6 / (2 * len(shares))
    low = stats.beta.ppf(risk, counts[0], draws - counts[0] + 1)
    high = stats.beta.isf(risk, counts[1] + 1, draws - counts[1])
    return np.log(low / high)


@pytest.mark.parametrize(("draws", "higher"), [(60_000, 1.4), pytest.param(10_000_000, 1.05, marks=pytest.mark.sweep)])
def test_an_audit_finds_no_larger_loss(draws, higher):
    """60 000 draws for each of two totals see a level 40 % too high, 10 million (minutes) one of 5 %."""
    release = CentralRelease(1.0, cells=1440)
    distance = release.certificate.sensitivity
    found = limits(release._noise, distance, draws).max()
    assert 2.0 - higher - 0.2 < found <= release.certificate.pure
    wrong = LatticeNoise(Fraction(higher) / distance, 2)
    assert limits(wrong, distance, draws).max() > release.certificate.pure


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0])
def test_the_error_at_the_planned_people_is_the_planned_one(epsilon):
    """The mean of 15 000 errors is within 5 standard errors of that of the distribution; twice the noise is not."""
    plan, release = VectorLaplaceSum(epsilon), CentralRelease(epsilon, cells=1440)
    people = plan.sample_size(0.1)
    for noise, right in ((release._noise, True), (CentralRelease(epsilon / 2.0, cells=1440)._noise, False)):
        x, y = (noise.draws(15_000) + people * release.rows[495]).T
        errors = np.abs((np.arctan2(y, x) - np.pi * 495.5 / 720 + np.pi) % (2.0 * np.pi) - np.pi)
        off = errors.mean() - plan.expected_error(people)
        assert (abs(off) < 5.0 * errors.std() / math.sqrt(len(errors))) == right


def draw_some(release, count=4):
    return [tuple(release.randomise([0, 0]).tolist()) for _ in range(count)]


def test_processes_threads_and_copies_share_no_draw():
    """Two of 40 draws are equal with a probability below 1e-6: one point has 1.7e-10 at most."""
    release = CentralRelease(1.0, cells=1440)
    copy = pickle.loads(pickle.dumps(release))
    assert copy.certificate.pure == release.certificate.pure and (copy.rows == release.rows).all()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(itertools.chain.from_iterable(pool.map(draw_some, [release, copy] * 2)))
    for _ in range(4):
        out, into = os.pipe()
        if not (child := os.fork()):
            os.write(into, json.dumps(draw_some(release)).encode())
            os._exit(0)
        os.waitpid(child, 0)
        found += map(tuple, json.loads(os.read(out, 10_000)))
        os.close(out), os.close(into)
    assert len(found) == 32 == len(set(found))
    assert len(set(found + found[:1])) < 33  # a shared draw would be seen


# ------------------------------------------------------------------------------------------------- intervals


def test_intervals_of_the_mean_hold_and_are_hardly_wider_than_they_must_be():
    """300 means: 15 of both intervals may miss, 36 do so with a probability below 1e-6."""
    rng, missed, narrow = np.random.default_rng(7), 0, 0
    for _ in range(300):
        hours = rng.normal(8.0, 2.0, 60) % 24.0
        true = np.exp(1j * np.pi * hours / 12.0).mean()
        found = central_mean(hours, epsilon=0.5, unit="h")
        off = (np.angle(true) - found.low) % (2.0 * np.pi)
        width = (found.high - found.low) % (2.0 * np.pi)
        held = found.whole_circle or off <= width
        held &= found.resultant_low <= abs(true) <= found.resultant_high
        missed += not held
        middle = abs(off - width / 2.0)
        narrow += middle > width / 8.0
    assert missed < 36 and narrow > 36  # a quarter of the width would miss more


def test_whoever_may_be_added_leaves_the_number_of_people_unknown():
    for options in ({"adjacency": "add-remove"}, {"missing": "keep"}):
        found = central_mean(["08:15"] * 500, epsilon=1.0, **options)
        assert found.count == 0 and math.isnan(found.resultant) and not found.whole_circle
    found = central_mean(["08:15", "20:15"], epsilon=0.1)
    assert (found.whole_circle, found.low, found.high) == (True, 0.0, 2.0 * np.pi)
    with pytest.raises(ValueError, match="row 0"):
        central_mean([np.nan, 8.0, np.nan], epsilon=1.0, unit="h")
    with pytest.raises(ValueError, match="no value"):
        central_mean([None, None], epsilon=1.0, missing="keep")
    with pytest.raises(ValueError, match="one column"):  # unit vectors of a sphere
        central_mean(np.eye(3), epsilon=1.0, unit="h")


@pytest.mark.parametrize("adjacency", ["replace", "add-remove"])
def test_intervals_of_shares_hold(adjacency):
    """800 intervals: a share of .05 may miss, .095 do so with a probability below 1e-6."""
    from dirpriv.release.files import central

    true, missed, narrow = np.array([0, 1, 7, 40]), 0, 0
    release = CentralRelease(1.0, adjacency=adjacency)
    for _ in range(200):
        found = central._counts(release, true, 48 if adjacency == "replace" else 0)
        shares = true / true.sum()
        missed += ((shares < found.low) | (shares > found.high)).sum()
        narrow += (np.abs(found.counts - true) > release.most_noise(0.05) / 3).sum()
        assert (found.low >= 0.0).all() and (found.high <= 1.0).all()
    assert missed < 76 < narrow


def test_a_pure_level_bounds_the_divergences_of_pure_mechanisms():
    orders = [1.05, 1.5, 2.0, 7.0, 300.0, np.inf]
    for level in (1e-3, 0.5, 3.0, 40.0):
        found = renyi.divergences(level, "3h", orders)
        assert (np.diff(found) >= 0.0).all() and found[-1] == level
        odds = math.exp(-level)  # of the answer that is not the bit
        two = math.log((1.0 + odds**3) / (odds * (1.0 + odds)))
        assert found[2] == pytest.approx(two, rel=1e-6) and found[2] >= two * (1.0 - 1e-12)
    distribution = CircleRelease.pure(1.0, cells=24, purpose="histogram").noise
    assert (renyi.divergences(1.0, "3h", orders) >= renyi.divergences(distribution, np.pi, orders) - 1e-12).all()


def test_a_hundred_thousand_people_take_less_than_50_ms():
    hours, spent = np.random.default_rng(1).uniform(0.0, 24.0, 100_000), []
    for _ in range(9):
        start = time.process_time()
        central_mean(hours, epsilon=1.0, unit="h")
        spent.append(time.process_time() - start)
    assert min(spent) < 0.05
