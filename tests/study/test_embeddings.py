"""Embeddings: what Algorithm 1 draws with another CDF, and errors of mechanisms at the same promise."""

import numpy as np
import pandas as pd
import pytest
import yaml
from looks import faults, styled, title_follows  # noqa: F401

from dirpriv import guarantees
from dirpriv.distributions import Purkayastha, VonMisesFisher
from study.experiments.embeddings import bisection_sampler, compare, compute, plot
from study.experiments.embeddings.normalised_gaussian import NormalisedGaussian
from study.experiments.embeddings.word_vectors import texts, word_vectors
from study.papers import directions

SETTINGS = yaml.safe_load(open("config/config.yaml", encoding="utf-8"))["embeddings"] | {
    "dimensions": [16, 768], "epsilons": [300.0, 700.0], "most_integrals": 1000, "pure": [8.0],
    "per_radian": [50.0], "within": [8.0], "words": 60, "coordinates": 8, "words_per_radian": [3.0, 6.0], "draws": 6000,
}  # fmt: skip


def test_the_parts_are_those_of_algorithm_1():
    """10 000 draws of the paper's loop with a wrong CDF, in 8 parts: the limit is exceeded at a rate of 1e-6."""

    def wrong(theta):
        return np.clip(1.4 * np.sin(theta) - 0.2, 0.0, 1.0)

    parts = bisection_sampler.drawn_parts(lambda theta: float(wrong(theta)), 100, 3)
    drawn = directions.bisected(wrong, np.random.default_rng(1).random(10_000), 30)
    _, low, high, shares = parts
    counts = np.array([np.sum((drawn > a) & (drawn < b)) for a, b in zip(low, high, strict=True)])
    expected = 10_000 * shares
    assert counts.sum() == 10_000 and shares.sum() == pytest.approx(1.0)
    assert not counts[expected == 0.0].any() and (expected == 0.0).any()
    assert np.sum((counts - expected)[expected > 0.0] ** 2 / expected[expected > 0.0]) < 40.0
    even = (high - low) / np.pi
    assert np.abs(counts / 10_000 - even).sum() > 0.3  # wrong variant


def test_what_is_never_drawn_and_how_far_it_is():
    """Exact: a CDF that is 0 below 1 and 2 rad leaves out what the distribution has there."""
    exact = Purkayastha(3, 1.0)
    parts = bisection_sampler.drawn_parts(
        lambda theta: float(exact.angle_cdf(theta)) if theta > np.pi / 4 else 0.0, 300, 8
    )
    row = bisection_sampler.against_exact(parts, exact, [1, 2, 8])
    assert row["never_drawn_1"] == 0.0
    assert row["never_drawn_2"] == pytest.approx(exact.angle_cdf(np.pi / 4), abs=1e-12)
    assert row["total_variation"] == pytest.approx(exact.angle_cdf(np.pi / 4), abs=0.02)
    right = bisection_sampler.against_exact(bisection_sampler.drawn_parts(exact.angle_cdf, 300, 8), exact, [8])
    assert right["never_drawn_8"] == 0.0 and right["total_variation"] < 1e-12
    assert abs(right["mean_cosine"] - exact.mean_cosine()) < right["off_by"] < 0.007


@pytest.fixture(scope="module")
def algorithm_1():
    return pd.DataFrame(compute.algorithm_1(SETTINGS))


def test_quadrature_draws_other_angles_and_the_closed_form_does_not(algorithm_1):
    table = algorithm_1.set_index(["method", "dim", "epsilon"]).sort_index()
    assert table.loc["closed form", "total_variation"].max() < 1e-9
    assert table.loc[("quadrature", 768, 700.0), "status"] == "the integral is 0"
    row = table.loc[("quadrature", 768, 300.0)]
    assert row["total_variation"] > 0.05 and row["never_drawn_14"] > 0.05
    assert table.loc[("quadrature", 16, 300.0), "mean_cosine"] < 0.9 < table.loc[("quadrature", 16, 300.0), "expected"]
    assert bisection_sampler.quadrature_cdf(3, 2.0)(1.0) == pytest.approx(Purkayastha(3, 2.0).angle_cdf(1.0), abs=1e-12)


def test_levels_and_errors_of_normalised_gaussian_noise():
    """Against histograms of 10^6 draws; each of three intervals has a rate of 1e-6."""
    noise, rng = NormalisedGaussian(3, 1.5), np.random.default_rng(1)
    x = rng.standard_normal((1_000_000, 3)) / 1.5
    x[:, 0] += 1.0
    cosine = x[:, 0] / np.linalg.norm(x, axis=1)
    for values, mean in ((cosine, noise.mean_cosine()), (1.0 - cosine**2, noise.mean_squared_sine())):
        assert abs(values.mean() - mean) < 4.9 * values.std() / 1000.0
    # on the sphere the cosine of a uniform direction is uniform: the density at both ends
    ends = np.log([np.sum(cosine > 0.99), np.sum(cosine < -0.99)])
    ends = (ends[0] - ends[1]) - noise.privacy_loss_within(np.pi)
    assert abs(ends) < 0.06 + 4.9 / np.sqrt(np.sum(cosine < -0.99))
    assert abs(ends + 0.3 * noise.privacy_loss_within(np.pi)) > 0.3  # wrong variant: a level 1.3 times as large
    for level, radius in ((8.0, np.pi), (4.0, 1.0), (5.0, None)):
        promise = {"within": (level, radius)} if radius else {"metric": level}
        near = VonMisesFisher(768, guarantees.largest_concentration(lambda k: VonMisesFisher(768, k), **promise))
        tight = NormalisedGaussian.calibrated(768, level, radius)
        assert tight.mean_cosine() == pytest.approx(near.mean_cosine(), rel=1e-3)


@pytest.fixture(scope="module")
def errors():
    return pd.DataFrame(compute.errors(SETTINGS, 0.1))


def test_no_mechanism_is_better_than_the_best_of_its_promise(errors):
    table = errors.set_index(["promise", "dim", "mechanism"]).sort_index()
    assert set(table.index[table["status"] == "none"]) == {
        ("per_radian", dim, name) for dim in (16, 768) for name in ("cap", "staircase")
    } | {("approximate", dim, "staircase") for dim in (16, 768)}
    best = {"pure": "cap", "per_radian": "purkayastha", "within": "staircase", "approximate": "cap"}
    for (promise, dim), rows in table.groupby(level=["promise", "dim"]):
        assert rows["responses"].min() > (1.0 - 1e-6) * table.loc[(promise, dim, best[promise]), "responses"]
    ratio = table.loc[("pure", 768, "von_mises_fisher"), "responses"] / table.loc[("pure", 768, "cap"), "responses"]
    assert ratio == pytest.approx((0.09876749 / 0.00520819) ** 2, rel=0.02)  # of mean cosines
    few, many = (table.loc[("approximate", dim)]["mean_cosine"] for dim in (16, 768))
    for name in ("von_mises_fisher", "purkayastha"):  # in many dimensions all noise of one direction is alike
        assert many[name] == pytest.approx(many["normalised_gaussian"], rel=0.02)
        assert few[name] > 1.1 * few["normalised_gaussian"]


def test_gaussian_noise_keeps_its_level_and_delta():
    """By a sum over the densities of two inputs that are 2 apart."""
    x = np.linspace(-60.0, 60.0, 400_001)
    for level, delta in ((0.5, 1e-3), (8.0, 1e-6)):
        kappa = NormalisedGaussian.approximate(16, level, delta).kappa
        one, other = (np.exp(-0.5 * (x - center * kappa) ** 2) / np.sqrt(2.0 * np.pi) for center in (1.0, -1.0))
        found = np.maximum(one - np.exp(level) * other, 0.0).sum() * (x[1] - x[0])
        assert found == pytest.approx(delta, rel=1e-4)


def test_words_are_alike_that_have_like_neighbours():
    """In made texts; and every word of NumPy's docstrings has a unit vector, the same each time."""
    made = [f"{animal} eats much {food}".split() for animal in ("cat", "dog") for food in ("fish", "meat")] * 3
    words, vectors = word_vectors(made, 6, 3)
    assert set(words) == {"eats", "much", "cat", "dog", "fish", "meat"} and words[:2] == ["eats", "much"]
    cosines = pd.DataFrame(vectors @ vectors.T, words, words)
    assert cosines.loc["cat", "dog"] > 0.99 > cosines.loc["cat", "meat"] + 0.1
    first, second = (word_vectors(texts(), 60, 8) for _ in range(2))
    assert first[0] == second[0] and np.array_equal(first[1], second[1])
    assert np.linalg.norm(first[1], axis=1) == pytest.approx(1.0)


@pytest.fixture(scope="module")
def lists():
    return pd.DataFrame(compare.rows(SETTINGS, 1))


def test_a_list_is_more_accurate_than_noise_and_the_exponential_mechanism(lists):
    """Noise against the share that a second seed draws: each comparison has a rate of 1e-6."""
    table = lists.set_index(["mechanism", "metric", "level"])["value"]
    for level in SETTINGS["words_per_radian"]:
        shares, angles = (table.xs((metric, level), level=("metric", "level")) for metric in ("unchanged", "angle"))
        for worse in ("purkayastha", "exponential"):
            order = [worse, "certified_weights", "randomised_response"]
            assert shares[order].is_monotonic_increasing and angles[order].is_monotonic_decreasing
    again = pd.DataFrame(compare.rows(SETTINGS | {"words_per_radian": [6.0]}, 2))
    share, other = (figures_of(of, 6.0)["value"] for of in (lists, again))
    limit = 4.9 * np.sqrt(2.0 * share * (1.0 - share) / SETTINGS["draws"])
    assert abs(share - other) < limit < abs(share - figures_of(lists, 3.0)["value"])  # wrong variant: half the level
    exact = lists[(lists["mechanism"] != "purkayastha")]
    assert exact[["low", "high"]].isna().all(axis=None)


def figures_of(table, level):
    """The row of the share of noise at a level."""
    return table[
        (table["mechanism"] == "purkayastha") & (table["metric"] == "unchanged") & (table["level"] == level)
    ].iloc[0]


def test_the_figures_can_be_read(algorithm_1, errors, lists):
    assert not faults(plot.draw_lists(lists)) and title_follows(plot.draw_lists, lists)
    assert not faults(plot.draw_algorithm_1(algorithm_1)) and title_follows(plot.draw_algorithm_1, algorithm_1)
    assert not faults(plot.draw_errors(errors, SETTINGS, 0.1))
    assert title_follows(lambda table: plot.draw_errors(table, SETTINGS, 0.1), errors)
