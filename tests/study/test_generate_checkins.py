"""The synthetic city: that it is like the real sample, and that its rows can be read as they were written."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from make_targets import by_category
from sweeps import swept

from dirpriv.estimators.transport import circular_emd
from study.checkins.checkin_statistics import TARGETS, checkins_of_people, measure
from study.checkins.compare import REAL, busyness_of, compare, read_table
from study.checkins.prepare import prepare
from study.checkins.synthetic import people, world
from study.checkins.synthetic.generate import blocks_of_text, generate
from study.checkins.synthetic.world import build, new_venue_ids, one_city
from study.checkins.venues_from_checkins import Venues
from study.experiments.busyness.simulate import BusynessSimulation
from study.workflow.parquet import read_parquet

CONFIG = yaml.safe_load(Path(__file__).parents[2].joinpath("config/config.yaml").read_text(encoding="utf-8"))
CITY = CONFIG["datasets"]["city"] | {"rows": 30000, "days": 60}


def written(folder, seed=1, name="city", **changes):
    path = folder / f"{name}-{seed}.txt.gz"
    generate(CITY | changes, seed, name, path)
    return path


def built(parameters):
    return build(one_city(parameters), parameters, 1, "city")


def prepared(folder, path):
    outputs = [folder / part for part in "prs"]
    return prepare({"checkins": path}, "synthetic_city", *outputs, 0.0, folder / "kept.csv")


@pytest.fixture(scope="module")
def round_trip(tmp_path_factory):
    folder = tmp_path_factory.mktemp("city")
    path = written(folder)
    names = "user venue category_id category latitude longitude offset_minutes utc_time".split()
    raw = pd.read_csv(path, sep="\t", header=None, names=names, dtype=dict.fromkeys(names[:4], str), encoding="latin-1")
    summary = prepared(folder, path)
    return raw, read_parquet(folder / "p"), summary


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


def test_rows_are_sorted_and_within_the_period(round_trip):
    _, table, _ = round_trip
    assert table["utc_time"].is_monotonic_increasing
    assert table["utc_time"].min() >= pd.Timestamp("2012-04-03", tz="UTC")
    assert table["utc_time"].max() < pd.Timestamp("2012-04-03", tz="UTC") + pd.Timedelta(days=CITY["days"])


# Like the real sample.


def compared(folder, seed=1, with_busyness=True, **changes):
    """Deviations of a city from the real sample over what is allowed, by statistic; its check-ins."""
    path, name = folder / "p", "city"
    prepared(folder, written(folder, seed, **CONFIG["datasets"]["city"] | changes))
    table = checkins_of_people(path)
    found = measure(table)
    if with_busyness:
        levels = {"time_levels": [0.01, 1.0], "place_levels": [0.01, 100.0]}
        settings = CONFIG["busyness"] | levels | {"most_randomised": 0}  # once, as told apart so clearly
        simulation = BusynessSimulation("purkayastha", name, ["published"], settings, seed)
        found = pd.concat([found, busyness_of(simulation.run(Venues(path))[0], name)])
    both = pd.concat([read_table(TARGETS).assign(dataset=REAL), found.assign(dataset=name)], ignore_index=True)
    rows = compare(both)
    excess = (rows["deviation"].abs() / rows["allowed"]).set_axis(rows["statistic"] + " " + rows["at"])
    return excess.rename(index=str.strip), table


def test_the_city_of_the_study_is_like_the_real_sample(tmp_path):
    """With the seed of the study. For 2 of 40 other seeds, one statistic was beyond what is allowed."""
    excess, table = compared(tmp_path, CONFIG["seed"])
    assert len(excess) == 12
    assert excess.max() < 1.0, excess
    hours = np.bincount(table["local_time"].dt.hour, minlength=24)
    assert {8, 13} < set(peaks(hours)) and hours.argmin() == 4


@pytest.mark.parametrize(
    ("changes", "statistics"),
    [
        ({"venues": 3000}, ["venues visited once", "check-ins at busy venues"]),
        # a uniform choice of venues without habits
        ({"ELSEWHERE": 0.999, "POPULARITY": 0}, ["check-ins at busy venues", "check-ins at venues new to the person"]),
        ({"WIDTHS": (1e9,)}, ["regularity 0.5", "busyness at ℓt = 0.01, ℓs = 100"]),
        ({"LEAST_ZEAL": 0.0, "ZEAL_SPREAD": 1.5}, ["check-ins of a person 0.5"]),
        ({"PROFILES": np.roll(people.PROFILES, 1, axis=1)}, ["hours of the day"]),
        ({"radius_km": 12.0}, ["distance from the middle 0.5", "distance from the middle 0.9"]),
        *swept(
            ({"loyalty": 1.4}, ["check-ins at busy venues"]),
            ({"hour_spread": 6.0}, ["regularity 0.5"]),
            ({"FAVOURITES": 4}, ["check-ins at busy venues", "check-ins at venues new to the person"]),
            ({"WIDTHS": (1.0,)}, ["regularity 0.5", "busyness at ℓt = 0.01, ℓs = 100"]),
            ({"DENSITY": 0.5}, ["distance from the middle 0.5"]),
        ),
    ],
)
def test_other_cities_are_not(tmp_path, monkeypatch, changes, statistics):
    parameters = {name: changes[name] for name in changes if name.islower()}
    for name in changes.keys() - parameters:
        monkeypatch.setattr(people if hasattr(people, name) else world, name, changes[name])
    monkeypatch.setattr(people, "NO_HABIT", len(people.WIDTHS))
    with_busyness = any(name.startswith("busyness") for name in statistics)
    excess, _ = compared(tmp_path, CONFIG["seed"], with_busyness, **parameters)
    assert (excess[statistics] > 1.0).all(), excess


def test_all_check_ins_of_a_category_have_its_hours():
    """Exactly, as the habitual hours are not drawn from these hours but from their smoothed distribution."""
    habitual, hours = (np.diff(table, prepend=0.0, axis=-1) for table in people.hour_tables())
    profiles = people.PROFILES / people.PROFILES.sum(axis=1, keepdims=True)

    def mixed(weights):
        return np.abs((weights[..., None] * hours).sum(axis=2) - profiles[:, None]).max()

    assert mixed(habitual) < 1e-12
    assert mixed(np.broadcast_to(profiles[:, None], habitual.shape)) > 0.01


def test_categories_are_those_of_the_table(tmp_path):
    """Of 1700 people. For 15 seeds no share was off by more than 12.1 %, and no hours by more than 0.23 h."""
    prepared(tmp_path, written(tmp_path, rows=250_000, users=1700, days=300))
    found = by_category(checkins_of_people(tmp_path / "p")).loc[people.TABLE.index]
    for column in ("share", "weekend"):
        assert found[column].to_numpy() == pytest.approx(people.TABLE[column].to_numpy(), rel=0.15)
    hours = found.filter(regex=r"^h\d").to_numpy()
    assert circular_emd(hours, people.PROFILES).max() < 0.3
    assert circular_emd(np.roll(hours, 2, axis=1), people.PROFILES).min() > 0.3
    assert np.corrcoef(found["new"], people.NEW)[0, 1] > 0.95


def test_ids_look_like_real_ones(round_trip):
    raw, _, _ = round_trip
    assert raw["venue"].str.fullmatch("[0-9a-f]{24}").all()
    assert raw["category_id"].str.fullmatch("[0-9a-f]{24}").all()
    assert set(raw["category"]) == set(people.CATEGORIES)
    assert (raw.groupby("venue")["category"].nunique() == 1).all()


def test_centre_is_denser():
    city = built(CITY | {"venues": 5000})
    north = (city.latitude - CITY["latitude"]) * 111.2
    east = (city.longitude - CITY["longitude"]) * 111.2 * np.cos(np.radians(CITY["latitude"]))
    distance = np.hypot(north, east) / CITY["radius_km"]
    inner, outer = (distance < 0.5).sum() / 0.25, ((distance >= 0.5) & (distance < 1)).sum() / 0.75
    assert inner > 2 * outer
    assert (distance < 1.03).all()


def test_same_parameters_same_bytes_and_other_seed_or_name_other_bytes(tmp_path):
    small = {"rows": 2000, "venues": 2000}
    first = written(tmp_path, **small).read_bytes()
    assert written(tmp_path, **small).read_bytes() == first
    assert written(tmp_path, seed=2, **small).read_bytes() != first
    assert written(tmp_path, name="town", **small).read_bytes() != first


def test_city_does_not_depend_on_rows_or_days():
    one, other = built(CITY), built(CITY | {"rows": 7, "days": 3})
    for name in vars(one).keys() - {"cities"}:
        assert np.array_equal(getattr(one, name), getattr(other, name))


def test_blocks_are_whole_days_and_different(monkeypatch):
    monkeypatch.setattr(world, "BLOCK_ROWS", 1000)
    blocks = [(rows, bytes(text)) for rows, text in blocks_of_text(CITY | {"rows": 3500}, 1, "city")]
    assert sum(rows for rows, _ in blocks) == 3500
    assert len(blocks) == 4 and all(1000 - 150 < rows < 1000 + 150 for rows, _ in blocks[:3])  # 58 a day
    assert [text.count(b"\n") for _, text in blocks] == [rows for rows, _ in blocks]
    days = [{line.split(b"\t")[7][4:10] for line in text.splitlines()} for _, text in blocks]
    assert sum(map(len, days)) == len(set.union(*days)) == CITY["days"]


def test_venue_ids_end_with_the_venue_s_number():
    ids = [venue.decode() for venue in new_venue_ids(300, np.random.default_rng(1))]
    assert [int(text[17:], 16) for text in ids] == list(range(300))
    assert all(0x4A000000 <= int(text[:8], 16) < 0x4F000000 for text in ids)


@pytest.mark.parametrize(
    "changes",
    [
        {"venues": 1, "users": 1, "rows": 50, "days": 1},
        {"rows": 1},
        {"offset_minutes": 840, "longitude": 179.99, "rows": 500, "venues": 500},
        {"offset_minutes": -720, "latitude": -89.99, "rows": 500, "venues": 500},
    ],
)
def test_extreme_cities_can_be_prepared(tmp_path, changes):
    path = written(tmp_path, **changes)
    summary = prepared(tmp_path, path)
    assert summary["rows_prepared"] == changes["rows"]


def test_written_as_eight_columns_of_ascii(tmp_path):
    with gzip.open(written(tmp_path, rows=100)) as handle:
        text = handle.read()
    assert text.isascii() and text.endswith(b"\n")
    assert {line.count(b"\t") for line in text.splitlines()} == {7}
