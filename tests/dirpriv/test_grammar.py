"""One grammar of texts, units and periods: the same at every door, or refused there by the same text."""

import datetime
import re
from fractions import Fraction

import numpy as np
import pytest
from sweeps import thinned

from dirpriv import planner, release
from dirpriv._inputs import units
from dirpriv._inputs.times import kind_of_text
from dirpriv.geometry import hours_to_angles
from dirpriv.mechanisms import PlanarLaplaceMechanism, PurkayasthaMechanism, VectorLaplaceMechanism
from dirpriv.release import CircleRelease

SURE = 1e7  # a level at which no report leaves its minute
CELLS = 8640  # of ten seconds, so that a radius is told to 0.1 %

# texts, and the minutes of the day that they are; None where they are refused
TEXTS = {
    "08:15": 495.0,
    "8:15": 495.0,
    "08:15:30": 495.5,
    "08:15:30.25": 495.5 + 0.25 / 60,
    " 08:15  ": 495.0,
    "24:00": 0.0,
    "24:00:00.0": 0.0,
    "2024-03-05 08:15": 495.0,
    "2024-03-05T08:15": 495.0,
    "2024-03-05T08:15:30.25": 495.5 + 0.25 / 60,
    "1900-02-28 23:59": 1439.0,
    "0000-01-01 08:15": 495.0,
    "8.25": 495.0,
    "8.1": 486.0,
    "8.": 480.0,
    "024.000": 0.0,
    "1e-5": 6e-4,
    "24:01": None,
    "08:60": None,
    "8:5": None,
    "\t08:15": None,
    "08h15": None,
    "8:15 PM": None,
    "٠٨:١٥": None,
    "2024-02-30 08:15": None,
    "2024-03-05 8:15": None,
    "2024-03-05 24:00": None,
    "2024-03-05": None,
    "2024-03-05  08:15": None,
    "05.03.2024 08:15": None,
    "2024-03-05T08:15Z": None,
    "2024-03-05T08:15:30+01:00": None,
    "24.01": None,
    "-1": None,
    "+8.25": None,
    "8,25": None,
    "1e5": None,
    "nan": None,
    "inf": None,
    "8.123456789012345678901": None,  # of more digits than are read
}


def by_mechanism(texts, _folder, period="24h"):
    return PurkayasthaMechanism.within(SURE, "3h").randomise_times(texts, period=period)


def by_circle(texts, _folder, period="24h"):
    return CircleRelease.within(SURE, "3h", period=period).randomise_times(texts)


def unit_of(texts):
    """Hours, where the first of them is a number."""
    return "h" if kind_of_text(texts[0]) == "number" else None


def by_column(texts, _folder, period="24h"):
    found = release.times(texts, level=SURE, radius="3h", period=period, unit=unit_of(texts))
    return np.asarray(hours_to_angles(found, period=period)) * 24.0 / (2.0 * np.pi)


def by_file(texts, folder, period="24h"):
    source = folder / "true.csv"
    source.write_text("arrival\n" + "".join(f'"{text}"\n' for text in texts), encoding="utf-8")
    how = {"level": SURE, "radius": "3h", "period": period, "unit": unit_of(texts)}
    release.file(source, folder / "private.csv", time="arrival", **how)
    (released,) = release.read_released(folder / "private.csv")
    return (np.repeat(np.arange(1440), released.counts) + 0.5) / 60.0


REFUSALS = "is a text|is no time|is not a time|of a time zone|is not a number of hours|is no number of hours"
DOORS = [by_mechanism, by_circle, by_column, by_file]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "of" / "user"))
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.mark.parametrize(("text", "door"), thinned([*TEXTS], DOORS))
def test_texts_of_times_are_the_same_at_every_door(text, door, folder):
    minutes = TEXTS[text]
    if minutes is None:
        with pytest.raises(ValueError, match=REFUSALS):
            door([text], folder)
        return
    (found,) = np.asarray(door([text], folder)) * 60.0
    if door is by_mechanism:  # of a real number
        assert abs((found - minutes + 720.0) % 1440.0 - 720.0) < 1e-2
    else:  # of the middle of a minute
        assert found == pytest.approx(np.floor(minutes) + 0.5, abs=1e-6)


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_texts_of_two_kinds_are_refused_at_every_door(door, folder):
    with pytest.raises(ValueError, match=r"row [12] "):
        door(["08:15", "8.25"], folder)


@pytest.mark.parametrize("period", ["24h", "1d", "1440min", 24, 24.0, datetime.timedelta(days=1)], ids=str)
@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_periods_are_the_same_at_every_door(door, period, folder):
    (found,) = door(["2024-03-05 08:15"], folder, period=period)
    assert abs(found - 8.25) < 0.02


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
@pytest.mark.parametrize("period", ["a day", "200m", "45deg", "0h", "-24h", "24", None, True])
def test_what_is_no_period_is_refused_at_every_door(door, period, folder):
    with pytest.raises(ValueError, match=r"'period' must be (a duration such as|positive|a positive)"):
        door(["08:15"], folder, period=period)


# ---------------------------------------------------------------- radii on the circle


def of_mechanism(radius, _folder):
    return 1.0 / PurkayasthaMechanism.within(1.0, radius).guarantee.metric_level


def of_circle(radius, _folder):
    return hours_of(CircleRelease.within(1.0, radius, cells=CELLS))


def of_planner(radius, _folder):
    need = next(
        need
        for need in planner.sample_sizes("mean", 0.2, level=1.0, radius=radius)
        if (need.mechanism, need.calibration) == ("Purkayastha", "tight")
    )
    return 1.0 / need.noise.kappa


def of_column(radius, _folder):
    release.times(["08:15"], level=1.0, radius=radius)
    return of_request(radius)


def of_request(radius, _folder=None):
    return hours_of(release.TimeColumn("arrival", 1.0, radius, CELLS).release())


def of_file(radius, folder):
    (folder / "true.csv").write_text("arrival\n08:15\n")
    how = {"time": "arrival", "level": 1.0, "radius": radius, "cells": CELLS}
    guarantee = release.file(folder / "true.csv", folder / "private.csv", **how)
    again = release.read_guarantee(folder / "private.csv")
    assert again == guarantee and again.to_json() == guarantee.to_json()
    return hours_of(again.columns[0].release())


def hours_of(made):
    """Radians at which the level is 1, from that between cells."""
    return 1.0 / made.metric_level


RADII = {
    "3h": np.pi / 4,
    "180min": np.pi / 4,
    "1h 120min": np.pi / 4,
    " 3 h ": np.pi / 4,
    "0.125d": np.pi / 4,
    "10800s": np.pi / 4,
    "45deg": np.pi / 4,
    "0.5rad": 0.5,
    datetime.timedelta(hours=3): np.pi / 4,
    np.timedelta64(180, "m"): np.pi / 4,
}
NO_RADII = ["3", "", "3 o'clock", "3furlongs", "h", "-3h", "3h 45deg", "1deg 1rad", "200m", "1h2", "٣h"]
ON_CIRCLE = [of_mechanism, of_circle, of_planner, of_column, of_request, of_file]
WITH_RADIANS = [of_mechanism, of_circle, of_planner]
FORMS = "' must be a duration such as '75min', '3h', '1h 30min' or '7d', or an angle such as '45deg' or '0.5rad'"


@pytest.mark.parametrize(("radius", "door"), thinned([*RADII], ON_CIRCLE))
def test_radii_are_the_same_at_every_door(radius, door, folder):
    found = door(radius, folder)
    assert found == pytest.approx(RADII[radius], abs=0 if door is of_mechanism else 2 * np.pi / CELLS)


@pytest.mark.parametrize("door", ON_CIRCLE, ids=lambda door: door.__name__)
@pytest.mark.parametrize("radius", NO_RADII)
def test_what_is_no_radius_is_refused_by_one_text(radius, door, folder):
    with pytest.raises(ValueError, match=re.escape(FORMS)):
        door(radius, folder)


@pytest.mark.parametrize("door", ON_CIRCLE, ids=lambda door: door.__name__)
@pytest.mark.parametrize("radius", [0.5, 1])
def test_a_bare_number_is_radians_or_refused(radius, door, folder):
    if door in WITH_RADIANS:
        assert door(radius, folder) == pytest.approx(radius, abs=2 * np.pi / CELLS)
    else:
        with pytest.raises(ValueError, match=re.escape(FORMS)):
            door(radius, folder)


# ---------------------------------------------------------------- lengths, and other distributions


def test_lengths_are_the_same_at_every_door(folder):
    (folder / "true.csv").write_text("lat,lon\n40.75,-73.98\n")
    city = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "10m"}
    for number, text in enumerate(("200m", "0.2km", " 200 m", "100m 0.1km")):
        plane = release.PlaneRelease.within(1.0, text, **city)
        assert plane.certificate.cells == release.PlaneRelease.within(1.0, 200, **city).certificate.cells
        assert plane.certificate.loss(text) == plane.certificate.loss(200.0)
        output = folder / f"{number}.csv"
        how = {"latitude": "lat", "longitude": "lon", "level": 1.0, "radius": text, "rerelease": True}
        made = release.file(folder / "true.csv", output, **how, **city).columns[0].release()
        assert made.certificate.cells == plane.certificate.cells
        assert PlanarLaplaceMechanism.within(1.0, text).noise.kappa == 1.0 / 200.0
        release.places([40.75], [-73.98], level=1.0, radius=text, **city)
    for wrong in ("200", "3h", "45deg", "200 miles", ""):
        for door in (
            lambda wrong: release.PlaneRelease.within(1.0, wrong, **city),
            lambda wrong: release.places([40.75], [-73.98], level=1.0, radius=wrong, **city),
            lambda wrong: PlanarLaplaceMechanism.within(1.0, wrong),
            lambda wrong: release.file(folder / "true.csv", folder / "n.csv", **(how | {"radius": wrong}), **city),
        ):
            with pytest.raises(ValueError, match=r"must be a length such as '200m' or '1\.5km'"):
                door(wrong)


def test_a_duration_is_an_angle_on_the_circle_alone():
    assert PurkayasthaMechanism.within(1.0, "45deg", dim=3).noise.kappa == pytest.approx(4.0 / np.pi, rel=1e-15)
    with pytest.raises(ValueError, match="'radius' must be an angle such as '45deg'"):
        PurkayasthaMechanism.within(1.0, "3h", dim=3)
    with pytest.raises(ValueError, match="'radius' must be a number; got '200m'"):
        VectorLaplaceMechanism.within(1.0, "200m")


def test_a_new_unit_is_one_line(monkeypatch):
    """The names in the pattern are those of the table, and each has a kind that is described."""
    assert set(re.findall(r"[a-z]+", units._NAMES)) == set(units._UNITS)
    assert {kind for kind, _ in units._UNITS.values()} == {*units.CIRCLE, *units.LENGTH}
    monkeypatch.setitem(units._UNITS, "m", ("length", Fraction(9144, 10_000)))
    assert units.metres("radius", "100m") == Fraction(9144, 100)
