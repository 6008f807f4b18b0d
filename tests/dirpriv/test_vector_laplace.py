"""Laplace noise in R^d: the gamma radius against 35 digits, the direction, and the trap of the note."""

import mpmath
import numpy as np
import pytest
from scipy import stats
from statistics_of_draws import ALPHA, DRAWS, ks_refuses
from sweeps import thinned

from dirpriv.distributions import VectorLaplace
from study.papers import directions
from study.simulation.baselines import ProjectedLaplace

DIMS = (1, 2, 3, 10, 17, 18, 100, 1000, 100_000)


def exact(dim, kappa, radius):
    """CDF, SF and log-density of the radius with 35 digits, both tails by their own sums."""
    with mpmath.workdps(35):
        x = mpmath.mpf(kappa) * mpmath.mpf(float(radius))
        log = dim * mpmath.log(x) - x - mpmath.loggamma(dim + 1)
        # sums in integers, which are quick: 48 digits behind the point, of terms that begin at 1
        scaled = int(mpmath.ldexp(x, 160))
        below, term, j = 0, 1 << 160, 0
        while term > below // 10**25:
            below, j = below + term, j + 1
            term = (term * scaled >> 160) // (dim + j)
        above, term, j = 0, 1 << 160, dim - 1
        while j >= 0 and term > above // 10**25:
            above, term, j = above + term, (term * j << 160) // scaled, j - 1
        below, above = (mpmath.ldexp(total, -160) for total in (below, above))
        lead = mpmath.exp(log)
        log_density = log + mpmath.log(dim) - mpmath.log(mpmath.mpf(float(radius)))
        return lead * below, lead * dim / x * above, log_density


@pytest.mark.parametrize(("dim", "kappa"), thinned(DIMS, [1e-6, 1.0, 6e7]))
def test_radius_against_35_digits(dim, kappa):
    distribution = VectorLaplace(dim, kappa)
    allowed = 1e-14 if dim <= 10 else 2e-12 if dim <= 1000 else 1e-11
    for z in (-20.0, -5.0, -1.0, 0.0, 1.0, 5.0, 20.0):
        radius = max(dim + z * np.sqrt(dim), 0.03 * dim) / kappa
        below, above, log_density = exact(dim, kappa, radius)
        if below > 1e-290:
            assert abs(distribution.radius_cdf(radius) / below - 1) < allowed
        if above > 1e-290:
            assert abs(distribution.radius_sf(radius) / above - 1) < allowed
        rounding = 4e-16 * abs(kappa * radius - dim)  # of κr, which moves the density
        assert abs(distribution.radius_logpdf(radius) - log_density) < 3e-14 * max(1, abs(log_density)) + rounding
    u = np.array([1e-300, 1e-20, 1e-3, 0.2, 0.5, 0.9])
    assert np.allclose(distribution.radius_cdf(distribution.radius_ppf(u)), u, rtol=3e-11, atol=0)
    assert np.allclose(distribution.radius_sf(distribution.radius_isf(u)), u, rtol=3e-11, atol=0)


@pytest.mark.parametrize("dim", DIMS)
def test_normalizer_and_density(dim):
    for kappa in (1e-6, 1.0, 6e7):
        distribution = VectorLaplace(dim, kappa)
        with mpmath.workdps(60):
            sphere = mpmath.log(2) + mpmath.mpf(dim) / 2 * mpmath.log(mpmath.pi) - mpmath.loggamma(mpmath.mpf(dim) / 2)
            wanted = sphere + mpmath.loggamma(dim) - dim * mpmath.log(mpmath.mpf(kappa))
            assert abs(distribution.log_normalizer() - wanted) < max(1e-13, 1e-15 * max(abs(wanted), dim * 40))
            # the density of the radius is that of space times the sphere of that radius
            radius = distribution.mean_radius()
            z = np.zeros(dim)
            z[-1] = radius
            through = distribution.logpdf(z, np.zeros(dim)) + float(sphere) + (dim - 1) * np.log(radius)
            assert np.isclose(through, distribution.radius_logpdf(radius), rtol=1e-12, atol=1e-9)


def test_line_is_the_laplace_distribution():
    distribution, z = VectorLaplace(1, 3.0), np.linspace(-2, 2, 9)
    assert np.allclose(
        distribution.logpdf(z[:, None], [0.5]), stats.laplace(0.5, 1 / 3).logpdf(z), rtol=1e-14, atol=0.0
    )
    draws = distribution.rvs([0.5], DRAWS, rng=1)[:, 0]
    assert not ks_refuses(draws, stats.laplace(0.5, 1 / 3).cdf)


@pytest.mark.parametrize("dim", [1, 2, 3, 10, 1000])
def test_draws_have_a_gamma_radius(dim):
    distribution = VectorLaplace(dim, 0.7)
    count = DRAWS if dim < 1000 else 5000
    center = np.full(dim, -2.0)
    radius = np.linalg.norm(distribution.rvs(center, count, rng=2) - center, axis=1)
    assert not ks_refuses(radius, distribution.radius_cdf)
    assert not ks_refuses(distribution.radius_rvs(count, rng=3), distribution.radius_cdf)
    wrong = VectorLaplace(dim, 0.7 * 1.1).radius_rvs(count, rng=3)
    assert ks_refuses(wrong, distribution.radius_cdf)
    if dim > 1:
        fewer = VectorLaplace(dim - (dim // 10 or 1), 0.7).radius_rvs(count, rng=3)
        assert ks_refuses(fewer, distribution.radius_cdf)


@pytest.mark.parametrize("dim", [2, 3, 10])
def test_directions_are_uniform(dim):
    """The square of a coordinate of a uniform direction is Beta(½, (d-1)/2); signs are even."""
    z = VectorLaplace(dim, 2.0).rvs(np.zeros(dim), DRAWS, rng=4)
    direction = z / np.linalg.norm(z, axis=1, keepdims=True)
    share = stats.beta(0.5, (dim - 1) / 2).cdf
    for axis in (0, dim - 1):
        assert not ks_refuses(direction[:, axis] ** 2, share)
        assert stats.binomtest(int(np.sum(z[:, axis] > 0)), DRAWS).pvalue > ALPHA
    cube = np.random.default_rng(5).uniform(-1, 1, (DRAWS, dim))  # the diagonals come too often
    cube /= np.linalg.norm(cube, axis=1, keepdims=True)
    assert ks_refuses(cube[:, 0] ** 2, share)


@pytest.mark.parametrize("dim", [1, 2, 3, 10, 100])
def test_the_trap_of_the_note(dim):
    """The exponential radius is right on the line only, and the same test says so."""
    distribution = VectorLaplace(dim, 1.5)
    trap = directions.exponential_radius_rvs(dim, 1.5, 20_000, rng=6)
    radius = np.linalg.norm(trap, axis=1)
    assert trap.shape == (20_000, dim)
    assert not ks_refuses(radius, stats.expon(scale=1 / 1.5).cdf)
    assert ks_refuses(radius, distribution.radius_cdf) == (dim != 1)


def test_large_dimension_in_bounded_blocks():
    distribution = VectorLaplace(100_000, 1e3)
    out = np.empty((12, 100_000))
    assert distribution.rvs(np.zeros(100_000), 12, rng=7, out=out) is out
    radius = np.linalg.norm(out, axis=1)
    assert np.all(np.abs(radius - distribution.mean_radius()) < 7 * np.sqrt(distribution.dim) / distribution.kappa)
    assert np.isfinite(distribution.logpdf(out, np.zeros(100_000))).all()


def test_shapes_and_seeds():
    distribution = VectorLaplace(3, 2.0)
    centers = np.arange(6.0).reshape(2, 3)
    assert distribution.rvs([0, 0, 0]).shape == (3,) and distribution.rvs([0, 0, 0], 5).shape == (5, 3)
    assert distribution.rvs([0, 0, 0], (4, 2)).shape == (4, 2, 3) and distribution.rvs([0, 0, 0], 0).shape == (0, 3)
    assert np.array_equal(distribution.rvs(centers, rng=1), centers + distribution.rvs([0, 0, 0], 2, rng=1))
    assert not np.array_equal(distribution.rvs(centers), distribution.rvs(centers))
    assert isinstance(distribution.radius_rvs(rng=1), float) and distribution.radius_rvs((2, 3), rng=1).shape == (2, 3)
    assert distribution.mean_radius() == 1.5 and repr(distribution) == "VectorLaplace(dim=3, kappa=2.0)"
    assert distribution.pdf(centers, centers[0]).shape == (2,)
    assert distribution.radius_pdf(-1.0) == 0.0 == distribution.radius_cdf(-1.0) and distribution.radius_sf(-1.0) == 1.0
    assert np.isnan(distribution.radius_ppf([-0.1, 1.1])).all() and distribution.radius_pdf(0.0) == 0.0
    assert VectorLaplace(1, 2.0).radius_pdf(0.0) == 2.0
    assert np.isclose(distribution.radius_logpdf(1e-20), np.log(8 / 2) - 40 * np.log(10), rtol=1e-14, atol=0.0)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: VectorLaplace(0, 1.0), "'dim' must be an integer of at least 1; got 0"),
        (lambda: VectorLaplace(2.5, 1.0), "'dim' must be an integer of at least 1; got 2.5"),
        (lambda: VectorLaplace(2, 0.0), "'kappa' must be positive and finite"),
        (lambda: VectorLaplace(2, np.inf), "'kappa' must be positive and finite"),
        (lambda: VectorLaplace(2, 1.0).rvs([1.0, 2.0, 3.0]), "'center' must hold points of length 2"),
        (lambda: VectorLaplace(2, 1.0).rvs([1.0, np.nan]), "'center' must hold finite coordinates"),
        (lambda: VectorLaplace(2, 1.0).rvs([[1.0, 2.0], [3.0, np.inf]]), "row 1 of 'center' must hold finite"),
        (lambda: VectorLaplace(2, 1.0).rvs(np.zeros((3, 2)), 3), "'size' goes with a single center"),
        (lambda: VectorLaplace(2, 1.0).rvs([0.0, 0.0], 3, out=np.empty((2, 2))), "'out' must be an array"),
    ],
)
def test_bad_arguments_are_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize(("dim", "kappa"), [(2, 0.3), (2, 6.0), (3, 2.0), (8, 5.0), (40, 30.0)])
def test_projected_noise_has_the_means_of_polar_coordinates(dim, kappa):
    """The noisy vector in polar coordinates, ρ and θ: density ∝ ρ^(n-1) exp(-κ |ρu - x|) sin^(n-2) θ."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    share, width = 0.5 * (nodes + 1.0), 0.5 * weights  # squared below: more points near the peak
    theta, of_theta = np.pi * share**2, np.pi * 2.0 * share * width
    reach = (60.0 + 3.0 * dim) / kappa
    rho = np.concatenate([1.0 - share**2, 1.0 + reach * share**2])
    of_rho = np.concatenate([width * 2.0 * share, width * 2.0 * share * reach])
    distance = np.sqrt((rho - np.cos(theta)[:, None]) ** 2 + np.sin(theta)[:, None] ** 2)
    density = np.exp((dim - 1) * np.log(rho / (1.0 + dim / kappa)) - kappa * distance) @ of_rho
    density *= np.sin(theta) ** (dim - 2) * of_theta
    distribution = ProjectedLaplace(dim, kappa)
    for found, value in (
        (distribution.mean_angle(), theta),
        (distribution.mean_cosine(), np.cos(theta)),
        (distribution.mean_squared_sine(), np.sin(theta) ** 2),
    ):
        assert found == pytest.approx(density @ value / density.sum(), rel=1e-9)
    drawn = distribution.rvs(np.tile(np.eye(dim)[0], (4, 1)), rng=1)
    noise = distribution.unprojected.rvs(np.tile(np.eye(dim)[0], (4, 1)), rng=1)
    assert np.allclose(drawn, noise / np.linalg.norm(noise, axis=1)[:, None], rtol=1e-14, atol=0.0)
