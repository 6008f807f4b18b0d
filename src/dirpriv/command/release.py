"""Release columns of times, places or items of a list (for the data owner).

Write private versions of columns of times, places or items to a new file OUT, and the
guarantee to OUT.guarantee.json. Each value gets its own noise, from random numbers of
the operating system. OUT contains only the released columns, in a random order. Times
have no dates, places are centres of cells, and items are those of a public list. The
command prints no value of the input, and never overwrites a file.

examples:
  dirpriv release arrivals.csv hours.csv --time arrival --trust central \\
      --epsilon 1 --histogram 24             (a result only, far more accurate)
  dirpriv release arrivals.csv private.csv --time arrival --level 1 --within 3h
  dirpriv release visits.csv private.csv --latitude lat --longitude lon --level 1 \\
      --within 200m --region-centre 40.75,-73.98 --region-reach 30km --cell-size 10m
  dirpriv release checkins.csv private.csv --item venue --items venues.csv --level 1 \\
      --within 200m --most-unchanged .6
  dirpriv release log.parquet private.parquet --time start --time end --level 0.5 \\
      --within 3h --user person --max-rows-per-person 2
  dirpriv release 'days/*.csv' week.csv --time arrival --level 1 --within 3h
  zcat in.csv.gz | dirpriv release - - --guarantee g.json ... > private.csv
  dirpriv release arrivals.csv private.csv --time arrival --level 0.39 --within 3h \\
      --user person --shuffled 433,1e-6
  dirpriv explain --level 1 --within 3h      (what this level means)

files: several input files are one release. The last name is OUT. As input, - is
standard input, which is kept in memory. As OUT, - is standard output. It gets a CSV
after all random draws. If the reader closes the pipe early, the release still counts.

units: for times, --within is in h, min, s or d, for headings in deg. For places,
--within, --region-reach and --cell-size are in m or km. --region-centre is in degrees,
north and east positive. --level has no unit. It is the level of each row and each
column, as in 'dirpriv plan'. The levels of several columns add up. With
--together either, a time and a place have one level within both radii. The levels of a
person's rows also add up. --user limits the number of these rows.

times: 08:15, 08:15:30 or 2024-03-05 08:15. With Z or an offset they need --zone.
Numbers need --unit:
  h, min, s        since midnight
  hourbin          whole hours: 18 is 18:00-18:59, read as 18:30
  day              a spreadsheet's fraction of a day
  deg              360 is the whole period
  epoch, epoch_ms  since 1970 in UTC; they also need --zone
Other formats need --time-format. Empty fields need --missing keep.

items: --items is a .csv or .parquet with the columns item, latitude and longitude. An
item without others within the radius stays as it is. The command says how probable this
is, and --most-unchanged refuses lists where it is too probable.

Choose --level, --within and the region without looking at the data. A second release
of a file adds its level to the first, and needs --rerelease. So do releases of other
files with the same people: see 'dirpriv account --help'.
"""

import argparse
import contextlib
import dataclasses
import difflib
import os
import re
import shlex
import tempfile
from typing import TYPE_CHECKING, Any

from dirpriv._inputs.errors import InvalidArgument, Note
from dirpriv.command import options, release_central, terminal
from dirpriv.release.settings import GROUPS, CentralFileSettings, LocalFileSettings, settings_by_name

if TYPE_CHECKING:
    from dirpriv.release import FileGuarantee


_FILLED = {"unit": "UNIT", "zone": "ZONE", "level": "LEVEL", "radius": "RADIUS"}
_FILLED |= {"region_centre": "LAT,LON", "region_reach": "LENGTH", "cell_size": "LENGTH"}
# names of columns by which a header is one; other names may be values of a first row
_KINDS = {
    "latitude": {"lat", "latitude"},
    "longitude": {"lon", "lng", "long", "longitude"},
    "time": set("time date datetime timestamp ts start end arrival departure pickup dropoff hour begin at".split()),
    "heading": {"heading", "bearing", "direction", "course", "azimuth"},
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    files = (
        "files with the true values, as .csv, .txt.gz, .parquet, .json, .gpx or 'days/*.csv'; or - for standard input"
    )
    parser.add_argument("input", metavar="IN", nargs="+", help=files)
    output = "new file: .csv, .csv.gz or .parquet; or - for standard output, with --guarantee"
    parser.add_argument("output", metavar="OUT", help=output)
    named: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name, about in options.SETTINGS.items():
        named[about.group].append(name)
    for group, names in named.items():
        part = parser.add_argument_group(group) if group else parser
        if group == GROUPS[-1]:
            release_central.add_arguments(part)
        options.add_settings(part, *names, suppress=True)
    parser.add_argument("--verbose", action="store_true", help="print the whole guarantee")


def run(arguments: argparse.Namespace) -> None:
    from dirpriv.release import file
    from dirpriv.release.files.settings_to_columns import inputs

    settings = {name: value for name, value in vars(arguments).items() if name in options.SETTINGS}
    kind: Any = CentralFileSettings if arguments.trust == "central" else LocalFileSettings
    release_central.check(arguments, settings)
    aside = arguments.output == "-"
    _check_folder(settings.get("guarantee", arguments.output))
    _write_no_core()

    def tell(account: str) -> None:
        terminal.show(["", *terminal.wrapped(account), ""], aside=aside)

    files = arguments.files = inputs(arguments.input)
    if files != arguments.input:
        terminal.show(["Files:", *(f"  {path}" for path in files)], aside=aside)
    needed = [name for name, about in settings_by_name(kind).items() if about.default is dataclasses.MISSING]
    if lacking := ", ".join(options.option(name) for name in needed if name not in settings):
        error = options.Misuse(f"the following arguments are required: {lacking}: see 'dirpriv release --help'")
        raise _with_line(error, arguments, settings)
    if len(settings.get("radius", ())) == 1:
        settings["radius"] = settings["radius"][0]
    done = 0.0

    def say(share: float) -> None:
        nonlocal done
        done = share
        show(f"release: {100.0 * share:.0f} %")

    try:
        with terminal.progress() as show:
            guarantee = file(files, arguments.output, kind(**settings), tell=tell, progress=say)
        terminal.show(_text(arguments, guarantee), aside=aside)
        if kind is CentralFileSettings:
            release_central.show(arguments, guarantee)
    except BaseException as error:
        output = "standard output" if aside else repr(arguments.output)
        notes = [note for note in getattr(error, "__notes__", []) if isinstance(note, Note)]
        if aside and isinstance(error, BrokenPipeError):
            terminal.show([". ".join(["dirpriv release: standard output was closed", *notes])], aside=True)
        if not notes:
            if done == 1.0:  # all is drawn, and the release has failed with a note, or not at all
                error.add_note(Note(f"{output} is complete, and counts as a release"))
            elif isinstance(error, InvalidArgument):
                _with_line(error, arguments, settings)
            elif not isinstance(error, OSError | ImportError):
                error.add_note(Note(f"{output} was not written, and this does not count as a release"))
        raise


def _with_line(error: InvalidArgument, arguments: argparse.Namespace, settings: dict[str, Any]) -> InvalidArgument:
    """The error with the command that would have been right, as far as the header of the table tells."""
    if arguments.trust != "central" and (right := ready(arguments, settings)):
        error.add_note(Note(f"To fill in and run: {right}"))
    return error


def _text(arguments: argparse.Namespace, guarantee: "FileGuarantee") -> list[str]:
    output = arguments.output
    beside = getattr(arguments, "guarantee", f"{output}.guarantee.json")
    lines = [f"Released: {'standard output' if output == '-' else output}, with its guarantee in {beside}\n"]
    without = dataclasses.replace(guarantee, account=None)  # which is shown already
    lines += terminal.wrapped(without.text() if arguments.verbose else without.summary())
    return lines + options.cautions(max(guarantee.level, guarantee.person_level or 0.0))


def _check_folder(target: str) -> None:
    """Refuse a folder that cannot be written before reading."""
    folder = os.path.dirname(os.path.abspath(target))
    if os.path.isdir(folder):
        try:
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            rule = f"the folder of OUT, {folder!r}, cannot be written ({error.strerror})"
            hint = "choose an OUT in a folder that you can write to"
            raise options.Misuse(f"{rule}: {hint}") from None


def _write_no_core() -> None:
    """Let a crash write no core file: it would hold the memory, and true values are there."""
    with contextlib.suppress(ImportError):  # on Windows
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def ready(arguments: argparse.Namespace, settings: dict[str, Any]) -> str:
    """The whole command, with capitals for what only the holder knows; empty if nothing is to be added."""
    from dirpriv.tables.table import duckdb

    try:
        added = _added(arguments.input, settings)
    except (InvalidArgument, OSError, ImportError, duckdb().Error):
        return ""
    if not added:
        return ""
    words = ["dirpriv", "release", *arguments.input, arguments.output]
    words += ["--verbose"] if arguments.verbose else []
    for name, value in (settings | added).items():
        if value is True:
            words.append(options.option(name))
            continue
        text = ",".join(map(str, value)) if isinstance(value, tuple) else value
        for one in text if isinstance(text, list) else [text]:
            words += [options.option(name), f"{one:.17g}" if isinstance(one, float) else str(one)]
    return shlex.join(words)


def _added(input: list[str], settings: dict[str, Any]) -> dict[str, Any]:
    """What the command lacks, or has of a wrong name."""
    from dirpriv.release.files.settings_to_columns import inputs
    from dirpriv.tables.forms import VALUE
    from dirpriv.tables.reading import needed_options
    from dirpriv.tables.table import STANDARD_STREAM, Table

    added: dict[str, Any] = {}
    file = inputs(input)[0]
    if file == STANDARD_STREAM:  # which is read only once
        return {}
    table = Table("input", file, settings.get("separator", ","))
    if separator := table.other_separator:
        added["separator"] = separator
        table = Table("input", file, separator)
    if any(VALUE.fullmatch(name) for name in table.names):
        return {}
    asked: dict[str, Any] = {kind: settings.get(kind) for kind in _KINDS}
    for kind, names in asked.items():
        for name in names if isinstance(names, list) else [names] * (names is not None):
            if name not in table.names:
                near = difflib.get_close_matches(name.strip().lower(), map(_plain, table.names), 1, 0.8)
                right = [each for each in table.names if _plain(each) in near] or _matches(table.names, kind)
                if not right:
                    return {}
                added[kind] = right[:1] if isinstance(names, list) else right[0]
    if not any([*asked.values(), settings.get("item")]):
        columns = {kind: _matches(table.names, kind)[:1] for kind in _KINDS}
        pair = columns["latitude"] and columns["longitude"]
        if pair and not columns["time"]:
            added |= {kind: columns[kind][0] for kind in ("latitude", "longitude")}
        elif column := columns["time"] or columns["heading"]:
            added["time" if columns["time"] else "heading"] = column
    now = settings | added
    lacking = ["level", "radius"]
    if "latitude" in now:
        lacking += options.REGION
    for name in now.get("time", []):
        needs = needed_options(table, name, now.get("unit")) if "time_format" not in now else {}
        added |= {option: value for option, value in needs.items() if option not in now}
    return added | {name: _FILLED[name] for name in lacking if name not in now}


def kinds_of(name: str) -> list[str]:
    """The kinds of columns whose usual names this one has."""
    return [kind for kind in _KINDS if _matches([name], kind)]


def _plain(name: str) -> str:
    return name.strip().lower()


def _matches(names: list[str], kind: str) -> list[str]:
    plain, parts = r"[^\W\d][^\W\d]*([ _.-]?[^\W\d]+){0,3}", "[A-Z]?[a-z]+|[A-Z]+"
    names = [name for name in names if re.fullmatch(plain, name.strip()) and names.count(name) == 1]
    return [name for name in names if not _KINDS[kind].isdisjoint(map(_plain, re.findall(parts, name)))]
