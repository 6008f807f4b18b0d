"""The synthetic world: real cities, local hours, people who rarely travel, any size."""

import gzip
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.spatial import cKDTree

from dirpriv.estimators.transport import circular_emd
from dirpriv.geometry.earth import EARTH_RADIUS, great_circle_distance, places_to_vectors
from study.checkins.prepare import prepare
from study.checkins.settings import SyntheticWorld
from study.checkins.synthetic import people
from study.checkins.synthetic import world as synthetic_world
from study.checkins.synthetic.generate import generate
from study.checkins.synthetic.world import draw, draw_from_rows, real_cities, scatter, standard_offset, visits
from study.workflow.parquet import read_parquet

WORLD = {"layout": "synthetic_world", "rows": 40000, "users": 2000, "venues": 6000, "largest_cities": 500, "days": 60}


def written(folder, seed=1, name="world", **changes):
    path = folder / f"{name}-{seed}.txt.gz"
    generate(WORLD | changes, seed, name, path)
    return path


def build(parameters, seed, name):
    return synthetic_world.build(real_cities(parameters["largest_cities"]), parameters, seed, name)


def prepared(folder, path):
    outputs = [folder / part for part in "prs"]
    return prepare({"checkins": path}, "synthetic_world", *outputs, 0.0, folder / "kept.csv")


@pytest.fixture(scope="module")
def round_trip(tmp_path_factory):
    folder = tmp_path_factory.mktemp("world")
    summary = prepared(folder, written(folder))
    return read_parquet(folder / "p"), summary


@pytest.fixture(scope="module")
def world():
    return build(WORLD, 1, "world")


def kilometres(first, second):
    return great_circle_distance(first, second) / 1000


# The cities.


def test_cities_are_real_and_sorted_by_population():
    cities = real_cities(500)
    assert {len(column) for column in vars(cities).values()} == {500}
    assert (np.diff(cities.population) <= 0).all()
    place = dict(zip(zip(cities.name, cities.country, strict=True), range(500), strict=True))
    for name, country, latitude, longitude, offset in [
        ("Mumbai", "IN", 19.1, 72.9, 330),
        ("Istanbul", "TR", 41.0, 29.0, 120),  # its standard time in 2012
        ("New York City", "US", 40.7, -74.0, -300),  # without summer time
        ("São Paulo", "BR", -23.5, -46.6, -180),
    ]:
        number = place[name, country]
        assert cities.latitude[number] == pytest.approx(latitude, abs=0.1)
        assert cities.longitude[number] == pytest.approx(longitude, abs=0.1)
        assert cities.offset_minutes[number] == offset
        assert cities.population[number] > 5e6


def test_standard_time_is_read_from_the_package(monkeypatch):
    monkeypatch.setenv("PYTHONTZPATH", "")
    zones = ("Asia/Kathmandu", "Pacific/Auckland", "America/St_Johns", "UTC", "Europe/Dublin")
    assert [standard_offset(zone) for zone in zones[:4]] == [345, 720, -210, 0]


def test_the_table_has_as_many_cities_as_the_configuration_may_ask_for():
    field = SyntheticWorld.model_fields["largest_cities"]
    assert len(real_cities(10**6).name) == max(limit.le for limit in field.metadata if hasattr(limit, "le"))


def test_the_table_tells_its_source_and_licence():
    with gzip.open(synthetic_world.CITIES, "rt", encoding="utf-8") as lines:
        first = next(lines)
    assert first.startswith("#") and "GeoNames" in first and "CC BY 4.0" in first


def test_every_zone_of_the_table_has_an_offset_the_layout_takes():
    offsets = real_cities(10**6).offset_minutes
    assert offsets.min() >= -720 and offsets.max() <= 840
    assert (offsets % 15 == 0).all()


# Venues and people.


def test_venues_lie_near_their_cities(world):
    centres = np.column_stack([world.cities.latitude, world.cities.longitude])[world.city]
    distance = kilometres(centres, np.column_stack([world.latitude, world.longitude]))
    share = distance / (11.0 * (world.cities.population[world.city] / 1e6) ** 0.4)
    assert np.allclose(np.quantile(share, [0.25, 0.5, 0.75]), np.array([0.25, 0.5, 0.75]) ** 1.8, rtol=0.35, atol=0.0)
    assert share.max() < 1.15


@pytest.mark.parametrize("venues", [3_000, 100_000])
def test_venues_are_as_close_as_in_a_real_city(venues, monkeypatch):
    """However few there are: half of New York's, 11 000 of them, have another one within 38 m."""
    cities = real_cities(50)
    city = np.arange(venues) % 50

    def median():
        vectors = places_to_vectors(np.column_stack(scatter(cities, city, np.random.default_rng(1))))
        return np.median(cKDTree(vectors).query(vectors, k=2)[0][:, 1]) * EARTH_RADIUS

    assert 25.0 < median() < 50.0
    monkeypatch.setattr(synthetic_world, "NEIGHBOURHOOD_KM", 4.0)  # all over the city
    assert median() > 55.0


def test_larger_cities_have_more_venues_and_check_ins(world, round_trip):
    venues = np.bincount(world.city, minlength=500)
    parts = [part.sum() for part in np.split(venues, 5)]
    assert (np.diff(parts) < 0).all()
    expected = world.cities.population**0.8
    expected *= len(world.city) / expected.sum()
    assert (((venues - expected) ** 2 / expected).sum() - 499) / np.sqrt(2 * 499) < 4  # chi squared
    table, _ = round_trip
    largest = np.column_stack([world.cities.latitude, world.cities.longitude])[:20]
    near = [int((kilometres(place, table[["latitude", "longitude"]].to_numpy()) < 60).sum()) for place in largest]
    assert min(near) > WORLD["rows"] / 500
    assert near[0] > near[-1]


def test_scattered_venues_stay_on_earth():
    cities = SimpleNamespace(
        latitude=np.array([-17.0, 65.0, 89.99]),
        longitude=np.array([179.999, -180.0, 10.0]),
        radius_km=np.array([36.0, 36.0, 36.0]),
    )
    city = np.repeat([0, 1, 2], 20_000)
    latitude, longitude = scatter(cities, city, np.random.default_rng(1))
    assert (np.abs(latitude) <= 90).all() and (longitude >= -180).all() and (longitude < 180).all()
    assert (longitude[:20_000] < 0).mean() == pytest.approx(0.5, abs=0.1)  # of 400 neighbourhoods
    centres = np.column_stack([cities.latitude, cities.longitude])[city]
    distance = kilometres(centres, np.column_stack([latitude, longitude]))
    assert (distance[:40_000] < 36.0 + 0.8).all()


def test_nothing_of_weight_zero_is_drawn():
    weight = np.array([0.0, 1.0, 0.0, 3.0, 0.0])
    uniform = np.append(np.random.default_rng(1).random(10000), [0.0, 1 - 1e-16])
    cumulative = np.cumsum(weight)
    for drawn in (draw(cumulative, uniform), draw_from_rows(cumulative[None, :] / 4, uniform)):
        assert np.bincount(drawn, minlength=5)[[0, 2, 4]].tolist() == [0, 0, 0]
        assert (drawn == 3).mean() == pytest.approx(0.75, abs=0.02)


def test_people_rarely_leave_their_city(world):
    user, venue, _ = (np.concatenate(part) for part in zip(*visits(world, WORLD, 1, "world"), strict=True))
    away = world.city[venue] != world.home[user]
    assert away.mean() == pytest.approx(synthetic_world.TRAVEL, abs=0.004)


def test_cities_without_venues_are_left_out():
    small = WORLD | {"venues": 40, "users": 30, "rows": 3000}
    world = build(small, 1, "world")
    for user, venue, _ in visits(world, small, 1, "world"):
        assert user.min() >= 0 and user.max() < 30 and venue.min() >= 0 and venue.max() < 40
    assert np.count_nonzero(np.diff(world.weight, prepend=0.0)) == len(np.unique(world.city)) <= 40
    assert set(world.home) <= set(world.city)


# The rows.


def test_every_generated_row_is_prepared(round_trip):
    table, summary = round_trip
    assert summary["rows_prepared"] == WORLD["rows"] == len(table)
    assert summary["categories"] == 9
    assert table["longitude"].between(-180, 180).all()
    assert (table.groupby("venue", observed=True)["offset_minutes"].nunique() == 1).all()


def test_the_day_is_that_of_the_table_in_local_time_everywhere(round_trip):
    """In zones of 2000 check-ins, which are those of some 100 people."""
    table, _ = round_trip
    expected = people.SHARES @ people.PROFILES
    local, utc = (np.bincount(table[f"{kind}_time"].dt.hour, minlength=24) for kind in ("local", "utc"))
    assert circular_emd(local, expected) < 0.2 < 1.0 < circular_emd(utc, expected)
    zones = table.groupby("offset_minutes")["local_time"]
    zones = [np.bincount(zone.dt.hour, minlength=24) for _, zone in zones if len(zone) > 2000]
    assert len(zones) > 3 and circular_emd(zones, expected).max() < 0.7


def test_rows_are_sorted_and_within_the_period(round_trip):
    table, _ = round_trip
    first = pd.Timestamp("2012-04-03", tz="UTC")
    assert table["utc_time"].is_monotonic_increasing
    assert table["utc_time"].min() >= first
    assert table["utc_time"].max() < first + pd.Timedelta(days=WORLD["days"])


def test_same_parameters_same_bytes_and_other_seed_or_name_other_bytes(tmp_path):
    small = {"rows": 2000}
    first = written(tmp_path, **small).read_bytes()
    assert written(tmp_path, **small).read_bytes() == first
    assert written(tmp_path, seed=2, **small).read_bytes() != first
    assert written(tmp_path, name="earth", **small).read_bytes() != first


def test_world_does_not_depend_on_rows_or_days(world):
    other = build(WORLD | {"rows": 7, "days": 3}, 1, "world")
    for name in vars(world).keys() - {"cities"}:
        assert np.array_equal(getattr(world, name), getattr(other, name))


def test_users_in_several_pieces_are_the_same_in_number(monkeypatch):
    monkeypatch.setattr(synthetic_world, "USERS_AT_ONCE", 300)
    world = build(WORLD, 1, "world")
    assert world.favourites.shape == world.width.shape == world.hour.shape == (2000, people.FAVOURITES)
    assert (world.city[world.favourites] == world.home[:, None]).all()
    assert np.unique(world.width).tolist() == list(range(len(people.WIDTHS)))
    assert np.unique(world.hour).tolist() == list(range(24))


@pytest.mark.parametrize(
    "changes",
    [
        {"venues": 1, "users": 1, "rows": 50, "days": 1, "largest_cities": 1},
        {"rows": 1},
        {"venues": 5, "users": 1, "rows": 500, "days": 1},
        {"largest_cities": 30000, "rows": 500},
    ],
)
def test_extreme_worlds_can_be_prepared(tmp_path, changes):
    summary = prepared(tmp_path, written(tmp_path, **changes))
    assert summary["rows_prepared"] == changes["rows"]


def test_written_as_eight_columns_of_ascii(tmp_path):
    text = gzip.decompress(written(tmp_path, rows=100).read_bytes())
    assert text.isascii() and text.endswith(b"\n")
    assert {line.count(b"\t") for line in text.splitlines()} == {7}
