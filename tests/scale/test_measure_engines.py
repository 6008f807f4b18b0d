"""The measurement of engines runs."""

import sys

import pytest
from measure_engines import measure


@pytest.mark.skipif(sys.platform != "linux", reason="processor seconds of all processes are those of Linux")
def test_the_two_to_compare_with_are_measured():
    names = ("NumPy, which protects nothing", "release.times in one process")
    assert tuple(dict(measure(2000, names=names))) == names
