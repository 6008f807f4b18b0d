"""Check-ins of a prepared table, a row group at a time: memory does not grow with the number of rows."""

import numpy as np
import pyarrow.parquet as pq

from dirpriv import geometry

DAY = 86_400_000  # milliseconds


def angles_of_times(path):
    """Yield the local times of day of each row group as angles, midnight at 0."""
    for (times,) in _row_groups(path, ["local_time"]):
        milliseconds = times.astype("datetime64[ms]").astype(np.int64)
        yield geometry.hours_to_angles(milliseconds % DAY / (DAY / 24.0))


def places(path):
    """Yield the places of each row group: latitude and longitude in degrees, shape (rows, 2)."""
    for degrees in _row_groups(path, ["latitude", "longitude"]):
        yield np.column_stack(degrees)


def sample(blocks, rows, count, rng):
    """Values of randomly chosen check-ins, no check-in twice.

    Parameters
    ----------
    blocks : iterable of ndarray
        Values of all of them, as :func:`angles_of_times` and :func:`places` yield them.
    rows : int
        Number of all of them.
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
    return pq.ParquetFile(path).metadata.num_rows


def _row_groups(path, columns):
    file = pq.ParquetFile(path)
    for group in range(file.num_row_groups):
        table = file.read_row_group(group, columns=columns)
        yield [table[column].to_numpy() for column in columns]
