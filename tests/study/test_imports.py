"""Modules set nothing on import: neither variables of the environment nor the look of figures."""

import subprocess
import sys

SCRIPT = """
import importlib, os, pkgutil, sys
import matplotlib.pyplot, seaborn, threadpoolctl  # what these set is their own affair

def state():
    return dict(os.environ) | dict(matplotlib.rcParams)

before = state()
for name in sys.argv[1:]:
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, name + "."):
        importlib.import_module(module.name)
after = state()
assert len(sys.modules) > 100
print(sorted(key for key in after.keys() | before.keys() if after.get(key) != before.get(key)))
"""


def changed_by_importing(*packages, folder="."):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *packages], capture_output=True, text=True, check=True, cwd=folder
    )
    return done.stdout.strip()


def test_modules_set_nothing_on_import():
    assert changed_by_importing("dirpriv", "study") == "[]"


def test_what_an_import_sets_would_be_seen(tmp_path):
    (tmp_path / "wrong").mkdir()
    text = (
        "import os, matplotlib as m\nos.environ['OMP_NUM_THREADS'] = '7'\nm.rcParams['lines.linewidth'] = 7\n"
    )
    (tmp_path / "wrong/__init__.py").write_text(text, encoding="utf-8")
    assert changed_by_importing("wrong", folder=tmp_path) == "['OMP_NUM_THREADS', 'lines.linewidth']"
