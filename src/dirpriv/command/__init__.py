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
from collections.abc import Sequence, Set
from typing import NoReturn

from dirpriv import __version__
from dirpriv._errors import Note
from dirpriv.command import _words, explain, histogram, map, mean, plan, release

COMMANDS = {each.NAME: each for each in (release, histogram, mean, map, explain, plan)}
EXTRAS = {"pandas": "tables", "duckdb": "tables", "matplotlib": "pictures"}
"""The extra of the package that installs each of these."""

_ARGUMENTS = ("level", "within", "cells", "period", "zone", "origin", "reach", "step", "separator", "missing")
_ARGUMENTS += ("delta", "bins", "time", "latitude", "longitude", "time_format", "keep", "keep_order", "user")
_ARGUMENTS += ("rows_per_person", "epsilon", "resultant", "error")
_OPTIONS = {name: "--" + name.replace("_", "-") for name in _ARGUMENTS}
_OPTIONS |= {
    "radius": "--within",
    "responses_per_person": "--rows-per-person",
    "input": "IN",
    "output": "OUT",
}
"""What messages of the library call the arguments, and what the command does."""

_WORDS = {
    "again=True": "--again",
    "missing='pass'": "--missing pass",
    "the 'separator' '\\t'": "--separator tab",
    "the 'separator' ": "--separator ",
    ", '75min' or a number of hours": " or '75min'",
    ", '1.5km' or a number of metres": " or '1.5km'",
    "a number of metres, or a text as '200m'": "a length such as '200m'",
    "at most half a turn, π or ": "at most ",
    "'within' must be two radii with their units for times and places, such as ['3h', '200m']": (
        "give --within twice, for times and for places: --within 3h --within 200m"
    ),
    "the log weight would fall": "--step is too small for --level and --within: the log weight would fall",
}
"""What the library says of calls in Python, and what the command says instead."""
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
    parser, commands = _parser()
    name, debug, columns = parser.prog, False, frozenset[str]()
    try:
        words = _joined(sys.argv[1:] if argv is None else argv)
        if words and words[0] in commands:
            _check_options(words[1:], commands[words[0]])
        arguments, unknown = parser.parse_known_args(words)
        name, debug, columns = arguments.parser.prog, arguments.debug, _columns(arguments)
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
        status, message = _told(error, name, columns)
        return _say(name, _with_notes(message, error), status=status)
    return 0


def _parser() -> tuple[Parser, dict[str, Parser]]:
    """The parser, and those of the commands."""
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
    return parser, subparsers.choices


def _columns(arguments: argparse.Namespace) -> frozenset[str]:
    """The names of columns that were given."""
    names = [getattr(arguments, name, None) for name in ("latitude", "longitude", "user", "column")]
    lists = [getattr(arguments, name, None) or [] for name in ("time", "keep")]
    return frozenset(name for name in [*names, *lists[0], *lists[1]] if name is not None)


def _joined(argv: Sequence[str]) -> list[str]:
    """The arguments with ``--origin -33.9,151.2`` as ``--origin=-33.9,151.2``, and others like it."""
    found: list[str] = []
    for argument in argv:
        if found and re.fullmatch("--[a-z-]+", found[-1]) and re.match(r"-[0-9.]", argument):
            found[-1] += f"={argument}"
        else:
            found.append(argument)
    return found


def _check_options(words: Sequence[str], parser: argparse.ArgumentParser) -> None:
    """Refuse unknown options before others are missed, and options that are given twice."""
    words = words[: words.index("--")] if "--" in words else words
    given = [word.partition("=")[0] for word in words if word.startswith("--")]
    if "--help" in given or "-h" in words:
        return
    known = {option: action for action in parser._actions for option in action.option_strings}
    for word in given:
        if word not in known:
            parser.error(_unknown(word, parser))
        if given.count(word) > 1 and not isinstance(known[word], argparse._AppendAction):
            parser.error(f"{word} is given {given.count(word)} times: give it once")


def _unknown(argument: str, parser: argparse.ArgumentParser) -> str:
    """What to say of an argument that a command does not know."""
    if argument.partition("=")[0] == "--seed":
        return "there is no seed, by design: two releases with the same noise would show the difference"
    options = [option for action in parser._actions for option in action.option_strings]
    near = difflib.get_close_matches(argument.partition("=")[0], options, 1)
    return f"there is no argument {argument!r}" + (f"; did you mean {near[0]}?" if near else "")


def _told(error: Exception, name: str, columns: Set[str]) -> tuple[int, str]:
    """Exit status and message for an error that a command did not expect."""
    if isinstance(error, ImportError) and not _raised_by_dirpriv(error):
        package = (error.name or "").partition(".")[0]
        if package in EXTRAS:
            return 1, f'this needs the package {package}: pip install "dirpriv[{EXTRAS[package]}]"'
    elif isinstance(error, OSError) and error.strerror is not None:
        where = "" if error.filename is None else f"{os.fsdecode(error.filename)!r}: "
        return 2 if isinstance(error, _USERS) else 1, f"{where}{error.strerror}"
    elif module := _raised_by_dirpriv(error):
        status = 2 if isinstance(error, (ValueError, *_USERS)) else 1
        own = module.startswith("dirpriv.command")
        return status, str(error) if own else _as_options(str(error), columns)
    return 1, (
        f"failed with {type(error).__name__}. This is a fault of dirpriv: please report it with the command "
        f"that you gave. Nothing of it is shown here, as it may hold data; '{name} ... --debug' shows it"
    )


def _raised_by_dirpriv(error: Exception) -> str:
    """The module of the library whose ``raise`` made this error, or ""; others may hold values of data."""
    trace = error.__traceback__
    if trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    module = str(trace.tb_frame.f_globals.get("__name__", ""))
    instruction = trace.tb_frame.f_code.co_code[trace.tb_lasti]
    raised = module.partition(".")[0] == "dirpriv" and instruction == dis.opmap["RAISE_VARARGS"]
    return module if raised else ""


def _as_options(message: str, columns: Set[str] = frozenset()) -> str:
    """A message of the library, which names arguments of functions, with the names of the options.

    A name of an argument that is a column's too stands for the argument where a rule follows.
    """
    for words, instead in _WORDS.items():
        message = message.replace(words, instead)
    message, has, names = message.partition(": it has ")  # and names of columns

    def option(found: re.Match[str]) -> str:
        is_column = found[1] in columns and not re.match(" (must|names|goes?|is no) ", message[found.end() :])
        return found[0] if is_column else _OPTIONS[found[1]]

    arguments = "|".join(_OPTIONS)
    return re.sub(rf"(?<!column )(?<!got )(?<!mean )'({arguments})'", option, message) + has + names


def _with_notes(message: str, error: BaseException) -> str:
    notes = [note for note in getattr(error, "__notes__", []) if isinstance(note, Note)]
    return ". ".join([message, *notes])


def _say(name: str, message: str, *, status: int) -> int:
    """Write one line to the error stream."""
    line = _words.printable(" ".join(f"{name}: error: {message}".split()))
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr, flush=True)
    return status
