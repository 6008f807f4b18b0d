"""Hints of errors: options of a release, or commands of ``dirpriv prepare``, by which every row of a column is read.

A value decides only what is offered, never what the message says. Where two readings are possible, both are named.
"""

import contextlib
import re
import shlex
from pathlib import Path

from dirpriv._inputs.errors import named
from dirpriv.tables.formats import PLAIN
from dirpriv.tables.forms import SENTINELS, Profile, has_texts, profiles, texts_of
from dirpriv.tables.table import UNSAID, Table, literal

PAGE = "docs/prepare_your_table.md"
PREPARED = ".prepared.parquet"
# by the unit that was given, in which form numbers beyond it may be
_BEYOND = {"day": "serial", "deg": "signed-heading", "epoch": "microseconds", "epoch_ms": "microseconds"}


def prepare_line(table: Table, *words: str) -> str:
    """The command that prepares a table, to paste into a shell; the page where it would repeat a strange name."""
    path = Path(str(table.source))
    with contextlib.suppress(ValueError):
        path = path.relative_to(Path.cwd())
    if (
        not all(re.fullmatch(PLAIN, word.lstrip("-").replace("=", "")) or "%" in word for word in (*words, str(path)))
        or str(path) == "-"
        or UNSAID in table.types
    ):
        return f"what is in {PAGE}"
    separator = ["--separator", "tab" if table.separator == "\t" else table.separator] * (table.separator != ",")
    new = f"{str(path).removesuffix(PREPARED)}{PREPARED}"
    new = f"{new.removesuffix('.parquet')}.2.parquet" if new == str(path) else new
    return shlex.join(["dirpriv", "prepare", str(path), new, *separator, *words])


def profile_of(table: Table, place: int) -> Profile:
    """The profile of one column."""
    if not has_texts(table, place):
        return Profile(0, 0, dict.fromkeys(SENTINELS, 0), [])
    return profiles([table], [[texts_of(table, place)]])[0]


def formats_of(table: Table, place: int) -> list[str]:
    """The formats that read a column as it is, each of which is a choice of the user."""
    return _formats(profile_of(table, place))


def _formats(profile: Profile) -> list[str]:
    shown = profile.evident
    return shown if all("%" in form for form in shown) and not profile.none else []


def column_hint(table: Table, place: int) -> str:
    """What to do about a column that is not read; empty if that is not known."""
    name, which = table.names[place], ""
    if f"{name}_lat" in table.names:
        return f"use the columns beside it, {name}_lat and {name}_lon"
    profile = profile_of(table, place)
    if formats := _formats(profile):
        which = "only you know which number is the day and which the month: " * (len(formats) > 1)
        return f"{which}give {' or '.join(named('time_format', form) for form in formats)}"
    forms = profile.evident or [form for form in ("compass", "lat-lon", "lon-lat") if form in profile.forms]
    if len(forms) > 1:
        which = "only you know which number is which: "
    return f"{which}do {' or '.join(prepare_line(table, '--as', f'{name}={form}') for form in forms)}" if forms else ""


def numbers_hint(table: Table, place: int, unit: str) -> str:
    """What to do about numbers beyond their unit; empty if that is not known."""
    name, profile, form = table.names[place], profile_of(table, place), _BEYOND.get(unit, "hhmm")
    offered = [prepare_line(table, "--as", f"{name}={form}")] * (form in profile.forms)
    if unit == "deg":
        none = [number for number, count in profile.sentinels.items() if count]
        none += ["-1"] * has_values(table, [place], [-1])
        offered += [prepare_line(table, "--no-value", f"{name}={number}") for number in none]
    elif offered and unit not in _BEYOND:  # clocks without a colon, which are seconds, too
        return f"only you know what they count. If they are clocks without a colon, do {offered[0]}"
    if not offered:
        return ""
    return f"{'only you know what they mean: ' * (len(offered) > 1)}do {' or '.join(offered)}"


def places_hint(table: Table, places: list[int]) -> str:
    """What to do about degrees beyond their range; empty if that is not known."""
    names, columns = [table.names[place] for place in places], [texts_of(table, place) for place in places]
    pair = profiles([table], [columns])
    x, y = (f"TRY_CAST({column.text} AS DOUBLE)" for column in columns)
    query = (
        f"SELECT DISTINCT {x}, {y} FROM {table.scan()} WHERE NOT ({x} BETWEEN -90 AND 90 AND {y} BETWEEN -180 AND 360)"
    )
    beyond = table.query(f"{query} LIMIT 2")
    if all("e7" in profile.forms for profile in pair):  # beyond all degrees times 10^6, and metres of maps
        (large,) = table.query(f"SELECT bool_or(abs({x}) > 9e7 OR abs({y}) > 1.8e8) FROM {table.scan()}")[0]
        return (
            f"do {prepare_line(table, *(word for name in names for word in ('--as', f'{name}=e7')))}" if large else ""
        )
    if len(beyond) == 1 and all(f"{value:g}" in SENTINELS for value in beyond[0]):
        return none_hint(table, names, f"{beyond[0][0]:g},{beyond[0][1]:g}")
    return ""


def none_hint(table: Table, names: list[str], values: str) -> str:
    """The command for values of two columns that stand for no place."""
    return f"if {values} stands for no place, do {prepare_line(table, '--no-value', ','.join(names) + '=' + values)}"


def has_values(table: Table, places: list[int], values: list[float]) -> bool:
    """Whether a row has these numbers in these columns."""
    same = [f"TRY_CAST({texts_of(table, p).text} AS DOUBLE) = {v}" for p, v in zip(places, values, strict=True)]
    return bool(table.query(f"SELECT count(*) FROM {table.scan()} WHERE {' AND '.join(same)}")[0][0])


def row_of(table: Table, text: str, wrong: str) -> int:
    """The first row, from 1, for which something in SQL of ``x`` holds."""
    rows = f"SELECT row_number() OVER () AS n, {text} AS x FROM {table.scan()}"
    return int(table.query(f"SELECT coalesce(min(n), 0) FROM ({rows}) WHERE {wrong}")[0][0])


def match(x: str, value: str) -> str:
    """Whether a text is a value, as a text or as a number, in SQL."""
    return f"(lower({x}) = {literal(value.lower())} OR TRY_CAST({x} AS DOUBLE) = TRY_CAST({literal(value)} AS DOUBLE))"
