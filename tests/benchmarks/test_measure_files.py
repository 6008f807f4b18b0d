"""The measurement of releases of files measures releases: rows come out, and costs are in their units."""

import subprocess

import measure_files
import pytest
from measure_files import RELEASES, measure

pytestmark = pytest.mark.sweep


def assert_measured(rows, *names):
    found = list(measure(rows, names))
    assert [row[0] for row in found] == list(names) and {*names} < {*RELEASES}
    for name, seconds, processor, memory, released in found:
        # a row of a person in 125 each, of whom two are drawn
        assert released == (2 * (rows // 125) if "person" in name else rows), name
        assert 0.0 < seconds < 60.0 and 0.01 < processor < 60.0 and 20.0 < memory < 2000.0, name


def test_times_of_parquet_and_csv_are_measured():
    assert_measured(1000, "Parquet: times", "CSV: times", "Parquet: two rows of each person")


def test_what_releases_nothing_is_noticed(monkeypatch):
    monkeypatch.setattr(measure_files, "ONE", "print([1.0, 1.0, 100.0])")
    with pytest.raises(Exception, match="No files found"):
        assert_measured(1000, "CSV: times")
    monkeypatch.setattr(measure_files, "ONE", "raise SystemExit(1)")
    with pytest.raises(subprocess.CalledProcessError):
        assert_measured(1000, "CSV: times")
