"""Caps, trapezoids, staircases, cardioids: calibrated for the least loss, and never above the promise."""

import functools
import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import integrate, optimize
from sweeps import thinned

from dirpriv import estimators, guarantees
from dirpriv.distributions import Cap, Cardioid, Purkayastha, RotationCap, Staircase, Trapezoid
from dirpriv.exact import weight_tables
from dirpriv.mechanisms import (
    CapMechanism,
    CardioidMechanism,
    PurkayasthaMechanism,
    RotationCapMechanism,
    RotationStaircaseMechanism,
    StaircaseMechanism,
    TrapezoidMechanism,
)
from dirpriv.release import CircleRelease

LEVELS = [1e-6, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 30.0, 1000.0]
PURPOSES = ["mean", "one direction", "angle", "histogram"]


def variance(distribution):
    """Of the mean direction of equal inputs: E sin² θ/ρ²."""
    return distribution.mean_squared_sine() / distribution.mean_cosine() ** 2


LOSSES = {
    "mean": lambda distribution: 1.0 - distribution.mean_cosine(),
    "one direction": variance,
    "angle": lambda distribution: distribution.mean_angle(),
}

# ---------------------------------------------------------------------- half angles of caps


@pytest.mark.parametrize("epsilon", LEVELS)
def test_closed_forms_of_the_circle(epsilon):
    """tan α - α = π/(e^ε - 1) for the mean, π/(e^(ε/2) + 1) for the angle, π/(e^ε + 1) for histograms."""
    with mpmath.workdps(400):
        e, pi, found = mpmath.mpf(epsilon), mpmath.pi, mpmath.mpf(CapMechanism.pure(epsilon).noise.half_angle)
        for factor, sign in ((1 - mpmath.mpf("1e-12"), -1), (1 + mpmath.mpf("1e-12"), 1)):
            alpha = found * factor
            assert mpmath.sign(mpmath.tan(alpha) - alpha - pi / mpmath.expm1(e)) == sign
        angle, histogram = pi / (mpmath.exp(e / 2) + 1), pi / (mpmath.exp(e) + 1)
    assert CapMechanism.pure(epsilon, purpose="angle").noise.half_angle == pytest.approx(
        float(angle), rel=1e-12, abs=0.0
    )
    if epsilon < 600.0:
        distribution = CapMechanism.pure(epsilon, purpose="histogram").noise
        assert distribution.half_angle == pytest.approx(float(histogram), rel=1e-12, abs=0.0)
    else:
        with pytest.raises(ValueError, match="'epsilon' must be smaller; got 1000"):
            CapMechanism.pure(epsilon, purpose="histogram")


def test_known_numbers_of_the_circle():
    rho = [CapMechanism.pure(epsilon).noise.mean_cosine() for epsilon in (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)]
    assert np.round(rho, 4).tolist() == [0.0318, 0.1579, 0.3083, 0.5643, 0.8589, 0.9893]
    at_one = [CapMechanism.pure(1.0, purpose=purpose).noise.half_angle for purpose in PURPOSES]
    assert np.round(at_one, 3).tolist() == [1.257, 1.118, 1.186, 0.845]
    people = {
        purpose: [
            (estimators.expected_mean_error(CapMechanism.pure(epsilon, purpose=purpose).noise, 1) / 0.1) ** 2
            for epsilon in (0.5, 1.0, 2.0, 4.0)
        ]
        for purpose in ("mean", "one direction")
    }
    assert people["mean"] == pytest.approx([1245.4, 303.1, 68.1, 11.3], rel=3e-3)
    assert people["one direction"] == pytest.approx([1237.7, 296.1, 63.2, 9.5], rel=5e-3)


@pytest.mark.parametrize("epsilon", LEVELS)
def test_mean_cosine_on_the_sphere(epsilon):
    distribution = CapMechanism.pure(epsilon, dim=3).noise
    assert distribution.mean_cosine() == pytest.approx(np.tanh(epsilon / 4.0), rel=1e-12, abs=0.0)


@pytest.mark.parametrize(("dim", "epsilon"), thinned([2, 3, 4, 10, 230, 10_000], [1e-6, 1.0, 30.0, 1000.0]))
def test_the_threshold_cosine_is_the_mean_cosine(dim, epsilon):
    """In every dimension; and the density is what its parameters say."""
    distribution = CapMechanism.pure(epsilon, dim=dim).noise
    assert 0.0 < distribution.half_angle < np.pi / 2 and distribution.kappa == epsilon
    assert distribution.mean_cosine() == pytest.approx(np.cos(distribution.half_angle), rel=1e-12, abs=1e-15)
    for purpose in ("one direction", "angle"):
        other = CapMechanism.pure(epsilon, dim=dim, purpose=purpose).noise
        assert 0.0 < other.half_angle <= distribution.half_angle * (1.0 + 1e-9)
        assert 0.0 < other.mean_cosine() <= distribution.mean_cosine() * (1.0 + 1e-13)


def test_high_dimensions_by_high_precision():
    """n = 10 000: the threshold where the incomplete beta function of doubles is 0."""
    with mpmath.workdps(30):
        for epsilon in (1000.0,):
            e, m = mpmath.mpf(epsilon), 9998

            def excess(alpha, e=e, m=m):
                """cos α - ρ, ρ = (e^ε - 1) sin^(n-1) α/((n - 1) ∫ e^f w)."""
                scale = m * mpmath.log(mpmath.sin(alpha))
                weight = lambda x: mpmath.exp(m * mpmath.log(mpmath.sin(x)) - scale)  # noqa: E731
                cuts = [alpha - mpmath.mpf(j) / 60 for j in range(12)]
                inside = mpmath.quad(weight, cuts[::-1])
                whole = mpmath.beta(mpmath.mpf(1) / 2, mpmath.mpf(m + 1) / 2) * mpmath.exp(-scale)
                rho = mpmath.sin(alpha) / (m + 1) / (inside + whole / mpmath.expm1(e))
                return mpmath.cos(alpha) - rho

            found = CapMechanism.pure(epsilon, dim=10_000).noise
            alpha = mpmath.findroot(excess, found.half_angle)
            assert found.half_angle == pytest.approx(float(alpha), rel=1e-10)
            assert found.mean_cosine() == pytest.approx(float(mpmath.cos(alpha)), rel=1e-11)


@functools.cache
def caps(dim, epsilon):
    """The same caps for all purposes: each distribution keeps what it knows of itself."""
    return [Cap(dim, epsilon, alpha) for alpha in np.linspace(0.02, 3.0, 60)]


@pytest.mark.parametrize("purpose", LOSSES)
@pytest.mark.parametrize(("dim", "epsilon"), [(2, 0.5), (2, 4.0), (3, 1.0), (20, 6.0)])
def test_no_other_half_angle_is_better(dim, epsilon, purpose):
    """A half angle that is 5 % off, or another purpose's, has a larger loss."""
    loss, best = LOSSES[purpose], CapMechanism.pure(epsilon, dim=dim, purpose=purpose).noise
    least = loss(best)
    for other in caps(dim, epsilon):
        assert loss(other) >= least * (1.0 - 1e-13)
    for factor in (0.95, 1.05):
        assert loss(Cap(dim, epsilon, factor * best.half_angle)) > least * (1.0 + 1e-7)
    for another in set(PURPOSES) - {purpose}:
        wrong = CapMechanism.pure(epsilon, dim=dim, purpose=another).noise
        assert loss(wrong) > least * (1.0 + 1e-12)


@pytest.mark.parametrize("purpose", PURPOSES)
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 5.0, 200.0])
def test_caps_of_rotations(epsilon, purpose):
    """Against a search over half angles, with Haar measure (1 - cos θ)/π written out."""
    found = RotationCapMechanism.pure(epsilon, purpose=purpose).noise
    if purpose == "histogram":
        angle = found.half_angle
        share = (angle - np.sin(angle) if angle > 1e-4 else angle**3 / 6.0) / np.pi
        assert share == pytest.approx(1.0 / (np.exp(epsilon) + 1.0), rel=1e-9, abs=0.0)
        return

    def expected(distribution):
        turn = distribution.expectation(lambda theta: (1.0 + 2.0 * np.cos(theta)) / 3.0)
        if purpose == "one direction":
            return distribution.expectation(lambda theta: np.sin(theta) ** 2) / turn**2
        if purpose == "mean":
            return distribution.expectation(lambda theta: 2.0 * np.sin(theta / 2.0) ** 2)
        return distribution.mean_angle()

    least = expected(found)
    for factor in (0.5, 0.8, 0.97, 1.03, 1.2):
        alpha = min(factor * found.half_angle, 3.1)
        assert expected(RotationCap(epsilon, alpha)) > least
    near = optimize.minimize_scalar(
        lambda factor: expected(RotationCap(epsilon, factor * found.half_angle)), bounds=(0.9, 1.1), method="bounded"
    )
    assert near.x == pytest.approx(1.0, abs=1e-3) and near.fun >= least * (1.0 - 1e-12)


# ---------------------------------------------------------------------- trapezoid and staircase


@pytest.mark.parametrize(("dim", "levels"), thinned([2, 3, 30], [(2.0, 1.0), (1.0, 3.0), (50.0, 5.0), (20.0, 0.1)]))
def test_no_other_plateau_is_better(dim, levels):
    epsilon, pure = levels
    mechanism = TrapezoidMechanism(epsilon, pure=pure, dim=dim)
    best = mechanism.noise.mean_cosine()
    assert mechanism.guarantee.metric_level == epsilon
    assert mechanism.guarantee.pure_level == pytest.approx(pure, rel=1e-13, abs=0.0) and best > 0.0
    plateaus = np.linspace(0.0, np.pi - 1e-9, 30)
    others = [Trapezoid(dim, epsilon, pure, plateau).mean_cosine() for plateau in plateaus]
    assert max(others) <= best * (1.0 + 1e-13)
    if mechanism.noise.plateau > 0.0:  # where almost no angle is in the flat parts, all plateaus are as good
        wrong = 0.9 * mechanism.noise.plateau
        assert Trapezoid(dim, epsilon, pure, wrong).mean_cosine() < best * (1.0 - 1e-9)
    # it is worse than a promise alone, and not worse than other distributions that keep both
    assert best <= CapMechanism.pure(pure, dim=dim).noise.mean_cosine()
    assert best <= Purkayastha(dim, epsilon).mean_cosine() * (1.0 + 1e-12)
    assert best >= Purkayastha(dim, min(epsilon, pure / np.pi)).mean_cosine()


def test_trapezoids_at_their_limits():
    """A level that is never reached leaves Purkayastha; a steep fall, the cap."""
    assert TrapezoidMechanism(1.0, pure=4.0).noise.plateau == 0.0
    assert TrapezoidMechanism(1.0, pure=4.0).guarantee.pure_level == pytest.approx(np.pi)
    steep, cap = TrapezoidMechanism(1e9, pure=1.0, dim=3).noise, CapMechanism.pure(1.0, dim=3).noise
    assert steep.plateau == pytest.approx(cap.half_angle, abs=1e-7)
    assert steep.mean_cosine() == pytest.approx(cap.mean_cosine(), rel=1e-8)
    within = TrapezoidMechanism.within(level=1.0, radius=0.5, pure=1.0)
    assert within.noise.kappa == 2.0 and within.noise.depth == 1.0


def test_staircases_on_a_small_radius_are_those_of_the_line():
    """E|x| is r/(2 sinh(ℓ/2)) for the staircase (Geng and Viswanath), r/ℓ for Laplace."""
    for level, less in ((1.0, 0.0405), (2.0, 0.1491), (4.0, 0.4486)):
        mechanism = StaircaseMechanism.within(level, 0.05, purpose="angle")
        assert mechanism.noise.mean_angle() == pytest.approx(0.05 / (2.0 * np.sinh(level / 2.0)), rel=1e-9)
        purkayastha = PurkayasthaMechanism.within(level, 0.05).noise.mean_angle()
        assert 1.0 - mechanism.noise.mean_angle() / purkayastha == pytest.approx(less, abs=1e-4)
        assert mechanism.noise.offset / 0.05 == pytest.approx(1.0 / (1.0 + np.exp(level / 2.0)), abs=1e-6)


@pytest.mark.parametrize("purpose", ["mean", "angle"])
@pytest.mark.parametrize(("dim", "level", "radius"), [(2, 1.0, 0.8), (3, 4.0, 0.3), (9, 2.0, np.pi)])
def test_no_other_offset_is_better(dim, level, radius, purpose):
    mechanism = StaircaseMechanism.within(level, radius, dim=dim, purpose=purpose)
    loss = LOSSES[purpose]
    least = loss(mechanism.noise)
    for offset in np.linspace(0.0, 0.999, 40) * radius:
        assert loss(Staircase(dim, level, radius, offset)) >= least * (1.0 - 1e-13)
    wrong = (mechanism.noise.offset + 0.1 * radius) % radius
    assert loss(Staircase(dim, level, radius, wrong)) > least * (1.0 + 1e-6)
    assert least <= loss(PurkayasthaMechanism.within(level, radius, dim=dim).noise)
    assert mechanism.guarantee.level_at(radius) == level == mechanism.noise.privacy_loss(radius)
    assert mechanism.guarantee.metric_level == np.inf and "jumps at each step" in mechanism.guarantee.reason


def test_a_staircase_of_radius_pi_is_a_cap():
    distribution, cap = StaircaseMechanism.within(1.0, np.pi).noise, CapMechanism.pure(1.0).noise
    assert distribution.offset == pytest.approx(cap.half_angle, abs=1e-6)
    assert distribution.mean_cosine() == pytest.approx(cap.mean_cosine(), rel=1e-12, abs=0.0)


def test_staircases_of_rotations():
    mechanism = RotationStaircaseMechanism.within(2.0, 0.5, purpose="angle")
    assert [mechanism.guarantee.level_at(d) for d in (0.2, 0.5, 0.9)] == [2.0, 2.0, 4.0]
    distributions = [type(mechanism.noise)(2.0, 0.5, offset) for offset in np.linspace(0.0, 0.49, 30)]
    assert mechanism.noise.mean_angle() <= min(distribution.mean_angle() for distribution in distributions)


# ---------------------------------------------------------------------- cardioid


@pytest.mark.parametrize("dim", [2, 3, 10_000])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 1000.0])
def test_cardioid(dim, epsilon):
    mechanism = CardioidMechanism.pure(epsilon, dim=dim)
    assert mechanism.noise.kappa == mechanism.guarantee.pure_level == epsilon
    assert mechanism.noise.mean_cosine() == pytest.approx(np.tanh(epsilon / 2.0) / dim, rel=1e-14, abs=0.0)
    per_radian = CardioidMechanism(epsilon, dim=dim)
    assert per_radian.guarantee.metric_level == pytest.approx(epsilon, rel=1e-12, abs=0.0)
    assert CardioidMechanism.within(epsilon, 0.5).guarantee.metric_level == pytest.approx(
        2 * epsilon, rel=1e-12, abs=0.0
    )


def test_squared_differences_of_a_cardioid():
    """∫ (p - p')², which sets the level after shuffling, against quadrature."""
    distribution = Cardioid(2, 1.0)
    p = lambda angle: distribution.angle_pdf(abs((angle + np.pi) % (2.0 * np.pi) - np.pi)) / 2.0  # noqa: E731
    found = integrate.quad(lambda a: (p(a) - p(a - 1.0)) ** 2, 0.0, 2.0 * np.pi)[0]
    assert found == pytest.approx((np.tanh(0.5) * 2.0 * np.sin(0.5)) ** 2 / (4.0 * np.pi), rel=1e-9)


# ---------------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: CapMechanism(1.0), r"promises nothing per radian.*Use \.pure"),
        (lambda: CapMechanism.within(1.0, 0.5), "promises nothing per radian"),
        (lambda: RotationCapMechanism(1.0), "promises nothing per radian"),
        (lambda: CapMechanism.pure(1.0, purpose="map"), "'purpose' must be one of mean, one direction, angle, hist"),
        (lambda: CapMechanism.pure(0.0), "'epsilon' must be positive"),
        (lambda: CapMechanism.pure(1.0, calibration="published"), "no paper calibrates the CapMechanism"),
        (lambda: StaircaseMechanism(1.0), r"promises nothing per radian.*use \.within"),
        (lambda: StaircaseMechanism.pure(1.0), "use a cap"),
        (lambda: StaircaseMechanism.within(1.0, 4.0), "'radius' must be from 0 to π.*got 4.0"),
        (lambda: StaircaseMechanism.within(1.0, 1.0, purpose="histogram"), "'purpose' must be one of mean, angle"),
        (lambda: TrapezoidMechanism.pure(1.0), r"keeps two levels: use TrapezoidMechanism\(epsilon, pure=...\)"),
        (lambda: TrapezoidMechanism(1.0, pure=-1.0), "'pure' must be positive"),
        (lambda: CapMechanism.from_distribution(Cardioid(2, 1.0)), "'distribution' must be a Cap"),
    ],
)
def test_bad_arguments_are_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()


# ---------------------------------------------------------------------- releases


def test_the_steps_of_a_table_are_those_of_the_staircase():
    distribution = Staircase(2, 0.7, 12 * 2 * np.pi / 96, 3.5 * 2 * np.pi / 96)
    falls = weight_tables.staircase_steps(Fraction(7, 10), 12, distribution.offset, 96)
    assert [j for j, fall in enumerate(falls) if fall] == [3, 15, 27, 39]
    centres = 2 * np.pi * np.arange(49) / 96  # the last bins of steps reach half a cell beyond a centre
    assert np.allclose(np.cumsum(falls, dtype=float), -distribution._log_kernel(centres)[1:], atol=1e-12)


ON_CIRCLE = [
    *(CapMechanism.pure(epsilon, purpose=purpose) for epsilon in (0.1, 1.0, 30.0) for purpose in PURPOSES),
    TrapezoidMechanism(2.0, pure=1.0),
    TrapezoidMechanism(30.0, pure=5.0),
    StaircaseMechanism.within(1.0, np.pi / 4),
    StaircaseMechanism.within(0.7, 0.11, purpose="angle"),
    StaircaseMechanism.within(60.0, 1.0),
    CardioidMechanism.pure(1.0),
    CardioidMechanism(3.0),
]


@pytest.mark.parametrize("cells", [2, 3, 96, 1441])
@pytest.mark.parametrize("mechanism", ON_CIRCLE, ids=lambda mechanism: repr(mechanism.noise))
def test_releases_never_exceed_the_promise(mechanism, cells):
    """By their certificates, and by the ratios of the integers themselves."""
    release, promised = CircleRelease.from_mechanism(mechanism, cells=cells), mechanism.guarantee
    assert release.certificate.pure <= promised.pure_level == release.pure_level
    assert release.certificate.cells <= promised.metric_level == release.metric_level
    pairs = zip(release.weights, release.weights[1:] + release.weights[:1], strict=True)
    steepest = max(max(Fraction(a, b), Fraction(b, a)) for a, b in pairs)
    if promised.metric_level < np.inf:
        step = promised.metric_level * 2.0 * np.pi / cells
        assert float(steepest) <= np.exp(step) * (1.0 + 1e-14)
    if isinstance(mechanism, StaircaseMechanism):
        level, radius = promised.steps
        assert release.certificate.loss(radius) <= level
        distance = release.certificate.cells_within(radius)
        for times in (1, 2, 3):
            assert release.certificate.between(times * distance) <= times * level * (1.0 + 1e-15)
    narrow = isinstance(mechanism, CapMechanism) and mechanism.noise.half_angle < 0.1
    if cells == 1441 and promised.pure_level < 45.0 and not narrow:  # which 128 bits and these cells resolve
        assert release.noise.mean_cosine() == pytest.approx(mechanism.noise.mean_cosine(), abs=2e-3)


def test_a_staircase_table_is_as_good_as_the_distribution():
    for level, radius in itertools.product((0.5, 2.0), (np.pi / 4, np.pi / 12)):
        mechanism = StaircaseMechanism.within(level, radius)
        release = CircleRelease.from_mechanism(mechanism, cells=1440)
        assert release.certificate.loss(radius) == pytest.approx(level, rel=1e-12)
        assert release.noise.mean_cosine() == pytest.approx(mechanism.noise.mean_cosine(), abs=1e-4)
        assert release.noise.mean_cosine() > CircleRelease.within(level, radius).noise.mean_cosine()


@pytest.mark.parametrize("purpose", PURPOSES)
def test_releases_and_mechanisms_choose_the_same_width(purpose):
    for epsilon in (0.1, 1.0, 4.0):
        release = CircleRelease.pure(epsilon, purpose=purpose)
        inside = sum(weight > min(release.weights) for weight in release.weights)
        half_angle = CapMechanism.pure(epsilon, purpose=purpose).noise.half_angle
        assert inside * np.pi / 1440 == pytest.approx(half_angle, abs=np.pi / 1440)


def test_the_release_for_one_direction_is_the_best_of_all_widths():
    for epsilon, cells in itertools.product((0.5, 2.0), (5, 24, 96)):
        found = variance(CircleRelease.pure(epsilon, cells=cells, purpose="one direction").noise)
        caps = [Cap(2, epsilon, (k + 0.01) * 2.0 * np.pi / cells) for k in range((cells - 1) // 2)]
        tables = [CircleRelease.from_mechanism(CapMechanism.from_distribution(cap), cells=cells).noise for cap in caps]
        assert found <= min(variance(table) for table in tables) * (1.0 + 1e-12)


def test_responses_to_a_step_distribution_compose():
    """Three responses of a staircase against all outcomes; on the sphere, bounds of randomised response."""
    distribution, distance = StaircaseMechanism.within(1.0, 0.8).noise, 2.0
    angles = (np.arange(400_000) + 0.5) * 2.0 * np.pi / 400_000
    there = np.abs(np.remainder(angles - distance + np.pi, 2.0 * np.pi) - np.pi)
    here = np.minimum(angles, 2.0 * np.pi - angles)
    losses = np.round(distribution.angle_logpdf(here) - distribution.angle_logpdf(there), 9)
    values, which = np.unique(losses, return_inverse=True)
    masses = np.bincount(which, distribution.angle_pdf(here)) / distribution.angle_pdf(here).sum()
    total = np.add.outer(np.add.outer(values, values), values).ravel()
    mass = np.multiply.outer(np.multiply.outer(masses, masses), masses).ravel()
    for delta in (1e-2, 1e-4):
        exact = optimize.brentq(lambda e, d=delta: mass @ np.maximum(-np.expm1(e - total), 0.0) - d, 0.0, 9.0)
        found = guarantees.composed_level(distribution, 3, distance=distance, delta=delta)
        assert exact - 1e-4 <= found <= exact * 1.001
    sphere = CapMechanism.pure(1.0, dim=3).noise
    assert 10.0 < guarantees.composed_level(sphere, 50, distance=1.0, delta=1e-6) <= 50.0
