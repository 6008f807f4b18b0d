"""Probability laws of directions, and of noise in R^d.

A law knows what it guarantees as a mechanism: ``metric``, ``metric_level()``, ``pure_level()`` and
``privacy_loss(distance)``. :class:`Law` and :class:`SymmetricLaw` say what a law of your own needs.

**From SciPy to dirpriv.** A law here has a concentration; the mode is given with each call, or once by
``frozen``. It is 0, or from 1e-300 to 1e150. Here ``law`` is ``VonMisesFisher(dim=3, kappa=10.0)``, ``mu``
a unit vector and ``around`` is ``law.frozen(mu)``.

==============================================  ======================================================
SciPy                                           dirpriv
==============================================  ======================================================
``vonmises_fisher(mu, 10.0)``                   ``VonMisesFisher(dim=3, kappa=10.0).frozen(mu)``
``vonmises_fisher.rvs(mu, 10.0, size=5)``       ``law.rvs(mu, 5)``, or ``around.rvs(5)``
``vonmises_fisher.pdf(x, mu, 10.0)``            ``law.pdf(x, mu)``, or ``around.pdf(x)``
``vonmises_fisher.logpdf(x, mu, 10.0)``         ``law.logpdf(x, mu)``, or ``around.logpdf(x)``
``vonmises_fisher.entropy(mu, 10.0)``           ``law.entropy()``
``mu, kappa = vonmises_fisher.fit(x)``          ``mu, law = VonMisesFisher.fit(x)``; ``law.kappa``
``vonmises(kappa=2.0, loc=1.0).rvs(5)``         ``VonMisesFisher(2, 2.0).rvs(angles_to_vectors(1.0), 5)``
``vonmises.cdf(t, 2.0)``, of a signed angle     ``law.angle_cdf(t)``, of the angle from the mode in [0, π]
``vonmises.sf``, ``.ppf``, ``.isf``             ``law.angle_sf``, ``law.angle_ppf``, ``law.angle_isf``
``uniform_direction(3).rvs(5)``                 ``Uniform(dim=3).rvs(mu, 5)``, with any ``mu``
``random_state=1``                              ``rng=1``
``directional_stats(x).mean_direction``         :func:`dirpriv.estimators.mean_direction`
``scipy.stats.circmean(t)``                     :func:`dirpriv.estimators.circular_mean`
==============================================  ======================================================

>>> import numpy as np
>>> from scipy.stats import vonmises_fisher
>>> from dirpriv.laws import VonMisesFisher
>>> mu = np.array([0.0, 0.6, 0.8])
>>> theirs, ours = vonmises_fisher(mu, 10.0), VonMisesFisher(dim=3, kappa=10.0).frozen(mu)
>>> x = ours.rvs(5, rng=1)
>>> bool(np.allclose(ours.pdf(x), theirs.pdf(x))), bool(np.isclose(ours.entropy(), theirs.entropy()))
(True, True)
"""

from dirpriv._lib.faces import face

__getattr__, __dir__, __all__ = face(__name__)
