"""Estimates and their expected errors, which are checked against simulation and the paper's numbers."""

import functools

import numpy as np
import pytest
from sweeps import swept

from dirpriv import InvalidArgument, estimators, geometry
from dirpriv.distributions import ClippedLaplace, Purkayastha, Uniform, VonMisesFisher, WrappedLaplace
from dirpriv.estimators.means import _mean_norm


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


OPPOSITE, EVEN = [[1.0, 0.0], [-1.0, 0.0]], geometry.hours_to_angles(np.arange(24.0))
IN_SPACE = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        *[
            (functools.partial(error, *given, x=x), "'x' has no mean direction")
            for error, given in (
                (estimators.expected_mean_error, (100,)),
                (estimators.normal_mean_error, (100,)),
                (estimators.sample_size_for_error, (0.1,)),
            )
            for given, x in (
                ((VonMisesFisher(2, 1.0), *given), OPPOSITE),
                ((VonMisesFisher(3, 1.0), *given), IN_SPACE),
                ((Purkayastha(2, 1.0), *given), geometry.angles_to_vectors(EVEN)),
                ((Purkayastha(2, 1.0), *given), np.empty((0, 2))),
            )
        ],
        *[
            (functools.partial(estimators.expected_mean_error, Purkayastha(2, 1.0), 9, angles=angles), said)
            for angles, said in (
                ([], "'angles' is empty"),
                ([0.0, np.pi], "'angles' has no mean direction"),
                ([0.0, np.nan], "row 1 of 'angles' is nan or infinite"),
            )
        ],
        (
            lambda: estimators.expected_mean_error(Purkayastha(3, 1.0), 9, angles=[0.0]),
            "'angles' go with a distribution",
        ),
        *[
            (functools.partial(estimators.circular_mean, angles), "'angles' has no mean direction")
            for angles in ([0.0, np.pi], EVEN, np.array([0.0, np.pi], "f4"), [1.0, 1.0 + 1001 * np.pi])
        ],
        (lambda: estimators.circular_mean([[0.0, 1.0], [0.0, np.pi]], axis=1), "row 1 of 'angles' has no mean"),
        (lambda: estimators.mean_direction(OPPOSITE), "'x' has no mean direction"),
        (lambda: estimators.mean_direction(np.empty((0, 3))), "'x' has no mean direction"),
        (lambda: estimators.mean_direction([IN_SPACE, IN_SPACE[::-1]], axis=0), "row 0 of 'x' has no mean"),
        (lambda: estimators.asymptotic_bias(ClippedLaplace(1.0), OPPOSITE), "'x' has no mean direction"),
        (lambda: estimators.asymptotic_bias(Uniform(2), [[1.0, 0.0]]), "'x' has no mean direction"),
    ],
)
def test_a_mean_that_does_not_exist_is_one_clear_error(call, said):
    """It was LinAlgError, nan, any number, or an error about an argument that was not given."""
    with pytest.raises(InvalidArgument, match=said):
        call()


def test_a_mean_that_hardly_exists_is_one():
    """A resultant of 1e-12; of huge angles, which are what they are; and of tiny ones."""
    assert estimators.circular_mean([0.0, np.pi - 4e-12]) == pytest.approx(np.pi / 2.0, abs=1e-3)
    assert np.allclose(estimators.mean_direction([[1.0, 0.0], [-1.0, 4e-12]]), [0.0, 1.0])
    huge = np.array([1e17, 1e17])
    assert np.isclose(estimators.circular_mean(huge), np.angle(np.exp(1e17j)) % (2.0 * np.pi))
    assert estimators.circular_mean([1e-17, 1e-17, 2e-17, 3e-17]) == pytest.approx(1.75e-17)
    error = estimators.expected_mean_error(Purkayastha(2, 1.0), 1, angles=[0.0, np.pi - 4e-12])
    assert 1e11 < error < 1e12  # large, and finite


@pytest.mark.parametrize(
    ("distribution", "responses"),
    [
        (Purkayastha(2, 1 / np.pi), 783),
        (VonMisesFisher(2, 1 / np.pi), 1272),
        (VonMisesFisher(2, 1 / 2), 525),
        (WrappedLaplace(1 / np.pi), 3668),
    ],
    ids=repr,
)
def test_expected_error_at_known_survey_sizes(distribution, responses):
    assert round((estimators.expected_mean_error(distribution, 1) / 0.1) ** 2) == responses


@pytest.mark.parametrize(
    "distribution", [Purkayastha(2, 2.0), WrappedLaplace(2.0), *swept((VonMisesFisher(2, 2.0),))], ids=repr
)
def test_expected_error_of_spread_responses(distribution):
    """2000 simulated surveys of 2000 spread responses each: MAE within 9.5 % (5.5 standard errors)."""
    angles = np.random.default_rng(2).normal(1.0, 0.8, 2000)
    x = geometry.angles_to_vectors(angles)
    rng = np.random.default_rng(3)
    noisy = np.array([distribution.rvs(x, rng=rng).sum(axis=0) for _ in range(2000)])
    errors = geometry.circular_distance(geometry.vectors_to_angles(noisy), estimators.circular_mean(angles))
    expected = estimators.expected_mean_error(distribution, 2000, angles=angles)
    assert abs(errors.mean() / expected - 1) < 0.095
    assert abs(errors.mean() / estimators.expected_mean_error(distribution, 2000) - 1) > 0.2  # the spread matters
    with pytest.raises(ValueError, match="'n' must be positive"):
        estimators.expected_mean_error(distribution, 0)


def test_asymptotic_bias():
    x = geometry.angles_to_vectors(np.array([2.0, 2.1]))
    assert estimators.asymptotic_bias(Purkayastha(2, 1.0), x) < 1e-15
    distribution = ClippedLaplace(0.5)
    limit = estimators.asymptotic_bias(distribution, x)
    noisy = distribution.rvs(np.tile(x, (500_000, 1)), rng=4).sum(axis=0)
    seen = geometry.circular_distance(geometry.vectors_to_angles(noisy), estimators.circular_mean([2.0, 2.1]))
    assert limit > 0.3 and abs(seen - limit) < 0.01


def test_mean_length_of_a_normal_vector():
    """Against closed forms, and a million draws: within 5.5 standard errors (error rate 4e-8)."""
    rng = np.random.default_rng(1)
    assert np.isclose(_mean_norm(np.array([4.0])), 2.0 * np.sqrt(2.0 / np.pi), rtol=1e-14, atol=0.0)
    assert np.isclose(_mean_norm(np.array([4.0, 0.0])), 2.0 * np.sqrt(2.0 / np.pi), rtol=1e-12, atol=0.0)
    # nearly equal variances go through the integral, equal ones through gamma functions
    nearly = np.full(99, 1.0) + 1e-9 * np.arange(99)
    assert np.isclose(_mean_norm(nearly), _mean_norm(np.full(99, 1.0 + 4.9e-8)), rtol=1e-12, atol=0.0)
    for variances in ([1.0, 2.0], [1e-3, 1.0, 5.0], [1.0, *[1e-3] * 50]):
        length = np.linalg.norm(rng.standard_normal((100_000, len(variances))) * np.sqrt(variances), axis=1)
        error = length.std() / np.sqrt(length.size)
        assert abs(length.mean() - _mean_norm(np.array(variances))) < 5.5 * error
        assert abs(length.mean() - np.sqrt(np.sum(variances))) > 5.5 * error  # E‖Z‖ is not √E‖Z‖²


@pytest.mark.parametrize("distribution", [Purkayastha(3, 2.0), VonMisesFisher(20, 15.0)], ids=repr)
def test_expected_error_on_spheres(distribution):
    """1000 surveys of 400 spread responses each: MAE within 5.5 standard errors plus 1 % for so few."""
    rng = np.random.default_rng(3)
    x = VonMisesFisher(distribution.dim, distribution.dim / 2).rvs(np.eye(1, distribution.dim)[0], size=400, rng=rng)
    noisy = distribution.rvs(np.tile(x, (1000, 1)), rng=rng).reshape(1000, 400, distribution.dim)
    errors = geometry.angle_between_vectors(estimators.mean_direction(noisy), estimators.mean_direction(x))
    allowed = 5.5 * errors.std() / np.sqrt(1000) + 0.01 * errors.mean()
    assert abs(errors.mean() - estimators.expected_mean_error(distribution, 400, x=x)) < allowed
    assert abs(errors.mean() - estimators.normal_mean_error(distribution, 400, x=x)) < allowed
    assert abs(errors.mean() - estimators.expected_mean_error(distribution, 400)) > allowed  # the spread matters


def test_normal_error_joins_the_small_angles_and_uniform_noise():
    distribution = Purkayastha(5, 3.0)
    small, exact = (float(f(distribution, 1e6)) for f in (estimators.expected_mean_error, estimators.normal_mean_error))
    assert np.isclose(small, exact, rtol=1e-4, atol=0.0)
    assert np.isclose(estimators.normal_mean_error(Purkayastha(5, 1e-9), 100), np.pi / 2.0, rtol=1e-6, atol=0.0)
    x = geometry.angles_to_vectors(np.array([0.0, 0.4]))
    by_vectors = estimators.expected_mean_error(Purkayastha(2, 1.0), 50, x=x)
    assert np.isclose(
        by_vectors, estimators.expected_mean_error(Purkayastha(2, 1.0), 50, angles=[0.0, 0.4]), rtol=1e-14, atol=0.0
    )
    with pytest.raises(ValueError, match="not as both"):
        estimators.expected_mean_error(Purkayastha(2, 1.0), 50, angles=[0.0], x=x)


def test_mean_direction_adds_vectors_and_never_coordinates():
    """Over the last axis it added the coordinates of each vector."""
    x = geometry.angles_to_vectors(np.array([[0.0, 0.2, 0.4], [1.0, 1.2, 1.4]]))
    assert np.allclose(estimators.mean_direction(x, axis=0), geometry.angles_to_vectors([0.5, 0.7, 0.9]))
    for axis in (1, -2):
        assert np.allclose(estimators.mean_direction(x, axis=axis), geometry.angles_to_vectors([0.2, 1.2]))
    for vectors, axis in ((x, -1), (x, 2), (x, 3), (x, None), (x, 0.5), (x[0, 0], -2), (x[0, 0], 0)):
        with pytest.raises(InvalidArgument, match="'axis' must be an axis of 'x' before the last"):
            estimators.mean_direction(vectors, axis=axis)
