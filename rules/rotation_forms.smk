rule compute_rotation_forms:
    output:
        report(
            "results/rotation_forms/rotation_forms.csv",
            category="Rotations",
        ),
    log:
        "logs/compute_rotation_forms.log",
    benchmark:
        "benchmarks/compute_rotation_forms.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        settings=config["rotation_forms"],
        code=script_digest("compute_rotation_forms"),
    message:
        "Evaluate formulas of the SO(3) paper beside what they stand for"
    script:
        "../src/study/compute_rotation_forms.py"
