"""Reading check-in files: exact values, every fault of a row or of a file, and the real sample."""

import gzip
import random
import re
import threading
import zlib
from datetime import datetime, timedelta
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from outcome import Outcome, joined, read_rejected
from real_sample import SAMPLE, needs_sample

from study.checkins.faulty_lines import KINDS
from study.checkins.line_blocks import LONGEST_LINE
from study.checkins.prepare import prepare
from study.workflow.job import InputError

GOOD = (
    "470",
    "49bbd6c0f964a520f4531fe3",
    "4bf58dd8d48988d127951735",
    "Arts & Crafts Store",
    "40.71981037548853",
    "-74.00258103213994",
    "-240",
    "Tue Apr 03 18:00:09 +0000 2012",
)
COLUMNS = ("user", "venue", "category_id", "category", "latitude", "longitude", "offset", "time")


def row(**changes):
    """A good row with some of its fields changed, as bytes."""
    fields = dict(zip(COLUMNS, GOOD, strict=True)) | changes
    return b"\t".join(f if isinstance(f, bytes) else f.encode() for f in fields.values())


def good_rows(count, start=0):
    rest = row(user="")
    return [b"%d" % number + rest for number in range(start, start + count)]


OF_OTHER_LAYOUTS = {
    "city_empty", "no_place", "venue_unknown", "venue_repeated", "quotation"
}  # fmt: skip
WRONG_TIMES = [
    "Tue Foo 03 18:00:09 +0000 2012",
    "Xyz Apr 03 18:00:09 +0000 2012",
    "Tue Apr 00 18:00:09 +0000 2012",
    "Tue Apr 03 24:00:00 +0000 2012",
    "Tue Apr 03 18:00:09 +0200 2012",
    "2012-04-03 18:00:09",
    "Tue Apr 3x 18:00:09 +0000 2012",
]
NO_DAYS = "Thu Feb 30 18:00:09 +0000 2012", "Fri Feb 29 18:00:09 +0000 2013"
FAULTY_ROWS = {
    "7 columns instead of 8": b"\t".join(row().split(b"\t")[:7]),
    "9 columns instead of 8": row() + b"\tmore",
    "1 column instead of 8": b"nonsense",
    "empty row": b"",
    "user is empty": row(user=""),
    "venue is empty": row(venue=""),
    "latitude 91 is outside -90..90": row(latitude="91"),
    "latitude -90.0001 is outside -90..90": row(latitude="-90.0001"),
    "latitude is NaN": row(latitude="NaN"),
    "latitude is infinite": row(latitude="-inf"),
    "latitude '' is not a number": row(latitude=""),
    "latitude '4O.7' is not a number": row(latitude="4O.7"),
    "longitude 'abc' is not a number": row(longitude="abc"),
    "longitude '1_0' is not a number": row(longitude="1_0"),
    "longitude 180.5 is outside -180..180": row(longitude="180.5"),
    "longitude is NaN": row(longitude="nan"),
    "longitude is infinite": row(longitude="1e999"),
    "offset 'x' is not a whole number of minutes": row(offset="x"),
    "offset '-240.5' is not a whole number of minutes": row(offset="-240.5"),
    "offset 841 is outside -720..840 minutes": row(offset="841"),
    "offset -99999999999999999999 is outside -720..840 minutes": row(offset="-99999999999999999999"),
    **{f"time '{time}' is not like '{GOOD[7]}'": row(time=time) for time in WRONG_TIMES},
    **{f"time '{time}' is no time of the years 2 to 9998": row(time=time) for time in NO_DAYS},
    "time 'Tue Apr 03 18:00' is not like 'Tue Apr 03 18:00:09 +0000 2012'": row()[:-14],  # cut in the middle
    "5 columns instead of 8": row()[:80],  # cut in the middle
    "NUL byte in the row": row(category=b"Caf\0e"),
    "control byte 0x1b in the row": row(category=b"Caf\x1be"),
}


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """What is left of a file with all faulty rows, two good ones before each; and its lines."""
    lines = []
    for number, line in enumerate(FAULTY_ROWS.values()):
        lines += [*good_rows(2, 2 * number), line]
    return Outcome(tmp_path_factory.mktemp("faulty"), joined(lines)), lines


@pytest.mark.parametrize(("number", "reason"), list(enumerate(FAULTY_ROWS)), ids=FAULTY_ROWS)
def test_a_faulty_row_is_rejected_with_its_reason(faulty, number, reason):
    outcome, _ = faulty
    line, told, text = outcome.rejected[number]
    assert (line, told) == (3 * (number + 1), reason)
    shown = FAULTY_ROWS[reason].decode().replace("\0", "\\x00").replace("\x1b", "\\x1b")
    assert text == re.sub("^\t", r"\\x09", shown)
    assert list(outcome.table["user"][2 * number : 2 * number + 2]) == [str(2 * number), str(2 * number + 1)]


def test_one_faulty_row_alone(tmp_path):
    reason = "latitude is NaN"
    outcome = Outcome(tmp_path, joined([*good_rows(2), FAULTY_ROWS[reason], *good_rows(2, 2)]))
    assert [(line, told) for line, told, _ in outcome.rejected] == [(3, reason)]
    assert list(outcome.table["user"]) == ["0", "1", "2", "3"]
    assert not outcome.kept.exists()


def test_all_faulty_rows_at_once(faulty, tmp_path):
    outcome, lines = faulty
    assert len(outcome.rejected) == len(FAULTY_ROWS)
    assert outcome.summary["rows_rejected"] == len(FAULTY_ROWS)
    assert outcome.summary["rows_prepared"] == 2 * len(FAULTY_ROWS)
    kinds = {kind: outcome.summary[f"rejected_{kind}"] for kind in KINDS}
    assert sum(kinds.values()) == len(FAULTY_ROWS)
    # every reason there is, is tested here, but those of other layouts: see test_layouts.py
    assert {kind for kind, count in kinds.items() if not count} == OF_OTHER_LAYOUTS
    for block_bytes in (300, 5000):
        other = Outcome(tmp_path / str(block_bytes), joined(lines), block_bytes=block_bytes)
        assert other.bytes() == outcome.bytes()
    few = joined([*FAULTY_ROWS.values(), row()])
    whole, bytewise = (
        Outcome(tmp_path / f"few-{block_bytes}", few, share=1.0, block_bytes=block_bytes)
        for block_bytes in (len(few), 1)
    )
    assert bytewise.bytes() == whole.bytes()
    assert [told for _, told, _ in whole.rejected] == list(FAULTY_ROWS)


def test_good_file_has_a_rejected_table_with_its_header(tmp_path):
    outcome = Outcome(tmp_path, joined(good_rows(3)), share=0.0)
    assert outcome.rejected_path.read_text() == "line,reason,text\n"


def test_last_row_without_line_end_counts(tmp_path):
    outcome = Outcome(tmp_path, b"\n".join([*good_rows(3), row()[:40]]))
    assert [line for line, _, _ in outcome.rejected] == [4]
    assert Outcome(tmp_path, b"\n".join(good_rows(3)), share=0).summary["rows_prepared"] == 3


def test_windows_line_ends_and_byte_order_mark_change_nothing(tmp_path):
    lines = [*good_rows(3), row(category="Café"), FAULTY_ROWS["latitude is NaN"]]
    plain = Outcome(tmp_path / "a", joined(lines))
    windows = Outcome(tmp_path / "b", b"\xef\xbb\xbf" + b"".join(line + b"\r\n" for line in lines))
    assert windows.bytes() == plain.bytes()
    stray = Outcome(tmp_path / "c", joined([*good_rows(3), row(category=b"a\rb")]))
    assert stray.rejected[0][1:] == ("control byte 0x0d in the row", row(category="a\\x0db").decode())


def test_text_is_utf8_where_valid_and_latin1_elsewhere(tmp_path):
    lines = [row(category="Café"), row(category="Café".encode("latin-1")), row(category="寿司"), row()]
    outcome = Outcome(tmp_path, joined(lines), share=0)
    assert list(outcome.table["category"]) == ["Café", "Café", "寿司", GOOD[3]]
    only = Outcome(tmp_path, joined(lines[2:]), share=0)
    assert list(only.table["category"]) == ["寿司", GOOD[3]]


def test_duplicates_are_kept_and_counted(tmp_path):
    lines = [*good_rows(5), row(user="1"), row(user="1"), row(user="3"), row(user="3", venue="x")]
    outcome = Outcome(tmp_path, joined(lines), share=0)
    assert outcome.summary["duplicates"] == 3
    assert len(outcome.table) == 9


def test_quotes_and_backslashes_are_ordinary_text(tmp_path):
    outcome = Outcome(tmp_path, joined([row(category="\"Joe's"), row(category='a"b\\n"'), b'x\\\t"', row()]))
    assert list(outcome.table["category"]) == ["\"Joe's", 'a"b\\n"', GOOD[3]]
    assert outcome.rejected == [(3, "2 columns instead of 8", 'x\\\\\t"')]


def test_summary(tmp_path):
    lines = [
        row(user="1", latitude="-1.5", time="Sun Jan 01 00:30:00 +0000 2012"),
        row(user="2", venue="v", longitude="179"),
        row(user="2", category="Bar"),
        b"",
    ]
    outcome = Outcome(tmp_path, joined(lines))
    table = pd.read_csv(outcome.summary_path, dtype=str)
    assert list(table.columns) == ["quantity", "value"]
    values = dict(zip(table["quantity"], table["value"], strict=True))
    assert values["rows_read"] == "4" and values["rows_prepared"] == "3" and values["rows_rejected"] == "1"
    assert values["rejected_empty_row"] == "1" and values["rejected_time_format"] == "0"
    assert (values["users"], values["venues"], values["categories"]) == ("2", "2", "2")
    assert values["first_local_time"] == "2011-12-31 20:30:00"
    assert values["last_local_time"] == "2012-04-03 14:00:09"
    assert (values["latitude_min"], values["longitude_max"]) == ("-1.5", "179.0")


def test_values_are_exact(tmp_path):
    source = random.Random(1)
    texts = [repr(source.uniform(-90, 90)) for _ in range(3000)]
    texts += [f"{source.uniform(-90, 90):.{source.randint(0, 25)}f}" for _ in range(3000)]
    texts += ["0", "-0", "+5", "5.", ".5", "1e1", "-1E-3", "5e-324", "90", "-90", "2.2250738585072011e-308"]
    texts = [text for text in texts if abs(float(text)) <= 90]
    times = [datetime(1999, 12, 31) + timedelta(seconds=source.randrange(10**9)) for _ in texts]
    offsets = [source.randint(-720, 840) for _ in texts]
    lines = [
        row(latitude=x, longitude=x, offset=str(o), time=f"{t:%a %b %d %H:%M:%S} +0000 {t:%Y}")
        for x, t, o in zip(texts, times, offsets, strict=True)
    ]
    table = Outcome(tmp_path, joined(lines), share=0).table
    wanted = np.array([float(text) for text in texts])
    assert table["latitude"].to_numpy().tobytes() == wanted.tobytes()  # −0 too
    assert table["longitude"].to_numpy().tobytes() == wanted.tobytes()
    assert list(table["offset_minutes"]) == offsets
    assert list(table["utc_time"].dt.tz_localize(None)) == times
    local = [t + timedelta(minutes=o) for t, o in zip(times, offsets, strict=True)]
    assert list(table["local_time"]) == local


def test_local_time_across_midnight_and_year(tmp_path):
    times = [  # offset, UTC, local time
        ("-240", "Sun Jan 01 00:30:00 +0000 2012", "2011-12-31 20:30:00"),
        ("840", "Mon Dec 31 23:59:59 +0000 2012", "2013-01-01 13:59:59"),
        ("-60", "Thu Mar 01 00:00:00 +0000 2012", "2012-02-29 23:00:00"),
        ("345", "Wed Feb 29 23:00:00 +0000 2012", "2012-03-01 04:45:00"),
    ]
    table = Outcome(tmp_path, joined(row(offset=o, time=utc) for o, utc, _ in times), share=0).table
    assert list(table["local_time"]) == [pd.Timestamp(local) for *_, local in times]


def test_types(faulty):
    outcome, _ = faulty
    assert outcome.types() == {
        "user": "VARCHAR",
        "venue": "VARCHAR",
        "category_id": "VARCHAR",
        "category": "VARCHAR",
        "latitude": "DOUBLE",
        "longitude": "DOUBLE",
        "offset_minutes": "SMALLINT",
        "utc_time": "TIMESTAMP WITH TIME ZONE",
        "local_time": "TIMESTAMP",
    }


def test_row_groups_do_not_depend_on_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr("study.checkins.prepare.ROW_GROUP", 2048)  # the fewest that DuckDB writes
    content = joined(good_rows(5000))
    outcomes = [Outcome(tmp_path / str(size), content, block_bytes=size) for size in (54_321, 1 << 18, 1 << 24)]
    assert outcomes[0].bytes() == outcomes[1].bytes() == outcomes[2].bytes()
    assert len(outcomes[0].row_groups()) == 3
    assert list(outcomes[0].table["user"]) == [str(number) for number in range(5000)]


def test_gzip_is_told_by_its_bytes_and_gives_the_same(tmp_path):
    lines = joined([*good_rows(30), FAULTY_ROWS["latitude is NaN"]])
    plain = Outcome(tmp_path / "plain", lines)
    packed = gzip.compress(lines)
    assert Outcome(tmp_path / "packed", packed).bytes() == plain.bytes()
    assert Outcome(tmp_path / "small", packed, block_bytes=10).bytes() == plain.bytes()
    members = gzip.compress(lines[:1000]) + gzip.compress(lines[1000:]) + b"\0" * 100
    assert Outcome(tmp_path / "members", members).bytes() == plain.bytes()


def test_sixty_percent_bad_rows_stop_the_run_and_keep_the_table(tmp_path):
    lines = []
    for number in range(200):
        lines += [*good_rows(2, number), row(latitude="91"), row(longitude="abc"), b"cut\trow"]
    with pytest.raises(InputError) as caught:
        Outcome(tmp_path, joined(lines), share=0.05)
    message = str(caught.value)
    kept = tmp_path / "logs" / "city.rejected.csv"
    for part in (
        "60.00 %",
        "5 %",
        "latitude_out_of_range 200",
        "column_count 200",
        str(kept),
        "The first are line 3 (latitude_out_of_range), line 4 (longitude_not_a_number), line 5 (col",
    ):
        assert part in message
    assert len(read_rejected(kept)) == 600
    assert list((tmp_path / "out").iterdir()) == []  # no output, no temporary file
    Outcome(tmp_path, joined(good_rows(3)))  # mended: the table of the failed run goes
    assert not kept.exists()


def test_share_at_the_limit_is_accepted(tmp_path):
    assert len(Outcome(tmp_path, joined([*good_rows(3), b""]), share=0.25).rejected) == 1
    with pytest.raises(InputError, match="1 of 4 rows"):
        Outcome(tmp_path, joined([*good_rows(3), b""]), share=0.24)
    with pytest.raises(InputError, match="2 of 2 rows"):
        Outcome(tmp_path, b"\n\n", share=1.0)


PACKED = gzip.compress(joined(good_rows(3000)), mtime=0)
FAULTY_FILES = {
    "empty": (b"", "is empty"),
    "empty gzip": (gzip.compress(b""), "is empty"),
    "truncated gzip": (PACKED[: len(PACKED) // 2], r"truncated gzip file: it breaks off after \d+ whole lines"),
    "gzip without its checksum": (PACKED[:-8], "truncated gzip file: it breaks off after 3000 whole lines"),
    "gzip header only": (PACKED[:5], "truncated gzip file: it breaks off after 0 whole lines"),
    "gzip with a wrong checksum": (PACKED[:-8] + b"\1" * 8, "damaged gzip"),
    "gzip with rubbish inside": (PACKED[:200] + b"\xff" * 300 + PACKED[500:], "damaged gzip"),
    "gzip and rubbish": (PACKED + b"rubbish", "damaged gzip"),
    "zip": (b"PK\x03\x04" + b"\0" * 500, "is a zip archive; unpack it"),
    "UTF-16": ("".join(map(bytes.decode, good_rows(3))).encode("utf-16"), "is UTF-16 text"),
    "noise": (bytes(range(256)) * 500, "is not text"),
    "no line ends": (b"x" * (2 * LONGEST_LINE), "a line is longer than"),
    "a very long line": (row() + b"\n" + b"x" * (2 * LONGEST_LINE) + b"\n", "a line is longer than"),
}


@pytest.mark.parametrize("name", FAULTY_FILES)
def test_faulty_file_is_named_and_leaves_nothing(tmp_path, name):
    content, message = FAULTY_FILES[name]
    with pytest.raises(InputError, match=message) as caught:
        Outcome(tmp_path, content)
    assert str(tmp_path / "checkins.txt") in str(caught.value)
    assert not (tmp_path / "out").exists() or list((tmp_path / "out").iterdir()) == []


def test_truncated_gzip_tells_how_many_lines_are_whole(tmp_path):
    half = PACKED[: len(PACKED) // 2]
    lines = zlib.decompressobj(wbits=31).decompress(half).count(b"\n")
    for block_bytes in (10_000, 1 << 20):
        with pytest.raises(InputError, match=f"after {lines} whole lines"):
            Outcome(tmp_path, half, block_bytes=block_bytes)


@pytest.mark.parametrize(
    ("name", "message"), [("missing.txt", "No such file"), ("", "Is a directory"), ("file/below", "Not a directory")]
)
def test_path_that_is_no_file(tmp_path, name, message):
    (tmp_path / "file").write_text("x")
    outputs = [tmp_path / "out" / part for part in "prs"]
    with pytest.raises(InputError, match=message) as caught:
        prepare({"checkins": tmp_path / name}, "tsmc2014", *outputs, 0.5, tmp_path / "kept.csv")
    assert str(tmp_path / name) in str(caught.value)


def test_file_that_cannot_be_read(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "checkins.txt"
    path.write_bytes(joined(good_rows(1)))
    monkeypatch.setattr("builtins.open", refuse)
    outputs = [tmp_path / part for part in "prs"]
    with pytest.raises(InputError, match="cannot be read: Permission denied"):
        prepare({"checkins": path}, "tsmc2014", *outputs, 0.5, tmp_path / "kept.csv")


def test_an_empty_category_is_none(tmp_path):
    outcome = Outcome(tmp_path, joined([row(category=""), row(category="Bar"), row(category="")]), share=0)
    assert list(outcome.table["category"]) == ["", "Bar", ""]
    assert outcome.summary["categories"] == 1


def test_duplicates_are_counted(tmp_path):
    lines = [row(user=str(number % 777)) for number in range(5000)]
    assert Outcome(tmp_path, joined(lines)).summary["duplicates"] == 5000 - 777


def test_years_whose_local_time_may_have_none_are_refused_and_their_neighbours_are_not(tmp_path):
    times = {year: f"Fri Dec 31 23:59:59 +0000 {year}" for year in ("0000", "0001", "9999", "0002", "9998")}
    outcome = Outcome(tmp_path, joined([row(time=time, offset="840") for time in times.values()]), share=0.9)
    reasons = [f"time '{times[year]}' is no time of the years 2 to 9998" for year in ("0000", "0001", "9999")]
    assert [reason for _, reason, _ in outcome.rejected] == reasons
    assert outcome.summary["rejected_time_impossible"] == 3
    assert str(outcome.summary["first_local_time"]) == "0003-01-01 13:59:59"
    assert str(outcome.summary["last_local_time"]) == "9999-01-01 13:59:59"


def test_leap_days_are_looked_at(tmp_path):
    years = {"2012": True, "2000": True, "1900": False, "2013": False, "1600": True, "0400": True}
    lines = [row(user=year, time=f"Wed Feb 29 23:59:59 +0000 {year}") for year in years]
    outcome = Outcome(tmp_path, joined(lines), share=0.9)
    assert list(outcome.table["user"]) == [year for year, leap in years.items() if leap]
    assert {reason for _, reason, _ in outcome.rejected} == {
        f"time 'Wed Feb 29 23:59:59 +0000 {year}' is no time of the years 2 to 9998" for year in ("1900", "2013")
    }  # fmt: skip


def test_rows_stay_in_order_and_blocks_change_nothing(tmp_path, monkeypatch):
    """More rows than a row group."""
    monkeypatch.setattr("study.checkins.prepare.ROW_GROUP", 20_480)
    lines = good_rows(28_000)
    lines[14_000] = FAULTY_ROWS["latitude is NaN"]
    content = joined(lines)
    outcomes = [Outcome(tmp_path / str(size), content, block_bytes=size) for size in (1 << 20, 16 << 20)]
    assert outcomes[0].bytes() == outcomes[1].bytes()
    users = outcomes[0].table["user"].astype(int).to_numpy()
    assert (users == np.delete(np.arange(28_000), 14_000)).all()
    assert [line for line, _, _ in outcomes[0].rejected] == [14_001]
    assert len(outcomes[0].row_groups()) == 2
    assert len(list((tmp_path / str(1 << 20) / "out").iterdir())) == 3  # no temporary file


def test_reading_stops_once_the_limit_is_exceeded_whatever_follows(tmp_path):
    content = joined([b"cut\trow"] * 5000 + good_rows(5000))
    with pytest.raises(InputError, match=r"Those read until then, with their texts and reasons, are in") as caught:
        Outcome(tmp_path, content, share=0.01, block_bytes=1 << 14)
    read = int(str(caught.value).split(" of ")[1].split(" rows")[0])
    assert len(read_rejected(tmp_path / "logs" / "city.rejected.csv")) == read < 5000
    # those that follow make up for them
    outcome = Outcome(tmp_path / "half", content, share=0.5, block_bytes=1 << 14)
    assert outcome.summary["rows_rejected"] == 5000


def test_an_error_of_the_database_ends_the_job(tmp_path, monkeypatch):
    """Rather than leave it waiting for a reader of the lines; and the thread that reads ahead ends, too."""
    threads = threading.active_count()
    monkeypatch.setattr("study.checkins.prepare.ROW_GROUP", "'none'")
    with pytest.raises(duckdb.Error) as caught:
        Outcome(tmp_path, joined(good_rows(100_000)), block_bytes=1 << 20)
    assert caught.traceback and threading.active_count() == threads  # whatever the traceback keeps alive
    assert list((tmp_path / "out").iterdir()) == []


@needs_sample
def test_real_sample(tmp_path):
    sample = Path(SAMPLE)
    packed = Outcome(tmp_path / "packed", sample.read_bytes(), share=0.05)
    plain = Outcome(tmp_path / "plain", gzip.decompress(sample.read_bytes()), share=0.05)
    assert packed.bytes() == plain.bytes()
    assert packed.summary["rows_prepared"] + packed.summary["rows_rejected"] == 44809
    hours = np.bincount(packed.table["local_time"].dt.hour, minlength=24)
    assert (hours[13], hours[8], hours[4]) == (2908, 2907, 367)
    assert hours.argmin() == 4
