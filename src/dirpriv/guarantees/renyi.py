"""Rényi divergences between the responses to two inputs.

The Rényi divergence of order α > 1 between the distributions P and Q of a response under two inputs is D_α = log E_Q
(P/Q)^α/(α - 1). Divergences of independent responses add up (I. Mironov, "Rényi differential privacy", CSF
2017). The level of several responses is lower by the whole distribution of the privacy loss:
:func:`dirpriv.guarantees.composed_level`.
"""

from collections.abc import Callable, Sequence
from math import factorial
from typing import Any

import numpy as np
from scipy.special import exprel, logsumexp

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.quadrature import NODES, WEIGHTS
from dirpriv._lib.types import Array
from dirpriv.distributions.purkayastha import Purkayastha
from dirpriv.distributions.shared.loss_distribution import randomised_response
from dirpriv.distributions.user.adapter import completed
from dirpriv.distributions.von_mises_fisher import VonMisesFisher

_TERMS = 12
_LONGEST = 600.0  # nats, whose exponential is a double
_MOST_KAPPA = 1e150
_ROUNDING = 1e-12
_STEPS = 4096  # of the grid of losses from 0 to the largest


@np.errstate(under="ignore")
def renyi_divergence(distribution: Any, order: float, *, distance: float) -> float:
    """Largest Rényi divergence in nats between the responses to two inputs at most a distance apart.

    It has a closed form for von Mises-Fisher in every dimension, a ratio of normalizers, and for Purkayastha
    on the circle. For other distributions it is an upper bound from the distribution of the privacy loss in small
    cells, see :func:`dirpriv.guarantees.composed_level`: hardly above it on the circle, and at most a few per
    cent in other spaces. Where the largest loss is below 1e-6, rounding hides the distribution, and the bound
    is that of the largest loss alone, up to three times as much. All are rounded up, by 1e-12 of
    their value, and none is below that of order 1.

    Parameters
    ----------
    distribution : distribution
        With a finite loss at the distance: of :mod:`dirpriv.distributions`, or your own
        :class:`dirpriv.distributions.Distribution`.
    order : float
        Order α, at least 1. At 1 it is the Kullback-Leibler divergence, at inf the largest privacy loss.
    distance : float, keyword-only
        Of the two inputs: radians from 0 to π; of a distribution in space, any length.

    Raises
    ------
    ValueError
        If an argument is out of its range, or the distribution has no finite loss at the distance.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import guarantees, distributions
    >>> distribution = distributions.VonMisesFisher(dim=3, kappa=1.0)
    >>> [round(guarantees.renyi_divergence(distribution, order, distance=np.pi), 4) for order in (1, 2, 10, np.inf)]
    [0.6261, 1.0443, 1.689, 2.0]
    >>> round(guarantees.renyi_divergence(distributions.Purkayastha(2, 1.0), 2, distance=np.pi / 4), 4)
    0.4151
    """
    if isinstance(order, bool | np.bool_) or not np.ndim(order) == 0 or not order >= 1.0:
        raise InvalidArgument("order", "must be a number of at least 1", got=order)
    complete = completed(distribution)
    distance = complete._distance(validate.nonnegative("distance", distance))
    loss = float(complete.privacy_loss_within(distance))
    if loss == 0.0 or (order > 1e150 and loss < np.inf):
        return loss
    orders = [float(order), 1.0]
    if isinstance(complete, VonMisesFisher):
        values = [_von_mises_fisher_divergence(complete, each, distance) for each in orders]
    elif isinstance(complete, Purkayastha) and complete.dim == 2:
        values = [_purkayastha_divergence(complete.kappa, each, distance) for each in orders]
    else:
        values = _renyi_bounds(*complete.privacy_loss_distribution(distance), loss, orders).tolist()
    # by rounding, it may be above the largest loss or below the divergence of order 1
    return min(max(values) * (1.0 + _ROUNDING), loss)


@np.errstate(under="ignore")
def divergences(distribution: Any, distance: Any, orders: Sequence[float]) -> Array:
    """The same upper bounds at many orders above 1, for every distribution by its losses.

    Instead of a distribution, a pure level: the largest divergence is that of the randomised response to a bit.
    """
    if isinstance(distribution, float):
        return _renyi_bounds(*randomised_response(distribution), distribution, orders)
    complete = completed(distribution)
    return _renyi_bounds(
        *complete.privacy_loss_distribution(distance), float(complete.privacy_loss_within(distance)), orders
    )


def divergence_kept(level: float, delta: float, order: float) -> float:
    """Largest divergence at an order that keeps a level at δ: docs/mathematics.md, “Several releases”."""
    if order == np.inf:
        return level
    tilt = order - 1.0
    spare = float((np.log(delta) + tilt * np.log1p(1.0 / tilt) + np.log1p(tilt)) / tilt)
    return level + spare - 1e-12 * (level + abs(spare))


def _von_mises_fisher_divergence(distribution: VonMisesFisher, order: float, distance: float) -> float:
    """log C(κ')/C(κ)/(α - 1), C(κ) = ∫ exp(κ cos θ), with κ' the length of κ(α μ + (1 - α) μ')."""
    kappa = float(distribution.kappa)
    square = 4.0 * float(np.sin(0.5 * distance)) ** 2
    rise = kappa * order * square / (1.0 + float(np.sqrt(1.0 + order * (order - 1.0) * square)))

    def log_normalizer(k: float) -> float:
        return float(VonMisesFisher(distribution.dim, max(k, 1.0 / _MOST_KAPPA)).log_normalizer())

    def mean_cosines(kappas: Array) -> Array:
        distributions = [VonMisesFisher(distribution.dim, k) for k in np.clip(kappas, 1.0 / _MOST_KAPPA, _MOST_KAPPA)]
        return np.array([each.mean_cosine() for each in distributions])

    return rise * _slope(log_normalizer, mean_cosines, kappa, rise * (order - 1.0))  # κ' - κ over α - 1


def _slope(function: Callable[[float], float], derivatives: Any, start: float, more: float) -> float:
    """(f(start + more) - f(start))/more, by the mean of f' where that difference would cancel."""
    if start < more and 1.0 < start + more < _MOST_KAPPA:
        return (function(start + more) - function(start)) / more
    if not more:
        return float(derivatives(np.array([start]))[0])
    return float(WEIGHTS @ derivatives(start + more * NODES))


def _purkayastha_divergence(kappa: float, order: float, d: float) -> float:
    """On the circle: E h(L) of :func:`_excess` on each of four arcs, t = α - 1, a = κ d.

    L falls from a to -a on the two arcs between the inputs, and those between their antipodes. There it is
    the growth of S(x) = sinh(x)/x from x = a/2 to (1/2 + t) a.
    """

    def log_s(x: float) -> float:
        return float(x + np.log(-np.expm1(-2.0 * x) / (2.0 * x)))

    def growth(x: Array) -> Array:
        """coth x - 1/x, by its continued fraction where that cancels."""
        fraction, square = np.zeros_like(x), np.minimum(x, 1.0) ** 2
        for k in range(2 * _TERMS + 1, 3, -2):
            fraction = square / (k + fraction)
        return np.where(x < 1.0, x / (3.0 + fraction), 1.0 / np.tanh(np.maximum(x, 1.0)) - 1.0 / np.maximum(x, 1.0))

    tilt, a = order - 1.0, kappa * d
    share = 0.5 * a / -np.expm1(-kappa * np.pi)
    slope, far = _slope(log_s, growth, 0.5 * a, tilt * a), kappa * (np.pi - d)
    between, behind = -np.expm1(-a) * (1.0 + np.exp(-far)) * slope, np.expm1(-order * a) * np.expm1(-far)
    if tilt * a < _LONGEST:
        excess = share * (between * exprel(tilt * a * slope) + behind * exprel(tilt * a))
        return float(np.log1p(tilt * excess) / tilt) if tilt else float(excess)
    with np.errstate(divide="ignore"):
        logs = np.log([between, behind]) + np.array([tilt * a * slope - np.log(slope), tilt * a])
    return float(np.logaddexp(np.log(share / a) + np.logaddexp(*logs), 0.0) / tilt)


def _excess(losses: Array, tilt: float) -> Array:
    """h(L) = (exp(tL) - 1)/t + exp(-L) - 1 ≥ 0, by its series where that cancels.

    E exp(-L) = 1, so E exp(tL) - 1 = t E h(L), and no digits cancel in the sum.
    """
    near = np.abs(losses) * (1.0 + tilt) < 0.3
    small, large = losses[near], losses[~near]
    series, excess = np.zeros_like(small), np.empty_like(losses)
    for k in range(2, _TERMS + 2):
        tilted = (tilt * small) ** (k - 1) if tilt else 0.0
        series += small * (tilted - (-small) ** (k - 1)) / factorial(k)
    excess[near], excess[~near] = series, large * exprel(tilt * large) + np.expm1(-large)
    return excess


def _renyi_bounds(masses: Array, losses: Array, largest: float, orders: Sequence[float]) -> Array:
    """At each order, from probabilities and upper bounds of the privacy loss, or the largest loss alone."""
    from dirpriv.guarantees.privacy_loss_distribution import _on_grid  # here, as few need it and it needs more of SciPy

    weights, losses = _on_grid(masses, losses, largest, _STEPS)
    total = float(weights.sum())
    beyond = total - 1.0 if total > 1.0 + _ROUNDING else 0.0  # it says less of orders near 1
    weights = weights if beyond else weights / total
    kept = np.maximum(losses, -_LONGEST)
    lacking = max(float(weights @ -np.expm1(-kept)), 0.0)  # of 1, under the other input

    def at(order: float) -> float:
        tilt = order - 1.0
        if order == np.inf:
            return largest
        if tilt * largest > _LONGEST:
            with np.errstate(divide="ignore"):
                return (float(logsumexp(np.log(weights) + tilt * losses)) + _ROUNDING) / tilt
        moved = 1e-14 * np.abs(np.expm1(tilt * kept) - np.expm1(-kept))  # by the rounding of losses
        mean = float(weights @ (_excess(kept, tilt) + moved)) + lacking
        if beyond:
            mean += beyond * (1.0 + 1.0 / tilt) if tilt else np.inf
        of_bit = exprel(tilt * largest) * -np.expm1(-order * largest) / (1.0 + np.exp(-largest))
        mean = min(mean, largest * float(of_bit))  # that of randomised response, which no other exceeds
        return (float(np.log1p(tilt * mean)) / tilt if tilt else mean) * (1.0 + _ROUNDING)

    larger = (0.0, 1e-3, 1e-2, 0.1, 1.0) if beyond else (0.0,)  # it does not fall with the order
    values = [min(at(order + more) for more in larger) for order in [1.0, *orders]]
    return np.clip(values[1:], values[0], largest)
