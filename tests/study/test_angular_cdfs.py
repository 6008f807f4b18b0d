"""Figure 11 of paper A: three ways to the same CDF, and where one of them fails."""

import numpy as np
import pandas as pd
import pytest
from looks import styled  # noqa: F401

from study.core.mechanisms import law_of
from study.experiments.angular_cdfs import compute as compute_angular_cdfs
from study.experiments.angular_cdfs import plot as plot_angular_cdfs
from study.experiments.angular_cdfs.compare import differences
from study.experiments.angular_cdfs.compute import angles_of, compute, integrated

SETTINGS = {
    "dimensions": [3, 10, 100],
    "kappas": [0.1, 10.0, 1000.0],
    "points": 7,
    "probabilities": [0.1, 0.9],
}


@pytest.fixture(scope="module")
def table():
    return pd.concat([compute(law, SETTINGS) for law in ("purkayastha", "von_mises_fisher")])


def test_numerical_integration_agrees_everywhere(table):
    found = differences(table, 1e-12)
    numerical = found[found["method"] == "numerical"]
    assert (numerical["status"] == "agrees").all() and numerical["value"].max() < 1e-13
    assert len(found) == 2 * 9 * 2


def test_the_papers_forms_agree_everywhere(table):
    found = differences(table, 1e-6)
    assert (found["status"] == "agrees").all() and found["value"].max() < 1e-13


def test_a_wrong_cdf_is_wrong(table):
    """A law with 2 % more concentration, put in the place of the closed form."""
    few = table[(table["law"] == "purkayastha") & (table["kappa"] == 10.0)].copy()
    few["published"] = np.concatenate(
        [law_of("purkayastha", d, 10.2).angle_cdf(rows["angle"].to_numpy()) for d, rows in few.groupby("dim")]
    )
    found = differences(few, 1e-3)
    assert (found[found["method"] == "published"]["status"] == "wrong").all()


def test_concentrated_laws_are_looked_at_where_they_move():
    law = law_of("purkayastha", 3, 1e4)
    angles = angles_of(law, SETTINGS)
    assert ((law.angle_cdf(angles) > 0.05) & (law.angle_cdf(angles) < 0.95)).sum() == 2
    assert np.allclose(integrated(law.angle_pdf, angles), law.angle_cdf(angles), atol=1e-12)
    assert set(compute_angular_cdfs.PUBLISHED) == {"purkayastha", "von_mises_fisher"}


def test_figure_rings_what_fails(table):
    table = table.copy()
    table.loc[(table["law"] == "von_mises_fisher") & (table["dim"] == 100), "published"] = np.nan
    figure = plot_angular_cdfs.draw(table, 1e-6)
    assert len(figure.axes) == 2 * 3

    def rings(ax):
        return sum(line.get_xdata().size for line in ax.lines if line.get_marker() == "o")

    assert rings(figure.axes[0]) == 0 and rings(figure.axes[5]) > 10
