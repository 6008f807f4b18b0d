"""Spreadsheets: each cell is what the spreadsheet holds, or a failure; a sheet is never guessed."""

import datetime
import io
import re
import shlex
import sys
import zipfile

import databases
import openpyxl
import pytest
from command_runs import run
from for_all import for_all
from hypothesis import strategies as st
from leaks import NAME, leaked, texts_of
from tables_of_releases import new_holder

from dirpriv.tables import Table, sheet_rows

MOMENT = datetime.datetime(2024, 3, 5, 8, 15, 30)
MIDNIGHT = datetime.datetime(2024, 3, 5)
STAMP, DATE, TIME, SPAN = "yyyy-mm-dd hh:mm:ss", '[$-F800]d/m/yyyy" h"', "[$-409]h:mm AM/PM;@", "[h]:mm:ss"
NAMES = ["id", "arrival"]

holder = pytest.fixture(new_holder)


@pytest.fixture
def folder(holder, monkeypatch):
    monkeypatch.chdir(holder.input)
    return holder.input


def xlsx(*sheets, epoch=None, hidden=(), merged=""):
    """A workbook of sheets of rows; a cell is a value, or a value and its format."""
    book = openpyxl.Workbook()
    book.epoch = epoch or book.epoch
    book.remove(book.active)
    for number, rows in enumerate(sheets):
        sheet = book.create_sheet(f"{NAME}{number}")
        sheet.sheet_state = "hidden" if number in hidden else "visible"
        for row, cells in enumerate(rows, 1):
            for column, cell in enumerate(cells, 1):
                value, code = cell if isinstance(cell, tuple) else (cell, None)
                written = sheet.cell(row, column, value)
                written.number_format = code or written.number_format
        if merged:
            sheet.merge_cells(merged)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def changed(data, old, new):
    """A workbook whose first sheet has another text."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as before, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as after:
        for name in before.namelist():
            text = before.read(name)
            if name.endswith("sheet1.xml"):
                assert old in text
                text = text.replace(old, new)
            after.writestr(name, text)
    return file.getvalue()


def read(path, **how):
    """The names and the rows of a file; what is missing is empty."""
    table = Table("input", path, **how)
    table.feed()
    blocks = table.blocks([f"coalesce({table.sql(i)}, '')" for i in range(len(table.names))])
    return [table.names, *(list(row) for block in blocks for row in zip(*block, strict=True))]


def column(*cells):
    """A workbook of one column, and what is read of it."""
    shown, right = zip(*cells, strict=True)
    return xlsx([["a"], *([each] for each in shown)]), [["a"], *([each] for each in right)]


BOOK = xlsx([["a", "b"], [1, "x"]], [["a", "b"], [2, "y"]], [[]])
READ = {
    "numbers": (
        *column(
            (1, "1"),
            (12345678901234, "12345678901234"),
            (0.01, "0.01"),
            (0.1 + 0.2, "0.3"),
            (-2.5, "-2.5"),
            (1e20, "100000000000000000000"),
            (True, "true"),
            (False, "false"),
            ("1 & <é>_x000D_", "1 & <é>\r"),
            (None, ""),
            ((None, STAMP), ""),
            ("z", "z"),
        ),
        {},
    ),
    "dates": (
        *column(
            ((MOMENT, STAMP), "2024-03-05 08:15:30"),
            ((MIDNIGHT, STAMP), "2024-03-05 00:00:00"),
            ((MIDNIGHT, DATE), "2024-03-05"),
            ((MOMENT, DATE), "2024-03-05 08:15:30"),
            ((10**7, STAMP), "error #VALUE!"),
            ((-1.5, STAMP), "error: a number that is no date"),
            ((59.5, STAMP), "error: a number that is no date"),
        ),
        {},
    ),
    "times": (
        *column(
            ((0.34375, TIME), "08:15:00"),
            ((1.25, SPAN), "30:00:00"),
            ((0.25, SPAN), "06:00:00"),
            ((-0.25, SPAN), "-1 day, 18:00:00"),
        ),
        {},
    ),
    "since 1904": (
        xlsx([["a"], [(MOMENT, STAMP)]], epoch=datetime.datetime(1904, 1, 1)),
        [["a"], ["2024-03-05 08:15:30"]],
        {},
    ),
    "before 1904": (
        xlsx([["a"], [(-1.5, STAMP)]], epoch=datetime.datetime(1904, 1, 1)),
        [["a"], ["error: a number that is no date"]],
        {},
    ),
    "errors": (*column(("#N/A", "error #N/A"), ("=1/0", "error: a formula without its value"), ("N/A", "N/A")), {}),
    "titles, and a table beside the edge": (
        xlsx([["Rides"], [], [None, None, *NAMES], [None, None, None, 1], [], [None, None, 7], []], merged="A1:B1"),
        [NAMES, ["", "1"], ["", ""], ["7", ""]],
        {},
    ),
    "a name that is missing": (xlsx([["a", None, "b"], [1, 2, 3]]), [["a", "", "b"], ["1", "2", "3"]], {}),
    "one column": (xlsx([["a"], [None], ["b"]]), [["a"], [""], ["b"]], {}),
    "merged rows": (xlsx([NAMES, [1, 2], [3, 4]], merged="A2:A3"), [NAMES, ["1", "2"], ["", "4"]], {}),
    "a size that is wrong": (
        changed(xlsx([NAMES, [1, 2]]), b'<dimension ref="A1:B2"', b'<dimension ref="A1:A1"'),
        [NAMES, ["1", "2"]],
        {},
    ),
    "the second sheet": (BOOK, [["a", "b"], ["2", "y"]], {"sheet": 2}),
    "a hidden sheet": (xlsx([["list"]], [["a", "b"], [1, 2]], hidden=[0]), [["a", "b"], ["1", "2"]], {}),
    "names that are given": (
        xlsx([["x", "y"], ["z"], [None, 2], [3, None]]),
        [NAMES, ["", "2"], ["3", ""]],
        {"names": NAMES, "skip": 2},
    ),
    "lines to skip": (xlsx([["x", "y", "z"], NAMES, [1, 2]]), [NAMES, ["1", "2"]], {"skip": 1}),
}


@pytest.mark.parametrize(("data", "right", "how"), READ.values(), ids=READ)
def test_a_spreadsheet_is_read_right(data, right, how, tmp_path):
    path = tmp_path / "a.xlsx"
    path.write_bytes(data)
    assert read(path, **how) == right


def test_rows_come_in_order_from_all_batches(monkeypatch):
    monkeypatch.setattr(sheet_rows, "_BATCH", 3)
    rows = sheet_rows.sheet_rows(io.BytesIO(xlsx([["a"], *([i] for i in range(10))])), AssertionError, [], 0, None, "")
    assert [*rows] == [["a"], *([str(i)] for i in range(10))]


MOMENTS = st.datetimes(datetime.datetime(1910, 1, 1), datetime.datetime(2300, 1, 1))


@for_all(
    10,
    1000,
    moment=MOMENTS.map(lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000)),
    in_1904=st.booleans(),
    days=st.integers(0, 40),
)
def test_every_moment_is_read_to_the_millisecond(moment, in_1904, days):
    """In both systems of dates; a time is a fraction of a day, and a span may be longer than a day."""
    fraction = f".{moment.microsecond // 1000:03}" if moment.microsecond else ""
    span = datetime.timedelta(days, hours=moment.hour, minutes=moment.minute, seconds=moment.second)
    span += datetime.timedelta(microseconds=moment.microsecond)
    epoch = datetime.datetime(1904, 1, 1) if in_1904 else None
    data = xlsx([["a", "b", "c"], [(moment, STAMP), (moment.time(), TIME), (span, SPAN)]], epoch=epoch)
    clock = f"{moment:%H:%M:%S}{fraction}"
    right = [f"{moment:%Y-%m-%d} {clock}", clock, f"{days * 24 + moment.hour:02}{moment:%H:%M:%S}{fraction}"]
    right[2] = f"{days * 24 + moment.hour:02}{clock[2:]}"
    rows = sheet_rows.sheet_rows(io.BytesIO(data), AssertionError, [], 0, None, "")
    assert [[re.sub("000$", "", text) if "." in text else text for text in row] for row in rows][1] == right


def damaged(data):
    """A file of which a byte in the middle is another."""
    data = bytearray(data)
    data[len(data) // 3] ^= 255
    return bytes(data)


SECRET = f"{NAME} 13:37:09"
ONE = xlsx([["a"], [SECRET], [5]])
REFUSED = {
    "several sheets": (BOOK, {}, "has 2 sheets with values: choose one .* --sheet 1"),
    "a sheet that is none": (BOOK, {"sheet": 4}, "has no values in a sheet 4"),
    "an empty sheet": (BOOK, {"sheet": 3}, "has no values in a sheet 3"),
    "no values": (xlsx([[]]), {}, "has no values"),
    "nothing below": (xlsx([NAMES]), {"skip": 1}, "has no values below line 1"),
    "a value without a name": (xlsx([NAMES, [1, 2, SECRET]]), {}, "has a value in row 2 in a column without a name"),
    "too few names": (xlsx([[SECRET, "x"]] * 2), {"names": ["a"]}, "must be as many as there are columns, 2"),
    "no number": (changed(ONE, b"<v>5</v>", f"<v>{SECRET}</v>".encode()), {}, "is no spreadsheet, or is damaged"),
    "no XML": (changed(ONE, b"<worksheet", SECRET.encode()), {}, "is no spreadsheet, or is damaged"),
    "a damaged zip": (damaged(xlsx([["a"], *([f"{SECRET}{i}"] for i in range(100))])), {}, "or is damaged"),
    "a cut zip": (BOOK[:-40], {}, "or is damaged"),
    "a password": (bytes.fromhex("d0cf11e0a1b11ae1") + SECRET.encode(), {}, "encrypted"),
    "a bomb": (xlsx([["a"], [SECRET * 2000]]), {}, "has more than 0 MB when it is unpacked"),
}


@pytest.mark.parametrize(("data", "how", "says"), REFUSED.values(), ids=REFUSED)
def test_a_spreadsheet_is_refused_without_a_value(data, how, says, tmp_path, monkeypatch, logged, capfd):
    monkeypatch.setattr(sheet_rows, "_MOST_UNPACKED", 40_000)
    path = tmp_path / "a.xlsx"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=says) as raised:
        read(path, **how)
    texts = [shown.replace(str(tmp_path), "") for shown in texts_of(raised.value)]
    assert leaked(*texts, logged.getvalue(), *capfd.readouterr()) == []


def test_without_openpyxl_the_message_says_so(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (tmp_path / "a.xlsx").write_bytes(BOOK)
    with pytest.raises(ValueError, match=re.escape('needs openpyxl: pip install "dirpriv[tables]"')):
        read(tmp_path / "a.xlsx")


def test_names_lines_and_sheets_are_of_formats_that_have_them(tmp_path):
    """Names of a spreadsheet are as those of a text; JSON and tracks have their own."""
    path = tmp_path / "a.json"
    path.write_text('[{"a": 1}, {"a": 2}]')
    for how in ({"names": ["b"]}, {"skip": 1}):
        with pytest.raises(ValueError, match="has names in its records: leave out 'names' and 'skip'"):
            read(path, **how)
    with pytest.raises(ValueError, match="has no sheets: leave out 'sheet'"):
        read(path, sheet=1)
    assert read(path) == [["a"], ["1"], ["2"]]


def values(path):
    with databases.connection() as connection:
        return connection.execute(f"SELECT CAST(COLUMNS(*) AS VARCHAR) FROM '{path}'").fetchall()


def test_a_sheet_is_chosen_by_the_command_of_the_message(folder):
    """By both commands; the names of sheets are not shown."""
    stamped = [(MOMENT, STAMP), 1], [(MIDNIGHT, STAMP), 2]
    (folder / "a (1).xlsx").write_bytes(xlsx([["arrival", "id"], *stamped], [["b"], ["c"]]))
    release = ["--time", "arrival", "--level", "20000", "--within", "3h", "--keep-order"]
    for words in (["release", "a (1).xlsx", "o.csv", *release], ["prepare", "a (1).xlsx", "p.parquet"]):
        ran = run(*words)
        assert ran.status == 2 and leaked(ran.err) == []
        (folder / "a (1).xlsx.prepared.parquet").unlink(missing_ok=True)
        words = shlex.split(re.search("dirpriv prepare .*", ran.err)[0])
        assert run(*words[1:]).status == 0
        assert values(words[3]) == [("2024-03-05 08:15:30", "1"), ("2024-03-05 00:00:00", "2")]
    assert run("release", words[3], "o.csv", *release).status == 0
    assert (folder / "o.csv").read_text().split()[1:] == ["08:15:30", "00:00:30"]


def test_a_cell_with_an_error_is_a_failure_and_no_missing_value(folder):
    (folder / "a.xlsx").write_bytes(xlsx([NAMES, [1, "08:15"], [2, "#N/A"], [3, None]]))
    ran = run("release", "a.xlsx", "o.csv", *"--time arrival --level 1 --within 3h --missing keep".split())
    assert ran.status == 2 and "row 2 of 'arrival' is not a time" in ran.err
    ran = run("prepare", "a.xlsx", "p.parquet", "--as", "arrival=clock")
    assert ran.status == 2 and "row 2 of 'arrival' is not a time" in ran.err
    ran = run("prepare", "a.xlsx", "p.parquet", "--no-value", "arrival=error #N/A")
    assert ran.status == 0 and values("p.parquet") == [("1", "08:15:00"), ("2", None), ("3", None)]


def test_other_spreadsheets_are_converted_first(tmp_path):
    for name in ("a.xls", "a.xlsb", "a.ods"):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(ValueError, match="convert it first, by: soffice --headless --convert-to xlsx"):
            Table("input", tmp_path / name)
