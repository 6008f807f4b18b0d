"""Pages of the study: one of its claims, one of its article, and one of each figure, in docs/generated/.

They have the numbers, figures and verdicts of a run of the committed study, where there is one. Without it they
have the statements of the claims and the small pictures of the gallery, and say how to make the rest.
"""

import csv
import io
import itertools
import shutil
import textwrap
from pathlib import Path

import pandas as pd
import yaml
from make_gallery import figures_of_study, run_of_study, with_settings

from dirpriv import __version__
from study.article.prose import tables_of
from study.article.write import content
from study.claims.claims import headlines_of, read_claims
from study.claims.page import findings, sections
from study.claims.report_captions import descriptions, verdicts
from study.claims.robustness_table import read_robustness
from study.claims.verdicts import AS_EXPECTED
from study.claims.words import counts, read_verdicts, said, with_unit
from study.workflow.printable import escaped

DOCS = Path(__file__).resolve().parents[1]
PROJECT = DOCS.parent
NO_RUN = """\
.. note:: These pages were built without a run of the study, so they have no numbers. ``make results`` makes a run,
   and ``make docs`` then takes its numbers and its figures.
"""
ROWS = 5
"""Rows of a table that a page shows."""


def write_pages(results):
    """Write all pages, from the results of a run or, if they are none of the committed study, without."""
    folder = DOCS / "generated"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "figures").mkdir(parents=True)
    every = read_claims(PROJECT / "config/claims")
    try:
        run = results and run_of_study(results.parent) and results.parent
    except SystemExit:
        run = None
    claims = read_verdicts(results / "claims.csv") if run else stated(every["claims"])
    pages = figure_pages(run, claims, every["sources"], folder / "figures")
    pages["claims"] = claims_page(run, claims, every)
    pages["article"] = article_page(run, claims, every["sources"], folder)
    for name, text in pages.items():
        (folder / f"{name}.rst").write_text(text, encoding="utf-8")


def stated(claims):
    """What the table of claims of a run has already before it: who states what, and where it is seen."""
    columns = "source", "section", "place", "title", "says"
    figures = [f"figures/{claim['figure']}.png" if "figure" in claim else "" for claim in claims.values()]
    rows = [{"claim": name} | {key: claim[key] for key in columns} for name, claim in claims.items()]
    return pd.DataFrame(rows).assign(figure=figures, status=AS_EXPECTED)


def heading(text, line):
    """A title in reStructuredText; some characters are wider than one column."""
    return f"{text}\n{line * 2 * len(text)}\n"


def figure_pages(run, claims, sources, folder):
    """A page of each figure: the picture, its caption, command, verdicts and tables."""
    config = yaml.safe_load((PROJECT / "config/config.yaml").read_text("utf-8"))
    texts = [path.read_text("utf-8") for path in sorted((PROJECT / "src/study").rglob("caption.rst"))]
    seen, pages = descriptions(texts), {}
    for figure in figures_of_study():
        file = f"figures/{figure.name}.png"
        shutil.copy(run / file if run else DOCS / f"gallery/{figure.name}.png", folder)
        own = claims[claims["figure"] == file]
        if run:  # without the link to a page of the report
            judged = verdicts(own, sources).partition("\n`All claims")[0]
        else:
            judged = "\n".join(f"- {escaped(row.title)} ({escaped(row.place)})" for row in own.itertuples())
        pages[f"figures/{figure.name}"] = "\n".join([
            heading(escaped(figure.title), "="),
            f".. image:: {figure.name}.png\n   :alt: {figure.name}\n   :width: 100%\n",
            *([] if run else [NO_RUN]),
            with_settings(seen[file][1], config) + "\n",
            f"Command (:doc:`/one_figure`): ``make results FIGURE={figure.name}``\n",
            heading("Claims", "-"), judged or "None of the sources claims what this figure shows.",
            f"\n:doc:`/generated/claims`\n\n{heading('Tables', '-')}",
            *(table(run, name) for name in figure.tables),
        ])  # fmt: skip
    return pages


def table(run, name):
    """What a page shows of a table: its first rows and the file, or its name."""
    if not run:
        return f"* ``{name}``"
    with (run / name).open(encoding="utf-8", newline="") as lines:
        rows = list(itertools.islice(csv.reader(lines), 1 + ROWS))
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([escaped(cell) for cell in row] for row in rows)
    shown = textwrap.indent(f":header-rows: 1\n\n{text.getvalue()}", "   ")
    return f"The first rows of ``{name}`` (:doc:`columns </tables>`):\n\n.. csv-table::\n{shown}"


def claims_page(run, claims, every):
    """All claims by section of their sources."""
    sources, parts = every["sources"], [heading("Claims", "=")]
    if run:
        parts.append(f"{escaped(counts(claims, sources))}. :doc:`/results` says what the verdicts mean.\n")
        found = findings(claims, headlines_of(every["claims"]))
        parts += [f"#. **{said(row)}**: {escaped(f'{row.title}. {text}')}" for row, text, _ in found]
        parts.append("")
    else:
        parts.append(NO_RUN)
    letters = set()
    for letter, part, rows in sections(claims, sources):
        if letter not in letters:
            letters.add(letter)
            parts.append(heading(escaped(sources[letter]["name"]), "-"))
        parts.append(heading(escaped(". ".join(dict.fromkeys(filter(None, (part["section"], part["title"]))))), "~"))
        parts += ["", *(claim(run, row) for row in rows), ""]
    return "\n".join(parts)


def claim(run, row):
    """A claim as an item of a list: what is claimed and where, and what a run says of it."""
    text = f"* **{escaped(row.title)}** ({escaped(row.place)}). {escaped(row.says)}"
    if run:
        text += f" **{said(row)}**: {escaped(with_unit(row))}; accepted: {escaped(row.accepted)}."
    name = Path(row.figure).stem if row.figure else ""
    return text + (f" :doc:`figures/{name}`" if name else "")


def article_page(run, claims, sources, folder):
    """What the article is about; of a run also its abstract and the article."""
    prose = yaml.safe_load((PROJECT / "src/study/article/article.yaml").read_text("utf-8"))
    parts = [heading("Article", "="), f"*{escaped(prose['title'])}*\n"]
    if run:
        shutil.copy(run / "results/article.pdf", folder)
        tables = {name: pd.read_csv(run / "results" / name) for name in tables_of(prose)}
        robustness = read_robustness(PROJECT / "config/claims/robustness.csv")
        commit = run_of_study(run)["source"]["commit"]
        written = content(prose, claims, sources, tables, robustness, version=__version__, commit=commit)
        parts += [":download:`The article of the run as PDF <article.pdf>`\n"]
        parts += [escaped(part["text"]) + "\n" for part in written["abstract"]]
    else:
        parts.append(NO_RUN)
    parts += ["Its sections:\n", *(f"#. {escaped(section['title'])}" for section in prose["sections"])]
    return "\n".join(parts) + "\n"
