"""Wrong uses of the command and of its functions: one line with the remedy, and nothing is written."""

import contextlib
import json
import os
import re
import sys
from pathlib import Path

import databases
import numpy as np
import pytest
from command_runs import CITY, contents, folder, python, released_places, released_times, run, write_released

import dirpriv
from dirpriv import command
from dirpriv.command import histogram, mean, new_files
from dirpriv.release import TimeColumn, read_guarantee, read_released
from dirpriv.release import file as release_file
from dirpriv.tables import table as tables

TIMES = "--time arrival --level 1 --within 3h"
REGION = "--region-centre 40.75,-73.98 --region-reach 30km --cell-size 10m"
PLACES = f"--latitude lat --longitude lon --level 1 --within 200m {REGION}"
FILES = {
    "arrivals.csv": "person,arrival,district\n1,08:15,north\n2,09:00,south\n3,17:45,north\n",
    "visits.csv": "person,lat,lon\n1,40.75,-73.98\n2,40.71,-74.01\n",
    "bad_time.csv": "arrival\n08:15\n8 o'clock\n",
    "metres.csv": "lat,lon\n4512345.5,583960.1\n",
    "both_kinds.csv": "arrival,lat,lon\n08:15,40.75,-73.98\n",
    "options.csv": "level,radius\n08:15,08:15\nnever,never\n",
    "blank.csv": "id, arrival\n1,08:15\n",
    "seconds.csv": "arrival\n900\n",
    "tabs.csv": "person\tarrival\n1\t08:15\n",
    "semicolon.csv": "person;arrival\n1;08:15\n",
    "exists.csv": "mine\n",
    "notes.doc": "arrival\n08:15\n",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Files of a holder and of an analyst, most of them with a fault."""
    with contextlib.chdir(tmp_path_factory.mktemp("made")):
        make_files()
        return contents(Path.cwd())


@pytest.fixture
def files(folder, made):
    """The current folder, which has these files."""
    for name, content in made.items():
        if content is None:
            (folder / name).mkdir()
        else:
            (folder / name).write_bytes(content)
    return folder


def make_files():
    for name, text in FILES.items():
        Path(name).write_text(text, encoding="utf-8")
    Path("folder.csv").mkdir()
    released_times("private.csv", np.arange(400, 600))
    released_places("places.csv", np.tile([[40.75, -73.98]], (20, 1)))
    released_times("one.csv", [500])
    released_times("other.csv", [500, 600])
    Path("other.csv").write_text("arrival\n08:15\n2024-03-05 08:15\n", encoding="utf-8")
    released_times("edited.csv", [500, 600])
    said = json.loads(Path("edited.csv.guarantee.json").read_text(encoding="utf-8"))
    said["columns"][0]["level"] = 0.5
    Path("edited.csv.guarantee.json").write_text(json.dumps(said), encoding="utf-8")
    write_released("both.csv", [TimeColumn(name, 1.0, "3h") for name in "ab"], ["08:00,09:00"] * 3)
    write_released("named.csv", [TimeColumn("time", 1.0, "3h")], ["08:00"] * 3)
    Path("alone.csv").write_text("arrival\n08:15\n", encoding="utf-8")


WRONG = [
    # ------------------------------------------------------------------ what was typed
    ("", "required: COMMAND"),
    ("relaese arrivals.csv out.csv", "'relaese'|release"),
    ("release", "required: IN, OUT"),
    (f"release arrivals.csv {TIMES}", "required: OUT"),
    (f"release arrivals.csv out.csv {TIMES} --tiem start", "'--tiem'|did you mean --time"),
    (f"release arrivals.csv out.csv extra.csv {TIMES}", "IN must be a file; there is none at|out.csv'"),
    ("release arrivals.csv out.csv --time arrival --within 3h", "required: --level"),
    ("release arrivals.csv out.csv --time arrival --level 1", "required: --within"),
    # ------------------------------------------------------------------ levels and radii
    ("release arrivals.csv out.csv --time arrival --level one --within 3h", "--level|a number|'one'"),
    ("release arrivals.csv out.csv --time arrival --level 1 --within 3", "--within|a duration such as|'3'|3h"),
    ("release arrivals.csv out.csv --time arrival --level 1 --within 200m", "--within|200m"),
    (f"release arrivals.csv out.csv {TIMES} --within 2h", "--within"),
    (f"release arrivals.csv out.csv {TIMES} --level 2", "--level is given 2 times"),
    ("release arrivals.csv out.csv --time arrival --leval 1 --within 3h", "'--leval'; did you mean --level?"),
    (f"release arrivals.csv out.csv {TIMES} --seed 1", "there is no seed option"),
    (
        f"release both_kinds.csv out.csv {PLACES} --time arrival",
        "two radii with their units|give --within 3h --within 200m",
    ),
    # ------------------------------------------------------------------ columns named as options
    ("release options.csv out.csv --time level --level 1 --within 3h", "row 2 of 'level' is not"),
    ("release options.csv out.csv --time radius --level 1 --within 3h", "row 2 of 'radius' is not"),
    ("release options.csv out.csv --time level --level -1 --within 3h", "--level must be"),
    ("release options.csv out.csv --time Level --level 1 --within 3h", "got 'Level': did you mean 'level'?"),
    (f"release arrivals.csv out.csv {TIMES.replace('arrival', 'Arrival')}", "did you mean 'arrival'?"),
    (f"release blank.csv out.csv {TIMES}", "did you mean ' arrival'?"),
    # ------------------------------------------------------------------ times
    (f"release seconds.csv out.csv {TIMES} --unit h", "row 1 of 'arrival'|--unit|--as arrival=hhmm"),
    (f"release arrivals.csv out.csv {TIMES} --cells 1.5", "--cells|whole number|'1.5'"),
    (f"release arrivals.csv out.csv {TIMES} --period 12h", "--period|'12h'|'24h'"),
    (f"release arrivals.csv out.csv {TIMES} --zone Europe/Berlin", "--zone|leave it out"),
    ("release arrivals.csv out.csv --time start --level 1 --within 3h", "'start'"),
    ("release arrivals.csv out.csv --level 1 --within 3h", "--time"),
    (f"release visits.csv out.csv {TIMES}", "'arrival'"),
    # ------------------------------------------------------------------ places
    ("release visits.csv out.csv --latitude lat --level 1 --within 200m", "--longitude"),
    ("release visits.csv out.csv --latitude lat --longitude lon --level 1 --within 200m", "--region-centre"),
    (
        f"release visits.csv out.csv {PLACES.replace('40.75,-73.98', '40.75')}",
        "--region-centre|'40.75'|LATITUDE,LONGITUDE",
    ),
    (
        f"release visits.csv out.csv {PLACES.replace('40.75,-73.98', '40.75,360.5')}",
        "--region-centre|'40.75,360.5'|longitude from -180 to 360",
    ),
    (f"release visits.csv out.csv {PLACES.replace('30km', '0.3')}", "--region-reach|'0.3'|a length such as|200m"),
    (f"release visits.csv out.csv {PLACES} --within 3h", "--within"),
    ("plan compare --level 1 --within 3h --difference 3h", "--difference must be below 3 h|got 3 h"),
    (f"release arrivals.csv out.csv {TIMES} --region-centre 40,-73", "--region-centre"),
    (f"release visits.csv out.csv {PLACES.replace('lat ', 'lon ').replace('lon --le', 'lat --le')}", "exchange"),
    (f"release visits.csv out.csv {PLACES.replace('10m', '0.001m')}", "--cell-size makes cells too small"),
    # ------------------------------------------------------------------ rows and people
    (f"release arrivals.csv out.csv {TIMES} --user arrival", "--user must not be a released column"),
    (f"release arrivals.csv out.csv {TIMES} --user person --max-rows-per-person 0", "--max-rows-per-person"),
    (f"release arrivals.csv out.csv {TIMES} --max-rows-per-person 3", "--max-rows-per-person|--user"),
    (f"release arrivals.csv out.csv {TIMES} --delta 1e-6", "--delta|--user"),
    (f"release arrivals.csv out.csv {TIMES} --user person --keep person", "'person'"),
    (f"release arrivals.csv out.csv {TIMES} --missing drop", "--missing|'drop'|'stop', 'keep'"),
    # ------------------------------------------------------------------ files
    (f"release nowhere.csv out.csv {TIMES}", "nowhere.csv"),
    (f"release folder.csv out.csv {TIMES}", "folder.csv"),
    (f"release arrivals.csv exists.csv {TIMES}", "exists.csv"),
    (f"release arrivals.csv arrivals.csv {TIMES}", "arrivals.csv"),
    (f"release arrivals.csv out.txt {TIMES}", "out.txt|.parquet"),
    (f"release notes.doc out.csv {TIMES}", "notes.doc|.parquet"),
    (f"release arrivals.csv no/where/out.csv {TIMES}", "no/where"),
    (f"release semicolon.csv out.csv {TIMES}", "'arrival'|it has ';'|--separator ';'"),
    (f"release tabs.csv out.csv {TIMES}", "it has tabs|--separator tab"),
    (f"release arrivals.csv out.csv {TIMES} --separator comma", "--separator|the word tab|'comma'"),
    (f"release arrivals.csv /proc/out.csv {TIMES}", "the folder of OUT, '/proc', cannot be written"),
    # ------------------------------------------------------------------ values: by row and rule
    (f"release bad_time.csv out.csv {TIMES}", "row 2|'arrival'|HH:MM"),
    (f"release metres.csv out.csv {PLACES}", "row 1|'lat'|degrees"),
    # ------------------------------------------------------------------ the analyst
    ("histogram nowhere.csv", "there is no file 'nowhere.csv'"),
    ("histogram alone.csv", "alone.csv.guarantee.json"),
    ("histogram private.csv --guarantee nowhere.json", "nowhere.json"),
    ("histogram private.csv --guarantee private.csv.guarantee.json.gz", "private.csv.guarantee.json.gz"),
    ("histogram edited.csv", "changed"),
    ("histogram other.csv", "'arrival'|no cell"),
    ("histogram arrivals.csv --guarantee private.csv.guarantee.json", "the guarantee belongs to another file"),
    ("histogram arrivals.csv --guarantee both.csv.guarantee.json --column a", "to another file|'a', 'b'"),
    ("histogram one.csv", "1 report|at least two"),
    ("histogram places.csv", "no times|dirpriv map"),
    ("histogram both.csv", "--column|'a', 'b'"),
    ("histogram both.csv --column c", "--column|'a', 'b'|'c'"),
    ("histogram named.csv --column level", "--column must be one of 'time'; got 'level'"),
    ("histogram private.csv --bins 0", "--bins|at least 1|0"),
    ("histogram private.csv --bins 5000", "--bins|1440|5000"),
    ("histogram private.csv --bins 2", "--bins|at least 3|--edges hard"),
    ("histogram private.csv --blur 9h", "--blur|1/3 of a turn|'9h'"),
    ("histogram private.csv --blur 15deg", "--blur must be a duration"),
    ("histogram private.csv --blurs 0", "--blurs|at least 1"),
    ("histogram private.csv --blur 2h --edges hard", "--blur|soft edges"),
    ("histogram private.csv --blurs 2 --intervals smooth", "--blurs|soft edges"),
    ("histogram private.csv --plot picture.gif", "--plot|.png|'picture.gif'"),
    ("histogram private.csv --plot no/where.png", "--plot|'no'"),
    ("histogram private.csv --csv exists.csv", "--csv|overwrites|exists.csv"),
    ("histogram private.csv --csv table.txt", "--csv|'table.txt'"),
    ("mean places.csv", "no times"),
    ("mean private.csv --plot mean.png", "'--plot'"),
    ("map private.csv", "no places|dirpriv histogram"),
    ("map places.csv --cells 1", "--cells|at least 2"),
    ("map places.csv --reach 0", "--reach|'0'"),
    ("map places.csv --reach 31km", "--reach must be at most that of the release, 30km; got '31km'"),
    ("explain --level 1 --within 3h --at 25:00", "--at|'25:00'|08:15"),
    ("explain --level 1 --within 3h --period 12h", "--period|'12h'"),
    (["explain", "--level=1", "--within=3h", "--at", "Tue 08:15"], "--period 7d"),
    ("explain --level 1 --within 200m --at 08:15", "--at|200m"),
    ("explain --level 1 --within 200ft", "--within|'3h'|'200m'|got '200ft'"),
    ("explain --level 1 --within 3", "--within|a duration|an angle|a length|got '3'"),
    ("explain --level 1 --within 3h --cell-size 10m", "--cell-size|3h"),
    ("explain --level 1 --within 200m --region-reach 40000km", "--region-reach"),
    ("explain --level 1 --within 3h --plot exists.csv", "--plot"),
]


def split(words):
    return words.split() if isinstance(words, str) else words


@pytest.mark.parametrize(("words", "says"), WRONG, ids=[str(words) for words, _ in WRONG])
def test_a_wrong_use_is_one_line_and_writes_nothing(words, says, files):
    before = contents(files)
    ran = run(*split(words))
    assert (ran.status, ran.out) == (2, "")
    name = split(words)[0] if split(words) and split(words)[0] in command.COMMANDS else ""
    assert re.fullmatch(rf"dirpriv{' ' * bool(name)}{name}: error: .+\n", ran.err), ran.err
    for text in says.split("|"):
        assert text in ran.err
    # none of what is wrong is shown of the data
    assert not re.search("o'clock|4512345|583960", ran.err)
    assert contents(files) == before
    assert released_so_far() == []


def released_so_far():
    """What the holder's ledger has."""
    ledger = Path(os.environ["HOME"], "dirpriv", "ledger.json")
    return json.loads(ledger.read_text(encoding="utf-8"))["releases"] if ledger.exists() else []


def test_an_existing_picture_stays(files):
    Path("mine.png").write_bytes(b"mine")
    for words in (["histogram", "private.csv"], ["map", "places.csv"], ["explain", "--level=1", "--within=3h"]):
        before = contents(files)
        ran = run(*words, "--plot", "mine.png")
        assert (ran.status, ran.out) == (2, "") and "'mine.png' exists, and dirpriv never" in ran.err
        assert contents(files) == before


def test_a_link_to_nowhere_is_a_file_too(files):
    Path("mine.png").symlink_to("elsewhere.png")
    assert "overwrite" in run("histogram", "private.csv", "--plot", "mine.png").err
    assert not Path("elsewhere.png").exists()
    with pytest.raises(FileExistsError):  # it was made between the check and the end
        new_files.write_new(Path("private.csv"), b"picture")


def test_a_second_release_needs_to_be_asked_for(files):
    words = f"release arrivals.csv out.csv {TIMES}"
    assert run(*split(words)).status == 0 and len(released_so_far()) == 1
    before = contents(files)
    ran = run(*split(words.replace("out.csv", "again.csv")))
    assert (ran.status, ran.out) == (2, "") and "before" in ran.err and "--rerelease" in ran.err
    assert contents(files) == before and len(released_so_far()) == 1
    ran = run(*split(words.replace("out.csv", "again.csv")), "--rerelease")
    assert ran.status == 0 and "together: level 2" in ran.out
    assert len(released_so_far()) == 2 and read_guarantee("again.csv").composed is not None


# ---------------------------------------------------------------------- functions


def time_column(**changed):
    return {"time": "arrival", "level": 1.0, "radius": "3h"} | changed


def place_columns(**changed):
    return {"latitude": "lat", "longitude": "lon", "level": 1.0, "radius": "200m", **CITY} | changed


@pytest.mark.parametrize("call", [read_guarantee, read_released])
def test_files_that_are_not_there_are_named(call, files):
    with pytest.raises(FileNotFoundError, match=r"nowhere\.csv"):
        call("nowhere.csv")


# ---------------------------------------------------------------------- failures


def failing(error):
    def run(*args, **kwargs):
        raise error

    return run


def test_an_unexpected_failure_shows_nothing_of_the_data(files, monkeypatch):
    """An error of another package may hold values; the wrong variant, its text, would show them."""

    def of_numpy(*args, **kwargs):
        return float("MARKER 08:15")

    monkeypatch.setattr(histogram, "run", of_numpy)
    ran = run("histogram", "private.csv")
    assert ran.status == 1 and ran.out == "" and len(ran.err.splitlines()) == 1
    assert "ValueError" in ran.err and "report" in ran.err and "--debug" in ran.err and "MARKER" not in ran.err
    with pytest.raises(ValueError, match="MARKER"):
        run("histogram", "private.csv", "--debug")
    error = KeyError("MARKER")
    error.add_note("MARKER")
    monkeypatch.setattr(histogram, "run", failing(error))
    ran = run("histogram", "private.csv")
    assert ran.status == 1 and "KeyError" in ran.err and "MARKER" not in ran.err


def test_a_failure_of_the_system_is_one_line(files, monkeypatch):
    monkeypatch.setattr(mean, "run", failing(OSError(28, "No space left on device", "private.csv")))
    ran = run("mean", "private.csv")
    assert (ran.status, ran.err) == (1, "dirpriv mean: error: 'private.csv': No space left on device\n")
    monkeypatch.setattr(mean, "run", failing(MemoryError()))
    assert run("mean", "private.csv").status == 1


@pytest.mark.parametrize(
    ("package", "words", "extra"),
    [
        ("duckdb", f"release arrivals.csv out.csv {TIMES}", "tables"),
        ("matplotlib", "explain --level 1 --within 3h --plot new.png", "pictures"),
    ],
)
def test_a_missing_package_is_named_with_its_extra(package, words, extra, files):
    before = contents(files)
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        f"from dirpriv.command import main; sys.exit(main({split(words)!r}))"
    )
    done = python("-c", code)
    assert done.returncode == 1 and len(done.stderr.splitlines()) == 1
    assert f'pip install "dirpriv[{extra}]"' in done.stderr
    assert contents(files) == before and released_so_far() == []


def test_an_estimate_names_a_missing_package_with_its_extra(files, monkeypatch):
    monkeypatch.setattr(tables, "connect", databases.open_database)
    monkeypatch.setitem(sys.modules, "duckdb", None)
    ran = run("mean", "private.csv")
    assert (ran.status, ran.out) == (1, "") and len(ran.err.splitlines()) == 1
    assert 'pip install "dirpriv[tables]"' in ran.err


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("Query interrupted")])
def test_an_interrupted_estimate_says_so(error, files, monkeypatch):
    """DuckDB makes a RuntimeError of Ctrl-C."""
    monkeypatch.setattr(mean, "run", failing(error))
    ran = run("mean", "private.csv")
    assert (ran.status, ran.err) == (130, "dirpriv mean: error: interrupted\n")


@pytest.mark.parametrize("kind", [KeyboardInterrupt, MemoryError, RuntimeError, ValueError])
@pytest.mark.parametrize("when", ["before", "recorded", "drawn", "after"])
def test_what_ends_a_release_says_whether_it_counts(kind, when, files, monkeypatch):
    """Errors of others may hold values, a ValueError as well."""
    from dirpriv.release.files import atomic_output as _output
    from dirpriv.release.files import release_steps as _job
    from dirpriv.release.guarantee.file import FileGuarantee

    def ending(*args, **kwargs):
        raise kind("MARKER")

    where, says = {
        "before": ((_job.FileJob, "check"), "'out.csv' was not written, and this does not count as a release"),
        "recorded": ((_output.Rows, "write"), "no noise was drawn, but the ledger contains this run: it counts as a"),
        "drawn": ((_output.HiddenFile, "publish"), "no file was written, but noise was drawn: this counts"),
        "after": ((FileGuarantee, "summary"), "'out.csv' is complete, and counts as a release"),
    }[when]
    monkeypatch.setattr(*where, ending)
    ran = run(*split(f"release arrivals.csv out.csv {TIMES}"))
    assert ran.status == (130 if kind is KeyboardInterrupt else 1)
    assert len(ran.err.splitlines()) == 1 and "MARKER" not in ran.err
    assert kind is KeyboardInterrupt or kind.__name__ in ran.err
    assert Path("out.csv").exists() == (when == "after")
    assert len(released_so_far()) == (when != "before")
    assert says in ran.err and ran.err.count("as a release") == 1


def test_a_release_that_another_run_makes_meanwhile_is_not_taken_for_this_one(files, monkeypatch):
    from dirpriv.release.files import release_steps as _job

    check, calls, others = _job.FileJob.check, [], []

    def failing_at_first(job, *args):
        calls.append(1)
        if len(calls) > 1:
            return check(job, *args)
        others.append(run(*split(f"release arrivals.csv theirs.csv {TIMES}")))
        raise KeyboardInterrupt

    monkeypatch.setattr(_job.FileJob, "check", failing_at_first)
    ran = run(*split(f"release visits.csv out.csv {PLACES}"))
    assert [other.err for other in others] == [""]
    assert len(released_so_far()) == 1 and not Path("out.csv").exists()
    said = "interrupted. 'out.csv' was not written, and this does not count as a release"
    assert ran == (130, "", f"dirpriv release: error: {said}\n")


def test_the_file_of_another_run_is_not_claimed(files, monkeypatch):
    """Of runs to one output, all but one fail when their file would appear."""
    from dirpriv.release.files import atomic_output as _output

    write, calls = _output.Rows.write, []

    def late(rows, *args):
        calls.append(1)
        if len(calls) == 1:
            assert run(*split(f"release arrivals.csv out.csv {TIMES} --rerelease")).status == 0
        write(rows, *args)

    monkeypatch.setattr(_output.Rows, "write", late)
    ran = run(*split(f"release arrivals.csv out.csv {TIMES} --rerelease"))
    assert "File exists" in ran.err and "'out.csv'" in ran.err and "/proc" not in ran.err
    assert "no file was written, but noise was drawn: this counts as a release" in ran.err
    assert "complete" not in ran.err and len(released_so_far()) == 2


@pytest.mark.parametrize("output", ["out.csv", "out.parquet"])
def test_a_disk_without_room_is_named_in_the_words_of_the_system(output, files):
    """A limit of the size of files stands for a full disk; the ledger is smaller than it."""
    rows = np.random.default_rng(1).integers(0, 1440, 80_000)
    Path("many.csv").write_text("arrival\n" + "".join(f"{m // 60:02}:{m % 60:02}\n" for m in rows))
    code = (
        "import resource, signal, sys; from dirpriv.command import main\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)); sys.exit(main(sys.argv[1:]))"
    )
    done = python("-c", code, *split(f"release many.csv {output} {TIMES}"))
    said = f"error: {output!r}: File too large. no file was written, but noise was drawn: this counts as a"
    assert (done.returncode, done.stdout) == (1, "") and said in done.stderr, done.stderr
    assert len(released_so_far()) == 1 and not Path(output).exists()


def test_a_release_whose_words_cannot_be_printed_says_that_it_was_made(files):
    """A full disk is a failure of the words."""
    code = (
        "import os, sys; from dirpriv.command import main\n"
        "class Full:\n"
        "    def write(self, text): return len(text)\n"
        "    def flush(self): raise OSError(28, 'No space left on device')\n"
        "sys.stdout = Full()\n"
        "status = main(sys.argv[1:]); sys.stdout = None; sys.exit(status)"
    )
    done = python("-c", code, *split(f"release arrivals.csv out.csv {TIMES}"))
    assert (done.returncode, done.stdout) == (1, "")
    said = "dirpriv release: error: No space left on device. 'out.csv' is complete, and counts as a release\n"
    assert done.stderr == said
    assert Path("out.csv").exists() and len(released_so_far()) == 1


def test_a_release_without_a_stream_for_its_words_is_made(files, capsys):
    """Nobody wants the words."""
    with pytest.MonkeyPatch.context() as patched:  # ends before that of capsys
        patched.setattr("sys.stdout", None)
        assert command.main(split(f"release arrivals.csv out.csv {TIMES}")) == 0
    assert capsys.readouterr().err == ""
    assert Path("out.csv").exists() and len(released_so_far()) == 1


def test_a_release_without_an_error_stream_is_made(files, monkeypatch):
    monkeypatch.setattr("sys.stderr", None)
    assert command.main(split(f"release arrivals.csv out.csv {TIMES}")) == 0
    assert read_guarantee("out.csv").level == 1.0


def test_a_file_of_others_that_appears_is_not_said_to_be_complete(files, monkeypatch):
    from dirpriv.release.files import atomic_output as _output

    write = _output.Rows.write

    def appear(*args, **kwargs):
        write(*args, **kwargs)
        Path("out.csv").write_text("mine", encoding="utf-8")

    monkeypatch.setattr(_output.Rows, "write", appear)
    ran = run(*split(f"release arrivals.csv out.csv {TIMES}"))
    assert "no file was written" in ran.err and "complete" not in ran.err
    assert Path("out.csv").read_text(encoding="utf-8") == "mine"


def test_a_reader_that_stops_is_no_failure(files):
    code = (
        "import os, sys; from dirpriv.command import main\n"
        "read, write = os.pipe(); os.close(read); os.dup2(write, 1)\n"
        "status = main(['explain', '--level', '1', '--within', '3h']); sys.exit(status)"
    )
    done = python("-c", code)
    assert done.stderr == ""


def test_there_is_one_error_line_whatever_is_in_a_name(files):
    ran = run("mean", "two\nlines.csv")
    assert ran.status == 2 and len(ran.err.splitlines()) == 1


def test_the_version_is_that_of_the_library():
    assert run("--version") == (0, f"dirpriv {dirpriv.__version__}\n", "")
