from study.experiments.audit.audited_rows import audited
from study.workflow.mechanism_catalogue import names, style_rows

CELLS["audit"] = expand(
    "results/audit/{space}.csv",
    space=config["audit"]["spaces"],
)

DIGESTS["audit_cases"] = digest("cases.py")


rule simulate_audit:
    output:
        "results/audit/{space}.csv",
    log:
        "logs/simulate_audit/{space}.log",
    benchmark:
        "benchmarks/simulate_audit/{space}.tsv"
    wildcard_constraints:
        space="|".join(config["audit"]["spaces"]),
    conda:
        ENVIRONMENT
    resources:
        mem_mb=1500,
        runtime=20,
    params:
        settings=config["audit"],
        seed=config["seed"],
        rows=lambda wildcards: audited(wildcards.space),
        code=digest("simulate.py", space=audited),
    message:
        "Audit the mechanisms of space '{wildcards.space}'"
    script:
        "simulate.py"


rule plot_audit:
    input:
        table("results/audit/audit.csv", "beyond", "Audit of all mechanisms"),
    output:
        figure("audit", "beyond", "Audit of all mechanisms"),
    log:
        "logs/plot_audit.log",
    benchmark:
        "benchmarks/plot_audit.tsv"
    conda:
        ENVIRONMENT
    params:
        rows=style_rows(
            names("circle", "sphere", "spheres", "rotation", "plane"),
            "printed",
            "exponential_radius",
        ),
        code=digest("plot.py"),
    message:
        "Draw stated, certified and audited levels"
    script:
        "plot.py"


TARGETS += [
    rules.plot_audit.output,
]
