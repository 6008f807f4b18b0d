"""Rényi divergences between the responses to two inputs.

The Rényi divergence of order α > 1 between the laws P and Q of a response under two inputs is D_α = log E_Q
(P/Q)^α/(α - 1). Divergences of independent responses add up (I. Mironov, "Rényi differential privacy", CSF
2017). The level of several responses is lower by the whole distribution of the privacy loss:
:func:`dirpriv.guarantees.composed_level`.
"""

from collections.abc import Sequence
from math import factorial
from typing import Any

import numpy as np
from scipy.special import logsumexp

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.quadrature import NODES, WEIGHTS
from dirpriv._lib.types import Array
from dirpriv.laws.own.completed import completed
from dirpriv.laws.purkayastha import Purkayastha
from dirpriv.laws.von_mises_fisher import VonMisesFisher

_SMALL = 0.1  # nats: smaller moments are summed of positive terms
_TERMS = 12
_MORE = (1e-3, 1e-2, 0.1, 1.0)
_STEPS = 4096  # of the grid of losses from 0 to the largest


def renyi_divergence(law: Any, order: float, *, distance: float) -> float:
    """Largest Rényi divergence in nats between the responses to two inputs at most a distance apart.

    It has a closed form for von Mises-Fisher in every dimension, a ratio of normalizers, and for Purkayastha
    on the circle. For other laws it is an upper bound from the distribution of the privacy loss in small
    cells, see :func:`dirpriv.guarantees.composed_level`: hardly above it on the circle, and at most a few per
    cent in other spaces.

    Parameters
    ----------
    law : law
        With a finite loss at the distance: of :mod:`dirpriv.laws`, or your own :class:`dirpriv.laws.Law`.
    order : float
        Order α, at least 1. At 1 it is the Kullback-Leibler divergence, at inf the largest privacy loss.
    distance : float, keyword-only
        Of the two inputs: radians from 0 to π; of a law in space, any length.

    Raises
    ------
    ValueError
        If an argument is out of its range, or the law has no finite loss at the distance.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import guarantees, laws
    >>> law = laws.VonMisesFisher(dim=3, kappa=1.0)
    >>> [round(guarantees.renyi_divergence(law, order, distance=np.pi), 4) for order in (1, 2, 10, np.inf)]
    [0.6261, 1.0443, 1.689, 2.0]
    >>> round(guarantees.renyi_divergence(laws.Purkayastha(2, 1.0), 2, distance=np.pi / 4), 4)
    0.4151
    """
    if isinstance(order, bool | np.bool_) or not np.ndim(order) == 0 or not order >= 1.0:
        raise InvalidArgument("order", "must be a number of at least 1", got=order)
    complete = completed(law)
    distance = complete._distance(validate.nonnegative("distance", distance))
    loss = float(complete.loss_within(distance))
    if loss == 0.0 or (order == np.inf and isinstance(law, VonMisesFisher | Purkayastha)):
        return loss
    order = float(order)
    if isinstance(complete, VonMisesFisher):
        found = _of_von_mises_fisher(complete, order, distance)
    elif isinstance(complete, Purkayastha) and complete.dim == 2:
        found = _of_purkayastha(complete.kappa, order, distance)
    else:
        found = float(_of_losses(*complete.loss_distribution(distance), loss, [order])[0])
    return min(found, loss)  # by rounding, it may be above the largest loss


def divergences(law: Any, distance: Any, orders: Sequence[float]) -> Array:
    """Upper bounds of :func:`renyi_divergence` at many orders above 1, with the rounding of sums.

    Instead of a law, a pure level: the largest divergence is that of the randomised response to a bit.
    """
    if isinstance(law, float):
        few = np.minimum(orders, 1e6)
        found = np.logaddexp(few * law, (1.0 - few) * law) - np.logaddexp(0.0, law)
        found = found / (few - 1.0) + 1e-13 * (1.0 + law) / (few - 1.0)
        return np.where(few < orders, law, np.minimum(found, law))
    complete = completed(law)
    largest = float(complete.loss_within(distance))
    found = _of_losses(*complete.loss_distribution(distance), largest, orders)
    return np.minimum(found + 1e-13 / (np.asarray(orders) - 1.0), largest)


def divergence_kept(level: float, delta: float, order: float) -> float:
    """Largest divergence at an order that keeps a level at δ: docs/mathematics.md, “Several releases”."""
    if order == np.inf:
        return level
    tilt = order - 1.0
    spare = float((np.log(delta) + tilt * np.log1p(1.0 / tilt) + np.log1p(tilt)) / tilt)
    return level + spare - 1e-12 * (level + abs(spare))


def _of_von_mises_fisher(law: VonMisesFisher, order: float, distance: float) -> float:
    """log C(κ')/C(κ)/(α - 1), C(κ) = ∫ exp(κ cos θ), with κ' the length of κ(α μ + (1 - α) μ').

    d log C/dκ is the mean cosine, whose integral keeps its digits where κ' is near κ or both are small.
    """
    kappa = float(law.kappa)
    square = 4.0 * float(np.sin(0.5 * distance)) ** 2
    if order == 1.0:
        return 0.5 * kappa * law.mean_cosine() * square
    ratio = float(np.sqrt(1.0 + order * (order - 1.0) * square))
    more = kappa * order * (order - 1.0) * square / (1.0 + ratio)  # κ' - κ
    if ratio > 2.0 and kappa * ratio > 1.0:
        other = VonMisesFisher(law.dim, kappa * ratio)
        return (other.log_normalizer() - law.log_normalizer()) / (order - 1.0)
    cosines = [VonMisesFisher(law.dim, k).mean_cosine() for k in kappa + more * NODES]
    return more * float(WEIGHTS @ np.array(cosines)) / (order - 1.0)


def _of_purkayastha(kappa: float, order: float, d: float) -> float:
    """On the circle: one integral of an exponential on each of four arcs."""
    scale = 0.5 * kappa / -np.expm1(-kappa * np.pi)
    small = _excess_on_arcs(kappa, order, d) * scale
    if (order - 1.0) * small < _SMALL and order * kappa * d < 30.0 and kappa < 30.0:
        return float(np.log1p((order - 1.0) * small) / (order - 1.0)) if order > 1.0 else float(small)
    if order == 1.0:
        near, far = np.exp(-kappa * d), np.exp(-kappa * (np.pi - d))
        between = d - 2.0 / kappa + (d + 2.0 / kappa) * near
        opposite = (d - 2.0 / kappa) * far + (d + 2.0 / kappa) * np.exp(-kappa * np.pi)
        return float(scale * (between + opposite + d * (1.0 - far - near + np.exp(-kappa * np.pi))))
    rate, tilt = (2.0 * order - 1.0) * kappa, (order - 1.0) * kappa * d
    with np.errstate(divide="ignore"):
        arcs = [
            tilt + np.log(-np.expm1(-rate * d) / rate),
            -tilt - kappa * d + np.log(-np.expm1(-kappa * (np.pi - d)) / kappa),
            -kappa * (np.pi - d) + tilt + np.log(-np.expm1(-rate * d) / rate),
            tilt + np.log(-np.expm1(-kappa * (np.pi - d)) / kappa),
        ]
    return float((np.log(scale) + logsumexp(arcs)) / (order - 1.0))


def _excess_on_arcs(kappa: float, order: float, d: float) -> float:
    """∫ h(r) exp(-κθ') over the circle, r the loss, for moments that are near 1: see :func:`_excess`."""
    total = 0.0
    for panel in np.arange(8.0):
        t = (panel + NODES) / 8.0
        for length, loss, other in (
            (d, kappa * d * (1.0 - 2.0 * t), d * (1.0 - t)),
            (np.pi - d, np.full_like(t, -kappa * d), (np.pi - d) * t),
            (d, kappa * d * (2.0 * t - 1.0), np.pi - d * (1.0 - t)),
            (np.pi - d, np.full_like(t, kappa * d), d + (np.pi - d) * t),
        ):
            total += length / 8.0 * float(WEIGHTS @ (_excess(loss, order) * np.exp(-kappa * other)))
    return total


def _excess(r: Array, order: float) -> Array:
    """h(r) = (exp(αr) - 1 - α(exp(r) - 1))/(α - 1) ≥ 0, by its series where that cancels.

    E_Q exp(r) = 1, so E_Q exp(αr) - 1 = (α - 1) E_Q h(r), and no digits cancel in the sum.
    """
    r = np.clip(r, -600.0, 600.0 / max(order, 1.0))
    series, weight = np.zeros_like(r), 0.0
    for k in range(2, _TERMS + 2):
        weight = weight * order + 1.0  # 1 + α + … + α^(k - 2)
        series += order * weight * (r**k / factorial(k))
    near = np.abs(r) * order < 0.3
    if order == 1.0:
        return np.where(near, series, r * np.exp(r) - np.expm1(r))
    return np.where(near, series, (np.expm1(order * r) - order * np.expm1(r)) / (order - 1.0))


def _of_losses(masses: Array, losses: Array, largest: float, orders: Sequence[float]) -> Array:
    """At each order, from probabilities and upper bounds of the privacy loss."""
    from dirpriv.guarantees.composed_losses import _on_grid  # here, as few need it and it needs more of SciPy

    weights, losses = _on_grid(masses, losses, largest, _STEPS)
    total = float(weights.sum())
    larger = _MORE if total > 1.0 + 1e-9 else ()  # a bound of more than 1 says less of orders near 1
    with np.errstate(divide="ignore"):
        logs = np.log(weights / min(total, 1.0))

    def at(order: float) -> float:
        if order == np.inf:
            return largest
        if order == 1.0 and not larger:
            return float(weights @ losses / total)
        tried = {order, *(order + more for more in larger)} - {1.0}  # it does not fall with the order
        return min(float(logsumexp(logs + (each - 1.0) * losses)) / (each - 1.0) for each in tried)

    return np.clip([at(order) for order in orders], 0.0, largest)
