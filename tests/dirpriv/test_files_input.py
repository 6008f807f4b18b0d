"""Columns of all types as cells, and wrong inputs: one line, no value of the data, nothing written."""

import datetime
import gzip
import hashlib
import os

import duckdb
import numpy as np
import pytest
from tables_of_releases import CITY, SURE, new_holder

from dirpriv import release as files
from dirpriv.release import CircleRelease, tables

holder = pytest.fixture(new_holder)
SECRET = "13:37"


def released_times(holder, source, output="private.csv", **call):
    """Released texts in the order of the input, without noise."""
    holder.release(source, output, time="arrival", keep_order=True, **(SURE | call))
    return [row[0] for row in holder.released(output)]


# ---------------------------------------------------------------------- times

TEXTS = {
    "clock": (
        ["8:15", "08:14:59.9999999999", " 23:59:59 ", "24:00"],
        ["08:15", "08:14", "23:59", "00:00"],
        {},
    ),
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
    "format": (
        ["03.04.2012 8:15 PM", "29.02.2012 12:00 AM"],
        ["20:15", "00:00"],
        {"time_format": "%d.%m.%Y %I:%M %p"},
    ),
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
    source = holder.parquet(
        " UNION ALL ".join(f"SELECT CAST('{value}' AS {kind}) AS arrival" for value in values)
    )
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
    assert released_times(holder, hours, "hours.csv", again=True, unit="h", **call) == wanted
    (released,) = files.read_released(holder.output / "hours.csv")
    assert released.counts[(7 * 60 + 1) * np.arange(24)].tolist() == [1] * 24
    parquet = holder.parquet(
        "SELECT unnest(generate_series(TIMESTAMP '2012-04-02', '2012-04-08', '1 day')) AS arrival"
    )
    holder.release(parquet, "week.parquet", time="arrival", **SURE, **call)
    (released,) = files.read_released(holder.output / "week.parquet")
    assert released.counts[1440 * np.arange(7)].tolist() == [1] * 7


def test_cells_agree_with_those_of_columns_in_memory(holder):
    seconds = np.random.default_rng(1).integers(-(2**33), 2**33, 500)
    stamps = seconds.astype("datetime64[s]")
    for cells, period in ((96, "24h"), (8640, "24h"), (7 * 96, "7d")):
        source = holder.column(stamps)
        texts = released_times(holder, source, f"{cells}.csv", cells=cells, period=period, again=True)
        release = CircleRelease.within(1.0, "3h", cells=cells, period=period)
        column = files.TimeColumn("arrival", 1.0, "3h", cells, period)
        assert texts == [column.label(cell) for cell in release._circle.of_times(stamps)]


def test_several_columns(holder):
    source = holder.csv('to,"from, at",lat,lon\n08:00,09:00,40.75,-73.98\n10:00,2:00,40.75,-73.98\n')
    holder.release(source, time=["from, at", "to"], keep_order=True, cells=24, **SURE)
    assert holder.released() == [["09:00", "08:00"], ["02:00", "10:00"]]
    assert (holder.output / "private.csv").read_text().startswith('"from, at",to\n')
    assert [file.column.name for file in files.read_released(holder.output / "private.csv")] == [
        "from, at",
        "to",
    ]


WITHIN = [
    ("3h", "3h"),
    (datetime.timedelta(minutes=75), "75min"),
    ("0.1h", "0.1h"),
    ("45deg", "45deg"),
    (np.timedelta64(90, "s"), "90s"),
]


@pytest.mark.parametrize(("given", "text"), WITHIN)
def test_radii_of_times(holder, given, text):
    guarantee = holder.release(holder.column([SECRET]), time="arrival", level=1, within=given)
    assert guarantee.columns[0].within == text
    assert guarantee.columns[0].release().certificate.loss(text) <= 1.0


def test_radii_of_places(holder):
    source = holder.csv("lat,lon\n40.75,-73.98\n")
    for given, text in (("200m", "200m"), ("1.5km", "1.5km"), (["300m"], "300m")):
        city = CITY | {"step": 12.5}
        call = {"latitude": "lat", "longitude": "lon", "level": 1.0, "within": given, "again": True}
        guarantee = holder.release(source, f"{text}.csv", **call, **city)
        assert (guarantee.columns[0].within, guarantee.columns[0].step) == (text, "12.5m")


def test_files_that_spreadsheets_write(holder):
    data = '\ufeffid;arrival;b\r\n1;08:15;"x;\ny"\r\n2;09:00;\r\n'
    assert released_times(holder, holder.csv(data), separator=";") == ["08:15", "09:00"]
    packed = holder.csv(gzip.compress(data.encode()), "true.csv.gz")
    with pytest.raises(ValueError, match="released before"):  # the same contents
        released_times(holder, packed, "packed.csv", separator=";")
    assert released_times(holder, packed, "packed.csv", separator=";", again=True) == ["08:15", "09:00"]


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
        holder.release(holder.column(["08:15"], "b"), "x" + output, time="b", again=True, **SURE)
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
    assert (holder.input / "other" / "private.csv").read_text() == "arrival\n08:15\n"
    (released,) = files.read_released("linked/../private.csv")
    assert released.counts[8 * 60 + 15] == 1


# ---------------------------------------------------------------------- wrong inputs

CALL = {"time": "arrival", "level": 1.0, "within": "3h"}
PLACES = {"latitude": "lat", "longitude": "lon", "level": 1.0, "within": "200m", **CITY}
ROWS = "arrival\n08:15\n09:00\n"
WRONG_DATA = {
    "a row that is no time": (
        f"{ROWS}x{SECRET}\n",
        {},
        "row 3 of 'arrival' is not a time 'HH:MM' or 'HH:MM:SS'",
    ),
    "a first row that is no time": (
        f"arrival\nx{SECRET}\n",
        {},
        "the first value of the column 'arrival' is not a time",
    ),
    "a time beyond the day": ("arrival\n08:15\n24:01\n", {}, "row 2 of 'arrival' is not a time"),
    "a stamp among clocks": (
        ROWS + "2012-04-03T13:37\n",
        {},
        "row 3 of 'arrival' is not a time .* one format",
    ),
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
    "a unit for texts": (
        ROWS,
        {"unit": "h"},
        "'unit' is for numbers, but the column 'arrival' contains none",
    ),
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
    "a zone that is missing": (
        "arrival\n2012-04-03T13:37Z\n",
        {},
        "contains times of a time zone: give 'zone'",
    ),
    "a zone too many": (
        "arrival\n2012-04-03T13:37\n",
        {"zone": "UTC"},
        "contains times without a zone, and 'zone' is 'UTC'",
    ),
    "a zone for clocks": (ROWS, {"zone": "UTC"}, "contains times without a zone"),
    "clocks in a week": (
        ROWS,
        {"period": "7d", "cells": 672},
        "times without a date, which have no place in a week",
    ),
    "not of the format": (
        "arrival\n0815\n08:15\n",
        {"time_format": "%H%M"},
        "row 2 of 'arrival' is not a text of",
    ),
    "no value": (
        "arrival,b\n08:15,1\n,13\n",
        {},
        "row 2 of 'arrival' has no value: leave the row out, or give",
    ),
    "a field too many": (
        f"arrival,b\n08:15,1\n{SECRET},1,2\n",
        {},
        "from line 3 on: 3 fields where the first line has 2",
    ),
    "a field too few": (
        f"arrival,b\n08:15,1\n{SECRET}\n",
        {},
        "from line 3 on: 1 fields where the first line has 2",
    ),
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
        (ROWS + SECRET + "ü\n").encode("latin-1"),
        {},
        "line 4 of '.*' is no UTF-8 text: save it as UTF-8, as by the line in docs/.*#other-encodings",
    ),
    "another encoding beside": (
        b"arrival,b\n08:15,1\n13:37,\xfc1337\n",
        {},
        "line 3 of '.*' is no UTF-8 text: save it as UTF-8, as by the line in docs/.*#other-encodings",
    ),
    "a cut character": (b"arrival,b\n08:15,1\n13:37,1337\xc3", {}, "ends within a character"),
    "gzip under another name": (
        gzip.compress(b"arrival\n08:15\n"),
        {},
        "begins with no UTF-8 text: a gzip is called .csv.gz",
    ),
    "names in another encoding": (b"arrival,\xfc\n13:37,1\n", {}, "begins with no UTF-8 text"),
    "UTF-16": (
        ROWS.encode("utf-16"),
        {},
        "is UTF-16 text: save it as UTF-8, as by the line in docs/.*#other-enc",
    ),
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
    assert "\n" not in text and len(text) < 700
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
            holder,
            holder.csv(data, "true.csv.gz"),
            "is not a complete gzip file: it is damaged or cut off",
            **CALL,
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
    "no column": (
        {"time": None},
        "no column is named: give 'time', 'heading', or 'latitude' and 'longitude'",
    ),
    "one coordinate": (
        {"time": None, "latitude": "arrival", "within": "200m"},
        "'longitude', .* are missing",
    ),
    "a place without a map": (PLACES | {"time": None, "origin": None}, "'origin' is missing"),
    "a map for times": ({"step": "10m"}, "'step' goes with 'latitude' and 'longitude'"),
    "a column that is no name": ({"time": 3}, "'time' must be the name of a column; got 3"),
    "a column twice": ({"time": ["arrival", "arrival"]}, "'arrival' is named twice"),
    "a column of data": (
        {"time": np.array([SECRET])},
        "'time' must be one value or a few values, not data; got the",
    ),
    "times for names": (
        {"time": [SECRET]},
        "'time' names no column of 'true.csv'; got a time or a number: its first line must",
    ),
    "a level of 0": ({"level": 0}, "'level' must be positive and finite; got 0"),
    "a level that is no number": ({"level": "1"}, "'level' must be a positive finite number; got '1'"),
    "metres for times": (
        {"within": "200m"},
        "'within' must be a duration such as '75min', '3h'.* got '200m'",
    ),
    "a number for times": ({"within": 3}, "'within' must be a duration such as '75min', '3h'.* got 3"),
    "a number for places": (
        PLACES | {"time": None, "within": 200},
        "'within' must be a length such as '200m' or '1.5km'; got 200",
    ),
    "two radii for times": ({"within": ["3h", "200m"]}, "'within' must be a duration"),
    "a radius of two days": ({"within": "2d"}, "'within' must be at most half a turn"),
    "no radius": ({"within": None}, "'within' must be a duration"),
    "hours for places": (PLACES | {"time": None, "within": "3h"}, "'within' must be a length such as"),
    "one radius for both": (PLACES | {"within": "3h"}, "'within' must be two radii with their units"),
    "numbers for both": (PLACES | {"within": [3, 200]}, "'within' must be two radii with their units"),
    "degrees for metres": (PLACES | {"time": None, "reach": 0.3}, "'reach' must be .* not in degrees"),
    "no origin": (
        PLACES | {"time": None, "origin": "New York"},
        "'origin' must be one latitude and one longitude",
    ),
    "an origin off the globe": (PLACES | {"time": None, "origin": (91, 0)}, "'origin' is no place"),
    "cells of no whole seconds": (
        {"cells": 1441},
        "'cells' must be whole seconds wide in a file.* give one of 24, 48, 96, 288, 1440, 8640, or",
    ),
    "cells in words": ({"cells": "many"}, "'cells' must be an integer"),
    "a period of a year": ({"period": "365d"}, "'period' must be '24h' or '7d' for a file; got '365d'"),
    "no such zone": ({"zone": "Berlin"}, "'zone'"),
    "a format without hours": (
        {"time_format": "%d.%m.%Y"},
        "'time_format' must be a format of strptime with an hour",
    ),
    "a format that is none": ({"time_format": "%H:%M %Q"}, "'time_format' must be a format of strptime; got"),
    "a format of half days": ({"time_format": "%I:%M"}, "'time_format' must be a format"),
    "missing": ({"missing": "drop"}, "'missing' must be 'stop' or 'pass'; got 'drop'"),
    "a separator of two": ({"separator": "::"}, "'separator' must be one character"),
    "to keep what is released": ({"keep": "arrival"}, "'keep' must name other columns"),
    "to keep the person": ({"user": "b", "keep": ["b"]}, "'keep' must name other columns than .* 'user'"),
    "to keep a number": ({"keep": [3]}, "'keep' must name other columns .* got 3"),
    "to keep what is not there": ({"keep": "c"}, "'keep' names no column"),
    "rows of nobody": ({"rows_per_person": 2}, "'rows_per_person' and 'delta' go with 'user'"),
    "no rows of a person": (
        {"user": "b", "rows_per_person": 0},
        "'rows_per_person' must be an integer of at least 1",
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
    refused(
        holder,
        holder.input / "no.csv",
        "'input' must be a file; there is none",
        kind=FileNotFoundError,
        **CALL,
    )
    refused(holder, None, "'input' must be the path of a file; got None", **CALL)
    refused(holder, holder.input, "is a folder: give a file of it, or several as", **CALL)
    refused(
        holder,
        source.rename(source.with_suffix(".txt")),
        "'input' must be the path of a file .csv, .csv.gz",
        **CALL,
    )
    source = holder.column(["08:15", SECRET])
    refused(holder, source, "'output' must be the path of a file .csv", output="private.xlsx", **CALL)
    refused(
        holder,
        source,
        "the folder of 'output' does not exist",
        output="a/p.csv",
        kind=FileNotFoundError,
        **CALL,
    )
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
        holder.release(source, zone.replace("/", "") + ".csv", **CALL, zone=zone, again=True)


def test_the_output_is_checked_before_anything_is_drawn(holder):
    source = holder.csv("t,T\n08:15,13:37\n")
    both = {"level": 1.0, "within": "3h"}
    for columns in ({"time": ["t", "T"]}, {"time": "t", "keep": "T"}):
        refused(
            holder, source, "'t' and 'T' differ only in upper and lower case", "p.parquet", **columns, **both
        )
    for name in ("ü" * 120, "x" * 241):  # with '.csv.guarantee.json' more than 255 bytes
        refused(holder, source, "cannot be written .* shorter", f"{name}.csv", time="t", **both)
    holder.release(source, time=["t", "T"], **both)


@pytest.mark.parametrize("named", [False, True])
def test_the_longest_names_of_an_output(holder, monkeypatch, named):
    if named:
        monkeypatch.delattr(os, "O_TMPFILE")
    for name in ("😀" * 58 + "x.csv", "x" * 236 + ".csv"):
        assert len(f"{name}.guarantee.json".encode()) in (252, 255)
        holder.release(holder.column(["08:15"]), name, time="arrival", again=True, **SURE)
        assert holder.released(name) == [["08:15"]]


def test_a_kept_column_that_cannot_be_read_costs_nothing(holder):
    text = b"13:37 M_ller"
    source = holder.parquet(f"SELECT '08:15' AS arrival, '{text.decode()}' || i AS k FROM range(9) AS _(i)")
    source.write_bytes(source.read_bytes().replace(text, text.replace(b"_", b"\xfc")))
    refused(holder, source, "cannot be read as Parquet", keep="k", **CALL)
    holder.release(source, **CALL)


@pytest.mark.parametrize("data", [b"arrival,b\n08:15,13:37 \xfc\n", b"arrival,13:37 \xfc\n08:15,1\n"])
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
    with tables.connect() as connection:
        for setting in ("autoinstall_known_extensions", "autoload_known_extensions"):
            assert connection.execute(f"SELECT current_setting('{setting}')").fetchone() == (False,)
