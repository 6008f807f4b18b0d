"""The captions of the report: what is seen, and the verdicts of this run on the claims that are seen there.

A ``caption.rst`` beside the rules of an experiment says what is seen. It begins with what all its figures and
tables share. Then each has an entry, such as ``figures/name.png : title``, with indented text below. Captions
are templates of Jinja: Snakemake fills in values of the configuration.
"""

import re
import textwrap
from pathlib import Path

from study.claims.verdicts import CHANGED, OPEN, REPORTED
from study.claims.words import counts, said, with_unit
from study.workflow.job import InputError
from study.workflow.printable import escaped

PAGE = "results/claims_without_figures.html"
_FRONT = """\
What the papers claim, and what we measured
===========================================

{claims} claims. {counts}. Every verdict is computed from the tables of this run. *1 Claims* has the page of
all claims. *2* to *4* have figures and tables under the sections of the sources, *5* what goes beyond them,
*6* the check-ins, *7* the configuration and the versions.

The eye shows a figure and saves a table; the circle with the i says what is seen and which claims held.
"""
_ENTRY = re.compile(r"^(\S+[.]\w+) : (.+)\n((?:    .*\n|\n)+)", re.M)


def descriptions(texts):
    """By file its title and what is seen, from texts of ``caption.rst``.

    >>> descriptions(["All draws.\\n\\nfigures/a.png : Errors\\n    Errors over ε.\\n"])
    {'figures/a.png': ('Errors', 'Errors over ε.\\n\\nAll draws.')}
    """
    entries = {}
    for text in texts:
        shared = _ENTRY.split(text)[0].strip()
        for file, title, description in _ENTRY.findall(text):
            entries[file] = title, f"{textwrap.dedent(description).strip()}\n\n{shared}".strip()
    return entries


def captions(files, texts, claims, sources):
    """By file its caption in reStructuredText; ``claims`` is the table of all claims."""
    described = descriptions(texts)
    if missing := [file for file in files if file not in described]:
        raise InputError(f"no caption.rst has an entry of {', '.join(missing)}")
    return {file: caption(file, *described[file], claims, sources) for file in files}


def caption(file, title, description, claims, sources):
    """The caption of one file; its first line is its title, as a comment."""
    parts = [f".. {title}", description]
    if file.endswith(".png"):
        parts.append(f"For print: ``{file.removesuffix('png')}pdf``.")
    if file.endswith(".csv"):
        header, *rows = Path(file).read_text(encoding="utf-8").splitlines()
        names = header.split(",")
        columns = ", ".join(f"``{name}``" for name in names)
        unit = "; ``unit`` is the unit of ``value``" if {"unit", "value"} <= set(names) else ""
        parts.append(f"{len(rows)} rows. Columns: {columns}{unit}.")
    if file in (PAGE, "results/claims.csv", "figures/claims.png"):
        parts.append(f"{claims['claim'].nunique()} claims. {escaped(counts(claims, sources))}.")
    else:
        column = "figure" if file.endswith(".png") else "measured_in"
        parts.append(verdicts(claims[claims[column] == file], sources))
    return "\n\n".join(parts) + "\n"


def verdicts(claims, sources):
    """Claims with their verdicts as a list, in reStructuredText."""
    if claims.empty:
        return "**Claims.** None of the sources is judged by this."
    lines = [f"**Claims.** {escaped(counts(claims, sources))}:", ""]
    for row in claims.itertuples():
        severity = f" ({row.severity})" if row.severity else ""
        on = f" on {row.dataset}, your file" if row.status == REPORTED else ""
        changed = f" ({row.status}: expected {row.expected_verdict})" if row.status in (CHANGED, OPEN) else ""
        value = with_unit(row)
        text = f"{row.title} [{sources[row.source]['name']}, {row.place}]. Measured: {value}. "
        text += f"Accepted: {row.accepted}." + (f" Reason: {row.reason}." if row.reason else "")
        lines.append(f"- **{said(row)}**\\ {escaped(severity + on + changed)}: {escaped(text)}")
    return "\n".join([*lines, "", f"`All claims <javascript:app.showResultInfo('{PAGE}')>`__"])


def front_page(claims, findings, sources):
    """The first page of the report: what it is, the findings that matter, and what is where."""
    lines = [_FRONT.format(claims=claims["claim"].nunique(), counts=escaped(counts(claims, sources)))]
    for place, (row, text, of_files) in enumerate(findings, 1):
        others = "".join(
            f" On {other.dataset}: {', '.join(filter(None, (other.verdict, other.reason)))}." for other in of_files
        )
        where = f" ({sources[row.source]['name']}, {row.place})"
        lines.append(f"{place}. **{row.verdict}**: {escaped(f'{row.title}{where}. {text}{others}')}")
    return "\n".join(lines) + "\n"
