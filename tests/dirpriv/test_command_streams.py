"""Several files as one release, standard input, and standard output."""

import contextlib
import errno
import gzip
import io
import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import databases
import pytest
from command_runs import CITY, SOURCE, Ran, contents, folder, run
from for_all import for_all
from hypothesis import strategies as st
from tables_of_releases import new_holder

from dirpriv import release
from dirpriv.command import main
from dirpriv.release import CircleRelease, PlaneRelease, read_guarantee
from dirpriv.release.files import atomic_output, release_steps
from dirpriv.release.files import release as files
from dirpriv.release.ledger import ledger
from dirpriv.tables import table as tables

__all__ = ["folder"]
holder = pytest.fixture(new_holder)
CALL = {"time": "arrival", "level": 1.0, "radius": "3h"}
WORDS = ["--time", "arrival", "--level", "1", "--within", "3h"]
STREAM = "-", "--guarantee", "private.json", *WORDS
LINUX = pytest.mark.skipif(
    not hasattr(os, "memfd_create"), reason="standard input needs a file in memory (memfd), which only Linux has"
)


@pytest.fixture
def exact(monkeypatch):
    """The draw replaced by the identity: what is released are the true cells."""
    monkeypatch.setattr(CircleRelease, "_released", lambda self, cells: cells)
    monkeypatch.setattr(PlaneRelease, "randomise_cells", lambda self, east, north: (east, north))


def days(folder, count=3, rows=4):
    """Files of a week's days, each of other rows of the same persons."""
    (folder / "days").mkdir(exist_ok=True)
    for day in range(count):
        lines = [f"{row % 3},{8 + day:02}:{row:02}" for row in range(rows)]
        (folder / "days" / f"{day}.csv").write_text("\n".join(["id,arrival", *lines]) + "\n")
    return [folder / "days" / f"{day}.csv" for day in range(count)]


def entries():
    path = ledger.folder() / ledger.NAME
    return json.loads(path.read_text())["releases"] if path.exists() else []


# ---------------------------------------------------------------------- one table in several files


MADE = []


@pytest.fixture(scope="module")
def of_module(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        MADE.append(new_holder(tmp_path_factory.mktemp("holder"), patch))
        patch.setattr(CircleRelease, "_released", lambda self, cells: cells)
        patch.setattr(PlaneRelease, "randomise_cells", lambda self, east, north: (east, north))
        yield


def written(rows, suffix, name, turned):
    """A file of rows (person, minute or None, latitude), with its columns in one or the other order."""
    holder, head = MADE[-1], ["id", "arrival", "lat", "lon"]
    lines = [
        [f"p{person}", "" if minute is None else f"{minute // 60:02}:{minute % 60:02}", str(lat), "-73.98"]
        for person, minute, lat in rows
    ]
    table = [head, *lines]
    if turned:
        table = [["more", *line[::-1]] for line in table]
    text = "\n".join(map(",".join, table)) + "\n"
    if suffix == ".csv":
        return holder.csv(text, f"{name}.csv")
    if suffix == ".csv.gz":
        return holder.csv(gzip.compress(text.encode()), f"{name}.csv.gz")
    path = holder.csv(text, f"{name}.text")
    return holder.parquet(f"FROM read_csv('{path}', all_varchar=true, header=true)", f"{name}.parquet")


@pytest.mark.usefixtures("of_module")
@for_all(
    15,
    500,
    rows=st.lists(
        st.tuples(st.integers(0, 3), st.none() | st.integers(0, 1439), st.sampled_from([40.75, 40.8])),
        min_size=1,
        max_size=20,
    ),
    cuts=st.lists(st.integers(1, 19), max_size=3, unique=True),
    kinds=st.lists(st.tuples(st.sampled_from(tables.SUFFIXES), st.booleans()), min_size=5, max_size=5),
    how=st.sampled_from(["order", "shuffled", "places", "persons"]),
)
def test_a_split_table_gives_what_the_whole_one_gives(rows, cuts, kinds, how):
    """Cell by cell, whatever the formats and the order of the columns of its parts."""
    holder = MADE[-1]
    rows = [(person, minute, lat + n / 1000) for n, (person, minute, lat) in enumerate(rows)]  # all differ
    ends = [0, *sorted(cut for cut in cuts if cut < len(rows)), len(rows)]
    parts = [
        written(rows[a:b], kinds[i][0], f"part{i}", kinds[i][1]) for i, (a, b) in enumerate(itertools.pairwise(ends))
    ]
    whole = written(rows, kinds[-1][0], "whole", kinds[-1][1])
    call = {"level": 1.0, "missing": "keep", "rerelease": True, "keep_order": how != "shuffled"}
    if how == "places":
        call |= {"latitude": "lat", "longitude": "lon", "radius": "200m", **CITY}
    else:
        call |= {"time": "arrival", "radius": "3h"}
    if how == "persons":  # all rows of everybody: which of more are chosen is drawn
        call |= {"user": "id", "max_rows_per_person": 20}
    found = []
    for source in (whole, parts):
        for path in holder.output.iterdir():
            path.unlink()
        guarantee = holder.release(source, **call)
        found.append([*map(tuple, holder.released())])
        text = json.dumps(guarantee.to_json() | {"earlier_releases": [], "composed": None})
        found.append(text)
    if how == "shuffled":
        found[0], found[2] = sorted(found[0]), sorted(found[2])
    assert found[0] == found[2] and len(found[0]) == len(rows)
    assert found[1] == found[3]  # nothing tells how many files or rows there were


def test_the_rows_of_a_person_are_counted_over_all_files(holder, exact):
    made = days(holder.input, 4, 3)
    holder.release(made, user="id", max_rows_per_person=2, **CALL)
    assert len(holder.released()) == 6  # of three persons with four rows, each in another file
    holder.release(made, "all.csv", user="id", max_rows_per_person=4, rerelease=True, **CALL)
    assert len(holder.released("all.csv")) == 12
    hours = {row[0][:2] for row in holder.released("all.csv")}
    assert hours == {"08", "09", "10", "11"}


def test_a_person_is_known_in_a_csv_and_in_a_parquet(holder, exact):
    one = holder.csv("id,arrival\n7,08:15\n8,08:16\n")
    two = holder.parquet("SELECT ' 7 ' AS id, '09:15' AS arrival")
    holder.release([one, two], user="id", **CALL)
    assert len(holder.released()) == 2


def test_the_order_is_random_over_all_files(holder, exact):
    """Of 400 rows, the first half from the first file: fewer than 60 there once in 1e15; none are moved."""
    first, second = (
        holder.column([f"{hour}:00"] * 200, "arrival").rename(holder.input / f"{hour}.csv") for hour in ("08", "09")
    )
    holder.release([first, second], **CALL)
    early = [row[0] for row in holder.released()[:200]].count("08:00")
    assert 60 < early < 140
    holder.release([first, second], "kept.csv", rerelease=True, keep_order=True, **CALL)
    assert [row[0] for row in holder.released("kept.csv")] == ["08:00"] * 200 + ["09:00"] * 200


def test_the_first_text_of_all_files_says_what_texts_are(holder, exact):
    one, two = (holder.csv('arrival\n""\n', "1.csv"), holder.csv("arrival\n8.25\n", "2.csv"))
    holder.release([one, two], missing="keep", unit="h", keep_order=True, **CALL)
    assert holder.released() == [['""'], ["08:15"]]
    three = holder.csv("arrival\n08:15\n", "3.csv")
    with pytest.raises(ValueError, match=r"row 1 of 'arrival' in '.*3.csv' is not a number, .*: use one format in the"):
        holder.release([one, two, three], "more.csv", missing="keep", unit="h", rerelease=True, **CALL)


REFUSED = {
    "a value": ({"b.csv": "arrival\n09:00\n08:61\n"}, r"row 2 of 'arrival' in 'b.csv' is not a time"),
    "no value": ({"b.csv": 'arrival\n""\n'}, r"row 1 of 'arrival' in 'b.csv' has no value"),
    "no column": ({"b.csv": "arival\n08:15\n"}, "names no column of 'b.csv'; got 'arrival': did you mean"),
    "no rows": ({"b.csv": "arrival\n"}, r"'.*b.csv' has no rows: leave it out"),
    "nothing": ({"b.csv": ""}, r"'.*b.csv' is empty"),
    "other fields": ({"b.csv": "arrival\n08:15,1\n"}, r"'.*b.csv' cannot be read as CSV from line 2 on"),
    "no text": ({"b.csv": b"arrival\n\x81\n"}, r"line 2 of '.*b.csv' is no UTF-8 text"),
    "another end": ({"b.doc": "arrival\n08:15\n"}, r"must be the path of a file .csv, .*; got '.*b.doc'"),
    "no file": ({"c.csv": "arrival\n08:15\n"}, "must be a file; there is none at '.*b.csv'"),
}


@pytest.mark.parametrize(("more", "says"), REFUSED.values(), ids=REFUSED)
def test_what_is_wrong_in_one_file_names_it_and_stops_all(holder, monkeypatch, more, says):
    monkeypatch.chdir(holder.input)
    holder.csv("arrival\n08:15\n", "a.csv")
    name = next(iter(more)).replace("c.csv", "b.csv")
    for path, text in more.items():
        holder.csv(text, path)
    with pytest.raises(ValueError, match=says) as raised:
        holder.release(["a.csv", name], **CALL)
    assert "08:" not in str(raised.value)
    assert holder.outputs() == [] and holder.ledger() == []


def test_no_value_of_a_person_names_the_file(holder):
    one = holder.csv("id,arrival\na,08:15\n", "a.csv")
    two = holder.csv("id,arrival\nb,08:15\n ,09:15\n", "b.csv")
    with pytest.raises(ValueError, match=r"row 2 of 'id' in '.*b.csv' has no value"):
        holder.release([one, two], user="id", **CALL)


@pytest.mark.parametrize(
    ("one", "other", "says"),
    [
        ("8.25::DOUBLE", "8::INTEGER", r"\(INTEGER, and DOUBLE there\)"),
        ("TIME '08:15:00'", "'08:15'", r"\(VARCHAR, and TIME there\)"),
        ("8.25::DECIMAL(4, 2)", "8.25::DECIMAL(9, 4)", r"\(DECIMAL, and DECIMAL there\)"),
    ],
)
def test_files_of_other_types_are_refused_by_file_and_column(holder, one, other, says):
    made = [holder.parquet(f"SELECT {x} AS arrival", f"{i}.parquet") for i, x in enumerate([one, other])]
    with pytest.raises(ValueError, match=r"the column 'arrival' in '.*1.parquet' has another type.*" + says):
        holder.release(made, unit="h", **CALL)
    assert holder.ledger() == []


def test_persons_of_other_types_are_refused(holder):
    made = [
        holder.parquet(f"SELECT {x} AS id, '08:15' AS arrival", f"{i}.parquet")
        for i, x in enumerate(["7::INTEGER", "'7'"])
    ]
    with pytest.raises(ValueError, match=r"the column 'id' in '.*1.parquet' has another type"):
        holder.release(made, user="id", **CALL)


SAME = {
    "itself": lambda path: path,
    "a link": lambda path: linked(path, os.symlink),
    "a hard link": lambda path: linked(path, os.link),
    "a copy": lambda path: copied(path, "copy.csv", path.read_bytes()),
    "packed": lambda path: copied(path, "copy.csv.gz", gzip.compress(path.read_bytes())),
}


def linked(path, link):
    link(path, path.with_name("link.csv"))
    return path.with_name("link.csv")


def copied(path, name, data):
    path.with_name(name).write_bytes(data)
    return path.with_name(name)


@pytest.mark.parametrize("same", SAME.values(), ids=SAME)
def test_a_file_is_refused_twice(holder, same):
    one, two, _ = days(holder.input)
    with pytest.raises(ValueError, match=r"'.*0.csv' and '.*' have the same contents: give one of them"):
        holder.release([one, two, same(one)], **CALL)
    assert holder.outputs() == [] and holder.ledger() == []


def test_too_many_files_and_none(holder, monkeypatch):
    monkeypatch.setattr(release_steps, "_MOST_FILES", 2)
    with pytest.raises(ValueError, match="must be at most 2 files; got 3: join some of them"):
        holder.release(days(holder.input), **CALL)
    for none in ([], [None], {"a.csv": 1}):
        with pytest.raises(ValueError, match="'input' must be"):
            holder.release(none, **CALL)


# ---------------------------------------------------------------------- the ledger and the account


def test_a_file_is_recognised_in_whichever_combination(holder):
    one, two, three = days(holder.input)
    holder.release([one, two], **CALL)
    assert len(holder.ledger()) == 2
    for again in (one, [two], [three, two], copied(two, "x.csv.gz", gzip.compress(two.read_bytes()))):
        with pytest.raises(ValueError, match=r"'arrival' of ('.*[01].csv'|this file) was released before"):
            holder.release(again, "second.csv", **CALL)
    assert holder.release(three, "three.csv", **CALL).earlier == ()
    earlier = release.EarlierRelease(("arrival",), 1.0, "3h")
    both = holder.release([two, one], "both.csv", rerelease=True, **CALL)
    assert both.earlier == (earlier,) and both.composed["per_response"]["level"] == 2.0
    whole = holder.release([one, two, three], "all.csv", rerelease=True, **CALL)
    assert whole.earlier == (earlier,) * 3 and whole.composed["per_response"]["level"] == 4.0
    assert holder.release(three, "3.csv", rerelease=True, **CALL).composed["per_response"]["level"] == 3.0
    assert read_guarantee(holder.output / "all.csv") == whole


def test_levels_of_persons_add_up_over_files(holder):
    one, two, _ = days(holder.input)
    holder.release([one, two], user="id", max_rows_per_person=2, **CALL)
    again = holder.release(two, "2.csv", user="id", rerelease=True, **CALL)
    assert again.composed["per_person"] == {"level": 3.0, "delta": 0.0}


def test_an_account_counts_a_release_of_several_files_once(holder):
    one, two, three = days(holder.input)
    holder.release([one, two], other_people=False, user="id", max_rows_per_person=2, **CALL)
    person = CALL | {"user": "id"}
    with pytest.raises(ValueError, match="'arrival' of another file was released before"):
        holder.release(three, "x.csv", other_people=False, **person)
    said = holder.release(three, "3.csv", dataset="staff", **person).account
    assert "2 declared releases. The sum is level 3 for a person" in said  # two rows, adopted once, and one
    with pytest.raises(ValueError, match=r"'.*0.csv' belongs to a dataset: give dataset='staff'"):
        holder.release([one, two], "x.csv", rerelease=True, **person)
    said = holder.release([one, three], "4.csv", dataset="staff", rerelease=True, **person).account
    assert "3 declared releases. The sum is level 4" in said


def test_a_new_file_beside_a_known_one_is_asked_whose_it_is(holder):
    """A was said to be of other people than C; of B nothing was said."""
    a, b, c = days(holder.input)
    holder.release(a, **CALL)
    holder.release(c, "c.csv", **CALL)
    with pytest.raises(ValueError, match="of another file was released before"):
        holder.release([a, b], "ab.csv", rerelease=True, other_people=False, **CALL)
    holder.release(a, "a.csv", rerelease=True, other_people=False, **CALL)
    holder.release([a, b], "ab.csv", rerelease=True, **CALL)


def test_all_files_are_in_the_ledger_before_the_first_draw(holder, monkeypatch):
    draw, seen = files.LocalJob._draw, []

    def drawing(job, rows):
        seen.append(len({entry["file"] for entry in entries()}))
        return draw(job, rows)

    monkeypatch.setattr(files.LocalJob, "_draw", drawing)
    holder.release(days(holder.input), **CALL)
    assert seen and set(seen) == {3}


def test_a_release_of_one_of_the_files_meanwhile_is_noticed(holder):
    one, two, three = days(holder.input)
    others = []

    def release_others(share):
        if share >= 0.2 and not others:
            others.append(holder.release([two, three], "others.csv", **CALL))

    with pytest.raises(ValueError, match="was released by another run at the same time: start again"):
        holder.release([one, two], progress=release_others, rerelease=True, **CALL)
    assert len(holder.ledger()) == 2 and len(holder.outputs()) == 2


@pytest.mark.parametrize("moment", [0.05, 0.2, 0.5])
def test_one_file_that_changes_stops_all(holder, moment):
    made, met = days(holder.input), []

    def change(share):
        if share >= moment and not met:
            met.append(share)
            made[1].write_text("id,arrival\n0,13:37\n")

    with pytest.raises(ValueError, match=r"'.*1.csv' (was changed|has)") as raised:
        holder.release(made, progress=change, **CALL)
    assert "13:37" not in str(raised.value) and holder.outputs() == []
    assert len(holder.ledger()) == (3 if moment == 0.5 else 0)


# ---------------------------------------------------------------------- patterns, in the command


def test_a_pattern_is_shown_in_order_and_read(folder):
    days(folder)
    Path("days/0[1].csv").write_text("id,arrival\n9,20:00\n")
    ran = run("release", "days/?.csv", "days/0[1].csv", "private.csv", *WORDS)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out.startswith("Files:\n  days/0.csv\n  days/1.csv\n  days/2.csv\n  days/0[1].csv\nReleased: ")
    assert len(Path("private.csv").read_text().splitlines()) == 14
    ran = run("release", "days/2.csv", "b.csv", *WORDS)
    assert ran.status == 2 and ran.out == "" and "of this file was released before" in ran.err


def test_patterns_and_folders_that_give_nothing_are_refused_with_the_remedy(folder):
    days(folder)
    (folder / "days" / "sub.csv").mkdir()
    cases = {
        "none/*.csv": "IN matches no file; got 'none/*.csv': give another pattern, such as 'days/*.csv'",
        "days": "days' is a folder: give a file of it, or several as '",
        "days/*": "sub.csv' is a folder: give a file of it, or several as '",
    }
    for word, says in cases.items():
        ran = run("release", word, "out.csv", *WORDS)
        assert ran.status == 2 and says in ran.err and len(ran.err.splitlines()) == 1
    assert entries() == [] and not Path("out.csv").exists()


def test_a_released_file_beside_true_ones_is_not_released_again(folder):
    for name in ("a.csv", "b.csv"):
        Path(name).write_text(f"id,arrival\n{name},08:15\n")
    assert run("release", "?.csv", "c.csv", *WORDS).status == 0
    ran = run("release", "?.csv", "private.csv", "--rerelease", *WORDS)
    assert ran.status == 2 and "'c.csv' is a released file, because its guarantee is beside it" in ran.err


def test_the_first_refusal_of_a_pattern_gives_a_whole_command(folder):
    days(folder)
    ran = run("release", "days/*.csv", "out.csv")
    assert "dirpriv release 'days/*.csv' out.csv --time arrival --level LEVEL --within RADIUS" in ran.err


def test_files_on_both_sides_of_an_option_are_refused_with_the_remedy(folder):
    days(folder)
    ran = run("release", "days/0.csv", "days/1.csv", "--time", "arrival", "out.csv", *WORDS[2:])
    assert ran.status == 2 and "'out.csv': give all files side by side, the last is OUT" in ran.err
    ran = run("release", "days/0.csv", "--time", "arrival", "out.csv", *WORDS[2:])
    assert ran.status == 0


def test_a_file_that_may_not_be_read_is_named(folder, monkeypatch):
    days(folder)
    opened = os.open

    def refusing(path, *args, **more):
        if str(path).endswith("1.csv"):
            raise PermissionError(errno.EACCES, "MARKER", str(path))
        return opened(path, *args, **more)

    monkeypatch.setattr(os, "open", refusing)
    ran = run("release", "days/*.csv", "out.csv", *WORDS)
    assert (ran.status, ran.err) == (2, "dirpriv release: error: 'days/1.csv': Permission denied\n")
    assert entries() == [] and not Path("out.csv").exists()


# ---------------------------------------------------------------------- standard input

ROWS = b"id,arrival\n1,08:15\n2,09:00\n3,10:30\n"


class Stream(io.TextIOWrapper):
    """Standard input of these bytes, and perhaps a terminal."""

    def __init__(self, data, terminal=False):
        super().__init__(io.BytesIO(data))
        self.isatty = lambda: terminal


@contextlib.contextmanager
def given(monkeypatch, data, terminal=False):
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stdin", Stream(data, terminal) if isinstance(data, bytes) else data)
        yield


def as_parquet(data):
    with databases.connection() as connection:
        Path("in.csv.tmp").write_bytes(data)
        connection.execute("COPY (FROM read_csv('in.csv.tmp', all_varchar=true)) TO 'p.tmp' (FORMAT parquet)")
    return Path("p.tmp").read_bytes()


FORMS = {".csv": bytes, ".csv.gz": gzip.compress, ".parquet": as_parquet}


@LINUX
@pytest.mark.parametrize("suffix", FORMS)
def test_standard_input_is_known_by_its_bytes(folder, monkeypatch, suffix):
    data = FORMS[suffix](ROWS)
    with given(monkeypatch, data):
        ran = run("release", "-", "private.csv", *WORDS)
    assert (ran.status, ran.err) == (0, "")
    assert len(Path("private.csv").read_text().splitlines()) == 4
    Path(f"true{suffix}").write_bytes(data)
    ran = run("release", f"true{suffix}", "second.csv", *WORDS)
    assert ran.status == 2 and "'arrival' of this file was released before" in ran.err
    others = [ROWS, gzip.compress(ROWS, 1)] if suffix != ".parquet" else [data]
    for other in others:
        with given(monkeypatch, other):
            assert "was released before" in run("release", "-", "second.csv", *WORDS).err
    assert len(entries()) == 1


@LINUX
def test_a_file_is_known_when_it_comes_through_a_pipe_later(folder, monkeypatch):
    Path("true.csv").write_bytes(ROWS)
    assert run("release", "true.csv", "private.csv", *WORDS).status == 0
    with given(monkeypatch, ROWS):
        assert "was released before" in run("release", "-", "second.csv", *WORDS).err
    with given(monkeypatch, ROWS):
        ran = run("release", "true.csv", "-", "second.csv", *WORDS, "--rerelease")
    assert ran.status == 2 and "'true.csv' and 'standard input' have the same contents" in ran.err


@LINUX
def test_standard_input_is_one_of_several(folder, monkeypatch, exact):
    days(folder)
    with given(monkeypatch, gzip.compress(ROWS)):
        ran = run("release", "days/*.csv", "-", "private.csv", "--keep-order", *WORDS)
    assert ran.status == 0 and "  -\n" in ran.out
    assert Path("private.csv").read_text().splitlines()[-3:] == ["08:15:30", "09:00:30", "10:30:30"]
    with given(monkeypatch, ROWS.replace(b"09:00", b"09:61")):
        ran = run("release", "days/*.csv", "-", "second.csv", "--rerelease", "--other-people", *WORDS)
    assert "row 2 of 'arrival' in 'standard input' is not a time" in ran.err and "09:61" not in ran.err


NOT_READ = {
    "a terminal": (ROWS, True, "'standard input' is a terminal or closed: give a file, or send one: cat in.csv"),
    "closed": (None, False, "'standard input' is a terminal or closed"),
    "text": (io.StringIO("x"), False, "'standard input' is a terminal or closed"),
    "empty": (b"", False, "'standard input' is empty"),
    "no text": (b"\xff\xfe\x00", False, "'standard input' is damaged UTF-16 text"),
    "a cut gzip": (gzip.compress(ROWS)[:-9], False, "'standard input' is not a complete gzip file"),
    "a cut Parquet": (b"PAR1" + bytes(50), False, "'standard input' cannot be read as Parquet"),
    "too large": (b"arrival\n" + b"08:15\n" * 9000, False, "has more than 0 MB, and is kept in memory: save"),
}


@LINUX
@pytest.mark.parametrize(("data", "terminal", "says"), NOT_READ.values(), ids=NOT_READ)
def test_standard_input_that_is_not_read(folder, monkeypatch, data, terminal, says):
    monkeypatch.setattr(tables, "MOST_HELD", 10_000)
    with given(monkeypatch, data, terminal):
        ran = run("release", "-", "private.csv", *WORDS)
    assert ran.status == 2 and ran.out == "" and says in ran.err and len(ran.err.splitlines()) == 1
    assert entries() == [] and not Path("private.csv").exists()


@LINUX
def test_standard_input_that_would_wait_is_not_taken_for_its_end(folder, monkeypatch):
    """A stream that does not wait gives None between its bytes: half of a table would be released."""
    found = [None, ROWS]
    waiting = SimpleNamespace(buffer=SimpleNamespace(read=lambda size: found.pop()), isatty=lambda: False)
    with given(monkeypatch, waiting):
        ran = run("release", "-", "private.csv", *WORDS)
    assert ran.status == 2 and "'standard input' gives no data without waiting" in ran.err


def test_standard_input_is_read_on_linux_only(folder, monkeypatch):
    monkeypatch.delattr(os, "memfd_create", raising=False)
    with given(monkeypatch, ROWS):
        ran = run("release", "-", "private.csv", *WORDS)
    assert ran.status == 2 and "'standard input' is read on Linux only: save it first, by: cat" in ran.err


@LINUX
def test_standard_input_twice_and_pipes_by_their_paths(folder, monkeypatch):
    with given(monkeypatch, ROWS):
        ran = run("release", "-", "-", "private.csv", *WORDS)
    assert ran.status == 2 and "IN contains standard input twice" in ran.err
    os.mkfifo("true.csv")
    ran = run("release", "true.csv", "private.csv", *WORDS)
    assert ran.status == 2 and "is a pipe or a device: 'dirpriv release' takes a pipe as '-'" in ran.err
    read, write = os.pipe()
    os.close(write)
    ran = run("release", f"/dev/fd/{read}", "private.csv", *WORDS)
    os.close(read)
    assert ran.status == 2 and "takes a pipe as '-', standard input; else save it first" in ran.err


@LINUX
def test_true_values_of_standard_input_are_in_no_file(folder, monkeypatch):
    with given(monkeypatch, b"id,arrival\nzqx,13:37\n"):
        main(["release", "-", "private.csv", "--time", "arrival", "--level", "1", "--within", "3h"])
    found = contents(folder.parent)
    assert found and not any(b"zqx" in (data or b"") for data in found.values())


# ---------------------------------------------------------------------- standard output


class Out(io.TextIOWrapper):
    """Standard output that looks at the folder when the first bytes come, and may fail."""

    def __init__(self, fails=None):
        super().__init__(io.BytesIO())
        self.seen, self.fails = None, fails

    @property
    def buffer(self):
        return self

    def write(self, data):
        if isinstance(data, str):
            raise AssertionError("a message in standard output")
        self.seen = self.seen or (sorted(os.listdir()), len(entries()))
        if self.fails:
            raise self.fails
        return super().buffer.write(data)


def streamed(monkeypatch, *words, out=None, data=None):
    """A run whose standard output is this, and what it has written to it."""
    out, err = out or Out(), io.StringIO()
    with monkeypatch.context() as patch, contextlib.redirect_stderr(err):
        patch.setattr(sys, "stdout", out)
        if data is not None:
            patch.setattr(sys, "stdin", Stream(data))
        status = main([str(word) for word in words])
    return Ran(status, super(Out, out).buffer.getvalue().decode(), err.getvalue())


def test_standard_output_gets_the_rows_alone_after_all_is_drawn(folder, monkeypatch, exact):
    Path("true.csv").write_bytes(ROWS)
    out = Out()
    ran = streamed(monkeypatch, "release", "true.csv", *STREAM, out=out)
    assert ran.status == 0 and sorted(ran.out.splitlines()) == ["08:15:30", "09:00:30", "10:30:30", "arrival"]
    assert ran.err.startswith("Released: standard output, with its guarantee in private.json\n")
    assert out.seen == (["private.json", "true.csv"], 1)
    assert sorted(os.listdir()) == ["private.json", "true.csv"]
    assert read_guarantee("private.json").level == 1.0
    assert os.stat("private.json").st_mode & 0o077 == 0


@LINUX
def test_from_standard_input_to_standard_output(folder, monkeypatch, exact):
    ran = streamed(monkeypatch, "release", "-", *STREAM, data=gzip.compress(ROWS))
    assert ran.status == 0 and sorted(ran.out.splitlines()) == ["08:15:30", "09:00:30", "10:30:30", "arrival"]
    assert len(entries()) == 1
    ran = streamed(monkeypatch, "release", "-", "-", "--guarantee", "b.json", *WORDS, data=ROWS)
    assert ran.status == 2 and ran.out == "" and "was released before" in ran.err


def test_names_and_the_account_go_to_standard_error(folder, monkeypatch):
    days(folder)
    ran = streamed(monkeypatch, "release", "days/*.csv", *STREAM, "--dataset", "staff", "--verbose")
    assert ran.status == 0 and len(ran.out.splitlines()) == 13 and "Files:\n  days/0.csv" in ran.err
    assert "Dataset 'staff': 1 declared release" in ran.err


@pytest.mark.parametrize(
    ("fails", "status", "says"),
    [
        (BrokenPipeError(errno.EPIPE, "MARKER"), 0, "dirpriv release: standard output was closed. all rows"),
        (OSError(errno.ENOSPC, "MARKER"), 1, "dirpriv release: error: '-': No space left on device. all rows"),
        (KeyboardInterrupt(), 130, "dirpriv release: error: interrupted. all rows"),
        (RuntimeError("MARKER"), 1, "dirpriv release: error: failed with RuntimeError."),
    ],
)
def test_rows_that_do_not_arrive_count(folder, monkeypatch, fails, status, says):
    Path("true.csv").write_bytes(ROWS)
    ran = streamed(monkeypatch, "release", "true.csv", *STREAM, out=Out(fails))
    assert (ran.status, ran.out) == (status, "") and ran.err.startswith(says) and "MARKER" not in ran.err
    assert "this counts as a release, even if not all rows were read" in ran.err
    assert len(ran.err.splitlines()) == 1 and len(entries()) == 1
    assert sorted(os.listdir()) == ["private.json", "true.csv"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-", *WORDS], "a file for the guarantee: give --guarantee private.csv.guarantee.json"),
        (["-", "--guarantee", "g.txt", *WORDS], "standard output needs a file for the guarantee"),
        (["-", "--guarantee", "old.json", *WORDS], "old.json' exists, and dirpriv never overwrites a file: g"),
        (["-", "--guarantee", "none/g.json", *WORDS], "the folder of --guarantee does not exist"),
        (["-", "--guarantee", f"{'g' * 300}.json", *WORDS], "cannot be written (File name too long): give"),
        (["out.csv", "--guarantee", "g.json", *WORDS], "--guarantee goes with standard output, '-'"),
    ],
)
def test_standard_output_is_refused_before_anything_is_read(folder, monkeypatch, words, says):
    Path("true.csv").write_bytes(ROWS)
    Path("old.json").write_text("{}")
    ran = streamed(monkeypatch, "release", "true.csv", *words)
    assert ran.status == 2 and ran.out == "" and says in ran.err and len(ran.err.splitlines()) == 1
    assert entries() == [] and sorted(os.listdir()) == ["old.json", "true.csv"]


def test_a_standard_output_of_texts_is_refused(holder, monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with pytest.raises(ValueError, match="'output' is standard output, which takes no bytes here"):
        release.file(holder.csv(ROWS), "-", guarantee=holder.output / "g.json", **CALL)


def started(*words, **how):
    environment = os.environ | {"PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "dirpriv", *words]
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, **how)


def many(rows=400_000):
    Path("true.csv").write_text("arrival\n" + "".join(f"08:{i % 60:02}\n" for i in range(rows)))


def test_who_reads_one_line_has_a_release_that_counts(folder):
    many()
    with started("release", "true.csv", *STREAM, stdout=subprocess.PIPE) as running:
        assert running.stdout.readline() == b"arrival\n"
        running.stdout.close()
        said, status = running.stderr.read().decode(), running.wait(60)
    assert status == 0 and len(said.splitlines()) == 1 and "this counts as a release" in said, said
    assert len(entries()) == 1 and sorted(os.listdir()) == ["private.json", "true.csv"]


@pytest.mark.parametrize("hidden", [False, True])
def test_a_run_that_is_killed_while_rows_leave_counts_and_leaves_the_guarantee(folder, monkeypatch, hidden):
    many()
    before = "import os; del os.O_TMPFILE; " if hidden else ""
    command = f"import sys; {before}from dirpriv.command import main; sys.exit(main(sys.argv[1:]))"
    environment = os.environ | {"PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    words = [sys.executable, "-c", command, "release", "true.csv", *STREAM]
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE) as running:
        running.stdout.read(1)
        running.send_signal(signal.SIGKILL)
        running.wait(60)
    assert len(entries()) == 1 and read_guarantee("private.json").level == 1.0
    left = sorted(set(os.listdir()) - {"private.json", "true.csv"})
    assert len(left) == hidden and all(name.endswith(atomic_output.PARTIAL) for name in left)
    assert run("release", "true.csv", "second.csv", *WORDS, "--rerelease").status == 0
    assert not any(name.endswith(atomic_output.PARTIAL) for name in os.listdir())


def test_closed_streams_mix_nothing(folder):
    """Without standard error the messages go nowhere, and without standard output nothing is read."""
    Path("true.csv").write_bytes(ROWS)
    line = f"{sys.executable} -m dirpriv release true.csv {' '.join(STREAM)}"
    environment = os.environ | {"PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1"}
    ran = subprocess.run(f"{line} >&-", shell=True, env=environment, capture_output=True, text=True)
    assert ran.returncode == 2 and "takes no bytes here" in ran.stderr and entries() == []
    ran = subprocess.run(f"{line} 2>&-", shell=True, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0 and len(ran.stdout.splitlines()) == 4 and len(entries()) == 1
