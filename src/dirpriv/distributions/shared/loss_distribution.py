"""Distribution of the privacy loss between the responses to two inputs, in small cells of outputs.

The worst case in a cell, of probabilities p and q under the inputs, has all mass at two bounds of the loss in
the shares that keep p and q [1]_. The bounds are the extremes at 9 points and the corners, widened by a
quarter of their distance on both sides; p is exact, q by quadrature. That nearer inputs are no worse, where
the density falls with the distance, is shown in docs/mathematics.md, "Several responses".

.. [1] Doroshenko, V., Ghazi, B., Kamath, P., Kumar, R., Manurangsi, P., "Connect the dots: tighter discrete
   approximations of privacy loss distributions", PoPETs 2022(4).
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._lib.types import Array, FloatOrArray

FAR = 1e-30  # probability beyond the last cell, counted with the largest loss
_X = np.array([-np.sqrt(0.15) + 0.5, 0.5, np.sqrt(0.15) + 0.5])  # Gauss-Legendre, on [0, 1]
_W = np.array([5.0, 8.0, 5.0]) / 18.0


class Radial(NamedTuple):
    """A distribution as a function of the distance r of an output from the input."""

    bearings: Any  # uniform distribution of the bearings of outputs; None on a circle or line, where there are two
    log_kernel: Callable[[Any], Any]
    away: Callable[[Any, Any, float], Any]
    """Distance from the other input, of outputs at a distance and a bearing from the one."""
    ppf: Callable[[Any], Any]
    isf: Callable[[Any], Any]
    cdf: Callable[[Any], Any]
    sf: Callable[[Any], Any]
    pdf: Callable[[Any], Any]
    kinks: Array = np.empty(0)  # distances between which the log kernel is smooth


def steps_to(distance: ArrayLike, width: float) -> FloatOrArray:
    """How many steps of a width reach so far: ⌈distance/width⌉ of these doubles, exactly."""
    rest = np.fmod(distance, width)  # is a double
    return np.round((distance - rest) / width) + (rest > 0.0)


def randomised_response(loss: float) -> tuple[Array, Array]:
    """Probabilities and losses of the mechanism from which all others of this loss can be made."""
    less = 1.0 / (1.0 + np.exp(min(loss, 700.0)))
    return np.array([1.0 - less, less]), np.array([loss, -loss])


def step_losses(distribution: Any, distance: float) -> tuple[Array, Array]:
    """Probabilities and losses of a distribution on the circle with a ``_kernel`` of steps."""
    edges = distribution._kernel.edges
    cuts = np.concatenate([[0.0], edges, -edges, distance + edges, distance - edges]) % (2.0 * np.pi)
    cuts = np.append(np.unique(cuts), 2.0 * np.pi)
    middles = 0.5 * (cuts[1:] + cuts[:-1])
    here, there = (np.abs(np.remainder(middles - x + np.pi, 2.0 * np.pi) - np.pi) for x in (0.0, distance))
    masses = 0.5 * distribution.angle_pdf(here) * np.diff(cuts)
    return masses / masses.sum(), distribution._log_kernel(here) - distribution._log_kernel(there)


def loss_cells(distribution: Any, distance: float, largest: float) -> tuple[Array, Array, Array]:
    """Masses at bounds of the loss: ``(2, cells)`` masses, and the lower and upper bounds they lie at.

    Of a distribution with ``_radial`` that falls with the distance.
    """
    radial = distribution._radial()
    bearings, kernel, away, kinks = radial.bearings, radial.log_kernel, radial.away, radial.kinks
    moved = kinks + distance, kinks - distance, distance - kinks, 2.0 * np.pi - distance - kinks
    kinks = np.concatenate([kinks, *moved])
    in_line = bearings is None or (distance == np.pi and away is away_on_sphere)
    edges, panels = _panels(radial, distance, kinks, 3000 if bearings is None else 400)
    theta = edges[:-1, None] + np.diff(edges)[:, None] * _X
    inside = np.maximum(np.nan_to_num(radial.pdf(theta)), 1e-300) * _W
    inside /= inside.sum(axis=1, keepdims=True)
    if in_line:  # the other input lies straight ahead or straight behind, or is the opposite one
        shares, psi, weights = np.array([0.5, 0.5]), np.array([[0.0], [np.pi]]), np.ones((2, 1))
        corners = psi
    else:
        lower = np.concatenate([[0.0], _shares(128)])
        shares, half = np.diff(lower), bearings.angle_ppf(lower)
        shares = np.concatenate([shares, shares[::-1]])
        psi_edges = np.concatenate([half, np.pi - half[-2::-1]])
        corners = np.stack([psi_edges[:-1], psi_edges[1:]], axis=1)
        psi = corners[:, :1] + np.diff(corners) * _X
        weights = np.maximum(bearings.angle_pdf(psi), 1e-300) * _W
        weights /= weights.sum(axis=1, keepdims=True)

    def losses(theta: Array, psi: Array) -> Any:
        return np.clip(kernel(theta) - kernel(away(theta, psi, distance)), -largest, largest)

    at_nodes = losses(theta[:, :, None, None], psi)
    at_corners = losses(edges[:, None, None], corners)
    most, least = (reduce(at_corners[:, :, 0], at_corners[:, :, -1]) for reduce in (np.maximum, np.minimum))
    nodes = [at_nodes[:, i, :, j] for i in range(_X.size) for j in range(at_nodes.shape[3])]  # far faster than an axis
    high = functools.reduce(np.maximum, nodes, np.maximum(most[:-1], most[1:]))
    low = functools.reduce(np.minimum, nodes, np.minimum(least[:-1], least[1:]))
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
    far = np.array([[0.0], [FAR]])  # the rest, as if lost whole
    ends = np.array([largest])
    return np.hstack([masses, far]), np.append(low.ravel(), -ends), np.append(high.ravel(), ends)


def away_in_space(r: Any, psi: Any, distance: float) -> Any:
    """Distance from the other input, of a point at the distance ``r`` and the bearing ``psi``."""
    return np.sqrt((r - distance) ** 2 + 4.0 * r * distance * np.sin(0.5 * psi) ** 2)


def away_on_sphere(theta: Any, psi: Any, distance: float) -> Any:
    """The same on a sphere, in radians."""
    return 2.0 * np.arctan2(*_half_sines(theta, psi, distance))


def away_of_rotations(theta: Any, psi: Any, distance: float) -> Any:
    """The same for rotations: on the sphere of their versors, of which two opposite ones are one rotation."""
    near, far = _half_sines(0.5 * theta, psi, 0.5 * distance)
    return 4.0 * np.arctan2(np.minimum(near, far), np.maximum(near, far))


def _half_sines(one: Any, psi: Any, other: float) -> tuple[Any, Any]:
    """Sine and cosine of half the angle between two points of a sphere."""
    across = np.sin(one) * np.sin(other)
    near = np.sqrt(np.sin(0.5 * (one - other)) ** 2 + across * np.sin(0.5 * psi) ** 2)
    far = np.sqrt(np.cos(0.5 * (one + other)) ** 2 + across * np.cos(0.5 * psi) ** 2)
    return near, far


def _panels(distribution: Radial, distance: float, kinks: Array, count: int) -> tuple[Array, Array]:
    """Edges of panels of the distance from the input, and the exact mass of each."""
    share = _shares(count)
    upper = np.asarray(distribution.isf(share))
    lengths = np.concatenate([np.linspace(0.0, 1.0, 129), np.geomspace(1.02, 64.0, 64)]) * distance
    end = np.pi if distribution.isf(0.0) < np.inf else upper[0]
    edges = np.concatenate([[0.0, end], np.asarray(distribution.ppf(share)), upper, lengths, end - lengths, kinks])
    edges = np.unique(edges[(edges >= 0.0) & (edges <= end)])
    below, above = np.asarray(distribution.cdf(edges)), np.asarray(distribution.sf(edges))
    return edges, np.maximum(np.where(below[1:] < 0.5, np.diff(below), -np.diff(above)), 0.0)


def _shares(count: int) -> Array:
    """Probabilities up to 1/2: those of ``count`` equal cells, and ever smaller ones."""
    cells = np.linspace(1.0 / count, 0.5, count // 2)
    return np.concatenate([np.geomspace(FAR, cells[0], 120), cells[1:]])
