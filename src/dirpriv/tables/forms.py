"""Forms in which people write times, places and headings: one grammar for releases, preparations and the study.

A form gives a value of one type for a text in SQL, or NULL where it does not fit; it never cuts a text. Forms with
``some`` fit only where a value has that, so that no other form would do; those without are used only where a user
asks for them.
"""

import functools
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from dirpriv._inputs import times
from dirpriv.tables.sql import literal

VALUE = re.compile(r"[\s+-]*[0-9][0-9.,:/eETZ\s+-]*")  # a number or a time: of a first line, it may be data
NUMBERS = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE"}
NUMBERS |= {"U" + name for name in NUMBERS if name.endswith("INT")} | {"UINTEGER"}
_CODES = {"Y": r"\d{4}", "y": r"\d\d", "b": "[A-Za-z]{3}", "B": "[A-Za-z]{3,9}", "a": "[A-Za-z]{3}", "p": "[AaPp][Mm]"}
_CODES |= dict.fromkeys("mdHI", r"\d\d?") | dict.fromkeys("MSV", r"\d\d") | {"z": r"[+-]\d\d:?\d\d"}
_CODES |= {"G": r"\d{4}", "u": "[1-7]"}

# what in a format says UTC beside its codes, and the names of zones that %Z reads: letters such as BST or CST
# are the names of several zones, and CET is an hour off in summer
_UTC = r"(?<![a-z])(z|zulu|utc?|uct|gmt|greenwich|universal)(?![a-z]|\W*[+\u2212-]\W?[\d:.]*[1-9])"
_UTC += r"|[+\xb1]00?(:?00)*(?![\d:])|-00:?00\W*$"
_NAMES = r"\b(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|"
_NAMES += r"Mexico|Pacific|US)(/[A-Za-z0-9_+-]+)+|\bGMT\b"

_LEAST = -59_011_459_200_000_000  # of the year 100, in microseconds


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


def _form(
    what: str, value: str | dict[str, str], pattern: str = times.TEXTS["number"][0], some: str | None = None
) -> Form:
    """A form of a value, or of several by their names, in SQL of ``{x}``, the text, and of groups of the pattern."""
    values = value if isinstance(value, dict) else {"": value}
    return Form(what, pattern, {name: functools.partial(_matching, pattern, sql) for name, sql in values.items()}, some)


def _matching(pattern: str, value: str, x: str) -> str:
    value = value.replace("{x}", x)
    if groups := re.findall(r"\{(\d)\}", value):  # all of them are extracted at once
        names = ", ".join(f"'g{group}'" for group in range(1, int(max(groups)) + 1))
        value = re.sub(r"\{(\d)\}", r"g.g\1", value)
        value = f"list_transform([regexp_extract({x}, {literal(pattern)}, [{names}])], lambda g: {value})[1]"
    return f"CASE WHEN regexp_full_match({x}, {literal(pattern)}) THEN {value} END"


def _formats() -> dict[str, Form]:
    """Formats of strptime as forms, which read a text only if each number has its digits."""
    dates = [f"{day}{mark}%{year}" for mark in "./-" for day in (f"%d{mark}%m", f"%m{mark}%d") for year in "Yy"]
    dates += [*(f"%Y{mark}%m{mark}%d" for mark in "./-"), "%d %b %Y", "%b %d, %Y", "%b %d %Y", "%d-%b-%Y", "%G-W%V-%u"]
    clocks = ["%H:%M", "%H:%M:%S", *(f"%I:%M{second}{mark}%p" for second in ("", ":%S") for mark in (" ", ""))]
    formats = [f"{date}{mark}{clock}" for date in dates for clock in clocks for mark in (" ", ", ")]
    formats += ["%a %b %d %H:%M:%S %Y", "%Y%m%dT%H%M%S"]
    formats += [f"{date} %H:%M:%S {end}" for date in ("%Y-%m-%d", "%a, %d %b %Y") for end in ("UTC", "GMT", "%z UTC")]
    formats += ["%a, %d %b %Y %H:%M:%S %z", "%a %b %d %H:%M:%S %z %Y", "%d/%b/%Y:%H:%M:%S %z", "%Y%m%dT%H%M%SZ"]
    forms = {}
    for form in [*formats, *clocks[2:], "%Hh%M", *(date for date in dates if "%y" not in date)]:
        kind, what = ("TIMESTAMP", "a date and a time") if is_dated(form) else ("TIME", "a time")
        if is_zoned(form):
            kind, what = "TIMESTAMPTZ", f"{what} with a zone"
        elif form in dates:
            kind, what = "DATE", "a date without a time"
        read = f"CAST(TRY_STRPTIME({{x}}, {literal(form)}) AS {kind})"
        forms[form] = _form(f"{what}, {form}", read, pattern_of(form), "")
    return forms


def codes_of(form: str) -> set[str]:
    """The letters of a format of strptime."""
    return set(re.findall("%-?([A-Za-z])", form.replace("%%", "")))


def is_dated(form: str) -> bool:
    """Whether times of a format have a full date."""
    codes = codes_of(form)
    month, week = codes & {"m", "b", "B"}, codes & {"U", "W"}
    day = "j" in codes or (month and "d" in codes) or (week and "w" in codes)  # DuckDB reads no %a
    return bool(codes & {"c", "x"} or (codes & {"Y", "y"} and day) or codes >= {"G", "V", "u"})


def is_zoned(form: str) -> bool:
    """Whether times of a format have a zone: by its codes, or UTC by the text between them."""
    return bool(codes_of(form) & {"z", "Z"} or re.search(_UTC, re.sub("%-?.", " ", form), re.I))


def ticks_of(form: str) -> tuple[str, str]:
    """What any format of strptime reads of a text ``x`` in SQL: ticks since 1970, or NULL, and their unit."""
    codes, unit, x = codes_of(form), "us", "x"
    if "z" in codes:  # which DuckDB does not read of Z
        x = r"regexp_replace(x, '([0-9 ])Z(\W|$)', '\1+00:00\2')"
    if "n" in codes:
        unit = "ns"
    ticks = f"epoch_{unit}(TRY_STRPTIME({x}, {literal(form)}))"
    if unit == "us":  # DuckDB reads 24 by %Y, as the year 24
        ticks = f"nullif(greatest({ticks}, {_LEAST}), {_LEAST})"
    if "Z" in codes:
        # what stands for %Z is UTC, or becomes it
        plain = literal(re.sub("%-?Z", "UTC", form))
        utc = f"TRY_STRPTIME(regexp_replace(x, {literal(_NAMES)}, 'UTC'), {plain}) IS NOT NULL"
        ticks = f"CASE WHEN {utc} THEN {ticks} END"
    return ticks, unit


def pattern_of(form: str) -> str:
    """What a format reads, with the digits of its numbers."""
    parts = re.split("%(.)", form)
    return "".join(_CODES[part] if place % 2 else re.escape(part) for place, part in enumerate(parts))


TEXTS = *times.TEXTS, "timetable", "decimal-comma", "weekday"
_TIMES = "clock stamp instant timetable weekday hhmm serial seconds milliseconds microseconds nanoseconds".split()
_others = Path(__file__).with_name("forms.toml")
FORMS: dict[str, Form] = {
    **{
        kind: _form(times.TEXTS[kind][1], typed_text(kind), times.TEXTS[kind][0], "")
        for kind in ("clock", "stamp", "instant")
    },
    **{name: _form(**form) for name, form in tomllib.loads(_others.read_text("utf-8")).items()},
    **_formats(),
}


def is_time(form: str) -> bool:
    """Whether values of a form are times, and no dates alone."""
    return not codes_of(form).isdisjoint("HI") or form in _TIMES


def times_in_sql(time_format: str | None = None) -> tuple[str, str]:
    """Read texts of times in SQL, as a release of a file reads them.

    Parameters
    ----------
    time_format : str, optional
        A format of ``strptime``, or ``"%s"`` for seconds since 1970; times such as ``2012-04-03 18:00:09``, also with
        ``Z`` or an offset, if it is not given.

    Returns
    -------
    tuple of str
        Two expressions of a text ``x``, NULL where it is no such time: microseconds since 1970 on the clock of a time
        without a zone, and in UTC of a time with one.

    Examples
    --------
    >>> import duckdb
    >>> from dirpriv.tables import times_in_sql
    >>> local, zoned = times_in_sql()
    >>> texts = "SELECT unnest(['1970-01-01 00:00:01', '1970-01-01T01:00+01:00']) AS x"
    >>> duckdb.sql(f"SELECT {local}, {zoned} FROM ({texts})").fetchall()
    [(1000000, None), (None, 0)]
    """
    if time_format is None or time_format == "%s":
        of_kind = {kind: f"epoch_us({FORMS[kind].parts['']('x')})" for kind in ("stamp", "instant", "seconds")}
        return ("NULL", of_kind["seconds"]) if time_format else (of_kind["stamp"], of_kind["instant"])
    ticks, _ = ticks_of(time_format)
    return ("NULL", ticks) if is_zoned(time_format) else (ticks, "NULL")
