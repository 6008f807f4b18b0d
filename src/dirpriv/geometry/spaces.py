"""Spaces of inputs and outputs, each with its distance: what a distribution says of itself by ``distribution.space``.

Two spaces are equal where their distances are: ``distribution.space == CIRCLE``. The kind is the class.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array

Combine = Literal["sum", "max"]


class Space:
    """Base of the spaces.

    Attributes
    ----------
    metric : str
        Name of the distance: ``"angle"``, ``"rotation angle"`` or ``"euclidean"``.
    diameter : float
        Largest distance of two points: π where it is an angle, inf where there is none.
    dimension : int
        Length of the vectors; of rotations 4, that of their quaternions.
    """

    metric: str
    diameter: float
    dimension: int

    def distances(self, name: str, values: Any) -> Array:
        """Distances of this space, checked, as float64; one above the diameter by rounding is the diameter.

        Parameters
        ----------
        name, values : str and array_like
            The name of the argument, for the error; radians or lengths.
        """
        array = validate.reals(name, values)
        bad = ~((array >= 0.0) & (array <= self.diameter * (1.0 + 1e-15)))
        if bad.any():
            limits = "at least 0"
            if self.diameter < np.inf:
                turns = self.diameter / np.pi
                limits = f"from 0 to {'' if turns == 1.0 else f'{turns:g}'}π: no two inputs are further apart"
            raise InvalidArgument(name, f"must be {limits}", got=float(array[bad][0]))
        return np.minimum(array, self.diameter)


@dataclass(frozen=True)
class Sphere(Space):
    """Unit vectors of a length, with the angle between them: 2 is the circle.

    Parameters
    ----------
    dimension : int
        Length of the vectors, at least 2.

    Examples
    --------
    >>> from dirpriv.geometry.spaces import CIRCLE, Sphere
    >>> Sphere(3).metric, Sphere(2) == CIRCLE
    ('angle', True)
    """

    dimension: int
    metric = "angle"
    diameter = np.pi

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimension", validate.integer("dimension", self.dimension, 2))


@dataclass(frozen=True)
class Euclidean(Space):
    """Points of R^d, with the straight-line distance.

    Parameters
    ----------
    dimension : int
        Length d of the vectors, at least 1.

    Examples
    --------
    >>> from dirpriv.geometry.spaces import PLANE
    >>> PLANE, PLANE.diameter
    (Euclidean(dimension=2), inf)
    """

    dimension: int
    metric = "euclidean"
    diameter = np.inf

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimension", validate.integer("dimension", self.dimension, 1))


@dataclass(frozen=True)
class Rotations(Space):
    """Rotations of space, with the angle φ₆ of the rotation that turns one into the other.

    Examples
    --------
    >>> from dirpriv.geometry.spaces import ROTATIONS
    >>> ROTATIONS.metric
    'rotation angle'
    """

    dimension = 4
    metric = "rotation angle"
    diameter = np.pi


@dataclass(frozen=True)
class FiniteSet(Space):
    """Items of a list, with a distance of their own.

    Examples
    --------
    >>> from dirpriv.geometry.spaces import FiniteSet
    >>> FiniteSet().metric
    'of a list'
    """

    dimension = 1
    metric = "of a list"
    diameter = np.inf


@dataclass(frozen=True, init=False)
class Product(Space):
    """Tuples of points, one of each space, with the sum or the largest of their distances in the units ``scales``.

    Parameters
    ----------
    *factors : Space
        The spaces.
    scales : sequence of float, optional, keyword-only
        The length of each space that counts as 1: radii of one promise for all. By default 1 each.
    combine : {"sum", "max"}, keyword-only
        How the distances make one.

    Examples
    --------
    >>> from dirpriv.geometry.spaces import CIRCLE, PLANE, Product
    >>> torus = Product(CIRCLE, CIRCLE)
    >>> torus.metric, torus.dimension
    ('angle + angle', 4)
    >>> Product(CIRCLE, PLANE, scales=(0.5, 200.0), combine="max").metric
    'max(angle/0.5, euclidean/200)'
    """

    factors: tuple[Space, ...]
    scales: tuple[float, ...]
    combine: Combine

    def __init__(self, *factors: Space, scales: Sequence[float] | None = None, combine: Combine = "sum") -> None:
        if not factors or not all(isinstance(factor, Space) for factor in factors):
            raise InvalidArgument("factors", "must be spaces, as Sphere(2)", got=factors)
        validate.check_word("combine", combine, "sum", "max")
        scales = [1.0] * len(factors) if scales is None else scales
        units = tuple(validate.positive("scales", scale) for scale in scales)
        if len(units) != len(factors):
            raise InvalidArgument("scales", f"must be {len(factors)} numbers, one for each space", got=scales)
        diameters = [factor.diameter / unit for factor, unit in zip(factors, units, strict=True)]
        names = [f"{each.metric}/{unit:g}".removesuffix("/1") for each, unit in zip(factors, units, strict=True)]
        sums = {"diameter": sum(diameters), "metric": " + ".join(names)}
        largest = {"diameter": max(diameters), "metric": f"max({', '.join(names)})"}
        vars(self).update(sums if combine == "sum" else largest, factors=factors, scales=units, combine=combine)
        vars(self).update(dimension=sum(factor.dimension for factor in factors))

    def __repr__(self) -> str:
        changed = f", scales={self.scales}" if set(self.scales) != {1.0} else ""
        changed += f", combine={self.combine!r}" if self.combine != "sum" else ""
        return f"Product({', '.join(map(repr, self.factors))}{changed})"


CIRCLE, PLANE, ROTATIONS = Sphere(2), Euclidean(2), Rotations()
