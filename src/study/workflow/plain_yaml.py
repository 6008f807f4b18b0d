"""YAML that is data and nothing else, of a size that can be read: checked before Snakemake reads it.

Snakemake runs as Python what follows a question mark in a file that says ``__use_yte__: true``. And a small
file may be endless as data. Snakemake reads a file of ``--configfile`` before it reads the Snakefile; to
check one first, ``PYTHONPATH=src python -m study.workflow.plain_yaml my.yaml``.
"""

import json
import re
import sys

import yaml
from yaml.constructor import ConstructorError

from study.workflow.job import InputError

MOST_BYTES, DEEPEST, LONGEST_NUMBER = 1 << 18, 30, 1000
MOST = 10**6
"""Characters of keys and values, each as often as it is there."""
FEWER = "write it with fewer anchors (&) and aliases (*)"
TOO_DEEP = f"this is nested more than {DEEPEST} deep; close the brackets, or indent it less"
TOO_MUCH = f"this has more than {MOST} characters, as each alias repeats what its anchor names; {FEWER}"
ITSELF = f"this contains itself; {FEWER}"
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
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise InputError(f"it has more than {MOST_BYTES} bytes; a configuration has far fewer")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(f"line {line}: this is no UTF-8; save the file as UTF-8") from None
    value, is_json = _json(text)
    if not is_json:
        _check_events(text, loader)
        value = yaml.load(text, _strict(loader))
    if fault := fault_of(value):
        raise InputError(fault[1])
    if isinstance(value, dict) and "__use_yte__" in value and not is_json:
        raise InputError(TEMPLATE)
    return value


def _json(text):
    """What a text is as JSON, which Snakemake tries first and which runs nothing; and whether it is JSON."""
    try:
        return json.loads(text), True
    except (ValueError, RecursionError):
        return None, False


def _check_events(text, loader):
    """Refuse text that is too deep or too much before anything is made of it."""
    anchors, around = {}, [[None, 0, 0]]  # size and height by name; name, size and height of what is open
    for event in yaml.parse(text, loader):
        name, size, height = getattr(event, "anchor", None), 0, 0
        if isinstance(event, yaml.CollectionStartEvent):
            around.append([name, 1, 1])
        elif isinstance(event, yaml.AliasEvent):
            if name in (one for one, *_ in around):
                raise _fault(event, ITSELF)
            size, height = anchors.get(name, (1, 0))  # if there is no such anchor, the loader says so
        elif isinstance(event, yaml.ScalarEvent):
            size = 1 + len(event.value)
            if size > LONGEST_NUMBER and _may_be_number(event):
                problem = f"would be a number of {len(event.value)} characters"
                raise _fault(event, f"this {problem}; write a shorter one, or a text in quotes")
        elif isinstance(event, yaml.CollectionEndEvent):
            name, size, height = around.pop()
        if size:
            anchors[name] = size, height
            around[-1][1] += size
            around[-1][2] = max(around[-1][2], 1 + height)
        if len(around) - 1 + height > DEEPEST:
            raise _fault(event, TOO_DEEP)
        if around[-1][1] > MOST:
            raise _fault(event, TOO_MUCH)


def _may_be_number(event):
    if event.tag:
        return not event.tag.endswith(":str")
    return not event.style and re.fullmatch(r"[-+.\d][-+.:\w]*", event.value)


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
    """Path of keys to what is too deep, is too much or contains itself, and a text; None if nothing is."""
    # size and height by identity, so that each value is looked at once; what is open
    sizes, around = {}, set()

    def measured(value, path):
        if isinstance(value, str | bytes):
            return 1 + len(value), 0
        if isinstance(value, int):
            return 1 + value.bit_length() // 3, 0
        if not isinstance(value, dict | list | tuple | set):
            return 1, 0
        if id(value) in around:
            raise _Found(path, ITSELF)
        if len(path) >= DEEPEST:
            raise _Found(path[:3], TOO_DEEP)
        if id(value) not in sizes:
            around.add(id(value))
            pairs = value.items() if isinstance(value, dict) else enumerate(value)
            inside = [measured(one, (*path, key)) for key, both in pairs for one in (key, both)]
            around.remove(id(value))
            size, height = 1 + sum(size for size, _ in inside), 1 + max((h for _, h in inside), default=0)
            if size > MOST:
                raise _Found(path, TOO_MUCH)
            sizes[id(value)] = size, height
        size, height = sizes[id(value)]
        if len(path) + height > DEEPEST:
            raise _Found(path[:3], TOO_DEEP)
        return size, height

    try:
        measured(value, ())
    except _Found as error:
        return error.args
    return None


class _Found(Exception):
    pass


if __name__ == "__main__":
    try:
        for path in sys.argv[1:]:
            read(path)
    except (InputError, OSError) as error:
        sys.exit(str(error))
