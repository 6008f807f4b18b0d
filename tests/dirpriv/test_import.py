"""The import of the library brings little, and what is asked for when it is asked for."""

import subprocess
import sys

import pytest

import dirpriv


def python(code, *arguments):
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def test_the_import_brings_no_other_package_and_no_module_of_its_own():
    """What an import loads is named, so that one more is seen."""
    names = "{name for name in sys.modules if name.partition('.')[0] not in sys.stdlib_module_names}"
    code = f"import sys; before = {names}; import dirpriv; print(*{names} - before)"
    assert python(code).stdout.split() == ["dirpriv"]
    more = python(code.replace("import dirpriv", "from dirpriv import geometry")).stdout.split()
    assert {"dirpriv", "dirpriv.geometry", "numpy"} <= {*more}


@pytest.mark.parametrize(
    ("statement", "spared"),
    [
        ("from dirpriv.laws import Purkayastha", ["optimize", "integrate", "spatial", "stats"]),
        (
            "from dirpriv.mechanisms import PlanarLaplaceMechanism",
            ["optimize", "integrate", "spatial", "stats"],
        ),
        ("from dirpriv import audit, estimators, geography, guarantees, transport", ["optimize", "spatial"]),
        ("from dirpriv.release import CircleRelease", ["optimize", "integrate", "spatial", "stats"]),
        ("from dirpriv import rotations", ["optimize", "integrate", "spatial", "stats"]),
    ],
)
def test_heavy_parts_of_scipy_are_imported_where_they_are_needed(statement, spared):
    loaded = python(f"{statement}; import sys; print(*sys.modules)").stdout.split()
    assert [name for name in spared if f"scipy.{name}" in loaded] == []


BY_NAME = """
import importlib, sys
for name in sys.argv[1:]:
    for loaded in [loaded for loaded in sys.modules if loaded.partition(".")[0] == "dirpriv"]:
        del sys.modules[loaded]
    dirpriv = importlib.import_module("dirpriv")
    assert f"dirpriv.{name}" not in sys.modules
    assert getattr(dirpriv, name).__name__ == f"dirpriv.{name}"
    exec(f"from dirpriv import {name}")
"""


def test_every_module_is_there_by_name():
    python(BY_NAME, *dirpriv.__all__)
    python("from dirpriv import *; laws, rotations")
    python("from dirpriv.mechanisms import *; RotationLaplaceMechanism(1.0), PurkayasthaMechanism(1.0)")
    assert {*dirpriv.__all__, "__version__"} <= {*dir(dirpriv)}
    with pytest.raises(AttributeError, match="module 'dirpriv' has no attribute 'lawz'"):
        dirpriv.lawz  # noqa: B018
