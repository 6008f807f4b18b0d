rule simulate_expected_distances:
    output:
        "results/expected_distances/{law}.csv",
    log:
        "logs/simulate_expected_distances/{law}.log",
    benchmark:
        "benchmarks/simulate_expected_distances/{law}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        settings=config["expected_distances"],
        seed=config["seed"],
        code=law_digest("simulate_expected_distances"),
    message:
        "Draw mean distances from the mode of {wildcards.law}"
    script:
        "../src/study/simulate_expected_distances.py"


rule summarise_expected_distances:
    input:
        "results/expected_distances/expected_distances.csv",
    output:
        report("results/expected_distances/summary.csv", category="Laws"),
    log:
        "logs/summarise_expected_distances.log",
    benchmark:
        "benchmarks/summarise_expected_distances.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        code=script_digest("summarise_expected_distances"),
    message:
        "Compare drawn and computed mean distances"
    script:
        "../src/study/summarise_expected_distances.py"


rule plot_expected_distances:
    input:
        "results/expected_distances/expected_distances.csv",
    output:
        figure("fig10_expected_distances", category="Laws"),
    log:
        "logs/plot_expected_distances.log",
    benchmark:
        "benchmarks/plot_expected_distances.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        settings=config["expected_distances"],
        code=script_digest("plot_expected_distances"),
    message:
        "Draw the mean distances"
    script:
        "../src/study/plot_expected_distances.py"
