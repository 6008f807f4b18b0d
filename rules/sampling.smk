rule time_sampling:
    output:
        table="results/sampling/sampling.csv",
        compared="results/sampling/compared.csv",
    log:
        "logs/time_sampling.log",
    benchmark:
        "benchmarks/time_sampling.tsv"
    conda:
        "../environment.yml"
    # more than there are, that is all cores: nothing else runs meanwhile; the script keeps to one thread
    threads: 1000
    resources:
        mem_mb=1500,
        runtime=20,
    params:
        settings=config["sampling"],
        code=script_digest("time_sampling"),
    message:
        "Time the samplers, their peers and the floor, alone on the machine"
    script:
        "../src/study/time_sampling.py"


rule plot_sampling:
    input:
        "results/sampling/sampling.csv",
    output:
        figure("sampling", category="Samplers"),
    log:
        "logs/plot_sampling.log",
    benchmark:
        "benchmarks/plot_sampling.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=script_digest("plot_sampling"),
    message:
        "Draw the times of the samplers"
    script:
        "../src/study/plot_sampling.py"
