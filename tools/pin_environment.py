"""Write src/study/environment.yml, which `snakemake --sdm conda` makes for the jobs, from locks/study.txt.

python tools/pin_environment.py

The jobs need the library and the study, but neither Snakemake, which starts them, nor notebooks, tests and
lint. Each package that `pyproject.toml` asks for gets the version that the lock has for `PYTHON`, so that
jobs compute with conda what they compute with `make`. tests/workflow/test_community.py finds an old file.
"""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "src/study/environment.yml"
PYTHON = "3.11"  # the lowest that the project runs on
EXTRAS = "transport", "fast"
GROUPS = ("study",)
PARENT = {"snakemake", "pygments"}  # what the process that starts the jobs needs alone
CONDA_NAMES = {
    "duckdb": "python-duckdb",
    "matplotlib": "matplotlib-base",  # without Qt
    "seaborn": "seaborn-base",  # without statsmodels
    "typst": "typst-py",
    "tzdata": "python-tzdata",
}
"""PyPI name to conda name, where the two differ."""

HEAD = """\
# The environment of the jobs with `snakemake --sdm conda`. Written by tools/pin_environment.py from
# pyproject.toml and locks/study.txt: change those, not this file.
channels:
  - conda-forge
  - nodefaults
dependencies:
"""


def needed(pyproject):
    """Names of the packages that the jobs need."""
    texts = list(pyproject["project"]["dependencies"])
    for extra in EXTRAS:
        texts += pyproject["project"]["optional-dependencies"][extra]
    for group in GROUPS:
        texts += pyproject["dependency-groups"][group]
    return {canonicalize_name(Requirement(text).name) for text in texts} - PARENT


def locked(text, python):
    """Versions in a lock for one version of Python on Linux, by canonical name."""
    where = {"python_full_version": f"{python}.0", "python_version": python}
    where |= {"sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64"}
    where |= {"os_name": "posix", "implementation_name": "cpython", "platform_python_implementation": "CPython"}
    versions = {}
    for line in re.findall(r"^[A-Za-z0-9][^\\\n]*", text, flags=re.MULTILINE):
        requirement = Requirement(line)
        if requirement.marker is None or requirement.marker.evaluate(where):
            (specifier,) = requirement.specifier
            versions[canonicalize_name(requirement.name)] = specifier.version
    return versions


def environment(pyproject, lock):
    """The text of the file."""
    versions = locked(lock, PYTHON)
    pins = sorted(f"  - {CONDA_NAMES.get(name, name)} =={versions[name]}\n" for name in needed(pyproject))
    return f"{HEAD}  - python ={PYTHON}\n{''.join(pins)}"


def current():
    """The text of the file, of the pyproject.toml and the lock of this checkout."""
    pyproject = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return environment(pyproject, (ROOT / "locks/study.txt").read_text(encoding="utf-8"))


if __name__ == "__main__":
    FILE.write_text(current(), encoding="utf-8")
