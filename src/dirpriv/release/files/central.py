"""Results of a trusted data owner, who holds all rows: a mean, a histogram or a map, without rows.

Intervals hold for all people and every number of rows. They follow from the quantiles of the noise.
"""

import csv
import dataclasses
import io
import itertools
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._lib import formatting
from dirpriv._lib.results import MeanEstimate
from dirpriv._lib.rounding import upwards
from dirpriv._lib.types import Array, Integers, Missing, WithUnit
from dirpriv.exact.arithmetic import added
from dirpriv.exact.central import SCALE, Adjacency, CentralRelease
from dirpriv.exact.circle_cells import CircleCells
from dirpriv.exact.export import REGION
from dirpriv.geometry import earth
from dirpriv.release import columns
from dirpriv.release.files.atomic_output import HiddenFile
from dirpriv.release.files.release_steps import FileJob, Progress, released
from dirpriv.release.files.settings_to_columns import columns_to_read
from dirpriv.release.guarantee import wording
from dirpriv.release.guarantee.column_cells import PlaceCells, TimeCells
from dirpriv.release.guarantee.file import SHOWN, FileGuarantee
from dirpriv.release.release_arguments import NONE
from dirpriv.release.settings import CentralFileSettings

_CONFIDENCE = 0.95


def central_mean(
    column: Any,
    *,
    cells: int = 1440,
    period: WithUnit = "24h",
    unit: str | None = None,
    missing: Missing = "stop",
    epsilon: float,
    adjacency: Adjacency = "replace",
    confidence: float = _CONFIDENCE,
) -> MeanEstimate:
    """Mean time of day of all people, released by a trusted data owner.

    :class:`CentralRelease` adds the noise once, to the sum of all people. At ε = 1, 26 people are enough for
    an error of 0.1 radians. If each report has its own noise, 301 people are needed. Both intervals hold together, for
    every distribution of the times. If the number of people is public, the interval of the mean includes the rounding
    of values to cells. Otherwise it is for the mean of the rounded values. There is no p-value.

    Parameters
    ----------
    column, cells, period, unit, missing : Any, int and str
        As for :func:`times`, with the same errors. Each person has one value. Missing values that pass are
        not counted, and nobody sees which values are missing.
    epsilon, adjacency : float and str, keyword-only
        As for :class:`CentralRelease`. With ``"add-remove"``, or if values may be missing, the number of
        people is not public. Then ``count`` is 0, and ``resultant`` and its interval are nan.
    confidence : float, keyword-only
        Of the intervals.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import release
    >>> times = np.tile([7.0, 8.0, 9.0], 1000)
    >>> mean = release.central_mean(times, epsilon=1.0, unit="h", confidence=1.0 - 1e-12)
    >>> bool(mean.low < np.pi * 8 / 12 < mean.high and mean.high - mean.low < 0.1)
    True
    """
    confidence = validate.share("confidence", confidence)
    release = CentralRelease(epsilon, cells=cells, period=period, adjacency=adjacency)
    *_, absent, values = columns._cells(column, CircleCells(cells, period), unit, missing, True)
    if not (values := values[~absent].ravel()).size:
        raise InvalidArgument("column", "has no value")
    people = values.size if adjacency == "replace" and missing == "stop" else 0
    return _mean(release, np.bincount(values, minlength=cells) @ release.rows, people, confidence)


class CentralCounts(NamedTuple):
    """Noisy counts, and their shares: of the people, or of all counts where there is no public number (0)."""

    counts: Integers
    shares: Array
    low: Array
    high: Array
    people: int


class _Result:
    """The result of one column: its settings and its noise, and the exact numbers while they are added up."""

    _asked_for = "names", "settings"
    estimate: Any

    def __init__(self, read: Any, settings: CentralFileSettings) -> None:
        self.read, self.names, self.kind, self.period = read, read.names, read.kind, read.period
        what, epsilon, adjacency = settings.result, settings.epsilon, settings.adjacency
        if (read.kind == "place") != (what == "map"):
            hint = f"name columns of {'times or headings' if read.kind == 'place' else 'places'}"
            raise InvalidArgument(f"a {what} is no result for {read.kind}s", hint=hint)
        self.settings: dict[str, Any] = {"result": what, "epsilon": epsilon, "adjacency": adjacency}
        # a pure level holds within half a turn, and so everywhere
        self.radius, self.edges, self.sums = "180deg", np.zeros(0), np.zeros(1, dtype=int)
        # to a mean each person adds one row: the mean of their rows
        circle = {"max_rows_per_person": 1 if what == "mean" else settings.rows_per_person or 1}
        circle |= {"cells": read.cells} if isinstance(read, TimeCells) and what == "mean" else {}
        self._release = CentralRelease(epsilon, **circle, adjacency=adjacency)
        self.level = float(epsilon)  # of a row or a person
        if isinstance(read, PlaceCells):
            sides, districts = 2 * read.map.most + 1, validate.integer("districts", settings.districts, 1)
            most, self.radius = min(100, sides), f"{2.0 * float(read.map.reach):.15g}m"
            validate.check_at_most("districts", districts, most, f"{most} along each side", districts)
            parts = np.arange(districts + 1) * sides / districts
            self.edges = (parts - read.map.most - 0.5) * float(read.map.size)
            self.settings |= {name: getattr(read, name) for name in (*REGION, "outside")} | {"districts": districts}
            return
        self.settings["cells"] = read.cells
        if what == "histogram":
            if read.cells % (bins := validate.integer("bins", settings.bins, 2)):
                rule = f"must divide {named('cells')}, {read.cells}, as 24, 48 and 96 divide 1440"
                hint = f"give {named('cells', repr(bins * -(-read.cells // bins)))}"
                raise InvalidArgument("bins", rule, got=bins, hint=hint)
            self.edges, self.settings["bins"] = np.linspace(0.0, math.tau, bins + 1), bins

    def release(self) -> CentralRelease:
        return self._release

    def to_json(self) -> dict[str, Any]:
        bounds = self._release.certificate
        about = {"kind": self.kind, "names": self.names, "period": self.period, **self.settings}
        certificate = {"fall": str(bounds.fall), "sensitivity": bounds.sensitivity, "pure": bounds.pure}
        mechanism = "integers v in proportion to exp(-fall ceil|v|)"
        return about | {"mechanism": mechanism, "certificate": certificate}

    def add(self, cells: Integers, whose: Any = None) -> None:
        """Add rows by their cells; those without a value count nowhere. ``whose`` numbers persons."""
        if self.kind == "place":
            most, number = self.read.map.most, len(self.edges) - 1
            there = cells[cells[:, 0] >= -most].astype(np.int64)
            east, north = ((2 * (there + most) + 1) * number // (2 * (2 * most + 1))).T  # of their middles
            self.sums = self.sums + np.bincount(east * number + north, minlength=number**2)
            return
        there = (cells != NONE) & (cells < self.read.cells)
        cells = cells[there].astype(np.int64)
        counts = np.bincount(cells, minlength=self.read.cells)
        if self.edges.size:
            self.sums = self.sums + counts
        elif whose is None:
            self.sums = self.sums + counts @ self._release.rows
        else:
            rows = np.bincount(whose[there])
            totals = np.zeros((len(rows), 2), dtype=np.int64)
            np.add.at(totals, whose[there], self._release.rows[cells])
            self.sums = (np.sign(totals) * (np.abs(totals) // np.maximum(rows, 1)[:, None])).sum(axis=0)

    def draw(self, people: int) -> None:
        """Find the result, with noise; no people: their number is not public."""
        if not self.edges.size:
            self.estimate = _mean(self._release, self.sums, people, _CONFIDENCE)
            return
        sums = self.sums.reshape(len(self.edges) - 1, -1)
        self.estimate = _counts(self._release, sums if self.kind == "place" else sums.sum(axis=1), people)

    def lines(self, digits: int = 15) -> list[list[str]]:
        """The result as rows of a table, below the names of its columns."""
        result = self.estimate
        if isinstance(result, MeanEstimate):
            turn = {"24h": 24.0, "7d": formatting.WEEK}.get(self.period, formatting.TURN)
            end = 5e-3 if turn == formatting.TURN else 0.5 / 3600.0  # they are rounded outwards
            hours = [x * turn / math.tau for x in (result.angle, result.low, result.high)]
            texts = [] if result.whole_circle else [hours[0], hours[1] - end, hours[2] + end]
            clocks = [f"{x % turn:.2f}" if turn == formatting.TURN else formatting.clock(x, turn, True) for x in texts]
            lengths = result.resultant, result.resultant_low, result.resultant_high
            names = "column mean low high resultant resultant_low resultant_high".split()
            numbers = [f"{x:.{min(digits, 6)}g}" if result.count else "" for x in lengths]
            return [names, [self.names[0], *clocks, *[""] * (3 - len(clocks)), *numbers]]
        values = [x.ravel().tolist() for x in (result.shares, result.low, result.high)]
        counts = map(str, result.counts.ravel().tolist())
        rows = [[n, *(f"{x:.{digits}g}" for x in rest)] for n, *rest in zip(counts, *values, strict=True)]
        if self.kind == "place":
            pairs = list(itertools.pairwise(f"{x:.6g}" for x in self.edges.tolist()))
            names = "latitude longitude west_m east_m south_m north_m count share low high".split()
            middles = np.meshgrid(*[(self.edges[1:] + self.edges[:-1]) / 2.0] * 2, indexing="ij")
            centres = earth.destination(self.read.region_centre, np.arctan2(*middles), np.hypot(*middles))
            degrees = np.char.mod(f"%.{min(digits, 7)}f", centres).reshape(-1, 2).tolist()
            where = [east + north for east in pairs for north in pairs]
            return [names, *([*a, *b, *c] for a, b, c in zip(degrees, where, rows, strict=True))]
        labels = [self.read.spelled(2 * (i * self.read.cells // len(rows)), 2) for i in range(len(rows))]
        bins = zip(labels, [*labels[1:], labels[0]], rows, strict=True)
        names = "column from to count share low high".split()
        return [names, *([self.names[0], first, last, *row] for first, last, row in bins)]


@dataclasses.dataclass(frozen=True)
class CentralFileGuarantee(FileGuarantee):
    """The pure level of each row, or with ``max_rows_per_person`` = 1 of each person with up to ``rows``."""

    _column: ClassVar[Any] = _Result

    rows: int = 1

    def person_level_of(self, column: Any) -> float:
        """Levels of other values of a person are added at every δ, also where it is hidden who is there."""
        steps = column.release().certificate.steps
        return added([column.level], steps * (self.max_rows_per_person or 1))

    def to_json(self) -> dict[str, Any]:
        return super().to_json() | {"trust": "central", "rows_of_a_person": self.rows}

    def summary(self) -> str:
        moved = "replaced" if any("number" in thing for thing in self.unprotected) else "added or left out"
        one, who = "row", "The level of a person is the sum of the levels of that person's rows."
        if self.max_rows_per_person is not None:
            one, who = "person", f"Up to {self.rows} rows of each person were chosen at random."
        first = f"Pure level {upwards(self.level)} for each {one}. If one {one} is {moved}, a result "
        first += f"is at most {formatting.likelier(self.level)} as probable."
        if len(self.columns) > 1:
            first += f" The levels of {len(self.columns)} columns are added up."
        lines = [f"Not protected: {thing}." for thing in self.unprotected]
        last = "The data owner sees all true values, and is trusted with them."
        return "\n".join([first, who, *wording.accounts(self.to_json()), *lines, last])

    def text(self) -> str:
        noise = "Noise of integers v in proportion to exp(-f ⌈‖v‖⌉), by random bits of the operating system."
        releases: Any = [each.release() for each in self.columns]
        falls = " and ".join(str(each.certificate.fall) for each in releases)
        return f"{self.summary()}\n{noise} f = {falls}."


def central_file(
    input: Any, output: Any, settings: CentralFileSettings, tell: Any, progress: Any
) -> CentralFileGuarantee:
    """Release one result of each column of a file: the columns of its guarantee have the results."""
    read = columns_to_read(settings)
    results: Any = tuple(_Result(column, settings) for column in read)
    rows = settings.rows_per_person
    public = "number of rows" if rows is None else "number of people"
    inside = (SHOWN["outside", "ask"],) * (settings.outside == "ask" and settings.latitude is not None)
    unprotected = (public,) * (settings.adjacency == "replace") + inside
    chosen: Any = {"max_rows_per_person": None if rows is None else 1, "rows": rows or 1}
    guarantee = CentralFileGuarantee(results, settings.missing, unprotected, **chosen)
    if not str(output).lower().endswith(".csv"):
        raise InvalidArgument("output", "must end in .csv", got=output)
    return released(input, output, settings, read, guarantee, CentralJob, tell, progress)


def read_map(path: str, document: dict[str, Any]) -> tuple[Any, list[dict[str, float]], list[list[float]]]:
    """Origin, rows and squares of a map: for each square the longitude of its centre, and its borders."""
    try:
        about, text = document["columns"][0], Path(path).read_text("utf-8") if Path(path).is_file() else ""
        rows = [{name: float(number) for name, number in row.items()} for row in csv.DictReader(text.split())]
        squares = [[row[name] for name in "longitude west_m east_m south_m north_m".split()] for row in rows]
        if len(rows) == about["districts"] ** 2 and np.isfinite([[*row.values()] for row in rows]).all():
            return about["region_centre"], rows, squares
    except (KeyError, TypeError, ValueError):
        pass
    raise InvalidArgument(f"{path!r} is no map of its guarantee, or was changed")


class CentralJob(FileJob):
    """The rows of a table, added up as they are checked; those of persons after they are chosen."""

    def check(self, lines: int, report: Progress) -> None:
        super().check(lines, report)
        if self._chosen is None:
            return
        rows = np.concatenate(list(self._rows([])))
        self.check_unchanged(len(rows) == len(self._chosen))
        _, whose = np.unique(self._whose, return_inverse=True)
        for i, result in enumerate(self._columns):
            result.add(rows[str(i)], whose)
        self._count = int(whose.max()) + 1

    def _blocks(self) -> Iterator[Any]:
        for block in super()._blocks():
            if self._settings.rows_per_person is None:
                for result, cells in zip(self._columns, block[2], strict=True):
                    result.add(cells)
            yield block

    def write(self, hidden: HiddenFile, suffix: str, report: Progress) -> None:
        self.drew, text = True, io.StringIO(newline="")
        keeps = "keep" in (self._settings.missing, self._settings.outside)
        for result in self._columns:
            many = (self._settings.rows_per_person or 1) > 1 and result.edges.size
            public = not keeps and not many and result.settings["adjacency"] == "replace"
            result.draw(self._count if public else 0)
        names, *_ = self._columns[0].lines()
        lines = [names, *itertools.chain.from_iterable(result.lines()[1:] for result in self._columns)]
        csv.writer(text, lineterminator="\n").writerows(lines)
        hidden.file.write(text.getvalue().encode())


def _mean(release: CentralRelease, total: Any, people: int, confidence: float) -> MeanEstimate:
    x, y = release.randomise(total).tolist()
    length, rows = math.hypot(x, y), release.rows
    # of each person: half a cell, the rounding of a row, and that of a mean of rows
    rounded = SCALE * math.pi / len(rows) + math.sqrt(0.5) + math.sqrt(2.0)
    reach = release.most_noise(1.0 - confidence) + people * rounded
    angle, whole = math.atan2(y, x) % math.tau, reach >= length
    half = math.pi if whole else math.asin(reach / length) + 1e-9
    ends = (0.0, math.tau) if whole else ((angle - half) % math.tau, (angle + half) % math.tau)
    unit = people * SCALE if people else math.nan
    lengths = [min(max(each, 0.0), unit) / unit for each in (length, length - reach, length + reach)]
    return MeanEstimate(angle, *ends, whole, *lengths, math.nan, people, confidence)  # type: ignore[call-arg,arg-type]


def _counts(release: CentralRelease, true: Integers, people: int) -> CentralCounts:
    counts, error = release.randomise(true), 1.0 - _CONFIDENCE
    if people:
        most, total = release.most_noise(error), people
        low, high = (counts - most) / total, (counts + most) / total
    else:  # a share is x/(x + the others): half of the error for each
        most, total = release.most_noise(error / 2.0), max(int(counts.sum()), 1)
        others, beside = counts.sum() - counts, release.most_noise(error / 2.0, max(counts.size - 1, 1))
        least, largest = np.maximum(counts - most, 0), np.maximum(counts + most, 0)
        low = least / np.maximum(least + np.maximum(others + beside, 0), 1)
        high = np.where(others > beside, largest / np.maximum(largest + others - beside, 1), 1.0)
    low, high = (np.clip(ends, 0.0, 1.0).astype(float) for ends in (low, high))
    return CentralCounts(counts, np.asarray(counts / total, dtype=float), low, high, people)
