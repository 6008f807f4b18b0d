"""Make the statistics of a real sample that the synthetic check-ins are fitted to.

python tools/make_targets.py results/checkins/foursquare.parquet results/busyness/busyness.csv

The arguments are results of `make results CHECKINS=path/to/sample.txt.gz`. The tables are
src/study/checkins/targets.csv and src/study/checkins/synthetic/categories.csv. They have no row, person or
venue of the sample. The workflow does not run this.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd

SOURCE = Path(__file__).resolve().parents[1] / "src"
sys.path.insert(0, str(SOURCE))

from study.checkins.checkin_statistics import HOURS, TARGETS, checkins_of_people, measure  # noqa: E402
from study.checkins.compare import busyness_of  # noqa: E402
from study.checkins.prepared import seconds_of_day  # noqa: E402

LEAST_SHARE = 0.001  # rarer categories would be measured on a few check-ins


def targets(table, busyness):
    """The statistics, to three digits."""
    rows = pd.concat([measure(table), busyness], ignore_index=True)
    texts = rows["value"].map("{:.3g}".format)
    return rows.assign(value=texts.where(rows["unit"] != "", rows["value"].map("{:.0f}".format)))


def by_category(table):
    """Share of each category, the parts of it on weekends and at venues new to the person, its hours."""
    names = [f"h{hour:02}" for hour in range(HOURS)]
    hours = pd.DataFrame(np.eye(HOURS)[seconds_of_day(table) // 3600], columns=names)
    hours["weekend"] = table["local_time"].dt.day_of_week >= 5
    hours["new"] = ~table.duplicated(["user", "venue"])
    means = hours.groupby(table["category"]).mean()
    means.insert(0, "share", table["category"].value_counts(normalize=True))
    return means[["share", "weekend", "new", *names]].sort_values("share", ascending=False)


def categories(table):
    """Shares to three decimals, so that not even a rare category shows single check-ins."""
    shares = by_category(table)
    return shares[shares["share"] >= LEAST_SHARE].round(3)


def main():
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("checkins", type=Path, help="prepared check-ins")
    parser.add_argument("busyness", type=Path, help="table of all results of busyness")
    arguments = parser.parse_args()
    table, name = checkins_of_people(arguments.checkins), arguments.checkins.stem
    busyness = busyness_of(pd.read_csv(arguments.busyness), name)
    targets(table, busyness).to_csv(TARGETS, index=False, lineterminator="\n")
    path = SOURCE / "study/checkins/synthetic/categories.csv"
    categories(table).to_csv(path, lineterminator="\n")


if __name__ == "__main__":
    main()
