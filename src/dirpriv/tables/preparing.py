"""A prepared table: each column whose values have one form becomes one of a type that says what they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv.tables.forms import FORMS
from dirpriv.tables.profiles import Profile, Texts, fits, has_texts, profiles, texts_of
from dirpriv.tables.sql import identifier, literal
from dirpriv.tables.table import UNSAID, Table

TEXT = "text"
_WORDS = {"%d": "day", "%m": "month"}


@dataclass(frozen=True)
class PreparedColumn:
    """A column of the new table: what it has, the form in which it was read, and others that also fit."""

    name: str
    profile: Profile
    form: str | None
    open: list[str]


class PreparedTable:
    """Files of the same columns as one table, in SQL; a choice that does not read every row is refused.

    What only the holder of a table knows is ``choices``: the ``form`` of a column by its name, columns with values
    that are none (``no_value``), pairs to ``join``, and the ``first`` of a day and a month, ``"%d"`` or ``"%m"``.
    """

    def __init__(self, tables: Sequence[Table], choices: Any) -> None:
        self._tables, self._choices, self._first = tables, choices, tables[0]
        self._forms = dict(choices.form)
        names, types = self._first.names, self._first.types
        for table in tables[1:]:
            if (table.names, table.types) != (names, types):
                raise InvalidArgument("input", "must be files with the same columns, in the same order")
        if UNSAID in types:  # DuckDB would write them as local times
            rule = "contains times of which the file does not say whether they are in UTC"
            raise InvalidArgument(f"the column {names[types.index(UNSAID)]!r} {rule}")
        self.rows = sum(table.query(f"SELECT count(*) FROM {table.scan()}")[0][0] for table in tables)
        if not self.rows:
            raise self._first.refused("has no rows")
        self._files = []  # in SQL, each with the columns c0, c1, ...
        for table in tables:
            columns = ", ".join(f"{table.sql(place)} AS c{place}" for place in range(len(names)))
            self._files.append(f"(SELECT {columns} FROM {table.scan()})")
        self._rows = f"({' UNION ALL '.join(self._files)})"
        self._texts = self._all_texts()
        known_of = profiles(self._first.query, self._rows, [*self._texts.values()]) if self._texts else []
        pairs = zip(self._texts.items(), known_of, strict=True)
        self.columns = {place + 1: self._column(text, profile) for (place, text), profile in pairs}  # by their numbers

    def write(self, path: str) -> int:
        """Write the table as Parquet, and count its rows again."""
        parts = ", ".join(f"{sql} AS {identifier(name)}" for name, sql in _unique(self._parts()))
        copy = f"COPY (SELECT {parts} FROM {self._rows}) TO {literal(path)} (FORMAT parquet, USE_TMP_FILE false)"
        self._first.query(copy)
        return int(self._first.query(f"SELECT count(*) FROM read_parquet({literal(path)})")[0][0])

    def _all_texts(self) -> dict[int, Texts]:
        """The columns as texts by their places, with those that are joined after all others."""
        first, pairs = self._first, [f"{date} {clock}" for date, clock in self._choices.join]
        texts = {i: texts_of(name, f"c{i}") for i, name in enumerate(first.names) if has_texts(first, i)}

        def place_of(name: str) -> int:
            if (place := first.column("column", name)) not in texts:
                raise InvalidArgument(f"the column {name!r} has a type, and needs no form")
            return place

        for name in self._forms.keys() - pairs:
            place_of(name)
        for columns, values in self._choices.no_value:
            places = [place_of(name) for name in columns]
            same = " AND ".join(_match(texts[place].text, value) for place, value in zip(places, values, strict=True))
            if not first.query(f"SELECT count(*) FROM {self._rows} WHERE {same}")[0][0]:
                raise InvalidArgument("no_value", f"is in no row of {', '.join(map(repr, columns))}")
            for place in places:
                none = f"({texts[place].none} OR coalesce({same}, false))"
                texts[place] = texts[place]._replace(none=none)
        for i, (pair, both) in enumerate(zip(pairs, self._choices.join, strict=True)):
            date, clock = (texts_of(name, f"c{first.column('join', name)}") for name in both)
            text = f"(nullif({date.text}, '') || ' ' || nullif({clock.text}, ''))"
            texts[len(first.names) + i] = Texts(pair, text, f"({date.none} OR {clock.none})")
        return texts

    def _column(self, text: Texts, profile: Profile) -> PreparedColumn:
        """A column in the form that is asked for, or in the only one that its values show."""
        name, shown = text.name, profile.evident
        if mark := self._choices.first:
            other = "%m" if mark == "%d" else "%d"
            both = [form for form in shown if "%d" in form and "%m" in form]
            right = [form for form in both if form.index(mark) < form.index(other)]
            if both and not right:
                raise InvalidArgument(f"the column {name!r} has a date whose first number is no {_WORDS[mark]}")
            shown = [form for form in shown if form not in both or form in right]
        form = self._forms.get(name)
        if form is None and any(fits(each)(name) for each in shown):
            raise InvalidArgument("the first line has values, and no names", hint=f"give {named('names')}")
        if form is None:
            return PreparedColumn(name, profile, shown[0] if len(shown) == 1 else None, shown if shown[1:] else [])
        if form != TEXT and form not in FORMS:
            raise InvalidArgument("form", f"must be one of {', '.join(FORMS)}, {TEXT}", got=form)
        if form != TEXT and form not in profile.forms:
            wrong = " OR ".join(f"({part('x')}) IS NULL" for part in FORMS[form].parts.values())
            for table, rows in zip(self._tables, self._files, strict=True):
                numbered = f"SELECT row_number() OVER () AS n, {text.value} AS x FROM {rows}"
                bad = table.query(f"SELECT min(n) FROM ({numbered}) WHERE x IS NOT NULL AND ({wrong})")
                if (row := bad[0][0]) is not None:
                    hint = f"give {named('form')} another form, or {named('no_value')} for what stands for no value"
                    raise InvalidArgument(f"row {row} of {table.shown(name)} is not {FORMS[form].what}", hint=hint)
        return PreparedColumn(name, profile, None if form == TEXT else form, [])

    def _parts(self) -> list[tuple[str, str]]:
        """The new columns in SQL, by their names: as many as were, and more for pairs and joined ones."""
        names = dict(enumerate(self._first.names)) | {place: text.name for place, text in self._texts.items()}
        asked = {name for names, _ in self._choices.no_value for name in names}
        parts = []
        for place, name in names.items():
            if place not in self._texts:
                parts.append((name, f"c{place}"))
                continue
            text, form = self._texts[place], self.columns[place + 1].form
            raw = f"c{place}" if place < len(self._first.names) else text.text
            if form is None or form == "number":
                parts.append((name, f"if({text.none}, NULL, {raw})" if form or name in asked else raw))
                continue
            new = FORMS[form].parts.items()
            parts += [(name, raw)] * (len(new) > 1)
            parts += [(f"{name}{end}", part(text.value)) for end, part in new]
        return parts


def _match(x: str, value: str) -> str:
    """Whether a text is a value, as a text or as a number, in SQL."""
    return f"(lower({x}) = {literal(value.lower())} OR TRY_CAST({x} AS DOUBLE) = TRY_CAST({literal(value)} AS DOUBLE))"


def _unique(parts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Names that differ also without capitals, as a Parquet file needs them."""
    taken: set[str] = set()
    unique = []
    for name, sql in parts:
        new, number = name or "column", 2
        while new.casefold() in taken:
            new, number = f"{name}_{number}", number + 1
        taken.add(new.casefold())
        unique.append((new, sql))
    return unique
