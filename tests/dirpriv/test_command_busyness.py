"""The command for the hours of places: what it prints, writes and draws, and what it refuses."""

import csv
import json
from pathlib import Path

import databases
import numpy as np
import pytest
from command_runs import CITY, folder, released_times, released_visits, run, same_draws, write_released

from dirpriv import pictures
from dirpriv.distributions import PlanarLaplace
from dirpriv.estimators import estimate_busyness
from dirpriv.geometry import earth
from dirpriv.release import CircleRelease, PlaceColumns, TimeColumn, VisitColumns

pytestmark = pytest.mark.usefixtures("folder")
MIDDLE = (40.75, -73.98)
EAST = tuple(earth.destination(MIDDLE, np.pi / 2.0, 400.0).tolist())
AROUND = ("--at", "40.75,-73.98", "--around", "600m", "--districts", 3)
COUNTS = [4000, 2000]  # of people in the middle, and in the east
VENUES = f"item,latitude,longitude\ncafe,{MIDDLE[0]},{MIDDLE[1]}\nbar,{EAST[0]},{EAST[1]}\n"


@pytest.fixture
def visits():
    """People, a third at night in the east, the others in the morning in the middle."""
    hours, people = np.repeat([9, 21], COUNTS), np.repeat([MIDDLE, EAST], COUNTS, axis=0)
    return released_visits("visits.csv", hours, people, level=4.0, max_rows_per_person=1)


def document(*words):
    ran = run("busyness", *words, "--json", "-")
    assert ran.err == "" and ran.status == 0
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
    how = {"reach": 600.0, "districts": 3, "region": (0.0, 0.0, 30e3), "bins": 4}
    result = document("visits.csv", *AROUND, "--bins", 4)
    assert result["count"] == 6000 and result["blur"] == 6.0 and result["blur_metres"] == 400.0
    right, wrong = (estimate_busyness(each, metres, *noises, **how) for each in (angles, angles[::-1]))
    found = {place["place"]: place for place in result["places"]}
    assert len(found) == 9 and result["places"][0]["share"] == pytest.approx(max(right.shares[right.asked]), abs=0.01)
    for of, is_same in ((right, True), (wrong, False)):
        middle = int(np.flatnonzero((np.abs(of.places) < 1.0).all(axis=1))[0])
        shares = [bin.get("unblurred", bin["share"]) for bin in found["40.7500, -73.9800"]["bins"]]
        assert (shares == pytest.approx(of.hours[middle], abs=0.02)) is is_same


def test_venues_of_a_list_have_their_own_hours(visits):
    Path("venues.csv").write_text(VENUES, encoding="utf-8")
    result = document("visits.csv", "--venues", "venues.csv", "--bins", 4)
    busiest = {of["place"]: max(of["bins"], key=lambda bin: bin["share"])["from"] for of in result["places"]}
    assert busiest == {"cafe": "06:00", "bar": "18:00"}
    assert {of["place"]: of["share"] for of in result["places"]} == pytest.approx(
        {"cafe": 2 / 3, "bar": 1 / 3}, abs=0.1
    )
    items = np.repeat([0, 1], COUNTS)
    released_visits("items.csv", np.repeat([9, 21], COUNTS), items, VENUES, max_rows_per_person=1)
    ran = run("busyness", "items.csv", "--bins", 4, "--csv", "hours.csv")
    assert ran.status == 0 and "cafe: " in ran.out and "narrow" not in ran.out
    rows = list(csv.DictReader(Path("hours.csv").open(encoding="utf-8")))
    assert [row["place"] for row in rows] == ["cafe"] * 4 + ["bar"] * 4
    assert sum(float(row["share"]) for row in rows[:4]) == pytest.approx(1.0, abs=0.1)


def test_one_noise_of_both_columns_is_taken_out_as_one():
    """The people in the middle come from 8 to 16; commands of one column refuse such a file."""
    times, places = TimeColumn("time", 8.0, "3h", 96), PlaceColumns(("lat", "lon"), 8.0, "200m", **CITY)
    both = VisitColumns(times, places)
    with same_draws(both):  # a cell is 100 m wide, and a quarter of an hour
        cells = both.release().randomise_cells(
            np.repeat([36, 84], COUNTS), np.repeat([0, 4], COUNTS), np.zeros(6000, int)
        )
    degrees = zip(*places.release().centres(*cells[1:]), strict=True)
    rows = [f"{times.label(cell)},{a:.6f},{b:.6f}" for cell, (a, b) in zip(cells[0], degrees, strict=True)]
    write_released("visits.csv", [both], rows, together="either")
    (place,) = document("visits.csv", *AROUND[:3], "200m", "--bins", 3)["places"]
    assert int(np.argmax([bin["share"] for bin in place["bins"]])) == 1 and "low" not in place["bins"][0]
    assert "one noise for times and places" in run("histogram", "visits.csv").err


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
    assert panels[0, 2].get_title() == "400 m east" and panels[1, 1].get_title() == ""
    assert drawn[0].get_suptitle().startswith("Hours of places around 40.75, -73.98, from 'time'\n6000 private reports")


def test_a_single_place_has_no_words_of_a_map_and_each_column_its_hours():
    """The lowest panel of a column, and the first one of a row, have the numbers of their axes."""
    times, places = CircleRelease.within(2.0, "3h").noise, PlanarLaplace(0.02)
    angles, venues = np.linspace(0.1, 6.2, 1000), np.array([[1000.0 * i, 0.0] for i in range(5)])
    one = estimate_busyness(angles, np.zeros((1000, 2)), times, places, reach=500.0, bins=3, confidence=None)
    (panel,) = pictures.draw_busyness(one).axes
    assert panel.get_title("center") == panel.get_ylabel() == ""
    several = estimate_busyness(
        angles, np.repeat(venues, 200, axis=0), times, places, venues=venues, bins=3, confidence=None
    )
    panels = pictures.draw_busyness(several).axes[:5]
    shown = [[axis.get_major_ticks()[0].label1.get_visible() for axis in (ax.xaxis, ax.yaxis)] for ax in panels]
    assert shown == [[False, True], [True, False], [True, False], [True, False], [True, True]]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "say which places: --at and --around of a square, or --venues of a public list"),
        (("--at", "41.9,-73.98", "--around", "500m"), "--at must be in the region of the release, within 30km"),
        (("--at", "40.75", "--around", "500m"), "--at: must be LATITUDE,LONGITUDE"),
        (("--venues", "v.csv", "--districts", 2), "--at and --districts are of a square, and not of a list"),
        ((*AROUND[:3], "22km", "--bins", 3), "no district of the square lies within the region of the release"),
        ((*AROUND[:4], "--districts", 0), "--districts must be"),
        (("--venues", "none.csv"), "--venues must be a file"),
        ((*AROUND[:4], "--districts", 40), "--districts with those within 4 mean noises"),
        ((*AROUND, "--bins", 96), "96 bins of districts of 400 have an error of"),
        ((*AROUND, "--places", "time"), "--places must be one of 'lat'; got 'time'"),
    ],
)
def test_refusals_are_in_terms_of_options(visits, words, said):
    ran = run("busyness", "visits.csv", *words)
    assert ran.status == 2 and ran.out == "" and said in ran.err and len(ran.err.splitlines()) == 1


def test_a_file_without_both_columns_is_refused():
    released_times("private.csv", np.arange(24).repeat(2) * 60)
    ran = run("busyness", "private.csv", "--at", "40.75,-73.98", "--around", "500m")
    assert ran.status == 2 and "'private.csv' has no places or items: use 'dirpriv histogram'" in ran.err
