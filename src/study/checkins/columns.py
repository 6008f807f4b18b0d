"""Parse the columns of a block of lines: one parser for each kind of column, shared by all layouts.

A parser takes the texts of a column, its name, the rows they stand in and the block's faults. It flags
the rows whose text it cannot use, and returns the column, or columns, that it makes of the texts.
A further kind of column is a further entry of :data:`PARSERS`.
"""

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
WHOLE_NUMBER = r"^[+-]?[0-9]+$"
TIME_LENGTH = len("Tue Apr 03 18:00:09 +0000 2012")
ISO_LENGTH = len("2010-10-19T23:55:27Z")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


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
    return {name: _seconds(text, TIME_LENGTH, _foursquare_time, rows, faults)}


def parse_iso_time(text, name, rows, faults):
    """UTC time as ``2010-10-19T23:55:27Z``, to the column ``utc_time``: seconds since 1970."""
    return {"utc_time": _seconds(text, ISO_LENGTH, _iso_time, rows, faults)}


def ignore(text, name, rows, faults):
    """A column of which nothing is asked."""
    return {}


def _seconds(text, length, read, rows, faults):
    """Seconds since 1970 of the times that ``read`` can read; 0 for those of another length."""
    fits = _numpy(pc.equal(pc.binary_length(text), length))
    faults.flag(rows, ~fits, "time_format")
    seconds = np.zeros(len(rows), dtype=np.int64)
    if fits.any():
        kept = text if fits.all() else text.filter(pa.array(fits))
        offsets = np.frombuffer(kept.buffers()[1], dtype=np.int32)[kept.offset :]
        letters = np.frombuffer(kept.buffers()[2], dtype=np.uint8)[offsets[0] :][: length * len(kept)]
        seconds[fits] = read(letters.reshape(-1, length), rows[fits], faults)
    return seconds


def _foursquare_time(letters, rows, faults):
    well_formed = _digits_at(letters, [8, 9, 11, 12, 14, 15, 17, 18, 21, 22, 23, 24, 26, 27, 28, 29])
    well_formed &= (letters[:, [3, 7, 10, 19, 25]] == ord(" ")).all(axis=1)
    well_formed &= (letters[:, [13, 16]] == ord(":")).all(axis=1)
    well_formed &= (letters[:, 20] == ord("+")) | (letters[:, 20] == ord("-"))
    faults.flag(rows, ~well_formed, "time_format")

    faults.flag(rows, _index_of(letters[:, 0:3], WEEKDAYS) < 0, "weekday_unknown")
    month = _index_of(letters[:, 4:7], MONTHS)
    faults.flag(rows, month < 0, "month_unknown")
    midnight = _midnight(_number(letters, 26, 30), month, _number(letters, 8, 10), rows, faults)
    clock = _clock(letters[:, 11:19], rows, faults)
    faults.flag(rows, (letters[:, 20] != ord("+")) | (_number(letters, 21, 25) != 0), "zone_not_utc")
    return midnight + clock


def _iso_time(letters, rows, faults):
    well_formed = _digits_at(letters, [0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18])
    for place, letter in ((4, "-"), (7, "-"), (10, "T"), (13, ":"), (16, ":"), (19, "Z")):
        well_formed &= letters[:, place] == ord(letter)
    faults.flag(rows, ~well_formed, "time_format")

    month = _number(letters, 5, 7) - 1
    faults.flag(rows, (month < 0) | (month > 11), "date_impossible")
    midnight = _midnight(_number(letters, 0, 4), month, _number(letters, 8, 10), rows, faults)
    return midnight + _clock(letters[:, 11:19], rows, faults)


def _midnight(year, month, day, rows, faults):
    """Seconds from 1970 to the beginning of a day; the month counts from 0."""
    first = (12 * (year - 1970) + month).astype("datetime64[M]")
    first_day = first.astype("datetime64[D]").astype(np.int64)
    days_in_month = (first + 1).astype("datetime64[D]").astype(np.int64) - first_day
    faults.flag(rows, (day < 1) | (day > days_in_month), "date_impossible")
    return 86400 * (first_day + day - 1)


def _clock(letters, rows, faults):
    """Seconds since midnight of times as ``18:00:09``."""
    hour, minute, second = _number(letters, 0, 2), _number(letters, 3, 5), _number(letters, 6, 8)
    faults.flag(rows, (hour > 23) | (minute > 59) | (second > 59), "clock_impossible")
    return 3600 * hour + 60 * minute + second


def _digits_at(letters, places):
    return (letters[:, places] - ord("0") <= 9).all(axis=1)


def _number(letters, start, stop):
    return (letters[:, start:stop] - ord("0")) @ (10 ** np.arange(stop - start)[::-1])


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
    "user": parse_name, "venue": parse_name, "city": parse_name, "category_id": parse_text,
    "category": parse_text, "latitude": parse_coordinate, "longitude": parse_coordinate,
    "offset_minutes": parse_offset, "utc_time": parse_time, "iso_time": parse_iso_time,
    "country": ignore, "country_name": ignore, "city_type": ignore,
}  # fmt: skip
