"""Lines that turn a table into one that can be released; docs/prepare_your_table.md has each, tests run them.

A value decides only which line is named, never what the line says.
"""

import contextlib
import re
from pathlib import Path
from typing import Any

from dirpriv._inputs.errors import named

PAGE = "docs/prepare_your_table.md"
_LINE = "python -c \"import duckdb; duckdb.sql('''COPY ({}) TO 'clean.parquet' ''')\""
_DAYS = "['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']"
_EMPTY = "['NA', 'N/A', '#N/A', 'NULL', 'null', 'None', 'nan', 'NaN', '-', '?']"
_COLUMN = "SELECT * REPLACE (%s AS {a}) FROM {table}"
_BOTH = "SELECT * REPLACE (%s AS {a}, %s AS {b}) FROM {table}"
_FIX = "CASE WHEN CAST({a} AS DOUBLE) <> 0 OR CAST({b} AS DOUBLE) <> 0 THEN %s END"
_POINT = "regexp_extract({a}, 'POINT *[(]([-0-9.]+) ([-0-9.]+)', %d)"
# by the heading of the page: a query of the columns a (and b) of a table, or of a file that is no such table
RECIPES = {
    "no-value": f"FROM read_csv('{{file}}', all_varchar=true, nullstr={_EMPTY})",
    "tabs": "FROM read_csv('{file}', all_varchar=true, delim='\\t')",
    "latin-1": "FROM read_csv('{file}', all_varchar=true, encoding='latin-1')",
    "utf-16": "FROM read_csv('{file}', all_varchar=true, encoding='utf-16')",
    "json-lines": "FROM read_json('{file}', columns={{{all}}})",
    "nested-json": "SELECT l.timestamp AS time, l.latitudeE7 / 1e7 AS lat, l.longitudeE7 / 1e7 AS lon FROM "
    "(SELECT unnest(locations) AS l FROM read_json('{file}', columns={{locations: 'STRUCT(timestamp VARCHAR, "
    "latitudeE7 BIGINT, longitudeE7 BIGINT)[]'}}))",
    "hours-after-24": _COLUMN
    % "CAST(split_part({a}, ':', 1) AS INTEGER) % 24 || substr({a}, strpos({a}, ':'))",
    "clocks-without-a-colon": _COLUMN
    % "printf('%02d:%02d', CAST({a} AS BIGINT) // 100, CAST({a} AS BIGINT) % 100)",
    "dates-of-a-spreadsheet": _COLUMN
    % "TIMESTAMP '1899-12-30' + INTERVAL 1 second * round(86400 * CAST({a} AS DOUBLE))",
    "decimal-commas": _COLUMN % "replace({a}, ',', '.')",
    "days-of-the-week": _COLUMN
    % (
        f"'2024-01-0' || list_position({_DAYS}, lower(left({{a}}, 3))) || ' ' || "
        "lpad(split_part({a}, ' ', -1), 5, '0')"
    ),
    "date-and-time": "SELECT *, {a} || ' ' || lpad({b}, 5, '0') AS moment FROM {table}",
    "microseconds": _COLUMN % "CAST({a} AS BIGINT) // 1000",
    "negative-headings": _COLUMN % "(CAST({a} AS DOUBLE) % 360 + 360) % 360",
    "no-fix": _BOTH % (_FIX % "{a}", _FIX % "{b}"),
    "degrees-e7": _BOTH % ("CAST({a} AS BIGINT) / 1e7", "CAST({b} AS BIGINT) / 1e7"),
    "points-as-texts": f"SELECT *, {_POINT % 2} AS lat, {_POINT % 1} AS lon FROM {{table}}",
}
_DATE, _CLOCK = r"\d{1,2}[.]\d{1,2}[.]\d{4}", r"\d{1,2}:\d\d"
# what a first text may be: a recipe, or a format
_TEXTS = {
    r"n/?a|#n/a|null|none|nan|nil|-+|\?": "no-value",
    r"(2[4-9]|[3-9]\d|\d{3}):[0-5]\d(:[0-5]\d)?": "hours-after-24",
    r"-?\d{1,9},\d+": "decimal-commas",
    r"(mon|tue|wed|thu|fri|sat|sun)[a-z]* \d{1,2}:\d\d": "days-of-the-week",
    r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{4}": "date-and-time",
    r"(srid=\d+; *)?point.*": "points-as-texts",
    r"\d{4}-w\d\d-\d \d{1,2}:\d\d": "%G-W%V-%u %H:%M",
    _DATE + " " + _CLOCK: "%d.%m.%Y %H:%M",
    _DATE + " " + _CLOCK + r":\d\d": "%d.%m.%Y %H:%M:%S",
    r"\d{1,2}/\d{1,2}/\d{4} .*[ap]m": "%m/%d/%Y %I:%M %p",
    r"\d{1,2}/\d{1,2}/\d{4} .*": "%m/%d/%Y %H:%M",
    r"\d{4}/\d\d/\d\d .*": "%Y/%m/%d %H:%M",
    r"\d{1,2}:\d\d *[ap]m": "%I:%M %p",
    r"\d{1,2}h\d\d": "%Hh%M",
    r"\d{8}t\d{6}": "%Y%m%dT%H%M%S",
    r"[a-z]{3}, \d{1,2} [a-z]{3} \d{4} .*": "%a, %d %b %Y %H:%M:%S %z",
}
_SUFFIXES = dict.fromkeys((".tsv", ".tab", ".txt"), "tabs") | {".json": "nested-json"}
_SUFFIXES |= dict.fromkeys((".jsonl", ".ndjson"), "json-lines")
_RESERVED = set(
    "all as asc at case check column desc distinct else end for from group in left limit not on order right "
    "select table then to using when where".split()
)


def line(recipe: str, path: Any, *columns: str, separator: str = ",") -> str:
    """The line of a recipe for a file and its columns, to paste into a shell."""
    with contextlib.suppress(ValueError):
        path = Path(path).relative_to(Path.cwd())
    file = str(path) if re.fullmatch(r"[\w ./:@+,*-]+", str(path)) else "in.csv"
    a, b = (_identifier(name) for name in (*columns, "lat", "lon")[:2])
    more = {";": ", delim=';'", "|": ", delim='|'", "\t": r", delim='\t'"}.get(separator, "")
    table = f"'{file}'" if file.endswith(".parquet") else f"read_csv('{file}', all_varchar=true{more})"
    select = RECIPES[recipe]
    if recipe == "no-value" and file.endswith(".parquet"):
        select = _COLUMN % f"CASE WHEN {{a}} NOT IN {_EMPTY} THEN {{a}} END"
    fields = ", ".join(f"{_identifier(name)}: 'VARCHAR'" for name in columns or ("arrival",))
    return _LINE.format(select.format(file=file, table=table, a=a, b=b, all=fields))


def remedy(recipe: str, path: Any, *columns: str, separator: str = ",") -> str:
    """What to do about a table: the line, with the place in the page as its comment; nothing may follow."""
    return f"{line(recipe, path, *columns, separator=separator)}  # see {PAGE}#{recipe}"


def of_path(path: Any, *columns: str) -> str:
    """What to do about a path that is no file which is read; empty if that is not known."""
    suffix = "." + str(path).lower().rpartition(".")[2]
    if Path(path).name == "-" or str(path).startswith(("/dev/", "/proc/")):
        return "'dirpriv release' takes a pipe as '-', standard input; else save it first, by: cat > in.csv"
    if suffix in _SUFFIXES:
        rename = f"rename it to .csv and give {named('separator', 'tab')}, or: "
        return rename * (_SUFFIXES[suffix] == "tabs") + remedy(_SUFFIXES[suffix], path, *columns)
    if suffix in (".xlsx", ".xls", ".ods"):
        return "save it as .csv by the spreadsheet"
    return "unpack it first" if suffix in (".zip", ".bz2", ".xz", ".zst", ".7z", ".gz") else ""


def of_text(text: str) -> str:
    """Which recipe or format a text that is no time needs; empty if that is not known."""
    text = text.strip().lower()
    return next((found for form, found in _TEXTS.items() if re.fullmatch(form, text)), "")


def of_times(text: str, path: Any, column: str, separator: str) -> str:
    """What to do about a column of times whose first text is none."""
    found = of_text(text)
    if found.startswith("%"):
        return f"give {named('time_format', found)}, or the format that it has"
    if found:
        return remedy(found, path, column, "clock", separator=separator)
    form = f"{named('time_format')} such as '%d.%m.%Y %H:%M' ({PAGE} has lines for other forms)"
    return f"give texts such as '08:15', '08:15:30' or '2012-04-03T18:00:09', or numbers, or a {form}"


def _identifier(name: str) -> str:
    """The name of a column in such a line."""
    if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) and name.lower() not in _RESERVED:
        return name
    return f'\\"{name}\\"' if re.fullmatch(r"[\w ./:@+,()-]+", name) else "arrival"
