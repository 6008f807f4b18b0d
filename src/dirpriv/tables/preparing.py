"""A prepared table: each column whose values have one form becomes one of a type that says what they are."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv.tables.forms import FORMS, Profile, Texts, fits, has_texts, profiles, texts_of
from dirpriv.tables.hints import match, row_of
from dirpriv.tables.table import UNSAID, Table, identifier, literal

TEXT = "text"


@dataclass(frozen=True)
class Choices:
    """What only the holder of a table knows: forms and no-values of columns, pairs to join, and the order of days."""

    forms: dict[str, str] = field(default_factory=dict)
    none: list[tuple[list[str], list[str]]] = field(default_factory=list)
    joined: list[tuple[str, str]] = field(default_factory=list)
    first: str | None = None  # of a day and a month, "%d" or "%m"


@dataclass(frozen=True)
class PreparedColumn:
    """A column of the new table: what it has, the form in which it was read, and others that also fit."""

    name: str
    profile: Profile
    form: str | None
    open: list[str]


class PreparedTable:
    """Files of the same columns as one table, in SQL; a choice that does not read every row is refused."""

    def __init__(self, tables: Sequence[Table], choices: Choices) -> None:
        first = tables[0]
        for table in tables[1:]:
            if (table.names, table.types) != (first.names, first.types):
                raise InvalidArgument("input", "must be files with the same columns, in the same order")
        if UNSAID in first.types:  # DuckDB would write them as local times
            rule = "contains times of which the file does not say whether they are in UTC"
            raise InvalidArgument(f"the column {first.names[first.types.index(UNSAID)]!r} {rule}")
        self._tables, self._choices = tables, choices
        self._places = [place for place in range(len(first.names)) if has_texts(first, place)]
        joined = [f"{date} {clock}" for date, clock in choices.joined]
        asked = [name for name in choices.forms if name not in joined]
        for name in [*asked, *(name for names, _ in choices.none for name in names)]:
            if not has_texts(first, first.column("column", name)):
                raise InvalidArgument(f"the column {name!r} has a type, and needs no form")
        self.rows = sum(table.query(f"SELECT count(*) FROM {table.scan()}")[0][0] for table in tables)
        if not self.rows:
            raise first.refused("has no rows")
        columns = [self._texts(table) for table in tables]
        known_of = profiles(tables, columns) if columns[0] else []
        self._columns = [self._column(i, columns, profile) for i, profile in enumerate(known_of)]
        self._selects = [self._select(table, texts) for table, texts in zip(tables, columns, strict=True)]
        for names, values in choices.none:
            self._check_none(names, values)

    @property
    def columns(self) -> list[tuple[int, PreparedColumn]]:
        """The columns of texts, with their numbers; those that are joined come after all others."""
        joined = range(len(self._tables[0].names), len(self._tables[0].names) + len(self._choices.joined))
        return [(place + 1, column) for place, column in zip([*self._places, *joined], self._columns, strict=True)]

    def write(self, path: str) -> int:
        """Write the table as Parquet, and count its rows again."""
        select = " UNION ALL ".join(self._selects)
        self._tables[0].query(f"COPY ({select}) TO {literal(path)} (FORMAT parquet, USE_TMP_FILE false)")
        return int(self._tables[0].query(f"SELECT count(*) FROM read_parquet({literal(path)})")[0][0])

    def _check_none(self, names: list[str], values: list[str]) -> None:
        """Refuse what stands for no value in no row."""
        for table in self._tables:
            texts = [texts_of(table, table.column("column", name)).text for name in names]
            same = " AND ".join(match(x, value) for x, value in zip(texts, values, strict=True))
            if table.query(f"SELECT count(*) FROM {table.scan()} WHERE {same}")[0][0]:
                return
        raise InvalidArgument("no_value", f"is in no row of {', '.join(map(repr, names))}")

    def _texts(self, table: Table) -> list[Texts]:
        """The columns of a file as texts, with those that are joined."""
        columns = [texts_of(table, place) for place in self._places]
        of_name = {column.name: column for column in columns}
        for names, values in self._choices.none:
            same = " AND ".join(match(of_name[name].text, value) for name, value in zip(names, values, strict=True))
            for name in names:  # which are in the file, and not joined
                column = of_name[name]
                of_name[name] = column._replace(none=f"({column.none} OR coalesce({same}, false))")
        columns = [of_name[column.name] for column in columns]
        for date, clock in self._choices.joined:
            pair = [texts_of(table, table.column("join", name)) for name in (date, clock)]
            text = f"(nullif({pair[0].text}, '') || ' ' || nullif({pair[1].text}, ''))"
            columns.append(Texts(f"{date} {clock}", text, f"({pair[0].none} OR {pair[1].none})"))
        return columns

    def _column(self, i: int, columns: list[list[Texts]], profile: Profile) -> PreparedColumn:
        """A column in the form that is asked for, or in the only one that its values show."""
        name, shown = columns[0][i].name, profile.evident
        if mark := self._choices.first:
            other = "%m" if mark == "%d" else "%d"
            both = [form for form in shown if "%d" in form and "%m" in form]
            right = [form for form in both if form.index(mark) < form.index(other)]
            if both and not right:
                raise InvalidArgument(f"the column {name!r} has a date whose first number is no {_WORDS[mark]}")
            shown = [form for form in shown if form not in both or form in right]
        form = self._choices.forms.get(name)
        if form is None and any(fits(each)(name) for each in shown):
            raise InvalidArgument("the first line has values, and no names", hint=f"give {named('names')}")
        if form is None:
            return PreparedColumn(name, profile, shown[0] if len(shown) == 1 else None, shown if shown[1:] else [])
        if form != TEXT and form not in FORMS:
            raise InvalidArgument("form", f"must be one of {', '.join(FORMS)}, {TEXT}", got=form)
        if form != TEXT and form not in profile.forms:
            for table, texts in zip(self._tables, columns, strict=True):
                parts = " OR ".join(f"({part('x')}) IS NULL" for part in FORMS[form].parts.values())
                if row := row_of(table, f"if({texts[i].none}, NULL, {texts[i].text})", f"x IS NOT NULL AND ({parts})"):
                    hint = f"give {named('form')} another form, or {named('no_value')} for what stands for no value"
                    raise InvalidArgument(f"row {row} of {table.shown(name)} is not {FORMS[form].what}", hint=hint)
        return PreparedColumn(name, profile, None if form == TEXT else form, [])

    def _select(self, table: Table, texts: list[Texts]) -> str:
        """The rows of a file in SQL, with as many columns as names, and more for pairs and joined ones."""
        new = dict(zip(self._places, zip(texts, self._columns, strict=True), strict=False))
        parts: list[tuple[str, str]] = []
        for place, name in enumerate(table.names):
            raw = table.sql(place)
            if place not in new:
                parts.append((name, raw))
                continue
            parts += self._parts(*new[place], raw)
        for text, column in [*zip(texts, self._columns, strict=True)][len(self._places) :]:
            parts += self._parts(text, column, text.text)
        return f"SELECT {', '.join(f'{sql} AS {identifier(name)}' for name, sql in _unique(parts))} FROM {table.scan()}"

    def _parts(self, text: Texts, column: PreparedColumn, raw: str) -> list[tuple[str, str]]:
        asked = any(column.name in names for names, _ in self._choices.none)
        if column.form is None or column.form == "number":
            return [(column.name, f"if({text.none}, NULL, {raw})" if column.form or asked else raw)]
        parts = FORMS[column.form].parts.items()
        pair = [(column.name, raw)] if len(parts) > 1 else []
        return pair + [(f"{column.name}{end}", f"if({text.none}, NULL, {part(text.text)})") for end, part in parts]


_WORDS = {"%d": "day", "%m": "month"}


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
