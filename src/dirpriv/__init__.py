"""Directional differential privacy on circles, spheres and rotations: distributions, mechanisms, estimators.

``import dirpriv`` is quick: each of the modules below is imported when it is first used, as ``dirpriv.distributions``
or by ``from dirpriv import distributions`` (SPEC 1 of Scientific Python). An argument that is not as its docstring says
raises :class:`dirpriv.InvalidArgument`, a ``ValueError``, with its name and the rule.
"""

from dirpriv._lib.lazy import face
from dirpriv._lib.version import VERSION as __version__  # noqa: F401

__getattr__, __dir__, __all__ = face(__name__)
