"""The page "Prepare your table": from what a line makes, the same is released as from a clean table."""

import re
import shlex
import subprocess
import sys
from types import SimpleNamespace

import databases
import duckdb
import pytest
from command_runs import ROOT
from for_all import for_all
from hypothesis import strategies as st
from tables_of_releases import CITY, new_holder

from dirpriv.release import CircleRelease, PlaneRelease
from dirpriv.tables import hints

holder = pytest.fixture(new_holder)
PAGE = (ROOT / hints.PAGE).read_text(encoding="utf-8")
LINES = dict(re.findall(r"\n## ([^\n]*)\n.*?\n```sh\n(.*?)\n```\n", PAGE, flags=re.DOTALL))
LINES = {heading.lower().replace(" ", "-"): line for heading, line in LINES.items()}
TIMES = {"time": "arrival", "level": 1.0, "radius": "3h", "keep_order": True}
DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()


def clock(minute, pad="02"):
    return f"{minute // 60:{pad}}:{minute % 60:02}"


def rows(name, texts, separator=","):
    return "\n".join([name, *texts]) + "\n"


def file_of(recipe, minutes):
    """A table of these minutes of the day (of the week) as people have it, and how it is released then."""
    one = {
        "no-value": (lambda m: "NA" if m % 7 == 0 else clock(m % 1440), {"missing": "keep"}),
        "decimal-commas": (lambda m: f'"{(m % 1440 + 0.5) / 60:.15f}"'.replace(".", ","), {"unit": "h"}),
        "clocks-without-a-colon": (lambda m: str(m % 1440 // 60 * 100 + m % 60), {}),
        "hours-after-24": (lambda m: clock(m) + ":30", {}),
        "days-of-the-week": (lambda m: f"{DAYS[m // 1440]}day {clock(m % 1440, '')}", {"period": "7d", "cells": 10080}),
        "dates-of-a-spreadsheet": (lambda m: repr(45356 + m / 1440), {}),
        "microseconds": (lambda m: str(1_709_596_800_000_123 + 60_000_000 * m), {"unit": "epoch_ms", "zone": "UTC"}),
    }
    if recipe in one:
        write, how = one[recipe]
        return rows("arrival", map(write, minutes)).encode(), how
    assert recipe == "date-and-time"
    texts = [f"2024-01-0{1 + m // 1440},{clock(m % 1440, '')}" for m in minutes]
    return rows("day,clock", texts).encode(), {"period": "7d", "cells": 10080, "time": "moment"}


def convert(recipe, folder):
    """Run the line of the page, which is one of Python, in a database that is open already."""
    select = re.search("'''(.*)'''", LINES[recipe], flags=re.DOTALL)[1].replace("\\t", "\t").replace('\\"', '"')
    select = re.sub(r"'(in\.[.a-z]*)'", lambda found: f"'{folder / found[1]}'", select)
    with databases.connection() as connection:
        connection.execute(select)
    return folder / re.search(r"TO '(in\.[.a-z]*)'", LINES[recipe])[1]


def test_the_page_has_every_line_as_messages_have_it():
    for recipe in hints.QUERIES:
        assert hints.line(recipe, "in.csv", "arrival") == LINES[recipe]
    for module in ("tables/hints", "tables/reading", "tables/table", "release/files/values_to_cells"):
        source = (ROOT / "src" / "dirpriv" / f"{module}.py").read_text(encoding="utf-8")
        named = re.findall(r"PAGE}#([a-z0-9-]+)|: \"([a-z]+(?:-[a-z0-9]+)+)\"|, \"([a-z]+(?:-[a-z0-9]+)+)\"\)", source)
        assert {name for names in named for name in names if name} <= set(LINES)


@pytest.fixture(scope="module")
def of_module(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        made = new_holder(tmp_path_factory.mktemp("holder"), patch)
        patch.setattr(CircleRelease, "_released", lambda self, cells: cells)
        patch.setattr(PlaneRelease, "randomise_cells", lambda self, east, north: (east, north))
        HOLDER.append(made)
        yield made


HOLDER = []
OF_PLACES = {"no-fix", "degrees-e7", "points-as-texts"}
OF_TIMES = sorted(set(LINES) - OF_PLACES - {"negative-headings"})


def cleared():
    """The holder, with an empty folder for the output."""
    for path in HOLDER[-1].output.iterdir():
        path.unlink()
    return HOLDER[-1]


def released(source, **how):
    made = cleared()
    made.release(source, rerelease=True, **how)
    return made.released()


def check(recipe, minutes):
    """What is released of the converted table is what is released of the clean one, cell by cell."""
    folder = HOLDER[-1].input
    data, more = file_of(recipe, minutes)
    name = re.search(r"'(in\.\w+)'", LINES[recipe])[1]
    (folder / name).write_bytes(data)
    week = "period" in more
    texts = [f"2024-01-0{1 + m // 1440} {clock(m % 1440)}" if week else clock(m % 1440) for m in minutes]
    if recipe == "no-value":
        texts = ['""' if m % 7 == 0 else text for m, text in zip(minutes, texts, strict=True)]
    same = {name: value for name, value in more.items() if name in ("period", "cells", "missing")}
    clean = released(HOLDER[-1].column(texts), **(TIMES | same))
    assert released(convert(recipe, folder), **(TIMES | more)) == clean and len(clean) == len(minutes)


@pytest.mark.usefixtures("of_module")
@pytest.mark.parametrize("recipe", OF_TIMES)
def test_every_line_of_times(recipe):
    """Midnight, the ends of days, a multiple of seven, and a few others."""
    check(recipe, [1, 0, 495, 719, 720, 1439, 1440, 2 * 1440 - 1, 8065, 6 * 1440 + 17])


@pytest.mark.usefixtures("of_module")
@for_all(12, 400, recipe=st.sampled_from(OF_TIMES), minutes=st.lists(st.integers(0, 10_079), min_size=1, max_size=30))
def test_a_conversion_changes_no_cell(recipe, minutes):
    check(recipe, minutes)


PLACES = {
    "no-fix": ("lat,lon\n40.75,-73.98\n0,0\n40.76,0\n", "lat,lon\n40.75,-73.98\n,\n40.76,0\n"),
    "degrees-e7": ("lat,lon\n407500000,-739800000\n", "lat,lon\n40.75,-73.98\n"),
    "points-as-texts": ("place\nPOINT (-73.98 40.75)\nPOINT(-74 40.8)\n", "lat,lon\n40.75,-73.98\n40.8,-74\n"),
}


@pytest.mark.usefixtures("of_module")
@pytest.mark.parametrize("recipe", PLACES)
def test_lines_of_places(recipe):
    call = {"latitude": "lat", "longitude": "lon", "level": 1.0, "radius": "200m", "missing": "keep"}
    call |= {"keep_order": True, **CITY}
    folder, (dirty, clean) = HOLDER[-1].input, PLACES[recipe]
    (folder / "in.csv").write_text(dirty)
    assert released(convert(recipe, folder), **call) == released(HOLDER[-1].csv(clean), **call)


@pytest.mark.usefixtures("of_module")
def test_a_line_of_headings():
    folder, call = HOLDER[-1].input, {"heading": "wind", "level": 1.0, "radius": "45deg", "keep_order": True}
    (folder / "in.csv").write_text("wind\n-90\n0\n359.5\n-0.25\n")
    found = released(convert("negative-headings", folder), **call)
    assert found == released(HOLDER[-1].column([270, 0, 359.5, 359.75], "wind"), **call)


@pytest.mark.usefixtures("of_module")
@pytest.mark.parametrize("number", ["1704106800", "861", "-815", "2460"])
def test_the_line_of_clocks_makes_no_clock_of_another_number(number):
    """Seconds since 1970 are no clock, although their first two and last two digits look like one."""
    folder = HOLDER[-1].input
    (folder / "in.csv").write_text(f"arrival\n{number}\n")
    with pytest.raises(ValueError, match="'arrival'"):
        released(convert("clocks-without-a-colon", folder), **TIMES)


def in_a_shell(line, folder):
    line = line.replace("python", sys.executable, 1)
    return subprocess.run(line, shell=True, cwd=folder, capture_output=True, text=True, check=False)


def test_a_line_runs_in_a_shell(tmp_path):
    """With its quotes; where it fails, it prints no row and replaces no table."""
    (tmp_path / "in.csv").write_text('arrival,b\nTue 8:15,"x, y"\n')
    assert in_a_shell(LINES["days-of-the-week"], tmp_path).returncode == 0
    made = tmp_path / "in.csv.clean.parquet"
    with databases.connection() as connection:
        assert connection.execute(f"FROM '{made}'").fetchall() == [("2024-01-02 08:15", "x, y")]
    before = made.read_bytes()
    (tmp_path / "in.csv").write_text('arrival,b\nTue 8:15,x\nsecret-77,"Ann, HIV clinic"\n')
    ran = in_a_shell(LINES["days-of-the-week"], tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "InvalidInputException\n", "")
    assert made.read_bytes() == before


STOPPED = {
    "clocks-without-a-colon": ("arrival", ["815", "815.6"]),
    "dates-of-a-spreadsheet": ("arrival", ["45356.5", "0.5"]),
    "days-of-the-week": ("arrival", ["Tue 8:15", "Tue 08:15 PM"]),
    "decimal-commas": ("arrival", ["8,25", "1.234,5"]),
    "degrees-e7": ("lat,lon", ["407500000,-739800000", "999,999"]),
    "hours-after-24": ("arrival", ["25:10:00", "25:10"]),
    "microseconds": ("arrival", ["1709596800000123", "1709596800"]),
    "negative-headings": ("wind", ["-90", "511"]),
    "points-as-texts": ("place", ["Point(13.38 52.52)", "13.38 52.52"]),
}


@pytest.mark.usefixtures("of_module")
@pytest.mark.parametrize("recipe", STOPPED)
def test_a_line_of_the_page_stops_at_a_value_of_another_form(recipe):
    folder, (head, values) = HOLDER[-1].input, STOPPED[recipe]
    (folder / "in.csv").write_text("\n".join([head, *values]) + "\n")
    with pytest.raises(duckdb.Error):
        convert(recipe, folder)


HEADING = {"heading": "arrival", "level": 1.0, "radius": "45deg"}
PLACE = {"latitude": "lat", "longitude": "lon", "level": 1.0, "radius": "200m", **CITY}
MANY = "08:15,x\n" * 20_500
# tables that people have: how they are released, and the true values, or None where only the user knows them
TABLES = {
    "a sentinel among degrees": ("lat,lon\n40.75,-73.98\n40.76,-73.99\n999,999\n40.77,-73.97\n", PLACE, None),
    "exchanged columns": ("lon,lat\n39.9,116.3\n39.8,116.4\n", PLACE, None),
    "degrees times a million": ("lat,lon\n40750000,-73980000\n40760000,-73990000\n", PLACE, None),
    "metres": ("lat,lon\n4970000,-8235000\n4970100,-8235100\n", PLACE, None),
    "no heading": ("arrival\n511.0\n511.0\n107.0\n", HEADING, None),
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
        None,
    ),
    "a column without a name": (",column0\n08:15,02:00\n08:16,NA\n", {"time": "column0", "missing": "keep"}, None),
    "two columns with a gap": ("lat,lon\n40.75,-73.98\nNA,NA\n", PLACE | {"missing": "keep"}, ["40.7500000", ""]),
    "days of the week and more": ("arrival\nTue 8:15\nTue 08:15 PM\n", {"period": "7d", "cells": 672}, None),
}


def pasted(message, folder, capsys):
    """Run the line of a message in the folder; the table that it writes, or None. It prints no value."""
    found = re.search(r'(python -c "(?:[^"\\]|\\.)*")', message)
    if found is None:
        return None
    code, hook = shlex.split(found[1])[2], sys.excepthook
    try:
        exec(code, {})
    except Exception:
        sys.excepthook(*sys.exc_info())
        out, err = capsys.readouterr()
        assert (out.strip().isidentifier(), err) == (True, "")
        return None
    finally:
        sys.excepthook = hook
    return folder / re.search(r"TO '([^']*)'", code)[1]


@pytest.mark.usefixtures("of_module")
@pytest.mark.parametrize("name", TABLES)
def test_what_a_message_offers_is_right_on_the_table_of_which_it_is(name, monkeypatch, capsys):
    """Its line or its option: all values and all rows, or an error."""
    made, (text, how, true) = HOLDER[-1], TABLES[name]
    monkeypatch.chdir(made.input)
    source, call = (made.csv(text, "table.csv"), (how if "level" in how else TIMES | how) | {"keep_order": True})
    for _ in range(4):
        try:
            cleared().release(source.name, rerelease=True, **call)
        except ValueError as error:
            message = str(error)
        else:
            assert [value.strip('"') for value, *_ in made.released()] == true
            return
        formats = re.findall(r"time_format='([^']*)'", message)
        if "'unit' is for numbers" in message:  # from the second try on
            del call["unit"]
        elif len(formats) == 1 and "such as" not in message:
            call["time_format"] = formats[0]
        else:
            source = pasted(message, made.input, capsys)
        if source is None:
            break
    assert true is None


@pytest.mark.usefixtures("of_module")
def test_the_line_for_dates_and_clocks_cuts_no_half_of_the_day():
    made, call = cleared(), TIMES | {"time": "moment"}
    made.csv("day,clock\n2024-03-05,8:15 PM\n2024-03-06,12:05 AM\n", "in.csv")
    source = convert("date-and-time", made.input)
    with pytest.raises(ValueError, match="give time_format='%Y-%m-%d %I:%M %p'"):
        made.release(source, rerelease=True, **call)
    assert released(source, time_format="%Y-%m-%d %I:%M %p", **call) == [["20:15"], ["00:05"]]


@pytest.mark.usefixtures("of_module")
def test_lines_for_several_files_lose_no_row(monkeypatch, capsys):
    made = cleared()
    monkeypatch.chdir(made.input)
    files = [made.csv(f"arrival\n0{i}:15\nNA\n", f"m{i}.csv").name for i in range(3)]
    for _ in range(3):
        with pytest.raises(ValueError, match="python -c") as raised:
            made.release(files, rerelease=True, missing="keep", **TIMES)
        new = pasted(str(raised.value), made.input, capsys)
        (place,) = [i for i, file in enumerate(files) if file in str(raised.value)]
        files[place] = new.name
    assert released(files, missing="keep", **TIMES) == [["00:15"], ['""'], ["01:15"], ['""'], ["02:15"], ['""']]


def test_a_name_that_a_shell_would_act_on_is_in_no_line():
    """Nor is another file or column in its place."""
    page = f"what is in {hints.PAGE}#decimal-commas"
    for name in ("$(id)", "a`b`", 'a"b', "a'b", "a\\b", "a;b!", "a\nb", "a*b"):
        for file, column in ((f"{name}.csv", "arrival"), ("in.csv", name), ("-", "arrival")):
            table = SimpleNamespace(
                source=file, names=[column], types=["VARCHAR"], separator=",", in_memory=False, above=0
            )
            assert hints.table_line("decimal-commas", table, column) == page
    assert '\\"Arrival Time\\"' in hints.line("decimal-commas", "in.csv", "Arrival Time")
