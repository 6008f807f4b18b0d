"""The private mean direction: its baseline, its populations, its table against theory."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from looks import label_faults, labels_of, styled, title_follows  # noqa: F401
from sweeps import swept

from dirpriv import estimators, geometry
from dirpriv.distributions import VonMisesFisher
from study.experiments.mean_direction import plot as plot_mean_direction
from study.experiments.mean_direction.simulate import mechanism_at, simulate
from study.simulation.baselines import NoiseOnSphere
from study.simulation.mechanisms import class_of, distinct_calibrations, pure_mechanism
from study.simulation.populations import directions_of

SETTINGS = {
    "dimensions": [2, 3, 25],
    "panel_dimensions": [2, 25],
    "epsilons": [1.0, 30.0],
    "epsilon": 30.0,
    "responses": 60,
    "resultant": 0.5,
    "people": 300,
    "central_half_width": 0.03,
    "local_half_width": 0.06,
    "least_repetitions": 200,
    "most_numbers": 2_000_000,
}
ROOT = Path(__file__).resolve().parents[2]
MECHANISMS = ["purkayastha", "von_mises_fisher", "vector_laplace"]
WIDE = 5.2  # standard errors; passed by 2e-7 of normal deviates


@pytest.fixture(scope="module")
def table():
    return pd.DataFrame(row for name in MECHANISMS for row in simulate(name, ["published", "tight"], SETTINGS, seed=4))


def test_table_is_complete_and_tidy(table):
    assert table.groupby("mechanism").size().to_dict() == {
        "purkayastha": 2 * 3 * 2 * 2,
        "von_mises_fisher": 2 * 3 * 2 * 2 * 2,
        "vector_laplace": 2 * 3 * 3 * 2,
    }
    assert not table.isna().any().any()
    drawn = table[table["repetitions"] > 0]
    assert (drawn["low"] < drawn["value"]).all() and (drawn["value"] < drawn["high"]).all()
    assert set(table.loc[table["repetitions"] == 0, "view"]) == {"central"}


def test_central_errors_agree_with_draws(table):
    """Rate 4e-7 for both distributions; one of 10 % less level is more than 20 standard errors away."""
    found = table[(table["view"] == "central") & (table["dim"] == 25) & (table["epsilon"] == 30.0)]
    for name in ("purkayastha", "von_mises_fisher"):
        row = found[(found["mechanism"] == name) & (found["calibration"] == "published")].iloc[0]
        for epsilon, agrees in ((30.0, True), (27.0, False)):
            angles = pure_mechanism(name, epsilon, "published", 25).noise.angle_rvs(100_000, rng=8)
            off = abs(row["value"] - angles.mean()) / (angles.std() / np.sqrt(len(angles)))
            assert (off < WIDE) == agrees and (agrees or off > 20.0)


def test_errors_agree_with_theory(table):
    """Central: integrated, or within WIDE standard errors; local: the normal distribution, within 6 % besides."""
    off = (table["value"] - table["expected"]).abs()
    central = table["view"] != "local"
    assert (off <= WIDE * table["standard_error"] + 1e-12)[central].all()
    assert (off < WIDE * table["standard_error"] + 0.06 * table["expected"])[~central].all()
    # the small-angle distribution would not do: at n = 25 it promises more than a right angle
    distribution = pure_mechanism("purkayastha", 1.0, "published", 25).noise
    row = table[(table["mechanism"] == "purkayastha") & (table["dim"] == 25) & (table["epsilon"] == 1.0)]
    assert estimators.expected_mean_error(distribution, 60) > 1.2 * row[row["view"] == "local"]["value"].max()


@pytest.mark.parametrize(("dim", "kappa"), [(2, 0.8), (2, 8.0), (3, 1.5), *swept((40, 30.0)), (40, 400.0)])
def test_means_of_the_baseline(dim, kappa):
    """100 000 draws: each mean within WIDE standard errors; with 10 % more noise it is not."""
    mechanism, axis = NoiseOnSphere(dim, kappa), np.eye(1, dim)
    truth = np.broadcast_to(axis, (100_000, dim))
    for noisy, right in ((mechanism, True), (NoiseOnSphere(dim, kappa / 1.1), False)):
        y = noisy.randomise(truth, rng=np.random.default_rng(2))
        assert np.abs((y**2).sum(axis=1) - 1.0).max() < 1e-14
        theta = geometry.angle_between_vectors(y, truth)
        z = [
            (sample.mean() - mean) / (sample.std() / np.sqrt(sample.size))
            for sample, mean in (
                (theta, mechanism.noise.mean_angle()),
                (y[:, 0], mechanism.noise.mean_cosine()),
                (np.sin(theta) ** 2, mechanism.noise.mean_squared_sine()),
            )
        ]
        assert (max(np.abs(z)) < WIDE) == right, z


def test_wrong_radius_of_the_note_is_caught():
    """An exponential length of the noise instead of the gamma one is nearer to the truth, and not private."""
    rng, mechanism = np.random.default_rng(3), NoiseOnSphere(3, 2.0)
    z = rng.standard_normal((100_000, 3))
    z *= (rng.standard_exponential(100_000) / 2.0 / np.linalg.norm(z, axis=1))[:, None]
    axis = np.eye(1, 3)[0]
    theta = geometry.angle_between_vectors(estimators.mean_direction((z + axis)[:, None]), axis)
    error = theta.std() / np.sqrt(theta.size)
    assert mechanism.noise.mean_angle() - theta.mean() > 20 * error


def test_normalised_responses_are_the_better_ones():
    """The claims for putting responses back on the sphere: their σ/ρ over that of the raw sum, √(n + 1)/κ."""
    for dim, worst in ((2, 1.025), (3, 1.0063), (5, 1.0), (50, 1.0)):
        ratios = []
        for kappa in (0.01, 1.0, 3.0, 5.866, 9.65, 30.0, 1000.0):
            noise = NoiseOnSphere(dim, kappa)
            sigma = np.sqrt(noise.noise.mean_squared_sine() / (dim - 1))
            ratios.append(sigma / noise.noise.mean_cosine() / (np.sqrt(dim + 1.0) / kappa))
        assert max(ratios) <= worst and max(ratios[:3]) < 1.0
        assert np.isclose(ratios[0], np.sqrt(dim / (dim + 1.0)), rtol=1e-3, atol=0.0)
        assert np.isclose(ratios[-1], 1.0, rtol=1e-3, atol=0.0)


def test_the_largest_level_of_the_study():
    """Its own grid on the circle, too narrow for controls: near the normal distribution of the sum.

    Within WIDE standard errors and 1 %, as the sum is nearly normal; the distribution of half the level is caught.
    """
    own = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))["mean_direction"]
    settings = own | {"dimensions": [2], "epsilons": [max(own["epsilons"])]}
    for name in MECHANISMS:
        rows = pd.DataFrame(simulate(name, ["published", "tight"], settings, seed=4))
        rows = rows[rows["view"] == "local"]
        off, error = (rows["value"] - rows["expected"]).abs(), rows["standard_error"]
        assert (off < WIDE * error + 0.01 * rows["expected"]).all()
        weaker = pure_mechanism(name, settings["epsilons"][0] / 2.0, "published").noise
        wrong = estimators.normal_mean_error(weaker, settings["responses"])
        assert ((rows["value"] - wrong).abs() > WIDE * error + 0.01 * wrong).all()


def test_populations():
    people = directions_of("spread", 10, 0.5, 20_000, np.random.default_rng(1))
    assert people.vectors.shape == (20_000, 10)
    assert abs(np.linalg.norm(people.vectors.mean(axis=0)) - 0.5) < 0.01
    assert people.draw((4, 2), np.random.default_rng(1)).shape == (4, 2, 10)
    one = directions_of("one_direction", 4, 0.5, 1, None)
    assert one.draw((3,), None).tolist() == [[1.0, 0.0, 0.0, 0.0]] * 3


def test_the_baseline_on_the_mean_vector_knows_how_many_there_are():
    spread = directions_of("spread", 3, 0.5, 50_000, np.random.default_rng(1))
    mechanism = mechanism_at("vector_laplace", "central_vector", 1.0, "published", 3, spread, 300)
    assert abs(mechanism.noise.kappa / (300 / 2 * 0.5) - 1.0) < 0.02
    assert mechanism_at("vector_laplace", "central", 1.0, "published", 3, spread, 300).noise.kappa == 0.5


def test_names():
    assert class_of("vector_laplace") is NoiseOnSphere
    assert distinct_calibrations("vector_laplace", ["published", "tight"]) == ["published"]
    assert isinstance(pure_mechanism("von_mises_fisher", 1.0, "tight", 5).noise, VonMisesFisher)


def test_figures(table):
    figure = plot_mean_direction.draw(table, SETTINGS)
    assert len(figure.axes) == 2 * 2
    labels = [label.get_text() for label in labels_of(figure.axes[1])]
    assert labels == [
        "Purkayastha",
        "von Mises–Fisher, published",
        "von Mises–Fisher, tight",
        "vector Laplace, published",
        "vector Laplace, mean vector",
        "uniform noise",
    ]
    assert not label_faults(figure)
    assert title_follows(lambda table: plot_mean_direction.draw(table, SETTINGS), table)
