"""A law of a user's own, of no base class, goes through guarantees, mechanisms, audit and estimators."""

import numpy as np
import pytest
from scipy import integrate

from dirpriv import audit, estimators, geometry, guarantees, rotations
from dirpriv.laws import (
    ClippedLaplace,
    Law,
    PlanarLaplace,
    PolarLaplace,
    Purkayastha,
    SymmetricLaw,
    Uniform,
    VectorLaplace,
    VonMisesFisher,
    WrappedLaplace,
)
from dirpriv.mechanisms import Mechanism


class Trapezoid:
    """Law on the circle with the log kernel -κ min(θ, 1)."""

    dim = 2
    metric = "angle"

    def __init__(self, kappa):
        self.kappa = kappa
        self.near = -np.expm1(-kappa) / kappa  # mass up to 1 rad, where the kernel falls
        self.whole = self.near + np.exp(-kappa) * (np.pi - 1.0)

    def log_kernel(self, theta):
        return -self.kappa * np.minimum(theta, 1.0)

    def metric_level(self):
        return self.kappa

    def pure_level(self):
        return self.kappa

    def privacy_loss(self, distance):
        return self.kappa * np.minimum(distance, 1.0)

    def rvs(self, x, size=None, *, rng=None):
        rng, angle = np.random.default_rng(rng), geometry.vectors_to_angles(x)
        angle = angle if size is None else np.full(size, angle)
        u = self.whole * rng.random(angle.shape)
        inner = -np.log1p(-self.kappa * np.minimum(u, self.near * (1.0 - 1e-16))) / self.kappa
        theta = np.where(u < self.near, inner, 1.0 + (u - self.near) * np.exp(self.kappa))
        return geometry.angles_to_vectors(angle + np.where(rng.random(angle.shape) < 0.5, theta, -theta))

    def angle_sf(self, theta):
        theta = np.asarray(theta, dtype=float)
        below = -np.expm1(-self.kappa * np.minimum(theta, 1.0)) / self.kappa
        return 1.0 - (below + np.exp(-self.kappa) * np.maximum(theta - 1.0, 0.0)) / self.whole

    def mean_cosine(self):
        return self._mean(np.cos)

    def mean_squared_sine(self):
        return self._mean(lambda theta: np.sin(theta) ** 2)

    def _mean(self, function):
        density = lambda theta: function(theta) * np.exp(self.log_kernel(theta)) / self.whole  # noqa: E731
        return integrate.quad(density, 0.0, np.pi, points=[1.0])[0]


class TrapezoidMechanism(Mechanism):
    """Calibrated by search."""

    law_type = Trapezoid
    only_dim = 2


LAW = Trapezoid(1.5)
X = geometry.angles_to_vectors(np.linspace(0.0, 1.0, 40_000))


def test_guarantees_take_it():
    found, numerical = guarantees.of(LAW), guarantees.of(LAW.log_kernel)
    assert (found.metric, found.metric_level, found.pure_level, found.reason) == ("angle", 1.5, 1.5, "")
    assert found.metric_level == pytest.approx(numerical.metric_level, rel=1e-6)
    assert found.pure_level == pytest.approx(numerical.pure_level, rel=1e-6)
    assert guarantees.privacy_loss(LAW, [0.0, 0.5, 2.0]).tolist() == [0.0, 0.75, 1.5]
    assert guarantees.loss_within(LAW, 0.5) == 0.75 and isinstance(guarantees.loss_within(LAW, 0.5), float)
    assert guarantees.largest_concentration(Trapezoid, within=(1.0, 0.5)) == 2.0
    with pytest.raises(ValueError, match="'radius' must be from 0 to π"):
        guarantees.loss_within(LAW, 4.0)


def test_mechanisms_take_it():
    for made in (Mechanism.from_law(LAW), TrapezoidMechanism(1.5), TrapezoidMechanism.pure(1.5)):
        assert made.law.kappa == 1.5 and made.guarantee == guarantees.of(LAW)
        noisy = made.randomise(X, rng=np.random.default_rng(1))
        assert noisy.shape == X.shape
    theta = geometry.angular_distance(noisy, X)
    assert np.abs(np.sort(LAW.angle_sf(theta)) - np.linspace(0.0, 1.0, theta.size)).max() < 0.01
    assert TrapezoidMechanism.within(1.0, 0.5).guarantee.level_at(0.5) == 1.0


def test_audit_takes_it():
    rng = np.random.default_rng(2)
    outputs = [LAW.rvs(geometry.angles_to_vectors(angle), 100_000, rng=rng) for angle in (0.0, 1.0)]
    assert 0.8 * LAW.privacy_loss(1.0) < audit.lower_bound(*outputs, distance=1.0) <= LAW.privacy_loss(1.0)


def test_estimators_take_it():
    noisy = LAW.rvs(X, rng=np.random.default_rng(3))
    assert np.abs(estimators.debiased_mean(noisy, LAW) - X.mean(axis=0)).max() < 0.02
    expected = estimators.expected_mean_error(LAW, 10_000)
    assert estimators.normal_mean_error(LAW, 10_000) == pytest.approx(float(expected), rel=1e-2)
    day = np.bincount([8, 8, 8, 9, 9, 18, 18, 18, 18, 19], minlength=24).astype(float)
    seen = day @ estimators.bin_transitions(LAW, 24)
    assert np.abs(estimators.deconvolve(seen, LAW) - day).sum() < np.abs(seen - day).sum()


def test_what_is_missing_is_named():
    class Half:
        metric = "angle"

        def metric_level(self):
            return 1.0

    with pytest.raises(ValueError, match=r"has no 'pure_level', 'privacy_loss'; dirpriv\.laws\.Law says"):
        guarantees.of(Half())
    with pytest.raises(ValueError, match="give a law, not its class; got Purkayastha"):
        guarantees.of(Purkayastha)
    with pytest.raises(ValueError, match="give a law, or its log kernel"):
        guarantees.of(1.0)


EVERY = [
    LAW,
    *(Purkayastha(3, 2.0), VonMisesFisher(2, 2.0), WrappedLaplace(2.0), PolarLaplace(2.0), Uniform(4)),
    *(ClippedLaplace(2.0), PlanarLaplace(2.0), VectorLaplace(3, 2.0), rotations.RotationUniform()),
    *(rotations.RotationLaplace(2.0), rotations.RotationBingham(2.0), rotations.ChordalLaplace(2.0)),
    *(rotations.FoldedPurkayastha(2.0), rotations.FoldedVonMisesFisher(2.0)),
]


@pytest.mark.parametrize("law", EVERY, ids=lambda law: type(law).__name__)
def test_the_law_owns_its_guarantee(law):
    """Methods and functions say the same, in Python's floats."""
    assert isinstance(law, Law)
    found = guarantees.of(law)
    assert (found.metric, found.metric_level, found.pure_level) == (
        law.metric,
        law.metric_level(),
        law.pure_level(),
    )
    assert type(found.metric_level) is type(found.pure_level) is float
    for function in (guarantees.privacy_loss, guarantees.loss_within):
        assert type(function(law, 1.0)) is float and function(law, 0.0) == 0.0
        assert function(law, [[0.5, 1.0]]).shape == (1, 2)
    assert np.array_equal(law.privacy_loss(np.array([0.5, 1.0])), guarantees.privacy_loss(law, [0.5, 1.0]))
    assert bool(found.reason) == (np.inf in (found.metric_level, found.pure_level))


def test_only_symmetric_laws_of_directions_are_called_so():
    assert isinstance(LAW, SymmetricLaw) and isinstance(PolarLaplace(1.0), SymmetricLaw)
    assert not isinstance(ClippedLaplace(1.0), SymmetricLaw)
    assert not isinstance(VectorLaplace(3, 1.0), SymmetricLaw)


def test_a_law_of_many_concentrations_has_no_one_level():
    law = Purkayastha(3, [1.0, 2.0])
    for ask in (law.metric_level, law.pure_level, lambda: law.privacy_loss(1.0), lambda: guarantees.of(law)):
        with pytest.raises(ValueError, match="only draws can be made with one 'kappa' per row"):
            ask()
    with pytest.raises(ValueError, match="'distance' must be from 0 to π"):
        Purkayastha(3, 1.0).privacy_loss(-1.0)
    with pytest.raises(ValueError, match="'radius' must be at least 0"):
        VectorLaplace(3, 1.0).loss_within(-1.0)
