"""Releases of a file that are killed at every step: what is left holds nothing that is unprotected."""

import functools
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_runs import SOURCE
from killed_runs import STEPS
from left_behind import files_below, values_in
from sweeps import swept
from tables_of_releases import new_holder

from dirpriv import release
from dirpriv.release.files import atomic_output as _output
from dirpriv.release.ledger import ledger as _ledger

holder = pytest.fixture(new_holder)
PERSONS = [f"Quill-Zyxander{i}" for i in range(60)]
TIMES = [f"2011-07-09 {i % 24:02d}:{i % 60:02d}:37" for i in range(60)]
SECRETS = [*PERSONS, "Zyxander", "2011-07-09", *(time[11:] for time in TIMES)]
CALL = {"time": "arrival", "level": 1.0, "radius": "3h"}
# what may be left: a file without its name yet, the guarantee without its file, both; and the ledger's files
LEFT = re.compile(
    r"output/(\.private\.\w+(\.guarantee\.json)?\.[0-9a-f]{16}\.dirpriv-partial|private\.\w+(\.guarantee\.json)?)"
    r"|user/dirpriv/(\.lock|ledger\.json|\.ledger\.json\.new)|output|user|user/dirpriv|temporary"
)
CELL = re.compile(rb"\d\d:\d\d:30")


WAYS = {"CSV": ("private.csv", 0), "CSV under a hidden name": ("private.csv", 1), "Parquet": ("private.parquet", 0)}


@functools.cache
def killed(source, folder, every):
    """For each way the steps at which runs were killed, and the one that was not."""
    ways = [str(word) for way in WAYS.values() for word in way]
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("killed_runs.py"), source, folder, "1", str(every), *ways],
        capture_output=True,
        text=True,
        timeout=600,
        env={"PYTHONPATH": str(SOURCE), "OMP_NUM_THREADS": "1", "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = [[int(number) for number in line.split()] for line in done.stdout.splitlines()]
    return {name: [step for of, step, _ in lines if of == way] for way, name in enumerate(WAYS)}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The source, and the folder of the runs."""
    folder = tmp_path_factory.mktemp("killed")
    rows = "".join(f"{p},{t}\n" for p, t in zip(PERSONS, TIMES, strict=True))
    (folder / "true.csv").write_text("person,arrival\n" + rows)
    return folder / "true.csv", folder / "runs"


def assert_nothing_unprotected(home, output):
    """What a run has left holds released rows, a guarantee or the ledger, and only its owner can read it."""
    left = files_below(home)
    names = {path.relative_to(home).as_posix() for path in left}
    assert [name for name in names if not LEFT.fullmatch(name)] == []
    assert values_in(left.items(), SECRETS) == []
    for path, held in left.items():
        assert path.is_dir() or path.stat().st_mode & 0o077 == 0
        if "partial" in path.name and ".csv." in path.name and "json" not in path.name:
            header, *rows = held.split(b"\n")
            assert header in (b"arrival", b"") and all(CELL.fullmatch(row) for row in rows[:-1])
    if (home / "output" / output).exists():  # complete, with its guarantee
        (released,) = release.read_released(home / "output" / output)
        assert released.counts.sum() == len(TIMES)


def assert_the_next_run_goes_on(home, output, source, monkeypatch):
    """It releases, or says that this was released before; then it does so again and removes what was left."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "user"))
    target = home / "output" / output.replace("private", "second")
    ledger = _ledger.folder() / _ledger.NAME
    before = len(json.loads(ledger.read_text())["releases"]) if ledger.exists() else 0
    if before:
        with pytest.raises(ValueError, match="was released before"):
            release.file(source, target, **CALL)
    guarantee = release.file(source, target, rerelease=before > 0, **CALL)
    assert len(guarantee.earlier) == before
    names = {path.name for path in (home / "output").iterdir()}
    assert not any(_output.PARTIAL in name for name in names)
    return before


def assert_all_steps(runs, monkeypatch, way, every):
    source, folder = runs
    folder = folder / f"every {every}"
    steps, output, counted = killed(source, folder, every)[way], WAYS[way][0], []
    for step in steps:
        home = folder / str([*WAYS].index(way)) / str(step)
        assert_nothing_unprotected(home, output)
        counted.append(assert_the_next_run_goes_on(home, output, source, monkeypatch))
    # from one step on it counts as a release, and never before
    assert counted == sorted(counted) and counted[0] == 0 and counted[-1] == 1
    return steps[:-1]


@pytest.mark.parametrize("way", WAYS)
def test_some_steps(holder, runs, monkeypatch, way):
    assert len(assert_all_steps(runs, monkeypatch, way, 16)) > 5


@pytest.mark.sweep
@pytest.mark.parametrize("way", WAYS)
def test_every_step(holder, runs, monkeypatch, way):
    assert len(assert_all_steps(runs, monkeypatch, way, 1)) > 30


def test_the_second_name_of_a_file_that_has_appeared_is_removed(holder):
    """A run that is killed between the two: the file keeps its own name."""
    appeared = holder.output / "private.csv"
    hidden = holder.output / f".private.csv.0123456789abcdef{_output.PARTIAL}"
    hidden.write_text("arrival\n08:15\n")
    hidden.chmod(0o600)
    appeared.hardlink_to(hidden)
    holder.release(holder.column(["09:00"]), "second.csv", **CALL)
    assert holder.outputs() == ["private.csv", "second.csv", "second.csv.guarantee.json"]
    assert appeared.read_text() == "arrival\n08:15\n"


class Interrupts:
    """An interrupt at a step of this process, of those at which the runs above are killed."""

    def __init__(self):
        self.left = 0  # steps to the interrupt; a hook cannot be removed, and this one sleeps at 0
        sys.addaudithook(self.count)

    def count(self, event, arguments):
        if self.left and event in STEPS:
            self.left -= 1
            if self.left == 0:
                raise KeyboardInterrupt


@pytest.mark.parametrize(("output", "named", "every"), [(*WAYS["CSV"], 2), *swept(*((*WAYS[way], 1) for way in WAYS))])
def test_an_interrupt_at_any_step_says_what_the_ledger_and_the_folder_hold(holder, monkeypatch, output, named, every):
    if named:
        monkeypatch.delattr(os, "O_TMPFILE")
    source, interrupts, step, said = holder.column(TIMES), Interrupts(), 1 - every, []
    call = CALL | {"rerelease": True, "progress": lambda share: sys.audit("work")}
    holder.release(source, "first.csv", **call)  # what is read or made once is there
    while True:
        step += every
        before, folder = len(holder.ledger()), holder.output / str(step)
        folder.mkdir()
        interrupts.left = step
        try:
            holder.release(source, folder / output, **call)
        except KeyboardInterrupt as error:
            interrupts.left = 0
            notes = getattr(error, "__notes__", [])
            said.append(" ".join(notes))
            assert len(holder.ledger()) - before == len(notes) == said[-1].count("as a release"), step
            complete = "is complete, and counts as a release" in said[-1]
            visible = sorted(path.name for path in folder.glob("[!.]*"))
            assert visible == [output, f"{output}.guarantee.json"] * complete, step
        else:
            break
    interrupts.left = 0
    phases = ["", "no noise was drawn, but the", "but noise was drawn: this counts", "is complete, and counts"]
    found = {max(i for i, phase in enumerate(phases) if phase in text) for text in said}
    assert found >= {0, 1, 2}  # after the files are there, not every way has a step


ABORT = """
import contextlib, os, resource, sys
from dirpriv.command import main, terminal
hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
def crash(text):
    print(*resource.getrlimit(resource.RLIMIT_CORE), flush=True)
    os.abort()
terminal.progress = lambda: contextlib.nullcontext(crash)
main(sys.argv[1:])
"""


def test_a_crash_of_the_command_writes_no_image_of_the_memory(holder, tmp_path):
    source, work = holder.column(TIMES), tmp_path / "work"
    work.mkdir()
    options = "--time arrival --level 1 --within 3h".split()
    command = [sys.executable, "-c", ABORT, "release", source, holder.output / "private.csv", *options]
    variables = {"PYTHONPATH": str(SOURCE), "XDG_CONFIG_HOME": str(tmp_path / "user")}
    done = subprocess.run(command, cwd=work, env=variables, capture_output=True, text=True)
    assert done.returncode == -signal.SIGABRT and done.stdout.split()[0] == "0"
    assert list(work.iterdir()) == [] == holder.outputs()
