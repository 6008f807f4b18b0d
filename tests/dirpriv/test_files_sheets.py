"""Spreadsheets: each cell is what the spreadsheet holds, or a failure; sheets and merged cells are never guessed."""

import datetime
import io
import re
import shlex
import zipfile
from xml.sax.saxutils import escape, quoteattr

import databases
import pytest
from command_runs import run
from for_all import for_all
from hypothesis import strategies as st
from leaks import NAME, leaked, texts_of
from tables_of_releases import new_holder

from dirpriv.tables import Table, sheet_rows
from dirpriv.tables import table as _table

KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
# by their places, which are the styles of cells
STAMP, DATE, TIME, SPAN, PLAIN = range(1, 6)
FORMATS = ["General", "yyyy-mm-dd hh:mm:ss", "d/m/yyyy", '[$-409]h:mm" dim" AM/PM;@', "[h]:mm:ss"]
FORMATS += ['[Red]#,##0.00\\ _h"days";@']


holder = pytest.fixture(new_holder)


@pytest.fixture(autouse=True)
def shared(monkeypatch):
    monkeypatch.setattr(_table, "connect", databases.connection)


@pytest.fixture
def folder(holder, monkeypatch):
    monkeypatch.chdir(holder.input)
    return holder.input


def cell(value, style=0, kind="", formula=None):
    """A cell of a number, or of what ``kind`` says."""
    parts = "" if formula is None else f"<f>{escape(formula)}</f>"
    parts += "" if value is None else f"<v>{escape(str(value))}</v>"
    return f'<c s="{style}"{f" t={quoteattr(kind)}" if kind else ""}>{parts}</c>'


def of_row(value):
    """A cell as it is, a number, or a text."""
    if isinstance(value, str) and value[:2] != "<c":
        return f'<c t="inlineStr"><is><t>{escape(value)}</t></is></c>'
    return value if isinstance(value, str) else cell(value)


def sheet(*rows, after=""):
    """A sheet of rows, of values or cells; None is a row that is not in the file."""
    shown = [
        f'<row r="{number}">{"".join(map(of_row, row))}</row>' for number, row in enumerate(rows, 1) if row is not None
    ]
    return f'<worksheet xmlns="{MAIN}"><sheetData>{"".join(shown)}</sheetData>{after}</worksheet>'


def zipped(parts):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, text)
    return file.getvalue()


def xlsx(*sheets, strings=(), about="", state="visible"):
    """A workbook, of which the first sheet has a state."""
    numbers = range(len(sheets))
    related = [("worksheet", f"w/{i}.xml", f"i{i}") for i in numbers]
    related += [("styles", "/xl/styles.xml", "styles"), ("sharedStrings", "strings.xml", "strings")]
    links = [f'<Relationship Type="{KINDS}/{kind}" Target="{to}" Id="{name}"/>' for kind, to, name in related]
    named = [f'<sheet name="{NAME}{i}" state="{"visible" if i else state}" r:id="i{i}"/>' for i in numbers]
    codes = [f'<numFmt numFmtId="{164 + i}" formatCode={quoteattr(code)}/>' for i, code in enumerate(FORMATS)]
    styles = [f'<xf numFmtId="{164 + i}"/>' for i in range(len(FORMATS))]
    return zipped(
        {
            "_rels/.rels": f'<R><Relationship Type="{KINDS}/officeDocument" Target="xl/b.xml" Id="b"/></R>',
            "xl/b.xml": f'<workbook xmlns:r="{KINDS}">{about}{"".join(named)}</workbook>',
            "xl/_rels/b.xml.rels": f"<R>{''.join(links)}</R>",
            "xl/styles.xml": f"<s>{''.join(codes)}<xfs><xf/></xfs><cellXfs>{''.join(styles)}</cellXfs></s>",
            "xl/strings.xml": f"<sst>{''.join(f'<si>{text}</si>' for text in strings)}</sst>",
            **{f"xl/w/{i}.xml": text for i, text in enumerate(sheets)},
        }
    )


OFFICE = "urn:oasis:names:tc:opendocument:xmlns:"
CALC = "urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0"
EMPTY = '<t:table-cell t:number-columns-repeated="9000"/>'


def ods(*tables):
    """A document of tables, each of the elements of its rows."""
    spaces = " ".join(
        f'xmlns:{short}="{OFFICE}{name}:1.0"' for short, name in (("o", "office"), ("t", "table"), ("x", "text"))
    )
    shown = "".join(f'<t:table t:name="{NAME}">{"".join(rows)}</t:table>' for rows in tables)
    body = f"<o:body><o:spreadsheet>{shown}</o:spreadsheet></o:body>"
    return zipped({"content.xml": f'<o:document-content {spaces} xmlns:c="{CALC}">{body}</o:document-content>'})


def line(*cells, more=""):
    return f"<t:table-row {more}>{''.join(cells)}{EMPTY}</t:table-row>"


def text(shown, more=""):
    return f'<t:table-cell o:value-type="string" {more}><x:p>{shown}</x:p></t:table-cell>'


def value(kind, of, more=""):
    name = {"date": "date-value", "time": "time-value", "boolean": "boolean-value"}.get(kind, "value")
    return f'<t:table-cell o:value-type="{kind}" o:{name}="{of}" {more}><x:p>shown</x:p></t:table-cell>'


def serial(stamp, since=datetime.datetime(1899, 12, 30)):
    return repr((stamp - since) / datetime.timedelta(days=1))


def read(path, **how):
    """The names and the rows of a file; what is missing is empty."""
    table = Table("input", path, **how)
    table.feed()
    blocks = table.blocks([f"coalesce({table.sql(i)}, '')" for i in range(len(table.names))])
    return [table.names, *(list(row) for block in blocks for row in zip(*block, strict=True))]


def column(*cells):
    """A workbook of one column, and what is read of it."""
    shown, right = zip(*cells, strict=True)
    return xlsx(sheet(["a"], *([each] for each in shown))), [["a"], *([each] for each in right)]


MOMENT = datetime.datetime(2024, 3, 5, 8, 15, 30)
AT = serial(MOMENT)
NAMES = ["id", "arrival"]
RICH = "<r><t>08:</t></r><r><t>15</t></r><rPh><t>x</t></rPh>"
MERGED = '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>'
IN_1904 = serial(MOMENT, datetime.datetime(1904, 1, 1))
BOOK = xlsx(sheet(["a", "b"], [1, "x"]), sheet(["a", "b"], [2, "y"]), sheet())
# of each: the file, its names and rows, and what is chosen
READ = {
    "numbers": (
        *column(
            (1, "1"),
            (12345678901234, "12345678901234"),
            (cell("1E-2", PLAIN), "0.01"),
            (cell("0.29999999999999999"), "0.3"),
            (cell("-2.0"), "-2"),
            (cell("1e20"), "100000000000000000000"),
            (cell(1, kind="b"), "true"),
            (cell("0", kind="b"), "false"),
            (cell("x", kind="str", formula='"x"'), "x"),
            (cell(None, kind="str", formula='""'), ""),
            ("=1+1 & <é>_x000D_", "=1+1 & <é>\r"),
            (cell(7).replace('"0"', '""'), "7"),
        ),
        {},
    ),
    "dates": (
        *column(
            (cell(AT, STAMP), "2024-03-05 08:15:30"),
            (cell("45356.0", STAMP), "2024-03-05 00:00:00"),
            (cell("45356.9999999884", STAMP), "2024-03-05 23:59:59.999"),
            (cell(AT, DATE), "2024-03-05 08:15:30"),
            (cell(45356, DATE), "2024-03-05"),
            (cell(AT), AT),
            (cell(0, STAMP), "0"),
            (cell("-1.5", STAMP), "-1.5"),
            (cell(10**7, STAMP), "10000000"),
            (cell("2024-03-05T08:15:30", STAMP, "d"), "2024-03-05T08:15:30"),
        ),
        {},
    ),
    "times": (
        *column(
            (cell("0.34375", TIME), "08:15:00"),
            (cell("0.999999999999", TIME), "24:00:00"),
            (cell(AT, TIME), "2024-03-05 08:15:30"),
            (cell("1.25", TIME), "1.25"),
            (cell("-0.25", TIME), "-0.25"),
            (cell("1.25", SPAN), "30:00:00"),
            (cell("-0.25", SPAN), "-0.25"),
        ),
        {},
    ),
    "since 1904": (
        xlsx(sheet(["a"], [cell(IN_1904, STAMP)]), about='<workbookPr date1904="1"/>'),
        [["a"], ["2024-03-05 08:15:30"]],
        {},
    ),
    "shared texts": (
        xlsx(sheet(NAMES, [cell(1, kind="s"), cell(0, kind="s")]), strings=[RICH, "<t>é</t>"]),
        [NAMES, ["é", "08:15"]],
        {},
    ),
    "errors": (
        *column(
            (cell("#N/A", kind="e"), "error #N/A"),
            (cell("#DIV/0!", STAMP, "e", "1/0"), "error #DIV/0!"),
            (cell(None, formula="1/0"), "error: a formula without its value"),
            (cell("", STAMP, formula="1/0"), "error: a formula without its value"),
            (cell(None), ""),
            ("#N/A", "#N/A"),
        ),
        {},
    ),
    "prefixes, and no addresses": (
        xlsx(
            re.sub(r"<(/?)(\w)", r"<\1m:\2", sheet(NAMES, [1, "08:15"]))
            .replace("xmlns=", "xmlns:m=")
            .replace("r=", "q=")
        ),
        [NAMES, ["1", "08:15"]],
        {},
    ),
    "titles, and a table beside the edge": (
        xlsx(
            sheet(
                ["Rides"],
                [cell(None)],
                None,
                ['<c r="C4" t="inlineStr"><is><t>id</t></is></c>', "arrival"],
                ['<c r="D5"><v>1</v></c>'],
                None,
                ['<c r="C7"><v>7</v></c>'],
                [cell(None)],
                after=MERGED,
            )
        ),
        [NAMES, ["", "1"], ["", ""], ["7", ""]],
        {},
    ),
    "a name that is missing": (xlsx(sheet(["a", cell(None), "b"], [1, 2, 3])), [["a", "", "b"], ["1", "2", "3"]], {}),
    "one column": (xlsx(sheet(["a"], [cell(None)], ["b"])), [["a"], [""], ["b"]], {}),
    "the second sheet": (BOOK, [["a", "b"], ["2", "y"]], {"sheet": 2}),
    "a hidden sheet": (xlsx(sheet(["list"]), sheet(["a", "b"], [1, 2]), state="hidden"), [["a", "b"], ["1", "2"]], {}),
    "names that are given": (
        xlsx(sheet(["x", "y"], ["z"], [cell(None), 2], [3, cell(None)])),
        [NAMES, ["", "2"], ["3", ""]],
        {"names": NAMES, "skip": 2},
    ),
    "lines to skip": (xlsx(sheet(["x", "y", "z"], NAMES, [1, 2], after=MERGED)), [NAMES, ["1", "2"]], {"skip": 1}),
}
DAY = "2024-03-05"
OF_ODS = {
    "a document": (
        ods(
            [
                line(text("Rides", 't:number-columns-spanned="2"')),
                line(text("id"), text("arrival"), text("span"), text("day")),
                line(value("float", "1"), value("date", DAY), value("time", "PT25H10M00S"), value("date", DAY)),
                line(more='t:number-rows-repeated="2"'),
                line(value("boolean", "true"), value("date", f"{DAY}T08:15:30"), value("time", "PT08H15M00.5S")),
                line(text('a<x:s x:c="2"/>b<x:tab/>c<x:s/><x:span>d</x:span>e'), more='t:number-rows-repeated="2"'),
                line(more='t:number-rows-repeated="1048000"'),
            ]
        ),
        [
            ["id", "arrival", "span", "day"],
            ["1", f"{DAY}T00:00:00", "25:10:00", DAY],
            [""] * 4,
            [""] * 4,
            ["true", f"{DAY}T08:15:30", "08:15:00.5", ""],
            ["a  b\tc de", "", "", ""],
            ["a  b\tc de", "", "", ""],
        ],
        {},
    ),
    "errors of a document": (
        ods(
            [
                line(text("a")),
                line(text("#DIV/0!", 'c:value-type="error" t:formula="of:=1/0" o:string-value=""')),
                line(value("float", "0", 't:formula="of:=1/0"').replace("shown", "Err:502")),
                line(text("#N/A")),
                line(
                    text("shown", 'o:string-value="s"').replace("<x", "<o:annotation><x:p>n</x:p></o:annotation><x", 1)
                ),
            ]
        ),
        [["a"], ["error #DIV/0!"], ["error Err:502"], ["#N/A"], ["s"]],
        {},
    ),
    "the second of a document": (
        ods([line(text("a"))], [line(text("b")), line(text("c"))]),
        [["b"], ["c"]],
        {"sheet": 2},
    ),
}


@pytest.mark.parametrize(("data", "right", "how"), [*READ.values(), *OF_ODS.values()], ids=[*READ, *OF_ODS])
def test_a_spreadsheet_is_read_right(data, right, how, tmp_path):
    path = tmp_path / ("a.xlsx" if b"xl/b.xml" in data else "a.ods")
    path.write_bytes(data)
    assert read(path, **how) == right


MOMENTS = st.datetimes(datetime.datetime(1910, 1, 1), datetime.datetime(2300, 1, 1))


@for_all(
    30,
    2000,
    moment=MOMENTS.map(lambda at: at.replace(microsecond=at.microsecond // 1000 * 1000)),
    is_midnight=st.booleans(),
    in_1904=st.booleans(),
    kind=st.sampled_from([STAMP, DATE, TIME, SPAN]),
)
def test_every_moment_is_read_to_the_millisecond(moment, is_midnight, in_1904, kind):
    """In both systems of dates; a time is a fraction of a day, and a span may be longer than a day."""
    since = datetime.datetime(1904, 1, 1) if in_1904 else datetime.datetime(1899, 12, 30)
    midnight = datetime.datetime.combine(moment.date(), datetime.time())
    moment = midnight if is_midnight else moment
    span = moment - midnight + datetime.timedelta(moment.day * (kind == SPAN))
    hours = moment.day * 24 * (kind == SPAN) + moment.hour
    clock = f"{hours:02}{moment:%M:%S}".replace(f"{hours:02}", f"{hours:02}:", 1)
    clock += f".{moment.microsecond // 1000:03}" if moment.microsecond else ""
    right = {STAMP: f"{moment:%Y-%m-%d} {clock}", DATE: f"{moment:%Y-%m-%d} {clock}"}.get(kind, clock)
    if kind == DATE and is_midnight:
        right = f"{moment:%Y-%m-%d}"
    number = serial(moment, since) if kind in (STAMP, DATE) else repr(span / datetime.timedelta(1))
    data = xlsx(sheet(["a"], [cell(number, kind)]), about=f'<workbookPr date1904="{in_1904:d}"/>')
    assert [*sheet_rows.sheet_rows(".xlsx", io.BytesIO(data), AssertionError, [], 0, None, "")] == [["a"], [right]]


CODES = {
    "date": 'yyyy-mm-dd|d/m/yy|mmm|[$-F800]dddd, mmmm dd, yyyy|m|[$-411]ggge"年"m"月"d"日";@',
    "time": "hh:mm|mm:ss.0|h:mm AM/PM|[$-409]h:mm:ss A/P;@|s.000",
    "stamp": "d.m.yyyy h:mm|yyyy\\-mm\\-dd\\Thh:mm:ss.000|[Black]m/d/yy h:mm",
    "span": "[h]:mm|[HH]:mm:ss|[mm]:ss|[s]",
    "": 'General|0.00|@|#,##0.00\\ "days"|0.0\\h|_-* #,##0\\ _d_-|[Red]0%|0.00E+00|# ?/?|[$kr-41D] #,##0|"h:mm"|[>9]0',
}


@pytest.mark.parametrize(("code", "kind"), [(code, kind) for kind, codes in CODES.items() for code in codes.split("|")])
def test_a_format_says_what_its_numbers_are(code, kind):
    assert sheet_rows._kind_of_format(code) == kind


def damaged(data):
    """A file of which a byte in the middle is another."""
    data = bytearray(data)
    data[len(data) // 3] ^= 255
    return bytes(data)


SECRET = f"{NAME} 13:37:09"
ROW = [SECRET, "x"]
ENTITY = f'<!DOCTYPE s [<!ENTITY x "{SECRET}">]>'
REFUSED = {
    "several sheets": (BOOK, {}, "has 2 sheets with values: choose one .* --sheet 1"),
    "a sheet that is none": (BOOK, {"sheet": 4}, "has no values in a sheet 4"),
    "an empty sheet": (BOOK, {"sheet": 3}, "has no values in a sheet 3"),
    "no values": (xlsx(sheet()), {}, "has no values"),
    "nothing below": (xlsx(sheet(NAMES)), {"skip": 1}, "has no values below line 1"),
    "a value without a name": (xlsx(sheet(NAMES, [1, 2, SECRET])), {}, "has a value in cell C2, in a column without"),
    "too few names": (xlsx(sheet(ROW, ROW)), {"names": ["a"]}, "must be as many as there are columns, 2"),
    "merged rows": (
        xlsx(sheet(NAMES, ROW, ROW, after=MERGED.replace("A1:B1", "A2:A3"))),
        {},
        "has merged cells at A2:A3, which are not above",
    ),
    "merged names": (xlsx(sheet(ROW, NAMES, after=MERGED)), {}, "has merged cells at A1:B1"),
    "merged rows of a document": (
        ods([line(text("a"), text("b")), line(text("c"), text(SECRET, 't:number-rows-spanned="2"'))]),
        {},
        "has merged cells at B2:3",
    ),
    "many columns": (ods([line(text(SECRET, 't:number-columns-repeated="99999"'))]), {}, "has more than 16384 columns"),
    "a document type": (xlsx(sheet(["a"], [SECRET]).replace("<w", f"{ENTITY}<w", 1)), {}, "has a document type"),
    "UTF-16": (
        xlsx(sheet(["a"], ["&x;"]).replace("&amp;", "&").replace("<w", f"{ENTITY}<w", 1).encode("utf-16")),
        {},
        "has a document type",
    ),
    "no text of that number": (xlsx(sheet(["a"], [cell(9, kind="s")])), {}, "is no spreadsheet, or is damaged"),
    "no number": (xlsx(sheet(["a"], [cell(SECRET, kind="n")])), {}, "is no spreadsheet, or is damaged"),
    "no XML": (xlsx(SECRET), {}, "is no spreadsheet, or is damaged"),
    "cut XML": (xlsx(sheet(["a"], [SECRET])[:-20]), {}, "is no spreadsheet, or is damaged"),
    "a damaged zip": (damaged(xlsx(sheet(["a"], *([f"{SECRET}{i}"] for i in range(500))))), {}, "or is damaged"),
    "a cut zip": (BOOK[:-40], {}, "or is damaged"),
    "another zip": (zipped({"a.csv": SECRET}), {}, "is no spreadsheet, or is damaged"),
    "a password": (bytes.fromhex("d0cf11e0a1b11ae1") + SECRET.encode(), {}, "encrypted"),
    "a bomb": (xlsx(sheet(["a"], [SECRET * 9000])), {}, "has more than 0 MB when it is unpacked"),
}


@pytest.mark.parametrize(("data", "how", "says"), REFUSED.values(), ids=REFUSED)
def test_a_spreadsheet_is_refused_without_a_value(data, how, says, tmp_path, monkeypatch, caplog, capfd):
    monkeypatch.setattr(sheet_rows, "_MOST_UNPACKED", 40_000)
    path = tmp_path / ("a.ods" if b"content.xml" in data else "a.xlsx")
    path.write_bytes(data)
    with pytest.raises(ValueError, match=says) as raised:
        read(path, **how)
    texts = [shown.replace(str(tmp_path), "") for shown in texts_of(raised.value)]
    assert leaked(*texts, caplog.text, *capfd.readouterr()) == []


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
    stamped = [cell(AT, STAMP), 1], [cell(45356, STAMP), 2]
    (folder / "a (1).xlsx").write_bytes(xlsx(sheet(["arrival", "id"], *stamped), sheet(["b"], ["c"])))
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
    (folder / "a.xlsx").write_bytes(xlsx(sheet(NAMES, [1, "08:15"], [2, cell("#N/A", kind="e")], [3, cell(None)])))
    ran = run("release", "a.xlsx", "o.csv", *"--time arrival --level 1 --within 3h --missing keep".split())
    assert ran.status == 2 and "row 2 of 'arrival' is not a time" in ran.err
    ran = run("prepare", "a.xlsx", "p.parquet", "--as", "arrival=clock")
    assert ran.status == 2 and "row 2 of 'arrival' is not a time" in ran.err
    ran = run("prepare", "a.xlsx", "p.parquet", "--no-value", "arrival=error #N/A")
    assert ran.status == 0 and values("p.parquet") == [("1", "08:15:00"), ("2", None), ("3", None)]


def test_other_spreadsheets_are_converted_first(tmp_path):
    for name in ("a.xls", "a.xlsb"):
        (tmp_path / name).write_bytes(b"")
        with pytest.raises(ValueError, match="convert it first, by: soffice --headless --convert-to xlsx"):
            Table("input", tmp_path / name)
