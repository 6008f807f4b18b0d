from study.workflow.mechanism_catalogue import class_rows, names, style_rows


rule simulate_rotation_errors:
    output:
        table("results/rotation_errors/rotation_errors.csv", "B", "Section 3.4"),
    log:
        "logs/simulate_rotation_errors.log",
    benchmark:
        "benchmarks/simulate_rotation_errors.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["rotation_errors"],
        seed=config["seed"],
        rows=class_rows(names("rotation")),
        code=digest("simulate.py", class_rows(names("rotation"))),
    message:
        "Mean angles of all mechanisms on rotations"
    script:
        "simulate.py"


rule plot_rotation_errors:
    input:
        "results/rotation_errors/rotation_errors.csv",
    output:
        figure("rotation_errors", "B", "Section 3.4"),
    log:
        "logs/plot_rotation_errors.log",
    benchmark:
        "benchmarks/plot_rotation_errors.tsv"
    conda:
        ENVIRONMENT
    params:
        rows=style_rows(names("rotation"), "printed"),
        code=digest("plot.py"),
    message:
        "Draw the mean angles of all mechanisms on rotations"
    script:
        "plot.py"


TARGETS += [
    rules.plot_rotation_errors.output,
]
