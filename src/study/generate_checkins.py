"""Write Foursquare-style check-ins of a made-up city, of any size, in the TSMC2014 layout.

The city has neighbourhoods with venues, denser in the centre; every kind of venue has its hours of the
day; people have a home, a few places they return to, and very different zeal. The rows come sorted
by time, block by block: a block needs the city and its own number, nothing of the blocks before it.
"""

import gzip
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dirpriv.seeding import generator
from study.job import Progress, job, moved_into_place

# The model's constants. None of them is measured; together they give a day with two peaks, at 8 h and
# 19 h, and its minimum at 4 h, as in published check-ins of large cities.


class Category(NamedTuple):
    """How one kind of venue is visited.

    ``share``: of all check-ins on a working day (relative). ``weekend``: factor on Saturday and Sunday.
    ``habit``: probability that a check-in is at one of the user's favourite venues of this kind.
    ``zipf``: exponent of the popularity of the venues of this kind. ``bumps``: the hours of the day, as
    (hour, width in hours, weight) of von Mises bumps.
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
ANY_HOUR = 0.15  # share of each category's check-ins that falls evenly on the whole day
DAY_WEIGHTS = (0.95, 1.0, 1.0, 1.0, 1.1, 1.05, 0.9)  # Monday to Sunday
DAY_SPREAD = 0.1  # standard deviation of the logarithm of a day's own factor
ZEAL_SPREAD = 1.0  # standard deviation of the logarithm of a user's activity: a heavy tail
FAVOURITES = 4  # venues a user returns to, per category; each half as often as the one before
FAVOURITE_NEAR_HOME = 0.6  # probability that a favourite venue lies in the user's neighbourhood
NEAR_HOME = 0.3  # the same for a check-in at no favourite venue
NEIGHBOURHOODS = 40
NEIGHBOURHOOD_DECAY = 0.4  # a neighbourhood's size falls by e over this share of the city's radius
NEIGHBOURHOOD_SPREAD = (0.03, 0.08)  # its standard deviation over the radius, in the centre and at the rim
FIRST_DAY = np.datetime64("2012-04-03")  # a Tuesday; its local midnight is the earliest check-in
KILOMETRES_PER_DEGREE = 111.195  # of latitude, on a sphere of the Earth's mean radius
STEP = 300  # seconds over which the rate of check-ins is constant
BLOCK_ROWS = 1 << 16
COMPRESSION = 3  # three times as fast as the usual 9, a tenth larger

DAY = 86400
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class City(NamedTuple):
    """Venues and users. The venues are sorted by category, then by neighbourhood."""

    latitude: np.ndarray
    longitude: np.ndarray
    category: np.ndarray
    reach: np.ndarray  # popularity of the venues before each one, and of all
    first_venue: np.ndarray  # of each category and neighbourhood; one more at the end
    venue_ids: list
    user_ids: np.ndarray
    zeal: np.ndarray  # cumulative probability of the users
    home: np.ndarray  # neighbourhood of each user
    favourites: np.ndarray  # venues: user × category × FAVOURITES


def generate(parameters, seed, name, path):
    """Write the check-ins of a city to a gzip file; the same parameters give the same bytes.

    Parameters
    ----------
    parameters : mapping
        ``rows``, ``users``, ``venues``, ``days``, ``latitude``, ``longitude`` (of the centre, degrees),
        ``radius_km``, ``offset_minutes`` (local time − UTC).
    seed : int
        Seed of the study.
    name : str
        Name of the data set: two cities of one study differ even if their parameters are the same.
    path : path-like
        Where to write.
    """
    city = build_city(parameters, seed, name)
    progress, done = Progress("generate_checkins", parameters["rows"]), 0
    with (
        moved_into_place(path) as temporary,
        open(temporary, "wb") as raw,
        gzip.GzipFile("", "wb", compresslevel=COMPRESSION, fileobj=raw, mtime=0) as handle,
    ):
        for text in check_in_blocks(city, parameters, seed, name):
            handle.write(text)
            done += BLOCK_ROWS
            progress.update(min(done, parameters["rows"]))


def check_in_blocks(city, parameters, seed, name):
    """Yield the text of the check-ins, sorted by time, :data:`BLOCK_ROWS` lines at a time.

    Row ``i`` of ``n`` falls into the ``i``-th ``n``-th part of the period, measured by the expected
    number of check-ins. This sorts the rows without ever holding them all.
    """
    edges, expected = time_grid(parameters["days"], seed, name)
    profiles = category_profiles(np.bincount(city.category, minlength=len(CATEGORIES)) > 0)
    writer = RowWriter(city, parameters["days"], parameters["offset_minutes"])
    rows = parameters["rows"]
    for block, first in enumerate(range(0, rows, BLOCK_ROWS)):
        rng = generator(seed, "generate_checkins", name, "block", block)
        index = np.arange(first, min(first + BLOCK_ROWS, rows))
        part = (index + rng.random(len(index))) / rows
        local = np.minimum(np.interp(part, expected, edges).astype(np.int64), edges[-1] - 1)
        user, venue = who_and_where(city, profiles, local, rng)
        yield writer.text(user, venue, local)


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


def category_profiles(present):
    """Cumulative probability of the categories given the step of the week: 2 × step × category."""
    rate = category_shares()[:, None, :] * hour_profiles().T * present
    cumulative = rate.cumsum(axis=2)
    return cumulative / cumulative[:, :, -1:]


def is_weekend(day):
    """Whether day number ``day`` of the period is a Saturday or a Sunday."""
    return (day + _weekday(FIRST_DAY)) % 7 >= 5


def _weekday(date):
    return (date.astype(np.int64) + 3) % 7  # 1970-01-01 was a Thursday


def time_grid(days, seed, name):
    """Seconds since the first midnight, and the share of all check-ins expected before them."""
    day = np.arange(days)
    own = generator(seed, "generate_checkins", name, "days").normal(0.0, DAY_SPREAD, days)
    weight = np.take(DAY_WEIGHTS, (day + _weekday(FIRST_DAY)) % 7) * np.exp(own)
    steps = (category_shares() @ hour_profiles())[is_weekend(day).astype(int)]
    expected = np.concatenate(([0.0], np.cumsum(weight[:, None] * steps)))
    return np.arange(len(expected)) * STEP, expected / expected[-1]


def build_city(parameters, seed, name):
    """Venues and users. They do not depend on the number of rows or days."""
    venues, users = parameters["venues"], parameters["users"]
    rng = generator(seed, "generate_checkins", name, "venues")
    north, east, spread, size = neighbourhoods(parameters["radius_km"], rng)

    share = np.cumsum([category.share for category in CATEGORIES.values()])
    category = np.searchsorted(share / share[-1], (np.arange(venues) + 0.5) / venues)
    neighbourhood = np.searchsorted(size, rng.random(venues))
    neighbourhood = neighbourhood[np.lexsort((neighbourhood, category))]
    north = north[neighbourhood] + spread[neighbourhood] * rng.standard_normal(venues)
    east = east[neighbourhood] + spread[neighbourhood] * rng.standard_normal(venues)
    latitude = np.clip(parameters["latitude"] + north / KILOMETRES_PER_DEGREE, -90, 90)
    per_degree = KILOMETRES_PER_DEGREE * max(np.cos(np.radians(parameters["latitude"])), 1e-6)
    longitude = (parameters["longitude"] + east / per_degree + 180) % 360 - 180
    rank = 1 + rng.permutation(venues) / len(CATEGORIES)
    popularity = rank ** -np.take([c.zipf for c in CATEGORIES.values()], category)
    cells = np.arange(len(CATEGORIES) * NEIGHBOURHOODS + 1)
    first_venue = np.searchsorted(category * NEIGHBOURHOODS + neighbourhood, cells)
    # Like a Foursquare id: the time of creation, then digits; the number of the venue makes it unique.
    created = rng.integers(0x4A000000, 0x4F000000, venues)
    digits = rng.integers(0, 1 << 36, venues)
    venue_ids = [f"{c:08x}{d:09x}{v:07x}" for v, (c, d) in enumerate(zip(created, digits, strict=True))]
    reach = np.concatenate(([0.0], np.cumsum(popularity)))

    rng = generator(seed, "generate_checkins", name, "users")
    zeal = np.cumsum(np.exp(rng.normal(0.0, ZEAL_SPREAD, users)))
    home = np.searchsorted(size, rng.random(users))
    favourites = np.zeros((users, len(CATEGORIES), FAVOURITES), dtype=np.int32)
    for kind in np.unique(category):
        near = rng.random((users, FAVOURITES)) < FAVOURITE_NEAR_HOME
        where = np.where(near, home[:, None], -1)
        favourites[:, kind] = draw_venue(reach, first_venue, kind, where, rng.random((users, FAVOURITES)))
    user_ids = rng.permutation(users) + 1
    return City(
        latitude,
        longitude,
        category,
        reach,
        first_venue,
        venue_ids,
        user_ids,
        zeal / zeal[-1],
        home,
        favourites,
    )


def neighbourhoods(radius, rng):
    """Centres (km north and east of the city's), spread (km) and cumulative size of the neighbourhoods."""
    distance = np.sqrt(rng.random(NEIGHBOURHOODS))
    distance[0] = 0.0
    direction = rng.uniform(0, 2 * np.pi, NEIGHBOURHOODS)
    inner, outer = NEIGHBOURHOOD_SPREAD
    size = np.cumsum(np.exp(-distance / NEIGHBOURHOOD_DECAY + rng.normal(0.0, 0.3, NEIGHBOURHOODS)))
    spread = radius * (inner + (outer - inner) * distance)
    return (
        radius * distance * np.cos(direction),
        radius * distance * np.sin(direction),
        spread,
        size / size[-1],
    )


def draw_venue(reach, first_venue, category, neighbourhood, uniform):
    """Venue of a category in a neighbourhood (−1, or one without such venues: anywhere) by popularity."""
    cell = category * NEIGHBOURHOODS + np.maximum(neighbourhood, 0)
    anywhere = (neighbourhood < 0) | (first_venue[cell] == first_venue[cell + 1])
    start = np.where(anywhere, first_venue[category * NEIGHBOURHOODS], first_venue[cell])
    stop = np.where(anywhere, first_venue[(category + 1) * NEIGHBOURHOODS], first_venue[cell + 1])
    target = reach[start] + uniform * (reach[stop] - reach[start])
    return np.clip(np.searchsorted(reach, target, side="right") - 1, start, stop - 1)


def who_and_where(city, profiles, local, rng):
    """Users and venues of check-ins at the given local times (seconds since the first midnight)."""
    rows = len(local)
    day, second = np.divmod(local, DAY)
    cumulative = profiles[is_weekend(day).astype(int), second // STEP]
    category = (rng.random(rows)[:, None] >= cumulative).sum(axis=1)
    user = np.searchsorted(city.zeal, rng.random(rows), side="right")

    habit = rng.random(rows) < np.take([c.habit for c in CATEGORIES.values()], category)
    favourite = city.favourites[user, category, np.minimum(rng.geometric(0.5, rows), FAVOURITES) - 1]
    where = np.where(rng.random(rows) < NEAR_HOME, city.home[user], -1)
    other = draw_venue(city.reach, city.first_venue, category, where, rng.random(rows))
    return user, np.where(habit, favourite, other)


class RowWriter:
    """Turn users, venues and times into lines of text, whole columns at a time."""

    def __init__(self, city, days, offset_minutes):
        self.offset = 60 * offset_minutes
        self.users = pa.array([f"{user}\t" for user in city.user_ids])
        fixed = [f"{number:024x}\t{name}" for number, name in enumerate(CATEGORIES, start=1)]
        self.venues = pa.array(
            f"{venue}\t{fixed[category]}\t{latitude:.6f}\t{longitude:.6f}\t{offset_minutes}\t"
            for venue, category, latitude, longitude in zip(
                city.venue_ids, city.category, city.latitude, city.longitude, strict=True
            )
        )
        # UTC runs from the day before the first local day to the day after the last one.
        dates = FIRST_DAY + np.arange(-1, days + 1)
        texts = [
            f"{WEEKDAYS[_weekday(date)]} {MONTHS[date.item().month - 1]} {date.item().day:02d} "
            f"hh:mm:ss +0000 {date.item().year}\n"
            for date in dates
        ]
        self.days = np.frombuffer("".join(texts).encode(), dtype=np.uint8).reshape(len(dates), -1)

    def text(self, user, venue, local):
        """Lines of a block, ready to be written."""
        rows = pc.binary_join_element_wise(
            self.users.take(pa.array(user)), self.venues.take(pa.array(venue)), self.times(local), ""
        )
        stop = np.frombuffer(rows.buffers()[1], dtype=np.int32)[len(rows)]
        return memoryview(rows.buffers()[2])[:stop]

    def times(self, local):
        """UTC times as an Arrow array of texts."""
        day, second = np.divmod(local - self.offset, DAY)
        letters = self.days[day + 1]
        for place, number in ((11, second // 3600), (14, second // 60 % 60), (17, second % 60)):
            letters[:, place] = ord("0") + number // 10
            letters[:, place + 1] = ord("0") + number % 10
        length = letters.shape[1]
        offsets = np.arange(0, length * len(letters) + 1, length, dtype=np.int32)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(letters)]
        return pa.Array.from_buffers(pa.string(), len(letters), buffers)


if __name__ == "__main__":
    with job(snakemake) as logger:
        generate(
            snakemake.params.dataset,
            snakemake.params.seed,
            snakemake.wildcards.dataset,
            snakemake.output[0],
        )
        logger.info("%s: %d bytes", snakemake.output[0], Path(snakemake.output[0]).stat().st_size)
