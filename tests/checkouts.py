"""Copies of the project, runs of its workflow in them, and what such runs are compared by.

Nothing here runs in the checkout itself: its results/, figures/ and .snakemake/ are the user's.
"""

import atexit
import csv
import fcntl
import functools
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import forking
import numpy as np
import pandas as pd
import yaml

ROOT = Path(__file__).resolve().parents[1]
NEEDED = ("Snakefile", "config", "examples", "src", "profiles", "environment.yml", "pyproject.toml")
LEFT_OUT = shutil.ignore_patterns("*.egg-info", "*.pyc.*", "*.digest.*")
"""Not copied: bytecode and digests that another process is writing. Those that are there save compiling."""

TIMED = re.compile("sampling|^results/benchmarks.csv$")
NUMBER = re.compile(rb"-?\d+(?:[.]\d+)?(?:e[-+]?\d+)?")
IMAGE = re.compile(rb"data:image/png;base64,[^\"]*")


@dataclass
class Plan:
    """What Snakemake says of each file that a run makes, by the names of the files."""

    rows: dict

    @property
    def files(self):
        """All files that a run makes."""
        return set(self.rows)

    @property
    def pending(self):
        """Files that the next run would make or make again."""
        return {name for name, row in self.rows.items() if row["plan"] == "update pending"}

    def of_rules(self, *rules):
        """Files that these rules make."""
        assert set(rules) <= {row["rule"] for row in self.rows.values()}, "there is no such rule"
        return {name for name, row in self.rows.items() if row["rule"] in rules}

    def behind(self, names):
        """These files, and all files that they are made from."""
        found = set(names)
        while (
            more := {file for name in found & self.files for file in self.rows[name]["input-file(s)"].split(",")}
            & self.files - found
        ):
            found |= more
        return found

    def with_what_is_made_of(self, names):
        """These files, and all files made from them, as far as a run has recorded its inputs."""
        found = set(names)
        while more := {n for n, row in self.rows.items() if found & set(row["input-file(s)"].split(","))} - found:
            found |= more
        return found


@dataclass
class Checkout:
    """A copy of the project (``source``) and the working directory of its runs (``directory``)."""

    source: Path
    directory: Path
    configs: tuple = ()

    def program(self, *arguments):
        """Snakemake and its arguments, with the configuration of this checkout."""
        configs = ["--configfile", *map(str, self.configs)] if self.configs else []
        directory = ["--directory", str(self.directory)]
        # last, as --configfile takes every name that follows it
        return ["-m", "snakemake", *map(str, arguments), *directory, *configs]

    def command(self, *arguments):
        """The command line by which a user starts it."""
        return [sys.executable, *self.program(*arguments)]

    def snakemake(self, *arguments, succeeds=True, **variables):
        """Run Snakemake; return all that it wrote to the terminal. ``variables`` are of its environment."""
        done = subprocess.run(
            forking.command(forks(), *self.program(*arguments)),
            cwd=self.source,
            env=environment() | variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            timeout=600,
        )
        assert (done.returncode == 0) == succeeds, done.stdout
        return done.stdout

    def start(self, output, *arguments, **variables):
        """Start Snakemake as a user does, in a process group of its own; return the process.

        It writes to an open file; ``variables`` are of its environment.
        """
        return subprocess.Popen(
            self.command(*arguments),
            cwd=self.source,
            env=environment() | variables,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )

    def plan(self):
        """What the next run would do, found without running anything or naming a number of cores."""
        done = subprocess.run(
            forking.command(forks(), *self.program("--detailed-summary")),
            cwd=self.source,
            env=environment(),
            capture_output=True,
            encoding="utf-8",
            timeout=200,
        )
        assert done.returncode == 0, done.stderr
        rows = list(csv.DictReader(done.stdout.splitlines(), delimiter="\t"))
        assert {row["plan"] for row in rows} <= {"no update", "update pending"}
        assert "About" not in done.stderr, "this takes no time"
        return Plan({row["output_file"]: row for row in rows})

    def pending(self):
        """Files that the next run would make or make again."""
        return self.plan().pending

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
        table, logs, the experiments that time the samplers, and the figures within the page of the claims.

        A job that is killed while it writes leaves a temporary file, whose name begins with a dot.
        """
        folders = [self.directory / name for name in ("data", "results", "figures")]
        paths = [path for folder in folders for path in folder.rglob("[!.]*") if path.is_file()]
        names = {path.relative_to(self.directory).as_posix(): path for path in paths}
        found = {name: path.read_bytes() for name, path in names.items() if not TIMED.search(name)}
        if page := found.get("results/claims.html"):
            found["results/claims.html"] = IMAGE.sub(b"", page)
        return found

    def times(self):
        """When each of these files was written."""
        return {name: (self.directory / name).stat().st_mtime_ns for name in self.results()}


def differences(first, second):
    """Names of files that only one of two runs made, or that differ."""
    return sorted(name for name in {*first, *second} if first.get(name) != second.get(name))


def differences_beyond_last_digits(first, second):
    """The same, without texts whose numbers differ by 1e-12 at most, and without images of such numbers."""
    found = [name for name in differences(first, second) if not name.endswith((".png", ".pdf"))]
    return [name for name in found if not _alike(name, first.get(name, b""), second.get(name, b""))]


def _alike(name, first, second):
    if name.endswith(".parquet"):
        frames = [pd.read_parquet(io.BytesIO(content)) for content in (first, second) if content]
        if len(frames) == 2:
            pd.testing.assert_frame_equal(*frames, rtol=1e-12, atol=1e-12, obj=name)
        return len(frames) == 2
    numbers = [np.array([float(text) for text in NUMBER.findall(content)]) for content in (first, second)]
    same_words = NUMBER.split(first) == NUMBER.split(second)
    return same_words and np.allclose(*numbers, rtol=1e-12, atol=1e-12)


def cells_of(files, *mechanisms):
    """Those of the files that are of one of these mechanisms or distributions."""
    return {name for name in files if re.search(rf"/({'|'.join(mechanisms)})\.", name)}


def rules(project):
    """Text of each rule and the folder of its file, by its name."""
    found = {}
    for path in [project.source / "Snakefile", *sorted(project.source.glob("src/study/**/rules.smk"))]:
        parts = re.split(r"^rule (\w+):\n", path.read_text(encoding="utf-8"), flags=re.M)
        for name, text in zip(parts[1::2], parts[2::2], strict=True):
            found[name] = re.split(r"^(?=\S)", text, flags=re.M)[0], path.parent
    return found


def environment():
    """Variables for Snakemake, without those that would choose another source or profile.

    Copies of the source keep their bytecode: each of the two hundred jobs would compile it again.
    """
    left_out = ("PYTHONPATH", "SNAKEMAKE_PROFILE", "PYTHONDONTWRITEBYTECODE")
    return {k: v for k, v in os.environ.items() if k not in left_out}


@functools.cache
def forks():
    """The address at which this process of the tests has programs forked, until it ends."""
    folder = tempfile.mkdtemp(prefix="dirpriv-")  # short, as addresses have at most a hundred letters
    address = os.path.join(folder, "forks")
    server = subprocess.Popen(
        [sys.executable, forking.__file__, "serve", address],
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdout.readline() == b"ready\n"

    def end():
        server.communicate(timeout=60)
        shutil.rmtree(folder)

    atexit.register(end)
    return address


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
