"""Densities of places from private reports, by the distribution of their noise."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.quadrature import NODES, WEIGHTS, integral
from dirpriv._lib.types import Array, Integers, Mask
from dirpriv.distributions.protocols import PlaneNoise
from dirpriv.distributions.shared.base import CellNoise
from dirpriv.distributions.user.adapter import lacking, space_of
from dirpriv.estimators import betting_intervals, place_intervals, plane_density, shared
from dirpriv.estimators.plane_noise_bounds import plane_noise
from dirpriv.geometry import earth
from dirpriv.geometry.spaces import PLANE

_MOST_CELLS = 192  # of the grid on which the density is estimated
_DISTRICTS, _MOST_DISTRICTS = 8, {"hard": 16, "soft": 32}


@dataclass(frozen=True)
class PlaceDensityEstimate(shared.EstimatedShares):
    """Density of places in a square region, from private reports.

    Attributes
    ----------
    edges : ndarray, shape (cells + 1,)
        Borders of the cells along each axis, from -reach to reach, in the unit of the positions.
    shares : ndarray, shape (cells, cells)
        Estimated share of the people in each cell, by the first and the second coordinate, which add up to 1.
    districts : ndarray, shape (districts + 1,)
        Borders of the districts along each axis. For a smooth density, districts are the cells.
    blur : float
        Width of the moving averages that make districts soft: their side; 0 for hard edges.
    low_everywhere, high_everywhere : ndarray, shape (districts, districts), or None
        Ends of intervals of soft districts that hold for all together.
    low, high : ndarray, shape (districts, districts)
        Ends of the interval of the share in each district. An estimate may lie outside: see :attr:`outside`.
    intervals, simultaneous : str and bool
        As of :class:`HistogramEstimate`, for places.
    width : float
        Over this distance, the logarithm of the density changes by about 1. ``inf``: flat.
    flat_p_value, warning, count, confidence : float, str, int and float
        As of :class:`HistogramEstimate`, for people who are spread evenly over the region.
    """

    districts: Array = field(kw_only=True)
    blur: float = field(default=0.0, kw_only=True)
    low_everywhere: Array | None = field(default=None, kw_only=True)
    high_everywhere: Array | None = field(default=None, kw_only=True)

    @property
    def in_districts(self) -> Array:
        """Estimated share of the people in each district, with the people of a cell spread evenly over it."""
        if self.blur:
            return self.blurred((self.districts[1:] + self.districts[:-1]) / 2.0)
        before = np.clip((self.districts[:, None] - self.edges[:-1]) / np.diff(self.edges), 0.0, 1.0)
        parts = np.diff(before, axis=0)
        return np.asarray(parts @ self.shares @ parts.T)

    def blurred(self, middles: ArrayLike) -> Array:
        """Estimated share of the people in soft districts around places along both axes.

        Parameters
        ----------
        middles : array_like
            Of the districts along each axis, in the unit of the positions.

        Examples
        --------
        >>> import numpy as np
        >>> from dirpriv.estimators import PlaceDensityEstimate
        >>> share, edges = np.ones((1, 1)), np.array([-10.0, 10.0])
        >>> about = {"districts": edges, "blur": 100.0}
        >>> density = PlaceDensityEstimate(edges, share, share, share, 1.0, 1.0, "", 9, 0.95, **about)
        >>> density.blurred([0.0, 100.0]).round(2).tolist()
        [[0.56, 0.09], [0.09, 0.02]]
        """
        within = self.edges[:-1, None] + NODES * np.diff(self.edges)[:, None]
        parts = integral(place_intervals.spline((within - np.asarray(middles)[:, None, None]) / self.blur))
        return np.asarray(parts @ self.shares @ parts.T)

    @property
    def outside(self) -> Mask:
        """Where the estimated share of a district lies outside of its interval: trust the interval there."""
        shares = np.maximum(self.in_districts, 0.0)  # central ones may be below 0
        return (shares < self.low) | (shares > self.high)

    def on_border(self, region: float, *, districts: bool = False, rounding: float = 0.0) -> Mask:
        """Which cells, or districts, lie on the border of a region of a release, where all beyond it count.

        Parameters
        ----------
        region : float
            Radius of the region, in the unit of the positions.
        districts : bool, keyword-only
            Whether districts are asked for.
        rounding : float, keyword-only
            How far positions may have been moved to the middle of a cell, as by a release.

        Examples
        --------
        >>> import numpy as np
        >>> from dirpriv.estimators import PlaceDensityEstimate
        >>> share, edges = np.full((3, 3), 1 / 9), np.array([-3.0, -1.0, 1.0, 3.0])
        >>> density = PlaceDensityEstimate(edges, share, share, share, 1.0, 1.0, "", 9, 0.95, districts=edges)
        >>> density.on_border(3.0).astype(int).tolist()
        [[1, 1, 1], [1, 0, 1], [1, 1, 1]]
        >>> density.beyond(1.4).astype(int).tolist()
        [[1, 0, 1], [0, 0, 0], [1, 0, 1]]
        """
        edges = self.districts if districts else self.edges
        far = np.maximum(-edges[:-1], edges[1:])
        beyond = self.beyond(region, districts=districts, rounding=rounding)
        return np.asarray((np.hypot(far[:, None], far) >= region - rounding) & ~beyond)

    def beyond(self, region: float, *, districts: bool = False, rounding: float = 0.0) -> Mask:
        """Which cells, or districts, lie beyond a region of a release as a whole, so that nobody is there.

        Parameters
        ----------
        region, districts, rounding : float, and bool and float, keyword-only
            As for :meth:`on_border`.
        """
        edges = self.districts if districts else self.edges
        nearest = np.maximum(np.maximum(edges[:-1], -edges[1:]), 0.0)
        return np.asarray(np.hypot(nearest[:, None], nearest) >= region + rounding)

    def places(self, origin: tuple[float, float], east: ArrayLike, north: ArrayLike) -> Array:
        """Latitude and longitude in degrees of points of the region, where positions are in metres.

        Parameters
        ----------
        origin, east, north : tuple of float, and array_like
            Latitude and longitude in degrees of the middle of the region, and metres from it.

        Examples
        --------
        >>> import numpy as np
        >>> from dirpriv.estimators import PlaceDensityEstimate
        >>> share, edges = np.ones((1, 1)), np.array([-1e3, 1e3])
        >>> density = PlaceDensityEstimate(edges, share, share, share, 1.0, 1.0, "", 9, 0.95, districts=edges)
        >>> density.places((40.75, -73.98), [0.0, 1000.0], 0.0).round(4).tolist()
        [[40.75, -73.98], [40.75, -73.9681]]
        """
        return earth.destination(origin, np.arctan2(east, north), np.hypot(east, north))


@np.errstate(under="ignore")
def estimate_place_density(
    positions: ArrayLike,
    distribution: PlaneNoise,
    *,
    reach: float,
    cells: int = 24,
    width: float | None = None,
    weights: ArrayLike | None = None,
    confidence: float = 0.95,
    districts: int | None = None,
    edges: Literal["hard", "soft"] = "hard",
    blur: float | None = None,
    blurs: int = 1,
    intervals: Literal["distribution-free", "smooth"] = "distribution-free",
    simultaneous: bool = False,
) -> PlaceDensityEstimate:
    """Estimate the density of people's places in a square from private reports, with intervals of districts.

    **The intervals hold wherever people are**, also outside of the square, and for every number of reports,
    each for one district, as those of :func:`estimate_histogram` do for a bin. They are wide where districts
    are not much larger than the noise. A cell of a release that the border of a district cuts may count as
    inside or outside; people beyond the region of a release are at its border, see
    :meth:`PlaceDensityEstimate.on_border`.

    **With** ``edges="soft"`` **the same reports answer sharply**: each person counts in the districts around it, with
    weights that fall smoothly and add up to 1. They are the products of the quadratic B-splines of
    :func:`estimate_density_band` along both axes, and reach one and a half districts from the middle of one. The
    side of a district is the blur. Where a district is wider than the noise, intervals are 10 to 50 times narrower:
    docs/mathematics.md, “Soft districts of a map”. The middle of a district is that of the nearest cell of a release.

    The density is estimated as by :func:`estimate_histogram`, with waves in two dimensions, on a grid as fine as the
    median of the noise, or as a 192nd of the side where that is more, and added up in the cells. For the estimate all
    people, but not their reports, are taken to be in the square within ``reach`` of the origin along each axis.

    **With** ``intervals="smooth"`` **each cell has an interval, which assumes a smooth density.** Where many
    people are at one address, it does not hold, mostly without a warning. From 3000 reports of
    :class:`dirpriv.distributions.PlanarLaplace` in 24 x 24 cells of a square of 10 km, and with half of the people at
    each of two addresses, 2 of 8 intervals of 95 % of these two cells held their share at the level 0.3
    within 200 m, none of 8 at level 1, and 8 of 8 at level 3. With a tenth of the people at one spot of
    ground that is even elsewhere, 0, 3 and 4 of 4 intervals of its cell did; of a smooth density 99 % of all
    intervals or more (``benchmarks/measure_reports.py places``).

    Parameters
    ----------
    positions : array_like, shape (N, 2)
        The reports in a local frame, in the unit of the distribution: metres east and north of an origin. For the
        cells of a :class:`dirpriv.release.PlaneRelease`, their numbers east and north times ``cell_size``.
    distribution : object
        The distribution of the noise in the plane: :class:`dirpriv.distributions.PlanarLaplace`, the distribution of a
        release of places of a city (``release.noise``), or one with the methods ``pdf`` and ``radius_ppf``.
    reach : float, keyword-only
        Half the side of the square.
    cells : int, keyword-only
        Number of cells along each axis, at most 192. Up to 100 take some seconds, 192 up to a minute.
    width : float, optional, keyword-only
        The width in the unit of the positions; by default it is chosen, and before the reports are seen it is
        a sixteenth of the side within a factor of 2.
    weights, confidence : array_like of int and float, keyword-only
        As for :func:`estimate_histogram`: count a large file in cells.
    districts : int, optional, keyword-only
        Number of districts along each axis, at most 16, by default 8, or as many as there are cells. 64 take
        some 5 to 20 seconds and 100 MB. Soft ones: at most 32, in place of a blur.
    edges : {"hard", "soft"}, keyword-only
        Whether a person counts in its own district only, or in those around it.
    blur : float, optional, keyword-only
        Side of a soft district, in the unit of the positions: from two cells of a release, and 1/32 of the side of the
        square, to this side. By default it follows from the number of reports and the noise alone: the smallest of at
        most 16 districts along an axis, for which the intervals of people who are spread evenly, of all districts
        together, are at most as wide as their share. It must not be chosen by what the reports show.
    blurs : int, keyword-only
        How many blurs are tried with these reports: the error is divided by it.
    intervals : {"distribution-free", "smooth"}, keyword-only
        Intervals of districts that hold for all places, or of cells for a smooth density only.
    simultaneous : bool, keyword-only
        Whether the intervals hold for all districts at once.

    Raises
    ------
    ValueError
        If there are fewer than two reports, one is not finite, or the distribution is not one in the plane. If no
        blur of up to a third of the side is enough for so few reports, with the number that would be. If the
        intervals are to hold for all places, and the distribution is neither planar Laplace nor of a release.

    Warns
    -----
    UserWarning
        Where the reports cannot tell the density from a flat one at the error rate 5 %; the estimate has the
        same ``warning``.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import estimators, distributions
    >>> distribution, study = distributions.PlanarLaplace(kappa=0.02), np.random.default_rng(1)  # per metre
    >>> people = study.normal([600.0, -200.0], 150.0, (1000, 2))
    >>> reports = distribution.rvs(people, rng=study)
    >>> density = estimators.estimate_place_density(reports, distribution, reach=1000.0, cells=4, districts=2)
    >>> np.unravel_index(density.shares.argmax(), density.shares.shape)  # east 500 to 1000, north -500 to 0
    (np.int64(3), np.int64(1))
    """
    points, weights = shared.checked_reports("positions", positions, weights, columns=2)
    confidence, reach = validate.share("confidence", confidence), validate.positive("reach", reach)
    cells = validate.integer("cells", cells, 2)
    validate.check_at_most("cells", cells, _MOST_CELLS, f"{_MOST_CELLS} along each axis", cells)
    size = checked_cell_size(distribution)
    shared.checked_intervals(intervals, simultaneous, edges)
    if intervals == "smooth" and (districts is not None or edges == "soft"):
        name = "edges" if districts is None else "districts"
        raise InvalidArgument(name, "goes with intervals='distribution-free': others are of the cells")
    if edges == "hard" and (blur is not None or blurs != 1):
        raise InvalidArgument("blurs" if blur is None else "blur", "goes with edges='soft'")
    if districts is not None and validate.integer("districts", districts, 1) > (most := _MOST_DISTRICTS[edges]):
        raise InvalidArgument("districts", f"must be at most {most} along each axis; got {districts}")
    error = (1.0 - confidence) / validate.integer("blurs", blurs, 1)
    if edges == "soft":
        blur = checked_blur(distribution, reach, districts, blur)
        blur = blur or _supported_blur(distribution, reach, float(weights.sum()), error)
        districts = math.ceil(2.0 * reach / blur * (1.0 - 1e-9))
    districts = districts or min(_DISTRICTS, cells)
    errors = [error / districts ** (2 * simultaneous), error / districts**2]
    noise = _noise(distribution, reach, _fine_cells(distribution, reach, cells, size))
    counts = _counts(points, weights, reach, noise, size)
    roughness, width = _roughness(noise.cells, reach), shared.checked_width(width)
    widths, log_odds = shared.possible_widths(width, reach / 8.0, np.log(2.0), count=9)
    prior = plane_density.PlanePrior(roughness, widths, log_odds + np.log(0.5), shared.flat_log_odds(width))
    estimate = plane_density.estimate(counts, noise, prior, cells)
    p_value = plane_density.flat_p_value(counts, noise, roughness)
    count = int(weights.sum())
    warning = shared.flat_warning(count, p_value, "density of places")
    borders = parts = np.linspace(-reach, reach, cells + 1)
    everywhere: Any = None, None
    if intervals == "smooth":
        low, high = shared.smooth_ends(estimate, count, confidence)
    elif blur:
        parts = (np.arange(districts + 1) - districts / 2.0) * blur
        bets = place_intervals.DistrictBets(distribution, blur, count / (2.0 * reach) ** 2, errors[0])
        (low, high), everywhere = bets.ends(points, weights, (parts[1:] + parts[:-1]) / 2.0, errors)
    else:
        parts, around = np.linspace(-reach, reach, districts + 1), plane_noise(distribution, reach, districts)
        (reports,) = betting_intervals.divided([(around, points, weights)])
        low, high = (ends[0] for ends in betting_intervals.ends([(around, reports.around(around))], errors[:1]))
        low, high = (ends.reshape(districts, districts) for ends in (low, high))
    if intervals != "smooth":
        instead = "a wider blur" if blur else "soft edges, fewer districts"
        warning = shared.width_warning(low, high, warning, "a district of a uniform map", instead)
    common = borders, estimate.shares, low, high, estimate.width, p_value, warning, count, confidence
    about: dict[str, Any] = {"intervals": intervals, "simultaneous": simultaneous, "districts": parts}
    about |= {"blur": blur or 0.0, "low_everywhere": everywhere[0], "high_everywhere": everywhere[1]}
    return PlaceDensityEstimate(*common, **about)


def checked_blur(distribution: Any, reach: float, districts: int | None, blur: Any) -> Any:
    """One that was given, or the side of as many districts."""
    if blur is None:
        return None if districts is None else 2.0 * reach / districts
    if districts is not None:
        raise InvalidArgument("districts", "goes without a blur, which is the side of a soft district")
    least = max(2.0 * checked_cell_size(distribution), 2.0 * reach / _MOST_DISTRICTS["soft"])
    if not least * (1.0 - 1e-9) <= validate.positive("blur", blur) <= 2.0 * reach * (1.0 + 1e-9):
        rule = "must be from two cells, and 1/32 of the side of the map, to this side"
        raise InvalidArgument("blur", f"{rule}: {least:.5g} to {2.0 * reach:.5g} m", got=blur)
    return float(blur)


def _supported_blur(distribution: Any, reach: float, people: float, error: float) -> float:
    """The smallest that this many people support, by the noise alone."""

    @functools.cache
    def support(blur: float) -> Callable[[float], bool]:
        return place_intervals.supports(distribution, reach, blur, error)

    def is_enough(people: float, blur: float = reach / 1.5) -> bool:
        return support(blur)(people)

    blurs = [2.0 * reach / districts for districts in range(16, 2, -1)]
    if blur := shared.first_enough(blurs, lambda blur: is_enough(people, blur)):
        return blur
    raise shared.no_density("these reports", "map", is_enough, people)


def checked_cell_size(distribution: Any) -> float:
    """Side of the cells of a distribution in the plane, 0 of a continuous one; others are refused."""
    size = distribution.cell_size if isinstance(distribution, CellNoise) else 0.0
    if space_of(distribution) != PLANE or lacking(distribution, "radius_ppf", *(() if size else ("pdf",))):
        raise InvalidArgument("distribution", "must be a distribution in the plane, as PlanarLaplace", got=distribution)
    return size


def _roughness(cells: int, reach: float) -> Array:
    """1 over the prior variance of each wave at the width 1, inf for the constant.

    The variance of the wave number q is 4/(width² q⁴), over the mean square of the wave and the area.
    """
    side, waves = 2.0 * reach, np.arange(cells)
    numbers = (np.pi / side) ** 2 * (waves[:, None] ** 2 + waves**2)
    squares = np.where(waves == 0, 1.0, 0.5)
    roughness = (numbers * side / 2.0) ** 2 * np.outer(squares, squares)
    roughness[0, 0] = np.inf
    return np.asarray(roughness)


def _fine_cells(distribution: Any, reach: float, cells: int, size: float) -> int:
    """Cells along a side of the grid of the estimate, a multiple of ``cells``."""
    most = 2.0 * reach / size if size else np.inf
    validate.check_at_most("cells", cells, most, f"{int(min(most, _MOST_CELLS))}, as the reports are cells too", cells)
    wanted = 2.0 * reach / max(distribution.radius_ppf(0.5), 2.0 * reach / _MOST_CELLS)
    return cells * max(int(min(max(wanted, 32), most)) // cells, 1)


def _noise(distribution: Any, reach: float, cells: int) -> plane_density.MapNoise:
    """The noise in cells of the square. It is seen in a margin that takes up all but 0.1 % of it."""
    side = 2.0 * reach / cells
    margin = int(min(np.ceil(distribution.radius_ppf(0.999) / side), cells))
    return plane_density.MapNoise(square_moves(distribution, side, cells + margin), cells, margin)


def _counts(points: Array, weights: Array, reach: float, noise: plane_density.MapNoise, size: float) -> Array:
    """Counts of reports, by the shares of their cells, in the square and its margin; the last is beyond."""
    counts = np.zeros(noise.span**2 + 1)
    for flat, share in in_squares(points, reach, noise.cells, noise.margin, size):
        counts += np.bincount(flat, weights * share, counts.size)
    return np.asarray(np.rint(counts * 2.0**20) / 2.0**20)  # the order of the reports is of no account


def in_squares(
    points: Array, reach: float, cells: int, margin: int = 0, size: float = 0.0
) -> Iterator[tuple[Integers, Array]]:
    """Numbers of the squares that hold the corners of the cells of reports, and the shares of the cells there.

    The square within ``reach`` has this many squares along a side, some more in its margin. The last number is beyond.
    """
    scale, span = cells / (2.0 * reach), cells + 2 * margin
    at, half = (points + reach) * scale, 0.5 * size * scale
    at = np.where(points == reach, cells - 0.5, at)  # the border belongs to the square
    lower, upper = np.floor(at - half), np.floor(at + half)
    above = np.where(upper > lower, (at + half - upper) / max(2.0 * half, 1e-300), 0.0)
    for sides in np.ndindex(2, 2) if size else [(0, 0)]:
        index = np.clip(np.where(sides, upper, lower) + margin, -1, span).astype(np.intp)
        outside = ((index < 0) | (index >= span)).any(axis=1)
        flat = np.where(outside, span**2, index[:, 0] * span + index[:, 1])
        yield flat, np.where(sides, above, 1.0 - above).prod(axis=1)


def square_moves(distribution: Any, side: float, most: int) -> Array:
    """Probabilities that a place, even in one square of a grid, is reported in another, by their offset."""
    if isinstance(distribution, CellNoise):
        return distribution.square_transitions(side, most)
    count = int(min(most, np.ceil(distribution.radius_ppf(1.0 - 1e-10) / side) + 1))
    ends = np.arange(2)[:, None]
    nodes = (ends - 1.0 + NODES).ravel()
    triangle = np.tile(WEIGHTS, 2) * (1.0 - np.abs(nodes))
    axis = (np.arange(count + 1)[:, None] + nodes).ravel() * side
    quadrant = np.zeros((count + 1, count + 1))
    for row in range(count + 1):
        x = np.broadcast_to(axis[row * nodes.size : (row + 1) * nodes.size, None], (nodes.size, axis.size))
        values = distribution.pdf(np.stack([x, np.broadcast_to(axis, x.shape)], axis=-1), np.zeros(2))
        quadrant[row] = (triangle @ values).reshape(-1, nodes.size) @ triangle * side**2
    moves = np.pad(quadrant, [(count, 0)] * 2, "reflect")
    # noise that is narrow in a square has a cusp between the nodes: it stays in the square
    total = moves.sum()
    if total > 1.0:
        return np.asarray(moves / total)
    if distribution.radius_ppf(0.999) < side:
        moves[count, count] += 1.0 - total
    return moves
