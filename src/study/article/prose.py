"""The prose of the article, and what it shows: the workflow asks before any job starts."""

COUNTS = "counts"
"""The table of the article that counts claims; the other tables are of the results."""


def tables_of(prose):
    """Names of the tables of the results that the article shows."""
    return [part["table"] for part in _parts(prose) if part.get("table", COUNTS) != COUNTS]


def figures_of(prose):
    """Names of the figures that the article shows."""
    return [name for part in _parts(prose) for name in part.get("figures", ())]


def _parts(prose):
    return [part for section in prose["sections"] for part in section["parts"] if isinstance(part, dict)]
