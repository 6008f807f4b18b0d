"""Checks of private reports, and what estimates of densities share: widths, intervals, warnings."""

import bisect
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from scipy.special import expit, logit, ndtri

from dirpriv import geometry
from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, Mask
from dirpriv.estimators.density import Shares

_ROUNDING = 1e-9  # of shares
_Number = TypeVar("_Number", int, float)


def checked_reports(name: str, values: Any, weights: Any, columns: int = 0, least: int = 2) -> tuple[Array, Array]:
    """Checked reports, one number or row each, and their numbers of repetitions."""
    values = validate.reals(name, values)
    if not columns:
        values = values.ravel()
    elif values.ndim != 2 or values.shape[1] != columns:
        raise InvalidArgument(name, f"must have the shape (N, {columns}); got shape {values.shape}")
    bad = ~np.isfinite(values.reshape(len(values), columns or 1)).all(axis=1)
    validate.refuse(name, bad, "is nan or infinite", "leave such rows out")
    if not columns:
        hint = "convert hours by dirpriv.geometry.hours_to_angles, degrees by numpy.deg2rad"
        beyond = (values < -geometry.TURN) | (values > 2.0 * geometry.TURN)
        validate.refuse(name, beyond, "is not in radians from -2π to 4π", hint)
    if weights is None:
        numbers = np.ones(len(values))
    else:
        label = f"{name}_weights" if name in ("first", "second") else "weights"
        numbers = validate.reals(label, weights).ravel()
        if numbers.shape != values.shape[:1]:
            rule = f"must hold {len(values)} numbers, one for each report"
            raise InvalidArgument(label, f"{rule}; got {numbers.size}")
        whole = (numbers >= 0.0) & (numbers == np.floor(numbers)) & (numbers < np.inf)
        validate.refuse(label, ~whole, "is no whole number of at least 0", "count how often each report occurs")
    _check_number(name, numbers.sum(), least)
    return values, numbers


def _check_number(name: str, number: float, least: int = 2) -> None:
    if number < least:
        fewest = "two" if least > 1 else "one"
        raise InvalidArgument(name, f"must hold at least {fewest} reports; got {int(number)}")


def checked_releases(name: str, values: Any, weights: Any, distribution: Any) -> list[tuple[Array, Array, Any]]:
    """Checked reports and numbers of repetitions of each distribution; the same object twice is one release."""
    if not isinstance(distribution, list | tuple):
        return [(*checked_reports(name, values, weights), distribution)]
    if not distribution:
        raise InvalidArgument("distribution", "must be a distribution, or a list of one or more", got=distribution)
    weights = [None] * len(distribution) if weights is None else weights
    for label, items in ((name, values), ("weights", weights)):
        if not isinstance(items, list | tuple) or len(items) != len(distribution):
            raise InvalidArgument(label, f"must be a list of {len(distribution)}, one for each distribution")
    groups: dict[int, list[Any]] = {}
    for value, number, of in zip(values, weights, distribution, strict=True):
        groups.setdefault(id(of), [of]).append(checked_reports(name, value, number, least=1))
    joined = [(*map(np.concatenate, zip(*parts, strict=True)), of) for of, *parts in groups.values()]
    _check_number(name, sum(numbers.sum() for _, numbers, _ in joined))
    return joined


def checked_width(width: Any) -> float | None:
    """A positive number; None, where it is to be chosen; inf, for a flat density."""
    return width if width is None or width == np.inf else validate.positive("width", width)


@dataclass(frozen=True)
class EstimatedShares:
    """What :class:`HistogramEstimate` and :class:`PlaceDensityEstimate` have in common, and describe."""

    edges: Array
    shares: Array
    low: Array
    high: Array
    width: float
    flat_p_value: float
    warning: str
    count: int
    confidence: float
    intervals: str = field(default="smooth", kw_only=True)
    simultaneous: bool = field(default=False, kw_only=True)

    @property
    def outside(self) -> Mask:
        """Where the estimated share lies outside of its interval: trust the interval there."""
        return (self.shares < self.low - _ROUNDING) | (self.shares > self.high + _ROUNDING)


def checked_intervals(intervals: Any, simultaneous: Any, edges: Any) -> None:
    """Refuse other kinds of intervals and edges than there are."""
    validate.check_word("intervals", intervals, "distribution-free", "smooth")
    validate.check_word("edges", edges, "hard", "soft")
    if intervals == "smooth" and simultaneous:
        rule = "goes with intervals='distribution-free': others hold for one bin each, and for smooth densities"
        raise InvalidArgument("simultaneous", rule)


def smooth_ends(estimate: Shares, count: int, confidence: float) -> tuple[Array, Array]:
    """Intervals, normal on the scale of the log odds, rounded outwards to whole numbers of people.

    The upper end of a share near 0 is at most twice as far away as that of a normal interval.
    """
    shares = np.clip(estimate.shares, 1e-300, 1.0 - 1e-15)
    reach = float(ndtri(0.5 + confidence / 2.0)) * estimate.errors
    middle, scaled = logit(shares), reach / (shares * (1.0 - shares))
    low, high = expit(middle - scaled), np.minimum(expit(middle + scaled), shares + 2.0 * reach)
    return np.floor(low * count) / count, np.minimum(np.ceil(high * count) / count, 1.0)


def flat_log_odds(width: float | None) -> float:
    """Of the flat density, with the probability 1/2; a given width decides."""
    return float(np.log(0.5)) if width is None else np.inf if width == np.inf else -np.inf


def possible_widths(width: float | None, typical: float, spread: float, count: int = 17) -> tuple[Array, Array]:
    """Widths to choose from, from the largest to the smallest, and the logarithms of their probabilities."""
    if width is not None and width < np.inf:
        return np.array([width]), np.zeros(1)
    away = np.linspace(3.5, -4.5, count)  # standard deviations
    odds = np.exp(-0.5 * away**2)
    return typical * np.exp(away * spread), np.log(odds / odds.sum())


def flat_warning(count: int, p_value: float, what: str, depth: int = 4) -> str:
    if p_value <= 0.05:
        return ""
    text = f"these {count} reports do not differ significantly from a uniform {what} (p = {p_value:.2g}). "
    text += "The estimate may show only noise. Use more reports or a higher level"
    warnings.warn(text, UserWarning, stacklevel=depth)  # whoever calls; np.errstate wraps us
    return text


def first_enough(candidates: Sequence[_Number], is_enough: Callable[[_Number], bool]) -> _Number | None:
    """The first of rising candidates that is enough; None where none is."""
    place = bisect.bisect_left(candidates, True, key=is_enough)
    return candidates[place] if place < len(candidates) else None


def fewest_people(is_enough: Callable[[int], bool], more_than: float = 0.0) -> int | None:
    """The smallest number of people, of two digits, that is enough; None if none of up to 10⁸ is."""
    numbers = (int(float(f"{10 ** (step / 24):.2g}")) for step in range(24, 193))
    return first_enough([number for number in numbers if number > more_than], is_enough)


def no_density(reports: str, whole: str, is_enough: Callable[[int], bool], people: float) -> InvalidArgument:
    """That these reports support no blur, and how many people would support the largest."""
    more = fewest_people(is_enough, people)
    hint = f"use about {more} people or a higher level" if more else "use a higher level"
    rule = f"{reports} show no density: even a blur of a third of the {whole} is too sharp for them"
    return InvalidArgument(rule, hint=hint)


def width_warning(low: Array, high: Array, warning: str, what: str, instead: str) -> str:
    """The warning, with what narrower intervals need if these are too wide."""
    width = float(np.mean(high - low)) * low.size
    if width <= 3.0:
        return warning
    text = f"the intervals are too wide to be useful, on average {width:.2g} times the share of {what}. "
    text += f"Use {instead}, more people or a higher level"
    return f"{warning}. {text[:1].upper()}{text[1:]}" if warning else text
