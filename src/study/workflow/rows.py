"""The rows of the catalogue that a job uses: only those that its rule passes."""

import importlib

_handed = None


def hand(rows):
    """Let this process use only these rows of the catalogue.

    The rows are a parameter of the job: Snakemake detects a changed row, and a job without its row fails.
    """
    global _handed
    _handed = dict(rows)


def rows(*spaces):
    """The rows of some spaces, or all rows, by name. Outside a job they come from the whole catalogue."""
    # imported by name, so that the digest of a script does not cover the whole table
    found = importlib.import_module("study.workflow.catalogue").CATALOGUE if _handed is None else _handed
    return {name: row for name, row in found.items() if not spaces or set(spaces) & set(row.spaces)}


def row(name):
    """The row with this name."""
    found = rows()
    if name not in found:
        raise LookupError(
            f"the job was not handed the row of '{name}', but of {', '.join(found) or 'none'}; name it in "
            "the parameter 'rows' of the job's rule, and in study.workflow.catalogue if it is not there"
        )
    return found[name]
