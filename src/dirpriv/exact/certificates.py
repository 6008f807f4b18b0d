"""What a table of integer weights guarantees, computed from the weights in exact arithmetic."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import units, validate
from dirpriv._lib.immutable import Frozen
from dirpriv._lib.types import FloatOrArray
from dirpriv.exact import arithmetic
from dirpriv.exact.circle_cells import CircleCells
from dirpriv.exact.weight_tables import steepest_ratio
from dirpriv.geometry.spaces import PLANE


class Certificate(Frozen, ABC):
    """What is guaranteed between cells, per unit of distance, and between any two inputs."""

    cells: float
    pure: float

    @abstractmethod
    def loss(self, distance: Any) -> FloatOrArray:
        """Largest loss of privacy in nats between two inputs at most at a distance.

        On the circle inputs d apart lie in cells at most ⌈d/h⌉ apart, h the width of a cell, so it is the
        largest log ratio of weights so far apart; for a metric release at most ε h ⌈d/h⌉. A level per radian
        of *inputs* does not exist: two inputs on both sides of a border lose ε h, however near they are. At 0
        it is 0: one time has one cell, however it is written.

        Of places it is min(ε (s d + c), pure). At 0 it is εc, and not 0: the inputs may be one place that is
        written in two ways, as the longitudes -179.9 and 180.1, or any two at a pole. Their projections
        differ in the last digit, and beside a border they lie in two cells.

        Parameters
        ----------
        distance : array_like, str or timedelta
            On the circle radians from 0 to π, or a text such as ``"75min"`` or ``"45deg"``; a double within 4
            units in the last place of a whole number of cells means that number. Of places metres on the
            ground, or a text such as ``"200m"`` or ``"1.5km"``.

        Examples
        --------
        >>> import numpy as np
        >>> from dirpriv.release import CircleRelease
        >>> certificate = CircleRelease.within(level=1.0, radius="3h", cells=96).certificate
        >>> certificate.cells_within("75min"), certificate.loss("75min") == certificate.between(5)
        (5, True)
        >>> certificate.loss("75min") == certificate.loss(np.pi * 75 / 720)
        True
        >>> certificate.loss([0.0, 1e-9, np.pi / 4]).round(3).tolist()
        [0.0, 0.083, 1.0]
        """

    def __repr__(self) -> str:
        return f"{type(self).__name__}(cells={self.cells!r}, pure={self.pure!r})"


class CircleCertificate(Certificate):
    """What the weights of a release on the circle guarantee, in exact arithmetic and rounded up.

    The loss of a released cell is the log ratio of two weights, those of its distances from the two inputs'
    cells. Ratios of integers are compared exactly, the logarithm of the largest is put between two rational
    numbers (to 2^-320), and the upper one is rounded up to a double.

    Parameters
    ----------
    weights, circle : sequence of int, CircleCells
        Positive weights by distance from the input's cell, nonincreasing; the cells of the circle.

    Attributes
    ----------
    cells : float
        Level per radian between cells: the largest log ratio of neighbouring weights over the width h of a
        cell. Cells k h apart lose at most this times k h.
    pure : float
        Largest loss between any two inputs.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.release import CircleRelease
    >>> certificate = CircleRelease.within(level=1.0, radius="3h").certificate
    >>> certificate.cells <= 4.0 / np.pi, certificate.loss("3h") <= 1.0
    (True, True)
    """

    _weights: tuple[int, ...]
    _circle: CircleCells

    def __init__(self, weights: Sequence[int], circle: CircleCells) -> None:
        self._set(_weights=tuple(weights), _circle=circle)
        neighbours = arithmetic.log(steepest_ratio(self._weights, 1)).above
        cells = arithmetic.double_not_below(neighbours * circle.count / (2 * arithmetic.pi().below))
        self._set(cells=cells, pure=self.between(len(self._weights) - 1))

    def between(self, cells: int) -> float:
        """Largest loss in nats between inputs whose cells are at most this many apart.

        Parameters
        ----------
        cells : int
            Number of cells, at least 0. Half of all cells is the farthest that two can be apart.
        """
        ratio = steepest_ratio(self._weights, validate.integer("cells", cells, 0))
        return arithmetic.double_not_below(arithmetic.log(ratio).above)

    def loss(self, distance: Any) -> FloatOrArray:
        if isinstance(distance, units.WITH_UNIT) or np.ndim(distance) == 0:
            return self.between(self.cells_within(distance))
        values = np.asarray(distance)
        losses = [self.between(self.cells_within(value)) for value in values.ravel()]
        return np.array(losses).reshape(values.shape)

    def cells_within(self, distance: Any) -> int:
        """How many cells apart two inputs at most at a distance can lie: ⌈d/h⌉, at most half of all cells.

        Parameters
        ----------
        distance : float, str or timedelta
            As for :meth:`loss`.
        """
        return self._circle.cells_within("distance", distance)


class PlaceCertificate(Certificate):
    r"""What a release of places, or of items of a list, guarantees, in exact arithmetic and rounded up.

    Inputs d apart on the ground are at most :math:`s\,d` apart on the map, and the centres of their cells at
    most :math:`s\,d + c`. So no released cell is more than :math:`e^{\varepsilon (s d + c)}` times as
    probable for the one as for the other.

    Parameters
    ----------
    epsilon, stretch, rounding, pure : Fraction
        Level ε per metre between the centres of two cells; factor s of distances, of the sphere against the ground
        and of the map against the sphere; metres c that the rounding of two inputs, to cells and to doubles, adds to
        their distance; largest loss between any two inputs.
    unit : str
        Of distances: metres, radians (``"rad"``), or one of its own (an empty text).

    Attributes
    ----------
    cells, pure : float
        ε, and the largest loss between any two inputs, as doubles.

    Examples
    --------
    >>> from dirpriv.release import PlaneRelease
    >>> city = {"region_centre": (40.75, -73.98), "region_reach": 30_000, "cell_size": 10}
    >>> certificate = PlaneRelease.within(level=1.0, radius=200, **city).certificate
    >>> certificate.loss(200) <= 1.0
    True
    >>> certificate.loss([0.0, 100.0, 400.0, 1e6]).round(2).tolist()
    [0.07, 0.53, 1.93, 52.68]
    """

    def __init__(self, epsilon: Fraction, stretch: Fraction, rounding: Fraction, pure: Fraction, unit: str) -> None:
        self._set(cells=arithmetic.double_not_below(epsilon), pure=arithmetic.double_not_below(pure))
        self._set(_epsilon=epsilon, _stretch=stretch, _rounding=rounding, _unit=unit)

    _epsilon: Fraction
    _stretch: Fraction
    _rounding: Fraction
    _unit: str

    def loss(self, distance: ArrayLike) -> FloatOrArray:
        if isinstance(distance, units.WITH_UNIT):
            return self._loss(arithmetic.exact_distance("distance", distance, self._unit))
        values = PLANE.distances("distance", distance)
        losses = [self._loss(Fraction(d)) if d < math.inf else self.pure for d in values.ravel().tolist()]
        return np.array(losses).reshape(values.shape) if values.ndim else losses[0]

    def _loss(self, distance: Fraction) -> float:
        between = self._epsilon * (self._stretch * distance + self._rounding)
        return min(arithmetic.double_not_below(between), self.pure)


class VisitCertificate(Certificate):
    r"""What a release of visits guarantees, in exact arithmetic and rounded up: a loss for both distances together.

    Cells of time j apart, and places at most d apart on the ground, lose at most
    :math:`\max(\delta j, \varepsilon (s\,d + c))`, of the level δ from a cell of time to the next, and a
    :class:`PlaceCertificate`.

    Parameters
    ----------
    step, circle, place : Fraction, CircleCells, PlaceCertificate
        δ, the cells of time, and the certificate of the places.

    Attributes
    ----------
    cells, pure : float
        The level between cells, in units of the release's space, 1, and the largest loss between any two inputs.

    Examples
    --------
    >>> from dirpriv.release import CircleRelease, PlaneRelease, VisitRelease
    >>> city = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "10m"}
    >>> release = VisitRelease(CircleRelease.within(1.0, "3h"), PlaneRelease.within(1.0, "200m", **city))
    >>> [round(release.certificate.loss(apart), 2) for apart in ("3h and 200m", "6h and 200m", ("3h", "1km"))]
    [1.0, 2.0, 4.74]
    """

    _step: Fraction
    _circle: CircleCells
    _place: PlaceCertificate

    def __init__(self, step: Fraction, circle: CircleCells, place: PlaceCertificate) -> None:
        self._set(cells=1.0, pure=place.pure, _step=step, _circle=circle, _place=place)

    def loss(self, distance: Any) -> float:
        """Largest loss of privacy in nats between two visits at most at a distance in time and in place.

        Parameters
        ----------
        distance : (float or str, float or str) or str
            Both distances, each as for the other certificates, or one text, as ``"3h and 200m"``.
        """
        time, place = units.both("distance", distance)
        of_time = arithmetic.double_not_below(self._step * self._circle.cells_within("distance", time))
        return min(max(of_time, float(self._place.loss(place))), self.pure)
