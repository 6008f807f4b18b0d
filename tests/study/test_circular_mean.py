"""The experiment circular_mean: its table, its expected values, its populations."""

import numpy as np
import pandas as pd
import pytest
from looks import label_faults, labels_of, styled, title_follows  # noqa: F401

from dirpriv.mechanisms import VonMisesFisherMechanism
from study.checkins.prepared import population_of
from study.experiments.circular_mean import plot as plot_circular_mean
from study.experiments.circular_mean.simulate import expected_error, simulate
from study.simulation.estimates import mean_of_draws
from study.simulation.mechanisms import class_of, distinct_calibrations, pure_mechanism
from study.simulation.populations import Population, population_of_hour
from study.workflow.parquet import write_parquet

SETTINGS = {
    "epsilons": [0.5, 4.0],
    "responses": 50,
    "epsilon": 1.0,
    "responses_grid": [10, 200],
    "half_width": 0.05,
    "most_draws": 500_000,
}
MECHANISMS = ["purkayastha", "von_mises_fisher", "wrapped_laplace", "clipped_laplace"]


@pytest.fixture(scope="module")
def table():
    people = Population(np.random.default_rng(1).normal(2.5, 0.7, 400))
    return pd.DataFrame(
        row for name in MECHANISMS for row in simulate(name, people, "people", ["published", "tight"], SETTINGS, seed=3)
    )


def test_table_is_complete_and_tidy(table):
    points = 2 * len(SETTINGS["epsilons"]) + len(SETTINGS["responses_grid"])
    calibrations = {"purkayastha": 1}
    assert table.groupby("mechanism").size().to_dict() == {
        name: points * calibrations.get(name, 2) * 2 for name in MECHANISMS
    }
    assert not table.isna().any().any()
    local = table[table["view"] != "central"]
    assert (local["low"] < local["value"]).all() and (local["value"] < local["high"]).all()
    hours, radians = (table[table["unit"] == unit]["value"].to_numpy() for unit in ("h", "rad"))
    assert np.allclose(hours, radians * 12 / np.pi)


def test_central_errors_agree_with_the_closed_form(table):
    """The integral, and with draws (rate 4e-8 each); those of a distribution of 10 % less concentration do not."""
    central = table[(table["view"] == "central") & (table["unit"] == "rad")]
    assert np.allclose(central["value"], central["expected"], rtol=1e-4, atol=0.0)
    assert (central["low"] == central["value"]).all() and (central["repetitions"] == 0).all()
    row = central[(central["mechanism"] == "purkayastha") & (central["epsilon"] == 4.0)].iloc[0]
    rng = np.random.default_rng(4)
    for kappa, agrees in ((4.0, True), (3.6, False)):
        mechanism = pure_mechanism("purkayastha", kappa, "published")
        drawn = mean_of_draws(mechanism.noise.angle_rvs(200_000, rng=rng))
        assert (abs(row["value"] - drawn.value) < 5.5 * drawn.standard_error) == agrees


def test_local_errors_fall_towards_the_distribution_or_the_limit(table):
    local = table[(table["view"] == "local_responses") & (table["unit"] == "rad") & (table["n"] == 200)]
    assert ((local["value"] / local["expected"]).between(0.55, 1.6)).all()


def test_expected_error_of_the_clipped_mechanism_is_its_limit():
    people = population_of_hour(8.0)
    mechanism = pure_mechanism("clipped_laplace", 1.0, "published")
    assert expected_error(mechanism, people, "local_epsilon", 100) > 1.0
    assert expected_error(mechanism, people, "central", 0) == mechanism.noise.mean_angle(people.angles[0])


def test_names_and_calibrations():
    assert class_of("von_mises_fisher") is VonMisesFisherMechanism
    assert distinct_calibrations("purkayastha", ["published", "tight"]) == ["published"]
    assert distinct_calibrations("wrapped_laplace", ["published", "tight"]) == ["published", "tight"]
    assert distinct_calibrations("purkayastha", ["tight"]) == ["tight"]


def test_populations(tmp_path):
    local = pd.to_datetime(["2012-04-03 06:00:00", "2013-01-01 23:59:59", "2012-12-31 00:00:00"])
    write_parquet(pd.DataFrame({"local_time": local}), tmp_path / "a.parquet")
    people = population_of("city", [tmp_path / "a.parquet"], 8.0)
    assert np.allclose(people.angles / (2 * np.pi) * 86400, [21600, 86399, 0])
    assert population_of("one_direction", [], 12.0).angles.tolist() == [np.pi]
    assert people.draw((4, 2), np.random.default_rng(1)).shape == (4, 2, 2)


@pytest.mark.parametrize("view", plot_circular_mean.VIEWS)
def test_labels_have_no_faults(table, view):
    sizes = {"n_purkayastha": [90.0, 1000.0], "n_wrapped_laplace": [100.0, 1100.0]}
    printed = pd.DataFrame({"population": "people", "unit": ["rad", "h"], **sizes})
    stated = {"purkayastha": 0.321, "wrapped_laplace": 0.695}
    figure = plot_circular_mean.draw(table, view, printed, stated)
    stars = [line.get_xydata() for line in figure.axes[0].lines if line.get_marker() == "*"]
    if view == "local_responses":
        assert "90 to 100 in rad, 1,000 to 1,100 in h" in figure.get_suptitle()
        points = [[[90.0, 0.321], [100.0, 0.695]], [[1000.0, 0.321 * np.pi / 12], [1100.0, 0.695 * np.pi / 12]]]
        assert np.allclose(stars, points)
    else:
        assert stars == []
        assert title_follows(lambda table: plot_circular_mean.draw(table, view, printed, stated), table)
    assert len(labels_of(figure.axes[0])) == 7 + 1  # of the curves, and of uniform noise
    assert not label_faults(figure)
