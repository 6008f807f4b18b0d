"""Estimates from private reports: means, tests, histograms and densities of places, with their intervals.

Tests of p-values are Kolmogorov-Smirnov tests at the level ALPHA, and shares of runs are compared with 5.5
standard errors of room: a correct program fails one with probability 1e-6 and 4e-8. Each is paired with a
wrong variant that it must catch.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy import integrate, stats
from statistics_of_draws import ALPHA, DRAWS
from test_histograms import chi_square_p_value

from dirpriv import estimators, geometry, transport
from dirpriv.estimators import _density, private_histogram, private_mean, private_place_density, reports
from dirpriv.laws import ClippedLaplace, PlanarLaplace, Purkayastha, Uniform, VonMisesFisher, WrappedLaplace
from dirpriv.mechanisms import PurkayasthaMechanism

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scale"))

import measure_reports

WITHIN = PurkayasthaMechanism.within(1.0, np.pi / 4.0).law
DAYS = measure_reports.days()


def people(name, count, rng):
    """Angles of people on a day of known form."""
    minutes = rng.choice(1440, p=DAYS[name], size=count) + rng.random(count)
    return geometry.hours_to_angles(minutes / 60.0)


def reports_of(law, angles, rng):
    return measure_reports.reports_of(law, np.asarray(angles), rng)


def histogram(angles, law, **options):
    """A histogram, without the Python warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimators.private_histogram(angles, law, **options)


def room(share, runs):
    """5.5 standard errors of a share of so many runs."""
    return 5.5 * np.sqrt(share * (1.0 - share) / runs)


# ---------------------------------------------------------------------- mean and resultant length


@pytest.mark.parametrize(("epsilon", "resultant"), [(1.0, 0.45), (1.0, 0.97), (4.0, 0.45)])
def test_interval_of_the_mean_covers(epsilon, resultant):
    """100 reports: 95 % within 5.5 standard errors, also where most intervals are the whole circle.

    The delta method, mean ± z σ, is caught: it covers too seldom where the reports hold little information.
    """
    law, runs, rng = PurkayasthaMechanism.pure(epsilon).law, 3000, np.random.default_rng(1)
    covered, whole, length = measure_reports.mean_coverage(law, resultant, 100, runs, rng)
    assert 0.94 - room(0.94, runs) < covered < 0.97 + room(0.97, runs)
    assert 0.93 - room(0.93, runs) < length < 0.97 + room(0.97, runs)
    if (epsilon, resultant) == (1.0, 0.45):
        assert 0.7 < whole < 0.9
        delta = 0
        for _ in range(runs):
            noisy = reports_of(law, 1.0 + rng.vonmises(0.0, 1.01, 100), rng)
            mean, length = np.angle(np.exp(1j * noisy).mean()), abs(np.exp(1j * noisy).mean())
            error = np.sqrt((1.0 - np.cos(2.0 * (noisy - mean)).mean()) / 200.0) / length
            delta += abs(np.angle(np.exp(1j * (mean - 1.0)))) <= 1.96 * error
        assert delta / runs < 0.94 - room(0.94, runs)


@pytest.mark.sweep
def test_interval_of_the_mean_covers_everywhere():
    """The grid of tests/scale/measure_reports.py, 10 000 runs each: 94 to 97 %, with 3 standard errors."""
    for pure, level in ((True, 1.0), (True, 4.0), (False, 0.316), (False, 1.0), (False, 10.0)):
        mechanism = (
            PurkayasthaMechanism.pure(level) if pure else PurkayasthaMechanism.within(level, np.pi / 4)
        )
        for resultant in (0.97, 0.70, 0.45):
            for count in (100, 1000):
                rng = np.random.default_rng([3, pure, int(1000 * level), int(100 * resultant), count])
                covered = measure_reports.mean_coverage(mechanism.law, resultant, count, 10_000, rng)[0]
                assert 0.933 < covered < 0.977, (pure, level, resultant, count)


def test_mean_and_resultant_of_many_reports():
    """Both tend to those of the people, within 5.5 standard errors; the reports' own length does not."""
    rng = np.random.default_rng(2)
    angles = np.mod(rng.vonmises(6.0, 2.0, 400_000), geometry.TURN)
    true = np.exp(1j * angles).mean()
    for law in (WITHIN, VonMisesFisher(2, 1.0), WrappedLaplace(0.7)):
        noisy = reports_of(law, angles, rng)
        found = estimators.private_mean(noisy, law, confidence=1.0 - 4e-8)
        assert found.count == 400_000 and not found.whole_circle and found.p_value < 1e-12
        assert (
            geometry.angle_between(found.angle, np.angle(true)) < (found.high - found.angle) % geometry.TURN
        )
        assert found.resultant_low < abs(true) < found.resultant_high
        assert found.resultant_low < found.resultant < found.resultant_high
        naive = abs(np.exp(1j * noisy).mean())
        assert naive < found.resultant_low
    everyone = estimators.private_mean(np.full(50, 2.0), VonMisesFisher(2, 1e9))
    assert everyone.resultant == pytest.approx(1.0) and everyone.low == pytest.approx(2.0)


def test_whole_circle_where_nothing_is_known():
    opposite = np.tile([1.0, 1.0 + np.pi], 50)
    found = estimators.private_mean(opposite, WITHIN)
    assert found.whole_circle and (found.low, found.high) == (0.0, geometry.TURN)
    assert found.resultant == found.resultant_low == 0.0 < found.resultant_high
    assert found.p_value == pytest.approx(1.0)


# ---------------------------------------------------------------------- tests


def p_values(test, draw, runs, rng):
    return np.array([test(draw(rng)) for _ in range(runs)])


def assert_uniform(values, wanted=True):
    """Kolmogorov-Smirnov test of p-values."""
    assert (stats.kstest(values, "uniform").pvalue > ALPHA) == wanted


@pytest.mark.parametrize("count", [30, 500])
def test_rayleigh_p_values_are_uniform(count):
    """For evenly spread people; people of a day with a mean are caught."""
    rng = np.random.default_rng(3)

    def p_value(angles):
        return estimators.rayleigh_test(reports_of(WITHIN, angles, rng), WITHIN).p_value

    assert_uniform(p_values(p_value, lambda rng: rng.uniform(0.0, geometry.TURN, count), 2000, rng))
    assert_uniform(p_values(p_value, lambda rng: people("night", count, rng), 2000, rng), False)


def test_two_sample_p_values_are_uniform():
    """For groups of one day, also if reports are cells and groups of unequal size; two days are caught."""
    rng = np.random.default_rng(4)

    def p_value(days, cells):
        groups = [reports_of(WITHIN, people(*day, rng), rng) for day in days]
        if cells:
            groups = [np.floor(group * cells / geometry.TURN) * geometry.TURN / cells for group in groups]
        return estimators.two_sample_test(*groups).p_value

    for cells in (0, 96):
        same = [p_value([("commuters", 150), ("commuters", 400)], cells) for _ in range(1000)]
        assert_uniform(same)
        others = [p_value([("commuters", 150), ("night", 400)], cells) for _ in range(300)]
        assert_uniform(others, False)


def test_watsons_statistic():
    """Against the definition, by comparison of all pairs, with ties; it does not change with the seam."""
    rng = np.random.default_rng(5)
    first, second = (rng.integers(0, 40, n) * geometry.TURN / 40 for n in (37, 61))
    both = np.concatenate([first, second])
    apart = (first <= both[:, None] + 1e-9).mean(axis=1) - (second <= both[:, None] + 1e-9).mean(axis=1)
    wanted = 37 * 61 / 98**2 * np.sum((apart - apart.mean()) ** 2)
    for turn in (0.0, 1.0, 6.0):
        found = estimators.two_sample_test((first + turn), (second + turn))
        assert found.statistic == pytest.approx(wanted, rel=1e-9)
    weighted = estimators.two_sample_test(
        np.unique(first), second, first_weights=np.unique(first, return_counts=True)[1]
    )
    assert weighted == estimators.two_sample_test(first, second)
    # critical values of Watson's U² (Mardia and Jupp 2000, Appendix 2.15)
    for level, value in ((0.10, 0.152), (0.05, 0.187), (0.01, 0.268)):
        assert reports._watson_p_value(value) == pytest.approx(level, rel=0.02)
    assert reports._watson_p_value(0.0) == 1.0 > reports._watson_p_value(0.01) > 0.9999


# ---------------------------------------------------------------------- the engine


def small_problem(seed=6, cells=12, waves=1):
    rng = np.random.default_rng(seed)
    transitions = estimators.bin_transitions(VonMisesFisher(2, 2.0), cells)
    turns = np.outer(np.arange(cells) * geometry.TURN / cells, np.arange(1, waves + 1))
    basis = np.hstack([np.cos(turns), np.sin(turns)])
    counts = rng.multinomial(60, (np.exp(basis[:, 0]) / np.exp(basis[:, 0]).sum()) @ transitions)
    return counts.astype(float), transitions, basis


def test_posterior_mode_is_a_maximum():
    counts, transitions, basis = small_problem(cells=36, waves=5)

    def posterior(c):
        density = np.exp(basis @ c) / np.exp(basis @ c).sum()
        return counts @ np.log(density @ transitions) - 0.5 * np.sum(0.5 * c**2)

    at, fit = _density.maximise(counts, transitions, basis, np.full(10, 0.5), np.zeros(10))
    assert fit.density.sum() == pytest.approx(1.0)
    for direction in np.random.default_rng(7).normal(size=(50, 10)):
        assert posterior(at + 0.02 * direction) < posterior(at)
        slope = (posterior(at + 1e-5 * direction) - posterior(at - 1e-5 * direction)) / 2e-5
        assert abs(slope) < 0.05  # of a curvature of tens
    again, _ = _density.maximise(counts, transitions, basis, np.full(10, 0.5), np.full(10, 0.3))
    assert np.abs(again - at).max() < 0.01


@pytest.mark.parametrize("precision", [0.25, 1.0, 16.0])
def test_evidence_against_integration(precision):
    """Laplace's approximation of the integral over two coefficients, to some hundredths of a nat."""
    counts, transitions, basis = small_problem()
    _, fit = _density.maximise(counts, transitions, basis, np.full(2, precision), np.zeros(2))

    def posterior(x, y):
        density = np.exp(basis @ [x, y])
        likelihood = counts @ np.log(density @ transitions / density.sum()) - fit.log_evidence
        return np.exp(likelihood - 0.5 * precision * (x**2 + y**2)) * precision / geometry.TURN

    end = 8.0 / np.sqrt(precision)
    exact, _ = integrate.dblquad(posterior, -end, end, -end, end, epsabs=1e-6)
    assert abs(np.log(exact)) < 0.1
    assert abs(np.log(exact) + 0.5 * np.log(2.0)) > 0.1  # half of a lost factor of 2 would show


def test_the_width_is_the_angle_of_a_change_by_about_one():
    """Standard deviation, by the prior, of the change of the log-density over one width, or of its bend."""
    for width in (0.1, 0.4, 1.0):
        kinked, smooth = (family[0] for family in reports._circle_prior(1440, 48, width).families)
        frequencies = np.arange(1, len(kinked.precision) // 2 + 1)
        variances = 1.0 / kinked.precision[: len(frequencies)]
        change = np.sqrt(np.sum(2.0 * variances * (1.0 - np.cos(frequencies * width))))
        variances = 1.0 / smooth.precision[: len(frequencies)]
        bend = np.sqrt(np.sum(4.0 * variances * (1.0 - np.cos(frequencies * width)) ** 2))
        assert 0.6 < change < 1.2 and 0.6 < bend < 1.2
    plane = reports._plane_prior(40, 500.0, 100.0)
    start, end = plane.basis.reshape(40, 40, -1)[[18, 22], 20]  # 4 cells of 25 m
    assert 0.5 < np.sqrt(np.sum((end - start) ** 2 / plane.families[0][0].precision)) < 1.2


# ---------------------------------------------------------------------- histograms


def test_the_chosen_width_is_nearly_the_best():
    """Level 1 within 3 hours, 10 000 reports: error over that of the best fixed width, mean of 12 days.

    The standard error of the ratio is .02. Reports as they are, and a width of 6 hours, are far worse.
    """
    for name in ("commuters", "office", "alarm", "flat"):
        rows = measure_reports.histogram_errors(WITHIN, DAYS[name], 10_000, 12, np.random.default_rng(8))
        raw, *fixed, chosen, _, _ = rows.mean(axis=0)
        assert chosen < 1.25 * min(raw, *fixed)
        if name != "flat":
            assert raw > 3.0 * chosen and fixed[-2] > 1.25 * chosen


@pytest.mark.sweep
@pytest.mark.parametrize("level", [0.316, 1.0, 3.16, 10.0])
@pytest.mark.parametrize("name", ["commuters", "office", "alarm", "flat"])
def test_the_chosen_width_at_all_levels(name, level):
    """At most 1.15 (flat: 1.5) times the better of raw and best fixed width, with 3 standard errors."""
    law = PurkayasthaMechanism.within(level, np.pi / 4.0).law
    for count in (10_000, 100_000):
        rows = measure_reports.histogram_errors(law, DAYS[name], count, 30, np.random.default_rng(9))
        means = rows.mean(axis=0)[:-2]
        best = rows[:, int(np.argmin(means[:-1]))]
        excess = rows[:, -3] - (1.5 if name == "flat" else 1.15) * best
        assert excess.mean() < 3.0 * excess.std() / np.sqrt(30)


def test_bins_do_not_change_the_estimate():
    rng = np.random.default_rng(10)
    noisy = reports_of(WITHIN, people("commuters", 5000, rng), rng)
    found = {bins: histogram(noisy, WITHIN, bins=bins) for bins in (6, 24, 72)}
    for bins, one in found.items():
        assert one.width == found[24].width and len(one.edges) == bins + 1
        assert one.shares.sum() == pytest.approx(1.0) and one.count == 5000
        finest = found[72].shares.reshape(bins, -1).sum(axis=1)
        assert np.abs(one.shares - finest).max() < 1e-12
        assert np.all((one.low < one.shares) & (one.shares < one.high))
        assert one.density.mean() * geometry.TURN == pytest.approx(1.0)
    other = histogram(noisy, WITHIN, bins=100)  # cells that are not the same
    assert (
        transport.circular_emd(
            other.shares.reshape(4, 25).sum(axis=1), found[24].shares.reshape(4, 6).sum(axis=1)
        )
        < 0.05
    )


def test_hours_of_the_week():
    """Seven days of two peaks on one circle, level 1 within 3 hours: a third of the error of the reports.

    The width is found, though it is three standard deviations of its prior away.
    """
    rng = np.random.default_rng(18)
    week = np.repeat(DAYS["commuters"][None], 7, axis=0) * [[1.0], [1.0], [1.0], [1.0], [1.3], [0.5], [0.4]]
    minutes = rng.choice(7 * 1440, p=week.ravel() / week.sum(), size=20_000) + rng.random(20_000)
    angles = geometry.hours_to_angles(minutes / 60.0, period=168.0)
    law = PurkayasthaMechanism.within(1.0, geometry.TURN * 3.0 / 168.0).law
    noisy = reports_of(law, angles, rng)
    truth = estimators.circular_histogram(angles, 168)
    found = histogram(noisy, law, bins=168)
    before = transport.circular_emd(estimators.circular_histogram(noisy, 168), truth, period=168.0)
    assert transport.circular_emd(found.shares, truth, period=168.0) < before / 3.0
    assert 1.0 < found.width * 168.0 / geometry.TURN < 4.0
    days = np.exp(1j * geometry.TURN * np.arange(168) / 24.0)  # the daily rhythm is there
    assert abs(found.shares @ days) == pytest.approx(abs(truth @ days) / 20_000, rel=0.3)


def test_seam_weights_and_repetition():
    rng = np.random.default_rng(11)
    noisy = np.floor(reports_of(WITHIN, people("night", 3000, rng), rng) * 1440 / geometry.TURN)
    angles, counts = np.unique((noisy + 0.5) * geometry.TURN / 1440, return_counts=True)
    found = histogram(np.repeat(angles, counts), WITHIN)
    for again in (
        histogram(angles, WITHIN, weights=counts),
        histogram(np.repeat(angles, counts)[::-1] - geometry.TURN, WITHIN),
    ):
        assert np.array_equal(again.shares, found.shares) and again.width == found.width
    turned = histogram(np.mod(angles + np.pi, geometry.TURN), WITHIN, weights=counts)
    assert np.abs(np.roll(turned.shares, 12) - found.shares).max() < 1e-5
    mean, whole = (
        estimators.private_mean(a, WITHIN, weights=w)
        for a, w in ((angles, counts), (np.repeat(angles, counts), None))
    )
    assert mean.angle == pytest.approx(whole.angle, rel=1e-12) and mean.low == pytest.approx(
        whole.low, rel=1e-9
    )


@pytest.mark.parametrize(
    "law", [VonMisesFisher(2, 1.3), WrappedLaplace(1.3), ClippedLaplace(1.3), Purkayastha(2, 20.0)], ids=repr
)
def test_histograms_of_every_law(law):
    rng = np.random.default_rng(12)
    angles = people("commuters", 20_000, rng)
    noisy = geometry.vectors_to_angles(law.rvs(geometry.angles_to_vectors(angles), rng=rng))
    truth = estimators.circular_histogram(angles)
    found = histogram(noisy, law)
    before = transport.circular_emd(estimators.circular_histogram(noisy), truth)
    assert transport.circular_emd(found.shares, truth) < 0.6 * before and found.warning == ""
    if law.kappa == 1.3:  # the law matters
        assert transport.circular_emd(histogram(noisy, Purkayastha(2, 4.0)).shares, truth) > 0.5 * before


def test_warning_where_the_day_may_be_flat():
    """5 % of flat days go without a warning, within 5.5 standard errors; a day with structure has none.

    Taking reports of clipped Laplace for symmetric ones is caught: they pile up at the seam.
    """
    rng, runs = np.random.default_rng(13), 400
    for law, draw in ((WITHIN, people), (ClippedLaplace(1.0), people)):

        def noisy(count, law=law, draw=draw):
            vectors = geometry.angles_to_vectors(draw("flat", count, rng))
            return geometry.vectors_to_angles(law.rvs(vectors, rng=rng))

        found = [histogram(noisy(300), law, width=1.0) for _ in range(runs)]
        assert_uniform([one.flat_p_value for one in found])
        silent = np.mean([one.warning == "" for one in found])
        assert silent < 0.05 + room(0.05, runs)
    assert_uniform([histogram(noisy(300), WITHIN, width=1.0).flat_p_value for _ in range(50)], False)
    with pytest.warns(UserWarning, match="these 300 reports cannot tell the day from a flat one") as caught:
        flat = estimators.private_histogram(reports_of(WITHIN, people("flat", 300, rng), rng), WITHIN)
    assert str(caught[0].message) == flat.warning and flat.flat_p_value > 0.05 and flat.width == np.inf
    # two equal and opposite peaks: no mean, but not flat either
    opposite = reports_of(WITHIN, rng.choice([1.0, 1.0 + np.pi], 20_000), rng)
    found = histogram(opposite, WITHIN)
    assert estimators.rayleigh_test(opposite, WITHIN).p_value > 0.01 and found.warning == ""


def test_intervals_of_bins_cover():
    """Smooth days: at least 90 % of the bins on average over 20 days; the binomial interval covers few."""
    rng = np.random.default_rng(14)
    covered, naive = [], []
    for name in ("commuters", "night"):
        for count in (1000, 10_000):
            for _ in range(10):
                angles = people(name, count, rng)
                truth = estimators.circular_histogram(angles) / count
                found = histogram(reports_of(WITHIN, angles, rng), WITHIN)
                covered.append(np.mean((found.low <= truth) & (truth <= found.high)))
                error = 1.96 * np.sqrt(found.shares * (1.0 - found.shares) / count)
                naive.append(np.mean(np.abs(found.shares - truth) <= error))
    assert np.mean(covered) > 0.90 > 0.75 > np.mean(naive)
    precise = histogram(people("office", 1000, rng), VonMisesFisher(2, 1e9))
    assert np.all(precise.high - precise.low < 0.02)  # nothing is left open


@pytest.mark.parametrize("law", [Purkayastha(2, 1e-6), Purkayastha(2, 1e3), ClippedLaplace(30.0)], ids=repr)
@pytest.mark.parametrize("angles", [[0.1, 0.1], np.full(100_000, 1.2), [0.5, 1.0, 3.0, 4.0]], ids=len)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_extreme_reports(law, angles):
    for options in ({}, {"bins": 1}, {"width": 1e-3}, {"width": 50.0}, {"width": np.inf}):
        found = histogram(angles, law, **options)
        assert found.shares.sum() == pytest.approx(1.0) and 0.0 <= found.flat_p_value <= 1.0
        assert np.all((found.low >= 0.0) & (found.low <= found.shares + 1e-12))
        assert np.all(found.high >= found.shares - 1e-12) and np.all(np.isfinite(found.high))
        assert found.width == options.get("width", found.width)


def test_uniform_noise_tells_nothing():
    rng = np.random.default_rng(15)
    found = histogram(rng.uniform(0.0, 6.0, 500), Uniform(2))
    assert found.width == np.inf and np.allclose(found.shares, 1.0 / 24.0) and found.flat_p_value == 1.0
    assert found.warning != "" and np.all(found.high > 0.05)


# ---------------------------------------------------------------------- places


def test_transitions_of_places_are_those_of_draws():
    """Chi-square test of reports around places that are even in their cell; a wrong κ is caught."""
    rng, cells, reach = np.random.default_rng(16), 6, 300.0
    for kappa in (0.003, 0.02, 0.2):
        law = PlanarLaplace(kappa)
        for cell in ((0, 0), (3, 2)):
            places = (np.array(cell) + rng.random((DRAWS, 2))) * 100.0 - reach
            noisy = law.rvs(places, rng=rng)
            counts, transitions = reports._plane_counts(noisy, np.ones(DRAWS), law, reach, cells)
            assert np.abs(transitions.sum(axis=1) - 1.0).max() < 1e-12
            row = transitions[cell[0] * cells + cell[1]]
            assert chi_square_p_value(counts, row / row.sum()) > ALPHA
            wrong = reports._plane_counts(noisy, np.ones(DRAWS), PlanarLaplace(1.1 * kappa), reach, cells)
            if wrong[1].shape == transitions.shape:
                row = wrong[1][cell[0] * cells + cell[1]]
                assert chi_square_p_value(counts, row / row.sum()) <= ALPHA


def test_density_of_places():
    """Two quarters of a town: half the error of the reports as they are; an even town has a warning."""
    rng, law = np.random.default_rng(17), PlanarLaplace(0.01)
    centre = np.where(rng.random(20_000) < 0.6, 400.0, -500.0)[:, None] * [1.0, -1.0]
    places = np.clip(rng.normal(centre, 180.0), -999.0, 999.0)
    noisy = law.rvs(places, rng=rng)
    found = estimators.private_place_density(noisy, law, reach=1000.0, cells=16)
    edges = [found.edges, found.edges]
    truth, raw = (np.histogram2d(*each.T, bins=edges)[0] for each in (places, noisy))
    errors = [np.abs(each / each.sum() - truth / truth.sum()).sum() for each in (raw, found.shares)]
    assert errors[1] < 0.5 * errors[0]
    assert found.shares.sum() == pytest.approx(1.0) and found.warning == "" and found.count == 20_000
    shares = truth / truth.sum()
    assert np.mean((found.low <= shares) & (shares <= found.high)) > 0.85  # empty cells, too
    assert np.all((found.low <= found.shares) & (found.shares <= found.high))
    even = law.rvs(rng.uniform(-1000.0, 1000.0, (500, 2)), rng=rng)
    with pytest.warns(UserWarning, match="cannot tell the density of places from a flat one"):
        found = estimators.private_place_density(even, law, reach=1000.0, cells=8)
    assert found.flat_p_value > 0.05 and found.warning != ""


# ---------------------------------------------------------------------- wrong inputs

GOOD = np.linspace(0.0, 6.0, 50)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: private_mean([0.1, np.nan], WITHIN), "'angles' must be finite; row 1 is not"),
        (lambda: private_mean([8.25, 23.75], WITHIN), "row 1 is beyond: convert hours"),
        (lambda: private_mean([0.1], WITHIN), "'angles' must hold at least two reports; got 1"),
        (lambda: private_mean(GOOD, Uniform(2)), "is uniform: its reports hold no information"),
        (lambda: private_mean(GOOD, ClippedLaplace(1.0)), "is not symmetric about its mode"),
        (lambda: private_mean(GOOD, Purkayastha(3, 1.0)), "'law' must be a law on the circle"),
        (lambda: private_mean(GOOD, WITHIN, confidence=95), "between 0 and 1; got 95"),
        (lambda: private_mean(GOOD, WITHIN, weights=[1]), "'weights' must hold 50 numbers"),
        (lambda: private_mean(GOOD, WITHIN, weights=GOOD), "'weights' must be whole .* row 1 is not"),
        (lambda: private_mean(["08:15", "09:00"], WITHIN), "'angles' must hold real numbers"),
        (lambda: estimators.rayleigh_test([], WITHIN), "'angles' must hold at least two reports; got 0"),
        (lambda: estimators.two_sample_test(GOOD, [np.inf, 1.0]), "'second' must be finite; row 0 is not"),
        (
            lambda: estimators.two_sample_test(GOOD, GOOD, second_weights=-np.ones(50)),
            "'second_weights' must be whole numbers of at least 0; row 0 is not",
        ),
        (lambda: private_histogram(GOOD, PlanarLaplace(1.0)), "'law' must be a law on the circle"),
        (lambda: private_histogram(GOOD, WITHIN, bins=0), "'bins' must be an integer of at least 1"),
        (lambda: private_histogram(GOOD, WITHIN, bins=1441), "'bins' must be at most 1440"),
        (lambda: private_histogram(GOOD, WITHIN, width=-1.0), "'width' must be positive"),
        (lambda: private_place_density(GOOD, PlanarLaplace(1.0), reach=1.0), r"shape \(N, 2\)"),
        (
            lambda: private_place_density(np.ones((5, 2)), WITHIN, reach=1.0),
            "'law' must be a law in the plane",
        ),
        (
            lambda: private_place_density(np.ones((5, 2)), PlanarLaplace(1.0), reach=1.0, cells=100),
            "'cells' must be at most 40 along each axis; got 100",
        ),
    ],
)  # fmt: skip
def test_errors_name_the_argument_or_the_row_and_not_the_data(call, message):
    with pytest.raises(ValueError, match=message) as caught:
        call()
    assert "23.75" not in str(caught.value)
