rule simulate_busyness:
    input:
        "results/checkins/{population}.parquet",
    output:
        table="results/busyness/{population}/{mechanism}.csv",
        venues="results/busyness/{population}/{mechanism}.venues.parquet",
        example="results/busyness/{population}/{mechanism}.example.csv",
    log:
        "logs/simulate_busyness/{population}/{mechanism}.log",
    benchmark:
        "benchmarks/simulate_busyness/{population}/{mechanism}.tsv"
    conda:
        "../environment.yml"
    threads: 2
    resources:
        mem_mb=1500,
        runtime=60,
    params:
        settings=config["busyness"],
        calibrations=config["calibrations"],
        seed=config["seed"],
        code=pair_digest("simulate_busyness"),
    message:
        "Busyness of venues under {wildcards.mechanism}, check-ins of '{wildcards.population}'"
    script:
        "../src/study/simulate_busyness.py"


rule compare_busyness:
    input:
        tables_beside_cells("busyness", ".venues.parquet"),
    output:
        report("results/busyness/compared.csv", category="Busyness"),
    log:
        "logs/compare_busyness.log",
    benchmark:
        "benchmarks/compare_busyness.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=10,
    params:
        baseline=config["busyness"]["mechanisms"][0],
        code=script_digest("compare_busyness"),
    message:
        "Compare the mechanisms by the busyness they leave"
    script:
        "../src/study/compare_busyness.py"


rule plot_busyness:
    input:
        table="results/busyness/busyness.csv",
        examples=tables_beside_cells("busyness", ".example.csv"),
    output:
        figure("fig12_busyness", category="Busyness"),
        figure("fig08_busyness", category="Busyness"),
        figure("busyness_venue", category="Busyness"),
        figure("busyness_snapping", category="Busyness"),
    log:
        "logs/plot_busyness.log",
    benchmark:
        "benchmarks/plot_busyness.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        settings=config["busyness"],
        code=script_digest("plot_busyness"),
    message:
        "Draw the busyness of venues"
    script:
        "../src/study/plot_busyness.py"
