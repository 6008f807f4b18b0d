"""Hints of errors: options of a release, or commands of ``dirpriv prepare``, by which every row of a column is read.

A value decides only what is offered, never what the message says. Where two readings are possible, both are named.
"""

import contextlib
import re
import shlex
from collections.abc import Iterable
from pathlib import Path

from dirpriv._inputs.errors import named
from dirpriv.tables.formats import PLAIN
from dirpriv.tables.forms import is_time
from dirpriv.tables.profiles import SENTINELS, Profile, profiles, texts_of
from dirpriv.tables.table import UNSAID, Table

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


def profiles_of(table: Table, *names: str) -> list[Profile]:
    """The profiles of columns of a table."""
    columns = [texts_of(name, table.sql(table.column("column", name))) for name in names]
    return profiles(table.query, table.scan(), columns)


def formats_of(profile: Profile) -> list[str]:
    """The formats that read a column as it is, each of which is a choice of the user."""
    shown = profile.evident
    return shown if all("%" in form and is_time(form) for form in shown) and not profile.none else []


def column_hint(table: Table, name: str) -> str:
    """What to do about a column that is not read; empty if that is not known."""
    if f"{name}_lat" in table.names:
        return f"use the columns beside it, {name}_lat and {name}_lon"
    (profile,) = profiles_of(table, name)
    if formats := formats_of(profile):
        which = "only you know which number is the day and which the month: " * (len(formats) > 1)
        return f"{which}give {' or '.join(named('time_format', form) for form in formats)}"
    if any("%" in form and not is_time(form) for form in profile.evident):
        return "its values are dates: use the column that has the times"
    forms = profile.evident or [form for form in ("compass", "lat-lon", "lon-lat") if form in profile.forms]
    return _offered(table, "only you know which number is which", [("--as", f"{name}={form}") for form in forms])


def numbers_hint(table: Table, name: str, unit: str) -> str:
    """What to do about numbers beyond their unit; empty if that is not known."""
    (profile,), form = profiles_of(table, name), _BEYOND.get(unit, "hhmm")
    offered = [("--as", f"{name}={form}")] * (form in profile.forms)
    if unit == "deg":
        none = [number for number, count in profile.sentinels.items() if count and not 0 <= int(number) <= 360]
        none += ["-1"] * has_values(table, [name], [-1])
        offered += [("--no-value", f"{name}={number}") for number in none]
    elif offered and unit not in _BEYOND:  # clocks without a colon, which are seconds, too
        line = prepare_line(table, *offered[0])
        return f"only you know what they count. If they are clocks without a colon, do {line}"
    return _offered(table, "only you know what they mean", offered)


def _offered(table: Table, which: str, choices: list[tuple[str, str]]) -> str:
    """The commands of choices, one of which is right."""
    lines = " or ".join(prepare_line(table, *words) for words in choices)
    return f"{which}: " * (len(choices) > 1) + f"do {lines}" * bool(choices)


def places_hint(table: Table, names: Iterable[str]) -> str:
    """What to do about degrees beyond their range; empty if that is not known."""
    names = [*names]
    x, y = _numbers(table, names)
    if all("e7" in profile.forms for profile in profiles_of(table, *names)):
        # beyond all degrees times 10^6, and metres of maps
        (large,) = table.query(f"SELECT bool_or(abs({x}) > 9e7 OR abs({y}) > 1.8e8) FROM {table.scan()}")[0]
        return f"do {prepare_line(table, *(word for name in names for word in ('--as', f'{name}=e7')))}" * bool(large)
    within = f"{x} BETWEEN -90 AND 90 AND {y} BETWEEN -180 AND 360"
    beyond = table.query(f"SELECT DISTINCT {x}, {y} FROM {table.scan()} WHERE NOT ({within}) LIMIT 2")
    if len(beyond) == 1 and all(f"{value:g}" in SENTINELS for value in beyond[0]):
        return none_hint(table, names, f"{beyond[0][0]:g},{beyond[0][1]:g}")
    return ""


def none_hint(table: Table, names: Iterable[str], values: str) -> str:
    """The command for values of two columns that stand for no place."""
    return f"if {values} stands for no place, do {prepare_line(table, '--no-value', ','.join(names) + f'={values}')}"


def has_values(table: Table, names: Iterable[str], values: list[float]) -> bool:
    """Whether a row has these numbers in these columns."""
    same = [f"{number} = {value}" for number, value in zip(_numbers(table, names), values, strict=True)]
    return bool(table.query(f"SELECT count(*) FROM {table.scan()} WHERE {' AND '.join(same)}")[0][0])


def _numbers(table: Table, names: Iterable[str]) -> list[str]:
    texts = (texts_of(name, table.sql(table.column("column", name))).text for name in names)
    return [f"TRY_CAST({text} AS DOUBLE)" for text in texts]
