"""Shuffled responses of the best mechanisms: what they cost against a trusted data owner, by both bounds."""

import numpy as np
import pytest
from scipy.optimize import brentq
from test_shuffling import three_numbers

from dirpriv.distributions import Cap
from dirpriv.guarantees import shuffled_level, shuffled_sample_size_ratio
from dirpriv.mechanisms import CapMechanism, CardioidMechanism, PurkayasthaMechanism


@pytest.mark.parametrize(
    ("mechanism", "cost"), [(CardioidMechanism, 1.0), (PurkayasthaMechanism, 1.08), (CapMechanism, 1.61)]
)
def test_cost_in_the_limit_at_a_level_of_four(mechanism, cost):
    distribution = mechanism.pure(4.0).noise
    assert shuffled_sample_size_ratio(distribution) == pytest.approx(cost, rel=0.02)
    # from the densities, relative to the uniform distribution, at the two ends of a diameter
    theta = (np.arange(100_000) + 0.5) * np.pi / 100_000
    density = np.pi * distribution.angle_pdf(theta)
    information = ((density - density[::-1]) ** 2).mean()
    assert shuffled_sample_size_ratio(distribution) == pytest.approx(
        information / (8.0 * distribution.mean_cosine() ** 2), rel=1e-3
    )


def sample_size(distribution):
    """N for a mean error of .1 rad, where all people share one direction (its limit for many people)."""
    return distribution.mean_squared_sine() / distribution.mean_cosine() ** 2 * 2.0 / np.pi / 0.01


@pytest.mark.parametrize("method", ["blanket", "variation ratio"])
@pytest.mark.parametrize(
    ("level", "people", "family"),
    [
        (0.5, 176, lambda own: CapMechanism.pure(own).noise),
        (0.5, 161, lambda own: Cap(2, own, 0.8)),
        (1.0, 102, lambda own: CapMechanism.pure(own).noise),
        (1.0, 91, lambda own: Cap(2, own, 0.65)),
    ],
)
def test_people_needed_after_shuffling(level, people, family, method):
    """The distribution that needs these people for the error keeps the level, and one with a little less noise not."""
    local = brentq(lambda own: sample_size(family(own)) - people, 0.5, 8.0)
    assert shuffled_level(family(local), people, 1e-6, method=method) <= level
    assert shuffled_level(family(1.05 * local), people, 1e-6, method=method) > level


def test_both_bounds_agree_for_caps():
    for half_angle in (0.5, 1.2, 0.5 * np.pi):
        distribution = Cap(2, 1.5, half_angle)
        levels = [shuffled_level(distribution, 300, 1e-6, method=method) for method in ("blanket", "variation ratio")]
        assert levels[0] == pytest.approx(levels[1], rel=1e-4)
        assert levels[0] == pytest.approx(shuffled_level(three_numbers(distribution), 300, 1e-6), rel=1e-4)
    wide = Cap(2, 1.5, 2.5)  # beyond half the circle the second knows less
    assert shuffled_level(wide, 300, 1e-6) <= shuffled_level(wide, 300, 1e-6, method="variation ratio") * 1.0001


def test_half_angles_of_the_least_mean_error():
    for own in (0.5, 1.0, 2.0):
        angle = brentq(lambda a, own=own: np.tan(a) - a - np.pi / np.expm1(own), 1e-6, 0.4999 * np.pi)
        variation = CapMechanism.pure(own).noise.privacy_blanket().variation
        share = angle / np.pi
        assert variation == pytest.approx(np.expm1(own) * share / (1.0 + np.expm1(own) * share), rel=1e-9)
