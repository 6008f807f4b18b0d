from study.workflow.mechanism_catalogue import class_rows, names, promising, style_rows
from study.simulation.populations import ONE_DIRECTION

CELLS["survey_size"] = expand(
    "results/survey_size/{population}/{mechanism}.csv",
    population=[ONE_DIRECTION, *TIMED],
    mechanism=promising("pure", config["mechanisms"]),
)


rule search_survey_size:
    input:
        lambda wildcards: checkins_of(wildcards.population),
    output:
        "results/survey_size/{population}/{mechanism}.csv",
    log:
        "logs/search_survey_size/{population}/{mechanism}.log",
    benchmark:
        "benchmarks/search_survey_size/{population}/{mechanism}.tsv"
    conda:
        ENVIRONMENT
    resources:
        runtime=30,
    params:
        settings=config["survey_size"],
        calibrations=config["calibrations"],
        hour=config["one_direction"]["hour"],
        seed=config["seed"],
        rows=lambda wildcards: class_rows(wildcards.mechanism),
        code=digest("search.py", mechanism=class_rows),
    message:
        "Search the survey size under {wildcards.mechanism}, people of '{wildcards.population}'"
    script:
        "search.py"


rule compare_survey_sizes:
    input:
        table("results/survey_size/survey_size.csv", "A", "Section 4.2"),
    output:
        table("results/survey_size/ratios.csv", "A", "Section 4.2"),
    log:
        "logs/compare_survey_sizes.log",
    benchmark:
        "benchmarks/compare_survey_sizes.tsv"
    conda:
        ENVIRONMENT
    params:
        code=digest("baseline_ratios.py"),
    message:
        "Compare the survey sizes with those of wrapped Laplace as published"
    script:
        "baseline_ratios.py"


rule check_printed_survey_size:
    input:
        expand("results/checkins/{population}.parquet", population=TIMED),
    output:
        printed_errors=table(
            "results/survey_size/printed_errors.csv", "A", "Section 4.2"
        ),
        specifications=table(
            "results/survey_size/specifications.csv", "A", "Section 4.2"
        ),
    log:
        "logs/check_printed_survey_size.log",
    benchmark:
        "benchmarks/check_printed_survey_size.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["survey_size"],
        calibrations=config["calibrations"],
        hour=config["one_direction"]["hour"],
        seed=config["seed"],
        datasets=TIMED,
        rows=class_rows(config["survey_size"]["printed_errors"]),
        code=digest(
            "check_printed.py", class_rows(config["survey_size"]["printed_errors"])
        ),
    message:
        "Search the survey sizes with the errors that the paper prints, in each reading of them"
    script:
        "check_printed.py"


rule search_directional_survey_size:
    output:
        table("results/survey_size/directional.csv", "A", "Section 3.6.2"),
    log:
        "logs/search_directional_survey_size.log",
    benchmark:
        "benchmarks/search_directional_survey_size.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["survey_size"],
        seed=config["seed"],
        rows=class_rows(names("circle", "sphere")),
        code=digest("search_directional.py", class_rows(names("circle", "sphere"))),
    message:
        "Search the survey sizes at the same level per radian"
    script:
        "search_directional.py"


rule plot_survey_size:
    input:
        sizes="results/survey_size/survey_size.csv",
        directional="results/survey_size/directional.csv",
    output:
        figure("survey_size", "A", "Section 4.2"),
    log:
        "logs/plot_survey_size.log",
    benchmark:
        "benchmarks/plot_survey_size.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["survey_size"],
        rows=style_rows(config["mechanisms"], names("circle", "sphere")),
        code=digest("plot.py"),
    message:
        "Draw the survey sizes"
    script:
        "plot.py"


TARGETS += [
    rules.compare_survey_sizes.output,
    rules.check_printed_survey_size.output,
    rules.plot_survey_size.output,
]
