"""Nearest places against brute force, where longitudes end and meridians meet too."""

import numpy as np
import pytest

from dirpriv.geometry import earth

NANOMETRES = 6e-9  # metres: what a coordinate in degrees and a unit vector can tell apart


def scattered(count, rng):
    """Places all over the globe, with a share of them at the poles, the 180th meridian and in one city."""
    places = np.stack([np.rad2deg(np.arcsin(rng.uniform(-1, 1, count))), rng.uniform(-180, 180, count)], -1)
    eighth = count // 8
    places[:eighth] = np.stack([90.0 - rng.exponential(1e-3, eighth), rng.uniform(-180, 180, eighth)], -1)
    places[eighth : 2 * eighth] = -places[:eighth]
    places[2 * eighth : 3 * eighth, 1] = 180.0 + rng.normal(0.0, 1e-3, eighth)
    places[3 * eighth : 5 * eighth] = rng.normal([40.75, -73.98], 0.05, (2 * eighth, 2))
    places[:4] = [[90.0, 12.0], [-90.0, 77.0], [10.0, 180.0], [10.5, -180.0]]
    return places


def unit_vectors(places):
    latitude, longitude = np.deg2rad(places).T
    across = np.cos(latitude)
    return np.stack([across * np.cos(longitude), across * np.sin(longitude), np.sin(latitude)], axis=1)


def assert_nearest(places, queries, index, metres):
    """No place is nearer than the one that was found; the distance is the one to it."""
    assert np.array_equal(metres, earth.great_circle_distance(queries, places[index]))
    for start in range(0, len(queries), 500):
        rows = slice(start, start + 500)
        cosines = unit_vectors(queries[rows]) @ unit_vectors(places).T
        # a cosine is known to 1e-15: none but these places can be the nearest
        query, place = np.nonzero(cosines >= cosines.max(axis=1, keepdims=True) - 1e-13)
        apart = earth.great_circle_distance(queries[rows][query], places[place])
        least = np.minimum.reduceat(apart, np.searchsorted(query, np.arange(len(cosines))))
        assert np.all(metres[rows] <= least + NANOMETRES)


def test_nearest_is_that_of_brute_force_on_10_000_points():
    rng = np.random.default_rng(1)
    places, queries = scattered(2_000, rng), scattered(10_000, rng)
    index, metres = earth.NearestPlaces(places).query(queries)
    assert_nearest(places, queries, index, metres)
    # flat degrees, which know no antimeridian, poles or narrow meridians, are caught
    flat = np.abs(queries[:200, None] - places).sum(axis=2).argmin(axis=1)
    wrong = earth.great_circle_distance(queries[:200], places[flat])
    with pytest.raises(AssertionError):
        assert_nearest(places, queries[:200], flat, wrong)


def test_metres_apart():
    """Venues at 1 m from each other, queries within: the nearest is found to micrometres."""
    rng = np.random.default_rng(2)
    for start in ([40.75, -73.98], [89.9999, 30.0], [-65.0, 180.0]):
        places = earth.destination(start, rng.uniform(0, 2 * np.pi, 1000), 30.0 * rng.random(1000))
        queries = earth.destination(start, rng.uniform(0, 2 * np.pi, 2000), 30.0 * rng.random(2000))
        index, metres = earth.NearestPlaces(places).query(queries)
        assert_nearest(places, queries, index, metres)
        assert np.median(metres) < 1.0
    places = earth.destination([40.75, -73.98], np.pi / 2, np.array([0.0, 1e-3]))
    between = earth.destination([40.75, -73.98], np.pi / 2, np.array([0.4999e-3, 0.5001e-3]))
    assert earth.NearestPlaces(places).query(between)[0].tolist() == [0, 1]  # 200 nm decide


def test_of_the_same_point_the_first_is_returned():
    same = [[10.0, 180.0], [90.0, 5.0], [1.0, 2.0], [10.0, -180.0], [90.0, -60.0], [1.0, 2.0], [-0.0, 3.0], [0.0, 3.0]]
    nearest = earth.NearestPlaces(same)
    assert len(nearest) == 8
    assert nearest.query(same)[0].tolist() == [0, 1, 2, 0, 1, 2, 6, 6]
    assert nearest.query(same)[1].max() < NANOMETRES
    many = np.tile([[5.0, 5.0], [6.0, 6.0]], (50_000, 1))  # a tree of equal points would be one long branch
    assert earth.NearestPlaces(many).query([[5.1, 5.1], [5.9, 6.0]])[0].tolist() == [0, 1]


def test_ends_of_the_earth():
    alone = earth.NearestPlaces([[30.0, 20.0]])
    index, metres = alone.query([-30.0, -160.0])
    assert index == 0 and metres == np.pi * earth.EARTH_RADIUS
    # near the antipode chords hardly tell distances apart: a decimetre, as documented
    rng = np.random.default_rng(3)
    places = earth.destination([30.0, 20.0], rng.uniform(0, 2 * np.pi, 300), 0.5 * rng.random(300))
    queries = earth.destination([-30.0, -160.0], rng.uniform(0, 2 * np.pi, 300), 0.5 * rng.random(300))
    metres = earth.NearestPlaces(places).query(queries)[1]
    excess = metres - earth.great_circle_distance(queries[:, None], places).min(axis=1)
    assert 1e-3 < excess.max() < 0.1


def test_shapes_blocks_and_threads():
    rng = np.random.default_rng(4)
    nearest = earth.NearestPlaces(scattered(100, rng))
    queries = scattered(150_000, rng)  # more than two blocks
    index, metres = nearest.query(queries)
    again = nearest.query(queries.reshape(3, 50_000, 2), workers=2)
    assert again[0].shape == again[1].shape == (3, 50_000)
    assert np.array_equal(again[0].ravel(), index) and np.array_equal(again[1].ravel(), metres)
    single = nearest.query(queries[140_000])
    assert single[0] == index[140_000] and single[1] == metres[140_000]
    assert np.ndim(single[0]) == 0
    assert nearest.query(np.empty((0, 2)))[0].shape == (0,)


def test_of_vectors_as_of_places():
    rng = np.random.default_rng(5)
    nearest, queries = earth.NearestPlaces(scattered(2_000, rng)), scattered(10_000, rng)
    vectors, index = earth.places_to_vectors(queries), nearest.query(queries)[0]
    assert np.array_equal(nearest.query_vectors(vectors), index)
    assert np.array_equal(nearest.query_vectors(vectors.reshape(2, -1, 3), workers=2).ravel(), index)
    assert nearest.query_vectors(vectors[7]) == index[7] and np.ndim(nearest.query_vectors(vectors[7])) == 0
    assert not np.array_equal(nearest.query_vectors(vectors[:, [1, 0, 2]]), index)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: earth.NearestPlaces(np.empty((0, 2))), "with at least one; got \\(0, 2\\)"),
        (lambda: earth.NearestPlaces([1.0, 2.0]), "'places' must have the shape \\(k, 2\\)"),
        (lambda: earth.NearestPlaces([[91.0, 0.0]]), "row 0 of 'places' must hold latitudes in \\[-90, 90\\] degrees"),
        (lambda: earth.NearestPlaces([[1.0, 0.0]]).query([[np.nan, 0.0]]), "must hold finite degrees"),
        (lambda: earth.NearestPlaces([[1.0, 0.0]]).query([[0.0, 0.0, 1.0]]), "latitude and longitude"),
        (lambda: earth.NearestPlaces([[1.0, 0.0]]).query_vectors([[0.0, 0.0]]), "vectors of length 3"),
        (lambda: earth.NearestPlaces([[1.0, 0.0]]).query_vectors([np.nan, 0.0, 0.0]), "finite"),
    ],
)
def test_bad_arguments_are_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()
