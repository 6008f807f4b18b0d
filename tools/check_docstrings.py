"""Check the docstrings of all public names by the rules of `[tool.numpydoc_validation]`; `make lint` runs it.

Public is what the stub of a folder lists (`src/dirpriv/**/__init__.pyi`), with the public methods of its
classes; of a listed module its `__all__`, or else all names without an underscore that it defines. A method
without a docstring of its own has that of the class above it; a class without a constructor of its own has
the parameters of that class.

A reference of any docstring has to be prose. One of a single line that begins with an initial, as "K. V.
Mardia", is item K of a list to docutils, and prints over its own number; "Mardia, K. V." is none.
"""

import dataclasses
import inspect
import operator
import re
import sys
import textwrap
import tomllib
from pathlib import Path

from docutils import nodes
from docutils.core import publish_doctree
from numpydoc.validate import ERROR_MSGS, validate

import dirpriv

ROOT = Path(__file__).resolve().parents[1]


def public_names(module, ids=None):
    """Dotted names of what a module and the modules that it lists have for users, each object once."""
    ids = set() if ids is None else ids
    names = getattr(module, "__all__", None)
    if names is None:
        names = [
            name
            for name, value in vars(module).items()
            if not name.startswith("_") and getattr(value, "__module__", None) == module.__name__
        ]
    for name in sorted(names):
        value = getattr(module, name)
        if id(value) in ids:
            continue
        ids.add(id(value))
        if inspect.ismodule(value):
            yield from public_names(value, ids)
        elif inspect.isclass(value):
            yield f"{module.__name__}.{name}"
            for owner, method in methods(value, ids):
                of = f"{module.__name__}.{name}" if owner is value else f"{owner.__module__}.{owner.__name__}"
                yield f"{of}.{method}"
        elif inspect.isfunction(value):
            yield f"{module.__name__}.{name}"


def methods(cls, ids):
    """The public methods and properties of a class: name, and the class in the package that describes it."""
    bases = [base for base in cls.__mro__ if base.__module__.startswith("dirpriv")]
    for name in sorted({name for base in bases for name in vars(base) if not name.startswith("_")}):
        owners = [base for base in bases if name in vars(base)]
        owner = next((base for base in owners if vars(base)[name].__doc__), owners[0])
        value = vars(owner)[name]
        kind = getattr(value, "func", getattr(value, "__func__", value))  # cached properties, class methods
        if id(kind) not in ids and (inspect.isfunction(kind) or isinstance(value, property)):
            ids.add(id(kind))
            yield owner, name


def faults(name, checks):
    """Lines that say what the docstring of a name lacks. Fields are described as attributes."""
    report, value = validate(name), operator.attrgetter(name.removeprefix("dirpriv."))(dirpriv)
    fields = dataclasses.is_dataclass(value) or getattr(value, "_is_protocol", False)
    made_above = inspect.isclass(value) and "__init__" not in vars(value)
    where = f"{Path(report['file'] or '').name}:{report['file_line']}"
    codes = checks - {"PR01"} if fields or made_above else checks
    return [f"{where} {name}: {code} {text}" for code, text in report["errors"] if code in codes]


def wrong_references(text):
    """The references of a docstring that docutils reads as anything but prose, as a list."""
    items = re.findall(r"^ *\.\. \[\w+\] .*(?:\n +(?!\.\. )\S.*)*", text, re.M)
    read = [publish_doctree(textwrap.dedent(one), settings_overrides={"report_level": 5}) for one in items]
    prose = (nodes.label, nodes.paragraph)
    return [
        one.strip()
        for one, tree in zip(items, read, strict=True)
        if not all(isinstance(part, prose) for part in tree.next_node(nodes.footnote) or [tree])
    ]


def main():
    with open(ROOT / "pyproject.toml", "rb") as file:
        listed = set(tomllib.load(file)["tool"]["numpydoc_validation"]["checks"])
    checks = set(ERROR_MSGS) - listed if "all" in listed else listed
    names = list(public_names(dirpriv))
    problems = [line for name in names for line in faults(name, checks)]
    for path in sorted((ROOT / "src").rglob("*.py")):
        wrong = wrong_references(path.read_text(encoding="utf-8"))
        problems += [f"{path.name}: no prose, write the family name first: {one}" for one in wrong]
    print("\n".join([*problems, f"{len(names)} public names, {len(problems)} faults in their docstrings"]))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
