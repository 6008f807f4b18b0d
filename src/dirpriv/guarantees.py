"""What a law guarantees when it is used as a mechanism, exactly.

A mechanism draws from a law whose mode is the true value. Where the law has the log kernel f(θ), the log
ratio of the densities of one output under two inputs is f(θ) - f(θ'), so with θ the angle

* the **metric level** is sup |f'| per radian: inputs at distance d lose at most this times d
  (ε·d∡-privacy; Weggenmann and Kerschbaum 2021, Definition 13),
* the **pure level** is max f - min f: no two inputs lose more (pure ε-differential privacy), and
* the **privacy loss** at a distance d is the largest loss between two inputs at exactly that distance.

A level is infinite where there is no guarantee; :func:`of` gives the reason. A law has the same quantities as
methods (``law.metric_level()``, ``law.pure_level()``, ``law.privacy_loss(distance)``). The functions here
take any :class:`dirpriv.laws.Law`, including your own, or a log kernel as a function of the angle:

>>> import numpy as np
>>> from dirpriv import guarantees
>>> def trapezoid(theta):  # falls at 2 per radian, and no further than 1
...     return -np.minimum(2.0 * theta, 1.0)
>>> guarantee = guarantees.of(trapezoid)
>>> round(guarantee.metric_level, 6), round(guarantee.pure_level, 6)
(2.0, 1.0)

:func:`largest_concentration` goes the other way, from a promised level to a concentration.

The levels are those of the exact law: a naive sampler in floating point has gaps through which more can leak.
"""

import numbers
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeGuard

import numpy as np
from numpy.typing import ArrayLike

from dirpriv import _kernels, _validate
from dirpriv._errors import InvalidArgument
from dirpriv._protocols import Law
from dirpriv._types import FloatOrArray, Kernel
from dirpriv.laws import _by_density
from dirpriv.laws._base import BaseLaw

if TYPE_CHECKING:
    from dirpriv.release.table_laws import TableLaw

DOMAINS = ("circle", "sphere", "rotations")
_OF_A_LAW = ("metric_level", "pure_level", "privacy_loss")


@dataclass(frozen=True)
class Guarantee:
    """The privacy a mechanism guarantees.

    Attributes
    ----------
    metric_level : float
        ε of ε·d-privacy, per radian of the metric; ``inf`` where there is none.
    pure_level : float
        ε of pure differential privacy for one response; ``inf`` where there is none.
    metric : str
        Name of the distance d: ``"angle"`` is the surface distance d∡ in radians, ``"rotation angle"`` the
        angle φ₆ between rotations, ``"euclidean"`` the straight-line distance of points (then the level is
        per unit of length).
    reason : str
        Why a level is infinite; empty where both are finite.
    steps : (float, float) or None
        Level ℓ and radius r of a staircase: inputs at most k r apart lose at most k ℓ, for whole numbers k.

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

    def level_at(self, radius: float) -> float:
        """Level that the levels together guarantee for any two inputs at most ``radius`` apart.

        Parameters
        ----------
        radius : float
            In the unit of the metric: radians, or a length. At least 0.

        Returns
        -------
        float
            The smaller of ``metric_level`` times the radius and ``pure_level``, and of whole ``steps``
            where there are such; 0 at the radius 0. See :func:`loss_within` for the loss itself, which
            can be less.

        Raises
        ------
        ValueError
            If the radius is negative or nan.

        Examples
        --------
        >>> from dirpriv import guarantees
        >>> from dirpriv.laws import VonMisesFisher
        >>> guarantee = guarantees.of(VonMisesFisher(dim=2, kappa=1.0))
        >>> guarantee.level_at(0.5), guarantee.level_at(3.0)
        (0.5, 2.0)
        """
        if not radius >= 0.0:
            raise InvalidArgument(f"'radius' must be at least 0; got {radius!r}", argument="radius")
        if radius == 0.0:
            return 0.0
        level = min(self.metric_level * radius, self.pure_level)
        if self.steps is not None and radius < np.inf:
            level = min(level, self.steps[0] * _kernels.steps_to(radius, self.steps[1]))
        return float(level)


def metric_level(x: Law | Kernel) -> float:
    """Largest loss of privacy per radian: sup |f'| of the log kernel.

    Parameters
    ----------
    x : law or callable
        A law of :mod:`dirpriv.laws` or :mod:`dirpriv.rotations`, or your own :class:`dirpriv.laws.Law`. Or a
        log kernel f: a function that takes an array of angles in [0, π] and returns the log-density with
        respect to the uniform measure, up to a constant. Its values may be infinite.

    Returns
    -------
    float
        Per radian, or per unit of length for a law in space; ``inf`` for a law with a jump or a point mass.
        It is exact for the laws of this package. For a function it is found numerically, to 1e-6 relative or
        1e-9 absolute; the search can miss a spike narrower than 4e-4 rad.

    Raises
    ------
    ValueError
        If a function returns nan or anything but real numbers, or its slope cannot be found to that accuracy.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import guarantees
    >>> from dirpriv.laws import ClippedLaplace, VonMisesFisher
    >>> guarantees.metric_level(VonMisesFisher(dim=3, kappa=2.0))
    2.0
    >>> guarantees.metric_level(ClippedLaplace(kappa=2.0))
    inf
    >>> round(guarantees.metric_level(lambda theta: 2.0 * np.cos(theta)), 6)
    2.0
    """
    return _level(x, "metric_level") if is_law(x) else _kernels.levels(x)[0]  # type: ignore[arg-type]


def pure_level(x: Law | Kernel) -> float:
    """Largest loss of privacy between any two inputs: max f - min f of the log kernel.

    Parameters
    ----------
    x : law or callable
        As for :func:`metric_level`.

    Returns
    -------
    float
        ``inf`` where there is none.

    Raises
    ------
    ValueError
        As :func:`metric_level`.

    Examples
    --------
    >>> from dirpriv import guarantees
    >>> from dirpriv.laws import VonMisesFisher
    >>> guarantees.pure_level(VonMisesFisher(dim=3, kappa=2.0))
    4.0
    """
    return _level(x, "pure_level") if is_law(x) else _kernels.levels(x)[1]  # type: ignore[arg-type]


def of(x: Law | Kernel) -> Guarantee:
    """Both levels of a law or of a log kernel as a :class:`Guarantee`, with the reason where one is infinite.

    Parameters
    ----------
    x : law or callable
        As for :func:`metric_level`.

    Returns
    -------
    Guarantee
        Levels in the metric of the law; for a function, in the angle.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import guarantees
    >>> guarantees.of(lambda theta: np.where(theta <= 1.0, 0.5, 0.0)).reason
    'the log kernel jumps, or its slope grows without bound, at θ = 1'
    """
    if not is_law(x):
        metric, pure, reason = _kernels.levels(x)  # type: ignore[arg-type]
        return Guarantee(metric_level=metric, pure_level=pure, reason=reason)
    metric, pure = _level(x, "metric_level"), _level(x, "pure_level")
    return Guarantee(
        metric_level=metric,
        pure_level=pure,
        metric=x.metric,
        reason=getattr(x, "why_infinite", "") if np.inf in (metric, pure) else "",
        steps=x.steps if isinstance(x, BaseLaw) else None,
    )


def privacy_loss(
    x: Law | Kernel, distance: ArrayLike, *, domain: Literal["sphere", "circle", "rotations"] = "sphere"
) -> FloatOrArray:
    """Largest loss of privacy between two inputs exactly at a distance: sup f(θ) - f(θ') over the outputs.

    Parameters
    ----------
    x : law or callable
        As for :func:`metric_level`. The known laws have closed forms: κd for Purkayastha and the Laplace law
        of rotations, 2κ sin(d/2) for von Mises-Fisher, κ sin(d/2) for Bingham, log cosh κπ - log cosh κ(π-d)
        for wrapped Laplace, κ(2π - d) for clipped Laplace, infinite for polar Laplace.
    distance : array_like
        Radians from 0 to π; of a law in space, any length.
    domain : {"sphere", "circle", "rotations"}, keyword-only
        Space of the outputs, where x is a function. It sets which angles θ and θ' an output can have from the
        two inputs: on a sphere |θ - θ'| ≤ d ≤ θ + θ' ≤ 2π - d; on the circle only the borders of that; for
        rotations the same without the last limit. For kernels that decrease with the angle, as those of all
        the laws, the loss is the same in all three.

    Returns
    -------
    float or ndarray
        Of the shape of ``distance``; 0 at 0.

    Raises
    ------
    ValueError
        If a distance is negative, nan or above π, the domain unknown, or as :func:`metric_level`.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import guarantees
    >>> from dirpriv.laws import ClippedLaplace, VonMisesFisher
    >>> guarantees.privacy_loss(VonMisesFisher(dim=2, kappa=1.0), [0.0, np.pi / 3, np.pi]).round(3).tolist()
    [0.0, 1.0, 2.0]
    >>> round(guarantees.privacy_loss(ClippedLaplace(kappa=1.0), 0.01), 3)
    6.273
    """
    if domain not in DOMAINS:
        raise InvalidArgument(
            f"'domain' must be one of {', '.join(DOMAINS)}; got {_validate.told(domain)}", argument="domain"
        )
    return _loss(x, distance, "distance", domain, closest=False)


def loss_within(x: Law | Kernel, radius: ArrayLike) -> FloatOrArray:
    """Largest loss of privacy between any two inputs *at most* ``radius`` apart.

    Parameters
    ----------
    x : law or callable
        As for :func:`metric_level`.
    radius : array_like
        Radians from 0 to π; of a law in space, any length.

    Returns
    -------
    float or ndarray
        sup f(θ) - f(θ') over |θ - θ'| ≤ radius: :func:`privacy_loss` at the radius where that grows with
        the distance, as it does for every kernel that falls with the angle. At most
        :meth:`Guarantee.level_at`, and less where the slope is not everywhere the same.

    Raises
    ------
    ValueError
        As :func:`privacy_loss`.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import guarantees
    >>> from dirpriv.laws import VonMisesFisher
    >>> law = VonMisesFisher(dim=2, kappa=1.0)
    >>> [round(level, 4) for level in (guarantees.loss_within(law, 0.5), guarantees.of(law).level_at(0.5))]
    [0.4948, 0.5]
    """
    return _loss(x, radius, "radius", "sphere", closest=True)


def composed_level(law: "Law | TableLaw", responses: int, *, distance: Any, delta: float = 0.0) -> float:
    """Privacy level of several responses of one person, whose inputs may move by up to a distance.

    The T responses of a person are as private as one response of the returned level ε: if each of her T
    inputs moves by up to the distance, by as much and in the direction that is worst, and depending on what
    was released of the others, no event becomes more than exp(ε) times as probable, except with a probability
    of ``delta``. With ``delta`` = 0 the levels add up. With a small ``delta``, losses and gains partly
    cancel, and the level grows nearly as √T at first.

    Parameters
    ----------
    law : law
        A law of :mod:`dirpriv.laws` or :mod:`dirpriv.rotations` with a finite loss at the distance, one and
        the same in all responses: ``mechanism.law``. Or the law of a release (``release.law``), or your own
        :class:`dirpriv.laws.Law`.
    responses : int
        Number of responses T, at least 1.
    distance : float, keyword-only
        Of the two inputs: radians from 0 to π (3 hours are π/4); of a law in space, any length. For the law
        of a release also a text, as ``"3h"`` or ``"200m"``.
    delta : float, keyword-only
        δ of (ε, δ)-indistinguishability, from 0 to less than 1. It should be much smaller than one over the
        number of persons. Below about 1e-25 the level is rounded up coarsely.

    Returns
    -------
    float
        In nats, at most ``responses`` times :func:`dirpriv.guarantees.loss_within`. It comes from the
        distribution of the privacy loss, with every step rounded up. It rests on quadrature, and on bounds of
        the loss in small cells of outputs that are taken from points in them and widened. Compared with lower
        bounds it is at most 0.3 % above on the circle, and 2 % in other spaces (most for a single response).
        For caps and staircases on the circle the losses are known; in other spaces their level is at most
        that of randomised response with the same loss, which can be far above the least one. For clipped
        Laplace it is that of the noise before it is clipped, for inputs on both sides of the seam, which is
        an upper bound. Your own law gives its ``loss_distribution``; or its ``logpdf``, whose error between
        points is bounded by ``metric_level`` and added; of one with neither, or whose density does not fall
        with the distance alone, the level is that of randomised response.

        For a release on the circle there is no quadrature: the table is known, and the level is at most 0.1 %
        above the least one. For a release of places of a city the table is compared with continuous noise,
        see :meth:`dirpriv.release.PlaneTableLaw.loss_distribution`. The level is at most that of any
        mechanism with this loss (randomised response), which it is for a release on the globe.

    Raises
    ------
    ValueError
        If an argument is out of its range, the law is a function, or its loss is infinite and ``delta`` > 0.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import guarantees
    >>> from dirpriv.mechanisms import PurkayasthaMechanism
    >>> law = PurkayasthaMechanism.within(level=0.1, radius=np.pi / 4).law  # level 0.1 within 3 hours
    >>> round(guarantees.composed_level(law, 100, distance=np.pi / 4), 3)
    10.0
    >>> round(guarantees.composed_level(law, 100, distance=np.pi / 4, delta=1e-6), 3)
    4.316

    A person with 100 rows, each of a time within 3 hours, or of a place within 200 m:

    >>> from dirpriv.release import CircleRelease, PlaneRelease
    >>> day = CircleRelease.within(0.1, "3h")
    >>> round(guarantees.composed_level(day.law, 100, distance="3h", delta=1e-6), 3)
    4.316
    >>> city = PlaneRelease.within(0.1, "200m", origin=(40.75, -73.98), reach="30km", step="10m")
    >>> round(guarantees.composed_level(city.law, 100, distance="200m", delta=1e-6), 3)
    3.295
    """
    if isinstance(responses, bool) or not isinstance(responses, numbers.Integral) or responses < 1:
        raise InvalidArgument(
            f"'responses' must be an integer of at least 1; got {_validate.told(responses)}",
            argument="responses",
        )
    delta = _validate.share("delta", delta, zero=True)
    if not is_law(law):
        raise InvalidArgument(
            f"'law' must be a law with its probabilities, not a log kernel; got {_validate.told(law)}",
            argument="law",
        )
    known = _by_density.with_losses(law)
    if isinstance(distance, numbers.Real) or isinstance(known, BaseLaw | _by_density.LawByDensity):
        distance = _validate.nonnegative("distance", distance)  # laws of releases take texts, too
        _validate.distances("distance", distance, law.metric)
    loss = float(getattr(known, "loss_within", law.privacy_loss)(distance))
    if not loss >= 0.0:
        raise InvalidArgument(
            f"the privacy loss of a {type(law).__name__} must be at least 0; it gives {loss!r}"
        )
    if delta == 0.0 or loss == 0.0:
        return float(responses * loss)
    from dirpriv import _privacy_loss  # here, as few need it and it needs more of SciPy

    pair = known.loss_distribution(distance)
    if not pair[0].sum() >= 1.0 - 1e-9 or pair[0].min() < 0.0:
        raise InvalidArgument(f"the probabilities of loss_distribution of {law!r} do not add up to 1 or more")
    return _privacy_loss.composed_level(pair, int(responses), float(delta), loss)


def largest_concentration(
    family: Callable[[float], Law | Kernel],
    *,
    metric: float | None = None,
    pure: float | None = None,
    within: tuple[float, float] | None = None,
) -> float:
    """Largest concentration at which a family of laws keeps a promised level.

    ``metric=ε``
        inputs at distance d lose at most ε·d, for every d. The promise of paper A.
    ``pure=ε``
        no two inputs lose more than ε.
    ``within=(ℓ, r)``
        inputs at most r apart lose at most ℓ. **Nothing else**: it is weaker than ``metric=ℓ/r``, which the
        mechanisms' ``within`` keeps. Two inputs nearer than r may lose up to ℓ all the same, however near
        they are, and those k·r apart up to k·ℓ, in k steps of r. In return the noise is smaller, where the
        slope of the kernel is not everywhere the same: by 2.6 % for von Mises-Fisher at r = π/4, by nothing
        for Purkayastha.

    If several promises are given, all are kept.

    Parameters
    ----------
    family : callable
        Takes a concentration and returns a law, or a log kernel as for :func:`metric_level`. The loss must
        not decrease with the concentration; this holds for κ·g(θ) and all families of this package.
    metric, pure : float, optional, keyword-only
        Level ε of the promise of that name.
    within : (float, float), optional, keyword-only
        Level and radius in radians.

    Returns
    -------
    float
        Found by bisection, for laws until no other double lies between, for functions to 1e-7 relative. The
        search tests the concentration that it returns. It is the *largest* if losses increase with κ, which
        is checked at all concentrations that the search visits.

    Raises
    ------
    ValueError
        If nothing, or no positive finite level, is promised; if no concentration keeps the promise, with the
        reason; if all do; or if a loss falls with the concentration.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import guarantees
    >>> from dirpriv.laws import VonMisesFisher, WrappedLaplace
    >>> kappa = guarantees.largest_concentration(WrappedLaplace, pure=1.0)
    >>> bool(abs(kappa * np.pi - np.arccosh(np.e)) < 1e-12)
    True
    >>> guarantees.largest_concentration(lambda kappa: VonMisesFisher(3, kappa), within=(1.0, np.pi))
    0.5
    >>> kappa = guarantees.largest_concentration(lambda kappa: lambda t: -kappa * t**2, metric=1.0)
    >>> round(kappa * 2 * np.pi, 6)
    1.0
    """
    promises = []
    if metric is not None:
        promises.append((_validate.positive("metric", metric), metric_level))
    if pure is not None:
        promises.append((_validate.positive("pure", pure), pure_level))
    if within is not None:
        level, radius = (_validate.positive("within", value) for value in within)
        promises.append((level, lambda x: loss_within(x, radius)))
    if not promises:
        raise InvalidArgument("nothing is promised: give one or more of 'metric', 'pure' and 'within'")
    return min(_largest(family, level, measure) for level, measure in promises)


def _largest(family: Callable[[float], Any], level: float, measure: Callable[[Any], float]) -> float:
    """The largest κ with measure(family(κ)) ≤ level, for a measure that does not fall with κ."""
    seen = {}

    def kept(kappa: float) -> bool:
        seen[kappa] = measure(family(kappa))
        low = max((k for k in seen if k < kappa), default=kappa)
        high = min((k for k in seen if k > kappa), default=kappa)
        for less, more in ((low, kappa), (kappa, high)):
            if seen[more] < seen[less] * (1.0 - 2.0 * _kernels.TOLERANCE):
                raise InvalidArgument(
                    f"the loss falls from {seen[less]:.9g} to {seen[more]:.9g} as the concentration grows "
                    f"from {less!r} to {more!r}: there is no largest concentration to search for"
                )
        return seen[kappa] <= level

    low = high = 1.0
    if kept(1.0):
        while kept(high := 2.0 * low):
            low = high
            if high > 1e18:
                raise InvalidArgument(
                    f"every concentration keeps the level {level!r}: at {high:.1g} it is {seen[high]:.6g}"
                )
    else:
        while not kept(low := 0.5 * high):
            high = low
            if low < 1e-18:
                why = of(family(low)).reason
                raise InvalidArgument(
                    f"no concentration keeps the level {level!r}: at {low:.1g} it is {seen[low]:.6g}"
                    + (f", as {why}" if why else "")
                )
    finest = 0.0 if is_law(family(low)) else 0.1 * _kernels.TOLERANCE
    while low < (middle := 0.5 * (low + high)) < high and high - low > finest * low:
        low, high = (middle, high) if kept(middle) else (low, middle)
    return low


def _loss(x: Any, distance: ArrayLike, name: str, domain: str, closest: bool) -> FloatOrArray:
    """The loss at one or many distances, by the law's own formula or from the kernel."""
    if is_law(x):
        loss = getattr(x, "loss_within", x.privacy_loss) if closest else x.privacy_loss
        losses = np.asarray(loss(_validate.distances(name, distance, x.metric)), dtype=float)
    else:
        distances = _validate.distances(name, distance, "angle")
        ravelled = np.minimum(distances.ravel(), np.pi)
        losses = _kernels.losses(x, ravelled, domain, closest).reshape(distances.shape)
    return float(losses) if losses.ndim == 0 else losses


def _level(law: Any, name: str) -> float:
    """A level as the law says it: a number of at least 0, or inf."""
    level: Any = getattr(law, name)()
    if isinstance(level, bool) or not isinstance(level, numbers.Real) or not float(level) >= 0.0:
        raise InvalidArgument(
            f"'{name}' of a {type(law).__name__} must be at least 0, or inf; it gives {_validate.told(level)}"
        )
    return float(level)


def is_law(x: Any) -> TypeGuard[Law]:
    """Whether x is a law, and not the log kernel of one; an error names what a user's own law lacks."""
    missing = [name for name in _OF_A_LAW if not callable(getattr(x, name, None))]
    if not missing and isinstance(x, type):
        raise InvalidArgument(
            f"give a law, not its class; got {x.__name__}: make one, with its concentration"
        )
    if not missing and not isinstance(getattr(x, "metric", None), str):
        missing = ["metric"]
    if not missing:
        return True
    if len(missing) < len(_OF_A_LAW):
        raise InvalidArgument(
            f"{_validate.told(x)} is no law: it has no {', '.join(map(repr, missing))}; dirpriv.laws.Law "
            "says what a law has"
        )
    if not callable(x):
        raise InvalidArgument(
            f"give a law, or its log kernel as a function of the angle; got {_validate.told(x)}"
        )
    return False
