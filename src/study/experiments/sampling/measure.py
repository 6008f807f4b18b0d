"""Time per draw of our samplers, their peers and the floor, in one run (paper A, Section 4.1).

The ratio to the floor, measured in turn with it, is the result; nanoseconds are context. The floor is what
any sampler of directions does at least: as many normals as the vectors have coordinates, normalised. SciPy's
von Mises-Fisher is Ulrich-Wood's rejection too (Wood 1994), from n = 4 on, followed by a rotation matrix.
"""

import importlib.util
import itertools
import sys
import time
from functools import cache, partial
from unittest import mock

import numpy as np
import pandas as pd
from scipy import stats

from dirpriv.distributions import Purkayastha, VonMisesFisher
from study.experiments.sampling import comparators
from study.papers.directions import bisection_rvs as algorithm_1
from study.papers.directions import humbert_cdf
from study.simulation import timing
from study.workflow.job import job, with_progress, write_tables

DISTRIBUTIONS = {"purkayastha": Purkayastha, "von_mises_fisher": VonMisesFisher}
FIRST = 1 << 14  # draws of the first call of a method: with this many numbers, our distributions use numba
FEWEST = 3  # halvings of a call: the first is shorter or longer than others
BISECTIONS = ("Algorithm 1", "Kurz-Hanebeck", "Eq. 7 inverted", "SciPy's CDF inverted")


@cache
def distributions_without_numba():
    """Our distributions by name, from a second copy of the package, which finds no numba: NumPy makes all draws."""
    with mock.patch.dict(sys.modules, numba=None):
        for name in [name for name in sys.modules if name.split(".")[0] == "dirpriv"]:
            del sys.modules[name]
        package = importlib.import_module("dirpriv.distributions")
        distributions = {name: getattr(package, distribution.__name__) for name, distribution in DISTRIBUTIONS.items()}
        distributions["purkayastha"](2, 1.0).rvs([1.0, 0.0], FIRST)  # which looks for numba, once
    return distributions


def floor(out, rng):
    """Normals of the shape of the draws, normalised."""
    rng.standard_normal(out=out)
    out /= np.linalg.norm(out, axis=1, keepdims=True)


def methods(distribution_name, dim, kappa, settings, rng):
    """The timed functions: (method, stage) -> function of the number of draws.

    Stages: ``radial`` draws angles from the mode, ``vector`` unit vectors around it. The floor and ours
    write the vectors to an existing array, so that the time excludes the allocation of memory.
    """
    distribution, mu = distributions_without_numba()[distribution_name](dim, kappa), np.full(dim, 1.0 / np.sqrt(dim))
    mu /= np.linalg.norm(mu)
    space = np.zeros((most_rows(dim, settings), dim))

    def vectors(distribution):
        return lambda rows: distribution.rvs(mu, rows, rng=rng, out=space[:rows])

    timed = {
        ("floor", "vector"): lambda rows: floor(space[:rows], rng),
        ("dirpriv", "vector"): vectors(distribution),
        ("dirpriv", "radial"): lambda rows: distribution.angle_rvs(rows, rng=rng),
    }
    if importlib.util.find_spec("numba"):
        timed["dirpriv, compiled", "vector"] = vectors(DISTRIBUTIONS[distribution_name](dim, kappa))
    options = {"iterations": settings["bisection_iterations"], "rng": rng}
    if distribution_name == "purkayastha":
        timed["Algorithm 1", "radial"] = partial(algorithm_1, dim, kappa, **options)
        return timed
    timed["Ulrich-Wood", "radial"] = lambda rows: comparators.rejection_rvs(dim, kappa, rows, rng=rng)
    if dim == 3:  # the finite sum has one term, and an inverse
        timed["explicit inverse", "radial"] = lambda rows: comparators.sphere_inverse_rvs(kappa, rows, rng=rng)
    sphere, circle = partial(comparators.sphere_cdf, kappa=kappa), partial(comparators.circle_cdf, kappa=kappa)
    cdfs = {"SciPy's CDF inverted": circle} if dim == 2 else {}
    if dim % 2:
        cdfs["Kurz-Hanebeck"] = sphere if dim == 3 else partial(comparators.odd_cdf, distribution=distribution)
    elif dim <= settings["largest_dim_of_series"]:
        cdfs["Eq. 7 inverted"] = partial(humbert_cdf, dim=dim, kappa=kappa)
    timed |= {(method, "radial"): partial(comparators.bisection_rvs, cdf, **options) for method, cdf in cdfs.items()}
    if dim <= settings["largest_dim_of_scipy"]:
        peer = stats.vonmises_fisher(mu, kappa, seed=np.random.default_rng(1))
        timed[f"SciPy{', Ulrich-Wood' * (dim > 3)}", "vector"] = lambda rows: peer.rvs(rows)
    return timed


def most_rows(dim, settings):
    """Most draws in one call: as many as fit in the memory set aside."""
    return int(max(16, min(settings["most_rows"], settings["most_numbers"] // dim)))


def bisection_calls(function, method, settings):
    """Draws and halvings of a timed call of a bisection; no draws if all of its halvings are too slow.

    Bisections work on all draws of a call at once; few draws would make them look slow. One halving shows how
    long a call takes, in processor time, which other programs change little. Halvings are the same work, so
    that a few of them tell the time of all.
    """
    every, rows = settings["bisection_iterations"], settings["bisection_rows"]
    rows = min(settings["most_rows"], settings["series_rows"] if method == "Eq. 7 inverted" else rows)
    for count in (1, rows):
        halving = timing.seconds(partial(function, iterations=1), count, time.process_time)
        if halving * every > settings["longest_call"]:
            return 0, 0
    return rows, int(np.clip(settings["call_seconds"] / halving, min(FEWEST, every), every))


def time_cell(distribution_name, dim, kappa, settings, rng):
    """Rows of all methods and stages; those of a stage, but bisections, draw one number at once."""
    timed, rows, shares = methods(distribution_name, dim, kappa, settings, rng), {}, {}
    for stage, most in (("vector", most_rows(dim, settings)), ("radial", settings["most_rows"])):
        fast = [key for key in timed if key[1] == stage and key[0] not in BISECTIONS]
        functions = [timed[key] for key in fast]
        rows |= dict.fromkeys(fast, timing.rows_of_calls(functions, most, settings["call_seconds"], FIRST))
    calls = dict(timed)
    for key in (key for key in timed if key[0] in BISECTIONS):
        count, halvings = bisection_calls(timed[key], key[0], settings)
        if count:
            rows[key], shares[key] = count, halvings / settings["bisection_iterations"]
            calls[key] = partial(timed[key], iterations=halvings)
    limits = settings["rounds"], ("floor", "vector"), settings["repeat_seconds"]
    measured = timing.time_in_turn(calls, rows, *limits, shares)
    cell = {"experiment": "sampling", "distribution": distribution_name, "dim": dim, "kappa": kappa}
    too_slow = {"status": f"not timed: above {settings['longest_call']:g} s a call"}
    return [cell | dict(method=m, stage=s) | measured.get((m, s), too_slow) for m, s in timed]


def time_sampling(settings):
    """The whole benchmark; ``ratio_to_fastest`` is over the fastest method of a cell, the floor apart."""
    rng = np.random.default_rng(1)  # the draws are thrown away
    cells = itertools.product(DISTRIBUTIONS, settings["dimensions"], settings["kappas"])
    cells = with_progress("timing of samplers", cells)
    table = pd.DataFrame([row for cell in cells for row in time_cell(*cell, settings, rng)])
    least = table["low"].where(table["method"] != "floor")
    least = least.groupby([table[name] for name in ("distribution", "stage", "dim", "kappa")]).transform("min")
    return table.assign(ratio_to_fastest=table["low"] / least)


def compared(table):
    """How many times faster our samplers are than the peers, cell by cell."""
    keys = ["distribution", "stage", "dim", "kappa"]
    ours = table[table["method"].str.startswith("dirpriv")]
    peers = table[~table["method"].str.startswith(("dirpriv", "floor")) & (table["status"] == "timed")]
    pairs = ours.merge(peers, on=keys, suffixes=("", "_peer"))
    pairs["times_faster"] = pairs["low_peer"] / pairs["low"]
    names = {"method": "ours", "method_peer": "peer"}
    return pairs.rename(columns=names)[[*keys, "ours", "peer", "times_faster"]].sort_values([*keys, "ours"])


if __name__ == "__main__":
    with job(snakemake) as logger, timing.one_thread(logger):
        table = time_sampling(snakemake.params.settings)
        write_tables(snakemake.output, table=table, compared=compared(table))
