"""Queries that need more memory than they may use; DuckDB where nothing shows progress."""

import duckdb
import numpy as np
import pytest

from study.workflow import parquet

GROUPS = 300_000
TEXT = f"SELECT hash(i % {GROUPS}) AS name, count(*) AS rows, max(i) AS last FROM range(?) AS t(i) GROUP BY ALL"
LITTLE = "24MB"


def test_what_does_not_fit_into_memory_goes_to_the_disk(tmp_path, monkeypatch):
    """The same groups as with enough memory, and no file left; without a folder the query fails."""
    monkeypatch.setattr(parquet.tempfile, "tempdir", str(tmp_path))
    text = f"{TEXT} ORDER BY name"
    little, enough = (parquet.query(text, 3 * GROUPS, memory=size) for size in (LITTLE, "1GB"))
    assert all(np.array_equal(little[name], enough[name]) for name in ("name", "rows", "last"))
    assert set(little["rows"]) == {3} and not list(tmp_path.iterdir())
    with parquet.connect(memory_limit=LITTLE, temp_directory="") as connection:
        with pytest.raises(duckdb.OutOfMemoryException):
            connection.execute(text, [3 * GROUPS]).fetchnumpy()


def test_no_progress_bar_is_switched_off_where_there_is_none(monkeypatch):
    """In a notebook without widgets DuckDB refuses even to switch it off."""

    class Without:
        """A connection that refuses statements about the bar, and knows that it shows none."""

        def __init__(self, connection):
            self.connection = connection

        def execute(self, text, *values):
            assert not text.startswith("SET enable_progress_bar")
            return self.connection.execute(text.replace("current_setting('enable_progress_bar')", "false"))

    connect = duckdb.connect
    monkeypatch.setattr(duckdb, "connect", lambda **settings: Without(connect(**settings)))
    assert parquet.connect().execute("SELECT current_setting('TimeZone')").fetchall() == [("UTC",)]
