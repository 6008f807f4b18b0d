"""Figure 11 of paper A: five ways to the same CDF, and where one of them loses digits."""

import numpy as np
import pandas as pd
import pytest
from looks import faults, styled, title_follows  # noqa: F401

from study.experiments.angular_cdfs import plot as plot_angular_cdfs
from study.experiments.angular_cdfs.compute import PUBLISHED, compute, integrated
from study.experiments.angular_cdfs.evaluate import FORMULAS, angles_of, evaluate
from study.simulation.mechanisms import distribution_of
from study.simulation.method_differences import differences

SETTINGS = {"dimensions": [3, 100], "kappas": [0.1, 10.0, 750.0], "points": 5, "probabilities": [0.1, 0.9]}
DRAWS = 20_000


@pytest.fixture(scope="module")
def table():
    distributions = ("purkayastha", "von_mises_fisher")
    return compute(
        pd.DataFrame(row for distribution in distributions for row in evaluate(distribution, SETTINGS)), DRAWS, seed=5
    )


@pytest.fixture(scope="module")
def found(table):
    return differences(table, 1e-6, DRAWS)


def of_pair(found, method, against):
    rows = found[(found["method"] == method) & (found["against"] == against)]
    assert len(rows) == 2 * 6
    return rows.set_index(["distribution", "dim", "kappa"])


def test_all_ways_agree(found):
    """Draws within 5/√N: by Hoeffding's bound the error rate is 2 exp(-50) for each angle."""
    assert len(found) == 2 * 6 * 10 and (found["status"] == "agrees").all()
    assert of_pair(found, "numerical", "cdf")["value"].max() < 1e-13
    assert of_pair(found, "numerical", "published")["value"].max() < 1e-13
    ours = of_pair(found, "cdf", "high_precision")
    assert ours["value"].max() < 1e-14 and ours["relative"].max() < 1e-12 and (ours["lost"] == 0).all()


def test_cells_in_which_doubles_lose_digits_are_named(found):
    doubles = of_pair(found, "published", "high_precision")
    assert doubles["value"].max() < 1e-13
    lost = doubles[doubles["relative"] > 1e-6]
    assert set(lost.index) == {
        ("purkayastha", 100, 0.1),
        ("purkayastha", 100, 10.0),
        ("von_mises_fisher", 100, 0.1),
        ("von_mises_fisher", 100, 10.0),
    } and (doubles["lost"] > 0).equals(doubles["relative"] > 1e-6)
    assert lost["lost_below"].max() < 1e-9


def test_a_wrong_cdf_is_wrong(table):
    """A distribution with 2 % more concentration, in the place of the formula; and a formula that is not finite."""
    few = table[(table["distribution"] == "purkayastha") & (table["kappa"] == 10.0)].copy()
    few["published"] = np.concatenate(
        [distribution_of("purkayastha", d, 10.2).angle_cdf(rows["angle"].to_numpy()) for d, rows in few.groupby("dim")]
    )
    found = differences(few, 1e-3, DRAWS)
    assert (found[found["method"] == "published"]["status"] == "wrong").all()
    few.loc[few.index[3], "published"] = np.nan
    found = differences(few[few["dim"] == 3], 1e-3, DRAWS)
    assert (found[found["method"] == "published"]["status"] == "not finite").all()
    assert set(found[found["method"] == "cdf"]["status"]) == {"agrees"}


def test_wrong_draws_are_caught(table):
    few = table[table["dim"] == 3].copy()
    few["drawn"] = few["drawn"] ** 1.3
    found = differences(few, 1e-6, DRAWS)
    assert (found[found["method"] == "drawn"]["status"] == "wrong").all()


def test_concentrated_distributions_are_looked_at_where_they_move():
    distribution = distribution_of("purkayastha", 3, 1e4)
    angles = angles_of(distribution, SETTINGS)
    assert ((distribution.angle_cdf(angles) > 0.05) & (distribution.angle_cdf(angles) < 0.95)).sum() == 2
    assert np.allclose(integrated(distribution.angle_pdf, angles), distribution.angle_cdf(angles), atol=1e-12)
    assert set(PUBLISHED) == set(FORMULAS) == {"purkayastha", "von_mises_fisher"}


def test_a_cell_depends_on_its_name_alone(table):
    alone = pd.DataFrame(evaluate("von_mises_fisher", SETTINGS | {"dimensions": [100], "kappas": [10.0]}))
    alone = compute(alone, DRAWS, seed=5)
    cell = (table["distribution"] == "von_mises_fisher") & (table["dim"] == 100) & (table["kappa"] == 10.0)
    assert alone.equals(table[cell].reset_index(drop=True))


def test_figure_has_dots_by_integration_and_crosses_by_formula(table, found):
    table = table.assign(numerical=table["cdf"] + 0.01, published=table["published"] + 0.02)
    ax = plot_angular_cdfs.draw(table, found).axes[0]
    curve = table[(table["distribution"] == "purkayastha") & (table["dim"] == 3) & (table["kappa"] == 0.1)]
    drawn = {(line.get_marker(), line.get_linestyle()): line.get_ydata() for line in ax.lines[3::-1]}
    assert np.array_equal(drawn["None", "-"], curve["cdf"])
    assert np.array_equal(drawn[".", "None"], curve["numerical"])
    assert np.array_equal(drawn["x", "None"], curve["published"])


def test_figure_prints_the_largest_difference(table, found):
    figure = plot_angular_cdfs.draw(table, found)
    assert len(figure.axes) == 2 * 2 and not faults(figure)
    assert title_follows(plot_angular_cdfs.draw, table, found)
