"""Rows of spreadsheets by openpyxl, as texts: numbers as they are stored, dates and times by their formats.

An error is a text that no form reads, as is a formula that nobody has computed: other packages take them for empty
cells. Of merged cells the first has the value.
"""

import datetime
import itertools
import re
import warnings
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

_MOST_UNPACKED = 1 << 30  # bytes
_BATCH = 1000  # rows
_MARCH_1900 = datetime.datetime(1900, 3, 1)  # before are a day that never was, and times
_NO_CODES = re.compile(r'"[^"]*"|\\.|\[[^\]]*\]')  # texts, colours and languages of a format


class _WrongSheet(Exception):
    """What is wrong with a spreadsheet, without its values, and what to do."""


def sheet_rows(
    file: Any, refused: Callable[..., Exception], names: Sequence[str], skip: int, sheet: int | None, hint: str
) -> Iterator[Sequence[str]]:
    """The names, unless they are given, and the rows of a sheet: the one of a number, or the only one with values.

    The ``hint`` says how one of several sheets is chosen.
    """
    wrong: Sequence[str] = ()
    try:
        rows = _texts_of_sheet(file, sheet, hint)
        yield from _table(itertools.islice(rows, skip, None), names, skip)
    except (_WrongSheet, ImportError) as error:
        wrong = error.args
    except Exception:  # of any kind, by a file that is damaged
        wrong = "is no spreadsheet, or is damaged or encrypted", "save it again by the spreadsheet"
    if wrong:  # after the block of the other error, which may hold a text
        raise refused(*wrong)


def _texts_of_sheet(file: Any, sheet: int | None, hint: str) -> Iterator[list[str]]:
    """The texts of each row, of the sheets that are shown."""
    try:
        import openpyxl
    except ImportError:
        raise ImportError("needs openpyxl", 'pip install "dirpriv[tables]"') from None
    with zipfile.ZipFile(file) as archive:
        if sum(each.file_size for each in archive.infolist()) > _MOST_UNPACKED:
            raise _WrongSheet(f"has more than {_MOST_UNPACKED >> 20} MB when it is unpacked", "save it as .csv")
    with warnings.catch_warnings(action="ignore"):  # they quote cells
        books = [openpyxl.load_workbook(file, read_only=True, data_only=values) for values in (True, False)]
    values, formulas = ([each for each in book.worksheets if each.sheet_state == "visible"] for book in books)
    for each in (*values, *formulas):
        each.reset_dimensions()  # which some programs write wrongly
    filled = [i for i, pair in enumerate(zip(values, formulas, strict=True), 1) if any(map(any, _texts(*pair)))]
    if sheet is None and len(filled) > 1:
        raise _WrongSheet(f"has {len(filled)} sheets with values", hint)
    if sheet not in (None, *filled) or not filled:
        raise _WrongSheet("has no values" if sheet is None else f"has no values in a sheet {sheet}")
    chosen = (sheet or filled[0]) - 1
    return _texts(values[chosen], formulas[chosen])


def _texts(values: Any, formulas: Any) -> Iterator[list[str]]:
    first = max(values.parent.epoch, _MARCH_1900)
    rows = zip(values.iter_rows(), formulas.iter_rows(), strict=True)
    while True:
        with warnings.catch_warnings(action="ignore"):
            pairs = (zip(*row, strict=True) for row in itertools.islice(rows, _BATCH))
            batch = [[_text(*cells, first) for cells in row] for row in pairs]
        if not batch:
            return
        yield from batch


def _text(cell: Any, formula: Any, first: datetime.datetime) -> str:
    from openpyxl.utils.escape import unescape

    match cell.value:
        case None:
            return "error: a formula without its value" if formula.data_type == "f" else ""
        case bool(value):
            return str(value).lower()
        case datetime.datetime() as value if value < first:
            return "error: a number that is no date"
        case datetime.datetime() as value:
            is_day = (
                not set("hs") & {*_NO_CODES.sub("", cell.number_format.lower())} and value.time() == datetime.time()
            )
            return str(value.date() if is_day else value)
        case datetime.timedelta(days=days) as value if days >= 0:
            rest = datetime.datetime.min + value
            return f"{days * 24 + rest.hour:02}:{rest:%M:%S}" + (f".{rest.microsecond:06}" if rest.microsecond else "")
        case float(value):
            return f"{Decimal(repr(value)):f}".removesuffix(".0")
        case str(value) if cell.data_type != "e":
            return unescape(value)
        case value:
            return f"error {value}" if cell.data_type == "e" else str(value)


def _table(rows: Iterable[list[str]], names: Sequence[str], skip: int) -> Iterator[Sequence[str]]:
    """The names and the rows below them, with the empty ones between them; titles may be above the names."""
    numbered = itertools.dropwhile(lambda row: not any(row[1]), enumerate(rows, skip + 1))
    start = list(itertools.islice(numbered, 30))  # titles, at most, above the names of the columns
    above = next((i for i, (_, texts) in enumerate(start) if sum(map(bool, texts)) > 1), 0)
    start = start[0 if names else above :]
    if not start:
        raise _WrongSheet(f"has no values below line {skip}")
    places = [[i for i, text in enumerate(texts) if text] for _, texts in start]
    least, most = places[0][0], places[0][-1] + 1
    if names:
        least = min(each[0] for each in places if each)
        most = max(most, least + len(names))
    empty = 0
    for number, texts in itertools.chain(start, numbered):
        if any(texts[:least]) or any(texts[most:]):
            raise _WrongSheet(f"has a value in row {number} in a column without a name")
        row = (texts + [""] * most)[least:most]
        if any(row):
            yield from ([""] * len(row) for _ in range(empty))
            yield row
        empty = 0 if any(row) else empty + 1
