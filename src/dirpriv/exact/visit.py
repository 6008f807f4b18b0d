"""Releases of visits, a time and a place together, private by construction; ``visit_lattice.py`` has their table."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Self

from numpy.typing import ArrayLike

from dirpriv._inputs import units, validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.immutable import Built
from dirpriv._lib.types import Integers, LatLon, Metres, WithUnit
from dirpriv.exact import arithmetic
from dirpriv.exact.certificates import PlaceCertificate, VisitCertificate
from dirpriv.exact.circle_cells import CircleCells
from dirpriv.exact.plane_cells import PlaneCells
from dirpriv.exact.visit_lattice import VisitLattice
from dirpriv.exact.visit_table_distribution import VisitTableDistribution
from dirpriv.geometry.spaces import CIRCLE, PLANE, Product


class VisitRelease(Built):
    r"""Release of visits, each a time and a place, with one promise for both that holds in floating point.

    A person who asks for level ℓ within 3 h and 200 m means: any two visits at most 3 h apart *and* at most
    200 m apart are indistinguishable at ℓ. Two columns of the level ℓ each promise 2ℓ for them. Here the noise of both
    is drawn together, from the kernel

    .. math:: e^{-\ell \max(\theta/r_1, \rho/r_2)}

    of the distances in time and in place, in integers. Its loss between two visits is at most
    :math:`\ell \max(d_1/r_1, d_2/r_2)`, with the rounding of :class:`CircleRelease` and :class:`PlaneRelease`. Two
    columns that split ℓ promise less within both radii than each of them alone can use. At the levels 1, 2 and 4
    places move 1.26, 1.45 and 1.61 times less here than in the split with the same mean cosine of the times. The split
    promises more to two visits that are near in one of the two, as at one place.

    Times are cells of the day or week. Places are cells of the public map of :class:`PlaneRelease`, and those beyond
    the reach move to its border first. On the globe there is no such release: there the sum of the kernel depends on
    the input. For draws and pickles see :class:`CircleRelease`. The proof is in docs/mathematics.md. Make one
    with :meth:`within`.

    Attributes
    ----------
    certificate : VisitCertificate
        What the weights guarantee, in exact arithmetic and rounded up.
    noise : VisitTableDistribution
        The distribution of the moves in time and in place, for estimates and expected errors. It cannot draw.
    side : int
        Cells along a side of the square of released cells, as of :class:`PlaneRelease`.

    Examples
    --------
    >>> from dirpriv.release import VisitRelease
    >>> city = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "10m"}
    >>> release = VisitRelease.within(1.0, "3h and 200m", **city)
    >>> hours, latitude, longitude = release.randomise_visits(["08:15", "23:30"], [40.758, 40.689], [-73.985, -74.045])
    >>> hours.shape, latitude.shape, release.certificate.loss("3h and 200m") <= 1.0
    ((2,), (2,), True)
    """

    certificate: VisitCertificate
    noise: VisitTableDistribution
    side: int
    _lattice: VisitLattice
    _circle: CircleCells
    _map: PlaneCells

    @classmethod
    def within(
        cls,
        level: float,
        radius: tuple[WithUnit, Metres] | str,
        *,
        cells: int = 1440,
        period: WithUnit = "24h",
        region_centre: LatLon,
        region_reach: Metres,
        cell_size: Metres,
    ) -> Self:
        """Release of this level between any two visits that are within both radii.

        Parameters
        ----------
        level : float
            The level ℓ of indistinguishability.
        radius : (float or str, float or str) or str
            Those of times and of places, as of :meth:`CircleRelease.within` and :meth:`PlaneRelease.within`, or one
            text, as ``"3h and 200m"``.
        cells, period : keyword-only
            As for :class:`CircleRelease`.
        region_centre, region_reach, cell_size : keyword-only
            As for :class:`PlaneRelease`, with its errors.

        Examples
        --------
        >>> from dirpriv.release import VisitRelease
        >>> city = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "20m"}
        >>> [round(VisitRelease.within(level, "3h and 200m", **city).noise.mean_radius()) for level in (1.0, 2.0, 4.0)]
        [557, 303, 153]
        """
        validate.check_single(level=level, cells=cells, period=period, region_reach=region_reach, cell_size=cell_size)
        time, place = units.both("radius", radius)
        circle, region = CircleCells(cells, period), PlaneCells.from_arguments(region_centre, region_reach, cell_size)
        if not isinstance(time, units.WITH_UNIT):
            validate.positive("radius", time)
        distance = circle.cells_within("radius", time)
        return cls._within(level, circle, distance, units.radius("radius", place), region)

    @classmethod
    def _within(cls, level: float, circle: CircleCells, distance: int, radius: Fraction, region: PlaneCells) -> Self:
        """The same of a number of cells of time, and of metres."""
        level = validate.positive("level", level)
        return cls._from_parameters(Fraction(level), circle, distance, region.between(radius), region)

    def _build(self, level: Fraction, circle: CircleCells, distance: int, length: Fraction, region: PlaneCells) -> None:
        """Fill the attributes, for cells of time and centres of cells of places that are so far apart."""
        step, epsilon, scales = level / distance, level / length, (math.tau * distance / circle.count, float(length))
        lattice = VisitLattice(step, epsilon * region.size, circle.count, region.most)
        region.refuse_beyond_earth(lattice.half, epsilon)
        pure = arithmetic.log(lattice.largest_ratio).above
        places = PlaceCertificate(epsilon, region.stretch, region.rounding, pure)
        certificate = VisitCertificate(step, circle, places, level)
        space = Product(CIRCLE, PLANE, scales=scales, combine="max")
        noise = VisitTableDistribution(lattice, float(region.size), certificate, space)
        self._set(certificate=certificate, noise=noise, side=2 * lattice.half + 1, _lattice=lattice)
        self._set(_circle=circle, _map=region, _parameters=(level, circle, distance, length, region))

    def __repr__(self) -> str:
        return f"VisitRelease(level={self.certificate.cells!r}, space={self.noise.space!r})"

    def randomise_cells(self, time: Any, east: ArrayLike, north: ArrayLike) -> tuple[Integers, Integers, Integers]:
        """Cells of time and of place, released together from the operating system's noise, each visit on its own.

        Parameters
        ----------
        time, east, north : array_like of int, shape () or (N,)
            Cells, as of :meth:`CircleRelease.randomise_cells` and :meth:`PlaneRelease.randomise_cells`.
        """
        t, (x, y) = self._circle.check_indices(time), self._map.check_indices(east, north)
        if t.shape != x.shape:
            rule = "times and places must be columns of one length"
            raise InvalidArgument(f"{rule}; got the shapes {t.shape} and {x.shape}")
        x, y, t = (each.reshape(t.shape) for each in self._lattice.randomise(x.ravel(), y.ravel(), t.ravel()))
        return t % self._circle.count, x, y

    def randomise_visits(self, times: Any, latitude: Any, longitude: Any) -> tuple[Any, Any, Any]:
        """Release each of the visits on its own: hours, latitudes and longitudes of the middles of cells.

        Parameters
        ----------
        times, latitude, longitude : array_like, shape () or (N,)
            As of :meth:`CircleRelease.randomise_times` and :meth:`PlaneRelease.randomise_places`, with their errors.
        """
        cells = self._circle.index_times(times), *self._map.cells_of(latitude, longitude)
        time, *place = self.randomise_cells(*cells)
        return self._circle.hours(time)[()], *self._map.centres(*place)
