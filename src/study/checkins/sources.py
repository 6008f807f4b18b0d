"""Where the check-ins of a dataset come from, and which datasets an experiment can use; for the rules."""

from pathlib import Path

from study.checkins.file_layouts import LAYOUTS
from study.checkins.settings import DATASET_FILES, file_name, given_files
from study.simulation.populations import INVENTED
from study.workflow.settings import public_address


def worldwide(datasets):
    """Names of the datasets whose places are all over the world."""
    return [n for n, e in sorted(datasets.items()) if e.get("worldwide", LAYOUTS[e["layout"]].worldwide)]


def timed(datasets):
    """Names of the datasets whose times are compared; the invented world has the times of the city."""
    return [name for name, entry in sorted(datasets.items()) if entry["layout"] != "synthetic_world"]


def checkins_of(population):
    """The prepared check-ins that a population is drawn from; none if it is invented."""
    return [] if population in INVENTED else f"results/checkins/{population}.parquet"


def files_of_dataset(config, dataset):
    """The files that a dataset is read from, by content: the user's own, or a generated one."""
    files = given_files(config["datasets"][dataset])
    if not files:
        return {"checkins": f"data/generated/{dataset}.txt.gz"}
    paths = {}
    for role, file in files.items():
        if isinstance(file, str):
            paths[role] = str(Path(file).absolute())
        elif "member" in file:
            paths[role] = f"data/downloads/{dataset}.{role}"
        else:
            paths[role] = f"data/downloads/{file['sha256']}"
    return paths


def given_file(config, wildcards):
    """A file of a dataset, as the configuration gives it."""
    return given_files(config["datasets"][wildcards.dataset])[wildcards.role]


def address_of(config, sha256):
    """Address of the file with this SHA-256; one of the addresses if several are given."""
    files = [file for entry in config["datasets"].values() for file in given_files(entry).values()]
    return min(file["url"] for file in files if not isinstance(file, str) and file["sha256"] == sha256)


def without_folders(config):
    """The configuration with the names of the datasets' files, without local folders and passwords."""
    datasets = {}
    for name, entry in config["datasets"].items():
        datasets[name] = entry | {key: _public(entry[key]) for key in DATASET_FILES if key in entry}
    return config | {"datasets": datasets}


def _public(file):
    if isinstance(file, str):
        return file_name(file)
    url = file["url"]
    return file | {"url": file_name({"url": url}) if url.startswith("file:") else public_address(url)}
