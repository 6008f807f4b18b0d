"""What the statistical tests share: one error rate, one sample size, and the check that a test can fail.

Every statistical test runs at a fixed seed, with DRAWS draws, at the level ALPHA: a correct sampler fails
one of them with probability 1e-6. Each is paired with a deliberately wrong variant that it must catch.
"""

import numpy as np
from scipy import stats

ALPHA = 1e-6
DRAWS = 200_000


def ks_distance(draws, cdf, points=1000):
    """The Kolmogorov-Smirnov statistic of draws, for which a CDF is evaluated at few of them.

    At ``points`` of the sorted draws, and wherever else the largest difference could be: neither the CDF nor
    the share of the draws falls, so two neighbours bound the difference at the draws between them. What comes
    out is the statistic of all draws (``assert_same_as_with_all_draws``).
    """
    draws = np.sort(np.asarray(draws).ravel())
    count = draws.size
    at = np.unique(np.linspace(0, count - 1, points).astype(int))
    known = cdf(draws[at])
    while True:
        largest = np.maximum((at + 1) / count - known, known - at / count).max()
        between = np.maximum(at[1:] / count - known[:-1], known[1:] - (at[:-1] + 1) / count)
        open_ends = np.flatnonzero((between > largest) & (np.diff(at) > 1))
        if not open_ends.size:
            return largest
        middle = (at[open_ends] + at[open_ends + 1]) // 2
        at = np.insert(at, open_ends + 1, middle)
        known = np.insert(known, open_ends + 1, cdf(draws[middle]))


def ks_p_value(angles, distribution):
    """p-value of the Kolmogorov-Smirnov test of angles against a distribution's CDF: that of the exact test."""
    return stats.kstwo.sf(ks_distance(angles, distribution.angle_cdf), np.size(angles))


def ks_refuses(draws, cdf):
    """Whether the Kolmogorov-Smirnov test at the level ALPHA refuses draws as those of a CDF.

    Massart's inequality (1990) bounds the p-value for every number of draws and every distance. From 1e-3 on
    SciPy knows it by a series, to five digits or more. Only between the two it is found exactly: by a sum of
    as many terms as there are draws.
    """
    distance, count = ks_distance(draws, cdf), np.size(draws)
    assert distance >= 0.0, "a draw, or the CDF at one, is no number"
    if 2.0 * np.exp(-2.0 * count * distance**2) <= ALPHA:
        return True
    return stats.kstwo.cdf(distance, count) > 0.999 and stats.kstwo.sf(distance, count) <= ALPHA


def assert_drawn_from(angles, distribution):
    """Fail, with the error rate in the message, where the angles are not from the distribution."""
    assert not ks_refuses(angles, distribution.angle_cdf), (
        f"{distribution!r}: Kolmogorov-Smirnov p = {ks_p_value(angles, distribution):.2e}; "
        f"a correct sampler fails with probability {ALPHA}"
    )


def assert_not_drawn_from(angles, distribution):
    """Fail where the test does not catch a sampler that is known to be wrong."""
    assert ks_refuses(angles, distribution.angle_cdf), f"{distribution!r}: the test lets a wrong sampler pass"


def assert_same_as_with_all_draws(angles, distribution):
    """Fail where looking at few draws misses a difference, of right draws or of wrong ones."""
    angles = np.asarray(angles)
    wrong = 0.8 * angles[:4000]
    for draws in (angles, wrong):
        every_draw = stats.kstest(draws, distribution.angle_cdf)
        assert abs(ks_distance(draws, distribution.angle_cdf) - every_draw.statistic) < 1e-14, distribution
        assert np.isclose(ks_p_value(draws, distribution), every_draw.pvalue, rtol=1e-6, atol=1e-300), distribution
    assert_drawn_from(angles, distribution)
    assert_not_drawn_from(wrong, distribution)
