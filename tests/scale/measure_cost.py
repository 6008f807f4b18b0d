"""Measure what large files of check-ins cost: time and peak memory against the number of rows.

python tests/scale/measure_cost.py ROWS [ROWS ...] [--cores CORES] [--folder FOLDER]

For each number of rows the three files of TIST2015 are written (write_tist2015.py beside this script), and
the workflow is run on them at full size as far as the tables of each step: check-ins prepared, time
histograms and busyness of all mechanisms. The table goes to the standard output as CSV: seconds on the clock,
processor seconds of all jobs and of Snakemake, and the peak memory in MB of the largest job. It is followed
by a straight line through the processor seconds of each step. 33 million rows need 4 GB of disk.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import yaml
from write_tist2015 import NAMES

SCRIPT = Path(__file__).resolve()
ROOT = SCRIPT.parents[2]
sys.path.insert(0, str(ROOT / "src"))

from study.core.baselines import REFERENCES  # noqa: E402

DATASET = "tist2015"
COLUMNS = ("s", "cpu_s", "mb")


def targets():
    """Tables of each step of the workflow."""
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))
    mechanisms = {
        "time_histogram": [*config["mechanisms"], *REFERENCES],
        "busyness": config["busyness"]["mechanisms"],
    }
    return {"prepare": [f"results/checkins/{DATASET}.parquet"]} | {
        step: [f"results/{step}/{DATASET}/{name}.csv" for name in names] for step, names in mechanisms.items()
    }


def run(*command):
    """Run a command; return its seconds, its processor seconds, and the peak memory of its largest process.

    The latter two are those of all its children too.
    """
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    started = time.perf_counter()
    process = subprocess.Popen([sys.executable, *map(str, command)], env=environment, stdout=sys.stderr)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} failed with status {process.returncode}")
    seconds = time.perf_counter() - started
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(rows, cores, folder):
    """Cost of writing a number of rows and of each step: one row of the table."""
    costs = [run(SCRIPT.with_name("write_tist2015.py"), rows, folder)]
    files = {role: str(folder / name) for role, name in NAMES.items()}
    datasets = json.dumps({DATASET: {"layout": "tist2015", **files}})
    workflow = ["-m", "snakemake", "--snakefile", ROOT / "Snakefile", "--directory", folder]
    workflow += ["--cores", cores, "--config", f"datasets={datasets}", "--"]
    costs += [run(*workflow, *paths) for paths in targets().values()]
    return [f"{rows}", *(f"{value:.1f}" for cost in costs for value in cost)]


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rows", type=int, nargs="+", help="numbers of check-ins")
    parser.add_argument("--cores", type=int, default=2, help="jobs side by side; 2 by default")
    parser.add_argument("--folder", type=Path, help="where to write; a temporary folder by default")
    arguments = parser.parse_args()
    steps = ["write", *targets()]
    print(",".join(["rows", *(f"{step}_{column}" for step in steps for column in COLUMNS)]), flush=True)
    table = []
    for rows in arguments.rows:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            table.append(measure(rows, arguments.cores, Path(folder).resolve()))
        print(",".join(table[-1]), flush=True)
    if len(table) > 1:
        numbers = np.array(table, dtype=float)
        for column, step in enumerate(steps):
            print(f"# {step}: {line(numbers[:, 0], numbers[:, 2 + 3 * column])}")


def line(rows, seconds):
    """The straight line through processor seconds, in words; relative errors count."""
    slope, start = np.polyfit(rows, seconds, 1, w=1 / seconds)
    away = 100 * np.abs(seconds / (start + slope * rows) - 1).max()
    return f"{start:.1f} s + {1e6 * slope:.2f} s for a million rows, at most {away:.0f} % off"


if __name__ == "__main__":
    main()
