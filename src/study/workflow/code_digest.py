"""One short digest of the source code that a rule uses, for its ``params:``.

Snakemake does not detect a change in an imported module nor, with the triggers of ``profiles/default``, in
the script. So every rule passes the digest of what its script can reach: top-level symbols (functions,
classes, assignments), without comments, layout, docstrings and annotations. The digest follows names
through imports and re-exports, and imports nothing. Of NumPy and the like, only the name counts.

Python's compiler says which names a statement reads. It does not distinguish attributes from global names:
either kind reaches the symbol of that name. If a statement names nothing in a module that it uses, as in
``getattr(distributions, name)``, the whole module counts. What Python runs on import always counts: the
``__init__.py`` files above each module and, in every module on the way, the top-level statements that do more
than define names (``if``, ``try``, calls, ``registry[key] = ...``). A folder with a stub, ``__init__.pyi``,
imports what the stub lists when it is first used: such a name is followed as an import is.

The digest misses names made from strings (``importlib.import_module``) and what a decorator registers: name
those as extra roots. It also misses what an annotation does at run time (``ClassVar``). A script must lie
below the source. ``tools/explain_digest.py`` lists the symbols.
"""

import ast
import contextlib
import difflib
import dis
import functools
import hashlib
import importlib.util
import marshal
import os
import sys
from operator import or_
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
TOP_LEVEL = "<top level>"  # the symbol under which statements that do more than define names are listed
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)


def code_digest(script, roots=(), source=SOURCE, modules=None):
    """Sixteen hexadecimal digits of the code that a script and ``roots`` (``"module:symbol"``) reach.

    Digests of the same files can share ``modules``: see :class:`Modules`.
    """
    modules = modules or Modules(Path(source).resolve())
    digests = sorted(modules.digests[place] for place in _reached(script, roots, modules))
    return hashlib.sha256(b"".join(digests)).hexdigest()[:16]


def entries(script, roots=(), source=SOURCE, modules=None):
    """Set of (module, symbol, code) that the script and the roots reach."""
    modules = modules or Modules(Path(source).resolve())
    return {modules.entries[place] for place in _reached(script, roots, modules)}


class Modules:
    """The modules below a source. Each file that is used is read once, each use of a name followed once.

    A use is a dotted name, the names of the statement that uses it, and the script, if the name is one of the
    script's.
    """

    def __init__(self, source=SOURCE):
        self.source = source
        self.files = {path.relative_to(source).as_posix() for path in source.rglob("*")}
        self.table = functools.cache(self._table)
        self.entries, self.digests, self.places = [], [], {}
        self.reached = {}  # by each use: a number, whose bits are the places of the entries

    def reach(self, uses):
        """Places of the entries that these uses reach."""
        new, further = list(uses), {}
        while new:
            use = new.pop()
            if use not in self.reached:
                entries, further[use] = self._follow(*use)
                self.reached[use] = functools.reduce(or_, (1 << self._place(entry) for entry in entries), 0)
                new += further[use]
        grows = True
        while grows:  # uses go in circles
            grows = False
            for use in reversed(further):  # mostly, what is further away comes later
                reached = functools.reduce(or_, map(self.reached.get, further[use]), self.reached[use])
                grows |= reached != self.reached[use]
                self.reached[use] = reached
        bits = f"{functools.reduce(or_, map(self.reached.get, uses), 0):b}"[::-1]
        return [place for place, bit in enumerate(bits) if bit == "1"]

    def _place(self, entry):
        if entry not in self.places:
            self.places[entry] = len(self.entries)
            self.entries.append(entry)
            self.digests.append(hashlib.sha256("\t".join(entry).encode()).digest())
        return self.places[entry]

    def has(self, module):
        """Whether a module or package is part of the source; asking does not read it."""
        path = module.replace(".", "/")
        return f"{path}.py" in self.files or path in self.files

    def _table(self, module, is_script=False):
        """What each name of a module refers to; empty if it is not part of the source."""
        path = module.replace(".", "/")
        for file, package in ((f"{path}/__init__.py", module), (f"{path}.py", module.rpartition(".")[0])):
            if file in self.files:
                path, stub = self.source / file, f"{file}i"
                face = (self.source / stub).read_bytes() if stub in self.files else b""
                return _kept_table(path, path.read_bytes(), face, package, is_script)
        return {TOP_LEVEL: []} if path in self.files else {}

    def _follow(self, target, names, script=""):
        """Entries that a dotted name is, and its further uses, for a statement with these names."""
        module, _, name = target.rpartition(".")
        table = self.table(module, module == script)
        above = module.rpartition(".")[0] if name == TOP_LEVEL else target
        entries, uses = [], {(f"{above}.{TOP_LEVEL}", frozenset())}  # what Python runs on import
        for meaning in table.get(name, ()):
            if isinstance(meaning, str):
                uses.add((meaning, names))
                if name != TOP_LEVEL and not self.has(meaning.partition(".")[0]):
                    # what the name refers to is code, too
                    entries.append((module, name, f"import {meaning}"))
            else:
                code, read = meaning
                entries.append((module, name, code))
                uses.update((f"{module}.{one}", read) for one in table.keys() & {"*", *read})
        if self.has(target):
            table = self.table(target, target == script)
            inside = [n for n in names if n in table or self.has(f"{target}.{n}")]
            uses.update((f"{target}.{n}", names if inside else frozenset()) for n in inside or table)
        elif table and name not in table:  # made at run time, from anything in the module
            uses.add((module, frozenset()))
        return entries, [(used, names, _own(used, script)) for used, names in uses]


def _own(name, script):
    """The script, if it has this dotted name, and nothing otherwise."""
    return script if script and f"{name}.".startswith(f"{script}.") else ""


def _reached(script, roots, modules):
    """Places of the entries of ``modules`` that the script and the roots reach."""
    script = Path(script).resolve()
    if not script.is_file():
        raise FileNotFoundError(f"code_digest: there is no script {script}")
    script = ".".join(script.relative_to(modules.source).with_suffix("").parts).removesuffix(".__init__")
    table = modules.table(script, True)
    own = [name for name, means in table.items() if any(isinstance(m, tuple) for m in means)]
    uses = [(f"{script}.{name}", frozenset(), script) for name in [TOP_LEVEL, *own]]
    for root in roots:
        name, names = _root(root, modules)
        uses.append((name, names, _own(name, script)))
    return modules.reach(uses)


def _root(root, modules):
    """The dotted name of a root, and its attributes."""
    module, _, symbol = root.partition(":")
    first, *rest = symbol.split(".")
    if not module or not symbol:
        raise ValueError(f'code_digest: root "{root}" must look like "package.module:symbol"')
    if not modules.has(module):
        raise ValueError(f'code_digest: root "{root}" names no module below {modules.source}')
    if first not in (table := modules.table(module)) and not modules.has(f"{module}.{first}"):
        names = sorted(filter(str.isidentifier, table))
        close = difflib.get_close_matches(first, names, n=1)
        hint = f'did you mean "{module}:{close[0]}"?' if close else f"it has {', '.join(names)}"
        raise ValueError(f'code_digest: root "{root}" names no symbol of {module}; {hint}')
    return f"{module}.{first}", frozenset(rest)


@functools.cache
def _kept_table(path, text, face, package, is_script):
    """The table of a file, kept beside its bytecode as Python keeps that; what it was made from decides."""
    made_from = hashlib.sha256(b"\0".join([_own_text(), package.encode(), face, text])).digest()
    kept = Path(importlib.util.cache_from_source(path)).with_suffix(".script" if is_script else ".table")
    with contextlib.suppress(OSError, ValueError, EOFError, TypeError):  # not there, or broken
        origin, table = marshal.loads(kept.read_bytes())
        if origin == made_from:
            return table
    table = _table(text, face, package, is_script)
    if not sys.dont_write_bytecode:
        with contextlib.suppress(OSError):
            kept.parent.mkdir(exist_ok=True)
            temporary = kept.with_name(f"{kept.name}.{os.getpid()}")
            temporary.write_bytes(marshal.dumps((made_from, table)))
            temporary.replace(kept)
    return table


@functools.cache
def _own_text():
    return Path(__file__).read_bytes()


@functools.cache
def _table(text, face, package, is_script):
    """What each name of a module refers to: statements (code, names in it) and imported dotted names.

    ``face`` is the stub of a folder, which imports each of its names when it is first used.
    """
    table, tree = {TOP_LEVEL: []}, ast.parse(text)
    for node in ast.parse(face).body:
        for local, target in _imports(node, package) if isinstance(node, ast.ImportFrom) else ():
            table.setdefault(local, []).append(target)
    for node in tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'" and not is_script:
            continue
        if _is_text(node):
            continue
        imports = []
        for part in ast.walk(node):
            if isinstance(part, ast.Import | ast.ImportFrom):
                imports += _imports(part, package)
            _drop_docstring_and_annotations(part)
        for local, target in imports:
            table.setdefault(local, []).append(target)
            table[TOP_LEVEL].append(f"{target}.{TOP_LEVEL}")
        if isinstance(node, ast.Import | ast.ImportFrom | ast.Pass):
            continue
        codes = [compile(ast.Module([node], []), package, "exec", optimize=0)]
        bound = [step.argval for step in dis.get_instructions(codes[0]) if step.opname == "STORE_NAME"]
        for code in codes:  # the loop appends the functions and classes inside
            codes += [constant for constant in code.co_consts if hasattr(constant, "co_names")]
        names = {name for code in codes for name in code.co_names} | {local for local, _ in imports}
        statement = ast.dump(node), frozenset(names - {"__init__"})  # the method is not the file of a package
        places = [part for target in getattr(node, "targets", ()) for part in ast.walk(target)]
        defines = isinstance(node, DEFINITIONS) and bound and not any(hasattr(p, "value") for p in places)
        for name in bound:
            table.setdefault(name, []).extend([statement] if defines else [])
        table[TOP_LEVEL] += [] if defines else [statement]
    return table


def _is_text(node):
    """Whether a statement is a docstring, or another constant that does nothing."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _drop_docstring_and_annotations(node):
    where = {"lineno": 1, "col_offset": 0}  # the compiler wants a place; the digest does not show it
    if isinstance(body := getattr(node, "body", None), list) and any(map(_is_text, body)):
        node.body = [part for part in body if not _is_text(part)] or [ast.Pass(**where)]
    if hasattr(node, "annotation"):
        node.annotation = ast.Constant(None, **where)
    if hasattr(node, "returns"):
        node.returns = ast.Constant(None, **where)


def _imports(node, package):
    """Pairs (local name, dotted name) of an import statement."""
    if isinstance(node, ast.ImportFrom):
        origin = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
        return [(alias.asname or alias.name, f"{origin}.{alias.name}") for alias in node.names]
    pairs = [(alias.asname or alias.name, alias.name) for alias in node.names]
    return pairs + [(local.partition(".")[0],) * 2 for local, _ in pairs if "." in local]
