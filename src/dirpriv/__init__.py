"""Directional differential privacy on circles, spheres and rotations: laws, mechanisms, estimators.

``import dirpriv`` is quick: each of the modules below is imported when it is first used, as ``dirpriv.laws``
or by ``from dirpriv import laws`` (SPEC 1 of Scientific Python).
"""

from dirpriv._lib.faces import face
from dirpriv._lib.version import VERSION as __version__  # noqa: F401

__getattr__, __dir__, __all__ = face(__name__)
