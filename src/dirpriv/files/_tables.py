"""CSV and Parquet files, read by DuckDB a block at a time. No message shows a value of a file.

Messages of DuckDB do ("Original Line: ...", "Could not convert string ..."). So of an error only its kind and
the number of the line are passed on. DuckDB runs in memory, with a limit, and has no folder to spill into.
"""

import codecs
import csv
import difflib
import gzip
import importlib
import io
import os
import re
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dirpriv._errors import InvalidArgument
from dirpriv._types import Array

BLOCK_VECTORS = 64  # of 2048 rows
MEMORY = "2GB"  # at most, for DuckDB: files with small row groups need little, one huge group much
SUFFIXES = ".csv", ".csv.gz", ".parquet"
_LONGEST_LINE = 2_097_152
_NO_GZIP = "cannot be read as gzip: it is damaged or cut off"
_VALUE = re.compile(r"[\s+-]*[0-9][0-9.,:/eETZ\s+-]*")
_LINE = re.compile(r"CSV Error on Line: ([0-9]+)$", re.MULTILINE)
_FIELDS = re.compile(r"^Expected Number of Columns: ([0-9]+) Found: ([0-9]+)$", re.MULTILINE)


def suffix_of(name: str, path: Path) -> str:
    """The format of a file, by the end of its name."""
    for suffix in SUFFIXES:
        if path.name.lower().endswith(suffix) and len(path.name) > len(suffix):
            return suffix
    raise InvalidArgument(
        f"'{name}' must be the path of a file {', '.join(SUFFIXES)}; got '{path}'", argument=name
    )


def duckdb() -> Any:
    """The package, imported when a table is read."""
    try:
        importlib.import_module("pandas")  # DuckDB gives blocks as its data frames
        return importlib.import_module("duckdb")
    except ImportError:
        raise ImportError('files of tables need DuckDB and pandas: pip install "dirpriv[tables]"') from None


def connect(memory: str = MEMORY) -> Any:
    """A connection to DuckDB in memory, without extensions from the net and without a folder for spills."""
    settings = {
        "threads": min(4, os.cpu_count() or 1),
        "memory_limit": memory,
        "temp_directory": "",
        "preserve_insertion_order": True,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "python_enable_replacements": False,
    }
    connection = duckdb().connect(config=settings)
    connection.execute("SET TimeZone = 'UTC'")
    if connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()[0][0]:
        # in a notebook without ipywidgets there is none, and DuckDB refuses even to switch it off
        connection.execute("SET enable_progress_bar = false")
    return connection


class Table:
    """A file with named columns.

    Parameters
    ----------
    name : str
        Of the argument, for messages.
    path : str or path
    separator : str
        Between the fields of a CSV.

    Attributes
    ----------
    path : Path
    suffix : str
        One of ``SUFFIXES``.
    names : list of str
    types : list of str
        Of DuckDB; ``"VARCHAR"`` in a CSV.

    Raises
    ------
    FileNotFoundError
        If there is none.
    ValueError
        If it is no file, is empty, cannot be read as such a table, or has a name of a column twice.
    """

    def __init__(self, name: str, path: Any, separator: str = ",") -> None:
        self.path = Path.cwd() / path
        if not self.path.exists():
            raise FileNotFoundError(f"'{name}' must be a file; there is none at '{path}'")
        if not self.path.is_file():
            raise InvalidArgument(f"'{name}' must be a file; '{path}' is a folder or a device", argument=name)
        self.suffix = suffix_of(name, self.path)
        if self.path.stat().st_size == 0:
            raise InvalidArgument(
                f"'{path}' is empty: give a file with named columns and rows", argument=path
            )
        self._separator = _separator(separator)
        if self.suffix == ".parquet":
            self.names, self.types = self._described()
        else:
            self.names = self._header()
            self.types = ["VARCHAR"] * len(self.names)
        for i, column in enumerate(self.names):
            if column in self.names[:i]:
                raise InvalidArgument(
                    f"columns {self.names.index(column) + 1} and {i + 1} of '{path}' have the same "
                    "name: rename one"
                )

    def column(self, argument: str, name: Any) -> int:
        """The place of a column by its name."""
        if not isinstance(name, str):
            raise InvalidArgument(
                f"'{argument}' must be the name of a column; got {name!r}", argument=argument
            )
        if name not in self.names:
            raise InvalidArgument(
                f"'{argument}' names no column of '{self.path.name}'; got {_shown(name)}: "
                + self._about_names(name)
            )
        return self.names.index(name)

    def _about_names(self, name: str) -> str:
        """What is to be said of the names where one is not among them.

        The first line of a CSV without names is a row of data. So none of it is shown, but for a name that
        the user has almost written.
        """
        if self.suffix == ".parquet":
            names = ", ".join(map(repr, self.names[:50]))
            return f"it has {names}" + (" and more" if len(self.names) > 50 else "")
        if any(_VALUE.fullmatch(found) for found in self.names):
            return "its first line has numbers or times; write a line with the names of the columns above it"
        plain = {found.strip().lower(): found for found in self.names}
        near = difflib.get_close_matches(name.strip().lower(), plain, 1, 0.8)
        if near and re.fullmatch(r"\w+", near[0]):
            return f"did you mean {plain[near[0]]!r}?"
        hint = ""
        if len(self.names) == 1:
            others = {";": "';'", "\t": "tabs", "|": "'|'"}
            found = [separator for separator in others if separator in self.names[0]]
            hint = "; is the 'separator' right?"
            hint = f"; it has {others[found[0]]}: give the 'separator' {found[0]!r}" if found else hint
        return f"its first line must have the names of the columns, and has {len(self.names)}{hint}"

    def sql(self, column: int) -> str:
        """A column in SQL."""
        return f"c{column}" if self.suffix != ".parquet" else identifier(self.names[column])

    def scan(self) -> str:
        """The table in SQL."""
        path = self._quoted_path()
        if self.suffix == ".parquet":
            return f"read_parquet({path}, hive_partitioning = false)"
        columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(self.names)))
        return (
            f"read_csv({path}, auto_detect = false, header = true, columns = {{{columns}}}, "
            f"delim = {literal(self._separator)}, quote = '\"', escape = '\"', strict_mode = true, "
            f"compression = '{'gzip' if self.suffix == '.csv.gz' else 'none'}', hive_partitioning = false, "
            f"max_line_size = {_LONGEST_LINE})"
        )

    def blocks(self, columns: Sequence[str]) -> Iterator[list[Array]]:
        """Columns, each an expression in SQL, a block of rows at a time and in the order of the file."""
        names = [f"x{i}" for i in range(len(columns))]
        select = ", ".join(f"{column} AS {name}" for column, name in zip(columns, names, strict=True))
        with connect() as connection:
            self._translated(connection.execute, f"SELECT {select} FROM {self.scan()}")
            while len(block := self._translated(connection.fetch_df_chunk, BLOCK_VECTORS)):
                yield [block[name].to_numpy() for name in names]

    def query(self, text: str) -> list[tuple[Any, ...]]:
        """Rows that a statement gives; ``{scan}`` in it stands for the table, ``{path}`` for its path."""
        filled = {"scan": self.scan, "path": self._quoted_path}
        text = re.sub(r"\{(scan|path)\}", lambda found: filled[found[1]](), text)
        with connect() as connection:
            return self._translated(lambda: connection.execute(text).fetchall())

    # ------------------------------------------------------------------ bytes

    def state(self) -> tuple[int, ...]:
        """What changes if the file is written to or replaced."""
        found = self.path.stat()
        return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns

    def feed(self, content: Any, report: Any) -> int:
        """Give the contents to a hash, check that a CSV is text, and return about how many rows there are."""
        lines = 0
        if self.suffix == ".parquet":
            lines = self.query("SELECT count(*) FROM {scan}")[0][0]
        decoder = codecs.getincrementaldecoder("utf-8")()
        size, done = self.path.stat().st_size, 0
        opened: Any = gzip.open if self.suffix == ".csv.gz" else open
        try:
            with opened(self.path, "rb") as file:
                while block := file.read(1 << 20):
                    content.update(block)
                    if self.suffix != ".parquet":
                        self._check_text(block, decoder, lines)
                        lines += block.count(b"\n")
                    done += len(block)
                    report(done / size)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise InvalidArgument(f"'{self.path}' {_NO_GZIP}") from None
        if decoder.getstate()[0]:
            raise InvalidArgument(f"'{self.path}' ends within a character: it is cut off, or no UTF-8 text")
        return lines

    def _check_text(self, block: bytes, decoder: Any, lines: int) -> None:
        line = 0
        try:
            decoder.decode(block)
        except UnicodeDecodeError as error:
            line = lines + block.count(b"\n", 0, error.start) + 1
        if line:  # after the block of the other error, which holds the text and would stay beside this one
            raise InvalidArgument(f"line {line} of '{self.path}' is no UTF-8 text: save the file as UTF-8")
        if b"\0" in block:
            line = lines + block.count(b"\n", 0, block.index(b"\0")) + 1
            raise InvalidArgument(
                f"line {line} of '{self.path}' has bytes that are 0: the file is damaged, or no text"
            )

    # ------------------------------------------------------------------ names

    def _header(self) -> list[str]:
        """The names in the first line of a CSV."""
        opened = gzip.open if self.suffix == ".csv.gz" else open
        try:
            with opened(self.path, "rb") as file:
                start = file.read(_LONGEST_LINE)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise InvalidArgument(f"'{self.path}' {_NO_GZIP}") from None
        if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            raise InvalidArgument(f"'{self.path}' is UTF-16 text: save it as UTF-8")
        wrong = False
        try:
            start.partition(b"\n")[0].decode()
        except UnicodeDecodeError:
            wrong = True
        if wrong:
            raise InvalidArgument(f"'{self.path}' begins with no UTF-8 text: save the file as UTF-8")
        text = io.StringIO(start.decode("utf-8-sig", "replace"), newline="")
        try:
            first = next(csv.reader(text, delimiter=self._separator, strict=True), [])
        except csv.Error:
            first = []
        if not first:
            raise InvalidArgument(f"'{self.path}' has no line with the names of its columns at the beginning")
        return first

    def _described(self) -> tuple[list[str], list[str]]:
        """Names and types of the columns of a Parquet file."""
        described = self.query("DESCRIBE SELECT * FROM {scan}")
        names = [row[0] for row in described]
        known = {row[0] for row in self.query("SELECT name FROM parquet_schema({path})")}
        if not known.issuperset(names):  # DuckDB renames a name that it has had
            raise InvalidArgument(
                f"'{self.path}' has two columns whose names differ by capitals at most: rename one"
            )
        return names, [row[1] for row in described]

    def _quoted_path(self) -> str:
        # DuckDB takes *, ? and [ for patterns, and in a pattern "x/.." for nothing, even if x is a link
        return literal(re.sub(r"[\[*?]", r"[\g<0>]", os.path.realpath(self.path)))

    # ------------------------------------------------------------------ errors

    def _translated(self, call: Any, *args: Any) -> Any:
        """The call's result, or an error without any value of the file."""
        kinds = duckdb()
        try:
            return call(*args)
        except kinds.OutOfMemoryException:
            reason = f"needs more than {MEMORY} of memory to be read: write it with smaller row groups"
        except kinds.Error as error:
            reason = _reason(str(error), self.suffix)
        raise InvalidArgument(f"'{self.path}' {reason}")


def _reason(message: str, suffix: str) -> str:
    """What is wrong, of a message of DuckDB: its kind and numbers of lines and fields, and nothing else."""
    if suffix == ".parquet":
        return "cannot be read as Parquet: it is damaged or something else"
    if "GZIP" in message:
        return _NO_GZIP
    line = _LINE.search(message)
    where = f"cannot be read as CSV from line {line[1]} on" if line else "cannot be read as CSV"
    if fields := _FIELDS.findall(message):
        wanted, found = fields[-1]
        return (
            f"{where}: {found} fields where the first line has {wanted} names; put quotes around fields that "
            "have a separator in them, or give the right 'separator'"
        )
    if "utf-8" in message:
        return f"{where}: it is no UTF-8 text; save the file as UTF-8"
    if "unterminated quote" in message:
        return f'{where}: a field has a quote (") that does not begin or end it, or that is not closed'
    return f"{where}: are its lines ended in one way, and none longer than {_LONGEST_LINE} characters?"


def _shown(name: str) -> str:
    """A name for a message, unless it is a time or a number: then it may be data."""
    return "a time or a number" if _VALUE.fullmatch(name) else repr(name)


def _separator(separator: Any) -> str:
    if not isinstance(separator, str) or len(separator) != 1 or separator in '"\r\n\0':
        raise InvalidArgument(
            f"'separator' must be one character, as ',', ';' or a tab; got {separator!r}",
            argument="separator",
        )
    return separator


def literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def identifier(name: str) -> str:
    """The name of a column in SQL."""
    return '"' + name.replace('"', '""') + '"'
