"""The benchmark: it times what it says it times. No test depends on how fast the machine is."""

import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from looks import label_faults, styled  # noqa: F401

from dirpriv import geometry
from study.experiments.sampling import measure as time_sampling
from study.experiments.sampling import plot as plot_sampling

SETTINGS = {
    "dimensions": [2, 100],
    "kappas": [1.0, 1e6],
    "rounds": 2,
    "call_seconds": 1e-3,
    "most_rows": 1000,
    "most_numbers": 20_000,
    "bisection_iterations": 53,
    "bisection_rows": 20,
    "largest_dim_of_bisection": 100,
    "largest_dim_of_scipy": 100,
}


@pytest.fixture(scope="module")
def table():
    return pd.DataFrame(time_sampling.time_sampling(SETTINGS))


def test_every_method_is_timed_in_every_cell(table):
    pur, vmf = table[table["law"] == "purkayastha"], table[table["law"] == "von_mises_fisher"]
    assert {"floor", "dirpriv", "Algorithm 1"} <= set(pur["method"])
    assert {"floor", "dirpriv", "SciPy"} <= set(vmf["method"])
    assert (table["status"] == "timed").all() and len(pur[pur["method"] == "Algorithm 1"]) == 4
    assert (table["low"] <= table["value"]).all() and (table["value"] <= table["high"]).all()
    floors = table[table["method"] == "floor"]
    assert (floors["ratio_to_floor"] == 1.0).all() and (table["value"] > 0).all()


def test_the_compiled_step_is_switched_and_switched_back():
    before = geometry.COMPILED_SIZE
    assert time_sampling.with_compiled_size(0, lambda: geometry.COMPILED_SIZE) == 0
    assert geometry.COMPILED_SIZE == before
    with pytest.raises(ZeroDivisionError):
        time_sampling.with_compiled_size(np.inf, lambda: 1 / 0)
    assert geometry.COMPILED_SIZE == before


def test_comparison_holds_ours_against_each_peer(table):
    compared = time_sampling.compared(table)
    assert set(compared["peer"]) == {"Algorithm 1", "SciPy"}
    assert set(compared.loc[compared["peer"] == "Algorithm 1", "stage"]) == {"radial"}
    cell = {"law": "von_mises_fisher", "stage": "vector", "dim": 2, "kappa": 1.0}
    rows = table.loc[(table[list(cell)] == pd.Series(cell)).all(axis=1)].set_index("method")["low"]
    chosen = compared.loc[
        (compared[list(cell)] == pd.Series(cell)).all(axis=1) & (compared["ours"] == "dirpriv")
    ]
    assert np.isclose(chosen["times_faster"].item(), rows["SciPy"] / rows["dirpriv"])


def test_figure(table):
    figure = plot_sampling.draw(table)
    assert [ax.get_title() for ax in figure.axes] == [
        "Purkayastha, whole vector",
        "von Mises-Fisher, whole vector",
        "Purkayastha, angle only",
    ]
    assert not label_faults(figure)


THREADS = """
import logging, sys
import numpy, threadpoolctl
from study.core.timing import one_thread

logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(message)s")
print([pool["num_threads"] for pool in threadpoolctl.threadpool_info()])
with one_thread(logging.getLogger()):
    print([pool["num_threads"] for pool in threadpoolctl.threadpool_info()])
"""


def test_linear_algebra_has_one_thread_while_samplers_are_timed():
    """Where the environment asks for two threads, as Snakemake does for a job with two cores.

    A machine with one core gives one thread in any case; there the test sees only that it stays one.
    """
    threads = {f"{library}_NUM_THREADS": "2" for library in ("OMP", "OPENBLAS", "MKL")}
    done = subprocess.run(
        [sys.executable, "-c", THREADS], env=os.environ | threads, capture_output=True, text=True, check=True
    )
    before, told, inside = done.stdout.splitlines()
    assert before == f"[{min(2, os.cpu_count())}]" and inside == "[1]" and told == "threads of BLAS: [1]"
