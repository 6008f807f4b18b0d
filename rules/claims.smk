rule check_claims:
    input:
        tables_of(CLAIMS["claims"]),
    output:
        report("results/claims.csv", category="Claims"),
    log:
        "logs/check_claims.log",
    benchmark:
        "benchmarks/check_claims.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        claims=CLAIMS["claims"],
        settings=config["claims"],
        code=script_digest("check_claims"),
    message:
        "Hold the claims of the sources against the results"
    script:
        "../src/study/check_claims.py"


rule plot_claims:
    input:
        "results/claims.csv",
    output:
        figure("claims", category="Claims"),
    log:
        "logs/plot_claims.log",
    benchmark:
        "benchmarks/plot_claims.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        sources=CLAIMS["sources"],
        code=script_digest("plot_claims"),
    message:
        "Draw the claims and their verdicts"
    script:
        "../src/study/plot_claims.py"


rule write_claims_page:
    input:
        claims="results/claims.csv",
        figures=figures_of(CLAIMS["claims"]),
    output:
        "results/claims.html",
    log:
        "logs/write_claims_page.log",
    benchmark:
        "benchmarks/write_claims_page.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        sources=CLAIMS["sources"],
        code=script_digest("write_claims_page"),
    message:
        "Write the page of the claims"
    script:
        "../src/study/write_claims_page.py"


rule confirm_claims:
    input:
        everything_else,
        claims="results/claims.csv",
    output:
        "results/claims_confirmed.txt",
    log:
        "logs/confirm_claims.log",
    benchmark:
        "benchmarks/confirm_claims.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        settings=config["claims"],
        code=script_digest("confirm_claims"),
    message:
        "See that every verdict is the expected one"
    script:
        "../src/study/confirm_claims.py"
