from study.workflow.mechanism_catalogue import class_rows, style_rows
from study.simulation.baselines import REFERENCES

CELLS["time_histogram"] = expand(
    "results/time_histogram/{population}/{mechanism}.csv",
    population=TIMED,
    mechanism=[*config["mechanisms"], *REFERENCES],
)


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
        ENVIRONMENT
    resources:
        runtime=30,
    params:
        settings=config["time_histogram"],
        calibrations=config["calibrations"],
        seed=config["seed"],
        rows=lambda wildcards: class_rows(wildcards.mechanism),
        code=digest("simulate.py", mechanism=class_rows),
    message:
        "Error of the histogram of times under {wildcards.mechanism}, check-ins of '{wildcards.population}'"
    script:
        "simulate.py"


rule compare_time_histogram:
    input:
        table("results/time_histogram/time_histogram.csv", "A", "Section 4.3"),
    output:
        table("results/time_histogram/comparison.csv", "A", "Section 4.3"),
    log:
        "logs/compare_time_histogram.log",
    benchmark:
        "benchmarks/compare_time_histogram.tsv"
    conda:
        ENVIRONMENT
    params:
        code=digest("compare.py"),
    message:
        "Compare the errors of the histograms of times"
    script:
        "compare.py"


rule plot_time_histogram:
    input:
        errors="results/time_histogram/time_histogram.csv",
        histograms=beside(CELLS["time_histogram"], ".histograms.csv"),
    output:
        errors=figure("time_histogram", "A", "Section 4.3"),
        example=figure("time_histogram_example", "A", "Section 4.3"),
    log:
        "logs/plot_time_histogram.log",
    benchmark:
        "benchmarks/plot_time_histogram.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["time_histogram"],
        rows=style_rows(config["mechanisms"], "purkayastha"),
        code=digest("plot.py"),
    message:
        "Draw the errors of the histograms of times"
    script:
        "plot.py"


TARGETS += [
    rules.compare_time_histogram.output,
    rules.plot_time_histogram.output,
]
