"""The release of a file: checked to its end, written into the ledger, and only then drawn."""

import dataclasses
import errno
import functools
import os
from collections.abc import Callable, Iterator
from itertools import combinations, islice
from pathlib import Path
from typing import Any

import numpy as np

from dirpriv._inputs import counts
from dirpriv._inputs.errors import ExistingFile, InvalidArgument, MissingFile, Note, named
from dirpriv._lib.types import Array, Integers
from dirpriv.release import order, persons, tables
from dirpriv.release.account import Claim
from dirpriv.release.arguments import FileRequest
from dirpriv.release.document import SUFFIX, Column, FileGuarantee, TimeColumn
from dirpriv.release.ledger import Ledger
from dirpriv.release.output import HiddenFile, Rows, appearing_together, remove_partial_files
from dirpriv.release.requests import Missing, Outside
from dirpriv.release.values import NO_PLACE, Places, Times, times_of

Progress = Callable[[float], object]


def file(
    input: str | os.PathLike[str],
    output: str | os.PathLike[str],
    *,
    time: str | list[str] | tuple[str, ...] | None = None,
    heading: str | list[str] | tuple[str, ...] | None = None,
    latitude: str | None = None,
    longitude: str | None = None,
    level: float,
    within: Any,
    cells: int = 1440,
    period: Any = "24h",
    zone: str | None = None,
    origin: tuple[float, float] | None = None,
    reach: float | str | None = None,
    step: float | str | None = None,
    separator: str = ",",
    time_format: str | None = None,
    unit: str | None = None,
    missing: Missing = "stop",
    outside: Outside = "border",
    keep: str | list[str] | tuple[str, ...] = (),
    keep_order: bool = False,
    user: str | None = None,
    rows_per_person: int = 1,
    delta: float | None = None,
    again: bool = False,
    dataset: str | None = None,
    other_people: bool = False,
    budget: float | tuple[float, float] | None = None,
    planned: tuple[int, float] | None = None,
    tell: Callable[[str], object] | None = None,
    progress: Progress | None = None,
) -> FileGuarantee:
    """Release columns of times or places of a file into a new file, and return its guarantee.

    The new file has the released columns only: of times the cell that was drawn, as the time of day (or of
    the week) at which it begins, without a date; of places the centre of the cell. Draws and the order of the
    rows come from the operating system. The file and its guarantee, ``<output>.guarantee.json``, can be read
    by their owner only, appear together when they are complete, and never replace a file.

    Before anything is drawn, the input is checked to its end, and the release is written into a ledger in the
    user's configuration folder: ``dirpriv/ledger.json`` in ``$XDG_CONFIG_HOME``, else in ``~/.config``
    (in ``%APPDATA%`` on Windows). It holds hashes with a key, no path and no name. A run that is cut off
    after that counts as a release. A second release of a column of the same contents is refused unless
    ``again`` is given, and its level is then added. The ledger does not know releases by other users, on
    other machines, from before it was lost, or of a file that was edited, extended or (Parquet) rewritten.

    Parameters
    ----------
    input : str or path
        A file ``.csv``, ``.csv.gz`` (UTF-8, names of the columns in the first line) or ``.parquet``.
    output : str or path
        The new file, of any of these formats; the separator of a CSV is a comma.
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
    within : str, timedelta, or a list of two, keyword-only
        The radius: of times ``"3h"``, ``"45deg"`` or a timedelta, of places ``"200m"``. For both in one call
        give two, ``["3h", "200m"]``. The guarantee has it as it is written here.
    cells, period : int, {"24h", "7d"}, keyword-only
        Cells of the day or of the week, for times; each a whole number of seconds wide.
    zone : str, optional, keyword-only
        The time zone in whose local time times with a zone are released, as ``"Europe/Berlin"``. The radius
        is then of times on the local clock, as of :func:`dirpriv.release.times`.
    origin, reach, step : keyword-only
        The public map of the places, as for :class:`dirpriv.release.PlaneRelease`: not from the data.
    separator : str, keyword-only
        Between the fields of a CSV input: one character, or ``"tab"``.
    time_format : str, optional, keyword-only
        How times are written, with the codes of ``strptime``, as ``"%d.%m.%Y %H:%M"``.
    unit : {"h", "hourbin", "min", "s", "day", "deg", "epoch", "epoch_ms"}, optional, keyword-only
        What numbers of ``time`` count, as for :func:`dirpriv.release.times`; none is guessed. ``"epoch"`` and
        ``"epoch_ms"`` are seconds and milliseconds since 1970 in UTC, and need ``zone``.
    missing : {"stop", "pass"}, keyword-only
        Whether a row without a value stops the release, or stays without a value: then everybody sees which
        rows those are.
    outside : {"border", "stop", "pass"}, keyword-only
        Whether a place beyond the reach is moved to the border, stops the release, or becomes a row without a
        value: then everybody sees which rows those are. To publish after ``"stop"`` tells that nobody was
        outside.
    keep : str or list of str, keyword-only
        Columns to copy as texts, character for character: *not protected*, they may show whose row it is. A
        text such as ``=1+1`` is a formula to a spreadsheet that opens the output. Each different text is kept
        in memory.
    keep_order : bool, keyword-only
        Keep the order of the rows. It is then *not protected*: in a file sorted by time it gives the times
        away.
    user : str, optional, keyword-only
        Column that says whose a row is (spaces around a text do not count); it is not in the output. The
        guarantee is then for all rows of a person: ``rows_per_person`` are drawn, others left out.
    rows_per_person : int, keyword-only
        K, which is declared and not counted from the data. Who has fewer rows gives all.
    delta : float, optional, keyword-only
        δ of the level of all rows of a person, by :func:`dirpriv.guarantees.composed_level`; by default 0,
        where the level is K ℓ.
    again : bool, keyword-only
        Release what the ledger says was released before.
    dataset : str, optional, keyword-only
        Name of the people whose releases add up. A column of a name that was released before, of another
        file, needs it or ``other_people``. A new name is a new account.
    other_people : bool, keyword-only
        Nobody of this file is in an earlier release.
    budget, planned : float or (float, float), (int, float), optional, keyword-only
        With the first release of a dataset. A budget is the largest sum of levels, or a level and its δ that
        a Rényi filter keeps. A plan is a number of equal releases and the δ of their level together.
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
    ...     guarantee = release.file(true, private, time="arrival", level=1.0, within="3h")
    ...     (released,) = read_released(private)
    ...     del os.environ["XDG_CONFIG_HOME"]
    >>> guarantee.level, released.counts.shape, int(released.counts.sum())
    (1.0, (1440,), 3)
    """
    given = locals()
    request = FileRequest(**{field.name: given[field.name] for field in dataclasses.fields(FileRequest)})
    columns, kept = request.columns(), request.kept
    claim = Claim(again, user, dataset, other_people, budget, planned)
    guarantee = request.guarantee(columns)
    here = Path.cwd()  # ".." stays as it is: behind a link it is another folder than the text says
    source, target = here / input, here / output
    rows = Rows(columns, kept)
    suffix = _check_output(source, target, rows.names)
    used = [name for column in columns for name in column.names] + kept + ([] if user is None else [user])
    table = tables.Table("input", source, separator, used)
    _check_named(table, columns, kept, user)
    report = _Report(progress)
    ledger = Ledger(source.parent, target.parent)
    content = ledger.content()
    lines = table.feed(content, report.part(0.0, 0.1))
    digest = content.hexdigest()
    job = _Job(table, columns, request)
    earlier, account, told = ledger.earlier(digest, guarantee, claim)
    guarantee = guarantee._after(earlier, account)
    job.check(guarantee.rows_per_person, lines, report.part(0.1, 0.45))
    table.check_unchanged()
    if tell is not None and told:
        tell(told)
    remove_partial_files(target.parent)
    beside = target.with_name(target.name + SUFFIX)
    hidden: list[HiddenFile] = []
    try:
        with appearing_together(beside, target) as hidden:
            hidden[0].file.write((guarantee.dumps() + "\n").encode())
            ledger.record(digest, guarantee, claim)
            rows.write(job.released(rows.texts, keep_order, report.part(0.45, 1.0)), hidden[1], suffix)
            table.check_unchanged()
        report.part(0.0, 1.0)(1.0)
        return guarantee
    except BaseException as error:
        failure = _of_system(error, input if getattr(error, "filename", "") == str(source) else output)
        if ledger.recorded:
            complete = all(file.appeared for file in hidden)
            failure.add_note(_what_became(os.fspath(output), complete, job.drew))
    raise failure


def _of_system(error: BaseException, path: str | os.PathLike[str]) -> BaseException:
    """A failure of the system in its words, with the path that was given; any other error as it is."""
    code = getattr(error, "errno", None)
    if isinstance(error, tables.duckdb().IOException):  # its message may show a value
        codes = [code for code in errno.errorcode if os.strerror(code) in str(error)]
        code = codes[0] if codes else errno.EIO
    elif not isinstance(error, OSError) or code is None:
        return error
    return OSError(code, os.strerror(code), os.fspath(path)).with_traceback(error.__traceback__)


def _what_became(output: str, complete: bool, drew: bool) -> Note:
    """The note about a run that ended early after it was written into the ledger."""
    if complete:
        return Note(f"{output!r} is complete, and counts as a release")
    if drew:
        return Note("no file was written, but noise was drawn: this counts as a release")
    return Note(
        "no file was written and no noise was drawn, but the ledger contains this run: it counts as a release"
    )


def _check_named(table: tables.Table, columns: tuple[Column, ...], kept: list[str], user: str | None) -> None:
    """Refuse names that the table does not have, before all of it is read."""
    for column in columns:
        arguments = (column.kind,) if isinstance(column, TimeColumn) else ("latitude", "longitude")
        for argument, name in zip(arguments, column.names, strict=True):
            table.column(argument, name)
    for name in kept:
        table.column("keep", name)
    if user is not None:
        table.column("user", user)


def _check_output(source: Path, target: Path, names: list[str]) -> str:
    """The format of the output, which is in a folder that is there, and is not there itself."""
    suffix = tables.suffix_of("output", target)
    if os.path.realpath(source) == os.path.realpath(target):
        rule = f"must differ from {named('input')}; got {str(target)!r} for both"
        raise InvalidArgument("output", rule)
    if not target.parent.is_dir():
        remedy = f"{str(target.parent)!r}; create it first"
        raise MissingFile(f"the folder of {named('output')} does not exist", remedy=remedy)
    for path in (target, target.with_name(target.name + SUFFIX)):
        try:
            path.lstat()
        except FileNotFoundError:
            continue
        except OSError as error:
            raise InvalidArgument(
                f"{str(path)!r} cannot be written ({error.strerror})",
                remedy=f"give another {named('output')}, such as a shorter one",
            ) from None
        raise ExistingFile(
            f"{str(path)!r} exists, and dirpriv never overwrites a file",
            remedy=f"give another {named('output')}, or move it",
        )
    for one, other in combinations(names, 2) if suffix == ".parquet" else ():
        if one.casefold() == other.casefold():
            raise InvalidArgument(
                f"{one!r} and {other!r} differ only in upper and lower case, which a .parquet does not allow",
                remedy=f"give an {named('output')} .csv, or rename one",
            )
    return suffix


class _Report:
    """Progress of the parts of a release."""

    def __init__(self, progress: Progress | None) -> None:
        if progress is not None and not callable(progress):
            rule = "must be a function of the share that is done, or None"
            raise InvalidArgument("progress", rule, got=progress)
        self._progress, self._latest = progress, -1.0

    def part(self, start: float, end: float) -> Progress:
        """A function for a part's own share from 0 to 1."""

        def report(share: float) -> None:
            done = start + (end - start) * min(share, 1.0)
            if self._progress is not None and (done >= self._latest + 0.005 or done == 1.0 > self._latest):
                self._progress(done)
                self._latest = done

        return report


class _Job:
    """The columns of one table, their checks and their draws."""

    def __init__(self, table: tables.Table, columns: tuple[Column, ...], request: FileRequest) -> None:
        self._table = table
        readers: list[Times | Places] = []
        for column in columns:
            if isinstance(column, TimeColumn):
                given = request.zone, request.time_format, request.unit, request.missing
                readers.append(times_of(table, column, *given))
            else:
                readers.append(Places(table, column, missing=request.missing))
        times = [reader for reader in readers if isinstance(reader, Times) and reader.column.kind == "time"]
        if not times:
            for name in ("zone", "time_format", "unit"):
                if (value := getattr(request, name)) is not None:
                    raise InvalidArgument(name, f"goes with {named('time')}, which is not given", got=value)
        elif request.unit is not None:
            name = f"the column {times[0].column.name!r}"
            counts.refuse_none(name, request.unit, any(reader.has_numbers for reader in times))
        self._readers = readers
        self._expressions = [text for reader in readers for text in reader.expressions]
        kept = [table.sql(table.column("keep", name)) for name in request.kept]
        self._kept = [f"coalesce(CAST({column} AS VARCHAR), '')" for column in kept]
        user = request.user
        self._user = [] if user is None else [_hash(table, table.column("user", user))]
        self._user_name = repr(user)
        types = [*(reader.dtype for reader in readers), *("u4" for _ in self._kept)]
        self._dtype = np.dtype([(str(i), kind) for i, kind in enumerate(types)])
        self._chosen: Integers | None = None
        self._whose: Any = None
        self._count = 0
        self.drew = False

    def check(self, rows_per_person: int | None, lines: int, report: Progress) -> None:
        """Read all rows, and choose those of each person."""
        if rows_per_person is None:
            for _ in self._checked([], lines, report):
                pass
        else:
            self._chosen, self._whose = persons.chosen_rows(self._persons(lines, report), rows_per_person)
        if self._count == 0:
            raise self._table.refused("has no rows")

    def _persons(self, lines: int, report: Progress) -> Iterator[Any]:
        for first, (whose,) in self._checked(self._user, lines, report):
            if not whose.all():
                row = first + int(np.argmin(whose))
                rule = f"row {row} of {self._user_name} has no value"
                raise InvalidArgument(rule, remedy="leave the row out")
            yield whose

    def _checked(self, more: list[str], lines: int, report: Progress) -> Iterator[tuple[int, list[Array]]]:
        """All rows, checked: for each block the number of its first row, and more columns."""
        self._count, width = 0, len(self._expressions)
        # what is kept is read only to find out, before anything is drawn, whether it can be read
        for block in self._table.blocks(self._expressions + more + self._kept):
            self._cells(block, self._count + 1)
            yield self._count + 1, block[width : width + len(more)]
            self._count += len(block[0])
            report(self._count / max(lines, 1))

    def _cells(self, block: list[Array], first: int) -> list[Integers]:
        values = iter(block)
        return [
            reader.cells(list(islice(values, len(reader.expressions))), first) for reader in self._readers
        ]

    def released(self, texts: list[dict[str, int]], keep_order: bool, report: Progress) -> Iterator[Any]:
        """Blocks of released rows, each row drawn once."""
        count = self._count if self._chosen is None else len(self._chosen)
        done, read = 0, functools.partial(self._rows, texts)
        if keep_order:
            blocks = map(self._draw, read())
        else:
            blocks = order.shuffled(read, self._draw, count, self._dtype)
        for block in filter(len, blocks):
            yield block
            done += len(block)
            report(done / count)
        self._table.check_unchanged(done == count)

    def _rows(self, texts: list[dict[str, int]]) -> Iterator[Any]:
        """The rows that are to be released, as cells and numbers of texts. They are not private."""
        start = 0
        for block in self._table.blocks(self._expressions + self._kept + self._user):
            count = len(block[0])
            here: Any = slice(None)
            if self._chosen is not None:
                ends = np.searchsorted(self._chosen, [start, start + count])
                here = self._chosen[ends[0] : ends[1]] - start
                whose = block.pop()[here]
                self._table.check_unchanged(np.array_equal(whose, self._whose[ends[0] : ends[1]]))
            cells = self._cells(block, start + 1)
            start += count
            rows = np.empty(count if self._chosen is None else len(here), dtype=self._dtype)
            for i, values in enumerate(cells):
                rows[str(i)] = values[here]
            for j, values in enumerate(block[len(self._expressions) :]):
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


def _hash(table: tables.Table, column: int) -> str:
    """A number of 64 bits for whose a row is, in SQL; 0 where there is none."""
    user, kind = table.sql(column), table.types[column]
    text = f"trim(coalesce(CAST({user} AS VARCHAR), ''))"  # spaces around a text make no other person
    none = f"{text} = ''"
    if kind.startswith(("VARCHAR", "ENUM")):
        user = text
    elif kind in ("FLOAT", "DOUBLE"):  # a text 'nan' is a person
        none += f" OR isnan({user})"
    return f"CASE WHEN {none} THEN 0::UBIGINT ELSE greatest(hash({user}), 1::UBIGINT) END"
