rule simulate_rotation_angles:
    output:
        summary=report(
            "results/rotation_angles/rotation_angles.csv", category="Rotations"
        ),
        histograms="results/rotation_angles/histograms.csv",
    log:
        "logs/simulate_rotation_angles.log",
    benchmark:
        "benchmarks/simulate_rotation_angles.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        settings=config["rotation_angles"],
        seed=config["seed"],
        code=script_digest("simulate_rotation_angles"),
    message:
        "Angles of rotation Laplace and Bingham noise at given radii"
    script:
        "../src/study/simulate_rotation_angles.py"


rule plot_rotation_angles:
    input:
        summary="results/rotation_angles/rotation_angles.csv",
        histograms="results/rotation_angles/histograms.csv",
    output:
        figure("bfig3_angles", category="Rotations"),
    log:
        "logs/plot_rotation_angles.log",
    benchmark:
        "benchmarks/plot_rotation_angles.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        settings=config["rotation_angles"],
        code=script_digest("plot_rotation_angles"),
    message:
        "Draw the angles of rotation Laplace and Bingham noise"
    script:
        "../src/study/plot_rotation_angles.py"
