"""Formulas of the SO(3) paper beside what they stand for."""

import numpy as np
import pytest

from study.experiments.rotation_forms.compute import compute

GRID = {"epsilons": [0.5, 8.0], "points": 91}


@pytest.fixture(scope="module")
def table():
    return compute(GRID)


def of(table, form, epsilon=8.0):
    return table[(table["form"] == form) & (table["epsilon"] == epsilon)]


def test_the_printed_haar_angles_have_the_distances_of_their_laws(table):
    assert len(table) == 7 * 2 * 89
    # ½ sin θ against (1 - cos θ)/π: the CDFs are furthest apart where the densities cross, tan(θ/2) = π/2
    theta = 2.0 * np.arctan(0.5 * np.pi)
    largest = np.sin(0.5 * theta) ** 2 - (theta - np.sin(theta)) / np.pi
    assert np.isclose(of(table, "haar_proposal")["difference"].max(), largest, atol=1e-3)
    assert of(table, "haar_display")["difference"].min() > 0.0


def test_the_elementary_cdf_is_the_integral_and_the_gamma_law_is_not(table):
    for epsilon in GRID["epsilons"]:
        assert of(table, "laplace_cdf", epsilon)["difference"].abs().max() < 1e-13
    # 0.405/ε² in total variation
    assert np.isclose(of(table, "gamma_cdf")["difference"].abs().max(), 0.405 / 64.0, rtol=0.05)
    assert of(table, "gamma_cdf", 0.5)["difference"].abs().max() > 0.05


def test_theorem_1_is_loose_and_appendix_f_is_on_the_wrong_side(table):
    bound = of(table, "theorem_1")
    assert np.allclose(bound["exact"], 8.0 * np.sin(0.5 * bound["angle"]), rtol=1e-12)
    assert (bound["difference"] > 0.0).all()
    assert (bound["printed"] / bound["exact"]).min() > np.sqrt(2.0)
    assert (of(table, "appendix_f")["difference"] > 0.0).all()
    ratio = of(table, "definition_1")["printed"] / of(table, "definition_1")["exact"]
    assert ((ratio > 0.35) & (ratio < 0.51)).all()
