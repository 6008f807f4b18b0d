"""DuckDB releases the rows it holds, and the traps that the recipe avoids."""

import datetime as dt

import numpy as np
import pytest
from engine_runs import FEW, ROWS, assert_released, assert_rows, needed, recipe, run, shared_runs

from dirpriv import estimators, geometry, release

needed("duckdb", "pyarrow")
import duckdb  # noqa: E402
import pyarrow as pa  # noqa: E402

ALWAYS = {"type": "arrow", "side_effects": True, "null_handling": "special"}
COUNT = 50_000


def private(arrival):
    return release.times(arrival, level=1.0, radius="3h")


@pytest.fixture
def engine():
    with duckdb.connect() as connection:
        connection.create_function("private", private, ["VARCHAR"], "VARCHAR", **ALWAYS)
        connection.create_function("keys", release.shuffle_keys, ["VARCHAR"], "BIGINT", **ALWAYS)
        connection.create_function("folded", release.shuffle_keys, ["VARCHAR"], "BIGINT", type="arrow")
        connection.create_function("passing", private, ["VARCHAR"], "VARCHAR", type="arrow")
        connection.execute(f"CREATE TABLE visits AS SELECT '12:00' AS arrival, i FROM range({COUNT}) AS rows(i)")
        yield connection


def test_the_recipe_releases_three_million_rows(folder):
    run(recipe("DuckDB"), folder)
    assert_rows(folder, ROWS)


def test_released_times_have_the_distribution_and_a_random_order(few):
    run(recipe("DuckDB"), few)
    assert_released(few)


def test_every_row_has_noise_of_its_own(engine):
    drawn = engine.execute("SELECT private(arrival) AS t FROM visits").fetchnumpy()["t"]
    cells = [int(text[:2]) * 60 + int(text[3:5]) for text in drawn]
    assert len(set(cells)) > 1300 and shared_runs(cells) == 0


@pytest.mark.parametrize(
    ("value", "table"),
    [
        ("'12:00'", "visits"),
        ("arrival", "(SELECT '12:00' AS arrival FROM visits UNION ALL SELECT arrival FROM visits)"),
    ],
)
def test_without_side_effects_equal_times_have_the_same_noise(value, table, engine):
    """DuckDB calls such a function once for a literal, and once for a block of 2048 rows that are equal."""
    found = {}
    for name in ("keys", "folded"):
        keys = engine.execute(f"SELECT {name}({value}) AS k FROM {table}").fetchnumpy()["k"]
        found[name] = len(keys) - len(set(keys))
    assert found["keys"] == 0
    assert found["folded"] > 0.9 * COUNT


def test_a_view_draws_again_and_its_mean_is_the_true_time(engine):
    """Mean errors of 200 rows are 0.28 h, of 100 readings, and 2.8 h: bounds are 7 standard errors off."""
    engine.execute("CREATE VIEW lazy AS SELECT i, private(arrival) AS t FROM visits WHERE i < 200")
    engine.execute("CREATE TABLE drawn AS FROM lazy")

    def off(table, readings):
        texts = [engine.execute(f"SELECT t FROM {table} ORDER BY i").fetchall() for _ in range(readings)]
        angles = geometry.hours_to_angles(np.array(texts)[..., 0].ravel().tolist()).reshape(readings, -1)
        return np.abs(geometry.angles_to_hours(estimators.circular_mean(angles, axis=0)) - 12.0)

    assert np.mean(off("lazy", 100)) < 0.6
    assert np.mean(off("drawn", 3)) > 1.5


def test_a_row_without_a_time_stops_the_release(engine, tmp_path):
    engine.execute("UPDATE visits SET arrival = NULL WHERE i = 7")
    with pytest.raises(duckdb.Error, match="row 7 of 'column' has no value"):
        engine.execute(f"COPY (SELECT private(arrival) FROM visits) TO '{tmp_path / 'private.parquet'}'")
    assert not (tmp_path / "private.parquet").exists()
    [[passed]] = engine.execute("SELECT count(*) FROM visits WHERE passing(arrival) IS NULL").fetchall()
    assert passed == 1


def test_the_order_of_an_engine_can_be_had_again(engine):
    """Who knows the seed of DuckDB has the order of the input back; keys of the release have none."""
    engine.execute("PRAGMA threads=1")
    orders = {"random()": [], "keys(arrival)": []}
    for key, found in orders.items():
        for _ in range(2):
            engine.execute("SELECT setseed(0.5)")
            found.append(engine.execute(f"SELECT i FROM visits ORDER BY {key}").fetchnumpy()["i"])
    assert np.array_equal(*orders["random()"])
    assert not np.array_equal(*orders["keys(arrival)"])


def test_places_come_as_a_struct(engine):
    names = {"pa": pa, "release": release}
    exec(recipe("Places"), names)
    kind = "STRUCT(latitude DOUBLE, longitude DOUBLE)"
    engine.create_function("place", names["private"], ["DOUBLE", "DOUBLE"], kind, **ALWAYS)
    found = engine.execute(
        "SELECT p.latitude AS north, p.longitude AS east FROM (SELECT place(40.75, -73.98) AS p FROM visits)"
    ).fetchnumpy()
    assert len(set(zip(found["north"], found["east"], strict=True))) > 1000
    assert abs(found["north"].mean() - 40.75) < 0.001 and abs(found["east"].mean() + 73.98) < 0.001


def test_counts_of_the_engine_are_enough_for_the_estimators(few, monkeypatch):
    """The recipe of the histogram, from counts, gives that of all rows."""
    run(recipe("DuckDB"), few)
    monkeypatch.chdir(few)
    names = {}
    exec(recipe("Histograms in the engine"), names)
    rows = duckdb.sql("SELECT arrival FROM 'private.parquet'").fetchnumpy()["arrival"]
    angles = geometry.hours_to_angles(rows)
    assert len(angles) == FEW and len(names["counts"]["people"]) <= 1440
    assert isinstance(rows[0], dt.time)
    day = estimators.estimate_density_band(angles, names["distribution"])
    assert np.allclose(day.high, names["day"].high, rtol=0.0, atol=1e-12)
    bins = estimators.estimate_histogram(angles, names["distribution"], bins=8, edges="soft")
    assert np.allclose(bins.shares, names["bins"].shares, rtol=0.0, atol=1e-12)
    counted = estimators.estimate_mean(
        geometry.hours_to_angles(names["counts"]["arrival"]), names["distribution"], weights=names["counts"]["people"]
    )
    assert abs(counted.angle - estimators.estimate_mean(angles, names["distribution"]).angle) < 1e-9
