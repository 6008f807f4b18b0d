"""The errors of time histograms against Purkayastha's, and against uniform noise."""

import numpy as np
import pandas as pd

from study.simulation.baselines import REFERENCES, UNIFORM
from study.simulation.histogram_errors import ratios, told_apart
from study.workflow.job import job, write_csv

BASELINE = "purkayastha"
KEYS = ["population", "n", "view", "epsilon", "estimate", "metric"]


def compare(table):
    """Each mechanism beside Purkayastha's and uniform noise: told apart if 95 % intervals do not overlap."""
    noisy = table[~table["mechanism"].isin(REFERENCES)].reset_index(drop=True)
    baseline = noisy[noisy["mechanism"] == BASELINE].drop_duplicates(KEYS)
    beside = noisy[KEYS].merge(baseline, on=KEYS, how="left", validate="many_to_one")
    keys = ["population", "n", "metric"]  # uniform noise has no level, and nothing to deconvolve
    uniform = table[table["mechanism"] == UNIFORM]
    uniform = noisy[keys].merge(uniform, on=keys, how="left", validate="many_to_one")
    of_baseline = noisy["mechanism"].eq(BASELINE).to_numpy()
    columns = noisy[[*KEYS, "unit", "mechanism", "calibration", "value", "low", "high"]].assign(**ratios(noisy, beside))
    columns.loc[of_baseline, ["ratio_low", "ratio_high"]] = 1.0
    columns["against_purkayastha"] = np.where(of_baseline, "", told_apart(noisy, beside))
    columns["uniform"] = uniform["value"].to_numpy()
    columns["against_uniform"] = told_apart(noisy, uniform)
    return columns.sort_values([*KEYS, "mechanism", "calibration"], ignore_index=True)


if __name__ == "__main__":
    with job(snakemake):
        write_csv(compare(pd.read_csv(snakemake.input[0])), snakemake.output[0])
