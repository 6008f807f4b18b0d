"""Histograms of times and places, and what can be undone of the noise in those of times.

Tests of random counts are chi-square tests at the level ALPHA: a correct program fails one with probability
1e-6. Each is paired with a wrong variant that it must catch.
"""

import mpmath
import numpy as np
import pytest
from scipy import stats
from statistics_of_draws import ALPHA, DRAWS

from dirpriv import estimators, geometry
from dirpriv.distributions import ClippedLaplace, Purkayastha, Uniform, VonMisesFisher, WrappedLaplace
from dirpriv.estimators import transport
from dirpriv.geometry import earth
from dirpriv.mechanisms import PurkayasthaMechanism

CELL_COUNTS = [2, 3, 4, 5, 6, 7, 10, 48, 100, 999, 1000, 20_000]


def chi_square_p_value(counts, probabilities):
    """p-value of counts; bins that expect fewer than ten are taken together."""
    order = np.argsort(probabilities)
    counts, expected = counts[order], counts.sum() * probabilities[order]
    rare = int(np.searchsorted(expected, 10.0))
    if rare:
        rare = max(rare, int(np.searchsorted(np.cumsum(expected), 10.0)) + 1)
        counts = np.concatenate([[counts[:rare].sum()], counts[rare:]])
        expected = np.concatenate([[expected[:rare].sum()], expected[rare:]])
    return stats.chisquare(counts, expected * counts.sum() / expected.sum()).pvalue


# ---------------------------------------------------------------------- times


@pytest.mark.parametrize("bins", [1, 7, 24, 48, 96, 1440])
def test_every_second_of_a_day_falls_into_its_own_bin(bins):
    """As an angle, and after a way through a unit vector; whole hours lie on borders and lose no second."""
    seconds = np.arange(86_400)
    angles = geometry.hours_to_angles(seconds / 3600.0)
    wanted = np.bincount(seconds * bins // 86_400, minlength=bins)
    there_and_back = geometry.vectors_to_angles(geometry.angles_to_vectors(angles))
    for given in (angles, there_and_back, angles + 3 * geometry.TURN, angles - geometry.TURN):
        assert np.array_equal(estimators.circular_histogram(given, bins=bins), wanted)
    if bins == 1440:  # plain rounding down takes whole minutes for the minute before
        naive = np.bincount((there_and_back / geometry.TURN * bins).astype(int), minlength=bins)
        assert not np.array_equal(naive, wanted)


@pytest.mark.parametrize("bins", [24, 1440, 86_400])
def test_whole_bins_of_other_types_and_of_many_turns(bins):
    """As float32 whole hours fell into the hour before, and as doubles a million turns later."""
    hours = np.arange(bins) * 24.0 / bins
    angles, ones = geometry.hours_to_angles(hours), [1] * bins
    for single in (angles.astype("f4"), np.deg2rad((15.0 * hours).astype("f4"))):
        assert estimators.circular_histogram(single, bins).tolist() == ones
        assert estimators.circular_histogram(single.astype(float), bins).tolist() != ones
    later = angles + 1e6 * geometry.TURN
    assert estimators.circular_histogram(later, bins).tolist() == ones
    below = (angles - 0.01 * geometry.TURN / bins).astype("f4")  # and what is a little less than whole, is less
    if bins < 86_400:
        assert np.array_equal(estimators.circular_histogram(below[1:], bins), [*ones[:-1], 0])


def test_histograms_of_groups():
    rng = np.random.default_rng(1)
    angles, groups = rng.uniform(-7.0, 7.0, 300_000), rng.integers(0, 5, 300_000)  # several blocks
    found = estimators.circular_histogram(angles, bins=24, groups=groups, group_count=7)
    assert found.shape == (7, 24) and found.sum() == 300_000
    for group in range(5):
        alone = estimators.circular_histogram(angles[groups == group], bins=24)
        assert np.array_equal(found[group], alone)
        assert np.array_equal(alone, np.histogram(angles[groups == group] % geometry.TURN, 24, (0, geometry.TURN))[0])
    assert np.all(found[5:] == 0)
    assert estimators.circular_histogram(angles, groups=groups).shape == (5, 24)
    assert estimators.circular_histogram([], groups=np.array([], dtype=int)).shape == (0, 24)
    assert estimators.circular_histogram([], bins=3).tolist() == [0, 0, 0]
    assert estimators.circular_histogram(-1e-20, bins=3).tolist() == [1, 0, 0]


# ---------------------------------------------------------------------- transitions


@pytest.mark.parametrize("bins", [2, 5, 24, 37])
@pytest.mark.parametrize(
    "distribution",
    [Purkayastha(2, 4.0), VonMisesFisher(2, 4.0), WrappedLaplace(0.5), ClippedLaplace(4.0), Uniform(2)],
    ids=repr,
)
def test_transitions_are_those_of_draws(distribution, bins):
    """Chi-square test of draws around angles that are uniform in their bin, at the seam and elsewhere.

    Of 100 000 draws of the wrong variant the p-value is below 1e-300.
    """
    rng = np.random.default_rng(2)
    transitions = estimators.bin_transitions(distribution, bins)
    assert transitions.min() >= 0.0 and np.abs(transitions.sum(axis=1) - 1.0).max() < 1e-12
    for true in {0, bins // 3, bins - 1}:
        angles = (true + rng.random(100_000)) * (geometry.TURN / bins)
        noisy = geometry.vectors_to_angles(distribution.rvs(geometry.angles_to_vectors(angles), rng=rng))
        counts = estimators.circular_histogram(noisy, bins=bins)
        assert chi_square_p_value(counts, transitions[true]) > ALPHA
        if bins == 5 and distribution.kappa == 4.0:  # the mode in the middle of the bin is not the same
            middle = np.full(100_000, (true + 0.5) * (geometry.TURN / bins))
            noisy = geometry.vectors_to_angles(distribution.rvs(geometry.angles_to_vectors(middle), rng=rng))
            counts = estimators.circular_histogram(noisy, bins=bins)
            assert chi_square_p_value(counts, transitions[true]) <= ALPHA


@pytest.mark.parametrize("kappa", [1e-6, 0.1, 2.0, 300.0, 1e7])
def test_transitions_against_40_digits(kappa):
    """Purkayastha on 24 bins: the survival function (e^-κx - e^-κπ)/(1 - e^-κπ), integrated over each bin."""
    with mpmath.workdps(40):
        rate, width = mpmath.mpf(kappa), mpmath.pi / 12
        end = mpmath.exp(-rate * mpmath.pi)
        tails = [
            ((mpmath.exp(-rate * k * width) - mpmath.exp(-rate * (k + 1) * width)) / rate - width * end)
            / (2 * width * (1 - end))
            for k in range(12)
        ] + [0]
        wanted = [1 - 2 * tails[0]] + [tails[k - 1] - tails[k] for k in range(1, 12)] + [2 * tails[11]]
        wanted = np.array([float(value) for value in wanted])
    transitions = estimators.bin_transitions(Purkayastha(2, kappa), 24)
    for true in (0, 17):
        turned = np.roll(transitions[true], -true)
        assert np.abs(turned[:13] - wanted).max() < 1e-13
        assert np.array_equal(turned[13:], turned[11:0:-1])


def test_transitions_without_noise_and_without_signal():
    for make in (lambda k: Purkayastha(2, k), lambda k: VonMisesFisher(2, k**2), ClippedLaplace):
        assert np.abs(estimators.bin_transitions(make(1e9), 24) - np.eye(24)).max() < 1e-7
    assert np.abs(estimators.bin_transitions(Purkayastha(2, 0.0), 24) - 1.0 / 24.0).max() < 1e-14
    seam = np.zeros((24, 24))
    seam[:, 0] = 1.0
    assert np.abs(estimators.bin_transitions(ClippedLaplace(0.0), 24) - seam).max() < 1e-13


# ---------------------------------------------------------------------- deconvolution


def day_of_two_peaks():
    """A day with a morning and an evening, per minute."""
    hours = (np.arange(1440) + 0.5) / 60.0
    peaks = np.exp(-0.5 * ((hours - 9.0) / 1.5) ** 2) + 1.5 * np.exp(-0.5 * ((hours - 19.0) / 2.0) ** 2)
    return (0.13 + peaks) / (0.13 + peaks).sum()


def simulated_days(distribution, count, repetitions, seed=3):
    """Histograms of the true and of the randomised hours."""
    rng = np.random.default_rng(seed)
    true, noisy = np.empty((2, repetitions, 24))
    for row in range(repetitions):
        minutes = rng.choice(1440, p=day_of_two_peaks(), size=count) + rng.random(count)
        angles = geometry.hours_to_angles(minutes / 60.0)
        true[row] = estimators.circular_histogram(angles)
        drawn = distribution.rvs(geometry.angles_to_vectors(angles), rng=rng)
        noisy[row] = estimators.circular_histogram(geometry.vectors_to_angles(drawn))
    return true, noisy


def test_deconvolution_at_level_1_within_3_hours():
    """10 000 check-ins: from 0.89 h to 0.16 h; the design notes name 0.894 and 0.193 h.

    20 days at a fixed seed; means within 5.5 standard errors (error rate 4e-8) of the bounds.
    """
    distribution = PurkayasthaMechanism.within(level=1.0, radius=np.pi / 4.0).noise
    true, noisy = simulated_days(distribution, 10_000, 20)
    before = transport.circular_emd(true, noisy)
    after = transport.circular_emd(true, estimators.deconvolve(noisy, distribution))
    error = 5.5 * max(before.std(), after.std()) / np.sqrt(20)
    assert abs(before.mean() - 0.894) < 0.02 + error
    assert after.mean() + error < 0.25
    assert np.all(after < 0.5 * before)
    # neither smoothing by whole hours, nor the noise of another distribution, does it
    blurred = transport.circular_emd(true, estimators.deconvolve(noisy, distribution, subdivisions=1))
    mistaken = transport.circular_emd(true, estimators.deconvolve(noisy, Purkayastha(2, 4.0)))
    assert blurred.mean() - error > 0.5 and mistaken.mean() - error > 0.5


@pytest.mark.parametrize(
    "distribution", [VonMisesFisher(2, 1.3), WrappedLaplace(1.3), ClippedLaplace(1.3), ClippedLaplace(0.3)], ids=repr
)
def test_deconvolution_of_every_distribution(distribution):
    true, noisy = simulated_days(distribution, 10_000, 5)
    before = transport.circular_emd(true, noisy)
    after = transport.circular_emd(true, estimators.deconvolve(noisy, distribution))
    assert np.all(after < 0.5 * before)


def test_subdivisions_for_few_and_many_counts():
    """What the documentation advises; differences of the means by 3 standard errors of paired days."""
    distribution = PurkayasthaMechanism.within(level=1.0, radius=np.pi / 4.0).noise
    for count, best, worse in ((300, 2, (10, 1)), (10_000, 4, (1, 2)), (1_000_000, 10, (2, 4))):
        true, noisy = simulated_days(distribution, count, 30 if count < 10**6 else 4)
        emd = {
            parts: transport.circular_emd(true, estimators.deconvolve(noisy, distribution, subdivisions=parts))
            for parts in (best, *worse)
        }
        for parts in worse:
            excess = emd[parts] - emd[best]
            assert excess.mean() > 3.0 * excess.std() / np.sqrt(excess.size)


def test_deconvolution_keeps_mass_and_rows_apart(monkeypatch):
    monkeypatch.setattr(estimators.histograms, "_BLOCK", 2**11)  # blocks of 21 rows instead of 1365
    distribution = Purkayastha(2, 1.0)
    rng = np.random.default_rng(4)
    counts = rng.poisson(3.0, (60, 24)) + np.eye(24, dtype=int)[rng.integers(0, 24, 60)]
    counts[7] = 5 * np.eye(24, dtype=int)[3]
    found = estimators.deconvolve(counts, distribution)
    assert found.shape == counts.shape and found.min() >= 0.0
    assert np.allclose(found.sum(axis=1), counts.sum(axis=1), rtol=1e-12, atol=0.0)
    for row in (0, 7, 59):
        alone = estimators.deconvolve(counts[row], distribution)
        assert alone.shape == (24,) and np.allclose(alone, found[row], rtol=0, atol=1e-3)
    turned = estimators.deconvolve(np.roll(counts[:5], 4, axis=1), distribution)
    assert np.allclose(turned, np.roll(found[:5], 4, axis=1), rtol=0, atol=1e-3)
    finer = estimators.deconvolve(counts[:5], distribution, tolerance=1e-11)
    assert np.abs(finer - found[:5]).max() < 1e-3 * counts[:5].sum(axis=1).max()


def test_deconvolution_where_there_is_nothing_to_undo():
    day = 1000.0 * day_of_two_peaks().reshape(24, 60).sum(axis=1)
    assert transport.circular_emd(day, estimators.deconvolve(day, Purkayastha(2, 1e9))) < 0.02
    assert np.allclose(estimators.deconvolve(day, Uniform(2)), day.sum() / 24.0)  # nothing can be learnt


# ---------------------------------------------------------------------- places


def uniform_places(count, rng):
    sine = rng.uniform(-1.0, 1.0, count)
    return np.stack([np.rad2deg(np.arcsin(sine)), rng.uniform(-180.0, 180.0, count)], axis=-1)


@pytest.mark.parametrize("count", CELL_COUNTS)
def test_cells_have_equal_area_and_cover_the_sphere(count):
    cells = earth.EqualAreaCells(count)
    assert len(cells) == cells.count == count
    south, west, north, east = np.deg2rad(cells.borders()).T
    area = (np.sin(north) - np.sin(south)) * (east - west)
    assert np.abs(area / (4.0 * np.pi / count) - 1.0).max() < 1e-12  # of a cell, down to 0.1 km²
    assert north[0] == np.pi / 2 and south[-1] == -np.pi / 2
    starts = np.flatnonzero(west == -np.pi)  # bands begin at the 180th meridian, and end there
    assert np.array_equal(south[starts[:-1]], north[starts[1:]])
    assert np.all(east[np.append(starts[1:], count) - 1] == np.pi)
    same_band = np.setdiff1d(np.arange(count), starts)
    assert np.array_equal(west[same_band], east[same_band - 1])
    if count >= 20:  # "nearly equal width and height"
        shape = ((east - west) * np.cos((south + north) / 2.0) / (north - south))[1:-1]
        assert 0.8 < shape.min() and shape.max() < 1.3


@pytest.mark.parametrize("count", CELL_COUNTS)
def test_places_lie_in_their_cells(count):
    cells = earth.EqualAreaCells(count)
    rng = np.random.default_rng(5)
    places = uniform_places(20_000, rng)
    south, west, north, east = cells.borders()[cells.cell_of(places)].T
    slack = 1e-9  # degrees
    assert np.all((places[:, 0] <= north + slack) & (places[:, 0] >= south - slack))
    assert np.all((places[:, 1] >= west - slack) & (places[:, 1] <= east + slack))
    centres = cells.centres()
    assert np.array_equal(cells.cell_of(centres), np.arange(count))
    assert np.array_equal(centres[[0, -1], 0], [90.0, -90.0])
    # just inside the north-western corner of each cell
    south, west, north, east = cells.borders().T
    corners = np.stack([north - 1e-6 * (north - south), west + 1e-6 * (east - west)], axis=-1)
    assert np.array_equal(cells.cell_of(corners), np.arange(count))


def test_uniform_places_fall_uniformly():
    """Chi-square test; bands of equal height in degrees, cut alike, are caught."""
    rng = np.random.default_rng(6)
    places = uniform_places(DRAWS, rng)
    for count in (2, 7, 100, 999):
        counts = earth.EqualAreaCells(count).histogram(places)
        assert counts.shape == (count,) and counts.sum() == DRAWS
        assert chi_square_p_value(counts, np.full(count, 1.0 / count)) > ALPHA
    wrong = places.copy()
    wrong[:, 0] = 90.0 * np.sin(np.deg2rad(places[:, 0]))  # uniform in latitude
    assert chi_square_p_value(earth.EqualAreaCells(100).histogram(wrong), np.full(100, 0.01)) <= ALPHA


def test_centres_are_centroids():
    """The mean vector of places in a cell points to its centre: within 5.5 standard errors (4e-8)."""
    cells = earth.EqualAreaCells(12)
    vectors = earth.places_to_vectors(uniform_places(DRAWS, np.random.default_rng(7)))
    index = cells.cell_of(earth.vectors_to_places(vectors))
    for cell, centre in enumerate(earth.places_to_vectors(cells.centres())):
        inside = vectors[index == cell]
        across = inside - np.outer(inside @ centre, centre)
        assert np.all(np.abs(across.mean(axis=0)) < 5.5 * across.std(axis=0) / np.sqrt(len(inside)) + 1e-15)
    band = cells.borders()[3]  # the middle of the latitudes is not the centroid
    assert abs(cells.centres()[3, 0] - (band[0] + band[2]) / 2.0) > 0.5


def test_poles_and_the_antimeridian():
    cells = earth.EqualAreaCells(500)
    assert np.all(cells.cell_of(np.stack([np.full(9, 90.0), np.linspace(-180, 180, 9)], axis=-1)) == 0)
    assert np.all(cells.cell_of(np.stack([np.full(9, -90.0), np.linspace(-180, 180, 9)], axis=-1)) == 499)
    latitudes = np.linspace(-89.0, 89.0, 50)
    west, east, around, over = (
        cells.cell_of(np.stack([latitudes, np.full(50, longitude)], axis=-1))
        for longitude in (-180.0, 180.0, 540.0, 180.0001)
    )
    assert np.array_equal(west, east) and np.array_equal(west, around) and np.array_equal(west, over)
    before = cells.cell_of(np.stack([latitudes, np.full(50, 179.9999)], axis=-1))
    assert np.all((before > west) | (west == 0) | (west == 499))  # but for the polar cells, another one
    assert cells.cell_of([0.0, 0.0]).shape == () and cells.cell_of(np.zeros((2, 3, 2))).shape == (2, 3)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: estimators.circular_histogram([0.0, np.nan]), "'angles' must be finite radians"),
        (lambda: estimators.circular_histogram([0.0], bins=0), "'bins' must be an integer of at least 1"),
        (lambda: estimators.circular_histogram([0.0], bins=24.0), "'bins' must be an integer"),
        (lambda: estimators.circular_histogram([0.0], groups=[0.5]), "one integer for each of the 1 angles"),
        (lambda: estimators.circular_histogram([0.0], groups=[0, 1]), "got 2 of type"),
        (lambda: estimators.circular_histogram([0.0], groups=[-1]), "'groups' must lie in 0 to .* got -1"),
        (lambda: estimators.circular_histogram([0.0], groups=[3], group_count=3), "'groups' must lie in 0 to 2; got 3"),
        (lambda: estimators.circular_histogram([0.0], group_count=3), "'group_count' goes with 'groups'"),
        (lambda: estimators.bin_transitions(Purkayastha(3, 1.0)), "must be a distribution on the circle"),
        (lambda: estimators.bin_transitions("purkayastha"), "must be a distribution on the circle"),
        (lambda: estimators.deconvolve([1, -1], Purkayastha(2, 1.0)), "row 1 of 'counts' is no nonnegative"),
        (lambda: estimators.deconvolve([[0, 0]], Purkayastha(2, 1.0)), "row 0 of 'counts' is a histogram without"),
        (lambda: estimators.deconvolve([1, 2], Purkayastha(2, 1.0), subdivisions=0), "'subdivisions' must"),
        (lambda: estimators.deconvolve([1, 2], Purkayastha(2, 1.0), tolerance=0), "'tolerance' must be pos"),
        (lambda: earth.EqualAreaCells(1), "'count' must be an integer of at least 2; got 1"),
        (lambda: earth.EqualAreaCells(10.0), "'count' must be an integer"),
        (lambda: earth.EqualAreaCells(10).cell_of([95.0, 0.0]), "'places' must hold latitudes"),
        (lambda: earth.EqualAreaCells(10).histogram([[np.inf, 0.0]]), "'places' must hold finite"),
    ],
)
def test_bad_arguments_are_named(make, words):
    with pytest.raises(ValueError, match=words):
        make()


@pytest.mark.parametrize("kappa", [1.0, 300.0, 500.0, 1e4, 6e7])
@pytest.mark.parametrize(
    "family", [Purkayastha, VonMisesFisher, WrappedLaplace, ClippedLaplace], ids=lambda family: family.__name__
)
def test_deconvolution_of_counts_in_few_bins(family, kappa):
    """Bins that no likely cell reaches are predicted 0 times and counted 0 times: that is no division."""
    distribution = family(2, kappa) if family in (Purkayastha, VonMisesFisher) else family(kappa)
    one, two = np.zeros(24), np.zeros(24)
    one[7], two[3], two[15] = 100.0, 60.0, 40.0
    found = estimators.deconvolve([one, two], distribution)
    assert np.all(found >= 0.0) and np.allclose(found.sum(axis=1), 100.0, rtol=1e-12, atol=0.0)
    assert np.argmax(found[0]) == 7 and np.argmax(found[1]) == 3
    assert np.allclose(found[0], found[0][(14 - np.arange(24)) % 24], rtol=1e-6, atol=1e-9)  # symmetric about 7
    if kappa > 1.0:
        # the smoothing alone moves something, and only to the neighbours
        assert found[0, 6:9].sum() > 99.9 and found[0, 7] > 85.0
        assert np.allclose(found[1], 0.6 * np.roll(found[0], -4) + 0.4 * np.roll(found[0], 8), atol=1e-3)
