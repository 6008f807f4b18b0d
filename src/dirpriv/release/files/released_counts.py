"""What an analyst reads: released files as counts of cells."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, Integers
from dirpriv.exact.plane_cells import PlaneCells, seen_from
from dirpriv.geometry import earth
from dirpriv.release.guarantee.columns import ItemColumn, PlaceColumns, TimeColumn, VisitColumns, separate
from dirpriv.release.guarantee.file import FileGuarantee, read_guarantee
from dirpriv.tables.sql import literal
from dirpriv.tables.table import Table


@dataclass(frozen=True)
class ReleasedTimes:
    """A released column of times, counted.

    Attributes
    ----------
    column : TimeColumn
        What was released, and how.
    counts, missing : ndarray of int, shape (cells,), and int
        Rows in each cell, and rows without a value.
    """

    column: TimeColumn
    counts: Integers
    missing: int

    @property
    def angles(self) -> Array:
        """Middles of the cells, in radians: a turn is the period."""
        return np.asarray((np.arange(self.column.cells) + 0.5) * (2.0 * np.pi / self.column.cells))


@dataclass(frozen=True)
class ReleasedPlaces:
    """Released columns of places, counted.

    Attributes
    ----------
    column : PlaceColumns
        What was released, and how.
    east, north : ndarray of int, shape (n,)
        The cells that occur, from the central one, each once.
    counts, missing : ndarray of int, shape (n,), and int
        Rows in each of them, and rows without a value.
    """

    column: PlaceColumns | VisitColumns
    east: Integers
    north: Integers
    counts: Integers
    missing: int

    @property
    def positions(self) -> Array:
        """Centres of the cells: metres east and north of its centre, on the map of the release."""
        cells = np.stack([self.east, self.north], axis=1)
        return np.asarray(cells * self.column.release().noise.cell_size, dtype=float)


@dataclass(frozen=True)
class ReleasedItems:
    """A released column of items, counted, for :func:`dirpriv.estimators.estimate_item_shares`.

    Attributes
    ----------
    column : ItemColumn
        What was released, and how.
    counts, missing : ndarray of int, shape (items,), and int
        Rows with each item, and rows without a value.
    """

    column: ItemColumn
    counts: Integers
    missing: int


@dataclass(frozen=True)
class ReleasedVisits(ReleasedPlaces):
    """Released columns of visits, counted: the cells of times and places that occur together, each once.

    Attributes
    ----------
    column : VisitColumns
        What was released, and how.
    cells, east, north : ndarray of int, shape (n,)
        Cells of times, and of places from the central one.
    counts, missing : ndarray of int, shape (n,), and int
        Rows in each of them, and rows without a value.
    """

    column: VisitColumns
    cells: Integers


def read_released(
    path: str | os.PathLike[str], guarantee: FileGuarantee | None = None
) -> tuple[ReleasedTimes | ReleasedPlaces | ReleasedItems | ReleasedVisits, ...]:
    """Counts of the cells of a released file: one for each of ``guarantee.columns``, in their order.

    A time counts in the cell that contains it: files of earlier versions have the starts of cells, not the middles.

    Parameters
    ----------
    path : str or path
        A file that :func:`dirpriv.release.file` has written.
    guarantee : FileGuarantee, optional
        That of the file; by default it is read from the file beside it.

    Raises
    ------
    FileNotFoundError
        If a file is not there.
    ValueError
        If the file cannot be read, or holds what is no cell of the guarantee.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from dirpriv.release import FileGuarantee, TimeColumn, read_released
    >>> guarantee = FileGuarantee((TimeColumn("arrival", level=1.0, radius="3h", cells=24),))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "private.csv")
    ...     _ = path.write_text("arrival\\n08:30\\n17:30\\n08:30\\n")
    ...     (released,) = read_released(path, guarantee)
    >>> released.counts[[7, 8, 17]].tolist()
    [0, 2, 1]
    """
    guarantee = read_guarantee(path) if guarantee is None else guarantee
    return tuple(counted(Table("path", path), guarantee.columns))


def counted(table: Table, columns: Any, by: str | None = None, value: str = "") -> Iterator[Any]:
    """Counts of each column; with ``by``, of the rows where another column has this value alone."""
    only = "" if by is None else f" WHERE {_group(table, by)} = {literal(value)}"
    for column in columns:
        cells, counts, missing = counted_together(table, separate([column]), only)
        if isinstance(column, VisitColumns):
            times, (east, north) = cells
            yield ReleasedVisits(column, east, north, counts, missing, times)
        elif isinstance(column, PlaceColumns):
            ((east, north),) = cells
            yield ReleasedPlaces(column, east, north, counts, missing)
        else:
            kind = ReleasedItems if isinstance(column, ItemColumn) else ReleasedTimes
            yield kind(column, np.bincount(cells[0], counts, column.cells).astype(np.int64), missing)


def counted_together(table: Table, columns: Sequence[Any], only: str = "") -> tuple[list[Any], Integers, int]:
    """The cells of each column in rows that lack no value, how often they occur together, and the number of others."""
    names = [table.sql(table.column("column", name)) for column in columns for name in column.names]
    texts = ", ".join(f"CAST({name} AS VARCHAR)" for name in names)
    groups = table.query(f"SELECT {texts}, count(*) FROM {table.scan()}{only} GROUP BY ALL")
    ends = np.cumsum([len(column.names) for column in columns])
    parts = [slice(end - len(column.names), end) for end, column in zip(ends, columns, strict=True)]
    kept = [group for group in groups if all(any(group[part]) for part in parts)]
    of_each = zip(columns, parts, strict=True)
    cells = [_cells(table, column, [group[part] for group in kept]) for column, part in of_each]
    counts = np.array([group[-1] for group in kept], dtype=np.int64)
    return cells, counts, sum(group[-1] for group in groups) - int(counts.sum())


def _cells(table: Table, column: Any, rows: list[Any]) -> Any:
    """The cells of a column with these texts: numbers, and of places those east and north."""
    try:
        if not isinstance(column, PlaceColumns):
            return column.cells_of([text for (text,) in rows])
        places = np.array(rows, dtype=float).reshape(-1, 2)
        return _cells_of_centres(column.read.map, column.release().side, places)
    except (TypeError, ValueError):
        what = f"the column {' and '.join(map(repr, column.names))} of {str(table.path)!r}"
        rule = f"{what} has values that are no cells of its guarantee"
        raise InvalidArgument(rule, hint="it is another file, or was changed after the release") from None


def groups_of(table: Table, by: str, most: int) -> list[str]:
    """Values of a column, in order, an empty one for no value; at most one more than ``most``."""
    query = f"SELECT DISTINCT {_group(table, by)} AS name FROM {table.scan()} ORDER BY name LIMIT {most + 1}"
    return [name for (name,) in table.query(query)]


def _group(table: Table, by: str) -> str:
    return f"coalesce(CAST({table.sql(table.column('by', by))} AS VARCHAR), '')"


def _cells_of_centres(region: PlaneCells, side: int, places: Array) -> tuple[Integers, Integers]:
    """Cells of centres that are written with as many digits as tell cells apart."""
    east, north, length, along = seen_from(region.centre, *places.T)
    cells = earth.EARTH_RADIUS * np.arctan2(length, along) / float(region.size)
    scale = cells / np.where(length > 0.0, length, 1.0)
    exact = np.stack([east * scale, north * scale])
    whole = np.rint(exact)
    if not np.all((np.abs(exact - whole) < 0.1) & (np.abs(whole) <= side // 2)):
        raise ValueError
    return whole[0].astype(np.int64), whole[1].astype(np.int64)
