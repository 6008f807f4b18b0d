"""Mechanisms on rotations: a law, a calibration, and what it guarantees in φ₆ and in the chordal metric.

>>> import numpy as np
>>> from scipy.spatial.transform import Rotation
>>> from dirpriv.rotations import RotationLaplaceMechanism
>>> mechanism = RotationLaplaceMechanism.within(level=1.0, radius=np.pi / 8)
>>> mechanism.randomise(Rotation.random(10, rng=1), rng=2).shape
(10,)

Two calibrations, as in :mod:`dirpriv.mechanisms`: ``"published"`` is that of Hildebrandt, Schömer and
Hildebrandt (2025), ``"tight"`` the largest concentration that keeps the promise.
"""

from dataclasses import replace

import numpy as np

from dirpriv import _validate, guarantees
from dirpriv._mechanism import Mechanism, known
from dirpriv.laws.wrapped_laplace import concentration_at_fall, concentration_at_slope
from dirpriv.rotations.bingham import RotationBingham
from dirpriv.rotations.chordal import ChordalLaplace
from dirpriv.rotations.folded import FoldedPurkayastha, FoldedVonMisesFisher, concentration_at_steepest_fold
from dirpriv.rotations.laplace import RotationLaplace


class RotationMechanism(Mechanism):
    """Base of the mechanisms on rotations.

    Parameters
    ----------
    epsilon : float
        Level per radian of the rotation angle, ε of ε·φ₆-privacy.
    calibration : {"tight", "published"}
        How the concentration follows from the level.

    Attributes
    ----------
    law : object
        The law of :mod:`dirpriv.rotations` that is drawn from.
    guarantee : dirpriv.guarantees.Guarantee
        What is guaranteed in φ₆, computed from the law: its metric is the ``"rotation angle"``.
    chordal_guarantee : dirpriv.guarantees.Guarantee
        The same in φ₅ = 2√2 sin(φ₆/2): its metric is the ``"rotation chord"``, and the metric level is per
        unit of φ₅.

    Raises
    ------
    ValueError
        If a level or radius is not positive and finite, or the calibration unknown, or not published.
    """

    def __init__(self, epsilon, calibration="tight"):
        epsilon = _validate.positive("epsilon", epsilon)
        self._set_law(self._metric_concentration(epsilon, self._checked(calibration)))

    @classmethod
    def within(cls, level, radius, calibration="tight"):
        """Mechanism of this level between any two rotations at most ``radius`` radians apart.

        Parameters
        ----------
        level : float
            The level ℓ of indistinguishability.
        radius : float
            The protection radius r, radians of φ₆.
        calibration
            As for the class.
        """
        level, radius = _validate.positive("level", level), _validate.positive("radius", radius)
        return cls(level / radius, calibration)

    @classmethod
    def pure(cls, epsilon, calibration="tight"):
        """Mechanism of pure ε-differential privacy: no two rotations differ by more than ``epsilon``.

        Parameters
        ----------
        epsilon : float
            ε.
        calibration
            As for the class. ``"published"`` is the metric calibration at ε/π, π being the largest angle.
        """
        mechanism = cls.__new__(cls)
        epsilon = _validate.positive("epsilon", epsilon)
        if cls._checked(calibration) == "published":
            kappa = cls._metric_concentration(epsilon / np.pi, calibration)
        else:
            kappa = cls._pure_concentration(epsilon)
        mechanism._set_law(kappa)
        return mechanism

    def _set_law(self, kappa):
        self.law = self._make_law(kappa)
        self.guarantee = replace(guarantees.of(self.law), metric="rotation angle")
        self.chordal_guarantee = replace(
            self.guarantee, metric_level=self.law._chordal_level(), metric="rotation chord"
        )

    @classmethod
    def _checked(cls, calibration):
        return known(calibration)

    def randomise(self, rotations, *, rng=None):
        """Randomise each of the rotations on its own.

        Parameters
        ----------
        rotations : scipy.spatial.transform.Rotation
            The true values, one or a batch of any shape.
        rng : None, int or numpy.random.Generator, keyword-only
            For a study. A release of real data leaves it at ``None``: the entropy of the operating
            system, which nobody can replay.

        Returns
        -------
        scipy.spatial.transform.Rotation
            In the shape and order of ``rotations``.

        Raises
        ------
        ValueError
            If ``rotations`` is no Rotation.
        """
        return self.law.rvs(rotations, rng=rng)


class _Unpublished(RotationMechanism):
    """Of the papers' future work: there is a tight calibration only."""

    @classmethod
    def _checked(cls, calibration):
        if known(calibration) == "published":
            raise ValueError(
                f"no paper calibrates the {cls.__name__}: 'calibration' must be 'tight'; got 'published'"
            )
        return calibration


def _described(text):
    return text + "\n" + RotationMechanism.__doc__.split("\n", 1)[1]


class RotationLaplaceMechanism(RotationMechanism):
    __doc__ = _described(
        "Laplace mechanism on rotations: ε·φ₆-private with κ = ε, the best there is (Section 3.3)."
    )

    _make_law = RotationLaplace

    @staticmethod
    def _pure_concentration(epsilon):
        return epsilon / np.pi


class RotationBinghamMechanism(RotationMechanism):
    __doc__ = _described(
        """Bingham mechanism on rotations: ε·φ₆-private with κ = 2ε; as published, κ = (π/4) ε.

    Hildebrandt, Schömer and Hildebrandt (2025), Theorem 1 and Appendix F. The published calibration gives
    more privacy than it says, (π/8) ε per radian, for three reasons: Theorem 1 is loose by a factor 2, its Φ
    is not that of Appendix F (:mod:`dirpriv.rotations.metrics`), and Appendix F takes the supremum of φ₆/Φ,
    where the largest κ that keeps the promise follows from the infimum."""
    )

    _make_law = RotationBingham

    @staticmethod
    def _metric_concentration(epsilon, calibration):
        return 2.0 * epsilon if calibration == "tight" else 0.25 * np.pi * epsilon

    @staticmethod
    def _pure_concentration(epsilon):
        return epsilon


class FoldedVonMisesFisherMechanism(_Unpublished):
    __doc__ = _described("Folded von Mises-Fisher mechanism on rotations: a little above κ = 2ε.")

    _make_law = FoldedVonMisesFisher

    @staticmethod
    def _metric_concentration(epsilon, calibration):
        return concentration_at_steepest_fold(epsilon)

    @staticmethod
    def _pure_concentration(epsilon):
        return np.pi * concentration_at_fall(epsilon)  # log cosh κ = ε


class FoldedPurkayasthaMechanism(_Unpublished):
    __doc__ = _described("Folded Purkayastha mechanism on rotations: a little above κ = 2ε.")

    _make_law = FoldedPurkayastha

    @staticmethod
    def _metric_concentration(epsilon, calibration):
        return 2.0 * concentration_at_slope(epsilon)  # its kernel is the wrapped Laplace one with κ/2

    @staticmethod
    def _pure_concentration(epsilon):
        return 2.0 * concentration_at_fall(epsilon)


class ChordalLaplaceMechanism(_Unpublished):
    __doc__ = _described("Chordal Laplace mechanism on rotations: κ = ε, and ε/√2 per unit of φ₅.")

    _make_law = ChordalLaplace

    @staticmethod
    def _pure_concentration(epsilon):
        return 0.5 * epsilon
