"""Write the mechanisms of `make results MECHANISM=file.py:Class` with the absolute paths of their files.

Snakemake may run in another directory. Needs only Python.
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from study.workflow.job import InputError
from study.workflow.own_mechanisms import VARIABLE, pinned, read

if __name__ == "__main__":
    try:
        print(pinned(read(os.environ[VARIABLE])))
    except InputError as error:
        sys.exit(str(error))
