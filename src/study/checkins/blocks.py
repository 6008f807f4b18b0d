"""How a block of lines of a check-in file becomes columns.

The columns' parsers are in :mod:`study.checkins.columns`. Everything here works on a whole block of lines at
once; only rows that cannot be used are looked at one by one, to write down why.
"""

import re
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from study.checkins.columns import PARSERS
from study.core.job import InputError

# Why a row cannot be used. The order of the checks on a row: the first that fails gives the reason.
REASONS = {
    "nul_byte": "NUL byte in the row",
    "control_byte": "control byte {byte} in the row",
    "empty_row": "empty row",
    "column_count": "{count} instead of {expected}",
    "user_empty": "user is empty",
    "venue_empty": "venue is empty",
    "city_empty": "city is empty",
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
    "time_format": "time '{time}' is not like '{time_example}'",
    "weekday_unknown": "weekday '{weekday}' is unknown",
    "month_unknown": "month '{month}' is unknown",
    "date_impossible": "date '{date}' does not exist",
    "clock_impossible": "time of day '{clock}' does not exist",
    "zone_not_utc": "time zone '{zone}' is not +0000",
    "no_place": "latitude and longitude are both 0, which stands for no place",
    "venue_unknown": "venue '{venue}' is not among the places",
    "venue_repeated": "venue '{venue}' stands with other values in an earlier row",
}
KINDS = tuple(REASONS)

LONGEST_LINE = 1 << 20  # bytes; a check-in has about 140
TAB, NEWLINE, RETURN, DELETE = 9, 10, 13, 127
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
SCHEMA = pa.schema([
    ("user", pa.string()), ("venue", pa.string()), ("category_id", pa.string()), ("category", pa.string()),
    ("latitude", pa.float64()), ("longitude", pa.float64()), ("offset_minutes", pa.int16()),
    ("utc_time", pa.timestamp("s", tz="UTC")), ("local_time", pa.timestamp("s")),
])  # fmt: skip


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


class Block:
    """A block of whole lines, parsed: its columns, and which of its rows cannot be used.

    Parameters
    ----------
    text : bytes
        Lines, each ended by ``\\n`` or ``\\r\\n``.
    names : tuple of str
        Columns of a line in file order.

    Attributes
    ----------
    columns : dict
        Name -> values of the rows that have all columns.
    rows : ndarray of int
        The numbers of these rows in the block.
    """

    def __init__(self, text, names):
        self.names, self.text = names, as_utf8(text)
        data = np.frombuffer(self.text, dtype=np.uint8)
        newlines = np.flatnonzero(data == NEWLINE)
        self.starts = np.concatenate(([0], newlines[:-1] + 1))
        # A line may be empty, so look at the byte before its end only if that byte is the line's own.
        self.stops = newlines - ((newlines > self.starts) & (data[newlines - 1] == RETURN))
        if (newlines - self.starts).max() > LONGEST_LINE:
            raise InputError(f"a line is longer than {LONGEST_LINE} bytes")
        self.faults = Faults(len(newlines))
        flag_control_bytes(data, newlines, self.stops, self.faults)

        tabs = np.flatnonzero(data == TAB)
        tab_count = np.searchsorted(tabs, newlines) - np.searchsorted(tabs, self.starts)
        every_row = np.arange(len(newlines))
        self.faults.flag(every_row, self.stops == self.starts, "empty_row")
        self.faults.flag(every_row, tab_count != len(names) - 1, "column_count")

        self.rows = np.flatnonzero(self.faults.code < 0)
        tabs = tabs[np.repeat(self.faults.code < 0, tab_count)].reshape(len(self.rows), len(names) - 1)
        fields = split_fields(self.text, names, self.starts[self.rows], tabs, self.stops[self.rows])
        self.columns = {}
        for name in names:
            self.columns.update(PARSERS[name](fields[name], name, self.rows, self.faults))

    def __len__(self):
        """Number of lines."""
        return len(self.starts)

    def flag(self, failed, kind):
        """Give ``kind`` to those of ``rows`` where ``failed``, unless they have a fault already."""
        self.faults.flag(self.rows, failed, kind)

    def good(self):
        """Which of ``rows`` can be used."""
        return self.faults.code[self.rows] < 0

    def table(self):
        """The usable check-ins in file order, strings not yet dictionary-encoded."""
        table = pa.table({name: _to_arrow(name, self.columns[name]) for name in SCHEMA.names}, schema=SCHEMA)
        good = self.good()
        return table if good.all() else table.filter(pa.array(good))

    def rejected(self):
        """The rows that cannot be used, in file order; one at a time, as there may be millions."""
        for row in np.flatnonzero(self.faults.code >= 0).tolist():
            yield self.as_rejected(row, KINDS[self.faults.code[row]])

    def as_rejected(self, row, kind):
        """One row, with the reason why it cannot be used."""
        text = self.text[self.starts[row] : self.stops[row]].decode()
        return Rejected(row, kind, _reason(kind, text, self.names), escape(text))


def add_what_is_missing(block, layout):
    """Give a block of check-ins the columns of :data:`SCHEMA` that its file does not have.

    Where the file has no offset (Gowalla, Brightkite), none is known. The offset is then the nautical
    time zone of the longitude, rounded to the hour: within an hour of civil time for most people, more
    in summer and in countries with one wide zone.
    """
    columns = block.columns
    if layout.zero_is_no_place:
        block.flag((columns["latitude"] == 0) & (columns["longitude"] == 0), "no_place")
    for name in ("category_id", "category"):
        if name not in columns:
            columns[name] = pa.repeat("", len(block.rows))
    if "offset_minutes" not in columns:
        hours = np.rint(np.where(block.good(), columns["longitude"], 0.0) / 15.0)
        columns["offset_minutes"] = (60 * hours).astype(np.int16)
    columns["local_time"] = columns["utc_time"] + 60 * columns["offset_minutes"].astype(np.int64)


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


def escape(text):
    """Text with every control character but the tab written as ``\\x00``; a backslash is doubled."""
    return text.translate(ESCAPES) if TO_ESCAPE.search(text) else text


TO_ESCAPE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\\]")
ESCAPES = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if code != TAB}
ESCAPES[ord("\\")] = "\\\\"


def _reason(kind, text, names):
    fields = text.split("\t")
    # A value of thousands of characters is cut for reading; the row's text is not.
    shown = [escape(field if len(field) <= 60 else field[:60] + "…") for field in fields]
    values = dict(zip(names, shown, strict=False))  # there may be more or fewer fields than names
    if "iso_time" in names:
        time = values.get("iso_time", "")
        values.update(time_example="2010-10-19T23:55:27Z", date=time[0:10])
    else:
        time = values.get("utc_time", "")
        values.update(time_example="Tue Apr 03 18:00:09 +0000 2012", date=f"{time[4:10]} {time[26:30]}")
    values.update(time=time, weekday=time[0:3], month=time[4:7], clock=time[11:19], zone=time[20:25])
    values["count"] = f"{len(fields)} column{'s' if len(fields) > 1 else ''}"
    values["expected"] = len(names)
    if kind == "control_byte":
        values["byte"] = f"0x{ord(CONTROL.search(text)[0]):02x}"
    return REASONS[kind].format_map(values)
