"""Join the tables of an experiment's cells into one table."""

import pandas as pd

from study.core.job import job, write_csv

if __name__ == "__main__":
    with job(snakemake):
        # a table without rows would turn every column of the others into text
        tables = [table for table in map(pd.read_csv, snakemake.input) if len(table)]
        write_csv(pd.concat(tables, ignore_index=True), snakemake.output[0])
