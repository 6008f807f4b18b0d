"""What the tests of the workflow share: their order, and what the finished smoke run would do next."""

import json

import pytest
from checkouts import Plan


def pytest_collection_modifyitems(items):
    """Begin with the file that makes the smoke run and with those that the other core runs meanwhile."""
    begin = ["test_same_bytes.py", "test_bad_input.py", "test_rules.py", "test_cleaning.py"]
    items.sort(key=lambda item: (*begin, item.path.name).index(item.path.name))


@pytest.fixture(scope="session")
def plan(smoke_run):
    """What the finished smoke run would do next."""
    return Plan(json.loads((smoke_run.source.parent / "plan.json").read_text(encoding="utf-8")))
