"""What make installs for which target, told by `make --dry-run`; nothing is installed here."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STUDY, DEV, PROJECT = "--requirement locks/study.txt", "--requirement locks/dev.txt", "--editable ."
DOCS, CLUSTER = "--requirement locks/docs.txt", "--requirement locks/cluster.txt"
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
STAMPS = re.findall(r"^(\w+) := \.venv/\.", MAKEFILE, re.M)


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
    for path in (ROOT / "Makefile", ROOT / "pyproject.toml"):
        shutil.copy(path, tmp_path)
    shutil.copytree(ROOT / "locks", tmp_path / "locks")
    return tmp_path


@pytest.fixture
def ready(fresh):
    """A project whose environment has everything, as far as its stamps say."""
    database = make(fresh, "--print-data-base", "help")
    for name in STAMPS:
        (stamp,) = re.findall(rf"^{name} := (.*)$", database, flags=re.MULTILINE)
        (fresh / stamp).parent.mkdir(exist_ok=True)
        (fresh / stamp).touch()
    return fresh


@pytest.mark.parametrize(
    ("targets", "last"),
    [
        ("results smoke report", PROJECT),
        ("test test-library test-sweeps test-all mutants lint notebook", DEV),
        ("docs", DOCS),
    ],
)
def test_each_installs_the_study_and_what_it_needs_beside(targets, last, fresh):
    for target in targets.split():
        first, second, *_, after = [*installed(fresh, target), None] if last == PROJECT else installed(fresh, target)
        assert (first, second, after or second) == (STUDY, PROJECT, last)
        assert last == DEV or DEV not in installed(fresh, target)


def test_a_cluster_needs_no_tests_and_its_test_does(ready):
    assert installed(ready, "cluster", "test-cluster") == []
    next(ready.glob(".venv/.cluster-*")).unlink()
    assert installed(ready, "cluster") == installed(ready, "test-cluster") == [CLUSTER]
    next(ready.glob(".venv/.dev-*")).unlink()
    assert installed(ready, "test-cluster") == [DEV, CLUSTER]


def test_nothing_is_installed_twice(ready):
    assert installed(ready, "results", "test", "lint", "docs") == []
    next(ready.glob(".venv/.dev-*")).unlink()
    assert (installed(ready, "results"), installed(ready, "test")) == ([], [DEV])


@pytest.mark.parametrize(
    ("file", "study", "tests"),
    [("locks/study.txt", [STUDY, PROJECT], DEV), ("pyproject.toml", [PROJECT], None), ("locks/dev.txt", [], DEV)],
)
def test_a_change_renews_what_it_must(file, study, tests, ready):
    with open(ready / file, "a", encoding="utf-8") as handle:
        handle.write("# a change\n")
    assert installed(ready, "results") == study
    assert (DEV in installed(ready, "test")) == (tests is not None)


def test_an_environment_with_another_second_lock_is_made_anew(ready):
    with open(ready / "locks/dev.txt", "a", encoding="utf-8") as handle:
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


# A link .venv, which may lead to the environment of another folder


NOT_CURRENT = ("of another folder", "empty", "not made by make", "nowhere")


def linked(folder, elsewhere):
    """The folder with its environment, if it has one, moved elsewhere and a link in its place."""
    if (folder / ".venv").exists():
        (folder / ".venv").rename(elsewhere)
    (folder / ".venv").symlink_to(elsewhere)
    return folder


def program(path):
    """A program that only writes down how it is called, in the folder of its environment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    calls = path.parents[2] / "calls"
    path.write_text(f'#!/bin/sh\necho "{path.name} $*" >> "{calls}"\n', encoding="utf-8")
    path.chmod(0o755)
    return path


def really(folder, tools, *arguments):
    """Run make with a Python and a uv that only write down how they are called."""
    settings = [f"{name}={program(tools / 'one/bin' / name.lower())}" for name in ("PYTHON", "UV")]
    command = ["make", "--no-print-directory", *settings, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8")


def contents(folder):
    """All files of a folder with their content and the time of their last change."""
    paths = sorted(folder.rglob("*")) if folder.exists() else []
    return {path: (path.stat().st_mtime_ns, path.is_file() and path.read_bytes()) for path in paths}


@pytest.mark.parametrize("kind", NOT_CURRENT)
def test_nothing_is_cleared_behind_a_link_or_installed_through_it(kind, fresh, tmp_path_factory):
    tools, elsewhere = tmp_path_factory.mktemp("tools"), tmp_path_factory.mktemp("other") / "environment"
    if kind != "nowhere":
        elsewhere.mkdir()
    if kind == "not made by make":
        program(elsewhere / "bin/python")
    if kind == "of another folder":
        program(elsewhere / "bin/python")
        for name in (".made", ".lock-1", ".project-1", ".dev-1", ".docs-1", ".engines-1", ".cluster-1"):
            (elsewhere / name).touch()
    linked(fresh, elsewhere)
    before = contents(elsewhere.parent)
    for words in (["results"], ["--dry-run", "test"]):
        done = really(fresh, tools, *words)
        assert done.returncode == 2 and "Remove the link (rm .venv) and repeat" in done.stderr
        assert "install" not in done.stdout and "venv --clear" not in done.stdout
    assert contents(elsewhere.parent) == before and not (tools / "calls").exists()
    assert os.readlink(fresh / ".venv") == str(elsewhere)


# a target that needs each stamp, for the recipe that makes it
NEEDS = {
    "PACKAGES": "results", "READY": "results", "DEV": "test", "DOCS": "docs", "ENGINES": "test-engines",
    "OPENDP": "test-opendp", "CLUSTER": "cluster", "MUTANTS": "mutants",
}  # fmt: skip


@pytest.mark.parametrize("stamp", STAMPS)
def test_a_link_is_refused_where_something_is_missing(stamp, ready, tmp_path_factory):
    """One stamp is missing of an environment that is current otherwise, for example after a new lock."""
    (prefix,) = re.findall(rf"^{stamp} := \.venv/(\.\w+-)", MAKEFILE, re.M)
    (missing,) = (ready / ".venv").glob(f"{prefix}*")
    missing.unlink()
    assert "install" in make(ready, NEEDS[stamp])
    assert stamp in ("PACKAGES", "READY") or "install" not in make(ready, "results")
    elsewhere = tmp_path_factory.mktemp("other") / "environment"
    linked(ready, elsewhere)
    before = contents(elsewhere)
    done = really(ready, tmp_path_factory.mktemp("tools"), NEEDS[stamp])
    assert done.returncode == 2 and ".venv is a link" in done.stderr
    assert contents(elsewhere) == before


def test_a_current_environment_behind_a_link_is_used(ready, tmp_path_factory):
    tools, elsewhere = tmp_path_factory.mktemp("tools"), tmp_path_factory.mktemp("other") / "environment"
    linked(ready, elsewhere)
    for name in ("python", "snakemake"):
        program(elsewhere / "bin" / name)
    before = contents(elsewhere)
    for target in ("results", "test"):
        assert really(ready, tools, target).returncode == 0
    calls = (elsewhere.parent / "calls").read_text(encoding="utf-8")
    assert calls.startswith("snakemake --directory . --cores all\npython -m pytest ")
    assert "install" not in calls and not (tools / "calls").exists()
    assert contents(elsewhere) == before


def test_without_a_link_the_same_make_clears_and_installs(fresh, tmp_path_factory):
    """What the tests above would see, were it done behind a link."""
    tools = tmp_path_factory.mktemp("tools")
    program(fresh / ".venv/bin/python")
    (fresh / ".venv/.made").touch()
    assert really(fresh, tools, "results").returncode == 2  # no Snakemake was installed
    calls = (tools / "calls").read_text(encoding="utf-8")
    assert "python -m venv --clear .venv\n" in calls and STUDY in calls


# what test-library leaves out: files, ledgers, devices, the command, pictures, columns of other libraries, papers,
# plans, and what holds for the whole package
OTHERS = {
    *(
        "account",
        "cell_texts",
        "central_files",
        "documents",
        "fixed",
        "grammar",
        "import",
        "level_page",
        "older_files",
        "opendp",
        "other_libraries",
    ),
    *("outside", "planner", "prepare", "promised_calls", "published", "release_columns", "release_pickles"),
    *("release_properties", "rotation_published", "seeding", "settings", "shuffle_keys", "typed_use", "unseeded"),
}


def test_each_file_is_in_test_library_or_left_out_on_purpose():
    """What is in it needs no file, no command and no picture."""
    tests = {path.stem.removeprefix("test_"): path for path in (ROOT / "tests/dirpriv").glob("test_*.py")}
    library = (ROOT / "tests/library.txt").read_text(encoding="utf-8").split()
    assert library == sorted({*library}) and not OTHERS & {*library}
    others = {name for name in tests if name.startswith(("command", "device", "files"))} | OTHERS
    assert {*tests} == {*library} | others and len(library) > 50
    needs = re.compile(r"dirpriv\.(?:command|pictures)\b|release\.file\(|command_runs|tables_of_releases")
    assert [name for name in library if needs.search(tests[name].read_text(encoding="utf-8"))] == []
