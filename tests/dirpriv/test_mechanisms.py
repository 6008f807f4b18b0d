"""Calibrations keep their promises: the guarantee is that of the law, and checked against its density."""

import numpy as np
import pytest

from dirpriv import guarantees
from dirpriv.mechanisms import (
    ClippedLaplaceMechanism,
    PurkayasthaMechanism,
    VonMisesFisherMechanism,
    WrappedLaplaceMechanism,
)

SYMMETRIC = [PurkayasthaMechanism, VonMisesFisherMechanism, WrappedLaplaceMechanism]
LEVELS = (1e-6, 0.1, 1.0, 8.0, 100.0)


@pytest.mark.parametrize("mechanism", [*SYMMETRIC, ClippedLaplaceMechanism])
@pytest.mark.parametrize("epsilon", LEVELS)
def test_pure_calibration(mechanism, epsilon):
    tight = mechanism.pure(epsilon, calibration="tight")
    assert np.isclose(tight.guarantee.pure_level, epsilon, rtol=1e-12)
    published = mechanism.pure(epsilon, calibration="published")
    assert published.law.kappa == epsilon / np.pi
    if mechanism is ClippedLaplaceMechanism:  # the paper's Δ = π forgets that the line is 2π long
        assert np.isclose(published.guarantee.pure_level, 2 * epsilon)
    else:
        assert published.guarantee.pure_level <= epsilon * (1 + 1e-15)


@pytest.mark.parametrize("mechanism", SYMMETRIC)
@pytest.mark.parametrize("epsilon", LEVELS)
def test_metric_calibration(mechanism, epsilon):
    assert np.isclose(mechanism(dim=2, epsilon=epsilon).guarantee.metric_level, epsilon, rtol=1e-12)
    assert mechanism(epsilon=epsilon, calibration="published").guarantee.metric_level <= epsilon
    within = mechanism.within(level=epsilon, radius=np.pi / 4)
    assert np.isclose(within.guarantee.metric_level, epsilon / (np.pi / 4), rtol=1e-12)
    assert within.guarantee.within(np.pi / 4) <= epsilon * (1 + 1e-12)


@pytest.mark.parametrize("mechanism", SYMMETRIC)
@pytest.mark.parametrize("dim", [2, 3])
def test_levels_against_the_density(mechanism, dim):
    """The steepest and the whole fall of the log-density, on a fine grid."""
    if dim > 2 and mechanism is WrappedLaplaceMechanism:
        with pytest.raises(ValueError, match="'dim' must be 2; got 3"):
            mechanism.pure(1.0, dim=dim)
        return
    law = mechanism.pure(1.5, dim=dim, calibration="published").law
    theta = np.linspace(0.0, np.pi, 200_001)
    x = np.zeros((theta.size, dim))
    x[:, 0], x[:, 1] = np.cos(theta), np.sin(theta)
    log_density = law.logpdf(x, x[0])
    assert np.isclose(guarantees.pure_level(law), np.ptp(log_density), rtol=1e-12)
    steepest = np.abs(np.diff(log_density) / np.diff(theta)).max()
    assert steepest <= guarantees.metric_level(law) * (1 + 1e-9)
    assert np.isclose(guarantees.metric_level(law), steepest, rtol=1e-4)


def test_known_levels():
    assert VonMisesFisherMechanism.pure(1.0, calibration="tight").law.kappa == 0.5
    assert np.isclose(
        WrappedLaplaceMechanism.pure(1.0, calibration="tight").law.kappa, np.arccosh(np.e) / np.pi
    )
    clipped = ClippedLaplaceMechanism.pure(1.0)
    assert clipped.guarantee.metric_level == np.inf and np.isclose(clipped.law.kappa, 1 / (2 * np.pi))


def test_randomise():
    mechanism = PurkayasthaMechanism(dim=3, epsilon=2.0)
    x = np.tile([0.0, 0.6, 0.8], (7, 1))
    noisy = mechanism.randomise(x, rng=1)
    assert noisy.shape == (7, 3) and np.allclose(np.linalg.norm(noisy, axis=1), 1.0)
    assert mechanism.randomise(x[0], rng=1).shape == (3,)
    assert np.array_equal(noisy, mechanism.randomise(x, rng=1))
    assert not np.array_equal(mechanism.randomise(x), mechanism.randomise(x))
    assert mechanism.randomise(x.astype(np.float32), rng=1).dtype == float
    assert "PurkayasthaMechanism" in repr(mechanism)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda: PurkayasthaMechanism(dim=2, epsilon=-1.0),
            "'epsilon' must be positive and finite; got -1.0",
        ),
        (lambda: PurkayasthaMechanism(dim=2), "'epsilon' must be a positive finite number; got None"),
        (lambda: PurkayasthaMechanism.within(level=1.0, radius=0.0), "'radius' must be positive"),
        (
            lambda: PurkayasthaMechanism.within(level=np.inf, radius=1.0),
            "'level' must be positive and finite",
        ),
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
