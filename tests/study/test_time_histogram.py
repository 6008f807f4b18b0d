"""The experiment time_histogram: its samples, its table against theory, its orders, its references."""

import itertools

import numpy as np
import pandas as pd
import pytest
from looks import faults, styled, title_follows  # noqa: F401
from scipy import stats
from sweeps import swept

from dirpriv import estimators, geometry
from dirpriv.estimators import transport
from study.checkins import prepared
from study.experiments.time_histogram import plot as plot_time_histogram
from study.experiments.time_histogram.bins_of_seconds import bin_probabilities, draw_counts, in_bins
from study.experiments.time_histogram.compare import compare
from study.experiments.time_histogram.simulate import TimesSimulation, noisy_counts, points_of, simulate, times_of
from study.simulation.baselines import NO_PRIVACY, REFERENCES, UNIFORM, fresh_counts, uniform_noise
from study.simulation.estimates import mean_of_draws
from study.simulation.histogram_errors import repeat, shares_of, told_apart
from study.simulation.mechanisms import calibrations_within, mechanism_within
from study.simulation.populations import Population
from study.workflow.parquet import write_parquet

ALPHA = 1e-6  # error rate of each statistical test here
WIDE = 5.2  # standard errors; passed by 2e-7 of normal deviates
MECHANISMS = ["purkayastha", "von_mises_fisher", "wrapped_laplace", "clipped_laplace"]
SETTINGS = {
    "bins": 12,
    "radius_hours": 3.0,
    "levels": [0.01, 0.316, 3.16],
    "responses": 8000,
    "half_width": 0.006,
    "most_draws": 1_000_000,
    "deconvolved": 3,
    "example_levels": [0.316],
}
ROWS = 60_000


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A day of two peaks, at 8:30 and at 18:00."""
    rng = np.random.default_rng(5)
    hours = np.where(rng.random(ROWS) < 0.4, rng.normal(8.5, 1.2, ROWS), rng.normal(18.0, 2.2, ROWS)) % 24
    times = pd.Timestamp("2012-04-03") + pd.to_timedelta((hours * 3600).astype(int), unit="s")
    path = tmp_path_factory.mktemp("times") / "day.parquet"
    write_parquet(pd.DataFrame({"local_time": times}), path)
    return path


@pytest.fixture(scope="module")
def times(path):
    return times_of("day", path, SETTINGS, seed=7)


@pytest.fixture(scope="module")
def tables(times):
    names = [*MECHANISMS, *REFERENCES]
    found = [simulate(name, times, ["published", "tight"], SETTINGS, seed=7) for name in names]
    return [tuple(map(pd.DataFrame, rows)) for rows in found]


@pytest.fixture(scope="module")
def table(tables):
    return pd.concat([errors for errors, _ in tables], ignore_index=True)


@pytest.fixture(scope="module")
def comparison(table):
    return compare(table)


def test_table_is_complete(table, tables):
    curves = {"purkayastha": 2, "von_mises_fisher": 3, "wrapped_laplace": 4, "clipped_laplace": 3}
    rows = {name: 3 * count * 2 * 2 * 2 for name, count in curves.items()}  # estimates, metrics, samples
    assert table.groupby("mechanism").size().to_dict() == rows | {UNIFORM: 4, NO_PRIVACY: 2}
    assert not table.drop(columns=["epsilon", "kappa"]).isna().any().any()
    assert (table["low"] <= table["value"]).all() and (table["value"] <= table["high"]).all()
    assert set(table["n"]) == {SETTINGS["responses"], ROWS}
    days = tables[0][1]
    assert set(days["epsilon"]) == {0.316} and set(days["kind"]) == {"true", "noisy", "deconvolved"}
    assert np.allclose(days.groupby(["view", "kind"])["share"].sum(), 1.0)


def people_of_all(times):
    """The times of all check-ins, in the order of the day."""
    return people_of(np.repeat(np.arange(prepared.DAY), times.of_seconds))


def people_of(seconds):
    return Population(geometry.hours_to_angles(seconds / 3600.0))


def test_samples_are_of_different_check_ins_in_their_order(tmp_path):
    path = tmp_path / "numbered.parquet"
    write_parquet(pd.DataFrame({"number": 3 * np.arange(300_000)}), path)  # three row groups
    chosen = prepared.sample(path, ["number // 3 AS row"], 500, np.random.default_rng(1))["row"]
    assert len(set(chosen)) == 500 and (np.diff(chosen) > 0).all() and chosen[-1] > 250_000
    again = prepared.sample(path, ["number"], 500, np.random.default_rng(1))["number"]
    assert np.array_equal(again, 3 * chosen)
    everything = prepared.sample(path, ["number"], 10**6, np.random.default_rng(1))["number"]
    assert np.array_equal(everything, 3 * np.arange(300_000))


def test_seconds_of_the_day_before_1970_and_between_whole_seconds(tmp_path, path, times):
    texts = ["1969-12-31T23:59:59.75", "0001-01-01T00:00:00", "2012-04-03T00:00:00", "2012-04-03T12:00:01.5"]
    write_parquet(pd.DataFrame({"local_time": np.array(texts, "datetime64[us]")}), tmp_path / "few.parquet")
    counts = prepared.counts_of_seconds(tmp_path / "few.parquet")
    assert {int(second): int(counts[second]) for second in np.flatnonzero(counts)} == {
        0: 2, 43_201: 1, 86_399: 1
    }  # fmt: skip
    seconds = np.concatenate([prepared.seconds_of_day(block) for block in prepared.blocks(path, ["local_time"])])
    assert np.array_equal(times.of_seconds, np.bincount(seconds, minlength=prepared.DAY))


@pytest.mark.parametrize("bins", [2, 7, 24, 96])
def test_bins_of_seconds_are_those_of_angles(bins, times):
    seconds = np.arange(prepared.DAY)
    expected = estimators.circular_histogram(geometry.hours_to_angles(seconds / 3600.0), bins)
    assert in_bins(np.ones(prepared.DAY, int), bins).tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("name", "bins"),
    [
        *itertools.product([*MECHANISMS, UNIFORM], [24]),
        *itertools.product(["purkayastha", "clipped_laplace", UNIFORM], [7]),
        *swept(*itertools.product(["von_mises_fisher", "wrapped_laplace"], [7])),
    ],
)
def test_probabilities_of_bins_are_those_of_a_response(name, bins):
    """Chi-square tests at the level ALPHA, of times near a border, the seam and noon; 5 % off is caught."""
    rng, seconds = np.random.default_rng(9), [0, 3601, 43_200, 86_399]
    mechanism, other = (
        uniform_noise(2) if name == UNIFORM else mechanism_within(name, level, 1.0, "published")
        for level in (1.0, 1.05)
    )
    right, wrong = (bin_probabilities(of.noise, bins)[seconds] for of in (mechanism, other))
    assert np.abs(np.array([right, wrong]).sum(axis=-1) - 1.0).max() < 1e-12
    for second, shares, off in zip(seconds, right, wrong, strict=True):
        seen = noisy_counts(mechanism, people_of(np.full(200_000, second)), bins, rng)
        assert stats.chisquare(seen, 200_000 * shares).pvalue > ALPHA
        assert stats.chisquare(seen, 200_000 * off).pvalue < ALPHA or name == UNIFORM


@pytest.mark.parametrize("name", MECHANISMS)
def test_histogram_of_all_has_the_distribution_of_single_responses(name, times):
    """Chi-square tests at the level ALPHA of both; a distribution of 10 % more concentration is caught."""
    right, wrong = (mechanism_within(name, level, np.pi / 4, "published") for level in (1.0, 1.1))
    rng, expected = np.random.default_rng(3), times.of_seconds @ bin_probabilities(right.noise, 24)
    people = people_of_all(times)
    one_by_one = sum(noisy_counts(right, people, 24, rng) for _ in range(10))
    assert stats.chisquare(one_by_one, 10 * expected).pvalue > ALPHA
    for mechanism, is_right in ((right, True), (wrong, False)):
        probabilities = bin_probabilities(mechanism.noise, 24)
        seen = draw_counts(10 * times.of_seconds, probabilities, rng)
        assert seen.sum() == 10 * ROWS
        assert (stats.chisquare(seen, 10 * expected).pvalue > ALPHA) == is_right


def test_histograms_of_all_vary_as_those_of_single_responses(times):
    """Variances of 24 bins over 100 draws of both: the mean logarithm of their ratio has a deviation of 0.04.

    Of a table whose people all have the mean probabilities, histograms vary more: by 0.7 in the logarithm.
    """
    mechanism, rng = mechanism_within("purkayastha", 10.0, np.pi / 4, "published"), np.random.default_rng(6)
    few = np.bincount(times.sample[:2000], minlength=prepared.DAY)
    probabilities, people = bin_probabilities(mechanism.noise, 24), people_of(times.sample[:2000])
    single = np.var([noisy_counts(mechanism, people, 24, rng) for _ in range(100)], axis=0)
    drawn = np.var([draw_counts(few, probabilities, rng) for _ in range(100)], axis=0)
    alike = np.var(rng.multinomial(2000, few @ probabilities / 2000, size=100), axis=0)
    assert abs(np.log(drawn / single).mean()) < WIDE * 0.04 < np.log(alike / single).mean()


def test_errors_tend_to_their_limit(table):
    """Of the counts: a sample of thousands is within its noise of the limit, all of them nearer."""
    emd = table[(table["metric"] == "emd") & (table["estimate"] == "counts")]
    emd = emd[emd["mechanism"] != NO_PRIVACY]
    off = (emd["value"] - emd["expected"]).abs()
    assert (off < 0.02 + 0.02 * emd["expected"]).all()
    of_all = emd[emd["n"] == ROWS]
    assert (off[of_all.index] < WIDE * of_all["standard_error"] + 0.003).all()


def test_standard_error_of_all_is_that_of_repetitions(times):
    """Of 60 repetitions against 100 models; each ratio of standard deviations has a deviation of 12 %."""
    simulation = TimesSimulation("purkayastha", times, SETTINGS, 11)
    point = points_of("purkayastha", ["published"], SETTINGS)[1]
    truth = in_bins(times.of_seconds, 12)
    x, rng = people_of_all(times), np.random.default_rng(4)
    real = [noisy_counts(point.mechanism, x, 12, rng) for _ in range(60)]
    models = simulation._models(point, truth)
    ratio = np.std(transport.circular_emd(models, truth)) / np.std(transport.circular_emd(real, truth))
    assert abs(np.log(ratio)) < WIDE * 0.12
    half = transport.circular_emd(models[:50] + models[50:], truth)  # of twice as many: too small
    assert np.std(half) / np.std(transport.circular_emd(real, truth)) < np.exp(-1 / 8)


def test_orders(comparison):
    """Purkayastha is below the others by more than the intervals; two runs of one mechanism are not told apart."""
    rows = comparison[(comparison["n"] == SETTINGS["responses"]) & (comparison["metric"] == "emd")]
    rows = rows[(rows["view"] == "within") & (rows["estimate"] == "counts") & (rows["epsilon"] == 0.316)]
    rows = rows.set_index(["mechanism", "calibration"])
    for name in ("von_mises_fisher", "wrapped_laplace", "clipped_laplace"):
        assert rows.loc[(name, "published"), "against_purkayastha"] == "above"
        assert rows.loc[(name, "published"), "ratio_low"] > 1.0
    assert rows.loc[("purkayastha", "published"), "ratio"] == 1.0


def test_the_same_mechanism_is_not_told_apart_from_itself(times):
    """Drawn a second time; the intervals of both miss each other with probability 0.006."""
    simulation = TimesSimulation("purkayastha", times, SETTINGS | {"deconvolved": 10}, 1)
    point = points_of("purkayastha", ["published"], SETTINGS)[1]
    again = point._replace(calibration="again")
    first, second = (pd.DataFrame(simulation.sample_results(p)[0]) for p in (point, again))
    assert (first["value"] != second["value"]).all()
    assert set(told_apart(first, second)) == {"not told apart"}


def test_private_errors_lie_between_the_references(comparison, table):
    counts = comparison[comparison["estimate"] == "counts"]
    clipped = counts["mechanism"] == "clipped_laplace"
    assert "above" not in set(counts.loc[~clipped, "against_uniform"])
    assert (counts["low"] > 0.0).all()
    wide = counts["epsilon"] < 0.5  # what leaves the interval lands at midnight, when nobody is awake
    assert set(counts.loc[clipped & wide, "against_uniform"]) == {"above"}


def test_references(times, table):
    """Errors of uniform noise and of a second sample, simulated in another way (within WIDE deviations)."""
    rng, n = np.random.default_rng(8), SETTINGS["responses"]
    truth = np.bincount(times.sample // 7200, minlength=12)
    uniform = transport.circular_emd(rng.multinomial(n, np.full(12, 1 / 12), size=400), truth)
    everything, of_all = (np.repeat(np.arange(prepared.DAY), times.of_seconds) // 7200, in_bins(times.of_seconds, 12))
    fresh = [np.bincount(rng.choice(everything, n), minlength=12) for _ in range(400)]
    fresh = transport.circular_emd(fresh, of_all)
    for name, other, wrong in ((UNIFORM, uniform, fresh), (NO_PRIVACY, fresh, uniform)):
        row = table[(table["mechanism"] == name) & (table["metric"] == "emd") & (table["n"] == n)].iloc[0]
        for errors, same in ((other, True), (wrong, False)):
            off = errors.mean() - row["value"]
            error = np.hypot(row["standard_error"], errors.std() / np.sqrt(errors.size))
            assert (abs(off) < WIDE * error) == same
    assert fresh_counts([1, 3], 100, rng).sum() == 100


def test_deconvolved_day_is_nearer(table):
    """At level 3.16 by far."""
    rows = table[(table["view"] == "within") & (table["metric"] == "emd") & (table["epsilon"] == 3.16)]
    rows = rows.set_index(["mechanism", "calibration", "n", "estimate"])["value"].unstack("estimate")
    assert (rows["deconvolved"] < 0.6 * rows["counts"]).all()


def test_repetitions_reach_the_wanted_interval():
    """The mean is within WIDE standard errors of the true one; one that is off by 1 % is not."""
    draws = np.random.default_rng(2).normal(3.0, 0.3, size=(100_000, 1))
    counts, errors = repeat(draws.__getitem__, lambda rows: rows[:, 0], 0.001, 90_000)
    found = mean_of_draws(errors)
    assert len(counts) == found.repetitions > 20_000
    assert 1.96 * found.standard_error < 0.0013 * found.value
    assert abs(found.value - 3.0) < WIDE * found.standard_error < abs(found.value - 3.03)
    assert len(repeat(draws.__getitem__, lambda rows: rows[:, 0], 0.001, 70)[0]) == 70
    assert np.allclose(shares_of([[1, 3], [2, 2]]), [[0.25, 0.75], [0.5, 0.5]])


def test_calibrations_of_a_level_within_a_radius():
    both = ["published", "tight"]
    for name, wanted in {
        "purkayastha": ["published"],
        "von_mises_fisher": ["published"],
        "wrapped_laplace": both,
        "clipped_laplace": ["published"],
    }.items():
        assert calibrations_within(name, both) == wanted
    assert calibrations_within("polar_laplace", both, dim=3) == ["published"]
    assert calibrations_within("clipped_laplace", ["tight"]) == []


def test_no_view_without_its_calibration(times):
    """Clipped Laplace as tight only: it has the pure view, and nothing to promise within a radius."""
    assert {point.view for point in points_of("clipped_laplace", ["tight"], SETTINGS)} == {"pure"}


def test_figures(table, tables):
    days = pd.concat([histograms for _, histograms in tables if len(histograms)])
    assert not faults(plot_time_histogram.draw(table, SETTINGS))
    assert title_follows(lambda table: plot_time_histogram.draw(table, SETTINGS), table)
    assert not faults(plot_time_histogram.draw_example(days, SETTINGS))
    assert title_follows(lambda days: plot_time_histogram.draw_example(days, SETTINGS), days)
