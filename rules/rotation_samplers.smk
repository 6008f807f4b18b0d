rule simulate_rotation_samplers:
    output:
        summary=report(
            "results/rotation_samplers/rotation_samplers.csv", category="Rotations"
        ),
        histograms="results/rotation_samplers/histograms.csv",
    log:
        "logs/simulate_rotation_samplers.log",
    benchmark:
        "benchmarks/simulate_rotation_samplers.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        settings=config["rotation_samplers"],
        seed=config["seed"],
        code=script_digest("simulate_rotation_samplers"),
    message:
        "Draw angles by the printed samplers of rotation Laplace and by the exact one"
    script:
        "../src/study/simulate_rotation_samplers.py"


rule plot_rotation_samplers:
    input:
        summary="results/rotation_samplers/rotation_samplers.csv",
        histograms="results/rotation_samplers/histograms.csv",
    output:
        figure("bfig2_samplers", category="Rotations"),
    log:
        "logs/plot_rotation_samplers.log",
    benchmark:
        "benchmarks/plot_rotation_samplers.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        settings=config["rotation_samplers"],
        code=script_digest("plot_rotation_samplers"),
    message:
        "Draw the histograms of the printed and the exact samplers"
    script:
        "../src/study/plot_rotation_samplers.py"
