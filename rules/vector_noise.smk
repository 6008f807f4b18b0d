rule simulate_vector_noise:
    output:
        summary=report("results/vector_noise/vector_noise.csv", category="Vector noise"),
        losses="results/vector_noise/losses.csv",
        radii="results/vector_noise/radii.csv",
        means="results/vector_noise/mean_errors.csv",
    log:
        "logs/simulate_vector_noise.log",
    benchmark:
        "benchmarks/simulate_vector_noise.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        settings=config["vector_noise"],
        seed=config["seed"],
        code=script_digest("simulate_vector_noise"),
    message:
        "Privacy loss of vector-valued Laplace noise, right and wrong, and its error"
    script:
        "../src/study/simulate_vector_noise.py"


rule plot_vector_noise:
    input:
        summary="results/vector_noise/vector_noise.csv",
        losses="results/vector_noise/losses.csv",
        radii="results/vector_noise/radii.csv",
        means="results/vector_noise/mean_errors.csv",
    output:
        figure("vector_noise", category="Vector noise"),
        figure("vector_noise_mean", category="Vector noise"),
    log:
        "logs/plot_vector_noise.log",
    benchmark:
        "benchmarks/plot_vector_noise.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        settings=config["vector_noise"],
        code=script_digest("plot_vector_noise"),
    message:
        "Draw radius, privacy loss and error of vector-valued noise"
    script:
        "../src/study/plot_vector_noise.py"
