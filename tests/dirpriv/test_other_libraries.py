"""Recipes of the documentation that need other libraries; a test is skipped where its library is missing."""

import re
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from dirpriv import guarantees
from dirpriv.distributions import Purkayastha, VonMisesFisher

PAGE = Path(__file__).resolve().parents[2] / "docs/from_other_libraries.md"


def recipe(needs):
    """The names of the code that needs a library."""
    text = PAGE.read_text(encoding="utf-8")
    (code,) = re.findall(rf"```python\n(# not run by the tests: needs {needs}\n.*?)```", text, re.DOTALL)
    names = {}
    exec(code, names)
    return names


def test_levels_of_dp_accounting_are_ours():
    """Also those of several responses; its distribution is rounded up more coarsely."""
    pytest.importorskip("dp_accounting", reason="dp-accounting is not installed")
    names = recipe("dp-accounting")
    level = guarantees.composed_level(VonMisesFisher(768, 2.12), 100, distance=np.pi, delta=1e-6)
    alone = names["ours"].self_compose(100).get_epsilon_for_delta(1e-6)
    assert level == pytest.approx(alone, rel=0.01) and names["level"] > 1.01 * alone


def test_draws_on_tensors_have_the_distribution():
    """Kolmogorov and Smirnov of 20 000 angles, and of the direction around the axis: each misses at a rate of 1e-6."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    noisy, rng = recipe("torch")["noisy"], np.random.default_rng(1)
    torch.manual_seed(1)
    for distribution in (VonMisesFisher(5, 3.0), Purkayastha(3, 1.0)):
        axis = torch.zeros(20_000, distribution.dim, dtype=torch.float64)
        axis[:, 0] = 1.0
        outputs = noisy(axis, distribution, rng).numpy()
        theta = np.arccos(np.clip(outputs[:, 0], -1.0, 1.0))
        bearing = np.arctan2(outputs[:, 1], outputs[:, 2]) / (2.0 * np.pi) + 0.5
        assert np.allclose(np.linalg.norm(outputs, axis=1), 1.0)
        assert stats.kstest(theta, distribution.angle_cdf).pvalue > 1e-6
        assert stats.kstest(bearing, "uniform").pvalue > 1e-6
        assert stats.kstest(1.1 * theta, distribution.angle_cdf).pvalue < 1e-6  # wrong variant
