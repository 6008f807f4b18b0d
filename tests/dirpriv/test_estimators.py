"""Estimates and their expected errors, which are checked against simulation and the paper's numbers."""

import numpy as np
import pytest

from dirpriv import estimators, geometry
from dirpriv.laws import ClippedLaplace, Purkayastha, Uniform, VonMisesFisher, WrappedLaplace


def test_circular_mean():
    assert np.isclose(estimators.circular_mean([0.1, 2 * np.pi - 0.1]), 0.0) or np.isclose(
        estimators.circular_mean([0.1, 2 * np.pi - 0.1]), 2 * np.pi
    )
    angles = np.array([[0.0, 1.0], [3.0, 4.0]])
    assert np.allclose(estimators.circular_mean(angles, axis=1), [0.5, 3.5])
    assert np.allclose(
        estimators.mean_direction(geometry.angles_to_vectors([0.0, 1.0])), geometry.angles_to_vectors(0.5)
    )
    with pytest.raises(ValueError, match="'angles' is empty"):
        estimators.circular_mean([])


@pytest.mark.parametrize("law", [Purkayastha(2, 0.5), VonMisesFisher(3, 2.0), WrappedLaplace(1.0)], ids=repr)
def test_debiased_mean_is_unbiased(law):
    """Two true directions; each coordinate within 5.5 standard errors (error rate 4e-8)."""
    mu = np.eye(law.dim)[:2].repeat(200_000, axis=0)
    noisy = law.rvs(mu, rng=1)
    assert np.abs(estimators.debiased_mean(noisy, law) - mu.mean(axis=0)).max() < 5.5 / (
        law.mean_cosine() * 632
    )
    assert np.abs(noisy.mean(axis=0) - mu.mean(axis=0)).max() > 5.5 / 632  # without the division it is not
    with pytest.raises(ValueError, match="hold no information"):
        estimators.debiased_mean(noisy[:, :2], Uniform(2))


@pytest.mark.parametrize(
    ("law", "responses"),
    [
        (Purkayastha(2, 1 / np.pi), 783),
        (VonMisesFisher(2, 1 / np.pi), 1272),
        (VonMisesFisher(2, 1 / 2), 525),
        (WrappedLaplace(1 / np.pi), 3668),
    ],
    ids=repr,
)
def test_expected_error_at_known_survey_sizes(law, responses):
    assert round((estimators.expected_mean_error(law, 1) / 0.1) ** 2) == responses


@pytest.mark.parametrize("law", [Purkayastha(2, 2.0), VonMisesFisher(2, 2.0), WrappedLaplace(2.0)], ids=repr)
def test_expected_error_of_spread_responses(law):
    """2000 simulated surveys of 2000 spread responses each: MAE within 9.5 % (5.5 standard errors)."""
    angles = np.random.default_rng(2).normal(1.0, 0.8, 2000)
    x = geometry.angles_to_vectors(angles)
    rng = np.random.default_rng(3)
    noisy = np.array([law.rvs(x, rng=rng).sum(axis=0) for _ in range(2000)])
    errors = geometry.angle_between(geometry.vectors_to_angles(noisy), estimators.circular_mean(angles))
    expected = estimators.expected_mean_error(law, 2000, angles)
    assert abs(errors.mean() / expected - 1) < 0.095
    assert abs(errors.mean() / estimators.expected_mean_error(law, 2000) - 1) > 0.2  # the spread matters
    with pytest.raises(ValueError, match="'n' must be positive"):
        estimators.expected_mean_error(law, 0)


def test_limit_error():
    x = geometry.angles_to_vectors(np.array([2.0, 2.1]))
    assert estimators.limit_error(Purkayastha(2, 1.0), x) < 1e-15
    law = ClippedLaplace(0.5)
    limit = estimators.limit_error(law, x)
    noisy = law.rvs(np.tile(x, (500_000, 1)), rng=4).sum(axis=0)
    seen = geometry.angle_between(geometry.vectors_to_angles(noisy), estimators.circular_mean([2.0, 2.1]))
    assert limit > 0.3 and abs(seen - limit) < 0.01
