"""A made-up city of any size: neighbourhoods with venues, denser in the centre, and people who live there.

Every kind of venue has its hours of the day. People have a home and a few places they return to; how often
they check in varies strongly.
"""

from dataclasses import dataclass

import numpy as np

from dirpriv.seeding import generator
from study.checkins.synthetic import people

FAVOURITE_NEAR_HOME = 0.6  # probability that a favourite venue lies in the user's neighbourhood
NEAR_HOME = 0.3  # the same for a check-in at a venue that is no favourite
NEIGHBOURHOODS = 40
NEIGHBOURHOOD_DECAY = 0.4  # a neighbourhood's size falls by the factor e over this share of the city's radius
NEIGHBOURHOOD_SPREAD = (0.03, 0.08)  # standard deviation over the city's radius, in the centre and at the rim


@dataclass(frozen=True)
class City(people.Scene):
    """A city with venues in neighbourhoods."""

    home: np.ndarray  # neighbourhood of each user


def build(parameters, seed, name):
    """Build venues and users from a dataset's section; they do not depend on the number of rows or days.

    Two cities of one study have different names, and differ even if their parameters are the same.
    """
    venues, users = parameters["venues"], parameters["users"]
    rng = generator(seed, "generate_checkins", name, "venues")
    north, east, spread, size = neighbourhoods(parameters["radius_km"], rng)

    category = people.shares_of_categories(venues)
    neighbourhood = np.searchsorted(size, rng.random(venues))
    neighbourhood = neighbourhood[np.lexsort((neighbourhood, category))]
    north = north[neighbourhood] + spread[neighbourhood] * rng.standard_normal(venues)
    east = east[neighbourhood] + spread[neighbourhood] * rng.standard_normal(venues)
    latitude = np.clip(parameters["latitude"] + north / people.KILOMETRES_PER_DEGREE, -90, 90)
    per_degree = people.KILOMETRES_PER_DEGREE * max(np.cos(np.radians(parameters["latitude"])), 1e-6)
    longitude = (parameters["longitude"] + east / per_degree + 180) % 360 - 180
    reach = people.reach_of_venues(category, rng)
    cells = np.arange(len(people.CATEGORIES) * NEIGHBOURHOODS + 1)
    first_venue = np.searchsorted(category * NEIGHBOURHOODS + neighbourhood, cells)
    venue_ids = people.new_venue_ids(venues, rng)

    rng = generator(seed, "generate_checkins", name, "users")
    zeal = np.cumsum(np.exp(rng.normal(0.0, people.ZEAL_SPREAD, users)))
    home = np.searchsorted(size, rng.random(users))
    favourites = np.zeros((users, len(people.CATEGORIES), people.FAVOURITES), dtype=np.int32)
    for kind in np.unique(category):
        near = rng.random((users, people.FAVOURITES)) < FAVOURITE_NEAR_HOME
        where = np.where(near, home[:, None], -1)
        start, stop = venues_in(first_venue, kind, where)
        favourites[:, kind] = people.draw_between(reach, start, stop, rng.random((users, people.FAVOURITES)))
    return City(
        latitude=latitude, longitude=longitude, category=category, venue_ids=venue_ids,
        offset_minutes=np.full(venues, parameters["offset_minutes"]), user_ids=rng.permutation(users) + 1,
        reach=reach, first_venue=first_venue, zeal=zeal / zeal[-1], home=home, favourites=favourites,
    )  # fmt: skip


def neighbourhoods(radius, rng):
    """Neighbourhoods: centres (km north and east of the city's), spread (km) and cumulative size."""
    distance = np.sqrt(rng.random(NEIGHBOURHOODS))
    distance[0] = 0.0
    direction = rng.uniform(0, 2 * np.pi, NEIGHBOURHOODS)
    inner, outer = NEIGHBOURHOOD_SPREAD
    size = np.cumsum(np.exp(-distance / NEIGHBOURHOOD_DECAY + rng.normal(0.0, 0.3, NEIGHBOURHOODS)))
    spread = radius * (inner + (outer - inner) * distance)
    north, east = radius * distance * np.cos(direction), radius * distance * np.sin(direction)
    return north, east, spread, size / size[-1]


def venues_in(first_venue, category, neighbourhood):
    """Range of a category's venues in a neighbourhood; in the whole city for −1 or if there are none."""
    cell = category * NEIGHBOURHOODS + np.maximum(neighbourhood, 0)
    anywhere = (neighbourhood < 0) | (first_venue[cell] == first_venue[cell + 1])
    start = np.where(anywhere, first_venue[category * NEIGHBOURHOODS], first_venue[cell])
    stop = np.where(anywhere, first_venue[(category + 1) * NEIGHBOURHOODS], first_venue[cell + 1])
    return start, stop


def visits(city, parameters, seed, name):
    """Yield users, venues and UTC seconds of the check-ins in order of time, in blocks of ``BLOCK_ROWS``.

    Users and venues are numbers; seconds count from the midnight (UTC) of ``people.FIRST_DAY``.
    """
    expected = np.concatenate(([0.0], np.cumsum(people.step_rates(parameters["days"], seed, name))))
    edges = np.arange(len(expected)) * people.STEP
    profiles = category_profiles(np.bincount(city.category, minlength=len(people.CATEGORIES)) > 0)
    rows = parameters["rows"]
    for block, first in enumerate(range(0, rows, people.BLOCK_ROWS)):
        rng = generator(seed, "generate_checkins", name, "block", block)
        local = people.times(rows, first, edges, expected / expected[-1], rng)
        user, venue = who_and_where(city, profiles, local, rng)
        yield user, venue, local - 60 * parameters["offset_minutes"]


def category_profiles(present):
    """Cumulative probability of the categories: 2 (working day, weekend) × step of the day × category."""
    rate = people.category_shares()[:, None, :] * people.hour_profiles().T * present
    cumulative = rate.cumsum(axis=2)
    return cumulative / cumulative[:, :, -1:]


def who_and_where(city, profiles, local, rng):
    """Users and venues of check-ins at the given local times (seconds since the first midnight)."""
    rows = len(local)
    day, second = np.divmod(local, people.DAY)
    cumulative = profiles[people.is_weekend(day).astype(int), second // people.STEP]
    category = (rng.random(rows)[:, None] >= cumulative).sum(axis=1)
    user = np.searchsorted(city.zeal, rng.random(rows), side="right")
    habit, favourite = people.habit_or_not(category, city.favourites, user, rng)
    where = np.where(rng.random(rows) < NEAR_HOME, city.home[user], -1)
    other = people.draw_between(city.reach, *venues_in(city.first_venue, category, where), rng.random(rows))
    return user, np.where(habit, favourite, other)
