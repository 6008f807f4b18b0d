"""Hostile units, headings, regions, headers, files and streams: one line, nothing written, no value."""

import gzip
import io
import os
import sys
from pathlib import Path

import pytest
from leaks import leaked

from dirpriv.command import main

RELEASE = ["--level", "1", "--within", "3h"]
TIME = ["--time", "arrival", *RELEASE]
HEADING = ["--heading", "wind", "--level", "1", "--within", "45deg"]
CITY = [
    "--level",
    "1",
    "--within",
    "200m",
    "--region-centre",
    "40.75,-73.98",
    "--region-reach",
    "30km",
    "--cell-size",
    "10m",
]
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
        for place, unit in enumerate(UNITS)
        for name, value in list(NUMBERS.items())[place % 3 :: 3]  # each number in several units
    },
    **{
        f"a first text like {text!r}": (f'arrival\n"{text}13:37:09"\n', TIME)
        for text in ("NA ", "POINT (", "25:", "Tue ", "{", "8,", "2024-W10-", "\x1b[31m", "'''); --", "$(id)", "`id`")
    },
    **{
        f"a heading {value!r}": (f"wind\n0\n{value}\n", HEADING)
        for value in ("-13.3709", "813.3709", "N", "13,3709", "nan", "1e400", "13:37:09")
    },
    **{
        f"a place {value!r}": (f'lat,lon\n40.75,-73.98\n"{value}",-73.983709\n', [*PLACE, "--outside", "stop"])
        for value in ("0", "-33.8709", "407583709", "13,3709", "POINT (8.3709 47.3709)", "NA", "inf", "1e400")
    },
    **{
        f"a header like {name!r}": (f'"{name}",b\n13:37:09,zqx3709\n', ["--level", "1"])
        for name in ("start 13:37", "lat$(id)", "time`id`", 'date"";--', "zqx3709 time", "time\x1b[31m", "13.3709 date")
    },
    "a unit of SQL": ("arrival\n1\n", [*TIME, "--unit", "h'; DROP TABLE t; --"]),
    "a unit of an escape": ("arrival\n1\n", [*TIME, "--unit", "\x1b[31m"]),
    "a unit of texts": ("arrival\n13:37:09\n", [*TIME, "--unit", "h"]),
    "headings within hours": ("wind\n13.37\n", ["--heading", "wind", *RELEASE]),
    "headings in a column of SQL": ("wind\n13.37\n", ["--heading", 'x"; --', "--level", "1", "--within", "45deg"]),
    "a region for times": ("arrival\n13:37\n", [*TIME, "--outside", "keep"]),
}
# names of files, which a line repeats: none may be of a text that a shell would act on
NAMES = [
    "a.jsonl",
    "$(id).json",
    "`id`.gpkg",
    "a;id.feather",
    "a'b.jsonl",
    'a"b.shp',
    "*.csv",
    "a\\b.feather",
    "-.zip",
    "é ü.gpkg",
]


@pytest.mark.parametrize(("text", "words"), CASES.values(), ids=CASES)
def test_a_door_of_tables_is_refused_in_one_line_without_a_value(text, words, holder, refused):
    Path("in.csv").write_text(text, encoding="utf-8")
    err = refused(["release", "in.csv", "out.csv", *words])
    assert leaked(err.replace(str(holder), "")) == [], err


@pytest.mark.parametrize("name", NAMES)
def test_a_line_repeats_no_name_that_a_shell_would_act_on(name, holder, refused):
    if "*" not in name:
        Path(name).write_text("arrival\n13:37:09\n")
    err = refused(["release", name, "out.csv", *TIME])
    line = err.partition("convert it first, by: ")[2]
    assert leaked(err.replace(str(holder), "")) == [] and not set(line.replace("import pandas;", "")) & set("$`\\;")


GOOD, BAD = b"id,arrival\n1,13:37\n", b"id,arrival\n1,09:00\nzqx3709,13:37:61\n"
TO_STREAM = ["-", "--guarantee", "out.json"]
LONG = b"arrival\n" + b"13:37:09\n" * 200_000
# files of a folder, standard input, and the words of a release of them
STREAMS = {
    "a bad value in the last file": ({"a.csv": GOOD, "b.csv": BAD}, b"", ["*.csv", "out.csv"]),
    "a bad value, to standard output": ({"a.csv": GOOD, "b.csv": BAD}, b"", ["a.csv", "b.csv", *TO_STREAM]),
    "a bad value in standard input": ({"a.csv": GOOD}, BAD, ["a.csv", "-", "out.csv"]),
    "values for names in one file": ({"a.csv": GOOD, "b.csv": b"13:37:09\n13:37\n"}, b"", ["*.csv", "out.csv"]),
    "a name for a value": ({"a.csv": GOOD, "b.csv": b"zqx3709\n"}, b"", ["*.csv", "out.csv"]),
    "a quote over all of one file": ({"a.csv": GOOD, "b.csv": GOOD + b'"13:37'}, b"", ["*.csv", "out.csv"]),
    "a member of a gzip that is cut": (
        {"a.csv": GOOD, "b.csv.gz": gzip.compress(BAD) + gzip.compress(GOOD)[:-5]},
        b"",
        ["a.csv", "b.csv.gz", "out.csv"],
    ),
    "a bomb of gzip": ({}, gzip.compress(b"arrival\n") + gzip.compress(b"\0" * 10**6) * 50, ["-", "out.csv"]),
    "gzip in gzip": ({}, gzip.compress(gzip.compress(GOOD)), ["-", "out.csv"]),
    "Parquet that is none": ({}, b"PAR1 13:37:09 PAR1", ["-", *TO_STREAM]),
    "bytes of zip": ({}, b"PK\x03\x04 13:37:09", ["-", "out.csv"]),
    "bytes of 0": ({}, b"arrival\n13:37\0\n", ["-", "out.csv"]),
    "a line without an end": ({}, b"arrival\n" + b"13:37:09" * 400_000, ["-", "out.csv"]),
    "JSON": ({}, b'{"arrival": "13:37:09"}', ["-", "out.csv"]),
    "an escape in standard input": ({}, b"arrival\n\x1b[31m13:37\n", ["-", *TO_STREAM]),
    "too much": ({}, LONG, ["-", "out.csv"]),
    "too much, packed badly": ({}, b"\x1f\x8b" + LONG, ["-", "out.csv"]),
    "a pattern of SQL": ({"a.csv": GOOD}, b"", ["*'; DROP TABLE t; --", "out.csv"]),
    "a pattern of an escape": ({"a.csv": GOOD}, b"", ["*\x1b[31m", "out.csv"]),
    "a pattern of everything": ({"a.csv": GOOD, "note": BAD}, b"", ["**", "out.csv"]),
    "a name that is an option": ({"--time": GOOD}, b"", ["./--time", "-", "out.csv"]),
    "the output among the inputs": ({"a.csv": GOOD}, b"", ["a.csv", "./a.csv", "a.csv"]),
    "the guarantee among the inputs": ({"a.csv": GOOD}, b"", ["a.csv", "-", "--guarantee", "a.csv"]),
    "a guarantee in a device": ({"a.csv": GOOD}, b"", ["a.csv", "-", "--guarantee", "/dev/null/x.json"]),
    "a guarantee that is a stream": ({"a.csv": GOOD}, b"", ["a.csv", "-", "--guarantee", "-"]),
    "streams alone": ({}, b"", ["-", "-"]),
    "memory by its path": ({}, GOOD, ["/proc/self/mem", "out.csv"]),
    "a device": ({}, GOOD, ["/dev/zero", "out.csv"]),
}


@pytest.mark.skipif(
    not hasattr(os, "memfd_create"), reason="standard input needs a file in memory (memfd), which only Linux has"
)
@pytest.mark.parametrize(("files", "data", "words"), STREAMS.values(), ids=STREAMS)
def test_a_door_of_streams_is_refused_in_one_line_without_a_value(files, data, words, holder, capfd, monkeypatch):
    from dirpriv.tables import table as tables

    monkeypatch.setattr(tables, "MOST_HELD", 1_000_000)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    for name, content in files.items():
        Path(name).write_bytes(content)
    code = main(["release", *words, *TIME])
    out, err = capfd.readouterr()
    names = "".join(f"  {name}\n" for name in sorted(files)) * any("*" in word for word in words)
    assert code == 2 and out in ("", f"Files:\n{names}"), err
    lines = err.removeprefix(f"Files:\n{names}").splitlines()
    assert len(lines) == 1 and "Traceback" not in err and "\x1b" not in err and "bug" not in err
    assert leaked(err.replace(str(holder), "")) == []
    assert sorted(os.listdir()) == sorted(files)
    ledgers = [path.read_text() for path in holder.rglob("ledger.json")]
    assert not any('"level"' in text for text in ledgers)
