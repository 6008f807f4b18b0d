"""The search for the survey size, and the ratios made from it."""

import numpy as np
import pandas as pd
import pytest
from looks import label_faults, styled, title_follows, without_labels  # noqa: F401
from scipy import integrate, optimize
from sweeps import swept

from study.experiments.survey_size import check_printed
from study.experiments.survey_size import plot as plot_survey_size
from study.experiments.survey_size.baseline_ratios import ratios
from study.experiments.survey_size.search import bracket, fitted_size, search, survey_sizes
from study.experiments.survey_size.search_directional import directional_sizes
from study.simulation.estimates import Estimate
from study.simulation.mean_errors import mean_local_error
from study.simulation.mechanisms import pure_mechanism
from study.simulation.populations import population_of_hour

SETTINGS = {"epsilons": [2.0, 8.0], "error": 0.1, "half_width": 0.05, "most_draws": 5_000_000}
SETTINGS |= {"printed_epsilon": 8.0, "printed_half_width": 0.006, "printed_draws": 10_000_000}
ONE_DIRECTION = population_of_hour(8.0)


@pytest.mark.parametrize("start", [1, 50, 99, 100, 101, 4000])
def test_bracket_holds_the_crossing(start):
    low, high = bracket(lambda n: 1.0 / np.sqrt(n), start, 0.1, 10**6)
    assert 1.0 / np.sqrt(low) > 0.1 >= 1.0 / np.sqrt(high) and high <= 2 * low
    assert bracket(lambda n: 1.0, 1, 0.1, 10**6) is None
    assert bracket(lambda n: 0.01, start, 0.1, 10**6) == (1, 1)


def test_fitted_size_of_an_exact_power_distribution():
    sizes = np.array([80, 100, 125])
    estimates = [Estimate(1.0 / np.sqrt(n), 0.001 / np.sqrt(n), 1000) for n in sizes]
    size = fitted_size(sizes, estimates, 0.1)
    assert np.isclose(size.value, 100.0) and size.repetitions == 3000
    # N goes as the error to the power -2; three points of 0.1 % each
    assert np.isclose(np.log(size.high / size.low), 2 * 1.96 * 2 * 0.001 / np.sqrt(3), rtol=0.01, atol=0.0)


def test_interval_of_the_fit_covers_the_truth():
    """1000 fits to noisy points: the 95 % interval covers 92 to 98 times in 100 (rate 1e-5)."""
    rng = np.random.default_rng(1)
    sizes = np.array([80, 100, 125])
    covered = 0
    for _ in range(1000):
        estimates = [Estimate(rng.normal(1, 0.01) / np.sqrt(n), 0.01 / np.sqrt(n), 1000) for n in sizes]
        size = fitted_size(sizes, estimates, 0.1)
        covered += size.low <= 100 <= size.high
    assert 920 < covered < 980


@pytest.mark.parametrize(
    ("name", "calibration", "size", "tolerance"),
    [
        ("purkayastha", "published", 796, 25),
        ("von_mises_fisher", "tight", 534, 20),
        *swept(
            ("wrapped_laplace", "tight", 628, 25),
            ("von_mises_fisher", "published", 1282, 40),
            ("wrapped_laplace", "published", 3676, 110),
        ),
    ],
)
def test_survey_sizes_of_the_paper(name, calibration, size, tolerance):
    """Everyone at one direction, ε = 1, MAE 0.1 rad (paper A, abstract)."""
    mechanism = pure_mechanism(name, 1.0, calibration)
    settings = {"error": 0.1, "half_width": 0.02, "most_draws": 1e8}
    found, _, status = search(mechanism, ONE_DIRECTION, ("cell", name), ("people",), 1, settings)
    assert status == "found"
    assert abs(found.value - size) <= tolerance
    assert (found.high - found.low) / found.value < 0.06


def test_one_number_of_responses_is_found_where_there_is_one(monkeypatch):
    """From the errors at 100 responses, and not from those at 100 and 200; the interval has a rate of 5 %."""
    names = ("purkayastha", "von_mises_fisher")

    def found(*numbers):
        mechanisms = [pure_mechanism(name, 4.0, "published") for name in names]
        errors = [
            mean_local_error(mechanism, ONE_DIRECTION, n, ("cell",), ("people",), 2, 0.014, 1e7).value
            for mechanism, n in zip(mechanisms, numbers, strict=True)
        ]
        settings = SETTINGS | {"printed_errors": dict(zip(names, errors, strict=True)), "printed_epsilon": 4.0}
        settings |= {"printed_responses": {"purkayastha": 55, "von_mises_fisher": 95}}
        rows = check_printed.specifications({"one_direction": ONE_DIRECTION}, ["published"], settings, 1)
        return pd.DataFrame(rows).set_index(["statement", "unit"])

    table = found(100, 100)
    assert table.loc[("three errors", "h"), "n_purkayastha"] > 10 * table.loc[("two sizes", "rad"), "n_purkayastha"]
    sizes = table.loc["two sizes"]
    assert sizes.loc["rad", "value"] == pytest.approx(1.0, abs=0.05) and sizes.loc["h", "value"] > 10.0
    monkeypatch.setattr(check_printed, "UNITS", {"rad": 1.0})
    same, other = (of.loc[("three errors", "rad")] for of in (table, found(100, 200)))
    assert same["low"] < 1.06 and abs(same["n"] / 100.0 - 1.0) < 0.1 and abs(same["deviation"]) < 0.05
    assert abs(other["value"] / 2.0 - 1.0) < 0.2 and other["low"] > 1.5
    assert abs(other["deviation"]) == pytest.approx(2.0**0.25 - 1.0, abs=0.08)  # an error goes as N to the power -1/2


def test_no_survey_is_large_enough_for_a_biased_mean():
    mechanism = pure_mechanism("clipped_laplace", 1.0, "published")
    size, expected, status = search(mechanism, ONE_DIRECTION, ("cell",), ("people",), 1, SETTINGS)
    assert status == "never reached" and expected == np.inf and np.isnan(size.value)


def test_what_is_too_large_to_simulate_is_said_to_be():
    mechanism = pure_mechanism("wrapped_laplace", 0.1, "published")
    size, expected, status = search(mechanism, ONE_DIRECTION, ("cell",), ("people",), 1, SETTINGS)
    assert status == "beyond the search" and np.isnan(size.value)
    assert np.isclose(expected, 3.1e7, rtol=0.01, atol=0.0)


def test_one_response_can_be_enough():
    mechanism = pure_mechanism("purkayastha", 1000.0, "published")
    size, _, status = search(mechanism, ONE_DIRECTION, ("cell",), ("people",), 1, SETTINGS)
    assert (size.value, status) == (1.0, "found")


@pytest.fixture(scope="module")
def table():
    names = ["purkayastha", "wrapped_laplace", "clipped_laplace"]
    return pd.DataFrame(
        row
        for name in names
        for row in survey_sizes(name, ONE_DIRECTION, "one_direction", ["published", "tight"], SETTINGS, seed=1)
    )


def test_table_and_ratios(table):
    assert len(table) == 2 * (1 + 2 + 2)
    found = table[table["status"] == "found"]
    assert (found["n"] == np.ceil(found["value"])).all()
    compared = ratios(table)
    baseline = compared[(compared["mechanism"] == "wrapped_laplace") & (compared["calibration"] == "published")]
    assert (baseline["ratio"] == 1.0).all() and (baseline["ratio_low"] == 1.0).all()
    pur = compared[(compared["mechanism"] == "purkayastha") & (compared["epsilon"] == 2.0)].iloc[0]
    assert pur["ratio_low"] < pur["expected_ratio"] < pur["ratio_high"]
    assert np.isclose(pur["expected_ratio"], 1 / np.tanh(1.0) ** 2, rtol=1e-6, atol=0.0)  # coth²(ε/2)
    assert ratios(table[table["mechanism"] == "purkayastha"]).empty


def test_the_printed_level_has_a_narrower_interval(table):
    found = table[table["mechanism"] == "purkayastha"].set_index("epsilon")
    relative = (found["high"] - found["low"]) / (2.0 * found["value"])
    assert relative[8.0] < 0.0075 and relative[2.0] > 2.0 * relative[8.0]


TIGHT = optimize.brentq(lambda kappa: kappa * np.tanh(kappa * np.pi) - 1.0, 0.5, 2.0)


@pytest.fixture(scope="module")
def directional():
    return pd.DataFrame(directional_sizes([0.3, 1.0], SETTINGS, seed=1))


def at_one(directional):
    return directional[directional["epsilon"] == 1.0].set_index(["space", "mechanism"])


@pytest.mark.parametrize(
    ("space", "name", "across", "kernel"),
    [
        ("circle", "purkayastha", np.sqrt(2.0 / np.pi), lambda t: np.exp(-t)),
        ("circle", "von_mises_fisher", np.sqrt(2.0 / np.pi), lambda t: np.exp(np.cos(t))),
        ("circle", "wrapped_laplace", np.sqrt(2.0 / np.pi), lambda t: np.cosh(TIGHT * (np.pi - t))),
        ("sphere", "purkayastha", np.sqrt(np.pi) / 2.0, lambda t: np.sin(t) * np.exp(-t)),
        ("sphere", "von_mises_fisher", np.sqrt(np.pi) / 2.0, lambda t: np.sin(t) * np.exp(np.cos(t))),
    ],
)
def test_sizes_at_one_level_per_radian(directional, space, name, across, kernel):
    """Against integrals: (E‖Z‖)² E sin²θ/(ρ error)². The interval has a rate of 1e-5."""
    one, cosine, square = (
        integrate.quad(lambda t: kernel(t) * f(t), 0.0, np.pi)[0]  # noqa: B023
        for f in (np.ones_like, np.cos, lambda t: np.sin(t) ** 2)
    )
    size, row = (across / 0.1) ** 2 * square * one / cosine**2, at_one(directional).loc[(space, name)]
    assert row["status"] == "found" and row["expected"] == pytest.approx(size, rel=1e-6)
    assert abs(row["value"] / size - 1.0) < 0.02 + 2.3 * (row["high"] / row["value"] - 1.0)  # the limit is 2 % off


def test_a_mechanism_without_a_level_per_radian_has_no_size(directional):
    table = at_one(directional)
    assert list(table.index[table["status"] == "no such level"]) == [
        ("circle", "clipped_laplace"),
        ("sphere", "polar_laplace"),
    ]


PRINTED = {"purkayastha": 750, "wrapped_laplace": 3600}


def test_figure_has_the_printed_numbers_and_names_what_never_gets_there(table, directional):
    settings = SETTINGS | {"printed_epsilon": 2.0, "printed_responses": PRINTED}
    figure = plot_survey_size.draw(table, directional, settings)
    texts = [text.get_text() for text in figure.axes[0].texts]
    assert {"no number is enough", "≈ 750", "over 3,600"} <= set(texts)
    assert any("clipped Laplace" in text.get_text() for text in figure.axes[2].texts)
    stars = [line.get_xdata()[0] for line in figure.axes[0].lines if line.get_marker() == "*"]
    assert stars == [750, 3600] and not label_faults(figure)
    assert not [line for ax in figure.axes[1:] for line in ax.lines if line.get_marker() == "*"]
    assert title_follows(lambda *tables: plot_survey_size.draw(*tables, settings), table, directional)
    none = table[table["mechanism"] != "wrapped_laplace"]
    with without_labels():
        assert plot_survey_size.draw(none, directional, settings).get_suptitle().startswith("Responses that")
