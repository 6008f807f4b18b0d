"""Released files: what is in them, in which order, and what is left when a run is cut off."""

import csv
import errno
import gzip
import os
import stat
import subprocess
import sys
import traceback

import duckdb
import numpy as np
import pandas
import pytest
from scipy.stats import chi2
from tables_of_releases import CITY, SURE, new_holder

import dirpriv
from dirpriv import release
from dirpriv.release.files import atomic_output as _output
from dirpriv.release.files import max_rows_per_person as _persons
from dirpriv.release.files import release as _release
from dirpriv.release.files import release_steps
from dirpriv.release.files import shuffle as _order
from dirpriv.release.files import values_to_cells as _values
from dirpriv.tables import table as tables

holder = pytest.fixture(new_holder)
TIMES = ["08:15", "23:59", "00:00", "12:30"]


def test_a_file_of_the_released_column_only(holder):
    source = holder.csv("id,arrival\n" + "".join(f"{i},{time}\n" for i, time in enumerate(TIMES)))
    guarantee = holder.release(source, time="arrival", **SURE)
    assert sorted(row[0] for row in holder.released()) == sorted(TIMES)
    assert (holder.output / "private.csv").read_text().splitlines()[0] == "arrival"
    assert holder.outputs() == ["private.csv", "private.csv.guarantee.json"]
    for name in holder.outputs():
        assert stat.S_IMODE((holder.output / name).stat().st_mode) == 0o600
    assert release.read_guarantee(holder.output / "private.csv") == guarantee
    assert guarantee.level == 1e6 and guarantee.person_level is None and guarantee.unprotected == ()


def test_a_guarantee_does_not_depend_on_the_rows(holder):
    said = []
    for i, rows in enumerate((["08:15"], TIMES * 50)):
        holder.release(holder.column(rows), f"{i}.csv", time="arrival", level=1.0, radius="3h")
        said.append((holder.output / f"{i}.csv.guarantee.json").read_bytes())
    assert said[0] == said[1] and b"08:15" not in said[0]


def test_parquet_holds_nothing_but_released_columns(holder):
    source = holder.csv("name,arrival\nx1337,08:15\n", "clinic.csv")
    holder.release(source, "private.parquet", time="arrival", **SURE)
    data = (holder.output / "private.parquet").read_bytes()
    for word in (b"1337", b"clinic", b"name", str(holder.input).encode()):
        assert word not in data
    assert duckdb.sql(f"SELECT * FROM parquet_kv_metadata('{holder.output}/private.parquet')").fetchall() == []


def test_noise_is_that_of_the_release(holder):
    """Counts of one input's cells against the table: χ² with an error rate of 1e-6."""
    source = holder.column(["08:15"] * 40_000)
    guarantee = holder.release(source, time="arrival", level=1.0, radius="3h", cells=24)
    (released,) = release.read_released(holder.output / "private.csv")
    expected = 40_000 * np.roll(guarantee.columns[0].release().noise.probabilities, 8)
    bound = chi2.isf(1e-6, 23)
    assert ((released.counts - expected) ** 2 / expected).sum() < bound
    wrong = np.roll(expected, 1)  # of inputs one cell later
    assert ((released.counts - wrong) ** 2 / wrong).sum() > bound


@pytest.mark.parametrize("output", ["private.csv", "private.csv.gz", "private.parquet"])
def test_formats_of_the_output(holder, output):
    rows = [(time, 40.7 + 0.001 * i, -73.98 - 0.002 * i) for i, time in enumerate(TIMES)]
    source = holder.csv("arrival,lat,lon\n" + "".join(f"{t},{a:.5f},{o:.5f}\n" for t, a, o in rows))
    holder.release(
        source, output, time="arrival", latitude="lat", longitude="lon", level=1e6, radius=["3h", "200m"], **CITY
    )
    times, places = release.read_released(holder.output / output)
    assert times.counts.sum() == 4 and sorted(times.column.cells_of(TIMES)) == [*np.flatnonzero(times.counts)]
    east, north = places.column.release().cells_of([row[1] for row in rows], [row[2] for row in rows])
    found = sorted(zip(places.east.tolist(), places.north.tolist(), strict=True))
    assert found == sorted(zip(east.tolist(), north.tolist(), strict=True))
    assert places.positions.shape == (4, 2) and np.abs(places.positions[:, 0]).max() < 1000.0
    if output.endswith("gz"):
        head = gzip.open(holder.output / output, "rt").readline()
        assert head == "arrival,lat,lon\n"
        assert (holder.output / output).read_bytes()[3:8] == bytes(5)  # no name of a file and no time


def test_far_places_are_found_again_by_their_cells(holder):
    column = release.PlaceColumns(("lat", "lon"), 1.0, "50km", (70.0, 20.0), "3000km", "7km")
    half = column.release().side // 2
    east, north = (np.array(axis) for axis in ([0, half, -half, half, 3], [0, half, half, -half, -half]))
    latitude, longitude = column.release().centres(east, north)
    lines = [f"{a:.{column.digits}f},{o:.{column.digits}f}" for a, o in zip(latitude, longitude, strict=True)]
    path = holder.csv("lat,lon\n" + "\n".join(lines) + "\n")
    (released,) = release.read_released(path, release.FileGuarantee((column,)))
    found = set(zip(released.east.tolist(), released.north.tolist(), strict=True))
    assert found == set(zip(east.tolist(), north.tolist(), strict=True))


def test_a_released_file_that_was_changed_is_no_released_file(holder):
    column = release.TimeColumn("arrival", 1.0, "3h")
    for text in ("arrival\n08:15\n25:00\n", "arrival\nx\n", "arrival,b\n08:15,1\n,2\nNone,3\n"):
        with pytest.raises(ValueError, match="are no cells of its guarantee"):
            release.read_released(holder.csv(text), release.FileGuarantee((column,)))
    with pytest.raises(
        ValueError, match=r"'column' names no column of 'true.csv'; got 'arrival': its first line .* it has 1"
    ):
        release.read_released(holder.csv("b\n08:15\n"), release.FileGuarantee((column,)))


def test_missing_values_stop_or_pass(holder):
    source = holder.csv("arrival,b\n08:15,1\n,2\n09:00,3\n")
    with pytest.raises(ValueError, match="row 2 of 'arrival' has no value"):
        holder.release(source, time="arrival", **SURE)
    guarantee = holder.release(source, time="arrival", missing="keep", **SURE)
    assert sorted(row[0] for row in csv.reader(open(holder.output / "private.csv"))) == [
        "",
        "08:15:30",
        "09:00:30",
        "arrival",
    ]
    assert guarantee.unprotected == ("which rows are missing",)
    (released,) = release.read_released(holder.output / "private.csv")
    assert released.missing == 1 and released.counts.sum() == 2
    holder.release(source, "private.parquet", time="arrival", missing="keep", rerelease=True, **SURE)
    assert release.read_released(holder.output / "private.parquet")[0].missing == 1


def test_missing_places(holder):
    source = holder.csv("lat,lon\n40.75,-73.98\n,\n")
    call = {"latitude": "lat", "longitude": "lon", "level": 1e6, "radius": "200m", "missing": "keep", **CITY}
    holder.release(source, **call)
    (released,) = release.read_released(holder.output / "private.csv")
    assert (released.missing, released.east.tolist(), released.north.tolist()) == (1, [0], [0])
    holder.release(source, "private.parquet", rerelease=True, **call)
    assert release.read_released(holder.output / "private.parquet")[0].missing == 1
    with pytest.raises(ValueError, match="row 1 of 'lon' has no value, and the other coordinate has one"):
        holder.release(holder.csv("lat,lon\n40.75,\n", "half.csv"), "other.csv", **call)


@pytest.mark.parametrize("output", ["private.csv", "private.parquet"])
def test_kept_columns_stay_with_their_rows(holder, output):
    texts = ['a,"b"', "", "über", "line\nline", "a\rb"]
    path = holder.input / "true.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["arrival", "text"], *([f"{i % 24:02d}:00", texts[i % 5]] for i in range(120))])
    guarantee = holder.release(path, output, time="arrival", keep="text", **SURE)
    assert guarantee.unprotected == ("column 'text'",)
    if output.endswith(".csv"):
        with (holder.output / output).open(newline="") as file:
            rows = [tuple(row) for row in csv.reader(file)][1:]
    else:
        rows = duckdb.sql(f"SELECT CAST(arrival AS VARCHAR), coalesce(text, '') FROM '{holder.output / output}'")
        rows = rows.fetchall()
    assert sorted(rows) == sorted((f"{i % 24:02d}:00:30", texts[i % 5]) for i in range(120))
    (released,) = release.read_released(holder.output / output)
    assert (released.counts[::60] == 5).all() and released.counts.sum() == 120


@pytest.mark.parametrize("keep_order", [False, True])
def test_each_kept_text_is_encoded_once(holder, monkeypatch, keep_order):
    """There are many blocks; what each writes does not grow with the texts of all."""
    encoded, categories = [], pandas.Categorical.from_codes
    monkeypatch.setattr(_output, "PART_ROWS", 1000)
    monkeypatch.setattr(tables, "BLOCK_VECTORS", 1)

    def counted(codes, texts):
        encoded.extend(text for text in texts if text.startswith("id"))
        return categories(codes, texts)

    monkeypatch.setattr(pandas.Categorical, "from_codes", counted)
    rows = [[f"{i % 24:02d}:00", f"id{i}"] for i in range(5000)]
    source = holder.csv("arrival,id\n" + "".join(f"{','.join(row)}\n" for row in rows))
    holder.release(source, time="arrival", keep="id", keep_order=keep_order, **SURE)
    assert sorted(holder.released()) == sorted(rows) and len(encoded) == len(rows)


# ---------------------------------------------------------------------- order


def rank_smoothing(hours, window=31):
    """Hours that someone guesses who takes the order of the rows for that of the true times."""
    turns = np.exp(2j * np.pi * np.asarray(hours) / 24.0)
    padded = np.concatenate([turns[-(window // 2) :], turns, turns[: window // 2]])
    return np.angle(np.convolve(padded, np.ones(window), "valid")) * 12.0 / np.pi


def hours_off(guessed, hours):
    return float(np.abs((guessed - hours + 12.0) % 24.0 - 12.0).mean())


def hours_of(rows):
    return np.array([int(row[0][:2]) + int(row[0][3:5]) / 60.0 for row in rows])


def test_the_order_of_a_file_sorted_by_its_times_gives_nothing_away(holder):
    """N R² of the turns from the times of the ranks is exponential in a random order: error rate 1e-7."""
    true = np.arange(3000) * 24.0 / 3000
    source = holder.column(f"{int(hour):02d}:{int(hour % 1 * 60):02d}" for hour in true)
    holder.release(source, time="arrival", level=1.0, radius="3h")
    holder.release(source, "kept.csv", time="arrival", level=1.0, radius="3h", keep_order=True, rerelease=True)
    shuffled, kept = (hours_of(holder.released(name)) for name in ("private.csv", "kept.csv"))

    def statistic(hours):
        return 3000 * abs(np.exp(2j * np.pi * (hours - true) / 24.0).mean()) ** 2

    assert statistic(shuffled) < 16.0 < statistic(kept)
    # the order recovers the times where it is kept; else no more than a guess of any hour, 6 hours off
    assert hours_off(rank_smoothing(kept), true) < 0.75
    uniform = np.random.default_rng(1)
    guesses = [hours_off(rank_smoothing(uniform.permutation(shuffled)), true) for _ in range(100)]
    assert hours_off(rank_smoothing(shuffled), true) > np.mean(guesses) - 7.0 * np.std(guesses) > 2.0


def orders(shuffle, rows=4, runs=4800):
    """χ² of the permutations of a few rows, against equal frequencies."""
    codes = np.zeros(rows**rows)
    for _ in range(runs):
        codes[int(np.dot(shuffle(rows), rows ** np.arange(rows)))] += 1
    expected = runs / 24
    seen = codes[codes > 0]
    return ((seen - expected) ** 2).sum() / expected + (24 - len(seen)) * expected


def in_rounds(rows):
    """An order by several rounds of reading, two rows at a time."""

    def read():
        for start in range(0, rows, 2):
            yield np.arange(start, min(start + 2, rows), dtype=np.int64)

    return np.concatenate(list(_order.shuffled(read, lambda x: x, rows, np.int64, memory=16)))


def test_all_orders_are_equally_frequent():
    """χ² with 23 degrees of freedom, each with an error rate of 1e-6."""
    bound = chi2.isf(1e-6, 23)
    assert orders(_order.random_order) < bound
    assert orders(in_rounds, runs=1200) < bound
    study = np.random.default_rng(1)

    def wrong(rows):  # exchange every place with any place: 4^4 ways are no multiple of 4!
        order = np.arange(rows)
        for i in range(rows):
            j = study.integers(rows)
            order[i], order[j] = order[j], order[i]
        return order

    assert orders(wrong) > bound


def test_each_row_is_drawn_exactly_once_whatever_the_rounds():
    """A round of 64 holds more than 275 of the 10,000 rows with a probability below 1e-15."""
    for memory in (1, 1100, 19_000, 1 << 30):
        drawn, readings = [], []

        def read(readings=readings):
            readings.append(1)
            for start in range(0, 10_000, 999):
                yield np.arange(start, min(start + 999, 10_000), dtype=np.int32)

        def draw(rows, drawn=drawn):
            drawn.append(rows.copy())
            return rows + 1

        released = np.concatenate(list(_order.shuffled(read, draw, 10_000, np.int32, memory=memory)))
        assert np.array_equal(np.sort(np.concatenate(drawn)), np.arange(10_000))
        assert np.array_equal(np.sort(released), np.arange(1, 10_001))
        assert len(readings) == {1: 256, 1100: 64, 19_000: 4, 1 << 30: 1}[memory]
    for count in (9_999, 10_001):
        with pytest.raises(ValueError, match="rows than at first"):
            list(_order.shuffled(read, draw, count, np.int32))


def test_rounds_of_a_file(holder, monkeypatch):
    monkeypatch.setattr(_order.shuffled, "__kwdefaults__", {"memory": 1000})
    times = [f"{i % 24:02d}:{i // 24 % 60:02d}" for i in range(1440)]
    holder.release(holder.column(times), time="arrival", **SURE)
    assert sorted(row[0] for row in holder.released()) == sorted(times)


def test_parquet_in_parts(holder, monkeypatch):
    monkeypatch.setattr(_output, "PART_ROWS", 100)
    times = [f"{i % 24:02d}:{i // 24 % 60:02d}" for i in range(1440)]
    holder.release(holder.column(times), "kept.parquet", time="arrival", keep_order=True, **SURE)
    found = duckdb.sql(f"SELECT CAST(arrival AS VARCHAR)[:5] FROM '{holder.output / 'kept.parquet'}'").fetchall()
    assert [row[0] for row in found] == times
    assert holder.outputs() == ["kept.parquet", "kept.parquet.guarantee.json"]


# ---------------------------------------------------------------------- persons


def test_at_most_k_rows_of_each_person(holder):
    people = ["a"] * 9 + ["b"] * 2 + ["c"] * 3 + ["d"]
    rows = [(person, f"{'abcd'.index(person) * 5:02d}:{i:02d}") for i, person in enumerate(people)]
    source = holder.csv("user,arrival\n" + "".join(f"{person},{time}\n" for person, time in rows))
    guarantee = holder.release(source, time="arrival", user="user", max_rows_per_person=3, **SURE)
    found = [row[0] for row in holder.released()]
    assert sorted(time[:2] for time in found) == ["00"] * 3 + ["05"] * 2 + ["10"] * 3 + ["15"]
    assert len(set(found)) == 9 and set(found) <= {time for _, time in rows}
    assert (guarantee.max_rows_per_person, guarantee.person_level, guarantee.level) == (3, 3e6, 1e6)
    with pytest.raises(ValueError, match="row 2 of 'user' has no value"):
        holder.release(
            holder.csv("user,arrival\na,08:00\n,09:00\n", "b.csv"), "b.csv", time="arrival", user="user", **SURE
        )


@pytest.mark.parametrize("kind", ["csv", "VARCHAR", "ENUM ('ann', ' ann', 'ann ', 'bob', ' ')"])
def test_spaces_around_a_text_make_no_other_person(holder, kind):
    rows = [("ann", 8), (" ann", 9), ("ann ", 10), ("bob", 11)]

    def table(rows):
        if kind == "csv":
            return holder.csv("user,arrival\n" + "".join(f"{user},{hour}:00\n" for user, hour in rows))
        values = ", ".join(f"('{user}', '{hour}:00')" for user, hour in rows)
        return holder.parquet(f"SELECT x::{kind} AS user, y AS arrival FROM (VALUES {values}) AS _(x, y)")

    holder.release(table(rows), time="arrival", user="user", **SURE)
    assert len(holder.released()) == 2 and ["11:00"] in holder.released()
    with pytest.raises(ValueError, match="row 5 of 'user' has no value"):
        holder.release(table([*rows, (" ", 12)]), "other.csv", time="arrival", user="user", **SURE)


def test_rows_of_a_person_are_chosen_uniformly(monkeypatch):
    """χ² of how often each of 12 rows of a person is among her 3: an error rate of 1e-6."""
    monkeypatch.setattr(_persons, "_BUFFER", 10)
    persons = np.array([5, 7] * 12, dtype=np.uint64)
    counts, first = np.zeros(24), np.zeros(24)
    for _ in range(2000):
        chosen, whose = _persons.chosen_rows(iter(np.split(persons, 6)), 3)
        assert np.array_equal(whose, persons[chosen])
        assert len(chosen) == 6 and (np.diff(chosen) > 0).all() and (chosen % 2).sum() == 3
        counts[chosen] += 1
        first[:6] += 1
    # counts of draws without replacement vary less than multinomial ones by 1 - 3/12
    statistic = [((found - 500.0) ** 2 / 500.0).sum() / 0.75 * 11 / 12 for found in (counts, first)]
    assert statistic[0] < chi2.isf(1e-6, 22) < statistic[1]


def test_rows_of_other_persons_are_not_released(holder, monkeypatch):
    """A second reading in another order would release any number of rows of a person."""
    source = holder.csv("user,arrival\n" + "".join(f"{i % 7},08:{i:02d}\n" for i in range(60)))
    blocks, readings = tables.Table.blocks, []

    def turned(table, columns):
        readings.append(1)
        for block in blocks(table, columns):
            yield [values[:: -1 if len(readings) > 1 else 1] for values in block]

    monkeypatch.setattr(tables.Table, "blocks", turned)
    with pytest.raises(ValueError, match=r"was changed while it was read") as raised:
        holder.release(source, time="arrival", user="user", max_rows_per_person=2, **SURE)
    assert "counts as a release" in said_of(raised.value) and holder.outputs() == []


def test_the_composed_level_of_a_person(holder):
    rows = "".join(f"{i % 4},08:{i % 60:02d}\n" for i in range(200))
    source = holder.csv("user,arrival\n" + rows)
    call = {"time": "arrival", "user": "user", "max_rows_per_person": 50, "level": 0.1, "radius": "3h"}
    guarantee = holder.release(source, delta=1e-6, **call)
    distribution = guarantee.columns[0].release().noise
    composed = dirpriv.guarantees.composed_level(distribution, 50, distance="3h", delta=1e-6)
    assert guarantee.person_level == composed < 4.0 and guarantee.delta == 1e-6
    assert release.read_guarantee(holder.output / "private.csv") == guarantee
    assert "at δ = 1e-06" in guarantee.text()


# ---------------------------------------------------------------------- runs that are cut off


def said_of(error):
    """The words of an error, with its notes."""
    return " ".join([str(error), *getattr(error, "__notes__", [])])


def fail_at(monkeypatch, phase, error):
    """Let a release fail in one of its phases."""

    def raising(*args, **kwargs):
        raise error

    def second(function):
        calls = []

        def called(*args, **kwargs):
            calls.append(1)
            if len(calls) > 1:
                raise error
            return function(*args, **kwargs)

        return called

    if phase == "check":
        monkeypatch.setattr(_values.Times, "cells", raising)
    elif phase == "second reading":
        monkeypatch.setattr(_values.Times, "cells", second(_values.Times.cells))
    elif phase == "draw":
        monkeypatch.setattr(_release.LocalJob, "_draw", raising)
    elif phase == "write":
        monkeypatch.setattr(_output.Rows, "write", raising)
    elif phase == "name of the guarantee":
        monkeypatch.setattr(_output.HiddenFile, "publish", raising)
    else:
        monkeypatch.setattr(_output.HiddenFile, "publish", second(_output.HiddenFile.publish))


PHASES = ["check", "second reading", "draw", "write", "name of the guarantee", "name of the output"]


WAYS = [("private.csv", False), ("private.csv", True), ("private.parquet", False)]


@pytest.mark.parametrize(("output", "named"), WAYS, ids=["CSV", "CSV under a hidden name", "Parquet"])
@pytest.mark.parametrize("phase", PHASES)
def test_a_run_that_is_cut_off_leaves_no_file(holder, monkeypatch, phase, output, named):
    if named:
        monkeypatch.delattr(os, "O_TMPFILE")
    source = holder.column(TIMES)
    errors = [(KeyboardInterrupt(), KeyboardInterrupt)]
    if output.endswith("csv") and not named:
        errors.append((OSError("no space"), OSError))
    for error, kind in errors:
        before = len(holder.ledger())
        with monkeypatch.context() as patch, pytest.raises(kind) as raised:
            fail_at(patch, phase, error)
            holder.release(source, output, time="arrival", rerelease=True, **SURE)
        assert holder.outputs() == []
        counted = phase != "check"
        assert len(holder.ledger()) == before + counted
        assert ("counts as a release" in said_of(raised.value)) == counted
    holder.release(source, output, time="arrival", rerelease=True, **SURE)
    assert holder.outputs() == [output, f"{output}.guarantee.json"]


def test_a_run_that_is_killed_leaves_no_file_and_counts(holder):
    source = holder.column(TIMES * 100)
    code = (
        "import os, sys\nfrom dirpriv import release\n"
        "def die(share):\n    if share > 0.6: os.kill(os.getpid(), 9)\n"
        "release.file(sys.argv[1], sys.argv[2], time='arrival', level=1.0, radius='3h', progress=die)"
    )
    done = subprocess.run([sys.executable, "-c", code, source, holder.output / "private.csv"])
    assert done.returncode == -9
    assert holder.outputs() == [] and len(holder.ledger()) == 1
    with pytest.raises(ValueError, match="'arrival' of this file was released before"):
        holder.release(source, time="arrival", **SURE)


def test_the_next_run_removes_what_a_run_without_unnamed_files_left(holder, monkeypatch):
    monkeypatch.delattr(os, "O_TMPFILE")
    stale = holder.output / f".private.csv.0123456789abcdef{_output.PARTIAL}"
    stale.write_text("08:15\n")
    stale.chmod(0o600)
    (holder.output / "mine.txt").write_text("mine")
    used = _output.HiddenFile(holder.output / "other.csv")
    assert stat.S_IMODE(os.stat(used.address).st_mode) == 0o600
    holder.release(holder.column(TIMES), time="arrival", **SURE)
    left = {"mine.txt", "private.csv", "private.csv.guarantee.json", os.path.basename(used.address)}
    assert set(holder.outputs()) == left
    used.close()
    assert not os.path.exists(used.address)


def test_files_of_the_user_are_not_removed(holder):
    """Only what has the name, the mode and the one link of a hidden file of a release."""
    hidden = f".0123456789abcdef{_output.PARTIAL}"
    (mine := holder.output / "mine.txt").write_text("mine")
    for name in (f".my notes{_output.PARTIAL}", _output.PARTIAL, f".readable{hidden}"):
        (holder.output / name).write_text("mine")
    os.link(mine, holder.output / f".second name{hidden}")
    (holder.output / f".symbolic link{hidden}").symlink_to(mine)
    (holder.output / f".folder{hidden}").mkdir()
    before = holder.outputs()
    holder.release(holder.column(TIMES), time="arrival", **SURE)
    assert set(holder.outputs()) == {*before, "private.csv", "private.csv.guarantee.json"}


@pytest.mark.parametrize("named", [False, True], ids=["without a name", "under a hidden name"])
@pytest.mark.parametrize("suffix", [".json", ".csv"])
def test_an_interrupt_just_after_a_file_appeared_leaves_none(holder, monkeypatch, suffix, named):
    if named:
        monkeypatch.delattr(os, "O_TMPFILE")
    link, appeared = os.link, []

    def interrupted(source, name, **options):
        link(source, name, **options)
        if str(name).endswith(suffix):
            appeared.append(holder.outputs())
            raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt) as raised:
        patch.setattr(os, "link", interrupted)
        holder.release(holder.column(TIMES), time="arrival", **SURE)
    assert len(appeared) == 1 and any(name.endswith(suffix) for name in appeared[0])
    assert "no file was written" in " ".join(raised.value.__notes__)
    assert holder.outputs() == [] and len(holder.ledger()) == 1


def test_an_interrupt_after_the_files_appeared_says_that_they_are_complete(holder, monkeypatch):
    def interrupted(file):
        file.file.close()
        if file.appeared:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt) as raised:
        patch.setattr(_output.HiddenFile, "close", interrupted)
        holder.release(holder.column(TIMES), time="arrival", **SURE)
    assert raised.value.__notes__ == [f"'{holder.output / 'private.csv'}' is complete, and counts as a release"]
    (released,) = release.read_released(holder.output / "private.csv")
    assert released.counts.sum() == len(TIMES)


def test_a_failure_of_the_system_is_told_in_its_words_and_with_the_path_that_was_given(holder, monkeypatch):
    """Words and paths of others may hold anything."""
    marker = "MARK" + "ER"  # a traceback shows this line as it is written

    def failing(file):
        raise OSError(errno.EACCES, marker, f"/proc/self/fd/9{marker}", None, marker)

    monkeypatch.setattr(_output.HiddenFile, "publish", failing)
    with pytest.raises(PermissionError) as raised:
        holder.release(holder.column(TIMES), time="arrival", **SURE)
    assert str(raised.value) == f"[Errno 13] {os.strerror(errno.EACCES)}: '{holder.output / 'private.csv'}'"
    assert "counts as a release" in said_of(raised.value)
    shown = "".join(traceback.format_exception(raised.value))
    assert "MARKER" not in shown and "in failing" in shown  # where it failed is still there


def test_no_file_is_replaced_where_links_are_not_known(holder, monkeypatch):
    monkeypatch.delattr(os, "O_TMPFILE")

    def refused(*args, **kwargs):
        raise PermissionError("no links on this file system")

    monkeypatch.setattr(os, "link", refused)
    holder.release(holder.column(TIMES), time="arrival", **SURE)
    assert sorted(row[0] for row in holder.released()) == sorted(TIMES)
    hidden = _output.HiddenFile(holder.output / "private.csv")
    with pytest.raises(FileExistsError):
        hidden.publish()
    hidden.close()
    assert holder.outputs() == ["private.csv", "private.csv.guarantee.json"]


def test_no_empty_file_stays_where_a_file_cannot_take_its_place(holder, monkeypatch):
    monkeypatch.delattr(os, "O_TMPFILE")
    replace = os.replace

    def refused(source, target):
        if str(source).endswith(_output.PARTIAL):
            raise OSError("no place")
        replace(source, target)

    monkeypatch.setattr(os, "replace", refused)
    monkeypatch.setattr(os, "link", lambda *args, **kwargs: refused(_output.PARTIAL, ""))
    with pytest.raises(OSError, match="no place"):
        holder.release(holder.column(TIMES), time="arrival", **SURE)
    assert holder.outputs() == []


def test_a_system_that_names_no_unnamed_file_gets_a_hidden_one(holder, monkeypatch):
    link = os.link

    def refused(source, *args, **kwargs):
        if str(source).startswith("/proc/"):
            raise FileNotFoundError(source)
        return link(source, *args, **kwargs)

    monkeypatch.setattr(os, "link", refused)
    holder.release(holder.column(TIMES), time="arrival", **SURE)
    assert holder.outputs() == ["private.csv", "private.csv.guarantee.json"]
    assert sorted(row[0] for row in holder.released()) == sorted(TIMES)


def test_a_file_that_appears_meanwhile_is_not_replaced(holder):
    source = holder.column(TIMES)

    def appear(share):
        if share > 0.6:
            (holder.output / "private.csv").write_text("mine")

    with pytest.raises(FileExistsError, match="counts as a release"):
        holder.release(source, time="arrival", progress=appear, **SURE)
    assert holder.outputs() == ["private.csv"] and (holder.output / "private.csv").read_text() == "mine"


@pytest.mark.parametrize("restored", [False, True], ids=["", "its time put back"])
@pytest.mark.parametrize("share", [0.2, 0.46])
def test_an_input_that_changes_is_noticed(holder, share, restored):
    source = holder.column(TIMES * 100)
    text, found = source.read_text(), source.stat()

    def change(done):
        if done > share:
            source.write_text(text.replace("08:15", "20:00") if restored else "arrival\n08:00\n")
        if done > share and restored:
            os.utime(source, ns=(found.st_atime_ns, found.st_mtime_ns))

    with pytest.raises(ValueError, match="was changed while it was read") as raised:
        holder.release(source, time="arrival", progress=change, **SURE)
    assert holder.outputs() == [] and len(holder.ledger()) == (share > 0.45)
    assert ("counts as a release" in said_of(raised.value)) == (share > 0.45)


def test_progress_rises_to_one(holder):
    shares = []
    holder.release(holder.column(TIMES * 1000), time="arrival", progress=shares.append, **SURE)
    assert shares == sorted(shares) and shares[-1] == 1.0 and 5 < len(shares) < 250


def test_progress_is_told_in_steps_of_a_half_percent_and_at_the_end():
    shares = []
    tell = release_steps._Report(shares.append).part(0.5, 1.0)
    for share in (0.0, 0.006, 0.012, 0.012, 0.992, 0.996, 1.0, 1.0):
        tell(share)
    assert shares == [0.5, 0.506, 0.996, 1.0]


def test_the_rest_of_the_library_knows_no_file():
    code = (
        "import sys, dirpriv, dirpriv.release, dirpriv.estimators\n"
        "from dirpriv.release import times\n"
        "unwanted = {'pandas', 'duckdb', 'matplotlib', 'dirpriv.release.files'}\n"
        "assert not unwanted & set(sys.modules), 'loaded'\n"
        "assert not {'pandas', 'duckdb'} & set(sys.modules)\n"
        "assert dirpriv.release.file is dirpriv.release.files.release.file"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
    assert "file" in release.__all__
    with pytest.raises(AttributeError, match="has no attribute 'filez'"):
        release.filez  # noqa: B018
