rule simulate_circular_mean:
    input:
        checkins_of_population,
    output:
        "results/circular_mean/{population}/{mechanism}.csv",
    log:
        "logs/simulate_circular_mean/{population}/{mechanism}.log",
    benchmark:
        "benchmarks/simulate_circular_mean/{population}/{mechanism}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        settings=config["circular_mean"],
        calibrations=config["calibrations"],
        hour=config["one_direction"]["hour"],
        seed=config["seed"],
        code=mechanism_digest("simulate_circular_mean"),
    message:
        "Error of the circular mean under {wildcards.mechanism}, people of '{wildcards.population}'"
    script:
        "../src/study/simulate_circular_mean.py"


rule collect_results:
    input:
        lambda wildcards: cells(wildcards.experiment),
    output:
        "results/{experiment}/{experiment}.csv",
    log:
        "logs/collect_results/{experiment}.log",
    benchmark:
        "benchmarks/collect_results/{experiment}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        code=script_digest("collect_results"),
    message:
        "Collect the tables of {wildcards.experiment} in one"
    script:
        "../src/study/collect_results.py"


rule plot_circular_mean:
    input:
        "results/circular_mean/circular_mean.csv",
    output:
        figure("circular_mean_central", category="Circular mean"),
        figure("circular_mean_local_epsilon", category="Circular mean"),
        figure("circular_mean_local_responses", category="Circular mean"),
    log:
        "logs/plot_circular_mean.log",
    benchmark:
        "benchmarks/plot_circular_mean.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        settings=config["circular_mean"],
        code=script_digest("plot_circular_mean"),
    message:
        "Draw the errors of the circular mean"
    script:
        "../src/study/plot_circular_mean.py"
