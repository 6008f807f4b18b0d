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


def main(folder: str, file: str, name: str, memory: str) -> None:
    """Write the outputs of the inputs in the folder, and the seconds that they took."""
    sys.path[0], sys.argv = str(Path(file).resolve().parent), [file]
    with contextlib.suppress(ImportError, OSError, ValueError):  # on Windows, on systems without this limit
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (int(memory), int(memory)))
    import numpy as np  # not from the folder of this module

    function = runpy.run_path(file, run_name="__main__")[name]

    def called(rows: Any) -> Any:
        outputs = np.asarray(function(rows.copy()), dtype=float)
        if outputs.shape != rows.shape:
            raise ValueError(f"{name} gives an array of the shape {outputs.shape} for one of the shape {rows.shape}")
        return outputs

    inputs = np.load(Path(folder, "inputs.npz"))
    outputs: Any = {"single": np.concatenate([called(row[None]) for row in inputs["single"]])}
    start = time.perf_counter()
    outputs |= {each: called(inputs[each]) for each in inputs.files if each != "single"}
    np.savez(Path(folder, "outputs.npz"), seconds=time.perf_counter() - start, **outputs)


if __name__ == "__main__":
    main(*sys.argv[1:])
