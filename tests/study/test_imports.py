"""Modules set nothing on import: neither variables of the environment nor the look of figures."""

import json
import subprocess
import sys

SCRIPT = """
import importlib, json, os, pkgutil, sys
import matplotlib.pyplot, seaborn, threadpoolctl  # what these set is their own affair

def state():
    return dict(os.environ) | dict(matplotlib.rcParams)

changed = {}
for name in sys.argv[1:]:
    before = state()
    package = importlib.import_module(name)
    for module in pkgutil.walk_packages(package.__path__, name + "."):
        importlib.import_module(module.name)
    after = state()
    changed[name] = sorted(key for key in after.keys() | before.keys() if after.get(key) != before.get(key))
assert len(sys.modules) > 100
print(json.dumps(changed))
"""


def test_modules_set_nothing_on_import(tmp_path):
    """What an import sets would be seen, as it is of a package that sets two things."""
    (tmp_path / "wrong").mkdir()
    text = "import os, matplotlib as m\nos.environ['OMP_NUM_THREADS'] = '7'\nm.rcParams['lines.linewidth'] = 7\n"
    (tmp_path / "wrong/__init__.py").write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, "dirpriv", "study", "wrong"],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    changed = json.loads(done.stdout)
    assert changed == {"dirpriv": [], "study": [], "wrong": ["OMP_NUM_THREADS", "lines.linewidth"]}
