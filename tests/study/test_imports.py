"""Modules set nothing on import: neither variables of the environment nor the look of figures."""

import subprocess
import sys

SCRIPT = """
import importlib, os, pkgutil
import matplotlib.pyplot, seaborn, threadpoolctl  # what these set is their own affair
before = dict(os.environ), dict(matplotlib.rcParams)
{more}
import dirpriv, study
names = [m.name for p in (dirpriv, study) for m in pkgutil.walk_packages(p.__path__, p.__name__ + ".")]
for name in names:
    importlib.import_module(name)
after = dict(os.environ), dict(matplotlib.rcParams)
print(len(names), [key for a, b in zip(after, before) for key in a.keys() | b.keys() if a.get(key) != b.get(key)])
"""


def changed_by_imports(more=""):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(more=more)], capture_output=True, text=True, check=True
    )
    count, _, changed = done.stdout.strip().partition(" ")
    assert int(count) > 150
    return changed


def test_modules_set_nothing_on_import():
    assert changed_by_imports() == "[]"


def test_what_an_import_sets_would_be_seen():
    theme = "matplotlib.rcParams['lines.linewidth'] = 7.0; os.environ['OMP_NUM_THREADS'] = '1'"
    changed = changed_by_imports(theme)
    assert "lines.linewidth" in changed and "OMP_NUM_THREADS" in changed
