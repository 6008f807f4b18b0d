"""Hours of places from private reports of time and place: what is estimated, and what is refused."""

import numpy as np
import pytest

from dirpriv import geometry
from dirpriv.distributions import PlanarLaplace
from dirpriv.estimators import estimate_busyness
from dirpriv.estimators.transport import circular_emd
from dirpriv.release import CircleRelease, FiniteRelease

TIMES, PLACES = CircleRelease.within(2.0, "3h").noise, PlanarLaplace(kappa=0.01)
VENUES = np.array([[0.0, 0.0], [500.0, 0.0], [0.0, 600.0], [900.0, 900.0]])
HOURS = np.array([9.0, 12.0, 18.0, 22.0])


def angles(hours, rng, noise=TIMES):
    cells = (np.mod(hours, 24.0) * 60.0).astype(int) + rng.choice(1440, p=noise.probabilities, size=len(hours))
    return (cells % 1440 + 0.5) * (geometry.TURN / 1440)


def visits(people, seed):
    """People at venues at their hours, and their reports."""
    rng = np.random.default_rng(seed)
    venue = rng.choice(4, p=[0.4, 0.3, 0.2, 0.1], size=people)
    hours = HOURS[venue] + rng.normal(0.0, 1.0, people)
    return venue, np.mod(hours, 24.0), angles(hours, rng), PLACES.rvs(VENUES[venue], rng=rng)


def errors(days, hours, place):
    """Hours by which a day of each place is off."""
    true = [np.histogram(hours[place == number], 24, (0.0, 24.0))[0] for number in range(len(VENUES))]
    return np.array([circular_emd(*pair) for pair in zip(true, np.broadcast_to(days, (4, 24)), strict=True)])


def test_hours_of_venues():
    """Those of each venue are found from the reports, and with other noise they are not."""
    venue, hours, *reports = visits(20_000, 1)
    estimate = estimate_busyness(*reports, TIMES, PLACES, venues=VENUES)
    assert estimate.shares == pytest.approx([0.4, 0.3, 0.2, 0.1], abs=0.02)
    assert estimate.hours.sum(axis=1) == pytest.approx(1.0)
    own = errors(estimate.hours, hours, venue)
    assert (own < 0.5).all()
    assert (errors(estimate.city, hours, venue) > 2.0).all()
    wrong = estimate_busyness(*reports, CircleRelease.within(20.0, "3h").noise, PLACES, venues=VENUES)
    assert (errors(wrong.hours, hours, venue) > 2.0 * own).all()


def test_hours_of_released_items():
    rng, release = np.random.default_rng(2), FiniteRelease(0.01, list("abcd"), points=VENUES)
    venue, hours, times, _ = visits(20_000, 2)
    items = np.array([rng.choice(4, p=row, size=20_000) for row in release.noise.transitions()])[
        venue, np.arange(20_000)
    ]
    estimate = estimate_busyness(times, items, TIMES, release.noise)
    assert (errors(estimate.hours, hours, venue) < 0.5).all()
    with pytest.raises(ValueError, match="no item"):
        estimate_busyness(times, items + 1, TIMES, release.noise)


def test_districts_reach_beyond_the_square():
    """People just outside of the square are not counted in it; those on the border of a region are not asked for."""
    rng = np.random.default_rng(3)
    places = np.concatenate([rng.uniform(-250.0, 250.0, (10_000, 2)), [[700.0, 0.0]] * 10_000])
    hours = np.repeat([8.0, 20.0], 10_000) + rng.normal(0.0, 1.0, 20_000)
    reports = angles(hours, rng), PLACES.rvs(places, rng=rng)
    estimate = estimate_busyness(*reports, TIMES, PLACES, reach=500.0, bins=4)
    assert estimate.side == 1000.0 and estimate.asked.sum() == 1 and len(estimate.places) == 9
    assert estimate.hours[estimate.asked][0, 3] < 0.1 < 0.4 < estimate.city[3]
    assert estimate.shares[estimate.asked][0] == pytest.approx(0.5, abs=0.05)
    beyond = estimate_busyness(*reports, TIMES, PLACES, reach=500.0, bins=4, region=(500.0, 0.0, 600.0))
    assert not beyond.asked.any()


def test_what_is_not_supported_is_refused():
    """The number of reports that is named is enough, and a tenth less is not."""
    _, _, times, places = visits(3000, 4)
    with pytest.raises(
        ValueError, match=r"24 bins of districts of 200 .* at most 10 .* or about [\d,]+ reports"
    ) as told:
        estimate_busyness(times, places, TIMES, PLACES, reach=200.0, districts=2, bins=24)
    needed = int(str(told.value).split("about ")[1].split(" reports")[0].replace(",", ""))
    enough = np.full(3000, -(-needed // 3000) * 1.1 // 1)
    asked = {"reach": 200.0, "districts": 2, "bins": 24}
    assert estimate_busyness(times, places, TIMES, PLACES, weights=enough, **asked).error <= 0.1
    with pytest.raises(ValueError, match="error"):
        estimate_busyness(times, places, TIMES, PLACES, weights=(0.8 * enough).round(), **asked)
    for wrong, name in (
        ({"bins": 97}, "96"),
        ({"districts": 30}, "1024"),
        ({"reach": None}, "reach"),
        ({"venues": np.zeros((1025, 2))}, "1024"),
    ):
        with pytest.raises(ValueError, match=name):
            estimate_busyness(times, places, TIMES, PLACES, **({"reach": 200.0} | wrong))
