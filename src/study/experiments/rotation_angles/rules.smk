from study.workflow.mechanism_catalogue import class_rows, style_rows


rule simulate_rotation_angles:
    output:
        summary=table("results/rotation_angles/rotation_angles.csv", "B", "Section 3.4"),
        histograms=table("results/rotation_angles/histograms.csv", "B", "Section 3.4"),
    log:
        "logs/simulate_rotation_angles.log",
    benchmark:
        "benchmarks/simulate_rotation_angles.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["rotation_angles"],
        seed=config["seed"],
        rows=class_rows("rotation_laplace", "rotation_bingham"),
        code=digest("simulate.py", class_rows("rotation_laplace", "rotation_bingham")),
    message:
        "Angles of rotation Laplace and Bingham noise at given radii"
    script:
        "simulate.py"


rule plot_rotation_angles:
    input:
        summary="results/rotation_angles/rotation_angles.csv",
        histograms="results/rotation_angles/histograms.csv",
    output:
        figure("bfig3_angles", "B", "Section 3.4"),
    log:
        "logs/plot_rotation_angles.log",
    benchmark:
        "benchmarks/plot_rotation_angles.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["rotation_angles"],
        rows=style_rows("rotation_laplace", "rotation_bingham"),
        code=digest("plot.py"),
    message:
        "Draw the angles of rotation Laplace and Bingham noise"
    script:
        "plot.py"


TARGETS += [
    rules.plot_rotation_angles.output,
]
