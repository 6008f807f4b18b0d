"""Mechanisms on rotations: a distribution, a calibration, and what it guarantees in φ₆.

>>> import numpy as np
>>> from scipy.spatial.transform import Rotation
>>> from dirpriv.mechanisms import RotationLaplaceMechanism
>>> mechanism = RotationLaplaceMechanism.within(level=1.0, radius=np.pi / 8)
>>> len(mechanism.randomise(Rotation.random(10, rng=1)))
10
>>> round(mechanism.guarantee.metric_level, 3)
2.546

The ``"published"`` calibrations are those of Hildebrandt, Schömer and Hildebrandt (2025).
"""

import numpy as np

from dirpriv._lib.types import ReleaseRNG, RotationOrBatch
from dirpriv.distributions.rotations.cap_and_staircase import RotationCap, RotationStaircase
from dirpriv.distributions.rotations.chordal import ChordalLaplace, RotationBingham
from dirpriv.distributions.rotations.folded import (
    FoldedPurkayastha,
    FoldedVonMisesFisher,
    concentration_at_steepest_fold,
)
from dirpriv.distributions.rotations.laplace import RotationLaplace
from dirpriv.distributions.wrapped_laplace import concentration_at_fall, concentration_at_slope
from dirpriv.mechanisms.base import PUBLISHED, CalibrationRule, Mechanism, same
from dirpriv.mechanisms.optimal import BestCapMechanism, BestStaircaseMechanism


class RotationMechanism(Mechanism):
    """Base of the mechanisms on rotations, without ``dim``; the guarantee is in φ₆, the "rotation angle"."""

    default_dim = None

    def randomise(self, rotations: RotationOrBatch, *, rng: ReleaseRNG = None) -> RotationOrBatch:
        """Randomise each of the rotations on its own, in their shape and order.

        Parameters
        ----------
        rotations : scipy.spatial.transform.Rotation
            The true values, one or a batch of any shape.
        rng : keyword-only
            As for :meth:`dirpriv.mechanisms.Mechanism.randomise`: no seed.
        """
        return self._randomised("rotations", rotations, rng)


class RotationLaplaceMechanism(RotationMechanism):
    """Laplace mechanism on rotations: ε·φ₆-private with κ = ε (Section 3.3); none has smaller angles.

    Examples
    --------
    >>> from dirpriv.mechanisms import RotationLaplaceMechanism
    >>> RotationLaplaceMechanism(1.5).noise
    RotationLaplace(kappa=1.5)
    """

    noise_type = RotationLaplace
    tight = PUBLISHED
    published = PUBLISHED


class RotationBinghamMechanism(RotationMechanism):
    """Bingham mechanism on rotations: ε·φ₆-private with κ = 2ε; as published, κ = (π/4) ε.

    Hildebrandt, Schömer and Hildebrandt (2025), Theorem 1 and Appendix F. The published calibration gives
    more privacy than it states, (π/8) ε per radian, for three reasons: Theorem 1 is loose by a factor 2, its
    Φ is not that of Appendix F (:mod:`dirpriv.geometry.rotation_distances`), and Appendix F takes the supremum of
    φ₆/Φ, where the largest κ that keeps the promise follows from the infimum.

    Examples
    --------
    >>> from dirpriv.mechanisms import RotationBinghamMechanism
    >>> RotationBinghamMechanism(1.0).noise.kappa
    2.0
    >>> round(RotationBinghamMechanism(1.0, calibration="published").guarantee.metric_level, 4)  # π/8
    0.3927
    """

    noise_type = RotationBingham
    tight = CalibrationRule(metric=lambda epsilon: 2.0 * epsilon, pure=same)
    published = CalibrationRule(
        metric=lambda epsilon: 0.25 * np.pi * epsilon, pure=lambda epsilon: 0.25 * np.pi * (epsilon / np.pi)
    )


class FoldedVonMisesFisherMechanism(RotationMechanism):
    """Folded von Mises-Fisher mechanism on rotations: a little above κ = 2ε.

    Examples
    --------
    >>> from dirpriv.mechanisms import FoldedVonMisesFisherMechanism
    >>> FoldedVonMisesFisherMechanism.pure(1.0).guarantee.pure_level
    1.0
    """

    noise_type = FoldedVonMisesFisher
    tight = CalibrationRule(
        metric=concentration_at_steepest_fold,
        pure=lambda epsilon: np.pi * concentration_at_fall(epsilon),  # log cosh κ = ε
    )


class FoldedPurkayasthaMechanism(RotationMechanism):
    """Folded Purkayastha mechanism on rotations: a little above κ = 2ε.

    Examples
    --------
    >>> from dirpriv.mechanisms import FoldedPurkayasthaMechanism
    >>> round(FoldedPurkayasthaMechanism(1.0).noise.kappa, 4)
    2.0073
    """

    noise_type = FoldedPurkayastha
    tight = CalibrationRule(
        metric=lambda epsilon: 2.0 * concentration_at_slope(epsilon),  # the wrapped Laplace kernel with κ/2
        pure=lambda epsilon: 2.0 * concentration_at_fall(epsilon),
    )


class ChordalLaplaceMechanism(RotationMechanism):
    """Chordal Laplace mechanism on rotations: κ = ε, and ε/√2 per unit of φ₅.

    Examples
    --------
    >>> from dirpriv.mechanisms import ChordalLaplaceMechanism
    >>> ChordalLaplaceMechanism(2.0).noise
    ChordalLaplace(kappa=2.0)
    """

    noise_type = ChordalLaplace
    tight = CalibrationRule(metric=same, pure=lambda epsilon: 0.5 * epsilon)


class RotationCapMechanism(BestCapMechanism, RotationMechanism):
    """Cap mechanism on rotations: two levels, e^ε times as dense within the half angle as beyond; pure ε.

    It is the best for a loss, as :class:`CapMechanism` is. Per radian it promises nothing.

    Examples
    --------
    >>> from dirpriv.mechanisms import RotationCapMechanism
    >>> mechanism = RotationCapMechanism.pure(2.0, purpose="angle")
    >>> round(mechanism.noise.half_angle, 3), mechanism.guarantee.pure_level
    (1.643, 2.0)
    """

    noise_type = RotationCap


class RotationStaircaseMechanism(BestStaircaseMechanism, RotationMechanism):
    """Staircase mechanism on rotations: the whole level is allowed within a radius; see ``within``.

    Examples
    --------
    >>> from dirpriv.mechanisms import RotationStaircaseMechanism
    >>> mechanism = RotationStaircaseMechanism.within(level=1.0, radius=0.5)
    >>> [mechanism.guarantee.level_at(radius) for radius in (0.1, 0.5, 0.6)]
    [1.0, 1.0, 2.0]
    """

    noise_type = RotationStaircase
