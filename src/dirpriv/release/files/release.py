"""``release.file``: the rows of a file, each with its own noise, or a central result of them."""

import functools
import os
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Unpack

import numpy as np

from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv.release.files import shuffle
from dirpriv.release.files.atomic_output import HiddenFile, Rows
from dirpriv.release.files.central import central_file
from dirpriv.release.files.release_steps import FileJob, Progress, released
from dirpriv.release.files.settings_to_columns import promised_columns
from dirpriv.release.guarantee.columns import FileColumn, PlaceColumns, VisitColumns, separate
from dirpriv.release.guarantee.file import FileGuarantee, disclosures
from dirpriv.release.release_arguments import NO_PLACE
from dirpriv.release.settings import CentralFileSettings, LocalFileKeywords, LocalFileSettings, settings_by_name

FilePath = str | os.PathLike[str]


def file(
    input: FilePath | Sequence[FilePath],
    output: FilePath,
    settings: LocalFileSettings | CentralFileSettings | None = None,
    *,
    tell: Callable[[str], object] | None = None,
    progress: Progress | None = None,
    **keywords: Unpack[LocalFileKeywords],
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
        A file ``.csv`` or ``.parquet``, or of another format of :class:`dirpriv.tables.Table`; or several
        of these, which are released as one table. All files need the columns that are used, with the
        same types. The ledger records each file. A text with ``*``, ``?`` or ``[`` that is no file is a
        pattern. ``"-"`` is standard input, up to 256 MB and on Linux only.
    output : str or path
        The new file ``.csv``, ``.csv.gz`` or ``.parquet``; the separator of a CSV is a comma. ``"-"`` is
        standard output, which gets a CSV after all random draws.
    settings : LocalFileSettings or CentralFileSettings, optional
        What is released and how. Of a central release the output is a .csv, which has results and no rows.
    tell : callable, optional, keyword-only
        Is called with what the dataset's releases add up to, before this one is drawn and counted.
    progress : callable, optional, keyword-only
        Is called with the share that is done, from 0 to 1.
    **keywords : Any
        In place of ``settings``, the fields of :class:`LocalFileSettings`: {keywords}.

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
    if settings is None:
        settings = LocalFileSettings(**keywords)
    elif keywords or not isinstance(settings, LocalFileSettings | CentralFileSettings):
        rule = "must be LocalFileSettings or CentralFileSettings, or their fields as keywords, and not both"
        raise InvalidArgument("settings", rule, got=settings)
    if isinstance(settings, CentralFileSettings):
        return central_file(input, output, settings, tell, progress)
    columns = promised_columns(settings)
    cells = [column.read for column in separate(columns)]
    return released(input, output, settings, cells, _promise(settings, columns), LocalJob, tell, progress)


if file.__doc__ is not None:  # python -OO
    names = textwrap.fill(", ".join(settings_by_name(LocalFileSettings)), 100)
    file.__doc__ = file.__doc__.replace("{keywords}", textwrap.indent(names, " " * 8).lstrip())


def _promise(settings: LocalFileSettings, columns: tuple[FileColumn, ...]) -> FileGuarantee:
    """What is guaranteed, before the ledger is asked."""
    protected = {name for column in columns for name in column.names} | {settings.user}
    for name in settings.kept:
        if not isinstance(name, str) or name in protected or settings.kept.count(name) > 1:
            rule = f"must name other columns than the released ones and {named('user')}, each once"
            raise InvalidArgument("keep", rule, got=name)
    unprotected = ["order of the rows"] if settings.keep_order else []
    unprotected += [f"column {name!r}" for name in settings.kept]
    unprotected += disclosures(settings.missing, columns)
    rows, delta = settings.rows_per_person, settings.delta or 0.0
    more: Any = {"shuffled": settings.shuffled, "together": settings.together}
    return FileGuarantee(columns, settings.missing, tuple(unprotected), rows, delta, **more)


class LocalJob(FileJob):
    """Rows of files, each of which is drawn once, with noise of its own."""

    _settings: LocalFileSettings

    def write(self, hidden: HiddenFile, suffix: str, report: Progress) -> None:
        rows = Rows(separate(self._columns), self._settings.kept)
        rows.write(self._released(rows.texts, report), hidden, suffix)

    def _released(self, texts: list[dict[str, int]], report: Progress) -> Iterator[Any]:
        """Blocks of released rows, each row drawn once."""
        done, read = 0, functools.partial(self._rows, texts)
        if self._settings.keep_order:
            blocks = map(self._draw, read())
        else:
            blocks = shuffle.shuffled(read, self._draw, self.count, self._dtype)
        for block in filter(len, blocks):
            yield block
            done += len(block)
            report(done / self.count)
        self.check_unchanged(done == self.count)

    def _draw(self, rows: Any) -> Any:
        """Released rows for rows: noise for each value that is there, from the operating system."""
        self.drew = True
        for i, column in enumerate(self._columns):
            field = rows[str(i)]
            if isinstance(column, VisitColumns):  # a file has no other column beside
                places = rows["1"]
                there = (field < column.time.cells) & (places[:, 0] != NO_PLACE)
                time, *place = column.release().randomise_cells(field[there], *places[there].T.astype(np.intp))
                field[there], places[there] = time, np.stack(place, axis=1)
                field[~there], places[~there] = column.time.cells, NO_PLACE
            elif not isinstance(column, PlaceColumns):
                there = field < column.cells
                field[there] = column.release()._released(field[there].astype(np.intp))
            else:
                there = field[:, 0] != NO_PLACE
                east, north = column.release().randomise_cells(*field[there].T.astype(np.intp))
                field[there] = np.stack([east, north], axis=1)
        return rows
