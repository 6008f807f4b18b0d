"""What a check-in file may look like, and how a block of its lines becomes columns.

A layout names the columns of a line in file order; each column has one parser, shared by all layouts.
A further layout is a further entry of :data:`LAYOUTS`, a further kind of column a further entry of
:data:`PARSERS`. Everything here works on a whole block of lines at once; only rows that cannot be used
are looked at one by one, to write down why.
"""

import re
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from study.job import InputError

# name of the layout -> the columns of a line, in file order
TSMC2014 = ("user", "venue", "category_id", "category", "latitude", "longitude", "offset_minutes", "utc_time")
LAYOUTS = {
    "tsmc2014": TSMC2014,
    "synthetic_city": TSMC2014,  # what generate_checkins writes
}

# Why a row cannot be used. The order of the checks on a row: the first that fails gives the reason.
REASONS = {
    "nul_byte": "NUL byte in the row",
    "control_byte": "control byte {byte} in the row",
    "empty_row": "empty row",
    "column_count": "{count} instead of {expected}",
    "user_empty": "user is empty",
    "venue_empty": "venue is empty",
    "latitude_not_a_number": "latitude '{latitude}' is not a number",
    "latitude_nan": "latitude is NaN",
    "latitude_infinite": "latitude is infinite",
    "latitude_out_of_range": "latitude {latitude} is outside -90..90",
    "longitude_not_a_number": "longitude '{longitude}' is not a number",
    "longitude_nan": "longitude is NaN",
    "longitude_infinite": "longitude is infinite",
    "longitude_out_of_range": "longitude {longitude} is outside -180..180",
    "offset_not_whole_minutes": "offset '{offset_minutes}' is not a whole number of minutes",
    "offset_out_of_range": "offset {offset_minutes} is outside -720..840 minutes",
    "time_format": "time '{utc_time}' is not like 'Tue Apr 03 18:00:09 +0000 2012'",
    "weekday_unknown": "weekday '{weekday}' is unknown",
    "month_unknown": "month '{month}' is unknown",
    "date_impossible": "date '{month} {day} {year}' does not exist",
    "clock_impossible": "time of day '{clock}' does not exist",
    "zone_not_utc": "time zone '{zone}' is not +0000",
}
KINDS = tuple(REASONS)

NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
WHOLE_NUMBER = r"^[+-]?[0-9]+$"
TIME_LENGTH = 30
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LONGEST_LINE = 1 << 20  # bytes; a check-in has about 140
TAB, NEWLINE, RETURN, DELETE = 9, 10, 13, 127
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")


class Rejected(NamedTuple):
    """A row that cannot be used: its number in the block (from 0), why, and its text."""

    row: int
    kind: str
    reason: str
    text: str


class Faults:
    """For each row of a block, the first check it failed."""

    def __init__(self, rows):
        self.code = np.full(rows, -1, dtype=np.int16)

    def flag(self, rows, failed, kind):
        """Give ``kind`` to those of ``rows`` where ``failed``, unless they have a fault already."""
        failed = rows[failed]
        self.code[failed[self.code[failed] < 0]] = KINDS.index(kind)


def columns_of(layout):
    """Column names of a layout in file order, or an :class:`InputError` that lists the layouts."""
    if layout not in LAYOUTS:
        raise InputError(f"layout '{layout}' is unknown; known layouts: {', '.join(LAYOUTS)}")
    return LAYOUTS[layout]


def parse_block(block, layout):
    """Turn a block of whole lines into a table of check-ins and the rows that cannot be used.

    Parameters
    ----------
    block : bytes
        Lines, each ended by ``\\n`` or ``\\r\\n``.
    layout : str
        A key of :data:`LAYOUTS`.

    Returns
    -------
    table : pyarrow.Table
        The usable rows in file order, strings not yet dictionary-encoded.
    rejected : iterator of Rejected
        The other rows, in file order; one at a time, as there may be millions of empty lines.
    rows : int
        Number of lines in the block.
    """
    names = columns_of(layout)
    block = as_utf8(block)
    data = np.frombuffer(block, dtype=np.uint8)
    newlines = np.flatnonzero(data == NEWLINE)
    starts = np.concatenate(([0], newlines[:-1] + 1))
    # A line may be empty, so look at the byte before its end only if that byte is the line's own.
    stops = newlines - ((newlines > starts) & (data[newlines - 1] == RETURN))
    if (newlines - starts).max() > LONGEST_LINE:
        raise InputError(f"a line is longer than {LONGEST_LINE} bytes")
    faults = Faults(len(newlines))
    flag_control_bytes(data, newlines, stops, faults)

    tabs = np.flatnonzero(data == TAB)
    tab_count = np.searchsorted(tabs, newlines) - np.searchsorted(tabs, starts)
    every_row = np.arange(len(newlines))
    faults.flag(every_row, stops == starts, "empty_row")
    faults.flag(every_row, tab_count != len(names) - 1, "column_count")

    rows = np.flatnonzero(faults.code < 0)
    row_tabs = tabs[np.repeat(faults.code < 0, tab_count)].reshape(len(rows), len(names) - 1)
    fields = split_fields(block, names, starts[rows], row_tabs, stops[rows])
    columns = {}
    for name in names:
        columns.update(PARSERS[name](fields[name], name, rows, faults))
    columns["local_time"] = columns["utc_time"] + 60 * columns["offset_minutes"].astype(np.int64)

    good = faults.code[rows] < 0
    table = pa.table({name: _to_arrow(name, columns[name]) for name in SCHEMA.names}, schema=SCHEMA)
    if not good.all():
        table = table.filter(pa.array(good))
    return table, _rejected_rows(block, starts, stops, faults, names), len(newlines)


SCHEMA = pa.schema(
    [
        ("user", pa.string()),
        ("venue", pa.string()),
        ("category_id", pa.string()),
        ("category", pa.string()),
        ("latitude", pa.float64()),
        ("longitude", pa.float64()),
        ("offset_minutes", pa.int16()),
        ("utc_time", pa.timestamp("s", tz="UTC")),
        ("local_time", pa.timestamp("s")),
    ]
)


def _to_arrow(name, values):
    return values if isinstance(values, pa.Array) else pa.array(values).cast(SCHEMA.field(name).type)


def as_utf8(block):
    """Text of the block as UTF-8: a line that is not UTF-8 is taken for latin-1, as TSMC2014 is."""
    if block.isascii():
        return block
    try:
        block.decode("utf-8")
        return block
    except UnicodeDecodeError:
        return b"\n".join(map(_line_as_utf8, block.split(b"\n")))


def _line_as_utf8(line):
    if line.isascii():
        return line
    try:
        line.decode("utf-8")
        return line
    except UnicodeDecodeError:
        return line.decode("latin-1").encode("utf-8")


def flag_control_bytes(data, newlines, stops, faults):
    """Flag rows with a NUL or another control byte; tabs and line ends are no fault."""
    control = (data < 32) | (data == DELETE)
    control &= (data != TAB) & (data != NEWLINE)
    places = np.flatnonzero(control)
    if not len(places):
        return
    rows = np.searchsorted(newlines, places)
    inside = places < stops[rows]  # not the \r of a Windows line end
    places, rows = places[inside], rows[inside]
    faults.flag(rows, data[places] == 0, "nul_byte")
    faults.flag(rows, data[places] != 0, "control_byte")


def split_fields(block, names, starts, tabs, stops):
    """Columns of text, without Python strings.

    Arrow's string array is a buffer of bytes and offsets into it. The block itself is taken as that
    buffer: its elements are field, separator, field, separator, …; every second one is a field.
    """
    rows, width = len(starts), len(names)
    bounds = np.empty((rows, width, 2), dtype=np.int32)
    bounds[:, 0, 0], bounds[:, 1:, 0] = starts, tabs + 1
    bounds[:, :-1, 1], bounds[:, -1, 1] = tabs, stops
    offsets = np.append(bounds.reshape(-1), np.int32(len(block)))
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(block)]
    pieces = pa.Array.from_buffers(pa.string(), len(offsets) - 1, buffers)
    field = width * np.arange(rows)
    return {name: pieces.take(pa.array(2 * (field + column))) for column, name in enumerate(names)}


def parse_name(text, name, rows, faults):
    """An identifier that must not be empty."""
    faults.flag(rows, _numpy(pc.equal(pc.binary_length(text), 0)), f"{name}_empty")
    return {name: text}


def parse_text(text, name, rows, faults):
    """Text that may be empty."""
    return {name: text}


def parse_coordinate(text, name, rows, faults):
    """Degrees as decimal text; read exactly as Python's ``float`` reads them."""
    limit = {"latitude": 90.0, "longitude": 180.0}[name]
    values, numeric = _numbers(text, NUMBER)
    if not numeric.all():
        nan = _numpy(pc.match_substring_regex(text, r"(?i)^[+-]?nan$"))
        infinite = _numpy(pc.match_substring_regex(text, r"(?i)^[+-]?inf(inity)?$"))
        faults.flag(rows, nan, f"{name}_nan")
        faults.flag(rows, infinite, f"{name}_infinite")
        faults.flag(rows, ~numeric, f"{name}_not_a_number")
    faults.flag(rows, np.isinf(values), f"{name}_infinite")  # as from 1e999
    faults.flag(rows, np.abs(values) > limit, f"{name}_out_of_range")
    return {name: values}


def parse_offset(text, name, rows, faults):
    """Whole minutes between local time and UTC, as far apart as time zones are."""
    values, whole = _numbers(text, WHOLE_NUMBER)
    within = (values >= -720) & (values <= 840)
    faults.flag(rows, ~whole, "offset_not_whole_minutes")
    faults.flag(rows, ~within, "offset_out_of_range")
    return {name: np.where(within, values, 0).astype(np.int16)}


def parse_time(text, name, rows, faults):
    """UTC time as ``Tue Apr 03 18:00:09 +0000 2012``, to seconds since 1970.

    The weekday must be one, but is not compared with the date, which is complete without it.
    """
    fits = _numpy(pc.equal(pc.binary_length(text), TIME_LENGTH))
    faults.flag(rows, ~fits, "time_format")
    seconds = np.zeros(len(rows), dtype=np.int64)
    if fits.any():
        kept = text if fits.all() else text.filter(pa.array(fits))
        offsets = np.frombuffer(kept.buffers()[1], dtype=np.int32)[kept.offset :]
        letters = np.frombuffer(kept.buffers()[2], dtype=np.uint8)[offsets[0] :][: TIME_LENGTH * len(kept)]
        seconds[fits] = _seconds(letters.reshape(-1, TIME_LENGTH), rows[fits], faults)
    return {name: seconds}


def _seconds(letters, rows, faults):
    def number(start, stop):
        return (letters[:, start:stop] - ord("0")) @ (10 ** np.arange(stop - start)[::-1])

    digits = [8, 9, 11, 12, 14, 15, 17, 18, 21, 22, 23, 24, 26, 27, 28, 29]
    well_formed = (letters[:, digits] - ord("0") <= 9).all(axis=1)
    well_formed &= (letters[:, [3, 7, 10, 19, 25]] == ord(" ")).all(axis=1)
    well_formed &= (letters[:, [13, 16]] == ord(":")).all(axis=1)
    well_formed &= (letters[:, 20] == ord("+")) | (letters[:, 20] == ord("-"))
    faults.flag(rows, ~well_formed, "time_format")

    faults.flag(rows, _index_of(letters[:, 0:3], WEEKDAYS) < 0, "weekday_unknown")
    month = _index_of(letters[:, 4:7], MONTHS)
    faults.flag(rows, month < 0, "month_unknown")

    year, day = number(26, 30), number(8, 10)
    first = (12 * (year - 1970) + month).astype("datetime64[M]")
    first_day = first.astype("datetime64[D]").astype(np.int64)
    days_in_month = (first + 1).astype("datetime64[D]").astype(np.int64) - first_day
    faults.flag(rows, (day < 1) | (day > days_in_month), "date_impossible")
    hour, minute, second = number(11, 13), number(14, 16), number(17, 19)
    faults.flag(rows, (hour > 23) | (minute > 59) | (second > 59), "clock_impossible")
    faults.flag(rows, (letters[:, 20] != ord("+")) | (number(21, 25) != 0), "zone_not_utc")
    return 86400 * (first_day + day - 1) + 3600 * hour + 60 * minute + second


def _index_of(letters, words):
    """Position of each three-letter row in ``words``; -1 where it is none of them."""
    code = letters.astype(np.int64) @ (256 ** np.arange(3)[::-1])
    codes = np.array([int.from_bytes(word.encode(), "big") for word in words])
    order = np.argsort(codes)
    place = order[np.minimum(np.searchsorted(codes, code, sorter=order), len(codes) - 1)]
    return np.where(codes[place] == code, place, -1)


def _numbers(text, pattern):
    """Values of the texts that match ``pattern`` (0 elsewhere), and which do."""
    matches = pc.match_substring_regex(text, pattern)
    numeric = _numpy(matches)
    if not numeric.all():
        text = pc.if_else(matches, text, "0")
    return pc.cast(text, pa.float64()).to_numpy(zero_copy_only=False), numeric


def _numpy(mask):
    return mask.to_numpy(zero_copy_only=False)


PARSERS = {
    "user": parse_name,
    "venue": parse_name,
    "category_id": parse_text,
    "category": parse_text,
    "latitude": parse_coordinate,
    "longitude": parse_coordinate,
    "offset_minutes": parse_offset,
    "utc_time": parse_time,
}


def escape(text):
    """Text with every control character but the tab written as ``\\x00``; a backslash is doubled."""
    return text.translate(ESCAPES) if TO_ESCAPE.search(text) else text


TO_ESCAPE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\\]")
ESCAPES = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if code != TAB}
ESCAPES[ord("\\")] = "\\\\"


def _rejected_rows(block, starts, stops, faults, names):
    for row in np.flatnonzero(faults.code >= 0).tolist():
        kind = KINDS[faults.code[row]]
        text = block[starts[row] : stops[row]].decode()
        yield Rejected(row, kind, _reason(kind, text, names), escape(text))


def _reason(kind, text, names):
    fields = text.split("\t")
    # A value of thousands of characters is cut for reading; the row's text is not.
    shown = [escape(field if len(field) <= 60 else field[:60] + "…") for field in fields]
    values = dict(zip(names, shown, strict=False))  # there may be more or fewer fields than names
    time = values.get("utc_time", "")
    values.update(weekday=time[0:3], month=time[4:7], day=time[8:10], clock=time[11:19])
    values.update(zone=time[20:25], year=time[26:30])
    values["count"] = f"{len(fields)} column{'s' if len(fields) > 1 else ''}"
    values["expected"] = len(names)
    if kind == "control_byte":
        values["byte"] = f"0x{ord(CONTROL.search(text)[0]):02x}"
    return REASONS[kind].format_map(values)
