"""The page "Prepare your table": from what a line makes, the same is released as from a clean table."""

import json
import re
import subprocess
import sys

import databases
import pytest
from command_runs import ROOT
from for_all import for_all
from hypothesis import strategies as st
from tables_of_releases import CITY, new_holder

from dirpriv.release import CircleRelease, PlaneRelease, recipes

holder = pytest.fixture(new_holder)
PAGE = (ROOT / recipes.PAGE).read_text(encoding="utf-8")
LINES = dict(re.findall(r"\n## ([^\n]*)\n.*?\n```sh\n(.*?)\n```\n", PAGE, flags=re.DOTALL))
LINES = {heading.lower().replace(" ", "-"): line for heading, line in LINES.items()}
TIMES = {"time": "arrival", "level": 1.0, "within": "3h", "keep_order": True}
DAYS = "Mon Tue Wed Thu Fri Sat Sun".split()


def clock(minute, pad="02"):
    return f"{minute // 60:{pad}}:{minute % 60:02}"


def rows(name, texts, separator=","):
    return "\n".join([name, *texts]) + "\n"


def file_of(recipe, minutes):
    """A table of these minutes of the day (of the week) as people have it, and how it is released then."""
    clocks = [clock(minute % 1440) for minute in minutes]
    one = {
        "no-value": (lambda m: "NA" if m % 7 == 0 else clock(m % 1440), {"missing": "pass"}),
        "decimal-commas": (lambda m: f'"{(m % 1440 + 0.5) / 60:.15f}"'.replace(".", ","), {"unit": "h"}),
        "clocks-without-a-colon": (lambda m: str(m % 1440 // 60 * 100 + m % 60), {}),
        "hours-after-24": (lambda m: clock(m) + ":30", {}),
        "days-of-the-week": (
            lambda m: f"{DAYS[m // 1440]}day {clock(m % 1440, '')}",
            {"period": "7d", "cells": 10080},
        ),
        "dates-of-a-spreadsheet": (lambda m: repr(45356 + m / 1440), {}),
        "microseconds": (
            lambda m: str(1_709_596_800_000_123 + 60_000_000 * m),
            {"unit": "epoch_ms", "zone": "UTC"},
        ),
        "latin-1": (lambda m: f"{clock(m % 1440)},é", {}),
        "utf-16": (lambda m: f"{clock(m % 1440)},é", {}),
        "tabs": (lambda m: f"{clock(m % 1440)}\té,x", {}),
    }
    if recipe in one:
        write, how = one[recipe]
        head = "arrival" + {"latin-1": ",é", "utf-16": ",é", "tabs": "\té,x"}.get(recipe, "")
        return rows(head, map(write, minutes)).encode(
            {"latin-1": "latin-1", "utf-16": "utf-16"}.get(recipe, "utf-8")
        ), how
    if recipe == "date-and-time":
        texts = [f"2024-01-0{1 + m // 1440},{clock(m % 1440, '')}" for m in minutes]
        return rows("day,clock", texts).encode(), {"period": "7d", "cells": 10080, "time": "moment"}
    assert recipe == "json-lines"
    stamps = [f'{{"n": 1, "arrival": "2024-03-05T{text}:00Z"}}' for text in clocks]
    return "\n".join(stamps).encode(), {"zone": "UTC"}


def convert(recipe, folder):
    """Run the line of the page, which is one of Python, in a database that is open already."""
    select = (
        re.search("'''(.*)'''", LINES[recipe], flags=re.DOTALL)[1].replace("\\t", "\t").replace('\\"', '"')
    )
    select = re.sub(r"'((in|clean)[.a-z]*)'", lambda found: f"'{folder / found[1]}'", select)
    with databases.connection() as connection:
        connection.execute(select)
    return folder / "clean.parquet"


def test_the_page_has_every_line_as_messages_have_it():
    assert set(LINES) == set(recipes.RECIPES)
    for recipe, line in LINES.items():
        file = re.search(r"in\.\w+", line)[0]
        columns = re.findall(r"\b(arrival|day|clock|wind|lat|lon|place)\b", line.split(" FROM ")[0])
        names = ["day", "clock"] if recipe == "date-and-time" else list(dict.fromkeys(columns))[:2]
        if recipe == "points-as-texts":
            names = ["place"]
        if recipe == "json-lines":
            names = ["arrival"]
        assert recipes.line(recipe, file, *names) == line


@pytest.fixture(scope="module")
def of_module(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        made = new_holder(tmp_path_factory.mktemp("holder"), patch)
        patch.setattr(CircleRelease, "_released", lambda self, cells: cells)
        patch.setattr(PlaneRelease, "randomise_cells", lambda self, east, north: (east, north))
        HOLDER.append(made)
        yield made


HOLDER = []
OF_TIMES = sorted(
    set(LINES) - {"negative-headings", "no-fix", "degrees-e7", "points-as-texts", "nested-json"}
)


def released(source, **how):
    made = HOLDER[-1]
    for path in made.output.iterdir():
        path.unlink()
    made.release(source, again=True, **how)
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
@for_all(
    12,
    400,
    recipe=st.sampled_from(OF_TIMES),
    minutes=st.lists(st.integers(0, 10_079), min_size=1, max_size=30),
)
def test_a_conversion_changes_no_cell(recipe, minutes):
    check(recipe, minutes)


PLACES = {
    "no-fix": ("lat,lon\n40.75,-73.98\n0,0\n40.76,0\n", "lat,lon\n40.75,-73.98\n,\n40.76,0\n"),
    "degrees-e7": ("lat,lon\n407500000,-739800000\n", "lat,lon\n40.75,-73.98\n"),
    "points-as-texts": (
        "place\nPOINT (-73.98 40.75)\nPOINT(-74 40.8)\n",
        "lat,lon\n40.75,-73.98\n40.8,-74\n",
    ),
    "nested-json": (
        json.dumps(
            {"locations": [{"latitudeE7": 407500000, "longitudeE7": -739800000, "timestamp": "2024Z"}]}
        ),
        "lat,lon\n40.75,-73.98\n",
    ),
}


@pytest.mark.usefixtures("of_module")
@pytest.mark.parametrize("recipe", PLACES)
def test_lines_of_places(recipe):
    call = {"latitude": "lat", "longitude": "lon", "level": 1.0, "within": "200m", "missing": "pass"}
    call |= {"keep_order": True, **CITY}
    folder, (dirty, clean) = HOLDER[-1].input, PLACES[recipe]
    (folder / ("in.json" if recipe == "nested-json" else "in.csv")).write_text(dirty)
    assert released(convert(recipe, folder), **call) == released(HOLDER[-1].csv(clean), **call)


@pytest.mark.usefixtures("of_module")
def test_a_line_of_headings():
    folder, call = HOLDER[-1].input, {"heading": "wind", "level": 1.0, "within": "45deg", "keep_order": True}
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


@pytest.mark.parametrize("recipe", ["days-of-the-week", "tabs"])
def test_a_line_runs_in_a_shell(recipe, tmp_path):
    """With its quotes; and with those around a name with a space."""
    text = "arrival\tb\nTue 8:15\tx\n"
    (tmp_path / "in.csv").write_text(text.replace("\t", ","))
    (tmp_path / "in.tsv").write_text(text)
    subprocess.run(LINES[recipe].replace("python", sys.executable, 1), shell=True, cwd=tmp_path, check=True)
    with databases.connection() as connection:
        found = connection.execute(f"FROM '{tmp_path / 'clean.parquet'}'").fetchall()
    assert found == [("2024-01-02 08:15" if recipe == "days-of-the-week" else "Tue 8:15", "x")]


def test_a_name_that_a_shell_would_act_on_is_in_no_line():
    for name in ("$(id)", "a`b`", 'a"b', "a'b", "a\\b", "a;b!", "a\nb"):
        line = recipes.line("decimal-commas", f"{name}.csv", name)
        assert name not in line and "'in.csv'" in line and "(arrival," in line
    assert '\\"Arrival Time \\"' in recipes.line("decimal-commas", "in.csv", "Arrival Time ")
