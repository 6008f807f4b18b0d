"""One short digest of the source files that a rule uses, for its ``params:``.

Snakemake does not detect a change in an imported module nor, with the triggers of ``profiles/default``, in
the script. So every rule passes the digest of the files that its script can reach through imports, without
comments, layout, docstrings and annotations. Nothing is imported for it. The ``__init__.py`` files above each
module count, as Python runs them. A folder with a stub, ``__init__.pyi``, imports what the stub lists when it
is first used: of these names only those that a file uses are followed, or all, if it uses the folder as such, as in
``getattr(distributions, name)``.

The digest misses names made from strings (``importlib.import_module``): name those as extra roots. It also
misses what an annotation does at run time (``ClassVar``). A script must lie below the source.
``tools/explain_digest.py`` lists the files.
"""

import ast
import contextlib
import functools
import hashlib
import importlib.util
import marshal
import os
import sys
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[2]
OWN_TEXT = Path(__file__).read_bytes()


def code_digest(script, roots=(), source=SOURCE, modules=None):
    """Sixteen hexadecimal digits of the code that a script and ``roots`` (``"module:symbol"``) reach.

    Digests of the same files can share ``modules``: see :class:`Modules`.
    """
    modules = modules or Modules(source)
    lines = [f"{file}\t{modules.read(file)[0]}" for file in modules.reached(script, roots)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


class Modules:
    """The files below a source, each of which is read once."""

    def __init__(self, source=SOURCE):
        self.source = Path(source).resolve()
        self.files = {path.relative_to(self.source).as_posix() for path in self.source.rglob("*.py*")}
        self.read, self.follow = functools.cache(self._read), functools.cache(self._follow)

    def reached(self, script, roots=()):
        """The files that a script and the roots reach, sorted."""
        path = Path(script).resolve()
        if not path.is_file():
            raise FileNotFoundError(f"code_digest: there is no script {path}")
        names = [".".join(path.relative_to(self.source).with_suffix("").parts)]
        for root in roots:
            module, _, symbol = root.partition(":")
            if not symbol or not self.file(module):
                raise ValueError(f'code_digest: root "{root}" must be "package.module:symbol" below {self.source}')
            names.append(f"{module}.{symbol}")
        files, followed = set(), set(names)
        while names:
            file, further = self.follow(names.pop())
            files.add(file)
            names += further - followed
            followed |= further
        return sorted(files - {None})

    def file(self, module):
        """The file of a module; None if it is not part of the source."""
        path = module.replace(".", "/")
        return next((file for file in (f"{path}/__init__.py", f"{path}.py") if file in self.files), None)

    def _read(self, file):
        """What :func:`_content` says of a file."""
        path, stub = self.source / file, f"{file}i"
        face = (self.source / stub).read_bytes() if stub in self.files else b""
        folder = file.removesuffix("/__init__.py") if file.endswith("/__init__.py") else file.rpartition("/")[0]
        return _kept_content(path, path.read_bytes(), face, folder.replace("/", "."))

    def _follow(self, name):
        """The file that a dotted name is in, and the names that this needs."""
        module, rest = name, []
        while module and not self.file(module):
            module, _, last = module.rpartition(".")
            rest.insert(0, last)
        if not module:
            return None, set()
        _, uses, face = self.read(self.file(module))
        targets = face.values() if rest in ([], ["*"]) else [face[name] for name in rest[:1] if name in face]
        above = f"{module.rpartition('.')[0]}.__file__"  # and nothing that its stub lists
        return self.file(module), {above, *uses, *(".".join([target, *rest[1:]]) for target in targets)}


def _kept_content(path, text, face, package):
    """The content of a file, kept beside its bytecode as Python keeps that; what it was made from decides."""
    made_from = hashlib.sha256(b"\0".join([OWN_TEXT, package.encode(), face, text])).digest()
    kept = Path(importlib.util.cache_from_source(path)).with_suffix(".digest")
    with contextlib.suppress(OSError, ValueError, EOFError, TypeError):  # not there, or broken
        origin, content = marshal.loads(kept.read_bytes())
        if origin == made_from:
            return content
    content = _content(text, face, package)
    if not sys.dont_write_bytecode:
        with contextlib.suppress(OSError):
            kept.parent.mkdir(exist_ok=True)
            temporary = kept.with_name(f"{kept.name}.{os.getpid()}")
            temporary.write_bytes(marshal.dumps((made_from, content)))
            temporary.replace(kept)
    return content


def _content(text, face, package):
    """Digest of the code of a file, the dotted names that it uses of others, and those that its stub lists."""
    tree, annotated = ast.parse(text), set()
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            node.body = [part for part in body if not _is_text(part)]
        for field in ("annotation", "returns"):
            if getattr(node, field, None):
                annotated |= {part.id for part in ast.walk(getattr(node, field)) if isinstance(part, ast.Name)}
                setattr(node, field, None)
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Name | ast.Attribute)]
    starts = {node.value for node in nodes if isinstance(node, ast.Attribute)}  # of longer names
    chains = {_dotted(node) for node in nodes if node not in starts} - {None}
    uses = set()
    for local, target in imports(tree, package):
        rests = [chain[len(local) :] for chain in chains if f"{chain}.".startswith(f"{local}.")]
        if not rests and local not in annotated:
            rests = [""]
        uses.update(target + rest for rest in rests)
    digest = hashlib.sha256(ast.dump(tree).encode()).hexdigest()
    return digest, sorted(uses), dict(imports(ast.parse(face), package))


def _is_text(node):
    """Whether a statement is a docstring, or another constant that does nothing."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _dotted(node):
    """A name with its attributes, such as ``distributions.Uniform``; None of other nodes."""
    if isinstance(node, ast.Attribute) and (start := _dotted(node.value)):
        return f"{start}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else None


def imports(tree, package):
    """Pairs (local name, dotted name) of the imports of a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            origin = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            yield from ((alias.asname or alias.name, f"{origin}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.asname or alias.name, alias.name) for alias in node.names)
