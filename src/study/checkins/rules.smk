from study.workflow.mechanism_catalogue import style_rows
from study.checkins.sources import address_of, checkins_of, files_of_dataset, given_file
from study.checkins.sources import timed, without_folders, worldwide
from study.workflow.printable import parameter
from study.workflow.settings import public_address

DATASETS = sorted(config["datasets"])
TIMED = timed(config["datasets"])
WORLDWIDE = worldwide(config["datasets"])

DIGESTS["cities"] = sum_of(SOURCE / "study/checkins/synthetic/cities.csv.gz")
DIGESTS["categories"] = sum_of(SOURCE / "study/checkins/synthetic/categories.csv")
DIGESTS["layouts"] = sum_of(SOURCE / "study/checkins/file_layouts.yaml")
DIGESTS["reasons"] = sum_of(SOURCE / "study/checkins/reasons.yaml")
DIGESTS["targets"] = sum_of(SOURCE / "study/checkins/targets.csv")


wildcard_constraints:
    dataset="[a-z][a-z0-9_]*",
    role="checkins|places|cities",
    sha256="[0-9a-f]{64}",


rule generate_checkins:
    output:
        "data/generated/{dataset}.txt.gz",
    log:
        "logs/generate_checkins/{dataset}.log",
    benchmark:
        "benchmarks/generate_checkins/{dataset}.tsv"
    conda:
        ENVIRONMENT
    params:
        dataset=lambda wildcards: config["datasets"][wildcards.dataset],
        seed=config["seed"],
        cities=DIGESTS["cities"],
        categories=DIGESTS["categories"],
        code=digest("synthetic/generate.py"),
    message:
        "Generate the invented check-ins of '{wildcards.dataset}'"
    script:
        "synthetic/generate.py"


rule download_file:
    output:
        "data/downloads/{sha256}",
    log:
        "logs/download_file/{sha256}.log",
    benchmark:
        "benchmarks/download_file/{sha256}.tsv"
    # where Snakemake runs: the nodes of a cluster often have no network
    localrule: True
    conda:
        ENVIRONMENT
    resources:
        runtime=240,
    params:
        url=lambda wildcards: public_address(address_of(config, wildcards.sha256)),
        code=digest("download.py"),
    message:
        "Download {params.url}"
    script:
        "download.py"


rule unpack_member:
    input:
        lambda wildcards: f"data/downloads/{given_file(config, wildcards)['sha256']}",
    output:
        "data/downloads/{dataset}.{role}",
    log:
        "logs/unpack_member/{dataset}.{role}.log",
    benchmark:
        "benchmarks/unpack_member/{dataset}.{role}.tsv"
    conda:
        ENVIRONMENT
    resources:
        runtime=60,
    params:
        member=lambda wildcards: given_file(config, wildcards)["member"],
        code=digest("unpack.py"),
    message:
        "Unpack {params.member}"
    script:
        "unpack.py"


rule prepare_checkins:
    input:
        unpack(lambda wildcards: files_of_dataset(config, wildcards.dataset)),
    output:
        prepared="results/checkins/{dataset}.parquet",
        rejected="results/checkins/{dataset}.rejected.csv",
        summary="results/checkins/{dataset}.summary.csv",
    log:
        "logs/prepare_checkins/{dataset}.log",
    benchmark:
        "benchmarks/prepare_checkins/{dataset}.tsv"
    conda:
        ENVIRONMENT
    threads: 2  # one more does not help
    resources:
        mem_mb=1500,
        runtime=20,
    params:
        entry=lambda wildcards: without_folders(config)["datasets"][wildcards.dataset],
        rejected_share=config["limits"]["rejected_share"],
        layouts=DIGESTS["layouts"],
        reasons=DIGESTS["reasons"],
        statements=sum_of(SOURCE / "study/checkins/prepare.sql"),
        forms=sum_of(SOURCE / "dirpriv/tables/forms.toml"),
        code=digest("prepare.py"),
    message:
        "Prepare the check-ins of '{wildcards.dataset}', keeping a list of the rows that cannot be used"
    script:
        "prepare.py"


rule describe_checkins:
    input:
        expand(
            "results/checkins/{dataset}.summary.csv",
            dataset=DATASETS,
        ),
    output:
        table("results/checkins/overview.csv", "checkins"),
    log:
        "logs/describe_checkins.log",
    benchmark:
        "benchmarks/describe_checkins.tsv"
    conda:
        ENVIRONMENT
    params:
        datasets=lambda wildcards: parameter(without_folders(config)["datasets"]),
        layouts=DIGESTS["layouts"],
        reasons=DIGESTS["reasons"],
        code=digest("describe.py"),
    message:
        "Describe where the check-ins come from"
    script:
        "describe.py"


rule compare_checkins:
    input:
        checkins=expand(
            "results/checkins/{dataset}.parquet",
            dataset=DATASETS,
        ),
        busyness="results/busyness/busyness.csv",
    output:
        statistics=table("results/checkins/statistics.csv", "checkins"),
        compared=table("results/checkins/compared.csv", "checkins"),
    log:
        "logs/compare_checkins.log",
    benchmark:
        "benchmarks/compare_checkins.tsv"
    conda:
        ENVIRONMENT
    params:
        worldwide=WORLDWIDE,
        fewest_checkins=config["busyness"]["fewest_checkins"],
        targets=DIGESTS["targets"],
        allowed=sum_of(SOURCE / "study/checkins/allowed.csv"),
        code=digest("compare.py"),
    message:
        "Compare the check-ins with a real sample"
    script:
        "compare.py"


rule plot_checkins:
    input:
        checkins=expand(
            "results/checkins/{dataset}.parquet",
            dataset=DATASETS,
        ),
        statistics=rules.compare_checkins.output.statistics,
    output:
        places=figure("checkins", "checkins"),
        statistics=figure("checkins_statistics", "checkins"),
    log:
        "logs/plot_checkins.log",
    benchmark:
        "benchmarks/plot_checkins.tsv"
    conda:
        ENVIRONMENT
    params:
        rows=style_rows("purkayastha"),
        code=digest("plot.py"),
    message:
        "Draw the places and the hours of the check-ins, and their statistics"
    script:
        "plot.py"


TARGETS += [
    expand(rules.prepare_checkins.output.summary, dataset=DATASETS),
    rules.describe_checkins.output,
    rules.compare_checkins.output,
    rules.plot_checkins.output,
]
