"""Columns of all types as cells, and wrong inputs: one line, no value of the data, nothing written."""

import base64
import datetime
import gzip
import hashlib
import os
import re

import databases
import duckdb
import numpy as np
import pytest
from tables_of_releases import CITY, SURE, new_holder

from dirpriv import release as files
from dirpriv.release import CircleRelease
from dirpriv.tables import table as tables

holder = pytest.fixture(new_holder)
SECRET = "13:37"


def released_times(holder, source, output="private.csv", **call):
    """Released texts in the order of the input, without noise."""
    holder.release(source, output, time="arrival", keep_order=True, **(SURE | call))
    return [row[0] for row in holder.released(output)]


# ---------------------------------------------------------------------- times

TEXTS = {
    "clock": (["8:15", "08:14:59.9999999999", " 23:59:59 ", "24:00"], ["08:15", "08:14", "23:59", "00:00"], {}),
    "stamps": (
        ["2012-04-03T08:15", "2012-02-29 08:14:59.99999999", "1960-01-01T23:59:59.5"],
        ["08:15", "08:14", "23:59"],
        {},
    ),
    "instants": (
        ["2012-03-25T00:59:59Z", "2012-03-25T01:00:00Z", "2012-07-01 12:00:00.9+0530", "2012-01-01T00:00-01"],
        ["01:59", "03:00", "08:30", "02:00"],
        {"zone": "Europe/Berlin"},
    ),
    "hours": (
        ["8.25", "8.24999999999999999999", "0", "24", "23.99999", "8.", "9.9e-05"],
        ["08:15", "08:14", "00:00", "00:00", "23:59", "08:00", "00:00"],
        {"unit": "h"},
    ),
    "format": (["03.04.2012 8:15 PM", "29.02.2012 12:00 AM"], ["20:15", "00:00"], {"time_format": "%d.%m.%Y %I:%M %p"}),
    "format with an offset": (
        ["Tue Apr 03 18:00:09 +0000 2012"],
        ["14:00"],
        {"time_format": "%a %b %d %H:%M:%S %z %Y", "zone": "America/New_York"},
    ),
    "clock of the format": (["0815", "2359"], ["08:15", "23:59"], {"time_format": "%H%M"}),
}


@pytest.mark.parametrize(("values", "wanted", "call"), TEXTS.values(), ids=TEXTS)
def test_texts(holder, values, wanted, call):
    assert released_times(holder, holder.column(values), **call) == wanted


TYPES = {
    "TIME": "TIME",
    "timestamps": "TIMESTAMP",
    "timestamps in seconds": "TIMESTAMP_S",
    "timestamps in milliseconds": "TIMESTAMP_MS",
    "timestamps in nanoseconds": "TIMESTAMP_NS",
}


@pytest.mark.parametrize("kind", TYPES.values(), ids=TYPES)
def test_types_of_parquet(holder, kind):
    clocks = ["08:15:00", "08:14:59", "23:59:59", "00:00:00"]
    dates = ["2012-04-03 ", "1969-12-31 ", "1677-10-01 ", "2200-01-01 "]
    values = clocks if kind == "TIME" else [date + clock for date, clock in zip(dates, clocks, strict=True)]
    source = holder.parquet(" UNION ALL ".join(f"SELECT CAST('{value}' AS {kind}) AS arrival" for value in values))
    assert released_times(holder, source) == [clock[:5] for clock in clocks]


def test_fractions_of_types_are_rounded_down(holder):
    times = ["TIMESTAMP_NS '1969-12-31 08:14:59.999999999'", "TIMESTAMP_NS '2012-12-31 08:14:59.999999999'"]
    source = holder.parquet(" UNION ALL ".join(f"SELECT {time} AS arrival" for time in times))
    assert released_times(holder, source) == ["08:14"] * 2


@pytest.mark.parametrize("kind", ["TIMESTAMPTZ", "TIMESTAMPTZ_NS"])
def test_instants_of_parquet(holder, kind):
    try:
        source = holder.parquet(f"SELECT CAST('2012-07-01 22:30:00+00' AS {kind}) AS arrival")
    except duckdb.CatalogException:
        # the lock has DuckDB 2.0, where this runs; pyproject.toml allows 1.4, which lacks this type
        pytest.skip(f"the installed DuckDB is older than 2.0 and has no {kind}, so no file can have it")
    assert released_times(holder, source, zone="Asia/Kolkata") == ["04:00"]


@pytest.mark.parametrize("kind", ["DOUBLE", "FLOAT", "DECIMAL(9, 4)", "INTEGER", "UTINYINT"])
def test_hours_as_numbers(holder, kind):
    values = [8.25, 23.5, 0, 24] if kind[0] in "DF" else [8, 23, 0, 24]
    rows = " UNION ALL ".join(f"SELECT {value}::{kind} AS arrival" for value in values)
    wanted = ["08:15", "23:30", "00:00", "00:00"] if kind[0] in "DF" else ["08:00", "23:00", "00:00", "00:00"]
    assert released_times(holder, holder.parquet(rows), unit="h") == wanted


def test_a_double_just_below_a_border_is_below_it(holder):
    below = float(np.nextafter(8.25, 0.0))
    source = holder.parquet(f"SELECT {below!r}::DOUBLE AS arrival UNION ALL SELECT 8.25::DOUBLE")
    assert released_times(holder, source, unit="h") == ["08:14", "08:15"]


def test_times_of_the_week(holder):
    stamps = [datetime.datetime(2012, 4, 2) + datetime.timedelta(hours=7 * i, minutes=i) for i in range(24)]
    wanted = [stamp.strftime("%a %H:%M") for stamp in stamps]
    call = {"period": "7d", "cells": 10080}
    assert released_times(holder, holder.column(map(str, stamps)), **call) == wanted
    hours = holder.column([(stamp - stamps[0]).total_seconds() / 3600.0 + 1e-9 for stamp in stamps])
    assert released_times(holder, hours, "hours.csv", rerelease=True, unit="h", **call) == wanted
    (released,) = files.read_released(holder.output / "hours.csv")
    assert released.counts[(7 * 60 + 1) * np.arange(24)].tolist() == [1] * 24
    parquet = holder.parquet("SELECT unnest(generate_series(TIMESTAMP '2012-04-02', '2012-04-08', '1 day')) AS arrival")
    holder.release(parquet, "week.parquet", time="arrival", **SURE, **call)
    (released,) = files.read_released(holder.output / "week.parquet")
    assert released.counts[1440 * np.arange(7)].tolist() == [1] * 7


def test_cells_agree_with_those_of_columns_in_memory(holder):
    seconds = np.random.default_rng(1).integers(-(2**33), 2**33, 500)
    stamps = seconds.astype("datetime64[s]")
    for cells, period in ((96, "24h"), (8640, "24h"), (7 * 96, "7d")):
        source = holder.column(stamps)
        texts = released_times(holder, source, f"{cells}.csv", cells=cells, period=period, rerelease=True)
        release = CircleRelease.within(1.0, "3h", cells=cells, period=period)
        column = files.TimeColumn("arrival", 1.0, "3h", cells, period)
        assert column.cells_of(texts).tolist() == release._circle.index_times(stamps).tolist()


def test_several_columns(holder):
    source = holder.csv('to,"from, at",lat,lon\n08:00,09:00,40.75,-73.98\n10:00,2:00,40.75,-73.98\n')
    holder.release(source, time=["from, at", "to"], keep_order=True, cells=24, **SURE)
    assert holder.released() == [["09:30", "08:30"], ["02:30", "10:30"]]
    assert (holder.output / "private.csv").read_text().startswith('"from, at",to\n')
    assert [file.column.name for file in files.read_released(holder.output / "private.csv")] == ["from, at", "to"]


WITHIN = [
    ("3h", "3h"),
    (datetime.timedelta(minutes=75), "75min"),
    ("0.1h", "0.1h"),
    ("45deg", "45deg"),
    (np.timedelta64(90, "s"), "90s"),
]


@pytest.mark.parametrize(("given", "text"), WITHIN)
def test_radii_of_times(holder, given, text):
    guarantee = holder.release(holder.column([SECRET]), time="arrival", level=1, radius=given)
    assert guarantee.columns[0].radius == text
    assert guarantee.columns[0].release().certificate.loss(text) <= 1.0


def test_radii_of_places(holder):
    source = holder.csv("lat,lon\n40.75,-73.98\n")
    for given, text in (("200m", "200m"), ("1.5km", "1.5km"), (["300m"], "300m")):
        city = CITY | {"cell_size": 12.5}
        call = {"latitude": "lat", "longitude": "lon", "level": 1.0, "radius": given, "rerelease": True}
        guarantee = holder.release(source, f"{text}.csv", **call, **city)
        assert (guarantee.columns[0].radius, guarantee.columns[0].cell_size) == (text, "12.5m")


def test_files_that_spreadsheets_write(holder):
    data = '\ufeffid;arrival;b\r\n1;08:15;"x;\ny"\r\n2;09:00;\r\n'
    assert released_times(holder, holder.csv(data), separator=";") == ["08:15", "09:00"]
    packed = holder.csv(gzip.compress(data.encode()), "true.csv.gz")
    with pytest.raises(ValueError, match="released before"):  # the same contents
        released_times(holder, packed, "packed.csv", separator=";")
    assert released_times(holder, packed, "packed.csv", separator=";", rerelease=True) == ["08:15", "09:00"]


@pytest.mark.parametrize("separator", ["\t", "tab"])
def test_fields_between_tabs(holder, separator):
    source = holder.csv("id\tarrival\n1\t08:15\n2\t09:00\n")
    assert released_times(holder, source, separator=separator) == ["08:15", "09:00"]


@pytest.mark.parametrize("name", ["a[1].csv", "a*.csv", "what's?.csv", "x=1.parquet", "ü {0}.csv"])
def test_names_of_files(holder, name):
    holder.csv("arrival\n01:00\n", "a1.csv")
    holder.csv("arrival\n01:00\n", "ab.csv")
    if name.endswith("parquet"):
        source = holder.parquet('SELECT TIME \'08:15\' AS "arrival ""{}\'"', name)
        holder.release(source, time="arrival \"{}'", **SURE)
    else:
        holder.release(holder.csv("arrival\n08:15\n", name), time="arrival", **SURE)
    assert holder.released() == [["08:15"]]
    for output in {name, name.replace(".csv", ".parquet")}:
        holder.release(holder.column(["08:15"], "b"), "x" + output, time="b", rerelease=True, **SURE)
        assert files.read_released(holder.output / ("x" + output))[0].counts.sum() == 1


@pytest.mark.parametrize("name", ["true.csv", "true[1].csv", "true.parquet"])
def test_a_path_through_a_link_is_the_one_of_the_system(holder, monkeypatch, name):
    """Behind a link, ``..`` is the parent of the folder that the link is to."""
    (holder.input / "other" / "folder").mkdir(parents=True)
    (holder.output / "linked").symlink_to(holder.input / "other" / "folder")
    make = holder.parquet if name.endswith("parquet") else holder.csv
    for folder, time in (("other", "08:15"), (holder.output, "20:00")):
        rows = f"SELECT '{time}' AS arrival" if name.endswith("parquet") else f"arrival\n{time}\n"
        make(rows, f"{folder}/{name}")
    monkeypatch.chdir(holder.output)
    path = f"linked/../{name}"
    files.file(path, "linked/../private.csv", time="arrival", **SURE)
    assert (holder.input / "other" / "private.csv").read_text() == "arrival\n08:15:30\n"
    (released,) = files.read_released("linked/../private.csv")
    assert released.counts[8 * 60 + 15] == 1


# ---------------------------------------------------------------------- wrong inputs

CALL = {"time": "arrival", "level": 1.0, "radius": "3h"}
PLACES = {"latitude": "lat", "longitude": "lon", "level": 1.0, "radius": "200m", **CITY}
ROWS = "arrival\n08:15\n09:00\n"
WRONG_DATA = {
    "a row that is no time": (f"{ROWS}x{SECRET}\n", {}, "row 3 of 'arrival' is not a time 'HH:MM' or 'HH:MM:SS'"),
    "a first row that is no time": (
        f"arrival\nx{SECRET}\n",
        {},
        "the first value of the column 'arrival' is not a time",
    ),
    "a time beyond the day": ("arrival\n08:15\n24:01\n", {}, "row 2 of 'arrival' is not a time"),
    "a stamp among clocks": (ROWS + "2012-04-03T13:37\n", {}, "row 3 of 'arrival' is not a time .* one format"),
    "no such day": (
        "arrival\n2012-02-29T08:15\n2013-02-29T13:37\n",
        {},
        "row 2 of 'arrival' is not a time with a date",
    ),
    "minutes for hours": (
        "arrival\n8.5\n817\n",
        {"unit": "h"},
        "row 2 of 'arrival' is not a number of hours from 0 to 24: give the 'unit'",
    ),
    "numbers without a unit": ("arrival\n8.5\n", {}, "contains numbers without a unit: give"),
    "a unit for texts": (ROWS, {"unit": "h"}, "'unit' is for numbers, but the column 'arrival' contains none"),
    "hours below 0": ("arrival\n8.5\n-13.37\n", {"unit": "h"}, "row 2 of 'arrival' is not a number of hours"),
    "an offset for a few": (
        "arrival\n2012-04-03T08:15Z\n2012-04-03T13:37\n",
        {"zone": "UTC"},
        "row 2 of 'arrival' is not",
    ),
    "a year that zones do not have": (
        "arrival\n2012-04-03T08:15Z\n0001-01-01T13:37Z\n",
        {"zone": "America/New_York"},
        "row 2 of 'arrival' is not in the years 1 to 9999",
    ),
    "a zone that is missing": ("arrival\n2012-04-03T13:37Z\n", {}, "contains times of a time zone: give 'zone'"),
    "a zone too many": (
        "arrival\n2012-04-03T13:37\n",
        {"zone": "UTC"},
        "contains times without a zone, and 'zone' is 'UTC'",
    ),
    "a zone for clocks": (ROWS, {"zone": "UTC"}, "contains times without a zone"),
    "clocks in a week": (ROWS, {"period": "7d", "cells": 672}, "times without a date, which have no place in a week"),
    "not of the format": ("arrival\n0815\n08:15\n", {"time_format": "%H%M"}, "row 2 of 'arrival' is not a text of"),
    "no value": ("arrival,b\n08:15,1\n,13\n", {}, "row 2 of 'arrival' has no value: leave the row out, or give"),
    "a field too many": (
        f"arrival,b\n08:15,1\n{SECRET},1,2\n",
        {},
        "from line 3 on: 3 fields where the first line has 2",
    ),
    "a field too few": (f"arrival,b\n08:15,1\n{SECRET}\n", {}, "from line 3 on: 1 fields where the first line has 2"),
    "an open quote": (f'arrival,b\n08:15,1\n"{SECRET},1\n', {}, "from line 3 on: a field has a quote"),
    "a quote within": (f'arrival,b\n08:15,1\n08:15,"x"{SECRET}\n', {}, "from line 3 on: a field has a quote"),
    "an open quote after others": (
        f'arrival,b\n08:15,"x\ny"\n09:00,5" pipe\n10:00,1" pipe\n"{SECRET},1\n',
        {},
        "a field has a quote",
    ),
    "an open quote of a row of lines": (
        f'arrival,b\n08:15,"x\ny"\n"{SECRET},1\n',
        {},
        "from line 4 on: a field has a quote",
    ),
    "a field too many below a row of lines": (
        f'arrival,b\n08:15,"x\ny"\n{SECRET},1,2\n',
        {},
        r"from line 3 on \(a row of several lines counts as one line\): 3 fields where",
    ),
    "mixed ends of lines": ("arrival,b\r\n08:15,1\n13:37,1\r\n", {}, "use one kind of line end"),
    "bytes of 0": (ROWS + SECRET + "\0\n", {}, "line 4 of '.*' has bytes that are 0"),
    "another encoding": (
        (ROWS + SECRET + "ü\x81\n").encode("latin-1"),
        {},
        "line 4 of '.*' is no UTF-8 text: save it as UTF-8",
    ),
    "another encoding beside": (
        b"arrival,b\n08:15,1\n13:37,\xfc1337\x81\n",
        {},
        "line 3 of '.*' is no UTF-8 text: save it as UTF-8",
    ),
    "a cut character": (b"arrival,b\n08:15,1\n13:37,1337\xc3", {}, "ends within a character"),
    "gzip under another name": (
        gzip.compress(b"arrival\n08:15\n"),
        {},
        "begins with no UTF-8 text: a gzip is called .csv.gz",
    ),
    "names in another encoding": (b"arrival,\xfc\x81\n13:37,1\n", {}, "begins with no UTF-8 text"),
    "half of UTF-16": (ROWS.encode("utf-16")[:-1], {}, "is damaged UTF-16 text"),
    "no bytes": (b"", {}, "is empty"),
    "no rows": ("arrival\n", {}, "has no rows"),
    "no names": ("\n08:15\n", {}, "has no line with the names of its columns|names no column"),
    "names twice": ("arrival,arrival\n08:15,13:37\n", {}, "columns 1 and 2 of '.*' have the same name"),
    "no line of names": ("13:37,1337a\n13:37,b\n", {}, "its first line has numbers or times; write a line"),
    "a name that may be a value": (
        "13:37,1337a\n13:37,b\n",
        {"time": "13:37"},
        "'time' names a column by a number or a time, which may be a value of the first row",
    ),
    "no such column": (
        "arrivals,b\n08:15,1\n",
        {},
        "names no column of 'true.csv'; got 'arrival': did you mean 'arrivals'?",
    ),
    "another separator": ("arrival;b\n08:15;1\n", {}, "it has 1; it has ';': give separator=';'"),
    "a latitude of 91": (
        "lat,lon\n40.7,-74\n91.1337,-74\n",
        PLACES | {"time": None},
        "row 2 of 'lat' is not between -90 and",
    ),
    "a comma in a number": (
        'lat,lon\n"40,1337",-74\n',
        PLACES | {"time": None},
        "row 1 of 'lat' is no number: give degrees",
    ),
    "infinite places": ("lat,lon\ninf,-74\n", PLACES | {"time": None}, "row 1 of 'lat' is no number"),
    "nan for a place": ("lat,lon\n40,-74\n40,nan\n", PLACES | {"time": None}, "row 2 of 'lon' is no number"),
}


def refused(holder, source, message, output="private.csv", kind=ValueError, **call):
    """The error of a wrong call: one line, without a value of the data; and nothing was written."""
    before = sorted(os.listdir(holder.input)), holder.outputs()
    with pytest.raises(kind, match=message) as raised:
        holder.release(source, output, **call)
    text = str(raised.value)
    assert "\n" not in text and len(text.replace(str(holder.input), "")) < 650
    for value in (SECRET, "1337", "13,37"):
        assert value not in text and value not in repr(raised.value.__cause__)
    assert (sorted(os.listdir(holder.input)), holder.outputs()) == before and holder.ledger() == []


@pytest.mark.parametrize(("data", "call", "message"), WRONG_DATA.values(), ids=WRONG_DATA)
def test_wrong_data(holder, data, call, message):
    refused(holder, holder.csv(data), message, **(CALL | call))


def test_wrong_archives(holder):
    packed = gzip.compress((ROWS * 1000 + f"{SECRET}\n").encode())
    changed = bytearray(packed)
    changed[-6] ^= 255  # of the check sum
    for data in (packed[:-30], bytes(changed), ROWS.encode(), b"PK\3\4", packed[:12]):
        refused(
            holder, holder.csv(data, "true.csv.gz"), "is not a complete gzip file: it is damaged or cut off", **CALL
        )


def test_wrong_parquet(holder):
    refused(holder, holder.csv(ROWS, "a.parquet"), "cannot be read as Parquet", **CALL)
    whole = holder.parquet("SELECT TIME '08:15' AS arrival FROM range(1000)").read_bytes()
    refused(holder, holder.csv(whole[:-20], "b.parquet"), "cannot be read as Parquet", **CALL)
    kinds = {
        "DATE '2012-04-03'": "dates without a time of day",
        "true": "values of the type BOOLEAN, which are not times",
        "[1, 2]": r"values of the type INTEGER\[\]",
        "INTERVAL '3 hours'": "values of the type INTERVAL",
        "TIMESTAMP 'infinity'": "row 1 of 'arrival' is not a time",
        "13.37e9": "row 1 of 'arrival' is not a number of hours from 0 to 24",
        "'inf'::DOUBLE": "row 1 of 'arrival' is not a number of hours",
        "NULL::TIMESTAMP": "row 1 of 'arrival' has no value",
        "'nan'::DOUBLE": "row 1 of 'arrival' has no value",
        "''": "row 1 of 'arrival' has no value",
    }
    for value, message in kinds.items():
        unit = {"unit": "h"} if "13.37e9" in value or "DOUBLE" in value else {}
        refused(holder, holder.parquet(f"SELECT {value} AS arrival"), message, **CALL, **unit)
    refused(holder, holder.parquet("SELECT TIME '13:37' AS arrival WHERE false"), "has no rows", **CALL)
    place = holder.parquet("SELECT 'x' AS lat, true AS lon")
    refused(holder, place, "'lon' contains no degrees, but values of the type BOOLEAN", **PLACES)


WRONG_CALLS = {
    "no column": ({"time": None}, "no column is named: give 'time', 'heading', 'item', or 'latitude' and 'longitude'"),
    "one coordinate": ({"time": None, "latitude": "arrival", "radius": "200m"}, "'longitude', .* are missing"),
    "a place without a map": (PLACES | {"time": None, "region_centre": None}, "'region_centre' is missing"),
    "a map for times": ({"cell_size": "10m"}, "'cell_size' goes with 'latitude' and 'longitude'"),
    "a column that is no name": ({"time": 3}, "'time' must be the name of a column; got 3"),
    "a column twice": ({"time": ["arrival", "arrival"]}, "'arrival' is named twice"),
    "a column of data": ({"time": np.array([SECRET])}, "'time' must be one value or a few values, not data; got the"),
    "times for names": (
        {"time": [SECRET]},
        "'time' names no column of 'true.csv'; got a time or a number: its first line must",
    ),
    "a level of 0": ({"level": 0}, "'level' must be positive and finite; got 0"),
    "a level that is no number": ({"level": "1"}, "'level' must be a positive finite number; got '1'"),
    "metres for times": ({"radius": "200m"}, "'radius' must be a duration such as '75min', '3h'.* got '200m'"),
    "a number for times": ({"radius": 3}, "'radius' must be a duration such as '75min', '3h'.* got 3"),
    "a number for places": (
        PLACES | {"time": None, "radius": 200},
        "'radius' must be a length such as '200m' or '1.5km'; got 200",
    ),
    "two radii for times": ({"radius": ["3h", "200m"]}, "'radius' must be a duration"),
    "a radius of two days": ({"radius": "2d"}, "'radius' must be at most half a turn"),
    "no radius": ({"radius": None}, "'radius' must be a duration"),
    "hours for places": (PLACES | {"time": None, "radius": "3h"}, "'radius' must be a length such as"),
    "one radius for both": (PLACES | {"radius": "3h"}, "'radius' must be two radii with their units"),
    "numbers for both": (PLACES | {"radius": [3, 200]}, "'radius' must be two radii with their units"),
    "degrees for metres": (PLACES | {"time": None, "region_reach": 0.3}, "'region_reach' must be .* not in degrees"),
    "no origin": (
        PLACES | {"time": None, "region_centre": "New York"},
        "'region_centre' must be one latitude and one longitude",
    ),
    "an origin off the globe": (PLACES | {"time": None, "region_centre": (91, 0)}, "'region_centre' is no place"),
    "cells of no whole seconds": (
        {"cells": 1441},
        "'cells' must be whole seconds wide in a file.* give one of 24, 48, 96, 288, 1440, 8640, or",
    ),
    "cells in words": ({"cells": "many"}, "'cells' must be an integer"),
    "a period of a year": ({"period": "365d"}, "'period' must be '24h' or '7d' for a file; got '365d'"),
    "no such zone": ({"zone": "Berlin"}, "'zone'"),
    "a format without hours": ({"time_format": "%d.%m.%Y"}, "'time_format' must be a format of strptime with an hour"),
    "a format that is none": ({"time_format": "%H:%M %Q"}, "'time_format' must be a format of strptime; got"),
    "a format of half days": ({"time_format": "%I:%M"}, "'time_format' must be a format"),
    "a format of offsets without years": (
        {"time_format": "%d.%m %H:%M %z", "zone": "UTC"},
        "'time_format' has a zone and no full date",
    ),
    "missing": ({"missing": "drop"}, "'missing' must be 'stop' or 'keep'; got 'drop'"),
    "a separator of two": ({"separator": "::"}, "'separator' must be one character"),
    "to keep what is released": ({"keep": "arrival"}, "'keep' must name other columns"),
    "to keep the person": ({"user": "b", "keep": ["b"]}, "'keep' must name other columns than .* 'user'"),
    "to keep a number": ({"keep": [3]}, "'keep' must name other columns .* got 3"),
    "to keep what is not there": ({"keep": "c"}, "'keep' names no column"),
    "rows of nobody": ({"max_rows_per_person": 2}, "'max_rows_per_person' and 'delta' go with 'user'"),
    "no rows of a person": (
        {"user": "b", "max_rows_per_person": 0},
        "'max_rows_per_person' must be an integer of at least 1",
    ),
    "a delta of 1": ({"user": "b", "delta": 1.0}, "'delta' must be from 0 to less than 1"),
    "persons that are not there": ({"user": "c"}, "'user' names no column"),
    "progress": ({"progress": 3}, "'progress' must be a function"),
}


@pytest.mark.parametrize(("call", "message"), WRONG_CALLS.values(), ids=WRONG_CALLS)
def test_wrong_calls(holder, call, message):
    source = holder.csv(f"arrival,b,lat,lon\n08:15,1,40.75,-73.98\n{SECRET},2,40.75,-73.98\n")
    refused(holder, source, message, **(CALL | call))


def test_wrong_paths(holder):
    source = holder.column(["08:15", SECRET])
    refused(holder, holder.input / "no.csv", "'input' must be a file; there is none", kind=FileNotFoundError, **CALL)
    refused(holder, None, "'input' must be the path of a file; got None", **CALL)
    refused(holder, holder.input, "is a folder: give a file of it, or several as", **CALL)
    refused(holder, source.rename(source.with_suffix(".doc")), "'input' must be the path of a file .csv, .txt", **CALL)
    source = holder.column(["08:15", SECRET])
    refused(holder, source, "'output' must be the path of a file .csv", output="private.xlsx", **CALL)
    refused(holder, source, "the folder of 'output' does not exist", output="a/p.csv", kind=FileNotFoundError, **CALL)
    refused(holder, source, "'output' must differ from 'input'", output=source, **CALL)
    (holder.output / "link.csv").symlink_to(source)
    refused(holder, source, "'output' must differ from 'input'", output="link.csv", **CALL)
    for name in ("private.csv", "private.csv.guarantee.json"):
        (holder.output / name).write_text("mine")
        refused(holder, source, "exists, and dirpriv never overwrites a file", kind=FileExistsError, **CALL)
        (holder.output / name).unlink()


def test_instants_beyond_the_years_of_zones_are_refused_by_their_row(holder):
    rows = "SELECT make_timestamptz(x) AS arrival FROM (VALUES {}) t(x)"  # of microseconds since 1970
    source = holder.parquet(rows.format("(0), (9000000000000000000)"))
    refused(holder, source, "row 2 of 'arrival' is not in the years 1 to 9999", **CALL, zone="Europe/Berlin")
    source = holder.parquet(rows.format("(-62135400000000000), (253402000000000000)"))  # years 1 and 9999
    for zone in ("Etc/GMT-14", "Etc/GMT+12"):
        holder.release(source, zone.replace("/", "") + ".csv", **CALL, zone=zone, rerelease=True)


def test_the_output_is_checked_before_anything_is_drawn(holder):
    source = holder.csv("t,T\n08:15,13:37\n")
    both = {"level": 1.0, "radius": "3h"}
    for columns in ({"time": ["t", "T"]}, {"time": "t", "keep": "T"}):
        refused(holder, source, "'t' and 'T' differ only in upper and lower case", "p.parquet", **columns, **both)
    for name in ("ü" * 120, "x" * 241):  # with '.csv.guarantee.json' more than 255 bytes
        refused(holder, source, "cannot be written .* shorter", f"{name}.csv", time="t", **both)
    holder.release(source, time=["t", "T"], **both)


@pytest.mark.parametrize("named", [False, True])
def test_the_longest_names_of_an_output(holder, monkeypatch, named):
    if named:
        monkeypatch.delattr(os, "O_TMPFILE")
    for name in ("😀" * 58 + "x.csv", "x" * 236 + ".csv"):
        assert len(f"{name}.guarantee.json".encode()) in (252, 255)
        holder.release(holder.column(["08:15"]), name, time="arrival", rerelease=True, **SURE)
        assert holder.released(name) == [["08:15"]]


def test_a_kept_column_that_cannot_be_read_costs_nothing(holder):
    text = b"13:37 M_ller"
    source = holder.parquet(f"SELECT '08:15' AS arrival, '{text.decode()}' || i AS k FROM range(9) AS _(i)")
    source.write_bytes(source.read_bytes().replace(text, text.replace(b"_", b"\xfc")))
    refused(holder, source, "cannot be read as Parquet", keep="k", **CALL)
    holder.release(source, **CALL)


@pytest.mark.parametrize("data", [b"arrival,b\n08:15,13:37 \xfc\x81\n", b"arrival,13:37 \xfc\x81\n08:15,1\n"])
def test_the_error_of_a_text_holds_no_bytes_of_it(holder, data):
    with pytest.raises(ValueError, match="no UTF-8 text") as raised:
        holder.release(holder.csv(data), **CALL)
    assert raised.value.__context__ is None and raised.value.__cause__ is None


def test_a_row_far_down_is_named_and_costs_nothing(holder):
    source = holder.column(["08:15"] * 300_000 + ["x" + SECRET])
    refused(holder, source, "row 300001 of 'arrival' is not a time", **CALL)


def test_reading_tells_the_share_that_was_read(holder):
    source, shares = holder.column(["08:15:00"] * 300_000), []
    digest = hashlib.sha256()
    assert tables.Table("source", source).feed(digest, shares.append) == 300_001
    assert digest.hexdigest() == hashlib.sha256(source.read_bytes()).hexdigest()
    assert shares == [2**20 / source.stat().st_size, 2**21 / source.stat().st_size, 1.0]


def test_tables_are_read_without_extensions_from_the_net():
    """What DuckDB itself says about each of the two ways in which it fetches and loads them."""
    with databases.open_database() as connection:
        for setting in ("autoinstall_known_extensions", "autoload_known_extensions"):
            assert connection.execute(f"SELECT current_setting('{setting}')").fetchone() == (False,)


# ---------------------------------------------------------------------- what a file does not say


@pytest.mark.parametrize(
    ("head", "row", "end"),
    [(b"arrival,b\n13:37,1\n", b"08:15,", b""), (b"arrival\n13:37\n", b"", b"\n"), (b"arrival\r13:37\r", b"", b"")],
)
@pytest.mark.parametrize("name", ["true.csv", "true.csv.gz"])
def test_a_row_that_is_too_long_is_not_dropped(holder, name, head, row, end):
    """DuckDB ends before such a row without an error, if it is the last one."""
    data = head + row + b"x" * (33 << 20) + end
    source = holder.csv(gzip.compress(data, 1) if name.endswith("gz") else data, name)
    refused(holder, source, "has more than 2097152 bytes in line [13]", **CALL)


def test_a_line_of_names_that_is_too_long_is_told(holder):
    refused(holder, holder.csv("arrival" + ",b" * 2_000_000 + "\n"), "has more than 2097152 bytes in line 1", **CALL)
    refused(holder, holder.csv("arrival" + ",b" * 100_000 + "\n"), "has 100001 columns: at most 100000", **CALL)


@pytest.mark.parametrize(
    ("kind", "limit", "message"),
    [("RLIMIT_AS", 300 << 20, "memory is short"), ("RLIMIT_NOFILE", 7, "this process may open 7 files only")],
)
def test_limits_within_which_a_database_fails_are_told_first(holder, monkeypatch, kind, limit, message):
    source, true = holder.csv("x" * 3_000_000), tables.resource.getrlimit
    number = getattr(tables.resource, kind)
    given = lambda asked: (limit, limit) if asked == number else true(asked)  # noqa: E731
    monkeypatch.setattr(tables.resource, "getrlimit", given)
    with pytest.raises(ValueError, match=message):
        tables.Table("input", source)


NAMES_OF_ZONES = (
    "BST ART AST NST CST PST CET MET EET WET EST MST HST JST IST Z EDT UTC+1 GMT+2 utc Europe/Nowhere".split()
)


@pytest.mark.parametrize("name", NAMES_OF_ZONES)
def test_letters_that_are_no_zone_are_refused(holder, name):
    """Also where the first rows are right."""
    form = {"time_format": "%a %b %d %H:%M:%S %Z %Y", "zone": "Europe/London"}
    text = "Fri Jul 05 13:37:00 {} 2019"
    source = holder.column([text.format("UTC"), text.format(name)])
    refused(
        holder, source, "row 2 of 'arrival' is not a text .* reads UTC, GMT and names such as Europe/", **CALL, **form
    )


ZONED = {
    "names": (
        "%d/%b/%Y %H:%M:%S %Z",
        ["05/Jul/2019 12:00:00 UTC", "05/Jan/2019 12:00:00 GMT", "05/Jul/2019 12:00:00 America/New_York"],
        ["13:00", "12:00", "17:00"],
    ),
    "Etc": (
        "%Y-%m-%d %H:%M [%Z]",
        ["2019-07-05 12:00 [Etc/GMT+5]", "2019-07-05 12:00 [US/Pacific]"],
        ["18:00", "20:00"],
    ),
    "compact": ("%Y%m%dT%H%M%SZ", ["20190705T071500Z"], ["08:15"]),
    "quoted": ("%Y-%m-%dT%H:%M:%S'Z'", ["2019-07-05T07:15:00'Z'"], ["08:15"]),
    "UTC": ("%Y-%m-%d %H:%M:%S UTC", ["2019-07-05 07:15:00 UTC", "2019-01-05 08:15:00 UTC"], ["08:15", "08:15"]),
    "Java": ("%Y-%m-%dT%H:%M:%SZ[UTC]", ["2019-07-05T07:15:00Z[UTC]"], ["08:15"]),
    "HTTP": ("%a, %d %b %Y %H:%M:%S GMT", ["Fri, 05 Jul 2019 07:15:00 GMT"], ["08:15"]),
    "an offset": ("%Y-%m-%d %H:%M+0000", ["2019-07-05 07:15+0000"], ["08:15"]),
    "a colon": ("%Y-%m-%d %H:%M +00:00", ["2019-07-05 07:15 +00:00"], ["08:15"]),
    "in the middle": ("%a %b %d %H:%M:%S UTC %Y", ["Fri Jul 05 07:15:00 UTC 2019"], ["08:15"]),
    "Zulu": ("%Y-%m-%d %H:%M Zulu", ["2019-07-05 07:15 Zulu"], ["08:15"]),
    "in words": (
        "%d.%m.%Y %H:%M Coordinated Universal Time",
        ["05.07.2019 07:15 Coordinated Universal Time"],
        ["08:15"],
    ),
    "one zero": ("%Y-%m-%d %H:%M+0", ["2019-07-05 07:15+0"], ["08:15"]),
    "seconds": ("%Y-%m-%d %H:%M +00:00:00", ["2019-07-05 07:15 +00:00:00"], ["08:15"]),
    "two signs": ("%Y-%m-%d %H:%M \xb100:00", ["2019-07-05 07:15 \xb100:00"], ["08:15"]),
    "both": ("%Y-%m-%d %H:%M %z UTC", ["2019-07-05 09:15 +0200 UTC"], ["08:15"]),
}


@pytest.mark.parametrize(("form", "texts", "true"), ZONED.values(), ids=ZONED)
def test_formats_with_a_zone(holder, form, texts, true):
    source = holder.csv("\n".join(["arrival", *(f'"{text}"' for text in texts)]) + "\n")
    refused(holder, source, "contains times of a time zone: give 'zone'", time_format=form, **CALL)
    assert released_times(holder, source, time_format=form, zone="Europe/London") == true


@pytest.mark.parametrize(
    "form",
    [
        *("%H:%M Uhr", "Zeit %H:%M", "%H-00-00", "%H:%M GMT+2", "%H:%M+02:00", "%H:%M BST"),
        *("%H:%M UTC +02:00", "%H:%M (GMT -5)", "%H:%M UTC\u22125", "%H:%M UTC+00:30"),
    ],
)
def test_formats_without_one(holder, form):
    text = form.replace("%H", "08").replace("%M", "00")
    assert released_times(holder, holder.column([text]), time_format=form) == ["08:00"]


@pytest.mark.parametrize(
    ("form", "text"), [("%d/%m/%Y %H:%M", "05/03/24 08:15"), ("%G-W%V-%u %H:%M", "24-W10-2 08:15")]
)
def test_two_digits_are_no_year_of_four(holder, form, text):
    """The day of the week would be that of the year 24."""
    call = CALL | {"time_format": form, "period": "7d", "cells": 672}
    refused(holder, holder.column([text]), "row 1 of 'arrival' is not a text of the 'time_format'", **call)


# 2024-07-05 12:15 and 2024-07-06 03:30, as of pyarrow.parquet.write_table with INT96 and nothing else
INT96 = (
    "P(e~L6#x}H6+A2z1Qh@k1{DSz00002000040RX7g)Eg)O08xu2001zCs&xwh08)!302KroEHwZa26JO*Wo=;<0ss{TB?1@(cW7m902Txp92p"
    "!Y02~zt86^e)85jh2Xk~5{02TxmVisa12uU0j02Kfg0suTI1{o#*1ONa47Gf3zCI}W{04N}EVRCVGWppiLaBwYQa&m8XAa-SPb7^mGATl;CFf"
    "K6}92@`u0Du4h08l|vF#"
)


def timestamps_of_unknown_zone(holder, kind, more=""):
    if kind == "INT96":
        return holder.csv(base64.b85decode(INT96), "true.parquet"), "when"
    rows = "SELECT unnest([TIMESTAMP '2024-07-05 12:15', TIMESTAMP '2024-07-06 03:30']) AS \"when\""
    source = holder.parquet(rows + more)
    data = source.read_bytes()
    logical = bytes.fromhex("4c8c121c2c00000000")  # a time stamp in microseconds that is not adjusted to UTC
    assert data.count(logical) == 1
    length = int.from_bytes(data[-8:-4], "little") - len(logical)
    source.write_bytes(data.replace(logical, b"")[:-8] + length.to_bytes(4, "little") + b"PAR1")
    return source, "when"


@pytest.mark.parametrize("kind", ["INT96", "the older types"])
def test_times_of_parquet_that_may_be_in_utc_are_asked_about(holder, kind):
    source, name = timestamps_of_unknown_zone(holder, kind)
    call = {"time": name, "level": 1e6, "radius": "3h", "keep_order": True}
    message = "does not say whether they are in UTC: give 'zone', .* zone='UTC', which leaves them as they are"
    refused(holder, source, message, **call)
    for zone, true in (("America/New_York", ["08:15", "23:30"]), ("UTC", ["12:15", "03:30"])):
        holder.release(source, f"{zone[:3]}.csv", zone=zone, rerelease=True, **call)
        assert [row[0] for row in holder.released(f"{zone[:3]}.csv")] == true


def test_no_line_loses_what_a_file_does_not_say(holder):
    """In a table that DuckDB writes, they would be local times."""
    source, _ = timestamps_of_unknown_zone(holder, "the older types", ", unnest(['08:15', 'NA']) AS arrival")
    refused(holder, source, "do what is in docs/prepare_your_table.md", **CALL)


FAR = {"wrong sign": "40.75,73.98\n40.76,73.99\n", "Null Island": "0,0\n0,0\n", "another city": "52.5,13.4\n" * 3}
FAR_CALL = PLACES | {"level": 1e6, "radius": "3km", "keep_order": True}


@pytest.mark.parametrize("rows", FAR.values(), ids=FAR)
def test_a_file_without_a_place_within_the_reach_is_asked_about(holder, rows):
    source = holder.csv("lat,lon\n" + rows)
    refused(
        holder,
        source,
        "all places lie beyond the 'region_reach' of the 'region_centre'.*give outside='clamp'",
        **FAR_CALL,
    )
    guarantee = holder.release(source, outside="clamp", **FAR_CALL)
    assert guarantee.unprotected == ("order of the rows",) and "not all" not in guarantee.text()
    assert len(holder.released()) == len(rows.splitlines())


@pytest.mark.parametrize("rows", ["52.5,13.4\n", "40.75,-73.98\n" + "52.5,13.4\n" * 9, ",\n52.5,13.4\n"])
def test_the_check_of_the_reach_is_in_the_guarantee(holder, rows):
    """Of one place alone, and of one within the reach, there is no question."""
    source = holder.csv("lat,lon\n" + rows)
    guarantee = holder.release(source, missing="keep", **FAR_CALL)
    seen = "whether all places are outside of the region"
    assert seen in guarantee.unprotected and f"Not protected: {seen}." in guarantee.summary()
    assert "the release reveals that not all are beyond it" in guarantee.text()
    assert files.read_guarantee(holder.output / "private.csv") == guarantee
    document = guarantee.to_json() | {"unprotected": ["which rows are missing"]}
    with pytest.raises(ValueError, match="'unprotected' does not fit"):
        files.FileGuarantee.from_json(document)


def test_the_reach_is_looked_at_in_all_files_together(holder):
    far = holder.csv("lat,lon\n52.5,13.4\n", "a.csv"), holder.csv("lat,lon\n52.6,13.4\n", "b.csv")
    refused(holder, list(far), "all places lie beyond", **FAR_CALL)
    near = holder.csv("lat,lon\n40.75,-73.98\n", "c.csv")
    holder.release([*far, near], **FAR_CALL)


# ---------------------------------------------------------------------- names of columns


@pytest.mark.parametrize("head", ["arrival,b,b", "id,arrival,,", "arrival,B,b", "a,a,arrival,a"])
def test_repeated_names_are_read_where_nobody_asks_for_them(holder, head):
    width = head.count(",") + 1
    place = head.split(",").index("arrival")
    row = ["7"] * width
    row[place] = "08:15"
    source = holder.csv(f"{head}\n{','.join(row)}\n")
    twice = max(head.split(","), key=lambda name: (head.split(",").count(name), name))
    if head.split(",").count(twice) > 1:
        refused(holder, source, "have the same name: rename one", keep=twice, **CALL)
    assert released_times(holder, source) == ["08:15"]


def test_repeated_names_of_parquet(holder):
    source = holder.parquet("SELECT '08:15' AS arrival, '09:00' AS Brrival, 1 AS bb, 2 AS b_")
    data = source.read_bytes().replace(b"Brrival", b"Arrival").replace(b"b_", b"bb")
    source.write_bytes(data)
    assert released_times(holder, source) == ["08:15"]
    holder.release(source, "capitals.csv", time="Arrival", rerelease=True, **SURE)
    assert holder.released("capitals.csv") == [["09:00"]]
    with pytest.raises(ValueError, match=r"columns 3 and 4 of '.*' have the same name"):
        holder.release(source, "more.csv", time="arrival", keep="bb", rerelease=True, **SURE)


UNSEEN = "\u200b \u00ad \ufeff \u200e \ufe0f \u034f \u2060 \u3164 \U000e0001".split(" ")


@pytest.mark.parametrize("mark", UNSEEN, ids=map(ascii, UNSEEN))
def test_names_that_look_the_same_are_told(holder, mark):
    name = f"arr{mark}ival"
    source = holder.csv(f"arrival,{name}\n08:15,13:37\n")
    refused(holder, source, "columns 1 and 2 of '.*' have names that look the same: rename one", **CALL)
    alone = holder.csv(f"b,{name}\n1,08:15\n", "alone.csv")
    wanted = re.escape(f"its column {name!a} looks the same: rename it")
    refused(holder, alone, wanted, **CALL)
    holder.release(alone, time=name, **SURE)
    again = holder.csv("arrival\n08:15\n09:00\n", "again.csv")
    with pytest.raises(ValueError, match="'arrival' of another file was released before"):
        holder.release(again, "again.csv", time="arrival", other_people=False, **SURE)


# ---------------------------------------------------------------------- one rule for lists and files


@pytest.mark.parametrize("text", ["-1e-300", "-9e-21", "1_0", "1_0.5", "\t8", "８"])
def test_what_is_no_time_of_a_list_is_none_of_a_file(holder, text):
    with pytest.raises(ValueError, match="row 1"):
        files.times(["8.5", text], level=1.0, radius="3h", unit="h")
    refused(holder, holder.column(["8.5", text]), "row 2 of 'arrival' is not", unit="h", **CALL)


@pytest.mark.parametrize("space", " \u00a0\u2003\u202f\u3000")
def test_spaces_around_a_text_do_not_count_anywhere(holder, space):
    texts = [f"{space}08:15{space}", "09:00"]
    assert files.times(texts, level=1e6, radius="3h") == ["08:15:30", "09:00:30"]
    assert released_times(holder, holder.column(texts)) == ["08:15", "09:00"]


@pytest.mark.parametrize("text", ["4_0", "4_0.75", "0x28", "４０"])
def test_what_is_no_number_is_no_degree(holder, text):
    source = holder.csv(f"lat,lon\n40.75,-73.98\n{text},-73.98\n")
    refused(holder, source, "row 2 of 'lat' is no number", **PLACES)


def test_a_type_of_many_words_is_named_by_its_first(holder):
    source = holder.parquet("SELECT {'a': 1, 'b': [2]} AS arrival")
    refused(holder, source, "values of the type STRUCT, which", **CALL)
