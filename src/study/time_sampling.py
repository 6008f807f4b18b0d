"""Time per draw of our samplers, their peers and the floor, in one run (paper A, Section 4.1).

The ratio to the floor, measured in turn with it, is the result; nanoseconds are context. The floor is what
any sampler of directions does at least: as many normals as the vectors have coordinates, normalised.
"""

import os

# one thread for all, so that no library helps one of them; it must be said before NumPy is loaded
os.environ.update(dict.fromkeys(["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"], "1"))

import time

import numpy as np
import pandas as pd
from scipy import stats

from dirpriv import geometry
from dirpriv.laws import Purkayastha, VonMisesFisher
from dirpriv.laws.published import bisection_rvs
from study.job import Progress, job, write_csv

LAWS = {"purkayastha": Purkayastha, "von_mises_fisher": VonMisesFisher}


def floor(out, rng):
    """Normals of the shape of the draws, normalised."""
    rng.standard_normal(out=out)
    out /= np.linalg.norm(out, axis=1, keepdims=True)


def methods(law_name, dim, kappa, settings, rng):
    """What is timed: (method, stage) -> function of the number of draws.

    Stages: ``radial`` draws angles from the mode, ``vector`` unit vectors around it. Floor and vectors of
    ours are written to an array that is there already, so that no one pays for the system's memory.
    """
    law, mu = LAWS[law_name](dim, kappa), np.full(dim, 1.0 / np.sqrt(dim))
    mu /= np.linalg.norm(mu)
    space = np.zeros((most_rows(dim, settings), dim))

    def vectors(compiled_size):
        return lambda rows: with_compiled_size(
            compiled_size, lambda: law.rvs(mu, rows, rng=rng, out=space[:rows])
        )

    timed = {
        ("floor", "vector"): lambda rows: floor(space[:rows], rng),
        ("dirpriv", "vector"): vectors(np.inf),
        ("dirpriv", "radial"): lambda rows: law.angle_rvs(rows, rng=rng),
    }
    if geometry._compiled():
        timed["dirpriv, compiled", "vector"] = vectors(0)
    if law_name == "purkayastha" and dim <= settings["largest_dim_of_bisection"]:
        iterations = settings["bisection_iterations"]
        timed["Algorithm 1", "radial"] = lambda rows: bisection_rvs(
            dim, kappa, rows, iterations=iterations, rng=rng
        )
    if law_name == "von_mises_fisher" and dim <= settings["largest_dim_of_scipy"]:
        peer = stats.vonmises_fisher(mu, kappa, seed=np.random.default_rng(1))
        timed["SciPy", "vector"] = lambda rows: peer.rvs(rows)
    return timed


def most_rows(dim, settings):
    """Most draws in one call: as many as fit in the memory set aside."""
    return int(max(16, min(settings["most_rows"], settings["most_numbers"] // dim)))


def with_compiled_size(size, function):
    """Call a function with the compiled direction step switched on (size 0) or off (infinite size)."""
    before, geometry.COMPILED_SIZE = geometry.COMPILED_SIZE, size
    try:
        return function()
    finally:
        geometry.COMPILED_SIZE = before


def seconds(function, rows):
    """Time of one call."""
    start = time.perf_counter()
    function(rows)
    return time.perf_counter() - start


def rows_of_call(function, key, most, settings):
    """Number of draws timed at once, so many that a call takes about the wanted time; also warms up.

    Algorithm 1 works on all draws of a call at once, and would be wronged by few of them.
    """
    if key[0] == "Algorithm 1":
        rows = min(most, settings["bisection_rows"])
        function(8)
        return rows
    rows = min(8, most)
    seconds(function, rows)
    while (taken := seconds(function, rows)) < settings["call_seconds"] / 2.0 and rows < most:
        grown = rows * min(8.0, settings["call_seconds"] / max(taken, 1e-9))
        rows = int(min(most, max(grown, rows + 1)))
    return rows


def time_cell(law_name, dim, kappa, settings, rng):
    """Times of all methods at one dimension and concentration, measured in turn.

    Returns
    -------
    list of dict
        One row per method and stage: nanoseconds per draw (median, least and most over the rounds), the
        ratio of the least to that of the floor (what else runs on the machine can only add time), and the
        range of the ratios to the floor of the same round.
    """
    timed = methods(law_name, dim, kappa, settings, rng)
    rows, failures = {}, {}
    for key, function in timed.items():
        try:
            most = settings["most_rows"] if key[1] == "radial" else most_rows(dim, settings)
            rows[key] = rows_of_call(function, key, most, settings)
        except ValueError as error:  # Algorithm 1 says so where its finite sum is 0 or infinite
            failures[key] = str(error)
    timed = {key: function for key, function in timed.items() if key in rows}
    per_draw = {key: [] for key in timed}
    for _ in range(settings["rounds"]):
        for key, function in timed.items():
            per_draw[key].append(seconds(function, rows[key]) / rows[key] * 1e9)
    base = np.array(per_draw["floor", "vector"])
    table = []
    for (method, stage), times in per_draw.items():
        ratios = np.array(times) / base
        table.append(
            {
                "experiment": "sampling",
                "law": law_name,
                "method": method,
                "stage": stage,
                "dim": dim,
                "kappa": kappa,
                "n": rows[method, stage],
                "metric": "time_per_draw",
                "unit": "ns",
                "value": np.median(times),
                "low": np.min(times),
                "high": np.max(times),
                "ratio_to_floor": np.min(times) / np.min(base),
                "ratio_low": np.min(ratios),
                "ratio_high": np.max(ratios),
                "repetitions": len(times),
                "status": "timed",
            }
        )
    cell = {"experiment": "sampling", "law": law_name, "dim": dim, "kappa": kappa}
    table += [
        cell | {"method": method, "stage": stage, "status": f"cannot be run: {error}"}
        for (method, stage), error in failures.items()
    ]
    return table


def time_sampling(settings, progress=None):
    """The whole benchmark.

    Parameters
    ----------
    settings : dict
        ``sampling`` of the configuration.
    progress : study.job.Progress, optional

    Returns
    -------
    pandas.DataFrame
    """
    rng = np.random.default_rng(1)  # the draws are thrown away
    rows = []
    cells = [
        (law, dim, kappa) for law in LAWS for dim in settings["dimensions"] for kappa in settings["kappas"]
    ]
    for done, (law, dim, kappa) in enumerate(cells, start=1):
        rows += time_cell(law, dim, kappa, settings, rng)
        if progress:
            progress.update(done)
    return pd.DataFrame(rows)


def compared(table):
    """The ratios a reader asks for: ours to the peers', cell by cell.

    Returns
    -------
    pandas.DataFrame
        Columns law, stage, dim, kappa, ours, peer, times_faster: how many times more the peer needs.
    """
    keys = ["law", "stage", "dim", "kappa"]
    ours = table[table["method"].str.startswith("dirpriv")]
    peers = table[table["method"].isin(["Algorithm 1", "SciPy"])]
    pairs = ours.merge(peers, on=keys, suffixes=("", "_peer"))
    pairs["times_faster"] = pairs["low_peer"] / pairs["low"]
    names = {"method": "ours", "method_peer": "peer"}
    return pairs.rename(columns=names)[[*keys, "ours", "peer", "times_faster"]].sort_values([*keys, "ours"])


if __name__ == "__main__":
    with job(snakemake):
        settings = snakemake.params.settings
        total = len(LAWS) * len(settings["dimensions"]) * len(settings["kappas"])
        table = time_sampling(settings, Progress("timing of samplers", total))
        write_csv(table, snakemake.output.table)
        write_csv(compared(table), snakemake.output.compared)
