"""Users' CSV files: their lines, in the columns :data:`study.checkins.file_layouts.OWN`.

Times are read by :func:`dirpriv.tables.times_in_sql`, as in a release. Here they may be in UTC or in local time.
"""

import csv
import difflib
import re

from dirpriv.tables import times_in_sql
from study.checkins import faulty_lines
from study.checkins.file_layouts import COLUMNS, EXAMPLE, NEEDED, OWN
from study.checkins.statements import SQL
from study.workflow.job import InputError
from study.workflow.parquet import literal, query

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
VALUE = re.compile(r"[\s+-]*[0-9][0-9.,:/eETZ\s+-]*")  # a number or a time: in a first line it may be data
USUAL = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)? ?(Z|[+-]\d\d(:?\d\d)?)?")


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
        columns, zone = settings.get("columns", {}), settings.get("timezone")
        local, zoned = times_in_sql(self.form)
        zoned = f"coalesce({zoned}, {local})" if settings.get("utc") else zoned
        self.times = SQL["own_times"].format(local=local, zoned=zoned, zone=literal(zone) if zone else "NULL")
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
        lines, pairs = text.decode().split("\n")[:-1], {}
        numbers = [number for number, line in enumerate(lines, start=1) if line and before + number > 1]
        rows = [self.row(lines[number - 1], before + number) for number in numbers]
        times = [row.get("iso_time", "") for row in rows], [row.get("offset_minutes", 0) for row in rows]
        output = [""] * len(lines)
        for number, row, utc, minutes in zip(numbers, rows, *query(self.times, *times).values(), strict=True):
            fields, kind = row.pop("fields"), row.pop("kind")
            if not kind and not utc:
                kind = "time_impossible" if USUAL.fullmatch(row["iso_time"]) else "time_format"
            row |= {"offset_minutes": f"{minutes}", "iso_time": utc}
            output[number - 1] = "" if kind else "\t".join(row[name] for name in OWN)
            reason = kind and faulty_lines.reason(kind, "\t".join(fields), self.columns, self.example)
            pairs[number] = lines[number - 1], kind and (kind, reason)
        return "\n".join([*output, ""]).encode(), pairs

    def row(self, line, number):
        """The kind of a fault of a line, its fields, and their values by the names ``OWN``."""
        try:
            fields = self.fields(line)
        except csv.Error:
            return {"kind": "quotation", "fields": []}
        if len(fields) != len(self.columns):
            return {"kind": "column_count", "fields": fields}
        cells = dict(zip(self.columns, fields, strict=True))
        texts = (cells["latitude"], cells["longitude"])  # if they are no numbers, a later check says so
        place = [float(text) if faulty_lines.NUMBER.fullmatch(text) else 0.0 for text in texts]
        venue = " ".join(f"{round(degrees, 3) + 0:.3f}" for degrees in place)  # no -0.000
        nautical = 60 * round(min(max(place[1], -180.0), 180.0) / 15)
        own = {"user": f"{number}", "venue": venue, "category": "", "offset_minutes": nautical}
        return {"kind": "", "fields": fields} | own | cells
