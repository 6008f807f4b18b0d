"""Times of every kind become the right hours, or are refused by row, rule and remedy, without the value."""

import datetime as dt
from fractions import Fraction

import numpy as np
import pytest

from dirpriv import InvalidArgument
from dirpriv._inputs import times as _times
from dirpriv.geometry import hours_to_angles

QUARTER_PAST_EIGHT = 8.25 / 24 * 2 * np.pi  # 2.15984
UNITS = ["m", "15m", "s", "ms", "us", "ns"]


def near(angles, expected=QUARTER_PAST_EIGHT):
    return np.allclose(angles, expected, rtol=1e-15, atol=0.0)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("day", ["2024-01-01", "1969-12-31", "1700-03-01", "2260-02-29"])
def test_timestamps_are_times_of_day(unit, day):
    day = "2260-02-28" if day == "2260-02-29" else day
    times = np.array([f"{day}T08:15"], dtype=f"datetime64[{unit}]")
    assert near(hours_to_angles(times)) and round(float(hours_to_angles(times)[0]), 5) == 2.15984
    assert near(hours_to_angles(times[0])) and isinstance(hours_to_angles(times[0]), float)
    assert hours_to_angles(times.reshape(1, 1)).shape == (1, 1)


def test_no_digit_of_a_nanosecond_is_lost():
    """Ticks are reduced as integers: as doubles, those since 1970 are known to 256 ns today."""
    rng = np.random.default_rng(1)
    ticks = rng.integers(-(2**62), 2**62, 2000)
    day = 24 * 3600 * 10**9
    exact = [float(Fraction(int(t) % day, day)) for t in ticks]
    turns = hours_to_angles(ticks.astype("datetime64[ns]")) / (2 * np.pi)
    assert np.abs(turns - exact).max() < 5e-16
    rounded = np.mod(ticks.astype(float), float(day)) / day
    assert np.abs(rounded - exact).max() > 1e-12  # what the test is there to catch


def test_units_finer_than_nanoseconds():
    assert near(hours_to_angles(np.array([15 * 60 * 10**12], dtype="datetime64[ps]")), 2 * np.pi / 96)
    assert near(hours_to_angles(np.array([10**15], dtype="datetime64[as]")), 2 * np.pi * 1e-3 / 86400)
    assert near(hours_to_angles(np.array([10**16], dtype="timedelta64[as]")), 2 * np.pi * 1e-2 / 86400)


def test_durations():
    for unit in UNITS:
        duration = np.array([495], dtype="timedelta64[m]").astype(f"timedelta64[{unit}]")
        assert near(hours_to_angles(duration))
    assert hours_to_angles(np.timedelta64(3, "D")) == 0.0
    assert hours_to_angles(np.timedelta64(3, "D"), period=168.0) == 3 / 7 * 2 * np.pi
    assert near(hours_to_angles(dt.timedelta(days=-1, hours=8, minutes=15)))
    assert near(hours_to_angles([dt.timedelta(hours=8.25)]))
    assert near(
        hours_to_angles(np.array([10**18 + 10**9], dtype="timedelta64[s]")), (10**18 + 10**9) % 86400 / 43200 * np.pi
    )


@pytest.mark.parametrize(
    "times",
    [
        "08:15",
        "8:15",
        " 08:15:00 ",
        ["08:15:00.000"],
        np.array(["08:15"]),
        np.array(["08:15"], dtype=object),
        dt.time(8, 15),
        [dt.time(8, 15, tzinfo=dt.timezone.utc)],  # noqa: UP017
        dt.datetime(1999, 5, 4, 8, 15),
        [dt.datetime(1999, 5, 4, 8, 15, tzinfo=dt.timezone(dt.timedelta(hours=-5)))],  # on the wall there
        [np.datetime64("2024-01-01T08:15")],
        8.25,
        [8.25],
        (32.25,),
        np.array([8.25], dtype=object),
    ],
)
def test_each_kind_of_time(times):
    assert near(hours_to_angles(times))


def test_seconds_count():
    expected = (8 * 3600 + 15 * 60 + 30.5) / 86400 * 2 * np.pi
    assert near(hours_to_angles(["08:15:30.5"]), expected)
    assert near(hours_to_angles(dt.time(8, 15, 30, 500_000)), expected)
    assert near(hours_to_angles(dt.datetime(2024, 1, 1, 8, 15, 30, 500_000)), expected)


def test_periods_of_timestamps():
    """A week begins on Monday: 1 January 2024 was one, as was 29 December 1969."""
    monday = np.array(["2024-01-01T08:15", "1969-12-29T08:15"], dtype="datetime64[m]")
    sunday = np.array(["2024-01-07T08:15"], dtype="datetime64[ns]")
    assert near(hours_to_angles(monday, period=168.0), 8.25 / 168 * 2 * np.pi)
    assert near(hours_to_angles(sunday, period=168.0), (144 + 8.25) / 168 * 2 * np.pi)
    assert near(hours_to_angles(dt.datetime(2024, 1, 7, 8, 15), period=168.0), 152.25 / 168 * 2 * np.pi)
    assert near(hours_to_angles(np.array(["2024-01-01T20:15"], dtype="datetime64[s]"), period=12.0), 8.25 / 6 * np.pi)
    for times in (monday, dt.datetime(2024, 1, 7)):
        with pytest.raises(ValueError, match="contains timestamps, which need a period of 24 hours"):
            hours_to_angles(times, period=7.0)
    with pytest.raises(ValueError, match="row 0 of 'hours' is a text without a date"):
        hours_to_angles(["08:15"], period=168.0)


def test_pandas():
    pd = pytest.importorskip("pandas")
    texts = pd.Series(["2024-07-01T08:15", "2024-12-01T20:15"], index=["b", "a"])
    naive = pd.to_datetime(texts)
    expected = [QUARTER_PAST_EIGHT, QUARTER_PAST_EIGHT + np.pi]
    columns = [naive, pd.DatetimeIndex(naive), naive.dt.time, naive.array, naive.to_list()]
    columns += [naive.astype(f"datetime64[{unit}]") for unit in ("s", "ms", "us", "ns")]
    for zone in ("Europe/Berlin", "America/New_York", "Asia/Kolkata", "UTC"):
        zoned = naive.dt.tz_localize(zone)
        columns += [zoned, pd.DatetimeIndex(zoned), zoned.to_list(), zoned.astype(object), zoned.array]
    columns += [pd.Series(["08:15", "20:15"]), pd.Series(["08:15", "20:15"], dtype="category")]
    columns += [pd.Series([8.25, 20.25]), pd.Series([8.25, 20.25], dtype="Float64")]
    columns += [naive - pd.Timestamp("2024-01-01")]
    for column in columns:
        angles = hours_to_angles(column)
        assert type(angles) is np.ndarray and near(angles, expected), column
    stamp = pd.Timestamp("2024-07-01T08:15", tz="Asia/Tokyo")
    assert near(hours_to_angles(stamp)) and near(hours_to_angles(pd.Timedelta(hours=8.25)))
    moved = naive.dt.tz_localize("Europe/Berlin").dt.tz_convert("Asia/Tokyo")  # 7 hours ahead, 8 in winter
    assert near(hours_to_angles(moved), [15.25 / 12 * np.pi, 4.25 / 12 * np.pi])
    for column in (
        pd.to_datetime(pd.Series(["2024-01-01", None])),
        pd.to_datetime(pd.Series(["2024-01-01", None])).dt.tz_localize("Europe/Berlin"),
        pd.to_timedelta(pd.Series(["1h", None])),
        pd.Series(["08:15", None]),
        pd.Series([8.0, None]),
        pd.Series([8, None], dtype="Int64"),
        pd.Series([dt.time(8), None]),
    ):
        with pytest.raises(ValueError, match=r"row 1 of 'hours' .*: leave the row out"):
            hours_to_angles(column)
    with pytest.raises(ValueError, match="has the type Period"):
        hours_to_angles(pd.period_range("2024", "2025", freq="M"))


@pytest.mark.arrow
def test_pyarrow():
    pa = pytest.importorskip("pyarrow")
    pytest.importorskip("pandas")
    utc = dt.datetime(2024, 7, 1, 6, 15)
    column = pa.array([utc], type=pa.timestamp("us", tz="Europe/Berlin"))
    assert near(hours_to_angles(column)) and near(hours_to_angles(pa.chunked_array([column])))
    assert near(hours_to_angles(pa.array([dt.time(8, 15)])))


def test_polars():
    pl = pytest.importorskip("polars")
    column = pl.Series("time", [dt.datetime(2024, 7, 1, 8, 15)])
    columns = [column, column.dt.time(), column.dt.strftime("%H:%M"), pl.Series([8.25])]
    columns += [column.dt.cast_time_unit(unit) for unit in ("ms", "us", "ns")]
    columns += [column.dt.replace_time_zone(zone) for zone in ("UTC", "Europe/Berlin", "America/New_York")]
    columns += [pl.Series([dt.timedelta(hours=8.25)])]
    for this in columns:
        assert near(hours_to_angles(this)), this.dtype
    for this in (pl.Series([dt.datetime(2024, 7, 1), None]), pl.Series(["08:15", None]), pl.Series([8.0, None])):
        with pytest.raises(ValueError, match="row 1 of 'hours'"):
            hours_to_angles(this)


SECRET = "13:37"


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (np.array(["2024-01-01T13:37", "NaT"], dtype="datetime64[s]"), "row 1 of 'hours' has no value"),
        (np.array([[1, "NaT"]], dtype="timedelta64[s]"), r"row \(0, 1\) of 'hours' has no value"),
        ([13.37, None], "row 1 of 'hours' has no value"),
        ([13.37, float("nan"), float("nan")], r"row 1 of 'hours' is nan or infinite \(2 such values\)"),
        ([13.37, -np.inf], "row 1 of 'hours' is nan or infinite"),
        (float("nan"), "^'hours' is nan"),
        ([SECRET, None], "row 1 of 'hours' has no value"),
        (np.ma.array([13.37, 13.37], mask=[False, True]), "row 1 of 'hours' is masked"),
        (["08:15", "13.37"], "row 1 .* is a text that is a number and row 0 is a text: .* of one kind"),
        (["13:37:60"], "is a text that is not"),
        (["24:00:01"], "is a text that is not"),
        (["24:37"], "is a text that is not"),
        (["25:37"], "is a text that is not"),
        (
            [dt.datetime(2024, 1, 1, 13, 37), dt.datetime(2024, 1, 1, 13, 37, tzinfo=dt.UTC)],
            "row 1 of 'hours' is a timestamp with a time zone and row 0 is a timestamp:",
        ),
        (["1:37 PM"], "is a text that is not"),
        (["١٣:٣٧"], "is a text that is not"),
        (["01.01.2024 13:37"], r"row 0 .* convert other texts .* with pandas\.to_datetime\(column\)"),
        ([13.37, SECRET], r"row 1 of 'hours' is a text and row 0 is a number: .*pandas\.to_datetime"),
        ([b"13:37"], "row 0 of 'hours' is not a time; it has the type bytes"),
        ([dt.date(1337, 1, 3)], "row 0 of 'hours' is not a time; it has the type date"),
        (np.array(["1337-01-01"], dtype="datetime64[D]"), r"dates without a time of day \(datetime64\[D\]\)"),
        (np.timedelta64(1337, "M"), r"no number of hours \(timedelta64\[M\]\)"),
        ([True], "got the type bool"),
        ([13.37 + 1j], "got the type complex128"),
        (np.array([True, 13.37], dtype=object), "row 0 of 'hours' is not a time; it has the type bool"),
    ],
)
def test_refusals_name_row_and_rule_and_hide_the_value(times, words):
    with pytest.raises(ValueError, match=words) as refusal:
        hours_to_angles(times)
    assert "37" not in str(refusal.value)


def kinds_of_objects():
    rng = np.random.default_rng(1)
    stamps = (rng.integers(-(2**50), 2**50, 50)).astype("M8[us]")
    stamps = np.append(stamps, np.array(["2024-01-01T00:00", "1969-12-31T23:59:59.999999"], "M8[us]"))
    naive = stamps.tolist()
    zone = dt.timezone(dt.timedelta(hours=5, minutes=45))
    yield naive, (24.0, 12.0, 168.0)
    yield [stamp.replace(tzinfo=zone) for stamp in naive], (24.0, 168.0)
    yield [stamp.time() for stamp in naive], (24.0, 8.0)
    yield [f"{stamp:%H:%M:%S.%f}" for stamp in naive] + ["24:00", "00:00:00.123456789"], (24.0, 8.0)
    yield (stamps - stamps[0]).tolist(), (24.0, 7.0, 168.0)
    yield list(stamps), (24.0, 168.0)
    yield list(stamps - stamps[0]), (24.0, 7.0, 168.0)
    try:
        import pandas as pd
    except ImportError:
        return
    fine = pd.Series(stamps.astype("M8[ns]") + np.timedelta64(1, "ns"))
    yield fine.tolist(), (24.0, 168.0)
    yield fine.dt.tz_localize("Asia/Kathmandu").tolist(), (24.0, 168.0)
    yield (fine - fine[0]).tolist(), (24.0, 7.0, 168.0)


def turns(ticks, per_hour, start, period):
    return [(Fraction(int(tick)) / per_hour - start) / Fraction(period) % 1 for tick in ticks]


def test_objects_of_one_type_are_read_as_one_at_a_time():
    """All at once, or each on its own: the same ticks, to the nanosecond."""
    for rows, periods in kinds_of_objects():
        values = np.empty(len(rows), dtype=object)
        values[:] = rows
        for period in periods:
            ticks, *about = _times.exact("times", _times.native(values), period)
            assert ticks.dtype == np.int64
            expected = [_times._read_object("times", period, InvalidArgument, row)[1] for row in rows]
            assert turns(ticks, *about, period) == turns(expected, _times._PER_HOUR["ns"], 0, period)
            gaps = _times.native(np.append(values, [None]))
            missing, *_ = _times.exact("times", gaps, period)
            assert np.array_equal(missing[:-1], ticks) and missing[-1] == 0


def test_objects_that_stay_objects():
    zoned = dt.datetime(2024, 1, 1, tzinfo=dt.UTC)
    for rows in (
        [dt.time(8), "08:15"],
        [zoned, dt.datetime(2024, 1, 1)],
        ["08:15"],
        [dt.timedelta.max],
        [10**400],
        [np.timedelta64(1, "s"), np.timedelta64(1, "ns")],
        [True],
    ):
        values = np.empty(len(rows), dtype=object)
        values[:] = rows
        assert _times.native(values) is not values and _times.native(values).dtype == object
    for row in ("00:00:00.0123456789", "8.15", dt.timedelta.max):
        ticks, *_ = _times.exact("times", np.array([row], dtype=object), 24.0)
        assert ticks.dtype == object


def test_timestamps_of_two_types_are_read_as_those_of_one():
    row = dt.datetime(2024, 1, 1, 13, 30)
    pd = pytest.importorskip("pandas")
    assert _times.hours("times", [pd.Timestamp(row), row], 12.0).tolist() == [1.5, 1.5]


def test_the_end_of_the_day_is_midnight():
    for text in ("24:00", "24:00:00", "24:00:00.000"):
        assert hours_to_angles([text]).tolist() == [0.0] == hours_to_angles(["00:00"]).tolist()
        assert hours_to_angles([text, "00:00:00.0123456789"])[0] == 0.0


@pytest.mark.arrow
def test_times_finer_than_microseconds():
    pl, pa = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    tick = 29_700_000_000_001  # 08:15 and a nanosecond
    expected = hours_to_angles(np.array([tick], "m8[ns]"))
    assert expected != hours_to_angles(["08:15"])
    for column in (pl.Series([tick, None]).cast(pl.Time)[:1], pa.array([tick], pa.time64("ns"))):
        assert hours_to_angles(column) == expected


def test_empty_columns():
    for times in (
        [],
        np.array([], dtype="datetime64[s]"),
        np.array([], dtype="timedelta64[s]"),
        np.array([], dtype=str),
    ):
        assert hours_to_angles(times).shape == (0,)
