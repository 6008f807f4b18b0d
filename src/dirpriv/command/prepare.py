"""Prepare a table for a release (for the data owner).

Read every row of the files, and write a new table OUT whose columns have types: times,
timestamps, instants and degrees. A column gets a type if exactly one form reads all of
its values. Texts such as NA become empty there. All other columns and all rows stay as
they are. The command prints the form of each column, and no value.

OUT contains the true values. Delete it, or store it as safely as the files.

examples:
  dirpriv prepare stop_times.txt stop_times.parquet
  dirpriv prepare rides.csv rides.parquet --day-first
  dirpriv prepare ais.csv ais.parquet --no-value Heading=511 --no-value lat,lon=91,181
  dirpriv prepare birds.csv birds.parquet --join Date,Time --as id=text
  dirpriv prepare track.plt track.parquet --skip 6 --names lat,lon,date,time

Only you know what some values mean. An option that does not read every row is refused.
docs/prepare_your_table.md lists the forms.

units: --as COLUMN=hhmm, serial, microseconds, nanoseconds, e7, signed-heading and
compass say what numbers and letters are. 'dirpriv release' reads numbers of hours,
minutes or seconds itself, by --unit.
"""

import argparse
import shlex
from pathlib import Path
from typing import Any

from dirpriv.command import new_files, options, terminal


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("input", metavar="FILE", nargs="+", help="files with the true values, which have the same columns")
    add("output", metavar="OUT", help="new file .parquet")
    add("--as", dest="form", metavar="COLUMN=FORM", type=_pair, action="append", default=[], help="form of a column")
    values = "texts or numbers that stand for no value"
    add("--no-value", metavar="COLUMN=TEXT", type=_none, action="append", default=[], help=values)
    add("--join", metavar="DATE,CLOCK", type=_two, action="append", default=[], help="two columns as a new one")
    order = parser.add_mutually_exclusive_group()
    order.add_argument("--day-first", dest="first", action="store_const", const="%d", help="04/03 is March 4")
    order.add_argument("--month-first", dest="first", action="store_const", const="%m", help="04/03 is April 3")
    add("--separator", default=",", help="between the fields, or the word tab (,)")
    where = "names of the columns, where the file has none"
    add("--names", metavar="A,B,…", type=lambda text: text.split(","), default=[], help=where)
    add("--skip", metavar="LINES", type=options.whole_number, default=0, help="lines to leave out at the beginning (0)")
    add("--sheet", metavar="NUMBER", type=options.whole_number, help="which of several sheets of a spreadsheet, from 1")


def run(arguments: argparse.Namespace) -> None:
    from dirpriv.release.files.atomic_output import appearing_together
    from dirpriv.release.files.settings_to_columns import inputs
    from dirpriv.tables.forms import VALUE
    from dirpriv.tables.preparing import PreparedTable
    from dirpriv.tables.table import Table

    output = Path(arguments.output)
    new_files.check("output", output, ".parquet")
    how = arguments.separator, arguments.names, arguments.skip, arguments.sheet
    tables = [Table("input", file, *how) for file in inputs(arguments.input)]
    if not arguments.names and any(VALUE.fullmatch(name) for table in tables for name in table.names):
        raise options.Misuse("the first line has numbers or times, and no names: give --names")
    for table in tables:
        table.feed()
    prepared = PreparedTable(tables, choices=arguments)
    with appearing_together(Path.cwd() / output) as (hidden,):
        if (rows := prepared.write(hidden.address)) != prepared.rows:
            raise options.Misuse(f"{rows} of {prepared.rows} rows were written: start again")
    for table in tables:
        table.check_unchanged()
    terminal.show(_text(prepared, arguments))


def _text(prepared: Any, arguments: argparse.Namespace) -> list[str]:
    """What was read, by the numbers of the columns: names of which nobody has asked may be values."""
    from dirpriv.command.release import kinds_of, ready
    from dirpriv.tables.forms import FORMS, is_time

    def choose(name: str, forms: list[str]) -> str:
        return " or ".join(f"--as {shlex.quote(name) if name else 'COLUMN'}={form}" for form in forms)

    asked = {*dict(arguments.form), *(name for names, _ in arguments.no_value for name in names)}
    lines = [f"Prepared: {arguments.output}, {prepared.rows} rows", ""]
    candidates = []
    for number, column in prepared.columns.items():
        name = column.name if column.name in asked or kinds_of(column.name) else ""
        what = f"column {number}" + f" ({name})" * bool(name)
        if name and column.form and (is_time(column.form) or "heading" in kinds_of(name)):
            candidates.append(column)
        if column.open:
            order = all("%" in form for form in column.open)
            way = "--day-first or --month-first" if order else choose(name, column.open)
            lines.append(f"{what}: can be read in {len(column.open)} ways, and is text: give {way}")
        elif column.form:
            none = f", {column.profile.none} without" * bool(column.profile.none)
            lines.append(f"{what}: {FORMS[column.form].what}, {column.profile.values} values{none}")
        elif column.profile.values and column.profile.forms and column.name not in asked:
            lines.append(f"{what}: text, which {choose(name, column.profile.forms)} would read")
        for sentinel, count in column.profile.sentinels.items():
            if count and name:
                lines.append(f"{what}: {sentinel} in {count} rows. If it is none, give --no-value {name}={sentinel}")
    lines += ["", f"{arguments.output} contains the true values: delete it, or store it safely.", ""]
    named: dict[str, Any] = {}
    if candidates:  # a column that was asked for before others, and times before headings
        first = min(candidates, key=lambda column: (column.name not in asked, not is_time(column.form)))
        named["time" if is_time(first.form) else "heading"] = [first.name]
        if first.profile.none:
            kept = "rows without a value are kept by --missing keep, and everybody sees which they are"
            lines += [f"{first.name}: {kept}", ""]
            named["missing"] = "keep"
    line = ready(argparse.Namespace(input=[arguments.output], output="private.csv", verbose=False), named)
    line = line or shlex.join(["dirpriv", "release", arguments.output, "private.csv"])
    return [*lines, f"To fill in and run: {line}"]


def _pair(text: str) -> tuple[str, str]:
    name, mark, form = text.rpartition("=")
    if not mark or not name:
        raise argparse.ArgumentTypeError(f"must be COLUMN=FORM, as start=hhmm; got {text!r}")
    return name, form


def _none(text: str) -> tuple[list[str], list[str]]:
    name, mark, value = text.partition("=")
    names, values = ([name], [value]) if "," not in name else (name.split(","), value.split(","))
    if not mark or not all(names) or len(names) != len(values):
        rule = "must be COLUMN=TEXT, as wind=511, or two columns, as lat,lon=0,0"
        raise argparse.ArgumentTypeError(rule)
    return names, values


def _two(text: str) -> tuple[str, str]:
    names = text.split(",")
    if len(names) != 2 or not all(names):
        raise argparse.ArgumentTypeError(f"must be two columns, as Date,Time; got {text!r}")
    return names[0], names[1]
