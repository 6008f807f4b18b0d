"""The rows of the catalogue that a job uses: only those that its rule passes."""

import contextlib
import importlib

_of_job = None  # outside a job all rows can be used


@contextlib.contextmanager
def job_rows(rows):
    """Within the body, this process uses only these rows of the catalogue; without its row a job fails."""
    global _of_job  # of all threads of the process
    before, _of_job = _of_job, dict(rows)
    try:
        yield
    finally:
        _of_job = before


def rows(*spaces):
    """The rows of some spaces, or all rows, by name. Outside a job they come from the whole catalogue."""
    # imported by name, so that the digest of a script does not cover the whole table
    table = importlib.import_module("study.workflow.mechanism_catalogue").CATALOGUE if _of_job is None else _of_job
    return {name: row for name, row in table.items() if not spaces or set(spaces) & set(row.spaces)}


def row(name):
    """The row with this name."""
    table = rows()
    if name not in table:
        raise LookupError(
            f"the job did not receive the row of '{name}', but of {', '.join(table) or 'none'}; name it in "
            "the parameter 'rows' of the job's rule, and in study.workflow.mechanism_catalogue if it is not there"
        )
    return table[name]
