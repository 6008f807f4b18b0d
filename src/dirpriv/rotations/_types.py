"""SciPy's rotations as a type: its name, as SciPy imports its submodules where they are first used."""

from typing import TypeAlias

import scipy

Rotations: TypeAlias = "scipy.spatial.transform.Rotation"
"""One rotation or a batch."""
