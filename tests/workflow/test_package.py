"""What others install: a wheel and a source distribution, with the library and nothing else."""

import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from email import message_from_bytes
from pathlib import Path

import pytest
import yaml

import dirpriv

ROOT = Path(__file__).resolve().parents[2]
NAME = f"dirpriv-{dirpriv.__version__}"
CLASSIFIERS = {
    "Operating System :: OS Independent",
    *(f"Programming Language :: Python :: 3.{minor}" for minor in range(11, 15)),
}


def build(kind, source, folder):
    """Build a "wheel", "sdist" or "editable" with the setuptools that is installed; return its path."""
    folder.mkdir(exist_ok=True)
    code = f"from setuptools import build_meta; build_meta.build_{kind}({str(folder)!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=source, capture_output=True, encoding="utf-8")
    assert done.returncode == 0, done.stderr
    (path,) = folder.iterdir()
    return path


def members(path):
    """Content of each file of a wheel, by name."""
    with zipfile.ZipFile(path) as wheel:
        return {name: wheel.read(name) for name in wheel.namelist()}


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A copy of the project, with all that lies beside the library in src/ and in the root."""
    folder = tmp_path_factory.mktemp("package") / "source"
    ignored = shutil.ignore_patterns("*.egg-info", "__pycache__")
    for name in ("src", "tests", "config", "locks"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("pyproject.toml", "README.md", "LICENSE", "NOTICE"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture(scope="module")
def sdist(source, tmp_path_factory):
    return build("sdist", source, tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def wheel(source, tmp_path_factory):
    return build("wheel", source, tmp_path_factory.mktemp("wheel"))


def library():
    """Modules of the library, its data, pages for devices, what tells type checkers, as a wheel names them."""
    source, names = ROOT / "src", ("*.py", "*.pyi", "py.typed", "tables/*.toml", "release/survey/js/*")
    found = {path for name in names for path in (source / "dirpriv").rglob(name)}
    return {path.relative_to(source).as_posix() for path in found}


def test_the_library_tells_type_checkers_that_it_has_types():
    assert {"dirpriv/py.typed", "dirpriv/__init__.pyi"} <= library()


def test_a_wheel_holds_the_library_alone(wheel):
    assert wheel.name == f"{NAME}-py3-none-any.whl"
    found = members(wheel)
    about = {f"{NAME}.dist-info/{name}" for name in ("METADATA", "RECORD", "WHEEL")}
    about |= {f"{NAME}.dist-info/{name}" for name in ("entry_points.txt", "top_level.txt")}
    about |= {f"{NAME}.dist-info/licenses/{name}" for name in ("LICENSE", "NOTICE")}
    assert set(found) == library() | about
    assert b"dirpriv = dirpriv.command:main" in found[f"{NAME}.dist-info/entry_points.txt"].splitlines()
    assert found[f"{NAME}.dist-info/top_level.txt"].split() == [b"dirpriv"]


def test_a_source_distribution_holds_the_library_alone(sdist):
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames() if archive.getmember(name).isfile()}
    assert {f"src/{name}" for name in library()} <= names
    assert {"LICENSE", "NOTICE", "README.md", "pyproject.toml"} <= names
    assert [name for name in names if "study" in name or name.startswith(("tests", "config", "locks"))] == []


def test_the_metadata_tell_what_it_is(wheel):
    metadata = message_from_bytes(members(wheel)[f"{NAME}.dist-info/METADATA"])
    assert (metadata["Name"], metadata["Version"]) == ("dirpriv", dirpriv.__version__)
    assert (metadata["Author"], metadata["License-Expression"]) == ("the dirpriv authors", "MIT")
    assert metadata.get_all("License-File") == ["LICENSE", "NOTICE"] and metadata["Requires-Python"] == ">=3.11"
    assert metadata["Description-Content-Type"] == "text/markdown" and metadata["Summary"]
    assert CLASSIFIERS <= set(metadata.get_all("Classifier"))
    assert sorted(metadata.get_all("Provides-Extra")) == ["fast", "pictures", "tables", "transport"]
    needed = [text for text in metadata.get_all("Requires-Dist") if "extra" not in text]
    assert sorted(re.match("[a-z]+", text).group() for text in needed) == ["numpy", "scipy"]


def test_the_source_distribution_builds_the_same_wheel(sdist, wheel, tmp_path):
    shutil.unpack_archive(sdist, tmp_path)
    assert members(build("wheel", tmp_path / NAME, tmp_path / "wheel")) == members(wheel)


def test_an_editable_install_finds_the_study_too(source, tmp_path):
    found = members(build("editable", source, tmp_path))
    (paths,) = [content.decode() for name, content in found.items() if name.endswith(".pth")]
    assert paths.split("\n")[0] == str(source / "src")


def test_the_citation_names_this_version():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == dirpriv.__version__
