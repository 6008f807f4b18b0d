"""A distribution of a user's own, of no base class, goes through guarantees, mechanisms, audit and estimators."""

import functools
import pickle

import numpy as np
import pytest
from scipy import integrate
from sweeps import swept

from dirpriv import InvalidArgument, distributions, estimators, geometry, guarantees
from dirpriv.distributions import (
    Cap,
    ClippedLaplace,
    PlanarLaplace,
    PolarLaplace,
    Purkayastha,
    Staircase,
    Uniform,
    VectorLaplace,
    VonMisesFisher,
    WrappedLaplace,
)
from dirpriv.distributions import Trapezoid as TrapezoidOfTheLibrary
from dirpriv.distributions.user import composition_bounds
from dirpriv.distributions.user.adapter import completed
from dirpriv.geometry.spaces import CIRCLE, PLANE, ROTATIONS, Euclidean, Product, Sphere
from dirpriv.guarantees import audit
from dirpriv.guarantees.shuffling import METHODS
from dirpriv.mechanisms import Mechanism
from dirpriv.release import CircleRelease, PlaneRelease

pytestmark = pytest.mark.usefixtures("same_cells_once")


class Trapezoid:
    """Distribution on the circle with the log kernel -κ min(θ, 1)."""

    space = CIRCLE

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

    noise_type = Trapezoid
    only_dim = 2


DISTRIBUTION = Trapezoid(1.5)
X = geometry.angles_to_vectors(np.linspace(0.0, 1.0, 40_000))


def test_guarantees_take_it():
    found = guarantees.from_distribution(DISTRIBUTION)
    numerical = guarantees.from_distribution(distributions.from_log_density(DISTRIBUTION.log_kernel, finest=1.0))
    assert (found.metric, found.metric_level, found.pure_level, found.reason) == ("angle", 1.5, 1.5, "")
    assert found.metric_level <= numerical.metric_level <= 1.002 * found.metric_level
    assert found.pure_level <= numerical.pure_level <= 1.002 * found.pure_level
    assert found.assumes == "stated, not proved: the levels of Trapezoid" and found.assumes in repr(found)
    assert found.assumes in repr(Mechanism.from_distribution(DISTRIBUTION))
    assert guarantees.privacy_loss_at(DISTRIBUTION, [0.0, 0.5, 2.0]).tolist() == [0.0, 0.75, 1.5]
    assert guarantees.privacy_loss_within(DISTRIBUTION, 0.5) == 0.75 and isinstance(
        guarantees.privacy_loss_within(DISTRIBUTION, 0.5), float
    )
    assert guarantees.largest_concentration(Trapezoid, within=(1.0, 0.5)) == 2.0
    with pytest.raises(ValueError, match="'radius' must be from 0 to π"):
        guarantees.privacy_loss_within(DISTRIBUTION, 4.0)


def test_mechanisms_take_it():
    for made in (Mechanism.from_distribution(DISTRIBUTION), TrapezoidMechanism(1.5), TrapezoidMechanism.pure(1.5)):
        assert made.noise.kappa == 1.5 and made.guarantee == guarantees.from_distribution(DISTRIBUTION)
        noisy = made.randomise(X, rng=np.random.default_rng(1))
        assert noisy.shape == X.shape
    theta = geometry.angle_between_vectors(noisy, X)
    assert np.abs(np.sort(DISTRIBUTION.angle_sf(theta)) - np.linspace(0.0, 1.0, theta.size)).max() < 0.01
    assert TrapezoidMechanism.within(1.0, 0.5).guarantee.level_at(0.5) == 1.0


def test_audit_takes_it():
    rng = np.random.default_rng(2)
    outputs = [DISTRIBUTION.rvs(geometry.angles_to_vectors(angle), 100_000, rng=rng) for angle in (0.0, 1.0)]
    assert (
        0.8 * DISTRIBUTION.privacy_loss(1.0)
        < audit.lower_bound(*outputs, distance=1.0)
        <= DISTRIBUTION.privacy_loss(1.0)
    )


def test_estimators_take_it():
    expected = estimators.expected_mean_error(DISTRIBUTION, 10_000)
    assert estimators.normal_mean_error(DISTRIBUTION, 10_000) == pytest.approx(float(expected), rel=1e-2)
    day = np.bincount([8, 8, 8, 9, 9, 18, 18, 18, 18, 19], minlength=24).astype(float)
    seen = day @ estimators.bin_transitions(DISTRIBUTION, 24)
    assert np.abs(estimators.deconvolve(seen, DISTRIBUTION) - day).sum() < np.abs(seen - day).sum()


SPACE_IS_NEEDED = [
    guarantees.from_distribution,
    Mechanism.from_distribution,
    lambda distribution: guarantees.privacy_loss_within(distribution, 0.5),
    lambda distribution: guarantees.composed_level(distribution, 10, distance=0.5, delta=1e-6),
    lambda distribution: guarantees.shuffled_level(distribution, 100, 1e-6),
    lambda distribution: estimators.expected_mean_error(distribution, 100),
    lambda distribution: estimators.estimate_mean(np.linspace(0.0, 1.0, 50), distribution),
    lambda distribution: estimators.bin_transitions(distribution, 24),
]


def test_what_is_missing_is_named():
    class Half:
        space = CIRCLE

        def metric_level(self):
            return 1.0

    with pytest.raises(
        ValueError, match=r"has no 'pure_level', 'privacy_loss'; dirpriv\.distributions\.Distribution says"
    ):
        guarantees.from_distribution(Half())
    for space in ("circle", None, 2):
        distribution = Trapezoid(1.5)
        distribution.space = space
        for ask in SPACE_IS_NEEDED:
            with pytest.raises(InvalidArgument, match="'space'"):
                ask(distribution)
    with pytest.raises(ValueError, match="give a distribution, not its class; got Purkayastha"):
        guarantees.from_distribution(Purkayastha)
    with pytest.raises(ValueError, match=r"give a distribution, as of dirpriv\.distributions; got 1\.0"):
        guarantees.from_distribution(1.0)


EVERY = [
    DISTRIBUTION,
    *(Purkayastha(3, 2.0), VonMisesFisher(2, 2.0), WrappedLaplace(2.0), PolarLaplace(2.0), Uniform(4)),
    *(ClippedLaplace(2.0), PlanarLaplace(2.0), VectorLaplace(3, 2.0), distributions.RotationUniform()),
    *(distributions.RotationLaplace(2.0), distributions.RotationBingham(2.0), distributions.ChordalLaplace(2.0)),
    *(distributions.FoldedPurkayastha(2.0), distributions.FoldedVonMisesFisher(2.0)),
]


def test_a_distribution_says_what_its_levels_rest_on():
    own = distributions.from_log_density(DISTRIBUTION.log_kernel, steepest=1.5)

    class Known(Trapezoid):
        assumes = own.assumes

        def pure_level(self):
            return guarantees.pure_level(own)

    made = Mechanism.from_distribution(Known(1.5))
    assert made.guarantee.assumes == own.assumes and own.assumes in repr(made)

    class Derived(Purkayastha):
        def metric_level(self):
            return 0.1

    assert guarantees.from_distribution(Derived(2, 1.0)).assumes == "stated, not proved: the levels of Derived"
    assert [guarantees.from_distribution(distribution).assumes for distribution in EVERY[1:]] == [""] * len(EVERY[1:])


@pytest.mark.parametrize("distribution", EVERY, ids=lambda distribution: type(distribution).__name__)
def test_the_distribution_owns_its_guarantee(distribution):
    """Methods and functions say the same, in Python's floats."""
    found = guarantees.from_distribution(distribution)
    assert (found.metric, found.metric_level, found.pure_level) == (
        distribution.space.metric,
        distribution.metric_level(),
        distribution.pure_level(),
    )
    assert type(found.metric_level) is type(found.pure_level) is float
    for function in (guarantees.privacy_loss_at, guarantees.privacy_loss_within):
        assert type(function(distribution, 1.0)) is float and function(distribution, 0.0) == 0.0
        assert function(distribution, [[0.5, 1.0]]).shape == (1, 2)
    assert np.array_equal(
        distribution.privacy_loss(np.array([0.5, 1.0])), guarantees.privacy_loss_at(distribution, [0.5, 1.0])
    )
    assert bool(found.reason) == (np.inf in (found.metric_level, found.pure_level))


def test_a_distribution_of_many_concentrations_has_no_one_level():
    distribution = Purkayastha(3, [1.0, 2.0])
    for ask in (
        distribution.metric_level,
        distribution.pure_level,
        lambda: distribution.privacy_loss(1.0),
        lambda: guarantees.from_distribution(distribution),
    ):
        with pytest.raises(ValueError, match="'kappa' must be one number; only draws can be made with one per row"):
            ask()
    with pytest.raises(ValueError, match="'distance' must be from 0 to π"):
        Purkayastha(3, 1.0).privacy_loss(-1.0)
    with pytest.raises(ValueError, match="'radius' must be at least 0"):
        VectorLaplace(3, 1.0).privacy_loss_within(-1.0)


class Foreign:
    """A distribution that lends its public methods from one of the library, and has no base class."""

    why_infinite = "it has no level"

    def __init__(self, distribution, density=True):
        self._of = distribution
        self.space = distribution.space
        for name in ("metric_level", "pure_level", "privacy_loss", "privacy_loss_within", "rvs", "mean_cosine"):
            setattr(self, name, getattr(distribution, name, None))
        if density:
            self.logpdf = distribution.logpdf

    def __repr__(self):
        return f"Foreign({self._of!r})"


CITY = dict(region_centre=(40.75, -73.98), region_reach="30km", cell_size="100m")
DOCUMENTED = {"space", "metric_level", "pure_level", "privacy_loss", "privacy_loss_within", "rvs", "logpdf"}
DOCUMENTED |= {"why_infinite", "assumes", "is_symmetric", "privacy_loss_distribution", "privacy_blanket"}
DOCUMENTED |= {"mean_cosine", "mean_squared_sine", "angle_sf"}
KNOWN = [
    *(VonMisesFisher(2, 1.0), PlanarLaplace(1.0), distributions.RotationLaplace(0.5)),
    *swept((Purkayastha(3, 0.5),), (Purkayastha(2, 0.5),), (WrappedLaplace(0.5),), (VonMisesFisher(4, 1.0),)),
    *swept((distributions.RotationBingham(1.0),)),
]


def with_wrong_values(distribution):
    """The same distribution with every other name that those of the library have, and wrong numbers behind it."""
    kinds = [*EVERY[1:], Cap(2, 1.0, 1.0), Staircase(2, 1.0, 0.5, 0.2), TrapezoidOfTheLibrary(2, 1.0, 1.0, 0.5)]
    kinds += [CircleRelease(1.0, cells=24).noise, PlaneRelease.within(1.0, "1km", **CITY).noise]
    kinds += [TrapezoidOfTheLibrary(2, 1.0, 1.0, 0.5), distributions.RotationCap(1.0, 1.0)]
    kinds += [distributions.RotationStaircase(1.0, 0.5, 0.2)]
    names = {name for kind in kinds for name in [*dir(kind), *vars(kind)] if not name.startswith("__")}
    wrong = Foreign(distribution._of, density=hasattr(distribution, "logpdf"))
    names |= {"metric", "dim"}
    numbers = {"kappa": 0.25, "_jumps": True, "steps": (1e-3, 3.0), "offset": 0.1, "dim": 7}
    numbers |= {"probabilities": np.array([0.5, 0.5]), "_weights": (1, 1), "cells": 2, "cell_size": 1.0}
    for name in names - DOCUMENTED - {"_of"}:
        setattr(wrong, name, numbers.get(name, lambda *given, **more: 0.3))
    assert {"radius_isf", "seam_probability", "_log_kernel", "angle_logpdf", "_radial", "_kernel"} <= names
    return wrong


def levels_of(distribution):
    """All levels that the library computes of a distribution, or why not."""
    calls = [
        lambda: guarantees.from_distribution(distribution),
        lambda: guarantees.from_distribution(distribution).level_at(0.5),
        lambda: guarantees.metric_level(distribution),
        lambda: guarantees.pure_level(distribution),
        lambda: guarantees.privacy_loss_within(distribution, 0.7),
        lambda: guarantees.composed_level(distribution, 50, distance=1.0, delta=1e-6),
        lambda: guarantees.composed_level(distribution, 50, distance=1.0),
        lambda: guarantees.renyi_divergence(distribution, 2.0, distance=1.0),
        *(lambda m=m: guarantees.shuffled_level(distribution, 100, 1e-6, method=m) for m in METHODS),
        lambda: CircleRelease.from_mechanism(Mechanism.from_distribution(distribution), cells=24).certificate.pure,
        lambda: Mechanism.from_distribution(distribution).guarantee,
    ]
    found = []
    for call in calls:
        try:
            found.append(call())
        except InvalidArgument as error:
            found.append(str(error))
    return found


@pytest.fixture
def few_points(monkeypatch):
    """Densities are known at few points and outputs are in few cells, for tests that do not ask how near bounds are."""
    monkeypatch.setattr(composition_bounds, "_POINTS", 2**13)
    monkeypatch.setattr(composition_bounds, "_LINE", 2**12)
    monkeypatch.setattr(composition_bounds, "_CELLS", (250, 100))


@pytest.mark.usefixtures("few_points")
@pytest.mark.parametrize("density", [True, False])
@pytest.mark.parametrize("distribution", KNOWN, ids=repr)
def test_no_name_beside_the_protocol_gives_a_level(distribution, density):
    foreign = Foreign(distribution, density)
    assert levels_of(with_wrong_values(foreign)) == levels_of(foreign)


@pytest.mark.parametrize("distribution", KNOWN, ids=repr)
def test_levels_of_a_density_are_hardly_above_those_of_the_distribution(distribution, monkeypatch):
    """The error between points is bounded by the metric level and added; without a density it is loose."""
    monkeypatch.setattr(composition_bounds._Table, "cells", functools.lru_cache(1)(composition_bounds._Table.cells))
    own, bare = completed(Foreign(distribution)), Foreign(distribution, density=False)  # one table for all levels
    level, found, loose = (
        guarantees.composed_level(each, 50, distance=1.0, delta=1e-6) for each in (distribution, own, bare)
    )
    assert level <= found <= 1.02 * level
    assert level < 0.9 * loose
    level, found = (guarantees.renyi_divergence(each, 2.0, distance=1.0) for each in (distribution, own))
    assert level * (1.0 - 1e-9) <= found <= 1.06 * level
    if distribution.pure_level() < np.inf:
        for method in METHODS:
            level, found = (guarantees.shuffled_level(each, 100, 1e-6, method=method) for each in (distribution, own))
            assert level * (1.0 - 1e-7) <= found <= 1.001 * level
        with pytest.raises(ValueError, match=r"no method logpdf.*give its level alone, ShufflingParameters"):
            guarantees.shuffled_level(Foreign(distribution, density=False), 100, 1e-6)


def test_a_planar_distribution_has_the_level_of_its_own_density():
    """Its attribute ``kappa`` is half its rate; by that the level would be 36.6."""
    distribution = PlanarLaplace(2.0)
    foreign = Foreign(distribution)
    foreign.kappa, foreign.radius_isf, foreign.radius_ppf = 1.0, distribution.radius_isf, distribution.radius_ppf
    foreign.radius_cdf, foreign.radius_sf, foreign.radius_pdf = (
        distribution.radius_cdf,
        distribution.radius_sf,
        distribution.radius_pdf,
    )
    level = guarantees.composed_level(distribution, 50, distance=1.0, delta=1e-6)
    assert level == pytest.approx(73.0, abs=0.1)
    assert level <= guarantees.composed_level(foreign, 50, distance=1.0, delta=1e-6) <= 1.02 * level


def test_mixing_weights_are_no_table():
    """Taken for a table, an attribute ``probabilities`` of two equal ones would give the shuffled level 0."""

    class Mixture(Purkayastha):
        probabilities = np.array([0.5, 0.5])

    level = guarantees.shuffled_level(Purkayastha(2, 0.5), 100, 1e-6)
    assert guarantees.shuffled_level(Mixture(2, 0.5), 100, 1e-6) == level == pytest.approx(0.564, abs=1e-3)


def test_levels_that_a_distribution_gives_itself_are_taken():
    class Own(Foreign):
        def privacy_loss_distribution(self, distance):
            return self._of.privacy_loss_distribution(distance)

        def privacy_blanket(self):
            return self._of.privacy_blanket()

    distribution = VonMisesFisher(3, 1.0)
    for known, found in zip(levels_of(distribution)[1:7], levels_of(Own(distribution))[1:7], strict=True):
        assert found == known
    for method in METHODS:
        given = [
            guarantees.shuffled_level(each, 100, 1e-6, method=method) for each in (distribution, Own(distribution))
        ]
        assert given[0] == given[1]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (dict(metric_level=lambda: 0.99), "changes faster with the distance than its metric_level"),
        (dict(pure_level=lambda: 1.0), "varies by more than its pure_level"),
        (dict(logpdf=lambda y, x: VonMisesFisher(3, 1.0).logpdf(y, x) + 0.5), "has the integral 1.64872"),
        (dict(privacy_loss_within=lambda distance: 0.1), "loses more at the distance 1.0 than its privacy_loss says"),
    ],
)
def test_a_density_that_contradicts_its_levels_is_refused(change, message):
    distribution = Foreign(VonMisesFisher(3, 1.0))
    vars(distribution).update(change)
    with pytest.raises(InvalidArgument, match=message):
        guarantees.composed_level(distribution, 10, distance=1.0, delta=1e-6)


@pytest.mark.parametrize(
    ("logpdf", "why"),
    [
        (lambda y, x: np.cos(geometry.angle_between_vectors(y, x)) + 0.1 * x[0], "depends on more than"),
        (lambda y, x: -np.cos(geometry.angle_between_vectors(y, x)), "does not fall"),
        (lambda y, x: np.where(geometry.angle_between_vectors(y, x) < 1.0, 0.0, -np.inf), "is 0 or not finite"),
    ],
)
def test_of_other_densities_only_the_loss_counts(logpdf, why):
    """Randomised response with the largest loss is as bad as any mechanism; shuffling needs to know more."""
    distribution, bare = Foreign(VonMisesFisher(3, 1.0)), Foreign(VonMisesFisher(3, 1.0), density=False)
    distribution.logpdf = logpdf
    level = guarantees.composed_level(distribution, 10, distance=1.0, delta=1e-6)
    assert level == guarantees.composed_level(bare, 10, distance=1.0, delta=1e-6)
    with pytest.raises(InvalidArgument, match=why):
        guarantees.shuffled_level(distribution, 10, 1e-6)


class Bent(Trapezoid):
    """A distribution on the circle or sphere that falls by 3 per radian, and by .5 more on each of two short ramps."""

    def __init__(self, dim, first, second):
        self.space, self.kappa = Sphere(dim), 300.0
        self.ends = np.array([0.0, first, first + 0.5 / 300.0, second, second + 0.5 / 300.0, np.pi])
        falls = np.array([3.0, 300.0, 3.0, 300.0, 3.0]) * np.diff(self.ends)
        self.falls = np.append(0.0, np.cumsum(falls))
        theta = np.linspace(0.0, np.pi, 1_000_001)
        mass = np.exp(-np.interp(theta, self.ends, self.falls)) * np.sin(theta) ** (dim - 2)
        self.log_total = np.log(2.0 * np.pi ** (dim - 2) * integrate.simpson(mass, x=theta))

    def logpdf(self, y, x):
        return self.log_kernel(geometry.angle_between_vectors(y, x)) - self.log_total

    def log_kernel(self, theta):
        return -np.interp(theta, self.ends, self.falls)

    def pure_level(self):
        return self.falls[-1]

    def privacy_loss_within(self, radius):
        return self.privacy_loss(radius)

    def privacy_loss(self, distance):
        return guarantees.privacy_loss_within(
            distributions.from_log_density(self.log_kernel, steepest=self.kappa), distance
        )


@pytest.mark.parametrize(("dim", "level"), [(2, 1.16), (2, 1.0), (3, 1.03), (3, 0.9)])
def test_no_bend_between_points_is_missed(dim, level):
    """Outputs between the ramps of both inputs lose most, and few are: points alone would miss them."""
    distribution, distance = Bent(dim, 2.0, 2.096), 0.1
    masses, losses = completed(distribution).privacy_loss_distribution(distance)
    bound = masses @ np.maximum(-np.expm1(level - losses), 0.0)
    if dim == 2:
        theta = np.linspace(-np.pi, np.pi, 2_000_001)
        away = np.abs(np.remainder(theta - distance + np.pi, 2.0 * np.pi) - np.pi)
        weight = np.full(theta.shape, theta[1] - theta[0])
    else:
        theta, psi = np.linspace(1.9, 2.2, 6001)[:, None], np.linspace(0.0, np.pi, 601)
        away = np.arccos(np.cos(theta) * np.cos(distance) + np.sin(theta) * np.sin(distance) * np.cos(psi))
        weight = 2.0 * np.sin(theta) * (theta[1] - theta[0]) * (psi[1] - psi[0])
    one, other = (np.exp(distribution.log_kernel(x) - distribution.log_total) for x in (np.abs(theta), away))
    truth = (np.maximum(one - np.exp(level) * other, 0.0) * weight).sum()
    assert 0.0 < truth <= bound


def test_a_distribution_on_the_line():
    distribution = Foreign(VectorLaplace(1, 1.0))
    level = guarantees.composed_level(distribution._of, 20, distance=1.0, delta=1e-6)
    assert level <= guarantees.composed_level(distribution, 20, distance=1.0, delta=1e-6) <= 1.01 * level
    distribution.logpdf = lambda y, x: (
        np.where(y[..., 0] < x[..., 0], -1.0, 0.0) + distribution._of.logpdf(y, x)
    )  # lopsided
    assert isinstance(completed(distribution)._table, str)


def test_a_distribution_of_a_distribution_is_checked():
    distribution = Foreign(VonMisesFisher(3, 1.0))
    del distribution.privacy_loss_within
    distribution.privacy_loss_distribution = distribution._of.privacy_loss_distribution
    known = guarantees.composed_level(distribution._of, 10, distance=1.0, delta=1e-6)
    assert guarantees.composed_level(distribution, 10, distance=1.0, delta=1e-6) == known
    with pytest.raises(InvalidArgument, match="'distance' must be from 0 to π"):
        guarantees.composed_level(distribution, 10, distance=4.0, delta=1e-6)
    distribution.privacy_loss_distribution = lambda distance: (np.array([0.2]), np.array([0.0]))
    with pytest.raises(InvalidArgument, match="do not add up to 1"):
        guarantees.composed_level(distribution, 10, distance=1.0, delta=1e-6)


@pytest.mark.parametrize("name", ["metric_level", "pure_level"])
@pytest.mark.parametrize("level", [-3.0, np.nan, "1", None, 1j])
def test_a_level_is_a_number_of_at_least_0(name, level):
    distribution = Foreign(VonMisesFisher(3, 1.0))
    setattr(distribution, name, lambda: level)
    with pytest.raises(InvalidArgument, match=f"'{name}' of a Foreign must be at least 0, or inf"):
        guarantees.from_distribution(distribution)


def test_a_privacy_loss_is_not_negative():
    distribution = Foreign(VonMisesFisher(3, 1.0))
    distribution.privacy_loss_within = lambda distance: -distance
    with pytest.raises(InvalidArgument, match=r"must be at least 0; it gives -0\.5"):
        guarantees.composed_level(distribution, 10, distance=0.5)


def test_a_distribution_that_is_written_for_angles_is_refused():
    """Inputs and outputs are unit vectors; of others the arctangent would be another distribution."""
    distribution = Foreign(VonMisesFisher(2, 1.0))
    distribution.logpdf = lambda y, x: np.cos(y - x) - 1.0
    with pytest.raises(InvalidArgument, match=r"'logpdf' of a Foreign must give one number .* got the shape \("):
        guarantees.shuffled_level(distribution, 10, 1e-6)
    distribution.rvs = lambda x, size=None, *, rng=None: x + 0.1 * np.random.default_rng(rng).standard_normal(x.shape)
    with pytest.raises(InvalidArgument, match="'rvs' of a Foreign must draw unit vectors"):
        Mechanism.from_distribution(distribution).randomise_angles([0.1, 0.2], rng=np.random.default_rng(1))


@pytest.mark.parametrize("size", [1, 3, 6])
def test_a_distribution_that_draws_fewer_angles_than_rows_is_refused(size):
    """They would be the noise of all rows."""

    class Short(Purkayastha):
        def _draw_angles(self, size, kappa, rng, of=size):
            return super()._draw_angles(of, kappa, rng)

    distribution, modes = Short(3, 1.0), np.broadcast_to([0.0, 0.0, 1.0], (5, 3))
    for draw in (lambda: distribution.rvs(modes), lambda: distribution.angle_rvs(5)):
        with pytest.raises(InvalidArgument, match=rf"one angle for each of 5 rows; it gave the shape \({size},\)"):
            draw()


@pytest.mark.parametrize("known", [VonMisesFisher(2, 1.0), PlanarLaplace(1.0)])
def test_draws_of_another_shape_are_refused_with_it(known):
    distribution = Foreign(known)
    distribution.rvs = lambda x, size=None, *, rng=None: known.rvs(x, rng=rng)[:1]
    with pytest.raises(InvalidArgument, match=r"'rvs' .* of the shape \(2, 2\) .* gave the shape \(1, 2\)"):
        Mechanism.from_distribution(distribution).randomise(X[:2], rng=np.random.default_rng(1))


def test_a_distribution_that_an_estimator_refuses_is_told_what_it_lacks():
    distribution = Foreign(VonMisesFisher(2, 1.0))
    with pytest.raises(InvalidArgument, match="must be a distribution on the circle, with 'angle_sf'; got"):
        estimators.bin_transitions(distribution, bins=4)
    with pytest.raises(InvalidArgument, match="must be a distribution of directions, with 'mean_squared_sine'; got"):
        estimators.expected_mean_error(distribution, 10)
    del distribution.space
    with pytest.raises(InvalidArgument, match="of directions, with 'space' and 'mean_squared_sine'; got"):
        estimators.expected_mean_error(distribution, 10)
    with pytest.raises(InvalidArgument, match="must be a distribution on the circle; got"):
        estimators.bin_transitions(Purkayastha(3, 1.0))


def test_distances_are_numbers_for_distributions_and_texts_for_releases():
    with pytest.raises(InvalidArgument, match="'distance' must be a nonnegative finite number; got '3h'"):
        guarantees.composed_level(Purkayastha(2, 1.0), 5, distance="3h", delta=1e-6)
    with pytest.raises(InvalidArgument, match="'distance' must be from 0 to π"):
        guarantees.composed_level(DISTRIBUTION, 5, distance=4.0, delta=1e-6)
    assert guarantees.composed_level(CircleRelease(1.0, cells=24).noise, 5, distance="3h", delta=1e-6) > 1.0


class Torus:
    """Two directions, each with a Purkayastha distribution: a distribution on a product of spaces."""

    space = Product(CIRCLE, CIRCLE)

    def __init__(self, kappa):
        self.one = Purkayastha(2, kappa)

    def metric_level(self):
        return self.one.metric_level()

    def pure_level(self):
        return 2.0 * self.one.pure_level()

    def privacy_loss(self, distance):
        return self.one.kappa * np.asarray(distance)

    def logpdf(self, y, x):
        return np.zeros(len(y))

    def rvs(self, x, size=None, *, rng=None):
        return np.concatenate([self.one.rvs(half, size, rng=rng) for half in np.split(x, 2, axis=-1)], axis=-1)


ON_EACH_SPACE = [
    *(Foreign(Purkayastha(2, 0.5)), Foreign(VonMisesFisher(3, 1.0)), Foreign(VectorLaplace(3, 1.0))),
    *(Foreign(PlanarLaplace(1.0)), Foreign(distributions.RotationLaplace(0.5)), Torus(0.5)),
]


@pytest.mark.usefixtures("few_points")
@pytest.mark.parametrize("distribution", ON_EACH_SPACE, ids=lambda distribution: repr(distribution.space))
def test_a_distribution_on_each_space_has_its_levels(distribution):
    made = Mechanism.from_distribution(distribution)
    assert (made.guarantee.metric, made.guarantee.metric_level) == (
        distribution.space.metric,
        distribution.metric_level(),
    )
    level = guarantees.composed_level(distribution, 20, distance=1.0, delta=1e-6)
    assert 0.0 < level <= 20.0 * guarantees.privacy_loss_within(distribution, 1.0)
    assert guarantees.renyi_divergence(distribution, 2.0, distance=1.0) <= guarantees.privacy_loss_within(
        distribution, 1.0
    )
    if distribution.space.diameter < np.inf:
        with pytest.raises(InvalidArgument, match=r"'distance' must be from 0 to 2?π"):
            guarantees.composed_level(distribution, 20, distance=7.0)
        with pytest.raises(InvalidArgument, match=r"'radius' must be from 0 to 2?π"):
            guarantees.privacy_loss_within(distribution, 7.0)
    if distribution.space != CIRCLE:
        with pytest.raises(InvalidArgument, match="its distribution is not one on the circle"):
            CircleRelease.from_mechanism(made, cells=24)


def test_a_distribution_on_a_product_is_composed_by_its_loss():
    distribution, one = Torus(0.5), Foreign(Purkayastha(2, 0.5), density=False)
    level = guarantees.composed_level(distribution, 20, distance=1.0, delta=1e-6)
    assert level == guarantees.composed_level(one, 20, distance=1.0, delta=1e-6)
    with pytest.raises(InvalidArgument, match=r"is over Product\(.*give its level alone, ShufflingParameters"):
        guarantees.shuffled_level(distribution, 100, 1e-6)
    with pytest.raises(InvalidArgument, match="has no randomise_angles"):
        Mechanism.from_distribution(distribution).randomise_angles([0.1])
    pair = geometry.angles_to_vectors([0.5, 1.0]).ravel()
    assert Mechanism.from_distribution(distribution).randomise(pair, rng=np.random.default_rng(1)).shape == (4,)


def test_a_distribution_in_the_plane_is_estimated_by_its_radius_and_density():
    known, distribution = PlanarLaplace(0.01), Foreign(PlanarLaplace(0.01))
    with pytest.raises(InvalidArgument, match="has no method radius_ppf"):
        Mechanism.from_distribution(distribution).radius_of(0.5)
    distribution.radius_ppf, distribution.pdf = known.radius_ppf, known.pdf
    assert Mechanism.from_distribution(distribution).radius_of(0.5) == known.radius_ppf(0.5)
    rng = np.random.default_rng(1)
    positions = known.rvs(rng.uniform(-3000.0, 3000.0, (500, 2)), rng=rng)

    def shares(distribution):
        return estimators.estimate_place_density(
            positions, distribution, reach=4000.0, cells=4, width=1600.0, intervals="smooth"
        ).shares

    wanted = shares(known)
    assert np.array_equal(shares(distribution), wanted)
    distribution.cell_size, distribution.square_transitions = (
        50.0,
        lambda side, count: np.ones((1, 1)),
    )  # as of a release
    assert np.array_equal(shares(distribution), wanted)
    del distribution.pdf
    with pytest.raises(InvalidArgument, match="'distribution' must be a distribution in the plane"):
        shares(distribution)


def test_a_distribution_that_is_not_symmetric_is_refused():
    distribution = Foreign(VonMisesFisher(2, 1.0))
    distribution.is_symmetric = False
    with pytest.raises(InvalidArgument, match="is not symmetric about its mode"):
        estimators.expected_mean_error(distribution, 100)
    with pytest.raises(InvalidArgument, match="its distribution is not symmetric about its mode"):
        CircleRelease.from_mechanism(Mechanism.from_distribution(distribution), cells=24)


def test_a_distribution_of_ones_own_becomes_a_release():
    distribution = VonMisesFisher(2, 1.0)
    own, known = (
        CircleRelease.from_mechanism(Mechanism.from_distribution(each), cells=24)
        for each in (Foreign(distribution), distribution)
    )
    assert own.certificate.pure <= distribution.pure_level()
    assert own.certificate.pure == pytest.approx(known.certificate.pure, rel=1e-6)


@pytest.mark.parametrize(
    "ask",
    [
        guarantees.from_distribution,
        guarantees.metric_level,
        guarantees.pure_level,
        guarantees.shuffled_sample_size_ratio,
        lambda x: guarantees.privacy_loss_at(x, 1.0),
        lambda x: guarantees.privacy_loss_within(x, 1.0),
        lambda x: guarantees.composed_level(x, 3, distance=1.0),
        lambda x: guarantees.renyi_divergence(x, 2.0, distance=1.0),
        lambda x: guarantees.shuffled_level(x, 100, 1e-6),
        lambda x: guarantees.shuffled_delta(x, 100, 0.5),
        lambda x: guarantees.largest_concentration(lambda kappa: x, pure=1.0),
        Mechanism.from_distribution,
        estimators.bin_transitions,
        lambda x: estimators.estimate_histogram([1.0, 2.0], x),
        lambda x: estimators.estimate_mean([1.0, 2.0], x),
        lambda x: estimators.estimate_place_density([[1.0, 2.0], [2.0, 1.0]], x, reach=10.0),
        lambda x: estimators.sample_size_for_error(x, 0.1),
    ],
)
def test_what_takes_a_distribution_says_where_that_of_a_mechanism_is(ask):
    for holder in (Mechanism.from_distribution(VonMisesFisher(2, 1.0)), CircleRelease(1.0, cells=24)):
        with pytest.raises(InvalidArgument, match=r"is a \w+; give its distribution: mechanism\.noise") as caught:
            ask(holder)
        assert caught.value.argument == "distribution"


def test_spaces_are_values():
    assert Sphere(2) == CIRCLE != Sphere(3) and {Sphere(2), CIRCLE, PLANE} == {CIRCLE, PLANE}
    assert Product(CIRCLE, PLANE) == Product(Sphere(2), Euclidean(2)) != Product(PLANE, CIRCLE)
    assert repr(Product(CIRCLE, PLANE)) == "Product(Sphere(dimension=2), Euclidean(dimension=2))"
    assert (repr(ROTATIONS), ROTATIONS.diameter) == ("Rotations()", np.pi)
    assert (Product(CIRCLE, ROTATIONS).diameter, Product(CIRCLE, PLANE).diameter) == (2.0 * np.pi, np.inf)
    assert pickle.loads(pickle.dumps(Product(CIRCLE, PLANE))) == Product(CIRCLE, PLANE)
    with pytest.raises(AttributeError):
        CIRCLE.dimension = 3
    for wrong in (lambda: Sphere(1), lambda: Euclidean(0), lambda: Sphere(2.0), lambda: Sphere(True)):
        with pytest.raises(InvalidArgument, match="'dimension' must be an integer of at least"):
            wrong()
    for wrong in (lambda: Product(), lambda: Product(CIRCLE, "plane")):
        with pytest.raises(InvalidArgument, match="'factors' must be spaces"):
            wrong()
    for space in (CIRCLE, PLANE, ROTATIONS):
        with pytest.raises(InvalidArgument, match=r"'radius' must be .*; got -1\.0"):
            space.distances("radius", [0.5, -1.0])


def test_a_density_without_a_concentration_is_refused_with_what_gives_one():
    density = distributions.from_log_density(lambda theta: -(theta**2), finest=1.0)
    for call in (lambda of: estimators.normal_mean_error(of, 1000), Mechanism.from_distribution):
        with pytest.raises(InvalidArgument, match=r"'distribution' must be .*: take its noise\(dim, kappa\)$"):
            call(density)
        call(density.noise(dim=2, kappa=0.1))
        with pytest.raises(InvalidArgument, match=r"got the type object$"):
            call(object())
