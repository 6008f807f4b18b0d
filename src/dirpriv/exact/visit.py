"""Releases of visits, a time and a place together, private by construction; ``visit_lattice.py`` has their table."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.immutable import Built
from dirpriv._lib.types import Integers
from dirpriv.exact import arithmetic
from dirpriv.exact.certificates import PlaceCertificate, VisitCertificate
from dirpriv.exact.circle import CircleRelease
from dirpriv.exact.plane import PlaneRelease, refuse_beyond_earth
from dirpriv.exact.visit_lattice import VisitLattice
from dirpriv.exact.visit_table_distribution import VisitTableDistribution
from dirpriv.geometry.spaces import CIRCLE, PLANE, Product


class VisitRelease(Built):
    r"""Release of visits, each a time and a place, with one promise for both that holds in floating point.

    A person who asks for level ℓ within 3 h and 200 m means: any two visits at most 3 h apart *and* at most
    200 m apart are indistinguishable at ℓ. Two columns at the level ℓ promise 2ℓ for them. Here the noise of
    both is drawn together. The kernel has the larger of the two losses, in place of their sum:

    .. math:: e^{-\max(\varepsilon_1 \theta,\; \varepsilon_2 \rho)}

    at a distance θ in time and ρ in place. So the loss between two visits is at most the larger one of those that
    ``times`` and ``places`` have, in integers and with the same rounding to cells.

    Two columns that split ℓ keep the same promise within both radii, with more noise: with times of the same mean
    cosine, places move 1.26, 1.45 and 1.61 times as far as here, at the levels 1, 2 and 4 within 3 h. The split
    promises more to two visits that are near in one of the two, as to two at one place.

    Places beyond the reach of the region move to its border first. On the globe there is no such release, because
    the sum of its kernel depends on the place. For draws and pickles see :class:`CircleRelease`. The proof is in
    docs/mathematics.md.

    Parameters
    ----------
    times : CircleRelease
        Cells of times, with ε₁, as of :meth:`CircleRelease.within`.
    places : PlaneRelease
        Cells of places, with ε₂, as of :meth:`PlaneRelease.within`.

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
    >>> from dirpriv.release import CircleRelease, PlaneRelease, VisitRelease
    >>> city = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "10m"}
    >>> times, places = CircleRelease.within(1.0, "3h"), PlaneRelease.within(1.0, "200m", **city)
    >>> release = VisitRelease(times, places)
    >>> hours, latitude, longitude = release.randomise_visits(["08:15", "23:30"], [40.758, 40.689], [-73.985, -74.045])
    >>> hours.shape, latitude.shape, release.certificate.loss("3h and 200m") <= 1.0
    ((2,), (2,), True)
    >>> round(release.noise.mean_radius())  # in metres
    523
    """

    certificate: VisitCertificate
    noise: VisitTableDistribution
    side: int
    _lattice: VisitLattice

    def __init__(self, times: CircleRelease, places: PlaneRelease) -> None:
        if not isinstance(times, CircleRelease) or times._step is None:
            raise InvalidArgument("times", "must have a level from a cell to the next, as of CircleRelease.within")
        if not isinstance(places, PlaneRelease):
            hint = "on the globe, the sum of the kernel depends on the place"
            raise InvalidArgument("places", "must be a PlaneRelease", got=places, hint=hint)
        self._build(times, places)

    def _build(self, times: CircleRelease, places: PlaneRelease) -> None:
        (epsilon, region), step, bounds = places._parameters, times._step, places.certificate
        lattice = VisitLattice(step, epsilon * region.size, times.cells, region.most)
        refuse_beyond_earth(lattice, epsilon, region.size)
        pure = arithmetic.log(lattice.largest_ratio).above
        of_places = PlaceCertificate(epsilon, bounds._stretch, bounds._rounding, pure, "m")
        certificate = VisitCertificate(step, times._circle, of_places)
        scales = float(2 * arithmetic.pi().above / (times.cells * step)), float(1 / epsilon)
        space = Product(CIRCLE, PLANE, scales=scales, combine="max")
        noise = VisitTableDistribution(lattice, places.cell_size, certificate, space)
        self._set(certificate=certificate, noise=noise, side=2 * lattice.half + 1, _lattice=lattice)
        self._set(_parameters=(times, places))

    def __repr__(self) -> str:
        return f"VisitRelease{self._parameters!r}"

    def randomise_cells(self, time: Any, east: ArrayLike, north: ArrayLike) -> tuple[Integers, Integers, Integers]:
        """Cells of time and of place, released together from the operating system's noise, each visit on its own.

        Parameters
        ----------
        time, east, north : array_like of int, shape () or (N,)
            Cells, as of :meth:`CircleRelease.randomise_cells` and :meth:`PlaneRelease.randomise_cells`.
        """
        times, places = self._parameters
        t, (x, y) = times._circle.check_indices(time), places._checked(east, north)
        if t.shape != x.shape:
            rule = "times and places must be columns of one length"
            raise InvalidArgument(f"{rule}; got the shapes {t.shape} and {x.shape}")
        x, y, t = (each.reshape(t.shape) for each in self._lattice.randomise(x.ravel(), y.ravel(), t.ravel()))
        return t % times.cells, x, y

    def randomise_visits(self, times: Any, latitude: Any, longitude: Any) -> tuple[Any, Any, Any]:
        """Release each of the visits on its own: hours, latitudes and longitudes of the middles of cells.

        Parameters
        ----------
        times, latitude, longitude : array_like, shape () or (N,)
            As of :meth:`CircleRelease.randomise_times` and :meth:`PlaneRelease.randomise_places`, with their errors.
        """
        circle, places = self._parameters[0]._circle, self._parameters[1]
        time, *place = self.randomise_cells(circle.index_times(times), *places.cells_of(latitude, longitude))
        return circle.hours(time)[()], *places.centres(*place)
