"""The hard-coded nodes and weights, against a computation with 60 digits."""

import mpmath
import numpy as np

from dirpriv._lib.quadrature import NODES, WEIGHTS
from study.simulation import quadrature


def exact_rule(count):
    """Nodes and weights on [0, 1]; only the lower half is solved for, as the rule is symmetric."""
    nodes, weights = [], []
    for k in range(count // 2):
        guess = mpmath.cos(mpmath.pi * (k + mpmath.mpf(3) / 4) / (count + mpmath.mpf(1) / 2))
        x = mpmath.findroot(lambda x: mpmath.legendre(count, x), guess)
        slope = count * (mpmath.legendre(count - 1, x) - x * mpmath.legendre(count, x)) / (1 - x * x)
        nodes.append((1 - x) / 2)
        weights.append(1 / ((1 - x * x) * slope * slope))
    return [*nodes, *[1 - x for x in reversed(nodes)]], [*weights, *reversed(weights)]


def test_nodes_and_weights_are_right_to_the_last_digit():
    with mpmath.workdps(60):
        for given, exact in zip((NODES, WEIGHTS), exact_rule(24), strict=True):
            off = max(abs(float(mpmath.mpf(float(g)) / e - 1)) for g, e in zip(given, exact, strict=True))
            assert off < 2.3e-16


def test_the_rule_of_the_study_is_the_same():
    assert np.array_equal(quadrature.nodes_and_weights(), (NODES, WEIGHTS))
    nodes, weights = quadrature.panels(np.array([1.0, 2.0, 4.0]))
    assert np.array_equal(nodes, [*(1.0 + NODES), *(2.0 + 2.0 * NODES)])
    assert np.array_equal(weights, [*WEIGHTS, *(2.0 * WEIGHTS)])


def test_rule_integrates_polynomials_up_to_degree_47():
    for degree in (0, 1, 10, 46, 47):
        assert np.isclose(NODES**degree @ WEIGHTS, 1.0 / (degree + 1), rtol=3e-15, atol=0.0)
    assert not np.isclose(NODES**2000 @ WEIGHTS, 1.0 / 2001, rtol=3e-15, atol=0.0)
