"""Layouts with several files or without local time: TIST2015, WWW2019, Gowalla and Brightkite."""

import csv
import gzip
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from outcome import NAMES as NAMES_OF
from outcome import Outcome, joined, read_rejected
from pydantic import create_model
from sweeps import thinned

from study.checkins.prepare import prepare
from study.checkins.settings import Datasets
from study.workflow.job import InputError
from study.workflow.settings import Section, check

CHECKINS = [
    b"50756\t4f5e3a72e4b053fd6a4313f6\tTue Apr 03 18:00:06 +0000 2012\t240",
    b"190571\t4b4b87b5f964a5204a9f26e3\tTue Apr 03 18:00:07 +0000 2012\t180",
    b"221021\t4a85b1b3f964a520eefe1fe3\tTue Apr 03 18:00:08 +0000 2012\t-240",
    b"66981\t4b4606f2f964a520751426e3\tTue Apr 03 18:00:08 +0000 2012\t-300",
    b"21010\t4f5e3a72e4b053fd6a4313f6\tTue Apr 03 23:30:09 +0000 2012\t240",
]
PLACES = [
    b"3fd66200f964a52000e71ee3\t40.733596\t-74.003139\tJazz Club\tUS",
    b"4f5e3a72e4b053fd6a4313f6\t55.696132\t37.557842\tWine Bar\tRU",
    b"4b4b87b5f964a5204a9f26e3\t41.029717\t28.974420\tCaf\xe9\tTR",  # latin-1
    b"4a85b1b3f964a520eefe1fe3\t40.758000\t-73.985500\t\tUS",
    b"4b4606f2f964a520751426e3\t39.943800\t-75.160500\tMexican Restaurant\tUS",
]
CITIES = [
    b"Moscow\t55.752213\t37.615553\tRU\tRussia\tNational and provincial capital",
    b"Istanbul\t41.018611\t28.964722\tTR\tTurkey\tProvincial capital",
    b"New York\t40.750000\t-74.000000\tUS\tUnited States\tOther",
    b"Auckland\t-36.847300\t174.763300\tNZ\tNew Zealand\tOther",
]


def tist(folder, checkins=CHECKINS, places=PLACES, cities=None, layout="tist2015", **options):
    contents = {"checkins": joined(checkins), "places": joined(places)}
    if cities is not None:
        contents["cities"] = joined(cities)
    return Outcome(folder, contents, layout=layout, **options)


# Several files.


@pytest.mark.parametrize("layout", ["tist2015", "www2019"])
def test_check_ins_are_joined_with_their_places(tmp_path, layout):
    outcome = tist(tmp_path, layout=layout, share=0)
    table = outcome.table
    assert list(table["user"]) == ["50756", "190571", "221021", "66981", "21010"]
    assert list(table["category"]) == ["Wine Bar", "Café", "", "Mexican Restaurant", "Wine Bar"]
    assert list(table["latitude"]) == [55.696132, 41.029717, 40.758, 39.9438, 55.696132]
    assert list(table["longitude"]) == [37.557842, 28.97442, -73.9855, -75.1605, 37.557842]
    assert set(table["category_id"]) == {""}
    assert table["local_time"].iloc[4] == pd.Timestamp("2012-04-04 03:30:09")
    expected = {"places_read": 5, "places_kept": 5, "places_rejected": 0, "places_repeated": 0}
    expected |= {"users": 5, "venues": 4, "categories": 3, "duplicates": 0}
    assert {key: outcome.summary[key] for key in expected} == expected
    assert outcome.rejected_path.read_text() == "file,line,reason,text\n"


def test_the_schema_is_that_of_all_layouts(tmp_path):
    one = tist(tmp_path / "tist")
    fields = b"\t".join((b"470", b"v", b"c", b"Bar", b"1", b"2", b"0", b"Tue Apr 03 18:00:09 +0000 2012"))
    other = Outcome(tmp_path / "tsmc", joined([fields]))
    third = snap(tmp_path / "snap", SNAP)
    schemas = [outcome.types() for outcome in (one, other, third)]
    assert schemas[0] == schemas[1] == schemas[2]


def test_every_row_that_cannot_be_used_is_listed_with_its_file(tmp_path):
    places = [
        *PLACES[:2],
        b"4f5e3a72e4b053fd6a4313f6\t55.696132\t37.557842\tWine Bar\tRU",  # the same again: counted only
        b"bad1\t91\t0\tBar\tDE",
        b"bad2\tx\t0\tBar\tDE",
        b"bad3\t1\t200\tBar\tDE",
        b"\t1\t2\tBar\tDE",
        b"bad4\t1\t2\tBar",
        b"4f5e3a72e4b053fd6a4313f6\t0.5\t37.557842\tWine Bar\tRU",  # moved
        b"",
        b"bad5\t1\t2\tB\0r\tDE",
        *PLACES[2:],
        b"4f5e3a72e4b053fd6a4313f6\t55.696132\t37.557842\tPub\tRU",  # of another kind
    ]
    checkins = [
        *CHECKINS,
        b"1\tbad1\tTue Apr 03 18:00:06 +0000 2012\t240",
        b"1\tnowhere\tTue Apr 03 18:00:06 +0000 2012\t240",
        b"1\tnowhere\tTue Foo 03 18:00:06 +0000 2012\t240",  # the first fault gives the reason
        b"\t4b4b87b5f964a5204a9f26e3\tTue Apr 03 18:00:06 +0000 2012\t240",
        b"1\t\tTue Apr 03 18:00:06 +0000 2012\t240",
        b"1\t4b4b87b5f964a5204a9f26e3\tTue Apr 03 18:00:06 +0000 2012\t2400",
        b"1\t4b4b87b5f964a5204a9f26e3\tTue Apr 03 18:00:06 +0000 2012",
        b"1\t4b4b87b5f964a5204a9f26e3\tTue Apr 03 18:00:0",
    ]
    cities = [*CITIES, b"\t1\t2\tDE\tGermany\tOther", b"Somewhere\t1\tnan\tDE\tGermany\tOther", b"x"]
    outcome = tist(tmp_path, checkins, places, cities, share=0.7)
    assert [row[:3] for row in outcome.rejected] == [
        ("cities.txt", 5, "city is empty"),
        ("cities.txt", 6, "longitude is NaN"),
        ("cities.txt", 7, "1 column instead of 6"),
        ("places.txt", 4, "latitude 91 is outside -90..90"),
        ("places.txt", 5, "latitude 'x' is not a number"),
        ("places.txt", 6, "longitude 200 is outside -180..180"),
        ("places.txt", 7, "venue is empty"),
        ("places.txt", 8, "4 columns instead of 5"),
        ("places.txt", 10, "empty row"),
        ("places.txt", 11, "NUL byte in the row"),
        # what shows at the end of the file only
        ("places.txt", 9, "venue '4f5e3a72e4b053fd6a4313f6' stands with other values in an earlier row"),
        ("places.txt", 15, "venue '4f5e3a72e4b053fd6a4313f6' stands with other values in an earlier row"),
        ("checkins.txt", 6, "venue 'bad1' is not among the places"),
        ("checkins.txt", 7, "venue 'nowhere' is not among the places"),
        ("checkins.txt", 8, "time 'Tue Foo 03 18:00:06 +0000 2012' is not like 'Tue Apr 03 18:00:09 +0000 2012'"),
        ("checkins.txt", 9, "user is empty"),
        ("checkins.txt", 10, "venue is empty"),
        ("checkins.txt", 11, "offset 2400 is outside -720..840 minutes"),
        ("checkins.txt", 12, "3 columns instead of 4"),
        ("checkins.txt", 13, "3 columns instead of 4"),
    ]
    assert outcome.rejected[10][3] == places[8].decode()
    assert outcome.rejected[12][3] == checkins[5].decode()
    expected = {"places_read": 15, "places_kept": 5, "places_rejected": 9, "places_repeated": 1}
    expected |= {"rows_read": 13, "rows_rejected": 8, "rejected_venue_unknown": 2, "rejected_column_count": 2}
    assert {key: outcome.summary[key] for key in expected} == expected
    assert list(outcome.table["latitude"]) == [55.696132, 41.029717, 40.758, 39.9438, 55.696132]
    for block_bytes in (1, 300):
        other = tist(tmp_path / str(block_bytes), checkins, places, cities, share=0.7, block_bytes=block_bytes)
        assert other.bytes() == outcome.bytes()


def test_one_file_is_named_as_another(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    files = {"checkins": tmp_path / "a" / "data.txt", "places": tmp_path / "b" / "data.txt"}
    files["checkins"].write_bytes(joined([*CHECKINS, b"x"]))
    files["places"].write_bytes(joined([*PLACES, b"y"]))
    prepare(files, "tist2015", *(tmp_path / part for part in "prs"), 0.5, tmp_path / "kept.csv")
    names = [file for file, *_ in read_rejected(tmp_path / "r")]
    assert names == ["places: data.txt", "checkins: data.txt"]


def test_packed_files_give_the_same(tmp_path):
    plain = tist(tmp_path / "plain", [*CHECKINS, b"x"], [*PLACES, b"y"], [*CITIES, b"z"])
    contents = {"checkins": [*CHECKINS, b"x"], "places": [*PLACES, b"y"], "cities": [*CITIES, b"z"]}
    contents = {role: gzip.compress(joined(rows)) for role, rows in contents.items()}
    assert Outcome(tmp_path / "packed", contents, layout="tist2015").bytes() == plain.bytes()


def test_order_of_places_does_not_matter_and_results_are_the_same_every_time(tmp_path):
    first = tist(tmp_path / "1").bytes()
    assert tist(tmp_path / "2").bytes() == first
    assert tist(tmp_path / "3", places=PLACES[::-1]).bytes() == first


def test_cities_tell_how_far_away_the_places_are(tmp_path):
    outcome = tist(tmp_path, cities=CITIES, share=0)
    assert outcome.summary["cities"] == 4
    assert outcome.summary["cities_visited"] == 3  # nobody is in Auckland
    assert outcome.summary["farthest_from_city_km"] == pytest.approx(132.5, abs=1)  # Philadelphia
    plain = tist(tmp_path / "without", share=0)
    assert "cities" not in plain.summary
    assert plain.bytes()[0] == outcome.bytes()[0]


def test_a_city_across_the_180th_meridian_is_near(tmp_path):
    place = [b"v\t-16.5\t179.9\tBar\tFJ"]
    city = [b"Taveuni\t-16.5\t-179.9\tFJ\tFiji\tOther", *CITIES]
    outcome = tist(tmp_path, [CHECKINS[0].replace(b"4f5e3a72e4b053fd6a4313f6", b"v")], place, city, share=0)
    assert outcome.summary["farthest_from_city_km"] == pytest.approx(21.3, abs=0.1)


@pytest.mark.parametrize("role", ["checkins", "places", "cities"])
def test_too_many_bad_rows_in_any_file_stop_the_run(tmp_path, role):
    contents = {"checkins": CHECKINS, "places": PLACES, "cities": CITIES}
    contents[role] = [*contents[role], b"cut", b"cut\trow"]
    with pytest.raises(InputError) as caught:
        tist(tmp_path, **contents, share=0.05)
    message, kept = str(caught.value), tmp_path / "logs" / "city.rejected.csv"
    count = len(contents[role])
    columns = {"checkins": 4, "places": 5, "cities": 6}[role]
    for part in (
        f"{tmp_path / NAMES_OF[role]}: 2 of {count} rows",
        f"line {count - 1} (column_count)",
        f"layout 'tist2015' ({columns} tab-separated columns: ",
        str(kept),
    ):
        assert part in message
    assert [file for file, *_ in read_rejected(kept)] == [NAMES_OF[role]] * 2
    assert list((tmp_path / "out").iterdir()) == []


def test_no_check_in_at_a_known_place(tmp_path):
    with pytest.raises(InputError, match=r"5 of 5 rows.*venue_unknown 5"):
        tist(tmp_path, places=PLACES[:1], share=1.0)


FAULTY_FILES = {
    "empty": (b"", "is empty; give a file with at least one {row}"),
    "truncated gzip": (gzip.compress(joined(PLACES * 999))[:-9], "is a truncated gzip file"),
    "zip": (b"PK\x03\x04" + b"\0" * 500, "is a zip archive"),
    "no line ends": (b"x" * (3 << 20), "a line is longer than .* one {row} per line"),
}


@pytest.mark.parametrize(("fault", "role"), thinned(tuple(FAULTY_FILES), ("checkins", "places", "cities")))
def test_faulty_file_of_several_is_named(tmp_path, fault, role):
    content, message = FAULTY_FILES[fault]
    contents = {"checkins": joined(CHECKINS), "places": joined(PLACES), "cities": joined(CITIES)}
    row = {"checkins": "check-in", "places": "place", "cities": "city"}[role]
    with pytest.raises(InputError, match=message.format(row=row)) as caught:
        Outcome(tmp_path, contents | {role: content}, layout="tist2015", share=1.0)
    assert str(tmp_path / NAMES_OF[role]) in str(caught.value)
    assert not (tmp_path / "out").exists() or list((tmp_path / "out").iterdir()) == []


# Gowalla and Brightkite.

SNAP = [
    b"0\t2010-10-19T23:55:27Z\t30.2359091167\t-97.7951395833\t22847",
    b"0\t2010-10-18T22:17:43Z\t30.2691029532\t-97.7493953705\t420315",
    b"58186\t2008-12-03T21:09:14Z\t39.633321\t-105.317215\tee8b88dea22411",
    b"7\t2009-12-31T23:59:59Z\t-18.1\t178.4\tsuva",
    b"7\t2009-12-31T12:00:00Z\t-14.3\t-179.9\tocean",
    b"7\t2009-02-28T12:00:00Z\t0\t7.4999\tgulf",
]


def snap(folder, rows, **options):
    return Outcome(folder, joined(rows), layout="snap", **options)


def test_local_time_is_that_of_the_nautical_zone(tmp_path):
    outcome = snap(tmp_path, SNAP, share=0)
    table = outcome.table
    assert list(table["offset_minutes"]) == [-420, -420, -420, 720, -720, 0]
    assert list(table["utc_time"].dt.strftime("%Y-%m-%dT%H:%M:%SZ")) == [row.decode().split("\t")[1] for row in SNAP]
    assert table["local_time"].iloc[3] == pd.Timestamp("2010-01-01 11:59:59")
    assert table["local_time"].iloc[0] == pd.Timestamp("2010-10-19 16:55:27")
    assert list(table["venue"])[:3] == ["22847", "420315", "ee8b88dea22411"]
    assert set(table["category"]) == set(table["category_id"]) == {""}
    assert outcome.summary["categories"] == 0


def test_nautical_zones_are_whole_hours_within_half_a_day(tmp_path):
    longitudes = [-180.0, -172.5001, -7.5001, 7.5001, 172.5001, 180.0]
    rows = [SNAP[0].replace(b"-97.7951395833", str(longitude).encode()) for longitude in longitudes]
    offsets = snap(tmp_path, rows).table["offset_minutes"].to_numpy(int)
    assert len(offsets) == len(longitudes)
    assert (offsets % 60 == 0).all() and (np.abs(offsets) <= 720).all()
    assert (np.abs(offsets / 60 - np.array(longitudes) / 15) <= 0.5).all()


FAULTY_SNAP = {
    "4 columns instead of 5": b"0\t2010-10-19T23:55:27Z\t30.2\t-97.7",
    "user is empty": b"\t2010-10-19T23:55:27Z\t30.2\t-97.7\t1",
    "venue is empty": b"0\t2010-10-19T23:55:27Z\t30.2\t-97.7\t",
    "time '' is not like '2010-10-19T23:55:27Z'": b"0\t\t\t\t",
    "time '2010-10-19 23:55:27Z' is not like '2010-10-19T23:55:27Z'": b"0\t2010-10-19 23:55:27Z\t3\t-9\t1",
    "time '2010-10-19T23:55:27+' is not like '2010-10-19T23:55:27Z'": b"0\t2010-10-19T23:55:27+\t3\t-9\t1",
    "time '2010-10-19T23:55' is not like '2010-10-19T23:55:27Z'": b"0\t2010-10-19T23:55\t3\t-9\t1",
    "time '2010-1x-19T23:55:27Z' is not like '2010-10-19T23:55:27Z'": b"0\t2010-1x-19T23:55:27Z\t3\t-9\t1",
    "time '2010-13-19T23:55:27Z' is not like '2010-10-19T23:55:27Z'": b"0\t2010-13-19T23:55:27Z\t3\t-9\t1",
    "time '2010-00-19T23:55:27Z' is not like '2010-10-19T23:55:27Z'": b"0\t2010-00-19T23:55:27Z\t3\t-9\t1",
    "time '2010-02-29T23:55:27Z' is no time of the years 2 to 9998": b"0\t2010-02-29T23:55:27Z\t3\t-9\t1",
    "time '2010-02-28T24:00:00Z' is not like '2010-10-19T23:55:27Z'": b"0\t2010-02-28T24:00:00Z\t3\t-9\t1",
    "latitude 405.5 is outside -90..90": b"0\t2010-10-19T23:55:27Z\t405.5\t-97.7\t1",
    "longitude -180.01 is outside -180..180": b"0\t2010-10-19T23:55:27Z\t5\t-180.01\t1",
    "longitude is infinite": b"0\t2010-10-19T23:55:27Z\t5\tinf\t1",
    "latitude and longitude are both 0, which stands for no place": (
        b"0\t2010-10-19T23:55:27Z\t0.0\t0.0\t00000000000000000000000000000000"
    ),
}


@pytest.fixture(scope="module")
def faulty_snap(tmp_path_factory):
    """What is left of a file with a good row before each faulty one."""
    rows = [row for faulty in FAULTY_SNAP.values() for row in (SNAP[2], faulty)]
    return snap(tmp_path_factory.mktemp("snap"), rows)


@pytest.mark.parametrize(("number", "reason"), list(enumerate(FAULTY_SNAP)), ids=FAULTY_SNAP)
def test_a_faulty_row_is_rejected_with_its_reason(faulty_snap, number, reason):
    shown = re.sub("^\t", r"\\x09", FAULTY_SNAP[reason].decode())
    assert faulty_snap.rejected[number] == (2 * number + 2, reason, shown)
    assert list(faulty_snap.table["user"]) == ["58186"] * len(FAULTY_SNAP)


def test_blocks_and_packing_change_nothing(tmp_path):
    rows = [*SNAP, *FAULTY_SNAP.values(), *SNAP]
    outcome = snap(tmp_path / "plain", rows, share=0.9)
    assert outcome.summary["duplicates"] == len(SNAP)
    assert [reason for _, reason, _ in outcome.rejected] == [*FAULTY_SNAP]
    for block_bytes in (1, 100):
        other = snap(tmp_path / str(block_bytes), rows, share=0.9, block_bytes=block_bytes)
        assert other.bytes() == outcome.bytes()
    packed = Outcome(tmp_path / "packed", gzip.compress(joined(rows)), layout="snap", share=0.9)
    assert packed.bytes() == outcome.bytes()


def test_many_check_ins_at_many_places(tmp_path):
    """Against pandas' merge: rows and places in random order, names of many lengths, some unknown."""
    rng = np.random.default_rng(5)
    venues = [f"{'x' * rng.integers(0, 40)}{number}" for number in range(3000)]
    degrees = np.column_stack([rng.uniform(-90, 90, 3000), rng.uniform(-180, 180, 3000)])
    places = pd.DataFrame({"venue": venues, "latitude": degrees[:, 0], "longitude": degrees[:, 1]})
    places["category"] = rng.choice(["Bar", "Café", ""], 3000)
    lines = [f"{v}\t{y!r}\t{x!r}\t{c}\tDE".encode() for v, y, x, c in places.itertuples(index=False)]
    visited = pd.DataFrame({"venue": rng.choice([*venues, "unknown", "x", ""], 20000)})
    checkins = [f"{n}\t{v}\tTue Apr 03 18:00:06 +0000 2012\t60".encode() for n, v in visited.itertuples()]
    outcome = tist(tmp_path, checkins, lines, block_bytes=50000)
    wanted = visited.reset_index().merge(places, on="venue").sort_values("index")
    for name in ("venue", "latitude", "longitude", "category"):
        assert list(outcome.table[name]) == list(wanted[name]), name
    with open(outcome.rejected_path, encoding="utf-8", newline="") as handle:
        reasons = {row["reason"] for row in csv.DictReader(handle)}
    assert reasons <= {"venue 'unknown' is not among the places", "venue 'x' is not among the places", "venue is empty"}


# CSV files of the user's.

NAMES = b"time,latitude,longitude,user,venue,category"
VISIT = b"2026-03-01 08:15,52.5,13.4,ann,caf\xc3\xa9,Bar"


def own(folder, rows=(VISIT,), names=NAMES, share=0, **settings):
    options = {"block_bytes": settings.pop("block_bytes")} if "block_bytes" in settings else {}
    return Outcome(folder, joined([names, *rows]), share, "csv", settings=settings, **options)


def test_columns_are_found_by_their_names_in_any_order(tmp_path, usual):
    names = b'where,"Lat, N",note,who,arrival,lon,kind'
    row = b' "caf\xc3\xa9", 52.5,"said ""yes, no""",ann ,2026-03-01T08:15:00, 13.4 ,Bar'
    columns = {"time": "arrival", "latitude": "Lat, N", "longitude": "lon"}
    columns |= {"user": "who", "venue": "where", "category": "kind"}
    other = own(tmp_path / "b", [row], names, columns=columns)
    assert other.prepared_path.read_bytes() == usual.prepared_path.read_bytes()
    [found] = usual.table.to_dict("records")
    assert (found["user"], found["venue"], found["category"]) == ("ann", "café", "Bar")
    assert (found["latitude"], found["longitude"], found["category_id"]) == (52.5, 13.4, "")
    assert usual.types() == snap(tmp_path / "c", SNAP).types()


def test_without_users_and_venues_each_is_a_person_and_places_are_rounded(tmp_path):
    rows = [b"2026-03-01 08:15,52.51604,-0.0001", b"2026-03-01 09:15,52.51596,0.0004", b"x,1,1"]
    outcome = own(tmp_path, [*rows, b"2026-03-01 08:15,-5,-120.98765"], b"time,latitude,longitude", share=0.5)
    assert list(outcome.table["user"]) == ["2", "3", "5"]  # numbers of the lines
    assert list(outcome.table["venue"]) == ["52.516 0.000", "52.516 0.000", "-5.000 -120.988"]
    assert list(outcome.table["category"]) == [""] * 3
    assert (outcome.summary["users"], outcome.summary["venues"], outcome.summary["duplicates"]) == (3, 2, 0)


def test_a_usual_name_that_is_given_another_meaning_is_not_used_twice(tmp_path):
    table = own(tmp_path, columns={"venue": "user"}).table
    assert (table["user"][0], table["venue"][0]) == ("2", "ann")


BERLIN = {"timezone": "Europe/Berlin"}
TIMES = [  # settings of a file; its times as written, local time, minutes ahead of UTC
    (
        {},
        [
            ("2026-03-01 08:15", "2026-03-01 08:15:00", 60),  # nautical: 13.4 degrees are nearly an hour
            ("2026-07-01T08:15Z", "2026-07-01 09:15:00", 60),
            ("2026-07-01 08:15:00-0430", "2026-07-01 08:15:00", -270),
        ],
    ),
    (
        BERLIN,
        [
            ("2026-07-01 08:15:59.123456789", "2026-07-01 08:15:59", 120),
            ("2026-07-01T08:15Z", "2026-07-01 10:15:00", 120),
            ("2026-07-01 08:15:00+00", "2026-07-01 10:15:00", 120),
            ("2026-07-01 08:15:00-04:30", "2026-07-01 14:45:00", 120),
            ("2026-03-29 02:30", "2026-03-29 02:30:00", 60),  # the clocks skip it; it stays
        ],
    ),
    (BERLIN | {"utc": True}, [("2026-07-01 23:15", "2026-07-02 01:15:00", 120)]),
    ({"utc": True}, [("2026-01-01 08:15", "2026-01-01 09:15:00", 60)]),
    ({"timezone": "UTC"}, [("2026-01-01 08:15", "2026-01-01 08:15:00", 0)]),
    ({"time_format": "%d.%m.%Y %I:%M %p"}, [("1.3.2026 8:05 PM", "2026-03-01 20:05:00", 60)]),
    ({"time_format": "%b %d %H:%M:%S %z %Y"}, [("Mar 01 08:15:09 +0200 2026", "2026-03-01 08:15:09", 120)]),
    ({"time_format": "%s", **BERLIN}, [("1333476009", "2012-04-03 20:00:09", 120)]),
    # as in a release: with a zone by a name, by letters of the form, and by Z; and hours beside PM
    ({"time_format": "%d.%m.%Y %H:%M %Z", **BERLIN}, [("1.7.2026 8:15 America/New_York", "2026-07-01 14:15:00", 120)]),
    ({"time_format": "%Y%m%dT%H%M%SZ", **BERLIN}, [("20260701T081500Z", "2026-07-01 10:15:00", 120)]),
    ({"time_format": "%d.%m.%Y %H:%M UTC"}, [("1.7.2026 8:15 UTC", "2026-07-01 09:15:00", 60)]),
    ({"time_format": "%d.%m.%Y %H:%M%z", **BERLIN}, [("1.7.2026 8:15Z", "2026-07-01 10:15:00", 120)]),
    ({"time_format": "%m/%d/%Y %H:%M:%S %p"}, [("05/03/2016 11:40:00 PM", "2016-05-03 23:40:00", 60)]),
    (BERLIN, [("2026-10-25 02:30", "2026-10-25 02:30:00", 60)]),  # the second of two such times
]


@pytest.mark.parametrize(("settings", "times"), TIMES)
def test_local_time_of_a_csv_file(tmp_path, settings, times):
    rows = [VISIT.replace(b"2026-03-01 08:15", text.encode()) for text, *_ in times]
    table = own(tmp_path, rows, **settings).table
    for found, (text, local, minutes) in zip(table.to_dict("records"), times, strict=True):
        assert (f"{found['local_time']}", found["offset_minutes"]) == (local, minutes), text
        utc = pd.Timestamp(local, tz="UTC") - pd.Timedelta(minutes=minutes)
        assert found["utc_time"] == utc


def test_daylight_saving_is_that_of_the_day(tmp_path):
    rows = [VISIT.replace(b"-03-01 08:15", b"-%02d-15T12:00Z" % month) for month in range(1, 13)]
    hours = own(tmp_path, rows, **BERLIN).table["local_time"].dt.hour
    assert list(hours) == [13] * 3 + [14] * 7 + [13] * 2


FAULTY_CSV = {
    "5 columns instead of 6": b"2026-03-01 08:15,52.5,13.4,ann,v",
    "7 columns instead of 6": VISIT + b",",
    "1 column instead of 6": b"   ",
    "empty row": b"",
    "control byte 0x1b in the row": VISIT + b"\x1b",
    "a quoted field does not end in its line, or more follows it before the separator": VISIT + b',"two',
    "user is empty": VISIT.replace(b"ann", b'" "'),
    "venue is empty": VISIT.replace(b"caf\xc3\xa9", b""),
    "latitude '52,5' is not a number": VISIT.replace(b"52.5", b'"52,5"'),
    "latitude 91 is outside -90..90": VISIT.replace(b"52.5", b"91"),
    "longitude '' is not a number": VISIT.replace(b"13.4", b""),
    "longitude is NaN": VISIT.replace(b"13.4", b"nan"),
    "longitude is infinite": VISIT.replace(b"13.4", b"1e999"),
    "offset 1080 is outside -720..840 minutes": VISIT.replace(b"08:15", b"08:15+18"),
    "time '2026-02-30 08:15' is no time of the years 2 to 9998": VISIT.replace(b"03-01", b"02-30"),
    "time '2026-03-01' is not like '2012-04-03 18:05:00'": VISIT.replace(b" 08:15", b""),
    "time '2026-03-01 25:00' is no time of the years 2 to 9998": VISIT.replace(b"08:15", b"25:00"),
    "time '' is not like '2012-04-03 18:05:00'": VISIT[16:],
    "time '9999-12-31T07:15:00Z' is no time of the years 2 to 9998": VISIT.replace(b"2026-03-01", b"9999-12-31"),
    "latitude and longitude are both 0, which stands for no place": (
        VISIT.replace(b"52.5", b"0").replace(b"13.4", b"-0.0")
    ),
}


@pytest.fixture(scope="module")
def faulty_csv(tmp_path_factory):
    """What is left of a file with a good row before each faulty one."""
    rows = [row for faulty in FAULTY_CSV.values() for row in (VISIT, faulty)]
    return own(tmp_path_factory.mktemp("csv"), rows, share=0.5)


@pytest.mark.parametrize(("number", "reason"), list(enumerate(FAULTY_CSV)), ids=FAULTY_CSV)
def test_a_faulty_row_of_a_csv_file_is_rejected_with_its_reason(faulty_csv, number, reason):
    shown = FAULTY_CSV[reason].decode().replace("\x1b", "\\x1b")
    assert faulty_csv.rejected[number] == (2 * number + 3, reason, shown)  # the first line has the names
    assert faulty_csv.summary["rows_read"] == 2 * len(FAULTY_CSV)
    assert len(faulty_csv.table) == len(FAULTY_CSV)


def test_blocks_packing_line_ends_and_a_byte_order_mark_change_nothing(tmp_path):
    rows = [VISIT, *FAULTY_CSV.values(), VISIT, VISIT.replace(b"\xc3\xa9", b"\xe9")]  # latin-1
    outcome = own(tmp_path / "plain", rows, share=1)
    assert [reason for _, reason, _ in outcome.rejected] == [*FAULTY_CSV]
    assert list(outcome.table["venue"]) == ["café"] * 3
    for block_bytes in (1, 100):
        other = own(tmp_path / str(block_bytes), rows, share=1, block_bytes=block_bytes)
        assert other.bytes() == outcome.bytes()
    content = b"\xef\xbb\xbf" + joined([NAMES, *rows]).replace(b"\n", b"\r\n")
    packed = Outcome(tmp_path / "packed", gzip.compress(content), 1, "csv")
    assert packed.bytes() == outcome.bytes()


@pytest.fixture(scope="module")
def usual(tmp_path_factory):
    """What is left of a file as it is usually written."""
    return own(tmp_path_factory.mktemp("usual"))


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_separators(tmp_path, usual, separator):
    rows = [row.replace(b",", separator.encode()) for row in (NAMES, VISIT)]
    assert own(tmp_path / "other", rows[1:], rows[0], separator=separator).bytes() == usual.bytes()
    with pytest.raises(InputError) as caught:
        own(tmp_path / "wrong", rows[1:], rows[0])
    word = {";": "semicolon", "\t": "tab", "|": "bar"}[separator]
    assert f"this looks {word}-separated; give that as `separator`. The first line names" in str(caught.value)


@pytest.mark.parametrize(
    ("names", "columns", "message"),
    [
        (b"Time,latitude,longitude", {}, "for the time (did you mean `columns: {time: Time}`?"),
        (b"time,lat,lng", {"latitude": "lat"}, "longitude (did you mean `columns: {longitude: lng}`?)"),
        (NAMES, {"user": "person"}, "there is no column 'person' for the user. The first line names the "),
        (b"time,latitude,longitude,time", {}, "the column 'time' is there or is used more than once"),
        (NAMES, {"latitude": "longitude"}, "the column 'longitude' is there or is used more than once"),
        (b"", {}, "there is no column 'time' for the time; there is no column 'latitude'"),
        (VISIT, {}, "for the longitude. The first line has numbers or times; write a line with the names of "),
    ],
)
def test_first_line_without_the_columns(tmp_path, names, columns, message):
    with pytest.raises(InputError) as caught:
        own(tmp_path, names=names, columns=columns)
    assert message in str(caught.value) and str(tmp_path / NAMES_OF["checkins"]) in str(caught.value)


def test_first_line_alone(tmp_path):
    with pytest.raises(InputError, match="has a line of names, and no check-in below it"):
        own(tmp_path, [])


def test_a_csv_file_that_is_given_as_another_layout_is_recognised(tmp_path):
    with pytest.raises(InputError) as caught:
        Outcome(tmp_path, joined([NAMES, VISIT]))
    hint = "The first looks comma-separated: use `layout: csv`, see docs/your_checkins.md. "
    assert hint in str(caught.value)
    with pytest.raises(InputError) as caught:
        own(tmp_path / "own", [b"x" + VISIT] * 3)
    assert "has the layout 'csv' (its keys are in docs/your_checkins.md), fix" in str(caught.value)


def test_example_of_the_page(tmp_path):
    """The file and the entry that docs/your_checkins.md shows, read together."""
    page = (Path(__file__).parents[2] / "docs/your_checkins.md").read_text(encoding="utf-8")
    [content] = re.findall("```csv\n(.*?)```", page, re.DOTALL)
    [entry] = [text for text in re.findall("```yaml\n(.*?)```", page, re.DOTALL) if "layout: csv" in text]
    (tmp_path / "checkins.txt").write_text(content, encoding="utf-8")
    entry = yaml.safe_load(entry)["datasets"]["ours"] | {"path": str(tmp_path / "checkins.txt")}
    check({"datasets": {"ours": entry}}, create_model("Some", __base__=Section, datasets=(Datasets, ...)))
    table = Outcome(tmp_path, content.encode(), 0, "csv", settings=entry).table
    assert list(table["local_time"]) == [pd.Timestamp("2026-03-28 08:15"), pd.Timestamp("2026-03-29 23:05")]
    assert (list(table["offset_minutes"]), list(table["venue"])) == ([60, 120], ["café", "bridge"])
