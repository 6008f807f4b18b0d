"""One number in, one Python float out: of every public method of every distribution."""

import inspect

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from dirpriv import distributions, estimators
from dirpriv.distributions import (
    ClippedLaplace,
    PlanarLaplace,
    PolarLaplace,
    Purkayastha,
    Uniform,
    VectorLaplace,
    VonMisesFisher,
    WrappedLaplace,
)

DISTRIBUTIONS = [
    *(Purkayastha(2, 2.0), Purkayastha(5, 2.0), VonMisesFisher(2, 2.0), VonMisesFisher(3, 2.0), Uniform(2)),
    *(Uniform(4), WrappedLaplace(2.0), PolarLaplace(2.0), ClippedLaplace(2.0), PlanarLaplace(2.0)),
    *(
        VectorLaplace(1, 2.0),
        VectorLaplace(3, 2.0),
        distributions.RotationUniform(),
        distributions.RotationLaplace(2.0),
    ),
    *(distributions.RotationBingham(2.0), distributions.ChordalLaplace(2.0), distributions.FoldedPurkayastha(2.0)),
    distributions.FoldedVonMisesFisher(2.0),
]
VALUES = dict(theta=0.5, u=0.3, q=0.3, p=0.3, radius=0.5, distance=0.5, function=np.cos, rng=1, size=None)
MANY = {
    "rvs",
    "rvs_tangent",
    "rvs_places",
    "mean_vector",
    "bin_transitions",
    "frozen",
    "privacy_loss_distribution",
    "privacy_blanket",
}  # these give vectors, matrices, or objects


def scalar_calls(distribution):
    """Each public method of a distribution that gives one number, with arguments for it."""
    vectors = dict.fromkeys(("x", "mu", "z", "center"), np.eye(distribution.space.dimension)[0])
    rotation = dict.fromkeys(("rotation", "mode"), Rotation.identity())
    for name, function in inspect.getmembers(type(distribution), inspect.isfunction):
        if name.startswith("_") or name in MANY:
            continue
        method, taken = getattr(distribution, name), inspect.signature(function).parameters
        values = VALUES | vectors | (rotation if distribution.space.metric == "rotation angle" else {"mode": np.pi})
        given = {key: (values | {"other": distribution})[key] for key in taken if key in values or key == "other"}
        yield name, lambda method=method, given=given: method(**given)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
def test_one_number_is_a_python_float(distribution):
    calls = dict(scalar_calls(distribution))
    assert {"metric_level", "pure_level", "privacy_loss", "logpdf", "pdf", "log_normalizer"} <= set(calls)
    wrong = {name: type(value).__name__ for name, call in calls.items() if type(value := call()) is not float}
    assert wrong == {}


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
def test_many_numbers_are_an_array_of_their_shape(distribution):
    for name in ("angle_pdf", "angle_cdf", "angle_sf", "angle_ppf", "radius_pdf", "radius_sf", "radius_ppf"):
        if hasattr(distribution, name):
            assert getattr(distribution, name)([[0.1, 0.2, 0.9]]).shape == (1, 3)


def test_estimates_of_one_number_are_python_floats():
    distribution = VonMisesFisher(2, 1.0)
    for value in (
        estimators.expected_mean_error(distribution, 100),
        estimators.normal_mean_error(distribution, 100),
        estimators.asymptotic_bias(ClippedLaplace(1.0), [[0.0, 1.0]]),
        estimators.circular_mean([0.1, 0.2]),
    ):
        assert type(value) is float
    assert estimators.expected_mean_error(distribution, [10, 20]).shape == (2,)


def test_distributions_that_are_not_symmetric_are_refused_where_the_mean_would_be_wrong():
    distribution = ClippedLaplace(1.0)
    for call in (
        lambda: estimators.expected_mean_error(distribution, 10),
        lambda: estimators.normal_mean_error(distribution, 10),
    ):
        with pytest.raises(ValueError, match=r"ClippedLaplace\(kappa=1.0\) is not symmetric about its mode"):
            call()
    with pytest.raises(ValueError, match=r"'distribution' must be a distribution on the circle, with 'angle_sf'; got"):
        estimators.bin_transitions(PlanarLaplace(1.0))


def test_a_distribution_of_many_concentrations_answers_nothing_but_draws():
    for distribution in (WrappedLaplace([1.0, 2.0]), Purkayastha(2, [1.0, 2.0]), PolarLaplace([1.0, 2.0])):
        for ask in (
            distribution.mean_angle,
            distribution.mean_cosine,
            distribution.mean_squared_sine,
            lambda distribution=distribution: distribution.angle_ppf(0.5),
        ):
            with pytest.raises(ValueError, match="'kappa' must be one number; only draws can be made with one per row"):
                ask()
