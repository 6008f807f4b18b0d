"""Distributions of rotations: against high precision, drawn exactly, and at the extremes."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from rotation_references import exact
from scipy import integrate, stats
from scipy.spatial.transform import Rotation
from statistics_of_draws import (
    ALPHA,
    assert_drawn_from,
    assert_not_drawn_from,
    assert_same_as_with_all_draws,
    ks_refuses,
)
from sweeps import swept

from dirpriv import distributions
from dirpriv.distributions import (
    ChordalLaplace,
    FoldedPurkayastha,
    FoldedVonMisesFisher,
    RotationBingham,
    RotationLaplace,
    RotationUniform,
)
from dirpriv.distributions.rotations import angle_sampling, laplace
from dirpriv.distributions.rotations.base import rotation_about_uniform_axis
from dirpriv.geometry import rotation_distances as metrics
from study.papers import rotations as printed
from study.simulation.seeding import generator

REFERENCE = Path(__file__).parent / "reference"
DISTRIBUTIONS = [RotationLaplace, RotationBingham, FoldedVonMisesFisher, FoldedPurkayastha, ChordalLaplace]
EPSILONS = (1e-3, 0.1, 0.5784, 1.0, 3.5, 8.0, 100.0, 1e4, 1e8)
EVERY = [
    RotationUniform(),
    *[distribution(kappa) for distribution in DISTRIBUTIONS for kappa in (0.0, 3.0, 100.0)],
    *swept(*[(distribution(0.3),) for distribution in DISTRIBUTIONS]),
]


def value_of(distribution, quantity, argument):
    match quantity:
        case "normaliser_int_sin2half_exp":
            return 0.5 * np.pi * np.exp(distribution.log_normalizer())
        case "normaliser_wrt_prob_haar":
            return np.exp(distribution.log_normalizer())
        case "mean_theta":
            return distribution.mean_angle()
        case "mean_theta_sq":
            return distribution.expectation(np.square)
        case "mean_sin2half":
            return distribution.expectation(lambda theta: np.sin(theta / 2.0) ** 2)
        case "rho":
            return distribution.radius(argument)
        case "cdf" | "sf":
            return getattr(distribution, f"angle_{quantity}")(argument)
        case "kent_b_opt":
            return printed.kent_b([0.0, distribution.kappa, distribution.kappa, distribution.kappa])
        case "kent_acceptance":  # normalizer of Bingham over that of the envelope and its bound
            b = printed.kent_b([0.0, distribution.kappa, distribution.kappa, distribution.kappa])
            bound = np.exp(0.5 * (b - 4.0)) * (4.0 / b) ** 2
            return np.exp(distribution.log_normalizer()) * (1.0 + 2.0 * distribution.kappa / b) ** 1.5 / bound


def test_every_reference_value():
    rows = pd.read_csv(REFERENCE / "rotations.csv")
    assert len(rows) == 237
    makers = {"rotation_laplace": RotationLaplace, "rotation_bingham": RotationBingham}
    for (name, kappa), group in rows.groupby(["distribution", "parameter"]):
        distribution = makers[name](kappa)
        for row in group.itertuples():
            got = value_of(distribution, row.quantity, row.arg)
            assert abs(got / row.value - 1.0) < 1e-12, (distribution, row, got)


@pytest.mark.parametrize("name", [distribution.__name__ for distribution in DISTRIBUTIONS])
def test_extreme_values(name):
    """κ from 1e-6 to 1e8, angles from 1e-16 to π - 1e-8, tails down to 1e-170, at 1e-12 relative."""
    rows = pd.read_csv(REFERENCE / "rotation_extremes.csv")
    rows = rows[rows["distribution"] == name]
    assert len(rows) == 10
    for row in rows.itertuples():
        distribution = getattr(distributions, name)(row.kappa)
        for exact_value, got in (
            (row.cdf, distribution.angle_cdf(row.theta)),
            (row.sf, distribution.angle_sf(row.theta)),
            (row.mean_angle, distribution.mean_angle()),
            (row.normalizer, np.exp(distribution.log_normalizer())),
        ):
            assert abs(got / exact_value - 1.0) < 1e-12, (row, got)


@pytest.mark.parametrize(("distribution", "theta"), [(RotationLaplace(0.037), 3.05), (ChordalLaplace(2.5), 0.2)])
def test_held_out_values(distribution, theta):
    got = (
        distribution.angle_cdf(theta),
        distribution.angle_sf(theta),
        distribution.mean_angle(),
        np.exp(distribution.log_normalizer()),
    )
    assert np.allclose(got, exact(type(distribution).__name__, distribution.kappa, theta), rtol=1e-12, atol=0)


@pytest.mark.sweep
@pytest.mark.parametrize("kappa", [1e-3, 0.45, 17.0, 1e4])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_sweep_of_held_out_values(distribution, kappa):
    for theta in (1e-7, 1.0 / (1.0 + kappa), 3.0):
        values = exact(distribution.__name__, kappa, theta)
        made = distribution(kappa)
        got = made.angle_cdf(theta), made.angle_sf(theta), made.mean_angle(), np.exp(made.log_normalizer())
        assert np.allclose(got, values, rtol=1e-12, atol=1e-290)


@pytest.mark.parametrize("distribution", EVERY, ids=repr)
def test_density_cdf_and_quantiles_agree(distribution):
    u = np.array([1e-300, 1e-30, 1e-8, 0.02, 0.3, 0.5, 0.7, 0.98])
    theta = distribution.angle_ppf(u)
    assert np.allclose(distribution.angle_cdf(theta), u, rtol=1e-12, atol=0)
    assert np.allclose(distribution.angle_cdf(theta) + distribution.angle_sf(theta), 1.0, rtol=0, atol=1e-13)
    area = integrate.quad(distribution.angle_pdf, theta[3], theta[6], epsabs=0, epsrel=1e-11)[0]
    assert np.isclose(area, 0.68, rtol=1e-10, atol=0.0)
    far = distribution.angle_isf(u)
    spacing = distribution.angle_pdf(far) * far * np.finfo(float).eps / u  # all that an angle near π can say
    assert np.all(np.abs(distribution.angle_sf(far) / u - 1.0) <= np.maximum(1e-12, 2.0 * spacing))
    assert distribution.angle_cdf(0.0) == distribution.angle_sf(np.pi) == 0.0
    assert distribution.angle_cdf(np.pi) == distribution.angle_sf(0.0) == 1.0 and distribution.radius(1.0) == np.pi
    assert (
        np.isnan(distribution.angle_cdf(np.nan))
        and np.isnan(distribution.radius(1.5))
        and distribution.angle_pdf(3.2) == 0.0
    )
    # the density with respect to Haar measure, times that of Haar measure, is the density of the angle
    turned = Rotation.from_rotvec([0.0, 0.0, theta[5]])
    haar = 2.0 / np.pi * np.sin(theta[5] / 2.0) ** 2
    assert np.isclose(
        distribution.pdf(turned, Rotation.identity()) * haar, distribution.angle_pdf(theta[5]), rtol=1e-12, atol=0.0
    )


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_no_concentration_is_haar_measure(distribution):
    theta = np.array([1e-8, 0.3, 2.0, 3.1])
    assert np.allclose(distribution(0.0).angle_cdf(theta), RotationUniform().angle_cdf(theta), rtol=1e-13, atol=0.0)
    assert np.isclose(RotationUniform().mean_angle(), np.pi / 2.0 + 2.0 / np.pi, rtol=1e-15, atol=0.0)
    assert np.isclose(RotationUniform().angle_cdf(2.0), (2.0 - np.sin(2.0)) / np.pi, rtol=1e-14, atol=0.0)
    assert abs(distribution(0.0).log_normalizer()) < 1e-15


def test_radius_of_the_concentrated_laplace_distribution():
    """Mathematics: ρ(0.683) → 3.520894/ε, the quantile of Gamma(3)."""
    assert np.isclose(RotationLaplace(1e8).radius(0.683) * 1e8, stats.gamma(3).ppf(0.683), rtol=1e-12, atol=0.0)


# ---------------------------------------------------------------------- draws


DRAWN = [
    RotationUniform(),
    *[RotationLaplace(epsilon) for epsilon in (*EPSILONS, 1.4, 1.6)],
    *[RotationBingham(kappa) for kappa in (1e-3, 1.0, 3.2, 3.3, 8.0, 1e8)],
    *[ChordalLaplace(kappa) for kappa in (1e-3, 1.9, 2.1, 8.0, 1e8)],
    *[distribution(kappa) for distribution in (FoldedVonMisesFisher, FoldedPurkayastha) for kappa in (1e-3, 2.0, 1e8)],
]


@pytest.mark.parametrize("seed, distribution", list(enumerate(DRAWN)), ids=lambda value: repr(value))
def test_angles(seed, distribution):
    """10 000 draws a distribution, by Kolmogorov-Smirnov at the rate ALPHA; `make test-all` takes a million."""
    assert_drawn_from(distribution.angle_rvs(10_000, rng=seed), distribution)


@pytest.mark.parametrize(
    "distribution",
    [
        *(RotationUniform(), RotationLaplace(2.0), FoldedVonMisesFisher(2.0)),
        *swept((RotationBingham(2.0),), (FoldedPurkayastha(2.0),), (ChordalLaplace(2.0),)),
    ],
    ids=repr,
)
def test_few_draws_tell_what_all_of_them_would(distribution):
    """One cell of each sampler has its CDF evaluated at every draw."""
    assert_same_as_with_all_draws(distribution.angle_rvs(10_000, rng=24), distribution)


@pytest.mark.sweep
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_sweep_of_angles(distribution):
    """1 M draws at each ε of the paper's two distributions, 100 000 of the others, whose CDF costs more.

    A concentration 3 % too high is caught where it moves the angle by that much.
    """
    draws = 1_000_000 if distribution in (RotationLaplace, RotationBingham) else 100_000
    for epsilon in EPSILONS:
        drawn = distribution(epsilon).angle_rvs(draws, rng=generator(1, distribution.__name__, epsilon))
        assert_drawn_from(drawn, distribution(epsilon))
        if epsilon > 3.0:
            wrong = distribution(1.03 * epsilon).angle_rvs(100_000, rng=generator(2, distribution.__name__, epsilon))
            assert_not_drawn_from(wrong, distribution(epsilon))


def test_wrong_samplers_of_angles_are_caught():
    rng = np.random.default_rng(3)
    for epsilon in (0.1, 1.0, 3.4):
        drawn = printed.printed_angle_rvs(epsilon, 10_000, rng=rng)
        assert_not_drawn_from(drawn, RotationLaplace(epsilon))
    for epsilon in (0.5784, 3.5, 8.0):  # scale in the place of rate
        wrong_scale = rng.gamma(3.0, scale=epsilon, size=10_000)
        assert_not_drawn_from(np.minimum(wrong_scale, np.pi), RotationLaplace(epsilon))
    for distribution in DISTRIBUTIONS:
        assert_not_drawn_from(distribution(1.25 * 8.0).angle_rvs(10_000, rng=rng), distribution(8.0))


class FarFromTheMode(np.random.Generator):
    """Chooses the tail of ``draw_head_or_tail`` in each proposal: every other uniform variable is 0."""

    zero = False

    def random(self, size):
        self.zero = not self.zero
        return np.zeros(size) if self.zero else super().random(size)


@pytest.mark.parametrize(("distribution", "power", "steepness"), [(RotationBingham, 2, 3.3), (ChordalLaplace, 1, 4.2)])
def test_tails_have_the_distribution_behind_the_edge(distribution, power, steepness):
    """100 000 draws by Kolmogorov-Smirnov, at the rate ALPHA; of a distribution a quarter steeper it fails."""
    rng, edge = FarFromTheMode(np.random.PCG64(26)), 0.85
    drawn = angle_sampling.draw_head_or_tail(100_000, power, steepness, edge, 1.0, rng)
    behind = 2.0 * np.arcsin(edge)
    for kappa, right in ((0.5 * power * steepness, True), (0.625 * power * steepness, False)):
        survival, every = distribution(kappa).angle_sf, np.linspace(behind, np.pi, 1001)
        cdf = np.interp(drawn, every, 1.0 - survival(every) / survival(behind))
        assert ks_refuses(cdf, stats.uniform.cdf) != right


def test_mirrored_proposals_never_exceed_their_bound():
    """k(φ) ≤ 1 at the largest κ for which it is claimed, on a fine grid; above, it is not."""
    phi = np.linspace(0.0, 0.5 * np.pi, 100_001)
    for distribution, largest_kappa in ((RotationLaplace, 2.0), (RotationBingham, 4.0), (ChordalLaplace, 2.0)):
        for kappa, within in ((largest_kappa, True), (1.1 * largest_kappa, False)):
            kernel = distribution(kappa)._log_kernel
            here = np.exp(kernel(0.5 * np.pi - phi) - kernel(0.5 * np.pi))
            there = np.exp(kernel(0.5 * np.pi + phi) - kernel(0.5 * np.pi))
            sum_of_both = 0.5 * (1.0 - np.sin(phi)) * here + 0.5 * (1.0 + np.sin(phi)) * there
            assert bool(sum_of_both.max() <= 1.0 + 1e-15) == within, (distribution, kappa, sum_of_both.max())


@pytest.mark.parametrize(
    "distribution, widest", [(RotationLaplace, 0.6), (RotationBingham, 0.55), (ChordalLaplace, 0.45)]
)
def test_most_proposals_are_accepted_at_every_concentration(distribution, widest, monkeypatch):
    """So no concentration costs many times what another does; counted, not timed."""
    counted = []

    def counting(size, share, propose):
        values, accepted = propose(20_000, ...)
        counted.append((accepted.mean(), share))
        return values[accepted][:size]

    for module in (angle_sampling, laplace):
        monkeypatch.setattr(module, "draw_by_rejection", counting)
    for kappa in (1e-3, 0.1, 0.5784, 1.0, 1.5, 1.6, 2.0, 2.1, 3.0, 3.2, 3.3, 3.5, 8.0, 100.0, 1e4, 1e8):
        distribution(kappa).angle_rvs(1, rng=4)
        share, foreseen = counted[-1]
        assert share > widest, (distribution, kappa, share)
        assert abs(share - foreseen) < 0.02, (distribution, kappa, share, foreseen)


def test_a_gamma_proposal_is_accepted_by_its_exact_ratio():
    """(sin(θ/2)/(θ/2))², nothing beyond π; the bounds of its logarithm leave one in a hundred open."""
    theta, accepted = laplace._propose_gamma(10_000, 2.0, np.random.default_rng(27))
    rng = np.random.default_rng(27)
    assert np.array_equal(theta, rng.standard_exponential((3, 10_000)).sum(axis=0) / 2.0)
    energy, ratio = rng.standard_exponential(10_000), np.sinc(0.5 * theta / np.pi) ** 2
    assert np.array_equal(accepted, (np.exp(-energy) <= ratio) & (theta <= np.pi))
    assert np.count_nonzero((energy > theta**2 / 12.0) & (energy < 0.0916 * theta**2)) > 50  # the open ones


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_angles_at_concentration_one(distribution):
    """Where a formula may divide by 1 - κ or take 1 for no noise: 10 000 draws, at the rate ALPHA."""
    assert_drawn_from(distribution(1.0).angle_rvs(10_000, rng=28), distribution(1.0))


# ---------------------------------------------------------------------- rotations


@pytest.mark.parametrize("distribution", [RotationLaplace(2.0), RotationLaplace(1e8)])
def test_rotations_have_the_angle_and_a_uniform_axis(distribution):
    # at κ = 1e8 a rotation far from the identity would round the angle by 1e-8 of itself
    mode = Rotation.from_quat([0.1, -0.7, 0.5, 0.4]) if distribution.kappa < 1e6 else Rotation.identity()
    drawn = distribution.rvs(mode, 20_000, rng=5)
    assert_drawn_from(metrics.phi6(drawn, mode), distribution)
    axis = (mode.inv() * drawn).as_rotvec()
    axis /= np.linalg.norm(axis, axis=1, keepdims=True)
    for direction in (np.eye(3)[0], np.eye(3)[2], np.array([0.6, -0.48, 0.64])):  # uniform on [-1, 1]
        height = axis @ direction
        assert not ks_refuses(height, stats.uniform(-1, 2).cdf)
        assert ks_refuses(height**3, stats.uniform(-1, 2).cdf)
    azimuth = np.arctan2(axis[:, 1], axis[:, 0])
    assert not ks_refuses(azimuth, stats.uniform(-np.pi, 2 * np.pi).cdf)
    assert ks_refuses(azimuth + 0.2 * np.sin(azimuth), stats.uniform(-np.pi, 2 * np.pi).cdf)
    # angle and axis are independent
    assert stats.spearmanr(metrics.phi6(drawn, mode), axis[:, 2]).pvalue > ALPHA


def shape(rotations):
    return rotations.as_quat().shape[:-1]


def test_batches_keep_their_shape_and_order():
    distribution = RotationLaplace(1e6)  # noise of 3e-6 rad: the draws stay beside their modes
    one = Rotation.from_euler("z", 1.0)
    assert shape(distribution.rvs(one, rng=1)) == () and shape(distribution.rvs(one, 0, rng=1)) == (0,)
    assert shape(distribution.rvs(one, 3, rng=1)) == (3,) and shape(
        distribution.rvs(Rotation.random(1, rng=1), rng=1)
    ) == (1,)
    modes = Rotation.random(500, rng=2)
    drawn = distribution.rvs(modes, rng=3)
    distance = metrics.phi6(drawn, modes)
    assert shape(drawn) == (500,) and np.all((distance > 0.0) & (distance < 5e-5))
    assert np.array_equal(distribution.rvs(modes, rng=6).as_quat(), distribution.rvs(modes, rng=6).as_quat())
    assert not np.array_equal(distribution.rvs(modes).as_quat(), distribution.rvs(modes).as_quat())


def test_batches_of_more_than_one_axis():
    distribution, quaternions = RotationLaplace(1e6), Rotation.random(20, rng=2).as_quat()
    if not hasattr(Rotation, "shape"):  # SciPy before 1.17 has none of them
        with pytest.raises(ValueError, match="update SciPy"):
            distribution.rvs(Rotation.identity(), (2, 3), rng=1)
        return
    grid = Rotation.from_quat(quaternions.reshape(4, 5, 4))
    drawn = distribution.rvs(grid, rng=5)
    assert drawn.shape == (4, 5) and metrics.phi6(drawn, grid).max() < 5e-5
    assert distribution.rvs(Rotation.identity(), (2, 3), rng=1).shape == (2, 3)
    flat = distribution.rvs(Rotation.from_quat(quaternions), rng=5)
    assert np.array_equal(flat.as_quat().reshape(4, 5, 4), drawn.as_quat())


def test_an_older_scipy_is_told_what_needs_a_newer_one(monkeypatch):
    class Older(Rotation):
        @classmethod
        def from_quat(cls, quat):
            if np.ndim(quat) > 2:
                raise ValueError("Expected `quat` to have shape (4,) or (N, 4)")
            return Rotation.from_quat(quat)

    monkeypatch.setattr("scipy.spatial.transform.Rotation", Older)
    with pytest.raises(ValueError, match=r"shape \(2, 3\) needs SciPy 1.17 or newer; this is \d.*Draw 6 of them"):
        rotation_about_uniform_axis(np.zeros((2, 3)), np.random.default_rng(1))
    assert shape(rotation_about_uniform_axis(np.zeros(3), np.random.default_rng(1))) == (3,)


def test_tiny_rotations_keep_their_digits():
    """Around the identity nothing is lost: at κ = 1e150 the angle times κ is still Gamma(3)."""
    distribution = RotationLaplace(1e150)
    angles = metrics.phi6(distribution.rvs(Rotation.identity(), 20_000, rng=7), Rotation.identity())
    assert not ks_refuses(angles * 1e150, stats.gamma(3).cdf)
    assert ks_refuses(angles * 1.1e150, stats.gamma(3).cdf)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: RotationLaplace(-1.0), "'kappa' must be nonnegative and finite; got -1.0"),
        (lambda: RotationBingham(np.inf), "'kappa' must be nonnegative and finite; got inf"),
        (lambda: RotationLaplace([1.0, 2.0]), "'kappa' must be one number"),
        (lambda: RotationLaplace(1.0).rvs([0.0, 0.0, 0.0, 1.0]), "must be a scipy.spatial.transform"),
        (lambda: RotationLaplace(1.0).rvs(Rotation.random(2), size=3), "'size' goes with a single rotation"),
        (lambda: RotationLaplace(1.0).rvs(Rotation.identity(), rng="dice"), "'rng' must be None, an integer"),
        (lambda: metrics.phi6(Rotation.identity(), np.eye(3)), "'second' must be a scipy"),
    ],
)
def test_bad_arguments_are_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()


def test_kolmogorov_smirnov_sees_a_wrong_kernel():
    """One distribution in the place of another of nearly the same mean angle is caught."""
    mean = RotationBingham(16.0).mean_angle()
    kappa = 3.0 / mean
    assert abs(RotationLaplace(kappa).mean_angle() / mean - 1.0) < 0.1
    assert_not_drawn_from(RotationLaplace(kappa).angle_rvs(10_000, rng=8), RotationBingham(16.0))
