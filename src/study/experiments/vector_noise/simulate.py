"""Laplace noise for vectors, right and wrong: radius, privacy loss, and error of a private mean (the note).

The mechanisms: ``vector_laplace`` has the gamma radius that belongs to the density ∝ exp(-λ‖z‖) in R^d;
``sum_of_exponentials`` is the same as the note draws it; ``exponential_radius`` is the trap, the same
direction with an exponential radius. Lengths are in units of 1/λ where privacy is concerned: two inputs at
the distance Δ are claimed to be ε = λΔ apart. Besides the dimensions of the configuration there is always
the line, d = 1, where all mechanisms are the same.
"""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy import special, stats

from dirpriv.distributions import VectorLaplace
from dirpriv.guarantees import audit
from study.experiments.vector_noise import losses as radial_losses
from study.experiments.vector_noise import printed_formulas
from study.papers.directions import exponential_radius_rvs
from study.simulation import estimates, seeding
from study.simulation.estimates import Estimate, mean_of_draws, tidy_row
from study.simulation.mean_errors import BLOCK_NUMBERS
from study.workflow.job import job, with_progress, write_csv, write_tables

LINE = 1  # the dimension with which the note begins
MECHANISMS = ("vector_laplace", "sum_of_exponentials", "exponential_radius")


def noise(mechanism, dim, rate, size, rng):
    """Noise vectors around the origin, shape (size, dim)."""
    if mechanism == "vector_laplace":
        return VectorLaplace(dim, rate).rvs(np.zeros(dim), size, rng=rng)
    if mechanism == "exponential_radius":
        return exponential_radius_rvs(dim, rate, size, rng=rng)
    radius, normals = rng.standard_exponential((size, dim)).sum(axis=1), rng.standard_normal((size, dim))
    return normals * (radius / rate / np.linalg.norm(normals, axis=1))[:, None]


def shape_of(mechanism, dim):
    """Shape of the gamma distribution that the radius has."""
    return 1 if mechanism == "exponential_radius" else dim


def loss(vectors, distance, power):
    """Radius and loss of noise exp(-r) / r^``power`` against an input at ``distance`` on the first axis."""
    squares, along = np.einsum("ij,ij->i", vectors, vectors), vectors[:, 0]
    radius = np.sqrt(squares)
    other = np.sqrt(np.maximum(squares + distance * (distance - 2.0 * along), 0.0))
    # r' - r, which would lose digits far out; less than Δ by a term that rounding keeps at 0 or above
    value = distance - 2.0 * distance * ((radius + along) / (radius + distance + other))
    if power:
        value = value + power * np.log(other / radius)
    return radius, value


def draw_losses(mechanism, dim, settings, seed):
    """Radii and privacy losses of ``draws`` noise vectors, drawn in blocks."""
    step, draws = max(1, BLOCK_NUMBERS // dim), settings["draws"]
    radius, losses = np.empty(draws), np.empty(draws)
    power = dim - shape_of(mechanism, dim)
    for block, start in enumerate(range(0, draws, step)):
        size = min(step, draws - start)
        rng = seeding.generator(seed, "vector_noise", "loss", mechanism, dim, block)
        vectors = noise(mechanism, dim, 1.0, size, rng)
        values = loss(vectors, settings["epsilon"], power)
        radius[start : start + size], losses[start : start + size] = values
    return radius, losses


def distance_to_erlang(radius, mechanism, dim, settings):
    """A row: largest difference of the CDFs of drawn radii and Erlang(d, 1), with its DKW interval."""
    distance = stats.kstest(radius, VectorLaplace(dim, 1.0).radius_cdf, method="asymp").statistic
    half = np.sqrt(np.log(2.0 / 0.05) / (2.0 * len(radius)))
    estimate = Estimate(distance, interval=(max(0.0, distance - half), distance + half))
    at = np.linspace(0.0, special.gammainccinv(dim, 1e-9), 10_001)
    expected = np.abs(special.gammainc(shape_of(mechanism, dim), at) - special.gammainc(dim, at)).max()
    return tidy_row(
        "vector_noise", estimate, mechanism=mechanism, dim=dim, epsilon=settings["epsilon"], kappa=1.0,
        n=len(radius), metric="distance_to_erlang", unit="1", expected=expected,
    )  # fmt: skip


def radii(radius, mechanism, dim, settings):
    """Density of ln(λr), drawn and by the distribution; ``radius`` is the middle of the bin by logarithm."""
    edges = np.geomspace(settings["smallest_radius"], 2.0 * special.gammainccinv(dim, 1e-3), settings["bins"])
    expected = special.gammainc(shape_of(mechanism, dim), edges)
    density = estimates.density_of_draws(radius, edges, np.diff(np.log(edges)), expected=expected)
    return pd.DataFrame(dict(
        experiment="vector_noise", mechanism=mechanism, dim=dim, n=len(radius),
        radius=np.sqrt(edges[1:] * edges[:-1]), metric="density_of_log_radius", unit="1", **density,
    ))  # fmt: skip


def exceedances(losses, mechanism, dim, settings):
    """Share of the outputs whose privacy loss is above each of the levels, drawn and by the integral."""
    levels = np.geomspace(*settings["loss_range"], settings["loss_points"])
    levels = settings["epsilon"] * np.union1d(levels, 1.0)
    count = len(losses) - np.searchsorted(np.sort(losses), levels, side="right")
    low, high = audit.share_interval(count, len(losses))
    shape = shape_of(mechanism, dim)
    expected = [radial_losses.exceedance(level, dim, shape, settings["epsilon"]) for level in levels]
    return pd.DataFrame(dict(
        experiment="vector_noise", mechanism=mechanism, dim=dim, epsilon=settings["epsilon"], n=len(losses),
        level=levels, metric="share_above_level", unit="1", value=count / len(losses), low=low, high=high,
        expected=expected,
    ))  # fmt: skip


def loss_rows(losses, mechanism, dim, settings):
    """Metrics of the losses of one mechanism, a row for each.

    ``delta`` is the smallest δ of (ε, δ)-privacy at the claimed ε: the mean of (1 - e^(ε - L))₊ over the
    outputs. If no draw lost more than ε, its interval is that of the share of draws that did.
    """
    epsilon, shape, ordered = settings["epsilon"], shape_of(mechanism, dim), np.sort(losses)
    count, draws = int((losses > epsilon).sum()), len(losses)
    error = np.sqrt(count * (draws - count) / draws**3)
    share = replace(estimates.share_of_draws(count, draws), standard_error=error)
    delta = mean_of_draws(np.maximum(0.0, -np.expm1(np.minimum(0.0, epsilon - losses))))
    if not count:
        delta = replace(delta, interval=(0.0, share.high))
    metrics = [
        ("delta", "1", delta, radial_losses.delta(epsilon, dim, shape, epsilon)),
        ("share_above_epsilon", "1", share, radial_losses.exceedance(epsilon, dim, shape, epsilon)),
        ("largest_loss", "nat", Estimate(float(losses.max())), epsilon if shape == dim else np.inf),
    ]
    for part in settings["probabilities"]:
        expected = radial_losses.quantile(part, dim, shape, epsilon)
        metrics.append((f"loss_quantile_{part:g}", "nat", estimates.quantile_of_draws(ordered, part), expected))
    cell = dict(mechanism=mechanism, dim=dim, epsilon=epsilon, kappa=1.0, n=draws)
    return [
        tidy_row("vector_noise", estimate, **cell, metric=metric, unit=unit, expected=expected)
        for metric, unit, estimate, expected in metrics
    ]


def mean_errors(settings, seed):
    """Error of the private mean of n vectors in [0, 1]^d, λ = nε/√d: d/λ, and 1/λ of the wrong radius."""
    repetitions = settings["repetitions"]
    for dim, people in itertools.product([LINE, *settings["dimensions"]], settings["people_grid"]):
        data = seeding.generator(seed, "vector_noise", "people", dim, people).random((people, dim))
        mean = data.mean(axis=0)
        for mechanism, epsilon in itertools.product(MECHANISMS, settings["epsilons"]):
            rate = people * epsilon / np.sqrt(dim)
            rng = seeding.generator(seed, "vector_noise", "mean", mechanism, dim, people, epsilon)
            private = mean + noise(mechanism, dim, rate, repetitions, rng)
            error = mean_of_draws(np.linalg.norm(private - mean, axis=1))
            yield tidy_row(
                "vector_noise", error, mechanism=mechanism, dim=dim, epsilon=epsilon, kappa=rate, n=people,
                metric="mean_error", unit="side of the cube", expected=shape_of(mechanism, dim) / rate,
                repetitions=repetitions,
            )  # fmt: skip


def simulate(settings, seed):
    """Tables of metrics, of shares above levels and of radii, of all mechanisms in every dimension."""
    rows, curves, densities = [], [], []
    cells = [(mechanism, dim) for dim in [LINE, *settings["dimensions"]] for mechanism in MECHANISMS]
    for mechanism, dim in with_progress("vector noise", cells):
        radius, losses = draw_losses(mechanism, dim, settings, seed)
        rows += loss_rows(losses, mechanism, dim, settings)
        rows.append(distance_to_erlang(radius, mechanism, dim, settings))
        curves.append(exceedances(losses, mechanism, dim, settings))
        densities.append(radii(radius, mechanism, dim, settings))
    return pd.DataFrame(rows), pd.concat(curves), pd.concat(densities)


if __name__ == "__main__":
    with job(snakemake):
        settings, seed, output = snakemake.params.settings, snakemake.params.seed, snakemake.output
        rng = seeding.generator(seed, "vector_noise", "forms")
        forms = [printed_formulas.compare(dim, rng) for dim in [LINE, *settings["dimensions"]]]
        summary, curves, densities = simulate(settings, seed)
        write_tables(output, summary=summary, losses=curves, radii=densities, forms=pd.concat(forms))
        write_csv(mean_errors(settings, seed), output.means)
