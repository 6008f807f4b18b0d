"""Rényi divergences between the responses to two inputs, and the levels that follow from them.

The Rényi divergence of order α > 1 between the laws P and Q of a response under two inputs is
D_α = log E_Q (P/Q)^α/(α - 1). Divergences of independent responses add up [2]_, so T responses have
T D_α, and

    ε = T D_α + log(1 - 1/α) - (log δ + log α)/(α - 1)

is a level that they keep with δ ([1]_, Proposition 12), for each α; the least of them is
:func:`renyi_level`. It is quick for any number of responses, and above
:func:`dirpriv.guarantees.composed_level`, which uses the whole distribution of the privacy loss.

References
----------
.. [1] C. L. Canonne, G. Kamath, T. Steinke, "The discrete Gaussian for differential privacy", NeurIPS 2020.
.. [2] I. Mironov, "Rényi differential privacy", CSF 2017.
"""

from collections.abc import Callable
from math import factorial
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from dirpriv import _validate, guarantees
from dirpriv._errors import InvalidArgument
from dirpriv._types import Array
from dirpriv.laws._quadrature import NODES, WEIGHTS
from dirpriv.laws.purkayastha import Purkayastha
from dirpriv.laws.von_mises_fisher import VonMisesFisher

_SMALL = 0.1  # nats: smaller moments are summed of positive terms
_TERMS = 12
_STEPS = 4096  # of the grid of losses from 0 to the largest


def renyi_divergence(law: Any, order: float, *, distance: float) -> float:
    """Rényi divergence between the responses to two inputs at a distance.

    Parameters
    ----------
    law : law
        A law of :mod:`dirpriv.laws` or :mod:`dirpriv.rotations` with a finite loss at the distance.
    order : float
        Order α, at least 1. At 1 it is the Kullback-Leibler divergence, at inf the largest privacy loss.
    distance : float, keyword-only
        Of the two inputs: radians from 0 to π; of a law in space, any length.

    Returns
    -------
    float
        In nats. In closed form for von Mises-Fisher in every dimension, a ratio of normalizers, and for
        Purkayastha on the circle. For other laws an upper bound from the distribution of the privacy loss in
        small cells, see :func:`dirpriv.guarantees.composed_level`: hardly above it on the circle, and at most
        a few per cent in other spaces.

    Raises
    ------
    ValueError
        If an argument is out of its range, or the law has no finite loss at the distance.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import accounting
    >>> from dirpriv.laws import Purkayastha, VonMisesFisher
    >>> law = VonMisesFisher(dim=3, kappa=1.0)
    >>> [round(accounting.renyi_divergence(law, order, distance=np.pi), 4) for order in (1, 2, 10, np.inf)]
    [0.6261, 1.0443, 1.689, 2.0]
    >>> round(accounting.renyi_divergence(Purkayastha(2, 1.0), 2, distance=np.pi / 4), 4)
    0.4151
    """
    if isinstance(order, bool | np.bool_) or not np.ndim(order) == 0 or not order >= 1.0:
        raise InvalidArgument(
            f"'order' must be a number of at least 1; got {_validate.told(order)}", argument="order"
        )
    loss, divergence = _divergence_of(law, distance)
    return loss if order == np.inf or loss == 0.0 else divergence(float(order))


def renyi_level(law: Any, responses: int, *, distance: float, delta: float) -> float:
    """Privacy level of several responses of one person, from the Rényi divergences of one.

    Parameters
    ----------
    law : law
        As for :func:`renyi_divergence`, one and the same in all responses.
    responses : int
        Number of responses T, at least 1.
    distance : float, keyword-only
        Of the two inputs: radians from 0 to π; of a law in space, any length.
    delta : float, keyword-only
        δ of (ε, δ)-indistinguishability, in (0, 1).

    Returns
    -------
    float
        ε in nats, at most ``responses`` times the largest loss of one response, and at least
        :func:`dirpriv.guarantees.composed_level`. See :mod:`dirpriv.accounting.renyi` for the formula.

    Raises
    ------
    ValueError
        As :func:`renyi_divergence`.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import accounting
    >>> from dirpriv.mechanisms import PurkayasthaMechanism
    >>> law = PurkayasthaMechanism.within(level=0.316, radius=np.pi / 4).law
    >>> round(accounting.composed_level(law, 100, distance=np.pi / 4, delta=1e-6), 2)
    16.55
    >>> round(accounting.renyi_level(law, 100, distance=np.pi / 4, delta=1e-6), 2)
    17.4
    """
    responses = _validate.integer("responses", responses, 1)
    delta = _validate.positive("delta", delta)
    if not delta < 1.0:
        raise InvalidArgument(f"'delta' must be less than 1; got {_validate.told(delta)}", argument="delta")
    loss, divergence = _divergence_of(law, distance)
    if loss == 0.0:
        return 0.0

    def _level(log_excess: float) -> float:
        excess = float(np.exp(log_excess))  # α - 1
        order = 1.0 + excess
        spare = float(np.log(excess / order) - (np.log(delta) + np.log(order)) / excess)
        return responses * divergence(order) + spare

    tried = np.linspace(-9.0, 14.0, 24)
    levels = [_level(x) for x in tried]
    best = int(np.argmin(levels))
    around = tried[max(best - 1, 0)], tried[min(best + 1, len(tried) - 1)]
    found = minimize_scalar(_level, bounds=around, method="bounded", options={"xatol": 1e-5})
    return float(min(max(min(levels[best], found.fun), 0.0), responses * loss))


def _divergence_of(law: Any, distance: Any) -> tuple[float, Callable[[float], float]]:
    """The largest loss at a distance, and the divergence as a function of a finite order."""
    if not hasattr(law, "rvs"):
        raise InvalidArgument(
            f"'law' must be a law with its probabilities; got {_validate.told(law)}", argument="law"
        )
    distance = float(distance)
    loss = float(guarantees.privacy_loss(law, distance))
    if not loss < np.inf:
        reason = getattr(law, "why_infinite", "")
        raise InvalidArgument(
            f"{law!r} has no finite privacy loss at the distance {distance!r}"
            + (f" ({reason})" if reason else "")
            + ": use a law with one, as Purkayastha"
        )
    if loss == 0.0:
        return loss, lambda order: 0.0
    if isinstance(law, VonMisesFisher):
        return loss, lambda order: min(_of_von_mises_fisher(law, order, distance), loss)
    if isinstance(law, Purkayastha) and law.dim == 2:
        return loss, lambda order: min(_of_purkayastha(law.kappa, order, distance), loss)
    return loss, _of_cells(law, distance, loss)


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
    series, power = np.zeros_like(r), np.zeros_like(r) + 1.0
    weight = 0.0
    for k in range(2, _TERMS + 2):
        weight = weight * order + 1.0  # 1 + α + … + α^(k - 2)
        power = r**k / factorial(k)
        series += order * weight * power
    near = np.abs(r) * order < 0.3
    if order == 1.0:
        return np.where(near, series, r * np.exp(r) - np.expm1(r))
    return np.where(near, series, (np.expm1(order * r) - order * np.expm1(r)) / (order - 1.0))


def _of_cells(law: Any, distance: float, largest: float) -> Callable[[float], float]:
    """From the masses of the privacy loss at the bounds of cells, a pair of laws that is worse."""
    from dirpriv._privacy_loss import _on_grid, loss_cells  # here, as few need it and it needs more of SciPy

    masses, lows, highs = loss_cells(law, distance, largest)
    weights, losses = _on_grid(masses.ravel(), np.concatenate([lows, highs]), largest, _STEPS)
    with np.errstate(divide="ignore"):
        logs = np.log(weights / weights.sum())

    def divergence(order: float) -> float:
        if order == 1.0:
            return float(min(max(weights @ losses / weights.sum(), 0.0), largest))
        moment = float(logsumexp(logs + (order - 1.0) * losses))
        return min(max(moment / (order - 1.0), 0.0), largest)

    return divergence
