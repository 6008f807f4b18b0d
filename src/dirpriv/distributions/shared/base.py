"""What all distributions share: what they guarantee when they are used as a mechanism."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.immutable import Frozen, constructed
from dirpriv._lib.types import Array, FloatOrArray, Integers, Size
from dirpriv.distributions.shared import loss_distribution
from dirpriv.distributions.shared import privacy_blanket as _blanket
from dirpriv.geometry.spaces import Space


def scalar_or_array(values: Any) -> Any:
    """A Python float of one number, an array of more."""
    return values if np.ndim(values) else float(values)


def shape_around(name: str, one: str, batch: tuple[int, ...], size: Size | None) -> tuple[int, ...]:
    """Shape of the draws: ``size`` of them around a single input, or one around each of a batch."""
    if batch and size is not None:
        rule = f"goes with a single {one}; '{name}' is a batch of shape {batch}"
        raise InvalidArgument("size", rule, hint="one draw is made around each")
    return batch if size is None else validate.shape("size", size)


class CompleteDistribution(Frozen, ABC):
    """Base of the distributions of which all is known that guarantees, mechanisms and estimators ask.

    ``why_infinite`` is empty where both levels are finite; a symmetric distribution is the same about every mode.
    ``assumes`` says what the levels rest on beside the library's own proofs; it is empty of its distributions.
    """

    space: Space
    why_infinite: str = ""
    assumes: str = ""
    is_symmetric: bool = True

    @property
    def steps(self) -> tuple[float, float] | None:
        """Level and radius of a staircase, see :class:`dirpriv.guarantees.Guarantee`; of other distributions None."""
        return None

    @abstractmethod
    def metric_level(self) -> float:
        """ε of ε·d-privacy: the largest loss between two inputs per radian or unit of length, exactly.

        ``inf`` where there is no guarantee: see ``why_infinite`` and :func:`dirpriv.guarantees.metric_level`.
        """

    @abstractmethod
    def pure_level(self) -> float:
        """ε of pure ε-DP: the largest loss between any two inputs, exactly; ``inf`` as for :meth:`metric_level`."""

    @abstractmethod
    def privacy_loss(self, distance: Any) -> FloatOrArray:
        """Largest loss of privacy between two inputs exactly at a distance; 0 at 0.

        See :func:`dirpriv.guarantees.privacy_loss_at`.

        Parameters
        ----------
        distance : array_like
            Radians from 0 to π; in space any length.
        """

    @abstractmethod
    def privacy_loss_within(self, radius: Any) -> FloatOrArray:
        """Largest loss of privacy between any two inputs at most so far apart.

        See :func:`dirpriv.guarantees.privacy_loss_within`.

        Parameters
        ----------
        radius : array_like or str
            Radians from 0 to π; in space any length. Of a release as for its ``certificate.loss``.
        """

    @abstractmethod
    def privacy_loss_distribution(self, distance: Any) -> tuple[Array, Array]:
        """Distribution of the privacy loss between two inputs at most so far apart, at its worst.

        It is given by two arrays: the probabilities of the losses under the first input, and the losses in nats,
        rounded up.

        Parameters
        ----------
        distance : float
            Radians from 0 to π; in space any length.

        Raises
        ------
        InvalidArgument
            If the distance is negative, nan or above π, or two inputs have no finite loss there.

        Notes
        -----
        No event E has more than P(E) - γ Q(E) ≤ Σ p (1 - γ exp(-L))₊, for any γ > 0 and the distributions P and Q of
        the responses to *any* two inputs at most so far apart. Such bounds compose as probabilities do. For
        distributions that fall with the distance two inputs at ``distance`` are the worst (docs/mathematics.md); their
        losses are known in small cells of outputs, or for step functions on the circle exactly. For those in
        other spaces it is randomised response, from whose output every mechanism of this loss can be made.

        Examples
        --------
        >>> from dirpriv.distributions import Cap
        >>> probabilities, losses = Cap(dim=2, kappa=1.0, half_angle=1.0).privacy_loss_distribution(0.5)
        >>> [round(float(probabilities[losses == loss].sum()), 3) for loss in (-1.0, 0.0, 1.0)]
        [0.051, 0.809, 0.14]
        """

    @abstractmethod
    def privacy_blanket(self) -> _blanket.Blanket:
        """What the bounds for shuffled responses need of the distribution, see :mod:`dirpriv.guarantees.shuffling`.

        It is a :class:`dirpriv.guarantees.ShufflingParameters` that knows the distribution of the privacy gain, too.

        Raises
        ------
        InvalidArgument
            If the distribution has no finite pure level, is not symmetric about its mode, or rises with the angle.
        """

    def _blanket_within(self, distance: Any) -> _blanket.Blanket:
        """That for two inputs at most so far apart, among others that may be anywhere."""
        hint = "omit 'distance', or use the distribution of a release on the circle (release.noise)"
        raise InvalidArgument("no bound within a distance is known for this distribution", got=self, hint=hint)

    def _finite(self, loss: float, what: str, so: str) -> float:
        """A loss or a level, or an error where it is infinite: what it is, and what follows."""
        if not loss < np.inf:
            why = f" ({self.why_infinite})" if self.why_infinite else ""
            rule = f"{self!r} has no finite {what}{why}, so {so}"
            raise InvalidArgument(rule, hint="use a distribution with one, as Purkayastha")
        return loss

    def _finite_loss(self, distance: float) -> float:
        loss, what = float(self.privacy_loss_within(distance)), f"privacy loss at the distance {distance!r}"
        return self._finite(loss, what, "its responses are not composed")

    def _finite_level(self) -> float:
        return self._finite(self.pure_level(), "pure level", "no bound for shuffled responses is known here")

    def _distance(self, distance: Any) -> Any:
        """One distance, checked; distributions of releases take texts, too."""
        return float(self.space.distances("distance", validate.nonnegative("distance", distance)))


class CellNoise(ABC):
    """Noise between the square cells, of side ``cell_size``, of a grid in the plane. Reports are centres."""

    cell_size: float

    @abstractmethod
    def square_transitions(self, side: float, count: int) -> Array:
        """Probabilities that a place in one square of a grid is released in another, by their offset."""

    kappa: float
    _quadrant_error: float  # their total variation from those of the release

    @abstractmethod
    def _quadrant(self, cells: Integers) -> Array:
        """Probabilities of moves by 0 to some cells along both axes, moves by 0 by half."""


class CircleCellNoise(ABC):
    """Noise between equal cells of the circle, by the probabilities of moves by each number of cells."""

    probabilities: Array


class BaseDistribution(CompleteDistribution):
    """Base of the distributions: a concentration ``kappa`` that cannot be changed, and the privacy that follows."""

    kappa: Any

    __repr__ = constructed

    @abstractmethod
    def _metric_level(self) -> float:
        """sup |f'| of the log kernel f: the privacy lost per unit of distance."""

    @abstractmethod
    def _pure_level(self) -> float:
        """max f - min f of the log kernel f."""

    @abstractmethod
    def _loss_at(self, distance: Array) -> Array:
        """Largest f(θ) - f(θ') between inputs exactly so far apart, for distances above 0."""

    def _inputs(self, name: str, values: Any) -> Any:
        """Inputs, checked: the argument of this name; by default unit vectors."""
        return validate.unit_vectors(name, values, self.space.dimension)

    def _loss_within(self, radius: Array) -> Array:
        """The same for inputs at most so far apart; ``_loss_at`` where that grows with the distance."""
        return self._loss_at(radius)

    def _loss_distribution(self, distance: float, loss: float) -> tuple[Array, Array]:
        """As ``privacy_loss_distribution``, with the largest loss, of a distribution that falls with the distance."""
        masses, lows, highs = loss_distribution.loss_cells(self, distance, loss)
        return masses.ravel(), np.concatenate([lows, highs])

    def _one_kappa(self) -> float:
        if np.ndim(self.kappa):
            rule = f"must be one number; only draws can be made with one per row (here {np.size(self.kappa)})"
            hint = "make a distribution of each to ask for its density, probabilities, means or privacy"
            raise InvalidArgument("kappa", rule, hint=hint)
        return float(self.kappa)

    def _shape_per_kappa(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        try:
            return np.broadcast_shapes(shape, np.shape(self.kappa))
        except ValueError:
            rule = f"has the shape {np.shape(self.kappa)}, which does not go with draws of shape {shape}"
            raise InvalidArgument("kappa", rule, hint="give one for each row") from None

    def metric_level(self) -> float:
        self._one_kappa()
        return float(self._metric_level()) + 0.0  # no -0.0

    def pure_level(self) -> float:
        self._one_kappa()
        return float(self._pure_level()) + 0.0

    def privacy_loss(self, distance: ArrayLike) -> FloatOrArray:
        return self._where_apart(self.space.distances("distance", distance), self._loss_at)

    def privacy_loss_within(self, radius: ArrayLike) -> FloatOrArray:
        return self._where_apart(self.space.distances("radius", radius), self._loss_within)

    def privacy_loss_distribution(self, distance: float) -> tuple[Array, Array]:
        distance = self._distance(distance)
        loss = self._finite_loss(distance)
        if loss == 0.0:
            return np.ones(1), np.zeros(1)
        return self._loss_distribution(distance, loss)

    def privacy_blanket(self) -> _blanket.Blanket:
        level = self._finite_level()
        if not self.is_symmetric:
            raise _blanket.no_blanket(self, level)
        return _blanket.blanket_from_distribution(self)

    def _where_apart(self, distances: Array, loss: Any) -> Any:
        self._one_kappa()
        return scalar_or_array(np.where(distances > 0.0, loss(distances), 0.0))
