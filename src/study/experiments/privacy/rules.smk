from study.core.catalogue import classes, looks, names


rule compute_privacy:
    output:
        levels=table("results/privacy/levels.csv", "Privacy"),
        loss="results/privacy/loss.csv",
        polar=table("results/privacy/polar.csv", "Privacy"),
        cost="results/privacy/cost.csv",
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
        rows=classes(names("circle", "sphere", "rotation")),
        code=digest("compute.py", classes(names("circle", "sphere", "rotation"))),
    message:
        "Levels, losses against distance, and what the calibration costs"
    script:
        "compute.py"


rule plot_privacy:
    input:
        loss="results/privacy/loss.csv",
        polar="results/privacy/polar.csv",
        cost="results/privacy/cost.csv",
        sizes="results/survey_size/survey_size.csv",
    output:
        losses=figure("privacy_loss", "Privacy"),
        costs=figure("privacy_cost", "Privacy"),
    log:
        "logs/plot_privacy.log",
    benchmark:
        "benchmarks/plot_privacy.tsv"
    conda:
        ENVIRONMENT
    params:
        rows=looks(names("circle", "sphere", "rotation")),
        code=digest("plot.py"),
    message:
        "Draw privacy losses and what the calibration costs"
    script:
        "plot.py"


TARGETS += [
    rules.compute_privacy.output,
    rules.plot_privacy.output,
]
