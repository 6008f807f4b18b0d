"""Parquet files by DuckDB on one thread: several threads would change the order of rows and row groups."""

import duckdb

from study.core.job import moved_into_place


def connect(**settings):
    """A connection to DuckDB, in memory."""
    connection = duckdb.connect(config={"threads": 1} | settings)
    connection.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
    return connection


def query(text, *values):
    """Columns that an SQL statement returns: name -> array."""
    with connect() as connection:
        return connection.execute(text, values).fetchnumpy()


def read_parquet(path):
    """A Parquet file as :class:`pandas.DataFrame`."""
    with connect() as connection:
        return connection.read_parquet(str(path)).df()


def write_parquet(table, path):
    """Write a data frame under a temporary name, then move it into place."""
    with moved_into_place(path) as temporary, connect() as connection:
        connection.from_df(table).write_parquet(str(temporary), compression="zstd")
