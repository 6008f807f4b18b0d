rule generate_checkins:
    output:
        "data/{dataset}.txt.gz",
    log:
        "logs/generate_checkins/{dataset}.log",
    benchmark:
        "benchmarks/generate_checkins/{dataset}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        dataset=lambda wildcards: config["datasets"][wildcards.dataset],
        seed=config["seed"],
        code=script_digest("generate_checkins"),
    message:
        "Generate the invented check-ins of '{wildcards.dataset}'"
    script:
        "../src/study/generate_checkins.py"


rule prepare_checkins:
    input:
        unpack(checkin_files),
    output:
        prepared="results/checkins/{dataset}.parquet",
        rejected="results/checkins/{dataset}.rejected.csv",
        summary="results/checkins/{dataset}.summary.csv",
    log:
        "logs/prepare_checkins/{dataset}.log",
    benchmark:
        "benchmarks/prepare_checkins/{dataset}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1500,
        runtime=20,
    params:
        layout=lambda wildcards: config["datasets"][wildcards.dataset]["layout"],
        rejected_share=config["limits"]["rejected_share"],
        code=script_digest("prepare_checkins"),
    message:
        "Prepare the check-ins of '{wildcards.dataset}', keeping a list of the rows that cannot be used"
    script:
        "../src/study/prepare_checkins.py"


rule describe_checkins:
    input:
        expand(
            "results/checkins/{dataset}.summary.csv",
            dataset=sorted(config["datasets"]),
        ),
    output:
        "results/checkins/overview.csv",
    log:
        "logs/describe_checkins.log",
    benchmark:
        "benchmarks/describe_checkins.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        datasets=config["datasets"],
        code=script_digest("describe_checkins"),
    message:
        "Describe where the check-ins come from"
    script:
        "../src/study/describe_checkins.py"


rule plot_checkins:
    input:
        expand(
            "results/checkins/{dataset}.parquet",
            dataset=sorted(config["datasets"]),
        ),
    output:
        figure("checkins", category="Check-ins"),
    log:
        "logs/plot_checkins.log",
    benchmark:
        "benchmarks/plot_checkins.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=10,
    params:
        code=script_digest("plot_checkins"),
    message:
        "Draw the places and the hours of the check-ins"
    script:
        "../src/study/plot_checkins.py"
