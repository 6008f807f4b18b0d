"""Ends of shares seen through a window that hold for any people, and for any number of them, by bets on their reports.

A window w gives every input x a weight w(x) from 0 to 1: 1 inside of a set and 0 outside, or a smooth one. What is
estimated is the mean weight of the people. A bet pays u(y) > 0 for the report y. It is fair if its mean over the noise
is at most e^(-λ w(x)) from every input x. What follows for the mean weight, and how the bets are chosen, is in
docs/mathematics.md, “Shares through windows”.
"""

import functools
import hashlib
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.special import ndtr

from dirpriv._lib.types import Array, Integers

_RATES = np.geomspace(1 / 16, 64, 11)  # candidates of the first λ, in units of √(2 log(1/δ)/N)
_SHARES = np.array([0.95, 0.05])  # of the error, for each λ
_LARGEST = 8.0  # λ
_GAIN = 1.8, 0.5  # nats that the exact tails usually win, and part of the log odds that they do at most
_EVEN = 0.01  # share of uniform people in what a bet expects
_MISSED = 0.05  # nats, of all reports together, by which a bet may be worse than the best
# The majorant of docs/mathematics.md, “Exact tails”: its width s and shift a, and where its integral is cut off
_SMOOTH, _SHIFT, _CUT = 0.05, 0.105, 80.0
_TIMES = np.concatenate([np.linspace(0.0, 3.0, 31), np.geomspace(3.0, _CUT, 25)[1:]])
_RISE = 0.25 * np.maximum(np.diff(_TIMES, prepend=0.0), np.diff(_TIMES, append=_CUT)) ** 2  # of |φ|², over σ²
_SCALE = math.exp(_SHIFT - 0.5 * _SMOOTH**2) / (math.pi * float(ndtr(_SHIFT / _SMOOTH - _SMOOTH)))
# of its transform, which falls: half of the integral over each step, and all beyond the last, bounded from above
_MASSES = _SCALE / 2.0 * np.diff(_TIMES) * np.exp(-0.5 * (_SMOOTH * _TIMES[:-1]) ** 2) / np.hypot(1.0, _TIMES[:-1])
_BEYOND = _SCALE * math.exp(-0.5 * (_SMOOTH * _CUT) ** 2) / (_SMOOTH * _CUT) ** 2


class WindowedNoise(Protocol):
    """Probabilities of classes of reports around a window, from every input. Inputs are in pieces."""

    rows: Array  # probabilities of the classes (columns) from some inputs, by which bets are chosen
    even: Array  # probabilities of the classes where the inputs are spread evenly
    lowest: Array  # weight in each piece
    highest: Array
    factors: tuple[list[float], list[float]] = [1.0], [1.0]  # of the first λ: the λ of upper and of lower ends
    has_sharp_tails: bool = False  # whether :meth:`most` takes the factor of the tail
    blocks: tuple[float, ...] = ()  # shares of the reports, after which another block begins

    def at_rows(self, weights: Array) -> Array:
        """The largest of the weights of the pieces that the input of each row touches."""

    def most(self, bets: Array, reports: int, growth: Array) -> Array:
        """Bounds of what bets (rows) pay in the mean, from every input of each piece, with the factor of the tail.

        ``reports`` are those of all last blocks; 0 for a block without the factor. It is taken where a bound times its
        growth (bets × pieces) may be the largest of its bet.
        """

    def counted(self, values: Array, weights: Array) -> Array:
        """Numbers of reports in each class (columns), for each place of the window."""


class DividedReports(NamedTuple):
    """Reports of a release in a random order: the cells, and the number in each, block by block."""

    noise: Any
    cells: Array
    blocks: Integers

    def around(self, window: WindowedNoise) -> Array:
        """Block by block, and for each place of the window: how many reports there are in each class."""
        return np.stack([window.counted(self.cells, block.astype(float)) for block in self.blocks])


Counted = tuple[WindowedNoise, Array]  # of a release: the noise around the window, and the reports around it
_Part = tuple[WindowedNoise, Array, float, float]  # of a release: with the weights, how many reports, and the unit of λ


def divided(releases: Sequence[tuple[Any, Array, Array]]) -> list[DividedReports]:
    """Reports, and how many each, of each release, in a random order by a seed from all numbers in the finest cells."""
    counted, digest = [], hashlib.sha256()
    for noise, values, weights in releases:
        finest = noise.finest(values)
        cells, of = np.unique(finest, return_inverse=True, axis=0 if finest.ndim > 1 else None)
        numbers = np.bincount(of.ravel(), weights).astype(np.int64)
        some = numbers > 0  # a table of counts may list cells without a report
        counted.append((noise, cells[some], numbers[some]))
        digest.update(cells[some].tobytes() + numbers[some].tobytes())
    rng = np.random.default_rng(int.from_bytes(digest.digest(), "little"))
    return [DividedReports(noise, cells, np.stack([*_blocks(of, noise.blocks, rng)])) for noise, cells, of in counted]


def ends(releases: Sequence[Counted], errors: Sequence[float], others: int = 0) -> tuple[Array, Array]:
    """Intervals (errors × places) of the mean weight of all people, each wrong with at most its probability.

    With ``others``, intervals of that of the first releases less that of the people of this many last ones.
    """
    groups = [0] * (len(releases) - others) + [1] * others

    def above(rising: int) -> Array:
        """Upper ends of the mean of one group, and of what that of the other lacks to 1."""
        pairs = zip(releases, groups, strict=True)
        weights = [window.highest if group == rising else 1.0 - window.lowest for (window, _), group in pairs]
        return upper_ends(releases, weights, np.asarray(errors) / 2.0, groups)

    low, high = 1.0 - above(1), above(0) - float(others > 0)
    return np.minimum(low, high), np.maximum(low, high)


def usual_reports(windows: Sequence[WindowedNoise], chances: Sequence[Array], totals: Sequence[float]) -> list[Counted]:
    """As many reports of each class as numbers of people send on average, in blocks, of one place."""
    counted = []
    for number, (window, of, total) in enumerate(zip(windows, chances, totals, strict=True)):
        reports = np.diff(np.rint(np.cumsum(of) * (total / of.sum())), prepend=0.0)
        blocks = _blocks(reports.astype(np.int64), window.blocks, np.random.default_rng(number))
        counted.append((window, np.stack(list(blocks))[:, None, :].astype(float)))
    return counted


def upper_ends(
    releases: Sequence[Counted], weights: Sequence[Array], errors: Array, groups: Sequence[int] | None = None
) -> Array:
    """Upper ends (errors × places) of mean weights, each too low with at most its probability.

    ``weights`` are those of the pieces of each release. One λ serves all errors: that for the middle one. With
    ``groups``, a number for each release, the ends are of the sum of the means of the groups.
    """
    totals = np.array([float(counts[:, 0].sum()) for _, counts in releases])
    of_group = np.zeros(len(totals), dtype=np.intp) if groups is None else np.array(groups)
    people = np.bincount(of_group, totals)
    effective, windows = 1.0 / np.sum(1.0 / people), [window for window, _ in releases]
    parts = list(zip(windows, weights, totals.tolist(), (effective / people[of_group]).tolist(), strict=True))
    is_sharp = all(window.has_sharp_tails for window in windows)
    last = int(sum(counts[-1, 0].sum() for _, counts in releases)) if is_sharp else 0
    log_odds = -np.log(np.asarray(errors))
    rates = _rates(parts, last, math.sqrt(log_odds.min() * log_odds.max()), effective)
    grown = sum(
        _grown(window, counts, of, rates * scale, _missed(parts), last)
        for (window, of, _, scale), (_, counts) in zip(parts, releases, strict=True)
    )
    enough = log_odds[:, None, None] - np.log(_SHARES[: rates.size] / _SHARES[: rates.size].sum())
    high = np.min((enough - grown) / (rates * effective), axis=-1)
    tops = [max(of.max() for of, group in zip(weights, of_group, strict=True) if group == one) for one in set(of_group)]
    high = np.clip(high, 0.0, sum(tops))
    # a share is a whole number of people
    if len(set(of_group)) == 1 and all(np.isin(of, (0.0, 1.0)).all() for of in weights):
        high = np.minimum(np.floor(high * effective + 1e-5) / effective, 1.0)
    return np.asarray(high)


def _grown(window: WindowedNoise, counts: Array, weights: Array, rates: Array, missed: float, last: int) -> Array:
    """Logarithms of what is paid on all reports of a release: for each place and λ."""
    grown, earlier = np.zeros((counts.shape[1], rates.size)), np.zeros_like(counts[0])
    size = max(1, 2**21 // window.rows.size)  # bets at a time
    for number, block in enumerate(counts):
        expected = _expected(window, earlier if earlier.any() else earlier[:1])
        place, target = np.indices((len(expected), rates.size)).reshape(2, -1)
        reports = last if number + 1 == len(counts) else 0
        for start in range(0, place.size, size):
            part = slice(start, start + size)
            of = target[part]
            logs = np.log(fair_bets(window, weights, rates[of], expected[place[part]], missed, reports))
            if len(expected) == 1:  # the same bets everywhere
                grown[:, of] += block @ logs.T
            else:
                grown[place[part], of] += (logs * block[place[part]]).sum(axis=1)
        earlier = earlier + block
    return grown


def fair_bets(
    window: WindowedNoise, weights: Array, rates: Array, expected: Array, missed: float, reports: int = 0
) -> Array:
    """What bets (rows) pay for each class: fair for weights of pieces, and nearly the best for expected classes.

    With ``reports``, those of all last blocks, they are fair together with the factor of the tail.
    """
    limits = np.exp(-rates[:, None] * window.at_rows(weights))
    bets = _fastest(window.rows, limits, expected, missed)
    if reports:
        bets = _fastest(window.rows, limits / tail_factors(window.rows, bets, reports), expected, missed)
    growth = np.exp(rates[:, None] * weights)
    bound = (window.most(bets, reports, growth) * growth).max(axis=1) * (1.0 + 1e-12)  # above the rounding of means
    return np.asarray(bets / bound[:, None])


def tail_factors(chances: Array, bets: Array, reports: int) -> Array:
    """ρ^(1/n) of docs/mathematics.md, “Exact tails”, bounded from above: for each bet and row of chances.

    Between two nodes |φ|² exceeds its chord by at most h²σ²/4, and a power of the chord is below that of the ends.
    """
    factors = np.empty((len(bets), len(chances)))
    for row, bet in enumerate(bets):
        logs = np.log(bet)
        tilted = chances * bet
        tilted /= tilted.sum(axis=1, keepdims=True)
        logs -= np.mean(tilted @ logs)
        waves = np.outer(logs, _TIMES)
        powers = np.square(tilted @ np.cos(waves))
        powers += np.square(tilted @ np.sin(waves))
        powers += np.outer(np.maximum(tilted @ logs**2 - (tilted @ logs) ** 2, 0.0), _RISE)
        np.log(powers, out=powers)
        powers *= 0.5 * reports
        np.exp(np.minimum(powers, 1.0, out=powers), out=powers)  # above 2 the mean of two ends is above 1
        means = np.minimum(powers[:, :-1] + powers[:, 1:], 2.0)
        factors[row] = means @ _MASSES + _BEYOND
    return np.asarray((factors * (1.0 + 1e-8)) ** (1.0 / reports))


def largest_factor(reports: int) -> float:
    """The factor where |φ| is 1 everywhere: no other is larger."""
    return float((2.0 * _MASSES.sum() + _BEYOND) ** (1.0 / reports))


def _fastest(rows: Array, limits: Array, expected: Array, missed: float) -> Array:
    """Bets with the largest mean logarithm whose means at the rows are at most these limits.

    The interior method for max q·log u under A u + s = h, s ≥ 0, with multipliers v: steps of Newton's method
    towards q/u = vA and v s = μ, for all problems at once, as μ falls.
    """
    best = np.empty((len(limits), rows.shape[1]))
    todo, diagonal = np.arange(len(limits)), np.arange(rows.shape[1])
    lower, place = np.tril_indices(rows.shape[1]), np.empty((rows.shape[1],) * 2, dtype=np.intp)
    products = rows[:, lower[0]] * rows[:, lower[1]]
    place[lower] = place.T[lower] = np.arange(len(lower[0]))
    spread = np.abs(np.log(limits)).max(axis=1)
    bets = np.repeat((limits.min(axis=1) * np.exp(-spread))[:, None], rows.shape[1], axis=1)
    slack, prices = limits - bets @ rows.T, np.full(limits.shape, 1.0 / len(rows))
    expected = np.broadcast_to(expected, bets.shape)
    for _ in range(60):
        gap = (prices * slack).sum(axis=1)
        left = np.abs(expected - bets * (prices @ rows)).max(axis=1)
        best[todo] = bets
        going = (gap > missed) | (left > 1e-3 * spread)
        todo, bets, slack, prices, gap, spread, expected = (
            values[going] for values in (todo, bets, slack, prices, gap, spread, expected)
        )
        if not todo.size:
            break
        aim = (0.1 / len(rows) * gap)[:, None]
        # in units of the bets: what is added to the diagonal then bounds the eigenvalues from below
        weights = prices / slack
        many = len(weights) > 8  # for which the products of all columns are worth their size
        bends = (weights @ products).take(place, axis=1) if many else rows.T @ (weights[..., None] * rows)
        bends *= bets[:, :, None]
        bends *= bets[:, None, :]
        bends[:, diagonal, diagonal] += expected
        rise = expected - bets * ((aim / slack) @ rows)
        try:
            move = bets * np.linalg.solve(bends, rise[..., None])[..., 0]
        except np.linalg.LinAlgError:  # doubles tell no better bets; those found are checked
            break
        change = -move @ rows.T
        dearer = (aim - prices * change) / slack - prices
        size = _step(bets, move, slack, change)
        bets, slack = bets + size * move, slack + size * change
        prices = prices + _step(prices, dearer) * dearer
    return best


def _step(*pairs: Array) -> Array:
    """How far to go, at most 1, so that no value (and then its change) falls by more than 95 %."""
    falls = [(-change / value).max(axis=1) for value, change in zip(pairs[::2], pairs[1::2], strict=True)]
    return np.asarray(0.95 / np.maximum.reduce(falls, initial=0.95)[:, None])


def _rates(parts: Sequence[_Part], last: int, log_odds: float, effective: float) -> Array:
    """The λ of a window, of no report: by the one whose end would be the best for even people."""
    rates = _RATES * math.sqrt(2.0 * log_odds / effective)
    rates = rates[rates < _LARGEST]
    missing, missed = np.full(len(rates), log_odds - min(_GAIN[0], _GAIN[1] * log_odds) * bool(last)), _missed(parts)
    for window, weights, count, scale in parts:
        limits = np.exp(-rates[:, None] * scale * window.at_rows(weights))
        missing -= count * (np.log(_fastest(window.rows, limits, window.even[None], missed)) @ window.even)
    best, (window, weights, *_) = rates[np.argmin(missing / rates)], parts[0]
    return np.minimum(best * np.array(window.factors[weights is not window.highest]), _LARGEST)


def _missed(parts: Sequence[_Part]) -> float:
    """Nats of a report by which a bet may be worse than the best."""
    return _MISSED / sum(count for *_, count, _ in parts)


def _blocks(numbers: Integers, shares: tuple[float, ...], rng: np.random.Generator) -> Iterator[Integers]:
    """Reports in a random order, in blocks, of which the last is the largest; of few a single one."""
    total = int(numbers.sum())
    ends = [round(total * share) for share in shares] if total >= 64 else []
    for begin, end in itertools.pairwise([0, *ends]):
        block = rng.multivariate_hypergeometric(numbers, end - begin, method="marginals")
        numbers = numbers - block
        yield block
    yield numbers


def _expected(window: WindowedNoise, earlier: Array) -> Array:
    """Probabilities of the classes, by earlier reports (rows), of some people; at first of even ones."""
    if not earlier.any():
        return np.atleast_2d(window.even)
    chances = _likeliest(window.rows.tobytes(), earlier.tobytes(), earlier.shape)
    return np.asarray((1.0 - _EVEN) * chances / chances.sum(axis=1, keepdims=True) + _EVEN * window.even)


@functools.lru_cache(16)  # both ends, and intervals of other errors, expect the same
def _likeliest(rows: bytes, earlier: bytes, shape: tuple[int, int]) -> Array:
    """Probabilities of the classes under which earlier reports are likely.

    Expectation-maximisation begins at even people. After as many steps as the root of the number of reports, it would
    follow their noise: with 1000 steps, most intervals are 2 to 12 % wider.
    """
    chances, reports = np.frombuffer(rows).reshape(-1, shape[1]), np.frombuffer(earlier).reshape(shape)
    totals, tiny = reports.sum(axis=1, keepdims=True), np.finfo(float).tiny
    shares, people = reports / totals, np.full((shape[0], len(chances)), 1.0 / len(chances))
    for _ in range(math.ceil(math.sqrt(totals.max()))):
        people *= (shares / np.maximum(people @ chances, tiny)) @ chances.T
    return np.asarray(people @ chances)
