"""Hostile units, headings, regions, headers and names of files: one line, nothing written, no value."""

from pathlib import Path

import pytest
from leaks import leaked

from dirpriv.command import main

RELEASE = ["--level", "1", "--within", "3h"]
TIME = ["--time", "arrival", *RELEASE]
HEADING = ["--heading", "wind", "--level", "1", "--within", "45deg"]
CITY = ["--level", "1", "--within", "200m", "--origin", "40.75,-73.98", "--reach", "30km", "--step", "10m"]
PLACE = ["--latitude", "lat", "--longitude", "lon", *CITY]
UNITS = "h", "hourbin", "min", "s", "day", "deg", "epoch", "epoch_ms"
NUMBERS = {
    "beyond every unit": "813370900000000000",
    "of twenty digits": "13370900000000000000",
    "below zero": "-13.3709",
    "nearly a number": "13.3709x",
    "wide digits": "１３.37",
    "an escape": "\x1b[31m13.37",
}
CASES = {
    **{
        f"{unit}: {name}": (f"arrival\n1\n{value}\n", [*TIME, "--unit", unit, "--zone", "UTC"])
        if unit.startswith("epoch")
        else (f"arrival\n0\n{value}\n", [*TIME, "--unit", unit])
        for unit in UNITS
        for name, value in NUMBERS.items()
    },
    **{
        f"a first text like {text!r}": (f'arrival\n"{text}13:37:09"\n', TIME)
        for text in (
            "NA ",
            "POINT (",
            "25:",
            "Tue ",
            "{",
            "8,",
            "2024-W10-",
            "\x1b[31m",
            "'''); --",
            "$(id)",
            "`id`",
        )
    },
    **{
        f"a heading {value!r}": (f"wind\n0\n{value}\n", HEADING)
        for value in ("-13.3709", "813.3709", "N", "13,3709", "nan", "1e400", "13:37:09")
    },
    **{
        f"a place {value!r}": (
            f'lat,lon\n40.75,-73.98\n"{value}",-73.983709\n',
            [*PLACE, "--outside", "stop"],
        )
        for value in ("0", "-33.8709", "407583709", "13,3709", "POINT (8.3709 47.3709)", "NA", "inf", "1e400")
    },
    **{
        f"a header like {name!r}": (f'"{name}",b\n13:37:09,zqx3709\n', ["--level", "1"])
        for name in (
            "start 13:37",
            "lat$(id)",
            "time`id`",
            'date"";--',
            "zqx3709 time",
            "time\x1b[31m",
            "13.3709 date",
        )
    },
    "a unit of SQL": ("arrival\n1\n", [*TIME, "--unit", "h'; DROP TABLE t; --"]),
    "a unit of an escape": ("arrival\n1\n", [*TIME, "--unit", "\x1b[31m"]),
    "a unit of texts": ("arrival\n13:37:09\n", [*TIME, "--unit", "h"]),
    "headings within hours": ("wind\n13.37\n", ["--heading", "wind", *RELEASE]),
    "headings in a column of SQL": (
        "wind\n13.37\n",
        ["--heading", 'x"; --', "--level", "1", "--within", "45deg"],
    ),
    "a region for times": ("arrival\n13:37\n", [*TIME, "--outside", "pass"]),
}
# names of files, which a line repeats: none may be of a text that a shell would act on
NAMES = [
    "a.jsonl",
    "$(id).json",
    "`id`.tsv",
    "a;id.txt",
    "a'b.jsonl",
    'a"b.txt',
    "*.csv",
    "a\\b.tsv",
    "-.zip",
    "é ü.txt",
]


@pytest.fixture
def holder(tmp_path, monkeypatch):
    """An empty folder of a holder of data, and a ledger of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    (tmp_path / "data").mkdir()
    monkeypatch.chdir(tmp_path / "data")
    return tmp_path


def refused(words, capfd):
    code = main(["release", *words])
    out, err = capfd.readouterr()
    assert code == 2 and out == "", err
    assert len(err.splitlines()) == 1 and "Traceback" not in err and "\x1b" not in err and "bug" not in err
    assert not [path for path in Path.cwd().iterdir() if path.name.startswith("out")]
    return err


@pytest.mark.parametrize(("text", "words"), CASES.values(), ids=CASES)
def test_a_door_of_tables_is_refused_in_one_line_without_a_value(text, words, holder, capfd):
    Path("in.csv").write_text(text, encoding="utf-8")
    err = refused(["in.csv", "out.csv", *words], capfd)
    assert leaked(err.replace(str(holder), "")) == [], err
    assert not any(
        "releases" in path.read_text() and '"level"' in path.read_text() for path in holder.rglob("*.json")
    )


@pytest.mark.parametrize("name", NAMES)
def test_a_line_repeats_no_name_that_a_shell_would_act_on(name, holder, capfd):
    if "*" not in name:
        Path(name).write_text("arrival\n13:37:09\n")
    err = refused([name, "out.csv", *TIME], capfd)
    line = err.partition("python -c ")[2]
    assert leaked(err.replace(str(holder), "")) == [] and not set(line.replace("\\t", "")) & set("$`\\")
