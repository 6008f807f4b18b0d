"""What the mechanisms of :mod:`dirpriv.mechanisms` and :mod:`dirpriv.mechanisms.rotations` share."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self, get_args

import numpy as np
import scipy  # which imports its submodules where they are first used
from numpy.typing import ArrayLike

from dirpriv import guarantees
from dirpriv._inputs import angles as _angles
from dirpriv._inputs import times as _times
from dirpriv._inputs import units, validate
from dirpriv._inputs.errors import InvalidArgument, describe, named
from dirpriv._lib.immutable import Frozen
from dirpriv._lib.types import Array, FloatOrArray, ReleaseRNG, WithUnit
from dirpriv.distributions.protocols import Distribution
from dirpriv.distributions.shared.base import BaseDistribution, scalar_or_array
from dirpriv.distributions.shared.spherical import SphericalDistribution
from dirpriv.distributions.user.adapter import lacking, refuse_holder
from dirpriv.geometry import directions, earth
from dirpriv.geometry.spaces import CIRCLE, ROTATIONS, Euclidean, Space, Sphere

_CIRCLE_NEEDED = "angles and times need a mechanism of the circle, as PurkayasthaMechanism with dim=2"
_SPHERE_NEEDED = "use a mechanism of the sphere, for example PurkayasthaMechanism with dim=3, or PlanarLaplaceMechanism"
_SEE_DISTRIBUTION = "see dirpriv.distributions.Distribution"
How = Literal["published", "tight"]


@dataclass(frozen=True)
class CalibrationRule:
    """How the concentration of a distribution follows from a level.

    Attributes
    ----------
    metric : callable or str
        Gives κ for a level ε per unit of distance. A text gives the reason why there is no such κ.
    pure : callable or str
        Gives κ for pure ε-differential privacy, or the reason why there is none.

    Examples
    --------
    >>> from dirpriv.mechanisms import PurkayasthaMechanism
    >>> PurkayasthaMechanism.tight.metric(1.5)
    1.5
    """

    metric: Callable[[float], float] | str
    pure: Callable[[float], float] | str


def same(epsilon: float) -> float:
    """κ = ε."""
    return epsilon


PUBLISHED = CalibrationRule(metric=same, pure=lambda epsilon: epsilon / np.pi)  # π is the largest angle


class Mechanism(Frozen):
    """Base of the mechanisms: a distribution, a calibration, a guarantee.

    A mechanism is data: the class of its distribution and how the concentration follows from the level. Your own needs
    only ``noise_type``. :meth:`from_distribution` makes a mechanism of a distribution whose concentration you know.

    Parameters
    ----------
    epsilon : float
        Level per unit of distance, ε of ε·d-privacy: per radian of the angle between directions (d∡) or of
        rotations (φ₆), or per unit of length of points in space.
    dim : int, optional, keyword-only
        Length of the vectors, ``default_dim`` if not given: 2 for the circle, 3 for the sphere.
    calibration : {"tight", "published"}, keyword-only
        How the concentration follows from the level. "tight" is the largest concentration that keeps the
        promise, "published" that of a paper, if one calibrates the mechanism.

    Attributes
    ----------
    noise : object
        The distribution that is drawn from.
    guarantee : dirpriv.guarantees.Guarantee
        What is guaranteed, computed from the distribution and not from what was asked for.
    noise_type : type
        It takes ``dim`` and ``kappa``; ``kappa`` alone without ``default_dim``; either where ``only_dim`` is given.
    tight, published : CalibrationRule or None
        The calibrations. Without ``tight``, :func:`dirpriv.guarantees.largest_concentration` searches for the
        concentration; without ``published``, no paper calibrates the mechanism.
    default_dim, only_dim : int or None
        Length of the vectors where none is given, None for a distribution that is not one of vectors; the one length
        for which the distribution is defined, None if it is for all.

    Raises
    ------
    TypeError
        If ``dim`` or ``calibration`` is given by position.
    ValueError
        If a level or radius is not positive and finite, the calibration is unknown or does not exist, or the
        mechanism is not defined for ``dim``.

    Examples
    --------
    >>> from dirpriv import distributions, mechanisms
    >>> class Searched(mechanisms.Mechanism):
    ...     noise_type = distributions.VonMisesFisher
    >>> Searched.pure(1.0, dim=3).noise
    VonMisesFisher(dim=3, kappa=0.5)
    """

    noise_type: ClassVar[Callable[..., Any] | None] = None
    tight: ClassVar[CalibrationRule | None] = None
    published: ClassVar[CalibrationRule | None] = None
    default_dim: ClassVar[int | None] = 2
    only_dim: ClassVar[int | None] = None
    _radius_kinds: ClassVar[tuple[str, ...]] = units.ANGLE  # of a text; a number has the distribution's unit

    noise: Any
    guarantee: guarantees.Guarantee

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Let ``help`` show the default of ``dim``, or no ``dim`` where the distribution has none."""
        super().__init_subclass__(**kwargs)
        signature = inspect.signature(cls.__init__)
        parameters = [
            parameter.replace(default=cls.default_dim) if parameter.name == "dim" else parameter
            for parameter in list(signature.parameters.values())[1:]
            if parameter.name != "dim" or cls.default_dim is not None
        ]
        cls.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]

    def __init__(self, epsilon: float, *, dim: int | None = None, calibration: How = "tight") -> None:
        self._hold(self._calibrated("metric", epsilon, dim, calibration))

    @classmethod
    def _read_radius(cls, radius: Any, dim: Any) -> float:
        """A radius in the unit of the distribution's distance."""
        on_circle = cls._radius_kinds == units.ANGLE and dim in (None, 2) and cls.default_dim == 2
        return units.in_distribution_unit("radius", radius, units.CIRCLE if on_circle else cls._radius_kinds)

    @classmethod
    def within(cls, level: float, radius: WithUnit, *, dim: int | None = None, calibration: How = "tight") -> Self:
        """Mechanism of this level between any two inputs at most ``radius`` apart: that of ε = level/radius.

        Parameters
        ----------
        level, radius : float, and float, str or timedelta
            The level ℓ of indistinguishability, and its radius r in the unit of the distribution's distance:
            radians, or a length in space. Angles may be texts, ``"45deg"`` or ``"0.5rad"``, on the circle also
            durations of a day of 24 h: ``"3h"`` is π/4. Planar Laplace takes ``"200m"``.
        dim, calibration : optional, keyword-only
            As for the class.
        """
        level, radius = validate.positive("level", level), cls._read_radius(radius, dim)
        mechanism = cls(level / radius, dim=dim, calibration=calibration)
        mechanism.noise.space.distances("radius", radius)
        return mechanism

    @classmethod
    def pure(cls, epsilon: float, *, dim: int | None = None, calibration: How = "tight") -> Self:
        """Mechanism of pure ε-differential privacy. The loss of any two inputs is at most ``epsilon``.

        Parameters
        ----------
        epsilon, dim, calibration : float, and optional, keyword-only
            ε; as for the class. ``"published"`` is the calibration per radian at ε/π, π the largest angle.
        """
        return cls.from_distribution(cls._calibrated("pure", epsilon, dim, calibration))

    @classmethod
    def approximate(cls, epsilon: float, delta: float, responses: int = 1, *, dim: int | None = None) -> Self:
        """Mechanism of (ε, δ)-differential privacy for all responses of a person together, with the least noise.

        In many dimensions the noise is much smaller than at pure ε. ``guarantee`` has the levels of one response
        without δ. A mechanism without a pure level is refused.

        Parameters
        ----------
        epsilon, delta, responses, dim : float, float, int, and optional
            As ``level``, ``delta`` and ``responses`` of :func:`dirpriv.guarantees.largest_concentration`; as for the
            class.

        Examples
        --------
        >>> from dirpriv.mechanisms import VonMisesFisherMechanism
        >>> approximate = VonMisesFisherMechanism.approximate(8.0, 1e-6, dim=768)
        >>> pure = VonMisesFisherMechanism.pure(8.0, dim=768)
        >>> round(approximate.noise.mean_cosine(), 4), round(pure.noise.mean_cosine(), 4)
        (0.0278, 0.0052)
        """

        promise: Any = {"level": validate.positive("epsilon", epsilon), "delta": delta, "responses": responses}
        pure = guarantees.largest_concentration(lambda level: cls.pure(level, dim=dim).noise, **promise)
        return cls.pure(pure, dim=dim)

    @classmethod
    def from_distribution(cls, distribution: Distribution) -> Self:
        """Mechanism that draws from this distribution, at any concentration.

        Parameters
        ----------
        distribution : object
            A distribution with ``rvs``, and with what :func:`dirpriv.guarantees.from_distribution` asks for.

        Examples
        --------
        >>> from dirpriv import distributions, mechanisms
        >>> mechanisms.Mechanism.from_distribution(distributions.Purkayastha(dim=3, kappa=2.0)).guarantee.metric_level
        2.0
        """
        if isinstance(cls.noise_type, type) and not isinstance(distribution, cls.noise_type):
            rule = f"must be a {cls.noise_type.__name__} for a {cls.__name__}"
            raise InvalidArgument(
                "distribution", rule, got=distribution, hint="use Mechanism.from_distribution for any distribution"
            )
        if lacking(distribution, "rvs"):
            refuse_holder(distribution)
            raise InvalidArgument(
                "distribution",
                "must be a distribution with a method rvs, as of dirpriv.distributions.Distribution",
                got=distribution,
                hint="take its noise(dim, kappa)" if callable(getattr(distribution, "noise", None)) else "",
            )
        mechanism = cls.__new__(cls)
        mechanism._hold(distribution)
        return mechanism

    def _hold(self, noise: Any) -> None:
        self._set(noise=noise, guarantee=guarantees.from_distribution(noise))

    @classmethod
    def _calibrated(cls, promise: Literal["metric", "pure"], epsilon: float, dim: int | None, calibration: str) -> Any:
        epsilon = validate.positive("epsilon", epsilon)
        make, rules = cls._maker(dim, calibration)
        if rules is None:
            promised: dict[str, Any] = {promise: epsilon}
            return make(guarantees.largest_concentration(make, **promised))
        rule = getattr(rules, promise)
        if isinstance(rule, str):
            raise InvalidArgument(rule)
        return make(rule(epsilon))

    @classmethod
    def _maker(cls, dim: int | None, calibration: str) -> tuple[Callable[..., Any], CalibrationRule | None]:
        """The distribution of a concentration in this dimension, and its calibration if there is one."""
        validate.check_one_of("calibration", calibration, get_args(How))
        rules = cls.published if calibration == "published" else cls.tight
        if rules is None and calibration == "published":
            rule = f"no paper calibrates the {cls.__name__}: 'calibration' must be 'tight'; got 'published'"
            raise InvalidArgument(rule)
        make = cls.noise_type
        if make is None:
            hint = "take a mechanism of dirpriv.mechanisms, or Mechanism.from_distribution(distribution)"
            raise TypeError(f"{cls.__name__} has no 'noise_type': {hint}")
        if cls.default_dim is None:
            if dim is not None:
                got = f"got {describe(dim)}: its distribution is not one of vectors"
                raise TypeError(f"{cls.__name__} takes no 'dim'; {got}")
        elif cls.only_dim is None:
            make = functools.partial(make, cls.default_dim if dim is None else dim)
        elif dim is not None and validate.dimension(dim) != cls.only_dim:
            hint = f"the {cls.__name__} is defined for no other length of the vectors"
            raise InvalidArgument("dim", f"must be {cls.only_dim}", got=dim, hint=hint)
        elif "dim" in inspect.signature(make).parameters:  # as that of every SphericalDistribution
            make = functools.partial(make, cls.only_dim)
        return make, rules

    def __repr__(self) -> str:
        return f"{type(self).__name__}(noise={self.noise!r}, guarantee={self.guarantee!r})"

    def randomise(self, x: Any, *, rng: ReleaseRNG = None) -> Any:
        """Randomise each of the directions, or points, on its own: an array of the shape of ``x``.

        Parameters
        ----------
        x : array_like, shape (dim,) or (N, dim)
            The true values: unit vectors; for mechanisms in space, points.
        rng : None, numpy.random.Generator or numpy.random.BitGenerator, keyword-only
            None, as a release of real data must have it, takes the entropy of the operating system, which
            nobody can replay. For a study make one generator and pass it to every call. A seed is refused:
            each call would add the same noise, and two outputs differ by exactly the difference of their
            inputs. Processes that are forked must not share a generator.

        Raises
        ------
        ValueError
            If a vector is not of unit norm or not of the mechanism's dimension: with its row, and the method
            for hours, angles or degrees. If a point is not finite, or, in the plane, all of them look like
            latitude and longitude and the noise like metres. If ``rng`` is a seed.

        Examples
        --------
        >>> from dirpriv.mechanisms import PurkayasthaMechanism
        >>> mechanism = PurkayasthaMechanism(1.0, dim=2)
        >>> mechanism.randomise([[1.0, 0.0], [0.0, 1.0]]).shape
        (2, 2)
        """
        return self._randomised("x", x, rng)

    def randomise_angles(self, angles: Any, *, rng: ReleaseRNG = None) -> FloatOrArray:
        """Randomise each of the angles on its own; for mechanisms of the circle (``dim=2``).

        The result is in radians in [0, 2π), as of :meth:`randomise` of the unit vectors, up to rounding.

        Parameters
        ----------
        angles : array_like
            Radians from -2π to 4π.
        rng : keyword-only
            As for :meth:`randomise`.

        Examples
        --------
        >>> from dirpriv.mechanisms import PurkayasthaMechanism
        >>> mechanism = PurkayasthaMechanism(epsilon=1000.0)
        >>> mechanism.randomise_angles([0.1, 3.0]).round(1).tolist()
        [0.1, 3.0]
        """
        self._check_space(CIRCLE, "has no randomise_angles", _CIRCLE_NEEDED)
        return self._randomised_angles(_angles.radians(angles), rng)

    def randomise_times(self, times: Any, *, period: WithUnit = 24.0, rng: ReleaseRNG = None) -> FloatOrArray:
        """Randomise each of the times of day on its own; for mechanisms of the circle (``dim=2``).

        The result is in hours in [0, ``period``), in the shape and order of ``times``, without a date.

        Parameters
        ----------
        times : array_like
            Times as of :func:`dirpriv.geometry.hours_to_angles`: hours as numbers from 0 to ``period``,
            datetime64, timedelta64, :class:`datetime.time`, texts ``"08:15"``, ``"2024-03-05 08:15:30"`` or
            ``"8.25"``, columns of pandas or Polars. With a time zone, the local time of day counts.
        period : float, str or timedelta, keyword-only
            Length of one turn, in hours or as ``"24h"``: 24 for the day, 168 for the week.
        rng : keyword-only
            As for :meth:`randomise`.

        Examples
        --------
        >>> import numpy as np
        >>> from dirpriv.mechanisms import PurkayasthaMechanism
        >>> mechanism = PurkayasthaMechanism.within(level=1000.0, radius=np.pi / 4)  # 3 h
        >>> mechanism.randomise_times(["08:15", "23:00"]).round(0).tolist()
        [8.0, 23.0]
        """
        self._check_space(CIRCLE, "has no randomise_times", _CIRCLE_NEEDED)
        turn = float(units.hours("period", period))
        hours = _times.hours("times", times, turn, in_turn=True)
        return directions.to_hours(self._randomised_angles(directions.to_angles(hours, turn), rng), turn)

    def _randomised_angles(self, angles: Array, rng: Any) -> FloatOrArray:
        if getattr(type(self.noise), "rvs", None) is SphericalDistribution.rvs and self.noise.is_symmetric:
            return self.noise._rvs_around(angles, validate.release_generator(rng))
        return directions.polar_angles(self.randomise(directions.to_vectors(angles), rng=rng))

    def randomise_places(
        self, latitude: ArrayLike, longitude: ArrayLike, *, rng: ReleaseRNG = None
    ) -> tuple[FloatOrArray, FloatOrArray]:
        """Randomise each of the places on Earth on its own; for mechanisms of the sphere, and planar Laplace.

        On the sphere (``dim=3``) the level is per radian: ε per metre is 6 371 008.8 ε per radian
        (:data:`dirpriv.geometry.earth.EARTH_RADIUS`). Of planar Laplace it is per metre.

        Parameters
        ----------
        latitude, longitude : array_like, shape () or (N,)
            Degrees, as those that are returned: lists, arrays, or columns of pandas, Polars or Arrow.
        rng : keyword-only
            As for :meth:`randomise`.

        Examples
        --------
        >>> from dirpriv.geometry.earth import EARTH_RADIUS
        >>> from dirpriv.mechanisms import PurkayasthaMechanism
        >>> mechanism = PurkayasthaMechanism.within(level=1.0, radius=10.0 / EARTH_RADIUS, dim=3)  # 10 m
        >>> latitude, longitude = mechanism.randomise_places([40.75, 48.86], [-73.98, 2.35])
        >>> latitude.round(2).tolist(), longitude.round(2).tolist()
        ([40.75, 48.86], [-73.98, 2.35])
        """
        self._check_space(Sphere(3), "does not take places", _SPHERE_NEEDED)
        vectors = earth.places_to_vectors(_angles.pairs(latitude, longitude))
        places = earth.vectors_to_places(self.randomise(vectors, rng=rng))
        return places[..., 0][()], places[..., 1][()]

    def _check_space(self, space: Space, rule: str, hint: str) -> None:
        own = self.noise.space
        if own != space:
            dim = f" with dim={own.dimension}" if isinstance(own, Sphere | Euclidean) else ""
            raise InvalidArgument(f"{type(self).__name__}{dim} {rule}", hint=hint)

    def radius_of(self, share: ArrayLike) -> FloatOrArray:
        """Radius around the true value within which a share of the outputs lies.

        In radians, or the unit of length of a space. For clipped Laplace that of an input opposite the seam.

        Parameters
        ----------
        share : array_like
            From 0 to 1: 0.5 for the median error.
        """
        shares = validate.probabilities("share", share)
        name = "radius_ppf" if isinstance(self.noise.space, Euclidean) else "angle_ppf"
        if lacking(self.noise, name):
            raise InvalidArgument(f"the radius of {self.noise!r} is not known, as it has no method {name}")
        return scalar_or_array(np.asarray(getattr(self.noise, name)(shares)))

    @classmethod
    def epsilon_for(cls, radius: float, share: float, **how: Any) -> float:
        """Level per unit of distance for which a share of the outputs lies within a radius of the true value.

        Parameters
        ----------
        radius, share : float
            Radians, or the unit of length of a mechanism in space; between 0 and 1.
        **how
            Other arguments of the class: ``dim``, ``calibration``.

        Raises
        ------
        ValueError
            If an argument is out of its range, or uniform outputs already lie so near.

        Examples
        --------
        >>> import numpy as np
        >>> from dirpriv.mechanisms import PurkayasthaMechanism
        >>> hour = np.pi / 12
        >>> epsilon = PurkayasthaMechanism.epsilon_for(hour, 0.5, dim=2)  # half of them within an hour
        >>> round(epsilon, 3), round(PurkayasthaMechanism(dim=2, epsilon=epsilon).radius_of(0.5) / hour, 9)
        (2.647, 1.0)
        """
        radius, share = validate.positive("radius", radius), validate.share("share", share)

        def off(log_epsilon: float) -> float:
            return float(np.log(cls(epsilon=float(np.exp(log_epsilon)), **how).radius_of(share) / radius))

        start = -np.log(radius)
        low = high = start
        while off(low) < 0.0:  # the mechanism of this level stays too near: less is enough
            low -= 2.0
            if low < start - 60.0:
                why = f"even of a uniform output a share of {share!r} or more lies within {radius!r}"
                hint = f"{why}; give a smaller {named('radius')} or a larger 'share'"
                raise InvalidArgument("no level is that low", hint=hint)
        while off(high) > 0.0:
            high += 2.0
            if high > start + 60.0:
                raise InvalidArgument(f"no level is so high that a share of {share!r} lies within {radius!r}")
        return float(np.exp(scipy.optimize.brentq(off, low, high, xtol=1e-14, rtol=1e-14)))

    def _check_draws(self, noisy: Any, inputs: Any) -> None:
        """Refuse what a distribution of a user's own has drawn, of another shape or no direction where it must be."""
        if self.noise.space == ROTATIONS:
            return
        unit, kind = isinstance(self.noise.space, Sphere), type(self.noise).__name__
        outputs, wanted = np.asarray(noisy), np.shape(inputs)
        what = "unit vectors" if unit else "points"
        rule = f"of a {kind} must draw {what} of the shape {wanted} around {what} of that shape"
        if outputs.shape != wanted:
            raise InvalidArgument("rvs", f"{rule}; it gave the shape {outputs.shape}", hint=_SEE_DISTRIBUTION)
        if unit and (outputs.dtype.kind != "f" or not np.allclose((outputs**2).sum(axis=-1), 1.0)):
            raise InvalidArgument("rvs", rule, hint=_SEE_DISTRIBUTION)

    def _randomised(self, name: str, inputs: Any, rng: Any) -> Any:
        """Draws around the inputs. If the distribution refuses these, an error names argument, row and method."""
        rng = validate.release_generator(rng)
        try:
            noisy = self.noise.rvs(inputs, rng=rng)
        except (TypeError, ValueError) as error:
            failed = error
        else:
            if not isinstance(self.noise, BaseDistribution):
                self._check_draws(noisy, inputs)
            return noisy
        self._refuse_vectors(inputs)
        if isinstance(self.noise, BaseDistribution) and isinstance(failed, InvalidArgument):
            raise failed.about(name)  # a distribution names the inputs in its own way
        raise failed

    def _refuse_vectors(self, x: Any) -> None:
        """Refuse inputs that are no unit vectors, or no points; name the method that fits, and no value."""
        space = self.noise.space
        if not isinstance(space, Sphere | Euclidean):
            return
        hint = "times of day go into randomise_times, angles into randomise_angles"
        of_times = "must hold vectors and holds times", "randomise_times takes them, on the circle (dim=2)"
        values = validate.real_rows("x", x, hint, of_times=of_times)
        advice = _advice(space, values)
        if values.ndim == 0 or values.shape[-1] != space.dimension:
            what = f"{'unit vectors' if isinstance(space, Sphere) else 'points'} of length {space.dimension}"
            raise InvalidArgument("x", f"must hold {what} along its last axis; got shape {values.shape}", hint=advice)
        if isinstance(space, Euclidean):
            rule = "must hold finite coordinates; one is nan or infinite"
            return validate.refuse("x", ~np.isfinite(values).all(axis=-1), rule, "leave the row out")
        squares = np.einsum("...i,...i->...", values, values)
        validate.refuse("x", np.isnan(squares), "has a coordinate that is nan", "leave the row out")
        off = ~(np.abs(squares - 1.0) <= 1e-5)  # which validate.unit_vectors takes
        validate.refuse("x", off, "is no unit vector, its norm is not 1", advice)


def _advice(space: Sphere | Euclidean, values: Array) -> str:
    """Advice for values that are not vectors of this space, from their shape."""
    if isinstance(space, Euclidean):
        return "one point a row"
    dim = space.dimension
    of_two = values.ndim > 0 and values.shape[-1] == 2
    if dim == 3 and of_two:
        return "latitude and longitude in degrees go into randomise_places"
    if dim == 2 and of_two and values.ndim > 1:
        return (
            "divide vectors by their norm first; latitude and longitude go into randomise_places of a "
            "mechanism with dim=3, or of PlanarLaplaceMechanism"
        )
    if dim == 2:
        return "hours and times of day go into randomise_times, angles in radians into randomise_angles"
    if values.ndim < 2 and (not values.ndim or values.shape[-1] != dim):
        return "hours and angles go into randomise_times and randomise_angles of a mechanism with dim=2"
    return "divide vectors by their norm first"
