"""What the rest of the package asks of a distribution: the protocols that :mod:`dirpriv.distributions` exports."""

from typing import Any, Protocol

from dirpriv.geometry.spaces import Space


class Levels(Protocol):
    """The part of a distribution that says what it guarantees. It need not draw."""

    @property
    def space(self) -> Space:
        """Of the inputs and outputs, with their distance: see :mod:`dirpriv.geometry.spaces`."""

    def metric_level(self) -> float:
        """ε of ε·d-privacy, the largest loss per unit of distance; inf where there is none."""

    def pure_level(self) -> float:
        """ε of pure ε-DP, the largest loss between any two inputs; inf where there is none."""

    def privacy_loss(self, distance: Any, /) -> Any:
        """Largest loss of privacy between two inputs exactly so far apart, for one distance or an array.

        Parameters
        ----------
        distance : array_like
            Of the two inputs, in the unit of the space.
        """


class Distribution(Levels, Protocol):
    """What :mod:`dirpriv.guarantees` and the mechanisms need of a distribution.

    A distribution of your own needs no base class. With these names it goes through
    :func:`dirpriv.guarantees.from_distribution`, :meth:`dirpriv.mechanisms.Mechanism.from_distribution` and
    :func:`dirpriv.guarantees.largest_concentration`, and its draws through :mod:`dirpriv.guarantees.audit`.
    The estimators need more: see :class:`SymmetricDistribution`.

    A distribution may also have

    * ``why_infinite``, a text that says why a level is infinite;
    * ``assumes``, a text that says what its levels rest on. Without it a guarantee says that the distribution states
      them: the library does not prove them;
    * ``is_symmetric``, False where it is not symmetric about its mode, so that its draws have another mean;
    * ``privacy_loss_within(radius)``, the largest loss between two inputs *at most* so far apart. Without it,
      ``privacy_loss`` is assumed to increase with the distance;
    * ``logpdf(y, x)``, one log-density for each of the outputs ``y``, shape (N, dim), around one input ``x``,
      shape (dim,): unit vectors, points in space, or rotations; in radians or units of length. If it falls
      with the distance of y and x, and depends on that alone, :mod:`dirpriv.guarantees` bounds the level of
      several responses and of shuffled ones by it, with an error that ``metric_level`` bounds. Both are
      checked at points, and beyond them you promise it;
    * ``privacy_loss_distribution(distance)`` and ``privacy_blanket()``, which say the same exactly: see
      :meth:`dirpriv.distributions.Purkayastha.privacy_loss_distribution` and
      :meth:`dirpriv.distributions.Purkayastha.privacy_blanket`.

    No other name of a distribution is read to find its levels. Levels that you know only by the values of a density
    follow from :func:`dirpriv.distributions.from_log_density` and what you declare of it.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import guarantees
    >>> from dirpriv.geometry.spaces import CIRCLE
    >>> class Mine:
    ...     space = CIRCLE
    ...     def metric_level(self):
    ...         return 1.0
    ...     def pure_level(self):
    ...         return np.pi
    ...     def privacy_loss(self, distance):
    ...         return np.asarray(distance)
    >>> guarantees.from_distribution(Mine()).level_at(0.5)
    0.5
    """

    def rvs(self, x: Any, /, size: Any = None, *, rng: Any = None) -> Any:
        """Draws around ``x``: one for each of several inputs, or ``size`` of them around one.

        Parameters
        ----------
        x : array_like, shape (..., dim)
            The input or inputs, of ``space``: unit vectors, points, or rotations
            (:class:`scipy.spatial.transform.Rotation`). Draws are the same.
        size : int or tuple of int, optional
            Number of draws around one input.
        rng : None, int, SeedSequence, BitGenerator or Generator, keyword-only
            Source of the noise.
        """


class AngularNoise(Protocol):
    """The part of a distribution of directions that histograms need. It need not draw.

    If not symmetric, it may have ``bin_transitions(bins)``: see :func:`dirpriv.estimators.bin_transitions`.
    """

    @property
    def space(self) -> Space:
        """Of the vectors: a :class:`dirpriv.geometry.spaces.Sphere`."""

    def angle_sf(self, theta: Any, /) -> Any:
        """Probability of an angle of more than ``theta`` radians from the mode.

        Parameters
        ----------
        theta : array_like
            Angles in radians.
        """


class SymmetricNoise(AngularNoise, Protocol):
    """The part of a symmetric distribution of directions that means need. It need not draw."""

    def mean_cosine(self) -> float:
        """Expected cosine of the angle from the mode, the length of the mean vector."""

    def mean_squared_sine(self) -> float:
        """Expected squared sine of the angle from the mode."""


class PlaneNoise(Protocol):
    """The part of a distribution in the plane that densities of places need. It need not draw.

    Unless it is the distribution of a release, it also has ``pdf(z, center)``, the density of points ``z``.
    """

    @property
    def space(self) -> Space:
        """The plane, ``Euclidean(2)``."""

    def radius_ppf(self, u: Any, /) -> Any:
        """Distance from the centre within which a share ``u`` of the draws falls."""


class SymmetricDistribution(Distribution, SymmetricNoise, Protocol):
    """What :mod:`dirpriv.estimators` needs of a distribution of directions: it is symmetric about its mode.

    ``space`` and ``mean_cosine`` are enough for :func:`dirpriv.estimators.estimate_mean`;
    ``mean_squared_sine`` is needed for the expected errors of means, ``angle_sf`` on the circle for
    :func:`dirpriv.estimators.bin_transitions` and :func:`dirpriv.estimators.deconvolve`.
    """
