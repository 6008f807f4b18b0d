"""Simulated errors: their distribution and their seeding."""

import numpy as np
import pytest
from scipy import stats

from dirpriv import geometry
from dirpriv.distributions import Purkayastha, VonMisesFisher
from dirpriv.mechanisms import PurkayasthaMechanism, WrappedLaplaceMechanism
from study.simulation import mean_errors
from study.simulation.baselines import ProjectedLaplace
from study.simulation.estimates import Z95
from study.simulation.populations import Population, directions_of, population_of_hour

ALPHA = 1e-6  # error rate of each statistical test here


def on_sphere(distributions, population, responses, repetitions, seed=1):
    rngs = [np.random.default_rng([seed, number]) for number in range(2 + len(distributions))]
    return mean_errors.errors_on_sphere(distributions, population, responses, repetitions, *rngs[:2], rngs[2:])


def test_one_response_has_the_error_of_one_draw():
    """Local model with one response: the error is the angle of one draw (Kolmogorov-Smirnov, rate ALPHA)."""
    mechanism = PurkayasthaMechanism.pure(1.0)
    rngs = np.random.default_rng(1), np.random.default_rng(2)
    errors = mean_errors.local_errors(mechanism, population_of_hour(8.0), 1, 100_000, *rngs)
    assert stats.kstest(errors, mechanism.noise.angle_cdf).pvalue > ALPHA
    assert stats.kstest(errors, WrappedLaplaceMechanism.pure(1.0).noise.angle_cdf).pvalue < ALPHA


def test_error_is_to_the_mean_of_the_same_people():
    people = Population([0.0, 1.0, 2.5])
    sharp = PurkayasthaMechanism.pure(1e6)
    rngs = np.random.default_rng(1), np.random.default_rng(2)
    errors = mean_errors.local_errors(sharp, people, 5, 1000, *rngs)
    assert errors.shape == (1000,) and errors.max() < 1e-3


@pytest.mark.parametrize("responses", [3, 100_000])
def test_a_point_does_not_depend_on_what_else_is_computed(responses):
    mechanism, population = PurkayasthaMechanism.pure(1.0), Population(np.linspace(0.0, 2.0, 50))
    arguments = (mechanism, population, responses, ("cell",), ("people",), 1, 0.2, 300_000)
    first = mean_errors.mean_local_error(*arguments)
    mean_errors.mean_local_error(mechanism, population, 17, ("other",), ("people",), 1, 0.2, 1000)
    assert mean_errors.mean_local_error(*arguments) == first
    other_seed = mean_errors.mean_local_error(mechanism, population, responses, ("cell",), ("people",), 2, 0.2, 300_000)
    assert other_seed.value != first.value


@pytest.mark.parametrize("dim", [3, 12])
def test_one_response_on_a_sphere_has_the_error_of_one_draw(dim):
    """Of two distributions that share their draws (Kolmogorov-Smirnov, rate 2e-6); each is not the other."""
    distributions = Purkayastha(dim, 9.0), Purkayastha(dim, 10.0)
    errors = on_sphere(distributions, directions_of("one_direction", dim, 0.5, 1, None), 1, 25_000).T
    for distribution, own, other in zip(distributions, errors, errors[::-1], strict=True):
        assert stats.kstest(own, distribution.angle_cdf).pvalue > ALPHA
        assert stats.kstest(other, distribution.angle_cdf).pvalue < ALPHA


@pytest.mark.parametrize("distribution", [VonMisesFisher(4, 1.5), ProjectedLaplace(4, 4.0)])
def test_errors_on_a_sphere_are_those_of_whole_vectors(distribution):
    """Of 5 people who differ (two samples, Kolmogorov-Smirnov, rate ALPHA); 30 % more noise is caught."""
    people = directions_of("spread", 4, 0.5, 50, np.random.default_rng(1))
    found = on_sphere([distribution], people, 5, 20_000)[:, 0]
    for other, same in ((distribution, True), (type(distribution)(4, distribution.kappa / 1.3), False)):
        true = people.draw((20_000, 5), np.random.default_rng(2))
        noisy = other.rvs(true.reshape(-1, 4), rng=np.random.default_rng(3)).reshape(true.shape)
        sums = [x.sum(axis=1) / np.linalg.norm(x.sum(axis=1), axis=1)[:, None] for x in (true, noisy)]
        assert (stats.ks_2samp(found, geometry.angle_between_vectors(*sums)).pvalue > ALPHA) == same


def test_intervals_on_a_sphere_cover():
    """2000 intervals of 80 repetitions cover 93 to 97 %: they fail for nothing with the probability 2e-4.

    The wrong variant: the errors of four distributions, which share draws, taken for repetitions of one. A share of
    0.85 covers in more than 93 % of 2000 with a probability below 1e-20.
    """
    distributions = [VonMisesFisher(5, 6.0)] * 4
    errors = on_sphere(distributions, directions_of("one_direction", 5, 0.5, 1, None), 5, 160_000)
    truth, rows = errors.mean(), errors.reshape(2000, 80, 4)
    for sample, right in ((rows[..., 0], True), (rows.reshape(2000, -1), False)):
        deviation = sample.std(axis=1, ddof=1) / np.sqrt(sample.shape[1])
        covered = np.mean(np.abs(sample.mean(axis=1) - truth) < Z95 * deviation)
        assert 0.93 < covered < 0.97 if right else covered < 0.85


def test_a_distribution_on_a_sphere_does_not_depend_on_the_others():
    distributions, cells = [Purkayastha(12, kappa) for kappa in (1.0, 5.0)], [("one",), ("other",)]
    arguments = directions_of("one_direction", 12, 0.5, 1, None), 20, 700
    both = mean_errors.mean_errors_on_sphere(distributions, *arguments, cells, ("people",), 1)
    alone = mean_errors.mean_errors_on_sphere(distributions[1:], *arguments, cells[1:], ("people",), 1)
    assert alone == both[1:] and both[0].repetitions == 700
    assert both[0].value > both[1].value


def test_repetitions_on_spheres_suffice():
    """The interval is as narrow as wanted where errors scatter most, at three coordinates and ε near 0.3."""
    one = directions_of("one_direction", 3, 0.5, 1, None)
    count = mean_errors.repetitions_on_sphere(3, 60, 0.03, 100, 1e9)
    for kappa in (0.2, 0.5, 30.0):
        found = mean_errors.mean_errors_on_sphere([VonMisesFisher(3, kappa)], one, 60, count, [("a",)], ("b",), 1)
        assert Z95 * found[0].standard_error < 0.03 * found[0].value
    assert mean_errors.repetitions_on_sphere(50, 300, 0.03, 500, 10_000_000) == 500
    assert mean_errors.repetitions_on_sphere(500, 300, 0.03, 500, 12_000_000) == 80
