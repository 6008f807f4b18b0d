"""pyproject.toml, environment.yml, requirements.txt and CONTRIBUTING.md name the same packages."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK = (ROOT / "requirements.txt").read_text(encoding="utf-8")

CONDA_NAMES = {"tzdata": "python-tzdata"}
"""PyPI name to conda name, where the two differ."""


def direct_dependencies():
    """Requirement by canonical name, of the library and of all extras."""
    texts = [*PROJECT["dependencies"]]
    for extra in PROJECT["optional-dependencies"].values():
        texts += extra
    requirements = [Requirement(text) for text in texts]
    names = [canonicalize_name(requirement.name) for requirement in requirements]
    assert len(names) == len(set(names)), "a package is listed twice in pyproject.toml"
    return dict(zip(names, requirements, strict=True))


def pinned():
    """Version and number of hashes of each pin of the lock, by canonical name."""
    pins = {}
    for block in re.split(r"\n(?=\S)", LOCK):
        match = re.match(r"([A-Za-z0-9._-]+)==([^ ;\\\n]+)", block)
        if match:
            pins.setdefault(canonicalize_name(match[1]), []).append((match[2], block.count("--hash=sha256:")))
    return pins


DEPENDENCIES = direct_dependencies()


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


@pytest.mark.parametrize("name", sorted(DEPENDENCIES))
def test_the_lock_pins_it_within_its_range(name):
    pins = pinned()
    assert name in pins, f"{name} is not in requirements.txt: make the lock again"
    for version, _ in pins[name]:
        assert DEPENDENCIES[name].specifier.contains(version), f"{name} {version} is out of range"


def test_every_pin_has_a_hash():
    pins = pinned()
    assert len(pins) > len(DEPENDENCIES)
    assert [name for name, entries in pins.items() if not all(hashes for _, hashes in entries)] == []


def test_the_lock_holds_no_address():
    assert "://" not in LOCK
    options = [line for line in LOCK.splitlines() if line.startswith("-")]
    assert options == [], "an option such as --index-url belongs to the machine, not into the lock"


@pytest.mark.parametrize("name", sorted(DEPENDENCIES))
def test_contributing_gives_the_reason_for_it(name):
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").lower()
    assert re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text), f"{name} is not in CONTRIBUTING.md"


def third_party_imports(folders):
    """Pairs (file, top-level package) for all imports that neither Python nor the project answers."""
    own = {"dirpriv", "study"} | set(sys.stdlib_module_names)
    own |= {path.stem for path in (ROOT / "tests").rglob("*.py")}  # tests share modules of their own
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
        (["src/dirpriv"], ["fast", "transport"]),
        (["src/study"], ["study"]),
        (["tests"], ["study", "notebook", "fast", "transport", "test"]),
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
