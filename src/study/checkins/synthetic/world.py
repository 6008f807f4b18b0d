"""Cities with any number of invented venues and people: real cities of the whole Earth, or one given city.

Names, coordinates, populations and time zones of real cities are those of GeoNames (``cities.csv.gz``).
Venues lie in neighbourhoods, which are denser towards the centre of the city; even a few venues are as close
to each other as in a real city. The numbers of venues and people grow with a power of the city's population.
People check in where they live, rarely elsewhere; the hours are those of the city they are in. Local time is
always the city's standard time, without summer time.
"""

import datetime
import importlib.resources
import zoneinfo
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd

from study.checkins.synthetic import people
from study.simulation.seeding import generator

CITIES = Path(__file__).with_name("cities.csv.gz")  # made by tools/make_cities.py, largest first

# None of these is measured but DENSITY, which gives the distances of ../targets.csv.
POPULATION_EXPONENT = 0.8  # venues and people of a city grow with this power of its population
RADIUS_KM = 11.0  # of a city of a million people; 26 km for New York
RADIUS_EXPONENT = 0.4  # RADIUS_KM grows with this power of the population; 0.5 would keep the density
DENSITY = 1.8  # a neighbourhood's distance from the centre is the radius times a uniform draw to this power
NEIGHBOURHOOD = 50  # venues in a neighbourhood, on average
NEIGHBOURHOOD_KM = 0.12  # their standard deviation: the nearest other is 30 to 40 m away, as in Foursquare
TRAVEL = 0.02  # share of a person's check-ins outside the home city
DAY_SPREAD = 0.1  # standard deviation of the logarithm of the factor of each day
USERS_AT_ONCE = 1 << 16
BLOCK_ROWS = 1 << 16  # check-ins drawn from one generator, and at most one day's more
KILOMETRES_PER_DEGREE = 111.195  # of latitude, on a sphere of the Earth's mean radius
KINDS = len(people.CATEGORIES)


@dataclass(frozen=True)
class World:
    """Venues sorted by city and within each city by category, and users sorted by city."""

    cities: SimpleNamespace  # see real_cities
    city: np.ndarray  # of each venue
    category: np.ndarray
    latitude: np.ndarray
    longitude: np.ndarray
    offset_minutes: np.ndarray
    venue_ids: np.ndarray
    reach: np.ndarray  # popularity of all venues before each one; one more at the end
    first_venue: np.ndarray  # of each city and category; one more at the end
    weight: np.ndarray  # of each city and all before it, as homes and as destinations of travel
    user_ids: np.ndarray
    home: np.ndarray  # city of each user
    zeal: np.ndarray  # of each user and all before
    favourites: np.ndarray  # venues: user × FAVOURITES
    width: np.ndarray  # of the hours there, a number of people.WIDTHS
    hour: np.ndarray  # the habitual hour there


def real_cities(count):
    """The ``count`` most populous cities, at most 30000: arrays by name, offsets in minutes of standard time."""
    # the first line names source and licence; NA is a country
    table = pd.read_csv(CITIES, skiprows=1, nrows=count, dtype=str, keep_default_na=False)
    table = table.astype(dict.fromkeys(["latitude", "longitude", "population"], float))
    table["offset_minutes"] = table["zone"].map({zone: standard_offset(zone) for zone in set(table["zone"])})
    table["radius_km"] = RADIUS_KM * (table["population"] / 1e6) ** RADIUS_EXPONENT
    return SimpleNamespace(**{column: table[column].to_numpy() for column in table})


def one_city(parameters):
    """The city that a section describes; its population does not matter."""
    return SimpleNamespace(**{key: np.array([value]) for key, value in ({"population": 1e6} | parameters).items()})


def standard_offset(zone):
    """Minutes of standard time from UTC, by the package tzdata: systems differ in their own data."""
    path = importlib.resources.files("tzdata").joinpath("zoneinfo", *zone.split("/"))
    with path.open("rb") as handle:
        place = zoneinfo.ZoneInfo.from_file(handle, key=zone)
    noon = datetime.datetime.combine(people.FIRST_DAY.item(), datetime.time(12), tzinfo=place)
    return round((noon.utcoffset() - noon.dst()).total_seconds() / 60)


def build(cities, parameters, seed, name):
    """Build venues and users from a dataset's section; they do not depend on the number of rows or days.

    Two datasets of one study have different names, and differ even if their parameters are the same.
    """
    venues, users = parameters["venues"], parameters["users"]
    rng = generator(seed, "generate_checkins", name, "venues")
    weight = cities.population**POPULATION_EXPONENT
    city = draw(np.cumsum(weight), rng.random(venues))
    kind = draw(np.cumsum(people.SHARES * people.NEW), (np.arange(venues) + 0.5) / venues)
    cell = np.sort(city * KINDS + kind)
    city, category = np.divmod(cell, KINDS)
    latitude, longitude = scatter(cities, city, rng)
    popularity = (1 + rng.permutation(venues) / KINDS) ** -people.POPULARITY
    scene = dict(
        cities=cities, city=city, category=category, latitude=latitude, longitude=longitude,
        offset_minutes=cities.offset_minutes[city], venue_ids=new_venue_ids(venues, rng),
        reach=np.append(0.0, np.cumsum(popularity)),
        first_venue=np.searchsorted(cell, np.arange(len(weight) * KINDS + 1)),
        weight=np.cumsum(np.where(np.bincount(city, minlength=len(weight)) > 0, weight, 0.0)),
    )  # fmt: skip

    rng = generator(seed, "generate_checkins", name, "users")
    home, shape = np.sort(draw(scene["weight"], rng.random(users))), (users, people.FAVOURITES)
    world = World(
        **scene, home=home, user_ids=rng.permutation(users) + 1,
        zeal=np.cumsum(people.LEAST_ZEAL + np.exp(rng.normal(0.0, people.ZEAL_SPREAD, users))),
        favourites=np.empty(shape, np.int32), width=np.empty(shape, np.int8), hour=np.empty(shape, np.int8),
    )  # fmt: skip
    habitual, shares = hours_of(parameters)[0], np.cumsum(people.shares_of_categories()[0])
    for first in range(0, users, USERS_AT_ONCE):
        some = slice(first, first + USERS_AT_ONCE)
        kind, venue, width, hour = rng.random((4, *world.favourites[some].shape))
        world.favourites[some] = venues_in(world, home[some, None], draw(shares, kind), venue)
        world.width[some] = width * len(people.WIDTHS)
        world.hour[some] = draw_from_rows(habitual[category[world.favourites[some]], world.width[some]], hour)
    return world


def hours_of(parameters):
    """The tables of hours of a dataset's section; see :func:`people.hour_tables`."""
    return people.hour_tables(parameters.get("hour_spread", 1.0))


def draw(cumulative, uniform):
    """Draw indices in proportion to the steps of cumulative weights; never one without a step."""
    return np.searchsorted(cumulative, uniform * cumulative[-1], side="right")


def draw_from_rows(cumulative, uniform):
    """Draw an index from each row of cumulative probabilities."""
    return (uniform[..., None] >= cumulative).sum(axis=-1)


def scatter(cities, city, rng):
    """Coordinates of venues: normal around the centres of neighbourhoods."""
    number = -(-np.bincount(city, minlength=len(cities.radius_km)) // NEIGHBOURHOOD)  # of neighbourhoods
    own = (np.cumsum(number) - number)[city] + (number[city] * rng.random(len(city))).astype(np.int64)
    distance, turns = rng.random((2, number.sum()))
    distance = np.repeat(cities.radius_km, number) * distance**DENSITY
    centres = distance * [np.sin(2 * np.pi * turns), np.cos(2 * np.pi * turns)]
    north, east = centres[:, own] + NEIGHBOURHOOD_KM * rng.standard_normal((2, len(city)))
    latitude = cities.latitude[city] + north / KILOMETRES_PER_DEGREE
    turn = east / KILOMETRES_PER_DEGREE / np.cos(np.radians(cities.latitude[city]))
    return np.clip(latitude, -90, 90), (cities.longitude[city] + turn + 180) % 360 - 180


def venues_in(world, city, category, uniform):
    """Draw venues of a category in a city by their popularity; of any category if the city has none of it."""
    cell, first = city * KINDS + category, city * KINDS
    none = world.first_venue[cell] == world.first_venue[cell + 1]
    start = world.first_venue[np.where(none, first, cell)]
    stop = world.first_venue[np.where(none, first + KINDS, cell + 1)]
    target = world.reach[start] + uniform * (world.reach[stop] - world.reach[start])
    return np.clip(np.searchsorted(world.reach, target, side="right") - 1, start, stop - 1)


def new_venue_ids(count, rng):
    """Ids like Foursquare's, texts of 24 characters: the time of creation, digits, the venue's number."""
    created = rng.integers(0x4A000000, 0x4F000000, count)
    digits = rng.integers(0, 1 << 36, count)
    parts = zip(created, digits, range(count), strict=True)
    return np.fromiter((b"%08x%09x%07x" % part for part in parts), dtype="S24", count=count)


def visits(world, parameters, seed, name):
    """Yield users, venues and UTC seconds since the first midnight, in blocks of whole days, by time."""
    rng = generator(seed, "generate_checkins", name, "days")
    days = np.arange(parameters["days"])
    weight = np.cumsum(people.day_weights(days) * np.exp(rng.normal(0.0, DAY_SPREAD, len(days))))
    before = np.append(0, np.rint(parameters["rows"] * weight / weight[-1]).astype(np.int64))
    rows, block_of_day = np.diff(before), before[:-1] // BLOCK_ROWS
    tables = hours_of(parameters)[1]
    favourites = np.cumsum(people.shares_of_favourites(parameters.get("loyalty", 1.0)))
    for block in np.unique(block_of_day[rows > 0]).tolist():
        rng = generator(seed, "generate_checkins", name, "block", block)
        yield visits_on(world, np.repeat(days, np.where(block_of_day == block, rows, 0)), favourites, tables, rng)


def visits_on(world, day, favourites, tables, rng):
    """Users, venues and UTC seconds of one check-in on each of these days, in order of time.

    What is proposed for a day is accepted by the share of its category on working days or on weekends.
    """
    user, venue, seconds = np.empty((3, len(day)), dtype=np.int64)
    left = np.arange(len(day))
    while len(left):
        user[left], venue[left], local = propose(world, len(left), favourites, tables, rng)
        offset = 60 * world.offset_minutes[venue[left]]
        seconds[left] = day[left] * people.DAY + (local - offset) % people.DAY
        weekend = people.is_weekend((seconds[left] + offset) // people.DAY)
        odds = people.weekend_odds()[weekend.astype(int), world.category[venue[left]]]
        left = left[rng.random(len(left)) >= odds]
    order = np.argsort(seconds, kind="stable")
    return user[order], venue[order], seconds[order]


def propose(world, count, favourites, tables, rng):
    """Users, venues and local seconds of the day of check-ins, as if all days were alike."""
    user = draw(world.zeal, rng.random(count))
    favourite = draw(favourites, rng.random(count))
    elsewhere = favourite == people.FAVOURITES
    favourite[elsewhere] = 0
    travels = rng.random(count) < TRAVEL / people.ELSEWHERE
    city = np.where(travels, draw(world.weight, rng.random(count)), world.home[user])
    category = draw(np.cumsum(people.shares_of_categories()[1]), rng.random(count))
    other = venues_in(world, city, category, rng.random(count))
    venue = np.where(elsewhere, other, world.favourites[user, favourite])
    width = np.where(elsewhere, people.NO_HABIT, world.width[user, favourite])
    hours = tables[world.category[venue], width, world.hour[user, favourite]]
    return user, venue, 3600 * draw_from_rows(hours, rng.random(count)) + rng.integers(0, 3600, count)
