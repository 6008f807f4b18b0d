"""Hours of the people at places, from private reports of time and place."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dirpriv import geometry
from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, Mask
from dirpriv.distributions.protocols import AngularNoise
from dirpriv.distributions.user.adapter import check_distribution, is_symmetric, space_of
from dirpriv.estimators import busyness_fits, busyness_intervals, place_supports, shared
from dirpriv.estimators.histograms import bin_index, bin_transitions
from dirpriv.estimators.place_supports import PlaceSupport
from dirpriv.geometry.spaces import CIRCLE, FiniteSet

_MOST_BINS = 96
_ERROR = 0.1  # of a share, that bins and districts may have


@dataclass(frozen=True)
class BusynessEstimate:
    """Hours of the people at places, by :func:`estimate_busyness`.

    Attributes
    ----------
    edges : ndarray, shape (bins + 1,)
        Borders of the bins in radians, from 0 to 2π.
    places : ndarray, shape (n, 2) or (n,)
        Middles of the districts, by the first coordinate and then the second; venues; or the numbers of items.
    side : float
        Of a district, or of the square around a venue, in the unit of the positions; else 0.
    asked : ndarray of bool, shape (n,)
        Which places were asked for: districts beyond the square are there for the people whose noise reaches into it.
    shares : ndarray, shape (n,)
        Share of the people at each place. They add up to 1.
    hours : ndarray, shape (n, bins)
        Share of the people of each place in each bin. Each row adds up to 1.
    city : ndarray, shape (bins,)
        The hours of all people together.
    blurred, low, high : ndarray, shape (n, bins)
        The hours through soft bins and soft squares, and the ends of their intervals; nan where there are none.
    error : float
        Standard error of the hours of one district, without shrinkage, for people who are spread evenly; else nan.
    strength : float
        How far the hours of places may be from the city's: 0, the reports do not tell them apart.
    count, confidence : int and float
        Number of reports on the map; confidence of each interval, or nan.
    """

    edges: Array
    places: Array
    side: float
    asked: Mask
    shares: Array
    hours: Array
    city: Array
    blurred: Array
    low: Array
    high: Array
    error: float
    strength: float
    count: int
    confidence: float

    @property
    def bins(self) -> int:
        """Number of bins."""
        return len(self.city)


@np.errstate(under="ignore")
def estimate_busyness(
    angles: ArrayLike,
    positions: ArrayLike,
    time_noise: AngularNoise,
    place_noise: Any = None,
    *,
    reach: float | None = None,
    bins: int | None = None,
    districts: int = 1,
    venues: ArrayLike | None = None,
    region: tuple[float, float, float] | None = None,
    weights: ArrayLike | None = None,
    confidence: float | None = 0.95,
) -> BusynessEstimate:
    """Estimate when the people of a place are there, from private reports of their times and places.

    The density over hour and place is estimated together: the noise in the place mixes the hours of neighbours, and is
    taken out with that in the time. The logarithm of the density departs from a product of the hours of all people
    and of the likeliest shares of the places. These hours, and the departures, are waves of the time with normal
    coefficients: the hours of a place are drawn towards those of all people, and these towards even ones. How far they
    may depart is chosen by the evidence, from the reports alone. From the mode of the posterior, a last step gives the
    expected hours of the people who did report, as in :func:`estimate_histogram`.

    **The intervals hold for any people**, and for every number of reports: the hours of the people near a place, seen
    through soft bins and a soft district (``blurred``), lie within each with at least the
    ``confidence``, whatever the shrinkage does (docs/mathematics.md, “Hours of a place”). The quadratic B-splines reach
    one bin, and one side, beyond the edges. Both noises are independent, that of the time is symmetric, and that of the
    place is of a release or :class:`dirpriv.distributions.PlanarLaplace`; else there are no intervals.

    **Nothing is shown finer than the reports support.** Without shrinkage, the hours of one district would have the
    standard error ``error`` for people who are spread evenly. It is at most 10 points: more bins, or smaller districts,
    are refused with the number of reports they need. At level 1 within 3 h and 200 m, in the middle of 64 districts
    of 500 m with 100 000 people, it is 26 points in 8 bins, and 121 in 24.

    Parameters
    ----------
    angles : array_like, shape (N,)
        The reports of the time in radians, within [-2π, 4π].
    positions : array_like, shape (N, 2), or of int, shape (N,)
        The reports of the place: metres east and north of the place that is asked for, in the frame of the release. Of
        a :class:`dirpriv.release.PlaneRelease` they are the cells times ``cell_size``, less the projected place. Of a
        :class:`dirpriv.release.FiniteRelease` they are the numbers of items.
    time_noise, place_noise : object
        The distributions of both noises, which are independent: ``noise`` of the releases. That of the time is as for
        :func:`estimate_histogram`, that of the place as for :func:`estimate_place_density`, or that of a list of items.
        If one noise is of both together, give it as the first alone; there are no intervals then.
    reach : float, optional, keyword-only
        Half the side of the square that is asked for. It is needed, except for venues and items. With venues it is
        half the side of a square around each, whose people the intervals are of.
    bins : int, optional, keyword-only
        Number of bins of the day, at most 96. By default the most of 24, 12, 8, 6, 4 and 3 that the reports support: it
        follows from how many are on the map. They must not be chosen by what the reports show.
    districts : int, keyword-only
        Number of districts along each side of the square. Others of the same side go on four mean noises beyond it. All
        are 1024 at most.
    venues : array_like, shape (n, 2), optional, keyword-only
        Positions of a public list of at most 1024 venues: each of the people is at one of them. Reports that are more
        than six mean noises from all of them count for none. The hours of a venue rely on the list, and on the
        shrinkage; its intervals do not, and there are none without ``reach``. Items are such a list by themselves, and
        need no ``reach``.
    region : tuple of float, optional, keyword-only
        Middle and radius of the region of a release, in the frame of the positions. Districts on its border hold all
        people from beyond it, and do not count as asked for.
    weights, confidence : array_like of int and float, keyword-only
        As for :func:`estimate_histogram`; without a confidence there are no intervals, which take the most time.

    Raises
    ------
    ValueError
        If there are fewer than two reports on the map, one is not finite, a distribution is not of its space, or the
        bins, districts or venues are too many.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import distributions, estimators, geometry
    >>> time_noise, place_noise = distributions.Purkayastha(dim=2, kappa=3.0), distributions.PlanarLaplace(kappa=0.01)
    >>> rng = np.random.default_rng(1)
    >>> people = rng.uniform(-1500.0, 1500.0, (20_000, 2))  # in the morning in the west, in the evening in the east
    >>> hours = np.where(people[:, 0] < 0.0, 9.0, 18.0) + rng.normal(0.0, 1.0, 20_000)
    >>> directions = geometry.angles_to_vectors(geometry.hours_to_angles(hours))
    >>> angles = geometry.vectors_to_angles(time_noise.rvs(directions, rng=rng))
    >>> positions = place_noise.rvs(people, rng=rng)
    >>> day = estimators.estimate_busyness(angles, positions, time_noise, place_noise, reach=500.0, bins=6, districts=2)
    >>> (day.hours[day.asked] * 100).round().tolist()[::3]  # in the south-west, and in the north-east
    [[0.0, 10.0, 86.0, 0.0, 4.0, 0.0], [0.0, 0.0, 3.0, 1.0, 94.0, 1.0]]
    >>> [(end[day.asked][0] * 100).round().tolist() for end in (day.low, day.high)]
    [[0.0, 19.0, 46.0, 3.0, 6.0, 0.0], [5.0, 31.0, 58.0, 13.0, 17.0, 7.0]]
    """
    if is_joint := place_noise is None and place_supports.is_joint(time_noise):
        place_noise = time_noise
    else:
        check_distribution(time_noise, "a distribution on the circle", CIRCLE, "angle_sf")
    confidence = math.nan if confidence is None else validate.share("confidence", confidence)
    times, numbers = shared.checked_reports("angles", angles, weights)
    if isinstance(space_of(place_noise), FiniteSet):
        support = place_supports.item_support(positions, place_noise)
        at, _ = shared.checked_reports("positions", support.parts[0][0][:, None], numbers, 1)
    else:
        at, _ = shared.checked_reports("positions", positions, numbers, 2)
        half = 0.0 if reach is None else validate.positive("reach", reach)
        if venues is not None:
            support = place_supports.venue_support(at, place_noise, venues, 2.0 * half)
        elif half:
            where = half, validate.integer("districts", districts, 1), region
            support = place_supports.district_support(at, place_noise, *where)
        else:
            raise InvalidArgument("reach", "is needed, half the side of the square that is asked for")
    count = round(support.counts(np.zeros(len(times), dtype=np.intp), 1, numbers).sum())
    if count < 2:
        raise InvalidArgument("positions", f"must hold at least two reports on the map; got {count}")
    bins, error = _supported_bins(bins, None if venues is not None else support, time_noise, count)
    cells = bins * -(-24 // bins)
    moves, spectrum = _time_transitions(time_noise, cells), support.spectrum(cells)
    counts = support.counts(bin_index(times, cells), cells, numbers)
    one = np.ones((1, 1))
    city, _ = busyness_fits.fitted(counts.sum(axis=1)[:, None], moves, [one], (np.ones(cells), one[0]))
    base = city[:, 0], busyness_fits.likeliest(counts.sum(axis=0), spectrum[0])
    people, strength = busyness_fits.fitted(counts, moves, spectrum, base)
    people /= people.sum()
    hours = (people.reshape(bins, -1, people.shape[1]).sum(axis=1) @ support.members).T
    shares = hours.sum(axis=1)
    blurred = (place_supports.soft_bins(np.arange(cells) + 0.5, cells, bins) @ people @ support.soft).T
    blurred /= blurred.sum(axis=1, keepdims=True)
    edges = np.arange(bins + 1) * (geometry.TURN / bins)
    noises, ends = (time_noise, place_noise), np.full((2, *blurred.shape), np.nan)
    if not is_joint and is_symmetric(time_noise) and not math.isnan(confidence):
        ends = busyness_intervals.intervals(support, (times, at, numbers), noises, bins, 1.0 - confidence)
    fields: Any = [edges, support.places, support.side, support.asked, shares]
    fields += [hours / shares[:, None], hours.sum(axis=0), blurred, *ends, error, strength, count, confidence]
    return BusynessEstimate(*fields)


def _supported_bins(bins: int | None, support: PlaceSupport | None, noise: Any, count: int) -> tuple[int, float]:
    """As many as the reports support, or those that were given if they do, and their error."""
    if bins is not None:
        bins = validate.integer("bins", bins, 2)
        validate.check_at_most("bins", bins, _MOST_BINS, f"{_MOST_BINS}", bins)
    choices = (24, 12, 8, 6, 4, 3) if bins is None else (bins,)
    if support is None or not support.side:
        return choices[0], math.nan
    for number in choices:
        needed = fewest_reports(support, noise, number)
        if needed <= count:
            return number, _ERROR * math.sqrt(needed / count)
    rule = f"{number} bins of districts of {support.side:.4g} have an error of "
    rule += f"{100.0 * _ERROR * math.sqrt(needed / count):.0f} points with {count} reports, and at most 10 are shown"
    needed = float(f"{needed:.2g}")
    hint = f"use larger districts{', fewer bins' * (bins is not None)}, or about {needed:,.0f} reports on the map"
    raise InvalidArgument(rule, hint=hint)


def fewest_reports(support: PlaceSupport, noise: Any, bins: int) -> float:
    """How many show the hours of the district in the middle to 10 points, for people who are spread evenly over all."""
    middle = (support.places**2).sum(axis=1).argmin()
    spectrum = [support.members.T @ of / support.members.sum(axis=0)[:, None] for of in support.spectrum(bins)]
    errors = [share_errors(of, spectrum[0].mean(axis=0))[middle] for of in spectrum]
    if place_supports.is_joint(noise):
        waves = np.bincount(np.minimum(np.arange(bins), bins - np.arange(bins)))
        of_one = math.sqrt(waves @ np.square(errors)) / bins
    else:
        to_a_bin = -(-_MOST_BINS // bins)
        moves = bin_transitions(noise, bins * to_a_bin).reshape(bins, to_a_bin, -1).mean(axis=1)
        of_one = errors[0] * share_errors(moves, moves.mean(axis=0))[0]
    return float((of_one * len(support.places) / _ERROR) ** 2)


def share_errors(transitions: Array, mean: Array) -> Array:
    """Standard errors of shares by one report, without shrinkage, where reports are like this on average."""
    information = (transitions / np.maximum(mean, 1e-300)) @ transitions.T
    return np.asarray(np.sqrt(np.diag(np.linalg.pinv(information))))


def _time_transitions(noise: Any, cells: int) -> Array:
    if not place_supports.is_joint(noise):
        return bin_transitions(noise, cells)
    later = noise.transitions(cells, noise.mean_radius(), cells).sum(axis=(1, 2))
    return np.asarray(later[(np.arange(cells) - np.arange(cells)[:, None]) % cells])
