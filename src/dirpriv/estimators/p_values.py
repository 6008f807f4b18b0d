"""P-values of tests on the circle, for few or many cells and reports.

Reports are often cells. Then a statistic has few values, and its distribution for continuous angles does not hold.
"""

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
from scipy.special import bdtr, chdtrc, i0e

from dirpriv import geometry
from dirpriv._lib.types import Array

_ENOUGH = 50  # draws that exceed the statistic, after which there are no more
_MOST_DRAWS = 9999
_SURE = 1e-4  # bounds up to here are p-values; simulated ones are raised by it
_MOST_VALUES = 360  # of two samples; more are grouped


def rayleigh_p_value(angles: Array, weights: Array) -> float:
    """P-value of :func:`dirpriv.estimators.rayleigh_test`, which says how it is found.

    Zar's formula is right to 1e-3 of the value at 0.05. More than 500 cells of width h are taken for
    continuous: if each angle moves within its cell at random, the new sum along S is at least sin(h/2)/(h/2)
    |S| - ε, except with probability exp(-2 ε²/(N h²)) (Hoeffding).
    """
    values, counts = _counted([angles], [weights])
    number = float(counts.sum())
    length = abs(complex(counts[0] @ np.exp(1j * values)))
    cells = _equal_cells(values)
    if cells == 2:
        fewer = round((number - length) / 2.0)
        return float(min(2.0 * bdtr(fewer, int(number), 0.5), 1.0))
    bound = _chernoff_bound(number, length, cells)
    if bound <= _SURE:
        return bound
    corners = np.exp(1j * geometry.TURN / max(cells, 1) * np.arange(cells))
    if cells:  # rounding of the angles parts no equal sums
        places = np.rint((values - values[0]) * (cells / geometry.TURN)).astype(int) % cells
        length = abs(complex(counts[0] @ corners[places]))
    if not cells and number > 50:
        room = max(1.0 - (length / number) ** 2, 0.0)
        tail = np.exp(np.sqrt(1.0 + 4.0 * number + 4.0 * number**2 * room) - (1.0 + 2.0 * number))
        return float(min(max(tail, _SURE), 1.0))

    def lengths(rng: np.random.Generator, size: int) -> Array:
        if cells:
            return np.abs(rng.multinomial(int(number), np.full(cells, 1.0 / cells), size) @ corners)
        return np.abs(np.exp(1j * geometry.TURN * rng.random((size, int(number)))).sum(axis=1))

    return _simulated(length - 1e-9 * np.sqrt(number), lengths, values, counts)


def combined(p_values: list[float]) -> float:
    """P-value of independent ones for the hypothesis that all theirs are true (Fisher)."""
    if len(p_values) == 1:
        return p_values[0]
    return float(chdtrc(2.0 * len(p_values), -2.0 * np.log(np.maximum(p_values, 1e-300)).sum()))


def watson_test(groups: list[tuple[Array, Array]], precision: float) -> tuple[float, float]:
    """Watson's U² of two samples and its p-value, by permutations of the two groups among the reports.

    What is equal does not depend on the groups, only on all reports and the precision of their types.

    U² is n/(n₁ n₂) ‖Σ cᵢ‖², summed over the first sample, cᵢ the centred step at report i less the mean step.
    With replacement E cosh(λ‖Σ cᵢ‖) ≤ exp(λ² n₁ max‖cᵢ‖²/2) (Pinelis 1994, Theorem 3.5), without it less
    (Hoeffding 1963, Theorem 4). So P(U² ≥ u) ≤ 2 exp(-u n₂/(2n max‖cᵢ‖²)).
    """
    angles, weights = zip(*groups, strict=True)
    values, counts = _counted(angles, weights, precision)
    if len(values) > _MOST_VALUES:
        place = (np.cumsum(counts.sum(axis=0)) - 1.0) * (_MOST_VALUES / counts.sum())
        starts = np.unique(place.astype(int), return_index=True)[1]
        counts = np.add.reduceat(counts, starts, axis=1)
    both, sizes = counts.sum(axis=0), counts.sum(axis=1)
    total = both.sum()

    def statistics(first: Array) -> Array:
        apart = np.cumsum(first / sizes[0] - (both - first) / sizes[1], axis=-1)
        centred = apart - (apart @ both / total)[..., None]
        return sizes[0] * sizes[1] / total**2 * (centred**2 @ both)

    def permuted(rng: np.random.Generator, size: int) -> Array:
        if total > 10 * len(both):
            colours = both.astype(np.int64)
            first = rng.multivariate_hypergeometric(colours, int(sizes[0]), size, method="marginals")
            return statistics(first.astype(float))
        labels = np.arange(total) < sizes[0]
        shuffled = rng.permuted(np.broadcast_to(labels, (size, int(total))), axis=1)
        starts = (np.cumsum(both) - both).astype(int)
        return statistics(np.add.reduceat(shuffled, starts, axis=1, dtype=float))

    statistic = float(statistics(counts[0]))
    steps = np.triu(np.ones((len(both), len(both)))) - np.cumsum(both) / total
    longest = float(((steps - (steps @ both / total)[:, None]) ** 2 @ both / total).max())
    exponent = statistic * float(sizes.max()) / (2.0 * total * max(longest, 1e-300))
    if 2.0 * np.exp(-exponent) <= _SURE:
        return statistic, float(2.0 * np.exp(-exponent))
    return statistic, _simulated(statistic * (1.0 - 1e-9) - 1e-12, permuted, values, counts)


def _counted(angles: Sequence[Array], weights: Sequence[Array], precision: float = 2.0**-52) -> tuple[Array, Array]:
    """The different angles in [0, 2π), in order around the circle, and how often each is in each sample.

    Angles are one within 8 units in the last place of a turn in their type; and where some are repeated, so
    that they are cells, within a millionth of the arc that holds all. A run of near ones is cut into parts as
    wide as that, from its first on: no chain of them is longer.
    """
    values, index = np.unique(np.mod(np.concatenate(angles), geometry.TURN), return_inverse=True)
    parts = np.split(index, np.cumsum([len(each) for each in angles])[:-1])
    counts = np.array([np.bincount(*each, len(values)) for each in zip(parts, weights, strict=True)])
    there = counts.any(axis=0)
    values, counts = values[there].astype(float), counts[:, there].astype(float)
    gaps = np.diff(values, append=values[0] + geometry.TURN)
    widest, near = int(np.argmax(gaps)), 8.0 * precision * geometry.TURN
    if counts.sum(axis=0).max() > 1.0:
        near = max(near, 1e-6 * (geometry.TURN - gaps[widest]))
    if gaps.min() > near:
        return values, counts
    values, counts, gaps = (np.roll(each, -1 - widest, axis=-1) for each in (values, counts, gaps))
    away = np.mod(values - values[0], geometry.TURN)
    begins = np.append(True, gaps[:-1] > near)
    part = np.floor((away - away[np.maximum.accumulate(np.where(begins, np.arange(len(away)), 0))]) / near)
    starts = np.flatnonzero(begins | np.append(True, np.diff(part) != 0.0))
    return values[starts], np.add.reduceat(counts, starts, axis=1)


def _equal_cells(values: Array) -> int:
    """Least number of cells of equal width, from 2 on, whose middles the angles are; 0 beyond 500.

    If all N ≥ 4 reports are in a part of the cells, the level of a test grows at most by 1 + 2^(2 - N) times.
    """
    turns, cells = (values - values[0]) / geometry.TURN, 1
    while True:
        off = np.abs(turns * cells - np.rint(turns * cells)) > 1e-6
        if not off.any():
            return max(cells, 2)
        more = cells * np.arange(2, 500 // cells + 1)
        steps = turns[np.argmax(off)] * more
        more = more[np.abs(steps - np.rint(steps)) <= 1e-6]
        if not more.size:
            return 0
        cells = int(more[0])


def _chernoff_bound(number: float, length: float, cells: int) -> float:
    """Bound of the probability of a sum at least as long: P(|S| ≥ s) ≤ M(λ)^N / I₀(λ s) for every λ.

    By Markov's inequality, as E I₀(λ|S|) is the mean over all directions u of E exp(λ u·S), at most M(λ)^N.
    M(λ) is the largest mean of exp(λ cos θ) over the cells, or I₀(λ).
    """
    share = min(max(length / number, 1e-9), 1.0 - 1e-6)
    slopes = np.geomspace(0.5 * share, 2.0 * share * (2.0 - share**2) / (1.0 - share**2), 100)
    if cells:
        cosines = np.cos(geometry.TURN / cells * np.arange(cells))
        moments = np.log(np.exp(slopes[:, None] * (cosines - 1.0)).mean(axis=1))
    else:
        moments = np.log(i0e(slopes))
    logs = number * moments + slopes * (number - length) - np.log(i0e(slopes * length))
    return float(np.exp(min(logs.min(), 0.0)))


def _simulated(statistic: float, draw: Callable[[np.random.Generator, int], Array], *data: Array) -> float:
    """P-value by draws from the hypothesis until 50 exceed the statistic, or 9999; 1e-4 more, for bounds."""
    digest = hashlib.sha256(b"".join(np.ascontiguousarray(each).tobytes() for each in data)).digest()
    rng = np.random.default_rng(int.from_bytes(digest[:16], "little"))
    exceeded = drawn = 0
    while drawn < _MOST_DRAWS:
        size = min(max(2 * _ENOUGH, drawn // 2), _MOST_DRAWS - drawn)
        over = np.flatnonzero(draw(rng, size) >= statistic)
        if exceeded + len(over) >= _ENOUGH:
            return min(_SURE + _ENOUGH / (drawn + float(over[_ENOUGH - exceeded - 1]) + 1.0), 1.0)
        exceeded, drawn = exceeded + len(over), drawn + size
    return _SURE + (exceeded + 1.0) / (_MOST_DRAWS + 1.0)
