from study.workflow.mechanism_catalogue import distribution_rows, style_rows

CELLS["expected_distances"] = expand(
    "results/expected_distances/{distribution}.csv",
    distribution=config["expected_distances"]["distributions"],
)


rule simulate_expected_distances:
    output:
        table="results/expected_distances/{distribution}.csv",
        curves="results/expected_distances/{distribution}.curves.csv",
    log:
        "logs/simulate_expected_distances/{distribution}.log",
    benchmark:
        "benchmarks/simulate_expected_distances/{distribution}.tsv"
    wildcard_constraints:
        distribution="|".join(config["expected_distances"]["distributions"]),
    conda:
        ENVIRONMENT
    params:
        settings=config["expected_distances"],
        seed=config["seed"],
        rows=lambda wildcards: distribution_rows(wildcards.distribution),
        code=digest("simulate.py", distribution=distribution_rows),
    message:
        "Draw mean distances from the mode of {wildcards.distribution}"
    script:
        "simulate.py"


rule compare_expected_distances:
    input:
        table("results/expected_distances/expected_distances.csv", "A", "Section B.1.1"),
    output:
        summary=table("results/expected_distances/summary.csv", "A", "Section B.1.1"),
        differences=table(
            "results/expected_distances/differences.csv", "A", "Section B.1.1"
        ),
    log:
        "logs/compare_expected_distances.log",
    benchmark:
        "benchmarks/compare_expected_distances.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["expected_distances"],
        code=digest("compare.py"),
    message:
        "Compare drawn and computed mean distances"
    script:
        "compare.py"


rule plot_expected_distances:
    input:
        table="results/expected_distances/expected_distances.csv",
        differences="results/expected_distances/differences.csv",
        curves=beside(CELLS["expected_distances"], ".curves.csv"),
    output:
        figure("fig10_expected_distances", "A", "Section B.1.1"),
    log:
        "logs/plot_expected_distances.log",
    benchmark:
        "benchmarks/plot_expected_distances.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["expected_distances"],
        rows=style_rows(config["expected_distances"]["distributions"]),
        code=digest("plot.py"),
    message:
        "Draw the mean distances"
    script:
        "plot.py"


TARGETS += [
    rules.compare_expected_distances.output,
    rules.plot_expected_distances.output,
]
