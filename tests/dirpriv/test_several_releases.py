"""Estimates over several releases, each by its own noise: what makes them hold, and wrong variants caught."""

import numpy as np
import pytest
from sweeps import swept

from dirpriv import estimators, geometry
from dirpriv.distributions import PlanarLaplace
from dirpriv.estimators import MeanEstimate, betting_intervals, mean_intervals, p_values
from dirpriv.estimators.circle_noise_bounds import Arc, circle_noise, windows
from dirpriv.mechanisms import PurkayasthaMechanism
from dirpriv.release import CircleRelease

pytestmark = pytest.mark.usefixtures("few_widths")

TURN = geometry.TURN
NEAR, FAR = (CircleRelease.within(level, "3h", cells=cells).noise for level, cells in ((10.0, 288), (2.0, 96)))


def reports_of(distribution, hours, rng):
    """Middles of the cells that people at these hours report."""
    chances, count = np.asarray(distribution.probabilities), len(distribution.probabilities)
    moved = rng.choice(count, p=chances / chances.sum(), size=len(hours))
    return ((np.asarray(hours) / 24.0 * count).astype(int) + moved) % count * (TURN / count) + np.pi / count


def misses(runs, distributions):
    """How often upper ends of the error 10 % are below the share 1: of 40 people in each of two releases.

    Half of them are at 8:00 and half in the last minutes before 9:00. The estimate takes these distributions.
    """
    noises, number = list(map(circle_noise, distributions)), 0
    ((_, around),) = windows(noises, np.array([8.0]) * TURN / 24.0, Arc(TURN / 24.0))
    for run in range(runs):
        rng = np.random.default_rng([7, run])
        reports = [(noise, reports_of(of, rng.choice([8.0, 8.99], 40), rng), np.ones(40))
                   for noise, of in zip(noises, (NEAR, FAR), strict=True)]  # fmt: skip
        counted = [
            (window, of.around(window)) for window, of in zip(around, betting_intervals.divided(reports), strict=True)
        ]
        weights = [window.highest for window in around]
        number += betting_intervals.upper_ends(counted, weights, np.array([0.1]))[0, 0] < 1.0
    return number


def test_upper_ends_over_two_releases_miss_as_seldom_as_promised():
    """At most 5 of 8 times (error rate 2e-5). With the noise of the first for both, they always miss."""
    assert misses(8, (NEAR, FAR)) <= 5
    assert misses(6, (NEAR, NEAR)) == 6


def test_what_two_releases_pay_is_one_at_most():
    """In the mean over all reports of one person in each release, whatever their inputs: for every λ.

    The noise of one release for the reports of the other is caught.
    """

    def largest(taken):
        noises = list(map(circle_noise, (NEAR, taken)))
        ((_, around),) = windows(noises, np.array([TURN / 3.0]), Arc(TURN / 6.0))
        weights = [window.highest for window in around]
        rates = betting_intervals._rates(
            list(zip(around, weights, [1.0] * 2, [1.0] * 2, strict=True)), 0, np.log(20.0), 2.0
        )
        means = []
        for distribution, noise, window, of in zip((NEAR, FAR), noises, around, weights, strict=True):
            paid = np.exp(betting_intervals._grown(window, np.eye(len(window.even))[None], of, rates, 1e-3, 0))
            count = len(distribution.probabilities)
            parts = np.arange(count) * noise.parts // count
            chances = np.asarray(distribution.probabilities)[(np.arange(count) - np.arange(count)[:, None]) % count]
            means.append(((chances @ paid[window.classes[parts]]) * np.exp(rates * of[parts][:, None])).max(axis=0))
        return np.max(means[0] * means[1])

    assert largest(FAR) <= 1.0 + 1e-9
    assert largest(NEAR) > 1.1


def test_intervals_over_two_releases_hold():
    """All of a day at once, at 98 %: in at most 2 of 3 runs one misses (error rate 8e-6).

    The wrong variant takes the distribution of one release for both: one misses in each of two runs.
    """
    missed, bins = {FAR: 0, NEAR: 0}, np.arange(0.0, 25.0, 3.0)
    for run in range(3):
        rng = np.random.default_rng([8, run])
        people = [rng.choice([7.1, 12.6], 1000), rng.choice([12.6, 20.1], 3000, p=[0.2, 0.8])]
        reports = [
            reports_of(distribution, hours, rng) for distribution, hours in zip((NEAR, FAR), people, strict=True)
        ]
        shares = np.histogram(np.concatenate(people), bins)[0] / 4000.0
        for distribution in (FAR, NEAR) if run < 2 else (FAR,):
            found = estimators.estimate_histogram(
                reports, [NEAR, distribution], bins=8, confidence=0.98, simultaneous=True
            )
            missed[distribution] += bool(((shares < found.low) | (shares > found.high)).any())
    assert missed[FAR] <= 2 and missed[NEAR] == 2
    assert found.count == 4000 and found.shares.sum() == pytest.approx(1.0)


def test_the_estimate_is_the_mean_over_the_people_of_all_releases():
    """Not that of one day for both: the people of the noisier release count as many."""
    rng = np.random.default_rng(9)
    reports = [
        reports_of(distribution, hours, rng) for distribution, hours in ((NEAR, [8.0] * 900), (FAR, [20.0] * 300))
    ]
    both = estimators.estimate_histogram(reports, [NEAR, FAR], bins=6)
    apart = [
        estimators.estimate_histogram(of, distribution, bins=6)
        for of, distribution in zip(reports, (NEAR, FAR), strict=True)
    ]
    assert both.shares == pytest.approx(0.75 * apart[0].shares + 0.25 * apart[1].shares, abs=1e-12)
    assert both.shares[5] > 0.15


def test_releases_of_one_distribution_are_one_release():
    """Cut into two lists, also with numbers of reports, the same numbers come out to the last bit."""
    rng = np.random.default_rng(10)
    reports = reports_of(FAR, rng.choice([8.0, 17.0], 80), rng)
    counts = np.ones(len(reports), dtype=int)
    whole = estimators.estimate_histogram(reports, FAR, bins=4)
    parts, weights = [reports[:1], reports[1:]], [counts[:1], counts[1:]]
    cut = estimators.estimate_histogram(parts, [FAR, FAR], bins=4, weights=weights)
    for name in ("shares", "low", "high", "flat_p_value"):
        assert np.array_equal(getattr(whole, name), getattr(cut, name))
    assert estimators.estimate_mean(reports, FAR) == estimators.estimate_mean([reports], [FAR])


# ---------------------------------------------------------------------- means


@pytest.mark.parametrize("people", [(0, 0, 0), (1, 1, 5), (0, 1, 4)])
def test_evidence_over_two_releases_is_one_at_most(people):
    """The mean over all reports of three people in six cells, the last of a release with more noise.

    For each direction and stake of an interval of the angle, and of the length. Reports of full length are
    caught in both: where all people are at one place, and where those of one release are apart from others.
    """
    distributions = [
        CircleRelease.from_mechanism(PurkayasthaMechanism.pure(level), cells=6).noise for level in (6.0, 6.0, 2.0)
    ]
    places = np.arange(6) * TURN / 6
    rhos = np.array(
        [distribution.probabilities @ np.cos(places) for distribution in distributions]
    )  # of people in the middle of a cell
    mean = np.exp(1j * places[list(people)]).mean()

    def evidence(lengths):
        found = [0.0, 0.0]
        for cells in np.ndindex(6, 6, 6):
            chances = [
                distribution.probabilities[a - b]
                for distribution, a, b in zip(distributions, cells, people, strict=True)
            ]
            intervals = mean_intervals.MeanIntervals(places[list(cells)], np.ones(3), rhos.min(), 0.95, lengths)
            for number, (around, length) in enumerate(
                [(mean_intervals._ACROSS, 0.0), (mean_intervals._RADIAL, abs(mean))]
            ):
                logs = intervals._logs(np.array([np.angle(mean) - intervals.mean, length]), around)
                paid = np.exp(logs) / (around[1][:, None] * intervals.weights)
                found[number] = found[number] + np.prod(chances) * paid
        return [float(np.max(each)) for each in found]

    right, wrong = evidence(rhos.min() / rhos), evidence(np.ones(3))
    assert max(right) <= 1.0 + 1e-12 and min(right) > 0.5
    if people == (0, 0, 0):
        assert wrong[1] > 1.02
    elif people == (1, 1, 5):
        assert wrong[0] > 1.02


def test_the_mean_of_several_releases_is_that_of_their_people():
    """Within 6 standard errors, and in both intervals; a mean of all reports alike is far from it."""
    rng = np.random.default_rng(11)
    near, noisy = (CircleRelease.within(level, "3h", cells=96).noise for level in (3.0, 0.7))
    reports = [
        reports_of(distribution, hours, rng) for distribution, hours in ((near, [6.0] * 3000), (noisy, [12.0] * 3000))
    ]
    found = estimators.estimate_mean(reports, [near, noisy])
    hours = np.array([found.low, found.angle, found.high]) / TURN * 24.0
    assert hours[0] < 9.0 < hours[2] and abs(hours[1] - 9.0) < 0.35
    assert found.resultant_low < np.sqrt(0.5) < found.resultant_high
    assert found.resultant == pytest.approx(np.sqrt(0.5), abs=0.05)
    alike = np.angle(np.exp(1j * np.concatenate(reports)).mean()) / TURN * 24.0
    assert abs(alike - 9.0) > 0.7


def mean_at(angle, before, after, whole=False):
    ends = np.mod([angle - before, angle + after], TURN)
    return MeanEstimate(angle % TURN, *map(float, ends), whole, 0.9, 0.8, 1.0, 0.0, 99, 0.975)


def test_a_difference_holds_where_both_means_do():
    """Whatever both true means are within their intervals; without the interval of one it does not."""
    rng = np.random.default_rng(12)
    forgotten = 0
    for _ in range(500):
        angles, sides = rng.uniform(0.0, TURN, 2), rng.uniform(0.0, 1.5, (2, 2))
        first, second = (mean_at(angle, *side) for angle, side in zip(angles, sides, strict=True))
        true = angles + rng.uniform(-sides[:, 0], sides[:, 1])
        value, low, high = first.difference(second)
        assert -np.pi <= value <= np.pi and np.mod(value - (angles[1] - angles[0]) + 1.0, TURN) == pytest.approx(1.0)
        whole = sides.sum() >= TURN
        assert (high - low == pytest.approx(TURN)) if whole else high - low == pytest.approx(sides.sum())
        off = (true[1] - true[0] - value + np.pi) % TURN - np.pi
        assert whole or low - 1e-9 <= value + off <= high + 1e-9
        forgotten += not -sides[1, 0] <= off <= sides[1, 1]
    assert forgotten > 100
    assert mean_at(1.0, 0.1, 0.1).difference(mean_at(2.0, 0.1, 0.1, whole=True))[1:] == (-np.pi, np.pi)


@pytest.mark.parametrize(("runs", "most", "error"), [(5, 4, 0.1), *swept((30, 23, 0.4))])
def test_the_difference_misses_as_seldom_as_promised(runs, most, error):
    """Of 60 and 40 people: at most 4 of 5 miss at the error 10 % in all (error rate 1e-5), and 23 of 30 at 40 % (9e-6).

    Half of the intervals exclude half of the circle or more. An interval of no width misses always.
    """
    missed, widths = 0, []
    for run in range(runs):
        rng = np.random.default_rng([13, run])
        means = [
            estimators.estimate_mean(
                reports_of(distribution, [hour] * count, rng), distribution, confidence=1.0 - error / 2.0
            )
            for distribution, hour, count in ((NEAR, 23.0, 60), (FAR, 2.0, 40))
        ]
        _, low, high = means[0].difference(means[1])
        missed += not low <= 3.0 / 24.0 * TURN <= high
        widths.append(high - low)
    assert missed <= most and np.median(widths) < np.pi


def test_independent_p_values_are_combined_as_fisher_says():
    """Of two uniform ones, p₁p₂(1 - log p₁p₂); the smaller of both is too small."""
    one = np.linspace(0.0005, 0.9995, 1000)
    found = np.array([[p_values.combined([a, b]) for b in one[::10]] for a in one[::10]])
    product = np.outer(one[::10], one[::10])
    assert found == pytest.approx(product * (1.0 - np.log(product)), rel=1e-12)
    assert np.mean(found <= 0.05) == pytest.approx(0.05, abs=0.01)
    assert np.mean(np.minimum.outer(one[::10], one[::10]) <= 0.05) > 0.09
    assert p_values.combined([0.3]) == 0.3 and p_values.combined([0.0, 0.5]) < 1e-290


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (([1.0, 2.0], [NEAR]), r"'angles' must be a list of 1, one for each distribution"),
        ((np.ones(2), [NEAR, FAR]), r"'angles' must be a list of 2"),
        (([[1.0], [2.0]], [NEAR, FAR], [[1]]), r"'weights' must be a list of 2"),
        (([[1.0], [2.0]], [NEAR, FAR], 1), r"'weights' must be a list of 2"),
        (([[1.0], [np.nan]], [NEAR, FAR]), r"row 0 of 'angles' is nan or infinite"),
        (([[1.0], []], [NEAR, FAR]), r"'angles' must hold"),
        (([[1.0], [2.0]], [NEAR, PlanarLaplace(1.0)]), r"'distribution' must be a distribution on the circle"),
        (([], []), r"'distribution' must be a distribution, or a list of one or more"),
        (([[1.0]], [NEAR]), r"'angles' must hold at least two reports; got 1"),
    ],
)
@pytest.mark.parametrize("estimate", [estimators.estimate_histogram, estimators.estimate_mean])
def test_lists_that_do_not_fit_are_refused(arguments, said, estimate):
    values, distribution, *weights = arguments
    with pytest.raises(ValueError, match=said):
        estimate(values, distribution, weights=weights[0] if weights else None)
