"""The von Mises-Fisher distribution: density falling exponentially with the squared chord."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from dirpriv._lib.types import Array, FloatOrArray, Mask
from dirpriv.distributions.sampling import directions
from dirpriv.distributions.shared.colatitude import ChordKernel
from dirpriv.distributions.shared.spherical import SphericalDistribution


class VonMisesFisher(ChordKernel, SphericalDistribution):
    """Von Mises-Fisher distribution on the unit sphere: log kernel f(θ) = κ cos θ.

    With ``dim=2`` it is the von Mises distribution on the circle, with ``dim=3`` the Fisher distribution.

    References
    ----------
    .. [1] Mardia, K. V., Jupp, P. E., "Directional Statistics", Wiley 2000, Section 9.3.2.
    .. [2] Best, D. J., Fisher, N. I., "Efficient simulation of the von Mises distribution", 1979.
    .. [3] Wood, A. T. A., "Simulation of the von Mises Fisher distribution", 1994.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.distributions import VonMisesFisher
    >>> round(VonMisesFisher(dim=2, kappa=1 / np.pi).mean_angle(), 4)
    1.3706
    """

    _likeliest_mode = "mean direction"
    _share = 2.0

    def _log_kernel_at_peak(self) -> float:
        return self.kappa * self._peak_sine_cosine()[1]

    def _peak_sine_cosine(self) -> tuple[float, float]:
        m = self.dim - 2
        if m == 0:
            return 0.0, 1.0
        scale = m + np.hypot(m, 2.0 * self.kappa)
        return np.sqrt(2.0 * m / scale), 2.0 * self.kappa / scale

    def _draw_angles(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        if self.dim == 2:
            return 2.0 * np.arctan(_half_tangents(size, kappa, rng))
        y = self._draw_versines(size, kappa, rng)
        return 2.0 * np.arctan(np.sqrt(y / (2.0 - y)))

    def _draw_cosines(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> tuple[Array, Array]:
        if self.dim == 2:
            return directions.cosine_and_sine(_half_tangents(size, kappa, rng))
        y = self._draw_versines(size, kappa, rng)
        cosine = 1.0 - y
        y *= 2.0 - y
        return cosine, np.sqrt(y, out=y)

    def _draw_versines(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        """Draws of y = 1 - cos θ, with all digits; its density is y^p (2 - y)^p exp(-κy), p = (n - 3)/2.

        Each proposal touches the target at its mode and dominates it, as the log ratio is concave there.
        """
        n, p = self.dim, (self.dim - 3) / 2.0
        if n == 3:
            thresholds, draws = (directions.SMALLEST, 0.5), (directions.uniform(2.0), _inverse, _memoryless)
        elif n <= 5:
            thresholds, draws = (1.0,), (functools.partial(_wood, n), functools.partial(_near_mode, p))
        else:
            thresholds = (0.6 * p,)
            draws = functools.partial(_near_equator, p), functools.partial(_near_mode, p)
        return directions.draw_by_threshold(size, kappa, thresholds, draws, rng)


def _half_tangents(size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
    """Draws of t = tan(θ/2) on the circle: Best and Fisher's rejection from a wrapped Cauchy distribution.

    t is half Cauchy with scale s, so y = 2t²/(1 + t²) has the envelope 1/(2s² + (1 - s²)y). The best s² is
    z = 1/(2κ + √(1 + 4κ²)); the kernel exceeds the envelope most at y* = 2z/(1 + z), and the log ratio from
    that peak is log((1 + z)/2 + κy) - κ(y - y*). No term cancels, at any κ.
    """
    kappa = np.asarray(kappa)
    z = 1.0 / (2.0 * kappa + np.hypot(1.0, 2.0 * kappa))
    per_row = np.ndim(kappa) > 0
    compiled = None if per_row else directions.compiled(2 * size)

    def propose(count: int, rows: Any) -> tuple[Array, Any]:
        uniforms = rng.random((2, count))
        if compiled:
            return compiled.half_tangents(uniforms, float(kappa), float(z)), ...
        return _propose_half_tangents(uniforms, kappa[rows], z[rows])

    share = 0.98 * (0.655 + 0.345 / (1.0 + 0.63 * kappa**1.5))
    return directions.draw_by_rejection(size, share, propose, per_row=per_row)


def _propose_half_tangents(uniforms: Array, kappa: Array, z: Array) -> tuple[Array, Mask]:
    """Proposals from two rows of uniforms, and whether each is accepted."""
    tangent = np.sqrt(z) * np.tan(np.pi / 2.0 * uniforms[0])
    square = tangent * tangent
    energy = 2.0 * kappa * square / (1.0 + square)  # κy
    best = 2.0 * kappa * z / (1.0 + z)
    return tangent, np.log((0.5 + 0.5 * z + energy) / (1.0 - uniforms[1])) >= energy - best


def _inverse(size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
    """n = 3: the exponential with rate κ truncated to [0, 2)."""
    return directions.truncated_exponential(size, 2.0 * kappa, rng) / kappa


def _memoryless(size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
    """n = 3: an exponential modulo 2κ is the exponential truncated to [0, 2κ)."""
    y = rng.standard_exponential(size)
    np.fmod(y, 2.0 * kappa, out=y)
    y /= kappa
    return y


def _near_mode(p: float, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
    """Rejection from the gamma distribution of y^p exp(-py/mode), which has the same mode."""
    kappa = np.asarray(kappa)
    mode = 2.0 * p / (kappa + p + np.hypot(kappa, p))

    def propose(count: int, rows: Any) -> tuple[Array, Mask]:
        y = rng.standard_gamma(p + 1.0, count)
        y *= mode[rows] / p
        d = y - mode[rows]
        d /= 2.0 - mode[rows]
        np.minimum(d, 1.0, out=d)
        with np.errstate(divide="ignore"):
            log_ratio = np.log1p(-d)
        log_ratio += d
        log_ratio *= -p
        return y, (rng.standard_exponential(count) >= log_ratio) & (y < 2.0)

    share = 0.95 * p / (p + 0.3 * mode) / np.hypot(1.0, mode / (2.0 - mode))
    return directions.draw_by_rejection(size, share, propose, per_row=np.ndim(kappa) > 0)


def _near_equator(p: float, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
    """Rejection, for a small κ, of w = cos θ from a normal distribution about the mode, as h''(w) ≤ -2p."""
    kappa = np.asarray(kappa)
    mode = kappa / (p + np.hypot(p, kappa))

    def propose(count: int, rows: Any) -> tuple[Array, Mask]:
        moved = rng.standard_normal(count) * (1.0 / np.sqrt(2.0 * p))
        w, peak = mode[rows] + moved, mode[rows]
        # (1 - w²)/(1 - mode²) = 1 - moved (2 mode + moved)/(1 - mode²)
        change = np.minimum(moved * (2.0 * peak + moved) / ((1.0 - peak) * (1.0 + peak)), 1.0)
        with np.errstate(divide="ignore"):
            log_ratio = p * (np.log1p(-change) + moved * moved) + kappa[rows] * moved
        return 1.0 - w, (rng.standard_exponential(count) >= -log_ratio) & (np.abs(w) < 1.0)

    share = 0.95 * (1.0 - mode**2) / np.hypot(1.0, mode) * p / (p + 0.3)
    return directions.draw_by_rejection(size, share, propose, per_row=np.ndim(kappa) > 0)


def _wood(dim: int, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
    """Wood's rejection (1994), the best of the known ones where n and κ are small."""
    kappa = np.asarray(kappa)
    d = dim - 1.0
    b = d / (2.0 * kappa + np.hypot(2.0 * kappa, d))
    x0 = (1.0 - b) / (1.0 + b)

    def propose(count: int, rows: Any) -> tuple[Array, Mask]:
        beta = rng.beta(d / 2.0, d / 2.0, count)
        y = 2.0 * b[rows] * beta / (1.0 - (1.0 - b[rows]) * beta)
        best = x0[rows]
        # the log ratio κw + d log(1 - x0 w), w = 1 - y, is highest at w = x0
        log_ratio = kappa[rows] * (1.0 - y - best) + d * np.log((1.0 - best + best * y) / (1.0 - best * best))
        return y, rng.standard_exponential(count) >= -log_ratio

    return directions.draw_by_rejection(size, 0.8, propose, per_row=np.ndim(kappa) > 0)
