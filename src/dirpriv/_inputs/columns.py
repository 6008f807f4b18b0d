"""Columns of NumPy, pandas, Polars and Arrow, lists and single values: what is taken, and the same type back.

None of the libraries is imported before a column of it is given.
"""

import datetime
import importlib
import re
from typing import Any

import numpy as np
import numpy.typing as npt

from dirpriv._inputs import times, validate
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._inputs.validate import library
from dirpriv._lib.types import Integers, Mask

_LAZY = {"dask", "dask_expr", "pyspark", "ibis", "duckdb", "_duckdb"}
_KNOWN = (list, tuple, np.ndarray, np.generic, str, datetime.datetime, datetime.time, datetime.timedelta)
_TIME_TYPE = re.compile(r"time(32|64)?(\[\w+\])?", re.IGNORECASE)

CellValues = npt.NDArray[Any]
"""What may be released: float64, timedelta64[us], or objects that are texts or ``datetime.time``."""


def check(name: str, column: Any, keep_index: bool) -> None:
    """Raise an error for what is no column, is computed when it is asked for, or has an index that tells."""
    kind = type(column).__name__
    if is_lazy(column):
        hint = "give its values, by collect(), compute() or toPandas(): a lazy column may be computed"
        hint += " again, which adds new noise and costs the level again"
        raise InvalidArgument(name, f"is lazy ({library(column)} {kind})", hint=hint)
    if (hasattr(column, "columns") or hasattr(column, "column_names")) and not isinstance(column, np.ndarray):
        # without the name of a column: of a file without a line of names it is a value
        raise InvalidArgument(name, "must be one column, not a table", hint="give table['name']")
    if library(column) == "pandas" and kind.endswith("Index"):
        rule = "is an index of pandas, which would be kept beside the released values"
        raise InvalidArgument(name, rule, hint="give a column, as pandas.Series(list(index))")
    if not _is_known(column):
        rule = "must be a list, an array of NumPy, a column of pandas, Polars or Arrow, or one value"
        hint = "make a list of it, in an order that does not depend on the values"
        raise InvalidArgument(name, f"{rule}; got the type {kind}", hint=hint)
    if _is_series(column, "pandas") and not keep_index:
        dtypes = (level.dtype for level in getattr(column.index, "levels", [column.index]))
        if wrong := [dtype for dtype in dtypes if dtype.kind not in "iu"]:
            rule = f"has an index that is not of integers ({wrong[0]}), and it may be the true values"
            keep = f"keep it by {named('keep_index', True)} if it depends on nothing private"
            raise InvalidArgument(name, rule, hint=f"drop it by reset_index(drop=True), or {keep}")


def is_lazy(column: Any) -> bool:
    """Whether it is computed only when it is asked for, and each time again."""
    return library(column) in _LAZY or type(column).__name__ in ("LazyFrame", "Expr")


def _is_known(column: Any) -> bool:
    """Whether it is a column, or a single value."""
    if column is None or isinstance(column, _KNOWN) or type(column).__name__ == "NAType":
        return True
    if library(column) == "pyarrow":
        return hasattr(column, "to_numpy")
    is_series = _is_series(column, "pandas") or _is_series(column, "polars")
    return is_series or (np.ndim(column) == 0 and validate.is_number(column))


def refuse_two_indexes(name: str, column: Any, other_name: str, other: Any) -> None:
    """Raise an error for two columns of pandas whose rows do not belong together."""
    if _is_series(column, "pandas") and _is_series(other, "pandas") and not column.index.equals(other.index):
        rule = f"'{name}' and '{other_name}' have different indexes: their rows may not belong together"
        raise InvalidArgument(rule, hint="take both from one table")


def readable(column: Any) -> Any:
    """The column, of a type that every reader knows."""
    if _is_series(column, "pandas"):
        if hasattr(column, "cat"):
            return column.astype(column.cat.categories.dtype)
        if _is_arrow_in_pandas(column):
            return importlib.import_module("pyarrow").array(column)
    return column


def kind_of(column: Any, values: npt.NDArray[Any]) -> str:
    """What a column holds, from itself and its array of NumPy."""
    if _TIME_TYPE.fullmatch(str(getattr(column, "dtype", getattr(column, "type", "")))):
        return "times"
    if values.dtype.kind not in "OU":
        return {"M": "timestamps", "m": "durations"}.get(values.dtype.kind, "numbers")
    value = validate.first(values)
    if value is None or isinstance(value, str):
        kind = times.kind_of_text(value or "")
        return {"number": "numbers", "stamp": "timestamps as texts"}.get(kind or "", "texts")
    if isinstance(value, datetime.datetime | np.datetime64):
        return "timestamps"
    if isinstance(value, datetime.timedelta | np.timedelta64):
        return "durations"
    return "times" if isinstance(value, datetime.time) else "numbers"


def has_times_of_day(column: Any) -> bool:
    """Whether there is a type for times of day where this column's timestamps come from."""
    is_native = isinstance(column, np.ndarray | np.generic) or _is_series(column, "pandas")
    return not is_native or column.dtype.kind == "O"


def as_type_of(column: Any, table: CellValues, rows: Integers, missing: Mask) -> Any:
    """Rows of a table in a column of the type, name and index of another; empty where ``missing`` holds."""
    if _is_series(column, "polars"):
        polars: Any = importlib.import_module("polars")
        index = polars.Series(rows).set(polars.Series(missing), None)
        return polars.Series(column.name, _plain(table)).gather(index)
    if library(column) == "pyarrow":
        released = _as_arrow(column.type, table, rows, missing)
        chunked = importlib.import_module("pyarrow").chunked_array
        return chunked([released]) if hasattr(column, "chunks") else released
    if _is_series(column, "pandas"):
        values = _as_pandas(column, table, rows, missing)
        kept = object if column.dtype == object and values.dtype == object else None
        series = importlib.import_module("pandas").Series
        return series(values, index=column.index, name=column.name, dtype=kept)
    if isinstance(column, np.ndarray | np.generic):
        if isinstance(column, np.ma.MaskedArray):
            return np.ma.array(_as_numpy(column.dtype, table, rows, np.zeros_like(missing)), mask=missing)
        return _as_numpy(column.dtype, table, rows, missing)
    none = np.full(missing.shape, np.nan if table.dtype.kind == "f" else None, dtype=object)
    values = np.where(missing, none, table.astype(object)[rows]).tolist()
    return tuple(values) if isinstance(column, tuple) else values


def beside(column: Any, values: npt.NDArray[Any]) -> Any:
    """Values in a column of the library of another column or table, and of its index."""
    name = library(column)
    if name not in ("polars", "pyarrow", "pandas"):
        return values
    module = importlib.import_module(name)
    if name == "pandas":
        return module.Series(values, index=getattr(column, "index", None))
    return module.Series(values) if name == "polars" else module.array(values)


def _as_numpy(kind: Any, table: CellValues, rows: Integers, missing: Mask) -> Any:
    """An array of objects or texts where the column, of this dtype, was one."""
    if table.dtype == object and kind.kind in "UT":
        table = table.astype(str if kind.kind == "U" else kind)
    elif isinstance(kind, np.dtypes.ObjectDType) and table.dtype.kind == "m":
        table = table.astype(object)
    values = np.asarray(table[rows])
    if missing.any():
        none = {"f": np.nan, "m": np.timedelta64("NaT")}.get(table.dtype.kind)
        values[missing] = none if table.dtype.kind in "fm" else getattr(kind, "na_object", None)
    return values[()]


def _as_pandas(column: Any, table: CellValues, rows: Integers, missing: Mask) -> Any:
    pandas: Any = importlib.import_module("pandas")
    if _is_arrow_in_pandas(column):
        values = _as_arrow(column.dtype.pyarrow_dtype, table, rows, missing)
        return pandas.array(values, dtype=pandas.ArrowDtype(values.type))
    nullable = pandas.arrays.IntegerArray | pandas.arrays.FloatingArray
    if table.dtype.kind == "f" and isinstance(column.array, nullable):
        return pandas.arrays.FloatingArray(table[rows], missing)
    if table.dtype == object and isinstance(column.dtype, pandas.StringDtype):
        return pandas.array(table, dtype=column.dtype).take(np.where(missing, -1, rows), allow_fill=True)
    return _as_numpy(column.dtype, table, rows, missing)


def _as_arrow(kind: Any, table: CellValues, rows: Integers, missing: Mask) -> Any:
    arrow: Any = importlib.import_module("pyarrow")
    values = arrow.array(_plain(table)).take(arrow.array(rows, mask=missing))
    as_texts = table.dtype == object and str(kind) in ("large_string", "string_view")
    return values.cast(kind) if as_texts else values


def _plain(table: CellValues) -> Any:
    return table.tolist() if table.dtype == object else table


def _is_series(column: Any, name: str) -> bool:
    return library(column) == name and type(column).__name__ == "Series"


def _is_arrow_in_pandas(column: Any) -> bool:
    return type(column.dtype).__name__ == "ArrowDtype"
