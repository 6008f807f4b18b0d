"""How invented people check in: kinds of venues, hours of the day, days of the week, favourite places.

The synthetic city and the synthetic world share this module. None of the constants is measured. Together
they give a day with peaks at 8 h and 19 h and a minimum at 4 h, as in published check-ins of large
cities.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dirpriv.seeding import generator


class Category(NamedTuple):
    """How one kind of venue is visited.

    ``share``: relative share of the check-ins on a working day. ``weekend``: factor on Saturday and Sunday.
    ``habit``: probability that a check-in is at one of the user's favourite venues of this kind.
    ``zipf``: exponent of the popularity of the venues of this kind. ``bumps``: the hours of the day as a
    mixture of von Mises bumps (hour, width in hours, weight).
    """

    share: float
    weekend: float
    habit: float
    zipf: float
    bumps: tuple


CATEGORIES = {
    "Food": Category(0.21, 1.1, 0.45, 0.8, ((8.5, 1.4, 0.22), (13.0, 1.8, 0.25), (19.6, 2.1, 0.53))),
    "Shop & Service": Category(
        0.16, 1.1, 0.45, 0.8, ((9.5, 2.0, 0.20), (14.0, 2.8, 0.30), (18.9, 2.0, 0.50))
    ),
    "Travel & Transport": Category(
        0.18, 0.8, 0.65, 1.0, ((8.3, 1.2, 0.50), (14.0, 3.5, 0.10), (18.6, 1.9, 0.40))
    ),
    "Residence": Category(0.13, 1.3, 0.95, 0.2, ((8.3, 1.3, 0.20), (19.6, 2.4, 0.50), (23.8, 2.5, 0.30))),
    "Professional & Other Places": Category(
        0.13, 0.5, 0.85, 0.6, ((8.7, 1.2, 0.55), (14.0, 2.2, 0.27), (18.2, 1.8, 0.18))
    ),
    "Outdoors & Recreation": Category(
        0.08, 1.1, 0.50, 0.9, ((8.2, 1.3, 0.30), (13.0, 2.8, 0.15), (18.9, 2.2, 0.55))
    ),
    "Nightlife Spot": Category(0.05, 1.9, 0.40, 0.8, ((20.0, 2.0, 0.50), (0.2, 2.3, 0.50))),
    "Arts & Entertainment": Category(0.03, 1.5, 0.20, 0.9, ((15.0, 2.8, 0.35), (19.6, 2.0, 0.65))),
    "College & University": Category(
        0.03, 0.3, 0.80, 0.7, ((8.6, 1.3, 0.50), (13.5, 2.2, 0.25), (18.5, 1.7, 0.25))
    ),
}
ANY_HOUR = 0.15  # share of each category's check-ins that is uniform over the day
DAY_WEIGHTS = (0.95, 1.0, 1.0, 1.0, 1.1, 1.05, 0.9)  # Monday to Sunday
DAY_SPREAD = 0.1  # standard deviation of the logarithm of the factor of each day
ZEAL_SPREAD = 1.0  # standard deviation of the logarithm of a user's activity: a heavy tail
FAVOURITES = 4  # venues a user returns to, per category; each half as often as the previous one
FIRST_DAY = np.datetime64("2012-04-03")  # a Tuesday; its local midnight is the earliest check-in
STEP = 300  # seconds over which the rate of check-ins is constant
KILOMETRES_PER_DEGREE = 111.195  # of latitude, on a sphere of the Earth's mean radius
BLOCK_ROWS = 1 << 16  # check-ins drawn from one generator
DAY = 86400


@dataclass(frozen=True)
class Scene:
    """Users, and venues sorted by category and within each category by neighbourhood or city."""

    latitude: np.ndarray
    longitude: np.ndarray
    category: np.ndarray
    venue_ids: np.ndarray
    offset_minutes: np.ndarray
    user_ids: np.ndarray
    reach: np.ndarray  # total popularity of the venues before each one, and of all
    first_venue: np.ndarray  # of each category and neighbourhood or city; one more at the end
    zeal: np.ndarray  # cumulative share of each user in all check-ins
    favourites: np.ndarray  # venues: user × category × FAVOURITES


def hour_profiles():
    """Share of a category's check-ins in each step of the day: category × step, each row sums to 1."""
    hour = (np.arange(0, DAY, STEP) + STEP / 2) / 3600
    profiles = np.zeros((len(CATEGORIES), len(hour)))
    for row, category in zip(profiles, CATEGORIES.values(), strict=True):
        for centre, width, weight in category.bumps:
            concentration = (24 / (2 * np.pi * width)) ** 2
            bump = np.exp(concentration * (np.cos(2 * np.pi * (hour - centre) / 24) - 1))
            row += weight * bump / bump.sum()
        row /= row.sum()
    return (1 - ANY_HOUR) * profiles + ANY_HOUR / len(hour)


def category_shares():
    """Share of each category on working days and on weekends: 2 × category."""
    shares = np.array([[c.share, c.share * c.weekend] for c in CATEGORIES.values()]).T
    return shares / shares.sum(axis=1, keepdims=True)


def is_weekend(day):
    """Whether day number ``day`` of the period is a Saturday or a Sunday."""
    return (day + weekday(FIRST_DAY)) % 7 >= 5


def weekday(date):
    """Day of the week of a date, Monday being 0."""
    return (date.astype(np.int64) + 3) % 7  # 1970-01-01 was a Thursday


def step_rates(days, seed, name):
    """Rate of check-ins of all kinds in each step of the period, in local time."""
    day = np.arange(days)
    own = generator(seed, "generate_checkins", name, "days").normal(0.0, DAY_SPREAD, days)
    weight = np.take(DAY_WEIGHTS, (day + weekday(FIRST_DAY)) % 7) * np.exp(own)  # how busy each day is
    steps = (category_shares() @ hour_profiles())[is_weekend(day).astype(int)]
    return (weight[:, None] * steps).reshape(-1)


def times(rows, first, edges, expected, rng):
    """Times of the check-ins from row ``first`` on, in order.

    The period is cut into ``n`` parts with the same expected number of check-ins; row ``i`` of ``n`` lies
    in part ``i``. So the rows are sorted without ever being in memory together.
    """
    index = np.arange(first, min(first + BLOCK_ROWS, rows))
    part = (index + rng.random(len(index))) / rows
    return np.minimum(np.interp(part, expected, edges).astype(np.int64), edges[-1] - 1)


def shares_of_categories(count):
    """Category of each of ``count`` venues, sorted, in proportion to the shares of the categories."""
    share = np.cumsum([category.share for category in CATEGORIES.values()])
    return np.searchsorted(share / share[-1], (np.arange(count) + 0.5) / count)


def reach_of_venues(category, rng):
    """Total popularity of the venues before each one, and of all; each category has its own power law."""
    rank = 1 + rng.permutation(len(category)) / len(CATEGORIES)
    popularity = rank ** -np.take([c.zipf for c in CATEGORIES.values()], category)
    return np.concatenate(([0.0], np.cumsum(popularity)))


def new_venue_ids(count, rng):
    """Ids like Foursquare's, rows of 24 characters: the time of creation, digits, the venue's number."""
    created = rng.integers(0x4A000000, 0x4F000000, count)
    digits = rng.integers(0, 1 << 36, count)
    letters = np.empty((count, 24), dtype=np.uint8)
    hexadecimal = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)
    start = 0
    for values, width in ((created, 8), (digits, 9), (np.arange(count), 7)):
        for place in range(width):
            letters[:, start + place] = hexadecimal[values >> 4 * (width - 1 - place) & 15]
        start += width
    return letters


def draw_between(reach, start, stop, uniform):
    """Draw a number from ``start`` to ``stop - 1``, in proportion to the growth of ``reach`` after it."""
    target = reach[start] + uniform * (reach[stop] - reach[start])
    return np.clip(np.searchsorted(reach, target, side="right") - 1, start, stop - 1)


def habit_or_not(category, favourites, user, rng):
    """Whether a check-in is at a favourite venue of the user in the category, and which one it would be."""
    rows = len(category)
    habit = rng.random(rows) < np.take([c.habit for c in CATEGORIES.values()], category)
    return habit, favourites[user, category, np.minimum(rng.geometric(0.5, rows), FAVOURITES) - 1]
