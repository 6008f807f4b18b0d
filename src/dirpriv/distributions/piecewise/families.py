"""The distributions whose log kernel falls in steps: cap, staircase, and the trapezoid with a slope for its step."""

from typing import Any

import numpy as np

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array
from dirpriv.distributions.piecewise import piecewise
from dirpriv.distributions.piecewise.piecewise import PiecewiseKernel, PiecewiseSphericalDistribution
from dirpriv.distributions.shared import loss_distribution

_MOST_STEPS = 1_000_000


class CapKernel(piecewise.PiecewiseDistribution):
    """The kernel f = 0 within the half angle and -κ beyond, and what it guarantees, in any space."""

    half_angle: float

    why_infinite = (
        "the density jumps at the border of the cap: two inputs on both sides of an output's border lose κ, "
        "however near they are"
    )

    def _set_half_angle(self, half_angle: Any) -> None:
        angle = validate.positive("half_angle", half_angle)
        if angle >= np.pi:
            raise InvalidArgument("half_angle", "must be below π", got=half_angle)
        self._set(half_angle=angle)

    def _pieces_of_kernel(self) -> PiecewiseKernel:
        return PiecewiseKernel(np.array([self.half_angle]), np.array([0.0, -self.kappa]), np.zeros(2))

    def _metric_level(self) -> float:
        return np.inf if self.kappa > 0.0 else 0.0

    def _pure_level(self) -> float:
        return float(self.kappa)

    def _loss_at(self, distance: Array) -> Array:
        return np.full(distance.shape, float(self.kappa))


class Cap(CapKernel, PiecewiseSphericalDistribution):
    """Cap distribution on the unit sphere: log kernel f(θ) = κ within the half angle, 0 beyond it.

    The density within the cap is e^κ times that beyond. Among all mechanisms of pure ε-differential privacy a
    cap with κ = ε has the smallest expected loss, for every loss that grows with the angle; its best half
    angle depends on the loss, see :meth:`dirpriv.mechanisms.CapMechanism.pure`, also for the sources.

    Parameters
    ----------
    dim : int
        Length n of the vectors: 2 for the circle, 3 for the sphere.
    kappa : float
        Level κ ≥ 0 between any two inputs; 0 is the uniform distribution.
    half_angle : float
        Angle from the mode to the border of the cap, between 0 and π.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.distributions import Cap
    >>> distribution = Cap(dim=3, kappa=1.0, half_angle=np.pi / 2)
    >>> round(distribution.angle_cdf(np.pi / 2), 4), distribution.pure_level(), distribution.metric_level()  # e/(e + 1)
    (0.7311, 1.0, inf)
    """

    def __init__(self, dim: int, kappa: float, half_angle: float) -> None:
        super().__init__(dim, kappa)
        self._set_half_angle(half_angle)


class StaircaseKernel(piecewise.PiecewiseDistribution):
    """The kernel of a staircase, and what it guarantees, in any space."""

    width: float
    offset: float

    why_infinite = (
        "the density jumps at each step: two inputs on both sides of an output's step lose κ, however near they are"
    )

    @property
    def steps(self) -> tuple[float, float]:
        """Height κ and width of a step, in radians: inputs at most k widths apart lose at most k heights."""
        return float(self.kappa), self.width

    def _set_steps(self, width: Any, offset: Any) -> None:
        width, offset = validate.positive("width", width), validate.nonnegative("offset", offset)
        if width > np.pi:
            raise InvalidArgument("width", "must be at most π", got=width, hint="no two inputs can be farther apart")
        if np.pi / width > _MOST_STEPS:
            rule = f"must be at least π/{_MOST_STEPS}, {np.pi / _MOST_STEPS:.3g}"
            others = "PurkayasthaMechanism, or RotationLaplaceMechanism"
            hint = f"so narrow a staircase is hardly better than {others}"
            raise InvalidArgument("width", rule, got=width, hint=hint)
        if offset >= width:
            raise InvalidArgument("offset", f"must be below the width {width!r}", got=offset)
        self._set(width=width, offset=offset)

    def _pieces_of_kernel(self) -> PiecewiseKernel:
        edges = self.offset + self.width * np.arange(1 + np.ceil((np.pi - self.offset) / self.width))
        edges = edges[(edges > 0.0) & (edges < np.pi)]  # a step at 0 itself is one of no output
        return PiecewiseKernel(edges, -self.kappa * np.arange(edges.size + 1.0), np.zeros(edges.size + 1))

    def _metric_level(self) -> float:
        return np.inf if self.kappa > 0.0 and self._kernel.edges.size else 0.0

    def _pure_level(self) -> float:
        return float(self.kappa * self._kernel.edges.size)

    def _loss_at(self, distance: Array) -> Array:
        return float(self.kappa) * np.minimum(loss_distribution.steps_to(distance, self.width), self._kernel.edges.size)


class Staircase(StaircaseKernel, PiecewiseSphericalDistribution):
    """Staircase distribution on the unit sphere: log kernel f(θ) = -κ times the steps below θ.

    The steps are at ``offset``, ``offset + width``, ``offset + 2 width``, …. Two inputs at most a width apart
    lose at most κ. Two inputs at most k widths apart lose at most k κ. This is the promise "level κ within a
    radius", read literally. Nearer inputs may also lose κ.

    Parameters
    ----------
    dim : int
        Length n of the vectors: 2 for the circle, 3 for the sphere.
    kappa : float
        Height κ ≥ 0 of a step of the log-density; 0 is the uniform distribution.
    width : float
        Width of a step in radians: the radius of the promise, from π/1 000 000 to π.
    offset : float
        Angle of the first step, from 0 to less than the width.

    References
    ----------
    .. [1] Geng, Q., Viswanath, P., "The optimal mechanism in differential privacy", ISIT 2014: on the line.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.distributions import Staircase
    >>> distribution = Staircase(dim=2, kappa=1.0, width=np.pi / 4, offset=0.3)
    >>> distribution.privacy_loss([0.01, np.pi / 4, 0.8, np.pi]).tolist()
    [1.0, 1.0, 2.0, 4.0]
    """

    def __init__(self, dim: int, kappa: float, width: float, offset: float) -> None:
        super().__init__(dim, kappa)
        self._set_steps(width, offset)


class Trapezoid(PiecewiseSphericalDistribution):
    """Trapezoid distribution on the unit sphere: log kernel f(θ) = -min(κ max(θ - plateau, 0), depth).

    It keeps two promises at once, κ per radian and ``depth`` in all. Among all mechanisms that do, the one
    with the smallest expected loss is a trapezoid, for every loss that grows with the angle; its best plateau
    depends on the loss, see :class:`dirpriv.mechanisms.TrapezoidMechanism`.

    Parameters
    ----------
    dim : int
        Length n of the vectors: 2 for the circle, 3 for the sphere.
    kappa : float
        Slope κ ≥ 0 of the fall, per radian; 0 is the uniform distribution.
    depth : float
        How far the log-density falls, at least 0.
    plateau : float
        Angle at which it begins to fall, from 0 to less than π.

    Examples
    --------
    >>> from dirpriv.distributions import Trapezoid
    >>> distribution = Trapezoid(dim=2, kappa=2.0, depth=1.0, plateau=0.5)
    >>> distribution.metric_level(), distribution.pure_level(), distribution.privacy_loss([0.1, 1.0]).tolist()
    (2.0, 1.0, [0.2, 1.0])
    """

    depth: float
    plateau: float

    def __init__(self, dim: int, kappa: float, depth: float, plateau: float) -> None:
        super().__init__(dim, kappa)
        depth, plateau = validate.nonnegative("depth", depth), validate.nonnegative("plateau", plateau)
        if plateau >= np.pi:
            raise InvalidArgument("plateau", "must be below π", got=plateau)
        self._set(depth=depth, plateau=plateau)

    def _pieces_of_kernel(self) -> PiecewiseKernel:
        kappa, depth, plateau = self.kappa, self.depth, self.plateau
        if self._pure_level() == 0.0:
            return PiecewiseKernel(np.empty(0), np.zeros(1), np.zeros(1))
        foot = plateau + depth / kappa
        if foot == plateau:  # so steep that it is a jump in doubles
            return PiecewiseKernel(np.array([plateau]), np.array([0.0, -depth]), np.zeros(2))
        edges = np.array([plateau, foot])
        values, slopes = np.array([0.0, 0.0, -depth]), np.array([0, kappa, 0])
        first, last = (0 if plateau > 0.0 else 1), (3 if foot < np.pi else 2)
        return PiecewiseKernel(edges[first : last - 1], values[first:last], slopes[first:last])

    def _metric_level(self) -> float:
        return float(self.kappa) if self._pure_level() > 0.0 else 0.0

    def _pure_level(self) -> float:
        return float(min(self.kappa * (np.pi - self.plateau), self.depth))

    def _loss_at(self, distance: Array) -> Array:
        return np.minimum(self.kappa * distance, self._pure_level())
