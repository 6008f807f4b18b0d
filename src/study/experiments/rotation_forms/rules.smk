rule compute_rotation_forms:
    output:
        table("results/rotation_forms/rotation_forms.csv", "Rotations"),
    log:
        "logs/compute_rotation_forms.log",
    benchmark:
        "benchmarks/compute_rotation_forms.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["rotation_forms"],
        code=digest("compute.py"),
    message:
        "Evaluate formulas of the SO(3) paper beside what they stand for"
    script:
        "compute.py"


TARGETS += [
    rules.compute_rotation_forms.output,
]
