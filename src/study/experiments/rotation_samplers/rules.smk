from study.workflow.mechanism_catalogue import style_rows


rule simulate_rotation_samplers:
    output:
        summary=table(
            "results/rotation_samplers/rotation_samplers.csv", "B", "Section 3.3"
        ),
        histograms=table("results/rotation_samplers/histograms.csv", "B", "Section 3.3"),
        specifications=table(
            "results/rotation_samplers/specifications.csv", "B", "Section 3.3"
        ),
    log:
        "logs/simulate_rotation_samplers.log",
    benchmark:
        "benchmarks/simulate_rotation_samplers.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["rotation_samplers"],
        seed=config["seed"],
        code=digest("simulate.py"),
    message:
        "Draw angles by the printed samplers of rotation Laplace and by the exact one"
    script:
        "simulate.py"


rule plot_rotation_samplers:
    input:
        summary="results/rotation_samplers/rotation_samplers.csv",
        histograms="results/rotation_samplers/histograms.csv",
    output:
        figure("bfig2_samplers", "B", "Section 3.3"),
    log:
        "logs/plot_rotation_samplers.log",
    benchmark:
        "benchmarks/plot_rotation_samplers.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["rotation_samplers"],
        rows=style_rows("rotation_laplace", "printed"),
        code=digest("plot.py"),
    message:
        "Draw the histograms of the printed and the exact samplers"
    script:
        "plot.py"


TARGETS += [
    rules.plot_rotation_samplers.output,
]
