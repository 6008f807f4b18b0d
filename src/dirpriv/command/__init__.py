"""The command ``dirpriv``: releases of one's own files, and estimates from released files.

``dirpriv --help`` lists the commands. The same runs as ``python -m dirpriv``. A command imports what it needs
when it runs, so help is quick. A wrong use ends with one line on the error stream and the status 2, other
failures with the status 1. No message holds a value of the data.
"""

import argparse
import contextlib
import difflib
import dis
import io
import os
import re
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn

from dirpriv import __version__
from dirpriv.command import _words, explain, histogram, map, mean, release

COMMANDS = {each.NAME: each for each in (release, histogram, mean, map, explain)}
EXTRAS = {"pandas": "tables", "duckdb": "tables", "matplotlib": "pictures"}
"""The extra of the package that installs each of these."""

_ARGUMENTS = ("level", "within", "cells", "period", "zone", "origin", "reach", "step", "separator", "missing")
_ARGUMENTS += ("delta", "bins", "time", "latitude", "longitude", "time_format", "keep", "keep_order", "user")
_ARGUMENTS += ("rows_per_person",)
_OPTIONS = {
    "again=True": "--again",
    "missing='pass'": "--missing pass",
    "'radius'": "--within",
    "'at'": "--at",
}
_OPTIONS |= {"'input'": "IN", "'output'": "OUT"}
"""What messages of the library call the arguments, and what the command does."""

_PLACES = ("--origin",)  # options whose value may begin with a minus that is no option
_USERS = (FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError)


class Misuse(Exception):
    """A wrong use of a command: who says so, and what is wrong."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        """Refuse what was given.

        Parameters
        ----------
        message : str
            What is wrong.

        Raises
        ------
        Misuse
            Always.
        """
        raise Misuse(self.prog, f"{message.removeprefix('argument ')}: see '{self.prog} --help'")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command.

    Parameters
    ----------
    argv : sequence of str, optional
        Its arguments, by default those of the process.

    Returns
    -------
    int
        The exit status: 0, 1 for a failure, 2 for a wrong use, 130 when interrupted.

    Examples
    --------
    >>> from dirpriv.command import main
    >>> main(["mean", "no.csv", "--bins", "24"])
    2
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names of files and columns may have any characters
            stream.reconfigure(errors="backslashreplace")
    parser = _parser()
    name, debug = parser.prog, False
    try:
        arguments, unknown = parser.parse_known_args(_joined(sys.argv[1:] if argv is None else argv))
        name, debug = arguments.parser.prog, arguments.debug
        if unknown:
            arguments.parser.error(_unknown(unknown[0], arguments.parser))
        with warnings.catch_warnings():
            warnings.simplefilter("default" if debug else "ignore")  # the commands say what users must know
            COMMANDS[arguments.command].run(arguments)
        if sys.stdout is not None:  # it is None where the command was started without one
            sys.stdout.flush()
    except SystemExit as asked:  # --help, --version
        return int(asked.code or 0)
    except BrokenPipeError:
        # the reader has seen enough, and all files are written; what is left must not fail again at the exit
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Misuse as error:
        return _say(*error.args, status=2)
    except KeyboardInterrupt as error:
        return _say(name, _with_notes("interrupted", error), status=130)
    except Exception as error:
        if str(error) == "Query interrupted":  # what DuckDB makes of Ctrl-C
            return _say(name, _with_notes("interrupted", error), status=130)
        if debug:
            raise
        status, message = _told(error, name)
        return _say(name, _with_notes(message, error), status=status)
    return 0


def _parser() -> Parser:
    parser = Parser(
        prog="dirpriv",
        description="Release times and places privately, and estimate from private files.",
        epilog="'dirpriv release --help' has examples. Start with 'dirpriv explain --level 1 --within 3h'.",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"dirpriv {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in COMMANDS.items():
        one = subparsers.add_parser(
            name,
            help=module.HELP,
            description=module.DESCRIPTION,
            epilog=module.EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
        )
        module.add_arguments(one)
        one.add_argument(
            "--debug", action="store_true", help="show the traceback of a failure, which may show data"
        )
        one.set_defaults(parser=one)
    return parser


def _joined(argv: Sequence[str]) -> list[str]:
    """The arguments with ``--origin -33.9,151.2`` as ``--origin=-33.9,151.2``."""
    found: list[str] = []
    for argument in argv:
        if found and found[-1] in _PLACES and re.match(r"-[0-9.]", argument):
            found[-1] += f"={argument}"
        else:
            found.append(argument)
    return found


def _unknown(argument: str, parser: argparse.ArgumentParser) -> str:
    """What to say of an argument that a command does not know."""
    options = [option for action in parser._actions for option in action.option_strings]
    near = difflib.get_close_matches(argument.partition("=")[0], options, 1)
    return f"there is no argument {argument!r}" + (f"; did you mean {near[0]}?" if near else "")


def _told(error: Exception, name: str) -> tuple[int, str]:
    """Exit status and message for an error that a command did not expect."""
    if isinstance(error, ImportError) and not _raised_by_dirpriv(error):
        package = (error.name or "").partition(".")[0]
        if package in EXTRAS:
            return 1, f'this needs the package {package}: pip install "dirpriv[{EXTRAS[package]}]"'
    elif isinstance(error, OSError) and error.strerror is not None:
        where = "" if error.filename is None else f"{os.fsdecode(error.filename)!r}: "
        return 2 if isinstance(error, _USERS) else 1, f"{where}{error.strerror}"
    elif _raised_by_dirpriv(error):
        status = 2 if isinstance(error, (ValueError, *_USERS)) else 1
        return status, _as_options(str(error))
    return 1, (
        f"failed with {type(error).__name__}. This is a fault of dirpriv: please report it with the command "
        f"that you gave. Nothing of it is shown here, as it may hold data; '{name} ... --debug' shows it"
    )


def _raised_by_dirpriv(error: Exception) -> bool:
    """Whether a ``raise`` of the library made this error; those of other packages may hold values of data."""
    trace = error.__traceback__
    if trace is None:
        return False
    while trace.tb_next is not None:
        trace = trace.tb_next
    module = str(trace.tb_frame.f_globals.get("__name__", ""))
    instruction = trace.tb_frame.f_code.co_code[trace.tb_lasti]
    return module.partition(".")[0] == "dirpriv" and instruction == dis.opmap["RAISE_VARARGS"]


def _as_options(message: str) -> str:
    """A message of the library, which names arguments of functions, with the names of the options."""
    for words, option in _OPTIONS.items():
        message = message.replace(words, option)
    names = "|".join(_ARGUMENTS)
    return re.sub(rf"(?<!column )'({names})'", lambda found: "--" + found[1].replace("_", "-"), message)


def _with_notes(message: str, error: BaseException) -> str:
    notes = [note for note in getattr(error, "__notes__", []) if isinstance(note, _words.Note)]
    return ". ".join([message, *notes])


def _say(name: str, message: str, *, status: int) -> int:
    """Write one line to the error stream."""
    line = " ".join(f"{name}: error: {message}".split())
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr, flush=True)
    return status
