"""The rules: their form, their resources, their names, the walls between their folders, and as a module."""

import ast
import re
import subprocess
import sys
from importlib.machinery import PathFinder
from pathlib import Path

import forking
import pandas as pd
import yaml
from checkouts import ROOT, Checkout, environment, forks, rules
from make_rule_graph import drawn

from study.workflow.code_digest import Modules

NAMED_BEFORE = {
    "collect_results": "workflow/collect.py",
    "compare_survey_sizes": "experiments/survey_size/baseline_ratios.py",
    "download_file": "checkins/download.py",
    "generate_checkins": "checkins/synthetic/generate.py",
    "time_rotation_sampling": "experiments/rotation_sampling/measure.py",
    "time_sampling": "experiments/sampling/measure.py",
    "unpack_member": "checkins/unpack.py",
    "write_claims_page": "claims/page.py",
}
"""Rules whose names are older than that of their script."""


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
        for found in re.findall(r"\brows=.*?\b(class_rows|distribution_rows|pair_rows|audited)\(", text):
            assert found in digested[2], f"{name} receives {found}(…), which its digest does not hold"


def data_files():
    """Pairs of a module and a file beside it that it names."""
    named = re.compile(r'^\w+ = .*Path\(__file__\)\.with_(name|suffix)\("([^"]+)"\)', flags=re.M)
    for path in (ROOT / "src/study").rglob("*.py"):
        for how, text in named.findall(path.read_text(encoding="utf-8")):
            file = path.with_name(text) if how == "name" else path.with_suffix(text)
            yield path.relative_to(ROOT / "src").as_posix(), file.relative_to(ROOT / "src").as_posix()


UNREAD = {"study/figures/study.mplstyle", "study/workflow/mechanism_catalogue.yaml"}
"""Files that no rule sees: the style that all figures share, and what the check of the configuration reads."""
UNREAD_BY = {"generate_checkins": {"study/checkins/reasons.yaml"}}
UNREAD_BY["plot_busyness"] = {"study/checkins/allowed.csv", "study/checkins/targets.csv"}
UNREAD_BY["download_file"] = UNREAD_BY["unpack_member"] = {
    "study/checkins/reasons.yaml",
    "study/checkins/file_layouts.yaml",
}
"""Files of which a rule uses nothing but other names of the module that reads them."""


def test_each_rule_would_see_an_edit_of_the_data_files_that_its_script_reads(project):
    checked = set()
    modules = Modules(project.source / "src")
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/study").rglob("rules.smk"))
    sums = dict(re.findall(r'^DIGESTS\["(\w+)"\] = sum_of\(SOURCE / "([^"]+)"\)', text, flags=re.M))
    for name, (text, folder) in rules(project).items():
        if script := re.search(r'script:\s+"(.*)"', text):
            seen = {sums.get(key) for key in re.findall(r'DIGESTS\["(\w+)"\]', text)}
            seen |= set(re.findall(r'sum_of\(SOURCE / "([^"]+)"\)', text))
            reached = modules.reached(folder / script[1])
            read = {file for module, file in data_files() if module in reached}
            read -= UNREAD | UNREAD_BY.get(name, set()) | seen
            assert not read, f"{name} would not see an edit of {sorted(read)}"
            checked |= seen
    assert {f"study/checkins/{name}" for name in ("prepare.sql", "file_layouts.yaml", "allowed.csv")} < checked


def profile_of(name):
    return yaml.safe_load((ROOT / "profiles" / name / "config.yaml").read_text(encoding="utf-8"))


def test_the_profile_of_a_cluster_repeats_the_default_one():
    assert profile_of("default").items() <= profile_of("slurm").items()


def test_each_rule_has_its_group_and_no_group_waits_for_a_later_one(project):
    """Jobs of a group go together, whichever: if a group waited for a later one, both might wait for ever."""
    groups = profile_of("slurm")["groups"]
    alone = {"all", "download_file", "simulate_busyness", "time_rotation_sampling", "time_sampling"}
    assert groups.keys() == rules(project).keys() - alone
    stages = {"checkins": 0, "cells": 1, "tables": 2, "claims": 3}
    stage = dict.fromkeys(alone, 1) | {rule: stages[group] for rule, group in groups.items()}
    needs = drawn((ROOT / "docs/rules.svg").read_text(encoding="utf-8"))
    assert len(needs) > 60 and {"check_claims", "time_sampling"} <= needs.keys()
    assert [(rule, other) for rule in needs for other in needs[rule] if stage[other] > stage[rule]] == []


def test_every_job_has_its_resources_and_no_more_threads_than_cores(project, tmp_path):
    """As Snakemake resolves them: what a rule leaves out comes from the profile."""
    run = Checkout(project.copy(tmp_path).source, tmp_path / "run", ("config/smoke.yaml",))
    # it tells the resources of jobs without a message
    for path in [run.source / "Snakefile", *run.source.glob("src/study/**/rules.smk")]:
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r"^    message:\n.*\n", "", text, flags=re.M), encoding="utf-8")
    plan = run.snakemake("--dry-run", "--cores", "3")
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
    """They would fall, each by an import of its own; that none falls is seen by `make lint`."""
    copied = project.copy(tmp_path)
    wrong = (
        ("experiments/audit/plot.py", "import study.experiments.privacy.plot", "experiments are independent"),
        ("workflow/job.py", "import study.checkins.prepare", "layers of the study"),
        ("claims/rows.py", "import study.checkins.prepare", "claims and provenance see no experiments"),
        ("../dirpriv/planner.py", "import study.workflow.job", "the library sees no study"),
    )
    for file, line, _ in wrong:
        path = copied.source / "src/study" / file
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text}\n\ndef wrong():\n    {line}\n", encoding="utf-8")
    done = subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache"], cwd=copied.source,
        env=environment() | {"PYTHONPATH": str(copied.source / "src")}, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    for file, _, contract in wrong:
        assert done.returncode != 0 and re.search(f"{contract}.* BROKEN", done.stdout), (file, done.stdout)
    assert re.search("layers of the library.* KEPT", done.stdout)


MODULE = """\
rule mine:
    input: "results/theorem_24/summary.csv"
module study:
    snakefile: "{snakefile}"
use rule * from study as study_*
"""


def test_another_workflow_can_use_this_one_as_a_module(project, tmp_path):
    """Five lines do, elsewhere: the rules find their scripts, their settings and their packages.

    They are those of this copy, although the packages of another checkout are installed in the environment.
    """
    copied = project.copy(tmp_path)
    copied.edit("src/study/workflow/job.py", 'logger.info("done")', 'logger.info("done by the copy")')
    copied.edit(
        "src/dirpriv/distributions/__init__.py", "\n__getattr__,", '\nprint("distributions of the copy")\n__getattr__,'
    )
    other = tmp_path / "other"
    other.mkdir()
    (other / "Snakefile").write_text(MODULE.format(snakefile=copied.source / "Snakefile"), encoding="utf-8")
    config = yaml.safe_load((copied.source / "config/config.yaml").read_text(encoding="utf-8"))
    assert "theorem_24" in config
    done = subprocess.run(
        forking.command(forks(), "-m", "snakemake", "--cores", "1"),
        cwd=other, env=environment(), capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(pd.read_csv(other / "results/theorem_24/summary.csv"))
    log = (other / "logs/compute_theorem_24.log").read_text(encoding="utf-8")
    assert log.endswith("done by the copy\n") and "distributions of the copy" in done.stdout
