"""Texts of users that look like the library's: the command shows them as they were given."""

import contextlib
import itertools
from pathlib import Path

import pytest
from command_runs import released_places, released_times, run
from sweeps import swept, thinned

from dirpriv.release import TimeColumn

TEXTS = {
    "an argument": "level",
    "an argument that is renamed": "radius",
    "an argument in quotes": "'level'",
    "an argument within a path": "it's 'level'",
    "quotes of both kinds": "the \"user\" isn't 'user'",
    "a backslash before a quote": "a\\'level'",
    "the end of a text": "x'; got 'level' and 'zone'",
    "a rule": "'level' must be positive",
    "a value in Python": "missing='keep'",
    "another value in Python": "rerelease=True",
    "a unit in Python": "'3h', '75min' or a number of hours",
    "a remedy": "the 'separator' ';'",
    "names of columns": "x: it has 'level'",
    "two arguments": "'user' goes with 'time'",
    "two spaces": "it's  'level'",
    "marks of an argument": "\x1flevel\x1f and \x1fmissing='keep'\x1f",
}
FEW = ["an argument", "an argument within a path", "two spaces"]
TIMES = ("--level", "1", "--within", "3h")
PLACES = ("--latitude", "lat", "--longitude", "lon", "--level", "1", "--within", "200m")
CITY = ("--region-centre", "40.75,-73.98", "--region-reach", "30km", "--cell-size", "10m")
# commands with TEXT in some place
PLACES_OF_A_TEXT = {
    "the input": ("release", "TEXT.csv", "out.csv", "--time", "arrival", *TIMES),
    "the folder of the input": ("release", "TEXT/x.csv", "out.csv", "--time", "arrival", *TIMES),
    "an input of another kind": ("release", "./TEXT", "out.csv", "--time", "arrival", *TIMES),
    "an input that is empty": ("release", "empty TEXT.csv", "out.csv", "--time", "arrival", *TIMES),
    "an input without rows": ("release", "header TEXT.csv", "out.csv", "--time", "arrival", *TIMES),
    "an input that is no text": ("release", "bytes TEXT.csv", "out.csv", "--time", "arrival", *TIMES),
    "the folder of the output": ("release", "in.csv", "TEXT/out.csv", "--time", "arrival", *TIMES),
    "an output that is there": ("release", "in.csv", "empty TEXT.csv", "--time", "arrival", *TIMES),
    "an output of another kind": ("release", "in.csv", "./TEXT", "--time", "arrival", *TIMES),
    "a column that is not there": ("release", "in.csv", "out.csv", "--time", "TEXT", *TIMES),
    "a column with a time that is none": ("release", "named TEXT.csv", "out.csv", "--time", "TEXT", *TIMES),
    "a person's column": ("release", "in.csv", "out.csv", "--time", "arrival", "--user", "TEXT", *TIMES),
    "a column twice": ("release", "in.csv", "out.csv", "--time", "TEXT", "--time", "TEXT", *TIMES),
    "a column that is kept": ("release", "in.csv", "out.csv", "--time", "arrival", "--keep", "TEXT", *TIMES),
    "a column of latitudes": ("release", "in.csv", "out.csv", "--latitude", "TEXT", *PLACES[2:], *CITY),
    "a zone": ("release", "in.csv", "out.csv", "--time", "arrival", "--zone", "TEXT", *TIMES),
    "a format": ("release", "in.csv", "out.csv", "--time", "arrival", "--time-format", "TEXT", *TIMES),
    "a radius": ("release", "in.csv", "out.csv", "--time", "arrival", "--level", "1", "--within", "3 TEXT h"),
    "two radii": ("release", "in.csv", "out.csv", "--time", "arrival", *TIMES, "--within", "3 TEXT h"),
    "a reach": ("release", "in.csv", "out.csv", *PLACES, *CITY[:3], "1 TEXT 1km", *CITY[4:]),
    "a separator": ("release", "in.csv", "out.csv", "--time", "arrival", "--separator", "TEXT", *TIMES),
    "a period": ("release", "in.csv", "out.csv", "--time", "arrival", "--period", "TEXT", *TIMES),
    "a level": ("release", "in.csv", "out.csv", "--time", "arrival", "--level", "TEXT", "--within", "3h"),
    "a released file": ("histogram", "TEXT.csv"),
    "a guarantee": ("mean", "times.csv", "--guarantee", "TEXT.json"),
    "a guarantee that is none": ("mean", "times.csv", "--guarantee", "empty TEXT.csv"),
    "a column of reports": ("histogram", "times.csv", "--column", "TEXT"),
    "a released column": ("histogram", "released TEXT.csv", "--column", "none"),
    "a file of times": ("map", "released TEXT.csv"),
    "a picture": ("histogram", "times.csv", "--plot", "TEXT"),
    "the folder of a picture": ("map", "places.csv", "--plot", "TEXT/x.png"),
    "a table": ("map", "places.csv", "--csv", "TEXT"),
    "a reach of a map": ("map", "places.csv", "--reach", "1 TEXT 1km"),
    "a time of a person": ("explain", *TIMES, "--at", "TEXT"),
    "a radius to explain": ("explain", "--level", "1", "--within", "3 TEXT h"),
    "a radius to plan": ("plan", "mean", "--error", "1h", "--level", "1", "--within", "3 TEXT h"),
    "an error to plan": ("plan", "mean", "--error", "TEXT", "--level", "1", "--within", "3h"),
    "a task": ("plan", "TEXT", "--error", "1h", "--level", "1", "--within", "3h"),
    "a command": ("TEXT",),
    "an argument too many": ("mean", "times.csv", "TEXT"),
}  # fmt: skip


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A folder of files with the texts in their names; nothing is written there."""
    place = tmp_path_factory.mktemp("texts")
    with contextlib.chdir(place):
        Path("in.csv").write_text("arrival,lat,lon\n08:15,40.75,-73.98\n", encoding="utf-8")
        released_times("times.csv", [500, 600, 700])
        released_places("places.csv")
        for text in ("plain", *TEXTS.values()):
            quoted = '"' + text.replace('"', '""') + '"'
            Path(f"empty {text}.csv").touch()
            Path(f"header {text}.csv").write_text("arrival\n", encoding="utf-8")
            Path(f"bytes {text}.csv").write_bytes(b"arrival\n08:15\n\xff\n")
            Path(f"named {text}.csv").write_text(f"{quoted}\n08:15\nnever\n", encoding="utf-8")
            released_times(f"released {text}.csv", [500, 600], TimeColumn(text, 1.0, "3h"))
    return place


def shown(words, text):
    """The error line of a command with this text, and the line with a mark in the place of the text.

    Where a message has a text, it has it as ``repr`` writes it.
    """
    ran = run(*(word.replace("TEXT", text) for word in words))
    assert ran.status == 2 and ran.out == "" and len(ran.err.splitlines()) == 1, ran
    line = ran.err
    whole = {word.replace("TEXT", text) for word in words if "TEXT" in word} | {text}
    whole |= {f"{word}.guarantee.json" for word in whole}
    paths = [path for word in whole if word != text for path in (Path(word), Path.cwd() / word)]
    whole |= {str(path) for path in paths} | {str(path.parent) for path in paths} | {path.name for path in paths}
    for word in sorted(whole, key=len, reverse=True):
        line = line.replace(repr(word), "TEXT")
    return ran.err, line


@pytest.mark.parametrize(
    ("text", "place"),
    [
        *thinned(FEW, [*PLACES_OF_A_TEXT]),
        *swept(*itertools.product([t for t in TEXTS if t not in FEW], PLACES_OF_A_TEXT)),
    ],
)
def test_a_text_is_shown_as_it_was_given(text, place, files, monkeypatch):
    """The message is that of a plain text with the other text in its place, and of no text it is more."""
    monkeypatch.chdir(files)
    words, text = PLACES_OF_A_TEXT[place], TEXTS[text]
    _, expected = shown(words, "plain")
    said, line = shown(words, text)
    assert line == expected, said
