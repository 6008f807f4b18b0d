from study.workflow.mechanism_catalogue import class_rows, names, style_rows


rule time_rotation_sampling:
    output:
        table=table(
            "results/rotation_sampling/rotation_sampling.csv", "B", "Section 3.4"
        ),
        compared=table("results/rotation_sampling/compared.csv", "B", "Section 3.4"),
        summary=table("results/rotation_sampling/summary.csv", "B", "Section 3.4"),
    log:
        "logs/time_rotation_sampling.log",
    benchmark:
        "benchmarks/time_rotation_sampling.tsv"
    priority: 1  # first, so that no core has to wait for the others
    conda:
        ENVIRONMENT
    # nothing else runs meanwhile; the script keeps to one thread
    threads: all_cores(workflow)
    resources:
        mem_mb=1500,
        runtime=20,
    params:
        settings=config["rotation_sampling"],
        rows=class_rows(names("rotation")),
        code=digest("measure.py", class_rows(names("rotation"))),
    message:
        "Time the samplers of rotations, the printed ones and the floor, alone on the machine"
    script:
        "measure.py"


rule plot_rotation_sampling:
    input:
        "results/rotation_sampling/rotation_sampling.csv",
    output:
        figure("rotation_sampling", "B", "Section 3.4"),
    log:
        "logs/plot_rotation_sampling.log",
    benchmark:
        "benchmarks/plot_rotation_sampling.tsv"
    conda:
        ENVIRONMENT
    params:
        rows=style_rows("rotation_laplace", "printed"),
        code=digest("plot.py"),
    message:
        "Draw the times of the samplers of rotations"
    script:
        "plot.py"


TARGETS += [
    rules.plot_rotation_sampling.output,
]
