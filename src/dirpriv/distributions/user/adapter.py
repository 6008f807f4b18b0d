"""Distributions of one's own, completed with what follows from what they have.

Only this module looks for names of a distribution: those of :class:`dirpriv.distributions.Distribution`, and no others.
"""

import functools
import numbers
from collections.abc import Callable
from typing import Any

import numpy as np

from dirpriv._inputs.errors import InvalidArgument, describe
from dirpriv._lib.types import Array, FloatOrArray
from dirpriv.distributions.shared import loss_distribution
from dirpriv.distributions.shared import privacy_blanket as _blanket
from dirpriv.distributions.shared.base import CompleteDistribution, scalar_or_array
from dirpriv.distributions.user import composition_bounds
from dirpriv.geometry.spaces import Space

_METHODS = ("metric_level", "pure_level", "privacy_loss")


def lacking(distribution: Any, *names: str) -> list[str]:
    """The methods of these names that a distribution does not have."""
    return [name for name in names if not callable(getattr(distribution, name, None))]


def space_of(distribution: Any) -> Space | None:
    """The space of a distribution; None where it says none."""
    space = getattr(distribution, "space", None)
    if isinstance(space, Space):
        return space
    refuse_holder(distribution)
    return None


def refuse_holder(x: Any) -> None:
    """Refuse what holds a distribution and is none, as a mechanism or a release."""
    if not lacking(getattr(x, "noise", None), *_METHODS):
        raise InvalidArgument("distribution", f"is a {type(x).__name__}; give its distribution: mechanism.noise")


def check_distribution(distribution: Any, what: str, wanted: Space | type[Space], *names: str) -> None:
    """Refuse what is no distribution of this space, or kind of space, or lacks a method: with what it lacks."""
    space = space_of(distribution)
    missing = lacking(distribution, *names) if space else ["space", *lacking(distribution, *names)]
    if missing or not (isinstance(space, wanted) if isinstance(wanted, type) else space == wanted):
        lack = f", with {' and '.join(map(repr, missing))}" if missing else ""
        hint = "take its noise(dim, kappa)" if callable(getattr(distribution, "noise", None)) else ""
        raise InvalidArgument("distribution", f"must be {what}{lack}", got=distribution, hint=hint)


def is_symmetric(distribution: Any) -> bool:
    """Whether a distribution is symmetric about its mode, as it is if it does not say otherwise."""
    return bool(getattr(distribution, "is_symmetric", True))


def completed(x: Any) -> CompleteDistribution:
    """A distribution with all that is asked of one. An error names what it lacks, or how to declare a function."""
    if isinstance(x, CompleteDistribution):
        return x
    missing = lacking(x, *_METHODS)
    if not missing and isinstance(x, type):
        rule = f"give a distribution, not its class; got {x.__name__}"
        raise InvalidArgument(rule, hint="make one, with its concentration")
    if len(missing) < len(_METHODS):
        missing += ["space"] if space_of(x) is None else []
        if not missing:
            return CompletedDistribution(x)
        hint = f"it has no {', '.join(map(repr, missing))}; dirpriv.distributions.Distribution says what it needs"
        raise InvalidArgument(f"{describe(x)} is no distribution", hint=hint)
    refuse_holder(x)
    if not callable(x):
        raise InvalidArgument("give a distribution, as of dirpriv.distributions", got=x)
    hint = (
        "declare how steep or fine it is: distributions.from_log_density(f, steepest=L) or (f, finest=w), "
        "or distributions.from_density of a density"
    )
    raise InvalidArgument("a function alone has no level, as its values at some angles prove nothing", hint=hint)


class CompletedDistribution(CompleteDistribution):
    """A distribution with the methods of :class:`dirpriv.distributions.Distribution`, and perhaps a log-density."""

    own: Any
    logpdf: Callable[[Any, Any], Any] | None

    def __init__(self, own: Any) -> None:
        logpdf = None if lacking(own, "logpdf") else own.logpdf
        self._set(own=own, space=own.space, logpdf=logpdf)
        self._set(why_infinite=getattr(own, "why_infinite", ""), is_symmetric=is_symmetric(own))
        self._set(assumes=getattr(own, "assumes", "") or f"stated, not proved: the levels of {type(own).__name__}")

    def __repr__(self) -> str:
        return repr(self.own)

    def metric_level(self) -> float:
        return self._level("metric_level", self.own.metric_level())

    def pure_level(self) -> float:
        return self._level("pure_level", self.own.pure_level())

    def _level(self, name: str, level: Any) -> float:
        if isinstance(level, bool) or not isinstance(level, numbers.Real) or not float(level) >= 0.0:
            kind = type(self.own).__name__
            raise InvalidArgument(name, f"of a {kind} must be at least 0, or inf; it gives {describe(level)}")
        return float(level)

    def privacy_loss(self, distance: Any) -> FloatOrArray:
        return scalar_or_array(np.asarray(self.own.privacy_loss(distance), dtype=float))

    def privacy_loss_within(self, radius: Any) -> FloatOrArray:
        """Without a method of this name the loss is taken to grow with the distance."""
        loss = self.own.privacy_loss if lacking(self.own, "privacy_loss_within") else self.own.privacy_loss_within
        return scalar_or_array(np.asarray(loss(radius), dtype=float))

    def privacy_loss_distribution(self, distance: float) -> tuple[Array, Array]:
        """The distribution's own, or that of its density, or that of randomised response, which bounds it."""
        if not lacking(self.own, "privacy_loss_distribution"):
            distribution: tuple[Array, Array] = self.own.privacy_loss_distribution(distance)
            return distribution
        distance = self._distance(distance)
        loss = self._finite_loss(distance)
        table = self._table
        if isinstance(table, str):
            return loss_distribution.randomised_response(loss)
        if table.largest_loss(distance) > loss * (1.0 + 1e-9) + 2.0 * table.off:
            what = f"loses more at the distance {distance!r} than its privacy_loss says, {loss!r}"
            raise composition_bounds.contradiction(self, what)
        masses, values = table.cells(distance)
        masses, values = np.exp(2.0 * table.off) * masses, np.minimum(values + 4.0 * table.off, loss)
        return np.append(masses, table.beyond), np.append(values, loss)

    def privacy_blanket(self) -> _blanket.Blanket:
        if not lacking(self.own, "privacy_blanket"):
            blanket: _blanket.Blanket = self.own.privacy_blanket()
            return blanket
        level = self._finite_level()
        table = self._table
        if isinstance(table, str):
            raise _blanket.no_blanket(self, level, table)
        if not table.bounded:
            raise _blanket.no_blanket(self, level, "is one in space")
        if 4.0 * table.off > 0.01 * level:  # with more, the bound says little
            raise _blanket.no_blanket(self, level, "is too steep to be known between points")
        near = _blanket.blanket_from_distribution(table)
        off, shrunk = table.off, float(np.exp(-2.0 * table.off))
        # the gain U - exp(ε) V of the distribution is at most exp(2η) times that of g at ε - 4η, over a lower floor
        least = near.floor * shrunk
        variation = min((near.variation - np.expm1(-4.0 * off)) / shrunk, float(np.tanh(0.5 * level)))
        floor = min(max(least, (1.0 + variation) * np.exp(-level)), 1.0 - variation)

        def points(after: float) -> tuple[Array, Array]:
            values, masses = near.points(after - 4.0 * off)
            masses = np.append(shrunk * masses[:-1], 0.0)
            masses[-1] = max(1.0 - masses.sum(), 0.0)
            return values / shrunk**2, masses

        return _blanket.Blanket(level, variation, floor, points)

    @functools.cached_property
    def _table(self) -> Any:
        return composition_bounds.table_of(self)
