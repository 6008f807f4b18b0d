"""Files that appear when they are complete, and never replace another one.

On Linux a file is written without a name (O_TMPFILE) and linked under its name at the end: a run that is cut
off leaves nothing, or an empty hidden file. Elsewhere it is written under a hidden name, with the permissions
0600 and a lock; what is left holds released rows in their random order only. The user's next run into the
folder removes both. The guarantee appears first: a run that is killed just then leaves it without its file.
"""

import contextlib
import gzip
import importlib
import os
import re
import secrets
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from dirpriv._inputs.errors import ExistingFile, InvalidArgument, MissingFile, named
from dirpriv._lib.locks import lock, sync_folder
from dirpriv._lib.types import Array
from dirpriv.release.guarantee.columns import PlaceColumns, SeparateColumn
from dirpriv.release.release_arguments import NO_PLACE, TURN
from dirpriv.tables.sql import identifier, literal
from dirpriv.tables.table import address, connect

PARTIAL = ".dirpriv-partial"
_PARTIAL_NAME = re.compile(rf"\.(.*)\.[0-9a-f]{{16}}{re.escape(PARTIAL)}", re.DOTALL)
PART_ROWS = 500_000
_PARQUET = "FORMAT parquet, COMPRESSION zstd"


class HiddenFile:
    """A file in a folder that :meth:`publish` gives its name. It can be opened at its ``address`` now."""

    def __init__(self, path: Path) -> None:
        self.path, self.appeared = path, False
        self._partial: Path | None = None
        try:
            descriptor = _unnamed_file(path)
            self.address = address(descriptor)
        except (AttributeError, OSError):  # no Linux, or a file system that has no such files
            descriptor, self._partial = _partial_file(path)
            self.address = str(self._partial)
        self.file: BinaryIO = os.fdopen(descriptor, "w+b")

    def publish(self) -> None:
        """Give the file its name; raise FileExistsError if there is one of that name."""
        self.file.flush()
        os.fsync(self.file.fileno())
        if self._partial is None:
            _link(self.file.fileno(), self.path)
            return
        try:
            os.link(self._partial, self.path)
        except OSError:  # a file system without links: take the name first, and then its place
            self.path.touch(exist_ok=False)
            try:
                os.replace(self._partial, self.path)
            except BaseException:
                os.unlink(self.path)
                raise
            self._partial = None

    def withdraw(self) -> None:
        """Take the name away again, if it is of this file and not of another one."""
        self.appeared = False
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.lstat(self.path), os.fstat(self.file.fileno())):
                os.unlink(self.path)

    def close(self) -> None:
        """Close the file; what is not published is gone."""
        self.file.close()
        if self._partial is not None:
            with contextlib.suppress(OSError):
                os.unlink(self._partial)


def _unnamed_file(path: Path) -> int:
    """A new file in the folder without a name, in a folder in which such a file can get one."""
    trial, name = os.open(path.parent, os.O_TMPFILE | os.O_RDWR, 0o600), _partial_name(path)
    try:
        _link(trial, name)
        os.unlink(name)
    finally:
        os.close(trial)
    return os.open(path.parent, os.O_TMPFILE | os.O_RDWR, 0o600)


def _link(descriptor: int, path: Path) -> None:
    """Give an open file a name that no other file has."""
    # with a folder given, os.link follows the link to the file; an absolute path does not use the folder
    os.link(address(descriptor), path.absolute(), dst_dir_fd=descriptor, follow_symlinks=True)


def _partial_name(path: Path) -> Path:
    start = os.fsencode(path.name)[:100].decode(errors="ignore")  # file systems count bytes
    return path.with_name(f".{start}.{secrets.token_hex(8)}{PARTIAL}")


def _partial_file(path: Path) -> tuple[int, Path]:
    """A new file under a hidden name, locked for as long as it is open."""
    while True:
        partial = _partial_name(path)
        descriptor = os.open(partial, os.O_CREAT | os.O_EXCL | os.O_RDWR | getattr(os, "O_BINARY", 0), 0o600)
        lock(descriptor)
        if os.fstat(descriptor).st_nlink:  # not removed by another run before it was locked
            return descriptor, partial
        os.close(descriptor)


def remove_partial_files(folder: Path) -> None:
    """Remove hidden files of runs of this user that were cut off; those that are locked are in use."""
    for path in folder.glob(f".*{PARTIAL}"):
        name = _PARTIAL_NAME.fullmatch(path.name)
        if not name:
            continue
        with contextlib.suppress(OSError):
            status = path.lstat()
            if not stat.S_ISREG(status.st_mode) or status.st_nlink > 2:
                continue
            # its second name is that under which it was to appear: the run was cut off just after this
            if status.st_nlink == 2 and not os.path.samestat(status, os.lstat(folder / name[1])):
                continue
            if os.name != "posix":  # without locks
                os.unlink(path)
            elif stat.S_IMODE(status.st_mode) == 0o600 and status.st_uid == os.geteuid():
                descriptor = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
                try:
                    lock(descriptor, wait=False)
                    os.unlink(path)
                finally:
                    os.close(descriptor)


def check_new(*paths: Path, argument: str = "output") -> None:
    """Refuse new files in a folder that is not there, and names that cannot be taken."""
    folder = paths[0].parent
    if not folder.is_dir():
        raise MissingFile(f"the folder of {named(argument)} does not exist", hint=f"{str(folder)!r}; create it first")
    for path in paths:
        try:
            path.lstat()
        except FileNotFoundError:
            continue
        except OSError as error:
            rule, hint = f"{str(path)!r} cannot be written ({error.strerror})", "such as a shorter one"
            raise InvalidArgument(rule, hint=f"give another {named(argument)}, {hint}") from None
        rule = f"{str(path)!r} exists, and dirpriv never overwrites a file"
        raise ExistingFile(rule, hint=f"give another {named(argument)}, or move it")


@contextlib.contextmanager
def appearing_together(*paths: Path) -> Iterator[list[HiddenFile]]:
    """Hidden files that all appear at the end of the block, in this order, or none."""
    with contextlib.ExitStack() as stack:
        files = [stack.enter_context(contextlib.closing(HiddenFile(path))) for path in paths]
        try:
            yield files
            for file in files:
                file.publish()
            with contextlib.suppress(OSError):
                sync_folder(paths[0].parent)
            for file in files:
                file.appeared = True
        except BaseException:
            for file in reversed(files):
                file.withdraw()
            raise


class Rows:
    """Released rows as they are written: the fields of an array, one for each column, then those kept."""

    def __init__(self, columns: tuple[SeparateColumn, ...], kept: list[str]) -> None:
        self.columns, self.kept = columns, kept
        self.texts: list[dict[str, int]] = [{} for _ in kept]
        self.names = [name for column in columns for name in column.names] + kept

    def write(self, blocks: Iterator[Any], hidden: HiddenFile, suffix: str) -> None:
        """Write them by DuckDB; of many rows, parts wait in files of their own, and are then joined."""
        with contextlib.ExitStack() as stack:
            connection = stack.enter_context(connect())
            if suffix == ".csv.gz":  # no name, no time in its header
                file: Any = stack.enter_context(gzip.GzipFile("", "wb", 6, hidden.file, mtime=0))
            else:
                file = hidden.file
            parts: list[str] = []
            for rows in _gathered(blocks, PART_ROWS):
                part = stack.enter_context(contextlib.closing(HiddenFile(hidden.path)))
                frame, columns = self._in_sql(rows, suffix == ".parquet")
                connection.register("rows", frame)
                form = _PARQUET if suffix == ".parquet" else f"FORMAT csv, HEADER {not parts}"
                _copy(connection, f"SELECT {columns} FROM rows", part.address, form)
                connection.unregister("rows")
                parts.append(literal(part.address))
                if suffix != ".parquet":
                    shutil.copyfileobj(part.file, file, 1 << 20)
                    part.close()
            if suffix == ".parquet":
                _copy(connection, f"FROM read_parquet([{', '.join(parts)}])", hidden.address, _PARQUET)

    def _in_sql(self, rows: Any, typed: bool) -> tuple[Any, str]:
        """Rows as a data frame of cells, degrees and numbers of texts; the columns of the file, from it."""
        pandas: Any = importlib.import_module("pandas")
        fields: list[tuple[Any, str]] = []  # what is in the frame, and how SQL makes a column of it
        for i, column in enumerate(self.columns):
            cells = rows[str(i)]
            if isinstance(column, PlaceColumns):
                centres = (np.round(degrees, column.digits) for degrees in _centres(column, cells))
                degrees = "{x}" if typed else f"printf('%.{column.digits}f', {{x}})"
                fields += [(values, f"if(isnan({{x}}), NULL, {degrees})") for values in centres]
            else:
                codes, used = np.where(cells < column.cells, cells.astype(np.int32), -1), np.arange(column.cells)
                if len(codes) < column.cells:  # few rows, of few cells
                    used, codes = np.unique(codes, return_inverse=True)
                    none = int((used < 0).sum())
                    used, codes = used[none:], codes - none
                labels = [column.label(cell) for cell in used]
                kind = {"24h": "TIME", TURN: "DOUBLE"}.get(column.period or "", "VARCHAR") if typed else "VARCHAR"
                fields.append((pandas.Categorical.from_codes(codes, labels), f"CAST({{x}} AS VARCHAR)::{kind}"))
        for j, texts in enumerate(self.texts, len(self.columns)):
            used, codes = np.unique(rows[str(j)], return_inverse=True)
            own = pandas.Categorical.from_codes(codes, np.array([*texts], dtype=object)[used])
            fields.append((own, "nullif(CAST({x} AS VARCHAR), '')"))
        if len(fields) == 1 and not typed:  # an empty line would be no row
            fields = [(field, f"coalesce({value}, '')") for field, value in fields]
        frame = {f"x{k}": field for k, (field, _) in enumerate(fields)}
        values = (value.format(x=x) for x, (_, value) in zip(frame, fields, strict=True))
        columns = map("{} AS {}".format, values, map(identifier, self.names))
        return pandas.DataFrame(frame, copy=False), ", ".join(columns)


def _gathered(blocks: Iterator[Any], most: int) -> Iterator[Any]:
    """The same rows in fewer blocks, of about this many rows."""
    waiting: list[Any] = []
    for block in blocks:
        waiting.append(block)
        if sum(map(len, waiting)) >= most:
            yield np.concatenate(waiting)
            waiting = []
    if waiting:
        yield np.concatenate(waiting)


def _copy(connection: Any, select: str, address: str, form: str) -> None:
    connection.execute(f"COPY ({select}) TO {literal(address)} ({form}, USE_TMP_FILE false)")


def _centres(column: Any, cells: Any) -> list[Array]:
    """Latitudes and longitudes; nan of rows without a value."""
    none = cells[:, 0] == NO_PLACE
    centres = column.release().centres(*np.where(none, 0, cells.T.astype(np.int64)))
    return [np.where(none, np.nan, degrees) for degrees in centres]
