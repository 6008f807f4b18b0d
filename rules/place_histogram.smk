rule simulate_place_histogram:
    input:
        "results/checkins/{population}.parquet",
    output:
        "results/place_histogram/{population}/{mechanism}.csv",
    log:
        "logs/simulate_place_histogram/{population}/{mechanism}.log",
    benchmark:
        "benchmarks/simulate_place_histogram/{population}/{mechanism}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=20,
    params:
        settings=config["place_histogram"],
        seed=config["seed"],
        code=mechanism_digest("simulate_place_histogram"),
    message:
        "Error of the histogram of places under {wildcards.mechanism}, check-ins of '{wildcards.population}'"
    script:
        "../src/study/simulate_place_histogram.py"


rule compare_place_histogram:
    input:
        "results/place_histogram/place_histogram.csv",
    output:
        comparison=report(
            "results/place_histogram/comparison.csv", category="Histograms"
        ),
        summary=report("results/place_histogram/summary.csv", category="Histograms"),
    log:
        "logs/compare_place_histogram.log",
    benchmark:
        "benchmarks/compare_place_histogram.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        band=config["place_histogram"]["claimed_band"],
        code=script_digest("compare_place_histogram"),
    message:
        "Compare polar Laplace with the directional mechanisms"
    script:
        "../src/study/compare_place_histogram.py"


rule plot_place_histogram:
    input:
        "results/place_histogram/place_histogram.csv",
    output:
        figure("place_histogram", category="Histograms"),
    log:
        "logs/plot_place_histogram.log",
    benchmark:
        "benchmarks/plot_place_histogram.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        settings=config["place_histogram"],
        code=script_digest("plot_place_histogram"),
    message:
        "Draw the errors of the histograms of places"
    script:
        "../src/study/plot_place_histogram.py"
