rule draw_tangent_normal:
    output:
        figure("fig01_tangent_normal", "A", "Section 2.2"),
    log:
        "logs/draw_tangent_normal.log",
    benchmark:
        "benchmarks/draw_tangent_normal.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["tangent_normal"],
        code=digest("draw.py"),
    message:
        "Draw the tangent-normal decomposition"
    script:
        "draw.py"


TARGETS += [
    rules.draw_tangent_normal.output,
]
