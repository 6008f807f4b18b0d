"""Types that the signatures of the package share.

``FloatOrArray`` is ``Any`` to a type checker, as NumPy's own functions of a number or an array are: a union would have
to be taken apart at each use. For the same reason ``ArrayLike`` stands for columns of pandas and Polars too.
"""

import datetime
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy

Array: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.intp]
Mask: TypeAlias = npt.NDArray[np.bool_]
Codes: TypeAlias = npt.NDArray[np.int32]

FloatOrArray: TypeAlias = Any
"""A float where one number was given, an array of float64 where more were given."""

WithUnit: TypeAlias = float | str | datetime.timedelta | np.timedelta64
"""A number in the unit that is described, or what has its unit: ``"3h"``, ``"45deg"``, a timedelta."""

Metres: TypeAlias = float | str
"""A number of metres, or a text with its unit: ``"200m"``, ``"1.5km"``."""

LatLon: TypeAlias = tuple[float, float]
"""Latitude and longitude in degrees."""

Size: TypeAlias = int | tuple[int, ...]
"""Shape of the draws."""

RNG: TypeAlias = int | Sequence[int] | np.random.SeedSequence | np.random.BitGenerator | np.random.Generator | None
"""What ``numpy.random.default_rng`` takes, except a legacy RandomState."""

ReleaseRNG: TypeAlias = np.random.BitGenerator | np.random.Generator | None
"""What a release takes: no seed, as a release must not be made twice with the same noise."""

Kernel: TypeAlias = Callable[[Any], Any]
"""A log kernel: takes an angle or an array of angles, gives numbers."""

Score: TypeAlias = Callable[[Any], npt.ArrayLike]
"""Takes the outputs of a mechanism, gives a number or a row of numbers for each."""

DrawAngles: TypeAlias = Callable[[Any, Any, np.random.Generator], Array]
"""``draw(size, kappa, rng)``."""

Propose: TypeAlias = Callable[[int, Any], tuple[Array, Mask]]
"""``propose(count, rows)``: proposals, and whether each is accepted."""

Purpose: TypeAlias = Literal["mean", "one direction", "angle", "histogram"]
"""What a pure mechanism is best for; see ``mechanisms.CapMechanism.pure``."""

RotationOrBatch: TypeAlias = "scipy.spatial.transform.Rotation"
"""One rotation or a batch."""

Missing: TypeAlias = Literal["stop", "keep"]
"""Whether a missing value is an error, or stays missing."""

Outside: TypeAlias = Literal["clamp", "stop", "keep"]
"""Whether a place beyond the reach of a region is moved to its border, is an error, or becomes missing."""

OutsideOfFile: TypeAlias = Literal["ask", "clamp", "stop", "keep"]
"""The same of a file, where ``"ask"`` is ``"clamp"`` after a check that not all places are beyond the reach."""

Together: TypeAlias = Literal["sum", "either"]
"""How one promise for a time and a place is kept: by two noises whose levels add up, or by one noise."""
