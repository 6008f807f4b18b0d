"""What the command says beside its results: cautions to the holder of the data and to the analyst."""

import functools
from pathlib import Path

import numpy as np
import pytest
from command_runs import CITY, folder, released_places, released_times, run

from dirpriv import estimators
from dirpriv.release import FileGuarantee, PlaceColumns, TimeColumn

pytestmark = pytest.mark.usefixtures("folder")
HIGH = "a level of 5 or more gives almost no protection"


def release(text, *words):
    Path("true.csv").write_text(text, encoding="utf-8")
    ran = run("release", "true.csv", "private.csv", "--time", "arrival", "--within", "3h", *words)
    assert (ran.status, ran.err) == (0, "")
    return ran.out


@pytest.mark.parametrize(
    ("words", "warned"),
    [
        (["--level", 5], True),
        (["--level", 4.9], False),
        (["--level", 1, "--user", "person", "--max-rows-per-person", 5], True),  # of a person
        (["--level", 1, "--user", "person", "--max-rows-per-person", 4], False),
    ],
)
def test_a_high_level_is_cautioned_of(words, warned):
    assert (HIGH in release("arrival,person\n08:15,1\n09:00,2\n", *words)) == warned


@pytest.mark.parametrize(("level", "warned"), [(5, True), (4.9, False)])
def test_explain_cautions_of_a_high_level(level, warned):
    assert (HIGH in run("explain", "--level", level, "--within", "200m").out) == warned


def test_a_spreadsheets_fraction_of_a_day_is_no_hour_by_itself():
    """0.34375 is 08:15, or 20 minutes after midnight: only the holder knows."""
    Path("of.csv").write_text("arrival\n0.34375\n")
    words = "release", "of.csv", "private.csv", "--time", "arrival", "--level", 1e6, "--within", "3h"
    assert "give --unit h for hours, or another of hourbin, min" in run(*words).err
    run(*words, "--unit", "day")
    assert Path("private.csv").read_text() == "arrival\n08:15:30\n"


def test_a_histogram_says_what_its_intervals_assume():
    released_times("private.csv")
    usual = run("histogram", "private.csv").out
    assert "Each interval holds for one bin, without assumptions about the day." in usual
    smooth = run("histogram", "private.csv", "--intervals", "smooth").out
    assert "They do not hold for timetables or a few\ndistinct times." in smooth


@pytest.mark.parametrize(
    ("places", "warned"),
    [
        ([[48.86, 2.35]] * 500, True),  # of another city
        ([[-40.75, 73.98]] * 500, True),  # wrong signs
        ([[40.75, -73.98]] * 500, False),
        ([[40.75, -73.98]] * 250 + [[-73.98, 40.75]] * 250, False),  # half of them, far away
    ],
)
def test_a_map_doubts_a_region_whose_border_has_all_reports(places, warned, monkeypatch):
    """By the reports alone, so any width will do."""
    wide = functools.partial(estimators.estimate_place_density, width=30e3)
    monkeypatch.setattr(estimators, "estimate_place_density", wide)
    released_places("places.csv", np.array(places), PlaceColumns(("lat", "lon"), 1.0, "500m", **CITY))
    ran = run("map", "places.csv", "--cells", 24, "--intervals", "smooth")
    assert ran.status == 0
    assert ("Check --region-centre" in ran.out) == warned


def test_rows_of_a_person_are_counted_in_words():
    column = TimeColumn("arrival", level=1.0, radius="3h")
    assert "1 row of each person was chosen" in FileGuarantee((column,), max_rows_per_person=1).text()
    assert "3 rows of each person were chosen" in FileGuarantee((column,), max_rows_per_person=3).text()


def test_a_level_with_delta_says_the_one_without():
    column = TimeColumn("arrival", level=0.1, radius="3h", cells=96)
    guarantee = FileGuarantee((column,), max_rows_per_person=20, delta=1e-5)
    assert guarantee.person_level < 2.0
    assert "at δ = 1e-05 (2 without δ)" in guarantee.text()
