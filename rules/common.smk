# The only functions of the workflow: the configuration's check, the code digest, the cells of an experiment.
import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError

ROOT = Path(workflow.basedir)
SOURCE = ROOT / "src"
sys.path.insert(0, str(SOURCE))
# jobs find the packages of this checkout, whatever environment they run in
os.environ.update(
    PYTHONPATH=os.pathsep.join(filter(None, [str(SOURCE), os.getenv("PYTHONPATH")]))
)

from study.code_digest import code_digest
from study.collect_provenance import direct_dependencies, git_state, installed_versions
from study.configuration import check
from study.job import InputError
from study.mechanisms import source_of, source_of_law
from study.populations import ONE_DIRECTION, SPREAD


wildcard_constraints:
    dataset="[a-z][a-z0-9_]*",
    population="[a-z][a-z0-9_]*",
    mechanism="[a-z_]+",
    law="purkayastha|von_mises_fisher",
    experiment="circular_mean|survey_size|mean_direction|expected_distances|angular_cdfs",


def check_configuration():
    """Stop with one readable message, before any job starts, if the configuration cannot be used."""
    try:
        check(config, ROOT / "config/schema.yaml")
    except InputError as error:
        raise WorkflowError(str(error))


def script_digest(script):
    """Digest of the source that a rule's script uses; goes into ``params:``, so that an edit is seen."""
    return code_digest(SOURCE / "study" / f"{script}.py")


def mechanism_digest(script):
    """The same for a job that runs the one mechanism of its wildcard."""
    return lambda wildcards: code_digest(
        SOURCE / "study" / f"{script}.py", roots=[source_of(wildcards.mechanism)]
    )


def law_digest(script):
    """The same for a job that uses the one law of its wildcard."""
    return lambda wildcards: code_digest(
        SOURCE / "study" / f"{script}.py", roots=[source_of_law(wildcards.law)]
    )


def cells(experiment):
    """Tables of an experiment, one for each law, or for each population and mechanism."""
    if "laws" in config[experiment]:
        return expand(
            f"results/{experiment}/{{law}}.csv", law=config[experiment]["laws"]
        )
    populations = [ONE_DIRECTION, *sorted(config["datasets"])]
    return expand(
        "results/{experiment}/{population}/{mechanism}.csv",
        experiment=experiment,
        population=(
            [ONE_DIRECTION, SPREAD] if experiment == "mean_direction" else populations
        ),
        mechanism=config[experiment].get("mechanisms", config["mechanisms"]),
    )


def checkins_of_population(wildcards):
    """The prepared check-ins that a population is drawn from; none for the one direction."""
    if wildcards.population == ONE_DIRECTION:
        return []
    return f"results/checkins/{wildcards.population}.parquet"


def checkin_file(wildcards):
    """The file a dataset is read from: the user's own, or a generated one."""
    return config["datasets"][wildcards.dataset].get(
        "path", f"data/{wildcards.dataset}.txt.gz"
    )


def figure(name, **kwargs):
    """The two files of a figure, shown in the report under its experiment."""
    return [report(f"figures/{name}.png", **kwargs), f"figures/{name}.pdf"]


def all_digests():
    """Digest of every rule's script, and of every mechanism, which scripts look up by its name."""
    scripts = {
        path.stem: code_digest(path)
        for path in sorted((SOURCE / "study").glob("*.py"))
        if "with job(snakemake)" in path.read_text(encoding="utf-8")
    }
    finder = SOURCE / "study/mechanisms.py"
    mechanisms = {*config["mechanisms"], *config["mean_direction"]["mechanisms"]}
    return scripts | {
        m: code_digest(finder, roots=[source_of(m)]) for m in sorted(mechanisms)
    }
