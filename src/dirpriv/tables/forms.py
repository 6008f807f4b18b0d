"""Forms in which people write times, places and headings, and which of them read every row of a column.

A form gives a value of one type for a text in SQL, or NULL where it does not fit; it never cuts a text. A text of
:data:`NO_VALUE` is none. Forms with ``some`` fit only where a value has that, so that no other form would do; those
without are used only where a user asks for them.
"""

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from dirpriv._inputs import times
from dirpriv.tables.table import Table, literal

NUMBERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE"}
NUMBERS |= {"U" + name for name in NUMBERS if name.endswith("INT")} | {"UINTEGER"}
NO_VALUE = "na n/a #n/a <na> null (null) nil none nan nat - -- ? . \\n".split()
SENTINELS = "91", "181", "511", "999", "-9999"
_SAMPLE = 1000  # rows that show which forms are worth a look at all rows
_DEGREES = r"([NSEW]?) *([-+\x{2212}]?)(\d{1,3}(?:\.\d+)?) *(?:°|º)? *(?:(\d\d?(?:\.\d+)?) *['’′] *)?"
_DEGREES += r"(?:(\d\d?(?:\.\d+)?) *(?:\"|”|″|'') *)?([NSEW]?)"
_MARK = r"[°º\x{2212}]|[NSEW] *\d+\.\d|\.\d+ *[NSEW]"  # 12E alone may be a seat
_WKT = r"(?i)(?:srid=4326; *)?point *(?:z|m|zm)? *[(] *(-?[0-9.]+) +(-?[0-9.]+)(?: +-?[0-9.]+){0,2} *[)]"
_PAIR = r"(?:geo:)?[(\[]? *(-?[0-9]+(?:\.[0-9]+)?)°? *[,;] *(-?[0-9]+(?:\.[0-9]+)?)°? *(?:[;,] *u=[0-9.]+)?[)\]]?"
_COMPASS = "n nne ne ene e ese se sse s ssw sw wsw w wnw nw nnw".split()
_DAYS = "mon tue wed thu fri sat sun".split()
_CODES = {"Y": r"\d{4}", "y": r"\d\d", "b": "[A-Za-z]{3}", "B": "[A-Za-z]{3,9}", "a": "[A-Za-z]{3}", "p": "[AaPp][Mm]"}
_CODES |= dict.fromkeys("mdHI", r"\d\d?") | dict.fromkeys("MS", r"\d\d") | {"z": r"[+-]\d\d:?\d\d"}


def typed_text(kind: str) -> str:
    """What a text of a time is in SQL, where ``{x}`` is the text, without parts of a second."""
    whole = "CASE WHEN contains({x}, '.') THEN regexp_replace({x}, '\\.[0-9]+', '') ELSE {x} END"
    if kind == "clock":
        return f"TRY_CAST({whole} AS TIME)"
    # with seconds, which older versions of DuckDB need before an offset, and no space
    with_seconds = "left({x}, 16) || ':00' || substr({x}, 17)"
    whole = f"CASE WHEN substr({{x}}, 17, 1) = ':' THEN {whole} ELSE {with_seconds} END"
    if kind == "stamp":
        return f"TRY_CAST({whole} AS TIMESTAMP)"
    return f"TRY_CAST(left({whole}, 10) || 'T' || replace(substr({whole}, 12), ' ', '') AS TIMESTAMPTZ)"


class Form(NamedTuple):
    """How a text becomes a value: its parts, by what is put behind the name of the column."""

    what: str
    pattern: str
    parts: dict[str, Callable[[str], str]]
    some: str | None = None


def _form(what: str, pattern: str, value: str, some: str | None = None) -> Form:
    """A form of one value, in which ``{x}`` stands for the text."""
    return Form(what, pattern, {"": _matching(pattern, value)}, some)


def _matching(pattern: str, value: str) -> Callable[[str], str]:
    return lambda x: f"CASE WHEN regexp_full_match({x}, {literal(pattern)}) THEN {value.replace('{x}', x)} END"


def _pair(what: str, pattern: str, latitude: int, some: str | None = None) -> Form:
    """A form of two degrees: which of its groups is the latitude."""
    groups = {"_lat": (latitude, 90), "_lon": (3 - latitude, 360)}
    parts = {}
    for name, (group, most) in groups.items():
        number = f"TRY_CAST(regexp_extract({{x}}, {literal(pattern)}, {group}) AS DOUBLE)"
        parts[name] = _matching(pattern, f"CASE WHEN {number} BETWEEN -least({most}, 180) AND {most} THEN {number} END")
    return Form(what, pattern, parts, some)


def _marked() -> str:
    """Degrees with their marks, of which minutes and seconds are below 60."""
    side, sign, whole, minutes, seconds, end = (
        f"regexp_extract({{x}}, {literal(_DEGREES)}, {group})" for group in range(1, 7)
    )
    parts = [f"coalesce(TRY_CAST({part} AS DOUBLE), 0)" for part in (whole, minutes, seconds)]
    below = f"{parts[1]} < 60 AND {parts[2]} < 60 AND length({side} || {sign} || {end}) <= 1"
    negative = f"({side} || {sign} || {end}) IN ('S', 'W', '-', '\u2212')"
    return f"CASE WHEN {below} THEN if({negative}, -1, 1) * ({parts[0]} + {parts[1]} / 60 + {parts[2]} / 3600) END"


def _formats() -> dict[str, Form]:
    """Formats of strptime as forms, which read a text only if each number has its digits."""
    dates = [f"{day}{mark}%{year}" for mark in "./-" for day in (f"%d{mark}%m", f"%m{mark}%d") for year in "Yy"]
    dates += [*(f"%Y{mark}%m{mark}%d" for mark in "./-"), "%d %b %Y", "%b %d, %Y", "%b %d %Y", "%d-%b-%Y", "%G-W%V-%u"]
    clocks = ["%H:%M", "%H:%M:%S", *(f"%I:%M{second}{mark}%p" for second in ("", ":%S") for mark in (" ", ""))]
    both = [f"{date}{mark}{clock}" for date in dates for clock in clocks for mark in (" ", ", ")]
    both += ["%a %b %d %H:%M:%S %Y", "%Y%m%dT%H%M%S"]
    zoned = [f"{date} %H:%M:%S {end}" for date in ("%Y-%m-%d", "%a, %d %b %Y") for end in ("UTC", "GMT", "%z UTC")]
    zoned += ["%a, %d %b %Y %H:%M:%S %z", "%a %b %d %H:%M:%S %z %Y", "%d/%b/%Y:%H:%M:%S %z", "%Y%m%dT%H%M%SZ"]
    types = [(both, "TIMESTAMP", "a date and a time"), (zoned, "TIMESTAMPTZ", "a date and a time with a zone")]
    types.append(([*clocks[2:], "%Hh%M"], "TIME", "a time"))
    forms = {}
    for formats, kind, what in types:
        for form in formats:
            read = f"CAST(TRY_STRPTIME({{x}}, {literal(form)}) AS {kind})"
            forms[form] = _form(f"{what}, {form}", pattern_of(form), read, "")
    return forms


def pattern_of(form: str) -> str:
    """What a format reads, with the digits of its numbers."""
    codes = _CODES | {"G": r"\d{4}", "V": r"\d\d", "u": r"[1-7]"}
    parts = re.split("%(.)", form)
    return "".join(codes[part] if place % 2 else re.escape(part) for place, part in enumerate(parts))


TEXTS = *times.TEXTS, "timetable", "decimal-comma", "weekday"
_TIMES = "clock", "stamp", "instant", "timetable", "weekday", "hhmm", "serial", "microseconds", "nanoseconds"
_NUMBER = times.TEXTS["number"][0]
FORMS: dict[str, Form] = {
    **{kind: _form(times.TEXTS[kind][1], times.TEXTS[kind][0], typed_text(kind), "") for kind in ("clock", "stamp")},
    "instant": _form(times.TEXTS["instant"][1], times.TEXTS["instant"][0], typed_text("instant"), ""),
    "number": _form("a number", _NUMBER, "{x}", ""),
    "decimal-comma": _form("a number", r"-?\d{1,9}(,\d+)?", "replace({x}, ',', '.')", r",(\d\d?|\d{4,})$"),
    "timetable": _form(
        "a time of a timetable, with hours after 24",  # 99:59:59 may be none
        r"([0-8]?\d|9[0-8]|1\d\d):[0-5]\d:[0-5]\d",
        "CAST(CAST(split_part({x}, ':', 1) AS INTEGER) % 24 || substr({x}, strpos({x}, ':')) AS TIME)",
        r"^(2[4-9]|[3-9]\d|\d{3}):",
    ),
    "weekday": _form(
        "a day of the week and a time",
        rf"(?i)({'|'.join(_DAYS)})[a-z]* ([01]?\d|2[0-3]):[0-5]\d",
        f"TRY_STRPTIME('2024-01-0' || list_position({_DAYS}, lower(left({{x}}, 3))) || ' ' || "
        "split_part({x}, ' ', -1), '%Y-%m-%d %H:%M')",
        "",
    ),
    "hhmm": _form(
        "a clock without a colon",
        r"[0-9]{1,4}",
        "TRY_CAST(left(lpad({x}, 4, '0'), 2) || ':' || right(lpad({x}, 4, '0'), 2) AS TIME)",
    ),
    "serial": _form(
        "a date of a spreadsheet",
        r"[2-7][0-9]{4}(\.[0-9]+)?",
        "TIMESTAMP '1899-12-30' + INTERVAL 1 second * round(86400 * CAST({x} AS DOUBLE))",
    ),
    "microseconds": _form("microseconds since 1970", "[0-9]{15,17}", "make_timestamptz(CAST({x} AS BIGINT))"),
    "nanoseconds": _form("nanoseconds since 1970", "[0-9]{18,19}", "make_timestamptz(CAST({x} AS BIGINT) // 1000)"),
    "e7": _form("degrees times 10^7", r"-?[0-9]{7,10}|0", "CAST({x} AS BIGINT) / 1e7"),
    "marked-degrees": _form("degrees with marks", _DEGREES, _marked(), _MARK),
    "signed-heading": _form(
        "degrees from -180 to 360",
        _NUMBER,
        "CASE WHEN CAST({x} AS DOUBLE) BETWEEN -180 AND 360 THEN (CAST({x} AS DOUBLE) + 360) % 360 END",
    ),
    "compass": _form(
        "a name of a compass", f"(?i)({'|'.join(_COMPASS)})", f"(list_position({_COMPASS}, lower({{x}})) - 1) * 22.5"
    ),
    "point": _pair("a point of WKT, longitude first", _WKT, 2, ""),
    "lat-lon": _pair("a latitude and a longitude", _PAIR, 1),
    "lon-lat": _pair("a longitude and a latitude", _PAIR, 2),
    **_formats(),
}


class Profile(NamedTuple):
    """What a column has: values, rows without one, rows with a sentinel; and the forms that read every value."""

    values: int
    none: int
    sentinels: dict[str, int]
    forms: list[str]

    @property
    def evident(self) -> list[str]:
        """The forms that the values themselves show; those of a release before others of strptime."""
        shown = [name for name in self.forms if FORMS[name].some is not None] if self.values else []
        return [name for name in shown if name in TEXTS] or shown


def is_time(form: str) -> bool:
    """Whether values of a form are times."""
    return "%" in form or form in _TIMES


class Texts(NamedTuple):
    """A column as texts: what it is called, a text of a row in SQL, and when this stands for no value."""

    name: str
    text: str
    none: str


def texts_of(table: Table, place: int) -> Texts:
    """A column as texts, without spaces around them."""
    x = f"trim(CAST({table.sql(place)} AS VARCHAR))"
    return Texts(table.names[place], x, f"({x} IS NULL OR lower({x}) IN ('', {', '.join(map(literal, NO_VALUE))}))")


def has_texts(table: Table, place: int) -> bool:
    """Whether a column has texts or numbers, whose form says what they are."""
    kind = table.types[place]
    return kind == "VARCHAR" or kind.startswith(("ENUM", "DECIMAL")) or kind in NUMBERS


def profiles(tables: Sequence[Table], columns: Sequence[Sequence[Texts]]) -> list[Profile]:
    """The profile of each column of files that are one table; ``columns`` has those of each file."""
    so_far = [Profile(0, 0, dict.fromkeys(SENTINELS, 0), [*FORMS]) for _ in columns[0]]
    some: list[set[str]] = [set() for _ in so_far]
    for table, texts in zip(tables, columns, strict=True):
        first = table.query(f"{_inner(table, texts)} LIMIT {_SAMPLE}")
        for place, old in enumerate(so_far):
            shown = {row[2 * place] for row in first if not row[2 * place + 1]}
            so_far[place] = old._replace(forms=[name for name in old.forms if all(map(fits(name), shown))])
        for place, (profile, kinds) in enumerate(_looked(table, texts, so_far)):
            old = so_far[place]
            sentinels = {number: old.sentinels[number] + profile.sentinels[number] for number in SENTINELS}
            so_far[place] = Profile(old.values + profile.values, old.none + profile.none, sentinels, profile.forms)
            some[place] |= kinds
    return [
        each._replace(forms=[name for name in each.forms if not FORMS[name].some or name in its])
        for each, its in zip(so_far, some, strict=True)
    ]


def fits(form: str) -> Callable[[str], object]:
    """Whether a text has the pattern of a form: most forms need not be tried on all rows."""
    return functools.partial(re.fullmatch, FORMS[form].pattern.replace("\\x{2212}", "\u2212"))


def _inner(table: Table, columns: Sequence[Texts]) -> str:
    """The texts of columns in SQL, each with whether it stands for no value."""
    texts = ", ".join(f"{each.text} AS x{i}, {each.none} AS n{i}" for i, each in enumerate(columns))
    return f"SELECT {texts} FROM {table.scan()}"


def _looked(table: Table, columns: Sequence[Texts], so_far: list[Profile]) -> Iterator[tuple[Profile, set[str]]]:
    """What the rows of a file have of each column, and the forms whose ``some`` is in one of them."""
    asked: list[str] = []
    for i, profile in enumerate(so_far):
        x, there = f"x{i}", f"FILTER (NOT n{i})"
        asked += [f"count(*) {there}", f"count(*) FILTER (n{i})"]
        asked += [f"count(*) FILTER ({x} IN ('{number}', '{number}.0'))" for number in SENTINELS]
        for name in profile.forms:
            asked.append(
                f"bool_and({' AND '.join(f'({part(x)}) IS NOT NULL' for part in FORMS[name].parts.values())}) {there}"
            )
            if FORMS[name].some:
                asked.append(f"bool_or(regexp_matches({x}, {literal(FORMS[name].some or '')})) {there}")
    (row,) = table.query(f"SELECT {', '.join(asked)} FROM ({_inner(table, columns)})")
    values = iter(row)
    for profile in so_far:
        count, none = next(values), next(values)
        sentinels = {number: next(values) for number in SENTINELS}
        reads = {name: (next(values), bool(FORMS[name].some) and next(values)) for name in profile.forms}
        forms = [name for name, (every, _) in reads.items() if every is not False]
        yield Profile(count, none, sentinels, forms), {name for name in forms if reads[name][1]}
