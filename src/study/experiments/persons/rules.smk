from study.workflow.mechanism_catalogue import style_rows
from study.simulation.populations import MODELS

CELLS["persons"] = expand(
    "results/persons/{population}.csv",
    population=[*MODELS, *TIMED],
)


rule simulate_persons:
    input:
        lambda wildcards: checkins_of(wildcards.population),
    output:
        "results/persons/{population}.csv",
    log:
        "logs/simulate_persons/{population}.log",
    benchmark:
        "benchmarks/simulate_persons/{population}.tsv"
    wildcard_constraints:
        population="|".join([*MODELS, *TIMED]),
    conda:
        ENVIRONMENT
    params:
        settings=config["persons"],
        seed=config["seed"],
        code=digest("simulate.py"),
    message:
        "Error of the mean of persons with several responses, population '{wildcards.population}'"
    script:
        "simulate.py"


rule plot_persons:
    input:
        table("results/persons/persons.csv", "beyond", "Several responses"),
    output:
        figure("persons", "beyond", "Several responses"),
    log:
        "logs/plot_persons.log",
    benchmark:
        "benchmarks/plot_persons.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["persons"],
        rows=style_rows("cap"),
        code=digest("plot.py"),
    message:
        "Draw the errors of the mean of persons"
    script:
        "plot.py"


TARGETS += [
    rules.plot_persons.output,
]
