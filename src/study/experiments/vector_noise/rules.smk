from study.workflow.mechanism_catalogue import style_rows


rule simulate_vector_noise:
    output:
        summary=table(
            "results/vector_noise/vector_noise.csv", "N", "Change of variables"
        ),
        losses=table("results/vector_noise/losses.csv", "N", "Change of variables"),
        radii=table("results/vector_noise/radii.csv", "N", "Change of variables"),
        means=table(
            "results/vector_noise/mean_errors.csv",
            "N",
            "Calculation of the density ratio",
        ),
        forms=table("results/vector_noise/forms.csv", "N", "Change of variables"),
    log:
        "logs/simulate_vector_noise.log",
    benchmark:
        "benchmarks/simulate_vector_noise.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["vector_noise"],
        seed=config["seed"],
        code=digest("simulate.py"),
    message:
        "Privacy loss of vector-valued Laplace noise, right and wrong, and its error"
    script:
        "simulate.py"


rule plot_vector_noise:
    input:
        summary="results/vector_noise/vector_noise.csv",
        losses="results/vector_noise/losses.csv",
        radii="results/vector_noise/radii.csv",
    output:
        figure("vector_noise", "N", "Change of variables"),
    log:
        "logs/plot_vector_noise.log",
    benchmark:
        "benchmarks/plot_vector_noise.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["vector_noise"],
        rows=style_rows("vector_laplace", "exponential_radius"),
        code=digest("plot.py"),
    message:
        "Draw radius and privacy loss of vector-valued noise"
    script:
        "plot.py"


TARGETS += [
    rules.plot_vector_noise.output,
]
