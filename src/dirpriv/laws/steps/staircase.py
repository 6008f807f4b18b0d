"""The staircase law: the density falls by one factor at equal steps of the angle."""

from typing import Any

import numpy as np

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array
from dirpriv.laws.shared import kernels
from dirpriv.laws.steps.piecewise import Kernel, PiecewiseSphericalLaw

_MOST_STEPS = 1_000_000


class StaircaseKernel:
    """The kernel of a staircase, and what it guarantees, in any space."""

    kappa: Any
    width: float
    offset: float

    why_infinite = (
        "the density jumps at each step: two inputs on both sides of an output's step lose κ, however near "
        "they are"
    )

    @property
    def steps(self) -> tuple[float, float]:
        """Height κ and width of a step, in radians: inputs at most k widths apart lose at most k heights."""
        return float(self.kappa), self.width

    def _check_steps(self, width: Any, offset: Any) -> tuple[float, float]:
        width, offset = validate.positive("width", width), validate.nonnegative("offset", offset)
        if width > np.pi:
            remedy = "no two inputs can be farther apart"
            raise InvalidArgument("width", "must be at most π", got=width, remedy=remedy)
        if np.pi / width > _MOST_STEPS:
            rule = f"must be at least π/{_MOST_STEPS}, {np.pi / _MOST_STEPS:.3g}"
            others = "PurkayasthaMechanism, or RotationLaplaceMechanism"
            remedy = f"so narrow a staircase is hardly better than {others}"
            raise InvalidArgument("width", rule, got=width, remedy=remedy)
        if offset >= width:
            raise InvalidArgument("offset", f"must be below the width {width!r}", got=offset)
        return width, offset

    def _pieces_of_kernel(self) -> Kernel:
        edges = self.offset + self.width * np.arange(1 + np.ceil((np.pi - self.offset) / self.width))
        edges = edges[(edges > 0.0) & (edges < np.pi)]  # a step at 0 itself is one of no output
        return Kernel(edges, -self.kappa * np.arange(edges.size + 1.0), np.zeros(edges.size + 1))

    _kernel: Kernel

    def _metric_level(self) -> float:
        return np.inf if self.kappa > 0.0 and self._kernel.edges.size else 0.0

    def _pure_level(self) -> float:
        return float(self.kappa * self._kernel.edges.size)

    def _loss_at(self, distance: Array) -> Array:
        return float(self.kappa) * np.minimum(kernels.steps_to(distance, self.width), self._kernel.edges.size)


class Staircase(StaircaseKernel, PiecewiseSphericalLaw):
    """Staircase law on the unit sphere: log kernel f(θ) = -κ times the steps below θ.

    The steps are at ``offset``, ``offset + width``, ``offset + 2 width``, …. Two inputs at most a width apart
    lose at most κ. Two inputs at most k widths apart lose at most k κ. This is the promise "level κ within a
    radius", read literally. Nearer inputs may also lose κ.

    Parameters
    ----------
    dim : int
        Length n of the vectors: 2 for the circle, 3 for the sphere.
    kappa : float
        Height κ ≥ 0 of a step of the log-density; 0 is the uniform law.
    width : float
        Width of a step in radians: the radius of the promise, from π/1 000 000 to π.
    offset : float
        Angle of the first step, from 0 to less than the width.

    Raises
    ------
    ValueError
        If a parameter is out of its range, or ``kappa`` is an array.

    References
    ----------
    .. [1] Q. Geng, P. Viswanath, "The optimal mechanism in differential privacy", ISIT 2014: on the line.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.laws import Staircase
    >>> law = Staircase(dim=2, kappa=1.0, width=np.pi / 4, offset=0.3)
    >>> law.privacy_loss([0.01, np.pi / 4, 0.8, np.pi]).tolist()
    [1.0, 1.0, 2.0, 4.0]
    """

    def __init__(self, dim: int, kappa: float, width: float, offset: float) -> None:
        super().__init__(dim, kappa)
        width, offset = self._check_steps(width, offset)
        self._set(width=width, offset=offset)
