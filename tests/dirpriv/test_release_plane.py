"""Releases of places of a city: the integers' promise, recomputed here; the map; draws; wrong inputs."""

import importlib
import itertools
import math
import os
import pickle
import tracemalloc
import types
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from places_of_releases import (
    COLUMNS,
    above_log,
    assert_names_no_value,
    below_exp,
    chord_on_the_ground,
    largest_quotient,
    p_value,
)
from scipy import stats
from statistics_of_draws import ALPHA, DRAWS
from sweeps import swept

from dirpriv.distributions import PlanarLaplace
from dirpriv.exact import exponential_weights, plane, plane_cells
from dirpriv.exact import lattice_noise as _lattice
from dirpriv.exact import place_release as _places
from dirpriv.exact.plane_table_distribution import grid
from dirpriv.geometry import earth
from dirpriv.release import PlaneRelease

CITY = {"region_centre": (40.75, -73.98), "region_reach": 30_000, "cell_size": 10}
RADIUS = earth.EARTH_RADIUS
FALLS = [0.001, 0.0137, 0.0644, 0.5, 2.0, 60.0]  # of the log weight from cell to cell
LEVELS = [(math.log(4.0), 200.0), (1.0, 1000.0), (0.1, 200.0), (50.0, 200.0)]


def of_fall(fall, region_reach=100, cell_size=10):
    return PlaneRelease(fall / cell_size, region_centre=(40.75, -73.98), region_reach=region_reach, cell_size=cell_size)


# ---------------------------------------------------------------- what is promised, in exact arithmetic


def largest_excess(weights, fall):
    """The largest ratio of two weights over e^(fall · distance) from below, of all pairs of offsets."""
    size = len(weights)
    bounds, worst = {}, []
    for k, (a, b) in enumerate(itertools.product(range(size), repeat=2)):
        for other in range(k):
            c, d = divmod(other, size)
            high, low = sorted((weights[a][b], weights[c][d]), reverse=True)
            square = (a - c) ** 2 + (b - d) ** 2
            if square not in bounds:
                with mpmath.workprec(700):
                    exponent = mpmath.mpf(fall.numerator) / fall.denominator * mpmath.sqrt(square)
                    bounds[square] = below_exp(exponent - mpmath.mpf(2) ** -600)
            worst.append((high * bounds[square].denominator, low * bounds[square].numerator))
    return largest_quotient(*zip(*worst, strict=True))


@pytest.mark.parametrize("fall", FALLS)
def test_no_pair_of_offsets_has_a_larger_ratio_than_promised(fall):
    release = of_fall(fall)
    weights = release.weights(4)
    assert all(type(weight) is int and weight > 0 for row in weights for weight in row)
    exact = Fraction(release.certificate.cells) * 10
    assert abs(exact / Fraction(fall) - 1) < Fraction(1, 10**14)
    assert largest_excess(weights, exact) <= 1
    if fall < 50.0:  # nothing of the level is left unused: 1e-9 of it
        assert largest_excess(weights, exact * (1 - Fraction(11, 10**10))) > 1


def test_naive_rounding_breaks_the_promise():
    """What the test above must catch: e^(-εh ρ) rounded to integers of 64 bits, at the level itself."""
    fall = 0.0644
    around = range(-4, 5)
    naive = [[round(2**64 * math.exp(-fall * math.hypot(a, b))) for b in around] for a in around]
    assert largest_excess(naive, Fraction(fall)) > 1


@pytest.mark.parametrize("fall", FALLS)
def test_weights_are_symmetric_and_near_their_values(fall):
    """All of the symmetries of the lattice, and each within 4e-10 εh of its value, 70 digits."""
    release = of_fall(fall)
    weights = release.weights(100)
    array = np.array(weights, dtype=object)
    for same in (array.T, array[::-1], array[:, ::-1]):
        assert (array == same).all()
    middle, slowed = array[100, 100], Fraction(release.certificate.cells) * 10 * (1 - Fraction(1, 10**9))
    with mpmath.workdps(70):
        for a, b in [(0, 1), (1, 1), (3, 2), (17, 16), (60, 1), (100, 100)]:
            true = mpmath.exp(-mpmath.mpf(slowed.numerator) / slowed.denominator * mpmath.hypot(a, b))
            true = max(true, mpmath.mpf(2) ** -76)
            found = mpmath.mpf(int(array[100 + a, 100 + b])) / int(middle)
            assert abs(found / true - 1) < min(4e-10 * fall, 8e-14)


def test_all_inputs_have_the_same_total():
    """The weights of all outputs in the square, from inputs in the middle, at borders and in corners."""
    release = of_fall(2.0)
    region, half = 10, (release.side - 1) // 2
    assert half == region + 29  # 54 nats of 2 and a little less
    weights = np.array(release.weights(half + region), dtype=object)
    middle = half + region
    totals = {
        weights[middle - half - x : middle + half + 1 - x, middle - half - y : middle + half + 1 - y].sum()
        for x, y in [(0, 0), (region, 0), (-region, 7), (region, region), (-region, region), (3, -region)]
    }
    assert len(totals) == 1
    # beyond the noise all is flat: the square could be any larger
    flat = weights[0, 0]
    assert flat << 76 == pytest.approx(weights[middle, middle], rel=1e-12)
    outside = np.hypot(*np.mgrid[-middle : middle + 1, -middle : middle + 1]) > 27.0
    assert (weights[outside] == flat).all() and weights[middle, middle + 26] > flat


def test_the_floor_counts_in_the_total_of_the_weights():
    """Of steps of 1 mm and the largest reach: the floor lifts the sum of the weights above a power of two."""
    fall, region = Fraction(1372194, 10**6), 10**10
    a = np.arange(60)
    noise = 4.0 * np.exp(-float(fall) * np.hypot(a[:, None], a)).sum()  # each sign of 0 is proposed, too
    lattice = _lattice.Lattice(fall, region)
    floor = (2 * lattice.half + 1) ** 2 / 2.0**76
    assert noise < 8.0 < noise + floor
    in_all = lattice._table.total / (lattice.flat >> 64)  # in units of the floor of one cell
    assert in_all == pytest.approx((noise + floor) * 2.0**76, rel=1e-8)  # of the slack


def test_the_exponential_function_errs_by_less_than_is_counted():
    """Within 8 u of e^(-x), by 40 digits, at random doubles and at the seams of its tables."""
    rng = np.random.default_rng(1)
    seams = np.arange(0, 54 * 64) / 64.0
    x = np.concatenate([rng.uniform(0.0, 54.0, 3000), 2.0 ** rng.uniform(-60, 0, 500), seams[::7]])
    x = np.concatenate([x, np.nextafter(seams[1::11], 0.0)])
    with mpmath.workdps(40):
        true = [mpmath.exp(-mpmath.mpf(value)) for value in x.tolist()]
        errors = [
            abs(mpmath.mpf(found) / value - 1)
            for found, value in zip(exponential_weights.exponential(x).tolist(), true, strict=True)
        ]
    assert max(errors) < 5.2 * 2.0**-53
    assert exponential_weights.exponential(np.array([0.0])).tolist() == [1.0]
    assert (
        exponential_weights.exponential(np.array([54.0, 1e300])) == exponential_weights.exponential(np.array([54.0]))
    ).all()


def test_words_of_doubles_are_exact():
    integers = [0.0, 1.0, 2.0**53 - 1, 2.0**64, 2.0**64 - 2048, 2.0**117 + 2.0**65, 3.0 * 2.0**126]
    high, low = exponential_weights.words(np.array(integers))
    assert [int(h) << 64 | int(x) for h, x in zip(high, low, strict=True)] == [int(n) for n in integers]


@pytest.mark.parametrize(("level", "radius"), LEVELS)
def test_the_level_within_the_radius(level, radius):
    release = PlaneRelease.within(level, radius, **CITY)
    certificate = release.certificate
    assert level * (1.0 - 1e-15) <= certificate.loss(radius) <= level
    assert certificate.loss(f"{radius:g}m") == certificate.loss(f"{radius / 1000:g}km") == certificate.loss(radius)
    charged = certificate.cells * (1.00562 * radius + math.sqrt(2.0) * 10)
    assert charged == pytest.approx(level, rel=1e-5)
    losses = certificate.loss([0.0, radius / 2, radius, 2 * radius, 1e9, np.inf])
    assert (np.diff(losses) >= 0.0).all() and losses[-1] == certificate.pure
    weights = release.weights(0)[0][0], release._lattice.flat
    assert mpmath.mpf(certificate.pure) >= above_log(Fraction(*weights)) - mpmath.mpf(2) ** -490
    assert certificate.pure == pytest.approx(76 * math.log(2.0), rel=1e-12)


def largest_ratio(weights, moved):
    """Largest ratio of the weights of one released cell, for inputs whose cells are ``moved`` apart."""
    array, (x, y) = np.array(weights, dtype=object), np.abs(moved)  # symmetric, so signs do not matter
    size = len(array)
    one, other = array[x:, y:].ravel(), array[: size - x, : size - y].ravel()
    return largest_quotient([*one, *other], [*other, *one])


def test_the_loss_between_inputs_at_the_radius():
    """Pairs that are 100 m apart on the ground at the equator: every pair of cells that they round to."""
    level, region = 1.0, {"region_centre": (0.0, 10.0), "region_reach": 2000, "cell_size": 50}
    rng = np.random.default_rng(6)
    first = earth.destination(region["region_centre"], rng.uniform(0, 6.3, 20_000), rng.uniform(0, 1900, 20_000))
    second = earth.destination(first, rng.uniform(0, 6.3, 20_000), 100.0)
    ground = chord_on_the_ground(first, second)
    second = first + (second - first) * (100.0 * (1.0 - 1e-9) / ground)[:, None]
    assert chord_on_the_ground(first, second) == pytest.approx(np.full(20_000, 100.0), rel=1e-6)

    def worst(release):
        cells = [np.stack(release.cells_of(*place.T)) for place in (first, second)]
        apart = {tuple(sorted(pair)) for pair in np.abs(cells[0] - cells[1]).T.tolist()}
        assert {(0, 2), (1, 2), (2, 2), (0, 3), (1, 1)} <= apart
        return max(largest_ratio(release.weights(6), moved) for moved in apart)

    assert worst(PlaneRelease.within(level, 100, **region)) <= below_exp(Fraction(level))
    unrounded = PlaneRelease(level / 100, **region)  # what forgets that inputs are rounded breaks it
    assert worst(unrounded) > below_exp(Fraction(5, 4) * Fraction(level))


# ---------------------------------------------------------------- what the step costs


def test_the_mean_error_is_that_of_planar_laplace_of_the_same_level_per_metre():
    """ln 4 within 200 m, step 10 m: 308.9 m against 288.5 m, and the metres of the ground."""
    release = PlaneRelease.within(math.log(4.0), 200.0, **CITY)
    continuous = PlanarLaplace(release.certificate.cells).mean_radius()
    assert release.noise.mean_radius() == pytest.approx(continuous, rel=1e-3)
    assert PlanarLaplace(math.log(4.0) / 200.0).mean_radius() == pytest.approx(288.5, abs=0.05)
    assert PlanarLaplace(math.log(4.0) / (200.0 + math.sqrt(200.0))).mean_radius() == pytest.approx(308.9, abs=0.05)
    assert release.noise.mean_radius() == pytest.approx(308.9, rel=0.01)
    # from places spread over a cell: 200 000 draws have a standard error of 0.5 m; 1e-6 is at 4.9 of them
    rng = np.random.default_rng(1)
    start = np.stack([40.75 + rng.uniform(-0.05, 0.05, DRAWS), -73.98 + rng.uniform(-0.05, 0.05, DRAWS)], axis=-1)
    moved = np.stack(release.randomise_places(start[:, 0], start[:, 1]), axis=-1)
    errors = earth.great_circle_distance(start, moved)
    scale = errors.std() / math.sqrt(DRAWS)
    assert abs(errors.mean() - release.noise.mean_radius()) < 4.9 * scale
    assert abs(errors.mean() - 288.5) > 4.9 * scale  # a release at ℓ/r, which forgets the cells


@pytest.mark.parametrize("fall", [0.04, 0.06, 0.3, 1.0, 3.0, 20.0])
def test_the_distribution_is_that_of_the_weights(fall):
    release = of_fall(fall)
    cells = min(500, math.ceil(16.0 / fall))
    weights = np.array(release.weights(cells), dtype=object) - release._lattice.flat
    shares = np.array((weights / weights.sum()).tolist(), dtype=float)
    around, count = np.arange(-cells, cells + 1), 50 if fall > 0.5 else 5
    distances = 10.0 * np.hypot(around[:, None], around)
    inside = (np.arange(count) + 0.5) / count - 0.5
    mean = 0.0
    assert np.array_equal(shares, shares[::-1]) and np.array_equal(shares, shares[:, ::-1])
    for a in range(math.ceil(16.0 / fall)):  # over the input's place in its cell, of a quarter of all cells
        if a <= cells:
            lengths = np.hypot((a + inside)[:, None, None], around[cells:, None] + inside).mean(axis=(0, 2))
            row = shares[cells + a, cells:] * np.where(around[cells:], 2.0, 1.0)
            mean += (20.0 if a else 10.0) * row @ lengths
    assert release.noise.mean_radius() == pytest.approx(mean, rel=3e-4 if fall < 0.1 else 1e-4)
    for radius in (0.0, 15.0, 100.0):
        found = release.noise.radius_sf(radius)
        assert found == pytest.approx(shares[distances > radius].sum(), abs=5e-4 if fall < 0.05 else 1e-6)
    ppf = release.noise.radius_ppf([0.1, 0.5, 0.9])
    assert (release.noise.radius_sf(ppf) <= 1.0 - np.array([0.1, 0.5, 0.9]) + 1e-9).all()


@pytest.mark.parametrize(("fall", "cells"), [(0.3, 1), (0.3, 7), (2.0, 3), (0.06, 25), (0.01, 100)])
def test_transitions_of_bins(fall, cells):
    """Against 200 000 places spread over a bin: χ², error rate 1e-6; of another level it fails."""
    release = of_fall(fall, region_reach=20_000)
    bins = release.noise.square_transitions(cells * release.cell_size, 10_000)
    assert bins.sum() == pytest.approx(1.0) and np.allclose(bins, bins.T) and np.allclose(bins, bins[::-1])
    rng = np.random.default_rng(2)
    start = rng.integers(0, cells, (2, DRAWS))
    moved = np.stack(release.randomise_cells(*start)) // cells
    half = len(bins) // 2
    assert np.abs(moved).max() <= half
    counts = np.bincount((moved[0] + half) * len(bins) + moved[1] + half, minlength=bins.size)
    assert p_value(counts, bins.ravel()) > ALPHA
    wrong = of_fall(1.1 * fall, region_reach=20_000).noise.square_transitions(cells * release.cell_size, 10_000)
    pad = half - len(wrong) // 2
    assert p_value(counts, np.pad(wrong, pad).ravel()) < ALPHA


# ---------------------------------------------------------------- the map


def project(release, place):
    place = np.asarray(place, dtype=float)
    found = plane_cells._projected(release.region_centre, place[..., 0], place[..., 1], release.region_reach)
    return np.stack(np.broadcast_arrays(*found), axis=-1)


ORIGINS = [(40.75, -73.98), (0.0, 0.0), (90.0, 0.0), (-90.0, 33.0), (65.3, 179.9999), (-0.1, -180.0), (89.9, 5.0)]


def starts(region_centre, rng, region_reach):
    """Places in the region, at its border, around the antipode, around poles and the date line, anywhere."""
    antipode = [-region_centre[0], region_centre[1] - 180.0 if region_centre[1] > 0.0 else region_centre[1] + 180.0]
    bearings = rng.uniform(0.0, 2.0 * np.pi, 500)
    apart = np.concatenate(
        [rng.uniform(0, 2 * region_reach, 200), region_reach + rng.normal(0, 3, 200), rng.uniform(0, 2e7, 100)]
    )
    places = [
        earth.destination(region_centre, bearings, apart),
        earth.destination(antipode, bearings, apart / 10.0),
        earth.destination([90.0, 0.0], bearings, apart / 100.0),
        earth.destination([-90.0, 0.0], bearings, apart / 1e6),
        earth.destination([0.3, 180.0], bearings, apart),
    ]
    return np.concatenate(places)


@pytest.mark.parametrize("region_centre", ORIGINS)
@pytest.mark.parametrize("region_reach", [1000.0, 30_000.0, 9e6])
def test_the_map_lengthens_no_distance_by_more_than_is_charged(region_centre, region_reach):
    release = PlaneRelease(0.01, region_centre=region_centre, region_reach=region_reach, cell_size=10)
    rng = np.random.default_rng(3)
    first = starts(region_centre, rng, region_reach)
    apart = 10.0 ** rng.uniform(-3, 5, len(first))
    second = earth.destination(first, rng.uniform(0.0, 2.0 * np.pi, len(first)), apart)
    distance = earth.great_circle_distance(first, second)
    moved = np.linalg.norm(project(release, first) - project(release, second), axis=-1)
    stretch = float(plane._stretch(Fraction(region_reach)) / _places.GROUND)
    x = region_reach / RADIUS
    assert stretch == pytest.approx(x / math.sin(x), rel=3e-3) and stretch >= x / math.sin(x) - 1e-15
    assert (moved <= stretch * distance + 1e-7).all()
    assert np.linalg.norm(project(release, first), axis=-1).max() <= region_reach * (1.0 + 1e-15)
    # the cells: at most the rounding farther
    cells = [np.stack(release.cells_of(place[:, 0], place[:, 1]), axis=-1) for place in (first, second)]
    between = 10.0 * np.linalg.norm(cells[0] - cells[1], axis=-1)
    assert (between <= stretch * distance + float(plane._rounding(Fraction(10)))).all()


def test_places_are_as_far_from_the_origin_as_on_the_globe():
    metres = PlaneRelease(0.01, **CITY)._cells._distances(np.array([-90.0, -89.5, 90.0, 90.5]), np.full(4, 106.02))
    angles = np.radians([130.75, 131.25, 49.25, np.inf])  # by way of the south pole, or of the north pole
    assert metres == pytest.approx(RADIUS * angles, rel=1e-12, abs=0.0)


def test_a_projection_that_is_cut_at_the_reach_alone_would_tear_the_antipode():
    """What the test above must catch: places 2 m apart at the antipode are 2 D apart on that map."""
    release = PlaneRelease(0.01, **CITY)
    antipode = np.array([-40.75, 106.02])
    first, second = (earth.destination(antipode, bearing, 1.0) for bearing in (0.5, 0.5 + np.pi))
    assert earth.great_circle_distance(first, second) == pytest.approx(2.0, abs=1e-6)
    cut = [earth.great_circle_distance(release.region_centre, place) for place in (first, second)]
    assert min(cut) > 2e7  # so R θ is D for both, in opposite directions
    assert np.linalg.norm(project(release, first) - project(release, second)) < 2.0 + 1e-6
    assert [int(cell) for cell in release.cells_of(*antipode)] == [0, 0]


def test_the_metres_of_the_ground_are_charged():
    """Pairs 500 m apart on the ellipsoid: 1.0056 farther on the sphere at the equator, and no more."""
    rng = np.random.default_rng(4)
    worst = 0.0
    for latitude in (0.0, 20.0, 40.75, 70.0, 89.9):
        release = PlaneRelease(0.01, region_centre=(latitude, 10.0), region_reach=30_000, cell_size=10)
        first = earth.destination(release.region_centre, rng.uniform(0, 6.28, 2000), rng.uniform(0, 25_000, 2000))
        second = earth.destination(first, rng.uniform(0, 6.28, 2000), 500.0)
        ground = chord_on_the_ground(first, second)
        moved = np.linalg.norm(project(release, first) - project(release, second), axis=-1)
        assert (moved <= float(plane._stretch(Fraction(30_000))) * ground + 1e-5).all()
        worst = max(worst, (moved / ground).max())
    assert 1.0055 < worst < 1.00562  # without the charge the promise fails by half a per cent
    assert float(_places.GROUND) == pytest.approx(1.005614, abs=1e-6)


def test_places_at_poles_and_on_the_date_line():
    release = PlaneRelease(0.01, region_centre=(0.0, 179.99), region_reach=30_000, cell_size=10)
    east, north = release.cells_of([0.0, 0.0, 0.0, 0.0], [180.0, -180.0, -179.99, 180.01])
    degree = RADIUS * math.pi / 180.0
    assert east.tolist() == [111, 111, 222, 222] and north.tolist() == [0] * 4
    assert [round(float(x), 5) for x in release.centres(222, 0)] == [0.0, round(179.99 + 2220 / degree - 360.0, 5)]
    for pole in (90.0, -90.0):
        release = PlaneRelease(0.01, region_centre=(pole, 25.0), region_reach=30_000, cell_size=10)
        any_longitude = np.linspace(-180.0, 360.0, 50)
        for cells in release.cells_of(np.full(50, pole), any_longitude):
            assert set(cells.tolist()) == {0}
        toward = release.cells_of(math.copysign(89.9, pole), 25.0)
        assert [int(cell) for cell in toward] == [0, -math.copysign(1112, pole)]


@pytest.mark.parametrize("region_centre", ORIGINS)
def test_centres_lie_in_their_cells(region_centre):
    release = PlaneRelease(0.01, region_centre=region_centre, region_reach=30_000, cell_size=10)
    rng = np.random.default_rng(5)
    cells = rng.integers(-2100, 2101, (2, 5000))  # within the reach
    found = np.stack(release.cells_of(*release.centres(*cells)))
    assert np.array_equal(found, cells)
    beyond = release.cells_of(*release.centres(rng.integers(3100, 3500, 9), np.zeros(9, dtype=int)))
    assert beyond[0].tolist() == [3000] * 9 and set(beyond[1].tolist()) == {0}


def test_borders_of_cells_are_taken_one_way():
    """Doubles next to a border of two cells: the cells of two neighbours are the same or neighbours."""
    release = PlaneRelease(0.01, region_centre=(0.0, 0.0), region_reach=30_000, cell_size=10)
    degree = RADIUS * math.pi / 180.0
    for k in (0, 1, 7, 1000, 2999):
        x = (10.0 * k + 5.0) / degree
        near = [x]
        for _ in range(50):
            near = [math.nextafter(near[0], -9.0), *near, math.nextafter(near[-1], 9.0)]
        east, north = release.cells_of(np.zeros(len(near)), near)
        assert set(east.tolist()) <= {k, k + 1} and (np.diff(east) >= 0).all() and not north.any()


# ---------------------------------------------------------------- draws


def masses_of_proposals(lattice, monkeypatch):
    """The exact mass of every offset, from every index of the table and every word of bits."""
    ways = 1 << 2 * lattice._bits + 3
    borders = [0, *(int(h) << 64 | int(x) for h, x in zip(lattice._table._high, lattice._table._low, strict=True))]
    borders.append(lattice._table.total)
    masses = {}
    for k in range(1, len(borders) - 1):
        share = Fraction(borders[k + 1] - borders[k], ways << 64)
        queue = [np.arange(ways, dtype=np.uint64), np.zeros(ways, dtype=np.uint64)]
        monkeypatch.setattr(_lattice, "random_words", lambda count, queue=queue: queue.pop(0))
        monkeypatch.setattr(type(lattice._table), "draws", lambda self, n, k=k: iter([(slice(0, n), np.full(n, k))]))
        a, b, flat, taken = lattice._propose(ways)
        assert not flat.any()
        words = lattice._accepted(a * a + b * b, np.full(ways, k - 1))
        for x, y, word, took in zip(a.tolist(), b.tolist(), words.tolist(), taken.tolist(), strict=True):
            if took:  # with the word 0: it is taken for all words below A
                masses[x, y] = masses.get((x, y), 0) + share * word
    monkeypatch.undo()
    return masses, borders[1]


@pytest.mark.parametrize(("fall", "blocks"), [(2.0, 1024), (60.0, 1024), (1.5, 8), (0.7, 16)])
def test_the_rejection_sampler_has_the_masses_of_the_weights(fall, blocks, monkeypatch):
    """Exactly, for all offsets: blocks of one cell, and of 4 and 8 cells to a side."""
    with monkeypatch.context() as patch:
        patch.setattr(_lattice, "MOST_BLOCKS", blocks)
        release = of_fall(fall)
    lattice = release._lattice
    assert lattice.block == {1024: 1, 8: 8, 16: 8}[blocks]
    masses, flat = masses_of_proposals(lattice, monkeypatch)
    radius = lattice.half - lattice.region
    weights = release.weights(radius)
    for a, b in itertools.product(range(-radius, radius + 1), repeat=2):
        excess = weights[a + radius][b + radius] - lattice.flat
        assert masses.pop((a, b), 0) == Fraction(excess, 2**64)
    assert not masses  # none beyond the square
    assert flat << 64 == lattice.flat * release.side**2


def test_a_cell_is_taken_as_often_as_its_word_says(monkeypatch):
    lattice = of_fall(0.3)._lattice
    index = np.array([1, 30, 900])
    words = lattice._accepted(lattice._i[index] ** 2 + lattice._j[index] ** 2, index)
    assert (words > 0).all()
    for shift, expected in ((-1, True), (0, False)):
        queue = [np.zeros(3, dtype=np.uint64), words + np.uint64(shift % 2**64)]
        monkeypatch.setattr(_lattice, "random_words", lambda count, queue=queue: queue.pop(0))
        drawn = [(slice(0, 3), index + 1)]
        monkeypatch.setattr(type(lattice._table), "draws", lambda self, n, drawn=drawn: iter(drawn))
        assert (lattice._propose(3)[3] == expected).all()


@pytest.mark.parametrize(("fall", "blocks"), [(0.3, 1024), (2.0, 1024), (0.3, 64), *swept((0.3, 16))])
def test_frequencies_are_those_of_the_weights(fall, blocks, monkeypatch):
    """χ², error rate 1e-6. Wrong: a rate 6 % larger, and noise whose length is exponential.

    λ of the larger rate is 1418 or more, against a bound of 230 above the mean of χ²: missed below 1e-40.
    """
    with monkeypatch.context() as patch:
        patch.setattr(_lattice, "MOST_BLOCKS", blocks)
        release = of_fall(fall)
    cells = math.ceil(16.0 / fall)
    x, y = release.randomise_cells(np.full(DRAWS, 7), np.full(DRAWS, -3))

    def shares(release):
        weights = np.array(release.weights(cells), dtype=object)
        return np.array((weights / weights.sum()).tolist(), dtype=float).ravel()

    def p(x, y, shares):
        inside = np.maximum(np.abs(x - 7), np.abs(y + 3)) <= cells
        assert inside.mean() > 0.9999
        index = (x - 7 + cells) * (2 * cells + 1) + y + 3 + cells
        return p_value(np.bincount(index[inside], minlength=shares.size), shares)

    right = shares(release)
    assert p(x, y, right) > ALPHA
    assert p(x, y, shares(of_fall(1.06 * fall))) < ALPHA
    rng = np.random.default_rng(1)
    length, turn = rng.exponential(2.0 / fall, DRAWS), rng.uniform(0, 2 * np.pi, DRAWS)
    wrong = [np.clip(np.rint(length * f(turn)).astype(int), -cells, cells) for f in (np.cos, np.sin)]
    assert p(wrong[0] + 7, wrong[1] - 3, right) < ALPHA


def test_wide_noise_has_the_radii_of_planar_laplace():
    """Blocks of 8 cells in earnest, ln 4 within 200 m at 1 m; Kolmogorov-Smirnov, error rate 1e-6.

    A rate 4 % larger, whose CDF is 14 standard errors beyond the bound, is missed below 1e-40.
    """
    release = PlaneRelease.within(math.log(4.0), 200, region_centre=(40.75, -73.98), region_reach=30_000, cell_size=1)
    assert release._lattice.block == 8
    x, y = release.randomise_cells(np.zeros(DRAWS, dtype=int), np.zeros(DRAWS, dtype=int))
    spread = np.random.default_rng(1).uniform(-0.5, 0.5, (2, DRAWS))
    radii = np.hypot(x + spread[0], y + spread[1])
    distribution = PlanarLaplace(release.certificate.cells)
    assert stats.kstest(radii, lambda r: 1.0 - distribution.radius_sf(r), method="asymp").pvalue > ALPHA
    wrong = PlanarLaplace(1.04 * release.certificate.cells)
    assert stats.kstest(radii, lambda r: 1.0 - wrong.radius_sf(r), method="asymp").pvalue < ALPHA


def test_the_floor_reaches_every_cell_of_the_square(monkeypatch):
    """Index 0 of the table: uniform in the square, whatever the input; χ², error rate 1e-6.

    The wrong variant is the remainder of a byte, which favours the first 19 of 79 cells: λ is 3479 against a
    bound of 152, so it is missed below 1e-100.
    """
    release = of_fall(2.0)
    lattice, half = release._lattice, (release.side - 1) // 2
    monkeypatch.setattr(
        type(lattice._table), "draws", lambda self, n: iter([(slice(0, n), np.zeros(n, dtype=np.intp))])
    )
    x, y = release.randomise_cells(np.full(DRAWS, 10), np.full(DRAWS, -10))
    for column in (x + half, y + half):
        counts = np.bincount(column, minlength=release.side)
        assert len(counts) == release.side
        assert stats.chisquare(counts).pvalue > ALPHA
    wrong = np.random.default_rng(1).integers(0, 256, DRAWS) % release.side
    assert stats.chisquare(np.bincount(wrong, minlength=release.side)).pvalue < ALPHA


def test_draws_come_from_the_operating_system_and_share_nothing(monkeypatch):
    release = PlaneRelease.within(1.0, 200, **CITY)
    zeros = np.zeros(1000, dtype=int)
    copied = pickle.loads(pickle.dumps(release))
    first, again, other = (np.stack(r.randomise_cells(zeros, zeros)) for r in (release, release, copied))
    assert not np.array_equal(first, again) and not np.array_equal(first, other)
    assert copied.weights(3) == release.weights(3)
    asked = []
    urandom = os.urandom
    monkeypatch.setattr(os, "urandom", lambda count: asked.append(count) or urandom(count))
    release.randomise_cells(zeros, zeros)
    assert sum(asked) >= 32 * 1000  # 128 bits for the block, a word for the cell, a word to take it


# ---------------------------------------------------------------- size, columns


def test_a_city_at_ten_metres_is_small():
    release = PlaneRelease.within(math.log(4.0), 200.0, **CITY)
    assert release.side == 2 * (3000 + math.ceil(54 / (release._lattice.fall)) + 1) + 1  # 7681
    assert len(pickle.dumps(release)) < 20e6
    column = np.zeros(300_000)
    tracemalloc.start()
    try:
        release.randomise_places(column + 40.75, column - 73.98)
        assert tracemalloc.get_traced_memory()[1] < 300 * column.size
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("cell_size", ["0.1m", 1, 100, "1km", "5km"])
@pytest.mark.parametrize(("level", "radius"), [(0.1, 50), (1.0, 200), (10.0, "1km"), (1000.0, 20)])
def test_steps_and_levels_of_every_size(level, radius, cell_size):
    release = PlaneRelease.within(level, radius, region_centre=(51.5, -0.1), region_reach="30km", cell_size=cell_size)
    assert release.certificate.loss(radius) <= level
    latitude, longitude = release.randomise_places([51.5, 51.4], [-0.1, 0.1])
    assert latitude.shape == longitude.shape == (2,)
    assert release.noise.mean_radius() > 0.37 * release.cell_size


@pytest.mark.arrow
def test_columns_of_every_kind():
    release = PlaneRelease(10.0, region_centre=(40.75, -73.98), region_reach=30_000, cell_size=10)  # hardly any noise
    expected = [cell.tolist() for cell in release.cells_of([40.76, 40.70], [-73.99, -74.01])]
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"lat": [40.76, 40.70], "lon": [-73.99, -74.01]}, index=[7, 3])
    columns = [
        ((40.76, 40.70), (-73.99, -74.01)),
        (np.array([40.76, 40.70]), np.array([-73.99, 285.99])),
        (table["lat"], table["lon"]),
        (table["lat"].astype(object), table["lon"].astype("Float64")),
    ]
    for library, column in (("polars", "Series"), ("pyarrow", "array")):
        try:
            column = getattr(importlib.import_module(library), column)
        except ImportError:
            continue
        columns.append((column([40.76, 40.70]), column([-73.99, -74.01])))
    for latitude, longitude in columns:
        assert [cell.tolist() for cell in release.cells_of(latitude, longitude)] == expected
        assert [x.shape for x in release.randomise_places(latitude, longitude)] == [(2,), (2,)]
    empty = release.randomise_places([], [])
    assert [x.shape for x in empty] == [(0,), (0,)]
    assert all(isinstance(x, float) for x in release.randomise_places(40.76, -73.99))
    assert [x.shape for x in release.randomise_cells(3, 4)] == [(), ()]
    with pytest.raises(ValueError, match="exchange them"):
        release.randomise_places(table["lon"], table["lat"])
    with pytest.raises(AttributeError, match="cannot be set"):
        release.cell_size = 5.0


def test_units_are_texts_or_metres():
    same = [
        PlaneRelease.within(1.0, radius, region_centre=(1.0, 2.0), region_reach=region_reach, cell_size=cell_size)
        for radius, region_reach, cell_size in (
            (200, 30_000, 10),
            ("200m", "30km", "10 m"),
            ("0.2km", "30000m", "0.01km"),
        )
    ]
    assert len({repr(release) for release in same}) == 1


def test_500_cells_to_each_side_are_the_most():
    """Without the million weights: those of the lattice are asked for, or an error is raised."""
    asked = types.SimpleNamespace(_lattice=types.SimpleNamespace(weights=lambda cells: [[cells]]))
    assert PlaneRelease.weights(asked, 500) == [[500]]
    with pytest.raises(ValueError, match="'cells' must be at most 500; got 501"):
        PlaneRelease.weights(asked, 501)


# ---------------------------------------------------------------- wrong inputs

ARGUMENTS = [
    ({"level": 0.0}, "'level' must be positive"),
    ({"level": -1.0}, "'level' must be positive"),
    ({"level": math.inf}, "'level' must be positive and finite"),
    ({"level": "1"}, "'level' must be a positive finite number"),
    ({"level": True}, "'level' must be a positive finite number"),
    ({"radius": 0.0}, "'radius' must be positive"),
    ({"radius": math.nan}, "'radius' must be positive"),
    ({"radius": 0.002}, "'radius' must be at least 1 m, in metres and not in degrees"),
    ({"radius": "3h"}, "'radius' must be a length such as"),
    ({"radius": "200"}, "'radius' must be a length such as"),
    ({"radius": "0m"}, "'radius' must be positive; got '0m'"),
    ({"radius": "-200m"}, "'radius' must be a length such as"),
    ({"radius": "200 miles"}, "'radius' must be a length such as"),
    ({"region_reach": 0.3}, "'region_reach' must be from 100 m .* not in degrees"),
    ({"region_reach": "20000km"}, "'region_reach' must be from 100 m to 10000000 m"),
    ({"region_reach": None}, "'region_reach' must be a positive finite number"),
    ({"cell_size": 1e-4}, "'cell_size' must be from 0.001 m to the region's reach, in metres and not in degrees"),
    ({"cell_size": 40_000}, "'cell_size' must be from 0.001 m to the region's reach"),
    ({"cell_size": [10]}, "'cell_size' must be a positive finite number; got the type list"),
    ({"region_centre": (91.0, 0.0)}, "'region_centre' is no place: 'latitude' is not between -90 and 90"),
    ({"region_centre": (0.0, 400.0)}, "'region_centre' is no place: 'longitude' is not between -180 and 360"),
    ({"region_centre": (math.nan, 0.0)}, "'region_centre' is no place: 'latitude' .*nan"),
    ({"region_centre": (None, 0.0)}, "'region_centre' is no place: 'latitude' has no value"),
    ({"region_centre": ("40.75", "-73.98")}, "'region_centre' is no place: .*give degrees as numbers"),
    ({"region_centre": 40.75}, "'region_centre' must be one latitude and one longitude in degrees; got the type float"),
    ({"region_centre": [[40.75, -73.98]]}, "'region_centre' must be one latitude and one longitude"),
    ({"region_centre": "40.75,-73.98"}, "'region_centre' must be one latitude and one longitude"),
    ({"region_centre": ([1.0, 2.0], [3.0, 4.0])}, "'region_centre' must be one latitude and one longitude"),
    ({"level": 1e-4, "cell_size": 1}, "give cells at least 203 times as large, or a higher level"),
    ({"level": 0.01, "radius": "500km", "cell_size": "10km"}, "larger than the Earth"),
]


@pytest.mark.parametrize(("changed", "message"), ARGUMENTS, ids=str)
def test_arguments_are_refused_in_one_line(changed, message):
    given = {"level": 1.0, "radius": 200, **CITY} | changed
    with pytest.raises(ValueError, match=message) as refused:
        PlaneRelease.within(**given)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("epsilon", [0, -1, Fraction(0), Fraction(-1, 100)], ids=str)
def test_a_level_is_positive_also_where_it_is_a_fraction(epsilon):
    with pytest.raises(ValueError, match="'epsilon' must be positive"):
        PlaneRelease(epsilon, **CITY)


@pytest.mark.parametrize(("latitude", "longitude", "message"), COLUMNS, ids=str)
def test_columns_are_refused_by_row_and_rule(latitude, longitude, message):
    release = PlaneRelease(0.01, **CITY)
    for method in (release.randomise_places, release.cells_of):
        with pytest.raises(ValueError, match=message) as refused:
            method(latitude, longitude)
        assert_names_no_value(refused.value, latitude, longitude)


@pytest.mark.parametrize(
    ("east", "north", "message"),
    [
        ([0, 3001], [0, 0], "row 1 of 'east' is no cell of the region, from -3000 to 3000"),
        ([0], [-3001], "row 0 of 'north' is no cell"),
        ([0.0], [0], "'east' must be one column of integers"),
        ([[0]], [[0]], "'east' must be one column of integers"),
        ([0, 1], [0], "must be columns of one length"),
    ],
)
def test_cells_are_refused_by_row_and_rule(east, north, message):
    with pytest.raises(ValueError, match=message):
        PlaneRelease(0.01, **CITY).randomise_cells(east, north)


def test_other_arguments_are_refused():
    release = PlaneRelease(0.01, **CITY)
    for wrong in (-1, 2.0, 501):
        with pytest.raises(ValueError, match="'cells'"):
            release.weights(wrong)
    with pytest.raises(ValueError, match="'side' must be positive"):
        release.noise.square_transitions(0.0, 1)
    for wide in (release, PlaneRelease(0.0001, **CITY)):  # of the second, every 24th cell
        least = grid(wide.noise._fall)[1] * wide.cell_size
        assert wide.noise.square_transitions(least, 1).shape == (3, 3)
        with pytest.raises(ValueError, match="'side' must be at least"):
            wide.noise.square_transitions(0.9 * least, 1)
    with pytest.raises(ValueError, match="'u'"):
        release.noise.radius_ppf(1.5)
    for wrong in (-1.0, math.nan, "3h"):
        with pytest.raises(ValueError, match="'distance'"):
            release.certificate.loss(wrong)
    with pytest.raises(ValueError, match="'epsilon'"):
        PlaneRelease(0.0, **CITY)
    assert PlaneRelease(1e308, **CITY).noise.mean_radius() == pytest.approx(3.826, abs=1e-3)  # of rounding
    with pytest.raises(TypeError):
        release.randomise_places([1.0], [2.0], rng=1)
    assert not hasattr(release.noise, "rvs")


def test_one_place_in_two_ways_may_be_two_cells():
    """Beside a border, a longitude and the same one a turn later: so the loss at 0 is not 0."""
    release = PlaneRelease(0.05, region_centre=(0.3, -179.9), region_reach="30km", cell_size="10m")
    rng, apart = np.random.default_rng(8), []
    for _ in range(100):
        latitude, low = rng.uniform(0.25, 0.35), -179.95 + rng.uniform(0.0, 0.04)
        cell, high = release.cells_of(latitude, low)[0], low + 2e-4  # more than one cell to the east
        while low < (middle := (low + high) / 2.0) < high:
            low, high = (middle, high) if release.cells_of(latitude, middle)[0] == cell else (low, middle)
        for longitude in (low, high):
            if longitude + 360.0 - 360.0 == longitude:
                ways = [release.cells_of(latitude, longitude + turn) for turn in (0.0, 360.0)]
                apart.append(np.abs(np.subtract(*ways)).max())
    assert len(apart) > 50 and set(apart) == {0, 1}
    assert release.certificate.loss(0.0) >= 0.05 * 10 * (1.0 - 1e-12)
