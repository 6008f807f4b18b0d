"""How many times fewer responses each mechanism needs than wrapped Laplace as published."""

import numpy as np
import pandas as pd

from study.simulation.estimates import Z95
from study.workflow.job import job, write_csv

BASELINE = ["wrapped_laplace", "published"]


def ratios(sizes):
    """Ratios of the baseline's survey size to the others', by simulation and by the limit of large N."""
    keys = ["population", "epsilon"]
    sizes = sizes.assign(is_baseline=sizes[["mechanism", "calibration"]].eq(BASELINE).all(axis=1))
    baseline = sizes.loc[sizes["is_baseline"], [*keys, "value", "standard_error", "expected"]]
    table = sizes.merge(baseline, on=keys, suffixes=("", "_baseline"))
    ratio = table["value_baseline"] / table["value"]
    relative = [table[f"standard_error{s}"] / table[f"value{s}"] for s in ("", "_baseline")]
    width = np.where(table["is_baseline"], 0.0, Z95) * np.hypot(*relative)
    table = table.assign(
        ratio=ratio, ratio_low=ratio * np.exp(-width), ratio_high=ratio * np.exp(width),
        expected_ratio=table["expected_baseline"] / table["expected"],
    )  # fmt: skip
    columns = ["mechanism", "calibration", "n", "low", "high", "status", "ratio", "ratio_low", "ratio_high"]
    return table[[*keys, *columns, "expected_ratio"]].sort_values([*keys, "mechanism", "calibration"])


if __name__ == "__main__":
    with job(snakemake):
        write_csv(ratios(pd.read_csv(snakemake.input[0])), snakemake.output[0])
