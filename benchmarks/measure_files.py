"""Time and memory of releases of files: ``python benchmarks/measure_files.py 33278683``.

Writes files of check-ins with times, users and places, releases columns of them, each in a process of its
own, and prints seconds, processor seconds and the largest memory of that process (all of it, with the
interpreter).
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

RELEASES = {
    "Parquet: times": {"input": "checkins.parquet", "output": "times.parquet", "time": "time"},
    "Parquet: times, as CSV": {"input": "checkins.parquet", "output": "times.csv", "time": "time"},
    "CSV: times": {"input": "checkins.csv", "output": "text_times.csv", "time": "time"},
    "Parquet: two rows of each person": {
        "input": "checkins.parquet",
        "output": "persons.parquet",
        "time": "time",
        "user": "user",
        "max_rows_per_person": 2,
    },
    "Parquet: places": {
        "input": "checkins.parquet",
        "output": "places.parquet",
        "latitude": "latitude",
        "longitude": "longitude",
        "radius": "200m",
        "region_centre": [40.75, -73.98],
        "region_reach": "30km",
        "cell_size": "10m",
    },
}
ONE = """
import json, resource, sys, time
from dirpriv import release
call = {"level": 1.0, "radius": "3h", "rerelease": True, "other_people": True} | json.loads(sys.argv[1])
start = time.perf_counter()
release.file(**call)
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024.0]))
"""


def write_checkins(folder, rows):
    """A Parquet file and a CSV with the same check-ins, in the order of their times."""
    people = max(rows // 125, 1)
    with duckdb.connect(config={"threads": 2, "memory_limit": "1GB", "temp_directory": ""}) as connection:
        connection.execute("SELECT setseed(0.5)")
        for name, options in (("checkins.parquet", "FORMAT parquet"), ("checkins.csv", "FORMAT csv")):
            connection.execute(
                "COPY (SELECT TIMESTAMP '2012-04-03' + to_seconds(i * 31536000 // ?) AS time, "
                "'u' || (hash(i) % ?) AS user, 40.6 + random() * 0.3 AS latitude, -74.1 + random() * "
                "0.3 AS longitude "
                f"FROM range(?) AS rows(i)) TO '{folder / name}' ({options})",
                [rows, people, rows],
            )


def measure(rows, names=tuple(RELEASES)):
    """Tuples: what is released, seconds, processor seconds, MB, and how many rows came out."""
    with tempfile.TemporaryDirectory() as home:
        folder = Path(home, "data")
        folder.mkdir()
        write_checkins(folder, rows)
        environment = os.environ | {"XDG_CONFIG_HOME": str(Path(home, "configuration", "of", "user"))}
        for name in names:
            paths = {end: str(folder / RELEASES[name][end]) for end in ("input", "output")}
            done = subprocess.run(
                [sys.executable, "-c", ONE, json.dumps(RELEASES[name] | paths)],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            )
            released = duckdb.sql(f"SELECT count(*) FROM '{paths['output']}'").fetchall()[0][0]
            yield name, *json.loads(done.stdout), released


if __name__ == "__main__":
    begin = time.perf_counter()
    for name, *costs, rows in measure(int(sys.argv[1]), tuple(sys.argv[2:]) or tuple(RELEASES)):
        said = "{:.1f} s, {:.1f} s of processor, {:.0f} MB".format(*costs)
        print(f"{name}: {said}, {rows} rows", flush=True)
    print(f"in all {time.perf_counter() - begin:.0f} s")
