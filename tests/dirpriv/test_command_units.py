"""What numbers count, which is said and never guessed; headings; each held against the true minute."""

import json
from pathlib import Path

import numpy as np
import pytest
from command_runs import folder, released_times, run
from tables_of_releases import SURE, new_holder

from dirpriv import InvalidArgument, release
from dirpriv._inputs import clock_units
from dirpriv.release import HeadingColumn

holder = pytest.fixture(new_holder)
MINUTES = np.arange(1440)
CLOCKS = [f"{minute // 60:02}:{minute % 60:02}" for minute in MINUTES]
EPOCH = 1_709_596_800 + 60 * MINUTES  # of 2024-03-05 in UTC
# numbers of each unit at every minute of a day, and what is released of the minute
NUMBERS = {
    "min": MINUTES,
    "s": 60 * MINUTES + 59,
    "day": MINUTES / 1440.0,
    "deg": MINUTES / 4.0,
    "epoch": EPOCH,
    "epoch_ms": 1000 * EPOCH + 999,
    "hourbin": MINUTES // 60,
}
WHOLE = {unit: values.dtype.kind == "i" for unit, values in NUMBERS.items()}


def cells(unit):
    return [f"{clock[:2]}:30" for clock in CLOCKS] if unit == "hourbin" else CLOCKS


@pytest.mark.parametrize(
    ("unit", "kind"),
    [(unit, kind) for unit in NUMBERS for kind in ("csv", "DOUBLE", "BIGINT") if kind != "BIGINT" or WHOLE[unit]],
)
def test_every_minute_of_every_unit_is_read_in_files(holder, unit, kind):
    values = NUMBERS[unit]
    if kind == "csv":
        source = holder.column(values)
    else:
        texts = ", ".join(map(repr, values.tolist()))
        source = holder.parquet(f"SELECT unnest([{texts}])::{kind} AS arrival")
    zone = "UTC" if unit in clock_units.EPOCHS else None
    holder.release(source, time="arrival", unit=unit, zone=zone, keep_order=True, **SURE)
    assert [text for (text,) in holder.released()] == cells(unit)


@pytest.mark.parametrize("unit", [unit for unit in NUMBERS if unit not in clock_units.EPOCHS])
def test_every_minute_of_every_unit_is_read_in_columns(unit):
    found = release.times(NUMBERS[unit], unit=unit, **SURE)
    texts = release.times([str(value) for value in NUMBERS[unit]], unit=unit, **SURE)
    hours = found / 15.0 if unit == "deg" else found  # headings stay degrees
    assert np.array_equal(texts, found)
    minutes = (hours * 60.0).astype(int).tolist()
    assert [CLOCKS[minute] for minute in minutes] == cells(unit)


def test_a_zone_tells_the_local_time_of_an_epoch(holder):
    source = holder.column([1_711_846_799, 1_711_846_800, -86_400 * 3650])  # the clock is put forward in Berlin
    holder.release(source, time="arrival", unit="epoch", zone="Europe/Berlin", keep_order=True, **SURE)
    assert holder.released() == [["01:59"], ["03:00"], ["01:00"]]


WRONG = {
    "h": ["24.1", "-0.1", "1e300"],
    "hourbin": ["24", "7.5", "-1"],
    "min": ["1440.5", "99999999"],
    "s": ["86401"],
    "day": ["1.00001", "45356.344"],
    "deg": ["361", "-90"],
    "epoch": ["0", "1709626500000", "99999999", "100000000001"],
    "epoch_ms": ["0", "1709626500", "1709626500000000"],
}


@pytest.mark.parametrize(("unit", "value"), [(unit, value) for unit in WRONG for value in WRONG[unit]])
def test_a_number_of_another_unit_is_refused(holder, unit, value):
    zone = "UTC" if unit in clock_units.EPOCHS else None
    good = "1709626500" + "000" * (unit == "epoch_ms") if zone else "1"
    number = "" if value == "1e300" else f"SELECT {good}::DOUBLE AS arrival UNION ALL SELECT {value}::DOUBLE"
    sources = [holder.parquet(number)] if number else []
    if "e" not in value:
        sources.append(holder.column([good, value]))
    for source in sources:
        with pytest.raises(InvalidArgument, match=r"row 2 of 'arrival' is not a number of ") as error:
            holder.release(source, time="arrival", unit=unit, zone=zone, **SURE)
        assert value in ("0", "-1") or value not in str(error.value)
        assert "give the 'unit' of the column" in str(error.value)
    assert holder.outputs() == [] and holder.ledger() == []
    if zone is None:
        with pytest.raises(InvalidArgument, match="row 1 of 'column' is not a number of"):
            release.times([1.0, float(value)], unit=unit, **SURE)


def test_a_unit_is_asked_for_and_of_numbers_only():
    for column in ([8.25], np.array([8]), ["8.25"], 8):
        with pytest.raises(InvalidArgument, match="contains numbers without a unit: give unit='h'"):
            release.times(column, **SURE)
    with pytest.raises(InvalidArgument, match="'unit' is for numbers, but 'column' contains none; got 'h'"):
        release.times(["08:15"], unit="h", **SURE)
    with pytest.raises(InvalidArgument, match=r"counts time in UTC.*unit='ms', utc=True"):
        release.times([1_709_626_500_000], unit="epoch_ms", **SURE)
    with pytest.raises(InvalidArgument, match="'unit' must be one of h, hourbin, min"):
        release.times([8.25], unit="hours", **SURE)


def test_headings_are_degrees_from_the_command_to_the_mean(folder):
    rng = np.random.default_rng(1)
    Path("wind.csv").write_text("wind\n" + "\n".join(f"{x:.2f}" for x in rng.normal(340, 8, 60) % 360) + "\n")
    words = ("release", "wind.csv", "private.csv", "--heading", "wind", "--level", 4, "--within", "45deg", "--verbose")
    ran = run(*words)
    assert (
        ran.err == "" and "headings in 1440 cells of 0.25°" in ran.out and "time" not in ran.out.replace("times as", "")
    )
    assert all(0.0 <= float(value) < 360.0 for value in Path("private.csv").read_text().split()[1:])
    mean, histogram = run("mean", "private.csv").out, run("histogram", "private.csv", "--bins", 12).out
    # the mean of 60 at level 4 within 45° is off by 2.3°: more than 15° fails once in 10^10
    assert abs(float(mean.split("mean heading of the rows")[1].split("°")[0]) - 340.0) < 15.0
    assert "330°-360°" in histogram and "time" not in mean + histogram
    said = json.loads(Path("private.csv.guarantee.json").read_text())["columns"][0]
    assert (said["kind"], said["period"], said["radius"]) == ("heading", "360deg", "45deg")
    explained = run("explain", "--level", 1, "--within", "45deg", "--at", "270deg").out
    assert "Headings are rounded to 1440 cells of 0.25°" in explained and "time" not in explained.lower()[500:]


def test_headings_of_files(holder):
    source = holder.column([0, 90.3, 359.99, 360], "wind")
    call = {"heading": "wind", "level": 1e6, "keep_order": True}
    holder.release(source, radius="45deg", **call)
    assert holder.released() == [["0.125"], ["90.375"], ["359.875"], ["0.125"]]
    holder.release(source, "private.parquet", radius="0.5rad", rerelease=True, **call)
    for output in ("private.csv", "private.parquet"):
        (found,) = release.read_released(holder.output / output)
        assert isinstance(found.column, HeadingColumn)
        assert found.counts[[0, 361, 1439]].tolist() == [2, 1, 1]
    for more, message in {
        "a duration": ({"radius": "3h"}, "'radius' must be an angle"),
        "more than half a turn": ({"radius": "181deg"}, "must be at most half a turn, 180deg"),
        "cells": ({"radius": "45deg", "cells": 7}, "whole thousandths of a degree wide"),
        "a unit": ({"radius": "45deg", "unit": "deg"}, "'unit' goes with 'time'"),
    }.values():
        with pytest.raises(InvalidArgument, match=message):
            holder.release(source, "other.csv", **(call | more))
    with pytest.raises(InvalidArgument, match="contains no numbers: give headings in degrees"):
        holder.release(holder.column(["08:15"], "wind"), "other.csv", radius="45deg", **call)


def test_a_picture_of_headings_has_no_times(folder):
    from dirpriv import estimators, pictures

    column, found = released_times("p.csv", column=HeadingColumn("wind", level=4.0, radius="45deg"), cells=[7] * 300)
    estimate = estimators.estimate_histogram(
        (found + 0.5) * 2 * np.pi / 1440, column.release().noise, bins=12, intervals="smooth"
    )
    ax = pictures.draw_histogram(estimate, period=360.0).axes[0]
    assert ax.get_xlabel() == "heading" and [text.get_text() for text in ax.get_xticklabels()][-1] == "360°"
    assert pictures.draw_time_noise(column.release(), 90.0).axes[0].get_ylabel().endswith("(% per degree)")
