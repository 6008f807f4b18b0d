"""Where the workflow writes: its folders, and what killed jobs leave; tools/clean_results.py empties them.

Needs only Python.
"""

import glob

MADE = ("results", "figures", "data/generated", "data/downloads")
"""Folders for files that the workflow makes; the user's own files may be there too."""

OWN = ("logs", "benchmarks", ".snakemake")
"""Folders that only the workflow writes."""


def leftovers(path):
    """Temporary files that a killed job left for a path: see :func:`study.workflow.job.moved_into_place`."""
    pattern = f".{glob.escape(path.name)}-{'[a-z0-9_]' * 8}{glob.escape(''.join(path.suffixes))}"
    return [file for file in path.parent.glob(pattern) if file.is_file()]
