"""The distribution of the cells of a :class:`dirpriv.release.PlaneRelease`, in doubles: for estimates and errors."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, FloatOrArray, Integers
from dirpriv.distributions import planar_laplace
from dirpriv.distributions.shared.base import CellNoise, scalar_or_array
from dirpriv.exact import exponential_weights, lattice_noise
from dirpriv.exact.certificates import PlaceCertificate
from dirpriv.exact.circle_table_distribution import TableDistribution
from dirpriv.geometry.spaces import PLANE


class PlaneTableDistribution(TableDistribution, CellNoise):
    """Distribution of the distance from an input to the centre of the released cell, in doubles.

    The input lies anywhere in its cell with equal probability, and the floor's mass of 1e-18 is left out. The
    distribution is that of the weights where 54 nats of noise are at most 1024 cells. Where they are more, its radii
    are those of the planar Laplace distribution: the mean is then the same to 1e-5, and probabilities to 5e-4. It
    cannot draw: :class:`PlaneRelease` draws, from its integers.

    Parameters
    ----------
    weights, cell_size, certificate : object, float, PlaceCertificate
        The weights of a release, the side of a cell in metres (also an attribute), and what they guarantee.

    Attributes
    ----------
    space, dim : Space, int
        The plane, in metres of the map, and 2.
    kappa : float
        Rate of the kernel per metre, ε(1 - 1e-9).

    Examples
    --------
    >>> from dirpriv.release import PlaneRelease
    >>> distribution = PlaneRelease(0.01, region_centre=(40.75, -73.98), region_reach=10_000, cell_size=10).noise
    >>> round(distribution.mean_radius(), 1), round(distribution.radius_sf(distribution.radius_ppf(0.95)), 2)
    (200.0, 0.05)
    """

    space = PLANE
    dim = 2
    kappa: float
    cell_size: float
    _fall: float
    _radius: int

    def __init__(self, weights: lattice_noise.Lattice, cell_size: float, certificate: PlaceCertificate) -> None:
        fall, radius = weights.fall, weights.half - weights.region
        self._set(kappa=fall / cell_size, cell_size=cell_size, _certificate=certificate)
        self._set(_fall=fall, _radius=radius)

    def __repr__(self) -> str:
        return f"PlaneTableDistribution(kappa={self.kappa!r}, cell_size={self.cell_size!r})"

    def mean_radius(self) -> float:
        """Mean distance from an input to the centre of the released cell, in metres.

        From points of a cell r ≥ 8 cells away it is r + 1/(24 r), to 1e-5; nearer ones are integrated.
        """
        if self._masses is None:
            return (2.0 / self._fall + self._fall / 24.0) * self.cell_size
        radii, masses = self._masses
        far = radii >= 8.0
        mean = float(masses[far] @ (radii[far] + 1.0 / (24.0 * radii[far])))
        a, b = (axis.ravel() for axis in np.meshgrid(np.arange(-7, 8), np.arange(-7, 8)))
        a, b = a[a * a + b * b < 64], b[a * a + b * b < 64]
        inside = (np.arange(64) + 0.5) / 64.0 - 0.5
        distances = np.hypot((a[:, None] + inside)[:, :, None], (b[:, None] + inside)[:, None, :])
        near = lattice_noise.excess_weights(self._fall * np.sqrt(a * a + b * b))
        near *= masses[0] / (1.0 - exponential_weights.FLOOR)
        return float(mean + near @ distances.mean(axis=(1, 2))) * self.cell_size

    def radius_sf(self, radius: ArrayLike) -> FloatOrArray:
        """Probability that the centre of the released cell is more than ``radius`` from that of the input's.

        Parameters
        ----------
        radius : array_like
            Metres.
        """
        cells = validate.reals("radius", radius) / self.cell_size
        if self._masses is None:
            return planar_laplace.PlanarLaplace(self._fall).radius_sf(cells)
        radii, masses = self._masses
        beyond = np.append(np.cumsum(masses[::-1])[::-1], 0.0)
        shares = np.minimum(beyond[np.searchsorted(radii, cells * (1.0 + 1e-12), side="right")], 1.0)
        return scalar_or_array(np.where(np.isnan(cells), np.nan, shares))

    def radius_ppf(self, u: ArrayLike) -> FloatOrArray:
        """Metres between those centres within which a share ``u`` of the draws falls.

        Parameters
        ----------
        u : array_like
            Probabilities from 0 to 1; others raise ValueError.
        """
        shares = validate.probabilities("u", u)
        if self._masses is None:
            return planar_laplace.PlanarLaplace(self._fall).radius_ppf(shares) * self.cell_size
        radii, masses = self._masses
        index = np.searchsorted(np.cumsum(masses), shares)
        return scalar_or_array(radii[np.minimum(index, len(radii) - 1)] * self.cell_size)

    def square_transitions(self, side: float, count: int) -> Array:
        """Probabilities that a place in one square of a map is released in another, by their offset.

        The true place is uniform in its square. A histogram of released places is then that of the true ones, convolved
        with this array: deconvolution undoes it.

        Its shape is at most (2 ``count`` + 1, 2 ``count`` + 1), with the true square in the middle; axis 0 is east,
        axis 1 north. The sum is 1, if ``count`` reaches over the noise. Noise of more than 24 nats (a mass of 1e-9) may
        be left out; the others are taken on every g-th cell, g = 24/(1024 εh) (1 in most cases), which errs by 1e-4 at
        most.

        Parameters
        ----------
        side : float
            Metres along a side, at least that of g cells; a smaller one raises ValueError.
        count : int
            The offsets are at most this many squares along each axis.

        Examples
        --------
        >>> from dirpriv.release import PlaneRelease
        >>> distribution = PlaneRelease(0.01, region_centre=(40.75, -73.98), region_reach=10_000, cell_size=10).noise
        >>> distribution.square_transitions(250.0, 1).round(3).tolist()
        [[0.042, 0.102, 0.042], [0.102, 0.324, 0.102], [0.042, 0.102, 0.042]]
        """
        at, squares = grid(self._fall), squares_of(self._fall, self.cell_size, side, count)
        kernel = lattice_noise.excess_weights(self._fall * np.sqrt(at[:, None] ** 2 + at**2))
        both_sides = np.where(at > 0, 2.0, 1.0)
        return on_squares(kernel, squares) / (both_sides @ kernel @ both_sides)

    def privacy_loss_distribution(self, distance: Any) -> tuple[Array, Array]:
        loss, b = float(self.privacy_loss(distance)), self._fall * (1.0 + 1e-8)
        if loss == self.pure_level() or b > 0.25:  # far apart, or few cells of noise: the bound says little
            return super().privacy_loss_distribution(distance)
        raised = (b / 12.0 + b**2 / 24.0) * (1.0 + 1e-6)
        masses, losses = planar_laplace.PlanarLaplace(1.0).privacy_loss_distribution(loss)
        return np.append(masses, 0.35 * b**2 * np.exp(b)), np.append(losses, loss) + raised

    @property
    def _quadrant_error(self) -> float:  # type: ignore[override]
        """Of the planar Laplace distribution, as its cells have this total variation: see privacy_loss_distribution."""
        return 0.35 * self._fall**2 * math.exp(self._fall) if self._fine else 0.0

    def _quadrant(self, cells: Integers) -> Array:
        if self._fine:
            return planar_laplace.quadrant_of(np.asarray(self._fall * (cells + 0.5), dtype=np.float64))
        at = np.arange(math.ceil(exponential_weights.DEEPEST / self._fall) + 1)
        kernel = lattice_noise.excess_weights(self._fall * np.sqrt(at[:, None] ** 2 + at**2))
        kernel[0] /= 2.0
        kernel[:, 0] /= 2.0
        table = kernel.cumsum(axis=0).cumsum(axis=1)
        cells = np.minimum(cells, at[-1])
        return np.asarray(table[np.ix_(cells, cells)] / (4.0 * table[-1, -1]))

    @property
    def _fine(self) -> bool:
        return exponential_weights.DEEPEST > 1500 * self._fall  # more cells to a side than a table of quadrants has

    @functools.cached_property
    def _masses(self) -> tuple[Array, Array] | None:
        """Distances of cells from the middle one, in cells, and their masses; None where they are many."""
        if self._radius > lattice_noise.MOST_BLOCKS:
            return None
        a, b = np.arange(1, self._radius + 1), np.arange(self._radius + 1)  # a quarter, without the middle
        squares = np.append([0], (a[:, None] ** 2 + b**2).ravel())
        masses = lattice_noise.excess_weights(self._fall * np.sqrt(squares))
        masses[1:] *= 4.0
        order = np.argsort(squares, kind="stable")
        return np.sqrt(squares[order]), masses[order] / masses.sum()


def _every(fall: float) -> int:
    return math.ceil(24.0 / (lattice_noise.MOST_BLOCKS * fall))


def grid(fall: float) -> Integers:
    """Cells to one side with all of the noise, or with 24 nats of it: then on every g-th cell."""
    every = _every(fall)
    count = min(math.ceil(exponential_weights.DEEPEST / fall / every), lattice_noise.MOST_BLOCKS)
    return np.arange(count + 1) * every


def squares_of(fall: float, cell_size: float, side: Any, count: Any) -> Array:
    """The share of a square whose cells are moved into another along an axis, by those of the grid, to both sides.

    A row for each square up to ``count`` away. Squares must be as fine as the grid.
    """
    side, most = validate.positive("side", side), validate.integer("count", count, 0)
    if side < (least := _every(fall) * cell_size) * (1.0 - 1e-12):
        rule = f"must be at least {least:.6g} m, for cells of {cell_size:.6g} m and their noise"
        raise InvalidArgument("side", rule, got=side)
    cells, at = side / cell_size, grid(fall)
    squares = np.arange(min(int(at[-1] // cells) + 1, most) + 1) * cells
    share, other = (
        np.maximum(1.0 - np.abs(sign * at - squares[:, None]) / cells, 0.0) * np.where(at > 0, 1.0, 0.5)
        for sign in (1, -1)
    )
    return np.asarray(share + other)


def on_squares(kernel: Array, squares: Array) -> Array:
    """The kernel of pairs of cells, summed over squares of a map by :func:`squares_of`; the true one in the middle."""
    return np.pad(squares @ kernel @ squares.T, [(len(squares) - 1, 0)] * 2, "reflect")
