"""What Algorithm 1 of paper A draws if general-purpose quadrature stands for the function F: a tree of bisections.

A uniform number u goes left at a middle angle if u is below the computed CDF there. So the numbers that reach a part
of [0, π] are an interval, and the probability of the part is its length: no draws are needed, and whatever the
algorithm does below the last bisections stays within the part.
"""

import heapq
import math
import warnings

import numpy as np
import scipy  # SciPy imports its submodules at their first use

DEPTHS = (10, 12, 14)
"""Numbers of bisections after which shares never drawn are given; no part is halved more often than the last."""


def quadrature_cdf(dim, kappa):
    """The CDF of the angle by ``scipy.integrate.quad`` on the printed integrand; None where its integral is 0."""

    def integral(theta):
        with warnings.catch_warnings(action="ignore"):
            return scipy.integrate.quad(lambda t: math.exp(-kappa * t) * math.sin(t) ** (dim - 2), 0.0, theta)[0]

    whole = integral(math.pi)
    return (lambda theta: integral(theta) / whole) if whole else None


def drawn_parts(cdf, most, depth=DEPTHS[-1]):
    """The parts of [0, π] after ``most`` values of the CDF, the likeliest part halved first, at most ``depth`` times.

    Arrays of the depths, both ends, and the probabilities with which the parts are drawn.
    """
    heap, parts = [(-1.0, 0, 0.0, math.pi, 0.0, 1.0)], []
    while heap:
        minus_mass, level, left, right, low, high = heapq.heappop(heap)
        if level == depth or most == 0:
            parts.append((level, left, right, -minus_mass))
            continue
        middle, most = 0.5 * (left + right), most - 1
        y = cdf(middle)
        for start, end, bottom, top in ((left, middle, low, min(high, y)), (middle, right, max(low, y), high)):
            if top > bottom:
                heapq.heappush(heap, (bottom - top, level + 1, start, end, bottom, top))
            else:
                parts.append((level + 1, start, end, 0.0))
    return np.array(parts).T


def against_exact(parts, exact, depths=DEPTHS):
    """Total variation on the parts, share of the exact distribution never drawn by depth, and mean cosine."""
    level, left, right, drawn = parts
    true = exact.angle_cdf(right) - exact.angle_cdf(left)
    return dict(
        total_variation=0.5 * float(np.abs(drawn - true).sum()),
        **{f"never_drawn_{depth}": float(true[(drawn == 0.0) & (level <= depth)].sum()) for depth in depths},
        mean_cosine=float(drawn @ np.cos(0.5 * (left + right))),
        off_by=0.5 * float(drawn @ (right - left)),
    )
