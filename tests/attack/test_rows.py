"""Hostile rows of check-in files: each is used or listed with its reason, and no message shows one."""

import re

import pytest
from leaks import leaked
from outcome import Outcome, read_rejected

from study.workflow.job import InputError

PERSON = {
    "user": b"zqx3709", "venue": b"v1", "category_id": b"c1", "category": b"Bar", "latitude": b"47.370913",
    "longitude": b"8.370913", "offset": b"60", "time": b"Tue Apr 03 13:37:09 +0000 2012",
}  # fmt: skip
USED = ""


def row(**changes):
    fields = PERSON | {k: v.encode() if isinstance(v, str) else v for k, v in changes.items()}
    return b"\t".join(fields.values())


def at(time):
    return row(time=f"Tue {time}")


# what the row is: the row, and what the reason begins with; USED where the row is usable
TSMC2014 = {
    "as it should be": (row(), USED),
    # ------------------------------------------------------------------ times
    "the year 0": (at("Apr 03 13:37:09 +0000 0000"), "time .* is no time of the years 2 to 9998"),
    "the year 1": (at("Jan 01 00:00:00 +0000 0001"), "time .* is no time of the years 2 to 9998"),
    "the first day, west": (row(time="Mon Jan 01 00:00:00 +0000 0001", offset="-240"), "time .* is no time of"),
    "the last second, east": (row(time="Fri Dec 31 23:59:59 +0000 9999", offset="840"), "time .* is no time of"),
    "the year 2": (at("Jan 01 00:00:00 +0000 0002"), USED),
    "the year 9998": (at("Dec 31 23:59:59 +0000 9998"), USED),
    "no leap century": (at("Feb 29 13:37:09 +0000 1900"), "time .* is no time of"),
    "a leap century": (at("Feb 29 13:37:09 +0000 2000"), USED),
    "the day 0": (at("Apr 00 13:37:09 +0000 2012"), "time .* is not like"),
    "the day 99": (at("Apr 99 13:37:09 +0000 2012"), "time .* is not like"),
    "hour 24": (at("Apr 03 24:00:00 +0000 2012"), "time .* is not like"),
    "another zone": (at("Apr 03 13:37:09 +0100 2012"), "time .* is not like"),
    "minus zero": (at("Apr 03 13:37:09 -0000 2012"), "time .* is not like"),
    "a wrong weekday": (row(time="Mon Apr 03 13:37:09 +0000 2012"), USED),
    "a month in capitals": (row(time="Tue APR 03 13:37:09 +0000 2012"), USED),
    "a time of Arabic digits": (at("Apr ٠٣ 13:37:09 +0000 2012"), "time .* is not like"),
    "a time of wide digits": (at("Apr 03 １3:37:09 +0000 2012"), "time .* is not like"),
    "a time of seconds": (row(time="1333460229"), "time '1333460229' is not like"),
    "a time with a formula": (row(time="=1+1"), "time '=1\\+1' is not like"),
    "no time": (row(time=""), "time '' is not like"),
    # ------------------------------------------------------------------ coordinates
    "a pole": (row(latitude="-90"), USED),
    "beyond the date line": (row(longitude="180.0000001"), "longitude 180.0000001 is outside"),
    "the date line": (row(longitude="-180"), USED),
    "too large for a double": (row(latitude="1e999"), "latitude is infinite"),
    "too small for a double": (row(latitude="1e-999"), USED),
    "four hundred digits": (row(latitude="0." + "3" * 400), USED),
    "a power of ten": (row(latitude="4.7370913E+1"), USED),
    "nan": (row(latitude="-NaN"), "latitude is NaN"),
    "infinity": (row(longitude="Infinity"), "longitude is infinite"),
    "degrees": (row(latitude="47°22'15\"N"), "latitude .* is not a number"),
    "hexadecimal": (row(latitude="0x2f"), "latitude '0x2f' is not a number"),
    "an underscore": (row(latitude="4_7.3"), "latitude '4_7.3' is not a number"),
    "wide digits": (row(latitude="４７"), "latitude .* is not a number"),
    "Arabic digits": (row(latitude="٤٧"), "latitude .* is not a number"),
    "a space before": (row(latitude=" 47.3"), "latitude ' 47.3' is not a number"),
    "two signs": (row(latitude="--47"), "latitude '--47' is not a number"),
    "a thin minus": (row(longitude="−8.3"), "longitude .* is not a number"),
    "NULL": (row(latitude="NULL"), "latitude 'NULL' is not a number"),
    "a backslash and N": (row(latitude="\\N"), "latitude .* is not a number"),
    "SQL": (row(latitude="1); DROP TABLE rejected; --"), "latitude .* is not a number"),
    "a format": (row(latitude="{latitude.__class__}"), "latitude .* is not a number"),
    "a percent format": (row(latitude="%s%n"), "latitude '%s%n' is not a number"),
    # ------------------------------------------------------------------ offsets
    "beyond the zones": (row(offset="841"), "offset 841 is outside"),
    "before the zones": (row(offset="-721"), "offset -721 is outside"),
    "twenty digits": (row(offset="9" * 20), "offset 9* is outside"),
    "five thousand digits": (row(offset="9" * 5000), "offset 9*… is outside"),
    "wide digits of an offset": (row(offset="６０"), "offset .* is not a whole number"),
    # ------------------------------------------------------------------ names
    "a user of a space": (row(user=" "), USED),
    "a quote": (row(user='"zqx'), USED),
    "a quote in SQL": (row(venue="v'; DROP TABLE venues; --"), USED),
    "a long category": (row(category="é" * 100_000), USED),
    "a long user": (row(user="zqx" * 10_000), USED),
    "markup": (row(category="<script>alert(1)</script>"), USED),
    "a template": (row(category="{{ 7 * 7 }}{% raw %}"), USED),
    "right to left": (row(category="\u202etxt.exe"), USED),
    "a byte order mark inside": (row(category="\ufeffBar"), USED),
    "a line separator of Unicode": (row(category="a\u2028b\u0085c"), USED),
    "a zero-width name": (row(user="\u200b"), USED),
    "latin-1": (row(category=b"Caf\xe9"), USED),
    "overlong UTF-8": (row(category=b"\xc0\xaf"), USED),
    "a surrogate in UTF-8": (row(category=b"\xed\xa0\x80"), USED),
    # ------------------------------------------------------------------ control characters
    "a NUL": (row(category=b"Caf\0e"), "NUL byte in the row"),
    "a NUL in a time": (row(time=b"Tue Apr\0 03 13:37:09 +0000 2012"), "NUL byte in the row"),
    "an escape": (row(category=b"\x1b[31mBar\x1b[0m"), "control byte 0x1b in the row"),
    "a title of the terminal": (row(user=b"\x1b]0;zqx\x07"), "control byte 0x1b in the row"),
    "a bell": (row(user=b"zqx\x07"), "control byte 0x07 in the row"),
    "a delete": (row(user=b"zqx\x7f"), "control byte 0x7f in the row"),
    "a return inside": (row(category=b"a\rb"), "control byte 0x0d in the row"),
    "a form feed": (row(category=b"a\x0cb"), "control byte 0x0c in the row"),
    "the byte that separates units": (row(category=b"a\x1fb"), "control byte 0x1f in the row"),
    # ------------------------------------------------------------------ columns
    "a column too many": (row() + b"\t", "9 columns instead of 8"),
    "only tabs": (b"\t" * 7, "user is empty"),
    "ten thousand columns": (b"\t" * 9999, "10000 columns instead of 8"),
    "commas": (row().replace(b"\t", b","), "1 column instead of 8"),
    # ------------------------------------------------------------------ cells that a spreadsheet would run
    **{
        f"a formula of {sign}": (row(user=f"{sign}cmd|'/c calc'!A0", offset="x"), "offset 'x' is not")
        for sign in "=+-@"
    },
}
SNAP = {
    "as it should be": (b"zqx3709\t2010-10-19T13:37:09Z\t47.370913\t8.370913\tv1", USED),
    "the year 9999": (b"zqx3709\t9999-12-31T23:59:59Z\t47.3\t179\tv1", "time .* is no time of"),
    "the year 0": (b"zqx3709\t0000-01-01T00:00:00Z\t47.3\t-179\tv1", "time .* is no time of"),
    "no zone": (b"zqx3709\t2010-10-19T13:37:09\t47.3\t8.3\tv1", "time .* is not like"),
    "a fraction": (b"zqx3709\t2010-10-19T13:37:09.5Z\t47.3\t8.3\tv1", "time .* is not like"),
}
VISIT = b"2026-03-01 13:37:09,47.370913,8.370913,zqx3709"
CSV = {
    "as it should be": (VISIT, USED),
    "an open quote": (VISIT + b'"', USED),
    "a quote and more": (VISIT.replace(b"zqx", b'"zqx"y'), "a quoted field does not end"),
    "an offset of 25 hours": (VISIT.replace(b":09", b":09+25:00"), "time .*"),
    "an offset of seconds": (VISIT.replace(b":09", b":09+01:00:30"), "time .* is not like"),
    "the year 1": (VISIT.replace(b"2026", b"0001"), "time .* is no time of"),
    "the year 9999": (VISIT.replace(b"2026-03-01 13", b"9999-12-31 23"), "time .*"),
    "a tab in a name": (VISIT.replace(b"zqx", b"zqx\t"), USED),
    "an escape": (VISIT.replace(b"zqx", b"\x1b[2J"), "control byte 0x1b"),
    "a formula": (b"=1+1" + VISIT, "time .* is not like"),
}
LAYOUTS = {"tsmc2014": (TSMC2014, b""), "snap": (SNAP, b""), "csv": (CSV, b"time,latitude,longitude,user\n")}
CASES = [(layout, name) for layout, (rows, _) in LAYOUTS.items() for name in rows]


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Of each layout, all rows prepared at once, in the order of the tables above."""
    return {
        layout: Outcome(
            tmp_path_factory.mktemp(layout), header + b"".join(r + b"\n" for r, _ in rows.values()),
            layout=layout, share=1.0,
        )
        for layout, (rows, header) in LAYOUTS.items()
    }  # fmt: skip


@pytest.mark.parametrize(("layout", "name"), CASES, ids=[" ".join(case) for case in CASES])
def test_a_row_is_used_or_listed_with_its_reason(prepared, layout, name):
    rows, header = LAYOUTS[layout]
    line = list(rows).index(name) + 1 + bool(header)
    given, wanted = rows[name]
    reasons = {number: (reason, text) for number, reason, text in prepared[layout].rejected}
    if wanted == USED:
        assert line not in reasons
    else:
        reason, text = reasons[line]
        assert re.match(wanted, reason, re.DOTALL)
        assert not re.match(r"[=+\-@\t]", text)  # which a spreadsheet would take for a formula
        again = re.sub(r"\\(x..|\\)", lambda m: "\\" if m[1] == "\\" else chr(int(m[1][1:], 16)), text)
        assert again == given.decode("utf-8")  # nothing of the row is lost


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_row_is_counted_once(prepared, layout):
    rows, _ = LAYOUTS[layout]
    outcome, bad = prepared[layout], [name for name, (_, reason) in rows.items() if reason != USED]
    assert len(outcome.table) == len(rows) - len(bad) and len(outcome.rejected) == len(bad)
    assert outcome.summary["rows_read"] == len(rows)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_message_of_too_many_bad_rows_shows_no_row(layout, tmp_path, logged, capfd):
    rows, header = LAYOUTS[layout]
    content = header + b"".join(row + b"\n" for row, _ in rows.values())
    with pytest.raises(InputError, match="cannot be used; the limit is 1 %") as raised:
        Outcome(tmp_path, content, layout=layout, share=0.01)
    assert "The first are line " in str(raised.value)
    assert leaked(raised.value, logged.getvalue(), *capfd.readouterr()) == []
    kept = read_rejected(tmp_path / "logs/city.rejected.csv")
    assert len(kept) == sum(reason != USED for _, reason in rows.values())


def test_the_names_of_a_first_line_that_is_data_are_not_shown(tmp_path):
    with pytest.raises(InputError, match="The first line has numbers or times") as raised:
        Outcome(tmp_path, VISIT + b"\n" + VISIT + b"\n", layout="csv")
    assert leaked(raised.value) == []
