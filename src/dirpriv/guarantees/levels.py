"""What a distribution guarantees when it is used as a mechanism, exactly."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument, named
from dirpriv._lib.types import FloatOrArray
from dirpriv.distributions.protocols import Levels
from dirpriv.distributions.shared.loss_distribution import steps_to
from dirpriv.distributions.user.adapter import completed
from dirpriv.distributions.user.declared_density import DeclaredDensity, Domain

_LOOSE, _ROUGH = 4e-3, 1e-5  # of declared densities: what bounds may fall, and the share κ is sought to
DOMAINS = ("circle", "sphere", "rotations")


@dataclass(frozen=True)
class Guarantee:
    """The privacy a mechanism guarantees.

    Attributes
    ----------
    metric_level, pure_level : float
        ε of ε·d-privacy, per radian of the metric, and of pure differential privacy for one response;
        ``inf`` where there is none.
    metric : str
        Name of the distance d: ``"angle"`` is the surface distance d∡ in radians, ``"rotation angle"`` the angle φ₆
        between rotations, ``"euclidean"`` the straight-line distance of points (then the level is per unit of length).
    reason : str
        Why a level is infinite; empty where both are finite.
    steps : (float, float) or None
        Level ℓ and radius r of a staircase: inputs at most k r apart lose at most k ℓ, for whole numbers k.
    assumes : str
        What the levels rest on that is declared and not proved: of a density or a distribution of your own. Empty for
        the distributions of this package.

    Examples
    --------
    >>> from dirpriv.mechanisms import ClippedLaplaceMechanism, PurkayasthaMechanism
    >>> PurkayasthaMechanism(epsilon=1.0, dim=2).guarantee.metric_level
    1.0
    >>> print(ClippedLaplaceMechanism.pure(epsilon=1.0).guarantee.reason)
    angles just above 0 and just below 2π are neighbours on the circle, and lose 2πκ however near they are
    """

    metric_level: float
    pure_level: float
    metric: str = "angle"
    reason: str = field(default="", repr=False)
    steps: tuple[float, float] | None = field(default=None, repr=False)
    assumes: str = field(default="", repr=False)

    def __repr__(self) -> str:
        shown = {"metric_level": self.metric_level, "pure_level": self.pure_level, "metric": self.metric}
        shown |= {"assumes": self.assumes} if self.assumes else {}
        return f"Guarantee({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def level_at(self, radius: float) -> float:
        """ε that the levels together guarantee for any two inputs at most ``radius`` apart.

        It is the smaller of ``metric_level`` times the radius and ``pure_level``, and of whole ``steps``
        where there are such; 0 at the radius 0. The loss itself (:func:`privacy_loss_within`) can be less.

        Parameters
        ----------
        radius : float
            In the unit of the metric: radians, or a length. At least 0.
        """
        if not radius >= 0.0:
            raise InvalidArgument("radius", "must be at least 0", got=radius)
        if radius == 0.0:
            return 0.0
        level = min(self.metric_level * radius, self.pure_level)
        if self.steps is not None and radius < np.inf:
            level = min(level, self.steps[0] * steps_to(radius, self.steps[1]))
        return float(level)


@np.errstate(under="ignore")
def metric_level(x: Levels) -> float:
    """ε of ε·d-privacy, the largest loss per radian: sup |f'| of the log kernel.

    It is per unit of length for a distribution in space, and ``inf`` for a distribution with a jump or a point mass. It
    is exact for the distributions of this package. Of a density of your own it follows from what you declare: it is not
    below the true level where that holds, and at most 0.2 % above, with the share that rounding adds.

    Parameters
    ----------
    x : distribution
        A distribution of :mod:`dirpriv.distributions`, or your own :class:`dirpriv.distributions.Distribution`, whose
        levels are those that it states. Or a density of your own: :func:`dirpriv.distributions.from_log_density`,
        :func:`dirpriv.distributions.from_density`. Anything else, as a function alone, is a ValueError.

    Examples
    --------
    >>> from dirpriv import guarantees, distributions
    >>> guarantees.metric_level(distributions.VonMisesFisher(dim=3, kappa=2.0))
    2.0
    >>> guarantees.metric_level(distributions.ClippedLaplace(kappa=2.0))
    inf
    """
    return completed(x).metric_level()


@np.errstate(under="ignore")
def pure_level(x: Levels) -> float:
    """ε of pure ε-DP, the largest loss between any two inputs: max f - min f of the log kernel; inf where none holds.

    Parameters
    ----------
    x : distribution
        As for :func:`metric_level`. The level of a density of your own is bounded from above, too.

    Examples
    --------
    >>> from dirpriv import guarantees, distributions
    >>> guarantees.pure_level(distributions.VonMisesFisher(dim=3, kappa=2.0))
    4.0
    """
    return completed(x).pure_level()


@np.errstate(under="ignore")
def from_distribution(x: Levels) -> Guarantee:
    """Both levels as a :class:`Guarantee`, with reasons for infinite levels, and what it assumes.

    Parameters
    ----------
    x : distribution
        As for :func:`metric_level`. The metric is that of the distribution; of a density of your own, the angle.

    Examples
    --------
    >>> from dirpriv import guarantees, distributions
    >>> guarantees.from_distribution(distributions.ClippedLaplace(kappa=0.5)).metric_level
    inf
    >>> own = distributions.from_log_density(lambda theta: -theta, steepest=1.0)
    >>> print(guarantees.from_distribution(own).assumes)
    declared, not proved: f is continuous, |f(s) - f(t)| ≤ 1 |s - t|, and its values are right to 5.6e-15
    """
    distribution = completed(x)
    metric, pure = distribution.metric_level(), distribution.pure_level()
    reason = distribution.why_infinite if np.inf in (metric, pure) else ""
    of_the_user = not type(distribution).__module__.startswith("dirpriv.")
    stated = f"stated, not proved: the levels of {type(distribution).__name__}" if of_the_user else ""
    return Guarantee(
        metric, pure, distribution.space.metric, reason, distribution.steps, distribution.assumes or stated
    )


@np.errstate(under="ignore")
def privacy_loss_at(x: Levels, distance: ArrayLike, *, domain: Domain = "sphere") -> FloatOrArray:
    """Largest loss of privacy between two inputs exactly at a distance: sup f(θ) - f(θ') over the outputs.

    Parameters
    ----------
    x : distribution
        As for :func:`metric_level`. The known distributions have closed forms: κd for Purkayastha and the Laplace
        distribution of rotations, 2κ sin(d/2) for von Mises-Fisher, κ sin(d/2) for Bingham, log cosh κπ - log cosh
        κ(π-d) for wrapped Laplace, κ(2π - d) for clipped Laplace, infinite for polar Laplace.
    distance : array_like
        Radians from 0 to π; of a distribution in space, any length.
    domain : {"sphere", "circle", "rotations"}, keyword-only
        Space of the outputs, where x is a density of your own. It sets which angles θ and θ' an output can
        have from the two inputs: on a sphere |θ - θ'| ≤ d ≤ θ + θ' ≤ 2π - d; on the circle only the borders
        of that; for rotations the same without the last limit. For kernels that decrease with the angle, as
        those of all the distributions, the loss is the same in all three.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import guarantees
    >>> from dirpriv.distributions import ClippedLaplace, VonMisesFisher
    >>> guarantees.privacy_loss_at(VonMisesFisher(dim=2, kappa=1.0), [0.0, np.pi / 3, np.pi]).round(3).tolist()
    [0.0, 1.0, 2.0]
    >>> round(guarantees.privacy_loss_at(ClippedLaplace(kappa=1.0), 0.01), 3)
    6.273
    """
    validate.check_one_of("domain", domain, DOMAINS)
    if isinstance(x, DeclaredDensity):
        return x.privacy_loss(distance, domain)
    distribution = completed(x)
    return distribution.privacy_loss(distribution.space.distances("distance", distance))


@np.errstate(under="ignore")
def privacy_loss_within(x: Levels, radius: ArrayLike) -> FloatOrArray:
    """Largest loss of privacy between any two inputs *at most* ``radius`` apart.

    It is sup f(θ) - f(θ') over |θ - θ'| ≤ radius: :func:`privacy_loss_at` at the radius where that grows with
    the distance, as it does for every kernel that falls with the angle. It is at most
    :meth:`Guarantee.level_at`, and less where the slope is not everywhere the same.

    Parameters
    ----------
    x : distribution
        As for :func:`metric_level`.
    radius : array_like
        As the distance of :func:`privacy_loss_at`.

    Examples
    --------
    >>> from dirpriv import guarantees, distributions
    >>> distribution = distributions.VonMisesFisher(dim=2, kappa=1.0)
    >>> guarantee = guarantees.from_distribution(distribution)
    >>> [round(level, 4) for level in (guarantees.privacy_loss_within(distribution, 0.5), guarantee.level_at(0.5))]
    [0.4948, 0.5]
    """
    distribution = completed(x)
    return distribution.privacy_loss_within(distribution.space.distances("radius", radius))


@np.errstate(under="ignore")
def largest_concentration(
    family: Callable[[float], Levels],
    *,
    metric: float | None = None,
    pure: float | None = None,
    within: tuple[float, float] | None = None,
    level: float | None = None,
    delta: float = 0.0,
    responses: int = 1,
    radius: float = np.pi,
) -> float:
    """Largest concentration at which a family of distributions keeps a promised level.

    ``metric=ε``
        inputs at distance d lose at most ε·d, for every d. The promise of paper A.
    ``pure=ε``
        no two inputs lose more than ε.
    ``within=(ℓ, r)``
        inputs at most r apart lose at most ℓ. **Nothing else**: it is weaker than ``metric=ℓ/r``, which the mechanisms'
        ``within`` keeps. Two inputs nearer than r may lose up to ℓ all the same, however near they are, and those k·r
        apart up to k·ℓ, in k steps of r. In return the noise is smaller, where the slope of the kernel is not
        everywhere the same: by 2.6 % for von Mises-Fisher at r = π/4, by nothing for Purkayastha.
    ``level=ε, delta=δ, responses=T, radius=r``
        the T responses of a person, whose inputs are at most r apart, are (ε, δ)-indistinguishable: their
        :func:`composed_level` is at most ε, and was at most 1e-6 of it below for 359 of 360 promises drawn by lot, 3e-6
        for the other. It rounds losses up to a grid that depends on the concentration, and so has small steps up and
        down, of some 1e-6 on the circle: several points near the root are tried. It takes at most 8 evaluations, and
        some more where δ alone allows much.

    If several promises are given, all are kept. The search for levels of one response is by bisection, for
    distributions until no other double lies between, for densities of your own to 1e-5 relative. All searches test the
    distribution that they return: its levels are never above what was asked. It is the *largest* if losses increase
    with κ, which bisection checks at all concentrations that it visits.

    Parameters
    ----------
    family : callable
        Takes a concentration and returns a distribution as for :func:`metric_level`. The loss must not decrease with
        the concentration; this holds for κ·g(θ) and all families of this package.
    metric, pure : float, optional, keyword-only
        Level ε of the promise of that name.
    within : (float, float), optional, keyword-only
        Level and radius in radians.
    level, delta, responses, radius : optional, keyword-only
        As for :func:`composed_level`, whose ``distance`` is the radius: by default of one response, and of any two
        directions.

    Raises
    ------
    ValueError
        If nothing, or no positive finite level, is promised; if no concentration keeps the promise, with the
        reason; if all do; or if a loss falls with the concentration.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import guarantees, distributions
    >>> kappa = guarantees.largest_concentration(distributions.WrappedLaplace, pure=1.0)
    >>> bool(abs(kappa * np.pi - np.arccosh(np.e)) < 1e-12)
    True
    >>> guarantees.largest_concentration(lambda kappa: distributions.VonMisesFisher(3, kappa), within=(1.0, np.pi))
    0.5
    >>> embeddings = lambda kappa: distributions.VonMisesFisher(768, kappa)  # pure: 4
    >>> round(guarantees.largest_concentration(embeddings, level=8.0, delta=1e-6), 2)
    21.35
    >>> def family(kappa):
    ...     return distributions.from_log_density(lambda t: -kappa * t**2, steepest=2.0 * np.pi * kappa)
    >>> round(guarantees.largest_concentration(family, metric=1.0) * 2.0 * np.pi, 4)
    1.0
    """
    asked: Any = ("metric", metric, metric_level), ("pure", pure, pure_level)
    promises = [(validate.positive(name, level), of_x) for name, level, of_x in asked if level is not None]
    if within is not None:
        lost, reach = (validate.positive("within", value) for value in within)
        promises.append((lost, lambda x: privacy_loss_within(x, reach)))
    if not promises and level is None:
        hint = f"give one or more of 'metric', 'pure', {named('within')} and 'level'"
        raise InvalidArgument("nothing is promised", hint=hint)
    concentrations = [_largest(family, promises)] if promises else []
    if level is not None:
        from dirpriv.guarantees.composition import composed_concentration

        level = validate.positive("level", level)
        concentrations.append(composed_concentration(family, level, responses, radius, delta))
    return min(concentrations)


def _largest(family: Callable[[float], Any], promises: list[tuple[float, Callable[[Any], float]]]) -> float:
    """The largest κ whose distribution keeps all promises (level, measure), for measures that do not fall with κ."""
    losses: dict[float, list[float]] = {}
    slack = 2e-6

    def kept(kappa: float) -> bool:
        nonlocal slack
        distribution = family(kappa)
        if isinstance(distribution, DeclaredDensity):
            slack = _LOOSE
        losses[kappa] = [measure(distribution) for _, measure in promises]
        low = max((k for k in losses if k < kappa), default=kappa)
        high = min((k for k in losses if k > kappa), default=kappa)
        for less, more in ((low, kappa), (kappa, high)):
            for before, after in zip(losses[less], losses[more], strict=True):
                if after < before * (1.0 - slack):
                    rule = f"the loss falls from {before:.9g} to {after:.9g}"
                    rule = f"{rule} as the concentration grows from {less!r} to {more!r}"
                    raise InvalidArgument(rule, hint="there is no largest concentration to search for")
        return all(loss <= level for loss, (level, _) in zip(losses[kappa], promises, strict=True))

    def worst(kappa: float) -> tuple[float, float]:
        """The promise that is the furthest exceeded, and what is lost."""
        return max(
            ((level, loss) for loss, (level, _) in zip(losses[kappa], promises, strict=True)),
            key=lambda both: both[1] / both[0],
        )

    low = high = 1.0
    if kept(1.0):
        while kept(high := 2.0 * low):
            low = high
            if high > 1e18:
                level, loss = worst(high)
                hint = f"at {high:.1g} it is {loss:.6g}"
                raise InvalidArgument(f"every concentration keeps the level {level!r}", hint=hint)
    else:
        while not kept(low := 0.5 * high):
            high = low
            if low < 1e-18:
                level, loss = worst(low)
                why = from_distribution(family(low)).reason
                hint = f"at {low:.1g} it is {loss:.6g}{f', as {why}' if why else ''}"
                raise InvalidArgument(f"no concentration keeps the level {level!r}", hint=hint)
    finest = _ROUGH if slack == _LOOSE else 0.0
    while low < (middle := 0.5 * (low + high)) < high and high - low > finest * low:
        low, high = (middle, high) if kept(middle) else (low, middle)
    return low
