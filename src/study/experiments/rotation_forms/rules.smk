from study.workflow.catalogue import looks


rule compute_rotation_forms:
    output:
        forms=table("results/rotation_forms/rotation_forms.csv", "B", "Section 3.3"),
        distances=table("results/rotation_forms/distances.csv", "B", "Section 2.2"),
        totals=table("results/rotation_forms/totals.csv", "B", "Section 3.3"),
        identities=table("results/rotation_forms/identities.csv", "B", "Appendix A"),
    log:
        "logs/compute_rotation_forms.log",
    benchmark:
        "benchmarks/compute_rotation_forms.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["rotation_forms"],
        seed=config["seed"],
        code=digest("compute.py"),
    message:
        "Evaluate formulas of the SO(3) paper beside what they stand for"
    script:
        "compute.py"


rule plot_rotation_forms:
    input:
        forms="results/rotation_forms/rotation_forms.csv",
        distances="results/rotation_forms/distances.csv",
        totals="results/rotation_forms/totals.csv",
    output:
        figure("rotation_forms", "B", "Section 2.2"),
    log:
        "logs/plot_rotation_forms.log",
    benchmark:
        "benchmarks/plot_rotation_forms.tsv"
    conda:
        ENVIRONMENT
    params:
        rows=looks("rotation_laplace", "rotation_bingham", "printed"),
        code=digest("plot.py"),
    message:
        "Draw the distances of rotations and the acceptance of the printed sampler"
    script:
        "plot.py"


TARGETS += [
    rules.compute_rotation_forms.output,
    rules.plot_rotation_forms.output,
]
