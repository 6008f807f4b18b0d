"""Spark releases the rows it holds on two workers, and the traps that the recipe avoids."""

import os
import sys

import numpy as np
import pytest
from engine_runs import ROWS, assert_released, assert_rows, needed, recipe, run, run_here, shared_runs

from dirpriv import release
from dirpriv.mechanisms import PurkayasthaMechanism

needed("pyspark", "pyarrow", "duckdb", program="java")
import pyarrow as pa  # noqa: E402
from pyspark import cloudpickle  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning")
MASTER = "local-cluster[2,1,1024]"  # two workers of one core each, in processes of their own
COUNT = 40_000
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # the workers know no tests


@pytest.fixture(scope="module")
def engine():
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    settings = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "4",
        "spark.scheduler.minRegisteredResourcesRatio": "1.0",  # both workers are there before a task begins
        "spark.scheduler.maxRegisteredResourcesWaitingTime": "600s",
    }
    session = SparkSession.builder.master(MASTER).config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def noon(engine, partitions=4):
    return engine.range(0, COUNT, 1, partitions).selectExpr("12.0D AS hours")


def minutes(hours):
    return np.floor(np.asarray(hours) * 60.0).astype(int)


def private(batches):
    for batch in batches:
        hours = release.times(batch["hours"], level=1.0, radius="3h", unit="h")
        yield pa.record_batch({"hours": hours, "worker": [os.getpid()] * len(hours)})


def draws_of_workers(table, function):
    """Pairs: a worker, and what it drew."""
    rows = table.mapInArrow(function, "hours double, worker long").toArrow()
    drawn, workers = minutes(rows["hours"]), rows["worker"].to_numpy()
    return [(worker, drawn[workers == worker]) for worker in np.unique(workers)]


def test_the_recipe_releases_three_million_rows(folder):
    arguments = f"--master {MASTER} --conf spark.ui.enabled=false pyspark-shell"
    run(recipe("PySpark"), folder, PYSPARK_SUBMIT_ARGS=arguments, PYSPARK_PYTHON=sys.executable)
    assert_rows(folder, ROWS)


def test_released_times_have_the_distribution_and_a_random_order(engine, few):
    """The recipe finds an engine that is there, and must leave it at work."""
    code = recipe("PySpark")
    assert code.count("engine.stop()\n") == 1
    run_here(code.replace("engine.stop()\n", ""), few)
    assert_released(few)


def test_no_two_workers_share_draws(engine):
    """A generator of NumPy is sent to each partition in the same state: all of them draw the same."""
    found = draws_of_workers(noon(engine), private)
    assert len(found) >= 2 and sum(len(draws) for _, draws in found) == COUNT
    assert shared_runs(*(draws for _, draws in found)) == 0
    mechanism, rng = PurkayasthaMechanism.within(1.0, np.pi / 4), np.random.default_rng(1)

    def seeded(batches):
        for batch in batches:
            hours = mechanism.randomise_times(batch["hours"].to_numpy(), rng=rng)
            yield pa.record_batch({"hours": hours, "worker": [os.getpid()] * len(hours)})

    assert shared_runs(*(draws for _, draws in draws_of_workers(noon(engine), seeded))) > COUNT / 3


def test_a_release_is_sent_to_the_workers_without_a_state(engine):
    circle = release.CircleRelease.within(1.0, "3h")

    def by_object(batches):
        for batch in batches:
            hours = circle.randomise_times(batch["hours"].to_numpy())
            yield pa.record_batch({"hours": hours, "worker": [os.getpid()] * len(hours)})

    found = draws_of_workers(noon(engine), by_object)
    assert len(found) >= 2 and shared_runs(*(draws for _, draws in found)) == 0


def test_a_plan_draws_again_and_a_file_does_not(engine, tmp_path):
    """Two draws of a row agree with a probability of 0.2 %: above 1 % of 40 000 rows has one below 1e-30."""
    plan = noon(engine, 1).mapInArrow(private, "hours double, worker long").select("hours")
    plan.write.parquet(str(tmp_path / "drawn"))
    stored = engine.read.parquet(str(tmp_path / "drawn"))
    agreeing = [np.mean(np.equal(*(minutes(one.toArrow()["hours"]) for _ in range(2)))) for one in (plan, stored)]
    assert agreeing[0] < 0.01 and agreeing[1] == 1.0


def test_sorting_a_plan_draws_twice(engine):
    """orderBy looks at a sample before it sorts: that draws once more than there are rows."""
    drawn = engine.sparkContext.accumulator(0)

    def counted(batches):
        for batch in batches:
            drawn.add(batch.num_rows)
            yield pa.record_batch({"key": release.shuffle_keys(batch)})

    noon(engine).mapInArrow(counted, "key long").orderBy("key").write.format("noop").mode("overwrite").save()
    assert drawn.value >= 2 * COUNT


def test_a_row_without_a_time_stops_the_release(engine, tmp_path):
    table = engine.range(0, 10, 1, 1).selectExpr("IF(id = 7, NULL, 12.0D) AS hours")
    plan = table.mapInArrow(private, "hours double, worker long")
    with pytest.raises(Exception, match="row 7 of 'column' has no value"):
        plan.write.parquet(str(tmp_path / "drawn"))
    assert not (tmp_path / "drawn" / "_SUCCESS").exists()
