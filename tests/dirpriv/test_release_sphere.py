"""Releases of places on the globe: all ratios and totals of the integers, recomputed here; cells; draws."""

import math
import os
import pickle
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from places_of_releases import COLUMNS, above_log, assert_names_no_value, below_exp, largest_quotient, p_value
from statistics_of_draws import ALPHA, DRAWS

from dirpriv.exact import finite_table
from dirpriv.geometry import earth
from dirpriv.geometry.earth import EARTH_RADIUS, EqualAreaCells
from dirpriv.release import SphereRelease

PER_RADIAN = [(12, 0.3), (12, 40.0), (40, 1.0), (40, 6.0), (40, 100.0)]  # cells, level per radian


def release_of(cells, per_radian):
    return SphereRelease(per_radian / EARTH_RADIUS, cells=cells)


class Octants:
    """A partition of a user's own: eight triangles."""

    def __init__(self, centres=None):
        triangles = [(n * 35.264389682754654, e) for n in (1, -1) for e in (-135.0, -45.0, 45.0, 135.0)]
        self._centres = np.array(triangles if centres is None else centres)

    def __repr__(self):
        return f"Octants({self._centres.tolist()})"

    def centres(self):
        return self._centres

    def cell_of(self, places):
        places = np.asarray(places, dtype=float)
        east = np.floor(((places[..., 1] + 180.0) % 360.0) / 90.0).astype(int)
        return np.where(places[..., 0] >= 0.0, 0, 4) + np.minimum(east, 3)

    def covering_radius(self):
        return EARTH_RADIUS * (math.acos(1.0 / math.sqrt(3.0)) + 1e-9)


# ---------------------------------------------------------------- what is promised, in exact arithmetic


def angles_below(places):
    """Lower bounds of the angles between places, by 50 digits."""
    with mpmath.workdps(50):
        radians = [[mpmath.mpf(float(x)) * mpmath.pi / 180 for x in place] for place in places]
        vectors = [(mpmath.cos(n) * mpmath.cos(e), mpmath.cos(n) * mpmath.sin(e), mpmath.sin(n)) for n, e in radians]

        def length(x, y, sign):
            return mpmath.sqrt(sum((a + sign * b) ** 2 for a, b in zip(x, y, strict=True)))

        return [
            [2 * mpmath.atan2(length(x, y, -1), length(x, y, 1)) * (1 - mpmath.mpf(10) ** -20) for x in vectors]
            for y in vectors
        ]


def largest_excess(weights, angles, per_radian):
    """Largest ratio of two probabilities of a cell, over e^(ε d) from below, of all pairs of inputs."""
    totals, worst, bounds = [sum(row) for row in weights], Fraction(0), {}
    for i, first in enumerate(weights):
        for k, second in enumerate(weights):
            if i != k:
                if angles[i][k] not in bounds:
                    level = mpmath.mpf(per_radian.numerator) / per_radian.denominator
                    bounds[angles[i][k]] = below_exp(level * angles[i][k])
                ratio = largest_quotient(first, second)
                worst = max(worst, ratio * Fraction(totals[k], totals[i]) / bounds[angles[i][k]])
    return worst


@pytest.mark.parametrize(("cells", "per_radian"), PER_RADIAN)
def test_no_pair_of_inputs_has_a_larger_ratio_than_promised(cells, per_radian):
    release = release_of(cells, per_radian)
    weights = [release.weights(i) for i in range(cells)]
    assert all(type(weight) is int and weight > 0 for row in weights for weight in row)
    level = Fraction(release.certificate.cells) * Fraction(EARTH_RADIUS)
    assert abs(level / Fraction(per_radian) - 1) < Fraction(1, 10**14)
    angles = angles_below(release.partition.centres())
    assert largest_excess(weights, angles, level) <= 1
    if per_radian < 50.0:  # nothing of the level is left unused: 1e-9 of it
        assert largest_excess(weights, angles, level * (1 - Fraction(11, 10**10))) > 1
    shares = [[Fraction(weight, sum(row)) for weight in row] for row in weights]
    largest = max(max(column) / min(column) for column in zip(*shares, strict=True))
    assert mpmath.mpf(release.certificate.pure) >= above_log(largest) - mpmath.mpf(2) ** -490
    assert release.certificate.pure <= above_log(largest) * (1 + mpmath.mpf(1e-14))


def test_a_table_without_slack_breaks_the_promise():
    """What the test above must catch: weights at the level itself, in doubles."""
    cells, per_radian = EqualAreaCells(40), 6.0
    centres = cells.centres()
    distances = [earth.great_circle_distance(centre, centres, radius=1.0) for centre in centres]
    kernel = np.exp(-per_radian * np.array(distances))
    v = np.linalg.solve(kernel, np.ones(40))
    weights = [[round(2**60 * share) for share in row.tolist()] for row in kernel * v]
    assert largest_excess(weights, angles_below(centres), Fraction(per_radian)) > 1


@pytest.mark.parametrize(
    ("cells", "per_radian"), [*PER_RADIAN, (100, 0.1), (100, 3.0), (500, 1.0), (500, 20.0), (10, 0.01)]
)
def test_row_totals_are_equal_in_integers(cells, per_radian):
    """K v = 1: the totals of all rows agree to less than the slack of the level, and to 1e-13."""
    release = release_of(cells, per_radian)
    centres = release.partition.centres()
    rows = range(cells) if cells < 200 else range(0, cells, 17)
    totals = [sum(release.weights(i)) for i in rows]
    assert max(totals) <= 2**128 and min(totals) > 2**127
    distances = np.array([earth.great_circle_distance(c, centres, radius=1.0) for c in centres])
    nearest = distances[~np.eye(cells, dtype=bool)].min()
    spread = Fraction(max(totals) - min(totals), min(totals))
    assert spread < min(per_radian * nearest * 1e-9, 1e-13)
    shares = release.noise.transitions()
    assert shares.sum(axis=1) == pytest.approx(np.ones(cells), rel=1e-12)
    v = np.linalg.solve(np.exp(-per_radian * distances), np.ones(cells))
    assert v.min() > 0.0
    assert np.diag(shares) == pytest.approx(v, rel=1e-6)
    for i in list(rows)[:5]:
        expected = np.maximum(np.exp(-per_radian * distances[i]), 2.0**-76) * v
        assert np.array(release.weights(i), dtype=float) / totals[0] == pytest.approx(expected, rel=1e-5, abs=0.0)


def test_levels_without_a_positive_solution_keep_their_promise():
    """100 equal-area cells at .01 per radian: the least v is -.56 of the mean, and the totals of rows differ."""
    centres = EqualAreaCells(100).centres()
    distances = np.array([earth.great_circle_distance(c, centres, radius=1.0) for c in centres])
    v = np.linalg.solve(np.exp(-0.01 * distances), np.ones(100))
    assert v.min() / v.mean() == pytest.approx(-0.56, abs=0.01)
    release = release_of(100, 0.01)
    weights = [release.weights(i) for i in range(0, 100, 4)]
    angles = angles_below(centres[::4])
    assert largest_excess(weights, angles, Fraction(0.01 / EARTH_RADIUS) * Fraction(EARTH_RADIUS)) <= 1
    assert 0.005 < release.noise._table.rate < 0.00999


def test_a_table_with_too_little_room_is_refused(monkeypatch):
    """The errors of entries: of a thousandth of a nat, no rate would leave room for them."""
    monkeypatch.setattr(finite_table, "_ENTRY", 1e-3)
    with pytest.raises(ValueError, match=r"the weights of 100 places err by too much"):
        release_of(100, 0.001)


@pytest.mark.parametrize(("level", "radius"), [(1.0, "1000km"), (4.0, 500_000.0), (0.5, "5000km")])
@pytest.mark.parametrize("cells", [20, 300])
def test_the_level_within_the_radius(level, radius, cells):
    release = SphereRelease.within(level, radius, cells=cells)
    certificate, c = release.certificate, EqualAreaCells(cells).covering_radius()
    assert level * (1.0 - 1e-15) <= certificate.loss(radius) <= level
    metres = float(radius[:-2]) * 1000 if isinstance(radius, str) else radius
    assert certificate.cells * (1.00562 * metres + 2.0 * c) == pytest.approx(level, rel=1e-5)
    losses = certificate.loss([0.0, metres, 2e7, np.inf])
    assert (np.diff(losses) >= 0.0).all() and losses[-1] == certificate.pure


def test_the_loss_between_inputs_at_the_radius():
    """Pairs 995 km apart on the sphere, which are at most 1000 km on the ground: all cells they round to."""
    level, cells = 1.0, 100
    rng = np.random.default_rng(2)
    first = earth.vectors_to_places(rng.normal(size=(100_000, 3)))
    second = earth.destination(first, rng.uniform(0, 6.3, 100_000), 995_000.0)

    def worst(release):
        pairs = np.unique(np.stack([release.cells_of(*place.T) for place in (first, second)]), axis=1)
        weights = [release.weights(i) for i in range(cells)]
        totals = [sum(row) for row in weights]
        return max(
            largest_quotient(weights[i], weights[k]) * Fraction(totals[k], totals[i])
            for i, k in pairs.T.tolist()
            if i != k
        )

    assert worst(SphereRelease.within(level, "1000km", cells=cells)) <= below_exp(Fraction(level))
    unrounded = SphereRelease(level / 1e6, cells=cells)  # what forgets that inputs are rounded breaks it
    assert worst(unrounded) > below_exp(Fraction(3, 2) * Fraction(level))


# ---------------------------------------------------------------- cells


@pytest.mark.parametrize("cells", [2, 3, 4, 5, 7, 10, 31, 100, 1000, 5000])
def test_the_covering_radius_covers_and_is_tight(cells):
    """100 000 places, points of all borders, and corners, where the largest distance is reached."""
    partition = EqualAreaCells(cells)
    radius, centres = partition.covering_radius(), partition.centres()
    places = earth.vectors_to_places(np.random.default_rng(1).normal(size=(100_000, 3)))
    assert earth.great_circle_distance(places, centres[partition.cell_of(places)]).max() <= radius
    borders = partition.borders()
    along = np.linspace(0.0, 1.0, 201 if cells < 100 else 5)
    south, west, north, east = (borders[:, [k]] for k in range(4))
    latitude = south + along * (north - south)
    sides = [
        np.stack(np.broadcast_arrays(latitude, longitude), axis=-1) for longitude in (west, east, (west + east) / 2)
    ]
    sides += [np.stack(np.broadcast_arrays(x, west + along * (east - west)), axis=-1) for x in (south, north)]
    reached = max(earth.great_circle_distance(side, centres[:, None]).max() for side in sides)
    assert radius * (1.0 - 1e-4) - 0.01 <= reached <= radius
    assert partition.covering_radius(radius=1.0) == pytest.approx(radius / EARTH_RADIUS)


def test_cells_at_poles_borders_and_on_the_date_line():
    release = release_of(100, 1.0)
    poles = release.cells_of([90.0, 90.0, -90.0], [0.0, -180.0, 360.0])
    assert poles.tolist() == [0, 0, 99]
    for latitude in (-60.0, 0.3, 44.0):
        same = release.cells_of([latitude] * 3, [180.0, -180.0, -179.999])
        assert len(set(same.tolist())) == 1
        assert release.cells_of(latitude, 179.999) != same[0]
    borders = EqualAreaCells(100).borders()
    middle = (borders[:, 0] + borders[:, 2]) / 2.0
    assert release.cells_of(middle, borders[:, 1] + 1e-9).tolist() == list(range(100))
    assert release.cells_of(middle, borders[:, 3] - 1e-9).tolist() == list(range(100))
    assert np.array_equal(release.cells_of(*EqualAreaCells(100).centres().T), np.arange(100))


def test_a_partition_of_a_users_own():
    release = SphereRelease.within(2.0, "3000km", cells=Octants())
    assert release.cells == 8 and release.certificate.loss("3000km") <= 2.0
    cells = release.randomise_cells(np.repeat(np.arange(8), 1000))
    assert sorted(set(cells.tolist())) == list(range(8))
    latitude, longitude = release.randomise_places([10.0, -10.0], [100.0, -100.0])
    assert set(np.abs(latitude).round(3).tolist()) == {35.264} and (np.abs(longitude) % 45.0 == 0.0).all()
    assert (
        largest_excess(
            [release.weights(i) for i in range(8)],
            angles_below(Octants().centres()),
            Fraction(release.certificate.cells) * Fraction(EARTH_RADIUS),
        )
        <= 1
    )


class Poles(Octants):
    """Octants whose triangles near the poles are said to be those of the next quarter: too far away."""

    def cell_of(self, places):
        cells = super().cell_of(places)
        return np.where(np.abs(np.asarray(places)[..., 0]) > 80.0, (cells + 2) % 4, cells)


def test_a_covering_radius_that_grows_is_refused():
    """The weights would keep another level than was promised."""
    partition, radius = Octants(), Octants().covering_radius()
    radii = iter([radius, 3.0 * radius])
    partition.covering_radius = lambda: next(radii)
    with pytest.raises(ValueError, match=r"one covering radius: the weights keep .*, and 2.0 was promised"):
        SphereRelease.within(2.0, "1000km", cells=partition)


def test_a_covering_radius_that_is_too_small_is_refused():
    """1 m, as no place had to move for its centre; and a bit less than the octants' own."""
    for less in (1.0, 0.999 * Octants().covering_radius()):
        partition = Octants()
        partition.covering_radius = lambda less=less: less
        for make in (SphereRelease, lambda level, cells: SphereRelease.within(2.0, "3000km", cells=cells)):
            with pytest.raises(ValueError, match="'covering_radius' within which every place has a centre"):
                make(1e-7, cells=partition)
    for ring in ([[0.0, 0.0], [0.0, 180.0]], [[0.0, 0.0], [0.0, 90.0], [0.0, 180.0], [0.0, -90.0]]):
        with pytest.raises(ValueError, match="'covering_radius'"):
            SphereRelease(1e-7, cells=Octants(ring))


@pytest.mark.parametrize("cells", [Octants(), Poles(), EqualAreaCells(2), EqualAreaCells(300)])
def test_every_place_is_within_the_covering_radius_of_what_stands_for_it(cells):
    """So the certificate's loss is that of the centres. By the partition's own word, Poles are not."""
    release = SphereRelease(1e-6, cells=cells)
    rng = np.random.default_rng(1)
    latitude = np.rad2deg(np.arcsin(rng.uniform(-1.0, 1.0, 100_000)))
    places = np.stack([latitude, rng.uniform(-180.0, 180.0, latitude.size)], axis=-1)
    centres, most = cells.centres(), cells.covering_radius() + 0.01

    def away(found):
        return earth.great_circle_distance(places, centres[found]).max()

    assert away(release.cells_of(*places.T)) <= most
    assert isinstance(cells, Poles) == (away(cells.cell_of(places)) > most)
    one = release.cells_of(*places[0])
    assert one.shape == () and one == release.cells_of(*places.T)[0]


def test_cells_of_a_partition_are_numbers_of_cells():
    for wrong in (lambda p: np.full(p.shape[:-1], 8), lambda p: np.zeros(p.shape[:-1]), lambda p: 0):
        partition = Octants()
        partition.cell_of = wrong
        with pytest.raises(ValueError, match="'cell_of' that gives one integer for each place"):
            SphereRelease(1e-6, cells=partition).cells_of([10.0, 20.0], [30.0, 40.0])


@pytest.mark.parametrize("seed", range(5))
def test_the_farthest_place_from_centres_by_a_fine_grid(seed):
    from dirpriv.exact.sphere import _farthest

    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((int(rng.integers(4, 40)), 3)) + (3.0 if seed == 0 else 0.0)  # one-sided
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    grid = earth.places_to_vectors(EqualAreaCells(40_000).centres())
    farthest = np.arccos(np.clip((grid @ vectors.T).max(axis=1), -1.0, 1.0)).max()
    assert farthest <= _farthest(vectors) <= farthest + 0.03  # cells of 0.018 rad


# ---------------------------------------------------------------- draws


@pytest.mark.parametrize(("cells", "per_radian"), [(12, 0.3), (100, 3.0), (500, 20.0)])
def test_frequencies_are_those_of_the_table(cells, per_radian):
    """χ² from three inputs, error rate 1e-6 each; of a level 3 % higher, and of Laplace rows, it fails."""
    release = release_of(cells, per_radian)
    for i in (0, cells // 3, cells - 1):
        counts = np.bincount(release.randomise_cells(np.full(DRAWS, i)), minlength=cells)
        weights = release.weights(i)
        assert p_value(counts, [weight / sum(weights) for weight in weights]) > ALPHA
        other = release_of(cells, (1.03 if per_radian > 1.0 else 1.2) * per_radian).weights(i)
        assert p_value(counts, [weight / sum(other) for weight in other]) < ALPHA


def test_inputs_of_many_cells_keep_their_order():
    """At 1 per kilometre next to nothing moves: every row has its own cell, whatever the order."""
    release = SphereRelease(1e-3, cells=300)
    cells = np.random.default_rng(1).permutation(np.repeat(np.arange(300), 40))
    assert np.array_equal(release.randomise_cells(cells), cells)
    latitude, longitude = release.randomise_places(*EqualAreaCells(300).centres()[cells].T)
    assert np.array_equal(np.stack([latitude, longitude], axis=-1), EqualAreaCells(300).centres()[cells])


def test_draws_come_from_the_operating_system_and_share_nothing(monkeypatch):
    release = release_of(100, 1.0)
    inputs = np.arange(100)
    copied = pickle.loads(pickle.dumps(release))
    first, again, other = (r.randomise_cells(inputs) for r in (release, release, copied))
    assert not np.array_equal(first, again) and not np.array_equal(first, other)
    assert copied.weights(7) == release.weights(7)
    asked = []
    urandom = os.urandom
    monkeypatch.setattr(os, "urandom", lambda count: asked.append(count) or urandom(count))
    release.randomise_cells(inputs)
    assert sum(asked) >= 16 * 100


def test_the_mean_error_of_the_distribution():
    """200 000 uniform inputs: 4.9 standard errors, error rate 1e-6; of a level 3 % higher it fails."""
    release = SphereRelease.within(4.0, "1000km", cells=300)
    centres = release.partition.centres()
    cells = np.random.default_rng(1).integers(0, 300, DRAWS)
    errors = earth.great_circle_distance(centres[cells], centres[release.randomise_cells(cells)])
    scale = errors.std() / math.sqrt(DRAWS)
    assert abs(errors.mean() - release.noise.mean_radius()) < 4.9 * scale
    other = SphereRelease.within(4.12, "1000km", cells=300)
    assert abs(errors.mean() - other.noise.mean_radius()) > 4.9 * scale


# ---------------------------------------------------------------- wrong inputs


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"level": 0.0}, "'level' must be positive"),
        ({"level": math.nan}, "'level' must be positive"),
        ({"level": "4"}, "'level' must be a positive finite number"),
        ({"radius": -1.0}, "'radius' must be positive"),
        ({"radius": "90min"}, "'radius' must be a length such as"),
        ({"radius": "1000 km/h"}, "'radius' must be a length such as"),
        ({"cells": 1}, "'cells' must be an integer of at least 2"),
        ({"cells": 0}, "'cells' must be an integer of at least 2"),
        ({"cells": 100.0}, "'cells' must be an integer"),
        ({"cells": True}, "'cells' must be an integer"),
        ({"cells": "100"}, "'cells' must be an integer"),
        ({"cells": 5001}, r"from 2 to 5000, .*5001 cells: 0\.2 GB.* use PlaneRelease"),
        ({"cells": 300_000}, r"300000 cells: 720 GB.* use PlaneRelease"),
        ({"cells": Octants([[0.0, 0.0]])}, "from 2 to 5000"),
        ({"cells": Octants([0.0, 0.0])}, r"shape \(cells, 2\)"),
        ({"cells": Octants([*Octants().centres(), [90.0, 0.0], [90.0, 10.0]])}, "two cells have one centre"),
        ({"cells": Octants([[91.0, 0.0], [0.0, 0.0]])}, "must hold latitudes"),
    ],
    ids=str,
)
def test_arguments_are_refused_in_one_line(changed, message):
    given = {"level": 4.0, "radius": "1000km", "cells": 100} | changed
    with pytest.raises(ValueError, match=message) as refused:
        SphereRelease.within(**given)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(("latitude", "longitude", "message"), COLUMNS, ids=str)
def test_columns_are_refused_by_row_and_rule(latitude, longitude, message):
    with pytest.raises(ValueError, match=message) as refused:
        release_of(12, 1.0).randomise_places(latitude, longitude)
    assert_names_no_value(refused.value, latitude, longitude)


@pytest.mark.parametrize(
    ("indices", "message"),
    [
        ([0, 12], "row 1 of 'indices' is no cell from 0 to 11"),
        ([-1], "row 0 of 'indices' is no cell"),
        ([0.0], "'indices' must be one column of integers"),
        ([[0]], "'indices' must be one column of integers"),
        (["0"], "'indices' must be one column of integers"),
    ],
)
def test_cells_are_refused_by_row_and_rule(indices, message):
    with pytest.raises(ValueError, match=message):
        release_of(12, 1.0).randomise_cells(indices)


def test_other_arguments_are_refused():
    release = release_of(12, 1.0)
    for wrong in (-1, 12, 1.0):
        with pytest.raises(ValueError, match="'cell'"):
            release.weights(wrong)
    with pytest.raises(ValueError, match="'epsilon'"):
        SphereRelease(-1.0, cells=12)
    with pytest.raises(TypeError):
        release.randomise_places([1.0], [2.0], rng=1)
    with pytest.raises(AttributeError, match="cannot be set"):
        release.cells = 5
    assert not hasattr(release.noise, "rvs")
    assert [x.shape for x in release.randomise_places([], [])] == [(0,), (0,)]
    assert release.randomise_cells(3).shape == ()
