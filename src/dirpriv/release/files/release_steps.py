"""The steps of a release of files: they are checked to their ends, the ledger is written, and only then is drawn."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from dirpriv._inputs import clock_units, validate
from dirpriv._inputs.errors import InvalidArgument, Note, named
from dirpriv._lib.types import Array, Integers
from dirpriv.release.files.atomic_output import HiddenFile, appearing_together, check_new, remove_partial_files
from dirpriv.release.files.max_rows_per_person import chosen_rows
from dirpriv.release.files.settings_to_columns import inputs
from dirpriv.release.files.values_to_cells import Items, Places, Times, readers_of
from dirpriv.release.guarantee.column_cells import PlaceCells
from dirpriv.release.guarantee.columns import ReadColumn
from dirpriv.release.guarantee.file import SUFFIX, FileGuarantee
from dirpriv.release.ledger.ledger import Ledger
from dirpriv.release.settings import FileSettings
from dirpriv.tables.table import STANDARD_STREAM, Table, duckdb, suffix_of

Promise = TypeVar("Promise", bound=FileGuarantee)
Progress = Callable[[float], object]
_MOST_FILES = 500  # that are open at once, of the 1024 of a process


def released(
    input: Any,
    output: Any,
    settings: FileSettings,
    columns: Sequence[ReadColumn],
    promised: Promise,
    job_type: Callable[..., FileJob],
    tell: Callable[[str], object] | None,
    progress: Progress | None,
) -> Promise:
    """Release what is promised of columns of files, by the job that reads them and writes what it draws."""
    _check_paths(input=input, output=output, guarantee=getattr(settings, "guarantee", None))
    sources = inputs(input)
    names = [name for column in columns for name in column.names] + settings.kept
    stream, suffix, new = _check_output(output, getattr(settings, "guarantee", None), sources, names)
    parts = _opened(settings, sources, columns)
    report = _Report(progress)
    folders = {part.path.parent for part in parts if part.path.is_absolute()}  # standard input has none
    ledger = Ledger(*folders, new[0].parent)
    contents, lines = _contents(parts, ledger, report)
    job = job_type(parts, columns, settings, promised.columns)
    earlier, account, total = ledger.earlier(contents, promised, settings)
    promised = promised._after(earlier, account)
    job.check(lines, report.part(0.1, 0.45))
    job.check_unchanged()
    if promised.shuffled is not None:
        reports, most = promised.shuffled[0], "the number of released rows, which is smaller"
        hint = "ask more people, or declare fewer reports before you look at the data"
        validate.check_at_most("shuffled", reports, job.count, most, reports, hint)
    if tell is not None and total:
        tell(total)
    remove_partial_files(new[0].parent)
    hidden: list[HiddenFile] = []
    try:
        with contextlib.ExitStack() as stack:
            # rows for standard output wait in a file that never gets a name
            waiting = [stack.enter_context(contextlib.closing(HiddenFile(new[0])))] if stream else []
            with appearing_together(*new) as hidden:
                hidden[0].file.write((promised.dumps() + "\n").encode())
                ledger.record(contents, promised, settings)
                job.write([*hidden, *waiting][1], suffix, report.part(0.45, 1.0))
                job.check_unchanged()
            for each in waiting:
                each.file.seek(0)
                shutil.copyfileobj(each.file, stream, 1 << 20)
                stream.flush()
        report.part(0.0, 1.0)(1.0)
        return promised
    except BaseException as error:
        failure = _system_error(error, output)
        if ledger.recorded:
            complete = all(file.appeared for file in hidden)
            failure.add_note(_what_became(os.fspath(output), complete, job.drew))
    raise failure


def _check_paths(**paths: Any) -> None:
    """Refuse data where files are asked for, before a message could show them."""
    for name, path in paths.items():
        for one in path if name == "input" and isinstance(path, list | tuple) and path else [path]:
            if not isinstance(one, str | os.PathLike) and not (name == "guarantee" and one is None):
                raise InvalidArgument(name, "must be the path of a file", got=one)
            if one is not None and "\0" in os.fsdecode(one):
                raise InvalidArgument(name, "must be the path of a file; got one with a NUL")


def _system_error(error: BaseException, path: str | os.PathLike[str]) -> BaseException:
    """A failure of the system in its words, with the path that was given; any other error as it is."""
    code = getattr(error, "errno", None)
    if isinstance(error, duckdb().IOException):  # its message may show a value
        code = next((code for code in errno.errorcode if os.strerror(code) in str(error)), errno.EIO)
    elif not isinstance(error, OSError) or code is None:
        return error
    return OSError(code, os.strerror(code), os.fspath(path)).with_traceback(error.__traceback__)


def _what_became(output: str, complete: bool, drew: bool) -> Note:
    """The note about a run that ended early after it was written into the ledger."""
    if complete and output == STANDARD_STREAM:
        return Note("all rows were drawn: this counts as a release, even if not all rows were read")
    if complete:
        return Note(f"{output!r} is complete, and counts as a release")
    if drew:
        return Note("no file was written, but noise was drawn: this counts as a release")
    run = "no file was written and no noise was drawn, but the ledger contains this run"
    return Note(f"{run}: it counts as a release")


def _opened(settings: FileSettings, sources: list[Any], columns: Sequence[ReadColumn]) -> list[Table]:
    """The files, whose columns have the same types, before all of them is read."""
    asked: list[tuple[str, str]] = []
    for column in columns:
        arguments = ("latitude", "longitude") if isinstance(column, PlaceCells) else (column.kind,)
        asked += zip(arguments, column.names, strict=True)
    asked += [("keep", name) for name in settings.kept]
    asked += [] if settings.user is None else [("user", settings.user)]
    files = len(sources)
    validate.check_at_most("input", files, _MOST_FILES, f"{_MOST_FILES} files", files, "join some of them")
    if sources.count(STANDARD_STREAM) > 1:
        raise InvalidArgument("input", "contains standard input twice", hint="give '-' once")
    parts: list[Table] = []
    types: dict[str, str] = {}
    for source in sources:
        path = source if source == STANDARD_STREAM else Path.cwd() / source
        parts.append(table := Table("input", path, settings.separator))
        if len(sources) > 1:
            if os.path.lexists(f"{path}{SUFFIX}"):  # as a pattern finds it beside true files
                rule = f"{os.fspath(source)!r} is a released file, because its guarantee is beside it"
                raise InvalidArgument(rule, hint="leave it out")
            table.called = os.fspath(source) if path != source else str(table.path)
        for argument, name in asked:
            kind = table.types[table.column(argument, name)]
            kind = "VARCHAR" if kind.startswith("ENUM") else kind  # whose values are data
            if (first := types.setdefault(name, kind)) != kind:
                rule = f"the column {table.shown(name)} has another type than in {parts[0].called!r} "
                rule += f"({kind.partition('(')[0]}, and {first.partition('(')[0]} there)"
                raise InvalidArgument(rule, hint="give files with equal types")
    return parts


def _contents(parts: list[Table], ledger: Ledger, report: _Report) -> tuple[dict[str, str], int]:
    """Hashes of the files, each with what messages call it, and about how many rows there are."""
    contents: dict[str, str] = {}
    lines, done, size = 0, 0, sum(part.size for part in parts)
    for part in parts:
        content = ledger.content()
        shares = 0.1 * done / size, 0.1 * (done + part.size) / size
        lines, done = lines + part.feed(content, report.part(*shares)), done + part.size
        called = repr(part.called) if part.called else "this file"
        if (first := contents.setdefault(content.hexdigest(), called)) is not called:
            raise InvalidArgument(f"{first} and {called} have the same contents", hint="give one of them")
    return contents, lines


def _check_output(output: Any, guarantee: Any, sources: list[Any], names: list[str]) -> tuple[Any, str, list[Path]]:
    """The stream of standard output or None, the format, and the files that will appear, the output last."""
    here, stream, argument = Path.cwd(), None, "output"  # ".." stays: behind a link it is another folder
    if output == STANDARD_STREAM:
        stream, argument, suffix = getattr(sys.stdout, "buffer", None), "guarantee", ".csv"
        if stream is None:
            raise InvalidArgument("output", "is standard output, which takes no bytes here: give a file")
        if guarantee is None or not os.fspath(guarantee).endswith(".json"):
            hint = f"give {named('guarantee', 'private.csv.guarantee.json')}, a new file .json"
            raise InvalidArgument("standard output needs a file for the guarantee", hint=hint)
        new = [here / guarantee]
    else:
        target = here / output
        suffix, new = suffix_of("output", target), [target.with_name(target.name + SUFFIX), target]
        if guarantee is not None:
            raise InvalidArgument("guarantee", "goes with standard output, '-', only")
        if os.path.realpath(target) in map(os.path.realpath, sources):
            raise InvalidArgument("output", f"must differ from {named('input')}; got {str(target)!r} for both")
    check_new(*reversed(new), argument=argument)
    for one, other in combinations(names, 2) if suffix == ".parquet" else ():
        if one.casefold() == other.casefold():
            rule = f"{one!r} and {other!r} differ only in upper and lower case"
            hint = f"give an {named('output')} .csv, or rename one"
            raise InvalidArgument(f"{rule}, which a .parquet does not allow", hint=hint)
    return stream, suffix, new


class _Report:
    """Progress of the parts of a release."""

    def __init__(self, progress: Progress | None) -> None:
        if progress is not None and not callable(progress):
            raise InvalidArgument("progress", "must be a function of the share that is done, or None", got=progress)
        self._progress, self._latest = progress, -1.0

    def part(self, start: float, end: float) -> Progress:
        """A function for a part's own share from 0 to 1."""

        def report(share: float) -> None:
            done = start + (end - start) * min(share, 1.0)
            if self._progress is not None and (done >= self._latest + 0.005 or done == 1.0 > self._latest):
                self._progress(done)
                self._latest = done

        return report


class FileJob(ABC):
    """The columns of files that are one table, read as cells and checked."""

    def __init__(
        self, parts: list[Table], columns: Sequence[ReadColumn], settings: FileSettings, promised: Sequence[Any]
    ) -> None:
        self._settings, self._columns = settings, promised
        readers = [readers_of(parts, column, settings) for column in columns]
        self._readers = [each[0] for each in readers]
        times = [each for each in self._readers if isinstance(each, Times) and each.column.kind == "time"]
        if not times:
            for name in ("zone", "time_format", "unit"):
                if (value := getattr(settings, name)) is not None:
                    raise InvalidArgument(name, f"goes with {named('time')}, which is not given", got=value)
        elif settings.unit is not None:
            name = f"the column {times[0].column.name!r}"
            clock_units.refuse_none(name, settings.unit, any(reader.has_numbers for reader in times))
        self._parts = [(part, own) for part, *own in zip(parts, *readers, strict=True)]
        types = [*(reader.dtype for reader in self._readers), *("u4" for _ in settings.kept)]
        self._dtype = np.dtype([(str(i), kind) for i, kind in enumerate(types)])
        self._chosen: Integers | None = None
        self._whose: Any = None
        self._count = 0
        self.drew = False

    @property
    def count(self) -> int:
        """Rows that are to be released."""
        return self._count if self._chosen is None else len(self._chosen)

    def check(self, lines: int, report: Progress) -> None:
        """Read all rows, and choose those of each person."""
        checked, most = self._checked(lines, report), self._settings.rows_per_person
        if most is None:
            for _ in checked:
                pass
        else:
            self._chosen, self._whose = chosen_rows(checked, most)
        readers = [reader for _, readers in self._parts for reader in readers]
        Places.check_inside(readers)
        if not getattr(self._settings, "public_list", False):
            Items.check_list(readers)

    def check_unchanged(self, same: bool = True) -> None:
        for table, _ in self._parts:
            table.check_unchanged(same)

    def _blocks(self) -> Iterator[tuple[Table, int, list[Integers], list[Array]]]:
        """Of each block its file, its first row there, its cells, and what is kept and whose."""
        for table, readers in self._parts:
            kept = [table.sql(table.column("keep", name)) for name in self._settings.kept]
            more = [f"coalesce(CAST({column} AS VARCHAR), '')" for column in kept]
            more += [] if self._settings.user is None else [_hash(table, table.column("user", self._settings.user))]
            first = 1
            for block in table.blocks([text for reader in readers for text in reader.expressions] + more):
                values = iter(block)
                cells = [each.cells(list(islice(values, len(each.expressions))), first) for each in readers]
                yield table, first, cells, list(values)
                first += len(block[0])
            if first == 1:
                raise table.refused("has no rows", "leave it out" if table.called else "")

    def _checked(self, lines: int, report: Progress) -> Iterator[Any]:
        """All rows, checked: for each block whose they are, if there is a column for that."""
        # what is kept is read only to find out, before anything is drawn, whether it can be read
        for table, first, cells, more in self._blocks():
            if self._settings.user is not None and not more[-1].all():
                rule = f"row {first + int(np.argmin(more[-1]))} of {table.shown(self._settings.user)} has no value"
                raise InvalidArgument(rule, hint="leave the row out")
            yield None if self._settings.user is None else more[-1]
            self._count += len(cells[0])
            report(self._count / max(lines, 1))

    @abstractmethod
    def write(self, hidden: HiddenFile, suffix: str, report: Progress) -> None:
        """Draw, and write what was drawn."""

    def _rows(self, texts: list[dict[str, int]]) -> Iterator[Any]:
        """The rows that are to be released, as cells and numbers of texts. They are not private."""
        start = 0
        for table, _, cells, more in self._blocks():
            count = len(cells[0])
            here: Any = slice(None)
            if self._chosen is not None:
                ends = np.searchsorted(self._chosen, [start, start + count])
                here = self._chosen[ends[0] : ends[1]] - start
                table.check_unchanged(np.array_equal(more.pop()[here], self._whose[ends[0] : ends[1]]))
            start += count
            rows = np.empty(count if self._chosen is None else len(here), dtype=self._dtype)
            for i, values in enumerate(cells):
                rows[str(i)] = values[here]
            for j, values in enumerate(more):
                codes = texts[j]
                rows[str(len(cells) + j)] = [codes.setdefault(text, len(codes)) for text in values[here]]
            yield rows


def _hash(table: Table, column: int) -> str:
    """A number of 64 bits for whose a row is, in SQL; 0 where there is none."""
    user, kind = table.sql(column), table.types[column]
    text = f"trim(coalesce(CAST({user} AS VARCHAR), ''))"  # spaces around a text make no other person
    none = f"{text} = ''"
    if kind.startswith(("VARCHAR", "ENUM")):
        user = text
    elif kind in ("FLOAT", "DOUBLE"):  # a text 'nan' is a person
        none += f" OR isnan({user})"
    return f"CASE WHEN {none} THEN 0::UBIGINT ELSE greatest(hash({user}), 1::UBIGINT) END"
