"""What the command says through a blur: cumulative shares, and what is missing where there is none."""

import json
from pathlib import Path

import numpy as np
import pytest
from command_runs import folder, released_times, run, same_draws

from dirpriv import geometry
from dirpriv.estimators import private_cumulative, private_density_band
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
    found = private_cumulative(
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
        private_density_band(reports.angles, COARSE.release().noise, weights=reports.counts)


def test_a_blur_that_does_not_divide_the_day_is_told_from_that_of_the_bins():
    released("a.csv", FINE, 1000)
    said = words("histogram", "a.csv", "--blur", "2.5h")
    assert "through a blur of 2 h 40 min" in said and "The blur of the curve is 2 h 30 min" in said
    assert "The blur of the curve" not in words("histogram", "a.csv", "--blur", "3h")
