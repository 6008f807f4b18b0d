"""Caps, trapezoids, staircases and the cardioid: high precision, draws, guarantees against brute force.

Error rate and sample size of the statistical tests: see statistics_of_draws.py.
"""

import functools
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from statistics_of_draws import DRAWS, assert_drawn_from, assert_not_drawn_from

from dirpriv import geometry, guarantees
from dirpriv.distributions import (
    Cap,
    Cardioid,
    Purkayastha,
    RotationCap,
    RotationLaplace,
    RotationStaircase,
    RotationUniform,
    Staircase,
    Trapezoid,
    Uniform,
)
from dirpriv.geometry.rotation_distances import phi6

# ---------------------------------------------------------------------- high precision


def kernel_of(distribution):
    """The log kernel in mpmath, from its definition, and where it bends or jumps."""
    k = mpmath.mpf(float(distribution.kappa))
    if isinstance(distribution, Cap | RotationCap):
        border = mpmath.mpf(distribution.half_angle)
        return lambda x: mpmath.mpf(0) if x <= border else -k, [border]
    if isinstance(distribution, Staircase | RotationStaircase):
        first, width = mpmath.mpf(distribution.offset), mpmath.mpf(distribution.width)
        steps = [first + j * width for j in range(int((np.pi - distribution.offset) / distribution.width) + 1)]
        return lambda x: -k * max(mpmath.ceil((x - first) / width), 0), steps
    if isinstance(distribution, Trapezoid):
        start, depth = mpmath.mpf(distribution.plateau), mpmath.mpf(distribution.depth)
        bends = [start, *(start + j / k for j in (1, 4, 16, 64) if j < depth), start + depth / k]
        return lambda x: -min(k * max(x - start, 0), depth), bends
    c = mpmath.tanh(k / 2)
    return lambda x: mpmath.log(1 + c * mpmath.cos(x)), []


@functools.cache
def gauss_legendre():
    """96 nodes and weights on [0, 1] with 25 digits: enough for each piece of each distribution below."""
    with mpmath.workdps(25):
        rule = mpmath.calculus.quadrature.GaussLegendre(mpmath.mp)
        return rule.get_nodes(mpmath.mpf(0), mpmath.mpf(1), 6, mpmath.mp.prec)


def exact(distribution, theta):
    """CDF, SF, mean angle and mean cosine with 25 digits, of the exact doubles given."""
    with mpmath.workdps(25):
        m = distribution.dim - 2 if hasattr(distribution, "dim") else 2
        half = 1 if hasattr(distribution, "dim") else mpmath.mpf(1) / 2
        f, bends = kernel_of(distribution)
        t, pi = mpmath.mpf(theta), +mpmath.pi
        peak, width = mpmath.mpf(distribution._peak.from_zero), 1 / mpmath.sqrt(m + 1)
        steps = [j * width for j in (-12, -6, -3, 0, 3, 6, 12)]
        marks = [*bends, t, *(top + step for top in (peak, pi / 2) for step in steps), t / 4, 4 * t]
        below = above = angles = cosines = mpmath.mpf(0)
        for a, b in pairwise([mpmath.mpf(0), *sorted({x for x in marks if 0 < x < pi}), pi]):
            middle, width = (a + b) / 2, b - a  # the kernel has one form between marks
            top, slope = f(middle), 4 * (f(middle + width / 4) - f(middle)) / width
            mass = mpmath.mpf(0)
            for node, weight in gauss_legendre():
                x = a + width * node
                height = f(x) if isinstance(distribution, Cardioid) else top + slope * (x - middle)
                part = width * weight * mpmath.sin(half * x) ** m * mpmath.exp(height)
                mass += part
                angles += part * x
                cosines += part * mpmath.cos(x)
            below, above = (below + mass, above) if b <= t else (below, above + mass)
        total = below + above
        return [float(value / total) for value in (below, above, angles, cosines)]


DISTRIBUTIONS = [
    (Cap(2, 1.0, 1.257), 0.3),
    (Cap(2, 1000.0, 3.6e-145), 2e-145),
    (Cap(2, 1000.0, 3.6e-145), 2.0),
    (Cap(3, 1e-6, 1.57), 3.1),
    (Cap(3, 40.0, 1e-5), 0.01),
    (Cap(4, 2.0, 0.9), 1e-30),
    (Cap(40, 30.0, 0.8), 0.5),
    (Cap(40, 30.0, 0.8), 2.8),
    (Cap(10_000, 1000.0, 1.1336), 1.13),
    (Trapezoid(2, 2.0, 1.0, 1.0486), 1.3),
    (Trapezoid(2, 1000.0, 5.0, 0.4), 0.402),
    (Trapezoid(3, 50.0, 30.0, 0.0), 0.7),
    (Trapezoid(17, 8.0, 100.0, 0.2), 2.5),
    (Trapezoid(300, 1000.0, 300.0, 1.0), 1.2),
    (Staircase(2, 1.0, 0.7, 0.3), 2.0),
    (Staircase(2, 100.0, 0.5, 0.0), 3.0),
    (Staircase(3, 0.7, 0.25, 0.1), 0.01),
    (Staircase(30, 3.0, 0.3, 0.1), 0.1),
    (Staircase(100, 2.0, 0.2, 0.03), 1.2),
    (Cardioid(2, 1e-6), 3.0),
    (Cardioid(3, 60.0), 3.1),
    (Cardioid(12, 3.0), 0.4),
    (RotationCap(2.0, 1.5), 1e-20),
    (RotationCap(800.0, 1e-50), 3e-50),
    (RotationStaircase(1.0, 0.5, 0.2), 3.1),
    (RotationStaircase(20.0, 0.5, 0.2), 2.0),
]


@pytest.mark.parametrize(("distribution", "theta"), DISTRIBUTIONS, ids=repr)
def test_high_precision(distribution, theta):
    cdf, sf, mean, cosine = exact(distribution, theta)
    # at a high slope, or a high power of the sine, θ's own rounding moves the probability by more
    allowed = 1e-12 if getattr(distribution, "dim", 4) < 10_000 else 5e-12
    assert abs(distribution.angle_cdf(theta) / cdf - 1) < allowed
    assert abs(distribution.angle_sf(theta) / sf - 1) < allowed
    assert abs(distribution.mean_angle() / mean - 1) < 1e-12
    if hasattr(distribution, "mean_cosine"):
        assert abs(distribution.mean_cosine() / cosine - 1) < 1e-12


def test_the_kernel_is_the_one_that_is_documented():
    theta = np.linspace(0.0, np.pi, 1001)
    trapezoid = Trapezoid(3, 2.0, 3.0, 0.5)
    assert np.allclose(trapezoid._log_kernel(theta), -np.minimum(2.0 * np.maximum(theta - 0.5, 0.0), 3.0), atol=1e-14)
    staircase = Staircase(2, 0.5, 0.7, 0.3)
    assert np.allclose(staircase._log_kernel(theta), -0.5 * np.maximum(np.ceil((theta - 0.3) / 0.7), 0), atol=1e-14)
    assert Cap(2, 2.0, 1.0)._log_kernel(np.array([1.0, 1.0 + 1e-15])).tolist() == [0.0, -2.0]
    x = np.array([np.cos(theta), np.sin(theta)]).T
    density = Cardioid(2, 1.5).pdf(x, [1.0, 0.0]) * 2.0 * np.pi
    assert np.allclose(density, 1.0 + np.tanh(0.75) * np.cos(theta), rtol=1e-13, atol=0.0)


# ---------------------------------------------------------------------- agreement, and the extremes

EXTREMES = [
    make(dim)
    for dim in (2, 3, 10, 10_000)
    for make in (
        lambda dim: Cap(dim, 1e-6, 1.57),
        lambda dim: Cap(dim, 1000.0, 0.4),
        lambda dim: Trapezoid(dim, 100.0, 40.0, 0.2),
        lambda dim: Staircase(dim, 0.01, 0.05, 0.02),
        lambda dim: Staircase(dim, 1000.0, 0.5, 0.25),
        lambda dim: Cardioid(dim, 1000.0),
    )
]
ROTATIONS = [RotationCap(1e-6, 2.0), RotationCap(1000.0, 1e-3), RotationStaircase(3.0, 0.1, 0.03)]


@pytest.mark.parametrize("distribution", EXTREMES + ROTATIONS, ids=repr)
def test_quantiles_return_what_they_were_given(distribution):
    u = np.concatenate([10.0 ** -np.array([300, 100, 30, 8, 2]), np.linspace(0.05, 0.5, 5)])
    near, far = distribution.angle_ppf(u), distribution.angle_isf(u)
    for theta, probability, side in ((near, distribution.angle_cdf, 1.0), (far, distribution.angle_sf, -1.0)):
        below, above = (np.clip(theta * (1.0 + sign * side * 1e-13), 0.0, np.pi) for sign in (-1.0, 1.0))
        assert np.all(probability(below) <= u * (1.0 + 1e-11))
        assert np.all(probability(above) >= u * (1.0 - 1e-11))
    assert np.allclose(distribution.angle_cdf(near) + distribution.angle_sf(near), 1.0, rtol=0, atol=1e-12)
    assert (
        distribution.angle_ppf(0.0) == 0.0
        and distribution.angle_ppf(1.0) == np.pi
        and np.isnan(distribution.angle_ppf(1.5))
    )


@pytest.mark.parametrize("distribution", [distribution for distribution, _ in DISTRIBUTIONS], ids=repr)
def test_means_agree_with_the_positive_sums(distribution):
    """E cos θ as a sum of positive terms, and as it is defined; E 1 is 1."""
    assert distribution.expectation(np.ones_like) == pytest.approx(1.0, rel=1e-13, abs=0.0)
    if hasattr(distribution, "mean_cosine"):
        assert distribution.mean_cosine() == pytest.approx(distribution.expectation(np.cos), abs=1e-13)
        assert distribution.mean_squared_sine() == pytest.approx(
            distribution.expectation(lambda t: np.sin(t) ** 2), rel=1e-13, abs=0.0
        )
    else:  # the mean rotation matrix
        found = distribution.expectation(lambda t: (1.0 + 2.0 * np.cos(t)) / 3.0)
        assert distribution._mean_alignment() == pytest.approx(found, abs=1e-13)


@pytest.mark.parametrize("dim", [2, 3, 9])
def test_limits_are_the_distributions_that_are_known(dim):
    theta = np.array([0.01, 0.7, 2.0, 3.1])
    for distribution in (Cap(dim, 0.0, 1.0), Trapezoid(dim, 2.0, 0.0, 1.0), Trapezoid(dim, 0.0, 2.0, 1.0),
                Staircase(dim, 0.0, 0.5, 0.1), Cardioid(dim, 0.0)):  # fmt: skip
        assert np.allclose(distribution.angle_cdf(theta), Uniform(dim).angle_cdf(theta), rtol=1e-12, atol=0.0)
        assert distribution.metric_level() == distribution.pure_level() == distribution.privacy_loss(1.0) == 0.0
    purkayastha, far = Purkayastha(dim, 3.0), Trapezoid(dim, 3.0, 100.0, 0.0)
    assert np.allclose(far.angle_sf(theta), purkayastha.angle_sf(theta), rtol=1e-12, atol=0.0)
    narrow = Staircase(dim, 3e-4, 1e-4, 5e-5)
    assert np.allclose(narrow.angle_sf(theta), purkayastha.angle_sf(theta), rtol=3e-4, atol=0.0)
    steep = Trapezoid(dim, 1e12, 2.0, 1.2)
    assert np.allclose(steep.angle_sf(theta), Cap(dim, 2.0, 1.2).angle_sf(theta), rtol=1e-9, atol=0.0)


def test_limits_of_the_distributions_of_rotations():
    theta = np.array([0.01, 0.7, 2.0, 3.1])
    assert np.allclose(RotationCap(0.0, 1.0).angle_cdf(theta), RotationUniform().angle_cdf(theta), rtol=1e-12, atol=0.0)
    narrow, laplace = RotationStaircase(3e-4, 1e-4, 5e-5), RotationLaplace(3.0)
    assert np.allclose(narrow.angle_sf(theta), laplace.angle_sf(theta), rtol=3e-4, atol=0.0)


def test_entropy():
    """Of a cap on the circle by hand."""
    distribution = Cap(2, 2.0, 1.0)
    inside, area = distribution.angle_cdf(1.0), np.array([2.0, 2.0 * np.pi - 2.0])
    shares = np.array([inside, 1.0 - inside])
    assert distribution.entropy() == pytest.approx(-shares @ np.log(shares / area), rel=1e-12)


# ---------------------------------------------------------------------- draws

DRAWN = [*[distribution for distribution, _ in DISTRIBUTIONS], *EXTREMES[-6:], *ROTATIONS]


@pytest.mark.parametrize("seed, distribution", list(enumerate(DRAWN)), ids=repr)
def test_draws(seed, distribution):
    draws = distribution.angle_rvs(30_000, rng=seed)
    assert draws.min() >= 0.0 and draws.max() <= np.pi
    assert_drawn_from(draws, distribution)


def test_wrong_draws_are_caught():
    rng = np.random.default_rng(100)
    for wrong, distribution in (
        (Cap(2, 1.0, 1.2), Cap(2, 1.0, 1.257)),
        (Cap(3, 1.05, 1.3), Cap(3, 1.0, 1.3)),
        (Trapezoid(3, 2.0, 3.0, 0.37), Trapezoid(3, 2.0, 3.0, 0.3)),
        (Staircase(2, 1.0, 0.7, 0.25), Staircase(2, 1.0, 0.7, 0.3)),
        (Staircase(10, 1.0, 0.7, 0.2), Staircase(11, 1.0, 0.7, 0.2)),
        (Cardioid(3, 1.1), Cardioid(3, 1.0)),
        (RotationCap(2.0, 1.55), RotationCap(2.0, 1.5)),
    ):
        assert_not_drawn_from(wrong.angle_rvs(DRAWS, rng=rng), distribution)


def test_a_proposal_that_is_always_accepted_is_caught():
    """Without the rejection the draws follow the tangents, which are above the density."""
    distribution = Cap(3, 1.0, 1.3)
    tangents = distribution._tangents
    flat = tangents._replace(bend=np.zeros_like(tangents.bend))
    distribution.__dict__["_tangents"] = flat
    assert_not_drawn_from(distribution.angle_rvs(500_000, rng=101), Cap(3, 1.0, 1.3))


@pytest.mark.parametrize(
    "distribution",
    [distribution for distribution, _ in DISTRIBUTIONS if not isinstance(distribution, Cardioid)],
    ids=repr,
)
def test_more_than_nine_of_ten_proposals_are_accepted(distribution):
    """And the tangents lie above the log-density, and touch it."""
    tangents = distribution._tangents
    assert 0.9 < tangents.accepted <= 1.0 + 1e-12
    shares = np.diff(np.concatenate([[0.0], tangents.shares, [1.0]]))
    v = np.linspace(0.001, 0.999, 9)[:, None]
    moved = -np.log1p(-tangents.share * v) * tangents.scale
    theta = tangents.end + moved
    inside = (theta > 0.0) & (theta < np.pi) & (shares > 1e-6)
    shares = np.maximum(shares, 1e-6)
    height = np.log(shares / (np.abs(tangents.scale) * tangents.share)) - np.abs(moved / tangents.scale)
    above = height - np.log(tangents.accepted) - distribution.angle_logpdf(np.clip(theta, 1e-300, np.pi))
    assert np.all(above[inside] > -1e-9) and np.median(above[inside]) < 0.1


def test_vectors_and_rotations_have_the_angle():
    mu = np.array([0.48, 0.6, -0.64])
    distribution = Cap(3, 2.0, 1.0)
    assert_drawn_from(geometry.angle_between_vectors(distribution.rvs(mu, DRAWS, rng=102), mu), distribution)
    mode = Rotation.from_rotvec([0.1, -0.4, 0.2])
    distribution = RotationStaircase(2.0, 0.6, 0.2)
    assert_drawn_from(phi6(distribution.rvs(mode, 40_000, rng=103), mode), distribution)
    assert np.array_equal(distribution.angle_rvs(9, rng=1), distribution.angle_rvs(9, rng=1))
    assert distribution.angle_rvs(0, rng=1).shape == (0,) and isinstance(distribution.angle_rvs(rng=1), float)


def test_cardioid_draws_with_one_concentration_per_row():
    kappas = np.tile([0.0, 1.0, 30.0], 40_000)
    angles = Cardioid(3, kappas).angle_rvs(rng=104)
    for row, kappa in enumerate([0.0, 1.0, 30.0]):
        assert_drawn_from(angles[row::3], Cardioid(3, kappa))


# ---------------------------------------------------------------------- guarantees

DISTANCES = [0.03, 0.31, 0.69, 0.71, 1.3, 2.2, 3.0]
GUARANTEED = [
    Cap(2, 1.0, 1.257),
    Cap(3, 3.0, 3.0),
    Trapezoid(2, 2.0, 1.0, 1.0),
    Trapezoid(3, 2.0, 9.0, 1.0),
    Trapezoid(5, 0.5, 0.3, 0.0),
    Staircase(2, 1.0, 0.7, 0.3),
    Staircase(3, 0.5, 0.7, 0.0),
    Staircase(3, 0.5, 2.5, 2.4),
    Cardioid(3, 1.0),
    Cardioid(2, 8.0),
    RotationCap(2.0, 1.5),
    RotationStaircase(1.0, 0.7, 0.2),
]


@pytest.mark.parametrize("distribution", GUARANTEED, ids=repr)
def test_losses_are_those_of_the_kernel(distribution):
    """Against brute force, at distances between the steps: f falls, so f(θ) - f(θ + d) is what is lost."""
    theta = np.linspace(0.0, np.pi, 100_001)
    values = distribution._log_kernel(theta)
    edges = np.flatnonzero(np.abs(np.diff(values)) > 0.1)  # of steps
    for distance in DISTANCES:
        around = np.append(theta[edges], theta[edges] - distance)[:, None] + np.linspace(0.0, theta[1], 501)
        near = np.clip(np.append(theta, around), 0.0, np.pi - distance)
        found = (distribution._log_kernel(near) - distribution._log_kernel(near + distance)).max()
        assert distribution.privacy_loss(distance) == pytest.approx(found, rel=1e-7, abs=1e-12)
        assert distribution.privacy_loss_within(distance) == pytest.approx(found, rel=1e-7, abs=1e-12)
    assert distribution.pure_level() == pytest.approx(np.ptp(values), rel=1e-14)
    steepest = np.inf if edges.size else np.abs(np.diff(values) / np.diff(theta)).max()
    assert distribution.metric_level() == pytest.approx(steepest, rel=1e-6)
    assert distribution.privacy_loss(0.0) == 0.0 and distribution.privacy_loss(np.pi) <= distribution.pure_level() * (
        1 + 1e-15
    )
    guarantee = guarantees.from_distribution(distribution)
    assert (guarantee.metric_level == np.inf) == bool(guarantee.reason)
    assert np.all(
        distribution.privacy_loss_within(DISTANCES) <= [guarantee.level_at(d) * (1 + 1e-12) for d in DISTANCES]
    )


@pytest.mark.parametrize("dim", [2, 3])
def test_losses_against_outputs(dim):
    """No output of many loses more than is said, and some lose nearly as much."""
    rng = np.random.default_rng(105)
    outputs = rng.standard_normal((50_000, dim))
    outputs /= np.linalg.norm(outputs, axis=1)[:, None]
    for distribution in (
        Cap(dim, 1.0, 1.2),
        Trapezoid(dim, 2.0, 1.5, 0.4),
        Staircase(dim, 1.0, 0.7, 0.3),
        Cardioid(dim, 3.0),
    ):
        for distance in (0.1, 0.69, 0.8, 1.5, 2.9):
            inputs = np.zeros((2, dim))
            inputs[:, 0], inputs[1, :2] = 1.0, [np.cos(distance), np.sin(distance)]
            largest = np.abs(distribution.logpdf(outputs, inputs[0]) - distribution.logpdf(outputs, inputs[1])).max()
            assert largest <= distribution.privacy_loss(distance) * (1 + 1e-9)
            assert largest >= 0.95 * distribution.privacy_loss(distance), (distribution, distance)


def test_the_steps_of_a_staircase_are_counted_exactly():
    width = np.pi / 4
    distribution = Staircase(2, 1.0, width, 0.3)
    assert distribution.privacy_loss([width * k for k in (1, 2, 3)]).tolist() == [1.0, 2.0, 3.0]
    above = np.nextafter(width, 4.0)
    assert distribution.privacy_loss([np.nextafter(width, 0.0), width, above]).tolist() == [1.0, 1.0, 2.0]
    tenths = Staircase(2, 1.0, 0.1, 0.0)  # 3 * 0.1 is above three tenths as a double, and 0.3 below
    assert tenths.privacy_loss([0.3, 0.1 * 3]).tolist() == [3.0, 4.0]
    guarantee = guarantees.from_distribution(distribution)
    assert [guarantee.level_at(radius) for radius in (0.0, 0.1, width, above, 9.0)] == [0.0, 1.0, 1.0, 2.0, 4.0]


def test_the_loss_of_a_cardioid_at_the_ends():
    """2 asinh(sinh(κ/2) sin(d/2)), where sinh overflows and where the sine is tiny."""
    for kappa in (1e-9, 1.0, 1e3, 5e3):
        distribution = Cardioid(2, kappa)
        with mpmath.workdps(30):
            for distance in (1e-300, 1e-9, 0.5, 3.0):
                found = 2 * mpmath.asinh(mpmath.sinh(mpmath.mpf(kappa) / 2) * mpmath.sin(mpmath.mpf(distance) / 2))
                assert distribution.privacy_loss(distance) == pytest.approx(float(found), rel=1e-12, abs=0.0), (
                    kappa,
                    distance,
                )
        assert (
            distribution.privacy_loss(np.pi) == pytest.approx(kappa, rel=1e-15, abs=0.0)
            and distribution.pure_level() == kappa
        )


# ---------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Cap(2, 1.0, 0.0), "'half_angle' must be positive"),
        (lambda: Cap(2, 1.0, np.pi), "'half_angle' must be below π; got 3.14"),
        (lambda: Cap(2, [1.0, 2.0], 1.0), "'kappa' must be one number"),
        (lambda: RotationCap([1.0], 1.0), "'kappa' must be one number"),
        (lambda: Trapezoid(2, 1.0, -1.0, 0.0), "'depth' must be nonnegative"),
        (lambda: Trapezoid(2, 1.0, 1.0, 4.0), "'plateau' must be below π; got 4.0"),
        (lambda: Staircase(2, 1.0, 4.0, 0.0), "'width' must be at most π; got 4.0"),
        (lambda: Staircase(2, 1.0, 1e-7, 0.0), "'width' must be at least π/1000000"),
        (lambda: Staircase(2, 1.0, 1.0, 1.0), "'offset' must be below the width 1.0; got 1.0"),
        (lambda: RotationStaircase(1.0, 0.0, 0.0), "'width' must be positive"),
        (lambda: Cardioid(1, 1.0), "'dim' must be an integer of at least 2"),
        (lambda: Cap.fit(np.eye(2)), "a Cap has more than one parameter"),
        (lambda: RotationCap.fit(Rotation.identity(2)), "a RotationCap has more than one parameter"),
    ],
)
def test_bad_arguments_are_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_the_cardioid_can_be_fitted():
    mode, distribution = Cardioid.fit(Cardioid(2, 3.0).rvs([0.6, 0.8], 1000, rng=106))
    assert geometry.angle_between_vectors(mode, [0.6, 0.8]) < 0.2
    assert distribution.kappa == pytest.approx(3.0, abs=0.8)


@pytest.mark.parametrize("depth", [1e8, 1e100])
@pytest.mark.parametrize("dim", [2, 3])
def test_a_mean_cosine_is_at_most_one(dim, depth):
    """Rounding made it 1.0000000000000018 and more."""
    assert 1.0 - 1e-7 < Trapezoid(dim, depth, 1e8, 0.0).mean_cosine() <= 1.0
