"""The files that the measurements at scale are made with."""

import numpy as np
from write_tist2015 import NAMES, write

from study.checkins.prepare import prepare
from study.workflow.parquet import read_parquet


def test_written_files_are_prepared_whole(tmp_path):
    files = write(3000, tmp_path)
    assert {role: path.name for role, path in files.items()} == NAMES
    outputs = [tmp_path / name for name in ("p", "r", "s")]
    summary = prepare(files, "tist2015", *outputs, 0.0, tmp_path / "kept.csv")
    assert summary["rows_prepared"] == summary["rows_read"] == 3000
    assert summary["places_kept"] == 333 and summary["cities"] == 415
    assert summary["farthest_from_city_km"] < 100
    assert summary["cities_visited"] > 50
    table = read_parquet(outputs[0])
    assert table["utc_time"].is_monotonic_increasing
    assert np.bincount(table["local_time"].dt.hour, minlength=24)[2:6].sum() < 300


def test_same_bytes_every_time(tmp_path):
    one, other = write(200, tmp_path / "one"), write(200, tmp_path / "other")
    for role in NAMES:
        assert one[role].read_bytes() == other[role].read_bytes()
