"""Immutable objects: laws and mechanisms."""

from typing import Any, NoReturn

import numpy as np


class Frozen:
    """Base of immutable objects: what was computed from one stays true.

    A subclass fills its attributes by ``_set``. Copies and pickles work as usual.
    """

    def _set(self, **values: Any) -> None:
        """Set attributes, in the constructor only; arrays can no longer be written to."""
        for value in values.values():
            if isinstance(value, np.ndarray):
                value.flags.writeable = False
        self.__dict__.update(values)

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise AttributeError(self._refusal(name, "set"))

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(self._refusal(name, "deleted"))

    def _refusal(self, name: str, what: str) -> str:
        kind = type(self).__name__
        return (
            f"'{name}' of a {kind} cannot be {what}, as its guarantee and other computed values would no "
            f"longer hold: make a new {kind}"
        )

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set(**state)
