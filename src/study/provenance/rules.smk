from study.checkins.sources import without_folders
from study.provenance.collect import commit_of, direct_dependencies
from study.provenance.collect import installed_versions
from study.workflow.printable import parameter
from study.workflow.report import caption_of


rule collect_provenance:
    output:
        record=contents.shown("results/provenance.json", "provenance"),
        caption=caption_of("results/provenance.json"),
        mechanisms=sorted({f"results/mechanisms/{own.path.name}" for own in OWN}),
    log:
        "logs/collect_provenance.log",
    benchmark:
        "benchmarks/collect_provenance.tsv"
    conda:
        ENVIRONMENT
    params:
        config=lambda wildcards: parameter(without_folders(config)),
        versions=installed_versions(direct_dependencies(ROOT / "pyproject.toml")),
        digests=lambda wildcards: digests_by_rule(workflow) | DIGESTS,
        mechanisms={own.name: {own.source: own.sha256} for own in OWN},
        commit=commit_of(ROOT),
        code=digest("collect.py"),
    message:
        "Write down what the results are made from"
    script:
        "collect.py"


TARGETS += [
    rules.collect_provenance.output,
]
