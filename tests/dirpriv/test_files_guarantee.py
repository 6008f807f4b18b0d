"""The guarantee of a released file: what it says, and that an edited one is noticed."""

import copy
import json

import numpy as np
import pytest

from dirpriv import InvalidArgument
from dirpriv._rounding import upwards
from dirpriv.files import EarlierRelease, Guarantee, PlaceColumns, TimeColumn, read_guarantee
from dirpriv.release import CircleRelease, PlaneRelease

CITY = {"origin": (40.75, -73.98), "reach": "30km", "step": "10m"}
TIME = TimeColumn("arrival", 1.0, "75min", cells=96)
PLACE = PlaceColumns(("lat", "lon"), 0.5, "200m", **CITY)
WHOLE = Guarantee(
    (TIME, PLACE),
    missing="pass",
    unprotected=("order of the rows", "which rows are missing"),
    rows_per_person=5,
    earlier=(EarlierRelease(("arrival",), 1.0, "3h", 5, 5.0), EarlierRelease(None, 0.1, "3h", 1, 0.1)),
)


def through_json(guarantee):
    return json.loads(guarantee.dumps())


@pytest.mark.parametrize("guarantee", [WHOLE, Guarantee((TIME,)), Guarantee((PLACE,), rows_per_person=1)])
def test_there_and_back(guarantee, tmp_path):
    assert Guarantee.from_json(through_json(guarantee)) == guarantee
    path = tmp_path / "private.csv.guarantee.json"
    path.write_text(guarantee.dumps())
    assert read_guarantee(path) == read_guarantee(tmp_path / "private.csv") == guarantee


def test_the_release_is_made_again():
    time, place = (column.release() for column in WHOLE.columns)
    assert time.weights == CircleRelease.within(1.0, "75min", cells=96).weights
    other = PlaneRelease.within(0.5, "200m", **CITY)
    assert place.weights(3) == other.weights(3) and place.side == other.side
    said = through_json(WHOLE)["columns"]
    assert said[0]["certificate"]["loss_within"] == time.certificate.loss("75min") <= 1.0
    assert said[1]["certificate"]["loss_within"] == place.certificate.loss(200) <= 0.5


def test_levels_add_up_and_are_never_rounded_down():
    assert (WHOLE.level, WHOLE.person_level) == (1.5, 7.5)
    assert "the levels of its columns add up to 1.5." in WHOLE.text()
    assert "add up to" not in Guarantee((TIME,)).text()
    assert WHOLE.composed == {
        "per_response": {"level": 2.6},
        "per_person": {"level": np.nextafter(12.6, 13.0), "delta": 0.0},
    }
    column = TimeColumn("a", 0.1, "3h")
    many = Guarantee((column,), rows_per_person=10)
    assert many.person_level == np.nextafter(1.0, 2.0)  # the double 0.1 is a little more than a tenth
    assert Guarantee((TIME,)).composed is None and Guarantee((TIME,)).person_level is None


@pytest.mark.parametrize(
    ("step", "digits"), [("1200km", 2), ("112km", 2), ("111km", 3), ("10m", 7), ("1.2m", 7), ("1.1m", 8)]
)
def test_written_degrees_tell_a_hundredth_of_a_cell(step, digits):
    """A degree is 111.32 km; two digits at least."""
    assert PlaceColumns(("a", "b"), 300.0, "200m", (40.0, -73.0), "2000km", step).digits == digits


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
            if change(place[path[-1]]) == place[path[-1]] or ("origin" in path and change(1) == -1):
                continue  # the origin may be any place
            place[path[-1]] = change(place[path[-1]])
            with pytest.raises((ValueError, TypeError)) as raised:
                Guarantee.from_json(said)
            assert raised.type is InvalidArgument, (path, raised)
            free += 1
    assert free > 150
    for path in leaves(whole):
        said = copy.deepcopy(whole)
        place = said
        for key in path[:-1]:
            place = place[key]
        if isinstance(place, dict):
            del place[path[-1]]
            with pytest.raises(
                ValueError, match=r"is missing|as a guarantee of|its type|is not what|together"
            ):
                Guarantee.from_json(said)
            place |= {"more": 1}
            with pytest.raises(ValueError):
                Guarantee.from_json(said)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        (("columns", 0, "level"), 0.5, "the field 'columns.0.level_per_radian_between_cells' is not what"),
        (("columns", 0, "within"), "1h", "the field 'columns.0.level_per_radian_between_cells'"),
        (("columns", 0, "certificate", "pure"), 1.0, "the field 'columns.0.certificate.pure'"),
        (("columns", 1, "step"), "20m", "the field 'columns.1.level_per_metre_between_cells'"),
        (("per_response", "level"), 1.0, "the field 'per_response.level'"),
        (("per_person", "rows"), 1, "the field 'per_person.level'"),
        (("composed", "per_person", "level"), 1.0, "the field 'composed.per_person.level'"),
        (("missing",), "stay", "the field 'missing'"),
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


OTHERS = ["", "{", "[]", "null", "NaN", "3", '{"format": 2}', '{"format": 1}', "[" * 5000]


@pytest.mark.parametrize("text", OTHERS)
def test_other_files_are_refused(tmp_path, text):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(ValueError, match="is no guarantee of dirpriv"):
        read_guarantee(path)
    path.write_bytes(b"\xff\xfe\0")
    with pytest.raises(ValueError, match="it is not JSON"):
        read_guarantee(path)


def test_a_guarantee_that_is_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no guarantee at '.*private.csv.guarantee.json': it is"):
        read_guarantee(tmp_path / "private.csv")


def test_a_level_at_a_delta_may_differ_by_the_last_digits_of_another_machine():
    said = through_json(Guarantee((TIME,), rows_per_person=3, delta=0.1))
    level = said["per_person"]["level"]
    for factor, fits in ((1.0 + 1e-12, True), (1.0 - 1e-8, False)):
        said["per_person"]["level"] = level * factor
        if fits:
            assert Guarantee.from_json(said).person_level == level
        else:
            with pytest.raises(ValueError, match=r"the field 'per_person.level' is not"):
                Guarantee.from_json(said)


def test_labels():
    fine = TimeColumn("a", 1.0, "3h", 8640)
    assert [fine.label(cell) for cell in (0, 1, 8639)] == ["00:00:00", "00:00:10", "23:59:50"]
    week = TimeColumn("a", 1.0, "3h", 7 * 96, "7d")
    assert [week.label(cell) for cell in (0, 97, 671)] == ["Mon 00:00", "Tue 00:15", "Sun 23:45"]
    assert len({week.label(cell) for cell in range(672)}) == 672


def test_the_words_say_no_level_below_the_true_one():
    for level, said, ratio, pure in (
        (0.316, "0.316", "1.38", "1.27"),
        (1.2345649, "1.23457", "3.44", "4.94"),
        (np.log(4.0), "1.3863", "4", "5.55"),
        (60.0001234, "60.0002", "e^60.0002", "45.1"),
    ):
        text = Guarantee((TimeColumn("a", level, "3h"),), rows_per_person=1).text()
        assert f"Level {said} within 3h" in text and f"than {ratio} times" in text
        assert f"the level is {pure}." in text and f"at level {said}." in text
    assert [upwards(x) for x in (0.0, 0.1, 0.1 + 0.2, 3, 1e6, 1234567.0)] == [
        *("0", "0.1", "0.3", "3", "1e+06", "1.23457e+06")
    ]


def test_the_words_say_what_the_radius_of_times_is():
    said = "The radius is of times on the local clock, not of elapsed time"
    assert said in Guarantee((TIME,)).text() and said not in Guarantee((PLACE,)).text()


def test_the_words():
    text = WHOLE.text()
    assert "Level 1 within 75min: of any two true times at most 75min apart, neither makes a" in text
    assert "2.72 times as probable" in text
    assert "5 rows of each person were drawn" in text and "at level 7.5" in text
    assert "Not protected: order of the rows; which rows are missing." in text
    assert "for each response, that is, for each row" in Guarantee((TIME,)).text()
