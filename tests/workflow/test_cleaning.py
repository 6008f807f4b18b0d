"""No run and no cleaning changes or removes a file of the user's; cleaning removes what the workflow made."""

import gzip
import os
import shutil
import subprocess
import sys
from base64 import urlsafe_b64encode
from pathlib import Path

import pytest
from checkouts import Checkout
from clean_results import clean

ROOT = Path(__file__).resolve().parents[2]
LINE = b"470\t2010-10-19T23:55:27Z\t30.2359091167\t-97.7951395833\t22847\n"
OURS = {
    "data/city.txt.gz": gzip.compress(LINE * 3, mtime=0),
    "data/gowalla.txt.gz": gzip.compress(LINE * 5, mtime=0),
    "data/notes.txt": b"a note",
    "data/downloads/mine.zip": b"a file beside what is downloaded",
    "data/generated/mine.txt": b"a file beside what is generated",
    "results/mine.csv": b"a table beside the results",
    "results/checkins/mine.csv": b"one in a folder of an experiment",
    "figures/mine.png": b"a figure",
    "figures/README.md": b"a page",
    "results/report.html": b"a page of the user's",
    "results/checkins/.city.parquet-notes": b"notes beside a table",
    "logs/diary.txt": b"a diary",
    "logs/prepare_checkins.txt": b"notes on a rule",
}
DATASETS = {
    "gowalla": {"layout": "snap", "path": "data/gowalla.txt.gz"},
    "austin": {"layout": "snap", "path": "data/city.txt.gz"},
}
TARGETS = [f"results/checkins/{name}.parquet" for name in ("city", "gowalla", "austin")]


def copy_makefile(copied):
    """Copy what ``make clean`` needs besides the source."""
    shutil.copy2(ROOT / "Makefile", copied.source)
    for name in ("locks", "tools"):
        shutil.copytree(ROOT / name, copied.source / name, ignore=shutil.ignore_patterns("__pycache__"))


@pytest.fixture(scope="module")
def finished(project, tmp_path_factory):
    """A run of the preparation in a working directory that holds files of the user's; not to be altered."""
    tmp_path = tmp_path_factory.mktemp("finished")
    overlay = {"datasets": {"city": {"rows": 50, "users": 5, "venues": 9}, **DATASETS}}
    copied = project.copy(tmp_path).with_config(overlay, tmp_path / "mine.yaml")
    copy_makefile(copied)
    copied.directory = copied.source
    for name, content in OURS.items():
        path = copied.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    copied.snakemake("--cores", "1", *TARGETS)
    return copied


@pytest.fixture
def run(finished, tmp_path):
    """A copy of that run."""
    source = shutil.copytree(finished.source, tmp_path / "source")
    return Checkout(source, source, finished.configs)


def files(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.parts[len(folder.parts)] in ("data", "results", "figures", "logs")
    }


def test_snakemake_s_own_cleaning_and_forcing_leave_the_users_files(run):
    made = set(files(run.directory)) - set(OURS)
    assert {*TARGETS, "data/generated/city.txt.gz"} <= made
    run.snakemake("--cores", "1", "--forceall", *TARGETS)
    found = files(run.directory)
    assert {name: found.get(name) for name in OURS} == OURS
    run.snakemake("--delete-all-output", "--cores", "1")
    found = files(run.directory)
    assert {name: found.get(name) for name in OURS} == OURS
    assert not {*TARGETS, "data/generated/city.txt.gz"} & set(found)


def test_make_clean_removes_what_was_made_and_nothing_else(run):
    """Also what was made under another configuration, with no environment to ask, and what a kill left."""
    leftover = run.directory / "results/checkins/.city.parquet-x1y2z3_4.parquet"
    leftover.write_bytes(b"half a table")
    smoke = run.directory / ".smoke"
    shutil.copytree(run.directory / "results/checkins", smoke / "results/checkins")
    shutil.copytree(run.directory / ".snakemake", smoke / ".snakemake")
    done = subprocess.run(
        ["make", "clean", f"PYTHON={sys.executable}"], cwd=run.directory, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert files(run.directory) == OURS
    assert not (run.directory / ".snakemake").exists() and not (run.directory / "benchmarks").exists()
    copied = {name: OURS[name] for name in OURS if name.startswith("results/checkins/")}
    assert files(smoke) == copied
    told = {line.rpartition(": ")[2] for line in done.stdout.splitlines() if "left alone" in line}
    of_the_workflow = ("results", "figures", "data/downloads", "data/generated", "logs")
    named = {name for name in OURS if name.startswith(of_the_workflow) and "README" not in name}
    assert told == named | {f".smoke/{name}" for name in copied} | {".smoke"}


FOLDERS = ("results", "figures", "data/generated", "data/downloads", "logs", "benchmarks", ".snakemake", ".smoke")


@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize("way", ["path", "link to it", "link in it", "address", "linked folder"])
def test_an_input_where_the_workflow_writes_is_refused(project, tmp_path, folder, way, monkeypatch):
    base = ROOT if folder == ".smoke" else tmp_path
    inside = tmp_path / folder / "x" / "mine.txt"
    if folder == ".smoke":
        monkeypatch.setattr("study.checkins.settings.CHECKOUT", tmp_path)
    monkeypatch.chdir(base if folder != ".smoke" else tmp_path)
    outside = tmp_path / "elsewhere.txt"
    inside.parent.mkdir(parents=True)
    given = inside
    if way == "link in it":
        outside.write_bytes(LINE)
        inside.symlink_to(outside)
    else:
        inside.write_bytes(LINE)
    if way == "link to it":
        outside.symlink_to(inside)
        given = outside
    if way == "linked folder":
        shutil.move(tmp_path / folder, tmp_path / "disk")
        (tmp_path / folder).symlink_to(tmp_path / "disk")
        given = tmp_path / "disk" / "x" / "mine.txt"
    given = {"url": given.as_uri(), "sha256": "0" * 64} if way == "address" else os.path.relpath(given)
    [line] = problems_with({"mine": {"layout": "snap", "path": given}})
    assert line.startswith("datasets.mine.path: ")
    assert "where the workflow writes and cleans; move the file, for example to data/" in line


def test_cleaning_leaves_what_other_workflows_made_and_empty_folders(run):
    """In the same folder; and what lies behind a link to another disk, though it is on record."""
    metadata = run.directory / ".snakemake/metadata"
    [record] = [path for path in metadata.iterdir() if b'"prepare_checkins"' in path.read_bytes()][:1]
    other = metadata / urlsafe_b64encode(b"results/model.txt").decode()
    other.write_bytes(record.read_bytes().replace(b'"prepare_checkins"', b'"train"'))
    (run.directory / "results/model.txt").write_text("of another workflow", encoding="utf-8")
    (run.directory / "results/.git/refs").mkdir(parents=True)
    disk = run.directory / "disk"
    shutil.move(run.directory / "results/checkins", disk)
    (run.directory / "results/checkins").symlink_to(disk)
    on_disk = {path.name: path.read_bytes() for path in disk.iterdir()}
    assert "city.parquet" in on_disk
    for _ in range(2):
        clean(run.directory)
    assert (run.directory / "results/model.txt").is_file() and (run.directory / "results/.git/refs").is_dir()
    assert {path.name: path.read_bytes() for path in disk.iterdir()} == on_disk


def test_an_input_behind_a_link_in_the_results_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk/mine.parquet").write_bytes(LINE)
    (tmp_path / "results").mkdir()
    (tmp_path / "results/checkins").symlink_to(tmp_path / "disk")
    [line] = problems_with({"mine": {"layout": "snap", "path": str(tmp_path / "disk/mine.parquet")}})
    assert "where the workflow writes and cleans" in line


def test_a_path_with_braces_is_refused(tmp_path, monkeypatch):
    """Snakemake would fill them in, and read another file."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "{dataset}").write_bytes(LINE)
    [line] = problems_with({"mine": {"layout": "snap", "path": "{dataset}"}})
    assert line.startswith("datasets.mine.path: {dataset} has braces")


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("made", [".made", ".lock-1", None])
def test_an_environment_that_make_has_not_made_is_left_alone(project, tmp_path, made, linked):
    """Nor is a link to one that make has made elsewhere."""
    copied = project.copy(tmp_path)
    copy_makefile(copied)
    environment = copied.source / ".venv"
    folder = tmp_path / "elsewhere" if linked else environment
    folder.mkdir()
    (folder / (made or "mine.txt")).touch()
    if linked:
        environment.symlink_to(folder)

    def make(target):
        command = ["make", target, f"PYTHON={sys.executable}"]
        return subprocess.run(command, cwd=copied.source, capture_output=True, text=True)

    if made is None or linked:
        done = make("smoke")
        assert done.returncode != 0
        assert ("Remove the link" if linked else "move it elsewhere") in done.stderr
    assert make("clean").returncode == 0
    assert environment.exists() == (made is None or linked)


def test_a_link_to_nowhere_is_left_alone(project, tmp_path):
    copied = project.copy(tmp_path)
    copy_makefile(copied)
    link = copied.source / ".venv"
    link.symlink_to("nowhere")
    command = ["make", "clean", f"PYTHON={sys.executable}"]
    assert subprocess.run(command, cwd=copied.source, capture_output=True).returncode == 0
    assert link.is_symlink()


def test_an_input_beside_those_folders_is_taken(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("data/city.txt.gz", "data/generated.txt", "results.txt", "logs.d/x.txt"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(LINE)
        assert problems_with({"mine": {"layout": "snap", "path": name}}) == []


def problems_with(datasets):
    """What is said of these datasets beside a right configuration."""
    import yaml

    from study.configuration import check
    from study.workflow.job import InputError

    config = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
    try:
        check(config | {"datasets": datasets})
    except InputError as error:
        return [line.strip() for line in str(error).split("\n")[1:]]
    return []
