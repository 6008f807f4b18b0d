from study.workflow.mechanism_catalogue import class_rows, promising, style_rows
from study.simulation.baselines import REFERENCES

CELLS["place_histogram"] = expand(
    "results/place_histogram/{population}/{mechanism}.csv",
    population=WORLDWIDE,
    mechanism=[
        *promising("within", config["place_histogram"]["mechanisms"]),
        *REFERENCES,
    ],
)


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
        ENVIRONMENT
    resources:
        runtime=20,
    params:
        # a mechanism more leaves the cells of the others as they are
        settings=lambda wildcards: {
            key: value
            for key, value in config["place_histogram"].items()
            if key != "mechanisms"
        },
        seed=config["seed"],
        rows=lambda wildcards: class_rows(wildcards.mechanism),
        code=digest("simulate.py", mechanism=class_rows),
    message:
        "Error of the histogram of places under {wildcards.mechanism}, check-ins of '{wildcards.population}'"
    script:
        "simulate.py"


rule compare_place_histogram:
    input:
        table("results/place_histogram/place_histogram.csv", "A", "Section 4.3"),
    output:
        comparison=table("results/place_histogram/comparison.csv", "A", "Section 4.3"),
        summary=table("results/place_histogram/summary.csv", "A", "Section 4.3"),
    log:
        "logs/compare_place_histogram.log",
    benchmark:
        "benchmarks/compare_place_histogram.tsv"
    conda:
        ENVIRONMENT
    params:
        band=config["place_histogram"]["claimed_band"],
        code=digest("compare.py"),
    message:
        "Compare polar Laplace with the directional mechanisms"
    script:
        "compare.py"


rule plot_place_histogram:
    input:
        "results/place_histogram/place_histogram.csv",
    output:
        figure("place_histogram", "A", "Section 4.3"),
    log:
        "logs/plot_place_histogram.log",
    benchmark:
        "benchmarks/plot_place_histogram.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["place_histogram"],
        rows=style_rows(config["place_histogram"]["mechanisms"], "purkayastha"),
        code=digest("plot.py"),
    message:
        "Draw the errors of the histograms of places"
    script:
        "plot.py"


TARGETS += [
    rules.compare_place_histogram.output,
    rules.plot_place_histogram.output,
]
