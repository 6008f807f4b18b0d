"""Mean angles on rotations: closed forms, the best mechanism, and a wrong distribution that is caught."""

import numpy as np
import pandas as pd
import pytest
from looks import label_faults, styled  # noqa: F401
from scipy import integrate

from dirpriv.distributions import RotationUniform
from study.experiments.rotation_errors import plot as plot_rotation_errors
from study.experiments.rotation_errors import simulate as simulate_rotation_errors
from study.experiments.rotation_errors.simulate import printed_mean, simulate
from study.papers import rotations
from study.simulation.mechanisms import compared_on_rotations

SETTINGS = {"epsilons": [0.316, 1.0, 3.49, 3.5, 31.6], "draws": 10_000}


@pytest.fixture(scope="module")
def table():
    return pd.DataFrame(simulate(SETTINGS, seed=9))


def test_drawn_means_are_those_of_the_distributions(table):
    """The largest of 35 |z| below 5.8: a correct sampler fails with probability 2e-7."""
    assert len(table) == len(SETTINGS["epsilons"]) * (len(compared_on_rotations()) + 1)
    assert ((table["value"] - table["expected"]) / table["standard_error"]).abs().max() < 5.8


def test_a_concentration_off_by_five_percent_is_caught(monkeypatch):
    def wrong(name):
        return lambda epsilon, calibration: altered(right(name)(epsilon, calibration=calibration))

    def altered(found):
        wrong_distribution = type(found.noise)(1.05 * found.noise.kappa)
        object.__setattr__(
            found.noise, "angle_rvs", wrong_distribution.angle_rvs
        )  # a distribution cannot be changed otherwise
        return found

    right = simulate_rotation_errors.class_of
    monkeypatch.setattr(simulate_rotation_errors, "class_of", wrong)
    table = pd.DataFrame(simulate({**SETTINGS, "epsilons": [31.6]}, seed=9))
    assert ((table["value"] - table["expected"]) / table["standard_error"]).abs().max() > 5.8


def test_laplace_has_the_least_mean_angle_at_every_level(table):
    private = table[np.isfinite(table["metric_level"])]
    others = private[private["mechanism"] != "rotation_laplace"]
    assert (others["ratio_expected"] >= 1.0 - 1e-12).all()
    assert (private.loc[private["mechanism"] == "rotation_laplace", "ratio_expected"] == 1.0).all()
    assert set(private.loc[private["mechanism"] == "printed", "epsilon"]) == {3.5, 31.6}
    private = private[private["mechanism"] != "printed"]
    tight = private[private["calibration"] == "tight"]
    assert np.allclose(tight["metric_level"], tight["epsilon"], rtol=1e-9, atol=0.0)
    bingham = private[private["calibration"] == "published"]
    assert np.allclose(bingham["metric_level"], np.pi / 8.0 * bingham["epsilon"], rtol=1e-12, atol=0.0)
    assert (others.groupby("epsilon")["ratio_expected"].max() > 1.01).all()


def test_the_printed_sampler_has_a_level_from_its_threshold_on_and_jumps_there(table):
    printed = table[table["mechanism"] == "printed"].set_index("epsilon")
    assert np.isinf(printed.loc[:3.49, "metric_level"]).all()
    # the slope of the log kernel of what is rejected above π, by differences
    for epsilon in (3.5, 31.6):
        theta = np.linspace(1e-3, np.pi, 4001)
        slope = np.gradient(-2.0 * np.log(np.sinc(0.5 * theta / np.pi)) - epsilon * theta, theta)
        assert abs(np.abs(slope).max() / printed.loc[epsilon, "metric_level"] - 1.0) < 1e-3
        share = integrate.quad(lambda x, e=epsilon: 0.5 * e**3 * x**2 * np.exp(-e * x), 2.0 * np.pi, np.inf)[0]
        assert np.isclose(printed.loc[epsilon, "above_two_pi"], share, rtol=1e-6, atol=1e-60)
    near = np.array([1e-5, 1e-4])  # wrapped: unbounded at the true rotation, without a level
    shares = rotations.gamma_angle_cdf(near, 3.5, beyond="wrap") / RotationUniform().angle_cdf(near)
    assert shares[0] > 50.0 * shares[1]
    assert np.isclose(printed.loc[3.5, "too_steep"], 8.1322713e-5, rtol=1e-7, atol=0.0)  # by 40 digits
    assert printed.loc[3.49, "ratio_expected"] < 0.7 < 1.0 < printed.loc[3.5, "ratio_expected"]
    for epsilon in (3.5, 31.6):  # the gamma distribution, without the angles above π
        moments = [integrate.quad(lambda x, k=k, e=epsilon: x**k * np.exp(-e * x), 0.0, np.pi)[0] for k in (2, 3)]
        assert abs(printed_mean(epsilon) - moments[1] / moments[0]) < 1e-8


def test_figure_names_every_mechanism(table):
    figure = plot_rotation_errors.draw(table)
    for ax in figure.axes:
        texts = " ".join(text.get_text() for text in ax.texts)
        assert all(name in texts for name in ("as printed", "Bingham, published", "chordal", "folded Purkayastha"))
    assert not label_faults(figure) and figure.get_suptitle().startswith("No private mechanism")
    nearer = table.assign(ratio_expected=table["ratio_expected"].mask(table["mechanism"] == "rotation_bingham", 0.9))
    assert plot_rotation_errors.draw(nearer).get_suptitle().startswith("Bingham has smaller")
