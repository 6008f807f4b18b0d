"""Estimates that need nothing but private reports and the law of their noise.

An analyst has the reports of people who randomised their times or places, and knows the law: that of the
mechanism (``mechanism.law``), or of the table of a release. All functions here are post-processing. They use
released data only, so they do not weaken the guarantee. They are deterministic: the same reports give the
same estimate.

Each estimate says how far it can be trusted. The mean has an interval, which is the whole circle where the
reports do not show a mean. The histogram has an interval for every bin, and a warning where the reports
cannot tell the day from a flat one.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import chndtr, chndtrinc, expit, logit, ndtri, stdtrit

from dirpriv import _validate, geometry
from dirpriv._protocols import AngularNoise, Law, SymmetricNoise
from dirpriv._types import Array
from dirpriv.estimators import _density, _plane_density
from dirpriv.estimators.histograms import _bin_index, bin_transitions
from dirpriv.estimators.means import symmetric
from dirpriv.laws._quadrature import NODES, WEIGHTS

_MOST_BINS = 1440
_FREQUENCIES = 48, 96  # of the logarithm of the density: waves of down to half an hour; of many bins, shorter
_TYPICAL_WIDTHS = {
    1.5: geometry.TURN / 20.0,
    2.5: geometry.TURN / 16.0,
}  # by order: 1.2 and 1.5 hours of a day
_WIDTH_SPREAD = np.log(1.6)  # standard deviation of the prior of the logarithm of the width
_PLACE_WIDTH_SPREAD = np.log(2.0)
_LEAST_CELLS, _MOST_CELLS = 32, 192  # of the grid on which the density of places is estimated
_FLAT_LEVEL = 0.05  # error rate of the warning


@dataclass(frozen=True)
class PrivateMean:
    """Mean direction of people, from their private reports.

    Attributes
    ----------
    angle : float
        Circular mean of the reports in radians, the estimate for the people.
    low, high : float
        Ends of the interval in radians in [0, 2π), from ``low`` counterclockwise to ``high``; 0 and 2π where
        it is the whole circle.
    whole_circle : bool
        Whether the interval is the whole circle: the reports do not show a mean.
    resultant : float
        Resultant length of the people in [0, 1]: 1 if all are at one angle, 0 if they have no mean.
    resultant_low, resultant_high : float
        Ends of its interval.
    p_value : float
        Of the Rayleigh test, see :func:`rayleigh_test`.
    count : int
        Number of reports.
    confidence : float
        Of both intervals, each on its own.
    """

    angle: float
    low: float
    high: float
    whole_circle: bool
    resultant: float
    resultant_low: float
    resultant_high: float
    p_value: float
    count: int
    confidence: float


@dataclass(frozen=True)
class TestResult:
    """Outcome of a test.

    Attributes
    ----------
    statistic : float
        The statistic.
    p_value : float
        Probability of a statistic at least as large if the hypothesis is true.
    """

    __test__ = False  # not a class of tests for pytest

    statistic: float
    p_value: float


@dataclass(frozen=True)
class PrivateHistogram:
    """Histogram of the people who reported, from their private reports.

    Attributes
    ----------
    edges : ndarray, shape (bins + 1,)
        Borders of the bins in radians, from 0 to 2π.
    shares : ndarray, shape (bins,)
        Estimated share of the people in each bin; they add up to 1.
    low, high : ndarray, shape (bins,)
        Interval of each share. Each bin is covered with the confidence, not all bins together. The bins of a
        smooth day are covered more often, those of a day with jumps, or with peaks narrower than the noise,
        less often (83 to 95 % instead of 95 %).
    density : ndarray, shape (cells,)
        Estimated density per radian of the population from which the people come, in cells of equal width.
    width : float
        Radians: over this angle, the logarithm of the density changes or bends by about 1. A smaller width
        shows finer details. ``inf`` stands for a flat density.
    flat_p_value : float
        Of the hypothesis that the people are spread evenly.
    warning : str
        What the reader of the estimate must know; empty if there is nothing.
    count : int
        Number of reports.
    confidence : float
        Of the intervals.
    """

    edges: Array
    shares: Array
    low: Array
    high: Array
    density: Array
    width: float
    flat_p_value: float
    warning: str
    count: int
    confidence: float


@dataclass(frozen=True)
class PrivatePlaceDensity:
    """Density of places in a square region, from private reports.

    Attributes
    ----------
    edges : ndarray, shape (cells + 1,)
        Borders of the cells along each axis, from -reach to reach, in the unit of the positions.
    shares : ndarray, shape (cells, cells)
        Estimated share of the people in each cell, by the first and the second coordinate; they add up to 1.
    low, high : ndarray, shape (cells, cells)
        Interval of each share. Each cell is covered with the confidence, not all cells together.
    width : float
        Over this distance, the logarithm of the density changes by about 1. ``inf``: flat.
    flat_p_value : float
        Of the hypothesis that the people are spread evenly over the region.
    warning : str
        What the reader of the estimate must know; empty if there is nothing.
    count : int
        Number of reports.
    confidence : float
        Of the intervals.
    """

    edges: Array
    shares: Array
    low: Array
    high: Array
    width: float
    flat_p_value: float
    warning: str
    count: int
    confidence: float


def private_mean(
    angles: ArrayLike, law: SymmetricNoise, *, weights: ArrayLike | None = None, confidence: float = 0.95
) -> PrivateMean:
    """Circular mean and resultant length of people from their private reports, with intervals.

    The noise is symmetric, so the reports have the mean direction of the people, and ρ times their resultant
    length, ρ = ``law.mean_cosine()``. The interval of the mean is Fisher's [1]_: the angles within arcsin(t
    σ) of the mean, σ the circular standard error and t the quantile of Student's law. It is the whole circle
    where the Rayleigh test at the same confidence does not reject that there is no mean, so that it covers
    also where the reports hold little information. The interval of the resultant length inverts the
    noncentral chi-square law of the squared length of the sum of the reports.

    Parameters
    ----------
    angles : array_like
        The reports in radians, within [-2π, 4π].
    law : dirpriv.laws.SymmetricLaw
        The law of the noise on the circle, symmetric about its mode.
    weights : array_like of int, optional, keyword-only
        Number of reports at each angle, for reports that are counted already.
    confidence : float, keyword-only
        Between 0 and 1.

    Returns
    -------
    PrivateMean
        The intervals are for the population from which the people come.

    Raises
    ------
    ValueError
        If there are fewer than two reports, one is not finite, or the law is uniform or not symmetric.

    References
    ----------
    .. [1] N. I. Fisher, "Statistical Analysis of Circular Data", Cambridge University Press 1993, Section
       4.4.4.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.estimators import private_mean
    >>> from dirpriv.geometry import angles_to_hours, hours_to_angles
    >>> from dirpriv.mechanisms import PurkayasthaMechanism
    >>> mechanism = PurkayasthaMechanism.within(level=1.0, radius=np.pi / 4)
    >>> people = hours_to_angles(np.tile([7.0, 8.0, 9.0], 1000))
    >>> reports = mechanism.randomise_angles(people, rng=np.random.default_rng(1))
    >>> mean = private_mean(reports, mechanism.law)
    >>> angles_to_hours([mean.low, mean.angle, mean.high]).round(2).tolist()
    [7.89, 8.02, 8.15]
    >>> round(mean.resultant_low, 2), round(mean.resultant_high, 2)
    (0.96, 1.0)
    >>> private_mean(np.linspace(0.0, 6.0, 50), mechanism.law).whole_circle
    True
    """
    angles, weights, rho = _symmetric_reports(angles, weights, law)
    confidence = _confidence(confidence)
    count, total, mean = _sums(angles, weights)
    length = abs(total)
    second = float(weights @ np.cos(2.0 * (angles - mean)) / count)
    p_value = _rayleigh_p_value(count, length)
    across = np.sqrt(max(1.0 - second, 0.0) / (2.0 * (count - 1.0)))
    sine = float(stdtrit(count - 1.0, 0.5 + confidence / 2.0)) * across / max(length, 1e-300)
    whole = p_value > 1.0 - confidence or sine >= 1.0
    half = np.pi if whole else float(np.arcsin(sine))
    low, high = (0.0, geometry.TURN) if whole else ((mean + side * half) % geometry.TURN for side in (-1, 1))
    variance = max((1.0 + second) / 2.0 - length**2, 0.0) / (count - 1.0)
    ends = _length_interval(length, variance, across**2, confidence)
    unbiased = np.sqrt(max(count * length**2 - 1.0, 0.0) / (count - 1.0))
    return PrivateMean(
        angle=mean,
        low=float(low),
        high=float(high),
        whole_circle=bool(whole),
        resultant=min(float(unbiased) / rho, 1.0),
        resultant_low=min(ends[0] / rho, 1.0),
        resultant_high=min(ends[1] / rho, 1.0),
        p_value=p_value,
        count=count,
        confidence=confidence,
    )


def rayleigh_test(angles: ArrayLike, law: SymmetricNoise, *, weights: ArrayLike | None = None) -> TestResult:
    """Rayleigh test of the hypothesis that people are spread evenly over the circle, from private reports.

    With symmetric noise, the reports of evenly spread people are evenly spread. So the test of the reports is
    a test of the people [1]_. It sees a mean direction; a day of two equal and opposite peaks has none, see
    ``flat_p_value`` of :func:`private_histogram`.

    Parameters
    ----------
    angles : array_like
        The reports in radians, within [-2π, 4π].
    law : dirpriv.laws.SymmetricLaw
        The law of the noise on the circle, symmetric about its mode.
    weights : array_like of int, optional, keyword-only
        Number of reports at each angle, for reports that are counted already.

    Returns
    -------
    TestResult
        The statistic is N R², R the resultant length of the N reports.

    Raises
    ------
    ValueError
        As :func:`private_mean`.

    References
    ----------
    .. [1] K. V. Mardia, P. E. Jupp, "Directional Statistics", Wiley 2000, Section 6.3.1.
    .. [2] J. H. Zar, "Biostatistical Analysis", Prentice Hall 1999, Eq. 27.4, for the p-value.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.estimators import rayleigh_test
    >>> from dirpriv.laws import Purkayastha
    >>> law = Purkayastha(dim=2, kappa=1.0)
    >>> reports = law.angle_rvs(1000, rng=1)  # of people at angle 0, all on one side
    >>> rayleigh_test(reports, law).p_value < 1e-6
    True
    >>> rayleigh_test(np.linspace(0.0, 6.0, 200), law).p_value > 0.05
    True
    """
    angles, weights, _ = _symmetric_reports(angles, weights, law)
    count, total, _ = _sums(angles, weights)
    return TestResult(count * abs(total) ** 2, _rayleigh_p_value(count, abs(total)))


def two_sample_test(
    first: ArrayLike,
    second: ArrayLike,
    *,
    first_weights: ArrayLike | None = None,
    second_weights: ArrayLike | None = None,
) -> TestResult:
    """Watson's test of the hypothesis that two groups of people have the same times, from private reports.

    Both groups must report with the same law. Then the reports have one distribution if the people have, so
    the test of the reports is a test of the people. Watson's U² compares the two cumulative distributions
    [1]_. It does not depend on where the circle is cut, and sees differences of every form.

    Parameters
    ----------
    first, second : array_like
        The reports of both groups in radians, within [-2π, 4π].
    first_weights, second_weights : array_like of int, optional, keyword-only
        Number of reports at each angle, for reports that are counted already.

    Returns
    -------
    TestResult
        The statistic is U². The p-value is that of large samples: 20 reports are enough.

    Raises
    ------
    ValueError
        If a group has fewer than two reports, or one is not finite.

    References
    ----------
    .. [1] K. V. Mardia, P. E. Jupp, "Directional Statistics", Wiley 2000, Section 8.3.3.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.estimators import two_sample_test
    >>> from dirpriv.mechanisms import PurkayasthaMechanism
    >>> mechanism, study = PurkayasthaMechanism(2.0), np.random.default_rng(1)
    >>> at_8, also_at_8, at_9 = (
    ...     mechanism.randomise_angles(np.full(5000, np.pi / 12 * hour), rng=study) for hour in (8, 8, 9)
    ... )
    >>> two_sample_test(at_8, at_9).p_value < 1e-6, two_sample_test(at_8, also_at_8).p_value > 0.05
    (True, True)
    """
    groups = [_reports("first", first, first_weights), _reports("second", second, second_weights)]
    sizes = [int(weights.sum()) for _, weights in groups]
    values, index = np.unique(
        np.concatenate([np.mod(angles, geometry.TURN) for angles, _ in groups]), return_inverse=True
    )
    parts = np.split(index, [len(groups[0][0])])
    counts = np.array(
        [np.bincount(part, weights, len(values)) for part, (_, weights) in zip(parts, groups, strict=True)]
    )
    both, total = counts.sum(axis=0), sum(sizes)
    apart = np.cumsum(counts[0] / sizes[0] - counts[1] / sizes[1])
    mean = both @ apart / total
    statistic = float(sizes[0] * sizes[1] * (both @ (apart - mean) ** 2) / total**2)
    return TestResult(statistic, _watson_p_value(statistic))


def private_histogram(
    angles: ArrayLike,
    law: AngularNoise,
    *,
    bins: int = 24,
    width: float | None = None,
    weights: ArrayLike | None = None,
    confidence: float = 0.95,
) -> PrivateHistogram:
    """Histogram of people's angles from their private reports, with an interval for every bin.

    The logarithm of the density is a random function: its waves of frequency k have normal coefficients with
    the standard deviation 1/(w √(π k³)), or 1/(w² √(π k⁵)) for a smoother day. So it changes by about 1, or
    departs from a straight line by about 1, over an angle of w, the width. The density is the mode of the
    posterior (EM under a penalty of roughness [1]_ [2]_). The shares are the expected shares of the people
    who reported. The width does not depend on ``bins``, up to 96 of them. Unless it is given, it is chosen
    from the reports, by the evidence: the probability of the reports for each width and smoothness, and for a
    flat density. Few reports of much noise cannot show the width. Then its prior decides: 1.2 hours of a day
    (1.5 of a smoother one), within a factor of 1.6 (one standard deviation).

    Parameters
    ----------
    angles : array_like
        The reports in radians, within [-2π, 4π].
    law : object
        The law of the noise on the circle, see :func:`bin_transitions`. For reports that are cells of a
        release, the law of its table (``release.law``).
    bins : int, keyword-only
        Number of bins of equal width, at most 1440; bin 0 begins at angle 0.
    width : float, optional, keyword-only
        The width in radians, ``inf`` for a flat density; by default it is chosen.
    weights : array_like of int, optional, keyword-only
        Number of reports at each angle, for reports that are counted already: count a large file in cells,
        as of a minute, and give the middles of the cells and the counts.
    confidence : float, keyword-only
        Between 0 and 1.

    Returns
    -------
    PrivateHistogram
        With a ``warning``, which is also a Python warning, where the reports cannot tell the day from a flat
        one at the error rate 5 %.

    Raises
    ------
    ValueError
        If there are fewer than two reports, one is not finite, or the law is not one on the circle.

    References
    ----------
    .. [1] P. J. Green, "On use of the EM algorithm for penalized likelihood estimation", Journal of the Royal
       Statistical Society B 52 (1990) 443-452.
    .. [2] B. Efron, "Empirical Bayes deconvolution estimates", Biometrika 103 (2016) 1-20.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.estimators import private_histogram
    >>> from dirpriv.geometry import hours_to_angles
    >>> from dirpriv.mechanisms import PurkayasthaMechanism
    >>> mechanism, study = PurkayasthaMechanism.within(1.0, np.pi / 4), np.random.default_rng(1)
    >>> people = hours_to_angles(np.repeat([8.5, 18.5], [4000, 6000]) + study.normal(0.0, 1.5, 10_000))
    >>> reports = mechanism.randomise_angles(people, rng=study)
    >>> day = private_histogram(reports, mechanism.law, bins=8)
    >>> (day.shares * 100).round().tolist()
    [0.0, 1.0, 25.0, 13.0, 2.0, 21.0, 34.0, 4.0]
    >>> (np.histogram(people, day.edges)[0] / 100).round().tolist()
    [0.0, 2.0, 24.0, 14.0, 1.0, 22.0, 35.0, 3.0]
    >>> (day.high * 100).round().tolist()
    [1.0, 5.0, 30.0, 19.0, 7.0, 29.0, 41.0, 9.0]
    >>> day.warning
    ''
    """
    angles, weights = _reports("angles", angles, weights)
    bins = _validate.integer("bins", bins, 1)
    if bins > _MOST_BINS:
        raise ValueError(f"'bins' must be at most {_MOST_BINS}, the minutes of a day; got {bins}")
    confidence = _confidence(confidence)
    frequencies = min(max(_FREQUENCIES[0], bins // 2), _FREQUENCIES[1])
    cells = bins * -(-3 * frequencies // bins)
    transitions = bin_transitions(law, cells)
    counts = np.bincount(_bin_index(angles, cells), weights, cells).astype(float)
    prior = _circle_prior(cells, frequencies, _width(width))
    members = np.repeat(np.eye(bins), cells // bins, axis=0)
    found = _density.estimate(counts, transitions, prior, members)
    count = int(weights.sum())
    low, high = _share_intervals(found, confidence, count)
    p_value = _density.flat_p_value(counts, transitions, prior)
    return PrivateHistogram(
        edges=np.linspace(0.0, geometry.TURN, bins + 1),
        shares=found.shares,
        low=low,
        high=high,
        density=found.density * (cells / geometry.TURN),
        width=found.width,
        flat_p_value=p_value,
        warning=_flat_warning(count, p_value, "day"),
        count=count,
        confidence=confidence,
    )


def private_place_density(
    positions: ArrayLike,
    law: Law,
    *,
    reach: float,
    cells: int = 24,
    width: float | None = None,
    weights: ArrayLike | None = None,
    confidence: float = 0.95,
) -> PrivatePlaceDensity:
    """Density of people's places in a square region from private reports, with an interval for every cell.

    As :func:`private_histogram`, with waves in two dimensions. All people are taken to be in the square
    within ``reach`` of the origin along each axis. Their reports may lie outside of it. The density is
    estimated on a grid as fine as the median of the noise, or as a 192nd of the side where that is more, and
    added up in the cells.

    Parameters
    ----------
    positions : array_like, shape (N, 2)
        The reports in a local frame, in the unit of the law: metres east and north of an origin. For the
        cells of a :class:`dirpriv.release.PlaneRelease`, their numbers east and north times its step.
    law : object
        The law of the noise in the plane: :class:`dirpriv.laws.PlanarLaplace`, the law of a release of places
        of a city (``release.law``), or one with the methods ``pdf`` and ``radius_ppf``.
    reach : float, keyword-only
        Half the side of the square.
    cells : int, keyword-only
        Number of cells along each axis, at most 192.
    width : float, optional, keyword-only
        The width in the unit of the positions; by default it is chosen, and before the reports are seen it is
        a sixteenth of the side within a factor of 2.
    weights : array_like of int, optional, keyword-only
        Number of reports at each position: count a large file in cells.
    confidence : float, keyword-only
        Between 0 and 1.

    Returns
    -------
    PrivatePlaceDensity
        With a ``warning``, which is also a Python warning, where the reports cannot tell the density from a
        flat one at the error rate 5 %.

    Raises
    ------
    ValueError
        If there are fewer than two reports, one is not finite, or the law is not one in the plane.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.estimators import private_place_density
    >>> from dirpriv.laws import PlanarLaplace
    >>> law, study = PlanarLaplace(kappa=0.01), np.random.default_rng(1)  # per metre
    >>> people = study.normal([600.0, -200.0], 150.0, (5000, 2))
    >>> found = private_place_density(law.rvs(people, rng=study), law, reach=1000.0, cells=4)
    >>> np.unravel_index(found.shares.argmax(), found.shares.shape)  # east 500 to 1000, north -500 to 0
    (np.int64(3), np.int64(1))

    From the cells of a release:

    >>> from dirpriv.release import PlaneRelease
    >>> city = {"origin": (40.75, -73.98), "reach": "1km", "step": "10m"}
    >>> release = PlaneRelease.within(level=2.0, radius="200m", **city)
    >>> east, north = release.randomise_cells(np.full(500, 60), np.full(500, -20))
    >>> positions = np.stack([east, north], axis=-1) * release.step
    >>> found = private_place_density(positions, release.law, reach=release.reach, cells=4)
    >>> np.unravel_index(found.shares.argmax(), found.shares.shape)
    (np.int64(3), np.int64(1))
    """
    points, weights = _reports("positions", positions, weights, columns=2)
    confidence, reach = _confidence(confidence), _validate.positive("reach", reach)
    cells = _validate.integer("cells", cells, 2)
    if cells > _MOST_CELLS:
        raise ValueError(f"'cells' must be at most {_MOST_CELLS} along each axis; got {cells}")
    if getattr(law, "dim", None) != 2 or getattr(law, "metric", None) != "euclidean":
        raise ValueError(f"'law' must be a law in the plane, as PlanarLaplace; got {law!r}")
    noise = _plane_noise(law, reach, _fine_cells(law, reach, cells))
    counts = _plane_counts(points, weights, reach, noise, getattr(law, "step", 0.0))
    roughness = _plane_roughness(noise.cells, reach)
    widths, log_odds = _widths(_width(width), reach / 8.0, _PLACE_WIDTH_SPREAD, count=9)
    flat = _flat_log_odds(width)
    found = _plane_density.estimate(counts, noise, roughness, widths, log_odds + np.log(0.5), flat, cells)
    count = int(weights.sum())
    low, high = (ends.reshape(cells, cells) for ends in _share_intervals(found, confidence, count))
    p_value = _plane_density.flat_p_value(counts, noise, roughness)
    return PrivatePlaceDensity(
        edges=np.linspace(-reach, reach, cells + 1),
        shares=found.shares.reshape(cells, cells),
        low=low,
        high=high,
        width=found.width,
        flat_p_value=p_value,
        warning=_flat_warning(count, p_value, "density of places"),
        count=count,
        confidence=confidence,
    )


# ---------------------------------------------------------------------- reports


def _reports(name: str, values: Any, weights: Any, columns: int = 0) -> tuple[Array, Array]:
    """Checked reports, one number or row each, and their numbers of repetitions."""
    values = _validate.reals(name, values)
    if columns:
        if values.ndim != 2 or values.shape[1] != columns:
            raise ValueError(f"'{name}' must have the shape (N, {columns}); got shape {values.shape}")
        bad = ~np.isfinite(values).all(axis=1)
    else:
        values = values.ravel()
        bad = ~np.isfinite(values)
    if bad.any():
        raise ValueError(f"'{name}' must be finite; row {int(np.argmax(bad))} is not: leave such rows out")
    if not columns:
        bad = (values < -geometry.TURN) | (values > 2.0 * geometry.TURN)
        if bad.any():
            raise ValueError(
                f"'{name}' must hold radians from -2π to 4π; row {int(np.argmax(bad))} is beyond: convert "
                "hours by dirpriv.geometry.hours_to_angles, degrees by numpy.deg2rad"
            )
    if weights is None:
        numbers = np.ones(len(values))
    else:
        label = f"{name}_weights" if name in ("first", "second") else "weights"
        numbers = _validate.reals(label, weights).ravel()
        if numbers.shape != values.shape[:1]:
            raise ValueError(
                f"'{label}' must hold {len(values)} numbers, one for each report; got {numbers.size}"
            )
        bad = ~((numbers >= 0.0) & (numbers == np.floor(numbers)) & (numbers < np.inf))
        if bad.any():
            raise ValueError(
                f"'{label}' must be whole numbers of at least 0; row {int(np.argmax(bad))} is not"
            )
    if numbers.sum() < 2.0:
        raise ValueError(f"'{name}' must hold at least two reports; got {int(numbers.sum())}")
    return values, numbers


def _symmetric_reports(angles: Any, weights: Any, law: Any) -> tuple[Array, Array, float]:
    """Checked reports, their weights, and the mean cosine of their noise."""
    if getattr(law, "dim", None) != 2 or not hasattr(law, "mean_cosine"):
        raise ValueError(f"'law' must be a law on the circle (dim = 2, with mean_cosine); got {law!r}")
    rho = float(symmetric(law).mean_cosine())
    if not rho > 0.0:
        raise ValueError(f"'law' must favour its mode; {law!r} is uniform: its reports hold no information")
    return *_reports("angles", angles, weights), rho


def _confidence(confidence: Any) -> float:
    confidence = _validate.positive("confidence", confidence)
    if confidence >= 1.0:
        raise ValueError(f"'confidence' must be between 0 and 1; got {confidence!r}")
    return confidence


def _width(width: Any) -> float | None:
    return width if width is None or width == np.inf else _validate.positive("width", width)


# ---------------------------------------------------------------------- means and tests


def _sums(angles: Array, weights: Array) -> tuple[int, complex, float]:
    """Number of reports, their mean as a complex number, and its angle in [0, 2π)."""
    count = float(weights.sum())
    cosine, sine = float(weights @ np.cos(angles)) / count, float(weights @ np.sin(angles)) / count
    return int(count), complex(cosine, sine), float(geometry.vectors_to_angles([cosine, sine]))


def _rayleigh_p_value(count: int, length: float) -> float:
    """P-value of the resultant length of so many evenly spread angles, to 1e-3 from 10 angles on (Zar)."""
    room = max(1.0 - length**2, 0.0)
    return float(min(np.exp(np.sqrt(1.0 + 4.0 * count + 4.0 * count**2 * room) - (1.0 + 2.0 * count)), 1.0))


def _watson_p_value(statistic: float) -> float:
    """P-value of U² in large samples: 2 Σ (-1)^(k-1) exp(-2 k² π² U²)."""
    if statistic < 0.01:  # the series converges slowly there, to 1 - 2e-5 or more
        return 1.0
    k = np.arange(1, 30)
    terms = np.exp(-2.0 * k**2 * np.pi**2 * statistic)
    return float(min(max(2.0 * np.sum(terms[::2]) - 2.0 * np.sum(terms[1::2]), 0.0), 1.0))


def _length_interval(length: float, along: float, across: float, confidence: float) -> tuple[float, float]:
    """Interval of the length of a mean vector, from the variances of the observed one along and across."""
    tails = 0.5 + confidence / 2.0, 0.5 - confidence / 2.0
    if along < 1e-4 * length**2:  # normal; the length of the observed one is larger by the variance across
        middle, deviation = length - across / (2.0 * length), np.sqrt(along)
        low, high = (middle - float(ndtri(tail)) * deviation for tail in tails)
        return max(low, 0.0), max(high, 0.0)
    square = length**2 / along
    low = 0.0 if chndtr(square, 2.0, 0.0) <= tails[0] else float(chndtrinc(square, 2.0, tails[0]))
    # of a vector that is shorter than half of those without a mean, no more than that is known
    high = float(chndtrinc(max(square, 2.0 * np.log(2.0)), 2.0, tails[1]))
    return float(np.sqrt(low * along)), float(np.sqrt(high * along))


# ---------------------------------------------------------------------- densities


def _circle_prior(cells: int, count: int, width: float | None) -> _density.Prior:
    """Waves of the frequencies 1 to ``count`` around the circle."""
    frequencies = np.arange(1, count + 1)
    turns = np.outer((np.arange(cells) + 0.5) * (geometry.TURN / cells), frequencies)
    basis = np.hstack([np.cos(turns), np.sin(turns)])
    families = []
    for order, typical in _TYPICAL_WIDTHS.items():
        roughness = np.pi * np.tile(frequencies, 2) ** (2.0 * order)
        widths, log_odds = _widths(width, typical, _WIDTH_SPREAD)
        families.append((widths, np.outer(widths ** (2.0 * order - 1.0), roughness), log_odds))
    return _prior(basis, families, width)


def _plane_roughness(cells: int, reach: float) -> Array:
    """1 over the prior variance of each wave at the width 1. Waves meet the sides at right angles.

    The variance of the wave number q is 4/(width² q⁴), over the mean square of the wave and the area: the
    logarithm of the density then varies over a distance as on the circle. The constant has none.
    """
    side, waves = 2.0 * reach, np.arange(cells)
    numbers = (np.pi / side) ** 2 * (waves[:, None] ** 2 + waves**2)
    squares = np.where(waves == 0, 1.0, 0.5)
    roughness = (numbers * side / 2.0) ** 2 * np.outer(squares, squares)
    roughness[0, 0] = np.inf
    return np.asarray(roughness)


def _prior(basis: Array, families: list[tuple[Array, Array, Array]], width: float | None) -> _density.Prior:
    """Prior from the widths, the precisions and the log odds of each family, and the flat density.

    A flat density has the probability 1/2, all families together the other half; a given width decides.
    """
    share = np.log(0.5 / len(families))
    models = [[_density.Model(*each) for each in zip(*family, strict=True)] for family in families]
    odds = [[one._replace(log_odds=one.log_odds + share) for one in family] for family in models]
    return _density.Prior(basis, odds, _flat_log_odds(width))


def _flat_log_odds(width: float | None) -> float:
    """Of the flat density, with the probability 1/2; a given width decides."""
    return float(np.log(0.5)) if width is None else np.inf if width == np.inf else -np.inf


def _widths(width: float | None, typical: float, spread: float, count: int = 17) -> tuple[Array, Array]:
    """Widths to choose from, from the largest to the smallest, and the logarithms of their probabilities."""
    if width is not None and width < np.inf:
        return np.array([width]), np.zeros(1)
    away = np.linspace(3.5, -4.5, count)  # standard deviations
    odds = np.exp(-0.5 * away**2)
    return typical * np.exp(away * spread), np.log(odds / odds.sum())


def _share_intervals(found: _density.Shares, confidence: float, count: int) -> tuple[Array, Array]:
    """Intervals of shares: normal on the scale of the log odds, where a share cannot be negative.

    The upper end of a share near 0 has no limit on that scale. It is at most twice as far away as that of a
    normal interval. The ends are rounded outwards to whole numbers of people.
    """
    shares = np.clip(found.shares, 1e-300, 1.0 - 1e-15)
    reach = float(ndtri(0.5 + confidence / 2.0)) * found.errors
    middle, scaled = logit(shares), reach / (shares * (1.0 - shares))
    low, high = expit(middle - scaled), np.minimum(expit(middle + scaled), shares + 2.0 * reach)
    return np.floor(low * count) / count, np.minimum(np.ceil(high * count) / count, 1.0)


def _flat_warning(count: int, p_value: float, what: str) -> str:
    if p_value <= _FLAT_LEVEL:
        return ""
    text = (
        f"these {count} reports cannot tell the {what} from a flat one (p = {p_value:.2g}): what the "
        "estimate shows may be noise. More reports or a higher level are needed"
    )
    warnings.warn(text, UserWarning, stacklevel=3)
    return text


def _fine_cells(law: Any, reach: float, cells: int) -> int:
    """Cells along a side of the grid of the estimate, a multiple of ``cells``."""
    most = 2.0 * reach / getattr(law, "step", 0.0) if getattr(law, "step", 0.0) else np.inf
    if cells > most:
        raise ValueError(f"'cells' must be at most {int(most)}, as the reports are cells too; got {cells}")
    wanted = 2.0 * reach / max(law.radius_ppf(0.5), 2.0 * reach / _MOST_CELLS)
    return cells * max(int(min(max(wanted, _LEAST_CELLS), most)) // cells, 1)


def _plane_noise(law: Any, reach: float, cells: int) -> _plane_density.Noise:
    """The noise in cells of the square. It is seen in a margin that takes up all but 0.1 % of it."""
    side = 2.0 * reach / cells
    margin = int(min(np.ceil(law.radius_ppf(0.999) / side), cells))
    own = getattr(law, "square_transitions", None)
    moves = own(side, cells + margin) if own else _square_transitions(law, side, cells + margin)
    return _plane_density.Noise(moves, cells, margin)


def _plane_counts(
    points: Array, weights: Array, reach: float, noise: _plane_density.Noise, step: float
) -> Array:
    """Counts of reports in the cells of the square and in its margin; the last is of those farther away.

    A report that is itself a cell, of the side ``step``, counts in each cell with the share that it covers.
    """
    scale = noise.cells / (2.0 * reach)
    at, half = (points + reach) * scale, 0.5 * step * scale
    at = np.where(points == reach, noise.cells - 0.5, at)  # the border belongs to the square
    lower, upper = np.floor(at - half), np.floor(at + half)
    above = np.where(upper > lower, (at + half - upper) / max(2.0 * half, 1e-300), 0.0)
    counts = np.zeros(noise.seen**2 + 1)
    for first in (False, True):
        for second in (False, True):
            sides = np.array([first, second])
            index = np.clip(np.where(sides, upper, lower) + noise.margin, -1, noise.seen).astype(np.intp)
            outside = ((index < 0) | (index >= noise.seen)).any(axis=1)
            flat = np.where(outside, noise.seen**2, index[:, 0] * noise.seen + index[:, 1])
            share = np.where(sides, above, 1.0 - above).prod(axis=1)
            counts += np.bincount(flat, weights * share, counts.size)
    return np.asarray(np.rint(counts * 2.0**20) / 2.0**20)  # the order of the reports is of no account


def _square_transitions(law: Any, side: float, count: int) -> Array:
    """Probabilities that a place in one square of a grid is reported in another, by their offset.

    The place is even in its square. The difference of two even places has a triangular law along each axis.
    """
    count = int(min(count, np.ceil(law.radius_ppf(1.0 - 1e-10) / side) + 1))
    ends = np.arange(2)[:, None]
    nodes = (ends - 1.0 + NODES).ravel()
    triangle = np.tile(WEIGHTS, 2) * (1.0 - np.abs(nodes))
    axis = (np.arange(count + 1)[:, None] + nodes).ravel() * side
    quadrant = np.zeros((count + 1, count + 1))
    for row in range(count + 1):
        x = np.broadcast_to(axis[row * nodes.size : (row + 1) * nodes.size, None], (nodes.size, axis.size))
        values = law.pdf(np.stack([x, np.broadcast_to(axis, x.shape)], axis=-1), np.zeros(2))
        quadrant[row] = (triangle @ values).reshape(-1, nodes.size) @ triangle * side**2
    half = np.concatenate([quadrant[:0:-1], quadrant])
    moves = np.concatenate([half[:, :0:-1], half], axis=1)
    # noise that is narrow in a square has a cusp between the nodes: it stays in the square
    total = moves.sum()
    if total > 1.0:
        return np.asarray(moves / total)
    if law.radius_ppf(0.999) < side:
        moves[count, count] += 1.0 - total
    return moves
