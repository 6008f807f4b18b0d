"""The import of the library is quick, and brings what is asked for when it is asked for."""

import subprocess
import sys

import pytest

import dirpriv

BEFORE = 0.55, 724  # seconds and modules, when all of it was imported at once


def python(code, *options):
    done = subprocess.run([sys.executable, *options, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done


def test_the_import_takes_at_most_a_quarter_of_what_it_did():
    seconds, modules = (whole / 4.0 for whole in BEFORE)
    code = "import sys, dirpriv; print(len(sys.modules), 'numpy' in sys.modules)"
    found = python(code).stdout.split()
    assert int(found[0]) <= modules and found[1] == "False"
    least = min(
        int(python("import dirpriv", "-X", "importtime").stderr.splitlines()[-1].split("|")[1]) * 1e-6
        for _ in range(3)
    )
    assert least <= seconds


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


def test_every_module_is_there_by_name():
    for name in dirpriv.__all__:
        code = (
            f"import dirpriv; assert dirpriv.{name}.__name__ == 'dirpriv.{name}'; from dirpriv import {name}"
        )
        python(code)
    python("from dirpriv import *; laws, rotations")
    python("from dirpriv.mechanisms import *; RotationLaplaceMechanism(1.0), PurkayasthaMechanism(1.0)")
    assert {*dirpriv.__all__, "__version__"} <= {*dir(dirpriv)}
    with pytest.raises(AttributeError, match="module 'dirpriv' has no attribute 'lawz'"):
        dirpriv.lawz  # noqa: B018
