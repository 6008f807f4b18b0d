"""Estimates from directions, private or not, and the errors to expect of them."""

from dirpriv._lib.faces import face

__getattr__, __dir__, __all__ = face(__name__)
