"""Whole runs with false clocks, in bad folders, and two at once: the same bytes, or a word of what is wrong.

Folders that are full or read-only are made in a mount namespace of their own (``unshare``), and false clocks
by ``faketime``; where the machine has neither, these tests are skipped by name.
"""

import os
import shutil
import subprocess

import pytest
from checkouts import differences, environment

pytestmark = pytest.mark.sweep

# Files have the times that the disk gives them, and a wait for two seconds lasts two seconds: with a false
# monotonic clock, ``faketime`` stops every program that waits for a condition with a time limit.
CLOCKS_THAT_STAY_TRUE = {"NO_FAKE_STAT": "1", "DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}

PRIVATE_MOUNTS = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-euc"]


def ran(run, *before):
    """How a whole run ended that another program starts, and what it wrote."""
    return subprocess.run(
        [*before, *run.command("--cores", "2")],
        cwd=run.source,
        env=environment() | CLOCKS_THAT_STAY_TRUE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=900,
    )


def fresh(project, smoke_run, folder):
    """A copy of the project in which nothing has run, with the grid of the smoke run."""
    run = project.copy(folder)
    run.configs = smoke_run.configs
    return run


@pytest.mark.skipif(shutil.which("faketime") is None, reason="needs the program faketime (apt-get install faketime)")
@pytest.mark.parametrize("year", [1970, 2040])
def test_a_false_clock_changes_no_byte(project, smoke_run, year, tmp_path):
    run = fresh(project, smoke_run, tmp_path)
    done = ran(run, "faketime", f"{year}-02-03 04:05:06")
    assert done.returncode == 0, done.stdout
    assert differences(run.results(), smoke_run.results()) == []


def mounts_allowed():
    """Whether a process here may mount in a namespace of its own."""
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*PRIVATE_MOUNTS, "mount -t tmpfs tmpfs /mnt"], capture_output=True).returncode == 0


@pytest.mark.skipif(
    not mounts_allowed(), reason="needs a mount namespace of its own, which this machine does not allow"
)
class TestFolders:
    def test_a_full_disk_is_named_and_room_lets_the_run_finish(self, project, smoke_run, tmp_path):
        run = fresh(project, smoke_run, tmp_path)
        run.directory.mkdir()
        script = """
            mount -t tmpfs -o size=3m tmpfs "$0"
            if "$@" >"$0.txt" 2>&1; then echo "3 MB were enough" >&2; exit 1; fi
            mount -o remount,size=900m "$0"
            "$@" --rerun-incomplete
            cp -r "$0" "$0.kept"
        """
        done = ran(run, *PRIVATE_MOUNTS, script, str(run.directory))
        said = run.directory.with_name(run.directory.name + ".txt").read_text(encoding="utf-8")
        assert "the disk is full; make room" in said, said
        assert done.returncode == 0, done.stdout
        shutil.rmtree(run.directory)
        shutil.move(f"{run.directory}.kept", run.directory)
        assert differences(run.results(), smoke_run.results()) == []

    @pytest.mark.parametrize("name", ["results", "figures", "."])
    def test_a_read_only_folder_is_named(self, project, smoke_run, name, tmp_path):
        run = fresh(project, smoke_run, tmp_path)
        (run.directory / name).mkdir(parents=True)
        script = 'mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"; exec "$@"'
        done = ran(run, *PRIVATE_MOUNTS, script, str((run.directory / name).resolve()))
        assert done.returncode != 0
        assert "Read-only file system" in done.stdout, done.stdout


def test_two_runs_in_one_folder_do_not_meet(project, smoke_run, tmp_path):
    """The second one is refused, as the folder is locked; the first goes on to the same bytes."""
    run = fresh(project, smoke_run, tmp_path)
    with open(tmp_path / "output.txt", "w", encoding="utf-8") as terminal:
        first = run.start(terminal, "--cores", "2")
        try:
            while not run.results():
                assert first.poll() is None
            assert "lock" in run.snakemake("--cores", "2", succeeds=False)
            assert first.wait(timeout=900) == 0
        finally:
            first.kill()
    assert differences(run.results(), smoke_run.results()) == []


def test_two_clones_run_at_once(project, smoke_run, tmp_path):
    runs = [fresh(project, smoke_run, tmp_path / name) for name in ("first", "second")]
    with open(os.devnull, "w") as terminal:
        started = [run.start(terminal, "--cores", "2") for run in runs]
        assert [process.wait(timeout=1800) for process in started] == [0, 0]
    for run in runs:
        assert differences(run.results(), smoke_run.results()) == []
