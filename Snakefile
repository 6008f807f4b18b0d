"""The study: config/config.yaml in, results/ and figures/ out. Run it with `snakemake --cores all`."""

import os
import sys
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.logging import logger
from snakemake.utils import min_version

min_version("9.3")

# of this file, also where another workflow uses it as a module
ROOT = Path(workflow.current_basedir)
ENVIRONMENT = str(ROOT / "src/study/environment.yml")
SOURCE = ROOT / "src"
sys.path.insert(0, str(SOURCE))
# jobs find the packages of this checkout, whatever environment they run in
os.environ.update(
    PYTHONPATH=os.pathsep.join(filter(None, [str(SOURCE), os.getenv("PYTHONPATH")]))
)
# linear algebra uses one thread: a job has one core, and sums keep their order on any number of cores
os.environ.setdefault("OMP_NUM_THREADS", "1")

from study.workflow import checked_yaml, mechanism_catalogue, own_mechanisms
from study.workflow.rule_functions import all_cores, beside, digests_by_rule, digests_of
from study.workflow.rule_functions import readable_errors, sum_of

# before the model of the configuration takes its names from the catalogue
with readable_errors():
    OWN = own_mechanisms.environment_mechanisms()
    mechanism_catalogue.enter(OWN)
os.environ[own_mechanisms.VARIABLE] = own_mechanisms.pinned(OWN)

from study.claims.claims import read_claims
from study.configuration import check
from study.workflow.benchmarks import TimeLeft, write_benchmarks
from study.workflow.report import Contents, FRONT_PAGE
from study.workflow.terminal import Lines

# before Snakemake reads the first of them; those of the command line it has read
with readable_errors():
    for given in [
        ROOT / "config/config.yaml",
        *map(Path, workflow.overwrite_configfiles),
    ]:
        if given.is_file():
            checked_yaml.read(given)


configfile: ROOT / "config/config.yaml"


report: os.path.abspath(FRONT_PAGE)


with readable_errors():
    check(config)
    mechanism_catalogue.compare_chosen(config)
    CLAIMS = read_claims(ROOT / "config/claims")

digest = digests_of(workflow)
# what the report shows
contents = Contents(CLAIMS["sources"])
figure, table = contents.figure, contents.shown
# by experiment the tables of its cells, which rule collect_results puts together
CELLS = {}
# what the study is for: each file of rules adds its own
TARGETS = []
# digests of tables and of code that scripts look up by a name, for the record of provenance
DIGESTS = {}


include: "src/study/checkins/rules.smk"


for rules_of_experiment in sorted(SOURCE.glob("study/experiments/*/rules.smk")):

    include: rules_of_experiment


include: "src/study/workflow/rules.smk"
include: "src/study/provenance/rules.smk"
include: "src/study/article/rules.smk"
include: "src/study/claims/rules.smk"


# the check of the inputs knows the folders that are written as they are called here
if rules.require_expected_claims.output[0] != "results/claims_confirmed.txt":
    raise WorkflowError("Use the study as a module without `prefix:`.")

# These run neither where nothing is to be done nor in a dry run, and no job depends on them.
time_left = TimeLeft()
logger.addHandler(time_left)
if Path(workflow.main_snakefile).resolve() == ROOT.resolve() / "Snakefile":
    lines = Lines(workflow)
    logger.addHandler(lines)


onstart:
    from study.simulation import mechanism_checks, mechanisms

    sections = config, config["mean_direction"], config["busyness"]
    with readable_errors():
        for own in OWN:
            mechanism_checks.check(own.name, config["seed"])
        for name in sorted(
            {name for found in sections for name in found["mechanisms"]}
        ):
            mechanisms.check(name, config["calibrations"])
    time_left.start(config)
    # with a limit of jobs in a second, each job that ends wakes the scheduler every second from then on
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


onsuccess:
    from study.claims.words import read_verdicts, statuses

    write_benchmarks()
    lines.end(
        lambda: statuses(read_verdicts("results/claims.csv"), CLAIMS["sources"])
    )


onerror:
    write_benchmarks()


rule all:
    input:
        TARGETS,
        rules.require_expected_claims.output,
    localrule: True
    message:
        "See that all results are there"
