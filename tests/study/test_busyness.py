"""Busyness of venues: the venues of a table, snapping, histograms, the tables and the figures."""

import copy
import functools
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from looks import faults, styled, title_follows  # noqa: F401
from scipy import stats
from sweeps import swept

from dirpriv import geometry
from dirpriv.estimators import bin_transitions
from dirpriv.estimators.transport import circular_emd
from dirpriv.geometry import earth
from dirpriv.mechanisms import PurkayasthaMechanism
from study import configuration
from study.checkins import venues_from_checkins
from study.checkins.venues_from_checkins import Venues
from study.experiments.busyness import plot as plot_busyness
from study.experiments.busyness import simulate
from study.experiments.busyness.compare import compare
from study.experiments.busyness.estimate import COLUMNS, BusynessEstimates, ListRelease, rows_of
from study.experiments.busyness.simulate import (
    BusynessSimulation,
    Measured,
    PlaceNoise,
    choose,
    distances,
    randomise,
    references,
)
from study.experiments.busyness.snapping import SnappingIndex
from study.experiments.busyness.snapping_distances import means_of, sums_of
from study.experiments.busyness.surroundings import Surroundings
from study.simulation.estimates import share_of_draws
from study.simulation.mechanisms import mechanism_within
from study.workflow.job import InputError
from study.workflow.parquet import write_parquet

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = {
    "mechanisms": ["purkayastha", "wrapped_laplace"],
    "time_levels": [0.1, 0.316],
    "place_levels": [0.01, 1.0, 100.0],
    "time_radius_hours": 3.0,
    "place_radius_metres": 10.0,
    "fewest_checkins": 200,
    "half_width": 0.1,
    "most_randomised": 216_000,  # the town six times
    "most_venues": 1000,
    "most_checkins": 100_000,
    "estimated": 4,
    "most_estimated": 12,
    "panel_place_levels": [0.01, 100.0],
    "example_levels": [[0.316, 100.0], [0.1, 0.01]],
}
WIDE = 5.2  # standard errors; passed by 2e-7 of normal deviates


class NoNoise:
    """A mechanism of times and of places that leaves everything as it is."""

    def randomise_times(self, hours, rng=None):
        return hours

    def ways(self, count, rng):
        return np.zeros(count)

    moved = staticmethod(PlaceNoise.moved)


def noisy_places(noise, vectors, rng):
    """All places moved, and not only those whose move is seen."""
    return noise.moved(vectors, noise.ways(len(vectors), rng), rng)


def write(path, venue, places, seconds):
    """A prepared table of check-ins at places by the number of their venue."""
    time = pd.Timestamp("2020-09-13") + pd.to_timedelta(np.asarray(seconds), unit="s")
    table = {"venue": [f"venue {number}" for number in venue], "local_time": time}
    table |= {"latitude": places[:, 0], "longitude": places[:, 1]}
    write_parquet(pd.DataFrame(table), path)
    return path


def two_peaked_day(rng, count):
    """Seconds since midnight: a morning and an evening."""
    hours = np.where(rng.random(count) < 0.25, rng.normal(9.0, 1.2, count), rng.normal(19.0, 2.0, count))
    return (hours * 3600 % 86400).astype(int)


@pytest.fixture(scope="module")
def town(tmp_path_factory):
    """12 000 check-ins at 40 venues in a grid 500 m wide: venues, places of venues, seconds, and the file."""
    rng = np.random.default_rng(7)
    row, column = np.divmod(np.arange(40), 8)
    places = earth.destination([40.0, -74.0], 0.0, 500.0 * row)
    places = earth.destination(places, np.pi / 2.0, 500.0 * column)
    venue = rng.integers(40, size=12_000)
    seconds = two_peaked_day(rng, venue.size)
    path = write(tmp_path_factory.mktemp("town") / "town.parquet", venue, places[venue], seconds)
    return venue, places, seconds, path


@pytest.fixture(scope="module")
def results(town):
    """Tables of both mechanisms."""
    calibrations = ["published", "tight"]
    return {
        name: BusynessSimulation(name, "town", calibrations, SETTINGS, seed=3).run(Venues(town[3]))
        for name in SETTINGS["mechanisms"]
    }


@pytest.fixture(scope="module")
def other_seed(town):
    """Tables of one mechanism with another seed."""
    return BusynessSimulation("purkayastha", "town", ["published"], SETTINGS, seed=4).run(Venues(town[3]))


def test_venues_of_a_table(tmp_path, monkeypatch):
    """First row's place, equal places in one, nearby venues side by side; blocks do not matter."""
    rng = np.random.default_rng(1)
    places = np.array([[10.0, 20.0], [-50.0, 180.0], [10.0, 20.001], [10.0, 20.0], [-50.0, -180.0], [88.0, 3.0]])
    venue = rng.permutation(np.repeat(np.arange(6), [50, 40, 30, 20, 10, 5]))
    moved = places[venue]
    later = np.flatnonzero(venue == 5)[1:]
    moved[later] += 0.5  # what comes after the first row does not move the venue
    seconds = rng.integers(86400, size=venue.size)
    path = write(tmp_path / "a.parquet", venue, moved, seconds)
    monkeypatch.setattr(venues_from_checkins, "ROWS", 13)
    found = Venues(path)
    assert found.names == 6 and len(found) == 4
    assert {tuple(p): int(n) for p, n in zip(found.places, found.checkins, strict=True)} == {
        (10.0, 20.0): 70, (10.0, 20.001): 30, (-50.0, -180.0): 50, (88.0, 3.0): 5
    }  # fmt: skip
    near = [number for number, place in enumerate(found.places) if place[0] == 10.0]
    assert near[1] - near[0] == 1
    number, second = (np.concatenate(columns) for columns in zip(*found.blocks(), strict=True))
    shown = sorted(zip(found.places[number, 0].tolist(), second.tolist(), strict=True))
    assert shown == sorted(zip(places[venue, 0].tolist(), seconds.tolist(), strict=True))
    apart = earth.great_circle_distance([10.0, 20.0], [10.0, 20.001], radius=1.0)
    np.testing.assert_allclose(SnappingIndex(found.places, [0]).neighbour[near], 2.0 * np.sin(apart / 2.0), rtol=1e-9)


def test_one_venue_is_nearest_to_everything(tmp_path):
    path = write(tmp_path / "a.parquet", [0], np.array([[10.0, 20.0]]), [0])
    snapping = SnappingIndex(Venues(path).places, [0])
    assert snapping.snap(np.array([0]), earth.places_to_vectors([[-10.0, -160.0]])).tolist() == [0]


@pytest.mark.parametrize("level", [0.005, 0.05, 0.5])
def test_snapping_is_to_the_nearest_venue(town, level):
    """What stays near its own venue is not looked up, and yet is where a search puts it."""
    found = Venues(town[3])
    snapping = SnappingIndex(found.places, [0])
    venue = np.repeat(np.arange(len(found)), 100)
    noise, rng = PlaceNoise("purkayastha", level, 10.0), np.random.default_rng(2)
    noisy = noisy_places(noise, snapping.vectors[venue], rng)
    searched = earth.NearestPlaces(found.places).query(earth.vectors_to_places(noisy))[0]
    assert (snapping.snap(venue, noisy) == searched).all()
    assert 0.02 < (searched == venue).mean() < 1.0 or level == 0.5


class Towns:
    """Venues in 40 dense towns, at the poles and on the 180th meridian too, and far from everything."""

    def __init__(self, count):
        rng = np.random.default_rng(11)
        centres = earth.vectors_to_places(rng.standard_normal((40, 3)))
        centres[:4] = [[90.0, 0.0], [-90.0, 0.0], [10.0, 180.0], [-30.0, -179.99]]
        town = rng.integers(40, size=count)
        way = rng.gamma(1.0, 2e3, count)
        self.places = earth.destination(centres[town], rng.uniform(0.0, 2.0 * np.pi, count), way)

    def __len__(self):
        return len(self.places)


@pytest.mark.parametrize(("venue_count", "kept_count"), [(1, 1), (2, 1), (9, 4), (4000, 60), (4000, 4000)])
def test_arrivals_are_those_that_a_search_finds(venue_count, kept_count):
    """Whatever the noise: metres in town, 100 km in the country, all over the Earth."""
    found, rng = Towns(venue_count), np.random.default_rng(12)
    kept = np.sort(rng.choice(venue_count, kept_count, replace=False))
    snapping = SnappingIndex(found.places, kept)
    venue = rng.integers(venue_count, size=20_000)
    for level in (1e-6, 1e-3, 0.1, 1.0):
        noise = PlaceNoise("purkayastha", level, 10.0)
        noisy = noisy_places(noise, snapping.vectors[venue], rng)
        rows = snapping.rows[earth.NearestPlaces(found.places).query_vectors(noisy)]
        arrived, reached = snapping.arrivals(venue, noisy)
        assert arrived.tolist() == np.flatnonzero(rows >= 0).tolist()
        assert reached.tolist() == rows[arrived].tolist()


def test_hardly_any_place_is_searched_for_among_all(monkeypatch):
    """The bisectors leave a few; with their signs turned round they leave the wrong ones."""
    found, rng = Towns(4000), np.random.default_rng(13)
    snapping = SnappingIndex(found.places, np.arange(0, 4000, 100))
    venue = rng.integers(4000, size=20_000)
    noise = PlaceNoise("von_mises_fisher", 0.1, 10.0)
    noisy = noisy_places(noise, snapping.vectors[venue], rng)
    searched = []
    search = snapping.nearest.query_vectors
    monkeypatch.setattr(
        snapping.nearest, "query_vectors", lambda vectors: searched.append(len(vectors)) or search(vectors)
    )
    arrived, _ = snapping.arrivals(venue, noisy)
    assert len(arrived) > 50 and len(arrived) <= searched[0] < 0.15 * len(venue)
    snapping._towards = -snapping._towards
    assert len(snapping.arrivals(venue, noisy)[0]) < 0.1 * len(arrived)


@pytest.mark.parametrize(("venue_count", "kept_count"), [(1, 1), (2, 1), (4000, 60), (4000, 4000)])
def test_short_ways_change_nothing_at_kept_venues(venue_count, kept_count):
    """As far as they go, in all directions; three times as far changes something where there is another."""
    found, rng = Towns(venue_count), np.random.default_rng(14)
    kept = np.sort(rng.choice(venue_count, kept_count, replace=False))
    snapping, venue = SnappingIndex(found.places, kept), np.repeat(np.arange(venue_count), 5)
    ways = snapping.stay_angles[venue]
    for far, unchanged in ((1.0, True), (3.0, venue_count == 1)):
        noisy = PlaceNoise.moved(snapping.vectors[venue], far * ways, rng)
        reached = earth.NearestPlaces(found.places).query_vectors(noisy)
        assert (snapping.rows[reached] == snapping.rows[venue]).all() == unchanged


@pytest.mark.parametrize("name", ["purkayastha", *swept(("von_mises_fisher",)), "planar_laplace"])
def test_arrivals_are_those_of_a_release_of_all_places(name, tmp_path, monkeypatch):
    """Arrivals at kept venues and the rest, at three levels: chi-square tests of homogeneity, rate 1e-6 each.

    With ten times the ways that are taken to change nothing, too many places stay.
    """
    towns, rng = Towns(600), np.random.default_rng(15)
    venue, level = rng.integers(600, size=60_000), (0.003, 0.03, 0.3)
    path = write(tmp_path / "a.parquet", venue, towns.places[venue], rng.integers(86_400, size=venue.size))
    found = Venues(path)
    kept = np.sort(rng.choice(len(found), 40, replace=False))
    measured = Measured(kept, np.ones(40, dtype=bool), 0)
    places = [PlaceNoise(name, of_level, 10.0) for of_level in level]
    monkeypatch.setattr(simulate, "AT_ONCE", 7000)
    search, true = earth.NearestPlaces(found.places), np.repeat(np.arange(len(found)), found.checkins)
    expected = []
    for noise in places:
        noisy = noisy_places(noise, earth.places_to_vectors(found.places[true]), rng)
        arrivals = np.bincount(search.query_vectors(noisy), minlength=len(found))[kept]
        expected.append([*arrivals, venue.size - arrivals.sum()])

    def p_values(seed, factor=1.0):
        rng, snapping = np.random.default_rng(seed), SnappingIndex(found.places, measured.venues, 10.0)
        snapping.stay_angles *= factor
        noise = [NoNoise()], places, lambda *names: rng
        counts = randomise(found, measured, *noise, snapping, share=0.01).noisy
        arrivals = counts[0].sum(axis=2)
        seen = np.column_stack([arrivals, venue.size - arrivals.sum(axis=1)])
        tables = (np.array([row, other]) for row, other in zip(seen, expected, strict=True))
        return np.array([stats.chi2_contingency(table[:, table.sum(axis=0) > 10]).pvalue for table in tables])

    assert (p_values(1) > 1e-6).all()
    assert (p_values(1, 10.0) < 1e-6).any()


def test_displacements_of_a_sample_of_the_checkins(town, results):
    """Each check-in has the same chance to be in it; the histograms are those of all, as without it."""
    few = SETTINGS | {"most_checkins": 3000}
    tables = {
        name: BusynessSimulation(name, "town", ["published", "tight"], few, seed=3).run(Venues(town[3]))
        for name in SETTINGS["mechanisms"]
    }
    for name, (table, of_venues, example) in tables.items():
        whole = results[name]
        assert of_venues.equals(whole[1]) and example.equals(whole[2])
        is_emd = table["metric"] == "emd"
        assert table[is_emd].equals(whole[0][is_emd])
        for (_, part), (_, all_of_it) in zip(table[~is_emd].iterrows(), whole[0][~is_emd].iterrows(), strict=True):
            assert abs(part["n"] - 3000) < WIDE * np.sqrt(12_000 * 0.25 * 0.75)
            # the sample is a part of all check-ins, and of the same noise
            error = part["standard_error"] * np.sqrt(0.75)
            assert abs(part["value"] - all_of_it["value"]) <= WIDE * error
    first, other = (table.loc[table["metric"] == "moved", "n"] for table, _, _ in tables.values())
    assert first.nunique() == 1 and first.tolist() == other.tolist()


def numbers_of(estimate):
    return estimate.value, estimate.standard_error, estimate.low, estimate.high


def test_displacements_are_along_great_circles():
    vectors = earth.places_to_vectors([[0.0, 0.0], [0.0, 90.0], [0.0, -180.0]])
    sums = sums_of(np.array([0, 0, 2]), np.array([1, 2, 2]), vectors, np.array([True, True, False]))
    quarter = earth.EARTH_RADIUS * np.pi / 2.0
    means = means_of(sums)
    assert means["moved"].repetitions == 3 and means["moved"].value == pytest.approx(quarter)
    found = [(mean.repetitions, mean.value) for mean in means.values()]
    assert found[:2] == [(3, 1.0 / 3.0), (2, 0.0)]
    for mean in means_of(np.zeros(6)).values():  # a sample may be empty
        assert mean.repetitions == 0 and np.isnan(numbers_of(mean)).all()


@pytest.mark.parametrize("name", ["purkayastha", "planar_laplace"])
def test_nearly_all_stay_where_venues_are_apart(name, tmp_path):
    """Two venues 4 m from each other, one 12 m from both: at 100 all stay at the one, at 0.01 two thirds go.

    Noise of 0.2 m on average never goes 6 m, and 2 km are much farther than any of the three; the one's half
    of the directions is a bit less than half. The other two count where the radius is 3 m, and spoil it.
    """
    places = earth.destination([40.0, -74.0], np.pi / 2.0, np.array([0.0, 4.0, 16.0]))
    venue = np.repeat(np.arange(3), 10_000)
    path = write(tmp_path / "a.parquet", venue, places[venue], np.zeros(venue.size, int))
    found = Venues(path)
    time = "wrapped_laplace" if name == "planar_laplace" else name
    shares = {}
    for metres in (10.0, 3.0):
        settings = SETTINGS | {"place_levels": [0.01, 100.0], "place_radius_metres": metres}
        settings |= {"time_levels": [0.1], "example_levels": [[0.1, 0.01]]}
        table = BusynessSimulation(time, "three", ["published"], settings, seed=3).run(found)[0]
        shares[metres] = table.set_index(["metric", "place_level"])[["value", "n", "low", "high"]]
    apart = shares[10.0].loc["own_share_apart"]
    assert (apart["n"] == 10_000).all() and apart.loc[100.0, "value"] == 1.0
    assert 0.4 < apart.loc[0.01, "value"] < 0.52
    assert (apart["low"] < apart["value"]).all() and apart.loc[0.01, "value"] < apart.loc[0.01, "high"]
    everyone = shares[10.0].loc["own_share"]
    assert (everyone["n"] == 30_000).all() and everyone.loc[0.01, "value"] < 0.36
    pd.testing.assert_frame_equal(shares[3.0].loc["own_share_apart"], shares[3.0].loc["own_share"])


@pytest.mark.parametrize("name", ["purkayastha", "planar_laplace"])
def test_noise_of_a_level_within_metres(name):
    """Mean distance 2 r/ℓ, within WIDE standard errors of 100 000 draws; ten percent more is not."""
    places = np.tile([40.0, -74.0], (100_000, 1))
    vectors = earth.places_to_vectors(places)
    for level, right in ((0.5, True), (0.5 / 1.1, False)):
        noisy = noisy_places(PlaceNoise(name, level, 10.0), vectors, np.random.default_rng(5))
        metres = geometry.angle_between_vectors(noisy, vectors) * earth.EARTH_RADIUS
        z = (metres.mean() - 2.0 * 10.0 / 0.5) / (metres.std() / np.sqrt(metres.size))
        assert (abs(z) < WIDE) == right, z


def test_own_venue_at_high_levels_and_another_at_low_ones(results):
    """Venues are 500 m apart: noise of 0.2 m on average reaches 250 m never; noise of 2 km is all over town.

    One in 40 is at home by chance, and more of those at the edge.
    """
    for table, _, _ in results.values():
        share = table[table["metric"] == "own_share"].set_index("place_level")["value"]
        assert share[100.0] == 1.0 and share[0.01] < 0.15
        moved = table[table["metric"] == "moved"].set_index("place_level")["value"]
        assert moved[100.0] == 0.0 and moved[0.01] > 500.0


def test_share_of_independent_draws():
    """Exact intervals have a length where none or all were drawn too; there is no share of nothing."""
    value, error, low, high = numbers_of(share_of_draws(0, 100))
    assert value == error == low == 0.0 and high == pytest.approx(1.0 - 0.025**0.01, abs=1e-12)
    assert share_of_draws(100, 100).low == pytest.approx(1.0 - high)
    assert numbers_of(share_of_draws(30, 100))[:2] == (0.3, np.sqrt(0.3 * 0.7 / 100))
    assert np.isnan(numbers_of(share_of_draws(0, 0))).all()


def test_without_noise_all_is_as_it_was(town):
    found = Venues(town[3])
    measured = choose(found, "town", SETTINGS, 3)
    generators, snapping = [np.random.default_rng(1)], SnappingIndex(found.places, measured.venues, 10.0)
    outcome = randomise(found, measured, [NoNoise()], [NoNoise()], lambda *names: generators[0], snapping)
    assert (outcome.noisy[0, 0] == outcome.true).all()
    venue, places, seconds, _ = town
    for row, number in enumerate(measured.venues):
        name = np.flatnonzero((places == found.places[number]).all(axis=1))[0]
        assert outcome.true[row].tolist() == np.bincount(seconds[venue == name] // 3600, minlength=24).tolist()
    means = {name: (m.repetitions, *numbers_of(m)[:2]) for name, m in means_of(outcome.displacements[0]).items()}
    everything = (12_000, 1.0, 0.0)
    assert means == {
        "own_share": everything, "own_share_apart": everything, "moved": (12_000, 0.0, 0.0)
    }  # fmt: skip
    assert (distances(outcome.noisy[0, 0], outcome.true) == 0.0).all()


def test_noise_and_venues_are_told_apart(results):
    """Of the mean differences: the interval of the noise is narrower than that over venues; both add up.

    Where all check-ins are randomised once, nothing is known of the noise; a wrong variant takes it for none.
    """
    compared = compare([of_venues for _, of_venues, _ in results.values()], "purkayastha")
    inside = (compared["noise_low"] > compared["low"]) & (compared["noise_high"] < compared["high"])
    assert inside.mean() > 0.5
    both = np.hypot(compared["noise_deviation"], compared["venue_deviation"]) / np.sqrt(compared["venues"])
    assert (both >= compared["standard_error"] * (1.0 - 1e-9)).all()
    few = [of_venues.assign(noise_error=np.nan, noise_variance=np.nan) for _, of_venues, _ in results.values()]
    once = compare(few, "purkayastha")
    assert once[["noise_low", "noise_deviation", "venue_deviation"]].isna().all(axis=None)
    np.testing.assert_allclose(once["low"], compared["low"])
    wrong = compare([of_venues.assign(noise_error=0.0) for of_venues in few], "purkayastha")
    assert (wrong["noise_low"] == wrong["value"]).all()


def test_noise_error_is_that_of_the_repetitions(results, other_seed):
    """Two seeds differ by their noise: within WIDE of it, and in some cell by more than a tenth of that."""
    tables = results["purkayastha"][0], other_seed[0]
    first, other = (table[table["metric"] == "emd"] for table in tables)
    assert (first["repetitions"] >= simulate.FEWEST_TIMES).all()
    z = (first["value"] - other["value"]).abs() / np.hypot(first["noise_error"], other["noise_error"])
    assert z.max() < WIDE + 5.0  # five repetitions: Student's distribution has wider tails
    assert z.max() > 0.1 * WIDE


def test_one_randomisation_serves_all_pairs(town):
    """The hours of all venues together are the same for every level of places, and the other way round."""
    found = Venues(town[3])
    simulation = BusynessSimulation("purkayastha", "town", ["published"], SETTINGS, seed=3)
    everything = Measured(np.arange(40), np.ones(40, dtype=bool), 0)
    snapping = SnappingIndex(found.places, everything.venues, 10.0)
    noisy = randomise(found, everything, simulation.times, simulation.places, simulation.generator, snapping).noisy
    assert noisy.sum() == 12_000 * 2 * 3
    hours, arrivals = noisy.sum(axis=2), noisy.sum(axis=3)
    assert (hours == hours[:, :1]).all() and (hours[0] != hours[1]).any()
    assert (arrivals == arrivals[:1]).all() and (arrivals[:, 0] != arrivals[:, 1]).any()


def test_distance_of_a_busy_venue_is_the_expected_one(tmp_path):
    """100 000 check-ins: what the distribution makes of the day, to 0.05 h."""
    seconds = two_peaked_day(np.random.default_rng(4), 100_000)
    path = write(tmp_path / "a.parquet", np.zeros(seconds.size, int), np.zeros((seconds.size, 2)), seconds)
    minutes = np.bincount(seconds // 60, minlength=1440)
    day = minutes.reshape(24, 60).sum(axis=1)
    settings = SETTINGS | {"place_levels": [100.0], "example_levels": [[0.316, 100.0]]}
    table, of_venues, _ = BusynessSimulation("purkayastha", "one", ["published"], settings, seed=1).run(Venues(path))
    found = of_venues.set_index("time_level")["emd"]
    for level in SETTINGS["time_levels"]:
        distribution = mechanism_within("purkayastha", level, np.pi / 4.0, "published").noise
        expected = (minutes @ bin_transitions(distribution, 1440)).reshape(24, 60).sum(axis=1)
        assert abs(found[level] - circular_emd(expected, day)) < 0.05
    wrong = PurkayasthaMechanism(dim=2, epsilon=0.316 / 3.0).noise  # hours taken for radians
    expected = (minutes @ bin_transitions(wrong, 1440)).reshape(24, 60).sum(axis=1)
    assert circular_emd(expected, day) - found[0.316] > 0.1
    assert table.loc[table["metric"] == "emd", "standard_error"].isna().all()  # one venue says nothing of others


def test_a_venue_without_arrivals_is_known_nothing_of():
    true = np.vstack([np.eye(24, dtype=int)[3], np.eye(24, dtype=int)[5]])
    noisy = np.vstack([np.zeros(24, int), np.eye(24, dtype=int)[7]])
    assert distances(noisy, true).tolist() == [circular_emd(np.ones(24), true[0]), 2.0]
    assert distances(noisy[:0], true[:0]).size == 0
    made = references(100 * true, np.random.default_rng(1))
    assert made["uniform_noise"].sum(axis=1).tolist() == [100, 100]


def test_tables_are_tidy(results):
    emd = 2 * 3
    for name, calibrations in (("purkayastha", 1), ("wrapped_laplace", 2)):
        table, of_venues, example = results[name]
        assert table["metric"].value_counts().to_dict() == {
            "emd": emd * calibrations, "own_share": 3, "own_share_apart": 3, "moved": 3
        }  # fmt: skip
        part = table[table["metric"] == "emd"]
        assert not part.isna().any().any()
        assert (part["low"] < part["value"]).all() and (part["value"] < part["high"]).all()
        assert (part["n"] == 12_000).all() and (part["venues"] == 40).all()
        assert len(of_venues) == 40 * emd * calibrations and len(example) == 24 * emd * calibrations
        means = of_venues.groupby(["calibration", "time_level", "place_level"])["emd"].mean()
        np.testing.assert_allclose(
            means.sort_index(), part.set_index(means.index.names)["value"].sort_index(), rtol=1e-12
        )
    assert set(results["wrapped_laplace"][0]["place_mechanism"]) == {"planar_laplace"}


def test_purkayastha_is_nearest_to_the_truth(results):
    """At 0.316 on a two-peaked day it is below wrapped Laplace by more than the paired interval."""
    compared = compare([of_venues for _, of_venues, _ in results.values()], "purkayastha")
    assert len(compared) == 2 * 2 * 3 and (compared["venues"] == 40).all()
    at = compared.set_index(["calibration", "time_level", "place_level"])
    assert at.loc["published", 0.316, 100.0]["significant"] == "above"
    assert at.loc["published", 0.316, 100.0]["low"] > 0.0
    tables = [table[table["metric"] == "emd"] for table, _, _ in results.values()]
    of = [t[t["calibration"] == "published"].set_index(["time_level", "place_level"])["value"] for t in tables]
    difference = of[1][0.316, 100.0] - of[0][0.316, 100.0]
    assert abs(at.loc["published", 0.316, 100.0]["value"] - difference) < 1e-12


def test_results_depend_on_seed_and_names_alone(town, results, other_seed):
    again = BusynessSimulation("purkayastha", "town", ["tight"], SETTINGS, seed=3).run(Venues(town[3]))
    first = results["purkayastha"][0]
    # with one calibration of a mechanism that has but one, its name is all that changes
    for table in (first, again[0]):
        assert table.loc[table["metric"] == "moved", "value"].equals(first.loc[first["metric"] == "moved", "value"])
    same = BusynessSimulation("purkayastha", "town", ["published"], SETTINGS, seed=3).run(Venues(town[3]))
    assert all(a.equals(b) for a, b in zip(same, results["purkayastha"], strict=True))
    assert not other_seed[0]["value"].equals(first["value"])


def test_results_do_not_depend_on_threads(town, results):
    again = BusynessSimulation("purkayastha", "town", ["published"], SETTINGS, seed=3).run(Venues(town[3]), threads=3)
    assert all(a.equals(b) for a, b in zip(again, results["purkayastha"], strict=True))


def test_a_sample_of_venues_is_the_same_for_all(town):
    found = Venues(town[3])
    few = SETTINGS | {"most_venues": 5}
    measured = choose(found, "town", few, 3)
    assert measured.counted.sum() == 5 and len(measured.venues) in (5, 6)
    assert measured.venues[measured.example] == np.argmax(found.checkins)
    assert (choose(found, "town", few, 3).venues == measured.venues).all()
    table = BusynessSimulation("purkayastha", "town", ["published"], few, seed=3).run(found)[0]
    assert (table.loc[table["metric"] == "emd", "venues"] == 5).all()


REAL = pd.DataFrame(
    [("real sample", f"busyness at ℓt = {t:g}, ℓs = {p:g}", t + p) for t in (0.01, 1.0) for p in (0.01, 100.0)],
    columns=["dataset", "statistic", "value"],
)


@pytest.fixture(scope="module")
def estimates(town):
    """The table of estimates of the town, whose venues have one day."""
    with warnings.catch_warnings(action="ignore", category=UserWarning):
        simulated = BusynessEstimates("purkayastha", "town", Venues(town[3]), SETTINGS, seed=3)
        return pd.DataFrame(rows_of(simulated))


def test_estimates_are_of_all_levels_and_no_farther_than_the_city(estimates):
    """Venues of one day: that of all reports is the best estimate, and the noise taken out leaves it.

    The reports as they are stay behind where the noise of the times is large, which a wrong estimate would, too.
    """
    emd = estimates[estimates["metric"] == "emd"]
    assert len(emd) == 5 * 2 * 3 and set(emd["estimate"]) == {"raw", "deconvolved", "table", "city", "uniform"}
    assert (emd["venues"] == 12).all() and emd["value"].notna().all()
    assert (emd["repetitions"] == np.where(emd["estimate"] == "table", 1, 4)).all()
    value = emd.pivot(index=["time_level", "place_level"], columns="estimate", values="value")
    assert (value[["deconvolved", "table"]].max(axis=1) < value["city"] + 0.1).all()
    assert (value["raw"] > value["city"] + 0.1).any()
    excess = estimates[estimates["metric"] == "emd_excess"].pivot(
        index=["time_level", "place_level"], columns="estimate", values="value"
    )
    assert set(excess) == {"raw", "city", "uniform"}
    for other in excess:
        np.testing.assert_allclose(excess[other], value["deconvolved"] - value[other], atol=1e-12)


@pytest.mark.parametrize("level", [0.01, 0.1])
def test_the_noise_between_classes_is_that_of_the_reports(town, level):
    """Classes of noisy places and of released items, from all venues alike: within 0.05, not those of another level."""
    found, rng = Venues(town[3]), np.random.default_rng(4)
    vectors, measured = earth.places_to_vectors(found.places), np.arange(0, 40, 4)
    around = Surroundings(vectors, measured, 20.0 / level)
    assert (
        around.of_venues[measured].tolist() == list(range(10)) and (np.delete(around.of_venues, measured) >= 10).all()
    )
    places, other = (PlaceNoise("purkayastha", each, 10.0) for each in (level, 4.0 * level))
    for known, reported in (
        (around.noise(places, rng), lambda venues: around.classes(noisy_places(places, vectors[venues], rng))),
        ((table := ListRelease(around, level, 10.0)).noise, lambda venues: table.classes(venues, rng)),
    ):
        assert known.transitions().sum(axis=1) == pytest.approx(1.0)
        venues = np.repeat(np.arange(40), 500)
        true = np.bincount(around.of_venues, minlength=around.elsewhere + 1) @ known.transitions() / 40.0
        seen = np.bincount(reported(venues), minlength=around.elsewhere + 1) / venues.size
        assert np.abs(seen - true).sum() < 0.05
    wrong = (
        np.bincount(around.of_venues, minlength=around.elsewhere + 1) @ around.noise(other, rng).transitions() / 40.0
    )
    assert np.abs(seen - wrong).sum() > 0.1


def test_rings_around_a_venue():
    """Other venues within three mean noises are one class, those within six the next; an empty ring has none."""
    along = [np.array([(0.0, 0.0), *((0.0, degrees) for degrees in far)]) for far in ([1.0, 4.0, 10.0], [4.0])]
    both, beyond = (
        Surroundings(earth.places_to_vectors(places), [0], np.deg2rad(1.0) * earth.EARTH_RADIUS) for places in along
    )
    reports = earth.places_to_vectors([(0.0, degrees) for degrees in (1.5, 2.5, 5.0, 7.0)])
    assert both.of_venues.tolist() == both.classes(reports).tolist() == [0, 1, 2, 3]
    assert beyond.of_venues.tolist() == [0, 1] and beyond.classes(reports).tolist() == [0, 0, 1, 2]


def test_no_venue_with_enough_checkins(town):
    """A small table of check-ins has results about snapping, and gaps where there is nothing to average."""
    none = SETTINGS | {"fewest_checkins": 10_000}
    table, of_venues, example = BusynessSimulation("purkayastha", "town", ["published"], none, seed=3).run(
        Venues(town[3])
    )
    emd = table["metric"] == "emd"
    assert table.loc[emd, "value"].isna().all() and (table.loc[emd, "venues"] == 0).all()
    assert table.loc[~emd, "value"].notna().all()
    assert len(of_venues) == 0 and example["true"].sum() > 0
    estimated = pd.DataFrame(
        rows_of(BusynessEstimates("purkayastha", "town", Venues(town[3]), none, seed=3)), columns=COLUMNS
    )
    assert estimated.empty
    plot_busyness.draw_errors(table, estimated, "fig12", none["time_levels"], none, REAL).draw_without_rendering()
    assert list(compare([of_venues], "purkayastha").columns)[:3] == ["population", "time_level", "place_level"]


def test_figures(results, estimates):
    table = pd.concat([table for table, _, _ in results.values()])
    figure = plot_busyness.draw_errors(table, estimates, "fig12", SETTINGS["time_levels"], SETTINGS, REAL)
    assert [ax.get_title() for ax in figure.axes] == ["$\\ell_t$ = 0.1", "$\\ell_t$ = 0.316"]
    assert not faults(figure)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == [
        "Purkayastha × Purkayastha", "wrapped Laplace × planar Laplace, published",
        "wrapped Laplace × planar Laplace, tight",
        "uniform histogram", "uniform noise", "real sample, Purkayastha",
    ]  # fmt: skip
    other = plot_busyness.draw_errors(table, estimates, "fig08", SETTINGS["panel_place_levels"], SETTINGS, REAL)
    assert len(other.axes) == 2 and not faults(other)
    for side, columns in (("fig12", SETTINGS["time_levels"]), ("fig08", SETTINGS["panel_place_levels"])):
        draw = functools.partial(plot_busyness.draw_errors, side=side, columns=columns, settings=SETTINGS, real=REAL)
        assert title_follows(draw, table, estimates)
    examples = pd.concat([example for _, _, example in results.values()])
    days = plot_busyness.draw_example(examples, SETTINGS["example_levels"], "purkayastha")
    assert len(days.axes) == 2 and not faults(days)
    more = examples.assign(noisy=examples["noisy"] + 7)
    again = plot_busyness.draw_example(more, SETTINGS["example_levels"], "purkayastha")
    assert again.get_suptitle() != days.get_suptitle()
    snapping = plot_busyness.draw_snapping(table, 10.0)
    assert len(snapping.axes) == 2 and not faults(snapping)
    assert title_follows(lambda table: plot_busyness.draw_snapping(table, 10.0), table)
    shown = [line.get_ydata() for line in snapping.axes[0].get_lines() if line.get_linestyle() == ":"]
    apart = table[(table["metric"] == "own_share_apart") & (table["mechanism"] == "purkayastha")]
    assert shown[0].tolist() == apart.sort_values("place_level")["value"].tolist()


@pytest.mark.parametrize(("hour", "side"), [(0, "left"), (23, "right")])
def test_an_hour_beyond_the_panel_has_an_arrow(hour, side):
    """One check-in at one hour does not hide the true day of the venue."""
    levels = {"time_level": 1.0, "place_level": 0.1}
    days = pd.DataFrame({"hour": np.arange(24), "true": 10, "noisy": 1 * (np.arange(24) == hour)})
    days = days.assign(population="city", mechanism="purkayastha", calibration="published", **levels)
    [ax] = plot_busyness.draw_example(days, [tuple(levels.values())], "purkayastha").axes
    [arrow] = [text for text in ax.texts if text.get_text() == "↑ 100 %"]
    assert arrow.get_ha() == side and 0 < arrow.xy[0] < 24
    assert 2 * 100 / 24 < ax.get_ylim()[1] < 20
    even = plot_busyness.draw_example(days.assign(noisy=5), [tuple(levels.values())], "purkayastha")
    assert not [text for text in even.axes[0].texts if "↑" in text.get_text()]


@pytest.fixture(scope="module")
def config():
    return yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("panel_place_levels", [0.01, 7.0], "busyness.panel_place_levels: must be among busyness.place_levels; 7.0"),
        ("example_levels", [[7.0, 100.0]], "busyness.example_levels: must be among busyness.time_levels; 7.0"),
        ("example_levels", [[1.0]], "busyness.example_levels[0]: must have at least 2 items"),
        ("fewest_checkins", 0, "busyness.fewest_checkins: must be greater than or equal to 1"),
    ],
)
def test_configuration_is_checked(config, key, value, said):
    config = copy.deepcopy(config)
    config["busyness"][key] = value
    with pytest.raises(InputError) as caught:
        configuration.check(config)
    assert said in str(caught.value)
