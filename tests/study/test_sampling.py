"""The benchmark: it times what it says it times. No test depends on how fast the machine is."""

import os
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pandas as pd
import pytest
from looks import label_faults, styled, title_follows  # noqa: F401

from dirpriv.distributions import VonMisesFisher
from study.experiments.sampling import measure as time_sampling
from study.experiments.sampling import plot as plot_sampling
from study.simulation import timing

SETTINGS = {
    "dimensions": [2, 3, 100],
    "kappas": [1.0, 1e6],
    "rounds": 2,
    "call_seconds": 1e-3,
    "most_rows": 1000,
    "most_numbers": 20_000,
    "bisection_iterations": 53,
    "bisection_rows": 20,
    "series_rows": 5,
    "longest_call": 2.0,
    "repeat_seconds": 0.5,
    "largest_dim_of_series": 2,
    "largest_dim_of_scipy": 100,
}


@pytest.fixture(scope="module")
def table():
    return pd.DataFrame(time_sampling.time_sampling(SETTINGS))


def test_every_method_is_timed_in_every_cell(table):
    pur, vmf = table[table["distribution"] == "purkayastha"], table[table["distribution"] == "von_mises_fisher"]
    assert {"floor", "dirpriv", "Algorithm 1"} <= set(pur["method"])
    of_dim = vmf.groupby("dim")["method"].agg(set)
    assert {"floor", "dirpriv", "Ulrich-Wood"} <= of_dim[2] & of_dim[3] & of_dim[100]
    assert {"Eq. 7 inverted", "SciPy's CDF inverted", "SciPy"} <= of_dim[2]
    assert {"Kurz-Hanebeck", "explicit inverse", "SciPy"} <= of_dim[3]
    assert "SciPy, Ulrich-Wood" in of_dim[100] and "Eq. 7 inverted" not in of_dim[100]
    slow = table[table["status"] != "timed"]
    assert set(slow["method"]) <= {"Eq. 7 inverted"} and slow["value"].isna().all()
    table = table[table["status"] == "timed"]
    assert len(pur[pur["method"] == "Algorithm 1"]) == 6
    assert (table["low"] <= table["value"]).all() and (table["value"] <= table["high"]).all()
    floors = table[table["method"] == "floor"]
    assert (floors["ratio_to_floor"] == 1.0).all() and (table["value"] > 0).all()
    others = table[table["method"] != "floor"].groupby(["distribution", "stage", "dim", "kappa"])["ratio_to_fastest"]
    assert (others.min() == 1.0).all() and (others.max() > 1.0).any()


def test_slow_bisections_are_timed_by_few_halvings_or_not_at_all(monkeypatch):
    """One halving of 53 is timed, of one draw and then of all; a call may take 0.1 s, all halvings 2 s."""
    settings, seen = SETTINGS | {"call_seconds": 0.1}, []

    def seconds_of(halving, method="Kurz-Hanebeck"):
        def seconds(function, rows, clock):
            seen.append((rows, function.keywords["iterations"]))
            return halving(rows)

        monkeypatch.setattr(time_sampling.timing, "seconds", seconds)
        return time_sampling.bisection_calls(partial(lambda rows: None, iterations=53), method, settings)

    assert seconds_of(lambda rows: 1e-6 * rows) == (20, 53)
    assert seconds_of(lambda rows: 0.025) == (20, 4)
    assert seconds_of(lambda rows: 0.037) == (20, 3)
    assert seen == [(1, 1), (20, 1)] * 3
    assert seconds_of(lambda rows: 0.02, "Eq. 7 inverted") == (5, 5)
    assert seconds_of(lambda rows: 0.11 * rows / 53) == (0, 0)  # twenty draws take 2.2 s, one of them .11 s


def test_few_halvings_tell_the_time_of_all():
    """Of each method, in one of ten attempts, as other programs disturb some.

    The wrong variant, a method whose halvings take longer and longer, is caught in all of three attempts.
    """

    def ratio(function, rows):
        few, every = (
            min(timing.seconds(partial(function, iterations=i), rows, time.process_time) for _ in range(3))
            for i in (time_sampling.FEWEST, 53)
        )
        return every / 53 * time_sampling.FEWEST / few

    def growing(rows, iterations):
        return [sum(range(rows * halving)) for halving in range(iterations)]

    settings = SETTINGS | {"largest_dim_of_series": 10}
    slow = ("Kurz-Hanebeck", 101), ("Algorithm 1", 1000), ("Eq. 7 inverted", 10)
    for method, dim in slow:
        distribution = "purkayastha" if method == "Algorithm 1" else "von_mises_fisher"
        function = time_sampling.methods(distribution, dim, 10.0, settings, np.random.default_rng(1))[method, "radial"]
        assert any(0.6 < ratio(function, 5) < 1.6 for _ in range(10)), method
    assert not any(ratio(growing, 200) < 1.6 for _ in range(3))


def test_distributions_without_numba_draw_the_same():
    """They are of a second copy of the package, in which no loop is compiled; the first is as it was."""
    copy, numba = time_sampling.distributions_without_numba()["von_mises_fisher"], sys.modules.get("numba", "")
    assert sys.modules[VonMisesFisher.__module__].VonMisesFisher is VonMisesFisher and numba is not None
    mu, size = [0.6, 0.0, 0.8], time_sampling.FIRST
    drawn, others = (distribution(3, 2.0).rvs(mu, size, rng=1) for distribution in (copy, VonMisesFisher))
    np.testing.assert_allclose(drawn, others, rtol=0.0, atol=1e-14)
    assert copy._draw_versines.__globals__["directions"].compiled(size) is None


def test_comparison_holds_ours_against_each_peer(table):
    compared = time_sampling.compared(table)
    peers = {"Algorithm 1", "SciPy", "SciPy, Ulrich-Wood", "Ulrich-Wood", "Kurz-Hanebeck"}
    peers |= {"SciPy's CDF inverted", "explicit inverse"}
    assert peers <= set(compared["peer"]) <= peers | {"Eq. 7 inverted"}
    assert set(compared.loc[compared["peer"] == "Algorithm 1", "stage"]) == {"radial"}
    cell = {"distribution": "von_mises_fisher", "stage": "vector", "dim": 2, "kappa": 1.0}
    rows = table.loc[(table[list(cell)] == pd.Series(cell)).all(axis=1)].set_index("method")["low"]
    chosen = compared.loc[(compared[list(cell)] == pd.Series(cell)).all(axis=1) & (compared["ours"] == "dirpriv")]
    assert np.isclose(chosen["times_faster"].item(), rows["SciPy"] / rows["dirpriv"])


def test_figure(table):
    figure = plot_sampling.draw(table)
    assert [ax.get_title() for ax in figure.axes] == [
        "Purkayastha, whole vector",
        "von Mises-Fisher, whole vector",
        "Purkayastha, angle only",
        "von Mises-Fisher, angle only",
    ]
    crosses = [line for ax in figure.axes for line in ax.lines if line.get_marker() == "x"]
    slow = table.loc[table["status"] != "timed", ["distribution", "method", "dim"]].drop_duplicates()
    assert sum(len(line.get_xdata()) for line in crosses) == len(slow)
    assert not label_faults(figure) and title_follows(plot_sampling.draw, table)


THREADS = """
import logging, sys
import numpy, threadpoolctl
from study.simulation.timing import one_thread

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
