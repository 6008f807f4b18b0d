"""A file of real check-ins, for the tests that need one: the project may not contain it."""

import os

import pytest

SAMPLE = os.environ.get("DIRPRIV_REAL_SAMPLE")
needs_sample = pytest.mark.skipif(
    SAMPLE is None, reason="needs real check-ins, which are not in the project: set DIRPRIV_REAL_SAMPLE"
)
