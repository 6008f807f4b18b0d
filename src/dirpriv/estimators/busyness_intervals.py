"""Intervals of the hours of a place that hold for any people, by bets on products of two scores of each report.

A score is unbiased for a window if its mean over the noise is the weight of the window, from every input. The score of
the time less q, times the score of the place, is unbiased for the product of both weights, and people of the place have
the mean 0 of it where q is the share of their hours. A fair bet pays 1 less λ times it: docs/mathematics.md, “Hours of
a place”.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import special

from dirpriv import geometry
from dirpriv._lib.types import Array
from dirpriv.distributions.planar_laplace import PlanarLaplace
from dirpriv.distributions.shared.base import CellNoise
from dirpriv.estimators.circle_noise_bounds import ERROR, circle_noise
from dirpriv.estimators.place_intervals import Scores, SoftDistrict
from dirpriv.estimators.place_supports import MARGIN, PlaceSupport, mean_noise, soft_bins

_ODDS = np.log(special.binom(7, np.arange(8)) / 2.0**7)[:, None, None]  # of each λ
_SHARES = np.linspace(0.0, 0.75, 751)  # that are tried: no weight of a soft bin is larger


def intervals(
    support: PlaceSupport, reports: tuple[Array, Array, Array], noises: tuple[Any, Any], bins: int, error: float
) -> Array:
    """Ends (2 × places × soft bins) of shares of the hours of a place, each interval wrong with at most this error.

    ``reports`` are angles, positions and how many there are of each.
    """
    angles, positions, numbers = reports
    ends = np.full((2, len(support.places), bins), np.nan)
    hours, parts = _hour_scores(noises[0], bins)
    times = np.minimum((np.mod(angles / geometry.TURN, 1.0) * parts).astype(np.intp), parts - 1)
    for place, scores, of_reports, even in _place_scores(support, positions, noises[1]):
        # sums over all reports of powers of the scores of the place (columns) times powers of those of each bin
        of_parts = [np.bincount(times, numbers * of_reports**power, parts) for power in range(1, 5)]
        sums = np.stack([hours.values**power @ np.transpose(of_parts) for power in range(5)])
        ends[:, place] = _ends(sums, hours, scores, numbers.sum() * even, numbers.sum(), error)
    return ends


def usual_width(noises: tuple[Any, Any], side: float, bins: int, people: float, error: float) -> float:
    """Width of such an interval that is to be expected, of this many people in a district who are even everywhere."""
    hours, _ = _hour_scores(noises[0], bins)
    district = SoftDistrict(noises[1], side)
    (scores,), unit = district.scores(), district.unit
    powers = np.array([(scores.values**power).sum() * (unit / side) ** 2 for power in range(1, 5)])
    sums = np.stack([np.outer((hours.values**power).mean(axis=1), people * powers) for power in range(5)])
    total = people * (1.0 + 2.0 * MARGIN * mean_noise(noises[1]) / side) ** 2
    low, high = _ends(sums, hours, scores, people * float(powers[1]), total, error)
    return float(np.mean(high - low))


def _ends(sums: Array, hours: Scores, scores: Scores, squares: float, total: float, error: float) -> Array:
    """Ends (2 × bins) by these sums, from the mean square of scores of even people that sets the λ."""
    moments = [
        sum(math.comb(j, r) * sums[r][:, j - 1, None] * (-_SHARES) ** (j - r) for r in range(j + 1))
        for j in range(1, 5)
    ]
    odds = math.log(2.0 / error)
    rates = 2.0 ** np.arange(-3, 5) * math.sqrt(2.0 * odds / (squares * hours.values.var()))
    largest = max(hours.values.max(), _SHARES[-1] - hours.values.min()) * np.abs(scores.values).max()
    # for λ times a score of a ≤ 1/2, log(1 - a) is at least -a - a²/2 - a³/3 - .43 a⁴
    rates = np.minimum(rates, 0.5 / largest)[:, None, None]
    falls = rates**2 / 2.0 * moments[1] + 0.43 * rates**4 * moments[3] + rates * total * (hours.error + scores.error)
    tilts = rates * moments[0] + rates**3 / 3.0 * moments[2]
    # each product is concave in the share, so it is at least that at one end of a step
    steps = [np.minimum(of[..., 1:], of[..., :-1]) for of in (tilts - falls, -tilts - falls)]
    paid = [special.logsumexp(of + _ODDS, axis=0) for of in steps]
    possible = [(of < odds) | (of == of.min(axis=1, keepdims=True)) for of in paid]
    first, last = possible[0].argmax(axis=1), len(_SHARES) - 1 - possible[1][:, ::-1].argmax(axis=1)
    return np.sort(_SHARES[[first, last]], axis=0)


def _hour_scores(distribution: Any, bins: int) -> tuple[Scores, int]:
    """Of each soft bin (rows), for the parts of the circle, and how many these are."""
    noise = circle_noise(distribution)
    parts = noise.parts
    weights = soft_bins(np.arange(parts) + 0.5 * (noise.slack is None), parts, bins)
    transfer = np.conj(np.fft.rfft(noise.arcs))

    def means(values: Array) -> Array:
        return np.fft.irfft(np.fft.rfft(values) * transfer, parts)

    values = np.fft.irfft(np.fft.rfft(weights) * np.conj(transfer) / (np.abs(transfer) ** 2 + 1e-15), parts)
    error = np.abs(means(values) - weights).max() + ERROR * np.abs(values).max()
    if noise.slack is not None:  # between two points
        error += noise.slack * means(np.abs(values - np.roll(values, 1, axis=1))).max() + 0.25 * (bins / parts) ** 2
    return Scores(values, float(error)), parts


def _place_scores(support: PlaceSupport, positions: Array, noise: Any) -> Iterator[tuple[int, Scores, Array, float]]:
    """Of each place asked for: its number, scores, those of the reports, and their mean square for even people."""
    if support.places.ndim == 1:
        (transitions,), ((items, _),) = support.spectrum(1), support.parts
        inverse = np.linalg.pinv(transitions)
        off = np.abs(transitions @ inverse - np.eye(len(inverse))).max(axis=0) + ERROR * np.abs(inverse).max()
        for item, values in enumerate(inverse.T):
            yield item, Scores(values, off[item]), values[items], float(transitions.mean(axis=0) @ values**2)
    elif support.side and isinstance(noise, CellNoise | PlanarLaplace):
        district = SoftDistrict(noise, support.side)
        (scores,) = district.scores()
        squares = float((scores.values**2).sum()) * (district.unit / support.side) ** 2
        for place in np.flatnonzero(support.asked):
            east, north = map(district.index, positions.T, support.places[place])
            even = squares * float(support.soft[:, place].mean())
            yield int(place), scores, scores.values[east, north], even
