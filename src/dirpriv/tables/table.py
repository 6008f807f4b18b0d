"""Files of tables, read by DuckDB a block at a time. No message shows a value of a file.

Messages of DuckDB do. So of an error only its kind and the number of the line are passed on. DuckDB runs in
memory, with a limit, and has no folder to spill into. A file is opened once, whatever its path leads to
later. DuckDB gets a CSV only after all its bytes were checked.
"""

import codecs
import contextlib
import csv
import difflib
import gzip
import importlib
import io
import itertools
import operator
import os
import re
import shutil
import sys
import weakref
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

from dirpriv._inputs.errors import InvalidArgument, MissingFile, ShortMemory, named
from dirpriv._inputs.lookalike_names import looks
from dirpriv._lib.types import Array
from dirpriv.tables import formats
from dirpriv.tables.forms import VALUE
from dirpriv.tables.sql import identifier, literal

BLOCK_VECTORS = 64  # of 2048 rows
MEMORY = "2GB"  # at most, for DuckDB: files with small row groups need little, one huge group much
_LEAST_MEMORY = 1 << 30  # bytes of a process, with its code
_LEAST_FILES = 32  # that a process may open: DuckDB ends it where there are none left
_BLOCK = 1 << 20
SUFFIXES = ".csv", ".csv.gz", ".parquet"  # others are read, too: see formats
STANDARD_STREAM = "-"
MOST_HELD = 256 << 20  # bytes of a table that is kept in memory: of standard input, or of another format
_LONGEST_LINE = 2_097_152
_TOO_LONG = f"has more than {_LONGEST_LINE} bytes in line"
_MOST_COLUMNS = 100_000
UNSAID = "TIMESTAMP of UTC or not"  # the type of a timestamp of a Parquet file that does not say it
_AS_UTF8 = "save it as UTF-8"
_NAMES = "write a line with the names of the columns above it, or give 'dirpriv prepare' the --names"
_NO_GZIP = "is not a complete gzip file: it is damaged or cut off; "
_NO_GZIP += "a file without compression needs the name .csv"
_QUOTE = 'a field has a quote (") that does not begin or end it, or that is not closed'
_PARTS = re.compile(r"[0-9][.:][0-9]")  # as 08:15 and 8.25 have; a column may be called 2024
# what changes if a file is written to or replaced
_state = operator.attrgetter("st_dev", "st_ino", "st_size", "st_mtime_ns", "st_ctime_ns")
_FIELDS = re.compile(r"^Expected Number of Columns: ([0-9]+) Found: ([0-9]+)$", re.MULTILINE)


def suffix_of(name: str, path: Path) -> str:
    """The format of a file, by the end of its name."""
    if (suffix := formats.suffix_of_input(path.name)) not in SUFFIXES:
        raise InvalidArgument(name, f"must be the path of a file {', '.join(SUFFIXES)}", got=str(path))
    return suffix


def duckdb() -> Any:
    """The package, imported when a table is read."""
    _check_limits()
    try:
        importlib.import_module("pandas")  # DuckDB gives blocks as its data frames
        return importlib.import_module("duckdb")
    except ModuleNotFoundError:
        message = 'files of tables need DuckDB and pandas: pip install "dirpriv[tables]"'
        raise ImportError(message, name="duckdb") from None
    except MemoryError:
        pass
    raise _no_memory("to load DuckDB and pandas")


def _check_limits() -> None:
    """Refuse limits of this process within which DuckDB may crash."""
    if resource is None:
        return
    limit, files = (resource.getrlimit(kind)[0] for kind in (resource.RLIMIT_AS, resource.RLIMIT_NOFILE))
    if 0 <= limit < _LEAST_MEMORY:
        raise _no_memory(f"and the limit of this process is {limit >> 20} MB (ulimit -v)")
    if 0 <= files < _LEAST_FILES:
        hint = f"files of tables need {_LEAST_FILES} (ulimit -n)"
        raise InvalidArgument(f"this process may open {files} files only", hint=hint)


def _no_memory(what: str) -> ShortMemory:
    return ShortMemory("memory is short", hint=f"files of tables need {_LEAST_MEMORY >> 20} MB, {what}")


def connect(memory: str = MEMORY) -> Any:
    """A connection to DuckDB in memory, whose times are in UTC.

    It has no extensions from the net, no folder for spills, and shows no progress bar.
    """
    settings: Any = {"threads": min(4, os.cpu_count() or 1), "memory_limit": memory, "temp_directory": ""}
    settings |= {"preserve_insertion_order": True, "python_enable_replacements": False}
    settings |= {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    connection = duckdb().connect(config=settings)
    connection.execute("SET TimeZone = 'UTC'")
    if connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()[0][0]:
        # in a notebook without ipywidgets there is none, and DuckDB refuses even to switch it off
        connection.execute("SET enable_progress_bar = false")
    return connection


class Table:
    """A file with named columns, opened once, whatever its path leads to later.

    Text with separators is read as UTF-8, UTF-16 with its mark, or Windows-1252 where every byte is of that.
    Lines of comments and titles above the names are left out. JSON (an array or lines of records, GeoJSON of
    points, Google's histories of places), GPX and KML become tables with a row for each record or point, and
    spreadsheets with the rows of a sheet. All of these may be packed by gzip, or be the only table of a zip file.
    Such a table is kept in memory, up to 256 MB.

    Parameters
    ----------
    name : str
        What messages call the path: the argument of the caller.
    path : path or str
        The file. If ``name`` is ``"input"``, ``"-"`` is standard input, which is kept in memory.
    separator : str
        Between the fields of a CSV.
    names : sequence of str
        Names of the columns of a CSV that has none.
    skip : int
        Lines of a CSV, or of a spreadsheet, to leave out at its beginning.
    sheet : int, optional
        Which sheet of a spreadsheet is read, from 1, where several have values.

    Attributes
    ----------
    names, types : list of str
        Names of the columns, and their types in DuckDB: ``"VARCHAR"`` in a CSV.
    path, source : Path, and path or str
        The whole path, and what was given.
    suffix, separator : str
        The format, as the end of the name of such a file, and what is between the fields of a CSV.
    size : int
        Bytes.
    above : int
        Lines above the names.
    called : str
        What messages call the file, if it is one of several; empty until the caller sets it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from dirpriv.tables import Table
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "in.csv").write_text("id,arrival\\n1,08:15\\n2,09:00\\n")
    ...     table = Table("path", f"{folder}/in.csv")
    ...     (block,) = table.blocks([table.sql(table.column("column", "arrival"))])
    >>> table.names, [text for text in block[0]]
    (['id', 'arrival'], ['08:15', '09:00'])
    """

    def __init__(
        self,
        name: str,
        path: Any,
        separator: str = ",",
        names: Sequence[str] = (),
        skip: int = 0,
        sheet: int | None = None,
    ) -> None:
        _check_limits()
        self._argument, self.source = name, path
        self.called = ""  # how messages name the file, where it is one of several of a release
        self.above = skip
        self._new_names = [*names]
        self._is_converted = False  # whether the names are those of another format
        self._state: tuple[int, ...] | None = None  # of what others could change
        if name == "input" and path == STANDARD_STREAM:
            self.path = Path("standard input")
            form = self.suffix = self._hold(sys.stdin)
        else:
            self.path = Path.cwd() / path
            form = self.suffix = self._check_path()
            # without waiting, if a pipe has taken its place
            flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
            self._open(os.open(self.path, flags))
            self._state = _state(os.fstat(self._opened))
        self.size = os.fstat(self._opened).st_size
        if not self.size:
            raise self.refused("is empty", "give a file with named columns and rows")
        self.separator = _separator(separator)
        if form == ".zip":
            form, blocks = formats.only_table(self._contents(), self.refused)
            self._keep(blocks)
        if sheet is not None and form.removesuffix(".gz") not in formats.SHEETS:
            raise self.refused("has no sheets", f"leave out {named('sheet')}")
        self._convert(form, sheet)
        self._in_order: bool | None = None  # how a CSV is read; not known before all of it was checked
        self._line_ends = ["\n"]  # of the line with the names of a CSV: those within names, and its own
        if self.suffix == ".parquet":
            self.names, self._in_sql, self.types = self._described()
        else:
            self.names = self._header()
            self._in_sql = [f"c{i}" for i in range(len(self.names))]
            self.types = ["VARCHAR"] * len(self.names)
        self._places: dict[str, list[int]] = {}  # of names by their looks
        for i, column in enumerate(self.names):
            self._places.setdefault(looks(column), []).append(i)

    def shown(self, name: str) -> str:
        """A column in a message, with its file where that is one of several.

        Parameters
        ----------
        name : str
            Its name.
        """
        return f"{name!r} in {self.called!r}" if self.called else repr(name)

    def column(self, argument: str, name: Any) -> int:
        """The place of a column by its name.

        Parameters
        ----------
        argument : str
            What messages call the name.
        name : str
            The name, which no other column has.
        """
        if not isinstance(name, str):
            raise InvalidArgument(argument, "must be the name of a column", got=name)
        alike = self._places.get(looks(name), [])
        if name not in (names := [self.names[place] for place in alike]):
            shown = "a time or a number" if VALUE.fullmatch(name) else repr(name)  # it may be data
            rule = f"names no column of {(self.called or self.path.name)!r}; got {shown}"
            unseen = f"its column {names[0]!a} looks the same: rename it" if names else ""
            raise InvalidArgument(argument, rule, hint=unseen or self._about_names(name))
        if len(alike) > 1:
            rule = f"columns {alike[0] + 1} and {alike[1] + 1} of {str(self.source)!r} have "
            rule += "the same name" if len(set(names)) == 1 else "names that look the same"
            raise InvalidArgument(rule, hint="rename one")
        if self.suffix != ".parquet" and VALUE.fullmatch(name) and _PARTS.search(name):
            rule = "names a column by a number or a time, which may be a value of the first row"
            hint = f"{_NAMES}, or rename the column"
            raise InvalidArgument(argument, rule, hint=hint)
        return alike[0]

    def _about_names(self, name: str) -> str:
        """What to say where a name is unknown: of a CSV, whose first line may be data, only a near miss."""
        if self.suffix == ".parquet":
            names = ", ".join(map(repr, self.names[:50]))
            return f"it has {names}" + (" and more" if len(self.names) > 50 else "")
        if any(VALUE.fullmatch(column) for column in self.names):
            return f"its first line has numbers or times; {_NAMES}"
        plain = {column.strip().lower(): column for column in self.names}
        near = difflib.get_close_matches(name.strip().lower(), plain, 1, 0.8)
        if near and re.fullmatch(r"[^\W\d][\w .()°/-]*", near[0]):
            return f"did you mean {plain[near[0]]!r}?"
        hint = f"; is {named('separator')} right? Or give 'dirpriv prepare' the lines to --skip, and the --names"
        hint *= len(self.names) == 1
        if other := self.other_separator:
            hint = f"; it has {'tabs' if other == 'tab' else repr(other)}: give {named('separator', other)}"
        return f"its first line must contain the names of the columns; it has {len(self.names)}{hint}"

    @property
    def other_separator(self) -> str:
        """The separator that the only name of a column has in it, if any."""
        separators = [each for each in ";\t|" if each in self.names[0]] if len(self.names) == 1 else []
        return "" if not separators else "tab" if separators[0] == "\t" else separators[0]

    def sql(self, column: int) -> str:
        """A column in SQL.

        Parameters
        ----------
        column : int
            Its place.
        """
        return self._in_sql[column]

    def scan(self) -> str:
        """The table in SQL."""
        if self.suffix == ".parquet":
            return f"read_parquet({self._address()}, hive_partitioning = false)"
        if self._in_order is None:
            self.feed()
        columns = ", ".join(f"'c{i}': 'VARCHAR'" for i in range(len(self.names)))
        mode = "strict_mode = true"
        if self._line_ends[0] != self._line_ends[-1]:
            # DuckDB takes the first one for all lines. With the right one, strict_mode stays at its default,
            # which is true, or no row is found
            mode = f"new_line = '{self._line_ends[-1].encode('unicode_escape').decode()}'"
        return (
            f"read_csv({self._address()}, auto_detect = false, columns = {{{columns}}}, "
            f"header = {not self._new_names}, skip = {self.above}, delim = {literal(self.separator)}, "
            f"quote = '\"', escape = '\"', {mode}, hive_partitioning = false, "
            f"compression = '{'gzip' if self.suffix == '.csv.gz' else 'none'}', "
            f"max_line_size = {_LONGEST_LINE}, parallel = {str(not self._in_order).lower()})"
        )

    def blocks(self, columns: Sequence[str]) -> Iterator[list[Array]]:
        """Columns, a block of rows at a time and in the order of the file.

        Parameters
        ----------
        columns : sequence of str
            Each an expression in SQL.

        Yields
        ------
        list of ndarray
            The rows of each column.
        """
        select = ", ".join(f"{column} AS x{i}" for i, column in enumerate(columns))
        scan = self.scan()
        # of a CSV that is read from its beginning to its end, the blocks stay until then
        with connect("512MB" if self._in_order else MEMORY) as connection:
            self._translated(connection.execute, f"SELECT {select} FROM {scan}")
            while len(block := self._translated(connection.fetch_df_chunk, BLOCK_VECTORS)):
                yield [block[name].to_numpy() for name in block]

    def query(self, text: str) -> list[tuple[Any, ...]]:
        """Rows that a statement gives, such as one of :meth:`scan`.

        Parameters
        ----------
        text : str
            The statement, in SQL.
        """
        with connect() as connection:
            return self._translated(lambda: connection.execute(text).fetchall())

    def check_unchanged(self, same: bool = True) -> None:
        """Raise an error if the file was written to or replaced since it was opened, or is not the same.

        Parameters
        ----------
        same : bool
            Whether it is, as far as the caller knows.
        """
        try:
            same = same and (self._state is None or _state(self.path.stat()) == self._state)
        except OSError:
            same = False
        if not same:
            raise self.refused("was changed while it was read", "start again when it is complete")

    def refused(self, rule: str, hint: str = "") -> InvalidArgument:
        """The error for a file that does not keep a rule.

        Parameters
        ----------
        rule, hint : str
            What is wrong, and what to do.
        """
        return InvalidArgument(f"{str(self.path)!r} {rule}", hint=hint)

    def feed(self, content: Any = None, report: Any = None) -> int:
        """Give the contents to a hash, check that a CSV is text, and return about how many rows there are.

        Parameters
        ----------
        content : hash, optional
            Gets all bytes by its ``update``.
        report : callable, optional
            Is called with the share that is read.
        """
        lines, done, quotes = 0, 0, _Quotes(self.separator, self._line_ends[-1])
        long, end = 0, self._line_ends[-1][-1].encode()  # bytes since the last end of a line
        if self.suffix == ".parquet":
            lines = self.query(f"SELECT count(*) FROM {self.scan()}")[0][0]
        decoder = codecs.getincrementaldecoder("utf-8")()
        with self._contents() as file:
            while block := self._unpacked(file, _BLOCK):
                if content is not None:
                    content.update(block)
                if self.suffix != ".parquet":
                    if wrong := self._wrong_text(block, decoder, lines):
                        rule, hint = wrong
                        if hint != _AS_UTF8 or not self._recode("cp1252", f"{rule}: {hint}"):
                            raise InvalidArgument(rule, hint=hint)
                        return self.feed(content, report)
                    quotes.read(block, lines)
                    long += len(block.partition(end)[0])
                    if long > _LONGEST_LINE:  # without an error, DuckDB ends before such a last row
                        raise self.refused(f"{_TOO_LONG} {lines + 1}")
                    long = len(block.rpartition(end)[2]) if end in block else long
                    lines += block.count(b"\n")
                done += len(block)
                if report is not None:
                    report(done / self.size)
        if decoder.getstate()[0]:
            raise self.refused("ends within a character", "it is cut off, or no UTF-8 text")
        if self.suffix == ".csv.gz":
            self._pack_plainly(done)
        if self.suffix != ".parquet":
            quotes.read(self._line_ends[-1].encode(), lines)
            if quotes.fit and quotes.count % 2:
                raise self.refused(f"cannot be read as CSV from line {quotes.line} on", _QUOTE)
            # Several threads guess where a row begins. Without quotes they are right, as each line is a row.
            # With quotes that fit, a row may have several lines, and one thread reads all rows. With others
            # (5" for inches) it would leave out a last row that is not closed.
            self._in_order = quotes.fit and quotes.count > 0
        return lines

    def _check_path(self) -> str:
        """The format of a file that is there."""
        name, path = self._argument, self.source
        if not self.path.exists():
            raise MissingFile(name, f"must be a file; there is none at {str(path)!r}", hint=formats.path_hint(path))
        if not self.path.is_file():
            what, hint = "pipe or a device", formats.path_hint("-")
            if self.path.is_dir():
                what, hint = "folder", f"give a file of it, or several as {f'{path}/*.csv'!r} (or .parquet)"
            raise InvalidArgument(name, f"must be a file; {str(path)!r} is a {what}", hint=hint)
        if not (suffix := formats.suffix_of_input(self.path.name)):
            rule = f"must be the path of a file {', '.join(formats.SUFFIXES)}"
            raise InvalidArgument(name, rule, got=str(self.path), hint=formats.path_hint(path))
        return suffix

    def _hold(self, stream: Any) -> str:
        """Keep standard input in memory, as a file without a name; its format, from its first bytes."""
        send = "give a file, or send one: cat in.csv | dirpriv release - private.csv"
        if getattr(stream, "buffer", None) is None or stream.isatty():
            raise self.refused("is a terminal or closed", send)
        gap: list[Any] = []  # None, where data would have to be waited for

        def blocks() -> Iterator[bytes]:
            while block := stream.buffer.read(_BLOCK):
                yield block
            gap.append(block)

        self._keep(blocks(), "save it first, by: cat > in.csv (a file can have any size)")
        if gap == [None]:
            raise self.refused("gives no data without waiting", send)
        start = os.pread(self._opened, 4, 0)
        return ".parquet" if start == b"PAR1" else ".csv.gz" if start[:2] == b"\x1f\x8b" else ".csv"

    def _keep(self, blocks: Iterable[bytes], hint: str = "convert it to .csv") -> None:
        """Open what is made of the file, in memory, in place of the file."""
        descriptor, whole = self._memory("is", hint), False
        try:
            with (
                contextlib.suppress(EOFError, zlib.error, gzip.BadGzipFile),
                open(descriptor, "wb", closefd=False) as memory,
            ):
                for block in blocks:
                    if memory.tell() + len(block) > MOST_HELD:
                        rule = f"has more than {MOST_HELD >> 20} MB, and is kept in memory"
                        raise self.refused(rule, hint)
                    memory.write(block)
                whole = True
        finally:
            self._open(descriptor)
        if not whole:
            raise self.refused(_NO_GZIP)
        self.size = os.fstat(descriptor).st_size

    def _memory(self, what: str, hint: str) -> int:
        """A new file in memory, which only Linux has."""
        if not hasattr(os, "memfd_create"):
            raise self.refused(f"{what} read on Linux only", hint)
        return os.memfd_create("dirpriv")

    def _convert(self, form: str, sheet: int | None) -> None:
        """Make what DuckDB reads of a file of any form."""
        if form == ".parquet":
            self.suffix = form
            return
        packed, form = form.endswith(".gz"), form.removesuffix(".gz")
        self.suffix = ".csv.gz" if packed else ".csv"
        if form in formats.CONVERTED:
            self._keep(
                formats.csv_blocks(form, self._contents, self.refused, self._new_names, self.above, sheet, self.source)
            )
            self.suffix, self.separator, self._is_converted, self.above = ".csv", ",", True, 0
        else:
            self._usual = formats.SEPARATORS[form]

    def _recode(self, encoding: str, hint: str = _AS_UTF8) -> bool:
        """Make UTF-8 of a text of another encoding; whether all of it is of that."""
        try:
            self._keep(formats.utf8_blocks(self._contents(), encoding), hint)
        except UnicodeError:
            return False
        self.suffix = ".csv"
        return True

    def _open(self, descriptor: int) -> None:
        self._opened = descriptor
        weakref.finalize(self, os.close, descriptor)

    def _contents(self, packed: bool = False) -> Any:
        """The opened file from its beginning, unpacked unless it is asked for as it is."""
        os.lseek(self._opened, 0, os.SEEK_SET)
        file = open(self._opened, "rb", closefd=False)
        return gzip.GzipFile(fileobj=file) if self.suffix == ".csv.gz" and not packed else file

    def _unpacked(self, file: Any, size: int) -> bytes:
        try:
            return bytes(file.read(size))
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise self.refused(_NO_GZIP) from None

    def _pack_plainly(self, size: int) -> None:
        """Pack a gzip of several members, or with more fields than a name, again in memory for DuckDB."""
        with self._contents(packed=True) as file:
            flags = file.read(4)[3]
            file.seek(-4, os.SEEK_END)
            if not flags & ~0x08 and int.from_bytes(file.read(4), "little") == size % 2**32:
                return
        rule = "is a gzip of several parts, or with more fields than a name, which is"
        memory = self._memory(rule, "unpack it and pack it again")
        with self._contents() as file, open(memory, "wb", closefd=False) as raw, gzip.GzipFile("", "wb", 1, raw) as new:
            shutil.copyfileobj(file, new, _BLOCK)  # all of it was read before
        self._open(memory)

    def _wrong_text(self, block: bytes, decoder: Any, lines: int) -> list[str]:
        """What is wrong with bytes that are no text, and what to do; empty if they are."""
        hint = "the file is damaged, or no text"
        wrong, rule = block.find(b"\0"), "has bytes that are 0"
        try:
            decoder.decode(block)
        except UnicodeDecodeError as error:
            wrong, rule, hint = error.start, "is no UTF-8 text", _AS_UTF8
        # after the block of the other error, which holds the text and would stay beside this one
        line = lines + block.count(b"\n", 0, wrong) + 1
        return [f"line {line} of {str(self.path)!r} {rule}", hint] if wrong >= 0 else []

    def _header(self) -> list[str]:
        with self._contents() as file:
            start = self._unpacked(file, _LONGEST_LINE)
        marks, encoding = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), ""
        line = start.partition(b"\n")[0]
        if start.startswith(marks):
            encoding, rule, hint = "utf-16", "is damaged UTF-16 text", ""
        elif start.startswith(b"\x1f\x8b"):
            raise self.refused("begins with no UTF-8 text", "a gzip is called .csv.gz")
        elif line.decode(errors="ignore").encode() != line:
            encoding, rule, hint = "cp1252", "begins with no UTF-8 text", _AS_UTF8
        if encoding:
            if not self._recode(encoding):
                raise self.refused(rule, hint)
            return self._header()
        if len(start) == _LONGEST_LINE and not re.search(b"[\r\n]", start):
            raise self.refused(f"{_TOO_LONG} 1")
        text = io.StringIO(self._below(start.decode("utf-8-sig", "replace")), newline="")
        try:
            first = next(csv.reader(text, delimiter=self.separator, strict=True), [])
        except csv.Error:
            first = []
        if not first:
            raise self.refused("has no line with the names of its columns at the beginning")
        if len(first) > _MOST_COLUMNS:
            raise self.refused(f"has {len(first)} columns", f"at most {_MOST_COLUMNS} are read")
        self._line_ends = re.findall(r"\r\n?|\n", text.getvalue()[: text.tell()]) or ["\n"]
        if self._new_names and len(self._new_names) != len(first):
            rule = f"must be as many as there are columns, {len(first)}"
            raise InvalidArgument("names", rule, got=len(self._new_names))
        return self._new_names or first

    def _below(self, text: str) -> str:
        """The text from its names on: below the line of a spreadsheet that names the separator, and titles."""
        if self._is_converted:
            return text
        if self.separator == "," and self._usual in text.partition("\n")[0]:
            self.separator = self._usual
        if self._new_names or self.above:
            lines = itertools.islice(re.finditer(r"[^\r\n]*(?:\r\n?|\n)", text), self.above)
            return text[sum(len(line[0]) for line in lines) :]
        if match := re.match(r"sep=([^\r\n\0\"])(\r\n?|\n)", text):
            self.separator, self.above = match[1], 1
            text = text[match.end() :]
        above = formats.lines_above(text, self.separator, VALUE.fullmatch)
        self.above += len(above)
        return text[sum(map(len, above)) :]

    def _described(self) -> tuple[list[str], list[str], list[str]]:
        """Names of the columns of a Parquet file, what they are in SQL, and their types."""
        described = self.query(f"DESCRIBE SELECT * FROM {self.scan()}")
        nodes = f"SELECT name, num_children, logical_type FROM parquet_schema({self._address()})"
        names: list[str] = []
        types, below = [row[1] for row in described], 0  # what is below a node follows it
        for name, children, kind in self.query(nodes)[1:]:
            if not below and len(names) < len(types):
                is_timestamp = re.fullmatch("TIMESTAMP(_S|_MS|_NS)?", types[len(names)])
                if is_timestamp and "isAdjustedToUTC=0" not in (kind or ""):
                    types[len(names)] = UNSAID  # such as INT96
                names.append(name)
            below = max(below - 1, 0) + (children or 0)
        # DuckDB renames a name that it has had, also in other capitals
        return names, [identifier(row[0]) for row in described], types

    def _address(self) -> str:
        """The opened file as a path in SQL."""
        opened = address(self._opened)
        if os.path.exists(opened):
            return literal(opened)
        # without such paths the file is opened again (see check_unchanged). DuckDB takes *, ? and [ for
        # patterns, and in a pattern "x/.." is dropped, even if x is a link, and "\\" for "/"
        path = os.path.realpath(self.path)
        pattern = re.sub(r"[\[*?]", r"[\g<0>]", path)
        if pattern != path and "\\" in path and os.sep == "/":
            rule = "must be a path without '\\' beside '*', '?' or '['"
            raise InvalidArgument(self._argument, rule, got=str(self.path), hint="rename it")
        return literal(pattern)

    def _translated(self, call: Any, *args: Any) -> Any:
        """The call's result, or an error without any value of the file."""
        kinds = duckdb()
        try:
            return call(*args)
        except MemoryError:
            reason = ""
        except kinds.OutOfMemoryException as error:
            limit = re.search(r"/([0-9.]+ [KMGT]iB) used\)", str(error))  # else the system gives no more
            why = "write it with smaller row groups" if self.suffix == ".parquet" else "its rows are too long"
            reason = f"needs more than {limit[1]} of memory to be read: {why}" if limit else ""
        except kinds.Error as error:
            reason = _reason(str(error), self.suffix, bool(self._in_order))
        if not reason:
            raise _no_memory("and a file with large row groups more")
        raise self.refused(reason)


class _Quotes:
    """How a CSV uses quotes: their ``count``, the ``line`` of the last, and whether all ``fit`` RFC 4180."""

    def __init__(self, separator: str, line_end: str) -> None:
        # quotes beside a separator of several bytes are not judged
        self.count, self.fit, self.line = 0, separator.isascii(), 0
        self._before, self._after = np.zeros((2, 256), dtype=bool)
        self._before[[*(separator + line_end[-1] + '"').encode()]] = True
        self._after[[*(separator + line_end[0] + '"').encode()]] = True
        # the last byte, whose next one is not known, and the one before it
        self._rest = line_end.encode()[-1:]

    def read(self, block: bytes, lines: int) -> None:
        """Go on to the next bytes, before which there are this many ends of lines."""
        if len(self._rest) == 1:
            block = block.removeprefix(codecs.BOM_UTF8)
        data = self._rest + block
        self._rest = data[-2:]
        if b'"' in data:
            values = np.frombuffer(data, dtype=np.uint8)
            quotes = np.flatnonzero(values[1:-1] == ord('"')) + 1
            opening, closing = quotes[self.count % 2 :: 2], quotes[1 - self.count % 2 :: 2]
            fit = self._before[values[opening - 1]].all() and self._after[values[closing + 1]].all()
            self.fit = self.fit and bool(fit)
            self.count += len(quotes)
            if len(quotes):
                self.line = lines + data.count(b"\n", len(data) - len(block), int(quotes[-1])) + 1


def _reason(message: str, suffix: str, in_order: bool) -> str:
    """What is wrong, of a message of DuckDB: its kind and numbers of lines and fields, and nothing else."""
    if suffix == ".parquet":
        return "cannot be read as Parquet: it is damaged or something else"
    if "GZIP" in message:
        return _NO_GZIP
    line = re.search(r"CSV Error on Line: ([0-9]+)$", message, re.MULTILINE)
    where = f"cannot be read as CSV from line {line[1]} on" if line else "cannot be read as CSV"
    where += " (a row of several lines counts as one line)" if line and in_order else ""
    if fields := _FIELDS.findall(message):
        wanted, count = fields[-1]
        where += f": {count} fields where the first line has {wanted} names; put quotes around fields that "
        return f"{where}have a separator in them, or give the right {named('separator')}"
    if "utf-8" in message:
        return f"{where}: it is no UTF-8 text; save the file as UTF-8"
    if "unterminated quote" in message:
        return f"{where}: {_QUOTE}"
    return f"{where}: use one kind of line end, and at most {_LONGEST_LINE} characters in a line"


def _separator(separator: Any) -> str:
    """One character, or the word for a tab."""
    if isinstance(separator, str) and separator in ("tab", "\\t"):
        return "\t"
    if not isinstance(separator, str) or len(separator) != 1 or separator in '"\r\n\0':
        raise InvalidArgument("separator", "must be one character, as ',' or ';', or the word tab", got=separator)
    return separator


def address(descriptor: int) -> str:
    """On Linux, a path by which an open file can be opened again."""
    return f"/proc/self/fd/{descriptor}"
