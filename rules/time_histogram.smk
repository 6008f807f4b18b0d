rule simulate_time_histogram:
    input:
        "results/checkins/{population}.parquet",
    output:
        errors="results/time_histogram/{population}/{mechanism}.csv",
        histograms="results/time_histogram/{population}/{mechanism}.histograms.csv",
    log:
        "logs/simulate_time_histogram/{population}/{mechanism}.log",
    benchmark:
        "benchmarks/simulate_time_histogram/{population}/{mechanism}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        settings=config["time_histogram"],
        calibrations=config["calibrations"],
        seed=config["seed"],
        code=mechanism_digest("simulate_time_histogram"),
    message:
        "Error of the histogram of times under {wildcards.mechanism}, check-ins of '{wildcards.population}'"
    script:
        "../src/study/simulate_time_histogram.py"


rule compare_time_histogram:
    input:
        "results/time_histogram/time_histogram.csv",
    output:
        report("results/time_histogram/comparison.csv", category="Histograms"),
    log:
        "logs/compare_time_histogram.log",
    benchmark:
        "benchmarks/compare_time_histogram.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        code=script_digest("compare_time_histogram"),
    message:
        "Compare the errors of the histograms of times"
    script:
        "../src/study/compare_time_histogram.py"


rule plot_time_histogram:
    input:
        errors="results/time_histogram/time_histogram.csv",
        histograms=tables_beside_cells("time_histogram", ".histograms.csv"),
    output:
        figure("time_histogram", category="Histograms"),
        figure("time_histogram_example", category="Histograms"),
    log:
        "logs/plot_time_histogram.log",
    benchmark:
        "benchmarks/plot_time_histogram.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        settings=config["time_histogram"],
        code=script_digest("plot_time_histogram"),
    message:
        "Draw the errors of the histograms of times"
    script:
        "../src/study/plot_time_histogram.py"
