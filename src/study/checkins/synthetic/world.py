"""A world of real cities with any number of made-up venues and people.

Names, coordinates, populations and time zones of the cities are those of GeoNames (``cities.csv.gz``).
Venues lie in neighbourhoods around a city's centre; even a few venues are as close to each other as in a real
city. The numbers of venues and people grow with a power of the city's population. People check in where they
live, rarely elsewhere; the hours are those of the city they are in. Local time is always the city's standard
time, without summer time.
"""

import datetime
import importlib.resources
import zoneinfo
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from dirpriv.seeding import generator
from study.checkins.synthetic import people

CITIES = Path(__file__).with_name("cities.csv.gz")  # made by tools/make_cities.py, largest first

# None of these is measured.
POPULATION_EXPONENT = 0.8  # venues and people of a city grow with this power of its population
SPREAD_KM = 4.0  # standard deviation of the neighbourhoods of a city of a million people, north and east
SPREAD_EXPONENT = 0.4  # SPREAD_KM grows with this power of the population; 0.5 would keep the density
NEIGHBOURHOOD = 30  # venues in a neighbourhood, on average
NEIGHBOURHOOD_KM = 0.1  # their standard deviation: the nearest other is 30 to 40 m away, as in Foursquare
TRAVEL = 0.02  # share of a user's check-ins outside the home city
USERS_AT_ONCE = 1 << 16


class Cities(NamedTuple):
    """Real cities, the most populous first."""

    name: np.ndarray
    country: np.ndarray
    latitude: np.ndarray
    longitude: np.ndarray
    population: np.ndarray
    offset_minutes: np.ndarray  # of standard time


@dataclass(frozen=True)
class World(people.Scene):
    """Cities with their venues, and users sorted by city. The shares in ``zeal`` begin with 0."""

    cities: Cities
    city: np.ndarray  # of each venue
    weight: np.ndarray  # of each city as a destination of travel; 0 where there is no venue
    first_user: np.ndarray  # of each city; one more at the end


def real_cities(count):
    """The ``count`` most populous cities, at most 30000."""
    # the first line names source and licence; NA is a country
    table = pd.read_csv(CITIES, skiprows=1, nrows=count, dtype=str, keep_default_na=False)
    table = table.astype(dict.fromkeys(["latitude", "longitude", "population"], float))
    table["offset_minutes"] = table["zone"].map({zone: standard_offset(zone) for zone in set(table["zone"])})
    return Cities(*(table[column].to_numpy() for column in Cities._fields))


def standard_offset(zone):
    """Minutes between standard time and UTC at the beginning of the period.

    The time zone is read from the package tzdata only: the operating system's own data differ from
    machine to machine.
    """
    path = importlib.resources.files("tzdata").joinpath("zoneinfo", *zone.split("/"))
    with path.open("rb") as handle:
        place = zoneinfo.ZoneInfo.from_file(handle, key=zone)
    noon = datetime.datetime.combine(people.FIRST_DAY.item(), datetime.time(12), tzinfo=place)
    return round((noon.utcoffset() - noon.dst()).total_seconds() / 60)


def build(parameters, seed, name):
    """Build venues and users from a dataset's section; they do not depend on the number of rows or days.

    Two worlds of one study have different names, and differ even if their parameters are the same.
    """
    cities = real_cities(parameters["largest_cities"])
    venues, count = parameters["venues"], len(cities.name)
    rng = generator(seed, "generate_checkins", name, "venues")
    weight = cities.population**POPULATION_EXPONENT
    category = people.shares_of_categories(venues)
    city = draw(weight, rng.random(venues))
    city = city[np.lexsort((city, category))]
    latitude, longitude = scatter(cities, city, rng)
    reach = people.reach_of_venues(category, rng)
    first_venue = np.searchsorted(category * count + city, np.arange(len(people.CATEGORIES) * count + 1))
    venue_ids = people.new_venue_ids(venues, rng)

    weight = np.where(np.bincount(city, minlength=count) > 0, weight, 0.0)
    weight /= weight.sum()
    rng = generator(seed, "generate_checkins", name, "users")
    users = parameters["users"]
    home = np.sort(draw(weight, rng.random(users)))
    zeal = np.concatenate(([0.0], np.cumsum(np.exp(rng.normal(0.0, people.ZEAL_SPREAD, users)))))
    return World(
        cities=cities, latitude=latitude, longitude=longitude, category=category, city=city,
        venue_ids=venue_ids, offset_minutes=cities.offset_minutes[city], user_ids=rng.permutation(users) + 1,
        reach=reach, first_venue=first_venue, weight=weight, zeal=zeal / zeal[-1],
        first_user=np.searchsorted(home, np.arange(count + 1)),
        favourites=favourite_venues(home, reach, first_venue, count, rng),
    )  # fmt: skip


def draw(weight, uniform):
    """Draw indices in proportion to the weights; never one of weight 0."""
    cumulative = np.cumsum(weight)
    return np.searchsorted(cumulative / cumulative[-1], uniform, side="right")


def scatter(cities, city, rng):
    """Coordinates of venues: normal around the neighbourhood's centre, which is normal around the city's."""
    spread = SPREAD_KM * (cities.population / 1e6) ** SPREAD_EXPONENT
    number = -(-np.bincount(city, minlength=len(spread)) // NEIGHBOURHOOD)  # of neighbourhoods of each city
    own = (np.cumsum(number) - number)[city] + (number[city] * rng.random(len(city))).astype(np.int64)
    centres = np.repeat(spread, number) * rng.standard_normal((2, number.sum()))
    north, east = centres[:, own] + NEIGHBOURHOOD_KM * rng.standard_normal((2, len(city)))
    latitude = cities.latitude[city] + north / people.KILOMETRES_PER_DEGREE
    turn = east / people.KILOMETRES_PER_DEGREE / np.cos(np.radians(cities.latitude[city]))
    return np.clip(latitude, -90, 90), (cities.longitude[city] + turn + 180) % 360 - 180


def favourite_venues(home, reach, first_venue, cities, rng):
    """Venues in their own city that users return to; 0 if the city has no venue of the kind."""
    favourites = np.zeros((len(home), len(people.CATEGORIES), people.FAVOURITES), dtype=np.int32)
    for first in range(0, len(home), USERS_AT_ONCE):
        users = slice(first, first + USERS_AT_ONCE)
        for kind in range(len(people.CATEGORIES)):
            cell = kind * cities + home[users, None]
            start, stop = first_venue[cell], first_venue[cell + 1]
            some = stop > start
            uniform = rng.random((len(cell), people.FAVOURITES))
            drawn = people.draw_between(reach, np.where(some, start, 0), np.where(some, stop, 1), uniform)
            favourites[users, kind] = np.where(some, drawn, 0)
    return favourites


def visits(world, parameters, seed, name):
    """Yield users, venues and UTC seconds of the check-ins in order of time, in blocks of ``BLOCK_ROWS``.

    Users and venues are numbers; seconds count from the midnight (UTC) of ``people.FIRST_DAY``.
    """
    crowd = Crowd(world, people.step_rates(parameters["days"], seed, name))
    edges, expected = crowd.time_grid()
    rows = parameters["rows"]
    for block, first in enumerate(range(0, rows, people.BLOCK_ROWS)):
        rng = generator(seed, "generate_checkins", name, "block", block)
        seconds = people.times(rows, first, edges, expected, rng)
        city = crowd.cities_at(seconds, rng)
        user, resident = crowd.users_in(city, rng)
        local = seconds + 60 * world.cities.offset_minutes[city]
        yield user, crowd.venues_of(user, resident, city, local, rng), seconds


class Crowd:
    """Who is in which city at which hour; ``rates`` are check-ins in each step of local time."""

    def __init__(self, world, rates):
        self.world, self.rates = world, rates
        # Rate of a city: that of its residents at home, and that of all who travel there.
        self.residents = (1 - TRAVEL) * np.diff(world.zeal[world.first_user])
        self.rate = self.residents + TRAVEL * world.weight
        cities = np.flatnonzero(self.rate > 0)
        self.zones, zone = np.unique(world.cities.offset_minutes[cities], return_inverse=True)
        self.by_zone = cities[np.argsort(zone, kind="stable")]
        self.cumulative = np.concatenate(([0.0], np.cumsum(self.rate[self.by_zone])))
        self.first_city = np.searchsorted(np.sort(zone), np.arange(len(self.zones) + 1))
        self.of_zone = np.diff(self.cumulative[self.first_city])
        venues = np.diff(world.first_venue).reshape(len(people.CATEGORIES), -1)
        self.present = (venues > 0).T
        self.profiles = people.category_shares()[:, None, :] * people.hour_profiles().T

    def time_grid(self):
        """UTC seconds since the first midnight, and the share of all check-ins expected before them."""
        steps = 60 * self.zones // people.STEP  # standard times differ from UTC by multiples of 15 minutes
        first, last = -steps.max(), len(self.rates) - steps.min()
        expected = np.zeros(last - first + 1)
        for step, weight in zip(steps, self.of_zone, strict=True):
            start = 1 - step - first
            expected[start : start + len(self.rates)] += weight * self.rates
        expected = np.cumsum(expected)
        return np.arange(first, last + 1) * people.STEP, expected / expected[-1]

    def cities_at(self, seconds, rng):
        """Cities of check-ins at UTC times: draw the time zone by local hour, then the city by its rate."""
        step = (seconds[:, None] + 60 * self.zones) // people.STEP
        within = (step >= 0) & (step < len(self.rates))
        weight = np.where(within, self.rates[np.clip(step, 0, len(self.rates) - 1)], 0.0) * self.of_zone
        cumulative = np.cumsum(weight, axis=1)
        target = rng.random(len(seconds)) * cumulative[:, -1]
        zone = np.minimum((target[:, None] >= cumulative).sum(axis=1), len(self.zones) - 1)
        start, stop = self.first_city[zone], self.first_city[zone + 1]
        return self.by_zone[people.draw_between(self.cumulative, start, stop, rng.random(len(seconds)))]

    def users_in(self, city, rng):
        """Users who check in in a city, and whether they live there."""
        first, zeal = self.world.first_user, self.world.zeal
        resident = rng.random(len(city)) * self.rate[city] < self.residents[city]
        start = np.where(resident, first[city], 0)
        stop = np.where(resident, first[city + 1], len(zeal) - 1)
        return people.draw_between(zeal, start, stop, rng.random(len(city))), resident

    def venues_of(self, user, resident, city, local, rng):
        """Venues of check-ins: draw the kind by the local hour, then the venue; residents have habits."""
        world, rows = self.world, len(user)
        day, second = np.divmod(local, people.DAY)
        weight = self.profiles[people.is_weekend(day).astype(int), second // people.STEP] * self.present[city]
        cumulative = np.cumsum(weight, axis=1)
        category = (rng.random(rows)[:, None] * cumulative[:, -1:] >= cumulative).sum(axis=1)
        habit, favourite = people.habit_or_not(category, world.favourites, user, rng)
        cell = category * len(world.weight) + city
        start, stop = world.first_venue[cell], world.first_venue[cell + 1]
        other = people.draw_between(world.reach, start, stop, rng.random(rows))
        return np.where(habit & resident, favourite, other)
