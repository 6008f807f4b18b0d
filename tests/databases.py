"""One database of DuckDB in memory for all tests: each new one takes 20 ms of a processor.

The library opens one wherever it reads or writes a table. Here it gets a connection for each use. Tests of what a
release leaves, and all runs in processes of their own, open databases as the library does: ``open_database``.
"""

import functools

from dirpriv.release.files import atomic_output
from dirpriv.tables import table as tables

open_database = tables.connect


@functools.cache
def _database():
    database = open_database()
    database.execute("SET GLOBAL enable_external_file_cache = false")  # each reading is one of the file
    database.execute("SET GLOBAL TimeZone = 'UTC'")
    return database


def connection(memory=tables.MEMORY):
    """A connection with the settings of the library, to the database that is shared and has its memory."""
    return _database().cursor()


def close():
    """End the threads of the shared database, which copies of this process would lack; the next use opens another."""
    _database.cache_clear()


def share():
    """Let the library use the shared database in this process."""
    tables.connect = atomic_output.connect = connection
