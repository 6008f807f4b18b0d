"""Probability laws of directions, each symmetric about its mode but for the clipped Laplace law."""

from dirpriv.laws.clipped_laplace import ClippedLaplace
from dirpriv.laws.purkayastha import Purkayastha
from dirpriv.laws.uniform import Uniform
from dirpriv.laws.von_mises_fisher import VonMisesFisher
from dirpriv.laws.wrapped_laplace import WrappedLaplace

__all__ = ["ClippedLaplace", "Purkayastha", "Uniform", "VonMisesFisher", "WrappedLaplace"]
