"""The measurement of releases of files runs."""

from measure_files import RELEASES, measure


def test_times_of_parquet_and_csv_are_measured():
    names = ("Parquet: times", "CSV: times")
    found = list(measure(1000, names))
    assert [row[0] for row in found] == list(names) and {*names} < {*RELEASES}
    assert all(len(row) == 4 and min(row[1:]) > 0.0 for row in found)
