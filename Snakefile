"""The study: config/config.yaml in, results/ and figures/ out. Run it with `snakemake --cores all`."""

from snakemake.utils import min_version

min_version("9.3")


configfile: f"{workflow.basedir}/config/config.yaml"


include: "rules/common.smk"


check_configuration()
CLAIMS = claims_of_the_sources()


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
include: "rules/vector_noise.smk"
include: "rules/rotation_axes.smk"
include: "rules/rotation_samplers.smk"
include: "rules/rotation_angles.smk"
include: "rules/rotation_errors.smk"
include: "rules/rotation_sampling.smk"
include: "rules/provenance.smk"
include: "rules/rotation_forms.smk"
include: "rules/privacy.smk"
include: "rules/audit.smk"
include: "rules/claims.smk"


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
        rules.plot_vector_noise.output,
        rules.draw_rotation_axes.output,
        rules.plot_rotation_samplers.output,
        rules.plot_rotation_angles.output,
        rules.plot_rotation_errors.output,
        rules.plot_rotation_sampling.output,
        rules.collect_provenance.output,
        rules.compute_rotation_forms.output,
        rules.compute_privacy.output,
        rules.plot_privacy.output,
        rules.plot_audit.output,
        rules.check_claims.output,
        rules.plot_claims.output,
        rules.write_claims_page.output,
        expand(
            "results/checkins/{dataset}.summary.csv",
            dataset=sorted(config["datasets"]),
        ),
        rules.confirm_claims.output,
    localrule: True
