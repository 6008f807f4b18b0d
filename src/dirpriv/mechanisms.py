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

from dataclasses import replace

import numpy as np

from dirpriv import _validate, guarantees
from dirpriv._mechanism import Mechanism
from dirpriv.laws.clipped_laplace import ClippedLaplace
from dirpriv.laws.planar_laplace import PlanarLaplace
from dirpriv.laws.polar_laplace import PolarLaplace
from dirpriv.laws.purkayastha import Purkayastha
from dirpriv.laws.vector_laplace import VectorLaplace
from dirpriv.laws.von_mises_fisher import VonMisesFisher
from dirpriv.laws.wrapped_laplace import WrappedLaplace, concentration_at_fall, concentration_at_slope
from dirpriv.rotations.mechanisms import (
    ChordalLaplaceMechanism,
    FoldedPurkayasthaMechanism,
    FoldedVonMisesFisherMechanism,
    RotationBinghamMechanism,
    RotationLaplaceMechanism,
)

__all__ = [
    "ChordalLaplaceMechanism",
    "ClippedLaplaceMechanism",
    "FoldedPurkayasthaMechanism",
    "FoldedVonMisesFisherMechanism",
    "Mechanism",
    "PlanarLaplaceMechanism",
    "PolarLaplaceMechanism",
    "PurkayasthaMechanism",
    "RotationBinghamMechanism",
    "RotationLaplaceMechanism",
    "VectorLaplaceMechanism",
    "VonMisesFisherMechanism",
    "WrappedLaplaceMechanism",
]


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
        return concentration_at_slope(epsilon)

    @staticmethod
    def _pure_concentration(epsilon):
        return concentration_at_fall(epsilon)


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


class PolarLaplaceMechanism(Mechanism):
    """Polar Laplace mechanism, on the sphere: no guarantee at any concentration (Section 3.6.3).

    Planar Laplace noise walked along great circles. The density is unbounded at the antipode and at the mode,
    so the level is infinite; only the ``"published"`` calibrations can be made, κ = ε and κ = ε/π, to
    reproduce the paper. The arguments are those of :class:`Mechanism`, with ``dim`` = 3.

    Examples
    --------
    >>> from dirpriv.mechanisms import PolarLaplaceMechanism
    >>> mechanism = PolarLaplaceMechanism(epsilon=2.0, calibration="published")
    >>> mechanism.law, mechanism.guarantee.metric_level
    (PolarLaplace(kappa=2.0), inf)
    """

    def __init__(self, dim=3, epsilon=None, calibration="tight"):
        super().__init__(dim, epsilon, calibration)

    @classmethod
    def within(cls, level, radius, dim=3, calibration="tight"):
        """As :meth:`Mechanism.within`; needs ``calibration="published"``."""
        return super().within(level, radius, dim, calibration)

    @classmethod
    def pure(cls, epsilon, dim=3, calibration="tight"):
        """As :meth:`Mechanism.pure`; needs ``calibration="published"``."""
        return super().pure(epsilon, dim, calibration)

    @staticmethod
    def _make_law(dim, kappa):
        if _validate.dimension(dim) != 3:
            raise ValueError(
                f"the polar Laplace mechanism is defined on the sphere: 'dim' must be 3; got {dim!r}"
            )
        return PolarLaplace(kappa)

    @staticmethod
    def _metric_concentration(epsilon, calibration):
        if calibration == "tight":
            raise ValueError(
                "the polar Laplace mechanism has no guarantee at any concentration, metric or pure: its "
                "density is unbounded at the antipode and at the mode. Use calibration='published' to "
                "reproduce the paper, or PurkayasthaMechanism, which keeps the promise"
            )
        return epsilon

    @staticmethod
    def _pure_concentration(epsilon):
        return PolarLaplaceMechanism._metric_concentration(epsilon, "tight")


class VectorLaplaceMechanism(Mechanism):
    """Vector-valued Laplace mechanism in R^d: ε·d-private for the Euclidean distance with κ = ε.

    Noise with the density exp(-κ ‖z‖) is added to points, which need not be unit vectors. Both calibrations
    are the same, as the slope of the log-density is κ everywhere. There is no pure level, as points can be
    any distance apart; where they are at most a diameter Δ apart (the mean of n vectors of [0, 1]^d changes
    by at most √d/n), ``within(level=ε, radius=Δ)`` is ε-differentially private.

    Parameters
    ----------
    dim : int
        Length d of the vectors.
    epsilon : float
        Level per unit of length.
    calibration : {"tight", "published"}

    Attributes
    ----------
    law : dirpriv.laws.VectorLaplace
    guarantee : dirpriv.guarantees.Guarantee
        With the metric ``"euclidean"``.

    Raises
    ------
    ValueError
        As :class:`Mechanism`.

    Examples
    --------
    >>> from dirpriv.mechanisms import VectorLaplaceMechanism
    >>> mechanism = VectorLaplaceMechanism.within(level=1.0, radius=0.5, dim=4)
    >>> mechanism.law, mechanism.guarantee.within(0.5)
    (VectorLaplace(dim=4, kappa=2.0), 1.0)
    """

    @classmethod
    def pure(cls, epsilon, dim=2, calibration="tight"):
        """Not defined in unbounded space: raises, and says what to use."""
        raise ValueError(
            "noise in R^d has no pure guarantee, as two points can be any distance apart; where they are at "
            "most Δ apart, use .within(level=epsilon, radius=Δ)"
        )

    def _set_law(self, dim, kappa):
        self.law = self._make_law(dim, kappa)
        self.guarantee = replace(guarantees.of(self.law), metric="euclidean")

    @staticmethod
    def _make_law(dim, kappa):
        return VectorLaplace(dim, kappa)

    def randomise(self, x, *, rng=None):
        """Randomise each of the points ``x`` on its own.

        Parameters
        ----------
        x : array_like, shape (dim,) or (N, dim)
            The true values, of any length.
        rng : None, int or numpy.random.Generator, keyword-only
            As for :meth:`Mechanism.randomise`.

        Returns
        -------
        ndarray
            Of the shape of ``x``.

        Raises
        ------
        ValueError
            If a point is not finite or not of the mechanism's dimension.
        """
        return self.law.rvs(x, rng=rng)


class PlanarLaplaceMechanism(VectorLaplaceMechanism):
    """Planar Laplace mechanism in R²: geo-indistinguishability, κ = ε per unit of length (Andrés et al.
    2013).

    The arguments are those of :class:`VectorLaplaceMechanism`, with ``dim`` = 2. :meth:`randomise` takes
    points of the plane; :meth:`randomise_places` takes latitude and longitude, with ε per metre.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.mechanisms import PlanarLaplaceMechanism
    >>> mechanism = PlanarLaplaceMechanism.within(level=np.log(4), radius=200.0)
    >>> round(mechanism.law.mean_radius())
    289
    >>> mechanism.randomise_places([[40.75, -73.98], [48.86, 2.35]], rng=1).shape
    (2, 2)
    """

    @staticmethod
    def _make_law(dim, kappa):
        if _validate.dimension(dim) != 2:
            raise ValueError(
                f"the planar Laplace mechanism is defined in the plane: 'dim' must be 2; got {dim!r}"
            )
        return PlanarLaplace(kappa)

    def randomise_places(self, places, *, rng=None):
        """Randomise each of the places on its own; ε is per metre.

        On the globe the guarantee is that of the plane but for what goes round it, see
        :class:`dirpriv.laws.PlanarLaplace`.

        Parameters
        ----------
        places : array_like, shape (2,) or (N, 2)
            Latitude and longitude in degrees.
        rng : None, int or numpy.random.Generator, keyword-only
            As for :meth:`Mechanism.randomise`.

        Returns
        -------
        ndarray
            Of the shape of ``places``.

        Raises
        ------
        ValueError
            If a place is beyond a pole or not finite.
        """
        return self.law.rvs_places(places, rng=rng)


def _only_circle(who, dim):
    if _validate.dimension(dim) != 2:
        raise ValueError(f"{who} is defined on the circle: 'dim' must be 2; got {dim!r}")
