"""Results of a trusted data owner, who holds all rows: a mean, a histogram or a map, without rows.

Intervals hold for all people and every number of rows. They follow from the quantiles of the noise.
"""

import csv
import dataclasses
import functools
import io
import itertools
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._lib import formatting
from dirpriv._lib.results import PrivateMean
from dirpriv._lib.rounding import upwards
from dirpriv._lib.types import Array, Integers, WithUnit
from dirpriv.exact.arithmetic import added
from dirpriv.exact.central import SCALE, Adjacency, CentralRelease
from dirpriv.exact.circle_cells import CircleCells
from dirpriv.geometry import earth
from dirpriv.release import columns
from dirpriv.release.files.arguments import FileRequest
from dirpriv.release.files.release import FileJob, Progress, released
from dirpriv.release.guarantee import wording
from dirpriv.release.guarantee.file import SHOWN, FileGuarantee
from dirpriv.release.ledger.account import AccountEntry
from dirpriv.release.requests import NONE, Missing

_HALF_TURN = "180deg"  # a pure level holds within it, and so everywhere
_MOST_DISTRICTS = 100
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
) -> PrivateMean:
    """Mean time of day of all people, released by a trusted data owner.

    :class:`CentralRelease` adds the noise once, to the sum of all people. At ε = 1, 26 people are enough for
    an error of 0.1 radians. If each report has its own noise, 301 people are needed. Both intervals hold
    together, for every distribution of the times. If the number of people is public, the interval of the mean
    includes the rounding of values to cells. Otherwise it is for the mean of the rounded values. There is no
    p-value.

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

    def __init__(self, read: Any, arguments: dict[str, Any], rows: int) -> None:
        self.read, self.names, self.kind, self.period = read, read.names, read.kind, read.period
        what, bins, districts = (arguments[name] for name in ("result", "bins", "districts"))
        if (read.kind == "place") != (what == "map"):
            hint = f"name columns of {'times or headings' if read.kind == 'place' else 'places'}"
            raise InvalidArgument(f"a {what} is no result for {read.kind}s", hint=hint)
        self.settings: dict[str, Any] = {name: arguments[name] for name in ("result", "epsilon", "adjacency")}
        self.radius, self.edges, self.sums, self._most = _HALF_TURN, np.zeros(0), np.zeros(1, dtype=int), 0
        # to a mean each person adds one row: the mean of their rows
        circle = {"max_rows_per_person": 1 if what == "mean" else rows}
        circle |= {"cells": read.cells} if what == "mean" else {}
        self._release = CentralRelease(arguments["epsilon"], **circle, adjacency=arguments["adjacency"])
        self.level = float(arguments["epsilon"])  # of a row or a person
        if what == "map":
            plane = read.release()
            self._most, self.radius = plane._lattice.region, f"{2.0 * plane.region_reach:.15g}m"
            most = min(_MOST_DISTRICTS, 2 * self._most + 1)
            if not 1 <= validate.integer("districts", districts, 1) <= most:
                raise InvalidArgument("districts", f"must be at most {most} along each side", got=districts)
            parts = np.arange(districts + 1) * (2 * self._most + 1) / districts
            self.edges = (parts - self._most - 0.5) * plane.cell_size
            names = "region_centre", "region_reach", "cell_size", "outside"
            self.settings |= {name: getattr(read, name) for name in names} | {"districts": districts}
            return
        self.settings["cells"] = read.cells
        if what == "histogram":
            if read.cells % validate.integer("bins", bins, 2):
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
            there = cells[cells[:, 0] >= -self._most].astype(np.int64)
            number, sides = len(self.edges) - 1, 2 * self._most + 1
            east, north = ((2 * (there + self._most) + 1) * number // (2 * sides)).T  # of their middles
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
        if isinstance(result, PrivateMean):
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
        labels = [self.read._spelled(2 * (i * self.read.cells // len(rows)), 2) for i in range(len(rows))]
        bins = zip(labels, [*labels[1:], labels[0]], rows, strict=True)
        names = "column from to count share low high".split()
        return [names, *([self.names[0], first, last, *row] for first, last, row in bins)]


@dataclasses.dataclass(frozen=True)
class CentralFileGuarantee(FileGuarantee):
    """The pure level of each row, or with ``max_rows_per_person`` = 1 of each person with up to ``rows``."""

    rows: int = 1

    def __post_init__(self) -> None:
        """Nothing is checked again: what made it is checked."""

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


def central_file(arguments: dict[str, Any], tell: Any, progress: Any) -> tuple[FileGuarantee, list[_Result]]:
    """Release one result of each column: ``arguments`` are those of a file and of a result."""
    circular = arguments["time"] is not None or arguments["heading"] is not None
    radii = [_HALF_TURN] * circular + ["1m"] * (arguments["latitude"] is not None)
    # how values are read; this level and its radius mean nothing here
    asked = arguments | {"level": 1.0, "radius": radii, "keep": (), "keep_order": False, "delta": None}
    request = FileRequest(**{field.name: asked[field.name] for field in dataclasses.fields(FileRequest)})
    claim = AccountEntry(**{field.name: arguments[field.name] for field in dataclasses.fields(AccountEntry)})
    read, adjacency = request.columns(), arguments["adjacency"]
    persons = request.guaranteed(read).max_rows_per_person
    results = [_Result(column, arguments, persons or 1) for column in read]
    public = "number of rows" if persons is None else "number of people"
    inside = (SHOWN["outside", "ask"],) * (request.outside == "ask" and request.latitude is not None)
    unprotected = (public,) * (adjacency == "replace") + inside
    rows: Any = {"max_rows_per_person": None if persons is None else 1, "rows": persons or 1}
    guarantee = CentralFileGuarantee(tuple(results), request.missing, unprotected, **rows)  # type: ignore[arg-type]
    if not str(request.output).lower().endswith(".csv"):
        raise InvalidArgument("output", "must end in .csv", got=request.output)
    job_of = functools.partial(CentralJob, results=results, persons=persons)
    return released(request, claim, read, guarantee, job_of, tell, progress), results


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

    def __init__(self, parts: Any, read: Any, request: Any, results: Any, persons: int | None) -> None:
        super().__init__(parts, read, request)
        self._results, self._persons_rows = results, persons
        self._keeps = "keep" in (request.missing, request.outside)

    def check(self, max_rows_per_person: int | None, lines: int, report: Progress) -> None:
        super().check(self._persons_rows, lines, report)
        if self._chosen is None:
            return
        rows = np.concatenate(list(self._rows([])))
        self.check_unchanged(len(rows) == len(self._chosen))
        _, whose = np.unique(self._whose, return_inverse=True)
        for i, result in enumerate(self._results):
            result.add(rows[str(i)], whose)
        self._count = int(whose.max()) + 1

    def _blocks(self) -> Iterator[Any]:
        for block in super()._blocks():
            if self._persons_rows is None:
                for result, cells in zip(self._results, block[2], strict=True):
                    result.add(cells)
            yield block

    def write(self, rows: Any, hidden: Any, suffix: str, report: Progress) -> None:
        self.drew, text = True, io.StringIO(newline="")
        for result in self._results:
            many = (self._persons_rows or 1) > 1 and result.edges.size
            public = not self._keeps and not many and result.settings["adjacency"] == "replace"
            result.draw(self._count if public else 0)
        names, *_ = self._results[0].lines()
        lines = [names, *itertools.chain.from_iterable(result.lines()[1:] for result in self._results)]
        csv.writer(text, lineterminator="\n").writerows(lines)
        hidden.file.write(text.getvalue().encode())


def _mean(release: CentralRelease, total: Any, people: int, confidence: float) -> PrivateMean:
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
    return PrivateMean(angle, *ends, whole, *lengths, math.nan, people, confidence)  # type: ignore[call-arg,arg-type]


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
