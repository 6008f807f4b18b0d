"""The words of all that is read: phrases with a simpler one are found, whatever is between their words."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))

from check_words import INSTEAD, KEPT, ROOT, UNREAD, faults, texts


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("Mend the rows", "fix the rows"),
        ("hands it to the reader, handed on", "hands it to the reader"),
        ("who takes off who sent it", "who removes who sent it"),
        ("a file of the\n    # user's", "the user's file"),
        ('"all but for "\n    "one"', "all except one"),
        ("at most so many cells", "so many cells that none is empty"),
        ("as they stand", "as they are"),
        ("the claim {name} stands in A.yaml", "three densities are in A"),
        ("the distribution of the noise", "the noise distribution"),
        ("what makes a claim is what the file says", "the file makes the claim"),
        ("the reports are\ntold", "they are told apart"),
        ("refused for nothing", "it asks for nothing else"),
    ],
)
def test_a_phrase_with_a_simpler_one_is_seen(wrong, right):
    assert len(faults(f"x = 1\n{wrong}\n", "src/study/a.py")) == 1
    assert faults(wrong)[0].startswith(":1: write ") and faults(right) == []


def test_all_that_is_read_is_checked():
    """One file of each kind that a reader meets; a notebook by its cells, not by its quoted lines."""
    read = dict(texts())
    assert {
        "CONTRIBUTING.md",
        "Makefile",
        "config/claims/A.yaml",
        "examples/README.md",
        "src/dirpriv/command/release.py",
        "src/study/claims/page.html.j2",
        "src/study/experiments/busyness/caption.rst",
        "src/study/experiments/busyness/rules.smk",
    } <= set(read)
    assert not any(name.startswith(UNREAD) for name in read)


def test_what_stays_is_there_and_stays_in_its_file_alone():
    assert len(KEPT) < 8 and {phrase for _, phrase in KEPT} & set(INSTEAD) <= {"distribution of the noise"}
    for path, phrase in KEPT:
        files = [ROOT / path] if Path(path).suffix else (ROOT / path).glob("*.py")
        assert any(phrase in file.read_text(encoding="utf-8").lower() for file in files), path
        assert (
            faults(phrase, path) == [] and len(faults(phrase, "src/dirpriv/distributions/piecewise/families.py")) == 1
        )
