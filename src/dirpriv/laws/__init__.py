"""Probability laws of directions, and of noise in R^d; :mod:`.published` holds the papers' own forms."""

from dirpriv.laws.clipped_laplace import ClippedLaplace
from dirpriv.laws.planar_laplace import PlanarLaplace
from dirpriv.laws.polar_laplace import PolarLaplace
from dirpriv.laws.purkayastha import Purkayastha
from dirpriv.laws.uniform import Uniform
from dirpriv.laws.vector_laplace import VectorLaplace
from dirpriv.laws.von_mises_fisher import VonMisesFisher
from dirpriv.laws.wrapped_laplace import WrappedLaplace

__all__ = [
    "ClippedLaplace",
    "PlanarLaplace",
    "PolarLaplace",
    "Purkayastha",
    "Uniform",
    "VectorLaplace",
    "VonMisesFisher",
    "WrappedLaplace",
]
