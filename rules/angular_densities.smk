rule compute_angular_densities:
    output:
        densities="results/angular_densities/densities.csv",
        means="results/angular_densities/mean_angles.csv",
        crossing=report(
            "results/angular_densities/worse_than_uniform.csv", category="Laws"
        ),
    log:
        "logs/compute_angular_densities.log",
    benchmark:
        "benchmarks/compute_angular_densities.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        settings=config["angular_densities"],
        code=script_digest("compute_angular_densities"),
    message:
        "Compute angular densities and mean angles"
    script:
        "../src/study/compute_angular_densities.py"


rule plot_angular_densities:
    input:
        densities="results/angular_densities/densities.csv",
        means="results/angular_densities/mean_angles.csv",
        crossing="results/angular_densities/worse_than_uniform.csv",
    output:
        figure("fig02_angular_densities", category="Laws"),
    log:
        "logs/plot_angular_densities.log",
    benchmark:
        "benchmarks/plot_angular_densities.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        code=script_digest("plot_angular_densities"),
    message:
        "Draw the angular densities"
    script:
        "../src/study/plot_angular_densities.py"
