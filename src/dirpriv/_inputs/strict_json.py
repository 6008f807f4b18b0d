"""Files of JSON, read without what JSON leaves open: fields that stand twice, and numbers that are none."""

import json
from typing import Any

from dirpriv._inputs.errors import InvalidArgument


def parsed(text: bytes) -> Any:
    """What a file of JSON says, each field once and no NaN."""
    try:
        return json.loads(text.decode(), parse_constant=_refused, object_pairs_hook=_fields)
    except InvalidArgument:
        raise
    except (ValueError, RecursionError):
        raise InvalidArgument("it is not JSON") from None


def _refused(constant: str) -> Any:
    raise InvalidArgument("a number in it is not finite")


def _fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise InvalidArgument("a field in it occurs twice")
    return fields
