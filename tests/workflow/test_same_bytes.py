"""The same bytes every time: on one core as on two, after a kill, and when a mechanism is added later."""

import os
import signal
import time

import pandas as pd
import pytest
import yaml
from checkouts import cells_of, differences

FIGURE = "figures/survey_size.png"
"""One with jobs of every kind behind it, from making check-ins to collecting tables."""
ADDED = "purkayastha"
COLLECTED = [f"results/{name}/{name}.csv" for name in ("circular_mean", "survey_size", "time_histogram")]
SOME = (
    "results/provenance.json",
    "results/checkins/overview.csv",
    "results/busyness/city/wrapped_laplace.csv",
    "results/circular_mean/city/wrapped_laplace.csv",
    "results/expected_distances/purkayastha.csv",
    "results/time_histogram/city/wrapped_laplace.csv",
    "results/survey_size/ratios.csv",
    FIGURE,
)
"""Files that jobs of every kind, with one thread and with two, are behind; of one experiment all cells."""
ALL = (*SOME, "results/checkins/compared.csv", "results/claims.csv")
"""All tables are behind these; the pages of the claims and the last rule need all figures besides."""


@pytest.fixture(scope="module")
def others(project):
    """The mechanisms of the study but one."""
    config = yaml.safe_load((project.source / "config/config.yaml").read_text(encoding="utf-8"))
    assert ADDED in config["mechanisms"]
    return [name for name in config["mechanisms"] if name != ADDED]


def without_one(checkout, others, folder):
    return checkout.with_config({"mechanisms": others}, folder / "others.yaml")


@pytest.fixture(scope="module", params=[SOME, pytest.param(ALL, marks=pytest.mark.sweep)], ids=["some", "all"])
def targets(request):
    """What the runs make: tables, and one figure, as figures are drawn by one thread from tables."""
    return request.param


@pytest.fixture(scope="module")
def collected(plan, targets):
    """Tables of all mechanisms that the runs make."""
    found = [name for name in COLLECTED if name in plan.behind(targets)]
    assert found == (COLLECTED if targets == ALL else COLLECTED[1:2])
    return found


@pytest.fixture(scope="module")
def finished(smoke_run, project, others, targets, tmp_path_factory):
    """A run without one mechanism, killed on two cores after its first file, finished on one core."""
    folder = tmp_path_factory.mktemp("killed")
    run = without_one(project.copy(folder), others, folder)
    run.configs = (*smoke_run.configs, *run.configs)
    incomplete = run.directory / ".snakemake" / "incomplete"  # has a marker for each job that is running
    with open(folder / "output.txt", "w", encoding="utf-8") as output:
        killed = run.start(output, "--cores", "2", *targets)
        try:
            deadline = time.monotonic() + 250
            while not (run.results() and incomplete.is_dir() and any(incomplete.iterdir())):
                assert killed.poll() is None and time.monotonic() < deadline, "the run ended before the kill"
                time.sleep(0.02)
        finally:
            os.killpg(killed.pid, signal.SIGKILL)
            killed.wait()
    done_before = run.times()
    assert any(incomplete.iterdir())
    assert 0 < len(done_before) < 10 and not any("checkins/" in name for name in done_before)

    refused = run.snakemake("--cores", "2", *targets, succeeds=False)
    assert "lock" in refused and "Traceback" not in refused
    assert "About" not in run.snakemake("--unlock"), "this takes no time"
    run.snakemake("--cores", "1", *targets)
    assert not any(incomplete.iterdir())
    return run


@pytest.fixture(scope="module")
def plan_without(smoke_run, others, tmp_path_factory):
    """What the finished smoke run would do next without the mechanism."""
    folder = tmp_path_factory.mktemp("plan_without")
    return without_one(smoke_run.copy(folder), others, folder).plan()


@pytest.fixture(scope="module")
def changing(plan, plan_without):
    """Files of the mechanism alone, and those that are made of them, or tell the configuration."""
    cells = plan.files - plan_without.files
    return cells, plan.with_what_is_made_of(cells) - cells | plan.of_rules("collect_provenance")


def test_taking_a_mechanism_away_makes_only_what_showed_it(plan, plan_without, changing):
    cells, shown = changing
    assert cells == cells_of(cells, ADDED) and len(cells) >= 6
    assert {"results/survey_size/ratios.csv", "results/claims.csv", "results/claims_confirmed.txt"} <= shown
    assert {*COLLECTED, FIGURE} <= shown
    assert plan.pending == set() and plan_without.pending == shown


def test_one_core_finishes_a_killed_run_with_the_bytes_of_two(finished, smoke_run, changing, collected):
    """By unlocking and the same command. What shows the mechanism is compared when it is there."""
    cells, shown = changing
    found, expected = finished.results(), smoke_run.results()
    assert FIGURE in found and len(found) > 20 and not cells & set(found)
    alike = set(found) - shown
    assert differences({n: found[n] for n in alike}, {n: expected.get(n) for n in alike}) == []
    for name in collected:
        assert ADDED not in set(pd.read_csv(finished.directory / name)["mechanism"])


def test_adding_a_mechanism_computes_only_its_cells(
    finished, smoke_run, plan, changing, others, targets, collected, tmp_path
):
    """And collects and draws what shows them: at last everything is as if it had been there before."""
    cells, shown = changing
    behind = plan.behind(targets)
    run = finished.copy(tmp_path)
    run.configs = smoke_run.configs
    before = run.times()
    run.snakemake("--cores", "1", *targets)
    after = run.times()
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed == (shown | cells) & set(after) and len(cells & behind) > 1 and cells & behind <= changed
    for name in collected:
        assert set(pd.read_csv(run.directory / name)["mechanism"]) >= {*others, ADDED}
    found, expected = run.results(), smoke_run.results()
    assert differences(found, {name: expected.get(name) for name in found}) == []
    assert {name for name in expected if name in behind} <= set(found)
    if targets == ALL:
        tables = {name for name in expected if name.startswith(("results/", "data/"))}
        last = plan.of_rules("write_claims_page", "write_article", "require_expected_claims")
        assert tables - set(found) == last & set(expected)
