"""The workflow end to end: its rules, the smoke run, what an edit runs again, the same bytes every time."""

import ast
import json
import os
import re
import signal
import subprocess
import sys
import time
from importlib.machinery import PathFinder
from pathlib import Path

import pandas as pd
import pytest
import yaml
from conftest import ROOT, Checkout, environment

SAMPLER = "src/dirpriv/laws/purkayastha.py"
FIGURES = {
    "circular_mean_central",
    "circular_mean_local_epsilon",
    "circular_mean_local_responses",
    "survey_size",
    "time_histogram",
    "time_histogram_example",
    "privacy_loss",
    "privacy_cost",
}
LAW_FIGURES = {
    "fig02_angular_densities",
    "fig10_expected_distances",
    "fig11_angular_cdfs",
    "theorem_24",
    "place_histogram",
    "mean_direction_epsilon",
    "mean_direction_dimension",
    "fig08_busyness",
    "fig12_busyness",
    "busyness_venue",
    "busyness_snapping",
    "sampling",
    "bfig2_samplers",
    "rotation_errors",
    "rotation_sampling",
    "audit",
}
TIMES = {"sampling", "rotation_sampling"}
"""Figures of what differs from run to run."""
OTHER_FIGURES = {
    "fig01_tangent_normal",
    "vector_noise",
    "vector_noise_mean",
    "bfig1_axes",
    "bfig3_angles",
}
"""Figures that Purkayastha's law has no part in."""


def figure_files(names):
    """Both files of each figure."""
    return {f"figures/{name}.{kind}" for name in names for kind in ("png", "pdf")}


FIGURE_FILES = figure_files(FIGURES)
COLLECTED = {f"results/{name}/{name}.csv" for name in ("circular_mean", "survey_size")}
AFTER_CELLS = {*FIGURE_FILES, *COLLECTED, "results/survey_size/ratios.csv", "results/provenance.json"}
AFTER_CELLS |= {f"results/time_histogram/{name}.csv" for name in ("time_histogram", "comparison")}
AFTER_CELLS |= {"results/claims.csv", "results/claims.html", "results/claims_confirmed.txt"}
AFTER_CELLS |= figure_files({"claims"})
LAW_TABLES = {
    "results/angular_densities/densities.csv",
    "results/angular_densities/mean_angles.csv",
    "results/angular_densities/worse_than_uniform.csv",
    "results/theorem_24/theorem_24.csv",
    "results/theorem_24/summary.csv",
    "results/expected_distances/expected_distances.csv",
    "results/expected_distances/summary.csv",
    "results/angular_cdfs/angular_cdfs.csv",
    "results/angular_cdfs/differences.csv",
    "results/mean_direction/mean_direction.csv",
    "results/place_histogram/place_histogram.csv",
    "results/place_histogram/comparison.csv",
    "results/place_histogram/summary.csv",
    "results/busyness/busyness.csv",
    "results/busyness/compared.csv",
    "results/rotation_samplers/rotation_samplers.csv",
    "results/rotation_samplers/histograms.csv",
    "results/rotation_errors/rotation_errors.csv",
    "results/privacy/levels.csv",
    "results/privacy/loss.csv",
    "results/privacy/polar.csv",
    "results/privacy/cost.csv",
    "results/audit/circle.csv",
    "results/audit/sphere.csv",
    "results/audit/rotation.csv",
    "results/audit/audit.csv",
}
"""Tables about the laws themselves, all of which use Purkayastha's; the samplers' times are no result."""
OTHER_TABLES = {
    "results/rotation_forms/rotation_forms.csv",
    "results/vector_noise/vector_noise.csv",
    "results/vector_noise/losses.csv",
    "results/vector_noise/radii.csv",
    "results/vector_noise/mean_errors.csv",
    "results/rotation_axes/axes.csv",
    "results/rotation_angles/rotation_angles.csv",
    "results/rotation_angles/histograms.csv",
    "results/audit/vector.csv",
}
"""Tables that Purkayastha's law has no part in."""
TIDY = {"experiment", "population", "mechanism", "calibration", "dim", "epsilon", "n", "metric", "value"}
TIDY |= {"standard_error", "low", "high", "expected", "unit"}


KNOWN = {*AFTER_CELLS, *LAW_TABLES, *OTHER_TABLES, *figure_files(LAW_FIGURES | OTHER_FIGURES)}
"""What tests here speak of, besides cells. An experiment that is added later has its own tests."""


def cells_of(mechanism, populations=("one_direction", "city")):
    """Tables of one mechanism."""
    experiments = ("circular_mean", "survey_size")
    cells = {f"results/{e}/{population}/{mechanism}.csv" for e in experiments for population in populations}
    return cells | {
        f"results/time_histogram/{population}/{mechanism}.{kind}"
        for population in populations
        if population != "one_direction"
        for kind in ("csv", "histograms.csv")
    }


def law_cells_of(law):
    """Tables of one law."""
    cells = {f"results/{experiment}/{law}.csv" for experiment in ("expected_distances", "angular_cdfs")}
    cells |= {f"results/mean_direction/{population}/{law}.csv" for population in ("one_direction", "spread")}
    cells.add(f"results/place_histogram/world/{law}.csv")
    return cells | {
        f"results/busyness/{population}/{law}.{kind}"
        for population in ("city", "world")
        for kind in ("csv", "venues.parquet", "example.csv")
    }


def rules(project):
    """Text of each rule and the folder of its file, by its name."""
    found = {}
    for path in [project.source / "Snakefile", *sorted(project.source.glob("src/study/**/rules.smk"))]:
        parts = re.split(r"^rule (\w+):\n", path.read_text(encoding="utf-8"), flags=re.M)
        for name, text in zip(parts[1::2], parts[2::2], strict=True):
            found[name] = re.split(r"^(?=\S)", text, flags=re.M)[0], path.parent
    return found


# The rules.

NAMED_BEFORE = {
    "collect_results": "core/collect.py",
    "compare_survey_sizes": "experiments/survey_size/compare.py",
    "download_file": "checkins/download.py",
    "generate_checkins": "checkins/synthetic/generate.py",
    "time_rotation_sampling": "experiments/rotation_sampling/measure.py",
    "time_sampling": "experiments/sampling/measure.py",
    "unpack_member": "checkins/unpack.py",
    "write_claims_page": "claims/page.py",
}
"""Rules whose names are older than that of their script."""


def test_snakemake_finds_nothing_to_criticise(project):
    assert "good condition" in project.snakemake("--lint")


def test_rules_are_formatted(project):
    command = [sys.executable, "-m", "snakefmt", "--check", "Snakefile", "src/study"]
    done = subprocess.run(command, cwd=project.source, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr


def test_each_rule_says_what_it_needs_and_where_it_writes(project):
    found = rules(project)
    assert len(found) > 50
    for name, (text, _) in found.items():
        if name == "all":
            continue
        directives = set(re.findall(r"^ {4}(\w+):", text, flags=re.M))
        wanted = {"output", "params", "log", "benchmark", "conda", "message", "script"}
        assert wanted <= directives, f"{name} lacks {sorted(wanted - directives)}"
        assert f'"logs/{name}' in text and f'"benchmarks/{name}' in text, f"{name}: named after the rule"
        script = re.search(r'script:\s+"(.*)"', text)[1]
        digested = re.search(r'\bcode=digest\(\s*"([^"]*)"(.*?)\),?\n', text, flags=re.S)
        assert digested and digested[1] == script, f"{name} would not see an edit of its source"
        for found in re.findall(r"\brows=.*?\b(classes|laws|pair|audited)\(", text):
            assert found in digested[2], f"{name} is handed {found}(…), which its digest does not hold"


@pytest.mark.parametrize("profile", sorted((ROOT / "profiles").iterdir()), ids=lambda path: path.name)
def test_every_job_has_its_resources_and_no_more_threads_than_cores(project, profile, tmp_path):
    """As Snakemake resolves them: what a rule leaves out comes from the profile."""
    run = Checkout(project.copy(tmp_path).source, tmp_path / "run", ("config/smoke.yaml",))
    for path in run.source.glob("src/study/**/rules.smk"):  # it tells the resources of jobs without a message
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"^    message:\n.*\n", "", text, flags=re.M), encoding="utf-8")
    plan = run.snakemake("--dry-run", "--cores", "3", "--workflow-profile", profile)
    jobs = re.split(r"^(?:local)?rule (\w+):\n", plan, flags=re.M)
    seen = dict(zip(jobs[1::2], [text.partition("\n\n")[0] for text in jobs[2::2]], strict=True))
    assert set(seen) == set(rules(project)) - {"download_file", "unpack_member"}
    assert "About" not in plan, "a dry run takes no time"
    threads = {name: int(m[1]) for name, text in seen.items() if (m := re.search(r"threads: (\d+)", text))}
    two = {"prepare_checkins": 2, "simulate_busyness": 2}
    assert threads == {"time_sampling": 3, "time_rotation_sampling": 3} | two
    for name, text in seen.items():
        if name != "all":
            given = dict(re.findall(r"(mem_mb|runtime)=(\d+)", text))
            assert set(given) == {"mem_mb", "runtime"}, f"{name} has {given} only"


@pytest.mark.parametrize("arguments", [("--lint",), ("--summary",), ("--unlock",)], ids=str)
def test_what_runs_no_job_needs_no_number_of_cores(project, tmp_path, arguments):
    assert "About" not in Checkout(project.source, tmp_path).snakemake(*arguments), "this takes no time"


def test_a_rule_is_named_after_its_script_and_its_folder(project):
    used = {}
    for name, (text, folder) in rules(project).items():
        if script := re.search(r'script:\s+"(.*)"', text):
            used[name] = (folder / script[1]).relative_to(project.source / "src/study")
    for name, path in used.items():
        assert name == f"{path.stem}_{path.parent.name}" or NAMED_BEFORE[name] == path.as_posix()
    assert NAMED_BEFORE.keys() <= used.keys()
    using_snakemake = set()
    for path in (project.source / "src/study").rglob("*.py"):
        for node in ast.parse(path.read_bytes()).body:
            names = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
            if isinstance(node, ast.If) and {"__name__", "snakemake"} <= names:
                using_snakemake.add(path.relative_to(project.source / "src/study"))
    assert using_snakemake == set(used.values())


def test_no_file_beside_a_script_hides_a_module(project):
    """The folders of scripts are on Python's path, where a ``json.py`` could be taken for Python's."""
    texts = [(re.search(r'script:\s+"(.*)"', text), folder) for text, folder in rules(project).values()]
    folders = {(folder / script[1]).parent for script, folder in texts if script}
    assert len(folders) > 20
    paths = [path for folder in folders for path in folder.iterdir() if path.suffix in (".py", "")]

    def hides(name):
        spec = PathFinder.find_spec(name)  # any folder on the path has a spec, but without a file
        return name in sys.builtin_module_names or (spec is not None and spec.origin is not None)

    assert hides("json") and hides("sys")
    assert [path.name for path in paths if path.stem != "__init__" and hides(path.stem)] == []


def test_a_folder_is_an_experiment_and_its_section(project):
    folder = project.source / "src/study/experiments"
    experiments = {path.name for path in folder.iterdir() if path.is_dir()} - {"__pycache__"}
    for name in experiments:
        files = {path.name for path in (folder / name).iterdir()}
        assert {"rules.smk", "settings.py", "caption.rst", "__init__.py"} <= files, name
        text = (folder / name / "rules.smk").read_text(encoding="utf-8")
        assert "TARGETS += [" in text, f"nothing of {name} would be made"
    config = yaml.safe_load((project.source / "config/config.yaml").read_text(encoding="utf-8"))
    assert experiments <= set(config)


def test_walls_stand_between_the_folders(project, tmp_path):
    """And they would fall: an experiment that imports another is named."""
    copied = project.copy(tmp_path)
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]

    def linted():
        done = subprocess.run(
            command, cwd=copied.source, env=environment() | {"PYTHONPATH": str(copied.source / "src")},
            capture_output=True, text=True, timeout=100,
        )  # fmt: skip
        return done.returncode, done.stdout

    assert linted()[0] == 0, linted()[1]
    for file, line, broken in (
        ("experiments/audit/plot.py", "import study.experiments.privacy.plot", "independent"),
        ("core/job.py", "import study.checkins.prepare", "layers"),
        ("checkins/prepare.py", "import study.experiments.audit.plot", "layers"),
        ("claims/rows.py", "import study.checkins.prepare", "core only"),
        ("../dirpriv/seeding.py", "import study.core.job", "library"),
    ):
        path = copied.source / "src/study" / file
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text}\n\ndef wrong():\n    {line}\n", encoding="utf-8")
        status, output = linted()
        path.write_text(text, encoding="utf-8")
        assert status != 0 and re.search(f"{broken}.* BROKEN", output), (file, output)


MODULE = """
module study:
    snakefile: "{snakefile}"

use rule * from study as study_*

rule mine:
    default_target: True
    input: "results/theorem_24/summary.csv"
    output: "mine.txt"
    shell: "cp {{input}} {{output}}"
"""


def test_another_workflow_can_use_this_one_as_a_module(project, tmp_path):
    """Although it lies elsewhere: its rules find their scripts, their settings and their packages."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "Snakefile").write_text(MODULE.format(snakefile=project.source / "Snakefile"), encoding="utf-8")
    config = yaml.safe_load((project.source / "config/config.yaml").read_text(encoding="utf-8"))
    assert "theorem_24" in config
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--cores", "1"],
        cwd=other, env=environment(), capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(other / "mine.txt")
    assert len(table) and (other / "results/theorem_24/summary.csv").is_file()


# The smoke run.


def test_smoke_run_makes_every_figure_and_table(smoke_run):
    made = smoke_run.results()
    figures = figure_files(LAW_FIGURES - TIMES | OTHER_FIGURES)
    assert set(made) > {*AFTER_CELLS, *figures, *LAW_TABLES, *OTHER_TABLES, "data/generated/city.txt.gz"}
    for name in FIGURE_FILES | figures:
        start = b"\x89PNG" if name.endswith("png") else b"%PDF-"
        assert made[name].startswith(start) and len(made[name]) > 5000, name
    assert [name for name, content in made.items() if not content] == []
    config = yaml.safe_load((smoke_run.source / "config/config.yaml").read_text(encoding="utf-8"))
    for name in COLLECTED:
        table = pd.read_csv(smoke_run.directory / name)
        assert set(table.columns) >= TIDY
        assert set(table["mechanism"]) == set(config["mechanisms"])
        assert set(table["population"]) == {"one_direction", "city"}
    table = pd.read_csv(smoke_run.directory / "results/mean_direction/mean_direction.csv")
    assert set(table.columns) >= TIDY
    assert set(table["mechanism"]) == set(config["mean_direction"]["mechanisms"])
    assert set(table["population"]) == {"one_direction", "spread"}
    ratios = pd.read_csv(smoke_run.directory / "results/survey_size/ratios.csv")
    assert {"mechanism", "calibration", "epsilon", "n", "ratio", "ratio_low", "ratio_high"} <= set(ratios)
    rejected = pd.read_csv(smoke_run.directory / "results/checkins/city.rejected.csv")
    assert list(rejected) == ["line", "reason", "text"]
    summary = pd.read_csv(smoke_run.directory / "results/checkins/city.summary.csv")
    assert list(summary) == ["quantity", "value"]


def test_smoke_run_writes_a_log_and_a_benchmark_for_each_job(smoke_run):
    cells = {path for path in cells_of("purkayastha") if not path.endswith(".histograms.csv")}
    jobs = {path.removeprefix("results/").removesuffix(".csv") for path in cells}
    jobs = {j.replace("circular_mean", "simulate_circular_mean", 1) for j in jobs}
    jobs = {j.replace("survey_size", "search_survey_size", 1) for j in jobs}
    jobs = {j.replace("time_histogram", "simulate_time_histogram", 1) for j in jobs}
    jobs |= {"simulate_place_histogram/world/polar_laplace", "simulate_time_histogram/city/uniform"}
    jobs |= {"generate_checkins/city", "prepare_checkins/city", "collect_results/survey_size"}
    jobs |= {"simulate_mean_direction/spread/vector_laplace", "simulate_expected_distances/purkayastha"}
    jobs |= {"compute_angular_cdfs/von_mises_fisher", "draw_tangent_normal", "compute_theorem_24"}
    jobs |= {"simulate_vector_noise", "simulate_rotation_angles", "time_rotation_sampling"}
    jobs |= {"compute_privacy", "simulate_audit/rotation", "plot_audit"}
    jobs |= {"plot_circular_mean", "plot_survey_size", "compare_survey_sizes", "collect_provenance"}
    for job in jobs:
        log = (smoke_run.directory / f"logs/{job}.log").read_text(encoding="utf-8")
        assert log.rstrip().endswith("done"), job
        benchmark = pd.read_csv(smoke_run.directory / f"benchmarks/{job}.tsv", sep="\t")
        assert benchmark["s"][0] > 0, job


def test_smoke_run_collects_its_benchmarks_and_tells_its_time(smoke_run):
    table = pd.read_csv(smoke_run.directory / "results/benchmarks.csv").set_index("rule")
    assert set(table.index) == set(rules(smoke_run)) - {"all", "download_file", "unpack_member"}
    assert table["jobs"].sum() == len(list((smoke_run.directory / "benchmarks").rglob("*.tsv")))
    assert (table["longest_seconds"] > 0).all() and table["seconds"].sum() > 30
    log = min((smoke_run.directory / ".snakemake/log").glob("*.log"))
    told = re.findall(r"^About .*min.*$", log.read_text(encoding="utf-8"), flags=re.M)
    assert re.fullmatch(r"About \d+ min on 2 cores, going by a run elsewhere\.", told[0])
    assert all(re.fullmatch(r"About \d+ min left\.", line) for line in told[1:])


@pytest.mark.parametrize("rule", ["time_sampling", "time_rotation_sampling"])
def test_samplers_are_timed_with_one_thread(smoke_run, rule):
    """Although Snakemake gives these jobs all cores, and tells the libraries so."""
    log = (smoke_run.directory / f"logs/{rule}.log").read_text(encoding="utf-8")
    assert "threads of BLAS: [1]\n" in log


def test_smoke_run_leaves_the_results_of_the_study_alone(smoke_run, project):
    def files(checkout):
        paths = [path for path in checkout.source.rglob("*") if path.is_file()]
        relative = {path.relative_to(checkout.source).as_posix(): path.read_bytes() for path in paths}
        return {name: content for name, content in relative.items() if "__pycache__" not in name}

    left, before = files(smoke_run), files(project)
    theirs = {name for name, content in left.items() if content == b"of the study at full size"}
    assert theirs == {
        "results/circular_mean/circular_mean.csv",
        "figures/survey_size.png",
        "data/generated/city.txt.gz",
    }
    assert {name: content for name, content in left.items() if name not in theirs} == before


# What an edit runs again. A run in a copy of the finished smoke run shows only what the edit asks for.


def test_provenance_has_a_digest_of_each_rule_and_of_each_class(smoke_run):
    record = json.loads((smoke_run.directory / "results/provenance.json").read_text(encoding="utf-8"))
    digests = record["source"]["digests"]
    of_rules = set(rules(smoke_run)) - {"all"}
    of_classes = {"purkayastha", "wrapped_laplace", "polar_laplace", "rotation_laplace", "uniform"}
    assert set(digests) >= {*of_rules, *of_classes, "audit_cases"}
    assert all(re.fullmatch("[0-9a-f]{16}", digest) for digest in digests.values())
    assert len({digests[name] for name in of_rules}) == len(of_rules)


CATALOGUE = "src/study/core/catalogue.py"


def test_a_changed_colour_draws_only_the_figures_that_show_it(smoke_run, tmp_path):
    copied = smoke_run.copy(tmp_path)
    copied.edit(CATALOGUE, '"Clipped", PURPLE,', '"Clipped", BROWN,')
    shown = {"survey_size", "time_histogram", "time_histogram_example", "privacy_loss", "privacy_cost"}
    shown |= {f"circular_mean_{view}" for view in ("central", "local_epsilon", "local_responses")}
    claims = {"results/claims.html", "results/claims_confirmed.txt"}
    assert copied.pending() == figure_files({*shown, "audit"}) | claims


def test_a_new_row_runs_only_what_shows_all_mechanisms_of_its_space(smoke_run, tmp_path):
    """It is in no list of the configuration yet, so that it has no cells."""
    copied = smoke_run.copy(tmp_path)
    row = (
        '"another": Row("Another", RED, "X", ("rotation",), '
        '"dirpriv.rotations:RotationLaplaceMechanism", "dirpriv.rotations:RotationLaplace", ("tight",)),'
    )
    copied.edit(CATALOGUE, '    "uniform": Row(', f'    {row}\n    "uniform": Row(')
    shown = {f"results/privacy/{name}.csv" for name in ("levels", "loss", "polar", "cost")}
    shown |= {"results/rotation_errors/rotation_errors.csv", "results/audit/rotation.csv"}
    shown |= {"results/audit/audit.csv", *figure_files({"audit", "rotation_errors", "rotation_sampling"})}
    shown |= {
        f"results/rotation_sampling/{name}.csv" for name in ("rotation_sampling", "compared", "summary")
    }
    shown |= figure_files({"privacy_loss", "privacy_cost", "claims"})
    last = {"results/provenance.json", "results/claims.csv", "results/claims.html"}
    assert copied.pending() == shown | last | {"results/claims_confirmed.txt"}


def test_second_run_has_nothing_to_do(smoke_run, tmp_path):
    copied = smoke_run.copy(tmp_path)
    before = copied.times()
    (copied.directory / "results/benchmarks.csv").unlink()
    output = copied.snakemake("--cores", "2")
    assert "Nothing to be done" in output and "About" not in output
    assert copied.times() == before and not (copied.directory / "results/benchmarks.csv").exists()


def test_an_edit_that_changes_no_code_runs_nothing(smoke_run, tmp_path):
    copied = smoke_run.copy(tmp_path)
    copied.edit(SAMPLER, "# the uniform law on the circle has no mode", "# there is no mode on the circle")
    copied.edit(SAMPLER, '"""The Purkayastha law: density', '"""The Purkayastha law: a density')
    copied.edit("src/study/experiments/circular_mean/simulate.py", "# not symmetric: ", "# no symmetry: ")
    assert "Nothing to be done" in copied.snakemake("--cores", "2")


def test_an_edit_of_a_sampler_runs_only_what_uses_it(smoke_run, tmp_path):
    copied = smoke_run.copy(tmp_path)
    copied.edit(SAMPLER, "size, kappa * np.pi, rng)", "size, np.pi * kappa, rng)")
    sampling = {"results/sampling/sampling.csv", "results/sampling/compared.csv"}
    tables = ("rotation_sampling", "compared", "summary")
    sampling |= {f"results/rotation_sampling/{name}.csv" for name in tables}
    of_laws = {*law_cells_of("purkayastha"), *LAW_TABLES, *figure_files(LAW_FIGURES), *sampling}
    expected = {*cells_of("purkayastha"), *AFTER_CELLS, *of_laws}
    not_expected = (KNOWN | cells_of("wrapped_laplace") | law_cells_of("von_mises_fisher")) - expected
    pending = copied.pending()
    assert pending >= expected and not pending & not_expected


def test_another_table_of_cities_generates_the_checkins_again(smoke_run, tmp_path):
    copied = smoke_run.copy(tmp_path)
    (copied.source / "src/study/checkins/synthetic/cities.csv.gz").write_bytes(b"another table")
    assert copied.pending() >= {"data/generated/world.txt.gz", "results/provenance.json"}


def test_an_edit_of_a_script_runs_its_rule(smoke_run, tmp_path):
    copied = smoke_run.copy(tmp_path)
    copied.edit(
        "src/study/experiments/survey_size/compare.py", 'BASELINE = ("wrapped', 'BASELINE = ("clipped'
    )
    last = {"results/provenance.json", "results/claims_confirmed.txt"}
    assert copied.pending() == {"results/survey_size/ratios.csv", *last}
    copied.edit("src/study/checkins/text.py", "LONGEST_LINE = 1 << 20", "LONGEST_LINE = 1 << 21")
    checkins = {f"results/checkins/city.{kind}" for kind in ("parquet", "rejected.csv", "summary.csv")}
    pending = copied.pending()
    assert checkins <= pending
    assert not pending & {"data/generated/city.txt.gz", *cells_of("purkayastha", ["one_direction"])}


def test_an_edit_of_the_page_s_template_writes_the_page_again(smoke_run, tmp_path):
    copied = smoke_run.copy(tmp_path)
    copied.edit("src/study/claims/page.css", "body {", "body { /* a comment */")
    assert copied.pending() == {"results/claims.html", "results/claims_confirmed.txt"}


def test_a_copy_runs_its_own_source(project, tmp_path):
    """Although the packages of another checkout are installed in the environment."""
    copied = project.copy(tmp_path)
    copied.edit(
        "src/study/core/job.py", 'f"Error in {snakemake.rule}', 'f"Error of the copy in {snakemake.rule}'
    )
    (tmp_path / "empty.txt").touch()
    entry = {"layout": "tsmc2014", "path": str(tmp_path / "empty.txt")}
    copied = copied.with_config({"datasets": {"mine": entry}}, tmp_path / "mine.yaml")
    output = copied.snakemake("--cores", "1", "results/checkins/mine.parquet", succeeds=False)
    assert "Error of the copy in prepare_checkins" in output


# The same bytes every time.

COUNTED = "figures/survey_size.png"
"""A figure with jobs of every kind behind it, from making check-ins to collecting tables."""
TABLES = (
    "results/claims.csv",
    "results/provenance.json",
    "results/checkins/overview.csv",
    "results/expected_distances/summary.csv",
    "results/rotation_axes/axes.csv",
    "results/survey_size/ratios.csv",
)
"""Those that no other is made from; the page of the claims and the last rule need all figures."""


def differences(first, second):
    """Names of files that only one run made, or that differ."""
    return sorted(name for name in {*first, *second} if first.get(name) != second.get(name))


def test_one_core_and_two_give_the_same_bytes(tiny, tiny_run, tmp_path):
    """Of all tables, and of one figure: figures are drawn by one thread from tables."""
    other = tiny.copy(tmp_path / "copy")
    other.directory = tmp_path / "one_core"
    other.snakemake("--cores", "1", *TABLES, COUNTED)
    found, expected = other.results(), tiny_run.results()
    assert differences(found, {name: expected.get(name) for name in found}) == []
    assert set(found) > {*cells_of("purkayastha"), "results/provenance.json"}
    tables = {name for name in expected if name.startswith(("results/", "data/"))}
    assert tables - set(found) == {"results/claims.html", "results/claims_confirmed.txt"}


def test_adding_a_mechanism_computes_only_its_cells(tiny_run, tmp_path):
    both = tiny_run.copy(tmp_path)
    one = both.with_config({"mechanisms": ["wrapped_laplace"]}, tmp_path / "one.yaml")
    before = one.times()
    one.snakemake("--cores", "2")
    after = one.times()
    assert {name for name in after if after[name] != before.get(name)} & KNOWN == AFTER_CELLS
    for name in COLLECTED:
        assert set(pd.read_csv(one.directory / name)["mechanism"]) == {"wrapped_laplace"}

    for name in cells_of("purkayastha"):
        (one.directory / name).unlink()
    before = both.times()
    both.snakemake("--cores", "2")
    after = both.times()
    changed = {name for name in after if after[name] != before.get(name)}
    assert changed & KNOWN == AFTER_CELLS
    assert changed - KNOWN >= cells_of("purkayastha") and not changed & cells_of("wrapped_laplace")
    assert differences(both.results(), tiny_run.results()) == []


def test_a_killed_run_is_finished_by_unlocking_and_the_same_command(tiny, tiny_run, tmp_path):
    run = tiny.copy(tmp_path / "copy")
    run.directory = tmp_path / "killed"
    incomplete = run.directory / ".snakemake" / "incomplete"  # has a marker for each job that is running
    with open(tmp_path / "output.txt", "w", encoding="utf-8") as output:
        killed = run.start(output, "--cores", "2", COUNTED)
        try:
            deadline = time.monotonic() + 60
            while not (run.results() and incomplete.is_dir() and any(incomplete.iterdir())):
                assert killed.poll() is None and time.monotonic() < deadline, "the run ended before the kill"
                time.sleep(0.02)
        finally:
            os.killpg(killed.pid, signal.SIGKILL)
            killed.wait()
    done_before = run.times()
    assert any(incomplete.iterdir())
    assert len(done_before) > 0

    refused = run.snakemake("--cores", "2", COUNTED, succeeds=False)
    assert "lock" in refused and "Traceback" not in refused
    run.snakemake("--unlock")
    run.snakemake("--cores", "2", COUNTED)
    found, expected = run.results(), tiny_run.results()
    assert COUNTED in found and len(found) > len(done_before)
    assert differences(found, {name: expected.get(name) for name in found}) == []
    assert not any(incomplete.iterdir())
