"""Laplace noise for vectors, right and wrong: radius, privacy loss, and error of a private mean (the note).

The two mechanisms: ``vector_laplace`` has the gamma radius that belongs to the density ∝ exp(-λ‖z‖) in R^d;
``exponential_radius`` is the trap, the same direction with an exponential radius. Lengths are in units of
1/λ where privacy is concerned: two inputs at the distance Δ are claimed to be ε = λΔ apart.
"""

import numpy as np
import pandas as pd
from scipy import special

from dirpriv import seeding
from dirpriv.laws import VectorLaplace
from dirpriv.laws.published import exponential_radius_rvs
from study.core import intervals
from study.core.job import Progress, job, write_csv
from study.core.mean_errors import BLOCK_NUMBERS, Z95
from study.experiments.vector_noise import losses as vector_losses

MECHANISMS = ("vector_laplace", "exponential_radius")


def noise(mechanism, dim, rate, size, rng):
    """Noise vectors around the origin, shape (size, dim)."""
    if mechanism == "vector_laplace":
        return VectorLaplace(dim, rate).rvs(np.zeros(dim), size, rng=rng)
    return exponential_radius_rvs(dim, rate, size, rng=rng)


def shape_of(mechanism, dim):
    """Shape of the gamma law that the radius has."""
    return dim if mechanism == "vector_laplace" else 1


def loss(vectors, distance, power):
    """Privacy loss of outputs against the input at ``distance`` along the first axis.

    Parameters
    ----------
    vectors : ndarray, shape (size, dim)
        Noise of the rate 1.
    distance : float
    power : int
        Of the radius in the density exp(-r) / r^power.

    Returns
    -------
    radius, loss : ndarray, shape (size,)
    """
    squares = np.einsum("ij,ij->i", vectors, vectors)
    step = distance * (distance - 2.0 * vectors[:, 0])  # r'² - r²
    radius = np.sqrt(squares)
    other = np.sqrt(np.maximum(squares + step, 0.0))
    value = step / (radius + other)  # r' - r, which would lose digits far out
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
        found = loss(vectors, settings["epsilon"], power)
        radius[start : start + size], losses[start : start + size] = found
    return radius, losses


def radii(radius, mechanism, dim, settings):
    """Density of the radius, drawn in bins and by the law.

    Returns
    -------
    pandas.DataFrame
        Columns experiment, mechanism, dim, n, radius (the middle of the bin by logarithm), metric, unit,
        value, low, high, expected. The density is that of ln(λr): over a logarithmic axis its areas are
        shares.
    """
    edges = np.geomspace(settings["smallest_radius"], 2.0 * special.gammainccinv(dim, 1e-3), settings["bins"])
    probabilities = special.gammainc(shape_of(mechanism, dim), edges)
    return pd.DataFrame(
        {
            "experiment": "vector_noise",
            "mechanism": mechanism,
            "dim": dim,
            "n": len(radius),
            "radius": np.sqrt(edges[1:] * edges[:-1]),
            "metric": "density_of_log_radius",
            "unit": "1",
            **intervals.of_density(radius, edges, np.diff(np.log(edges)), probabilities),
        }
    )


def exceedances(losses, mechanism, dim, settings):
    """Share of the outputs whose privacy loss is above each of the levels, drawn and by the integral."""
    levels = np.geomspace(*settings["loss_range"], settings["loss_points"])
    levels = settings["epsilon"] * np.union1d(levels, 1.0)
    count = len(losses) - np.searchsorted(np.sort(losses), levels, side="right")
    low, high = intervals.of_share(count, len(losses))
    shape = shape_of(mechanism, dim)
    expected = [vector_losses.exceedance(level, dim, shape, settings["epsilon"]) for level in levels]
    return pd.DataFrame(
        {
            "experiment": "vector_noise",
            "mechanism": mechanism,
            "dim": dim,
            "epsilon": settings["epsilon"],
            "n": len(losses),
            "level": levels,
            "metric": "share_above_level",
            "unit": "1",
            "value": count / len(losses),
            "low": low,
            "high": high,
            "expected": expected,
        }
    )


def loss_rows(losses, mechanism, dim, settings):
    """What the losses of one mechanism say, a row for each metric.

    ``delta`` is the smallest δ of (ε, δ)-privacy at the claimed ε: the mean of (1 - e^(ε - L))₊ over the
    outputs. Where no draw lost more than ε its interval is that of the share that did.
    """
    epsilon, shape, draws = settings["epsilon"], shape_of(mechanism, dim), len(losses)
    cell = {"experiment": "vector_noise", "mechanism": mechanism, "dim": dim, "epsilon": epsilon}
    cell |= {"kappa": 1.0, "n": draws}

    count = int((losses > epsilon).sum())
    low, high = (float(end) for end in intervals.of_share(count, draws))
    excess = np.maximum(0.0, -np.expm1(np.minimum(0.0, epsilon - losses)))
    value, error = float(excess.mean()), float(excess.std(ddof=1) / np.sqrt(draws))
    ends = (value - Z95 * error, value + Z95 * error) if count else (0.0, high)
    rows = [
        cell
        | {
            "metric": "delta",
            "unit": "1",
            "value": value,
            "standard_error": error,
            "low": ends[0],
            "high": ends[1],
            "expected": vector_losses.delta(epsilon, dim, shape, epsilon),
        },
        cell
        | {
            "metric": "share_above_epsilon",
            "unit": "1",
            "value": count / draws,
            "standard_error": np.sqrt(count * (draws - count) / draws**3),
            "low": low,
            "high": high,
            "expected": vector_losses.exceedance(epsilon, dim, shape, epsilon),
        },
        cell
        | {
            "metric": "largest_loss",
            "unit": "nat",
            "value": float(losses.max()),
            "expected": epsilon if shape == dim else np.inf,
        },
    ]
    ordered = np.sort(losses)
    for share in settings["probabilities"]:
        low, high = intervals.of_quantile(ordered, share)
        rows.append(
            cell
            | {
                "metric": f"loss_quantile_{share:g}",
                "unit": "nat",
                "value": float(np.quantile(ordered, share)),
                "low": low,
                "high": high,
                "expected": vector_losses.quantile(share, dim, shape, epsilon),
            }
        )
    return rows


def mean_errors(settings, seed):
    """Error of the private mean of n vectors in [0, 1]^d: the length of the noise on it, λ = nε/√d.

    Returns
    -------
    pandas.DataFrame
        A row for each mechanism, dimension, ε and n; ``expected`` is d/λ, and 1/λ of the wrong radius.
    """
    rows = []
    repetitions = settings["repetitions"]
    for dim in settings["dimensions"]:
        for people in settings["people_grid"]:
            data = seeding.generator(seed, "vector_noise", "people", dim, people).random((people, dim))
            mean = data.mean(axis=0)
            for mechanism in MECHANISMS:
                for epsilon in settings["epsilons"]:
                    rate = people * epsilon / np.sqrt(dim)
                    cell = ("vector_noise", "mean", mechanism, dim, people, epsilon)
                    private = mean + noise(mechanism, dim, rate, repetitions, seeding.generator(seed, *cell))
                    errors = np.linalg.norm(private - mean, axis=1)
                    value, error = errors.mean(), errors.std(ddof=1) / np.sqrt(repetitions)
                    rows.append(
                        {
                            "experiment": "vector_noise",
                            "mechanism": mechanism,
                            "dim": dim,
                            "epsilon": epsilon,
                            "kappa": rate,
                            "n": people,
                            "metric": "mean_error",
                            "unit": "side of the cube",
                            "value": value,
                            "standard_error": error,
                            "low": value - Z95 * error,
                            "high": value + Z95 * error,
                            "expected": shape_of(mechanism, dim) / rate,
                            "repetitions": repetitions,
                        }
                    )
    return pd.DataFrame(rows)


def simulate(settings, seed, progress=None):
    """Radii and privacy losses of both mechanisms in every dimension.

    Parameters
    ----------
    settings : dict
        ``vector_noise`` of the configuration.
    seed : int
    progress : study.core.job.Progress, optional

    Returns
    -------
    summary, curves, densities : pandas.DataFrame
        Of :func:`loss_rows`, :func:`exceedances` and :func:`radii`.
    """
    rows, curves, densities = [], [], []
    cells = [(mechanism, dim) for dim in settings["dimensions"] for mechanism in MECHANISMS]
    for done, (mechanism, dim) in enumerate(cells, start=1):
        radius, losses = draw_losses(mechanism, dim, settings, seed)
        rows += loss_rows(losses, mechanism, dim, settings)
        curves.append(exceedances(losses, mechanism, dim, settings))
        densities.append(radii(radius, mechanism, dim, settings))
        if progress:
            progress.update(done)
    return pd.DataFrame(rows), pd.concat(curves), pd.concat(densities)


if __name__ == "__main__":
    with job(snakemake):
        settings, seed, output = snakemake.params.settings, snakemake.params.seed, snakemake.output
        total = len(settings["dimensions"]) * len(MECHANISMS)
        summary, curves, densities = simulate(settings, seed, Progress("vector noise", total))
        write_csv(summary, output.summary)
        write_csv(curves, output.losses)
        write_csv(densities, output.radii)
        write_csv(mean_errors(settings, seed), output.means)
