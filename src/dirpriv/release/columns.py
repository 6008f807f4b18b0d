"""Columns in, private columns out: times of day, places of a city and items of a list, each released in one call."""

import datetime
import functools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NotRequired, TypedDict, TypeVar, Unpack, overload

import numpy as np
import numpy.typing as npt

from dirpriv._inputs import clock_units, columns, validate
from dirpriv._inputs.angles import refuse_swapped
from dirpriv._inputs.columns import CellValues
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._inputs.times import are_numbers
from dirpriv._lib.formatting import exactly
from dirpriv._lib.types import Integers, Mask, Metres, Missing, Outside, WithUnit
from dirpriv.exact.circle_cells import CircleCells
from dirpriv.exact.finite import FiniteRelease
from dirpriv.exact.plane_cells import PlaneCells
from dirpriv.exact.sampling import random_words
from dirpriv.release.release_arguments import (
    INSIDE_IS_SEEN,
    OUTSIDE,
    circle_cells,
    is_turn,
    place_release,
    time_radius,
    time_release,
)

Duration = str | datetime.timedelta | np.timedelta64
ColumnType = TypeVar("ColumnType")
Latitude = TypeVar("Latitude")
Longitude = TypeVar("Longitude")


class _Options(TypedDict):
    """Keywords of :func:`times`."""

    level: float
    radius: Duration
    cells: NotRequired[int]
    period: NotRequired[WithUnit]
    unit: NotRequired[str | None]
    missing: NotRequired[Missing]
    keep_index: NotRequired[bool]


@overload
def times(column: float, **options: Unpack[_Options]) -> float: ...  # numpydoc ignore=GL08
@overload
def times(column: datetime.datetime, **options: Unpack[_Options]) -> Any: ...  # numpydoc ignore=GL08
@overload
def times(column: list[Any], **options: Unpack[_Options]) -> list[Any]: ...  # numpydoc ignore=GL08
@overload
def times(  # numpydoc ignore=GL08
    column: npt.NDArray[Any], **options: Unpack[_Options]
) -> npt.NDArray[Any]: ...
@overload
def times(column: ColumnType, **options: Unpack[_Options]) -> ColumnType: ...  # numpydoc ignore=GL08
def times(
    column: Any,
    *,
    level: float,
    radius: Duration,
    cells: int = 1440,
    period: WithUnit = "24h",
    unit: str | None = None,
    missing: Missing = "stop",
    keep_index: bool = False,
) -> Any:
    """Release the times of a column, each separately, as times of day without a date.

    A list, an array of NumPy, or a column of pandas, Polars or Arrow comes back as the same type. What is
    released is a cell of the day, a minute unless ``cells`` says otherwise, by :class:`CircleRelease`. It is
    written as the middle of the cell, so that means need no correction:

    ==============================================  ========================================================
    what the column holds                           what is released
    ==============================================  ========================================================
    numbers or texts ``"8.25"``, with ``unit``      hours (of ``"deg"`` degrees) as float64, in pandas
                                                    Float64 for Int64, Float64
    texts ``"08:15"``, ``"2024-03-05 08:15:30"``    texts ``"08:15:30"``, with as few digits as are exact
    datetime.time, Time, time32, time64             the same, to the microsecond (time64[us])
    durations                                       durations: timedelta64[us] and the like
    timestamps of Polars, Arrow; datetime.datetime  times of day: Time, time64[us]; datetime.time
    datetime64 of NumPy and pandas                  timedelta64[us] since midnight, as these have no
                                                    type for times of day
    timestamps where the period is ``"7d"``         durations since Monday, 0 h
    ==============================================  ========================================================

    All of these are read again by :func:`dirpriv.geometry.hours_to_angles`, for estimators such as
    :func:`dirpriv.estimators.estimate_histogram`, and fall into the released cell. Where the middle of a cell
    is no whole number of microseconds, it is rounded down.

    Each value gives one released value. Order, index and name of the input are kept. **None of them may
    depend on the values:** from a column that is sorted by the true times, those can be recovered to a few
    minutes. ``attrs`` of pandas are not kept.

    The guarantee is for each response. Any two times at most ``radius`` apart are indistinguishable at
    ``level``. Levels of several releases of the same response add up. The levels of a person's rows also add
    up. The time that a draw takes is not covered.

    Parameters
    ----------
    column : list, tuple, ndarray, pandas.Series, polars.Series, pyarrow.Array or ChunkedArray
        Times of one kind, or one time. Timestamps with a time zone give the local time of day there (of UTC in UTC:
        convert them first), and ``radius`` is of times on that clock, not of elapsed time: where it is put forward by
        an hour, two instants of a second apart are an hour apart. Timestamps without one are taken for local times:
        whether they are, a column does not tell. ``"24:00"`` and 24.0 are midnight.
    level : float, keyword-only
        The level ℓ of indistinguishability.
    radius : str or timedelta, keyword-only
        The radius: a duration such as ``"75min"`` or ``"3h"``, or an angle such as ``"45deg"``, at most half
        the period. It is exact.
    cells : int, keyword-only
        Number of cells of a period, from 2 to 100 000: 1440 are the minutes of a day.
    period : str, timedelta or float, keyword-only
        ``"24h"``, or ``"7d"`` for times of the week, of which texts and times without a date have none. Other
        periods are taken for durations and numbers, and parts of a day for all.
    unit : {"h", "hourbin", "min", "s", "day", "deg"}, keyword-only
        What numbers count from the beginning of the period; needed for numbers, and for them alone.
        ``"hourbin"`` is an hour of the clock: 18 is 18:00 to 18:59, read as 18:30. ``"day"`` is a fraction of
        a day, as spreadsheets have it, read to the nearest second. 360 ``"deg"`` are the period.
    missing : {"stop", "keep"}, keyword-only
        Whether a missing value (None, nan, NaT, null, masked) is an error, or stays missing. Who is missing
        is then seen by everybody and not protected.
    keep_index : bool, keyword-only
        An index of pandas that is not of integers may hold the true times, and is refused unless this is
        true. An index of integers must not depend on the values either.

    Raises
    ------
    ValueError
        If an argument is wrong, or a row is missing or cannot be read: with the row and the rule, and without
        the value. Nothing is drawn then.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import release
    >>> private = release.times(["08:15", "09:00", "23:45"], level=1.0, radius="3h")
    >>> len(private), len(private[0])
    (3, 8)
    >>> arrivals = np.array(["2024-03-01T08:15", "NaT"], dtype="datetime64[s]")
    >>> release.times(arrivals, level=1e6, radius="3h", missing="keep").astype("timedelta64[s]")
    array([29730, 'NaT'], dtype='timedelta64[s]')
    """
    circle = circle_cells(cells, period)
    release = time_release(level, time_radius(radius, circle, is_turn(period)), circle)
    readable, values, absent, inputs = _cells(column, circle, unit, missing, keep_index)
    kind = columns.kind_of(readable, values)
    if kind == "timestamps as texts":
        kind = "texts" if circle.period <= 24 else "durations"
    elif kind == "timestamps":
        kind = "times" if circle.period <= 24 and columns.has_times_of_day(readable) else "durations"
    table = _middles(kind, circle.count, Fraction(360) if unit == "deg" else circle.period)
    released = np.zeros_like(inputs)
    released[~absent] = release._released(inputs[~absent])
    return columns.as_type_of(column, table, released, absent)


def places(
    latitude: Latitude,
    longitude: Longitude,
    *,
    level: float,
    radius: Metres,
    region_centre: tuple[float, float],
    region_reach: Metres,
    cell_size: Metres,
    missing: Missing = "stop",
    outside: Outside = "clamp",
    keep_index: bool = False,
) -> tuple[Latitude, Longitude]:
    """Release places of a city, each separately, from a column of latitudes and one of longitudes.

    Lists, arrays of NumPy, and columns of pandas, Polars or Arrow come back as the same types, of float64.
    They hold the centres of cells of a public lattice, by :class:`PlaneRelease`, with longitudes in [-180,
    180), for :func:`dirpriv.estimators.estimate_place_density`. ``region_centre``, ``region_reach`` and
    ``cell_size`` describe the lattice. Do not derive them from the data, because a box around all places
    shows where the outermost person is.

    The guarantee is as of :func:`times`, for places at most ``radius`` apart on the ground. As there, order, index and
    name are kept, and **none of them may depend on the values:** a table that is sorted by place gives places away.

    Parameters
    ----------
    latitude, longitude : list, tuple, ndarray, pandas.Series, polars.Series, pyarrow.Array or ChunkedArray
        Degrees from -90 to 90, and from -180 to 360, or one number each. Two columns of pandas must have the
        same index.
    level, radius, region_centre, region_reach, cell_size : keyword-only
        As for :meth:`PlaneRelease.within`.
    missing : {"stop", "keep"}, keyword-only
        As for :func:`times`; a row that stays missing is missing in both columns.
    outside : {"clamp", "stop", "keep"}, keyword-only
        Whether a place beyond the reach is moved to the border, is an error, or becomes missing. Who is outside is then
        seen by everybody and not protected. To publish after ``"stop"`` tells that nobody was.
    keep_index : bool, keyword-only
        As for :func:`times`.

    Raises
    ------
    ValueError
        As of :func:`times`, and if two or more places lie all within the reach, but only with latitude and
        longitude exchanged; one place alone may be there by right.

    Examples
    --------
    >>> from dirpriv import release
    >>> city = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "10m"}
    >>> north, east = release.places([40.758, 40.689], [-73.985, -74.045], level=1.0, radius="200m", **city)
    >>> len(north), len(east)
    (2, 2)
    """
    validate.check_word("outside", outside, "clamp", "stop", "keep")
    region = PlaneCells.from_arguments(region_centre, region_reach, cell_size)
    release = place_release(level, radius, region)
    _, north, no_north = _read("latitude", latitude, missing, keep_index)
    _, east, no_east = _read("longitude", longitude, missing, keep_index)
    refuse_swapped(latitude, longitude)
    columns.refuse_two_indexes("latitude", latitude, "longitude", longitude)
    if north.shape == east.shape:
        gone = no_north | no_east
        north, east = validate.filled(north, gone, 0.0), validate.filled(east, gone, 0.0)
    cells = release.cells_of(north, east)  # refuses two shapes
    if outside != "clamp":
        beyond = region.outside(north, east) & ~gone
        if outside == "stop":
            validate.refuse("latitude", beyond, OUTSIDE, INSIDE_IS_SEEN)
        gone = gone | beyond
    released = release.centres(*release.randomise_cells(*(cell[~gone] for cell in cells)))
    numbers = np.zeros(gone.shape, dtype=np.intp)
    numbers[~gone] = np.arange(np.count_nonzero(~gone))
    first, second = (table if table.size else np.zeros(1) for table in released)
    latitudes = columns.as_type_of(latitude, first, numbers, gone)
    return latitudes, columns.as_type_of(longitude, second, numbers, gone)


def items(
    column: ColumnType,
    *,
    items: Sequence[Any],
    level: float,
    radius: WithUnit,
    unknown: str | None = None,
    most_unchanged: float = 1.0,
    public_list: bool = False,
    missing: Missing = "stop",
    keep_index: bool = False,
    **distance: Any,
) -> ColumnType:
    """Release the items of a column, each separately, as items of a public list: venues, words or codes.

    A list, an array of NumPy, or a column of pandas, Polars or Arrow comes back as the same type, by
    :class:`FiniteRelease`. The guarantee is as of :func:`times`, for items at most ``radius`` apart. As there, order,
    index and name are kept, and **none of them may depend on the values**.

    **An item without others near it is hardly protected:** if a single venue stands alone, nearly each of its
    visitors is released there. ``most_unchanged`` refuses such a list. Everybody may know the list, and what it is:
    it must not be made from the data.

    Parameters
    ----------
    column : list, tuple, ndarray, pandas.Series, polars.Series, pyarrow.Array or ChunkedArray
        Items of the list, texts or whole numbers, or one item.
    items, level, radius, unknown, most_unchanged : keyword-only
        As for :meth:`FiniteRelease.within`.
    public_list : bool, keyword-only
        A list of exactly the items that occur in the column is refused, as made from it, unless this is true.
    missing, keep_index : keyword-only
        As for :func:`times`.
    **distance : keyword-only
        One of ``places``, ``points``, ``vectors``, ``edges`` and ``distance``, as for :class:`FiniteRelease`.

    Raises
    ------
    ValueError
        As of :func:`times`, and as of :meth:`FiniteRelease.within`.

    Examples
    --------
    >>> from dirpriv import release
    >>> venues = {"bakery": (40.750, -73.980), "museum": (40.751, -73.981), "harbour": (40.700, -74.010)}
    >>> public = {"items": list(venues), "places": list(venues.values())}
    >>> private = release.items(["bakery", "museum", "bakery"], level=1.0, radius="200m", **public)
    >>> len(private), set(private) <= set(venues)
    (3, True)
    >>> release.items(["harbour"], level=1.0, radius="200m", most_unchanged=0.9, **public)  # it stands alone
    Traceback (most recent call last):
    dirpriv.InvalidArgument: 'most_unchanged' is exceeded by the item 'harbour', which 100% of the draws leave as it \
is; got 0.9: give a lower 'level', a larger 'radius', or a list with more items near it
    """
    release = FiniteRelease.within(level, radius, items, unknown=unknown, most_unchanged=most_unchanged, **distance)
    _, values, absent = _read("column", column, missing, keep_index)
    numbers = release._indices("column", values, absent)[~absent]
    if not public_list and np.array_equal(np.unique(numbers), np.arange(len(items))):
        rule = "has exactly the items that occur in the column, as if it were made from it"
        hint = f"give a list that does not depend on the data, and {named('public_list', True)} if it is one"
        raise InvalidArgument("items", rule, hint=hint)
    released = np.zeros(absent.shape, dtype=np.intp)
    released[~absent] = release.randomise_indices(numbers)
    is_whole = not absent.any() and all(isinstance(item, int) for item in release.items)
    return columns.as_type_of(column, np.array(release.items, dtype=int if is_whole else object), released, absent)


def shuffle_keys(column: Any) -> Any:
    """Random integers, one for each row. Rows that are sorted by these integers are in a random order.

    They are of int64, from 0 to 2^63 - 1, in a column of the library of the input and with its index; of 10^9 keys, two
    are equal with a probability of 5 %. They are for engines that sort by a column and read one block of rows at a
    time. They are bits of the operating system, new at every call, and do not depend on what the column holds. An
    engine's own ``random()`` is a generator with a seed. Anyone who guesses the seed knows the order of the input.

    Store the keys together with what is released, sort by them, and leave them out. If they are drawn again
    in between, as a lazy engine may do, rows are lost and others are doubled.

    Parameters
    ----------
    column : list, ndarray, pandas.Series, polars.Series, pyarrow.Array or ChunkedArray
        Anything with a length: a data frame or a record batch, too. Without one, or lazy, it is a ValueError.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import release
    >>> keys = release.shuffle_keys(["08:15", "09:00", "23:45"])
    >>> keys.dtype, sorted(np.argsort(keys).tolist())
    (dtype('int64'), [0, 1, 2])
    """
    if not hasattr(column, "__len__") or columns.is_lazy(column):
        rule = f"must have rows to count, and the type {type(column).__name__} has none"
        raise InvalidArgument("column", rule, hint="compute it first")
    return columns.beside(column, (random_words(len(column)) >> np.uint64(1)).astype(np.int64))


def _cells(
    column: Any, circle: CircleCells, unit: Any, missing: Any, keep_index: Any
) -> tuple[Any, npt.NDArray[Any], Mask, Integers]:
    """A column of times as readers know it, its values, which are missing, and their cells."""
    clock_units.check(unit)
    if unit in clock_units.EPOCHS:
        convert = f"pandas.to_datetime(column, unit={clock_units.EPOCHS[unit][0]!r}, utc=True).dt.tz_convert(zone)"
        hint = f"convert it to local time first, as by {convert}"
        raise InvalidArgument("unit", "counts time in UTC, which has no place on a clock", hint=hint)
    counted = None if unit is None else clock_units.count(unit, circle.period)
    readable, values, absent = _read("column", column, missing, keep_index)
    if validate.first(values) is not None:
        clock_units.refuse_none("'column'", unit, are_numbers(values))
    return readable, values, absent, circle.index_array("column", values, counted)


def _read(name: str, column: Any, missing: str, keep_index: bool) -> tuple[Any, npt.NDArray[Any], Mask]:
    """The column as readers know it, its values, and which are missing."""
    validate.check_word("missing", missing, "stop", "keep")
    if not isinstance(keep_index, bool):
        raise InvalidArgument("keep_index", "must be True or False", got=keep_index)
    columns.check(name, column, keep_index)
    readable = columns.readable(column)
    values, absent = validate.array_and_missing(readable)
    if values.ndim > 1:
        raise InvalidArgument(name, f"must be one column; got the shape {values.shape}")
    if missing == "stop":
        hint = "leave the row out, or give missing='keep' (a released column then shows which are missing)"
        validate.refuse(name, absent, "has no value", hint)
    return readable, values, absent


@functools.lru_cache(maxsize=8, typed=True)
def _middles(kind: str, cells: int, period: Fraction) -> CellValues:
    """The middle of each cell, in whole microseconds where it is no number."""
    if kind == "numbers":
        table: CellValues = CircleCells(cells, period).hours(np.arange(cells))
    else:
        half = period * 1_800_000_000 / cells  # in microseconds
        if half < 1:
            rule = f"cells of {float(2 * half)!r} microseconds are too narrow for {kind}"
            raise InvalidArgument(rule, hint=f"give hours as numbers, or fewer {named('cells')}")
        ticks = [(2 * i + 1) * half.numerator // half.denominator for i in range(cells)]
        table = np.array(ticks, dtype="timedelta64[us]")
        if kind == "times":
            midnight, times_of_day = datetime.datetime.min, table % np.timedelta64(1, "D")
            table = np.array([(midnight + tick).time() for tick in times_of_day.tolist()], dtype=object)
        elif kind == "texts":
            step = half.numerator if half.denominator == 1 else 1
            table = np.array([exactly(tick, step, 24.0) for tick in ticks], dtype=object)
    table.flags.writeable = False
    return table
