"""What a bound for shuffled responses needs to know of the law of one response."""

import functools
import numbers
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from dirpriv import _validate
from dirpriv._errors import InvalidArgument
from dirpriv._types import Array

_CELLS = 64  # of equal width, and of equal probability, to each side of the median
_FARTHEST = 50.0  # nats: at a larger level no population of people hides a response


@dataclass(frozen=True)
class Randomiser:
    """Three numbers of a law from which the bounds for shuffled responses follow.

    Parameters
    ----------
    level : float
        Pure level ε₀ of one response: no two inputs lose more. Positive.
    variation : float, optional
        Total variation distance β between the responses to the two inputs that are easiest to tell apart,
        from 0 to tanh(ε₀/2), which is the default: that of randomised response with two answers.
    floor : float, optional
        Smallest density γ of a response, divided by that of the uniform law: each response is a uniform one
        with probability γ, whatever the input. From (1 + β) exp(-ε₀), the default, to 1 - β.

    Raises
    ------
    ValueError
        If a number is out of its range: no law has these three.

    Examples
    --------
    >>> from dirpriv.accounting import Randomiser
    >>> from dirpriv.laws import Purkayastha
    >>> randomised_response = Randomiser(1.0)
    >>> round(randomised_response.variation, 4), round(randomised_response.floor, 4)
    (0.4621, 0.5379)
    >>> law = Randomiser.of(Purkayastha(dim=2, kappa=0.5))
    >>> round(law.level, 4), round(law.variation, 4), round(law.floor, 4)
    (1.5708, 0.3737, 0.4122)
    """

    level: float
    variation: float = -1.0
    floor: float = -1.0

    def __post_init__(self) -> None:
        level = _validate.nonnegative("level", self.level)
        least = float(np.exp(-level))
        most = float(np.tanh(0.5 * level))
        variation = most if self.variation == -1.0 else _validate.nonnegative("variation", self.variation)
        if not variation <= most * (1.0 + 1e-9) + 1e-15:
            raise InvalidArgument(
                f"'variation' must be at most tanh(level/2) = {most!r}, that of randomised response; got "
                f"{variation!r}",
                argument="variation",
            )
        variation = min(variation, most)
        lowest, highest = (1.0 + variation) * least, 1.0 - variation
        floor = lowest if self.floor == -1.0 else _validate.nonnegative("floor", self.floor)
        if not lowest * (1.0 - 1e-9) - 1e-15 <= floor <= highest * (1.0 + 1e-9) + 1e-15:
            raise InvalidArgument(
                f"'floor' must be from (1 + variation)·exp(-level) = {lowest!r} to 1 - variation = "
                f"{highest!r}; got {floor!r}",
                argument="floor",
            )
        for name, value in (
            ("level", level),
            ("variation", variation),
            ("floor", min(max(floor, lowest), highest)),
        ):
            object.__setattr__(self, name, value)

    @classmethod
    def of(cls, law: Any) -> Self:
        """The three numbers of a law that is symmetric about its mode and falls with the angle.

        Parameters
        ----------
        law : law
            Of directions or rotations, with a finite pure level. Or the law of a release on the circle.

        Returns
        -------
        Randomiser
            The variation is P(θ < m) - P(θ > m), m the median angle of the uniform law (π/2 on spheres): no
            two inputs are easier to tell apart, see :func:`shuffled_delta`.

        Raises
        ------
        ValueError
            If the law has no finite pure level, is not symmetric about its mode, or rises with the angle.
        """
        level = pure_level(law)
        if hasattr(law, "probabilities"):
            high = _sorted(law)
            return cls(level, 0.5 * float(np.abs(high - high[::-1]).mean()), float(high[-1]))
        uniform = uniform_law(law)
        median = float(uniform.angle_ppf(0.5))
        densities = relative_density(law, uniform)(np.linspace(0.0, np.pi, 257))
        _falling(law, densities)
        variation = max(float(law.angle_cdf(median) - law.angle_sf(median)), 0.0)
        return cls(level, min(variation, np.tanh(0.5 * level)), float(densities[-1]))

    def three_counts(self) -> tuple[float, float, float]:
        """Probabilities of the answers that tell something, for the bound by variation ratio.

        Returns
        -------
        informative, other, ratio : float
            Of an answer that one of the two inputs favours, of one that favours neither, and the density of
            the latter divided by the floor: exp(ε₀), or 1 where no answer is as dense for both.
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

        Parameters
        ----------
        level : float
            Level ε after shuffling.

        Returns
        -------
        values, masses : ndarray, shape (5,)
            The last value is 0: a response that takes no part.
        """
        own, both = float(np.exp(self.level)), float(np.expm1(self.level))
        informative = 0.5 if both == 0.0 else self.variation / both
        high = max(1.0 - self.variation - self.floor, 0.0) / both if both > 0.0 else 0.0
        low = max(own * self.floor - 1.0 - self.variation, 0.0) / both if both > 0.0 else 0.0
        values = [
            gain(self.level, level),
            -loss(self.level, level),
            -own * np.expm1(level),
            -np.expm1(level),
            0.0,
        ]
        masses = [informative, informative, high, low, max(1.0 - 2.0 * informative - high - low, 0.0)]
        return np.array(values), np.array(masses)


def gain(own: float, level: float) -> float:
    """exp(ε₀) - exp(ε): of an answer that only the one input favours."""
    return float(np.exp(level) * np.expm1(own - level))


def loss(own: float, level: float) -> float:
    """exp(ε₀ + ε) - 1: of an answer that only the other input favours."""
    return float(np.expm1(own + level))


def law_points(law: Any) -> Callable[[float], tuple[Array, Array]]:
    """As :meth:`Randomiser.points`, for the law itself: a bound of its gain in small cells of angles."""
    pure_level(law)
    if hasattr(law, "probabilities"):
        return _table_points(_sorted(law))
    uniform = uniform_law(law)
    edges, sizes = _edges(getattr(law, "dim", None))
    density = relative_density(law, uniform)(edges)
    _falling(law, density)
    cdf = law.angle_cdf(edges)
    last = min(int(np.searchsorted(cdf, 0.5)), len(edges) - 1)
    mass = np.maximum(np.append(np.diff(cdf[: last + 1]), -np.diff(law.angle_sf(edges[last:]))), 0.0)
    floor = float(density[-1])
    with np.errstate(divide="ignore"):
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

    return points


def _sorted(law: Any) -> Array:
    """Densities of a table of equal cells, relative to the uniform law, the largest first."""
    return np.sort(law.probabilities)[::-1] * len(law.probabilities)


def _table_points(high: Array) -> Callable[[float], tuple[Array, Array]]:
    """As :func:`law_points`, for a table: the largest density stands against the smallest, and so on."""
    floor = float(high[-1])
    masses = np.append(np.full(len(high), floor / len(high)), max(1.0 - floor, 0.0))

    def points(level: float) -> tuple[Array, Array]:
        gains = (high - high[::-1]) - np.expm1(level) * high[::-1]
        return np.append(gains / floor, 0.0), masses

    return points


@functools.lru_cache(maxsize=64)
def _edges(dim: int | None) -> tuple[Array, Array]:
    """Angles between cells, and the share of the uniform law in each, the same from both ends.

    Any cells are sound; these are fine enough for laws that a shuffler is of use to. ``None`` are rotations.
    """
    uniform = _uniform(dim)
    share = 0.5 * np.arange(1, _CELLS) / _CELLS
    near = np.concatenate([np.pi * share, np.geomspace(1e-6, share[0], 16), uniform.angle_ppf(share)])
    near = np.sort(near)
    near = near[np.diff(near, prepend=0.0) > 1e-7]  # on the circle most occur twice
    if dim is not None:  # the uniform law is the same from both ends
        near = near[near < 0.5 * np.pi]
        lower = np.concatenate([[0.0], uniform.angle_cdf(near), [0.5]])
        edges = np.concatenate([[0.0], near, [0.5 * np.pi], np.pi - near[::-1], [np.pi]])
    else:
        lower = uniform.angle_cdf(near)
        lower = np.concatenate([[0.0], lower[lower < 0.5 - 1e-7], [0.5]])
        edges = np.concatenate([uniform.angle_ppf(lower), uniform.angle_isf(lower[-2::-1])])
    return edges, np.concatenate([np.diff(lower), np.diff(lower)[::-1]])


def pure_level(law: Any) -> float:
    """The pure level of a law, finite; an error says what to do without one."""
    if isinstance(law, numbers.Real) or not hasattr(law, "pure_level"):
        raise InvalidArgument(f"give a law, or a level as Randomiser(level); got {_validate.told(law)}")
    level = float(law.pure_level())
    if not level < np.inf:
        reason = getattr(law, "why_infinite", "")
        raise InvalidArgument(
            f"{law!r} has no finite pure level{f' ({reason})' if reason else ''}, so no bound for shuffled "
            "responses is known here: use a law with one"
        )
    wanted = ("angle_cdf", "angle_sf", "angle_ppf", "angle_logpdf")
    if not getattr(law, "is_symmetric", True) or not all(hasattr(law, name) for name in wanted):
        raise InvalidArgument(
            f"{law!r} is not a law whose density falls with the angle from the mode: give its level alone, "
            f"Randomiser({level!r})"
        )
    return level


def uniform_law(law: Any) -> Any:
    """The uniform law on the space of a law."""
    return _uniform(getattr(law, "dim", None))


@functools.lru_cache(maxsize=64)
def _uniform(dim: int | None) -> Any:
    if dim is not None:
        from dirpriv.laws.uniform import Uniform

        return Uniform(dim)
    from dirpriv.rotations.uniform import RotationUniform

    return RotationUniform()


def relative_density(law: Any, uniform: Any) -> Callable[[Array], Array]:
    """Density of a law as a function of the angle, divided by that of the uniform law."""
    from dirpriv._privacy_loss import _log_kernel

    kernel = _log_kernel(law, getattr(law, "dim", None))
    tried = np.array([1e-6, 1e-4, 1e-2, 0.1, 0.5, 0.5 * np.pi])
    middle = tried[[np.argmax(law.angle_logpdf(tried))]]
    constant = law.angle_logpdf(middle) - uniform.angle_logpdf(middle) - kernel(middle)
    return lambda theta: np.exp(np.asarray(kernel(theta)) + constant)


def _falling(law: Any, density: Array) -> None:
    if (np.diff(density) > 1e-12 * density[:-1]).any() or not density[-1] > 0.0:
        raise InvalidArgument(
            f"the density of {law!r} does not fall with the angle from the mode, or is 0: give its level "
            f"alone, Randomiser({float(law.pure_level())!r})"
        )
