"""Columns of times and places: what comes back, in which type, and what is refused before any draw."""

import datetime as dt
import fractions
import functools
import itertools
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from scipy import stats
from statistics_of_draws import ALPHA

from dirpriv import InvalidArgument, estimators, geometry, release
from dirpriv.exact import sampling
from dirpriv.exact.circle_cells import CircleCells
from dirpriv.release import CircleRelease, PlaneRelease, columns

SURE = {"level": 1e6, "radius": "3h"}  # the cell of the input is released, but for a probability of 1e-17
CITY = {"region_centre": (40.75, -73.98), "region_reach": "30km", "cell_size": "10m"}
NEAR = {"level": 1e6, "radius": "200m", **CITY}
STAMPS = np.array(["2024-02-29T08:15:59.999", "1955-01-01T23:59:00"], dtype="datetime64[ms]")  # Thursday, Saturday
TEXTS = ["08:15:30", "23:59:30"]
CLOCKS = [dt.time(8, 15, 30), dt.time(23, 59, 30)]
SINCE = [dt.timedelta(hours=8, minutes=15, seconds=30), dt.timedelta(hours=23, minutes=59, seconds=30)]
HOURS = [8 + 15.5 / 60, 23 + 59.5 / 60]
OSLO = ZoneInfo("Europe/Oslo")


def times(column, **how):
    """What is released; of numbers of hours, once it has been asked what they count."""
    try:
        return release.times(column, **how)
    except InvalidArgument as error:
        if "contains numbers without a unit" not in str(error):
            raise
    return release.times(column, unit="h", **how)


def of_the_week(stamps):
    return [dt.timedelta(days=stamp.weekday()) + since for stamp, since in zip(stamps, SINCE, strict=True)]


# ---------------------------------------------------------------- the same type back


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ([8.26, 23.99], HOURS),
        ((8.26, 23.99), tuple(HOURS)),
        (["8:15", " 23:59:59.9999999999 "], TEXTS),
        ([dt.time(8, 15, 1), dt.time(23, 59)], CLOCKS),
        (STAMPS.tolist(), CLOCKS),
        ([stamp.replace(tzinfo=OSLO) for stamp in STAMPS.tolist()], CLOCKS),
        (list(STAMPS), CLOCKS),
        ([dt.timedelta(hours=8.26), dt.timedelta(minutes=-1)], SINCE),
        ([np.timedelta64(495, "m"), np.timedelta64(-60, "s")], SINCE),
        ([fractions.Fraction(826, 100), fractions.Fraction(2399, 100)], HOURS),
        ("08:15", TEXTS[0]),
        (8.26, HOURS[0]),
        (8, 8 + 0.5 / 60),
        (dt.time(8, 15), CLOCKS[0]),
        (STAMPS.tolist()[0], CLOCKS[0]),
        (dt.timedelta(hours=8.26), SINCE[0]),
        ("24:00", "00:00:30"),
        (["24:00:00", "00:00"], ["00:00:30", "00:00:30"]),
        ([24.0, 0.0], [0.5 / 60, 0.5 / 60]),
        ([], []),
        ((), ()),
    ],
)
def test_lists_and_single_values(column, expected):
    found = times(column, **SURE)
    assert type(found) is type(expected)
    if isinstance(expected, list | tuple):
        assert [type(value) for value in found] == [type(value) for value in expected]
    if np.size(expected) and isinstance(np.ravel(expected)[0], float):
        found, expected = list(np.ravel(found)), pytest.approx(list(np.ravel(expected)), rel=1e-15, abs=0.0)
    assert found == expected


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (np.array([8.26, 23.99]), np.array(HOURS)),
        (np.array([8.26, 23.99], dtype="f4"), np.array(HOURS)),
        (np.array([8, 23]), np.array([8, 23]) + 0.5 / 60),
        (np.array([8.26, 23.99], dtype=object), np.array(HOURS)),
        (STAMPS, np.array(SINCE, dtype="m8[us]")),
        (STAMPS.astype("M8[ns]"), np.array(SINCE, dtype="m8[us]")),
        (STAMPS.astype(object), np.array(CLOCKS)),
        (np.array(SINCE, dtype="m8[s]"), np.array(SINCE, dtype="m8[us]")),
        (np.array(SINCE), np.array(SINCE)),
        (np.array(["08:15", "23:59"]), np.array(TEXTS)),
        (np.array(["08:15", "23:59"], dtype=object), np.array(TEXTS, dtype=object)),
        (np.array(["08:15", "23:59"], np.dtypes.StringDType()), np.array(TEXTS, np.dtypes.StringDType())),
        (np.datetime64("2024-02-29T08:15"), np.timedelta64(29730, "s").astype("m8[us]")),
        (np.float32(8.26), np.float64(HOURS[0])),
        (np.array(8.26), np.float64(HOURS[0])),
        (np.str_("08:15"), np.str_(TEXTS[0])),
        (np.ma.array([8.26, 23.99], mask=[False, False]), np.ma.array(HOURS)),
        (np.array([], dtype="M8[s]"), np.array([], dtype="m8[us]")),
    ],
)
def test_arrays_of_numpy(column, expected):
    found = times(column, **SURE)
    assert type(found) is type(expected) and found.dtype == expected.dtype and found.shape == expected.shape
    assert np.array_equal(found, expected) if found.dtype.kind != "f" else np.allclose(found, expected, 1e-15)


def pandas_columns(pd):
    stamps = pd.Series(STAMPS)
    zoned = stamps.dt.tz_localize("Europe/Oslo")
    texts = ["08:15", "23:59"]
    native, nullable = pd.Series(SINCE, dtype="m8[us]"), pd.Series(HOURS, dtype="Float64")
    yield from ((pd.Series([8.26, 23.99], dtype=dtype), pd.Series(HOURS)) for dtype in ("f8", "f4", object))
    yield pd.Series([8.26, 23.99], dtype="Float64"), nullable
    yield pd.Series([8, 23], dtype="Int32"), pd.Series([8 + 0.5 / 60, 23 + 0.5 / 60], dtype="Float64")
    yield from ((stamps.astype(f"M8[{unit}]"), native) for unit in ("s", "ms", "us", "ns"))
    yield from ((column, native) for column in (zoned, zoned.dt.tz_convert("Asia/Tokyo").dt.tz_convert(OSLO)))
    yield native.astype("m8[ns]"), native
    for objects in (stamps.dt.time, stamps.astype(object), zoned.astype(object), pd.Series(list(STAMPS), dtype=object)):
        yield objects, pd.Series(CLOCKS, dtype=object)
    yield pd.Series(texts, dtype=object), pd.Series(TEXTS, dtype=object)
    yield from (
        (pd.Series(texts, dtype=kind), pd.Series(TEXTS, dtype=kind)) for kind in ("string", pd.StringDtype("python"))
    )
    yield pd.Series(texts, dtype="category"), pd.Series(TEXTS)
    yield stamps.astype("category"), native


def test_columns_of_pandas():
    pd = pytest.importorskip("pandas")
    for column, expected in pandas_columns(pd):
        column.name, column.index = "arrival", pd.Index([7, 3], name="row")
        expected.name, expected.index = column.name, column.index
        column.attrs["first"] = "08:15"
        found = times(column, **SURE)
        pd.testing.assert_series_equal(found, expected, rtol=1e-15, atol=0.0)
        assert found.attrs == {}
    week = times(pd.Series(STAMPS), period="7d", cells=7 * 1440, **SURE)
    assert week.tolist() == of_the_week(STAMPS.tolist())


@pytest.mark.arrow
def test_columns_of_pandas_on_arrow():
    pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    stamps = pa.array(STAMPS)
    for values, expected in (
        (stamps, pa.array(CLOCKS)),
        (stamps.cast(pa.timestamp("ns")), pa.array(CLOCKS)),
        (pa.array(["08:15", "23:59"]), pa.array(TEXTS)),
        (pa.array([8.26, 23.99]), pa.array(times([8.26, 23.99], **SURE))),
        (pa.array(SINCE), pa.array(SINCE)),
        (pa.array(CLOCKS, pa.time64("ns")), pa.array(CLOCKS)),
    ):
        found = times(pd.Series(values, dtype=pd.ArrowDtype(values.type), name="t"), **SURE)
        assert found.dtype == pd.ArrowDtype(expected.type) and found.name == "t"
        assert found.tolist() == expected.to_pylist()


def test_columns_of_polars():
    pl = pytest.importorskip("polars")
    stamps = pl.Series("arrival", STAMPS)
    zoned = stamps.dt.replace_time_zone("Europe/Oslo")
    texts = pl.Series("arrival", ["08:15", "23:59"])
    for column, dtype, expected in (
        (stamps, pl.Time, CLOCKS),
        (stamps.dt.cast_time_unit("ns"), pl.Time, CLOCKS),
        (zoned, pl.Time, CLOCKS),
        (stamps.dt.time(), pl.Time, CLOCKS),
        (pl.Series("arrival", SINCE), pl.Duration("us"), SINCE),
        (texts, pl.String, TEXTS),
        (texts.cast(pl.Categorical), pl.String, TEXTS),
        (pl.Series("arrival", [8.26, 23.99]), pl.Float64, times([8.26, 23.99], **SURE)),
        (pl.Series("arrival", [8, 23]), pl.Float64, times([8, 23], **SURE)),
    ):
        found = times(column, **SURE)
        assert type(found) is pl.Series and (found.name, found.dtype) == ("arrival", dtype)
        assert found.to_list() == expected
    week = times(stamps, period="7d", cells=7 * 1440, **SURE)
    assert week.to_list() == of_the_week(STAMPS.tolist())


@pytest.mark.arrow
def test_columns_of_arrow():
    pa = pytest.importorskip("pyarrow")
    stamps, texts = pa.array(STAMPS), pa.array(["08:15", "23:59"])
    for column, kind, expected in (
        (stamps, pa.time64("us"), CLOCKS),
        (stamps.cast(pa.timestamp("ns")), pa.time64("us"), CLOCKS),
        (pa.array(CLOCKS), pa.time64("us"), CLOCKS),
        (pa.array(CLOCKS, pa.time32("s")), pa.time64("us"), CLOCKS),
        (pa.array(SINCE), pa.duration("us"), SINCE),
        (texts, pa.string(), TEXTS),
        (texts.cast(pa.large_string()), pa.large_string(), TEXTS),
        (texts.dictionary_encode(), pa.string(), TEXTS),
        (pa.array([8.26, 23.99]), pa.float64(), times([8.26, 23.99], **SURE)),
    ):
        found = times(column, **SURE)
        assert isinstance(found, pa.Array) and found.type == kind and found.to_pylist() == expected
        chunks = times(pa.chunked_array([column[:1], column[1:]]), **SURE)
        assert isinstance(chunks, pa.ChunkedArray) and chunks.to_pylist() == expected
    pytest.importorskip("pandas")
    utc = pa.array(
        [dt.datetime(2024, 7, 1, 6, 15), dt.datetime(2024, 1, 1, 22, 59)], pa.timestamp("us", tz="Europe/Oslo")
    )
    assert times(utc, **SURE).to_pylist() == CLOCKS


@pytest.mark.arrow
def test_a_nanosecond_before_a_border_is_not_rounded_over_it():
    """7 cells of a day have borders that are no whole microseconds: 12342857142857.14 ns is the first."""
    for tick, cell in ((12_342_857_142_857, 0), (12_342_857_142_858, 1)):
        given = [
            np.array([tick], "m8[ns]"),
            np.array([tick], "M8[ns]"),
            ["03:25:42.857142857" if cell == 0 else "03:25:42.857142858"],
        ]
        try:
            import polars as pl
            import pyarrow as pa

            given += [
                pl.Series([tick]).cast(pl.Time),
                pa.array([tick], pa.time64("ns")),
                pl.Series([tick]).cast(pl.Datetime("ns")),
            ]
        except ImportError:
            pass
        for column in given:
            found = times(column, level=1e6, radius="12h", cells=7)
            assert CircleCells(7, "24h").index_times(found).tolist() == [cell]


# ---------------------------------------------------------------- what is released lies in its cell

COUNTS = [2, 7, 24, 96, 100, 1440, 1441, 10_007]


def cells_of(kind, cells, period, tables):
    return CircleCells(cells, period).index_times(tables(kind, cells, CircleCells(cells, period).period))


@pytest.mark.parametrize("cells", COUNTS)
def test_what_is_released_is_read_as_its_cell(cells):
    for kind in ("numbers", "texts", "times", "durations"):
        assert np.array_equal(cells_of(kind, cells, "24h", columns._middles), np.arange(cells))
    for kind, period in (("numbers", "7d"), ("durations", "7d"), ("times", "12h"), ("numbers", 24.3)):
        assert np.array_equal(cells_of(kind, cells, period, columns._middles), np.arange(cells))
    for kind in ("numbers", "texts", "times", "durations"):  # the estimators read it by this
        angles = geometry.hours_to_angles(columns._middles(kind, cells, fractions.Fraction(24)))
        assert np.array_equal(CircleCells(cells, "24h").index_angles(angles), np.arange(cells))


def test_the_beginnings_of_cells_cut_to_microseconds_are_not_read_as_their_cells():
    """The wrong variant of the test above."""

    def beginnings(kind, cells, period):
        return np.array([int(i * period * 3_600_000_000 / cells) for i in range(cells)], "m8[us]")

    assert not np.array_equal(cells_of("durations", 7, "24h", beginnings), np.arange(7))


def test_cells_that_are_too_narrow_for_a_type():
    narrow = {"level": 1.0, "radius": "0.0001s", "period": 1e-7, "cells": 1000}  # of 0.36 microseconds
    assert 0.0 <= times(5e-8, **narrow) <= 1e-7
    with pytest.raises(ValueError, match="microseconds are too narrow for durations: give hours as numbers"):
        times(dt.timedelta(0), **narrow)


# ---------------------------------------------------------------- draws


def p_value(found, level, inputs):
    """χ² of the steps between cells of 24, against the table of the level within 3 h."""
    steps = (np.floor(np.asarray(found)).astype(int) - inputs) % 24
    distribution = CircleRelease.within(level, "3h", cells=24).noise
    return stats.chisquare(np.bincount(steps, minlength=24), distribution.probabilities * steps.size).pvalue


@pytest.mark.parametrize(
    "radius", ["3h", "45deg", dt.timedelta(hours=3), np.timedelta64(180, "m"), "180min", "2h 60min"]
)
def test_the_level_is_that_within_the_radius(radius):
    """A right release fails with probability 1e-6; one of another level is caught."""
    inputs = np.arange(50_000) % 24
    found = times(inputs + 0.5, level=1.0, radius=radius, cells=24)
    assert p_value(found, 1.0, inputs) > ALPHA > p_value(found, 1.2, inputs)


def test_no_draw_is_made_twice():
    times_of_calls = [times([12.0] * 1000, level=1e-3, radius="3h") for _ in range(3)]
    places_of_calls = [
        release.places([40.75] * 1000, [-73.98] * 1000, level=1.0, radius="200m", **CITY)[0] for _ in range(3)
    ]
    for calls in (times_of_calls, places_of_calls):
        for a, b in itertools.combinations(calls, 2):
            # of 1440 nearly equal cells: more than 2 % in common has a probability below 1e-10
            assert np.mean(np.array(a) == np.array(b)) < 0.02


def test_a_radius_with_a_unit_is_exact():
    day = CircleCells(1440, "24h")
    for radius, distance in (
        ("6min", 6),
        ("0.1h", 6),
        ("0.10000000000000001h", 7),
        ("1.5deg", 6),
        ("15min", 15),
        ("12h", 720),
        ("180deg", 720),
    ):
        assert day.cells_within("radius", radius) == distance
    assert CircleCells(7, "7d").cells_within("radius", "1d") == 1
    assert CircleCells(7, "7d").cells_within("radius", "1d 1s") == 2


def test_the_order_is_kept_in_long_columns():
    minutes = np.random.default_rng(1).permutation(np.arange(3 * sampling.BLOCK) % 1440)
    found = times(minutes / 60.0 + 1e-3, **SURE)
    assert np.array_equal(np.floor(found * 60.0), minutes)


def test_from_a_column_to_a_private_histogram():
    """6 hours of the day hold all true times; the estimate sees them."""
    rng = np.random.default_rng(1)
    stamps = np.datetime64("2024-01-01T06:00") + rng.integers(0, 6 * 60, 20_000).astype("m8[m]")
    private = times(stamps, level=2.0, radius="3h", cells=96)
    distribution = CircleRelease.within(2.0, "3h", cells=96).noise
    day = estimators.estimate_histogram(geometry.hours_to_angles(private), distribution, bins=4)
    assert day.shares[1] > 0.9 and day.shares.sum() == pytest.approx(1.0)


# ---------------------------------------------------------------- missing values


def test_missing_values_of_lists_and_arrays_stay_missing():
    passing = {**SURE, "missing": "keep"}
    none = [None, "08:15", None]
    assert times(none, **passing) == [None, TEXTS[0], None]
    assert times([None, dt.time(8, 15)], **passing) == [None, CLOCKS[0]]
    assert times([STAMPS.tolist()[0], None], **passing) == [CLOCKS[0], None]
    assert times([None, STAMPS[0], np.datetime64("NaT")], **passing) == [None, CLOCKS[0], None]
    found = times([8.26, None, float("nan")], **passing)
    assert found[0] == pytest.approx(HOURS[0]) and np.isnan(found[1:]).all()
    assert np.isnan(times(float("nan"), **passing)) and times(None, **passing) is None
    assert times([None, None], **passing) == [None, None]
    found = times(np.array(["NaT", "2024-01-01T08:15"], "M8[s]"), **passing)
    assert np.isnat(found[0]) and found[1] == np.timedelta64(SINCE[0])
    found = times(np.ma.array([1.0, 8.26], mask=[True, False]), **passing)
    assert np.ma.getmaskarray(found).tolist() == [True, False] and found[1] == pytest.approx(HOURS[0])
    assert 1.0 not in np.round(found.data, 0)  # nothing true is left under the mask
    texts = np.array(["08:15", None], dtype=np.dtypes.StringDType(na_object=None))
    assert times(texts, **passing).tolist() == [TEXTS[0], None]
    assert times(np.array([None, "08:15"], dtype=object), **passing).tolist() == [None, TEXTS[0]]


@pytest.mark.arrow
def test_missing_values_of_other_columns_stay_missing():
    pd = pytest.importorskip("pandas")
    passing = {**SURE, "missing": "keep"}
    for column in (
        pd.Series([8.26, None]),
        pd.Series([8, None], dtype="Int64"),
        pd.Series([8.26, pd.NA], dtype="Float64"),
        pd.Series(["08:15", None]),
        pd.Series(["08:15", None], dtype="string"),
        pd.Series(["08:15", pd.NA], dtype=object),
        pd.Series(["08:15", None], dtype="category"),
        pd.Series(pd.to_datetime(["2024-01-01 08:15", None])),
        pd.Series(pd.to_datetime(["2024-01-01 08:15", None])).dt.tz_localize("Europe/Oslo"),
        pd.Series([dt.time(8, 15), None], dtype=object),
        pd.Series([pd.Timestamp("2024-01-01 08:15"), pd.NaT], dtype=object),
        pd.Series([pd.Timedelta("8h 15min"), pd.NaT]),
    ):
        with pytest.raises(ValueError, match="row 1 of 'column' has no value: leave the row out, or give"):
            times(column, **SURE)
        found = times(column, **passing)
        assert found.isna().tolist() == [False, True], column.dtype
        only = times(column[:0], **passing)
        assert len(only) == 0
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    for column in (
        pl.Series([8.26, None]),
        pl.Series([8, None]),
        pl.Series([8.26, float("nan")]),
        pl.Series(["08:15", None]),
        pl.Series([dt.time(8, 15), None]),
        pl.Series([dt.datetime(2024, 1, 1, 8, 15), None]),
        pl.Series([dt.timedelta(hours=8.26), None]),
    ):
        with pytest.raises(ValueError, match="row 1 of 'column' has no value"):
            times(column, **SURE)
        assert times(column, **passing).is_null().to_list() == [False, True]
        arrow = column.to_arrow()
        for again in (arrow, pa.chunked_array([arrow]), pd.Series(arrow, dtype=pd.ArrowDtype(arrow.type))):
            found = times(again, **passing)
            nulls = found.isna().tolist() if isinstance(found, pd.Series) else found.is_null().to_pylist()
            assert nulls == [False, True]
    assert times(pl.Series([None, None]), **passing).is_null().all()
    assert times(pa.nulls(2), **passing).null_count == 2


def test_errors_beside_missing_values_name_the_row_of_the_input():
    for column, words in (
        ([None, "08:15", "8.15"], "row 2 of 'column' is a text that is a number and row 1 is a text"),
        ([None, 3.0, 76.54], "row 2 of 'column' is not a number of hours"),
        (np.array([np.nan, 3.0, 76.54]), "row 2 of 'column' is not a number of hours"),
        ([None, dt.time(8), "08:15"], "row 2 of 'column' is a text and row 1 is a datetime.time"),
        ([None, fractions.Fraction(1), fractions.Fraction(99)], "row 2 of 'column' is not a number of hours"),
    ):
        with pytest.raises(ValueError, match=words):
            times(column, **SURE, missing="keep")


def test_missing_places_are_missing_in_both_columns():
    found = release.places([40.75, None, 40.76], np.array([-73.98, -73.9, np.nan]), **NEAR, missing="keep")
    assert np.isnan(found[0]).tolist() == np.isnan(found[1]).tolist() == [False, True, True]
    assert isinstance(found[0], list) and isinstance(found[1], np.ndarray)
    assert found[0][0] == pytest.approx(40.75, abs=1e-4)
    for column in release.places([None], [None], **NEAR, missing="keep"):
        assert np.isnan(column).all()
    with pytest.raises(ValueError, match="row 1 of 'latitude' has no value"):
        release.places([40.75, None], [-73.98, -73.98], **NEAR)
    with pytest.raises(ValueError, match="row 0 of 'longitude' has no value"):
        release.places([40.75, 40.0], [None, -73.98], **NEAR)


# ---------------------------------------------------------------- places


@pytest.mark.parametrize("kind", [float, object])
def test_exchanged_columns_are_noticed_beside_rows_without_a_place(kind):
    latitude, longitude = (np.array([*degrees, None], dtype=kind) for degrees in ((40.75, 40.76), (-73.98, -73.97)))
    released = release.places(latitude, longitude, missing="keep", **NEAR)
    assert [np.isnan(column.astype(float)).tolist() for column in released] == [[False, False, True]] * 2
    with pytest.raises(ValueError, match="if latitude and longitude are exchanged"):
        release.places(longitude, latitude, missing="keep", **NEAR)


@pytest.mark.arrow
def test_places_of_every_type():
    private = PlaneRelease.within(1e6, "200m", **CITY)
    latitude, longitude = [40.75, 40.8, 40.7], [-73.98, -73.9, 286.0]
    expected = private.centres(*private.cells_of(latitude, longitude))

    def assert_right(found, kind):
        assert all(type(column) is kind for column in found)
        assert all(np.array_equal(np.array(a, dtype=float), b) for a, b in zip(found, expected, strict=True))

    assert_right(release.places(latitude, longitude, **NEAR), list)
    assert_right(release.places(tuple(latitude), tuple(longitude), **NEAR), tuple)
    assert_right(release.places(np.array(latitude), np.array(longitude, dtype="f4"), **NEAR), np.ndarray)
    assert_right(release.places(np.array(latitude, dtype=object), np.array(longitude), **NEAR), np.ndarray)
    one = release.places(40.75, -73.98, **NEAR)
    assert [type(degrees) for degrees in one] == [float, float] and one[0] == expected[0][0]
    assert release.places([], [], **NEAR) == ([], [])
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"lat": latitude, "lon": longitude}, index=[3, 1, 2])
    found = release.places(table["lat"], table["lon"], **NEAR)
    assert_right(found, pd.Series)
    assert [column.name for column in found] == ["lat", "lon"] and found[0].index.tolist() == [3, 1, 2]
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    found = release.places(pl.Series("lat", latitude), pl.Series("lon", longitude), **NEAR)
    assert_right(found, pl.Series)
    assert [column.name for column in found] == ["lat", "lon"]
    assert_right(release.places(pa.array(latitude), pa.array(longitude), **NEAR), type(pa.array([1.0])))


def test_released_places_are_read_as_their_cells():
    private = PlaneRelease.within(1.0, "200m", region_centre=(60.0, 179.99), region_reach=2000, cell_size=10)
    cells = np.arange(-200, 201)
    east, north = (axis.ravel() for axis in np.meshgrid(cells, cells))
    inside = np.hypot(east, north) < 199
    found = private.cells_of(*private.centres(east[inside], north[inside]))
    assert np.array_equal(found[0], east[inside]) and np.array_equal(found[1], north[inside])


# ---------------------------------------------------------------- refusals


class Lazy:
    """A column as of Dask."""


Lazy.__module__ = "dask.dataframe"
FEW = {"level": 1.0, "radius": "3h"}


def times_with(**changed):
    return lambda: times(["08:15"], **(FEW | changed))


def places_with(**changed):
    given = {"level": 1.0, "radius": "200m", **CITY} | changed
    return lambda: release.places([40.76], [-73.97], **given)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        # arguments, by their value
        (times_with(level=0.0), "'level' must be positive and finite; got 0.0"),
        (times_with(level=None), "'level' must be a positive finite number; got None"),
        (times_with(level="1"), "'level' must be a positive finite number; got '1'"),
        (times_with(level=[7.654]), "'level' must be a positive finite number; got the type list"),
        (times_with(level=10**5000), "'level' must be positive and finite; got a number that is too large"),
        (times_with(radius=None), "'radius' must be a duration such as '75min'.*got None"),
        (times_with(radius="3"), "'radius' must be a duration such as '75min'.*got '3'"),
        (times_with(radius="200m"), "'radius' must be a duration such as '75min'.*got '200m'"),
        (times_with(radius="12h 1s"), "'radius' must be at most half a turn, 12 hours; got '12h 1s'"),
        (
            times_with(radius=3),
            "'radius' must be a duration such as '75min', .*, or an angle such as '45deg'.*; got 3$",
        ),
        (times_with(radius=dt.timedelta(0)), "'radius' must be positive"),
        (times_with(radius=True), "'radius' must be a duration such as '75min'.*got True"),
        (times_with(cells=1), "'cells' must be an integer of at least 2; got 1"),
        (times_with(cells=None), "'cells' must be an integer of at least 2; got None"),
        (times_with(period="a day"), "'period' must be a duration.*got 'a day'"),
        (times_with(period="7d"), "row 0 of 'column' is a text without a date"),
        (times_with(missing="drop"), "'missing' must be 'stop' or 'keep'; got 'drop'"),
        (times_with(missing=None), "'missing' must be 'stop' or 'keep'; got None"),
        (times_with(keep_index="no"), "'keep_index' must be True or False; got 'no'"),
        (places_with(level=None), "'level' must be a positive finite number; got None"),
        (places_with(radius=0.002), "'radius' must be at least 1 m, in metres and not in degrees; got 0.002"),
        (places_with(radius="3h"), "'radius' must be a length such as '200m'.*got '3h'"),
        (
            places_with(region_reach=0.3),
            "'region_reach' must be from 100 m to .*, in metres and not in degrees; got 0.3",
        ),
        (
            places_with(cell_size=0.0001),
            "'cell_size' must be from 0.001 m .*, in metres and not in degrees; got 0.0001",
        ),
        (places_with(cell_size=None), "'cell_size' must be a positive finite number; got None"),
        (
            places_with(region_centre=None),
            "'region_centre' must be one latitude and one longitude in degrees; got the type",
        ),
        (
            places_with(region_centre=(583_960.0, 4_507_523.0)),
            "'region_centre' is no place: .*is not between -90 and 90",
        ),
        (places_with(level=1e-320), "give cells at least 1e.300 times as large, or a higher level"),
        # data, by row and rule
        (lambda: times([1.0, 76.54], **FEW), "row 1 of 'column' is not a number of hours from 0 to 24"),
        (lambda: times([1.0, -7654.0], **FEW), "row 1 of 'column' is not a number of hours"),
        (lambda: times([1.0, np.inf], **FEW), "row 1 of 'column' is nan or infinite"),
        (lambda: times([1.0, 10**400], **FEW), "row 1 of 'column' is not a time; it has the type int"),
        (lambda: times(["08:15", "76:54"], **FEW), "row 1 of 'column' is a text that is not 'HH:MM'"),
        (lambda: times(["08:15", "24:01"], **FEW), "row 1 of 'column' is a text that is not 'HH:MM'"),
        (lambda: times(["08:15", 76.54], **FEW), "row 1 of 'column' is a number and row 0 is a text"),
        (lambda: times(["08:15", None], **FEW), "row 1 of 'column' has no value: .*missing='keep'"),
        (lambda: times([np.nan, 7.654], **FEW), "row 0 of 'column' has no value"),
        (lambda: times(None, **FEW), "'column' has no value"),
        (lambda: times([STAMPS[0], np.datetime64("NaT")], **FEW), "row 1 of 'column' has no value"),
        (lambda: times(np.array(["7654-01-01"], "M8[D]"), **FEW), "dates without a time of day"),
        (lambda: times([dt.date(7654, 1, 1)], **FEW), "row 0 of 'column' is not a time.*type date"),
        (lambda: times([True], **FEW), "'column' must hold times.*bool"),
        (lambda: times([b"76:54"], **FEW), "row 0 of 'column' is not a time; it has the type bytes"),
        (
            lambda: times([dt.datetime(7654, 1, 1, tzinfo=OSLO), dt.datetime(7654, 1, 1)], **FEW),
            "row 1 of 'column' is a timestamp and row 0 is a timestamp with a time zone: give times of one",
        ),
        (
            lambda: times(np.array(["2024-01-01T08"], "M8[s]"), level=1.0, radius="3h", period=7),
            "'column' contains timestamps, which need a period of 24 hours",
        ),
        (lambda: release.places([40.75, 76.54e5], [-73.98] * 2, **NEAR), "row 1 of 'latitude' is not between"),
        (lambda: release.places([91.7654], [-73.98], **NEAR), "row 0 of 'latitude' is not between -90 and 90"),
        (lambda: release.places([-73.7654], [400.0], **NEAR), "row 0 of 'longitude' is not between -180 and"),
        (lambda: release.places(["40.7654"], [-73.98], **NEAR), "'latitude'.* no real number"),
        (lambda: release.places([40.75], [-73.98, 7.654], **NEAR), r"of one length; got the shapes \(1,\)"),
        (lambda: release.places([[40.75]], [[7.654]], **NEAR), "'latitude' must be one column"),
        (lambda: release.places(STAMPS, STAMPS, **NEAR), "'latitude' contains times: use a"),
        # what is no column
        (lambda: times({"08:15"}, **FEW), "'column' must be a list, .* got the type set: make a list"),
        (lambda: times({"08:15": 1}, **FEW), "got the type dict"),
        (lambda: times((h for h in [7.654]), **FEW), "got the type generator"),
        (lambda: times(iter([7.654]), **FEW), "got the type list_iterator"),
        (lambda: times(range(3), **FEW), "got the type range"),
        (lambda: times(float, **FEW), "got the type type"),
        (lambda: times([[8.25], [7.654]], **FEW), r"'column' must be one column; got the shape \(2, 1\)"),
        (lambda: times(np.ones((2, 2)), **FEW), r"'column' must be one column; got the shape \(2, 2\)"),
        (lambda: times(Lazy(), **FEW), "'column' is lazy .dask Lazy.: give its values.*may be computed again"),
        (lambda: release.places(Lazy(), [7.654], **NEAR), "'latitude' is lazy"),
    ],
)
def test_refusals_are_one_line_without_a_value_and_nothing_is_drawn(call, words, monkeypatch):
    def drawn(count):
        raise AssertionError("something was drawn")

    monkeypatch.setattr(sampling, "random_words", drawn)
    assert_refused(call, words)
    with pytest.raises(AssertionError, match="something was drawn"):  # what the test must find
        times(["08:15"], **FEW)


def assert_refused(call, words):
    with pytest.raises(ValueError, match=words) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message and len(message) < 400
    for secret in ("7654", "76.54", "76:54", "7.654"):
        assert secret not in message
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__


def test_indexes_that_may_be_the_true_times_are_refused():
    pd = pytest.importorskip("pandas")
    stamps = pd.Series(STAMPS)
    column = pd.Series(["08:15", "23:59"])
    for index in (
        pd.DatetimeIndex(stamps),
        pd.Index(["08:15", "23:59"]),
        pd.Index([7.654, 23.98]),
        pd.Index([False, True]),
        pd.MultiIndex.from_arrays([[0, 1], ["08:15", "23:59"]]),
        pd.MultiIndex.from_arrays([[0, 1], stamps]),
    ):
        column.index = index
        words = r"'column' has an index that is not of integers .*reset_index\(drop=True\).*keep_index=True"
        assert_refused(lambda: times(column, **FEW), words)
        kept = times(column, **SURE, keep_index=True)
        assert kept.index.equals(index) and kept.tolist() == TEXTS
        degrees = pd.Series([40.75, 40.75], index=index)
        assert_refused(functools.partial(release.places, degrees, degrees, **NEAR), "'latitude' has an index")
        assert release.places(degrees, degrees, **NEAR, keep_index=True)[1].index.equals(index)
    for index in (pd.RangeIndex(2), pd.Index([4, 2]), pd.MultiIndex.from_arrays([[0, 1], [5, 5]])):
        column.index = index
        assert times(column, **SURE).index.equals(index)


def test_tables_and_indexes_of_pandas_are_refused():
    pd = pytest.importorskip("pandas")
    stamps = pd.Series(STAMPS)
    table = pd.DataFrame({"arrival": stamps, "departure": stamps})
    one = r"'column' must be one column, not a table: give table\['name'\]"
    for wrong in (table, table[["arrival"]], table[["arrival"]].set_axis([7.654], axis=1)):
        assert_refused(functools.partial(release.times, wrong, **FEW), one)
    assert_refused(lambda: times(pd.DatetimeIndex(stamps), **FEW), "'column' is an index of pandas")
    assert_refused(lambda: times(stamps.array, **FEW), "got the type DatetimeArray")
    assert_refused(lambda: times(stamps.dt.to_period("h"), **FEW), "row 0 of 'column'.*type Period")
    assert_refused(
        lambda: CircleRelease.within(stamps, "3h"), "'level' must be a positive finite number; got the type Series"
    )
    latitude = pd.Series([40.75, 7.654], name="lat")
    longitude = pd.Series([-73.98, 7.654], name="lon")
    assert_refused(lambda: release.places(longitude, latitude, **NEAR), "'latitude' comes first and 'longitude'")
    moved = longitude.set_axis([1, 0])
    assert_refused(lambda: release.places(latitude, moved, **NEAR), "'latitude' and 'longitude' have different")


@pytest.mark.arrow
def test_lazy_columns_and_tables_of_polars_and_arrow_are_refused():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    table = pl.DataFrame({"arrival": STAMPS})
    words = r"'column' is lazy \(polars LazyFrame\): give its values, by collect"
    assert_refused(lambda: times(table.lazy(), **FEW), words)
    assert_refused(lambda: times(pl.col("arrival"), **FEW), r"'column' is lazy \(polars Expr\)")
    for eager in (table, table.to_arrow(), table.to_arrow().to_batches()[0]):
        assert_refused(functools.partial(release.times, eager, **FEW), r"not a table: give table\['name'\]")
    assert_refused(lambda: times(pa.scalar(7.654), **FEW), "got the type DoubleScalar")
    assert_refused(lambda: times(pl.Series([[7.654]]), **FEW), "row 0 of 'column' is not a time")
    assert_refused(lambda: times(pl.Series([dt.date(7654, 1, 1)]), **FEW), "dates without a time of day")
    swapped = pl.Series("longitude", [7.654]), pl.Series("latitude", [7.654])
    assert_refused(lambda: release.places(*swapped, **NEAR), "the opposite order")
