"""Theorem 24 of paper A: the mean angles of wrapped Laplace and Purkayastha, and the bound between them.

With x = κπ, and without cancellation at either end (the formulas of the means lose all digits for small x):
E_WL - E_Pur = [(x - 2) e^x + x + 2] / (κ (e^2x - 1)), and that less the printed term κπ²/(e^2x - 1)
is (x - 2)(e^x - x - 1) / (κ (e^2x - 1)), which has the sign of x - 2.
"""

import numpy as np
import scipy  # which imports its submodules where they are first used

from dirpriv.distributions import Purkayastha, WrappedLaplace


def difference(kappa):
    """Mean angle, in radians, of wrapped Laplace less that of Purkayastha, to full relative precision.

    >>> bool(difference(1e-3) > 0.0)
    True
    """
    x = np.pi * np.asarray(kappa, dtype=float)
    # both parts of the fraction over 2 e^x: x cosh(x/2) - 2 sinh(x/2) is x³/12 0F1(5/2; x²/16)
    small = np.minimum(x, 2.0)
    near = np.exp(-small / 2.0) * small**3 / 12.0 * scipy.special.hyp0f1(2.5, small**2 / 16.0) / np.sinh(small)
    far = np.exp(-x) * ((x - 2.0) + (x + 2.0) * np.exp(-x)) / -np.expm1(-2.0 * x)
    return (np.pi / x * np.where(x < 2.0, near, far))[()]


def bound(kappa):
    """The term κπ²/(e^(2κπ) - 1) that the theorem adds to E_Pur.

    >>> bool(bound(1.0) < 0.02)
    True
    """
    x = np.pi * np.asarray(kappa, dtype=float)
    return (np.pi * x * np.exp(-2.0 * x) / -np.expm1(-2.0 * x))[()]


def margin(kappa):
    """E_WL less E_Pur plus :func:`bound`, to full relative precision.

    The theorem says that it is positive, or, in the other order of its parts, that it is negative.

    >>> margin([0.5, 1.0]) > 0.0  # it is neither for every κ
    array([False,  True])
    """
    x = np.pi * np.asarray(kappa, dtype=float)
    rest = np.exp(-x) * scipy.special.gammainc(2.0, x)  # (e^x - x - 1) / e^2x
    return (np.pi / x * (x - 2.0) * rest / -np.expm1(-2.0 * x))[()]


def crossing(low, high):
    """Concentration at which the margin changes its sign, found with the means of the distributions alone.

    >>> round(crossing(0.1, 2.0), 9)  # 2/π
    0.636619772
    """

    def _margin_by_distributions(kappa):
        return float(WrappedLaplace(kappa).mean_angle() - Purkayastha(2, kappa).mean_angle() - bound(kappa))

    return float(scipy.optimize.brentq(_margin_by_distributions, low, high, xtol=1e-15, rtol=1e-15))
