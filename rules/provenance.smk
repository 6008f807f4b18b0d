rule collect_provenance:
    output:
        "results/provenance.json",
    log:
        "logs/collect_provenance.log",
    benchmark:
        "benchmarks/collect_provenance.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        config=config,
        versions=installed_versions(direct_dependencies(ROOT / "pyproject.toml")),
        digests=all_digests(),
        commit=git_state(ROOT)["commit"],
        code=script_digest("collect_provenance"),
    message:
        "Write down what the results are made from"
    script:
        "../src/study/collect_provenance.py"
