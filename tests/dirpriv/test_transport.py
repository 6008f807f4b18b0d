"""Earth mover's distances against linear programming, POT, and what can be counted by hand."""

import sys

import numpy as np
import ot
import pytest
from scipy.optimize import linprog

from dirpriv.estimators import transport
from dirpriv.geometry import earth

PARIS, NEW_YORK, SYDNEY = [48.8566, 2.3522], [40.7128, -74.0060], [-33.8688, 151.2093]


def by_linear_programming(p, q, distances):
    """Least cost of moving p to q over all transport plans."""
    sources, targets = distances.shape
    leaving = np.kron(np.eye(sources), np.ones(targets))
    arriving = np.kron(np.ones(sources), np.eye(targets))
    answer = linprog(
        distances.ravel(),
        A_eq=np.vstack([leaving, arriving])[:-1],  # the last follows from the others
        b_eq=np.concatenate([p, q])[:-1],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    assert answer.success
    return answer.fun


def circular_distances(bins, period):
    apart = np.abs(np.arange(bins) - np.arange(bins)[:, None])
    return np.minimum(apart, bins - apart) * (period / bins)


def pairs(bins, count, rng):
    """Pairs of histograms with full, half empty, and single bins, and of small counts with many ties."""
    full = rng.random((2, count, bins))
    some = full * (rng.random(full.shape) < 0.3)
    some[..., rng.integers(bins)] += 0.1
    single = np.eye(bins)[rng.integers(bins, size=(2, count))]
    counts = rng.multinomial(6, np.full(bins, 1.0 / bins), size=(2, count)).astype(float)
    kind = rng.integers(4, size=(1, count, 1))
    return np.select([kind == 0, kind == 1, kind == 2], [full, some, single], counts)


# ---------------------------------------------------------------------- the circle


def test_circular_emd_is_the_linear_program():
    """200 random pairs of 2 to 31 bins, to 1e-9; the distance on the line is not it."""
    rng = np.random.default_rng(1)
    on_the_line = 0
    for bins in (2, 3, 4, 7, 12, 23, 24, 31):
        first, second = pairs(bins, 25, rng)
        cost = transport.circular_emd(first, second)
        for p, q, found in zip(first, second, cost, strict=True):
            p, q = p / p.sum(), q / q.sum()
            assert abs(by_linear_programming(p, q, circular_distances(bins, 24.0)) - found) < 1e-9
            on_the_line += np.abs(np.cumsum(p - q)).sum() * 24.0 / bins > found + 1e-9
    assert on_the_line > 100


@pytest.mark.parametrize("bins", [2, 5, 24, 48])
def test_circular_emd_is_that_of_pot(bins):
    """Both of POT's ways: its binary search on the circle, and the network simplex."""
    first, second = pairs(bins, 50, np.random.default_rng(2))
    first, second = (x / x.sum(axis=1, keepdims=True) for x in (first, second))
    cost = transport.circular_emd(first, second, period=1.0)
    middles = (np.tile(np.arange(bins) + 0.5, (50, 1)) / bins).T
    search = ot.wasserstein_circle(middles, middles.copy(), first.T.copy(), second.T.copy(), p=1)
    assert np.abs(cost - search).max() < 1e-12
    distances = circular_distances(bins, 1.0)
    simplex = [ot.emd2(p, q, distances) for p, q in zip(first, second, strict=True)]
    assert np.abs(cost - simplex).max() < 1e-12


def test_circular_emd_does_not_change_under_rotation():
    first, second = pairs(24, 100, np.random.default_rng(3))
    cost = transport.circular_emd(first, second)
    for shift in range(1, 24):
        turned = transport.circular_emd(np.roll(first, shift, axis=1), np.roll(second, shift, axis=1))
        assert np.abs(turned - cost).max() < 1e-12
    assert np.abs(transport.circular_emd(np.roll(first, 1, axis=1), second) - cost).max() > 0.1


def test_circular_emd_counts_hours():
    day = np.eye(24)
    assert transport.circular_emd(day[23], day[0]) == 1.0
    assert transport.circular_emd(day[0], day[12]) == 12.0
    assert transport.circular_emd(day, day[0]).tolist() == [min(h, 24 - h) for h in range(24)]
    assert transport.circular_emd(np.eye(96)[95], np.eye(96)[0]) == 0.25
    assert transport.circular_emd([0, 1, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0, 0], period=7.0) == 1.0
    assert transport.circular_emd([5.0], [1.0]) == 0.0
    # from a uniform day to one hour: the mean of 0, 1, 1, 2, 2, ..., 11, 11, 12
    assert abs(transport.circular_emd(np.ones(24), day[5]) - 6.0) < 1e-12


def test_circular_emd_is_a_distance_between_shares():
    first, second = pairs(24, 200, np.random.default_rng(4))
    third = np.roll(first, 7, axis=0)
    cost = transport.circular_emd(first, second)
    assert np.abs(transport.circular_emd(second, first) - cost).max() < 1e-12
    assert np.abs(transport.circular_emd(3.0 * first, second / 7.0) - cost).max() < 1e-12
    assert np.all(cost <= transport.circular_emd(first, third) + transport.circular_emd(third, second) + 1e-12)
    assert np.all((cost >= 0.0) & (cost <= 12.0 + 1e-12))
    assert transport.circular_emd(first, first).max() == 0.0


def test_shapes_on_the_circle():
    rng = np.random.default_rng(5)
    many, one = rng.random((20_000, 24)), rng.random(24)  # several blocks
    cost = transport.circular_emd(many, one)
    assert cost.shape == (20_000,) and isinstance(transport.circular_emd(one, one), float)
    assert np.array_equal(cost, transport.circular_emd(many, np.tile(one, (20_000, 1))))
    assert cost[12_345] == transport.circular_emd(many[12_345], one)
    assert transport.circular_emd(np.ones((0, 24)), one).shape == (0,)


# ---------------------------------------------------------------------- the sphere


def test_great_circle_emd_of_single_places_is_their_distance():
    cost = transport.great_circle_emd([PARIS], [2.0], [SYDNEY], [0.1])
    assert abs(cost - earth.great_circle_distance(PARIS, SYDNEY) / 1000.0) < 1e-9
    assert abs(cost - 16_960) < 10
    assert abs(transport.great_circle_emd([[0, 179.5]], [1], [[0, -179.5]], [1]) - 111.195) < 1e-3
    half = transport.great_circle_emd([PARIS, NEW_YORK], [1, 1], [PARIS, NEW_YORK], [1, 0])
    assert abs(half - earth.great_circle_distance(PARIS, NEW_YORK) / 2000.0) < 1e-9


@pytest.mark.parametrize("shared", [True, False])
def test_great_circle_emd_is_the_linear_program(shared):
    rng = np.random.default_rng(6)
    for _ in range(10):
        places = np.stack([rng.uniform(-90, 90, 30), rng.uniform(-180, 180, 30)], axis=-1)
        others = places if shared else 0.9 * places[:17]
        p = rng.random(30) * (rng.random(30) < 0.7)
        q = rng.random(len(others)) ** 3
        distances = earth.great_circle_distance(places[:, None], others) / 1000.0
        wanted = by_linear_programming(p / p.sum(), q / q.sum(), distances / 1000.0) * 1000.0
        assert abs(transport.great_circle_emd(places, p, others, q) - wanted) < 1e-6  # of thousands of km


def test_leaving_the_common_mass_changes_nothing():
    """The same places in another order are not seen to be the same, and give the same distance."""
    rng = np.random.default_rng(7)
    places = earth.EqualAreaCells(200).centres()
    p, q = rng.dirichlet(np.full(200, 0.3)), rng.dirichlet(np.full(200, 0.3))
    through_all = transport.great_circle_emd(places, p, places[::-1], q[::-1])
    assert abs(transport.great_circle_emd(places, p, places, q) - through_all) < 1e-9


def test_one_reference_against_many():
    rng = np.random.default_rng(8)
    places = earth.EqualAreaCells(100).centres()
    p = rng.multinomial(1000, np.full(100, 0.01))
    many = rng.multinomial(1000, np.full(100, 0.01), size=5)
    many[3] = 7 * p
    cost = transport.great_circle_emd(places, p, places, many)
    assert cost.shape == (5,) and cost[3] == 0.0
    assert cost.tolist() == [transport.great_circle_emd(places, p, places, q) for q in many]
    elsewhere = transport.great_circle_emd(places, p, places[:50], many[:, :50])
    one = transport.great_circle_emd(places, p, places[:50], many[1, :50])
    assert elsewhere.shape == (5,) and abs(elsewhere[1] - one) < 1e-9
    assert transport.great_circle_emd(places, p, places, many[:0]).shape == (0,)


def test_too_many_places_are_refused_before_memory_is_taken():
    places = np.zeros((200_000, 2))
    with pytest.raises(ValueError, match=r"200000 by 200000 places .* need 1600.0 GB, and 'memory' is 1.0 GB"):
        transport.great_circle_emd(places, np.ones(200_000), places, np.ones(200_000))
    few = np.zeros(200_000)
    few[[3, 77]] = 1.0
    assert transport.great_circle_emd(places, few, places, np.roll(few, 1)) == 0.0  # two places have a mass
    with pytest.raises(ValueError, match="fewer cells"):
        transport.great_circle_emd([PARIS, SYDNEY], [1, 1], [PARIS, SYDNEY], [1, 1], memory=100)


@pytest.mark.filterwarnings("ignore:numItermax")
def test_an_unfinished_optimum_is_an_error(monkeypatch):
    """POT only warns when its solver gives up."""
    places = earth.EqualAreaCells(300).centres()
    rng = np.random.default_rng(9)
    p, q = rng.random((2, 300))
    solve = ot.emd2
    monkeypatch.setattr(ot, "emd2", lambda *a, numItermax, **k: solve(*a, numItermax=3, **k))
    with pytest.raises(RuntimeError, match=r"POT found no optimal transport .*numItermax"):
        transport.great_circle_emd(places, p, places, q)


def test_without_pot_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ot", None)
    assert transport.circular_emd([1, 0], [0, 1]) == 12.0
    with pytest.raises(ModuleNotFoundError, match="install the package 'POT'"):
        transport.great_circle_emd([PARIS], [1], [SYDNEY], [1])


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: transport.circular_emd([1.0, -0.5], [1, 1]), r"row 1 of 'p' is no nonnegative finite mass"),
        (lambda: transport.circular_emd([1, 1], [1.0, np.nan]), r"row 1 of 'q' is no nonnegative finite mass"),
        (lambda: transport.circular_emd([[1, 1], [1, np.inf]], [1, 1]), r"row \(1, 1\) of 'p' is no nonnegative"),
        (lambda: transport.circular_emd([[1, 1], [0, 0]], [1, 1]), "row 1 of .* without a finite total mass above 0"),
        (lambda: transport.circular_emd([0, 0], [1, 1]), "without a finite total mass above 0: leave the"),
        (lambda: transport.circular_emd([], []), "'p' must hold histograms along its last axis"),
        (lambda: transport.circular_emd(3.0, 4.0), "'p' must hold histograms along its last axis"),
        (lambda: transport.circular_emd([1, 1], [1, 1, 1]), "same number of bins"),
        (lambda: transport.circular_emd(np.ones((2, 4)), np.ones((3, 4))), "same number of rows"),
        (lambda: transport.circular_emd([1], [1], period=0), "'period' must be positive"),
        (
            lambda: transport.great_circle_emd([PARIS], [0.0], [PARIS], [1]),
            "'weights_p' is a histogram without a finite total mass",
        ),
        (
            lambda: transport.great_circle_emd([PARIS], [1], [PARIS], [[1], [-1]]),
            r"row \(1, 0\) of 'weights_q' is no nonnegative",
        ),
        (lambda: transport.great_circle_emd([PARIS], [1, 2], [PARIS], [1]), r"'weights_p' k values"),
        (lambda: transport.great_circle_emd([PARIS], [[1]], [PARIS], [1]), "one histogram, the reference"),
        (lambda: transport.great_circle_emd([PARIS], [1], [[91, 0]], [1]), "'places_q' must hold latitudes"),
        (lambda: transport.great_circle_emd(PARIS, [1, 1], [PARIS], [1]), "'places_p' must have the shape"),
    ],
)
def test_bad_arguments_are_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()
