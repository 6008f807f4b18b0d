"""Measure what large files of check-ins cost: time and peak memory against the number of rows.

python benchmarks/measure_cost.py ROWS [ROWS ...] [--cores CORES] [--folder FOLDER]
    [--against CHECKOUT --python PYTHON]

For each number of rows the three files of TIST2015 are written (write_tist2015.py beside this script), and
the workflow is run on them at full size as far as the tables of each step: check-ins prepared, time
histograms, place histograms and busyness of all mechanisms. The table goes to the standard output as CSV:
seconds on the clock, processor seconds of all jobs and of Snakemake, the peak memory in MB of the largest
job, and the load average of the machine at the end. Where that is above the number of cores, seconds on the
clock say little. It is followed by a straight line through the processor seconds of each step. 33 million
rows need 4 GB of disk.

With ``--against``, each step runs on the same files in another checkout too, such as an earlier version, in
turn with this one; ``--python`` is an interpreter with its requirements. The ratios of the two follow. 33
million rows then need 5 GB of disk.
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
import pandas as pd
import yaml
from write_tist2015 import NAMES

SCRIPT = Path(__file__).resolve()
ROOT = SCRIPT.parents[1]
DATASET = "tist2015"
COSTS = ["s", "cpu_s", "mb", "load"]
REFERENCES = ["uniform", "no_privacy"]


def targets(root=ROOT):
    """Tables of each step of the workflow in a checkout."""
    config = yaml.safe_load((root / "config/config.yaml").read_text(encoding="utf-8"))
    mechanisms = {
        "time_histogram": [*config["mechanisms"], *REFERENCES],
        "place_histogram": [*config["place_histogram"]["mechanisms"], *REFERENCES],
        "busyness": config["busyness"]["mechanisms"],
    }
    return {"prepare": [f"results/checkins/{DATASET}.parquet"]} | {
        step: [f"results/{step}/{DATASET}/{name}.csv" for name in names] for step, names in mechanisms.items()
    }


def run(python, root, *command):
    """Run a command of a checkout; return its seconds, processor seconds, peak memory, and the load.

    The seconds and memory are those of all its children too; the memory is that of the largest process.
    """
    environment = os.environ | {"PYTHONPATH": str(root / "src")}
    started = time.perf_counter()
    process = subprocess.Popen([python, *map(str, command)], env=environment, stdout=sys.stderr)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command} failed with status {process.returncode}")
    seconds = time.perf_counter() - started
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, os.getloadavg()[0]


def measure(rows, cores, folder, checkouts):
    """Rows of the table for a number of check-ins; ``checkouts`` has (interpreter, folder) by name."""
    cost = run(sys.executable, ROOT, SCRIPT.with_name("write_tist2015.py"), rows, folder)
    yield rows, "this", "write", *cost
    files = {role: str(folder / name) for role, name in NAMES.items()}
    datasets = json.dumps({DATASET: {"layout": "tist2015", **files}})
    for step in targets():
        for name, (python, root) in checkouts.items():
            workflow = ["-m", "snakemake", "--snakefile", root / "Snakefile", "--directory", folder / name]
            workflow += ["--cores", cores, "--config", f"datasets={datasets}", "--"]
            yield rows, name, step, *run(python, root, *workflow, *targets(root)[step])


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("rows", type=int, nargs="+", help="numbers of check-ins")
    parser.add_argument("--cores", type=int, default=2, help="jobs side by side; 2 by default")
    parser.add_argument("--folder", type=Path, help="where to write; a temporary folder by default")
    parser.add_argument("--against", type=Path, help="another checkout to measure in turn with this one")
    parser.add_argument("--python", default=sys.executable, help="the interpreter of the other checkout")
    arguments = parser.parse_args()
    checkouts = {"this": (sys.executable, ROOT)}
    if arguments.against:
        checkouts["other"] = arguments.python, arguments.against.resolve()
    columns, found = ["rows", "checkout", "step", *COSTS], []
    print(",".join(columns), flush=True)
    for rows in arguments.rows:
        with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
            for row in measure(rows, arguments.cores, Path(folder).resolve(), checkouts):
                found.append(row)
                print(*row[:3], *(f"{cost:.1f}" for cost in row[3:]), sep=",", flush=True)
    print(*summary(pd.DataFrame(found, columns=columns)), sep="\n")


def summary(table):
    """Lines of text: cost against rows, and the ratios of this checkout to the other."""
    if table["rows"].nunique() > 1:
        for (checkout, step), part in table.groupby(["checkout", "step"], sort=False):
            yield f"# {checkout}, {step}: {line(part['rows'].to_numpy(), part['cpu_s'].to_numpy())}"
    if "other" in set(table["checkout"]):
        of_both = table[table["step"] != "write"]
        in_all = of_both.groupby(["rows", "checkout"], as_index=False)[COSTS].agg(
            {"s": "sum", "cpu_s": "sum", "mb": "max", "load": "max"}
        )
        of_both = pd.concat([of_both, in_all.assign(step="in all")])
        sides = [of_both[of_both["checkout"] == name].set_index(["rows", "step"]) for name in ("this", "other")]
        ratios = sides[0][COSTS] / sides[1][COSTS]
        for (rows, step), (seconds, processor, memory, _) in ratios.iterrows():
            yield (
                f"# {rows} rows, {step}: {100 * seconds:.0f} % of the other's seconds, "
                f"{100 * processor:.0f} % of its processor seconds, {100 * memory:.0f} % of its memory"
            )


def line(rows, seconds):
    """The straight line through processor seconds, in words; relative errors count."""
    slope, start = np.polyfit(rows, seconds, 1, w=1 / seconds)
    away = 100 * np.abs(seconds / (start + slope * rows) - 1).max()
    return f"{start:.1f} s + {1e6 * slope:.2f} s for a million rows, at most {away:.0f} % off"


if __name__ == "__main__":
    main()
