"""The compiled loops: their series are exact, their normals normal, and they draw what NumPy draws.

Error rate of the statistical tests: see statistics_of_draws.py.
"""

from importlib.util import find_spec

import mpmath
import numpy as np
import pytest
from scipy import stats
from statistics_of_draws import ALPHA, DRAWS, ks_refuses

from dirpriv import distributions, geometry
from dirpriv.distributions import purkayastha, von_mises_fisher
from dirpriv.distributions.sampling import box_muller as _normals
from dirpriv.distributions.sampling import directions as drawing

needs_numba = pytest.mark.skipif(
    find_spec("numba") is None, reason="numba is optional and not installed here: pip install dirpriv[fast]"
)
EPS = np.finfo(float).eps
ENDS = [0.0, 2.0**-53, 0.125, 0.25, 0.5, 0.625, 0.75, 0.875, 1.0 - 2.0**-53]  # quarters and eighths of a turn


def both_paths():
    paths = [pytest.param(_normals.to_normals, id="NumPy")]
    if drawing._compiled():
        paths.append(pytest.param(drawing._compiled().to_normals, id="compiled"))
    return paths


def exact_normals(u, v):
    """Box and Muller's pair in fifty digits; the angle starts at minus half a turn."""
    with mpmath.workdps(50):
        radius = mpmath.sqrt(-2 * mpmath.log(1 - mpmath.mpf(u)))
        turns = 2 * mpmath.mpf(v) - 1
        return float(radius * mpmath.cospi(turns)), float(radius * mpmath.sinpi(turns))


@pytest.mark.parametrize("to_normals", both_paths())
def test_the_transform_has_all_digits(to_normals):
    """Each pair to 1.4e-15 of its length."""
    rng = np.random.default_rng(1)
    tiny = 2.0**-53 * rng.integers(1, 2**13, size=5)
    u, v = np.meshgrid([*ENDS, *rng.random(20), *tiny], [*ENDS, *rng.random(20)])
    u, v = u.ravel(), v.ravel()
    z = np.concatenate([u, v])
    to_normals(z)
    exact = np.array([exact_normals(*pair) for pair in zip(u.tolist(), v.tolist(), strict=True)]).T
    length = np.hypot(*exact)
    assert np.all(np.abs(z.reshape(2, -1) - exact) <= 6.0 * EPS * length)
    assert np.isclose(length.max(), np.sqrt(2 * 53 * np.log(2)), rtol=1e-15, atol=0.0)  # and no number is infinite


@pytest.mark.parametrize("to_normals", both_paths())
def test_normals_are_normal_and_independent(to_normals):
    def normals(seed):
        z = np.random.default_rng(seed).random(DRAWS)
        to_normals(z)
        return z

    z = normals(2)
    first, second = z.reshape(2, -1)
    assert not ks_refuses(z, stats.norm.cdf)
    assert ks_refuses(1.02 * z, stats.norm.cdf)
    sums = {"sum": (first + second) / np.sqrt(2.0), "difference": (first - second) / np.sqrt(2.0)}
    for name, combined in sums.items():  # of independent normals, and of no others
        assert not ks_refuses(combined, stats.norm.cdf), name
    assert ks_refuses((first + np.abs(second)) / np.sqrt(2.0), stats.norm.cdf)
    beyond = int(np.sum(np.abs(z) > 3.0))  # where a flaw of the tails shows
    assert stats.binomtest(beyond, z.size, 2.0 * stats.norm.sf(3.0)).pvalue > ALPHA
    assert stats.binomtest(beyond, z.size, 2.0 * stats.norm.sf(3.1)).pvalue < ALPHA


def normals_of(rng, count, compiled=None):
    """What a source of so many normals gives for an array and then for a short one."""
    draw = _normals.source(rng, _normals.lane_seeds(rng, count), compiled)
    parts = np.empty(count), np.empty(16)
    for part in parts:
        draw(part)
    return np.concatenate(parts)


def transformed(uniforms, count):
    for part in (uniforms[:count], uniforms[count:]):
        _normals.to_normals(part)
    return uniforms


def test_a_few_normals_and_those_of_another_bit_generator_come_from_it():
    class Bits(np.random.PCG64):
        """A bit generator that NumPy does not know."""

    class Numbers(np.random.Generator):
        """A generator that NumPy does not know."""

    few = normals_of(np.random.default_rng(7), 4096)
    assert np.array_equal(few, transformed(np.random.default_rng(7).random(4096 + 16), 4096))
    many = normals_of(np.random.Generator(Bits(7)), 40_000)
    assert np.array_equal(many, transformed(np.random.default_rng(7).random(40_000 + 16), 40_000))
    assert np.array_equal(many, normals_of(Numbers(np.random.PCG64(7)), 40_000))
    assert not np.array_equal(many, normals_of(np.random.default_rng(7), 40_000))


def test_many_normals_are_those_of_sixteen_generators_in_turn():
    """Of NumPy's SFC64, whose state after 12 draws from three words and a counter at 1 NumPy starts with."""
    seeds = np.random.default_rng(7).integers(2**64, size=(16, 3), dtype=np.uint64)
    uniforms = np.empty((2501, 16))
    for lane, words in enumerate(seeds):
        bits = np.random.SFC64()
        bits.state = bits.state | {"state": {"state": np.array([*words, 1], dtype=np.uint64)}}
        bits.random_raw(12)
        uniforms[:, lane] = np.random.Generator(bits).random(2501)
    expected = transformed(uniforms.ravel(), 40_000)
    assert np.array_equal(normals_of(np.random.default_rng(7), 40_000), expected)
    assert len(np.unique(expected)) == expected.size  # no lane repeats another one
    if drawing._compiled():
        compiled = normals_of(np.random.default_rng(7), 40_000, drawing._compiled())
        assert np.abs(compiled - expected).max() < 1e-14


@needs_numba
def test_the_series_hold_on_their_whole_range():
    """Cosine, sine and logarithm through what uses them: proposals of von Mises on the circle."""
    from dirpriv.distributions.sampling import compiled as _compiled

    rng = np.random.default_rng(3)
    uniforms = rng.random((2, 50_000))
    uniforms[0, : len(ENDS)] = uniforms[1, : len(ENDS)] = ENDS
    uniforms[0, len(ENDS) : 1000] *= 2.0**-30
    for kappa in (0.0, 1e-3, 1.0, 40.0, 1e6, 1e100):
        z = 1.0 / (2.0 * kappa + np.hypot(1.0, 2.0 * kappa))
        plain, accepted = von_mises_fisher._propose_half_tangents(uniforms, kappa, z)
        compiled = _compiled.half_tangents(uniforms, kappa, z)
        kept = plain[accepted]
        assert compiled.shape == kept.shape  # one proposal judged otherwise would shift all that follow
        assert np.all(np.abs(compiled - kept) <= 1e-15 * np.maximum(kept, kept * kept / np.sqrt(z)))
        assert kappa == 0.0 or 0.6 < accepted.mean() < 1.0


@needs_numba
@pytest.mark.parametrize("m", [1, 8, 99_998])
def test_angles_near_the_mode_are_judged_as_numpy_judges_them(m):
    from dirpriv.distributions.sampling import compiled as _compiled

    rng = np.random.default_rng(3)
    least = m / np.tan(1.0)
    for kappa in (least, 3.0 * least, 1e6 * m, 1e100):
        mode = np.arctan2(m, kappa)
        slope = 1.0 / mode - 1.0 / np.tan(mode) if mode > 0.01 else mode / 3.0
        of_distribution = m, mode, slope, np.log(np.sin(mode) / mode)
        gamma, energy = rng.standard_gamma(m + 1.0, 50_000), rng.standard_exponential(50_000)
        gamma[:3], energy[:10] = (0.0, 1e-300, 1e100), 0.0
        plain, accepted = purkayastha._propose_near_mode(gamma.copy(), energy, *of_distribution)
        compiled = _compiled.near_mode(gamma, energy, *of_distribution)
        kept = plain[accepted]
        assert compiled.shape == kept.shape  # one proposal judged otherwise would shift all that follow
        assert np.array_equal(compiled, kept)
        assert 0.5 < accepted.mean() < 1.0
        judged = (0.2974 * m * (plain - mode) ** 2 >= energy) & accepted
        assert judged.any() == (kappa < 1e6 * m)  # by the sine itself


@needs_numba
@pytest.mark.parametrize("per_row", [False, True])
@pytest.mark.parametrize("dim", [2, 3, 4, 5, 15, 16, 17, 33])
@pytest.mark.parametrize("rows", [1, 2, 127, 300, 12_001])
def test_blocks_of_all_sizes_are_placed_as_numpy_places_them(rows, dim, per_row, monkeypatch):
    rng = np.random.default_rng(4)
    mu = rng.standard_normal((rows, dim))
    mu[0] = -np.eye(dim)[0]  # where a reflection that does not choose its side has no digits
    mu /= np.linalg.norm(mu, axis=1, keepdims=True)
    theta = rng.random(rows) * np.pi
    placed = []
    for size in (0, np.inf):
        monkeypatch.setattr(drawing, "COMPILED_SIZE", size)
        placed.append(drawing.draw_at_angle(mu if per_row else mu[0], theta, rng=5))
    assert np.abs(placed[0] - placed[1]).max() < 5e-15  # most below 1e-15; where all normals are small, more
    assert np.abs(geometry.angle_between_vectors(placed[0], mu if per_row else mu[0]) - theta).max() < 3e-15


@needs_numba
@pytest.mark.parametrize("per_row", [False, True])
def test_on_the_circle_no_bit_differs(per_row, monkeypatch):
    """The study of floating point looks for inputs that cannot give a double: it must not depend on numba."""
    mu = geometry.angles_to_vectors(np.random.default_rng(9).random(5000) * 6.0)
    drawn = []
    for size in (0, np.inf):
        monkeypatch.setattr(drawing, "COMPILED_SIZE", size)
        drawn.append(distributions.Purkayastha(2, 3.0).rvs(mu if per_row else mu[0], None if per_row else 5000, rng=1))
    assert np.array_equal(*drawn)


@needs_numba
@pytest.mark.parametrize(
    ("distribution", "expected"),
    [
        (distributions.VonMisesFisher(2, 3.0), "half_tangents turn"),
        (distributions.Purkayastha(2, 3.0), "turn"),
        (distributions.Purkayastha(3, 3.0), "near_mode reflect_circle"),
        (distributions.Uniform(3), "reflect_circle"),
        (distributions.Uniform(4), "seeded place_normals"),
    ],
    ids=repr,
)
def test_whole_blocks_are_drawn_by_compiled_code(distribution, expected, monkeypatch):
    """Also those of the circle, which have the fewest numbers."""
    used = set()

    class Watched:
        def __getattr__(self, name):
            used.add(name)
            return getattr(drawing._compiled(), name)

    watched = Watched()
    monkeypatch.setattr(drawing, "compiled", lambda size: watched if size >= drawing.COMPILED_SIZE else None)
    distribution.rvs(np.eye(distribution.dim)[0], 8192, rng=1)
    assert used == set(expected.split())


@pytest.mark.parametrize("dim", [4, 15, 16, 40])
def test_directions_are_uniform(dim):
    """A coordinate across the mode, and a mix of two, have the beta distribution of a uniform direction."""
    modes = np.tile(np.eye(dim)[1], (50_000, 1))
    xi = np.delete(drawing.draw_at_angle(modes, np.full(len(modes), np.pi / 2.0), rng=6), 1, axis=1)
    half = (dim - 2) / 2.0
    for coordinate in (xi[:, 0], xi[:, -1], 0.6 * xi[:, 0] + 0.8 * xi[:, dim // 2]):
        assert not ks_refuses((1.0 + coordinate) / 2.0, stats.beta(half, half).cdf)
    for wrong in (1.1 * xi[:, 0], np.abs(xi[:, 0]), 0.6 * xi[:, 0] + 0.8 * np.abs(xi[:, 1])):
        assert ks_refuses((1.0 + wrong) / 2.0, stats.beta(half, half).cdf)
