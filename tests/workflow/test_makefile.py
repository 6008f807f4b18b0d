"""What make installs for which target, told by `make --dry-run`; nothing is installed here."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STUDY, DEV, PROJECT = "--requirement requirements.txt", "--requirement requirements-dev.txt", "--editable ."
DOCS, CLUSTER = "--requirement requirements-docs.txt", "--requirement requirements-cluster.txt"


def make(folder, *arguments):
    """What make would run: nothing but what its dry run prints."""
    # within another make it would also print the folder that it enters
    command = ["make", "--dry-run", "--no-print-directory", "UV=", "PYTHON=python3", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    return done.stdout


def installed(folder, *arguments):
    """Which of the five things make would install, in its order."""
    wanted = "|".join(map(re.escape, (STUDY, DEV, DOCS, CLUSTER, PROJECT)))
    return re.findall(rf"(?:{wanted})$", make(folder, *arguments), flags=re.MULTILINE)


@pytest.fixture
def fresh(tmp_path):
    """A project without an environment."""
    for name in (
        "Makefile",
        "requirements.txt",
        "requirements-dev.txt",
        "requirements-docs.txt",
        "requirements-cluster.txt",
        "pyproject.toml",
    ):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


@pytest.fixture
def ready(fresh):
    """A project whose environment has everything, as far as its stamps say."""
    database = make(fresh, "--print-data-base", "help")
    for name in ("PACKAGES", "READY", "DEV", "DOCS", "CLUSTER"):
        (stamp,) = re.findall(rf"^{name} := (.*)$", database, flags=re.MULTILINE)
        (fresh / stamp).parent.mkdir(exist_ok=True)
        (fresh / stamp).touch()
    return fresh


@pytest.mark.parametrize("target", ["results", "smoke", "report"])
def test_the_study_installs_the_first_lock_alone(target, fresh):
    assert installed(fresh, target) == [STUDY, PROJECT]


@pytest.mark.parametrize("target", ["test", "test-sweeps", "test-all", "mutants", "lint", "notebook"])
def test_the_others_add_the_second(target, fresh):
    assert installed(fresh, target)[:2] == [STUDY, PROJECT]
    assert installed(fresh, target)[-1] == DEV


def test_the_documentation_adds_the_third(fresh):
    assert installed(fresh, "docs")[:2] == [STUDY, PROJECT]
    assert installed(fresh, "docs")[-1] == DOCS
    assert DEV not in installed(fresh, "docs")


def test_a_cluster_needs_no_tests_and_its_test_does(ready):
    assert installed(ready, "cluster", "test-cluster") == []
    next(ready.glob(".venv/.cluster-*")).unlink()
    assert installed(ready, "cluster") == installed(ready, "test-cluster") == [CLUSTER]
    next(ready.glob(".venv/.dev-*")).unlink()
    assert installed(ready, "test-cluster") == [DEV, CLUSTER]


def test_the_documentation_of_a_ready_project_installs_nothing(ready):
    assert installed(ready, "docs") == []


def test_tests_after_results_only_add(ready):
    next(ready.glob(".venv/.dev-*")).unlink()
    assert installed(ready, "results") == []
    assert installed(ready, "test") == [DEV]


def test_nothing_is_installed_twice(ready):
    assert installed(ready, "results", "test", "lint") == []


@pytest.mark.parametrize(
    ("file", "study", "tests"),
    [
        ("requirements.txt", [STUDY, PROJECT], DEV),
        ("pyproject.toml", [PROJECT], None),
        ("requirements-dev.txt", [], DEV),
    ],
)
def test_a_change_renews_what_it_must(file, study, tests, ready):
    with open(ready / file, "a", encoding="utf-8") as handle:
        handle.write("# a change\n")
    assert installed(ready, "results") == study
    assert (DEV in installed(ready, "test")) == (tests is not None)


def test_an_environment_with_another_second_lock_is_made_anew(ready):
    with open(ready / "requirements-dev.txt", "a", encoding="utf-8") as handle:
        handle.write("# a change\n")
    lines = make(ready, "test").splitlines()
    (removal,) = [line for line in lines if "rm -rf .venv" in line]
    assert removal.startswith("if ls .venv/.dev-*")
    assert lines.index(removal) < next(n for n, line in enumerate(lines) if line.endswith(DEV))


def test_uv_installs_where_there_is_one(fresh):
    with_uv = make(fresh, "UV=/where/it/is/uv", "test")
    lines = [line for line in with_uv.splitlines() if "--require-hashes" in line]
    assert len(lines) >= 2 and all(line.startswith('"/where/it/is/uv" pip install') for line in lines)
    without = [line for line in make(fresh, "test").splitlines() if "--require-hashes" in line]
    assert len(without) >= 2 and all(" -m pip install" in line for line in without)


def test_the_report_is_written_after_the_results_and_make_says_where(ready):
    run, write, tell = make(ready, "report").splitlines()
    assert "snakemake --directory . --cores all" in run and "--report" not in run
    stylesheet = re.search(r"--report results/report.html --report-stylesheet (\S+)", write)[1]
    assert (ROOT / stylesheet).is_file()
    assert tell == 'echo "Open results/report.html in a browser; it needs no network."'
