"""Means and tests that need nothing but private reports and the distribution of their noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dirpriv import geometry
from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.results import MeanEstimate
from dirpriv._lib.types import Array
from dirpriv.distributions.protocols import SymmetricNoise
from dirpriv.distributions.user.adapter import check_distribution
from dirpriv.estimators.circle_density import divided
from dirpriv.estimators.mean_intervals import MeanIntervals, respondent_sides
from dirpriv.estimators.means import symmetric
from dirpriv.estimators.p_values import combined, rayleigh_p_value, watson_test
from dirpriv.estimators.shared import checked_releases, checked_reports
from dirpriv.geometry import directions
from dirpriv.geometry.spaces import CIRCLE


@dataclass(frozen=True)
class TestResult:
    """Outcome of a test.

    Attributes
    ----------
    statistic, p_value : float
        The statistic, and the probability of one at least as large if the hypothesis is true. Then the
        p-value is at most α with a probability of at most α, for every α. Up to 1e-4 it is an upper bound.
    """

    __test__ = False  # not a class of tests for pytest

    statistic: float
    p_value: float


@np.errstate(under="ignore")
def estimate_mean(
    angles: ArrayLike | Sequence[ArrayLike],
    distribution: SymmetricNoise | Sequence[SymmetricNoise],
    *,
    weights: ArrayLike | Sequence[ArrayLike] | None = None,
    confidence: float = 0.95,
    of: Literal["respondents", "population"] = "respondents",
) -> MeanEstimate:
    """Estimate the circular mean and mean resultant length of people from private reports, with intervals.

    The noise is symmetric, so the reports have the mean direction of the people, and ρ times their mean
    resultant length, ρ = ``distribution.mean_cosine()``.

    **The intervals hold for every day, and for every number of reports from two on**, each with at least the
    confidence and without an approximation. That of the mean is of the people who reported, by the bets of
    :func:`estimate_density_band`, unless that of a population is asked for. The proofs are in docs/mathematics.md,
    “Intervals of means”. The noise of different reports is independent: a report that is repeated counts once.

    The interval of a population, from which the people are drawn independently and report once each, and that of the
    resultant length, which holds for both, take nothing from the distribution but ρ. They are 1.4 to 1.7 times as
    wide as those of Fisher and of the noncentral chi-square distribution, which do not hold for few reports. The
    interval of the people who reported is 1.2 to 5 times as short: the more so, the higher the level.

    The interval of the mean is the whole circle where no direction can be excluded. Of those that are *not*
    the whole circle more may miss than 5 %: where reports hardly show a mean, those that show one by chance
    often show a wrong one, and no method repairs this. In 4000 runs (of 3000 reports: 400) of people with a
    von Mises distribution, at levels within 3 hours, 99 % or more of all intervals of a population held; of those that
    were not the whole circle (their share is in brackets) missed, by the number of reports:

    ===== ============== =============== ================ ============== ==============
    level length of mean 100             300              1000           3000
    ===== ============== =============== ================ ============== ==============
    0.1   0.45           3 of 16 (0.4 %) 3 of 27 (0.7 %)  6 of 148 (4 %) 1 of 91 (23 %)
    0.1   0.97           2 of 44 (1.1 %) 7 of 241 (6 %)
    0.3   0.45           8 of 99 (2 %)   12 of 769 (19 %)
    ===== ============== =============== ================ ============== ==============

    and at most 2 % of them with more reports or at higher levels, up to 10. With 10 reports nearly all are
    the whole circle.

    Parameters
    ----------
    angles : array_like
        The reports in radians, within [-2π, 4π].
    distribution : dirpriv.distributions.SymmetricDistribution, or list of them
        The distribution of the noise on the circle, symmetric about its mode. Of several releases, a list, as for
        :func:`estimate_histogram`: the mean is that of the people of all releases.
    weights, confidence : array_like of int and float, keyword-only
        As for :func:`estimate_histogram`.
    of : {"respondents", "population"}, keyword-only
        Whose mean the interval contains: that of the people who reported, or of all from whom they are drawn.

    Raises
    ------
    ValueError
        If there are fewer than two reports, one is not finite, or the distribution is uniform or not symmetric.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import estimators, geometry, mechanisms
    >>> mechanism = mechanisms.PurkayasthaMechanism.within(level=1.0, radius=np.pi / 4)
    >>> people = geometry.hours_to_angles(np.tile([7.0, 8.0, 9.0], 1000))
    >>> reports = mechanism.randomise_angles(people, rng=np.random.default_rng(1))
    >>> mean = estimators.estimate_mean(reports, mechanism.noise)
    >>> geometry.angles_to_hours([mean.low, mean.angle, mean.high]).round(2).tolist()
    [7.87, 8.02, 8.17]
    >>> round(mean.resultant_low, 2), round(mean.resultant_high, 2)
    (0.94, 1.0)
    >>> estimators.estimate_mean(np.linspace(0.0, 6.0, 50), mechanism.noise).whole_circle
    True
    """
    releases = checked_releases("angles", angles, weights, distribution)
    rhos = [_mean_cosine(of) for *_, of in releases]
    confidence, rho = validate.share("confidence", confidence), min(rhos)
    validate.check_word("of", of, "respondents", "population")
    # the reports of less noise are made shorter, so that the mean of each is rho times the true vector
    lengths = np.repeat([rho / each for each in rhos], [len(at) for at, *_ in releases])
    angles, weights = (np.concatenate([of[part] for of in releases]) for part in range(2))
    count, total, mean = _sums(angles, weights, lengths)
    intervals = MeanIntervals(angles, weights, rho, confidence, lengths)
    if of == "population":
        sides = intervals.angle_sides()
    else:
        sides = respondent_sides(divided(releases), mean, 1.0 - confidence)
    low, high = 0.0, geometry.TURN
    if sides is not None:
        low, high = directions.in_turn(np.mod([mean - sides[0], mean + sides[1]], geometry.TURN))
    squares = float(weights @ lengths**2) / count
    unbiased = np.sqrt(max(count * abs(total) ** 2 - squares, 0.0) / (count - 1.0))
    resultant = min(float(unbiased) / rho, 1.0), *intervals.resultant_ends()
    p_value = combined([rayleigh_p_value(at, times) for at, times, _ in releases])
    return MeanEstimate(mean, float(low), float(high), sides is None, *resultant, p_value, count, confidence)


@np.errstate(under="ignore")
def rayleigh_test(angles: ArrayLike, distribution: SymmetricNoise, *, weights: ArrayLike | None = None) -> TestResult:
    """Test the hypothesis that people are uniform on the circle, from private reports (Rayleigh test).

    With symmetric noise, the reports of uniform people are uniform. So the test of the reports is
    a test of the people [1]_. It detects a mean direction. A day of two equal and opposite peaks has no mean
    direction, see ``flat_p_value`` of :func:`estimate_histogram`.

    The test holds its level for continuous reports, and for reports that are the middles of 2 or more cells
    of equal width. It finds the cells from the reports. In 2 cells, the p-value comes from the binomial distribution.
    In up to 500 cells, and for up to 50 continuous reports, it comes from draws of uniform reports, until 50
    of them have a statistic at least as large, at most 9999 [2]_. The seed is a hash of the reports and their
    numbers, so the same reports have the same p-value. All others have the distribution for continuous reports [3]_;
    for more than 500 cells the p-value is then too small by at most 8 % of its value at 0.05. P-values up to
    1e-4 are Chernoff bounds, some tens of times too large.

    The statistic is N R², R the mean resultant length of the N reports.

    Parameters
    ----------
    angles, distribution, weights : array_like, distribution and array_like of int
        As for :func:`estimate_mean`, with its errors.

    References
    ----------
    .. [1] Mardia, K. V., Jupp, P. E., "Directional Statistics", Wiley 2000, Section 6.3.1.
    .. [2] Besag, J., Clifford, P., "Sequential Monte Carlo p-values", Biometrika 78 (1991) 301-304.
    .. [3] Zar, J. H., "Biostatistical Analysis", Prentice Hall 1999, Eq. 27.4.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import estimators, distributions
    >>> distribution = distributions.Purkayastha(dim=2, kappa=1.0)
    >>> reports = distribution.angle_rvs(1000, rng=1)  # of people at angle 0, all on one side
    >>> estimators.rayleigh_test(reports, distribution).p_value < 1e-6
    True
    >>> estimators.rayleigh_test(np.linspace(0.0, 6.0, 200), distribution).p_value > 0.05
    True
    """
    _mean_cosine(distribution)
    angles, weights = checked_reports("angles", angles, weights)
    count, total, _ = _sums(angles, weights)
    return TestResult(count * abs(total) ** 2, rayleigh_p_value(angles, weights))


def two_sample_test(
    first: ArrayLike,
    second: ArrayLike,
    *,
    first_weights: ArrayLike | None = None,
    second_weights: ArrayLike | None = None,
) -> TestResult:
    """Watson's test of the hypothesis that two groups of people have the same times, from private reports.

    Both groups must report with the same distribution. Then the reports have one distribution if the people have, so
    the test of the reports is a test of the people. Watson's U² compares the two cumulative distributions (K.
    V. Mardia, P. E. Jupp, "Directional Statistics", Wiley 2000, Section 8.3.3). It does not depend on where
    the circle is cut, and sees differences of every form. More than 360 different reports are grouped with
    their neighbours into at most 360 runs of nearly equal numbers.

    The p-value is that of random permutations of the reports among the two groups, in number and with a seed
    as the draws of :func:`rayleigh_test`. So the test holds its level for every number of reports and
    whatever the ties. P-values up to 1e-4 are bounds by inequalities of Pinelis and Hoeffding: for many
    reports in groups of one size 2 exp(-3 U²), where the probability is 2 exp(-2 π² U²).

    Reports are equal within 1e-14 rad (of float32: 6e-6), and where some are repeated, within a millionth of
    the arc that holds all. So the way in which hours became radians does not count.

    Parameters
    ----------
    first, second : array_like
        The reports of both groups in radians, within [-2π, 4π].
    first_weights, second_weights : array_like of int, optional, keyword-only
        Number of reports at each angle, for reports that are counted already.

    Raises
    ------
    ValueError
        If a group has fewer than two reports, one is not finite, or there are 10^9 or more.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.estimators import two_sample_test
    >>> from dirpriv.mechanisms import PurkayasthaMechanism
    >>> mechanism, study = PurkayasthaMechanism(2.0), np.random.default_rng(1)
    >>> at_8, also_at_8, at_9 = (
    ...     mechanism.randomise_angles(np.full(5000, np.pi / 12 * hour), rng=study) for hour in (8, 8, 9)
    ... )
    >>> two_sample_test(at_8, at_9).p_value < 1e-3, two_sample_test(at_8, also_at_8).p_value > 0.05
    (True, True)
    """
    one = checked_reports("first", first, first_weights)
    other = checked_reports("second", second, second_weights)
    if float(one[1].sum()) + float(other[1].sum()) >= 1e9:
        rule = "'first' and 'second' must hold fewer than 10^9 reports together"
        raise InvalidArgument(rule, hint="take a random part of both")
    return TestResult(*watson_test([one, other], validate.precision(first, second)))


def _mean_cosine(distribution: Any) -> float:
    check_distribution(distribution, "a distribution on the circle", CIRCLE, "mean_cosine")
    rho = float(symmetric(distribution).mean_cosine())
    if not rho > 0.0:
        rule = f"must favour its mode; {distribution!r} is uniform"
        raise InvalidArgument("distribution", rule, hint="its reports hold no information")
    return rho


def _sums(angles: Array, weights: Array, lengths: ArrayLike = 1.0) -> tuple[int, complex, float]:
    """Number of reports, their mean as a complex number, and its angle in [0, 2π)."""
    count, masses = float(weights.sum()), weights * np.asarray(lengths)
    cosine, sine = float(masses @ np.cos(angles)) / count, float(masses @ np.sin(angles)) / count
    return int(count), complex(cosine, sine), float(directions.polar_angles(np.array([cosine, sine])))
