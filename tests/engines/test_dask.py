"""Dask releases the rows it holds on two workers, and the traps that the recipe avoids."""

import contextlib
import os
import time

import numpy as np
import pytest
from engine_runs import ROWS, assert_released, assert_rows, needed, recipe, run, run_here, shared_runs

from dirpriv import release
from dirpriv.mechanisms import PurkayasthaMechanism

needed("dask.dataframe", "distributed", "pyarrow", "duckdb")
import dask.dataframe as dd  # noqa: E402
import pandas as pd  # noqa: E402
from dask.distributed import Client  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")  # of Dask's own calls
COUNT = 40_000
META = {"hours": "float64", "worker": "int64"}


@pytest.fixture(scope="module")
def engine():
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client:
        yield client


def noon(partitions=4):
    return dd.from_pandas(pd.DataFrame({"hours": np.full(COUNT, 12.0)}), npartitions=partitions)


def minutes(hours):
    return np.floor(np.asarray(hours) * 60.0).astype(int)


def private(part):
    hours = release.times(part["hours"], level=1.0, radius="3h", unit="h")
    return hours.to_frame().assign(worker=os.getpid())


def draws_of_workers(table, function):
    rows = table.map_partitions(function, meta=META).compute()
    return [(worker, minutes(group["hours"])) for worker, group in rows.groupby("worker")]


def forget(engine):
    """Wait until the scheduler has nothing left of a result, which it would give again."""
    while engine.run_on_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)):
        time.sleep(0.01)


def test_the_recipe_releases_three_million_rows(folder):
    run(recipe("Dask"), folder)
    assert_rows(folder, ROWS)


def test_released_times_have_the_distribution_and_a_random_order(engine, few, monkeypatch):
    """The recipe finds two workers that are there."""
    monkeypatch.setattr("dask.distributed.Client", lambda **_: contextlib.nullcontext(engine))
    run_here(recipe("Dask"), few)
    assert_released(few)


def test_no_two_workers_share_draws(engine):
    """A generator of NumPy is sent to each partition in the same state: all of them draw the same."""
    found = draws_of_workers(noon(), private)
    assert len(found) == 2 and sum(len(draws) for _, draws in found) == COUNT
    assert shared_runs(*(draws for _, draws in found)) == 0
    mechanism, rng = PurkayasthaMechanism.within(1.0, np.pi / 4), np.random.default_rng(1)

    def seeded(part):
        hours = mechanism.randomise_times(part["hours"].to_numpy(), rng=rng)
        return pd.DataFrame({"hours": hours, "worker": os.getpid()}, index=part.index)

    assert shared_runs(*(draws for _, draws in draws_of_workers(noon(), seeded))) > COUNT / 3


def test_a_release_is_sent_to_the_workers_without_a_state(engine):
    circle = release.CircleRelease.within(1.0, "3h")

    def by_object(part):
        return pd.DataFrame({"hours": circle.randomise_times(part["hours"]), "worker": os.getpid()}, index=part.index)

    found = draws_of_workers(noon(), by_object)
    assert len(found) == 2 and shared_runs(*(draws for _, draws in found)) == 0


def test_a_plan_draws_again_and_a_file_does_not(engine, tmp_path):
    """Two draws of a row agree with a probability of 0.2 %: above 1 % of 40 000 rows has one below 1e-30."""
    plan = noon().map_partitions(private, meta=META)[["hours"]]
    plan.to_parquet(tmp_path / "drawn")
    stored = dd.read_parquet(tmp_path / "drawn")
    agreeing = []
    for table in (plan, stored):
        first = minutes(table.compute()["hours"])
        forget(engine)
        agreeing.append(np.mean(first == minutes(table.compute()["hours"])))
    assert agreeing[0] < 0.01 and agreeing[1] == 1.0


def test_what_a_worker_has_lost_is_drawn_again(engine):
    """persist() keeps draws in the workers: half of them go with one of two, and are drawn anew."""
    engine.wait_for_workers(2)
    kept = noon(2).map_partitions(private, meta=META).persist()
    before = kept["hours"].compute()
    assert before.equals(kept["hours"].compute())
    engine.restart_workers([next(iter(engine.scheduler_info()["workers"]))])
    assert 0.4 < np.mean(before == kept["hours"].compute()) < 0.6


def test_a_row_without_a_time_stops_the_release(engine, tmp_path):
    table = dd.from_pandas(pd.DataFrame({"hours": [12.0, None]}), npartitions=1)
    with pytest.raises(ValueError, match="row 1 of 'column' has no value"):
        table.map_partitions(private, meta=META).to_parquet(tmp_path / "drawn")
