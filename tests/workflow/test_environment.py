"""pyproject.toml, environment.yml, the locks and CONTRIBUTING.md name the same packages."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT, EXTRAS = PYPROJECT["project"], PYPROJECT["project"]["optional-dependencies"]
GROUPS = PYPROJECT["dependency-groups"]
LOCKS = {
    "study": ("study", "build"),
    "dev": ("test", "notebook"),
    "docs": ("docs",),
    "cluster": ("cluster",),
    "arrow": ("arrow",),
    "engines": ("engines",),
    "opendp": ("opendp",),
    "release": ("release",),
    "mutants": ("mutants",),
}
"""Each lock with the groups that it serves; the first has the library with all its extras, too."""

APART = ("release", "mutants", "opendp")
"""Groups that conda's environment leaves out: what they bring lies apart from every environment."""

CONDA_NAMES = {"duckdb": "python-duckdb", "typst": "typst-py", "tzdata": "python-tzdata"}
"""PyPI name to conda name, where the two differ."""


LIBRARY = [*PROJECT["dependencies"], *(text for texts in EXTRAS.values() for text in texts)]


def requirements(texts):
    """Requirement by canonical name; a name that is given twice has one range."""
    found = {}
    for requirement in map(Requirement, texts):
        first = found.setdefault(canonicalize_name(requirement.name), requirement)
        assert str(first) == str(requirement), f"pyproject.toml asks for {first} and for {requirement}"
    return found


def of_groups(groups):
    """What some groups ask for."""
    return [text for group in groups for text in GROUPS[group]]


def asked_of(lock):
    """Requirement by canonical name, of what a lock serves."""
    return requirements([*(LIBRARY if lock == "study" else ()), *of_groups(LOCKS[lock])])


class Pin(NamedTuple):
    """One version of a package in a lock."""

    version: str
    marker: str  # where it is installed; empty if everywhere
    hashes: frozenset
    asked_for: bool  # by pyproject.toml itself, not by another package alone


def pins_of(lock):
    """Pins of a lock by canonical name: several where the version depends on the machine."""
    pins = {}
    for block in re.split(r"\n(?=\S)", (ROOT / f"locks/{lock}.txt").read_text(encoding="utf-8")):
        match = re.match(r"([A-Za-z0-9._-]+)==([^ ;\\\n]+)(?: ; ([^\\\n]+?))? *\\", block)
        assert match, f"{lock} pins nothing in: {block}"
        hashes = frozenset(re.findall(r"--hash=(sha256:[0-9a-f]{64})", block))
        pin = Pin(match[2], match[3] or "", hashes, "dirpriv (pyproject.toml" in block)
        pins.setdefault(canonicalize_name(match[1]), []).append(pin)
    return pins


DEPENDENCIES = requirements([*LIBRARY, *of_groups(GROUPS)])
each_lock = pytest.mark.parametrize("lock", LOCKS)


def test_conda_asks_for_the_same_names_and_ranges():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    found = {}
    for entry in environment["dependencies"]:
        name, _, specifier = entry.partition(" ")
        assert name not in found, f"{name} is listed twice in environment.yml"
        found[name] = SpecifierSet(specifier)
    wanted = requirements([*LIBRARY, *of_groups(GROUPS.keys() - APART)])
    expected = {CONDA_NAMES.get(name, name): r.specifier for name, r in wanted.items()}
    assert found == {"python": SpecifierSet(PROJECT["requires-python"]), **expected}
    assert environment["name"] == PROJECT["name"]


def test_extras_are_for_users_and_every_group_has_its_lock():
    assert set(EXTRAS) == {"tables", "pictures", "transport", "fast"}
    assert sorted(group for groups in LOCKS.values() for group in groups) == sorted(GROUPS)
    assert {path.name for path in (ROOT / "locks").iterdir()} == {f"{lock}.txt" for lock in LOCKS}


def test_contributing_makes_each_lock_of_its_groups():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").replace("\\\n", " ")
    made = {}
    for command in re.findall(r"^uv pip compile (.*)", text, re.M):
        (lock,) = re.findall(r"--output-file locks/(\w+)\.txt$", command)
        made[lock] = tuple(re.findall(r"--group (\S+)", command))
        assert ("pyproject.toml --all-extras" in command) == (lock == "study")
        assert {*re.findall(r"--constraint locks/(\w+)\.txt", command)} <= {*made} - {lock}  # made before it
        assert "--generate-hashes" in command and "--no-emit-index-url" in command
    assert made == LOCKS


@each_lock
def test_a_lock_pins_what_is_asked_for_within_its_range(lock):
    pins, wanted = pins_of(lock), asked_of(lock)
    asked_for = {name for name, entries in pins.items() if any(pin.asked_for for pin in entries)}
    assert asked_for == set(wanted), f"{lock} is not that of pyproject.toml: make the locks again"
    for name, requirement in wanted.items():
        for pin in pins[name]:
            assert requirement.specifier.contains(pin.version), f"{name} {pin.version} is out of range"


@each_lock
def test_every_pin_has_a_hash(lock):
    pins = pins_of(lock)
    assert len(pins) > len(asked_of(lock)) or lock in ("arrow", "mutants")
    assert [name for name, entries in pins.items() if not all(pin.hashes for pin in entries)] == []


@each_lock
def test_a_lock_holds_no_address(lock):
    text = (ROOT / f"locks/{lock}.txt").read_text(encoding="utf-8")
    assert "://" not in text
    options = [line for line in text.splitlines() if line.startswith("-")]
    assert options == [], "an option such as --index-url belongs to the machine, not into the lock"


@pytest.mark.parametrize(
    ("lock", "added"),
    [
        ("study", "dev"),
        ("study", "docs"),
        ("dev", "docs"),
        ("study", "cluster"),
        ("study", "engines"),
        ("dev", "engines"),
        ("study", "release"),
    ],
)
def test_a_lock_only_adds_to_another(lock, added):
    """What both pin they pin at the same versions and for the same files."""
    first, second = pins_of(lock), pins_of(added)

    def files(pins, name):
        return {(pin.version, pin.hashes) for pin in pins[name]}

    both = first.keys() & second.keys()
    assert len(both) > 3
    assert [name for name in both if not files(second, name) <= files(first, name)] == []


def test_the_first_lock_does_without_tests_and_notebooks():
    of_snakemake = {"docutils", "nbformat", "packaging"}  # it needs these itself
    assert asked_of("dev").keys() & pins_of("study").keys() == of_snakemake


@pytest.mark.parametrize("name", sorted(DEPENDENCIES))
def test_contributing_gives_the_reason_for_it(name):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").lower()
    assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text), f"{name} is not in CONTRIBUTING.md"


def third_party_imports(folders):
    """Pairs (file, top-level package) for all imports that neither Python nor the project answers."""
    own = {"dirpriv", "study"} | set(sys.stdlib_module_names)
    # tests share modules of their own, and use tools
    own |= {path.stem for folder in ("tests", "tools", "benchmarks", "docs") for path in (ROOT / folder).rglob("*.py")}
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_bytes())):
                names = []
                if isinstance(node, ast.Import):
                    names = [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    names = [node.module]
                for name in names:
                    if name.partition(".")[0] not in own:
                        yield path.relative_to(ROOT).as_posix(), name.partition(".")[0]


@pytest.mark.parametrize(
    ("folders", "extras", "groups"),
    [
        (["src/dirpriv"], EXTRAS, []),
        (["src/study"], [], ["study"]),
        (["tests"], EXTRAS, ["study", "notebook", "test", "arrow", "engines", "opendp"]),
    ],
    ids=["library", "study", "tests"],
)
def test_what_is_imported_is_a_direct_dependency(folders, extras, groups):
    asked_for = [*PROJECT["dependencies"], *(text for extra in extras for text in EXTRAS[extra])]
    allowed = requirements([*asked_for, *of_groups(groups)]).keys()
    distributions = packages_distributions()
    for file, package in third_party_imports(folders):
        names = {canonicalize_name(name) for name in distributions.get(package, [package])}
        assert names & allowed, f"{file} imports {package}, which pyproject.toml does not ask for there"
