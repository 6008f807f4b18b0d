"""Columns of any library as arrays of NumPy: what is missing is named by its row, and never shown."""

import datetime
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dirpriv._inputs.errors import InvalidArgument

_NEVER_MISSING = {"str", "int", "datetime", "time", "timedelta", "Timestamp", "Timedelta"}  # types


def array(name: str, values: Any) -> NDArray[Any]:
    """The values as an array: missing ones named, and timestamps with a time zone as local time."""
    values, masked = _plain(values)
    refuse(name, masked, "is masked", "leave the row out")
    refuse(name, _missing_objects(values), "has no value (None, nan or NaT)", "leave the row out")
    return values


def array_and_missing(values: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The values as an array, and which are missing; these are 0 there, or None among objects."""
    values, missing = _plain(values)
    if values.dtype.kind in "mM":
        missing = missing | np.isnat(values)
    elif values.dtype.kind == "f":
        missing = missing | np.isnan(values)
    else:
        missing = missing | _missing_objects(values)
    if missing.any():
        values = values.copy()
        values[missing] = None if values.dtype == object else np.zeros((), values.dtype)
    return values, missing


def first(values: NDArray[Any]) -> Any:
    """The first of the objects that is not missing."""
    return next((value for value in values.flat if value is not None), None)


def _plain(values: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The values as an array of NumPy, in local time, and what is masked."""
    values, masked = _local(values), None
    if isinstance(values, np.ma.MaskedArray):
        values, masked = values.data, np.ma.getmaskarray(values)
    if not isinstance(values, np.ndarray):
        scalar = isinstance(
            values, (datetime.datetime, datetime.timedelta)
        )  # pandas' own have to_numpy, to UTC
        kept = values.to_numpy() if hasattr(values, "to_numpy") and not scalar else values
        values = np.asarray(kept)
        if values.dtype.kind in "USOM" and not isinstance(kept, np.ndarray):
            # a list: NumPy turns numbers among texts into texts, and takes a datetime's time zone off
            values = _objects(kept, values)
    if values.dtype.kind == "T":  # texts of any length, which may have a value for what is missing
        values = values.astype(object)
    return values, np.zeros(values.shape, dtype=bool) if masked is None else masked


def _missing_objects(values: NDArray[Any]) -> NDArray[np.bool_]:
    if values.dtype != object or {type(value).__name__ for value in values.flat} <= _NEVER_MISSING:
        return np.zeros(values.shape, dtype=bool)
    return np.array([_is_missing(value) for value in values.ravel()], dtype=bool).reshape(values.shape)


def refuse(name: str, bad: Any, rule: str, remedy: str) -> None:
    """Raise where ``bad`` holds: with the first row, how many there are, the rule and the remedy."""
    bad = np.asarray(bad)
    if not bad.any():
        return
    count = int(np.count_nonzero(bad))
    more = "" if count == 1 else f" ({count} such values)"
    raise InvalidArgument(name, f"{rule}{more}", row=place_of(np.argwhere(bad)[0]), remedy=remedy)


def place_of(index: Any) -> int | tuple[int, ...] | None:
    """The row of an index; all its numbers where there are several, None of a single value."""
    place = tuple(int(i) for i in index)
    return place[0] if len(place) == 1 else place or None


def is_pandas(values: Any) -> bool:
    """Whether this is an object of pandas; pandas is not imported."""
    return type(values).__module__.split(".")[0] == "pandas"


def _local(values: Any) -> Any:
    """Columns of other libraries, without their time zone: as local time."""
    library = type(values).__module__.split(".")[0]
    if library == "polars":
        if getattr(values.dtype, "time_zone", None) is not None:
            values = values.dt.replace_time_zone(None)
        elif str(values.dtype) == "Time" and (values.to_physical() % 1000 != 0).any():
            values = values.dt.to_string("%H:%M:%S%.9f")  # datetime.time has microseconds
        return values
    if library == "pyarrow" and hasattr(values, "to_numpy"):
        kind = str(values.type)
        if kind == "time64[ns]":
            values = values.cast("string")  # datetime.time has microseconds
        if kind.startswith("timestamp") and "tz=" in kind:
            values = values.to_pandas()  # PyArrow's own way to NumPy is to UTC
        else:
            values = values.to_numpy(zero_copy_only=False)
    if is_pandas(values) and hasattr(values, "dtype"):
        fields = getattr(values, "dt", None) if values.ndim == 1 else None
        fields = values if fields is None and hasattr(values, "tz") else fields
        if fields is not None and getattr(fields, "tz", None) is not None:
            values = fields.tz_localize(None)
    return values


def _objects(values: Any, shaped: NDArray[Any]) -> NDArray[Any]:
    """The same array with the original objects, where they are not only texts."""
    if shaped.ndim == 0:
        shaped = np.empty((), dtype=object)
        shaped[()] = values
        return shaped
    if shaped.dtype.kind == "M" and len({getattr(value, "dtype", None) for value in values}) == 1:
        return shaped  # datetime64 of one unit
    try:
        return np.array(values, dtype=object).reshape(shaped.shape)
    except ValueError:
        return shaped


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def is_number(value: Any) -> bool:
    """Whether this is a real number that a double can hold; True, texts and times are not."""
    if isinstance(value, (bool, np.bool_, complex, np.complexfloating, str, bytes, np.ndarray)):
        return False
    if not hasattr(value, "__float__") or isinstance(value, (np.datetime64, np.timedelta64)):
        return False
    try:
        float(value)
    except (OverflowError, TypeError):  # as of 10**400, and of a class
        return False
    return True


def numbers(name: str, values: NDArray[Any], remedy: str) -> NDArray[np.float64]:
    """Real numbers as float64, or an error with the row."""
    if values.dtype.kind == "O":
        wrong = np.array([not is_number(value) for value in values.ravel()], dtype=bool)
        refuse(name, wrong.reshape(values.shape), "is no real number", remedy)
        values = values.astype(float)
    if values.dtype.kind not in "fiu":
        raise InvalidArgument(name, f"must hold real numbers; got the type {values.dtype}", remedy=remedy)
    return values.astype(float, copy=False)
