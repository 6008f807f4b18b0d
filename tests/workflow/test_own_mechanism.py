"""The mechanism of docs/add_a_mechanism.md, outside of the source: what it adds to a smoke run, and refusals."""

import hashlib
import json
import re

import pandas as pd
import pytest
from checkouts import ROOT, cells_of

[MECHANISM] = re.findall("```python\n(.*?)```", (ROOT / "docs/add_a_mechanism.md").read_text(encoding="utf-8"), re.S)
CELL = "results/circular_mean/one_direction/squared.csv"
CELLS = {f"results/{name}/{population}/squared.csv" for name in ("circular_mean", "survey_size")
         for population in ("one_direction", "city")}  # fmt: skip
CELLS |= {f"results/time_histogram/city/squared.{ending}" for ending in ("csv", "histograms.csv")}
CELLS |= {"results/place_histogram/world/squared.csv"}
SHARED = {f"results/privacy/{name}.csv" for name in ("levels", "loss", "polar", "cost")}
SHARED |= {"results/audit/circle.csv", "results/audit/sphere.csv", "results/provenance.json"}
"""Tables of all mechanisms, which one job makes."""
OTHERS = ("purkayastha", "von_mises_fisher", "wrapped_laplace", "clipped_laplace", "polar_laplace")


@pytest.fixture
def copied(smoke_run, tmp_path, monkeypatch):
    """A copy of the smoke run, and the file of a mechanism that the environment names."""
    file = tmp_path / "elsewhere" / "my_mechanism.py"
    file.parent.mkdir()
    file.write_text(MECHANISM, encoding="utf-8")
    monkeypatch.setenv("MECHANISM", f"{file}:SquaredMechanism")
    return smoke_run.copy(tmp_path), file


def test_it_enters_the_tables_and_an_edit_runs_its_jobs_alone(copied):
    run, file = copied
    plan = run.plan()
    assert cells_of(plan.files, "squared") == CELLS
    figures = {f"figures/{name}.png" for name in ("survey_size", "circular_mean_central", "time_histogram")}
    figures |= {f"figures/{name}.png" for name in ("place_histogram", "privacy_loss", "audit")}
    assert plan.pending >= CELLS | SHARED | figures
    assert not plan.pending & (cells_of(plan.files, *OTHERS) | {"results/audit/rotation.csv"})

    before = run.times()
    run.snakemake("--cores", "1", CELL, "results/mechanisms/my_mechanism.py")
    made = {name for name, time in run.times().items() if before.get(name) != time}
    assert made == {CELL, "results/mechanisms/my_mechanism.py", *plan.of_rules("collect_provenance")}
    copy = run.directory / "results/mechanisms/my_mechanism.py"
    assert set(pd.read_csv(run.directory / CELL)["mechanism"]) == {"squared"} and copy.read_bytes() == file.read_bytes()
    record = json.loads((run.directory / "results/provenance.json").read_text(encoding="utf-8"))
    sha256 = hashlib.sha256(file.read_bytes()).hexdigest()
    assert record["source"]["mechanisms"] == {"squared": {"my_mechanism.py:SquaredMechanism": sha256}}
    assert "squared" in record["config"]["mechanisms"] and str(file.parent) not in json.dumps(record)
    assert CELL not in run.pending()

    file.write_text(MECHANISM.replace("theta**2", "2.0 * theta**2"), encoding="utf-8")
    again = run.plan()
    assert CELL in again.pending and again.pending == plan.pending


def test_a_wrong_one_is_refused_before_any_job(copied):
    run, file = copied
    file.write_text(MECHANISM.replace("-(theta**2)", "theta * float('nan')"), encoding="utf-8")
    before = run.times()
    output = run.snakemake("--cores", "1", CELL, succeeds=False)
    assert "my_mechanism.py:SquaredMechanism.noise_type(dim=2, kappa=1.0) fails" in output and "is nan" in output
    assert "Traceback" not in output and run.times() == before
