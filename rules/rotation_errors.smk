rule simulate_rotation_errors:
    output:
        report("results/rotation_errors/rotation_errors.csv", category="Rotations"),
    log:
        "logs/simulate_rotation_errors.log",
    benchmark:
        "benchmarks/simulate_rotation_errors.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        settings=config["rotation_errors"],
        seed=config["seed"],
        code=script_digest("simulate_rotation_errors"),
    message:
        "Mean angles of all mechanisms on rotations"
    script:
        "../src/study/simulate_rotation_errors.py"


rule plot_rotation_errors:
    input:
        "results/rotation_errors/rotation_errors.csv",
    output:
        figure("rotation_errors", category="Rotations"),
    log:
        "logs/plot_rotation_errors.log",
    benchmark:
        "benchmarks/plot_rotation_errors.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=script_digest("plot_rotation_errors"),
    message:
        "Draw the mean angles of all mechanisms on rotations"
    script:
        "../src/study/plot_rotation_errors.py"
