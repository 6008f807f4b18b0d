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
from study.claims.claims import FAILED, OURS, REBUILT, SEVERITIES
from study.claims.robustness_table import NEVER, summary
from study.claims.rows import select
from study.claims.verdicts import AS_EXPECTED, REPORTED, REPRODUCED, UNDECIDABLE
from study.claims.words import faults, filled, groups, read_verdicts, said, with_unit
from study.workflow.job import job, moved_into_place


def content(prose, claims, sources, tables, robustness, **software):
    """What the layout sets: the prose with its numbers, and the rows of tables and lists."""
    run = claims[claims["status"] != REPORTED]
    rows = {row.claim: row for row in run[run["status"] == AS_EXPECTED].itertuples()}
    counted = totals(run) | {"robustness": summary(robustness, claims["changes"])}
    rows |= {name: SimpleNamespace(status=AS_EXPECTED, **of) for name, of in (("all", counted), ("software", software))}
    lists = lists_of(claims, sources) | {"references": [entries([*titles(sources), *prose["references"]])]}

    def part(entry):
        entry = dict(entry) if isinstance(entry, dict) else {"text": entry}
        if not rows.keys() >= set(entry.pop("of", ())):
            return {}
        if name := entry.pop("list", None):
            return {"groups": lists[name]}
        if name := entry.pop("table", None):
            counts = name == COUNTS
            entry["cells"] = table_of_counts(run, sources) if counts else table(entry, tables[name], prose["names"])
        if "text" in entry:
            entry["text"] = filled(entry["text"], None, rows, {}, missing="")
        return entry

    def parts(entries):
        return [one for one in map(part, entries) if one and all(one.values())]

    def sections(of):
        return [section | {"parts": parts(section["parts"])} for section in of]

    document = {key: prose[key] for key in ("title", "authors")} | {"abstract": parts(prose["abstract"])}
    document |= {key: sections(prose[key]) for key in ("sections", "unnumbered")}
    return document | {"appendix": prose["appendix"] | {"groups": lists[prose["appendix"]["list"]]}}


def totals(claims):
    """How many claims the sources make, how they fare, and how many claims are ours."""
    ours = claims[claims["source"] == OURS]
    own = claims[(claims["source"] != OURS) & (claims["excerpt"] != "quoted")]
    of_verdict, failed = own["verdict"].value_counts(), faults(own)
    kinds = [f"{kind} {(failed['severity'] == kind).sum()}" for kind in reversed(SEVERITIES)]
    return {
        "claims": len(own),
        "holding": of_verdict.get(REPRODUCED, 0),
        "failing": own["verdict"].isin(FAILED).sum(),
        "undecided": of_verdict.get(UNDECIDABLE, 0),
        "rebuilt": own["excerpt"].isin(REBUILT).sum(),
        "faults": len(failed),
        "severities": ", ".join(kinds),
        "rebuilt_faults": failed["excerpt"].isin(REBUILT).sum(),
        "ours": len(ours),
        "ours_holding": (ours["verdict"] == REPRODUCED).sum(),
    }


def table_of_counts(claims, sources):
    """Rows of a table on each who makes claims, with a head."""
    parts = groups(claims, sources)
    head = ["Source", "claims", "rebuilt", "hold", "undecidable", *SEVERITIES]
    numbers = [[len(of), of["excerpt"].isin(REBUILT).sum()] for of in parts.values()]
    numbers = [
        [*two, *((of["verdict"] == verdict).sum() for verdict in (REPRODUCED, UNDECIDABLE))]
        + [(faults(of)["severity"] == name).sum() for name in SEVERITIES]
        for two, of in zip(numbers, parts.values(), strict=True)
    ]
    return [head, *([name, *map(str, row)] for name, row in zip(parts, numbers, strict=True))]


def table(entry, rows, names):
    """Cells of a table of the results as an entry of the prose asks for them; where there is no number, why."""
    cells = []
    for row in select(rows, entry["where"], "of the article").replace(names).to_dict("records"):
        texts = [form.format(**row) for form in entry["columns"].values()]
        cells.append([row["status"] if "nan" in text else text for text in texts])
    return [list(entry["columns"]), *cells] if cells else []


def lists_of(claims, sources):
    """By name the lists of claims, each in groups with a title."""
    run, of_files = claims[claims["status"] != REPORTED], claims[claims["status"] == REPORTED]
    own, ours = run[run["source"] != OURS], run[run["source"] == OURS]

    def by(rows, column, title=str, **texts):
        parts = rows.groupby(column, sort=False)
        return [entries([item(row, **texts) for row in of.itertuples()], title(name)) for name, of in parts]

    def name(letter):
        return sources[letter]["name"]

    findings = own["finding"].where(own["status"] == AS_EXPECTED, "")
    reasons = ("Not decided: " + own["reason"] + ". ").where(own["reason"] != "", "") + findings
    changing = run[~run["changes"].isin(["", NEVER])]
    other = run[run["status"] != AS_EXPECTED]
    excerpts = [{"title": name(letter), "text": sources[letter]["excerpts"]} for letter in sources if letter != OURS]
    lists = {"excerpts": [entries(excerpts)], "faults": list_of_faults(own, sources)}
    lists["holding"] = by(own[own["verdict"] == REPRODUCED], "source", name, text="")
    lists["undecided"] = by(own[own["verdict"] == UNDECIDABLE].assign(finding=reasons), "source", name)
    lists["ours"] = by(ours.assign(place=""), "section")
    lists["changing"] = by(changing.assign(finding=changing["changes"]), "verdict", values=False)
    said_of = "In this run " + other["verdict"] + ", expected " + other["expected_verdict"] + "."
    other = other.assign(finding=said_of, place="")
    lists["different"] = by(other, "status", "Not as expected: {}".format, values=False)
    said_of = [f"{said(row)}. {row.reason}" for row in of_files.itertuples()]
    return lists | {"files": by(of_files.assign(finding=said_of), "dataset", "On the file of the user: {}".format)}


def list_of_faults(claims, sources):
    """The faults, the most severe first; claims that fail by one fault together, under its name."""
    lists = {}
    for worst in faults(claims).itertuples():
        source = sources[worst.source]
        items = [item(row, f"{source['name']}, ") for row in claims[claims["fault"] == worst.fault].itertuples()]
        title = source.get("faults", {}).get(worst.fault)
        heading = [{"text": f"One fault: {title}."}] if title else []
        lists.setdefault(worst.severity or worst.verdict, []).extend(heading + items)
    return [entries(items, f"Faults: {kind}") for kind, items in lists.items()]


def entries(items, title=""):
    return {"title": title, "items": [one if isinstance(one, dict) else {"text": one} for one in items]}


def item(row, before="", text=None, values=True):
    """A claim in a list: its title, its place, what was measured and accepted, and more."""
    how = " (rebuilt by us)" if row.excerpt in REBUILT else " (quoted from others)" if row.excerpt == "quoted" else ""
    measured = f"Measured: {with_unit(row)}. Accepted: {row.accepted}."
    texts = {"title": row.title, "place": f"{before}{row.place}{how}".strip(), "values": measured if values else ""}
    return texts | {"text": " ".join((row.finding if text is None else text).split())}


def titles(sources):
    return [source["title"] for letter, source in sources.items() if letter != OURS]


def pdf(document, figures):
    """The article; its bytes depend neither on the day nor on the folder nor on fonts of the machine."""
    with tempfile.TemporaryDirectory() as folder:
        layout = Path(__file__).with_name("article.typ")
        for path in (layout, *figures):
            shutil.copy(path, folder)
        Path(folder, "article.json").write_text(json.dumps(document, default=int), encoding="utf-8")
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
