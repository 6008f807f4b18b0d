"""Figure 10 of paper A: z-scores of drawn mean distances, and a wrong distribution that they catch."""

import numpy as np
import pandas as pd
import pytest
from looks import faults, styled, title_follows  # noqa: F401
from scipy import stats

from dirpriv.distributions import Purkayastha
from study.experiments.expected_distances import plot as plot_expected_distances
from study.experiments.expected_distances import simulate as simulate_expected_distances
from study.experiments.expected_distances.compare import summarise
from study.experiments.expected_distances.simulate import curves, simulate
from study.simulation.method_differences import differences

SETTINGS = {
    "dimensions": [2, 3, 10, 500],
    "kappas": [0.001, 1.0, 10.0, 1000.0],
    "draws": 40_000,
    "points": 3,
    "tolerance": 1e-6,
}
ALPHA = 1e-6  # error rate of each statistical test here


def table_of(distribution, settings, seed):
    return pd.DataFrame(simulate(distribution, settings, seed))


@pytest.fixture(scope="module")
def table():
    return pd.concat([table_of(distribution, SETTINGS, 5) for distribution in ("von_mises_fisher", "purkayastha")])


@pytest.fixture(scope="module")
def found(table):
    return differences(table.rename(columns={"value": "drawn"}), 1e-6, SETTINGS["draws"])


def test_z_scores_are_standard_normal(table):
    """The largest of 64 |z| below 5.8 (rate 64 x 7e-9), and Kolmogorov-Smirnov at ALPHA for each 16."""
    assert len(table) == 2 * 2 * 16 and table["z"].abs().max() < 5.8
    assert pd.DataFrame(summarise(table))["p_value"].min() > ALPHA


def test_a_concentration_off_by_two_percent_is_caught(monkeypatch):
    def wrong(name, dim, kappa):
        distribution, other = Purkayastha(dim, kappa), Purkayastha(dim, 1.02 * kappa)
        object.__setattr__(distribution, "angle_rvs", other.angle_rvs)  # a distribution cannot be changed otherwise
        return distribution

    monkeypatch.setattr(simulate_expected_distances, "distribution_of", wrong)
    table = table_of("purkayastha", {**SETTINGS, "draws": 100_000}, seed=5)
    assert table["z"].abs().max() > 5.8
    assert pd.DataFrame(summarise(table))["p_value"].min() < 0.01


def test_formulas_of_the_paper(table, found):
    assert (table["published"] / table["expected"] - 1.0).abs().max() < 1e-9
    assert (table["high_precision"] / table["expected"] - 1.0).abs().max() < 4e-15
    for column in ("published", "high_precision", "digits"):
        assert table.groupby(["distribution", "metric"])[column].count().to_dict() == {
            ("purkayastha", "mean_angle"): 16,
            ("purkayastha", "mean_chord"): 0,
            ("von_mises_fisher", "mean_angle"): 0,
            ("von_mises_fisher", "mean_chord"): 16,
        }
    with_formula = found[found["metric"] == found["distribution"].map(FORMULA)]
    assert len(with_formula) == 2 * 16 * 10 and len(found) == 2 * 16 * (10 + 3)
    assert (found["status"] == "agrees").all() and found.loc[found["against"] != "drawn", "lost"].max() <= 1
    numerical = found[(found["method"] == "numerical") & (found["against"] == "expected")]
    assert len(numerical) == 64 and numerical["relative"].max() < 1e-13


FORMULA = {"purkayastha": "mean_angle", "von_mises_fisher": "mean_chord"}


def test_a_wrong_formula_is_found(table):
    """Eq. 13 with one term less, and one that overflows."""
    cells = table[(table["distribution"] == "purkayastha") & (table["metric"] == "mean_angle") & (table["dim"] == 500)]
    wrong = cells["published"] - 2 * cells["kappa"] / (cells["kappa"] ** 2 + 498**2)
    cells = cells.rename(columns={"value": "drawn"}).assign(published=wrong)
    found = differences(cells, 1e-6, SETTINGS["draws"]).query("method == 'published'")
    assert (found["relative"] > 1e-9).all() and (found["status"] == "wrong").sum() >= 2 * 3
    found = differences(cells.assign(published=np.nan), 1e-6, SETTINGS["draws"]).query("method == 'published'")
    assert len(found) == 8 and (found["status"] == "not finite").all()


def test_a_cell_depends_on_its_name_alone():
    one = {"dimensions": [3], "kappas": [1.0], "draws": 1000}
    alone = table_of("purkayastha", one, seed=1)
    among = table_of("purkayastha", {**one, "dimensions": [2, 3], "kappas": [5.0, 1.0]}, seed=1)
    among = among[(among["dim"] == 3) & (among["kappa"] == 1.0)]
    assert (alone["value"].to_numpy() == among["value"].to_numpy()).all()
    assert (table_of("purkayastha", one, seed=2)["value"] != alone["value"]).all()


def test_summary_tests_z_scores():
    table = pd.DataFrame({"distribution": "purkayastha", "metric": "mean_angle", "z": [3.0, 3.0]})
    row = pd.DataFrame(summarise(table)).iloc[0]
    assert (row["cells"], row["largest_z"]) == (2, 3.0)
    assert row["p_value"] == stats.kstest([3.0, 3.0], "norm").pvalue < 1e-5


def test_figure_has_dots_by_draws_and_crosses_by_formula(table, found):
    moved = {name: table[name] + 0.1 for name in ("value", "low", "high")}
    table = table.assign(**moved, published=table["published"] * 1.1)
    some = pd.concat(pd.DataFrame(curves(name, SETTINGS)) for name in ("von_mises_fisher", "purkayastha"))
    figure = plot_expected_distances.draw(table, found, some, SETTINGS)
    assert len(figure.axes) == 2 * 4 and not faults(figure)
    first = table[
        (table["distribution"] == "von_mises_fisher") & (table["metric"] == "mean_chord") & (table["dim"] == 2)
    ]
    lines = figure.axes[0].lines
    assert np.allclose(lines[0].get_ydata()[::2], first["expected"].iloc[[0, -1]], rtol=1e-12, atol=0.0)
    assert np.allclose(lines[0].get_xdata(), [0.001, 1.0, 1000.0]) and lines[0].get_linestyle() == "-"
    by_marker = {line.get_marker(): line for line in lines[5::-1]}
    crosses = [line for line in lines if line.get_marker() == "x"]
    assert np.array_equal(crosses[0].get_ydata(), first["published"])
    assert np.isnan(crosses[1].get_ydata()).all()  # the paper has no formula for the chord of Purkayastha
    assert np.array_equal(by_marker["s"].get_ydata(), first["value"])
    rings = [line for line in lines if line.get_marker() == "o" and line.get_fillstyle() == "none"]
    assert rings[0].get_xdata().size == 4
    assert figure.get_suptitle().startswith("At every κ Purkayastha is nearer to the mode than von Mises–Fisher")
    assert title_follows(lambda *tables: plot_expected_distances.draw(*tables, SETTINGS), table, found, some)
