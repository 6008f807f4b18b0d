"""Errors of others may hold values of the data: the command shows their type, wherever they were raised.

A run of each command is repeated with a failure at the first call of one of the library's functions that it
calls, and so for each of them.
"""

import gc
import itertools
import shutil
import sys
from pathlib import Path

import databases
import duckdb
import numpy as np
import pytest
from command_runs import folder, released_places, released_times, run, write_released
from sweeps import swept

import dirpriv
from dirpriv.release import TimeColumn
from dirpriv.release.files import atomic_output as _output

PACKAGE = str(Path(dirpriv.__file__).parent)
SECRET = "secret 08:15 of Ann"
PARTS = 18  # of the functions; the first is no sweep where true rows are read, and in one estimate
COMMANDS = {
    "release": "release true.csv out.csv --time arrival --level 1 --within 3h --cells 24 --user person",
    "histogram": "histogram private.csv --blur 4h --csv shares.csv --plot shares.png",
    "mean": "mean private.csv",
    "compare": "compare kept.csv --by shift --bins 4 --json both.json --plot both.svg",
    "map": "map places.csv --cells 4 --districts 1 --csv density.csv --plot density.png",
    "explain": "explain --level 1 --within 200m --cell-size 100m --region-reach 3km --plot level.png",
    "plan": "plan mean --level 1 --within 3h --error 1h --resultant 1",
}
OUTPUTS = (
    "out.csv",
    "out.csv.guarantee.json",
    "shares.csv",
    "shares.png",
    "density.csv",
    "density.png",
    "level.png",
    "both.json",
    "both.svg",
)
ERRORS = {
    "a conversion": lambda: ValueError(f"could not convert string to float: '{SECRET}'"),
    "a key": lambda: KeyError(SECRET),
    "a type": lambda: TypeError(SECRET),
    "no text": lambda: UnicodeDecodeError("utf-8", SECRET.encode(), 0, 1, SECRET),
    "DuckDB": lambda: duckdb.ConversionException(SECRET),
    "the disk of DuckDB": lambda: duckdb.IOException(f"{SECRET}: No space left on device"),
    "the system": lambda: OSError(5, SECRET, SECRET),
    "a text of the system": lambda: OSError(SECRET),
    "two texts of the system": lambda: OSError(SECRET, SECRET),
    "no file": lambda: FileNotFoundError(2, SECRET, SECRET, None, SECRET),
    "a file that was given": lambda: PermissionError(13, SECRET, "true.csv"),
    "no package": lambda: ModuleNotFoundError(SECRET, name=SECRET),
    "no extra": lambda: ModuleNotFoundError(SECRET, name="duckdb"),
    "memory": lambda: MemoryError(SECRET),
    "a note": lambda: noted(RuntimeError(SECRET)),
    "a cause": lambda: caused(ArithmeticError(SECRET)),
    "an interrupt": lambda: noted(KeyboardInterrupt(SECRET)),
    "an end": lambda: SystemExit(SECRET),
}


def noted(error):
    error.add_note(SECRET)
    return error


def caused(error):
    error.__cause__ = ValueError(SECRET)
    return error


def functions_of(words):
    """The functions of the library that a command calls, in the order of their first calls."""
    found = {}

    def seen(frame, event, argument):
        code = frame.f_code
        own = code.co_filename.startswith(PACKAGE) and code.co_name[0] != "<"
        if event == "call" and own and (found or code.co_name == "run"):  # which the arguments are given to
            found.setdefault(code)

    gc.collect()  # a generator that an earlier test left would be closed here, which looks like a call
    gc.disable()
    sys.setprofile(seen)
    try:
        ran = run(*words)
    finally:
        sys.setprofile(None)
        gc.enable()
    assert (ran.status, ran.err) == (0, "")
    return list(found)


def failing(words, code, error):
    """A run of a command in which the first call of a function fails."""
    failed = []

    def called(frame, event, argument):
        if event == "call" and frame.f_code is code:
            sys.settrace(None)
            failed.append(error)
            raise error

    sys.settrace(called)
    try:
        return run(*words), failed
    finally:
        sys.settrace(None)


@pytest.fixture
def files(folder):
    (folder / "true.csv").write_text("person,arrival\n1,08:15\n2,09:30\n", encoding="utf-8")
    released_times("private.csv", np.arange(24).repeat(3), TimeColumn("arrival", 1.0, "3h", 24))
    rows = [f"{hour:02}:00,{hour % 2}" for hour in range(24)]
    write_released("kept.csv", [TimeColumn("arrival", 1.0, "3h", 24)], rows, kept=("shift",))
    released_places("places.csv", np.tile([[40.75, -73.98]], (20, 1)))
    return folder


def start(files):
    """Take away what the last run has written."""
    for output in OUTPUTS:
        (files / output).unlink(missing_ok=True)
    shutil.rmtree(files.parent / "home" / "dirpriv", ignore_errors=True)


@pytest.mark.parametrize(
    ("name", "part"), [("release", 0), ("mean", 0), *swept(*itertools.product(COMMANDS, range(PARTS)))]
)
def test_no_text_of_a_foreign_error_is_shown(name, part, files):
    """The wrong variant is the library's own error, whose text must be shown."""
    words = COMMANDS[name].split()
    assert run(*words).status == 0  # with all that is imported and cached
    start(files)
    codes = functions_of(words)
    assert len(codes) >= 2 * PARTS
    for place, code in list(enumerate(codes))[part::PARTS]:
        kind = list(ERRORS)[place // PARTS % len(ERRORS)]
        start(files)
        ran, failed = failing(words, code, ERRORS[kind]())
        assert failed and SECRET not in ran.out + ran.err, f"{code.co_qualname} with {kind}: {ran}"
    start(files)
    ran, _ = failing(words, codes[1], dirpriv.InvalidArgument(SECRET))
    assert ran.status == 2 and SECRET in ran.err


def test_a_foreign_error_within_a_release_is_not_rebuilt_with_its_text(files, monkeypatch):
    monkeypatch.setattr(_output.Rows, "write", lambda *arguments: float(SECRET))
    ran = run(*COMMANDS["release"].split())
    assert ran.status == 1 and SECRET not in ran.err and "ValueError" in ran.err
