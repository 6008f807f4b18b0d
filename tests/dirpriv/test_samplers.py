"""The samplers draw exactly from their distributions. Error rate and sample size: see statistics_of_draws.py."""

import threading
import tracemalloc

import numpy as np
import pytest
from scipy import stats
from statistics_of_draws import (
    ALPHA,
    DRAWS,
    assert_drawn_from,
    assert_not_drawn_from,
    assert_same_as_with_all_draws,
    ks_p_value,
    ks_refuses,
)
from sweeps import swept

from dirpriv import geometry
from dirpriv.distributions import (
    Cap,
    Cardioid,
    Purkayastha,
    Staircase,
    Trapezoid,
    Uniform,
    VectorLaplace,
    VonMisesFisher,
    WrappedLaplace,
)
from dirpriv.distributions.sampling import directions as drawing
from dirpriv.mechanisms import Mechanism, PurkayasthaMechanism
from study.simulation.seeding import generator

KAPPAS = (0.0, 1e-6, 1e-3, 0.2, 0.3, 0.6, 1.0, 3.0, 10.0, 1e3, 1e6, 6e7)
CIRCLE = [
    Uniform(2),
    *[distribution(2, kappa) for distribution in (Purkayastha, VonMisesFisher) for kappa in KAPPAS],
    *[WrappedLaplace(kappa) for kappa in KAPPAS],
]
SPHERES = [
    Uniform(3),
    Uniform(50),
    *[
        distribution(dim, kappa)
        for distribution in (Purkayastha, VonMisesFisher)
        for dim in (3, 4, 5, 7, 50, 100_000)
        for kappa in (0.0, 0.7, 30.0, 6e7)
    ],
    Purkayastha(1002, 1000.0 / np.tan(0.99)),  # the widest mode that is drawn by gamma proposals
]


@pytest.mark.parametrize("seed, distribution", list(enumerate(CIRCLE)), ids=lambda value: repr(value))
def test_angles_on_the_circle(seed, distribution):
    assert_drawn_from(distribution.angle_rvs(DRAWS, rng=seed), distribution)


@pytest.mark.parametrize("seed, distribution", list(enumerate(SPHERES, 1000)), ids=lambda value: repr(value))
def test_angles_on_spheres(seed, distribution):
    assert_drawn_from(distribution.angle_rvs(20_000, rng=seed), distribution)


def test_few_dimensions_at_the_largest_concentration_of_wood():
    """There rejection changes the distribution most. The wrong variant takes all proposals."""
    distribution, beta = VonMisesFisher(4, 0.999), np.random.default_rng(5).beta(1.5, 1.5, DRAWS)
    assert_drawn_from(distribution.angle_rvs(DRAWS, rng=5), distribution)
    b = 3.0 / (2.0 * distribution.kappa + np.hypot(2.0 * distribution.kappa, 3.0))
    assert_not_drawn_from(np.arccos(1.0 - 2.0 * b * beta / (1.0 - (1.0 - b) * beta)), distribution)


@pytest.mark.parametrize(
    "distribution",
    [
        Uniform(3),
        WrappedLaplace(3.0),
        *(Purkayastha(2, 3.0), VonMisesFisher(5, 3.0)),
        *swept((VonMisesFisher(2, 3.0),), (Purkayastha(5, 3.0),)),
    ],
    ids=repr,
)
def test_few_draws_tell_what_all_of_them_would(distribution):
    """One cell of each sampler has its CDF evaluated at every draw; the cheapest CDF at more of them."""
    count = DRAWS if isinstance(distribution, Purkayastha) and distribution.dim == 2 else 10_000
    assert_same_as_with_all_draws(distribution.angle_rvs(count, rng=24), distribution)


def test_p_values_are_uniform():
    """Over all cells at once a small common flaw would show; error rate ALPHA, for exact p-values."""
    p_values = [
        ks_p_value(distribution.angle_rvs(5_000, rng=seed), distribution)
        for seed, distribution in enumerate(CIRCLE + SPHERES, 2000)
    ]
    assert not ks_refuses(p_values, stats.uniform.cdf)


@pytest.mark.parametrize("kappa", [1.0, 6e7, *swept((10.0,), (1e3,))])
def test_wrong_concentration_is_caught(kappa):
    for distribution in (Purkayastha, VonMisesFisher):
        assert_not_drawn_from(distribution(2, 1.05 * kappa).angle_rvs(DRAWS, rng=3), distribution(2, kappa))
    assert_not_drawn_from(WrappedLaplace(1.05 * kappa).angle_rvs(DRAWS, rng=3), WrappedLaplace(kappa))


def test_other_wrong_samplers_are_caught():
    rng = np.random.default_rng(4)
    # exponential clipped at π instead of taken modulo π
    assert_not_drawn_from(np.minimum(rng.standard_exponential(DRAWS), np.pi), Purkayastha(2, 1.0))
    # wrapped Laplace in the place of Purkayastha, and the other way round
    assert_not_drawn_from(WrappedLaplace(0.5).angle_rvs(DRAWS, rng=rng), Purkayastha(2, 0.5))
    assert_not_drawn_from(Purkayastha(2, 0.5).angle_rvs(DRAWS, rng=rng), WrappedLaplace(0.5))
    # one power of sin θ missing
    assert_not_drawn_from(Purkayastha(3, 2.0).angle_rvs(20_000, rng=rng), Purkayastha(4, 2.0))
    assert_not_drawn_from(VonMisesFisher(9, 2.0).angle_rvs(20_000, rng=rng), VonMisesFisher(10, 2.0))


@pytest.mark.parametrize(
    "distribution", [Purkayastha(2, 2.0), VonMisesFisher(2, 2.0), WrappedLaplace(2.0), Purkayastha(3, 2.0)], ids=repr
)
def test_vectors_have_the_angle_and_go_both_ways(distribution):
    mu = np.array([0.8, 0.6] if distribution.dim == 2 else [0.48, 0.6, -0.64])
    x = distribution.rvs(mu, DRAWS, rng=5)
    assert np.abs(np.linalg.norm(x, axis=1) - 1.0).max() <= 1e-15
    assert_drawn_from(geometry.angle_between_vectors(x, mu), distribution)
    across = np.array([-0.6, 0.8] if distribution.dim == 2 else [0.0, -0.64, -0.6])
    left = int(np.sum(x @ across > 0))
    p = stats.binomtest(left, DRAWS).pvalue
    assert p > ALPHA, f"directions lean to one side (p = {p:.1e}, error rate {ALPHA})"
    assert stats.binomtest(int(DRAWS * 0.51), DRAWS).pvalue < ALPHA  # a lean of 1 % is caught


AROUND = np.array([0.0, 1e-9, 3.0, np.nextafter(2.0 * np.pi, 0.0), -2.0 * np.pi, 4.0 * np.pi])


@pytest.mark.parametrize(
    "distribution",
    [
        *(Uniform(2), Cap(2, 1.0, 1.0), Staircase(2, 1.0, 1.0, 0.3), Trapezoid(2, 1.0, 2.0, 0.5)),
        *(family(2, kappa) for family in (Purkayastha, VonMisesFisher, Cardioid) for kappa in (1e-9, 1.0, 1e9)),
        *(WrappedLaplace(kappa) for kappa in (1e-9, 1.0, 1e9)),
    ],
    ids=repr,
)
def test_noisy_angles_have_the_angle_and_go_both_ways(distribution):
    """Chi-square of 20 cells of equal probability, around both ends of the turn too, at the level ALPHA.

    Noise of one side alone, or of one side with 55 %, is caught with a probability of more than 1 - ALPHA.
    """
    true = np.resize(AROUND, DRAWS)
    noisy = Mechanism.from_distribution(distribution).randomise_angles(true, rng=np.random.default_rng(14))
    assert noisy.min() >= 0.0 and noisy.max() < 2.0 * np.pi
    moved = np.remainder(noisy - true + np.pi, 2.0 * np.pi) - np.pi
    tenths = distribution.angle_ppf(np.arange(10) / 10)

    def p_value(moved):
        return stats.chisquare(np.bincount(np.searchsorted([*-tenths[:0:-1], *tenths], moved), minlength=20)).pvalue

    assert p_value(moved) > ALPHA
    leaning = np.where(np.arange(DRAWS) % 10, moved, np.abs(moved))
    for wrong, share in ((np.abs(moved), 1.0), (leaning, 0.55)):
        assert stats.ncx2.cdf(stats.chi2.isf(ALPHA, 19), 19, DRAWS * (2.0 * share - 1.0) ** 2) < ALPHA
        assert p_value(wrong) < ALPHA


def test_an_angle_just_below_the_turn_is_its_beginning():
    """Noise so small that a turn less it is the turn: radians from 0 on and below 2π, and hours below 24."""
    mechanism = PurkayasthaMechanism(1e40)
    assert mechanism.randomise_angles(np.zeros(1000)).max() < 1e-30
    assert mechanism.randomise_times(np.zeros(1000)).max() < 1e-30


def test_directions_are_uniform_around_the_mode():
    mu = np.array([0.0, -0.6, 0.8])
    x = Purkayastha(3, 5.0).rvs(mu, DRAWS, rng=6)
    first = np.array([1.0, 0.0, 0.0])
    azimuth = np.arctan2(x @ np.cross(mu, first), x @ first)
    assert not ks_refuses(azimuth, stats.uniform(-np.pi, 2 * np.pi).cdf)
    lean = azimuth + 0.05 * np.sin(azimuth)
    assert ks_refuses(lean, stats.uniform(-np.pi, 2 * np.pi).cdf)


def test_one_draw_around_each_row():
    mu = geometry.angles_to_vectors(np.linspace(0.0, 6.0, DRAWS))
    x = Purkayastha(2, 4.0).rvs(mu, rng=7)
    assert_drawn_from(geometry.angle_between_vectors(x, mu), Purkayastha(2, 4.0))


def test_tiny_angles_keep_their_digits():
    distribution = Purkayastha(2, 6e7)
    angles = distribution.angle_rvs(1000, rng=8)
    x = drawing.draw_at_angle(np.array([1.0, 0.0]), angles, rng=9)
    assert np.abs(geometry.angle_between_vectors(x, [1.0, 0.0]) - angles).max() < 1e-15


def test_same_seed_same_draws_and_no_seed_other_draws():
    distribution = VonMisesFisher(2, 1.0)
    assert np.array_equal(distribution.angle_rvs(9, rng=1), distribution.angle_rvs(9, rng=1))
    assert not np.array_equal(distribution.angle_rvs(9), distribution.angle_rvs(9))


@pytest.mark.parametrize("kappa", [1e12, 1e17, 1e150])
def test_extreme_concentrations_do_not_hang(kappa):
    for distribution in (
        Purkayastha(2, kappa),
        VonMisesFisher(2, kappa),
        WrappedLaplace(kappa),
        VonMisesFisher(10, kappa),
    ):
        angles = distribution.angle_rvs(1000, rng=10)
        assert np.all((angles >= 0) & (angles < 100 * distribution.mean_angle() + 1e-290))


# ---------------------------------------------------------------- one concentration per row

ROW_KAPPAS = np.array([0.0, 1e-3, 0.2, 0.7, 3.0, 40.0, 1e4, 6e7])


@pytest.mark.parametrize("dim", [2, 3, 60, *swept((4,), (7,))])
@pytest.mark.parametrize("distribution", [Purkayastha, VonMisesFisher])
def test_one_concentration_per_row(distribution, dim):
    """Rows of eight concentrations, mixed: each has its own distribution (Kolmogorov-Smirnov, rate ALPHA each)."""
    rows = np.tile(ROW_KAPPAS, 20_000)
    angles = distribution(dim, rows).angle_rvs(rng=11)
    for column, kappa in enumerate(ROW_KAPPAS):
        assert_drawn_from(angles[column :: len(ROW_KAPPAS)], distribution(dim, kappa))
    assert_not_drawn_from(angles[5 :: len(ROW_KAPPAS)], distribution(dim, 46.0))
    mu = np.eye(dim)[0]
    x = distribution(dim, rows).rvs(mu, rng=12)
    assert x.shape == (rows.size, dim)
    assert_drawn_from(geometry.angle_between_vectors(x[4 :: len(ROW_KAPPAS)], mu), distribution(dim, 3.0))


def test_one_concentration_per_row_of_wrapped_laplace():
    angles = WrappedLaplace(np.tile(ROW_KAPPAS, 20_000)).angle_rvs(rng=13)
    for column, kappa in enumerate(ROW_KAPPAS):
        assert_drawn_from(angles[column :: len(ROW_KAPPAS)], WrappedLaplace(kappa))


def test_a_distribution_of_many_concentrations_can_only_be_drawn_from():
    distribution = Purkayastha(3, ROW_KAPPAS)
    with pytest.raises(ValueError, match="only draws can be made with one"):
        distribution.mean_angle()
    with pytest.raises(ValueError, match="only draws can be made"):
        distribution.angle_cdf(0.5)
    assert distribution.rvs([0.0, 0.0, 1.0], rng=1).shape == (8, 3)
    assert distribution.rvs([0.0, 0.0, 1.0], size=(5, 8), rng=1).shape == (5, 8, 3)
    table = Purkayastha(3, ROW_KAPPAS.reshape(2, 4)).rvs([0.0, 0.0, 1.0], rng=1)
    assert np.array_equal(table.reshape(8, 3), distribution.rvs([0.0, 0.0, 1.0], rng=1))
    with pytest.raises(ValueError, match="'kappa' must be nonnegative and finite; got -1"):
        Purkayastha(3, [1.0, -1.0])


# ---------------------------------------------------------------- where the draws go


@pytest.mark.parametrize("dim", [2, 3, 5, 12, 3000])
@pytest.mark.parametrize("per_row", [False, True])
def test_compiled_and_plain_paths_draw_the_same(dim, per_row, monkeypatch):
    pytest.importorskip("numba", reason="numba is optional and not installed here: pip install dirpriv[fast]")
    rows = max(20, 100_000 // dim)
    mu = np.random.default_rng(14).standard_normal((rows, dim))
    mu /= np.linalg.norm(mu, axis=1, keepdims=True)
    arguments = (mu, None) if per_row else (mu[0], rows)
    distribution = VonMisesFisher(dim, 7.0)
    rng = np.random.default_rng(15)
    monkeypatch.setattr(drawing, "COMPILED_SIZE", 0)
    compiled = distribution.rvs(*arguments, rng=rng)
    after = rng.random()
    monkeypatch.setattr(drawing, "COMPILED_SIZE", np.inf)
    rng = np.random.default_rng(15)
    assert np.abs(distribution.rvs(*arguments, rng=rng) - compiled).max() < 2e-15
    assert rng.random() == after  # both took the same numbers


@pytest.mark.parametrize("dim", [2, 3, 4, 9, 10, 300, 100_000])
@pytest.mark.parametrize("size", [0, np.inf])
def test_norms_and_angles_are_exact(dim, size, monkeypatch):
    """Norms to 1e-15, and angles as drawn: both hold for plain and compiled code."""
    monkeypatch.setattr(drawing, "COMPILED_SIZE", size)
    rng = np.random.default_rng(16)
    mu = rng.standard_normal(dim)
    mu /= np.linalg.norm(mu)
    rows = max(10, 300_000 // dim)
    x = Purkayastha(dim, 6e7).rvs(mu, rows, rng=17)
    assert np.abs(np.sqrt(np.square(x).sum(axis=1)) - 1.0).max() <= 1e-15
    theta = rng.random(rows) * np.pi
    theta[:2] = 1e-8, np.pi
    placed = drawing.draw_at_angle(mu, theta, rng=18)
    assert np.abs(geometry.angle_between_vectors(placed, mu) - theta).max() <= (1e-15 if dim <= 10 else 3e-15) + 1e-15


@pytest.mark.parametrize("dim", [2, 3, 8, 50])
def test_out_is_written_and_checked(dim):
    distribution, mu = Purkayastha(dim, 3.0), np.eye(dim)[1]
    out = np.empty((20_000, dim))
    assert distribution.rvs(mu, 20_000, rng=19, out=out) is out
    assert np.array_equal(out, distribution.rvs(mu, 20_000, rng=19))
    for wrong, words in (
        (np.empty((3, dim)), "of shape"),
        (np.empty((20_000, dim), dtype=np.float32), "must be an array of float64"),
        (np.empty((dim, 20_000)).T, "C-contiguous"),
        ([1.0], "got list"),
    ):
        with pytest.raises(ValueError, match=words):
            distribution.rvs(mu, 20_000, rng=19, out=wrong)


def test_scratch_memory_is_bounded():
    """A call that fills 160 MB takes no more than 16 MB beside it (10 000 x 10 000: `make test-all`)."""
    out = np.empty((2_000, 10_000))
    assert peak_beside(out) < 16e6


@pytest.mark.sweep
def test_scratch_memory_of_a_large_call():
    out = np.empty((10_000, 10_000))
    assert peak_beside(out) < 64e6


def peak_beside(out):
    distribution, mu = Purkayastha(out.shape[1], 10.0), np.eye(1, out.shape[1])[0]
    distribution.rvs(mu, 10, rng=20)  # loads the compiled code, where there is any
    tracemalloc.start()
    try:
        distribution.rvs(mu, len(out), rng=20, out=out)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("dim", [2, 3, 40])
def test_tangent_form_resolves_what_a_vector_cannot(dim):
    distribution, mu = Purkayastha(dim, 1e20), np.eye(dim)[0]
    theta, xi = distribution.rvs_tangent(mu, 50_000, rng=21)
    assert np.abs(xi @ mu).max() < 1e-15 and np.abs(np.linalg.norm(xi, axis=1) - 1.0).max() <= 1e-15
    assert theta.max() < 1e-16 and len(np.unique(theta)) > 49_000
    assert not ks_refuses(theta * 1e20, stats.gamma(dim - 1).cdf)
    assert ks_refuses(theta * 1.05e20, stats.gamma(dim - 1).cdf)
    assert distribution.rvs_tangent(mu, rng=1)[0].shape == () and distribution.rvs_tangent(np.eye(dim), rng=1)[
        1
    ].shape == (dim, dim)


# ---------------------------------------------------------------- streams of rows, on several cores

DISTRIBUTIONS = [Purkayastha(2, 3.0), VonMisesFisher(3, 3.0), Purkayastha(20, 3.0), VectorLaplace(3, 3.0)]


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
def test_any_number_of_workers_draws_the_same(distribution, monkeypatch):
    monkeypatch.setattr(drawing, "_FEW_NUMBERS", 1)
    monkeypatch.setattr(drawing, "_STREAM_ROWS", 3000)
    mu = np.eye(distribution.dim)[0]
    rows = 3000 * 7 + 1
    threads = set()
    draw_rows = type(distribution)._draw_rows

    def watched(*arguments):
        threads.add(threading.get_ident())
        return draw_rows(*arguments)

    monkeypatch.setattr(type(distribution), "_draw_rows", watched)
    x = distribution.rvs(mu, rows, rng=1)
    assert threads == {threading.get_ident()}
    for workers in (2, 3, 100):
        threads.clear()
        assert np.array_equal(distribution.rvs(mu, rows, rng=1, workers=workers), x)
        assert threading.get_ident() not in threads
    around = distribution.rvs(np.tile(mu, (rows, 1)), rng=1, workers=2)
    assert np.abs(around - x).max() <= 2e-15 * np.abs(x).max()
    if hasattr(distribution, "frozen"):
        assert np.array_equal(distribution.frozen(mu).rvs(rows, rng=1, workers=2), x)
    assert not np.array_equal(distribution.rvs(mu, rows, rng=2, workers=2), x)
    assert not np.array_equal(distribution.rvs(mu, rows, workers=2), distribution.rvs(mu, rows, workers=2))
    rng = np.random.default_rng(1)
    assert np.array_equal(distribution.rvs(mu, rows, rng=rng), x)
    assert not np.array_equal(distribution.rvs(mu, rows, rng=rng, workers=2), x)  # the generator has moved on


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
def test_streams_share_no_draws(distribution, monkeypatch):
    monkeypatch.setattr(drawing, "_FEW_NUMBERS", 1)
    monkeypatch.setattr(drawing, "_STREAM_ROWS", 2000)
    mu = np.eye(distribution.dim)[0]

    def repeated():
        return 10_000 - len(np.unique(distribution.rvs(mu, 10_000, rng=3), axis=0))

    assert repeated() == 0
    bits = np.random.SFC64
    monkeypatch.setattr(np.random, "SFC64", lambda seeds: bits(seeds.entropy))
    assert repeated() == 8000  # streams whose seeds lack the number would be all the same


def test_draws_of_streams_are_of_the_distribution(monkeypatch):
    monkeypatch.setattr(drawing, "_FEW_NUMBERS", 1)
    monkeypatch.setattr(drawing, "_STREAM_ROWS", 100)
    for distribution in (Purkayastha(2, 2.0), VonMisesFisher(2, 2.0), VonMisesFisher(5, 2.0)):
        mu = np.eye(distribution.dim)[0]
        angles = geometry.angle_between_vectors(distribution.rvs(mu, 40_000, rng=4, workers=2), mu)
        assert_drawn_from(angles, distribution)
        assert_not_drawn_from(np.repeat(angles[:400], 100), distribution)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=repr)
def test_a_few_rows_and_those_of_another_bit_generator_come_from_it(distribution, monkeypatch):
    class Bits(np.random.PCG64):
        """A bit generator that NumPy does not know, such as one of a cryptographic source."""

    mu = np.eye(distribution.dim)[0]
    assert not np.array_equal(distribution.rvs(mu, 40_000, rng=Bits(5)), distribution.rvs(mu, 40_000, rng=5))
    few, many = distribution.rvs(mu, 100, rng=5), distribution.rvs(mu, 40_000, rng=Bits(5), workers=2)
    monkeypatch.setattr(drawing.np.random, "SFC64", None)  # which no draw may need
    assert np.array_equal(distribution.rvs(mu, 100, rng=5, workers=2), few)
    assert np.array_equal(distribution.rvs(mu, 40_000, rng=Bits(5)), many)


@pytest.mark.parametrize("workers", [0, -1, 2.0, True, None, "2"])
def test_workers_are_checked(workers):
    for distribution in DISTRIBUTIONS:
        before = out = np.zeros((5, distribution.dim))
        with pytest.raises(ValueError, match="'workers' must be an integer of at least 1; got"):
            distribution.rvs(np.eye(distribution.dim)[0], 5, rng=1, out=out, workers=workers)
        assert np.array_equal(out, before)


def test_an_error_in_a_thread_is_raised(monkeypatch):
    def fails(*arguments):
        raise MemoryError("no room")

    monkeypatch.setattr(Purkayastha, "_draw_rows", fails)
    with pytest.raises(MemoryError, match="no room"):
        Purkayastha(2, 1.0).rvs([1.0, 0.0], 200_000, rng=1, workers=2)


def test_bad_sizes_and_inputs():
    distribution = VonMisesFisher(3, 1.0)
    mu = np.array([0.0, 0.0, 1.0])
    for size in (-1, 2.5, (3, -1), True):
        with pytest.raises((ValueError, TypeError)):
            distribution.rvs(mu, size=size)
    assert distribution.rvs(mu.astype(np.float32), 3, rng=1).dtype == np.float64
    assert distribution.rvs(mu, 0, rng=1).shape == (0, 3) and distribution.rvs(np.empty((0, 3)), rng=1).shape == (0, 3)


@pytest.mark.sweep
@pytest.mark.parametrize("distribution", [Purkayastha, VonMisesFisher])
@pytest.mark.parametrize("dim", [2, 3, 4, 5, 10, 50, 150, 1000, 10_000, 100_000])
def test_sweep_of_dimensions_and_concentrations(distribution, dim):
    """1 M draws a cell. 2 % of concentration too much are caught wherever they move the angle by more than
    a hundredth of its spread, that is where κ is above √n or so."""
    for kappa in (0.0, 1e-3, 0.3, 1.0, 10.0, 1e3, 1e6, 6e7):
        exact = distribution(dim, kappa)
        assert_drawn_from(exact.angle_rvs(1_000_000, rng=generator(22, distribution.__name__, dim, kappa)), exact)
        if kappa > 1.0 and kappa > np.sqrt(dim):
            wrong = distribution(dim, 1.02 * kappa).angle_rvs(
                1_000_000, rng=generator(23, distribution.__name__, dim, kappa)
            )
            # a grid of 1000 quantiles is enough to show it, and a hundred times cheaper
            grid = exact.angle_ppf(np.linspace(0.0005, 0.9995, 1000))
            share = np.searchsorted(np.sort(wrong), grid, side="right") / wrong.size
            distance = np.abs(share - np.linspace(0.0005, 0.9995, 1000)).max()
            assert stats.kstwo.sf(distance, wrong.size) < ALPHA
