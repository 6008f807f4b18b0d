"""The trapezoid law: flat, falling at one rate, and flat again."""

import numpy as np

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array
from dirpriv.laws.steps.piecewise import Kernel, PiecewiseSphericalLaw


class Trapezoid(PiecewiseSphericalLaw):
    """Trapezoid law on the unit sphere: log kernel f(θ) = -min(κ max(θ - plateau, 0), depth).

    It keeps two promises at once, κ per radian and ``depth`` in all. Among all mechanisms that do, the one
    with the smallest expected loss is a trapezoid, for every loss that grows with the angle; its best plateau
    depends on the loss, see :class:`dirpriv.mechanisms.TrapezoidMechanism`.

    Parameters
    ----------
    dim : int
        Length n of the vectors: 2 for the circle, 3 for the sphere.
    kappa : float
        Slope κ ≥ 0 of the fall, per radian; 0 is the uniform law.
    depth : float
        How far the log-density falls, at least 0.
    plateau : float
        Angle at which it begins to fall, from 0 to less than π.

    Raises
    ------
    ValueError
        If a parameter is out of its range, or ``kappa`` is an array.

    Examples
    --------
    >>> from dirpriv.laws import Trapezoid
    >>> law = Trapezoid(dim=2, kappa=2.0, depth=1.0, plateau=0.5)
    >>> law.metric_level(), law.pure_level(), law.privacy_loss([0.1, 1.0]).tolist()
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

    def _pieces_of_kernel(self) -> Kernel:
        kappa, depth, plateau = self.kappa, self.depth, self.plateau
        if self._pure_level() == 0.0:
            return Kernel(np.empty(0), np.zeros(1), np.zeros(1))
        foot = plateau + depth / kappa
        if foot == plateau:  # so steep that it is a jump in doubles
            return Kernel(np.array([plateau]), np.array([0.0, -depth]), np.zeros(2))
        edges = np.array([plateau, foot])
        values, slopes = np.array([0.0, 0.0, -depth]), np.array([0, kappa, 0])
        first, last = (0 if plateau > 0.0 else 1), (3 if foot < np.pi else 2)
        return Kernel(edges[first : last - 1], values[first:last], slopes[first:last])

    def _metric_level(self) -> float:
        return float(self.kappa) if self._pure_level() > 0.0 else 0.0

    def _pure_level(self) -> float:
        return float(min(self.kappa * (np.pi - self.plateau), self.depth))

    def _loss_at(self, distance: Array) -> Array:
        return np.minimum(self.kappa * distance, self._pure_level())
