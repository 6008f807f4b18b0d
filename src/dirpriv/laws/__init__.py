"""Probability laws of directions, and of noise in R^d; :mod:`.published` holds the papers' own forms.

A law knows what it guarantees as a mechanism: ``metric``, ``metric_level()``, ``pure_level()`` and
``privacy_loss(distance)``. :class:`Law` and :class:`SymmetricLaw` say what a law of your own needs.
"""

from dirpriv._protocols import Law, SymmetricLaw
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
    "Law",
    "PlanarLaplace",
    "PolarLaplace",
    "Purkayastha",
    "SymmetricLaw",
    "Uniform",
    "VectorLaplace",
    "VonMisesFisher",
    "WrappedLaplace",
]
