"""The measurement of engines runs."""

import sys

import pytest
from measure_engines import measure


@pytest.mark.skipif(sys.platform != "linux", reason="processor seconds of all processes are those of Linux")
def test_what_engines_are_compared_with_is_measured():
    names = ("release.times in one process",)
    assert tuple(dict(measure(2000, names=names))) == names
