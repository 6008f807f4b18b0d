"""Where polar Laplace breaks the level of its name: its log kernel falls or rises by more than ε per radian.

It does near the mode and near the antipode. The share of the outputs there is small, and known even if it is
far below the smallest double.
"""

import numpy as np
import scipy  # which imports its submodules where they are first used

from dirpriv.distributions import PolarLaplace


def steep_angles(epsilon):
    """Angles from mode and antipode within which the slope of polar Laplace's log kernel exceeds ε = κ.

    ε is the level per radian. An angle, in radians, is 0 where no slope exceeds ε, and where it is below the
    smallest double (that from the mode, for ε above 350). Near the mode, the walks that wrap round add 4πε
    exp(-2πε)/θ to the slope, and the sine takes off ε θ²/3: they are equal at θ = (12π exp(-2πε))^(1/3). For
    ε of 30 and more this is the angle in doubles.

    >>> near, rest = steep_angles(10.0)
    >>> 0.0 < rest < 3.2
    True
    """
    if epsilon < 30.0:
        near = _reach(lambda theta: _excess_near_mode(epsilon, theta))
    else:  # in logarithms, as exp(-2πε) has no digits long before the angle has none
        near = float(np.exp((np.log(12.0 * np.pi) - 2.0 * np.pi * epsilon) / 3.0))
    return near, _reach(lambda rest: _excess_near_antipode(epsilon, rest))


def log_steep_share(epsilon):
    """Logarithm of the share of polar Laplace's outputs within :func:`steep_angles`.

    >>> log_steep_share(1000.0) < -1000.0
    True
    """
    near, rest = steep_angles(epsilon)
    inner = float(PolarLaplace(epsilon).angle_cdf(near))
    log_share = _log_tail(epsilon, rest)
    return float(np.logaddexp(log_share, np.log(inner))) if inner > 0.0 else log_share


def _excess_near_mode(epsilon, theta):
    """Sign of -f'(θ) - ε of polar Laplace's log kernel, κ = ε: positive where it falls too steeply.

    f = log Σ_k |θ + 2πk| exp(-ε|θ + 2πk|) - log sin θ. The result is multiplied by the sum, and its formula
    avoids cancellation: without the walks that wrap round, the slope would be slightly below ε everywhere.
    """
    turns, back, around = _wraps(epsilon, np.pi - theta)
    cotangent = 1.0 / np.tan(theta)
    square = theta * theta
    series = square * (1.0 / 3.0 + square * (1.0 / 45.0 + square * (2.0 / 945.0 + square / 4725.0)))
    flat = np.where(theta < 0.1, series, 1.0 - theta * cotangent)
    return (turns + back * around) * cotangent + epsilon * (back * (1.0 - 2.0 * around) - flat)


def _excess_near_antipode(epsilon, rest):
    """f'(θ) - ε at the distance ``rest`` = π - θ from the antipode, towards which f rises."""
    turns, back, around = _wraps(epsilon, rest)
    straight = epsilon * (np.pi - rest) + turns
    change = (1.0 - straight) - back * (1.0 - around)
    return epsilon * change / (straight + back * around) + 1.0 / np.tan(rest) - epsilon


def _wraps(epsilon, rest):
    """Share of whole turns; share of walks past the antipode relative to straight ones; and their weight."""
    turns = 2.0 * np.pi * epsilon * np.exp(-2.0 * np.pi * epsilon) / -np.expm1(-2.0 * np.pi * epsilon)
    return turns, np.exp(-2.0 * epsilon * rest), epsilon * (np.pi + rest) + turns


def _reach(excess):
    """The angle up to which the excess is positive; 0 if it is not positive at the beginning."""
    angles = np.geomspace(1e-150, np.pi - 1e-9, 6001)
    negative = excess(angles) <= 0.0
    if negative[0] or not negative.any():
        return 0.0 if negative[0] else float(angles[-1])
    first = int(np.argmax(negative))
    return float(scipy.optimize.brentq(excess, angles[first - 1], angles[first], xtol=1e-300, rtol=1e-13))


def _log_tail(epsilon, rest):
    """Log of the probability that polar Laplace noise ends within ``rest`` of the antipode.

    Walks of lengths from π - rest to π + rest end there, and so do those that are whole turns longer: the sum
    over all turns of S(π - rest) - S(π + rest), with S(r) = (1 + εr) exp(-εr).
    """
    low, high = epsilon * (np.pi - rest), epsilon * (np.pi + rest)
    ratio, turn = np.exp(-2.0 * epsilon * rest), 2.0 * np.pi * epsilon
    q, d = np.exp(-turn), -np.expm1(-turn)
    more = turn * q / d  # Σ k of turns
    return float(-low + np.log(((1.0 + low + more) - ratio * (1.0 + high + more)) / d))
