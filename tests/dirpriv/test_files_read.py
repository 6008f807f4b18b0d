"""The file that is named is the file that is read: paths, replaced files, ends of lines, gzip, memory."""

import csv
import gzip
import hashlib
import io
import os
import struct
import subprocess
import sys
import time
import zlib

import numpy as np
import pytest
from tables_of_releases import SURE, new_holder

from dirpriv.tables import table as tables

holder = pytest.fixture(new_holder)
CALL = {"time": "arrival", "level": 1.0, "radius": "3h"}


def clocks(holder, source, output="private.csv", **call):
    """Released times in the order of the input, without noise."""
    holder.release(source, output, keep_order=True, **({"time": "arrival"} | SURE | call))
    return [row[0] for row in holder.released(output)]


# ---------------------------------------------------------------------- which file


@pytest.mark.parametrize("names", [(r"a\b[1].csv", "a/b[1].csv"), (r"x\y*/c.csv", "x/y1/c.csv")])
def test_a_path_with_a_backslash_and_a_pattern_is_one_file(holder, names):
    for name, clock in zip(names, ("08:15", "20:00"), strict=True):
        (holder.input / name).parent.mkdir(parents=True, exist_ok=True)
        holder.csv(f"arrival\n{clock}\n", name)
    assert clocks(holder, holder.input / names[0]) == ["08:15"]


def test_without_paths_of_open_files_a_path_is_read_as_it_is(holder, monkeypatch):
    """As on macOS: the path is opened again, and a name that DuckDB would take for another is refused."""
    monkeypatch.setattr(tables, "address", lambda descriptor: "/proc/no/such/path")
    holder.csv("arrival\n20:00\n", "a1.csv")
    assert clocks(holder, holder.csv("arrival\n08:15\n", "a[1].csv")) == ["08:15"]
    assert clocks(holder, holder.csv("arrival\n08:15\n", r"a\1.csv"), "b.csv", rerelease=True) == ["08:15"]
    with pytest.raises(ValueError, match=r"'input' must be a path without '\\\\?' beside"):
        holder.release(holder.csv("arrival\n09:00\n", r"a\b[1].csv"), "c.csv", **CALL)
    assert len(holder.ledger()) == 2


@pytest.mark.parametrize("linux", [True, False])
@pytest.mark.parametrize("moment", ["_header", "feed", "blocks"])
def test_a_file_that_is_replaced_is_not_released(holder, monkeypatch, moment, linux):
    """After its names are read, after its hash, and at the first reading of rows."""
    source = holder.csv("id,arrival\n1,08:15\n")
    other = holder.csv("arrival,birth\n13:37,20:00\n", "other.csv")
    call = getattr(tables.Table, moment)

    def replaced(table, *args):
        found = call(table, *args)
        if other.exists():
            os.replace(other, source)
        return found

    monkeypatch.setattr(tables.Table, moment, replaced)
    if not linux:
        monkeypatch.setattr(tables, "address", lambda descriptor: "/proc/no/such/path")
    with pytest.raises(ValueError) as raised:
        holder.release(source, **CALL)
    assert "was changed while it was read" in str(raised.value) or not linux
    assert "13:37" not in str(raised.value) and holder.outputs() == [] and holder.ledger() == []


def test_a_file_that_is_written_to_is_not_released(holder, monkeypatch):
    source = holder.csv("id,arrival\n1,08:15\n")
    call = tables.Table._header

    def changed(table):
        found = call(table)
        source.write_text("arrival,id\n13:37,20:00\n")
        return found

    monkeypatch.setattr(tables.Table, "_header", changed)
    with pytest.raises(ValueError, match="was changed while it was read: start again"):
        holder.release(source, **CALL)
    assert holder.outputs() == [] and holder.ledger() == []


def test_all_passes_read_the_file_that_was_opened(holder):
    data = b"arrival\n" + b"08:15\n" * 9
    for source in (holder.csv(data), holder.csv(gzip.compress(data), "true.csv.gz")):
        table = tables.Table("input", source)
        source.unlink()
        found, wanted = hashlib.sha256(), hashlib.sha256(data)
        assert table.feed(found) == 10 and found.digest() == wanted.digest()
        for _ in range(2):
            assert [list(block[0]) for block in table.blocks(["c0"])] == [["08:15"] * 9]
        with pytest.raises(ValueError, match="was changed") as raised:
            table.check_unchanged()
        assert "/proc" not in str(raised.value)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts open files where Linux shows them")
def test_files_are_closed(holder):
    before = len(os.listdir("/proc/self/fd"))
    source = holder.csv(gzip.compress(b"arrival\n08:15\n") + bytes(9), "true.csv.gz")
    for i in range(5):
        holder.release(source, f"{i}.csv", rerelease=True, **CALL)
    assert len(os.listdir("/proc/self/fd")) <= before


# ---------------------------------------------------------------------- ends of lines


def test_ends_of_lines_within_fields_are_read_at_any_size(holder):
    """40 MB of addresses over three lines that end in commas: threads that guess find rows within them."""
    text = io.StringIO(newline="")
    csv.writer(text).writerows([f"{i:07d}", f"{i} Long Street,\nHouse {i},\nTown"] for i in range(800_000))
    source = holder.csv(f"n,address\r\n{text.getvalue()}")
    assert source.stat().st_size > 38_000_000
    at = 0
    for numbers, ends in tables.Table("input", source).blocks(["CAST(c0 AS BIGINT)", "right(c1, 6)"]):
        assert (numbers == at + np.arange(len(numbers))).all() and (ends == ",\nTown").all()
        at += len(numbers)
    assert at == 800_000


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("within", ["\n", "\r\n", "\r", "\r\nx\n", "\nx\r\n"])
def test_a_name_of_lines_that_end_otherwise(holder, end, within):
    names, rows = f'"a{within}b",arrival{end}', f'1,08:15{end}"x{within}y",09:00{end}'
    source = holder.csv(names + rows)
    assert clocks(holder, source) == ["08:15", "09:00"]
    holder.release(source, "kept.csv", time="arrival", keep=f"a{within}b", rerelease=True, **SURE)
    assert f'"x{within}y"'.encode() in (holder.output / "kept.csv").read_bytes()


def test_a_row_that_is_not_closed_is_never_left_out(holder):
    """One thread of DuckDB leaves it out without a word, whatever stands above it."""
    for above in ("", '"a\nb",', '5" pipe,', '"a\nb",08:15\n5" pipe,08:15\n1" pipe,'):
        above = f"{above}08:15\n" if above else ""
        for last in ('"x,09:00\n', '"x,09:00', '9,"09:00\n', '"x""\n,09:00\n'):
            for name, pack in (("true.csv", bytes), ("true.csv.gz", gzip.compress)):
                source = holder.csv(pack(f"b,arrival\n{above}{last}".encode()), name)
                with pytest.raises(ValueError, match="quote"):
                    holder.release(source, **CALL)
    assert holder.outputs() == [] and holder.ledger() == []


def regular(text, separator, end):
    """Whether all quotes begin or end a field or are one of two in it, one character after the other."""
    at, inside, beside = 0, False, {"", separator, '"'}
    before = end
    while at < len(text):
        if text[at] == '"':
            after = text[at + 1 : at + 2]
            if inside and after not in beside | {end[0]}:
                return False
            if not inside and before[-1] not in {separator, '"', end[-1]}:
                return False
            inside = not inside
        before, at = text[at], at + 1
    return True


def test_quotes_are_judged_as_one_character_after_the_other():
    """In blocks of any size; 3000 random texts."""
    draw, seen = np.random.default_rng(30), set()
    for _ in range(3000):
        separator, end = draw.choice([",", ";", "§"]), draw.choice(["\n", "\r\n", "\r"])
        parts = ['"', '"', '""', separator, "a", end, "\n", separator + '"', '"' + separator]
        text = "".join(draw.choice(parts, draw.integers(0, 12)))
        data, at, lines = text.encode(), 0, 0
        quotes = tables._Quotes(separator, end)
        while at < len(data):
            block = data[at : at + draw.integers(1, 6)]
            quotes.read(block, lines)
            at, lines = at + len(block), lines + block.count(b"\n")
        quotes.read(end.encode(), lines)
        wanted = text.count('"'), separator.isascii() and regular(text, separator, end)
        assert (quotes.count, quotes.fit) == wanted, (text, separator, end)
        if quotes.count:
            assert quotes.line == text.count("\n", 0, text.rindex('"')) + 1
        seen.add((wanted[1], wanted[0] % 2, wanted[0] > 0))
    assert len(seen) == 6


# ---------------------------------------------------------------------- names of columns


@pytest.mark.parametrize("name", ["{scan}", "{path}", "{}", 'x"{scan}', "%s"])
def test_a_name_of_a_column_is_no_template(holder, name):
    quoted = name.replace('"', '""')
    source = holder.parquet(f"""SELECT TIME '08:15' AS "{quoted}", 'k' AS b""", 'true".parquet')
    assert clocks(holder, source, time=name) == ["08:15"]
    texts = holder.parquet(f"""SELECT '08:15' AS "{quoted}", 'u' AS b""")
    assert clocks(holder, texts, "b.csv", time=name) == ["08:15"]
    assert clocks(holder, texts, "c.csv", time=name, user="b", rerelease=True) == ["08:15"]


def test_a_hundred_thousand_columns_are_no_square_of_it(holder):
    """In a second or two; a search in a list for each takes minutes."""
    names = [f"c{i}" for i in range(100_000)]
    source = holder.csv(",".join(names) + "\n" + ",".join(names) + "\n")
    begin = time.perf_counter()
    assert tables.Table("input", source).column("time", "c99999") == 99_999
    assert time.perf_counter() - begin < 20.0
    names[77_777] = "c55555"
    with pytest.raises(ValueError, match=r"columns 55556 and 77778 of .* have the same name"):
        tables.Table("input", holder.csv(",".join(names) + "\n")).column("time", "c55555")


@pytest.mark.parametrize("output", ["private.csv", "private.parquet"])
def test_a_kept_text_is_copied_character_for_character(holder, output):
    """Formulas of spreadsheets, too: the text on ``--keep`` says so."""
    texts = ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "\t=1", "a,b\r\n=c", ' "q" ']
    source = io.StringIO(newline="")
    csv.writer(source).writerows([["arrival", "note"], *(["08:15", text] for text in texts)])
    path = holder.csv(source.getvalue())
    holder.release(path, output, time="arrival", keep="note", keep_order=True, **SURE)
    found = [
        text for block in tables.Table("path", holder.output / output).blocks([SECOND[output]]) for text in block[0]
    ]
    assert found == texts


SECOND = {"private.csv": "c1", "private.parquet": "note"}

# ---------------------------------------------------------------------- gzip, bytes of 0


def member(data, flags=0):
    """A gzip of RFC 1952 with the optional fields of these flags."""
    head = b"\x1f\x8b\x08" + bytes([flags]) + bytes(5) + b"\xff"
    head += struct.pack("<H", 6) + b"BC\2\0\7\0" if flags & 4 else b""
    head += b"true.csv\0" if flags & 8 else b""
    head += b"of the clinic\0" if flags & 16 else b""
    head += struct.pack("<H", zlib.crc32(head) & 0xFFFF) if flags & 2 else b""
    packer = zlib.compressobj(wbits=-15)
    body = packer.compress(data) + packer.flush()
    return head + body + struct.pack("<II", zlib.crc32(data), len(data))


ROWS = b"arrival,b\n" + b'08:15,"x\ny"\n' * 3
ARCHIVES = {
    **{f"fields {flags:05b}": member(ROWS, flags) for flags in range(32)},
    "zeros": member(ROWS) + bytes(3),
    "many zeros": member(ROWS) + bytes(10_240),
    "members": member(ROWS[:20]) + member(ROWS[20:], 2),
    "members and zeros": member(ROWS[:20], 16) + bytes(1) + member(ROWS[20:]) + bytes(512),
    "an empty member at the end": member(ROWS, 4) + member(b"", 4),
}


@pytest.mark.parametrize("data", ARCHIVES.values(), ids=ARCHIVES)
def test_every_gzip_is_read(holder, data):
    assert gzip.decompress(data) == ROWS
    source = holder.csv(data, "true.csv.gz")
    assert clocks(holder, source) == ["08:15"] * 3
    with pytest.raises(ValueError, match="released before"):  # the same contents
        holder.release(holder.csv(ROWS), "again.csv", **CALL)


def test_a_gzip_that_only_linux_can_pack_anew_is_refused_elsewhere(holder, monkeypatch):
    monkeypatch.delattr(os, "memfd_create")
    with pytest.raises(ValueError, match="is read on Linux only: unpack it and pack it again"):
        holder.release(holder.csv(member(ROWS, 2), "true.csv.gz"), **CALL)
    assert clocks(holder, holder.csv(member(ROWS, 8), "named.csv.gz")) == ["08:15"] * 3


@pytest.mark.parametrize("start", ["arrival\n", "arrival\n08:15\n", "arrival,b\n" + ",\n" * 2_000_000])
def test_bytes_of_0_are_found_before_any_query(holder, monkeypatch, start):
    source = holder.csv(start)
    os.truncate(source, len(start) + 2**28)
    monkeypatch.setattr(tables.Table, "query", None)
    monkeypatch.setattr(tables.Table, "blocks", None)
    with pytest.raises(ValueError, match=f"line {start.count(chr(10)) + 1} of .* has bytes that are 0"):
        holder.release(source, **CALL)


def test_a_name_that_is_missing_is_refused_before_all_is_read(holder, monkeypatch):
    monkeypatch.setattr(tables.Table, "feed", None)
    source = holder.csv("arrival,b\n08:15,1\n")
    for call in ({"time": "none"}, {"keep": "none"}, {"user": "none"}):
        with pytest.raises(ValueError, match="names no column"):
            holder.release(source, **(CALL | call))
    place = {
        "level": 1.0,
        "radius": "200m",
        "region_centre": (40.75, -73.98),
        "region_reach": "30km",
        "cell_size": "10m",
    }
    with pytest.raises(ValueError, match="'longitude' names no column"):
        holder.release(source, latitude="b", longitude="none", **place)


# ---------------------------------------------------------------------- persons


def persons(holder, source, **call):
    """Rows that are released of each person at most one."""
    holder.release(source, time="arrival", user="user", rerelease=True, **(SURE | call))
    rows = len(holder.released())
    for name in holder.outputs():
        (holder.output / name).unlink()
    return rows


def test_a_person_may_be_called_nan(holder):
    rows = [("nan", "08:15"), ("NaN", "08:16"), (" nan ", "08:17"), ("ann", "08:18"), ("null", "08:19")]
    text = "user,arrival\n" + "".join(f"{user},{clock}\n" for user, clock in rows)
    assert persons(holder, holder.csv(text)) == 4  # spaces make no other person
    union = " UNION ALL ".join(f"SELECT '{user}' AS user, '{clock}' AS arrival" for user, clock in rows)
    assert persons(holder, holder.parquet(union)) == 4
    enum = f"SELECT CAST(user AS ENUM ('nan', 'NaN', ' nan ', 'ann', 'null')) AS user, arrival FROM ({union})"
    assert persons(holder, holder.parquet(enum)) == 4


@pytest.mark.parametrize("user", ["''", "'  '", "NULL::VARCHAR", "'nan'::DOUBLE", "'nan'::FLOAT", "NULL::INT"])
def test_a_row_of_no_person_is_refused(holder, user):
    good = {"'": "'ann'", "N": "NULL"}.get(user[0], "1") if "::" not in user else "1"
    kind = user.partition("::")[2] or "VARCHAR"
    source = holder.parquet(
        f"SELECT CAST({good} AS {kind}) AS user, '08:15' AS arrival UNION ALL SELECT {user}, '09:00'"
    )
    with pytest.raises(ValueError, match="row 2 of 'user' has no value: leave the row out"):
        holder.release(source, time="arrival", user="user", **SURE)


# ---------------------------------------------------------------------- little memory

LIMITED = """
import resource, sys
from dirpriv import release
resource.setrlimit(resource.RLIMIT_AS, (700 << 20,) * 2)
try:
    release.file(sys.argv[1], sys.argv[2], time="arrival", level=1.0, radius="3h")
except MemoryError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits the memory of a process as Linux does")
def test_a_limit_of_memory_is_named(holder):
    source = holder.csv("arrival\n08:15\n")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(source), str(holder.output / "private.csv")],
        capture_output=True,
        text=True,
        timeout=120,
    )
    said = "memory is short: files of tables need 1024 MB, and the limit of this process is 700 MB (ulimit -v)"
    assert done.stdout == f"{said}\n" and done.returncode == 0, done.stderr
    assert holder.outputs() == []


class Short:
    """DuckDB, where the system gives no memory, or its own limit is reached."""

    class Error(Exception):
        pass

    class OutOfMemoryException(Error):
        pass


SHORT = [
    (MemoryError("13:37"), MemoryError, "memory is short"),
    (Short.OutOfMemoryException("Failed to allocate block of 9 bytes (bad allocation)"), MemoryError, "short"),
    (
        Short.OutOfMemoryException("failed to allocate data of size 9 (1.8 GiB/1.8 GiB used)"),
        ValueError,
        "needs more than 1.8 GiB of memory to be read: its rows are too long",
    ),
]


@pytest.mark.parametrize(("error", "kind", "says"), SHORT)
def test_short_memory_is_told_from_the_limit_of_duckdb(holder, monkeypatch, error, kind, says):
    table = tables.Table("input", holder.csv("arrival\n08:15\n"))
    monkeypatch.setattr(tables, "duckdb", lambda: Short)

    def fails():
        raise error

    with pytest.raises(kind, match=says) as raised:
        table._translated(fails)
    assert "13:37" not in str(raised.value) and raised.value.__context__ is None


def test_packages_that_cannot_be_loaded_are_told_from_those_that_are_missing(monkeypatch):
    for error, kind, says in (
        (ModuleNotFoundError("none"), ImportError, r"pip install"),
        (MemoryError(), MemoryError, "memory is short"),
        (ImportError("failed to map segment from shared object"), ImportError, "failed to map segment"),
    ):

        def fails(name, error=error):
            raise error

        monkeypatch.setattr(tables.importlib, "import_module", fails)
        with pytest.raises(kind, match=says):
            tables.duckdb()
