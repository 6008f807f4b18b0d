"""Pack the run in this folder for an archive, as an RO-Crate: ``.github/RELEASING.md`` says when and how.

The crate has the files of the workflow and of the library, the settings, the results and the figures.
"""

import json
import subprocess
import sys
from pathlib import Path

import yaml
from rocrate.model.person import Person
from rocrate.rocrate import ROCrate

ROOT = Path(__file__).resolve().parents[1]
ABOUT = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
LICENCE = "https://spdx.org/licenses/MIT"


def packed(folder: Path) -> ROCrate:
    """The crate of a run in a folder."""
    provenance = json.loads((folder / "results/provenance.json").read_text("utf-8"))
    crate = ROCrate()
    crate.name, crate.description, crate.license = ABOUT["title"], ABOUT["abstract"], LICENCE
    crate.keywords = ", ".join(ABOUT["keywords"])
    crate.creator = [crate.add(Person(crate, f"#{author['name']}", author)) for author in ABOUT["authors"]]
    crate.root_dataset["citation"] = [f"https://doi.org/{one['doi']}" for one in ABOUT["references"] if "doi" in one]
    about = {"version": provenance["source"]["commit"], "license": LICENCE}
    workflow = crate.add_workflow(ROOT / "Snakefile", "Snakefile", main=True, lang="snakemake", properties=about)
    command = "git", "ls-files", "src", "config", "locks", "CITATION.cff", "LICENSE", "NOTICE", "README.md"
    names = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, encoding="utf-8").stdout.splitlines()
    files = {name: crate.add_file(ROOT / name, name) for name in names}
    settings = [files["config/config.yaml"], files["locks/study.txt"]]
    results = [crate.add_dataset(folder / name, name) for name in ("results", "figures")]
    crate.add_action(workflow, object=settings, result=results, properties={"name": "make results"})
    return crate


if __name__ == "__main__":
    packed(Path.cwd()).write_zip(sys.argv[1])
