rule plot_rotation_axes:
    output:
        figure=figure("bfig1_axes", "B", "Section 3.2"),
        table=table("results/rotation_axes/axes.csv", "B", "Section 3.2"),
    log:
        "logs/plot_rotation_axes.log",
    benchmark:
        "benchmarks/plot_rotation_axes.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["rotation_axes"],
        seed=config["seed"],
        code=digest("plot.py"),
    message:
        "Draw the axes of a rotation under Bingham noise"
    script:
        "plot.py"


TARGETS += [
    rules.plot_rotation_axes.output,
]
