"""The distribution of what a table of weights releases, for estimates and expected errors. It cannot draw."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import validate
from dirpriv._lib.types import Array, FloatOrArray
from dirpriv.distributions.protocols import SymmetricNoise
from dirpriv.distributions.shared.base import CircleCellNoise, CompleteDistribution, scalar_or_array
from dirpriv.distributions.shared.loss_distribution import randomised_response
from dirpriv.distributions.shared.privacy_blanket import Blanket, blanket_from_pair, blanket_from_table, no_blanket
from dirpriv.exact.certificates import CircleCertificate, PlaceCertificate
from dirpriv.geometry.spaces import CIRCLE


class TableDistribution(CompleteDistribution):
    """What the distributions of all tables share: the privacy that the certificate of the release says."""

    why_infinite = (
        "two inputs on both sides of a border are as far apart as their cells, however near they are: see "
        "the certificate of the release"
    )
    _certificate: CircleCertificate | PlaceCertificate

    def metric_level(self) -> float:
        """ε of ε·d-privacy, per unit of distance between inputs: inf, unless all weights are equal (``why_infinite``).

        See ``certificate.cells`` of the release for the level between cells.
        """
        return np.inf if self.pure_level() > 0.0 else 0.0

    def pure_level(self) -> float:
        """ε of pure ε-DP, the largest loss between any two inputs: ``certificate.pure`` of the release."""
        return self._certificate.pure

    def privacy_loss(self, distance: Any) -> FloatOrArray:
        """Largest loss of privacy between two inputs at a distance, or nearer, in nats.

        Parameters
        ----------
        distance : array_like or str
            As for ``certificate.loss`` of the release.
        """
        return self._certificate.loss(distance)

    def privacy_loss_distribution(self, distance: Any) -> tuple[Array, Array]:
        """Distribution of the privacy loss between two inputs at a distance or nearer, at its worst.

        What it bounds and is given by is as for :meth:`dirpriv.distributions.Purkayastha.privacy_loss_distribution`, of
        released cells; in a city the masses have a sum of a little more than 1. The proofs are in docs/mathematics.md,
        "Several responses".

        On the circle it is the distribution for two inputs whose cells are ⌈d/h⌉ apart, which dominates those of all
        nearer inputs [1]_. In a city, for εh up to 1/4 and below the pure level, it follows from continuous planar
        Laplace noise. Elsewhere it is that of randomised response with the level ``privacy_loss(distance)``, from whose
        output every mechanism of this loss can be made [2]_. All hold for every pair of inputs at most so far apart,
        also in a series of responses whose inputs differ in different ways.

        Parameters
        ----------
        distance : float or str
            As for ``certificate.loss`` of the release.

        References
        ----------
        .. [1] Zhu, Y., Dong, J., Wang, Y.-X., "Optimal accounting of differential privacy via characteristic
           function", AISTATS 2022, Theorem 10.
        .. [2] Kairouz, P., Oh, S., Viswanath, P., "The composition theorem for differential privacy", IEEE
           Transactions on Information Theory 63 (2017) 4037-4049, Section IV.
        """
        return randomised_response(float(self.privacy_loss(distance)))

    def privacy_loss_within(self, radius: Any) -> FloatOrArray:
        return self.privacy_loss(radius)

    def privacy_blanket(self) -> Blanket:
        """As :meth:`dirpriv.distributions.Purkayastha.privacy_blanket`, on the circle; else InvalidArgument."""
        raise no_blanket(self, float(self.pure_level()))

    def _distance(self, distance: Any) -> Any:
        return super()._distance(distance) if isinstance(distance, numbers.Real) else distance


class CircleTableDistribution(TableDistribution, CircleCellNoise, SymmetricNoise):
    """Distribution of the angle from an input to the middle of the released cell, in doubles.

    The input lies anywhere in its cell with equal probability. So the cell j steps away, of the probability
    p_j, stands for the angles from (j - 1/2) h to (j + 1/2) h, h the width of a cell, with the density p_j/h.
    The distribution is symmetric about the input, and :mod:`dirpriv.estimators` takes it as any distribution on the
    circle. It cannot draw: :class:`CircleRelease` draws, from the integers.

    Parameters
    ----------
    weights, certificate : sequence of int, CircleCertificate
        As of :class:`CircleRelease`.

    Attributes
    ----------
    probabilities : ndarray, shape (cells,)
        Of the cells, from the input's own around the circle: the weights over their total.
    space, dim : Space, int
        The circle, and 2, the length of its vectors.

    Examples
    --------
    >>> from dirpriv import estimators
    >>> from dirpriv.release import CircleRelease
    >>> distribution = CircleRelease.within(level=1.0, radius="3h", cells=96).noise
    >>> round(distribution.mean_angle(), 3), round(estimators.expected_mean_error(distribution, 10_000), 3)
    (0.727, 0.007)
    >>> estimators.bin_transitions(distribution, bins=24).shape
    (24, 24)
    """

    space = CIRCLE
    dim = 2
    probabilities: Array
    _shares: Array
    _ends: Array
    _certificate: CircleCertificate
    _weights: tuple[int, ...]

    def __init__(self, weights: Sequence[int], certificate: CircleCertificate) -> None:
        total, count = sum(weights), len(weights)
        probabilities = np.array([weight / total for weight in weights])  # of integers, rounded once
        shares = probabilities[: count // 2 + 1].copy()  # of the angle in [0, π]: both sides together
        shares[1 : (count + 1) // 2] *= 2.0
        ends = (np.arange(len(shares) + 1) - 0.5) * (2.0 * np.pi / count)
        ends[0], ends[-1] = 0.0, np.pi
        self._set(probabilities=probabilities, _shares=shares, _ends=ends)
        self._set(_certificate=certificate, _weights=tuple(weights))

    def __repr__(self) -> str:
        return f"CircleTableDistribution(cells={len(self.probabilities)}, mean_angle={self.mean_angle():.6g})"

    def angle_pdf(self, theta: ArrayLike) -> FloatOrArray:
        """Density per radian of the angle from the input, constant over each cell.

        Parameters
        ----------
        theta : array_like
            Radians; outside [0, π] the density is 0.
        """
        theta = validate.reals("theta", theta)
        density = self._shares / np.diff(self._ends)
        cell = np.searchsorted(self._ends[1:-1], theta, side="right")
        inside = (theta >= 0.0) & (theta <= np.pi)
        return scalar_or_array(np.where(inside, density[cell], np.where(np.isnan(theta), np.nan, 0.0)))

    def angle_logpdf(self, theta: ArrayLike) -> FloatOrArray:
        """Logarithm of :meth:`angle_pdf`; -inf where the density is 0.

        Parameters
        ----------
        theta : array_like
            Radians.
        """
        with np.errstate(divide="ignore"):
            return scalar_or_array(np.log(self.angle_pdf(theta)))

    def angle_cdf(self, theta: ArrayLike) -> FloatOrArray:
        """Probability of an angle of at most ``theta``.

        Parameters
        ----------
        theta : array_like
            Radians.
        """
        return scalar_or_array(np.interp(validate.reals("theta", theta), self._ends, self._cumulative))

    def angle_sf(self, theta: ArrayLike) -> FloatOrArray:
        beyond = np.minimum(np.concatenate([np.cumsum(self._shares[::-1])[::-1], [0.0]]), 1.0)
        theta = validate.reals("theta", theta)
        return scalar_or_array(np.interp(theta, self._ends, beyond, left=1.0, right=0.0))

    def angle_ppf(self, u: ArrayLike) -> FloatOrArray:
        """Angle in radians at which :meth:`angle_cdf` is ``u``.

        Parameters
        ----------
        u : array_like
            Probabilities; outside [0, 1] the result is nan.
        """
        shares = validate.reals("u", u)
        return scalar_or_array(np.interp(shares, self._cumulative, self._ends, left=np.nan, right=np.nan))

    @property
    def _cumulative(self) -> Array:
        """Probabilities of angles up to the ends of the cells."""
        below = np.minimum(np.concatenate([[0.0], np.cumsum(self._shares)]), 1.0)
        below[-1] = 1.0  # which the rounded sum may miss
        return below

    def mean_angle(self) -> float:
        """Expected angle in radians from the input: the error of one release."""
        return float(self._shares @ (self._ends[1:] + self._ends[:-1]) / 2.0)

    def mean_cosine(self) -> float:
        return self._mean_cosine_of(1.0)

    def mean_squared_sine(self) -> float:
        return (1.0 - self._mean_cosine_of(2.0)) / 2.0

    def mean_vector(self, mu: ArrayLike) -> Array:
        """Mean vector ρ μ of releases of the unit vectors ``mu``, in their shape.

        Parameters
        ----------
        mu : array_like, shape (..., 2)
            Unit vectors: the inputs.
        """
        return self.mean_cosine() * validate.unit_vectors("mu", mu, 2)

    def _mean_cosine_of(self, times: float) -> float:
        """E cos(times · θ): the mean over an interval is that of its middle times a sinc of its width."""
        middles, widths = (self._ends[1:] + self._ends[:-1]) / 2.0, np.diff(self._ends)
        return float(self._shares @ (np.cos(times * middles) * np.sinc(times * widths / (2.0 * np.pi))))

    def bin_transitions(self, bins: int) -> Array:
        """Probabilities that releases of angles from one bin of a histogram fall into another.

        The true angle is uniform in its bin; what is released is the middle of a cell, and counts in the bin
        that holds it. The bins need not be made of whole cells. See
        :func:`dirpriv.estimators.bin_transitions`. Rows are true bins, and add up to 1.

        Parameters
        ----------
        bins : int
            Number of bins of equal width around the circle.
        """
        bins = validate.integer("bins", bins, 1)
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

    def privacy_blanket(self) -> Blanket:
        return blanket_from_table(self.probabilities, float(self.pure_level()))

    def _blanket_within(self, distance: Any) -> Blanket:
        """That of two inputs at a distance: no nearer ones are easier to tell apart."""
        shift = self._certificate.cells_within(distance)
        return blanket_from_pair(self.probabilities, shift, self._certificate.between(shift))

    def privacy_loss_distribution(self, distance: Any) -> tuple[Array, Array]:
        weights = self._weights
        shift = self._certificate.cells_within(distance)
        others = weights[-shift:] + weights[:-shift] if shift else weights
        # a quotient of integers is rounded once, also next to 0; the logarithm errs by less than 4 units
        losses = np.array([_log_ratio(*pair) for pair in zip(weights, others, strict=True)])
        return self.probabilities, losses + 1e-15 * np.abs(losses)


def _log_ratio(weight: int, other: int) -> float:
    return math.log1p((weight - other) / other) if weight >= other else -_log_ratio(other, weight)
