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
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCKS = {
    "requirements.txt": ("study", "tables", "pictures", "transport", "fast", "build"),
    "requirements-dev.txt": ("notebook", "test"),
    "requirements-docs.txt": ("docs",),
    "requirements-arrow.txt": ("arrow",),
    "requirements-engines.txt": ("engines",),
    "requirements-cluster.txt": ("cluster",),
}
"""Each lock with the extras that it serves: of the study, its tests, the documentation, what lies beside
all, and what a cluster needs."""

CONDA_NAMES = {"duckdb": "python-duckdb", "tzdata": "python-tzdata"}
"""PyPI name to conda name, where the two differ."""


def direct_dependencies(extras):
    """Requirement by canonical name, of the library and of some extras."""
    texts = [*PROJECT["dependencies"]]
    for extra in extras:
        texts += PROJECT["optional-dependencies"][extra]
    found = {}
    for requirement in map(Requirement, texts):
        first = found.setdefault(canonicalize_name(requirement.name), requirement)
        assert str(first) == str(requirement), f"pyproject.toml asks for {first} and for {requirement}"
    return found


class Pin(NamedTuple):
    """One version of a package in a lock."""

    version: str
    marker: str  # where it is installed; empty if everywhere
    hashes: frozenset
    asked_for: bool  # by pyproject.toml itself, not by another package alone


def pins_of(lock):
    """Pins of a lock by canonical name: several where the version depends on the machine."""
    pins = {}
    for block in re.split(r"\n(?=\S)", (ROOT / lock).read_text(encoding="utf-8")):
        if block.startswith("#"):  # what was left out on purpose
            continue
        match = re.match(r"([A-Za-z0-9._-]+)==([^ ;\\\n]+)(?: ; ([^\\\n]+?))? *\\", block)
        assert match, f"{lock} pins nothing in: {block}"
        hashes = frozenset(re.findall(r"--hash=(sha256:[0-9a-f]{64})", block))
        pin = Pin(match[2], match[3] or "", hashes, "dirpriv (pyproject.toml)" in block)
        pins.setdefault(canonicalize_name(match[1]), []).append(pin)
    return pins


DEPENDENCIES = direct_dependencies(PROJECT["optional-dependencies"])
each_lock = pytest.mark.parametrize("lock", LOCKS)


def test_conda_asks_for_the_same_names_and_ranges():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    found = {}
    for entry in environment["dependencies"]:
        name, _, specifier = entry.partition(" ")
        assert name not in found, f"{name} is listed twice in environment.yml"
        found[name] = SpecifierSet(specifier)
    expected = {CONDA_NAMES.get(name, name): r.specifier for name, r in DEPENDENCIES.items()}
    assert found == {"python": SpecifierSet(PROJECT["requires-python"]), **expected}
    assert environment["name"] == PROJECT["name"]


def test_every_extra_has_its_lock():
    served = [extra for extras in LOCKS.values() for extra in extras]
    assert sorted(served) == sorted(PROJECT["optional-dependencies"])


@each_lock
def test_a_lock_pins_what_is_asked_for_within_its_range(lock):
    pins, wanted = pins_of(lock), direct_dependencies(LOCKS[lock])
    if lock in ("requirements-arrow.txt", "requirements-engines.txt"):  # beside an environment that has them
        wanted = {name: wanted[name] for name in wanted.keys() - direct_dependencies(()).keys()}
    asked_for = {name for name, entries in pins.items() if any(pin.asked_for for pin in entries)}
    assert asked_for == set(wanted), f"{lock} is not that of pyproject.toml: make the locks again"
    for name, requirement in wanted.items():
        for pin in pins[name]:
            assert requirement.specifier.contains(pin.version), f"{name} {pin.version} is out of range"


@each_lock
def test_every_pin_has_a_hash(lock):
    pins = pins_of(lock)
    assert len(pins) > len(direct_dependencies(LOCKS[lock])) or list(pins) == ["pyarrow"]
    assert [name for name, entries in pins.items() if not all(pin.hashes for pin in entries)] == []


@each_lock
def test_a_lock_holds_no_address(lock):
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert "://" not in text
    options = [line for line in text.splitlines() if line.startswith("-")]
    assert options == [], "an option such as --index-url belongs to the machine, not into the lock"


@pytest.mark.parametrize(
    ("lock", "added"),
    [
        ("requirements.txt", "requirements-dev.txt"),
        ("requirements.txt", "requirements-docs.txt"),
        ("requirements-dev.txt", "requirements-docs.txt"),
        ("requirements.txt", "requirements-cluster.txt"),
    ],
)
def test_a_lock_only_adds_to_another(lock, added):
    """What both pin they pin at the same versions and for the same files."""
    first, second = pins_of(lock), pins_of(added)

    def files(pins, name):
        return {(pin.version, pin.hashes) for pin in pins[name]}

    both = first.keys() & second.keys()
    assert len(both) > 5 and ("dev" in lock or {"numpy", "scipy"} <= both)
    assert [name for name in both if not files(second, name) <= files(first, name)] == []


def test_the_first_lock_does_without_tests_and_notebooks():
    extras = LOCKS["requirements-dev.txt"]
    added = direct_dependencies(extras).keys() - direct_dependencies(()).keys()
    of_snakemake = {"nbformat", "packaging"}  # it needs these two itself
    assert added & pins_of("requirements.txt").keys() == of_snakemake


@pytest.mark.parametrize("name", sorted(DEPENDENCIES))
def test_contributing_gives_the_reason_for_it(name):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").lower()
    assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text), f"{name} is not in CONTRIBUTING.md"


def third_party_imports(folders):
    """Pairs (file, top-level package) for all imports that neither Python nor the project answers."""
    own = {"dirpriv", "study"} | set(sys.stdlib_module_names)
    # tests share modules of their own, and use tools
    own |= {path.stem for folder in ("tests", "tools") for path in (ROOT / folder).rglob("*.py")}
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
    ("folders", "extras"),
    [
        (["src/dirpriv"], ["tables", "pictures", "fast", "transport"]),
        (["src/study"], ["study"]),
        (
            ["tests"],
            ["study", "notebook", "fast", "transport", "test", "arrow", "engines", "tables", "pictures"],
        ),
    ],
    ids=["library", "study", "tests"],
)
def test_what_is_imported_is_a_direct_dependency(folders, extras):
    texts = [
        *PROJECT["dependencies"],
        *(t for extra in extras for t in PROJECT["optional-dependencies"][extra]),
    ]
    allowed = {canonicalize_name(Requirement(text).name) for text in texts}
    distributions = packages_distributions()
    for file, package in third_party_imports(folders):
        names = {canonicalize_name(name) for name in distributions.get(package, [package])}
        assert names & allowed, f"{file} imports {package}, which pyproject.toml does not ask for there"
