"""The radius that holds a share of the outputs, and the level for which it does: inverse to each other."""

import itertools

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from sweeps import swept

from dirpriv.geometry import angle_between_vectors
from dirpriv.guarantees.audit import share_interval
from dirpriv.mechanisms import (
    ChordalLaplaceMechanism,
    ClippedLaplaceMechanism,
    FoldedPurkayasthaMechanism,
    FoldedVonMisesFisherMechanism,
    PlanarLaplaceMechanism,
    PolarLaplaceMechanism,
    PurkayasthaMechanism,
    RotationBinghamMechanism,
    RotationLaplaceMechanism,
    VectorLaplaceMechanism,
    VonMisesFisherMechanism,
    WrappedLaplaceMechanism,
)

PUBLISHED = {"calibration": "published"}
CASES = [
    (PurkayasthaMechanism, {}),
    (PurkayasthaMechanism, {"dim": 3}),
    (VonMisesFisherMechanism, {"dim": 5}),
    (WrappedLaplaceMechanism, {}),
    (ClippedLaplaceMechanism, PUBLISHED),
    (PolarLaplaceMechanism, PUBLISHED),
    (VectorLaplaceMechanism, {"dim": 4}),
    (PlanarLaplaceMechanism, {}),
    (RotationLaplaceMechanism, {}),
    (RotationBinghamMechanism, PUBLISHED),
    (ChordalLaplaceMechanism, {}),
    (FoldedPurkayasthaMechanism, {}),
    (FoldedVonMisesFisherMechanism, {}),
]


SHARES = [(0.05, 1e-6), (0.68, 1e-6), (0.999, 0.1), (0.05, 0.1), (0.68, 0.1), (0.999, 1e-6)]
CELLS = [(*case, *at) for case, at in itertools.product(CASES, SHARES)]
KEPT = [*CELLS[::6], *CELLS[2::6], *CELLS[1::24]]  # both extremes of every family, and some between


@pytest.mark.parametrize(
    ("family", "how", "share", "radius"), [*KEPT, *swept(*(cell for cell in CELLS if cell not in KEPT))]
)
def test_inverse_to_each_other(family, how, share, radius):
    epsilon = family.epsilon_for(radius, share, **how)
    mechanism = family(epsilon=epsilon, **how)
    assert isinstance(epsilon, float) and isinstance(mechanism.radius_of(share), float)
    assert np.isclose(mechanism.radius_of(share), radius, rtol=1e-9, atol=0.0)
    assert mechanism.radius_of([0.0, share]).shape == (2,)


def test_the_share_of_outputs():
    """Of 100 000 outputs, with an interval that a right radius misses with probability 1e-6."""
    x = np.tile([0.0, 0.6, 0.8], (100_000, 1))
    mechanism = PurkayasthaMechanism(dim=3, epsilon=5.0)
    far = angle_between_vectors(mechanism.randomise(x, rng=np.random.default_rng(1)), x[0])
    low, high = share_interval(np.count_nonzero(far <= mechanism.radius_of(0.68)), len(x), 5e-7)
    assert low <= 0.68 <= high
    low, high = share_interval(np.count_nonzero(far <= 1.05 * mechanism.radius_of(0.68)), len(x), 5e-7)
    assert not low <= 0.68 <= high  # a radius 5 % too large is caught
    rotations = RotationLaplaceMechanism(epsilon=5.0)
    drawn = rotations.randomise(Rotation.identity(100_000), rng=np.random.default_rng(2))
    low, high = share_interval(np.count_nonzero(drawn.magnitude() <= rotations.radius_of(0.5)), 100_000, 5e-7)
    assert low <= 0.5 <= high


def test_known_values():
    assert np.isclose(RotationLaplaceMechanism.epsilon_for(1e-5, 0.683), 352_089.4, rtol=1e-6, atol=0.0)
    metres = PlanarLaplaceMechanism.within(level=np.log(4), radius=200.0)
    assert np.isclose(PlanarLaplaceMechanism.epsilon_for(metres.radius_of(0.95), 0.95), np.log(4) / 200.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: PurkayasthaMechanism.epsilon_for(2.0, 0.5), "even of a uniform output a share of 0.5"),
        (lambda: PurkayasthaMechanism.epsilon_for(0.0, 0.5), "'radius' must be positive"),
        (lambda: PurkayasthaMechanism.epsilon_for(1.0, 1.0), "'share' must be between 0 and 1"),
        (lambda: PurkayasthaMechanism(epsilon=1.0).radius_of(1.5), "'share' must be a number from 0 to 1"),
        (lambda: PurkayasthaMechanism(epsilon=1.0).radius_of(np.nan), "'share' must be a number from 0 to 1"),
        (lambda: ClippedLaplaceMechanism.epsilon_for(1.0, 0.5), "no metric guarantee"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()
