from study.workflow.mechanism_catalogue import style_rows


rule time_sampling:
    output:
        table=table("results/sampling/sampling.csv", "A", "Section 4.1"),
        compared=table("results/sampling/compared.csv", "A", "Section 4.1"),
    log:
        "logs/time_sampling.log",
    benchmark:
        "benchmarks/time_sampling.tsv"
    priority: 1  # first, so that no core has to wait for the others
    conda:
        ENVIRONMENT
    # nothing else runs meanwhile; the script keeps to one thread
    threads: all_cores(workflow)
    resources:
        mem_mb=1500,
        runtime=20,
    params:
        settings=config["sampling"],
        code=digest("measure.py"),
    message:
        "Time the samplers, their peers and the floor, alone on the machine"
    script:
        "measure.py"


rule plot_sampling:
    input:
        "results/sampling/sampling.csv",
    output:
        figure("sampling", "A", "Section 4.1"),
    log:
        "logs/plot_sampling.log",
    benchmark:
        "benchmarks/plot_sampling.tsv"
    conda:
        ENVIRONMENT
    params:
        rows=style_rows("purkayastha"),
        code=digest("plot.py"),
    message:
        "Draw the times of the samplers"
    script:
        "plot.py"


TARGETS += [
    rules.plot_sampling.output,
]
