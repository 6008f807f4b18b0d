"""The angle from the mode: base of the rotationally symmetric distributions and of those of rotations.

The angle θ from the mode has the density exp(h(θ)) up to a constant, h = log w + f: w is the *element* of the
space (sin^(n-2) θ on the sphere of R^n, sin²(θ/2) among rotations), f the *log kernel* of the distribution.
``h(T + u) - h(T)`` is integrated away from T over the length in which it falls by 38 nats. Nothing in it
grows with n or κ or cancels; 24 Gauss-Legendre nodes reach 4e-13 relative, down to tails of 1e-290.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, NoReturn, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.quadrature import NODES, integral
from dirpriv._lib.types import RNG, Array, FloatOrArray, Size
from dirpriv.distributions.shared import loss_distribution
from dirpriv.distributions.shared.base import BaseDistribution, scalar_or_array

PI_TAIL = 1.2246467991473532e-16  # π minus the double nearest to it
_SUPPORT = 38.0  # nats: exp(-38) = 3e-17 of the highest density is below rounding
_OF_SCIPY = {"mean": "mean_angle"} | {name: f"angle_{name}" for name in ("cdf", "sf", "ppf", "isf")}

Weight: TypeAlias = Callable[[Array], Array] | None


class Angle(NamedTuple):
    """An angle of [0, π], known by its distances from both ends: each is exact where it is small."""

    from_zero: Any
    from_pi: Any

    @classmethod
    def at(cls, theta: FloatOrArray) -> Self:
        """The angle that is ``theta`` radians from 0."""
        return cls(theta, np.pi - theta + PI_TAIL)

    def shifted(self, by: FloatOrArray) -> Angle:
        """The angle that is ``by`` radians nearer to π."""
        return Angle(self.from_zero + by, self.from_pi - by)

    def part(self, index: Any) -> Angle:
        """Some of many angles, or all of them with another axis."""
        return Angle(self.from_zero[index], self.from_pi[index])


class ColatitudeDistribution(BaseDistribution):
    """Base of the distributions of an angle whose log kernel is continuous and falls; a subclass gives the hooks."""

    _not_fitted: ClassVar[str] = ""  # why the family has no estimate; its name takes the place of {}

    if not TYPE_CHECKING:  # a type checker knows what is missing

        def __getattr__(self, name: str) -> NoReturn:
            """Of a method of SciPy's distributions, the one in its place."""
            here = f": of the angle from the mode it is {_OF_SCIPY[name]!r}" if name in _OF_SCIPY else ""
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}{here}", name=name, obj=self)

    @abstractmethod
    def _peak_angle(self) -> Angle:
        """The angle with the highest angle density, as an :class:`Angle`."""

    @abstractmethod
    def _log_element_change(self, at: Angle, shift: FloatOrArray, there: FloatOrArray = None) -> FloatOrArray:
        """log w(t) - log w(T) for T = ``at`` and t = T + shift; ``there`` is t itself where it is known."""

    @abstractmethod
    def _log_element_slope_and_bend(self, at: Angle) -> tuple[FloatOrArray, FloatOrArray]:
        """(log w)' and -(log w)''."""

    @abstractmethod
    def _log_element_at_peak(self) -> float:
        """log w at the peak."""

    @property
    @abstractmethod
    def _log_area(self) -> float:
        """Logarithm of the constant that makes w the area of the outputs at an angle, per radian."""

    @property
    @abstractmethod
    def _uniform(self) -> ColatitudeDistribution:
        """The uniform distribution of the space."""

    @abstractmethod
    def _bearings(self) -> tuple[Any, Any]:
        """The uniform distribution of bearings, and the distance from another input: `loss_distribution.Radial`."""

    @abstractmethod
    def _log_kernel(self, theta: FloatOrArray) -> FloatOrArray:
        """f(θ) - f(0)."""

    def _log_kernel_change(self, at: Angle, shift: FloatOrArray) -> FloatOrArray:
        """f(t) - f(T) for T = ``at`` and t = T + shift."""
        return self._log_kernel(at.from_zero + shift) - self._log_kernel(at.from_zero)

    @abstractmethod
    def _kernel_slope(self, theta: FloatOrArray) -> FloatOrArray:
        """f'(θ), never positive."""

    @abstractmethod
    def _draw_angles(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        """Exact draws of the angle; ``kappa`` is one number, or one for each draw."""

    # ``side`` is +1 on the way to π and -1 on the way to 0.

    @cached_property
    def _peak(self) -> Angle:
        self._one_kappa()
        return Angle(*map(float, self._peak_angle()))

    def _log_density_change(self, at: Angle, shift: FloatOrArray, there: FloatOrArray = None) -> FloatOrArray:
        """h(t) - h(T) for T = ``at`` and t = T + shift; ``there`` is t where the caller knows it exactly."""
        return self._log_kernel_change(at, shift) + self._log_element_change(at, shift, there)

    def _support_length(self, at: Angle, side: int) -> Array:
        """Length over which the angle density falls by about 38 nats from T on this side, or all of it."""
        limit = at.from_pi if side > 0 else at.from_zero
        with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
            pull, bend = self._log_element_slope_and_bend(at)
            slope = np.abs(pull + self._kernel_slope(at.from_zero))
            curvature = bend + self.kappa
            guess = 2.0 * _SUPPORT / (slope + np.hypot(slope, np.sqrt(2.0 * _SUPPORT * curvature)))
        low, high = np.zeros_like(limit), limit.copy()
        nearly = 0.995 * limit  # at the end itself the element is 0, and every fall is infinite
        length = np.minimum(np.where(np.isfinite(guess), guess, limit), limit)
        todo = np.arange(limit.size)
        for _ in range(60):
            u = length[todo]
            fall = -self._log_density_change(at.part(todo), side * u)
            # a panel a little too long is as accurate
            short, long = (fall < _SUPPORT) & (u < limit[todo]), fall > 44.0
            low[todo[short]], high[todo[long]] = u[short], u[long]
            whole = short & (u >= nearly[todo]) & (high[todo] == limit[todo])
            length[todo[whole]] = limit[todo[whole]]
            again = (short | long) & ~whole
            todo, fall = todo[again], fall[again]
            if todo.size == 0:
                break
            # the fall grows between linearly and quadratically; a step that leaves the bracket is halved
            with np.errstate(divide="ignore", invalid="ignore"):
                step = length[todo] * np.clip((_SUPPORT + 1.0) / fall, 1e-6, 1e6) ** 0.6
            step = np.where(high[todo] == limit[todo], np.minimum(step, nearly[todo]), step)
            inside = (step > low[todo]) & (step < high[todo])
            length[todo] = np.where(inside, step, (low[todo] + high[todo]) / 2.0)
        return length

    def _integral(self, at: Angle, start: FloatOrArray, length: Array, weight: Weight = None) -> Array:
        """∫ exp(h(T + u) - h(T)) weight(T + u) |du|, u from start to start + length; both may be negative."""
        shift = np.expand_dims(start, -1) + length[..., None] * NODES
        values = np.exp(self._log_density_change(at.part((..., None)), shift))
        if weight is not None:
            values = values * weight(at.from_zero[..., None] + shift)
        return np.abs(length) * integral(values)

    def _log_density_from_peak(self, theta: FloatOrArray) -> FloatOrArray:
        return self._log_density_change(self._peak, theta - self._peak.from_zero, theta)

    @cached_property
    def _masses(self) -> tuple[float, ...]:
        """Integrals of exp(h - h(peak)) left and right of the peak."""
        return self._weighted_masses()

    def _weighted_masses(self, weight: Weight = None) -> tuple[float, ...]:
        """The same with a weight. Made once a distribution, they are worth four panels: 1e-15 instead of 1e-14."""
        peak = Angle(*(np.array([end]) for end in self._peak))
        panels = Angle(*(np.full(4, end) for end in self._peak))
        masses = []
        for side in (-1, 1):
            if side < 0 and self._peak.from_zero == 0.0:
                masses.append(0.0)
                continue
            panel = side * self._support_length(peak, side) / 4.0
            parts = self._integral(panels, np.arange(4) * panel, np.repeat(panel, 4), weight)
            masses.append(float(np.sum(parts[::-1])))
        return tuple(masses)

    @cached_property
    def _log_angle_normalizer(self) -> float:
        """log ∫ w(θ) exp(f(θ) - f(0)) dθ."""
        return self._log_element_part + float(self._log_kernel(np.float64(self._peak.from_zero)))

    @cached_property
    def _log_element_part(self) -> float:
        """log w of the peak, and the log of the integral relative to the peak."""
        self._one_kappa()
        return float(self._log_element_at_peak() + np.log(sum(self._masses)))

    def angle_logpdf(self, theta: ArrayLike) -> FloatOrArray:
        """Log-density ``log w(θ) + f(θ) - log Z`` of the angle from the mode, per radian.

        Parameters
        ----------
        theta : array_like
            Angles in radians; outside [0, π] the log-density is -inf.
        """
        theta = validate.reals("theta", theta)
        inside = (theta >= 0.0) & (theta <= np.pi)
        out = np.full(theta.shape, -np.inf)
        out[inside] = self._log_angle_density(theta[inside])
        out[np.isnan(theta)] = np.nan
        return scalar_or_array(out)

    def _log_angle_density(self, theta: Array) -> FloatOrArray:
        """The logarithm of the density of angles from 0 to π."""
        return self._log_density_from_peak(theta) - np.log(sum(self._masses))

    def angle_pdf(self, theta: ArrayLike) -> FloatOrArray:
        """Density of the angle from the mode, per radian; see :meth:`angle_logpdf`.

        Parameters
        ----------
        theta : array_like
            Angles in radians.
        """
        return scalar_or_array(np.exp(self.angle_logpdf(theta)))

    def angle_cdf(self, theta: ArrayLike) -> FloatOrArray:
        """Probability of an angle of at most ``theta``, to 12 digits *relative*, tails included.

        Parameters
        ----------
        theta : array_like
            Angles in radians.
        """
        return self._probabilities(validate.reals("theta", theta))[0]

    def angle_sf(self, theta: ArrayLike) -> FloatOrArray:
        """Probability of an angle of more than ``theta`` (survival), to 12 digits relative.

        Parameters
        ----------
        theta : array_like
            Angles in radians.
        """
        return self._probabilities(validate.reals("theta", theta))[1]

    def _probabilities(self, theta: Array) -> tuple[FloatOrArray, FloatOrArray]:
        theta, shape = theta.ravel(), theta.shape
        cdf = np.where(theta >= np.pi, 1.0, 0.0)
        cdf[np.isnan(theta)] = np.nan
        sf = 1.0 - cdf
        inside = np.flatnonzero((theta > 0.0) & (theta < np.pi))
        for block in np.array_split(inside, 1 + inside.size // 8192):  # bounds the scratch memory
            if block.size:
                cdf[block], sf[block] = self._cdf_and_sf(theta[block])
        return scalar_or_array(cdf.reshape(shape)), scalar_or_array(sf.reshape(shape))

    def _cdf_and_sf(self, theta: FloatOrArray) -> tuple[Array, Array]:
        """Probabilities below and above; the smaller of the two is integrated, not subtracted."""
        left, right = self._masses
        total = left + right
        scale = np.exp(self._log_density_from_peak(theta)) / total
        at = Angle.at(theta)
        below, above = np.empty_like(theta), np.empty_like(theta)
        peak, lower = self._peak, theta <= self._peak.from_zero
        sides = (-1, lower, below, above, right), (1, ~lower, above, below, left)
        for side, part, near, far, rest in sides:
            rows = np.flatnonzero(part)
            if not rows.size:
                continue
            here = at.part(rows)
            beyond = self._integral(here, 0.0, side * self._support_length(here, side))
            near[rows] = scale[rows] * beyond
            far[rows] = 1.0 - near[rows]
            rows = rows[near[rows] > 0.5]
            if rows.size:
                # an angle below the peak is measured at the end that is nearer to the peak
                from_zero = side > 0 or peak.from_zero <= peak.from_pi
                length = (theta[rows] - peak.from_zero) if from_zero else peak.from_pi - at.from_pi[rows]
                start = Angle(*(np.full(rows.size, end) for end in peak))
                far[rows] = (rest + self._integral(start, 0.0, length)) / total
        return below, above

    def angle_ppf(self, u: ArrayLike) -> FloatOrArray:
        """Angle in radians below which a share ``u`` of the draws falls, to machine precision.

        Parameters
        ----------
        u : array_like
            Probabilities; outside [0, 1] the result is nan. For the far end, where ``1 - u`` is
            smaller than 1e-16, use :meth:`angle_isf`.
        """
        u = validate.reals("u", u)
        with np.errstate(invalid="ignore"):
            return scalar_or_array(self._quantiles(u.ravel(), 1.0 - u.ravel()).reshape(u.shape))

    def angle_isf(self, q: ArrayLike) -> FloatOrArray:
        """Angle in radians above which a share ``q`` of the draws falls: the inverse of :meth:`angle_sf`.

        Parameters
        ----------
        q : array_like
            Probabilities; outside [0, 1] the result is nan.
        """
        q = validate.reals("q", q)
        with np.errstate(invalid="ignore"):
            return scalar_or_array(self._quantiles(1.0 - q.ravel(), q.ravel()).reshape(q.shape))

    def _quantiles(self, u: Array, q: Array) -> Array:
        """Angles with the probabilities u below and q = 1 - u above; nan where one is negative."""
        out = np.full(u.shape, np.nan)
        out[u == 0.0], out[q == 0.0] = 0.0, np.pi
        inside = (u > 0.0) & (q > 0.0)
        left = u <= self._masses[0] / sum(self._masses)
        for part, probability, rising, low, high in (
            (inside & left & (u <= q), u, True, 0.0, self._peak.from_zero),
            (inside & left & (u > q), q, False, 0.0, self._peak.from_zero),
            (inside & ~left & (u < q), u, True, self._peak.from_zero, np.pi),
            (inside & ~left & (u >= q), q, False, self._peak.from_zero, np.pi),
        ):
            if part.any():
                out[part] = self._solve(probability[part], rising, low, high)
        return out

    def _solve(self, wanted: Array, rising: bool, low: FloatOrArray, high: FloatOrArray) -> Array:
        """Angles at which the CDF (``rising``) or the survival function has the wanted values.

        Newton's method on the log probability in a bracket, in log θ near 0, log(π - θ) near π, else θ.
        """
        low, high = np.full(wanted.shape, low), np.full(wanted.shape, high)
        theta = (low + high) / 2.0
        from_zero = low[0] == 0.0
        todo = np.arange(wanted.size)
        for _ in range(200):
            t = theta[todo]
            value = self._cdf_and_sf(t)[0 if rising else 1]
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                gap = np.log(value / wanted[todo])
                move = -gap * value / self.angle_pdf(t) * (1.0 if rising else -1.0)
                if rising and from_zero:
                    step = t * np.exp(move / t)
                else:
                    rest = np.pi - t + PI_TAIL
                    step = np.where(t > 0.5 * np.pi, np.pi - rest * np.exp(-move / rest) + PI_TAIL, t + move)
            beyond = (gap > 0.0) == rising
            high[todo[beyond]], low[todo[~beyond]] = t[beyond], t[~beyond]
            bottom, top = low[todo], high[todo]
            far = bottom < 0.1 * top
            middle = np.where(far, np.sqrt(np.maximum(bottom, 1e-6 * top) * top), (bottom + top) / 2)
            settled = np.abs(step - t) <= 1e-13 * t  # Newton doubles the digits: this step has them all
            usable = settled | ((step > bottom) & (step < top))
            theta[todo] = np.where(usable, step, middle)
            todo = todo[~settled]
            if todo.size == 0:
                break
        return theta

    def angle_rvs(self, size: Size | None = None, *, rng: RNG = None) -> FloatOrArray:
        """Exact draws of the angle from the mode, in radians.

        Parameters
        ----------
        size : int or tuple of int, optional
            Shape of the result; ``None`` gives one number (one for each concentration, if ``kappa`` is an array).
        rng : None, int, SeedSequence, BitGenerator or Generator, keyword-only
            As for :meth:`rvs`.
        """
        rng = validate.generator(rng)
        shape = self._shape_per_kappa(() if size is None else validate.shape("size", size))
        kappa = np.broadcast_to(self.kappa, shape).ravel() if np.ndim(self.kappa) else self.kappa
        angles = self._drawn_angles(int(np.prod(shape, dtype=np.int64)), kappa, rng)
        return float(angles[0]) if shape == () and size is None else angles.reshape(shape)

    def _drawn_angles(self, size: int, kappa: FloatOrArray, rng: np.random.Generator) -> Array:
        """An angle for each row: with fewer, rows would share their noise."""
        angles = self._draw_angles(size, kappa, rng)
        if np.shape(angles) != (size,):
            rule = f"of a {type(self).__name__} must draw one angle for each of {size} rows"
            raise InvalidArgument("_draw_angles", f"{rule}; it gave the shape {np.shape(angles)}")
        return angles

    def expectation(self, function: Callable[[Array], Array]) -> float:
        """Expected value of a smooth function of the angle, by the quadrature of this module.

        Parameters
        ----------
        function : callable
            Takes an array of angles in radians, gives an array of the same shape.
        """
        total = sum(self._masses)
        # a power of two changes no digit, and without it products of tiny numbers would underflow
        unit = math.ldexp(1.0, -math.frexp(total)[1])
        return sum(self._weighted_masses(lambda theta: function(theta) * unit)) / (total * unit)

    def mean_angle(self) -> float:
        """Expected angle E θ from the mode, in radians."""
        return self.expectation(lambda theta: theta)

    def entropy(self) -> float:
        """Differential entropy -E log p of a draw, in nats.

        With respect to surface measure on the sphere, and to Haar probability measure among rotations. The
        highest is the uniform distribution's: the logarithm of the area, and 0.
        """
        return float(self._log_area + self._log_angle_normalizer - self.expectation(self._log_kernel))

    def _pure_level(self) -> float:
        """max f - min f: between inputs as far apart as can be, as f falls all the way."""
        return float(-self._log_kernel(np.float64(np.pi)))

    def _loss_at(self, distance: Array) -> Array:
        """sup f(θ) - f(θ + d) by search, where a distribution gives no closed form: f falls, and most in one place."""
        distance = np.minimum(distance, np.pi)[..., None]
        low, high = np.zeros(distance.shape), np.pi - distance
        for _ in range(8):  # by 64^8 the step falls below the spacing of doubles
            theta = low + (high - low) * np.linspace(0.0, 1.0, 257)
            loss = -self._log_kernel_change(Angle.at(theta), distance)
            at = np.take_along_axis(theta, loss.argmax(axis=-1, keepdims=True), axis=-1)
            step = (high - low) / 128.0
            low, high = np.maximum(at - step, low), np.minimum(at + step, high)
        return np.asarray(loss.max(axis=-1))

    def _radial(self) -> loss_distribution.Radial:
        bearings, away = self._bearings()
        of_angle = self.angle_ppf, self.angle_isf, self.angle_cdf, self.angle_sf, self.angle_pdf
        return loss_distribution.Radial(bearings, self._log_kernel, away, *of_angle)


class ChordKernel:
    """The log kernel -cκ sin²(θ/2), c = ``_share``, and what it guarantees: a fall with the squared chord."""

    kappa: Any
    _share = 1.0

    def _log_kernel(self, theta: FloatOrArray) -> FloatOrArray:
        return -self._share * self.kappa * np.sin(0.5 * theta) ** 2

    def _log_kernel_change(self, at: Angle, shift: FloatOrArray) -> FloatOrArray:
        middle = np.minimum(*at.shifted(0.5 * shift))
        return -self._share * self.kappa * np.sin(middle) * np.sin(0.5 * shift)

    def _kernel_slope(self, theta: FloatOrArray) -> FloatOrArray:
        return -0.5 * self._share * self.kappa * np.sin(theta)

    def _metric_level(self) -> float:
        return 0.5 * self._share * self.kappa  # the slope at 90°

    def _loss_at(self, distance: Array) -> Array:
        return self._share * self.kappa * np.sin(0.5 * distance)  # of an output in line with both inputs


class StraightKernel:
    """The log kernel -κ θ of an exponential distribution, and what it guarantees, in any space."""

    kappa: Any

    def _log_kernel(self, theta: FloatOrArray) -> FloatOrArray:
        return -self.kappa * theta

    def _log_kernel_change(self, at: Angle, shift: FloatOrArray) -> FloatOrArray:
        return -self.kappa * shift

    def _kernel_slope(self, theta: FloatOrArray) -> FloatOrArray:
        return np.full_like(theta, -self.kappa)

    def _metric_level(self) -> float:
        return self.kappa

    def _loss_at(self, distance: Array) -> Array:
        return self.kappa * distance


class FlatKernel(StraightKernel):
    """That of a uniform distribution, whose κ is 0."""

    _not_fitted = "the uniform distribution has neither mode nor concentration to fit"

    def _log_kernel(self, theta: FloatOrArray) -> FloatOrArray:
        return np.zeros_like(theta)  # no -0.0
