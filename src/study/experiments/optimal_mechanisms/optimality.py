r"""The least error that any mechanism of a level can have, by linear programmes and by theorem.

A level is a function D of the distance: a mechanism keeps it if no output is more than :math:`e^{D(d)}` times
as probable for one input as for another at the distance d. Pure, metric and mixed levels are such functions
(:func:`levels`). Averaged over the isometries of the space, a mechanism becomes a *kernel* f of the angle θ
between input and output, with :math:`|\log f(\theta) - \log f(\theta')| \le D(|\theta - \theta'|)`, and its
largest expected loss does not grow. So the least expected loss is that of a linear programme over kernels:
:func:`least_risk` solves it on classes of angles (:func:`classes`), :func:`least_risk_of_tables` without any
symmetry on the cells of a circle. Neither uses the theorem that says which kernel is the best
(:func:`best_kernel`), so they check it.
"""

from typing import NamedTuple

import numpy as np
import scipy  # which imports its submodules where they are first used
from numpy.typing import NDArray

_TOLERANCE = 1e-10  # of the solver: the smallest that it takes


class Classes(NamedTuple):
    """Classes of angles at even steps from 0 to π, in radians, and the share of the space in each."""

    angles: NDArray
    weights: NDArray


class Best(NamedTuple):
    """The best kernel of a family: its expected loss, and its density with respect to the uniform distribution.

    ``scalar`` is the number that was chosen: the half-angle of a cap, the plateau of a trapezoid, the first
    step of a staircase, in radians; nan where there is none to choose.
    """

    risk: float
    scalar: float
    kernel: NDArray


def classes(space, count, *, dim=3):
    """Classes of angles of a space, as wide as the steps between them; the first is at 0, the last at π.

    Of ``"circle"`` the classes are the distances of ``2 (count - 1)`` cells. Of ``"sphere"``, in R^``dim``,
    and of ``"rotations"`` the weights are integrals of the element :math:`\\sin^{n-2}\\theta` or
    :math:`\\sin^2(\\theta/2)`.

    >>> classes("circle", 4).weights.round(3).tolist()
    [0.167, 0.333, 0.333, 0.167]
    """
    angles = np.linspace(0.0, np.pi, count)
    edges = np.concatenate([[0.0], (angles[1:] + angles[:-1]) / 2.0, [np.pi]])
    if space == "circle":
        return Classes(angles, np.diff(edges) / np.pi)
    if space == "rotations":
        total = (edges - np.sin(edges)) / np.pi
    else:
        half = (dim - 1) / 2.0
        total = scipy.special.betainc(half, half, np.sin(edges / 2.0) ** 2)
    return Classes(angles, np.diff(total))


def levels(notion, level, angles, *, pure=None, radius=None):
    """What a level allows at each distance, in radians and even steps from 0: D(d), 0 at 0.

    ``"metric"`` is ε d, with ε per radian; ``"pure"`` is ε for every d above 0; ``"both"`` is the smaller of
    ε d and ``pure``; ``"within"`` is ℓ ⌈d/r⌉: what the level ℓ within the ``radius`` r, in radians, says of
    all distances. On a grid r is as many steps as fit into it.

    >>> levels("within", 2.0, np.linspace(0.0, np.pi, 5), radius=np.pi / 2).tolist()
    [0.0, 2.0, 2.0, 4.0, 4.0]
    """
    distances = np.asarray(angles, dtype=float)
    if notion == "metric":
        return level * distances
    if notion == "pure":
        return np.where(distances > 0.0, level, 0.0)
    if notion == "both":
        return np.minimum(level * distances, pure)
    return level * np.ceil(np.arange(len(distances)) / _steps_within(distances, radius))


def least_risk(cost, allowed, weights):
    """Least expected loss of all kernels of a level by a linear programme, and a kernel that has it.

    Of each class of angles, ``cost`` is the loss, ``weights`` the share of the space, and ``allowed`` what
    the level allows for classes that many steps apart: ``levels(...)``, or ``inf``, which allows everything.
    The kernel is a density with respect to the uniform distribution.

    >>> angles, weights = classes("circle", 13)
    >>> risk, kernel = least_risk(angles, levels("pure", 1.0, angles), weights)
    >>> round(risk, 4), float(kernel[0] / kernel[-1]) <= np.e * (1.0 + 1e-9)
    (1.1832, True)
    """
    count = len(cost)
    i, j = np.nonzero(~np.eye(count, dtype=bool))
    finite = allowed[np.abs(i - j)] < np.inf
    i, j = i[finite], j[finite]
    # the unknowns are the masses f w: f_i e^(-D) - f_j is at most 0, and the sum of the masses is 1
    of_first, of_second = np.exp(-allowed[np.abs(i - j)]) / weights[i], -1.0 / weights[j]
    ratios = _matrix((len(i), count), (np.arange(len(i)), i, of_first), (np.arange(len(i)), j, of_second))
    mass = _solve(cost, ratios, np.ones((1, count)))
    return float((cost * mass).sum()), mass / weights


def least_risk_of_tables(cost, allowed):
    """Least expected loss of all mechanisms on a circle of cells, symmetric or not.

    This is the programme over all tables of probabilities P[x, y], m of them for each of the m inputs: the
    least t such that no input has a larger expected loss. It checks that kernels are enough. ``cost`` is the
    loss of an output that many cells from the input, ``allowed`` what the level allows for inputs that many
    cells apart, both of shape (m/2 + 1,).

    >>> angles, weights = classes("circle", 5)
    >>> allowed = levels("metric", 1.0, angles)
    >>> of_tables = least_risk_of_tables(angles, allowed)
    >>> bool(np.isclose(of_tables, least_risk(angles, allowed, weights)[0], rtol=1e-12))
    True
    """
    cells = 2 * (len(cost) - 1)
    distance = np.abs(np.subtract.outer(np.arange(cells), np.arange(cells)))
    distance = np.minimum(distance, cells - distance)
    x, other, y = (axis.ravel() for axis in np.indices((cells, cells, cells)))
    keep = (x != other) & (allowed[distance[x, other]] < np.inf)
    x, other, y = x[keep], other[keep], y[keep]
    of_row, table = np.repeat(np.arange(cells), cells), np.arange(cells * cells)
    unknowns = len(table) + 1  # the table, row by row, and t
    rows = np.arange(len(x))
    ratios = _matrix(
        (len(rows), unknowns),
        (rows, cells * x + y, np.exp(-allowed[distance[x, other]])),
        (rows, cells * other + y, np.full(len(rows), -1.0)),
    )
    risks = _matrix(
        (cells, unknowns),
        (of_row, table, cost[distance].ravel()),
        (np.arange(cells), np.full(cells, len(table)), np.full(cells, -1.0)),
    )
    totals = _matrix((cells, unknowns), (of_row, table, np.ones(len(table))))
    solution = _solve(np.eye(unknowns)[-1], scipy.sparse.vstack([ratios, risks]), totals)
    return float(solution[-1])


def best_kernel(notion, level, cost, grid, *, pure=None, radius=None):
    r"""The best kernel of a level, as for :func:`levels`, by theorem; its one scalar is found by trying all.

    For a loss that does not decrease with the angle the best kernel is Purkayastha's
    :math:`e^{-\varepsilon\theta}` for a metric level, a *cap* for a pure one, a *trapezoid* for both
    (:math:`\log f` is flat, falls by ε per radian, and is flat again), and a *staircase* of steps of width r
    and height ℓ for the level ℓ within r. The documentation, "Mathematics", has the proof. On a grid there
    are finitely many scalars to try. ``cost`` is the loss at each class of angles.

    >>> grid = classes("circle", 97)
    >>> best = best_kernel("pure", 1.0, 1.0 - np.cos(grid.angles), grid)
    >>> round(best.risk, 3), round(best.scalar, 2)  # 1 - .3083, and the half-angle 1.257
    (0.692, 1.26)
    """
    candidates = []
    for scalar, kernel in family(notion, level, grid.angles, pure=pure, radius=radius):
        density = kernel / (kernel * grid.weights).sum()
        candidates.append(Best(float((cost * density * grid.weights).sum()), scalar, density))
    return min(candidates, key=lambda best: best.risk)


def family(notion, level, angles, *, pure=None, radius=None):
    """The kernels among which the theorem says that the best one is, 1 at the angle 0, each after its scalar.

    >>> [scalar for scalar, kernel in family("metric", 1.0, np.linspace(0.0, np.pi, 9))]
    [nan]
    """
    if notion == "metric":
        return [(np.nan, np.exp(-level * angles))]
    step, places = angles[1], np.arange(len(angles))
    if notion == "both":
        plateaus = np.concatenate([angles, angles - pure / level])
        plateaus = np.unique(plateaus[plateaus >= 0.0])
        return [(float(a), np.exp(-np.clip(level * (angles - a), 0.0, pure))) for a in plateaus]
    width = len(angles) if notion == "pure" else _steps_within(angles, radius)
    return [
        (float((first - 0.5) * step), np.exp(-level * ((places - first) // width + 1.0)))
        for first in range(1, min(width, len(angles)) + 1)
    ]


def _steps_within(distances, radius):
    steps = int(radius / distances[1] * (1.0 + 1e-12))
    if steps < 1:
        raise ValueError(f"the radius {radius:g} must be at least one step of the grid, {distances[1]:g}")
    return steps


def _matrix(shape, *entries):
    """A sparse matrix of entries: their rows, columns and values."""
    rows, columns, values = (np.concatenate(part) for part in zip(*entries, strict=True))
    return scipy.sparse.csr_array((values, (rows, columns)), shape=shape)


def _solve(cost, at_most_zero, equal_one):
    """Least cost of nonnegative unknowns."""
    limits = {"A_ub": at_most_zero, "b_ub": np.zeros(at_most_zero.shape[0])}
    limits |= {"A_eq": equal_one, "b_eq": np.ones(equal_one.shape[0])}
    exact = {f"{kind}_feasibility_tolerance": _TOLERANCE for kind in ("primal", "dual")}
    result = scipy.optimize.linprog(cost, **limits, method="highs", options=exact)
    if not result.success:
        raise ArithmeticError(f"the linear programme has no solution: {result.message}")
    return np.asarray(result.x)
