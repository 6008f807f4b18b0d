"""How the library is used, as a type checker sees it: mypy --strict finds nothing to say (``make lint``).

``assert_type`` holds what the checker makes of a call; ``test_typed_use.py`` runs the functions.
"""

import datetime
import warnings
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from dirpriv import distributions, estimators, geometry, guarantees, mechanisms, release
from dirpriv.estimators import transport
from dirpriv.geometry import earth
from dirpriv.guarantees import audit
from study.simulation import seeding

Floats = NDArray[np.float64]


def directions() -> None:
    for mechanism in (
        mechanisms.PurkayasthaMechanism(1.0),
        mechanisms.PurkayasthaMechanism(epsilon=1.0, dim=2, calibration="published"),
        mechanisms.VonMisesFisherMechanism.pure(1.0, dim=2),
        mechanisms.WrappedLaplaceMechanism.within(level=1.0, radius=0.5),
        mechanisms.ClippedLaplaceMechanism.pure(1.0),
        mechanisms.CapMechanism.pure(1.0, dim=2, purpose="one direction"),
        mechanisms.TrapezoidMechanism(2.0, pure=1.0),
        mechanisms.StaircaseMechanism.within(1.0, 0.5, purpose="angle"),
        mechanisms.CardioidMechanism.pure(1.0),
    ):
        mechanism.randomise([[1.0, 0.0], [0.0, 1.0]])
        mechanism.randomise(np.array([1.0, 0.0]), rng=np.random.default_rng(1))
        assert_type(mechanism.guarantee, guarantees.Guarantee)
    on_circle = mechanisms.PurkayasthaMechanism.within(1.0, np.pi / 4, dim=2)
    assert_type(on_circle, mechanisms.PurkayasthaMechanism)
    assert_type(on_circle.guarantee.metric_level, float)
    assert_type(on_circle.guarantee.level_at(0.5), float)
    assert_type(on_circle.guarantee.metric, str)
    assert_type(mechanisms.PurkayasthaMechanism.epsilon_for(0.3, 0.5, dim=2), float)
    nearer: float = on_circle.radius_of(0.5)
    farther: Floats = on_circle.radius_of([0.5, 0.9])
    assert np.all(nearer <= farther)


def angles_and_times() -> None:
    mechanism = mechanisms.PurkayasthaMechanism(2.0)
    angle: float = mechanism.randomise_angles(0.5)
    angles: Floats = mechanism.randomise_angles([0.5, 1.0], rng=np.random.default_rng(1))
    assert 0.0 <= angle and angles.shape == (2,)
    hour: float = mechanism.randomise_times("08:15")
    assert 0.0 <= hour < 24.0
    mechanism.randomise_times([datetime.time(8, 15)], rng=np.random.PCG64(1))
    mechanism.randomise_times(np.array(["2024-01-01T08:15"], dtype="datetime64[m]"), period=168.0)
    back: Floats = geometry.angles_to_hours(geometry.hours_to_angles([8.25, 23.0]))
    assert back.shape == (2,)


def places() -> None:
    globe = mechanisms.PurkayasthaMechanism.within(1.0, 10.0 / earth.EARTH_RADIUS, dim=3)
    assert_type(globe.randomise_places([40.75, 48.86], [-73.98, 2.35]), tuple[Any, Any])
    near = mechanisms.PlanarLaplaceMechanism.within(1.0, "200m").randomise_places(40.75, -73.98)
    assert_type(near, tuple[Any, Any])
    vectors = mechanisms.VectorLaplaceMechanism(1.0, dim=2).randomise([[100.0, 200.0]])
    assert_type(vectors, Floats)
    mechanisms.PolarLaplaceMechanism.from_distribution(distributions.PolarLaplace(2.0)).randomise([0.0, 0.0, 1.0])
    assert_type(earth.places_to_vectors([40.75, -73.98]), Floats)
    assert_type(earth.destination([0.0, 0.0], 0.0, 100.0), Floats)
    metres: float = earth.great_circle_distance([0.0, 0.0], [0.0, 1.0])
    cells = earth.EqualAreaCells(100)
    index, distances = earth.NearestPlaces([[0.0, 0.0]]).query(cells.centres())
    assert metres > 0.0 and len(index) == len(distances) == len(cells)


def orientations() -> None:
    one = Rotation.identity()
    for mechanism in (
        mechanisms.RotationLaplaceMechanism(2.0),
        mechanisms.RotationBinghamMechanism.pure(2.0),
        mechanisms.FoldedVonMisesFisherMechanism.within(1.0, 0.5),
        mechanisms.FoldedPurkayasthaMechanism(2.0),
        mechanisms.ChordalLaplaceMechanism(2.0, calibration="tight"),
        mechanisms.RotationCapMechanism.pure(2.0, purpose="mean"),
        mechanisms.RotationStaircaseMechanism.within(1.0, 0.5),
    ):
        angle: float = geometry.rotation_distances.phi6(mechanism.randomise(one), one)
        assert 0.0 <= angle <= np.pi
    for distribution in (
        distributions.RotationLaplace(2.0),
        distributions.RotationBingham(2.0),
        distributions.FoldedVonMisesFisher(2.0),
        distributions.FoldedPurkayastha(2.0),
        distributions.ChordalLaplace(2.0),
        distributions.RotationCap(2.0, half_angle=1.5),
        distributions.RotationStaircase(2.0, width=0.5, offset=0.2),
        distributions.RotationUniform(),
    ):
        assert_type(distribution.mean_angle(), float)
        distribution.rvs(one, 5, rng=1)
    mode, fitted = distributions.RotationBingham.fit(distributions.RotationBingham(5.0).rvs(one, 100, rng=1))
    assert_type(fitted, distributions.RotationBingham)
    assert geometry.rotation_distances.phi6(mode, one) < 1.0


def distributions_of_directions() -> None:
    distribution = distributions.VonMisesFisher(dim=3, kappa=10.0)
    pole = [0.0, 0.0, 1.0]
    assert_type(distribution.rvs(pole), Floats)
    assert_type(distribution.rvs(pole, size=(2, 3), rng=seeding.generator(1, "a study", 0)), Floats)
    assert_type(distribution.rvs(pole, 5, rng=[1, 2, 3], out=np.empty((5, 3))), Floats)
    assert_type(distribution.rvs(pole, 5, workers=2), Floats)
    theta, xi = distribution.rvs_tangent(pole, 5)
    assert_type(theta, Floats)
    assert_type(xi, Floats)
    density: float = distribution.pdf(pole, pole)
    densities: Floats = distribution.pdf([pole, pole], pole)
    assert np.all(densities == density)
    for number in (
        distribution.mean_angle(),
        distribution.mean_chord(),
        distribution.mean_cosine(),
        distribution.mean_squared_sine(),
        distribution.log_normalizer(),
        distribution.entropy(),
        distribution.expectation(np.cos),
        distribution.metric_level(),
        distribution.pure_level(),
    ):
        assert_type(number, float)
    quantile: float = distribution.angle_ppf(0.5)
    tail: float = distribution.angle_sf(quantile) + distribution.angle_cdf(quantile) + distribution.angle_isf(0.5)
    loss: Floats = distribution.privacy_loss([0.1, 0.2])
    assert tail > 0.0 and loss.shape == (2,)
    mu, fitted = distributions.VonMisesFisher.fit(distribution.rvs(pole, 1000))
    assert_type(mu, Floats)
    assert_type(fitted, distributions.VonMisesFisher)
    assert_type(distribution.frozen(pole).rvs(5), Floats)
    assert_type(distribution.space.metric, str)
    assert_type(distribution.dim, int)
    others: list[distributions.SymmetricDistribution] = [
        distributions.Purkayastha(2, 1.0),
        distributions.VonMisesFisher(2, [1.0, 2.0]),
        distributions.WrappedLaplace(1.0),
        distributions.PolarLaplace(1.0),
        distributions.Uniform(2),
    ]
    every: list[distributions.Distribution] = [
        *others,
        distributions.ClippedLaplace(1.0),
        distributions.VectorLaplace(3, 1.0),
        distributions.PlanarLaplace(0.01),
        distributions.RotationLaplace(1.0),
    ]
    assert {each.space.metric for each in every} == {"angle", "euclidean", "rotation angle"}
    assert_type(distributions.VectorLaplace(3, 1.0).mean_radius(), float)
    assert_type(distributions.PlanarLaplace(0.01).rvs_places([40.75, -73.98]), Floats)


def releases() -> None:
    private = release.CircleRelease.within(level=1.0, radius="3h")
    assert_type(private, release.CircleRelease)
    release.CircleRelease.within(1.0, datetime.timedelta(minutes=75), cells=96, period="24h")
    release.CircleRelease.pure(1.0, purpose="histogram")
    release.CircleRelease.from_mechanism(mechanisms.VonMisesFisherMechanism(1.0), cells=96)
    release.CircleRelease.from_mechanism(mechanisms.StaircaseMechanism.within(1.0, 0.5), cells=96)
    assert_type(release.CircleRelease(10.0).weights, tuple[int, ...])
    assert_type(private.certificate.cells, float)
    loss: float = private.certificate.loss("75min")
    hours: Floats = private.randomise_times(["08:15", "23:00"])
    angle: float = private.randomise_angles(0.5)
    distribution = private.noise
    assert_type(distribution, release.CircleTableDistribution)
    assert_type(guarantees.composed_level(distribution, 5, distance="3h"), float)
    assert_type(estimators.bin_transitions(distribution, 24), Floats)
    estimators.deconvolve([1, 2, 3, 4], distribution)
    estimators.expected_mean_error(distribution, 1000)
    assert loss > 0.0 and hours.shape == (2,) and angle > 0.0


def releases_of_columns() -> None:
    assert_type(release.times(["08:15"], level=1.0, radius="3h"), list[Any])
    assert_type(release.times("08:15", level=1.0, radius="3h"), str)
    assert_type(release.times(8, level=1.0, radius=np.timedelta64(3, "h"), unit="h"), float)
    clock: datetime.time = release.times(datetime.datetime(2024, 1, 1, 8), level=1.0, radius="3h")
    assert_type(release.times(clock, level=1.0, radius="3h", cells=96, period="24h"), datetime.time)
    hours: Floats = np.array([8.25])
    assert_type(release.times(hours, level=1.0, radius="3h", missing="keep", unit="h"), NDArray[Any])
    north, east = release.places(
        hours, [8.25], level=1.0, radius="200m", region_centre=(40.75, -73.98), region_reach="30km", cell_size=10
    )
    assert_type(north, Floats)
    assert_type(east, list[float])


def releases_of_places() -> None:
    city = release.PlaneRelease.within(1.0, "200m", region_centre=(40.75, -73.98), region_reach="30km", cell_size=10)
    assert_type(city, release.PlaneRelease)
    assert_type(city.weights(1), list[list[int]])
    latitude, longitude = city.randomise_places([40.75], [-73.98])
    loss: float = city.certificate.loss("200m")
    assert_type(city.noise, release.PlaneTableDistribution)
    assert_type(city.noise.mean_radius(), float)
    assert_type(guarantees.composed_level(city.noise, 5, distance="200m", delta=1e-6), float)
    reports = [[0.0, 10.0], [20.0, -30.0]]
    with warnings.catch_warnings(action="ignore"):  # two reports are doubted
        found = estimators.estimate_place_density(reports, city.noise, reach=500.0, cells=2, width=50, districts=1)
    assert_type(found, estimators.PlaceDensityEstimate)
    globe = release.SphereRelease.within(4.0, "1000km", cells=earth.EqualAreaCells(100))
    assert_type(globe, release.SphereRelease)
    assert_type(globe.weights(0), list[int])
    assert_type(globe.noise.transitions(), Floats)
    globe.randomise_cells([0, 7])
    assert loss > 0.0 and latitude.shape == longitude.shape


class Noiseless:
    """A distribution of a user's own, without a base class: all of the privacy is lost."""

    space = geometry.spaces.CIRCLE

    def metric_level(self) -> float:
        return float("inf")

    def pure_level(self) -> float:
        return float("inf")

    def privacy_loss(self, distance: Any, /) -> Any:
        return np.where(np.asarray(distance) > 0.0, np.inf, 0.0)

    def rvs(self, x: Any, /, size: Any = None, *, rng: Any = None) -> Floats:
        return np.array(np.broadcast_to(x, (*np.atleast_1d(size), np.size(x)) if size else np.shape(x)), float)


def a_distribution_of_ones_own() -> None:
    distribution: distributions.Distribution = Noiseless()
    mechanism = mechanisms.Mechanism.from_distribution(distribution)
    assert_type(mechanism, mechanisms.Mechanism)
    assert_type(guarantees.metric_level(distribution), float)
    mechanism.randomise([1.0, 0.0])


def promises() -> None:
    def trapezoid(theta: Floats) -> Floats:
        return -np.minimum(2.0 * theta, 1.0)

    distribution, own = (
        distributions.Purkayastha(dim=2, kappa=1.0),
        distributions.from_log_density(trapezoid, steepest=2.0),
    )
    assert_type(guarantees.from_distribution(distribution), guarantees.Guarantee)
    assert_type(guarantees.from_distribution(own).assumes, str)
    guarantees.from_distribution(distributions.from_density(lambda t: np.exp(-t), finest=1.0, accuracy=1e-15))
    assert_type(guarantees.metric_level(distribution), float)
    assert_type(guarantees.pure_level(own), float)
    one: float = guarantees.privacy_loss_at(distribution, 0.5)
    many: Floats = guarantees.privacy_loss_at(own, [0.5, 1.0], domain="circle")
    within: float = guarantees.privacy_loss_within(distribution, 0.5)
    assert one == within and many.shape == (2,)
    assert_type(guarantees.composed_level(distribution, 10, distance=0.5, delta=1e-6), float)
    assert_type(guarantees.largest_concentration(distributions.WrappedLaplace, pure=1.0), float)

    def family(kappa: float) -> distributions.Distribution:
        return distributions.VonMisesFisher(2, kappa)

    assert_type(guarantees.largest_concentration(family, metric=1.0), float)
    assert_type(
        guarantees.largest_concentration(
            lambda k: distributions.from_log_density(lambda t: -k * t, steepest=k), pure=3.0
        ),
        float,
    )


def estimates() -> None:
    distribution = distributions.Purkayastha(dim=2, kappa=2.0)
    noisy = distribution.rvs([1.0, 0.0], 60, rng=1)
    assert_type(estimators.mean_direction(noisy), Floats)
    angle: float = estimators.circular_mean(geometry.vectors_to_angles(noisy))
    error: float = estimators.expected_mean_error(distribution, 1000)
    assert_type(estimators.normal_mean_error(distribution, 1000, x=noisy), float)
    assert_type(estimators.asymptotic_bias(distributions.ClippedLaplace(1.0), [[0.0, 1.0]]), float)
    counts = estimators.circular_histogram(geometry.vectors_to_angles(noisy), bins=24)
    day = estimators.deconvolve(counts, distribution)
    assert_type(estimators.bin_transitions(distribution, 24), Floats)
    distance: float = transport.circular_emd(counts, day)
    angles = geometry.vectors_to_angles(noisy)
    mean = estimators.estimate_mean(angles, distribution, confidence=0.9)
    assert_type(mean, estimators.MeanEstimate)
    assert_type(mean.whole_circle, bool)
    histogram = estimators.estimate_histogram(angles, distribution, bins=8, width=0.3)
    assert_type(histogram.shares, Floats)
    assert_type(histogram.warning, str)
    assert_type(estimators.rayleigh_test(angles, distribution).p_value, float)
    assert_type(estimators.two_sample_test(angles, [0.5, 1.0]), estimators.TestResult)
    plane = distributions.PlanarLaplace(0.05)
    noisy = plane.rvs([300.0, 0.0], 99)
    places = estimators.estimate_place_density(noisy, plane, reach=500.0, cells=4, width=100.0, districts=1)
    assert_type(places.high, Floats)
    assert angle >= 0.0 and error > 0.0 and distance >= 0.0


def audits() -> None:
    distribution = distributions.Purkayastha(dim=2, kappa=1.0)
    first, second = distribution.rvs([1.0, 0.0], 2000, rng=1), distribution.rvs([0.0, 1.0], 2000, rng=2)
    assert_type(audit.lower_bound(first, second, np.pi / 2), float)
    assert_type(audit.examine(first, second, np.pi / 2, score=lambda x: x[:, 0]), audit.Finding)
    low, high = audit.share_interval([0, 5, 10], 10)
    assert np.all(low < high)
