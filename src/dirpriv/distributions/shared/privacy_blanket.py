"""What a bound for shuffled responses needs to know of the distribution of one response."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.immutable import Frozen, constructed
from dirpriv._lib.types import Array
from dirpriv.geometry.spaces import Sphere

_CELLS = 64  # of equal width, and of equal probability, to each side of the median

Points = Callable[[float], tuple[Array, Array]]


class ShufflingParameters(Frozen):
    """Three numbers of a distribution from which bounds for shuffled responses follow.

    Three numbers that no distribution has are an InvalidArgument.

    Parameters
    ----------
    level : float
        Pure level ε₀ of one response: no two inputs lose more.
    variation : float, optional
        Total variation distance β between the responses to the two inputs that are easiest to tell apart,
        from 0 to tanh(ε₀/2), which is the default: that of randomised response with two answers.
    floor : float, optional
        Smallest density γ of a response, divided by that of the uniform distribution: each response is a uniform one
        with probability γ, whatever the input. From (1 + β) exp(-ε₀), the default, to 1 - β.

    Examples
    --------
    >>> from dirpriv.guarantees import ShufflingParameters
    >>> from dirpriv.distributions import Purkayastha
    >>> randomised_response = ShufflingParameters(1.0)
    >>> round(randomised_response.variation, 4), round(randomised_response.floor, 4)
    (0.4621, 0.5379)
    >>> blanket = Purkayastha(dim=2, kappa=0.5).privacy_blanket()
    >>> round(blanket.level, 4), round(blanket.variation, 4), round(blanket.floor, 4)
    (1.5708, 0.3737, 0.4122)
    """

    level: float
    variation: float
    floor: float

    def __init__(self, level: float, variation: float | None = None, floor: float | None = None) -> None:
        level = validate.nonnegative("level", level)
        least, most = float(np.exp(-level)), float(np.tanh(0.5 * level))
        variation = most if variation is None else validate.nonnegative("variation", variation)
        if not variation <= most * (1.0 + 1e-9) + 1e-15:
            rule = f"must be at most tanh(level/2) = {most!r}, that of randomised response"
            raise InvalidArgument("variation", rule, got=variation)
        variation = min(variation, most)
        lowest, highest = (1.0 + variation) * least, 1.0 - variation
        floor = lowest if floor is None else validate.nonnegative("floor", floor)
        if not lowest * (1.0 - 1e-9) - 1e-15 <= floor <= highest * (1.0 + 1e-9) + 1e-15:
            rule = f"must be from (1 + variation)·exp(-level) = {lowest!r} to 1 - variation = {highest!r}"
            raise InvalidArgument("floor", rule, got=floor)
        self._set(level=level, variation=variation, floor=min(max(floor, lowest), highest))

    __repr__ = constructed

    def three_counts(self) -> tuple[float, float, float]:
        """Probabilities of the answers that tell something, for the bound by variation ratio.

        They are of an answer that one of the two inputs favours, and of one that favours neither. The third number
        is the density of the latter divided by the floor: exp(ε₀), or 1 where no answer is as dense for both.
        """
        both = float(np.expm1(self.level))
        if both == 0.0:
            return 0.5, 0.0, 1.0
        informative = self.variation / both
        if 1.0 - self.variation - self.floor < 1e-9:  # lowered from exp(ε₀) to 1, which is an upper bound
            return informative, max(self.floor - 2.0 * informative, 0.0), 1.0
        own = float(np.exp(self.level))
        return informative, max(1.0 - informative * (1.0 + own), 0.0) / own, own

    def points(self, level: float) -> tuple[Array, Array]:
        """Values and probabilities of the privacy gain of one response, see :func:`shuffled_delta`.

        They are two arrays of the shape (k,). The last value is 0: a response that takes no part.

        Parameters
        ----------
        level : float
            Level ε after shuffling.
        """
        own, both = float(np.exp(self.level)), float(np.expm1(self.level))
        informative = 0.5 if both == 0.0 else self.variation / both
        high = max(1.0 - self.variation - self.floor, 0.0) / both if both > 0.0 else 0.0
        low = max(own * self.floor - 1.0 - self.variation, 0.0) / both if both > 0.0 else 0.0
        more = np.expm1(level)
        values = [gain(self.level, level), -loss(self.level, level), -own * more, -more, 0.0]
        masses = [informative, informative, high, low, max(1.0 - 2.0 * informative - high - low, 0.0)]
        return np.array(values), np.array(masses)


def gain(own: float, level: float) -> float:
    """exp(ε₀) - exp(ε): of an answer that only the one input favours."""
    return float(np.exp(level) * np.expm1(own - level))


def loss(own: float, level: float) -> float:
    """exp(ε₀ + ε) - 1: of an answer that only the other input favours."""
    return float(np.expm1(own + level))


class Blanket(ShufflingParameters):
    """What shuffling needs of a distribution: the three numbers, and ``points(level)``, the privacy gain itself."""

    _points: Points

    def __init__(self, level: float, variation: float, floor: float, points: Points) -> None:
        super().__init__(level, variation, floor)
        self._set(_points=points)

    def points(self, level: float) -> tuple[Array, Array]:
        return self._points(level)


def blanket_from_distribution(distribution: Any) -> Blanket:
    """The blanket of a distribution of directions or rotations that falls with the angle, in small cells of angles.

    The variation is P(θ < m) - P(θ > m), m the median angle of the uniform distribution: no two inputs are easier to
    tell apart, see :mod:`dirpriv.guarantees.shuffling`.
    """
    level, uniform = distribution.pure_level(), distribution._uniform
    median = float(uniform.angle_ppf(0.5))
    variation = max(float(distribution.angle_cdf(median) - distribution.angle_sf(median)), 0.0)
    density_at = relative_density(distribution)
    falling(distribution, density_at(np.linspace(0.0, np.pi, 257)))
    edges, sizes = _edges(uniform)
    density = density_at(edges)
    falling(distribution, density)
    cdf = distribution.angle_cdf(edges)
    last = min(int(np.searchsorted(cdf, 0.5)), len(edges) - 1)
    mass = np.maximum(np.append(np.diff(cdf[: last + 1]), -np.diff(distribution.angle_sf(edges[last:]))), 0.0)
    floor = float(density[-1])
    variation = min(variation, np.tanh(0.5 * level))
    with np.errstate(divide="ignore", over="ignore"):
        logs = np.log(density)
        difference = density[::-1] * np.expm1(logs - logs[::-1])
    apart = mass - mass[::-1]

    def points(level: float) -> tuple[Array, Array]:
        more = np.expm1(level)
        ends = (difference - more * density[::-1]) / floor
        high, low = np.maximum(ends[:-1], ends[1:]), np.minimum(ends[:-1], ends[1:])
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = (apart - more * mass[::-1]) / (floor * sizes)
            share = np.where((high > low) & (sizes > 0.0), (mean - low) / (high - low), 1.0)
        upper = floor * sizes * np.clip(share, 0.0, 1.0)
        lower = floor * sizes - upper
        values = np.concatenate([high, low, [0.0]])
        return values, np.concatenate([upper, lower, [max(1.0 - floor, 0.0)]])

    return Blanket(level, variation, floor, points)


def blanket_from_table(probabilities: Array, level: float) -> Blanket:
    """The blanket of a table of equal cells: the largest density stands against the smallest, and so on."""
    high = np.sort(probabilities)[::-1] * len(probabilities)
    return Blanket(level, *_parameters_of_cells(high, high[::-1]))


def blanket_from_pair(probabilities: Array, shift: int, level: float) -> Blanket:
    """The blanket of two inputs of a table this many cells apart, whose loss is at most ``level``.

    The floor is that of all inputs, as nothing is known of those of others. So the three numbers are none of
    one distribution, and go with the gain in cells only. The gain is raised above what rounding takes from it.
    """
    one, blanket = probabilities * len(probabilities), object.__new__(Blanket)
    variation, floor, points = _parameters_of_cells(one, np.roll(one, shift), 2e-15)
    blanket._set(level=level, variation=variation, floor=floor, _points=points)
    return blanket


def _parameters_of_cells(one: Array, other: Array, rounding: float = 0.0) -> tuple[float, float, Points]:
    """Variation, floor and points of relative densities in equal cells against others, raised by a rounding."""
    floor = float(one.min())
    masses = np.append(np.full(len(one), floor / len(one)), max(1.0 - floor, 0.0))

    def points(level: float) -> tuple[Array, Array]:
        gains = (one - other) - np.expm1(level) * other + rounding * (one + np.exp(level) * other)
        return np.append(gains / floor, 0.0), masses

    return 0.5 * float(np.abs(one - other).mean()), floor, points


@functools.lru_cache(maxsize=64, typed=True)
def _edges(uniform: Any) -> tuple[Array, Array]:
    """Angles between cells (any are sound), and the uniform distribution's share in each, the same from both ends."""
    share = 0.5 * np.arange(1, _CELLS) / _CELLS
    near = [np.pi * share, np.geomspace(1e-6, share[0], 16), uniform.angle_ppf(share)]
    near = np.sort(np.concatenate(near))
    near = near[np.diff(near, prepend=0.0) > 1e-7]  # on the circle most occur twice
    if isinstance(uniform.space, Sphere):  # of directions: the uniform distribution is the same from both ends
        near = near[near < 0.5 * np.pi]
        lower = np.concatenate([[0.0], uniform.angle_cdf(near), [0.5]])
        edges = np.concatenate([[0.0], near, [0.5 * np.pi], np.pi - near[::-1], [np.pi]])
    else:
        lower = uniform.angle_cdf(near)
        lower = np.concatenate([[0.0], lower[lower < 0.5 - 1e-7], [0.5]])
        edges = np.concatenate([uniform.angle_ppf(lower), uniform.angle_isf(lower[-2::-1])])
    return edges, np.concatenate([np.diff(lower), np.diff(lower)[::-1]])


def no_blanket(distribution: Any, level: float, why: str = "is not one that falls with the angle") -> InvalidArgument:
    hint = f"give its level alone, ShufflingParameters({level!r})"
    return InvalidArgument(f"the density of {distribution!r} {why}", hint=hint)


def relative_density(distribution: Any) -> Callable[[Array], Array]:
    """Density of a distribution as a function of the angle, divided by that of the uniform distribution."""
    kernel, uniform = distribution._log_kernel, distribution._uniform
    tried = np.array([1e-6, 1e-4, 1e-2, 0.1, 0.5, 0.5 * np.pi])
    middle = tried[[np.argmax(distribution.angle_logpdf(tried))]]
    constant = distribution.angle_logpdf(middle) - uniform.angle_logpdf(middle) - kernel(middle)
    least = -700.0 if distribution.pure_level() < np.inf else -np.inf  # it is 0 nowhere, though it may underflow
    return lambda theta: np.exp(np.maximum(np.asarray(kernel(theta)) + constant, least))


def falling(distribution: Any, density: Array) -> None:
    """An error where a density rises with the angle, or is 0."""
    if (np.diff(density) > 1e-12 * density[:-1]).any() or not density[-1] > 0.0:
        raise no_blanket(distribution, distribution.pure_level(), "does not fall with the angle from the mode, or is 0")
