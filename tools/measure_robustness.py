"""Which verdicts change with the seed, and with the people behind the check-ins; `make robustness` runs it.

python tools/measure_robustness.py [--cores N]

Judges all claims again over ten seeds, and over synthetic check-ins with half and twice the busy venues, and
with venues half and almost twice as regular. Each variant has a folder in .robustness/ that begins with the
results of `make results`, so that only what has chance in it, or is computed from that, is computed again.
What was stopped goes on at the next call. Writes config/claims/robustness.csv, with its date: the verdict of
each claim in each variant. Claims about speed are left out.

The table is to be committed. A run that has read any other table of check-ins than the synthetic ones is
refused: a verdict on it would be published without noise.
"""

import argparse
import csv
import datetime
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / ".robustness"
TABLE = ROOT / "config/claims/robustness.csv"
SYNTHETIC = ("synthetic_city", "synthetic_world")
SEEDS = 10
PEOPLE = {  # measured: 42 and 168 for 84 busy venues; a median regularity of 0.26 and 0.93 for 0.51
    "half_busy": {"loyalty": 0.78},
    "twice_busy": {"loyalty": 1.4},
    "half_regular": {"hour_spread": 6.0},
    "twice_regular": {"hour_spread": 0.25},
}
"""Keys of a synthetic dataset in the variants of the people."""


class Refused(Exception):
    """Why nothing is measured, and the remedy."""


def variants(config):
    """By name the configuration that is laid over that of the study."""
    names = config["datasets"]
    seeds = {f"seed_{number}": {"seed": config["seed"] + number} for number in range(1, SEEDS + 1)}
    people = {name: {"datasets": dict.fromkeys(names, keys)} for name, keys in PEOPLE.items()}
    return {
        name: {**extra, "claims": {"timings": False, "changed": "report", "undecided": "report"}}
        for name, extra in (seeds | people).items()
    }


def finished_run(root):
    """The configuration of the finished run of a checkout, which has read synthetic check-ins only."""
    record = root / "results/provenance.json"
    if not (root / "results/claims_confirmed.txt").is_file() or not record.is_file():
        raise Refused("there is no finished run in results/; run `make results` first")
    config = json.loads(record.read_text(encoding="utf-8"))["config"]
    if others := [name for name, of in config["datasets"].items() if of["layout"] not in SYNTHETIC]:
        raise Refused(
            f"the run in results/ has read {', '.join(others)}, which is not synthetic, and the table is "
            "published; run `make results` without CHECKINS first"
        )
    return config


def begin(folder, root):
    """Let a variant begin with the results of the finished run, and with Snakemake's record of them."""
    if folder.is_dir():
        return
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    for name in ("results", "data/generated", ".snakemake/metadata"):
        shutil.copytree(root / name, part / name)
    part.rename(folder)


def verdicts(path):
    """The verdicts in a table of claims that are not about speed, by the claim."""
    with open(path, encoding="utf-8", newline="") as file:
        return {row["claim"]: row["verdict"] for row in csv.DictReader(file)}


def speed(root):
    """The claims about speed."""
    files = (path.read_text(encoding="utf-8") for path in sorted((root / "config/claims").glob("*.yaml")))
    claims = (pair for text in files for pair in yaml.safe_load(text)["claims"].items())
    return {name for name, claim in claims if claim.get("timed")}


def write(path, runs, left_out, today):
    """Write the verdicts: a row for each claim, a column for each variant."""
    first = next(iter(runs.values()))
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(f"# measured on {today} by tools/measure_robustness.py\n")
        table = csv.writer(file, lineterminator="\n")
        table.writerow(["claim", *runs])
        table.writerows([claim, *(of[claim] for of in runs.values())] for claim in first if claim not in left_out)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--cores", default="all", help="how many cores to use; all by default")
    cores = parser.parse_args(arguments).cores
    try:
        config = finished_run(ROOT)
    except Refused as problem:
        return f"Nothing is measured: {problem}."
    runs, start, wanted = {"run": verdicts(ROOT / "results/claims.csv")}, time.monotonic(), variants(config)
    for number, (name, extra) in enumerate(wanted.items()):
        folder = FOLDER / name
        begin(folder, ROOT)
        file = folder / "variant.yaml"
        file.write_text(yaml.safe_dump(extra), encoding="utf-8")
        passed = time.monotonic() - start
        left = f", about {passed / number * (len(wanted) - number) / 60:.0f} min left" if number else ""
        print(f"{number + 1} of {len(wanted)}: {name}{left}", flush=True)
        command = [Path(sys.executable).with_name("snakemake"), "--directory", folder, "--cores", cores]
        with open(folder / "run.log", "wb") as log:
            run = subprocess.run(
                [*command, "--configfile", file, "--rerun-incomplete", "--", "results/claims.csv"],
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=ROOT,
            )
        if run.returncode:
            return f"{name} has failed; {folder / 'run.log'} says why. The next call goes on from here."
        runs[name] = verdicts(folder / "results/claims.csv")
    timed = speed(ROOT)
    write(TABLE, runs, timed, datetime.date.today().isoformat())
    judged = runs["run"].keys() - timed
    changed = sum(len({of[claim] for of in runs.values()}) > 1 for claim in judged)
    print(f"{changed} of {len(judged)} verdicts change in some variant; see {TABLE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
