"""Rule write_claims_page: the claims as one file of HTML with their figures in it, to be opened from disk."""

import base64
from pathlib import Path

from study.claims.page import page
from study.claims.words import counts, read_found
from study.core.job import job, moved_into_place


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
