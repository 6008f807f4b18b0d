"""What the report of a run shows: its sections, and the captions of figures and tables.

``snakemake --report`` sorts categories, the sections in them and results by name. That is why names begin
with numbers. Captions have the verdicts of the run. The rule of the page of the claims writes them, and no
report is written if one is older than what it speaks of.
"""

import os
import re
from pathlib import Path

from snakemake.io import report

from study.workflow.job import InputError

CLAIMS = "results/claims.csv"
FRONT_PAGE = "results/captions/report.rst"
PARTS = {
    "claims": "1 Claims",
    "A": "2 Paper A, directional data",
    "B": "3 Paper B, rotations",
    "N": "4 The note, vectors",
    "beyond": "5 Beyond the papers",
    "checkins": "6 Check-ins",
    "provenance": "7 Configuration and provenance",
}

KINDS = {".png": "Figure: ", ".csv": "Table: "}


class Contents:
    """The figures and tables that the report shows.

    ``sources`` are the papers and the note by their letters, of :func:`study.claims.claims.read_claims`.
    ``captions`` has, by file that the report shows, the file of its caption with the verdicts.
    """

    def __init__(self, sources):
        self.captions = {}
        self._sections = {letter: _numbered(source["sections"]) for letter, source in sources.items()}

    def figure(self, name, part, section=None):
        """The two files of a figure; the report shows the PNG."""
        return [self.shown(f"figures/{name}.png", part, section), f"figures/{name}.pdf"]

    def shown(self, path, part, section=None):
        """A file that the report shows in a part of it: in a section of a source, or under a heading."""
        if part in self._sections and section not in self._sections[part]:
            raise InputError(f"{path}: config/claims/{part}.yaml has no section {section!r}")
        caption, rests_on = caption_of(path), [path]
        if part != "provenance":
            self.captions[path] = caption
            rests_on.append(CLAIMS)
        return report(
            path,
            caption=os.path.abspath(caption),  # Snakemake would look for it beside the rules
            category=PARTS[part],
            subcategory=self._sections.get(part, {}).get(section, section),
            labels=lambda wildcards: {"result": KINDS.get(Path(path).suffix, "") + title(caption, rests_on)},
        )


def caption_of(path):
    """Where the caption of a file is."""
    return f"results/captions/{path.removeprefix('results/')}.rst"


def _numbered(parts):
    """By section of a source its heading, which begins with its number, or with its place if it has none."""
    headings, digits = {}, len(str(len(parts)))
    for place, part in enumerate(parts, 1):
        number = re.search(r"([A-Z][.])?\d[.\d]*$|^Appendix \w$", part["section"])
        headings[part["section"]] = f"{number[0] if number else f'{place:0{digits}}'} {part['title']}"
    return headings


def title(caption, rests_on):
    """The title of a figure or table, the first line of its caption; only the report asks for it."""
    hint = "run the study first, as `make report` does"
    if not Path(caption).exists():
        raise InputError(f"{caption} is missing: {hint}")
    if newer := [file for file in rests_on if os.stat(file).st_mtime_ns > os.stat(caption).st_mtime_ns]:
        raise InputError(f"{newer[0]} is newer than what {caption} says of it: {hint}")
    with open(caption, encoding="utf-8") as lines:
        return lines.readline().removeprefix(".. ").strip()
