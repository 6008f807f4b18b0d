"""Mechanisms: a law, a calibration, a guarantee.

A mechanism replaces a direction by a draw from a law around it. Three ways to say how private it must be:

>>> import numpy as np
>>> from dirpriv.mechanisms import VonMisesFisherMechanism
>>> per_radian = VonMisesFisherMechanism(dim=2, epsilon=1.0)
>>> nearby = VonMisesFisherMechanism.within(level=1.0, radius=np.pi / 4, dim=2)
>>> anyone = VonMisesFisherMechanism.pure(epsilon=1.0, dim=2, calibration="tight")
>>> round(anyone.law.kappa, 3), anyone.guarantee.pure_level
(0.5, 1.0)

Two calibrations: ``"published"`` is the paper's, κ = ε/Δ with Δ the sensitivity (Weggenmann and Kerschbaum
2021, Section 3.5); ``"tight"`` is the largest concentration that still keeps the promise. Where they differ
the published one gives more privacy than it says, and costs accuracy: the guarantee shows how much.
"""

import numpy as np

from dirpriv import _validate, guarantees
from dirpriv.laws.clipped_laplace import ClippedLaplace
from dirpriv.laws.purkayastha import Purkayastha
from dirpriv.laws.von_mises_fisher import VonMisesFisher
from dirpriv.laws.wrapped_laplace import WrappedLaplace

CALIBRATIONS = ("published", "tight")


class Mechanism:
    """Base of the mechanisms; see the module's text for the three ways to make one.

    Parameters
    ----------
    dim : int
        Length of the vectors: 2 for the circle, 3 for the sphere.
    epsilon : float
        Level per radian, ε of ε·d∡-privacy.
    calibration : {"tight", "published"}
        How the concentration follows from the level.

    Attributes
    ----------
    law : object
        The law of :mod:`dirpriv.laws` that is drawn from.
    guarantee : dirpriv.guarantees.Guarantee
        What is guaranteed, computed from the law and not from what was asked for.

    Raises
    ------
    ValueError
        If a level or radius is not positive and finite, the calibration unknown, or ``dim`` not one for
        which the mechanism is defined.
    """

    def __init__(self, dim=2, epsilon=None, calibration="tight"):
        epsilon = _validate.positive("epsilon", epsilon)
        self._set_law(dim, self._metric_concentration(epsilon, _known(calibration)))

    @classmethod
    def within(cls, level, radius, dim=2, calibration="tight"):
        """Mechanism of this level between any two inputs at most ``radius`` radians apart.

        Parameters
        ----------
        level : float
            The level ℓ of indistinguishability.
        radius : float
            The protection radius r in radians: π/4 is 3 hours of a day.
        dim, calibration
            As for the class.
        """
        level, radius = _validate.positive("level", level), _validate.positive("radius", radius)
        return cls(dim=dim, epsilon=level / radius, calibration=calibration)

    @classmethod
    def pure(cls, epsilon, dim=2, calibration="tight"):
        """Mechanism of pure ε-differential privacy: no two inputs differ by more than ``epsilon``.

        Parameters
        ----------
        epsilon : float
            ε.
        dim, calibration
            As for the class. ``"published"`` is κ = ε/π, π being the largest angle.
        """
        mechanism = cls.__new__(cls)
        epsilon = _validate.positive("epsilon", epsilon)
        if _known(calibration) == "published":
            kappa = epsilon / np.pi
        else:
            kappa = cls._pure_concentration(epsilon)
        mechanism._set_law(dim, kappa)
        return mechanism

    def _set_law(self, dim, kappa):
        self.law = self._make_law(dim, kappa)
        self.guarantee = guarantees.of(self.law)

    @staticmethod
    def _metric_concentration(epsilon, calibration):
        return epsilon

    def __repr__(self):
        return f"{type(self).__name__}(law={self.law!r}, guarantee={self.guarantee!r})"

    def randomise(self, x, *, rng=None):
        """Randomise each of the directions ``x`` on its own.

        Parameters
        ----------
        x : array_like, shape (dim,) or (N, dim)
            Unit vectors: the true values.
        rng : None, int or numpy.random.Generator, keyword-only
            For a study. A release of real data leaves it at ``None``: the entropy of the operating
            system, which nobody can replay.

        Returns
        -------
        ndarray
            Of the shape of ``x``.

        Raises
        ------
        ValueError
            If a vector is not of unit norm or not of the mechanism's dimension.

        Examples
        --------
        >>> from dirpriv.mechanisms import PurkayasthaMechanism
        >>> PurkayasthaMechanism(dim=2, epsilon=1.0).randomise([[1.0, 0.0], [0.0, 1.0]]).shape
        (2, 2)
        """
        return self.law.rvs(x, rng=rng)


class PurkayasthaMechanism(Mechanism):
    __doc__ = (
        "Purkayastha mechanism: ε·d∡-private with κ = ε (Theorem 19), the best there is.\n"
        + (Mechanism.__doc__.split("\n", 1)[1])
    )

    @staticmethod
    def _make_law(dim, kappa):
        return Purkayastha(dim, kappa)

    @staticmethod
    def _pure_concentration(epsilon):
        return epsilon / np.pi


class VonMisesFisherMechanism(Mechanism):
    __doc__ = (
        "Von Mises-Fisher mechanism: ε·d∡-private with κ = ε (Corollary 16), pure 2κ.\n"
        + (Mechanism.__doc__.split("\n", 1)[1])
    )

    @staticmethod
    def _make_law(dim, kappa):
        return VonMisesFisher(dim, kappa)

    @staticmethod
    def _pure_concentration(epsilon):
        return epsilon / 2.0  # max - min of κ cos θ is 2κ, not κπ


class WrappedLaplaceMechanism(Mechanism):
    __doc__ = (
        "Wrapped Laplace mechanism, on the circle: the best adapted baseline (Section 3.6.2).\n"
        + (Mechanism.__doc__.split("\n", 1)[1])
    )

    @staticmethod
    def _make_law(dim, kappa):
        _only_circle("the wrapped Laplace mechanism", dim)
        return WrappedLaplace(kappa)

    @staticmethod
    def _metric_concentration(epsilon, calibration):
        if calibration == "published":
            return epsilon
        kappa = epsilon + 1.0 / np.pi  # from the right, Newton falls monotonically onto κ tanh κπ = ε
        for _ in range(60):
            tanh = np.tanh(kappa * np.pi)
            slope = tanh + kappa * np.pi * (1.0 - tanh) * (1.0 + tanh)
            step = (kappa * tanh - epsilon) / slope
            kappa -= step
            if abs(step) <= 2e-16 * kappa:
                break
        return kappa

    @staticmethod
    def _pure_concentration(epsilon):
        # log cosh κπ = ε; acosh(e^ε) = ε + log(1 + √(1 - e^(-2ε)))
        return (epsilon + np.log1p(np.sqrt(-np.expm1(-2.0 * epsilon)))) / np.pi


class ClippedLaplaceMechanism(Mechanism):
    __doc__ = (
        "Clipped Laplace mechanism, on the circle: no metric guarantee across its seam (Section 3.6.1).\n"
        + (Mechanism.__doc__.split("\n", 1)[1])
    )

    @staticmethod
    def _make_law(dim, kappa):
        _only_circle("the clipped Laplace mechanism", dim)
        return ClippedLaplace(kappa)

    @staticmethod
    def _metric_concentration(epsilon, calibration):
        if calibration == "tight":
            raise ValueError(
                "the clipped Laplace mechanism has no metric guarantee at any concentration: angles just "
                "above 0 and just below 2π are neighbours and lose 2πκ. Use .pure(...), or "
                "calibration='published' to reproduce the paper"
            )
        return epsilon

    @staticmethod
    def _pure_concentration(epsilon):
        return epsilon / (2.0 * np.pi)


def _known(calibration):
    if calibration not in CALIBRATIONS:
        raise ValueError(f"'calibration' must be one of {', '.join(CALIBRATIONS)}; got {calibration!r}")
    return calibration


def _only_circle(who, dim):
    if _validate.dimension(dim) != 2:
        raise ValueError(f"{who} is defined on the circle: 'dim' must be 2; got {dim!r}")
