"""The polar Laplace distribution against 40 digits and more, against the walk it stands for, and its oddities."""

import mpmath
import numpy as np
import pytest
from scipy import integrate, stats
from statistics_of_draws import (
    DRAWS,
    assert_drawn_from,
    assert_not_drawn_from,
    assert_same_as_with_all_draws,
    ks_refuses,
)

from dirpriv import geometry
from dirpriv.distributions import PolarLaplace, Uniform
from study.experiments.privacy import polar_laplace_violations

KAPPAS = (1e-6, 0.3, 1.0, 30.0, 1e3, 6e7)
TURN = 2 * np.pi


def angles_for(kappa):
    scale = np.array([1e-3, 0.1, 1.0, 5.0, 30.0, 300.0, 640.0]) / max(kappa, 1.0)
    fixed = np.array([1e-300, 1e-8, 0.5, 1.5, 2.5, np.pi - 1e-3, np.pi - 1e-8, np.pi - 1e-14])
    return np.unique(np.concatenate([fixed, scale[scale < np.pi]]))


def exact(kappa, theta):
    """CDF, SF and density as sums over the turns of the walk, in closed form; 700 digits, as they cancel."""
    with mpmath.workdps(700):
        k, t, turn = mpmath.mpf(kappa), mpmath.mpf(float(theta)), 2 * mpmath.pi
        q = mpmath.exp(-turn * k)

        def beyond(x):  # Σ P[r > x + 2πj], a geometric sum and its derivative
            return mpmath.exp(-k * x) * ((1 + k * x) / (1 - q) + k * turn * q / (1 - q) ** 2)

        def density(x):
            return k**2 * mpmath.exp(-k * x) * (x / (1 - q) + turn * q / (1 - q) ** 2)

        above = beyond(t) - beyond(turn - t)
        whole = beyond(mpmath.mpf(0)) - beyond(turn)
        return whole - above, above, density(t) + density(turn - t)


@pytest.mark.parametrize("kappa", KAPPAS)
def test_probabilities_to_12_digits(kappa):
    distribution, theta = PolarLaplace(kappa), angles_for(kappa)
    cdf, sf, log_density = distribution.angle_cdf(theta), distribution.angle_sf(theta), distribution.angle_logpdf(theta)
    for i, t in enumerate(theta):
        below, above, density = exact(kappa, t)
        if below > 1e-290:
            assert abs(cdf[i] / below - 1) < 1e-12, (t, below)
        if above > 1e-290:
            assert abs(sf[i] / above - 1) < 1e-12, (t, above)
        log = mpmath.log(density)
        assert abs(log_density[i] - log) < 1e-15 * max(1, abs(log)), t


@pytest.mark.parametrize("kappa", [0.01, 0.3, 1.0, 30.0])
def test_the_closed_forms_are_those_of_the_walk(kappa):
    """The sum over the turns, with the gamma distribution itself term by term; the quadrature of the base class."""
    distribution, theta = PolarLaplace(kappa), np.array([1e-3, 0.7, 2.0, 3.1])
    walk, turns = stats.gamma(2, scale=1 / kappa), range(int(50 / (TURN * kappa)) + 1)
    summed = sum(walk.pdf(theta + TURN * j) + walk.pdf(TURN * (j + 1) - theta) for j in turns)
    assert np.allclose(distribution.angle_pdf(theta), summed, rtol=1e-12, atol=0.0)
    for function, mean in [
        (lambda t: t, distribution.mean_angle()),
        (lambda t: 2 * np.sin(t / 2), distribution.mean_chord()),
        (np.cos, distribution.mean_cosine()),
        (lambda t: np.sin(t) ** 2, distribution.mean_squared_sine()),
    ]:
        assert np.isclose(distribution.expectation(function), mean, rtol=1e-14, atol=1e-15)
        assert np.isclose(integrate.quad(lambda t, f=function: f(t) * distribution.angle_pdf(t), 0, np.pi)[0], mean)


@pytest.mark.parametrize("kappa", [1e-12, *KAPPAS, 1e17])
def test_means_to_14_digits(kappa):
    distribution = PolarLaplace(kappa)
    with mpmath.workdps(120):
        k = mpmath.mpf(kappa)
        half = mpmath.pi * k / 2
        angle = 2 / k * mpmath.tanh(half) - mpmath.pi / 2 * mpmath.sech(half) ** 2
        assert abs(distribution.mean_angle() / angle - 1) < 1e-14
        # E exp(iωr) = (κ/(κ - iω))² of the walk is that of the angle for whole ω
        cosine = (k / (k - 1j)) ** 2
        assert abs(distribution.mean_cosine() - cosine.real) <= 1e-14 * abs(cosine.real)
        double = (k / (k - 2j)) ** 2
        assert abs(distribution.mean_squared_sine() / ((1 - double.real) / 2) - 1) < 1e-14
        q, b = mpmath.exp(-2 * mpmath.pi * k), k**2 + mpmath.mpf(1) / 4
        first = mpmath.pi * q / b + (1 + q) * k / b**2
        chord = 2 * k**2 * (first / (1 - q) + mpmath.pi * q * (1 + q) / b / (1 - q) ** 2)
        assert abs(distribution.mean_chord() / chord - 1) < 1e-14


def test_worse_than_uniform_noise():
    """E θ > π/2 exactly below κ = 1.02248475591976; the maximum; and a mean that points the wrong way."""
    edge = 1.02248475591976
    assert PolarLaplace(edge * (1 - 1e-12)).mean_angle() > Uniform(3).mean_angle() == np.pi / 2
    assert PolarLaplace(edge * (1 + 1e-12)).mean_angle() < np.pi / 2
    assert round(PolarLaplace(0.58565).mean_angle(), 8) == 1.73567483
    around = [PolarLaplace(kappa).mean_angle() for kappa in (0.5846, 0.58565, 0.5867)]
    assert around[1] == max(around)
    assert PolarLaplace(1.0).mean_cosine() == 0.0 > PolarLaplace(0.9).mean_cosine()
    mean = PolarLaplace(0.6).rvs([0.0, 0.0, 1.0], DRAWS, rng=1).mean(axis=0)
    # the z-score of a component's mean has the error rate 4e-8 beyond 5.5
    assert abs(mean[2] - PolarLaplace(0.6).mean_cosine()) < 5.5 * np.sqrt(0.6 / DRAWS) and mean[2] < -0.1


def test_no_concentration_is_a_uniform_angle_not_a_uniform_direction():
    distribution, theta = PolarLaplace(0.0), np.array([0.0, 0.1, 2.0, np.pi])
    assert np.allclose(distribution.angle_pdf(theta), 1 / np.pi, rtol=1e-15, atol=0.0)
    assert np.allclose(distribution.angle_cdf(theta), theta / np.pi, rtol=1e-15, atol=0.0)
    assert np.allclose(distribution.angle_ppf(theta / np.pi), theta, rtol=1e-15, atol=0.0)
    assert distribution.mean_angle() == np.pi / 2 and distribution.mean_cosine() == 0.0
    assert (
        np.isclose(distribution.mean_chord(), 4 / np.pi, rtol=1e-15, atol=0.0)
        and distribution.mean_squared_sine() == 0.5
    )
    nearly = PolarLaplace(1e-9)
    for name in ("mean_angle", "mean_chord", "mean_squared_sine", "log_normalizer"):
        assert np.isclose(getattr(nearly, name)(), getattr(distribution, name)(), rtol=1e-8, atol=0.0)
    assert np.allclose(nearly.angle_pdf(theta), distribution.angle_pdf(theta), rtol=1e-8, atol=0.0)
    assert_drawn_from(distribution.angle_rvs(DRAWS, rng=1), distribution)
    assert_not_drawn_from(Uniform(3).angle_rvs(DRAWS, rng=1), distribution)


@pytest.mark.parametrize("kappa", [0.0, *KAPPAS])
def test_quantiles_return_what_they_were_given(kappa):
    distribution = PolarLaplace(kappa)
    u = np.concatenate([10.0 ** -np.array([300, 100, 30, 8, 2]), np.linspace(0.05, 0.95, 19)])
    assert np.allclose(distribution.angle_cdf(distribution.angle_ppf(u)), u, rtol=1e-12, atol=0)
    far = distribution.angle_isf(u)
    spacing = distribution.angle_pdf(far) * far * np.finfo(float).eps / u  # what the rounding of the angle can say
    assert np.all(np.abs(distribution.angle_sf(far) / u - 1.0) <= np.maximum(1e-12, 2.0 * spacing))
    assert distribution.angle_ppf(0.0) == 0.0 and distribution.angle_ppf(1.0) == np.pi
    assert np.isnan(distribution.angle_ppf(-0.1)) and np.isnan(distribution.angle_isf(1.1))


def test_edges_and_shapes():
    distribution = PolarLaplace(2.0)
    assert distribution.dim == 3 and repr(distribution) == "PolarLaplace(kappa=2.0)"
    assert isinstance(distribution.angle_cdf(1.0), float) and distribution.angle_pdf(np.ones((2, 3))).shape == (2, 3)
    assert (
        distribution.angle_cdf(0.0)
        == distribution.angle_sf(np.pi)
        == distribution.angle_pdf(-0.1)
        == distribution.angle_pdf(3.2)
        == 0.0
    )
    assert distribution.angle_cdf(np.pi) == distribution.angle_sf(0.0) == 1.0
    assert distribution.angle_pdf(0.0) > 0.0 and distribution.angle_pdf(np.pi) > 0.0
    assert np.isnan(distribution.angle_cdf(np.nan)) and np.isnan(distribution.angle_logpdf(np.nan))
    # nothing overflows: e^(-κθ) is 1e-81 861 112 at the antipode
    assert np.isclose(PolarLaplace(6e7).angle_logpdf(np.pi), -6e7 * np.pi, rtol=1e-6, atol=0.0)


@pytest.mark.parametrize("kappa", [0.0, 0.3, 3.0, 40.0])
def test_density_on_the_sphere(kappa):
    distribution, mu = PolarLaplace(kappa), np.array([0.48, 0.6, -0.64])
    across = np.array([0.8, -0.36, 0.48]) - 0.0 * mu
    across = across - (across @ mu) * mu
    across /= np.linalg.norm(across)

    def ring(t):  # the density times the length of the circle at the angle t
        return distribution.pdf(np.cos(t) * mu + np.sin(t) * across, mu) * TURN * np.sin(t)

    assert np.isclose(integrate.quad(ring, 0, np.pi, points=[min(1 / max(kappa, 1), 3)])[0], 1.0, rtol=1e-8, atol=0.0)
    t = 1.1
    folds = sum(abs(t + TURN * j) * np.exp(-kappa * abs(t + TURN * j)) for j in range(-400, 401))
    if kappa:
        log_kernel = np.log(-np.expm1(-TURN * kappa) * kappa * folds / np.sin(t))
        x = np.cos(t) * mu + np.sin(t) * across
        assert np.isclose(log_kernel - distribution.log_normalizer(), distribution.logpdf(x, mu), rtol=1e-12, atol=0.0)
    assert distribution.logpdf(mu, mu) == distribution.logpdf(-mu, mu) == np.inf  # and there is no guarantee
    near = -np.cos(1e-9) * mu + np.sin(1e-9) * across
    assert np.isclose(distribution.pdf(near, mu), distribution.angle_pdf(np.pi) / (TURN * 1e-9), rtol=1e-6, atol=0.0)


@pytest.mark.parametrize("kappa", [1e-300, *KAPPAS, 0.1, 0.15, 0.17, 5.0, 1e17])
def test_draws_of_the_angle(kappa):
    """Both sides of the switch at κ = 1/2π among them; error rate ALPHA each."""
    distribution = PolarLaplace(kappa)
    assert_drawn_from(distribution.angle_rvs(DRAWS, rng=int(100 * kappa) % 99), distribution)


def test_few_draws_tell_what_all_of_them_would():
    """One cell has its CDF evaluated at every draw."""
    assert_same_as_with_all_draws(PolarLaplace(0.6).angle_rvs(DRAWS, rng=24), PolarLaplace(0.6))


@pytest.mark.parametrize("kappa", [1.0, 30.0, 6e7])
def test_wrong_concentration_is_caught(kappa):
    distribution = PolarLaplace(kappa)
    assert_not_drawn_from(PolarLaplace(1.05 * kappa).angle_rvs(DRAWS, rng=3), distribution)


@pytest.mark.parametrize("kappa", [0.4, 0.6])
def test_other_wrong_samplers_are_caught(kappa):
    """Where the walk is often longer than half a turn, but not so long that all angles are even."""
    distribution, rng = PolarLaplace(kappa), np.random.default_rng(2)
    walk = rng.standard_gamma(2, DRAWS) / kappa
    folded = np.minimum(walk % TURN, TURN - walk % TURN)
    assert_drawn_from(folded, distribution)
    assert_not_drawn_from(np.minimum(walk, np.pi), distribution)  # stopped at the antipode
    assert_not_drawn_from(walk % np.pi, distribution)  # started again at the mode
    exponential = rng.standard_exponential(DRAWS) / kappa
    assert_not_drawn_from(np.minimum(exponential % TURN, TURN - exponential % TURN), distribution)


def test_vectors_have_the_angle_and_go_all_ways():
    distribution, mu = PolarLaplace(1.5), np.array([0.0, -0.6, 0.8])
    x = distribution.rvs(mu, DRAWS, rng=4)
    assert np.abs(np.linalg.norm(x, axis=1) - 1.0).max() <= 1e-15
    assert_drawn_from(geometry.angle_between_vectors(x, mu), distribution)
    first = np.array([1.0, 0.0, 0.0])
    azimuth = np.arctan2(x @ np.cross(mu, first), x @ first)
    uniform = stats.uniform(-np.pi, TURN).cdf
    assert not ks_refuses(azimuth, uniform)
    assert ks_refuses(azimuth + 0.05 * np.sin(azimuth), uniform)


def test_one_mode_or_one_concentration_per_row():
    mu = np.tile([0.0, 0.0, 1.0], (DRAWS, 1))
    assert_drawn_from(geometry.angle_between_vectors(PolarLaplace(2.0).rvs(mu, rng=5), mu), PolarLaplace(2.0))
    kappa = np.where(np.arange(DRAWS) % 2, 0.05, 2.0)
    angles = PolarLaplace(kappa).angle_rvs(rng=6)
    assert_drawn_from(angles[::2], PolarLaplace(2.0))
    assert_drawn_from(angles[1::2], PolarLaplace(0.05))
    assert PolarLaplace(kappa).rvs(mu[0], rng=6).shape == (DRAWS, 3)
    with pytest.raises(ValueError, match="'kappa' must be one number; only draws can be made with one per row"):
        PolarLaplace(kappa).mean_angle()
    with pytest.raises(ValueError, match="'kappa' must be one number; only draws can be made with one per row"):
        PolarLaplace(kappa).angle_cdf(1.0)


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="'kappa' must be nonnegative"):
        PolarLaplace(-1.0)
    with pytest.raises(ValueError, match="vectors of length 3"):
        PolarLaplace(1.0).rvs([1.0, 0.0])


@pytest.mark.parametrize("epsilon", [0.2, 1.0, 29.9, 30.0])
def test_the_slope_is_the_level_where_it_stops_being_too_steep(epsilon):
    """The derivative of log Σ |θ + 2πk| exp(-ε |θ + 2πk|) - log sin θ, with 40 digits."""

    def log_kernel(theta):
        walks = [abs(theta + 2 * mpmath.pi * k) for k in range(-40, 41)]
        return mpmath.log(mpmath.fsum(r * mpmath.exp(-epsilon * r) for r in walks) / mpmath.sin(theta))

    near, rest = polar_laplace_violations.steep_angles(epsilon)
    with mpmath.workdps(60):
        for share, sign in ((0.9, 1), (1.0, 0), (1.1, -1)):  # too steep before, no longer behind
            for slope in (
                -mpmath.diff(log_kernel, share * mpmath.mpf(near)),
                mpmath.diff(log_kernel, mpmath.pi - share * mpmath.mpf(rest)),
            ):
                excess = slope / epsilon - 1
                assert abs(excess) < 1e-12 if sign == 0 else mpmath.sign(excess) == sign
    distribution = PolarLaplace(epsilon)
    share = np.log(distribution.angle_cdf(near) + distribution.angle_sf(np.pi - rest))
    assert polar_laplace_violations.log_steep_share(epsilon) == pytest.approx(share, rel=1e-12, abs=0.0)


@pytest.mark.parametrize("epsilon", [115.0, 120.0, 300.0])
def test_the_steep_angle_where_its_weight_is_beyond_doubles(epsilon):
    """The root of the slope of the straight walk and the two shortest that wrap round, with 900 digits."""

    def excess(theta):
        walks = (theta, 1), (2 * mpmath.pi - theta, -1), (2 * mpmath.pi + theta, 1)
        falls = mpmath.fsum(sign * (epsilon * r - 1) * mpmath.exp(-epsilon * r) for r, sign in walks)
        return falls / mpmath.fsum(r * mpmath.exp(-epsilon * r) for r, _ in walks) + mpmath.cot(theta) - epsilon

    near = polar_laplace_violations.steep_angles(epsilon)[0]
    with mpmath.workdps(900):
        before, behind = (mpmath.mpf(near) * (1 + mpmath.mpf(side)) for side in ("-1e-11", "1e-11"))
        assert excess(before) > 0 > excess(behind)
    assert polar_laplace_violations.steep_angles(400.0)[0] == 0.0


def test_the_steep_share_beyond_doubles():
    """Of walks between π - rest and π + rest alone: about exp(-935)."""
    rest = polar_laplace_violations.steep_angles(300.0)[1]
    with mpmath.workdps(40):
        low, high = (300 * (mpmath.pi + sign * mpmath.mpf(rest)) for sign in (-1, 1))
        share = float(mpmath.log((1 + low) * mpmath.exp(-low) - (1 + high) * mpmath.exp(-high)))
    assert polar_laplace_violations.log_steep_share(300.0) == pytest.approx(share, rel=1e-12)
