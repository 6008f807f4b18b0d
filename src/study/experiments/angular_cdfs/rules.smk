from study.workflow.mechanism_catalogue import distribution_rows, style_rows

CELLS["angular_cdfs"] = expand(
    "results/angular_cdfs/{distribution}.csv",
    distribution=config["angular_cdfs"]["distributions"],
)


rule evaluate_angular_cdfs:
    output:
        "results/angular_cdfs/{distribution}.high_precision.csv",
    log:
        "logs/evaluate_angular_cdfs/{distribution}.log",
    benchmark:
        "benchmarks/evaluate_angular_cdfs/{distribution}.tsv"
    wildcard_constraints:
        distribution="|".join(config["angular_cdfs"]["distributions"]),
    conda:
        ENVIRONMENT
    params:
        settings=config["angular_cdfs"],
        rows=lambda wildcards: distribution_rows(wildcards.distribution),
        code=digest("evaluate.py", distribution=distribution_rows),
    message:
        "Evaluate the paper's angular CDF of {wildcards.distribution} in high precision"
    script:
        "evaluate.py"


rule compute_angular_cdfs:
    input:
        "results/angular_cdfs/{distribution}.high_precision.csv",
    output:
        "results/angular_cdfs/{distribution}.csv",
    log:
        "logs/compute_angular_cdfs/{distribution}.log",
    benchmark:
        "benchmarks/compute_angular_cdfs/{distribution}.tsv"
    wildcard_constraints:
        distribution="|".join(config["angular_cdfs"]["distributions"]),
    conda:
        ENVIRONMENT
    params:
        draws=config["angular_cdfs"]["draws"],
        seed=config["seed"],
        rows=lambda wildcards: distribution_rows(wildcards.distribution),
        code=digest("compute.py", distribution=distribution_rows),
    message:
        "Compute angular CDFs of {wildcards.distribution} in four ways"
    script:
        "compute.py"


rule compare_angular_cdfs:
    input:
        table("results/angular_cdfs/angular_cdfs.csv", "A", "Section B.1.2"),
    output:
        table("results/angular_cdfs/differences.csv", "A", "Section B.1.2"),
    log:
        "logs/compare_angular_cdfs.log",
    benchmark:
        "benchmarks/compare_angular_cdfs.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["angular_cdfs"],
        code=digest("compare.py"),
    message:
        "Compare the angular CDFs"
    script:
        "compare.py"


rule plot_angular_cdfs:
    input:
        table="results/angular_cdfs/angular_cdfs.csv",
        differences="results/angular_cdfs/differences.csv",
    output:
        figure("fig11_angular_cdfs", "A", "Section B.1.2"),
    log:
        "logs/plot_angular_cdfs.log",
    benchmark:
        "benchmarks/plot_angular_cdfs.tsv"
    conda:
        ENVIRONMENT
    params:
        rows=style_rows(config["angular_cdfs"]["distributions"]),
        code=digest("plot.py"),
    message:
        "Draw the angular CDFs"
    script:
        "plot.py"


TARGETS += [
    rules.compare_angular_cdfs.output,
    rules.plot_angular_cdfs.output,
]
