"""Estimates with 95 % intervals, and rows of tidy tables for them."""

import itertools
from dataclasses import dataclass

import numpy as np
import scipy  # SciPy imports its submodules at their first use

from dirpriv.guarantees import audit
from study.simulation.quadrature import nodes_and_weights

PILOT = 400  # repetitions for planning the number of repetitions
Z95 = 1.959963984540054  # 97.5 % quantile of the normal distribution


@dataclass(frozen=True)
class Estimate:
    """An estimate with its standard error, or nan, and its 95 % interval: the normal one, or that given."""

    value: float
    standard_error: float = np.nan
    repetitions: int = 1
    interval: tuple[float, float] | None = None

    @property
    def low(self):
        """Lower end of the 95 % interval."""
        return self.interval[0] if self.interval else self.value - Z95 * self.standard_error

    @property
    def high(self):
        """Upper end of the 95 % interval."""
        return self.interval[1] if self.interval else self.value + Z95 * self.standard_error


def mean_of_draws(draws):
    """The mean of independent draws; nan for no draws, without a standard error for one draw."""
    value = float(draws.mean()) if draws.size else np.nan
    error = float(draws.std(ddof=1) / np.sqrt(draws.size)) if draws.size > 1 else np.nan
    return Estimate(value, error, draws.size)


def mean_of_cdf(cdf, panels=64):
    """Mean angle of a distribution by the integral of its survival function over [0, π]; a jump needs many panels."""
    nodes, weights = nodes_and_weights()
    theta = ((np.arange(panels)[:, None] + nodes) * (np.pi / panels)).ravel()
    # added in one order on every processor; BLAS has an order for each
    return float((np.tile(weights, panels) * (1.0 - cdf(theta))).sum() * np.pi / panels)


def integrated(density, angles, epsabs=1e-14):
    """CDF at ascending ``angles`` from 0, as integrals of a density by ``scipy.integrate.quad``."""
    parts = [
        scipy.integrate.quad(density, low, high, epsabs=epsabs, epsrel=1e-12, limit=200)[0]
        for low, high in itertools.pairwise(angles)
    ]
    return np.concatenate([[0.0], np.cumsum(parts)])


def share_of_draws(count, draws):
    """The share of an event seen in ``count`` of ``draws`` independent draws; nan for no draws."""
    if not draws:
        return Estimate(np.nan, repetitions=0)
    share = count / draws
    low, high = map(float, audit.share_interval(count, draws))
    return Estimate(share, np.sqrt(share * (1.0 - share) / draws), draws, (low, high))


def quantile_of_draws(ordered, share):
    """A quantile of draws in ascending order; its interval lies between two draws and holds for any distribution."""
    half = Z95 * np.sqrt(len(ordered) * share * (1.0 - share))
    ranks = np.array([np.floor(len(ordered) * share - half), np.ceil(len(ordered) * share + half)])
    low, high = ordered[np.clip(ranks, 0, len(ordered) - 1).astype(int)].tolist()
    return Estimate(float(np.quantile(ordered, share)), repetitions=len(ordered), interval=(low, high))


def density_of_draws(drawn, edges, widths, **probabilities):
    """Density of draws in bins: columns value, low, high, and those of distributions by their CDFs at the ``edges``.

    ``widths`` are the widths of the bins on the scale of the density, which may be
    logarithmic.
    """
    count, _ = np.histogram(drawn, edges)
    low, high = audit.share_interval(count, len(drawn))
    shares = {"value": count / len(drawn), "low": low, "high": high}
    shares |= {name: np.diff(cumulative) for name, cumulative in probabilities.items()}
    return {name: share / widths for name, share in shares.items()}


def histogram_of_angles(degrees, bins, **cdfs):
    """Columns of a histogram of drawn angles, per degree, and those of distributions by their CDFs of radians."""
    edges = np.linspace(0.0, 180.0, bins + 1)
    probabilities = {name: cdf(np.deg2rad(edges)) for name, cdf in cdfs.items()}
    density = density_of_draws(degrees, edges, edges[1] - edges[0], **probabilities)
    return {"angle": 0.5 * (edges[1:] + edges[:-1]), "metric": "density", "unit": "1/deg", **density}


def simulated_mean(draw, block_repetitions, half_width, most_repetitions, pilot=PILOT):
    """Mean of simulated errors with a 95 % interval of the wanted width, or wider if the budget runs out.

    ``draw(block, repetitions)`` gives the errors of one block, the same in every call. ``half_width`` is
    relative to the mean. At least one block and at least two repetitions are drawn; ``pilot`` of them plan
    the number of the others, and all of them whether more are needed.
    """
    block_repetitions = max(1, block_repetitions)
    most_blocks = -(-max(2, int(most_repetitions)) // block_repetitions)
    blocks = -(-max(2, min(pilot, int(most_repetitions))) // block_repetitions)
    errors = []
    while len(errors) < blocks:
        errors += [draw(block, block_repetitions) for block in range(len(errors), blocks)]
        drawn = np.concatenate(errors)
        wanted = (Z95 * drawn.std(ddof=1) / (half_width * drawn.mean())) ** 2
        blocks = min(int(np.ceil(wanted / block_repetitions)), most_blocks)
    return mean_of_draws(drawn)


def tidy_row(experiment, estimate, scale=1.0, /, **columns):
    """One row of a tidy table; the numbers of the estimate, times ``scale``, follow metric and unit."""
    numbers = {name: getattr(estimate, name) * scale for name in ("value", "standard_error", "low", "high")}
    names = list(columns)
    before = names[: 1 + max(names.index("metric"), names.index("unit"))]
    return {"experiment": experiment} | {name: columns[name] for name in before} | numbers | columns


def grid(settings):
    """The numbers of a section with ``lowest``, ``highest`` and ``points``, evenly spaced by logarithm."""
    return np.geomspace(settings["lowest"], settings["highest"], settings["points"])
