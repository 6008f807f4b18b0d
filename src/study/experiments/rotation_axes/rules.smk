rule draw_rotation_axes:
    output:
        figure=figure("bfig1_axes", "B", "Section 3.2"),
        table=table("results/rotation_axes/axes.csv", "B", "Section 3.2"),
    log:
        "logs/draw_rotation_axes.log",
    benchmark:
        "benchmarks/draw_rotation_axes.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["rotation_axes"],
        seed=config["seed"],
        code=digest("draw.py"),
    message:
        "Draw the axes of a rotation under Bingham noise"
    script:
        "draw.py"


TARGETS += [
    rules.draw_rotation_axes.output,
]
