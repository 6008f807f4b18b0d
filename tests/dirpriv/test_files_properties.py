"""Properties of releases of files of every kind: what is released, and that nothing else is told or left.

A table has columns in any order and of any names, persons with several rows, and rows without a value. All
that a run says, has open, or leaves in the folders, in the ledger or among temporary files is searched for
the true values and for the texts beside them. The wrong variant keeps a column: its texts must be found.
"""

import contextlib
import csv
import datetime
import gzip
import io
import json
import re
import struct
import tempfile
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import databases
import pandas
import pytest
from for_all import for_all
from hypothesis import strategies as st
from left_behind import files_below, open_files, open_now, values_in

from dirpriv import release
from dirpriv.command import main, terminal
from dirpriv.release import FileGuarantee, TimeColumn, read_guarantee, read_released
from dirpriv.release.files import atomic_output as _output
from dirpriv.tables import table as _tables

FORMATS = ".csv", ".csv.gz", ".parquet"
CITY = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "100m"}
DAY = datetime.datetime(2011, 7, 9)
# any characters but those that end a line, and surrogates, which no file holds
LETTERS = st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\u2028\u2029")
# a name such as 08:15 or 8.25 is refused: it may be a value of a file without names
NAME = st.text(LETTERS, min_size=1, max_size=12).filter(lambda name: not re.search("[0-9][.:][0-9]", name))
NAMES = st.lists(NAME, min_size=5, max_size=5, unique_by=lambda name: name.casefold())
SECONDS = st.integers(0, 1439).map(lambda minute: 60 * minute + 37)  # never the beginning of a cell
ROWS = st.tuples(
    st.none() | SECONDS,
    st.integers(0, 3),  # the person
    st.integers(40_700_000_001, 40_799_999_999),  # latitude and longitude, with nine digits
    st.integers(-74_009_999_999, -73_900_000_001),
)


class Table(NamedTuple):
    """A table: its columns by what they are, as names and texts, and in which order they stand."""

    names: dict
    rows: list
    order: list

    def secrets(self):
        """Texts and bytes that nothing but the input may hold: seconds, digits, persons and words."""
        found = []
        for seconds, person, north, east in self.rows:
            found += [person_of(person), person_of(person).split("-")[1], word_of(north)]
            found += [degrees(north)[:-1], degrees(east)[:-1]]
            found += [struct.pack("<d", float(degrees(whole))) for whole in (north, east)]
            if seconds is not None:
                found += [str(DAY.date()), stamp(seconds)[11:]]
                micros = int((moment(seconds) - datetime.datetime(1970, 1, 1)).total_seconds()) * 1_000_000
                found += [struct.pack("<q", micros), struct.pack("<q", seconds * 1_000_000)]
        return sorted(set(found), key=repr)


def moment(seconds):
    return DAY + datetime.timedelta(seconds=seconds)


def stamp(seconds):
    return "" if seconds is None else str(moment(seconds))


def degrees(whole):
    """Degrees of so many thousand-millionths."""
    return f"{'-' * (whole < 0)}{abs(whole) // 10**9}.{abs(whole) % 10**9:09d}"


def person_of(number):
    return f"Quill-Zyxander{number}"


def word_of(number):
    return f"Marzipanhof {number}"


@st.composite
def tables(draw, *, missing=True):
    names = dict(zip(["time", "person", "lat", "lon", "word"], draw(NAMES), strict=True))
    rows = draw(st.lists(ROWS, min_size=1, max_size=12))
    if draw(st.booleans()):  # all equal
        rows = rows[:1] * len(rows)
    if not missing or all(row[0] is None for row in rows):
        rows = [(seconds or 37, *others) for seconds, *others in rows]
    return Table(names, rows, draw(st.permutations(sorted(names))))


def write(table, path):
    """The table as a file of this format."""
    texts = {
        "time": [stamp(row[0]) for row in table.rows],
        "person": [person_of(row[1]) for row in table.rows],
        "lat": [degrees(row[2]) for row in table.rows],
        "lon": [degrees(row[3]) for row in table.rows],
        "word": [word_of(row[2]) for row in table.rows],
    }
    if path.suffix == ".parquet":
        columns = {table.names[what]: texts[what] for what in table.order}
        columns[table.names["time"]] = pandas.to_datetime(pandas.Series(texts["time"]).replace("", None))
        for what in ("lat", "lon"):
            columns[table.names[what]] = [float(text) for text in texts[what]]
        frame = pandas.DataFrame(columns)
        with databases.connection() as connection:
            connection.register("frame", frame)
            connection.execute(f"COPY frame TO '{path}' (FORMAT parquet)")
        return
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow([table.names[what] for what in table.order])
    lines.writerows(zip(*(texts[what] for what in table.order), strict=True))
    content = text.getvalue().encode()
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


class Ran(NamedTuple):
    """A run of the command: its status, what it said, and what files held while it ran and after it."""

    status: int
    said: str
    during: set
    after: dict

    def gives_away(self, values):
        """The values that the run said, held or left."""
        return values_in({*self.during, *self.after.items(), (Path("said"), self.said.encode())}, values)


class Home:
    """Folders of one example: input, output, the user's configuration and temporary files.

    ``connect`` is how the library connects to DuckDB.
    """

    def __init__(self, home, connect):
        self.home, self.connect = Path(home), connect
        self.input, self.output = self.home / "input", self.home / "output"
        self.of_user, self.temporary = self.home / "user", self.home / "temporary"
        for folder in (self.input, self.output, self.of_user, self.temporary):
            folder.mkdir()

    def run(self, source, output, *words):
        """Run the command, and look at all files whenever it says how far it is.

        Not at those that are as they were before: runs that tests have interrupted may have left their inputs open.
        """
        during, said, before = set(), io.StringIO(), open_now()

        def look(text):
            during.update(self.left().items(), open_files(source, before).items())

        variables = {"XDG_CONFIG_HOME": str(self.of_user), "TMPDIR": str(self.temporary)}
        with (
            mock.patch.dict("os.environ", variables),
            mock.patch.object(tempfile, "tempdir", None),
            mock.patch.object(terminal, "progress", lambda: contextlib.nullcontext(look)),
            mock.patch.object(_tables, "connect", self.connect),
            mock.patch.object(_output, "connect", self.connect),
            contextlib.redirect_stdout(said),
            contextlib.redirect_stderr(said),
        ):
            status = main(["release", str(source), str(self.output / output), *words])
        return Ran(status, said.getvalue(), during, self.left())

    def left(self):
        """All files but the input."""
        return files_below(self.output, self.of_user, self.temporary)


@contextlib.contextmanager
def new_home(connect=databases.connection):
    with tempfile.TemporaryDirectory() as folder:
        yield Home(folder, connect)


def times_of(table, *more, level="1"):
    return ["--level", level, "--within", "3h", f"--time={table.names['time']}", "--missing", "keep", *more]


def places_of(table, *more):
    names = [f"--latitude={table.names['lat']}", f"--longitude={table.names['lon']}"]
    region = ["--region-centre", "40.75,-73.98", "--region-reach", "30km", "--cell-size", "100m"]
    return ["--level", "1", "--within", "2km", *names, *region, *more]


def first_line(path):
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def columns_of(path):
    if path.suffix != ".parquet":
        return first_line(path)
    with databases.connection() as connection:
        return [row[0] for row in connection.execute("DESCRIBE FROM read_parquet(?)", [str(path)]).fetchall()]


# ---------------------------------------------------------------- what is told


EVERY = {"table": tables(), "source": st.sampled_from(FORMATS), "suffix": st.sampled_from(FORMATS)}


def swapped(table):
    """Whether the names of the columns of places look exchanged, which is refused."""
    lat, lon = (table.names[what].strip().lower() for what in ("lat", "lon"))
    return lat.startswith(("lon", "lng")) or lon.startswith("lat")


@for_all(10, 200, **EVERY, persons=st.none() | st.integers(1, 3), places=st.booleans())
def test_a_release_says_and_leaves_nothing_of_the_input(table, source, suffix, persons, places):
    if swapped(table):
        return
    more = [] if persons is None else [f"--user={table.names['person']}", "--max-rows-per-person", str(persons)]
    with new_home(databases.open_database) as home:
        write(table, true := home.input / f"true{source}")
        before = files_below(home.input)
        options = places_of(table, *more) if places else times_of(table, *more)
        ran = home.run(true, f"private{suffix}", *options)
        assert ran.status == 0, ran.said
        assert files_below(home.input) == before
        assert len(ran.during) > 2 and ran.gives_away(table.secrets()) == []
        private = home.output / f"private{suffix}"
        assert set(home.output.iterdir()) == {private, Path(f"{private}.guarantee.json")}
        assert not any(home.temporary.iterdir())
        # the columns and the rows that were promised, and no others
        what = ["lat", "lon"] if places else ["time"]
        assert columns_of(private) == [table.names[name] for name in what]
        (released,) = read_released(private)
        whose = [row[1] for row in table.rows]
        expected = sum(min(whose.count(person), persons or 99) for person in set(whose))
        if persons is None:
            expected = len(table.rows)
            gaps = 0 if places else sum(row[0] is None for row in table.rows)
            assert released.missing == gaps
        assert released.counts.sum() + released.missing == expected


@for_all(3, 40, table=tables(), source=st.sampled_from(FORMATS), suffix=st.sampled_from(FORMATS))
def test_a_column_that_is_kept_is_found(table, source, suffix):
    """The wrong variant of the property above."""
    with new_home(databases.open_database) as home:
        write(table, true := home.input / f"true{source}")
        ran = home.run(true, f"private{suffix}", *times_of(table, f"--keep={table.names['word']}"))
        assert ran.status == 0, ran.said
        words = {word_of(row[2]) for row in table.rows}
        assert set(ran.gives_away(table.secrets())) == words


@for_all(5, 80, **EVERY)
def test_at_a_level_that_hides_nothing_the_rows_are_those_of_the_input(table, source, suffix):
    with new_home() as home:
        write(table, true := home.input / f"true{source}")
        ran = home.run(true, f"private{suffix}", *times_of(table, level="1e6"))
        assert ran.status == 0, ran.said
        (released,) = read_released(home.output / f"private{suffix}")
        minutes = [row[0] // 60 for row in table.rows if row[0] is not None]
        assert released.counts.tolist() == [minutes.count(minute) for minute in range(1440)]


@for_all(4, 60, table=tables(), other=tables(), source=st.sampled_from(FORMATS))
def test_the_guarantee_follows_from_the_arguments_alone(table, other, source):
    """Not from rows, their number, the name of the input or the other columns."""
    with new_home() as home, new_home() as elsewhere:
        write(table, true := home.input / f"true{source}")
        assert home.run(true, "private.csv", *times_of(table)).status == 0
        found = (home.output / "private.csv.guarantee.json").read_bytes()
        named = other.names | {"time": table.names["time"]}
        if len({name.casefold() for name in named.values()}) == len(named):
            write(other._replace(names=named), true := elsewhere.input / "clinic.csv")
            assert elsewhere.run(true, "private.csv", *times_of(table)).status == 0
            assert (elsewhere.output / "private.csv.guarantee.json").read_bytes() == found
        said = TimeColumn(table.names["time"], 1.0, "3h")
        expected = FileGuarantee((said,), missing="keep", unprotected=("which rows are missing",))
        assert read_guarantee(home.output / "private.csv") == expected
        assert json.loads(found) == expected.to_json()


@for_all(3, 30, seconds=SECONDS, source=st.sampled_from(FORMATS), suffix=st.sampled_from(FORMATS))
def test_the_same_file_twice_gives_two_files(seconds, source, suffix):
    """Of 200 equal rows, with 1440 cells: equal with probability 1e-300."""
    names = dict(zip(["time", "person", "lat", "lon", "word"], "abcde", strict=True))
    table = Table(names, [(seconds, 0, 40_700_000_001, -73_900_000_001)] * 200, sorted(names))
    with new_home() as home:
        write(table, true := home.input / f"true{source}")
        found = []
        for name in ("one", "two"):
            ran = home.run(true, f"{name}{suffix}", *times_of(table, "--rerelease"))
            assert ran.status == 0, ran.said
            with databases.connection() as connection:
                scan = "read_parquet(?)" if suffix == ".parquet" else "read_csv(?)"
                path = str(home.output / f"{name}{suffix}")
                found.append(connection.execute(f"FROM {scan}", [path]).fetchall())
        assert len(found[0]) == len(found[1]) == 200 and found[0] != found[1]


# ---------------------------------------------------------------- errors

BAD = {
    "time": ["8 o'clock Zwetschge", "2011-07-39 04:44:41", "Zwetschge", "9999917171717"],
    "lat": ["91.17171717", "40.7531975319 Zwetschge", "Zwetschge", "4.07531975319e7"],
}


@for_all(
    12,
    200,
    table=tables(missing=False),
    at=st.integers(0, 11),
    what=st.sampled_from(sorted(BAD)),
    which=st.integers(0, 3),
    source=st.sampled_from([".csv", ".csv.gz"]),
)
def test_an_error_names_row_and_rule_and_leaves_nothing(table, at, what, which, source):
    if swapped(table):
        return
    at, bad = at % len(table.rows), BAD[what][which]
    with new_home() as home:
        path = home.input / f"true{source}"
        write(table, path)
        opened = gzip.open if source.endswith("gz") else open
        with opened(path, "rt", encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
        lines[at + 1][table.order.index(what)] = bad
        with opened(path, "wt", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows(lines)
        ran = home.run(path, "private.csv", *(times_of(table) if what == "time" else places_of(table)))
        assert ran.status == 2 and len(ran.said.splitlines()) == 1
        # the first value says of which kind the times are
        of_all = any(text in ran.said for text in ("the first value of the column", "contains numbers without a unit"))
        first = of_all and what == "time" and at == 0
        assert first or f"row {at + 1} of " in ran.said
        assert ran.gives_away([*table.secrets(), bad, "Zwetschge"]) == []
        assert not any(home.output.iterdir()) and not any(home.temporary.iterdir())
        ledgers = [held for path, held in ran.after.items() if path.name == "ledger.json"]
        assert all(json.loads(held)["releases"] == [] for held in ledgers)


def uncompressed(monkeypatch):
    """Let Parquet be written so that texts can be found in its bytes."""

    monkeypatch.setattr(_output, "_PARQUET", "FORMAT parquet, COMPRESSION uncompressed")


def kept_texts(home, suffix, monkeypatch, **more):
    """Texts that are kept, in the order of the output, and its bytes; the input is sorted by them."""
    uncompressed(monkeypatch)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home.of_user))
    rows = "".join(f"08:15,{i % 7},id{i:04d}\n" for i in range(300))
    (home.input / "true.csv").write_text("arrival,person,id\n" + rows)
    path = home.output / f"private{suffix}"
    release.file(home.input / "true.csv", path, time="arrival", level=1.0, radius="3h", keep="id", **more)
    with databases.connection() as connection:
        scan = "read_parquet(?)" if suffix == ".parquet" else "read_csv(?)"
        texts = [row[0] for row in connection.execute(f"SELECT id FROM {scan}", [str(path)]).fetchall()]
    return texts, gzip.decompress(path.read_bytes()) if suffix == ".csv.gz" else path.read_bytes()


@pytest.mark.parametrize("suffix", FORMATS)
def test_kept_texts_stand_in_the_order_of_the_output_only(suffix, monkeypatch):
    """Also in the dictionaries of Parquet: the order of the input may be that of the true times."""
    with new_home() as home:
        texts, content = kept_texts(home, suffix, monkeypatch)
    places = {text: content.index(text.encode()) for text in texts}
    stored = sorted(texts, key=places.__getitem__)
    assert len(texts) == 300 and texts != sorted(texts)
    # statistics of Parquet have the least and the largest before all others
    assert sum(a == b for a, b in zip(stored, texts, strict=True)) > 290


@pytest.mark.parametrize("suffix", FORMATS)
def test_kept_texts_of_rows_that_were_not_drawn_are_nowhere(suffix, monkeypatch):
    with new_home() as home:
        texts, content = kept_texts(home, suffix, monkeypatch, user="person", max_rows_per_person=2)
    assert len(texts) == 14
    assert [i for i in range(300) if f"id{i:04d}".encode() in content] == sorted(int(x[2:]) for x in texts)
