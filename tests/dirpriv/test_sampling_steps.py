"""What the samplers share: choice of the method by the concentration, the truncated exponential, angles."""

import mpmath
import numpy as np
import pytest
from scipy import stats
from statistics_of_draws import ks_refuses

from dirpriv import distributions
from dirpriv._lib.quadrature import panels
from dirpriv.distributions.sampling import directions
from dirpriv.distributions.sampling.directions import (
    SMALLEST,
    draw_around,
    draw_by_threshold,
    truncated_exponential,
    uniform,
)
from dirpriv.distributions.shared.colatitude import PI_TAIL, Angle


def constant(value):
    return lambda size, kappa, rng: value + rng.random(size)


def test_the_method_follows_from_the_thresholds():
    thresholds, draws = (SMALLEST, 1.0), (constant(0), constant(10), constant(20))
    kappas = np.array([0.0, 5e-324, 1.0, np.nextafter(1.0, 0.0), 1e9, 0.5])
    rng = np.random.default_rng(1)
    assert (draw_by_threshold(6, kappas, thresholds, draws, rng) // 10).tolist() == [0, 1, 2, 1, 2, 1]
    for kappa, method in zip(kappas, [0, 1, 2, 1, 2, 1], strict=True):
        assert draw_by_threshold(1, kappa, thresholds, draws, rng) // 10 == method


@pytest.mark.parametrize("last_first", [False, True])
def test_the_order_of_the_methods_sets_who_gets_which_numbers(last_first):
    kappas, numbers = np.array([2.0, 0.5]), np.random.default_rng(1).random(2)
    drawn = draw_by_threshold(
        2, kappas, (1.0,), (constant(0), constant(1)), np.random.default_rng(1), last_first=last_first
    )
    assert drawn.tolist() == [1 + numbers[0 if last_first else 1], numbers[1 if last_first else 0]]


@pytest.mark.parametrize("upper", [1e-12, 0.3, 5.0])
def test_truncated_exponential(upper):
    distribution = stats.truncexpon(upper)
    draws = truncated_exponential((2, 20_000), upper, np.random.default_rng(2))
    assert draws.shape == (2, 20_000) and draws.min() >= 0.0 and draws.max() < upper * (1 + 1e-15)
    uniform_distribution = stats.uniform(0.0, upper)  # SciPy's loses its digits where upper is tiny
    assert not ks_refuses(draws.ravel(), (uniform_distribution if upper < 1e-9 else distribution).cdf)
    assert ks_refuses(draws.ravel(), stats.uniform(0.0, 1.1 * upper).cdf)
    assert uniform(upper)(5, 0.0, np.random.default_rng(3)).max() < upper


def test_an_angle_is_known_from_both_ends():
    theta = np.array([0.0, 1e-20, 1.0, np.pi])
    at = Angle.at(theta)
    exact = [float(mpmath.pi - mpmath.mpf(t)) for t in theta.tolist()]
    assert np.abs(at.from_pi - exact).max() < 4e-16 and at.from_pi[-1] == PI_TAIL
    there = at.shifted(0.25)
    assert there.from_zero.tolist() == (theta + 0.25).tolist() and there.from_pi[-1] == PI_TAIL - 0.25
    assert at.part(1).from_zero == 1e-20 and at.part((..., None)).from_pi.shape == (4, 1)


def test_panels():
    nodes, weights = panels(np.array([0.0, 0.5, 2.0]))
    assert np.isclose(weights @ np.exp(nodes), np.expm1(2.0), rtol=1e-15, atol=0.0) and nodes.shape == (48,)


def test_distributions_say_whether_they_are_symmetric():
    assert distributions.Purkayastha(3, 1.0).is_symmetric and distributions.VectorLaplace(3, 1.0).is_symmetric
    assert not distributions.ClippedLaplace(1.0).is_symmetric


@pytest.mark.parametrize(
    "distribution",
    [
        distributions.Purkayastha(3, 0.6),
        distributions.Purkayastha(3, 5.0),
        distributions.Purkayastha(10, 3.0),
        distributions.VonMisesFisher(2, 3.0),
        distributions.VonMisesFisher(10, 2.0),
        distributions.VonMisesFisher(10, 5.0),
    ],
    ids=repr,
)
def test_as_many_proposals_are_made_as_are_needed(distribution, monkeypatch):
    """The share that is foreseen is near that of 20 000 proposals: 0.02 is six standard errors, rate 1e-9."""
    counted = []

    def counting(size, share, propose, *, per_row):
        values, accepted = propose(20_000, ...)
        counted.append((float(share), values[accepted].size / 20_000))
        return values[accepted][:size]

    monkeypatch.setattr(directions, "draw_by_rejection", counting)
    distribution.angle_rvs(1, rng=4)
    foreseen, seen = counted[-1]
    assert -0.02 < seen - foreseen < 0.08


@pytest.mark.parametrize("dim", [3, 2**20 + 1])
def test_blocks_of_streams_cover_each_row_once(dim):
    """Also where a single row has more numbers than a stream."""
    blocks, rows = [], 50_000 if dim == 3 else 2
    out = np.empty((rows, dim))
    draw_around(out, out[0], lambda rows, center, block, rng: blocks.append(block), np.random.default_rng(5), 1)
    assert np.array_equal(np.concatenate([np.arange(rows)[block] for block in blocks]), np.arange(rows))
