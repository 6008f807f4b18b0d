rule time_rotation_sampling:
    output:
        table="results/rotation_sampling/rotation_sampling.csv",
        compared="results/rotation_sampling/compared.csv",
        summary="results/rotation_sampling/summary.csv",
    log:
        "logs/time_rotation_sampling.log",
    benchmark:
        "benchmarks/time_rotation_sampling.tsv"
    conda:
        "../environment.yml"
    # more than there are, that is all cores: nothing else runs meanwhile; the script keeps to one thread
    threads: 1000
    resources:
        mem_mb=1500,
        runtime=20,
    params:
        settings=config["rotation_sampling"],
        code=script_digest("time_rotation_sampling"),
    message:
        "Time the samplers of rotations, the printed ones and the floor, alone on the machine"
    script:
        "../src/study/time_rotation_sampling.py"


rule plot_rotation_sampling:
    input:
        "results/rotation_sampling/rotation_sampling.csv",
    output:
        figure("rotation_sampling", category="Samplers"),
    log:
        "logs/plot_rotation_sampling.log",
    benchmark:
        "benchmarks/plot_rotation_sampling.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=script_digest("plot_rotation_sampling"),
    message:
        "Draw the times of the samplers of rotations"
    script:
        "../src/study/plot_rotation_sampling.py"
