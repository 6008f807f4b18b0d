"""The study through a real SLURM of three nodes, in which a job is cancelled and another is killed.

It gives the results of a run without SLURM: but for last digits of numbers, as a node's environment can
choose other kernels of linear algebra. ``make test-cluster`` installs what it needs from PyPI and runs this.
Without SLURM these tests are skipped, and the run says so; ``DIRPRIV_SLURM=required`` makes them fail.
"""

import os
import re
import signal
import time
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest
from checkouts import Checkout, differences_beyond_last_digits
from local_slurm import ask, cluster, missing

PLUGIN = "snakemake_executor_plugin_slurm"
STEPS = r"(?m)^(\d+) of \1: "  # the last one has begun


class Job(NamedTuple):
    """What SLURM says of a job."""

    number: str
    state: str
    cores: int
    megabytes: int
    minutes: int
    node: str
    of: str  # the group or the rule


def jobs(slurm):
    """All jobs that SLURM remembers: those that wait and run, and those that have ended."""
    printed = ask(slurm, "squeue", "--states=all", "--noheader", "--format=%i|%T|%C|%m|%l|%N|%k")
    found = []
    for line in printed.splitlines():
        number, state, cores, memory, limit, node, comment = line.split("|")
        *days, hours, minutes, _ = map(int, re.split("[-:]", f"0:{limit}" if limit.count(":") < 2 else limit))
        minutes += 60 * hours + 1440 * sum(days)
        found.append(Job(number, state, int(cores), int(memory.rstrip("M")), minutes, node, comment))
    return found


def processes(job):
    """Processes of a job, by their numbers: the words of each one's command."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            variables, words = ((folder / name).read_bytes().split(b"\0") for name in ("environ", "cmdline"))
        except OSError:  # it has ended, or is not ours
            continue
        if f"SLURM_JOB_ID={job.number}".encode() in variables:
            found[int(folder.name)] = words
    return found


def in_mid_run(slurm, kind, run):
    """A job whose comment has ``kind`` and in which a script of the study runs."""
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline:
        assert run.poll() is None, "the run ended before that"
        for job in jobs(slurm):
            if job.state == "RUNNING" and kind in job.of:
                if any(b".snakemake/scripts" in word for words in processes(job).values() for word in words):
                    return job
        time.sleep(0.1)
    raise AssertionError(f"no job of {kind} has run")


@pytest.fixture(scope="session")  # before the run that the bytes are compared with
def slurm(tmp_path_factory):
    """The environment variables with which commands find a SLURM of three nodes with two cores each."""
    lacking = [*missing(), *([] if find_spec(PLUGIN) else [PLUGIN])]
    if lacking:
        message = f"needs SLURM (apt-get install slurm-wlm munge) and `make test-cluster`: no {lacking[0]}"
        if os.environ.get("DIRPRIV_SLURM") == "required":
            pytest.fail(f"DIRPRIV_SLURM=required: {message}", pytrace=False)
        pytest.skip(message)
    with cluster(tmp_path_factory.mktemp("slurm"), nodes=3, cores=2) as variables:
        yield variables


class Run(NamedTuple):
    """A run of the study that has ended."""

    checkout: Checkout
    output: str
    cancelled: Job
    killed: Job


@pytest.fixture(scope="module")
def run(slurm, project, tmp_path_factory):
    """The smoke run through SLURM; one group of its jobs was cancelled, and all processes of a job killed."""
    folder = tmp_path_factory.mktemp("run")
    copied = project.copy(folder)
    checkout = Checkout(copied.source, copied.directory, ("config/smoke.yaml",))
    options = ["--workflow-profile", "profiles/slurm", "--latency-wait", "10"]
    options += ["--slurm-status-command", "squeue", "--slurm-init-seconds-before-status-checks", "3"]
    with open(folder / "output.txt", "w+", encoding="utf-8") as output:
        started = checkout.start(output, *options, **slurm)
        try:
            cancelled = in_mid_run(slurm, "cells", started)
            ask(slurm, "scancel", cancelled.number)
            killed = in_mid_run(slurm, "simulate_busyness", started)
            for number in processes(killed):
                os.kill(number, signal.SIGKILL)
            status = started.wait(timeout=1800)
        finally:
            if started.poll() is None:
                os.killpg(started.pid, signal.SIGKILL)
                started.wait()
        output.seek(0)
        text = output.read()
    assert status == 0, text
    return Run(checkout, text, cancelled, killed)


def test_the_study_completes_with_the_results_of_a_run_without_slurm(slurm, run, smoke_run):
    assert re.search(STEPS, run.output)
    found, expected = run.checkout.results(), smoke_run.results()
    assert len(found) > 100 and "results/claims_confirmed.txt" in found
    assert differences_beyond_last_digits(found, expected) == []
    assert found["results/claims_confirmed.txt"] == expected["results/claims_confirmed.txt"]


def test_a_job_that_is_cancelled_or_killed_is_submitted_again(run, slurm):
    """Both under a new number, and both complete then."""
    ended = {job.number: job for job in jobs(slurm)}
    assert ended[run.cancelled.number].state == "CANCELLED" and ended[run.killed.number].state == "FAILED"
    assert run.output.count("Trying to restart job") == 2
    for first in (run.cancelled, run.killed):
        assert any(job.of == first.of and int(job.number) > int(first.number) for job in ended.values())
    others = ended.keys() - {run.cancelled.number, run.killed.number}
    assert {ended[number].state for number in others} == {"COMPLETED"}


def test_jobs_ask_for_what_a_node_has_and_use_all_nodes(run, slurm):
    """No job asks for more than two cores, and each says how much memory and time it needs."""
    found = jobs(slurm)
    assert {job.node for job in found} == {"n1", "n2", "n3"}
    assert {job.cores for job in found} <= {1, 2}
    assert max(job.megabytes for job in found) <= 3000 and min(job.megabytes for job in found) >= 1000
    assert all(10 <= job.minutes <= 240 for job in found)


def test_small_jobs_go_together_and_what_measures_times_alone(run, slurm):
    """Several chains of a group in one job of SLURM; what measures times has a node for itself."""
    found = jobs(slurm)
    assert len(found) < int(re.search(STEPS, run.output)[1]) / 3
    alone = [job for job in found if job.of in ("rule_time_sampling", "rule_time_rotation_sampling")]
    assert len(alone) == 2 and all(job.cores == 2 for job in alone)
