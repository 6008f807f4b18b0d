"""Databases of DuckDB in memory for all tests: each new one takes 20 ms of a processor.

The library opens one wherever it reads or writes a table. Here it gets a connection for each use of one database.
Tests of what a release leaves, and all runs in processes of their own, open databases as the library does:
``open_database``. The study gets databases that an earlier use has left, emptied. A use that fails leaves none.
"""

import functools
import tempfile

import duckdb

from dirpriv.release.files import atomic_output
from dirpriv.tables import table as tables
from study.workflow import parquet

open_database, open_study_database, duckdb_connect = tables.connect, parquet.connect, duckdb.connect
_left = {}
"""Connections that nothing uses, each to a database of its own, by their settings."""


@functools.cache
def _database():
    database = open_database()
    database.execute("SET GLOBAL enable_external_file_cache = false")  # each reading is one of the file
    database.execute("SET GLOBAL TimeZone = 'UTC'")
    return database


def connection(memory=tables.MEMORY):
    """A connection with the settings of the library, to the database that is shared and has its memory."""
    return _database().cursor()


@functools.cache
def _folder():
    """For what does not fit into the memory of such a database, which ends after the folder of its use."""
    return tempfile.TemporaryDirectory()


class StudyDatabase:
    """A connection with these settings to an empty database of the study."""

    def __init__(self, **settings):
        if settings.get("temp_directory"):
            settings["temp_directory"] = _folder().name
        self.settings = tuple(settings.items())
        if left := _left.get(self.settings):
            self.connection = left.pop()
        else:
            self.connection = open_study_database(**settings)
            self.connection.execute("SET GLOBAL enable_external_file_cache = false")  # each reading is one of the file

    def __getattr__(self, name):
        return getattr(self.connection, name)

    def __enter__(self):
        return self.connection

    def __exit__(self, failure, *_):
        if failure:
            self.connection.close()
            return
        for (name,) in self.connection.execute("SELECT table_name FROM duckdb_tables()").fetchall():
            self.connection.execute(f'DROP TABLE "{name}"')
        _left.setdefault(self.settings, []).append(self.connection)


def study_connection(**settings):
    """A connection for the study; as it opens one where a test limits the memory or opens databases in another way."""
    usual = settings.get("memory_limit", parquet.MEMORY) == parquet.MEMORY and duckdb.connect is duckdb_connect
    return (StudyDatabase if usual else open_study_database)(**settings)


def close():
    """End the threads of the databases, which copies of this process would lack; the next use opens another."""
    _database.cache_clear()
    _left.clear()
    _folder.cache_clear()


def share():
    """Let the library and the study use these databases in this process."""
    tables.connect = atomic_output.connect = connection
    parquet.connect = study_connection
