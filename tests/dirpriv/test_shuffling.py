"""Shuffled responses: bounds against exact divergences, against each other, and at extremes.

Exact divergences come from the distribution of the counts of all answers, by adding up people one at a time.
"""

import functools
import itertools

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom
from sweeps import swept, thinned

from dirpriv import guarantees
from dirpriv.distributions import (
    Cap,
    ClippedLaplace,
    PolarLaplace,
    Purkayastha,
    RotationLaplace,
    Uniform,
    VonMisesFisher,
    WrappedLaplace,
)
from dirpriv.distributions.shared.privacy_blanket import falling, relative_density
from dirpriv.guarantees import (
    ShufflingParameters,
    shuffled_delta,
    shuffled_level,
    shuffling_by_counts,
    shuffling_by_fft,
)
from dirpriv.guarantees.search import boundary
from dirpriv.guarantees.shuffling import METHODS
from dirpriv.release import CircleRelease

DISTRIBUTIONS = [
    Purkayastha(2, 0.5),
    Purkayastha(3, 0.5),
    VonMisesFisher(2, 2.0),
    WrappedLaplace(1.0),
    RotationLaplace(0.5),
]


def three_numbers(distribution):
    """What the bound by variation ratio knows of a distribution."""
    blanket = distribution.privacy_blanket()
    return ShufflingParameters(blanket.level, blanket.variation, blanket.floor)


@functools.lru_cache(1000)
def counts(distributions):
    """Distribution of the counts of answers of people with these distributions, all tuples."""
    masses = {(0,) * len(distributions[0]): 1.0}
    for distribution in distributions:
        following = {}
        for count, mass in masses.items():
            for answer, probability in enumerate(distribution):
                after = (*count[:answer], count[answer] + 1, *count[answer + 1 :])
                following[after] = following.get(after, 0.0) + mass * probability
        masses = following
    return masses


def exact_delta(first, second, others, level):
    one, two = (
        counts(tuple(tuple(distribution) for distribution in (distribution_of_one, *others)))
        for distribution_of_one in (first, second)
    )
    return sum(max(one[count] - np.exp(level) * two[count], 0.0) for count in one)


def of_table(weights):
    """The distribution of a kernel on a cycle: the probabilities for an input, and what the bounds need to know."""
    weights = np.asarray(weights, dtype=float) / np.sum(weights)
    high = np.sort(weights)[::-1] * len(weights)
    variation = 0.5 * np.abs(high - high[::-1]).mean()
    parameters = ShufflingParameters(float(np.log(high[0] / high[-1])), float(variation), float(high[-1]))

    def points(level):
        values = (high - np.exp(level) * high[::-1]) / high[-1]
        return np.append(values, 0.0), np.append(np.full(len(high), high[-1] / len(high)), 1.0 - high[-1])

    return lambda shift: np.roll(weights, shift), parameters, points


@pytest.mark.parametrize(
    "weights", [[4, 2, 1, 2], [5, 1, 1, 1], [5, 5, 1, 1], [9, 3, 3, 1, 3, 3], [8, 4, 2, 1, 2, 4], [3, 1, 1]]
)
def test_bounds_are_above_the_exact_divergence_for_all_inputs(weights):
    distribution, parameters, points = of_table(weights)
    m, ratios = len(weights), []
    for people, level in itertools.product((2, 3, 5), (0.1, 0.5, 1.0)):
        exact = max(
            exact_delta(distribution(0), distribution(other), [distribution(x)] * (people - 1), level)
            for other in range(1, m)
            for x in range(m)
        )
        blanket = shuffling_by_fft.mean_excess(*points(level), people) / people
        bounds = [shuffled_delta(parameters, people, level, method=method) for method in METHODS]
        assert exact <= blanket * (1.0 + 1e-9)
        assert (np.diff([blanket, *bounds]) >= -1e-7 * blanket).all()
        ratios.append(exact / blanket)
    if len(set(weights)) == 2:  # of two levels it is the divergence itself at times: no lower one holds
        assert max(ratios) > 1.0 - 1e-6


@pytest.mark.parametrize("own", [0.5, 2.0, 4.0])
def test_randomised_response_with_two_answers(own):
    # all others answer at random: the bound by clones counts those who do, and is nearly exact
    yes = 1.0 / (1.0 + np.exp(-own))
    for people in (2, 20, 60):
        others = {k: binom.pmf(np.arange(people), people - 1, p) for k, p in (("no", 1.0 - yes), ("yes", yes))}
        for level in (0.05, 0.3, 0.45):
            worst = 0.0
            for of_others in others.values():
                one = np.convolve(of_others, [1.0 - yes, yes])
                two = np.convolve(of_others, [yes, 1.0 - yes])
                worst = max(worst, np.maximum(one - np.exp(level) * two, 0.0).sum())
            bounds = [shuffled_delta(ShufflingParameters(own), people, level, method=method) for method in METHODS]
            assert worst <= min(bounds) * (1.0 + 1e-9)
            np.testing.assert_allclose(bounds, bounds[2], rtol=3e-3)  # of this distribution all three are the same
            # its counts alone, given how many answer at random
            k = np.arange(people + 1)
            at_random = binom.pmf(np.arange(people), people - 1, 2.0 * (1.0 - yes))
            clones = 0.0
            for number, share in enumerate(at_random):
                half = binom.pmf(k[: number + 1], number, 0.5)
                one, two = np.convolve(half, [1.0 - yes, yes]), np.convolve(half, [yes, 1.0 - yes])
                clones += share * np.maximum(one - np.exp(level) * two, 0.0).sum()
            assert clones <= bounds[2] <= clones * (1.0 + 1e-5)
            # one person fewer hides less: a bound for one more is seen to be too low
            assert shuffled_delta(ShufflingParameters(own), people + 1, level, method="clones") < clones


def test_the_published_decomposition_is_too_low_for_four_answers():
    """Counting the third answers with those of the others loses a part of the divergence (two errata)."""
    own, level, people, answers = 2.0, 0.8, 8, 4
    p = np.exp(own)

    def distribution(x):
        return np.where(np.arange(answers) == x, p, 1.0) / (p + answers - 1)

    exact = exact_delta(distribution(0), distribution(1), [distribution(2)] * (people - 1), level)
    a = 1.0 / (p + answers - 1)
    rest = 1.0 - a - a * p
    published = exact_delta([a * p, a, rest], [a, a * p, rest], [np.array([a, a, 1.0 - 2.0 * a])] * (people - 1), level)
    parameters = ShufflingParameters(own, a * (p - 1.0), answers * a)
    bounds = [shuffled_delta(parameters, people, level, method=method) for method in METHODS]
    assert published < exact * (1.0 - 1e-4)
    assert exact <= min(bounds)


@pytest.mark.parametrize(
    "distribution", [DISTRIBUTIONS[1], *DISTRIBUTIONS[3:], *swept((DISTRIBUTIONS[0],), (DISTRIBUTIONS[2],))], ids=str
)
def test_bounds_of_distributions(distribution):
    for people in (2, 2000):
        levels = [shuffled_level(distribution, people, 1e-6, method=method) for method in METHODS]
        assert (np.diff(levels) >= -2e-5 * levels[0]).all()
        assert levels[-1] <= distribution.pure_level()
        assert shuffled_delta(distribution, people, levels[0]) <= 1e-6
        assert shuffled_delta(distribution, people, 0.97 * levels[0]) > 1e-6  # and not much above


@pytest.mark.parametrize(("people", "room"), [(2, 0.0), (100, 0.0), (3000, 1e-3), *swept((200, 0.0))])
@pytest.mark.parametrize("distribution", [Purkayastha(2, 0.3), Cap(2, 1.0, 1.2), Cap(3, 2.0, 0.5)], ids=str)
def test_each_method_is_at_most_the_next(distribution, people, room):
    """Also for caps, of which three numbers say all: there the sums of cells alone are larger by 1e-4."""
    for factor in (0.1, 0.5, 1.0, 2.0, 3.0, 4.0):
        level = distribution.pure_level() * min(0.9, factor / np.sqrt(people))
        deltas = [shuffled_delta(distribution, people, level, method=method) for method in METHODS]
        assert deltas[0] <= deltas[1] * (1.0 + room) and deltas[1] <= deltas[2]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=str)
def test_cells_of_a_distribution_keep_its_means_and_are_hardly_worse(distribution):
    density = relative_density(distribution)
    theta = distribution._uniform.angle_ppf((np.arange(1000) + 0.5) / 1000)
    one, two = density(theta), density(theta[::-1])
    parameters = distribution.privacy_blanket()
    assert parameters.variation == pytest.approx(0.5 * np.abs(one - two).mean(), rel=1e-3)
    assert parameters.floor == pytest.approx(density(np.array([np.pi]))[0])
    for level in (0.0, 0.2, 1.0):
        values, masses = distribution.privacy_blanket().points(level)
        gains = (one - np.exp(level) * two) / parameters.floor
        assert masses.sum() == pytest.approx(1.0, abs=1e-12)
        assert masses @ values == pytest.approx(-np.expm1(level), abs=1e-9)
        for threshold in (-1.0, 0.0, 0.5):  # larger in the convex order
            exact = parameters.floor * np.maximum(gains - threshold, 0.0).mean()
            found = masses[:-1] @ np.maximum(values[:-1] - threshold, 0.0)
            assert exact * (1 - 1e-3) <= found <= exact * (1 + 5e-3) + 1e-4


def test_no_other_pair_of_inputs_is_worse():
    for distribution in (Purkayastha(2, 0.8), VonMisesFisher(2, 1.0)):
        density = relative_density(distribution)
        theta = (np.arange(400) + 0.5) * 2 * np.pi / 400
        floor = float(density(np.array([np.pi]))[0])

        def delta(distance, density=density, theta=theta, floor=floor):
            apart = np.abs(np.remainder(theta - distance + np.pi, 2 * np.pi) - np.pi)
            gains = (density(np.minimum(theta, 2 * np.pi - theta)) - np.exp(0.3) * density(apart)) / floor
            masses = np.full(400, floor / 400)
            return shuffling_by_fft.mean_excess(np.append(gains, 0.0), np.append(masses, 1.0 - floor), 60) / 60

        deltas = [delta(distance) for distance in np.linspace(0.2, np.pi, 8)]
        assert (np.diff(deltas) > 0.0).all()
        assert deltas[-1] == pytest.approx(shuffled_delta(distribution, 60, 0.3), rel=0.01)


def two_levels(own, share):
    """The cap: ε₀ above the rest within this share of the circle, at most a half."""
    floor = 1.0 / (1.0 + np.expm1(own) * share)
    return ShufflingParameters(own, floor * np.expm1(own) * share, floor)


def people_for_a_tenth(own, half_angle):
    """N of the asymptotic variance E sin² θ/ρ² at a mean error of .1 rad, all people in one direction."""
    floor = two_levels(own, half_angle / np.pi).floor
    rho = floor * np.expm1(own) * np.sin(half_angle) / np.pi
    sine = 0.5 - floor * np.expm1(own) * np.sin(2.0 * half_angle) / (4.0 * np.pi)
    return sine / rho**2 * 2.0 / np.pi / 0.01


@pytest.mark.parametrize(("level", "most", "half_angle", "narrower"), [(0.5, 175, 0.8, 161), (1.0, 101, 0.65, 91)])
@pytest.mark.parametrize("method", METHODS[:2])
def test_people_needed_with_a_cap(level, most, half_angle, narrower, method):
    def shuffled(people):  # with the level of a report at which these people are enough
        own = brentq(lambda own: people_for_a_tenth(own, half_angle) - people, 0.1, 20.0)
        return shuffled_level(two_levels(own, half_angle / np.pi), people, 1e-6, method=method)

    assert shuffled(narrower) <= level < shuffled(int(0.9 * narrower)) and narrower < most


def test_the_cap_of_the_least_mean_error_needs_a_few_more():
    def half_angle(own):
        return brentq(lambda angle: np.tan(angle) - angle - np.pi / np.expm1(own), 1e-6, 0.4999 * np.pi)

    for level, people in ((0.5, 176), (1.0, 102)):
        for enough, keeps in ((people, True), (people - 1.5, False)):
            own = brentq(lambda own, n=enough: people_for_a_tenth(own, half_angle(own)) - n, 0.1, 20.0)
            found = shuffled_level(two_levels(own, half_angle(own) / np.pi), people, 1e-6)
            assert (found <= level) == keeps


@pytest.mark.parametrize(("own", "people", "delta"), thinned([1e-6, 0.3, 4.0, 20.0], [2, 100, 10_000], [1e-6, 1e-12]))
def test_both_computations_agree_at_extremes(own, people, delta):
    sums = shuffled_level(ShufflingParameters(own), people, delta)
    binomials = shuffled_level(ShufflingParameters(own), people, delta, method="clones")
    assert sums == pytest.approx(binomials, rel=2e-3, abs=1e-12)
    assert 0.0 <= sums <= own
    cap = two_levels(own, 0.2)
    sums = shuffled_delta(cap, people, 0.3 * own)
    binomials = shuffled_delta(cap, people, 0.3 * own, method="variation ratio")
    if binomials > 1e-12:
        assert sums == pytest.approx(binomials, rel=0.02)


def test_a_million_people():
    for own, delta in ((1e-6, 1e-12), (1.0, 1e-6), (4.0, 1e-12)):
        level = shuffled_level(ShufflingParameters(own), 10**6, delta)
        assert level == pytest.approx(shuffled_level(ShufflingParameters(own), 10**6, delta, method="clones"), rel=2e-3)
        # normal distributions with the same second moment, which is the limit
        apart = np.sqrt(2.0 * np.expm1(own) ** 2 / (1.0 + np.exp(own)) / 10**6)
        if own < 2.0:
            from dirpriv.mechanisms.central import gaussian_log_delta

            assert gaussian_log_delta(level, apart) == pytest.approx(np.log(delta), abs=0.1)
    assert shuffled_level(ShufflingParameters(60.0), 10**6, 1e-6) == 60.0
    assert shuffled_level(Uniform(2), 10, 1e-6) == 0.0


@pytest.mark.parametrize(
    "distribution",
    [VonMisesFisher(1000, 3.0), RotationLaplace(12.0), *swept((Purkayastha(100, 2.0),), (Purkayastha(3, 15.0),))],
    ids=repr,
)
def test_a_million_people_with_a_distribution(distribution):
    level = shuffled_level(distribution, 10**6, 1e-6)
    assert 0.0 < level <= shuffled_level(three_numbers(distribution), 10**6, 1e-6) * (1.0 + 1e-4)


def test_sums_of_draws_against_full_enumeration():
    rng = np.random.default_rng(5)
    for _ in range(20):
        values, masses = np.sort(rng.normal(size=4)), rng.dirichlet(np.ones(4))
        values -= masses @ values + 0.3
        for count in (1, 3, 6):
            sums = functools.reduce(np.add.outer, [values] * count).ravel()
            weights = functools.reduce(np.multiply.outer, [masses] * count).ravel()
            exact = weights @ np.maximum(sums, 0.0)
            found = shuffling_by_fft.mean_excess(values, masses, count)
            assert exact * (1.0 - 1e-12) <= found <= exact * 1.02 + 1e-9


def test_sums_of_counts_against_full_enumeration():
    for gain, loss, third, informative, other in ((2.0, 5.0, 1.0, 0.2, 0.3), (1.0, 1.1, 0.1, 0.45, 0.0)):
        for count in (1, 4, 9):
            shares = [informative, informative, other, 1.0 - 2.0 * informative - other]
            exact = sum(
                mass * max(gain * n[0] - loss * n[1] - third * n[2], 0.0)
                for n, mass in counts((tuple(shares),) * count).items()
            )
            found = shuffling_by_counts.mean_excess(gain, loss, third, informative, other, count)
            assert exact <= found <= exact * (1.0 + 2e-6)
            lower = shuffling_by_counts.mean_excess(gain, 1.01 * loss, third, informative, other, count)
            assert count == 1 or lower < exact


def test_the_search_returns_what_it_tested():
    def family(own):
        return Purkayastha(2, own / np.pi)

    for people, level in ((50, 0.3), (2000, 0.05), (2, 1.0)):
        found = shuffled_level(family(3.0 * level), people, 1e-6)
        assert found <= 3.0 * level
        assert shuffled_delta(family(3.0 * level), people, found) <= 1e-6
        assert shuffled_delta(family(3.0 * level), people, 0.99 * found) > 1e-6


@pytest.mark.parametrize(
    ("safe", "limit", "end"), [(0.01, 1.0, 0.03), (0.5, 1e-9, 0.45), (2.0, 1e-9, 1.9), (5.0, 60.0, 7.0)]
)
def test_the_search_goes_back_from_a_guess_that_is_too_far(safe, limit, end):
    """Where ``excess`` is the logarithm of a ratio to the end: found but for 1e-3, from every guess."""
    tried = []

    def excess(point):
        tried.append(point)
        return abs(np.log(point / limit)) * -1.0 + abs(np.log(end / limit))

    for share in (0.0, 0.3, 0.9, 0.99, 1.0):
        found = boundary(excess, end ** (1.0 - share) * limit**share, safe, limit)
        assert excess(found) <= 0.0 and found == pytest.approx(end, rel=1e-3)
    assert min(safe, limit) <= min(tried) and max(tried) <= max(safe, limit)


@pytest.mark.parametrize(("kappa", "cost"), [(4.0 / np.pi, 1.08), (1.0 / np.pi, 1.017)])
def test_cost_of_purkayastha(kappa, cost):
    assert guarantees.shuffled_sample_size_ratio(Purkayastha(2, kappa)) == pytest.approx(cost, rel=0.005)
    # from the densities alone
    theta = (np.arange(20_000) + 0.5) * np.pi / 20_000
    distribution = Purkayastha(2, kappa)
    density = np.pi * distribution.angle_pdf(theta)
    information = ((density - density[::-1]) ** 2).mean()
    rho = (density * np.cos(theta)).mean()
    assert guarantees.shuffled_sample_size_ratio(distribution) == pytest.approx(information / (8.0 * rho**2), rel=1e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: shuffled_level(PolarLaplace(1.0), 10, 1e-6), "has no finite pure level"),
        (lambda: shuffled_level(ClippedLaplace(0.1), 10, 1e-6), r"ShufflingParameters\(0.628"),
        (lambda: shuffled_level(1.0, 10, 1e-6), r"give a distribution, or a level as ShufflingParameters"),
        (lambda: shuffled_level(ShufflingParameters(1.0), 0, 1e-6), "'people' must be an integer of at least 1; got 0"),
        (lambda: shuffled_level(ShufflingParameters(1.0), 10, 1.0), "'delta' must be between 0 and 1"),
        (lambda: shuffled_level(ShufflingParameters(1.0), 10, 0.0), "'delta' must be positive"),
        (lambda: shuffled_delta(ShufflingParameters(1.0), 10, -1.0), "'level' must be nonnegative"),
        (lambda: shuffled_delta(ShufflingParameters(1.0), 10, 0.1, method="best"), "'method' must be one of blanket"),
        (lambda: ShufflingParameters(1.0, 0.5), r"'variation' must be at most tanh\(level/2\)"),
        (lambda: ShufflingParameters(1.0, 0.4, 0.7), "'floor' must be from"),
        (lambda: ShufflingParameters(1.0, 0.4, 1.39 * np.exp(-1.0)), "'floor' must be from"),
        (lambda: falling(Uniform(2), np.array([1.0, 1e-20, 2e-20])), "does not fall"),
        (lambda: falling(Uniform(2), np.array([1.0, 0.0])), "or is 0"),
        (lambda: guarantees.shuffled_sample_size_ratio(Uniform(2)), "is uniform"),
        (lambda: guarantees.shuffled_sample_size_ratio(RotationLaplace(1.0)), "must be a distribution of directions"),
    ],
)
def test_errors(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_distribution_of_a_release_is_a_little_worse_than_the_distribution_it_stands_for():
    release = CircleRelease.within(0.5, np.pi, cells=96)
    distribution = Purkayastha(2, 0.5 / np.pi)
    for people in (20, 1000):
        level, of_distribution = shuffled_level(release.noise, people, 1e-6), shuffled_level(distribution, people, 1e-6)
        assert level == pytest.approx(of_distribution, rel=0.02)
        assert level <= shuffled_level(three_numbers(release.noise), people, 1e-6)
    table = of_table(release.noise.probabilities)[2]
    exact = shuffling_by_fft.mean_excess(*table(0.1), 50) / 50
    assert shuffled_delta(release.noise, 50, 0.1) == pytest.approx(exact, rel=1e-9, abs=0.0)


def test_distributions_without_a_mode_have_the_bound_of_their_level():
    distribution = ClippedLaplace(0.1)
    level = shuffled_level(ShufflingParameters(distribution.pure_level()), 100, 1e-6)
    assert 0.0 < level < distribution.pure_level()


def test_answers_that_tell_nothing_have_their_probabilities_too():
    """Half of them count for each input, none for both: the limit of randomised response at small levels."""
    assert ShufflingParameters(0.0).three_counts() == (0.5, 0.0, 1.0)
    assert ShufflingParameters(1e-7).three_counts() == pytest.approx((0.5, 0.0, 1.0), abs=1e-6)
