"""Read ``config/claims.yaml``; without pandas, as the workflow reads it before any job starts."""

from pathlib import Path

import yaml

from study.configuration import check
from study.core.job import InputError


class _OnceLoader(yaml.SafeLoader):
    """Refuses a key that stands twice, of which YAML would silently keep the second."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = [key for position, key in enumerate(keys) if key in keys[:position]]
        if twice:
            raise yaml.constructor.ConstructorError(
                None, None, f'the key "{twice[0]}" stands twice; rename one', node.start_mark
            )
        return super().construct_mapping(node, deep)


def read_claims(path, schema):
    """The sources and the claims, checked.

    Parameters
    ----------
    path, schema : path
        ``config/claims.yaml`` and ``config/claims_schema.yaml``.

    Returns
    -------
    dict
        ``sources`` and ``claims``, each by name, in the order of the file.

    Raises
    ------
    InputError
        With one line for each problem, if the file cannot be used.
    """
    name = Path(path).name
    try:
        found = yaml.load(Path(path).read_text(encoding="utf-8"), _OnceLoader)
    except yaml.YAMLError as error:
        raise InputError(f"{name} cannot be read: {' '.join(str(error).split())}") from error
    try:
        check(found, schema)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    unknown = {key: claim["source"] for key, claim in found["claims"].items()}
    unknown = {key: source for key, source in unknown.items() if source not in found["sources"]}
    if unknown:
        key, source = next(iter(unknown.items()))
        known = ", ".join(found["sources"])
        raise InputError(f"{name}: the source {source} of claims.{key} is not among the sources {known}")
    return found


def tables_of(claims):
    """Paths of the tables that claims are measured in."""
    measures = [claim["measure"] for claim in claims.values()]
    names = {measure["table"] for measure in measures}
    names |= {measure["against"]["table"] for measure in measures if "table" in measure.get("against", {})}
    return sorted(f"results/{name}" for name in names)


def figures_of(claims):
    """Paths of the figures that show claims, as PNG."""
    return sorted({f"figures/{claim['figure']}.png" for claim in claims.values()})
