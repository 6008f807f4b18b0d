"""Conversions and distances, at the seams and at tiny angles."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import dirpriv
from dirpriv import InvalidArgument, geometry
from dirpriv.distributions import VonMisesFisher
from dirpriv.distributions.sampling import directions as drawing


def test_hours_and_angles():
    hours = np.array([0.0, 6.0, 12.0, 23.999, 24.0, -1.0, 49.0])
    assert np.allclose(geometry.angles_to_hours(geometry.hours_to_angles(hours)), np.mod(hours, 24.0))
    assert geometry.hours_to_angles(84.0, period=168.0) == np.pi
    assert geometry.angles_to_hours(-1e-20) == 0.0
    tiny = np.append(-np.geomspace(1e-300, 1e-15, 50), [0.3 - 0.1 - 0.2, np.nextafter(24.0, 0.0)])
    assert (geometry.hours_to_angles(tiny) < geometry.TURN).all()  # an interval without its end
    ends = np.nextafter(1e3 * np.arange(1.0, 100.0), 0.0)
    assert (geometry.hours_to_angles(ends, 1e3) < geometry.TURN).all()
    assert isinstance(float(geometry.hours_to_angles(3)), float)
    with pytest.raises(ValueError, match="'period' must be positive"):
        geometry.hours_to_angles(1.0, period=0.0)


def test_angles_and_vectors():
    angles = np.linspace(0.0, 6.28, 50).reshape(5, 10)
    vectors = geometry.angles_to_vectors(angles)
    assert vectors.shape == (5, 10, 2)
    assert np.allclose(geometry.vectors_to_angles(3.0 * vectors), angles)
    assert geometry.vectors_to_angles([1.0, -1e-30]) == 0.0
    with pytest.raises(ValueError, match="vectors of length 2"):
        geometry.vectors_to_angles([1.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="row 1 of 'vectors' has the length 0"):
        geometry.vectors_to_angles([[1.0, 0.0], [0.0, 0.0]])
    with pytest.raises(ValueError, match="'vectors' has the length 0"):
        geometry.earth.vectors_to_places([0.0, 0.0, 0.0])


@pytest.mark.parametrize("angle", [0.0, 1e-150, 1e-16, 1e-8, 0.5, 3.0, np.pi - 1e-8])
@pytest.mark.parametrize("start", [0.0, 1.0, 4.0])
def test_angular_distance_keeps_its_digits(angle, start):
    x = np.array([np.cos(start), np.sin(start), 0.0])
    across = np.array([0.0, 0.0, 1.0])
    y = np.cos(angle) * x + np.sin(angle) * across
    assert np.isclose(geometry.angle_between_vectors(x, y), angle, rtol=1e-15, atol=2e-16 * (angle > 1e-3))


def test_angular_distance_of_the_nearest_vectors_and_of_no_unit_vectors():
    for tiny in (1e-300, 1e-170, 1e-20):
        assert geometry.angle_between_vectors([1.0, 0.0], [1.0, tiny]) == pytest.approx(tiny, rel=1e-15)
    for x, y, name in (([2.0, 0.0], [1.0, 0.0], "x"), ([1.0, 0.0], [[0.0, 1.0], [0.0, 0.0]], "y")):
        with pytest.raises(InvalidArgument, match=f"'{name}' is no unit vector"):
            geometry.angle_between_vectors(x, y)


@pytest.mark.parametrize("count", [2, 37, 1000, 20_000])
def test_a_cell_of_equal_area_holds_its_north_west_corner(count):
    """23 % of 1000 corners lay in another cell, by the rounding of degrees."""
    cells = geometry.earth.EqualAreaCells(count)
    south, west, north, east = cells.borders().T
    assert np.array_equal(cells.cell_of(np.stack([north, west], axis=-1)), np.arange(count))
    inside = np.stack([south + 1e-9 * (north - south), east - 1e-9 * (east - west)], axis=-1)
    assert np.array_equal(cells.cell_of(inside), np.arange(count))


def test_sizes_of_draws_are_named():
    distribution = VonMisesFisher(2, 1.0)
    assert (
        distribution.rvs([1.0, 0.0], np.array(3), rng=1).shape
        == distribution.rvs([1.0, 0.0], (3,), rng=1).shape
        == (3, 2)
    )
    for size in (3.0, "3", (2, 2.5), np.array(2.0), 10**30, (2**40, 2**40)):
        with pytest.raises(InvalidArgument, match="'size' must be"):
            distribution.rvs([1.0, 0.0], size, rng=1)


def test_angle_between_keeps_the_digits_of_small_angles():
    for angle in (1e-300, 1e-17, 1e-10, 1e-7, 1e-5):
        assert geometry.circular_distance(0.0, angle) == pytest.approx(angle, rel=1e-10, abs=0.0)
        assert geometry.circular_distance(angle, 0.0) == pytest.approx(angle, rel=1e-10, abs=0.0)


def test_angle_between_goes_the_short_way():
    assert np.isclose(geometry.circular_distance(0.1, 2 * np.pi - 0.1), 0.2)
    assert np.allclose(geometry.circular_distance([0.0, 1.0, 5.0], [np.pi, 1.0, -20.0]), [np.pi, 0.0, 8 * np.pi - 25])
    assert geometry.circular_distance(np.empty(0), np.empty(0)).shape == (0,)


@pytest.mark.parametrize("dim", [2, 3, 7, 100])
def test_tangent_normal_keeps_norm_and_angle(dim):
    rng = np.random.default_rng(1)
    mu = rng.standard_normal((500, dim))
    mu /= np.linalg.norm(mu, axis=1, keepdims=True)
    theta = rng.random(500) * np.pi
    theta[:3] = 0.0, 1e-8, np.pi
    x = drawing.draw_at_angle(mu, theta, rng=2)
    assert np.abs(np.linalg.norm(x, axis=1) - 1.0).max() < 2e-15
    assert np.abs(geometry.angle_between_vectors(x, mu) - theta).max() < 3e-15
    one = drawing.draw_at_angle(mu[0], theta, rng=2)
    assert one.shape == (500, dim) and np.abs(geometry.angle_between_vectors(one, mu[0]) - theta).max() < 3e-15


@pytest.mark.parametrize("mu", [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [-1e-9, 1.0, 0.0]])
def test_tangent_normal_at_the_axes(mu):
    mu = np.array(mu) / np.linalg.norm(mu)
    x = drawing.draw_at_angle(mu, np.full(100, 1e-7), rng=3)
    assert np.abs(geometry.angle_between_vectors(x, mu) - 1e-7).max() < 1e-15


@pytest.mark.parametrize("mu", [[2.0, 0.0, 0.0], [[1.0, 0.0], [0.0, 3.0]], [1.0], 1.0, [0.0, 0.0], [np.nan, 1.0]])
def test_tangent_normal_takes_unit_vectors_alone(mu):
    """Of [2, 0, 0] it made a vector of norm .966."""
    with pytest.raises(InvalidArgument, match=r"'mu' (must hold vectors|is no unit vector)"):
        drawing.draw_at_angle(mu, 0.1)


# ---------------------------------------------------------------- numba without a cache

DRAWS = """
import sys, warnings
import numpy as np
import dirpriv.geometry as geometry
from dirpriv.distributions import Purkayastha

assert geometry.__file__.startswith(sys.argv[1]), geometry.__file__
if sys.argv[2] == "full":
    from numba.core.caching import Cache

    def save(*arguments):
        raise OSError(28, "No space left on device")

    Cache.save_overload = save
from dirpriv.distributions.sampling import directions as drawing

with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    draws = [Purkayastha(dim, 3.0).rvs(np.eye(dim)[0], 6000, rng=1) for dim in (5, 40, 5)]
drawing.COMPILED_SIZE = np.inf
plain = [Purkayastha(dim, 3.0).rvs(np.eye(dim)[0], 6000, rng=1) for dim in (5, 40, 5)]
assert all(np.array_equal(*both) for both in zip(draws, plain))
print([f"{w.category.__name__}: {w.message}" for w in told])
"""


@pytest.mark.parametrize("why", ["no folder", "full"])
def test_without_a_cache_for_numba_numpy_draws_after_one_warning(why, tmp_path):
    """No folder: where Python caches, and in the user's folder, a file stands in the way."""
    pytest.importorskip("numba", reason="numba is optional and not installed here: pip install dirpriv[fast]")
    package = Path(dirpriv.__file__).parent
    shutil.copytree(package, tmp_path / "dirpriv", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "file").touch()
    blocked = str(tmp_path / "file" / "folder")
    home = {} if why == "full" else {"HOME": blocked, "XDG_CACHE_HOME": blocked, "NUMBA_CACHE_DIR": blocked}
    if why != "full":
        (tmp_path / "dirpriv/distributions/sampling/__pycache__").touch()
    done = subprocess.run(
        [sys.executable, "-c", DRAWS, str(tmp_path), why],
        env={**os.environ, **home, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("RuntimeWarning") == done.stdout.count("numba cannot write its cache (") == 1
    assert "NUMBA_CACHE_DIR" in done.stdout and ("No space left" in done.stdout) == (why == "full")
