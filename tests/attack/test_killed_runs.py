"""A run that is killed at any moments, in any way, is finished by the commands that the documents name."""

import os
import random
import re
import signal
import subprocess
import time

import pytest
from checkouts import differences

KILLS = 10
"""Of one run, each after fewer than ``STEPS`` steps, a random number; a run has more than a hundred."""
STEPS = 10

pytestmark = pytest.mark.sweep


def kill_snakemake(process):
    """Kill Snakemake alone: its jobs go on and end by themselves."""
    process.kill()


def kill_group(process):
    """Kill Snakemake and all its jobs, as a loss of power does."""
    os.killpg(process.pid, signal.SIGKILL)


def kill_job(process):
    """Kill one process of a job, as a machine without memory does."""
    while process.poll() is None:
        listed = subprocess.run(["ps", "-eo", "pid=,ppid="], stdout=subprocess.PIPE, text=True).stdout
        parents = dict(map(int, line.split()) for line in listed.splitlines())
        if jobs := [child for child in parents if parents[child] == process.pid]:
            os.kill(random.choice(jobs), signal.SIGKILL)
            return
        time.sleep(0.01)


def steps_done(output):
    """How many steps a run says it has begun."""
    found = re.findall(r"^(\d+) of \d+: ", output.read_text(encoding="utf-8"), flags=re.M)
    return int(found[-1]) if found else 0


@pytest.mark.parametrize("kill", [kill_snakemake, kill_group, kill_job])
def test_the_documented_commands_finish_a_run_killed_ten_times(project, smoke_run, kill, tmp_path):
    run = project.copy(tmp_path)
    run.configs = smoke_run.configs
    expected = smoke_run.results()
    for _ in range(KILLS):
        chosen, output = random.randrange(STEPS), tmp_path / "output.txt"
        with open(output, "w", encoding="utf-8") as terminal:
            killed = run.start(terminal, "--cores", "2")
            try:
                while steps_done(output) < chosen:
                    assert killed.poll() is None, output.read_text(encoding="utf-8")
                    time.sleep(0.02)
                time.sleep(2.0 * random.random())
                kill(killed)
                assert killed.wait(timeout=600) != 0
            finally:
                if killed.poll() is None:
                    os.killpg(killed.pid, signal.SIGKILL)
        print(f"{kill.__name__} after {chosen} steps, {len(run.results())} files are there")
        if kill is not kill_job and any(run.directory.glob(".snakemake/locks/*")):
            assert "lock" in run.snakemake("--cores", "2", succeeds=False)
            run.snakemake("--unlock")
    left = run.results()
    assert 0 < len(left) < len(expected)
    run.snakemake("--cores", "2")
    assert differences(run.results(), expected) == []
    assert "Nothing to be done" in run.snakemake("--cores", "2")
    half_written = [name for name, content in left.items() if content != expected.get(name)]
    assert half_written == []
