"""Order of the mechanisms by the busyness they leave, venue by venue."""

import numpy as np
import pandas as pd

from study.simulation.estimates import Estimate
from study.workflow.job import job, write_csv
from study.workflow.parquet import read_parquet

LEVELS = ["population", "time_level", "place_level"]


def compare(of_venues, baseline):
    """Differences of earth mover's distances from those of one mechanism, published if it is, by venue.

    Venues differ more from each other than mechanisms at one venue do, so the intervals of the differences
    are narrower than those of the means. A positive difference is an error above that of the baseline;
    ``significant`` says on which side of 0 the 95 % interval is. This interval is for similar venues.
    ``noise_low`` and ``noise_high`` are for these very venues: the noise alone is random. ``noise_deviation``
    and ``venue_deviation`` are what each of the two adds to the difference at one venue: the noise of the
    repetitions together, and how venues differ without it.
    """
    table = pd.concat(of_venues, ignore_index=True)
    own = table["mechanism"] == baseline
    is_baseline = own & (table["calibration"] == table.loc[own, "calibration"].min())
    keys, values = [*LEVELS, "venue"], ["emd", "noise_error", "noise_variance"]
    other = table.loc[is_baseline, [*keys, *values]]
    joined = table[~is_baseline].merge(other, on=keys, suffixes=("", "_baseline"), validate="many_to_one")
    joined["value"] = joined["emd"] - joined["emd_baseline"]
    joined["noise_variance"] += joined["noise_variance_baseline"]
    joined["noise_error"] = np.hypot(joined["noise_error"], joined["noise_error_baseline"])
    groups = joined.groupby([*LEVELS, "mechanism", "calibration"], sort=True)
    compared = groups.agg(
        venues=("value", "size"), value=("value", "mean"), standard_error=("value", "sem"),
        variance=("value", "var"), noise_error=("noise_error", "first"), noise=("noise_variance", "mean"),
    ).reset_index()  # fmt: skip
    mean = Estimate(compared["value"], compared["standard_error"])
    noisy = Estimate(compared["value"], compared["noise_error"])
    significant = np.select([mean.low > 0, mean.high < 0], ["above", "below"], "no")
    compared = compared.assign(
        baseline=baseline, metric="emd_difference", unit="h", low=mean.low, high=mean.high,
        significant=significant, noise_low=noisy.low, noise_high=noisy.high,
        noise_deviation=np.sqrt(compared["noise"]),
        venue_deviation=np.sqrt((compared["variance"] - compared["noise"]).clip(lower=0.0)),
    )  # fmt: skip
    keys = [*LEVELS, "mechanism", "calibration", "baseline", "venues", "metric", "unit"]
    split = ["noise_error", "noise_low", "noise_high", "noise_deviation", "venue_deviation"]
    return compared[[*keys, "value", "standard_error", "low", "high", "significant", *split]]


if __name__ == "__main__":
    with job(snakemake):
        tables = [read_parquet(path) for path in snakemake.input]
        write_csv(compare(tables, snakemake.params.baseline), snakemake.output[0])
