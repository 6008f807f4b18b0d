"""The measurement of engines measures releases, and counts the processor seconds of all processes."""

import sys

import duckdb
import pytest
from measure_engines import FEW, NUMPY, READ, SCRIPTS, WRITE, measure, run, seconds, write_visits

pytestmark = [
    pytest.mark.sweep,
    pytest.mark.skipif(sys.platform != "linux", reason="processor seconds of all processes are those of Linux"),
]
BUSY = """
import subprocess, sys
work = "import time\\nwhile time.process_time() < 0.6: pass"
subprocess.Popen([sys.executable, "-c", work])  # nobody waits for it
"""


def test_what_engines_are_compared_with_is_measured():
    names = ("release.times in one process",)
    assert tuple(dict(measure(2000, names=names))) == names


def test_seconds_are_those_of_all_processes_at_work():
    assert seconds(BUSY, 10) - seconds("import time; time.sleep(0.6)", 10) > 0.5


def outside(code, folder):
    """How many of the few rows a script puts outside of the three hours of the input."""
    write_visits(folder, FEW)
    run(code, folder)
    columns = duckdb.sql(f"FROM '{folder / 'private.parquet'}'").fetchnumpy()
    minutes = columns.pop("arrival") // 60_000_000
    assert not columns and len(minutes) == FEW
    return int(((minutes < 360) | (minutes >= 540)).sum())


def test_the_script_that_is_measured_releases(tmp_path):
    """62.5 % of the rows land outside: not 400 to 800 of 1000 below 1e-29. Wrong: no noise, and one cell."""
    _, code = SCRIPTS["release.times in one process"]
    assert 400 < outside(code, tmp_path) < 800
    same = "order = slice(None)\n"
    for wrong in ("private = arrival - arrival.astype('datetime64[D]')\n",
                  "private = 0 * (arrival - arrival.astype('datetime64[D]'))\n"):  # fmt: skip
        assert not 400 < outside(READ + wrong + same + WRITE, tmp_path) < 800
    assert 0 < outside(READ + NUMPY + WRITE, tmp_path) < FEW
