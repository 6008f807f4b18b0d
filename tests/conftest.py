"""What tests in all folders share."""

import pytest
from browser import headless_browser


@pytest.fixture(scope="session")
def browser():
    """The command of a browser without a window and without a network; skips or fails where there is none."""
    return headless_browser()
