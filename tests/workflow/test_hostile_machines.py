"""Whole runs on machines that are set up in odd ways: each makes the same bytes, or says what is wrong.

Folders that are full or read-only are made in a mount namespace of their own (``unshare``), and false clocks
by ``faketime``; where the machine has neither, these tests are skipped by name.
"""

import os
import shutil
import subprocess
import sys

import pytest
from checkouts import differences, environment

pytestmark = pytest.mark.sweep

PRIVATE_MOUNTS = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-euc"]


def ran(run, variables=(), before=(), umask=-1, timeout=900):
    """How a whole run ended, and what it wrote, in an altered environment; None takes a variable away."""
    changed = environment() | dict(variables)
    return subprocess.run(
        [*before, *run.command("--cores", "2")],
        cwd=run.source,
        env={name: value for name, value in changed.items() if value is not None},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=timeout,
        umask=umask,
    )


def fresh(project, smoke_run, folder):
    """A copy of the project in which nothing has run, with the grid of the smoke run."""
    run = project.copy(folder)
    run.configs = smoke_run.configs
    return run


def of_user(folder):
    """Modules of a user's with the names of ours, a user's look of figures, and a user's cache of nothing."""
    folder.mkdir()
    for name in ("study", "dirpriv", "snakefile"):
        (folder / f"{name}.py").write_text("raise SystemExit('a module of the user was imported')\n")
    (folder / "matplotlibrc").write_text("figure.dpi: 30\nfont.size: 40\nlines.linewidth: 9\n")
    return folder


@pytest.mark.parametrize(
    "variables",
    [
        {"HOME": None},
        {"HOME": "/nonexistent", "TMPDIR": "/nonexistent", "XDG_CACHE_HOME": "/nonexistent"},
        {"LANG": "C", "LC_ALL": "C", "PYTHONHASHSEED": "1"},
        {"TZ": "Asia/Kathmandu", "LC_ALL": "tr_TR.UTF-8", "PYTHONHASHSEED": "2", "MPLBACKEND": "TkAgg"},
    ],
    ids=["no home", "no folder for files", "C", "Kathmandu"],
)
def test_settings_of_the_shell_change_no_byte(project, smoke_run, variables, tmp_path):
    run = fresh(project, smoke_run, tmp_path)
    done = ran(run, variables)
    assert done.returncode == 0, done.stdout
    assert differences(run.results(), smoke_run.results()) == []


def test_modules_and_looks_of_the_user_change_no_byte(project, smoke_run, tmp_path):
    """In a clone whose path has spaces and letters of other scripts."""
    run = fresh(project, smoke_run, tmp_path / "a clone of Zoë's, für 方向")
    user = of_user(tmp_path / "user")
    done = ran(run, {"PYTHONPATH": str(user), "MPLCONFIGDIR": str(user)}, umask=0o077)
    assert done.returncode == 0, done.stdout
    assert differences(run.results(), smoke_run.results()) == []
    open_to_others = [path for path in run.directory.rglob("*") if path.stat().st_mode & 0o077]
    assert [path for path in open_to_others if not path.is_symlink()] == []


@pytest.mark.skipif(shutil.which("faketime") is None, reason="faketime is not installed")
@pytest.mark.parametrize("year", [1970, 2040])
def test_a_false_clock_changes_no_byte(project, smoke_run, year, tmp_path):
    run = fresh(project, smoke_run, tmp_path)
    done = ran(run, {"NO_FAKE_STAT": "1"}, before=["faketime", f"{year}-02-03 04:05:06"])
    assert done.returncode == 0, done.stdout
    assert differences(run.results(), smoke_run.results()) == []


def mounts_allowed():
    """Whether a process here may mount in a namespace of its own."""
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*PRIVATE_MOUNTS, "mount -t tmpfs tmpfs /mnt"], capture_output=True).returncode == 0


@pytest.mark.skipif(not mounts_allowed(), reason="this machine lets nobody mount in a namespace of his own")
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
        done = ran(run, before=[*PRIVATE_MOUNTS, script, run.directory])
        said = run.directory.with_name(run.directory.name + ".txt").read_text(encoding="utf-8")
        assert "No space left on device" in said, said
        assert done.returncode == 0, done.stdout
        shutil.rmtree(run.directory)
        shutil.move(f"{run.directory}.kept", run.directory)
        assert differences(run.results(), smoke_run.results()) == []

    @pytest.mark.parametrize("name", ["results", "figures", "."])
    def test_a_read_only_folder_is_named(self, project, smoke_run, name, tmp_path):
        run = fresh(project, smoke_run, tmp_path)
        (run.directory / name).mkdir(parents=True)
        script = 'mount --bind "$0" "$0"; mount -o remount,bind,ro "$0"; exec "$@"'
        done = ran(run, before=[*PRIVATE_MOUNTS, script, str((run.directory / name).resolve())])
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


def test_the_wrong_study_is_seen(tmp_path):
    """The user's modules of these tests do break an import that finds them."""
    user = of_user(tmp_path / "user")
    command, path = [sys.executable, "-c", "import study"], {"PYTHONPATH": str(user)}
    done = subprocess.run(command, env=os.environ | path, capture_output=True, text=True)
    assert done.returncode != 0 and "a module of the user was imported" in done.stderr
