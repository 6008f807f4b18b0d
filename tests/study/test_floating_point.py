"""The experiment floating_point: the search for the numbers that can have made a double, and its figure."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from looks import faults, labels_of, styled  # noqa: F401

from dirpriv.release import CircleRelease
from study import figures
from study.experiments.floating_point import plot as plot_floating_point
from study.experiments.floating_point import simulate as module
from study.experiments.floating_point.simulate import Inverse, Randomise, excluded, excluded_by_release, simulate

SETTINGS = {"kappas": [1.0, 30.0, 1000.0], "minutes": [4.0], "draws": 1000}
X = np.random.default_rng(1).uniform(0.0, 2 * np.pi, 1000)


@pytest.fixture(scope="module")
def table():
    return pd.DataFrame(simulate(SETTINGS, 1))


def test_table_says_what_each_sampler_excludes(table):
    """Nobody's own input; the wrong one in doubles, most of them at κ = 1000, and never after a release."""
    assert not table.isna().any().any() and len(table) == 3 * 3 * 2
    value = table.set_index(["sampler", "kappa", "metric"])["value"].unstack("metric")
    assert (value["right_excluded"] == 0.0).all()
    assert (value.loc["release", "excluded"] == 0.0).all()
    for sampler, least in (("inverse", 0.03), ("randomise", 0.001)):
        assert value.loc[(sampler, 1.0), "excluded"] > least
        assert value.loc[(sampler, 1000.0), "excluded"] > 0.5


def test_chosen_numbers_give_the_draws_of_the_library():
    """The exponential draws and sides that a generator gives make its doubles, to the last bit."""
    sampler, rng = Randomise(5.0), np.random.default_rng(2)
    numbers, sides = rng.standard_exponential(X.size), 2 * rng.integers(0, 2, X.size, dtype=np.uint8) - 1.0
    drawn = sampler.mechanism.randomise_angles(X, rng=np.random.default_rng(2))
    assert (sampler.outputs(X, numbers, sides) == drawn).all()
    assert (sampler.outputs(X, numbers, -sides) != drawn).any()
    with pytest.raises(ValueError, match="only exponential draws are chosen: use κ ≥ 1"):
        Randomise(0.1).outputs(X, numbers, sides)


@pytest.mark.parametrize("sampler", [Inverse(1.0), Randomise(1.0), Randomise(100.0)])
def test_the_search_is_wide_enough(sampler, monkeypatch):
    """Roundings move no angle by half of what is searched; one 2^-46 off excludes right inputs."""
    rng = np.random.default_rng(3)
    sides = rng.choice([-1.0, 1.0], X.size)
    if isinstance(sampler, Inverse):
        numbers = rng.integers(0, 2**53, X.size)
        theta = -np.log1p(numbers * 2.0**-53 * np.expm1(-np.pi))
    else:
        numbers = rng.exponential(size=X.size)
        theta = np.fmod(numbers / sampler.kappa, np.pi)
    y = sampler.outputs(X, numbers, sides)
    off = np.angle(np.exp(1j * (y - X - sides * theta)))
    assert np.abs(off).max() < module.ROUNDING / 2
    assert not excluded(sampler, y, X).any()
    right = sampler.ways
    monkeypatch.setattr(sampler, "ways", lambda theta: right(theta + 2.0**-46))
    assert excluded(sampler, y, X).any()


def test_the_tail_of_the_exponential_draws():
    """NumPy's draws beyond the start of their tail are those that are searched, to the last digit."""
    drawn = np.random.default_rng(4).standard_exponential(200_000)
    tail = drawn[drawn > module.ZIGGURAT]
    numbers = np.round(-np.expm1(module.ZIGGURAT - tail) / module.UNIT)[:, None] + np.arange(-3, 4)
    assert tail.size > 50 and (module.tail_draws(numbers) == tail[:, None]).any(axis=1).all()
    assert not (module.tail_draws(numbers) + 1e-14 == tail[:, None]).any(axis=1).all()


def test_a_release_that_excludes_is_caught():
    """Without a weight at some distance, or with doubles that are no middles of cells."""
    release, wrong = CircleRelease(3.0, cells=96), X + np.pi / 180
    y = release.randomise_angles(X)
    assert not excluded_by_release(release, y, wrong).any()
    assert excluded_by_release(release, np.nextafter(y, 7.0), wrong).all()
    gap = SimpleNamespace(cells=96, weights=(*release.weights[:90], 0, *release.weights[91:]))
    assert excluded_by_release(gap, y, wrong).any()


def test_figure(table):
    figure = plot_floating_point.draw(table)
    assert not faults(figure) and figure.get_suptitle().startswith("No double of")
    lengths = [[np.ptp(bar[:, 1]) for bar in ax.containers[0][2][0].get_segments()] for ax in figure.axes]
    assert max(lengths[1]) > 0.0 == max(lengths[2])  # what is proved has no bars
    excluded = table.assign(value=0.5, low=0.4, high=0.6)
    assert plot_floating_point.draw(excluded).get_suptitle().startswith("50 % of the doubles")
    texts = [[label.get_text() for label in labels_of(ax)] for ax in figure.axes]
    assert texts == [["4 min"], ["4 min"], ["0 % for all"]]
    assert figures.COLUMN / 25.4 == pytest.approx(figure.get_figwidth())
