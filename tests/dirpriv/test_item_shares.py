"""Shares of items from released ones: intervals that hold, estimates of the largest likelihood, what is refused."""

import math

import numpy as np
import pytest
from scipy import stats
from statistics_of_draws import ALPHA

from dirpriv.estimators import betting_intervals, estimate_item_shares
from dirpriv.estimators.item_shares import ItemWindow, _likeliest
from dirpriv.release import CircleRelease, FiniteRelease

POINTS = np.array([0.0, 0.4, 1.0, 1.3, 3.0, 3.1, 5.0, 9.0])[:, None]
RELEASE = FiniteRelease(1.0, list("abcdefgh"), points=POINTS)
TRUE = np.array([0.3, 0.0, 0.2, 0.05, 0.05, 0.3, 0.0, 0.1])


def reports(people, seed, transitions=RELEASE.noise.transitions()):  # noqa: B008
    rng = np.random.default_rng(seed)
    return sum(
        rng.multinomial(count, row) for count, row in zip(rng.multinomial(people, TRUE), transitions, strict=True)
    )


def misses(runs, confidence, of, noise=RELEASE.noise, people=300):
    """How many intervals miss the share of one item, which is that of the multinomial people."""
    missed, rng = 0, np.random.default_rng(7)
    for _ in range(runs):
        counts = rng.multinomial(people, TRUE)
        drawn = sum(rng.multinomial(n, row) for n, row in zip(counts, RELEASE.noise.transitions(), strict=True))
        found = estimate_item_shares(np.arange(8), noise, weights=drawn, of=[of], confidence=confidence)
        missed += not found.low[0] - 1e-9 <= counts[of] / people <= found.high[0] + 1e-9
    return missed


def test_intervals_hold():
    """At most 20 % miss, error rate 1e-6; those of half the noise miss far more often."""
    assert stats.binom.sf(misses(80, 0.8, 0) - 1, 80, 0.2) > ALPHA
    other = FiniteRelease(2.5, RELEASE.items, points=POINTS).noise
    assert stats.binom.sf(misses(20, 0.8, 0, other, people=20_000) - 1, 20, 0.2) < ALPHA


@pytest.mark.sweep
@pytest.mark.parametrize("of", range(8))
@pytest.mark.parametrize("people", [20, 3000])
def test_intervals_hold_in_many_runs(of, people):
    assert stats.binom.sf(misses(1000, 0.9, of, people=people) - 1, 1000, 0.1) > ALPHA


def test_bets_are_fair_from_every_input():
    """What they pay in the mean is at most e^(-λ w), by the whole table."""
    rng = np.random.default_rng(1)
    made = FiniteRelease(0.3, range(200), points=rng.normal(size=(200, 2)) * 3.0)
    chances = made.noise.transitions()
    for item in (0, 77):
        window = ItemWindow(chances, item)
        rates, expected = np.array([0.01, 0.3, 2.0]), np.tile(window.even, (3, 1))
        bets = betting_intervals.fair_bets(window, window.highest, rates, expected, 1e-4)
        classes = np.empty(200, dtype=int)
        classes[window._order] = np.searchsorted(window._starts, np.arange(200), side="right") - 1
        means = chances @ bets.T[classes]
        weights = np.arange(200) == item
        assert (means * np.exp(rates * weights[:, None]) <= 1.0 + 1e-9).all()
        assert (means * np.exp(rates * weights[:, None])).max(axis=0) == pytest.approx(np.ones(3), rel=1e-6)


def test_estimates_are_of_the_largest_likelihood():
    """No other shares explain the reports better, and they come near to the true ones."""
    counts = reports(10**6, 1)
    found = estimate_item_shares(np.arange(8), RELEASE.noise, weights=counts)
    assert found.count == 10**6 and found.confidence == pytest.approx(0.95)
    likeliest, chances = _likeliest(RELEASE.noise.transitions(), counts), RELEASE.noise.transitions()
    slopes = chances @ (counts / (likeliest @ chances)) / counts.sum()
    assert slopes.max() < 1.001 and np.abs(found.shares - TRUE).max() < 0.04  # two are 0.1 apart
    assert ((found.low <= found.shares) & (found.shares <= found.high)).all()
    some = estimate_item_shares(np.repeat(np.arange(8), counts // 1000), RELEASE.noise, of=[5, 0])
    assert some.items.tolist() == [5, 0] and some.count == (counts // 1000).sum()
    assert (some.high - some.low > (found.high - found.low)[[5, 0]]).all()


def test_items_at_one_place_share_their_people():
    made = FiniteRelease(1.0, list("abc"), points=[[0.0], [0.0], [2.0]])
    found = estimate_item_shares([0, 1, 2], made.noise, weights=[4000, 4000, 2000])
    assert found.shares[0] == pytest.approx(found.shares[1]) and found.low[:2].tolist() == [0.0, 0.0]
    assert found.high[0] == pytest.approx(found.high[1], rel=0.1) and found.high[0] > 0.8


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"indices": [0, 8]}, "row 1 of 'indices' is no item from 0 to 7"),
        ({"indices": [-1]}, "row 0 of 'indices' is no item"),
        ({"indices": [0.0]}, "'indices' must be one column of integers"),
        ({"indices": ["a"]}, "'indices' must be one column of integers"),
        ({"indices": []}, "'indices' must hold at least one report"),
        ({"weights": [1.5]}, "'weights' is no whole number of at least 0"),
        ({"weights": [math.nan]}, "'weights' is no whole number"),
        ({"weights": [1, 2]}, "'weights' must hold 1 numbers"),
        ({"weights": [-1]}, "'weights' is no whole number"),
        ({"of": [9]}, "row 0 of 'of' is no item"),
        ({"confidence": 1.0}, "'confidence' must be between 0 and 1"),
        ({"distribution": CircleRelease(1.0).noise}, "'distribution' must be the noise of a FiniteRelease"),
        ({"distribution": None}, "'distribution' must be the noise of a FiniteRelease"),
    ],
    ids=str,
)
def test_what_is_no_column_of_items_is_refused(changed, message):
    with pytest.raises(ValueError, match=message) as refused:
        estimate_item_shares(**{"indices": [0], "distribution": RELEASE.noise} | changed)
    assert "\n" not in str(refused.value)
