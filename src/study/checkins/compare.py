"""Statistics of each dataset beside those of a real sample (``targets.csv``)."""

from pathlib import Path

import numpy as np
import pandas as pd

from dirpriv.estimators import transport
from study.checkins.checkin_statistics import BUSY, TARGETS, checkins_of_people, measure
from study.workflow.job import job, write_tables

REAL = "real sample"
CORNERS = [(time, place) for time in (0.01, 1.0) for place in (0.01, 100.0)]  # of the grid of busyness
BUSYNESS = "busyness at ℓt = {:g}, ℓs = {:g}"
ALLOWED = Path(__file__).with_name("allowed.csv")  # deviations that are allowed, relative to the target
HOURS, HOURS_ALLOWED = "hours of the day", 0.3  # earth mover's distance in hours


def busyness_of(table, population):
    """Mean earth mover's distances at the corners of the grid of busyness, under Purkayastha as published."""
    chosen = "mechanism == 'purkayastha' and calibration == 'published' and metric == 'emd'"
    rows = table[table["population"] == population].query(chosen)
    values = rows.set_index(["time_level", "place_level"])["value"]
    corners = [(BUSYNESS.format(*at), "", values[at], "h") for at in CORNERS if at in values.index]
    return pd.DataFrame(corners, columns=["statistic", "at", "value", "unit"])


def read_table(path):
    """A table of the repository, by statistic and ``at``, which is text."""
    return pd.read_csv(path, dtype={"at": str}, keep_default_na=False)


def measure_all(paths, busyness, worldwide):
    """Statistics of the real sample and of each dataset on as many check-ins; of a world no distances."""
    real = read_table(TARGETS)
    rows = int(real.loc[real["statistic"] == "check-ins", "value"].item())
    tables = [real.assign(dataset=REAL)]
    for name, path in paths.items():
        table = pd.concat([measure(checkins_of_people(path, rows)), busyness_of(busyness, name)])
        is_distance = table["statistic"] == "distance from the middle"
        tables.append(table[~is_distance | (name not in worldwide)].assign(dataset=name))
    return pd.concat(tables, ignore_index=True)[["dataset", "statistic", "at", "value", "unit"]]


def compare(statistics):
    """Target, value and deviation of each bounded statistic of each dataset, and whether it is within.

    A deviation is relative to the target. That of the hours of the day is their earth mover's distance from
    the real ones, in hours. What is allowed is meant for as many check-ins as the sample has: a dataset
    with less than half of them has no share of it.
    """
    real = statistics["dataset"] == REAL
    keys = ["statistic", "at"]
    targets = statistics[real].rename(columns={"value": "target"}).drop(columns=["dataset", "unit"])
    table = statistics[~real].merge(targets, on=keys, validate="many_to_one")
    table["deviation"] = table["value"] / table["target"] - 1
    hours = table[table["statistic"] == HOURS].groupby("dataset")[["value", "target"]]
    emd = {name: float(transport.circular_emd(one["value"], one["target"])) for name, one in hours}
    of_hours = dict(statistic=HOURS, at="", unit="h", target=0.0, allowed=HOURS_ALLOWED)
    of_hours = pd.DataFrame([dict(dataset=name, value=v, deviation=v, **of_hours) for name, v in emd.items()])
    table = pd.concat([of_hours, table.merge(read_table(ALLOWED), on=keys)], ignore_index=True)
    share = table["deviation"].abs() / table["allowed"]
    table["within"] = np.where(share <= 1.0, "yes", "no")
    rows = statistics[statistics["statistic"] == "check-ins"].set_index("dataset")["value"]
    table["share_of_allowed"] = share.where(~table["dataset"].isin(rows.index[2 * rows < rows[REAL]]))
    columns = ["target", "value", "deviation", "allowed", "share_of_allowed", "within"]
    table = table.rename(columns={"dataset": "population"})[["population", *keys, "unit", *columns]]
    return table.sort_values("population", kind="stable")


if __name__ == "__main__":
    with job(snakemake):
        paths = {Path(path).stem: path for path in snakemake.input.checkins}
        busyness, params = pd.read_csv(snakemake.input.busyness), snakemake.params
        if params.fewest_checkins != BUSY:
            busyness = busyness[:0]  # the busyness of other venues
        statistics = measure_all(paths, busyness, params.worldwide)
        write_tables(snakemake.output, statistics=statistics, compared=compare(statistics))
