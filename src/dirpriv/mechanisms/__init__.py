"""Mechanisms: a distribution, a calibration, a guarantee.

A mechanism replaces a direction by a draw from a distribution around it. Three ways to say how private it must be:

>>> import numpy as np
>>> from dirpriv.mechanisms import VonMisesFisherMechanism
>>> per_radian = VonMisesFisherMechanism(epsilon=1.0, dim=2)
>>> nearby = VonMisesFisherMechanism.within(level=1.0, radius=np.pi / 4, dim=2)
>>> anyone = VonMisesFisherMechanism.pure(epsilon=1.0, dim=2, calibration="tight")
>>> round(anyone.noise.kappa, 3), anyone.guarantee.pure_level
(0.5, 1.0)

Two calibrations: ``"published"`` is the paper's, κ = ε/Δ with Δ the sensitivity (Weggenmann and Kerschbaum
2021, Section 3.5); ``"tight"`` is the largest concentration that still keeps the promise. Where they differ,
the published calibration gives more privacy than it states, and less accuracy; the guarantee shows how much.
"""

from dirpriv._lib.lazy import face

__getattr__, __dir__, __all__ = face(__name__)
