"""Parquet files by DuckDB on one thread: several threads would change the order of rows and row groups."""

import secrets
import tempfile

import duckdb

from study.workflow.job import moved_into_place

MEMORY = "400MB"  # for what a statement sorts or groups; what does not fit goes to the disk

KEY = secrets.token_hex(16)
"""Of the hashes of names in this process: nobody can construct two names that share one."""


def hashed(name):
    """SQL for a hash of a text with 64 bits. Its order is another in each process."""
    return f"hash('{KEY}' || {name})"


def connect(**settings):
    """A connection to DuckDB, in memory, whose times are in UTC, and which shows no progress bar."""
    connection = duckdb.connect(config={"threads": 1} | settings)
    connection.execute("SET TimeZone = 'UTC'")
    if connection.execute("SELECT current_setting('enable_progress_bar')").fetchall()[0][0]:
        # in a notebook without ipywidgets there is none, and DuckDB refuses even to switch it off
        connection.execute("SET enable_progress_bar = false")
    return connection


def literal(text):
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def query(text, *values, memory=MEMORY):
    """Columns that an SQL statement returns: name -> array. ``memory`` limits what it keeps in memory."""
    with tempfile.TemporaryDirectory() as folder, connect(temp_directory=folder, memory_limit=memory) as connection:
        return connection.execute(text, values).fetchnumpy()


def read_parquet(path):
    """A Parquet file as :class:`pandas.DataFrame`."""
    with connect() as connection:
        return to_frame(connection.read_parquet(str(path)))


def to_frame(relation):
    """A relation as :class:`pandas.DataFrame`; times with a zone are in UTC.

    DuckDB makes these columns by an argument of pandas that is going away, so pandas makes them here.
    """
    columns = zip(relation.columns, relation.types, strict=True)
    zoned = [name for name, kind in columns if kind == "TIMESTAMP WITH TIME ZONE"]
    if not zoned:
        return relation.df()
    local = ", ".join(f"""{name} AT TIME ZONE 'UTC' AS {name}""" for name in (f'"{name}"' for name in zoned))
    table = relation.project(f"* REPLACE ({local})").df()
    return table.assign(**{name: table[name].dt.tz_localize("UTC") for name in zoned})


def write_parquet(table, path):
    """Write a data frame under a temporary name, then move it into place."""
    with moved_into_place(path) as temporary, connect() as connection:
        connection.from_df(table).write_parquet(str(temporary), compression="zstd")
