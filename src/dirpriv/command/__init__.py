"""The command ``dirpriv``, or ``python -m dirpriv``: release your own files, and estimate from released ones.

A command imports what it needs when it runs, so help is quick. A wrong use ends with one line on the error
stream. No message shows a value of the data.
"""

import argparse
import contextlib
import difflib
import errno
import importlib
import io
import os
import re
import shlex
import sys
import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

from dirpriv._inputs.errors import InvalidArgument, Note, in_python
from dirpriv._lib.version import VERSION
from dirpriv.command.options import Misuse
from dirpriv.command.terminal import printable

_NAMES = "prepare release account histogram mean compare map busyness explain plan device collect check"
COMMANDS: dict[str, Any] = {name: importlib.import_module(f"dirpriv.command.{name}") for name in _NAMES.split()}
EXTRAS = {"pandas": "tables", "duckdb": "tables", "matplotlib": "pictures"}  # which install these

INTERRUPTED = 130
_ALL = "--help-all"
_SHOWN = {
    "release": "--time --latitude --longitude --level --within --region-centre --region-reach --cell-size --user "
    "--max-rows-per-person --rerelease --trust --epsilon --mean --histogram --map"
}
"""Options that --help shows of a command, where it does not show all."""
_FIRST = """\
Do you hold all rows, and do people trust you with them?
  yes: publish a result alone (central model); a histogram takes 163 people, not 3200
       dirpriv release arrivals.csv hours.csv --time arrival --trust central \\
           --epsilon 1 --histogram 24
  no, or the rows must be published: publish each row with noise (local model)
       dirpriv release arrivals.csv private.csv --time arrival --level 1 --within 3h
  no, and people answer on their own devices: 'dirpriv device', 'dirpriv collect'

Start with 'dirpriv explain --level 1 --within 3h'. 'dirpriv release --help' has examples."""


class Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, and for which ``-33.9,9`` is a value, and no option."""

    def __init__(self, **how: Any) -> None:
        super().__init__(**how)
        self._negative_number_matcher = re.compile("-[0-9.]")

    def error(self, message: str) -> NoReturn:
        raise Misuse(f"{message.removeprefix('argument ')}: see '{self.prog} --help'")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command. The exit status is 1 for a failure, 2 for a wrong use, 130 when interrupted."""
    if argv is None and "OMP_NUM_THREADS" not in os.environ:
        # the matrices are small: on a busy machine threads wait ten times as long as they compute
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # names of files and columns may have any characters
            stream.reconfigure(errors="backslashreplace")
    words = [*(sys.argv[1:] if argv is None else argv)]
    parser, commands = _parser(words)
    name, debug, arguments = parser.prog, False, argparse.Namespace()
    try:
        if words and words[0] in commands:
            name = commands[words[0]].prog
            _check_options(words[1:], commands[words[0]])
        arguments, unknown = parser.parse_known_args(words)
        debug = arguments.debug
        if unknown:
            arguments.parser.error(_unknown(unknown[0], arguments.parser))
        with warnings.catch_warnings():
            warnings.simplefilter("default" if debug else "ignore")  # the commands say what users must know
            COMMANDS[arguments.command].run(arguments)
        if sys.stdout is not None:  # it is None where the command was started without one
            sys.stdout.flush()
    except SystemExit as asked:  # --help, --version
        return asked.code if isinstance(asked.code, int) else 1
    except BrokenPipeError:
        # the reader has seen enough, and all files are written; what is left must not fail again at the exit
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (KeyboardInterrupt, Exception) as error:
        status, message = _status_and_message(error, name, arguments)
        if debug and status != INTERRUPTED and not isinstance(error, Misuse):
            raise
        notes = [note for note in getattr(error, "__notes__", []) if isinstance(note, Note)]
        line = " ".join(f"{name}: error: {'. '.join([message, *notes])}".splitlines())
        with contextlib.suppress(OSError):
            print(printable(line), file=sys.stderr, flush=True)
        return status
    return 0


def _parser(words: Sequence[str]) -> tuple[Parser, dict[str, Parser]]:
    """The parser of these words, and those of the commands: only the one that they name has its options."""
    parser = Parser(
        prog="dirpriv",
        description="Release times and places with differential privacy. Analyse released files.",
        epilog=_FIRST,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"dirpriv {VERSION}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    meant = next((word for word in words if word in COMMANDS), None)
    for name, module in COMMANDS.items():
        form = argparse.RawDescriptionHelpFormatter
        about, description, epilog = help_texts(module)
        look: Any = {"description": description, "epilog": epilog, "formatter_class": form, "allow_abbrev": False}
        one = subparsers.add_parser(name, help=about, **look)
        if name == meant:
            module.add_arguments(one)
            if name in _SHOWN:
                _shorten(one, _SHOWN[name], _ALL in words)
            debug = "show the traceback of an error; it may contain data"
            one.add_argument("--debug", action="store_true", help=debug)
            one.set_defaults(parser=one)
    return parser, subparsers.choices


def _shorten(parser: argparse.ArgumentParser, shown: str, everything: bool) -> None:
    """Let --help show some options and the first examples, and --help-all everything."""
    for action in parser._actions:
        if not everything and action.option_strings and action.option_strings[-1] not in ("--help", *shown.split()):
            action.help = argparse.SUPPRESS
    if not everything:
        parser.usage = f"{parser.prog} [options] IN [IN ...] OUT"
        examples, _, _ = (parser.epilog or "").partition("\n\n")
        parser.epilog = "\n".join([*examples.splitlines()[:6], "", f"units: see {_ALL}, which shows all options"])
    parser.add_argument(_ALL, action="help", help="show all options and examples, and the units")


def help_texts(module: Any) -> list[str]:
    """What is shown of a command, its description and its examples: the docstring of its module."""
    first, *texts = [*(module.__doc__ or "").split("\n\n", 2), "", "", ""][:3]  # none in python -OO
    return [first[:1].lower() + first[1:].removesuffix("."), *texts]


def _check_options(words: Sequence[str], parser: argparse.ArgumentParser) -> None:
    """Refuse unknown options before others are missed, and options that are given twice."""
    words = words[: words.index("--")] if "--" in words else words
    names = [word.partition("=")[0] for word in words if word.startswith("--")]
    if {"--help", _ALL} & {*names} or "-h" in words:
        return
    actions = parser._option_string_actions
    for word in names:
        if word not in actions:
            parser.error(_unknown(word, parser))
        if names.count(word) > 1 and not isinstance(actions[word], argparse._AppendAction):
            pairs = ", and release each pair of columns on its own" * (word in ("--latitude", "--longitude"))
            parser.error(f"{word} is given {names.count(word)} times: give it once{pairs}")


def _unknown(argument: str, parser: argparse.ArgumentParser) -> str:
    """What to say of an argument that a command does not know."""
    if argument.partition("=")[0] == "--seed":
        return "there is no seed option: two releases with the same noise would reveal the true differences"
    places = {action.dest for action in parser._actions} & {"input", "files"}
    if argument[:1] != "-" and places:
        last = ", the last is OUT" if "input" in places else ""
        return f"there is no place for {argument!r}: give all files side by side{last}"
    near = difflib.get_close_matches(argument.partition("=")[0], parser._option_string_actions, 1)
    return f"there is no argument {argument!r}" + (f"; did you mean {near[0]}?" if near else "")


def _status_and_message(error: BaseException, name: str, arguments: argparse.Namespace) -> tuple[int, str]:
    """Only errors of our own show their text: others may hold values of the data."""
    if isinstance(error, KeyboardInterrupt) or str(error) == "Query interrupted":  # DuckDB's RuntimeError
        return INTERRUPTED, "interrupted"
    if isinstance(error, Misuse):
        return 2, str(error)
    if isinstance(error, InvalidArgument):
        return 2, _as_options(error, arguments.parser)
    if isinstance(error, ImportError) and (package := str(error.name).partition(".")[0]) in EXTRAS:
        return 1, f'this needs the package {package}: pip install "dirpriv[{EXTRAS[package]}]"'
    if isinstance(error, OSError) and isinstance(error.errno, int) and error.errno in errno.errorcode:
        wrong_path = FileNotFoundError, FileExistsError, IsADirectoryError, NotADirectoryError, PermissionError
        return 2 if isinstance(error, wrong_path) else 1, f"{_path_of(error, arguments)}{os.strerror(error.errno)}"
    if isinstance(error, MemoryError):
        return 1, "memory is short (MemoryError)"
    bug = "This is a bug in dirpriv: please report it with your command. The details may contain data"
    return 1, f"failed with {type(error).__name__}. {bug}. '{name} ... --debug' shows them"


def _path_of(error: OSError, arguments: argparse.Namespace) -> str:
    """The file of the command that an error is about; the name of another one is not shown."""
    if not isinstance(error.filename, str | bytes | os.PathLike):
        return ""
    filename = os.path.abspath(os.fsdecode(error.filename))
    lists = [value if isinstance(value, list) else [value] for value in vars(arguments).values()]
    paths = {str(path) for each in lists for path in each if isinstance(path, str | os.PathLike)}
    paths |= {f"{path}.guarantee.json" for path in paths}
    return next((f"{path!r}: " for path in paths if os.path.abspath(path) == filename), "")


def _as_options(error: InvalidArgument, parser: argparse.ArgumentParser) -> str:
    """The message of the library, with options instead of arguments."""
    names = {action.dest: (action.option_strings or [str(action.metavar)])[0] for action in parser._actions}

    def option(argument: str, value: str | None) -> str:
        if argument not in names:
            return in_python(argument, value)
        if value in (None, "True"):
            return names[argument]
        import ast  # not for help

        values = ast.literal_eval(str(value))
        items = values if isinstance(values, list) else [values]
        return " ".join(f"{names[argument]} {shlex.quote(str(one))}" for one in items)

    return error.text(option)
