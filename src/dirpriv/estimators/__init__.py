"""Estimates from directions, private or not, and the errors to expect of them.

Those from private reports need nothing but the reports and the law of their noise: that of the mechanism
(``mechanism.law``), or of the table of a release (``release.law``). They are post-processing, so they do not
weaken the guarantee, and deterministic.
"""

from dirpriv._lib.faces import face

__getattr__, __dir__, __all__ = face(__name__)
