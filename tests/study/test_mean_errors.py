"""Simulated errors: their law and their seeding."""

import numpy as np
import pytest
from scipy import stats

from dirpriv.mechanisms import PurkayasthaMechanism, WrappedLaplaceMechanism
from study.simulation import mean_errors
from study.simulation.populations import Population, population_of_hour

ALPHA = 1e-6  # error rate of each statistical test here


def test_one_response_has_the_error_of_one_draw():
    """Local model with one response: the error is the angle of one draw (Kolmogorov-Smirnov, rate ALPHA)."""
    mechanism = PurkayasthaMechanism.pure(1.0)
    rngs = np.random.default_rng(1), np.random.default_rng(2)
    errors = mean_errors.local_errors(mechanism, population_of_hour(8.0), 1, 100_000, *rngs)
    assert stats.kstest(errors, mechanism.law.angle_cdf).pvalue > ALPHA
    assert stats.kstest(errors, WrappedLaplaceMechanism.pure(1.0).law.angle_cdf).pvalue < ALPHA
    central = mean_errors.central_errors(
        mechanism, population_of_hour(8.0), 100_000, np.random.default_rng(3)
    )
    assert stats.kstest(central, mechanism.law.angle_cdf).pvalue > ALPHA


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
    other_seed = mean_errors.mean_local_error(
        mechanism, population, responses, ("cell",), ("people",), 2, 0.2, 300_000
    )
    assert other_seed.value != first.value
