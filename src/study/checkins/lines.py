"""Which lines of a check-in file cannot be used, and why.

A pattern tells of nearly every line at once that it can be used: see :func:`pattern`. The other lines are
looked at one by one: :func:`fault_of` has the last word.
"""

import calendar
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import NamedTuple

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
YEARS = "date of '{time}' is not in the years 1 to 9999, in UTC and local time"  # of kind date_impossible

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
ANY_CLOCK = "([0-9]{2}:[0-9]{2}:[0-9]{2})"
LONG_TIME = re.compile(f"(.{{3}}) (.{{3}}) ([0-9]{{2}}) {ANY_CLOCK} ([+-][0-9]{{4}}) ([0-9]{{4}})")
ISO_TIME = re.compile(f"([0-9]{{4}})-([0-9]{{2}})-([0-9]{{2}})T{ANY_CLOCK}Z")
ZERO_ZERO = r"\t[+-]?[0.]+\t[+-]?[0.]+\t"


def check_name(name, text):
    """An identifier must not be empty."""
    return None if text else f"{name}_empty"


def check_coordinate(name, text):
    """Degrees as decimal text."""
    if re.fullmatch("[+-]?nan", text, re.IGNORECASE):
        return f"{name}_nan"
    if re.fullmatch("[+-]?inf(inity)?", text, re.IGNORECASE):
        return f"{name}_infinite"
    if not NUMBER.fullmatch(text):
        return f"{name}_not_a_number"
    size = abs(float(text))
    if size == float("inf"):  # as from 1e999
        return f"{name}_infinite"
    return f"{name}_out_of_range" if size > (90 if name == "latitude" else 180) else None


def check_offset(name, text):
    """Whole minutes between local time and UTC, as far apart as time zones are."""
    if not WHOLE_NUMBER.fullmatch(text):
        return "offset_not_whole_minutes"
    return None if -720 <= float(text) <= 840 else "offset_out_of_range"


def check_time(name, text):
    """UTC time. The weekday must be one, but is not compared with the date, which is complete without it."""
    parts = parts_of_time(name, text)
    if parts is None:
        return "time_format"
    weekday, month, day, clock, zone, year = parts
    if weekday not in WEEKDAYS:
        return "weekday_unknown"
    if name == "utc_time" and month not in MONTHS:
        return "month_unknown"
    month = number_of(month)
    if not 1 <= month <= 12 or not 1 <= int(day) <= calendar.monthrange(int(year), month)[1]:
        return "date_impossible"
    if not re.fullmatch(CLOCK, clock):
        return "clock_impossible"
    return None if zone == "+0000" else "zone_not_utc"


def parts_of_time(name, text):
    """Weekday, month, day, clock, zone and year as texts; None if the time is not like the others."""
    found = (LONG_TIME if name == "utc_time" else ISO_TIME).fullmatch(text)
    if found and name == "iso_time":
        year, month, day, clock = found.groups()
        return "Mon", month, day, clock, "+0000", year
    return found and found.groups()


def number_of(month):
    """Number of a month from its name or digits."""
    return MONTHS.index(month) + 1 if month in MONTHS else int(month)


class Column(NamedTuple):
    """A kind of column.

    ``good``: pattern of texts that can certainly be used. ``shortest``: length of the shortest of them.
    ``check``: gives the kind of fault of a column's name and a text, or None. ``type``: in DuckDB.
    """

    good: str
    shortest: int = 0
    check: Callable = lambda name, text: None
    type: str = "VARCHAR"


def days(months, between):
    """Pattern of the days of a year but 29 February: month, a text between, and day."""
    long, most = (
        months[:1] + tuple(months[n - 1] for n in some) for some in ((3, 5, 7, 8, 10, 12), range(3, 13))
    )
    ends = ((months, "(0[1-9]|1[0-9]|2[0-8])"), (most, "(29|30)"), (long, "31"))
    return "(" + "|".join(f"({'|'.join(some)}){between}{end}" for some, end in ends) + ")"


NAME, TEXT = Column(r"[^\x00-\x1f\x7f]+", 1, check_name), Column(r"[^\x00-\x1f\x7f]*")
NUMBERS = tuple(f"{month:02}" for month in range(1, 13))
COLUMNS = dict.fromkeys(("user", "venue", "city"), NAME)
COLUMNS |= dict.fromkeys(("category_id", "category", "country", "country_name", "city_type"), TEXT)
COLUMNS |= {
    "latitude": Column("[+-]?[1-8]?[0-9]([.][0-9]+)?", 1, check_coordinate, "DOUBLE"),
    "longitude": Column("[+-]?(1[0-7]|[1-9])?[0-9]([.][0-9]+)?", 1, check_coordinate, "DOUBLE"),
    "offset_minutes": Column(
        "-?([1-6]?[0-9]{1,2}|7[01][0-9]|720)|7[2-9][0-9]|8[0-3][0-9]|840", 1, check_offset, "SMALLINT"
    ),
    "utc_time": Column(
        f"({'|'.join(WEEKDAYS)}) {days(MONTHS, ' ')} {CLOCK} [+]0000 (19|20)[0-9]{{2}}", 30, check_time,
        "TIMESTAMP",
    ),
    "iso_time": Column(
        f"(19|20)[0-9]{{2}}-{days(NUMBERS, '-')}T{CLOCK}Z", 20, check_time, "TIMESTAMP"
    ),
}  # fmt: skip
TIME_FORMATS = {"utc_time": "%a %b %d %H:%M:%S +0000 %Y", "iso_time": "%Y-%m-%dT%H:%M:%SZ"}
TIME_EXAMPLES = {"utc_time": "Tue Apr 03 18:00:09 +0000 2012", "iso_time": "2010-10-19T23:55:27Z"}


def pattern(names):
    """Pattern of lines that can certainly be used, unless both their coordinates are 0."""
    return "\t".join(f"({COLUMNS[name].good})" for name in names).replace("(", "(?:")


def shortest_line(names):
    """Bytes of the shortest line that can be used, with its end."""
    return sum(COLUMNS[name].shortest for name in names) + len(names)


def fault_of(line, names, zero_is_no_place=False):
    """Why a line cannot be used.

    Parameters
    ----------
    line : str
        Without its end.
    names : tuple of str
        Columns in file order.
    zero_is_no_place : bool
        Whether latitude and longitude 0 stand for no place.

    Returns
    -------
    tuple of str, or None
        The kind of fault (of :data:`KINDS`), and the reason in words.
    """
    fields = line.split("\t")
    if CONTROL.search(line):
        kind = "nul_byte" if "\0" in line else "control_byte"
    elif not line:
        kind = "empty_row"
    elif len(fields) != len(names):
        kind = "column_count"
    else:
        faults = (COLUMNS[name].check(name, field) for name, field in zip(names, fields, strict=True))
        kind = next(filter(None, faults), None)
        values = dict(zip(names, fields, strict=True))
        if not kind and zero_is_no_place and float(values["latitude"]) == 0 == float(values["longitude"]):
            kind = "no_place"
        if not kind and not years_fit(values):
            return "date_impossible", reason(YEARS, line, names)
    return kind and (kind, reason(REASONS[kind], line, names))


def years_fit(values):
    """Whether UTC and local time, if there are any, are in years that all tools can write."""
    for name in TIME_FORMATS.keys() & values.keys():
        _, month, day, clock, _, year = parts_of_time(name, values[name])
        offset = values.get("offset_minutes") or 60 * round(float(values["longitude"]) / 15)
        try:
            time = datetime(int(year), number_of(month), int(day), *map(int, clock.split(":")))
            time + timedelta(minutes=float(offset))
        except (ValueError, OverflowError):
            return False
    return True


def reason(text, line, names):
    """A reason in words, with the values of the line filled in."""
    fields = line.split("\t")
    # A value of thousands of characters is cut for reading; the row's text is not.
    shown = [escape(field if len(field) <= 60 else field[:60] + "…") for field in fields]
    values = dict(zip(names, shown, strict=False))  # there may be more or fewer fields than names
    form = "iso_time" if "iso_time" in names else "utc_time"
    time = values.get(form, "")
    date = time[0:10] if form == "iso_time" else f"{time[4:10]} {time[26:30]}"
    values |= {"time": time, "time_example": TIME_EXAMPLES[form], "date": date}
    values |= {"weekday": time[0:3], "month": time[4:7], "clock": time[11:19], "zone": time[20:25]}
    values["count"] = f"{len(fields)} column{'s' if len(fields) > 1 else ''}"
    values["expected"] = len(names)
    values["byte"] = "".join(f"0x{ord(found):02x}" for found in CONTROL.findall(line)[:1])
    return text.format_map(values)


def escape(text):
    """Text with every control character but the tab written as ``\\x00``; a backslash is doubled."""
    return text.translate(ESCAPES) if TO_ESCAPE.search(text) else text


TO_ESCAPE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\\]")
ESCAPES = {code: f"\\x{code:02x}" for code in (*range(32), *range(127, 160)) if code != ord("\t")}
ESCAPES[ord("\\")] = "\\\\"
