"""Checks of arguments, made once in the public functions: single values, arrays, columns of any library.

What is wrong in a column is named by its row, and never shown.
"""

import contextlib
import datetime
import functools
import math
import numbers
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, Integers, Mask, Purpose

_LEAST_KAPPA, _MOST_KAPPA = 1e-300, 1e150
_NEVER_MISSING = {"str", "int", "datetime", "time", "timedelta", "Timestamp", "Timedelta"}  # types


def dimension(dim: Any) -> int:
    """The length of the vectors, an integer of at least 2."""
    return integer("dim", dim, 2, " (2 is the circle, 3 the sphere)")


def concentration(kappa: Any) -> Any:
    """The concentration, a nonnegative finite number, or a copy of an array of them, one per row."""
    if np.ndim(kappa) == 0:
        number = nonnegative("kappa", kappa)
        return _resolved(number) if number else number
    value = reals("kappa", kappa).copy()
    bad = ~((value >= 0.0) & (value < np.inf))
    if bad.any():
        place = np.argwhere(bad)[0]
        got = float(value[tuple(place)])
        raise InvalidArgument("kappa", "must be nonnegative and finite", got=got, row=place_of(place))
    for extreme in (value.max(initial=0.0), value.min(where=value > 0.0, initial=1.0)):
        if extreme:
            _resolved(extreme)
    return value


def one_concentration(kappa: Any) -> float:
    if np.ndim(kappa):
        rule = f"must be one number; got an array of shape {np.shape(kappa)}"
        raise InvalidArgument("kappa", rule, hint="make a distribution of each")
    return float(concentration(kappa))


def positive_concentration(kappa: Any) -> float:
    return _resolved(positive("kappa", kappa))


def _resolved(kappa: float) -> float:
    """A concentration at which neither the draws nor the levels over- or underflow."""
    if not _LEAST_KAPPA <= kappa <= _MOST_KAPPA:
        rule = f"must be from {_LEAST_KAPPA:g} to {_MOST_KAPPA:g}, as doubles resolve no more"
        raise InvalidArgument("kappa", rule, got=float(kappa))
    return kappa


def shape(name: str, size: Any) -> tuple[int, ...]:
    """A shape from an integer or a tuple of integers, all nonnegative."""
    sizes = tuple(size) if np.iterable(size) else (np.asarray(size).item(),)
    if any(isinstance(n, bool) or not isinstance(n, numbers.Integral) or n < 0 for n in sizes):
        raise InvalidArgument(name, "must be a nonnegative integer or a tuple of them", got=size)
    if math.prod(sizes) >= 2**60:
        raise InvalidArgument(name, "must be smaller: no memory holds this many draws", got=size)
    return tuple(int(n) for n in sizes)


def output(out: Any, wanted: tuple[int, ...], modes: Array) -> tuple[Array, Array]:
    """The array to write to, ``out`` if it fits or a new one, and the modes, apart from it."""
    if out is None:
        return np.empty(wanted), modes
    if not isinstance(out, np.ndarray) or out.shape != wanted or out.dtype != np.float64:
        kind = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise InvalidArgument("out", f"must be an array of float64 of shape {wanted}; got {kind}")
    if not (out.flags.c_contiguous and out.flags.writeable):
        raise InvalidArgument("out", "must be C-contiguous and writeable; make a new array, or numpy.ascontiguousarray")
    return out, modes.copy() if np.may_share_memory(out, modes) else modes


def _number(name: str, value: Any, kind: str) -> float:
    """A finite number, as a float: no text, truth value or masked value, and small enough for a double."""
    if isinstance(value, np.ndarray) and value.ndim == 0 and not np.ma.is_masked(value):
        value = value[()]
    if isinstance(value, bool | np.bool_ | np.timedelta64) or not isinstance(value, numbers.Real):
        raise InvalidArgument(name, f"must be a {kind} finite number", got=value)
    rule = f"must be {kind} and finite"
    try:
        number = float(value)
    except OverflowError:
        raise InvalidArgument(name, f"{rule}; got a number that is too large for a double") from None
    if not (0.0 <= number if kind == "nonnegative" else 0.0 < number) or number == np.inf:
        raise InvalidArgument(name, rule, got=value)
    return number


positive = functools.partial(_number, kind="positive")
nonnegative = functools.partial(_number, kind="nonnegative")


def share(name: str, value: Any, *, zero: bool = False) -> float:
    """A number between 0 and 1, as a confidence or a δ; or 0 too."""
    number = nonnegative(name, value) if zero else positive(name, value)
    if not number < 1.0:
        limits = "from 0 to less than 1" if zero else "between 0 and 1"
        raise InvalidArgument(name, f"must be {limits}", got=value)
    return number


def probabilities(name: str, values: Any) -> Array:
    shares = reals(name, values)
    if not np.all((shares >= 0.0) & (shares <= 1.0)):
        raise InvalidArgument(name, "must be a number from 0 to 1, or an array of them")
    return shares


def integer(name: str, value: Any, least: int, why: str = "") -> int:
    if isinstance(value, bool | np.timedelta64) or not isinstance(value, numbers.Integral) or value < least:
        raise InvalidArgument(name, f"must be an integer of at least {least}{why}", got=value)
    if int(value) > 10**300:
        raise InvalidArgument(name, "must be at most 1e300, as doubles resolve no more")
    return int(value)


def reals(name: str, values: Any) -> Array:
    """Real numbers as an array of float64: nothing masked, no texts, truth values or complex numbers."""
    array, rule = unmasked(name, values), "must hold real numbers"
    if array.dtype.kind == "O":
        for place, value in np.ndenumerate(array):
            if isinstance(value, bool | np.bool_ | np.timedelta64) or not isinstance(value, numbers.Real):
                row = f" in row {place[0]}" if place else ""
                raise InvalidArgument(name, f"{rule}; got the type {type(value).__name__}{row}")
    elif array.dtype.kind not in "fiu":
        hint = "convert them first, and check what precision is lost"
        raise InvalidArgument(name, f"{rule}; got {array.dtype}", hint=hint)
    try:
        return array.astype(float, copy=False)
    except OverflowError:
        raise InvalidArgument(name, f"{rule}; got one that is too large for a double") from None


def precision(*columns: Any) -> float:
    """The coarsest relative precision of the types of numbers: 2^-52 of all that are kept as doubles."""
    types = (np.asarray(column).dtype for column in columns)
    return max([2.0**-52, *(float(np.finfo(each).eps) for each in types if each.kind == "f")])


def unmasked(name: str, values: Any) -> npt.NDArray[Any]:
    """An array of any type in which nothing is masked; NumPy would use the values under the mask."""
    if isinstance(values, list | tuple) and any(isinstance(row, np.ma.MaskedArray) for row in values):
        values = np.ma.array(values)
    if np.ma.is_masked(values):
        row = np.argwhere(np.ma.getmaskarray(values))[0][:1]
        rule = f"has masked values{f', the first in row {row[0]}' if row.size else ''}"
        raise InvalidArgument(name, rule, hint="leave them out or fill them (numpy.ma.filled)")
    return np.asarray(values)


def array(name: str, values: Any) -> npt.NDArray[Any]:
    """A column of any library as an array: missing values named, times with a time zone as local time."""
    values, masked = _plain(values)
    refuse(name, masked, "is masked", "leave the row out")
    refuse(name, _missing_objects(values), "has no value (None, nan or NaT)", "leave the row out")
    return values


def array_and_missing(values: Any) -> tuple[npt.NDArray[Any], Mask]:
    """The values as an array, and which are missing; these are 0 there, or None among objects."""
    values, missing = _plain(values)
    if values.dtype.kind in "mM":
        missing = missing | np.isnat(values)
    elif values.dtype.kind == "f":
        missing = missing | np.isnan(values)
    else:
        missing = missing | _missing_objects(values)
    return filled(values, missing), missing


def filled(values: npt.NDArray[Any], gone: Mask, none: Any = None) -> npt.NDArray[Any]:
    """The values with a 0, or among objects ``none``, where one is gone."""
    if gone.any():
        values = values.copy()
        values[gone] = none if values.dtype == object else np.zeros((), values.dtype)
    return values


def first(values: npt.NDArray[Any]) -> Any:
    """The first of the objects that is not missing."""
    return next((value for value in values.flat if value is not None), None)


def _plain(values: Any) -> tuple[npt.NDArray[Any], Mask]:
    """The values as an array of NumPy, in local time, and what is masked."""
    values, masked = _local(values), None
    if isinstance(values, np.ma.MaskedArray):
        values, masked = values.data, np.ma.getmaskarray(values)
    if not isinstance(values, np.ndarray):
        # pandas' own single values have to_numpy, to UTC
        scalar = isinstance(values, (datetime.datetime, datetime.timedelta))
        kept = values.to_numpy() if hasattr(values, "to_numpy") and not scalar else values
        values = np.asarray(kept)
        if values.dtype.kind in "USOM" and not isinstance(kept, np.ndarray):
            # a list: NumPy turns numbers among texts into texts, and takes a datetime's time zone off
            values = _objects(kept, values)
    if values.dtype.kind == "T":  # texts of any length, which may have a value for what is missing
        values = values.astype(object)
    return values, np.zeros(values.shape, dtype=bool) if masked is None else masked


def _missing_objects(values: npt.NDArray[Any]) -> Mask:
    if values.dtype != object or {type(value).__name__ for value in values.flat} <= _NEVER_MISSING:
        return np.zeros(values.shape, dtype=bool)
    return np.array([_is_missing(value) for value in values.ravel()], dtype=bool).reshape(values.shape)


def refuse(name: str, bad: Any, rule: str, hint: str) -> None:
    """Raise where ``bad`` holds: with the first row, how many there are, the rule and the remedy."""
    if count := int(np.count_nonzero(bad)):
        more = "" if count == 1 else f" ({count} such values)"
        raise InvalidArgument(name, f"{rule}{more}", row=place_of(np.argwhere(bad)[0]), hint=hint)


def place_of(index: Any) -> int | tuple[int, ...] | None:
    """The row of an index; all its numbers where there are several, None of a single value."""
    place = tuple(int(i) for i in index)
    return place[0] if len(place) == 1 else place or None


def library(column: Any) -> str:
    """Name of the library that a type is of."""
    return type(column).__module__.split(".")[0]


def _local(values: Any) -> Any:
    """Columns of other libraries, without their time zone: as local time."""
    if library(values) == "polars":
        if getattr(values.dtype, "time_zone", None) is not None:
            values = values.dt.replace_time_zone(None)
        elif str(values.dtype) == "Time" and (values.to_physical() % 1000 != 0).any():
            values = values.dt.to_string("%H:%M:%S%.9f")  # datetime.time has microseconds
        return values
    if library(values) == "pyarrow" and hasattr(values, "to_numpy"):
        kind = str(values.type)
        if kind == "time64[ns]":
            values = values.cast("string")  # datetime.time has microseconds
        if kind.startswith("timestamp") and "tz=" in kind:
            values = values.to_pandas()  # PyArrow's own way to NumPy is to UTC
        else:
            values = values.to_numpy(zero_copy_only=False)
    if library(values) == "pandas" and hasattr(values, "dtype"):
        fields = getattr(values, "dt", None) if values.ndim == 1 else None
        fields = values if fields is None and hasattr(values, "tz") else fields
        if fields is not None and getattr(fields, "tz", None) is not None:
            values = fields.tz_localize(None)
    return values


def _objects(values: Any, shaped: npt.NDArray[Any]) -> npt.NDArray[Any]:
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


def numbers_of(name: str, values: Any, least: int, most: int, rule: str, hint: str) -> Integers:
    """A column of numbers of cells or items; a refusal of another row has this rule, with the limits, and the hint."""
    column = array(name, values)
    if column.ndim > 1 or (column.size and column.dtype.kind not in "iu"):
        raise InvalidArgument(name, f"must be one column of integers; got {column.dtype} {column.shape}", hint=hint)
    refuse(name, (column < least) | (column > most), f"{rule} from {least} to {most}", hint)
    return column.astype(np.intp)


def real_rows(name: str, column: Any, hint: str, *, of_times: tuple[str, str], kinds_of_times: str = "mM") -> Array:
    """A column of real numbers as float64; one of times has a refusal of its own, a rule and a remedy."""
    values = array(name, column)
    if values.dtype.kind in kinds_of_times:
        raise InvalidArgument(name, of_times[0], hint=of_times[1])
    if values.dtype.kind == "O":
        wrong = np.array([not is_number(value) for value in values.ravel()], dtype=bool)
        refuse(name, wrong.reshape(values.shape), "is no real number", hint)
        values = values.astype(float)
    if values.dtype.kind not in "fiu":
        raise InvalidArgument(name, f"must hold real numbers; got the type {values.dtype}", hint=hint)
    return values.astype(float, copy=False)


def vectors(name: str, values: Any, length: int, what: str = "vectors of length {}") -> Array:
    """Real vectors along the last axis, as float64; a refusal calls them by ``what``."""
    rows = reals(name, values)
    if rows.ndim == 0 or rows.shape[-1] != length:
        raise InvalidArgument(name, f"{f'must hold {what.format(length)} along its last axis'}; got shape {rows.shape}")
    return rows


def pointing(name: str, values: Any, length: int) -> Array:
    """Such vectors of any length but 0."""
    rows = vectors(name, values, length)
    refuse(name, ~rows.any(axis=-1), "has the length 0, and so no direction", "leave the row out")
    return rows


def unit_vectors(name: str, values: Any, dim: int) -> Array:
    """Unit vectors along the last axis, of length ``dim``, as float64."""
    rows = vectors(name, values, dim)
    squares = unit_squares(name, rows)
    if np.abs(squares - 1.0).max(initial=0.0) <= 1e-15:
        return rows
    scaled: Array = rows / np.sqrt(squares)[..., None]
    return scaled


def unit_squares(name: str, rows: Array) -> Array:
    """Squared norms of vectors along the last axis; an error where one is not 1."""
    squares: Array = np.einsum("...i,...i->...", rows, rows)
    off = ~(np.abs(squares - 1.0) <= 1e-5)  # float32 input carries norms that are off by up to 1e-7
    refuse(name, off, "is no unit vector", "divide it by its norm")
    return squares


def histogram(name: str, masses: Any) -> tuple[Array, Array]:
    """Histograms along the last axis, all counts checked, as shares that add up to 1, and their totals."""
    masses = reals(name, masses)
    if masses.ndim == 0 or masses.shape[-1] == 0:
        raise InvalidArgument(name, f"must hold histograms along its last axis; got shape {masses.shape}")
    bad = ~((masses >= 0.0) & (masses < np.inf))
    refuse(name, bad, "is no nonnegative finite mass", "correct or leave out the data behind it")
    totals = masses.sum(axis=-1, keepdims=True)
    off = ~((totals > 0.0) & (totals < np.inf))
    hint = "leave the histogram out, or replace it (by a uniform one, for example)"
    refuse(name, off[..., 0], "is a histogram without a finite total mass above 0", hint)
    return masses / totals, totals


def generator(rng: Any) -> np.random.Generator:
    """A NumPy generator from what ``numpy.random.default_rng`` takes, except a legacy RandomState."""
    if isinstance(rng, np.random.RandomState):
        hint = "the draws would be neither its own nor those of default_rng with its seed. "
        hint += "Pass numpy.random.default_rng(seed)"
        raise InvalidArgument("rng", "is a legacy numpy.random.RandomState", hint=hint)
    with contextlib.suppress(TypeError, ValueError):
        if np.asarray(rng).dtype.kind not in "bU":  # which it takes and does not document
            return np.random.default_rng(rng)
    rule = "must be None, an integer or a sequence of integers (a seed, at least 0), a SeedSequence, a "
    rule += f"BitGenerator or a Generator of numpy.random; got {type(rng).__name__}"
    raise InvalidArgument("rng", rule)


def release_generator(rng: Any) -> np.random.Generator:
    """A NumPy generator for a release: from None, a Generator or a BitGenerator, and from no seed."""
    if rng is None or isinstance(rng, np.random.Generator | np.random.BitGenerator):
        return np.random.default_rng(rng)
    rule = f"must be None, a numpy.random.Generator or a BitGenerator, and no seed; got {type(rng).__name__}"
    hint = "each call with one seed adds the same noise, so two outputs differ by exactly the difference"
    hint += " of their inputs. To release data leave it out; for a study make one generator, "
    hint += "rng = numpy.random.default_rng(seed), and pass it to every call"
    raise InvalidArgument("rng", rule, hint=hint)


def check_at_most(name: str, value: float, most: float, limit: str, got: Any, hint: str = "") -> None:
    """Raise an error for a number above a limit, which the message names."""
    if value > most:
        raise InvalidArgument(name, f"must be at most {limit}", got=got, hint=hint)


def check_one_of(name: str, value: Any, among: tuple[str, ...]) -> None:
    if value not in among:
        raise InvalidArgument(name, f"must be one of {', '.join(among)}", got=value)


def check_word(name: str, value: Any, *words: str) -> None:
    """Refuse what is none of these words."""
    if not isinstance(value, str) or value not in words:
        quoted = [repr(word) for word in words]
        raise InvalidArgument(name, f"must be {', '.join(quoted[:-1])} or {quoted[-1]}", got=value)


def check_purpose(purpose: Any) -> None:
    check_one_of("purpose", purpose, get_args(Purpose))
