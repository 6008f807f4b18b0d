rule check_printed_rotation_forms:
    output:
        forms=table("results/rotation_forms/rotation_forms.csv", "B", "Section 3.3"),
        distances=table("results/rotation_forms/distances.csv", "B", "Section 2.2"),
        totals=table("results/rotation_forms/totals.csv", "B", "Section 3.3"),
        identities=table("results/rotation_forms/identities.csv", "B", "Appendix A"),
    log:
        "logs/check_printed_rotation_forms.log",
    benchmark:
        "benchmarks/check_printed_rotation_forms.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["rotation_forms"],
        seed=config["seed"],
        code=digest("check_printed.py"),
    message:
        "Evaluate formulas of the SO(3) paper as printed, and their correct values"
    script:
        "check_printed.py"


TARGETS += [
    rules.check_printed_rotation_forms.output,
]
