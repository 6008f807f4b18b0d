"""What all tests of the study share."""

import sys

import pytest


@pytest.fixture(autouse=True)
def figures_are_closed():
    """Matplotlib keeps every figure of a process until it is closed."""
    yield
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
