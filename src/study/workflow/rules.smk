from study.workflow.mechanism_catalogue import CATALOGUE


# The rules that experiments share. Included after them, when all cells are known.
wildcard_constraints:
    experiment="|".join(CELLS),
    population="[a-z][a-z0-9_]*",
    mechanism="|".join(CATALOGUE),


rule collect_results:
    input:
        lambda wildcards: CELLS[wildcards.experiment],
    output:
        "results/{experiment}/{experiment}.csv",
    log:
        "logs/collect_results/{experiment}.log",
    benchmark:
        "benchmarks/collect_results/{experiment}.tsv"
    conda:
        ENVIRONMENT
    params:
        code=digest("collect.py"),
    message:
        "Collect the tables of {wildcards.experiment} in one"
    script:
        "collect.py"
