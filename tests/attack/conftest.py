"""Tests of attacks share helpers of the tests of the study."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "study"))
