"""Densities from counts of noisy reports: expectation-maximisation under a prior of smooth densities.

The logarithm of the density is a sum of basis functions whose coefficients have normal priors, with variances
that follow from one number, the width. The estimate at a width is the posterior mode. The evidence chooses
the width and the family of priors: the probability of the counts, with the coefficients integrated out by
Laplace's approximation. A last step of expectation-maximisation gives the expected shares of the people who
did report: an estimate of a flat density would ignore what precise reports say about them.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import gammaincc

from dirpriv._lib.types import Array


class Model(NamedTuple):
    """A width, and what follows from it."""

    width: float
    precision: Array  # of the coefficient of each basis function: 1 over its prior variance
    log_odds: float  # logarithm of the prior probability


class Prior(NamedTuple):
    """Prior of the logarithm of a density."""

    basis: Array  # functions at the cells: cell × function
    families: list[list[Model]]  # each from its largest width on; in the first, the precision is ∝ width²
    flat_log_odds: float  # of the flat density; -inf: it is not considered, inf: nothing else is


class Fit(NamedTuple):
    """Estimate at one width."""

    density: Array  # share of each cell in the population
    information: Array  # inverse of the covariance of the coefficients
    log_evidence: float

    @property
    def covariance(self) -> Array:
        """Of the coefficients. Few fits are asked for theirs."""
        return np.asarray(np.linalg.inv(self.information))


class Shares(NamedTuple):
    """Estimated shares of bins among the people who reported."""

    density: Array  # of the population, a share for each cell
    shares: Array
    errors: Array
    width: float  # inf: flat


def estimate(counts: Array, transitions: Array, prior: Prior, bins: Array) -> Shares:
    """Choose the width, or the flat density, and estimate the shares of bins with their standard errors.

    ``transitions`` has a row of probabilities of reports for each cell; ``bins`` is 1 where a cell is in one.
    """
    flat = np.full(len(transitions), 1.0 / len(transitions))
    evidence = float(counts @ np.log(_report_masses(flat, transitions)))
    widths, fits = [np.inf], [Fit(flat, np.zeros((0, 0)), evidence)]
    scores = [evidence + min(prior.flat_log_odds, 0.0)]
    for family in prior.families if prior.flat_log_odds < np.inf else ():
        start, best = np.zeros(prior.basis.shape[1]), -np.inf
        for model in family:
            start, fit = maximise(counts, transitions, prior.basis, model.precision, start)
            widths.append(float(model.width))
            fits.append(fit)
            scores.append(fit.log_evidence + model.log_odds)
            best = max(best, scores[-1])
            if scores[-1] < best - 30.0:  # nats: narrower widths are not tried any more
                break
    weights, chosen = choice(scores)
    shares, variance = _respondent_shares(counts, transitions, fits[chosen], prior.basis, bins)
    variance *= weights[chosen]
    for number in np.flatnonzero(weights > 1e-4):
        if number != chosen:
            others, own = _respondent_shares(counts, transitions, fits[number], prior.basis, bins)
            variance += weights[number] * (own + (others - shares) ** 2)
    # smoothing flattens peaks, which its own variance does not show: at half the width it shows
    widest = prior.families[0][0]
    precision = widest.precision * (min(widths[chosen], widest.width) / 2.0 / widest.width) ** 2
    _, rough = maximise(counts, transitions, prior.basis, precision, np.zeros(precision.size))
    others, own = _respondent_shares(counts, transitions, rough, prior.basis, bins)
    variance = np.maximum(variance, own + (others - shares) ** 2)
    return Shares(fits[chosen].density, shares, np.sqrt(variance), widths[chosen])


def together(parts: list[tuple[float, Shares]]) -> Shares:
    """The shares among the people of several releases, each with its part of them."""
    return Shares(
        np.sum([weight * part.density for weight, part in parts], axis=0),
        np.sum([weight * part.shares for weight, part in parts], axis=0),
        np.sqrt(np.sum([(weight * part.errors) ** 2 for weight, part in parts], axis=0)),
        min(part.width for _, part in parts),
    )


def choice(scores: list[float]) -> tuple[Array, int]:
    """Probabilities of the candidates from their log posterior probabilities, and the one to take."""
    weights = np.exp(np.array(scores) - max(scores))
    weights /= weights.sum()  # the first, the flat density, wins against all widths without information
    return weights, 0 if weights[0] > 0.5 - 1e-9 else 1 + int(np.argmax(weights[1:]))


def flatness_p_value(counts: Array, masses: Array, slopes: Array) -> float:
    """p-value of the hypothesis that the people are spread evenly, by the slope of the evidence there.

    Under it, that is nearly a chi-square of the same first three moments (Pearson 1959). ``seen`` has the
    probabilities of the reports under it, ``slopes`` their change with each coefficient, times its prior
    deviation and any common factor.
    """
    statistic = float(np.sum((slopes.T @ (counts / masses)) ** 2))
    spread = counts.sum() * (slopes.T / masses) @ slopes
    squared = spread @ spread
    one, two, three = np.trace(spread), np.trace(squared), np.sum(squared * spread)
    if one <= 1e-12 * counts.sum():  # the reports hold no information
        return 1.0
    degrees = two**3 / three**2
    at = (statistic - one) * np.sqrt(degrees / two) + degrees
    return float(gammaincc(degrees / 2.0, max(at, 0.0) / 2.0))


def flat_p_value(counts: Array, transitions: Array, prior: Prior) -> float:
    masses = _report_masses(np.full(len(transitions), 1.0 / len(transitions)), transitions)
    deviations = prior.families[0][0].precision ** -0.5
    slopes = (prior.basis - prior.basis.mean(axis=0)) * (deviations / deviations.max() / len(transitions))
    return flatness_p_value(counts, masses, transitions.T @ slopes)


def maximise(counts: Array, transitions: Array, basis: Array, precision: Array, start: Array) -> tuple[Array, Fit]:
    """Posterior mode of the coefficients under their precisions, by Fisher scoring with halved steps."""
    total = counts.sum()

    def value(coefficients: Array) -> tuple[float, Array, Array]:
        density = normalised(basis @ coefficients)
        masses = _report_masses(density, transitions)
        return float(counts @ np.log(masses) - 0.5 * precision @ coefficients**2), density, masses

    at = start
    now, density, masses = value(at)
    for _ in range(200):  # 5 to 15 are usual
        slopes = transitions.T @ (density[:, None] * (basis - density @ basis))
        information = total * (slopes.T / masses) @ slopes
        rise = slopes.T @ (counts / masses) - precision * at
        move = np.linalg.solve(information + np.diag(precision), rise)
        gain = float(move @ rise)
        if gain < 1e-6:  # nats
            break
        size, after = 1.0, value(at + move)
        while after[0] < now + 1e-4 * size * gain and size > 1e-8:
            size /= 2.0
            after = value(at + size * move)
        if after[0] <= now:  # rounding, at a mode that is known to the last digit
            break
        at, (now, density, masses) = at + size * move, after
    posterior = information + np.diag(precision)
    root = np.sqrt(precision)
    log_volume = np.linalg.slogdet(np.eye(len(at)) + information / np.outer(root, root))[1]
    return at, Fit(density, posterior, now - 0.5 * float(log_volume))


def _report_masses(density: Array, transitions: Array) -> Array:
    """Probabilities of the reports; where there are none, anything positive will do."""
    return np.maximum(density @ transitions, np.finfo(float).tiny)


def normalised(log_density: Array) -> Array:
    density = np.exp(log_density - log_density.max())
    return density / density.sum()


def _respondent_shares(counts: Array, transitions: Array, fit: Fit, basis: Array, bins: Array) -> tuple[Array, Array]:
    """Expected shares of bins among the people who reported, and their variances."""
    density, total = fit.density, counts.sum()
    masses = _report_masses(density, transitions)
    lifted = transitions @ (counts / (total * masses))
    chances = (bins * density[:, None]).T @ transitions / masses  # of each bin, for each report
    shares = bins.T @ (density * lifted)
    variances = (chances * (1.0 - chances)) @ counts / total**2
    if fit.information.size:
        slopes = density[:, None] * (basis - density @ basis)
        seen_slopes = transitions.T @ slopes
        moved_reports = transitions @ (seen_slopes * (counts / (total * masses) / masses)[:, None])
        moved = bins.T @ (slopes * lifted[:, None] - density[:, None] * moved_reports)
        variances = variances + np.einsum("bi,ij,bj->b", moved, fit.covariance, moved)
    return shares, np.maximum(variances, 0.0)
