from study.checkins.settings import given_files
from study.claims.report_captions import PAGE
from study.claims.claims import figures_of, headlines_of, tables_of
from study.claims.robustness_table import read_robustness
from study.workflow.printable import parameter
from study.workflow.report import FRONT_PAGE

BESIDE = SOURCE / "study/claims"
TEXTS = [BESIDE / name for name in ("page.html.j2", "page.css", "page.js")]
TEXTS += sorted(SOURCE.glob("study/**/caption.rst"))
with readable_errors():
    ROBUSTNESS = read_robustness(ROOT / "config/claims/robustness.csv")


rule check_claims:
    input:
        tables_of(CLAIMS["claims"]),
    output:
        table("results/claims.csv", "claims"),
    log:
        "logs/check_claims.log",
    benchmark:
        "benchmarks/check_claims.tsv"
    conda:
        ENVIRONMENT
    params:
        claims=lambda wildcards: parameter(CLAIMS["claims"]),
        settings=config["claims"],
        given=[name for name in DATASETS if given_files(config["datasets"][name])],
        variants=lambda wildcards: parameter(ROBUSTNESS["verdicts"]),
        code=digest("check.py"),
    message:
        "Hold the claims of the sources against the results"
    script:
        "check.py"


rule plot_claims:
    input:
        "results/claims.csv",
    output:
        figure("claims", "claims"),
    log:
        "logs/plot_claims.log",
    benchmark:
        "benchmarks/plot_claims.tsv"
    conda:
        ENVIRONMENT
    params:
        sources=lambda wildcards: parameter(CLAIMS["sources"]),
        code=digest("plot.py"),
    message:
        "Draw the claims and their verdicts"
    script:
        "plot.py"


rule write_claims_page:
    input:
        claims="results/claims.csv",
        figures=figures_of(CLAIMS["claims"]),
        shown=list(contents.captions),
    output:
        page="results/claims.html",
        short=contents.shown(PAGE, "claims"),
        captions=list(contents.captions.values()),  # also of the line above
        front_page=FRONT_PAGE,
    log:
        "logs/write_claims_page.log",
    benchmark:
        "benchmarks/write_claims_page.tsv"
    conda:
        ENVIRONMENT
    params:
        sources=lambda wildcards: parameter(CLAIMS["sources"]),
        headlines=lambda wildcards: parameter(headlines_of(CLAIMS["claims"])),
        robustness=lambda wildcards: parameter(ROBUSTNESS),
        captions=contents.captions,
        files=sum_of(*TEXTS),
        code=digest("page.py"),
    message:
        "Write the page of the claims, and the captions of the report"
    script:
        "page.py"


TARGETS += [
    rules.check_claims.output,
    rules.plot_claims.output,
    rules.write_claims_page.output,
]


rule require_expected_claims:
    input:
        TARGETS,
        claims="results/claims.csv",
    output:
        "results/claims_confirmed.txt",
    log:
        "logs/require_expected_claims.log",
    benchmark:
        "benchmarks/require_expected_claims.tsv"
    conda:
        ENVIRONMENT
    params:
        settings=config["claims"],
        sources=lambda wildcards: parameter(CLAIMS["sources"]),
        code=digest("require_expected.py"),
    message:
        "See that every verdict is the expected one"
    script:
        "require_expected.py"
