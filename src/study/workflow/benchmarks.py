"""Durations of jobs: the table of a folder of benchmarks, and the time left in a run.

Handlers of the Snakefile call this module; Snakemake calls them only if jobs run. Two tables come with the
study, for a folder without benchmarks: each is ``results/benchmarks.csv`` of a run on 2 cores.
"""

import contextlib
import csv
import logging
import math
import time
from collections import defaultdict
from pathlib import Path

import yaml
from snakemake.logging import LogEvent, logger
from snakemake.utils import update_config

from study.workflow.code_digest import SOURCE
from study.workflow.job import write_rows

SHIPPED = {"config.yaml": "benchmarks.csv", "smoke.yaml": "benchmarks.smoke.csv"}
"""The tables beside this file, by configuration file; each configuration overrides the ones before it."""
HEADER = b"rule,jobs,seconds,"
"""The beginning of such a table; a file that begins differently is not ours."""
TRUST = 30.0
"""Seconds after which the speed of the current run weighs as much as that of the earlier run."""


def by_rule(folder):
    """A row for each rule of a folder of benchmarks. Unreadable files are left out."""
    jobs, table = defaultdict(list), []
    for path in sorted(Path(folder).rglob("*.tsv")):
        rule = path.relative_to(folder).parts[0].removesuffix(".tsv")
        with contextlib.suppress(OSError, ValueError, csv.Error):
            for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines(), delimiter="\t"):
                numbers = [_number(row.get(key)) for key in ("s", "cpu_time", "max_rss")]
                if numbers[0] is not None:
                    jobs[rule].append(numbers)
    for rule, rows in sorted(jobs.items()):
        seconds, cpu, memory = ([x for x in column if x is not None] for column in zip(*rows, strict=True))
        row = {"rule": rule, "jobs": len(rows), "seconds": round(sum(seconds), 2)}
        row |= {"longest_seconds": max(seconds), "cpu_seconds": round(sum(cpu), 2) if cpu else None}
        table.append(row | {"memory_mb": max(memory, default=None)})
    return table


def _number(text):
    with contextlib.suppress(TypeError, ValueError):  # "NA", or nothing
        return number if math.isfinite(number := float(text)) and number >= 0.0 else None


def write_benchmarks(folder="benchmarks", path="results/benchmarks.csv"):
    """Write the table of a folder; if that is impossible, the run does not fail."""
    rows, path = by_rule(folder), Path(path)
    with contextlib.suppress(OSError):
        if not rows or (path.exists() and not path.read_bytes().startswith(HEADER)):
            return  # the user's own file stays
        write_rows(rows, path)


def shipped(config):
    """The rows measured with this configuration, whatever its data and seed; empty if there are none."""
    theirs = {}
    for name, table in SHIPPED.items():
        with contextlib.suppress(OSError, yaml.YAMLError):
            text = (SOURCE.parent / "config" / name).read_text(encoding="utf-8")
            update_config(theirs, yaml.safe_load(text) or {})
            if theirs | {key: config.get(key) for key in ("datasets", "seed")} == config:
                return list(csv.DictReader(Path(__file__).with_name(table).read_text().splitlines()))
    return []


class TimeLeft(logging.Handler):
    """Log the expected duration of a run, and the time left now and then when a job ends.

    The events of Snakemake's log say which jobs run, and benchmarks how long these take. Machines and
    numbers of cores differ: the longer a run lasts, the more the estimate relies on its own speed.
    """

    def __init__(self, every=30.0):
        super().__init__()
        self.every, self.cores, self.started = every, None, None
        self.seconds, self.jobs, self.running, self.done = {}, {}, {}, 0.0

    def start(self, config, folder="benchmarks"):
        """Log the duration of the whole run. Without this call, as in a dry run, nothing is logged."""
        tables = by_rule(folder), shipped(config)
        own, theirs = ({row["rule"]: float(row["seconds"]) / int(row["jobs"]) for row in t} for t in tables)
        self.seconds, self.started = theirs | own, time.monotonic()
        source = "earlier runs here" if own.keys() >= self.jobs.keys() & theirs.keys() else "a run elsewhere"
        self.announce(f" on {self.cores} core{'s' * (self.cores != 1)}, going by {source}")

    def announce(self, remark):
        """Log one line, or none if no duration is known."""
        self.announced = now = time.monotonic()
        durations = {rule: n * self.seconds[rule] for rule, n in self.jobs.items() if rule in self.seconds}
        under_way = sum(min(now - t, self.seconds.get(rule, 0.0)) for rule, t in self.running.values())
        left, done = sum(durations.values()) - under_way, self.done + under_way
        if self.cores and left > 0.0:
            minutes = left / 60.0 * (now - self.started + TRUST) / (done + self.cores * TRUST)
            unknown = sum(n for rule, n in self.jobs.items() if rule not in durations)
            remark += f", besides {unknown} jobs of unknown length" if unknown else ""
            # --quiet hides this event
            logger.info(f"About {math.ceil(minutes)} min{remark}.", extra={"event": LogEvent.RESOURCES_INFO})

    def emit(self, record):
        """Handle an event of Snakemake's log; ignore it if another Snakemake names its fields differently."""
        with contextlib.suppress(AttributeError, KeyError):
            event = getattr(record, "event", None)
            if event == LogEvent.RESOURCES_INFO:
                self.cores = getattr(record, "cores", self.cores)
            elif event == LogEvent.RUN_INFO:
                self.jobs = {rule: n for rule, n in record.stats.items() if rule not in ("all", "total")}
            elif event == LogEvent.JOB_INFO:
                self.running[record.jobid] = record.rule_name, time.monotonic()
            elif event == LogEvent.JOB_FINISHED:
                rule = self.running.pop(record.job_id)[0]
                self.jobs[rule] -= 1
                self.done += self.seconds.get(rule, 0.0)
            elif event == LogEvent.PROGRESS and self.started and time.monotonic() - self.announced >= self.every:
                self.announce(" left")
