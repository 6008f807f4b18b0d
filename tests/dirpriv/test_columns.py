"""Columns of angles, times and places are drawn as the vectors are; what is given for something else is refused."""

import datetime as dt

import numpy as np
import pytest

from dirpriv import geometry
from dirpriv.geometry import earth
from dirpriv.geometry.earth import EARTH_RADIUS
from dirpriv.mechanisms import (
    ClippedLaplaceMechanism,
    PlanarLaplaceMechanism,
    PolarLaplaceMechanism,
    PurkayasthaMechanism,
    RotationLaplaceMechanism,
    VectorLaplaceMechanism,
    VonMisesFisherMechanism,
    WrappedLaplaceMechanism,
)

CIRCLE = [
    PurkayasthaMechanism(dim=2, epsilon=1.0),
    VonMisesFisherMechanism(dim=2, epsilon=1.0),
    WrappedLaplaceMechanism(dim=2, epsilon=1.0),
    ClippedLaplaceMechanism.pure(epsilon=1.0),
]
SPHERE = [
    PurkayasthaMechanism(dim=3, epsilon=1e5),
    VonMisesFisherMechanism(dim=3, epsilon=1e5),
    PolarLaplaceMechanism(epsilon=1e5, calibration="published"),
]
PLANE = PlanarLaplaceMechanism.within(level=np.log(4), radius=200.0)
NEW_YORK = np.array([[40.75, -73.98], [40.7, -74.0], [-33.9, 151.2]])


def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize("mechanism", CIRCLE, ids=lambda m: type(m).__name__)
def test_angles_and_times_are_those_of_the_vectors(mechanism):
    hours = np.random.default_rng(1).uniform(0.0, 24.0, 1000)
    angles = geometry.hours_to_angles(hours)
    noisy = mechanism.randomise_angles(angles, rng=rng())
    times = mechanism.randomise_times(hours, rng=rng())
    assert np.array_equal(times, geometry.angles_to_hours(noisy)) and times.min() >= 0.0 and times.max() < 24.0
    week = mechanism.randomise_times(7.0 * hours, period=168.0, rng=rng())
    assert np.allclose(week, 7.0 * times, rtol=1e-12, atol=1e-11)
    assert isinstance(mechanism.randomise_times(8.25, rng=rng()), float)
    assert isinstance(mechanism.randomise_angles(1.0, rng=rng()), float)
    assert mechanism.randomise_angles(angles.reshape(10, 100)).shape == (10, 100)
    assert not np.array_equal(mechanism.randomise_times(hours), mechanism.randomise_times(hours))
    assert mechanism.randomise_angles([]).shape == mechanism.randomise_times([]).shape == (0,)
    single = angles.astype(np.float32)
    of_doubles = mechanism.randomise_angles(single.astype(float), rng=rng())
    assert np.array_equal(mechanism.randomise_angles(single, rng=rng()), of_doubles)
    for count in (1, 1000, 40_000, 100_000):  # of the generator itself and of streams
        angles = np.linspace(-2.0 * np.pi, 4.0 * np.pi, count)
        vectors = mechanism.randomise(geometry.angles_to_vectors(angles), rng=rng())
        noisy = mechanism.randomise_angles(angles, rng=rng())
        assert geometry.circular_distance(noisy, geometry.vectors_to_angles(vectors)).max() < 4e-15
        assert noisy.min() >= 0.0 and noisy.max() < 2.0 * np.pi


def test_times_of_every_kind_are_one_time():
    mechanism = CIRCLE[0]
    expected = mechanism.randomise_times([8.25, 20.5], rng=rng())
    stamps = np.array(["2024-01-01T08:15", "1955-01-01T20:30"], dtype="datetime64[s]")
    for times in (stamps, stamps.astype("datetime64[ns]"), ["08:15", "20:30"], [dt.time(8, 15), dt.time(20, 30)]):
        assert np.array_equal(mechanism.randomise_times(times, rng=rng()), expected)
    pd = pytest.importorskip("pandas")
    column = pd.Series(stamps)
    for times in (column, column.dt.tz_localize("America/New_York"), pd.DatetimeIndex(column), column.dt.time):
        assert np.array_equal(mechanism.randomise_times(times, rng=rng()), expected)


@pytest.mark.parametrize("mechanism", SPHERE, ids=lambda m: type(m).__name__)
def test_places_are_those_of_the_vectors(mechanism):
    noisy = mechanism.randomise(earth.places_to_vectors(NEW_YORK), rng=rng())
    places = np.stack(mechanism.randomise_places(*NEW_YORK.T, rng=rng()), axis=-1)
    assert np.array_equal(places, earth.vectors_to_places(noisy))
    assert earth.great_circle_distance(NEW_YORK, places).max() < 40.0 * EARTH_RADIUS / np.sqrt(1e5)
    assert all(isinstance(degrees, float) for degrees in mechanism.randomise_places(*NEW_YORK[0]))


def test_places_in_metres():
    places = np.stack(PLANE.randomise_places(*NEW_YORK.T, rng=rng()), axis=-1)
    assert np.array_equal(places, PLANE.noise.rvs_places(NEW_YORK, rng=rng()))
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame(NEW_YORK, columns=["lat", "lon"])
    assert np.array_equal(PLANE.randomise_places(table["lat"], table["lon"], rng=rng()), places.T)
    with pytest.raises(ValueError, match="'latitude' comes first and 'longitude' second"):
        PLANE.randomise_places(table["lon"], table["lat"])


DEGREES = "randomise_places"
TIMES = "randomise_times"
NAT = np.array(["2024-01-01", "NaT"], dtype="datetime64[s]")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        # degrees for metres, and for unit vectors
        (lambda: PLANE.randomise(NEW_YORK), "'x' looks like latitude and longitude in degrees.*" + DEGREES),
        (lambda: PLANE.randomise(NEW_YORK[0]), DEGREES),
        (lambda: SPHERE[0].randomise(NEW_YORK), r"got shape \(3, 2\): latitude and longitude .*" + DEGREES),
        (lambda: SPHERE[0].randomise(NEW_YORK[0]), DEGREES),
        (lambda: CIRCLE[0].randomise(NEW_YORK), "row 0 of 'x' is no unit vector.*" + DEGREES),
        (lambda: CIRCLE[0].randomise_angles([40.75, 1.0]), "row 0 of 'angles' is not in radians.*numpy.deg2rad"),
        # hours for vectors
        (lambda: CIRCLE[0].randomise([8.25, 13.5, 22.0]), r"got shape \(3,\): .*" + TIMES),
        (lambda: CIRCLE[0].randomise([8.25, 13.5]), "is no unit vector.*" + TIMES),
        (lambda: CIRCLE[0].randomise(8.25), r"got shape \(\): .*" + TIMES),
        (lambda: CIRCLE[0].randomise(["08:15"]), TIMES),
        (lambda: CIRCLE[0].randomise(NAT[:1]), TIMES),
        (lambda: CIRCLE[0].randomise_angles(NAT[:1]), TIMES),
        (lambda: CIRCLE[0].randomise_angles(["08:15"]), TIMES),
        (lambda: SPHERE[0].randomise([8.25, 13.5, 22.0]), "row|'x' is no unit vector"),
        (lambda: SPHERE[0].randomise([8.25] * 5), TIMES + ".*dim=2"),
        (lambda: PLANE.randomise([8.25] * 5), "points of length 2"),
        # times in another unit
        (lambda: CIRCLE[0].randomise_times([8.0, 495.0]), "row 1 of 'times' is not a number of hours from 0 to 24"),
        (lambda: CIRCLE[0].randomise_times([-1.0]), "row 0 of 'times' is not a number of hours"),
        # metres for degrees
        (lambda: PLANE.randomise_places([1.0, 500.0], [1.0, 1.0]), "row 1 of 'latitude' is not between -90 and 90"),
        (lambda: PLANE.randomise_places([1.0], [500.0]), "row 0 of 'longitude' is not between -180 and 360"),
        (lambda: SPHERE[0].randomise_places([-100.0], [40.0]), "give latitudes, then longitudes"),
        (lambda: SPHERE[0].randomise_places([1.0, 2.0], [3.0]), r"of one length; got the shapes \(2,\)"),
        (lambda: SPHERE[0].randomise_places(NAT[:1], [1.0]), "'latitude' contains times"),
        # missing rows
        (lambda: CIRCLE[0].randomise_times(NAT), "row 1 of 'times' has no value"),
        (lambda: CIRCLE[0].randomise_times([8.0, np.nan]), "row 1 of 'times'"),
        (lambda: CIRCLE[0].randomise_angles([1.0, np.nan]), "row 1 of 'angles' is nan"),
        (lambda: CIRCLE[0].randomise_angles([1.0, None]), "row 1 of 'angles' has no value"),
        (lambda: CIRCLE[0].randomise([[1.0, 0.0], [np.nan, 0.0]]), "row 1 of 'x' has a coordinate that is nan"),
        (lambda: PLANE.randomise([[1.0, 0.0], [np.inf, 0.0]]), "row 1 of 'x' must hold finite coordinates"),
        (lambda: PLANE.randomise_places([1.0, np.nan], [0.0, 0.0]), "row 1 of 'latitude' .*nan"),
        (lambda: CIRCLE[0].randomise(np.ma.array([[1.0, 0.0]], mask=True)), r"row \(0, 0\) of 'x' is masked"),
        (lambda: CIRCLE[0].randomise([[1.0 + 1j, 0.0]]), "real numbers; got the type complex128"),
        # a space without them
        (lambda: SPHERE[0].randomise_angles([1.0]), "PurkayasthaMechanism with dim=3 has no randomise_angles"),
        (lambda: PLANE.randomise_times([1.0]), "PlanarLaplaceMechanism with dim=2 has no randomise_times"),
        (lambda: CIRCLE[0].randomise_places(*NEW_YORK.T), "with dim=2 does not take places"),
        (lambda: VectorLaplaceMechanism(dim=3, epsilon=1.0).randomise_places(*NEW_YORK.T), "does not take places"),
        (lambda: RotationLaplaceMechanism(1.0).randomise_angles([1.0]), "RotationLaplaceMechanism has no"),
        (lambda: RotationLaplaceMechanism(1.0).randomise_places(*NEW_YORK.T), "does not take places"),
    ],
)
def test_what_is_given_for_something_else_is_refused(call, words):
    with pytest.raises(ValueError, match=words) as refusal:
        call()
    for value in ("40.75", "73.98", "8.25", "13.5", "495", "500"):
        assert value not in str(refusal.value)


def test_what_looks_odd_and_is_right_passes():
    """Points of a unit square, of a town in metres, and small noise near the origin are no degrees."""
    assert PlanarLaplaceMechanism.within(level=1.0, radius=0.1).randomise(NEW_YORK).shape == (3, 2)
    assert PLANE.randomise([[0.0, 0.0], [1.0, 0.5]]).shape == (2, 2)
    assert PLANE.randomise([*NEW_YORK.tolist(), [583_960.0, 4_507_523.0]]).shape == (4, 2)
    assert CIRCLE[0].randomise_times(["00:00"]).shape == (1,) and CIRCLE[0].randomise_times([24.0]).shape == (1,)
    assert SPHERE[0].randomise_places([90.0], [359.0])[0].shape == (1,)
    assert CIRCLE[0].randomise(np.array([[1.0, 0.0]], dtype=object)).shape == (1, 2)
    assert CIRCLE[0].randomise(np.array([[0.6, 0.8]], dtype=np.float32)).shape == (1, 2)


@pytest.mark.parametrize("kind", ["M8[s]", "M8[ns]", object])
def test_afternoons_are_times_of_a_period_of_twelve_hours(kind):
    """An error for 18:15 alone would also tell that somebody's time is after noon."""
    times = np.array(["2020-01-01T18:15", "2020-01-01T08:15"], "M8[s]").astype(kind)
    noisy = PurkayasthaMechanism(1e6).randomise_times(times, period=12)
    assert np.allclose(noisy, [6.25, 8.25], atol=1e-3)


def test_a_duration_is_no_angle_and_a_huge_number_is_refused_by_its_row():
    mechanism = PurkayasthaMechanism(1.0)
    with pytest.raises(ValueError, match="row 0 of 'angles' is no real number"):
        mechanism.randomise_angles(np.array([np.timedelta64(1, "s")], dtype=object))
    with pytest.raises(ValueError, match="row 1 of 'angles' is no real number"):
        mechanism.randomise_angles([1.0, 10**400])
    with pytest.raises(ValueError, match="row 1 of 'times'"):
        mechanism.randomise_times([1.0, 10**400])
