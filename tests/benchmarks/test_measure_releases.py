"""The measurement of releases measures releases: at a high level the inputs' cells come out, at 1 others.

At 1e6 a row leaves its cell with a probability below 1e-19. At 1 it stays with one of .29 at most (places of
the globe): fewer than 10 of 100 rows move with one below 1e-40.
"""

import datetime

import measure_releases
import numpy as np
import pytest
from measure_releases import CITY, inputs, measure

from dirpriv.release import CircleRelease, PlaneRelease, SphereRelease

pytestmark = pytest.mark.sweep

COUNT = 100
GLOBE, PLANE = SphereRelease.within(4.0, "1000km", cells=1000), PlaneRelease.within(1.0, "200m", **CITY)


def cells_of(name, column):
    """The cells of what came out: minutes of the day, or cells of the plane or of the globe."""
    if name == "places of the globe":
        return GLOBE.cells_of(*column).tolist()
    if "places" in name:
        return np.stack(PLANE.cells_of(*column), axis=-1).tolist()
    if name == "cells of the circle":
        return column.tolist()
    if name == "angles":
        return np.floor(column * (720.0 / np.pi)).tolist()
    return [minute(value) for value in (column.tolist() if isinstance(column, np.ndarray) else column)]


def minute(value):
    """The minute of the day of an hour, a duration, a time or a text; NumPy gives durations in µs."""
    if isinstance(value, float | int):
        return int(value * 60.0) if isinstance(value, float) else value // 60_000_000
    if isinstance(value, datetime.timedelta):
        return value // datetime.timedelta(minutes=1)
    hours, minutes = str(value).split(":")[:2]
    return 60 * int(hours) + int(minutes)


def assert_releases_are_measured():
    hours, city, globe = inputs(COUNT)
    given = {
        "places of the globe": cells_of("places of the globe", globe),
        "places of a city": cells_of("places of a city", city),
        "columns of places": cells_of("columns of places", city),
    }
    names = []
    for (name, seconds, noisy), (_, _, sure) in zip(measure(COUNT), measure(COUNT, 1e6), strict=True):
        expected = given.get(name, np.floor(hours * 60.0).tolist())
        assert seconds > 0.0, name
        assert cells_of(name, sure) == expected, f"{name}: other cells than of the inputs came out"
        moved = [a != b for a, b in zip(cells_of(name, noisy), expected, strict=True)]
        assert sum(moved) >= 10, f"{name}: no noise was added"
        names.append(name)
    return names


def test_every_kind_is_measured():
    names = assert_releases_are_measured()
    assert len(names) >= 18 and "lists of datetime" in names


@pytest.mark.parametrize("drawn", ["cell 0", "no noise"])
def test_what_is_no_release_is_noticed(drawn, monkeypatch):
    def wrong(self, cells):
        return 0 * cells if drawn == "cell 0" else cells

    monkeypatch.setattr(CircleRelease, "randomise_cells", wrong)
    monkeypatch.setattr(measure_releases.release, "times", lambda column, **call: column)
    with pytest.raises(AssertionError, match="other cells" if drawn == "cell 0" else "no noise"):
        assert_releases_are_measured()
