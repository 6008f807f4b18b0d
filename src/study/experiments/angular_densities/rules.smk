from study.workflow.mechanism_catalogue import style_rows


rule compute_angular_densities:
    output:
        densities=table("results/angular_densities/densities.csv", "A", "Section 3.6"),
        means=table("results/angular_densities/mean_angles.csv", "A", "Section 3.6"),
        crossing=table(
            "results/angular_densities/worse_than_uniform.csv", "A", "Section 3.6"
        ),
        formulas=table("results/angular_densities/formulas.csv", "A", "Section 3.6"),
    log:
        "logs/compute_angular_densities.log",
    benchmark:
        "benchmarks/compute_angular_densities.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["angular_densities"],
        code=digest("compute.py"),
    message:
        "Compute angular densities and mean angles"
    script:
        "compute.py"


rule plot_angular_densities:
    input:
        densities="results/angular_densities/densities.csv",
        means="results/angular_densities/mean_angles.csv",
        crossing="results/angular_densities/worse_than_uniform.csv",
    output:
        figure("fig02_angular_densities", "A", "Section 3.6"),
    log:
        "logs/plot_angular_densities.log",
    benchmark:
        "benchmarks/plot_angular_densities.tsv"
    conda:
        ENVIRONMENT
    params:
        rows=style_rows("purkayastha", "wrapped_laplace", "polar_laplace"),
        code=digest("plot.py"),
    message:
        "Draw the angular densities"
    script:
        "plot.py"


TARGETS += [
    rules.compute_angular_densities.output,
    rules.plot_angular_densities.output,
]
