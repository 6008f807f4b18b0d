"""Mechanisms on rotations: levels are tight, in φ₆ and in the chordal metric; calibrations keep them."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from scipy.spatial.transform import Rotation

from dirpriv import mechanisms
from dirpriv.distributions import Purkayastha, RotationBingham, RotationUniform
from dirpriv.geometry import rotation_distances as metrics
from dirpriv.mechanisms import (
    ChordalLaplaceMechanism,
    FoldedPurkayasthaMechanism,
    FoldedVonMisesFisherMechanism,
    RotationBinghamMechanism,
    RotationLaplaceMechanism,
)
from study.papers import rotations as printed

EVERY = [
    RotationLaplaceMechanism,
    RotationBinghamMechanism,
    FoldedVonMisesFisherMechanism,
    FoldedPurkayasthaMechanism,
    ChordalLaplaceMechanism,
]
UNPUBLISHED = EVERY[2:]
LEVELS = (1e-6, 0.1, 1.0, 8.0, 1e3)


def largest_loss(log_kernel, distance, low=0.0):
    """max f(θ) - f(θ + distance): outputs on the line through both inputs lose most, as f falls."""
    grid = np.linspace(low, np.pi - distance, 401)
    best = int(np.argmax(log_kernel(grid) - log_kernel(grid + distance)))
    around = grid[max(best - 1, 0)], grid[min(best + 1, 400)]
    found = minimize_scalar(
        lambda t: float(log_kernel(t + distance) - log_kernel(t)), bounds=around, options={"xatol": 1e-9}
    )
    ends = [float(log_kernel(t) - log_kernel(t + distance)) for t in around]
    return max(-found.fun, *ends)


@pytest.mark.parametrize("mechanism", EVERY)
@pytest.mark.parametrize("epsilon", LEVELS)
def test_calibrations_reach_their_level(mechanism, epsilon):
    assert np.isclose(mechanism(epsilon).guarantee.metric_level, epsilon, rtol=1e-13, atol=0.0)
    assert np.isclose(mechanism.pure(epsilon).guarantee.pure_level, epsilon, rtol=1e-12, atol=0.0)
    within = mechanism.within(level=epsilon, radius=0.25)
    assert np.isclose(within.guarantee.metric_level, 4.0 * epsilon, rtol=1e-13, atol=0.0)
    assert within.guarantee.level_at(0.25) <= epsilon * (1 + 1e-13)
    assert within.guarantee.metric == "rotation angle"


@pytest.mark.parametrize("mechanism", EVERY)
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 10.0, 200.0])
def test_slope_is_never_above_the_stated_level(mechanism, epsilon):
    distribution, guarantee = mechanism(epsilon).noise, mechanism(epsilon).guarantee
    theta = np.linspace(0.0, np.pi, 200_001)
    slope = np.abs(distribution._kernel_slope(theta))
    assert slope.max() <= guarantee.metric_level * (1 + 1e-13)
    assert slope.max() >= guarantee.metric_level * (1 - 1e-4)  # and reaches it
    steps = -np.diff(distribution._log_kernel(theta)) / np.diff(theta)  # the slope is that of the kernel
    rounding = 1e-15 * guarantee.pure_level / theta[1] + 1e-9
    assert np.abs(steps - 0.5 * (slope[1:] + slope[:-1])).max() <= rounding + 1e-5 * epsilon
    assert np.isclose(
        distribution._log_kernel(0.0) - distribution._log_kernel(np.pi), guarantee.pure_level, rtol=1e-9, atol=0.0
    )


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 3.4, 8.0])
def test_slope_of_the_printed_sampler_is_above_everywhere(epsilon):
    theta = np.linspace(1e-6, np.pi - 1e-6, 100_001)
    kernel = printed.printed_log_kernel(theta, epsilon)
    assert np.all(-np.diff(kernel) / np.diff(theta) > epsilon + 0.999)
    # it is the kernel of what is drawn: the density of the angle over that of Haar measure
    drawn = Purkayastha(3, epsilon)
    some = theta[::50]
    assert np.array_equal(printed.printed_angle_cdf(some, epsilon), drawn.angle_cdf(some))
    ratio = np.log(drawn.angle_pdf(theta)) - np.log(RotationUniform().angle_pdf(theta))
    assert np.ptp(ratio - kernel) < 1e-8


@pytest.mark.parametrize("kappa", [0.3, 2.0, 50.0])
def test_bingham_loses_kappa_times_the_half_sine(kappa):
    """Largest log ratio over outputs is κ sin(d/2), to 1e-10, at 20 distances: half of Theorem 1's bound."""
    distribution = RotationBingham(kappa)
    for distance in np.linspace(0.05, 3.1, 20):
        assert abs(largest_loss(distribution._log_kernel, distance) / (kappa * np.sin(distance / 2)) - 1.0) < 1e-10


def test_bingham_loses_no_more_over_all_outputs():
    """The same by the densities of a million outputs anywhere, not only between the two inputs."""
    distribution, mode = RotationBingham(3.0), Rotation.random(rng=1)
    outputs = Rotation.random(200_000, rng=2)
    for distance in (0.3, 1.5, np.pi):
        other = mode * Rotation.from_rotvec([distance, 0.0, 0.0])
        loss = np.abs(distribution.logpdf(outputs, mode) - distribution.logpdf(outputs, other)).max()
        bound = 3.0 * np.sin(distance / 2)
        assert 0.99 * bound < loss <= bound * (1 + 1e-12)
        assert loss < 0.51 * 2.0 * bound  # Theorem 1 as proved


def test_published_calibration_of_bingham():
    tight, paper = RotationBinghamMechanism(1.0), RotationBinghamMechanism(1.0, calibration="published")
    assert tight.noise.kappa == 2.0 and np.isclose(paper.noise.kappa, np.pi / 4, rtol=1e-15, atol=0.0)
    assert np.isclose(paper.guarantee.metric_level, np.pi / 8, rtol=1e-15, atol=0.0)  # 8/π more noise than needed
    assert np.isclose(
        RotationBinghamMechanism.pure(1.0, calibration="published").noise.kappa, 0.25, rtol=1e-15, atol=0.0
    )
    assert RotationLaplaceMechanism(1.5, calibration="published").noise.kappa == 1.5
    assert np.isclose(
        RotationLaplaceMechanism.pure(1.5, calibration="published").guarantee.pure_level, 1.5, rtol=1e-15, atol=0.0
    )


def test_laplace_is_best_at_every_level():
    """At equal tight level its angle is stochastically smallest."""
    p = np.linspace(0.02, 0.98, 13)
    for epsilon in (0.05, 1.0, 6.0, 100.0):
        best = RotationLaplaceMechanism(epsilon).noise
        for mechanism in EVERY[1:]:
            distribution = mechanism(epsilon).noise
            same = mechanism is FoldedPurkayasthaMechanism and epsilon == 100.0  # but for e^(-100π)
            margin = 1.0 - 1e-14 if same else 1.0
            assert distribution.mean_angle() > margin * best.mean_angle()
            assert np.all(distribution.radius(p) > margin * best.radius(p))


def test_figures_of_the_paper():
    """Figure 3 at ρ = 30°: mean angles of the paper's Bingham, of the tight one, and of Laplace."""
    epsilon = 3.520894 / np.radians(30.0)
    for _ in range(20):
        epsilon *= RotationLaplaceMechanism(epsilon).noise.radius(0.683) / np.radians(30.0)
    means = [
        np.degrees(mechanism.noise.mean_angle())
        for mechanism in (
            RotationLaplaceMechanism(epsilon),
            RotationBinghamMechanism(epsilon, calibration="published"),
            RotationBinghamMechanism(epsilon),
        )
    ]
    assert np.allclose(means, [25.5, 68.7, 37.5], rtol=0, atol=0.06)


def test_randomise_and_names():
    batch = Rotation.random(7, rng=1)
    for mechanism in EVERY:
        assert getattr(mechanisms, mechanism.__name__) is mechanism
        assert getattr(mechanisms, mechanism.__name__) is mechanism
        made = mechanism(50.0)
        drawn = made.randomise(batch, rng=np.random.default_rng(2))
        assert len(drawn) == 7 and made.randomise(batch[0], rng=np.random.default_rng(2)).single
        assert np.array_equal(drawn.as_quat(), made.randomise(batch, rng=np.random.default_rng(2)).as_quat())
        assert np.median(metrics.phi6(drawn, batch)) < 0.5
        assert mechanism.__doc__.count("Examples\n") == 1
        assert "guarantee=Guarantee(metric_level=" in repr(made)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: RotationLaplaceMechanism(0.0), "'epsilon' must be positive and finite; got 0.0"),
        (lambda: RotationLaplaceMechanism.within(1.0, -1.0), "'radius' must be positive"),
        (lambda: RotationBinghamMechanism(1.0, calibration="loose"), "'calibration' must be one of published, tight"),
        (lambda: RotationLaplaceMechanism(1.0).randomise(np.eye(3)), "'rotations' must be a scipy"),
        *[(lambda m=m: m(1.0, calibration="published"), f"no paper calibrates the {m.__name__}") for m in UNPUBLISHED],
        (lambda: ChordalLaplaceMechanism.pure(1.0, calibration="published"), "must be 'tight'; got 'published'"),
    ],
)
def test_bad_arguments_are_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()
