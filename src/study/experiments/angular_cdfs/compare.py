"""Differences between the methods for the angular CDFs, cell by cell."""

import pandas as pd

from study.simulation.method_differences import differences
from study.workflow.job import job, write_csv

if __name__ == "__main__":
    with job(snakemake):
        table, settings = pd.read_csv(snakemake.input[0]), snakemake.params.settings
        write_csv(differences(table, settings["tolerance"], settings["draws"]), snakemake.output[0])
