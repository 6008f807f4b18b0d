"""The study: config/config.yaml in, results/ and figures/ out. Run it with `snakemake --cores all`."""

from snakemake.utils import min_version

min_version("9.3")


configfile: f"{workflow.basedir}/config/config.yaml"


include: "rules/common.smk"


check_configuration()


include: "rules/checkins.smk"
include: "rules/circular_mean.smk"
include: "rules/survey_size.smk"
include: "rules/tangent_normal.smk"
include: "rules/angular_densities.smk"
include: "rules/expected_distances.smk"
include: "rules/angular_cdfs.smk"
include: "rules/theorem_24.smk"
include: "rules/mean_direction.smk"
include: "rules/time_histogram.smk"
include: "rules/place_histogram.smk"
include: "rules/sampling.smk"
include: "rules/busyness.smk"
include: "rules/provenance.smk"


rule all:
    input:
        rules.describe_checkins.output,
        rules.plot_checkins.output,
        rules.plot_circular_mean.output,
        rules.plot_survey_size.output,
        rules.compare_survey_sizes.output,
        rules.draw_tangent_normal.output,
        rules.compute_angular_densities.output,
        rules.plot_angular_densities.output,
        rules.summarise_expected_distances.output,
        rules.plot_expected_distances.output,
        rules.compare_angular_cdfs.output,
        rules.plot_angular_cdfs.output,
        rules.compute_theorem_24.output,
        rules.plot_theorem_24.output,
        rules.plot_mean_direction.output,
        rules.compare_time_histogram.output,
        rules.plot_time_histogram.output,
        rules.compare_place_histogram.output,
        rules.plot_place_histogram.output,
        rules.plot_sampling.output,
        rules.compare_busyness.output,
        rules.plot_busyness.output,
        rules.collect_provenance.output,
        expand(
            "results/checkins/{dataset}.summary.csv",
            dataset=sorted(config["datasets"]),
        ),
    localrule: True
