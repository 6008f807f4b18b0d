"""The study on other processors: the same verdicts, and numbers that differ in their last digits at most.

Which kernels of BLAS and of NumPy compute them is chosen by the processor, and here by the environment.
"""

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sweeps import swept

SCRIPT = Path(__file__).with_name("cells_of_kernels.py")
KERNELS = {"Haswell": ["Haswell"], "SkylakeX": ["SkylakeX"], "Prescott": ["Katmai", "Prescott"]}
"""Kernels of OpenBLAS, from three generations of processors, with the names that it says they have."""
OF_CHOICE = ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "NPY_ENABLE_CPU_FEATURES")


@functools.cache
def cells(**chosen):
    """What the script prints with these variables in its environment."""
    kept = {name: value for name, value in os.environ.items() if name not in OF_CHOICE}
    done = subprocess.run(
        [sys.executable, SCRIPT], env=kept | {"OMP_NUM_THREADS": "1"} | chosen, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def of_kernel(name):
    found = cells(OPENBLAS_CORETYPE=name)
    if not set(found["blas"]) <= set(KERNELS[name]):
        pytest.skip(f"this processor, or its BLAS, lacks the kernel {name}: {found['blas']}")
    return found


def without_features():
    features = of_kernel("Prescott")["features"]
    if not features:
        pytest.skip("NumPy uses no features of this processor that could be off")
    found = cells(OPENBLAS_CORETYPE="Prescott", NPY_DISABLE_CPU_FEATURES=" ".join(features))
    assert found["features"] == []
    return found


def farthest(found, expected):
    """The largest difference of numbers that are not differences themselves, as a share of them."""
    assert found["numbers"].keys() == expected["numbers"].keys() and len(expected["numbers"]) > 30
    pairs = [(np.array(found["numbers"][name]), np.array(x)) for name, x in expected["numbers"].items()]
    scales = [np.maximum(np.abs(x), 1e-3) for _, x in pairs]
    return max(float((np.abs(y - x) / scale).max()) for (y, x), scale in zip(pairs, scales, strict=True))


@pytest.mark.parametrize("name", ["Prescott", *swept(("SkylakeX",), ("NumPy without features",))])
def test_cells_differ_in_the_last_digits_and_verdicts_do_not(name):
    expected = of_kernel("Haswell")
    found = of_kernel(name) if name in KERNELS else without_features()
    assert farthest(found, expected) <= 1e-12
    assert found["verdicts"] == expected["verdicts"] and len(found["verdicts"]) == 11
    changed = found | {"numbers": {key: [x * (1.0 + 3e-12) for x in v] for key, v in found["numbers"].items()}}
    assert farthest(changed, expected) > 1e-12


@pytest.mark.parametrize("name", ["Prescott", *swept(("SkylakeX",))])
def test_sums_of_quadrature_keep_their_order(name):
    """Of the means in the central model, and of the distributions' own: those of all kernels to the last bit."""
    expected, found = (of_kernel(kernel)["numbers"] for kernel in ("Haswell", name))
    for column in ("rotation_errors/rotation_errors.csv: expected", "theorem_24/limits.csv: distance"):
        assert found[column] == expected[column], column
    column = "circular_mean/circular_mean.csv: value"
    assert found[column][::4] == expected[column][::4]
