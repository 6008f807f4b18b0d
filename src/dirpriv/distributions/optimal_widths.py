"""The width of a cap, a trapezoid or a staircase, which is best for an expected loss.

Where the log kernel is 0 up to an angle α and lower beyond, the expected loss v of c(θ) changes with α by the
sign of c(α) - v: the best α has c(α) = v. It is sought in logarithms, as it can be 1e-145.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy  # which imports its submodules where they are first used

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._inputs.validate import check_one_of, check_purpose
from dirpriv._lib.types import Array

_LOWEST, _HIGHEST = -690.0, 30.0  # of log tan(α/2): from 2e-300 to π
_GRID = 16  # offsets of a staircase from which the best is refined


def loss_of(purpose: str) -> Callable[[Array], Array]:
    """What is averaged over the angle: 1 - cos θ, written without cancellation, or θ."""
    if purpose == "angle":
        return lambda theta: theta
    return lambda theta: 2.0 * np.sin(0.5 * theta) ** 2


def cap(make: Callable[[float, float], Any], epsilon: float, purpose: str) -> Any:
    """The cap of this level with the half angle that is best for the purpose."""
    check_purpose(purpose)

    def excess(z: float) -> float:
        return _EXCESS[purpose](make(epsilon, _angle(z)))

    lowest = _LOWEST if purpose in ("angle", "histogram") else -345.0  # so that α² is a double
    low, high, step = 0.0, 0.0, 1.0
    while excess(high) < 0.0 and high < _HIGHEST:
        low, high = high, min(high + step, _HIGHEST)
    if low == high:
        low = -step
        while excess(low) > 0.0:
            if low == lowest:
                hint = f"doubles do not resolve the best half angle, below {_angle(lowest):.0e} rad"
                raise InvalidArgument("epsilon", "must be smaller", got=epsilon, hint=hint)
            high, step = low, 2.0 * step
            low = max(low - step, lowest)
    return make(epsilon, _angle(scipy.optimize.brentq(excess, low, high, xtol=1e-15, rtol=1e-15)))


def _angle(z: float) -> float:
    return float(2.0 * np.arctan(np.exp(z)))


def _excess_loss(purpose: str) -> Callable[[Any], float]:
    loss = loss_of(purpose)
    return lambda distribution: float(np.log(loss(distribution.half_angle)) - np.log(distribution.expectation(loss)))


def _excess_variance(distribution: Any) -> float:
    """Sign of the slope of E sin² θ/λ², the variance of the mean direction; λ = E ℓ(θ).

    With S, Z, R the integrals of sin² θ, 1 and ℓ by e^f dμ, μ the uniform distribution, it is SZ/R², and its logarithm
    has the slope sin² α/S + 1/Z - 2ℓ(α)/R per mass that is added at α. (∫ ℓ dμ = 0.)
    """
    mean, sine2 = distribution._mean_alignment(), distribution.expectation(lambda theta: np.sin(theta) ** 2)
    rise = mean * (np.sin(distribution.half_angle) ** 2 + sine2)
    fall = 2.0 * distribution._alignment(distribution.half_angle) * sine2
    return float((rise - fall) / (abs(rise) + abs(fall)))


def _excess_share(distribution: Any) -> float:
    """A share of 1/(e^ε + 1) of the space is that with the probability 1/2."""
    return float(distribution.angle_cdf(distribution.half_angle) - distribution.angle_sf(distribution.half_angle))


_EXCESS: dict[str, Callable[[Any], float]] = {
    "mean": _excess_loss("mean"),
    "angle": _excess_loss("angle"),
    "one direction": _excess_variance,
    "histogram": _excess_share,
}


def trapezoid(make: Callable[[float], Any], length: float) -> Any:
    """The trapezoid with the largest mean cosine: its plateau has E[c | angle in the fall] = E c."""
    if length >= np.pi:  # it falls all the way, as no distribution with this slope is better
        return make(0.0)
    loss = loss_of("mean")

    def excess(plateau: float) -> float:
        distribution = make(plateau)
        falling = distribution._mean_of_piece(1 if plateau > 0.0 else 0, loss)
        return float(np.log(falling / distribution.expectation(loss)))

    if excess(0.0) >= -1e-14:
        return make(0.0)
    return make(scipy.optimize.brentq(excess, 0.0, np.pi - length, xtol=1e-300, rtol=1e-15))


def staircase(make: Callable[[float], Any], width: float, purpose: str) -> Any:
    """The staircase with the offset of the smallest expected loss, by search."""
    check_one_of("purpose", purpose, ("mean", "angle"))
    loss = loss_of(purpose)

    def expected(share: float) -> float:
        return make(_offset(share, width)).expectation(loss)

    shares = (np.arange(_GRID) + 0.5) / _GRID  # the loss has the period 1
    best = shares[int(np.argmin([expected(share) for share in shares]))]
    around = best - 1.0 / _GRID, best + 1.0 / _GRID
    optimum = scipy.optimize.minimize_scalar(expected, bounds=around, options={"xatol": 1e-10})
    return make(_offset(float(optimum.x), width))


def _offset(share: float, width: float) -> float:
    return min(share % 1.0 * width, float(np.nextafter(width, 0.0)))
