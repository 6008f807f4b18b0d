"""No part of an error holds a value of a column: fields, notes, causes, hidden contexts, pickles."""

import pytest
from leaks import HOUR, TEXT, leaked, texts_of

from dirpriv import InvalidArgument, release

ROWS = {
    "a time that is none": ["08:15", TEXT + "x"],
    "a first time that is none": [TEXT + "x"],
    "a date that is none": ["2012-04-03 08:15", "2012-02-30T" + TEXT],
    "a date and then none": ["2012-04-03 08:15", TEXT],
    "a time with a zone": [f"2012-04-03T{TEXT}Z"],
    "a time with an offset": ["2012-04-03T08:15+01:00", f"2012-04-03T{TEXT}+01:00"],
    "hours beyond the day": ["8.25", "813.3709"],
    "hours of too many digits": ["8.25", f"{HOUR}00000000000000000000"],
    "a number after a time": ["08:15", "13.37"],
    "a name": ["08:15", "zqx3709"],
}


def options(rows):
    return {"level": 1.0, "radius": "3h", "unit": "h" if rows[0] == "8.25" else None}


def of_column(rows, _folder):
    release.times(rows, **options(rows))


def of_circle(rows, _folder):
    release.CircleRelease.within(1.0, "3h").randomise_times(rows)


def of_file(rows, folder):
    (folder / "true.csv").write_text("arrival\n" + "\n".join(rows) + "\n")
    release.file(folder / "true.csv", folder / "out.csv", time="arrival", **options(rows))


@pytest.mark.parametrize("door", [of_column, of_circle, of_file], ids=lambda door: door.__name__)
@pytest.mark.parametrize("rows", ROWS.values(), ids=ROWS)
def test_no_part_of_a_refusal_holds_a_value(rows, door, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "of" / "user"))
    (tmp_path / "data").mkdir()
    with pytest.raises(InvalidArgument) as raised:
        door(rows, tmp_path / "data")
    assert leaked(*texts_of(raised.value)) == []


def with_note(error):
    error.add_note(f"it was {TEXT}")
    return error


def with_field(error):
    error.value = [HOUR]
    return error


def with_cause(error):
    error.__cause__ = ValueError(TEXT)
    return error


def with_hidden_context(error):
    try:
        try:
            float(TEXT)
        except ValueError:
            raise error from None
    except InvalidArgument as caught:
        return caught


class Sent(InvalidArgument):
    """An error whose pickle alone has the value."""

    def __reduce__(self):
        return InvalidArgument, ("time", TEXT)


WRONG = {
    "the rule": lambda: InvalidArgument("time", f"is {TEXT}"),
    "the remedy": lambda: InvalidArgument("time", "is none", hint=f"leave {TEXT} out"),
    "what was given": lambda: InvalidArgument("time", "is none", got=HOUR),
    "a note": lambda: with_note(InvalidArgument("time", "is none")),
    "a field": lambda: with_field(InvalidArgument("time", "is none")),
    "a cause": lambda: with_cause(InvalidArgument("time", "is none")),
    "a hidden context": lambda: with_hidden_context(InvalidArgument("time", "is none")),
    "the pickle": lambda: Sent("time", "is none"),
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_a_value_in_any_part_is_found(wrong):
    assert leaked(*texts_of(InvalidArgument("time", "is none"))) == []
    assert leaked(*texts_of(wrong())) != []
