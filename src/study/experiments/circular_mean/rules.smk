from study.workflow.mechanism_catalogue import class_rows, promising, style_rows
from study.simulation.populations import ONE_DIRECTION

CELLS["circular_mean"] = expand(
    "results/circular_mean/{population}/{mechanism}.csv",
    population=[ONE_DIRECTION, *TIMED],
    mechanism=promising("pure", config["mechanisms"]),
)


rule simulate_circular_mean:
    input:
        lambda wildcards: checkins_of(wildcards.population),
    output:
        "results/circular_mean/{population}/{mechanism}.csv",
    log:
        "logs/simulate_circular_mean/{population}/{mechanism}.log",
    benchmark:
        "benchmarks/simulate_circular_mean/{population}/{mechanism}.tsv"
    conda:
        ENVIRONMENT
    resources:
        runtime=20,
    params:
        settings=config["circular_mean"],
        calibrations=config["calibrations"],
        hour=config["one_direction"]["hour"],
        seed=config["seed"],
        rows=lambda wildcards: class_rows(wildcards.mechanism),
        code=digest("simulate.py", mechanism=class_rows),
    message:
        "Error of the circular mean under {wildcards.mechanism}, people of '{wildcards.population}'"
    script:
        "simulate.py"


rule plot_circular_mean:
    input:
        table("results/circular_mean/circular_mean.csv", "A", "Section 4.2"),
        "results/survey_size/printed_errors.csv",
    output:
        central=figure("circular_mean_central", "A", "Section 4.2"),
        local_epsilon=figure("circular_mean_local_epsilon", "A", "Section 4.2"),
        local_responses=figure("circular_mean_local_responses", "A", "Section 4.2"),
    log:
        "logs/plot_circular_mean.log",
    benchmark:
        "benchmarks/plot_circular_mean.tsv"
    conda:
        ENVIRONMENT
    params:
        stated=config["survey_size"]["printed_errors"],
        rows=style_rows(config["mechanisms"]),
        code=digest("plot.py"),
    message:
        "Draw the errors of the circular mean"
    script:
        "plot.py"


TARGETS += [
    rules.plot_circular_mean.output,
]
