from study.workflow.mechanism_catalogue import style_rows


rule simulate_floating_point:
    output:
        table("results/floating_point/floating_point.csv", "beyond", "Floating point"),
    log:
        "logs/simulate_floating_point.log",
    benchmark:
        "benchmarks/simulate_floating_point.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["floating_point"],
        seed=config["seed"],
        code=digest("simulate.py"),
    message:
        "Count the doubles that exclude a wrong input"
    script:
        "simulate.py"


rule plot_floating_point:
    input:
        "results/floating_point/floating_point.csv",
    output:
        figure("floating_point", "beyond", "Floating point"),
    log:
        "logs/plot_floating_point.log",
    benchmark:
        "benchmarks/plot_floating_point.tsv"
    conda:
        ENVIRONMENT
    params:
        rows=style_rows("purkayastha"),
        code=digest("plot.py"),
    message:
        "Draw the shares of doubles that exclude a wrong input"
    script:
        "plot.py"


TARGETS += [
    rules.plot_floating_point.output,
]
