"""Faces of folders: the public names of each, imported when they are first used (SPEC 1)."""

import importlib
import os
import sys
from collections.abc import Callable
from typing import Any


def face(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Lazy ``__getattr__``, ``__dir__`` and ``__all__`` of a package, from its ``__init__.pyi`` alone."""
    spec: Any = sys.modules[package].__spec__
    stub = spec.loader.get_data(os.path.join(*spec.submodule_search_locations, "__init__.pyi")).decode()
    origins = {}
    for line in stub.splitlines():  # one name in each: to import ast at every start would take 10 ms
        if line.startswith("from "):
            _, module, _, own, _, name = line.split()
            origins[name] = module, own

    def get(name: str) -> Any:
        if name not in origins:
            names = f": it has {', '.join(sorted(origins))}" if "." not in package else ""
            raise AttributeError(f"module {package!r} has no attribute {name!r}{names}")
        module, own = origins[name]
        if module == package:
            return importlib.import_module(f"{package}.{own}")
        value = getattr(importlib.import_module(module), own)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted({*vars(sys.modules[package]), *origins}), sorted(origins)
