"""The law of what a table of weights releases, for estimates and expected errors. It cannot draw."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from dirpriv import _validate
from dirpriv._frozen import Frozen
from dirpriv._types import Array, FloatOrArray
from dirpriv.laws._base import plain
from dirpriv.release.certificates import CircleCertificate


class CircleTableLaw(Frozen):
    """Law of the angle from an input to the middle of the released cell, in doubles.

    The input lies anywhere in its cell with equal probability. So the cell j steps away, with the probability
    p_j, stands for the angles from (j - 1/2) h to (j + 1/2) h, h the width of a cell, and the density is
    p_j/h there. The law is symmetric about the input, and :mod:`dirpriv.estimators` takes it as any law on
    the circle. It cannot draw: :class:`CircleRelease` draws, from the integers.

    Parameters
    ----------
    weights : sequence of int
        One per cell, from the input's cell around the circle.
    certificate : CircleCertificate
        What the weights guarantee.

    Attributes
    ----------
    probabilities : ndarray, shape (cells,)
        Of the cells, from the input's own around the circle: the weights over their total.
    dim : int
        2: the vectors of the circle.
    metric : str
        ``"angle"``.
    why_infinite : str
        Why there is no level per radian of inputs.

    Examples
    --------
    >>> from dirpriv import estimators
    >>> from dirpriv.release import CircleRelease
    >>> law = CircleRelease.within(level=1.0, radius="3h", cells=96).law
    >>> round(law.mean_angle(), 3), round(estimators.expected_mean_error(law, 10_000), 3)
    (0.727, 0.007)
    >>> estimators.bin_transitions(law, bins=24).shape
    (24, 24)
    """

    metric = "angle"
    dim = 2
    is_symmetric = True
    why_infinite = (
        "two inputs on both sides of a border are as far apart as their cells, however near they are: see "
        "the certificate of the release"
    )

    probabilities: Array
    _shares: Array
    _ends: Array
    _certificate: CircleCertificate

    def __init__(self, weights: Sequence[int], certificate: CircleCertificate) -> None:
        total, count = sum(weights), len(weights)
        probabilities = np.array([weight / total for weight in weights])  # of integers, rounded once
        shares = probabilities[: count // 2 + 1].copy()  # of the angle in [0, π]: both sides together
        shares[1 : (count + 1) // 2] *= 2.0
        ends = (np.arange(len(shares) + 1) - 0.5) * (2.0 * np.pi / count)
        ends[0], ends[-1] = 0.0, np.pi
        self._set(probabilities=probabilities, _shares=shares, _ends=ends, _certificate=certificate)

    def __repr__(self) -> str:
        return f"CircleTableLaw(cells={len(self.probabilities)}, mean_angle={self.mean_angle():.6g})"

    # ------------------------------------------------------------------ the angle

    def angle_pdf(self, theta: ArrayLike) -> FloatOrArray:
        """Density of the angle from the input.

        Parameters
        ----------
        theta : array_like
            Radians; outside [0, π] the density is 0.

        Returns
        -------
        float or ndarray
            Per radian, constant over each cell.
        """
        theta = np.asarray(theta, dtype=float)
        density = self._shares / np.diff(self._ends)
        cell = np.searchsorted(self._ends[1:-1], theta, side="right")
        inside = (theta >= 0.0) & (theta <= np.pi)
        return plain(np.where(inside, density[cell], np.where(np.isnan(theta), np.nan, 0.0)))

    def angle_logpdf(self, theta: ArrayLike) -> FloatOrArray:
        """Logarithm of :meth:`angle_pdf`; -inf where the density is 0.

        Parameters
        ----------
        theta : array_like
            Radians.

        Returns
        -------
        float or ndarray
            Logarithm of a density per radian.
        """
        with np.errstate(divide="ignore"):
            return plain(np.log(self.angle_pdf(theta)))

    def angle_cdf(self, theta: ArrayLike) -> FloatOrArray:
        """Probability of an angle of at most ``theta``.

        Parameters
        ----------
        theta : array_like
            Radians.

        Returns
        -------
        float or ndarray
            Probabilities.
        """
        cumulative = np.minimum(np.concatenate([[0.0], np.cumsum(self._shares)]), 1.0)
        return plain(np.interp(np.asarray(theta, dtype=float), self._ends, cumulative, left=0.0, right=1.0))

    def angle_sf(self, theta: ArrayLike) -> FloatOrArray:
        """Probability of an angle of more than ``theta``, also where it is tiny.

        Parameters
        ----------
        theta : array_like
            Radians.

        Returns
        -------
        float or ndarray
            Probabilities.
        """
        beyond = np.minimum(np.concatenate([np.cumsum(self._shares[::-1])[::-1], [0.0]]), 1.0)
        return plain(np.interp(np.asarray(theta, dtype=float), self._ends, beyond, left=1.0, right=0.0))

    def angle_ppf(self, u: ArrayLike) -> FloatOrArray:
        """Angle at which :meth:`angle_cdf` is ``u``.

        Parameters
        ----------
        u : array_like
            Probabilities; outside [0, 1] the result is nan.

        Returns
        -------
        float or ndarray
            Radians.
        """
        cumulative = np.minimum(np.concatenate([[0.0], np.cumsum(self._shares)]), 1.0)
        return plain(np.interp(np.asarray(u, dtype=float), cumulative, self._ends, left=np.nan, right=np.nan))

    # ------------------------------------------------------------------ means

    def mean_angle(self) -> float:
        """Expected angle from the input: the error of one release.

        Returns
        -------
        float
            Radians in [0, π].
        """
        return float(self._shares @ (self._ends[1:] + self._ends[:-1]) / 2.0)

    def mean_cosine(self) -> float:
        """Expected cosine E cos θ: the length ρ of the mean vector.

        Returns
        -------
        float
            From -1 to 1.
        """
        return self._mean_cosine_of(1.0)

    def mean_squared_sine(self) -> float:
        """Expected squared sine E sin² θ, which sets the error of a mean direction.

        Returns
        -------
        float
            From 0 to 1.
        """
        return (1.0 - self._mean_cosine_of(2.0)) / 2.0

    def mean_vector(self, mu: ArrayLike) -> Array:
        """Mean vector ρ μ of releases of the unit vectors ``mu``.

        Parameters
        ----------
        mu : array_like, shape (..., 2)
            Unit vectors: the inputs.

        Returns
        -------
        ndarray, shape (..., 2)
            In the shape of ``mu``.
        """
        return self.mean_cosine() * _validate.unit_vectors("mu", mu, 2)

    def _mean_cosine_of(self, times: float) -> float:
        """E cos(times · θ): the mean over an interval is that of its middle times a sinc of its width."""
        middles, widths = (self._ends[1:] + self._ends[:-1]) / 2.0, np.diff(self._ends)
        return float(self._shares @ (np.cos(times * middles) * np.sinc(times * widths / (2.0 * np.pi))))

    # ------------------------------------------------------------------ histograms

    def bin_transitions(self, bins: int) -> Array:
        """Probabilities that releases of angles from one bin of a histogram fall into another.

        The true angle is uniform in its bin; what is released is the middle of a cell, and counts in the bin
        that holds it. The bins need not be made of whole cells. See
        :func:`dirpriv.estimators.bin_transitions`.

        Parameters
        ----------
        bins : int
            Number of bins of equal width around the circle.

        Returns
        -------
        ndarray, shape (bins, bins)
            Row: true bin; column: bin of the released cell. Rows add up to 1.
        """
        bins = _validate.integer("bins", bins, 1)
        count = len(self.probabilities)
        # the first cell whose middle (i + ½)/count is not below the border b/bins
        first = -((bins - 2 * count * np.arange(bins + 1)) // (2 * bins))
        below = np.concatenate([[0.0], np.cumsum(np.tile(self.probabilities, 2))])
        cells = np.arange(count)[:, None]
        starts = (first[:-1] - cells) % count
        of_cells = below[starts + np.diff(first)] - below[starts]
        # the mean over a bin of inputs, which may begin and end within a cell
        total = np.concatenate([np.zeros((1, bins)), np.cumsum(of_cells, axis=0)])
        whole, part = np.divmod(count * np.arange(bins + 1), bins)
        at = total[whole] + (part / bins)[:, None] * of_cells[np.minimum(whole, count - 1)]
        return np.maximum(np.diff(at, axis=0), 0.0) * (bins / count)

    # ------------------------------------------------------------------ privacy

    def metric_level(self) -> float:
        """Level per radian of inputs, which does not exist.

        Returns
        -------
        float
            inf, unless all weights are equal: see ``why_infinite``, and ``certificate.cells`` of the release
            for the level per radian between cells.
        """
        return np.inf if self.pure_level() > 0.0 else 0.0

    def pure_level(self) -> float:
        """Largest loss of privacy between any two inputs.

        Returns
        -------
        float
            ``certificate.pure`` of the release.
        """
        return self._certificate.pure

    def privacy_loss(self, distance: ArrayLike) -> FloatOrArray:
        """Largest loss of privacy between two inputs at a distance, or nearer.

        Parameters
        ----------
        distance : array_like
            Radians from 0 to π.

        Returns
        -------
        float or ndarray
            ``certificate.loss(distance)`` of the release.
        """
        return self._certificate.loss(distance)
