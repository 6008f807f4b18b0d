"""The benchmark: it times what it says it times. No test depends on how fast the machine is."""

import os
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import pytest
from looks import label_faults, styled  # noqa: F401
from scipy import stats

from dirpriv import geometry
from dirpriv.laws import VonMisesFisher
from study.experiments.sampling import comparators
from study.experiments.sampling import measure as time_sampling
from study.experiments.sampling import plot as plot_sampling

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
    "repeat_seconds": 1e-3,
    "largest_dim_of_series": 2,
    "largest_dim_of_scipy": 100,
}


@pytest.fixture(scope="module")
def table():
    return pd.DataFrame(time_sampling.time_sampling(SETTINGS))


def test_every_method_is_timed_in_every_cell(table):
    pur, vmf = table[table["law"] == "purkayastha"], table[table["law"] == "von_mises_fisher"]
    assert {"floor", "dirpriv", "Algorithm 1"} <= set(pur["method"])
    of_dim = vmf.groupby("dim")["method"].agg(set)
    assert {"floor", "dirpriv", "Ulrich-Wood"} <= of_dim[2] & of_dim[3] & of_dim[100]
    assert {"Eq. 7 inverted", "SciPy"} <= of_dim[2] and {"Kurz-Hanebeck", "SciPy"} <= of_dim[3]
    assert "SciPy, Ulrich-Wood" in of_dim[100] and "Eq. 7 inverted" not in of_dim[100]
    slow = table[table["status"] != "timed"]
    assert set(slow["method"]) <= {"Eq. 7 inverted"} and slow["value"].isna().all()
    table = table[table["status"] == "timed"]
    assert len(pur[pur["method"] == "Algorithm 1"]) == 6
    assert (table["low"] <= table["value"]).all() and (table["value"] <= table["high"]).all()
    floors = table[table["method"] == "floor"]
    assert (floors["ratio_to_floor"] == 1.0).all() and (table["value"] > 0).all()


def test_slow_bisections_are_timed_less_often_or_not_at_all(monkeypatch):
    """One halving of 53 is timed, of one draw and then of all."""
    key, settings = ("Algorithm 1", "radial"), SETTINGS | {"rounds": 7, "repeat_seconds": 1.0}
    seen = []

    def seconds_of(halving):
        def seconds(function, rows, clock):
            seen.append((rows, function.keywords["iterations"]))
            return halving(rows)

        monkeypatch.setattr(time_sampling.timing, "seconds", seconds)
        return time_sampling.rows_of_method(partial(lambda rows: None, iterations=53), key, 100, settings)

    assert seconds_of(lambda rows: 1e-6 * rows) == (20, 7)
    assert seconds_of(lambda rows: 0.35 / 53) == (20, 2)
    assert seconds_of(lambda rows: 1.9 / 53) == (20, 1)
    assert seen == [(1, 1), (20, 1)] * 3
    assert seconds_of(lambda rows: 0.11 * rows / 53) == (0, 0)  # twenty draws take 2.2 s, one of them .11 s


DRAWS, ALPHA = 20_000, 1e-6  # of each Kolmogorov-Smirnov test: draws, and the error rate


def p_value(angles, dim, kappa):
    return stats.kstest(angles, VonMisesFisher(dim, kappa).angle_cdf).pvalue


@pytest.mark.parametrize(("dim", "kappa"), [(3, 2.0), (5, 0.1), (11, 10.0), (51, 100.0), (201, 1e4)])
def test_kurz_hanebeck_draws_from_the_law(dim, kappa):
    """After five halvings it is caught, and so is a sum with one term too many: that of n + 2."""

    def p_after(halvings, terms_too_many):
        cdf = partial(comparators.odd_cdf, law=VonMisesFisher(dim + 2 * terms_too_many, kappa))
        draws = comparators.bisection_rvs(cdf, DRAWS // 2, halvings, np.random.default_rng(1))
        return p_value(draws, dim, kappa)

    assert p_after(53, 0) > ALPHA
    assert p_after(5, 0) < ALPHA and p_after(20, 1) < ALPHA


@pytest.mark.parametrize("dim", [3, 5, 25, 101, 1001, 20_001])
@pytest.mark.parametrize("kappa", [1e-3, 1.0, 30.0, 1e3, 1e6, 6e7])
def test_odd_cdf_has_absolute_precision(dim, kappa):
    law = VonMisesFisher(dim, kappa)
    theta = np.concatenate([np.linspace(1e-9, np.pi, 9), law.angle_ppf([1e-12, 0.01, 0.3, 0.7, 0.99])])
    assert np.abs(comparators.odd_cdf(theta, law) - law.angle_cdf(theta)).max() < 4e-13


@pytest.mark.parametrize(("dim", "kappa"), [(2, 0.5), (3, 10.0), (10, 1.0), (100, 50.0), (1000, 1e4)])
def test_ulrich_wood_draws_from_the_law(dim, kappa):
    """Without the rejection, where it rejects enough, it is caught."""
    angles = comparators.rejection_rvs(dim, kappa, DRAWS, np.random.default_rng(1))
    assert p_value(angles, dim, kappa) > ALPHA
    if dim < 10:
        y = wood_proposals(dim, kappa, DRAWS, np.random.default_rng(1))[0]
        assert p_value(np.arccos(1.0 - y), dim, kappa) < ALPHA


def wood_proposals(dim, kappa, size, rng):
    """Proposals of 1 - cos θ by a transformed beta law, and the logarithm of their acceptance (Wood 1994)."""
    d = dim - 1.0
    b = d / (2.0 * kappa + np.hypot(2.0 * kappa, d))
    beta, x0 = rng.beta(d / 2.0, d / 2.0, size), (1.0 - b) / (1.0 + b)
    w = (1.0 - (1.0 + b) * beta) / (1.0 - (1.0 - b) * beta)
    ratio = kappa * (w - x0) + d * (np.log1p(-x0 * w) - np.log1p(-x0 * x0))
    return 1.0 - w, ratio


@pytest.mark.parametrize(("dim", "kappa"), [(4, 1.0), (10, 3.0), (100, 20.0)])
def test_scipy_is_ulrich_wood(dim, kappa):
    """Its cosines are the proposals that Wood's rule accepts, from the same random numbers."""
    mu = np.eye(1, dim)[0]
    cosines = stats.vonmises_fisher(mu, kappa, seed=np.random.default_rng(1)).rvs(1000) @ mu
    rng = np.random.default_rng(1)
    y, ratio = wood_proposals(dim, kappa, 1000, rng)
    kept = 1.0 - y[ratio > np.log(rng.random(1000))]
    assert len(kept) > 600 and np.allclose(cosines[: len(kept)], kept, rtol=0, atol=1e-12)
    assert p_value(np.arccos(cosines), dim, kappa) > ALPHA


def test_the_compiled_step_is_switched_and_switched_back():
    before = geometry.COMPILED_SIZE
    assert time_sampling.with_compiled_size(0, lambda: geometry.COMPILED_SIZE) == 0
    assert geometry.COMPILED_SIZE == before
    with pytest.raises(ZeroDivisionError):
        time_sampling.with_compiled_size(np.inf, lambda: 1 / 0)
    assert geometry.COMPILED_SIZE == before


def test_comparison_holds_ours_against_each_peer(table):
    compared = time_sampling.compared(table)
    peers = {"Algorithm 1", "SciPy", "SciPy, Ulrich-Wood", "Ulrich-Wood", "Kurz-Hanebeck"}
    assert peers <= set(compared["peer"]) <= peers | {"Eq. 7 inverted"}
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
        "von Mises-Fisher, angle only",
    ]
    crosses = [line for ax in figure.axes for line in ax.lines if line.get_marker() == "x"]
    slow = table.loc[table["status"] != "timed", ["law", "method", "dim"]].drop_duplicates()
    assert sum(len(line.get_xdata()) for line in crosses) == len(slow)
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
