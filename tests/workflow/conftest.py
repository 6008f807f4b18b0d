"""A copy of the project, and two finished runs of its workflow, shared by all tests of a session.

Nothing here runs in the checkout itself: its results/, figures/ and .snakemake/ are the user's.
"""

import csv
import fcntl
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("Snakefile", "config", "src", "profiles", "environment.yml", "pyproject.toml")
PYTHON_CACHES = shutil.ignore_patterns("__pycache__", "*.egg-info")

TIMED = re.compile("sampling|^results/benchmarks.csv$")

# Laid over config/smoke.yaml where a test needs several whole runs. wrapped_laplace is the one that the
# others are compared with, purkayastha the one that tests take away.
TINY = {
    "datasets": {"city": {"rows": 1000, "users": 30, "venues": 60}},
    "mechanisms": ["purkayastha", "wrapped_laplace"],
    "circular_mean": {"epsilons": [1.0], "responses_grid": [10], "most_draws": 100_000},
    "survey_size": {"epsilons": [4.0]},
    "angular_densities": {"points": 11},
    "theorem_24": {"points": 11},
    "expected_distances": {"dimensions": [2], "kappas": [1.0], "draws": 2000},
    "angular_cdfs": {"dimensions": [2], "kappas": [1.0], "points": 5},
    "mean_direction": {
        "mechanisms": ["purkayastha"], "dimensions": [2, 5], "panel_dimensions": [2], "epsilons": [10.0],
        "responses": 20, "people": 50, "most_numbers": 20_000,
    },
    "time_histogram": {"levels": [3.16], "example_levels": [3.16], "responses": 200, "most_draws": 2000},
    "place_histogram": {"epsilons": [1.0], "cells": 20, "responses": 200, "most_draws": 2000},
    "busyness": {
        "mechanisms": ["purkayastha"], "time_levels": [1.0], "place_levels": [0.01, 100.0],
        "panel_place_levels": [100.0], "example_levels": [[1.0, 100.0]],
    },
    "sampling": {"dimensions": [2], "kappas": [1.0], "rounds": 1, "most_rows": 1000, "most_numbers": 2000},
    "vector_noise": {"dimensions": [2, 3], "draws": 2000, "loss_points": 5, "repetitions": 100},
    "rotation_axes": {"epsilons": [100.0], "draws": 2},
    "rotation_samplers": {"epsilons": [1.0], "draws": 1000},
    "rotation_angles": {"radii_degrees": [30.0], "draws": 1000},
    "rotation_errors": {"epsilons": [1.0], "draws": 1000},
    "rotation_sampling": {"epsilons": [1.0], "rounds": 1, "most_rows": 1000},
    "rotation_forms": {"points": 5},
    "privacy": {"points": 5, "polar_epsilons": [1.0], "cost": {"points": 3}},
    "audit": {"spaces": ["circle"], "samples": 2000, "repetition_samples": 1000},
}  # fmt: skip


@dataclass
class Checkout:
    """A copy of the project (``source``) and the working directory of its runs (``directory``)."""

    source: Path
    directory: Path
    configs: tuple = ()

    def command(self, *arguments):
        """The command line of Snakemake with the configuration of this checkout."""
        configs = ["--configfile", *map(str, self.configs)] if self.configs else []
        directory = ["--directory", str(self.directory)]
        # last, as --configfile takes every name that follows it
        return [sys.executable, "-m", "snakemake", *map(str, arguments), *directory, *configs]

    def snakemake(self, *arguments, succeeds=True):
        """Run Snakemake; return all that it wrote to the terminal."""
        done = subprocess.run(
            self.command(*arguments),
            cwd=self.source,
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=300,
        )
        assert (done.returncode == 0) == succeeds, done.stdout
        return done.stdout

    def start(self, output, *arguments):
        """Start Snakemake as a process group of its own, writing to an open file; return the process."""
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.source,
            env=environment(),
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def pending(self):
        """Files that the next run would make or make again, found without running anything."""
        done = subprocess.run(
            self.command("--cores", "1", "--summary"),
            cwd=self.source,
            env=environment(),
            capture_output=True,
            encoding="utf-8",
            timeout=100,
        )
        assert done.returncode == 0, done.stderr
        rows = list(csv.DictReader(done.stdout.splitlines(), delimiter="\t"))
        assert {row["plan"] for row in rows} <= {"no update", "update pending"}
        return {row["output_file"] for row in rows if row["plan"] == "update pending"}

    def copy(self, folder):
        """The same project and what its run left, in another folder, to be altered."""
        copied = Checkout(folder / "source", folder / "run", self.configs)
        shutil.copytree(self.source, copied.source)
        if self.directory.exists():
            shutil.copytree(self.directory, copied.directory)
        return copied

    def with_config(self, overlay, path):
        """The same checkout with one more file of configuration, written to ``path``."""
        path.write_text(yaml.safe_dump(overlay, allow_unicode=True), encoding="utf-8")
        return Checkout(self.source, self.directory, (*self.configs, path))

    def edit(self, file, old, new):
        """Replace a text that occurs once in a file of the source."""
        path = self.source / file
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{file} has {text.count(old)} times: {old}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def results(self):
        """Content of every file that a run makes, by name; not of what holds times: benchmarks and their
        table, logs, and the experiments that time the samplers.

        A job that is killed while it writes leaves a temporary file, whose name begins with a dot.
        """
        folders = [self.directory / name for name in ("data", "results", "figures")]
        paths = [path for folder in folders for path in folder.rglob("[!.]*") if path.is_file()]
        names = {path.relative_to(self.directory).as_posix(): path for path in paths}
        return {name: path.read_bytes() for name, path in names.items() if not TIMED.search(name)}

    def times(self):
        """When each of these files was written."""
        return {name: (self.directory / name).stat().st_mtime_ns for name in self.results()}


def environment():
    """Variables for Snakemake, without those that would choose another source or profile."""
    return {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "SNAKEMAKE_PROFILE")}


def shared(tmp_path_factory, name, make):
    """A folder that one of the processes of a test session fills, for all of them.

    Parameters
    ----------
    tmp_path_factory : pytest.TempPathFactory
    name : str
        Of the folder.
    make : callable
        Takes the new folder and gives a :class:`Checkout` in it; called once in a session.
    """
    of_process = tmp_path_factory.getbasetemp()
    session = of_process.parent if "PYTEST_XDIST_WORKER" in os.environ else of_process
    folder, kept = session / name, session / f"{name}.json"
    with open(session / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the others wait here for the first
        if not kept.exists():
            folder.mkdir()
            made = make(folder)
            paths = [str(made.source), str(made.directory), [str(path) for path in made.configs]]
            kept.write_text(json.dumps(paths), encoding="utf-8")
    source, directory, configs = json.loads(kept.read_text(encoding="utf-8"))
    return Checkout(Path(source), Path(directory), tuple(configs))


@pytest.fixture(scope="session")
def project(tmp_path_factory):
    """A copy of the project, in which nothing has run; not to be altered."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "source").mkdir()
    for name in NEEDED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / "source" / name, ignore=PYTHON_CACHES)
        else:
            shutil.copy2(ROOT / name, folder / "source" / name)
    return Checkout(folder / "source", folder / "run")


@pytest.fixture(scope="session")
def smoke_run(project, tmp_path_factory):
    """The finished smoke run; not to be altered.

    The source has results of its own, which the run must leave alone.
    """

    def make(folder):
        copied = project.copy(folder)
        tables = "results/circular_mean/circular_mean.csv", "figures/survey_size.png"
        names = *tables, "data/generated/city.txt.gz"
        for name in names:
            path = copied.source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("of the study at full size", encoding="utf-8")
        run = Checkout(copied.source, copied.directory, ("config/smoke.yaml",))
        run.snakemake("--cores", "2")
        return run

    return shared(tmp_path_factory, "smoke_run", make)


@pytest.fixture(scope="session")
def tiny(project, tmp_path_factory):
    """A checkout set up for a run much smaller than the smoke run; not to be altered."""
    folder = tmp_path_factory.mktemp("tiny")
    return Checkout(project.source, folder / "run", ("config/smoke.yaml",)).with_config(
        TINY, folder / "tiny.yaml"
    )


@pytest.fixture(scope="session")
def tiny_run(tiny, tmp_path_factory):
    """The finished tiny run, on two cores; not to be altered."""

    def make(folder):
        run = Checkout(tiny.source, folder / "run", tiny.configs)
        run.snakemake("--cores", "2")
        return run

    return shared(tmp_path_factory, "tiny_run", make)
