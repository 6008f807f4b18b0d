"""Maps through a blur: bets on soft districts are fair from every input, and their intervals hold."""

import numpy as np
import pytest
from scipy.signal import fftconvolve
from sweeps import swept

from dirpriv import estimators
from dirpriv.distributions import PlanarLaplace
from dirpriv.estimators import place_intervals
from dirpriv.estimators.place_intervals import DistrictBets, SoftDistrict, spline
from dirpriv.release import PlaneRelease

CITY = {"region_centre": (40.75, -73.98), "region_reach": "3km", "cell_size": "50m"}
NOISE = PlaneRelease.within(1.0, "200m", **CITY).noise
SIDE, REACH = 800.0, 1200.0
MIDDLES = np.array([-800.0, 0.0, 800.0])


def largest_product(bets):
    """Of what each bet pays in the mean times e^(λw), over the cells of people within 4 km."""
    size = int(np.sqrt(bets._logs.shape[1]))
    reach, far = size // 2, 80
    moves = NOISE.square_transitions(50.0, far + reach)
    away = np.arange(-far, far + 1)
    weights = np.outer(spline(away * 50.0 / SIDE), spline(away * 50.0 / SIDE))
    products = []
    for rate, logs in zip(bets.rates, bets._logs.reshape(-1, size, size), strict=True):
        paid = np.exp(logs)  # the border goes on to infinity
        means = fftconvolve(np.pad(paid - paid[0, 0], far), moves, mode="same") + paid[0, 0]
        inside = means[reach:-reach, reach:-reach] if reach else means
        products.append((inside * np.exp(rate * weights)).max())
    return np.array(products)


def test_bets_on_soft_districts_are_fair_from_every_cell():
    """Where they are tight, a bet that pays 1e-6 more is not."""
    bets = DistrictBets(NOISE, SIDE, 1000.0 / (2.0 * REACH) ** 2, 0.05)
    assert (bets.rates[:6] > 0.0).all() and (bets.rates[6:] < 0.0).all()
    products = largest_product(bets)
    assert (products <= 1.0 + 1e-9).all() and (products > 1.0 - 9e-7).all()
    bets._logs = bets._logs + np.log1p(1e-6)
    assert (largest_product(bets) > 1.0).all()


def test_bets_know_what_lies_between_units():
    """Inputs that lie off the middle of a unit, of several cells and of a density, are bounded by the error."""
    for noise, side in ((NOISE, SIDE), (PlanarLaplace(0.005), SIDE)):
        for score in SoftDistrict(noise, side, 40).scores([0.4, -0.4]):
            assert 0.0 < score.error < 0.05 and score.values.min() > -0.95


def mean_part_missed(runs, assumed):
    """Of nine intervals of 80 % in a run, those that miss; people are at spots and spread out, in numbers by lot."""
    rng, missed = np.random.default_rng(50), []
    bets = DistrictBets(assumed, SIDE, 3000.0 / (2.0 * REACH) ** 2, 0.2)
    moves = NOISE.square_transitions(50.0, 80)
    for _ in range(runs):
        count = int(rng.integers(2000, 8000))
        spots = rng.integers(-16, 17, (3, 2))[rng.integers(0, 3, count)]
        people = np.where(rng.random((count, 1)) < 0.7, spots, rng.integers(-30, 31, (count, 2))) * 50.0
        moved = np.array(np.unravel_index(rng.choice(moves.size, count, p=(moves / moves.sum()).ravel()), moves.shape))
        reports = people + (moved.T - len(moves) // 2) * 50.0
        ((low, high),) = bets.ends(reports, np.ones(count), MIDDLES, [0.2])
        along = [spline((of[:, None] - MIDDLES) / SIDE) for of in people.T]
        true = along[0].T @ along[1] / count
        missed.append(np.mean((true < low) | (true > high)))
    return np.mean(missed)


@pytest.mark.parametrize(("runs", "least"), [(24, 0.65), *swept((100, 0.41))])
def test_intervals_of_soft_districts_hold(runs, least):
    """Mean parts above these have a probability below exp(-n KL(·, 0.2)) = 1e-5; of half the noise they are above."""
    half = PlaneRelease.within(2.0, "200m", **CITY).noise
    assert mean_part_missed(runs, NOISE) < least < mean_part_missed(runs, half)


def test_the_blur_follows_from_the_number_of_reports_and_the_noise():
    rng, about = np.random.default_rng(3), {"reach": REACH, "cells": 12, "edges": "soft", "width": np.inf}
    people = rng.uniform(-1000.0, 1000.0, (2000, 2))
    reports = np.rint((people + rng.laplace(0.0, 200.0, people.shape)) / 50.0) * 50.0
    found = estimators.estimate_place_density(reports, NOISE, **about)
    districts = len(found.low)
    assert 3 <= districts < 16 and found.blur == pytest.approx(2.0 * REACH / districts)
    assert place_intervals.supports(NOISE, REACH, found.blur, 0.05)(2000)
    assert not place_intervals.supports(NOISE, REACH, 2.0 * REACH / (districts + 1), 0.05)(2000)
    assert (found.low_everywhere <= found.low).all() and (found.high <= found.high_everywhere).all()
    same = estimators.estimate_place_density(reports, NOISE, blur=found.blur, **about)
    assert np.array_equal(same.low, found.low)
    wider = estimators.estimate_place_density(reports, NOISE, blur=found.blur, blurs=3, **about)
    assert (wider.low <= found.low).all() and (wider.high > found.high).all()
    with pytest.raises(ValueError, match=r"no density: even a blur of a third.* use about \d+ people"):
        estimators.estimate_place_density(reports[:20], NOISE, **about)
    for wrong in ({"blur": 40.0}, {"blur": 3000.0}, {"blur": 400.0, "districts": 3}, {"intervals": "smooth"}):
        with pytest.raises(ValueError, match=r"'blur' must|'districts' goes|'edges' goes"):
            estimators.estimate_place_density(reports, NOISE, **about | wrong)
    with pytest.raises(ValueError, match="'blur' goes with edges='soft'"):
        estimators.estimate_place_density(reports, NOISE, reach=REACH, cells=4, blur=400.0)
