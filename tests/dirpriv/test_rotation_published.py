"""The SO(3) paper's own forms do what their text says, which is not always what the paper says."""

import numpy as np
import pytest
from scipy import integrate, special, stats
from scipy.spatial.transform import Rotation
from statistics_of_draws import ALPHA, assert_drawn_from, assert_not_drawn_from, ks_refuses
from sweeps import thinned

from dirpriv.distributions import Purkayastha, RotationBingham, RotationLaplace, RotationUniform
from dirpriv.geometry import rotation_distances as metrics
from study.papers import rotations

FIVE_SIGMA = 5.0


def assert_mean(values, exact):
    """Within five standard errors: error rate 6e-7."""
    error = values.std() / np.sqrt(values.size)
    assert abs(values.mean() - exact) < FIVE_SIGMA * error, (values.mean(), exact, error)


def test_printed_proposal_is_not_haar():
    draws = rotations.printed_haar_rvs(10_000, rng=1)
    assert not ks_refuses(draws, lambda theta: np.sin(theta / 2) ** 2)
    assert_not_drawn_from(draws, RotationUniform())
    assert_mean(draws, np.pi / 2)


@pytest.mark.parametrize(("epsilon", "cap"), thinned([0.1, 1.0, 3.4], [None, 5, 1]))
def test_printed_rejection_targets_its_closed_form(epsilon, cap):
    draws = rotations.printed_angle_rvs(epsilon, 20_000, cap=cap, rng=2)
    assert not ks_refuses(draws, lambda theta: rotations.printed_angle_cdf(theta, epsilon, cap=cap))
    assert_mean(draws, rotations.printed_mean_angle(epsilon, cap=cap))
    assert_not_drawn_from(draws, RotationLaplace(epsilon))


def test_means_of_the_issue():
    """1.7307 exact and 1.1301 as printed at ε = 1; at ε = 8 a cap of 100 more than triples the mean."""
    assert round(RotationLaplace(1.0).mean_angle(), 4) == 1.7307
    assert round(rotations.printed_mean_angle(1.0), 4) == 1.1301
    assert_mean(rotations.printed_angle_rvs(1.0, 200_000, rng=3), 1.1301)
    capped = rotations.printed_angle_rvs(8.0, 50_000, threshold=np.inf, cap=100, rng=4)
    assert_mean(capped, rotations.printed_mean_angle(8.0, cap=100))
    assert abs(capped.mean() - 0.868) < FIVE_SIGMA * capped.std() / np.sqrt(50_000)
    assert capped.mean() > 2.3 * RotationLaplace(8.0).mean_angle()


def test_total_variation_of_the_printed_sampler():
    for epsilon, distance in ((0.1, 0.359), (1.0, 0.334), (3.5, 0.285)):
        theta = np.linspace(0.0, np.pi, 4001)
        gap = Purkayastha(3, epsilon).angle_pdf(theta) - RotationLaplace(epsilon).angle_pdf(theta)
        assert abs(0.5 * integrate.trapezoid(np.abs(gap), theta) - distance) < 6e-4


def test_rejection_from_haar_is_exact_and_a_cap_skews_it():
    assert_drawn_from(rotations.rejection_angle_rvs(1.5, 10_000, rng=5), RotationLaplace(1.5))
    capped = rotations.rejection_angle_rvs(8.0, 10_000, cap=100, rng=6)
    assert_not_drawn_from(capped, RotationLaplace(8.0))
    late = (1.0 - np.exp(RotationLaplace(8.0).log_normalizer())) ** 99
    mean = late * RotationUniform().mean_angle() + (1.0 - late) * RotationLaplace(8.0).mean_angle()
    assert_mean(capped, mean)
    assert round(np.exp(-RotationLaplace(8.0).log_normalizer())) == 1634  # proposals a draw


@pytest.mark.parametrize("beyond", ["reject", "wrap"])
@pytest.mark.parametrize("epsilon", [0.2, 1.0, 3.5])
def test_gamma_approximation(beyond, epsilon):
    draws = rotations.gamma_angle_rvs(epsilon, 20_000, beyond=beyond, rng=7)
    assert draws.max() <= np.pi
    inside = draws[draws < np.pi]
    share = rotations.gamma_angle_cdf(np.nextafter(np.pi, 0.0), epsilon, beyond=beyond)
    assert stats.binomtest(inside.size, 20_000, min(share, 1.0)).pvalue > ALPHA
    cdf = lambda theta: rotations.gamma_angle_cdf(theta, epsilon, beyond=beyond) / share  # noqa: E731
    assert not ks_refuses(inside, cdf)
    other = {"reject": "wrap", "wrap": "reject"}[beyond]
    wrong = rotations.gamma_angle_rvs(epsilon, 20_000, beyond=other, rng=8)
    if epsilon < 2.0:
        whole = lambda theta: rotations.gamma_angle_cdf(theta, epsilon, beyond=beyond)  # noqa: E731
        assert ks_refuses(wrong[wrong < np.pi], whole)


def test_threshold_and_distance_of_the_gamma_branch():
    assert np.array_equal(rotations.printed_angle_rvs(3.5, 9, rng=9), rotations.gamma_angle_rvs(3.5, 9, rng=9))
    # total variation 0.405/ε² for large ε
    theta = np.linspace(0.0, 1.5, 20_001)
    gap = RotationLaplace(30.0).angle_pdf(theta) - stats.gamma(3, scale=1 / 30.0).pdf(theta)
    assert abs(0.5 * integrate.trapezoid(np.abs(gap), theta) * 900 - 0.405) < 0.005


@pytest.mark.parametrize("epsilon", [1.0 / np.pi, 1.0, 8.0])
def test_rejecting_keeps_the_gamma_branch_private(epsilon):
    """Slope of 2 log((θ/2)/sin(θ/2)) - εθ: at most ε in size from ε = 1/π on, and more below."""
    half = np.linspace(1e-6, np.pi / 2, 10_001)
    slope = 1.0 / half - 1.0 / np.tan(half) - epsilon
    assert np.abs(slope).max() <= epsilon * (1 + 1e-9)
    assert np.abs(slope + epsilon - 0.3).max() > 0.3  # at ε = 0.3 it rises faster than that


@pytest.mark.parametrize("shape", [(4,), (5, 4), (2, 3, 4)])
def test_the_matrices_multiply_quaternions(shape):
    p, q = np.random.default_rng(13).standard_normal((2, *shape))
    product = (rotations.left_matrix(p) @ q[..., None])[..., 0]
    assert np.allclose(product, (rotations.right_matrix(q) @ p[..., None])[..., 0], rtol=1e-14, atol=0.0)
    first, second, both = (Rotation.from_quat(x.reshape(-1, 4), scalar_first=True).as_matrix() for x in (p, q, product))
    assert np.allclose(first @ second, both, atol=1e-14)


@pytest.mark.parametrize("kappa", [0.5, 8.0, 1e4])
def test_kent_draws_the_isotropic_distribution(kappa):
    mode = Rotation.from_quat([0.2, 0.4, -0.8, 0.4])
    q = mode.as_quat()
    versors = rotations.bingham_rvs(kappa * (np.eye(4) - np.outer(q, q)), 10_000, rng=10)
    assert np.abs(np.linalg.norm(versors, axis=1) - 1.0).max() < 1e-15
    assert_drawn_from(metrics.phi6(Rotation.from_quat(versors), mode), RotationBingham(kappa))
    assert_not_drawn_from(metrics.phi6(Rotation.from_quat(versors), mode), RotationBingham(1.3 * kappa + 1.0))


def test_kent_draws_a_general_bingham_distribution():
    """Second moments of a full matrix, by numerical derivatives of the normalizer (Eq. 16 for the shift)."""
    values = np.array([-3.0, 0.0, 2.0, 40.0])
    axes = np.linalg.qr(np.random.default_rng(11).standard_normal((4, 4)))[0]
    versors = rotations.bingham_rvs(axes @ np.diag(values) @ axes.T, 100_000, rng=12) @ axes

    def normalizer(shifted):
        """∫ exp(-Σ λ x²) over S³, with x₀² + x₁² = r, angles apart: two Bessel functions."""
        a, b = shifted[:2], shifted[2:]

        def inner(r):
            pair = special.ive(0, 0.5 * r * abs(a[1] - a[0])) * np.exp(-r * a.min())
            other = special.ive(0, 0.5 * (1 - r) * abs(b[1] - b[0])) * np.exp(-(1 - r) * b.min())
            return pair * other

        return integrate.quad(inner, 0.0, 1.0, epsabs=0, epsrel=1e-12)[0]

    for i in range(4):
        up, down = values.copy(), values.copy()
        up[i] += 1e-4
        down[i] -= 1e-4
        moment = -(np.log(normalizer(up)) - np.log(normalizer(down))) / 2e-4
        assert_mean(versors[:, i] ** 2, moment)
    for i in range(4):  # a vector and its negative, and all mirror images, are equally likely
        assert stats.binomtest(int(np.sum(versors[:, i] > 0)), 100_000).pvalue > ALPHA


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 0.9])
def test_epsilon_of_a_wide_radius_is_small(epsilon):
    """The share within 2 rad from the density ∝ exp(-ε θ) sin²(θ/2), integrated by SciPy."""

    def density(theta):
        return np.exp(-epsilon * theta) * np.sin(theta / 2) ** 2

    within, whole = (integrate.quad(density, 0.0, end, epsabs=0.0)[0] for end in (2.0, np.pi))
    assert rotations.epsilon_of_radius(2.0, within / whole) == pytest.approx(epsilon, rel=1e-9)
