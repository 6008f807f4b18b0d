from study.workflow.mechanism_catalogue import pair_rows, style_rows

CELLS["busyness"] = expand(
    "results/busyness/{population}/{mechanism}.csv",
    population=DATASETS,
    mechanism=config["busyness"]["mechanisms"],
)


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
        ENVIRONMENT
    threads: 2
    resources:
        mem_mb=1500,
        runtime=60,
    params:
        settings=config["busyness"],
        calibrations=config["calibrations"],
        seed=config["seed"],
        rows=lambda wildcards: pair_rows(wildcards.mechanism),
        code=digest("simulate.py", mechanism=pair_rows),
    message:
        "Busyness of venues under {wildcards.mechanism}, check-ins of '{wildcards.population}'"
    script:
        "simulate.py"


rule compare_busyness:
    input:
        beside(CELLS["busyness"], ".venues.parquet"),
    output:
        table("results/busyness/compared.csv", "A", "Section B.2"),
    log:
        "logs/compare_busyness.log",
    benchmark:
        "benchmarks/compare_busyness.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=1500,
    params:
        baseline=config["busyness"]["mechanisms"][0],
        code=digest("compare.py"),
    message:
        "Compare the mechanisms by the busyness they leave"
    script:
        "compare.py"


rule estimate_busyness:
    input:
        expand("results/checkins/{population}.parquet", population=DATASETS),
    output:
        table("results/busyness/estimates.csv", "beyond", "Check-ins"),
    log:
        "logs/estimate_busyness.log",
    benchmark:
        "benchmarks/estimate_busyness.tsv"
    conda:
        ENVIRONMENT
    resources:
        mem_mb=1500,
        runtime=60,
    params:
        populations=DATASETS,
        mechanism=config["busyness"]["mechanisms"][0],
        settings=config["busyness"],
        seed=config["seed"],
        rows=pair_rows(config["busyness"]["mechanisms"][0]),
        code=digest("estimate.py", pair_rows(config["busyness"]["mechanisms"][0])),
    message:
        "Estimate the hours of venues with the known noise taken out"
    script:
        "estimate.py"


rule plot_busyness:
    input:
        estimates="results/busyness/estimates.csv",
        table=table("results/busyness/busyness.csv", "A", "Section B.2"),
        examples=beside(CELLS["busyness"], ".example.csv"),
        statistics="results/checkins/statistics.csv",
    output:
        times=figure("fig12_busyness", "A", "Section B.2"),
        places=figure("fig08_busyness", "A", "Section B.2"),
        venue=figure("busyness_venue", "A", "Section B.2"),
        snapping=figure("busyness_snapping", "A", "Section B.2"),
    log:
        "logs/plot_busyness.log",
    benchmark:
        "benchmarks/plot_busyness.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["busyness"],
        rows=style_rows(
            *map(pair_rows, config["busyness"]["mechanisms"]), "purkayastha"
        ),
        code=digest("plot.py"),
    message:
        "Draw the busyness of venues"
    script:
        "plot.py"


TARGETS += [
    rules.compare_busyness.output,
    rules.plot_busyness.output,
]
