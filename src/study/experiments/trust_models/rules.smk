from study.workflow.mechanism_catalogue import class_rows, style_rows

SHUFFLED = ["cardioid", "purkayastha", "von_mises_fisher", "cap"]


rule simulate_trust_models:
    output:
        surveys=table("results/trust_models/trust_models.csv", "beyond", "Trust models"),
        costs=table("results/trust_models/costs.csv", "beyond", "Trust models"),
        histograms=table(
            "results/trust_models/histograms.csv", "beyond", "Trust models"
        ),
    log:
        "logs/simulate_trust_models.log",
    benchmark:
        "benchmarks/simulate_trust_models.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["trust_models"],
        day={
            key: config["deconvolution"][key]
            for key in ("peaks", "peak_deviation", "bins")
        },
        seed=config["seed"],
        rows=class_rows(SHUFFLED),
        code=digest("simulate.py", class_rows(SHUFFLED)),
    message:
        "People needed under three trust models, and surveys of that many"
    script:
        "simulate.py"


rule plot_trust_models:
    input:
        people="results/trust_models/trust_models.csv",
        histograms="results/trust_models/histograms.csv",
    output:
        figure("trust_models", "beyond", "Trust models"),
    log:
        "logs/plot_trust_models.log",
    benchmark:
        "benchmarks/plot_trust_models.tsv"
    conda:
        ENVIRONMENT
    params:
        rows=style_rows(SHUFFLED, "wrapped_laplace", "gaussian_sum", "vector_laplace"),
        code=digest("plot.py"),
    message:
        "Draw the people needed under three trust models"
    script:
        "plot.py"


TARGETS += [
    rules.simulate_trust_models.output,
    rules.plot_trust_models.output,
]
