"""Hostile command lines of make: what is given arrives as it was given, or is refused in one line."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

pytestmark = pytest.mark.sweep  # a few seconds
ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("Makefile", "locks/study.txt", "locks/dev.txt", "locks/docs.txt", "pyproject.toml")
SNAKEMAKE = f"""#!{sys.executable}
import json, sys
json.dump(sys.argv[1:], open("arguments.json", "w"))
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The Makefile with an environment in which `snakemake` notes its arguments."""
    folder = tmp_path_factory.mktemp("project")
    for name in (*NEEDED, "tools/dataset_of_checkins.py", "src/study/workflow/printable.py"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    for name in ("src/study/__init__.py", "src/study/workflow/__init__.py"):
        (folder / name).touch()
    told = subprocess.run(
        ["make", "--dry-run", "--print-data-base", "UV=", "PYTHON=python3", "help"],
        cwd=folder, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    binaries = folder / ".venv/bin"
    binaries.mkdir(parents=True)
    for stamp in re.findall(r"^(?:PACKAGES|READY) := (.*)$", told, flags=re.MULTILINE):
        (folder / stamp).touch()
    (binaries / "python").symlink_to(sys.executable)
    (binaries / "snakemake").write_text(SNAKEMAKE)
    (binaries / "snakemake").chmod(0o755)
    return folder


def make(folder, *arguments, **variables):
    """What make printed, and the arguments that Snakemake got; None if it was not called."""
    (folder / "arguments.json").unlink(missing_ok=True)
    command = ["make", "--no-print-directory", "UV=", f"PYTHON={sys.executable}", *arguments]
    # within another make its variables would be given, too
    own = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES")}
    done = subprocess.run(command, cwd=folder, env=own | variables, capture_output=True)
    called = folder / "arguments.json"
    return done.stdout + done.stderr, json.loads(called.read_text()) if called.exists() else None


NAMES = {
    "a plain name": "checkins.txt",
    "spaces": "my check ins.txt",
    "Unicode": "Straße 寿司.txt",
    "joined emoji": "👩\u200d🔬.txt",
    "a function of make": "$(shell touch pwned).txt",
    "another function of make": "${shell touch pwned}.txt",
    "a file that make would read": "$(file >pwned).txt",
    "a single dollar": "a$b.txt",
    "a command of the shell": "$(touch pwned).txt",
    "backticks": "`touch pwned`.txt",
    "a pipe": "a | touch pwned.txt",
    "quotes": 'it\'s "here".txt',
    "a backslash": "a\\b\\.txt",
    "a comma and brackets": "a,(b),[c]*?.txt",
    "a colon": "a: b.txt",
    "YAML": "&a [*a] !!python/object x.txt",
    "JSON": '"}, "seed": 1, "x": {".txt',
    "a leading minus": "-n",
    "a leading option": "--cores=1",
    "a long name": "x" * 250,
}


@pytest.mark.parametrize(
    ("name", "given"),
    [(name, "command line") for name in NAMES.values()] + [(name, "environment") for name in [*NAMES.values()][1::5]],
)
def test_a_name_of_a_file_arrives_as_it_was_given(project, name, given):
    variables = {"CHECKINS": name} if given == "environment" else {}
    _, arguments = make(project, "results", *([] if variables else [f"CHECKINS={name}"]), **variables)
    datasets = yaml.safe_load(arguments[arguments.index("--config") + 1].removeprefix("datasets="))
    assert datasets == {"foursquare": {"layout": "tsmc2014", "path": str(project / name)}}
    assert not (project / "pwned").exists()


ODD = {
    "bytes that are no UTF-8": b"checkins\xff.txt",
    "a line end": b"check\nins.txt",
    "an escape": b"\x1b[31mcheckins.txt",
    "the direction of writing": "\u202echeckins.txt".encode(),
}


@pytest.mark.parametrize("name", ODD.values(), ids=ODD)
def test_a_name_that_cannot_be_printed_is_refused_in_one_line(project, name):
    told, arguments = make(project, "results", b"CHECKINS=" + name)
    assert arguments is None
    [line] = [line for line in told.decode().split("\n") if "CHECKINS" in line]
    assert "has characters that cannot be printed; give the file, or its folder, another name" in line
    assert "Traceback" not in told.decode() and not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", line)


@pytest.mark.parametrize("layout", ["$(shell touch pwned)", "`touch pwned`", '"; touch pwned #', "snap"])
def test_a_layout_arrives_as_it_was_given(project, layout):
    _, arguments = make(project, "results", "CHECKINS=a.txt", f"LAYOUT={layout}")
    datasets = yaml.safe_load(arguments[arguments.index("--config") + 1].removeprefix("datasets="))
    assert datasets["foursquare"]["layout"] == layout and not (project / "pwned").exists()


def test_without_a_file_no_dataset_is_given(project):
    assert "--config" not in make(project, "results")[1]
    assert "--config" not in make(project, "results", "CHECKINS= ")[1]
