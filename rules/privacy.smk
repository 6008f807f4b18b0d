rule compute_privacy:
    output:
        levels=report("results/privacy/levels.csv", category="Privacy"),
        loss="results/privacy/loss.csv",
        polar=report("results/privacy/polar.csv", category="Privacy"),
        cost="results/privacy/cost.csv",
    log:
        "logs/compute_privacy.log",
    benchmark:
        "benchmarks/compute_privacy.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        settings=config["privacy"],
        error=config["survey_size"]["error"],
        hour=config["one_direction"]["hour"],
        code=script_digest("compute_privacy"),
    message:
        "Levels, losses against distance, and what the calibration costs"
    script:
        "../src/study/compute_privacy.py"


rule plot_privacy:
    input:
        loss="results/privacy/loss.csv",
        polar="results/privacy/polar.csv",
        cost="results/privacy/cost.csv",
        sizes="results/survey_size/survey_size.csv",
    output:
        figure("privacy_loss", category="Privacy"),
        figure("privacy_cost", category="Privacy"),
    log:
        "logs/plot_privacy.log",
    benchmark:
        "benchmarks/plot_privacy.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=script_digest("plot_privacy"),
    message:
        "Draw privacy losses and what the calibration costs"
    script:
        "../src/study/plot_privacy.py"
