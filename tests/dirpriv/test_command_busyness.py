"""The command for the hours of places: what it prints, writes and draws, and what it refuses."""

import csv
import json
from pathlib import Path

import databases
import numpy as np
import pytest
from command_runs import folder, released_times, released_visits, run

from dirpriv import pictures
from dirpriv.estimators import estimate_busyness
from dirpriv.geometry import earth

pytestmark = pytest.mark.usefixtures("folder")
MIDDLE = (40.75, -73.98)
EAST = tuple(earth.destination(MIDDLE, np.pi / 2.0, 1000.0).tolist())
AROUND = ("--at", "40.75,-73.98", "--around", "1500m", "--districts", 3)
VENUES = f"item,latitude,longitude\ncafe,{MIDDLE[0]},{MIDDLE[1]}\nbar,{EAST[0]},{EAST[1]}\n"


@pytest.fixture(autouse=True)
def database(monkeypatch):
    databases.share(monkeypatch)


@pytest.fixture
def visits():
    """Twelve hundred people, a third at night in the east, the others in the morning in the middle."""
    hours, people = np.repeat([9, 21], [800, 400]), np.repeat([MIDDLE, EAST], [800, 400], axis=0)
    return released_visits("visits.csv", hours, people, max_rows_per_person=1)


def document(*words):
    ran = run("busyness", *words, "--json", "-")
    assert (ran.status, ran.err) == (0, "")
    (result,) = json.loads(ran.out)["results"]
    return result


def test_hours_are_those_of_the_estimator(visits):
    """The reports of both columns row by row; a wrong variant takes the columns in other orders."""
    times, places = visits
    rows = list(csv.reader(Path("visits.csv").open(encoding="utf-8")))[1:]
    cells = times.cells_of([time for time, *_ in rows])
    at = np.array([row[1:] for row in rows], dtype=float)
    metres = np.stack(places.release().cells_of(*at.T), axis=-1) * 100.0
    noises = times.release().noise, places.release().noise
    angles = (cells + 0.5) * (2.0 * np.pi / 96)
    how = {"reach": 1500.0, "districts": 3, "region": (0.0, 0.0, 30e3), "bins": 4}
    result = document("visits.csv", *AROUND, "--bins", 4)
    assert result["count"] == 1200 and result["blur"] == 6.0 and result["blur_metres"] == 1000.0
    right, wrong = (estimate_busyness(each, metres, *noises, **how) for each in (angles, angles[::-1]))
    found = {place["place"]: place for place in result["places"]}
    assert len(found) == 9 and result["places"][0]["share"] == pytest.approx(max(right.shares[right.asked]), abs=1e-4)
    for of, is_same in ((right, True), (wrong, False)):
        middle = int(np.flatnonzero((np.abs(of.places) < 1.0).all(axis=1))[0])
        shares = [bin.get("unblurred", bin["share"]) for bin in found["40.7500, -73.9800"]["bins"]]
        assert (shares == pytest.approx(of.hours[middle], abs=1e-3)) is is_same


def test_venues_of_a_list_have_their_own_hours(visits):
    Path("venues.csv").write_text(VENUES, encoding="utf-8")
    result = document("visits.csv", "--venues", "venues.csv", "--bins", 4)
    busiest = {of["place"]: max(of["bins"], key=lambda bin: bin["share"])["from"] for of in result["places"]}
    assert busiest == {"cafe": "06:00", "bar": "18:00"}
    assert {of["place"]: of["share"] for of in result["places"]} == pytest.approx(
        {"cafe": 2 / 3, "bar": 1 / 3}, abs=0.1
    )
    items = np.repeat([0, 1], [400, 200])
    released_visits("items.csv", np.repeat([9, 21], [400, 200]), items, VENUES, max_rows_per_person=1)
    ran = run("busyness", "items.csv", "--bins", 4, "--csv", "hours.csv")
    assert ran.status == 0 and "cafe: " in ran.out and "narrow" not in ran.out
    rows = list(csv.DictReader(Path("hours.csv").open(encoding="utf-8")))
    assert [row["place"] for row in rows] == ["cafe"] * 4 + ["bar"] * 4
    assert sum(float(row["share"]) for row in rows[:4]) == pytest.approx(1.0, abs=0.1)


def test_the_picture_has_a_panel_for_each_district(visits, monkeypatch):
    """As on a map: the panel of the east, in which people are at night, is at the right."""
    drawn = []
    draw = pictures.draw_busyness
    monkeypatch.setattr(pictures, "draw_busyness", lambda *a, **k: drawn.append(draw(*a, **k)) or drawn[0])
    assert run("busyness", "visits.csv", *AROUND, "--bins", 4, "--plot", "a.png").status == 0
    panels = np.reshape(drawn[0].axes, (3, 3))
    heights = {
        (row, column): [bar.get_height() for bar in panels[row, column].patches[:4]]
        for row in (1,)
        for column in (1, 2)
    }
    assert int(np.argmax(heights[1, 1])) == 1 and int(np.argmax(heights[1, 2])) == 3
    assert panels[0, 2].get_title() == "1 km east" and panels[1, 1].get_title() == ""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "say which places: --at and --around of a square, or --venues of a public list"),
        (("--at", "41.9,-73.98", "--around", "500m"), "--at must be in the region of the release, within 30km"),
        (("--at", "40.75", "--around", "500m"), "--at: must be LATITUDE,LONGITUDE"),
        (
            ("--venues", "v.csv", "--around", "1km"),
            "--at, --around and --districts are of a square, and not of the venues",
        ),
        ((*AROUND[:4], "--districts", 40), "--districts with those within 4 mean noises"),
        ((*AROUND[:3], "450m", *AROUND[4:], "--bins", 96), "96 bins of districts of 300 have an error of"),
        ((*AROUND, "--places", "time"), "--places must be one of 'lat'; got 'time'"),
    ],
)
def test_refusals_are_in_terms_of_options(visits, words, said):
    ran = run("busyness", "visits.csv", *words)
    assert ran.status == 2 and ran.out == "" and said in ran.err and len(ran.err.splitlines()) == 1


def test_a_file_without_both_columns_is_refused():
    released_times("private.csv", np.arange(24).repeat(2) * 60)
    ran = run("busyness", "private.csv", "--at", "40.75,-73.98", "--around", "500m")
    assert ran.status == 2 and "'private.csv' has no places: use 'dirpriv histogram'" in ran.err
