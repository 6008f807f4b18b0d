"""What the command says through a blur: cumulative shares, and what is missing where there is none."""

import json
from pathlib import Path

import numpy as np
import pytest
from command_runs import folder, released_times, run, same_draws

from dirpriv import geometry
from dirpriv.estimators import DensityBand, estimate_cumulative, estimate_density_band
from dirpriv.estimators.circle_noise_bounds import Arc
from dirpriv.release import TimeColumn, read_released

pytestmark = pytest.mark.usefixtures("folder")

FINE, NOISY, COARSE = (TimeColumn("arrival", level, "3h", cells) for level, cells in ((3.0, 96), (1.0, 96), (1.0, 4)))


def released(name, column, number, seed=1):
    """People at 8:30 and 17:30."""
    people = np.random.default_rng(seed).choice([8.5, 17.5], number) * column.cells / 24.0
    with same_draws(column, number, seed):
        cells = column.release().randomise_cells(people.astype(int))
    released_times(name, cells, column)


def words(*command):
    ran = run(*command)
    assert ran.status == 0, ran.err
    return " ".join(ran.out.split())


def test_cumulative_shares_are_those_of_the_library_and_hold():
    """Of two files; each of 23 thresholds misses with at most 5 %: more than 6 have the probability 2e-4."""
    for number, name in enumerate(("a.csv", "b.csv")):
        released(name, (FINE, NOISY)[number], 500, number)
    said = words("histogram", "a.csv", "b.csv", "--cumulative", "--json", "a.json")
    (result,) = json.loads(Path("a.json").read_text(encoding="utf-8"))["results"]
    reports = [read_released(name)[0] for name in ("a.csv", "b.csv")]
    shares, tolerance = result["cumulative"]["shares"], result["cumulative"]["tolerance"]
    found = estimate_cumulative(
        [each.angles for each in reports],
        [each.column.release().noise for each in reports],
        weights=[each.counts for each in reports],
        thresholds=geometry.hours_to_angles([9.0, 18.0]),
        tolerance=geometry.hours_to_angles(tolerance),
    )
    low, high = np.array([[each["low"], each["high"]] for each in shares]).T
    assert [low[8], low[17]] == pytest.approx(found.low) and shares[8]["time"] == "09:00"
    assert [high[8], high[17]] == pytest.approx(found.high) and tolerance == pytest.approx(result["blur"] / 2.0)
    hours = np.arange(1, 24)
    before, after = (0.5 * (hours + way > 8.5) + 0.5 * (hours + way > 17.5) for way in (-tolerance, tolerance))
    assert np.sum((before - 0.05 > high) | (after + 0.05 < low)) <= 6
    assert high[5] < 0.5 < low[20] and max(high - low) < 1.0
    quartiles = result["cumulative"]["quantiles"]
    assert [each["share"] for each in quartiles] == [0.25, 0.5, 0.75]
    # the last time before which less than a half is, less the tolerance
    assert quartiles[1]["low"] == pytest.approx(max(np.sum(np.cumprod(high < 0.5)) - tolerance, 0.0))
    assert "by about at least at most 01:00 ± 2 h" in said and "first quartile" in said


def test_cumulative_shares_of_hard_edges_have_no_tolerance():
    released("a.csv", FINE, 50)
    said = words("histogram", "a.csv", "--cumulative", "--edges", "hard")
    assert "by at least at most 01:00 " in said and "±" not in said


def test_the_group_that_is_too_small_is_named():
    released("many.csv", FINE, 1000)
    released("few.csv", NOISY, 40, 2)
    said = words("compare", "many.csv", "few.csv")
    assert "No curve: the reports of 'few.csv' show no density" in said and "of 'many.csv' show" not in said


def test_cells_that_are_too_coarse_are_said_to_be():
    """No number of people would give them a blur, so none is named."""
    released("coarse.csv", COARSE, 300)
    said = words("histogram", "coarse.csv")
    assert "No curve: 4 cells are too coarse. Release at least 6. The bins have hard edges." in said
    assert "people" not in said.partition("No curve")[2] and "18:00-24:00" in said
    reports = read_released("coarse.csv")[0]
    with pytest.raises(ValueError, match="release at least 6 cells"):
        estimate_density_band(reports.angles, COARSE.release().noise, weights=reports.counts)


def test_a_blur_that_does_not_divide_the_day_is_told_from_that_of_the_bins():
    released("a.csv", FINE, 1000)
    said = words("histogram", "a.csv", "--blur", "2.5h")
    assert "through a blur of 2 h 40 min" in said and "The blur of the curve is 2 h 30 min" in said
    assert "The blur of the curve" not in words("histogram", "a.csv", "--blur", "3h")


def test_peaks_are_named_before_a_mean_is():
    """Of 8:30 and 17:30, with ends around them; those of one crowd are not."""
    released("a.csv", FINE, 1000)
    (result,) = json.loads(run("histogram", "a.csv", "--json", "-").out)["results"]
    peaks = result["band"]["peaks"]
    assert len(peaks) == 2 and peaks[0]["from"] < "08:30" < peaks[0]["to"] < peaks[1]["from"] < "17:30" < peaks[1]["to"]
    text = f"With 95 %, the blurred density has 2 peaks, near {peaks[0]['time']} and {peaks[1]['time']}."
    said = words("mean", "a.csv")
    assert f"{text} A mean says little about it." in said and said.index(text) < said.index("mean time")
    with same_draws("one"):
        released_times("one.csv", FINE.release().randomise_cells(np.full(500, 34)), FINE)
    assert "peaks" not in words("mean", "one.csv")


def band_between(low, high):
    """A band at angles of a quarter of a turn and more, whose estimate is in its middle."""
    angles = np.arange(len(low)) * 2.0 * np.pi / len(low)
    low, high = np.array(low, dtype=float), np.array(high, dtype=float)
    return DensityBand(angles, (low + high) / 2.0, low, high, low, high, 0.5, 1.0, 0.0, "", 9, 0.95)


def test_a_peak_is_certain_if_the_band_falls_below_it_on_both_sides():
    """The heights of the second peak and the last valley decide; whichever angle is the first."""
    for turn in range(8):
        low, high = (np.roll(ends, turn) for ends in ([0, 3, 0, 0, 2, 0, 0, 0], [1, 4, 1.5, 1.5, 3, 1.5, 1, 1]))
        peaks = band_between(low, high).peaks
        angles = sorted(round(at * 4.0 / np.pi) for at, *_ in peaks)
        assert angles == sorted([(1 + turn) % 8, (4 + turn) % 8])
        assert all((end - at) % (2.0 * np.pi) <= np.pi / 4.0 + 1e-9 for at, _, end in peaks)
        assert len(band_between(low, np.where(high == 1.5, 2.5, high)).peaks) == 1
    assert band_between([0] * 4, [1] * 4).peaks == []


def test_two_crowds_can_show_as_one_peak_where_nobody_came():
    """At 7:30 and 10:00, through a blur of 3 h: the only peak is near 8:45."""
    blur = geometry.hours_to_angles(3.0)
    hours = np.arange(48) / 2.0
    density = sum(Arc(blur, blur).weight(np.abs(geometry.hours_to_angles(hours - crowd))) for crowd in (7.5, 10.0))
    ((at, *_),) = band_between(density, density).peaks
    assert abs(geometry.angles_to_hours(at) - 8.75) <= 0.25
