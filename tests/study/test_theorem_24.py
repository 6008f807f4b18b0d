"""Theorem 24: its closed forms against 250 digits, and where its middle inequality fails."""

import mpmath
import numpy as np
import pandas as pd
import pytest
from looks import faults, styled  # noqa: F401
from matplotlib.colors import to_rgba

from study import figures
from study.experiments.theorem_24 import plot as plot_theorem_24
from study.experiments.theorem_24.compute import (
    bound,
    crossing,
    difference,
    grid,
    limits,
    margin,
    readings,
    summary,
    theorem_24,
)

KAPPAS = np.concatenate([np.geomspace(1e-6, 50.0, 60), 2.0 / np.pi + np.array([-1e-6, 1e-6])])


def exact(kappa):
    """Difference, bound and margin with 250 digits, from the two means as they stand in the paper."""
    with mpmath.workdps(250):
        k = mpmath.mpf(float(kappa))
        x = k * mpmath.pi
        wrapped = (1 - mpmath.exp(-x)) / (1 + mpmath.exp(-x)) / k  # Eq. 17
        purkayastha = 1 / k - mpmath.pi / (mpmath.exp(x) - 1)  # Eq. 18
        middle = k * mpmath.pi**2 / (mpmath.exp(2 * x) - 1)
        return tuple(float(v) for v in (wrapped - purkayastha, middle, wrapped - purkayastha - middle))


def test_closed_forms_keep_their_digits():
    reference = np.array([exact(kappa) for kappa in KAPPAS]).T
    for function, values in zip((difference, bound, margin), reference, strict=True):
        # of the two last points x - 2 itself is a difference, known to 2e-16 / 3e-6
        assert np.allclose(function(KAPPAS[:-2]), values[:-2], rtol=5e-14, atol=0.0), function
        assert np.allclose(function(KAPPAS[-2:]), values[-2:], rtol=1e-9, atol=0.0), function
    # the plain formula, which one would write first, has lost everything at the left end
    x = np.pi * KAPPAS[0]
    plain = ((x - 2.0) * np.exp(x) + x + 2.0) / (KAPPAS[0] * np.expm1(2.0 * x))
    assert abs(plain / reference[0][0] - 1.0) > 1e-3


def test_the_outer_inequality_holds_and_each_order_of_the_middle_one_on_its_half():
    table = theorem_24(KAPPAS)
    assert table["outer_holds"].all()
    assert ((table["margin"] > 0.0) == (np.pi * table["kappa"] > 2.0)).all()
    assert table["disagreement"].max() < 1e-15 * 4
    assert abs(crossing(0.1, 2.0) * np.pi / 2.0 - 1.0) < 1e-12
    with pytest.raises(ValueError):
        crossing(0.7, 2.0)  # no change of sign: to the right of it the inequality is true


def test_summary_and_grid():
    kappas = grid({"lowest": 0.1, "highest": 10.0, "points": 21})
    assert np.isclose(kappas[10], 1.0) and len(kappas) == 21
    table = theorem_24(kappas)
    assert summary(table).set_index("quantity")["value"]["outer inequality holds at"] == 21
    both = pd.DataFrame(readings(table))
    assert both["rows_holding"].sum() == 21 and (both["margin"] < 0.0).all() and (both["margin_of_half"] > 0.0).all()


def test_the_order_with_wrapped_laplace_between_fails_by_a_twentieth_of_the_other():
    # independent of the closed forms: E_WL = tanh(κπ/2)/κ and E_Pur = 1/κ - π/(exp(κπ) - 1) on a fine grid
    kappa = np.geomspace(0.01, 10.0, 30_001)
    term = kappa * np.pi**2 / np.expm1(2.0 * np.pi * kappa)
    margin = np.tanh(np.pi * kappa / 2.0) / kappa - (1.0 / kappa - np.pi / np.expm1(np.pi * kappa)) - term
    both = pd.DataFrame(readings(theorem_24(np.geomspace(0.01, 10.0, 301)))).set_index("reading")
    first, second = both.loc["wrapped_laplace_between"], both.loc["printed_term_between"]
    assert abs(first["margin"] + margin.max()) < 1e-5 and abs(second["margin"] - margin.min()) < 1e-9
    assert abs(first["kappa"] / kappa[margin.argmax()] - 1.0) < 0.03 and -0.0425 < first["margin"] < -0.042


def test_limits_are_approached_at_their_rates():
    table = pd.DataFrame(limits([1e-6, 1e-3, 0.1, 10.0, 1e3, 1e6]))
    assert len(table) == 12 and (table["distance"] <= table["rate"] * (1.0 + 1e-12)).all()
    near_zero = table[table["end"] == "zero"].set_index(["distribution", "kappa"])["distance"]
    assert abs(near_zero["purkayastha", 1e-3] / (1e-3 * np.pi**2 / 12.0) - 1.0) < 1e-5
    assert abs(near_zero["wrapped_laplace", 1e-3] / (1e-6 * np.pi**3 / 24.0) - 1.0) < 1e-5


def test_figure_marks_the_range_in_which_it_fails():
    table = theorem_24(grid({"lowest": 0.01, "highest": 10.0, "points": 41}))
    both = pd.DataFrame(readings(table))
    figure = plot_theorem_24.draw(table, both)
    assert not faults(figure) and figure.get_suptitle().endswith("outer bound holds, middle in neither order")
    other = plot_theorem_24.draw(table.assign(outer_holds=False), both.assign(margin=[0.1, -1.0])).get_suptitle()
    assert other.endswith("outer bound fails, middle in one order")
    for ax in figure.axes:
        regions = [patch for patch in ax.patches if patch.get_facecolor() == to_rgba(figures.REGION)]
        assert np.isclose(regions[0].get_extents().transformed(ax.transData.inverted()).x0, 2.0 / np.pi)
