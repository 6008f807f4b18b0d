"""Table of the data sets: the source of each, the rows read and rejected, the people and places covered."""

import json
from pathlib import Path

import pandas as pd

from study.checkins.faulty_lines import KINDS, cell
from study.checkins.file_layouts import LAYOUTS
from study.checkins.settings import file_name, given_files
from study.workflow.job import job, write_csv

COUNTS = ("rows_read", "rows_rejected", "rows_prepared", "duplicates", "users", "venues", "categories")
OF_PLACES = "places_read", "places_rejected", "places_repeated", "cities", "cities_visited", "farthest_from_city_km"


def overview(datasets, summaries):
    """One row for each data set; a cell is empty where a quantity does not apply to a layout."""
    return pd.DataFrame([describe(name, datasets[name], summaries[name]) for name in sorted(summaries)])


def describe(name, entry, summary):
    """One data set as a row of the table."""
    files = [file_name(file) for file in given_files(entry).values()]
    row = dict(dataset=name, source="given" if files else "generated", layout=entry["layout"])
    row |= dict(files=cell(" + ".join(files)), local_time=local_time_of(entry))
    row |= {count: summary[count] for count in COUNTS}
    row["rejected_share"] = f"{int(summary['rows_rejected']) / int(summary['rows_read']):.6f}"
    rejected = {kind: int(summary[f"rejected_{kind}"]) for kind in KINDS}
    row["rejected_by_reason"] = ", ".join(f"{kind} {count}" for kind, count in rejected.items() if count)
    first, last = (pd.Timestamp(summary[f"{end}_local_time"]) for end in ("first", "last"))
    row |= {"first_local_time": first, "last_local_time": last}
    row["days"] = (last.normalize() - first.normalize()).days + 1
    return row | {quantity: summary.get(quantity, "") for quantity in OF_PLACES}


def local_time_of(entry):
    """Where the local times of a dataset come from."""
    if entry["layout"] == "csv":
        return f"the file, or UTC and {entry.get('timezone', 'the nautical time zone of the longitude')}"
    offset = "offset_minutes" in LAYOUTS[entry["layout"]].checkins
    return "UTC and the offset in the file" if offset else "UTC and the nautical time zone of the longitude"


def read_summary(path):
    """A summary as quantity -> value; the values stay text."""
    return pd.read_csv(path, dtype=str, index_col="quantity")["value"].to_dict()


if __name__ == "__main__":
    with job(snakemake):
        summaries = {Path(path).name.removesuffix(".summary.csv"): read_summary(path) for path in snakemake.input}
        write_csv(overview(json.loads(snakemake.params.datasets), summaries), snakemake.output[0])
