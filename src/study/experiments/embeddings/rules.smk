from study.workflow.mechanism_catalogue import class_rows, style_rows

EMBEDDED = [
    "von_mises_fisher",
    "purkayastha",
    "normalised_gaussian",
    "cap",
    "staircase",
]
LISTED = ["certified_weights", "exponential", "purkayastha", "randomised_response"]


rule compute_embeddings:
    output:
        algorithm=table("results/embeddings/algorithm_1.csv", "beyond", "Embeddings"),
        errors=table("results/embeddings/errors.csv", "beyond", "Embeddings"),
    log:
        "logs/compute_embeddings.log",
    benchmark:
        "benchmarks/compute_embeddings.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["embeddings"],
        error=config["survey_size"]["error"],
        rows=class_rows(EMBEDDED),
        code=digest("compute.py", class_rows(EMBEDDED)),
    message:
        "Algorithm 1 with quadrature, and errors at the same promise, in many dimensions"
    script:
        "compute.py"


rule compare_embeddings:
    output:
        table("results/embeddings/lists.csv", "beyond", "Embeddings"),
    log:
        "logs/compare_embeddings.log",
    benchmark:
        "benchmarks/compare_embeddings.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["embeddings"],
        seed=config["seed"],
        rows=class_rows("purkayastha"),
        code=digest("compare.py", class_rows("purkayastha")),
    message:
        "Release a word of a list in four ways at the same level"
    script:
        "compare.py"


rule plot_embeddings:
    input:
        algorithm="results/embeddings/algorithm_1.csv",
        errors="results/embeddings/errors.csv",
        lists="results/embeddings/lists.csv",
    output:
        algorithm=figure("embeddings_algorithm_1", "beyond", "Embeddings"),
        errors=figure("embeddings_errors", "beyond", "Embeddings"),
        lists=figure("embeddings_lists", "beyond", "Embeddings"),
    log:
        "logs/plot_embeddings.log",
    benchmark:
        "benchmarks/plot_embeddings.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["embeddings"],
        error=config["survey_size"]["error"],
        rows=style_rows(EMBEDDED, LISTED),
        code=digest("plot.py"),
    message:
        "Draw what Algorithm 1 draws with quadrature, and errors in many dimensions"
    script:
        "plot.py"


TARGETS += [
    rules.compute_embeddings.output,
    rules.compare_embeddings.output,
    rules.plot_embeddings.output,
]
