"""Polars releases the rows it holds, and the traps that the recipe avoids."""

import numpy as np
import pytest
from engine_runs import (
    FEW,
    NORMAL,
    ROWS,
    assert_released,
    assert_rows,
    needed,
    order_scores,
    recipe,
    released,
    run,
    shared_runs,
)

from dirpriv import release

needed("polars", "duckdb")
import polars as pl  # noqa: E402

COUNT = 50_000


def private(arrival):
    return release.times(arrival, level=1.0, radius="3h")


def drawn(column, kind=pl.String):
    return column.map_batches(private, return_dtype=kind, is_elementwise=True)


def cells(texts):
    return texts.str.slice(0, 2).cast(int).to_numpy() * 60 + texts.str.slice(3, 2).cast(int).to_numpy()


def test_the_recipe_releases_three_million_rows(folder):
    run(recipe("Polars"), folder)
    assert_rows(folder, ROWS)


def test_released_times_have_the_distribution_and_a_random_order(few):
    run(recipe("Polars"), few)
    assert_released(few)


def test_every_row_has_noise_of_its_own():
    """A literal is released once for many rows, or for all of them, which get its noise."""
    table = pl.LazyFrame({"arrival": ["12:00"] * COUNT})
    for engine in ("streaming", "in-memory"):
        found = cells(table.select(drawn(pl.col("arrival"))).collect(engine=engine)["arrival"])
        assert len(set(found)) > 1300 and shared_runs(found) == 0
        literal = table.with_columns(t=drawn(pl.lit("12:00"))).collect(engine=engine)["t"]
        assert len(literal) == COUNT and literal.n_unique() < 100


def test_a_plan_draws_again_and_a_file_does_not(tmp_path):
    """Two draws of a row agree with a probability of 0.2 %: above 1 % of 50 000 rows has one below 1e-30."""
    plan = pl.LazyFrame({"arrival": ["12:00"] * COUNT}).select(drawn(pl.col("arrival")))
    assert np.mean(cells(plan.collect()["arrival"]) == cells(plan.collect()["arrival"])) < 0.01
    plan.sink_parquet(tmp_path / "drawn.parquet")
    stored = pl.scan_parquet(tmp_path / "drawn.parquet")
    assert stored.collect().equals(stored.collect())


def test_without_keys_the_order_is_that_of_the_input(few):
    code = recipe("Polars")
    assert code.count('.sort("key")') == 1
    run(code.replace('.sort("key")', ""), few)
    assert min(order_scores(released(few)[1])) > NORMAL


def test_what_is_written_beside_is_seen(few):
    """The check of the columns catches a recipe that keeps the person."""
    code = recipe("Polars").replace('.select("arrival")', "").replace("arrival.select(", "arrival.with_columns(")
    run(code, few)
    with pytest.raises(AssertionError):
        assert_rows(few, FEW)
    assert released(few)[0] == ["arrival", "person", "venue"]


def test_a_row_without_a_time_stops_the_release(tmp_path):
    plan = pl.LazyFrame({"arrival": ["12:00", None]}).select(drawn(pl.col("arrival")))
    with pytest.raises(Exception, match="of 'column' has no value"):
        plan.sink_parquet(tmp_path / "private.parquet")
