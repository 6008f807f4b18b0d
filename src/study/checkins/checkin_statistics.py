"""Statistics of check-ins: how they are spread over people, venues, hours and places.

``targets.csv`` has those of a real sample. Counts of visits grow with a table, so a larger table is measured
on as many check-ins as the real sample has, all those of some people.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from dirpriv.geometry import earth
from study.checkins.prepared import seconds_of_day
from study.workflow.parquet import connect, to_frame

TARGETS = Path(__file__).with_name("targets.csv")  # made by tools/make_targets.py
HOURS = 24
VISITS = (1, 2, 3, 5, 10, 20, 50, 100)
BUSY = 50  # check-ins at a busy venue; in full runs busyness measures these
OFTEN = 20  # check-ins of a person at a venue from which on their hours show how regular the person is
PROBABILITIES = (0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95)
# the order has nothing to do with the check-ins
PEOPLE = """
    SELECT "user", count(*) AS checkins FROM read_parquet(?) GROUP BY "user"
    ORDER BY md5(CAST("user" AS VARCHAR))"""
CHECKINS = 'SELECT * FROM read_parquet(?) SEMI JOIN people USING ("user") ORDER BY file_row_number'


def checkins_of_people(path, rows=None):
    """Check-ins of as many people as have at most ``rows`` together; all check-ins by default."""
    with connect() as connection:
        # each has a check-in, so that no more people than rows are needed
        people = connection.execute(PEOPLE + (f" LIMIT {rows}" if rows else ""), [str(path)]).df()
        if rows:
            people = people[: max(1, (people["checkins"].cumsum() <= rows).sum())]
        connection.register("people", people)
        return to_frame(connection.sql(CHECKINS, params=[str(path)]))


def measure(table):
    """Statistics of check-ins. ``at``, a text, is an hour, a probability, a number of check-ins or empty."""
    of_person, of_venue = (table[column].value_counts().to_numpy() for column in ("user", "venue"))
    pair = table.groupby(["user", "venue"], observed=True).ngroup().to_numpy()
    hour = seconds_of_day(table).to_numpy() // 3600
    distance = kilometres_from_the_middle(table[["latitude", "longitude"]].to_numpy())
    checkins, once, quartiles = len(table), [""], [0.25, 0.5, 0.75]
    hours = np.bincount(hour, minlength=HOURS)
    visited = [(of_venue >= least).mean() for least in VISITS]
    busy = of_venue[of_venue >= BUSY].sum()
    of_checkins, of_venues = "share of the check-ins", "share of the venues"
    metrics = [
        ("check-ins", once, [checkins], ""),
        ("people", once, [len(of_person)], ""),
        ("venues", once, [len(of_venue)], ""),
        ("hours of the day", range(HOURS), hours / checkins, of_checkins),
        ("check-ins of a person", PROBABILITIES, np.quantile(of_person, PROBABILITIES), "quantile"),
        ("check-ins at a venue", VISITS, visited, of_venues),
        ("venues visited once", once, [(of_venue == 1).mean()], of_venues),
        ("check-ins at busy venues", once, [busy / checkins], of_checkins),
        ("check-ins at venues new to the person", once, [(pair.max() + 1) / checkins], of_checkins),
        ("regularity", quartiles, np.quantile(regularity(hour, pair), quartiles), "quantile"),
        ("distance from the middle", [0.5, 0.9], np.quantile(distance, [0.5, 0.9]), "quantile in km"),
    ]
    rows = [(name, f"{at}", value, unit) for name, *of, unit in metrics for at, value in zip(*of, strict=True)]
    return pd.DataFrame(rows, columns=["statistic", "at", "value", "unit"])


def regularity(hour, pair):
    """Mean resultant length of the hours of each person at each venue visited often: 1 for a single hour.

    Of n check-ins chance adds (1 - R²) / n to its square on average; this is subtracted.
    """
    count, turns = np.bincount(pair), np.exp(2j * np.pi * hour / HOURS)
    total = np.bincount(pair, turns.real) + 1j * np.bincount(pair, turns.imag)
    total, count = total[count >= OFTEN], count[count >= OFTEN]
    squares = (np.abs(total) ** 2 / count - 1) / (count - 1)
    return np.sqrt(np.maximum(squares, 0.0)) if len(count) else np.array([np.nan])


def kilometres_from_the_middle(places):
    """Distances of places from their median latitude and longitude."""
    return earth.great_circle_distance(np.median(places, axis=0), places) / 1000
