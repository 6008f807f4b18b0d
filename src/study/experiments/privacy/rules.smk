from study.workflow.mechanism_catalogue import class_rows, names, style_rows


rule compute_privacy:
    output:
        levels=table("results/privacy/levels.csv", "A", "Section 3.5"),
        loss=table("results/privacy/loss.csv", "A", "Section 3.5"),
        polar=table("results/privacy/polar.csv", "A", "Section 3.6.3"),
        cost=table(
            "results/privacy/cost.csv", "beyond", "Cost of the published calibrations"
        ),
    log:
        "logs/compute_privacy.log",
    benchmark:
        "benchmarks/compute_privacy.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["privacy"],
        error=config["survey_size"]["error"],
        hour=config["one_direction"]["hour"],
        rows=class_rows(names("circle", "sphere", "rotation")),
        code=digest("compute.py", class_rows(names("circle", "sphere", "rotation"))),
    message:
        "Levels, losses against distance, and what the calibration costs"
    script:
        "compute.py"


rule plot_privacy:
    input:
        loss="results/privacy/loss.csv",
        polar="results/privacy/polar.csv",
        cost="results/privacy/cost.csv",
    output:
        losses=figure("privacy_loss", "A", "Section 3.5"),
        costs=figure("privacy_cost", "beyond", "Cost of the published calibrations"),
    log:
        "logs/plot_privacy.log",
    benchmark:
        "benchmarks/plot_privacy.tsv"
    conda:
        ENVIRONMENT
    params:
        rows=style_rows(names("circle", "sphere", "rotation")),
        code=digest("plot.py"),
    message:
        "Draw privacy losses and what the calibration costs"
    script:
        "plot.py"


TARGETS += [
    rules.compute_privacy.output,
    rules.plot_privacy.output,
]
