rule draw_rotation_axes:
    output:
        figure("bfig1_axes", category="Rotations"),
        table="results/rotation_axes/axes.csv",
    log:
        "logs/draw_rotation_axes.log",
    benchmark:
        "benchmarks/draw_rotation_axes.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        settings=config["rotation_axes"],
        seed=config["seed"],
        code=script_digest("draw_rotation_axes"),
    message:
        "Draw the axes of a rotation under Bingham noise"
    script:
        "../src/study/draw_rotation_axes.py"
