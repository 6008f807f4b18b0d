"""Outputs of a function in a file, in a process of its own: `check.py` runs this module.

Its arguments are a folder for numbers, the file, the name of the function, and the bytes of memory that it may take. It
imports only NumPy, so the folder of that file comes first, as where Python runs it.
"""

import contextlib
import runpy
import sys
import time
from pathlib import Path
from typing import Any

folder, file, name, memory = sys.argv[1:]
sys.path[0] = str(Path(file).resolve().parent)
sys.argv = [file]

import numpy as np  # noqa: E402  # not from the folder of this file

with contextlib.suppress(ImportError):  # on Windows
    import resource

    with contextlib.suppress(OSError, ValueError):  # on systems without this limit
        resource.setrlimit(resource.RLIMIT_DATA, (int(memory), int(memory)))


def called(function: Any, rows: Any) -> Any:
    """What the function gives for some rows, as numbers."""
    outputs = np.asarray(function(rows.copy()), dtype=float)
    if outputs.shape != rows.shape:
        raise ValueError(f"{name} gives an array of the shape {outputs.shape} for one of the shape {rows.shape}")
    return outputs


if __name__ == "__main__":
    function = runpy.run_path(file, run_name="__main__")[name]
    inputs = np.load(Path(folder, "inputs.npz"))
    outputs: Any = {"single": np.concatenate([called(function, row[None]) for row in inputs["single"]])}
    start = time.perf_counter()
    outputs |= {each: called(function, inputs[each]) for each in inputs.files if each != "single"}
    np.savez(Path(folder, "outputs.npz"), seconds=time.perf_counter() - start, **outputs)
