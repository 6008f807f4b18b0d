"""Spaces: directions and times of day, places on the globe, rotations.

:mod:`dirpriv.geometry.earth` has places on the globe, :mod:`dirpriv.geometry.rotation_distances` the metrics of
rotations, :mod:`dirpriv.geometry.spaces` the spaces of distributions. Here are unit vectors, angles and times of day.
"""

from dirpriv._lib.lazy import face

__getattr__, __dir__, __all__ = face(__name__)
