rule draw_tangent_normal:
    output:
        figure("fig01_tangent_normal", category="Laws"),
    log:
        "logs/draw_tangent_normal.log",
    benchmark:
        "benchmarks/draw_tangent_normal.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        settings=config["tangent_normal"],
        code=script_digest("draw_tangent_normal"),
    message:
        "Draw the tangent-normal decomposition"
    script:
        "../src/study/draw_tangent_normal.py"
