"""What comments and docstrings name is there: files of the project, private names, sections of pages."""

import functools
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = [path for folder in ("src", "tools", "tests", "benchmarks") for path in sorted((ROOT / folder).rglob("*.py"))]
FOLDERS = ("src", "tools", "tests", "benchmarks", "config", "docs", "notebooks", "examples", ".ci", ".github")
FILES = [f"/{path.relative_to(ROOT)}" for folder in FOLDERS for path in (ROOT / folder).rglob("*.*")]
FILES += [f"/{path.name}" for path in ROOT.iterdir()]
FILE = re.compile(r"(?<![\w*./{<-])[\w./-]+\.(?:py|pyi|md|yaml|toml|smk|rst|css|js|j2|ipynb)(?![\w.])")
"""A file of a kind that no run writes."""
OF_USERS = {"my.yaml", "my_mechanism.py", "script.py"}


@functools.cache
def code_of(module):
    """The code of the modules of a name."""
    return "\n".join(path.read_text(encoding="utf-8") for path in SOURCES if path.stem == module)


def stale(text, docstring_alone=False):
    """What a text of Python names in docstrings and comments that is not there."""
    parts = text.split('"""')
    prose = "\n".join(parts[1:2] if docstring_alone else parts[1::2])
    if not docstring_alone:
        prose += "\n".join(re.findall(r"(?:^|\s)#\s(.*)", "\n".join(parts[::2])))
    found = {name for name in FILE.findall(prose) if not any(f.endswith(f"/{name}") for f in FILES)} - OF_USERS
    for module, name in re.findall(r"``(?:[\w.]+\.)?(\w+)\.(_\w+)``", prose):
        if not re.search(rf"^\s*(?:def |class )?{name}\b", code_of(module), re.M):
            found.add(f"{module}.{name}")
    for page, place in re.findall(r"(docs/\w+\.md), [\"“]([^\"”]+)[\"”]", " ".join(prose.split())):
        if not re.search(rf"^(?:#+ |\*\*){re.escape(place)}\.?(?:\*\*|$)", (ROOT / page).read_text("utf-8"), re.M):
            found.add(f"{page}, {place}")
    return found


def test_what_is_named_is_there():
    texts = {path: path.read_text(encoding="utf-8") for path in SOURCES}
    found = {path.name: stale(text, path.parts[len(ROOT.parts)] == "tests") for path, text in texts.items()}
    assert {name: names for name, names in found.items() if names} == {}


def test_a_stale_name_is_seen():
    right = '"""As ``directions._project``; see tools/check_words.py and docs/mathematics.md, “Rotations”."""\n'
    assert stale(right + "x = 1  # of config/config.yaml, not of my.yaml\n") == set()
    wrong = '"""As ``directions._projected``; see check_word.py and docs/mathematics.md,\n"Rotation"."""\n'
    seen = {"directions._projected", "check_word.py", "docs/mathematics.md, Rotation", "statements.yaml"}
    assert stale(wrong + "x = 1  # of statements.yaml\n") == seen
