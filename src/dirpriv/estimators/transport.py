"""Earth mover's distances: the least mean distance over which one histogram must be moved to become another.

Times of day lie on a circle, places on a sphere; the ground distance is the shorter arc and the great circle.
Histograms are nonnegative masses, and each is divided by its total. On the sphere the distance is a linear
program, solved by the network simplex method of Python Optimal Transport (POT, ``ot.emd2``). On the circle it
has a closed form: POT's binary search (``ot.wasserstein_circle``) gives the same to 1e-15, hundreds of times
more slowly, and POT's own closed form is right only for bins that begin at 0 (POT issue 738).
"""

import numpy as np
from numpy.typing import ArrayLike

from dirpriv._inputs import validate
from dirpriv._inputs.errors import InvalidArgument
from dirpriv._lib.types import Array, FloatOrArray
from dirpriv.distributions.shared.base import scalar_or_array
from dirpriv.geometry import earth

_BLOCK = 2**17  # values of a block: its scratch arrays stay in the cache


def circular_emd(p: ArrayLike, q: ArrayLike, period: float = 24.0) -> FloatOrArray:
    """Earth mover's distance between histograms on a circle, at most half the period.

    Mass counts as lying in the middle of its bin. Let D be the difference of the two cumulative histograms.
    The mass D - c flows over each border between bins; the constant c is a flow around the whole circle,
    which can be chosen. The cost is least where c is the median of D: ``period / bins * Σ |D - median D|``
    [1]_ [2]_. The result is exact, and does not change if both histograms are rotated.

    Parameters
    ----------
    p, q : array_like, shape (bins,) or (rows, bins)
        Masses in bins of equal width around the circle; any number of bins. Rows are compared one by one, or
        with the one histogram of the other argument.
    period : float
        Length of one turn, which sets the unit: 24 for hours of the day.

    References
    ----------
    .. [1] Werman, M., Peleg, S., Rosenfeld, A., "A distance metric for multidimensional histograms", Computer
       Vision, Graphics, and Image Processing 32 (1985) 328-336.
    .. [2] Rabin, J., Delon, J., Gousseau, Y., "Transportation distances on the circle", Journal of
       Mathematical Imaging and Vision 41 (2011) 147-167.

    Examples
    --------
    >>> import numpy as np
    >>> from dirpriv.estimators.transport import circular_emd
    >>> day = np.eye(24)  # all check-ins in the hour 0, 1, ..., 23
    >>> circular_emd(day[23], day[0])
    1.0
    >>> circular_emd(day[[1, 6, 12, 18]], day[0]).tolist()
    [1.0, 6.0, 12.0, 6.0]
    """
    period = validate.positive("period", period)
    p, q = validate.reals("p", p), validate.reals("q", q)
    shapes = f"got shapes {p.shape} and {q.shape}"
    if p.shape[-1:] != q.shape[-1:]:
        raise InvalidArgument(f"'p' and 'q' must have the same number of bins; {shapes}")
    p, q = validate.histogram("p", p)[0], validate.histogram("q", q)[0]
    try:
        shape = np.broadcast_shapes(p.shape, q.shape)
    except ValueError:
        rule = "'p' and 'q' must have the same number of rows, or one of them a single histogram"
        raise InvalidArgument(f"{rule}; {shapes}") from None
    bins = shape[-1]
    first, second = (np.broadcast_to(x, shape).reshape(-1, bins) for x in (p, q))
    cost = np.empty(len(first))
    step = max(1, _BLOCK // bins)
    for start in range(0, len(cost), step):
        rows = slice(start, start + step)
        flow = np.cumsum(first[rows] - second[rows], axis=-1)
        middle = np.sort(flow, axis=-1)[:, bins // 2, None]  # of an even number, any value between the two
        cost[rows] = np.abs(flow - middle).sum(axis=-1)
    cost *= period / bins
    return scalar_or_array(cost.reshape(shape[:-1]))


def great_circle_emd(
    places_p: ArrayLike, weights_p: ArrayLike, places_q: ArrayLike, weights_q: ArrayLike, *, memory: float = 1e9
) -> FloatOrArray:
    """Earth mover's distance between weighted places, in kilometres of great circles.

    Exact, by linear programming in POT. If both histograms have the same places (cells of a place histogram),
    their common mass stays where it is, as the triangle inequality allows. Only the rest goes to the solver,
    and the linear program is a fraction of the size.

    Parameters
    ----------
    places_p, weights_p : array_like, shapes (k, 2) and (k,)
        Latitude and longitude in degrees, and masses, of any total.
    places_q, weights_q : array_like, shapes (l, 2), and (l,) or (rows, l)
        The same of the other histogram. With rows, each is compared with ``weights_p``; the distances between
        places are computed once.
    memory : float, keyword-only
        Largest memory in bytes. The distances between all pairs of places with a mass take 40 bytes each,
        with what the solver needs. 5000 places on both sides take up to 1 GB and 15 s a row, or a few seconds
        if the places are the same; 1000 places take 40 MB and 0.1 s.

    Raises
    ------
    ValueError
        If a mass is negative, infinite or nan, a histogram is empty, shapes do not fit, a latitude is beyond
        a pole, or the places are too many for ``memory``.
    ModuleNotFoundError
        If POT is not installed.
    RuntimeError
        If POT does not find the optimum.

    Examples
    --------
    >>> from dirpriv.estimators.transport import great_circle_emd
    >>> cities = [[48.8566, 2.3522], [40.7128, -74.0060]]  # Paris, New York
    >>> round(great_circle_emd(cities[:1], [1.0], cities[1:], [1.0]))
    5837
    >>> great_circle_emd(cities, [3, 1], cities, [[3, 1], [30, 10], [1, 1]]).round().tolist()
    [0.0, 0.0, 1459.0]
    """
    places_p, p = _weighted_places("p", places_p, weights_p)
    places_q, q = _weighted_places("q", places_q, weights_q)
    if p.ndim != 1:
        raise InvalidArgument("weights_p", f"must be one histogram, the reference; got shape {p.shape}")
    rows = q.reshape(-1, q.shape[-1])
    memory = validate.positive("memory", memory)
    sources, targets = np.flatnonzero(p), np.flatnonzero(rows.any(axis=0))
    needed = 40 * sources.size * targets.size  # the distance, and what the solver keeps of it: 37 were measured
    if needed > memory:
        pairs = f"{sources.size} by {targets.size} places with a mass need {needed / 1e9:.1f} GB"
        hint = "count the places in fewer cells (dirpriv.geometry.earth.EqualAreaCells), or allow more"
        raise InvalidArgument(f"{pairs}, and 'memory' is {memory / 1e9:.1f} GB", hint=hint)
    distances = np.empty((sources.size, targets.size))
    step = max(1, _BLOCK // max(1, targets.size))
    for start in range(0, sources.size, step):
        some = places_p[sources[start : start + step], None]
        distances[start : start + step] = earth.great_circle_distance(some, places_q[targets], radius=1.0)
    shared = np.array_equal(places_p, places_q)
    costs = np.empty(len(rows))
    for row, weights in enumerate(rows):
        supply, demand = p, weights
        if shared:
            excess = p - weights
            excess[np.abs(excess) <= 1e-14 * p] = 0.0  # what the divisions by the totals left
            supply, demand = np.maximum(excess, 0.0), np.maximum(-excess, 0.0)
        costs[row] = _moved(supply[sources], demand[targets], distances)
    costs *= earth.EARTH_RADIUS / 1000.0
    return scalar_or_array(costs.reshape(q.shape[:-1]))


def _weighted_places(which: str, places: ArrayLike, weights: ArrayLike) -> tuple[Array, Array]:
    places = earth._checked(f"places_{which}", places)
    weights = validate.histogram(f"weights_{which}", weights)[0]
    if places.ndim != 2 or weights.ndim > 2 or weights.shape[-1] != len(places):
        rule = f"'places_{which}' must have the shape (k, 2) and 'weights_{which}' k values, or rows of them"
        raise InvalidArgument(f"{rule}; got shapes {places.shape} and {weights.shape}")
    return places, weights


def _moved(supply: Array, demand: Array, distances: Array) -> float:
    """Least total of mass times distance that moves the supply to the demand, of about the same total."""
    sources, targets = np.flatnonzero(supply), np.flatnonzero(demand)
    if sources.size == 0 or targets.size == 0:
        return 0.0
    try:
        import ot  # here, as it takes a second and most jobs never use it
    except ModuleNotFoundError as error:
        hint = "need Python Optimal Transport: install the package 'POT'"
        raise ModuleNotFoundError(f"earth mover's distances between places {hint}") from error
    supply, demand = supply[sources], demand[targets]
    total = supply.sum()
    if sources.size < len(distances) or targets.size < distances.shape[1]:
        distances = distances[np.ix_(sources, targets)]
    cost, log = ot.emd2(supply / total, demand / demand.sum(), distances, numItermax=10**9, log=True)
    if log["warning"] is not None:
        places = f"{sources.size} to {targets.size}"
        raise RuntimeError(f"POT found no optimal transport of {places}: {log['warning']}")
    return total * float(cost)
