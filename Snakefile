"""The study: config/config.yaml in, results/ and figures/ out. Run it with `snakemake --cores all`."""

from snakemake.utils import min_version

min_version("9.3")


configfile: f"{workflow.basedir}/config/config.yaml"


include: "rules/common.smk"


check_configuration()


include: "rules/checkins.smk"
include: "rules/circular_mean.smk"
include: "rules/survey_size.smk"
include: "rules/provenance.smk"


rule all:
    input:
        rules.plot_circular_mean.output,
        rules.plot_survey_size.output,
        rules.compare_survey_sizes.output,
        rules.collect_provenance.output,
        expand(
            "results/checkins/{dataset}.summary.csv",
            dataset=sorted(config["datasets"]),
        ),
    localrule: True
