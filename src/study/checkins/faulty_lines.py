"""Which lines of a check-in file cannot be used, and why.

One regular expression accepts nearly all usable lines at once: see :func:`pattern`. The other lines are
checked one by one: :func:`fault_of` decides.
"""

import re
from datetime import datetime
from pathlib import Path

import yaml

REASONS = yaml.safe_load(Path(__file__).with_name("reasons.yaml").read_bytes())
KINDS = tuple(REASONS)

WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
NUMBERS = tuple(f"{number:02}" for number in range(1, 13))  # of months
CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
WHOLE_NUMBER = re.compile(r"[+-]?[0-9]+")
CLOCK = "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]"
TIME_FORMATS = {"utc_time": "%a %b %d %H:%M:%S +0000 %Y", "iso_time": "%Y-%m-%dT%H:%M:%SZ"}
TIME_EXAMPLES = {"utc_time": "Tue Apr 03 18:00:09 +0000 2012", "iso_time": "2010-10-19T23:55:27Z"}


def check_name(name, text):
    """An identifier must not be empty."""
    return None if text else f"{name}_empty"


def check_coordinate(name, text):
    """A coordinate must be degrees as decimal text."""
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
    """An offset must be whole minutes between local time and UTC, in the range of the time zones."""
    if not WHOLE_NUMBER.fullmatch(text):
        return "offset_not_whole_minutes"
    return None if -720 <= float(text) <= 840 else "offset_out_of_range"


def check_time(name, text):
    """A time must be UTC; its weekday need not fit the date, which is complete without it."""
    if len(text) != len(TIME_EXAMPLES[name]) or not text.isascii():
        return "time_format"
    try:
        year = datetime.strptime(text, TIME_FORMATS[name]).year
    except ValueError as error:
        if "out of range" not in str(error):
            return "time_format"
        year = 0
    return None if 2 <= year <= 9998 else "time_impossible"  # local time may be a day off


CHECKS = dict.fromkeys(("user", "venue", "city"), check_name)
CHECKS |= dict.fromkeys(("latitude", "longitude"), check_coordinate)
CHECKS |= {"offset_minutes": check_offset, "utc_time": check_time, "iso_time": check_time}


def days(months, between):
    """Pattern of the days of a year except 29 February: month, the text ``between``, and day."""
    most = [month for month in months if month not in ("Feb", "02")]
    long = [month for month in most if month not in ("Apr", "Jun", "Sep", "Nov", "04", "06", "09", "11")]
    ends = ((months, "(0[1-9]|1[0-9]|2[0-8])"), (most, "(29|30)"), (long, "31"))
    return "(" + "|".join(f"({'|'.join(some)}){between}{end}" for some, end in ends) + ")"


TEXT = r"[^\x00-\x1f\x7f]*"
SURE = dict.fromkeys(("user", "venue", "city"), r"[^\x00-\x1f\x7f]+") | {
    "latitude": "[+-]?[1-8]?[0-9]([.][0-9]+)?",
    "longitude": "[+-]?(1[0-7]|[1-9])?[0-9]([.][0-9]+)?",
    "offset_minutes": "-?([1-6]?[0-9]{1,2}|7[01][0-9]|720)|7[2-9][0-9]|8[0-3][0-9]|840",
    "utc_time": f"({'|'.join(WEEKDAYS)}) {days(MONTHS, ' ')} {CLOCK} [+]0000 (19|20)[0-9]{{2}}",
    "iso_time": f"(19|20)[0-9]{{2}}-{days(NUMBERS, '-')}T{CLOCK}Z",
}
"""Patterns of texts that are certainly usable; columns without an entry use :data:`TEXT`."""

ZERO_ZERO = r"\t[+-]?[0.]+\t[+-]?[0.]+\t"


def pattern(names):
    """Pattern of lines that are certainly usable, unless both their coordinates are 0."""
    return "\t".join(f"({SURE.get(name, TEXT)})" for name in names).replace("(", "(?:")


def shortest_line(names):
    """Least number of bytes of a usable line, with its line end."""
    return len(names) + sum(len(TIME_EXAMPLES.get(name, "")) for name in names)


def fault_of(line, names, zero_is_no_place=False):
    """Kind of fault (one of :data:`KINDS`) of a line with these columns, and the reason; None if usable."""
    fields = line.split("\t")
    if CONTROL.search(line):
        kind = "nul_byte" if "\0" in line else "control_byte"
    elif not line:
        kind = "empty_row"
    elif len(fields) != len(names):
        kind = "column_count"
    else:
        values = dict(zip(names, fields, strict=True))
        faults = (CHECKS[name](name, text) for name, text in values.items() if name in CHECKS)
        kind = next(filter(None, faults), None)
        if not kind and zero_is_no_place and float(values["latitude"]) == 0 == float(values["longitude"]):
            kind = "no_place"
    return kind and (kind, reason(kind, line, names))


def reason(kind, line, names, example=None):
    """Why a line cannot be used, in words; ``example`` is one of a time."""
    fields = line.split("\t")
    # A long value is shortened in the reason; the text of the row is not.
    shown = [escape(field if len(field) <= 60 else field[:60] + "…") for field in fields]
    values = dict(zip(names, shown, strict=False))  # the numbers of fields and names may differ
    form = "iso_time" if "iso_time" in names else "utc_time"
    values |= {"time": values.get(form, ""), "time_example": example or TIME_EXAMPLES[form]}
    values |= {"count": f"{len(fields)} column{'s' if len(fields) > 1 else ''}", "expected": len(names)}
    values["byte"] = "".join(f"0x{ord(character):02x}" for character in CONTROL.findall(line)[:1])
    return REASONS[kind].format_map(values)


def escape(text):
    """Text with every control character except the tab written as ``\\x00``, and backslashes doubled."""
    return TO_ESCAPE.sub(lambda match: f"\\x{ord(match[0]):02x}".replace("\\x5c", "\\\\"), text)


def cell(text):
    """The escaped text, for a cell of a table: also a first character that makes it a formula in one."""
    return re.sub(r"^[=+\-@\t]", lambda match: f"\\x{ord(match[0]):02x}", escape(text))


TO_ESCAPE = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f\\]")
