"""The clipped Laplace distribution, which depends on where its mode is and has a point mass at the seam."""

import numpy as np
import pytest
from scipy import integrate, stats
from statistics_of_draws import ALPHA, DRAWS, ks_refuses
from sweeps import thinned

from dirpriv import estimators, geometry
from dirpriv.distributions import ClippedLaplace

MODES = (0.0, 0.3, 2.0, np.pi, 3.5, 6.0)
KAPPAS = (1e-6, 0.16, 0.4, 2.0, 30.0)


def simulated_means(distribution, mode, seed):
    drawn = np.clip(mode + np.random.default_rng(seed).laplace(scale=1 / distribution.kappa, size=DRAWS), 0, 2 * np.pi)
    angle = geometry.circular_distance(drawn, mode)
    return {
        "mean_angle": angle,
        "mean_cosine": np.cos(angle),
        "mean_chord": 2 * np.sin(angle / 2),
        "seam_probability": ((drawn == 0) | (drawn == 2 * np.pi)).astype(float),
    }


@pytest.mark.parametrize("kappa", KAPPAS[1:])
@pytest.mark.parametrize("mode", MODES)
def test_means_against_plain_simulation(kappa, mode):
    """NumPy's own Laplace noise, clipped: z-scores beyond 5.5 have probability 4e-8 each."""
    distribution = ClippedLaplace(kappa)
    for name, values in simulated_means(distribution, mode, 1).items():
        deviation = values.std() / np.sqrt(DRAWS) + 1e-12
        got = getattr(distribution, name)(mode)
        assert abs(got - values.mean()) < 5.5 * deviation, (name, got, values.mean())


def test_wrong_mean_is_caught():
    distribution, wrong = ClippedLaplace(0.4), ClippedLaplace(0.42)
    values = simulated_means(distribution, 2.0, 1)["mean_angle"]
    assert abs(wrong.mean_angle(2.0) - values.mean()) > 5.5 * values.std() / np.sqrt(DRAWS)


@pytest.mark.parametrize("kappa", KAPPAS)
@pytest.mark.parametrize("mode", MODES)
def test_density_cdf_survival_and_quantiles_agree(kappa, mode):
    distribution = ClippedLaplace(kappa)
    theta = np.array([0.0, 1e-8, 0.1, 0.29, 0.31, 1.9, 2.1, 3.0, np.pi])
    assert np.allclose(
        distribution.angle_cdf(theta, mode) + distribution.angle_sf(theta, mode), 1.0, rtol=1e-14, atol=0.0
    )
    jump = min(mode, 2 * np.pi - mode)
    area = integrate.quad(
        lambda t: distribution.angle_pdf(t, mode), 0, np.pi, points=[jump, min(1 / kappa, 3.1)], limit=200
    )[0]
    assert np.isclose(area + distribution.seam_probability(mode), 1.0, rtol=1e-8, atol=0.0)
    u = np.linspace(0.01, 0.99, 25)
    quantile = distribution.angle_ppf(u, mode)
    assert np.all(distribution.angle_cdf(quantile, mode) >= u - 1e-14)
    assert np.all(distribution.angle_cdf(quantile * (1 - 1e-12) - 1e-300, mode) <= u + 1e-9)
    assert distribution.angle_cdf(4.0, mode) == 1.0 and distribution.angle_cdf(-0.1, mode) == 0.0


@pytest.mark.parametrize("mode", [0.3, 2.0, 6.0])
def test_draws_follow_the_distribution(mode):
    """Kolmogorov-Smirnov on the draws that do not sit on the seam, error rate ALPHA; the seam by counting."""
    distribution = ClippedLaplace(0.5)
    mu = geometry.angles_to_vectors(mode)
    x = distribution.rvs(mu, size=DRAWS, rng=2)
    seam = np.all(x == [1.0, 0.0], axis=1)
    assert stats.binomtest(int(seam.sum()), DRAWS, distribution.seam_probability(mode)).pvalue > ALPHA
    assert stats.binomtest(int(seam.sum()), DRAWS, distribution.seam_probability(mode) * 1.03).pvalue < ALPHA
    angle = geometry.angle_between_vectors(x[~seam], mu)
    jump = min(mode, 2 * np.pi - mode)

    def without_seam(theta, distribution=distribution):
        return (distribution.angle_cdf(theta, mode) - distribution.seam_probability(mode) * (theta >= jump)) / (
            1 - distribution.seam_probability(mode)
        )

    assert not ks_refuses(angle, without_seam)
    assert ks_refuses(angle * 1.02, without_seam)
    assert np.allclose(distribution.mean_vector(mu), x.mean(axis=0), atol=5.5 / np.sqrt(DRAWS))
    angles = np.round(distribution.angle_rvs(DRAWS, mode=mode, rng=3), 9)  # rounded, as most of them are the seam's
    assert stats.ks_2samp(angles, np.round(geometry.angle_between_vectors(x, mu), 9)).pvalue > ALPHA


def test_limits_of_the_concentration():
    assert ClippedLaplace(0.0).seam_probability(2.0) == 1.0
    assert np.array_equal(ClippedLaplace(0.0).rvs([0.0, 1.0], size=3, rng=1), [[1.0, 0.0]] * 3)
    assert ClippedLaplace(0.0).mean_angle(2.0) == 2.0
    strong = ClippedLaplace(1e6)
    assert np.isclose(strong.mean_angle(2.0), 1e-6, rtol=1e-12, atol=0.0)
    assert estimators.asymptotic_bias(strong, geometry.angles_to_vectors([2.0])) < 1e-12


def test_density_on_the_circle():
    distribution = ClippedLaplace(0.5)
    mu = geometry.angles_to_vectors(2.0)
    area = integrate.quad(lambda a: distribution.pdf(geometry.angles_to_vectors(a), mu), 0, 2 * np.pi, points=[2.0])[0]
    assert np.isclose(area + distribution.seam_probability(2.0), 1.0)


def test_many_modes_and_bad_arguments():
    distribution = ClippedLaplace(0.5)
    assert distribution.rvs(geometry.angles_to_vectors([0.1, 3.0]), rng=1).shape == (2, 2)
    assert isinstance(distribution.angle_rvs(rng=1), float)
    with pytest.raises(ValueError, match="'kappa' must be nonnegative"):
        ClippedLaplace(-1)
    with pytest.raises(ValueError, match="'size' goes with a single mode"):
        distribution.rvs(geometry.angles_to_vectors([0.1, 3.0]), size=2)


@pytest.mark.parametrize(("kappa", "mode"), thinned([0.01, 1.0, 10.0, 100.0], [0.0, 0.3, 2.0, np.pi, 5.0]))
def test_isf_is_the_inverse_of_sf(kappa, mode):
    distribution = ClippedLaplace(kappa)
    seam = min(mode, 2 * np.pi - mode)
    theta = np.array([1e-9, 1e-3, 0.1, 0.7, 1.9, 3.0])
    theta = theta[np.abs(theta - seam) > 1e-6]
    q = distribution.angle_sf(theta, mode)
    used = q > 1e-280
    # θ is known to the rounding of q, which is the distance over κ q
    assert np.allclose(distribution.angle_isf(q[used], mode), theta[used], rtol=1e-12, atol=4e-16 / kappa)
    found = distribution.angle_isf([1.0, 0.7, 1e-3, 1e-30], mode)
    assert np.all(np.diff(found) >= 0.0)
    assert np.all(distribution.angle_sf(found, mode) <= np.array([1.0, 0.7, 1e-3, 1e-30]))
    assert (
        distribution.angle_isf(0.0, mode) == np.pi and np.isnan(distribution.angle_isf([-0.1, 1.1, np.nan], mode)).all()
    )


def test_isf_within_the_jump_and_in_the_far_tail():
    distribution = ClippedLaplace(1.0)
    above, jump = distribution.angle_sf(0.3 + 1e-12, 0.3), distribution.seam_probability(0.3)
    assert np.allclose(distribution.angle_isf(above + jump * np.array([0.1, 0.5, 0.9]), 0.3), 0.3, rtol=1e-15, atol=0.0)
    far = ClippedLaplace(100.0)  # P[angle > θ] = exp(-κθ), but for what the seam takes
    assert np.isclose(far.angle_isf(1e-100), np.log(10.0), rtol=1e-14, atol=0.0)
    assert far.angle_ppf(1.0 - 1e-100) > 1.5 * 0.1  # what 1 - q knows of it is nothing
    u = np.linspace(0.01, 0.99, 99)
    assert np.allclose(distribution.angle_isf(1.0 - u), distribution.angle_ppf(u), rtol=1e-13, atol=0.0)
    assert distribution.angle_isf(np.full((2, 1), 0.5), np.array([0.3, 1.0, 2.0])).shape == (2, 3)


def test_no_share_lies_below_0():
    assert ClippedLaplace(0.7).angle_ppf(0.0) == 0.0
    assert np.isnan(ClippedLaplace(0.7).angle_ppf(-0.1)) and np.isnan(ClippedLaplace(0.7).angle_ppf(1.1))
