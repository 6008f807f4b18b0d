"""The import of the library brings little, and what is asked for when it is asked for."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dirpriv


def python(code, *arguments):
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


FORKS = """
import os, sys
exec(sys.argv[1])
for statement in sys.argv[2:]:
    child = os.fork()
    if child == 0:
        exec(statement)
        print(*sys.modules, flush=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0, statement
"""


def loaded_by(before, *statements):
    """The modules that are loaded after each statement, in processes of their own in which another one ran.

    An error in one of them ends its process with a traceback and the status 1.
    """
    lines = python(FORKS, before, *statements).stdout.splitlines()
    return [line.split() for line in lines]


def test_the_import_brings_no_other_package_and_of_its_own_only_the_face():
    """What an import loads is named, so that one more is seen."""
    names = "{name for name in sys.modules if name.partition('.')[0] not in sys.stdlib_module_names}"
    code = f"import sys; before = {names}; import dirpriv; print(*{names} - before)"
    assert {*python(code).stdout.split()} == {"dirpriv", "dirpriv._lib", "dirpriv._lib.lazy", "dirpriv._lib.version"}
    more = python(code.replace("import dirpriv", "from dirpriv import geometry")).stdout.split()
    assert {"dirpriv", "dirpriv.geometry"} <= {*more}


SPARED = {
    "from dirpriv.distributions import Purkayastha": ["optimize", "integrate", "spatial", "stats"],
    "from dirpriv.mechanisms import PlanarLaplaceMechanism": ["optimize", "integrate", "spatial", "stats"],
    "from dirpriv.geometry import earth\nfrom dirpriv.guarantees import audit, from_distribution\n"
    "from dirpriv.estimators import transport": ["optimize", "spatial"],
    "from dirpriv.release import CircleRelease": ["optimize", "integrate", "spatial", "stats"],
    "from dirpriv.distributions import RotationLaplace": ["optimize", "integrate", "spatial", "stats"],
}


def test_heavy_parts_of_scipy_are_imported_where_they_are_needed():
    found = loaded_by("import numpy, scipy.special", *SPARED)
    for (statement, spared), loaded in zip(SPARED.items(), found, strict=True):
        assert "dirpriv" in loaded and [name for name in spared if f"scipy.{name}" in loaded] == [], statement


def by_name(name):
    """Statements that ask the package for a module."""
    return f"""
import dirpriv
assert "dirpriv.{name}" not in sys.modules
assert dirpriv.{name}.__name__ == "dirpriv.{name}"
from dirpriv import {name}
"""


def test_every_module_is_there_by_name():
    statements = [
        *map(by_name, {*dirpriv.__all__} - {"InvalidArgument"}),
        "from dirpriv import *; distributions, mechanisms",
        "from dirpriv.mechanisms import *; RotationLaplaceMechanism(1.0), PurkayasthaMechanism(1.0)",
    ]
    scipy = "import scipy.fft, scipy.integrate, scipy.optimize, scipy.special, scipy.stats"
    assert len(loaded_by(scipy, *statements)) == len(statements) > 2
    assert {*dirpriv.__all__, "__version__"} <= {*dir(dirpriv)}
    with pytest.raises(AttributeError, match=r"module 'dirpriv' has no attribute 'lawz': it has .*, distributions, "):
        dirpriv.lawz  # noqa: B018
    distribution = dirpriv.distributions.VonMisesFisher(3, 1.0)
    for name, ours in (("cdf", ": of the angle from the mode it is 'angle_cdf'"), ("lawz", "")):
        with pytest.raises(AttributeError, match=f"'VonMisesFisher' object has no attribute '{name}'{ours}$"):
            getattr(distribution, name)


ROOT = Path(__file__).resolve().parents[2]
IMPORT = re.compile(r"(?:from (dirpriv[\w.]*) import (\((?:[^)]*)\)|[^\n\\#\"]+)|^\W*import (dirpriv[\w.]+))", re.M)


def deeper_than_public(text):
    """What a text imports that is no public name: what no stub lists."""
    found = []
    for package, names, module in IMPORT.findall(text):
        for name in re.findall(r"[a-zA-Z]\w*(?: as \w+)?", names.replace("\\n", "")) or [""]:
            whole = f"{package}.{name.partition(' ')[0]}" if package else module
            parent, _, last = whole.rpartition(".")
            found += [] if last in getattr(importlib.import_module(parent), "__all__", ()) else [whole]
    return found


def test_the_study_and_what_readers_see_import_public_names_alone():
    shown = ("README.md", "docs/*.md", "docs/*.py", "notebooks/*.ipynb", "examples/*", "tools/*.py")
    shown += ("src/study/**/*.py",)
    paths = [path for pattern in shown for path in ROOT.glob(pattern) if path.suffix != ".csv"]
    for tool in ("list_commands", "list_plans"):  # which write what the command says into pages
        paths.remove(ROOT / f"tools/{tool}.py")
    texts = {path: path.read_text("utf-8") for path in paths if path.is_file()}
    assert sum(len(IMPORT.findall(text)) for text in texts.values()) > 40
    assert {name: found for name, text in texts.items() if (found := deeper_than_public(text))} == {}


@pytest.mark.parametrize(
    "deeper",
    ["from dirpriv.distributions.piecewise.families import Cap", "from dirpriv import _lib",
     "import dirpriv.exact.circle",
     "from dirpriv.release import (\n    times,\n    columns,\n)"],
)  # fmt: skip
def test_a_deeper_import_is_seen(deeper):
    assert len(deeper_than_public(f">>> {deeper}\n")) == 1
