"""The look of the study for tests of figures: `from looks import styled  # noqa: F401`."""

import matplotlib.pyplot as plt
import pytest

from study.core import figures


@pytest.fixture(autouse=True)
def styled():
    """Run each test of the module as a rule's script is run, and close its figures afterwards."""
    with figures.styled():
        yield
        plt.close("all")
