"""The experiment persons: its populations and reports, its errors and biases, its figure."""

import re

import numpy as np
import pandas as pd
import pytest
from looks import faults, labels_of, styled, title_follows  # noqa: F401
from scipy import stats

from dirpriv.release import CircleRelease
from study.experiments.persons import plot as plot_persons
from study.experiments.persons import simulate as simulate_persons
from study.experiments.persons.settings import Settings
from study.experiments.persons.simulate import (
    COLUMNS,
    CapReports,
    GroupPopulation,
    Persons,
    cells_of,
    inputs_of,
    simulate,
)
from study.workflow import settings
from study.workflow.job import InputError
from study.workflow.parquet import write_parquet

ONE = {"share": 1.0, "hour": 8.0, "people": 1.5, "responses": 1.0}
TWO = [
    {"share": 0.6, "hour": 8.0, "people": 4.0, "responses": 4.0},
    {"share": 0.4, "hour": 16.0, "people": 4.0, "responses": 0.5},
]
SETTINGS = {
    "symmetric": [ONE],
    "skewed": TWO,
    "people": 200,
    "epsilons": [1.0, 4.0],
    "responses": 10,
    "epsilon": 1.0,
    "responses_grid": [1, 10],
    "cells": 1440,
    "repetitions": 200,
    "split_repetitions": 60,
}
WIDE = 5.5  # standard errors; a right value is farther off with probability 4e-8


@pytest.fixture(scope="module")
def table():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(simulate_persons, "BLOCK", 1 << 17)  # a block is drawn whole, however few are asked for
        names = ("symmetric", "skewed")
        return pd.DataFrame(r for n in names for r in simulate(n, GroupPopulation(SETTINGS[n]), SETTINGS, 3))


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """Ada has three check-ins at 6 h and one at 12 h, Bob has four at 18 h, Eve has one at midnight."""
    hours = [6, 18, 6, 18, 0, 12, 18, 6, 18]
    times = pd.to_datetime("2012-04-03") + pd.to_timedelta(hours, "h")
    path = tmp_path_factory.mktemp("persons") / "city.parquet"
    write_parquet(pd.DataFrame({"user": list("ababeabab"), "local_time": times}), path)
    return path


def one(table, **wanted):
    rows = table
    for column, value in wanted.items():
        rows = rows[rows[column] == value]
    assert len(rows) == 1
    return rows.iloc[0]


def test_table_is_complete_and_tidy(table):
    assert list(table) == COLUMNS and not table.isna().any().any()
    assert len(table) == 2 * 4 * 3 * 2 and not table.duplicated(COLUMNS[:9]).any()
    assert (table["low"] < table["value"]).all() and (table["value"] < table["high"]).all()


def test_the_truth_of_a_model_is_the_mean_of_its_persons():
    """Of a million draws, within WIDE standard errors; with weights as unit vectors it is not."""
    groups, rng = GroupPopulation(TWO), np.random.default_rng(1)
    means = groups.draw(50_000, 20, rng).mean(axis=1) * np.exp(-1j * groups.truth)
    error = means.imag.std() / np.sqrt(means.size) / abs(means.mean())
    assert abs(np.angle(means.mean())) < WIDE * error
    assert abs(np.angle((means / abs(means)).mean())) > WIDE * error


def test_people_of_a_file(people):
    """Those with enough check-ins; the truth gives each the same weight, and theirs are drawn alone."""
    persons = Persons(people, 2)
    ada, bob = 3j / 4 - 1 / 4, -1j
    assert len(persons.counts) == 2
    assert np.isclose(np.exp(1j * persons.truth), (ada + bob) / abs(ada + bob))
    drawn = persons.draw(4000, 5, np.random.default_rng(1))
    hours = np.round(np.angle(drawn) * 12 / np.pi).astype(int) % 24
    assert set(hours.ravel()) == {6, 12, 18}
    assert ((hours == 18).all(axis=1) | (hours < 18).all(axis=1)).all()
    assert len(Persons(people, 1).counts) == 3 and len(Persons(people, 6).counts) == 0


@pytest.mark.parametrize("epsilon", [0.2, 2.0])
def test_reports_have_the_distribution_of_the_release(epsilon):
    """Their mean vector, within WIDE standard errors, and their cells (chi-square, rate 1e-7); noise of a
    level 20 % higher is off by more."""
    cells = np.full(500_000, 33)
    drawn = CapReports(epsilon, 1440).draw(cells, np.random.default_rng(1)) * np.exp(-2j * np.pi * 33.5 / 1440)
    error = drawn.real.std() / np.sqrt(drawn.size)
    right, wrong = (CircleRelease.pure(level).noise.mean_cosine() for level in (epsilon, 1.2 * epsilon))
    assert abs(drawn.mean() - right) < WIDE * error
    assert abs(drawn.real.mean() - wrong) > WIDE * error
    offsets = np.round(np.angle(drawn) * 1440 / (2.0 * np.pi)).astype(int) % 1440
    for level, same in ((epsilon, True), (1.2 * epsilon, False)):
        expected = CircleRelease.pure(level).noise.probabilities * offsets.size
        assert (stats.chisquare(np.bincount(offsets, minlength=1440), expected).pvalue > 1e-7) == same


def test_what_people_hand_in():
    angles = np.random.default_rng(1).normal(1.0, 0.3, (2, 3, 4))
    vectors = np.exp(1j * angles)
    assert inputs_of("budget_split", vectors) is vectors
    assert (inputs_of("one_response", vectors) == vectors[:, :, :1]).all()
    own = inputs_of("own_mean", vectors)
    assert own.shape == (2, 3, 1) and np.allclose(np.angle(own[..., 0]), angles.mean(axis=2), atol=0.05)
    assert np.allclose(inputs_of("own_mean", vectors[:, :, :1]), vectors[:, :, :1])


def test_cells_of_times():
    """Each minute of the day begins its own cell; a whole number of seconds is never in the one before."""
    seconds = np.arange(0, 86_400, 7)
    found = cells_of(np.exp(1j * seconds * (2.0 * np.pi / 86_400)), 1440)
    assert (found == seconds // 60).all()


def test_own_mean_is_nearest_where_all_are_alike(table):
    """The intervals do not meet; of one response there is nothing to choose."""
    rows = {s: one(table, population="symmetric", strategy=s, view="epsilon", epsilon=4.0, metric="mae")
            for s in plot_persons.STRATEGIES}  # fmt: skip
    assert rows["own_mean"]["high"] < rows["one_response"]["low"]
    assert rows["one_response"]["high"] < rows["budget_split"]["low"]
    single = table[(table["responses"] == 1) & (table["metric"] == "mae") & (table["view"] == "responses")]
    for _, part in single.groupby("population"):
        off = part["value"] - part["value"].mean()
        assert (off.abs() < WIDE * part["standard_error"]).all()


def test_own_mean_is_biased_in_the_skewed_model_only(table):
    """Within WIDE standard errors of 0 or not; with one response its bias is gone."""
    for population, strategy, biased in (
        ("symmetric", "own_mean", False),
        ("skewed", "one_response", False),
        ("skewed", "budget_split", False),
        ("skewed", "own_mean", True),
    ):
        row = one(table, population=population, strategy=strategy, view="epsilon", epsilon=4.0, metric="bias")
        assert (abs(row["value"]) > WIDE * row["standard_error"]) == biased
    row = one(table, population="skewed", strategy="own_mean", view="responses", responses=1, metric="bias")
    assert abs(row["value"]) < WIDE * row["standard_error"]


def test_shares_of_groups_add_up():
    assert Settings(**SETTINGS).people == 200
    with pytest.raises(InputError, match=re.escape("shares must add up to 1; they add up to 1.6")):
        settings.check({**SETTINGS, "skewed": [ONE, TWO[0]]}, Settings)


def test_figure(table):
    figure = plot_persons.draw(table, SETTINGS)
    assert not faults(figure)
    assert title_follows(lambda table: plot_persons.draw(table, SETTINGS), table)
    assert [label.get_text() for label in labels_of(figure.axes[1])] == [
        "budget split", "one response", "own mean", "uniform noise",
    ]  # fmt: skip
