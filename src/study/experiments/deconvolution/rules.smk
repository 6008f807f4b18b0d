from study.workflow.catalogue import looks
from study.simulation.populations import DAYS

CELLS["deconvolution"] = expand(
    "results/deconvolution/{population}.csv",
    population=[*TIMED, *DAYS],
)


rule simulate_deconvolution:
    input:
        lambda wildcards: checkins_of(wildcards.population),
    output:
        "results/deconvolution/{population}.csv",
    log:
        "logs/simulate_deconvolution/{population}.log",
    benchmark:
        "benchmarks/simulate_deconvolution/{population}.tsv"
    wildcard_constraints:
        population="|".join([*TIMED, *DAYS]),
    conda:
        ENVIRONMENT
    params:
        settings=config["deconvolution"],
        seed=config["seed"],
        code=digest("simulate.py"),
    message:
        "Error of the hours of the day by their width, population '{wildcards.population}'"
    script:
        "simulate.py"


rule plot_deconvolution:
    input:
        table("results/deconvolution/deconvolution.csv", "beyond", "Deconvolution"),
    output:
        figure("deconvolution", "beyond", "Deconvolution"),
    log:
        "logs/plot_deconvolution.log",
    benchmark:
        "benchmarks/plot_deconvolution.tsv"
    conda:
        ENVIRONMENT
    params:
        rows=looks("purkayastha"),
        code=digest("plot.py"),
    message:
        "Draw the errors of the hours of the day by their width"
    script:
        "plot.py"


TARGETS += [
    rules.plot_deconvolution.output,
]
