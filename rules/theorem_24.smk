rule compute_theorem_24:
    output:
        table="results/theorem_24/theorem_24.csv",
        summary=report("results/theorem_24/summary.csv", category="Laws"),
    log:
        "logs/compute_theorem_24.log",
    benchmark:
        "benchmarks/compute_theorem_24.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        settings=config["theorem_24"],
        code=script_digest("compute_theorem_24"),
    message:
        "Evaluate the inequalities of Theorem 24"
    script:
        "../src/study/compute_theorem_24.py"


rule plot_theorem_24:
    input:
        "results/theorem_24/theorem_24.csv",
    output:
        figure("theorem_24", category="Laws"),
    log:
        "logs/plot_theorem_24.log",
    benchmark:
        "benchmarks/plot_theorem_24.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=script_digest("plot_theorem_24"),
    message:
        "Draw where Theorem 24 holds"
    script:
        "../src/study/plot_theorem_24.py"
