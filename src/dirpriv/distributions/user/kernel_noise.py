"""Noise with the density exp(κ f(θ)) up to a constant, by a declared log kernel f alone: numerics give all the rest.

Draws are by rejection under a step function, which the declaration keeps above the density: they are exact where it is
true. Where nothing is declared, they are quantiles of random numbers, with an error that ``assumes`` states. Integrals
are over panels of a fixed width, cut at breaks: levels per radian up to about 10⁴ are resolved. A kink that is no break
adds to a probability at most about 1e-9 times its change of slope.
"""

import functools
from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import elementwise

from dirpriv import geometry
from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.immutable import Frozen
from dirpriv._lib.quadrature import NODES, integral, panels
from dirpriv._lib.types import RNG, Array, FloatOrArray, Integers, Mask, Size
from dirpriv.distributions.sampling.directions import draw_by_rejection, place
from dirpriv.distributions.shared.base import scalar_or_array
from dirpriv.distributions.shared.spherical import on_sphere
from dirpriv.distributions.user.declared_density import DeclaredDensity
from dirpriv.geometry.spaces import Sphere


class KernelNoise(Frozen):
    """The distribution on the sphere of R^dim with the log kernel κ f, where f is the one that is declared."""

    is_symmetric = True
    dim: int
    kappa: float
    declared: DeclaredDensity
    space: Sphere
    assumes: str
    why_infinite: str
    _edges: Array
    _middles: Array

    def __init__(self, declared: DeclaredDensity, dim: int, kappa: float) -> None:
        dim, kappa = validate.dimension(dim), validate.nonnegative("kappa", kappa)
        edges = np.union1d(np.linspace(0.0, np.pi, 2049), declared.breaks)
        self._set(dim=dim, kappa=kappa, declared=declared, space=Sphere(dim))
        self._set(_edges=edges, _middles=0.5 * (edges[:-1] + edges[1:]))
        assumes = f"{declared.assumes} (f at κ = 1)"
        if not np.isfinite(declared.steepness):
            theta, weights = panels(edges[::2])  # of half as many panels, where no break shifts them
            below = np.cumsum((weights * self._height(theta)).reshape(-1, NODES.size).sum(axis=1))
            error = float(np.abs(below / below[-1] - self._below[2::2]).max())
            assumes = f"{declared.assumes}: probabilities differ by {error:.1g} from those of half as many panels"
        self._set(assumes=assumes, why_infinite=declared.why_infinite if kappa else "")

    def __repr__(self) -> str:
        return f"KernelNoise({self.declared!r}, dim={self.dim}, kappa={self.kappa!r})"

    def metric_level(self) -> float:
        return self.kappa * self.declared.metric_level() if self.kappa else 0.0

    def pure_level(self) -> float:
        return self.kappa * self.declared.pure_level() if self.kappa else 0.0

    def privacy_loss(self, distance: ArrayLike) -> FloatOrArray:
        domain: Literal["circle", "sphere"] = "circle" if self.dim == 2 else "sphere"
        losses = [_loss(self.declared, float(each), domain) for each in np.ravel(distance)]
        return scalar_or_array(self.kappa * np.reshape(losses, np.shape(distance)))

    def privacy_loss_within(self, radius: ArrayLike) -> FloatOrArray:
        return self.kappa * self.declared.privacy_loss_within(radius)

    def _log_kernel(self, theta: Array) -> Array:
        return self.kappa * self.declared.log_kernel(theta) - self._highest

    @functools.cached_property
    def _highest(self) -> float:
        return self.kappa * float(self.declared.log_kernel(self._middles).max())

    def _height(self, theta: Array) -> Array:
        """Density of the angle, up to a constant."""
        return np.asarray(np.sin(theta) ** (self.dim - 2) * np.exp(self._log_kernel(theta)))

    @functools.cached_property
    def _nodes(self) -> tuple[Array, Array, float]:
        """Angles, the share of the draws that each stands for, and the integral of the heights."""
        theta, weights = panels(self._edges)
        shares = weights * self._height(theta)
        total = float(shares.sum())
        return theta, shares / total, total

    def expectation(self, function: Callable[[Array], Array]) -> float:
        """Mean of a function of the angle."""
        theta, shares, _ = self._nodes
        return float((shares * function(theta)).sum())

    def mean_angle(self) -> float:
        return self.expectation(lambda theta: theta)

    def mean_cosine(self) -> float:
        return self.expectation(np.cos)

    def mean_squared_sine(self) -> float:
        return self.expectation(lambda theta: np.sin(theta) ** 2)

    @functools.cached_property
    def _below(self) -> Array:
        """Probability of an angle below each cell."""
        return np.concatenate([[0.0], np.cumsum(self._nodes[1].reshape(-1, NODES.size).sum(axis=1))])

    def _within(self, cell: Integers, part: Array) -> Array:
        """Probability of an angle in the first part of a cell, of this length."""
        angles = self._edges[cell][..., None] + part[..., None] * NODES
        return np.asarray(part * integral(self._height(angles)) / self._nodes[2])

    def angle_cdf(self, theta: ArrayLike) -> FloatOrArray:
        """Probability of an angle of at most ``theta``."""
        theta = np.clip(np.asarray(theta, dtype=float), 0.0, np.pi)
        cell = np.minimum(np.searchsorted(self._edges, theta, side="right") - 1, self._edges.size - 2)
        return scalar_or_array(np.clip(self._below[cell] + self._within(cell, theta - self._edges[cell]), 0.0, 1.0))

    def angle_sf(self, theta: ArrayLike) -> FloatOrArray:
        """Probability of a larger angle."""
        return 1.0 - self.angle_cdf(theta)

    def angle_ppf(self, u: ArrayLike) -> FloatOrArray:
        """Angle below which a draw lies with the probability ``u``."""
        u = validate.probabilities("u", u)
        cell = np.clip(np.searchsorted(self._below, u, side="right") - 1, 0, self._edges.size - 2)
        low, width = self._edges[cell], np.diff(self._edges)[cell]
        left = np.clip(u - self._below[cell], 0.0, self._within(cell, width))
        ends, exact = (np.zeros_like(width), width), {"fatol": 1e-16}

        def beyond(part: Array, cell: Integers, left: Array) -> Array:
            return self._within(cell, part) - left

        part = elementwise.find_root(beyond, ends, args=(cell, left), tolerances=exact).x
        return scalar_or_array(low + part)

    def logpdf(self, x: ArrayLike, mu: ArrayLike) -> FloatOrArray:
        """Log-density with respect to surface measure."""
        theta = np.asarray(geometry.angle_between_vectors(x, mu))
        return scalar_or_array(self._log_kernel(theta) - np.log(self._nodes[2]) - on_sphere(self.dim)._log_area)

    @functools.cached_property
    def _bounds(self) -> tuple[Array, Array]:
        """In each cell a bound of the logarithm of the height, and the cumulated shares below these bounds."""
        widths = np.diff(self._edges)
        widest = np.sin(np.clip(0.5 * np.pi, self._edges[:-1], self._edges[1:])) ** (self.dim - 2)
        bounds = np.log(widest) + self._log_kernel(self._middles) + 0.5 * self.kappa * self.declared.steepness * widths
        shares = np.cumsum(np.exp(bounds) * widths)
        return bounds, shares / shares[-1]

    def angle_rvs(self, size: Size, *, rng: np.random.Generator) -> Array:
        """Draws of the angle; a ValueError shows that the log kernel is steeper than declared."""
        if not np.isfinite(self.declared.steepness):
            return np.asarray(self.angle_ppf(rng.random(size)))
        bounds, shares = self._bounds

        def propose(count: int, rows: Any) -> tuple[Array, Mask]:
            cell = np.searchsorted(shares, rng.random(count), side="right")
            theta = self._edges[cell] + rng.random(count) * np.diff(self._edges)[cell]
            log_share = (self.dim - 2) * np.log(np.sin(theta)) + self._log_kernel(theta) - bounds[cell]
            if log_share.max() > 1e-9:  # more than rounding makes of it
                raise InvalidArgument(f"the log kernel is steeper than {self.declared!r} declares")
            return theta, np.log(rng.random(count)) < log_share

        return draw_by_rejection(int(np.prod(size)), 1.0, propose, per_row=True).reshape(size)

    def rvs(self, x: ArrayLike, size: Size | None = None, *, rng: RNG = None) -> Array:
        """Draws around ``x``: one for each of several unit vectors, or ``size`` of them around one."""
        x, rng = np.asarray(x, dtype=float), np.random.default_rng(rng)
        shape = x.shape[:-1] if size is None else tuple(np.atleast_1d(size).tolist())
        theta, drawn = self.angle_rvs(shape, rng=rng).ravel(), np.empty((*shape, self.dim))
        modes = np.broadcast_to(x, drawn.shape).reshape(-1, self.dim)
        place(drawn.reshape(-1, self.dim), modes, np.cos(theta), np.sin(theta), rng)
        return drawn


@functools.lru_cache(maxsize=4096)  # the same distances at each concentration
def _loss(declared: DeclaredDensity, distance: float, domain: Literal["circle", "sphere"]) -> float:
    return float(declared.privacy_loss(distance, domain))
