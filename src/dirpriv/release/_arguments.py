"""Arguments that are one value: a column in their place is refused before any message could show it."""

import datetime
import numbers
from typing import Any

import numpy as np

from dirpriv._errors import InvalidArgument

_LONGEST = 100  # characters in a message


def check_single(**arguments: Any) -> None:
    """Raise an error for arguments that hold several values, or one too long for a message."""
    for name, value in arguments.items():
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        single = value is None or isinstance(value, str | numbers.Number | datetime.timedelta | np.generic)
        if not single or _is_long(value):
            kind = type(value).__name__
            raise InvalidArgument(
                f"'{name}' must be one value; got {'a long one of ' if single else ''}the type {kind}",
                argument=name,
            )


def _is_long(value: Any) -> bool:
    try:
        return len(repr(value)) > _LONGEST
    except ValueError:  # an integer of thousands of digits
        return True
