"""The experiment place_histogram: its noise, its table, its references, what it says of the paper's band."""

import numpy as np
import pandas as pd
import pytest
from looks import faults, styled, title_follows  # noqa: F401
from scipy import stats

from dirpriv import geometry
from dirpriv.geometry import earth
from study.experiments.place_histogram import plot as plot_place_histogram
from study.experiments.place_histogram.compare import compare, summarise
from study.experiments.place_histogram.simulate import CheckinPlaces, simulate
from study.simulation.baselines import NO_PRIVACY, REFERENCES, UNIFORM, uniform_noise
from study.simulation.mechanisms import mechanism_within
from study.workflow.parquet import write_parquet

ALPHA = 1e-6  # error rate of each statistical test here
WIDE = 5.2  # standard errors; passed by 2e-7 of normal deviates
SETTINGS = {
    "mechanisms": ["von_mises_fisher", "purkayastha", "polar_laplace"],
    "epsilons": [0.01, 1.0, 100.0],
    "cells": 60,
    "responses": 3000,
    "half_width": 0.005,
    "most_draws": 300_000,
    "claimed_band": [0.1, 10.0],
}


@pytest.fixture(scope="module")
def places(tmp_path_factory):
    """Check-ins around four towns, one at the antimeridian and one at a pole."""
    rng = np.random.default_rng(6)
    towns = np.array([[40.7, -74.0], [35.7, 139.7], [-17.8, 179.9], [89.5, 10.0]])
    drawn = towns[rng.choice(4, 9000, p=[0.5, 0.3, 0.15, 0.05])]
    drawn = earth.destination(drawn, 2 * np.pi * rng.random(9000), 3e5 * rng.random(9000))
    path = tmp_path_factory.mktemp("places") / "towns.parquet"
    columns = {"latitude": drawn[:, 0], "longitude": drawn[:, 1]}
    write_parquet(pd.DataFrame(columns), path)
    return CheckinPlaces("towns", path, SETTINGS, seed=3)


@pytest.fixture(scope="module")
def table(places):
    names = [*SETTINGS["mechanisms"], *REFERENCES]
    return pd.DataFrame(row for name in names for row in simulate(name, places, SETTINGS, seed=3))


def test_table_is_complete(table, places):
    sizes = dict.fromkeys(SETTINGS["mechanisms"], 3 * 2) | dict.fromkeys(REFERENCES, 2)
    assert table.groupby("mechanism").size().to_dict() == sizes
    assert not table.drop(columns=["epsilon", "kappa"]).isna().any().any()
    assert (table["low"] < table["value"]).all() and (table["value"] < table["high"]).all()
    assert places.counts.sum() == 9000 and places.sample_counts.sum() == 3000 == len(places.sample)
    assert dict(table.groupby("metric")["unit"].unique().str[0]) == {"emd": "km", "mae": "share"}


@pytest.mark.parametrize("name", SETTINGS["mechanisms"])
def test_noise_is_that_of_the_level_per_radian(name, places):
    """Angles between true and noisy places against the distribution (Kolmogorov-Smirnov, rate ALPHA), κ = ε."""
    mechanism = mechanism_within(name, 2.0, 1.0, "published", dim=3)
    x = np.tile(places.sample, (6, 1))
    theta = geometry.angle_between_vectors(mechanism.randomise(x, rng=np.random.default_rng(1)), x)
    assert stats.kstest(theta, mechanism.noise.angle_cdf).pvalue > ALPHA
    wrong = mechanism_within(name, 2.0, 0.9, "published", dim=3).noise
    assert stats.kstest(theta, wrong.angle_cdf).pvalue < ALPHA


def test_uniform_noise_fills_all_cells_alike(places):
    """Chi-square, rate ALPHA; noise that is uniform in latitude crowds the poles and is caught."""
    rng = np.random.default_rng(2)
    seen = sum(places.noisy_counts(uniform_noise(3), rng) for _ in range(10))
    assert stats.chisquare(seen).pvalue > ALPHA
    wrong = np.column_stack([rng.uniform(-90, 90, seen.sum()), rng.uniform(-180, 180, seen.sum())])
    assert stats.chisquare(places.cells.histogram(wrong)).pvalue < ALPHA


def test_errors_lie_between_the_references(table):
    """For the directional mechanisms; polar Laplace is worse than uniform noise at ε = 1 in no test here."""
    emd = table[table["metric"] == "emd"].set_index("mechanism")
    uniform, sampled = emd.loc[UNIFORM], emd.loc[NO_PRIVACY]
    for name in ("purkayastha", "von_mises_fisher"):
        assert (emd.loc[name, "low"] <= uniform["high"]).all()
        assert emd.loc[name, "value"].is_monotonic_decreasing
        least = emd.loc[name, "value"].iloc[1]
        assert sampled["value"] < least < uniform["low"]


def test_where_polar_laplace_is_worse(table):
    """At ε = 1, by far; with the names of the two exchanged it is the better one."""
    comparison = compare(table).set_index(["metric", "against", "epsilon"])
    row = comparison.loc[("emd", "purkayastha", 1.0)]
    assert row["polar_laplace_is"] == "worse" and row["ratio_low"] > 1.1
    names = {"purkayastha": "polar_laplace", "polar_laplace": "purkayastha"}
    exchanged = compare(table.replace({"mechanism": names})).set_index(["metric", "against", "epsilon"])
    assert exchanged.loc[("emd", "purkayastha", 1.0), "polar_laplace_is"] == "better"
    assert np.isclose(exchanged.loc[("emd", "purkayastha", 1.0), "ratio"] * row["ratio"], 1.0)
    assert comparison.loc[("emd", "purkayastha", 100.0), "ratio_low"] < 1.05
    assert comparison.loc[("emd", "von_mises_fisher", 100.0), "polar_laplace_is"] == "better"


@pytest.mark.parametrize(
    ("worse_at", "verdict"), [([0.1, 1.0, 10.0], "reproduced"), ([1.0], "partly"), ([0.01, 100.0], "not reproduced")]
)
def test_verdict_on_the_band(worse_at, verdict):
    epsilons = [0.01, 0.1, 1.0, 10.0, 100.0]
    comparison = pd.DataFrame(
        {
            "population": "world",
            "metric": "emd",
            "against": "purkayastha",
            "epsilon": epsilons,
            "ratio": [1.2, 1.1, 1.3, 1.0, 1.0],
            "polar_laplace_is": ["worse" if e in worse_at else "not told apart" for e in epsilons],
        }
    )
    summary = pd.DataFrame(summarise(comparison, [0.1, 10.0])).iloc[0]
    assert summary["band_is"] == verdict and summary["in_band"] == 3
    assert summary["worse_at"] == " ".join(f"{e:g}" for e in worse_at) and summary["better_at"] == ""
    assert summary["largest_ratio_at"] == 1.0


def test_second_sample_has_the_error_of_a_sample(places, table):
    """Mean absolute error of multinomial shares, √(2p(1 - p)/πn), within WIDE standard errors and 3 %."""
    p, n = places.counts / places.counts.sum(), len(places.sample)
    expected = np.sqrt(2 * p * (1 - p) / (np.pi * n)).mean()
    row = table[(table["mechanism"] == NO_PRIVACY) & (table["metric"] == "mae")].iloc[0]
    assert abs(row["value"] - expected) < WIDE * row["standard_error"] + 0.03 * expected
    assert abs(row["value"] - np.sqrt(2) * expected) > WIDE * row["standard_error"]  # two samples' difference


def test_figure(table):
    assert not faults(plot_place_histogram.draw(table, SETTINGS))
    assert title_follows(lambda table: plot_place_histogram.draw(table, SETTINGS), table)
