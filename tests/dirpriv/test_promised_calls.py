"""Calls of the library that users rely on, each in its whole form, keep working."""

import inspect

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.spatial.transform import Rotation

from dirpriv import distributions, estimators, geometry, guarantees, mechanisms, release
from dirpriv.distributions import (
    PolarLaplace,
    Purkayastha,
    RotationBingham,
    RotationLaplace,
    VectorLaplace,
    WrappedLaplace,
)
from dirpriv.estimators import transport
from dirpriv.guarantees import audit
from dirpriv.mechanisms import PurkayasthaMechanism


def test_distributions():
    distribution, mu = Purkayastha(dim=3, kappa=10.0), np.array([0.0, 0.0, 1.0])
    t = np.linspace(0.0, 3.0, 4)
    for method in (distribution.angle_pdf, distribution.angle_logpdf, distribution.angle_cdf, distribution.angle_sf):
        assert method(t).shape == (4,)
    assert distribution.angle_ppf(t / 3.0).shape == (4,) and distribution.angle_rvs(5, rng=1).shape == (5,)
    assert all(
        isinstance(f(), float) for f in (distribution.mean_angle, distribution.mean_chord, distribution.mean_cosine)
    )
    assert isinstance(distribution.log_normalizer(), float)
    assert distribution.pdf(mu, mu) == pytest.approx(np.exp(distribution.logpdf(mu, mu)))
    assert distribution.rvs(mu).shape == (3,) and distribution.rvs(mu, size=4, rng=None).shape == (4, 3)
    assert distribution.rvs(np.tile(mu, (5, 1)), rng=np.random.default_rng(1)).shape == (5, 3)
    assert WrappedLaplace(1.0).kappa == PolarLaplace(kappa=1.0).kappa == VectorLaplace(dim=3, kappa=1.0).kappa
    assert {"ClippedLaplace", "PlanarLaplace", "Uniform", "VonMisesFisher"} <= set(distributions.__all__)
    for rotation_distribution in (RotationLaplace(2.0), RotationBingham(kappa=2.0)):
        assert isinstance(rotation_distribution.rvs(Rotation.identity(), 3, rng=1), Rotation)


def test_mechanisms():
    per_radian = PurkayasthaMechanism(dim=2, epsilon=1.0)
    nearby = PurkayasthaMechanism.within(level=1.0, radius=np.pi / 4, dim=2)
    anyone = PurkayasthaMechanism.pure(epsilon=1.0, dim=2, calibration="tight")
    published = PurkayasthaMechanism.pure(epsilon=1.0, dim=2, calibration="published")
    assert per_radian.randomise([1.0, 0.0], rng=None).shape == (2,) and per_radian.noise.kappa == 1.0
    assert nearby.guarantee.metric_level == 4.0 / np.pi and anyone.guarantee.pure_level == 1.0
    assert published.guarantee.metric == "angle"
    assert {"VonMisesFisherMechanism", "WrappedLaplaceMechanism"} <= set(mechanisms.__all__)


def test_releases():
    per_radian = release.CircleRelease(2.0, cells=96)
    nearby = release.CircleRelease.within(1.0, "75min", cells=96)
    anyone = release.CircleRelease.pure(1.0)
    same = release.CircleRelease.from_mechanism(PurkayasthaMechanism(epsilon=2.0), cells=1440)
    for made in (per_radian, nearby, anyone, same):
        assert sum(made.weights) <= 2**128 and len(made.weights) == made.cells
        assert isinstance(made.certificate.cells, float) and isinstance(made.certificate.pure, float)
        assert made.randomise_cells([0, 7]).shape == made.randomise_angles([0.1, 3.0]).shape == (2,)
        assert made.randomise_times(["08:15"]).shape == (1,)
        assert not hasattr(made.noise, "rvs") and estimators.bin_transitions(made.noise, 24).shape == (24, 24)
    assert per_radian.certificate.cells <= 2.0 and same.certificate.cells <= 2.0
    assert nearby.certificate.loss(np.pi * 75 / 720) <= 1.0 and anyone.certificate.pure <= 1.0


def test_releases_of_places():
    region = {"region_centre": (40.75, -73.98), "region_reach": 30_000, "cell_size": 10}
    city = release.PlaneRelease.within(1.0, 200, **region)
    globe = release.SphereRelease.within(4.0, 1_000_000, cells=100)
    for made, radius, level in ((city, 200, 1.0), (globe, 1_000_000, 4.0)):
        assert made.certificate.loss(radius) <= level and made.certificate.pure > level
        latitude, longitude = made.randomise_places([40.75, 40.8], [-73.98, -74.0])
        assert latitude.shape == longitude.shape == (2,)
        assert not hasattr(made.noise, "rvs") and made.noise.mean_radius() > 0.0
    assert city.weights(2)[2][2] == max(map(max, city.weights(2)))
    assert sum(globe.weights(7)) <= 2**128 and globe.noise.transitions().shape == (100, 100)
    assert city.noise.transitions(100).sum() == pytest.approx(1.0)


def test_functions():
    distribution = Purkayastha(dim=2, kappa=1.0)
    assert guarantees.metric_level(distribution) == 1.0 and guarantees.pure_level(distribution) == np.pi
    assert guarantees.privacy_loss(distribution, 0.5) == 0.5
    p, q = np.eye(24)[[0, 1]]
    assert transport.circular_emd(p, q, period=24.0) == 1.0
    places = [[48.8566, 2.3522]]
    pytest.importorskip("ot", reason="optimal transport is not installed: pip install dirpriv[transport]")
    assert transport.great_circle_emd(places, [1.0], places, [1.0]) == 0.0
    x = distribution.rvs(geometry.angles_to_vectors(np.zeros(200)), rng=1)
    angles = geometry.vectors_to_angles(x)
    assert isinstance(estimators.circular_mean(angles), float)
    counts = estimators.circular_histogram(angles)
    assert estimators.deconvolve(counts, distribution).shape == (24,)
    mean, day = (
        estimators.private_mean(angles, distribution),
        estimators.private_histogram(angles, distribution, bins=24),
    )
    assert mean.low < mean.high + 2.0 * np.pi and mean.resultant_high <= 1.0 and not mean.whole_circle
    assert day.shares.shape == day.low.shape == day.high.shape == (24,) and "significantly" not in day.warning
    assert estimators.rayleigh_test(angles, distribution).p_value < 0.01
    assert estimators.two_sample_test(angles, angles).p_value == 1.0
    plane = distributions.PlanarLaplace(0.01)
    positions = plane.rvs([300.0, 0.0], 1000, rng=1)
    places = estimators.private_place_density(positions, plane, reach=1000.0, cells=2)
    assert places.shares.shape == places.low.shape == places.high.shape == (2, 2)
    assert audit.lower_bound(x, x, 1.0, confidence=0.99) == 0.0


def test_signatures_that_help_shows_spell_types_by_their_names():
    """``ArrayLike``, not the union of seven types that it stands for; one of eight arguments was 1 640 characters."""
    rooms = [distributions, estimators, geometry, guarantees, mechanisms, release]
    values = [getattr(room, name) for room in rooms for name in room.__all__]
    kinds = [each for each in values if inspect.isclass(each)]
    calls = [getattr(kind, name) for kind in kinds for name in vars(kind) if not name.startswith("_")]
    shown = [str(inspect.signature(call)) for call in [*values, *calls] if inspect.isroutine(call)]
    assert len(shown) > 150 and not [text for text in shown if "numpy._typing" in text or "_SupportsArray" in text]

    def expanded(x: ArrayLike) -> None: ...

    assert "_SupportsArray" in str(inspect.signature(expanded))  # what is refused above
