"""Distributions of rotations whose log kernel falls in steps: cap and staircase."""

import numpy as np

from dirpriv._lib.types import Array, FloatOrArray
from dirpriv.distributions.piecewise.families import CapKernel, StaircaseKernel
from dirpriv.distributions.piecewise.piecewise import PiecewiseDistribution
from dirpriv.distributions.rotations.base import RotationDistribution
from dirpriv.distributions.rotations.laplace import RotationLaplace
from dirpriv.distributions.shared.colatitude import ColatitudeDistribution


class _RotationSteps(PiecewiseDistribution, RotationDistribution):
    """Base of the distributions of rotations whose log kernel falls in straight pieces."""

    _bend_scale = float(np.sqrt(2.0)), 4.0
    _dimension = 3

    def _exponential(self, slope: float) -> ColatitudeDistribution:
        return RotationLaplace(slope)

    def _alignment(self, theta: FloatOrArray) -> FloatOrArray:
        return (1.0 + 2.0 * np.cos(theta)) / 3.0  # of the mean rotation matrix

    def _half_peak(self) -> tuple[float, float]:
        return float(np.sin(0.5 * self._peak.from_zero)), float(np.sin(0.5 * self._peak.from_pi))

    def _draw_block(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        return self._draw_angles(size, kappa, rng)


class RotationCap(CapKernel, _RotationSteps):
    """Cap distribution on SO(3): log kernel f(θ) = κ within the half angle, 0 beyond it, θ = φ₆.

    See :class:`dirpriv.distributions.Cap`: among all mechanisms on rotations of pure ε-differential privacy, a cap
    with κ = ε has the smallest expected loss, for every loss that grows with the angle.

    Parameters
    ----------
    kappa, half_angle : float
        As for :class:`dirpriv.distributions.Cap`.

    Examples
    --------
    >>> from scipy.spatial.transform import Rotation
    >>> from dirpriv.distributions import RotationCap
    >>> distribution = RotationCap(kappa=2.0, half_angle=1.5)
    >>> distribution.pure_level(), len(distribution.rvs(Rotation.identity(), size=5, rng=1))
    (2.0, 5)
    """

    def __init__(self, kappa: float, half_angle: float) -> None:
        super().__init__(kappa)
        self._set_half_angle(half_angle)


class RotationStaircase(StaircaseKernel, _RotationSteps):
    """Staircase distribution on SO(3): log kernel f(θ) = -κ times the steps below θ = φ₆.

    See :class:`dirpriv.distributions.Staircase`: rotations at most k widths apart lose at most k κ.

    Parameters
    ----------
    kappa, width, offset : float
        As for :class:`dirpriv.distributions.Staircase`.

    Examples
    --------
    >>> from dirpriv.distributions import RotationStaircase
    >>> distribution = RotationStaircase(kappa=1.0, width=0.5, offset=0.2)
    >>> distribution.privacy_loss([0.1, 0.5, 0.6]).tolist()
    [1.0, 1.0, 2.0]
    """

    def __init__(self, kappa: float, width: float, offset: float) -> None:
        super().__init__(kappa)
        self._set_steps(width, offset)
