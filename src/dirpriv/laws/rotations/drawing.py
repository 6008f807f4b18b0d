"""Ways to draw the angle that several laws of rotations share; all are exact.

Each is a rejection from a proposal that dominates the target everywhere; none uses a table or a probability
that was computed by quadrature.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import gamma

from dirpriv._lib.types import Array, Mask
from dirpriv.laws.drawing.angles import draw_by_rejection


def draw_haar(size: int, rng: np.random.Generator) -> Array:
    """Draws of the angle of uniform rotations: :func:`draw_mirrored` where the two weights add up to 1."""
    theta = np.pi * rng.random(size)
    return np.where(rng.random(size) < np.sin(0.5 * theta) ** 2, theta, np.pi - theta)


def draw_mirrored(
    size: int, kernels: Callable[[Array], tuple[Array, Array]], share: float, rng: np.random.Generator
) -> Array:
    """Draws of a wide law: rejection from the uniform law, an angle and its mirror image at once.

    θ and π - θ are equally likely where θ is uniform on [0, π], so one stands for both: it is accepted with
    the sum of the weights sin²(θ/2) exp f(θ) of the two, and then sent to its own side. With φ = π/2 - θ the
    sum, relative to exp f(π/2), is::

        k(φ) = ½ (1 - sin φ) exp(f(π/2 - φ) - f(π/2)) + ½ (1 + sin φ) exp(f(π/2 + φ) - f(π/2))

    and must be at most 1. For f = κ f₁, k is 1 at κ = 0 and a convex function of κ: if it is at most 1 for
    all φ at some κ, it is so at every smaller κ. ``kernels(θ)`` gives exp(f(θ) - f(π/2)) and exp(f(π - θ) -
    f(π/2)); the share that is accepted is exp(-f(π/2)) times the normalizer of Haar probability.
    """

    def propose(count: int, rows: Any) -> tuple[Array, Mask]:
        theta = np.pi * rng.random(count)
        square = np.sin(0.5 * theta) ** 2
        here, there = kernels(theta)
        here *= square
        level = rng.random(count)
        return np.where(level < here, theta, np.pi - theta), level < here + (1.0 - square) * there

    return draw_by_rejection(size, share, propose)


def draw_head_or_tail(
    size: int, power: int, steepness: float, edge: float, normalizer: float, rng: np.random.Generator
) -> Array:
    """Draws of a concentrated law, in s = sin(θ/2): a gamma law below ``edge``, an exponential one above.

    The target is s² exp(-``steepness`` s^``power``) ds/√(1 - s²), 0 ≤ s ≤ 1, with the power 1 or 2.

    Below the edge, -½ log(1 - s²) is convex in s^power and so at most ``tilt`` s^power, with equality at 0
    and at the edge: s^power is proposed from the gamma law of shape 3/power and rate steepness - tilt.
    Above, cos^power φ, φ = arccos s = π/2 - θ/2, is concave (with the power 2 from s = √½ on) and so at least
    1 - (1 - edge^power) φ/φ(edge), and s² ≤ 1: φ is proposed from the rising exponential law that follows. A
    side is chosen with the mass of its proposal.
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
