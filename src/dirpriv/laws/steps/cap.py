"""The cap law: two levels, one within an angle of the mode and one beyond."""

from typing import Any

import numpy as np

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array
from dirpriv.laws.steps.piecewise import Kernel, PiecewiseSphericalLaw


class CapKernel:
    """The kernel f = 0 within the half angle and -κ beyond, and what it guarantees, in any space."""

    kappa: Any
    half_angle: float

    why_infinite = (
        "the density jumps at the border of the cap: two inputs on both sides of an output's border lose κ, "
        "however near they are"
    )

    def _check_half_angle(self, half_angle: Any) -> float:
        angle = validate.positive("half_angle", half_angle)
        if angle >= np.pi:
            raise InvalidArgument("half_angle", "must be below π", got=half_angle)
        return angle

    def _pieces_of_kernel(self) -> Kernel:
        return Kernel(np.array([self.half_angle]), np.array([0.0, -self.kappa]), np.zeros(2))

    def _metric_level(self) -> float:
        return np.inf if self.kappa > 0.0 else 0.0

    def _pure_level(self) -> float:
        return float(self.kappa)

    def _loss_at(self, distance: Array) -> Array:
        return np.full(distance.shape, float(self.kappa))


class Cap(CapKernel, PiecewiseSphericalLaw):
    """Cap law on the unit sphere: log kernel f(θ) = κ within the half angle, 0 beyond it.

    The density within the cap is e^κ times that beyond. Among all mechanisms of pure ε-differential privacy a
    cap with κ = ε has the smallest expected loss, for every loss that grows with the angle; its best half
    angle depends on the loss, see :class:`dirpriv.mechanisms.CapMechanism`.

    Parameters
    ----------
    dim : int
        Length n of the vectors: 2 for the circle, 3 for the sphere.
    kappa : float
        Level κ ≥ 0 between any two inputs; 0 is the uniform law.
    half_angle : float
        Angle from the mode to the border of the cap, between 0 and π.

    Raises
    ------
    ValueError
        If ``dim`` is below 2, ``kappa`` negative, infinite, nan or an array, or ``half_angle`` not between 0
        and π.

    References
    ----------
    .. [1] H. Asi, V. Feldman, K. Talwar, "Optimal algorithms for mean estimation under local differential
       privacy", ICML 2022.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.laws import Cap
    >>> law = Cap(dim=3, kappa=1.0, half_angle=np.pi / 2)
    >>> round(law.angle_cdf(np.pi / 2), 4), law.pure_level(), law.metric_level()  # e/(e + 1)
    (0.7311, 1.0, inf)
    """

    def __init__(self, dim: int, kappa: float, half_angle: float) -> None:
        super().__init__(dim, kappa)
        self._set(half_angle=self._check_half_angle(half_angle))
