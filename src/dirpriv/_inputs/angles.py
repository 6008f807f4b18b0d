"""Angles in radians."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dirpriv._inputs import rows
from dirpriv._inputs.errors import InvalidArgument

_TURN = 2.0 * np.pi


def checked_angles(angles: Any) -> NDArray[np.float64]:
    """Radians from -2π to 4π, or an error with the row and the rule."""
    values = rows.array("angles", angles)
    if values.dtype.kind in "mMUT":
        raise InvalidArgument("angles", "holds times or texts", remedy="randomise_times takes times of day")
    values = rows.numbers("angles", values, "times of day go into randomise_times")
    off = ~((values >= -_TURN) & (values <= 2.0 * _TURN))
    rows.refuse("angles", np.isnan(values), "is nan", "leave the row out")
    rule = "is not in radians from -2π to 4π"
    rows.refuse("angles", off, rule, "degrees go through numpy.deg2rad, hours into randomise_times")
    return values
