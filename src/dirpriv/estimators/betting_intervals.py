"""Upper ends of shares that hold for any people, and for any number of them, by bets on their reports.

A bet pays u(y) ≥ 0 for the report y. It is fair against a set B of inputs if its mean over the noise is at
most e^(-λ) from every input in B, and at most 1 from every other. What follows for the share of the inputs in
B, and how the bets are chosen, is in docs/mathematics.md, “Shares of any people”.
"""

import hashlib
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from scipy.special import logsumexp

from dirpriv._lib.types import Array, Integers, Mask

_RATES = np.geomspace(1 / 16, 64, 11)  # candidates of the first λ, in units of √(2 log(1/δ)/N)
_FACTORS = np.array([[1.0, 4.0, 16.0], [0.25, 1.0, 1 / 16]])  # of it: the λ of small and of large sets
_SHARES = np.array([0.9, 0.05, 0.05])  # of these λ in the mixture
_LARGEST = 8.0  # λ
_EVEN = 0.01  # share of uniform people in what a bet expects
_EXPECTATIONS = 1000  # steps of expectation-maximisation
_MISSED = 0.05  # nats, of all reports together, by which a bet may be worse than the best
_ROUNDING = 1e-12  # far above that of a mean
_SCRATCH = 2**21  # numbers
_MANY = 8  # problems that are solved together
_FEWEST = 64  # reports of a release that are divided into blocks


class ClassedNoise(Protocol):
    """Probabilities of classes of reports from every input. Sets of inputs are made of pieces."""

    rows: Array  # probabilities of the classes (columns) from some inputs, by which bets are chosen
    even: Array  # probabilities of the classes where the inputs are spread evenly
    sizes: Array  # of the pieces, in any unit: sets of more than half of all are large
    mixed: int  # λ of a set, one to three: the effort that it is worth
    doublings: int  # of the first block

    def at_rows(self, members: Mask) -> Mask:
        """Whether the input of each row lies in one of the pieces that are members, or on its border."""

    def most(self, bets: Array) -> Array:
        """Bounds of what bets (rows) pay in the mean, from every input of each piece."""

    def finest(self, values: Array) -> Array:
        """Middles of the finest cells of reports: of those that are divided, whatever the sets."""

    def counted(self, values: Array, weights: Array) -> Array:
        """Numbers of reports in each class, or a row of them for each of several places."""


class CountedReports(NamedTuple):
    """Reports of one release, and the sets (rows) whose shares are asked for."""

    counts: Array  # block by block: of each class, or a row of them for each place with this noise around
    noise: ClassedNoise
    inside: Mask  # pieces that lie in a set
    touched: Mask  # those of which a part does


NoiseSets = tuple[ClassedNoise, Mask, Mask]  # as of CountedReports
CountedSets = tuple[Array, ClassedNoise, Mask]  # counts, noise, and the pieces of each set


def ends(releases: Sequence[CountedReports], error: float) -> tuple[Array, Array]:
    """Intervals of the shares of all people in sets, each wrong with at most this probability."""
    # the lower end of a share is the upper end of all others, taken from 1
    sets = [(of.counts, of.noise, np.concatenate([~of.inside, of.touched])) for of in releases]
    others, high = np.split(upper_ends(sets, error / 2.0), 2, axis=-1)
    low = 1.0 - others
    return np.minimum(low, high), np.maximum(low, high)


def blocks(releases: Sequence[tuple[ClassedNoise, Array, Array]]) -> list[Array]:
    """Numbers of reports of each class, block by block: of each release, with its reports and how many each.

    The order of the reports is random, by a seed from all numbers in the finest cells.
    """
    divided, digest = [], hashlib.sha256()
    for noise, values, weights in releases:
        finest = noise.finest(values)
        cells, of = np.unique(finest, return_inverse=True, axis=0 if finest.ndim > 1 else None)
        numbers = np.bincount(of.ravel(), weights).astype(np.int64)
        some = numbers > 0  # a table of counts may list cells without a report
        divided.append((noise, cells[some], numbers[some]))
        digest.update(cells[some].tobytes() + numbers[some].tobytes())
    rng = np.random.default_rng(int.from_bytes(digest.digest(), "little"))
    return [
        np.stack([noise.counted(cells, block.astype(float)) for block in _divided(numbers, noise.doublings, rng)])
        for noise, cells, numbers in divided
    ]


def people(counts: Array) -> int:
    """How many reports there are in all blocks."""
    return int(np.atleast_2d(counts.sum(axis=0))[0].sum())


def usual_width(noises: Sequence[NoiseSets], error: float, totals: Sequence[float]) -> float:
    """Mean width of such intervals that is to be expected of numbers of people: if they are spread evenly.

    The mean widths of 8 and 24 bins were 0.6 to 1.01 times this at levels up to 1 within 3 h (median 0.9),
    and 0.15 to 1.06 times at levels of 3 and 10 (0.8): 261 histograms of 12 days, of 300 to 30 000 people.
    """
    even = []
    for number, ((noise, *sets), total) in enumerate(zip(noises, totals, strict=True)):
        reports = np.diff(np.rint(np.cumsum(noise.even) * (total / noise.even.sum())), prepend=0.0)
        divided = _divided(reports.astype(np.int64), noise.doublings, np.random.default_rng(number))
        even.append(CountedReports(np.stack(list(divided)), noise, *sets))
    low, high = ends(even, error)
    return float(np.mean(high - low))


def upper_ends(releases: Sequence[CountedSets], error: float, rates: Array | None = None) -> Array:
    """Upper ends of shares, as whole numbers of people, each too low with at most this probability."""
    log_odds = math.log(1.0 / error)
    totals = [people(counts) for counts, _, _ in releases]
    total = sum(totals)
    rates = _rates(releases, totals, log_odds) if rates is None else rates
    parts = [_grown(*of, rates, _MISSED / total) for of in releases]
    grown = np.sum(parts, axis=0) + np.log(_SHARES[: rates.shape[1]])
    low, high = np.zeros(grown.shape[:2]), np.full(grown.shape[:2], float(total))
    while (high - low > 1e-6).any():  # people
        middle = (low + high) / 2.0
        holds = logsumexp(rates * middle[..., None] + grown, axis=-1) <= log_odds + 1e-9
        low, high = np.where(holds, middle, low), np.where(holds, high, middle)
    shares = np.minimum(np.floor(high + 1e-5) / total, 1.0)
    return np.asarray(shares.reshape(*releases[0][0].shape[1:-1], -1))


def _grown(counts: Array, noise: ClassedNoise, members: Mask, rates: Array, missed: float) -> Array:
    """Logarithms of what is paid on all reports of a release: for each place, set and λ."""
    rows = counts.reshape(len(counts), -1, counts.shape[-1]).astype(float)  # of a block, a place and a class
    targets = np.repeat(members, noise.mixed, axis=0)
    grown, earlier = np.zeros((rows.shape[1], rates.size)), np.zeros_like(rows[0])
    size = max(1, _SCRATCH // noise.rows.size)
    for block in rows:
        expected = _expected(noise, earlier if earlier.any() else earlier[:1])
        place, target = np.indices((len(expected), rates.size)).reshape(2, -1)
        for start in range(0, place.size, size):
            part = slice(start, start + size)
            of = target[part]
            bets = fair_bets(noise, targets[of], rates.ravel()[of], expected[place[part]], missed)
            logs = np.log(bets)
            if len(expected) == 1:  # the same bets everywhere
                grown[:, of] += block @ logs.T
            else:
                grown[place[part], of] += (logs * block[place[part]]).sum(axis=1)
        earlier = earlier + block
    return grown.reshape(-1, *rates.shape)


def fair_bets(noise: ClassedNoise, members: Mask, rates: Array, expected: Array, missed: float) -> Array:
    """What bets (rows) pay for each class: fair against sets, and nearly the best for classes as expected."""
    bets = _fastest(noise.rows, np.exp(-rates[:, None] * noise.at_rows(members)), expected, missed)
    bound = (noise.most(bets) * np.exp(rates[:, None] * members)).max(axis=1) * (1.0 + _ROUNDING)
    return np.asarray(bets / bound[:, None])


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
        many = len(weights) > _MANY  # for which the products of all columns are worth their size
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


def _rates(releases: Sequence[CountedSets], totals: Sequence[int], log_odds: float) -> Array:
    """The λ of each set, of no report: by the one whose end would be the best for even people."""
    noises, total = [noise for _, noise, _ in releases], sum(totals)
    large = releases[0][2] @ noises[0].sizes > 0.5 * noises[0].sizes.sum()
    small = [np.where(large[:, None], ~members, members) for _, _, members in releases]
    rates = _RATES * math.sqrt(2.0 * log_odds / total)
    rates = rates[rates < _LARGEST]
    sizes = np.stack([masks @ noise.sizes for masks, noise in zip(small, noises, strict=True)], axis=1)
    _, first, of = np.unique(sizes, axis=0, return_index=True, return_inverse=True)
    best = np.empty(len(first))  # of each size
    for number, row in enumerate(first):
        grown = np.zeros(len(rates))
        for noise, masks, count in zip(noises, small, totals, strict=True):
            sets = np.broadcast_to(masks[row], (len(rates), masks.shape[1]))
            bets = fair_bets(noise, sets, rates, noise.even, _MISSED / total)
            grown += count / total * (np.log(bets) @ noise.even)
        best[number] = rates[np.argmin((log_odds / total - grown) / rates)]
    factors = _FACTORS[large.astype(np.intp), : noises[0].mixed]
    return np.minimum(best[of.ravel()][:, None] * factors, _LARGEST)


def _divided(numbers: Integers, doublings: int, rng: np.random.Generator) -> Iterator[Integers]:
    """Reports in a random order, in blocks that are each as large as all before it; of few a single one."""
    total = int(numbers.sum())
    ends = sorted({total >> k for k in range(doublings + 1 if total >= _FEWEST else 1)})
    for begin, end in itertools.pairwise([0, *ends[:-1]]):
        block = rng.multivariate_hypergeometric(numbers, end - begin, method="marginals")
        numbers = numbers - block
        yield block
    yield numbers


def _expected(noise: ClassedNoise, earlier: Array) -> Array:
    """Probabilities of the classes, by earlier reports (rows), of some people; at first of even ones."""
    if not earlier.any():
        return np.atleast_2d(noise.even)
    shares = earlier / earlier.sum(axis=1, keepdims=True)
    people = np.full((len(earlier), len(noise.rows)), 1.0 / len(noise.rows))
    for _ in range(_EXPECTATIONS):
        people *= (shares / np.maximum(people @ noise.rows, np.finfo(float).tiny)) @ noise.rows.T
    chances = people @ noise.rows
    return np.asarray((1.0 - _EVEN) * chances / chances.sum(axis=1, keepdims=True) + _EVEN * noise.even)
