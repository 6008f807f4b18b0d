"""Hostile command lines of make: what is given arrives as it was given, or is refused in one line."""

import hashlib
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
import json, os, sys
json.dump(sys.argv[1:], open("arguments.json", "w"))
json.dump(os.environ.get("MECHANISM"), open("mechanism.json", "w"))
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """The Makefile with an environment in which `snakemake` notes its arguments."""
    folder = tmp_path_factory.mktemp("project")
    modules = ("catalogue_rows", "job", "output_folders", "own_mechanisms", "printable")
    needed = *NEEDED, "tools/dataset_of_checkins.py", "tools/mechanism_paths.py"
    for name in (*needed, *(f"src/study/workflow/{module}.py" for module in modules)):
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


FOLDERS = [name.removesuffix(".txt") for key, name in NAMES.items() if "/" not in name and "long" not in key]


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_mechanism_arrives_with_the_path_of_its_file(project, folder):
    """In the environment, from which Snakemake's jobs have it, and with the bytes of the file."""
    file = project / folder / "my_mechanism.py"
    file.parent.mkdir(exist_ok=True)
    file.write_text("class MyMechanism: pass", encoding="utf-8")
    for target in ("results", "smoke"):
        make(project, target, f"MECHANISM={folder}/my_mechanism.py:MyMechanism")
        sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
        assert json.loads((project / "mechanism.json").read_text()) == f"{file}:MyMechanism={sha256}"
    assert not (project / "pwned").exists()


@pytest.mark.parametrize("name", [name for name in NAMES.values() if not name.startswith("-")])
def test_a_folder_a_configuration_and_a_figure_arrive_as_they_were_given(project, name):
    _, arguments = make(project, "results", f"INTO={name}", f"CONFIG={name}", f"FIGURE={name}")
    assert arguments == ["--directory", name, "--cores", "all", f"--configfile={name}", "--", f"figures/{name}.png"]
    assert not (project / "pwned").exists()


def test_a_mechanism_that_is_none_is_refused_in_one_line(project):
    told, arguments = make(project, "results", "MECHANISM=my_mechanism.py")
    assert arguments is None and b"MECHANISM must name a file and a class" in told and b"Traceback" not in told


def test_without_a_file_no_dataset_is_given(project):
    assert "--config" not in make(project, "results")[1]
    assert "--config" not in make(project, "results", "CHECKINS= ")[1]
