"""The table of the data sets."""

import pandas as pd
import pytest
from outcome import Outcome

from study.checkins.describe import local_time_of, overview, read_summary

CHECKIN = b"470\tv\tc\tBar\t40.7\t-74\t-240\tTue Apr 03 18:00:09 +0000 2012\n"
LATER = b"471\tw\tc\tPub\t40.8\t-74\t-240\tThu Apr 05 01:00:00 +0000 2012\n"


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    folder = tmp_path_factory.mktemp("overview")
    tist = {
        "checkins": b"1\tv\tTue Apr 03 18:00:06 +0000 2012\t240\n2\tw\tTue Apr 03 18:00:06 +0000 2012\t240\n",
        "places": b"v\t1\t2\tBar\tDE\nv\t1\t2\tBar\tDE\nx\t1\t2\tBar\n",
    }
    outcomes = {
        "mine": Outcome(folder / "mine", CHECKIN + LATER * 2 + b"\n" + b"x\n"),
        "earth": Outcome(folder / "earth", tist, layout="tist2015"),
        "gowalla": Outcome(folder / "gowalla", b"0\t2010-10-19T23:55:27Z\t30\t-97\t2\n", layout="snap"),
        "city": Outcome(folder / "city", CHECKIN, layout="synthetic_city"),
    }
    datasets = {
        "mine": {"layout": "tsmc2014", "path": "/some/folder/mine.txt.gz"},
        "earth": {
            "layout": "tist2015",
            "checkins": {"url": "https://example.org/all.zip", "sha256": "0" * 64, "member": "some/a.txt"},
            "places": "/some/b.txt",
        },
        "gowalla": {"layout": "snap", "path": {"url": "https://example.org/x/g.txt?a=b", "sha256": "1" * 64}},
        "city": {"layout": "synthetic_city", "rows": 1},
    }
    summaries = {name: read_summary(outcome.summary_path) for name, outcome in outcomes.items()}
    overview(datasets, summaries).to_csv(folder / "overview.csv", index=False)
    return pd.read_csv(folder / "overview.csv", dtype=str, keep_default_na=False).set_index("dataset")


def test_one_row_for_each_data_set(table):
    assert list(table.index) == ["city", "earth", "gowalla", "mine"]
    assert list(table["source"]) == ["generated", "given", "given", "given"]
    assert list(table["files"]) == ["", "a.txt + b.txt", "g.txt", "mine.txt.gz"]  # no folder
    assert list(table["layout"]) == ["synthetic_city", "tist2015", "snap", "tsmc2014"]


def test_what_was_read_and_rejected(table):
    mine = table.loc["mine"]
    assert (mine["rows_read"], mine["rows_rejected"], mine["rows_prepared"]) == ("5", "2", "3")
    assert mine["rejected_share"] == "0.400000"
    assert mine["rejected_by_reason"] == "empty_row 1, column_count 1"
    assert (mine["duplicates"], mine["users"], mine["venues"], mine["categories"]) == ("1", "2", "2", "2")
    assert table.loc["city", "rejected_by_reason"] == ""


def test_span_in_local_days(table):
    assert table.loc["mine", "first_local_time"] == "2012-04-03 14:00:09"
    assert table.loc["mine", "last_local_time"] == "2012-04-04 21:00:00"
    assert list(table["days"]) == ["1", "1", "1", "2"]


def test_where_local_time_comes_from(table):
    assert table.loc["gowalla", "local_time"] == "UTC and the nautical time zone of the longitude"
    assert set(table["local_time"].drop("gowalla")) == {"UTC and the offset in the file"}


@pytest.mark.parametrize(
    ("settings", "source"),
    [
        ({}, "the file, or UTC and the nautical time zone of the longitude"),
        ({"timezone": "Europe/Berlin", "utc": True}, "the file, or UTC and Europe/Berlin"),
    ],
)
def test_where_local_time_of_a_csv_file_comes_from(settings, source):
    assert local_time_of({"layout": "csv"} | settings) == source


def test_places_where_they_have_a_file(table):
    earth = table.loc["earth"]
    assert [earth[f"places_{what}"] for what in ("read", "rejected", "repeated")] == ["3", "1", "1"]
    assert earth["rejected_by_reason"] == "venue_unknown 1"
    assert table.loc["mine", "places_read"] == earth["cities"] == ""
