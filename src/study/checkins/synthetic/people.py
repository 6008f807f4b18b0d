"""How invented people check in: kinds of venues, habits, hours of the day.

``categories.csv`` has for each kind of venue what a sample of real check-ins shows (README.md beside it): its
share of the check-ins, the part of these on Saturdays and Sundays, the part at venues that are new to the
person, and the share of each hour of the day.

A person has some favourite venues, each visited at about its own hour, and sometimes visits another one. At
most venues of the real sample that are visited often, most check-ins are one person's. The hours of such a
venue are a habit of that person and not those of the kind of venue.
"""

from pathlib import Path

import numpy as np
import pandas as pd

# made by tools/make_targets.py
TABLE = pd.read_csv(Path(__file__).with_name("categories.csv"), index_col="category")
CATEGORIES = tuple(TABLE.index)
SHARES, WEEKEND, NEW = (TABLE[column].to_numpy() for column in ("share", "weekend", "new"))
PROFILES = TABLE.filter(regex=r"^h\d\d$").to_numpy()  # category × hour
# part of the check-ins of a category that is on one working day, and on one day of the weekend
PER_DAY = np.array([(1 - WEEKEND) / 5, WEEKEND / 2])

# Fitted to ../targets.csv.
ELSEWHERE = 0.2  # share of the check-ins at venues that are no favourite of the person
FAVOURITES = 40  # of each person; the k-th is visited in proportion to k to the power of -loyalty
POPULARITY = 0.55  # the k-th most popular venue is chosen in proportion to k to the power of -POPULARITY
LEAST_ZEAL, ZEAL_SPREAD = 0.8, 0.94  # a person checks in in proportion to LEAST_ZEAL + exp(normal draw)
WIDTHS = (1.2, 2.2, 3.2, 4.5, 7, 24)  # hours around the habitual one: standard deviations, each as frequent

NO_HABIT = len(WIDTHS)  # number of the width that leaves the hours of the category as they are
FIRST_DAY = np.datetime64("2012-04-03")  # a Tuesday
HOURS, DAY = 24, 86400


def shares_of_categories():
    """Share of each category in the check-ins at favourite venues, and at other venues: 2 × category."""
    new = SHARES * NEW
    elsewhere = ELSEWHERE * new / new.sum()
    shares = np.array([SHARES - elsewhere, elsewhere])
    return shares / shares.sum(axis=1, keepdims=True)


def shares_of_favourites(loyalty=1.0):
    """Share of each favourite in a person's check-ins; the last is that of all other venues."""
    weight = np.arange(1, FAVOURITES + 1) ** -loyalty
    return np.append((1 - ELSEWHERE) * weight / weight.sum(), ELSEWHERE)


def hour_tables(spread=1.0):
    """Cumulative probabilities of habitual hours, and of hours: category × width (× habitual hour) × hour.

    ``spread`` is a factor of all widths.

    The hour t has probability p(t) K(t - h) / (p * K)(h) for the profile p of the category, the kernel K and
    the habitual hour h. As h is drawn from the convolution p * K, all check-ins together have the profile p.
    """
    hour = np.arange(HOURS)
    concentration = (HOURS / (2 * np.pi * spread * np.append(WIDTHS, np.inf))) ** 2
    kernels = np.exp(concentration[:, None] * (np.cos(2 * np.pi * hour / HOURS) - 1))
    joint = kernels[:, hour - hour[:, None]] * PROFILES[:, None, None, :]
    habitual = joint.sum(axis=-1)
    return cumulative(habitual), cumulative(joint)


def cumulative(weights):
    """Cumulative probabilities from weights, along the last axis."""
    sums = weights.cumsum(axis=-1)
    return sums / sums[..., -1:]


def weekend_odds():
    """How readily a check-in is made on a working day and on the weekend: 2 × category, at most 1."""
    return PER_DAY / PER_DAY.max(axis=1, keepdims=True)


def day_weights(day):
    """Expected check-ins on these days of the period, relative to each other."""
    return (PER_DAY @ SHARES)[is_weekend(day).astype(int)]


def is_weekend(day):
    """Whether day number ``day`` of the period is a Saturday or a Sunday."""
    return ~np.is_busday(FIRST_DAY + day)
