"""What the analyst's commands share: reading a released file with its guarantee, and writing results."""

import argparse
import csv
import io
import textwrap
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from dirpriv._lib import words
from dirpriv.command import new_files, options

if TYPE_CHECKING:
    from dirpriv._lib.types import Array
    from dirpriv.estimators.reports import PrivateShares
    from dirpriv.release import FileGuarantee, PlaceColumns, TimeColumn

    C = TypeVar("C", TimeColumn, PlaceColumns)

ADVICE = {
    "time": ("times", "use 'dirpriv map' for places"),
    "place": ("places", "use 'dirpriv histogram' or 'dirpriv mean' for times"),
}
"""By the kind of a column: its name in messages, and where columns of the other kind go."""


def add_file(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("file", metavar="FILE", help="a released file: .csv, .csv.gz or .parquet")
    add("--guarantee", metavar="FILE", help="guarantee of the file (FILE.guarantee.json)")
    add("--column", help="name of the column, if there are several (for places: the latitudes)")


def add_outputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--plot", type=Path, metavar="FILE", help="also write a picture: a new .png or .pdf")
    parser.add_argument("--title", help="title of the picture")
    parser.add_argument("--csv", type=Path, metavar="FILE", help="also write the table: a new .csv")


def check_outputs(arguments: argparse.Namespace) -> None:
    """Refuse outputs that exist before anything is computed."""
    if arguments.plot is not None:
        new_files.check(arguments.plot)
    elif arguments.title is not None:
        raise options.Misuse("--title needs --plot")
    for option in ("csv", "geojson"):
        path = getattr(arguments, option, None)
        if path is not None:
            if path.suffix.lower() != f".{option}":
                raise options.Misuse(f"--{option} must end in .{option}; got {str(path)!r}")
            new_files.check_new(path, f"--{option}")


def read(arguments: argparse.Namespace, kind: "type[C]") -> "tuple[FileGuarantee, C, Any]":
    """The guarantee, the column of this kind that is meant, and its reports, counted."""
    from dirpriv.release.document import read_guarantee
    from dirpriv.release.reading import counted
    from dirpriv.release.tables import Table

    guarantee = read_guarantee(arguments.guarantee or arguments.file)
    column = _column_of(arguments, guarantee, kind)
    table = Table("path", arguments.file)
    names = [repr(name) for each in guarantee.columns for name in each.names]
    names += [item.removeprefix("column ") for item in guarantee.unprotected if item.startswith("column ")]
    if sorted(map(repr, table.names)) != sorted(names):  # which may be data: they are not shown
        raise options.Misuse(
            f"the guarantee belongs to another file: it names the columns {', '.join(names)}, but "
            f"{arguments.file!r} has others. Use the unchanged released file with its own guarantee"
        )
    reports = list(counted(table, guarantee.columns))[guarantee.columns.index(column)]
    if (count := int(reports.counts.sum())) < 2:
        raise options.Misuse(f"{arguments.file!r} has {count} report(s): an estimate needs at least two")
    return guarantee, column, reports


def _column_of(arguments: argparse.Namespace, guarantee: "FileGuarantee", kind: "type[C]") -> "C":
    columns = {column.names[0]: column for column in guarantee.columns if isinstance(column, kind)}
    what, advice = ADVICE[kind.kind]
    names, file, name = ", ".join(map(repr, columns)), arguments.file, arguments.column
    if not columns:
        raise options.Misuse(f"{file!r} has no {what}: {advice}")
    if name is None and len(columns) > 1:
        raise options.Misuse(f"{file!r} has several columns of {what}: choose --column from {names}")
    if name is not None and name not in columns:
        raise options.Misuse(f"--column must be one of {names}; got {name!r}")
    return columns[name or next(iter(columns))]


def heading(arguments: argparse.Namespace, column: "TimeColumn | PlaceColumns", count: int) -> str:
    names = " and ".join(repr(name) for name in column.names)
    guarantee = words.level_within(column.level, column.within)
    return f"{Path(arguments.file).name}: {count} reports of {names}, {guarantee}"


def cautions(guarantee: "FileGuarantee") -> list[str]:
    """What the reader of every estimate must know, in lines."""
    if guarantee.rows_per_person == 1:
        return []
    return [
        "The intervals assume one row per person. With several rows per person they are too",
        "narrow.",
    ]


def add_intervals(parser: argparse.ArgumentParser, whole: str) -> None:
    text = f"any: no assumptions; smooth: narrower, valid for a smooth {whole} only (any)"
    parser.add_argument("--intervals", choices=("any", "smooth"), default="any", help=text)


def held(
    found: "PrivateShares", guarantee: "FileGuarantee", bin: str, whole: str, exceptions: str
) -> list[str]:
    """For what the intervals of shares hold, and where the estimate does not lie in them, in lines."""
    if found.intervals == "smooth":
        return [*smooth(exceptions), *cautions(guarantee)]
    text = (
        f"Each interval holds for one {bin}, without assumptions about the {whole}. Shares are of the rows."
    )
    if number := int(found.outside.sum()):
        text += (
            f" The estimate assumes a smooth density. In {number} {bin}{'s' * (number > 1)} it is outside "
        )
        text += "of the interval. Then rely on the interval."
    return textwrap.wrap(text, 83)


def smooth(exceptions: str) -> list[str]:
    """Where the intervals of a density do not hold, in lines."""
    text = f"The intervals assume a smooth density. They do not hold for {exceptions}."
    return textwrap.wrap(text, 83)


def write(
    arguments: argparse.Namespace,
    names: Sequence[str],
    rows: Iterable[Sequence[Any]],
    draw: Callable[[], Any],
) -> list[str]:
    """Write the table and the picture that were asked for to new files, and say so in lines."""
    lines = []
    if arguments.csv is not None:
        text = io.StringIO(newline="")
        csv.writer(text, lineterminator="\n").writerows([names, *rows])
        new_files.write_new(arguments.csv, text.getvalue().encode())
        lines.append(f"Written: {arguments.csv}")
    if arguments.plot is not None:
        lines.append(new_files.save(draw(), arguments.plot))
    return lines


def percents(*values: float) -> list[str]:
    """A share and the ends of its interval, for three columns of a table."""
    share, low, high = (f"{100.0 * float(value):.1f}" for value in values)
    return [f"{share} %", f"{low} to", f"{high} %"]


def bin_names(edges: "Array", period: float) -> list[tuple[str, str]]:
    """First and last time of each bin."""
    hours = (edges / edges[-1] * period).tolist()
    seconds = not words.in_minutes(hours)
    names = [words.clock(hour, period, seconds) for hour in hours[:-1]]
    last = {24.0: names[0] if seconds else "24:00", words.TURN: "360°"}.get(period, names[0])
    ends = [*names[1:], last]
    return list(zip(names, ends, strict=True))
