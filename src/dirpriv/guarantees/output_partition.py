"""Partition of a space of outputs into cells in which two samples differ.

A tree repeatedly halves the outputs along the feature in which the samples differ most: a coordinate, or a
distance from a sample mean, on which symmetric mechanisms depend. Repeated values get cells of their own.
"""

import numpy as np

from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, Codes, FloatOrArray, Integers, Mask, Score

_BLOCK = 1 << 15  # rows handled at a time, which stay in the cache


class Cells:
    """Cells made from two samples of outputs: ``atoms`` repeated values, and the leaves of a tree.

    The codes are 0 to atoms - 1 for these, then up to atoms + 2^depth - 1 for the leaves from left to right.
    """

    def __init__(self, first: Array, second: Array, score: Score | None = None) -> None:
        self._score = score
        self._means = [first.mean(axis=0), second.mean(axis=0)]
        both = np.concatenate([first, second])
        is_first = np.arange(len(both)) < len(first)
        keys, counts = np.unique(_key(both), return_counts=True)
        heaviest = np.argsort(-counts, kind="stable")[:1024]
        # in a continuous sample no two values are equal
        self._keys = np.sort(keys[heaviest[counts[heaviest] >= 8]])
        self.atoms = len(self._keys)
        apart = self._atom_codes(both) < 0
        self._grow(self._features(both[apart]), is_first[apart])

    def codes(self, rows: Array) -> Codes:
        """Code of the cell of each output."""
        out = np.empty(len(rows), dtype=np.int32)
        for start in range(0, len(rows), _BLOCK):
            block = rows[start : start + _BLOCK]
            node = np.zeros(len(block), dtype=np.intp)
            features = self._features(block)
            flat, starts = features.ravel(), np.arange(len(block)) * features.shape[1]
            for level in range(self.depth):
                at = node + (2**level - 1)
                node = 2 * node + (flat[starts + self._feature[at]] > self._threshold[at])
            atom = self._atom_codes(block)
            out[start : start + _BLOCK] = np.where(atom >= 0, atom, node + self.atoms)
        return out

    def _features(self, rows: Array) -> Array:
        if self._score is not None:
            scores = np.asarray(self._score(rows if rows.shape[1] > 1 else rows[:, 0]), dtype=float)
            if scores.ndim == 0 or len(scores) != len(rows) or not np.isfinite(scores).all():
                rule = "must give one row of finite numbers for each output"
                shapes = f"for an array of shape {rows.shape} it gives one of shape {scores.shape}"
                raise InvalidArgument("score", f"{rule}; {shapes}")
            return np.ascontiguousarray(scores[:, None] if scores.ndim == 1 else scores)
        if rows.shape[1] == 1:
            return rows
        away = [rows - mean for mean in self._means]
        return np.column_stack([rows, *(np.einsum("ij,ij->i", vectors, vectors) for vectors in away)])

    def _atom_codes(self, rows: Array) -> Integers:
        """Place among the atoms, or -1."""
        if not self.atoms:
            return np.full(len(rows), -1)
        key = _key(rows)
        place = np.minimum(np.searchsorted(self._keys, key), self.atoms - 1)
        return np.where(self._keys[place] == key, place, -1)

    def _grow(self, features: Array, is_first: Mask) -> None:
        """Split level by level; a node that cannot be split sends all rows to the left."""
        self.depth = int(np.clip(np.log2(max(len(features), 1) / 40), 0, 10))  # 40 rows in a cell, up to 1024 cells
        self._feature = np.zeros(2**self.depth - 1, dtype=np.intp)
        self._threshold = np.full(2**self.depth - 1, np.inf)
        spread = np.maximum(np.ptp(features, axis=0), np.finfo(float).tiny) if len(features) else 1.0
        members = [np.arange(len(features))]
        for level in range(self.depth):
            below = []
            for node, inside in enumerate(members, start=2**level - 1):
                split = _best_split(features[inside], is_first[inside], spread)
                if split is None:
                    below += [inside, inside[:0]]
                    continue
                self._feature[node], self._threshold[node] = split
                right = features[inside, split[0]] > split[1]
                below += [inside[~right], inside[right]]
            members = below


def _best_split(features: Array, is_first: Mask, spread: FloatOrArray) -> tuple[int, float] | None:
    """Feature and threshold that halve a cell; None where there is nothing to split."""
    count, ones = len(features), int(is_first.sum())
    if count < 2:
        return None
    thresholds = np.partition(features, (count - 1) // 2, axis=0)[(count - 1) // 2]
    right = features > thresholds
    for column in np.flatnonzero(~right.any(axis=0)):  # half or more equal the largest value: they go right
        smaller = features[:, column][features[:, column] < thresholds[column]]
        if smaller.size:
            thresholds[column] = smaller.max()
            right[:, column] = features[:, column] > thresholds[column]
    possible = right.any(axis=0)
    if not possible.any():
        return None
    of_first, of_second = is_first.astype(float) @ right, (~is_first).astype(float) @ right
    share = right.mean(axis=0)
    deviation = np.sqrt(share * (1.0 - share) * (1.0 / max(ones, 1) + 1.0 / max(count - ones, 1)))
    apart = np.abs(of_first / max(ones, 1) - of_second / max(count - ones, 1))
    differ = apart / np.where(possible, deviation, 1.0)
    differ[~possible] = -1.0
    column = int(np.argmax(differ))
    if differ[column] < 3.0:  # standard deviations: no feature separates the samples, split the longest side
        column = int(np.argmax(np.where(possible, np.ptp(features, axis=0) / spread, -1.0)))
    return column, thresholds[column]


def _key(rows: Array) -> Array:
    """One number for each row: equal for equal rows, and different for others with probability almost 1."""
    if rows.shape[1] == 1:
        return rows[:, 0]
    weights = np.sqrt(np.arange(2.0, 2.0 + rows.shape[1])) % 1.0
    key = rows[:, 0] * weights[0]
    for column in range(1, rows.shape[1]):  # column by column: a matrix product may round rows differently
        key = key + rows[:, column] * weights[column]
    return key
