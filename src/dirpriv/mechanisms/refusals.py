"""What mechanisms say of inputs that they refuse: the row, the rule and the method that fits the values.

They never show a value, which is personal data.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv.geometry.spaces import Euclidean, Sphere
from dirpriv.laws.planar_laplace import PlanarLaplace

_NEAR_UNIT = 1e-5  # of a squared norm: what dirpriv._inputs.validate.unit_vectors takes
_FEWEST_METRES = 10.0  # mean length of noise from which it is taken for metres


def refuse_vectors(mechanism: Any, x: Any) -> None:
    """Raise an error for inputs that are no unit vectors, or no points, with the method that takes them."""
    space = mechanism.law.space
    if not isinstance(space, Sphere | Euclidean):
        return
    remedy = "times of day go into randomise_times, angles into randomise_angles"
    of_times = "must hold vectors and holds times", "randomise_times takes them, on the circle (dim=2)"
    values = validate.real_rows("x", x, remedy, of_times=of_times)
    advice = _advice(space, values)
    if values.ndim == 0 or values.shape[-1] != space.dimension:
        what = f"{'unit vectors' if isinstance(space, Sphere) else 'points'} of length {space.dimension}"
        rule = f"must hold {what} along its last axis; got shape {values.shape}"
        raise InvalidArgument("x", rule, remedy=advice)
    if isinstance(space, Euclidean):
        finite = np.isfinite(values).all(axis=-1)
        validate.refuse(
            "x", ~finite, "must hold finite coordinates; one is nan or infinite", "leave the row out"
        )
        return
    squares = np.einsum("...i,...i->...", values, values)
    validate.refuse("x", np.isnan(squares), "has a coordinate that is nan", "leave the row out")
    off = ~(np.abs(squares - 1.0) <= _NEAR_UNIT)
    validate.refuse("x", off, "is no unit vector, its norm is not 1", advice)


def refuse_degrees(law: Any, points: Any) -> None:
    """Raise an error for points that look like degrees, where the noise looks like metres."""
    if not isinstance(law, PlanarLaplace) or law.mean_radius() < _FEWEST_METRES:
        return
    sizes = np.abs(np.asarray(points, dtype=float)).reshape(-1, 2).max(axis=0, initial=0.0)
    if sizes[0] <= 90.0 and sizes[1] <= 180.0 and sizes.max() > 1.0:
        remedy = "randomise_places takes them. For points of a plane so near to its origin, "
        remedy += "draw with mechanism.law.rvs(x), or move the origin"
        rule = "looks like latitude and longitude in degrees, all rows of it"
        raise InvalidArgument("x", rule, remedy=remedy)


def _advice(space: Sphere | Euclidean, values: NDArray[np.float64]) -> str:
    """Advice for values that are not vectors of this space, from their shape."""
    if isinstance(space, Euclidean):
        return "one point a row"
    dim = space.dimension
    of_two = values.ndim > 0 and values.shape[-1] == 2
    if dim == 3 and of_two:
        return "latitude and longitude in degrees go into randomise_places"
    if dim == 2 and of_two and values.ndim > 1:
        return (
            "divide vectors by their norm first; latitude and longitude go into randomise_places of a "
            "mechanism with dim=3, or of PlanarLaplaceMechanism"
        )
    if dim == 2:
        return "hours and times of day go into randomise_times, angles in radians into randomise_angles"
    if values.ndim < 2 and (not values.ndim or values.shape[-1] != dim):
        return "hours and angles go into randomise_times and randomise_angles of a mechanism with dim=2"
    return "divide vectors by their norm first"
