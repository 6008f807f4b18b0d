"""CSV files of the user's: their lines, in the columns :data:`study.checkins.layouts.OWN`."""

import csv
import difflib
import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from study.checkins import lines
from study.checkins.layouts import COLUMNS, NEEDED, OWN
from study.core.job import InputError

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
ISO = re.compile(r"\d{4}-\d\d-\d\d[T ]([01]\d|2[0-3]):\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d(:?\d\d)?)?")
UNIX = "%s"  # the time format of whole seconds since 1970
EXAMPLE = datetime(2012, 4, 3, 18, 0, 9, tzinfo=UTC)
IMPOSSIBLE = re.compile("out of range|must be")  # what Python says of 30 February, not of another format


def looks_separated(line, separator):
    """What separates the columns of a line, in words, if probably not this separator; else None."""
    most = max(SEPARATORS, key=line.count)
    return f"{SEPARATORS[most]}-separated" if line.count(most) >= 2 > line.count(separator) else None


class CsvLines:
    """Lines of a CSV file, whose first line names the columns, in the columns ``OWN``.

    A check-in without a user is that of a person of its own, named by the number of the line. Without a
    venue, the venue is the place rounded to 0.001°, about 100 m, as exact places hardly ever repeat.
    ``settings`` has the keys of :class:`study.checkins.settings.Csv`.
    """

    def __init__(self, path, first_line, settings):
        self.separator, self.form = settings.get("separator", ","), settings.get("time_format")
        self.zone = ZoneInfo(settings["timezone"]) if "timezone" in settings else None
        self.utc, given = settings.get("utc", False), settings.get("columns", {})
        self.example = "1333476009" if self.form == UNIX else f"{EXAMPLE:{self.form or '%Y-%m-%d %H:%M:%S'}}"
        header, problems = self.fields(first_line, strict=False), []
        usual = {*header} - {*given.values()}  # optional columns that are called as what they hold
        names = {role: given.get(role, role) for role in COLUMNS if role in {*NEEDED, *given, *usual}}
        similar = {name.lower(): name for name in header}
        for role, name in names.items():
            if name not in header:
                close = difflib.get_close_matches(name.lower(), similar, n=1, cutoff=0.5)
                hint = f"; did you mean `columns: {{{role}: {similar[close[0]]}}}`?" if close else ""
                problems.append(f"there is no column {name!r} for the {role}{hint}")
            elif header.count(name) > 1 or [*names.values()].count(name) > 1:
                problems.append(f"the column {name!r} is there or is used more than once")
        if problems:
            looks = looks_separated(first_line, self.separator)
            problems = [f"this looks {looks}; give the `separator`"] if looks else problems
            shown = ", ".join(map(repr, header[:30])) + (", …" if len(header) > 30 else "")
            raise InputError(f"{path}: {'; '.join(problems)}. The first line names the columns {shown}")
        roles = {name: "iso_time" if role == "time" else role for role, name in names.items()}
        self.columns = [roles.get(name, "") for name in header]

    def fields(self, line, strict=True):
        """The fields of a line, without spaces around them and tabs in them."""
        reader = csv.reader([line], delimiter=self.separator, strict=strict, skipinitialspace=True)
        return [field.strip().replace("\t", " ") for field in next(reader)]

    def translated(self, text, before):
        """A block of lines that follow ``before`` others, in the columns ``OWN``; an unusable line is empty.

        The second value has, by number from 1, each line as it was and the kind and reason of its fault.
        """
        made, told = [], {}
        for number, line in enumerate(text.decode().split("\n")[:-1], start=1):
            kind, fields = self.translate(line, before + number) if line and before + number > 1 else ("", [])
            made.append("" if kind else "\t".join(fields))
            if line:
                fault = kind and (kind, lines.reason(kind, "\t".join(fields), self.columns, self.example))
                told[number] = line, fault
        return "\n".join([*made, ""]).encode(), told

    def translate(self, line, number):
        """A fault and the fields of a line; if there is no fault, the fields ``OWN``."""
        try:
            fields = self.fields(line)
        except csv.Error:
            return "quotation", []
        if len(fields) != len(self.columns):
            return "column_count", fields
        found = dict(zip(self.columns, fields, strict=True))
        try:
            place = float(found["latitude"]), float(found["longitude"])
            nautical = timedelta(hours=round(place[1] / 15))
        except (ValueError, OverflowError):  # the check of the coordinates says so
            place, nautical = (0.0, 0.0), timedelta()
        try:
            utc, minutes = self.utc_and_offset(found["iso_time"], nautical)
        except (ValueError, OverflowError, OSError) as error:
            return ("time_impossible" if IMPOSSIBLE.search(str(error)) else "time_format"), fields
        venue = " ".join(f"{round(degrees, 3) + 0:.3f}" for degrees in place)  # no -0.000
        found = {"user": str(number), "venue": venue, "category": ""} | found
        found |= {"offset_minutes": str(minutes), "iso_time": utc}
        return "", [found[name] for name in OWN]

    def utc_and_offset(self, text, nautical):
        """The time in UTC as text, and the minutes that local time is ahead of UTC.

        A time with an offset, or in UTC, becomes local by the time zone of the dataset. If there is none, an
        offset other than 0 is kept, and UTC becomes nautical time. Other times are local as they stand.
        """
        if not self.form and not ISO.fullmatch(text):
            raise ValueError
        if self.form == UNIX:
            moment = datetime.fromtimestamp(int(text), UTC)
        else:
            moment = datetime.strptime(text, self.form) if self.form else datetime.fromisoformat(text)
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC if self.utc else self.zone)
        moment = moment.astimezone(self.zone) if self.zone else moment
        offset = moment.utcoffset() if self.zone else moment.utcoffset() or nautical
        minutes = round(offset / timedelta(minutes=1))
        utc = moment.astimezone(UTC) if moment.tzinfo else moment - timedelta(minutes=minutes)
        return utc.replace(tzinfo=None).isoformat(timespec="seconds") + "Z", minutes
