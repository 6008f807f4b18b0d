rule plot_tangent_normal:
    output:
        figure("fig01_tangent_normal", "A", "Section 2.2"),
    log:
        "logs/plot_tangent_normal.log",
    benchmark:
        "benchmarks/plot_tangent_normal.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["tangent_normal"],
        code=digest("plot.py"),
    message:
        "Draw the tangent-normal decomposition"
    script:
        "plot.py"


TARGETS += [
    rules.plot_tangent_normal.output,
]
