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
        "Generate the check-ins of the invented city '{wildcards.dataset}'"
    script:
        "../src/study/generate_checkins.py"


rule prepare_checkins:
    input:
        checkin_file,
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
