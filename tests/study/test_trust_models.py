"""The experiment of the trust models: surveys of the planned size have the error; its figure can be read."""

import numpy as np
import pandas as pd
import pytest
from looks import faults, styled, title_follows  # noqa: F401
from scipy.stats import chi2, ncx2

from study.experiments.trust_models import plot, simulate

SETTINGS = {
    "epsilons": [1.0], "error": 0.25, "delta": 1e-6, "surveys": 100, "half_width": 0.1,
    "most_draws": 100_000, "local_levels": [4.0], "radius": "3h", "histogram_people": 2000,
    "histogram_epsilons": [0.5, 2.0], "histogram_surveys": 3,
}  # fmt: skip
DAY = {"peaks": [8.5, 18.5], "peak_deviation": 1.0, "bins": 24}


@pytest.fixture(scope="module")
def table():
    return pd.DataFrame(simulate.surveys(SETTINGS, seed=1))


@pytest.fixture(scope="module")
def histograms(few_widths_throughout):
    return pd.DataFrame(simulate.histograms(SETTINGS, DAY, seed=1))


def test_surveys_have_the_error_that_was_asked_for(table):
    """Each of eighteen correct rows is refused with the probability 6e-5: four standard errors."""
    rows = table[np.isfinite(table["value"]) & (table["people"] >= 10)]
    assert len(rows) == 18
    deviation = (rows["high"] - rows["low"]) / 3.92
    slack = 4.0 * deviation + 0.25 / rows["people"] + 0.002
    assert ((rows["value"] - 0.25).abs() < slack).all()
    assert ((rows["value"] - 0.33).abs() > slack).any()  # wrong variant: another error


def test_trust_saves_people(table):
    fewest = table.groupby("trust")["people"].min()
    assert fewest["central"] < fewest["shuffled"] < fewest["local"]
    low = SETTINGS | {"epsilons": [0.1], "most_draws": 1000}
    alone, hidden = (simulate.needs(trust, 0.1, low)[0].people for trust in simulate.WITHIN)
    assert 5.0 * hidden < alone


def test_the_same_seed_gives_the_same_rows(table, monkeypatch):
    monkeypatch.setattr(simulate, "TRUSTS", ("local",))
    monkeypatch.setattr(simulate, "WITHIN", {})
    again, other = (pd.DataFrame(simulate.surveys(SETTINGS, seed=seed)) for seed in (1, 2))
    pd.testing.assert_frame_equal(again, table[table["trust"] == "local"], check_dtype=False)
    assert not other.equals(again)


def test_costs_after_shuffling_are_those_of_the_design():
    costs = pd.DataFrame(simulate.costs(SETTINGS)).set_index("mechanism")["cost"]
    expected = {"cardioid": 1.00, "purkayastha": 1.08, "cap": 1.61}
    assert {name: costs[name] for name in expected} == pytest.approx(expected, rel=0.02)


def test_noise_of_a_central_release_has_its_distribution():
    """χ² of 40 000 draws, refused with the probability 1e-9; noise without the second choice is caught."""
    fall, count, side = 0.5, 40_000, np.arange(-60, 61)
    lengths = np.ceil(np.hypot(side[:, None], side))
    distribution, wrong = np.exp(-fall * lengths), np.zeros_like(lengths)
    for k in range(60):  # layers as they are drawn
        wrong += (lengths <= k) * (k + 1) * (k + 2) * np.exp(-fall * k) / (2 * k + 1) ** 2
    drawn = simulate.lattice_noise(fall, count, np.random.default_rng(5))
    found = np.bincount(np.hypot(*drawn.T).astype(int), minlength=40)[:15]
    of_length = np.hypot(side[:, None], side).astype(int)
    right, other = (
        count * np.bincount(of_length.ravel(), weights=p.ravel() / p.sum())[:15] for p in (distribution, wrong)
    )
    limit = chi2.isf(1e-9, 15)
    assert ((found - right) ** 2 / right).sum() < limit
    assert ncx2.sf(limit, 15, ((other - right) ** 2 / right).sum()) > 1.0 - 1e-9


def test_trust_makes_histograms_more_accurate(histograms):
    """At each level the central one is nearer than shuffled reports, and these than local ones; seeded."""
    errors = histograms.pivot(index="epsilon", columns="trust", values="value")
    assert (1.5 * errors["central"] < errors["shuffled"]).all()
    assert (1.5 * errors["shuffled"] < errors["local"]).all()
    own = histograms.set_index(["trust", "epsilon"])["local_level"]
    assert (own["shuffled"] > own["local"]).all() and own["central"].isna().all()
    again = pd.DataFrame(simulate.histograms(SETTINGS | {"histogram_epsilons": [2.0]}, DAY, seed=1))
    pd.testing.assert_frame_equal(again, histograms[histograms["epsilon"] == 2.0].reset_index(drop=True))


def test_the_level_of_shuffled_reports_is_kept():
    own = simulate.own_level(1.0, 2000, 1e-6)
    of_report = simulate.CircleRelease.pure(own, cells=simulate.CELLS, purpose="histogram").noise
    assert 0.99 < simulate.guarantees.shuffled_level(of_report, 2000, 1e-6) <= 1.0


def test_the_figure_can_be_read(table, histograms):
    assert not faults(plot.draw(table, histograms))
    assert title_follows(lambda changed: plot.draw(changed, histograms), table)
