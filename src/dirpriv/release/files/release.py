"""The release of a file: checked to its end, written into the ledger, and only then drawn."""

from __future__ import annotations

import contextlib
import dataclasses
import errno
import functools
import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import numpy as np

from dirpriv._inputs import clock_units
from dirpriv._inputs.errors import ExistingFile, InvalidArgument, MissingFile, Note, named
from dirpriv._lib.types import Array, Integers
from dirpriv.release.files import shuffle
from dirpriv.release.files.arguments import FileRequest, inputs
from dirpriv.release.files.output import HiddenFile, Rows, appearing_together, remove_partial_files
from dirpriv.release.files.rows_per_person import chosen_rows
from dirpriv.release.files.tables import STANDARD_STREAM, Table, duckdb, suffix_of
from dirpriv.release.files.values import Places, Times, times_of
from dirpriv.release.guarantee.columns import FileColumn, TimeColumn
from dirpriv.release.guarantee.file import SUFFIX, FileGuarantee
from dirpriv.release.ledger.account import AccountEntry
from dirpriv.release.ledger.ledger import Ledger
from dirpriv.release.requests import NO_PLACE, Missing, OutsideOfFile

Progress = Callable[[float], object]
_MOST_FILES = 500  # that are open at once, of the 1024 of a process


def file(
    input: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    output: str | os.PathLike[str],
    *,
    time: str | list[str] | tuple[str, ...] | None = None,
    heading: str | list[str] | tuple[str, ...] | None = None,
    latitude: str | None = None,
    longitude: str | None = None,
    level: float,
    radius: Any,
    cells: int = 1440,
    period: Any = "24h",
    zone: str | None = None,
    region_centre: tuple[float, float] | None = None,
    region_reach: float | str | None = None,
    cell_size: float | str | None = None,
    separator: str = ",",
    time_format: str | None = None,
    unit: str | None = None,
    missing: Missing = "stop",
    outside: OutsideOfFile = "ask",
    keep: str | list[str] | tuple[str, ...] = (),
    keep_order: bool = False,
    user: str | None = None,
    max_rows_per_person: int = 1,
    delta: float | None = None,
    shuffled: tuple[int, float] | None = None,
    rerelease: bool = False,
    dataset: str | None = None,
    other_people: bool = False,
    budget: float | tuple[float, float] | None = None,
    max_releases: tuple[int, float] | None = None,
    guarantee: str | os.PathLike[str] | None = None,
    tell: Callable[[str], object] | None = None,
    progress: Progress | None = None,
) -> FileGuarantee:
    """Release columns of times or places of a file into a new file, and return its guarantee.

    The new file has the released columns only: of times the middle of the cell that was drawn, as the
    time of day (or of the week) without a date; of places the centre of the cell. Draws and the order of the
    rows come from the operating system. The file and its guarantee, ``<output>.guarantee.json``, can be read
    by their owner only, appear together when they are complete, and never replace a file.

    Before anything is drawn, the input is checked to its end, and the release is written into a ledger in the
    user's configuration folder: ``dirpriv/ledger.json`` in ``$XDG_CONFIG_HOME``, else in ``~/.config``
    (in ``%APPDATA%`` on Windows). It holds hashes with a key, no path and no name. A run that is cut off
    after that counts as a release. A second release of a column of the same contents is refused unless
    ``rerelease`` is given, and its level is then added. The ledger does not know releases by other users, on
    other machines, from before it was lost, or of a file that was edited, extended or (Parquet) rewritten.

    Parameters
    ----------
    input : str, path or a sequence of these
        A file ``.csv``, ``.csv.gz`` (UTF-8, names of the columns in the first line) or ``.parquet``; or
        several of these, which are released as one table. All files need the columns that are used, with the
        same types. The ledger records each file. A text with ``*``, ``?`` or ``[`` that is no file is a
        pattern. ``"-"`` is standard input, up to 256 MB and on Linux only.
    output : str or path
        The new file, of any of these formats; the separator of a CSV is a comma. ``"-"`` is standard output,
        which gets a CSV after all random draws.
    time : str or list of str, optional, keyword-only
        Columns of timestamps, times of day, numbers with their ``unit``, or texts of one kind: ``"08:15"``,
        ``"08:15:30"``, ``"2012-04-03T18:00:09"``, with Z or an offset, or numbers.
    heading : str or list of str, optional, keyword-only
        Columns of headings, numbers of degrees from 0 to 360. They have the radius of the times, as
        ``"45deg"``, and the same number of cells.
    latitude, longitude : str, optional, keyword-only
        Columns of degrees.
    level : float, keyword-only
        Level ℓ of indistinguishability of each column within the radius. Levels of columns add up.
    radius : str, timedelta, or a list of two, keyword-only
        The radius: of times ``"3h"``, ``"45deg"`` or a timedelta, of places ``"200m"``. For both in one call
        give two, ``["3h", "200m"]``. The guarantee has it as it is written here.
    cells, period : int, {"24h", "7d"}, keyword-only
        Cells of the day or of the week, for times; each a whole number of seconds wide.
    zone : str, optional, keyword-only
        The time zone in whose local time times with a zone are released, as ``"Europe/Berlin"``. The radius
        is then of times on the local clock, as of :func:`dirpriv.release.times`. Timestamps of Parquet that
        may be in UTC, such as INT96, need it; ``"UTC"`` leaves them as they are.
    region_centre, region_reach, cell_size : keyword-only
        The public map of the places, as for :class:`dirpriv.release.PlaneRelease`: not from the data.
    separator : str, keyword-only
        Between the fields of a CSV input: one character, or ``"tab"``.
    time_format : str, optional, keyword-only
        How times are written, with the codes of ``strptime``, as ``"%d.%m.%Y %H:%M"``. ``%Z`` reads UTC, GMT
        and names such as Europe/Berlin. A format with Z, UTC, GMT or +0000 in it is of times in UTC.
    unit : {"h", "hourbin", "min", "s", "day", "deg", "epoch", "epoch_ms"}, optional, keyword-only
        What numbers of ``time`` count, as for :func:`dirpriv.release.times`; none is guessed. ``"epoch"`` and
        ``"epoch_ms"`` are seconds and milliseconds since 1970 in UTC, and need ``zone``.
    missing, outside : {"stop", "keep"}, {"ask", "clamp", "stop", "keep"}, keyword-only
        As for :func:`dirpriv.release.times` and :func:`dirpriv.release.places`. ``"ask"`` moves places to the
        border, too, but two or more places that are all beyond the reach are an error, before anything is
        drawn or counted: the map may be wrong. ``"clamp"`` confirms it. The check looks at the values. A
        release with ``"ask"`` reveals that not all places are beyond the reach, and its guarantee says so.
    keep : str or list of str, keyword-only
        Columns to copy as texts, character for character: *not protected*, they may show whose row it is. A
        text such as ``=1+1`` is a formula to a spreadsheet that opens the output. Each different text is kept
        in memory.
    keep_order : bool, keyword-only
        Keep the order of the rows. It is then *not protected*: in a file sorted by time it gives the times
        away.
    user : str, optional, keyword-only
        Column that says whose a row is (spaces around a text do not count); it is not in the output. The
        guarantee is then for all rows of a person: ``max_rows_per_person`` are drawn, others left out.
    max_rows_per_person : int, keyword-only
        K, which is declared and not counted from the data. Who has fewer rows gives all.
    delta : float, optional, keyword-only
        δ of the level of all rows of a person, by :func:`dirpriv.guarantees.composed_level`; by default 0,
        where the level is K ℓ.
    shuffled : (int, float), optional, keyword-only
        A number N of reports of honest people, and δ. The guarantee then states a second level, of the file
        as a whole, because the random order hides the person of each report; see
        :func:`dirpriv.guarantees.shuffled_level`. For one column of times or headings, without ``keep``,
        ``keep_order`` and missing values that pass. With fewer than N rows, the release is refused before
        anything is drawn or counted. The refusal reveals only that there are fewer rows. The number of rows
        is not protected. Declare N before you look at the data.
    rerelease : bool, keyword-only
        Release what the ledger says was released before.
    dataset : str, optional, keyword-only
        Name of the people whose releases add up. A column of a name that was released before, of another
        file, needs it or ``other_people``. A new name is a new account.
    other_people : bool, keyword-only
        Nobody of this file is in an earlier release.
    budget, max_releases : float or (float, float), (int, float), optional, keyword-only
        With the first release of a dataset. A budget is the largest sum of levels, or a level and its δ that
        a Rényi filter keeps. A plan is a number of equal releases and the δ of their level together.
    guarantee : str or path, optional, keyword-only
        With standard output: the new file ``.json`` of the guarantee, which appears before the rows.
    tell : callable, optional, keyword-only
        Is called with what the dataset's releases add up to, before this one is drawn and counted.
    progress : callable, optional, keyword-only
        Is called with the share that is done, from 0 to 1.

    Raises
    ------
    FileNotFoundError
        If the input or the folder of the output is not there.
    FileExistsError
        If the output or its guarantee is there.
    ValueError
        If an argument or the input is not as above. The message names the row (the first one below the names
        is row 1) and the rule, never a value. Nothing was drawn, unless a note of this error, or of any other
        such as KeyboardInterrupt, says that it counts as a release.

    Notes
    -----
    Not protected are the number of rows, who is in the file, and, with ``user``, that a person has fewer than
    K rows. Memory is needed for a byte of each row, 64 of each drawn row with ``user``, and about 128 MB of
    released rows; of more rows the input is read several times. A CSV with quotes is read by one thread with
    up to 512 MB, as its fields may hold ends of lines. A gzip of several members, or with other fields than a
    name in its header, is packed again in memory.

    Examples
    --------
    >>> import os, tempfile
    >>> from pathlib import Path
    >>> from dirpriv import release
    >>> from dirpriv.release import read_released
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     os.environ["XDG_CONFIG_HOME"] = f"{folder}/of/user"  # for the ledger, which you leave where it is
    ...     true, private = Path(folder, "arrivals.csv"), Path(folder, "private.csv")
    ...     _ = true.write_text("id,arrival\\n1,08:15\\n2,09:00\\n3,07:30\\n")
    ...     guarantee = release.file(true, private, time="arrival", level=1.0, radius="3h")
    ...     (released,) = read_released(private)
    ...     del os.environ["XDG_CONFIG_HOME"]
    >>> guarantee.level, released.counts.shape, int(released.counts.sum())
    (1.0, (1440,), 3)
    """
    arguments = locals()
    request = FileRequest(**{field.name: arguments[field.name] for field in dataclasses.fields(FileRequest)})
    columns = request.columns()
    claim = AccountEntry(rerelease, user, dataset, other_people, budget, max_releases)
    return released(request, claim, columns, request.guaranteed(columns), FileJob, tell, progress)


def released(
    request: FileRequest, claim: Any, columns: Any, promised: Any, job_of: Any, tell: Any, progress: Any
) -> Any:
    """Release what is asked for in files, by the job that reads the columns and writes what it draws."""
    sources = inputs(request.input)
    rows = Rows(columns, request.kept)
    stream, suffix, new = _check_output(request, sources, rows.names)
    parts = _opened(request, sources, columns)
    report = _Report(progress)
    folders = {part.path.parent for part in parts if part.path.is_absolute()}  # standard input has none
    ledger = Ledger(*folders, new[0].parent)
    contents, lines = _contents(parts, ledger, report)
    job = job_of(parts, columns, request)
    earlier, account, total = ledger.earlier(contents, promised, claim)
    promised = promised._after(earlier, account)
    job.check(promised.max_rows_per_person, lines, report.part(0.1, 0.45))
    job.check_unchanged()
    if promised.shuffled is not None and job.count < promised.shuffled[0]:
        rule = "must be at most the number of released rows, which is smaller"
        hint = "ask more people, or declare fewer reports before you look at the data"
        raise InvalidArgument("shuffled", rule, got=promised.shuffled[0], hint=hint)
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
                ledger.record(contents, promised, claim)
                job.write(rows, [*hidden, *waiting][1], suffix, report.part(0.45, 1.0))
                job.check_unchanged()
            for each in waiting:
                each.file.seek(0)
                shutil.copyfileobj(each.file, stream, 1 << 20)
                stream.flush()
        report.part(0.0, 1.0)(1.0)
        return promised
    except BaseException as error:
        failure = _system_error(error, request.output)
        if ledger.recorded:
            complete = all(file.appeared for file in hidden)
            failure.add_note(_what_became(os.fspath(request.output), complete, job.drew))
    raise failure


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


def _opened(request: FileRequest, sources: list[Any], columns: tuple[FileColumn, ...]) -> list[Table]:
    """The files, whose columns have the same types, before all of them is read."""
    asked: list[tuple[str, str]] = []
    for column in columns:
        arguments = (column.kind,) if isinstance(column, TimeColumn) else ("latitude", "longitude")
        asked += zip(arguments, column.names, strict=True)
    asked += [("keep", name) for name in request.kept]
    asked += [] if request.user is None else [("user", request.user)]
    if len(sources) > _MOST_FILES:
        rule = f"must be at most {_MOST_FILES} files"
        raise InvalidArgument("input", rule, got=len(sources), hint="join some of them")
    if sources.count(STANDARD_STREAM) > 1:
        raise InvalidArgument("input", "contains standard input twice", hint="give '-' once")
    parts: list[Table] = []
    types: dict[str, str] = {}
    for source in sources:
        path = source if source == STANDARD_STREAM else Path.cwd() / source
        parts.append(table := Table("input", path, request.separator))
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


def _check_output(request: FileRequest, sources: list[Any], names: list[str]) -> tuple[Any, str, list[Path]]:
    """The stream of standard output or None, the format, and the files that will appear, the output last."""
    here, stream, argument = Path.cwd(), None, "output"  # ".." stays: behind a link it is another folder
    if request.output == STANDARD_STREAM:
        stream, argument, suffix = getattr(sys.stdout, "buffer", None), "guarantee", ".csv"
        if stream is None:
            raise InvalidArgument("output", "is standard output, which takes no bytes here: give a file")
        if request.guarantee is None or not os.fspath(request.guarantee).endswith(".json"):
            hint = f"give {named('guarantee', 'private.csv.guarantee.json')}, a new file .json"
            raise InvalidArgument("standard output needs a file for the guarantee", hint=hint)
        new = [here / request.guarantee]
    else:
        target = here / request.output
        suffix, new = suffix_of("output", target), [target.with_name(target.name + SUFFIX), target]
        if request.guarantee is not None:
            raise InvalidArgument("guarantee", "goes with standard output, '-', only")
        if os.path.realpath(target) in map(os.path.realpath, sources):
            raise InvalidArgument("output", f"must differ from {named('input')}; got {str(target)!r} for both")
    if not new[-1].parent.is_dir():
        hint = f"{str(new[-1].parent)!r}; create it first"
        raise MissingFile(f"the folder of {named(argument)} does not exist", hint=hint)
    for path in reversed(new):
        try:
            path.lstat()
        except FileNotFoundError:
            continue
        except OSError as error:
            rule, hint = f"{str(path)!r} cannot be written ({error.strerror})", "such as a shorter one"
            raise InvalidArgument(rule, hint=f"give another {named(argument)}, {hint}") from None
        rule = f"{str(path)!r} exists, and dirpriv never overwrites a file"
        raise ExistingFile(rule, hint=f"give another {named(argument)}, or move it")
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


class FileJob:
    """The columns of files that are one table, their checks and their draws."""

    def __init__(self, parts: list[Table], columns: tuple[FileColumn, ...], request: FileRequest) -> None:
        self._keep_order = request.keep_order
        readers: list[list[Times] | list[Places]] = []
        for column in columns:
            if isinstance(column, TimeColumn):
                options = request.zone, request.time_format, request.unit, request.missing
                readers.append(times_of(parts, column, *options))
            else:
                readers.append([Places(part, column, missing=request.missing) for part in parts])
        self._readers = [each[0] for each in readers]
        times = [each for each in self._readers if isinstance(each, Times) and each.column.kind == "time"]
        if not times:
            for name in ("zone", "time_format", "unit"):
                if (value := getattr(request, name)) is not None:
                    raise InvalidArgument(name, f"goes with {named('time')}, which is not given", got=value)
        elif request.unit is not None:
            name = f"the column {times[0].column.name!r}"
            clock_units.refuse_none(name, request.unit, any(reader.has_numbers for reader in times))
        self._parts = [(part, own) for part, *own in zip(parts, *readers, strict=True)]
        self._kept, self._user = request.kept, request.user
        types = [*(reader.dtype for reader in self._readers), *("u4" for _ in request.kept)]
        self._dtype = np.dtype([(str(i), kind) for i, kind in enumerate(types)])
        self._chosen: Integers | None = None
        self._whose: Any = None
        self._count = 0
        self.drew = False

    @property
    def count(self) -> int:
        """Rows that are to be released."""
        return self._count if self._chosen is None else len(self._chosen)

    def check(self, max_rows_per_person: int | None, lines: int, report: Progress) -> None:
        """Read all rows, and choose those of each person."""
        checked = self._checked(lines, report)
        if max_rows_per_person is None:
            for _ in checked:
                pass
        else:
            self._chosen, self._whose = chosen_rows(checked, max_rows_per_person)
        Places.check_inside([reader for _, readers in self._parts for reader in readers])

    def check_unchanged(self, same: bool = True) -> None:
        for table, _ in self._parts:
            table.check_unchanged(same)

    def _blocks(self) -> Iterator[tuple[Table, int, list[Integers], list[Array]]]:
        """Of each block its file, its first row there, its cells, and what is kept and whose."""
        for table, readers in self._parts:
            kept = [table.sql(table.column("keep", name)) for name in self._kept]
            more = [f"coalesce(CAST({column} AS VARCHAR), '')" for column in kept]
            more += [] if self._user is None else [_hash(table, table.column("user", self._user))]
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
            if self._user is not None and not more[-1].all():
                rule = f"row {first + int(np.argmin(more[-1]))} of {table.shown(self._user)} has no value"
                raise InvalidArgument(rule, hint="leave the row out")
            yield None if self._user is None else more[-1]
            self._count += len(cells[0])
            report(self._count / max(lines, 1))

    def write(self, rows: Rows, hidden: HiddenFile, suffix: str, report: Progress) -> None:
        rows.write(self._released(rows.texts, report), hidden, suffix)

    def _released(self, texts: list[dict[str, int]], report: Progress) -> Iterator[Any]:
        """Blocks of released rows, each row drawn once."""
        done, read = 0, functools.partial(self._rows, texts)
        if self._keep_order:
            blocks = map(self._draw, read())
        else:
            blocks = shuffle.shuffled(read, self._draw, self.count, self._dtype)
        for block in filter(len, blocks):
            yield block
            done += len(block)
            report(done / self.count)
        self.check_unchanged(done == self.count)

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

    def _draw(self, rows: Any) -> Any:
        """Released rows for rows: noise for each value that is there, from the operating system."""
        self.drew = True
        for i, reader in enumerate(self._readers):
            field = rows[str(i)]
            if isinstance(reader, Times):
                there = field < reader.column.cells
                field[there] = reader.column.release()._released(field[there].astype(np.intp))
            else:
                there = field[:, 0] != NO_PLACE
                east, north = reader.column.release().randomise_cells(*field[there].T.astype(np.intp))
                field[there] = np.stack([east, north], axis=1)
        return rows


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
