"""What the statistical tests share: one error rate, one sample size, and the check that a test can fail.

Every statistical test runs at a fixed seed, with DRAWS draws, at the level ALPHA: a correct sampler fails
one of them with probability 1e-6. Each is paired with a deliberately wrong variant that it must catch.
"""

import numpy as np
from scipy import stats

ALPHA = 1e-6
DRAWS = 200_000


def ks_p_value(angles, law):
    """p-value of the Kolmogorov-Smirnov test of angles against a law's CDF.

    The CDF is evaluated at every draw, so the p-value is that of the exact test.
    """
    return stats.kstest(np.asarray(angles), law.angle_cdf).pvalue


def assert_drawn_from(angles, law):
    """Fail, with the error rate in the message, where the angles are not from the law."""
    p = ks_p_value(angles, law)
    assert p > ALPHA, (
        f"{law!r}: Kolmogorov-Smirnov p = {p:.2e}; a correct sampler fails with probability {ALPHA}"
    )


def assert_not_drawn_from(angles, law):
    """Fail where the test does not catch a sampler that is known to be wrong."""
    p = ks_p_value(angles, law)
    assert p <= ALPHA, f"{law!r}: the test lets a wrong sampler pass (p = {p:.2e})"
