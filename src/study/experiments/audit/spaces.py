"""Which rows of the catalogue an audit uses."""

from study.core.catalogue import Row, classes, names


def audited(space):
    """The rows of the mechanisms of a space, and one for the function that lists its cases, for the digest."""
    cases = Row(mechanism=f"study.experiments.audit.cases:{space}_cases")
    return {**classes(names(space)), "cases": cases}
