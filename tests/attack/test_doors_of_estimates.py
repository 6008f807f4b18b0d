"""Hostile released files, groups and outputs of an analyst: one line, nothing written, no value."""

import json
import os
from pathlib import Path

import pytest
from leaks import leaked

from dirpriv.command import main
from dirpriv.release import FileGuarantee, HeadingColumn, PlaceColumns, TimeColumn

TIME = TimeColumn("arrival", 1.0, "3h", 24)
CITY = {"region_centre": (40.75, -73.98), "region_reach": "3km", "cell_size": "100m"}
KEPT = "column 'shift'"
OF_A = ["--guarantee", "a.csv.guarantee.json"]
# by name: what the command is given
CASES = {
    "a value of another form": ["mean", "a.csv", "value.csv"],
    "a value of another column": ["compare", "a.csv", "kept.csv", "--by", "shift"],
    "a file of places": ["histogram", "a.csv", "places.csv"],
    "files of two kinds": ["mean", "a.csv", "wind.csv"],
    "files of two periods": ["compare", "a.csv", "week.csv"],
    "a map of times": ["map", "places.csv", "a.csv"],
    "a file without its guarantee": ["mean", "a.csv", "alone.csv"],
    "a file with the guarantee of another": ["mean", "a.csv", "kept.csv", *OF_A, *OF_A],
    "a guarantee too many": ["mean", "a.csv", *OF_A, *OF_A],
    "a folder": ["mean", "a.csv", "."],
    "a file twice": ["compare", "a.csv", "./a.csv"],
    "a link to the same file": ["histogram", "a.csv", "link.csv"],
    "an empty file": ["mean", "a.csv", "empty.csv"],
    "files without reports": ["mean", "none.csv", "none2.csv"],
    "three files": ["compare", "a.csv", "b.csv", "c.csv"],
    "one file": ["compare", "a.csv"],
    "groups of the released column": ["mean", "kept.csv", "--by", "arrival"],
    "groups of SQL": ["mean", "kept.csv", "--by", 'shift" OR 1=1; --'],
    "groups of an escape": ["mean", "kept.csv", "--by", "\x1b[31m"],
    "groups of nothing": ["histogram", "kept.csv", "--by", ""],
    "groups of a map": ["map", "places.csv", "--by", "shift"],
    "too many groups": ["mean", "many.csv", "--by", "shift"],
    "groups of one report": ["mean", "ones.csv", "--by", "shift"],
    "more than two groups": ["compare", "three.csv", "--by", "shift"],
    "a picture of groups": ["histogram", "kept.csv", "--by", "shift", "--plot", "out.gif"],
    "a document that is there": ["mean", "a.csv", "--json", "there.json"],
    "a document of another kind": ["mean", "a.csv", "--json", "out.txt"],
    "a document in no folder": ["histogram", "a.csv", "--json", "nowhere/out.json"],
    "a document of an escape": ["mean", "a.csv", "--json", "out\x1b[31m"],
    "a picture of a script": ["compare", "a.csv", "b.csv", "--plot", "out.html"],
    "a title alone": ["compare", "a.csv", "b.csv", "--title", "x"],
    "a damaged guarantee": ["mean", "a.csv", "damaged.csv"],
    "bytes that are no text": ["mean", "a.csv", "bytes.csv"],
}


def put(name, text, *columns, unprotected=()):
    """A released file and its guarantee."""
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    if columns:
        said = FileGuarantee(tuple(columns), unprotected=unprotected).to_json()
        Path(f"{name}.guarantee.json").write_text(json.dumps(said), encoding="utf-8")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(("a.csv", "b.csv", "c.csv")):
        put(name, "arrival\n" + "".join(f"{hour:02}:00\n" for hour in range(24 - number)), TIME)
    for name, groups in (("kept.csv", 2), ("three.csv", 3), ("many.csv", 13), ("ones.csv", 26)):
        rows = "".join(f"{hour % 24:02}:00,zqx{hour % groups}\n" for hour in range(26))
        put(name, f"arrival,shift\n{rows}", TIME, unprotected=(KEPT,))
    put("ones.csv", "arrival,shift\n08:00,zqx1\n09:00,zqx2\n", TIME, unprotected=(KEPT,))
    put("value.csv", "arrival\n2013-07-09 13:37\n2013-07-09 13:37\n", TIME)
    put("empty.csv", "", TIME)
    put("bytes.csv", b"arrival\n08:00\n\xff3709\n", TIME)
    put("damaged.csv", "arrival\n08:00\n09:00\n")
    Path("damaged.csv.guarantee.json").write_text('{"format": 2, "zqx": "13:37:09"}')
    for name in ("none.csv", "none2.csv"):
        put(name, "arrival\n" + "\n" * (name == "none2.csv"), TIME)
    put("alone.csv", "arrival\n08:00\n09:00\n")
    put("week.csv", "arrival\nMon 08:00\nTue 08:00\n", TimeColumn("arrival", 1.0, "12h", 168, "7d"))
    put("wind.csv", "wind\n10\n20\n", HeadingColumn("wind", 1.0, "45deg", 36))
    places = PlaceColumns(("lat", "lon"), 1.0, "200m", **CITY)
    put("places.csv", "lat,lon\n40.75000,-73.98000\n40.75000,-73.98000\n", places)
    os.symlink("a.csv", "link.csv")
    Path("link.csv.guarantee.json").write_bytes(Path("a.csv.guarantee.json").read_bytes())
    Path("there.json").write_text("{}")
    return tmp_path


@pytest.mark.parametrize("words", CASES.values(), ids=CASES)
def test_a_door_of_estimates_is_refused_in_one_line_without_a_value(words, files, capfd):
    before = {path: path.read_bytes() for path in files.iterdir()}
    status = main(words)
    out, err = capfd.readouterr()
    assert status == 2 and out == "", err
    assert len(err.splitlines()) == 1 and "Traceback" not in err and "\x1b" not in err and "bug" not in err
    assert leaked(err.replace(str(files), "")) == [], err
    assert {path: path.read_bytes() for path in files.iterdir()} == before


def test_what_is_right_is_not_refused(files, capfd):
    """The wrong variant of all above: a command that refuses everything."""
    assert main(["compare", "kept.csv", "--by", "shift", "--bins", "3", "--json", "-"]) == 0
    assert json.loads(capfd.readouterr().out)["by"] == "shift"
    assert main(["mean", "a.csv", "b.csv", "c.csv"]) == 0
