"""The experiment of the trust models: surveys of the planned size have the error; its figure can be read."""

import numpy as np
import pandas as pd
import pytest
from looks import faults, styled, title_follows  # noqa: F401

from study.experiments.trust_models import plot, simulate

SETTINGS = {
    "epsilons": [1.0], "error": 0.25, "delta": 1e-6, "surveys": 100, "half_width": 0.1,
    "most_draws": 100_000, "local_levels": [4.0], "within": "3h",
}  # fmt: skip


@pytest.fixture(scope="module")
def table():
    return simulate.surveys(SETTINGS, seed=1)


def test_surveys_have_the_error_that_was_asked_for(table):
    """Each of seventeen correct rows is refused with the probability 6e-5: four standard errors."""
    rows = table[np.isfinite(table["value"]) & (table["people"] >= 10)]
    assert len(rows) == 17
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
    again, other = (simulate.surveys(SETTINGS, seed=seed) for seed in (1, 2))
    pd.testing.assert_frame_equal(again, table[table["trust"] == "local"], check_dtype=False)
    assert not other.equals(again)


def test_costs_after_shuffling_are_those_of_the_design():
    costs = simulate.costs(SETTINGS).set_index("mechanism")["cost"]
    expected = {"cardioid": 1.00, "purkayastha": 1.08, "cap": 1.61}
    assert {name: costs[name] for name in expected} == pytest.approx(expected, rel=0.02)


def test_the_figure_can_be_read(table):
    assert not faults(plot.draw(table)) and title_follows(plot.draw, table)
