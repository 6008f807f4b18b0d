"""What the documents say in numbers is what the library computes."""

import math
import re
from pathlib import Path

import pytest

from dirpriv.release import CircleRelease

DOCS = Path(__file__).resolve().parents[2] / "docs"
ROW = re.compile(r"\| (?:ln 4 = )?([\d.]+) \| ([\d.]+) % \| (?:(\d+) h )?(\d+) min \|")


def rows():
    return ROW.findall((DOCS / "before_you_release.md").read_text(encoding="utf-8"))


def wrong(level, sure, hours, minutes):
    """What of a row of the table of levels is not true of a release within 3 hours."""
    level = math.log(4.0) if level == "1.386" else float(level)
    release = CircleRelease.within(level, "3h")
    believed = 100.0 / (1.0 + math.exp(-level))
    half = release.law.angle_ppf(0.5) * 720.0 / math.pi
    off = abs(60 * int(hours or 0) + int(minutes) - half) > 1.0  # cells are a minute wide
    digits = len(sure.partition(".")[2])
    return [
        name for name, bad in {"sure": round(believed, digits) != float(sure), "half": off}.items() if bad
    ]


@pytest.mark.parametrize("row", rows())
def test_the_table_of_levels_is_true(row):
    assert wrong(*row) == []


def test_a_wrong_table_of_levels_is_seen():
    assert len(rows()) == 4
    assert wrong("1", "73", "2", "10") == ["half"]
    assert wrong("1", "74", "2", "01") == ["sure"]
