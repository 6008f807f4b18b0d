"""Lower bounds of intervals that hold for any people, for ``measure_intervals.py``, by second-order cone programmes.

N people are fixed, and K(y|x) is the probability of a report. An upper end that holds for all days must lie above
Σ w p′ with a probability of at least 1/2 under a day p, for each day p′ against which a test of p of the size 2.5 %
has a power of at most 1/2. For many people these are the p′ ≥ 0 of the sum 1 with

    N (q′ - q)ᵀ C⁺ (q′ - q) ≤ 1.96²,  q = pK,  C = diag(q) - Σ p(x) K_x K_xᵀ.

The solver finds the largest Σ w p′ of them, and with the dual programme a bound that no p′ exceeds. The days p′ are
on a grid of 10 minutes, on both sides of whole hours and where a day p has more than 1 % of its people, so that a
finer grid could only raise the bound. One programme takes about 0.1 s.
"""

import clarabel
import numpy as np
from scipy import sparse

MINUTES = 1440
CLASSES = 288
QUANTILE = 1.96
LEAST = 1e-4
"""Directions in which no day differs more from p, in standard deviations of one report, are left out."""


class DayMetric:
    """Distances |A p′| of the reports of days p′ from those of a day p, in standard deviations of one report."""

    def __init__(self, arcs, day):
        hours = np.arange(0, MINUTES, 60)
        self.inputs = np.unique([*range(0, MINUTES, 10), *(hours - 1) % MINUTES, *np.flatnonzero(day > 0.01)])
        chances = arcs[(np.arange(MINUTES) - np.arange(MINUTES)[:, None]) % MINUTES]
        chances = chances.reshape(MINUTES, CLASSES, -1).sum(axis=2)
        expected = day @ chances
        scale, root = 1.0 / np.sqrt(expected), np.sqrt(expected)
        covariance = np.diag(expected) - chances.T @ (day[:, None] * chances)
        values, vectors = np.linalg.eigh(covariance * np.outer(scale, scale) + np.outer(root, root))
        moves = ((chances[self.inputs] - expected) * scale) @ vectors / np.sqrt(np.maximum(values, 1e-7))
        left, sizes, _ = np.linalg.svd(moves.T, full_matrices=False)
        self.matrix = left[:, sizes > LEAST].T @ moves.T

    def largest(self, weights, count):
        """The largest Σ w p′ that a number of people cannot tell from p, its dual bound, and the day p′."""
        rank, inputs = self.matrix.shape
        radius = np.sqrt(QUANTILE**2 / count - LEAST**2)
        cone = np.vstack([np.zeros(inputs), -self.matrix / radius])
        rows = sparse.csc_matrix(np.vstack([np.ones(inputs), -np.eye(inputs), cone]))
        limits = np.concatenate([[1.0], np.zeros(inputs), [1.0], np.zeros(rank)])
        cones = [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(inputs), clarabel.SecondOrderConeT(rank + 1)]
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        none = sparse.csc_matrix((inputs, inputs))
        answer = clarabel.DefaultSolver(none, -weights[self.inputs], rows, limits, cones, settings).solve()
        if "Solved" not in str(answer.status):
            raise RuntimeError(f"the solver ended with {answer.status}")
        day = np.zeros(MINUTES)
        day[self.inputs] = np.maximum(answer.x, 0.0)
        return -answer.obj_val, -answer.obj_val_dual, day / day.sum()

    def width(self, weights, count):
        """Lower bound of the width of an interval of Σ w p, and its dual."""
        high, low = (self.largest(of, count) for of in (weights, 1.0 - weights))
        return high[0] + low[0] - 1.0, high[1] + low[1] - 1.0
