rule simulate_audit:
    output:
        "results/audit/{space}.csv",
    log:
        "logs/simulate_audit/{space}.log",
    benchmark:
        "benchmarks/simulate_audit/{space}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=20,
    params:
        settings=config["audit"],
        seed=config["seed"],
        code=space_digest("simulate_audit"),
    message:
        "Audit the mechanisms of space '{wildcards.space}'"
    script:
        "../src/study/simulate_audit.py"


rule plot_audit:
    input:
        "results/audit/audit.csv",
    output:
        figure("audit", category="Privacy"),
    log:
        "logs/plot_audit.log",
    benchmark:
        "benchmarks/plot_audit.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=script_digest("plot_audit"),
    message:
        "Draw stated, certified and audited levels"
    script:
        "../src/study/plot_audit.py"
