"""Releases of places anywhere on Earth, private by construction: cells of the globe, integer weights."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import units, validate
from dirpriv._inputs.angles import pairs
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, Integers, Metres
from dirpriv.exact import place_release
from dirpriv.exact.certificates import PlaceCertificate
from dirpriv.exact.circle_table_distribution import TableDistribution
from dirpriv.exact.distances import between_places
from dirpriv.exact.finite_table import MOST_PLACES, FiniteTable
from dirpriv.geometry import earth
from dirpriv.geometry.spaces import Euclidean

_SLIVER = 1e-9  # radians, 6 mm: by far more than the rounding of a distance


class Partition(Protocol):
    """A partition of the globe into cells, as :class:`dirpriv.geometry.earth.EqualAreaCells`.

    Examples
    --------
    >>> from dirpriv.geometry.earth import EqualAreaCells
    >>> from dirpriv.release import SphereRelease
    >>> SphereRelease(1e-6, cells=EqualAreaCells(100)).cells
    100
    """

    def centres(self) -> Array:
        """Latitude and longitude in degrees of a centre of each cell."""

    def cell_of(self, places: ArrayLike, /) -> Any:
        """Number of the cell that each place lies in, from 0 on.

        Parameters
        ----------
        places : array_like, shape (..., 2)
            Latitude and longitude in degrees.
        """

    def covering_radius(self) -> float:
        """Metres within which every place has the centre of its cell, on the sphere.

        It is checked: centres that do not cover the globe so closely are refused, and a place that is farther
        from the centre of its cell goes to the nearest centre.
        """


class SphereRelease(place_release.PlaceRelease):
    r"""Release of places anywhere on Earth with a guarantee that holds in floating point.

    The globe is cut into cells, in public. A place is rounded to its cell, and what is released is a cell.
    Cell j has the probability

    .. math:: P_{ij} = w_j e^{-\varepsilon d_{ij}}, \qquad \sum_j w_j e^{-\varepsilon d_{ij}} = 1
        \text{ for all } i,

    for an input in cell i, with :math:`d_{ij}` the distance of the centres along the great circle. So no row
    needs a factor to make its total 1. The ratio of :math:`P_{ij}` and :math:`P_{i'j}` is at most
    :math:`e^{\varepsilon d_{ii'}}` by the triangle inequality. There is such a mechanism where the solution w
    of K w = 1, :math:`K_{ij} = e^{-\varepsilon d_{ij}}`, is positive, and the table is it. Elsewhere, for many small
    cells at a low level, the totals of the rows differ, and the largest rate below ε is taken for which they
    keep the level. See :class:`FiniteRelease`, which does the same for a list of items.

    The weights are integers, made for ε(1 - 1e-9) at most, with a floor of 2^-76 in K. The level is computed from
    these integers, with all that is rounded.

    The guarantee is for each response. Inputs d apart on the ground lie in cells whose centres are at most
    s d + 2 c apart, c the covering radius of the partition and s = 1.0057, by which ways on the sphere are
    longer at most than along the WGS 84 ellipsoid. To promise a level at a radius use :meth:`within`. For
    draws and pickles see :class:`CircleRelease`; here the time of a draw can also depend on its input's cell.

    Parameters
    ----------
    epsilon : float
        Level ε per metre between the centres of two cells.
    cells : int or object, keyword-only
        Number of equal-area cells, from 2 to 5000 (900 MB and 20 s), or a partition (:class:`Partition`).

    Attributes
    ----------
    certificate : PlaceCertificate
        What the weights guarantee, in exact arithmetic and rounded up.
    noise : SphereTableDistribution
        The distribution of the weights, for estimates and expected errors. It cannot draw.
    partition, cells : object, int
        The cells, with the places ``partition.centres()`` that are released, and their number.

    Raises
    ------
    ValueError
        If the level is not positive and finite, there are too many cells, or the partition has two cells with
        one centre, or a covering radius that its centres do not keep.

    Examples
    --------
    >>> from dirpriv.release import SphereRelease
    >>> release = SphereRelease.within(level=4.0, radius="1000km", cells=1000)
    >>> release.certificate.loss("1000km") <= 4.0
    True
    >>> latitude, longitude = release.randomise_places([40.75, -33.87], [-73.98, 151.21])
    >>> latitude.shape, round(release.noise.mean_radius() / 1000)  # kilometres
    ((2,), 913)
    """

    certificate: PlaceCertificate
    noise: SphereTableDistribution
    partition: Partition
    cells: int
    _reach: float  # radians, at which a place is surely within the covering radius

    def __init__(self, epsilon: float, *, cells: int | Partition) -> None:
        self._build(place_release.level_per_metre(epsilon), _partition(cells))

    def _build(self, level: Fraction, partition: Partition) -> None:
        centres = np.asarray(partition.centres(), dtype=float)
        distances, off = between_places(centres, radius=1.0)
        if np.count_nonzero(distances < _SLIVER) > len(centres):
            raise InvalidArgument("cells", "must have centres of their own", hint="two cells have one centre")
        table = FiniteTable(distances, off, level * place_release.RADIUS)
        covering = _covering_radius(partition)
        certificate = PlaceCertificate(level, place_release.GROUND, 2 * Fraction(covering), table.pure, "m")
        noise = SphereTableDistribution(table, centres, certificate)
        self._set(certificate=certificate, noise=noise, partition=partition, cells=len(centres))
        self._set(_reach=covering / earth.EARTH_RADIUS - 0.5 * _SLIVER, _parameters=(level, partition))

    @classmethod
    def within(cls, level: float, radius: Metres, *, cells: int | Partition) -> Self:
        """Release of this level between any two inputs at most ``radius`` apart on the ground.

        ε = ℓ/(s r + 2 c), with s and c of the class: choose so many cells that 2 c is not much of r. Then
        ``certificate.loss(radius)`` is at most ``level``.

        Parameters
        ----------
        level, radius : float, and float or str
            The level ℓ of indistinguishability, and its radius r in metres or as a text such as ``"500km"``.
        cells : int or object, keyword-only
            As for the class, with its errors.

        Examples
        --------
        >>> from dirpriv.release import SphereRelease
        >>> releases = [SphereRelease.within(4.0, "1000km", cells=cells) for cells in (100, 1000)]
        >>> [round(release.noise.mean_radius() / 1000) for release in releases]  # kilometres
        [1508, 913]
        """
        length, partition = units.radius("radius", radius), _partition(cells)
        between = place_release.GROUND * length + 2 * Fraction(_covering_radius(partition))
        release = cls._from_parameters(Fraction(validate.positive("level", level)) / between, partition)
        if (kept := release.certificate.loss(radius)) > level:
            rule = f"must have one covering radius: the weights keep {kept!r}, and {level!r} was promised"
            raise InvalidArgument("cells", rule)
        return release

    def __repr__(self) -> str:
        return f"SphereRelease(epsilon={self.certificate.cells!r}, cells={self.partition!r})"

    def weights(self, cell: int) -> list[int]:
        """The integer weights of all cells for an input in this cell.

        They are positive, with totals from 2^126 to 2^128. Probabilities are weights over their total.

        Parameters
        ----------
        cell : int
            From 0 to ``cells`` - 1.

        Examples
        --------
        >>> from dirpriv.release import SphereRelease
        >>> release = SphereRelease.within(level=4.0, radius="1000km", cells=100)
        >>> first, last = release.weights(0), release.weights(99)
        >>> abs(sum(first) / sum(last) - 1.0) < 1e-13
        True
        """
        cell = validate.integer("cell", cell, 0)
        if cell >= self.cells:
            raise InvalidArgument("cell", f"must be from 0 to {self.cells - 1}; got {cell}")
        return [int(weight) for weight in self.noise._table.row(cell).tolist()]

    def _released(self, cells: Integers) -> tuple[Any, Any]:
        places = self.noise._centres[self.randomise_cells(cells)]
        return places[..., 0][()], places[..., 1][()]

    def randomise_cells(self, indices: ArrayLike) -> Integers:
        """Numbers of cells, released each on its own, with noise from the operating system.

        Parameters
        ----------
        indices : array_like of int, shape () or (N,)
            Numbers of cells, from 0 on; of a row that is none, an error names the row.

        Examples
        --------
        >>> from dirpriv.release import SphereRelease
        >>> SphereRelease(1e-3, cells=100).randomise_cells([0, 99]).tolist()  # 1 per kilometre
        [0, 99]
        """
        hint = "number the cells from 0 on; degrees go into randomise_places"
        values = validate.numbers_of("indices", indices, 0, self.cells - 1, "is no cell", hint)
        return self.noise._table.draws(values.ravel()).reshape(values.shape)

    def cells_of(self, latitude: Any, longitude: Any) -> Integers:
        stacked = pairs(latitude, longitude)
        cells = np.asarray(self.partition.cell_of(stacked))
        if type(self.partition) is earth.EqualAreaCells:  # whose covering radius is proved
            return cells
        centres = self.noise._centres
        is_number_each = cells.dtype.kind in "iu" and cells.shape == stacked.shape[:-1]
        if not is_number_each or ((cells < 0) | (cells >= self.cells)).any():
            rule = "must have a 'cell_of' that gives one integer for each place"
            raise InvalidArgument("cells", f"{rule}, from 0 to {self.cells - 1}")
        away = earth.great_circle_distance(stacked, centres[cells], radius=1.0)
        nearest, _ = earth.NearestPlaces(centres).query(stacked)
        return np.where(away <= self._reach, cells, nearest)


class SphereTableDistribution(TableDistribution):
    """Distribution of the released cell, in doubles. It cannot draw: :class:`SphereRelease` does.

    Parameters
    ----------
    table : FiniteTable
        The integers.
    centres, certificate : ndarray, shape (cells, 2), and PlaceCertificate
        The centres in degrees, and what the weights guarantee.

    Attributes
    ----------
    space : Space
        ``Euclidean(3)``. Distances are metres along the ground.

    Examples
    --------
    >>> from dirpriv.release import SphereRelease
    >>> distribution = SphereRelease.within(level=4.0, radius="1000km", cells=100).noise
    >>> distribution.transitions().shape, round(distribution.mean_radius() / 1000)  # kilometres
    ((100, 100), 1508)
    """

    space = Euclidean(3)
    _table: FiniteTable
    _centres: Array

    def __init__(self, table: FiniteTable, centres: Array, certificate: PlaceCertificate) -> None:
        self._set(_table=table, _centres=centres, _certificate=certificate)

    def __repr__(self) -> str:
        return f"SphereTableDistribution(cells={len(self._centres)})"

    def transitions(self) -> Array:
        """Probabilities that an input of one cell is released as another.

        Row: the input's cell; column: the released one; rows add up to 1. A histogram of released cells has
        the expectation ``counts @ distribution.transitions()``, which deconvolution undoes.
        """
        return self._table.transitions()

    def mean_radius(self) -> float:
        """Mean metres on the sphere between the centres of the input's cell and of the released one.

        The inputs are in every cell with equal probability.
        """
        return float(self._table.means.mean() * earth.EARTH_RADIUS)


def _partition(cells: Any) -> Partition:
    is_partition = all(hasattr(cells, name) for name in ("centres", "cell_of", "covering_radius"))
    if is_partition:
        shape = np.shape(cells.centres())
        if len(shape) != 2 or shape[1] != 2:
            raise InvalidArgument("cells", f"must have centres of the shape (cells, 2); got the shape {shape}")
        count = shape[0]
    else:
        count = validate.integer("cells", cells, 2)
    if not 2 <= count <= MOST_PLACES:
        needed = f"{count} cells: {8e-09 * count**2:.3g} GB"
        rule = f"must be from 2 to {MOST_PLACES}, as the table has their square ({needed})"
        raise InvalidArgument("cells", f"{rule}; for a region with finer cells use PlaneRelease")
    return cells if is_partition else earth.EqualAreaCells(count)


def _covering_radius(partition: Partition) -> float:
    """A proved bound on the metres from a place to the centre that stands for it."""
    radius = validate.positive("cells.covering_radius()", partition.covering_radius())
    if type(partition) is earth.EqualAreaCells:
        return radius
    radius += _SLIVER * earth.EARTH_RADIUS
    least = _farthest(earth.places_to_vectors(partition.centres())) * earth.EARTH_RADIUS
    if radius < least:
        rule = "must have a 'covering_radius' within which every place has a centre"
        got = f"got {radius:.6g} m, where some place may have none within {least:.6g} m"
        raise InvalidArgument("cells", f"{rule}; {got}")
    return radius


def _farthest(vectors: Array) -> float:
    """Largest angle from a point of the sphere to the nearest of these, or more."""
    from scipy.spatial import ConvexHull, QhullError  # here, as few need it

    try:  # the border of the widest cap without one of them inside is in the plane of a facet of their hull
        nearest_facet = -ConvexHull(vectors).equations[:, 3].max()
    except (QhullError, ValueError):
        return float(np.pi)
    return float(np.arccos(np.clip(nearest_facet, -1.0, 1.0))) + 0.5 * _SLIVER
