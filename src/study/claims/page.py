"""Rule write_claims_page: the claims with their figures as one HTML file, to be opened from disk.

The page loads nothing from the network, and works without scripts too. Its template is ``page.html.j2``,
which includes ``page.css`` and ``page.js``. The same page without figures is for the report, as browsers show
no longer page than 2 MB within another; the captions of the report are written here, too.
"""

import base64
import json
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from study.claims.claims import OURS, REBUILT
from study.claims.report_captions import captions, front_page
from study.claims.robustness_table import NEVER, summary
from study.claims.verdicts import CHANGED, OPEN, REPORTED
from study.claims.words import count, faults, groups, number, read_verdicts, said, with_unit
from study.workflow.job import job, write_text
from study.workflow.printable import printable


def page(claims, sources, headlines, images, robustness=None):
    """The whole page as text; ``images`` maps names of figures that it shows to ``data:`` addresses."""
    content = {"claims": claims, "sources": sources, "images": images}
    content |= {"sections": sections(claims, sources), "findings": findings(claims, headlines)}
    on_files = claims[claims["status"] == REPORTED].groupby("dataset")
    content["files"] = {key: list(rows.itertuples()) for key, rows in on_files}
    content |= {"faults": faults_of(claims), "groups": groups(claims, sources), "count": count}
    content |= {"measured": with_unit, "number": number, "said": said, "OURS": OURS, "REBUILT": REBUILT}
    content |= {"REPORTED": REPORTED, "DIFFERENT": (CHANGED, OPEN)} | changing(claims, robustness)
    templates = Environment(
        loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, autoescape=True,
        trim_blocks=True, finalize=_shown,
    )  # fmt: skip
    return templates.get_template("page.html.j2").render(content) + "\n"


def changing(claims, robustness):
    """What a page says of verdicts that change with the seed or the people: a sentence, and their rows."""
    rows = [row for row in claims.itertuples() if row.changes not in ("", NEVER)]
    return {"robustness": summary(robustness, claims["changes"]), "changing": rows}


def _shown(value):
    """A text of the results or the claims with its control characters written out; markup as it is."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def sections(claims, sources):
    """The claims by sections of their sources: (letter of the source, section, rows)."""
    parts = []
    for letter, source in sources.items():
        for part in [*source["sections"], {"section": "", "title": "In no section of the list"}]:
            rows = claims[(claims["source"] == letter) & (claims["section"] == part["section"])]
            if len(rows):
                parts.append((letter, part, list(rows.itertuples())))
    return parts


def faults_of(claims):
    """The faults, the most severe first: the worst claim of each, and all claims that fail by it."""
    expected = claims[claims["status"] != REPORTED]
    by = {fault: list(rows.itertuples()) for fault, rows in expected.groupby("fault")}
    return [(worst, by[worst.fault]) for worst in faults(expected).itertuples()]


def findings(claims, headlines):
    """The findings that matter: the row of each, its sentence, and its rows on users' files."""
    rows = {row.claim: row for row in claims.itertuples()}  # of several datasets the built-in one is the last
    of_files = [row for row in claims.itertuples() if row.status == REPORTED]
    return [(rows[name], rows[name].headline, [row for row in of_files if row.claim == name]) for name in headlines]


def embedded(path):
    """A PNG file as a ``data:`` address."""
    return "data:image/png;base64," + base64.b64encode(Path(path).read_bytes()).decode("ascii")


if __name__ == "__main__":
    with job(snakemake) as logger:
        claims = read_verdicts(snakemake.input.claims)
        params, output = snakemake.params, snakemake.output
        sources, headlines, robustness = map(json.loads, (params.sources, params.headlines, params.robustness))
        images = {Path(path).stem: embedded(path) for path in snakemake.input.figures}
        text = page(claims, sources, headlines, images, robustness)
        write_text(text, output.page)
        write_text(page(claims, sources, headlines, {}, robustness), output.short)
        folder = Path(__file__).parents[1]
        texts = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("**/caption.rst"))]
        written = captions(params.captions, texts, claims, sources)
        for file, caption in params.captions.items():
            write_text(written[file], caption)
        write_text(front_page(claims, findings(claims, headlines), sources), output.front_page)
        logger.info("%d claims, %d figures, %.1f MB", len(claims), len(images), len(text) / 1e6)
