from study.workflow.mechanism_catalogue import style_rows
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
        rows=style_rows("purkayastha"),
        code=digest("plot.py"),
    message:
        "Draw the errors of the hours of the day by their width"
    script:
        "plot.py"


rule cover_deconvolution:
    input:
        expand("results/checkins/{population}.parquet", population=TIMED),
    output:
        table("results/deconvolution/intervals.csv", "beyond", "Deconvolution"),
    log:
        "logs/cover_deconvolution.log",
    benchmark:
        "benchmarks/cover_deconvolution.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["deconvolution"],
        seed=config["seed"],
        code=digest("cover.py"),
    message:
        "Coverage and width of the intervals of the hours of the day, for days of every shape"
    script:
        "cover.py"


rule plot_cover_deconvolution:
    input:
        "results/deconvolution/intervals.csv",
    output:
        figure("deconvolution_intervals", "beyond", "Deconvolution"),
    log:
        "logs/plot_cover_deconvolution.log",
    benchmark:
        "benchmarks/plot_cover_deconvolution.tsv"
    conda:
        ENVIRONMENT
    params:
        rows=style_rows("purkayastha"),
        code=digest("plot_cover.py"),
    message:
        "Draw the coverage and the width of the intervals of the hours of the day"
    script:
        "plot_cover.py"


TARGETS += [
    rules.plot_deconvolution.output,
    rules.plot_cover_deconvolution.output,
]
