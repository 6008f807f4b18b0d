from study.workflow.mechanism_catalogue import class_rows, style_rows

OPTIMAL = [
    "purkayastha",
    "von_mises_fisher",
    "wrapped_laplace",
    "cap",
    "cardioid",
    "staircase",
]


rule compute_optimal_mechanisms:
    output:
        programmes=table(
            "results/optimal_mechanisms/optimal_mechanisms.csv",
            "beyond",
            "Best kernels",
        ),
        tables=table("results/optimal_mechanisms/tables.csv", "beyond", "Best kernels"),
        kernels=table(
            "results/optimal_mechanisms/kernels.csv", "beyond", "Best kernels"
        ),
        errors=table("results/optimal_mechanisms/errors.csv", "beyond", "Best kernels"),
    log:
        "logs/compute_optimal_mechanisms.log",
    benchmark:
        "benchmarks/compute_optimal_mechanisms.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["optimal_mechanisms"],
        rows=class_rows(OPTIMAL),
        code=digest("compute.py", class_rows(OPTIMAL)),
    message:
        "Compare the best kernels with linear programmes"
    script:
        "compute.py"


rule plot_optimal_mechanisms:
    input:
        kernels="results/optimal_mechanisms/kernels.csv",
        errors="results/optimal_mechanisms/errors.csv",
    output:
        kernels=figure("optimal_kernels", "beyond", "Best kernels"),
        errors=figure("optimal_errors", "beyond", "Best kernels"),
    log:
        "logs/plot_optimal_mechanisms.log",
    benchmark:
        "benchmarks/plot_optimal_mechanisms.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["optimal_mechanisms"],
        rows=style_rows(OPTIMAL, "trapezoid"),
        code=digest("plot.py"),
    message:
        "Draw the best kernels and what other mechanisms cost"
    script:
        "plot.py"


TARGETS += [
    rules.compute_optimal_mechanisms.output,
    rules.plot_optimal_mechanisms.output,
]
