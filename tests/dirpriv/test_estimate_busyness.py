"""Hours of places from private reports of time and place: what is estimated, and what is refused."""

import numpy as np
import pytest

from dirpriv import geometry, planner
from dirpriv.distributions import PlanarLaplace, Purkayastha
from dirpriv.distributions.planar_laplace import quadrant_of
from dirpriv.estimators import busyness_intervals, estimate_busyness, place_intervals
from dirpriv.estimators.place_supports import district_support, soft_bins, spline
from dirpriv.estimators.transport import circular_emd
from dirpriv.geometry.spaces import CIRCLE, PLANE, Product
from dirpriv.release import CircleRelease, FiniteRelease, PlaneRelease


def release(level, cell_size=50.0):
    return PlaneRelease.within(
        level, "200m", region_centre=(40.75, -73.98), region_reach=5000.0, cell_size=cell_size
    ).noise


def moves(noise, size, rng):
    """Moves in metres by the table of a release."""
    fall = noise.kappa * noise.cell_size
    at = np.arange(-int(40.0 / fall), int(40.0 / fall) + 1)
    below = np.exp(-fall * np.hypot(at[:, None], at)).ravel().cumsum()
    drawn = np.searchsorted(below, rng.random(size) * below[-1], side="right")
    return np.stack([at[drawn // at.size], at[drawn % at.size]], axis=1) * noise.cell_size


TIMES, PLACES = CircleRelease.within(2.0, "3h").noise, release(3.0)
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
    return venue, np.mod(hours, 24.0), angles(hours, rng), VENUES[venue] + moves(PLACES, people, rng)


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


def test_intervals_of_venues():
    """Of the people in a square around each: all hold, and with noise of another level most do not."""
    venue, hours, *reports = visits(20_000, 11)
    inside = np.prod(spline((VENUES[:, None] - VENUES) / 800.0), axis=-1)[venue]
    true = (soft_bins(np.floor(hours * 60.0) + 0.5, 1440, 6) @ inside / inside.sum(axis=0)).T
    how = {"venues": VENUES, "reach": 400.0, "bins": 6}
    found, other = (estimate_busyness(*reports, TIMES, noise, **how) for noise in (PLACES, release(1.0)))
    assert ((found.low <= true) & (true <= found.high)).all() and (found.high - found.low < 0.3).all()
    assert found.blurred == pytest.approx(true, abs=0.1) and np.isnan(found.error) and found.side == 800.0
    assert ((other.low > true) | (true > other.high)).sum() > 12
    assert np.isnan(estimate_busyness(*reports, TIMES, PLACES, venues=VENUES, bins=6).low).all()


def test_reports_that_no_venue_explains():
    """People 1500 m from both venues: their reports belong to neither, and the hours of the venues are as without."""
    rng = np.random.default_rng(12)
    venues, far = np.array([[0.0, 0.0], [1500.0, 1500.0]]), np.array([1500.0, 0.0])
    people = np.concatenate([np.repeat(venues, 2000, axis=0), np.tile(far, (200, 1))])
    times = angles(np.repeat([10.5, 19.5, 3.0], [2000, 2000, 200]) + rng.normal(0.0, 1.0, 4200), rng)
    positions = people + moves(PLACES, 4200, rng)
    how = {"venues": venues, "bins": 8, "confidence": None}
    found = estimate_busyness(times, positions, TIMES, PLACES, **how)
    alone = estimate_busyness(times[:4000], positions[:4000], TIMES, PLACES, **how)
    assert found.hours.argmax(axis=1).tolist() == [3, 6]
    assert np.abs(found.hours - alone.hours).max() < 0.02 and found.shares == pytest.approx(alone.shares, abs=0.01)


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
    places = np.rint(places / 50.0) * 50.0
    reports = angles(hours, rng), places + moves(PLACES, 20_000, rng)
    estimate = estimate_busyness(*reports, TIMES, PLACES, reach=500.0, bins=4)
    assert estimate.side == 1000.0 and estimate.asked.sum() == 1 and len(estimate.places) == 9
    assert estimate.hours[estimate.asked][0, 3] < 0.1 < 0.4 < estimate.city[3]
    assert estimate.shares[estimate.asked][0] == pytest.approx(0.5, abs=0.05)
    assert not district_support(reports[1], PLACES, 500.0, 1, (500.0, 0.0, 600.0)).asked.any()


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


@pytest.mark.parametrize("hour", [(0.0, 24.0), (8.0, 12.0)])
def test_hours_are_as_sharp_as_planned(hour):
    """For even people, and sharper for a morning; with half of the people they are refused."""
    rng, noise = np.random.default_rng(9), release(3.0)
    people, settings = planner.people_near(0.2, TIMES, noise, side=1000.0), {"reach": 500.0, "bins": 8}
    total = people * 36
    places = np.rint(rng.uniform(-3000.0, 3000.0, (total, 2)) / 50.0) * 50.0
    reports = angles(rng.uniform(*hour, total), rng), places + moves(noise, total, rng)
    found = estimate_busyness(*reports, TIMES, noise, **settings)
    width = (found.high - found.low)[found.asked].mean()
    assert 0.6 < width / busyness_intervals.usual_width((TIMES, noise), 1000.0, 8, people, 0.05) < 1.25
    assert width < 0.25
    with pytest.raises(ValueError, match="about"):
        estimate_busyness(*(of[::2] for of in reports), TIMES, noise, **settings)


def misses(time_noise, place_noise, runs=24):
    """Part of the intervals of 80 % that miss the hours of a place, whose neighbours come at other hours."""
    missed, rng = [], np.random.default_rng(5)
    for _ in range(runs):
        places = np.rint(rng.uniform(-1500.0, 1500.0, (2000, 2)) / 50.0) * 50.0
        hours = np.where((np.abs(places) < 250.0).all(axis=1), 8.0, 20.0) + rng.normal(0.0, 1.0, 2000)
        reports = angles(hours, rng), places + moves(PLACES, 2000, rng)
        support = district_support(reports[1], place_noise, 500.0, 1, None)
        noises, numbered = (time_noise, place_noise), (*reports, np.ones(2000))
        ends = busyness_intervals.intervals(support, numbered, noises, bins=6, error=0.2)
        low, high = ends[:, support.asked.argmax()]
        weights = np.prod(spline(places / 1000.0), axis=1)
        cells = (np.floor(np.mod(hours, 24.0) * 60.0) + 0.5) / 60.0
        true = soft_bins(cells, 24, 6) @ weights / weights.sum()
        missed.append(np.mean((true < low) | (true > high)))
        assert (high - low < 0.5).all()
    return np.mean(missed)


def test_intervals_hold():
    """More than 0.65 of them miss with a probability below exp(-24 KL(0.65, 0.2)) = 1e-5; for wrong noise they do."""
    assert misses(TIMES, PLACES) < 0.65
    assert misses(CircleRelease.within(0.7, "3h").noise, PLACES) > 0.65


def test_scores_of_places_are_unbiased():
    """From every cell of a release, also where a score is of several cells, and between the points of a density."""
    rng = np.random.default_rng(6)
    for noise, side in ((release(4.0), 500.0), (release(4.0, 2.0), 400.0), (PlanarLaplace(kappa=0.05), 150.0)):
        district = place_intervals.SoftDistrict(noise, side, units=64)
        (scores,), unit = district.scores(), district.unit
        assert scores.error < 5e-2
        edges = (np.arange(len(scores.values) + 1) - len(scores.values) / 2.0) * unit
        cell = getattr(noise, "cell_size", 0.0)
        for place in rng.uniform(-0.7 * side, 0.7 * side, 4):  # along both axes
            place = np.rint(place / cell) * cell if cell else place
            ends = edges - place
            if cell:
                steps, index = np.unique(np.rint(np.abs(ends) / cell - 0.5).astype(int), return_inverse=True)
                below = noise._quadrant(steps)[np.ix_(index, index)]
            else:
                below = quadrant_of(noise.kappa * np.abs(ends))
            moved = np.diff(np.diff(below * np.sign(np.outer(ends, ends)), axis=0), axis=1)
            off = abs((moved * scores.values).sum() - spline(np.array(place / side)) ** 2)
            assert off < scores.error + 2e-5 * np.ptp(scores.values)


def test_scores_of_hours_are_unbiased():
    noise = Purkayastha(dim=2, kappa=3.0)
    scores, parts = busyness_intervals._hour_scores(noise, 8)
    width = geometry.TURN / parts
    for angle in np.random.default_rng(7).uniform(0.0, geometry.TURN, 5):
        ends = np.arange(parts + 1) * width - angle
        beyond = np.asarray(noise.angle_sf(np.minimum(np.abs(ends), geometry.TURN - np.abs(ends)))) / 2.0
        below = np.select([ends < -np.pi, ends < 0.0, ends < np.pi], [-beyond, beyond, 1.0 - beyond], 1.0 + beyond)
        weights = soft_bins(np.array([angle / geometry.TURN]), 1, 8)[:, 0]
        assert scores.values @ np.diff(below) == pytest.approx(weights, abs=scores.error)
    assert scores.error < 1e-4


class Visits:
    """Noise of time and place together, as of a release of both: here of two independent ones."""

    space = Product(CIRCLE, PLANE)

    def __init__(self, time_noise, place_noise):
        self.parts, self.cell_size = (time_noise, place_noise), place_noise.cell_size

    def metric_level(self):
        return np.inf

    pure_level, privacy_loss = metric_level, np.abs

    def mean_radius(self):
        return self.parts[1].mean_radius()

    def transitions(self, bins, side, count):
        return self.parts[0].bin_transitions(bins)[0][:, None, None] * self.parts[1].square_transitions(side, count)


@pytest.mark.parametrize("where", [{"reach": 500.0}, {"venues": VENUES}])
def test_noise_of_both_together_is_taken_out_as_that_of_each(where):
    rng, noise = np.random.default_rng(10), release(4.0)
    places = np.rint(VENUES[rng.integers(0, 4, 8000)] / 50.0) * 50.0
    reports = angles(rng.normal(8.0, 3.0, 8000), rng), places + moves(noise, 8000, rng)
    one = estimate_busyness(*reports, TIMES, noise, bins=6, **where)
    other = estimate_busyness(*reports, Visits(TIMES, noise), bins=6, **where)
    assert other.hours[one.asked] == pytest.approx(one.hours[one.asked], abs=0.01)
    assert other.shares == pytest.approx(one.shares, abs=0.001)
    assert np.isnan(other.low).all()
    assert not one.error < 0.8 * other.error  # whose reports are in bins, and not finer
    assert not other.error < one.error


def test_positions_off_the_cells_are_refused():
    rng = np.random.default_rng(8)
    with pytest.raises(ValueError, match="whole number of cells"):
        estimate_busyness(np.zeros(2000), rng.uniform(-500.0, 500.0, (2000, 2)), TIMES, release(4.0), reach=500.0)
