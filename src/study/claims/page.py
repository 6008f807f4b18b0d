"""Rule write_claims_page: the claims with their figures as one HTML file, to be opened from disk.

The page loads nothing from the network, and works without scripts too. Its template is ``page.html.j2``,
which includes ``page.css`` and ``page.js``.
"""

import base64
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from study.claims.verdicts import AS_EXPECTED
from study.claims.words import counts, interval, read_found
from study.core.job import job, moved_into_place


def page(found, sources, images, summary):
    """The whole page as text; ``images`` maps names of figures to ``data:`` addresses."""
    loader = FileSystemLoader(Path(__file__).parent)
    templates = Environment(loader=loader, undefined=StrictUndefined, autoescape=True, trim_blocks=True)
    said = {"found": list(found.itertuples()), "sources": sources, "images": images, "summary": summary}
    template = templates.get_template("page.html.j2")
    return template.render(said, interval=interval, AS_EXPECTED=AS_EXPECTED) + "\n"


def embedded(path):
    """A PNG file as a ``data:`` address."""
    return "data:image/png;base64," + base64.b64encode(Path(path).read_bytes()).decode("ascii")


if __name__ == "__main__":
    with job(snakemake) as logger:
        found = read_found(snakemake.input.claims)
        images = {Path(path).stem: embedded(path) for path in snakemake.input.figures}
        text = page(found, snakemake.params.sources, images, counts(found))
        with moved_into_place(snakemake.output[0]) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
        logger.info("%d claims, %d figures, %.1f MB", len(found), len(images), len(text) / 1e6)
