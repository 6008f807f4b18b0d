"""The distribution of the cells of a :class:`dirpriv.release.VisitRelease`, in doubles: for estimates and errors."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array
from dirpriv.exact.certificates import VisitCertificate
from dirpriv.exact.circle_table_distribution import TableDistribution
from dirpriv.exact.plane_table_distribution import grid, on_squares, squares_of
from dirpriv.exact.visit_lattice import VisitLattice
from dirpriv.geometry.spaces import Product


class VisitTableDistribution(TableDistribution):
    """Distribution of the moves of visits, in time and in place together, between cells.

    The two moves are not independent. The floor's mass of 1e-18 is left out. Moves of places by more than 24 nats (a
    mass of 1e-9) may be left out, and others are taken on every g-th cell, as of
    :meth:`PlaneTableDistribution.square_transitions`. It cannot draw: :class:`VisitRelease` draws, from its integers.

    Parameters
    ----------
    weights, cell_size, certificate, space : object, float, VisitCertificate, Product
        The weights of a release, the side of a cell in metres, what they guarantee, and the distance of visits.

    Attributes
    ----------
    space : Product
        Of the circle and the plane, with the larger of the two distances, each in units that lose 1.
    cells, cell_size : int, float
        Number of cells of time, and side of a cell in metres.

    Examples
    --------
    >>> from dirpriv.release import CircleRelease, PlaneRelease, VisitRelease
    >>> city = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "20m"}
    >>> times, places = CircleRelease.within(1.0, "3h"), PlaneRelease.within(1.0, "200m", **city)
    >>> noise = VisitRelease(times, places).noise
    >>> round(noise.mean_cosine(), 3), noise.transitions(24, 500.0, 2).shape
    (0.272, (24, 5, 5))
    """

    space: Product
    cells: int
    cell_size: float
    _apart: Array  # moves in time to each cell, in radians
    _lattice: VisitLattice

    def __init__(self, weights: VisitLattice, cell_size: float, certificate: VisitCertificate, space: Product) -> None:
        self._set(space=space, cells=len(weights.times), cell_size=cell_size)
        apart = np.pi - np.abs(np.arange(self.cells) * math.tau / self.cells - np.pi)
        self._set(_apart=apart, _lattice=weights, _certificate=certificate)

    def __repr__(self) -> str:
        return f"VisitTableDistribution(space={self.space!r}, cell_size={self.cell_size!r})"

    def mean_cosine(self) -> float:
        """Mean cosine of the move in time, as an angle: the resultant length of releases of one time."""
        return self._mean(np.cos(self._apart)) * float(np.sinc(1.0 / self.cells))

    def mean_angle(self) -> float:
        """Mean distance in time, in radians, between the middles of cells."""
        return self._mean(self._apart)

    def mean_radius(self) -> float:
        """Mean distance in place, in metres, between the centres of cells."""
        return self._mean(np.ones(self.cells), self._kernel[0]) * self.cell_size

    def transitions(self, bins: int, side: float, count: int) -> Array:
        """Probabilities that a visit in one bin of the day and one square of a map is released in another.

        The true time is uniform in its bin, and the true place in its square. Axis 0 says how many bins later a visit
        is released, modulo ``bins``. Axes 1 and 2 are those of :meth:`PlaneTableDistribution.square_transitions`, with
        the true square in the middle. The sum over all is 1, if ``count`` reaches over the noise.

        Parameters
        ----------
        bins : int
            Number of bins of the day or week, at least 2, of whole cells.
        side, count : float, int
            As for :meth:`PlaneTableDistribution.square_transitions`.
        """
        if self.cells % (bins := validate.integer("bins", bins, 2)):
            raise InvalidArgument("bins", f"must divide the number of cells, {self.cells}", got=bins)
        squares = squares_of(self._lattice.rate, self.cell_size, side, count)
        near = np.maximum(1.0 - self._apart * bins / math.tau, 0.0)
        later = [self._over_time(np.roll(near, i * self.cells // bins)) for i in range(bins // 2 + 1)]
        whole = [on_squares(kernel / self._total, squares) for kernel in later]
        return np.array([whole[min(i, bins - i)] for i in range(bins)])

    @functools.cached_property
    def _kernel(self) -> tuple[Any, ...]:
        """Of pairs of cells lengths, offsets they stand for, and times that weigh more; the order of times is last."""
        at, order = grid(self._lattice.rate), np.argsort(self._lattice.times, kind="stable")
        lengths, ways = np.hypot(at[:, None], at), np.where(at > 0, 2.0, 1.0)
        nearer = np.searchsorted(self._lattice.times[order], self._lattice.rate * lengths, side="right")
        return lengths, ways[:, None] * ways, nearer, order

    @functools.cached_property
    def _total(self) -> float:
        return float((self._over_time(np.ones(self.cells)) * self._kernel[1]).sum())

    def _mean(self, times: Array, places: Any = 1.0) -> float:
        """The mean of a function of the move in time, times one of that in place."""
        return float((self._over_time(times) * self._kernel[1] * places).sum()) / self._total

    def _over_time(self, shares: Array) -> Array:
        """The kernel of pairs of cells, summed over moves in time that count by ``shares``."""
        lengths, _, nearer, order = self._kernel
        before = np.append(0.0, np.cumsum(shares[order]))
        after = np.append(np.cumsum((shares * np.exp(-self._lattice.times))[order[::-1]])[::-1], 0.0)
        return np.asarray(np.exp(-self._lattice.rate * lengths) * before[nearer] + after[nearer])
