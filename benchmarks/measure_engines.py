"""Rows per second and core of releases in engines: ``python benchmarks/measure_engines.py 3000000``.

Runs the recipes of ``docs/in_your_engine.md`` and, beside them, two scripts that read and write the same
files with NumPy alone: one adds noise that protects nothing, the other calls ``release.times``. Processor
seconds of a script and of all processes that it starts count, on Linux. Each runs with many rows and with
few, and the difference counts: engines which take long to start are compared by the rows alone. Engines
that are not installed are left out. The rates of one run are to be compared with each other only.
"""

import importlib
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests/engines"))

from engine_runs import recipe, run, write_visits

READ = """
import duckdb
import numpy as np
from dirpriv import release

arrival = duckdb.sql("SELECT arrival FROM 'visits.parquet'").fetchnumpy()["arrival"]
"""
WRITE = """
private = {"arrival": private[order].astype("timedelta64[us]").astype("int64")}
duckdb.sql("COPY (SELECT arrival FROM private) TO 'private.parquet'")
"""
NUMPY = """
rng = np.random.default_rng()
noise = rng.laplace(0.0, 180.0, len(arrival)).astype("timedelta64[m]")
private = (arrival + noise - arrival.astype("datetime64[D]")) % np.timedelta64(1440, "m")
order = rng.permutation(len(arrival))
"""
TIMES = """
private = release.times(arrival, level=1.0, radius="3h")
order = np.argsort(release.shuffle_keys(private))
"""
SCRIPTS = {
    "NumPy, which protects nothing": ((), READ + NUMPY + WRITE),
    "release.times in one process": ((), READ + TIMES + WRITE),
    "DuckDB": (("pyarrow",), None),
    "Polars": (("polars",), None),
    "PySpark": (("pyspark", "pyarrow"), None),
    "Dask": (("dask.dataframe", "distributed", "pyarrow"), None),
}
# runs a command, waits for all that it leaves behind (the Java machine of Spark), and prints what they used
COUNTED = """
import ctypes, os, resource, subprocess, sys
PR_SET_CHILD_SUBREAPER = 36
ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
subprocess.run(sys.argv[1:], check=True)
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime)
"""
FEW = 1000
SPARK = "--master local-cluster[2,1,1024] --conf spark.ui.enabled=false pyspark-shell"


def installed(modules):
    """Whether all of these can be imported."""
    try:
        return all(importlib.import_module(name) for name in modules)
    except ImportError:
        return False


def seconds(code, rows):
    """Processor seconds of a script with this number of rows."""
    with tempfile.TemporaryDirectory() as home:
        write_visits(Path(home), rows)
        counted = (sys.executable, "-c", COUNTED)
        out = run(code, Path(home), counted, PYSPARK_SUBMIT_ARGS=SPARK, PYSPARK_PYTHON=sys.executable)
        return float(out.splitlines()[-1])


def measure(rows, names=tuple(SCRIPTS)):
    """Pairs: what releases, and its rows per processor second."""
    for name in names:
        modules, code = SCRIPTS[name]
        if installed(modules):
            code = code or recipe(name)
            yield name, (rows - FEW) / (seconds(code, rows) - seconds(code, FEW))


if __name__ == "__main__":
    found = {}
    for name, rate in measure(int(sys.argv[1])):
        found[name] = rate
        share = rate / found.get("release.times in one process", rate)
        print(f"{name}: {rate:,.0f} rows per second and core, {share:.2f} of release.times", flush=True)
