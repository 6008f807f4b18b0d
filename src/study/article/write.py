"""Rule write_article: the article of a run as PDF, set by Typst.

``article.yaml`` has the prose, and says where tables, figures and lists of claims stand; ``article.typ`` has the
layout. Numbers come from ``results/`` alone. No text of them is markup.
"""

import json
import shutil
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import typst

from study.article.prose import COUNTS
from study.claims.claims import OURS, REBUILT, SEVERITIES
from study.claims.robustness_table import summary
from study.claims.rows import select
from study.claims.verdicts import AS_EXPECTED, REPORTED, REPRODUCED, UNDECIDABLE
from study.claims.words import NUMBERS, faults, filled, groups, read_verdicts, with_unit
from study.workflow.job import job, moved_into_place


def content(prose, claims, sources, tables, robustness, **software):
    """What the layout sets: the prose with its numbers, the rows of tables, and the claims for its lists."""
    run = claims[claims["status"] != REPORTED]
    own = run[(run["source"] != OURS) & (run["excerpt"] != "quoted")]
    counts = {"all": totals(own), "ours": totals(run[run["source"] == OURS]), "software": software}
    counts["all"]["severities"] = ", ".join(f"{kind} {counts['all'][kind]}" for kind in reversed(SEVERITIES))
    counts["all"]["robustness"] = summary(robustness, claims["changes"])
    rows = {row.claim: row for row in run[run["status"] == AS_EXPECTED].itertuples()}
    rows |= {name: SimpleNamespace(status=AS_EXPECTED, **numbers) for name, numbers in counts.items()}

    def part(entry):
        entry = dict(entry) if isinstance(entry, dict) else {"text": entry}
        if not rows.keys() >= set(entry.pop("of", ())):
            return {}
        if name := entry.get("table"):
            cells = table_of_counts(run, sources) if name == COUNTS else table(entry, tables[name], prose["names"])
            entry["cells"] = cells
        if "text" in entry:
            entry["text"] = filled(entry["text"], None, rows, {}, missing="")
        return entry

    def parts(entries):
        return [one for one in map(part, entries) if one and all(one.values())]

    texts = [column for column in claims if column not in NUMBERS]
    measured, rebuilt = list(map(with_unit, claims.itertuples())), claims["excerpt"].isin(REBUILT)
    lists = {"claims": claims[texts].assign(measured=measured, rebuilt=rebuilt)}
    lists["faults"] = faults(run[run["source"] != OURS])[["fault", "source", "severity", "verdict"]]
    sections = [section | {"parts": parts(section["parts"])} for section in prose["sections"]]
    document = prose | {"sources": sources, "abstract": parts(prose["abstract"]), "sections": sections}
    return document | {name: rows.to_dict("records") for name, rows in lists.items()}


def totals(claims):
    """How many claims there are, how they fare, and how many faults of each severity they have."""
    verdicts, failed = claims["verdict"].value_counts(), faults(claims)
    hold, undecidable = (verdicts.get(verdict, 0) for verdict in (REPRODUCED, UNDECIDABLE))
    numbers = {"claims": len(claims), "rebuilt": claims["excerpt"].isin(REBUILT).sum()}
    numbers |= {"hold": hold, "undecidable": undecidable, "fail": len(claims) - hold - undecidable}
    numbers |= {"faults": len(failed), "rebuilt_faults": failed["excerpt"].isin(REBUILT).sum()}
    return numbers | {kind: (failed["severity"] == kind).sum() for kind in SEVERITIES}


def table_of_counts(claims, sources):
    """Rows of a table on each who makes claims, with a head."""
    rows = {name: totals(own) for name, own in groups(claims, sources).items()}
    return [["", *next(iter(rows.values()))], *([name, *map(str, row.values())] for name, row in rows.items())]


def table(entry, rows, names):
    """Cells of a table of the results as an entry of the prose asks for them; where there is no number, why."""
    cells = []
    for row in select(rows, entry["where"], "of the article").replace(names).to_dict("records"):
        texts = [form.format(**row) for form in entry["columns"].values()]
        cells.append([row["status"] if "nan" in text else text for text in texts])
    return [list(entry["columns"]), *cells] if cells else []


def pdf(document, figures):
    """The article; its bytes depend neither on the day nor on the folder nor on fonts of the machine."""
    with tempfile.TemporaryDirectory() as folder:
        layout = Path(__file__).with_name("article.typ")
        for path in (layout, *figures):
            shutil.copy(path, folder)
        Path(folder, "article.json").write_text(json.dumps(document, default=int, allow_nan=False), encoding="utf-8")
        return typst.compile(Path(folder, layout.name), root=folder, ignore_system_fonts=True)


if __name__ == "__main__":
    with job(snakemake) as logger:
        params = snakemake.params
        claims = read_verdicts(snakemake.input.claims)
        tables = {path.removeprefix("results/"): pd.read_csv(path) for path in snakemake.input.tables}
        prose, sources, robustness = map(json.loads, (params.prose, params.sources, params.robustness))
        software = {"version": params.version, "commit": params.commit}
        document = content(prose, claims, sources, tables, robustness, **software)
        with moved_into_place(snakemake.output[0]) as temporary:
            temporary.write_bytes(pdf(document, snakemake.input.figures))
            logger.info("%.1f MB", temporary.stat().st_size / 1e6)
