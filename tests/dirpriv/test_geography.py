"""Places, distances and destinations to a few nanometres, at the poles and across the 180th meridian."""

import mpmath
import numpy as np
import pytest

from dirpriv import geometry
from dirpriv.geometry import earth

RADIUS = earth.EARTH_RADIUS
STARTS = [
    (0.0, 0.0),
    (40.75, -73.98),
    (65.3, 179.9999999),
    (10.0, -180.0),
    (-89.99999, 179.999999),
    (89.999999, 12.0),
    (90.0, 33.0),
    (-90.0, -5.0),
]
NANOMETRES = 6e-9  # metres: a double of degrees is up to 3e-14, which is 3 nm


def exact_vector(latitude, longitude):
    return [
        mpmath.cos(latitude) * mpmath.cos(longitude),
        mpmath.cos(latitude) * mpmath.sin(longitude),
        mpmath.sin(latitude),
    ]


def exact_radians(place):
    return [mpmath.mpf(float(value)) * mpmath.pi / 180 for value in place]


def exact_distance(first, second):
    """Metres between two vectors of 40 digits."""
    apart = mpmath.sqrt(sum((x - y) ** 2 for x, y in zip(first, second, strict=True)))
    together = mpmath.sqrt(sum((x + y) ** 2 for x, y in zip(first, second, strict=True)))
    return 2 * mpmath.atan2(apart, together) * mpmath.mpf(RADIUS)


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("metres", [1e-3, 1.0, 10.0, 1e4, 9e6, 2.0015e7])
def test_destination_and_distance_against_40_digits(start, metres):
    with mpmath.workdps(40):
        for bearing in (0.0, 0.7, np.pi / 2, 3.0, np.pi, 5.5):
            reached = earth.destination(start, bearing, metres)
            latitude, longitude = exact_radians(start)
            way, turn = mpmath.mpf(metres) / mpmath.mpf(RADIUS), mpmath.mpf(bearing)
            ahead, aside = mpmath.sin(way) * mpmath.cos(turn), mpmath.sin(way) * mpmath.sin(turn)
            x = mpmath.cos(latitude) * mpmath.cos(way) - mpmath.sin(latitude) * ahead
            z = mpmath.sin(latitude) * mpmath.cos(way) + mpmath.cos(latitude) * ahead
            wanted = exact_vector(mpmath.atan2(z, mpmath.hypot(x, aside)), longitude + mpmath.atan2(aside, x))
            got = exact_vector(*exact_radians(reached))
            assert exact_distance(got, wanted) < NANOMETRES
            true = exact_distance(exact_vector(latitude, longitude), got)
            assert abs(earth.great_circle_distance(start, reached) - true) < NANOMETRES
            assert abs(earth.great_circle_distance(start, reached) - metres) < NANOMETRES


def test_the_usual_formulas_would_not_do():
    """arccos of the scalar product loses ten metres' last digits, flat degrees lose Oslo's longitude."""
    start = np.array([59.91, 10.75])
    reached = earth.destination(start, np.pi / 2, 10.0)
    vectors = earth.places_to_vectors([start, reached])
    assert abs(np.arccos(min(1.0, vectors[0] @ vectors[1])) * RADIUS - 10.0) > 1e-4
    assert abs(np.deg2rad(reached - start)[1] * RADIUS - 10.0) > 9.0
    assert abs(earth.great_circle_distance(start, reached) - 10.0) < NANOMETRES


def test_vectors_and_places_go_both_ways():
    rng = np.random.default_rng(1)
    places = np.stack([rng.uniform(-90, 90, 1000), rng.uniform(-180, 180, 1000)], axis=-1).reshape(10, 100, 2)
    vectors = earth.places_to_vectors(places)
    assert np.abs(np.linalg.norm(vectors, axis=-1) - 1.0).max() < 5e-16
    again = earth.vectors_to_places(7.0 * vectors)
    assert earth.great_circle_distance(places, again).max() < NANOMETRES
    assert np.allclose(
        geometry.angle_between_vectors(vectors[0], vectors[1]) * RADIUS,
        earth.great_circle_distance(places[0], places[1]),
        rtol=0,
        atol=NANOMETRES,
    )
    assert earth.places_to_vectors([0.0, 90.0]).round(15).tolist() == [0.0, 1.0, 0.0]


def test_ends_of_the_earth():
    half = np.pi * RADIUS
    assert earth.great_circle_distance([30.0, 20.0], [-30.0, -160.0]) == half
    assert earth.great_circle_distance([90.0, 1.0], [-90.0, 77.0]) == half
    assert earth.great_circle_distance([90.0, 1.0], [90.0, 99.0]) < 1e-8
    assert earth.great_circle_distance([12.3, 45.6], [12.3, 45.6]) == 0.0
    assert earth.great_circle_distance([1.0, 1.0], [1.0, 361.0]) < 1e-8
    assert earth.great_circle_distance([0.0, 0.0], [0.0, 90.0], radius=1.0) == np.pi / 2
    # past the antipode and all the way round
    ways = earth.destination([0.0, 10.0], 0.0, np.array([half, 1.5 * half, 2.0 * half, 2e6 * half]))
    there = [[0.0, -170.0], [-90.0, 0.0], [0.0, 10.0], [0.0, 10.0]]
    assert earth.great_circle_distance(ways, there)[:3].max() < 1e-8
    assert earth.great_circle_distance(ways[3], there[3]) < 1e-2  # 4e13 m are known to 4 mm
    longitude = earth.destination([0.0, 180.0], 0.0, [0.0, 1.0])[:, 1]
    assert np.all((longitude >= -180.0) & (longitude < 180.0))


def test_shapes():
    starts = np.zeros((5, 2))
    assert earth.destination(starts, np.zeros(5), 1.0).shape == (5, 2)
    assert earth.destination([0.0, 0.0], np.zeros(7), 1.0).shape == (7, 2)
    assert isinstance(float(earth.great_circle_distance([0, 0], [1, 1])), float)
    assert earth.great_circle_distance(starts, [1.0, 1.0]).shape == (5,)
    assert earth.places_to_vectors(np.empty((0, 2))).shape == (0, 3)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: earth.places_to_vectors([91.0, 0.0]), "'places' must hold latitudes in \\[-90, 90\\] degrees"),
        (lambda: earth.places_to_vectors([np.nan, 0.0]), "'places' must hold finite degrees"),
        (lambda: earth.places_to_vectors([1.0, 2.0, 3.0]), "got shape \\(3,\\)"),
        (lambda: earth.great_circle_distance([0, 0], [-90.5, 0]), "'second' must hold latitudes"),
        (lambda: earth.vectors_to_places([1.0, 0.0]), "vectors of length 3"),
        (lambda: earth.destination([0, 0], 0.0, 1.0, radius=0.0), "'radius' must be positive"),
    ],
)
def test_bad_arguments_are_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()
