"""Rows of spreadsheets, .xlsx and .ods, as texts: numbers as they are stored, dates and times by their formats.

Packages that read spreadsheets take a cell with an error for an empty one. Here it is a text that no form reads, as
is a formula that nobody has computed.
"""

import datetime
import functools
import itertools
import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree

NumberedRows = Iterator[tuple[int, dict[int, str]]]  # the number of a row, and its texts by their columns, from 1
Sheet = Callable[[list[str]], NumberedRows]  # which adds cells that are merged to a list
_MOST_UNPACKED = 1 << 30  # bytes
_MOST_COLUMNS = 1 << 14
_MOST_TITLES = 30  # rows above the names of the columns
_DAMAGED = zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error, OSError
_DAMAGED += ElementTree.ParseError, LookupError, ValueError, ArithmeticError
_DAY = 86_400_000  # milliseconds
_DIGITS = "0123456789"
_FIRST_DATE, _LAST_DATE = 61, 2_957_003  # before March 1900 are a day that never was, and times
# numbers of formats that a file does not describe
_KINDS = dict.fromkeys([*range(14, 18), *range(27, 32), 36, *range(50, 55), 57, 58], "date") | {22: "stamp", 46: "span"}
_KINDS |= dict.fromkeys([*range(18, 22), *range(32, 36), 45, 47, 55, 56], "time")
_NO_CODES = re.compile(r'"[^"]*"|\\.|[_*].|\[[^\]]*\]|am/pm|a/p', re.IGNORECASE)
_SPAN = re.compile(r"PT(\d+)H(\d+)M(\d+)(?:[.,](\d+))?S")


class _WrongSheet(Exception):
    """What is wrong with a spreadsheet, without its values, and what to do."""


class _Date(str):
    """A date of .ods, which is midnight where other cells of its column have times."""


def sheet_rows(
    suffix: str,
    file: Any,
    refused: Callable[..., Exception],
    names: Sequence[str],
    skip: int,
    sheet: int | None,
    hint: str,
) -> Iterator[Sequence[str]]:
    """The names, unless they are given, and the rows of a sheet: the one of a number, or the only one with values.

    The ``hint`` says how one of several sheets is chosen.
    """
    wrong: Sequence[str] = ()
    try:
        with zipfile.ZipFile(file) as archive:
            if sum(each.file_size for each in archive.infolist()) > _MOST_UNPACKED:
                raise _WrongSheet(f"has more than {_MOST_UNPACKED >> 20} MB when it is unpacked", "save it as .csv")
            sheets = _sheets_of_ods(archive) if suffix.startswith(".ods") else _sheets_of_xlsx(archive)
            filled = [number for number, each in enumerate(sheets, 1) if any(cells for _, cells in each([]))]
            if sheet is None and len(filled) > 1:
                raise _WrongSheet(f"has {len(filled)} sheets with values", hint)
            if sheet not in (None, *filled) or not filled:
                raise _WrongSheet("has no values" if sheet is None else f"has no values in a sheet {sheet}")
            yield from _table(sheets[(sheet or filled[0]) - 1], names, skip)
    except _WrongSheet as error:
        wrong = error.args
    except _DAMAGED:
        wrong = "is no spreadsheet, or is damaged or encrypted", "save it again by the spreadsheet"
    if wrong:  # after the block of the other error, which may hold a text
        raise refused(*wrong)


def _table(sheet: Sheet, names: Sequence[str], skip: int) -> Iterator[Sequence[str]]:
    """The names and the rows below them, with the empty ones between them; titles may be above the names."""
    merged: list[str] = []
    filled = (row for row in sheet(merged) if row[0] > skip and row[1])
    start = list(itertools.islice(filled, _MOST_TITLES))
    above = next((i for i, (_, cells) in enumerate(start) if len(cells) > 1), 0)
    start = start[0 if names else above :]
    if not start:
        raise _WrongSheet(f"has no values below line {skip}")
    number, cells = start[0]
    least, most = min(cells), max(cells)
    if names:
        least = min(min(cells) for _, cells in start)
        most, first = max(most, least + len(names) - 1), number
        number -= 1
    else:
        yield [cells.get(column, "") for column in range(least, most + 1)]
        first = number
        del start[0]
    for row, cells in itertools.chain(start, filled):
        for _ in range(number + 1, row):
            yield [""] * (most + 1 - least)
        if max(cells) > most or min(cells) < least:
            place = _name(max(cells) if max(cells) > most else min(cells))
            raise _WrongSheet(f"has a value in cell {place}{row}, in a column without a name")
        yield [cells.get(column, "") for column in range(least, most + 1)]
        number = row
    for cell in merged:
        if int(cell[len(cell.rstrip(_DIGITS)) :]) >= first:
            rule = f"has merged cells at {cell}, which are not above the names of the columns"
            raise _WrongSheet(rule, "unmerge them in the spreadsheet")


def _name(column: int) -> str:
    """The letters of a column."""
    return (_name((column - 1) // 26) if column > 26 else "") + chr(65 + (column - 1) % 26)


@functools.cache
def _column(letters: str) -> int:
    return functools.reduce(lambda number, letter: number * 26 + ord(letter) - 64, letters, 0)


def _tag(element: ElementTree.Element) -> str:
    return element.tag.rpartition("}")[2]


def _ends(archive: zipfile.ZipFile, part: str, *wanted: str) -> Iterator[tuple[str, ElementTree.Element]]:
    """The elements of some tags in a part of the file, each when it is complete."""
    with archive.open(part) as file:
        if b"<!DOCTYPE" in file.read(4096).replace(b"\0", b""):
            raise _WrongSheet("has a document type, which is not read")
        file.seek(0)
        for _, element in ElementTree.iterparse(file):
            if (tag := _tag(element)) in wanted:
                yield tag, element
                element.clear()


def _sheets_of_xlsx(archive: zipfile.ZipFile) -> list[Sheet]:
    """The sheets that are shown."""
    book = next(part for kind, part in _related(archive, "").values() if kind == "officeDocument")
    parts = _related(archive, book)
    of_kind = {kind: part for kind, part in parts.values()}
    strings, kinds, since = list[str](), list[str](), datetime.date(1899, 12, 30)
    sheets: list[Sheet] = []
    if (part := of_kind.get("sharedStrings", "")) in archive.namelist():
        strings = [_string(element) for _, element in _ends(archive, part, "si")]
    if (part := of_kind.get("styles", "")) in archive.namelist():
        kinds = _styles(archive, part)
    for tag, element in _ends(archive, book, "workbookPr", "sheet"):
        if tag == "sheet":
            kind, part = parts[next(value for key, value in element.items() if key.endswith("}id"))]
            if kind == "worksheet" and element.get("state", "visible") == "visible":
                sheets.append(functools.partial(_rows_of_xlsx, archive, part, strings, kinds, since))
        elif element.get("date1904") in ("1", "true"):
            since = datetime.date(1904, 1, 1)
    return sheets


def _related(archive: zipfile.ZipFile, part: str) -> dict[str, tuple[str, str]]:
    """The kind and the name of each part that a part names."""
    folder, name = posixpath.split(part)
    related = {}
    for _, element in _ends(archive, posixpath.join(folder, "_rels", f"{name}.rels"), "Relationship"):
        target = posixpath.normpath(posixpath.join("/", folder, element.attrib["Target"]))
        related[element.attrib["Id"]] = element.attrib["Type"].rpartition("/")[2], target.lstrip("/")
    return related


def _styles(archive: zipfile.ZipFile, part: str) -> list[str]:
    """What the numbers of each style are."""
    kinds, numbers = _KINDS.copy(), []
    for tag, element in _ends(archive, part, "numFmt", "cellXfs"):
        if tag == "numFmt":
            kinds[int(element.attrib["numFmtId"])] = _kind_of_format(element.attrib["formatCode"])
        else:
            numbers = [int(each.get("numFmtId", 0)) for each in element]
            break  # others are those of conditions
    return [kinds.get(number, "") for number in numbers]


def _kind_of_format(code: str) -> str:
    """Whether a format shows a date, a time, both, a span of hours, or none of these."""
    if re.search(r"\[(h+|m+|s+)\]", code, re.IGNORECASE):
        return "span"
    codes = {*_NO_CODES.sub("", code).partition(";")[0].lower()}
    if not codes & {*"ymdhs"} or codes & {*"0#?@"} - ({"0"} if codes & {*"s"} else set()):
        return ""
    is_date, is_time = codes & {*"yd"} or not codes & {*"hs"}, codes & {*"hs"}
    return "stamp" if is_date and is_time else "date" if is_date else "time"


def _rows_of_xlsx(
    archive: zipfile.ZipFile, part: str, strings: list[str], kinds: list[str], since: datetime.date, merged: list[str]
) -> NumberedRows:
    number = 0
    for tag, element in _ends(archive, part, "row", "mergeCell"):
        if tag == "mergeCell":
            merged.append(element.attrib["ref"])
            continue
        number, column, cells = int(element.get("r", number + 1)), 0, {}
        for cell in element:
            column = _column(cell.attrib["r"].rstrip(_DIGITS)) if "r" in cell.attrib else column + 1
            if text := _text_of_xlsx(cell, strings, kinds, since):
                cells[column] = text
        yield number, cells


def _text_of_xlsx(cell: ElementTree.Element, strings: list[str], kinds: list[str], since: datetime.date) -> str:
    parts = {_tag(part): part for part in cell}
    text, kind = parts["v"].text or "" if "v" in parts else "", cell.get("t", "n")
    if kind == "e":
        return f"error {text}"
    if kind == "inlineStr":
        return _string(parts["is"]) if "is" in parts else ""
    if not text:
        return "error: a formula without its value" if kind == "n" and "f" in parts else ""
    if kind == "s":
        return strings[int(text)]
    if kind == "b":
        return "true" if text == "1" else "false"
    style = int(cell.get("s") or 0)
    return _number(text, kinds[style] if style < len(kinds) else "", since) if kind == "n" else text


def _string(element: ElementTree.Element) -> str:
    """The text of an element with runs, without how it is spoken; characters that XML lacks are codes."""
    texts = (text for part in element if _tag(part) != "rPh" for text in (part, *part) if _tag(text) == "t")
    shown = "".join(text.text or "" for text in texts)
    return re.sub("_x([0-9A-F]{4})_", lambda code: chr(int(code[1], 16)), shown)


def _number(text: str, kind: str, since: datetime.date) -> str:
    value = float(text)
    days, rest = divmod(round(value * _DAY), _DAY)
    is_clock = kind == "span" or (kind == "time" and value < 1)
    if not kind or value < 0 or not (is_clock or _FIRST_DATE <= days <= _LAST_DATE):
        return text if re.fullmatch(r"-?\d+", text) else f"{Decimal(repr(value)):f}".removesuffix(".0")
    if is_clock:
        return _clock(days * _DAY + rest)
    date = str(since + datetime.timedelta(days))
    return date if kind == "date" and not rest else f"{date} {_clock(rest)}"


def _clock(milliseconds: int) -> str:
    seconds, rest = divmod(milliseconds, 1000)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{clock}.{rest:03}" if rest else clock


def _sheets_of_ods(archive: zipfile.ZipFile) -> list[Sheet]:
    count = sum(1 for _ in _ends(archive, "content.xml", "table"))
    return [functools.partial(_rows_of_ods, archive, place) for place in range(count)]


def _rows_of_ods(archive: zipfile.ZipFile, place: int, merged: list[str]) -> NumberedRows:
    cells_of = functools.partial(_cells_of_ods, archive, place)
    with_times = {
        column for _, cells in cells_of([]) for column, text in cells.items() if re.match(r"\d{4}-\d\d-\d\dT", text)
    }
    for number, cells in cells_of(merged):
        is_midnight = {column: isinstance(text, _Date) and column in with_times for column, text in cells.items()}
        yield number, {column: f"{text}T00:00:00" if is_midnight[column] else text for column, text in cells.items()}


def _cells_of_ods(archive: zipfile.ZipFile, place: int, merged: list[str]) -> NumberedRows:
    table = number = 0
    for tag, element in _ends(archive, "content.xml", "table-row", "table"):
        if tag == "table":
            table, number = table + 1, 0
            continue
        column, cells, last = 1, dict[int, str](), number + 1
        for cell in element:
            about = {key.rpartition("}")[2]: value for key, value in cell.items() if "calcext" not in key}
            text, count = _text_of_ods(cell, about), int(about.get("number-columns-repeated", 1))
            if text and column + count > _MOST_COLUMNS:
                raise _WrongSheet(f"has more than {_MOST_COLUMNS} columns")
            cells |= dict.fromkeys(range(column, column + count), text) if text else {}
            below = last + int(about.get("number-rows-spanned", 1)) - 1
            if below > last or int(about.get("number-columns-spanned", 1)) > 1:
                merged += [f"{_name(column)}{last}:{below}"] if table == place else []
            column += count
        for _ in range(int(element.get(element.tag.replace("table-row", "number-rows-repeated"), 1))):
            number += 1
            if cells and table == place:
                yield number, cells


def _text_of_ods(cell: ElementTree.Element, about: dict[str, str]) -> str:
    shown = "\n".join(_paragraph(each) for each in cell if _tag(each) == "p")
    is_error = any(key.endswith("}value-type") and value == "error" for key, value in cell.items())
    if is_error or ("formula" in about and re.fullmatch(r"Err:\d+|#[A-Z0/]+[!?]?", shown)):
        return f"error {shown}"
    kind, value = about.get("value-type"), about.get("date-value", "")
    if kind == "date":
        return value if "T" in value else _Date(value)
    if kind == "time" and (span := _SPAN.fullmatch(about["time-value"])):
        return f"{span[1]}:{span[2]}:{span[3]}" + (f".{span[4]}" if int(span[4] or 0) else "")
    if kind in ("float", "percentage", "currency"):
        return _number(about["value"], "", datetime.date.min)
    return about.get("boolean-value", "") if kind == "boolean" else about.get("string-value", shown)


def _paragraph(element: ElementTree.Element) -> str:
    """The text of a paragraph, whose spaces may be elements."""
    texts = [element.text or ""]
    for part in element:
        spaces = int(next((value for key, value in part.items() if key.endswith("}c")), 1))
        mark = {"s": " " * spaces, "tab": "\t", "line-break": "\n"}.get(_tag(part))
        texts += [_paragraph(part) if mark is None else mark, part.tail or ""]
    return "".join(texts)
