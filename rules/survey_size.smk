rule search_survey_size:
    input:
        checkins_of_population,
    output:
        "results/survey_size/{population}/{mechanism}.csv",
    log:
        "logs/search_survey_size/{population}/{mechanism}.log",
    benchmark:
        "benchmarks/search_survey_size/{population}/{mechanism}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        settings=config["survey_size"],
        calibrations=config["calibrations"],
        hour=config["one_direction"]["hour"],
        seed=config["seed"],
        code=mechanism_digest("search_survey_size"),
    message:
        "Search the survey size under {wildcards.mechanism}, people of '{wildcards.population}'"
    script:
        "../src/study/search_survey_size.py"


rule compare_survey_sizes:
    input:
        "results/survey_size/survey_size.csv",
    output:
        report("results/survey_size/ratios.csv", category="Survey size"),
    log:
        "logs/compare_survey_sizes.log",
    benchmark:
        "benchmarks/compare_survey_sizes.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=500,
        runtime=5,
    params:
        code=script_digest("compare_survey_sizes"),
    message:
        "Compare the survey sizes with those of wrapped Laplace as published"
    script:
        "../src/study/compare_survey_sizes.py"


rule plot_survey_size:
    input:
        "results/survey_size/survey_size.csv",
    output:
        figure("survey_size", category="Survey size"),
    log:
        "logs/plot_survey_size.log",
    benchmark:
        "benchmarks/plot_survey_size.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=5,
    params:
        settings=config["survey_size"],
        code=script_digest("plot_survey_size"),
    message:
        "Draw the survey sizes"
    script:
        "../src/study/plot_survey_size.py"
