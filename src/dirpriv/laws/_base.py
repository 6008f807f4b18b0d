"""What all laws share: what they guarantee when they are used as a mechanism."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from dirpriv import _validate
from dirpriv._errors import InvalidArgument
from dirpriv._frozen import Frozen
from dirpriv._types import Array, FloatOrArray


def plain(values: Any) -> Any:
    """A Python float of one number, an array of more."""
    return values if np.ndim(values) else float(values)


class BaseLaw(Frozen, ABC):
    """Base of the laws: a concentration ``kappa`` that cannot be changed, and the privacy that follows.

    Attributes
    ----------
    metric : str
        Name of the distance between inputs: ``"angle"``, ``"rotation angle"`` or ``"euclidean"``.
    why_infinite : str
        Why a level is infinite; empty where both are finite.
    is_symmetric : bool
        Whether the law is symmetric about its mode, so that it is the same law everywhere.
    """

    metric: ClassVar[str]
    why_infinite: ClassVar[str] = ""
    is_symmetric: ClassVar[bool] = True

    kappa: Any

    # ------------------------------------------------------------------ what a subclass gives

    @abstractmethod
    def _metric_level(self) -> float:
        """sup |f'| of the log kernel f: the privacy lost per unit of distance."""

    @abstractmethod
    def _pure_level(self) -> float:
        """max f - min f of the log kernel f."""

    @abstractmethod
    def _loss_at(self, distance: Array) -> Array:
        """Largest f(θ) - f(θ') between inputs exactly so far apart, for distances above 0."""

    def _loss_within(self, radius: Array) -> Array:
        """The same for inputs at most so far apart; ``_loss_at`` where that grows with the distance."""
        return self._loss_at(radius)

    # ------------------------------------------------------------------ what follows

    @property
    def _one_kappa(self) -> float:
        """The concentration, if it is one number."""
        if np.ndim(self.kappa):
            raise InvalidArgument(
                f"only draws can be made with one 'kappa' per row (here {np.size(self.kappa)} of them); "
                "make a law of each to ask for its density, probabilities, means or privacy"
            )
        return float(self.kappa)

    def metric_level(self) -> float:
        """Largest loss of privacy per unit of distance between two inputs, exactly.

        Returns
        -------
        float
            Per radian, or per unit of length in space; ``inf`` where there is no guarantee, and then
            ``why_infinite`` says why. See :func:`dirpriv.guarantees.metric_level`.
        """
        self._one_kappa  # noqa: B018
        return float(self._metric_level()) + 0.0  # no -0.0

    def pure_level(self) -> float:
        """Largest loss of privacy between any two inputs, exactly.

        Returns
        -------
        float
            ε of pure differential privacy; ``inf`` where there is no guarantee, and then ``why_infinite``
            says why. See :func:`dirpriv.guarantees.pure_level`.
        """
        self._one_kappa  # noqa: B018
        return float(self._pure_level()) + 0.0

    def privacy_loss(self, distance: ArrayLike) -> FloatOrArray:
        """Largest loss of privacy between two inputs exactly at a distance.

        Parameters
        ----------
        distance : array_like
            Radians from 0 to π; in space any length.

        Returns
        -------
        float or ndarray
            Of the shape of ``distance``; 0 at 0. See :func:`dirpriv.guarantees.privacy_loss`.

        Raises
        ------
        ValueError
            If a distance is negative, nan or above π.
        """
        distances = _validate.distances("distance", distance, self.metric)
        return self._where_apart(distances, self._loss_at)

    def loss_within(self, radius: ArrayLike) -> FloatOrArray:
        """Largest loss of privacy between any two inputs at most so far apart.

        Parameters
        ----------
        radius : array_like
            Radians from 0 to π; in space any length.

        Returns
        -------
        float or ndarray
            Of the shape of ``radius``; 0 at 0. See :func:`dirpriv.guarantees.loss_within`.

        Raises
        ------
        ValueError
            If a radius is negative, nan or above π.
        """
        return self._where_apart(_validate.distances("radius", radius, self.metric), self._loss_within)

    def _where_apart(self, distances: Array, loss: Any) -> Any:
        self._one_kappa  # noqa: B018
        return plain(np.where(distances > 0.0, loss(distances), 0.0))
