"""Figure 3 of the SO(3) paper: angles at given radii of indistinguishability."""

import numpy as np
import pytest
from looks import faults, styled, title_follows  # noqa: F401
from scipy import stats

from dirpriv.distributions import RotationBingham, RotationLaplace
from study.experiments.rotation_angles import plot as plot_rotation_angles
from study.experiments.rotation_angles import simulate as simulate_rotation_angles
from study.experiments.rotation_angles.simulate import COMPARED, mechanism_by, simulate
from study.papers import rotations
from study.workflow.job import InputError

SETTINGS = {"level": 0.683, "radii_degrees": [30.0, 120.0], "draws": 20_000, "probabilities": [0.05, 0.95], "bins": 30}
ALPHA = 1e-6  # error rate of each statistical test here
MEANS = {  # degrees, ρ = 30°, from quadrature of the densities
    ("rotation_laplace", "tight"): 25.5,
    ("rotation_bingham", "published"): 68.7,
    ("rotation_bingham", "abstract"): 49.4,
    ("rotation_bingham", "tight"): 37.5,
}


@pytest.fixture(scope="module")
def tables():
    return simulate(SETTINGS, seed=3)


def test_means_at_thirty_degrees(tables):
    means = tables[0][(tables[0]["metric"] == "mean_angle") & (tables[0]["radius"] == 30.0)]
    assert len(means) == len(MEANS)
    for row in means.itertuples():
        assert abs(row.expected - MEANS[row.mechanism, row.calibration]) < 0.05
    theta = np.linspace(0.0, np.pi, 20_001)
    epsilon = means["epsilon"].iloc[0]
    for row, kernel in zip(
        means.itertuples(),
        [
            -epsilon * theta,
            -0.25 * np.pi * epsilon * np.sin(theta / 2) ** 2,
            -4 / np.pi * epsilon * np.sin(theta / 2) ** 2,
            -2 * epsilon * np.sin(theta / 2) ** 2,
        ],
        strict=True,
    ):
        density = np.sin(theta / 2) ** 2 * np.exp(kernel)
        assert abs(row.expected - np.rad2deg((theta * density).sum() / density.sum())) < 1e-3


def test_drawn_values_are_those_of_the_distributions(tables):
    summary, histograms = tables
    means = summary[summary["metric"] == "mean_angle"]
    assert ((means["value"] - means["expected"]) / means["standard_error"]).abs().max() < 5.3
    quantiles = summary[summary["metric"] != "mean_angle"]
    half = 5.3 / 1.96 * (quantiles["high"] - quantiles["low"])
    assert ((quantiles["value"] - quantiles["expected"]).abs() < half).all()
    width = 180.0 / SETTINGS["bins"]
    count = (histograms["value"] * width * SETTINGS["draws"]).round()
    p = 2.0 * np.minimum(
        stats.binom.cdf(count, SETTINGS["draws"], histograms["expected"] * width),
        stats.binom.sf(count - 1, SETTINGS["draws"], histograms["expected"] * width),
    )
    assert p.min() > ALPHA / len(p)
    radius = summary[(summary["metric"] == "radius") & (summary["mechanism"] == "rotation_laplace")]
    assert np.allclose(radius["expected"], radius["radius"], rtol=1e-12, atol=0.0)


def test_a_concentration_off_by_three_percent_is_caught(monkeypatch):
    def wrong(mechanism, truth, draws, rng):
        distribution = type(mechanism.noise)(1.03 * mechanism.noise.kappa)
        return np.rad2deg(distribution.angle_rvs(draws, rng=rng))

    monkeypatch.setattr(simulate_rotation_angles, "draw_angles", wrong)
    summary, _ = simulate({**SETTINGS, "radii_degrees": [30.0]}, seed=3)
    means = summary[summary["metric"] == "mean_angle"]
    assert ((means["value"] - means["expected"]) / means["standard_error"]).abs().max() > 5.3


def test_radius_and_budget():
    for radius in (1e-6, 0.1, 2.5):
        epsilon = rotations.epsilon_of_radius(radius, 0.683)
        assert abs(RotationLaplace(epsilon).angle_cdf(radius) - 0.683) < 1e-12
    distributions = {pair: mechanism_by(*pair, 2.0).noise for pair in COMPARED}
    assert distributions["rotation_laplace", "tight"].kappa == 2.0
    assert distributions["rotation_bingham", "published"].kappa == RotationBingham(np.pi / 2.0).kappa
    assert np.isclose(distributions["rotation_bingham", "abstract"].kappa, 8.0 / np.pi, rtol=1e-15, atol=0.0)
    assert distributions["rotation_bingham", "tight"].kappa == 4.0


def test_a_radius_beyond_that_of_uniform_noise_has_no_epsilon():
    with pytest.raises(InputError, match=r"uniform noise has 150\.8°"):
        simulate({**SETTINGS, "level": 0.683, "radii_degrees": [155.0]}, seed=3)


def test_a_cell_depends_on_its_name_alone(tables):
    alone, _ = simulate({**SETTINGS, "radii_degrees": [120.0]}, seed=3)
    among = tables[0][tables[0]["radius"] == 120.0]
    assert (alone["value"].to_numpy() == among["value"].to_numpy()).all()


def test_figure_writes_the_means(tables):
    figure = plot_rotation_angles.draw(*tables, SETTINGS)
    assert figure.axes[0].get_title().startswith("ρ = 30°") and not faults(figure)
    assert title_follows(lambda *tables: plot_rotation_angles.draw(*tables, SETTINGS), *tables)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert len(texts) == len(plot_rotation_angles.LABELS) and any("2ε: mean 37." in text for text in texts)
