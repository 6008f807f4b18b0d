rule generate_checkins:
    output:
        "data/generated/{dataset}.txt.gz",
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


rule download_file:
    output:
        "data/downloads/{sha256}",
    log:
        "logs/download_file/{sha256}.log",
    benchmark:
        "benchmarks/download_file/{sha256}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=240,
    params:
        url=lambda wildcards: address_of(wildcards.sha256),
        code=script_digest("download_file"),
    message:
        "Download {params.url}"
    script:
        "../src/study/download_file.py"


rule unpack_member:
    input:
        lambda wildcards: f"data/downloads/{given_file(wildcards)['sha256']}",
    output:
        "data/downloads/{dataset}.{role}",
    log:
        "logs/unpack_member/{dataset}.{role}.log",
    benchmark:
        "benchmarks/unpack_member/{dataset}.{role}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=60,
    params:
        member=lambda wildcards: given_file(wildcards)["member"],
        code=script_digest("unpack_member"),
    message:
        "Unpack {params.member}"
    script:
        "../src/study/unpack_member.py"


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
