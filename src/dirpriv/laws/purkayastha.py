"""The Purkayastha law: density falling exponentially with the angle."""

import numpy as np

from dirpriv.laws.angular import AngularLaw, draw_by_rejection


class Purkayastha(AngularLaw):
    """Purkayastha law on the unit sphere: log kernel f(θ) = -κ θ.

    Among all mechanisms that are ε·d∡-private it has the stochastically smallest angle (design of this
    package, ``guarantees``); Weggenmann and Kerschbaum (2021), Section 3.3, introduce it as a mechanism.

    Parameters
    ----------
    dim : int
        Length n of the vectors: 2 for the circle, 3 for the sphere.
    kappa : float
        Concentration κ ≥ 0, per radian; 0 is the uniform law.

    Raises
    ------
    ValueError
        If ``dim`` is below 2, or ``kappa`` negative, infinite or nan.

    References
    ----------
    .. [1] B. Weggenmann, F. Kerschbaum, "Differential Privacy for Directional Data", CCS 2021.
    .. [2] S. Purkayastha, "Simple characterizations of directional distributions", 1991.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.laws import Purkayastha
    >>> law = Purkayastha(dim=2, kappa=1 / np.pi)
    >>> round(law.mean_angle(), 4)
    1.3133
    >>> law.rvs([1.0, 0.0], size=5, rng=1).shape
    (5, 2)
    """

    def _mode_sine_cosine(self):
        m = self.dim - 2
        length = np.hypot(m, self.kappa)
        if length == 0.0:  # the uniform law on the circle has no mode; 0 serves
            return 0.0, 1.0
        return m / length, self.kappa / length

    def _log_kernel(self, theta):
        return -self.kappa * theta

    def _kernel_fall(self, theta, rest, moved, side):
        return -side * self.kappa * moved

    def _kernel_slope(self, theta):
        return np.full_like(theta, -self.kappa)

    def _quantiles(self, u, q):
        if self.dim > 2:
            return super()._quantiles(u, q)
        if self.kappa == 0.0:
            return np.where((u >= 0.0) & (q >= 0.0), np.pi * u, np.nan)
        # the truncated exponential has a closed inverse, written for the end that is nearer
        kappa, end = self.kappa, self.kappa * np.pi
        with np.errstate(divide="ignore", invalid="ignore"):
            from_zero = -np.log1p(u * np.expm1(-end)) / kappa
            from_pi = from_zero if end < 1.0 else -np.log(q + (1.0 - q) * np.exp(-end)) / kappa
        theta = np.minimum(np.where(u <= 0.5, from_zero, from_pi), np.pi)
        return np.where((u >= 0.0) & (q >= 0.0), theta, np.nan)

    def _metric_level(self):
        return self.kappa

    def _draw_angles(self, size, rng):
        m, kappa = self.dim - 2, self.kappa
        if m == 0:
            if kappa * np.pi < 1.0:
                u = rng.random(size)
                return self._quantiles(u, 1.0 - u)
            # memoryless: an exponential modulo π is the exponential truncated to [0, π)
            return np.fmod(rng.standard_exponential(size) / kappa, np.pi)
        mode = self._mode
        if mode < 1.0:
            return draw_by_rejection(size, 0.75, lambda count: _near_mode(m, mode, count, rng))
        return draw_by_rejection(size, 0.75, lambda count: _near_equator(m, kappa, mode, count, rng))


def _near_mode(m, mode, count, rng):
    """Accepted proposals from the gamma law of θ^m exp(-mθ/mode), which has the same mode.

    The log ratio is m log(sin θ/θ) + m (1/mode - cot mode) θ; log(sin θ/θ) is concave, so it is highest at
    the mode and the ratio is at most 1.
    """
    theta = rng.standard_gamma(m + 1.0, count) * (mode / m)
    energy = rng.standard_exponential(count)
    d = theta - mode
    # -(log sin θ/θ)'' lies between 1/3 (at 0) and 0.5948 (at π/2): settles most proposals without a sine
    bend = m * d * d
    accepted = (0.2974 * bend < energy) & (theta <= np.pi / 2.0)
    unsettled = np.flatnonzero(~accepted & (bend <= 6.0 * energy) & (theta < np.pi))
    t = theta[unsettled]
    slope = 1.0 / mode - 1.0 / np.tan(mode) if mode > 0.01 else mode / 3.0 + mode**3 / 45.0
    log_ratio = m * (np.log((np.sin(t) / t) / (np.sin(mode) / mode)) + slope * d[unsettled])
    accepted[unsettled] = energy[unsettled] >= -log_ratio
    return theta[accepted]


def _near_equator(m, kappa, mode, count, rng):
    """Accepted proposals where the law is wide: a normal law about the mode.

    The second derivative of m log sin θ - κθ is at most -m, so the normal law with variance 1/m dominates.
    """
    d = rng.standard_normal(count) / np.sqrt(m)
    theta = mode + d
    inside = (theta > 0.0) & (theta < np.pi)
    # sin θ/sin mode = cos d + cot mode sin d, and cot mode = κ/m
    change = np.where(inside, (kappa / m) * np.sin(d) - 2.0 * np.sin(d / 2.0) ** 2, 0.0)
    log_ratio = m * (np.log1p(change) + 0.5 * d * d) - kappa * d
    return theta[inside & (rng.standard_exponential(count) >= -log_ratio)]
