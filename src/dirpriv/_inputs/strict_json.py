"""Files of JSON, read without what JSON leaves open: fields that stand twice, and numbers that are none."""

import functools
import json
from typing import Any

from dirpriv._inputs.errors import InvalidArgument


def parsed(text: bytes) -> Any:
    """What a file of JSON says, each field once and no NaN."""
    try:
        fields = functools.partial(unique, InvalidArgument, "a field in it occurs twice")
        return json.loads(text.decode(), parse_constant=refuse_constant, object_pairs_hook=fields)
    except InvalidArgument:
        raise
    except (ValueError, RecursionError):
        raise InvalidArgument("it is not JSON") from None


def renamed(document: Any, names: dict[Any, str], depth: int = 4) -> Any:
    """Types of JSON with new names of fields, and new words: those of pairs of a field and its old word.

    A document that has one of the new names is refused. Nothing below ``depth`` is read.
    """
    if depth and isinstance(document, list):
        return [renamed(each, names, depth - 1) for each in document]
    if not depth or not isinstance(document, dict):
        return document
    if later := set(names.values()) & set(document):
        raise InvalidArgument(f"it is of a format that has no field {min(later)!r}")
    deep = {name: isinstance(value, dict | list) for name, value in document.items()}
    words = {name: value if deep[name] else names.get((name, value), value) for name, value in document.items()}
    return {names.get(name, name): renamed(value, names, depth - 1) for name, value in words.items()}


def refuse_constant(constant: str) -> Any:
    """Refuse NaN and infinite numbers."""
    raise InvalidArgument("a number in it is not finite")


def unique(error: type[Exception], text: str, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Fields by their names, or an error with this text where one stands twice."""
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise error(text)
    return fields
