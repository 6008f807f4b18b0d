"""The page of attacks: each failure has its row, and each row a test that exists and that runs."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/under_attack.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and "what happens now" not in line]
NAMED = re.compile(r"`(\w+/test_\w+\.py)::(test_\w+)`")


def functions_of(path):
    """Names of the test functions of a file, but of those that a mark may skip."""
    functions = [node for node in ast.parse(path.read_bytes()).body if isinstance(node, ast.FunctionDef)]
    skipped = [f for f in functions if any("mark.skip" in ast.unparse(d) for d in f.decorator_list)]
    return {f.name for f in functions if f not in skipped}


def missing(text):
    """Tests that a text names and that do not exist."""
    named = [(ROOT / "tests" / path, name) for path, name in NAMED.findall(text)]
    return [name for path, name in named if not path.is_file() or name not in functions_of(path)]


def test_each_failure_has_a_row_with_a_test_that_exists():
    assert [int(row.split("|")[1]) for row in ROWS if re.match(r"\| \d", row)] == list(range(1, 27))
    assert len(ROWS) > 30 and all(NAMED.search(row.partition("<br>")[2]) for row in ROWS)
    assert missing(PAGE) == []


def test_a_test_that_is_gone_is_seen():
    """The wrong variant."""
    text = "`attack/test_page.py::test_that_is_gone`, `attack/test_gone.py::test_page`"
    assert missing(text) == ["test_that_is_gone", "test_page"]
