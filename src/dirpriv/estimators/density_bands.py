"""The density of angles through a stated blur, with bands, from private reports."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from dirpriv import geometry
from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._lib.types import Array, Mask
from dirpriv.distributions.protocols import AngularNoise
from dirpriv.estimators import betting_intervals, circle_noise_bounds, shared
from dirpriv.estimators.circle_density import Releases, divided, fitted
from dirpriv.estimators.circle_noise_bounds import Arc, CircleNoise

_ROUNDING = geometry.TURN / 48.0  # half an hour of a day
_LARGEST = geometry.TURN / 3.0
_BETWEEN = 3.0 / 8.0  # squares of a step in blurs: a weight bends by at most 1/h² upwards and 2/h² downwards


@dataclass(frozen=True)
class DensityBand:
    """Density of the people who reported, seen through a blur, from their private reports.

    Attributes
    ----------
    angles : ndarray, shape (count of angles,)
        Radians, evenly around the circle.
    density, low, high, low_everywhere, high_everywhere : ndarray
        Estimated density per radian at each angle; the interval of each; the band that holds at all angles at once,
        also between these, where it is the straight line.
    blur : float
        Width h of the moving average in radians. It is applied three times, so it reaches 3h/2 to each side.
    width, flat_p_value, warning, count, confidence
        As of :class:`HistogramEstimate`.
    """

    angles: Array
    density: Array
    low: Array
    high: Array
    low_everywhere: Array
    high_everywhere: Array
    blur: float
    width: float
    flat_p_value: float
    warning: str
    count: int
    confidence: float

    @property
    def outside(self) -> Mask:
        """Where the estimate lies outside of the band: trust the band there."""
        return np.asarray((self.density < self.low_everywhere) | (self.density > self.high_everywhere))

    @property
    def peaks(self) -> list[tuple[float, ...]]:
        """Peaks that the blurred density has for certain: each with an angle, and the ends of where its maximum lies.

        All together hold with the confidence. Between two of them, the band at all angles together is below a height
        that it is above in both. The angle is where the estimate is largest. There can be more peaks. A peak of a
        blurred density can lie where nobody came: crowds at 7:30 and 10:00 can show as one.
        """
        count = len(self.angles)
        order = np.arange(count + 1) + int(self.high_everywhere.argmin())  # from the lowest angle on, around the circle
        low, high = self.low_everywhere[order % count], self.high_everywhere[order % count]
        valleys, top = [0], -1  # -1: the density has not risen for certain since the last valley
        for at in range(1, count + 1):
            if top < 0:
                valleys[-1] = at if high[at] < high[valleys[-1]] else valleys[-1]
                top = at if low[at] > high[valleys[-1]] else -1
            elif high[at] < low[top]:
                valleys, top = [*valleys, at], -1
            elif low[at] > low[top]:
                top = at
        peaks = []
        for first, last in itertools.pairwise(valleys):
            inside = np.arange(first, last + 1)
            inside = inside[high[inside] >= low[inside].max()]
            best = inside[self.density[order[inside] % count].argmax()]
            of = best, max(inside[0] - 1, first), min(inside[-1] + 1, last)
            peaks.append(tuple(float(self.angles[order[at] % count]) for at in of))
        return peaks


@np.errstate(under="ignore")
def estimate_density_band(
    angles: ArrayLike | Sequence[ArrayLike],
    distribution: AngularNoise | Sequence[AngularNoise],
    *,
    blur: float | None = None,
    blurs: int = 1,
    rounding: float = _ROUNDING,
    typical_width: float | None = None,
    weights: ArrayLike | Sequence[ArrayLike] | None = None,
    confidence: float = 0.95,
) -> DensityBand:
    """Estimate the density of people's angles through a stated blur, with bands that hold for every day.

    Noise of two hours hides whether a person came at 8:59 or at 9:01. So intervals of bins with hard edges are wide,
    however many reports there are, and no better method can narrow them. Through a blur the same reports answer
    sharply: the width falls as 1/√N, for every day.

    What is estimated is the density of the people who reported, blurred by a moving average over ``blur``, three
    times: each person becomes a quadratic B-spline, which reaches 1.5 blurs to each side and has a standard deviation
    of half a blur. Its peaks are lower and wider than those of the people, and two that are nearer to each other than
    about 1.5 blurs can show as one. The proof is in docs/mathematics.md, “Shares through windows”.

    No error of the estimate is stated beside the band. Its standard error was 0.5 to 7 times the true one, over 12 days
    at levels of 1 and 3 (``benchmarks/measure_intervals.py errors``).

    Parameters
    ----------
    angles, distribution : array_like and object, or lists of them
        As for :func:`estimate_histogram`; the distribution is symmetric about its mode. Times count as the middles of
        the cells of a release.
    blur : float, optional, keyword-only
        Width of the moving average in radians, from two cells of a release, and 1/288 of a turn, to 1/3 of a turn. By
        default it follows from the numbers of reports and the noise alone: the smallest for which the band of people
        who are spread evenly is at most as wide as their density. It must not be chosen by what the reports show.
    blurs : int, keyword-only
        How many blurs are tried with these reports: the error is divided by it.
    rounding : float, keyword-only
        The blur of the default is a multiple of this number of radians, at least twice as large: half an hour of a day.
    typical_width, weights, confidence : float, array_like of int and float, keyword-only
        As for :func:`estimate_histogram`.

    Raises
    ------
    ValueError
        As of :func:`estimate_histogram`; if the blur is out of range, or no blur of up to a third of a turn is enough,
        with the number of people that would be.

    Warns
    -----
    UserWarning
        Where the reports cannot tell the day from a flat one at the error rate 5 %.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import estimators, geometry
    >>> from dirpriv.release import CircleRelease
    >>> release, rng = CircleRelease.within(1.0, "3h"), np.random.default_rng(1)
    >>> hours = np.repeat([8.5, 17.5], 2500) + rng.normal(0.0, 0.5, 5000)
    >>> moves = rng.choice(1440, p=np.asarray(release.noise.probabilities), size=5000)
    >>> reports = geometry.hours_to_angles(np.mod(hours + moves / 60.0, 24.0))
    >>> day = estimators.estimate_density_band(reports, release.noise)
    >>> round(day.blur / geometry.TURN * 24.0, 1), len(day.angles)
    (3.0, 48)
    >>> [round(at / geometry.TURN * 24.0, 1) for at, *_ in day.peaks]  # hours
    [8.5, 17.5]
    """
    group = _checked_group("angles", angles, distribution, weights)
    confidence = validate.share("confidence", confidence)
    error = (1.0 - confidence) / validate.integer("blurs", blurs, 1)
    return _band(group, _checked_blur(blur, [group], error, rounding), error, typical_width, confidence)


@dataclass(frozen=True)
class DensityDifference:
    """Density of the people of a second group less that of a first, seen through one blur.

    Attributes
    ----------
    angles : ndarray, shape (count of angles,)
        Radians, evenly around the circle.
    difference, low, high, low_everywhere, high_everywhere : ndarray
        Estimated difference per radian; the interval of each; the band that holds at all angles at once, also between.
    first, second : DensityBand
        Both groups through this blur.
    blur : float
        As of :class:`DensityBand`.
    """

    angles: Array
    difference: Array
    low: Array
    high: Array
    low_everywhere: Array
    high_everywhere: Array
    first: DensityBand
    second: DensityBand
    blur: float


@np.errstate(under="ignore")
def estimate_density_difference(
    first: ArrayLike | Sequence[ArrayLike],
    first_distribution: AngularNoise | Sequence[AngularNoise],
    second: ArrayLike | Sequence[ArrayLike],
    second_distribution: AngularNoise | Sequence[AngularNoise],
    *,
    blur: float | None = None,
    blurs: int = 1,
    rounding: float = _ROUNDING,
    typical_width: float | None = None,
    first_weights: ArrayLike | Sequence[ArrayLike] | None = None,
    second_weights: ArrayLike | Sequence[ArrayLike] | None = None,
    confidence: float = 0.95,
) -> DensityDifference:
    """Estimate where the angles of two groups differ, through a stated blur, with bands that hold for every day.

    The bets are on the reports of both groups together, whatever their noise. So the intervals are 0.68 to 0.8 times
    as wide as the difference of two intervals (docs/mathematics.md, “Shares through windows”).

    Parameters
    ----------
    first, first_distribution, second, second_distribution : array_like and object, or lists of them
        Both groups, each as for :func:`estimate_density_band`.
    blur : float, optional, keyword-only
        As there; by default the larger one of both groups.
    blurs, rounding, typical_width : int and float, keyword-only
        As for :func:`estimate_density_band`.
    first_weights, second_weights, confidence : array_like of int and float, keyword-only
        As for :func:`estimate_histogram`.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import estimators, geometry
    >>> from dirpriv.release import CircleRelease
    >>> release, rng = CircleRelease.within(3.0, "3h", cells=48), np.random.default_rng(1)
    >>> moves = rng.choice(48, p=np.asarray(release.noise.probabilities), size=(2, 3000))
    >>> hours = np.array([[8.0], [9.5]]) + rng.laplace(0.0, 1.0, (2, 3000)) + moves / 2.0
    >>> first, second = geometry.hours_to_angles(np.floor(np.mod(hours, 24.0) * 2.0) / 2.0 + 0.25)
    >>> days = estimators.estimate_density_difference(first, release.noise, second, release.noise)
    >>> later = days.angles[days.low_everywhere > 0.0] * 24.0 / geometry.TURN  # where there are more of the second
    >>> bool(later.min() > 8.75 and later.max() < 14.0)
    True
    """
    groups = [
        _checked_group("first", first, first_distribution, first_weights),
        _checked_group("second", second, second_distribution, second_weights),
    ]
    confidence = validate.share("confidence", confidence)
    error = (1.0 - confidence) / validate.integer("blurs", blurs, 1)
    blur = _checked_blur(blur, groups, error, rounding)
    one, other = (_band(group, blur, error, typical_width, confidence) for group in groups)
    noises, before = [noise for group in groups for noise in group.noises], len(groups[0].noises)
    at = np.asarray(np.arange(count := _count(noises, blur / 2.0)) * (geometry.TURN / count))  # as chords are worse
    reports = divided([of for group in groups for of in group.releases], noises)
    reports = reports[before:] + reports[:before]  # the second is first
    starts, errors = np.mod(at - blur / 2.0, geometry.TURN), [error, error / count]
    low, high = circle_noise_bounds.window_ends(reports, starts, Arc(blur, blur), errors, before)
    between = _BETWEEN * (geometry.TURN / count / blur) ** 2
    shown = [np.interp(at, of.angles, of.density, period=geometry.TURN) for of in (one, other)]
    ends = [end / blur for end in (low[0], high[0], low[1] - between, high[1] + between)]
    fields: Any = [at, shown[1] - shown[0], *ends, one, other, blur]
    return DensityDifference(*fields)


class _Group(NamedTuple):
    """Checked reports of each release, and its noise."""

    name: str
    releases: Releases
    noises: list[CircleNoise]

    @property
    def totals(self) -> list[float]:
        return [float(numbers.sum()) for _, numbers, _ in self.releases]


def _checked_group(name: str, angles: Any, distribution: Any, weights: Any) -> _Group:
    releases = shared.checked_releases(name, angles, weights, distribution)
    return _Group(name, releases, [circle_noise_bounds.circle_noise(of) for *_, of in releases])


def _checked_blur(blur: float | None, groups: Sequence[_Group], error: float, rounding: float) -> float:
    """One that was given, or the largest of those that the groups support."""
    if blur is None:
        rounding, blurs = validate.positive("rounding", rounding), list[Any]()
        for group in groups:
            blurs.append(_supported_blur(group.noises, group.totals, error, rounding))
            if blurs[-1] is None:
                raise _no_density(group, error, len(groups) > 1)
        return float(max(blurs))
    blur = validate.positive("blur", blur)
    least = max(geometry.TURN / 288.0, *(_two_cells(group.noises) for group in groups))
    if not least * (1.0 - 1e-9) <= blur <= _LARGEST * (1.0 + 1e-9):
        rule = f"must be from two cells, and 1/288 of a turn, to 1/3 of a turn: {least:.4g} to {_LARGEST:.4g}"
        raise InvalidArgument("blur", rule, got=blur)
    return blur


def _two_cells(noises: Sequence[CircleNoise]) -> float:
    """What a blur must at least be: it says nothing of less than the cells of a release."""
    return 2.0 * geometry.TURN / min(noise.parts for noise in noises)


def _band(group: _Group, blur: float, error: float, typical: float | None, confidence: float) -> DensityBand:
    _, releases, noises = group
    count = _count(noises, blur)
    at = np.asarray(np.arange(count) * (geometry.TURN / count))
    starts, errors = np.mod(at - blur / 2.0, geometry.TURN), [error, error / count]
    fit = fitted(releases, starts, Arc(blur, blur), None, typical)
    low, high = circle_noise_bounds.window_ends(divided(releases, noises), starts, Arc(blur, blur), errors)
    ends, count = (low[0], high[0], *_between(low[1], high[1], geometry.TURN / count / blur)), int(sum(group.totals))
    warning = shared.flat_warning(count, fit.p_value, "day", depth=5)
    shown = [values / blur for values in (fit.estimate.shares, *ends)]
    fields: Any = [at, *shown, blur, fit.estimate.width, fit.p_value, warning, count, confidence]
    return DensityBand(*fields)


def _count(noises: Sequence[CircleNoise], blur: float) -> int:
    """How many angles: enough for the blur, and if that can be, each a whole number of cells from the next."""
    least = math.ceil(6.0 * geometry.TURN / blur - 1e-9)  # six to a blur
    cells = math.gcd(*(noise.parts for noise in noises))
    return next((count for count in range(least, 2 * least) if cells % count == 0), least)


def _between(low: Array, high: Array, step: float) -> tuple[Array, Array]:
    """A band at angles so widened that straight lines between them hold. A step is a part of the blur.

    Between two angles, a weight bends by at most 1/h² upwards, and by 2/h² downwards where it is at least (1 - step)²/2
    at both. So it exceeds its chord by at most step²/(2 (1 - step)²) of it: docs/mathematics.md, “Between angles”.
    """
    return np.maximum(low - step**2 / 8.0, 0.0), high * (1.0 + 0.5 * (step / (1.0 - step)) ** 2)


def supports(noises: Sequence[CircleNoise], totals: Sequence[float], blur: float, error: float) -> bool:
    """Whether the band of these numbers of people, who are spread evenly, is at most as wide as their density."""
    around = circle_noise_bounds.one_window(noises, Arc(blur, blur))
    usual = betting_intervals.usual_reports(around, [window.even for window in around], totals)
    low, high = betting_intervals.ends(usual, [error / (count := _count(noises, blur))])
    low, high = _between(low, high, geometry.TURN / count / blur)
    return bool(np.mean(high - low) <= blur / geometry.TURN)


def _supported_blur(noises: list[CircleNoise], totals: list[float], error: float, rounding: float) -> float | None:
    """The smallest blur that these numbers of people support; None if none of up to a third of the turn is enough."""
    fewest = max(2, math.ceil(_two_cells(noises) / rounding - 1e-9))
    candidates = np.arange(fewest, math.floor(_LARGEST / rounding + 1e-9) + 1) * rounding
    return shared.first_enough(candidates.tolist(), lambda blur: supports(noises, totals, blur, error))


def _no_density(group: _Group, error: float, is_one_of_two: bool) -> InvalidArgument:
    """What is missing for a blur."""
    reports = f"the reports of {named(group.name)}" if is_one_of_two else "these reports"
    if _two_cells(group.noises) > _LARGEST:
        rule = "show no density: a blur has two cells of the release or more, and a third of the turn at most"
        return InvalidArgument(f"{reports} {rule}", hint="release at least 6 cells")
    total = sum(group.totals)

    def is_enough(people: int) -> bool:
        return supports(group.noises, [people / total * of for of in group.totals], _LARGEST, error)

    return shared.no_density(reports, "turn", is_enough, total)


def difference_power(noise: CircleNoise, people: int, groups: Array, blur: float, error: float) -> float:
    """How probably the band of a difference shows that two groups of this many people differ.

    ``groups`` are the shares (rows) of their people in each part. It is the probability at the time at which they
    differ most. There an end lies some way from the true difference. As it holds, its standard deviation is at
    most this way over the normal quantile of its error.
    """
    (window,), count = circle_noise_bounds.one_window([noise], Arc(blur, blur)), _count([noise], blur / 2.0)
    transforms = np.fft.rfft(groups) * np.conj(np.fft.rfft(window.lowest))
    apart = np.subtract(*np.fft.irfft(transforms, noise.parts))
    place = int(apart.argmax())
    chances = np.roll(groups, -place, axis=1) @ window.chances
    usual = betting_intervals.usual_reports([window] * 2, list(chances), [people] * 2)
    low = float(betting_intervals.ends(usual, [error / count], 1)[0][0, 0])
    shown = apart[place] - _BETWEEN * (geometry.TURN / count / blur) ** 2
    return float(ndtr(ndtri(1.0 - 0.5 * error / count) * (shown / max(apart[place] - low, 1e-300) - 1.0)))
