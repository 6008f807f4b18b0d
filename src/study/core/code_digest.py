"""Which source a rule uses, as one short digest for its ``params:``.

Snakemake sees neither a change in an imported module nor, with the triggers of ``profiles/default``,
one in the script itself. So every rule passes the digest of the code its script can reach. Only code
counts: comments, layout and docstrings are free.

The unit is the top-level symbol (a function, a class, an assignment). From the script the names are
followed to the symbols they mean, through imports and re-exports, without importing anything. A
script that uses one law of a module with many depends on that law alone. Three things are included
whether or not they are named, because Python runs them on import: the top-level statements of an
imported module that define nothing (``if``, ``try``, ``for``, bare calls, ``registry[key] = ...``), in
every module that is imported on the way; the names those statements use; and the ``__init__.py`` of
the packages above. A module used as a value, as in ``getattr(laws, name)``, counts as a whole.

What cannot be seen: names made out of strings (``importlib.import_module``) and registration by a
decorator. Name those as extra roots. Digests are comparable within one version of Python only, as
its syntax trees change from version to version.

``python -m study.core.code_digest src/study/x.py [module:symbol ...]`` lists what a script reaches.
"""

import ast
import difflib
import functools
import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).resolve().parents[2]
TOP_LEVEL = "<top level>"
"""The symbol under which statements that define nothing are listed."""

IMPORT = "import "
"""How the entry of a name from outside the source begins, instead of with code."""

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Target(NamedTuple):
    """What an imported name stands for: a module, or a name in it."""

    module: str
    name: str | None = None


class Use(NamedTuple):
    """A dotted name that a statement reads, starting in its module or at an import of its own."""

    start: str | Target
    attributes: tuple[str, ...]


class Statement(NamedTuple):
    """One top-level statement: its code as text, the names it reads, the imports inside it."""

    code: str
    uses: frozenset[Use]
    imports: frozenset[Target]


class Module(NamedTuple):
    """One source file, cut into its top-level statements."""

    symbols: dict[str, list[Statement]]
    imported: dict[str, list[Target]]
    starred: list[str]
    unnamed: list[Statement]
    unnamed_names: frozenset[str]
    imports: frozenset[Target]
    is_package: bool


def code_digest(script: Path, roots: Iterable[str] = (), source: Path = SOURCE) -> str:
    """Digest of the code that a script uses, for the ``params:`` of its rule.

    Parameters
    ----------
    script : Path
        The rule's script, absolute or relative to the working directory.
    roots : iterable of str
        Symbols that the script reaches by a name in the configuration, as
        ``"dirpriv.mechanisms:PurkayasthaMechanism"``.
    source : Path
        The folder that holds the packages. What is imported from elsewhere is not followed.

    Returns
    -------
    str
        Sixteen hexadecimal digits.
    """
    text = "\n".join("\t".join(entry) for entry in sorted(_closure(script, roots, source)))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def explain(script: Path, roots: Iterable[str] = (), source: Path = SOURCE) -> list[str]:
    """List the symbols that the digest of a script covers, as ``"module:symbol"``, sorted."""
    entries = _closure(script, roots, source)
    return sorted({f"{module}:{symbol}" for module, symbol, code in entries if not code.startswith(IMPORT)})


def _closure(script, roots, source):
    """Set of (module, symbol, code) that the script and the roots reach."""
    script, source = Path(script).resolve(), Path(source).resolve()
    if not script.is_file():
        raise FileNotFoundError(f"code_digest: there is no script {script}")
    try:
        parts = script.relative_to(source).with_suffix("").parts
    except ValueError:
        parts = (script.stem,)
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    walk = _Walk(source, name, _parse(script, *_stamp(script), name, main=True))
    walk.run(roots)
    return walk.entries


class _Walk:
    """Follows names from symbol to symbol and collects the code of each."""

    def __init__(self, source, script_name, script):
        self.source = source
        self.script_name = script_name
        self.modules = {script_name: script}
        self.entries = set()
        self.touched = set()
        self.seen = set()
        self.pending = []

    def run(self, roots):
        self.touch(self.script_name)
        for symbol in self.modules[self.script_name].symbols:
            self.add(self.script_name, symbol)
        for root in roots:
            self.add_root(root)
        while self.pending:
            module, symbol, statement = self.pending.pop()
            self.entries.add((module, symbol, statement.code))
            for target in statement.imports:
                self.touch_target(target)
            for use in statement.uses:
                if isinstance(use.start, Target):
                    self.follow_target(use.start, use.attributes)
                else:
                    self.follow(module, (use.start, *use.attributes), known=False)

    def module(self, name):
        """The parsed module, or None if it is not part of the source."""
        if name not in self.modules:
            path = self.source.joinpath(*name.split("."))
            file = next((f for f in (path / "__init__.py", path.with_suffix(".py")) if f.is_file()), None)
            if file is not None:
                self.modules[name] = _parse(file, *_stamp(file), name)
            elif name and path.is_dir():
                self.modules[name] = Module({}, {}, [], [], frozenset(), frozenset(), True)
            else:
                self.modules[name] = None
        return self.modules[name]

    def touch(self, name):
        """Include what Python runs when it imports the module."""
        if name in self.touched or (module := self.module(name)) is None:
            return
        self.touched.add(name)
        if "." in name:
            self.touch(name.rpartition(".")[0])
        self.pending += [(name, TOP_LEVEL, statement) for statement in module.unnamed]
        for target in module.imports:
            self.touch_target(target)

    def touch_target(self, target):
        self.touch(target.module)
        if target.name is not None:
            self.touch(f"{target.module}.{target.name}")

    def add(self, name, symbol):
        if (name, symbol) not in self.seen:
            self.seen.add((name, symbol))
            self.pending += [(name, symbol, statement) for statement in self.module(name).symbols[symbol]]

    def add_root(self, root):
        name, _, symbol = root.partition(":")
        if not name or not symbol:
            raise ValueError(f'code_digest: root "{root}" must look like "package.module:symbol"')
        module = self.module(name)
        if module is None:
            raise ValueError(f'code_digest: root "{root}" names no module below {self.source}')
        first = symbol.split(".")[0]
        names = {*module.symbols, *module.imported, *module.unnamed_names}
        if first not in names and not module.starred and self.module(f"{name}.{first}") is None:
            close = difflib.get_close_matches(first, names, n=1)
            hint = f'did you mean "{name}:{close[0]}"?' if close else f"it has {', '.join(sorted(names))}"
            raise ValueError(f'code_digest: root "{root}" names no symbol of {name}; {hint}')
        self.follow(name, tuple(symbol.split(".")))

    def follow_target(self, target, attributes):
        names = attributes if target.name is None else (target.name, *attributes)
        if names:
            self.follow(target.module, names)
        else:
            self.add_whole(target.module)

    def follow(self, name, names, known=True):
        """Follow a dotted name in a module; with ``known=False`` it may as well be a builtin."""
        module = self.module(name)
        if module is None or (name, names, known) in self.seen:
            return
        self.seen.add((name, names, known))
        self.touch(name)
        first, rest = names[0], names[1:]
        found = first in module.unnamed_names
        if first in module.symbols:
            self.add(name, first)
            found = True
        for target in module.imported.get(first, []):
            if target == (name, first):
                known = True  # "from . import x" in a package: the name is a module of the package
                continue
            found = True
            if self.module(target.module) is None:
                # Not ours, so not followed; but which function of NumPy a name means is code too.
                text = ":".join(part for part in target if part)
                self.entries.add((name, first, IMPORT + text))
            self.follow_target(target, rest)
        if found:
            return
        for starred in module.starred:
            self.follow(starred, names, known=False)
        if known and self.module(f"{name}.{first}") is not None:
            if rest:
                self.follow(f"{name}.{first}", rest)
            else:
                self.add_whole(f"{name}.{first}")
        elif known and not module.starred and not (first.startswith("__") and first.endswith("__")):
            self.add_whole(name)  # made at run time, by a __getattr__ for example: anything could be meant

    def add_whole(self, name):
        module = self.module(name)
        if module is None or (name, None) in self.seen:
            return
        self.seen.add((name, None))
        self.touch(name)
        for symbol in module.symbols:
            self.add(name, symbol)
        for symbol, targets in module.imported.items():
            # What a module imports for itself is reached through its symbols; what a package imports
            # is there to be reached from outside.
            if module.is_package or any(target.name for target in targets):
                self.follow(name, (symbol,))
        for starred in module.starred:
            self.add_whole(starred)


def _stamp(path):
    status = path.stat()
    return status.st_mtime_ns, status.st_size


@functools.cache
def _parse(path, mtime, size, name, main=False):
    """Cut a file into top-level statements; ``mtime`` and ``size`` make the cache notice an edit."""
    tree = ast.parse(path.read_bytes(), filename=str(path))
    is_package = path.name == "__init__.py"
    package = name if is_package else name.rpartition(".")[0]
    tree = _WithoutDocstrings().visit(tree)
    symbols, imported, starred, unnamed, unnamed_names, imports = {}, {}, [], [], set(), set()
    for node in tree.body:
        if _is_main_block(node) and not main:
            continue  # Python runs it in the script only
        for local, target in _imported_names(node, package):
            imports.add(target)
            if local == "*":
                starred.append(target.module)
            elif local:
                imported.setdefault(local, []).append(target)
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        statement = _statement(node, package)
        names, defines_only = _defined_names(node)
        for symbol in names:
            symbols.setdefault(symbol, []).append(statement)
        if not defines_only:
            unnamed.append(statement)
            unnamed_names |= _bound_names([node])
    return Module(
        symbols, imported, starred, unnamed, frozenset(unnamed_names), frozenset(imports), is_package
    )


class _WithoutDocstrings(ast.NodeTransformer):
    """Drops every statement that is nothing but a string."""

    def visit_Expr(self, node):
        is_text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
        return None if is_text else self.generic_visit(node)


def _is_main_block(node):
    return isinstance(node, ast.If) and ast.unparse(node.test).replace('"', "'") == "__name__ == '__main__'"


def _defined_names(node):
    """The names a top-level statement defines, and whether that is all it does."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name], True
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        leaves = []
        while targets:
            target = targets.pop()
            if isinstance(target, ast.Tuple | ast.List):
                targets = [*targets, *target.elts]
            elif isinstance(target, ast.Starred):
                targets = [*targets, target.value]
            else:
                leaves.append(target)
        return [t.id for t in leaves if isinstance(t, ast.Name)], all(isinstance(t, ast.Name) for t in leaves)
    if type(node).__name__ == "TypeAlias":  # a node of Python 3.12 and later
        return [node.name.id], True
    return [], isinstance(node, ast.Import | ast.ImportFrom | ast.Pass)


def _imported_names(node, package):
    """Pairs (local name, target) of the imports that a statement makes in its own scope."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.asname:
                yield alias.asname, Target(alias.name)
            else:
                yield alias.name.partition(".")[0], Target(alias.name.partition(".")[0])
                yield None, Target(alias.name)
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if node.level:
            parts = package.split(".")
            above = parts[: len(parts) - node.level + 1]
            module = ".".join([*above, *([node.module] if node.module else [])])
        for alias in node.names:
            if alias.name == "*":
                yield "*", Target(module)
            else:
                yield alias.asname or alias.name, Target(module, alias.name)
    elif not isinstance(node, (*SCOPES, ast.ClassDef)):
        for child in ast.iter_child_nodes(node):
            yield from _imported_names(child, package)


def _bound_names(nodes):
    """Names that statements bind in their own scope: assigned, looped over, imported, defined."""
    names, outer = set(), set()
    queue = list(nodes)
    while queue:
        node = queue.pop()
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            outer.update(node.names)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.MatchAs | ast.MatchStar) and node.name:
            names.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            names.add(node.rest)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
        if isinstance(node, COMPREHENSIONS):
            # Its loop variables are its own; only a := inside it binds here.
            names.update(n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr))
        elif not isinstance(node, (*SCOPES, ast.ClassDef)):
            queue.extend(ast.iter_child_nodes(node))
    return names - outer


def _statement(node, package):
    reader = _NameReader(package)
    reader.read(node, {})
    return Statement(ast.dump(node), frozenset(reader.uses), frozenset(reader.imports))


class _NameReader:
    """Collects the names a statement reads from its module, leaving out those local to a function."""

    def __init__(self, package):
        self.package = package
        self.uses = set()
        self.imports = set()

    def read(self, node, local):
        """Read ``node``; ``local`` maps names of enclosing functions to their imports, often none."""
        if isinstance(node, SCOPES):
            self.read_function(node, local)
        elif isinstance(node, COMPREHENSIONS):
            self.read_comprehension(node, local)
        elif isinstance(node, ast.Name):
            self.use(node.id, (), local)
        elif isinstance(node, ast.Attribute):
            self.read_attribute(node, local)
        else:
            if isinstance(node, ast.Import | ast.ImportFrom):
                self.imports.update(target for _, target in _imported_names(node, self.package))
            if isinstance(node, ast.ClassDef):
                # An import in a class body is reached as an attribute, so take what it names as used.
                targets = [target for part in node.body for _, target in _imported_names(part, self.package)]
                self.uses.update(Use(target, ()) for target in targets)
            for child in ast.iter_child_nodes(node):
                self.read(child, local)

    def read_attribute(self, node, local):
        attributes = []
        while isinstance(node, ast.Attribute):
            attributes.insert(0, node.attr)
            node = node.value
        if isinstance(node, ast.Name):
            self.use(node.id, tuple(attributes), local)
        else:
            self.read(node, local)

    def use(self, name, attributes, local):
        if name not in local:
            self.uses.add(Use(name, attributes))
        for target in local.get(name, ()):
            self.uses.add(Use(target, attributes))

    def read_function(self, node, local):
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [argument for argument in (arguments.vararg, arguments.kwarg) if argument]
        body = [node.body] if isinstance(node, ast.Lambda) else node.body
        outside = [*arguments.defaults, *arguments.kw_defaults, *(argument.annotation for argument in every)]
        if not isinstance(node, ast.Lambda):
            outside += [*node.decorator_list, node.returns, *getattr(node, "type_params", [])]
        for part in outside:
            if part is not None:
                self.read(part, local)
        inside = dict(local)
        declared_global = {n for g in body for d in ast.walk(g) if isinstance(d, ast.Global) for n in d.names}
        for name in declared_global:
            inside.pop(name, None)
        inside.update({argument.arg: [] for argument in every})
        inside.update({name: [] for name in _bound_names(body)})
        for part in body:
            for name, target in _imported_names(part, self.package):
                if name in inside:
                    inside[name] = [*inside[name], target]
        for part in body:
            self.read(part, inside)

    def read_comprehension(self, node, local):
        self.read(node.generators[0].iter, local)  # evaluated outside the comprehension's scope
        targets = [generator.target for generator in node.generators]
        inside = {**local, **{name: [] for name in _bound_names(targets)}}
        for position, generator in enumerate(node.generators):
            for part in [*([generator.iter] if position else []), generator.target, *generator.ifs]:
                self.read(part, inside)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        for part in parts:
            self.read(part, inside)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: python -m study.core.code_digest src/study/x.py [module:symbol ...]")
    print(code_digest(Path(sys.argv[1]), sys.argv[2:]))
    print("\n".join(explain(Path(sys.argv[1]), sys.argv[2:])))
