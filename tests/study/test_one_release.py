"""The experiment of one release: its shares are those of the file, its draws the seed's; its figure can be read."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from looks import faults, styled, title_follows  # noqa: F401

from study.experiments.one_release import plot, simulate

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))["one_release"]


@pytest.fixture(scope="module")
def times():
    return pd.read_csv(ROOT / "examples/arrivals.csv", parse_dates=["arrival"])["arrival"]


@pytest.fixture(scope="module")
def table(times):
    return simulate.shares(times, SETTINGS, seed=1)


def test_shares_are_of_the_file_and_the_estimate_of_its_blurred_times(table, times):
    """The band holds at all times together but for one seed in 20; this seed is none of them."""
    assert table["true"].to_numpy() == pytest.approx(np.bincount(times.dt.hour, minlength=24) / 5000)
    for name in ("true", "reports", "blurred"):
        assert table[name].sum() == pytest.approx(1.0, abs=0.001)
    assert table["blurred"].between(table["low"], table["high"]).all()
    assert not table["true"].between(table["low"], table["high"]).all()  # wrong variant: without the blur
    assert 0.002 < (table["central"] - table["true"]).abs().sum() / 2.0 < 0.01


def test_the_same_seed_gives_the_same_table(table, times):
    pd.testing.assert_frame_equal(simulate.shares(times, SETTINGS, seed=1), table)
    other = simulate.shares(times, SETTINGS, seed=2)
    assert not other["reports"].equals(table["reports"]) and not other["central"].equals(table["central"])


def test_the_levels_are_those_of_the_commands_of_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"--level {SETTINGS['level']:g} --within {SETTINGS['radius']}" in text
    assert f"--epsilon {SETTINGS['epsilon']:g} --histogram {SETTINGS['bins']}" in text


def test_the_figure_can_be_read(styled, table):  # noqa: F811
    figure = plot.draw(table)
    assert faults(figure) == [] and title_follows(plot.draw, table)
