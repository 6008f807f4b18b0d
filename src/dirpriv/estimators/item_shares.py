"""Shares of the items of a public list, from released items, with intervals that hold for any people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import validate
from dirpriv._lib.types import Array, Integers
from dirpriv.distributions.user.adapter import check_distribution
from dirpriv.estimators import betting_intervals, shared
from dirpriv.estimators.circle_noise_bounds import ERROR
from dirpriv.geometry.spaces import FiniteSet

_CLASSES = 16  # of reports, by how much more probable the item makes them
_ROWS = 48  # inputs by which bets are chosen


@dataclass(frozen=True)
class ItemSharesEstimate:
    """Estimated shares of items, by :func:`estimate_item_shares`.

    Attributes
    ----------
    items : ndarray of int, shape (n,)
        Numbers of the items in the list.
    shares, low, high : ndarray, shape (n,)
        Estimated shares of the people with this item, and the ends of their intervals.
    count, confidence : int, float
        Number of reports, and confidence of each interval.
    """

    items: Integers
    shares: Array
    low: Array
    high: Array
    count: int
    confidence: float


def estimate_item_shares(
    indices: ArrayLike,
    distribution: Any,
    *,
    of: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    confidence: float = 0.95,
) -> ItemSharesEstimate:
    r"""Estimate the shares of the people with each item of a list, from released items.

    The shares are those of the largest likelihood, or the nearest in their intervals. Each interval contains the true
    share with at least the ``confidence``, for every distribution of the people, and for any number of them
    (docs/mathematics.md, "Shares through windows"). Items at one place cannot be told apart: their lower ends are 0.

    Parameters
    ----------
    indices : array_like of int, shape (N,)
        Numbers of the released items in the list: :meth:`dirpriv.release.FiniteRelease.indices_of` of their names.
    distribution : FiniteTableDistribution
        ``noise`` of the release, of the same list: compare ``sha256`` of the two releases.
    of : array_like of int, optional, keyword-only
        Numbers of the items to estimate; by default all. Name them before you look at the reports. An interval takes
        some milliseconds, of thousands of items a tenth of a second.
    weights : array_like of int, optional, keyword-only
        How often each index occurs, for a table of counts.
    confidence : float, keyword-only
        Of each interval on its own.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.estimators import estimate_item_shares
    >>> from dirpriv.release import FiniteRelease
    >>> release = FiniteRelease(1.0, ["a", "b", "c"], points=[[0.0], [1.0], [3.0]])
    >>> estimate = estimate_item_shares([0, 1, 2], release.noise, weights=[600, 250, 150])
    >>> estimate.shares.round(2).tolist(), bool((estimate.low <= estimate.shares).all())
    ([0.78, 0.11, 0.12], True)
    """
    check_distribution(distribution, "the noise of a FiniteRelease", FiniteSet(), "transitions")
    chances = distribution.transitions()
    number = len(chances)
    which = "is no item", "give their numbers"
    reports = validate.numbers_of("indices", indices, 0, number - 1, *which).ravel()
    _, times = shared.checked_reports("indices", reports[:, None], weights, 1, least=1)
    error = 1.0 - validate.share("confidence", confidence)
    counts = np.bincount(reports, times, number).astype(float)
    items = np.arange(number) if of is None else validate.numbers_of("of", of, 0, number - 1, *which).ravel()
    windows, every = (ItemWindow(chances, item) for item in items.tolist()), np.arange(number, dtype=float)
    ends = [betting_intervals.ends([(window, window.counted(every, counts)[None])], [error]) for window in windows]
    low, high = np.array(ends).reshape(-1, 2).T
    shares = np.clip(_likeliest(chances, counts)[items], low, high)
    return ItemSharesEstimate(items, shares, low, high, int(counts.sum()), 1.0 - error)


class ItemWindow(betting_intervals.WindowedNoise):
    """Noise of reports around one item: what is not the item is one piece, of which every input is checked."""

    lowest = highest = np.array([1.0, 0.0])  # of the item, and of all others

    def __init__(self, chances: Array, item: int) -> None:
        even, own = chances.mean(axis=0), chances[item]
        order = np.argsort(own / even)
        below = np.cumsum((own + even)[order]) / 2.0
        of_sorted = np.minimum((below * _CLASSES).astype(np.intp), _CLASSES - 1)
        starts = np.flatnonzero(np.diff(of_sorted, prepend=-1))
        self._order, self._starts, self._item = order, starts, item
        self._chances = np.add.reduceat(chances[:, order], starts, axis=1)
        others = np.argsort(self._chances[:, -1])  # those nearest to the item last
        others = others[others != item]
        near = np.unique(np.append(others[-_ROWS // 2 :], others[:: max(1, 2 * len(others) // _ROWS)]))
        self.rows, self.even = self._chances[np.append(item, near)], self._chances.mean(axis=0)

    def at_rows(self, weights: Array) -> Array:
        return np.append(weights[0], np.full(len(self.rows) - 1, weights[1]))

    def most(self, bets: Array, reports: int, growth: Array) -> Array:
        means = bets @ self._chances.T
        own = means[:, self._item].copy()
        means[:, self._item] = 0.0
        return np.stack([own, means.max(axis=1)], axis=1) + ERROR * bets.max(axis=1, keepdims=True)

    def counted(self, values: Array, weights: Array) -> Array:
        of_items = np.bincount(values.astype(np.intp), weights, len(self._order))
        return np.add.reduceat(of_items[self._order], self._starts)[None]


def _likeliest(chances: Array, counts: Array) -> Array:
    """Shares of the largest likelihood, by expectation-maximisation from even ones."""
    some = counts > 0.0
    reached, shares = chances[:, some], np.full(len(chances), 1.0 / len(chances))
    of_reports = counts[some] / counts.sum()
    for _ in range(min(1000, 1 + 10**10 // reached.size)):  # of long lists fewer steps
        better = shares * (reached @ (of_reports / (shares @ reached)))
        moved, shares = np.abs(better - shares).sum(), better
        if moved < 1e-9:
            break
    return np.asarray(shares / shares.sum())
