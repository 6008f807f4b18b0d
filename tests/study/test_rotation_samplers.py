"""Figure 2 of the SO(3) paper: what each sampler draws from, and which are told from the exact distribution."""

import numpy as np
import pandas as pd
import pytest
from looks import faults, styled, title_follows  # noqa: F401

from dirpriv.distributions import RotationLaplace
from study.experiments.rotation_samplers import plot as plot_rotation_samplers
from study.experiments.rotation_samplers.simulate import SAMPLERS, sampler_and_cdf, simulate, specifications, summarise
from study.simulation.estimates import mean_of_cdf

SETTINGS = {"epsilons": [1.0, 8.0], "draws": 10_000, "cap": 100, "other_caps": [10, 200], "bins": 30}
ALPHA = 1e-6  # error rate of each statistical test here


@pytest.fixture(scope="module")
def tables():
    return simulate(SETTINGS, seed=11)


def test_every_sampler_draws_from_its_own_distribution(tables):
    summary = tables[0]
    assert summary["target_p_value"].min() > ALPHA
    assert ((summary["value"] - summary["expected"]) / summary["standard_error"]).abs().max() < 5.3
    means = summary.set_index(["sampler", "epsilon"])["expected"]
    assert abs(means["exact", 1.0] - 1.7307) < 5e-5 and abs(means["printed", 1.0] - 1.1301) < 5e-5
    assert np.allclose(means["exact"], summary.groupby("epsilon")["exact"].first(), rtol=1e-12, atol=0.0)


def test_only_the_exact_ones_pass_for_exact(tables):
    """At 10 000 draws; the gamma distribution at ε = 8 is too near to be told from it by so few."""
    told = tables[0].set_index(["sampler", "epsilon"])["p_value"] <= ALPHA
    right = [(sampler, epsilon) for sampler in ("exact", "haar") for epsilon in SETTINGS["epsilons"]]
    assert not told[right].any()
    assert told[[("printed", 1.0), ("printed", 8.0), ("gamma", 1.0), ("gamma_of_scale", 8.0)]].all()
    assert told[[("printed_capped", 8.0), ("haar_capped", 8.0)]].all()
    assert not told["gamma", 8.0]


def test_the_cap_makes_the_angles_larger(tables):
    """As in the figure of the paper; without a cap they would be smaller than those of the exact distribution."""
    means = tables[0].set_index(["sampler", "epsilon"])
    assert means.loc[("printed_capped", 8.0), "low"] > 2.0 * means.loc[("exact", 8.0), "high"]
    assert means.loc[("printed", 8.0), "high"] < means.loc[("exact", 8.0), "low"]
    tries = means["proposals_per_draw"]
    assert round(tries["haar", 8.0]) == 1634 and abs(tries["printed", 8.0] - 130.0) < 1e-6
    assert tries["haar_capped", 8.0] < 100.0 and np.isnan(tries["exact", 8.0])


def test_less_rests_on_a_larger_cap():
    """With the cap of the draws it is their mean; Haar's, without a cap the exact distribution, tends to 1."""
    table = pd.DataFrame(specifications(SETTINGS))
    means = table.set_index(["sampler", "epsilon", "cap"])["value"].sort_index()
    assert len(means) == 2 * 2 * 3 and (means.groupby(level=[0, 1]).diff().dropna() < 0.0).all()
    printed = means["printed_capped", 8.0]
    assert printed[10] > 3.9 and printed[100] > 1.5 > printed[200] > 1.0
    distribution = sampler_and_cdf("printed_capped", 8.0, 100)[1]
    assert np.isclose(printed[100], mean_of_cdf(distribution) / RotationLaplace(8.0).mean_angle(), rtol=1e-12)
    wide = pd.DataFrame(specifications(SETTINGS | {"other_caps": [10_000]}))
    assert abs(wide.query("sampler == 'haar_capped' and cap == 10000 and epsilon == 1")["value"].item() - 1.0) < 1e-9


def test_a_sampler_that_is_wrong_fails_against_its_own_distribution():
    angles = sampler_and_cdf("exact", 1.03, 100)[0](200_000, rng=np.random.default_rng(2))
    row = summarise(angles, "exact", 1.0, SETTINGS)
    assert row["target_p_value"] <= ALPHA
    with pytest.raises(KeyError):
        sampler_and_cdf("other", 1.0, 100)


def test_mean_by_the_survival_function():
    for epsilon in (0.1, 8.0, 300.0):
        distribution = RotationLaplace(epsilon)
        assert abs(mean_of_cdf(distribution.angle_cdf) / distribution.mean_angle() - 1.0) < 1e-11


def test_figure_has_a_panel_for_each_level(tables):
    figure = plot_rotation_samplers.draw(*tables, SETTINGS)
    assert len(figure.axes) == 2
    assert not faults(figure)
    assert set(plot_rotation_samplers.DRAWN) < set(SAMPLERS)
    every = len(plot_rotation_samplers.DRAWN)
    assert [len(ax.lines) for ax in figure.axes] == [every - 1, every]  # no gamma distribution below its threshold
    marked = [[text.get_text() for text in ax.get_legend().texts if "★" in text.get_text()] for ax in figure.axes]
    assert [len(texts) for texts in marked] == [0, 2] and "gamma" in marked[1][0]
    assert title_follows(lambda *tables: plot_rotation_samplers.draw(*tables, SETTINGS), *tables)
