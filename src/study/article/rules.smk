from dirpriv import __version__ as VERSION
from study.article import prose as article_prose
from study.provenance.collect import commit_of
from study.workflow.printable import parameter

with readable_errors():
    PROSE = checked_yaml.read(SOURCE / "study/article/article.yaml")


rule write_article:
    input:
        claims="results/claims.csv",
        tables=[f"results/{name}" for name in article_prose.tables_of(PROSE)],
        figures=[f"figures/{name}.pdf" for name in article_prose.figures_of(PROSE)],
    output:
        "results/article.pdf",
    log:
        "logs/write_article.log",
    benchmark:
        "benchmarks/write_article.tsv"
    conda:
        ENVIRONMENT
    params:
        prose=lambda wildcards: parameter(PROSE),
        sources=lambda wildcards: parameter(CLAIMS["sources"]),
        robustness=lambda wildcards: parameter(ROBUSTNESS),
        version=VERSION,
        commit=commit_of(ROOT),
        layout=sum_of(SOURCE / "study/article/article.typ"),
        code=digest("write.py"),
    message:
        "Write the article of this run"
    script:
        "write.py"


TARGETS += [
    rules.write_article.output,
]
