"""YAML that is data and nothing else, of a size that can be read: checked before Snakemake reads it.

Snakemake runs as Python what follows a question mark in a file that says ``__use_yte__: true``. And a small
file may be endless as data. Snakemake reads a file of ``--configfile`` before it reads the Snakefile; to
check one first, ``PYTHONPATH=src python -m study.workflow.checked_yaml my.yaml``.
"""

import re
import sys

import yaml
from yaml.constructor import ConstructorError

from study.workflow.job import InputError

MOST, DEEPEST, LONGEST_NUMBER = 1 << 18, 30, 1000
"""Bytes of a file, or characters of keys and values as often as they are there; their depth; characters of a number."""
TOO_DEEP = f"this is nested more than {DEEPEST} deep, or contains itself; close the brackets, or indent it less"
TOO_MUCH = f"this has more than {MOST} characters; write less"
TEMPLATE = (
    "the key __use_yte__ lets Snakemake run parts of the file as Python, and a configuration of the study "
    "runs nothing; remove the key, and write values"
)


def read(path, loader=yaml.SafeLoader):
    """What a file of YAML or JSON holds; an InputError of one line names the place and the remedy."""
    try:
        return _read(path, loader)
    except yaml.MarkedYAMLError as error:
        mark, problem = error.problem_mark or error.context_mark, error.problem or error.context
        fault = f"line {mark.line + 1}: {problem}; correct it there"
    except yaml.YAMLError as error:
        fault = f"{' '.join(str(error).split())}; remove these characters"
    except InputError as error:
        fault = error
    raise InputError(f"{path} cannot be read: {fault}")


def _read(path, loader):
    with open(path, "rb") as file:
        content = file.read(MOST + 1)
    if len(content) > MOST:
        raise InputError(f"it has more than {MOST} bytes; a configuration has far fewer")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"line {line}: this is no UTF-8; save the file as UTF-8") from None
    _check_events(text, loader)
    value = yaml.load(text, _strict(loader))
    if isinstance(value, dict) and "__use_yte__" in value:
        raise InputError(TEMPLATE)
    return value


def _check_events(content, loader):
    """Refuse what is too deep, repeats or changes values, or would be a long number, before anything is made of it."""
    depth = 0
    for event in yaml.parse(content, loader):
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            raise _fault(event, TOO_DEEP)
        if getattr(event, "anchor", None):
            raise _fault(event, "this has an anchor (&) or an alias (*); write out what it stands for")
        if getattr(event, "tag", None):
            raise _fault(event, "this has a tag (!); remove it, and put a text in quotes")
        text = event.value if isinstance(event, yaml.ScalarEvent) and not event.style else ""
        if len(text) > LONGEST_NUMBER and re.fullmatch(r"[-+.\d][-+.:\w]*", text):
            problem = f"this would be a number of {len(text)} characters"
            raise _fault(event, f"{problem}; write a shorter one, or a text in quotes")


def _fault(event, problem):
    return InputError(f"line {event.start_mark.line + 1}: {problem}")


def _strict(loader):
    """The loader with one kind of error for all that it cannot read, such as the 40th of May."""

    class Strict(loader):
        def construct_mapping(self, node, deep=False):
            first = {}
            for key, _ in node.value if isinstance(node, yaml.MappingNode) else ():
                if key.tag != "tag:yaml.org,2002:merge" and isinstance(key, yaml.ScalarNode):
                    if key.value in first:
                        problem = f"the key {key.value!r} is here twice, first in line {first[key.value]}"
                        raise ConstructorError(None, None, problem, key.start_mark)
                    first[key.value] = key.start_mark.line + 1
            return super().construct_mapping(node, deep)

        def construct_object(self, node, deep=False):
            try:
                return super().construct_object(node, deep)
            except (ValueError, LookupError, AttributeError, TypeError, OverflowError):
                kind = node.tag.rpartition(":")[2]
                problem = f"this is no {kind}, and a text is put in quotes"
                raise ConstructorError(None, None, problem, node.start_mark) from None

    return Strict


def fault_of(value):
    """Path of keys to what is too deep or too much, and a text; None if nothing is."""
    left, values = MOST, [((), value)]
    while values:
        path, value = values.pop()
        left -= 1
        if isinstance(value, str | bytes):
            left -= len(value)
        elif isinstance(value, int):
            left -= value.bit_length() // 3
        elif isinstance(value, dict | list | tuple | set):
            if len(path) >= DEEPEST:
                return path[:3], TOO_DEEP
            pairs = value.items() if isinstance(value, dict) else enumerate(value)
            values += [((*path, key), one) for key, both in pairs for one in (key, both)]
        if left < 0:
            return path[:2], TOO_MUCH
    return None


if __name__ == "__main__":
    try:
        for path in sys.argv[1:]:
            read(path)
    except (InputError, OSError) as error:
        sys.exit(str(error))
