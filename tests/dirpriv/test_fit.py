"""Maximum likelihood: no neighbour is more likely, and estimates have their known spread."""

import functools

import numpy as np
import pytest
from scipy import stats
from scipy.spatial.transform import Rotation
from sweeps import swept

from dirpriv import geometry
from dirpriv.distributions import (
    ChordalLaplace,
    FoldedPurkayastha,
    FoldedVonMisesFisher,
    PolarLaplace,
    Purkayastha,
    RotationBingham,
    RotationLaplace,
    RotationUniform,
    Uniform,
    VonMisesFisher,
    WrappedLaplace,
)
from dirpriv.distributions.sampling import directions as drawing
from dirpriv.distributions.shared import fit

Z = 5.0  # standard errors: a correct estimate is farther off with probability 6e-7
MANY = 1000  # draws
SPHERES = [
    VonMisesFisher(2, 2.0),
    VonMisesFisher(3, 0.7),
    VonMisesFisher(50, 60.0),
    Purkayastha(2, 1.5),
    Purkayastha(3, 4.0),
    Purkayastha(20, 30.0),
    WrappedLaplace(1.5),
]
ROTATIONS = [
    RotationLaplace(3.0),
    RotationBingham(6.0),
    ChordalLaplace(4.0),
    FoldedVonMisesFisher(5.0),
    FoldedPurkayastha(5.0),
]


def name(distribution):
    return repr(distribution)


def draws(distribution, count, seed=1):
    rng = np.random.default_rng(seed)
    if isinstance(distribution, (Purkayastha, VonMisesFisher, WrappedLaplace)):
        return distribution.rvs(np.full(distribution.dim, distribution.dim**-0.5), count, rng=rng)
    return distribution.rvs(Rotation.from_rotvec([0.3, -1.0, 2.0]), count, rng=rng)


@functools.cache
def fitted_to_draws(distribution, count):
    x = draws(distribution, count)
    return x, *type(distribution).fit(x)


def with_kappa(distribution, kappa):
    return (
        type(distribution)(distribution.dim, kappa)
        if isinstance(distribution, (Purkayastha, VonMisesFisher))
        else type(distribution)(kappa)
    )


def turned(mode, size, rng):
    if isinstance(mode, Rotation):
        axis = rng.standard_normal(3)
        return Rotation.from_rotvec(size * axis / np.linalg.norm(axis)) * mode
    return drawing.draw_at_angle(mode, size, rng=rng)


@pytest.mark.parametrize("distribution", [*SPHERES, *ROTATIONS], ids=name)
@pytest.mark.parametrize("count", [3, *swept((4,), (300,)), MANY])
def test_no_neighbour_is_more_likely(distribution, count):
    rng = np.random.default_rng(2)
    x, mode, fitted = fitted_to_draws(distribution, count)
    of_each = fitted.logpdf(x, mode)
    best, rounding = of_each.sum(), 4e-13 * np.abs(of_each).sum()
    assert isinstance(fitted, type(distribution)) and isinstance(fitted.kappa, float)
    assert best >= distribution.logpdf(x, mode).sum()
    for size in (1e-6, 1e-3, 0.1, 1.0):
        assert fitted.logpdf(x, turned(mode, size, rng)).sum() <= best + rounding
    for factor in (0.999, 1.001, 0.5, 2.0):
        other = with_kappa(distribution, fitted.kappa * factor).logpdf(x, mode).sum()
        assert other <= best + 1e-9 * abs(best)


@pytest.mark.parametrize("distribution", [*SPHERES, *ROTATIONS], ids=name)
def test_estimates_have_their_spread(distribution):
    """κ̂ is asymptotically normal with variance 1/(N I), I = Var ∂f/∂κ; a wider sample is caught."""
    count, step = MANY, 1e-4 * distribution.kappa
    fitted = fitted_to_draws(distribution, count)[-1]

    def score(theta):
        up, down = (with_kappa(distribution, distribution.kappa + sign * step)._log_kernel(theta) for sign in (1, -1))
        return (up - down) / (2.0 * step)

    mean = distribution.expectation(score)
    error = 1.0 / np.sqrt(count * distribution.expectation(lambda theta: (score(theta) - mean) ** 2))
    bias = (
        0.5 * (getattr(distribution, "dim", 4) - 1) * distribution.kappa / count
    )  # the mode is fitted to the draws, too
    assert abs(fitted.kappa - distribution.kappa) <= Z * error + 2.0 * bias
    # wrong: draws of a distribution that is wider
    wider = with_kappa(
        distribution, distribution.kappa * (1.0 - 12.0 * error / distribution.kappa - 4.0 * bias / distribution.kappa)
    )
    assert abs(type(distribution).fit(draws(wider, count))[1].kappa - distribution.kappa) > Z * error + 2.0 * bias


def test_as_scipy():
    x = draws(VonMisesFisher(3, 5.0), 500)
    mu, kappa = stats.vonmises_fisher.fit(x)
    ours, distribution = VonMisesFisher.fit(x)
    assert np.allclose(ours, mu, atol=1e-12) and np.isclose(distribution.kappa, kappa, rtol=1e-7, atol=0.0)
    angles = stats.vonmises(3.0, loc=1.0).rvs(500, random_state=1)
    kappa, loc, _ = stats.vonmises.fit(angles, fscale=1)
    ours, distribution = VonMisesFisher.fit(geometry.angles_to_vectors(angles))
    assert np.isclose(geometry.vectors_to_angles(ours), loc) and np.isclose(
        distribution.kappa, kappa, rtol=1e-7, atol=0.0
    )


@pytest.mark.parametrize("count", [2, 3, 10, 101])
def test_the_median_on_the_circle_by_brute_force(count):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        angles = rng.uniform(0.0, 2 * np.pi, count) if seed % 2 else rng.normal(6.2, 0.5, count)
        x = geometry.angles_to_vectors(angles)
        mode, _ = Purkayastha.fit(x)
        fine = np.concatenate([angles, np.linspace(0.0, 2 * np.pi, 2000)])
        sums = geometry.circular_distance(fine[:, None], angles).sum(axis=1)
        ours = geometry.circular_distance(geometry.vectors_to_angles(mode), angles).sum()
        assert ours <= sums.min() + 1e-9


@pytest.mark.parametrize(
    "distribution", [VonMisesFisher(3, 6e7), Purkayastha(3, 6e7), VonMisesFisher(2, 6e7)], ids=name
)
def test_concentrated(distribution):
    x = draws(distribution, 2000)
    mode, fitted = type(distribution).fit(x)
    assert abs(fitted.kappa / distribution.kappa - 1.0) < Z * np.sqrt(2.0 / 2000)
    assert geometry.angle_between_vectors(mode, np.full(distribution.dim, distribution.dim**-0.5)) < 10.0 / np.sqrt(
        distribution.kappa
    )
    # the concentration is that of the angles, to the last digits: by small angles on the plane
    theta = geometry.angle_between_vectors(x, mode)
    if isinstance(distribution, Purkayastha):
        assert np.isclose(fitted.kappa, 2.0 / theta.mean(), rtol=1e-6, atol=0.0)
    else:
        assert np.isclose(fitted.kappa, (distribution.dim - 1) / np.mean(theta**2), rtol=1e-6, atol=0.0)


def test_many_dimensions():
    distribution = VonMisesFisher(100_000, 1e6)
    mode, fitted = VonMisesFisher.fit(distribution.rvs(np.eye(1, 100_000)[0], 20, rng=1))
    assert np.isclose(np.linalg.norm(mode), 1.0) and 0.9e6 < fitted.kappa < 1.2e6
    distribution = Purkayastha(2000, 4e3)
    mode, fitted = Purkayastha.fit(distribution.rvs(np.eye(1, 2000)[0], 100, rng=1))
    assert 3.5e3 < fitted.kappa < 4.6e3 and mode[0] > 0.95


def test_no_concentration():
    pair = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]]
    for family in (VonMisesFisher, Purkayastha):
        assert family.fit(pair)[1].kappa == 0.0
    ring = geometry.angles_to_vectors(np.arange(8) * np.pi / 4)
    assert VonMisesFisher.fit(ring)[1].kappa < 1e-10
    x = Uniform(3).rvs([1.0, 0.0, 0.0], 2000, rng=3)
    assert VonMisesFisher.fit(x)[1].kappa < 0.2 and Purkayastha.fit(x)[1].kappa < 0.2


def test_the_mode_is_the_best_of_several_maxima():
    """The mean is at 21 draws, a maximum; each of three groups around it, 100° away, is a better one."""
    groups = np.deg2rad([0.0, 120.0, 240.0])
    low, high = np.cos(np.deg2rad(100.0)), np.sin(np.deg2rad(100.0))
    far = np.stack([high * np.cos(groups), high * np.sin(groups), np.full(3, low)], axis=1)
    x = np.tile([0.0, 0.0, 1.0], (126, 1))
    x[np.arange(105) + np.arange(105) // 61 + 1] = far[np.arange(105) % 3]  # all but 0, 62 and the last 19
    total = x.sum(axis=0)
    assert geometry.angle_between_vectors(total / np.linalg.norm(total), x[0]) < 1e-12
    mode, _ = Purkayastha.fit(x)
    fine = np.concatenate([x, Uniform(3).rvs(x[0], 5000, rng=1)])
    sums = geometry.angle_between_vectors(x, fine[:, None]).sum(axis=1)
    assert sums.argmin() in range(1, 107) and sums[0] > 1.01 * sums.min()
    assert geometry.angle_between_vectors(x, mode).sum() <= sums.min() * (1.0 + 1e-12)


@functools.cache
def wrapped_laplaces(*kappas):
    """The same for all tests: each distribution keeps what it knows of itself."""
    return [WrappedLaplace(kappa) for kappa in np.geomspace(*kappas)]


@pytest.mark.parametrize("before", [0.0, 1.0, 3.0])
def test_angles_wider_than_uniform_have_no_concentration(before):
    """Wherever the search begins: by the likelihood at each of many concentrations, the largest is at 0."""
    angles = np.array([1.5, 2.0, 3.0, 3.1])
    likelihoods = [each.angle_logpdf(angles).sum() for each in wrapped_laplaces(1e-2, 1e3, 200)]
    assert max(likelihoods) < Uniform(2).angle_logpdf(angles).sum()
    assert fit._concentration(WrappedLaplace, angles, before) == 0.0


@pytest.mark.parametrize("seed", [*range(4), *swept((4,), (5,), (6,), (7,))])
def test_wrapped_laplace_by_brute_force(seed):
    """The mode is a draw, as the kernel is convex but for its tip: here each one, with each of many κ."""
    rng = np.random.default_rng(seed)
    count = (5, 40, 150)[seed % 3]
    groups = rng.uniform(0.0, 2 * np.pi, 1 + seed % 4)
    angles = rng.choice(groups, count) + rng.laplace(0.0, rng.choice([0.01, 0.3, 1.0]), count)
    x = geometry.angles_to_vectors(angles)
    mode, fitted = WrappedLaplace.fit(x)
    apart = geometry.circular_distance(angles[:, None], angles)
    grid = wrapped_laplaces(0.02, 2000.0, 400)
    values = [each.angle_logpdf(apart).sum(axis=1).max() for each in grid]
    found = fitted.angle_logpdf(geometry.angle_between_vectors(x, mode)).sum()
    assert (x == mode).all(axis=1).any()
    assert max(values) - 1e-9 <= found <= max(values) + 0.01 * count  # κ of the grid is off by 1.5 %
    best = grid[int(np.argmax(values))].kappa
    assert fitted.kappa == 0.0 or best / 1.03 <= fitted.kappa <= best * 1.03


def test_equal_draws_end_the_search():
    x = geometry.angles_to_vectors(np.repeat([0.0, 0.5, np.pi], [70, 400, 70]))
    mode, distribution = WrappedLaplace.fit(x)
    assert np.array_equal(mode, x[100]) and distribution.kappa > 1.0


def test_how_often_wrapped_laplace_looks_at_its_draws(monkeypatch):
    """20 000 draws in .2 s: the log kernel of each at most 500 times; it was 3 800 times once."""
    looked = []
    kernel = WrappedLaplace._log_kernel

    def counted(distribution, theta):
        looked.append(np.size(theta))
        return kernel(distribution, theta)

    x = draws(WrappedLaplace(1.5), 20_000)
    monkeypatch.setattr(WrappedLaplace, "_log_kernel", counted)
    WrappedLaplace.fit(x)
    assert 20_000 < sum(looked) < 500 * 20_000


def test_the_largest_concentration_that_digits_tell():
    """Of angles so small, the distribution is Laplace's on the line: 1 over their mean."""
    small = 1.504e-15
    mode, distribution = WrappedLaplace.fit([[1.0, 0.0], [1.0, small], [1.0, -small]])
    assert mode.tolist() == [1.0, 0.0] and distribution.kappa == pytest.approx(1.5 / small, rel=1e-6)


@pytest.mark.parametrize("kappa", [1e14, 4e16, 1e22, 1e40])
@pytest.mark.parametrize("dim", [2, 3, 10])
def test_concentrations_beyond_those_of_rounded_unit_vectors(kappa, dim):
    """Rows so near to an axis have all digits: (n - 1)/(2 mean versine), and n - 1 over the mean angle."""
    aside = np.random.default_rng(1).normal(0.0, kappa**-0.5, (2000, dim - 1))
    x = np.hstack([np.ones((2000, 1)), aside])
    mode, distribution = VonMisesFisher.fit(x)
    squares = ((aside - aside.mean(axis=0)) ** 2).sum(axis=1)
    assert distribution.kappa == pytest.approx((dim - 1) / squares.mean(), rel=1e-9)
    if kappa > 1e22:
        return
    mode, distribution = Purkayastha.fit(np.hstack([np.ones((2000, 1)), aside]))
    lengths = np.linalg.norm(aside - mode[1:], axis=1)
    assert distribution.kappa == pytest.approx((dim - 1) / lengths.mean(), rel=1e-9)


def test_a_search_that_ends_at_its_border_says_so():
    """The mean angle is 1e-18, so κ is 1e18: beyond the search for a distribution whose kernel is not κ times one."""
    x = np.tile([1.0, 0.0], (100_000, 1))
    x[-1, 1] = 1e-13
    assert Purkayastha.fit(x)[1].kappa == pytest.approx(1e18, rel=1e-4)
    with pytest.raises(ValueError, match=r"'kappa' of these rows is above 1e\+15, where the search ends"):
        WrappedLaplace.fit(x)


@pytest.mark.parametrize("family", [VonMisesFisher, Purkayastha])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_rows_are_the_same_whatever_the_rounding_of_their_mean(family, dtype):
    for row in ([0.36, 0.48, 0.8], [0.6, 0.8], [1 / 3, 2 / 3, 2 / 3]):
        with pytest.raises(ValueError, match="all rows are the same"):
            family.fit(np.tile(np.array(row, dtype=dtype), (10, 1)))


def test_equal_rotations_are_the_same_whatever_the_sign_of_their_versors():
    versor = Rotation.from_rotvec([0.3, -1.0, 2.0]).as_quat()
    for family in (RotationBingham, RotationLaplace):
        with pytest.raises(ValueError, match="all rows are the same"):
            family.fit(Rotation.from_quat([versor, -versor, versor]))


@pytest.mark.parametrize("count", [2, 100, *swept((10,))])
def test_the_median_of_an_even_number_turns_with_the_data(count):
    """The middle of the two between which the sum is even: the same for turned and for mirrored data.

    One of the two, by rounding, is up to half of the gap away.
    """
    gaps = []
    for seed in range(5):
        rng = np.random.default_rng(seed)
        angles = np.sort(rng.normal(1.0, 0.5, count))

        middle = angles[count // 2 - 1 : count // 2 + 1].mean()

        def median(turn, sign=1.0, angles=angles, middle=middle):
            mode, _ = Purkayastha.fit(geometry.angles_to_vectors(sign * angles + turn))
            return float(geometry.circular_distance(geometry.vectors_to_angles(mode), sign * middle + turn))

        assert max(median(turn, sign) for turn in (0.0, 1.0, 2.0, 4.0) for sign in (1.0, -1.0)) < 1e-12
        gaps.append(angles[count // 2] - middle)
    assert min(gaps) > 1e-5


@pytest.mark.parametrize("kappa", [1e-3, 0.3, 10.0])
def test_the_sum_of_arcs_is_the_least_also_of_wide_draws(kappa):
    """No draw and none of 5000 directions has a smaller one."""
    for dim in (3, 5):
        x = Purkayastha(dim, kappa).rvs(np.eye(dim)[0], 300, rng=dim)
        mode, _ = Purkayastha.fit(x)
        fine = np.concatenate([x, Uniform(dim).rvs(x[0], 5000, rng=1)])
        sums = np.arccos(np.clip(fine @ x.T, -1.0, 1.0)).sum(axis=1)
        assert geometry.angle_between_vectors(x, mode).sum() <= sums.min() * (1.0 + 1e-12)


@pytest.mark.parametrize(("dim", "kappa"), [(3, 1e-3), (3, 1.0), (3, 1e3), (100, 1e-3)])
def test_how_often_purkayastha_looks_at_its_draws(dim, kappa, monkeypatch):
    """Each at most 300 times; where draws are wide it was 20 000 times once."""
    looked = []
    kernel = Purkayastha._log_kernel

    def counted(distribution, theta):
        looked.append(np.size(theta))
        return kernel(distribution, theta)

    x = Purkayastha(dim, kappa).rvs(np.eye(dim)[0], 2000, rng=1)
    monkeypatch.setattr(Purkayastha, "_log_kernel", counted)
    Purkayastha.fit(x)
    assert 2000 < sum(looked) < 300 * 2000


def test_bingham_takes_the_eigenvector(monkeypatch):
    """The likelihood is a square form in the mode: no draw is looked at more than 5 times."""
    looked = []
    kernel = RotationBingham._log_kernel

    def counted(distribution, theta):
        looked.append(np.size(theta))
        return kernel(distribution, theta)

    x = RotationBingham(1e-3).rvs(Rotation.from_rotvec([0.3, -1.0, 2.0]), 2000, rng=1)
    monkeypatch.setattr(RotationBingham, "_log_kernel", counted)
    mode, _ = RotationBingham.fit(x)
    assert sum(looked) < 5 * 2000
    versors = x.as_quat()
    squares = (versors @ mode.as_quat()) ** 2
    assert squares.sum() == pytest.approx(np.linalg.norm(versors, 2) ** 2, rel=1e-13)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: VonMisesFisher.fit([1.0, 0.0]), "two unit vectors or more, one a row"),
        (lambda: VonMisesFisher.fit([[1.0, 0.0]]), "two unit vectors or more"),
        (lambda: VonMisesFisher.fit([[2.0, 0.0], [1.0, 0.0]]), "'x' is no unit vector"),
        (lambda: VonMisesFisher.fit([[1.0, 0.0]] * 3), "all rows are the same"),
        (lambda: Purkayastha.fit([[1.0, 0.0, 0.0]] * 3), "all rows are the same"),
        (lambda: WrappedLaplace.fit(np.eye(3)), "'x' must have 2 columns"),
        (lambda: Uniform.fit(np.eye(3)), "neither mode nor concentration"),
        (lambda: PolarLaplace.fit(np.eye(3)), "infinite at every draw"),
        (lambda: RotationLaplace.fit(Rotation.identity()), "two rotations or more"),
        (lambda: RotationLaplace.fit(np.eye(3)), "'rotations'"),
        (lambda: RotationUniform.fit(Rotation.random(3, rng=1)), "neither mode nor concentration"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_frozen():
    distribution = VonMisesFisher(3, 4.0)
    mu = np.array([0.0, 0.6, 0.8])
    around, scipys = distribution.frozen(mu), stats.vonmises_fisher(mu, 4.0)
    x = around.rvs(10, rng=1)
    assert np.array_equal(x, distribution.rvs(mu, 10, rng=1)) and np.allclose(
        around.pdf(x), scipys.pdf(x), rtol=1e-13, atol=0.0
    )
    assert np.allclose(around.logpdf(x), scipys.logpdf(x)) and type(around.pdf(mu)) is float
    assert np.isclose(around.entropy(), scipys.entropy()) and around.rvs().shape == (3,)
    with pytest.raises(ValueError, match="'mu' must be one unit vector"):
        distribution.frozen(np.eye(3))


@pytest.mark.parametrize(
    "x", [np.ma.array(np.eye(3), mask=np.eye(3) == 0), np.eye(3).astype(str), np.eye(3, dtype=bool), [[1j, 0]] * 2]
)
def test_what_are_no_numbers_is_refused(x):
    with pytest.raises(ValueError, match=r"'x' (has masked values|must hold real numbers)"):
        VonMisesFisher.fit(x)
