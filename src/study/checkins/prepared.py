"""Check-ins of a prepared table, block by block: memory does not grow with the number of rows."""

import numpy as np

from dirpriv import geometry
from study.core.parquet import connect, query
from study.core.populations import ONE_DIRECTION, Population, population_of_hour

BLOCK_ROWS = 1 << 17


def blocks(path, columns, rows=None):
    """Yield columns of a prepared table, ``rows`` rows at a time: name -> array. A column may be SQL."""
    rows = rows or BLOCK_ROWS
    text = f"SELECT {', '.join(columns)} FROM read_parquet(?) WHERE file_row_number BETWEEN ? AND ?"
    with connect() as connection:
        for start in range(0, row_count(path), rows):
            yield connection.execute(text, [str(path), start, start + rows - 1]).fetchnumpy()


def seconds_of_day(table):
    """The local times of a block as whole seconds since midnight."""
    return table["local_time"].astype("datetime64[s]").astype(np.int64) % 86_400


def angles_of_times(path):
    """Yield the local times of day of each block as angles, midnight at 0."""
    for table in blocks(path, ["local_time"]):
        yield geometry.hours_to_angles(seconds_of_day(table) / 3600.0)


def places(path):
    """Yield the places of each block: latitude and longitude in degrees, shape (rows, 2)."""
    for table in blocks(path, ["latitude", "longitude"]):
        yield np.column_stack([table["latitude"], table["longitude"]])


def population_of(name, paths, hour):
    """The population called ``name``: everyone at one hour, or the check-ins in the first of ``paths``.

    The angles of all check-ins are kept in memory, because any may be drawn at any time.
    """
    if name == ONE_DIRECTION:
        return population_of_hour(hour)
    return Population(np.concatenate(list(angles_of_times(paths[0]))))


def sample(blocks, rows, count, rng):
    """Values of randomly chosen check-ins, no check-in twice.

    Parameters
    ----------
    blocks : iterable of ndarray
        Values of all check-ins, as :func:`angles_of_times` and :func:`places` yield them.
    rows : int
        Number of all check-ins.
    count : int
        Number to choose; all of them if there are fewer.
    rng : numpy.random.Generator

    Returns
    -------
    ndarray
        In the order of the table.
    """
    chosen = np.sort(rng.choice(rows, min(count, rows), replace=False, shuffle=False))
    kept, first = [], 0
    for block in blocks:
        here = slice(*np.searchsorted(chosen, [first, first + len(block)]))
        kept.append(block[chosen[here] - first])
        first += len(block)
    return np.concatenate(kept)


def row_count(path):
    """Number of check-ins in a prepared table."""
    return int(query("SELECT count(*) AS rows FROM read_parquet(?)", str(path))["rows"][0])
