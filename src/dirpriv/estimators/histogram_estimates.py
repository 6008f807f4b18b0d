"""Histograms of times, and shares before times, from private reports, by the distribution of their noise."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dirpriv import geometry
from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._lib.types import Array
from dirpriv.distributions.protocols import AngularNoise
from dirpriv.estimators import betting_intervals, circle_noise_bounds, shared
from dirpriv.estimators.circle_density import TYPICAL_WIDTH, CircleFit, divided, fitted
from dirpriv.estimators.circle_noise_bounds import Arc

_MOST_BINS = 1440
_MOST_DISTRIBUTION_FREE = 168  # bins, or thresholds


@dataclass(frozen=True)
class HistogramEstimate(shared.EstimatedShares):
    """Histogram of the people who reported, from their private reports.

    Attributes
    ----------
    edges : ndarray, shape (bins + 1,)
        Borders of the bins in radians, from 0 to 2π.
    shares, low, high : ndarray, shape (bins,)
        Estimated share of the people in each bin, which add up to 1; the ends of its interval. An estimate
        may lie outside: see :attr:`outside`.
    blur : float
        Width of the two moving averages that make bins soft, in radians; 0 for hard edges.
    intervals, simultaneous : str and bool
        ``"distribution-free"``: the intervals hold for every day; ``"smooth"``: for a smooth one only. Whether all of
        them hold at once, or each on its own.
    width : float
        Radians: over this angle, the logarithm of the density changes or bends by about 1. A smaller width
        shows finer details. ``inf`` stands for a flat density.
    flat_p_value, warning, count, confidence : float, str, int and float
        P-value of the hypothesis that the people are spread evenly; what the reader of the estimate must
        know, empty if there is nothing; number of reports; confidence of the intervals.
    density : ndarray, shape (cells,)
        Estimated density per radian of the population from which the people come, in cells of equal width.
    """

    density: Array
    blur: float = field(default=0.0, kw_only=True)


@dataclass(frozen=True)
class CumulativeEstimate:
    """Intervals of the shares of people before angles, from an origin on.

    Attributes
    ----------
    origin, thresholds : float, and ndarray, shape (count,)
        Where the turn begins, in radians, and radians from there on.
    low, high : ndarray, shape (count,)
        Interval of the share of the people from the origin to before each threshold. With a tolerance: at least ``low``
        are before the threshold plus the tolerance, and at most ``high`` before the threshold minus it.
    count, confidence, tolerance : int and float
        Number of reports; confidence of each interval, and of each interval of a quantile; the tolerance in radians.
    """

    origin: float
    thresholds: Array
    low: Array
    high: Array
    count: int
    confidence: float
    tolerance: float = 0.0

    def quantile(self, share: float = 0.5) -> tuple[float, float]:
        """Interval of a quantile of the people who reported, in radians from the origin on.

        At most this share of the people is before a quantile, and at least this share is not after it. The lower end is
        the last of the thresholds up to which all have intervals below the share; the upper end is the first from which
        on all have intervals above it. An end is wrong only if the interval of the next threshold beyond the quantile
        is, which no report has chosen. So thresholds need no more confidence, however many they are.

        Parameters
        ----------
        share : float
            Between 0 and 1: 0.5 is the median.
        """
        share = validate.share("share", share)
        early = int(np.argmin(np.append(self.high < share, False)))
        late = int(np.argmin(np.append(self.low[::-1] > share, False)))
        ends = np.concatenate([[0.0], self.thresholds, [geometry.TURN]])
        low, high = ends[early] - self.tolerance, ends[len(ends) - 1 - late] + self.tolerance
        return max(float(low), 0.0), min(float(high), geometry.TURN)


@np.errstate(under="ignore")
def estimate_histogram(
    angles: ArrayLike | Sequence[ArrayLike],
    distribution: AngularNoise | Sequence[AngularNoise],
    *,
    bins: int = 24,
    width: float | None = None,
    typical_width: float | None = None,
    weights: ArrayLike | Sequence[ArrayLike] | None = None,
    confidence: float = 0.95,
    edges: Literal["hard", "soft"] = "hard",
    intervals: Literal["distribution-free", "smooth"] = "distribution-free",
    simultaneous: bool = False,
) -> HistogramEstimate:
    """Estimate a histogram of people's angles from their private reports, with an interval for each bin.

    **The intervals hold for every day**, and for every number of reports: the share of the people who reported in a bin
    lies within its interval with at least the probability ``confidence``, over the noise (proof and simulations:
    docs/mathematics.md, “Shares through windows”). Nothing is assumed of the times, only the distribution and that the
    noise of each report is drawn on its own. Several reports of one person count as several people. Leave copies of a
    report out. Each interval holds for one bin; with ``simultaneous``, all hold at once, and are wider.

    **Hard edges have wide intervals**, whatever the method: noise of two hours hides whether a person came at 8:59 or
    9:01. With ``edges="soft"`` each person counts in three bins, with weights that fall smoothly and add up to 1: the
    quadratic B-spline of :func:`estimate_density_band`, which reaches one bin beyond both edges. The same reports
    answer this 4 to 28 times as sharply (8 bins, levels from 1 on, 3000 reports or more), for every day. Times count as
    the middles of the cells of a release.

    The logarithm of the density is a random function: its waves of frequency k have normal coefficients with the
    standard deviation 1/(w √(π k³)), or 1/(w² √(π k⁵)) for a smoother day. So it changes, or departs from a straight
    line, by about 1 over the angle w, the width. The density is the mode of the posterior (EM under a penalty of
    roughness [1]_ [2]_), and the shares are expected ones of the people who reported. Unless it is given, the width is
    chosen by the evidence: the probability of the reports for each width and smoothness, and for a flat density. It
    does not depend on ``bins``, up to 96 of them. Where few reports of much noise cannot show it, its prior decides:
    ``typical_width`` (a quarter more for the smoother day), within a factor of 1.6 (one standard deviation).

    **With** ``intervals="smooth"`` **the intervals assume a smooth day.** They are narrower, and do not hold
    for other days: noise hides sharp peaks and jumps, and the estimate flattens them and raises what lies
    between, mostly without a warning, however many reports there are. Of the 95 % intervals of 24 bins, from
    3000 reports of :class:`dirpriv.mechanisms.PurkayasthaMechanism` within 3 hours, this part held the true
    share (means of 8 runs, ``benchmarks/measure_reports.py coverage``):

    =============================================  =======  ======  =======
    day                                            ε = 0.1  ε = 1   ε = 10
    =============================================  =======  ======  =======
    smooth (von Mises, κ = 1)                      90 %     100 %   99 %
    office hours, evenly from 9:00 to 17:00        85 %     78 %    91 %
    two peaks with a deviation of 6 minutes        0 %      75 %    100 %
    two of 9 minutes, 2.5 hours apart              70 %     71 %    100 %
    timetable, every 20 minutes from 6:00          67 %     77 %    87 %
    three clock times                              35 %     47 %    90 %
    =============================================  =======  ======  =======

    Their lower limit of a bin without people is often above 0. There is a warning if the distribution moves more than
    half of the people by more than 5 typical widths, and more than half of them out of their bin.

    Parameters
    ----------
    angles : array_like
        The reports in radians, within [-2π, 4π].
    distribution : object, or list of them
        The distribution of the noise on the circle, see :func:`bin_transitions`; for cells of a release, the
        distribution of its table (``release.noise``). Of several releases, lists of distributions, ``angles`` and
        ``weights``, with an item for each: shares are of the people of all releases, and the intervals of every day
        hold for every distribution (the same proof). The estimate is made for each distribution and averaged; reports
        with one distribution object are one release.
    bins : int, keyword-only
        Number of bins of equal width, at most 1440; bin 0 begins at angle 0.
    width : float, optional, keyword-only
        The width in radians, ``inf`` for a flat density; by default it is chosen.
    typical_width : float, optional, keyword-only
        The width in radians that is expected before the reports are seen; by default 1/20 of a turn, 1.2 hours of a day
        (of a week: ``2 * np.pi * 1.2 / 168``). Shapes of less than 1/96 of a turn are not shown, whatever the width.
    weights : array_like of int, optional, keyword-only
        Number of reports at each angle, for reports that are counted already: of a large file, give the middles of
        cells, as of a minute, and the counts. The noise of all of them is drawn on its own, also where they are equal.
    confidence : float, keyword-only
        Between 0 and 1.
    edges : {"hard", "soft"}, keyword-only
        Whether a person counts in one bin, or with weights in three.
    intervals : {"distribution-free", "smooth"}, keyword-only
        Intervals that hold for every day, of up to 168 bins, or for a smooth one only.
    simultaneous : bool, keyword-only
        Whether the intervals hold for all bins at once.

    Raises
    ------
    ValueError
        If there are fewer than two reports, one is not finite, or the distribution is not one on the circle. If the
        intervals are to hold for every day, and the distribution is not symmetric or the bins are more than 168.

    Warns
    -----
    UserWarning
        Where the reports cannot tell the day from a flat one at the error rate 5 %, or where the bins are too
        narrow for the distribution; the histogram has the same ``warning``. It also says where intervals that hold for
        every day are on average wider than three even shares. :func:`dirpriv.planner.sample_sizes` says how many people
        narrow them.

    References
    ----------
    .. [1] Green, P. J., "On use of the EM algorithm for penalized likelihood estimation", Journal of the
       Royal Statistical Society B 52 (1990) 443-452.
    .. [2] Efron, B., "Empirical Bayes deconvolution estimates", Biometrika 103 (2016) 1-20.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import estimators, geometry, mechanisms
    >>> mechanism, rng = mechanisms.PurkayasthaMechanism.within(2.0, np.pi / 4), np.random.default_rng(1)
    >>> hours = np.repeat([8.5, 19.5], [4000, 6000]) + rng.normal(0.0, 0.7, 10_000)
    >>> people = geometry.hours_to_angles(hours)
    >>> reports = mechanism.randomise_angles(people, rng=rng)
    >>> day = estimators.estimate_histogram(reports, mechanism.noise, bins=8)
    >>> (day.shares * 100).round().tolist()
    [0.0, 0.0, 31.0, 9.0, 0.0, 1.0, 57.0, 2.0]
    >>> (np.histogram(people, day.edges)[0] / 100).round().tolist()
    [0.0, 0.0, 31.0, 9.0, 0.0, 1.0, 58.0, 1.0]
    >>> (day.low * 100).round().tolist()
    [0.0, 0.0, 12.0, 0.0, 0.0, 0.0, 42.0, 0.0]
    >>> (day.high * 100).round().tolist()
    [1.0, 3.0, 41.0, 26.0, 1.0, 8.0, 61.0, 11.0]
    >>> soft = estimators.estimate_histogram(reports, mechanism.noise, bins=8, edges="soft")
    >>> (soft.low * 100).round().tolist()
    [0.0, 1.0, 23.0, 13.0, 0.0, 8.0, 41.0, 8.0]
    >>> (soft.high * 100).round().tolist()
    [1.0, 3.0, 25.0, 15.0, 1.0, 10.0, 43.0, 10.0]
    >>> smooth = estimators.estimate_histogram(reports, mechanism.noise, bins=8, intervals="smooth")
    >>> (smooth.high * 100).round().tolist()
    [0.0, 2.0, 35.0, 13.0, 0.0, 3.0, 60.0, 5.0]
    >>> day.warning
    ''
    """
    releases = shared.checked_releases("angles", angles, weights, distribution)
    bins = validate.integer("bins", bins, 1)
    validate.check_at_most("bins", bins, _MOST_BINS, f"{_MOST_BINS}, the minutes of a day", bins)
    confidence = validate.share("confidence", confidence)
    shared.checked_intervals(intervals, simultaneous, edges)
    if edges == "soft" and bins < 3:
        rule = "must be at least 3 where they are soft: one reaches over three of its width"
        raise InvalidArgument("bins", rule, got=bins, hint=f"take more, or {named('edges', 'hard')}")
    size = geometry.TURN / bins
    borders, arc = np.linspace(0.0, geometry.TURN, bins + 1), Arc(size, size * (edges == "soft"))
    if intervals != "smooth" and bins > _MOST_DISTRIBUTION_FREE:
        rule = f"must be at most {_MOST_DISTRIBUTION_FREE} for intervals that hold for every day"
        raise InvalidArgument("bins", rule, got=bins, hint="take fewer, or intervals='smooth', which has up to 1440")
    fit = fitted(releases, borders[:-1], arc, width, typical_width)
    reports = [] if intervals == "smooth" else divided(releases)
    most = min((of.noise.parts // 2 for of in reports), default=_MOST_BINS)
    if edges == "soft" and bins > most:
        raise InvalidArgument("bins", f"must be at most {most} soft ones, each of two cells of the release", got=bins)
    estimate, count = fit.estimate, int(sum(numbers.sum() for _, numbers, _ in releases))
    warning = shared.flat_warning(count, fit.p_value, "day")
    if not warning and edges == "hard":
        warning = _narrow_warning(fit, typical_width, intervals == "smooth")
    if intervals == "smooth":
        low, high = shared.smooth_ends(estimate, count, confidence)
    else:
        error = (1.0 - confidence) / bins**simultaneous
        low, high = (of[0] for of in circle_noise_bounds.window_ends(reports, borders[:-1], arc, [error]))
        instead = "fewer bins" if arc.blur else "soft edges"
        warning = shared.width_warning(low, high, warning, "a bin of a uniform day", instead)
    density = estimate.density * (len(estimate.density) / geometry.TURN)
    common = low, high, estimate.width, fit.p_value, warning, count, confidence, density
    how: dict[str, Any] = {"intervals": intervals, "simultaneous": simultaneous, "blur": arc.blur}
    return HistogramEstimate(borders, estimate.shares, *common, **how)


@np.errstate(under="ignore")
def estimate_cumulative(
    angles: ArrayLike | Sequence[ArrayLike],
    distribution: AngularNoise | Sequence[AngularNoise],
    *,
    thresholds: ArrayLike = 24,
    origin: float = 0.0,
    weights: ArrayLike | Sequence[ArrayLike] | None = None,
    confidence: float = 0.95,
    simultaneous: bool = False,
    tolerance: float = 0.0,
) -> CumulativeEstimate:
    """Intervals of the shares of people before angles, as “before 9:00”, from their private reports.

    They hold for every day, as the intervals of :func:`estimate_histogram` do. So do those of the quantiles that
    follow. With a tolerance they are of “by about 9:00”, and much narrower: 2 to 5 times at levels from 1 on, for 1.5
    hours.

    Parameters
    ----------
    angles, distribution : array_like and object, or lists of them
        The reports and the distribution of their noise, as for :func:`estimate_histogram`; symmetric about its mode.
    thresholds : int or array_like, keyword-only
        Radians from the origin on, between 0 and 2π and increasing, at most 168; or into how many equal parts
        they divide the turn. They must not be chosen by the reports.
    origin : float, keyword-only
        Where the turn begins, in radians from 0 to 2π: a day that ends at 4:00 begins there. It must not be
        chosen by the reports.
    weights, confidence : array_like of int and float, keyword-only
        As for :func:`estimate_histogram`.
    simultaneous : bool, keyword-only
        Whether the intervals of all shares hold at once. For a quantile this is not needed.
    tolerance : float, keyword-only
        Radians, from 0 to a quarter of a turn: see :class:`CumulativeEstimate`. It must not be chosen by the reports.
        The intervals are wide where many people are within two tolerances of the origin.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import estimators, geometry, mechanisms
    >>> mechanism, rng = mechanisms.PurkayasthaMechanism.within(2.0, np.pi / 4), np.random.default_rng(1)
    >>> people = geometry.hours_to_angles(rng.normal(10.0, 1.5, 10_000))
    >>> reports = mechanism.randomise_angles(people, rng=rng)
    >>> day = estimators.estimate_cumulative(reports, mechanism.noise, thresholds=8)
    >>> [round(float(end[3]), 2) for end in (day.low, day.high)]  # before 12:00, truly 0.91
    [0.78, 1.0]
    >>> [round(24.0 * end / (2.0 * np.pi)) for end in day.quantile(0.5)]  # hours; truly 10:00
    [9, 12]
    """
    releases = shared.checked_releases("angles", angles, weights, distribution)
    confidence, origin = validate.share("confidence", confidence), validate.nonnegative("origin", origin)
    if origin >= geometry.TURN:
        raise InvalidArgument("origin", "must be an angle from 0 to before 2π", got=origin)
    tolerance = validate.nonnegative("tolerance", tolerance)
    validate.check_at_most("tolerance", tolerance, geometry.TURN / 4.0, "a quarter of a turn", tolerance)
    at: Array = validate.reals("thresholds", thresholds)
    if at.ndim == 0:
        count = validate.integer("thresholds", thresholds, 2)
        at = np.linspace(0.0, geometry.TURN, count + 1)[1:-1]
    rising = at.ndim == 1 and at.size and np.all(np.diff(at, prepend=0.0, append=geometry.TURN) > 0.0)
    if not rising or at.size > _MOST_DISTRIBUTION_FREE:
        raise InvalidArgument("thresholds", f"must increase between 0 and 2π, and be at most {_MOST_DISTRIBUTION_FREE}")
    reports, halves = divided(releases), [(1.0 - confidence) / (at.size if simultaneous else 1) / 2.0]

    def end(begin: float, length: float, is_low: bool) -> float:
        """The lower end of the share in an arc, or the upper end."""
        arc, begins = Arc(max(length, 0.0), tolerance), np.mod([begin], geometry.TURN)
        ((_, around),) = circle_noise_bounds.windows([of.noise for of in reports], begins, arc)
        counted = [(window, of.around(window)) for window, of in zip(around, reports, strict=True)]
        weights = [1.0 - window.lowest if is_low else window.highest for window in around]
        high = float(betting_intervals.upper_ends(counted, weights, np.array(halves))[0, 0])
        return 1.0 - high if is_low else high

    # the largest weight is 1 up to the tolerance before the threshold, the least 0 from the tolerance after it
    low = [end(origin + tolerance, length - tolerance, True) if length > tolerance else 0.0 for length in at.tolist()]
    high = np.maximum([end(origin - tolerance, length + tolerance, False) for length in at.tolist()], low)
    count = int(sum(numbers.sum() for _, numbers, _ in releases))
    return CumulativeEstimate(origin, at, np.array(low), high, count, confidence, tolerance)


def _narrow_warning(fit: CircleFit, typical_width: float | None, smooth: bool) -> str:
    """What to say where noise hides whole peaks and bins are narrower than it, by the distribution alone."""
    cells, typical = len(fit.moves), TYPICAL_WIDTH if typical_width is None else typical_width
    steps = np.abs(np.arange(cells) - np.arange(cells)[:, None])
    near = np.minimum(steps, cells - steps) * (geometry.TURN / cells) <= 5.0 * typical
    if np.sum(fit.moves * near) >= 0.5 * cells or np.sum(fit.members * (fit.moves @ fit.members)) >= 0.5 * cells:
        return ""
    text = "the noise moves most people out of their bin, and much farther than the expected width of a peak. "
    text += f"The estimate flattens peaks and fills gaps{', and the intervals may not hold' * smooth}. "
    text += "Use fewer bins or a higher level"
    warnings.warn(text, UserWarning, stacklevel=4)  # whoever calls; np.errstate wraps us
    return text
