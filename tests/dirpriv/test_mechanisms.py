"""Calibrations keep their promises: the guarantee is that of the distribution, and checked against its density."""

import inspect

import numpy as np
import pytest

from dirpriv import guarantees, mechanisms
from dirpriv.distributions import Purkayastha, VonMisesFisher, WrappedLaplace
from dirpriv.mechanisms import (
    CalibrationRule,
    ClippedLaplaceMechanism,
    Mechanism,
    PlanarLaplaceMechanism,
    PolarLaplaceMechanism,
    PurkayasthaMechanism,
    RotationBinghamMechanism,
    RotationLaplaceMechanism,
    StaircaseMechanism,
    TrapezoidMechanism,
    VectorLaplaceMechanism,
    VonMisesFisherMechanism,
    WrappedLaplaceMechanism,
)

SYMMETRIC = [PurkayasthaMechanism, VonMisesFisherMechanism, WrappedLaplaceMechanism]
LEVELS = (1e-6, 0.1, 1.0, 8.0, 100.0)


@pytest.mark.parametrize("mechanism", [*SYMMETRIC, ClippedLaplaceMechanism])
@pytest.mark.parametrize("epsilon", LEVELS)
def test_pure_calibration(mechanism, epsilon):
    tight = mechanism.pure(epsilon, calibration="tight")
    assert np.isclose(tight.guarantee.pure_level, epsilon, rtol=1e-12, atol=0.0)
    published = mechanism.pure(epsilon, calibration="published")
    assert published.noise.kappa == epsilon / np.pi
    if mechanism is ClippedLaplaceMechanism:  # the paper's Δ = π forgets that the line is 2π long
        assert np.isclose(published.guarantee.pure_level, 2 * epsilon)
    else:
        assert published.guarantee.pure_level <= epsilon * (1 + 1e-15)


@pytest.mark.parametrize("mechanism", SYMMETRIC)
@pytest.mark.parametrize("epsilon", LEVELS)
def test_metric_calibration(mechanism, epsilon):
    assert np.isclose(mechanism(dim=2, epsilon=epsilon).guarantee.metric_level, epsilon, rtol=1e-12, atol=0.0)
    assert mechanism(epsilon=epsilon, calibration="published").guarantee.metric_level <= epsilon
    within = mechanism.within(level=epsilon, radius=np.pi / 4)
    assert np.isclose(within.guarantee.metric_level, epsilon / (np.pi / 4), rtol=1e-12, atol=0.0)
    assert within.guarantee.level_at(np.pi / 4) <= epsilon * (1 + 1e-12)


@pytest.mark.parametrize("mechanism", SYMMETRIC)
@pytest.mark.parametrize("dim", [2, 3])
def test_levels_against_the_density(mechanism, dim):
    """The steepest and the whole fall of the log-density, on a fine grid."""
    if dim > 2 and mechanism is WrappedLaplaceMechanism:
        with pytest.raises(ValueError, match="'dim' must be 2; got 3"):
            mechanism.pure(1.0, dim=dim)
        return
    distribution = mechanism.pure(1.5, dim=dim, calibration="published").noise
    theta = np.linspace(0.0, np.pi, 200_001)
    x = np.zeros((theta.size, dim))
    x[:, 0], x[:, 1] = np.cos(theta), np.sin(theta)
    log_density = distribution.logpdf(x, x[0])
    assert np.isclose(guarantees.pure_level(distribution), np.ptp(log_density), rtol=1e-12, atol=0.0)
    steepest = np.abs(np.diff(log_density) / np.diff(theta)).max()
    assert steepest <= guarantees.metric_level(distribution) * (1 + 1e-9)
    assert np.isclose(guarantees.metric_level(distribution), steepest, rtol=1e-4, atol=0.0)


def test_known_levels():
    assert VonMisesFisherMechanism.pure(1.0, calibration="tight").noise.kappa == 0.5
    assert np.isclose(WrappedLaplaceMechanism.pure(1.0, calibration="tight").noise.kappa, np.arccosh(np.e) / np.pi)
    clipped = ClippedLaplaceMechanism.pure(1.0)
    assert clipped.guarantee.metric_level == np.inf and np.isclose(clipped.noise.kappa, 1 / (2 * np.pi))


def test_randomise():
    mechanism = PurkayasthaMechanism(dim=3, epsilon=2.0)
    x = np.tile([0.0, 0.6, 0.8], (7, 1))
    noisy = mechanism.randomise(x, rng=np.random.default_rng(1))
    assert noisy.shape == (7, 3) and np.allclose(np.linalg.norm(noisy, axis=1), 1.0)
    assert mechanism.randomise(x[0], rng=np.random.default_rng(1)).shape == (3,)
    assert np.array_equal(noisy, mechanism.randomise(x, rng=np.random.default_rng(1)))
    assert not np.array_equal(mechanism.randomise(x), mechanism.randomise(x))
    assert mechanism.randomise(x.astype(np.float32), rng=np.random.default_rng(1)).dtype == float
    assert "PurkayasthaMechanism" in repr(mechanism)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: PurkayasthaMechanism(dim=2, epsilon=-1.0), "'epsilon' must be positive and finite; got -1.0"),
        (lambda: PurkayasthaMechanism(None), "'epsilon' must be a positive finite number; got None"),
        (lambda: PurkayasthaMechanism.within(level=1.0, radius=0.0), "'radius' must be positive"),
        (lambda: PurkayasthaMechanism.within(1.0, "13h"), "'radius' must be from 0 to π"),
        (lambda: VonMisesFisherMechanism.within(1.0, 4.0, dim=3), "'radius' must be from 0 to π"),
        (lambda: TrapezoidMechanism.within(1.0, 4.0, pure=3.0), "'radius' must be from 0 to π"),
        (lambda: StaircaseMechanism.within(1.0, 4.0), "'radius' must be from 0 to π"),
        (lambda: RotationLaplaceMechanism.within(1.0, 4.0), "'radius' must be from 0 to π"),
        (lambda: PurkayasthaMechanism.within(level=np.inf, radius=1.0), "'level' must be positive and finite"),
        (
            lambda: VonMisesFisherMechanism.pure(1.0, calibration="loose"),
            "'calibration' must be one of published, tight",
        ),
        (lambda: ClippedLaplaceMechanism(epsilon=1.0), "no metric guarantee at any concentration"),
        (lambda: ClippedLaplaceMechanism.pure(1.0, dim=3), "'dim' must be 2; got 3"),
        (lambda: PurkayasthaMechanism(dim=1, epsilon=1.0), "'dim' must be an integer of at least 2"),
    ],
)
def test_bad_arguments_are_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_polar_laplace_has_no_guarantee():
    for make in (
        lambda: PolarLaplaceMechanism(epsilon=1.0),
        lambda: PolarLaplaceMechanism.within(level=1.0, radius=0.5),
        lambda: PolarLaplaceMechanism.pure(1.0),
    ):
        with pytest.raises(ValueError, match="no guarantee at any concentration, metric or pure"):
            make()
    per_radian = PolarLaplaceMechanism(epsilon=2.0, calibration="published")
    assert per_radian.noise.kappa == 2.0
    assert PolarLaplaceMechanism.pure(2.0, calibration="published").noise.kappa == 2.0 / np.pi
    assert PolarLaplaceMechanism.within(1.0, 0.5, calibration="published").noise.kappa == 2.0
    assert per_radian.guarantee.metric_level == per_radian.guarantee.pure_level == np.inf
    assert per_radian.randomise([[0.0, 0.0, 1.0]] * 4, rng=np.random.default_rng(1)).shape == (4, 3)
    with pytest.raises(ValueError, match="'dim' must be 3; got 2"):
        PolarLaplaceMechanism(dim=2, epsilon=1.0, calibration="published")
    # the loss between neighbours, 1e-4 rad apart, is already far above ε d next to one's antipode
    here, there = np.array([[0.0, 0.0, 1.0], [np.sin(1e-4), 0.0, np.cos(1e-4)]])
    output = -np.array([np.sin(1e-7), 0.0, np.cos(1e-7)])
    assert per_radian.noise.logpdf(output, here) - per_radian.noise.logpdf(output, there) > 6.0


@pytest.mark.parametrize("dim", [1, 2, 3, 50])
def test_vector_laplace_keeps_its_level(dim):
    """No output loses more than ε times the Euclidean distance; one in line with both loses all of it."""
    mechanism = VectorLaplaceMechanism(dim=dim, epsilon=0.7)
    assert mechanism.guarantee.metric_level == mechanism.noise.kappa == 0.7
    assert mechanism.guarantee.pure_level == np.inf and mechanism.guarantee.metric == "euclidean"
    here, there = np.zeros(dim), np.full(dim, 0.3)
    distance = np.linalg.norm(there)
    outputs = mechanism.randomise(np.zeros((5000, dim)), rng=np.random.default_rng(1))
    loss = np.abs(mechanism.noise.logpdf(outputs, here) - mechanism.noise.logpdf(outputs, there))
    assert loss.max() <= 0.7 * distance * (1 + 1e-12)
    inline = mechanism.noise.logpdf(-there, here) - mechanism.noise.logpdf(-there, there)
    assert np.isclose(inline, 0.7 * distance, rtol=1e-12, atol=0.0)
    diameter = np.sqrt(dim) / 100  # of the mean of 100 vectors in the unit cube
    within = VectorLaplaceMechanism.within(level=1.0, radius=diameter, dim=dim)
    assert np.isclose(within.noise.kappa, 100 / np.sqrt(dim), rtol=1e-14, atol=0.0)
    assert np.isclose(within.guarantee.level_at(diameter), 1.0, rtol=1e-15, atol=0.0)
    with pytest.raises(ValueError, match=r"use \.within"):
        VectorLaplaceMechanism.pure(1.0, dim=dim)


def test_planar_laplace_takes_points_and_places():
    mechanism = PlanarLaplaceMechanism.within(level=1.0, radius=10.0, calibration="published")
    assert mechanism.guarantee.metric_level == mechanism.noise.kappa == 0.1
    assert mechanism.guarantee.metric == "euclidean" and mechanism.guarantee.pure_level == np.inf
    points = np.array([[0.0, 0.0], [1e5, -3.0], [7.0, 7.0]])  # not unit vectors
    noisy = mechanism.randomise(points, rng=np.random.default_rng(1))
    assert noisy.shape == (3, 2) and np.linalg.norm(noisy - points, axis=1).max() < 400.0
    places = mechanism.randomise_places([40.75, 0.0], [-73.98, 180.0], rng=np.random.default_rng(1))
    assert [degrees.shape for degrees in places] == [(2,), (2,)]
    with pytest.raises(ValueError, match="'dim' must be 2; got 3"):
        PlanarLaplaceMechanism(dim=3, epsilon=1.0)
    with pytest.raises(ValueError, match="latitudes, then longitudes"):
        mechanism.randomise_places(100.0, 0.0)


# ---------------------------------------------------------------- the front door

EVERY = [getattr(mechanisms, name) for name in mechanisms.__all__ if name.endswith("Mechanism")]


@pytest.mark.parametrize("mechanism", [m for m in EVERY if m is not Mechanism])
def test_epsilon_comes_first_and_the_rest_goes_by_name(mechanism):
    """Where dim and epsilon could be swapped, the second number is refused."""
    takes_dim = mechanism.default_dim is not None
    for call, taken in (
        (lambda: mechanism(2, 3), r"__init__\(\) takes 2 positional arguments"),
        (lambda: mechanism.pure(2, 3), r"pure\(\) takes 2 positional arguments"),
        (lambda: mechanism.within(1, 2, 3), r"within\(\) takes 3 positional arguments"),
    ):
        with pytest.raises(TypeError, match=taken):
            call()
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'epsilon'"):
        mechanism()
    parameters = inspect.signature(mechanism).parameters
    names = ["epsilon", "dim", "calibration"] if takes_dim else ["epsilon", "calibration"]
    assert [name for name in parameters if name != "pure"] == names  # a trapezoid takes two levels
    if takes_dim:
        assert parameters["dim"].default == mechanism.default_dim
    assert parameters["calibration"].default == "tight"
    for method in (mechanism, mechanism.pure, mechanism.within):
        last = inspect.signature(method).parameters["calibration"]
        assert last.kind is inspect.Parameter.KEYWORD_ONLY


@pytest.mark.parametrize("default", [3, None])
def test_a_mechanism_of_ones_own_shows_its_default_dim(default):
    class Mine(Mechanism):
        noise_type = VonMisesFisher
        default_dim = default

    parameters = inspect.signature(Mine).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items() if name != "epsilon"}
    assert "epsilon" in parameters
    assert defaults == ({} if default is None else {"dim": default}) | {"calibration": "tight"}


def test_dim_of_a_mechanism_on_rotations_is_refused():
    with pytest.raises(TypeError, match="RotationBinghamMechanism takes no 'dim'; got 3"):
        RotationBinghamMechanism(1.0, dim=3)


@pytest.mark.parametrize("mechanism", EVERY)
def test_the_docstring_is_the_mechanisms_own(mechanism):
    assert inspect.getdoc(mechanism).count("Examples\n---") == 1
    takes = next(cls for cls in mechanism.__mro__ if "__init__" in vars(cls))  # describes its arguments
    text = inspect.getdoc(takes)
    assert text.count("Parameters\n---") == 1
    assert "epsilon : float" in text and "keyword-only" in text


def test_a_mechanism_of_ones_own_is_its_distribution():
    class Searched(Mechanism):
        noise_type = VonMisesFisher

    class Wrapped(Mechanism):
        noise_type = WrappedLaplace
        only_dim = 2
        tight = CalibrationRule(metric="none at all", pure=lambda epsilon: 2.0 * epsilon)

    class OnSphere(Searched):  # whose distribution takes dim and kappa, as every SphericalDistribution
        only_dim = 3

    assert Searched(1.5, dim=3).noise.kappa == 1.5 and Searched.pure(1.5, dim=3).noise.kappa == 0.75
    assert Wrapped.pure(1.5).noise.kappa == 3.0
    assert repr(OnSphere(1.5).noise) == repr(OnSphere(1.5, dim=3).noise) == repr(VonMisesFisher(3, 1.5))
    assert OnSphere.pure(1.5).noise.kappa == 0.75 and OnSphere.within(1.0, 0.5).noise.dim == 3
    with pytest.raises(ValueError, match="'dim' must be 3; got 2: the OnSphere is defined for no other length"):
        OnSphere(1.5, dim=2)
    with pytest.raises(ValueError, match="none at all"):
        Wrapped(1.0)
    with pytest.raises(ValueError, match="'dim' must be 2; got 3"):
        Wrapped.pure(1.0, dim=3)
    with pytest.raises(ValueError, match="no paper calibrates the Searched"):
        Searched(1.0, calibration="published")
    with pytest.raises(TypeError, match="Mechanism has no 'noise_type'"):
        Mechanism(1.0)


def test_a_mechanism_of_a_distribution():
    distribution = Purkayastha(3, 2.0)
    for make in (Mechanism.from_distribution, PurkayasthaMechanism.from_distribution):
        assert make(distribution).noise is distribution and make(
            distribution
        ).guarantee == guarantees.from_distribution(distribution)
    with pytest.raises(
        ValueError, match=r"'distribution' must be a WrappedLaplace for a WrappedLaplaceMechanism; got Purk"
    ):
        WrappedLaplaceMechanism.from_distribution(distribution)


def test_level_at_a_radius():
    guarantee = VonMisesFisherMechanism(1.0, dim=2).guarantee
    assert [guarantee.level_at(radius) for radius in (0.0, 0.5, 2.0, 3.0)] == [0.0, 0.5, 2.0, 2.0]
    assert ClippedLaplaceMechanism.pure(1.0).guarantee.level_at(1e-9) == 1.0
    assert PolarLaplaceMechanism(1.0, calibration="published").guarantee.level_at(0.0) == 0.0
    for radius in (-1.0, np.nan):
        with pytest.raises(ValueError, match="'radius' must be at least 0"):
            guarantee.level_at(radius)
