"""Write the dataset "foursquare" of `make results CHECKINS=... LAYOUT=...` as YAML for `snakemake --config`.

The path is made absolute, because Snakemake may run in another directory. Needs only Python.
"""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from study.workflow.printable import is_printable, printable


def dataset(checkins, layout):
    """YAML, in one line, of a dataset with this file; a ValueError if the name of the file cannot be used."""
    path = os.path.abspath(os.path.expanduser(checkins))
    if not is_printable(path):
        text = printable(path).replace("\n", "\\n")
        raise ValueError(
            f"CHECKINS: {text} has characters that cannot be printed; give the file, or its folder, another name"
        )
    return json.dumps({"foursquare": {"layout": layout, "path": path}}, ensure_ascii=False)


if __name__ == "__main__":
    try:
        print(dataset(os.environ["CHECKINS"], os.environ["LAYOUT"]))
    except ValueError as error:
        sys.exit(str(error))
