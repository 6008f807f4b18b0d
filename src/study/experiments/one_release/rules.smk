DIGESTS["arrivals"] = sum_of(ROOT / "examples/arrivals.csv")


rule simulate_one_release:
    output:
        table("results/one_release/one_release.csv", "beyond", "Trust models"),
    log:
        "logs/simulate_one_release.log",
    benchmark:
        "benchmarks/simulate_one_release.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["one_release"],
        seed=config["seed"],
        arrivals=DIGESTS["arrivals"],
        code=digest("simulate.py"),
    message:
        "Release one file of times in both ways"
    script:
        "simulate.py"


rule plot_one_release:
    input:
        "results/one_release/one_release.csv",
    output:
        figure("one_release", "beyond", "Trust models"),
    log:
        "logs/plot_one_release.log",
    benchmark:
        "benchmarks/plot_one_release.tsv"
    conda:
        ENVIRONMENT
    params:
        code=digest("plot.py"),
    message:
        "Draw one release: true, reports and estimate"
    script:
        "plot.py"


TARGETS += [
    rules.simulate_one_release.output,
    rules.plot_one_release.output,
]
