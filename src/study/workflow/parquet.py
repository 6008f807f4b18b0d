"""Parquet files by DuckDB on one thread: several threads would change the order of rows and row groups."""

import secrets
import tempfile

import duckdb

from dirpriv.release.files.tables import settled
from study.workflow.job import moved_into_place

MEMORY = "400MB"  # for what a statement sorts or groups; what does not fit goes to the disk

KEY = secrets.token_hex(16)
"""Of the hashes of names in this process: nobody can construct two names that share one."""


def hashed(name):
    """SQL for a hash of a text with 64 bits. Its order is another in each process."""
    return f"hash('{KEY}' || {name})"


def connect(**settings):
    """A connection to DuckDB, in memory."""
    return settled(duckdb.connect(config={"threads": 1} | settings))


def query(text, *values, memory=MEMORY):
    """Columns that an SQL statement returns: name -> array. ``memory`` limits what it keeps in memory."""
    with (
        tempfile.TemporaryDirectory() as folder,
        connect(temp_directory=folder, memory_limit=memory) as connection,
    ):
        return connection.execute(text, values).fetchnumpy()


def read_parquet(path):
    """A Parquet file as :class:`pandas.DataFrame`."""
    with connect() as connection:
        return connection.read_parquet(str(path)).df()


def write_parquet(table, path):
    """Write a data frame under a temporary name, then move it into place."""
    with moved_into_place(path) as temporary, connect() as connection:
        connection.from_df(table).write_parquet(str(temporary), compression="zstd")
