"""The guarantee of a released file: what it says, and that an edited one is noticed."""

import copy
import dataclasses
import json
import os

import numpy as np
import pytest

from dirpriv._lib.rounding import upwards
from dirpriv.release import (
    CircleRelease,
    EarlierRelease,
    FileGuarantee,
    PlaceColumns,
    PlaneRelease,
    TimeColumn,
    read_guarantee,
)

CITY = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "10m"}
TIME = TimeColumn("arrival", 1.0, "75min", cells=96)
PLACE = PlaceColumns(("lat", "lon"), 0.5, "200m", **CITY)
WHOLE = FileGuarantee(
    (TIME, PLACE),
    missing="keep",
    unprotected=("order of the rows", "which rows are missing"),
    max_rows_per_person=5,
    earlier=(EarlierRelease(("arrival",), 1.0, "3h", 5, 5.0), EarlierRelease(None, 0.1, "3h", 1, 0.1)),
)


def through_json(guarantee):
    return json.loads(guarantee.dumps())


@pytest.mark.parametrize("guarantee", [WHOLE, FileGuarantee((TIME,)), FileGuarantee((PLACE,), max_rows_per_person=1)])
def test_there_and_back(guarantee, tmp_path):
    assert FileGuarantee.from_json(through_json(guarantee)) == guarantee
    path = tmp_path / "private.csv.guarantee.json"
    path.write_text(guarantee.dumps())
    assert read_guarantee(path) == read_guarantee(tmp_path / "private.csv") == guarantee


def test_the_release_is_made_again():
    time, place = (column.release() for column in WHOLE.columns)
    assert time.weights == CircleRelease.within(1.0, "75min", cells=96).weights
    other = PlaneRelease.within(0.5, "200m", **CITY)
    assert place.weights(3) == other.weights(3) and place.side == other.side
    said = through_json(WHOLE)["columns"]
    assert said[0]["certificate"]["privacy_loss_within"] == time.certificate.loss("75min") <= 1.0
    assert said[1]["certificate"]["privacy_loss_within"] == place.certificate.loss(200) <= 0.5
    assert [eval(repr(column)) for column in WHOLE.columns] == [*WHOLE.columns]


def test_levels_add_up_and_are_never_rounded_down():
    assert (WHOLE.level, WHOLE.person_level) == (1.5, 7.5)
    assert "the levels of its columns add up to 1.5." in WHOLE.text()
    assert "add up to" not in FileGuarantee((TIME,)).text()
    assert WHOLE.composed == {
        "per_response": {"level": 2.6},
        "per_person": {"level": np.nextafter(12.6, 13.0), "delta": 0.0},
    }
    column = TimeColumn("a", 0.1, "3h")
    many = FileGuarantee((column,), max_rows_per_person=10)
    assert many.person_level == np.nextafter(1.0, 2.0)  # the double 0.1 is a little more than a tenth
    assert FileGuarantee((TIME,)).composed is None and FileGuarantee((TIME,)).person_level is None


@pytest.mark.parametrize(
    ("cell_size", "digits"), [("1200km", 2), ("112km", 2), ("111km", 3), ("10m", 7), ("1.2m", 7), ("1.1m", 8)]
)
def test_written_degrees_tell_a_hundredth_of_a_cell(cell_size, digits):
    """A degree is 111.32 km; two digits at least."""
    assert PlaceColumns(("a", "b"), 300.0, "200m", (40.0, -73.0), "2000km", cell_size).digits == digits


def leaves(said, path=()):
    """Paths to all values of a JSON object."""
    if isinstance(said, dict) or (isinstance(said, list) and said):
        for key, value in said.items() if isinstance(said, dict) else enumerate(said):
            yield from leaves(value, (*path, key))
    else:
        yield path


def test_every_field_is_checked():
    whole = through_json(WHOLE)
    free = 0
    for path in leaves(whole):
        for change in (lambda value: value, lambda value: [value], lambda value: None, lambda value: -1, str):
            said = copy.deepcopy(whole)
            place = said
            for key in path[:-1]:
                place = place[key]
            if change(place[path[-1]]) == place[path[-1]] or ("region_centre" in path and change(1) == -1):
                continue  # the origin may be any place
            place[path[-1]] = change(place[path[-1]])
            with pytest.raises(ValueError):
                FileGuarantee.from_json(said)
            free += 1
    assert free > 150
    for path in leaves(whole):
        said = copy.deepcopy(whole)
        place = said
        for key in path[:-1]:
            place = place[key]
        if isinstance(place, dict):
            del place[path[-1]]
            with pytest.raises(ValueError, match=r"is missing|as this version of|a wrong type|is not what|together"):
                FileGuarantee.from_json(said)
            place |= {"more": 1}
            with pytest.raises(ValueError):
                FileGuarantee.from_json(said)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        (("columns", 0, "level"), 0.5, "the field 'columns.0.level_per_radian_between_cells' is not what"),
        (("columns", 0, "radius"), "1h", "the field 'columns.0.level_per_radian_between_cells'"),
        (("columns", 0, "certificate", "pure"), 1.0, "the field 'columns.0.certificate.pure'"),
        (("columns", 1, "cell_size"), "20m", "the field 'columns.1.level_per_metre_between_cells'"),
        (("per_response", "level"), 1.0, "the field 'per_response.level'"),
        (("per_person", "rows"), 1, "the field 'per_person.level'"),
        (("composed", "per_person", "level"), 1.0, "the field 'composed.per_person.level'"),
        (("missing",), "stay", "'missing' must be 'stop' or 'keep'"),
        (("missing",), "stop", "the field 'unprotected' does not fit the field 'missing'"),
        (("unprotected",), [], "the field 'unprotected' does not fit the field 'missing'"),
        (("per_person", "level"), 7.5 * (1.0 - 5e-10), "the field 'per_person.level'"),
    ],
)
def test_an_edited_guarantee_is_refused(field, value, message, tmp_path):
    said = through_json(WHOLE)
    place = said
    for key in field[:-1]:
        place = place[key]
    place[field[-1]] = value
    path = tmp_path / "a.guarantee.json"
    path.write_text(json.dumps(said))
    with pytest.raises(ValueError, match=f"is no guarantee of dirpriv, or was changed: {message}"):
        read_guarantee(path)


OTHERS = [
    "",
    "{",
    "[]",
    "null",
    "NaN",
    "3",
    '{"format": 3}',
    '{"format": 2}',
    "[" * 5000,
    f'{{"format": 1, "columns": {"[" * 900}{"]" * 900}}}',
]


@pytest.mark.parametrize("text", OTHERS, ids=[text[:20] for text in OTHERS])
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="is no guarantee of dirpriv"):
        read_guarantee(path)
    path.write_bytes(b"\xff\xfe\0")
    with pytest.raises(ValueError, match="it is not JSON"):
        read_guarantee(path)


def test_a_guarantee_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no guarantee at '.*private.csv.guarantee.json': each released file"):
        (tmp_path / "private.csv").touch()
        read_guarantee(tmp_path / "private.csv")
    with pytest.raises(FileNotFoundError, match=r"there is no file '.*other.csv'"):
        read_guarantee(tmp_path / "other.csv")


def test_a_level_at_a_delta_may_differ_by_the_last_digits_of_another_machine():
    said = through_json(FileGuarantee((TIME,), max_rows_per_person=3, delta=0.1))
    level = said["per_person"]["level"]
    for factor, fits in ((1.0 + 1e-12, True), (1.0 - 1e-8, False)):
        said["per_person"]["level"] = level * factor
        if fits:
            assert FileGuarantee.from_json(said).person_level == level
        else:
            with pytest.raises(ValueError, match=r"the field 'per_person.level' is not"):
                FileGuarantee.from_json(said)


def test_the_words_say_no_level_below_the_true_one():
    for level, said, ratio, pure in (
        (0.316, "0.316", "1.38", "1.27"),
        (1.2345649, "1.23457", "3.44", "4.94"),
        (np.log(4.0), "1.3863", "4", "5.55"),
        (60.0001234, "60.0002", "e^60.0002", "45.1"),
    ):
        text = FileGuarantee((TimeColumn("a", level, "3h"),), max_rows_per_person=1).text()
        assert f"Level {said} within 3h" in text and f"at most a factor of {ratio}." in text
        assert f"the level is {pure}." in text and f"It has level {said}, if" in text
    assert [upwards(x) for x in (0.0, 0.1, 0.1 + 0.2, 3, 1e6, 1234567.0)] == [
        *("0", "0.1", "0.3", "3", "1e+06", "1.23457e+06")
    ]


def test_the_words_say_what_the_radius_of_times_is():
    said = "The radius is a difference of local clock times."
    assert said in FileGuarantee((TIME,)).text() and said not in FileGuarantee((PLACE,)).text()


def test_the_words():
    text = WHOLE.text()
    assert "Level 1 within 75min: for two true times at most 75min apart, the probabilities of" in text
    assert "a released value differ by at most a factor of 2.72." in text
    assert "5 rows of each person were chosen" in text and "Together they have level 7.5" in text
    assert "Not protected: order of the rows; which rows are missing." in text
    assert "The guarantee is for each row." in FileGuarantee((TIME,)).text()


# ---------------------------------------------------------------------- what cannot be

PERSON = FileGuarantee((TIME, PLACE), max_rows_per_person=5)
AT_DELTA = EarlierRelease(None, 0.1, "3h", 5, 0.4, 0.01)
IMPOSSIBLE = {
    "rows below 0": {("per_person", "rows"): -5, ("per_person", "level"): -7.5},
    "no rows": {("per_person", "rows"): 0, ("per_person", "level"): 1.5},
    "true for rows": {("per_person", "rows"): True, ("per_person", "level"): 1.5},
    "rows and a half": {("per_person", "rows"): 1.5, ("per_person", "level"): 2.25},
    "rows with a point": {("per_person", "rows"): 5.0},
    "rows beyond doubles": {("per_person", "rows"): 10**400},
    "rows of all people": {("per_person", "rows"): 10**18, ("per_person", "level"): 1.5e18},
    "rows at a delta of 1": {("per_person", "delta"): 1.0, ("per_person", "level"): 0.0},
    "no columns": {("columns",): [], ("per_response", "level"): 0.0, ("per_person", "level"): 0.0},
    "true for a level": {("columns", 0, "level"): True},
    "true for a latitude": {("columns", 1, "region_centre", 0): True},
    "a name twice": {("columns", 1, "names", 0): "arrival"},
    "three names": {("columns", 1, "names"): ["lat", "lon", "height"]},
    "a format that is true": {("format",): True},
    "a format with a point": {("format",): 1.0},
    "a level beyond doubles": {("per_response", "level"): 10**400},
    "a long number of cells": {("columns", 0, "cells"): 10**4000},
}
EARLIER = {
    "a level of fewer rows": {"person_level": 1.0},
    "more than the rows can have": {"person_level": 1.5, "delta": 0.01},
    "less for one row at a delta": {"max_rows_per_person": 1, "person_level": 0.2, "delta": 0.01},
    "rows below 0": {"max_rows_per_person": -5, "person_level": -1.25},
    "true for rows": {"max_rows_per_person": True, "person_level": 0.25},
    "a delta of 1": {"delta": 1.0},
    "a delta of nobody": {"max_rows_per_person": None, "person_level": None, "delta": 0.1},
    "a radius of words": {"radius": "3 o'clock"},
    "a radius without a unit": {"radius": "3"},
    "no columns": {"columns": ()},
    "other columns": {"columns": ("leave",)},
    "a level of 0": {"level": 0.0},
}


@pytest.mark.parametrize("changes", IMPOSSIBLE.values(), ids=IMPOSSIBLE)
def test_a_file_that_says_what_cannot_be_is_refused(changes, tmp_path):
    """All that follows from the change is changed with it, so that only the value itself is wrong."""
    said = through_json(PERSON)
    for path, value in changes.items():
        place = said
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = value
    TIME.release(), PLACE.release()  # a cache must not take true for 1.0
    (file := tmp_path / "a.guarantee.json").write_text(json.dumps(said))
    with pytest.raises(ValueError, match="is no guarantee of dirpriv, or was changed: ") as raised:
        read_guarantee(file)
    assert len(str(raised.value)) < 500
    with pytest.raises(ValueError):
        FileGuarantee.from_json(said)


@pytest.mark.parametrize("changes", EARLIER.values(), ids=EARLIER)
def test_an_earlier_release_that_cannot_be_is_refused(changes):
    earlier = {"columns": None, "level": 0.25, "radius": "3h", "max_rows_per_person": 5, "person_level": 1.25}
    assert EarlierRelease(**earlier).level == 0.25 and AT_DELTA.person_level == 0.4
    with pytest.raises(ValueError):
        FileGuarantee((TIME,), earlier=(EarlierRelease(**(earlier | changes)),))


@pytest.mark.parametrize(
    "wrong",
    [
        {"columns": ()},
        {"columns": [TIME]},
        {"columns": (TIME, TIME)},
        {"columns": ("arrival",)},
        {"max_rows_per_person": 0},
        {"max_rows_per_person": True},
        {"max_rows_per_person": 2.0},
        {"delta": 0.1},
        {"delta": 1.0, "max_rows_per_person": 2},
        {"missing": "stay"},
        {"unprotected": "which rows are missing"},
        {"earlier": ({"level": 1.0},)},
        {"version": 1},
    ],
    ids=str,
)
def test_a_guarantee_is_checked_when_it_is_made(wrong):
    with pytest.raises(ValueError):
        FileGuarantee(**({"columns": (TIME,)} | wrong))


def test_levels_that_add_up_to_more_than_a_double_are_refused():
    with pytest.raises(ValueError, match="more than a double holds"):
        FileGuarantee((TimeColumn("a", 1e308, "3h"), TimeColumn("b", 1e308, "3h"))).level  # noqa: B018


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (PERSON.dumps().replace('"missing": "stop"', '"missing": "keep", "missing": "stop"'), "occurs twice"),
        (PERSON.dumps().replace('"level": 1.5', '"level": Infinity'), "not finite"),
        (PERSON.dumps().replace('"level": 1.5', '"level": 1e999'), "the field 'per_response.level'"),
        (PERSON.dumps().replace('"rows": 5', f'"rows": {"9" * 5000}'), "not JSON"),
        (PERSON.dumps().replace('"format": 2', '"format": 3'), "later version"),
    ],
)
def test_what_json_lets_pass_is_refused(text, says, tmp_path):
    (file := tmp_path / "a.guarantee.json").write_text(text)
    with pytest.raises(ValueError, match=says):
        read_guarantee(file)


def test_a_file_that_is_no_guarantee_is_not_read_to_its_end(tmp_path):
    file = tmp_path / "a.guarantee.json"
    with file.open("wb") as sparse:
        sparse.truncate(10_000_000_000)
    with pytest.raises(ValueError, match="more than 1000000 bytes"):
        read_guarantee(file)
    os.mkfifo(tmp_path / "b.guarantee.json")
    for path in (tmp_path, "/", tmp_path / "..", tmp_path / "b"):
        with pytest.raises(FileNotFoundError, match=r"no (guarantee at|file)"):
            read_guarantee(path)


def test_true_is_no_number_after_1(tmp_path):
    """The second call of each pair could be answered from a cache, in which True is equal to 1."""
    for column in (TIME, PLACE):
        dataclasses.replace(column, level=1.0)
        with pytest.raises(ValueError):
            dataclasses.replace(column, level=True)
    dataclasses.replace(PLACE, region_centre=(1.0, 0.0))
    with pytest.raises(ValueError):
        dataclasses.replace(PLACE, region_centre=(True, 0.0))


def test_a_summary_has_two_lines_and_one_for_each_unprotected_thing():
    assert len(FileGuarantee((TIME,)).summary().splitlines()) == 3
    lines = WHOLE.summary().splitlines()
    assert lines[0].endswith("The levels of a row's columns add up to 1.5.") and lines[1].startswith("Per person: ")
    told = [line.removeprefix("Not protected: ").removesuffix(".") for line in lines if line.startswith("Not")]
    assert told == ["number of rows", "who is in the file, and who had fewer rows", *WHOLE.unprotected]
    assert [line for line in lines if line.startswith(("Earlier", "All releases"))] == [
        line for line in WHOLE.text().splitlines() if line.startswith(("Earlier", "All releases"))
    ]
    few = FileGuarantee((TIME,), max_rows_per_person=2, delta=1e-6)
    assert "without δ; δ does not help with these few rows)" in few.summary() and "δ = 1e-06" in few.summary()
