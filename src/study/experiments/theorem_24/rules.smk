from study.workflow.mechanism_catalogue import style_rows


rule compute_theorem_24:
    output:
        table=table("results/theorem_24/theorem_24.csv", "A", "Section 3.6.2"),
        summary=table("results/theorem_24/summary.csv", "A", "Section 3.6.2"),
        readings=table("results/theorem_24/readings.csv", "A", "Section 3.6.2"),
        limits=table("results/theorem_24/limits.csv", "A", "Section 3.6.2"),
    log:
        "logs/compute_theorem_24.log",
    benchmark:
        "benchmarks/compute_theorem_24.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["theorem_24"],
        code=digest("compute.py"),
    message:
        "Evaluate the inequalities of Theorem 24"
    script:
        "compute.py"


rule plot_theorem_24:
    input:
        table="results/theorem_24/theorem_24.csv",
        readings="results/theorem_24/readings.csv",
    output:
        figure("theorem_24", "A", "Section 3.6.2"),
    log:
        "logs/plot_theorem_24.log",
    benchmark:
        "benchmarks/plot_theorem_24.tsv"
    conda:
        ENVIRONMENT
    params:
        rows=style_rows("purkayastha", "wrapped_laplace"),
        code=digest("plot.py"),
    message:
        "Draw where Theorem 24 holds"
    script:
        "plot.py"


TARGETS += [
    rules.compute_theorem_24.output,
    rules.plot_theorem_24.output,
]
