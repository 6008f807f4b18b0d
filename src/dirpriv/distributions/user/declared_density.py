"""Densities of one's own, as functions of the angle, with a declaration that bounds them between values.

The proofs are in docs/mathematics.md, "A density of your own". A value f(θ) may be off by δ, and be that of
an angle that is off by a = 8 ulp of π; with M ≥ sup |f'| both together are at most δ + M a.
"""

import functools
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.immutable import Frozen
from dirpriv._lib.types import Array, FloatOrArray, Integers, Kernel
from dirpriv.distributions.shared.base import scalar_or_array
from dirpriv.geometry.spaces import CIRCLE

Domain = Literal["sphere", "circle", "rotations"]

_CELLS, _MOST_CELLS = 2**17, 2**20
_IN_A_PIECE = 1200  # cells, so that a level is at most 2/1200 above the true one
_FINEST = 2e-5  # rad: the shortest pieces of four cells
_STRIDES = 4 ** np.arange(7)  # cells of a coarser grid: the values of all grids must agree
_GOLDEN, _JITTER = 0.5 * (np.sqrt(5.0) - 1.0), 0.5  # no function repeats itself from point to point
_ROUNDINGS = 8.0  # ulp that a value and an angle may be off by
_OFF_AXIS = _ROUNDINGS * float(np.spacing(np.pi))
_HIDDEN, _SMALL = 0.01, 1e-9  # share of a slope that rounding may add, and radians⁻¹ that are let pass
_UP = 1.0 + 1e-12  # covers the roundings of this module
_LARGEST, _LEAST = 1e200, 8.0 * float(np.nextafter(0.0, 1.0))  # of values, and of their error
_BLOCK = 2**15  # angles for which the function is asked at once
_PLACES, _ROUNDS, _PARTS = 32, 8, 24  # looked at closely, each time in the most suspicious eighth
_OPEN = 2**15  # cells that may hold an extremum: of more it is not known better than to a cell
_WAY_OUT = "A jump has no level per radian: use Cap or Staircase, or a class as dirpriv.distributions.Distribution says"


def from_log_density(
    f: Kernel, *, steepest: float | None = None, finest: float | None = None, accuracy: float | None = None
) -> "DeclaredDensity":
    """Noise of your own, by the logarithm of its density as a function of the angle from the true value.

    Values at finitely many angles prove nothing of those between them. So you declare how steep or how fine
    the function is, and :mod:`dirpriv.guarantees` bounds its levels from above by that. What you declare is
    tested, not proved: wrong declarations are found where values show it, else the levels can be too small.
    Each guarantee shows what it rests on, as ``assumes``. All functions of :mod:`dirpriv.guarantees` that take a
    distribution take what is returned; its method ``noise(dim, kappa)`` gives a distribution that draws, with the
    log-density κ f. :func:`from_density` takes the density itself.

    Parameters
    ----------
    f : callable
        Takes an array of angles in [0, π] and gives the log-density with respect to the uniform measure, up
        to a constant: finite real numbers. It may also take one angle at a time.
    steepest : float, optional, keyword-only
        L: f is continuous, and ``|f(s) - f(t)| ≤ L |s - t|``. The metric level is then L.
    finest : float, optional, keyword-only
        w, from 2e-5 to π: f is continuous, and [0, π] falls into pieces at least w long in each of which f is
        differentiable with ``|f'(s) - f'(t)| ≤ sup|f'| |s - t|/w``, where sup|f'| is that of all pieces. So there are
        kinks at least w from each other and from both ends; between them the slope needs w radians or more to change by
        as much as the largest. A sine ``sin(k t)`` has w = 1/k. Give this or ``steepest``.
    accuracy : float, optional, keyword-only
        Error of a value, 8 ulp of the largest ``|f|`` if not given. Each value may also be that of an angle
        8 ulp of π away.

    Raises
    ------
    ValueError
        If not just one of ``steepest`` and ``finest`` is given; if f is not finite and real; if its values
        contradict what is declared, as at a jump; or if rounding hides its slope.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import guarantees, distributions
    >>> trapezoid = distributions.from_log_density(lambda theta: -np.minimum(2.0 * theta, 1.0), steepest=2.0)
    >>> guarantees.metric_level(trapezoid), round(guarantees.pure_level(trapezoid), 3)
    (2.0, 1.0)
    >>> wave = distributions.from_log_density(lambda theta: np.sin(10.0 * theta), finest=0.1)
    >>> round(guarantees.metric_level(wave), 1)
    10.0
    """
    return DeclaredDensity("from_log_density", f, steepest, finest, accuracy)


def from_density(
    f: Kernel, *, steepest: float | None = None, finest: float | None = None, accuracy: float | None = None
) -> "DeclaredDensity":
    """Noise as of :func:`from_log_density`, by its density as a function of the angle from the true value.

    Parameters
    ----------
    f : callable
        As of :func:`from_log_density`, but gives the density, up to a factor: positive finite numbers.
    steepest, finest : float, optional, keyword-only
        As of :func:`from_log_density`, and of the *logarithm* of the density.
    accuracy : float, optional, keyword-only
        Relative error of a value; if not given 8 ulp of 1, or of the largest logarithm where that is larger.

    Raises
    ------
    ValueError
        As :func:`from_log_density`; and if a density is 0 or negative. Outputs of density 0 tell inputs
        apart, so that no level holds.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv import guarantees, distributions
    >>> bell = distributions.from_density(lambda theta: np.exp(-(theta**2)), finest=1.0)
    >>> round(guarantees.metric_level(bell), 2), round(guarantees.pure_level(bell), 2)
    (6.28, 9.87)
    """
    return DeclaredDensity("from_density", f, steepest, finest, accuracy)


class DeclaredDensity(Frozen):
    """A log kernel f with what is declared of it, and the levels that follow, all bounded from above."""

    space = CIRCLE
    why_infinite = ""
    assumes: str
    _made_by: str
    _f: Kernel
    _shown: str
    _w: Any  # ``finest``, or None
    _theta: Array
    _at: Array
    _slope: float
    _off: float
    _pure: float

    def __init__(
        self, made_by: str, f: Kernel, steepest: float | None, finest: float | None, accuracy: float | None
    ) -> None:
        if not callable(f):
            raise InvalidArgument("f", "must be a function of the angle", got=f)
        if (steepest is None) == (finest is None):
            rule = "give one of 'steepest' and 'finest'"
            raise InvalidArgument(rule, hint="values alone do not say what the density does between them")
        if steepest is not None:
            steepest = validate.nonnegative("steepest", steepest)
            declared = f"steepest={steepest!r}"
            bound = f"|f(s) - f(t)| ≤ {steepest:.6g} |s - t|"
        else:
            finest = validate.positive("finest", finest)
            if not _FINEST <= finest <= np.pi:
                hint = "of a finer function declare 'steepest'"
                raise InvalidArgument("finest", f"must be from {_FINEST:g} to π", got=finest, hint=hint)
            declared = f"finest={finest!r}"
            bound = f"in pieces of {finest:.6g} rad or more |f'(s) - f'(t)| ≤ sup|f'| |s - t|/{finest:.6g}"
        self._set(_made_by=made_by, _f=f, _w=finest, _shown=declared)
        wanted = _CELLS if finest is None else 1.31 * _IN_A_PIECE * np.pi / finest  # the widest is 1.31 h
        count = int(_STRIDES[-1] * np.ceil(np.clip(wanted, _CELLS, _MOST_CELLS) / _STRIDES[-1]))
        j = np.arange(1.0, count)
        theta = np.concatenate([[0.0], (j + _JITTER * (j * _GOLDEN % 1.0)) * (np.pi / count), [np.pi]])
        values, ulp = self._values(theta)
        largest = max(float(np.abs(values).max()), 1.0 if made_by == "from_density" else 0.0)
        if accuracy is None:
            accuracy = max(_ROUNDINGS * ulp * largest, _LEAST if largest else 0.0)
        else:
            accuracy = validate.nonnegative("accuracy", accuracy)
            accuracy += np.finfo(float).eps * largest * (made_by == "from_density")  # of the logarithm
        text = f"declared, not proved: f is continuous, {bound}, and its values are right to {accuracy:.2g}"
        self._set(_theta=theta, _at=values, assumes=text)
        coarser = [(theta[::k], values[::k]) for k in _STRIDES]
        grids = [grid for grid in coarser if finest is None or 4.0 * np.diff(grid[0]).max() <= finest]
        metric = self._metric(grids, accuracy, steepest)
        self._set(_slope=metric, _off=accuracy + metric * _OFF_AXIS)
        for x, f_x in grids:
            self._check(x, f_x)
        for score, shift in ((_steepness, 1), (_suddenness, 0)):
            for x, f_x in self._close(score, shift):
                self._check(x, f_x)
        whole = self._highest(1.0) + self._highest(-1.0)
        self._set(_pure=min(whole, np.pi * metric) * _UP)

    def __repr__(self) -> str:
        name = getattr(self._f, "__name__", type(self._f).__name__)
        return f"{self._made_by}({name}, {self._shown})"

    def metric_level(self) -> float:
        return float(self._slope)

    def pure_level(self) -> float:
        return float(self._pure)

    def privacy_loss(self, distance: ArrayLike, domain: Domain = "sphere") -> FloatOrArray:
        return self._losses("distance", distance, domain)

    def privacy_loss_within(self, radius: ArrayLike) -> FloatOrArray:
        return self._losses("radius", radius, "within")

    def log_kernel(self, theta: Array) -> Array:
        """The log kernel at angles."""
        return self._values(theta)[0]

    def noise(self, dim: int, kappa: float = 1.0) -> Any:
        """Noise with the log kernel κ f on the unit sphere of R^dim, which draws, with levels κ times those here."""
        from dirpriv.distributions.user.kernel_noise import KernelNoise  # which imports this module

        return KernelNoise(self, dim, kappa)

    def _values(self, theta: Array) -> tuple[Array, float]:
        """The log kernel at the angles, and the relative spacing of its numbers."""
        flat = np.minimum(theta.ravel(), np.pi)
        asked = [_real(self._f, block) for block in np.split(flat, range(_BLOCK, flat.size, _BLOCK))]
        ulp = max(np.finfo(each.dtype if each.dtype.kind == "f" else float).eps for each in asked)
        values = np.concatenate(asked).astype(float).reshape(theta.shape)
        if self._made_by == "from_density":
            why = "outputs of density 0 tell inputs apart; of one that underflows use from_log_density"
            _refuse(theta, values <= 0.0, "is 0 or negative", why)
            values = np.log(values)
        _refuse(theta, ~(np.abs(values) <= _LARGEST), "is nan, infinite or too large", "no level holds there")
        return values, max(float(ulp), float(np.finfo(float).eps))

    def _metric(self, grids: list[tuple[Array, Array]], accuracy: float, steepest: float | None) -> float:
        """What is declared, or the least bound of sup |f'| by ``finest`` of all grids."""
        bounds = [(steepest, 2.0 * accuracy / np.pi, steepest)] if steepest is not None else []
        for x, f in grids if steepest is None else ():
            widths, rises = np.diff(x), np.abs(np.diff(f))
            secant = float((rises / widths).max())
            steep = float(((rises + 2.0 * accuracy) / widths).max())
            share = 1.0 - 2.0 * float(widths.max()) / self._w - 2.0 * _OFF_AXIS / float(widths.min())
            bounds.append((steep / share * _UP, steep - secant, secant))
        level, hidden, secant = min(bounds)
        if hidden > max(_HIDDEN * secant, _SMALL):
            rule = f"rounding hides the slope of {self!r}, {secant:.3g} ± {hidden:.1g} per radian"
            hint = "write it without a large constant and without cancellation (numpy.log1p, expm1)"
            raise InvalidArgument(rule, hint=hint)
        return level

    def _check(self, x: Array, f: Array) -> None:
        """Refuse values at ascending angles that contradict the declaration, beyond all rounding.

        Two neighbouring secants differ by more than the declared curvature only where a border of pieces lies
        in their two cells, and lie on both sides of the third between them only if there are two borders.
        """
        widths = np.diff(x)
        secants, off = np.diff(f) / widths, 2.0 * self._off / widths
        bad = np.flatnonzero(np.abs(secants) > self._slope * _UP + off)
        if bad.size:
            raise self._contradiction(x[bad[0]], x[bad[0] + 1], f"changes by {abs(np.diff(f)[bad[0]]):.6g}")
        if self._w is None:
            return
        curved = 0.5 * self._slope / self._w * (widths[1:] + widths[:-1])
        turns = np.diff(secants)
        bent = np.flatnonzero(np.abs(turns) > curved * _UP + off[1:] + off[:-1])
        ends = bent[(x[bent + 2] <= self._w) | (x[bent] >= np.pi - self._w)]
        if ends.size:
            raise self._contradiction(x[ends[0]], x[ends[0] + 2], f"bends within {self._w:.6g} rad of an end")
        for back in (1, 2):
            first, last = bent[:-back], bent[back:]
            apart = (last - first > 1) | (turns[first] * turns[last] < 0.0)
            wrong = np.flatnonzero(apart & (x[last + 2] - x[first] <= self._w))
            if wrong.size:
                raise self._contradiction(x[first[wrong[0]]], x[last[wrong[0]] + 2], "bends twice")

    def _contradiction(self, low: float, high: float, what: str) -> InvalidArgument:
        rule = f"{self!r} {what} between θ = {low:.9g} and {high:.9g}; {self.assumes}"
        hint = "declare a smaller 'finest', or a larger 'steepest' or 'accuracy', if it is finer, steeper or "
        hint += f"less accurate. {_WAY_OUT}"
        return InvalidArgument(rule, hint=hint)

    def _close(self, score: Callable[[Array, Array], Array], shift: int) -> Iterator[tuple[Array, Array]]:
        """Short grids of ever smaller cells where values are the most suspicious, down to rounding."""
        x, f = self._theta[None], self._at[None]
        scores = score(x, f)[0]
        rows = np.zeros(_PLACES, dtype=int)
        places: Integers = np.argpartition(scores, -_PLACES)[-_PLACES:]
        for _ in range(_ROUNDS):
            start = np.clip(places - shift, 0, x.shape[1] - 4)
            low, high = x[rows, start], x[rows, start + 3]
            large = 2.0 * self._off * _PARTS <= _HIDDEN * self._slope * (high - low)
            if not large.any():
                return
            low, high = low[large, None], high[large, None]
            x = low + (high - low) * np.linspace(0.0, 1.0, _PARTS + 1)
            f = self._values(x)[0]
            yield from zip(x, f, strict=True)
            rows, places = np.arange(len(x)), score(x, f).argmax(axis=1)

    def _highest(self, sign: float) -> float:
        """Bound of the largest value of ±f: cells that may hold it are split, while they are not too many."""
        low, high = self._theta[:-1], self._theta[1:]
        at_low, at_high = sign * self._at[:-1], sign * self._at[1:]
        best = closed = float((sign * self._at).max())
        room = 1e-6 * float(np.ptp(self._at))
        while True:
            top = 0.5 * (at_low + at_high + self._slope * (high - low))
            open_ = (top > best + room) & (high - low > 16.0 * _OFF_AXIS)
            if not 0 < np.count_nonzero(open_) <= _OPEN:
                return max(closed, float(top.max())) + self._off
            closed = float(top[~open_].max(initial=closed))
            x = low[open_, None] + (high - low)[open_, None] * np.linspace(0.0, 1.0, 9)
            f = sign * self._values(x)[0]
            best = max(best, float(f.max()))
            low, high, at_low, at_high = (part.ravel() for part in (x[:, :-1], x[:, 1:], f[:, :-1], f[:, 1:]))

    @functools.cached_property
    def _bounds(self) -> tuple[Array, Array]:
        """Largest and smallest value in each cell."""
        middle = 0.5 * (self._at[1:] + self._at[:-1])
        half = 0.5 * self._slope * np.diff(self._theta) + self._off
        return middle + half, middle - half

    def _losses(self, name: str, distance: ArrayLike, way: str) -> FloatOrArray:
        """Largest f(θ) - f(θ') of inputs at each distance, or at most so far apart; see :func:`_partners`."""
        distances = self.space.distances(name, distance)
        theta, (high, low) = self._theta, self._bounds
        half, middle = 0.5 * np.diff(theta) + _OFF_AXIS, 0.5 * (theta[1:] + theta[:-1])
        out = np.zeros(distances.size)
        for i, d in enumerate(np.minimum(distances.ravel(), np.pi)):
            least = np.full(len(low), np.inf)
            for nearest, farthest in _partners(middle, float(d), way):
                first = np.searchsorted(theta[1:-1], nearest - half)
                last = np.searchsorted(theta[1:-1], farthest + half)
                least = np.minimum(least, _least(low, first, last))
            out[i] = min(float((high - least).max()) * _UP, self._slope * d * _UP, self._pure)
        return scalar_or_array(out.reshape(distances.shape))


def _real(function: Kernel, theta: Array) -> np.ndarray[Any, Any]:
    """One real number for each angle."""
    with np.errstate(all="ignore"):
        try:
            values = np.asarray(function(theta.copy()))
        except (TypeError, ValueError):  # written for one number, as with the functions of math
            values = None
        if values is None or values.shape != theta.shape:
            values = np.asarray([function(float(angle)) for angle in theta])
    if values.shape != theta.shape or values.dtype.kind not in "fiu":
        kind = f"an array of shape {values.shape} and type {values.dtype}"
        rule = "the density must give one real number for each angle"
        raise InvalidArgument(f"{rule}; for {theta.size} angles it gives {kind}")
    return values


def _refuse(theta: Array, bad: Any, what: str, why: str) -> None:
    if bad.any():
        raise InvalidArgument(f"the density {what} at θ = {float(theta[bad][0])!r}", hint=f"{why}. {_WAY_OUT}")


def _steepness(x: Array, f: Array) -> Array:
    return np.abs(np.diff(f) / np.diff(x))


def _suddenness(x: Array, f: Array) -> Array:
    """How much the curvature changes from three points to the next three: most at jumps, kinks and cusps."""
    curvature = np.diff(np.diff(f) / np.diff(x)) / (x[:, 2:] - x[:, :-2])
    return np.abs(np.diff(curvature))


def _partners(theta: Array, distance: float, way: str) -> list[tuple[Array, Array]]:
    """Ranges of the angle θ' from the second input, where the output has the angle θ from the first.

    |θ - θ'| ≤ d ≤ θ + θ' ≤ 2π - d on a sphere, on the circle only the two ends. Among rotations θ + θ' has no
    upper limit, as they go either way round. For inputs *at most* d apart only |θ - θ'| ≤ d remains.
    """
    near, far = np.abs(theta - distance), np.minimum(theta + distance, np.pi)
    if way == "within":
        return [(np.maximum(theta - distance, 0.0), far)]
    if way == "rotations":
        return [(near, far)]
    far = np.minimum(far, 2.0 * np.pi - distance - theta)
    return [(near, near), (far, far)] if way == "circle" else [(near, far)]


def _least(values: Array, first: Integers, last: Integers) -> Array:
    """Smallest of the values from each first to each last place: of two overlapping runs of 2^k."""
    order = np.frexp(last - first + 1.0)[1] - 1
    out = np.empty(len(first))
    for k in range(int(order.max()) + 1):
        here = order == k
        out[here] = np.minimum(values[first[here]], values[last[here] + 1 - 2**k])
        values = np.minimum(values[: -(2**k)], values[2**k :])
    return out
