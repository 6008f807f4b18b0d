"""Probability distributions of directions, and of noise in R^d.

A distribution knows what it guarantees as a mechanism: ``metric``, ``metric_level()``, ``pure_level()`` and
``privacy_loss(distance)``. :class:`Distribution` and :class:`SymmetricDistribution` say what a distribution of your own
needs.

A distribution has a concentration ``kappa``: 0, which is the uniform distribution of directions or rotations, or from
1e-300 to 1e150. A distribution of directions also has the length ``dim`` of its vectors: 2 for the circle, 3 for the
sphere. The mode is given with each call, or once by ``frozen``. The page "From SciPy" (docs/from_scipy.md) says what
takes the place of SciPy's names.

>>> import numpy as np
>>> from scipy.stats import vonmises_fisher
>>> from dirpriv.distributions import VonMisesFisher
>>> mu = np.array([0.0, 0.6, 0.8])
>>> theirs, ours = vonmises_fisher(mu, 10.0), VonMisesFisher(dim=3, kappa=10.0).frozen(mu)
>>> x = ours.rvs(5, rng=1)
>>> bool(np.allclose(ours.pdf(x), theirs.pdf(x))), bool(np.isclose(ours.entropy(), theirs.entropy()))
(True, True)
"""

from dirpriv._lib.lazy import face

__getattr__, __dir__, __all__ = face(__name__)
