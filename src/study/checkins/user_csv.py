"""Users' CSV files: their lines, in the columns :data:`study.checkins.file_layouts.OWN`."""

import csv
import difflib
import re
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from study.checkins import faulty_lines
from study.checkins.file_layouts import COLUMNS, NEEDED, OWN
from study.workflow.job import InputError

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
VALUE = re.compile(r"[\s+-]*[0-9][0-9.,:/eETZ\s+-]*")  # a number or a time: in a first line it may be data
EXAMPLE = datetime(2012, 4, 3, 18, 5, tzinfo=UTC)


def looks_separated(line, separator):
    """What separates the columns of a line, in words, if probably not this separator; else None."""
    most = max(SEPARATORS, key=line.count)
    return f"{SEPARATORS[most]}-separated" if line.count(most) >= 2 > line.count(separator) else None


class CsvLines:
    """Lines of a CSV file, whose first line names the columns, in the columns ``OWN``.

    ``settings``: keys of :class:`study.checkins.settings.Csv`. Without a column of users, each check-in has a
    person of its own, called as its line. Without one of venues, a venue is a place rounded to 0.001°, about
    100 m, as exact places almost never repeat.
    """

    def __init__(self, path, first_line, settings):
        self.separator, self.form = settings.get("separator", ","), settings.get("time_format")
        self.zone = ZoneInfo(settings["timezone"]) if "timezone" in settings else None
        self.utc, columns = settings.get("utc", False), settings.get("columns", {})
        self.example = "1333476300" if self.form == "%s" else f"{EXAMPLE:{self.form or '%Y-%m-%d %H:%M:%S'}}"
        header, problems = self.fields(first_line, strict=False), []
        usual = {*header} - {*columns.values()}  # optional columns that are called as what they hold
        names = {role: columns.get(role, role) for role in COLUMNS if role in {*NEEDED, *columns, *usual}}
        data = any(VALUE.fullmatch(name) for name in header)  # a check-in, which is personal
        similar = {} if data else {name.lower(): name for name in header}
        for role, name in names.items():
            if name not in header:
                close = difflib.get_close_matches(name.lower(), similar, n=1, cutoff=0.5)
                hint = f" (did you mean `columns: {{{role}: {similar[close[0]]}}}`?)" if close else ""
                problems.append(f"there is no column {name!r} for the {role}{hint}")
            elif header.count(name) > 1 or [*names.values()].count(name) > 1:
                problems.append(f"the column {name!r} is there or is used more than once")
        if problems:
            looks = looks_separated(first_line, self.separator)
            problems = [f"this looks {looks}; give that as `separator`"] if looks else problems
            shown = ", ".join(map(repr, header[:30])) + (", …" if len(header) > 30 else "")
            first = f"The first line names the columns {shown}"
            if data:
                first = "The first line has numbers or times"
                first += "; write a line with the names of the columns above it"
            raise InputError(f"{path}: {'; '.join(problems)}. {first}")
        roles = {name: "iso_time" if role == "time" else role for role, name in names.items()}
        self.columns = [roles.get(name, "") for name in header]

    def fields(self, line, strict=True):
        """The fields of a line, without spaces around them and tabs in them."""
        reader = csv.reader([line], delimiter=self.separator, strict=strict, skipinitialspace=True)
        return [field.strip().replace("\t", " ") for field in next(reader)]

    def translated(self, text, before):
        """A block of lines after ``before`` others in the columns ``OWN``; by number, lines and faults."""
        output, pairs = [], {}
        for number, line in enumerate(text.decode().split("\n")[:-1], start=1):
            kind, fields = self.translate(line, before + number) if line and before + number > 1 else ("", [])
            tabbed = "\t".join(fields)
            output.append("" if kind else tabbed)
            if line:
                pairs[number] = line, kind and (kind, faulty_lines.reason(kind, tabbed, self.columns, self.example))
        return "\n".join([*output, ""]).encode(), pairs

    def translate(self, line, number):
        """The fault and the fields of a line; if there is no fault, the fields ``OWN``."""
        try:
            fields = self.fields(line)
        except csv.Error:
            return "quotation", []
        if len(fields) != len(self.columns):
            return "column_count", fields
        cells = dict(zip(self.columns, fields, strict=True))
        texts = (cells["latitude"], cells["longitude"])  # if they are no numbers, a later check says so
        place = [float(text) if faulty_lines.NUMBER.fullmatch(text) else 0.0 for text in texts]
        nautical = timedelta(hours=round(min(max(place[1], -180.0), 180.0) / 15))
        try:
            moment = self.moment(cells["iso_time"])
            # UTC becomes local by the zone; without one it becomes nautical time, and other offsets are kept
            offset = moment.utcoffset() if self.zone else moment.utcoffset() or nautical
            minutes = round(offset / timedelta(minutes=1))
            utc = moment.astimezone(UTC) if moment.tzinfo else moment - timedelta(minutes=minutes)
        except (ValueError, OverflowError, OSError) as error:
            exists = not any(words in str(error) for words in ("out of range", "must be"))  # as 30 February
            return "time_format" if exists else "time_impossible", fields
        venue = " ".join(f"{round(degrees, 3) + 0:.3f}" for degrees in place)  # no -0.000
        cells = {"user": f"{number}", "venue": venue, "category": ""} | cells
        cells |= {"offset_minutes": f"{minutes}", "iso_time": f"{utc.replace(tzinfo=None).isoformat()[:19]}Z"}
        return "", [cells[name] for name in OWN]

    def moment(self, text):
        """A time in the zone of the dataset; without one, as it is."""
        if self.form == "%s":
            moment = datetime.fromtimestamp(int(text), UTC)
        elif self.form:
            moment = datetime.strptime(text, self.form)
        else:  # a date alone, which has at most ten characters, is no time
            moment = datetime.fromisoformat(text if len(text) > 10 else "")
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC if self.utc else self.zone)
        return moment.astimezone(self.zone) if self.zone else moment
