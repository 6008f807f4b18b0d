"""Hints of errors: lines that make a table one to release; docs/prepare_your_table.md has each, tests run them.

A value decides only which line is named, never what the line says. A line keeps all rows. It stops at a value
of another form, and prints no value then.
"""

import contextlib
import re
from pathlib import Path
from typing import Any

from dirpriv._inputs.errors import named

PAGE = "docs/prepare_your_table.md"
CLEAN = ".clean.parquet"
UNSAID = "TIMESTAMP of UTC or not"  # the type of a timestamp of a Parquet file that does not say it
_PLAIN = r"(?!-)[\w ./:@+,()-]*"  # names that no shell acts on, but standard input
# an error of DuckDB would show a row
_LINE = 'python -c "import duckdb, sys; sys.excepthook = lambda kind, *_: print(kind.__name__); '
_LINE += "duckdb.sql('''COPY ({}) TO '{}' ''')\""
_CSV = "read_csv('{}', all_varchar=true, header=true, skip=0, comment='', delim='{}', quote='\\\"', "
_CSV += "escape='\\\"')"
NO_VALUE = "['na', 'n/a', '#n/a', '<na>', 'null', 'nil', 'none', 'nan', 'nat', '-', '--', '?', '.']"
# of what a line makes of the values that fit, in SQL; others stop it
_MADE = "SELECT * REPLACE (CASE WHEN regexp_full_match({{a}}, '{}') THEN {} WHEN {{a}} <> '' THEN "
_MADE += "error('another form') END AS {{a}}) FROM {{table}}"
_CONVERTERS = dict.fromkeys((".gpkg", ".shp", ".fgb"), "ogr2ogr -f CSV -lco GEOMETRY=AS_XY '{0}.csv' '{0}'")
_CONVERTERS |= dict.fromkeys(
    (".feather", ".arrow"), "python -c \"import pandas; pandas.read_feather('{0}').to_parquet('{0}.parquet')\""
)
# by the heading of the page: a query of a column of a table. Other lines are in the page alone
QUERIES = {
    "no-value": f"SELECT * REPLACE (CASE WHEN lower(trim({{a}})) NOT IN {NO_VALUE} THEN {{a}} END AS {{a}}) "
    "FROM {table}",
    "hours-after-24": _MADE.format(
        "([0-8]?[0-9]|9[0-8]|1[0-9][0-9]):[0-5][0-9]:[0-5][0-9]",  # 99:59:59 may be no time
        "CAST(split_part({a}, ':', 1) AS INTEGER) % 24 || substr({a}, strpos({a}, ':'))",
    ),
    "decimal-commas": _MADE.format("-?[0-9]+(,[0-9]+)?", "replace({a}, ',', '.')"),
}
_DATES = [f"{first}{mark}%Y" for mark in "./-" for first in (f"%d{mark}%m", f"%m{mark}%d")]
_DATES += [f"%Y{mark}%m{mark}%d" for mark in "./-"]
_CLOCKS = ["%H:%M", "%H:%M:%S", *(f"%I:%M{second}{mark}%p" for second in ("", ":%S") for mark in (" ", ""))]
_DATED = r"(\d\d?[./-]\d\d?[./-]\d{4}|\d{4}([./-]\d\d?){2}) "
# what all texts of a column are, what one of them has, and what they need: a part of the page, or a format
_TEXTS: list[tuple[str, str, Any]] = [
    (r"([0-8]?\d|9[0-8]|1\d\d):[0-5]\d:[0-5]\d", r"^(2[4-9]|[3-9]\d|\d{3}):", "hours-after-24"),
    (r"-?\d{1,9}(,\d+)?", r",(\d\d?|\d{4,})$", "decimal-commas"),  # 1,234 may be a thousand
    (r"(mon|tue|wed|thu|fri|sat|sun)[a-z]* \d{1,2}:[0-5]\d", "", "days-of-the-week"),
    (r"\d{4}-\d\d-\d\d|\d{1,2}[./]\d{1,2}[./]\d{4}", "", "date-and-time"),
    (r"\d{4}-w\d\d-\d \d{1,2}:\d\d", "", ["%G-W%V-%u %H:%M"]),
    (_DATED + r"\d.*", "", [f"{date} {clock}" for date in _DATES for clock in _CLOCKS]),
    (r"\d{1,2}:\d\d.*[ap]m", "", _CLOCKS),
    (r"\d{1,2}h\d\d", "", ["%Hh%M"]),
    (r"\d{8}t\d{6}z?", "", ["%Y%m%dT%H%M%S", "%Y%m%dT%H%M%SZ"]),
    (r"[a-z]{3}, \d{1,2} [a-z]{3} \d{4} .*", "", [f"%a, %d %b %Y %H:%M:%S {end}" for end in ("%z", "GMT")]),
]


def line(section: str, path: Any, column: str, separator: str = ",") -> str:
    """The line of a section for a file and its column, to paste into a shell."""
    with contextlib.suppress(ValueError):
        path = Path(path).relative_to(Path.cwd())
    file = str(path)
    table = f"'{file}'" if file.endswith(".parquet") else _CSV.format(file, separator.replace("\t", "\\t"))
    select = QUERIES[section].format(table=table, a=f'\\"{column}\\"')
    return _LINE.format(select, file.removesuffix(CLEAN) + CLEAN)


def table_line(section: str, table: Any, column: str) -> str:
    """The line for a table, and where it is in the page; that alone where no line is sure to be right."""
    names = [name.strip().casefold() for name in table.names]
    # DuckDB gives new names to columns without one, and to those whose names it has had
    new = len({*names, ""}) <= len(names) and re.search(r"(?m)(^column|_)\d+$", "\n".join(names))
    sure = section in QUERIES and table.separator in ",;|\t" and not new and UNSAID not in table.types
    sure = sure and not table.in_memory and not table.above
    if not (sure and names.count(column.casefold()) == 1 and re.fullmatch(_PLAIN, f"{table.source}{column}")):
        return f"what is in {PAGE}#{section}"
    return f"{line(section, table.source, column, table.separator)}  # see {PAGE}#{section}"


def path_hint(path: Any) -> str:
    """What to do about a path that is no file which is read; empty if that is not known."""
    suffix = "." + str(path).lower().rpartition(".")[2]
    if Path(path).name == "-" or str(path).startswith(("/dev/", "/proc/")):
        return "'dirpriv release' takes a pipe as '-', standard input; else save it first, by: cat > in.csv"
    if suffix in (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods"):
        return "save it as .csv by the spreadsheet"
    if suffix in _CONVERTERS:
        name = str(path) if re.fullmatch(_PLAIN, str(path)) else f"in{suffix}"
        return "convert it first, by: " + _CONVERTERS[suffix].format(name)
    return "unpack it first" if suffix in (".zip", ".bz2", ".xz", ".zst", ".7z", ".gz") else ""


def texts_hint(table: Any, place: int, first: str) -> tuple[str, list[str]]:
    """The part of the page that all texts of a column need, or the formats that read all of them.

    ``first`` is one of them. A text such as ``NA`` stands for no value, whatever the others are.
    """
    first = first.strip().lower()
    if first in re.findall("'(.*?)'", NO_VALUE):
        return "no-value", []
    texts = f"SELECT trim(CAST({table.sql(place)} AS VARCHAR)) AS x FROM {table.scan()}"
    for shape, some, need in (each for each in _TEXTS if re.fullmatch(each[0], first)):
        formats = need if isinstance(need, list) else []
        asked = [f"bool_and(regexp_full_match(lower(x), '{shape}')) AND bool_or(regexp_matches(x, '{some}'))"]
        asked += [f"bool_and(TRY_STRPTIME(x, '{form}') IS NOT NULL)" for form in formats]
        fits, *read = table.query(f"SELECT {', '.join(asked)} FROM ({texts}) WHERE x <> ''")[0]
        if fits:
            formats = [form for form, reads in zip(formats, read, strict=True) if reads]
            return ("", formats) if isinstance(need, list) else (need, [])
    return "", []


def times_hint(table: Any, place: int, first: str) -> str:
    """What to do about a column of texts that are not read as times; empty if that is not known."""
    section, formats = texts_hint(table, place, first)
    if section:
        return f"do {table_line(section, table, table.names[place])}"
    which = "only you know which number is the day and which the month: " * (len(formats) > 1)
    give = " or ".join(named("time_format", form) for form in formats)
    return f"{which}give {give}" if formats else ""
