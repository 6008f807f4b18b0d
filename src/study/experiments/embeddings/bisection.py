"""What Algorithm 1 of paper A draws if general-purpose quadrature stands for the function F: a tree of bisections.

A uniform number u goes left at a middle angle if u is below the computed CDF there. So the numbers that reach a part
of [0, π] are an interval, and the probability of the part is its length: no draws are needed, and whatever the
algorithm does below the last bisections stays within the part.
"""

import heapq
import math
import warnings
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Parts:
    """Parts of [0, π]: the depth and the number of each, from left to right at its depth, and what is drawn in it."""

    depth: np.ndarray
    number: np.ndarray
    drawn: np.ndarray

    def ends(self):
        """Lower and upper ends in radians."""
        width = np.pi / 2.0**self.depth
        return self.number * width, (self.number + 1) * width


def drawn_parts(cdf, most, depth=DEPTHS[-1]):
    """The parts after at most ``depth`` bisections and ``most`` values of the CDF, the likeliest part halved first."""
    open_parts, done, values = [(-1.0, 0, 0, 0.0, 1.0)], [], 0
    while open_parts:
        mass, level, number, low, high = heapq.heappop(open_parts)
        if level == depth or values == most:
            done.append((level, number, -mass))
            continue
        y, values = cdf((number + 0.5) * math.pi / 2**level), values + 1
        for child, start, end in ((2 * number, low, min(high, y)), (2 * number + 1, max(low, y), high)):
            if end > start:
                heapq.heappush(open_parts, (start - end, level + 1, child, start, end))
            else:
                done.append((level + 1, child, 0.0))
    return Parts(*(np.array(column) for column in zip(*done, strict=True)))


def against_exact(parts, exact, depths=DEPTHS):
    """Total variation on the parts, share of the exact distribution never drawn by depth, and mean cosine."""
    low, high = parts.ends()
    true = exact.angle_cdf(high) - exact.angle_cdf(low)
    never = {depth: float(true[(parts.drawn == 0.0) & (parts.depth <= depth)].sum()) for depth in depths}
    return dict(
        total_variation=0.5 * float(np.abs(parts.drawn - true).sum()),
        **{f"never_drawn_{depth}": share for depth, share in never.items()},
        mean_cosine=float(parts.drawn @ np.cos(0.5 * (low + high))),
        off_by=0.5 * float(parts.drawn @ (high - low)),
    )
