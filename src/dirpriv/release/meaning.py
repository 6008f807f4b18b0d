"""What a level means, in numbers: where reports land, and how far one moves the odds between two values."""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from dirpriv._inputs import units
from dirpriv._lib import formatting
from dirpriv.exact.circle import CircleRelease
from dirpriv.exact.finite import FiniteRelease
from dirpriv.exact.plane import PlaneRelease

SHARES = 0.5, 0.68, 0.95


def landings(release: CircleRelease, at: float) -> list[list[str]]:
    """Where the reports of a person at a time land: shares, times and distances, in rows."""
    width = release.period / release.cells
    seconds = not formatting.in_minutes([width])
    cumulative, cell = release.noise._cumulative[1:], math.floor(at / width + 1e-9)

    def reach(share: float) -> list[str]:
        steps = int(cumulative.searchsorted(share))
        if steps == 0 or 2 * steps + 1 >= release.cells:
            return [formatting.percent(share, 0), "anywhere" if steps else "in the cell of this one", ""]
        ends = [formatting.clock((cell + side * steps) * width, release.period, seconds) for side in (-1, 1)]
        away = f"at most {formatting.span(steps * width, release.period)} away"
        return [formatting.percent(share, 0), f"from {ends[0]} to {ends[1]}", away]

    return [reach(share) for share in SHARES]


def odds(release: CircleRelease, radius: str) -> list[list[str]]:
    """How far a report moves the odds between two times, in rows: the distance, a factor, a belief."""
    half, hours = release.period / 2.0, radius_hours(release, radius)
    unit = 15.0 if release.period == formatting.TURN else 1.0
    distances = sorted({d for d in (hours, unit, 2.0 * hours, half) if d <= half})
    losses = [release.certificate.loss(radius if d == hours else d / half * math.pi) for d in distances]
    return _odds([formatting.span(d, release.period) for d in distances], losses)


def radius_hours(release: CircleRelease, radius: str) -> float:
    """A radius in hours, or in degrees of headings."""
    return float(units.quantity("radius", radius, units.CIRCLE).hours(Fraction(release.period)))


def places_landings(release: PlaneRelease) -> list[list[str]]:
    """How far reports land from the true place: shares and distances, in rows."""
    reaches = {share: formatting.length(float(release.noise.radius_ppf(share))) for share in SHARES}
    return [[formatting.percent(share, 0), f"within {reach}"] for share, reach in reaches.items()]


def places_odds(release: PlaneRelease | FiniteRelease, radius: str) -> list[list[str]]:
    """How far a report moves the odds between two places, in rows, as :func:`odds`."""
    length = float(units.metres("radius", radius))
    distances = sorted({length, 2.0 * length, 5.0 * length, 1000.0})
    return _odds(map(formatting.length, distances), [release.certificate.loss(d) for d in distances])


def visits_odds(times: CircleRelease, places: PlaneRelease, radii: Any, is_sum: bool) -> list[list[str]]:
    """How far a report moves the odds between two visits, in rows, as :func:`odds`: of two noises, or of one."""
    half, hours, length = times.period / 2.0, radius_hours(times, radii[0]), float(units.metres("radius", radii[1]))
    distances, losses = [], []
    for in_time, in_place in ((1, 1), (1, 0), (0, 1), (2, 2)):
        apart = min(in_time * hours, half), in_place * length
        both = times.certificate.loss(apart[0] / half * math.pi), places.certificate.loss(apart[1])
        distances.append(f"{formatting.span(apart[0], times.period)} and {formatting.length(apart[1])}")
        losses.append(sum(both) if is_sum else max(both))
    return _odds(distances, losses)


def _odds(distances: Iterable[str], losses: Iterable[Any]) -> list[list[str]]:
    rows = zip(distances, map(float, losses), strict=True)
    return [[f"{distance} apart", formatting.likelier(loss), formatting.belief(loss)] for distance, loss in rows]
