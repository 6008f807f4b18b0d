"""The rows of the catalogue that an audit uses."""

from study.workflow.mechanism_catalogue import Row, class_rows, names


def audited(space):
    """The rows of the mechanisms of a space, and one through which the digest covers its cases."""
    cases = Row(mechanism=f"study.experiments.audit.cases:{space}_cases")
    return {**class_rows(names(space)), "cases": cases}
