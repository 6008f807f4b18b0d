"""What the mechanisms of :mod:`dirpriv.mechanisms` and :mod:`dirpriv.rotations.mechanisms` share."""

import numpy as np

from dirpriv import _validate, guarantees

CALIBRATIONS = ("published", "tight")


class Mechanism:
    """Base of the mechanisms; see the text of :mod:`dirpriv.mechanisms` for the three ways to make one.

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
        self._set_law(dim, self._metric_concentration(epsilon, known(calibration)))

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
        if known(calibration) == "published":
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


def known(calibration):
    if calibration not in CALIBRATIONS:
        raise ValueError(f"'calibration' must be one of {', '.join(CALIBRATIONS)}; got {calibration!r}")
    return calibration
