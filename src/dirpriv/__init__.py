"""Directional differential privacy on circles, spheres and rotations: laws, mechanisms, estimators.

``import dirpriv`` is quick: each of the modules below is imported when it is first used, as ``dirpriv.laws``
or by ``from dirpriv import laws`` (SPEC 1 of Scientific Python).
"""

import importlib
from typing import Any

from dirpriv._inputs.errors import InvalidArgument

__version__ = "0.1.0"
__all__ = [
    "InvalidArgument",
    "estimators",
    "geometry",
    "guarantees",
    "laws",
    "mechanisms",
    "planner",
    "release",
]


def __getattr__(name: str) -> Any:
    """The module of this name, imported now."""
    if name in __all__:
        return importlib.import_module(f"dirpriv.{name}")
    raise AttributeError(f"module 'dirpriv' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
