"""The words of src: phrases that have a simpler one are found, whatever lies between their words."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))

from check_words import INSTEAD, KEPT, ROOT, faults, main


def test_the_sources_have_none_of_these_phrases(capsys):
    assert main() == 0, capsys.readouterr().out


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
        ("the law of the noise", "the noise distribution"),
    ],
)
def test_a_phrase_with_a_simpler_one_is_seen(wrong, right):
    assert len(faults(f"x = 1\n{wrong}\n", "src/study/a.py")) == 1
    assert faults(wrong)[0].startswith(":1: write ") and faults(right) == []


def test_what_stays_is_there_and_stays_in_its_file_alone():
    assert len(KEPT) < 8 and {phrase for _, phrase in KEPT} & set(INSTEAD) <= {"law of the noise"}
    for path, phrase in KEPT:
        files = [ROOT / path] if Path(path).suffix else (ROOT / path).glob("*.py")
        assert any(phrase in file.read_text(encoding="utf-8").lower() for file in files), path
        assert faults(phrase, path) == [] and len(faults(phrase, "src/dirpriv/laws/steps/cap.py")) == 1
