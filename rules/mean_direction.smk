rule simulate_mean_direction:
    output:
        "results/mean_direction/{population}/{mechanism}.csv",
    log:
        "logs/simulate_mean_direction/{population}/{mechanism}.log",
    benchmark:
        "benchmarks/simulate_mean_direction/{population}/{mechanism}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        settings=config["mean_direction"],
        calibrations=config["calibrations"],
        seed=config["seed"],
        code=mechanism_digest("simulate_mean_direction"),
    message:
        "Error of the mean direction under {wildcards.mechanism}, directions of '{wildcards.population}'"
    script:
        "../src/study/simulate_mean_direction.py"


rule plot_mean_direction:
    input:
        "results/mean_direction/mean_direction.csv",
    output:
        figure("mean_direction_epsilon", category="Mean direction"),
        figure("mean_direction_dimension", category="Mean direction"),
    log:
        "logs/plot_mean_direction.log",
    benchmark:
        "benchmarks/plot_mean_direction.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        settings=config["mean_direction"],
        code=script_digest("plot_mean_direction"),
    message:
        "Draw the errors of the mean direction"
    script:
        "../src/study/plot_mean_direction.py"
