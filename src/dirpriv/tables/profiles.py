"""Profiles of columns: what their values are, and which of the forms read every one of them.

A text of :data:`NO_VALUE` is no value, and a number of :data:`SENTINELS` may be none.
"""

import functools
import itertools
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from dirpriv.tables.forms import FORMS, NUMBERS, TEXTS
from dirpriv.tables.sql import literal
from dirpriv.tables.table import Table

NO_VALUE = "na n/a #n/a <na> null (null) nil none nan nat - -- ? . \\n".split()
SENTINELS = "91", "181", "511", "999", "-9999"


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

    @property
    def value(self) -> str:
        """The text of a row, or NULL."""
        return f"if({self.none}, NULL, {self.text})"


def texts_of(name: str, column: str) -> Texts:
    """A column in SQL as texts, without spaces around them."""
    x = f"trim(CAST({column} AS VARCHAR))"
    none = f"list_position(['', {', '.join(map(literal, NO_VALUE))}], lower({x})) > 0"  # DuckDB makes a join of IN
    return Texts(name, x, f"({x} IS NULL OR {none})")


def has_texts(table: Table, place: int) -> bool:
    """Whether a column has texts or numbers, whose form says what they are."""
    kind = table.types[place]
    return kind == "VARCHAR" or kind.startswith(("ENUM", "DECIMAL")) or kind in NUMBERS


def fits(form: str) -> Callable[[str], object]:
    """Whether a text has the pattern of a form: most forms need not be tried on all rows."""
    return functools.partial(re.fullmatch, FORMS[form].pattern.replace("\\x{2212}", "\u2212"))


def profiles(query: Callable[[str], list[Any]], rows: str, columns: Sequence[Texts]) -> list[Profile]:
    """The profile of each column of rows in SQL, by what runs a statement."""
    texts = f"SELECT {', '.join(f'{column.value} AS x{i}' for i, column in enumerate(columns))} FROM {rows}"
    first = query(f"{texts} LIMIT 1000")  # which show what forms are worth a look at all rows
    tried, asked = [], []
    for i in range(len(columns)):
        x, shown = f"x{i}", {row[i] for row in first} - {None}
        tried.append(names := [name for name in FORMS if all(map(fits(name), shown))])
        parts = [" AND ".join(f"({part(x)}) IS NOT NULL" for part in FORMS[name].parts.values()) for name in names]
        reads = [f"bool_and({part}) FILTER ({x} IS NOT NULL) IS NOT false" for part in parts]
        for at, some in enumerate(FORMS[name].some for name in names):
            reads[at] += f" AND bool_or(regexp_matches({x}, {literal(some)})) IS true" if some else ""
        sentinels = [f"count(*) FILTER (list_position(['{number}', '{number}.0'], {x}) > 0)" for number in SENTINELS]
        asked += [f"count({x})", f"count(*) - count({x})", f"[{', '.join(sentinels)}]", f"[{', '.join(reads)}]"]
    (row,) = query(f"SELECT {', '.join(asked)} FROM ({texts})")
    of_columns = zip(row[::4], row[1::4], row[2::4], row[3::4], tried, strict=True)
    return [
        Profile(values, none, dict(zip(SENTINELS, counts, strict=True)), [*itertools.compress(names, reads)])
        for values, none, counts, reads, names in of_columns
    ]
