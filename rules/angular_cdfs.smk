rule compute_angular_cdfs:
    output:
        "results/angular_cdfs/{law}.csv",
    log:
        "logs/compute_angular_cdfs/{law}.log",
    benchmark:
        "benchmarks/compute_angular_cdfs/{law}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        settings=config["angular_cdfs"],
        code=law_digest("compute_angular_cdfs"),
    message:
        "Compute angular CDFs of {wildcards.law} in three ways"
    script:
        "../src/study/compute_angular_cdfs.py"


rule compare_angular_cdfs:
    input:
        "results/angular_cdfs/angular_cdfs.csv",
    output:
        report("results/angular_cdfs/differences.csv", category="Laws"),
    log:
        "logs/compare_angular_cdfs.log",
    benchmark:
        "benchmarks/compare_angular_cdfs.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        tolerance=config["angular_cdfs"]["tolerance"],
        code=script_digest("compare_angular_cdfs"),
    message:
        "Compare the angular CDFs"
    script:
        "../src/study/compare_angular_cdfs.py"


rule plot_angular_cdfs:
    input:
        "results/angular_cdfs/angular_cdfs.csv",
    output:
        figure("fig11_angular_cdfs", category="Laws"),
    log:
        "logs/plot_angular_cdfs.log",
    benchmark:
        "benchmarks/plot_angular_cdfs.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        tolerance=config["angular_cdfs"]["tolerance"],
        code=script_digest("plot_angular_cdfs"),
    message:
        "Draw the angular CDFs"
    script:
        "../src/study/plot_angular_cdfs.py"
