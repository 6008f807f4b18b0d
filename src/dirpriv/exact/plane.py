"""Releases of places of a city, private by construction; ``lattice_noise.py`` has their integer table."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Self

from numpy.typing import ArrayLike

from dirpriv._inputs import units, validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Integers, LatLon, Metres
from dirpriv.exact import arithmetic, place_release
from dirpriv.exact.certificates import PlaceCertificate
from dirpriv.exact.exponential_weights import SLACK
from dirpriv.exact.export import REGION, Exportable, plane_document, read_plane, refused
from dirpriv.exact.lattice_noise import Lattice, rate_of
from dirpriv.exact.plane_cells import PlaneCells
from dirpriv.exact.plane_table_distribution import PlaneTableDistribution

_ROOT_TWO = Fraction(math.isqrt(2 << 400) + 1, 1 << 200)  # a little above the square root of 2
# Rounding of a place on the map and to a cell, in metres. The map is a Lipschitz function with a constant
# below 2, of vectors whose coordinates err by less than 10^-14 R if the elementary functions err by less than
# 64 units in the last place: at most 10^-6 for two inputs, with room.
_OFF = Fraction(1, 10**6)


class PlaneRelease(Exportable, place_release.PlaceRelease):
    r"""Release of places of a city with a guarantee that holds in floating point.

    The map is the azimuthal equidistant projection about ``region_centre``, on the sphere of the mean radius
    R = 6 371 008.8 m. It is public, as are the reach D of the region and the side h of a cell: none of
    them may be taken from the data. A place at the angle θ from the centre is drawn at the distance
    :math:`\min(R\theta, D, R(\pi - \theta))`, in its direction. So places beyond the reach move to the border
    of the region, and those around the antipode back to the middle. (With D alone, places 2 m apart near the
    antipode would be drawn 100 km apart.) This lengthens no distance by more than :math:`(D/R)/\sin(D/R)`,
    4e-6 for 30 km, and is charged. So is a factor of 1.0057, by which ways on the sphere are longer at most
    than on the ground, along the WGS 84 ellipsoid.

    The place is rounded to the cell of the lattice that it lies in. What is released is a cell of the square
    around the region, with 54 nats of noise to each side. Its weight, for the offset v = (a, b) in cells, is
    an integer in proportion to

    .. math:: w(v) \propto \max\bigl(e^{-\varepsilon h \sqrt{a^2 + b^2}}, 2^{-76}\bigr)

    at ε(1 - 1e-9), within 4e-10 εh, relatively: so the ratio of the weights of any two offsets is at most
    :math:`e^{\varepsilon h \|v - v'\|}` (docs/mathematics.md). The flat part has a mass of about 1e-18.

    The guarantee is for each response. Two inputs d apart on the ground lie in cells whose centres are at
    most s d + √2 h apart, s the two factors above; so the loss is at most ε(s d + √2 h). To promise a level
    at a radius use :meth:`within`. For draws and pickles see :class:`CircleRelease`; of small steps the limit is
    :class:`dirpriv.distributions.PlanarLaplace`.

    Parameters
    ----------
    epsilon : float
        Level ε per metre between the centres of two cells.
    region_centre : (float, float), keyword-only
        Latitude and longitude in degrees of the middle of the region.
    region_reach : float or str, keyword-only
        Metres D from the centre to the region's border, at least 100. Also a text such as ``"30km"``.
    cell_size : float or str, keyword-only
        Side h of a cell in metres.

    Attributes
    ----------
    certificate : PlaceCertificate
        What the weights guarantee, in exact arithmetic and rounded up.
    noise : PlaneTableDistribution
        The distribution of the weights, for estimates and expected errors. It cannot draw.
    region_centre : tuple of float
        Latitude and longitude in degrees.
    region_reach, cell_size : float
        Metres.
    side : int
        Cells along a side of the square of released cells, odd: the middle one is around the centre.

    Raises
    ------
    ValueError
        If an argument is out of its range, the log weight falls by less than 1e-4 from a cell to the next, or
        the square is larger than the Earth. The message has the numbers and the remedy.

    References
    ----------
    .. [1] Snyder, J. P., "Map projections: a working manual", U.S. Geological Survey Professional Paper 1395,
       1987, chapter 25.

    Examples
    --------
    >>> from dirpriv.release import PlaneRelease
    >>> city = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "10m"}
    >>> release = PlaneRelease.within(level=1.0, radius="200m", **city)
    >>> latitude, longitude = release.randomise_places([40.758, 40.689], [-73.985, -74.045])
    >>> latitude.shape, release.certificate.loss("200m") <= 1.0
    ((2,), True)
    """

    certificate: PlaceCertificate
    noise: PlaneTableDistribution
    region_centre: tuple[float, float]
    region_reach: float
    cell_size: float
    side: int
    _lattice: Lattice
    _cells: PlaneCells

    def __init__(self, epsilon: float, *, region_centre: LatLon, region_reach: Metres, cell_size: Metres) -> None:
        level = place_release.level_per_metre(epsilon)
        self._build(level, PlaneCells.from_arguments(region_centre, region_reach, cell_size))

    def _build(self, level: Fraction, cells: PlaneCells) -> None:
        width = cells.size
        lattice = Lattice(level * width, cells.most)
        refuse_beyond_earth(lattice, level, width)
        pure = arithmetic.log(Fraction(lattice.weights(0)[0][0], lattice.flat)).above
        certificate = PlaceCertificate(level, _stretch(cells.reach), _rounding(width), pure, "m")
        noise = PlaneTableDistribution(lattice, float(width), certificate)
        self._set(certificate=certificate, noise=noise, side=2 * lattice.half + 1, _lattice=lattice)
        self._set(region_centre=cells.centre, region_reach=float(cells.reach), cell_size=float(width))
        self._set(_cells=cells, _parameters=(level, cells))

    @classmethod
    def within(
        cls, level: float, radius: Metres, *, region_centre: LatLon, region_reach: Metres, cell_size: Metres
    ) -> Self:
        """Release of this level between any two inputs at most ``radius`` apart on the ground.

        ε = ℓ/(s r + √2 h), with the factor s of the class and the rounding of doubles added, so that
        ``certificate.loss(radius)`` is at most ``level``.

        Parameters
        ----------
        level, radius : float, and float or str
            The level ℓ of indistinguishability, and its radius r in metres or as a text such as ``"200m"``.
        region_centre, region_reach, cell_size : keyword-only
            As for the class, with its errors. Small cells cost little: √2 h is taken from the radius. The
            metres of the ground cost half a per cent more, and the lattice itself nothing.

        Examples
        --------
        >>> from dirpriv.release import PlaneRelease
        >>> city = {"region_centre": (40.75, -73.98), "region_reach": "30km"}
        >>> sizes = "2m", "10m", "50m", "200m"
        >>> releases = [PlaneRelease.within(1.0, "200m", cell_size=size, **city) for size in sizes]
        >>> [round(release.noise.mean_radius()) for release in releases]
        [408, 431, 544, 969]
        """
        cells = PlaneCells.from_arguments(region_centre, region_reach, cell_size)
        return cls._within(validate.positive("level", level), units.radius("radius", radius), cells)

    @classmethod
    def _within(cls, level: float, radius: Fraction, cells: PlaneCells) -> Self:
        """The same of lengths in metres, which are exact."""
        return cls._from_parameters(Fraction(level) / _between(radius, cells), cells)

    def export(self, radius: Metres) -> dict[str, Any]:
        length = units.radius("radius", radius)
        epsilon, cells = self._parameters
        level = arithmetic.double_not_below(epsilon * _between(length, cells))
        return plane_document(cells, self._lattice.fall, level, length)

    @classmethod
    def from_export(cls, document: Any) -> Self:
        cells, rate, level, radius = read_plane(document)
        epsilon = Fraction(level) / _between(units.radius("radius_metres", radius), cells)
        if rate > rate_of(epsilon * cells.size):
            raise refused("must hold its promise; its rate breaks it")
        if rate < rate_of(epsilon * cells.size):  # it holds more than it promises
            epsilon = Fraction(rate) / (cells.size * (1 - SLACK))
        return cls._from_parameters(epsilon, cells)

    def __repr__(self) -> str:
        region = ", ".join(f"{name}={getattr(self, name)!r}" for name in REGION)
        return f"PlaneRelease(epsilon={self.certificate.cells!r}, {region})"

    def weights(self, cells: int) -> list[list[int]]:
        """The integer weights of the offsets that are at most ``cells`` cells to any side.

        Parameters
        ----------
        cells : int
            From 0 to 500. The table has 2 ``cells`` + 1 rows and columns, the offset (0, 0) in its middle.

        Examples
        --------
        >>> from dirpriv.release import PlaneRelease
        >>> release = PlaneRelease(0.01, region_centre=(40.75, -73.98), region_reach=1000, cell_size=50)
        >>> weights = release.weights(1)
        >>> weights[0][0] == weights[2][2] < weights[0][1] < weights[1][1]
        True
        """
        cells = validate.integer("cells", cells, 0)
        if cells > 500:
            raise InvalidArgument("cells", f"must be at most 500; got {cells}")
        return self._lattice.weights(cells)

    def _released(self, cells: tuple[Integers, Integers]) -> tuple[Any, Any]:
        return self.centres(*self.randomise_cells(*cells))

    def randomise_cells(self, east: ArrayLike, north: ArrayLike) -> tuple[Integers, Integers]:
        """Cells of the region, east and north, released each on its own from the operating system's noise.

        Parameters
        ----------
        east, north : array_like of int, shape () or (N,)
            Cells from the central one, as :meth:`cells_of` gives them: an error names a row that is none.
            Those that are released are from -(``side`` - 1)/2 to (``side`` - 1)/2.
        """
        x, y = self._checked(east, north)
        released = self._lattice.randomise(x.ravel(), y.ravel())
        return released[0].reshape(x.shape), released[1].reshape(x.shape)

    def _checked(self, east: ArrayLike, north: ArrayLike) -> tuple[Integers, Integers]:
        """Cells of the region, checked."""
        region = self._lattice.region
        rule, hint = "is no cell of the region,", "cells_of gives them from degrees, which go into randomise_places"
        x = validate.numbers_of("east", east, -region, region, rule, hint)
        y = validate.numbers_of("north", north, -region, region, rule, hint)
        if x.shape != y.shape:
            rule = "'east' and 'north' must be columns of one length"
            raise InvalidArgument(f"{rule}; got the shapes {x.shape} and {y.shape}")
        return x, y

    def cells_of(self, latitude: Any, longitude: Any) -> tuple[Integers, Integers]:
        return self._cells.cells_of(latitude, longitude)

    def centres(self, east: ArrayLike, north: ArrayLike) -> tuple[Any, Any]:
        """Latitudes and longitudes in degrees of the centres of cells.

        Parameters
        ----------
        east, north : array_like of int, shape () or (N,)
            Cells from the central one.

        Examples
        --------
        >>> from dirpriv.release import PlaneRelease
        >>> release = PlaneRelease(0.01, region_centre=(0.0, 0.0), region_reach="30km", cell_size="10m")
        >>> [degrees.round(4).tolist() for degrees in release.centres([0, 1112], [0, -1112])]
        [[0.0, -0.1], [0.0, 0.1]]
        """
        return self._cells.centres(east, north)


def refuse_beyond_earth(lattice: Lattice, level: Fraction, width: Fraction) -> None:
    """Refuse a square of released cells that is larger than the Earth."""
    if _ROOT_TWO * (lattice.half + 1) * width > 3 * place_release.RADIUS:
        noise = f"54 nats of 1/ε = {float(1 / level):.6g} m around it"
        hint = "give a higher level or smaller cells, or use SphereRelease, which covers the globe"
        raise InvalidArgument(f"the region with its noise ({noise}) would be larger than the Earth", hint=hint)


def _stretch(reach: Fraction) -> Fraction:
    """How much the map lengthens distances on the ground: R/M times x/sin x, with x = D/R below π/2."""
    x = reach / place_release.RADIUS
    sine = x - x**3 / 6 + x**5 / 120 - x**7 / 5040  # below sin x
    return place_release.GROUND * x / sine


def _rounding(size: Fraction) -> Fraction:
    """How much the rounding of two places to cells adds to their distance: twice half a diagonal."""
    return _ROOT_TWO * size + _OFF


def _between(radius: Fraction, cells: PlaneCells) -> Fraction:
    """Metres between the centres of the cells of two places at most a radius apart."""
    return _stretch(cells.reach) * radius + _rounding(cells.size)
