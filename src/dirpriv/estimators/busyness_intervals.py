"""Intervals of the hours of a place that hold for any people, by bets on products of two scores of each report.

A score is unbiased for a window if its mean over the noise is the weight of the window, from every input. The score of
the time less q, times the score of the place, is unbiased for the product of both weights, and people of the place have
the mean 0 of it where q is the share of their hours. A fair bet pays 1 less λ times it: docs/mathematics.md, “Hours of
a place”.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import fft, special

from dirpriv import geometry
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array
from dirpriv.distributions.planar_laplace import PlanarLaplace
from dirpriv.distributions.shared.base import CellNoise
from dirpriv.estimators.circle_noise_bounds import ERROR, circle_noise
from dirpriv.estimators.place_supports import MARGIN, PlaceSupport, mean_noise, soft_bins, spline

_RATES = 2.0 ** np.arange(-3, 5)  # λ, in units of the best for even people
_ODDS = np.log(special.binom(7, np.arange(8)) / 2.0**7)[:, None, None]  # of each λ
_SHARES = np.linspace(0.0, 0.75, 751)  # that are tried: no weight of a soft bin is larger
_LARGEST, _FOURTH = 0.5, 0.43  # of λ times a score: then log(1 - a) is at least -a - a²/2 - a³/3 - .43 a⁴
_REACH = 8.0  # mean noises around a window in which reports have a score
_UNITS, _STEPS = 512, 9  # on each side at most, and to each
_FINE = 150.0, 80.0  # steps of a continuous distribution to a district, and to a mean noise
_OFF = 1e-3  # cells by which a report may be off the middle of one
_DEEPEST, _ROWS = 45.0, 1500  # nats of a table whose sum is known


class Scores(NamedTuple):
    """Scores of classes of reports, and the largest error of their means over all inputs."""

    values: Array
    error: float


def intervals(
    support: PlaceSupport,
    angles: Array,
    positions: Array,
    numbers: Array,
    noises: tuple[Any, Any],
    bins: int,
    error: float,
) -> Array:
    """Ends (2 × places × soft bins) of shares of the hours of a place, each interval wrong with at most this error."""
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
    scores, unit = _district_scores(noises[1], side)
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
    rates = _RATES * math.sqrt(2.0 * odds / (squares * hours.values.var()))
    largest = max(hours.values.max(), _SHARES[-1] - hours.values.min()) * np.abs(scores.values).max()
    rates = np.minimum(rates, _LARGEST / largest)[:, None, None]
    falls = rates**2 / 2.0 * moments[1] + _FOURTH * rates**4 * moments[3] + rates * total * (hours.error + scores.error)
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
        scores, unit = _district_scores(noise, support.side)
        reach, cell = len(scores.values) // 2, getattr(noise, "cell_size", 0.0)
        if cell and (np.abs((at := (positions - positions[0]) / cell) - np.rint(at)) > _OFF).any():
            hint = "take the cells of the release, times the side of one, less the place in the same frame"
            raise InvalidArgument("positions", f"must be a whole number of cells of {cell:.6g} apart", hint=hint)
        squares = float((scores.values**2).sum()) * (unit / support.side) ** 2
        for place in np.flatnonzero(support.asked):
            away = positions - support.places[place]
            if cell:  # the middle of a soft district is that of a cell
                away -= away[0] - np.rint(away[0] / cell) * cell
            index = np.clip(np.rint(away / unit).astype(np.intp), -reach, reach) + reach
            even = squares * float(support.soft[:, place].mean())
            yield int(place), scores, scores.values[index[:, 0], index[:, 1]], even


def _district_scores(noise: Any, side: float) -> tuple[Scores, float]:
    """Of a soft district, by the offset of a report from its middle in units, and the unit; on the border they are 0.

    A unit has one step or several. Means are looked at from inputs at every step: the cells of a release.
    """
    mean = mean_noise(noise)
    half, is_release = 1.5 * side + _REACH * mean, isinstance(noise, CellNoise)
    step = noise.cell_size if is_release else max(min(side / _FINE[0], mean / _FINE[1]), half / _UNITS / 5.0)
    steps = 1 + 2 * math.ceil(min(max(half / _UNITS / step - 1.0, 0.0), _STEPS - 1.0) / 2.0)
    count, fall = min(math.ceil(half / (steps * step)), _UNITS), noise.kappa * step
    at = np.arange(max((count + 1) * steps, min(math.ceil(_DEEPEST / fall), _ROWS)))
    table = np.exp(-fall * np.hypot(at[:, None], at)) * np.outer(*[np.where(at, 1.0, 0.5)] * 2)
    table = table.cumsum(axis=0).cumsum(axis=1)
    is_summed = _DEEPEST <= _ROWS * fall  # else the sum is 2π/fall², to a share of fall³/20
    table /= 4.0 * table[-1, -1] if is_summed else 2.0 * np.pi / fall**2
    away = np.arange(1 - count, count)
    size = [fft.next_fast_len(2 * away.size, real=True)] * 2

    def transfer(*offsets: int) -> Any:
        """Of means over the noise from inputs that are some steps from the middle of a unit."""
        ends = [np.arange(-count, count) * steps + steps // 2 - of for of in offsets]
        sums = table[np.ix_(*[np.where(end < 0, -1 - end, end) for end in ends])]
        sums = sums * np.outer(*[np.where(end < 0, -1.0, 1.0) for end in ends])
        moves = np.pad(np.diff(np.diff(sums, axis=0), axis=1), (0, size[0] - away.size))
        return fft.rfft2(np.roll(moves, 1 - count, axis=(0, 1))).conj()

    def window(*offsets: int) -> Array:
        weights = np.outer(*[spline((away * steps + of) * (step / side)) for of in offsets])
        return np.pad(weights, (0, size[0] - away.size))

    middle, values = transfer(0, 0).real, np.zeros(size)
    inside = np.s_[: away.size, : away.size]
    values[inside] = fft.irfft2(fft.rfft2(window(0, 0)) / np.maximum(middle, 1e-12), size)[inside]
    spectrum = fft.rfft2(values)
    offsets = [(one, other) for one in range(steps // 2 + 1) for other in range(one + 1)]  # the others mirror these
    error = max(np.abs(fft.irfft2(spectrum * transfer(*pair), size) - window(*pair)).max() for pair in offsets)
    off = abs(1.0 - middle[0, 0]) + (0.0 if is_summed else fall**3 / 20.0) + ERROR
    if not is_release:  # cells in place of a density, and inputs between two steps
        turned, changes = math.expm1(fall), fft.rfft2(np.abs(np.diff(values, axis=0, append=0.0)))
        slack = 0.25 * turned / steps * math.exp(2.0 * steps * turned)
        error += slack * fft.irfft2(changes * middle, size).max() + 0.375 * (step / side) ** 2
        off += 0.35 * fall**2 * math.exp(fall)
    error = error + off * np.ptp(values) if (count - 1) * steps * step > 1.5 * side else 1.0
    return Scores(np.pad(values[inside], 1), float(error)), steps * step
