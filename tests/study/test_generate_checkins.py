"""The synthetic city: what it promises to be, and that its rows survive the road they are made for."""

import gzip

import numpy as np
import pandas as pd
import pytest

from study.checkins.prepare import prepare
from study.checkins.synthetic import people
from study.checkins.synthetic.city import build
from study.checkins.synthetic.generate import blocks_of_text, generate
from study.checkins.synthetic.people import CATEGORIES, category_shares, hour_profiles, new_venue_ids
from study.core.parquet import read_parquet

CITY = {
    "layout": "synthetic_city",
    "rows": 30000,
    "users": 400,
    "venues": 900,
    "days": 60,
    "latitude": 40.75,
    "longitude": -73.98,
    "radius_km": 12,
    "offset_minutes": -240,
}


def written(folder, seed=1, name="city", **changes):
    path = folder / f"{name}-{seed}.txt.gz"
    generate(CITY | changes, seed, name, path)
    return path


def prepared(folder, path):
    summary = prepare(
        path, "synthetic_city", folder / "p", folder / "r", folder / "s", 0.0, folder / "kept.csv"
    )
    return read_parquet(folder / "p"), summary


@pytest.fixture(scope="module")
def round_trip(tmp_path_factory):
    folder = tmp_path_factory.mktemp("city")
    path = written(folder)
    names = "user venue category_id category latitude longitude offset_minutes utc_time".split()
    raw = pd.read_csv(
        path, sep="\t", header=None, names=names, dtype=dict.fromkeys(names[:4], str), encoding="latin-1"
    )
    return raw, *prepared(folder, path)


def peaks(counts):
    return [h for h in range(24) if counts[h] > counts[h - 1] and counts[h] > counts[(h + 1) % 24]]


def test_every_generated_row_is_prepared_unchanged(round_trip):
    raw, table, summary = round_trip
    assert summary["rows_read"] == summary["rows_prepared"] == len(raw) == CITY["rows"]
    assert summary["rows_rejected"] == 0
    for name in ("user", "venue", "category_id", "category"):
        assert (raw[name] == table[name].astype(str)).all()
    for name in ("latitude", "longitude", "offset_minutes"):
        assert (raw[name] == table[name]).all()
    assert (raw["utc_time"] == table["utc_time"].dt.strftime("%a %b %d %H:%M:%S +0000 %Y")).all()


def test_day_has_two_peaks_and_its_minimum_at_four(round_trip):
    _, table, _ = round_trip
    counts = np.bincount(table["local_time"].dt.hour, minlength=24)
    expected = (category_shares() @ hour_profiles())[0].reshape(24, -1).sum(axis=1)
    assert peaks(expected) == [8, 19]
    assert expected.argmin() == counts.argmin() == 4
    assert counts[7:10].max() > 1.5 * counts[10:16].max()
    assert counts[17:21].max() > 1.5 * counts[10:16].max()


def test_rows_are_sorted_and_within_the_period(round_trip):
    _, table, _ = round_trip
    assert table["utc_time"].is_monotonic_increasing
    assert table["local_time"].min() >= pd.Timestamp("2012-04-03")
    assert table["local_time"].max() < pd.Timestamp("2012-04-03") + pd.Timedelta(days=CITY["days"])


def test_the_week_is_mildly_uneven(round_trip):
    _, table, _ = round_trip
    per_day = table["local_time"].dt.day_name().value_counts()
    assert len(per_day) == 7
    assert per_day.max() < 2 * per_day.min()


def test_ids_look_like_real_ones(round_trip):
    raw, _, _ = round_trip
    assert raw["venue"].str.fullmatch("[0-9a-f]{24}").all()
    assert raw["category_id"].str.fullmatch("[0-9a-f]{24}").all()
    assert set(raw["category"]) == set(CATEGORIES)
    assert (raw.groupby("venue")["category"].nunique() == 1).all()


def test_users_and_venues_are_uneven_and_users_have_habits(round_trip):
    _, table, _ = round_trip
    per_user = table["user"].value_counts()
    per_venue = table["venue"].value_counts()
    assert per_user.head(40).sum() > 0.3 * CITY["rows"]  # a tenth of the users
    assert per_venue.head(90).sum() > 0.3 * CITY["rows"]
    top = table.groupby("user", observed=True)["venue"].agg(lambda v: v.value_counts().iloc[0] / len(v))
    assert top.median() > 0.05


def test_centre_is_denser():
    city = build(CITY | {"venues": 5000}, 1, "city")
    north = (city.latitude - CITY["latitude"]) * 111.2
    east = (city.longitude - CITY["longitude"]) * 111.2 * np.cos(np.radians(CITY["latitude"]))
    distance = np.hypot(north, east) / CITY["radius_km"]
    inner, outer = (distance < 0.5).sum() / 0.25, ((distance >= 0.5) & (distance < 1)).sum() / 0.75
    assert inner > 2 * outer
    assert (distance < 1.4).all()


def test_same_parameters_same_bytes_and_other_seed_or_name_other_bytes(tmp_path):
    small = {"rows": 2000}
    first = written(tmp_path, **small).read_bytes()
    assert written(tmp_path, **small).read_bytes() == first
    assert written(tmp_path, seed=2, **small).read_bytes() != first
    assert written(tmp_path, name="town", **small).read_bytes() != first


def test_city_does_not_depend_on_rows_or_days():
    one, other = build(CITY, 1, "city"), build(CITY | {"rows": 7, "days": 3}, 1, "city")
    for name, value in vars(one).items():
        assert np.array_equal(value, getattr(other, name))


def test_blocks_are_whole_and_different(monkeypatch):
    monkeypatch.setattr(people, "BLOCK_ROWS", 1000)
    blocks = [(rows, bytes(text)) for rows, text in blocks_of_text(CITY | {"rows": 3500}, 1, "city")]
    assert [rows for rows, _ in blocks] == [1000, 1000, 1000, 500]
    assert [text.count(b"\n") for _, text in blocks] == [1000, 1000, 1000, 500]
    assert len({text for _, text in blocks}) == 4


def test_venue_ids_end_with_the_venue_s_number():
    ids = [bytes(letters).decode() for letters in new_venue_ids(300, np.random.default_rng(1))]
    assert [int(text[17:], 16) for text in ids] == list(range(300))
    assert all(0x4A000000 <= int(text[:8], 16) < 0x4F000000 for text in ids)


@pytest.mark.parametrize(
    "changes",
    [
        {"venues": 1, "users": 1, "rows": 50, "days": 1},
        {"rows": 1},
        {"offset_minutes": 840, "longitude": 179.99, "rows": 500},
        {"offset_minutes": -720, "latitude": -89.99, "rows": 500},
    ],
)
def test_extreme_cities_can_be_prepared(tmp_path, changes):
    path = written(tmp_path, **changes)
    _, summary = prepared(tmp_path, path)
    assert summary["rows_prepared"] == changes["rows"]


def test_written_as_eight_columns_of_ascii(tmp_path):
    with gzip.open(written(tmp_path, rows=100)) as handle:
        text = handle.read()
    assert text.isascii() and text.endswith(b"\n")
    assert {line.count(b"\t") for line in text.splitlines()} == {7}
