"""`dirpriv prepare`, and the commands that messages offer: what they make is released as a clean table is."""

import datetime
import gzip
import io
import os
import re
import shlex
import stat
import subprocess
import sys

import databases
import openpyxl
import pytest
from command_runs import ROOT, run
from leaks import NAME, leaked
from tables_of_releases import CITY, new_holder

from dirpriv.release import CircleRelease, PlaneRelease
from dirpriv.tables import hints
from dirpriv.tables.forms import FORMS

holder = pytest.fixture(new_holder)
PAGE = (ROOT / hints.PAGE).read_text(encoding="utf-8")
TIMES = {"time": "arrival", "level": 1.0, "radius": "3h", "keep_order": True}
HOLDER = []


@pytest.fixture(scope="module")
def of_module(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        made = new_holder(tmp_path_factory.mktemp("holder"), patch)
        patch.setattr(CircleRelease, "_released", lambda self, cells: cells)
        patch.setattr(PlaneRelease, "randomise_cells", lambda self, east, north: (east, north))
        HOLDER.append(made)
        yield made


@pytest.fixture
def here(of_module, monkeypatch):
    """The folder of the input, empty."""
    monkeypatch.chdir(of_module.input)
    for path in of_module.input.iterdir():
        path.unlink()
    return cleared()


def cleared():
    """The holder, with an empty folder for the output."""
    for path in HOLDER[-1].output.iterdir():
        path.unlink()
    return HOLDER[-1]


def released(source, **how):
    made = cleared()
    made.release(source, rerelease=True, **how)
    return made.released()


def prepare(*words):
    """Run the command; it must succeed. Its rows, and what it printed."""
    new = HOLDER[-1].input / words[-1] if words[-1].endswith(".parquet") else None
    ran = run("prepare", *words)
    assert (ran.status, ran.err) == (0, "") and new is not None
    with databases.connection() as connection:
        rows = connection.execute(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM '{new}'").fetchall()
    return rows, ran.out


def test_the_page_names_every_form_and_the_hint_of_every_page_is_there():
    for form in [*FORMS, "text"]:
        assert "%" in form or f"`{form}`" in PAGE, form
    assert (ROOT / hints.PAGE).is_file()


# of each form: texts, what becomes of them, and the option by which it is chosen
READ = {
    "clock": (["8:15", "24:00", "23:59:59.9"], ["08:15:00", "24:00:00", "23:59:59"], ""),
    "stamp": (["2024-02-29T08:15"], ["2024-02-29 08:15:00"], ""),
    "instant": (
        ["2024-03-05T08:15Z", "2024-03-05 08:15:30.5 -0530"],
        ["2024-03-05 08:15:00+00", "2024-03-05 13:45:30+00"],
        "",
    ),
    "timetable": (["8:15:00", "25:10:00", "198:59:59"], ["08:15:00", "01:10:00", "06:59:59"], ""),
    "weekday": (["Tue 8:15", "sunday 23:59"], ["2024-01-02 08:15:00", "2024-01-07 23:59:00"], ""),
    "decimal-comma": (["8,25", "-9", "1,2345"], ["8.25", "-9", "1.2345"], ""),
    "number": (["8.25", "NA", "7"], ["8.25", None, "7"], ""),
    "days": (["04/03/2024 8:15", "25/03/2024 23:59"], ["2024-03-04 08:15:00", "2024-03-25 23:59:00"], ""),
    "two digits of a year": (["25.03.24, 8:15 PM"], ["2024-03-25 20:15:00"], ""),
    "Strava": (["Apr 30, 2026, 7:00:00 AM"], ["2026-04-30 07:00:00"], ""),
    "12 hours": (["02:41:17AM", "12:05:00PM"], ["02:41:17", "12:05:00"], ""),
    "ctime": (["Tue Mar 05 08:15:00 2024"], ["2024-03-05 08:15:00"], ""),
    "RFC 2822": (["Tue, 5 Mar 2024 08:15:00 +0100"], ["2024-03-05 07:15:00+00"], ""),
    "a compact instant": (["20240305T081500Z"], ["2024-03-05 08:15:00+00"], ""),
    "UTC": (["2024-03-05 08:15:00 UTC"], ["2024-03-05 08:15:00+00"], ""),
    "ISO weeks": (["2024-W10-2 08:15"], ["2024-03-05 08:15:00"], ""),
    "French": (["8h05"], ["08:05:00"], ""),
    "days, chosen": (["04/03/2024 8:15"], ["2024-03-04 08:15:00"], "--day-first"),
    "months, chosen": (["04/03/2024 8:15"], ["2024-04-03 08:15:00"], "--month-first"),
    "open": (["04/03/2024 8:15"], ["04/03/2024 8:15"], ""),
    "marked-degrees": (["40°45'00\"N", "73.98W", "-5.5°", "\u22125"], ["40.75", "-73.98", "-5.5", "-5.0"], ""),
    "hhmm": (["1330", "815", "5", "2400"], ["13:30:00", "08:15:00", "00:05:00", "24:00:00"], "--as a=hhmm"),
    "serial": (["45356.34375"], ["2024-03-05 08:15:00"], "--as a=serial"),
    "microseconds": (["1709626500000123"], ["2024-03-05 08:15:00.000123+00"], "--as a=microseconds"),
    "nanoseconds": (["1709626500000123456"], ["2024-03-05 08:15:00.000123+00"], "--as a=nanoseconds"),
    "e7": (["407500000", "0", "-1234567"], ["40.75", "0.0", "-0.1234567"], "--as a=e7"),
    "signed-heading": (["-90", "360", "0.5"], ["270.0", "0.0", "0.5"], "--as a=signed-heading"),
    "compass": (["N", "nne", "NNW"], ["0.0", "22.5", "337.5"], "--as a=compass"),
    "no value": (["511.0", "511", "107", "n/a"], [None, None, "107", None], "--no-value a=511"),
    "text": (["08:15", "NA"], ["08:15", "NA"], "--as a=text"),
    "seats": (["12E", "12W", "3N"], ["12E", "12W", "3N"], ""),
    "texts": (["x", "NA", "08:15"], ["x", "NA", "08:15"], ""),
}


def column(texts, name="a"):
    return "\n".join([name, *('"' + text.replace('"', '""') + '"' for text in texts)]) + "\n"


@pytest.mark.parametrize(("texts", "right", "words"), READ.values(), ids=READ)
def test_a_form_is_read_right(texts, right, words, here):
    here.csv(column(texts), "in.csv")
    rows, _ = prepare("in.csv", *words.split(), "out.parquet")
    assert [value for value, *_ in rows] == right


PAIRS = {
    "point": (["Point(-73.98 40.75)", "SRID=4326;POINT ZM (1 2 3 4)"], [("40.75", "-73.98"), ("2.0", "1.0")], ""),
    "lat-lon": (["(40.75, -73.98)", "geo:1,2;u=3"], [("40.75", "-73.98"), ("1.0", "2.0")], "--as a=lat-lon"),
    "lon-lat": (["[-73.98, 40.75]", "NA"], [("40.75", "-73.98"), (None, None)], "--as a=lon-lat"),
    "only one": (["40.75, -173.98", "NA"], [("40.75", "-173.98"), (None, None)], ""),
}


@pytest.mark.parametrize(("texts", "right", "words"), PAIRS.values(), ids=PAIRS)
def test_a_pair_becomes_two_columns_beside_its_text(texts, right, words, here):
    here.csv(column(texts), "in.csv")
    rows, _ = prepare("in.csv", *words.split(), "out.parquet")
    assert rows == [(text, *pair) for text, pair in zip(texts, right, strict=True)]


HEADING = {"heading": "arrival", "level": 1.0, "radius": "45deg"}
PLACE = {"latitude": "lat", "longitude": "lon", "level": 1.0, "radius": "200m", **CITY}
MANY = "08:15,x\n" * 20_500
# tables that people have: how they are released, and the true values, or None where only the user knows them
TABLES = {
    "a sentinel among degrees": ("lat,lon\n40.75,-73.98\n999,999\n", PLACE | {"missing": "keep"}, ["40.7500000", ""]),
    "degrees times 10 million": ("lat,lon\n407500000,-739800000\n", PLACE, ["40.7500000"]),
    "degrees with marks": ("lat,lon\n40°45'N,73.98°W\n", PLACE, ["40.7500000"]),
    "exchanged columns": ("lon,lat\n39.9,116.3\n39.8,116.4\n", PLACE, None),
    "degrees times a million": ("lat,lon\n40750000,-73980000\n40760000,-73990000\n", PLACE, None),
    "metres": ("lat,lon\n4970000,-8235000\n4970100,-8235100\n", PLACE, None),
    "no heading": ("arrival\n511.0\n511.0\n107.0\n", HEADING | {"missing": "keep"}, ["", "", "107.125"]),
    "-1 for no heading": ("arrival\n-1\n90\n107.0\n", HEADING, None),
    "minutes": ("arrival\n0\n615\n1035\n", {"unit": "h"}, None),
    "seconds": ("arrival\n1500\n1800\n2100\n", {"unit": "h"}, None),
    "half days": ("arrival\n2024-03-05 08:15 PM\n2024-03-06 12:05 AM\n", {}, ["20:15", "00:05"]),
    "days or months": ("arrival\n04/03/2024 8:15\n05/03/2024 9:15\n", {"period": "7d", "cells": 672}, None),
    "days": ("arrival\n04/03/2024 8:15\n25/03/2024 9:15\n", {}, ["08:15", "09:15"]),
    "American days": ("arrival\n04/03/2024 8:15:30 PM\n03/25/2024 9:15:00 AM\n", {}, ["20:15", "09:15"]),
    "points": ("lat,lon\nPoint(-73.98 40.75),1\nPoint(-73.99 40.76),1\n", PLACE, None),
    "thousands": ('arrival\n"3,600"\n"7,200"\n', {"unit": "s"}, None),
    "minutes and seconds": ("arrival\n75:30\n80:15\n", {}, None),
    "a timetable": ("arrival,b\n08:15:00,x\n25:10:00,#\n", {}, ["08:15", "01:10"]),
    "a gap": ("arrival,b\n08:15,x\n#N/A,#N/A\nNaT,y\n", {"missing": "keep"}, ["08:15", "", ""]),
    "a gap and more": ("arrival\n08:15\nNA\n9 o'clock\n", {"missing": "keep"}, None),
    "a quote far down": (f'arrival,b\n{MANY}NA,"Ann, HIV clinic"\n', {"missing": "keep"}, ["08:15"] * 20_500 + [""]),
    "a comment": ("arrival,b\n09:00,x\nNA,#y\n08:15,z\n", {"missing": "keep"}, ["09:00", "", "08:15"]),
    "other separators in the rows": ('arrival,b\nNA,"x;1;2"\n08:15,3;4;5\n', {"missing": "keep"}, ["", "08:15"]),
    "a row that begins a comment": (
        'arrival,b\nNA,1\n"08:15",#2\n09:00,3\n',
        {"missing": "keep"},
        ["", "08:15", "09:00"],
    ),
    "decimal commas": ('arrival\n"8,25"\n"9,5"\n10\n', {"unit": "h"}, ["08:15", "09:30", "10:00"]),
    "a time beyond all hours": ("arrival\n08:15:00\n25:10:00\n99:59:59\n", {}, None),
    "a reserved word": ("offset\n08:15\nNA\n", {"time": "offset", "missing": "keep"}, ["08:15", ""]),
    "a name that DuckDB gives": (
        "arrival,arrival,arrival_1\n08:15,01:00,02:00\n08:16,01:01,NA\n",
        {"time": "arrival_1", "missing": "keep"},
        ["02:00", ""],
    ),
    "a column without a name": (
        ",column0\n08:15,02:00\n08:16,NA\n",
        {"time": "column0", "missing": "keep"},
        ["02:00", ""],
    ),
    "two columns with a gap": ("lat,lon\n40.75,-73.98\nNA,NA\n", PLACE | {"missing": "keep"}, ["40.7500000", ""]),
    "days of the week and more": ("arrival\nTue 8:15\nTue 08:15 PM\n", {"period": "7d", "cells": 672}, None),
}


def commands(message):
    """The words of each command that a message has."""
    return [shlex.split(line) for line in re.findall(r"(dirpriv prepare .*?)(?= or dirpriv|; see|\. |$)", message)]


def pasted(message, folder):
    """Run each command of a message, which loses no row and prints no value; the table of the only one, or None."""
    for words in (found := commands(message)):
        new = folder / words[3]
        new.unlink(missing_ok=True)
        ran = run(*words[1:])
        assert (ran.status, leaked(ran.out, ran.err)) == (0, [])
        table, rows = hints.Table("input", words[2], *words[5:6] * ("--separator" in words)), f"FROM '{new}'"
        with databases.connection() as connection:
            assert connection.execute(f"SELECT count(*) {rows}").fetchall() == table.query(
                f"SELECT count(*) FROM {table.scan()}"
            )
    return new if len(found) == 1 and "only you know" not in message else None


@pytest.mark.parametrize("name", TABLES)
def test_what_a_message_offers_is_right_on_the_table_of_which_it_is(name, here):
    """Its command or its option: all values and all rows, or an error."""
    text, how, true = TABLES[name]
    source, call = here.csv(text, "table.csv"), (how if "level" in how else TIMES | how) | {"keep_order": True}
    for _ in range(5):
        try:
            cleared().release(source.name, rerelease=True, **call)
        except ValueError as error:
            message = str(error)
        else:
            texts = [value.strip('"') for value, *_ in here.released()]
            assert texts == true
            return
        formats = re.findall(r"time_format='([^']*)'", message)
        if "'unit' is for numbers" in message:  # from the second try on
            del call["unit"]
        elif len(formats) == 1 and "such as" not in message:
            call["time_format"] = formats[0]
        else:
            source = pasted(message, here.input)
        if source is None:
            break
    assert true is None


def test_a_prepared_pair_is_released_by_its_two_columns(here):
    here.csv("where\nPoint(-73.98 40.75)\n", "in.csv")
    prepare("in.csv", "in.parquet")
    with pytest.raises(ValueError, match="use the columns beside it, where_lat and where_lon"):
        released("in.parquet", **PLACE | {"latitude": "where", "longitude": "where_lon"})
    found = released("in.parquet", **PLACE | {"latitude": "where_lat", "longitude": "where_lon"})
    assert found == [["40.7500000", "-73.9800000"]]


def test_a_pair_that_can_be_read_in_two_ways_stays_a_text_and_is_told(here):
    here.csv(column(["40.75, -73.98"]), "in.csv")
    rows, shown = prepare("in.csv", "out.parquet")
    assert [row[0] for row in rows] == ["40.75, -73.98"]
    assert "can be read in 2 ways, and is text: give --as COLUMN=lat-lon or --as COLUMN=lon-lat" in shown
    here.csv(column(["NNE", "w"]), "winds.csv")
    assert "column 1: text, which --as COLUMN=compass would read" in prepare("winds.csv", "winds.parquet")[1]


def test_commands_for_several_files_lose_no_row(here):
    files = [here.csv(f"arrival\n0{i}:15\nNA\n", f"m{i}.csv").name for i in range(3)]
    prepared = []
    for i, file in enumerate(files):
        with pytest.raises(ValueError, match=f"dirpriv prepare {file}") as raised:
            cleared().release([file], rerelease=True, missing="keep", **TIMES)
        prepared.append(pasted(str(raised.value), here.input).name)
        assert prepared[-1] == f"m{i}.csv.prepared.parquet"
    right = [["00:15"], ['""'], ["01:15"], ['""'], ["02:15"], ['""']]
    assert released(prepared, missing="keep", **TIMES) == right
    prepare(*files, "all.parquet")
    assert released(here.input / "all.parquet", missing="keep", **TIMES) == right


def offers():
    """The commands of the first messages, each with its table."""
    for text, how, _ in TABLES.values():
        source, call = HOLDER[-1].csv(text, "table.csv"), how if "level" in how else TIMES | how
        try:
            released(source.name, **call)
        except ValueError as error:
            yield from ((text, words) for words in commands(str(error)))


@pytest.mark.sweep
def test_commands_run_in_a_shell(here):
    """At least 20, each on its table."""
    offered = [*offers()]
    assert len(offered) >= 20
    for text, words in offered[:20]:
        here.csv(text, "table.csv")
        (here.input / words[3]).unlink(missing_ok=True)
        line = shlex.join([sys.executable, "-m", *words])
        subprocess.run(line, shell=True, check=True, capture_output=True)
        with databases.connection() as connection:
            assert connection.execute(f"SELECT count(*) > 0 FROM '{words[3]}'").fetchall() == [(True,)]


def test_a_command_is_quoted_for_a_shell(here):
    """A shell gives its words to the command; only the holder can read the new file."""
    here.csv("Arrival Time,b\n25/03/2024 8:15,x\nNA,y\n", "a (1).csv")
    line = hints.prepare_line(hints.Table("input", "a (1).csv"), "--as", "Arrival Time=%d/%m/%Y %H:%M")
    words = subprocess.check_output(f"dirpriv() {{ printf '%s\\n' \"$@\"; }}; {line}", shell=True, text=True)
    assert run(*words.splitlines()).status == 0
    new = here.input / "a (1).csv.prepared.parquet"
    assert stat.S_IMODE(os.stat(new).st_mode) == 0o600
    with databases.connection() as connection:
        rows = connection.execute(f"FROM '{new}'").fetchall()
    assert rows == [(datetime.datetime(2024, 3, 25, 8, 15), "x"), (None, "y")]


SECRET = f"{NAME} 13:37:09"
REFUSED = {
    "another form": (f"a\n08:15\n{SECRET}\n", "--as a=clock", "row 2 of 'a' is not a time"),
    "half a form": ("a\n815\n1337.09\n", "--as a=hhmm", "row 2 of 'a' is not a clock without a colon"),
    "minutes beyond 60": ("a\n0815\n1399\n", "--as a=hhmm", "row 2 of 'a' is not a clock without a colon"),
    "no such form": ("a\n08:15\n", "--as a=clocks", "--as must be one of clock, stamp,"),
    "no such column": ("a\n13:37:09\n", "--as b=clock", "names no column of 'in.csv'"),
    "no form": ("a\n13:37:09\n", "--as a", "must be COLUMN=FORM"),
    "no value in no row": ("a\n1337\n", "--no-value a=511", "is in no row of 'a'"),
    "no value of nothing": ("a\n1337\n", "--no-value a", "must be COLUMN=TEXT"),
    "a month that is none": ("a\n25/03/2024 13:37\n", "--month-first", "whose first number is no month"),
    "a column that is joined": ("a,b\n13:37,x\n", "--join a,b --no-value a_b=x", "names no column"),
    "no names": ("13:37:09,1337\n08:15,2\n", "", "give --names"),
    "a first row that is no number": (f"{NAME},Tue 13:37\nx,Wed 8:15\n", "", "give --names"),
    "too few names": (f"{SECRET},1\n08:15,2\n", "--names a", "--names must be as many as there are columns, 2"),
    "one column joined": ("a\n13:37\n", "--join a", "must be two columns"),
    "an open quote": (f'a,b\n08:15,1\n"{SECRET},1\n', "", "from line 3 on"),
    "other fields": (f"a,b\n08:15,1\n{SECRET},1,2\n", "", "from line 3 on: 3 fields"),
    "no rows": ("a\n", "--as a=clock", "has no rows"),
}


@pytest.mark.parametrize(("text", "words", "says"), REFUSED.values(), ids=REFUSED)
def test_a_choice_that_does_not_read_every_row_is_refused_without_a_value(text, words, says, here):
    here.csv(text, "in.csv")
    ran = run("prepare", "in.csv", "out.parquet", *words.split())
    assert ran.status == 2 and ran.out == "" and re.search(says, ran.err)
    assert leaked(ran.err) == [] and len(ran.err.splitlines()) == 1
    assert os.listdir() == ["in.csv"]


def test_a_column_with_a_type_needs_no_form(here):
    here.parquet("SELECT TIME '13:37:09' AS a", "in.parquet")
    for words in (["--as", "a=clock"], ["--no-value", "a=13:37:09"]):
        ran = run("prepare", "in.parquet", "out.parquet", *words)
        assert (ran.status, "'a' has a type, and needs no form" in ran.err) == (2, True)
    rows, _ = prepare("in.parquet", "out.parquet")
    assert rows == [("13:37:09",)]


def test_nothing_is_overwritten_and_out_is_a_parquet_file(here):
    here.csv("a\n08:15\n", "in.csv")
    here.csv("mine", "out.parquet")
    assert "'out.parquet' exists" in run("prepare", "in.csv", "out.parquet").err
    assert "OUT must end in .parquet" in run("prepare", "in.csv", "out.csv").err
    assert "same columns" in run("prepare", "in.csv", here.csv("b\n08:15\n", "b.csv").name, "new.parquet").err
    assert (here.input / "out.parquet").read_text() == "mine"


def test_other_columns_and_all_rows_stay_as_they_are(here):
    """Also those of repeated names, and what stands for no value in texts."""
    here.csv('id,a,A,,b\n"1, x",08:15,None,-,511\n" 2",NA,y,"q ""z""",1\n', "in.csv")
    rows, out = prepare("in.csv", "out.parquet")
    assert rows == [("1, x", "08:15:00", "None", "-", "511"), (" 2", None, "y", 'q "z"', "1")]
    assert "2 rows" in out and "contains the true values" in out and "None" not in out and "08:15" not in out


def test_sentinels_are_named_and_kept(here):
    here.csv("heading,lat,lon\n511,91,181\n90,40.75,-73.98\n", "in.csv")
    rows, out = prepare("in.csv", "out.parquet")
    assert rows[0] == ("511", "91", "181")
    assert "511 in 1 rows. If it is none, give --no-value heading=511" in out and "--no-value lon=181" in out
    rows, _ = prepare("in.csv", "--no-value", "heading=511", "--no-value", "lat,lon=91,181", "new.parquet")
    assert rows == [(None, None, None), ("90", "40.75", "-73.98")]


def test_a_date_and_a_clock_are_joined(here):
    here.csv("Date,Time\n2018-07-26,10:21 AM\n2018-07-27,12:05 PM\n,\n", "in.csv")
    rows, _ = prepare("in.csv", "--join", "Date,Time", "out.parquet")
    assert [row[2] for row in rows] == ["2018-07-26 10:21:00", "2018-07-27 12:05:00", None]


def test_names_and_lines_to_skip_are_given(here):
    here.csv("Geolife trajectory\nWGS 84\n\n0,2\n39.98,08:15\n40.01,09:00\n", "in.plt")
    rows, _ = prepare("in.plt", "--skip", "4", "--names", "lat,time", "out.parquet")
    assert rows == [("39.98", "08:15:00"), ("40.01", "09:00:00")]


def test_the_last_line_is_the_release_of_the_new_table(here):
    here.csv("arrival\n25:10:00\n", "in.csv")
    _, out = prepare("in.csv", "out.parquet")
    line = "dirpriv release out.parquet private.csv --time arrival --level LEVEL --within RADIUS"
    assert out.splitlines()[-1] == f"To fill in and run: {line}"


def test_a_name_that_a_shell_would_act_on_is_in_no_command(here):
    for name in ("$(id)", "a`b`", 'a"b', "a'b", "a\\b", "a;b!", "a*b"):
        table = hints.Table("input", here.csv("arrival\n08:15\n", f"{name}.csv").name)
        assert hints.prepare_line(table, "--as", "arrival=clock") == f"what is in {hints.PAGE}"
    table = hints.Table("input", here.csv("arrival\n08:15\n", "in.csv").name)
    assert hints.prepare_line(table, "--as", "$(id)=clock") == f"what is in {hints.PAGE}"


ROW = f'{NAME},13:37:09,47.370913,"{NAME}, 13.3709"'
BOOK = io.BytesIO()
GPX = f'<gpx><wpt lat="47.370913" lon="8.370913"><time>13:37:09</time></wpt><wpt lat="{NAME}" lon="x"/>'
# files of a person in every field, and of what is wrong with them
PERSONAL = {
    "open quote.csv": f'name,arrival\n{ROW[:15]}\n"{NAME},13:37:09\n',
    "quote within.csv": f'name,arrival\n{NAME} "x,13:37:09\n{NAME}",13:37:09\n',
    "open quote far down.csv": "name,arrival\n" + f"{NAME},13:37:09\n" * 3000 + f'"{NAME},13:37:09\n',
    "fields.csv": f"name,arrival,lat\n{ROW}\n{NAME}\n",
    "no names.csv": f"{ROW}\n{ROW}\n",
    "a name twice.csv": f"arrival,arrival\n13:37:09,{NAME}\n",
    "zero.csv": f"name,arrival\n{NAME},13:37:09\0\n",
    "cp1252.csv": f"name,arrival\n{NAME} é,13:37:09\n".encode("cp1252") + b"\x81\n",
    "utf-16.csv": f"name,arrival\n{NAME},13:37:09\n".encode("utf-16")[:-3],
    "line ends.csv": f"name,arrival\r\n{NAME},13:37:09\r{NAME},13:37:09\n",
    "separator.csv": f"name;arrival\n{NAME};13:37:09\n",
    "casts.csv": f"arrival,lat,lon\n13.3709,47.370913,8.370913\n{NAME},47.3709x,8,3709\n",
    "casts of times.csv": f"arrival,lat,lon\n13:37:09,47.370913,8.370913\n13:37:0{NAME},91,181\n",
    "numbers.csv": "arrival,lat,lon\n133709,473709130,83709130\n13370999999999999999999,1e400,nan\n",
    "dates.csv": "arrival,lat,lon\n13/03/2024 13:37:09,47°37'09\"N,8.370913W\n13/13/2024 13:37:09,N,W\n",
    "no value.csv": f"arrival,lat,lon\nNA,NA,NA\n{NAME},511,511\n",
    "array.json": f'[{{"arrival": "13:37:09", "name": "{NAME}"}}, {{"arrival": "13:37:09", {NAME}}}]',
    "cut.json": f'[{{"arrival": "13:37:09", "name": "{NAME}',
    "numbers.json": '[{"arrival": 13.370913}, {"arrival": NaN}]',
    "lines.jsonl": f'{{"arrival": "13:37:09"}},\n{{"arrival": "{NAME}"}}',
    "records.json": f'{{"{NAME}": {{"arrival": "13:37:09"}}}}',
    "points.geojson": f'{{"features": [{{"geometry": "{NAME}", "properties": {{"arrival": "13:37:09"}}}}]}}',
    "timeline.json": f'{{"semanticSegments": [{{"activity": {{"start": {{"latLng": "{NAME}"}}}}}}]}}',
    "cut.gpx": GPX,
    "whole.gpx": f"{GPX}</gpx>",
    "entity.gpx": f'<!DOCTYPE gpx [<!ENTITY x "{NAME}">]>{GPX}</gpx>',
    "track.kml": f"<kml><Placemark><Point><coordinates>{NAME} 13.3709</coordinates></Point></Placemark></kml>",
    "cut.csv.gz": gzip.compress(f"name,arrival\n{NAME},13:37:09\n".encode() * 99)[:-9],
    "cut.zip": b"PK\x03\x04" + ROW.encode(),
    "damaged.parquet": b"PAR1" + ROW.encode() + b"PAR1",
    "damaged.xlsx": b"PK\x03\x04" + ROW.encode(),
    "errors.xlsx": BOOK,
    "a.xls": ROW,
    "birthdays.csv": f"arrival,lat\n1971-09-13,{NAME}\n13/09/1971,{NAME}\n",
    "titles.plt": f"{NAME}\nof {NAME}\n\n{NAME},13:37:09\n{ROW}\n",
    "fields.psv": f"name|arrival|lat\n{NAME}|13:37:09|47.370913\n{NAME}|13:37:09\n",
    "e7.json": f'{{"locations": [{{"timestampMs": "{NAME}", "latitudeE7": 473709130, "longitudeE7": "{NAME}"}}]}}',
    "deep.json": f'[{{"arrival": {{"a": "{NAME}"}}, "arrival.a": "{NAME}"}}]',
    "path.kml": f"<kml><Track><when>{NAME}</when><coord>13.3709 {NAME}</coord><coord>8 47 0</coord></Track></kml>",
    "no gzip.csv.gz": f"name,arrival\n{ROW}\n",
}
IN_CITY = "--region-centre 47.37,8.54 --region-reach 30km --cell-size 10m".split()
DOORS = [
    ["prepare", "new.parquet"],
    ["prepare", "new.parquet", "--as", "arrival=clock", "--no-value", "arrival=511"],
    ["prepare", "new.parquet", "--day-first", "--join", "arrival,lat"],
    ["release", "new.csv", "--time", "arrival", "--level", "1", "--within", "3h"],
    ["release", "new.csv", "--time", "arrival", "--unit", "h", "--level", "1", "--within", "3h"],
    ["release", "new.csv", "--heading", "lat", "--level", "1", "--within", "45deg"],
    ["release", "new.csv", "--latitude", "lat", "--longitude", "lon", *"--level 1 --within 200m".split(), *IN_CITY],
]


@pytest.mark.sweep
@pytest.mark.parametrize("name", PERSONAL)
def test_no_command_prints_a_value_of_a_person(name, here, logged, capfd):
    """Of what they refuse, and of what the libraries behind them do; nor do commands of their messages."""
    data = PERSONAL[name]
    if data is BOOK:
        book = openpyxl.Workbook()
        book.active.append(["name", "arrival", "lat"])
        for row in ([NAME, "13:37:09", 47.370913], [NAME, "#DIV/0!", "#REF!"], [NAME, "=1/0", 8.370913]):
            book.active.append(row)
        book.save(data)
        data = data.getvalue()
    (here.input / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    for door, output, *words in DOORS:
        (here.input / output).unlink(missing_ok=True)
        ran = run(door, name, output, *words)
        assert leaked(ran.out, ran.err, logged.getvalue(), *capfd.readouterr()) == [], (door, words)
        assert ran.status in (0, 2) and len(ran.err.splitlines()) <= 1
        for line in commands(ran.err):
            (here.input / line[3]).unlink(missing_ok=True)
            ran = run(*line[1:])
            assert leaked(ran.out, ran.err) == [], line
