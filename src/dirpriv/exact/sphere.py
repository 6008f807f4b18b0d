"""Releases of places anywhere on Earth, private by construction: cells of the globe, integer weights."""

from __future__ import annotations

import functools
from fractions import Fraction
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import units, validate
from dirpriv._inputs.angles import pairs
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, Integers, Metres
from dirpriv.exact import arithmetic, exponential_weights, place_release
from dirpriv.exact.certificates import PlaceCertificate
from dirpriv.exact.circle_table_distribution import TableDistribution
from dirpriv.exact.sampling import TOTAL_BITS, IntegerWeights
from dirpriv.geometry import earth
from dirpriv.geometry.spaces import Euclidean

_MOST_CELLS = 5000  # a table of 200 MB, made in about 20 seconds
# Angles between centres, in radians, err by less if the elementary functions err by less than 64 units in
# the last place: great_circle_distance takes four of them, and no difference in it cancels.
_OFF = 1e-13
_MARGIN = 1.0 - 2.0**-20  # totals stay below 2^128
_ROUNDS = 3  # of refining v
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

    .. math:: P_{ij} = v_j e^{-\varepsilon d_{ij}}, \qquad \sum_j v_j e^{-\varepsilon d_{ij}} = 1
        \text{ for all } i,

    for an input in cell i, with :math:`d_{ij}` the distance of the centres along the great circle. So no row
    needs a factor to make its total 1. The ratio of :math:`P_{ij}` and :math:`P_{i'j}` is at most
    :math:`e^{\varepsilon d_{ii'}}` by the triangle inequality. There is such a mechanism where the solution v
    of K v = 1, :math:`K_{ij} = e^{-\varepsilon d_{ij}}`, is positive. Otherwise the release is refused.

    The weights are integers, made for ε(1 - 1e-9), with a floor of 2^-76 in K. That leaves room for their
    rounding and for the ratio of the row totals, which are added up in integers; else a release is refused.

    The guarantee is for each response. Inputs d apart on the ground lie in cells whose centres are at most
    s d + 2 c apart, c the covering radius of the partition and s = 1.0057, by which ways on the sphere are
    longer at most than along the WGS 84 ellipsoid. To promise a level at a radius use :meth:`within`. For
    draws and pickles see :class:`CircleRelease`; here the time of a draw can also depend on its input's cell.

    Parameters
    ----------
    epsilon : float
        Level ε per metre between the centres of two cells.
    cells : int or object, keyword-only
        Number of equal-area cells, from 2 to 5000 (600 MB and 20 s), or a partition (:class:`Partition`).

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
        If the level is not positive and finite, there are too many cells, v is not positive, or the
        partition has two cells with one centre, or a covering radius that its centres do not keep.

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
        distances = np.empty((len(centres), len(centres)))
        for row, centre in zip(distances, centres, strict=True):
            row[:] = earth.great_circle_distance(centre, centres, radius=1.0)
        np.fill_diagonal(distances, np.inf)
        nearest = float(distances.min())
        if not nearest > 1e-9:
            raise InvalidArgument("cells", "must have centres of their own", hint="two cells have one centre")
        np.fill_diagonal(distances, 0.0)
        per_radian = level * place_release.RADIUS
        # the nearest cells lie on the floor from 54/nearest on
        rate = float(min(per_radian * (1 - exponential_weights.SLACK), exponential_weights.DEEPEST / Fraction(nearest)))
        for row in distances:  # in place: one table, whatever the number of cells
            row[:] = np.maximum(exponential_weights.exponential(rate * row), exponential_weights.FLOOR)
        room = per_radian * exponential_weights.SLACK * (Fraction(nearest) - Fraction(_OFF))
        scales, steepest = _scales(distances, rate, room, float(level))
        pure = arithmetic.log(steepest).above
        covering = _covering_radius(partition)
        certificate = PlaceCertificate(level, place_release.GROUND, 2 * Fraction(covering), pure)
        noise = SphereTableDistribution(distances, scales, centres, certificate)
        self._set(certificate=certificate, noise=noise, partition=partition, cells=len(centres))
        reach = covering / earth.EARTH_RADIUS - 0.5 * _SLIVER
        self._set(_reach=reach, _parameters=(level, partition))

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

        They are positive, with totals from 2^126 to 2^128 that differ by less than 1e-9 ε d, relatively, with
        d the least distance of two centres.

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
        return [int(weight) for weight in self.noise._row(cell).tolist()]

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
        rule, hint = "is no cell", "number the cells from 0 on"
        values = place_release.column_of_cells("indices", indices, 0, self.cells - 1, rule, hint)
        flat = values.ravel()
        released = np.empty_like(flat)
        order = np.argsort(flat, kind="stable")
        starts = np.flatnonzero(np.diff(flat[order], prepend=-1))
        for rows in np.split(order, starts[1:]) if len(order) else []:
            table = IntegerWeights.from_words(*exponential_weights.words(self.noise._row(flat[rows[0]])))
            for place, drawn in table.draws(len(rows)):
                released[rows[place]] = drawn
        return released.reshape(values.shape)

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
    kernel, scales : ndarray, shapes (cells, cells) and (cells,)
        K and v of :class:`SphereRelease`: e^(-ε d) of the distances between centres, and the solution of K v = 1.
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
    _kernel: Array
    _scales: Array
    _centres: Array

    def __init__(self, kernel: Array, scales: Array, centres: Array, certificate: PlaceCertificate) -> None:
        self._set(_kernel=kernel, _scales=scales, _centres=centres, _certificate=certificate)

    def __repr__(self) -> str:
        return f"SphereTableDistribution(cells={len(self._scales)})"

    def _row(self, cell: int) -> Array:
        return _integers(self._kernel[cell], self._scales)

    def transitions(self) -> Array:
        """Probabilities that an input of one cell is released as another.

        Row: the input's cell; column: the released one; rows add up to 1. A histogram of released cells has
        the expectation ``counts @ distribution.transitions()``, which deconvolution undoes.
        """
        return self._kernel * (self._scales / _MARGIN)

    def mean_radius(self) -> float:
        """Mean metres on the sphere between the centres of the input's cell and of the released one.

        The inputs are in every cell with equal probability.
        """
        return self._mean

    @functools.cached_property
    def _mean(self) -> float:
        total = sum(
            float(row * self._scales @ earth.great_circle_distance(centre, self._centres))
            for row, centre in zip(self._kernel, self._centres, strict=True)
        )
        return total / _MARGIN / len(self._scales)


def _partition(cells: Any) -> Partition:
    is_partition = all(hasattr(cells, name) for name in ("centres", "cell_of", "covering_radius"))
    if is_partition:
        shape = np.shape(cells.centres())
        if len(shape) != 2 or shape[1] != 2:
            raise InvalidArgument("cells", f"must have centres of the shape (cells, 2); got the shape {shape}")
        count = shape[0]
    else:
        count = validate.integer("cells", cells, 2)
    if not 2 <= count <= _MOST_CELLS:
        needed = f"{count} cells: {8e-09 * count**2:.3g} GB"
        rule = f"must be from 2 to {_MOST_CELLS}, as the table has their square ({needed})"
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


def _scales(kernel: Array, rate: float, room: Fraction, level: float) -> tuple[Array, Fraction]:
    """The solution v of K v = 1, checked in integers, and the largest ratio of two probabilities of one cell.

    It is a little below the solution: totals are below 2^128.

    Each entry of K errs, relatively, by 3 u x + 8 u with x ≤ 54 nats (see ``doubles``) and by the error of
    an angle times the rate; the product with v by u, and its integer by 1. Two such errors and the ratio of
    two totals must fit in ``room``: the slack in the level times the least distance of two centres.
    """
    from scipy.linalg import LinAlgError, cho_factor, cho_solve  # here, as few need it

    where = f"{len(kernel)} cells at {level:.3g} per metre ({rate:.3g} per radian)"
    unsolved = f"K v = 1 has no positive solution for {where}"
    hint = "give a higher level, a smaller radius or fewer cells"
    try:
        factor = cho_factor(kernel, lower=True)
        v = cho_solve(factor, np.ones(len(kernel)))
    except LinAlgError:
        raise InvalidArgument(unsolved, hint=hint) from None
    if not v.min() > 0.0:
        least = f"the least v is {v.min() / v.mean():.2g} of the mean, and no table of this kind exists"
        raise InvalidArgument(unsolved, hint=f"{least}: {hint}")
    entries = 2 * Fraction(200 * 2.0**-53 + rate * _OFF)
    for _ in range(_ROUNDS):
        totals, columns, largest = _measured(kernel, v * _MARGIN)
        least, spread = int(columns.min()), Fraction(max(totals) - min(totals), min(totals))
        if least and entries + Fraction(2, least) + spread < room:
            ratios = map(Fraction, map(int, largest.tolist()), map(int, columns.tolist()))
            return v * _MARGIN, max(ratios) * (1 + spread)
        aim = round(_MARGIN * (1 << TOTAL_BITS))
        v = v + cho_solve(factor, np.array([float(Fraction(aim - total, aim)) for total in totals]))
    rule = f"the weights of {where} err by up to {float(entries + spread) + 2.0 / max(least, 1):.2g}, "
    rule += f"more than the {float(room):.2g} that the level leaves between the nearest cells"
    raise InvalidArgument(rule, hint=hint)


def _measured(kernel: Array, scales: Array) -> tuple[list[int], Array, Array]:
    """Totals of all rows of integers, and the least and the largest integer of every column, all exactly."""
    totals = []
    least, largest = np.full(len(kernel), np.inf), np.zeros(len(kernel))
    half, mask = np.uint64(32), np.uint64(0xFFFF_FFFF)
    for row in kernel:
        integers = _integers(row, scales)
        np.minimum(least, integers, out=least)
        np.maximum(largest, integers, out=largest)
        high, low = exponential_weights.words(integers)
        limbs = (low & mask, low >> half, high & mask, high >> half)
        totals.append(sum(int(limb.sum()) << 32 * k for k, limb in enumerate(limbs)))
    return totals, least, largest


def _integers(kernel: Array, scales: Array) -> Array:
    """The integers ⌊2^128 v_j K_ij⌋ of a row, as doubles."""
    return np.floor(np.ldexp(kernel * scales, TOTAL_BITS))
