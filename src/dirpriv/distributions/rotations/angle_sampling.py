"""Ways to draw the angle of rotations: exact rejections from proposals that dominate everywhere."""

from typing import Any

import numpy as np
from scipy.special import gamma

from dirpriv._lib.types import Array, Mask
from dirpriv.distributions.sampling.directions import draw_by_rejection


def draw_haar(size: int, rng: np.random.Generator) -> Array:
    """Draws of the angle of uniform rotations: :func:`draw_mirrored` where the two weights add up to 1."""
    theta = np.pi * rng.random(size)
    return np.where(rng.random(size) < np.sin(0.5 * theta) ** 2, theta, np.pi - theta)


def draw_mirrored(size: int, distribution: Any, rng: np.random.Generator, *, is_odd: bool) -> Array:
    """Draws for a small κ: rejection from the uniform distribution, an angle θ and its mirror image π - θ at once.

    Both are accepted with the sum of their weights sin²(θ/2) exp f(θ), then one is taken by its weight.
    With φ = π/2 - θ the sum, relative to exp f(π/2), is::

        k(φ) = ½ (1 - sin φ) exp(f(π/2 - φ) - f(π/2)) + ½ (1 + sin φ) exp(f(π/2 + φ) - f(π/2))

    and must be at most 1. For f = κ f₁ it is convex in κ and 1 at κ = 0, so it is enough at the largest κ.
    The share accepted is exp(-f(π/2)) times the normalizer. f may be odd about (π/2, f(π/2)): this is quicker.
    """
    if distribution.kappa == 0.0:
        return draw_haar(size, rng)
    kernel = distribution._log_kernel
    middle = kernel(np.float64(0.5 * np.pi))

    def propose(count: int, rows: Any) -> tuple[Array, Mask]:
        theta = np.pi * rng.random(count)
        square = np.sin(0.5 * theta) ** 2
        here = np.exp(kernel(theta) - middle)
        there = 1.0 / here if is_odd else np.exp(kernel(np.pi - theta) - middle)
        here *= square
        level = rng.random(count)
        return np.where(level < here, theta, np.pi - theta), level < here + (1.0 - square) * there

    return draw_by_rejection(size, np.exp(distribution.log_normalizer() - middle), propose)


def draw_head_or_tail(
    size: int, power: int, steepness: float, edge: float, normalizer: float, rng: np.random.Generator
) -> Array:
    """Draws of a concentrated distribution of s = sin(θ/2): s² exp(-``steepness`` s^power)/√(1 - s²), power 1 or 2.

    Below ``edge``, -½ log(1 - s²) ≤ tilt s^power, as it is convex in s^power: that is proposed from the
    gamma distribution of shape 3/power and rate steepness - tilt. Above, cos^power φ, φ = π/2 - θ/2, is concave (with
    the power 2 from s = √½ on), so ≥ 1 - (1 - edge^power) φ/φ(edge): φ is proposed from the exponential distribution.
    """
    top, widest = edge**power, np.arccos(edge)
    tilt = -0.5 * np.log1p(-(edge**2)) / top
    rate, rise = steepness - tilt, steepness * (1.0 - top)
    head_mass = gamma(3.0 / power) / power / rate ** (3.0 / power)
    tail_mass = widest * (np.exp(-steepness * top) - np.exp(-steepness)) / rise
    whole = head_mass + tail_mass

    def propose(count: int, rows: Any) -> tuple[Array, Mask]:
        if power == 2:  # Gamma(3/2) is an exponential and half of a squared normal variable
            moved = (rng.standard_exponential(count) + 0.5 * rng.standard_normal(count) ** 2) / rate
            sine = np.sqrt(moved)
        else:
            moved = sine = rng.standard_exponential((3, count)).sum(axis=0) / rate
        energy = rng.standard_exponential(count)
        tail = rng.random(count) * whole < tail_mass
        accepted = (sine <= edge) & (energy >= tilt * moved) & ~tail
        open_ = np.flatnonzero((sine <= edge) & ~accepted & ~tail)
        s = sine[open_]
        accepted[open_] = energy[open_] >= tilt * moved[open_] + 0.5 * np.log1p(-s * s)
        theta = 2.0 * np.arcsin(np.minimum(sine, 1.0))

        tail = np.flatnonzero(tail)
        share = np.log1p(rng.random(tail.size) * np.expm1(rise)) / rise if tail.size else np.empty(0)
        phi = widest * share
        s = np.cos(phi)
        accepted[tail] = energy[tail] >= steepness * (s**power - 1.0) + rise * share - 2.0 * np.log(s)
        theta[tail] = np.pi - 2.0 * phi
        return theta, accepted

    return draw_by_rejection(size, 0.25 * np.pi * normalizer / whole, propose)
