"""Measure what preparing check-ins costs: time and peak memory against the number of rows.

python tests/scale/measure_preparation.py ROWS [ROWS ...] [--folder FOLDER]

For each number of rows, the three files of TIST2015 are written (write_tist2015.py beside this script)
and prepared, each in a process of its own. The table goes to the standard output as CSV, followed by a
straight line through the processor seconds of preparing. 33 million rows need 3 GB of disk.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from write_tist2015 import NAMES

SCRIPT = Path(__file__).resolve()
SOURCE = SCRIPT.parents[2] / "src"


def run(*command):
    """Run a command; return its seconds, its processor seconds and its peak memory in MB."""
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, *map(str, command)], env=environment, stdout=sys.stderr)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} failed with status {process.returncode}")
    seconds = time.perf_counter() - started
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def prepare_in(folder):
    """Prepare the three files in a folder; the outputs go beside them."""
    from study.prepare_checkins import prepare

    files = {role: folder / name for role, name in NAMES.items()}
    outputs = [folder / name for name in ("prepared.parquet", "rejected.csv", "summary.csv")]
    prepare(files, "tist2015", *outputs, 0.0, folder / "kept.csv")


def measure(rows, folder):
    """Cost of writing and preparing a number of rows: one row of the table."""
    written = run(SCRIPT.with_name("write_tist2015.py"), rows, folder)
    prepared = run(SCRIPT, "--prepare", folder)
    return [f"{rows}", *(f"{value:.1f}" for value in (*written, *prepared))]


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rows", type=int, nargs="*", help="numbers of check-ins")
    parser.add_argument("--folder", type=Path, help="where to write; a temporary folder by default")
    parser.add_argument("--prepare", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.prepare:
        prepare_in(arguments.prepare)
        return
    print("rows,write_s,write_cpu_s,write_mb,prepare_s,prepare_cpu_s,prepare_mb")
    table = []
    for rows in arguments.rows:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            table.append(measure(rows, Path(folder)))
        print(",".join(table[-1]), flush=True)
    if len(table) > 1:
        rows, seconds = np.array(table, dtype=float)[:, [0, 5]].T
        slope, start = np.polyfit(rows, seconds, 1, w=1 / seconds)  # relative errors count
        away = 100 * np.abs(seconds / (start + slope * rows) - 1).max()
        line = f"{start:.2f} s + {1e6 * slope:.2f} s for a million rows"
        print(f"# processor: {line}, at most {away:.0f} % off")


if __name__ == "__main__":
    main()
