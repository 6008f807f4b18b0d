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
from study.claims_file import figures_of, read_claims, tables_of
from study.collect_provenance import direct_dependencies, git_state, installed_versions
from study.configuration import check, given_files
from study.job import InputError
from study.mechanisms import place_mechanism_of, source_of, source_of_law
from study.populations import ONE_DIRECTION, SPREAD
from study.references import REFERENCES

WORLDWIDE = {"synthetic_world", "tist2015", "www2019", "snap"}  # layouts of the world


wildcard_constraints:
    dataset="[a-z][a-z0-9_]*",
    role="checkins|places|cities",
    sha256="[0-9a-f]{64}",
    population="[a-z][a-z0-9_]*",
    mechanism="[a-z_]+",
    law="purkayastha|von_mises_fisher",
    experiment="circular_mean|survey_size|mean_direction|expected_distances|angular_cdfs|busyness|time_histogram|place_histogram|audit",
    space="circle|sphere|rotation|vector",


def check_configuration():
    """Stop with one readable message, before any job starts, if the configuration cannot be used."""
    try:
        check(config, ROOT / "config/schema.yaml")
    except InputError as error:
        raise WorkflowError(str(error))


def claims_of_the_sources():
    """The sources and their claims; stop with one readable message if their file cannot be used."""
    try:
        return read_claims(
            ROOT / "config/claims.yaml", ROOT / "config/claims_schema.yaml"
        )
    except InputError as error:
        raise WorkflowError(str(error))


def everything_else(wildcards):
    """All that the workflow makes before it ends with its last rule, which may fail."""
    last = set(rules.confirm_claims.output)
    return [path for path in rules.all.input if path not in last]


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


def space_digest(script):
    """The same for a job that audits the mechanisms of the space of its wildcard."""
    return lambda wildcards: code_digest(
        SOURCE / "study" / f"{script}.py",
        roots=[f"study.audit_cases:{wildcards.space}_cases"],
    )


def pair_digest(script):
    """The same for a job that runs one mechanism on times and its fellow on places."""
    return lambda wildcards: code_digest(
        SOURCE / "study" / f"{script}.py",
        roots=sorted(
            {
                source_of(wildcards.mechanism),
                source_of(place_mechanism_of(wildcards.mechanism)),
            }
        ),
    )


def cells(experiment):
    """Tables of an experiment, one for each law or space, or for each population and mechanism."""
    if "spaces" in config[experiment]:
        return expand(
            f"results/{experiment}/{{space}}.csv", space=config[experiment]["spaces"]
        )
    if "laws" in config[experiment]:
        return expand(
            f"results/{experiment}/{{law}}.csv", law=config[experiment]["laws"]
        )
    mechanisms = config[experiment].get("mechanisms", config["mechanisms"])
    if experiment in ("time_histogram", "place_histogram"):
        mechanisms = [*mechanisms, *REFERENCES]
    return expand(
        "results/{experiment}/{population}/{mechanism}.csv",
        experiment=experiment,
        population=populations_of(experiment),
        mechanism=mechanisms,
    )


def populations_of(experiment):
    """Whose directions, times or places an experiment is about; the check-ins of a dataset have its name."""
    if experiment == "mean_direction":
        return [ONE_DIRECTION, SPREAD]
    layouts = {
        name: entry["layout"] for name, entry in sorted(config["datasets"].items())
    }
    if experiment == "busyness":
        return list(layouts)
    if experiment == "place_histogram":
        return [name for name, layout in layouts.items() if layout in WORLDWIDE]
    # the times of day of the invented world are those of the invented city
    names = [name for name, layout in layouts.items() if layout != "synthetic_world"]
    return names if experiment == "time_histogram" else [ONE_DIRECTION, *names]


def tables_beside_cells(experiment, ending):
    """The second tables that the cells of an experiment write, by how their names end."""
    return [path.removesuffix(".csv") + ending for path in cells(experiment)]


def checkins_of_population(wildcards):
    """The prepared check-ins that a population is drawn from; none for the one direction."""
    if wildcards.population == ONE_DIRECTION:
        return []
    return f"results/checkins/{wildcards.population}.parquet"


def checkin_files(wildcards):
    """The files a dataset is read from, by what is in them: the user's own, or a generated one."""
    given = given_files(config["datasets"][wildcards.dataset])
    if not given:
        return {"checkins": f"data/generated/{wildcards.dataset}.txt.gz"}
    paths = {}
    for role, file in given.items():
        if isinstance(file, str):
            paths[role] = file
        elif "member" in file:
            paths[role] = f"data/downloads/{wildcards.dataset}.{role}"
        else:
            paths[role] = f"data/downloads/{file['sha256']}"
    return paths


def given_file(wildcards):
    """A file of a dataset, as the configuration gives it."""
    return given_files(config["datasets"][wildcards.dataset])[wildcards.role]


def address_of(sha256):
    """Where the configuration says that the file with this sum can be had."""
    for _, entry in sorted(config["datasets"].items()):
        for file in given_files(entry).values():
            if not isinstance(file, str) and file["sha256"] == sha256:
                return file["url"]
    raise WorkflowError(f"No file in the configuration has the SHA-256 {sha256}.")


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
    mechanisms |= {*config["place_histogram"]["mechanisms"], *REFERENCES}
    for mechanism in config["busyness"]["mechanisms"]:
        mechanisms |= {mechanism, place_mechanism_of(mechanism)}
    audited = {
        f"audit_{space}": code_digest(
            SOURCE / "study/simulate_audit.py",
            roots=[f"study.audit_cases:{space}_cases"],
        )
        for space in config["audit"]["spaces"]
    }
    return (
        scripts
        | audited
        | {m: code_digest(finder, roots=[source_of(m)]) for m in sorted(mechanisms)}
    )
