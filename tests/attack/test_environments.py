"""Hostile environments: the same bytes in all of them, files that others may not read, faults of the disk."""

import errno
import logging
import multiprocessing
import os
import stat
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import databases
import numpy as np
import pytest
from environments import ENVIRONMENTS, GIT, SHADOW, STYLE
from leaks import leaked
from test_rows import TSMC2014, USED, row

from dirpriv.distributions import Purkayastha
from dirpriv.distributions.sampling import directions as drawing
from dirpriv.mechanisms import PurkayasthaMechanism
from study.checkins.prepare import prepare
from study.provenance.collect import git_state
from study.workflow.job import InputError, JobProgress, job, moved_into_place

ROOT = Path(__file__).resolve().parents[2]
ROWS = b"\n".join([*[row()] * 20, *(text for text, reason in TSMC2014.values() if reason != USED)][:30]) + b"\n"

# ---------------------------------------------------------------------- who may read what is written


@pytest.mark.parametrize(("umask", "mode"), [(0o077, 0o600), (0o027, 0o640), (0o022, 0o644), (0o002, 0o664)])
def test_the_umask_says_who_may_read_what_is_written(umask, mode, tmp_path):
    (tmp_path / "checkins.txt").write_bytes(ROWS)
    outputs = [tmp_path / "out" / name for name in ("p.parquet", "r.csv", "s.csv")]
    kept, modes = tmp_path / "out/kept.csv", set()
    before = os.umask(umask)
    try:
        prepare({"checkins": tmp_path / "checkins.txt"}, "tsmc2014", *outputs, 0.9, kept)
        with pytest.raises(InputError):
            prepare({"checkins": tmp_path / "checkins.txt"}, "tsmc2014", *outputs, 0.01, kept)
        with moved_into_place(tmp_path / "out/x") as temporary:
            modes.add(stat.S_IMODE(temporary.stat().st_mode))  # also while it is written
    finally:
        os.umask(before)
    assert kept.exists() and len(list((tmp_path / "out").iterdir())) == 5
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "out").iterdir()} | modes == {mode}


# ---------------------------------------------------------------------- faults of the disk, and other errors

FAULTS = {
    "a full disk": (OSError(errno.ENOSPC, "No space", "x.parquet"), "x.parquet: the disk is full; make room"),
    "a quota": (OSError(errno.EDQUOT, "Quota", "x"), "x: the quota on the disk is used up"),
    "a disk to read only": (OSError(errno.EROFS, "Read-only", "x"), "x: the disk is read-only"),
    "a folder of another": (PermissionError(errno.EACCES, "Denied", "x"), "x: this may not be written to"),
    "a fault without a name": (OSError(errno.ENOSPC, "No space"), "a file: the disk is full"),
    "a name with an escape": (OSError(errno.ENOSPC, "No space", "\x1b[31mx"), "\\x1b[31mx: the disk is full"),
    "bad input": (InputError("checkins\x1b]0;\x07.txt is empty"), "checkins\\x1b]0;\\x07.txt is empty"),
    "bad input of Unicode": (InputError("寿司.txt \u202e is empty"), "寿司.txt \\u202e is empty"),
    "bad input that is no UTF-8": (InputError("a\udcff.txt is empty"), "a\\udcff.txt is empty"),
}


@pytest.mark.parametrize(("error", "says"), FAULTS.values(), ids=FAULTS)
def test_a_fault_ends_a_job_with_one_line(error, says, tmp_path):
    snakemake = SimpleNamespace(rule="prepare", log=[tmp_path / "logs/x.log"], params={})
    with pytest.raises(SystemExit) as raised, job(snakemake):
        raise error
    logging.shutdown()
    text = (tmp_path / "logs/x.log").read_text(encoding="utf-8")
    assert str(raised.value.code).startswith(f"Error in prepare: {says}")
    assert says in text and "Traceback" not in text and "\x1b" not in text


def test_the_name_of_a_file_in_a_progress_cannot_act_on_a_terminal(capsys):
    progress = JobProgress("prepare, \x1b[31mx", 10, every=0.0, stream=sys.stdout)
    progress.update(5)
    assert capsys.readouterr().out.startswith("prepare, \\x1b[31mx: 50 % done")


# ---------------------------------------------------------------------- variables of git


@pytest.fixture(scope="module")
def repositories(tmp_path_factory):
    """Two repositories of one commit each, and the names of their commits."""
    commits = []
    for name in ("mine", "other"):
        folder = tmp_path_factory.mktemp(name)
        (folder / "file.txt").write_text(name)
        as_user = ["-c", "user.name=test", "-c", "user.email=test@example.invalid"]
        own = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        for command in (["init", "-q"], ["add", "."], [*as_user, "commit", "-qm", "A commit"]):
            subprocess.run(["git", *command], cwd=folder, env=own, check=True)
        head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=folder, env=own, capture_output=True, text=True)
        commits.append((folder, head.stdout.strip()))
    return commits


@pytest.mark.parametrize("names", [*([name] for name in GIT), list(GIT)], ids=[*GIT, "all of them"])
def test_the_commit_is_that_of_the_project_whatever_git_is_told(names, repositories, monkeypatch):
    (mine, commit), (other, another) = repositories
    for name in names:
        monkeypatch.setenv(name, GIT[name].format(other))
    assert commit != another
    assert git_state(mine) == {"commit": commit, "uncommitted_changes": False}


# ---------------------------------------------------------------------- the same bytes

OTHERS = ("matplotlibrc", "study.py", "config/matplotlib/matplotlibrc")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with what a user may have lying about: styles of figures, and a module called as ours."""
    folder = tmp_path_factory.mktemp("Straße with spaces")
    for name in OTHERS:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(SHADOW if name == "study.py" else STYLE)
    (folder / "checkins.txt").write_bytes(ROWS)
    return folder


def sums_of_work(folder, out, **variables):
    """What ``work_of_study.py`` prints in an environment, working in this folder."""
    own = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PYTEST", "MPL", "LC_"))}
    own["PYTHONPATH"] = str(ROOT / "src")
    own |= {name: value.format(folder, folder=folder) for name, value in variables.items()}
    command = [sys.executable, ROOT / "tests/attack/work_of_study.py", out, folder / "checkins.txt"]
    done = subprocess.run(command, cwd=folder, env=own, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()
    assert leaked(done.stdout, done.stderr) == [] and b"Traceback" not in done.stderr
    return done.stdout.decode().splitlines()


@pytest.fixture(scope="module")
def usual(folder, tmp_path_factory):
    sums = sums_of_work(folder, tmp_path_factory.mktemp("usual"))
    assert len(sums) == 11
    return sums


@pytest.mark.sweep
@pytest.mark.parametrize("variables", ENVIRONMENTS.values(), ids=ENVIRONMENTS)
def test_the_same_bytes_in_every_environment(variables, folder, usual, tmp_path):
    assert sums_of_work(folder, tmp_path, **variables) == usual


# ---------------------------------------------------------------------- folders that cannot be written, forks


def test_without_a_folder_for_numba_the_draws_are_the_same_and_a_warning_says_so(monkeypatch):
    def refuse(*_):
        raise RuntimeError("cannot cache function '_products': no locator available for file '_compiled.py'")

    x, distribution = np.eye(5)[0], Purkayastha(5, 2.0)
    monkeypatch.setattr(drawing, "COMPILED_SIZE", np.inf)
    expected = distribution.rvs(x, 10_000, rng=1)
    monkeypatch.setattr(drawing, "COMPILED_SIZE", 0)
    monkeypatch.setitem(sys.modules, "dirpriv.distributions.sampling.compiled", SimpleNamespace(_products=refuse))
    monkeypatch.setattr("dirpriv.distributions.sampling.compiled", SimpleNamespace(_products=refuse), raising=False)
    drawing._compiled.cache_clear()
    try:
        with pytest.warns(RuntimeWarning, match="Set the environment variable NUMBA_CACHE_DIR"):
            assert np.array_equal(distribution.rvs(x, 10_000, rng=1), expected)
    finally:
        drawing._compiled.cache_clear()


def draw(rng):
    return PurkayasthaMechanism(1.0).randomise_angles(np.zeros(4), rng=rng).tolist()


def test_forks_share_no_noise_but_that_of_a_generator_they_share():
    """The second is what `randomise` warns of; it is tested so that the warning stays true."""
    databases.close()
    with multiprocessing.get_context("fork").Pool(2, maxtasksperchild=1) as pool:
        first, second = pool.map(draw, [None, None], chunksize=1)
        assert first != second
        shared = np.random.default_rng(1)
        first, second = pool.map(draw, [shared, shared], chunksize=1)
        assert first == second
