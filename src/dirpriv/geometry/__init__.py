"""Spaces: directions and times of day, places on the globe, rotations.

:mod:`dirpriv.geometry.earth` has places on the globe, :mod:`dirpriv.geometry.rotations` the metrics of
rotations. Here are unit vectors, angles and times of day.
"""

from dirpriv.geometry.directions import (
    TURN,
    angle_between,
    angles_to_hours,
    angles_to_vectors,
    angular_distance,
    hours_to_angles,
    vectors_to_angles,
)

__all__ = [
    "TURN",
    "angle_between",
    "angles_to_hours",
    "angles_to_vectors",
    "angular_distance",
    "hours_to_angles",
    "vectors_to_angles",
]
