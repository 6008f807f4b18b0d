"""Tables that are drawn: each is read right, or refused with what to choose; each command of a message is run.

The grammar of the tables is written here, from how people write. It knows nothing of the reader, and has the truth
from datetime.
"""

import datetime
import math
import re
import shlex
from collections.abc import Callable
from typing import Any, NamedTuple

import databases
import pytest
from command_runs import run
from for_all import for_all
from hypothesis import strategies as st
from leaks import leaked
from tables_of_releases import new_holder

from dirpriv.release import CircleRelease, PlaneRelease

HOLDER = []


@pytest.fixture(scope="module", autouse=True)
def here(tmp_path_factory):
    """A folder of the input; reports are what was read."""
    with pytest.MonkeyPatch.context() as patch:
        made = new_holder(tmp_path_factory.mktemp("holder"), patch)
        patch.setattr(CircleRelease, "_released", lambda self, cells: cells)
        patch.setattr(PlaneRelease, "randomise_cells", lambda self, east, north: (east, north))
        patch.chdir(made.input)
        HOLDER.append(made)
        yield made


class Kind(NamedTuple):
    """How people write a moment: its text, what that means, how it is released, and the choice that is right."""

    name: str
    write: Callable[[Any], str]
    truth: Callable[[Any], Any]  # a text as DuckDB shows it, or a number
    call: Any = None  # the options of a release
    choice: str = ""
    is_sure: bool = False  # whether it is always read

    def clock(self, at):
        """What is released of a day: the minute."""
        true = self.truth(at)
        return re.search(r"\d\d:\d\d", true)[0] if isinstance(true, str) else f"{at:%H:%M}"


CLOCKS = "%H:%M|%H:%M:%S|%-H:%M|%-H:%M:%S|%I:%M %p|%-I:%M %p|%I:%M:%S %p|%-I:%M%p|%I:%M:%S%p".split("|")
DATES = "%Y-%m-%d|%d/%m/%Y|%m/%d/%Y|%d.%m.%Y|%d-%m-%Y|%m-%d-%Y|%Y/%m/%d|%d/%m/%y|%m/%d/%y|%d.%m.%y|%d %b %Y|"
DATES = (DATES + "%b %d, %Y|%d-%b-%Y|%B %d, %Y|%-d/%-m/%Y|%-m/%-d/%y|%Y%m%d|%a, %d %b %Y").split("|")
OFFSETS = {"Z": 0, "+00:00": 0, "+01:00": 60, "-0530": -330, "+14": 840, " +0200": 120, " UTC": 0, " GMT": 0}
UTC = {"zone": "UTC"}
COMPASS = "N NNE NE ENE E ESE SE SSE S SSW SW WSW W WNW NW NNW".split()
SINCE = datetime.datetime(1899, 12, 30)


def read_of(form, minutes=0, end=""):
    """What a text of a format means, as DuckDB shows it."""
    shown = ("%Y-%m-%d " if "%Y" in form or "%y" in form else "") + ("%H:%M:%S" if "%S" in form else "%H:%M:00")
    return lambda at: (at - datetime.timedelta(minutes=minutes)).strftime(shown) + end


def of_format(form, end="", minutes=0, shown="", **call):
    choice = "" if "d" not in form else "--day-first" if re.search("d.*[mbB]", form) else "--month-first"
    return Kind(form + end, lambda at: at.strftime(form) + end, read_of(form, minutes, shown), call, choice)


def seconds(at):
    return int(at.replace(tzinfo=datetime.UTC).timestamp())


def minute(at):
    return at.hour * 60 + at.minute


def degrees(at):
    """Any latitude of four digits, by its second."""
    return seconds(at) % 1_800_001 / 10_000 - 90


def chosen(form, write, truth, **call):
    """A kind that people must choose."""
    return Kind(form, write, truth, call, f"--as arrival={form}")


NAIVE, DAY = read_of("%Y-%m-%d %H:%M:%S"), datetime.timedelta(1)
IN_UTC = read_of("%Y-%m-%d %H:%M:%S", end="+00")
KINDS = {
    "clock": [of_format(form)._replace(is_sure=True) for form in CLOCKS],
    "date": [of_format(date + mark + clock) for date in DATES for mark in (" ", ", ", "T") for clock in CLOCKS],
    "instant": [
        of_format(form, end, minutes, "+00", **UTC)
        for form in ("%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S", "%Y%m%dT%H%M%S", "%d %b %Y %H:%M:%S")
        for end, minutes in OFFSETS.items()
    ],
    "number": [
        Kind("timetable", lambda at: f"{at.hour + 24 * (at.hour < 5)}:{at:%M:%S}", read_of("%H:%M:%S"), {}),
        Kind("weekday", lambda at: f"{at:%a %H:%M}", lambda at: f"2024-01-0{at.weekday() + 1} {at:%H:%M}:00", {}),
        Kind(
            "fraction", lambda at: repr(minute(at) / 1440), lambda at: minute(at) / 1440, {"unit": "day"}, is_sure=True
        ),
        Kind("minutes", lambda at: str(minute(at)), minute, {"unit": "min"}, is_sure=True),
        Kind(
            "comma",
            lambda at: f"{(minute(at) + 0.5) / 60:.9f}".replace(".", ","),
            lambda at: (minute(at) + 0.5) / 60,
            {"unit": "h"},
            is_sure=True,
        ),
        Kind("epoch", lambda at: str(seconds(at)), seconds, {"unit": "epoch", **UTC}),
        Kind("epoch_ms", lambda at: f"{seconds(at)}000", lambda at: seconds(at) * 1000, {"unit": "epoch_ms", **UTC}),
        chosen("hhmm", lambda at: str(at.hour * 100 + at.minute), read_of("%H:%M")),
        chosen("serial", lambda at: repr((at - SINCE) / DAY), NAIVE, unit="day"),
        chosen("microseconds", lambda at: f"{seconds(at)}000000", IN_UTC, unit="epoch", **UTC),
        chosen("nanoseconds", lambda at: f"{seconds(at)}000000000", IN_UTC, unit="epoch", **UTC),
    ],
    "degrees": [
        Kind("decimal", lambda at: f"{degrees(at):.4f}", degrees),
        Kind("marked", lambda at: f"{abs(degrees(at)):.4f}°{'NS'[degrees(at) < 0]}", degrees),
        Kind("before", lambda at: f"{'NS'[degrees(at) < 0]}{abs(degrees(at)):.4f}", degrees),
        Kind(
            "minutes", lambda at: f"{at.hour}°{at:%M'%S}\"W", lambda at: -(at.hour + at.minute / 60 + at.second / 3600)
        ),
        Kind("sign", lambda at: f"{degrees(at):.4f}°".replace("-", "\u2212"), degrees),
        chosen("e7", lambda at: str(round(degrees(at) * 1e7)), degrees),
        chosen("signed-heading", lambda at: f"{degrees(at):.4f}", lambda at: degrees(at) % 360),
        chosen("compass", lambda at: COMPASS[at.hour % 16], lambda at: at.hour % 16 * 22.5),
        Kind("point", lambda at: f"POINT Z ({degrees(at) / 2:.5f} {degrees(at):.4f} 3)", degrees),
        chosen("lat-lon", lambda at: f"({degrees(at):.4f}, {degrees(at) / 2:.5f})", degrees),
        chosen("lon-lat", lambda at: f"[{degrees(at) / 2:.5f}; {degrees(at):.4f}]", degrees),
    ],
}
SENTINELS = ["511", "999", "-9999", "91", "181"]
NONE = ["NA", "null", "-", "n/a", "\\N", "NaT", "", " "]
ALIEN = ["9 o'clock", "99:99", "25:61", "closed", "31/31/2024 08:15", "-1", "12:30 XM", "2024-02-30 08:15", "511"]
MOMENTS = st.datetimes(datetime.datetime(2001, 1, 1), datetime.datetime(2039, 1, 1)).map(
    lambda at: at.replace(microsecond=0)
)


@st.composite
def tables(draw):
    """Texts of a column with what each means: None for no value, and itself for what has no meaning."""
    kind = draw(st.sampled_from([*KINDS]).flatmap(lambda name: st.sampled_from(KINDS[name])))
    moments = draw(st.lists(MOMENTS, min_size=1, max_size=12))
    rows = [(kind.write(at), kind.truth(at), at) for at in moments]
    others = draw(st.sampled_from([[], [], NONE, ALIEN, [*NONE, *ALIEN], SENTINELS]))
    for text in draw(st.lists(st.sampled_from(others), max_size=2)) if others else []:
        place = draw(st.integers(0, len(rows)))
        rows.insert(place, (text, None if text in NONE else text, None))
    return kind, rows


def with_no(words, rows):
    """What the rows mean where a number stands for no value."""
    return [(text, None if words == f"--no-value arrival={text}" else true, at) for text, true, at in rows]


def write(rows):
    quoted = ('"' + text.replace('"', '""') + '"' for text, *_ in rows)
    return HOLDER[-1].csv("\n".join(["arrival,id", *(f"{text},{i}" for i, text in enumerate(quoted))]) + "\n", "in.csv")


def is_right(shown, text, true):
    """Whether a value of the new table is the true one, or the text as it was."""
    if shown is None or shown == text:
        return true is None or shown == text
    if isinstance(true, int | float):
        return bool(re.fullmatch(r"[-0-9.e+]+", shown)) and math.isclose(float(shown), true, abs_tol=1e-6)
    return re.sub(r"\.\d+", "", shown) == true


def prepared(rows, *words):
    """Run the command; None where it refuses, else what it prints. No row is lost, and no value is printed."""
    for path in HOLDER[-1].input.glob("*.parquet"):
        path.unlink()
    ran = run("prepare", "in.csv", "out.parquet", *words)
    assert ran.status in (0, 2), ran
    if ran.status:
        return None
    with databases.connection() as connection:  # of a pair, the latitude is the last one
        shown = "CAST(COLUMNS('^arrival(_lat)?$') AS VARCHAR), CAST(id AS INTEGER)"
        found = connection.execute(f"SELECT {shown} FROM 'out.parquet'").fetchall()
    assert [row[-1] for row in found] == [*range(len(rows))]
    return ran.out, [row[-2] for row in found]


def check_prepared(kind, rows):
    """Without choices, by each choice that is offered, and by the one that is right."""
    write(rows)
    out, found = prepared(rows)
    words = re.findall(r"--no-value \S+|--\w+-first|--as \S+", out)
    tries = [("", found)]
    for choice in sorted({kind.choice, *(each.replace("--as ", "--as arrival=") for each in words)} - {""}):
        again = prepared(rows, *choice.split())
        assert again or "--no-value" not in choice
        tries += [(choice, again[1])] if again and choice in (kind.choice, *words) else []
    wrong = [
        (choice, shown, text)
        for choice, each in tries
        for shown, (text, true, _) in zip(each, with_no(choice, rows), strict=True)
        if not is_right(shown, text, true) and choice in ("", kind.choice, f"--no-value arrival={text}")
    ]
    assert not wrong, (kind.name, wrong[0])


CALL = {"time": "arrival", "level": 1.0, "radius": "3h", "keep_order": True, "missing": "keep"}


def offered(message):
    """The options and the commands of a message."""
    lines = re.findall(r"dirpriv prepare .*?(?= or dirpriv|; see|\. |$)", message)
    return re.findall(r"(?<!such as )time_format='([^']*)'", message), lines


def fits(kind, choice):
    """Whether a format, or a form of a command, is how a table was written."""
    if len(kind.choice) < 4 or "%d" not in choice or not re.search("%[mbB]", choice):
        return True
    return kind.choice == ("--day-first" if re.search("d.*[mbB]", choice) else "--month-first")


def check_released(kind, rows):
    """Released, or after each command that a message has and that is right; a refusal is the end."""
    source, call = write(rows).name, CALL | kind.call
    for _ in range(5):
        for path in HOLDER[-1].output.iterdir():
            path.unlink()
        try:
            HOLDER[-1].release(source, rerelease=True, **call)
        except ValueError as error:
            message = str(error)
        else:
            found = [row[0].strip('"') for row in HOLDER[-1].released()]
            clocks = ["" if true is None else true if at is None else kind.clock(at) for _, true, at in rows]
            assert found == clocks, (kind.name, [*zip(found, rows, strict=True)])
            return
        assert leaked(message) == []
        formats, lines = offered(message)
        right = None
        if "'unit' is for numbers" in message:
            right = call.pop("unit")
        for line in lines:
            words = shlex.split(line)
            (HOLDER[-1].input / words[3]).unlink(missing_ok=True)
            ran = run(*words[1:])
            assert ran.status == 0, (line, ran)
            with databases.connection() as connection:
                assert connection.execute(f"SELECT count(*) FROM '{words[3]}'").fetchall() == [(len(rows),)]
            if fits(kind, line):
                right = source = words[3]
        for form in formats:
            if fits(kind, form):
                right = call["time_format"] = form
        if right is None:
            is_mixed = any(at is None and true is not None for _, true, at in rows)
            assert is_mixed or not kind.is_sure, (kind.name, message)
            return


@for_all(10, 300, table=tables())
def test_a_drawn_table_is_prepared_right(table):
    check_prepared(*table)


@for_all(10, 300, table=tables().filter(lambda table: table[0].call is not None))
def test_a_drawn_table_is_released_right_by_the_commands_of_messages(table):
    check_released(*table)
