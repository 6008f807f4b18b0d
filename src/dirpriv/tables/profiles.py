"""Profiles of columns: what their values are, and which of the forms read every one of them.

A text of :data:`NO_VALUE` is no value, and a number of :data:`SENTINELS` may be none.
"""

import functools
import re
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from dirpriv.tables.forms import FORMS, NUMBERS, TEXTS
from dirpriv.tables.sql import literal
from dirpriv.tables.table import Table

NO_VALUE = "na n/a #n/a <na> null (null) nil none nan nat - -- ? . \\n".split()
SENTINELS = "91", "181", "511", "999", "-9999"
_SAMPLE = 1000  # rows that show which forms are worth a look at all rows


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
