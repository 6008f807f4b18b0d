"""Level of several responses of one person, by the distribution of their privacy loss.

The privacy loss L of an output is the log ratio of its densities under two inputs. Losses of independent
responses add up, and the responses are (ε, δ)-indistinguishable where E[(1 - exp(ε - L))₊] ≤ δ [1]_. Every
step here rounds up:

1. The outputs are cut into cells. For each cell the probability p under the one input, q under the other, and
   bounds of L are known. The worst case in a cell has all mass at the two bounds, in the shares that keep p
   and q, as the integrand is convex in exp(-L) [2]_. The same brings the mass to a grid of losses.
   The error of both is of second order in the widths. The bounds of L are the extremes at 9 points and the
   corners of a cell, widened by a quarter of their distance on both sides; p is exact, q by quadrature.
2. The law of the sum of the losses follows by FFT, after an exponential tilt that moves the tail of interest
   to the middle. What can wrap around and the rounding of the FFT are bounded and added.

References
----------
.. [1] D. M. Sommer, S. Meiser, E. Mohammadi, "Privacy loss classes: the central limit theorem in differential
   privacy", PoPETs 2019(2).
.. [2] V. Doroshenko, B. Ghazi, P. Kamath, R. Kumar, P. Manurangsi, "Connect the dots: tighter discrete
   approximations of privacy loss distributions", PoPETs 2022(4).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.fft import irfft, next_fast_len, rfft
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from dirpriv.laws.uniform import Uniform
from dirpriv.laws.vector_laplace import VectorLaplace

Array = NDArray[np.float64]

_STEPS = 2048  # of the grid from 0 to the largest loss, less where responses are many
_LEAST_STEPS = 64
_LONGEST = 2**23  # of the FFT
_FAR = 1e-30  # probability beyond the last cell, counted with the largest loss
_BEYOND = 45.0  # nats: exp(-45) is more than can wrap around
_X = np.array([-np.sqrt(0.15) + 0.5, 0.5, np.sqrt(0.15) + 0.5])  # Gauss-Legendre, on [0, 1]
_W = np.array([5.0, 8.0, 5.0]) / 18.0


def composed_level(law: Any, responses: int, distance: Any, delta: float, largest: float) -> float:
    """A level ε that ``responses`` keep with ``delta`` > 0; it is an upper bound near the least such level.

    Parameters
    ----------
    law : object
        See :func:`dirpriv.guarantees.composed_level`.
    responses : int
    distance : float
        Of the two inputs, positive; for the law of a release, also a text.
    delta : float
        In (0, 1).
    largest : float
        Largest privacy loss of one response at that distance, positive and finite.
    """
    if hasattr(law, "loss_distribution"):  # of a table: two bounds, and both are sound
        bounds = law.loss_distribution(distance), randomised_response(largest)
        return min(_of_points(masses, losses, responses, delta, largest) for masses, losses in bounds)
    if getattr(law, "_jumps", False):  # cells of outputs would not resolve them
        known = _of_steps(law, distance) if getattr(law, "dim", 0) == 2 else randomised_response(largest)
        return _of_points(*known, responses, delta, largest)
    return _composed(*loss_cells(law, distance, largest), responses, delta, largest)


def randomised_response(loss: float) -> tuple[Array, Array]:
    """Probabilities and losses of the mechanism from which all others of this loss can be made."""
    less = 1.0 / (1.0 + np.exp(loss))
    return np.array([1.0 - less, less]), np.array([loss, -loss])


def _of_steps(law: Any, distance: float) -> tuple[Array, Array]:
    """Probabilities and losses of a law on the circle whose log kernel is a step function."""
    edges = law._kernel.edges
    cuts = np.concatenate([[0.0], edges, -edges, distance + edges, distance - edges]) % (2.0 * np.pi)
    cuts = np.append(np.unique(cuts), 2.0 * np.pi)
    middles = 0.5 * (cuts[1:] + cuts[:-1])
    here, there = (np.abs(np.remainder(middles - x + np.pi, 2.0 * np.pi) - np.pi) for x in (0.0, distance))
    masses = 0.5 * law.angle_pdf(here) * np.diff(cuts)
    return masses / masses.sum(), law._log_kernel(here) - law._log_kernel(there)


def _of_points(masses: Array, losses: Array, responses: int, delta: float, largest: float) -> float:
    """The level for losses that are known at points."""
    cells = np.stack([np.zeros(len(masses)), masses])
    return _composed(cells, losses, losses, responses, delta, largest)


def _composed(
    masses: Array, lows: Array, highs: Array, responses: int, delta: float, largest: float
) -> float:
    """The level for masses at the bounds of cells, as of :func:`loss_cells`."""
    masses, points, kept = _trimmed(masses, lows, highs, 1e-4 * delta / responses)
    steps, widest = _STEPS, float(np.abs(points).max())
    delta = delta - responses * (1.0 - kept)
    if widest == 0.0:
        return 0.0
    while True:
        on_grid, losses = _on_grid(masses, points, widest, steps)
        tilt, bound = _chernoff(on_grid, losses, responses, delta)
        center, reach = _window(on_grid, losses, responses, tilt)
        length = max(2.0 * reach * steps / widest, min(4.0 * responses * steps, 2.0**16)) + 16.0
        if length <= _LONGEST or steps == _LEAST_STEPS:
            break
        steps = max(_LEAST_STEPS, steps // 2)
    if length <= _LONGEST:  # more responses than that are left to the bound of Chernoff
        size = next_fast_len(int(length), real=True)
        bound = min(bound, _level_of_sum(on_grid, losses, responses, delta, tilt, center, size))
    return float(min(max(bound, 0.0), responses * largest))


# ---------------------------------------------------------------------- the loss of one response


def loss_cells(law: Any, distance: float, largest: float) -> tuple[Array, Array, Array]:
    """Masses at bounds of the loss: ``(2, cells)`` masses, and the lower and upper bounds they lie at."""
    if hasattr(law, "seam_probability"):  # inputs on both sides of the seam, before anything is clipped
        law, distance = VectorLaplace(1, law.kappa), 2.0 * np.pi - distance
    dim, kernel, away, (ppf, isf, cdf, sf, pdf) = _space(law, distance)
    kinks = (
        law._kernel.edges if hasattr(law, "_kernel") else np.empty(0)
    )  # of a log kernel in straight pieces
    kinks = np.concatenate(
        [kinks, *(kinks + d for d in (distance, -distance)), distance - kinks, 2.0 * np.pi - distance - kinks]
    )
    edges, panels = _panels(ppf, isf, cdf, sf, distance, kinks, 3000 if dim == 1 else 400)
    theta = edges[:-1, None] + np.diff(edges)[:, None] * _X
    inside = np.maximum(np.nan_to_num(pdf(theta)), 1e-300) * _W
    inside /= inside.sum(axis=1, keepdims=True)
    if dim == 1:  # the other input lies straight ahead or straight behind
        shares, psi, weights = np.array([0.5, 0.5]), np.array([[0.0], [np.pi]]), np.ones((2, 1))
        corners = psi
    else:
        lower = np.concatenate([[0.0], _shares(128)])
        shares, half = np.diff(lower), Uniform(dim).angle_ppf(lower)
        shares = np.concatenate([shares, shares[::-1]])
        psi_edges = np.concatenate([half, np.pi - half[-2::-1]])
        corners = np.stack([psi_edges[:-1], psi_edges[1:]], axis=1)
        psi = corners[:, :1] + np.diff(corners) * _X
        weights = np.maximum(Uniform(dim).angle_pdf(psi), 1e-300) * _W
        weights /= weights.sum(axis=1, keepdims=True)

    def losses(theta: Array, psi: Array) -> Any:
        return np.clip(kernel(theta) - kernel(away(theta, psi)), -largest, largest)

    at_nodes = losses(theta[:, :, None, None], psi)
    at_corners = losses(edges[:, None, None], corners)
    most, least = at_corners.max(axis=2), at_corners.min(axis=2)
    high = np.maximum(np.maximum(most[:-1], most[1:]), at_nodes.max(axis=(1, 3)))
    low = np.minimum(np.minimum(least[:-1], least[1:]), at_nodes.min(axis=(1, 3)))
    # a maximum between the points is less than this above them
    spare = 0.25 * (high - low)
    high, low = np.minimum(high + spare, largest), np.maximum(low - spare, -largest)
    ratio = np.einsum("ia,jb,iajb->ij", inside, weights, np.exp(low[:, None, :, None] - at_nodes))
    mass = panels[:, None] * shares
    off = abs(float((mass * ratio * np.exp(-low)).sum()) - 1.0) if largest < 20.0 else 0.0
    width = high - low
    with np.errstate(divide="ignore", invalid="ignore"):
        upper = -((1.0 - 2.0 * off) * ratio - 1.0) / -np.expm1(-width)
    upper = mass * np.clip(np.where(width > 0.0, upper, 1.0), 0.0, 1.0)
    masses = np.stack([(mass - upper).ravel(), upper.ravel()])
    far = np.array([[0.0], [_FAR]])  # the rest, as if lost whole
    ends = np.array([largest])
    return np.hstack([masses, far]), np.append(low.ravel(), -ends), np.append(high.ravel(), ends)


def _space(law: Any, distance: float) -> tuple[int, Callable[..., Any], Callable[..., Any], tuple[Any, ...]]:
    """Dimension of the bearings, log kernel, distance from the other input, and the law of the distance."""
    if hasattr(law, "radius_isf"):

        def away_in_space(r: Array, psi: Array) -> Any:
            return np.sqrt((r - distance) ** 2 + 4.0 * r * distance * np.sin(0.5 * psi) ** 2)

        quantities = (law.radius_ppf, law.radius_isf, law.radius_cdf, law.radius_sf, law.radius_pdf)
        return law.dim, lambda r: -law.kappa * r, away_in_space, quantities
    dim = getattr(law, "dim", None)
    half = 1.0 if dim else 0.5  # of rotations, the angle of the versors

    def away(theta: Array, psi: Array) -> Any:
        one, other = half * theta, half * distance
        across = np.sin(one) * np.sin(other)
        near = np.sqrt(np.sin(0.5 * (one - other)) ** 2 + across * np.sin(0.5 * psi) ** 2)
        far = np.sqrt(np.cos(0.5 * (one + other)) ** 2 + across * np.cos(0.5 * psi) ** 2)
        if dim:
            return 2.0 * np.arctan2(near, far)
        return 4.0 * np.arctan2(np.minimum(near, far), np.maximum(near, far))

    quantities = (law.angle_ppf, law.angle_isf, law.angle_cdf, law.angle_sf, law.angle_pdf)
    return (dim - 1 if dim else 3), _log_kernel(law, dim), away, quantities


def _log_kernel(law: Any, dim: int | None) -> Callable[[Array], Any]:
    """The law's log kernel; for a user's own law, the log-density at an angle from the mode."""
    if hasattr(law, "_log_kernel"):
        return law._log_kernel

    def of_density(theta: Array) -> Any:
        x = np.zeros((*theta.shape, dim or 0))
        x[..., 0], x[..., 1] = np.cos(theta), np.sin(theta)
        return law.logpdf(x, np.eye(dim or 0)[0])

    return of_density


def _panels(
    ppf: Any, isf: Any, cdf: Any, sf: Any, distance: float, kinks: Array, count: int
) -> tuple[Array, Array]:
    """Edges of panels of the distance from the input, and the exact mass of each."""
    share = _shares(count)
    upper = np.asarray(isf(share))
    lengths = np.concatenate([np.linspace(0.0, 1.0, 129), np.geomspace(1.02, 64.0, 64)]) * distance
    end = np.pi if isf(0.0) < np.inf else upper[0]
    edges = np.concatenate([[0.0, end], np.asarray(ppf(share)), upper, lengths, end - lengths, kinks])
    edges = np.unique(edges[(edges >= 0.0) & (edges <= end)])
    below, above = np.asarray(cdf(edges)), np.asarray(sf(edges))
    return edges, np.maximum(np.where(below[1:] < 0.5, np.diff(below), -np.diff(above)), 0.0)


def _shares(count: int) -> Array:
    """Probabilities up to 1/2: those of ``count`` equal cells, and ever smaller ones."""
    return np.concatenate(
        [np.geomspace(_FAR, 1.0 / count, 120), np.linspace(1.0 / count, 0.5, count // 2)[1:]]
    )


def _trimmed(masses: Array, lows: Array, highs: Array, spare: float) -> tuple[Array, Array, float]:
    """Masses and their losses without the ``spare`` at the largest ones, and the share that is left.

    δ covers the mass that is left out. The same mass at the smallest losses is raised to the next loss.
    Otherwise rounding errors at the largest loss would stretch the grid where all others are small.
    """
    mass, loss = masses.ravel(), np.concatenate([lows, highs])
    order = np.argsort(loss)
    mass, loss = mass[order], loss[order]
    last = int(np.searchsorted(-np.cumsum(mass[::-1])[::-1], -spare))
    first = min(int(np.searchsorted(np.cumsum(mass), spare)), last - 1)
    left_out = float(mass[last:].sum())
    return mass[:last], np.maximum(loss[:last], loss[first]), 1.0 - left_out


def _on_grid(mass: Array, loss: Array, widest: float, steps: int) -> tuple[Any, Any]:
    """The masses on a grid of 2 ``steps`` + 1 losses."""
    step = widest * (1.0 + 1e-12) / steps
    place = loss / step + steps
    index = np.clip(np.floor(place), 0, 2 * steps - 1).astype(np.intp)
    upper = mass * np.clip(np.expm1(-step * (place - index)) / np.expm1(-step), 0.0, 1.0)
    size = 2 * steps + 1
    grid = np.bincount(index, mass - upper, size) + np.bincount(index + 1, upper, size)
    return grid, step * np.arange(-steps, steps + 1)


# ---------------------------------------------------------------------- the loss of all responses


def _log_moment(masses: Array, losses: Array, tilt: float) -> float:
    with np.errstate(divide="ignore"):
        return float(logsumexp(np.log(masses) + tilt * losses))


def _chernoff(masses: Array, losses: Array, responses: int, delta: float) -> tuple[float, float]:
    """The tilt λ that gives the lowest bound of ε by moments, and that bound.

    (1 - exp(-x))₊ ≤ c(λ) exp(λx) with c(λ) = λ^λ/(1 + λ)^(1 + λ), so δ(ε) ≤ c(λ) exp(T K(λ) - λε).
    """

    def bound(log_tilt: float) -> float:
        tilt = float(np.exp(log_tilt))
        constant = -tilt * np.log1p(1.0 / tilt) - np.log1p(tilt)
        return float((responses * _log_moment(masses, losses, tilt) + constant - np.log(delta)) / tilt)

    most = 2.0 / (losses[1] - losses[0])  # with more, the bound of the errors would rise too fast in a step
    best = minimize_scalar(bound, bounds=(np.log(1e-6 / losses[-1]), np.log(most)), options={"xatol": 1e-6})
    return float(np.exp(best.x)), float(best.fun)


def _window(masses: Array, losses: Array, responses: int, tilt: float) -> tuple[float, float]:
    """Mean of the tilted sum, and a distance from it beyond which it has less than exp(-45) on a side."""
    base = _log_moment(masses, losses, tilt)
    with np.errstate(divide="ignore"):
        tilted = np.exp(np.log(masses) + tilt * losses - base)
    mean = float(tilted @ losses / tilted.sum())
    reach = 0.0
    for side in (-1.0, 1.0):
        slopes = np.geomspace(1e-6, 1e3, 200) / losses[-1] / np.sqrt(responses)
        bounds = [
            (responses * (_log_moment(masses, losses, tilt + side * s) - base - side * s * mean) + _BEYOND)
            / s
            for s in slopes
        ]
        reach = max(reach, min(min(bounds), responses * (losses[-1] - side * mean)))
    return responses * mean, reach


def _level_of_sum(
    masses: Array,
    losses: Array,
    responses: int,
    delta: float,
    tilt: float,
    center: float,
    length: int,
) -> float:
    """The level at which the sum of the losses keeps ``delta``, by FFT of its tilted law."""
    steps, step = losses.size // 2, losses[-1] / (losses.size // 2)
    base = _log_moment(masses, losses, tilt)
    with np.errstate(divide="ignore"):
        tilted = np.exp(np.log(masses) + tilt * losses - base)
    middle = round(center / responses / step)  # counted from it, indices of the sum stay small
    index = (np.arange(-steps, steps + 1) - middle) % length
    transform = rfft(np.bincount(index, tilted, length))
    total = irfft(transform**responses, length)
    first = round(center / step - responses * middle) - length // 2
    places = first + np.arange(length)
    mass = np.maximum(total[places % length], 0.0)
    loss = step * (responses * middle + places)
    rounding = 2.2e-16 * (responses + 10) * np.log2(length) * np.sqrt(length) * np.linalg.norm(mass)
    spare = rounding + 4.0 * np.exp(-_BEYOND)
    # δ(ε) exp(λ c - T K) from ε = c - 500/(1 + λ) on, c the center: no exponential overflows
    kept = loss - center > -500.0 / (1.0 + tilt)
    loss, mass = loss[kept], mass[kept]
    moved = loss - center
    weights = mass * np.exp(-tilt * moved)
    ones = np.append(np.cumsum(weights[::-1])[::-1][1:], 0.0)  # of larger losses
    exps = np.append(np.cumsum((weights * np.exp(-moved))[::-1])[::-1][1:], 0.0)
    errors = spare * np.exp(-tilt * (moved + step))  # of masses at larger losses
    wanted = np.exp(np.log(delta) - responses * base + tilt * center)
    enough = np.flatnonzero(ones - np.exp(np.minimum(moved, 700.0)) * exps + errors <= wanted)
    if enough.size == 0:
        return np.inf
    i = int(enough[0])
    if i == 0 or exps[i - 1] <= 0.0 or ones[i - 1] + errors[i - 1] <= wanted:
        return float(loss[i])
    level = center + np.log((ones[i - 1] + errors[i - 1] - wanted) / exps[i - 1])
    return float(np.clip(level, loss[i - 1], loss[i]))
