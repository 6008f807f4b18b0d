"""Functions that the rules of the workflow call: digests of code, names of files, threads.

They are here and not beside the rules, because all rules share one namespace.
"""

import contextlib
import hashlib
from pathlib import Path

from snakemake.exceptions import WorkflowError

from study.workflow.code_digest import SOURCE, Modules, code_digest, imports
from study.workflow.job import InputError
from study.workflow.mechanism_catalogue import CATALOGUE, sources
from study.workflow.own_mechanisms import environment_mechanisms, is_own

MODULES = Modules()


def digest_of(script, roots=()):
    """Digest of the code that a script and ``roots`` reach; of files of one's own the bytes, and what they import."""
    files = {root.partition(":")[0] for root in roots if is_own(root)}
    own = [one for one in environment_mechanisms() if one.path.name in files] if files else []
    names = {name.rpartition(".") for one in own for _, name in imports(one.tree(), "")}
    reached = [f"{module}:{symbol}" for module, _, symbol in sorted(names) if MODULES.file(module)]
    digest = code_digest(script, [*(root for root in roots if not is_own(root)), *reached], modules=MODULES)
    parts = [digest, *sorted({one.sha256 for one in own})]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16] if own else digest


def digests_of(workflow):
    """Return the function ``digest(script, *rows, **of_wildcards)`` that rules call in ``params:``.

    Snakemake does not detect an edit of an imported module, but it detects a changed parameter: the digest of
    all code that a script beside the rule reaches. Imports do not show what a script looks up by name. So
    ``digest("compute.py", rows)`` also covers the classes of rows of the catalogue, and
    ``digest("simulate.py", mechanism=class_rows)`` those of the rows ``class_rows(value)``, where
    ``value`` is that of the rule's wildcard ``mechanism``.
    """

    def digest(script, *rows, **of_wildcards):
        path = Path(workflow.current_basedir) / script
        if not of_wildcards:
            return digest_of(path, sources(*rows))

        def job_digest(wildcards):
            more = [rows_of(wildcards[name]) for name, rows_of in of_wildcards.items()]
            return digest_of(path, sources(*rows, *more))

        return job_digest

    return digest


def digests_by_rule(workflow):
    """The digest of each rule's script, by the name of the rule, and of each class of the catalogue."""
    scripts = {rule.name: Path(rule.basedir) / rule.script for rule in workflow.rules if rule.script}
    digests = {name: digest_of(path) for name, path in scripts.items() if path.is_relative_to(SOURCE)}
    finder = SOURCE / "study/simulation/mechanisms.py"
    roots = {name: sources({name: row}) for name, row in CATALOGUE.items()}
    return digests | {name: digest_of(finder, classes) for name, classes in roots.items() if classes}


def sum_of(*paths):
    """Sixteen hexadecimal digits of the content of files that a script reads from its own folder."""
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()[:16]


@contextlib.contextmanager
def readable_errors():
    """Turn an :class:`InputError` into Snakemake's own error: its message, before any job starts."""
    try:
        yield
    except InputError as error:
        raise WorkflowError(str(error)) from None


def beside(tables, ending):
    """The files beside tables: the same names with another ending."""
    return [path.removesuffix(".csv") + ending for path in tables]


def all_cores(workflow):
    """Threads of a rule that must run alone: all cores of this machine, or one if their number is unknown.

    On a cluster the number of cores is not that of a node. There the rule asks for its one thread, and the
    profile asks for a node that no other job uses.
    """
    return lambda wildcards: (workflow.local_exec and workflow.resource_settings.cores) or 1
