"""The workflow in an environment in which all is hostile at once: the same bytes as in the usual one."""

import os
import subprocess

import pytest
from checkouts import Checkout, differences
from environments import ENVIRONMENTS, GIT, SHADOW, STYLE

HOSTILE = (
    "another hash seed", "Kathmandu", "the locale C", "a backend that needs a screen", "a matplotlibrc",
    "no folder for temporary files", "a study.py of the user", "a narrow terminal",
)  # fmt: skip
TARGETS = (
    "results/provenance.json",
    "results/checkins/overview.csv",
    "results/expected_distances/purkayastha.csv",
    "results/time_histogram/city/wrapped_laplace.csv",
    "results/survey_size/ratios.csv",
    "figures/survey_size.png",
)
"""Files behind which are jobs of every kind, from making check-ins to drawing."""


@pytest.mark.sweep
def test_a_run_in_a_hostile_environment_gives_the_same_bytes(project, smoke_run, tmp_path):
    folder = tmp_path / "Straße with spaces"
    folder.mkdir()
    run = Checkout(project.copy(folder).source, folder / "run", ("config/smoke.yaml",))
    for name, text in (("matplotlibrc", STYLE), ("study.py", SHADOW)):
        (folder / name).write_text(text)
        (run.source / name).write_text(text)  # where Snakemake is started, too
    own = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "GIT_", "SNAKEMAKE"))}
    for variables in (*(ENVIRONMENTS[name] for name in HOSTILE), GIT):
        own |= {name: value.format(folder, folder=folder) for name, value in variables.items()}
    own["PYTHONPATH"] = str(folder)
    own.pop("HOME", None)
    before = os.umask(0o077)
    try:
        done = subprocess.run(
            run.command("--cores", "2", *TARGETS), cwd=run.source, env=own, capture_output=True, timeout=900
        )
    finally:
        os.umask(before)
    output = (done.stdout + done.stderr).decode()
    assert done.returncode == 0 and "Traceback" not in output, output
    found, expected = run.results(), smoke_run.results()
    assert set(TARGETS) <= set(found) and len(found) > 20
    assert differences(found, {name: expected.get(name) for name in found}) == []
    written = [path for path in run.directory.rglob("*") if path.is_file() and ".snakemake" not in path.parts]
    assert {path.stat().st_mode & 0o077 for path in written} == {0}
