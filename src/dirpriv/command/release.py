"""``dirpriv release``: times and places of a file, released privately."""

import argparse
import contextlib
import dataclasses
import os
import tempfile
from typing import TYPE_CHECKING, Any

from dirpriv._inputs import counts
from dirpriv._inputs.errors import InvalidArgument, Note
from dirpriv.command import options, ready, terminal

if TYPE_CHECKING:
    from dirpriv.release import FileGuarantee

NAME = "release"
HELP = "release times or places of a file (for the holder of the data)"
DESCRIPTION = """\
Write a new file with private versions of columns of times or places, and beside it
OUT.guarantee.json, which states the guarantee. Each value gets its own noise, from
random numbers of the operating system. OUT has only the released columns, in a
random order: times of day without dates, places as centres of cells. Nothing from
the input is printed. Existing files are never overwritten."""
EPILOG = """\
examples:
  dirpriv release arrivals.csv private.csv --time arrival --level 1 --within 3h
  dirpriv release visits.csv private.csv --latitude lat --longitude lon --level 1 \\
      --within 200m --origin 40.75,-73.98 --reach 30km --step 10m
  dirpriv release log.parquet private.parquet --time start --time end --level 0.5 \\
      --within 3h --user person --rows-per-person 2
  dirpriv release arrivals.csv private.csv --time arrival --level 0.39 --within 3h \\
      --user person --shuffled 433,1e-6
  dirpriv explain --level 1 --within 3h      (what this level means)

units: for times, --within is in h, min, s or d, for headings in deg. For places,
--within, --reach and --step are in m or km, and --origin in degrees, north and east
positive. --level has no unit. It is the level of each row and column, as in 'dirpriv
plan': the levels of several columns add up, and so do those of a person's rows.
--user limits these rows.

times: 08:15, 08:15:30 or 2024-03-05 08:15, the same with Z or an offset (then give
--zone), or numbers with their --unit: h, min or s since midnight, hourbin (18 is
18:00-18:59, read as 18:30), day (a spreadsheet's fraction of a day), deg (360 are the
period), epoch or epoch_ms (since 1970 in UTC; then give --zone). Other formats need
--time-format. Empty fields need --missing pass.

Choose --level, --within and the region without looking at the data. A second release
of a file adds its level to the first, so it is refused without --again. So do other
files of the same people: 'dirpriv account --help' has --dataset and --other-people."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("input", metavar="IN", help="file of the true values: .csv, .csv.gz or .parquet")
    parser.add_argument("output", metavar="OUT", help="new file: .csv, .csv.gz or .parquet")
    what = parser.add_argument_group("what is released, and how privately")
    add = what.add_argument
    add("--time", action="append", metavar="COL", help="a column of times; repeat it for more columns")
    add("--heading", action="append", metavar="COL", help="a column of headings in degrees, from 0 to 360")
    add("--latitude", metavar="COL", help="the column of latitudes in degrees")
    add("--longitude", metavar="COL", help="the column of longitudes in degrees")
    options.add_level(what, required=False)
    radius = f"{options.RADIUS}; twice if you release both times and places"
    add("--within", type=options.within, action="append", metavar="RADIUS", help=radius)
    times = parser.add_argument_group("times")
    options.add_times(times)
    add = times.add_argument
    add("--zone", help="time zone of the released local times, as Europe/Berlin")
    add("--unit", metavar="UNIT", help=f"what numbers of --time count: {', '.join(counts.NAMES)}")
    add("--time-format", metavar="FORMAT", help="format of the times, as %%d.%%m.%%Y %%H:%%M")
    options.add_places(
        parser.add_argument_group("places"),
        reach="radius of the region; places beyond it are moved to its border",
        step="side of a cell; a twentieth of --within adds 7 %% to the noise, a smaller step less",
    )
    rows = parser.add_argument_group("rows")
    add = rows.add_argument
    add("--user", metavar="COL", help="the column that identifies the person of a row; not released")
    options.add_rows_per_person(rows, "with --user: released rows per person, chosen at random (1)")
    failing = "with --user: state a smaller level for a person, which may fail with this probability"
    add("--delta", type=options.number, help=failing)
    hidden = "also state the level of the file as a whole, whose order hides N reports or more, at DELTA"
    add("--shuffled", type=options.numbers, metavar="N,DELTA", help=hidden)
    passing = "at missing values: stop, or pass them on as missing, unprotected (stop)"
    add("--missing", choices=("stop", "pass"), default="stop", help=passing)
    beyond = "at places beyond --reach: move to the border, stop, or pass on as missing, unprotected (border)"
    add("--outside", choices=("border", "stop", "pass"), default="border", help=beyond)
    add("--keep", action="append", default=[], metavar="COL", help="also copy this column, unprotected")
    add("--keep-order", action="store_true", help="keep the order of the rows, unprotected")
    add("--separator", default=",", help="separator of the fields of a CSV: , or ; or tab (,)")
    add("--verbose", action="store_true", help="tell the whole guarantee, as its file has it")
    add("--again", action="store_true", help="release a file a second time; the levels add up")
    account = parser.add_argument_group("the account of these people, over all their releases")
    add = account.add_argument
    add("--dataset", metavar="NAME", help="a name for these people: releases add up; new: a new account")
    add("--other-people", action="store_true", help="nobody of this file is in an earlier release")
    budget = "with the first of a dataset: its largest sum, or its level at DELTA"
    add("--budget", type=options.numbers, metavar="LEVEL[,DELTA]", help=budget)
    planned = "with the first: a level at DELTA of N releases with equal options"
    add("--planned", type=options.numbers, metavar="N,DELTA", help=planned)


def run(arguments: argparse.Namespace) -> None:
    from dirpriv.release import file

    _check_folder(arguments.output)
    _write_no_core()
    lacking = [f"--{name}" for name in ("level", "within") if getattr(arguments, name) is None]
    if lacking:
        said = f"the following arguments are required: {', '.join(lacking)}: see 'dirpriv release --help'"
        raise _with_line(options.Misuse(said), arguments)
    of_all = "command", "debug", "parser", "verbose"
    given: dict[str, Any] = {name: value for name, value in vars(arguments).items() if name not in of_all}
    if len(arguments.within) == 1:
        given["within"] = arguments.within[0]
    done = 0.0

    def say(share: float) -> None:
        nonlocal done
        done = share
        show(f"release: {100.0 * share:.0f} %")

    try:
        with terminal.progress() as show:
            guarantee = file(**given, tell=_tell, progress=say)
        terminal.show(_text(arguments, guarantee))
    except BaseException as error:
        if not any(isinstance(note, Note) for note in getattr(error, "__notes__", [])):
            if done == 1.0:  # all is drawn, and the release has failed with a note, or not at all
                error.add_note(Note(f"{arguments.output!r} is complete, and counts as a release"))
            elif isinstance(error, InvalidArgument):
                _with_line(error, arguments)
            elif not isinstance(error, OSError | ImportError):
                error.add_note(
                    Note(f"{arguments.output!r} was not written, and this does not count as a release")
                )
        raise


def _tell(account: str) -> None:
    terminal.show(["", *terminal.wrapped(account), ""])


def _with_line(error: InvalidArgument, arguments: argparse.Namespace) -> InvalidArgument:
    """The error with the command that would have been right, as far as the header of the table tells."""
    if right := ready.line(arguments, arguments.parser):
        error.add_note(Note(f"To fill in and run: {right}"))
    return error


def _text(arguments: argparse.Namespace, guarantee: "FileGuarantee") -> list[str]:
    lines = [f"Released: {arguments.output}, with its guarantee in {arguments.output}.guarantee.json\n"]
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
            raise options.Misuse(
                f"the folder of OUT, {folder!r}, cannot be written ({error.strerror}): give an OUT in a "
                "folder that you can write to"
            ) from None


def _write_no_core() -> None:
    """Let a crash write no core file: it would hold the memory, and true values are there."""
    with contextlib.suppress(ImportError):  # on Windows
        import resource

        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (0, hard))
