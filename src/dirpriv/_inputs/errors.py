"""The error for what a caller gave and the library refuses, and notes of the library to other errors."""

import copy
import datetime
import numbers
from collections.abc import Callable
from typing import Any, Self

_LONGEST = 100  # characters of a value in a message
_MARK = "\x1f"  # around the name of an argument; repr never writes it, so no value has one
_NOTHING = object()


def describe(value: Any) -> str:
    """A value in a message: a number, a short text, a distribution; else the type alone, as data are personal."""
    from dirpriv._lib.immutable import Frozen

    if (is_single(value) or isinstance(value, Frozen)) and (text := short(value)):
        return text
    return f"a {value.__name__}" if isinstance(value, type) else f"the type {type(value).__name__}"


def is_single(value: Any) -> bool:
    """Whether this is one number, text or duration, or None."""
    import numpy as np  # here, as the command shows its help without it

    return value is None or isinstance(value, str | numbers.Number | datetime.timedelta | np.generic)


def short(value: Any) -> str:
    """How a value is written; empty where that is too long for a message."""
    try:
        text = repr(value)
    except ValueError:  # an integer of thousands of digits
        return ""
    return text if len(text) <= _LONGEST else ""


def named(argument: str, value: Any = _NOTHING) -> str:
    """Another argument in a rule or a remedy, perhaps with its value: ``'output'``, or ``--output``."""
    return f"{_MARK}{argument}{'' if value is _NOTHING else f'={value!r}'}{_MARK}"


def in_python(argument: str, value: str | None) -> str:
    """An argument as a call in Python has it."""
    return f"'{argument}'" if value is None else f"{argument}={value}"


class InvalidArgument(ValueError):
    """An argument that the library refuses, or data that break a rule.

    The message is made of the fields, in the library's own words. None of them holds a value of a column of
    data, so the command may show it. Messages of other errors may hold such values.

    Parameters
    ----------
    *what : str
        Name of the argument and the rule: what it must be, or what it is. If no single argument is wrong, the
        rule alone, as a sentence.
    got : object, keyword-only
        The value that was given. Kept are numbers, short texts and distributions; of all others the type alone.
    row : int or tuple of int, optional, keyword-only
        Place in the argument.
    hint : str, keyword-only
        What to do.

    Attributes
    ----------
    argument, got, row : str or None, str, and int, tuple of int or None
        Name of the argument; the value, empty where it may not be shown; place in the argument, from 0.

    Examples
    --------
    >>> import dirpriv
    >>> from dirpriv.distributions import Purkayastha
    >>> try:
    ...     Purkayastha(dim=1, kappa=1.0)
    ... except dirpriv.InvalidArgument as error:
    ...     print(error.argument, error.got)
    dim 1
    """

    def __init__(self, *what: str, got: Any = _NOTHING, row: Any = None, hint: str = "") -> None:
        self._rule, self.row, self._hint = what[-1], row, hint
        self.argument: str | None = what[0] if len(what) > 1 else None
        self.got = "" if got is _NOTHING else describe(got)
        super().__init__(self.text())

    @property
    def rule(self) -> str:
        """The rule that it does not keep."""
        return _filled(self._rule, in_python)

    @property
    def hint(self) -> str:
        """What to do; empty where the rule says it."""
        return _filled(self._hint, in_python)

    def text(self, name: Callable[[str, str | None], str] = in_python) -> str:
        """The message, with arguments as ``name(argument, value)`` writes them.

        Parameters
        ----------
        name : callable
            Takes the name of an argument, and the ``repr`` of a value or None.
        """
        subject = "" if self.argument is None else name(self.argument, None) + " "
        if self.row is not None:
            subject = f"row {self.row} of {subject}"
        got = f"; got {self.got}" if self.got else ""
        hint = f": {_filled(self._hint, name)}" if self._hint else ""
        return f"{subject}{_filled(self._rule, name)}{got}{hint}"

    def about(self, argument: str) -> Self:
        """The same refusal, of an argument of another name, as an error of the same kind.

        Parameters
        ----------
        argument : str
            The name.
        """
        error = copy.copy(self)
        error.argument = argument
        error.args = (error.text(),)
        return error


InvalidArgument.__module__ = "dirpriv"  # the name under which it is imported


def _filled(text: str, name: Callable[[str, str | None], str]) -> str:
    """A text with its arguments as ``name`` writes them."""
    parts = text.split(_MARK)
    for place in range(1, len(parts), 2):
        argument, is_given, value = parts[place].partition("=")
        parts[place] = name(argument, value if is_given else None)
    return "".join(parts)


class MissingFile(InvalidArgument, FileNotFoundError):
    """A file or a folder that is not there, in the library's own words."""


class ExistingFile(InvalidArgument, FileExistsError):
    """A file that is there and would be replaced, in the library's own words."""


class ForbiddenFile(InvalidArgument, PermissionError):
    """A file or a folder that cannot be read or written, in the library's own words."""


class ShortMemory(InvalidArgument, MemoryError):
    """Less memory than the library needs, in its own words."""


class Note(str):
    """A note to an error in the library's own words. Notes of others may hold values of data."""
