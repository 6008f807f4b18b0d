"""Densities of one's own, as functions of the angle, with a declaration that bounds them between values.

The proofs are in docs/mathematics.md, "A density of your own". A value f(θ) may be off by δ, and be that of
an angle that is off by a = 8 ulp of π; with M ≥ sup |f'| both together are at most δ + M a.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any, Literal, NamedTuple

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
_FINEST = 2e-5  # rad: the shortest pieces of four cells
_STRIDES = 4 ** np.arange(7)  # cells of a coarser grid: the values of all grids must agree
_GOLDEN, _JITTER = 0.5 * (np.sqrt(5.0) - 1.0), 0.5  # no function repeats itself from point to point
_ROUNDINGS = 8.0  # ulp that a value and an angle may be off by
_OFF_AXIS = _ROUNDINGS * float(np.spacing(np.pi))
_ASIDE, _BETWEEN_BREAKS = 0.5 * _OFF_AXIS, 1e-4  # rad: values nearest to a break, and breaks nearest to each other
_HIDDEN, _SMALL = 0.01, 1e-9  # share of a slope that rounding may add, and radians⁻¹ that are let pass
_UP = 1.0 + 1e-12  # covers the roundings of this module
_LARGEST, _LEAST = 1e200, 8.0 * float(np.nextafter(0.0, 1.0))  # of values, and of their error
_BLOCK = 2**15  # angles for which the function is asked at once
_PLACES, _ROUNDS, _PARTS = 32, 8, 24  # looked at closely, each time in the most suspicious eighth
_WAY_OUT = "A jump has no level per radian: declare it in 'breaks', or use Cap, Staircase or a class as "
_WAY_OUT += "dirpriv.distributions.Distribution says"


def from_log_density(
    f: Kernel,
    *,
    steepest: float | None = None,
    finest: float | None = None,
    breaks: ArrayLike = (),
    accuracy: float | None = None,
) -> DeclaredDensity:
    """Noise of your own, by the logarithm of its density as a function of the angle from the true value.

    Values at finitely many angles prove nothing of those between them. So you declare how steep or how fine
    the function is, and :mod:`dirpriv.guarantees` bounds its levels from above by that. What you declare is
    tested, not proved: wrong declarations are found where values show it, else the levels can be too small.
    Each guarantee shows what it rests on, as ``assumes``. All functions of :mod:`dirpriv.guarantees` that take a
    distribution take what is returned; its method ``noise(dim, kappa)`` gives a distribution that draws, with the
    log-density κ f. :func:`from_density` takes the density itself. If you declare nothing, there is no level: then
    ``noise`` is for studies alone.

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
        much as the largest. A sine ``sin(k t)`` has w = 1/k. Give this, ``steepest`` or none.
    breaks : array_like, optional, keyword-only
        Angles where f jumps or has a kink, at least 1e-4 and w from each other, from 0 and from π. What is declared
        then holds between them. With a jump no level per radian is finite. Probabilities are the most accurate if all
        kinks are breaks.
    accuracy : float, optional, keyword-only
        Error of a value, 8 ulp of the largest ``|f|`` if not given. Each value may also be that of an angle
        8 ulp of π away.

    Raises
    ------
    ValueError
        If both ``steepest`` and ``finest`` are given; if f is not finite and real; if its values contradict what is
        declared, as at a jump that is no break; or if rounding hides its slope.

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
    >>> cap = distributions.from_log_density(lambda theta: -1.0 * (theta > 0.5), steepest=0.0, breaks=[0.5])
    >>> guarantees.metric_level(cap), round(guarantees.pure_level(cap), 9)
    (inf, 1.0)
    """
    return DeclaredDensity("from_log_density", f, steepest, finest, breaks, accuracy)


def from_density(
    f: Kernel,
    *,
    steepest: float | None = None,
    finest: float | None = None,
    breaks: ArrayLike = (),
    accuracy: float | None = None,
) -> DeclaredDensity:
    """Noise as of :func:`from_log_density`, by its density as a function of the angle from the true value.

    Parameters
    ----------
    f : callable
        As of :func:`from_log_density`, but gives the density, up to a factor: positive finite numbers.
    steepest, finest : float, optional, keyword-only
        As of :func:`from_log_density`, and of the *logarithm* of the density.
    breaks : array_like, optional, keyword-only
        As of :func:`from_log_density`.
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
    return DeclaredDensity("from_density", f, steepest, finest, breaks, accuracy)


class _Piece(NamedTuple):
    """Angles between two breaks, and the values of the log kernel there."""

    theta: Array
    values: Array


class DeclaredDensity(Frozen):
    """A log kernel f with what is declared of it, and the levels that follow, all bounded from above."""

    space = CIRCLE
    why_infinite: str
    assumes: str
    breaks: Array
    steepness: float
    """Largest slope between breaks; inf if nothing is declared."""
    _made_by: str
    _f: Kernel
    _shown: str
    _w: Any  # ``finest``, or None
    _pieces: tuple[_Piece, ...]
    _off: float
    _pure: float

    def __init__(self, made_by: str, f: Kernel, steepest: Any, finest: Any, breaks: ArrayLike, accuracy: Any) -> None:
        if not callable(f):
            raise InvalidArgument("f", "must be a function of the angle", got=f)
        if steepest is not None and finest is not None:
            raise InvalidArgument("give one of 'steepest' and 'finest', or none for studies without a level")
        shown, bound = "nothing declared", ""
        if steepest is not None:
            steepest = validate.nonnegative("steepest", steepest)
            shown, bound = f"steepest={steepest!r}", f"|f(s) - f(t)| ≤ {steepest:.6g} |s - t|"
        elif finest is not None:
            finest = validate.positive("finest", finest)
            if not _FINEST <= finest <= np.pi:
                hint = "of a finer function declare 'steepest'"
                raise InvalidArgument("finest", f"must be from {_FINEST:g} to π", got=finest, hint=hint)
            shown = f"finest={finest!r}"
            bound = f"in pieces of {finest:.6g} rad or more |f'(s) - f'(t)| ≤ sup|f'| |s - t|/{finest:.6g}"
        breaks = np.unique(validate.reals("breaks", breaks))
        ends = np.concatenate([[0.0], breaks, [np.pi]])
        least = max(finest or 0.0, _BETWEEN_BREAKS)
        if breaks.size and not np.diff(ends).min() >= least * (1.0 - 1e-12):
            rule = f"must be at least {least:g} rad from each other, from 0 and from π"
            raise InvalidArgument("breaks", f"{rule}; got {breaks.tolist()}")
        shown += f", breaks={breaks.tolist()}" if breaks.size else ""
        self._set(_made_by=made_by, _f=f, _w=finest, _shown=shown, breaks=breaks)
        # 1200 cells in a piece, so that a level is at most 2/1200 above the true one; the widest is 1.31 h
        wanted = 1.31 * 1200 * np.pi / (finest or np.inf)
        wanted, angles = float(np.clip(wanted, _CELLS, _MOST_CELLS)) / np.pi, []
        for low, high in itertools.pairwise(ends.tolist()):
            count = int(_STRIDES[-1] * np.ceil((high - low) * wanted / _STRIDES[-1]))
            j = np.arange(1.0, count)
            inner = low + (j + _JITTER * (j * _GOLDEN % 1.0)) * ((high - low) / count)
            # which side the value at a break belongs to is not asked
            first, last = low + _ASIDE * (low > 0.0), high - _ASIDE * (high < np.pi)
            angles.append(np.concatenate([[first], inner, [last]]))
        values, ulp = self._values(np.concatenate(angles))
        pieces = [*map(_Piece, angles, np.split(values, np.cumsum([theta.size for theta in angles[:-1]])))]
        largest = float(np.abs(values).max(initial=float(made_by == "from_density")))
        if accuracy is None:
            accuracy = max(_ROUNDINGS * ulp * largest, _LEAST if largest else 0.0)
        else:
            accuracy = validate.nonnegative("accuracy", accuracy)
            accuracy += np.finfo(float).eps * largest * (made_by == "from_density")  # of the logarithm
        self._set(_pieces=tuple(pieces), _off=accuracy)
        if not bound:
            why = "nothing is declared of the density between its values"
            self._set(steepness=np.inf, _pure=np.inf, why_infinite=why, assumes=why)
            return
        but = f" but at θ = {', '.join(f'{b:.6g}' for b in breaks)}, where jumps are above {2.0 * accuracy:.2g}"
        text = f"declared, not proved: f is continuous{but * bool(breaks.size)}, {bound}, and its values are right to"
        self._set(assumes=f"{text} {accuracy:.2g}")
        coarser = [[_Piece(of.theta[::k], of.values[::k]) for of in pieces] for k in _STRIDES]
        grids = [grid for grid in coarser if 4.0 * max(np.diff(of.theta).max() for of in grid) <= (finest or np.inf)]
        steepness = self._metric(grids, accuracy, steepest)
        self._set(steepness=steepness, _off=accuracy + steepness * _OFF_AXIS)
        for number, whole in enumerate(pieces):
            close = self._close(whole, _steepness, 1), self._close(whole, _suddenness, 0)
            for of in itertools.chain([grid[number] for grid in grids], *close):
                self._check(of, whole)
        steps = [abs(after.values[0] - before.values[-1]) for before, after in itertools.pairwise(pieces)]
        jumps = [f"{at:.6g}" for at, step in zip(breaks, steps, strict=True) if step > 2.0 * self._off]
        why = f"the density jumps at θ = {', '.join(jumps)}: outputs there tell near inputs apart" if jumps else ""
        self._set(why_infinite=why)
        highest = self._highest(1.0) + self._highest(-1.0)
        self._set(_pure=min(highest, np.inf if jumps else np.pi * steepness) * _UP)

    def __repr__(self) -> str:
        name = getattr(self._f, "__name__", type(self._f).__name__)
        return f"{self._made_by}({name}, {self._shown})"

    def metric_level(self) -> float:
        return float("inf") if self.why_infinite else float(self.steepness)

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

    def _metric(self, grids: list[list[_Piece]], accuracy: float, steepest: float | None) -> float:
        """What is declared, or the least bound of sup |f'| by ``finest`` of all grids."""
        bounds = [(steepest, 2.0 * accuracy / np.pi, steepest)] if steepest is not None else []
        for grid in grids if steepest is None else ():
            widths = np.concatenate([np.diff(of.theta) for of in grid])
            rises = np.abs(np.concatenate([np.diff(of.values) for of in grid]))
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

    def _check(self, part: _Piece, whole: _Piece) -> None:
        """Refuse values of a part between two breaks that contradict the declaration, beyond all rounding.

        Two neighbouring secants differ by more than the declared curvature only where a border of pieces lies
        in their two cells, and lie on both sides of the third between them only if there are two borders.
        """
        x, f = part
        widths = x[1:] - x[:-1]
        secants, off = (f[1:] - f[:-1]) / widths, 2.0 * self._off / widths
        bad = np.flatnonzero(np.abs(secants) > self.steepness * _UP + off)
        if bad.size:
            raise self._contradiction(x[bad[0]], x[bad[0] + 1], f"changes by {abs(np.diff(f)[bad[0]]):.6g}")
        if self._w is None:
            return
        curved = 0.5 * self.steepness / self._w * (widths[1:] + widths[:-1])
        turns = secants[1:] - secants[:-1]
        bent = np.flatnonzero(np.abs(turns) > curved * _UP + off[1:] + off[:-1])
        if not bent.size:
            return
        ends = bent[(x[bent + 2] <= whole.theta[0] + self._w) | (x[bent] >= whole.theta[-1] - self._w)]
        if ends.size:
            at = "a break or an end" if self.breaks.size else "an end"
            raise self._contradiction(x[ends[0]], x[ends[0] + 2], f"bends within {self._w:.6g} rad of {at}")
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

    def _close(self, whole: _Piece, score: Callable[[Array, Array], Array], shift: int) -> Iterator[_Piece]:
        """Short grids of ever smaller cells where values are the most suspicious, down to rounding."""
        x, f = whole.theta[None], whole.values[None]
        scores = score(x, f)[0]
        rows = np.zeros(_PLACES, dtype=int)
        places: Integers = np.argpartition(scores, -_PLACES)[-_PLACES:]
        for _ in range(_ROUNDS):
            start = np.clip(places - shift, 0, x.shape[1] - 4)
            low, high = x[rows, start], x[rows, start + 3]
            large = 2.0 * self._off * _PARTS <= _HIDDEN * self.steepness * (high - low)
            if not large.any():
                return
            low, high = low[large, None], high[large, None]
            x = low + (high - low) * np.linspace(0.0, 1.0, _PARTS + 1)
            f = self._values(x)[0]
            yield from map(_Piece, x, f)
            rows, places = np.arange(len(x)), score(x, f).argmax(axis=1)

    def _highest(self, sign: float) -> float:
        """Bound of the largest value of ±f: cells that may hold it are split, while they are not too many."""
        low, high, at_low, at_high = self._cells
        room = 1e-6 * float(max(at_low.max(), at_high.max()) - min(at_low.min(), at_high.min()))
        at_low, at_high = sign * at_low, sign * at_high
        best = closed = float(max(at_low.max(), at_high.max()))
        while True:
            top = 0.5 * (at_low + at_high + self.steepness * (high - low))
            open_ = (top > best + room) & (high - low > 16.0 * _OFF_AXIS)
            if not 0 < np.count_nonzero(open_) <= 2**15:  # of more it is not known better than to a cell
                return max(closed, float(top.max())) + self._off
            closed = float(top[~open_].max(initial=closed))
            x = low[open_, None] + (high - low)[open_, None] * np.linspace(0.0, 1.0, 9)
            f = sign * self._values(x)[0]
            best = max(best, float(f.max()))
            low, high, at_low, at_high = (part.ravel() for part in (x[:, :-1], x[:, 1:], f[:, :-1], f[:, 1:]))

    @property
    def _cells(self) -> tuple[Array, Array, Array, Array]:
        """Ends of all cells, and the values there."""
        low, at_low = (np.concatenate([each[:-1] for each in of]) for of in zip(*self._pieces, strict=True))
        high, at_high = (np.concatenate([each[1:] for each in of]) for of in zip(*self._pieces, strict=True))
        return low, high, at_low, at_high

    @functools.cached_property
    def _bounds(self) -> tuple[Array, Array, Array]:
        """Ends of cells that meet, and the largest and the smallest value in each."""
        low, high, at_low, at_high = self._cells
        middle = 0.5 * (at_high + at_low)
        half = 0.5 * self.steepness * (high - low) + self._off
        return np.append(low, np.pi), middle + half, middle - half

    def _losses(self, name: str, distance: ArrayLike, way: str) -> FloatOrArray:
        """Largest f(θ) - f(θ') of inputs at each distance, or at most so far apart; see :func:`_partners`."""
        distances = self.space.distances(name, distance)
        if not np.isfinite(self.steepness):
            return scalar_or_array(np.where(distances > 0.0, np.inf, 0.0))
        theta, high, low = self._bounds
        half, middle = 0.5 * np.diff(theta) + _OFF_AXIS, 0.5 * (theta[1:] + theta[:-1])
        out = np.zeros(distances.size)
        for i, d in enumerate(np.minimum(distances.ravel(), np.pi)):
            least = np.full(len(low), np.inf)
            for nearest, farthest in _partners(middle, float(d), way):
                first = np.searchsorted(theta[1:-1], nearest - half)
                last = np.searchsorted(theta[1:-1], farthest + half)
                least = np.minimum(least, _least(low, first, last))
            smooth = self._pure if self.why_infinite and d > 0.0 else self.steepness * d * _UP
            out[i] = min(float((high - least).max()) * _UP, smooth, self._pure)
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
