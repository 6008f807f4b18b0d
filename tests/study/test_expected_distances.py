"""Figure 10 of paper A: z-scores of drawn mean distances, and a wrong law that they catch."""

import numpy as np
import pandas as pd
import pytest
from looks import styled  # noqa: F401
from scipy import stats

from dirpriv.laws import Purkayastha
from study.experiments.expected_distances import plot as plot_expected_distances
from study.experiments.expected_distances import simulate as simulate_expected_distances
from study.experiments.expected_distances.simulate import published_mean, simulate
from study.experiments.expected_distances.summarise import summarise

SETTINGS = {"dimensions": [2, 3, 10, 500], "kappas": [0.001, 1.0, 10.0, 1000.0], "draws": 40_000}
ALPHA = 1e-6  # error rate of each statistical test here


@pytest.fixture(scope="module")
def table():
    return pd.concat([simulate(law, SETTINGS, seed=5) for law in ("von_mises_fisher", "purkayastha")])


def test_z_scores_are_standard_normal(table):
    """The largest of 64 |z| below 5.8 (rate 64 x 7e-9), and Kolmogorov-Smirnov at ALPHA for each 16."""
    assert len(table) == 2 * 2 * 16 and table["z"].abs().max() < 5.8
    assert summarise(table)["p_value"].min() > ALPHA


def test_a_concentration_off_by_two_percent_is_caught(monkeypatch):
    def wrong(name, dim, kappa):
        law, other = Purkayastha(dim, kappa), Purkayastha(dim, 1.02 * kappa)
        object.__setattr__(law, "angle_rvs", other.angle_rvs)  # a law cannot be changed otherwise
        return law

    monkeypatch.setattr(simulate_expected_distances, "law_of", wrong)
    table = simulate("purkayastha", {**SETTINGS, "draws": 400_000}, seed=5)
    assert table["z"].abs().max() > 5.8
    assert summarise(table)["p_value"].min() < 0.01


def test_formulas_of_the_paper(table):
    assert (table["published"] / table["expected"] - 1.0).abs().max() < 1e-9
    assert table.groupby(["law", "metric"])["published"].count().to_dict() == {
        ("purkayastha", "mean_angle"): 16,
        ("purkayastha", "mean_chord"): 0,
        ("von_mises_fisher", "mean_angle"): 0,
        ("von_mises_fisher", "mean_chord"): 16,
    }
    assert np.isnan(published_mean("purkayastha", 3, 1.0, "mean_chord"))


def test_a_cell_depends_on_its_name_alone():
    one = {"dimensions": [3], "kappas": [1.0], "draws": 1000}
    alone = simulate("purkayastha", one, seed=1)
    among = simulate("purkayastha", {**one, "dimensions": [2, 3], "kappas": [5.0, 1.0]}, seed=1)
    among = among[(among["dim"] == 3) & (among["kappa"] == 1.0)]
    assert (alone["value"].to_numpy() == among["value"].to_numpy()).all()
    assert (simulate("purkayastha", one, seed=2)["value"] != alone["value"]).all()


def test_summary_counts_what_fails():
    """A formula that overflows in one cell, and z-scores that are all 3."""
    rows = [("purkayastha", "mean_angle", 1.0, 1.0, 3.0), ("purkayastha", "mean_angle", 1.0, np.nan, 3.0)]
    table = pd.DataFrame(rows, columns=["law", "metric", "expected", "published", "z"])
    row = summarise(table).iloc[0]
    assert (row["published_cells"], row["published_failed"], row["largest_z"]) == (1, 1, 3.0)
    assert row["p_value"] == stats.kstest([3.0, 3.0], "norm").pvalue < 1e-5


def test_figure_has_a_panel_for_each_metric_and_dimension(table):
    figure = plot_expected_distances.draw(table, SETTINGS)
    assert len(figure.axes) == 2 * 4
    dotted, computed = figure.axes[0].lines[0], figure.axes[0].lines[-1]
    assert dotted.get_linestyle() == ":" and computed.get_marker() == "x"
