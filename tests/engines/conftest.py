"""Rows that every engine releases."""

import pytest
from engine_runs import FEW, ROWS, needed, write_visits


@pytest.fixture(scope="session")
def visits(tmp_path_factory):
    """A folder with ``visits.parquet``, the same rows for all engines."""
    needed("duckdb")
    folder = tmp_path_factory.mktemp("visits")
    write_visits(folder, ROWS)
    return folder


@pytest.fixture
def folder(visits, tmp_path):
    """A folder for one recipe."""
    (tmp_path / "visits.parquet").symlink_to(visits / "visits.parquet")
    return tmp_path


@pytest.fixture
def few(tmp_path):
    """A folder for one recipe, with rows enough for the statistics."""
    needed("duckdb")
    write_visits(tmp_path, FEW)
    return tmp_path
