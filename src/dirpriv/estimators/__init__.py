"""Estimates from directions, private or not, and the errors to expect of them.

Those from private reports need nothing but the reports and the distribution of their noise: that of the mechanism
(``mechanism.noise``), or of the table of a release (``release.noise``). They are post-processing, so they do not
weaken the guarantee, and deterministic.
"""

from dirpriv._lib.lazy import face

__getattr__, __dir__, __all__ = face(__name__)
