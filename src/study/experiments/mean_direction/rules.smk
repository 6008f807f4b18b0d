from study.workflow.mechanism_catalogue import class_rows, style_rows

CELLS["mean_direction"] = expand(
    "results/mean_direction/{mechanism}.csv",
    mechanism=config["mean_direction"]["mechanisms"],
)


rule simulate_mean_direction:
    output:
        "results/mean_direction/{mechanism}.csv",
    log:
        "logs/simulate_mean_direction/{mechanism}.log",
    benchmark:
        "benchmarks/simulate_mean_direction/{mechanism}.tsv"
    wildcard_constraints:
        mechanism="|".join(config["mean_direction"]["mechanisms"]),
    conda:
        ENVIRONMENT
    resources:
        runtime=20,
    params:
        settings=config["mean_direction"],
        calibrations=config["calibrations"],
        seed=config["seed"],
        rows=lambda wildcards: class_rows(wildcards.mechanism),
        code=digest("simulate.py", mechanism=class_rows),
    message:
        "Error of the mean direction under {wildcards.mechanism}"
    script:
        "simulate.py"


rule plot_mean_direction:
    input:
        table("results/mean_direction/mean_direction.csv", "A", "Section 1"),
    output:
        figure("mean_direction_epsilon", "A", "Section 1"),
    log:
        "logs/plot_mean_direction.log",
    benchmark:
        "benchmarks/plot_mean_direction.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["mean_direction"],
        rows=style_rows(config["mean_direction"]["mechanisms"]),
        code=digest("plot.py"),
    message:
        "Draw the errors of the mean direction"
    script:
        "plot.py"


TARGETS += [
    rules.plot_mean_direction.output,
]
