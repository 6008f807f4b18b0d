"""The measurement of engines runs."""

import shutil

import pytest
from measure_engines import measure


@pytest.mark.skipif(not shutil.which("taskset"), reason="there is no taskset")
def test_the_two_to_compare_with_are_measured():
    names = ("NumPy, which protects nothing", "release.times in one process")
    assert tuple(dict(measure(2000, names=names))) == names
