"""Tables as people have them, made anew: each is read right, or refused with a line that can be pasted.

At a level of 20 000 within 3 h no report leaves its minute (a cell away is e^-111 as probable), so what is
released is what was read, and it is compared with the truth row by row.
"""

import datetime
import gzip
import re
import shlex
from pathlib import Path

import databases
import pytest
from command_runs import ROOT, folder, run

SURE = "--level 20000 --within 3h --keep-order"
WEEK = "--period 7d --cells 10080"
MONDAY = datetime.datetime(2024, 3, 4)
# minutes of a week, with both sides of midnight and of noon
MINUTES = [495, 0, 1, 1439, 1440, 719, 720, 1065, 2 * 1440 + 495, 6 * 1440 + 1439, 5 * 1440 + 61]
STAMPS = [MONDAY + datetime.timedelta(minutes=minute) for minute in MINUTES]
CLOCKS = [f"{stamp:%H:%M}" for stamp in STAMPS]
UTC = datetime.UTC


def column(form, head="arrival", before="", after="", ends="\n"):
    """A CSV with one text for each moment; a form is of strftime, or a function."""
    write = form if callable(form) else lambda stamp: stamp.strftime(form)
    return ends.join([head, *(f"{before}{write(stamp)}{after}" for stamp in STAMPS)]) + ends


def seconds(stamp):
    return int(stamp.replace(tzinfo=UTC).timestamp())


def serial(stamp):
    return (stamp - datetime.datetime(1899, 12, 30)) / datetime.timedelta(days=1)


def iso_berlin(stamp):
    return (stamp - datetime.timedelta(hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")  # winter time


GPX = f"--time time --zone UTC {WEEK}"
TAXI = column("%Y-%m-%d %H:%M:%S", "VendorID,pickup,fare", "2,", ",12.5")
# what is written, how it is called, and its options: the twelve kinds that were tried, and ten more
READ = {
    "taxi": (TAXI, "in.csv", "--time pickup"),
    "bicycles": (column("%Y-%m-%d %H:%M:%S.123", '"ride","arrival"', '"A1","', '"'), "in.csv", ""),
    "a byte order mark and CRLF": ("\ufeff" + column("%H:%M", ends="\r\n"), "in.csv", ""),
    "lines in a quoted field": (column("%H:%M", "note,arrival", '"a\nb, ""c""",'), "in.csv", ""),
    "a packed file": (gzip.compress(TAXI.encode()), "in.csv.gz", "--time pickup"),
    "German": (column("%d.%m.%Y %H:%M", "a;arrival", "1,5;"), "in.csv", "--separator ; --time-format '%d.%m.%Y %H:%M'"),
    "American": (column("%m/%d/%Y %I:%M %p"), "in.csv", "--time-format '%m/%d/%Y %I:%M %p'"),
    "RFC 2822": (
        column('"%a, %d %b %Y %H:%M:%S +0000"'),
        "in.csv",
        "--time-format '%a, %d %b %Y %H:%M:%S %z' --zone UTC",
    ),
    "French": (column("%Hh%M"), "in.csv", "--time-format %Hh%M"),
    "instants": (column(iso_berlin), "in.csv", "--zone Europe/Berlin"),
    "offsets with a space": (column("%Y-%m-%d %H:%M:%S +0000"), "in.csv", "--zone UTC"),
    "a smartphone's epoch": (column(lambda s: str(1000 * seconds(s) + 7)), "in.csv", "--unit epoch_ms --zone UTC"),
    "a server's epoch": (column(lambda s: f"{seconds(s)}.25"), "in.csv", "--unit epoch --zone UTC"),
    "ISO weeks": (column("%G-W%V-%u %H:%M"), "in.csv", f"--time-format '%G-W%V-%u %H:%M' {WEEK}"),
    "a spreadsheet's clock": (column(lambda s: repr(serial(s) % 1)), "in.csv", "--unit day"),
    "minutes of the day": (column(lambda s: str(s.hour * 60 + s.minute)), "in.csv", "--unit min"),
    "seconds of the day": (column(lambda s: str(s.hour * 3600 + s.minute * 60)), "in.csv", "--unit s"),
    "tabs and bars": (column("%H:%M", "n|arrival", "x|"), "in.csv", "--separator '|'"),
    "JSON lines": (column(lambda s: f'{{"arrival": "{s:%H:%M}"}}', "").strip(), "in.jsonl", ""),
    "GPX": (column(lambda s: f'<wpt lat="1" lon="2"><time>{s:%FT%TZ}</time></wpt>', "<gpx>") + "</gpx>", "in.gpx", GPX),
    "UTF-16": (column("%H:%M").encode("utf-16"), "in.txt", ""),
    "Windows-1252": (column("%H:%M", "arrival,café", after=",€").encode("cp1252"), "in.csv", ""),
    "tabs": (column("%H:%M", "arrival\tb", after="\tx"), "in.tsv", ""),
    "a title": ("Rides of March\n" + column("%H:%M", "a,arrival", "x,"), "in.csv", ""),
    "time64 of Parquet": ("SELECT TIME '{clock}' AS arrival", "in.parquet", ""),
    "a zone of Parquet": ("SELECT TIMESTAMPTZ '{stamp}+00' AS arrival", "in.parquet", f"--zone UTC {WEEK}"),
    "a dictionary of Parquet": ("SELECT CAST('{clock}' AS ENUM ({all})) AS arrival", "in.parquet", ""),
    "nanoseconds of Parquet": ("SELECT TIMESTAMP_NS '{stamp}.999999999' AS arrival", "in.parquet", WEEK),
}
# what is refused, and what is readable after the command of the message: by options that are given then
REFUSED = {
    "dates of a spreadsheet": (column(lambda s: repr(serial(s))), "in.csv", "--unit day", ""),
    "a timetable": (column(lambda s: f"{s.hour + 24}:{s:%M}:00"), "in.csv", "", ""),
    "decimal commas": (
        column(lambda s: f"{(s.hour * 60 + s.minute + 0.5) / 60:.9f}".replace(".", ","), "a;arrival", ";"),
        "in.csv",
        "--separator ;",
        "--unit h",
    ),
    "clocks as numbers": (column(lambda s: str(s.hour * 100 + s.minute)), "in.csv", "--unit h", ""),
    "days of the week": (column("%a %H:%M"), "in.csv", WEEK, WEEK),
    "NA": (
        column(lambda s: "NA" if s.minute == 0 else f"{s:%H:%M}", before="").replace("08:15", "NA", 1),
        "in.csv",
        "",
        "--missing keep",
    ),
}


def write(data, name):
    if name.endswith(".parquet"):
        every = ", ".join(f"'{clock}'" for clock in sorted(set(CLOCKS)))
        rows = [data.format(clock=f"{s:%H:%M}", stamp=f"{s:%Y-%m-%d %H:%M:%S}", all=every) for s in STAMPS]
        with databases.connection() as connection:
            connection.execute(f"COPY ({' UNION ALL '.join(rows)}) TO '{Path.cwd() / name}' (FORMAT parquet)")
    else:
        Path(name).write_bytes(data if isinstance(data, bytes) else data.encode())


def release(name, more):
    words = [] if "--time " in more else ["--time", "arrival"]
    return run("release", name, "out.csv", *words, *shlex.split(f"{SURE} {more}"))


def released():
    """The minutes, which are written by their middles."""
    return [text.removesuffix(":30") for text in Path("out.csv").read_text().split("\n")[1:-1]]


def truth(more):
    return [f"{stamp:%a %H:%M}" for stamp in STAMPS] if "--period" in more else CLOCKS


@pytest.mark.parametrize(("data", "name", "more"), READ.values(), ids=READ)
def test_a_table_is_read_right(data, name, more, folder):
    write(data, name)
    ran = release(name, more)
    assert (ran.status, ran.err) == (0, "")
    assert released() == truth(more)


@pytest.mark.parametrize(("data", "name", "more", "then"), REFUSED.values(), ids=REFUSED)
def test_a_refused_table_is_read_after_the_command_of_its_message(data, name, more, then, folder):
    write(data, name)
    ran = release(name, more)
    assert ran.status == 2 and len(ran.err.splitlines()) == 1
    line = re.search("(dirpriv prepare .*?)(; see|[.] To fill|$)", ran.err.strip())[1]
    assert run(*shlex.split(line)[1:]).status == 0
    ran = release(f"{name}.prepared.parquet", then)
    assert (ran.status, ran.err) == (0, "")
    found, right = released(), truth(then)
    if "--missing" in then:
        assert found.count('""') > 0
        right = ['""' if text == '""' else true for text, true in zip(found, right, strict=True)]
    assert found == right


@pytest.mark.parametrize(("unit", "hour"), [("h", "14:00"), ("hourbin", "14:30")])
def test_a_whole_hour_is_what_its_holder_says(unit, hour, folder):
    write("arrival\n14\n", "in.csv")
    assert release("in.csv", "").status == 2
    assert release("in.csv", f"--unit {unit}").status == 0
    assert Path("out.csv").read_text() == f"arrival\n{hour}:30\n"
