"""Check-ins of a prepared table, block by block: memory does not grow with the number of rows."""

import numpy as np

from dirpriv import geometry
from study.simulation.populations import ONE_DIRECTION, Population, population_of_hour
from study.workflow.parquet import connect, query

BLOCK_ROWS = 1 << 17
DAY = 86_400  # seconds
PLACE = ["latitude", "longitude"]


def blocks(path, columns, rows=None):
    """Yield columns of a prepared table, ``rows`` rows at a time: name -> array. A column may be SQL."""
    rows = rows or BLOCK_ROWS
    text = f"SELECT {', '.join(columns)} FROM read_parquet(?) WHERE file_row_number BETWEEN ? AND ?"
    with connect() as connection:
        for start in range(0, row_count(path), rows):
            yield connection.execute(text, [str(path), start, start + rows - 1]).fetchnumpy()


def seconds_of_day(table):
    """The local times of a block as whole seconds since midnight."""
    return table["local_time"].astype("datetime64[s]").astype(np.int64) % DAY


def counts_of_seconds(path):
    """Number of check-ins in each second of the day, by local time: an array of 86 400."""
    second = "3600 * hour(local_time) + 60 * minute(local_time) + second(local_time)"
    text = f"SELECT {second} AS second, count(*) AS checkins FROM read_parquet(?) GROUP BY ALL"
    table = query(text, str(path))
    counts = np.zeros(DAY, dtype=np.int64)
    counts[table["second"]] = table["checkins"]
    return counts


def places(path):
    """Yield the places of each block: latitude and longitude in degrees, shape (rows, 2)."""
    for table in blocks(path, PLACE):
        yield np.column_stack([table[name] for name in PLACE])


def population_of(name, paths, hour):
    """The population of a name: all at one hour, or the check-ins of ``paths[0]``, which stay in memory."""
    if name == ONE_DIRECTION:
        return population_of_hour(hour)
    seconds = np.concatenate([seconds_of_day(table) for table in blocks(paths[0], ["local_time"])])
    return Population(geometry.hours_to_angles(seconds / 3600.0))


def sample(path, columns, count, rng):
    """Columns (or SQL) of ``count`` random check-ins, or of all, in the order of the table: name -> array."""
    rows = row_count(path)
    chosen = np.sort(rng.choice(rows, min(count, rows), replace=False, shuffle=False))
    text = f"SELECT {', '.join(columns)} FROM read_parquet(?)"
    text += " WHERE file_row_number IN (SELECT unnest(?::BIGINT[])) ORDER BY file_row_number"
    return query(text, str(path), chosen.tolist())


def row_count(path):
    """Number of check-ins in a prepared table."""
    return int(query("SELECT count(*) AS rows FROM read_parquet(?)", str(path))["rows"][0])
