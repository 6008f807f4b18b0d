"""Order of the mechanisms by the busyness they leave, venue by venue."""

import numpy as np
import pandas as pd

from study.simulation.estimates import Estimate
from study.workflow.job import job, write_csv
from study.workflow.parquet import read_parquet

LEVELS = ["population", "time_level", "place_level"]


def compare(of_venues, baseline):
    """Differences of earth mover's distances from those of one mechanism as published, venue by venue.

    Venues differ more from each other than mechanisms at one venue do, so the intervals of the differences
    are narrower than those of the means. A positive difference is an error above that of the baseline;
    ``told_apart`` says on which side of 0 the 95 % interval is.
    """
    table = pd.concat(of_venues, ignore_index=True)
    is_baseline = (table["mechanism"] == baseline) & (table["calibration"] == "published")
    keys = [*LEVELS, "venue"]
    joined = table[~is_baseline].merge(
        table.loc[is_baseline, [*keys, "emd"]], on=keys, suffixes=("", "_baseline"), validate="many_to_one"
    )
    joined["value"] = joined["emd"] - joined["emd_baseline"]
    groups = joined.groupby([*LEVELS, "mechanism", "calibration"], sort=True)["value"]
    compared = groups.agg(venues="size", value="mean", standard_error="sem").reset_index()
    mean = Estimate(compared["value"], compared["standard_error"])
    told_apart = np.select([mean.low > 0, mean.high < 0], ["above", "below"], "no")
    compared = compared.assign(
        baseline=baseline, metric="emd_difference", unit="h", low=mean.low, high=mean.high,
        told_apart=told_apart,
    )  # fmt: skip
    keys = [*LEVELS, "mechanism", "calibration", "baseline", "venues", "metric", "unit"]
    return compared[[*keys, "value", "standard_error", "low", "high", "told_apart"]]


if __name__ == "__main__":
    with job(snakemake):
        tables = [read_parquet(path) for path in snakemake.input]
        write_csv(compare(tables, snakemake.params.baseline), snakemake.output[0])
