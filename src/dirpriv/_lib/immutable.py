"""Immutable objects: distributions, mechanisms and releases."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, NoReturn, Self

import numpy as np


class Frozen:
    """Base of immutable objects, so that what was computed from one stays true; see :meth:`_set`."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Arrays that a cached property computes are locked, and methods let numbers underflow to 0."""
        super().__init_subclass__(**kwargs)
        for name, value in list(vars(cls).items()):
            if isinstance(value, functools.cached_property):
                value.func = _locking(value.func)
            elif inspect.isfunction(value) and not name.startswith("_"):
                setattr(cls, name, np.errstate(under="ignore")(value))  # whatever the caller asked of NumPy

    def _set(self, **values: Any) -> None:
        """Set attributes, in the constructor only; arrays can no longer be written to."""
        self.__dict__.update({name: _locked(value) for name, value in values.items()})

    def __setattr__(self, name: str, value: Any, what: str = "set") -> NoReturn:
        kind = type(self).__name__
        reason = "as its guarantee and other computed values would no longer hold"
        raise AttributeError(f"'{name}' of a {kind} cannot be {what}, {reason}: make a new {kind}")

    def __delattr__(self, name: str) -> NoReturn:
        Frozen.__setattr__(self, name, None, "deleted")

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set(**state)


class Built(Frozen):
    """Base of what few parameters make: a copy or a pickle holds these alone, the arguments of ``_build``."""

    _parameters: tuple[Any, ...]
    _build: Callable[..., None]  # fills the attributes, ``_parameters`` among them

    @classmethod
    def _from_parameters(cls, *parameters: Any, **named: Any) -> Self:
        instance = cls.__new__(cls)
        instance._build(*parameters, **named)
        return instance

    def __reduce__(self) -> tuple[Any, ...]:
        return self._from_parameters, self._parameters


def constructed(instance: Frozen) -> str:
    """An object as the call that makes it: for ``__repr__``."""
    names = inspect.signature(type(instance)).parameters
    arguments = (f"{name}={value!r}" for name, value in vars(instance).items() if name in names)
    return f"{type(instance).__name__}({', '.join(arguments)})"


def _locking(compute: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @functools.wraps(compute)
    def computed(instance: Any) -> Any:
        return _locked(compute(instance))

    return computed


def _locked(value: Any) -> Any:
    """The value itself, with no array in it that can be written to."""
    if isinstance(value, np.ndarray):
        value.flags.writeable = False
    elif isinstance(value, tuple):
        for part in value:
            _locked(part)
    return value
