"""How well drawn and computed mean distances agree: their z-scores, and differences cell by cell."""

import pandas as pd
from scipy import stats

from study.simulation.method_differences import differences
from study.workflow.job import job, write_tables


def summarise(table):
    """A row per distribution and metric, as both have the same draws: largest z-score, and their KS test."""
    for (distribution, metric), z in table.groupby(["distribution", "metric"], sort=False)["z"]:
        test = stats.kstest(z, "norm")
        yield dict(distribution=distribution, metric=metric, cells=len(z), largest_z=z.abs().max(), p_value=test.pvalue)


if __name__ == "__main__":
    with job(snakemake):
        table, settings = pd.read_csv(snakemake.input[0]), snakemake.params.settings
        apart = differences(table.rename(columns={"value": "drawn"}), settings["tolerance"], settings["draws"])
        write_tables(snakemake.output, summary=summarise(table), differences=apart)
