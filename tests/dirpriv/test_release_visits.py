"""Releases of visits: the promise of the integers for both distances, recomputed here; draws; the distribution."""

import itertools
import math
import pickle
import time
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from places_of_releases import below_exp, largest_quotient, p_value
from scipy import stats
from statistics_of_draws import ALPHA, DRAWS

from dirpriv import InvalidArgument
from dirpriv.exact import lattice_noise, visit_lattice
from dirpriv.exact.visit_lattice import VisitLattice
from dirpriv.geometry.spaces import CIRCLE, PLANE, Product
from dirpriv.release import CircleRelease, PlaneRelease, SphereRelease, VisitRelease

CITY = {"region_centre": (40.75, -73.98), "region_reach": 500, "cell_size": 50}
LEVELS = (0.25, 1.0, 4.0, 50.0)
NEAR = 10  # cells of places to each side


def visits(level, cells=48, **changed):
    """A release within 3 h and 200 m, with few cells."""
    return VisitRelease(
        CircleRelease.within(level, "3h", cells=cells), PlaneRelease.within(level, "200m", **CITY | changed)
    )


def levels_of_cells(release):
    """The levels from one cell to the next, in time and in place, from the two releases that it is made of."""
    times, places = release._parameters
    return Fraction(times._step), Fraction(places.certificate.cells) * Fraction(places.cell_size)


def all_weights(release, cells=NEAR):
    """The integers of all moves in time, and of those in place up to some cells, as an array of Python's integers."""
    count = release._parameters[0].cells
    half = [release._lattice.visit_weights(steps, cells) for steps in range(count // 2 + 1)]
    return np.array([half[min(steps, count - steps)] for steps in range(count)], dtype=object)


# ---------------------------------------------------------------- what is promised, in exact arithmetic


def worst_weights(weights, pairs):
    """The two weights of the worst output for each of the pairs of inputs, of all outputs of a window, by doubles.

    A pair is apart by cells of time and of place.
    """
    logs = np.array([[[math.log(weight) for weight in row] for row in table] for table in weights.tolist()])
    count, size = len(weights), weights.shape[1]
    found = []
    for later, *apart in pairs:
        spans = [(slice(max(d, 0), size + min(d, 0)), slice(max(-d, 0), size + min(-d, 0))) for d in apart]
        here, there = (tuple(span[k] for span in spans) for k in (0, 1))
        moved = np.roll(np.arange(count), later)
        losses = np.abs(logs[:, *here] - logs[moved][:, *there])
        worst = np.unravel_index(np.argmax(losses), losses.shape)
        found.append((weights[:, *here][worst], weights[moved][:, *there][worst]))
    return found


def worst_loss(worst, pairs, count, step, fall):
    """The largest ratio of these weights over e^(the larger of the two losses) from below, exactly."""
    above, below = [], []
    for (high, low), (later, *apart) in zip(worst, pairs, strict=True):
        with mpmath.workprec(700):
            in_place = mpmath.mpf(fall.numerator) / fall.denominator * mpmath.hypot(*apart)
            in_time = step * min(later, count - later)
            bound = max(mpmath.mpf(in_time.numerator) / in_time.denominator, in_place)
            bound = below_exp(bound - mpmath.mpf(2) ** -600)
        above.append(max(high, low) * bound.denominator)
        below.append(min(high, low) * bound.numerator)
    return largest_quotient(above, below)


def random_pairs(count, seed):
    """Visits apart by 0 to 24 cells of time, and 0 to 6 cells of place to each side; not by nothing."""
    rng = np.random.default_rng(seed)
    pairs = np.stack([rng.integers(0, 25, count), *rng.integers(-6, 7, (2, count))], axis=1)
    pairs[::4, 0], pairs[1::4, 1:] = 0, 0
    pairs[~pairs.any(axis=1), 0] = 1
    return pairs.tolist()


@pytest.mark.parametrize("level", LEVELS)
def test_no_pair_of_visits_loses_more_than_the_larger_of_its_two_losses(level):
    """500 pairs at each of four levels, exactly, by the integers."""
    release = visits(level)
    step, fall = levels_of_cells(release)
    assert step == Fraction(level) / 6
    weights, pairs = all_weights(release), random_pairs(500, 3)
    assert all(type(weight) is int and weight > 0 for weight in weights.ravel())
    worst, count = worst_weights(weights, pairs), len(weights)
    assert worst_loss(worst, pairs, count, step, fall) <= 1
    unused = 1 - Fraction(11, 10**10)  # 1e-9 of the level
    assert worst_loss(worst, pairs, count, step * unused, fall * unused) > 1


def test_the_slack_is_enough_at_the_smallest_levels_of_cells():
    """Neighbours in time, in place and in both, at 1e-4 from a cell to the next: 1e-13 is left for both roundings."""
    step = Fraction(1, 10**4)
    lattice = VisitLattice(step, step * Fraction(3, 2), 100_000, 5)
    bounds = {
        square: below_exp(step * Fraction(3, 2) * Fraction(math.isqrt(square << 400), 1 << 200)) for square in (1, 2)
    }
    bounds[0] = below_exp(step)
    above, below = [], []
    for steps in (0, 1, 700, 30_000, 49_998):
        tables = [lattice.visit_weights(steps + later, 4) for later in (0, 1)]
        for a, b, later, x, y in itertools.product(range(8), range(8), (0, 1), (0, 1), (0, 1)):
            if later or x or y:
                low, high = sorted((tables[0][a][b], tables[later][a + x][b + y]))
                above.append(high * bounds[x + y].denominator)
                below.append(low * bounds[x + y].numerator)
    assert 1 - Fraction(1, 10**12) < largest_quotient(above, below) <= 1


@pytest.mark.parametrize("level", LEVELS)
def test_two_columns_break_this_promise(level):
    """What the test above must catch: a product of the two kernels, each at the level."""
    release = visits(level)
    times, places = release._parameters
    table = np.array(places.weights(NEAR), dtype=object)
    product = np.array([weight * table for weight in times.weights], dtype=object)
    pairs = random_pairs(500, 3)
    assert worst_loss(worst_weights(product, pairs), pairs, len(product), *levels_of_cells(release)) > 1


def test_words_of_64_bits_would_break_the_promise(monkeypatch):
    """The second word of C is needed: without it C is 0 for moves in time of 44 nats, far above the floor."""
    release = visits(50.0, cells=480)
    lattice, (step, _) = release._lattice, levels_of_cells(release)
    kept = lattice._words

    def largest(words):
        monkeypatch.setattr(VisitLattice, "_words", words)
        weights = [lattice.visit_weights(steps, 0)[0][0] for steps in range(241)]
        bound = below_exp(step)
        return largest_quotient(
            [w * bound.denominator for w in weights[:-1]], [w * bound.numerator for w in weights[1:]]
        )

    assert largest(lambda self, *where: kept(*where)) <= 1
    assert largest(lambda self, *where: (kept(*where)[0], np.zeros(1, dtype=np.uint64))) > 2


@pytest.mark.parametrize("level", LEVELS)
def test_weights_are_near_their_values_and_symmetric(level):
    """The kernel of the larger distance, on a floor that falls with the proposal in time, to 70 digits."""
    release = visits(level)
    step, fall = (each * (1 - Fraction(1, 10**9)) for each in levels_of_cells(release))
    weights, lattice = all_weights(release), release._lattice
    for same in (weights.swapaxes(1, 2), weights[:, ::-1], weights[:, :, ::-1]):
        assert (weights == same).all()
    share = 1.0 - lattice.fall / lattice.rate
    with mpmath.workdps(70):
        for steps, a, b in [(0, 0, 1), (1, 0, 0), (6, 3, 2), (24, 1, 0), (9, 8, 7), (24, 10, 10)]:
            of_time, of_place = (mpmath.mpf(each.numerator) / each.denominator for each in (step, fall))
            of_time *= steps
            floor = mpmath.exp(-share * min(of_time, 78)) * mpmath.mpf(2) ** -76
            true = max(mpmath.exp(-max(min(of_time, 78), of_place * mpmath.hypot(a, b))), floor)
            near = mpmath.mpf(weights[steps, NEAR + a, NEAR + b]) / weights[0, NEAR, NEAR]
            assert abs(near / true - 1) < 1e-13


def test_all_inputs_have_the_same_total():
    """The weights of all places of the square, from inputs in the middle, at borders and in corners."""
    release = visits(10.0, region_reach=100)
    half, region = (release.side - 1) // 2, release._lattice.region
    middle = half + region
    for steps in (0, 5, 24):
        table = np.array(release._lattice.visit_weights(steps, middle), dtype=object)
        totals = {
            table[middle - half - x : middle + half + 1 - x, middle - half - y : middle + half + 1 - y].sum()
            for x, y in [(0, 0), (region, 0), (-region, 1), (region, region), (-region, region)]
        }
        assert len(totals) == 1


def test_the_certificate_has_the_larger_loss():
    release = visits(10.0)
    certificate, (times, places) = release.certificate, release._parameters
    assert certificate.loss("3h and 200m") <= 10.0 < certificate.loss(("3h", 201.0))
    for apart in (("1h", "200m"), ("6h", "10m"), (0.0, 50.0), (math.pi, 0.0)):
        separate = times.certificate.loss(apart[0]), places.certificate.loss(apart[1])
        assert certificate.loss(apart) == pytest.approx(max(separate), rel=1e-12)
    weights = all_weights(release, 45)
    ratio = Fraction(int(weights.max()), int(weights.min()))
    assert certificate.pure == certificate.loss(("12h", "1000km")) == pytest.approx(math.log(ratio), rel=1e-12)


# ---------------------------------------------------------------- draws


class Fixed:
    """A table whose draws are these."""

    def __init__(self, drawn):
        self.drawn = drawn

    def draws(self, count):
        yield slice(0, count), np.full(count, self.drawn)


def with_tables(lattice, index, steps):
    """The same lattice, whose tables draw one index and one move in time."""
    found = object.__new__(VisitLattice)
    vars(found).update(vars(lattice), _table=Fixed(index), _steps=Fixed(steps))
    return found


@pytest.mark.parametrize(("fall", "blocks"), [(Fraction(2), 1024), (Fraction(3, 2), 8)])
@pytest.mark.parametrize("steps", [0, 3, 12])
def test_the_rejection_sampler_has_the_masses_of_the_weights(fall, blocks, steps, monkeypatch):
    """Exactly, for all offsets of places: by all blocks and all words of bits, for the word 0."""
    monkeypatch.setattr(lattice_noise, "MOST_BLOCKS", blocks)
    lattice = VisitLattice(Fraction(1), fall, 24, 2)
    ways = 1 << 2 * lattice._bits + 3
    table = lattice._table
    borders = [0, *(int(h) << 64 | int(x) for h, x in zip(table._high, table._low, strict=True)), table.total]
    masses = {}
    monkeypatch.setattr(lattice_noise, "random_words", lambda count: np.arange(count, dtype=np.uint64))
    monkeypatch.setattr(visit_lattice, "random_words", lambda count: np.zeros(count, dtype=np.uint64))
    for k in range(1, len(borders) - 1):
        a, b, later, flat, taken = with_tables(lattice, k, steps)._propose(ways)
        assert not flat.any() and (later == steps).all()
        high, low = lattice._words(later, a * a + b * b, np.full(ways, k - 1))
        for x, y, *words, took in zip(*(each.tolist() for each in (a, b, high, low, taken)), strict=True):
            if took:  # for all pairs of words below C
                word = (words[0] << 64) + words[1]
                masses[x, y] = masses.get((x, y), 0) + Fraction(borders[k + 1] - borders[k], ways) * word
    radius = lattice.half - lattice.region
    weights, weight = lattice.visit_weights(steps, radius), lattice._time_weights[steps]
    for a, b in itertools.product(range(-radius, radius + 1), repeat=2):
        excess = weights[a + radius][b + radius] - weight * (lattice.flat << 64)
        assert weight * masses.pop((a, b), 0) == excess
    assert not masses  # none beyond the square
    assert borders[1] << 64 == lattice.flat * (2 * lattice.half + 1) ** 2  # the floor


def test_a_visit_is_taken_as_often_as_its_two_words_say(monkeypatch):
    lattice = visits(4.0)._lattice
    ((high,), (low,)) = lattice._words(np.array([24]), np.zeros(1, dtype=int), np.zeros(1, dtype=int))
    assert high > 0 and low > 0
    monkeypatch.setattr(lattice_noise, "random_words", lambda count: np.zeros(count, dtype=np.uint64))
    for words, expected in (
        ((high - 1, 0), True),
        ((high, low - 1), True),
        ((high, low), False),
        ((high + 1, 0), False),
    ):
        queue = [np.array([word], dtype=np.uint64) for word in words]
        monkeypatch.setattr(visit_lattice, "random_words", lambda count, queue=queue: queue.pop(0)[:count])
        assert with_tables(lattice, 1, 24)._propose(1)[-1] == expected


def classes(later, a, b, count, cells):
    """Numbers of classes of moves: of the distance in time, and of the length in place, in cells."""
    length = np.minimum(np.rint(np.hypot(a, b)), cells).astype(int)
    return np.minimum(later, count - later) * (cells + 1) + length


def class_shares(release, cells=24):
    """Exact shares of the classes, of integers, of moves by at most as many cells to each side, and what is beyond."""
    weights, count = all_weights(release, cells), release._parameters[0].cells
    a, b = np.mgrid[-cells : cells + 1, -cells : cells + 1]
    shares = np.zeros((count // 2 + 1) * (cells + 1))
    inside = np.hypot(a, b) < cells - 0.5
    for later in range(count):
        each = (weights[later] / weights.sum()).astype(float)
        np.add.at(shares, classes(np.full(a.shape, later), a, b, count, cells)[inside], each[inside])
    return shares / shares.sum(), cells


def drawn_classes(release, draws, cells=24):
    times, _ = release._parameters
    t, x, y = release.randomise_cells(np.full(draws, 5), np.full(draws, 7), np.full(draws, -3))
    found = classes((t - 5) % times.cells, x - 7, y + 3, times.cells, cells)
    inside = np.hypot(x - 7, y + 3) < cells - 0.5
    return np.bincount(found[inside], minlength=(times.cells // 2 + 1) * (cells + 1))


def missed(shares, wrong, draws):
    """The probability that the test of ``assert_frequencies`` does not catch draws of other shares."""
    few = draws * shares < 10.0
    freedom = np.count_nonzero(~few) - 1
    away = draws * ((wrong - shares)[~few] ** 2 / shares[~few]).sum()
    return stats.ncx2.cdf(stats.chi2.isf(ALPHA, freedom), freedom, away)


def assert_frequencies(level, draws, higher):
    """χ² of moves in time and in place, error rate 1e-6; a level that is ``higher`` is missed below 1e-6."""
    shares, wrong = (class_shares(visits(level * more, cells=24))[0] for more in (1.0, higher))
    counts = drawn_classes(visits(level, cells=24), draws)
    assert p_value(counts, shares) > ALPHA, f"a correct sampler fails with probability {ALPHA}"
    assert missed(shares, wrong, draws) < 1e-6 and p_value(counts, wrong) < ALPHA


@pytest.mark.parametrize("level", [1.0, 4.0])
def test_frequencies_are_those_of_the_weights(level):
    assert_frequencies(level, DRAWS, 1.06)


@pytest.mark.sweep
@pytest.mark.parametrize("level", [1.0, 4.0])
def test_frequencies_of_ten_million_draws(level):
    assert_frequencies(level, 10_000_000, 1.01)


def test_proposals_that_are_all_taken_are_caught(monkeypatch):
    """Two columns of the levels sℓ and (1 - s)ℓ, without the rejection."""
    shares, _ = class_shares(visits(4.0, cells=24))

    def every_one(self, steps, squares, index):
        words = np.ldexp(self._shares(self.fall * np.sqrt(squares), index), 64).astype(np.uint64)
        return words, np.zeros_like(words)

    monkeypatch.setattr(VisitLattice, "_words", every_one)
    assert p_value(drawn_classes(visits(4.0, cells=24), DRAWS), shares) < ALPHA


@pytest.mark.parametrize(("level", "expected"), [(0.25, 0.98), (1.0, 0.66), (2.0, 0.49), (4.0, 0.45)])
def test_proposals_are_taken_as_often_as_expected(level, expected):
    """Beside the block and the signs of a cell, drawn again also for places alone; six standard errors are 0.02."""
    release = visits(level, cells=1440, cell_size=5)
    both, alone = (
        np.mean([lattice._propose(16_000)[-1].mean() for _ in range(3)])
        for lattice in (release._lattice, super(VisitLattice, release._lattice))
    )
    assert both / alone == pytest.approx(expected, abs=0.02)


@pytest.mark.sweep
@pytest.mark.parametrize("level", [0.25, 1.0, 2.0, 4.0])
def test_a_visit_costs_at_most_two_and_a_half_times_its_two_columns(level):
    release = visits(level, cells=1440, cell_size=10, region_reach=30_000)
    times, places = release._parameters
    t, x, y = (np.full(500_000, cell) for cell in (700, 20, -30))

    def seconds(call):
        start = time.process_time()
        call()
        return time.process_time() - start

    separate = min(seconds(lambda: (times.randomise_cells(t), places.randomise_cells(x, y))) for _ in range(5))
    assert min(seconds(lambda: release.randomise_cells(t, x, y)) for _ in range(5)) < 2.5 * separate


def test_visits_of_people_come_back_as_cells():
    release = visits(1e5, cells=96)
    hours, latitude, _ = release.randomise_visits(["08:20", "23:50"], [40.7502, 40.8], [-73.9801, -73.98])
    assert hours.tolist() == [8.375, 23.875] and np.allclose(latitude, [40.75, 40.7545], atol=1e-4)
    assert release.randomise_cells(33, 0, -10) == (33, 0, -10)  # the border of the region
    copy = pickle.loads(pickle.dumps(release))
    assert repr(copy) == repr(release) and copy.side == release.side


def test_wrong_releases_and_columns_are_refused():
    times, places = visits(1.0)._parameters
    globe = SphereRelease(1e-3, cells=100)
    with pytest.raises(InvalidArgument, match=r"'places' must be a PlaneRelease; .*the sum of the kernel depends"):
        VisitRelease(times, globe)
    for wrong in (CircleRelease.pure(1.0), None):
        with pytest.raises(InvalidArgument, match="'times' must have a level from a cell to the next"):
            VisitRelease(wrong, places)
    with pytest.raises(InvalidArgument, match=r"'cells' makes cells too small .*from 0\.0001 on: give at most 400 "):
        VisitRelease(CircleRelease.within(0.005, "3h", cells=8640), places)
    release = VisitRelease(times, places)
    with pytest.raises(InvalidArgument, match="columns of one length"):
        release.randomise_cells([1, 2], [1], [1])
    for wrong in ((48, 0, 0), (0, 11, 0), (0, 0, -11)):
        with pytest.raises(InvalidArgument, match="is no cell"):
            release.randomise_cells(*wrong)
    with pytest.raises(InvalidArgument, match="'distance' must be one of times and one of places"):
        release.certificate.loss("3h")


# ---------------------------------------------------------------- the distribution, for estimates


def test_probabilities_are_those_of_the_integers():
    release = visits(3.0, cells=24)
    noise, weights = release.noise, all_weights(release, 80)
    shares = (weights / weights.sum()).astype(float)
    a, b = np.mgrid[-80:81, -80:81]
    near = noise.transitions(24, noise.cell_size, 80)  # from one cell to another
    assert np.allclose(near, shares, rtol=1e-6, atol=1e-15)
    apart = np.minimum(np.arange(24), 24 - np.arange(24)) * np.pi / 12.0
    in_time, in_place = shares.sum(axis=(1, 2)), shares.sum(axis=0)
    assert noise.mean_angle() == pytest.approx(in_time @ apart, rel=1e-6)
    assert noise.mean_cosine() == pytest.approx(in_time @ np.cos(apart) * np.sinc(1 / 24), rel=1e-6)
    assert noise.mean_radius() == pytest.approx(50.0 * (in_place * np.hypot(a, b)).sum(), rel=1e-6)
    assert noise.privacy_loss("3h and 200m") <= 3.0 and noise.pure_level() == release.certificate.pure


def test_transitions_are_those_of_inputs_anywhere_in_a_bin():
    """Bins of 2 cells of time, and squares of 3 by 3 cells, by adding up the integers of all inputs in them."""
    release = visits(3.0, cells=24)
    shares = all_weights(release, 40)
    shares = (shares / shares.sum()).astype(float)
    whole = release.noise.transitions(12, 150.0, 3)
    assert whole.shape == (12, 7, 7)
    moves = np.arange(-40, 41)
    expected = np.zeros_like(whole)
    for start in range(2):
        for x, y in itertools.product(range(3), repeat=2):
            columns = [(moves + first) // 3 + 3 for first in (x, y)]
            inside = [(column >= 0) & (column < 7) for column in columns]
            for later in range(24):
                part = shares[later][np.ix_(*inside)] / 18.0
                places = np.ix_(*(column[kept] for column, kept in zip(columns, inside, strict=True)))
                np.add.at(expected[(start + later) // 2 % 12], places, part)
    assert np.allclose(whole, expected, rtol=1e-5, atol=1e-12)
    assert release.noise.transitions(12, 150.0, 100).sum() == pytest.approx(1.0, abs=1e-12)


def test_moves_are_not_independent():
    """What a pair of marginal noises would miss: near in time is near in place."""
    whole = visits(2.0).noise.transitions(24, 200.0, 60)
    independent = whole.sum(axis=(1, 2))[:, None, None] * whole.sum(axis=0)
    assert np.abs(whole - independent).sum() > 0.2


@pytest.mark.parametrize(("changed", "rule"), [({"bins": 7}, "'bins' must divide"), ({"side": 10.0}, "'side' must be")])
def test_wrong_bins_and_squares_are_refused(changed, rule):
    with pytest.raises(InvalidArgument, match=rule):
        visits(1.0).noise.transitions(**{"bins": 24, "side": 200.0, "count": 3} | changed)


def test_places_move_less_than_in_a_split_with_the_same_mean_cosine():
    """By 1.26, 1.45 and 1.61 at the levels 1, 2 and 4, also with cells; the split is found by the continuous kernel."""
    for level, expected in ((1.0, 1.26), (2.0, 1.45), (4.0, 1.61)):
        release = visits(level, cells=1440, cell_size=2, region_reach=100)
        cosine = release.noise.mean_cosine()
        shares = np.linspace(0.01, 0.99, 981)
        kappa = shares * level * 4.0 / np.pi
        share = np.interp(cosine, kappa**2 / (1.0 + kappa**2) / np.tanh(kappa * np.pi / 2.0), shares)
        places = PlaneRelease.within((1.0 - share) * level, "200m", **CITY | {"region_reach": 100, "cell_size": 2})
        assert places.noise.mean_radius() / release.noise.mean_radius() == pytest.approx(expected, abs=0.006)


# ---------------------------------------------------------------- the space


def test_a_product_has_scales_and_two_ways_to_combine():
    space = visits(2.0).noise.space
    assert space == Product(CIRCLE, PLANE, scales=space.scales, combine="max") != Product(CIRCLE, PLANE)
    assert space.scales[0] == pytest.approx(np.pi / 8)
    assert repr(space).startswith("Product(Sphere(dimension=2), Euclidean(dimension=2), scales=(0.39")
    torus = [Product(CIRCLE, CIRCLE, scales=(np.pi, np.pi / 2), combine=combine) for combine in ("sum", "max")]
    assert [each.diameter for each in torus] == [3.0, 2.0]
    assert [each.metric for each in torus] == ["angle/3.14159 + angle/1.5708", "max(angle/3.14159, angle/1.5708)"]
    assert Product(CIRCLE, scales=[2.0]).metric == "angle/2"
    for wrong in ({"scales": (1.0,)}, {"scales": (1.0, 0.0)}, {"combine": "min"}):
        with pytest.raises(InvalidArgument, match=f"'{next(iter(wrong))}' must be"):
            Product(CIRCLE, PLANE, **wrong)
