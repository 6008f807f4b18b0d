"""Audit every release by its draws: ``python benchmarks/measure_audit.py 100000000 [name ...]``.

Each release draws so often, half of it for each of two inputs within its radius, and the draws are counted by
cells. Then

* bounds: no cell may be more than e^level times as probable for the one input as for the other, and no set of
  cells that the table names before the draws. The limits of all probabilities are those of Clopper and
  Pearson, which are exact. The level is that of the certificate, for the cells of these two inputs;
* fit: the counts fit the integer weights, by χ² and by the exact limits of every cell.

All of this together fails for a right library with probability RISK at most (Bonferroni's inequality). Two
wrong variants of every release must be caught: one whose level is 5 % higher, by the bounds, and one with a
weight that is 5 % smaller, by the fit.

The table goes to the standard output as CSV; the exit status is 1 if a row is not as it must be.
"""

import argparse
import csv
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import duckdb
import numpy as np
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from dirpriv import geometry, mechanisms, release
from dirpriv.geometry import earth
from dirpriv.guarantees import audit
from dirpriv.release import CircleRelease, PlaneRelease, SphereRelease, read_released

RISK = 1e-6  # that a right library fails anything here
FEWEST = 100  # expected counts of a class of the χ² test
SHARES = (
    1.0 - 1e-6,
    0.99,
    0.98,
    0.97,
    0.96,
    0.95,
    0.9,
    0.8,
    0.6,
)  # of the largest loss, from which on cells make a set
CITY = {"region_centre": (40.75, -73.98), "region_reach": "3km"}


class Audited(NamedTuple):
    """A release at two inputs.

    Attributes
    ----------
    level : float
        What its certificate says of the two inputs.
    weights : ndarray, shape (2, cells)
        Of the cells, for each input: from the integers of the release.
    counts : callable
        Counts of the cells, of an input (0 or 1) and a number of draws.
    part : int
        Draws at a time.
    """

    level: float
    weights: np.ndarray
    counts: Callable[[int, int], np.ndarray]
    part: int = 2_000_000


# ------------------------------------------------- releases; ``times`` is by how much their level is another


def of_circle(made, level, distance, draw, part=2_000_000):
    """A release on the circle: ``draw`` gives numbers of cells, of which the first input's is 0."""
    weights = np.array([float(weight) for weight in made.weights])

    def counts(i, count):
        return np.bincount(draw(i, count), minlength=made.cells)

    return Audited(level, np.stack([weights, np.roll(weights, distance)]), counts, part)


def times_of_day(times):
    """08:00 and 11:00, at level 1 within 3 h."""
    made = CircleRelease.within(times, "3h")

    def draw(i, count):
        hours = release.times(np.full(count, (8.0, 11.0)[i]), level=times, radius="3h", unit="h")
        return (np.floor(hours * 60.0).astype(int) - 480) % 1440

    return of_circle(made, made.certificate.loss("3h"), 180, draw)


def times_of_the_week(times):
    """Monday, 0 h, and Tuesday, 0 h, at level 2 within a day, in cells of an hour."""
    made = CircleRelease.within(2.0 * times, "1d", cells=168, period="7d")
    stamps = np.array(["2024-01-01", "2024-01-02"], dtype="datetime64[s]")

    def draw(i, count):
        return np.floor(made.randomise_times(np.full(count, stamps[i]))).astype(int)

    return of_circle(made, made.certificate.loss("1d"), 24, draw)


def times_of_a_file(times):
    """08:00 and 11:00 in a file, at level 1 within 3 h."""
    made = CircleRelease.within(times, "3h")

    def counts(i, count):
        call = {"time": "arrival", "level": times, "radius": "3h"}
        released = of_file(f"SELECT TIME '{(8, 11)[i]:02d}:00' AS arrival FROM range({count})", call)
        return np.roll(released.counts, -480)

    of_memory = of_circle(made, made.certificate.loss("3h"), 180, None)
    return of_memory._replace(counts=counts, part=20_000_000)


def directions(times):
    """The angles 0 and 0.5, at ε = 10 per radian."""
    made = CircleRelease(10.0 * times)

    def draw(i, count):
        return np.floor(made.randomise_angles(np.full(count, 0.5 * i)) * (1440 / geometry.TURN)).astype(int)

    return of_circle(made, made.certificate.loss(0.5), int(0.5 * 1440 / geometry.TURN), draw)


def of_cells(made, distance, level):
    """Cells of a circle."""

    def draw(i, count):
        return made.randomise_cells(np.full(count, i * distance))

    return of_circle(made, level, distance, draw)


def pure_cap(times):
    """Opposite directions, at the pure level 1."""
    made = CircleRelease.pure(times)
    return of_cells(made, 720, made.certificate.pure)


def staircase(times):
    """Directions π/4 apart, by the table of a staircase of level 1 within π/4."""
    made = CircleRelease.from_mechanism(mechanisms.StaircaseMechanism.within(times, np.pi / 4.0))
    return of_cells(made, 180, made.certificate.loss(np.pi / 4.0))


def von_mises(times):
    """Opposite directions, by the table of a von Mises-Fisher mechanism of the pure level 1."""
    made = CircleRelease.from_mechanism(mechanisms.VonMisesFisherMechanism.pure(times))
    return of_cells(made, 720, made.certificate.pure)


def of_plane(times, cell_size, steps, half, group=1, *, files=False):
    """ln 4 within 200 m: cells (0, 0) and ``distance``, counted in squares of ``group`` by ``group``.

    The cells beyond ``half`` to each side, with a mass below 1e-9, are not looked at.
    """
    level = np.log(4.0) * times
    made = PlaneRelease.within(level, "200m", cell_size=cell_size, **CITY)
    size, most = 2 * half // group, half + max(steps)
    offsets = np.array(made.weights(most), dtype=object)
    weights = []
    for x, y in ((0, 0), steps):
        inside = offsets[most - half - x : most + half - x, most - half - y : most + half - y]
        weights.append(inside.reshape(size, group, size, group).sum(axis=(1, 3)).ravel().astype(float))

    def counted(east, north, each=None):
        east, north = (east + half) // group, (north + half) // group
        inside = (np.minimum(east, north) >= 0) & (np.maximum(east, north) < size)
        each = None if each is None else each[inside]
        found = np.bincount((east * size + north)[inside], each, minlength=size * size)
        return found.astype(np.int64)

    def counts(i, count):
        return counted(*made.randomise_cells(*(np.full(count, i * cell) for cell in steps)))

    def counts_of_file(i, count):
        north, east = (float(degrees) for degrees in made.centres(*(i * cell for cell in steps)))
        call = {"latitude": "lat", "longitude": "lon", "level": level, "radius": "200m", "cell_size": cell_size}
        select = f"SELECT {north!r}::DOUBLE AS lat, {east!r}::DOUBLE AS lon FROM range({count})"
        released = of_file(select, call | CITY)
        return counted(released.east, released.north, released.counts)

    distance = made.cell_size * np.hypot(*steps)
    found = Audited(made.certificate.cells * distance, np.stack(weights), counts)
    return found._replace(counts=counts_of_file, part=10_000_000) if files else found


def places_of_a_city(times):
    """Cells of 50 m, 250 m apart: places in them can be 180 m apart. At ln 4 within 200 m."""
    return of_plane(times, "50m", (4, 3), 96)


def places_of_small_cells(times):
    """Cells of 8 m, whose noise is drawn from blocks of cells, 200 m apart. At ln 4 within 200 m."""
    return of_plane(times, "8m", (20, 15), 480, 5)


def places_of_a_file(times):
    """The same cells of 50 m, by a file."""
    return of_plane(times, "50m", (4, 3), 96, files=True)


def places_of_the_globe(times):
    """Places 992 km apart, at level 4 within 1000 km, on 1000 cells."""
    made = SphereRelease.within(4.0 * times, "1000km", cells=1000)
    inputs = made.cells_of([40.75, 40.75], [-73.98, -62.2])
    weights = [[float(weight) for weight in made.weights(cell)] for cell in inputs.tolist()]
    distance = float(earth.great_circle_distance(*made.partition.centres()[inputs]))

    def counts(i, count):
        return np.bincount(made.randomise_cells(np.full(count, inputs[i])), minlength=1000)

    return Audited(made.certificate.cells * distance, np.array(weights), counts)


def of_file(select, call):
    """What is read from the released file of a table."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "data")
        folder.mkdir()
        with duckdb.connect() as connection:
            connection.execute(f"COPY ({select}) TO '{folder / 'true.parquet'}' (FORMAT parquet)")
        with mock.patch.dict(os.environ, {"XDG_CONFIG_HOME": f"{home}/of/user"}):
            release.file(folder / "true.parquet", folder / "private.parquet", **call)
        (released,) = read_released(folder / "private.parquet")
        return released


RELEASES = {
    "times of the day": times_of_day,
    "times of the week": times_of_the_week,
    "times of a file": times_of_a_file,
    "directions": directions,
    "directions, pure": pure_cap,
    "directions, staircase": staircase,
    "directions, von Mises-Fisher": von_mises,
    "places of a city": places_of_a_city,
    "places of a city, small cells": places_of_small_cells,
    "places of a file": places_of_a_file,
    "places of the globe": places_of_the_globe,
}


# ---------------------------------------------------------------- what is asked of the counts


def counts_of(audited, draws):
    """Counts of the cells for this number of draws of each of both inputs, shape (2, cells)."""
    found = np.zeros(audited.weights.shape, dtype=np.int64)
    for i, row in enumerate(found):
        for start in range(0, draws, audited.part):
            row += audited.counts(i, min(audited.part, draws - start))
    return found


def sets_of(weights):
    """Sets of cells, as rows of booleans: every cell, and those with the largest losses either way."""
    first, second = weights / weights.sum(axis=1, keepdims=True)
    loss = np.log(first / second)
    unions = [sign * loss >= share * (sign * loss).max() for sign in (1, -1) for share in SHARES]
    return np.array(unions)


def largest_loss(counts, draws, weights, risk):
    """A lower limit of the largest loss that the draws show, either way; above it with probability risk."""
    unions = sets_of(weights)
    seen = np.concatenate([counts, counts @ unions.T], axis=1)
    low, high = audit.share_interval(seen, draws, risk / (4 * seen.shape[1]))
    with np.errstate(divide="ignore"):
        return float(max(np.log(low[0] / high[1]).max(), np.log(low[1] / high[0]).max()))


def chi_squared(counts, weights):
    """Least p-value of both inputs; cells of few expected draws are put together."""
    found = []
    for seen, shares in zip(counts, weights, strict=True):
        expected = seen.sum() * (shares / shares.sum())
        few = expected < FEWEST
        parts = [(seen[~few], expected[~few]), (seen[few].sum(), expected[few].sum())]
        seen, expected = (np.append(*part) for part in zip(*parts, strict=True))
        if expected[-1] < FEWEST:
            seen, expected = (np.append(x[:-2], x[-2:].sum()) for x in (seen, expected))
        found.append(stats.chisquare(seen, expected * (seen.sum() / expected.sum())).pvalue)
    return float(min(found))


def cells_off(counts, weights, risk):
    """How many cells of both inputs have a probability beyond the exact limits of their counts."""
    low, high = audit.share_interval(counts, counts.sum(axis=1, keepdims=True), risk / (2 * counts.size))
    shares = weights / weights.sum(axis=1, keepdims=True)
    return int(((shares < low) | (shares > high)).sum())


def lighter(counts, cell, share, rng):
    """Draws of the table in which the weight of a cell is smaller by this share: some are taken out."""
    counts = counts.copy()
    counts[0, cell] -= rng.binomial(counts[0, cell], share)
    return counts


def audited(name, draws, off=0.05):
    """Rows of the table: the release, and its two wrong variants. The level's has a fifth of the draws."""
    right, risk, found = RELEASES[name](1.0), RISK / len(RELEASES) / 3.0, []
    for made, count in ((right, draws // 2), (RELEASES[name](1.0 + off), draws // 10)):
        begin = time.process_time()
        found.append((counts_of(made, count), count, time.process_time() - begin))
    (counts, each, seconds), steeper = found
    cell = int(np.argmax(right.weights[0]))
    wrong = lighter(counts, cell, off, np.random.default_rng(1))
    variants = {"": found[0], "level": steeper, "weight": (wrong, each, seconds)}
    for variant, (seen, each, seconds) in variants.items():
        loss = largest_loss(seen, each, right.weights, risk)
        p, beyond = chi_squared(seen, right.weights), cells_off(seen, right.weights, risk)
        bounded, fits = loss <= right.level, p >= risk / 2.0 and beyond == 0
        good = {"": bounded and fits, "level": not bounded, "weight": not fits}[variant]
        yield {
            "release": name,
            "wrong": variant,
            "draws": 2 * each,
            "cells": right.weights.shape[1],
            "level": f"{right.level:.6f}",
            "shown": f"{loss:.6f}",
            "chi2_p": f"{p:.3g}",
            "cells_off": beyond,
            "as_it_must_be": good,
            "seconds": f"{seconds:.0f}",
        }


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("draws", type=int, help="of each release, both inputs together")
    parser.add_argument("names", nargs="*", help="; ".join(RELEASES))
    parser.add_argument("--off", type=float, default=0.05, help="by how much the wrong variants are wrong")
    arguments = parser.parse_args()
    good, table = True, None
    for name in arguments.names or RELEASES:
        for row in audited(name, arguments.draws, arguments.off):
            if table is None:
                table = csv.DictWriter(sys.stdout, list(row), lineterminator="\n")
                table.writeheader()
            table.writerow(row)
            sys.stdout.flush()
            good &= row["as_it_must_be"]
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
