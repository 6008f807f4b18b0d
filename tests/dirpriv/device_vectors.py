"""The same integers must give the same cells on every device: vectors, by Python's own integers alone.

Those of places take the weights of blocks from the library, and the map from 60 digits.
``python tests/dirpriv/device_vectors.py`` writes ``reference/device_vectors*.json`` once more.
"""

import bisect
import itertools
import json
import math
import random
from pathlib import Path

import mpmath
import numpy as np

from dirpriv.geometry.earth import EARTH_RADIUS
from dirpriv.release import CircleRelease, PlaneRelease

PLACE = Path(__file__).parent / "reference/device_vectors.json"
OF_PLACES = PLACE.with_name("device_vectors_of_places.json")
SETTINGS = [  # level, radius, cells, period, borders to be looked at
    (1.0, "3h", 96, "24h", 96),
    (0.1, "3h", 1440, "24h", 60),
    (1.0, "12h", 10_080, "7d", 60),
]
PLACES = [  # level, radius, origin, reach, step: a city, poles, the antimeridian, steep and flat weights
    (1.0, "200m", (40.75, -73.98), "30km", "10m"),
    (0.5, "150m", (89.9, 12.5), "12345.678m", "0.05m"),
    (1.0, "2km", (-17.5, 179.99), "300km", "50m"),
    (100.0, "1m", (0.0, 0.0), "100m", "5m"),
    (0.1, "1500m", (-90.0, 0.0), "10000km", "1500m"),
]
WORD = 1 << 64


def vectors():
    """By setting: uniform integers and the steps that they give, seconds and their cells."""
    choose = random.Random(37)
    for level, radius, cells, period, count in SETTINGS:
        release = CircleRelease.within(level, radius, cells=cells, period=period)
        document, sums = release.export(radius), [*itertools.accumulate(release.weights)]
        shift = next(s for s in itertools.count() if sums[-1] << s + 1 > 1 << 128)
        borders = [border << shift for border in sums]
        some = sorted(choose.sample(range(cells - 1), min(count, cells - 1)))
        uniforms = [u for i in some for u in (borders[i] - 1, borders[i])]
        uniforms += [0, borders[-1] - 1] + [choose.randrange(borders[-1]) for _ in range(10)]
        turn = document["period_seconds"]
        seconds = sorted({0, turn - 1} | {i * turn // cells + d for i in some[1:40] for d in (-1, 0)})
        yield {
            "settings": [level, radius, cells, period],
            "sha256": document["sha256"],
            "uniforms": [f"{u:x}" for u in uniforms],
            "steps": [bisect.bisect_right(borders, u) for u in uniforms],
            "seconds": seconds,
            "cells": [second * cells // turn for second in seconds],
        }


def plane(level, radius, region_centre, region_reach, cell_size):
    """The release of places of a setting."""
    return PlaneRelease.within(
        level, radius, region_centre=region_centre, region_reach=region_reach, cell_size=cell_size
    )


def proposed(lattice, borders, u, word, accept):
    """The offset of a proposal, by integers; None where it is drawn again, "flat" on the floor."""
    index = bisect.bisect_right(borders, u) - 1
    if index < 0:
        return "flat"
    bits = lattice._bits
    a = int(lattice._i[index]) * lattice.block + word % lattice.block
    b = int(lattice._j[index]) * lattice.block + (word >> bits) % lattice.block
    west, south, swapped = ((word >> 2 * bits + k) & 1 for k in range(3))
    if accept >= accepted(lattice, index, a, b) or (a == 0 and west) or (b == 0 and south):
        return None
    a, b = -a if west else a, -b if south else b
    return [b, a] if swapped else [a, b]


def accepted(lattice, index, a, b):
    """How many of 2^64 words take a cell of a block."""
    return int(lattice._accepted(np.array([a * a + b * b]), np.array([index]))[0])


def projected(release, latitude, longitude):
    """Cells east and north of the origin as real numbers, by 60 digits of the map of the class."""
    _, cells = release._parameters
    region_centre, region_reach, cell_size = cells.centre, cells.reach, cells.size
    with mpmath.workdps(60):
        degree = mpmath.pi / 180
        turn = (mpmath.mpf(longitude) - mpmath.mpf(region_centre[1])) * degree
        here, there = mpmath.mpf(region_centre[0]) * degree, mpmath.mpf(latitude) * degree
        sine, cosine, start, across = mpmath.sin(there), mpmath.cos(there), mpmath.sin(here), mpmath.cos(here)
        east, north = cosine * mpmath.sin(turn), across * sine - start * cosine * mpmath.cos(turn)
        length, along = mpmath.hypot(east, north), start * sine + across * cosine * mpmath.cos(turn)
        angle = mpmath.atan2(length, abs(along))
        region_reach, cell_size = (mpmath.mpf(x.numerator) / x.denominator for x in (region_reach, cell_size))
        scale = min(EARTH_RADIUS * angle, region_reach) / cell_size / length if length else 0
        return east * scale, north * scale


def cell_of(release, latitude, longitude):
    """The cell of a place: None where 60 digits do not tell it, as for places on a border."""
    cells = []
    for x in projected(release, latitude, longitude):
        with mpmath.workdps(60):
            if abs(x + 0.5 - mpmath.nint(x + 0.5)) < mpmath.mpf(10) ** -40:
                return None
            cells.append(int(mpmath.floor(x + 0.5)))
    return cells


def borders_of(lattice):
    """Partial sums of the weights of floor and blocks."""
    floor = (2 * lattice.half + 1) ** 2 << lattice._shift - 76
    ways = [(4 if i == j else 8) << 2 * lattice._bits for i, j in zip(lattice._i, lattice._j, strict=True)]
    return [*itertools.accumulate((int(b) * w for b, w in zip(lattice._bounds, ways, strict=True)), initial=floor)]


def places_at_borders(release, choose):
    """Doubles on both sides of a border of cells, at random and at the ends of the region."""
    most = release._lattice.region
    for reached in (0.0, 0.3, 0.9):
        i, j = (round(choose.uniform(-1, 1) * reached * most) for _ in range(2))
        for east, north in ((i + 0.5, j), (i, j + 0.5)):
            latitude, longitude = release._cells.unprojected(
                np.array(east * release.cell_size), np.array(north * release.cell_size)
            )
            for toward in (-math.inf, math.inf):
                yield math.nextafter(latitude, toward), float(longitude)
                yield float(latitude), math.nextafter(longitude, toward)


def vectors_of_places():
    """By setting: proposals from a uniform integer and two words, and places with their cells."""
    choose = random.Random(37)
    for level, radius, *where in PLACES:
        release = plane(level, radius, *where)
        lattice = release._lattice
        borders = borders_of(lattice)
        draws = []
        for index in sorted(choose.sample(range(len(borders) - 1), min(12, len(borders) - 1))):
            word = choose.randrange(WORD)
            a = int(lattice._i[index]) * lattice.block + word % lattice.block
            b = int(lattice._j[index]) * lattice.block + (word >> lattice._bits) % lattice.block
            limit = accepted(lattice, index, a, b)
            draws += [(u, word, accept) for u in (borders[index] - 1, borders[index])
                      for accept in (max(limit - 1, 0), limit)]  # fmt: skip
        draws += [(choose.randrange(borders[-1]), *(choose.randrange(WORD) for _ in range(2))) for _ in range(12)]
        draws += [
            (0, 1, 1),
            (borders[-1] - 1, 0, 0),
            *((borders[0], signs << 2 * lattice._bits, 0) for signs in range(8)),
        ]
        north, east = release.region_centre
        opposite = -north, east + 180.0 if east < 0.0 else east - 180.0
        places = [(north, east), opposite, (90.0, 12.0), (90.0, -180.0), (-90.0, 100.0), (-90.0, 359.0)]
        places += [(north, turn) for turn in (180.0, -180.0, 179.9999999, -179.9999999, 180.0000001)]
        places += [(40.758, -73.985), (-33.0, 151.0), *places_at_borders(release, choose)]
        places = [place for place in places if cell_of(release, *place) is not None]
        yield {
            "settings": [level, radius, *map(list, where[:1]), *where[1:]],
            "sha256": release.export(radius)["sha256"],
            "total": f"{borders[-1]:x}",
            "draws": [[*(f"{x:x}" for x in draw), proposed(lattice, borders, *draw)] for draw in draws],
            "places": [[*place, *cell_of(release, *place)] for place in places],
        }


if __name__ == "__main__":
    for place, found in ((PLACE, vectors()), (OF_PLACES, vectors_of_places())):
        place.write_text("[\n" + ",\n".join(json.dumps(each) for each in found) + "\n]\n")
