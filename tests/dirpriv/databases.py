"""One database of DuckDB in memory for many tests: each new one takes 13 ms of a processor.

The library opens one wherever it reads or writes a table. The tests of the command and of what a release
leaves let it do so; those that go through many small tables share one, by a connection for each use.
"""

import functools

from dirpriv.release.files import atomic_output
from dirpriv.tables import table as tables

open_database = tables.connect


@functools.cache
def _database():
    database = open_database()
    database.execute("SET GLOBAL enable_external_file_cache = false")  # each reading is one of the file
    return database


def connection(memory=tables.MEMORY):
    """A connection with the settings of the library, to the database that is shared and has its memory."""
    found = _database().cursor()
    found.execute("SET TimeZone = 'UTC'")
    return found


def share(monkeypatch):
    """Let the library use the shared database during a test."""
    for module in (tables, atomic_output):
        monkeypatch.setattr(module, "connect", connection)
