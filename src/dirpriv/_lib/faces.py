"""Faces of folders: the public names of each, imported when they are first used (SPEC 1)."""

import ast
import importlib
import pkgutil
import sys
from collections.abc import Callable
from typing import Any


def face(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package, from the imports of its ``__init__.pyi``.

    The stub is the one list of what is public. Type checkers and the digests of the study read it, too.
    """
    stub = ast.parse(pkgutil.get_data(package, "__init__.pyi") or b"")
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    origins = {
        alias.asname or alias.name: (str(node.module), alias.name) for node in imports for alias in node.names
    }

    def get(name: str) -> Any:
        if name not in origins:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, own = origins[name]
        if module == package:
            return importlib.import_module(f"{package}.{own}")
        found = getattr(importlib.import_module(module), own)
        setattr(sys.modules[package], name, found)
        return found

    return get, lambda: sorted({*vars(sys.modules[package]), *origins}), sorted(origins)
