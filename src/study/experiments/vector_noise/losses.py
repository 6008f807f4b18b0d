"""Privacy loss of vector-valued noise with a gamma radius, without simulation.

Noise z in R^d with a uniform direction and a radius of the gamma distribution with a shape s and the rate 1 has the
log-density -r - (d - s) log r. The shape d is right (vector-valued Laplace noise); the shape 1, an
exponential radius, is the trap that the note warns of. Let an output be its input plus z, at the
distance r = ‖z‖ from it, and at r' from another input, Δ away from the first. Its privacy loss is

    L = (r' - r) + (d - s) log(r'/r).

For a given r it exceeds a level exactly where r' exceeds some length, that is where the cosine of the angle
between z and the way to the other input is below some c(r). That cosine has a beta distribution, so the probability of
L > level is a single integral of elementary functions and an incomplete beta function over r.
"""

import numpy as np
import scipy  # which imports its submodules where they are first used
from scipy import special

from study.simulation.quadrature import nodes_and_weights

_PANELS = 16  # of the integral over the radius, with 24 nodes each: within 1e-12 of adaptive quadrature
_NEGLIGIBLE = 1e-18  # share of the draws beyond the upper end of the integral


def exceedance(level, dim, shape, distance):
    """Probability that the privacy loss exceeds a level, of any sign, under the first input.

    ``dim`` is d and ``shape`` is s, from 1 to d; ``distance`` is Δ in units of one over the rate of the
    noise.

    >>> exceedance(1.0, dim=3, shape=3, distance=1.0)  # pure privacy at λΔ
    0.0
    >>> round(exceedance(1.0, dim=3, shape=1, distance=1.0), 2)  # the trap
    0.68
    """
    power = dim - shape
    if power == 0 and abs(level) >= distance:
        return 0.0 if level > 0.0 else 1.0  # the triangle inequality
    always = _radius_up_to_which_it_exceeds(level, power, distance)
    end, beyond = special.gammainccinv(shape, _NEGLIGIBLE), 0.0
    if power and level > distance:  # further out it never exceeds the level
        end = min(end, distance / np.expm1(min(700.0, (level - distance) / power)))
    elif power and level < -distance:  # further out it always does
        turn = -distance / np.expm1((level + distance) / power)
        beyond = special.gammaincc(shape, turn)
        end = min(end, turn)
    if end <= always:
        return float(special.gammainc(shape, max(always, end)) + beyond)
    # the square of a sine: at both ends the integrand may begin like a root
    nodes, weights = nodes_and_weights()
    turn = ((np.arange(_PANELS)[:, None] + nodes) * (0.5 * np.pi / _PANELS)).ravel()
    weight = np.tile(weights, _PANELS) * (0.5 * np.pi / _PANELS) * (end - always) * np.sin(2.0 * turn)
    radius = always + (end - always) * np.sin(turn) ** 2
    density = np.exp((shape - 1.0) * np.log(radius) - radius - special.gammaln(shape))
    between = density * _share_that_exceeds(radius, level, dim, power, distance)
    return float(special.gammainc(shape, always) + (weight * between).sum() + beyond)


def delta(epsilon, dim, shape, distance):
    """Smallest δ with which the noise is (ε, δ)-private for inputs at a distance.

    It is the largest P(S) - e^ε P'(S) over the sets S of outputs, reached by the outputs whose loss exceeds
    ε. Under the other input the loss has the distribution of -L, so P'(S) = P(L < -ε).

    >>> delta(1.0, dim=2, shape=2, distance=1.0)
    0.0
    """
    above = exceedance(epsilon, dim, shape, distance)
    below = 1.0 - exceedance(-epsilon, dim, shape, distance)
    return max(0.0, above - np.exp(epsilon) * below)


def quantile(share, dim, shape, distance):
    """Privacy loss that a share of the draws stays below.

    >>> quantile(0.99, dim=2, shape=2, distance=1.0) <= 1.0
    True
    """
    low, high = -distance, distance  # of the right radius; the other one loses more
    while exceedance(low, dim, shape, distance) < 1.0 - share:
        low *= 2.0
    while exceedance(high, dim, shape, distance) > 1.0 - share:
        high *= 2.0
    return scipy.optimize.brentq(
        lambda level: exceedance(level, dim, shape, distance) - 1.0 + share, low, high, xtol=1e-13
    )


def _radius_up_to_which_it_exceeds(level, power, distance):
    """The radius below which the loss exceeds the level in every direction, even towards the other input."""
    if power == 0:
        return 0.5 * (distance - level)
    ends = -(level + distance) / power, -(level - distance) / power
    # towards the other input, at the share expit(x) of the way
    logit = scipy.optimize.brentq(lambda x: -distance * np.tanh(0.5 * x) - power * x - level, *ends, xtol=1e-14)
    return distance * special.expit(logit)


def _share_that_exceeds(radius, level, dim, power, distance):
    """Share of the directions in which noise of these lengths has a loss above the level."""
    if power == 0:
        other = radius + level
    else:  # r' + k log r' = level + r + k log r, solved by Wright's omega function
        total = (level + radius) / power + np.log(radius / power)
        other = power * special.wrightomega(total)
    with np.errstate(over="ignore"):  # so near that the other input is in every direction at the distance Δ
        cosine = ((radius - other) * (radius + other) + distance * distance) / (2.0 * radius * distance)
    half, place = 0.5 * (dim - 1), np.clip(0.5 * (1.0 + cosine), 0.0, 1.0)
    if dim == 1:  # there are two directions
        return 0.5 * (place > 0.0) + 0.5 * (place >= 1.0)
    return special.betainc(half, half, place)
