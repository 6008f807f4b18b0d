"""What the analyst's commands share: reading released files with their guarantees, and writing results."""

import argparse
import csv
import hashlib
import io
import itertools
import json
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dirpriv._lib import formatting
from dirpriv.command import new_files, options, terminal

if TYPE_CHECKING:
    from dirpriv._lib.types import Array
    from dirpriv.estimators.shared import EstimatedShares
    from dirpriv.release import FileGuarantee

KINDS: dict[str, tuple[tuple[str, ...], str]] = {  # of columns, by what a command takes; where others go
    "times": (("time", "heading"), "use 'dirpriv map' for places, 'dirpriv histogram' for items"),
    "times or items": (("time", "heading", "item"), "use 'dirpriv map' for places"),
    "times of day": (("time",), "use 'dirpriv map' for places"),
    "places or items": (("place", "item"), "use 'dirpriv histogram' for times"),
    "places": (("place",), "use 'dirpriv histogram' for times and items, 'dirpriv mean' for times"),
}
FORMAT = 2  # of the document of --json
_MOST_GROUPS = 12


class FilePart(NamedTuple):
    """The reports of a file, or of one group in it."""

    path: str
    guarantee: "FileGuarantee"
    column: Any  # TimeColumn, PlaceColumns or ItemColumn
    reports: Any  # ReleasedTimes, ReleasedPlaces, ReleasedItems or JointReports

    @property
    def size(self) -> int:
        return int(self.reports.counts.sum())

    def to_json(self) -> dict[str, Any]:
        """What ``--json`` says of it."""
        column, about = self.column, {"file": self.path, "columns": self.column.names}
        return about | {"level": column.level, "radius": column.radius, "count": self.size}


class JointReports(NamedTuple):
    """The cells of a column that occur together with those of others, and how often."""

    cells: Any  # numbers, or of places those east and north
    counts: Any


ReportGroups = dict[str | None, list[FilePart]]


def add_files(parser: argparse.ArgumentParser, several: str | None, groups: bool = True) -> None:
    """Options of released files, or without a text about several of one."""
    add, about = parser.add_argument, f"; {several}" if several else ""
    add("files", nargs="+" if several else 1, metavar="FILE", help=f"a released file: .csv, .csv.gz or .parquet{about}")
    guarantee = "guarantee of the file (FILE.guarantee.json); once for each file"
    add("--guarantee", action="append", metavar="FILE", help=guarantee)
    add("--column", help="name of the column, if there are several (for places: the latitudes)")
    if groups:
        by = f"a kept column, which is not protected: each of its values, at most {_MOST_GROUPS}, is a group"
        add("--by", metavar="COLUMN", help=by)


def add_json(parser: argparse.ArgumentParser) -> None:
    text = "also write all estimates as JSON: a new .json, or - to print only JSON"
    parser.add_argument("--json", type=Path, metavar="FILE", help=text)


def add_outputs(parser: argparse.ArgumentParser) -> None:
    add, picture = parser.add_argument, "also write a picture: a new .png, .pdf or .svg"
    add("--plot", type=Path, metavar="FILE", help=picture)
    add("--title", help="title of the picture")
    add("--csv", type=Path, metavar="FILE", help="also write the table: a new .csv")
    add_json(parser)


def check_outputs(arguments: argparse.Namespace) -> None:
    """Refuse outputs that exist, and a missing Matplotlib, before anything is computed."""
    if getattr(arguments, "plot", None) is not None:
        import matplotlib  # noqa: F401

        new_files.check("plot", arguments.plot, ".png", ".pdf", ".svg")
    elif getattr(arguments, "title", None) is not None:
        raise options.Misuse("--title needs --plot")
    for option in ("csv", "geojson", "json"):
        path = getattr(arguments, option, None)
        if path is not None and (option, str(path)) != ("json", "-"):
            new_files.check(option, path, f".{option}")


def read(arguments: argparse.Namespace, what: str) -> tuple[ReportGroups, list[str]]:
    """The reports of the columns that are meant, of ``KINDS``, counted, of each group by its name.

    Without groups there is one, whose name is None. Lines say which groups have too few reports.
    """
    from dirpriv.release.guarantee.file import read_guarantee

    files, places = arguments.files, arguments.guarantee or arguments.files
    if len(places) != len(files):
        raise options.Misuse(f"--guarantee must be given once for each file, {len(files)} times")
    groups: ReportGroups = {}
    wholes: list[tuple[FilePart, str]] = []
    for path, place in zip(files, places, strict=True):
        whole, content, parts = _read_one(arguments, path, read_guarantee(place), what)
        for other, its in wholes:
            _check_pair(other, whole, content == its)
        wholes.append((whole, content))
        for name, part in parts.items():
            groups.setdefault(name, []).append(part)
    if len(groups) > _MOST_GROUPS:
        raise options.Misuse(f"--by {arguments.by} has more than {_MOST_GROUPS} values: take another column")
    sizes = {name: sum(part.size for part in parts) for name, parts in groups.items()}
    if (most := max(sizes.values(), default=0)) < 2:
        where = ", ".join(map(repr, files)) + " in each group" * (None not in groups)
        raise options.Misuse(f"{where} has {most} report(s): an estimate needs at least two")
    few = [name for name, size in sizes.items() if size < 2]
    left_out = [f"Group {shown(name)} is left out: it has fewer than two reports." for name in few]
    return {name: groups[name] for name in sorted(groups, key=str) if name not in few}, left_out


def read_together(arguments: argparse.Namespace, kinds: dict[str, str]) -> list[FilePart]:
    """The reports of a column of each of ``KINDS`` in one file, by their options, of rows that have all."""
    from dirpriv.release.files.released_counts import counted_together
    from dirpriv.release.guarantee.columns import separate
    from dirpriv.release.guarantee.file import read_guarantee

    (path,) = arguments.files
    guarantee = read_guarantee((arguments.guarantee or [path])[0])
    table, _ = _table_of(path, guarantee)
    columns = separate(guarantee.columns)
    if guarantee.together != "either":
        columns = tuple(_column_of(arguments, path, guarantee, what, name) for name, what in kinds.items())
    cells, counts, _ = counted_together(table, columns)
    if counts.sum() < 2:
        raise options.Misuse(f"{path!r} has {counts.sum()} report(s): an estimate needs at least two")
    pairs = zip(columns, cells, strict=True)
    return [FilePart(path, guarantee, column, JointReports(of, counts)) for column, of in pairs]


def _table_of(path: str, guarantee: "FileGuarantee") -> tuple[Any, list[str]]:
    """A released file with the columns that its guarantee names, and those of them that were kept."""
    from dirpriv.tables.table import Table

    table = Table("path", path)
    kept = [item.removeprefix("column ") for item in guarantee.unprotected if item.startswith("column ")]
    names = [repr(name) for each in guarantee.columns for name in each.names] + kept
    if sorted(map(repr, table.names)) != sorted(names):  # which may be data: they are not shown
        rule = f"the guarantee belongs to another file: it names the columns {', '.join(names)}, but {path!r}"
        raise options.Misuse(f"{rule} has others. Use the unchanged released file with its own guarantee")
    return table, kept


def _read_one(
    arguments: argparse.Namespace, path: str, guarantee: "FileGuarantee", what: str
) -> tuple[FilePart, str, dict[str | None, FilePart]]:
    """All reports of a file, a hash of its contents, and the reports of each group."""
    from dirpriv.release.files.released_counts import counted, groups_of

    column, by = _column_of(arguments, path, guarantee, what), getattr(arguments, "by", None)
    content = hashlib.sha256()
    table, kept = _table_of(path, guarantee)
    if by is not None and repr(by) not in kept:
        which = ", ".join(kept) or f"and {path!r} has none"
        raise options.Misuse(f"--by must be a column that was kept, {which}; got {by!r}")
    if len(arguments.files) > 1:
        table.feed(content)
    reports = list(counted(table, guarantee.columns))[guarantee.columns.index(column)]
    whole = FilePart(path, guarantee, column, reports)
    if by is None:
        return whole, content.hexdigest(), {None: whole}
    groups = groups_of(table, by, _MOST_GROUPS)
    parts = {name: next(counted(table, [column], by, name)) for name in groups}
    return whole, content.hexdigest(), {name: whole._replace(reports=part) for name, part in parts.items()}


def _check_pair(one: FilePart, other: FilePart, same: bool) -> None:
    """Refuse files that are of different kinds, and a file that is there twice."""
    import numpy as np

    if (one.column.kind, one.column.period) != (other.column.kind, other.column.period):
        first, second = (f"{part.column.kind}s of {part.column.period}" for part in (one, other))
        raise options.Misuse(f"{one.path!r} has {first}, and {other.path!r} {second}: take files of one kind")
    counts = one.reports.counts
    # equal counts in 20 cells with reports are no chance
    if same or (np.array_equal(counts, other.reports.counts) and np.count_nonzero(counts) >= 20):
        rule = f"{other.path!r} has the same reports as {one.path!r}"
        raise options.Misuse(f"{rule}: a report counts once, so leave one of them out")


def _column_of(
    arguments: argparse.Namespace, file: str, guarantee: "FileGuarantee", what: str, option: str = "column"
) -> Any:
    kinds, advice = KINDS[what]
    columns = {column.names[0]: column for column in guarantee.columns if column.kind in kinds}
    names, name = ", ".join(map(repr, columns)), getattr(arguments, option)
    if guarantee.together == "either":
        rule = f"{file!r} has one noise for times and places together, and this command reads columns with their own"
        raise options.Misuse(f"{rule}: use 'dirpriv busyness'")
    if not columns:
        raise options.Misuse(f"{file!r} has no {what}: {advice}")
    if name is None and len(columns) > 1:
        raise options.Misuse(f"{file!r} has several columns of {what}: choose --{option} from {names}")
    if name is not None and name not in columns:
        raise options.Misuse(f"--{option} must be one of {names}; got {name!r}")
    return columns[name or next(iter(columns))]


def releases(parts: Sequence[FilePart]) -> dict[str, Any]:
    """Angles, distributions and weights, as estimators take those of several releases."""
    return {
        "angles": [part.reports.angles for part in parts],
        "distribution": [part.column.release().noise for part in parts],
        "weights": [part.reports.counts for part in parts],
    }


def heading(parts: Sequence[FilePart], name: str | None = None) -> list[str]:
    """What the reports are, in lines."""
    lines = [] if name is None else [f"Group {shown(name)}:"]
    for part in parts:
        names = " and ".join(repr(name) for name in part.column.names)
        lines.append(f"{Path(part.path).name}: {part.size} reports of {names}, {promise([part])}")
    if len(parts) > 1:
        lines.append(f"Together: {sum(part.size for part in parts)} reports of {len(parts)} files")
    return lines


def promise(parts: Sequence[FilePart]) -> str:
    return ", ".join({formatting.level_within(part.column.level, part.column.radius): 0 for part in parts})


def shown(name: str | None) -> str:
    """The name of a group, which may be long or empty."""
    return repr(textwrap.shorten(name, 40)) if name else "without a value"


def cautions(parts: Sequence[FilePart]) -> list[str]:
    """What the reader of every estimate must know, in lines."""
    if len(parts) == 1 and parts[0].guarantee.max_rows_per_person == 1:
        return []
    one = f"The intervals assume one row per person{' in all files' * (len(parts) > 1)}."
    return textwrap.wrap(f"{one} With several rows per person they are too narrow.", 83)


def twice(parts: Sequence[FilePart]) -> list[str]:
    """Warnings where guarantees tell that two files may be releases of the same input."""
    warnings = [
        f"Warning: {Path(other.path).name} is a later release of an input that was released at "
        f"{promise([one])}, as {Path(one.path).name} is. If it is the same, each of its people counts twice."
        for one, other in itertools.permutations(parts, 2)
        for of in other.guarantee.earlier
        if (of.columns, of.level, of.radius) == (one.column.names, one.column.level, one.column.radius)
    ]
    return list(dict.fromkeys(warnings))


def add_edges(parser: argparse.ArgumentParser, bin: str) -> None:
    tried = "number of blurs that are tried with these reports (1)"
    parser.add_argument("--blurs", type=options.whole_number, default=1, metavar="N", help=tried)
    edges = f"soft: a row counts in the {bin}s around it; hard: only in its {bin}, with wider intervals (soft)"
    parser.add_argument("--edges", choices=("soft", "hard"), default="soft", help=edges)


def is_soft(arguments: argparse.Namespace) -> bool:
    """Whether edges are soft, as only those have a blur."""
    soft: bool = arguments.edges == "soft" and arguments.intervals != "smooth"
    if not soft and (arguments.blur, arguments.blurs) != (None, 1):
        raise options.Misuse("--blur and --blurs go with soft edges, without --edges hard and --intervals smooth")
    return soft


def add_intervals(parser: argparse.ArgumentParser, whole: str) -> None:
    text = f"distribution-free: no assumptions; smooth: narrower, for a smooth {whole} only (distribution-free)"
    parser.add_argument("--intervals", choices=("distribution-free", "smooth"), default="distribution-free", help=text)


def notes(shares: "EstimatedShares", parts: Sequence[FilePart], bin: str, whole: str, limits: str) -> list[str]:
    """For what the intervals of shares hold, and where the estimate does not lie in them, in lines."""
    if shares.intervals == "smooth":
        text = f"The intervals assume a smooth density. They do not hold for {limits}."
        return [*textwrap.wrap(text, 83), *cautions(parts)]
    text = f"Each interval holds for one {bin}, without assumptions about the {whole}. Shares are of the rows"
    text += " of all files. A person in several files counts in each." if len(parts) > 1 else "."
    if number := int(shares.outside.sum()):
        text += f" The estimate assumes a smooth density. In {number} {bin}{'s' * (number > 1)}"
        text += " it is outside of the interval. Then rely on the interval."
    return textwrap.wrap(text, 83)


def described(
    name: str | None, parts: Sequence[FilePart], result: Any, warnings: Iterable[str], **estimate: Any
) -> dict[str, Any]:
    """What ``--json`` says of the estimate of a group."""
    column = parts[0].column
    return {
        "group": name,
        "kind": column.kind,
        "period": column.period,
        "releases": [part.to_json() for part in parts],
        "count": result.count,
        "confidence": result.confidence,
        **estimate,
        "warnings": [text.removeprefix("Warning: ") for text in warnings],
    }


def records(**columns: Any) -> list[dict[str, Any]]:
    """A record for each row of columns, arrays or lists, of equal lengths."""
    values = [column.tolist() if hasattr(column, "tolist") else column for column in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]


def rows(records: Iterable[dict[str, Any]], group: str | None = None, digits: int = 6) -> list[dict[str, str]]:
    """Records as rows of ``--csv``, those of a group with its name."""

    def text(value: Any) -> str:
        return value if isinstance(value, str) else f"{value:.{digits}g}"

    first = {} if group is None else {"group": group}
    return [first | {name: text(value) for name, value in record.items()} for record in records]


def finish(
    arguments: argparse.Namespace,
    lines: list[str],
    document: dict[str, Any],
    table: Sequence[dict[str, Any]] = (),
    draw: Callable[[], Any] | None = None,
) -> None:
    """Write the table, the picture and the document that were asked for to new files, and print the lines."""
    if (by := getattr(arguments, "by", None)) is not None:
        lines.append(f"The groups are the values of {by!r}, a column that is not protected.")
    if table and arguments.csv is not None:
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerows([table[0].keys(), *(row.values() for row in table)])
        new_files.write_new(arguments.csv, text.getvalue().encode())
        lines.append(f"Written: {arguments.csv}")
    if draw is not None and arguments.plot is not None:
        lines.append(new_files.save(draw(), arguments.plot))
    if arguments.json is not None:
        about = {"format": FORMAT, "command": arguments.command, "by": by}
        written = json.dumps(about | {"warnings": []} | document, indent=1, allow_nan=False)
        if str(arguments.json) == "-":
            lines = [written]
        else:
            new_files.write_new(arguments.json, f"{written}\n".encode())
            lines.append(f"Written: {arguments.json}")
    terminal.show(lines)


def percents(*values: float) -> list[str]:
    """A share and the ends of its interval, for three columns of a table."""
    share, low, high = (f"{100.0 * float(value):.1f}" for value in values)
    return [f"{share} %", f"{low} to", f"{high} %"]


def bin_names(edges: "Array", period: float) -> list[tuple[str, str]]:
    """First and last time of each bin."""
    hours = (edges / edges[-1] * period).tolist()
    seconds = not formatting.in_minutes(hours)
    names = [formatting.clock(hour, period, seconds) for hour in hours[:-1]]
    last = {24.0: names[0] if seconds else "24:00", formatting.TURN: "360°"}.get(period, names[0])
    return list(zip(names, [*names[1:], last], strict=True))
