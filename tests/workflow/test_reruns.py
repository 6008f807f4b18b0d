"""What an edit runs again. A run in a copy of the finished smoke run shows only what the edit asks for."""

import pytest
from checkouts import cells_of

SAMPLER = "src/dirpriv/distributions/purkayastha.py"
CATALOGUE = "src/study/workflow/mechanism_catalogue.yaml"
PROVENANCE = "results/provenance.json"
CONFIRMED = "results/claims_confirmed.txt"

WITHOUT_IT = (
    "generate_checkins",
    "prepare_checkins",
    "describe_checkins",
    "plot_tangent_normal",
    "plot_rotation_axes",
    "simulate_vector_noise",
    "plot_vector_noise",
    "simulate_persons",
)
"""Rules that reach no file which imports the Purkayastha distribution."""

OF_THE_DISTRIBUTION = (
    "compute_angular_densities",
    "compute_theorem_24",
    "simulate_rotation_samplers",
    "simulate_rotation_errors",
    "compute_privacy",
    "check_printed_rotation_forms",
    "time_sampling",
    "time_rotation_sampling",
)
"""Rules that use Purkayastha's distribution without having its name in the file they make."""


def figure_files(names):
    """Both files of each figure."""
    return {f"figures/{name}.{kind}" for name in names for kind in ("png", "pdf")}


def test_an_edit_that_changes_no_code_runs_nothing(smoke_run, tmp_path):
    """Nor does a second run without one."""
    copied = smoke_run.copy(tmp_path)
    before = copied.times()
    (copied.directory / "results/benchmarks.csv").unlink()
    copied.edit(SAMPLER, "# the uniform distribution on the circle has no mode", "# there is no mode on the circle")
    copied.edit(SAMPLER, '"""The Purkayastha distribution: density', '"""The Purkayastha distribution: a density')
    copied.edit("src/study/experiments/circular_mean/simulate.py", "# of the integral of a", "# of an integral of a")
    output = copied.snakemake("--cores", "2")
    assert "Nothing to be done" in output and "About" not in output
    assert copied.times() == before and not (copied.directory / "results/benchmarks.csv").exists()


def test_an_edit_of_a_sampler_runs_only_what_uses_it(smoke_run, tmp_path):
    copied = smoke_run.copy(tmp_path)
    copied.edit(SAMPLER, "size, kappa * np.pi, rng)", "size, np.pi * kappa, rng)")
    plan = copied.plan()
    audits = {f"results/audit/{space}.csv" for space in ("circle", "sphere", "rotation")}
    uses_it = {*cells_of(plan.files, "purkayastha"), *plan.of_rules(*OF_THE_DISTRIBUTION), *audits, PROVENANCE}
    assert audits < plan.files and len(uses_it) > 30
    without_it = {*plan.of_rules(*WITHOUT_IT), "results/expected_distances/von_mises_fisher.csv"}
    expected = plan.with_what_is_made_of(uses_it)
    assert len(expected) > 100 and len(without_it) > 20
    assert plan.pending >= expected and not plan.pending & without_it


def test_an_edit_of_a_script_runs_its_rule(smoke_run, tmp_path):
    copied = smoke_run.copy(tmp_path)
    copied.edit("src/study/experiments/survey_size/baseline_ratios.py", 'BASELINE = ["wrapped', 'BASELINE = ["clipped')
    plan = copied.plan()
    expected = {"results/survey_size/ratios.csv", *plan.of_rules("collect_provenance")}
    assert plan.pending == plan.with_what_is_made_of(expected)
    assert plan.pending >= {CONFIRMED}
    copied.edit("src/study/checkins/line_blocks.py", "LONGEST_LINE = 1 << 20", "LONGEST_LINE = 1 << 21")
    plan = copied.plan()
    assert plan.of_rules("prepare_checkins") <= plan.pending
    one_direction = {name for name in plan.files if "/one_direction/" in name}
    assert len(one_direction) >= 8
    assert not plan.pending & {*plan.of_rules("generate_checkins"), *one_direction}


@pytest.mark.sweep
def test_another_table_of_cities_generates_the_checkins_again(smoke_run, tmp_path):
    copied = smoke_run.copy(tmp_path)
    (copied.source / "src/study/checkins/synthetic/cities.csv.gz").write_bytes(b"another table")
    assert copied.pending() >= {"data/generated/world.txt.gz", PROVENANCE}


@pytest.mark.sweep
def test_an_edit_of_a_caption_writes_the_page_and_the_captions_again(smoke_run, tmp_path):
    """As does one of the template of the page, whose files have one sum with the captions."""
    copied = smoke_run.copy(tmp_path)
    copied.edit("src/study/checkins/caption.rst", "One row for each dataset", "A row for each dataset")
    plan = copied.plan()
    assert plan.pending == {*plan.of_rules("write_claims_page"), CONFIRMED}


def test_a_changed_colour_draws_only_the_figures_that_show_it(smoke_run, tmp_path):
    copied = smoke_run.copy(tmp_path)
    copied.edit(CATALOGUE, "label: clipped Laplace, colour: *purple", "label: clipped Laplace, colour: *brown")
    shown = {"survey_size", "time_histogram", "time_histogram_example", "privacy_loss", "privacy_cost"}
    shown |= {f"circular_mean_{view}" for view in ("central", "local_epsilon", "local_responses")}
    plan = copied.plan()
    claims = {*plan.of_rules("write_claims_page", "write_article"), CONFIRMED}
    assert plan.pending == figure_files({*shown, "audit"}) | claims


def test_a_new_row_runs_only_what_shows_all_mechanisms_of_its_space(smoke_run, tmp_path):
    """It is in no list of the configuration yet, so that it has no cells."""
    copied = smoke_run.copy(tmp_path)
    row = (
        "another: {label: Another, colour: *red, marker: X, spaces: [rotation], calibrations: [tight], "
        'mechanism: "dirpriv.mechanisms:RotationLaplaceMechanism", '
        'distribution: "dirpriv.distributions:RotationLaplace"}'
    )
    copied.edit(CATALOGUE, "  uniform:\n", f"  {row}\n  uniform:\n")
    shown = {f"results/privacy/{name}.csv" for name in ("levels", "loss", "polar", "cost")}
    shown |= {"results/rotation_errors/rotation_errors.csv", "results/audit/rotation.csv"}
    shown |= {"results/audit/audit.csv", *figure_files({"audit", "rotation_errors", "rotation_sampling"})}
    shown |= {f"results/rotation_sampling/{name}.csv" for name in ("rotation_sampling", "compared", "summary")}
    shown |= figure_files({"privacy_loss", "privacy_cost", "claims"})
    plan = copied.plan()
    last = {*plan.of_rules("collect_provenance", "write_claims_page", "write_article")}
    last |= {"results/claims.csv"}
    assert plan.pending == shown | last | {CONFIRMED}
