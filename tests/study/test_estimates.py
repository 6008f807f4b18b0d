"""Estimates: their mean, their interval, their rows."""

import numpy as np
import pytest
from scipy import stats

from study.simulation import estimates
from study.simulation.estimates import Estimate, mean_of_draws, tidy_row

ALPHA = 1e-6  # error rate of each statistical test here


def test_interval_is_as_narrow_as_wanted():
    def draw(block, repetitions):
        return np.random.default_rng(block).standard_exponential(repetitions)

    wanted = estimates.simulated_mean(draw, 100, half_width=0.01, most_repetitions=1e9)
    width = estimates.Z95 * wanted.standard_error / wanted.value
    assert 0.008 < width < 0.012 and wanted.low < wanted.value < wanted.high
    bounded = estimates.simulated_mean(draw, 100, half_width=0.01, most_repetitions=2000)
    assert bounded.repetitions == 2000
    least = estimates.simulated_mean(draw, 1, half_width=0.01, most_repetitions=1)
    assert least.repetitions == 2


def test_coverage_of_the_interval():
    """400 estimates of a known mean: the 95 % interval covers it 92 to 98 times in 100 (rate 6e-3)."""
    covered = 0
    for run in range(400):

        def draw(block, repetitions, run=run):
            return np.random.default_rng([run, block]).standard_exponential(repetitions)

        found = estimates.simulated_mean(draw, 200, half_width=0.05, most_repetitions=1e9)
        covered += found.low <= 1.0 <= found.high
    assert 0.92 < covered / 400 < 0.98


def test_intervals_of_shares_and_quantiles():
    for count in (0, 3, 100):
        share = estimates.share_of_draws(count, 100)
        reference = stats.binomtest(count, 100).proportion_ci(method="exact")
        assert np.allclose([share.value, share.low, share.high], [count / 100, reference.low, reference.high])
    rng = np.random.default_rng(3)
    found = [estimates.quantile_of_draws(np.sort(rng.random(400)), 0.3) for _ in range(1000)]
    covered = sum(quantile.low <= 0.3 <= quantile.high for quantile in found)
    assert stats.binom.cdf(covered, 1000, 0.95) > ALPHA
    of_another = sum(quantile.low <= 0.4 <= quantile.high for quantile in found)
    assert of_another < 100


def test_mean_of_few_draws():
    one, none = mean_of_draws(np.array([2.0])), mean_of_draws(np.array([]))
    assert one.value == 2.0 and np.isnan([one.standard_error, one.low, none.value, none.high]).all()
    two = mean_of_draws(np.array([1.0, 3.0]))
    assert (two.value, two.standard_error, two.repetitions) == (2.0, 1.0, 2)


@pytest.mark.parametrize("names", [("metric", "unit"), ("unit", "metric")])
def test_numbers_of_a_row_come_after_metric_and_unit(names):
    """In the unit of the row; a column may be called as a parameter of the function."""
    row = tidy_row("e", Estimate(1.0, 0.5), 2.0, estimate="x", **dict.fromkeys(names, ""), expected=3.0)
    numbers = ["value", "standard_error", "low", "high"]
    assert list(row) == ["experiment", "estimate", *names, *numbers, "expected"]
    assert row["experiment"] == "e" and row["estimate"] == "x"
    assert (row["value"], row["standard_error"], row["expected"]) == (2.0, 1.0, 3.0)
    assert row["low"] == 2.0 - estimates.Z95 and row["high"] == 2.0 + estimates.Z95
